/* Finds the rows that are the step's inputs, by names, types and use, and compares them exactly. */
#include "judge/step_inputs.h"

#include <math.h>

#include "base/msg.h"
#include "dump/checksum.h"
#include "dump/family.h"
#include "dump/role.h"
#include "pair/repeated.h"

static const char *const names[INPUT_COUNT] = {
    "input_ids", "labels", "position_ids", "attention_mask", "loss_mask", "other",
};

const char *step_input_name(enum step_input_what w)
{
    return names[w];
}

/* Keyword arguments are named. */
static enum step_input_what by_slot(struct str slot)
{
    static const struct {
        const char *part;
        enum step_input_what what;
    } words[] = {
        {"input_ids", INPUT_IDS},     {"tokens", INPUT_IDS},           {"label", INPUT_LABELS},
        {"target", INPUT_LABELS},     {"position", INPUT_POSITIONS},   {"loss_mask", INPUT_LOSS_MASK},
        {"mask", INPUT_ATTENTION_MASK},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ihas(slot, words[i].part))
            return words[i].what;
    return INPUT_OTHER;
}

/* Whether the last two axes are equal: queries by keys. */
static bool last_axes_equal(const struct shape *s)
{
    return s && s->ndim >= 2 && s->dim[s->ndim - 1] > 1 && s->dim[s->ndim - 1] == s->dim[s->ndim - 2];
}

/* Whether the figures exclude values between the extremes: probabilities are also between 0 and 1. */
static bool two_valued(const struct row *r, double n)
{
    double max = r->stat[STAT_MAX], min = r->stat[STAT_MIN], norm = r->stat[STAT_NORM];
    if ((r->has & (HAS_MEAN | HAS_NORM)) != (HAS_MEAN | HAS_NORM) || !isfinite(norm))
        return true;
    double low = (max - r->stat[STAT_MEAN]) / (max - min), square = n * ((1 - low) * max * max + low * min * min);
    /* figures have the tensor's precision */
    double rounding = dtype_is_float(r->dtype) ? 4 * dtype_table[r->dtype].epsilon : 0;
    return !isfinite(square) || fabs(norm * norm - square) <= (1e-3 + rounding) * square;
}

/* Whether values are 0, 1 or ±large, as in masks of any type. */
static bool mask_like(const struct row *r, uint64_t numel)
{
    if ((r->has & (HAS_MAX | HAS_MIN)) != (HAS_MAX | HAS_MIN))
        return false;
    double max = r->stat[STAT_MAX], min = r->stat[STAT_MIN];
    bool low = min == 0 || min == 1 || min <= -1e4, high = max == 0 || max == 1;
    return low && high && min != max && two_valued(r, (double)numel);
}

/* Whether a recorded call computed the row's value; views of a step input are still that input. */
static bool was_computed(const struct dump *d, const struct dataflow *f, uint32_t row)
{
    uint32_t first = dataflow_first(f, row);
    const struct row *r = &d->rows.v[first];
    if (r->io == IO_INPUT)
        return false;
    EACH_EARLY_ROW(d, r->call, in) {
        const struct row *x = &d->rows.v[in];
        if (x->io == IO_INPUT && f->known[in] && f->held[in] == NONE &&
            dump_row_numel(d, in) == dump_row_numel(d, first) && x->stat[STAT_MAX] == r->stat[STAT_MAX] &&
            x->stat[STAT_MIN] == r->stat[STAT_MIN])
            return false;
    }
    return true;
}

static bool names_samples(struct str slot)
{
    static const char *const words[] = {"pixel", "image", "mel", "spectro", "audio", "wave", "video", "input_features"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ihas(slot, words[i]))
            return !str_ihas(slot, "mask") && !str_ihas(slot, "embed");
    return false;
}

/* Images, mel frames and the like, by their names; in positional arguments by what a convolution takes: few channels,
 * or the bins of a spectrum. Hidden states, which a recording of a part of a model begins with, have more. */
