/* Warnings and next steps shown with the figures: one function per sentence, in the order they are shown. */
#include "curves/curves.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "config/settings_layout.h"

#define FLAT 50 /* records in a row that print one loss */

struct words {
    struct curves *c;
    const struct thresholds_curves *t;
};

static const char *curve_run_name(struct words *x, size_t run)
{
    return run == 0 ? _("target") : run == 1 ? _("golden") : arena_fmt(&x->c->arena, _("golden %zu"), run);
}

#define SAY(x, ...) vec_push(&(x)->c->warnings, arena_fmt(&(x)->c->arena, __VA_ARGS__))
#define NEXT(x, ...) vec_push(&(x)->c->next, arena_fmt(&(x)->c->arena, __VA_ARGS__))

/* ---- what may mislead ---- */

/* Above this share of the loss a benchmark is unsteady: the standard's 1 % is then a tenth of its own noise. */
#define UNSTEADY 0.1

static void note_unsteady_benchmark(struct words *x)
{
    char n[NUM_MAX];
    if (x->c->scatter > UNSTEADY)
        SAY(x, _("the golden loss goes up and down by %s %% from step to step: an unsteady benchmark; choose weights, "
                 "data and settings whose loss falls steadily"),
            num_cell(n, 100 * x->c->scatter, 2));
}

static void how_joined(struct words *x)
{
    const struct curves *c = x->c;
    char n[NUM_MAX], m[NUM_MAX];
    const struct series *t = &c->run[0], *g = &c->run[1];
    if (c->join == JOIN_EPOCH)
        SAY(x, _("one log has no step numbers: records are joined by epoch"));
    else if (c->join == JOIN_ORDER)
        SAY(x, _("one log has neither steps nor epochs: records are joined in the order printed"));
    if (!t->records.n || !g->records.n)
        SAY(x, _("the logs contain statistics of tensors, but no loss on %s: the criteria need the losses"),
            !t->records.n && !g->records.n ? _("either side") : curve_run_name(x, t->records.n ? 1 : 0));
    else if (!c->points.n)
        SAY(x, _("no common step: target steps %lld to %lld, golden steps %lld to %lld"),
            (long long)t->records.v[0].step, (long long)vec_last(&t->records)->step, (long long)g->records.v[0].step,
            (long long)vec_last(&g->records)->step);
    for (size_t k = 0; k < 2 && c->points.n; k++) {
        size_t all = c->run[k].records.n;
        if (all > c->points.n)
            SAY(x, _("%s: %s of its %s steps are missing in the other log"), curve_run_name(x, k),
                num_count(n, all - c->points.n), num_count(m, all));
    }
    if (!curves_of_one_step(t, g)) {
        size_t k = !(t->loss_is_mean && t->interval > 1) || (g->loss_is_mean && g->interval > t->interval);
        SAY(x, _("the loss in the %s log is the mean of %lld steps, in the other log the value of one step or of "
                 "others: not compared; print every step on both sides"),
            curve_run_name(x, k), (long long)c->run[k].interval);
    }
}

static void note_batch_sizes(struct words *x)
{
    int64_t t = curves_batch(x->c, 0), g = curves_batch(x->c, 1);
    if (t > 0 && g > 0 && t != g)
        SAY(x, _("the global batch sizes differ: %lld samples per step on the target, %lld on the golden side"),
            (long long)t, (long long)g);
}

static void what_is_usable(struct words *x)
{
    const struct curves *c = x->c;
    char n[NUM_MAX];
    if (c->points.n && !c->usable.n)
        SAY(x, _("no joined step has a finite loss on both sides"));
    if (c->usable.n && c->points.v[c->usable.v[0]].step != 1)
        SAY(x, _("the first step with a loss on both sides is %lld, not 1: \"first loss\" refers to that step"),
            (long long)c->points.v[c->usable.v[0]].step);
    size_t skipped = 0;
    for (size_t i = 0; i < c->points.n; i++)
        skipped += curve_skipped(curve_record(c, i, 1));
    if (skipped)
        SAY(x, _("joined steps skipped by the golden run (overflow), not counted: %s"), num_count(n, skipped));
    if (c->points.n && !c->norms)
        SAY(x, _("the global norm is not compared: not printed on one side"));
}

