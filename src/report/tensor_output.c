/* Writes the tensor view's statistics of a row as JSON. */
#include "report/tensor_output.h"

#include <math.h>

#include "base/json_write.h"

static void write_tensor_side(struct jsonw *w, const struct tensor_report *r, int d)
{
    const struct tensor_stats *t = r->tally;
    jw_key(w, d ? "golden" : "target");
    if (!r->lens->has[d]) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kstr(w, "row", r->name[d]);
    jw_kcstr(w, "dtype", dtype_table[r->lens->t[d].dtype].name);
    jw_kint(w, "nan", (int64_t)t->nan[d]);
    jw_kint(w, "inf", (int64_t)t->inf[d]);
    jw_kint(w, "zero", (int64_t)(t->values[d][0][0] + t->values[d][1][0]));
    jw_end_object(w);
}

static void write_element_place(struct jsonw *w, const struct element_lens *l, uint64_t index)
{
    int64_t at[TENSOR_DIMS];
    element_lens_place(l, index, at);
    jw_karray(w, "at");
    for (int i = 0; i < l->ndim; i++)
        jw_int(w, at[i]);
    jw_end_array(w);
}

static void write_element_places(struct jsonw *w, const struct element_lens *l, const char *key,
                                 const struct tensor_stats_place *p, int n)
{
    bool two = l->has[0] && l->has[1];
    jw_karray(w, key);
    for (int i = 0; i < n; i++) {
        jw_object(w);
        write_element_place(w, l, p[i].at);
        for (int d = 0; d < 2; d++)
            jw_knum_if(w, d ? "golden" : "target", l->has[d], p[i].v[d]);
        bool finite = isfinite(p[i].v[0]) && isfinite(p[i].v[1]);
        jw_knum_if(w, "error", two && finite, p[i].error);
        two && finite && dtype_is_float(l->coarser) ? jw_knum(w, "ulp", element_lens_ulp(l, p[i].v[0], p[i].v[1]))
                                                    : jw_knull(w, "ulp");
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void write_histogram_bin(struct jsonw *w, double from, double to, uint64_t count)
{
    jw_object(w);
    jw_knum(w, "from", from);
    jw_knum(w, "to", to);
    jw_kint(w, "count", (int64_t)count);
    jw_end_object(w);
}

static void write_bins_upward(struct jsonw *w, const uint64_t bins[TENSOR_STATS_SPREAD])
{
    for (int i = 1; i < TENSOR_STATS_SPREAD; i++)
        if (bins[i])
            write_histogram_bin(w, ldexp(1, i - TENSOR_STATS_UNIT), ldexp(1, i + 1 - TENSOR_STATS_UNIT), bins[i]);
}

/* Powers of two that occur, from the lowest to the highest. */
static void write_histogram(struct jsonw *w, const char *key, const uint64_t *negative, const uint64_t *bins)
{
    uint64_t zero = bins[0] + (negative ? negative[0] : 0);
    jw_karray(w, key);
    for (int i = TENSOR_STATS_SPREAD - 1; negative && i > 0; i--)
        if (negative[i])
            write_histogram_bin(w, -ldexp(1, i + 1 - TENSOR_STATS_UNIT), -ldexp(1, i - TENSOR_STATS_UNIT), negative[i]);
    if (zero)
        write_histogram_bin(w, 0, 0, zero);
    write_bins_upward(w, bins);
    jw_end_array(w);
}

static void write_axis_strips(struct jsonw *w, const struct element_lens *l, const struct tensor_stats *t)
{
    jw_karray(w, "strips");
    for (int i = 0; i < l->ndim; i++) {
        jw_object(w);
        jw_kint(w, "axis", i);
        jw_kint(w, "indices", t->strip[i].size);
        jw_karray(w, "worst");
        for (int b = 0; b < t->strip[i].bins; b++)
            jw_num(w, t->strip[i].worst[b]);
        jw_end_array(w);
        jw_end_object(w);
    }
    jw_end_array(w);
}

void tensor_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct tensor_report *r = result;
    (void)o;
    const struct element_lens *l = r->lens;
    const struct tensor_stats *t = r->tally;
    bool two = l->has[0] && l->has[1];
    jw_result(w);
    write_tensor_side(w, r, 0);
    write_tensor_side(w, r, 1);
    jw_karray(w, "shape");
    for (int i = 0; i < l->ndim; i++)
        jw_int(w, l->shape[i]);
    jw_end_array(w);
    jw_kint(w, "elements", (int64_t)l->numel);
    jw_kint_if(w, "equal", two, (int64_t)t->equal);
    jw_kint_if(w, "below_thousandth", two, (int64_t)t->thousandth);
    jw_kint_if(w, "unlike", two, (int64_t)t->unlike);
    write_element_places(w, l, "worst", t->worst, t->worsts);
    write_element_places(w, l, "nonfinite", t->odd, t->odds);
    for (int d = 0; d < 2; d++)
        l->has[d] ? write_histogram(w, d ? "golden_values" : "target_values", t->values[d][1], t->values[d][0])
                  : jw_knull(w, d ? "golden_values" : "target_values");
    two ? write_histogram(w, "errors", NULL, t->errors) : jw_knull(w, "errors");
    two && dtype_is_float(l->coarser) ? write_histogram(w, "ulps", NULL, t->ulps) : jw_knull(w, "ulps");
    write_axis_strips(w, l, t);
    jw_end_object(w);
}
