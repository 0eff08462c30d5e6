/* Evidence from dumps: rows, calls, gaps, elements of tensors. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "measure/tensor_reader.h"
#include "panel/subject.h"

#define ROWS_TOLD 24          /* of a call */
#define CALLS_TOLD 12         /* of a gap */
#define REGION_MOST (1u << 16) /* elements examined one by one */
#define NEIGHBOURS 3          /* elements before and behind, along the last axis */

uint32_t subject_line(const struct comparison *s, const struct subject *x)
{
    bool call = x->kind == SUBJECT_CALL || x->kind == SUBJECT_GAP || x->kind == SUBJECT_RANK_CALL;
    if (!s->paired)
        return NONE;
    for (int d = 0; d < 2; d++) {
        const struct dump *of = &s->side[d].dump;
        uint32_t row = NONE, c;
        if (!*x->about[d])
            continue;
        if (!call)
            row = dump_find_row(of, str_of(x->about[d]));
        else if ((c = map_get(&of->call_names, str_of(x->about[d]))) != MAP_NONE)
            row = of->calls.v[c].first_row;
        if (row != NONE && s->pairing->line_of[d][row] != NONE)
            return s->pairing->line_of[d][row];
    }
    return NONE;
}

void subject_freeze_line(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    uint32_t line = subject_line(g->s, s);
    if (line == NONE)
        return;
    struct evidence e = evidence_collect(g->s, line, NULL, a);
    for (size_t i = 0; i < e.n; i++)
        vec_push(out, e.fact[i]);
}

/* One row of a call: its data on both sides and its verdict. */
static void call_row(const struct comparison *s, uint32_t line, struct buf text[2])
{
    const struct line *l = &s->pairing->lines.v[line];
    const struct line_judgement *j = s->judged && line < s->judged->lines ? &s->judged->line[line] : NULL;
    char n[NUM_MAX];
    for (int d = 0; d < 2; d++) {
        buf_clear(&text[d]);
        if (l->row[d] == NONE)
            continue;
        const struct dump *x = &s->side[d].dump;
        const struct row *r = &x->rows.v[l->row[d]];
        buf_fmt(&text[d], "%s", x->slots.v[r->slot]);
        if (r->kind == ROW_TENSOR)
            buf_fmt(&text[d], " %s", dtype_table[r->dtype].name);
        if (dump_row_shape(x, l->row[d]))
            shape_text(dump_row_shape(x, l->row[d]), &text[d]);
        if (!d && j)
            buf_fmt(&text[d], "  %s %s", verdict_label(j->verdict),
                    isnan(j->error) ? "" : num_error(n, (double)j->error));
    }
}

void subject_freeze_call(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    const struct comparison *x = g->s;
    uint32_t line = subject_line(x, s), told = 0, rows = 0;
    struct buf text[2] = {{0}, {0}}, more = {0};
    if (line == NONE)
        return;
    int d = x->pairing->lines.v[line].row[TARGET] == NONE;
    const struct dump *of = &x->side[d].dump;
    uint32_t call = of->rows.v[x->pairing->lines.v[line].row[d]].call;
    EACH_ROW(of, call, r) {
        uint32_t at = x->pairing->line_of[d][r];
        rows++;
        if (at == NONE || told == ROWS_TOLD)
            continue;
        call_row(x, at, text);
        fact_sides(out, a, "row", text);
        told++;
    }
    buf_fmt(&more, _("%u of %u rows are saved"), told, rows);
    fact_both(out, a, "rows", buf_view(&more));
    evidence_frames(x, line, EVIDENCE_FRAMES, a, out);
    evidence_around(x, line, a, out);
    evidence_recordings(x, a, out);
    buf_release(&text[0]);
    buf_release(&text[1]);
    buf_release(&more);
}