static bool holds_samples(const struct dump *d, uint32_t row, bool named)
{
    const struct row *r = &d->rows.v[row];
    const struct call *c = &d->calls.v[r->call];
    const struct shape *s = dump_row_shape(d, row);
    if (!s || s->ndim < 2 || dtype_table[r->dtype].klass != CLASS_FLOAT)
        return false;
    if (named)
        return true;
    if (c->family != FAMILY_CONV || !str_ends(str_of(d->slots.v[r->slot]), ".0"))
        return false;
    int64_t first = s->dim[1], last = s->dim[s->ndim - 1];
    if (s->ndim > 3) /* NCHW or NHWC: grey, colours, with alpha */
        return (first <= 4 && last > 4) || (last <= 4 && first > 4);
    return s->ndim == 3 && (first == 1 || first == 80 || first == 128) && last > first;
}

bool step_input_of_samples(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    return r->io == IO_INPUT && r->kind == ROW_TENSOR && d->calls.v[r->call].phase == PHASE_FORWARD &&
           holds_samples(d, row, names_samples(str_of(d->slots.v[r->slot])));
}

/* Which slots have names of samples; the caller's. */
static bool *sample_slots(const struct dump *d)
{
    bool *named = mem_zalloc(d->slots.n + 1);
    for (size_t i = 0; i < d->slots.n; i++)
        named[i] = names_samples(str_of(d->slots.v[i]));
    return named;
}

/* The step input that a row is, or -1. */
static int classify_input(const struct dump *d, const struct dataflow *f, const bool *named_samples, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    const struct call *c = &d->calls.v[r->call];
    if (r->io != IO_INPUT || r->kind != ROW_TENSOR || c->phase != PHASE_FORWARD || dump_row_numel(d, row) < 2 ||
        was_computed(d, f, row)) /* most rows are activations */
        return -1;
    enum dtype_class k = dtype_table[r->dtype].klass;
    const struct shape *s = dump_row_shape(d, row);
    if ((named_samples[r->slot] || c->family == FAMILY_CONV) && holds_samples(d, row, named_samples[r->slot]))
        return f->held[row] == NONE ? INPUT_OTHER : -1;
    bool mask = s && mask_like(r, s->numel);
    if (k == CLASS_FLOAT && !mask)
        return -1;
    if (str_ihas(str_of(d->slots.v[r->slot]), "token_type")) /* zeros and ones, but no mask */
        return -1;
    enum step_input_what named = by_slot(str_of(d->slots.v[r->slot]));
    if (last_axes_equal(s) && (k == CLASS_BOOL || mask))
        return INPUT_ATTENTION_MASK;
    if (k == CLASS_FLOAT)
        return named == INPUT_LOSS_MASK ? INPUT_LOSS_MASK : -1;
    if (k != CLASS_INT && k != CLASS_BOOL)
        return -1;
    if (named != INPUT_OTHER)
        return (int)named;
    if (c->family == FAMILY_EMBEDDING)
        return INPUT_IDS;
    if (c->family == FAMILY_LOSS || (c->scope != NONE && role_is_loss(role_find(str_of(d->scopes.v[c->scope])))))
        return INPUT_LABELS;
    /* small vectors of shapes and axes passed to views are not data */
    bool data = f->held[row] == NONE && s && s->ndim >= 1 && r->stat[STAT_MAX] > 8 && c->family != FAMILY_VIEW;
    return c->kind == CALL_MODULE && data ? INPUT_IDS : data ? INPUT_OTHER : -1;
}

/* How far samples may differ that were prepared in other operations or types: the limit of inputs without noise, and
 * the rounding of the coarser type. */
#define SAMPLES_LIMIT 2e-5

static double rounding_of(const struct dump *const d[2], const struct step_input *x)
{
    const struct row *a = &d[0]->rows.v[x->row[0]], *b = &d[1]->rows.v[x->row[1]];
    if (x->what != INPUT_OTHER || dtype_table[a->dtype].klass != CLASS_FLOAT ||
        dtype_table[b->dtype].klass != CLASS_FLOAT) /* of masks every element counts */
        return 0;
    return fmax(SAMPLES_LIMIT, fmax(dtype_table[a->dtype].epsilon, dtype_table[b->dtype].epsilon));
}

