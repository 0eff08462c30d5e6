/* Operators that are products: linear, matmul and related ones, einsum of two operands, grouped matmul; with their
 * gradients. */
#include <string.h>

#include "oracle/gradients.h"
#include "oracle/operators.h"
#include "oracle/sizes.h"

/* ---- shapes ---- */

/* t as a matrix of rows along its last axis. */
static struct real_tensor as_matrix(const struct real_tensor *t)
{
    struct real_tensor m = *t;
    int64_t last = t->axes ? t->shape[t->axes - 1] : 1;
    m.axes = 2;
    m.shape[0] = last ? t->count / last : 0;
    m.shape[1] = last;
    return m;
}

/* The number of elements of the product. */
static int64_t product_count(const struct candidate *y)
{
    return y->product->batches * y->product->rows * y->product->columns;
}

/* The incoming gradient in the product's shape, with axes from the recorded result. */
static struct real_tensor product_incoming(struct call_values *c)
{
    return gradient_as(c, &c->result[0]);
}

/* ---- linear ---- */

/* Adds the bias along the last axis of the output. */
static void add_bias(struct product *p, const struct real_tensor *bias)
{
    p->added = true;
    p->addend_factor = 1;
    p->addend = (struct matrix){.v = bias->v, .column_step = 1};
}

static void linear_of(struct call_values *c, const struct real_tensor *x, const struct real_tensor *w, bool turned,
                      const struct real_tensor *b)
{
    struct candidate *y = product_matmul(c, 0, x, false, w, turned, b ? "x W^T + b" : "x W^T");
    if (!y || (b && b->count != y->product->columns))
        return call_unknown(c, UNKNOWN_SHAPE);
    if (b)
        add_bias(y->product, b);
}

static void compute_linear(struct call_values *c)
{
    const struct real_tensor *x = call_tensor_at(c, 0, "input x"), *w = call_tensor_at(c, 1, "weight"),
                             *b = call_tensor_at(c, 2, "bias");
    if (!x || !w)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    linear_of(c, x, w, true, b);
}

/* PyTorch computes a product with more than two axes as a 2-D product followed by a view, so its hooks see the view's
 * gradient, which is the incoming one. If x is not contiguous, the bias (NULL: none) is added afterwards: hooks then
 * see the two gradients of the addition. */
static void handed_on(struct call_values *c, const struct real_tensor *x, const struct real_tensor *g,
                      const struct real_tensor *bias)
{
    bool viewed = c->outputs == 1, added = bias && c->outputs == 2 && c->output[1].count == bias->count;
    if (!c->mindspore && !c->module && x->axes > 2 && (viewed || added) && c->output[0].count == g->count)
        candidate_moved(c, 0, g, "g");
}

static void linear_slopes(struct call_values *c, const struct real_tensor *x, const struct real_tensor *w,
                          const struct real_tensor *b)
{
    struct real_tensor g = product_incoming(c);
    if (!g.v)
        return;
    struct real_tensor rows = as_matrix(x), slopes = as_matrix(&g);
    if (w->axes != 2 || rows.shape[0] != slopes.shape[0] || slopes.shape[1] != w->shape[0] ||
        rows.shape[1] != w->shape[1] || (b && b->count != w->shape[0]))
        return call_unknown(c, UNKNOWN_SHAPE);
    handed_on(c, x, &g, b);
    product_matmul(c, ANY_OUTPUT, &slopes, false, w, false, "g W");
    product_matmul(c, ANY_OUTPUT, &slopes, true, &rows, false, "g^T x");
    product_matmul(c, ANY_OUTPUT, &rows, true, &slopes, false, "(g^T x)^T");
    if (b)
        gradient_summed(c, &slopes, b, "sum of g");
}

static void linear_backward(struct call_values *c)
{
    const struct real_tensor *x = call_tensor_at(c, 0, "input x"), *w = call_tensor_at(c, 1, "weight"),
                             *b = call_tensor_at(c, 2, "bias");
    if (!x || !w)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    linear_slopes(c, x, w, b);
}

/* ---- matmul ---- */

