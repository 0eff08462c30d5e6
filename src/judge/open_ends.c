/* Finds values of calls that both sides recorded which one of them lacks, operators without a formula or a partner at
 * the end of both sides, and values of a backward pass that no other operator holds. */
#include "judge/open_ends.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "dump/family.h"
#include "dump/reader.h"
#include "judge/value_readers.h"

/* Both sides' values by their names without numbers: those of all calls of a kind have one. */
struct open_ends {
    const struct measure *m;
    struct nmap recorded[2];
    struct value_readers reads[2];
    bool values_alone; /* both sides recorded one value a module: no other row shows what one holds */
};

static uint64_t kind_of_end(const struct dump *d, uint32_t row)
{
    struct buf kind = {0};
    buf_numberless(&kind, dump_call_name(d, d->rows.v[row].call));
    uint64_t hash = hash_bytes(kind.p, kind.n, 1);
    buf_release(&kind);
    struct str slot = str_of(d->slots.v[d->rows.v[row].slot]); /* its numbers are places */
    return hash_bytes(slot.p, slot.n, hash);
}

static bool of_one_tool(const struct measure *m)
{
    const struct reader *t = m->side[TARGET]->reader, *g = m->side[GOLDEN]->reader;
    return (t == g || (t && g && t->weights && g->weights)) &&
           dumps_of_one_framework(m->side[TARGET], m->side[GOLDEN]);
}

/* The other side's call of the same name with which a row of this call is paired; NONE. */
static uint32_t same_call(const struct measure *m, int s, uint32_t call)
{
    const struct dump *d = m->side[s], *o = m->side[!s];
    EACH_ROW(d, call, r) {
        const struct line *l = &m->pairing->lines.v[m->pairing->line_of[s][r]];
        uint32_t other = l->pair == NONE ? NONE : o->rows.v[l->row[!s]].call;
        if (other != NONE && strcmp(d->calls.v[call].name, o->calls.v[other].name) == 0)
            return other;
    }
    return NONE;
}

/* Whether the other side called the module of this call: a weight that other calls read (a product with a part of it)
 * has no gradient that tools record. */
static bool calls_module(const struct measure *m, int s, uint32_t call)
{
    const struct dump *d = m->side[s], *o = m->side[!s];
    uint32_t scope = d->calls.v[call].scope;
    for (uint32_t c = 0; scope != NONE && c < o->calls.n; c++)
        if (o->calls.v[c].kind == CALL_MODULE && !o->calls.v[c].gradient && o->calls.v[c].scope != NONE &&
            strcmp(o->scopes.v[o->calls.v[c].scope], d->scopes.v[scope]) == 0)
            return true;
    return scope == NONE;
}

static bool has_kind(struct open_ends *x, int s, uint64_t kind)
{
    const struct dump *d = x->m->side[s];
    if (!x->recorded[s].n)
        for (uint32_t r = 0; r < d->rows.n; r++)
            nmap_add(&x->recorded[s], kind_of_end(d, r), r);
    return nmap_get(&x->recorded[s], kind) != MAP_NONE;
}

/* Whether the other side recorded the call and not this tensor of it, which it has of another call of the kind, or it
 * has no other that the call makes or keeps. Which gradients a call returns depends on what is asked of it. */
