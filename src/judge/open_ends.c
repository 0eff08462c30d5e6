/* Finds values of calls that both sides recorded which one of them lacks, and operators without a formula or a partner
 * at the end of both sides. */
#include "judge/open_ends.h"

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
           strcmp(m->side[0]->framework, m->side[1]->framework) == 0;
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
        return own && has_kind(x, !s, kind_of_end(d, row));
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

/* Whether an operator without a formula made this tensor of others, no call that was recorded reads it, and none of its
 * outputs has a partner. */
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
    return made;
}

static bool has_values_alone(const struct dump *d)
{
    size_t c = 0;
    while (c < d->calls.n && d->calls.v[c].kind == CALL_MODULE && d->calls.v[c].rows < 2)
        c++;
    return c == d->calls.n;
}

static void give_open_end(struct line_judgement *l, enum verdict_rule rule, bool strict_gaps)
{
    l->rule = (uint8_t)rule;
    l->verdict = strict_gaps ? VERDICT_DEVIATE : l->verdict;
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
    }
}
