/* diverge compare, where a side has several ranks or micro-batches: all ranks of both, each against its like, or both
 * sides joined to one. */
#include "ui/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "compare/job_strip.h"
#include "fmt/find_recordings.h"
#include "judge/verdict_text.h"
#include "report/formats.h"
#include "report/job_merge.h"
#include "ui/open_investigation.h"

struct job_run {
    const struct investigation *v;
    const struct options *o;
    struct found_trees *found;
    place_list places[2];
    struct job_result result;
    size_t dealt; /* pairs of ranks, or joined steps, so far */
};

static bool step_wanted(const struct job_run *r, int side, int step)
{
    return r->o->all_steps || r->v->step[side] < 0 || step == r->v->step[side] || (side == GOLDEN && r->v->step[GOLDEN] < 0);
}

static bool has_step(const place_list *l, int step)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].step == step)
            return true;
    return false;
}

/* The next step both sides have behind `after`; false where there is none. */
static bool next_step(const struct job_run *r, bool begun, int after, int *step)
{
    for (size_t i = 0; i < r->places[TARGET].n; i++) {
        int s = r->places[TARGET].v[i].step;
        if ((!begun || s > after) && step_wanted(r, TARGET, s) && has_step(&r->places[GOLDEN], s) && step_wanted(r, GOLDEN, s)) {
            *step = s;
            return true;
        }
    }
    return false;
}

static int find_places(struct job_run *r, struct err *e)
{
    for (int i = 0; i < 2; i++)
        if (found_trees_below(r->found, r->v->input[i], NULL, &r->places[i], &r->result.failed, e))
            return -1;
    return 0;
}

static bool is_recording(const place_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].reader->table || l->v[i].reader->weights)
            return false;
    return l->n > 0;
}

enum job_kind cli_job_asked(const struct investigation *v, const struct options *o, struct found_trees *found)
{
    struct job_run r = {.v = v, .o = o, .found = found};
    struct err quiet = {0};
    int step;
    bool several = false;
    if (!v->input[GOLDEN] || v->rank[TARGET] >= 0 || v->rank[GOLDEN] >= 0 || (o->all_steps && !o->all_ranks))
        return JOB_OF_ONE_RANK;
    if (find_places(&r, &quiet) == 0 && is_recording(&r.places[TARGET]) && is_recording(&r.places[GOLDEN]) && next_step(&r, false, 0, &step))
        several = place_list_ranks(&r.places[TARGET], step) > 1 || place_list_ranks(&r.places[GOLDEN], step) > 1;
    bool open = r.result.failed.n; /* ranks that cannot be read leave the layout open */
    read_failures_release(&r.result.failed);
    return !several ? JOB_OF_ONE_RANK : open ? JOB_RANK_BY_RANK : JOB_AS_ONE;
}

/* One micro-batch against several, or both several: numbers of calls that divide each other. */
bool cli_job_of_micro_batches(const struct comparison *c)
{
    uint32_t n[2];
    if (c->single || c->tabled || c->opt.rank[TARGET] >= 0 || c->opt.map_only || c->map_count || c->opt.pack)
        return false;
    for (int s = 0; s < 2; s++) {
        struct call_places p;
        call_places_find(&p, &c->side[s].dump);
        n[s] = p.micros;
        call_places_release(&p);
    }
    return n[0] != n[1] && (n[0] % n[1] == 0 || n[1] % n[0] == 0);
}

static int load_job(struct job_run *r, int step, struct err *e)
{
    struct joined_job *j = mem_zalloc(sizeof *j);
    r->result.job = mem_resize_array(r->result.job, r->result.steps + 1, sizeof *r->result.job);
    r->result.job[r->result.steps++] = j;
    for (int s = 0; s < 2; s++) {
        if (rank_set_load(&j->set[s], r->v->input[s], &r->places[s], step, e))
            return -1;
        layout_init(&j->layout[s]);
        if (r->o->layout[s] && layout_parse(&j->layout[s], str_of(r->o->layout[s]), e))
            return -1;
        layout_infer(&j->layout[s], &j->set[s]);
    }
    joined_job_build(j);
    return 0;
}

