/* Reads constants off figures: out = in + c and out = in × c keep the places of the extremes, out = c − in exchanges
 * them. */
#include "judge/implied_constant.h"

#include <math.h>

#include "dump/family.h"
#include "pair/align_item.h"

#define ALL_DIGITS 17
#define SURE 4 /* multiples of their uncertainty by which two constants differ */

/* The resolution of a recorded figure: its last printed digit, and the rounding of the row's type. */
static double figure_resolution(const struct dump *d, const struct row *r, double v)
{
    double type = dtype_is_float(r->dtype) ? dtype_table[r->dtype].epsilon * fabs(v) : 0;
    bool printed = d->digits > 0 && d->digits < ALL_DIGITS && v != 0;
    return type + (printed ? 0.5 * pow(10, floor(log10(fabs(v))) + 1 - d->digits) : 0);
}

/* The call's only tensor input of more than one element, if it has the output's size; NONE otherwise. */
static uint32_t only_input(const struct dump *d, uint32_t row)
{
    uint32_t found = NONE;
    EACH_EARLY_ROW(d, d->rows.v[row].call, r) {
        const struct row *x = &d->rows.v[r];
        bool tensor = (x->io == IO_INPUT || x->io == IO_PARAMETER) && x->kind == ROW_TENSOR;
        if (!tensor || dump_row_numel(d, r) == 1)
            continue;
        if (found != NONE)
            return NONE;
        found = r;
    }
    return found != NONE && dump_row_numel(d, found) == dump_row_numel(d, row) ? found : NONE;
}

/* Whether a call subtracts the tensor from its number. */
static bool subtracts_from(const struct dump *d, uint32_t call, uint32_t tensor)
{
    bool behind = false;
    EACH_EARLY_ROW(d, call, r)
        behind |= d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind != ROW_TENSOR && r < tensor;
    return align_item_does(d, call, STR("rsub")) || (behind && align_item_does(d, call, STR("sub")));
}

/* x: the figure of the input in whose place the output has that of `stat`. */
static struct implied_constant constant_at(const struct dump *d, const struct row *in, double x,
                                           const struct row *out, int stat, bool factor)
{
    double y = out->stat[stat], dx = figure_resolution(d, in, x), dy = figure_resolution(d, out, y);
    if (!isfinite(x) || !isfinite(y) || (factor && (x == 0 || y == 0)))
        return (struct implied_constant){.known = false};
    double ratio = y / x, off = fabs(ratio) * (dx / fabs(x) + dy / fabs(y));
    return (struct implied_constant){true, factor, factor ? ratio : y - x, factor ? off : dx + dy};
}

struct implied_constant implied_constant_of(const struct dump *d, uint32_t row)
{
    struct implied_constant none = {.known = false};
    const struct row *out = &d->rows.v[row];
    const struct call *c = &d->calls.v[out->call];
    const int extremes = HAS_MAX | HAS_MIN;
    if (out->io != IO_OUTPUT || out->kind != ROW_TENSOR || c->phase != PHASE_FORWARD || c->kind == CALL_MODULE ||
        (c->family != FAMILY_ADD && c->family != FAMILY_MUL))
        return none;
    uint32_t in = only_input(d, row);
    const struct row *x = in == NONE ? NULL : &d->rows.v[in];
    if (!x || (x->has & out->has & extremes) != extremes || x->stat[STAT_MAX] == x->stat[STAT_MIN])
        return none;
    bool factor = c->family == FAMILY_MUL;
    bool turned = subtracts_from(d, out->call, in);
    double max = turned ? -x->stat[STAT_MIN] : x->stat[STAT_MAX], min = turned ? -x->stat[STAT_MAX] : x->stat[STAT_MIN];
    struct implied_constant a = constant_at(d, x, max, out, STAT_MAX, factor),
                            b = constant_at(d, x, min, out, STAT_MIN, factor);
    if (!a.known || !b.known || fabs(a.value - b.value) > a.off + b.off)
        return none;
    return a.off < b.off ? a : b;
}

bool implied_constants_differ(const struct implied_constant *t, const struct implied_constant *g)
{
    return t->known && g->known && t->factor == g->factor && fabs(t->value - g->value) > SURE * (t->off + g->off);
}