/* Names of the calls without partner of a side. */
static void gap_calls(const struct comparison *s, const struct gap *gap, int d, struct buf *out)
{
    uint32_t last = NONE, told = 0;
    const struct dump *x = &s->side[d].dump;
    buf_clear(out);
    for (uint32_t i = gap->first; i < gap->end; i++) {
        const struct line *l = &s->pairing->lines.v[i];
        if (l->pair != NONE || l->row[d] == NONE || x->rows.v[l->row[d]].call == last)
            continue;
        last = x->rows.v[l->row[d]].call;
        if (told++ < CALLS_TOLD)
            buf_fmt(out, "%s%s", out->n ? ", " : "", x->calls.v[last].name);
    }
    if (told > CALLS_TOLD)
        buf_fmt(out, " …");
}

static void beside_gap(const struct comparison *s, uint32_t line, const char *what, struct arena *a, fact_list *out)
{
    struct buf text[2] = {{0}, {0}};
    if (line == NONE)
        return;
    for (int d = 0; d < 2; d++)
        if (s->pairing->lines.v[line].row[d] != NONE)
            dump_row_name(&s->side[d].dump, s->pairing->lines.v[line].row[d], &text[d]);
    fact_sides(out, a, what, text);
    buf_release(&text[0]);
    buf_release(&text[1]);
}

void subject_freeze_gap(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    const struct comparison *x = g->s;
    const struct dump *const side[2] = {&x->side[TARGET].dump, &x->side[GOLDEN].dump};
    uint32_t line = subject_line(x, s);
    struct buf text[2] = {{0}, {0}};
    gap_list gaps = {0};
    if (line == NONE)
        return;
    gaps_find(x->pairing, side, &gaps);
    const struct gap *gap = gaps_at(&gaps, line);
    if (gap) {
        const struct {
            const char *what;
            const uint32_t *n;
        } counts[] = {{"calls", gap->calls}, {"compute", gap->compute}};
        for (size_t k = 0; k < ARRAY_LEN(counts); k++) {
            for (int d = 0; d < 2; d++) {
                buf_clear(&text[d]);
                buf_count(&text[d], counts[k].n[d]);
            }
            fact_sides(out, a, counts[k].what, text);
        }
        for (int d = 0; d < 2; d++)
            gap_calls(x, gap, d, &text[d]);
        fact_sides(out, a, "call", text);
        beside_gap(x, gap->before, "before", a, out);
        beside_gap(x, gap->after, "after", a, out);
    }
    evidence_frames(x, line, EVIDENCE_FRAMES, a, out);
    evidence_around(x, line, a, out);
    evidence_recordings(x, a, out);
    vec_release(&gaps);
    buf_release(&text[0]);
    buf_release(&text[1]);
}

/* ---- elements ---- */

bool subject_region(struct str at, int64_t from[TENSOR_DIMS], int64_t to[TENSOR_DIMS], int *axes)
{
    struct str rest = at, word, low, high;
    unsigned long long a, b;
    *axes = 0;
    if (at.n < 3 || at.p[0] != '[' || at.p[at.n - 1] != ']')
        return false;
    rest = str_n(at.p + 1, at.n - 2);
    for (bool more = true; more; ++*axes) {
        more = str_split(rest, ',', &word, &rest);
        bool range = str_split(str_trim(word), ':', &low, &high);
        if (*axes == TENSOR_DIMS || !str_u64(low, &a) || a >= INT64_MAX)
            return false;
        b = a + 1;
        if (range && (!str_u64(high, &b) || b <= a || b > INT64_MAX))
            return false;
        from[*axes] = (int64_t)a;
        to[*axes] = (int64_t)b;
    }
    return true;
}

/* The bytes as they are stored, most significant first. */
static void put_bits(const struct element_lens *l, int side, const struct element_lens_element *x, struct buf *out)
{
    uint32_t size = dtype_table[l->t[side].dtype].size;
    for (uint32_t i = size < sizeof x->raw[0] ? size : (uint32_t)sizeof x->raw[0]; i-- > 0;)
        buf_fmt(out, "%02x", x->raw[side][i]);
}

