/* Writes one file per pair of ranks, and merges the result from them. */
#include "ui/cli_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_stamp.h"
#include "base/io.h"
#include "base/json_tree.h"
#include "base/msg.h"
#include "report/formats.h"
#include "report/job_merge.h"
#include "ui/cli.h"
#include "ui/shared_list.h"

#define FILE_MOST (1u << 30)
#define LOOK_MS 50          /* between two checks of the other processes' results */
/* the least time without progress of other processes after which their pairs are taken over */
#define PATIENCE_MS 20000

const struct shared_list *shared_list;

static const char ending[] = ".ranks.json";

struct parts {
    const struct investigation *v;
    const struct options *o;
    struct job_compare k;
    struct buf folder;
    bool resume;       /* keep results of an earlier run with the same recordings */
    bool alone;        /* no other process is running (any more) */
    long number, next; /* the requested pair; the pair taken last, -1: none */
    VEC(struct place) all; /* every pair: step and rank, -1 if all ranks are joined */
    long began_ms, longest_ms;
};

bool cli_parts_wanted(const struct options *o)
{
    return o->output && !o->json && !o->workers_all && str_ends(str_of(o->output), ending);
}

static void part_path(const struct parts *p, int step, int rank, struct buf *out)
{
    struct buf name = {0};
    buf_fmt(&name, "step%d", step < 0 ? 0 : step);
    if (rank >= 0)
        buf_fmt(&name, "-rank%d", rank);
    buf_cstr(&name, ".json");
    path_join(out, p->folder.p, name.p);
    buf_release(&name);
}

static void put_file_stamp(const char *path, struct buf *out)
{
    struct file_stamp x = file_stamp_of(path);
    buf_fmt(out, "%llu/%llu/%llu ", (unsigned long long)x.bytes, (unsigned long long)x.files,
            (unsigned long long)x.time);
}

/* The inputs of a part: sizes and times of the recordings, and the options of the comparison. */
static void part_source(const struct parts *p, int step, int rank, struct buf *out)
{
    const struct options *o = p->o;
    for (int s = 0; s < 2; s++) {
        const place_list *l = &p->k.places[s];
        for (size_t i = 0; i < l->n; i++) {
            if (l->v[i].step != step || (rank >= 0 && l->v[i].rank != rank))
                continue;
            for (size_t k = 0; k < l->v[i].paths.n; k++)
                put_file_stamp(l->v[i].paths.v[k], out);
        }
        if (p->k.opt.settings[s])
            put_file_stamp(p->k.opt.settings[s], out);
        buf_fmt(out, "%s; ", o->layout[s] ? o->layout[s] : "");
    }
    for (int i = 0; i < o->dims_n; i++) {
        buf_fmt(out, "%.*s=%d", STR_ARG(o->dims[i].pattern), o->dims[i].ndim);
        for (int c = 0; c < o->dims[i].cuts; c++)
            buf_fmt(out, " %d:%d:%d", o->dims[i].cut[c].by, o->dims[i].cut[c].how, o->dims[i].cut[c].axis);
        buf_cstr(out, _("; "));
    }
    for (int i = 0; i < o->thresholds; i++)
        buf_fmt(out, "%.*s=%.*s ", STR_ARG(o->threshold_key[i]), STR_ARG(o->threshold_value[i]));
}

/* Whether the part's file exists, is complete, and has the recordings' present sizes and times. */
static bool is_part_present(const struct parts *p, int step, int rank)
{
    struct buf path = {0}, source = {0};
    struct err quiet = {0};
    part_path(p, step, rank, &path);
    cJSON *x = path_is_file(path.p) ? json_load(path.p, FILE_MOST, &quiet) : NULL;
    const char *was = cJSON_GetStringValue(json_member(x, "source"));
    part_source(p, step, rank, &source);
    bool same = was && strcmp(was, source.p) == 0;
    cJSON_Delete(x);
    buf_release(&path);
    buf_release(&source);
    return same;
}

static bool take_pair_part(void *ctx, int step, int rank)
{
    struct parts *p = ctx;
    long number = p->number++;
    struct place at = {.step = step, .rank = rank};
    vec_push(&p->all, at);
    if (p->resume && is_part_present(p, step, rank))
        return false;
    while (!p->alone && p->next < number)
        p->next = shared_list->next();
    p->began_ms = clock_ms();
    return p->alone || p->next == number;
}

/* Writes the result of some of the job's pairs, with their first deviation. */
static void write_part_result(const struct parts *p, struct job_result *r, const char *source, struct out *out)
{
    struct report_options ro = {.rows = ROWS_DEVIATING, .inv = p->v, .lasting = true, .source = source};
    r->workers = 1; /* the counts from which coverage is computed */
    memset(&r->first, 0, sizeof r->first);
    job_find_first(r);
    job_json(out, r, &ro);
    vec_release(&r->first.ranks);
}

/* Writes a single pair; collectives and replicas are known when all pairs are compared. */
static int write_finished_part(void *ctx, size_t pair, struct err *e)
{
    struct parts *p = ctx;
    struct job_pair own = p->k.result.pairs.v[pair];
    struct job_result one = p->k.result;
    struct out out;
    struct buf path = {0}, source = {0};
    long took = clock_ms() - p->began_ms;
    p->longest_ms = took > p->longest_ms ? took : p->longest_ms;
    one.pairs.v = &own;
    one.pairs.n = 1;
    one.left.n = 0;
    for (int s = 0; s < 2; s++) {
        one.collectives[s].v.n = 0;
        one.replicas[s].v.n = 0;
    }
    part_path(p, own.step, own.rank[TARGET], &path);
    part_source(p, own.step, own.rank[TARGET], &source);
    int rc = out_own_file(&out, path.p, e);
    if (rc == 0) {
        write_part_result(p, &one, source.p, &out);
        rc = out_close(&out, e);
    }
    buf_release(&path);
    buf_release(&source);
    return rc;
}