/* One comparison run to its end; its place in the result is taken. */
static int compare_places(struct job_run *r, struct found_trees *found, int step, int target, int golden, struct err *e)
{
    struct session s;
    struct session_options so;
    open_investigation_session(r->v, r->o, &so);
    so.before = (struct round_place){.file = NULL};
    so.of.found = found;
    for (int i = 0; i < 2; i++) {
        so.of.step[i] = step;
        so.of.rank[i] = i == TARGET ? target : golden;
    }
    if (session_start(&s, &so, e))
        return -1;
    int rc = cli_wait(&s, r->o, e);
    if (rc == 0) {
        struct job_pair p = {.step = step, .rank = {target, golden}, .c = session_hold(&s)};
        vec_push(&r->result.pairs, p);
    }
    session_stop(&s);
    return rc;
}

static void keep_alone(struct job_run *r, int side, int step, int rank)
{
    struct place p = {.step = step, .rank = rank};
    vec_push(&r->result.alone[side], p);
}

/* Pairs are dealt out in turn: whether this one is another worker's, which is noted. */
static bool of_another(struct job_run *r, int step, int rank)
{
    bool other = r->result.workers && (int)(r->dealt++ % (size_t)r->result.workers) != r->result.worker;
    struct place p = {.step = step, .rank = rank};
    if (other)
        vec_push(&r->result.left, p);
    return other;
}

static int compare_ranks(struct job_run *r, struct joined_job *j, struct err *e)
{
    int step = j->set[TARGET].step;
    bool compared = false;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < j->set[s].ranks.n; i++)
            if (rank_set_find(&j->set[!s], j->set[s].ranks.v[i]->rank) == NONE)
                keep_alone(r, s, step, j->set[s].ranks.v[i]->rank);
    for (size_t i = 0; i < j->set[TARGET].ranks.n; i++) {
        int rank = j->set[TARGET].ranks.v[i]->rank;
        if (rank_set_find(&j->set[GOLDEN], rank) == NONE || of_another(r, step, rank))
            continue;
        compared = true;
        if (compare_places(r, r->found, step, rank, rank, e) == 0)
            continue;
        if (e->code != ERR_IO && e->code != ERR_DATA)
            return -1;
        cli_rank_unread(&r->result.failed, step, rank, e);
    }
    return r->result.pairs.n || r->result.left.n || compared ? 0 : err_set(e, ERR_USAGE, _("%s and %s have no step and rank in common"), r->v->input[0], r->v->input[1]);
}

static void ranks_named(const struct rank_set *s, rank_list *out)
{
    for (size_t i = 0; i < s->ranks.n; i++)
        rank_list_add(out, s->ranks.v[i]->rank);
    rank_set_absent(s, 0, out);
}

/* Where a rank is absent or was not read in full, nothing is joined, and what it lacks says nothing: each rank is compared
 * with its like where both jobs have the same ranks, else nothing is. */