static void add_one_element(const struct element_lens *l, uint64_t index, const char *what, bool bits, struct arena *a,
                            fact_list *out)
{
    struct element_lens_element x;
    struct buf text[2] = {{0}, {0}};
    struct err quiet;
    if (element_lens_element(l, index, &x, &quiet))
        return;
    for (int d = 0; d < 2; d++)
        if (l->has[d])
            element_lens_text(l, d, &x, &text[d]);
    fact_sides(out, a, what, text);
    for (int d = 0; bits && d < 2; d++) {
        buf_clear(&text[d]);
        if (l->has[d])
            put_bits(l, d, &x, &text[d]);
    }
    if (bits) {
        fact_sides(out, a, "bits", text);
        if (l->has[0] && l->has[1]) {
            fact_number(out, a, "difference", x.v[0] - x.v[1]);
            fact_number(out, a, "relative", fabs(x.v[0] - x.v[1]) / fabs(x.v[1]));
            if (dtype_is_float(l->coarser))
                fact_number(out, a, "ulp", element_lens_ulp(l, x.v[0], x.v[1]));
        }
    }
    buf_release(&text[0]);
    buf_release(&text[1]);
}

/* The elements before and behind along the last axis, as lines. */
static void around_element(const struct element_lens *l, uint64_t index, struct arena *a, fact_list *out)
{
    int64_t at[TENSOR_DIMS], last = l->shape[l->ndim - 1];
    element_lens_place(l, index, at);
    int64_t here = at[l->ndim - 1];
    struct buf text = {0};
    for (int64_t i = here > NEIGHBOURS ? here - NEIGHBOURS : 0; i < last && i <= here + NEIGHBOURS; i++) {
        struct element_lens_element x;
        struct err quiet;
        if (element_lens_element(l, index + (uint64_t)(i - here), &x, &quiet))
            break;
        buf_clear(&text);
        buf_fmt(&text, "%s ", i == here ? ">" : " ");
        element_lens_place_text(l, index + (uint64_t)(i - here), &text);
        for (int d = 0; d < 2; d++)
            if (l->has[d]) {
                buf_cstr(&text, "  ");
                element_lens_text(l, d, &x, &text);
            }
        fact_both(out, a, "screen", buf_view(&text));
    }
    buf_release(&text);
}

struct region_figures {
    double max[2], min[2], sum[2], square, off;
    uint64_t n, worst;
    double most;
};

static void accumulate_element(struct region_figures *s, const struct element_lens *l, uint64_t index,
                               const struct element_lens_element *x)
{
    for (int d = 0; d < 2; d++) {
        s->max[d] = s->n ? fmax(s->max[d], x->v[d]) : x->v[d];
        s->min[d] = s->n ? fmin(s->min[d], x->v[d]) : x->v[d];
        s->sum[d] += x->v[d];
    }
    s->n++;
    if (!l->has[0] || !l->has[1])
        return;
    double off = x->v[0] - x->v[1];
    s->off += off * off;
    s->square += x->v[1] * x->v[1];
    if (fabs(off) > s->most) {
        s->most = fabs(off);
        s->worst = index;
    }
}

static void put_spread(const struct region_figures *s, const struct element_lens *l, struct arena *a, fact_list *out)
{
    const struct {
        const char *what;
        double v[2];
    } figure[] = {{"max", {s->max[0], s->max[1]}}, {"min", {s->min[0], s->min[1]}},
                  {"mean", {s->sum[0] / (double)s->n, s->sum[1] / (double)s->n}}};
    struct buf text[2] = {{0}, {0}};
    char n[NUM_MAX];
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        for (int d = 0; d < 2; d++) {
            buf_clear(&text[d]);
            if (l->has[d])
                buf_cstr(&text[d], num_exact(n, figure[i].v[d]));
        }
        fact_sides(out, a, figure[i].what, text);
    }
    if (l->has[0] && l->has[1]) {
        fact_number(out, a, "max_abs_err", s->most);
        fact_number(out, a, "rel_l2", s->square > 0 ? sqrt(s->off / s->square) : s->off > 0 ? (double)INFINITY : 0);
        buf_clear(&text[0]);
        element_lens_place_text(l, s->worst, &text[0]);
        fact_both(out, a, "index", buf_view(&text[0]));
    }
    buf_release(&text[0]);
    buf_release(&text[1]);
}

