/* Asks each forward call's operator whether the sizes fit, and its formula whether the extremes do. */
#include "oracle/misfits.h"

#include <math.h>
#include <stdlib.h>

#include "dump/contradiction.h"
#include "dump/family.h"
#include "oracle/operators.h"
#include "oracle/recorded_call.h"
#include "pair/align_item.h"
#include "pair/call_arguments.h"
#include "ranks/joined_dump.h"

#define ALL_DIGITS 17
#define ROUNDINGS 8 /* of an element, beyond those that the formula counts */
#define ROWS_MOST 256 /* of a call: its tensors are found one by one */

/* ---- figures ---- */

/* The one tensor that goes in and the one that comes out, with finite extremes of floats; false: there are others. */
static bool only_rows(const struct dump *d, uint32_t call, uint32_t row[2])
{
    row[0] = row[1] = NONE;
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        unsigned extremes = HAS_MAX | HAS_MIN;
        if (x->kind != ROW_TENSOR)
            continue;
        uint32_t *own = &row[x->io == IO_OUTPUT];
        bool known = (recorded_figures(x) & extremes) == extremes && isfinite(x->stat[STAT_MAX]) &&
                     isfinite(x->stat[STAT_MIN]);
        if (*own != NONE || x->has & IS_DAMAGED || !dtype_is_float(x->dtype) || !known)
            return false;
        *own = r;
    }
    return row[0] != NONE && row[1] != NONE;
}

/* The recorded max and min of the tensor that goes in, and values between them, in place of its elements. */
enum { POINTS = 4 };
static const double between[POINTS] = {1, 0, 0.3, 0.8};

struct points {
    const struct dump *dump;
    double v[POINTS];
};

static void put_points(void *ctx, struct real_tensor *t, uint32_t row)
{
    struct points *p = ctx;
    const struct row *x = &p->dump->rows.v[row];
    for (int i = 0; i < POINTS; i++)
        p->v[i] = between[i] * x->stat[STAT_MAX] + (1 - between[i]) * x->stat[STAT_MIN];
    t->axes = 1;
    t->count = t->shape[0] = POINTS;
    t->v = p->v;
}

/* By how much an element of the result may differ from the formula's. */
static double room_at(const struct candidate *y, int i, double epsilon)
{
    double v = fabs(y->y.v[i]), rounded = y->roundings ? y->roundings[i] : 0, inside = y->inside ? y->inside[i] : 0;
    return ROUNDINGS * (epsilon * (v + rounded) + 0x1p-24 * inside) + dtype_table[DTYPE_F16].least;
}

/* Whether the result holds what the candidate makes of both extremes, and, where it is a straight line, nothing beyond
 * them. */
static bool extremes_fit(const struct candidate *y, const struct row *out, double epsilon)
{
    double max = out->stat[STAT_MAX], min = out->stat[STAT_MIN], high = fmax(y->y.v[0], y->y.v[1]),
           low = fmin(y->y.v[0], y->y.v[1]), room = fmax(room_at(y, 0, epsilon), room_at(y, 1, epsilon));
    bool straight = true;
    for (int i = 2; i < POINTS; i++)
        straight &= fabs(y->y.v[i] - between[i] * y->y.v[0] - (1 - between[i]) * y->y.v[1]) <= room;
    if (!(high <= max + room && low >= min - room))
        return isnan(high) || isnan(low) || isinf(high) || isinf(low);
    return !straight || (max <= high + room && min >= low - room);
}

static bool points_misfit(struct recorded_call *r, const struct operator *o, const uint32_t row[2])
{
    struct call_values *c = &r->values;
    struct points p = {.dump = r->dump};
    const struct row *in = &r->dump->rows.v[row[0]], *out = &r->dump->rows.v[row[1]];
    double result[POINTS] = {out->stat[STAT_MAX], out->stat[STAT_MIN]};
    double epsilon = fmax(dtype_table[DTYPE_F32].epsilon, fmax(dtype_table[in->dtype].epsilon,
                                                               dtype_table[out->dtype].epsilon));
    call_each_tensor(c, put_points, &p);
    struct real_tensor y = {.axes = 1, .shape = {POINTS}, .count = POINTS, .v = result, .dtype = out->dtype};
    c->result[0] = y;
    o->forward(c);
    for (int i = 0; i < c->candidates && !c->unknown; i++) {
        const struct candidate *k = &c->candidate[i];
        if (k->product || k->y.count != POINTS || extremes_fit(k, out, epsilon))
            return false;
    }
    return c->candidates && !c->unknown;
}

