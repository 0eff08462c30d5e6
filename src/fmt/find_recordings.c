/* Finds recordings below a path, with the readers' probes and the names of folders. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/folder.h"
#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "fmt/find_recordings.h"
#include "fmt/result_table.h"
#include "fmt/value_order.h"
#include "fmt/weights.h"
#include "fmt/weights_dump.h"

#define DEPTH 8
#define ENTRIES 2000000 /* the most names in one folder; a tensor folder may have very many */
#define PLACES 100000

/* Folders that contain no recordings and are not worth listing (the first may hold a million files). */
static bool folder_is_uninteresting(const char *name)
{
    static const char *const skip[] = {"dump_tensor_data", "graphs", "execution_order", "constants", "debug_files"};
    if (name[0] == '.')
        return true;
    for (size_t i = 0; i < ARRAY_LEN(skip); i++)
        if (strcmp(name, skip[i]) == 0)
            return true;
    return false;
}

/* N of a component "stepN", "rank_N" …; -1 for other names. */
static int component_number(struct str name, const char *word)
{
    unsigned long long n;
    if (!str_starts(name, word))
        return -1;
    name = str_cut(name, strlen(word));
    if (name.n && name.p[0] == '_')
        name = str_cut(name, 1);
    return str_u64(name, &n) && n < INT32_MAX ? (int)n : -1;
}

static bool read_all_digits(struct str s, unsigned long long *n)
{
    return s.n < 12 && str_u64(s, n);
}

/* Step and rank from the folders' names, innermost first:
 * stepN/rankN (msprobe), rank_N/net/graph/ITERATION (MindSpore, synchronous),
 * STEP/TIME/DEVICE/model/ITERATION (asynchronous; TIME has 14 digits). dir is absolute, without links. */
static void locate_step_rank(struct str dir, int *step, int *rank)
{
    struct str at = dir, part[8];
    size_t n = 0;
    unsigned long long v;
    for (; n < ARRAY_LEN(part) && at.n > 1; n++, at = path_parent(at))
        part[n] = path_base(at);
    *step = *rank = -1;
    for (size_t i = 0; i < n; i++) {
        if (*step < 0)
            *step = component_number(part[i], "step");
        if (*rank < 0) {
            /* single-card graph mode has no number */
            *rank = str_is(part[i], "rank") ? 0 : component_number(part[i], "rank");
            if (*rank >= 0 && *step < 0 && i >= 2 && read_all_digits(part[0], &v))
                *step = (int)v; /* rank_0/net/0/ITERATION */
        }
        if (*step < 0 && i >= 1 && i + 1 < n && part[i].n == 14 && str_u64(part[i], &v)) {
            if (read_all_digits(part[i + 1], &v))
                *step = (int)v;
            if (*rank < 0 && read_all_digits(part[i - 1], &v))
                *rank = (int)v;
        }
    }
}

static void add_found_place(place_list *out, const struct reader *r, const char *path, struct str dir)
{
    int step, rank;
    locate_step_rank(dir, &step, &rank);
    place_list_add(out, r, path, step, rank);
}

/* The path without links; the path itself if it cannot be resolved. */
static void real_path(const char *path, struct buf *out)
{
    char *full = path_full(path);
    buf_clear(out);
    buf_cstr(out, full ? full : path);
    free(full);
}

static void add_file(place_list *out, const struct reader *r, const char *path)
{
    struct buf real = {0};
    if (r->places) {
        r->places(path, out);
        return;
    }
    real_path(path, &real);
    add_found_place(out, r, path, path_parent(buf_view(&real)));
    buf_release(&real);
}

static const struct reader *reader_of_file(const char *path)
{
    for (size_t i = 0; readers[i]; i++)
        if (readers[i]->probe && readers[i]->probe(path))
            return readers[i];
    return NULL;
}

static const struct reader *reader_of_folder(struct folder *f)
{
    for (size_t i = 0; readers[i]; i++)
        if (readers[i]->probe_folder && readers[i]->probe_folder(f))
            return readers[i];
    return NULL;
}

const struct reader *find_reader(const char *path)
{
    struct folder f;
    struct err quiet;
    if (path_is_file(path))
        return reader_of_file(path);
    const struct reader *r = folder_read(&f, path, ENTRIES, &quiet) == 0 ? reader_of_folder(&f) : NULL;
    folder_release(&f);
    return r;
}

