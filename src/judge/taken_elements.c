/* Looks for each pair of elements among those of earlier rows whose extremes enclose them. */
#include "judge/taken_elements.h"

#include <stdlib.h>

#include "measure/element_sample.h"

#define ROWS_BACK 1024  /* the most earlier rows looked at */
#define PAIRS_READ 64   /* the most of these that are read */
#define LEAST 2         /* elements: fewer are found by chance */

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int s = 0; s < 2; s++)
        if (x[s] != y[s])
            return x[s] < y[s] ? -1 : 1;
    return 0;
}

/* The elements of a line as pairs; NULL: not all of them can be read, or some are not finite. */
static double *pairs_of(const struct measure *m, uint32_t line, size_t *n)
{
    struct element_sample s;
    struct err quiet = {0};
    if (element_sample_take(&s, m, line, &quiet) < 0)
        return NULL;
    double *v = s.at || s.finite < s.n ? NULL : mem_alloc((s.n + 1) * 2 * sizeof *v);
    for (size_t i = 0; v && i < s.n; i++)
        for (int side = 0; side < 2; side++)
            v[2 * i + (size_t)side] = s.v[side][i];
    *n = s.n;
    element_sample_release(&s);
    return v;
}

static double *pairs_in_order(const struct measure *m, uint32_t line, size_t *n)
{
    double *v = pairs_of(m, line, n);
    if (v)
        qsort(v, *n, 2 * sizeof *v, by_value);
    return v;
}

static bool figures_enclose(const struct figures *all, const struct figures *part)
{
    for (int s = 0; s < 2; s++)
        if (!(all->side[s].max >= part->side[s].max && all->side[s].min <= part->side[s].min))
            return false;
    return true;
}

/* The place among n pairs in order of the first that is this one; n: it is not among them. */
static size_t place_of(const double *v, size_t n, const double *pair)
{
    size_t from = 0, to = n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (by_value(&v[2 * middle], pair) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < n && by_value(&v[2 * from], pair) == 0 ? from : n;
}

/* Whether a line's elements have all n pairs, which are in order. Most lines lack the first one already. */
static bool holds_all(const struct measure *m, uint32_t line, const double *part, size_t n)
{
    size_t count = 0, met = 0;
    double *all = pairs_of(m, line, &count);
    bool *seen = mem_zalloc((n + 1) * sizeof *seen), first = false;
    for (size_t i = 0; all && i < count && !first; i++)
        first = by_value(&all[2 * i], part) == 0;
    for (size_t i = 0; first && i < count; i++) {
        size_t at = place_of(part, n, &all[2 * i]);
        if (at < n)
            seen[at] = true;
    }
    for (size_t i = 0; i < n; i++) { /* of equal ones the first was marked */
        seen[i] = seen[i] || (i && seen[i - 1] && by_value(&part[2 * i], &part[2 * (i - 1)]) == 0);
        met += seen[i];
    }
    free(all);
    free(seen);
    return first && met == n;
}

/* The figures of an earlier row r of the target, and its line, if it may hold elements of a row: it holds what no row
 * before it holds, and the sides differ in it. Else NULL. */
static const struct figures *source_figures(const struct measure *m, const struct dataflow *flow, uint32_t r,
                                            uint32_t row, uint32_t *of)
{
    const struct dump *d = m->side[TARGET];
    bool first = flow->held[r] == NONE && d->rows.v[r].call != d->rows.v[row].call; /* others hold what it holds */
    *of = first ? m->pairing->line_of[TARGET][r] : NONE;
    bool paired = *of != NONE && d->rows.v[r].kind == ROW_TENSOR && m->pairing->lines.v[*of].pair != NONE;
    const struct figures *x = paired ? measure_figures(m, *of) : NULL;
    return x && x->two && x->rel_l2 > 0 ? x : NULL;
}

uint32_t taken_elements_from(const struct measure *m, const struct dataflow *flow, uint32_t line)
{
    const struct figures *f = measure_figures(m, line);
    uint32_t row = m->pairing->lines.v[line].row[TARGET], found = NONE, of;
    size_t n = 0;
    int read = 0;
    double *part = f && f->two && dump_row_numel(m->side[TARGET], row) >= LEAST ? pairs_in_order(m, line, &n) : NULL;
    for (uint32_t r = row; part && found == NONE && r-- > 0 && row - r <= ROWS_BACK && read < PAIRS_READ;) {
        const struct figures *x = source_figures(m, flow, r, row, &of);
        if (!x || !figures_enclose(x, f))
            continue;
        read++;
        found = holds_all(m, of, part, n) ? of : NONE;
    }
    free(part);
    return found;
}