static void note_non_finite_values(struct words *x)
{
    const struct curves *c = x->c;
    char n[NUM_MAX];
    for (size_t run = 0; run < c->runs; run++)
        for (int s = 0; s < 2; s++) {
            size_t count = 0;
            int64_t first = -1;
            for (size_t i = 0; i < c->nonfinite.n; i++) {
                const struct outlier_step *m = &c->nonfinite.v[i];
                if (m->run != run || m->series != s)
                    continue;
                first = count++ ? first : m->step;
            }
            if (count)
                SAY(x, s == CURVE_LOSS ? _("%s: losses that are NaN or infinite: %s, the first at step %lld")
                                       : _("%s: global norms that are NaN or infinite: %s, the first at step %lld"),
                    curve_run_name(x, run), num_count(n, count), (long long)first);
        }
}

/* A value rounded to `digit` has an error of up to half of it, which is too much if that is a twentieth of a limit. */
static bool is_digit_coarse(double digit, double limit)
{
    return digit >= limit / 10 * (1 - 1e-9);
}

static double mean_norm(const struct curves *c)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < c->run[1].records.n; i++) {
        const struct log_record *r = &c->run[1].records.v[i];
        if (log_has(r, LOG_NORM) && isfinite(r->value[LOG_NORM])) {
            sum += r->value[LOG_NORM];
            n++;
        }
    }
    return n ? sum / (double)n : 0;
}

static void note_loss_resolution(struct words *x)
{
    const struct curves *c = x->c;
    char a[NUM_MAX], b[NUM_MAX], d[NUM_MAX];
    for (size_t k = 0; k < 2; k++) {
        double loss = c->run[k].digit[LOG_LOSS], norm = c->run[k].digit[LOG_NORM], mean = mean_norm(c);
        bool first = is_digit_coarse(loss, x->t->first_loss_abs), avg = is_digit_coarse(loss, x->t->mean_loss_abs);
        if (first || avg)
            SAY(x,
                _("%s: the loss is printed to %s (error up to %s): too coarse for the limit %s of the %s; event files "
                  "(--from tensorboard) contain all digits"),
                curve_run_name(x, k), num_cell(a, loss, 3), num_cell(b, loss / 2, 3),
                num_cell(d, avg ? x->t->mean_loss_abs : x->t->first_loss_abs, 3),
                avg ? _("mean loss and the first loss") : _("first loss"));
        if (mean > 0 && norm > 0 && is_digit_coarse(norm / mean, x->t->global_norm_rel))
            SAY(x, _("%s: the global norm is printed to %s at values of about %s: too coarse for the limit %s"),
                curve_run_name(x, k), num_cell(a, norm, 3), num_cell(b, mean, 2),
                num_cell(d, x->t->global_norm_rel, 3));
    }
}

/* The longest stretch of one printed loss. */
static void note_flat_losses(struct words *x)
{
    char n[NUM_MAX], v[NUM_MAX];
    for (size_t k = 0; k < x->c->runs; k++) {
        const struct series *s = &x->c->run[k];
        size_t best = 0, from = 0, run = 0;
        double last = NAN;
        for (size_t i = 0; i < s->records.n; i++) {
            const struct log_record *r = &s->records.v[i];
            if (!log_has(r, LOG_LOSS))
                continue;
            run = r->value[LOG_LOSS] == last ? run + 1 : 1;
            last = r->value[LOG_LOSS];
            if (run > best) {
                best = run;
                from = i + 1 >= run ? i + 1 - run : 0;
            }
        }
        if (best >= FLAT)
            SAY(x,
                _("%s: the loss stays at %s for %s steps from step %lld on: the model does not learn, or the log has "
                  "repeated lines"),
                curve_run_name(x, k), num_exact(v, s->records.v[from].value[LOG_LOSS]), num_count(n, best),
                (long long)s->records.v[from].step);
    }
}

