/* Reads what a result file says of ranks. A file is hostile: what is not as it should be is left out. */
#include "compare/job_summary.h"

#include <stdlib.h>

#include "base/json_tree.h"
#include "base/msg.h"
#include "base/num.h"
#include "compare/job_text.h"
#include "compare/start_text.h"
#include "ranks/join_text.h"

static int summary_int(const cJSON *o, const char *key, int other)
{
    const cJSON *v = json_member(o, key);
    return cJSON_IsNumber(v) ? v->valueint : other;
}

static const char *summary_text(const cJSON *o, const char *key)
{
    const char *v = cJSON_GetStringValue(json_member(o, key));
    return v ? v : "";
}

static void read_rank_list(const cJSON *list, rank_list *out)
{
    for (const cJSON *v = list ? list->child : NULL; v; v = v->next)
        if (cJSON_IsNumber(v) && v->valueint >= 0)
            rank_list_add(out, v->valueint);
}

void job_summary_take(struct job_summary *s, cJSON *all)
{
    static const char *const side[] = {"target", "golden"};
    const cJSON *parts = json_member(all, "parts");
    *s = (struct job_summary){.all = all, .joined = strcmp(summary_text(all, "pairing"), "layout") == 0};
    for (int i = 0; i < 2; i++)
        s->side[i] = summary_text(json_member(all, side[i]), "path");
    s->done = summary_int(parts, "done", 0);
    s->of = summary_int(parts, "of", 0);
}

void job_summary_release(struct job_summary *s)
{
    cJSON_Delete(s->all);
    *s = (struct job_summary){.all = NULL};
}

/* ---- the strip ---- */

static void read_columns(const cJSON *list, struct job_strip *out)
{
    size_t n = 0;
    for (const cJSON *v = list ? list->child : NULL; v; v = v->next)
        n += cJSON_IsObject(v) != 0;
    out->column = mem_zalloc((n + 1) * sizeof *out->column);
    uint32_t last = 0;
    for (const cJSON *v = n ? list->child : NULL; v; v = v->next) {
        int order = summary_int(v, "order", -1), calls = summary_int(v, "calls", 1);
        if (!cJSON_IsObject(v))
            continue;
        last = order >= 0 && (uint32_t)order >= last ? (uint32_t)order : last; /* they ascend */
        out->column[out->columns++] = (struct job_column){.order = last,
                                                          .calls = calls > 0 ? (uint32_t)calls : 1,
                                                          .call = arena_cstr(&out->arena, str_of(summary_text(v, "call")))};
    }
}

#define ORDERS_MOST (1u << 26)

/* Each position of a step is in the last column that begins before it. */
static void add_strip_step(struct job_strip *s, int step)
{
    for (size_t i = 0; i < s->steps.n; i++)
        if (s->steps.v[i].step == step)
            return;
    uint32_t last = s->columns ? s->column[s->columns - 1].order : 0;
    size_t n = s->columns && last < ORDERS_MOST ? (size_t)last + s->column[s->columns - 1].calls : 0;
    n = n < ORDERS_MOST ? n : ORDERS_MOST;
    struct strip_step x = {.step = step, .column = mem_alloc((n + 1) * sizeof *x.column), .n = n};
    for (size_t i = 0, k = 0; i < n; i++) {
        while (k + 1 < s->columns && s->column[k + 1].order <= i)
            k++;
        x.column[i] = (uint32_t)k;
    }
    vec_push(&s->steps, x);
}

