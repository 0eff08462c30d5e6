/* Curves against the migration standard: the first loss, frozen weights, the long run; what was measured beside each
 * limit, and the runs drawn. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "report/report_sections.h"

#define MARKS 12

/* ---- the standard's points ---- */

static bool is_share(enum curve_limit l)
{
    return l == CURVE_FIRST_REL || l == CURVE_MEAN_REL || l == CURVE_NORM_REL;
}

static void measured(struct building *b, enum curve_limit l, double v, enum doc_tone t, const char *before)
{
    char n[NUM_MAX];
    if (isnan(v))
        doc_cell(b->d, DOC_NUMBER, TONE_QUIET, STR("–"));
    else if (l == CURVE_STEPS)
        doc_cellf(b->d, DOC_NUMBER, t, "%s%s", before, num_count(n, (unsigned long long)v));
    else
        doc_cellf(b->d, DOC_NUMBER, t, "%s%s%s", before, num_cell(n, is_share(l) ? 100 * v : v, 3), is_share(l) ? " %" : "");
}

static void verdict(struct building *b, enum stage_verdict v)
{
    doc_cell(b->d, DOC_TEXT, v == STAGE_PASS ? TONE_GOOD : v == STAGE_FAIL ? TONE_BAD : TONE_WARN,
             str_of(v == STAGE_PASS ? _("✓ within") : v == STAGE_FAIL ? _("✗ beyond") : _("? not judged")));
}

/* Where two points are alternatives one of them is enough; the row of both says what came of them. */
static void standard(struct building *b, const struct curves *c, bool first_only)
{
    static const struct {
        enum curve_limit l;
        const char *name;
    } points[] = {
        {CURVE_FIRST_ABS, N_("first loss, absolute difference")}, {CURVE_FIRST_REL, N_("first loss, relative difference")},
        {CURVE_MEAN_ABS, N_("mean loss, absolute difference")},   {CURVE_MEAN_REL, N_("mean loss, relative difference")},
        {CURVE_NORM_REL, N_("global norm, mean relative difference")}, {CURVE_STEPS, N_("steps both runs print")},
    };
    const char *const head[] = {_("point"), _("measured"), _("limit"), _("widened by"), _("verdict")};
    doc_table(b->d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < (first_only ? 2 : ARRAY_LEN(points)); i++) {
        const struct curve_judged *p = &c->limit[points[i].l];
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(_(points[i].name)));
        measured(b, points[i].l, p->value, TONE_PLAIN, "");
        measured(b, points[i].l, p->limit, TONE_PLAIN, points[i].l == CURVE_STEPS ? "≥ " : points[i].l == CURVE_NORM_REL ? "≤ " : "< ");
        measured(b, points[i].l, p->widened > 0 ? p->widened : NAN, TONE_QUIET, "");
        verdict(b, p->verdict);
    }
}

void report_first_step(struct building *b)
{
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_CURVES);
    const char *const head[] = {_("step"), _("target"), _("golden")};
    char n[NUM_MAX];
    if (!r)
        return;
    const struct curves *c = r->curves;
    report_stage(b, c->first_loss, _("The first loss agrees: forward passes do."),
                 c->forward_only ? _("The first loss does not agree: forward passes do not.") : _("The first loss both logs have does not agree; updates lie before it."));
    if (!c->usable.n)
        return;
    doc_table(b->d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < c->usable.n && i < 3; i++) {
        doc_cell(b->d, DOC_NUMBER, TONE_QUIET, str_of(num_count(n, (unsigned long long)c->points.v[c->usable.v[i]].step)));
        for (int k = 0; k < 2; k++)
            doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(num_exact(n, curve_record(c, c->usable.v[i], k)->value[LOG_LOSS])));
    }
    standard(b, c, true);
    doc_say(b->d, TONE_QUIET, "%s", _("One of the two is enough."));
}

/* ---- pictures ---- */

/* Run k's record at a joined step; NULL: it has none. */
static const struct log_record *record(const struct curves *c, size_t point, size_t k)
{
    if (k < 2)
        return curve_record(c, point, (int)k);
    uint32_t at = c->golden[k][c->points.v[point].at[1]];
    return at == UINT32_MAX ? NULL : &c->run[k].records.v[at];
}

static double value(const struct curves *c, size_t point, size_t k, enum log_value v)
{
    const struct log_record *r = record(c, point, k);
    return r && log_has(r, v) ? r->value[v] : NAN;
}

static void begin(struct picture *p, const struct curves *c, const char *id, const char *title)
{
    picture_lines(p, id, title, (double)c->points.v[0].step, (double)vec_last(&c->points)->step);
}