/* Each folder below the path is read once; recognising, walking and searching use the same listing. */
struct walk {
    struct map seen; /* by device and inode: links may lead up or to the same place twice */
    struct arena keys;
    const atomic_bool *cancel; /* or NULL */
    place_list *out;
};

static bool was_walked(struct walk *w, const struct folder *f)
{
    struct str key = str_n((const char *)f->id, sizeof f->id);
    if (map_get(&w->seen, key) != MAP_NONE)
        return true;
    map_add(&w->seen, arena_str(&w->keys, key), 0);
    return false;
}

static int walk_folder(struct walk *w, struct folder *f, struct str real, int depth, struct err *e);

/* Walks entry i, which is a folder; a folder that cannot be entered is skipped. */
static int walk_child(struct walk *w, struct folder *f, size_t i, struct str real, int depth, struct err *e)
{
    struct buf path = {0};
    struct err quiet;
    struct folder *child = folder_child(f, i, ENTRIES, &quiet);
    int rc = 0;
    if (child && f->entries.v[i].kind == ENTRY_FOLDER) {
        buf_str(&path, real);
        buf_char(&path, '/');
        buf_cstr(&path, f->entries.v[i].name);
    } else if (child) {
        real_path(child->path, &path);
    }
    if (child && walk_folder(w, child, buf_view(&path), depth, &quiet) && quiet.code == ERR_CANCEL)
        rc = err_set(e, ERR_CANCEL, "%s", quiet.text);
    folder_child_release(f, i);
    buf_release(&path);
    return rc;
}

/* Names of recordings with one file per rank: rank_0_activations.log, router_trace_rank0.jsonl, rank0.jsonl. */
static bool is_file_a_rank(struct str name)
{
    return str_ends(name, "_activations.log") ||
           (str_ends(name, ".jsonl") && (str_starts(name, "router_trace_rank") || str_starts(name, "rank")));
}

static void add_rank_file(const struct folder *f, const char *name, place_list *out)
{
    struct buf path = {0};
    path_join(&path, f->path, name);
    const struct reader *r = path_is_file(path.p) ? reader_of_file(path.p) : NULL;
    if (r && r->places)
        r->places(path.p, out);
    buf_release(&path);
}

static int walk_folder(struct walk *w, struct folder *f, struct str real, int depth, struct err *e)
{
    if (w->cancel && atomic_load(w->cancel))
        return err_set(e, ERR_CANCEL, "%s", _("stopped"));
    if (was_walked(w, f))
        return 0;
    const struct reader *r = reader_of_folder(f);
    if (!r && tensor_folder_tagged(f))
        r = &reader_torch;
    if (r)
        add_found_place(w->out, r, f->path, real);
    if ((r && !r->parts) || depth == 0)
        return 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < f->entries.n && w->out->n < PLACES; i++) {
        const char *name = f->entries.v[i].name;
        /* below a recording there are only further parts: {device}/ of kernels, {device}/…/{iteration}/ of
         * communication. Its own files, possibly a million, all have a dot. */
        if (folder_is_uninteresting(name) || (r && strchr(name, '.')))
            continue;
        if (!r && is_file_a_rank(str_of(name)) && f->entries.v[i].kind != ENTRY_FOLDER)
            add_rank_file(f, name, w->out);
        else if (folder_is_folder(f, i))
            rc = walk_child(w, f, i, real, depth - 1, e);
    }
    return rc;
}

/* Results in a folder without a recording: tables with one file per rank; of overflow_check's results the newest. */
static void results_in(const struct folder *f, place_list *out)
{
    struct buf path = {0};
    for (size_t i = f->entries.n; i-- > 0 && out->n < PLACES;) { /* names end in a time */
        struct str name = str_of(f->entries.v[i].name);
        bool table = str_starts(name, "compare_result");
        if (!table && (out->n || !str_starts(name, "anomaly_analyze")))
            continue;
        path_join(&path, f->path, name.p);
        const struct reader *r = path_is_file(path.p) ? reader_of_file(path.p) : NULL;
        if (r && r->table == table) {
            add_file(out, r, path.p);
            vec_last(out)->rank = table ? result_rank(path.p) : -1;
        }
    }
    buf_release(&path);
}

/* A folder that holds only arrays and no recording: values saved one by one, or the tensors of a dump whose table is
 * missing. Other files exclude it. */
