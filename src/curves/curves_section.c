/* Makes the sections of curves: the standard's points with their limits, the course of the difference, the outlier
 * steps; the first loss. */
#include "curves/curves_section.h"

#include <math.h>

#include "base/digits.h"
#include "base/msg.h"
#include "base/num.h"
#include "log/value_names.h"

#define STRETCHES 12
#define FIRST_STEPS 3

/* ---- the standard's points ---- */

/* "0.0123" or, of relative points, "1.23 %": as the standard writes them. */
static void put_limit_figure(struct buf *b, enum curve_limit l, double v)
{
    char n[NUM_MAX];
    const bool share = l == CURVE_FIRST_REL || l == CURVE_MEAN_REL || l == CURVE_NORM_REL;
    if (isnan(v))
        buf_cstr(b, "–");
    else if (l == CURVE_STEPS)
        buf_cstr(b, num_count(n, (unsigned long long)v));
    else
        buf_fmt(b, "%s%s", num_cell(n, share ? 100 * v : v, 3), share ? " %" : "");
}

/* The measured value; a constant multiple is no error of some percent. */
static void put_measured_value(struct buf *b, const struct curves *c, enum curve_limit l)
{
    char n[NUM_MAX];
    double factor = l == CURVE_NORM_REL                          ? c->factor[CURVE_NORM].factor
                    : l == CURVE_FIRST_REL || l == CURVE_MEAN_REL ? c->factor[CURVE_LOSS].factor
                                                                 : 0;
    if (factor != 0)
        buf_fmt(b, _("%s times golden"), num_factor(n, factor));
    else
        put_limit_figure(b, l, c->limit[l].value);
    if (l == CURVE_STEPS && c->hours >= 1)
        buf_fmt(b, _(" in %s h"), num_cell(n, c->hours, 3));
}

/* Of two points one is enough. */
static void put_standard_points(struct document *d, const struct curves *c)
{
    const struct {
        const char *id, *title, *sign;
        enum stage_verdict verdict;
        enum curve_limit l[2]; /* the same twice: one point alone */
    } rows[] = {
        {"first-loss", _("first loss"), "< ", c->first_loss, {CURVE_FIRST_ABS, CURVE_FIRST_REL}},
        {"mean-loss", _("mean loss"), "< ", c->mean_loss, {CURVE_MEAN_ABS, CURVE_MEAN_REL}},
        {"global-norm", _("global norm"), _("at most "), c->global_norm, {CURVE_NORM_REL, CURVE_NORM_REL}},
        {"steps", _("joined steps"), _("at least "), c->limit[CURVE_STEPS].verdict, {CURVE_STEPS, CURVE_STEPS}},
    };
    const char *const head[] = {_("criterion"), _("measured"), _("limit"), _("widened to")};
    bool widened = false; /* where the golden runs themselves differ by more than a limit */
    for (int l = 0; l < CURVE_LIMITS; l++)
        widened |= c->limit[l].widened > 0;
    doc_table(d, widened ? 4 : 3, head);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf t[3] = {{0}, {0}, {0}};
        for (int k = 0; k < (rows[i].l[0] == rows[i].l[1] ? 1 : 2); k++) {
            const struct curve_judged *p = &c->limit[rows[i].l[k]];
            buf_fmt(&t[0], "%s", k ? _(" or ") : "");
            put_measured_value(&t[0], c, rows[i].l[k]);
            buf_fmt(&t[1], "%s%s", k ? _(" or ") : "", rows[i].sign);
            put_limit_figure(&t[1], rows[i].l[k], p->limit);
            if (rows[i].l[k] == CURVE_STEPS)
                buf_fmt(&t[1], _(" or %d h"), CURVE_HOURS);
            if (p->widened > 0) {
                buf_fmt(&t[2], "%s", t[2].n ? ", " : "");
                put_limit_figure(&t[2], rows[i].l[k], p->widened);
            }
        }
        doc_row(d, doc_mark_of(rows[i].verdict), rows[i].id);
        doc_cell(d, DOC_TEXT, TONE_PLAIN, str_of(rows[i].title));
        for (int k = 0; k < (widened ? 3 : 2); k++)
            doc_cell(d, DOC_TEXT, TONE_PLAIN, buf_view(&t[k]));
        for (int k = 0; k < 3; k++)
            buf_release(&t[k]);
    }
    if (widened)
        doc_say(d, TONE_QUIET, "%s", _("A limit is widened if the golden runs differ by more than the limit."));
}