static void steps_marked(struct picture *p, const struct curves *c)
{
    if (c->diverges_at >= 0)
        picture_rule(p, _("the losses part for good"), (double)c->diverges_at, true, true);
    for (size_t i = 0; i < c->nonfinite.n && i < 2; i++)
        picture_rule(p, i ? "" : _("not finite"), (double)c->nonfinite.v[i].step, true, true);
    for (size_t i = 0; i < c->spikes.n && i < 3; i++)
        picture_rule(p, i ? "" : _("stands out"), (double)c->spikes.v[i].step, true, false);
}

/* With what line and area stand for, where a column stands for several steps. */
static void drawn_as(struct building *b, struct picture *p)
{
    double each = (p->to - p->from + 1) / p->columns;
    char n[NUM_MAX];
    if (!picture_fit(p))
        return;
    const char *axis = p->log ? _("The values' axis is logarithmic.") : "";
    p->text = axis;
    if (each > 1) {
        p->text = arena_fmt(&b->d->arena, _("The line is the mean of about %s steps, the area goes from their lowest to their highest."), num_count(n, (unsigned long long)ceil(each)));
        p->text = *axis ? arena_fmt(&b->d->arena, "%s %s", p->text, axis) : p->text;
    }
    doc_picture(b->d, p);
}

/* Both runs; where there are several golden ones, what they span. */
static void runs_drawn(struct building *b, const struct curves *c, enum log_value v, const char *id, const char *title)
{
    struct picture p;
    begin(&p, c, id, title);
    struct picture_series *t = picture_series(&p, &b->d->arena, "target", _("target"), LOOK_TARGET);
    struct picture_series *g = picture_series(&p, &b->d->arena, "golden", _("golden"), LOOK_GOLDEN);
    struct picture_series *band = c->runs > 2 ? picture_series(&p, &b->d->arena, "band", _("golden runs, lowest to highest"), LOOK_BAND) : NULL;
    for (size_t i = 0; i < c->points.n; i++) {
        double x = (double)c->points.v[i].step;
        picture_point(&p, t, x, value(c, i, 0, v));
        picture_point(&p, g, x, value(c, i, 1, v));
        for (size_t k = 1; band && k < c->runs; k++)
            picture_point(&p, band, x, value(c, i, k, v));
    }
    steps_marked(&p, c);
    drawn_as(b, &p);
}

/* Target less golden, beside the same of the other golden runs and the limit of its mean. */
static void difference_drawn(struct building *b, const struct curves *c, enum log_value v, const char *id, const char *title)
{
    struct picture p;
    begin(&p, c, id, title);
    struct picture_series *d = picture_series(&p, &b->d->arena, "difference", _("target − golden"), LOOK_DIFFERENCE);
    struct picture_series *band = c->runs > 2 ? picture_series(&p, &b->d->arena, "band", _("other golden runs − golden"), LOOK_BAND) : NULL;
    for (size_t i = 0; i < c->points.n; i++) {
        double x = (double)c->points.v[i].step, g = value(c, i, 1, v);
        if (v == LOG_LOSS && !c->points.v[i].usable)
            continue;
        picture_point(&p, d, x, value(c, i, 0, v) - g);
        for (size_t k = 2; band && k < c->runs; k++)
            picture_point(&p, band, x, value(c, i, k, v) - g);
        if (band)
            picture_point(&p, band, x, isfinite(g) ? 0 : NAN);
    }
    picture_rule(&p, "", 0, false, false);
    if (v == LOG_LOSS) {
        double limit = c->limit[CURVE_MEAN_ABS].limit;
        picture_rule(&p, _("limit of the mean difference"), limit, false, true);
        picture_rule(&p, "", -limit, false, true);
    }
    steps_marked(&p, c);
    drawn_as(b, &p);
}

static void drawn(struct building *b, const struct curves *c, const char *prefix)
{
    const struct {
        enum log_value v;
        const char *id, *title;
        bool difference;
    } pictures[] = {
        {LOG_LOSS, "loss", _("Loss"), false},
        {LOG_LOSS, "loss-difference", _("Difference of the loss"), true},
        {LOG_NORM, "norm", _("Global gradient norm"), false},
        {LOG_NORM, "norm-difference", _("Difference of the global norm"), true},
    };
    if (!c->points.n)
        return;
    for (size_t i = 0; i < ARRAY_LEN(pictures); i++) {
        const char *id = arena_fmt(&b->d->arena, "%s%s", prefix, pictures[i].id);
        (pictures[i].difference ? difference_drawn : runs_drawn)(b, c, pictures[i].v, id, pictures[i].title);
    }
}

/* ---- what is seen in them ---- */