/* ---- all of it ---- */

static int compare_part_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->step != y->step ? (x->step > y->step) - (x->step < y->step) : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Writes collectives and replicas and the rows of every part; *status as of compare. */
static int write_merged_parts(struct parts *p, int *status, struct err *e)
{
    struct job_result base = p->k.result;
    struct out text, out;
    name_list files = {0};
    VEC(struct place) left = {0};
    vec_sort(&p->all, compare_part_places);
    for (size_t i = 0; i < p->all.n; i++) {
        const struct place *x = &p->all.v[i];
        const struct rank_set *set = &job_at(&base, x->step)->set[TARGET];
        struct buf path = {0};
        part_path(p, x->step, x->rank, &path);
        vec_push(&files, mem_strdup(path.p));
        buf_release(&path);
        for (size_t k = 0; k < set->ranks.n; k++) {
            struct place one = {.step = x->step, .rank = set->ranks.v[k]->rank};
            if (x->rank < 0 || x->rank == one.rank)
                vec_push(&left, one);
        }
    }
    base.pairs.n = 0;
    base.left.v = left.v;
    base.left.n = left.n;
    out_memory(&text);
    write_part_result(p, &base, NULL, &text);
    cJSON *all = cJSON_Parse(text.buf.p);
    int rc = all ? job_parts_merge(all, &files, e) : err_set(e, ERR_IO, "%s", _("out of memory"));
    if (rc == 0 && (rc = out_file(&out, p->o->output, e)) == 0) {
        json_write_tree(all, &out.buf);
        rc = out_close(&out, e);
    }
    *status = rc ? 0 : job_merged_status(all);
    cJSON_Delete(all);
    buf_release(&text.buf);
    vec_release(&left);
    name_list_release(&files);
    return rc;
}

static size_t count_missing_parts(const struct parts *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->all.n; i++)
        n += !is_part_present(p, p->all.v[i].step, p->all.v[i].rank);
    return n;
}

/* Waits until the others have finished their pairs. False: there was no progress for long, and pairs are missing. */
static bool wait_for_others(struct parts *p)
{
    long patience = 4 * p->longest_ms > PATIENCE_MS ? 4 * p->longest_ms : PATIENCE_MS, heard = clock_ms();
    size_t were = count_missing_parts(p);
    int gone = 0;
    while (were && shared_list->others_done() < shared_list->processes - 1) {
        usleep(LOOK_MS * 1000);
        size_t now = count_missing_parts(p);
        int done = shared_list->others_done();
        if (now != were || done != gone)
            heard = clock_ms();
        were = now;
        gone = done;
        if (clock_ms() - heard > patience)
            return false;
    }
    return !were;
}

static int compare_in_parts(struct parts *p, const struct job_compare_options *jo,
                            int (*wait)(struct session *s, void *ctx, struct err *e), struct err *e)
{
    struct job_compare_options own = *jo;
    own.take = take_pair_part;
    own.finished = write_finished_part;
    own.take_ctx = p;
    own.rows_alone = shared_list && shared_list->process > 0;
    p->number = 0;
    p->next = -1;
    vec_clear(&p->all);
    job_compare_init(&p->k, &own);
    return job_compare_run(&p->k, wait, (void *)p->o, e);
}

/* Removes parts of an earlier comparison, which would be taken for those of unfinished pairs. */
static void clear_parts(const struct parts *p)
{
    name_list names = {0};
    struct err quiet;
    struct buf path = {0};
    if (dir_list(p->folder.p, 1000000, &names, &quiet) == 0)
        for (size_t i = 0; i < names.n; i++)
            if (str_starts(str_of(names.v[i]), "step") && str_ends(str_of(names.v[i]), ".json")) {
                path_join(&path, p->folder.p, names.v[i]);
                unlink(path.p);
            }
    name_list_release(&names);
    buf_release(&path);
}

int cli_parts_compare(const struct investigation *v, const struct options *o, const struct job_compare_options *jo,
                      int (*wait)(struct session *s, void *ctx, struct err *e))
{
    struct parts p = {.v = v, .o = o, .resume = o->resume, .alone = !shared_list};
    struct err e = {0};
    bool first = !shared_list || shared_list->process == 0;
    int status = 0, rc = 0;
    buf_fmt(&p.folder, "%.*s.ranks.parts", (int)(strlen(o->output) - strlen(ending)), o->output);
    if (first && path_make(p.folder.p))
        rc = err_system(&e, p.folder.p);
    if (first && rc == 0 && !o->resume)
        clear_parts(&p);
    if (shared_list)
        shared_list->together();
    rc = rc ? rc : compare_in_parts(&p, jo, wait, &e);
    if (shared_list && rc == 0 && first && !wait_for_others(&p)) {
        job_compare_release(&p.k);
        p.alone = p.resume = true;
        rc = compare_in_parts(&p, jo, wait, &e);
    }
    if (rc == 0 && first)
        rc = write_merged_parts(&p, &status, &e);
    job_compare_release(&p.k);
    vec_release(&p.all);
    buf_release(&p.folder);
    status = rc ? cli_fail(&e) : status;
    if (shared_list && first)
        shared_list->done(status);
    return shared_list && !first && rc == 0 ? shared_list->wait_done() : status;
}
