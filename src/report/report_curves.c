/* The sections of curves and the migration standard: the first loss, frozen weights, the long run; measured values
 * with limits, and the curves as pictures. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "curves/curves_section.h"
#include "report/report_sections.h"

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
        picture_rule(p, c->departure.kind == DEPARTURE_GROWING ? _("the losses diverge") : _("the losses differ"),
                     (double)c->diverges_at, true, true);
    for (size_t i = 0; i < c->nonfinite.n && i < 2; i++)
        picture_rule(p, i ? "" : _("not finite"), (double)c->nonfinite.v[i].step, true, true);
    for (size_t i = 0; i < c->spikes.n && i < 3; i++)
        picture_rule(p, i ? "" : _("outlier"), (double)c->spikes.v[i].step, true, false);
}

/* With a legend for line and area, if a column has several steps. */
static void drawn_as(struct building *b, struct picture *p)
{
    double each = (p->to - p->from + 1) / p->columns;
    char n[NUM_MAX];
    if (!picture_fit(p))
        return;
    const char *axis = p->log ? _("The value axis is logarithmic.") : "";
    p->text = axis;
    if (each > 1) {
        p->text = arena_fmt(&b->d->arena, _("The line shows the mean of about %s steps, the area the range from lowest "
                                            "to highest."), num_count(n, (unsigned long long)ceil(each)));
        p->text = *axis ? arena_fmt(&b->d->arena, "%s %s", p->text, axis) : p->text;
    }
    doc_picture(b->d, p);
}

/* Both runs; with several golden runs, their range. */
static void runs_drawn(struct building *b, const struct curves *c, enum log_value v, const char *id, const char *title)
{
    struct picture p;
    begin(&p, c, id, title);
    struct picture_series *t = picture_series(&p, &b->d->arena, "target", _("target"), LOOK_TARGET);
    struct picture_series *g = picture_series(&p, &b->d->arena, "golden", _("golden"), LOOK_GOLDEN);
    struct picture_series *band =
        c->runs > 2 ? picture_series(&p, &b->d->arena, "band", _("golden runs, lowest to highest"), LOOK_BAND) : NULL;
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

/* Target minus golden, with the same difference of the other golden runs and the limit of its mean. */
static void difference_drawn(struct building *b, const struct curves *c, enum log_value v, const char *id,
                             const char *title)
{
    struct picture p;
    begin(&p, c, id, title);
    struct picture_series *d = picture_series(&p, &b->d->arena, "difference", _("target − golden"), LOOK_DIFFERENCE);
    struct picture_series *band =
        c->runs > 2 ? picture_series(&p, &b->d->arena, "band", _("other golden runs − golden"), LOOK_BAND) : NULL;
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

void report_first_step(struct building *b)
{
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_CURVES);
    if (r)
        curves_first_section(b->d, r->curves);
}

static void whole(struct building *b, enum engine_run_id x, const char *prefix)
{
    const struct engine_run_result *r = report_engine_run(b, x);
    if (!r)
        return;
    curves_section(b->d, r->curves);
    drawn(b, r->curves, prefix);
}

void report_lr0(struct building *b)
{
    whole(b, ENGINE_RUN_FROZEN, "frozen-");
}

void report_long_run(struct building *b)
{
    whole(b, ENGINE_RUN_CURVES, "");
}