/* MindSpore's primitives store transpose_a and transpose_b, which are not recorded: all four combinations are tried. */
static int operand_turns(const struct call_values *c, const struct real_tensor *a, const struct real_tensor *b)
{
    return c->mindspore && a->axes > 1 && b->axes > 1 ? 4 : 1;
}

static const struct real_tensor *second_of(const struct call_values *c)
{
    return call_tensor_at(c, 1, "other mat2 tensor2 x2 vec");
}

static void compute_matmul(struct call_values *c)
{
    static const char *const formulas[] = {"a b", "a b^T", "a^T b", "a^T b^T"};
    const struct real_tensor *a = call_tensor_at(c, 0, "input x self x1"), *b = second_of(c);
    if (!a || !b)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    for (int i = 0; i < operand_turns(c, a, b); i++) {
        int before = c->candidates;
        struct candidate *y = product_matmul(c, 0, a, i & 2, b, i & 1, formulas[i]);
        if (y && product_count(y) != c->output[0].count)
            c->candidates = before;
    }
    if (!c->candidates)
        call_unknown(c, UNKNOWN_SHAPE);
}

/* a with its leading axes moved to the end of its rows: shape rows × (leading · last), for products summed over a
 * batch. */
static struct real_tensor leading_last(struct call_values *c, const struct real_tensor *a, bool rows_first)
{
    int order[REAL_AXES], n = a->axes;
    order[0] = rows_first ? n - 2 : n - 1;
    for (int i = 0; i < n - 2; i++)
        order[1 + i] = i;
    order[n - 1] = rows_first ? n - 1 : n - 2;
    struct real_tensor out = real_permuted(c, a, order);
    int64_t rows = out.shape[0];
    out.axes = 2;
    out.shape[0] = rows;
    out.shape[1] = rows ? out.count / rows : 0;
    return out;
}

static bool has_leading_axes(const struct real_tensor *t)
{
    for (int i = 0; i < t->axes - 2; i++)
        if (t->shape[i] != 1)
            return true;
    return false;
}

/* left · right in the shape of `to`, summed over leading axes that `to` does not have. */
static void into_shape(struct call_values *c, const struct real_tensor *left, bool tl, const struct real_tensor *right,
                       bool tr, const struct real_tensor *to, const char *formula)
{
    int before = c->candidates;
    struct candidate *y;
    if (!has_leading_axes(to) && has_leading_axes(left) && has_leading_axes(right)) {
        struct real_tensor l = leading_last(c, left, !tl), r = leading_last(c, right, tr);
        y = l.shape[1] == r.shape[1] ? product_matmul(c, ANY_OUTPUT, &l, false, &r, true, formula) : NULL;
    } else {
        y = product_matmul(c, ANY_OUTPUT, left, tl, right, tr, formula);
    }
    if (y && product_count(y) != to->count)
        c->candidates = before;
}

/* Gradients of y = op(a) op(b), where op is a transposition or nothing. */
static void matmul_slopes(struct call_values *c, const struct real_tensor *a, bool ta, const struct real_tensor *b,
                          bool tb, const struct real_tensor *g)
{
    int64_t rows = a->shape[a->axes - (ta ? 1 : 2)], terms = a->shape[a->axes - (ta ? 2 : 1)];
    int64_t columns = b->shape[b->axes - (tb ? 2 : 1)];
    if (terms != b->shape[b->axes - (tb ? 1 : 2)] || g->axes < 2 || g->shape[g->axes - 2] != rows ||
        g->shape[g->axes - 1] != columns)
        return;
    if (ta)
        into_shape(c, b, tb, g, true, a, "b g^T");
    else
        into_shape(c, g, false, b, !tb, a, "g b^T");
    if (tb)
        into_shape(c, g, true, a, ta, b, "g^T a");
    else
        into_shape(c, a, !ta, g, false, b, "a^T g");
}

