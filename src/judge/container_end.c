/* The conditions on two containers, on the calls between their ends, and on readers of their outputs. */
#include "judge/container_end.h"

#include "pair/align_item.h"
#include "ranks/joined_dump.h"

struct ends {
    const struct judgement *j;
    const struct measure *m;
    const struct dataflow *flow; /* the target's */
    uint32_t row[2], module[2]; /* the deviating output, and its call */
};

static const struct dump *ends_dump(const struct ends *x, int s)
{
    return x->m->side[s];
}

static bool end_agrees(const struct ends *x, uint32_t line)
{
    return line_agrees(&x->j->line[line]);
}

struct end {
    bool found;  /* an inner call outputs the container's output */
    bool within; /* and has an agreeing partner inside the other side's container */
    bool other;  /* or a partner there that does not agree */
};

/* What the calls inside side s's container show about its output. */
static struct end end_of(const struct ends *x, int s)
{
    const struct dump *d = ends_dump(x, s), *o = ends_dump(x, !s);
    struct fingerprint whole = fingerprint_of(d, x->row[s]);
    struct end e = {false, false, false};
    for (uint32_t c = 0; c < d->calls.n; c++) {
        if (d->calls.v[c].phase != PHASE_FORWARD || !dump_call_is_in(d, c, x->module[s]))
            continue;
        EACH_EARLY_ROW(d, c, r) {
            struct fingerprint f = fingerprint_of(d, r);
            if (d->rows.v[r].io != IO_OUTPUT || d->rows.v[r].kind != ROW_TENSOR ||
                fingerprint_compare(&f, &whole) != LIKE_SAME)
                continue;
            e.found = true;
            uint32_t line = pairing_paired_line(x->m->pairing, s, r);
            if (line == NONE || !dump_call_is_in(o, o->rows.v[x->m->pairing->lines.v[line].row[!s]].call,
                                                x->module[!s]))
                continue;
            e.within = e.within || end_agrees(x, line);
            e.other = e.other || !end_agrees(x, line);
        }
    }
    return e;
}

static bool inner_lines_agree(const struct ends *x)
{
    bool any = false;
    for (uint32_t i = 0; i < x->j->lines; i++) {
        const struct line *l = &x->m->pairing->lines.v[i];
        if (l->pair == NONE ||
            !dump_call_is_in(ends_dump(x, TARGET), ends_dump(x, TARGET)->rows.v[l->row[TARGET]].call,
                             x->module[TARGET]))
            continue;
        const struct call *c = &ends_dump(x, TARGET)->calls.v[ends_dump(x, TARGET)->rows.v[l->row[TARGET]].call];
        if (c->phase == PHASE_FORWARD && line_is_bad(&x->j->line[i]))
            return false;
        any = any || (c->phase == PHASE_FORWARD && end_agrees(x, i));
    }
    return any;
}

/* Whether an input's value is older than what the container gives; integers and masks are none of it. */
static bool is_older(const struct ends *x, uint32_t row)
{
    const struct dump *d = ends_dump(x, TARGET);
    uint32_t first = x->flow->held[row] == NONE ? NONE : dataflow_first(x->flow, row);
    if (!dtype_is_float((enum dtype)d->rows.v[row].dtype))
        return true;
    return first != NONE && first < x->row[TARGET] && !dump_call_is_in(d, d->rows.v[first].call, x->module[TARGET]);
}

/* Whether a row may be computed from what the container gives: a tensor of it is not older. */
static bool may_follow(const struct ends *x, uint32_t row)
{
    const struct dump *d = ends_dump(x, TARGET);
    if (d->rows.v[row].io == IO_INPUT)
        return x->flow->held[row] != NONE && !is_older(x, row);
    EACH_EARLY_ROW(d, d->rows.v[row].call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && !is_older(x, r))
            return true;
    return false;
}

/* Whether the first forward value after the container that may be computed from it agrees, and nothing before that
 * deviates. Containers around it may end with it. */
