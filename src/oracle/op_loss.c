/* Losses: cross entropy and related ones over classes, and elementwise losses of two tensors; with their gradients. */
#include <string.h>

#include "oracle/gradients.h"
#include "oracle/operators.h"

enum reduction { REDUCE_MEAN, REDUCE_SUM, REDUCE_NONE, REDUCE_BATCH, REDUCE_OTHER, REDUCE_KEPT };

static enum reduction reduction_of(const struct call_values *c, int place)
{
    static const char *const names[] = {"mean", "sum", "none", "batchmean"};
    const char *text = call_text(c, place, "reduction");
    for (int i = 2; i < c->places && c->mindspore && !text; i++) /* MindSpore's functions differ in the position */
        text = call_text(c, i, "");
    for (int i = 0; text && i < REDUCE_OTHER; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    if (text || call_value(c, -1, "size_average") || call_value(c, -1, "reduce"))
        return REDUCE_OTHER;
    return c->mindspore || c->module ? REDUCE_KEPT : REDUCE_MEAN; /* stored there */
}

/* Reductions to try, as bits: the recorded one; if MindSpore stores it, none for a result with one element per row,
 * otherwise mean and sum. */
static int reductions_to_try(const struct call_values *c, enum reduction recorded, int64_t rows)
{
    int64_t results = c->results ? c->result[0].count : 1;
    if (recorded != REDUCE_KEPT)
        return 1 << recorded;
    if (results == rows && rows > 1)
        return 1 << REDUCE_NONE;
    return 1 << REDUCE_MEAN | 1 << REDUCE_SUM;
}

/* ---- over classes ---- */

/* Rows of classes and their targets: element (row, class) of x is at (row / inner) · classes · inner + class · inner
 * + row % inner. */
struct classes {
    const struct real_tensor *x, *target, *weight;
    int64_t rows, classes, inner;
    enum reduction reduction;
    double smoothing, ignored;
    bool likely;  /* the target has one probability per class */
    double total; /* divisor of a mean */
};

static int64_t class_at(const struct classes *k, int64_t row, int64_t class)
{
    return (row / k->inner * k->classes + class) * k->inner + row % k->inner;
}

static double class_weight(const struct classes *k, int64_t class)
{
    return k->weight ? k->weight->v[class] : 1;
}

static bool row_counts(const struct classes *k, int64_t row)
{
    return k->likely || k->target->v[row] != k->ignored;
}

/* The target value of a class in a row: its share of the label, smoothed and weighted. */
static double wanted_share(const struct classes *k, int64_t row, int64_t class)
{
    double share = k->likely ? k->target->v[class_at(k, row, class)] : k->target->v[row] == (double)class;
    return (share * (1 - k->smoothing) + k->smoothing / (double)k->classes) * class_weight(k, class);
}

static bool labels_fit(struct classes *k)
{
    for (int64_t row = 0; row < k->rows; row++)
        if (!k->likely && row_counts(k, row) && !(k->target->v[row] >= 0 && k->target->v[row] < (double)k->classes))
            return false;
    return true;
}

/* Reads arguments; whether there is smoothing, and the order of arguments, differ between frameworks and are given. */
static bool classes_of(struct call_values *c, struct classes *k)
{
    k->x = call_tensor_at(c, 0, "input logits x");
    k->target = call_tensor_at(c, 1, "target labels label");
    k->weight = call_tensor_at(c, 2, "weight");
    if (!k->x || !k->target || !k->x->axes) {
        call_unknown(c, UNKNOWN_ARGUMENT);
        return false;
    }
    int axis = k->x->axes > 1 ? 1 : 0;
    int64_t outer;
    real_around(k->x, axis, &outer, &k->classes, &k->inner);
    k->rows = outer * k->inner;
    k->likely = dtype_is_float(k->target->dtype);
    if (k->target->count != (k->likely ? k->x->count : k->rows) || (k->weight && k->weight->count != k->classes) ||
        !labels_fit(k))
        call_unknown(c, UNKNOWN_SHAPE);
    if (k->reduction == REDUCE_BATCH || k->reduction == REDUCE_OTHER)
        call_unknown(c, UNKNOWN_VARIANT);
    for (int64_t row = 0; row < k->rows && !c->unknown; row++)
        k->total += k->likely ? 1 : row_counts(k, row) ? class_weight(k, (int64_t)k->target->v[row]) : 0;
    return !c->unknown;
}

static struct classes cross_entropy_arguments(const struct call_values *c)
{
    bool ms = c->mindspore; /* input, target, weight, ignore_index, reduction, label_smoothing */
    return (struct classes){.ignored = call_number(c, ms ? 3 : 4, "ignore_index", -100),
                            .reduction = reduction_of(c, ms ? 4 : 6),
                            .smoothing = call_number(c, ms ? 5 : 7, "label_smoothing", 0)};
}

static struct classes nll_arguments(const struct call_values *c)
{
    bool ms = c->mindspore; /* input, target, weight, ignore_index, reduction */
    return (struct classes){.ignored = call_number(c, ms ? 3 : 4, "ignore_index", -100),
                            .reduction = reduction_of(c, ms ? 4 : 6)};
}

/* log p of every element of x, and the largest finite |log p| + |x|. */
static double *log_likelihood(struct call_values *c, const struct classes *k, bool already, double *largest)
{
    double *out = real_array(c, k->x->count), most_log = 0, most_x = 0;
    for (int64_t row = 0; row < k->rows; row++) {
        double most = -INFINITY, sum = 0;
        for (int64_t i = 0; i < k->classes; i++)
            most = fmax(most, k->x->v[class_at(k, row, i)]);
        for (int64_t i = 0; i < k->classes; i++)
            sum += exp(k->x->v[class_at(k, row, i)] - most);
        for (int64_t i = 0; i < k->classes; i++) {
            int64_t at = class_at(k, row, i);
            double x = k->x->v[at];
            out[at] = already ? x : x - most - log(sum);
            most_log = isfinite(out[at]) ? fmax(most_log, fabs(out[at])) : most_log;
            most_x = isfinite(x) ? fmax(most_x, fabs(x)) : most_x;
        }
    }
    *largest = most_log + most_x + 8;
    return out;
}

static double row_loss(const struct classes *k, int64_t row, const double *log_p)
{
    double loss = 0;
    for (int64_t i = 0; i < k->classes && row_counts(k, row); i++) {
        double want = wanted_share(k, row, i);
        loss -= want != 0 ? want * log_p[class_at(k, row, i)] : 0;
    }
    return loss;
}

/* The reduced loss of the rows, with its error bound. */
static void reduce_rows(struct call_values *c, const struct classes *k, const double *log_p, double largest,
                        const char *formula)
{
    struct real_tensor shape = {.axes = 1, .shape = {k->rows}, .count = k->rows}, one = {.count = 1};
    bool each = k->reduction == REDUCE_NONE;
    struct room r = room_for(c, 0, each ? &shape : &one, formula);
    double root = sqrt(fmax(1, k->total)), by = k->reduction == REDUCE_MEAN ? k->total : 1;
    for (int64_t row = 0; row < k->rows; row++) {
        double loss = row_loss(k, row, log_p);
        r.y[each ? row : 0] += loss / by;
    }
    for (int64_t i = 0; i < (each ? k->rows : 1); i++) {
        double y = fabs(r.y[i]);
        r.roundings[i] = each ? y : 3 * y; /* partial sums are kept in the operator's type */
        r.inside[i] = each ? largest : k->reduction == REDUCE_MEAN ? largest + 2 * root * y : root * (largest + 2 * y);
    }
}

static void loss_of_classes(struct call_values *c, struct classes k, bool already, const char *formula)
{
    double largest;
    if (!classes_of(c, &k))
        return;
    const double *log_p = log_likelihood(c, &k, already, &largest);
    int kinds = reductions_to_try(c, k.reduction, k.rows);
    for (k.reduction = REDUCE_MEAN; k.reduction <= REDUCE_NONE; k.reduction++)
        if (kinds >> k.reduction & 1)
            reduce_rows(c, &k, log_p, largest, formula);
}

static void cross_entropy(struct call_values *c)
{
    loss_of_classes(c, cross_entropy_arguments(c), false, "-log softmax at the label");
}

static void nll_loss(struct call_values *c)
{
    loss_of_classes(c, nll_arguments(c), true, "-x at the label");
}

/* logits, labels (one probability per class); outputs the loss of each row and its gradient. */
static void softmax_with_logits(struct call_values *c)
{
    struct classes k = {.reduction = REDUCE_NONE, .ignored = NAN};
    double largest;
    if (!classes_of(c, &k))
        return;
    if (!k.likely)
        return call_unknown(c, UNKNOWN_VARIANT);
    const double *log_p = log_likelihood(c, &k, false, &largest);
    reduce_rows(c, &k, log_p, largest, "-sum of labels log softmax");
    struct room r = room_for(c, 1, k.x, "p - labels");
    for (int64_t i = 0; i < k.x->count; i++) {
        double p = exp(log_p[i]), want = k.target->v[i];
        r.y[i] = p - want;
        r.roundings[i] = 4 * (p + want);
        r.inside[i] = p > 0 ? p * (16 + 2 * fabs(log_p[i])) + 2 * want : 2 * want;
    }
}

/* The factor of a row's loss in the backward pass. */
static double row_factor(const struct call_values *c, const struct classes *k, int64_t row)
{
    double g = c->gradient[0].v[k->reduction == REDUCE_NONE ? row : 0];
    return row_counts(k, row) ? g / (k->reduction == REDUCE_MEAN ? k->total : 1) : 0;
}

static bool gradient_fits(struct call_values *c, const struct classes *k)
{
    if (c->gradient[0].count != (k->reduction == REDUCE_NONE ? k->rows : 1))
        call_unknown(c, UNKNOWN_SHAPE);
    return !c->unknown;
}

/* Gradient by log-likelihoods: the result of nll_loss, and of PyTorch's cross_entropy at its last node. */
static void by_log_likelihood(struct call_values *c, const struct classes *k, const char *formula)
{
    struct room r = room_for(c, ANY_OUTPUT, k->x, formula);
    for (int64_t row = 0; row < k->rows; row++)
        for (int64_t i = 0; i < k->classes; i++) {
            int64_t at = class_at(k, row, i);
            r.y[at] = -row_factor(c, k, row) * wanted_share(k, row, i);
            r.roundings[at] = 2 * fabs(r.y[at]);
        }
}

static void by_logits(struct call_values *c, const struct classes *k)
{
    double largest;
    const double *log_p = log_likelihood(c, k, false, &largest);
    struct room r = room_for(c, ANY_OUTPUT, k->x, "(p - onehot) g / n");
    for (int64_t row = 0; row < k->rows; row++) {
        double f = row_factor(c, k, row), sum = 0;
        for (int64_t i = 0; i < k->classes; i++)
            sum += wanted_share(k, row, i);
        for (int64_t i = 0; i < k->classes; i++) {
            int64_t at = class_at(k, row, i);
            double p = exp(log_p[at]) * sum, want = wanted_share(k, row, i);
            r.y[at] = f * (p - want);
            r.roundings[at] = 4 * fabs(f) * (fabs(p) + fabs(want));
            r.inside[at] = fabs(f) * ((p > 0 ? p * (16 + 2 * fabs(log_p[at])) : 0) + 2 * fabs(want));
        }
    }
}

/* Gradients for each possible reduction. */
static void classes_backward(struct call_values *c, struct classes k, bool logits, bool likelihoods)
{
    int kinds = reductions_to_try(c, k.reduction, k.rows);
    for (k.reduction = REDUCE_MEAN; k.reduction <= REDUCE_NONE; k.reduction++) {
        if (!(kinds >> k.reduction & 1) || !gradient_fits(c, &k))
            continue;
        if (logits)
            by_logits(c, &k);
        if (likelihoods)
            by_log_likelihood(c, &k, logits ? FORMULA_LAST_NODE : "-onehot g / n");
    }
}

static void cross_entropy_backward(struct call_values *c)
{
    struct classes k = cross_entropy_arguments(c);
    if (!classes_of(c, &k))
        return;
    if (!c->mindspore && (k.smoothing > 0 || k.likely))
        return call_unknown(c, UNKNOWN_COMPOSITE);
    classes_backward(c, k, true, !c->mindspore);
}

static void nll_loss_backward(struct call_values *c)
{
    struct classes k = nll_arguments(c);
    if (classes_of(c, &k))
        classes_backward(c, k, false, true);
}

/* ---- of two tensors, element by element ---- */

/* x: prediction, t: target, p: an argument (beta, delta). */
struct pair_loss {
    const char *formula, *slope_formula;
    double (*value)(double x, double t, double p);
    double (*slope)(double x, double t, double p);
    double (*target_slope)(double x, double t, double p); /* NULL: the derivative by x with the opposite sign */
    double (*inside)(double x, double t, double y); /* float32 error in one element, in units of u */
    const char *argument;                           /* p's name, or NULL */
    int argument_place, reduction_place;
    double left_out;
};

static double squared_error(double x, double t, double p)
{
    (void)p;
    return (x - t) * (x - t);
}

static double squared_slope(double x, double t, double p)
{
    (void)p;
    return 2 * (x - t);
}

static double four_y(double x, double t, double y)
{
    (void)x, (void)t;
    return 4 * fabs(y);
}

static double absolute_error(double x, double t, double p)
{
    (void)p;
    return fabs(x - t);
}

static double distance_slope(double x, double t, double p)
{
    (void)p;
    return (x > t) - (x < t);
}

static double smooth_l1_term(double x, double t, double beta)
{
    double d = fabs(x - t);
    return d < beta ? d * d / (2 * beta) : d - beta / 2;
}

static double smooth_slope(double x, double t, double beta)
{
    double d = x - t;
    return fabs(d) < beta ? d / beta : (d > 0) - (d < 0);
}

static double huber_term(double x, double t, double delta)
{
    double d = fabs(x - t);
    return d <= delta ? d * d / 2 : delta * (d - delta / 2);
}

static double huber_slope(double x, double t, double delta)
{
    double d = x - t;
    return fabs(d) <= delta ? d : delta * ((d > 0) - (d < 0));
}

static double bounded_inside(double x, double t, double y)
{
    return 4 * (fabs(y) + fabs(x) + fabs(t));
}

/* torch clamps logarithms at -100. */
static double binary_entropy(double x, double t, double p)
{
    (void)p;
    return -(t * fmax(log(x), -100) + (1 - t) * fmax(log1p(-x), -100));
}

static double binary_entropy_slope(double x, double t, double p)
{
    (void)p;
    return (x - t) / fmax((1 - x) * x, 1e-12);
}

static double binary_entropy_by_target(double x, double t, double p)
{
    (void)t, (void)p;
    return fmax(log1p(-x), -100) - fmax(log(x), -100);
}

static double binary_entropy_inside(double x, double t, double y)
{
    return 8 * fabs(y) + 8 * (t + (1 - t) / fmax(1 - x, 1e-12));
}

static double logits_entropy(double x, double t, double p)
{
    (void)p;
    return fmax(x, 0) - x * t + log1p(exp(-fabs(x)));
}

static double logits_entropy_slope(double x, double t, double p)
{
    double e = exp(-fabs(x));
    (void)p;
    return (x >= 0 ? 1 : e) / (1 + e) - t;
}

static double logits_entropy_by_target(double x, double t, double p)
{
    (void)t, (void)p;
    return -x;
}

static double logits_entropy_inside(double x, double t, double y)
{
    return 8 * (fabs(y) + fabs(x) * (1 + fabs(t)) + 1);
}

static double kl_term(double x, double t, double log_target)
{
    if (log_target != 0)
        return exp(t) * (t - x);
    return t > 0 ? t * (log(t) - x) : 0;
}

static double divergence_slope(double x, double t, double log_target)
{
    (void)x;
    return log_target != 0 ? -exp(t) : -t;
}

static double divergence_by_target(double x, double t, double log_target)
{
    if (log_target != 0)
        return exp(t) * (t - x + 1);
    return t > 0 ? log(t) + 1 - x : NAN;
}

static double divergence_inside(double x, double t, double y)
{
    return 8 * (fabs(y) + fabs(t * x) + fabs(t) + (t > 0 ? fabs(t * log(t)) : fabs(t)));
}

static const struct pair_loss
    mse = {"(x - t)²", "2 g (x - t) / n", squared_error, squared_slope, NULL, four_y, NULL, -1, 4, 0},
    l1 = {"|x - t|", "g sign(x - t) / n", absolute_error, distance_slope, NULL, four_y, NULL, -1, 4, 0},
    smooth_l1 = {"smooth |x - t|", "g smooth'(x - t) / n", smooth_l1_term, smooth_slope, NULL, bounded_inside, "beta",
                 5, 4, 1},
    huber_of = {"huber(x - t)", "g huber'(x - t) / n", huber_term, huber_slope, NULL, bounded_inside, "delta", 3, 2, 1},
    bce = {"-t log x - (1 - t) log(1 - x)",
           "g (x - t) / (x (1 - x)) / n",
           binary_entropy,
           binary_entropy_slope,
           binary_entropy_by_target,
           binary_entropy_inside,
           NULL,
           -1,
           5,
           0},
    bce_logits = {"max(x, 0) - x t + log(1 + exp(-|x|))",
                  "g (sigmoid(x) - t) / n",
                  logits_entropy,
                  logits_entropy_slope,
                  logits_entropy_by_target,
                  logits_entropy_inside,
                  NULL,
                  -1,
                  5,
                  0},
    kl_div_of = {"t (log t - x)",
                 "-g t / n",
                 kl_term,
                 divergence_slope,
                 divergence_by_target,
                 divergence_inside,
                 "log_target",
                 5,
                 4,
                 0};

struct pair {
    struct real_tensor x, t;
    enum reduction reduction;
    double p;
};

static bool pair_of(struct call_values *c, const struct pair_loss *f, struct pair *pair)
{
    const struct real_tensor *x = call_tensor_at(c, 0, "input logits"),
                             *t = call_tensor_at(c, 1, "target labels label");
    struct real_tensor shape;
    pair->reduction = reduction_of(c, c->mindspore ? -1 : f->reduction_place);
    pair->p = f->argument ? call_number(c, c->mindspore ? -1 : f->argument_place, f->argument, f->left_out) : 0;
    if (!x || !t || !real_broadcast_shape(x, t, &shape) || !shape.count || shape.count > x->count + t->count)
        call_unknown(c, x && t ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    bool placed = c->mindspore && f->argument && c->places > 2 && c->place[2].kind == VALUE_NUMBER;
    if (pair->reduction == REDUCE_OTHER || placed ||
        call_tensor_at(c, f == &bce || f == &bce_logits ? 2 : -1, "weight") || call_value(c, -1, "pos_weight"))
        call_unknown(c, UNKNOWN_VARIANT);
    if (c->unknown)
        return false;
    pair->x = real_broadcast(c, x, shape.axes, shape.shape);
    pair->t = real_broadcast(c, t, shape.axes, shape.shape);
    return true;
}

/* The divisor of the sum. */
static double divisor_of(const struct pair *pair)
{
    if (pair->reduction == REDUCE_BATCH)
        return pair->x.axes ? (double)pair->x.shape[0] : 1;
    return pair->reduction == REDUCE_MEAN ? (double)pair->x.count : 1;
}

static void pair_each(struct call_values *c, const struct pair_loss *f, const struct pair *pair)
{
    struct room r = room_for(c, 0, &pair->x, f->formula);
    for (int64_t i = 0; i < pair->x.count; i++) {
        r.y[i] = f->value(pair->x.v[i], pair->t.v[i], pair->p);
        r.roundings[i] = 3 * fabs(r.y[i]);
        r.inside[i] = f->inside(pair->x.v[i], pair->t.v[i], r.y[i]);
    }
}

static void pair_joined(struct call_values *c, const struct pair_loss *f, const struct pair *pair)
{
    struct real_tensor one = {.count = 1};
    struct room r = room_for(
        c, 0, &one, arena_fmt(c->arena, pair->reduction == REDUCE_SUM ? "sum of %s" : "mean of %s", f->formula));
    double by = divisor_of(pair), squares = 0, size = 0, root = 2 * sqrt((double)pair->x.count);
    for (int64_t i = 0; i < pair->x.count; i++) {
        double y = f->value(pair->x.v[i], pair->t.v[i], pair->p);
        r.y[0] += y;
        size += fabs(y);
        squares += y * y;
        r.inside[0] += f->inside(pair->x.v[i], pair->t.v[i], y);
    }
    r.inside[0] = (r.inside[0] + root * (sqrt(squares) + size)) / by;
    r.roundings[0] = 3 * size / by;
    r.y[0] /= by;
}

/* Candidates for each possible reduction. */
static void pair_forward(struct call_values *c, const struct pair_loss *f)
{
    struct pair pair;
    if (!pair_of(c, f, &pair))
        return;
    int kinds = reductions_to_try(c, pair.reduction, pair.x.count);
    for (pair.reduction = REDUCE_MEAN; pair.reduction <= REDUCE_BATCH; pair.reduction++) {
        if (!(kinds >> pair.reduction & 1))
            continue;
        if (pair.reduction == REDUCE_NONE)
            pair_each(c, f, &pair);
        else
            pair_joined(c, f, &pair);
    }
}

/* The gradient with respect to the prediction or the target. */
static void pair_slope(struct call_values *c, const struct pair_loss *f, const struct pair *pair, bool target)
{
    const struct real_tensor *g = &c->gradient[0];
    bool each = pair->reduction == REDUCE_NONE;
    struct room r = room_for(c, ANY_OUTPUT, &pair->x, f->slope_formula);
    for (int64_t i = 0; i < pair->x.count; i++) {
        double by = g->v[each ? i : 0] / divisor_of(pair), x = pair->x.v[i], t = pair->t.v[i];
        double slope = !target           ? f->slope(x, t, pair->p)
                       : f->target_slope ? f->target_slope(x, t, pair->p)
                                         : -f->slope(x, t, pair->p);
        r.y[i] = by * slope;
        r.roundings[i] = 4 * fabs(r.y[i]);
        r.inside[i] = 8 * fabs(r.y[i]) + fabs(by) * 4;
    }
}

static void pair_backward(struct call_values *c, const struct pair_loss *f)
{
    struct pair pair;
    if (!pair_of(c, f, &pair))
        return;
    int kinds = reductions_to_try(c, pair.reduction, pair.x.count);
    for (pair.reduction = REDUCE_MEAN; pair.reduction <= REDUCE_BATCH; pair.reduction++) {
        if (!(kinds >> pair.reduction & 1))
            continue;
        if (c->gradient[0].count != (pair.reduction == REDUCE_NONE ? pair.x.count : 1))
            return call_unknown(c, UNKNOWN_SHAPE);
        pair_slope(c, f, &pair, false);
        pair_slope(c, f, &pair, true);
    }
}

#define PAIR(name, function)                           \
    static void name##_forward(struct call_values *c)  \
    {                                                  \
        pair_forward(c, &function);                    \
    }                                                  \
    static void name##_backward(struct call_values *c) \
    {                                                  \
        pair_backward(c, &function);                   \
    }

PAIR(mse_loss, mse)
PAIR(l1_loss, l1)
PAIR(smooth_l1_loss, smooth_l1)
PAIR(huber_loss, huber_of)
PAIR(binary_cross_entropy, bce)
PAIR(binary_cross_entropy_with_logits, bce_logits)
PAIR(kl_div, kl_div_of)


const struct operator operators_loss[] = {
    {.names = "cross_entropy cross_entropy_ext sparsesoftmaxcrossentropywithlogits",
     .forward = cross_entropy,
     .backward = cross_entropy_backward,
     .source = "torch.nn.functional.cross_entropy"},
    {.names = "nll_loss nllloss",
     .forward = nll_loss,
     .backward = nll_loss_backward,
     .source = "torch.nn.functional.nll_loss"},
    {.names = "softmaxcrossentropywithlogits",
     .forward = softmax_with_logits,
     .source = "mindspore.ops.SoftmaxCrossEntropyWithLogits"},
    OPERATOR_BY_NAME("mse_loss mselossext", mse_loss, "torch.nn.functional.mse_loss"),
    OPERATOR_BY_NAME("l1_loss l1lossext", l1_loss, "torch.nn.functional.l1_loss"),
    OPERATOR_BY_NAME("smooth_l1_loss smoothl1loss", smooth_l1_loss, "torch.nn.functional.smooth_l1_loss"),
    OPERATOR_BY_NAME("huber_loss", huber_loss, "torch.nn.functional.huber_loss"),
    OPERATOR_BY_NAME("binary_cross_entropy binarycrossentropy", binary_cross_entropy,
                     "torch.nn.functional.binary_cross_entropy"),
    OPERATOR_BY_NAME("binary_cross_entropy_with_logits bcewithlogitsloss", binary_cross_entropy_with_logits,
        "torch.nn.functional.binary_cross_entropy_with_logits"),
    OPERATOR_BY_NAME("kl_div kldiv", kl_div, "torch.nn.functional.kl_div"),
    {.names = NULL},
};

const struct operator operators_loss_class[] = {
    OPERATOR_BY_NAME("mseloss", mse_loss, "torch.nn.MSELoss"),
    OPERATOR_BY_NAME("l1loss", l1_loss, "torch.nn.L1Loss"),
    {.names = "crossentropyloss",
     .forward = cross_entropy,
     .backward = cross_entropy_backward,
     .source = "torch.nn.CrossEntropyLoss"},
    {.names = NULL},
};
