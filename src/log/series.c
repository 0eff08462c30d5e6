/* Opens a log: one file recognised by its content, or a folder that contains one run. */
#include "log/series.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "fmt/unreadable.h"
#include "log/learned_lines.h"
#include "log/log_search.h"
#include "log/loss_array.h"
#include "log/loss_document.h"
#include "log/series_builder.h"
#include "log/value_names.h"

void series_release(struct series *s)
{
    vec_release(&s->files);
    vec_release(&s->records);
    vec_release(&s->names);
    vec_release(&s->points);
    vec_release(&s->replicas);
    vec_release(&s->unread);
    vec_release(&s->notes);
    arena_release(&s->arena);
    *s = (struct series){0};
}

size_t step_from(const int64_t *steps, size_t n, size_t each, int64_t step)
{
    size_t at;
    lower_bound(at, n, *(const int64_t *)((const char *)steps + at * each) < step);
    return at;
}

const struct log_record *series_at(const struct series *s, int64_t step)
{
    size_t at = s->records.n ? step_from(&s->records.v[0].step, s->records.n, sizeof *s->records.v, step) : 0;
    return at < s->records.n && s->records.v[at].step == step ? &s->records.v[at] : NULL;
}

const char *log_value_title(enum log_value v)
{
    static const char *const what[LOG_VALUES] = {
        [LOG_LOSS] = N_("loss"), [LOG_LR] = N_("learning rate"), [LOG_NORM] = N_("global norm"),
            [LOG_SCALE] = N_("loss scale"), [LOG_EPOCH] = N_("epoch"),
    };
    return _(what[v]);
}

bool log_loss_hidden(const struct series *s, const struct log_record *r)
{
    bool left_out = !log_has(r, LOG_LOSS) && (r->has & LOG_HAS_SKIPPED) && !r->skipped &&
                    strcmp(s->format, "megatron-log") == 0;
    return left_out || ((r->has & LOG_HAS_NANS) && r->nans);
}

int series_rank(const struct series *s)
{
    int rank = -1;
    for (size_t i = 0; i < s->files.n; i++)
        if (s->files.v[i].used)
            rank = s->files.v[i].rank;
    return rank;
}

bool series_has_loss(const struct series *s)
{
    for (size_t i = 0; i < s->files.n; i++)
        if (s->files.v[i].real_loss)
            return true;
    return false;
}

void series_unread(struct series *s, const char *text, int rank, bool whole)
{
    for (size_t i = 0; i < s->unread.n; i++)
        if (strcmp(s->unread.v[i].text, text) == 0)
            return;
    struct log_unread x = {arena_cstr(&s->arena, str_of(text)), rank, whole};
    vec_push(&s->unread, x);
}

void series_replica(struct series *s, struct str name, bool square, int rank, int64_t step, double v)
{
    struct log_replica x = {arena_cstr(&s->arena, name), square, rank, step, v};
    if (s->replicas.n < LOG_POINTS)
        vec_push(&s->replicas, x);
    else
        series_unread(s, _("more norms of other ranks than the limit for one log"), rank, false);
}

bool log_is_norm(const struct log_name *n)
{
    return strcmp(n->tag, "local_norm") == 0;
}

/* ---- one file ---- */

/* The log became shorter while it was read. */
static void note_shrunk(struct series *s, const struct file *f, uint64_t had, int rank)
{
    uint64_t now = file_size_now(f);
    struct buf b = {0};
    if (now >= had)
        return;
    buf_fmt(&b, _("%s: %llu bytes when it was opened, %llu now: the rest is not read"), f->name,
            (unsigned long long)had, (unsigned long long)now);
    series_unread(s, b.p, rank, false);
    buf_release(&b);
}