static int compare_what_is_there(struct job_run *r, struct joined_job *j, struct err *e)
{
    rank_list named[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        ranks_named(&j->set[s], &named[s]);
    bool same = named[0].n == named[1].n && memcmp(named[0].v, named[1].v, named[0].n * sizeof *named[0].v) == 0;
    vec_release(&named[0]);
    vec_release(&named[1]);
    if (same)
        return compare_ranks(r, j, e);
    for (int s = 0; s < 2; s++)
        if (!rank_set_is_whole(&j->set[s])) {
            struct buf b = {0};
            buf_fmt(&b, _("%s: a rank is not there or was not read in full, so that its parts cannot be joined"), j->set[s].path);
            struct read_failure f = {.path = mem_strdup(""), .text = b.p};
            vec_push(&r->result.failed, f);
        }
    return 0;
}

static int compare_step(struct job_run *r, int step, struct err *e)
{
    if (load_job(r, step, e))
        return -1;
    struct joined_job *j = r->result.job[r->result.steps - 1];
    bool whole = rank_set_is_whole(&j->set[TARGET]) && rank_set_is_whole(&j->set[GOLDEN]);
    bool joined = whole && !layout_same(&j->layout[TARGET], &j->layout[GOLDEN]);
    r->result.joined |= joined;
    if (joined && r->result.workers && (int)(r->dealt++ % (size_t)r->result.workers) != r->result.worker) {
        for (size_t i = 0; i < j->set[TARGET].ranks.n; i++) {
            struct place p = {.step = step, .rank = j->set[TARGET].ranks.v[i]->rank};
            vec_push(&r->result.left, p);
        }
        return 0;
    }
    if (!whole)
        return compare_what_is_there(r, j, e);
    if (joined)
        joined_job_decide(j);
    if (joined ? compare_places(r, &j->found, step, -1, -1, e) : compare_ranks(r, j, e))
        return -1;
    for (int s = 0; s < 2; s++) {
        collectives_find(&r->result.collectives[s], &j->calls[s], s, step);
        replicas_find(&r->result.replicas[s], &j->calls[s], &j->calls[!s], s, step);
    }
    collectives_compare(&r->result.collectives[TARGET], &j->calls[TARGET], &r->result.collectives[GOLDEN], &j->calls[GOLDEN]);
    return 0;
}

/* ---- text ---- */

static void layout_line(struct buf *b, const char *word, const struct joined_job *j, int side)
{
    const struct layout *l = &j->layout[side];
    char order[32];
    layout_order_text(l, order);
    buf_fmt(b, _("%s  %s\n        %zu ranks: tp %d · cp %d · dp %d · pp %d · ep %d · micro-batches %d · %s\n"), word, j->set[side].path,
            j->set[side].ranks.n, l->size[CUT_TP], l->size[CUT_CP], l->size[CUT_DP], l->size[CUT_PP], l->size[CUT_EP],
            l->size[CUT_MICRO], order);
}

static void rank_line(struct buf *b, const struct job_result *r, size_t pair)
{
    const struct job_pair *p = &r->pairs.v[pair];
    if (p->rank[TARGET] >= 0)
        buf_fmt(b, _("step %d rank %d  "), p->step, p->rank[TARGET]);
    else
        buf_fmt(b, _("step %d, all ranks joined  "), p->step);
    cli_rank_outcome(p->c, b);
    buf_char(b, '\n');
}

static void strip_lines(struct buf *b, const struct job_result *r)
{
    struct job_strip s;
    job_strip_build(&s, r);
    for (size_t i = 0; i < s.row.n; i++)
        buf_fmt(b, "%5d  %s\n", s.row.v[i].rank, s.row.v[i].cells);
    job_strip_release(&s);
}

static void text_report(struct buf *b, const struct job_result *r)
{
    for (size_t i = 0; i < r->failed.n; i++)
        buf_fmt(b, _("not read: %s\n"), r->failed.v[i].text);
    layout_line(b, _("target"), r->job[0], TARGET);
    layout_line(b, _("golden"), r->job[0], GOLDEN);
    for (size_t i = 0; i < r->pairs.n; i++)
        rank_line(b, r, i);
    strip_lines(b, r);
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < r->collectives[s].v.n; i++)
            if (collective_is_bad(&r->collectives[s].v.v[i]))
                buf_fmt(b, _("collective %s: %s\n"), r->collectives[s].v.v[i].at ? r->collectives[s].v.v[i].at : r->collectives[s].v.v[i].name,
                        r->collectives[s].v.v[i].evidence);
        for (size_t i = 0; i < r->replicas[s].v.n; i++)
            buf_fmt(b, _("replicas: %s\n"), r->replicas[s].v.v[i].evidence);
    }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < r->alone[s].n; i++)
            buf_fmt(b, _("step %d rank %d  only in %s: not compared\n"), r->alone[s].v[i].step, r->alone[s].v[i].rank, r->job[0]->set[s].path);
}

/* One file a worker, there whole or not at all. */
static int write_share(const struct job_run *r, struct err *e)
{
    const struct options *o = r->o;
    struct report_options ro = {.rows = ROWS_DEVIATING, .tool = TOOL, .inv = r->v};
    struct buf name = {0}, path = {0};
    struct out out;
    if (!o->output || strcmp(o->output, "-") == 0)
        return err_set(e, ERR_USAGE, "%s", _("--worker needs -o FOLDER"));
    if (path_make(o->output))
        return err_system(e, o->output);
    buf_fmt(&name, "worker-%d-of-%d.ranks.json", o->worker, o->workers_all);
    path_join(&path, o->output, name.p);
    int rc = out_file(&out, path.p, e);
    if (rc == 0) {
        job_json(&out, &r->result, &ro);
        rc = out_close(&out, e);
    }
    buf_release(&name);
    buf_release(&path);
    return rc;
}

static int deliver(const struct job_run *r, struct err *e)
{
    const struct options *o = r->o;
    struct out out;
    if (o->workers_all)
        return write_share(r, e);
    if (o->json || o->output) {
        struct report_options ro = {.rows = o->rows, .tool = TOOL, .inv = r->v, .date = open_investigation_date()};
        const struct writer *w = o->json || strcmp(o->output, "-") == 0 ? &writers[0] : writer_for(o->output);
        if (!w || w->rows_only)
            return err_set(e, ERR_USAGE, _("%s: several steps or ranks are written as .json, .html or .md"), o->output);
        if (cli_out(o, &out, e))
            return -1;
        if (w == &writers[0])
            job_json(&out, &r->result, &ro);
        else
            job_report(&out, &r->result, w, &ro);
        return out_close(&out, e);
    }
    if (!o->summary) {
        struct buf b = {0};
        text_report(&b, &r->result);
        cli_print_clean(&b);
        buf_release(&b);
    }
    return 0;
}