void job_summary_strip(const struct job_summary *s, struct job_strip *out, struct job_first *first)
{
    const cJSON *strip = json_member(s->all, "strip"), *f = json_member(s->all, "first"),
                *rows = json_member(strip, "ranks");
    *out = (struct job_strip){.first = NONE};
    read_columns(json_member(strip, "columns"), out);
    for (const cJSON *v = rows ? rows->child : NULL; v; v = v->next) {
        int step = summary_int(v, "step", 0), rank = summary_int(v, "rank", -1);
        const char *cells = summary_text(v, "cells");
        if (rank >= 0 && strlen(cells) == out->columns && !job_strip_row_of(out, step, rank)) {
            add_strip_step(out, step);
            job_strip_add_cells(out, step, rank, cells);
        }
    }
    const cJSON *missing = json_member(json_member(s->all, "parts"), "missing");
    for (const cJSON *v = missing ? missing->child : NULL; v; v = v->next)
        if (summary_int(v, "rank", -1) >= 0) {
            add_strip_step(out, summary_int(v, "step", 0));
            job_strip_unread(out, summary_int(v, "step", 0), summary_int(v, "rank", -1));
        }
    *first = (struct job_first){.collective = NONE, .replica = NONE};
    if (!cJSON_IsObject(f))
        return;
    const char *kind = summary_text(f, "kind");
    first->found = true;
    first->kind = strcmp(kind, "collective") == 0 ? FIRST_COLLECTIVE
                  : strcmp(kind, "replica") == 0  ? FIRST_REPLICA
                                                  : FIRST_ROW;
    first->step = summary_int(f, "step", 0);
    first->order = (uint32_t)summary_int(f, "order", -1);
    read_rank_list(json_member(f, "ranks"), &first->ranks);
    if (!first->ranks.n)
        rank_list_add(&first->ranks, summary_int(f, "rank", 0));
    out->first = job_strip_column(out, first->step, first->order);
}

/* ---- sentences ---- */

void job_layout_read(const cJSON *o, struct layout *l)
{
    struct buf as = {0};
    struct err quiet;
    for (int c = 0; c < CUT_COUNT; c++)
        buf_fmt(&as, "%s=%d,", cut_name((enum cut)c), summary_int(o, cut_name((enum cut)c), 1));
    buf_fmt(&as, "vpp=%d,sp=%s", summary_int(o, "vpp", 1), cJSON_IsTrue(json_member(o, "sp")) ? "on" : "off");
    if (*summary_text(o, "order"))
        buf_fmt(&as, ",order=%s", summary_text(o, "order"));
    if (layout_parse(l, buf_view(&as), &quiet))
        layout_init(l);
    buf_release(&as);
    l->source = layout_source_find(summary_text(o, "source"));
    l->weights = cJSON_IsTrue(json_member(o, "weights"));
    l->proved = (uint32_t)summary_int(json_member(o, "proved"), "rows", 0);
    l->equal = (uint32_t)summary_int(json_member(o, "proved"), "equal", 0);
    for (const cJSON *v = json_member(o, "open") ? json_member(o, "open")->child : NULL; v; v = v->next)
        for (int c = 0; c < CUT_COUNT; c++)
            if (cJSON_IsString(v) && strcmp(v->valuestring, cut_name((enum cut)c)) == 0)
                l->open |= (uint8_t)(1u << c);
}

size_t job_summary_layout(const struct job_summary *s, int side, struct layout *l)
{
    const cJSON *x = json_member(s->all, side == TARGET ? "target" : "golden");
    job_layout_read(json_member(x, "layout"), l);
    return (size_t)cJSON_GetArraySize(json_member(x, "ranks"));
}

void job_summary_layout_text(const struct job_summary *s, int side, struct buf *out)
{
    struct layout l;
    size_t ranks = job_summary_layout(s, side, &l);
    job_layout_words(&l, ranks, s->joined, out);
}

void job_summary_outcome_text(const struct job_summary *s, struct buf *out)
{
    struct job_strip strip;
    struct job_first first;
    const cJSON *parts = json_member(s->all, "parts");
    job_summary_strip(s, &strip, &first);
    bool whole = s->done >= s->of && summary_int(parts, "status", 0) != 5;
    if (first.found)
        job_first_words(&first, strip.steps.n > 1, true, summary_text(json_member(s->all, "first"), "call"), out);
    else if (whole && summary_int(json_member(s->all, "summary"), "figures_only", 0) > 0)
        buf_cstr(out, _("aligned: nothing deviates on any rank (≈ the elements were not compared)"));
    else
        buf_cstr(out, whole ? _("aligned: nothing deviates on any rank")
                            : _("partly judged: no compared row deviates"));
    vec_release(&first.ranks);
    job_strip_release(&strip);
}

