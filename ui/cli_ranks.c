/* diverge compare of every step or rank by itself: prints each result as it is found, and as JSON the first deviation
 * of all. */
#include "ui/cli.h"

#include <stdio.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "judge/verdict_text.h"
#include "report/formats.h"
#include "session/job_compare.h"
#include "ui/open_investigation.h"

struct ranks_run {
    struct job_compare k;
    struct out out;
    struct jsonw w;
    const struct options *o;
    bool json, *joined;
    size_t compared;
    struct buf first; /* JSON of the first deviation of all: its step, rank and row */
    int status;
};

static void write_pair_json(struct ranks_run *r, const struct comparison *s)
{
    const struct dump *d = &s->side[TARGET].dump;
    compare_json_brief(&r->w, s);
    if (s->judged->first != NONE && !r->first.n) {
        struct jsonw w;
        jw_init(&w, &r->first, false);
        jw_object(&w);
        jw_kint_if(&w, "step", d->step >= 0, d->step);
        jw_kint_if(&w, "rank", d->rank >= 0, d->rank);
        jw_key(&w, "row");
        compare_json_row(&w, s, s->judged->first);
        jw_end_object(&w);
    }
    out_flow(&r->out);
}

void cli_rank_outcome(const struct comparison *c, struct buf *b)
{
    struct judge_options jo = comparison_judge_options(c);
    uint32_t first = c->judged->first;
    struct buf name = {0};
    char n[NUM_MAX];
    explain_outcome(c->judged, &jo, b);
    if (first == NONE)
        return;
    const struct line *l = &c->pairing->lines.v[first];
    int side = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    dump_row_name(&c->side[side].dump, l->row[side], &name);
    buf_fmt(b, _("; row %s, %s: %s"), num_count(n, first + 1), first_class_label(c->judged->first_class), name.p);
    buf_release(&name);
}

/* N, or T:G where the sides' numbers differ. */
static void pair_number_text(char out[NUM_MAX], int target, int golden)
{
    if (golden < 0 || golden == target)
        snprintf(out, NUM_MAX, "%d", target);
    else
        snprintf(out, NUM_MAX, "%d:%d", target, golden);
}

static void write_pair_text(struct ranks_run *r, const struct comparison *s)
{
    const struct dump *t = &s->side[TARGET].dump, *g = &s->side[GOLDEN].dump;
    struct buf text = {0};
    char step[NUM_MAX], rank[NUM_MAX];
    pair_number_text(step, t->step, g->step);
    pair_number_text(rank, t->rank, g->rank);
    buf_fmt(&text, _("step %s rank %s  "), step, rank);
    cli_rank_outcome(s, &text);
    utf8_clean_lines(&r->out.buf, text.p ? buf_view(&text) : STR("")); /* names come from the dump */
    buf_release(&text);
    out_flow(&r->out);
}

static void alone_text(struct buf *b, const struct place *p, size_t n, const char *path)
{
    for (size_t i = 0; i < n && i < 16; i++)
        buf_fmt(b, _("step %d rank %d  only in %s: not compared\n"), p[i].step, p[i].rank, path);
    if (n > 16)
        buf_fmt(b, _("and %zu more only in %s\n"), n - 16, path);
}

static void alone_json(struct jsonw *w, const char *key, const struct place *p, size_t n)
{
    jw_karray(w, key);
    for (size_t i = 0; i < n; i++) {
        jw_object(w);
        jw_kint_if(w, "step", p[i].step >= 0, p[i].step);
        jw_kint_if(w, "rank", p[i].rank >= 0, p[i].rank);
        jw_end_object(w);
    }
    jw_end_array(w);
}

/* Printed before the first comparison: places that are not compared. */
static void tell_left_out(struct ranks_run *r, const struct investigation *v)
{
    struct buf *b = &r->out.buf;
    if (r->json || r->o->summary)
        return;
    const struct job_result *x = &r->k.result;
    for (size_t i = 0; i < x->failed.n; i++)
        buf_fmt(b, _("not read: %s\n"), x->failed.v[i].text);
    for (int side = 0; side < 2; side++)
        alone_text(b, x->alone[side].v, x->alone[side].n, v->input[side] ? v->input[side] : v->input[0]);
}