static void matmul_backward(struct call_values *c)
{
    const struct real_tensor *a = call_tensor_at(c, 0, "input x self x1"), *b = second_of(c);
    struct real_tensor g = product_incoming(c);
    if (!a || !b || !g.v)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    if (a->axes < 2 || b->axes < 2)
        return call_unknown(c, UNKNOWN_VARIANT);
    handed_on(c, a->axes > b->axes ? a : b, &g, NULL);
    for (int i = 0; i < operand_turns(c, a, b); i++)
        matmul_slopes(c, a, i & 2, b, i & 1, &g);
    if (!c->candidates && c->mindspore)
        call_unknown(c, UNKNOWN_SHAPE);
}

/* ---- addmm, baddbmm ---- */

static void compute_addmm(struct call_values *c)
{
    const struct real_tensor *added = call_tensor_at(c, 0, "input"), *a = call_tensor_at(c, 1, "mat1 batch1"),
                             *b = call_tensor_at(c, 2, "mat2 batch2");
    double beta = call_number(c, 3, "beta", 1);
    if (!added || !a || !b)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    c->first_unread = beta == 0;
    struct candidate *y = product_matmul(c, 0, a, false, b, false, beta == 0 ? "alpha a b" : "beta c + alpha a b");
    if (!y)
        return call_unknown(c, UNKNOWN_SHAPE);
    struct product *p = y->product;
    p->scaled = true;
    p->factor = call_number(c, 4, "alpha", 1);
    if (beta == 0)
        return;
    int64_t shape[3] = {p->batches, p->rows, p->columns};
    int axes = a->axes == 2 ? 2 : 3;
    struct real_tensor spread = real_broadcast(c, added, axes, shape + 3 - axes);
    if (!spread.v)
        return call_unknown(c, UNKNOWN_SHAPE);
    p->added = true;
    p->addend_factor = beta;
    p->addend = (struct matrix){.v = spread.v, .at = p->y.at, .row_step = p->columns, .column_step = 1};
}

static void scaled_product(struct call_values *c, const struct real_tensor *a, bool ta, const struct real_tensor *b,
                           bool tb, double factor, const char *formula)
{
    struct candidate *y = product_matmul(c, ANY_OUTPUT, a, ta, b, tb, formula);
    if (!y)
        return;
    y->product->scaled = true;
    y->product->factor = factor;
}

static void addmm_backward(struct call_values *c)
{
    const struct real_tensor *added = call_tensor_at(c, 0, "input"), *a = call_tensor_at(c, 1, "mat1 batch1"),
                             *b = call_tensor_at(c, 2, "mat2 batch2");
    double beta = call_number(c, 3, "beta", 1), alpha = call_number(c, 4, "alpha", 1);
    struct real_tensor g = product_incoming(c);
    if (!added || !a || !b || !g.v)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    c->first_unread = beta == 0;
    scaled_product(c, &g, false, b, true, alpha, "alpha g b^T");
    scaled_product(c, a, true, &g, false, alpha, "alpha a^T g");
    struct real_tensor part = real_like(c, &g);
    for (int64_t i = 0; i < g.count; i++)
        part.v[i] = beta * g.v[i];
    gradient_summed(c, &part, added, "beta sum of g");
}

/* ---- einsum of two operands ---- */

enum { BATCH, ROWS, COLUMNS, TERMS, KINDS };

/* The letters of one operand or of the output. */
struct subscripts {
    int n;
    char letter[REAL_AXES];
};