void job_summary_unseen_text(const struct job_summary *s, struct buf *out)
{
    const cJSON *parts = json_member(s->all, "parts"), *shares = json_member(parts, "shares");
    rank_list missing = {0}, gone = {0};
    for (const cJSON *v = json_member(parts, "missing") ? json_member(parts, "missing")->child : NULL; v; v = v->next)
        if (summary_int(v, "rank", -1) >= 0)
            rank_list_add(&missing, summary_int(v, "rank", -1));
    read_rank_list(json_member(shares, "missing"), &gone);
    if (gone.n) {
        buf_cstr(out, _("MISSING: shares "));
        rank_list_text(&gone, out);
        buf_fmt(out, _(" of %d"), summary_int(shares, "of", 0));
    }
    if (missing.n) {
        buf_cstr(out, out->n ? _("; not compared: ranks ") : _("MISSING: results of ranks "));
        rank_list_text(&missing, out);
    }
    if (!out->n && summary_int(parts, "status", 0) == 5)
        buf_cstr(out, _("UNREAD in part"));
    vec_release(&missing);
    vec_release(&gone);
}

/* ---- what was found ---- */

/* The column of a call by its name: the rank's own call, or that of the first rank that makes it. NONE: no rank
 * does. */
static uint32_t column_of_call(const struct job_strip *strip, struct str call)
{
    for (uint32_t i = 0; i < strip->columns && call.n; i++)
        if (str_eq(str_of(strip->column[i].call), call))
            return strip->column[i].order;
    return NONE;
}

/* Where a rank first deviates. */
static uint32_t first_bad_of(const struct job_strip *strip, int step, int rank)
{
    const struct job_strip_row *row = job_strip_row_of(strip, step, rank);
    for (size_t i = 0; row && i < strip->columns; i++)
        if (strip_is_bad(strip_sign_of(row->cells[i])))
            return strip->column[i].order;
    return NONE;
}

void job_found_release(struct job_found *x)
{
    free(x->text);
    free(x->sentence);
    free(x->place);
    free(x->extent);
}

struct telling {
    const struct job_strip *strip;
    void (*each)(void *ctx, const struct job_found *x);
    void *ctx;
};

static void report_found(const struct telling *t, struct job_found x, struct buf *b)
{
    x.text = b->p ? b->p : mem_strdup("");
    *b = (struct buf){0};
    t->each(t->ctx, &x);
}

static void add_ranks(struct buf *b, const rank_list *l)
{
    buf_cstr(b, l->n > 1 ? _("ranks ") : _("rank "));
    rank_list_text(l, b);
}

/* Its place in the code and the rows that inherit. */
static void add_start_place(const cJSON *start, struct job_found *x)
{
    int line = summary_int(start, "line", -1), starts = summary_int(start, "places", 1),
        inherit = summary_int(start, "inherit", -1);
    struct buf b = {0};
    if (*summary_text(start, "file") && line >= 0) {
        buf_fmt(&b, "%s:%d", path_base(str_of(summary_text(start, "file"))).p, line);
        x->place = b.p;
        b = (struct buf){0};
    }
    if (inherit >= 0) {
        start_extent(&(struct start_group){.starts = (uint32_t)starts, .inherit = (uint32_t)inherit}, &b);
        x->extent = b.p;
    }
}

