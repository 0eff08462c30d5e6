/* Recognises logs by their content: one file, or all files below a folder. */
#include "log/log_search.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "log/drawn_table.h"
#include "log/learned_lines.h"
#include "log/line_kinds.h"
#include "log/loss_document.h"

#define HEAD 65536
#define NAMED_BYTES (8ull << 30) /* of a log that the user named: its first record may follow any other output */
#define BUDGET (256u << 20) /* of all files of a folder; beyond it only their beginnings are examined */
#define LEARN_BYTES (8u << 20) /* in which words are learned where no tool's line was found */
#define DEPTH 6
#define ENTRIES 100000
#define FILES 4096

/* Digits "2025-06-03 09:28:24" somewhere in a line, to put parts of a run into order. */
static bool stamp_in(struct str s, char out[20])
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    for (size_t i = 0; i + sizeof form - 1 <= s.n; i++) {
        size_t k = 0;
        while (k < sizeof form - 1 && (form[k] == 'd' ? s.p[i + k] >= '0' && s.p[i + k] <= '9' : s.p[i + k] == form[k]))
            k++;
        if (k == sizeof form - 1) {
            memcpy(out, s.p + i, k);
            out[k] = 0;
            return true;
        }
    }
    return false;
}

/* The format that the first bytes show, or -1; *text: whether they are those of a text. */
static int sniff_log_head(const struct file *f, bool *text)
{
    struct err quiet;
    char *head = mem_alloc(HEAD);
    long n = file_read_some(f, 0, head, HEAD, &quiet);
    int found = -1;
    struct str h = str_n(head, n > 0 ? (size_t)n : 0);
    for (int i = 0; log_formats[i].name && found < 0 && h.n; i++)
        if (log_formats[i].sniff && log_formats[i].sniff(h, f->name))
            found = i;
    /* a log truncated while it is being written begins with a hole of zeros */
    static const char zeros[64];
    *text = !memchr(head, 0, h.n < 4096 ? h.n : 4096) || utf16_marked(h) ||
            (h.n >= sizeof zeros && memcmp(head, zeros, sizeof zeros) == 0);
    free(head);
    return found;
}

/* The format whose words stand in a line before `limit`, or -1; *at: the bytes read. */
static int sniff_log_lines(const struct file *f, char *stamp, uint64_t limit, uint64_t *at, const atomic_bool *cancel)
{
    struct log_lines l = {.file = f, .most = limit, .cancel = cancel};
    struct line_kinds kinds = {0};
    struct str line;
    struct err quiet;
    int found = -1, norms = -1; /* norms may come before the first step of a trainer's log */
    while (found < 0 && l.at < limit && !(cancel && atomic_load(cancel)) && log_line_next(&l, &line, &quiet) == 1) {
        if (stamp && !*stamp)
            stamp_in(line, stamp);
        int kind = line_kind(&kinds, line);
        if (kind >= 0 && strcmp(log_formats[kind].name, "local-norm") == 0)
            norms = kind;
        else
            found = kind;
    }
    *at = l.at;
    line_kinds_release(&kinds);
    log_line_close(&l);
    return found < 0 ? norms : found;
}

int log_sniff(const struct file *f, char stamp[20], uint64_t limit, uint64_t *used, const atomic_bool *cancel)
{
    bool text;
    uint64_t at = 0;
    int found = sniff_log_head(f, &text);
    if (found >= 0 || !text)
        return found;
    found = sniff_log_lines(f, stamp, limit, &at, cancel);
    if (used)
        *used += at;
    if (found >= 0)
        return found;
    limit = limit < LEARN_BYTES ? limit : LEARN_BYTES;
    if (drawn_table_sniff(f, limit, cancel))
        return log_kind_named("drawn-table");
    if (!used && loss_columns_sniff(f))
        return log_kind_named("loss-columns");
    if (learned_lines_sniff(f, limit, true, cancel))
        return log_kind_named("learned-lines");
    if (!used && printed_lists_sniff(f->name))
        return log_kind_named("printed-lists");
    if (!used && learned_lines_sniff(f, limit, false, cancel))
        return log_kind_named("learned-lines");
    return -1;
}

/* N of "worker_N.log", "rank_N", "rankN", "globalrank-N" in the path's last components, innermost first; a folder that
 * is a number holds one rank of torchrun's. */
int log_rank_of(const char *path)
{
    static const char *const words[] = {"worker_", "rank_", "rank", "local_rank", "rank-"};
    struct str at = str_of(path), own = path_base(at);
    bool torchrun = str_is(own, "stdout.log") || str_is(own, "stderr.log");
    for (int depth = 0; depth < 4 && at.n; depth++, at = path_parent(at)) {
        struct str base = path_base(at);
        unsigned long long v;
        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
            struct str rest;
            size_t digits = 0;
            if (!scan_behind(base, words[i], &rest))
                continue;
            size_t before = (size_t)(rest.p - base.p) - strlen(words[i]);
            bool joined = before && (base.p[before - 1] | 32) >= 'a' && (base.p[before - 1] | 32) <= 'z';
            if (joined && !str_ends(str_n(base.p, before), "global")) /* "frank2", but "globalrank-2" */
                continue;
            while (digits < rest.n && rest.p[digits] >= '0' && rest.p[digits] <= '9')
                digits++;
            if (digits && str_u64(str_n(rest.p, digits), &v) && v < INT32_MAX)
                return (int)v;
        }
        if (depth == 1 && torchrun && str_u64(base, &v) && v < 65536)
            return (int)v;
    }
    return -1;
}