/* Figures of integer data must be equal to the printed digits. */
static int same_figures(const struct row *a, const struct row *b, int digits, double rounding)
{
    double tol = fmax(fmax(1e-6, rounding), digits > 0 && digits < 15 ? pow(10, 1 - digits) : 0);
    static const int bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    int known = 0;
    if (a->has & b->has & HAS_CHECKSUM && a->dtype == b->dtype) {
        enum checksum_answer sums = checksum_compare(a->text, b->text);
        if (sums != CHECKSUM_OTHER)
            return sums == CHECKSUM_SAME;
    }
    for (int i = 0; i < STAT_COUNT; i++)
        if (a->has & b->has & bit[i]) {
            double x = a->stat[i], y = b->stat[i], size = fabs(y);
            if (rounding > 0) /* a mean of zero is the rest of large numbers */
                size = fmax(size, fmax(fabs(b->stat[STAT_MAX]), fabs(b->stat[STAT_MIN])));
            if (x != y && fabs(x - y) > tol * size)
                return 0;
            known++;
        }
    return known >= 2 ? 1 : -1;
}

/* By recorded figures: a smaller one may be the other's, stored once for the whole batch. */
static int tell_by_figures(const struct dump *const d[2], const struct step_input *x)
{
    const struct row *a = &d[0]->rows.v[x->row[0]], *b = &d[1]->rows.v[x->row[1]];
    int digits = d[0]->digits < d[1]->digits ? d[0]->digits : d[1]->digits;
    struct view v;
    if (x->what == INPUT_ATTENTION_MASK) /* one may be additive, mark hidden positions, or hold them once more */
        return a->dtype == b->dtype && dump_row_numel(d[0], x->row[0]) == dump_row_numel(d[1], x->row[1]) &&
                       same_figures(a, b, digits, rounding_of(d, x)) == 1
                   ? 1
                   : -1;
    if (dump_row_numel(d[0], x->row[0]) == dump_row_numel(d[1], x->row[1]))
        return same_figures(a, b, digits, rounding_of(d, x));
    if (repeated_view(d[0], x->row[0], d[1], x->row[1], &v))
        return 1;
    /* may be chunks of it */
    return x->what == INPUT_LABELS || x->what == INPUT_LOSS_MASK ? -1 : 0;
}

/* Floats: equal within rounding; the elements of another layout (NHWC) stand elsewhere. */
static void tell_samples(const struct measure *m, const struct figures *paired, struct step_input *x)
{
    if (paired) {
        x->apart = paired->rel_l2;
        x->equal = x->apart <= rounding_of(m->side, x);
        return;
    }
    x->equal = tell_by_figures(m->side, x);
    x->statistics = true;
}

static void tell_step_input(const struct measure *m, const uint8_t *state, struct step_input *x)
{
    uint32_t line = m->pairing->line_of[TARGET][x->row[TARGET]];
    const struct line *l = &m->pairing->lines.v[line];
    bool measured = l->row[GOLDEN] == x->row[GOLDEN] && state[line] == MEASURE_DONE && m->figures[line]->two;
    if (measured && m->figures[line]->max_abs == 0) {
        x->equal = 1;
        return;
    }
    if (rounding_of(m->side, x) > 0) {
        tell_samples(m, measured ? m->figures[line] : NULL, x);
        return;
    }
    /* compared again when its figures are available */
    bool underway = state[line] == MEASURE_WAITING || state[line] == MEASURE_RUNNING;
    x->equal = underway ? -1 : input_elements_compare(m->side, x->row, x->what == INPUT_ATTENTION_MASK, &x->elements);
    if (x->equal < 0) {
        x->equal = tell_by_figures(m->side, x);
        x->statistics = true;
    }
}

