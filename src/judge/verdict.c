/* Names of verdicts, and the exit status of a judgement. */
#include "judge/verdict.h"

#include <stdlib.h>

static const char *const names[VERDICT_COUNT] = {
    "pending", "match", "drift", "deviate", "nonfinite", "shape", "dtype", "only", "skip", "deviate", "deviate",
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

enum unjudged judgement_unjudged(const struct judgement *j, const struct judge_options *o)
{
    const struct judge_summary *s = &j->sum;
    if (s->unread || s->unread_files)
        return UNJUDGED_UNREAD;
    if (s->without_bits)
        return UNJUDGED_NO_BITS;
    if (s->in_doubt)
        return UNJUDGED_IN_DOUBT;
    if (s->contradicting)
        return UNJUDGED_CONTRADICTS;
    if (s->unanswered)
        return UNJUDGED_UNANSWERED;
    if (o->strict && s->figures_only)
        return UNJUDGED_FIGURES;
    uint32_t all = s->compute[TARGET];
    if (!all) { /* no computing call was recorded (two checkpoints): the rows decide */
        uint32_t good = s->by[VERDICT_MATCH] + s->by[VERDICT_DRIFT];
        uint32_t rows = s->pairs - s->by[VERDICT_SKIP] + s->only[TARGET];
        return good && good >= o->tol->coverage * rows ? UNJUDGED_NOT : UNJUDGED_FEW;
    }
    uint32_t enclosed = s->judged ? s->enclosed : 0; /* between weights alone, nothing was computed */
    return s->judged + enclosed >= o->tol->coverage * all ? UNJUDGED_NOT : UNJUDGED_FEW;
}

int judgement_status(const struct judgement *j, const struct judge_options *o)
{
    return j->first != NONE ? 1 : judgement_unjudged(j, o) == UNJUDGED_NOT ? 0 : 5;
}