static bool end_heals(const struct ends *x, uint32_t line)
{
    const struct dump *d = ends_dump(x, TARGET);
    for (uint32_t i = line + 1; i < x->j->lines; i++) {
        const struct line *l = &x->m->pairing->lines.v[i];
        if (l->pair == NONE)
            continue;
        uint32_t row = l->row[TARGET], call = d->rows.v[row].call;
        uint32_t module = x->module[TARGET];
        bool around = call == module || dump_call_is_in(d, module, call) || dump_call_is_in(d, call, module);
        if (d->calls.v[call].phase != PHASE_FORWARD || around || dump_row_numel(d, row) <= 1)
            continue;
        if (line_is_bad(&x->j->line[i]))
            return false;
        if (may_follow(x, row))
            return end_agrees(x, i);
    }
    return false;
}

/* Whether a later call reads the output, and is paired with one that reads another value. */
static bool is_read_deviating(const struct ends *x, uint32_t line)
{
    uint32_t value = dataflow_first(x->flow, x->row[TARGET]);
    for (uint32_t i = line + 1; i < x->j->lines; i++) {
        uint32_t row = x->m->pairing->lines.v[i].pair == NONE ? NONE : x->m->pairing->lines.v[i].row[TARGET];
        if (row != NONE && ends_dump(x, TARGET)->rows.v[row].io == IO_INPUT && line_is_bad(&x->j->line[i]) &&
            dataflow_first(x->flow, row) == value)
            return true;
    }
    return false;
}

bool container_ends_elsewhere(const struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                              uint32_t line)
{
    struct ends ends = {.j = j, .m = m, .flow = &flow[TARGET]}, *x = &ends;
    const struct line *l = &m->pairing->lines.v[line];
    if (l->pair == NONE || j->line[line].verdict != VERDICT_DEVIATE)
        return false;
    const struct pair *pair = &m->pairing->pairs.v[l->pair];
    /* if the user paired their ends, or only parts of their outputs, the decision stands */
    if (pair->origin == ORIGIN_MARK || pair->view != NONE)
        return false;
    if (joined_dump_rows(ends_dump(x, TARGET))) /* a collective at the end is judged separately */
        return false;
    for (int s = 0; s < 2; s++) {
        const struct row *r = &ends_dump(x, s)->rows.v[l->row[s]];
        x->row[s] = l->row[s];
        x->module[s] = r->call;
        const struct call *c = &ends_dump(x, s)->calls.v[r->call];
        if (c->kind != CALL_MODULE || c->phase != PHASE_FORWARD || r->io != IO_OUTPUT || r->kind != ROW_TENSOR)
            return false;
    }
    struct end t = end_of(x, TARGET), g = end_of(x, GOLDEN);
    return t.found && g.found && !t.other && !g.other && t.within != g.within && inner_lines_agree(x) &&
           end_heals(x, line) && !is_read_deviating(x, line);
}

bool container_gradient_elsewhere(const struct judgement *j, const struct measure *m, uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    bool ends = false, hands_on = false;
    if (l->pair == NONE)
        return false;
    const struct dump *d = m->side[TARGET];
    const struct row *r = &d->rows.v[l->row[TARGET]];
    const struct call *c = &d->calls.v[r->call];
    if (c->kind != CALL_MODULE || c->phase != PHASE_BACKWARD || c->gradient || r->io != IO_INPUT || c->twin == NONE)
        return false;
    EACH_ROW(d, c->twin, row) {
        uint32_t of = m->pairing->line_of[TARGET][row];
        ends = ends || (d->rows.v[row].io == IO_OUTPUT && of != NONE && j->line[of].rule == RULE_CONTAINER &&
                        dump_row_numel(d, row) == dump_row_numel(d, l->row[TARGET]));
    }
    EACH_ROW(d, r->call, row) {
        uint32_t of = m->pairing->line_of[TARGET][row];
        hands_on = hands_on || (d->rows.v[row].io == IO_OUTPUT && of != NONE && line_agrees(&j->line[of]));
    }
    return ends && hands_on;
}