static void note_learning_rates(struct words *x)
{
    const struct curves *c = x->c;
    char a[NUM_MAX];
    bool zero = c->lr.there;
    for (size_t i = 0; i < c->points.n && zero; i++)
        for (int s = 0; s < 2; s++) {
            const struct log_record *r = curve_record(c, i, s);
            zero = zero && (!log_has(r, LOG_LR) || r->value[LOG_LR] == 0);
        }
    if (c->lr.there && !c->lr.equal)
        SAY(x, _("the learning rates differ by up to %s of the golden value, first at step %lld"),
            num_cell(a, c->lr.max_rel, 3), (long long)c->lr.first);
    if (!c->lr.there && c->points.n)
        SAY(x, _("the learning rates are not compared: not printed for the same steps in both logs"));
    if (zero)
        SAY(x, _("the learning rate is always 0: the weights are frozen, every step depends on forward and backward "
                 "only (in a correct pair, the loss differs by about 0.001 and the global norm by about 0.05 at "
                 "most)"));
}

static void note_auxiliary_losses(struct words *x)
{
    for (size_t k = 0; k < 2; k++) {
        const struct series *s = &x->c->run[k];
        for (size_t i = 0; i < s->names.n; i++)
            if (strcmp(s->names.v[i].tag, "loss") == 0 && str_has(str_of(s->names.v[i].name), "load_balancing")) {
                SAY(x, _("%s: the log has an auxiliary loss (%s); the loss of MindFormers includes it, the \"lm loss\" "
                         "of Megatron does not"), curve_run_name(x, k), s->names.v[i].name);
                break;
            }
    }
}

static void note_spikes(struct words *x)
{
    const struct curves *c = x->c;
    char n[NUM_MAX];
    size_t count[2] = {0, 0};
    int64_t first[2] = {-1, -1};
    for (size_t i = 0; i < c->spikes.n; i++) {
        uint8_t s = c->spikes.v[i].series;
        first[s] = count[s]++ ? first[s] : c->spikes.v[i].step;
    }
    if (count[CURVE_LOSS])
        SAY(x, _("outlier steps of the loss difference: %s, the first %lld; the standard uses averages and is hardly "
                 "affected"),
            num_count(n, count[CURVE_LOSS]), (long long)first[CURVE_LOSS]);
    if (count[CURVE_NORM])
        SAY(x, _("outlier steps of the global norm ratio: %s, the first %lld"), num_count(n, count[CURVE_NORM]),
            (long long)first[CURVE_NORM]);
}

static void note_biased_losses(struct words *x)
{
    const struct curves *c = x->c;
    char a[NUM_MAX], b[NUM_MAX];
    if (c->around_zero == 0 && c->mean_loss == STAGE_PASS)
        SAY(x, _("within the limit of the mean, but biased: mean difference %s, trend %s per 1,000 steps"),
            num_cell(a, c->trend.mean, 3), num_cell(b, c->trend.slope, 3));
}

static void note_widened_limits(struct words *x)
{
    const struct curves *c = x->c;
    char a[NUM_MAX];
    for (int l = 0; l < CURVE_LIMITS; l++)
        if (c->limit[l].widened > 0)
            SAY(x, _("the golden runs differ by %2$s, more than the limit %1$s; the limit is widened accordingly"),
                curve_limit_name((enum curve_limit)l), num_cell(a, c->limit[l].widened, 3));
    if (c->band.runs > 1 && c->band.spread[CURVE_MEAN_ABS] > 10 * x->t->mean_loss_abs)
        SAY(x, _("the golden runs differ by %s: almost nothing can fail; check that they use the same configuration"),
            num_cell(a, c->band.spread[CURVE_MEAN_ABS], 3));
    if (c->band.runs > 1 && !c->band.steps)
        SAY(x, _("the golden runs have no common usable step: no noise band"));
}

void curve_notes_unread(struct curves *c)
{
    struct words x = {c, NULL};
    for (size_t k = 0; k < c->runs; k++)
        for (size_t i = 0; i < c->run[k].unread.n; i++)
            vec_push(&c->unread, arena_fmt(&c->arena, "%s: %s", curve_run_name(&x, k), c->run[k].unread.v[i].text));
}

static void add_curve_reader_notes(struct words *x)
{
    for (size_t k = 0; k < x->c->runs; k++)
        for (size_t i = 0; i < x->c->run[k].notes.n; i++)
            SAY(x, "%s: %s", curve_run_name(x, k), x->c->run[k].notes.v[i]);
}

/* ---- where to look ---- */