/* The first deviation of a rank; of joined sides each row once, with all its ranks. */
static void report_row(const struct telling *t, const cJSON *rank)
{
    const cJSON *row = json_member(rank, "first_deviation"), *error = json_member(row, "rel_l2");
    int step = summary_int(rank, "step", 0), own = summary_int(rank, "rank", 0);
    rank_list bad = {0};
    struct buf b = {0};
    char n[NUM_MAX];
    if (!cJSON_IsObject(row))
        return;
    read_rank_list(json_member(row, "ranks"), &bad);
    if (!bad.n)
        rank_list_add(&bad, own);
    if (bad.v[0] == own) {
        add_ranks(&b, &bad);
        buf_fmt(&b, ": %s  %s",
                *summary_text(row, "target") ? summary_text(row, "target") : summary_text(row, "golden"),
                summary_text(row, "verdict"));
        if (cJSON_IsNumber(error))
            buf_fmt(&b, " %s", num_error(n, error->valuedouble));
        uint32_t order = first_bad_of(t->strip, step, own);
        const cJSON *best = json_member(row, "diagnosis") ? json_member(row, "diagnosis")->child : NULL;
        const char *said = best ? summary_text(best, "evidence") : summary_text(row, "reason");
        struct job_found x = {.kind = JOB_FOUND_ROW, .step = step, .rank = own, .order = order, .ranks = &bad,
                              .sentence = *said ? mem_strdup(said) : NULL,
                              .action = best ? summary_text(best, "advice") : NULL};
        add_start_place(json_member(rank, "start"), &x);
        report_found(t, x, &b);
    }
    vec_release(&bad);
}

static const char *diagnosis_evidence(const cJSON *o)
{
    const cJSON *list = json_member(o, "diagnosis");
    const char *said = list && list->child ? summary_text(list->child, "evidence") : "";
    return *said ? said : summary_text(o, "verdict");
}

static void report_collective(const struct telling *t, const cJSON *c)
{
    const cJSON *calls = json_member(c, "calls");
    const char *verdict = summary_text(c, "verdict"),
               *at = *summary_text(c, "at") ? summary_text(c, "at") : summary_text(c, "name");
    bool golden = strcmp(summary_text(c, "side"), "golden") == 0;
    rank_list l = {0};
    struct buf b = {0};
    uint32_t order = NONE;
    if (strcmp(verdict, "deviate") != 0 && strcmp(verdict, "missing") != 0 && strcmp(verdict, "extra") != 0)
        return;
    read_rank_list(json_member(c, "ranks"), &l);
    if (!l.n)
        read_rank_list(json_member(c, "group"), &l);
    for (const cJSON *v = calls ? calls->child : NULL; v && order == NONE; v = v->next)
        order = column_of_call(t->strip, str_of(summary_text(v, "call")));
    if (order == NONE)
        order = column_of_call(t->strip, str_of(at));
    buf_cstr(&b, golden ? _("golden collective, ") : _("collective, "));
    add_ranks(&b, &l);
    buf_fmt(&b, ": %s  %s", diagnosis_evidence(c), at);
    report_found(t, (struct job_found){.kind = JOB_FOUND_COLLECTIVE, .step = summary_int(c, "step", 0),
                                   .rank = l.n ? l.v[0] : 0, .order = order, .golden = golden, .ranks = &l},
                 &b);
    vec_release(&l);
}

static void report_replica(const struct telling *t, const cJSON *x)
{
    bool golden = strcmp(summary_text(x, "side"), "golden") == 0;
    struct str row = str_of(summary_text(x, "row"));
    rank_list l = {0};
    struct buf b = {0};
    uint32_t order = NONE;
    read_rank_list(json_member(x, "odd"), &l);
    if (!l.n)
        read_rank_list(json_member(x, "ranks"), &l);
    for (ptrdiff_t cut = (ptrdiff_t)row.n; cut > 0 && order == NONE; cut = str_rfind(str_n(row.p, (size_t)cut), '.'))
        order = column_of_call(t->strip, str_n(row.p, (size_t)cut)); /* "CALL.SLOT" */
    buf_cstr(&b, golden ? _("golden replicas, ") : _("replicas, "));
    add_ranks(&b, &l);
    buf_fmt(&b, ": %s", diagnosis_evidence(x));
    report_found(t,
                 (struct job_found){.kind = JOB_FOUND_REPLICA,
                                    .step = summary_int(x, "step", 0),
                                    .rank = l.n ? l.v[0] : 0,
                                    .order = order,
                                    .golden = golden,
                                    .ranks = &l},
                 &b);
    vec_release(&l);
}

