/* Shows the row under the cursor in sentences and figures. */

#include "base/digits.h"
#include "base/msg.h"
#include "base/num.h"
#include "compare/start_text.h"
#include "judge/verdict_text.h"
#include "oracle/oracle_text.h"
#include "ui/pane.h"

struct page {
    const struct screen *s;
    struct grid *g;
    struct rect r;
    int y, skip, total;
};

static void draw_page_text(struct page *p, uint8_t style, struct str s)
{
    p->total += grid_wrap(p->g, p->r, &p->y, &p->skip, style, s);
}

/* A line that is not wrapped; `x` receives its y or -1 when it is not on the page. */
static int fixed_line(struct page *p)
{
    p->total++;
    if (p->skip > 0) {
        p->skip--;
        return -1;
    }
    int y = p->y++;
    return y < p->r.h ? p->r.y + y : -1;
}

static void draw_verdict_text(struct page *p, uint32_t line, const struct line_judgement *j)
{
    const struct judgement *all = p->s->work.c->judged;
    struct buf b = {0}, why = {0};
    bool first = all->first == line;
    explain_verdict(all, &p->s->work.c->measure, line, &why);
    if (first)
        buf_fmt(&b, p->s->session.settled ? _("FIRST DEVIATION, %s: %s.") : _("FIRST DEVIATION SO FAR, %s: %s."),
                first_class_label(all->first_class), why.p ? why.p : "");
    else
        buf_fmt(&b, _("%s %s: %s."), verdict_glyph(j), verdict_label(j->verdict), why.p ? why.p : "");
    buf_release(&why);
    draw_page_text(p, first ? STYLE_FIRST : verdict_style(j) & STYLE_ELEMENT, buf_view(&b));
    if (j->cause == CAUSE_INHERITED && j->from != NONE) {
        const struct workspace *d = &p->s->work;
        char n[NUM_MAX];
        buf_clear(&b);
        buf_fmt(&b, _("starts at row %s: "), num_count(n, j->from + 1));
        start_sentence(d->c, j->from, diagnosis_job_known(&d->diagnosis, d->c, j->from), &b);
        int y = fixed_line(p); /* one line: the row's own figures are below it */
        if (y >= 0)
            grid_end(p->g, y, p->r.x, p->r.w, STYLE_TEXT, buf_view(&b));
    }
    buf_release(&b);
}

/* Why the first deviation may not be the first. */
static void draw_provisional_reason(struct page *p)
{
    struct buf b = {0};
    explain_provisional(p->s->work.c->judged, &b);
    if (b.n)
        draw_page_text(p, STYLE_DRIFT, buf_view(&b));
    buf_release(&b);
}

static void draw_advice(struct page *p, uint32_t line)
{
    const struct diagnoses *x = diagnosis_job_known(&p->s->work.diagnosis, p->s->work.c, line);
    bool starts = p->s->work.c->judged->line[line].cause == CAUSE_STARTS;
    struct arena a = {0};
    struct buf b = {0};
    if (starts || (x && x->n)) {
        buf_fmt(&b, _("next: %s"), workspace_advice(&p->s->work, line, &a));
        draw_page_text(p, STYLE_TEXT, buf_view(&b));
    }
    buf_release(&b);
    arena_release(&a);
}

/* The diagnosis, once it is available: the best one is above the next step, others far below. */
static void draw_diagnoses(struct page *p, uint32_t line, bool best)
{
    const struct diagnoses *x = diagnosis_job_known(&p->s->work.diagnosis, p->s->work.c, line);
    struct buf b = {0};
    for (int i = best ? 0 : 1; x && i < (best && x->n ? 1 : x->n); i++) {
        buf_clear(&b);
        buf_cstr(&b, i ? _("or: ") : _("looks like: "));
        diagnosis_text(x, i, &b);
        draw_page_text(p, i ? STYLE_DIM : STYLE_TEXT, buf_view(&b));
    }
    buf_release(&b);
}

/* Findings about the row. */
static void draw_row_findings(struct page *p, uint32_t line)
{
    struct finding x;
    struct buf b = {0};
    if (!workspace_finding(&p->s->work, line, &x))
        return;
    struct buf text = {0};
    finding_line(x.text, &text);
    buf_fmt(&b, _("finding %u, %s: %s"), x.number, _(finding_status_name((enum finding_status)x.status)),
            text.p ? text.p : "");
    buf_release(&text);
    draw_page_text(p, STYLE_TITLE, buf_view(&b));
    buf_release(&b);
}