static bool subscripts_of(struct str text, struct subscripts *s)
{
    s->n = 0;
    for (size_t i = 0; i < text.n; i++) {
        char letter = text.p[i];
        if (letter == ' ')
            continue;
        if (!((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) || s->n == REAL_AXES)
            return false;
        for (int k = 0; k < s->n; k++)
            if (s->letter[k] == letter)
                return false;
        s->letter[s->n++] = letter;
    }
    return true;
}

static int letter_axis(const struct subscripts *s, char letter)
{
    for (int i = 0; i < s->n; i++)
        if (s->letter[i] == letter)
            return i;
    return -1;
}

struct einsum {
    struct subscripts a, b, out;
    struct subscripts kind[KINDS]; /* letters by kind, in the output's order, then in a's */
};

/* False if the output has a letter that no operand has. */
static bool sort_letters(struct einsum *e)
{
    for (int i = 0; i < e->out.n; i++) {
        char letter = e->out.letter[i];
        bool in_a = letter_axis(&e->a, letter) >= 0, in_b = letter_axis(&e->b, letter) >= 0;
        if (!in_a && !in_b)
            return false;
        struct subscripts *kind = &e->kind[in_a && in_b ? BATCH : in_a ? ROWS : COLUMNS];
        kind->letter[kind->n++] = letter;
    }
    for (int i = 0; i < e->a.n; i++)
        if (letter_axis(&e->out, e->a.letter[i]) < 0)
            e->kind[TERMS].letter[e->kind[TERMS].n++] = e->a.letter[i];
    return true;
}

static bool parse_einsum(struct call_values *c, struct einsum *e)
{
    struct str text = str_of(call_text(c, 0, "equation")), left, out, a, b;
    memset(e, 0, sizeof *e);
    size_t arrow = 0;
    while (arrow + 1 < text.n && !(text.p[arrow] == '-' && text.p[arrow + 1] == '>'))
        arrow++;
    if (arrow + 1 >= text.n)
        return false;
    left = str_n(text.p, arrow);
    out = str_n(text.p + arrow + 2, text.n - arrow - 2);
    str_split(left, ',', &a, &b);
    if (!subscripts_of(a, &e->a) || !subscripts_of(b, &e->b) || !subscripts_of(out, &e->out) || !e->b.n ||
        !sort_letters(e))
        return false;
    for (int i = 0; i < e->kind[TERMS].n; i++)
        if (letter_axis(&e->b, e->kind[TERMS].letter[i]) < 0)
            return false;
    return e->kind[TERMS].n + e->kind[BATCH].n + e->kind[COLUMNS].n == e->b.n;
}

/* t with its axes sorted by the three kinds of letters, as batches × rows × columns. */
static struct real_tensor arranged_operand(struct call_values *c, const struct einsum *e, const struct real_tensor *t,
                                           const struct subscripts *own, const int kinds[3])
{
    int order[REAL_AXES], n = 0;
    int64_t shape[3] = {1, 1, 1};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < e->kind[kinds[k]].n; i++) {
            order[n] = letter_axis(own, e->kind[kinds[k]].letter[i]);
            shape[k] *= t->shape[order[n++]];
        }
    struct real_tensor out = real_permuted(c, t, order);
    out.axes = 3;
    memcpy(out.shape, shape, sizeof shape);
    return out;
}

/* Strides of the output's letters; sizes from both operands. */
static void output_steps(const struct einsum *e, const struct real_tensor *a, const struct real_tensor *b,
                         int64_t *size, int64_t *step)
{
    int64_t at = 1;
    for (int i = e->out.n - 1; i >= 0; i--) {
        int in_a = letter_axis(&e->a, e->out.letter[i]), in_b = letter_axis(&e->b, e->out.letter[i]);
        size[i] = in_a >= 0 ? a->shape[in_a] : b->shape[in_b];
        step[i] = at;
        at *= size[i];
    }
}

/* A single stride for several letters of a kind if they are contiguous in the output; otherwise 0. */
static int64_t joint_step(const struct einsum *e, int kind, const int64_t *size, const int64_t *step)
{
    const struct subscripts *letters = &e->kind[kind];
    for (int i = 0; i + 1 < letters->n; i++) {
        int at = letter_axis(&e->out, letters->letter[i]), next = letter_axis(&e->out, letters->letter[i + 1]);
        if (step[at] != step[next] * size[next])
            return 0;
    }
    return letters->n ? step[letter_axis(&e->out, letters->letter[letters->n - 1])] : 1;
}

/* Offset of each batch in the output. */
static int64_t *batch_starts(struct call_values *c, const struct einsum *e, int64_t batches, const int64_t *size,
                             const int64_t *step)
{
    int64_t *out = arena_alloc(c->arena, (size_t)(batches + 1) * sizeof *out);
    for (int64_t n = 0; n < batches; n++) {
        int64_t rest = n;
        out[n] = 0;
        for (int i = e->kind[BATCH].n - 1; i >= 0; i--) {
            int axis = letter_axis(&e->out, e->kind[BATCH].letter[i]);
            out[n] += rest % size[axis] * step[axis];
            rest /= size[axis];
        }
    }
    return out;
}

