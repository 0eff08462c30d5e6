/* See part_role.h. */
#include "judge/part_role.h"

#include <stdlib.h>

#include "dump/family.h"

enum { PLAIN, GATE, ROLES };

/* A fused product in two halves. */
struct halves {
    enum side side;         /* of the product */
    uint32_t whole;         /* the row that held it first; NONE: not such a product */
    uint32_t part[ROLES];   /* the lines of its parts, by their role */
    uint32_t piece[ROLES];  /* what the product's side cuts it into */
    uint8_t parts[ROLES], pieces[ROLES];
    uint32_t before;        /* another one with that whole; NONE */
};

static bool is_tensor_of(const struct dump *d, uint32_t row, enum row_io io)
{
    const struct row *r = &d->rows.v[row];
    return r->io == io && r->kind == ROW_TENSOR && d->calls.v[r->call].phase == PHASE_FORWARD;
}

/* Per row: an activation reads the value that it was the first to hold. */
static bool *activated_rows(const struct dump *d, const struct dataflow *flow)
{
    bool *x = mem_zalloc(d->rows.n + 1);
    for (uint32_t r = 0; r < d->rows.n; r++)
        if (d->calls.v[d->rows.v[r].call].family == FAMILY_ACTIVATION && is_tensor_of(d, r, IO_INPUT))
            x[dataflow_first(flow, r)] = true;
    return x;
}

/* Whether two shapes have the same axes, in any order, but for axes of one element. */
static bool axes_alike(const struct shape *a, const struct shape *b)
{
    if (!a || !b || a->numel != b->numel)
        return false;
    for (int i = 0; i < a->ndim; i++) {
        int here = 0, there = 0;
        for (int k = 0; k < a->ndim; k++)
            here += a->dim[k] == a->dim[i];
        for (int k = 0; k < b->ndim; k++)
            there += b->dim[k] == a->dim[i];
        if (a->dim[i] != 1 && here != there)
            return false;
    }
    return true;
}

static void add_part(struct halves *h, const struct measure *m, const struct dataflow flow[2], bool *const active[2],
                     uint32_t line)
{
    const uint32_t *row = m->pairing->lines.v[line].row;
    uint64_t n[2] = {dump_row_numel(m->side[TARGET], row[TARGET]), dump_row_numel(m->side[GOLDEN], row[GOLDEN])};
    enum side s = n[TARGET] < n[GOLDEN] ? GOLDEN : TARGET;
    if (n[s] != 2 * n[!s] || !is_tensor_of(m->side[s], row[s], IO_OUTPUT))
        return;
    int role = active[!s][dataflow_first(&flow[!s], row[!s])] ? GATE : PLAIN;
    h->side = s;
    h->whole = dataflow_first(&flow[s], row[s]);
    h->part[role] = line;
    h->parts[role]++;
}

static void add_piece(struct halves *h, const struct measure *m, const struct dataflow *flow, const bool *active,
                      uint32_t row)
{
    const struct dump *d = m->side[h->side], *other = m->side[!h->side];
    uint32_t first = dataflow_first(flow, row);
    int role = active[first] ? GATE : PLAIN;
    if (!is_tensor_of(d, row, IO_OUTPUT) || !h->parts[role] ||
        !axes_alike(dump_row_shape(d, row),
                    dump_row_shape(other, m->pairing->lines.v[h->part[role]].row[!h->side])))
        return;
    if (!h->pieces[role] || dataflow_first(flow, h->piece[role]) != first)
        h->pieces[role]++;
    h->piece[role] = row;
}

/* The pieces that one side's views cut its fused products into. */
static void find_pieces(struct halves *h, uint32_t groups, const struct measure *m, enum side s,
                        const struct dataflow *flow, const bool *active)
{
    const struct dump *d = m->side[s];
    uint32_t *group = mem_nones(d->rows.n); /* the last whose whole the row is: a product and its module have one */
    for (uint32_t i = 0; i < groups; i++)
        if (h[i].whole != NONE && h[i].side == s) {
            h[i].before = group[h[i].whole];
            group[h[i].whole] = i;
        }
    for (uint32_t r = 0; r < d->rows.n; r++) {
        uint32_t call = d->rows.v[r].call;
        if (d->calls.v[call].family != FAMILY_VIEW || !is_tensor_of(d, r, IO_INPUT))
            continue;
        for (uint32_t i = group[dataflow_first(flow, r)]; i != NONE; i = h[i].before)
            EACH_ROW(d, call, out)
                add_piece(&h[i], m, flow, active, out);
    }
    free(group);
}

uint32_t *part_roles_find(const struct measure *m, const struct dataflow flow[2])
{
    const struct pairing *p = m->pairing;
    uint32_t *found = mem_nones(m->lines);
    if (!p->groups)
        return found;
    struct halves *h = mem_zalloc(p->groups * sizeof *h);
    bool *active[2] = {activated_rows(m->side[0], &flow[0]), activated_rows(m->side[1], &flow[1])};
    for (uint32_t i = 0; i < p->groups; i++)
        h[i].whole = NONE;
    for (uint32_t i = 0; i < m->lines; i++) {
        const struct line *l = &p->lines.v[i];
        uint32_t group = l->pair == NONE ? NONE : p->pairs.v[l->pair].group;
        if (group != NONE)
            add_part(&h[group], m, flow, active, i);
    }
    for (int s = 0; s < 2; s++)
        find_pieces(h, p->groups, m, (enum side)s, &flow[s], active[s]);
    for (uint32_t i = 0; i < p->groups; i++)
        if (h[i].parts[GATE] == 1 && h[i].parts[PLAIN] == 1 && h[i].pieces[GATE] == 1 && h[i].pieces[PLAIN] == 1)
            for (int role = 0; role < ROLES; role++)
                found[h[i].part[role]] = h[i].piece[role];
    free(active[0]);
    free(active[1]);
    free(h);
    return found;
}