/* What it was in the previous round. */
static void draw_previous_round(struct page *p, uint32_t line)
{
    struct buf b = {0};
    round_since_line(p->s->work.c, line, &b);
    enum change_kind k = round_since_change(p->s->work.c, line);
    if (b.n)
        draw_page_text(p,
                       k == CHANGE_NEW || k == CHANGE_WORSE ? STYLE_DEVIATE
                       : k == CHANGE_KINDS                  ? STYLE_DIM
                                                       : STYLE_TEXT,
                       buf_view(&b));
    buf_release(&b);
}

/* Where the oracle's result is shown: above the next step if one side is wrong, below the figures if the row deviates
 * and neither is, otherwise further below. */
enum which_place { WHICH_WRONG, WHICH_NEITHER, WHICH_FINE };

static void draw_wrong_side(struct page *p, uint32_t line, enum which_place place)
{
    const struct comparison *s = p->s->work.c;
    const struct oracle *o = comparison_oracle(s);
    struct buf b = {0};
    if (!o)
        return;
    enum oracle_which w = oracle_which(o, s->measure.pairing->lines.v[line].row);
    bool wrong = oracle_which_is_wrong(w), bad = line_is_bad(&s->judged->line[line]);
    if (place == (wrong ? WHICH_WRONG : bad ? WHICH_NEITHER : WHICH_FINE))
        oracle_whole_text(o, &s->measure, s->judged, line, &b);
    if (b.n)
        draw_page_text(p, wrong ? STYLE_DEVIATE : bad ? STYLE_TEXT : STYLE_DIM, buf_view(&b));
    buf_release(&b);
}

/* How the call amplifies its input error. */
static void draw_amplification(struct page *p, uint32_t row)
{
    const struct comparison *s = p->s->work.c;
    struct buf b = {0};
    if (row == NONE)
        return;
    struct call_error x = call_error_of(s->judged, &s->measure, s->side[TARGET].dump.rows.v[row].call);
    buf_cstr(&b, _("this call: "));
    size_t before = b.n;
    explain_call_error(&x, &b);
    if (b.n > before)
        draw_page_text(p, call_error_kind(&x) == CALL_ERROR_ADDED ? STYLE_TEXT : STYLE_DIM, buf_view(&b));
    buf_release(&b);
}

static void draw_reference(struct page *p, const uint32_t row[2])
{
    struct buf b = {0};
    explain_reference(&p->s->work.c->reference, row, &b);
    if (b.n)
        draw_page_text(p, STYLE_TEXT, buf_view(&b));
    buf_release(&b);
}

static void draw_pair_figures(struct page *p, const struct figures *f)
{
    struct buf b = {0};
    char n[8][NUM_MAX];
    if (!f || !f->two)
        return;
    buf_fmt(&b,
            "rel L2 %s   1-cos %s   cosine %s   max abs %s at %llu   max rel %s   "
            "<1e-3 %s %%   <5e-3 %s %%   euclid %s",
            num_cell(n[0], f->rel_l2, 4), num_cell(n[1], f->minus, 4), num_cell(n[2], f->cosine, 9),
            num_cell(n[3], f->max_abs, 4), (unsigned long long)f->max_abs_at, num_cell(n[4], f->max_rel, 4),
            num_cell(n[5], f->one_thousandth * 100, 5), num_cell(n[6], f->five_thousandths * 100, 5),
            num_cell(n[7], f->euclid, 4));
    draw_page_text(p, STYLE_TEXT, buf_view(&b));
    buf_release(&b);
}

struct stats {
    bool have[STAT_COUNT], counted;
    double v[STAT_COUNT];
    uint64_t nan, inf, zero;
};