static void compute_einsum(struct call_values *c)
{
    struct einsum e;
    const struct real_tensor *a = call_nth_tensor(c, 0), *b = call_nth_tensor(c, 1);
    int64_t size[REAL_AXES], step[REAL_AXES];
    if (!call_text(c, 0, "equation") || !a)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    if (!b || call_nth_tensor(c, 2) || !parse_einsum(c, &e))
        return call_unknown(c, UNKNOWN_VARIANT);
    if (e.a.n != a->axes || e.b.n != b->axes)
        return call_unknown(c, UNKNOWN_SHAPE);
    output_steps(&e, a, b, size, step);
    int64_t row_step = joint_step(&e, ROWS, size, step), column_step = joint_step(&e, COLUMNS, size, step);
    if (!row_step || !column_step)
        return call_unknown(c, UNKNOWN_VARIANT);
    struct real_tensor left = arranged_operand(c, &e, a, &e.a, (const int[]){BATCH, ROWS, TERMS});
    struct real_tensor right = arranged_operand(c, &e, b, &e.b, (const int[]){BATCH, TERMS, COLUMNS});
    struct candidate *y = left.shape[0] == right.shape[0]
                              ? product_matmul(c, 0, &left, false, &right, false, call_text(c, 0, "equation"))
                              : NULL;
    if (!y)
        return call_unknown(c, UNKNOWN_SHAPE);
    y->product->y = (struct matrix){
        .at = batch_starts(c, &e, left.shape[0], size, step), .row_step = row_step, .column_step = column_step};
}

/* ---- grouped matmul: ranges of rows, each with its own matrix ---- */

/* The group of each row, from counts or from ends of groups; false if they do not cover exactly the rows. */
static bool groups_of_rows(const struct real_tensor *list, int64_t rows, int64_t *group)
{
    double sum = 0, last = list->count ? list->v[list->count - 1] : 0;
    for (int64_t i = 0; i < list->count; i++)
        sum += list->v[i];
    if (sum != (double)rows && last != (double)rows)
        return false;
    int64_t row = 0, end = 0;
    for (int64_t i = 0; i < list->count; i++) {
        int64_t n = whole_number(list->v[i]);
        end = sum == (double)rows ? end + n : n;
        if (end < row || end > rows)
            return false;
        while (row < end)
            group[row++] = i;
    }
    return row == rows;
}

/* group_list, given as a tensor or a list; count 0 if absent. */
static struct real_tensor group_list(struct call_values *c)
{
    static const char words[] = "group_list offs batch_sizes";
    const struct value *v = call_value(c, 2, words);
    struct real_tensor list = {.axes = 1};
    if (v && v->kind == VALUE_TENSOR)
        return v->tensor;
    for (int i = 0; v && v->kind == VALUE_LIST && i < v->items; i++)
        list.count += v->item[i].kind == VALUE_NUMBER;
    list.shape[0] = list.count;
    list.v = real_array(c, list.count);
    for (int64_t i = 0; i < list.count; i++)
        list.v[i] = v->item[i].number;
    return list;
}