static bool is_missing(struct open_ends *x, int s, uint32_t row)
{
    const struct dump *d = x->m->side[s], *o = x->m->side[!s];
    const struct row *mine = &d->rows.v[row];
    bool asked = mine->io == IO_OUTPUT && d->calls.v[mine->call].phase == PHASE_BACKWARD;
    if (mine->kind != ROW_TENSOR || (mine->io == IO_INPUT && !x->values_alone) || asked || !of_one_tool(x->m))
        return false;
    uint32_t other = same_call(x->m, s, mine->call);
    bool own = x->values_alone || d->calls.v[mine->call].gradient ||
               (d->reader && d->reader->weights && mine->io == IO_PARAMETER);
    if (other == NONE) /* a weight's gradients, and a weight of a file, are records of their own */
        return own && has_kind(x, !s, kind_of_end(d, row)) &&
               (!d->calls.v[mine->call].gradient || calls_module(x->m, s, mine->call));
    bool has_others = false;
    EACH_ROW(o, other, r) {
        const struct row *theirs = &o->rows.v[r];
        if (theirs->io == mine->io && strcmp(o->slots.v[theirs->slot], d->slots.v[mine->slot]) == 0)
            return false;
        has_others |= theirs->io == mine->io;
    }
    if (mine->io == IO_OUTPUT && !has_others)
        return true;
    return has_kind(x, !s, kind_of_end(d, row));
}

/* Whether the module around a call gives something that has a partner: what the call makes shows there. */
static bool shows_in_module(const struct measure *m, int s, uint32_t call)
{
    uint32_t module = m->side[s]->calls.v[call].parent;
    if (module != NONE)
        EACH_ROW(m->side[s], module, r)
            if (m->side[s]->rows.v[r].io == IO_OUTPUT && pairing_paired_line(m->pairing, s, r) != NONE)
                return true;
    return false;
}

/* Whether an operator without a formula made this tensor of others, no call that was recorded reads it, none of its
 * outputs has a partner, and no module around it shows what it does. */
static bool ends_here(struct open_ends *x, const struct dataflow *flow, int s, uint32_t row)
{
    const struct dump *d = x->m->side[s];
    const struct row *mine = &d->rows.v[row];
    const struct call *c = &d->calls.v[mine->call];
    bool made = false;
    if (mine->kind != ROW_TENSOR || mine->io != IO_OUTPUT || !dtype_is_float(mine->dtype) ||
        c->phase != PHASE_FORWARD || c->kind == CALL_MODULE || c->family != FAMILY_OTHER || flow->held[row] != NONE)
        return false;
    if (!x->reads[s].first)
        readers_build(&x->reads[s], d, flow);
    EACH_ROW(d, mine->call, r) {
        if (d->rows.v[r].io == IO_OUTPUT && (x->m->pairing->lines.v[x->m->pairing->line_of[s][r]].pair != NONE ||
                                             x->reads[s].first[r] != NONE))
            return false;
        made |= d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR;
    }
    return made && !shows_in_module(x->m, s, mine->call);
}

static void give_open_end(struct line_judgement *l, enum verdict_rule rule, bool strict_gaps)
{
    l->rule = (uint8_t)rule;
    l->verdict = strict_gaps ? VERDICT_DEVIATE : l->verdict;
}

/* Whether another call holds a row's value, earlier or later. A call may hand on what it reads: its other rows of the
 * value are looked at as well. */
static bool is_shared(const struct dump *d, const bool *held, uint32_t row)
{
    const struct row *mine = &d->rows.v[row];
    EACH_ROW(d, mine->call, r) {
        const struct row *own = &d->rows.v[r];
        if (held[r] && dump_row_numel(d, r) == dump_row_numel(d, row) &&
            own->stat[STAT_MAX] == mine->stat[STAT_MAX] && own->stat[STAT_MIN] == mine->stat[STAT_MIN])
            return true;
    }
    return false;
}

static bool is_of_graph(const struct call *c)
{
    return c->kind == CALL_OPERATOR && c->phase == PHASE_BACKWARD;
}

/* Whether there is a graph's backward pass, and none of its operators lacks a result, or an operand before another one:
 * then it read or made a value that the recording lost. */
static bool graph_is_whole(const struct dump *d)
{
    bool any = false;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        unsigned long long inputs = 0, last = 0, n;
        bool made = false;
        if (!is_of_graph(&d->calls.v[c]))
            continue;
        EACH_ROW(d, c, r) {
            struct str slot = str_of(d->slots.v[d->rows.v[r].slot]);
            made |= d->rows.v[r].io == IO_OUTPUT;
            if (d->rows.v[r].io != IO_INPUT || !str_starts(slot, "input.") || !str_u64(str_cut(slot, 6), &n))
                continue;
            inputs++;
            last = n > last ? n : last;
        }
        if (!made || (inputs && inputs <= last))
            return false;
        any = true;
    }
    return any;
}