/* Element by element: the user's region is small. */
static void add_region_facts(const struct element_lens *l, const int64_t from[], const int64_t to[], struct arena *a,
                             fact_list *out)
{
    struct region_figures s = {.n = 0};
    int64_t at[TENSOR_DIMS];
    uint64_t all = 1;
    struct element_lens_element x;
    struct err quiet;
    char n[NUM_MAX];
    for (int i = 0; i < l->ndim; i++) {
        at[i] = from[i];
        all = all > REGION_MOST ? all : all * (uint64_t)(to[i] - from[i]);
    }
    fact_both(out, a, "elements", str_of(num_count(n, all)));
    for (uint64_t i = 0; i < all && all <= REGION_MOST; i++) {
        uint64_t index = element_lens_index(l, at);
        if (element_lens_element(l, index, &x, &quiet))
            return;
        accumulate_element(&s, l, index, &x);
        for (int k = l->ndim - 1; k >= 0 && ++at[k] == to[k]; k--)
            at[k] = from[k];
    }
    if (s.n)
        put_spread(&s, l, a, out);
    if (s.n && l->has[0] && l->has[1])
        around_element(l, s.worst, a, out);
}

/* The two tensors compared in a line, as in the tensor view. */
static bool tensor_case_of_line(const struct comparison *s, const struct subject *x, uint32_t line,
                                struct tensor_reader_case *c)
{
    const uint32_t *row = s->pairing->lines.v[line].row;
    memset(c, 0, sizeof *c);
    c->side[0] = &s->side[0].dump;
    c->side[1] = &s->side[1].dump;
    if (row[0] != NONE && row[1] != NONE && *x->about[0] && *x->about[1] && measure_how(&s->measure, line, &c->job))
        return true;
    int d = !*x->about[0] || row[0] == NONE || !dump_row_readable(c->side[0], row[0]);
    c->job.row[0] = c->job.row[1] = NONE;
    c->job.row[d] = row[d];
    return row[d] != NONE && dump_row_readable(c->side[d], row[d]);
}

void subject_freeze_element(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    int64_t from[TENSOR_DIMS], to[TENSOR_DIMS];
    uint32_t line = subject_line(g->s, s);
    struct tensor_reader_case c;
    struct element_lens l;
    struct err e;
    int axes;
    if (line == NONE || !subject_region(str_of(s->at), from, to, &axes) || !tensor_case_of_line(g->s, s, line, &c))
        return;
    if (tensor_reader_open_case(&c, &l, &e) == 0) {
        bool inside = axes == l.ndim, one = true;
        for (int i = 0; inside && i < axes; i++) {
            inside = to[i] <= l.shape[i];
            one = one && to[i] == from[i] + 1;
        }
        if (inside && one) {
            add_one_element(&l, element_lens_index(&l, from), "value", true, a, out);
            around_element(&l, element_lens_index(&l, from), a, out);
        } else if (inside) {
            add_region_facts(&l, from, to, a, out);
        }
        element_lens_release(&l);
    }
    subject_freeze_line(g, s, a, out);
}

void subject_freeze_runs(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    struct buf b = {0};
    (void)s;
    if (g->s->judged && g->s->complete) {
        struct judge_options o = comparison_judge_options(g->s);
        explain_outcome(g->s->judged, &o, &b);
        fact_both(out, a, "verdict", buf_view(&b));
    }
    for (int i = 0; g->written && i < procedure_panels(g); i++) {
        buf_clear(&b);
        buf_fmt(&b, "%d %s: %s%s%s", i + 1, _(panels[i].title), panel_state_label(g->page[i].state),
                *g->page[i].summary ? ", " : "", g->page[i].summary);
        fact_both(out, a, "panel", buf_view(&b));
    }
    evidence_recordings(g->s, a, out);
    buf_release(&b);
}