/* The first line with the word loss and a number, in the part that is searched. False: there is none. */
static bool like_a_record(const struct file *f, const atomic_bool *cancel, struct buf *text, uint64_t *number)
{
    struct log_lines l = {.file = f, .most = LOG_PROBE_BYTES, .cancel = cancel};
    struct str line;
    struct err quiet;
    bool found = false;
    while (!found && log_line_next(&l, &line, &quiet) == 1) {
        bool digit = false;
        line = str_trim(line);
        for (size_t i = 0; i < line.n && !digit; i++)
            digit = line.p[i] >= '0' && line.p[i] <= '9';
        found = digit && str_ihas(line, "loss");
    }
    if (found) {
        size_t n = line.n < 160 ? line.n : 160;
        while (n < line.n && ((unsigned char)line.p[n] & 0xc0) == 0x80)
            n--;
        buf_str(text, str_n(line.p, n));
        buf_cstr(text, n < line.n ? "…" : "");
        *number = l.line;
    }
    log_line_close(&l);
    return found;
}

/* The error of a log in which nothing is recognised: the line that looks like a record; of a table or objects with
 * other names which these are, and how to say what they mean. */
static int nothing_known(const struct series *s, const struct file *f, const atomic_bool *cancel, struct err *e)
{
    char head[4096];
    struct buf names = {0}, text = {0};
    uint64_t line;
    const struct unreadable *other = unreadable_find(f->name, NULL);
    if (other)
        return unreadable_error(other, f->name, e);
    size_t columns = loss_columns_unnamed(file_head(f->name, head, sizeof head));
    if (columns)
        err_line(e, f->name, 1,
                 _("%zu columns without names: write a line of names above them, as in step,loss,lr"), columns);
    else if (printed_lists_shortened_in(f->name))
        err_set(e, ERR_DATA,
                _("%s: a list was shortened when it was printed (\"...\"): print all of it, with "
                  "numpy.set_printoptions(threshold=sys.maxsize) or torch.set_printoptions(profile=\"full\"), or save "
                  "it with numpy.save"), f->name);
    else if (value_columns_unknown(file_head(f->name, head, sizeof head), f->name, &names))
        err_line(e, f->name, 1,
                 _("no name is known as the step, or none as a loss or norm; found %.*s%s. Say once which is which: "
                   "--log-names step=NAME,loss=NAME,norm=NAME (on the screen :log-names)"),
                 (int)(names.n < 200 ? names.n : 200), names.p, names.n < 200 ? "" : "…");
    else if (like_a_record(f, cancel, &text, &line))
        err_line(e, f->name, line,
                 _("expected a record of a training log, found \"%s\", in which no step and value are recognised. Say "
                   "which words stand before them (--log-names step=it,loss=objective), or give a pattern (--log-names "
                   "'it (?<step>\\d+) .*obj (?<loss>\\S+)'); see diverge formats"), text.p);
    else
        err_line(e, f->name, s->files.v[0].lines,
                 _("expected a record of a training log, found no step; see diverge formats"));
    buf_release(&names);
    buf_release(&text);
    return -1;
}

/* Norms that wait for a step would get the wrong one. */
static bool no_records(const struct series_builder *k)
{
    return !k->s->records.n && !k->pending.n && !log_cancelled(k);
}

/* By the user's patterns, otherwise as the lines of known tools, otherwise by the words that repeat. */
static int read_text_log(struct series_builder *k, struct err *e)
{
    int rc = value_pattern(0) ? pattern_lines_read(k, e) : 0;
    if (rc || k->s->records.n)
        return rc;
    rc = log_read_lines(k, e);
    if (rc || !no_records(k))
        return rc;
    if (!k->s->points.n)
        memset(k->counted, 0, sizeof k->counted); /* of the lines read in vain */
    rc = learned_lines_read(k, e);
    if (k->s->records.n)
        k->s->tail = (struct log_tail){0}; /* what was learned may change as the log grows: it is read anew */
    return rc;
}

/* The kind of a log, as log_sniff. -1: it could not be read to its end, so that what was seen may be another kind's. */
static int find_kind(const struct file *f, const atomic_bool *cancel, int *kind, struct err *e)
{
    read_failures failed = {0}, *before = read_failures_gather(&failed);
    char stamp[20] = "";
    *kind = log_sniff(f, stamp, LOG_PROBE_BYTES, NULL, cancel);
    read_failures_gather(before);
    int rc = failed.n ? read_failures_error(&failed, e) : 0;
    read_failures_release(&failed);
    return rc;
}