static void course(struct building *b, const struct curves *c)
{
    char n[3][NUM_MAX];
    if (c->diverges_at >= 0) {
        doc_begin(b->d, DOC_ITEM);
        if (c->from_start)
            doc_cell(b->d, DOC_STRONG, TONE_BAD, str_of(_("The losses are apart from the first step on.")));
        else
            doc_cellf(b->d, DOC_STRONG, TONE_BAD, _("The losses part for good at step %lld."), (long long)c->diverges_at);
    }
    if (c->apart_at >= 0) {
        doc_begin(b->d, DOC_ITEM);
        doc_cellf(b->d, DOC_STRONG, TONE_BAD, _("The first loss agrees and that of step %lld does not: backward or optimizer."), (long long)c->apart_at);
    }
    if (c->trend.there) {
        doc_begin(b->d, DOC_ITEM);
        doc_cellf(b->d, DOC_TEXT, c->around_zero == 0 ? TONE_WARN : TONE_PLAIN,
                  c->around_zero == 1   ? _("the difference swings around zero: mean %s, trend %s in 1,000 steps")
                  : c->around_zero == 0 ? _("the difference is not around zero: mean %s, trend %s in 1,000 steps")
                                        : _("too short to tell whether the difference is around zero: mean %s, trend %s in 1,000 steps"),
                  num_cell(n[0], c->trend.mean, 3), num_cell(n[1], c->trend.slope, 3));
    }
    doc_begin(b->d, DOC_ITEM);
    if (c->band.runs > 1 && c->band.steps)
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _("%zu golden runs are apart by %s on average, %s at most"), c->band.runs,
                  num_cell(n[0], c->band.spread[CURVE_MEAN_ABS], 3), num_cell(n[1], c->band.max_abs, 3));
    else
        doc_cell(b->d, DOC_TEXT, TONE_QUIET, str_of(_("The golden side's own spread is not known: a second golden run was not given.")));
    if (c->band.runs > 1 && !isnan(c->band.inside))
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _("; the target lies within their band at %s %% of the steps"), num_cell(n[0], 100 * c->band.inside, 3));
    doc_begin(b->d, DOC_ITEM);
    if (c->lr.there)
        doc_cellf(b->d, DOC_TEXT, c->lr.equal ? TONE_PLAIN : TONE_WARN,
                  c->lr.equal ? _("learning rates: equal at all %s steps compared") : _("learning rates: differ (%s steps compared)"), num_count(n[0], c->lr.steps));
    else
        doc_cell(b->d, DOC_TEXT, TONE_QUIET, str_of(_("learning rates: not printed by both runs")));
}

static void marks(struct building *b, const struct curves *c)
{
    const char *const head[] = {_("step"), _("run"), _("what"), _("value")};
    size_t all = c->nonfinite.n + c->spikes.n;
    char n[NUM_MAX];
    if (!all)
        return;
    doc_heading(b->d, _("Steps that stand out"));
    doc_table(b->d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < all && i < MARKS; i++) {
        const struct outlier_step *m = i < c->nonfinite.n ? &c->nonfinite.v[i] : &c->spikes.v[i - c->nonfinite.n];
        doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(num_count(n, (unsigned long long)m->step)));
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(m->run ? _("golden") : _("target")));
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(log_value_title(curve_value(m->series))));
        doc_cell(b->d, DOC_NUMBER, i < c->nonfinite.n ? TONE_BAD : TONE_WARN, str_of(num_exact(n, m->value)));
    }
    if (all > MARKS)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), all - MARKS);
}

static void runs(struct building *b, const struct curves *c)
{
    const char *const head[] = {_("run"), _("training log"), _("format"), _("records"), _("steps")};
    struct buf t = {0};
    char n[NUM_MAX];
    doc_table(b->d, ARRAY_LEN(head), head);
    for (size_t k = 0; k < c->runs; k++) {
        const struct series *s = &c->run[k];
        buf_clear(&t);
        sanitize_path(b->d->clean, s->path, &t);
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(k ? _("golden") : _("target")));
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, buf_view(&t));
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(s->format));
        doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(num_count(n, s->records.n)));
        doc_cellf(b->d, DOC_NUMBER, TONE_PLAIN, "%lld … %lld", (long long)s->records.v[0].step, (long long)vec_last(&s->records)->step);
    }
    buf_release(&t);
}

static void whole(struct building *b, enum engine_run_id x, const char *prefix)
{
    const struct engine_run_result *r = report_engine_run(b, x);
    if (!r)
        return;
    const struct curves *c = r->curves;
    report_stage(b, c->verdict, _("The curves meet the standard."), _("The curves do not meet the standard."));
    standard(b, c, false);
    doc_say(b->d, TONE_QUIET, "%s", _("Of the first and of the mean loss one of the two points is enough; a limit is widened where the golden runs themselves are apart by more."));
    drawn(b, c, prefix);
    course(b, c);
    marks(b, c);
    report_sentences(b, TONE_WARN, c->warnings.v, c->warnings.n);
    report_sentences(b, TONE_PLAIN, c->next.v, c->next.n);
    runs(b, c);
}

void report_lr0(struct building *b)
{
    whole(b, ENGINE_RUN_FROZEN, "frozen-");
}

void report_long_run(struct building *b)
{
    whole(b, ENGINE_RUN_CURVES, "");
}