static struct stats collect_stats(const struct dump *d, uint32_t row, const struct side_figures *f)
{
    static const int bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    const struct row *r = &d->rows.v[row];
    struct stats s = {.counted = f != NULL};
    for (int i = 0; i < STAT_COUNT; i++) {
        s.have[i] = f || r->has & bit[i];
        s.v[i] = r->stat[i];
    }
    if (f) {
        const double v[] = {f->max, f->min, f->mean, f->norm};
        memcpy(s.v, v, sizeof v);
        s.nan = f->nan;
        s.inf = f->inf;
        s.zero = f->zero;
    } else if (r->extra != NONE && d->extras.v[r->extra].counts & COUNT_NAN) {
        const struct row_extra *e = &d->extras.v[r->extra];
        s.counted = true;
        s.nan = e->nan;
        s.inf = e->pos_inf + e->neg_inf;
        s.zero = e->zero;
    }
    return s;
}

/* The columns of the figures; on narrow panes the shape moves to the names' lines. */
struct figure_columns {
    int shape, stat, stat_w, counts;
};

static struct figure_columns figure_columns(int w)
{
    bool wide = w >= 101;
    struct figure_columns c = {.shape = wide ? 18 : -1, .stat = wide ? 31 : 17, .stat_w = wide ? 14 : 12};
    c.counts = c.stat + 4 * c.stat_w;
    return c;
}

static void figures_head(struct page *p, const struct figure_columns *c, bool scalars)
{
    static const char *const names[] = {N_("max"), N_("min"), N_("mean"), N_("norm")};
    struct grid *g = p->g;
    int x = p->r.x, y = fixed_line(p);
    if (y < 0)
        return;
    grid_put(g, y, x + 8, 9, STYLE_TITLE, scalars ? _("value") : _("dtype"));
    if (scalars)
        return;
    if (c->shape >= 0)
        grid_put(g, y, x + c->shape, 12, STYLE_TITLE, _("shape"));
    for (int i = 0; i < STAT_COUNT; i++)
        grid_right(g, y, x + c->stat + i * c->stat_w, c->stat_w - 1, STYLE_TITLE, _(names[i]));
    grid_put(g, y, x + c->counts, 14, STYLE_TITLE, " nan inf zero");
}

static void figures_row(struct page *p, const struct figure_columns *c, int side, const uint32_t row[2],
                        const struct stats st[2])
{
    const struct dump *d = &p->s->work.c->side[side].dump;
    struct grid *g = p->g;
    int x = p->r.x, y = fixed_line(p);
    char n[NUM_MAX];
    if (y < 0)
        return;
    grid_put(g, y, x, 7, STYLE_TITLE, side ? _("golden") : _("target"));
    if (row[side] == NONE) {
        grid_put(g, y, x + 8, p->r.w - 8, STYLE_DIM, _("no row on this side"));
        return;
    }
    const struct row *r = &d->rows.v[row[side]];
    if (r->kind != ROW_TENSOR) {
        grid_put(g, y, x + 8, p->r.w - 8, STYLE_TEXT, r->kind == ROW_NULL ? _("None") : r->text);
        return;
    }
    grid_put(g, y, x + 8, 9, STYLE_TEXT, dtype_table[r->dtype].name);
    const struct shape *sh = dump_row_shape(d, row[side]);
    if (c->shape >= 0 && sh) {
        struct buf shape = {0};
        shape_text(sh, &shape);
        grid_text(g, y, x + c->shape, c->stat - c->shape - 1, STYLE_TEXT, buf_view(&shape));
        buf_release(&shape);
    }
    for (int i = 0; i < STAT_COUNT; i++) {
        bool both = row[!side] != NONE && st[!side].have[i];
        int digits = both ? digits_apart(st[0].v[i], st[1].v[i]) : 6;
        if (st[side].have[i])
            grid_right(g, y, x + c->stat + i * c->stat_w, c->stat_w - 1, STYLE_TEXT,
                       num_cell(n, st[side].v[i], digits));
    }
    if (st[side].counted)
        grid_fmt(g, y, x + c->counts, 40, st[side].nan || st[side].inf ? STYLE_NONFINITE : STYLE_TEXT,
                 " %3llu %3llu %4llu", (unsigned long long)st[side].nan, (unsigned long long)st[side].inf,
                 (unsigned long long)st[side].zero);
    else if (r->has & HAS_CHECKSUM)
        grid_fmt(g, y, x + c->counts, 40, STYLE_DIM, " %s", r->text);
}

