/* Finds recordings below a path, by the readers' probes and the names of the folders they lie in. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "fmt/find_recordings.h"
#include "fmt/result_table.h"
#include "fmt/weights.h"
#include "fmt/weights_dump.h"

#define DEPTH 8
#define ENTRIES 2000000 /* names in one folder; a tensor folder may hold very many */
#define PLACES 100000

/* Folders no recording's root lies in: not worth listing (the first may hold a million files). */
static bool uninteresting(const char *name)
{
    static const char *const skip[] = {"dump_tensor_data", "graphs", "execution_order", "constants", "debug_files"};
    if (name[0] == '.')
        return true;
    for (size_t i = 0; i < ARRAY_LEN(skip); i++)
        if (strcmp(name, skip[i]) == 0)
            return true;
    return false;
}

/* N of a component "stepN", "rank_N" …; -1 when it is none. */
static int numbered(struct str name, const char *word)
{
    unsigned long long n;
    if (!str_starts(name, word))
        return -1;
    name = str_cut(name, strlen(word));
    if (name.n && name.p[0] == '_')
        name = str_cut(name, 1);
    return str_u64(name, &n) && n < INT32_MAX ? (int)n : -1;
}

static bool digits(struct str s, unsigned long long *n)
{
    return s.n < 12 && str_u64(s, n);
}

/* Step and rank from the folders' names, innermost first:
 * stepN/rankN (msprobe), rank_N/net/graph/ITERATION (MindSpore, synchronous),
 * STEP/TIME/DEVICE/model/ITERATION (asynchronous; TIME has 14 digits). */
static void locate(const char *path, int *step, int *rank)
{
    char *full = realpath(path, NULL);
    struct str at = str_of(full ? full : path), part[8];
    size_t n = 0;
    unsigned long long v;
    if (!path_is_dir(path))
        at = path_parent(at);
    for (; n < ARRAY_LEN(part) && at.n > 1; n++, at = path_parent(at))
        part[n] = path_base(at);
    *step = *rank = -1;
    for (size_t i = 0; i < n; i++) {
        if (*step < 0)
            *step = numbered(part[i], "step");
        if (*rank < 0) {
            *rank = str_is(part[i], "rank") ? 0 : numbered(part[i], "rank"); /* a single card of graph mode has no number */
            if (*rank >= 0 && *step < 0 && i >= 2 && digits(part[0], &v))
                *step = (int)v; /* rank_0/net/0/ITERATION */
        }
        if (*step < 0 && i >= 1 && i + 1 < n && part[i].n == 14 && str_u64(part[i], &v)) {
            if (digits(part[i + 1], &v))
                *step = (int)v;
            if (*rank < 0 && digits(part[i - 1], &v))
                *rank = (int)v;
        }
    }
    free(full);
}

static void add(place_list *out, const struct reader *r, const char *path)
{
    struct place p = {.reader = r};
    locate(path, &p.step, &p.rank);
    vec_push(&p.paths, mem_strdup(path));
    vec_push(out, p);
}

static const struct reader *recognise(const char *path)
{
    for (size_t i = 0; readers[i]; i++)
        if (readers[i]->probe(path))
            return readers[i];
    return NULL;
}

/* Folders already walked, by device and inode: links may lead back up or to the same place twice. */
struct visits {
    struct map seen;
    struct arena keys;
    const atomic_bool *cancel; /* or NULL */
};

static bool walked(struct visits *v, const char *path)
{
    uint64_t id[2];
    if (!path_identity(path, id))
        return false;
    struct str key = str_n((const char *)id, sizeof id);
    if (map_get(&v->seen, key) != MAP_NONE)
        return true;
    map_add(&v->seen, arena_str(&v->keys, key), 0);
    return false;
}

static int walk(const char *path, int depth, struct visits *visits, place_list *out, struct err *e)
{
    if (visits->cancel && atomic_load(visits->cancel))
        return err_set(e, ERR_CANCEL, "%s", _("stopped"));
    if (walked(visits, path))
        return 0;
    const struct reader *r = recognise(path);
    if (r)
        add(out, r, path);
    if ((r && !r->parts) || depth == 0 || !path_is_dir(path))
        return 0;
    name_list names = {0};
    struct buf child = {0};
    int rc = dir_list(path, ENTRIES, &names, e);
    for (size_t i = 0; rc == 0 && i < names.n && out->n < PLACES; i++) {
        /* below a recording lie further parts at most: {device}/ of kernels, {device}/…/{iteration}/ of what
         * communicates. Its own files, which may be a million, all have a dot. */
        if (uninteresting(names.v[i]) || (r && strchr(names.v[i], '.')))
            continue;
        path_join(&child, path, names.v[i]);
        struct err quiet;
        /* a folder we may not enter hides only itself */
        if (path_is_dir(child.p) && walk(child.p, depth - 1, visits, out, &quiet) && quiet.code == ERR_CANCEL)
            rc = err_set(e, ERR_CANCEL, "%s", quiet.text);
    }
    buf_release(&child);
    name_list_release(&names);
    return rc;
}

