/* Relations of rows in a judging pass: partners, accepted errors, gradients without a recorded producer. */
#include "judge/pass_rows.h"

#include <math.h>
#include <string.h>

bool pass_holds(const struct dump *d, uint32_t outer, uint32_t inner)
{
    const struct call *a = &d->calls.v[outer], *b = &d->calls.v[inner];
    if (a->kind != CALL_MODULE || a->scope == NONE || b->scope == NONE)
        return false;
    struct str path = str_of(d->scopes.v[a->scope]), of = str_of(d->scopes.v[b->scope]);
    return str_starts(of, d->scopes.v[a->scope]) && (of.n == path.n || of.p[path.n] == '.');
}

uint32_t pass_partner(const struct judge_pass *p, uint32_t target_row)
{
    uint32_t line = p->m->pairing->line_of[TARGET][target_row];
    return line == NONE ? NONE : p->m->pairing->lines.v[line].row[GOLDEN];
}

double pass_accepted_error(const struct judge_pass *p, uint32_t line)
{
    const struct line_judgement *l = &p->j->line[line];
    /* if elements could not be read, recorded figures do not show their noise */
    bool accepted = (verdict_is_accepted((enum verdict)l->verdict) || l->rule == RULE_ILL) && !(l->flags & LINE_UNREAD);
    return accepted && isfinite(l->error) ? (double)l->error : 0;
}

const char *pass_name_in(const struct dump *d, uint32_t row)
{
    const char *slot = d->slots.v[d->rows.v[row].slot], *dot = strchr(slot, '.');
    return dot ? dot + 1 : slot;
}

bool pass_is_float(const struct row *r, enum row_io io)
{
    return r->io == io && r->kind == ROW_TENSOR && dtype_is_float((enum dtype)r->dtype);
}

uint32_t pass_first_float(const struct dump *d, uint32_t call, enum row_io io)
{
    EACH_EARLY_ROW(d, call, r)
        if (pass_is_float(&d->rows.v[r], io))
            return r;
    return NONE;
}

bool pass_comes_unrecorded(const struct judge_pass *p, const uint32_t rows[2])
{
    const struct dump *d = p->side[TARGET];
    const struct row *r = &d->rows.v[rows[TARGET]];
    return d->calls.v[r->call].twin != NONE && d->calls.v[r->call].phase == PHASE_BACKWARD && r->io == IO_INPUT &&
           p->flow[TARGET].held[rows[TARGET]] == NONE && p->flow[GOLDEN].held[rows[GOLDEN]] == NONE;
}

uint32_t pass_put_out(const struct judge_pass *p, uint32_t row)
{
    const struct dump *d = p->side[TARGET];
    uint32_t out = pass_first_float(d, d->calls.v[d->rows.v[row].call].twin, IO_OUTPUT);
    return out != NONE && dump_row_numel(d, out) == dump_row_numel(d, row) && pass_partner(p, out) != NONE ? out : NONE;
}