static void figures_table(struct page *p, uint32_t line, const uint32_t row[2])
{
    struct figure_columns c = figure_columns(p->r.w);
    struct stats st[2];
    memset(st, 0, sizeof st);
    for (int s = 0; s < 2; s++)
        if (row[s] != NONE)
            st[s] = collect_stats(&p->s->work.c->side[s].dump, row[s], comparison_figures(p->s->work.c, line, s));
    bool tensors = false;
    for (int s = 0; s < 2; s++)
        tensors |= row[s] != NONE && p->s->work.c->side[s].dump.rows.v[row[s]].kind == ROW_TENSOR;
    figures_head(p, &c, !tensors);
    for (int s = 0; s < 2 && !(s && p->s->work.c->single); s++)
        figures_row(p, &c, s, row, st);
}

/* The problems of a row in a single recording. */
static void draw_row_problems(struct page *p, uint32_t row)
{
    size_t n = 0;
    const struct dump_check_problem *x = row == NONE ? NULL : one_side_problems(&p->s->work.c->examined, row, &n);
    for (size_t i = 0; x && i < n; i++)
        draw_page_text(p, dump_check_is_note(&x[i]) ? STYLE_DIM : STYLE_DEVIATE, str_of(x[i].text));
}

static void draw_row_names(struct page *p, uint32_t line, const uint32_t row[2])
{
    struct buf name[2] = {{0}, {0}}, b = {0};
    workspace_names(&p->s->work, line, name);
    for (int s = 0; s < 2; s++) {
        if (!name[s].n)
            continue;
        buf_clear(&b);
        buf_fmt(&b, "%s  %s  ", s ? _("golden") : _("target"), name[s].p);
        const struct shape *sh = dump_row_shape(&p->s->work.c->side[s].dump, row[s]);
        if (sh)
            shape_text(sh, &b);
        draw_page_text(p, STYLE_DIM, buf_view(&b));
    }
    buf_release(&name[0]);
    buf_release(&name[1]);
    buf_release(&b);
}

/* "Primitive.mul.Mul.3.forward = Tensor.mul.4.forward" of a paired line. */
static void pair_name(struct page *p, uint32_t line, struct buf *out)
{
    const struct comparison *x = p->s->work.c;
    for (int s = 0; s < 2; s++) {
        const struct dump *d = &x->side[s].dump;
        buf_cstr(out, s ? " = " : "");
        buf_str(out, dump_call_name(d, d->rows.v[x->pairing->lines.v[line].row[s]].call));
    }
}

/* Where the calls of a gap were made, and why one of two recordings of PyTorch may lack them. */
static void gap_cause(struct page *p, const struct gap *g, uint32_t line)
{
    const struct comparison *x = p->s->work.c;
    const uint32_t *row = x->pairing->lines.v[line].row;
    int side = row[TARGET] != NONE ? TARGET : GOLDEN;
    const struct dump *d = &x->side[side].dump;
    struct buf b = {0};
    gap_place(d, d->rows.v[row[side]].call, &b);
    if (b.n)
        draw_page_text(p, STYLE_DIM, buf_view(&b));
    bool torch = strcmp(d->framework, "pytorch") == 0 && strcmp(x->side[!side].dump.framework, "pytorch") == 0;
    if (b.n && torch && g->calls[side] && !g->calls[!side])
        draw_page_text(p, STYLE_TEXT,
                       str_of(_("next: read this function (s): calls inside a function under "
                                "@torch.jit.script are not recorded on a GPU, where it is a ScriptFunction; "
                                "torch_npu ignores the decorator and records them. Remove it and dump "
                                "again.")));
    buf_release(&b);
}

/* The gap's other calls and the paired calls around it. */
static void gap_text(struct page *p, uint32_t line)
{
    const struct gap *g = gaps_at(&p->s->work.gaps, line);
    struct buf b = {0};
    if (!g)
        return;
    gap_cause(p, g, line);
    buf_fmt(&b, _("gap: calls only on the target %u, only on the golden side %u"), g->calls[TARGET], g->calls[GOLDEN]);
    if (g->compute[TARGET] + g->compute[GOLDEN])
        buf_fmt(&b, _("; compute calls: %u and %u"), g->compute[TARGET], g->compute[GOLDEN]);
    draw_page_text(p, STYLE_DIM, buf_view(&b));
    for (int behind = 0; behind < 2; behind++) {
        uint32_t next = behind ? g->after : g->before;
        if (next == NONE)
            continue;
        buf_clear(&b);
        buf_cstr(&b, behind ? _("before  ") : _("after   "));
        pair_name(p, next, &b);
        draw_page_text(p, STYLE_DIM, buf_view(&b));
    }
    buf_release(&b);
}