/* ---- the course ---- */

static void put_loss_trend(struct document *d, const struct curves *c)
{
    char n[NUM_MAX], m[NUM_MAX], k[NUM_MAX];
    int64_t at;
    if (!c->trend.there || c->factor[CURVE_LOSS].factor != 0 || curves_largest(c, &at) == 0)
        return;
    doc_note(d, c->around_zero == 0 ? DOC_ADVICE : DOC_NOTE, NULL,
             c->around_zero == 1 ? _("the difference oscillates around zero: mean %s, trend %s per 1,000 steps, %s "
                                     "sign changes")
             : c->around_zero == 0
                 ? _("the difference is biased: mean %s, trend %s per 1,000 steps, %s sign changes")
                 : _("too few steps to decide whether the difference oscillates around zero: mean %s, trend %s per "
                     "1,000 steps, %s sign changes"),
             num_cell(n, c->trend.mean, 3), num_cell(m, c->trend.slope, 3), num_count(k, c->trend.sign_changes));
    if (c->around_zero == 0 && curves_one_sided(c))
        doc_detail(d, "%s", _("within the band of the golden runs, but on one side of zero: the guide asks for both, "
                              "within the band and around zero"));
    else if (c->around_zero == 0)
        doc_detail(d, "%s", _("the standard accepts a stable difference within its limits"));
}

static void put_largest_difference(struct document *d, const struct curves *c)
{
    char n[NUM_MAX];
    int64_t at;
    double most = curves_largest(c, &at);
    if (at >= 0)
        doc_note(d, DOC_NOTE, NULL, _("the losses differ by %s at most, at step %lld"), num_cell(n, most, 3),
                 (long long)at);
    else if (c->usable.n)
        doc_note(d, DOC_NOTE, NULL, _("the losses are equal at all %s steps"), num_count(n, c->usable.n));
}

static void put_noise_band(struct document *d, const struct curves *c)
{
    char n[NUM_MAX], m[NUM_MAX];
    if (c->band.runs > 1 && c->band.steps)
        doc_note(d, DOC_NOTE, NULL, _("%zu golden runs differ by %s on average, %s at most"), c->band.runs,
                 num_cell(n, c->band.spread[CURVE_MEAN_ABS], 3), num_cell(m, c->band.max_abs, 3));
    if (c->band.runs > 1 && !isnan(c->band.inside))
        doc_note(d, DOC_NOTE, NULL, _("the target is within the band of the golden runs at %s %% of the steps"),
                 num_cell(n, 100 * c->band.inside, 3));
}

static void put_curve_metrics(struct document *d, const struct curves *c)
{
    char n[4][NUM_MAX];
    for (size_t i = 0; i < c->metrics.n; i++) {
        const struct curve_metric *m = &c->metrics.v[i];
        if (m->max_abs == 0)
            doc_note(d, DOC_NOTE, NULL, _("%s: equal at all %s steps compared"), rl_metric_title(m->tag),
                     num_count(n[0], m->steps));
        else
            doc_note(d, DOC_NOTE, NULL, _("%s: mean %s on the target, %s on the golden side (%s steps); they differ by "
                                          "%s at most, at step %lld"),
                     rl_metric_title(m->tag), num_cell(n[0], m->mean[0], 3), num_cell(n[1], m->mean[1], 3),
                     num_count(n[2], m->steps), num_cell(n[3], m->max_abs, 3), (long long)m->at);
    }
}

