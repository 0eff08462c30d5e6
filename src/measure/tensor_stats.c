/* Counts a tensor pair's elements in histograms, along axes and in lists of the worst, range by range. */
#include "measure/tensor_stats.h"

#include <math.h>

void tensor_stats_init(struct tensor_stats *t, const struct element_lens *l)
{
    struct element_lens_plane all = element_lens_all(l);
    memset(t, 0, sizeof *t);
    t->numel = l->numel;
    for (int i = 0; i < l->ndim; i++) {
        struct tensor_stats_strip *s = &t->strip[i];
        s->size = l->shape[i] > TENSOR_STATS_STRIP ? (l->shape[i] + TENSOR_STATS_STRIP - 1) / TENSOR_STATS_STRIP : 1;
        s->bins = (int)((l->shape[i] + s->size - 1) / s->size);
    }
    lens_read_init(&t->reader, l, &all);
    size_t run, row;
    lens_read_pace(&t->reader, &run, &row);
    lens_sweep_init(&t->sweep, l->numel, run, row);
}

void tensor_stats_release(struct tensor_stats *t)
{
    lens_read_release(&t->reader);
    memset(t, 0, sizeof *t);
}

int tensor_stats_read(struct tensor_stats *t, struct err *e)
{
    t->n = 0;
    if (!lens_sweep_take(&t->sweep, &t->at, &t->n))
        return 0;
    return lens_read(&t->reader, t->at, t->n, e);
}

static int bin_of(double v)
{
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    int b = (int)(u >> 52 & 0x7ff);
    return b || v == 0 ? b : 1; /* a denormal double is not zero */
}

static bool shown_before(const struct tensor_stats_place *a, const struct tensor_stats_place *b)
{
    return a->error > b->error || (a->error == b->error && a->at < b->at);
}

static void keep_worst(struct tensor_stats *t, const struct tensor_stats_place *p)
{
    if (!(p->error > 0) || (t->worsts == TENSOR_STATS_WORST && !shown_before(p, &t->worst[TENSOR_STATS_WORST - 1])))
        return;
    int i = t->worsts < TENSOR_STATS_WORST ? t->worsts++ : TENSOR_STATS_WORST - 1;
    for (; i > 0 && shown_before(p, &t->worst[i - 1]); i--)
        t->worst[i] = t->worst[i - 1];
    t->worst[i] = *p;
}

static void keep_odd(struct tensor_stats *t, const struct tensor_stats_place *p)
{
    if (t->odds == TENSOR_STATS_ODD && p->at > t->odd[TENSOR_STATS_ODD - 1].at)
        return;
    int i = t->odds < TENSOR_STATS_ODD ? t->odds++ : TENSOR_STATS_ODD - 1;
    for (; i > 0 && p->at < t->odd[i - 1].at; i--)
        t->odd[i] = t->odd[i - 1];
    t->odd[i] = *p;
}

/* Counts one element; returns its error (|v| for one side alone), Inf if it is non-finite unlike the other side. */
static double count_one(struct tensor_stats *t, const struct element_lens *l, size_t i, uint64_t at)
{
    struct tensor_stats_place p = {.at = at, .v = {NAN, NAN}};
    bool odd = false, two = l->has[0] && l->has[1];
    for (int d = 0; d < 2; d++) {
        if (!l->has[d])
            continue;
        double v = p.v[d] = t->reader.v[d][i];
        if (isfinite(v)) {
            t->values[d][signbit(v) != 0][bin_of(v)]++;
            p.error = fabs(v);
            continue;
        }
        odd = true;
        t->nan[d] += isnan(v) != 0;
        t->inf[d] += isinf(v) != 0;
    }
    if (odd) {
        bool alike = two && ((isnan(p.v[0]) && isnan(p.v[1])) || p.v[0] == p.v[1]);
        p.error = alike ? 0 : INFINITY;
        t->unlike += two && !alike;
        t->equal += alike;
        keep_odd(t, &p);
        return p.error;
    }
    if (two) {
        double error = fabs(p.v[0] - p.v[1]), g = fabs(p.v[1]);
        p.error = error;
        t->errors[bin_of(error)]++;
        t->ulps[bin_of(element_lens_ulp(l, p.v[0], p.v[1]))]++;
        t->equal += error == 0;
        t->thousandth += error == 0 || error < 0.001 * g;
    }
    if (t->worsts < TENSOR_STATS_WORST || p.error >= t->worst[TENSOR_STATS_WORST - 1].error)
        keep_worst(t, &p);
    return p.error;
}

static void note_error(struct tensor_stats_strip *s, int64_t index, double error)
{
    int64_t b = index / s->size;
    s->seen[b] = true;
    if (error > s->worst[b])
        s->worst[b] = error;
}

void tensor_stats_count(struct tensor_stats *t)
{
    const struct element_lens *l = t->reader.l;
    int last = l->ndim - 1;
    int64_t at[TENSOR_DIMS], size = t->strip[last].size;
    element_lens_place(l, t->at, at);
    for (size_t i = 0; i < t->n;) {
        int64_t from = at[last], end = (from / size + 1) * size; /* of the bin along the last axis */
        if (end > l->shape[last])
            end = l->shape[last];
        double worst = 0;
        for (; at[last] < end && i < t->n; at[last]++, i++) {
            double error = count_one(t, l, i, t->at + i);
            worst = error > worst ? error : worst;
        }
        note_error(&t->strip[last], from, worst);
        for (int k = 0; k < last; k++)
            note_error(&t->strip[k], at[k], worst);
        for (int k = last; k > 0 && at[k] == l->shape[k]; k--) {
            at[k] = 0;
            at[k - 1]++;
        }
    }
    t->read += t->n;
    t->n = 0;
}

bool tensor_stats_span(const uint64_t bins[TENSOR_STATS_SPREAD], int *low, int *high)
{
    *low = *high = 0;
    for (int i = 1; i < TENSOR_STATS_SPREAD; i++)
        if (bins[i]) {
            *low = *low ? *low : i;
            *high = i;
        }
    return *high > 0;
}