void step_inputs_find(const struct measure *m, const uint8_t *state, const struct dataflow flow[2],
                      step_input_list *out)
{
    VEC(struct step_input) side[2] = {{0}, {0}};
    bool *named[2];
    for (int s = 0; s < 2; s++) {
        named[s] = sample_slots(m->side[s]);
        bool seen[INPUT_COUNT] = {false};
        for (uint32_t r = 0; r < m->side[s]->rows.n; r++) {
            int what = classify_input(m->side[s], &flow[s], named[s], r);
            /* one of each kind: repetitions are later micro-batches or copies for layers */
            if (what < 0 || (seen[what] && what != INPUT_OTHER) || side[s].n > 64)
                continue;
            seen[what] = true;
            struct step_input x = {.what = (enum step_input_what)what, .row = {NONE, NONE}, .equal = -1};
            x.row[s] = r;
            vec_push(&side[s], x);
        }
    }
    for (size_t i = 0; i < side[TARGET].n; i++) {
        struct step_input x = side[TARGET].v[i];
        uint32_t line = m->pairing->line_of[TARGET][x.row[TARGET]];
        uint32_t partner = m->pairing->lines.v[line].row[GOLDEN];
        bool paired =
            partner != NONE && classify_input(m->side[GOLDEN], &flow[GOLDEN], named[GOLDEN], partner) == (int)x.what;
        for (size_t k = 0; k < side[GOLDEN].n && x.row[GOLDEN] == NONE; k++) {
            struct step_input *g = &side[GOLDEN].v[k];
            if (g->row[GOLDEN] != NONE && g->what == x.what && (x.what != INPUT_OTHER || g->row[GOLDEN] == partner)) {
                x.row[GOLDEN] = paired ? partner : g->row[GOLDEN];
                g->row[GOLDEN] = NONE; /* matched */
            }
        }
        if (x.what == INPUT_OTHER && x.row[GOLDEN] == NONE)
            continue; /* an unnamed integer tensor on one side proves nothing */
        if (x.row[GOLDEN] != NONE)
            tell_step_input(m, state, &x);
        vec_push(out, x);
    }
    for (size_t k = 0; k < side[GOLDEN].n; k++)
        if (side[GOLDEN].v[k].row[GOLDEN] != NONE && side[GOLDEN].v[k].what != INPUT_OTHER)
            vec_push(out, side[GOLDEN].v[k]);
    for (int s = 0; s < 2; s++) {
        vec_release(&side[s]);
        free(named[s]);
    }
}

void step_inputs_differing(const step_input_list *l, struct buf *out)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].equal == 0)
            buf_fmt(out, "%s%s", out->n ? ", " : "", step_input_name(l->v[i].what));
}

/* Of data with other figures, those that differ. */
static void differing_figures(const struct row *t, const struct row *g, struct buf *out)
{
    const double *a = t->stat, *b = g->stat;
    bool extremes = memcmp(&a[STAT_MAX], &b[STAT_MAX], sizeof *a) || memcmp(&a[STAT_MIN], &b[STAT_MIN], sizeof *a);
    int one = extremes ? STAT_MAX : STAT_MEAN, two = extremes ? STAT_MIN : STAT_NORM;
    buf_fmt(out, extremes ? _("different: max %g and %g, min %g and %g")
                          : _("different: mean %g and %g, norm %g and %g"),
            a[one], b[one], a[two], b[two]);
}

void step_input_detail(const struct step_input *x, const struct dump *const side[2], struct buf *out)
{
    if (x->row[TARGET] == NONE || x->row[GOLDEN] == NONE) {
        buf_cstr(out,
                 x->row[TARGET] == NONE ? _("not recorded on the target side") : _("not recorded on the golden side"));
        return;
    }
    if (x->equal == 1 && x->apart > 0)
        buf_cstr(out, _("equal within rounding"));
    else if (x->equal == 1)
        buf_cstr(out, x->statistics ? _("same statistics; the elements were not "
                                        "compared") : _("equal in every element"));
    else if (x->equal == 0 && x->apart > 0)
        buf_fmt(out, _("different: relative L2 distance %.3g"), x->apart);
    else if (x->equal == 0 && x->elements.differ)
        buf_fmt(out, _("different: %llu of %llu elements differ, the first at %llu: %g and %g"),
                (unsigned long long)x->elements.differ, (unsigned long long)x->elements.compared,
                (unsigned long long)x->elements.first, x->elements.value[0], x->elements.value[1]);
    else if (x->equal == 0)
        differing_figures(&side[0]->rows.v[x->row[0]], &side[1]->rows.v[x->row[1]], out);
    else
        buf_cstr(out, _("undecided: too little was recorded"));
}