static void short_run(struct words *x)
{
    char n[NUM_MAX], m[NUM_MAX];
    bool sparse = x->c->run[0].interval > 1 || x->c->run[1].interval > 1;
    if (!x->c->run[0].records.n || !x->c->run[1].records.n)
        return;
    if (x->c->limit[CURVE_STEPS].verdict != STAGE_PASS && sparse)
        NEXT(x, _("print every step or train longer until %s steps are joined (now %s), or for %d hours; shorter runs "
                  "are not accepted"), num_count(n, (unsigned long long)x->t->steps),
             num_count(m, x->c->points.n), CURVE_HOURS);
    else if (x->c->limit[CURVE_STEPS].verdict != STAGE_PASS)
        NEXT(x, _("train for at least %s steps (%s are joined) or %d hours; shorter runs are not accepted"),
             num_count(n, (unsigned long long)x->t->steps), num_count(m, x->c->points.n), CURVE_HOURS);
}

static void next_nonfinite(struct words *x)
{
    for (size_t i = 0; i < x->c->nonfinite.n; i++)
        if (x->c->nonfinite.v[i].run == 0) {
            NEXT(x, _("NaN or infinity in the target at step %lld: check overflow and the loss scale before it, and "
                      "dump that step (diverge check DUMP finds the first such row)"),
                 (long long)x->c->nonfinite.v[i].step);
            return;
        }
}

/* A loss after updates does not show the forward pass alone. */
static void next_beginning(struct words *x)
{
    const struct curves *c = x->c;
    char n[NUM_MAX], m[NUM_MAX];
    long long step = (long long)c->points.v[c->usable.v[0]].step;
    if (c->updates[0] != c->updates[1])
        NEXT(x, _("%s updates on the target before step %lld, %s on the golden side: skipped steps (overflow) make the "
                  "weights differ. Start both with the same loss scale (MindFormers: loss_scale_value, Megatron: "
                  "--initial-loss-scale), then compare the first loss"),
             num_count(n, c->updates[0]), step, num_count(m, c->updates[1]));
    else
        NEXT(x, _("the first common loss is that of step %lld, after updates: print every step from the first on "
                  "(MindFormers: per_print_times 1, Megatron: --log-interval 1) to test the forward pass alone"),
             step);
}

/* The parts of a reduction, as settings count them. */
static const struct {
    const char *entry, *text;
} reduced_over[] = {
    {"micro_batch_num", N_("micro-batches (gradient accumulation)")},
    {"data_parallel", N_("data-parallel ranks")},
    {"context_parallel", N_("context-parallel ranks")},
    {"model_parallel", N_("tensor-parallel ranks")},
};
#define REDUCED_OVER ARRAY_LEN(reduced_over)

/* Says which number of parts the factor is in these settings, or which product of two of them. */
static void say_parts(struct buf *b, const struct settings *s, double whole, const char *whose)
{
    int n[REDUCED_OVER];
    size_t before = b->n;
    for (size_t i = 0; i < REDUCED_OVER; i++) {
        n[i] = settings_degree(s, reduced_over[i].entry);
        if (n[i] > 1 && fabs(whole / n[i] - 1) < 0.01)
            buf_fmt(b, _("; %d is the number of %s of the %s side"), n[i], _(reduced_over[i].text), whose);
    }
    for (size_t i = 0; i < REDUCED_OVER && b->n == before; i++)
        for (size_t k = i + 1; k < REDUCED_OVER; k++)
            if (n[i] > 1 && n[k] > 1 && fabs(whole / n[i] / n[k] - 1) < 0.01)
                buf_fmt(b, _("; %d × %d are the %s and %s of the %s side"), n[i], n[k], _(reduced_over[i].text),
                        _(reduced_over[k].text), whose);
}

/* A number that the settings give, or those printed in the logs, and which the factor or its reciprocal is; "" if none
 * is. */
static const char *known_factor(struct words *x, double factor)
{
    double whole = factor >= 1 ? factor : 1 / factor;
    struct buf b = {0};
    for (size_t k = 0; k < 2; k++) {
        const char *path[] = {x->c->settings[k], x->c->run[k].path};
        for (size_t i = 0, before = b.n; i < ARRAY_LEN(path) && b.n == before; i++) {
            struct settings s = {0};
            struct err e = {0};
            if (path[i] && settings_open(&s, path[i], &e) == 0)
                say_parts(&b, &s, whole, curve_run_name(x, k));
            settings_release(&s);
        }
    }
    const char *text = b.n ? arena_fmt(&x->c->arena, "%s", b.p) : "";
    buf_release(&b);
    return text;
}

