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

/* The elements of a line as pairs in order; NULL: not all of them can be read, or some are not finite. */
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

/* Whether n pairs in order have this one from `at` on, which moves to it, or to where it would be. */
static bool has_pair(const double *all, size_t n, size_t *at, const double *pair)
{
    while (*at < n && by_value(&all[2 * *at], pair) < 0)
        ++*at;
    return *at < n && by_value(&all[2 * *at], pair) == 0;
}

static bool holds_all(const struct measure *m, uint32_t line, const double *part, size_t n)
{
    size_t count = 0;
    double *all = pairs_of(m, line, &count);
    bool found = all != NULL;
    for (size_t i = 0, at = 0; found && i < n; i++)
        found = has_pair(all, count, &at, &part[2 * i]);
    free(all);
    return found;
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
    double *part = f && f->two && dump_row_numel(m->side[TARGET], row) >= LEAST ? pairs_of(m, line, &n) : NULL;
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

/* Marks the pairs of a line that an earlier line has, if all of those of it that differ are there, at least `least`. */
static void mark_taken(const struct measure *m, uint32_t from, size_t least, const double *whole, size_t n,
                       bool *marked)
{
    size_t count = 0, differ = 0;
    double *part = pairs_of(m, from, &count);
    if (!part)
        return;
    size_t *place = mem_alloc((count + 1) * sizeof *place);
    bool all = true;
    for (size_t i = 0, at = 0; all && i < count; i++) {
        if (part[2 * i] == part[2 * i + 1])
            continue;
        all = has_pair(whole, n, &at, &part[2 * i]);
        place[differ++] = at;
    }
    all = all && differ >= least;
    for (size_t i = 0; all && i < differ; i++)
        for (size_t at = place[i]; at < n && by_value(&whole[2 * at], &whole[2 * place[i]]) == 0; at++)
            marked[at] = true;
    free(part);
    free(place);
}

bool taken_elements_joined(const struct measure *m, const struct dataflow *flow, uint32_t line, size_t least,
                           bool (*agrees)(const void *context, uint32_t line), const void *context)
{
    const struct figures *f = measure_figures(m, line);
    const struct dump *d = m->side[TARGET];
    uint32_t row = m->pairing->lines.v[line].row[TARGET], of;
    size_t n = 0, open = 0;
    int read = 0;
    double *whole = f && f->two ? pairs_of(m, line, &n) : NULL;
    if (!whole)
        return false;
    bool *marked = mem_zalloc((n + 1) * sizeof *marked);
    for (uint32_t r = row; r-- > 0 && row - r <= ROWS_BACK && read < PAIRS_READ;) {
        const struct figures *x = source_figures(m, flow, r, row, &of);
        if (!x || dump_row_numel(d, r) >= n || !figures_enclose(f, x) || !agrees(context, of))
            continue;
        read++;
        mark_taken(m, of, least, whole, n, marked);
    }
    for (size_t i = 0; i < n; i++)
        open += !marked[i] && whole[2 * i] != whole[2 * i + 1];
    free(whole);
    free(marked);
    return open == 0;
}
