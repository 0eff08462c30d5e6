/* The sections of the backward pass and one optimizer step: gradient norms of every weight, outliers first; the
 * replayed step; and trainer against rollout engine. */
#include "config/settings_section.h"
#include "norms/norms_section.h"
#include "optimizer/optimizer_section.h"
#include "report/report_sections.h"
#include "rollout/rollout_section.h"

#define LISTED 40 /* weights beside the outliers */

void report_settings(struct building *b)
{
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_SETTINGS);
    if (r)
        settings_section(b->d, r->settings, SETTINGS_FOUND);
}

void report_norms(struct building *b)
{
    const struct procedure *g = b->o->guide;
    const struct investigation *v = b->o->inv;
    bool asked = v && panel_input_path(v, PANEL_INPUT_TARGET_NORMS) && panel_input_path(v, PANEL_INPUT_GOLDEN_NORMS);
    if (g && g->exam[ENGINE_RUN_NORMS].state == ENGINE_RUN_FAILED && !asked)
        return; /* logs or dumps without norms, which is no problem */
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_NORMS);
    if (r)
        norms_section(b->d, r->norms, LISTED);
}

void report_optimizer(struct building *b)
{
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_STEP);
    if (r)
        optimizer_section(b->d, r->step);
}

void report_rollout(struct building *b)
{
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_ROLLOUT);
    if (r)
        rollout_section(b->d, r->rollout, LISTED);
}