static void why_paired(struct page *p, uint32_t line)
{
    const struct comparison *x = p->s->work.c;
    struct pairing_options o = comparison_pairing_options(x);
    struct buf b = {0};
    uint32_t pair = x->pairing->lines.v[line].pair;
    if (pair == NONE) {
        gap_text(p, line);
        return;
    }
    const struct pair *q = &x->pairing->pairs.v[pair];
    buf_fmt(&b, _("paired by %s, confidence %.2f: "), _(origin_name(q->origin)), (double)q->confidence);
    pairing_why(x->pairing, &o, x->measure.side, line, &b);
    struct buf parts = {0};
    gaps_parts(x->pairing, x->measure.side, line, &parts);
    if (parts.n)
        buf_fmt(&b, _("; unpaired calls before it: %s"), parts.p);
    buf_release(&parts);
    draw_page_text(p, STYLE_DIM, buf_view(&b));
    buf_release(&b);
}

/* Shows that the line represents several. */
static void folded_rows(struct page *p, uint32_t line)
{
    const struct row_fold *x = workspace_fold(&p->s->work, line);
    struct buf b = {0};
    if (!x)
        return;
    row_fold_text(x, &b);
    buf_cstr(&b, _("; Enter shows all. The first of them:"));
    draw_page_text(p, STYLE_DIM, buf_view(&b));
    buf_release(&b);
}

/* Fills the page for the line; `total` of the page receives its number of lines. */
static void fill_detail_page(struct page *p, uint32_t line)
{
    const struct workspace *d = &p->s->work;
    const struct comparison *c = d->c;
    const struct line_judgement *j = workspace_judgement(d, line);
    uint32_t row[2];
    workspace_rows(d, line, row);
    folded_rows(p, line);
    if (j)
        draw_verdict_text(p, line, j);
    draw_row_problems(p, row[TARGET]);
    draw_previous_round(p, line);
    draw_row_findings(p, line);
    if (j) {
        draw_diagnoses(p, line, true);
        draw_wrong_side(p, line, WHICH_WRONG);
        draw_advice(p, line);
    }
    figures_table(p, line, row);
    draw_pair_figures(p, c->paired ? measure_figures(&c->measure, line) : NULL);
    if (j)
        draw_wrong_side(p, line, WHICH_NEITHER);
    if (j && c->judged->first == line)
        draw_provisional_reason(p);
    if (j) {
        draw_amplification(p, row[TARGET]);
        draw_reference(p, row);
        draw_wrong_side(p, line, WHICH_FINE);
        draw_diagnoses(p, line, false);
    }
    draw_row_names(p, line, row);
    if (c->paired && !c->single)
        why_paired(p, line);
}

static void pane_detail_update(struct screen *s, struct rect r)
{
    struct workspace *d = &s->work;
    struct grid nowhere = {0};
    struct page p = {.s = s, .g = &nowhere, .r = r};
    s->detail_below = 0;
    if (!workspace_lines(d))
        return;
    diagnosis_job_ask(&d->diagnosis, d->c, s->shown_line);
    fill_detail_page(&p, s->shown_line);
    int most = p.total > r.h ? p.total - r.h : 0;
    if (d->detail_scroll > most) /* not past the end */
        d->detail_scroll = most;
    s->detail_below = most - d->detail_scroll;
}

static void pane_detail_draw(const struct screen *s, struct grid *g, struct rect r)
{
    struct page p = {.s = s, .g = g, .r = r, .skip = s->work.detail_scroll};
    if (workspace_lines(&s->work))
        fill_detail_page(&p, s->shown_line);
}

static const struct hint hints[] = {
    {"down", N_("scroll")}, {"pane next", N_("pane")}, {"zoom", N_("zoom")}, {"first", N_("first")}, {"help", N_("help")}, {"back", N_("back")}, {0},
};

const struct pane_ops pane_detail = {"detail", pane_detail_update, pane_detail_draw, hints};