/* had: its size when it was first examined, or 0. */
static int read_log_file(struct series *s, const char *path, uint64_t had, const struct log_options *o, struct err *e)
{
    struct file f;
    struct series_builder k;
    int kind;
    if (file_open(&f, path, e))
        return -1;
    if (find_kind(&f, o ? o->cancel : NULL, &kind, e)) {
        file_close(&f);
        return -1;
    }
    s->unit = "line";
    s->format = s->framework = "";
    struct log_file entry = {.path = arena_cstr(&s->arena, str_of(path)), .rank = log_rank_of(path), .used = true};
    vec_push(&s->files, entry);
    series_builder_init(&k, s, &f, o ? o->cancel : NULL);
    k.growing = o && o->growing;
    s->tail = (struct log_tail){0};
    k.kind = kind < 0 ? 0 : kind;
    char head[64];
    /* not among those of log_sniff: only who asks for losses takes an array for them */
    bool array = kind < 0 && loss_array_sniff(file_head(path, head, sizeof head), path);
    if (array)
        k.kind = kind = log_kind_named("loss-array");
    bool lines = kind < 0 || !log_formats[kind].read;
    int rc = lines ? read_text_log(&k, e) : log_formats[kind].read(&k, e);
    if (rc || !lines || log_cancelled(&k) || !path_identity(path, s->tail.id))
        s->tail = (struct log_tail){0};
    if (rc && (s->records.n || s->points.n)) { /* its beginning is there */
        series_unread(s, e->text, entry.rank, false);
        rc = 0;
    }
    if (rc == 0)
        series_builder_end(&k);
    note_shrunk(s, &f, had > f.size ? had : f.size, entry.rank);
    if (rc == 0 && !s->records.n && !s->points.n && !log_cancelled(&k))
        rc = f.size ? nothing_known(s, &f, k.cancel, e)
                    : err_set(e, ERR_DATA, _("%s: empty file: nothing was written, or not yet"), path);
    series_builder_release(&k);
    file_close(&f);
    return rc;
}

/* ---- a folder ---- */

/* By rank, then the order in which the parts of a run were written. */
static int by_rank_and_time(const void *a, const void *b)
{
    const struct log_candidate *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    int by_time = strcmp(x->stamp, y->stamp);
    return *x->stamp && *y->stamp && by_time ? by_time : name_cmp(x->path, y->path);
}

/* The largest difference between the losses of two ranks, and its step. */
static double loss_apart(const struct series *a, const struct series *b, int64_t *where)
{
    double most = 0;
    for (size_t i = 0; i < a->records.n; i++) {
        const struct log_record *x = &a->records.v[i], *y = series_at(b, x->step);
        if (!y || !log_has(x, LOG_LOSS) || !log_has(y, LOG_LOSS))
            continue;
        double d = fabs(x->value[LOG_LOSS] - y->value[LOG_LOSS]);
        if (d > most) {
            most = d;
            *where = x->step;
        }
    }
    return most;
}

static bool has_local_norms(const struct series *s)
{
    for (size_t i = 0; i < s->names.n; i++)
        if (log_is_norm(&s->names.v[i]))
            return true;
    return false;
}

#define MONITOR "msprobe-monitor" /* the kind of log with the norms of weights, which lies beside others */

struct folder {
    struct series *s;      /* the result: records of the chosen rank, points of all ranks */
    const struct log_options *o;
    int used;              /* rank of the records in it; -2: none yet */
    size_t files, ranks;   /* that were read; the ranks' logs without those of norms alone */
    size_t zero, apart;    /* ranks without a real loss; with another loss */
    double most;
    int64_t most_step;
};

/* All files of one rank, joined. */
static int read_rank(struct folder *f, const struct log_candidate *c, size_t n, struct series *out, struct err *e)
{
    int rc = -1;
    for (size_t i = 0; i < n; i++) {
        struct series part = {0};
        struct err bad;
        if (read_log_file(&part, c[i].path, c[i].size, f->o, &bad)) {
            series_unread(out, bad.text, c[i].rank, true);
            *e = bad;
            series_release(&part);
            continue;
        }
        log_merge(out, &part, true);
        log_points_end(out);
        rc = 0;
    }
    return rc;
}