/* Dropout of a known rate: the same figures where nothing is dropped, others else. */
static bool dropped_misfit(const struct recorded_call *r, const uint32_t row[2])
{
    const struct call_values *c = &r->values;
    const struct row *in = &r->dump->rows.v[row[0]], *out = &r->dump->rows.v[row[1]];
    double rate = call_number(c, 1, "p", NAN);
    if (call_number(c, 2, "training", 1) == 0)
        rate = 0;
    bool same = in->stat[STAT_MAX] == out->stat[STAT_MAX] && in->stat[STAT_MIN] == out->stat[STAT_MIN];
    bool zero = in->stat[STAT_MAX] == 0 && in->stat[STAT_MIN] == 0;
    return !isnan(rate) && !zero && in->dtype == out->dtype && same != (rate == 0);
}

/* ---- calls ---- */

/* In place: what is recorded as the input may be the result. */
static bool works_in_place(const char *name)
{
    struct str s = str_of(name);
    return (str_ends(s, "_") && !str_ends(s, "__")) || str_starts(s, "__i");
}

/* Whether no argument that decides the sizes is left out. Kernels that move or cast get a size, an order or a type as
 * an input; others keep axes in an object. */
static bool has_arguments(const struct dump *d, uint32_t call)
{
    enum family f = (enum family)d->calls.v[call].family;
    bool given = call_records_arguments(d, call);
    if (!given && (f == FAMILY_VIEW || f == FAMILY_CAST))
        EACH_EARLY_ROW(d, call, r)
            given = given || (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind != ROW_TENSOR);
    return given;
}

static bool call_is_misfit(const struct dump *d, uint32_t call, struct arena *a)
{
    const struct call *x = &d->calls.v[call];
    struct recorded_call r;
    uint32_t row[2];
    bool asked = x->kind == CALL_API && x->phase == PHASE_FORWARD && x->rows <= ROWS_MOST && dump_format(d) &&
                 dump_format(d)->arguments && has_arguments(d, call);
    const struct operator *o = asked ? operator_find(align_item_operator(d, call)) : NULL;
    if (!o || !o->misfit)
        return false;
    recorded_call_sizes(&r, a, d, call);
    if (r.values.unknown || !r.values.results)
        return false;
    if (o->misfit(&r.values))
        return true;
    if (o->figures == FIGURES_NONE || works_in_place(r.values.operator) || d->digits < ALL_DIGITS ||
        !only_rows(d, call, row))
        return false;
    return o->figures == FIGURES_DROPPED ? dropped_misfit(&r, row) : points_misfit(&r, o, row);
}

/* Per call of a recording that was not joined; NULL: none is one. */
static bool *misfit_calls(const struct dump *d, const atomic_bool *cancel)
{
    struct arena a = {0};
    bool *misfit = NULL;
    for (uint32_t c = 0; c < d->calls.n && !d->tensors_cut && !d->cut_axes.n && !(cancel && atomic_load(cancel)); c++) {
        bool is = call_is_misfit(d, c, &a);
        arena_clear(&a);
        if (is && !misfit)
            misfit = mem_zalloc(d->calls.n * sizeof *misfit);
        if (is)
            misfit[c] = true;
    }
    arena_release(&a);
    return misfit;
}

/* Per call of each recording of which the dump was joined, or of itself. */
struct side_misfits {
    bool **of;
    size_t n;
};

static void mark_side(const struct measure *m, int side, const struct side_misfits *x, uint8_t *misfit)
{
    const struct dump *d = m->side[side];
    const struct whole_rows *whole = joined_dump_rows(d);
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct whole_row *w = whole ? joined_dump_row(d, r) : NULL;
        bool is = !whole && x->of[0] && x->of[0][d->rows.v[r].call];
        for (size_t i = 0; w && i < w->parts.n && !is; i++) {
            const struct part_row *p = &w->parts.v[i];
            is = x->of[p->rank] && x->of[p->rank][part_dump(whole, p)->dump.rows.v[p->row].call];
        }
        if (is && m->pairing->line_of[side][r] != NONE)
            misfit[m->pairing->line_of[side][r]] |= (uint8_t)(1 << side);
    }
}

uint8_t *misfits_find(const struct measure *m, const atomic_bool *cancel)
{
    uint8_t *misfit = NULL;
    for (int s = 0; s < 2; s++) {
        const struct whole_rows *whole = joined_dump_rows(m->side[s]);
        struct side_misfits x = {.n = whole ? whole->calls->set->ranks.n : 1};
        bool any = false;
        x.of = mem_zalloc((x.n + 1) * sizeof *x.of);
        for (size_t i = 0; i < x.n; i++) {
            x.of[i] = misfit_calls(whole ? &whole->calls->set->ranks.v[i]->dump : m->side[s], cancel);
            any |= x.of[i] != NULL;
        }
        if (any && !misfit)
            misfit = mem_zalloc((m->lines + 1) * sizeof *misfit);
        if (any)
            mark_side(m, s, &x, misfit);
        for (size_t i = 0; i < x.n; i++)
            free(x.of[i]);
        free(x.of);
    }
    return misfit;
}
