/* Why two sides differ although each computed correctly: an argument, an element type, an input. */
#include "oracle/oracle.h"

#include <math.h>
#include <stdio.h>

#include "dump/family.h"
#include "pair/align_item.h"
#include "pair/call_arguments.h"

struct pair_of_calls {
    const struct measure *m;
    const struct judgement *j;
    uint32_t call[2];    /* the calls whose outputs differ */
    uint32_t forward[2]; /* the calls that have their arguments */
    bool bad;            /* they deviate by more than noise */
    struct oracle_because *out;
};

static bool same_operator(const struct pair_of_calls *p)
{
    return family_operator(align_item_operator(p->m->side[TARGET], p->forward[TARGET])) ==
           family_operator(align_item_operator(p->m->side[GOLDEN], p->forward[GOLDEN]));
}

static bool is_argument(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    return r->io == IO_INPUT && (r->kind == ROW_INT || r->kind == ROW_FLOAT || r->kind == ROW_BOOL
        || r->kind == ROW_STR);
}

/* The other side's argument with that name, otherwise at that position; NONE. */
static uint32_t counterpart_argument(const struct dump *mine, uint32_t row, const struct dump *other, uint32_t call)
{
    struct str name = argument_name(mine, row), slot = str_of(mine->slots.v[mine->rows.v[row].slot]);
    EACH_EARLY_ROW(other, call, r)
        if (is_argument(other, r)) {
            struct str theirs = argument_name(other, r);
            if (name.n && theirs.n ? str_ieq(name, theirs) : str_is(slot, other->slots.v[other->rows.v[r].slot]))
                return r;
        }
    return NONE;
}

static bool numbers_differ(double a, double b)
{
    return fabs(a - b) > 1e-6 * fmax(fabs(a), fabs(b));
}

/* Whether the same argument of two calls differs. Unnamed integers do not count: sizes follow from tensors, and an
 * axis may be counted from either end. */
static bool values_differ(const struct dump *d, uint32_t row, const struct dump *other, uint32_t theirs)
{
    const struct row *a = &d->rows.v[row], *b = &other->rows.v[theirs];
    struct str name = argument_name(d, row);
    if (a->kind == ROW_STR || b->kind == ROW_STR)
        return a->kind == b->kind && a->text && b->text && !str_ieq(str_of(a->text), str_of(b->text));
    if (a->kind == ROW_INT && b->kind == ROW_INT &&
        !(name.n && argument_same(d, (struct named_argument){row, name}, other,
                        (struct named_argument){theirs, argument_name(other, theirs)})))
        return false;
    return numbers_differ(a->stat[STAT_MAX], b->stat[STAT_MAX]);
}

/* Compares the row with the operator's default for an omitted argument. */
static bool differs_from_default(const struct dump *d, uint32_t row, struct str value)
{
    const struct row *r = &d->rows.v[row];
    double number;
    if (!value.n)
        return false;
    if (r->kind == ROW_STR)
        return r->text && !str_ieq(value, str_of(r->text));
    if (r->kind == ROW_BOOL)
        return str_ieq(value, STR("true")) != (r->stat[STAT_MAX] != 0);
    return str_double(value, &number) && numbers_differ(number, r->stat[STAT_MAX]);
}

static void tell_reason(struct pair_of_calls *p, enum oracle_reason kind, int side, uint32_t row, uint32_t other,
    struct str name)
{
    p->out->kind = kind;
    p->out->row[side] = row;
    p->out->row[!side] = other;
    snprintf(p->out->name, sizeof p->out->name, "%.*s", STR_ARG(name));
}

static bool argument_differs(struct pair_of_calls *p, int side)
{
    const struct dump *mine = p->m->side[side], *other = p->m->side[!side];
    EACH_EARLY_ROW(mine, p->forward[side], r) {
        if (!is_argument(mine, r))
            continue;
        uint32_t theirs = counterpart_argument(mine, r, other, p->forward[!side]);
        struct str name = argument_name(mine, r);
        struct str value = theirs == NONE && name.n ? left_out_value(other, p->forward[!side], name) : STR("");
        if (theirs == NONE ? !differs_from_default(mine, r, value)
                           : !values_differ(mine, r, other, theirs))
            continue;
        tell_reason(p, ORACLE_REASON_ARGUMENT, side, r, theirs, name);
        snprintf(p->out->left_out, sizeof p->out->left_out, "%.*s", STR_ARG(value));
        return true;
    }
    return false;
}