void job_summary_each(const struct job_summary *s, const struct job_strip *strip,
                      void (*each)(void *ctx, const struct job_found *x), void *ctx)
{
    const struct telling t = {strip, each, ctx};
    static const struct {
        const char *list;
        void (*tell)(const struct telling *t, const cJSON *o);
    } lists[] = {{"ranks", report_row}, {"collectives", report_collective}, {"replicas", report_replica}};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        const cJSON *list = json_member(s->all, lists[i].list);
        for (const cJSON *v = list ? list->child : NULL; v; v = v->next)
            lists[i].tell(&t, v);
    }
}

/* ---- a document ---- */

#define STRIP_WIDTH 100
#define STRIP_LINES 64 /* of a step: ranks share one where they are more */
#define FOUND_MOST 40

struct listing {
    struct document *d;
    size_t n;
};

static void list_found(void *ctx, const struct job_found *x)
{
    struct listing *l = ctx;
    if (l->n++ < FOUND_MOST)
        doc_note(l->d, x->kind == JOB_FOUND_ROW ? DOC_BAD : DOC_ADVICE, NULL, "%s", x->text);
    struct job_found done = *x;
    job_found_release(&done);
}

static void strong_item(struct document *d, const char *word, enum doc_tone tone, struct buf *b)
{
    doc_begin(d, DOC_ITEM);
    doc_cell(d, DOC_STRONG, TONE_PLAIN, str_of(word));
    doc_cell(d, DOC_TEXT, tone, b->p ? buf_view(b) : STR(""));
    buf_clear(b);
}

void job_summary_section(struct document *d, const struct job_summary *s)
{
    struct job_strip strip;
    struct job_first first;
    struct buf b = {0};
    struct listing found = {.d = d};
    job_summary_strip(s, &strip, &first);
    buf_fmt(&b, _("%d of %d ranks compared"), s->done, s->of);
    doc_say(d, TONE_PLAIN, "%s", b.p);
    buf_clear(&b);
    job_summary_unseen_text(s, &b);
    if (b.n)
        strong_item(d, _("Not checked: "), TONE_WARN, &b);
    job_summary_outcome_text(s, &b);
    strong_item(d, _("Result: "), first.found ? TONE_BAD : s->done < s->of ? TONE_WARN : TONE_PLAIN, &b);
    if (first.found) {
        buf_cstr(&b, summary_text(json_member(s->all, "first"), "sentence"));
        strong_item(d, _("Reason: "), TONE_PLAIN, &b);
    }
    for (int i = 0; i < 2; i++) {
        buf_fmt(&b, "%s  ", s->side[i]);
        job_summary_layout_text(s, i, &b);
        strong_item(d, i == TARGET ? _("Target: ") : _("Golden: "), TONE_PLAIN, &b);
    }
    job_strip_text(&strip, STRIP_WIDTH, STRIP_LINES, &b);
    doc_heading(d, _("Ranks and calls"));
    while (b.n && b.p[b.n - 1] == '\n')
        b.n--;
    doc_code(d, str_n(b.p ? b.p : "", b.n));
    doc_heading(d, _("Found"));
    job_summary_each(s, &strip, list_found, &found);
    if (!found.n)
        doc_say(d, TONE_QUIET, "%s", _("nothing"));
    if (found.n > FOUND_MOST)
        doc_say(d, TONE_QUIET, _("and %zu more"), found.n - FOUND_MOST);
    vec_release(&first.ranks);
    job_strip_release(&strip);
    buf_release(&b);
}