#define UNLINKED_MOST 20 /* one in so many: without the operators that made its values, or read them, there are more */

/* In the backward pass of a graph whoever reads a value has it of an operator or of the forward pass, and another one
 * reads what an operator makes; constants are written into it. Finds rows without a partner whose value no other call
 * holds, where nearly all are linked. */
static void find_unlinked(struct judgement *j, const struct measure *m, const struct dataflow *flow, int s, bool strict)
{
    const struct dump *d = m->side[s];
    if (!graph_is_whole(d))
        return;
    bool *held = mem_zalloc((d->rows.n + 1) * sizeof *held);
    VEC(uint32_t) alone[2] = {{0}, {0}}; /* lines; of inputs, of outputs */
    uint32_t rows[2] = {0, 0};
    for (uint32_t r = 0; r < d->rows.n; r++)
        if (flow->held[r] != NONE)
            held[r] = held[flow->held[r]] = true;
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct row *x = &d->rows.v[r];
        const struct call *c = &d->calls.v[x->call];
        if (!is_of_graph(c) || x->kind != ROW_TENSOR || !dtype_is_float(x->dtype) || !flow->known[r] ||
            !(x->stat[STAT_MAX] > x->stat[STAT_MIN]))
            continue;
        bool out = x->io == IO_OUTPUT;
        rows[out]++;
        if (!is_shared(d, held, r))
            vec_push(&alone[out], m->pairing->line_of[s][r]);
    }
    for (int out = 0; out < 2; out++) {
        for (size_t i = 0; i < alone[out].n && alone[out].n <= rows[out] / UNLINKED_MOST; i++)
            if (j->line[alone[out].v[i]].rule == RULE_ONE_SIDED)
                give_open_end(&j->line[alone[out].v[i]], RULE_UNLINKED, strict);
        vec_release(&alone[out]);
    }
    free(held);
}

static bool has_values_alone(const struct dump *d)
{
    size_t c = 0;
    while (c < d->calls.n && d->calls.v[c].kind == CALL_MODULE && d->calls.v[c].rows < 2)
        c++;
    return c == d->calls.n;
}

void open_ends_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2], bool strict_gaps)
{
    struct open_ends x = {.m = m};
    VEC(uint32_t) ends = {0};
    bool on[2] = {false, false};
    x.values_alone = has_values_alone(m->side[TARGET]) && has_values_alone(m->side[GOLDEN]);
    for (uint32_t i = 0; i < j->lines; i++) {
        const struct line *l = &m->pairing->lines.v[i];
        int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        if (l->pair != NONE || j->line[i].rule != RULE_ONE_SIDED)
            continue;
        if (pairing_lacks_partner(m->pairing, s, l->row[s]) || is_missing(&x, s, l->row[s])) {
            give_open_end(&j->line[i], RULE_MISSING, strict_gaps);
        } else if (ends_here(&x, &flow[s], s, l->row[s])) {
            vec_push(&ends, i);
            on[s] = true;
        }
    }
    /* on one side alone: what only it computes beside the step, if other tools or frameworks recorded it */
    if ((on[TARGET] && on[GOLDEN]) || of_one_tool(m))
        for (size_t i = 0; i < ends.n; i++)
            give_open_end(&j->line[ends.v[i]], RULE_OPEN_END, strict_gaps);
    vec_release(&ends);
    for (int s = 0; s < 2; s++) {
        readers_release(&x.reads[s]);
        nmap_release(&x.recorded[s]);
        find_unlinked(j, m, &flow[s], s, strict_gaps);
    }
}