static void put_auxiliary_losses(struct document *d, const struct curves *c)
{
    char n[3][NUM_MAX];
    for (size_t i = 0; i < c->auxiliary.n; i++) {
        const struct auxiliary_loss *a = &c->auxiliary.v[i];
        if (a->factor != 0)
            doc_note(d, DOC_BAD, "auxiliary", _("%s: %s times the golden value at all %s steps compared"), a->name[0],
                     num_factor(n[0], a->factor), num_count(n[1], a->steps));
        else
            doc_note(d, doc_mark_of(a->verdict), "auxiliary",
                     _("%s: differs by %s (%s %%) on average over %s steps"), a->name[0],
                     num_cell(n[0], a->mean_abs, 3), num_cell(n[1], 100 * a->mean_rel, 3), num_count(n[2], a->steps));
    }
    for (int k = 0; k < 2; k++)
        if (c->auxiliary_only[k])
            doc_note(d, DOC_ADVICE, "auxiliary",
                     k ? _("%s: printed by the golden log only") : _("%s: printed by the target log only"),
                     c->auxiliary_only[k]);
}

/* Which length of the standard was reached: 5,000 steps or 12 hours, or the least. */
static void put_run_length(struct document *d, const struct curves *c)
{
    char n[NUM_MAX], m[NUM_MAX], h[NUM_MAX];
    num_count(n, c->points.n);
    num_count(m, CURVE_STANDARD);
    num_cell(h, c->hours, 3);
    if (c->points.n >= CURVE_STANDARD)
        doc_note(d, DOC_OK, "length", _("length: %s steps, the standard's %s are reached"), n, m);
    else if (c->hours >= CURVE_HOURS)
        doc_note(d, DOC_OK, "length", _("length: %s hours, the standard's %d are reached (%s steps)"), h, CURVE_HOURS,
                 n);
    else if (c->limit[CURVE_STEPS].verdict == STAGE_PASS)
        doc_note(d, DOC_NOTE, "length", _("length: %s steps, above the least; the standard's own length is %s steps or "
                                          "%d hours"), n, m, CURVE_HOURS);
}

/* The mark of the sentence in curves_headline. */
static void put_curves_headline(struct document *d, const struct curves *c)
{
    const char *text = curves_headline(c, &d->arena);
    bool factor = c->factor[CURVE_LOSS].factor != 0, shift = !factor && c->shift.steps != 0,
         apart = !factor && !shift && c->apart_at >= 0;
    bool bad = c->departure.kind == DEPARTURE_GROWING || c->mean_loss == STAGE_FAIL || c->from_start ||
               (c->departure.kind == DEPARTURE_STABLE && c->departure.rel >= c->limit[CURVE_MEAN_REL].limit);
    if (!text)
        return;
    if (shift)
        doc_note(d, DOC_BAD, "shift", "%s", text);
    else if (c->departure.kind == DEPARTURE_NONE && !apart)
        doc_note(d, DOC_BAD, "factor", "%s", text);
    else
        doc_note(d, apart || !bad ? DOC_ADVICE : DOC_BAD, apart ? "apart" : "divergence", "%s", text);
}

#define STATISTICS_SHOWN 10

static void put_curve_statistics(struct document *d, const struct curves *c)
{
    const struct curve_statistics *all = &c->statistics;
    char n[4][NUM_MAX];
    if (!all->names)
        return;
    if (!all->differing.n) {
        doc_note(d, DOC_NOTE, NULL, _("statistics of tensors: %s values of %s names compared, all equal as printed"),
                 num_count(n[0], all->values), num_count(n[1], all->names));
    } else {
        doc_note(d, DOC_ADVICE, "statistics",
                 _("statistics of tensors: %s of %s names differ, first at step %lld; by the step at which they begin "
                   "to differ:"), num_count(n[0], all->differing.n), num_count(n[1], all->names),
                 (long long)all->differing.v[0].first);
        for (size_t i = 0; i < all->differing.n && i < STATISTICS_SHOWN; i++) {
            const struct curve_statistic *x = &all->differing.v[i];
            doc_note(d, DOC_NOTE, NULL, _("%s %s: from step %lld on; at most %s %%, at step %lld (target %s, golden "
                                          "%s)"), x->name, x->tag, (long long)x->first,
                     num_cell(n[0], 100 * x->max_rel, 3), (long long)x->at, num_cell(n[1], x->value[0], 6),
                     num_cell(n[2], x->value[1], 6));
        }
        if (all->differing.n > STATISTICS_SHOWN)
            doc_note(d, DOC_NOTE, NULL, _("and %s more (--json lists all)"),
                     num_count(n[0], all->differing.n - STATISTICS_SHOWN));
    }
    if (all->alone)
        doc_note(d, DOC_NOTE, NULL, _("statistics of one log alone, not compared: %s"), num_count(n[0], all->alone));
}