static void arrays_in(struct folder *f, struct str real, place_list *out)
{
    bool arrays = true, tensors = true;
    for (size_t i = 0; (arrays || tensors) && i < f->entries.n; i++) {
        struct str name = str_of(f->entries.v[i].name);
        bool beside = name.p[0] == '.' || value_order_file(name);
        arrays &= beside || str_ends(name, ".npy");
        tensors &= beside || str_ends(name, ".pt") || str_ends(name, ".pth");
    }
    if (arrays && weights_npy_folder.probe_folder(f))
        add_found_place(out, &reader_npy, f->path, real);
    else if (tensors && weights_torch_folder.probe_folder(f))
        add_found_place(out, &reader_torch, f->path, real);
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

/* Splits a path at DUMP/graph/ or DUMP/pynative/ into DUMP and the rest. */
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

/* Whether two places are DUMP/graph/step0/rank0 and DUMP/pynative/step0/rank0, which msprobe records for a partly
 * compiled MindSpore run. The rank folders of one process may be called rank, rank0 and procPID. */
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

/* What is above rank_N of a path; all of it where nothing is called so. */
static struct str above_rank(struct str path)
{
    for (struct str at = path; at.n; at = path_parent(at))
        if (component_number(path_base(at), "rank") >= 0)
            return path_parent(at);
    return path;
}

/* Not the statistics and the tensors that two runs left below different folders. */
static bool is_part(const struct place *a, const struct place *b)
{
    struct str x = str_of(a->paths.v[0]), y = str_of(b->paths.v[0]), over = above_rank(x);
    return a->rank == b->rank && a->reader->parts && (over.n == x.n || str_eq(over, above_rank(y)));
}

/* Joins the graphs of one step and rank to one recording. */
static void join_parts(place_list *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        struct place *p = &l->v[i], *last = n ? &l->v[n - 1] : NULL;
        if (last && last->reader == p->reader && last->step == p->step && p->step >= 0 &&
            (is_part(last, p) || is_split(last, p))) {
            vec_push(&last->paths, p->paths.v[0]);
            last->rank = p->rank > last->rank ? p->rank : last->rank;
            vec_release(&p->paths);
        } else {
            l->v[n++] = *p;
        }
    }
    l->n = n;
}

static bool same_folder(const struct place *a, const struct place *b)
{
    return str_eq(path_parent(str_of(a->paths.v[0])), path_parent(str_of(b->paths.v[0])));
}

static bool unnumbered_process(const struct place *p)
{
    struct str folder = path_base(str_of(p->paths.v[0]));
    return p->rank < 0 && (component_number(folder, "proc") >= 0 || component_number(folder, "pid") >= 0);
}

/* procPID folders: no rank is known; those of one folder are numbered in their order, as msprobe does. */
static void number_ranks(place_list *l)
{
    for (size_t i = 0, end; i < l->n; i = end) {
        end = i + 1;
        while (unnumbered_process(&l->v[i]) && end < l->n && unnumbered_process(&l->v[end]) &&
               l->v[end].step == l->v[i].step && same_folder(&l->v[i], &l->v[end]))
            end++;
        if (end - i > 1)
            for (size_t k = i; k < end; k++) {
                l->v[k].rank = (int)(k - i);
                l->v[k].counted = true;
            }
    }
}

#define NAMED 8 /* recordings that a message names */

/* The path below the folder that was given. */
static const char *path_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

static bool is_asked_for(const struct place *p, int step, int rank)
{
    return place_number_fits(p->rank, rank) && place_number_fits(p->step, step) && !p->reader->table &&
           !p->reader->weights;
}

