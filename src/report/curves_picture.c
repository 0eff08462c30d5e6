/* Curves of two and more runs as pictures: loss and global norm of both sides, and their differences with the band of
 * the golden runs; the same for the report and for a file. */
#include "report/curves_picture.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"

/* Run k's record at a joined step; NULL: it has none. */
static const struct log_record *run_record(const struct curves *c, size_t point, size_t k)
{
    if (k < 2)
        return curve_record(c, point, (int)k);
    uint32_t at = c->golden[k][c->points.v[point].at[1]];
    return at == UINT32_MAX ? NULL : &c->run[k].records.v[at];
}

static double run_value(const struct curves *c, size_t point, size_t k, enum log_value v)
{
    const struct log_record *r = run_record(c, point, k);
    return r && log_has(r, v) ? r->value[v] : NAN;
}

static void begin_curve_picture(struct picture *p, const struct curves *c, const char *id, const char *title)
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
static bool fit_with_legend(struct arena *a, struct picture *p)
{
    double each = (p->to - p->from + 1) / p->columns;
    char n[NUM_MAX];
    if (!picture_fit(p))
        return false;
    const char *axis = p->log ? _("The value axis is logarithmic.") : "";
    p->text = axis;
    if (each > 1) {
        p->text = arena_fmt(a, _("The line shows the mean of about %s steps, the area the range from lowest "
                                            "to highest."), num_count(n, (unsigned long long)ceil(each)));
        p->text = *axis ? arena_fmt(a, "%s %s", p->text, axis) : p->text;
    }
    return true;
}

/* Both runs; with several golden runs, their range. */
static bool runs_drawn(struct picture *p, struct arena *a, const struct curves *c, enum log_value v, const char *id,
                       const char *title)
{
    begin_curve_picture(p, c, id, title);
    struct picture_series *t = picture_series(p, a, "target", _("target"), LOOK_TARGET);
    struct picture_series *g = picture_series(p, a, "golden", _("golden"), LOOK_GOLDEN);
    struct picture_series *band =
        c->runs > 2 ? picture_series(p, a, "band", _("golden runs, lowest to highest"), LOOK_BAND) : NULL;
    for (size_t i = 0; i < c->points.n; i++) {
        double x = (double)c->points.v[i].step;
        picture_point(p, t, x, run_value(c, i, 0, v));
        picture_point(p, g, x, run_value(c, i, 1, v));
        for (size_t k = 1; band && k < c->runs; k++)
            picture_point(p, band, x, run_value(c, i, k, v));
    }
    steps_marked(p, c);
    return fit_with_legend(a, p);
}

/* Target minus golden, with the same difference of the other golden runs and the limit of its mean. */
static bool difference_drawn(struct picture *p, struct arena *a, const struct curves *c, enum log_value v,
                             const char *id, const char *title)
{
    begin_curve_picture(p, c, id, title);
    struct picture_series *d = picture_series(p, a, "difference", _("target − golden"), LOOK_DIFFERENCE);
    struct picture_series *band =
        c->runs > 2 ? picture_series(p, a, "band", _("other golden runs − golden"), LOOK_BAND) : NULL;
    for (size_t i = 0; i < c->points.n; i++) {
        double x = (double)c->points.v[i].step, g = run_value(c, i, 1, v);
        if (v == LOG_LOSS && !c->points.v[i].usable)
            continue;
        picture_point(p, d, x, run_value(c, i, 0, v) - g);
        for (size_t k = 2; band && k < c->runs; k++)
            picture_point(p, band, x, run_value(c, i, k, v) - g);
        if (band)
            picture_point(p, band, x, isfinite(g) ? 0 : NAN);
    }
    picture_rule(p, "", 0, false, false);
    if (v == LOG_LOSS) {
        double limit = c->limit[CURVE_MEAN_ABS].limit;
        picture_rule(p, _("limit of the mean difference"), limit, false, true);
        picture_rule(p, "", -limit, false, true);
    }
    steps_marked(p, c);
    return fit_with_legend(a, p);
}

bool curves_picture(struct picture *p, struct arena *a, const struct curves *c, int i, const char *prefix)
{
    const struct {
        enum log_value v;
        const char *id, *title;
        bool difference;
    } pictures[CURVES_PICTURES] = {
        {LOG_LOSS, "loss", _("Loss"), false},
        {LOG_LOSS, "loss-difference", _("Difference of the loss"), true},
        {LOG_NORM, "norm", _("Global gradient norm"), false},
        {LOG_NORM, "norm-difference", _("Difference of the global norm"), true},
    };
    const char *id = arena_fmt(a, "%s%s", prefix, pictures[i].id);
    return c->points.n && (pictures[i].difference ? difference_drawn : runs_drawn)(p, a, c, pictures[i].v, id,
                                                                                   pictures[i].title);
}

void curves_svg(struct buf *b, const void *result)
{
    struct picture p[CURVES_PICTURES];
    struct arena a = {0};
    size_t n = 0;
    for (int i = 0; i < CURVES_PICTURES; i++)
        n += curves_picture(&p[n], &a, result, i, "");
    picture_svg_file(b, p, n);
    arena_release(&a);
}