static void next_factor(struct words *x)
{
    const struct curves *c = x->c;
    double loss = c->factor[CURVE_LOSS].factor, norm = c->factor[CURVE_NORM].factor;
    double f = loss != 0 ? loss : norm;
    char n[NUM_MAX];
    if (f == 0)
        return;
    num_factor(n, f);
    bool common = fabs(f - round(f)) < 0.01 * f || fabs(1 / f - round(1 / f)) < 0.01 / f;
    if (loss != 0)
        NEXT(x, common ? _("a constant factor %s is no error of the calculation: one side sums where the other "
                           "averages. Check how the loss is reduced over micro-batches (gradient accumulation), "
                           "data-, context- and tensor-parallel ranks%s")
                       : _("a constant factor %s is no error of the calculation: the sides average over different "
                           "numbers of tokens. Check whether padding and masked tokens count, and the reduction over "
                           "ranks%s"),
             n, known_factor(x, f));
    else if (c->first_loss != STAGE_FAIL)
        NEXT(x, common ? _("a constant factor %s of the global norm with equal losses: gradients are summed rather "
                           "than averaged (micro-batches, ranks), scaled by a loss scale, or clipped before they are "
                           "printed%s")
                       : _("a constant factor %s of the global norm with equal losses: gradients are averaged over "
                           "different numbers of tokens, some are left out of the norm or counted twice, or clipped "
                           "before they are printed%s"),
             n, known_factor(x, f));
}

static void next_shift(struct words *x)
{
    if (x->c->shift.steps)
        NEXT(x, _("the same losses at other steps: the calculation may agree. Check which batch each side takes first "
                  "(data skipped after a restart, a batch used to build the graph) and whether a loss is printed "
                  "before or after the update; then compare the same steps"));
}

static void next_rates(struct words *x)
{
    if (x->c->lr.there && !x->c->lr.equal)
        NEXT(x, _("the learning rates differ, first at step %lld: the standard compares runs of the same "
                  "hyper-parameters. Make them equal and train again before anything is accepted"),
             (long long)x->c->lr.first);
}

static void next_auxiliary(struct words *x)
{
    for (size_t i = 0; i < x->c->auxiliary.n; i++)
        if (x->c->auxiliary.v[i].verdict == STAGE_FAIL)
            NEXT(x, _("%s differs: check its coefficient, how it is averaged over layers, micro-batches and ranks, and "
                      "the router (diverge compare)"), x->c->auxiliary.v[i].name[0]);
}

/* The guide's three cases: a run that goes away, one that ends up elsewhere, and a small rest. */
static void next_departure(struct words *x)
{
    const struct curve_departure *d = &x->c->departure;
    long long step = (long long)curve_departure_step(x->c);
    if (d->kind == DEPARTURE_GROWING)
        NEXT(x, _("the losses diverge from about step %lld on: check the data near it (decode the tokens; skip the "
                  "batch), overflow and local norms, and dump that step on both sides; then learning rates, weight "
                  "decay and which weights decay (diverge optimizer)"), step);
    else if (d->late)
        NEXT(x, _("a late, stable difference: check the optimizer's settings (type, learning rates, weight decay and "
                  "which weights decay: diverge config, diverge optimizer), then mixed precision with a dump of a "
                  "step after %lld"), step);
    else
        NEXT(x, _("a stable difference: compare the types both sides compute in (diverge compare lists them), and "
                  "which weights decay: bias and one-dimensional weights do not by default in MindFormers"));
    if (d->rel < 0.01)
        NEXT(x, "%s", _("the difference is below 1 percent at the end: decide by evaluating downstream tasks with both "
                        "weights"));
}