static bool has_argument(const struct dump *d, uint32_t call, struct str name)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind != ROW_NULL && str_ieq(argument_name(d, r), name))
            return true;
    return false;
}

/* Finds a tensor (a mask, a weight) that the other side's call was not given. */
static bool tensor_is_left_out(struct pair_of_calls *p, int side)
{
    const struct dump *mine = p->m->side[side], *other = p->m->side[!side];
    if (!str_ieq(align_item_operator(mine, p->forward[side]), align_item_operator(other, p->forward[!side])))
        return false;
    EACH_EARLY_ROW(mine, p->forward[side], r) {
        struct str name = argument_name(mine, r);
        if (mine->rows.v[r].io != IO_INPUT || mine->rows.v[r].kind != ROW_TENSOR || !name.n ||
            has_argument(other, p->forward[!side], name))
            continue;
        tell_reason(p, ORACLE_REASON_ARGUMENT, side, r, NONE, name);
        return true;
    }
    return false;
}

/* The line of a tensor on both sides. */
static uint32_t line_of_argument(const struct pair_of_calls *p, uint32_t row)
{
    if (p->m->side[TARGET]->rows.v[row].kind != ROW_TENSOR)
        return NONE;
    uint32_t line = p->m->pairing->line_of[TARGET][row];
    return line == NONE || p->m->pairing->lines.v[line].row[GOLDEN] == NONE ? NONE : line;
}

static bool type_differs(struct pair_of_calls *p, uint32_t call)
{
    const struct dump *t = p->m->side[TARGET], *g = p->m->side[GOLDEN];
    EACH_EARLY_ROW(t, call, r) {
        uint32_t line = line_of_argument(p, r), other = line == NONE ? NONE : p->m->pairing->lines.v[line].row[GOLDEN];
        if (line == NONE || !(p->j->line[line].flags & LINE_DTYPE_DIFF) || t->rows.v[r].dtype == g->rows.v[other].dtype)
            continue;
        tell_reason(p, ORACLE_REASON_DTYPE, TARGET, r, other, STR(""));
        return true;
    }
    return false;
}

static bool input_differs(struct pair_of_calls *p, uint32_t call)
{
    const struct dump *t = p->m->side[TARGET];
    EACH_EARLY_ROW(t, call, r) {
        uint32_t line = t->rows.v[r].io == IO_INPUT || t->rows.v[r].io == IO_PARAMETER ? line_of_argument(p, r) : NONE;
        if (line == NONE || !(p->j->line[line].error > 0) || (p->bad && p->j->line[line].verdict == VERDICT_MATCH))
            continue; /* a difference within noise does not explain a deviating output */
        tell_reason(p, ORACLE_REASON_INPUT, TARGET, r, p->m->pairing->lines.v[line].row[GOLDEN], STR(""));
        return true;
    }
    return false;
}

static uint32_t forward_of(const struct dump *d, uint32_t call)
{
    const struct call *c = &d->calls.v[call];
    return c->phase == PHASE_BACKWARD && c->twin != NONE ? c->twin : call;
}

void oracle_because_find(const struct oracle *o, const struct measure *m, const struct judgement *j, uint32_t line,
    struct oracle_because *out)
{
    const struct line *l = &m->pairing->lines.v[line];
    struct pair_of_calls p = {.m = m, .j = j, .out = out, .bad = verdict_is_bad(j->line[line].verdict)};
    *out = (struct oracle_because){.row = {NONE, NONE}};
    if (oracle_which(o, l->row) != ORACLE_NEITHER || j->line[line].error == 0)
        return;
    for (int i = 0; i < 2; i++) {
        p.call[i] = m->side[i]->rows.v[l->row[i]].call;
        p.forward[i] = forward_of(m->side[i], p.call[i]);
    }
    if (same_operator(&p) && (argument_differs(&p, TARGET) || argument_differs(&p, GOLDEN) ||
                                 tensor_is_left_out(&p, TARGET) || tensor_is_left_out(&p, GOLDEN)))
        return;
    if (type_differs(&p, p.call[TARGET]) || type_differs(&p, p.forward[TARGET]) || input_differs(&p, p.call[TARGET]))
        return;
    input_differs(&p, p.forward[TARGET]);
}

const char *oracle_reason_name(enum oracle_reason r)
{
    static const char *const names[] = {[ORACLE_REASON_NONE] = NULL, [ORACLE_REASON_ARGUMENT] = "argument",
        [ORACLE_REASON_DTYPE] = "dtype",
                                        [ORACLE_REASON_INPUT] = "input"};
    return names[r];
}
