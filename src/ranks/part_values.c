/* Reads rows of ranks whole. */
#include "ranks/part_values.h"

#include <math.h>
#include <stdlib.h>

#include "dump/checksum.h"

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
    size_t size = dtype_table[t->dtype].size;
    bool held = t->numel <= PART_VALUES_MOST && dtype_table[t->dtype].klass != CLASS_COMPLEX && size;
    char *raw = held ? mem_alloc((size_t)t->numel * size + 1) : NULL;
    double *out = held ? mem_alloc(((size_t)t->numel + 1) * sizeof *out) : NULL;
    uint64_t done = 0;
    tensor_walk_init(&w, t);
    for (long got = 1; held && done < t->numel && got > 0; done += (uint64_t)(got > 0 ? got : 0))
        got = tensor_walk_next(&w, raw + done * size, (size_t)(t->numel - done), &quiet);
    held = held && done == t->numel;
    if (held)
        dtype_to_f64(t->dtype, raw, (size_t)t->numel, out);
    *numel = t->numel;
    tensor_walk_release(&w);
    tensor_close(t);
    free(raw);
    if (held)
        return out;
    free(out);
    return NULL;
}

/* Norms of the difference and of b over elements that are finite in both, after division by `unit`. */
static double ratio_of_norms(const double *a, const double *b, uint64_t n, double unit)
{
    double off = 0, all = 0;
    for (uint64_t i = 0; i < n; i++) {
        double x = isfinite(a[i]) ? a[i] / unit : 0, y = isfinite(b[i]) ? b[i] / unit : 0;
        off += (x - y) * (x - y);
        all += y * y;
    }
    return off == 0 ? 0 : all > 0 ? sqrt(off / all) : INFINITY;
}

double part_distance_finite(const double *a, const double *b, uint64_t n)
{
    double ratio = ratio_of_norms(a, b, n, 1), most = 0;
    if (!isnan(ratio))
        return ratio;
    for (uint64_t i = 0; i < n; i++) { /* squares of numbers beyond 1e154 are not finite */
        most = isfinite(a[i]) && fabs(a[i]) > most ? fabs(a[i]) : most;
        most = isfinite(b[i]) && fabs(b[i]) > most ? fabs(b[i]) : most;
    }
    return ratio_of_norms(a, b, n, most);
}

uint64_t part_other_nonfinite(const double *a, const double *b, uint64_t n)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < n; i++)
        found += !(isfinite(a[i]) && isfinite(b[i])) && a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]));
    return found;
}

double part_distance(const double *a, const double *b, uint64_t n)
{
    return part_other_nonfinite(a, b, n) ? INFINITY : part_distance_finite(a, b, n);
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
