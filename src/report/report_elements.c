/* The section of the first deviation's elements: their positions in the tensor, and the distributions of errors and
 * values. */
#include <math.h>

#include "base/digits.h"
#include "base/msg.h"
#include "base/num.h"
#include "measure/heat_map.h"
#include "measure/tensor_stats.h"
#include "report/report_sections.h"

#define READ_MOST (1ull << 26) /* elements of a tensor that are read for a report */
#define ROWS_MOST 48
#define CELLS_MOST 96
#define WORST 6
#define SPREAD_LEAST 64 /* elements: fewer have no spread */

static bool is_cancelled(const struct building *b)
{
    return b->o->watch && atomic_load(&b->o->watch->cancel);
}

/* The plane of the last two axes through the largest error. */
static void ask_for_worst_plane(const struct element_lens *l, const struct tensor_stats *t, struct heat_map_ask *ask)
{
    static const int64_t most[2] = {ROWS_MOST, CELLS_MOST};
    *ask = (struct heat_map_ask){.axis = {l->ndim - 2, l->ndim - 1}};
    if (t->worsts)
        element_lens_place(l, t->worst[0].at, ask->at);
    else if (t->odds)
        element_lens_place(l, t->odd[0].at, ask->at);
    for (int i = 0; i < 2; i++) {
        int a = ask->axis[i];
        ask->count[i] = a < 0 ? 1 : l->shape[a];
        ask->size[i] = (ask->count[i] + most[i] - 1) / most[i];
        if (a >= 0)
            ask->at[a] = 0;
    }
}

static const char *axis_text(struct building *b, const struct element_lens *l, const struct heat_map_ask *ask, int i)
{
    if (ask->axis[i] < 0)
        return "";
    if (ask->size[i] == 1)
        return arena_fmt(&b->d->arena, _("axis %d, 0 … %lld"), ask->axis[i], (long long)l->shape[ask->axis[i]] - 1);
    return arena_fmt(&b->d->arena, _("axis %d, 0 … %lld, the extreme of every %lld"), ask->axis[i],
                     (long long)l->shape[ask->axis[i]] - 1, (long long)ask->size[i]);
}

/* "at [3, ·, ·]": the position on the axes that are not shown. */
static const char *plane_text(struct building *b, const struct element_lens *l, const struct heat_map_ask *ask)
{
    struct buf t = {0};
    if (l->ndim < 3)
        return "";
    for (int i = 0; i < l->ndim; i++)
        if (i == ask->axis[0] || i == ask->axis[1])
            buf_cstr(&t, i ? ", ·" : "·");
        else
            buf_fmt(&t, i ? ", %lld" : "%lld", (long long)ask->at[i]);
    const char *s = arena_fmt(&b->d->arena, _("The plane [%s] of the tensor, through the element with the largest "
                                              "error."), t.p);
    buf_release(&t);
    return s;
}

static int heat_drawn(struct building *b, const struct element_lens *l, const struct tensor_stats *t, struct err *e)
{
    struct heat_map h;
    struct heat_map_ask ask;
    int rc = 0;
    ask_for_worst_plane(l, t, &ask);
    heat_map_init(&h, l, &ask);
    while (rc == 0 && !heat_map_complete(&h) && h.read < READ_MOST && !is_cancelled(b)) {
        rc = heat_map_read(&h, e);
        if (rc == 0)
            heat_map_count(&h);
    }
    struct picture p = {.kind = DRAWN_CELLS, .id = "first-difference",
                        .title = _("Difference of the tensors: |target − golden|"), .text = plane_text(b, l, &ask),
                        .rows = h.h, .cells = h.w, .most = h.most[HEAT_MAP_ERROR]};
    p.value = arena_alloc(&b->d->arena, (size_t)h.h * (size_t)h.w * sizeof(double));
    for (int i = 0; i < h.h * h.w; i++)
        p.value[i] = !h.cell[i].seen ? NAN : h.cell[i].odd[HEAT_MAP_ERROR] ? INFINITY : h.cell[i].value[HEAT_MAP_ERROR];
    for (int i = 0; i < 2; i++)
        p.axis[i] = axis_text(b, l, &ask, i);
    if (rc == 0)
        doc_picture(b->d, &p);
    heat_map_release(&h);
    return rc;
}

/* ---- how they are spread ---- */

static void widen_span(const uint64_t *bins, int *low, int *high)
{
    int from, to;
    if (!tensor_stats_span(bins, &from, &to))
        return;
    *low = *high && *low < from ? *low : from;
    *high = *high > to ? *high : to;
}

static void add_bins_series(struct building *b, struct picture *p, const char *id, const char *name,
                            enum picture_style look, const uint64_t *bins, const uint64_t *more)
{
    uint32_t k = p->count;
    picture_series(p, &b->d->arena, id, name, look);
    p->bin[k] = arena_zalloc(&b->d->arena, ((size_t)p->bins + 1) * sizeof(uint64_t));
    p->zero[k] = bins[0] + (more ? more[0] : 0);
    for (int i = 0; i < p->bins; i++) {
        int at = p->first + TENSOR_STATS_UNIT + i;
        p->bin[k][i] = bins[at] + (more ? more[at] : 0);
    }
}