static void put_difference_course(struct document *d, const struct curves *c)
{
    char n[NUM_MAX];
    put_curves_headline(d, c);
    put_loss_trend(d, c);
    put_noise_band(d, c);
    if (c->lr.there)
        doc_note(d, c->lr.equal ? DOC_OK : c->other_rates ? DOC_BAD : DOC_ADVICE, "learning-rate",
                 c->lr.equal ? _("learning rates: equal at all %s steps compared")
                             : _("learning rates: differ (%s steps compared)"),
                 num_count(n, c->lr.steps));
    if (c->factor[CURVE_LOSS].factor == 0)
        put_largest_difference(d, c);
    put_auxiliary_losses(d, c);
    put_curve_metrics(d, c);
    put_run_length(d, c);
    put_curve_statistics(d, c);
}

/* ---- outlier steps ---- */

/* Outliers of one series without a joined step between them form one stretch; returns its end. */
static size_t end_of_outlier_stretch(const struct curves *c, const struct outlier_step *m, size_t n, size_t from,
                                     const struct outlier_step **last)
{
    size_t at = curve_point_at(c, m[from].step), i = from + 1;
    *last = &m[from];
    for (; i < n && at != SIZE_MAX; i++) {
        if (m[i].series != m[from].series || m[i].step == (*last)->step)
            continue;
        if (++at >= c->points.n || c->points.v[at].step != m[i].step)
            break;
        *last = &m[i];
    }
    return i;
}

static void put_outlier_stretches(struct document *d, const struct curves *c, const struct outlier_step *m, size_t n,
                                  enum curve_series series, size_t *told)
{
    char v[NUM_MAX];
    for (size_t i = 0, next; i < n; i = next) {
        const struct outlier_step *last;
        next = i + 1;
        if (m[i].series != series)
            continue;
        next = end_of_outlier_stretch(c, m, n, i, &last);
        if (++*told > STRETCHES)
            continue;
        if (last->step > m[i].step)
            doc_cellf(d, DOC_TEXT, TONE_PLAIN, _("%lld to %lld"), (long long)m[i].step, (long long)last->step);
        else
            doc_cellf(d, DOC_TEXT, TONE_PLAIN, "%lld", (long long)m[i].step);
        doc_cell(d, DOC_TEXT, TONE_PLAIN, str_of(log_value_title(curve_value(series))));
        doc_cell(d, DOC_TEXT, TONE_PLAIN, str_of(m[i].run ? _("golden") : _("target")));
        doc_cell(d, DOC_NUMBER, isfinite(m[i].value) ? TONE_WARN : TONE_BAD, str_of(num_cell(v, m[i].value, 6)));
    }
}

static void put_outlier_steps(struct document *d, const struct curves *c)
{
    const char *const head[] = {_("outlier steps"), _("series"), _("first at"), _("value")};
    size_t told = 0;
    if (!c->spikes.n && !c->nonfinite.n)
        return;
    doc_table(d, ARRAY_LEN(head), head);
    for (int s = CURVE_LOSS; s <= CURVE_NORM; s++) {
        put_outlier_stretches(d, c, c->nonfinite.v, c->nonfinite.n, (enum curve_series)s, &told);
        put_outlier_stretches(d, c, c->spikes.v, c->spikes.n, (enum curve_series)s, &told);
    }
    if (told > STRETCHES)
        doc_say(d, TONE_QUIET, _("… and %zu more; --json lists every step"), told - STRETCHES);
}

/* ---- all of it ---- */