static void tell_left_out_json(struct ranks_run *r)
{
    const struct job_result *x = &r->k.result;
    alone_json(&r->w, "target_only", x->alone[TARGET].v, x->alone[TARGET].n);
    alone_json(&r->w, "golden_only", x->alone[GOLDEN].v, x->alone[GOLDEN].n);
    jw_karray(&r->w, "unread");
    for (size_t i = 0; i < x->failed.n; i++)
        jw_cstr(&r->w, x->failed.v[i].text);
    jw_end_array(&r->w);
}

static void write_unread_pair(void *ctx)
{
    struct ranks_run *r = ctx;
    if (!r->json && !r->o->summary)
        buf_fmt(&r->out.buf, "%s\n", vec_last(&r->k.result.failed)->text);
}

int cli_worse_status(int a, int b)
{
    return a != EXIT_DEVIATES && b != EXIT_ALIGNED ? b : a;
}

static void merge_status(struct ranks_run *r, int status)
{
    r->status = cli_worse_status(r->status, status);
}

static int report_pair(void *ctx, size_t pair, struct err *e)
{
    struct ranks_run *r = ctx;
    const struct comparison *c = r->k.result.pairs.v[pair].c;
    struct judge_options jo = comparison_judge_options(c);
    if (r->joined && !r->compared && cli_job_of_micro_batches(c)) {
        *r->joined = true; /* nothing was written yet, and nothing will be */
        return err_set(e, ERR_CANCEL, "%s", "");
    }
    merge_status(r, cli_fail_on(r->o, c, judgement_status(c->judged, &jo)));
    if (r->json)
        write_pair_json(r, c);
    else if (!r->o->summary)
        write_pair_text(r, c);
    r->compared++;
    return 0;
}

/* Writes what is found as it is found. */
static int compare_each_rank(struct ranks_run *r, const struct investigation *v, struct err *e)
{
    jw_init(&r->w, &r->out.buf, false);
    if (r->json) {
        jw_result(&r->w);
        jw_karray(&r->w, "ranks");
    }
    tell_left_out(r, v);
    int rc = job_compare_run(&r->k, cli_wait_for, (void *)r->o, e);
    if (rc == 0 && !r->compared)
        rc = -1;
    if (r->k.result.failed.n && !(r->o->policy.given && !r->o->policy.kinds))
        merge_status(r, EXIT_UNJUDGED);
    if (r->json) {
        jw_end_array(&r->w);
        jw_key(&r->w, "first");
        r->first.n ? jw_raw(&r->w, buf_view(&r->first)) : jw_null(&r->w);
        tell_left_out_json(r);
        jw_end_object(&r->w);
        buf_char(&r->out.buf, '\n');
    }
    if (rc)
        r->out.err = *e; /* out_close removes an incomplete result */
    return out_close(&r->out, e);
}

int cli_compare_all(const struct investigation *v, const struct options *o, struct found_trees *found, bool *joined)
{
    struct ranks_run r = {.o = o, .json = o->json || o->output, .joined = joined};
    struct job_compare_options jo = {.by_rank = true, .all_steps = o->all_steps, .all_ranks = o->all_ranks,
                                     .finished = report_pair, .unread = write_unread_pair, .take_ctx = &r, .found = found};
    struct err e = {0};
    bool file = o->output && strcmp(o->output, "-") != 0;
    open_investigation_session(v, o, &jo.of);
    job_compare_init(&r.k, &jo);
    int rc = job_compare_look(&r.k, &e);
    if (rc == 0 && !r.k.twins.n)
        rc = job_compare_run(&r.k, NULL, NULL, &e); /* says why there are none */
    if (rc == 0 && file && !str_ends(str_of(o->output), ".json"))
        rc = err_set(&e, ERR_USAGE, _("%s: several steps or ranks can only be written as .json"), o->output);
    if (rc == 0 && file)
        rc = out_file(&r.out, o->output, &e);
    else if (rc == 0)
        out_fd(&r.out, STDOUT_FILENO);
    if (rc == 0)
        rc = compare_each_rank(&r, v, &e);
    buf_release(&r.first);
    job_compare_release(&r.k);
    return joined && *joined ? EXIT_ALIGNED : rc ? cli_fail(&e) : r.status;
}