/* By --fail-on, where it is given: each pair by what it counts, a collective or replica that is wrong as a row that deviates.
 * With --summary a line for each. */
static int status_of(const struct job_run *r)
{
    const struct fail_on *policy = &r->o->policy;
    int own = job_status(&r->result), status = EXIT_ALIGNED;
    for (size_t i = 0; i < r->result.pairs.n; i++) {
        const struct comparison *c = r->result.pairs.v[i].c;
        struct judge_options jo = comparison_judge_options(c);
        status = cli_worse_status(status, cli_fail_on(r->o, c, judgement_status(c->judged, &jo)));
    }
    if (!policy->given)
        return own;
    bool other = r->result.first.found && r->result.first.kind != FIRST_ROW;
    if (other && (policy->kinds & 1u << FAIL_ON_DEVIATE))
        return EXIT_DEVIATES;
    return policy->kinds && own == EXIT_UNJUDGED ? cli_worse_status(status, own) : status;
}

int cli_compare_job(const struct investigation *v, const struct options *o, struct found_trees *found)
{
    struct job_run r = {.v = v, .o = o, .found = found, .result = {.worker = o->worker, .workers = o->workers_all}};
    struct err e = {0};
    int step = -1, status = 0;
    int rc = find_places(&r, &e);
    for (bool begun = false; rc == 0 && next_step(&r, begun, step, &step) && (!begun || o->all_steps); begun = true)
        rc = compare_step(&r, step, &e);
    if (rc == 0) {
        job_find_first(&r.result);
        status = status_of(&r);
        rc = deliver(&r, &e);
    }
    job_result_release(&r.result);
    return rc ? cli_fail(&e) : status;
}

/* ---- results of shares ---- */

static void merged_text(const cJSON *all, struct buf *b)
{
    const cJSON *parts = cJSON_GetObjectItem(all, "parts"), *first = cJSON_GetObjectItem(all, "first");
    const cJSON *done = cJSON_GetObjectItem(parts, "done"), *of = cJSON_GetObjectItem(parts, "of"), *v;
    buf_fmt(b, _("%d of %d ranks compared\n"), done ? done->valueint : 0, of ? of->valueint : 0);
    cJSON_ArrayForEach(v, cJSON_GetObjectItem(parts, "missing")) {
        const cJSON *step = cJSON_GetObjectItem(v, "step"), *rank = cJSON_GetObjectItem(v, "rank");
        buf_fmt(b, _("missing: step %d rank %d\n"), step ? step->valueint : 0, rank ? rank->valueint : 0);
    }
    if (cJSON_IsObject(first))
        buf_fmt(b, _("first: rank %d, %s: %s\n"), cJSON_GetObjectItem(first, "rank")->valueint,
                cJSON_GetStringValue(cJSON_GetObjectItem(first, "call")), cJSON_GetStringValue(cJSON_GetObjectItem(first, "sentence")));
    else
        buf_cstr(b, _("no deviation\n"));
}

int cli_compare_shares(const struct options *o)
{
    struct err e = {0};
    struct buf b = {0};
    cJSON *all = job_files_merge(o->arg[0], &e);
    if (!all)
        return cli_fail(&e);
    bool deviates = cJSON_IsObject(cJSON_GetObjectItem(all, "first"));
    bool missing = cJSON_GetArraySize(cJSON_GetObjectItem(cJSON_GetObjectItem(all, "parts"), "missing")) > 0;
    int rc = 0;
    if (o->json || o->output) {
        char *text = cJSON_PrintUnformatted(all);
        buf_fmt(&b, "%s\n", text ? text : "");
        cJSON_free(text);
        rc = cli_deliver(o, &b, &e);
    } else if (!o->summary) {
        merged_text(all, &b);
        cli_print_clean(&b);
    }
    cJSON_Delete(all);
    buf_release(&b);
    return rc ? cli_fail(&e) : deviates ? EXIT_DEVIATES : missing ? EXIT_UNJUDGED : EXIT_ALIGNED;
}