/* Moves the norms of a rank that the series has of a lower one to its replicas. */
static void keep_replicas(struct series *s, struct series *r, int rank)
{
    struct map mine = {0};
    size_t n = 0;
    for (uint32_t i = 0; i < s->names.n; i++)
        if (log_is_norm(&s->names.v[i]))
            map_add(&mine, str_of(s->names.v[i].name), i);
    for (size_t i = 0; i < r->points.n && mine.n && rank >= 0; i++) {
        const struct log_point p = r->points.v[i];
        const struct log_name *who = &r->names.v[p.name];
        uint32_t at = log_is_norm(who) ? map_get(&mine, str_of(who->name)) : MAP_NONE;
        const struct log_name *had = at == MAP_NONE ? NULL : &s->names.v[at];
        const struct log_point *points = had ? &s->points.v[had->first] : NULL;
        size_t k = had ? step_from(&points->step, had->n, sizeof *points, p.step) : 0;
        if (had && had->square == who->square && k < had->n && points[k].step == p.step)
            series_replica(s, str_of(had->name), had->square, rank, p.step, p.value);
        else
            r->points.v[n++] = p;
    }
    if (mine.n && rank >= 0)
        r->points.n = n;
    map_release(&mine);
    log_points_end(r);
}

/* Adds a rank's series: the records of the more complete one are kept. */
static void add_rank_series(struct folder *f, struct series *r, int rank)
{
    struct series *s = f->s;
    bool real = series_has_loss(r), had = series_has_loss(s);
    bool monitor = !r->records.n;
    keep_replicas(s, r, rank);
    if (f->used == -2 || monitor) {
        log_merge(s, r, true);
        f->used = rank;
        log_points_end(s);
        return;
    }
    if (real && had) {
        int64_t where = 0;
        double d = loss_apart(r, s, &where);
        if (d > 0) {
            f->apart++;
            if (d > f->most) {
                f->most = d;
                f->most_step = where;
            }
        }
    }
    f->zero += !real || !had;
    /* a pipeline's last rank has the loss; of several with one, the longest record, then the last rank */
    if ((real && !had) || (real == had && r->records.n >= s->records.n)) {
        struct series swap = *s;
        *s = *r;
        *r = swap;
        for (size_t i = 0; i < r->files.n; i++)
            r->files.v[i].used = false;
        f->used = rank;
    }
    /* existing points take precedence over those of other ranks, so these are added after them */
    size_t mine = s->points.n;
    struct log_point *keep = mem_alloc((mine + 1) * sizeof *keep);
    if (mine)
        memcpy(keep, s->points.v, mine * sizeof *keep);
    log_merge(s, r, false);
    for (size_t i = 0; i < mine && s->points.n < LOG_POINTS; i++)
        vec_push(&s->points, keep[i]);
    free(keep);
    log_points_end(s);
}

/* Reads the logs of one kind, which lie by rank. `further`: norms beside the logs that were read. */
static void read_logs_of_kind(struct folder *f, const struct log_search *q, const char *kind, bool further,
                              struct err *e)
{
    for (size_t i = 0; i < q->found.n;) {
        const struct log_candidate *group = &q->found.v[i];
        VEC(struct log_candidate) mine = {0};
        struct series r = {0};
        for (; i < q->found.n && q->found.v[i].rank == group->rank; i++)
            if (log_candidate_is(&q->found.v[i], kind))
                vec_push(&mine, q->found.v[i]);
        bool failed = mine.n && read_rank(f, mine.v, mine.n, &r, e);
        for (size_t k = 0; failed && k < r.unread.n; k++)
            series_unread(f->s, r.unread.v[k].text, r.unread.v[k].rank, true);
        if (mine.n && !failed) {
            f->files += mine.n;
            f->ranks += !further;
        }
        if (mine.n && !failed && further) {
            keep_replicas(f->s, &r, group->rank);
            log_merge(f->s, &r, false);
            log_points_end(f->s);
        } else if (mine.n && !failed) {
            add_rank_series(f, &r, group->rank);
        }
        series_release(&r);
        vec_release(&mine);
    }
}