static void spread_drawn(struct building *b, const struct tensor_stats *t)
{
    int low = 0, high = 0;
    for (int s = 0; s < 2; s++)
        for (int sign = 0; sign < 2; sign++)
            widen_span(t->values[s][sign], &low, &high);
    struct picture p = {.kind = DRAWN_COUNTS, .id = "first-values", .title = _("Magnitude of the values"),
                        .text = _("Number of elements by magnitude, one bar per power of two; heights are "
                                  "logarithmic."),
                        .first = low - TENSOR_STATS_UNIT, .bins = high ? high - low + 1 : 0};
    add_bins_series(b, &p, "target", _("target"), LOOK_TARGET, t->values[0][0], t->values[0][1]);
    add_bins_series(b, &p, "golden", _("golden"), LOOK_GOLDEN, t->values[1][0], t->values[1][1]);
    if (picture_most(&p))
        doc_picture(b->d, &p);
    low = high = 0;
    widen_span(t->errors, &low, &high);
    p = (struct picture){.kind = DRAWN_COUNTS, .id = "first-errors", .title = _("Magnitude of the errors"),
                         .text = _("Number of elements by magnitude of the error, one bar per power of two; heights "
                                   "are logarithmic."),
                         .first = low - TENSOR_STATS_UNIT, .bins = high ? high - low + 1 : 0};
    add_bins_series(b, &p, "error", "|target − golden|", LOOK_DIFFERENCE, t->errors, NULL);
    if (high)
        doc_picture(b->d, &p);
}

static void add_worst_elements(struct building *b, const struct element_lens *l, const struct tensor_stats *t)
{
    const char *const head[] = {_("element"), _("target"), _("golden"), _("difference"), "ULP"};
    char n[NUM_MAX];
    if (t->worsts)
        doc_table(b->d, ARRAY_LEN(head), head);
    for (int i = 0; i < t->worsts && i < WORST; i++) {
        const struct tensor_stats_place *x = &t->worst[i];
        struct buf at = {0};
        int64_t place[TENSOR_DIMS];
        element_lens_place(l, x->at, place);
        for (int k = 0; k < l->ndim; k++)
            buf_fmt(&at, k ? ", %lld" : "[%lld", (long long)place[k]);
        buf_char(&at, ']');
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, buf_view(&at));
        for (int s = 0; s < 2; s++)
            doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(num_cell(n, x->v[s], digits_apart(x->v[0], x->v[1]))));
        doc_cell(b->d, DOC_NUMBER, TONE_BAD, str_of(num_cell(n, x->error, 4)));
        doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(num_cell(n, element_lens_ulp(l, x->v[0], x->v[1]), 4)));
        buf_release(&at);
    }
}

static void add_element_counts(struct building *b, const struct element_lens *l, const struct tensor_stats *t)
{
    char n[4][NUM_MAX];
    if (!tally_complete(t))
        doc_say(b->d, TONE_QUIET, _("%2$s of %1$s elements were sampled from the whole "
                                    "tensor."), num_count(n[0], l->numel),
                num_count(n[1], t->read));
    doc_say(b->d, TONE_PLAIN, _("Elements: %s; equal: %s; with a relative error below 0.001: %s."),
            num_count(n[0], t->read), num_count(n[1], t->equal), num_count(n[2], t->thousandth));
    if (t->unlike)
        doc_say(b->d, TONE_BAD, _("%s elements are non-finite on one side only."), num_count(n[0], t->unlike));
}

static int add_element_facts(struct building *b, const struct element_lens *l, struct err *e)
{
    struct tensor_stats *t = mem_zalloc(sizeof *t);
    int rc = 0;
    tensor_stats_init(t, l);
    while (rc == 0 && !tally_complete(t) && t->read < READ_MOST && !is_cancelled(b)) {
        rc = tensor_stats_read(t, e);
        if (rc == 0)
            tensor_stats_count(t);
    }
    if (rc == 0) {
        doc_heading(b->d, _("Elements"));
        add_element_counts(b, l, t);
        rc = heat_drawn(b, l, t, e);
    }
    if (rc == 0) {
        add_worst_elements(b, l, t);
        if (t->read >= SPREAD_LEAST)
            spread_drawn(b, t);
    }
    tensor_stats_release(t);
    free(t);
    return rc;
}

void report_elements(struct building *b, uint32_t line)
{
    struct tensor t[2];
    struct element_lens l;
    struct err e = {0};
    struct measure_job job;
    if (!measure_how(b->m, line, &job)) {
        doc_say(b->d, TONE_QUIET, "%s", _("No elements to show: the tensors of both sides were not recorded, or their "
                                          "shapes do not match."));
        return;
    }
    const struct dump *const side[2] = {b->m->side[TARGET], b->m->side[GOLDEN]};
    if (measure_open_job(side, &job, t, &e)) {
        doc_say(b->d, TONE_WARN, "%s", e.text);
        return;
    }
    bool complex[2];
    for (int d = 0; d < 2; d++)
        complex[d] = dtype_table[t[d].dtype].klass == CLASS_COMPLEX;
    if (complex[0] != complex[1]) { /* the diagnosis says so */
        tensor_close(&t[0]);
        tensor_close(&t[1]);
        return;
    }
    element_lens_init(&l, &t[0], &t[1]);
    if (l.numel && add_element_facts(b, &l, &e))
        doc_say(b->d, TONE_WARN, "%s", e.text);
    element_lens_release(&l);
}
