/* The sections of checkpoints' weights and of two runs of the same side, which must be equal before a layer can be
 * the cause. */
#include "base/msg.h"
#include "report/report_sections.h"
#include "weights/weights_section.h"

void report_checkpoints(struct building *b)
{
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_WEIGHTS);
    if (r)
        weights_section(b->d, r->weights);
}

void report_determinism(struct building *b)
{
    static const enum engine_run_id exams[] = {ENGINE_RUN_REPEAT_TARGET, ENGINE_RUN_REPEAT_GOLDEN};
    for (size_t i = 0; i < ARRAY_LEN(exams); i++) {
        const struct engine_run_result *r = report_engine_run(b, exams[i]);
        const struct repeat *x = r ? &r->repeat : NULL;
        if (!x)
            continue;
        doc_verdict(b->d, x->verdict, NULL,
                    i ? _("The golden run is bitwise reproducible.") : _("The target run is bitwise reproducible."),
                    i ? _("The golden run is not deterministic.") : _("The target run is not deterministic."));
        if (x->verdict == STAGE_PASS)
            doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(" Rows compared: %zu."), x->equal);
        else
            doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(" %zu of %zu rows are equal."), x->equal, x->rows);
        if (x->first) {
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(_(" First difference: ")));
            doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(x->first));
        }
    }
}
