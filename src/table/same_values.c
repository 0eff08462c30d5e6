/* Searches all rows for the figures of a given row. */
#include "table/same_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "judge/table_verdicts.h"

/* Maximum, minimum, mean and L2 norm of a row, computed if its tensor was compared, otherwise recorded; absent ones are
 * NaN. False if it has neither. */
static bool row_figures(const struct comparison *s, int side, uint32_t row, double out[STAT_COUNT])
{
    static const int bit[STAT_COUNT] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    const struct dump *d = &s->side[side].dump;
    const struct row *r = &d->rows.v[row];
    uint32_t line = s->paired ? s->pairing->line_of[side][row] : NONE;
    const struct figures *f = line != NONE ? measure_figures(&s->measure, line) : NULL;
    bool any = false;
    if (r->kind != ROW_TENSOR)
        return false;
    for (int i = 0; i < STAT_COUNT; i++) {
        out[i] = r->has & bit[i] ? r->stat[i] : NAN;
        if (f) {
            const struct side_figures *x = &f->side[side];
            const double v[STAT_COUNT] = {x->max, x->min, x->mean, x->norm};
            out[i] = v[i];
        }
        any = any || !isnan(out[i]);
    }
    return any;
}

/* Relative to the larger; infinite if only one is present or finite. */
static double relative_gap(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : INFINITY;
    if (a == b)
        return 0;
    double size = fmax(fabs(a), fabs(b));
    return isinf(size) ? INFINITY : fabs(a - b) / size;
}

static int compare_nearness(const void *a, const void *b)
{
    const struct same_values_row *x = a, *y = b;
    if (x->off < y->off || x->off > y->off)
        return x->off < y->off ? -1 : 1;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

int same_values_find(const struct comparison *s, int side, uint32_t row, double tolerance, same_values_list *out)
{
    static const int told[] = {STAT_MAX, STAT_MIN, STAT_NORM};
    double mine[STAT_COUNT], theirs[STAT_COUNT];
    if (!row_figures(s, side, row, mine))
        return -1;
    uint64_t numel = dump_row_numel(&s->side[side].dump, row);
    for (int k = 0; k < 2 && !(k && s->single); k++) {
        const struct dump *d = &s->side[k].dump;
        for (uint32_t r = 0; r < d->rows.n; r++) {
            if ((k == side && r == row) || dump_row_numel(d, r) != numel || !row_figures(s, k, r, theirs))
                continue;
            struct same_values_row x = {.side = (uint8_t)k, .row = r};
            for (size_t i = 0; i < ARRAY_LEN(told); i++)
                x.off = fmax(x.off, relative_gap(mine[told[i]], theirs[told[i]]));
            if (x.off <= tolerance)
                vec_push(out, x);
        }
    }
    vec_sort(out, compare_nearness);
    return 0;
}

static bool printed_alike(double a, double b, int digits)
{
    char x[NUM_MAX], y[NUM_MAX];
    if (!(fabs(a - b) <= 0.2 * fabs(a))) /* cheap, and true of all that are */
        return false;
    return strcmp(num_cell(x, a, digits), num_cell(y, b, digits)) == 0;
}

/* The errors of a line's pair, computed, or printed by a result table. False: not known. */
static bool pair_errors(const struct comparison *s, uint32_t line, struct same_values_error *out)
{
    const struct figures *f = measure_figures(&s->measure, line);
    *out = (struct same_values_error){.line = line, .cosine = NAN};
    if (f && f->two) {
        out->max_abs = f->max_abs;
        out->cosine = f->cosine;
        return true;
    }
    table_verdicts_figure(&s->measure, line, RESULT_COSINE, &out->cosine);
    return table_verdicts_figure(&s->measure, line, RESULT_MAX_ABS, &out->max_abs);
}

/* Whether the golden values of two lines have the same maximum, minimum and mean, as printed. */
static bool golden_alike(const struct comparison *s, uint32_t a, uint32_t b)
{
    static const int told[] = {STAT_MAX, STAT_MIN, STAT_MEAN};
    const uint32_t row[] = {s->pairing->lines.v[a].row[GOLDEN], s->pairing->lines.v[b].row[GOLDEN]};
    double x[STAT_COUNT], y[STAT_COUNT];
    char n[2][NUM_MAX];
    if (row[0] == NONE || row[1] == NONE || !row_figures(s, GOLDEN, row[0], x) || !row_figures(s, GOLDEN, row[1], y))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(told); i++)
        if (isnan(x[told[i]]) || strcmp(num_cell(n[0], x[told[i]], 5), num_cell(n[1], y[told[i]], 5)) != 0)
            return false;
    return true;
}

void same_values_errors(const struct comparison *s, uint32_t line, size_t most, same_values_errors_list *out)
{
    struct same_values_error own, other;
    if (!s->paired || !pair_errors(s, line, &own) || !(own.max_abs > 0))
        return;
    for (uint32_t i = 0; i < s->pairing->lines.n && out->n < most; i++) {
        if (i == line || !pair_errors(s, i, &other))
            continue;
        other.golden_too = golden_alike(s, line, i);
        bool same = printed_alike(own.max_abs, other.max_abs, 4) ||
                    (printed_alike(own.max_abs, other.max_abs, 2) && printed_alike(own.cosine, other.cosine, 9));
        if (same)
            vec_push(out, other);
    }
}