/* Names that no log has: the folder of a run may contain many such files. */
static bool no_log(const char *name)
{
    static const char *const ends[] =
        {".npy", ".npz", ".pt", ".pth", ".ckpt", ".safetensors", ".bin", ".so", ".py", ".pyc", ".zip",
         ".gz", ".tar", ".xz", ".xlsx", ".html", ".svg", ".png", ".yaml", ".yml", ".ir", ".dot", ".pb"};
    if (name[0] == '.')
        return true;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(str_of(name), ends[i]))
            return true;
    return false;
}

static void search_below(struct log_search *s, const char *dir, int depth)
{
    name_list names = {0};
    struct buf path = {0};
    struct err quiet;
    if (dir_list(dir, ENTRIES, &names, &quiet) == 0)
        for (size_t i = 0; i < names.n && s->entries < ENTRIES && s->found.n < FILES; i++) {
            if ((s->first_only && s->found.n) || (s->cancel && atomic_load(s->cancel)))
                break;
            if (no_log(names.v[i]))
                continue;
            s->entries++;
            path_join(&path, dir, names.v[i]);
            if (path_is_dir(path.p)) {
                if (depth > 1)
                    search_below(s, path.p, depth - 1);
                continue;
            }
            struct file f;
            struct log_candidate c = {0};
            if (file_open(&f, path.p, &quiet))
                continue;
            c.size = f.size;
            c.kind = log_sniff(&f, c.stamp, s->probed < BUDGET ? LOG_PROBE_BYTES : HEAD, &s->probed, s->cancel);
            file_close(&f);
            if (c.kind < 0)
                continue;
            c.path = arena_cstr(&s->arena, buf_view(&path));
            c.rank = log_rank_of(path.p);
            vec_push(&s->found, c);
        }
    buf_release(&path);
    name_list_release(&names);
}

void log_search_in(struct log_search *s, const char *dir)
{
    read_failures *before = read_failures_gather(&s->failed);
    search_below(s, dir, DEPTH);
    read_failures_gather(before);
}

void log_search_release(struct log_search *s)
{
    read_failures_release(&s->failed);
    vec_release(&s->found);
    arena_release(&s->arena);
}

/* Of one file, as sniff. */
static int sniff_log_kind(const char *path, uint64_t limit, const atomic_bool *cancel)
{
    struct file f;
    struct err quiet;
    if (file_open(&f, path, &quiet))
        return -1;
    int kind = log_sniff(&f, NULL, limit, NULL, cancel);
    file_close(&f);
    return kind;
}

bool series_probe(const char *path)
{
    struct log_search s = {.first_only = true};
    if (!path_is_dir(path))
        return sniff_log_kind(path, LOG_PROBE_BYTES, NULL) >= 0;
    log_search_in(&s, path);
    bool yes = s.found.n;
    log_search_release(&s);
    return yes;
}

/* The order in which the log of a run is chosen from a folder: text first, of one trainer the format with most
 * values. */
static const char *const order[] = {"megatron-log", "mindformers-log", "trainer-state", "trainer-log", "trainer",
                                    "step-lines", "json-lines", "deepspeed-monitor", "value-table", "mlflow",
                                    "tensorboard", "msprobe-monitor", "msprobe-anomalies", "te-inspect",
                                    "drawn-table", "learned-lines", "local-norm"};

bool log_candidate_is(const struct log_candidate *c, const char *name)
{
    return strcmp(log_formats[c->kind].name, name) == 0;
}

const char *log_search_chosen(const struct log_search *s, bool tensorboard)
{
    if (tensorboard)
        for (size_t i = 0; i < s->found.n; i++)
            if (log_candidate_is(&s->found.v[i], "tensorboard"))
                return "tensorboard";
    for (size_t k = 0; k < ARRAY_LEN(order); k++)
        for (size_t i = 0; i < s->found.n; i++)
            if (log_candidate_is(&s->found.v[i], order[k]))
                return order[k];
    return NULL;
}

const char *series_kind(const char *path, const atomic_bool *cancel)
{
    struct log_search s = {.cancel = cancel};
    if (!path_is_dir(path)) {
        int k = sniff_log_kind(path, NAMED_BYTES, cancel);
        return k < 0 ? NULL : log_formats[k].name;
    }
    log_search_in(&s, path);
    const char *kind = log_search_chosen(&s, false);
    log_search_release(&s);
    return kind;
}