static void note_ranks(const struct folder *f)
{
    struct series *s = f->s;
    char d[NUM_MAX];
    if (f->ranks > 1)
        vec_push(&s->notes, arena_fmt(&s->arena, _("files of %zu ranks; the loss is taken from rank "
                                                   "%d"), f->ranks, f->used));
    if (f->zero)
        vec_push(&s->notes,
                 arena_fmt(&s->arena, _("ranks without a printed loss (other pipeline stages), not counted: "
                                        "%zu"), f->zero));
    if (f->apart)
        vec_push(&s->notes, arena_fmt(&s->arena, _("the printed losses of the ranks differ by up to %s at step "
                                                   "%lld"), num_cell(d, f->most, 3),
                                      (long long)f->most_step));
}

static void note_other_logs(struct series *s, const struct log_search *q, const char *kind)
{
    size_t other = 0;
    const char *others = NULL;
    for (size_t i = 0; i < q->found.n; i++)
        if (!log_candidate_is(&q->found.v[i], kind) && !log_candidate_is(&q->found.v[i], MONITOR)) {
            other++;
            others = log_formats[q->found.v[i].kind].name;
        }
    if (other)
        vec_push(&s->notes,
                 arena_fmt(&s->arena, _("other logs in this folder, not read: %2$zu (%1$s); name one to read "
                                        "it"), others, other));
}

static int open_log_folder(struct series *s, const char *path, const struct log_options *o, struct err *e)
{
    struct log_search q = {0};
    struct folder f = {.s = s, .o = o, .used = -2};
    log_search_in(&q, path);
    const char *kind = log_search_chosen(&q, o && o->tensorboard);
    if (!kind) {
        int failed = q.failed.n ? read_failures_error(&q.failed, e) : 0;
        log_search_release(&q);
        return failed ? failed : err_set(e, ERR_DATA, _("%s: expected a training log in this folder, found none; see "
                                                        "diverge formats"), path);
    }
    vec_sort(&q.found, by_rank_and_time);
    read_logs_of_kind(&f, &q, kind, false, e);
    if (!has_local_norms(s) && strcmp(kind, MONITOR) != 0)
        read_logs_of_kind(&f, &q, MONITOR, true, e);
    for (size_t i = 0; i < q.failed.n; i++)
        series_unread(s, q.failed.v[i].text, log_rank_of(q.failed.v[i].path), true);
    if (f.files) {
        note_ranks(&f);
        note_other_logs(s, &q, kind);
    }
    log_search_release(&q);
    return f.files ? 0 : -1;
}

/* ---- both ---- */