int place_list_check(const place_list *l, const char *path, int step, int rank, struct err *e)
{
    const struct place *last = NULL, *with = NULL, *without = NULL; /* the first with a step, and without */
    struct buf names = {0};
    size_t alike = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct place *p = &l->v[i];
        if (!is_asked_for(p, step, rank))
            continue;
        with = !with && p->step >= 0 ? p : with;
        without = !without && p->step < 0 ? p : without;
        if (last && last->step == p->step && last->rank == p->rank) {
            if (!alike++)
                buf_cstr(&names, path_below(last->paths.v[0], path));
            if (alike < NAMED)
                buf_fmt(&names, ", %s", path_below(p->paths.v[0], path));
        } else if (alike) {
            break;
        }
        last = p;
    }
    if (alike >= NAMED)
        buf_cstr(&names, ", …");
    if (alike && last->step >= 0 && last->rank >= 0)
        err_set(e, ERR_USAGE,
                _("%s: %zu recordings of step %d and rank %d, which cannot belong together; give the path of one of "
                  "them: %s"), path, alike + 1, last->step, last->rank, names.p);
    else if (alike)
        err_set(e, ERR_USAGE,
                _("%s: %zu recordings that cannot belong together: nothing tells their steps or ranks apart; give the "
                  "path of one of them: %s"), path, alike + 1, names.p);
    else if (with && without) /* the steps of one run all have a number */
        err_set(e, ERR_USAGE,
                _("%s: a recording without a step beside one of step %d, which cannot belong together; give the "
                  "path of one of them: %s, %s"), path, with->step, path_below(without->paths.v[0], path),
                path_below(with->paths.v[0], path));
    buf_release(&names);
    return alike || (with && without) ? -1 : 0;
}

int find_recordings(const char *path, place_list *out, struct err *e)
{
    return find_recordings_until(path, NULL, out, e);
}

static int find_below(const char *path, const atomic_bool *cancel, place_list *out, struct err *e)
{
    struct walk w = {.cancel = cancel, .out = out};
    struct folder root;
    struct buf real = {0};
    real_path(path, &real);
    int rc = folder_read(&root, path, ENTRIES, e);
    if (rc == 0)
        rc = walk_folder(&w, &root, buf_view(&real), DEPTH, e);
    if (rc == 0 && !out->n)
        results_in(&root, out);
    if (rc == 0 && !out->n)
        arrays_in(&root, buf_view(&real), out);
    map_release(&w.seen);
    arena_release(&w.keys);
    folder_release(&root);
    buf_release(&real);
    return rc ? -1 : 0;
}

/* Adds the file itself if it is a recording. */
static int find_file(const char *path, place_list *out, struct err *e)
{
    struct file f;
    if (!path_is_file(path)) {
        if (file_open(&f, path, e) == 0)
            file_close(&f);
        return -1;
    }
    const struct reader *r = reader_of_file(path);
    if (r)
        add_file(out, r, path);
    return 0;
}

int find_recordings_until(const char *path, const atomic_bool *cancel, place_list *out, struct err *e)
{
    if (path_is_dir(path) ? find_below(path, cancel, out, e) : find_file(path, out, e))
        return -1;
    vec_sort(out, by_step);
    join_parts(out);
    number_ranks(out);
    vec_sort(out, by_step);
    return 0;
}

static void found_tree_release(struct found_tree *x)
{
    free(x->path);
    place_list_release(&x->places);
    read_failures_release(&x->failed);
}

static const struct found_tree *tree_of(const struct found_trees *t, const char *path)
{
    for (size_t i = 0; i < t->trees.n; i++)
        if (strcmp(t->trees.v[i].path, path) == 0)
            return &t->trees.v[i];
    return NULL;
}

static int add_tree(struct found_trees *t, const char *path, const atomic_bool *cancel, struct err *e)
{
    struct found_tree x = {.path = mem_strdup(path)};
    read_failures *before = read_failures_gather(&x.failed);
    int rc = find_recordings_until(path, cancel, &x.places, e);
    read_failures_gather(before);
    if (rc)
        found_tree_release(&x);
    else
        vec_push(&t->trees, x);
    return rc;
}

int found_trees_below(struct found_trees *t, const char *path, const atomic_bool *cancel, place_list *out,
                      read_failures *failed, struct err *e)
{
    if (!tree_of(t, path) && add_tree(t, path, cancel, e))
        return -1;
    const struct found_tree *x = tree_of(t, path);
    *out = x->places;
    if (failed)
        read_failures_add(failed, &x->failed);
    return 0;
}

void found_trees_release(struct found_trees *t)
{
    for (size_t i = 0; i < t->trees.n; i++)
        found_tree_release(&t->trees.v[i]);
    vec_release(&t->trees);
}

bool place_list_holds_table(const char *path)
{
    place_list l = {0};
    struct err quiet;
    bool yes = find_recordings(path, &l, &quiet) == 0 && l.n && l.v[0].reader->table;
    place_list_release(&l);
    return yes;
}
