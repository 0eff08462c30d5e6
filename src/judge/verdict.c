/* Names of verdicts, and the exit status of a judgement. */
#include "judge/verdict.h"

#include <stdlib.h>

static const char *const names[VERDICT_COUNT] = {
    "pending", "match", "drift", "deviate", "nonfinite", "shape", "dtype", "only", "skip", "deviate",
};

const char *verdict_name(enum verdict v)
{
    return names[v];
}

void judgement_release(struct judgement *j)
{
    free(j->line);
    vec_release(&j->starts);
    vec_release(&j->start_groups);
    vec_release(&j->known_hits);
    *j = (struct judgement){.first = NONE};
}

int judgement_status(const struct judgement *j, const struct judge_options *o)
{
    if (j->first != NONE)
        return 1;
    /* not "aligned" if something could not be read or differs in doubt */
    if (j->sum.unread || j->sum.unread_files || j->sum.without_bits || j->sum.in_doubt)
        return 5;
    if (o->strict && j->sum.figures_only)
        return 5;
    uint32_t all = j->sum.compute[TARGET];
    if (!all) { /* no computing call was recorded (two checkpoints): the rows decide */
        uint32_t good = j->sum.by[VERDICT_MATCH] + j->sum.by[VERDICT_DRIFT];
        uint32_t rows = j->sum.pairs - j->sum.by[VERDICT_SKIP] + j->sum.only[TARGET];
        return good && good >= o->tol->coverage * rows ? 0 : 5;
    }
    return j->sum.judged >= o->tol->coverage * all ? 0 : 5;
}
