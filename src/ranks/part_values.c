/* Reads rows of ranks, whole or a stretch at a time, and compares them. */
#include "ranks/part_values.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dump/checksum.h"

#define PART_HELD_MOST (1u << 27) /* elements held at once, whatever memory there is */

double *part_values(const struct dump *d, uint32_t row, uint64_t *numel)
{
    struct tensor t;
    struct err quiet;
    if (!dump_row_readable(d, row) || dump_row_numel(d, row) > PART_VALUES_MOST || dump_tensor(d, row, &t, &quiet))
        return NULL;
    return part_tensor_values(&t, numel);
}

double *part_tensor_values(struct tensor *t, uint64_t *numel)
{
    struct tensor_walk w;
    struct err quiet;
    bool held = t->numel <= PART_VALUES_MOST && dtype_table[t->dtype].klass != CLASS_COMPLEX &&
                dtype_table[t->dtype].size;
    double *out = held ? mem_alloc(((size_t)t->numel + 1) * sizeof *out) : NULL;
    tensor_walk_init(&w, t);
    held = held && tensor_walk_values(&w, out, (size_t)t->numel, &quiet) == 0;
    *numel = t->numel;
    tensor_walk_release(&w);
    tensor_close(t);
    if (held)
        return out;
    free(out);
    return NULL;
}

/* ---- a stretch at a time ---- */

bool part_source_open(struct part_source *s, const struct dump *d, uint32_t row)
{
    struct tensor t;
    struct err quiet;
    *s = (struct part_source){.d = d, .row = row};
    if (row == NONE || !dump_row_readable(d, row) || dump_tensor(d, row, &t, &quiet))
        return false;
    s->n = t.numel;
    bool numbers = dtype_table[t.dtype].klass != CLASS_COMPLEX && dtype_table[t.dtype].size;
    tensor_close(&t);
    return numbers;
}

void part_source_release(struct part_source *s)
{
    free(s->held);
    s->held = NULL;
}

static bool read_row_stretch(const struct part_source *s, uint64_t from, uint64_t n, double *out)
{
    struct tensor t;
    struct tensor_walk w;
    struct err quiet;
    if (dump_tensor(s->d, s->row, &t, &quiet))
        return false;
    tensor_walk_init(&w, &t);
    tensor_walk_seek(&w, from);
    bool there = t.numel == s->n && tensor_walk_values(&w, out, (size_t)n, &quiet) == 0;
    tensor_walk_release(&w);
    tensor_close(&t);
    return there;
}

bool part_sources_hold(struct part_source *s, size_t count)
{
    uint64_t all = 0, left = memory_left();
    bool there = true;
    for (size_t i = 0; i < count; i++)
        all += s[i].n;
    if (all > left / 2 / sizeof(double) || all > PART_HELD_MOST)
        return true;
    for (size_t i = 0; i < count && there; i++) {
        s[i].held = mem_alloc(((size_t)s[i].n + 1) * sizeof(double));
        there = read_row_stretch(&s[i], 0, s[i].n, s[i].held);
    }
    return there;
}

const double *part_source_at(const struct part_source *s, uint64_t from, uint64_t n, double *room)
{
    return s->held ? s->held + from : read_row_stretch(s, from, n, room) ? room : NULL;
}

/* ---- distances ---- */

void part_sums_add(struct part_sums *s, const double *a, const double *b, uint64_t n)
{
    double unit = s->unit > 0 ? s->unit : 1;
    for (uint64_t i = 0; i < n; i++) {
        bool fine = isfinite(a[i]) && isfinite(b[i]);
        double x = isfinite(a[i]) ? a[i] / unit : 0, y = isfinite(b[i]) ? b[i] / unit : 0;
        s->off += (x - y) * (x - y);
        s->all += y * y;
        s->most = isfinite(a[i]) && fabs(a[i]) > s->most ? fabs(a[i]) : s->most;
        s->most = isfinite(b[i]) && fabs(b[i]) > s->most ? fabs(b[i]) : s->most;
        s->other += !fine && a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]));
    }
}

double part_sums_ratio(const struct part_sums *s)
{
    return s->off == 0 ? 0 : s->all > 0 ? sqrt(s->off / s->all) : INFINITY;
}

double part_distance_finite(const double *a, const double *b, uint64_t n)
{
    struct part_sums s = {.unit = 0};
    part_sums_add(&s, a, b, n);
    double ratio = part_sums_ratio(&s);
    if (!isnan(ratio))
        return ratio;
    struct part_sums scaled = {.unit = s.most}; /* squares of numbers beyond 1e154 overflow */
    part_sums_add(&scaled, a, b, n);
    return part_sums_ratio(&scaled);
}

double part_distance(const double *a, const double *b, uint64_t n)
{
    struct part_sums s = {.unit = 1};
    part_sums_add(&s, a, b, n);
    return s.other ? INFINITY : part_distance_finite(a, b, n);
}

static bool sum_row_differences(struct part_sums *s, const struct part_source *a, uint64_t a_from,
                                const struct part_source *b, uint64_t b_from, uint64_t n, double *room)
{
    for (uint64_t done = 0, take; done < n; done += take) {
        take = part_stretch(a->held && b->held, n - done);
        const double *x = part_source_at(a, a_from + done, take, room);
        const double *y = part_source_at(b, b_from + done, take, room ? room + take : NULL);
        if (!x || !y)
            return false;
        part_sums_add(s, x, y, take);
    }
    return true;
}

double part_sources_distance(const struct part_source *a, uint64_t a_from, const struct part_source *b,
                             uint64_t b_from, uint64_t n)
{
    bool held = a->held && b->held;
    double *room = held ? NULL : mem_alloc(2 * ((size_t)part_stretch(false, n) + 1) * sizeof *room);
    struct part_sums s = {.unit = 0};
    bool there = a_from + n <= a->n && b_from + n <= b->n && sum_row_differences(&s, a, a_from, b, b_from, n, room);
    double ratio = s.other ? INFINITY : part_sums_ratio(&s);
    if (there && isnan(ratio)) { /* squares of numbers beyond 1e154 are not finite */
        struct part_sums scaled = {.unit = s.most};
        there = sum_row_differences(&scaled, a, a_from, b, b_from, n, room);
        ratio = part_sums_ratio(&scaled);
    }
    free(room);
    return there ? ratio : NAN;
}

double part_rows_distance(const struct dump *a, uint32_t x, const struct dump *b, uint32_t y)
{
    struct part_source p[2];
    if (!part_source_open(&p[0], a, x) || !part_source_open(&p[1], b, y))
        return NAN;
    return p[0].n == p[1].n ? part_sources_distance(&p[0], 0, &p[1], 0, p[0].n) : INFINITY;
}

bool part_same_figures(const struct row *a, const struct row *b)
{
    enum checksum_answer sums = a->has & b->has & HAS_CHECKSUM ? checksum_compare(a->text, b->text) : CHECKSUM_OTHER;
    if (sums != CHECKSUM_OTHER)
        return sums == CHECKSUM_SAME;
    for (int i = 0; i < STAT_COUNT; i++)
        if ((a->has & b->has) >> i & 1 && a->stat[i] != b->stat[i] && !(isnan(a->stat[i]) && isnan(b->stat[i])))
            return false;
    return true;
}
