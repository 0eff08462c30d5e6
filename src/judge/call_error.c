/* How the error of a call's output compares with that of its inputs. */
#include "judge/call_error.h"

#include <math.h>

struct call_error call_error_of(const struct judgement *j, const struct measure *m, uint32_t call)
{
    const struct dump *d = m->side[TARGET];
    struct call_error x = {NAN, NAN, NAN};
    EACH_ROW(d, call, r) {
        const struct line_judgement *l = &j->line[m->pairing->line_of[TARGET][r]];
        double *of = d->rows.v[r].io == IO_OUTPUT ? &x.out : &x.in;
        if (l->rule == RULE_MASK_UNCOUNTED) /* its error is that of the other elements */
            return (struct call_error){NAN, NAN, NAN};
        if (d->rows.v[r].kind == ROW_TENSOR && !isnan(l->error) && (!(l->flags & LINE_DOUBTFUL) || l->rule == RULE_ILL))
            *of = fmax(*of, (double)l->error); /* fmax ignores NaN, which stands for "none" */
    }
    if (!isnan(x.in) && !isnan(x.out) && (x.in > 0 || x.out > 0))
        x.factor = x.out / x.in;
    return x;
}

/* Independent errors add as squares: subtracting the input's from the output's leaves the call's own. */
enum call_error_kind call_error_kind(const struct call_error *x)
{
    if (isnan(x->factor))
        return CALL_ERROR_UNKNOWN;
    return x->factor >= rule_limit(RULE_LIMIT_PASSAGE_ADDED) ? CALL_ERROR_ADDED : x->factor <=
           rule_limit(RULE_LIMIT_PASSAGE_INHERITED) ? CALL_ERROR_INHERITED : CALL_ERROR_BOTH;
}

const char *call_error_name(enum call_error_kind k)
{
    static const char *const names[] = {NULL, "added", "inherited", "both"};
    return names[k];
}
