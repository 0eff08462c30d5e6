/* The sections of curves and the migration standard: the first loss, frozen weights, the long run; measured values
 * with limits, and the curves as pictures. */
#include "curves/curves_section.h"
#include "report/curves_picture.h"
#include "report/report_sections.h"

static void add_curve_pictures(struct building *b, const struct curves *c, const char *prefix)
{
    struct picture p;
    for (int i = 0; i < CURVES_PICTURES; i++)
        if (curves_picture(&p, &b->d->arena, c, i, prefix))
            doc_picture(b->d, &p);
}

void report_first_step(struct building *b)
{
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_CURVES);
    if (r)
        curves_first_section(b->d, r->curves);
}

static void add_whole_curves(struct building *b, enum engine_run_id x, const char *prefix)
{
    const struct engine_run_result *r = report_engine_run(b, x);
    if (!r)
        return;
    curves_section(b->d, r->curves);
    add_curve_pictures(b, r->curves, prefix);
}

void report_lr0(struct building *b)
{
    add_whole_curves(b, ENGINE_RUN_FROZEN, "frozen-");
}

void report_long_run(struct building *b)
{
    add_whole_curves(b, ENGINE_RUN_CURVES, "");
}