/* Results in a folder that holds no recording: tables, a file a rank; of what overflow_check found the newest. */
static void results_in(const char *dir, place_list *out)
{
    name_list names = {0};
    struct buf path = {0};
    struct err quiet;
    if (dir_list(dir, ENTRIES, &names, &quiet) == 0)
        for (size_t k = 0; k < names.n && out->n < PLACES; k++) {
            size_t i = names.n - 1 - k; /* names end in a time */
            bool table = str_starts(str_of(names.v[i]), "compare_result");
            if (!table && (out->n || !str_starts(str_of(names.v[i]), "anomaly_analyze")))
                continue;
            path_join(&path, dir, names.v[i]);
            const struct reader *r = path_is_file(path.p) ? recognise(path.p) : NULL;
            if (r && r->table == table) {
                add(out, r, path.p);
                vec_last(out)->rank = table ? result_rank(path.p) : -1;
            }
        }
    buf_release(&path);
    name_list_release(&names);
}

/* A folder that holds no recording and nothing but arrays: values saved one by one, or the tensors of a dump whose table
 * is missing. Files beside them tell that it is something else. */
static void arrays_in(const char *dir, place_list *out)
{
    name_list names = {0};
    struct err quiet;
    bool only = dir_list(dir, ENTRIES, &names, &quiet) == 0 && names.n;
    for (size_t i = 0; only && i < names.n; i++)
        only = names.v[i][0] == '.' || str_ends(str_of(names.v[i]), ".npy");
    if (only && weights_npy_folder.probe(dir))
        add(out, &reader_npy, dir);
    name_list_release(&names);
}

static int by_step(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return name_cmp(x->paths.v[0], y->paths.v[0]);
}

/* What is behind DUMP/graph/ or DUMP/pynative/ of a path; DUMP in dump. */
static bool half_of(struct str path, const char *half, struct str *dump, struct str *rest)
{
    struct str at = path;
    for (; at.n; at = path_parent(at))
        if (str_is(path_base(at), half)) {
            *dump = path_parent(at);
            *rest = str_cut(path, at.n);
            return true;
        }
    return false;
}

/* DUMP/graph/step0/rank0 and DUMP/pynative/step0/rank0: what msprobe records of a MindSpore run that is compiled
 * in part. The halves of one process may be called rank, rank0 and procPID. */
static bool is_split(const struct place *a, const struct place *b)
{
    static const char *const word[] = {"graph", "pynative"};
    struct str dump[2], rest[2];
    if (a->rank >= 0 && b->rank >= 0 && a->rank != b->rank)
        return false;
    for (int i = 0; i < 2; i++)
        if (half_of(str_of(a->paths.v[0]), word[i], &dump[0], &rest[0]) &&
            half_of(str_of(b->paths.v[0]), word[!i], &dump[1], &rest[1]))
            return str_eq(dump[0], dump[1]) && str_eq(path_parent(rest[0]), path_parent(rest[1]));
    return false;
}

/* Graphs of one step and rank are one recording. */
static void join_parts(place_list *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        struct place *p = &l->v[i], *last = n ? &l->v[n - 1] : NULL;
        if (last && last->reader == p->reader && last->step == p->step && p->step >= 0 &&
            ((last->rank == p->rank && p->reader->parts) || is_split(last, p))) {
            vec_push(&last->paths, p->paths.v[0]);
            last->rank = p->rank > last->rank ? p->rank : last->rank;
            vec_release(&p->paths);
        } else {
            l->v[n++] = *p;
        }
    }
    l->n = n;
}

/* procPID folders: no rank is known; they are numbered in their order, as msprobe does. */
static void number_ranks(place_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        size_t end = i + 1;
        while (end < l->n && l->v[end].step == l->v[i].step && l->v[end].rank < 0)
            end++;
        if (l->v[i].rank < 0 && end - i > 1 && !l->v[i].reader->table)
            for (size_t k = i; k < end; k++)
                l->v[k].rank = (int)(k - i);
    }
}

int find_recordings(const char *path, place_list *out, struct err *e)
{
    return find_recordings_until(path, NULL, out, e);
}

int find_recordings_until(const char *path, const atomic_bool *cancel, place_list *out, struct err *e)
{
    if (!path_is_dir(path) && !path_is_file(path)) {
        struct file f;
        if (file_open(&f, path, e) == 0)
            file_close(&f);
        return -1;
    }
    struct visits visits = {.cancel = cancel};
    int rc = walk(path, DEPTH, &visits, out, e);
    map_release(&visits.seen);
    arena_release(&visits.keys);
    if (rc)
        return -1;
    if (!out->n && path_is_dir(path))
        results_in(path, out);
    if (!out->n && path_is_dir(path))
        arrays_in(path, out);
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_step);
    join_parts(out);
    number_ranks(out);
    return 0;
}

bool place_list_holds_table(const char *path)
{
    place_list l = {0};
    struct err quiet;
    bool yes = find_recordings(path, &l, &quiet) == 0 && l.n && l.v[0].reader->table;
    place_list_release(&l);
    return yes;
}