static int by_distance(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The most frequent distance of neighbouring records, among the first few thousand. */
int64_t series_interval(const struct series *s)
{
    size_t n = s->records.n < 4097 ? s->records.n : 4097, best = 0;
    int64_t answer = 0;
    if (n < 2)
        return 0;
    int64_t *d = mem_alloc((n - 1) * sizeof *d);
    for (size_t i = 1; i < n; i++)
        d[i - 1] = s->records.v[i].step - s->records.v[i - 1].step;
    qsort(d, n - 1, sizeof *d, by_distance);
    for (size_t i = 0; i < n - 1;) {
        size_t end = i;
        while (end < n - 1 && d[end] == d[i])
            end++;
        if (end - i > best) {
            best = end - i;
            answer = d[i];
        }
        i = end;
    }
    free(d);
    return answer;
}

static int by_tag(const void *a, const void *b)
{
    const struct log_name *x = *(const struct log_name *const *)a, *y = *(const struct log_name *const *)b;
    int c = strcmp(x->tag, y->tag);
    return c ? c : x < y ? -1 : x > y;
}

/* Names by tag, their points with them. */
static void order_names(struct series *s)
{
    size_t n = s->names.n, at = 0;
    if (!n)
        return;
    struct log_name **by = mem_alloc(n * sizeof *by), *names = mem_alloc(n * sizeof *names);
    struct log_point *points = mem_alloc((s->points.n + 1) * sizeof *points);
    for (size_t i = 0; i < n; i++)
        by[i] = &s->names.v[i];
    qsort(by, n, sizeof *by, by_tag);
    for (size_t i = 0; i < n; i++) {
        names[i] = *by[i];
        for (size_t k = 0; k < by[i]->n; k++) {
            points[at + k] = s->points.v[by[i]->first + k];
            points[at + k].name = (uint32_t)i;
        }
        names[i].first = at;
        at += by[i]->n;
    }
    memcpy(s->names.v, names, n * sizeof *names);
    if (at)
        memcpy(s->points.v, points, at * sizeof *points);
    free(by);
    free(names);
    free(points);
}

/* The first record with this value; NULL: none has it. */
static const struct log_record *first_with(const struct series *s, enum log_value v)
{
    for (size_t i = 0; i < s->records.n; i++)
        if (log_has(&s->records.v[i], v))
            return &s->records.v[i];
    return NULL;
}

/* DeepSpeed's monitor numbers values by the samples seen: its engine prints the loss of a step before it counts that
 * step's samples, and the next step's rate after it; its pipeline engine prints both after it. */
static void count_sample_steps(struct series *s)
{
    if (!s->in_samples)
        return;
    const struct log_record *loss = first_with(s, LOG_LOSS), *rate = first_with(s, LOG_LR);
    int64_t each = s->interval;
    bool whole = each > 0;
    for (size_t i = 0; i < s->records.n; i++)
        whole = whole && s->records.v[i].step % each == 0;
    if (!whole) {
        vec_push(&s->notes, arena_fmt(&s->arena, _("values are numbered by samples, not by steps; the number of "
                                                   "samples per step varies, so they are not converted")));
        return;
    }
    bool before = loss && (rate ? loss->step < rate->step : loss->step == 0);
    for (size_t i = 0; i < s->records.n; i++)
        s->records.v[i].step = s->records.v[i].step / each + before;
    if (before && !log_has(vec_last(&s->records), LOG_LOSS)) /* the rate of a step that was not made */
        s->records.n--;
    s->lr_is_next |= !before && rate;
    s->samples_each = each;
    s->interval = series_interval(s);
    vec_push(&s->notes, arena_fmt(&s->arena, _("values are numbered by samples, %lld per step: converted to steps"),
                                  (long long)each));
}

static void last_notes(struct series *s)
{
    if (s->stepless)
        vec_push(&s->notes, arena_fmt(&s->arena, _("no step numbers in this log; records are numbered in order")));
    if (s->interval > 1 && s->loss_is_mean)
        vec_push(&s->notes, arena_fmt(&s->arena, _("the loss is the mean over %lld steps"), (long long)s->interval));
    else if (s->interval > 1 && (s->samples_each || !s->in_samples))
        vec_push(&s->notes, arena_fmt(&s->arena, _("one step in %lld is logged"), (long long)s->interval));
}

int series_open(struct series *s, const char *path, const struct log_options *o, struct err *e)
{
    *s = (struct series){0};
    s->unit = "line";
    s->format = s->framework = "";
    bool folder = path_is_dir(path);
    int rc = folder ? open_log_folder(s, path, o, e) : read_log_file(s, path, 0, o, e);
    s->path = arena_cstr(&s->arena, str_of(path));
    if (rc)
        return -1;
    if (folder)
        s->tail = (struct log_tail){0};
    s->interval = series_interval(s);
    count_sample_steps(s);
    order_names(s);
    last_notes(s);
    return 0;
}

bool log_name_at(const struct series *s, const struct log_name *n, int64_t step, double *v)
{
    const struct log_point *p = &s->points.v[n->first];
    size_t at = step_from(&p->step, n->n, sizeof *p, step);
    if (at == n->n || p[at].step != step || !isfinite(p[at].value))
        return false;
    *v = p[at].value;
    return true;
}