static void advise_by_losses(struct words *x)
{
    const struct curves *c = x->c;
    if (c->factor[CURVE_LOSS].factor != 0 || c->shift.steps)
        return;
    if (c->first_loss == STAGE_FAIL && !c->forward_only)
        next_beginning(x);
    else if (c->first_loss == STAGE_FAIL)
        NEXT(x, _("the first loss differs, so the forward pass differs. Compare inputs and weights (diverge weights), "
                  "then dump step 1 of both sides (diverge compare)"));
    else if (c->apart_at >= 0 && c->mean_loss == STAGE_FAIL)
        NEXT(
            x,
            c->usable.n > 1 && c->apart_at == c->points.v[c->usable.v[1]].step
                ? _("step 1 agrees, step %lld does not: backward or optimizer. Compare the local norms (diverge "
                    "norms), then eps, learning rate and weight decay (diverge optimizer)")
                : _("the first steps agree, step %lld does not: check the optimizer's betas (diverge optimizer)"),
            (long long)c->apart_at);
    else if (c->departure.kind != DEPARTURE_NONE)
        next_departure(x);
    else if (c->mean_loss == STAGE_FAIL)
        NEXT(x, _("the mean loss differs, but no step where it starts can be identified: check settings (diverge "
                  "config), then mixed precision with a dump"));
}

static void advise_by_global_norm(struct words *x)
{
    if (x->c->global_norm == STAGE_FAIL && x->c->first_loss != STAGE_FAIL && x->c->factor[CURVE_NORM].factor == 0)
        NEXT(x, _("the global norm differs: compare the local norm of each weight at step 1 (diverge norms)"));
}

static void next_spike(struct words *x)
{
    const struct curves *c = x->c;
    const struct outlier_step *best = NULL;
    double most = 0;
    if (c->departure.kind != DEPARTURE_NONE || c->first_loss == STAGE_FAIL)
        return;
    for (size_t i = 0; i < c->usable.n; i++)
        most = fmax(most, fabs(c->diff.v[i]));
    for (size_t i = 0, k = 0; i < c->spikes.n; i++) {
        if (c->spikes.v[i].series != CURVE_LOSS)
            continue;
        while (k < c->usable.n && c->points.v[c->usable.v[k]].step < c->spikes.v[i].step)
            k++;
        if (k < c->usable.n && fabs(c->diff.v[k]) >= most)
            best = &c->spikes.v[i];
    }
    if (best)
        NEXT(x, best->run == 0
                    ? _("outlier on the target side at step %lld: check its data, overflow and the local norms of the "
                        "steps around it; dump it on both sides")
                    : _("outlier on the golden side at step %lld: check its data, overflow and the local norms of the "
                        "steps around it; dump it on both sides"),
             (long long)best->step);
}

static void next_accepted(struct words *x)
{
    const struct curves *c = x->c;
    if (c->verdict != STAGE_PASS || c->spikes.n) /* outliers are to be looked at first */
        return;
    if (c->departure.kind == DEPARTURE_GROWING || c->apart_at >= 0)
        return;
    if (curves_one_sided(c))
        NEXT(x, _("the averages meet the standard, but the difference stays on one side of zero: not yet reasonable by "
                  "the guide. Usual causes are learning rate, weight decay and its exclusions, and precision"));
    else if (c->around_zero == 0)
        NEXT(x, c->band.runs > 1 ? _("accepted by the standard, but the difference is biased: usual causes are "
                                     "learning rate, weight decay and its exclusions")
                                 : _("accepted by the standard; a second golden run (GOLDEN2) shows whether golden "
                                     "runs differ from each other in the same way"));
    else
        NEXT(x, _("accepted: continue with the next scale (more cards, one feature at a time)"));
}

void curve_notes_write(struct curves *c, const struct thresholds_curves *t)
{
    static void (*const sentences[])(struct words *) = {
        note_non_finite_values, how_joined, note_batch_sizes, what_is_usable, note_loss_resolution, note_flat_losses,
        note_learning_rates, note_auxiliary_losses, note_spikes, note_biased_losses, note_widened_limits,
        note_unsteady_benchmark, add_curve_reader_notes, next_nonfinite, next_factor, next_shift, next_rates,
        advise_by_losses, advise_by_global_norm, next_auxiliary, next_spike, short_run, next_accepted,
    };
    struct words x = {c, t};
    for (size_t i = 0; i < ARRAY_LEN(sentences); i++)
        sentences[i](&x);
}