static void put_curve_runs(struct document *d, const struct curves *c)
{
    char n[NUM_MAX], m[NUM_MAX];
    for (size_t k = 0; k < c->runs; k++) {
        const struct series *s = &c->run[k];
        if (!s->records.n) {
            doc_say(d, TONE_PLAIN, _("%s: no loss, %s named series (%s, %s)"), k ? _("golden") : _("target"),
                    num_count(n, s->names.n), s->path, s->format);
            continue;
        }
        doc_say(d, TONE_PLAIN, _("%s: %s records, steps %lld to %lld (%s, %s)"), k ? _("golden") : _("target"),
                num_count(n, s->records.n), (long long)s->records.v[0].step, (long long)vec_last(&s->records)->step,
                s->path, s->format);
    }
    doc_say(d, TONE_PLAIN, _("usable steps: %s for the loss, %s for the global norm"), num_count(n, c->usable.n),
            num_count(m, c->norms));
    if (c->band.runs < 2 || !c->band.steps)
        doc_say(d, TONE_QUIET, "%s", _("the spread of golden runs is unknown: no second golden run was given"));
    if (!c->lr.there)
        doc_say(d, TONE_QUIET, "%s", _("learning rates: not printed in both logs"));
    doc_say(d, TONE_QUIET, "%s", _("The standard is a reference, not a rule: what a model needs may be stricter or "
                                   "wider."));
}

void curves_section(struct document *d, const struct curves *c)
{
    doc_verdict(d, c->verdict, NULL, _("The curves meet the standard."), _("The curves do not meet the standard."));
    doc_unread(d, c->unread.v, c->unread.n);
    put_standard_points(d, c);
    put_difference_course(d, c);
    put_outlier_steps(d, c);
    put_curve_runs(d, c);
    doc_notes(d, DOC_ADVICE, c->warnings.v, c->warnings.n);
    doc_notes(d, DOC_NEXT, c->next.v, c->next.n);
}

#define LOSS_DIGITS 9 /* of float32; a log with more prints a double */

/* A loss as its log prints it, or with the digits that tell it from the other run's. */
static const char *loss_text(char out[NUM_MAX], const struct log_record *r, const struct log_record *other)
{
    double v = r->value[LOG_LOSS];
    num_exact(out, v);
    return strlen(out) <= LOSS_DIGITS + 1 ? out : num_cell(out, v, digits_apart(v, other->value[LOG_LOSS]));
}

void curves_first_section(struct document *d, const struct curves *c)
{
    const struct curve_judged *a = &c->limit[CURVE_FIRST_ABS], *r = &c->limit[CURVE_FIRST_REL];
    const char *const head[] = {_("step"), _("target"), _("golden")};
    char n[4][NUM_MAX];
    doc_verdict(d, c->first_loss, NULL, _("The first loss agrees, so the forward passes agree."),
                c->factor[CURVE_LOSS].factor != 0
                    ? _("The first loss is a multiple of the golden one, as every later one is: the reductions differ.")
                : c->forward_only ? _("The first loss differs, so the forward passes differ.")
                                : _("The first common loss differs; it is preceded by updates."));
    if (!c->usable.n) {
        doc_note(d, DOC_OPEN, "first-loss", "%s", _("loss of step 1: no step has a loss in both logs"));
        return;
    }
    const struct log_record *t = curve_record(c, c->usable.v[0], 0), *g = curve_record(c, c->usable.v[0], 1);
    long long step = c->points.v[c->usable.v[0]].step;
    num_cell(n[2], a->value, 3);
    num_cell(n[3], 100 * r->value, 3);
    if (c->first_loss == STAGE_FAIL && !c->forward_only)
        doc_note(d, DOC_BAD, "first-loss",
                 _("first loss: not in both logs; the loss of step %lld, after updates, differs by %s (%s "
                   "%%)"), step, n[2],
                 n[3]);
    else
        doc_note(d, doc_mark_of(c->first_loss), "first-loss",
                 _("loss of step %lld: %s and %s, difference %s or %s %%"), step,
                 loss_text(n[0], t, g), loss_text(n[1], g, t), n[2], n[3]);
    doc_detail(d, _("limit %s, or %s %%; the first loss depends on the forward pass only"), num_cell(n[0], a->limit, 3),
               num_cell(n[1], 100 * r->limit, 3));
    doc_table(d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < c->usable.n && i < FIRST_STEPS; i++) {
        size_t at = c->usable.v[i];
        doc_cell(d, DOC_NUMBER, TONE_QUIET, str_of(num_count(n[0], (unsigned long long)c->points.v[at].step)));
        for (int k = 0; k < 2; k++)
            doc_cell(d, DOC_NUMBER, TONE_PLAIN,
                     str_of(loss_text(n[0], curve_record(c, at, k), curve_record(c, at, !k))));
    }
}