/* x: rows × terms, weight: groups × terms × columns (or with its last two axes exchanged), group_list. */
static void grouped_matmul(struct call_values *c)
{
    const struct real_tensor *x = call_nth_tensor(c, 0), *w = call_nth_tensor(c, 1);
    struct real_tensor list = group_list(c);
    if (!x || !w || !list.count)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    if (call_value(c, -1, "bias scale offset"))
        return call_unknown(c, UNKNOWN_VARIANT);
    if (x->axes != 2 || w->axes != 3 || list.count != w->shape[0])
        return call_unknown(c, UNKNOWN_SHAPE);
    int64_t rows = x->shape[0], terms = x->shape[1];
    bool turned = w->shape[1] != terms;
    int64_t columns = w->shape[turned ? 1 : 2];
    if (terms < 1 || rows * columns != c->result[0].count || w->shape[turned ? 2 : 1] != terms)
        return call_unknown(c, UNKNOWN_SHAPE);
    int64_t *at = arena_alloc(c->arena, ((size_t)rows + 1) * 3 * sizeof *at);
    if (!groups_of_rows(&list, rows, at))
        return call_unknown(c, UNKNOWN_SHAPE);
    for (int64_t i = 0; i < rows; i++) {
        at[i] *= terms * columns;
        at[rows + i] = i * terms;
        at[2 * rows + i] = i * columns;
    }
    struct product *p = product_new(c);
    *p = (struct product){.batches = rows, .rows = 1, .columns = columns, .terms = terms};
    p->a = (struct matrix){.v = x->v, .at = at + rows, .column_step = 1};
    p->b = (struct matrix){.v = w->v, .at = at, .row_step = turned ? 1 : columns, .column_step = turned ? terms : 1};
    p->y = (struct matrix){.at = at + 2 * rows, .column_step = 1};
    candidate_add(c, 0, "x W[group]")->product = p;
}

/* ---- modules ---- */

static const struct real_tensor *module_weight(const struct call_values *c)
{
    const struct real_tensor *w = call_parameter(c, "weight");
    return c->parameters <= 2 && w && w->axes == 2 ? w : NULL;
}

/* Weights as outputs × inputs, or transposed (GPT-2's Conv1D). A cell may hold an activation that it applies behind the
 * product; none is its default. */
static void linear_module(struct call_values *c)
{
    const struct real_tensor *x = call_nth_tensor(c, 0), *w = module_weight(c), *b = call_parameter(c, "bias");
    if (!x || !w)
        return call_unknown(c, UNKNOWN_CLASS);
    c->stored = c->mindspore;
    int64_t terms = x->axes ? x->shape[x->axes - 1] : 0;
    for (int turned = 1; turned >= 0; turned--)
        if (w->shape[turned] == terms && (!b || b->count == w->shape[!turned]))
            linear_of(c, x, w, turned, b);
    if (!c->candidates)
        call_unknown(c, UNKNOWN_SHAPE);
}

static void linear_module_backward(struct call_values *c)
{
    const struct real_tensor *x = call_nth_tensor(c, 0), *w = module_weight(c);
    if (!x || !w)
        return call_unknown(c, UNKNOWN_CLASS);
    linear_slopes(c, x, w, call_parameter(c, "bias"));
}

/* ---- table ---- */

const struct operator operators_product[] = {
    {"linear dense npu_linear", FORMULA_PRODUCT, .forward = compute_linear, .backward = linear_backward,
     .source = "torch.nn.functional.linear", .misfit = misfit_linear},
    {"matmul bmm mm mv __matmul__ batchmatmul matmulext bmmext batch_mat_mul matmulv2 matmulv3 npu_bmmv2 dot vdot "
     "inner",
     FORMULA_PRODUCT, .forward = compute_matmul, .backward = matmul_backward,
         .source = "torch.matmul; mindspore.ops.MatMul", .misfit = misfit_matmul},
    {"addmm baddbmm", FORMULA_PRODUCT, .forward = compute_addmm, .backward = addmm_backward,
     .source = "torch.addmm; torch.baddbmm"},
    {"einsum", FORMULA_PRODUCT, .forward = compute_einsum, .source = "torch.einsum"},
    {"grouped_matmul npu_grouped_matmul groupedmatmul gmm npu_gmm _grouped_mm grouped_mm", FORMULA_PRODUCT,
     .forward = grouped_matmul, .source = "torch_npu.npu_grouped_matmul"},
    {.names = NULL},
};

const struct operator operators_product_class[] = {
    {"linear dense columnparallellinear rowparallellinear nondynamicallyquantizablelinear", FORMULA_PRODUCT,
     .forward = linear_module, .backward = linear_module_backward, .source = "torch.nn.Linear"},
    {"*linear* *dense* conv1d", FORMULA_PRODUCT, .forward = linear_module,
     .source = "torch.nn.Linear; transformers.pytorch_utils.Conv1D"},
    {.names = NULL},
};
