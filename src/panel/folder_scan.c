/* The job that searches a folder for files that can be opened, and its list. */
#include "panel/folder_scan.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"
#include "config/settings.h"
#include "fmt/find_recordings.h"
#include "log/series.h"

#define DEPTH 4
#define ENTRIES 2000
#define SNIFFED 100 /* files looked into */

struct scan_walk {
    struct folder_scan *o;
    bool listed; /* recordings below the folder are known already */
    int left;    /* files that may still be looked into */
    size_t added;
};

static bool scan_continues(const struct scan_walk *w)
{
    return w->left > 0 && w->added < OFFERS_MOST && !atomic_load(&w->o->job.cancel);
}

static void add_openable(struct scan_walk *w, const char *kind, const char *path)
{
    struct folder_scan *o = w->o;
    pthread_mutex_lock(&o->job.lock);
    bool wanted = scan_continues(w);
    if (wanted) {
        struct openable x = {kind, arena_cstr(&o->arena, str_of(path))};
        vec_push(&o->found, x);
        w->added++;
    }
    pthread_mutex_unlock(&o->job.lock);
    if (wanted)
        job_tell(&o->job);
}

/* The recordings at or below a path; whether there are any. */
static bool add_recordings(struct scan_walk *w, const char *path)
{
    place_list found = {0};
    struct err quiet;
    bool any = find_recordings_until(path, &w->o->job.cancel, &found, &quiet) == 0 && found.n;
    for (size_t i = 0; any && !w->listed && i < found.n; i++)
        add_openable(w, found.v[i].reader->name, found.v[i].paths.v[0]);
    place_list_release(&found);
    return any;
}

static const char *kind_of_file(const char *path)
{
    static const char *const text[] = {".log", ".txt", ".out", ".json", ".jsonl", ".csv", ".yaml", ".yml", ".sh"};
    struct str name = str_of(path);
    bool readable = str_has(path_base(name), "tfevents");
    const struct reader *r = find_reader(path);
    if (r)
        return r->name;
    for (size_t i = 0; i < ARRAY_LEN(text) && !readable; i++)
        readable = str_ends(name, text[i]);
    return !readable ? NULL : series_probe(path) ? "log" : settings_probe(path, false) ? "settings" : NULL;
}

static void add_files(struct scan_walk *w, const char *folder, int depth)
{
    name_list names = {0};
    struct buf path = {0};
    struct err quiet;
    if (depth == 0 || dir_list(folder, ENTRIES, &names, &quiet)) {
        name_list_release(&names);
        return;
    }
    for (int folders = 0; folders < 2; folders++)
        for (size_t i = 0; i < names.n && scan_continues(w); i++) {
            path_join(&path, folder, names.v[i]);
            if (path_is_dir(path.p) != (folders == 1))
                continue;
            if (folders) {
                if (!add_recordings(w, path.p))
                    add_files(w, path.p, depth - 1);
                continue;
            }
            const char *kind = kind_of_file(path.p);
            w->left--;
            if (kind)
                add_openable(w, kind, path.p);
        }
    name_list_release(&names);
    buf_release(&path);
}

static int scan_folder(struct job *j, void *ctx, struct err *e)
{
    struct folder_scan *o = ctx;
    struct scan_walk w = {.o = o, .left = SNIFFED};
    (void)j;
    if (!path_is_dir(o->folder))
        return err_set(e, ERR_IO, _("%s: expected a folder"), o->folder);
    w.listed = add_recordings(&w, o->folder);
    add_files(&w, o->folder, DEPTH);
    return 0;
}

void folder_scan_init(struct folder_scan *o, void (*notify)(void *ctx), void *ctx)
{
    *o = (struct folder_scan){.folder = NULL};
    job_init(&o->job, notify, ctx);
}

static void forget_found_files(struct folder_scan *o)
{
    pthread_mutex_lock(&o->job.lock);
    vec_clear(&o->found);
    arena_release(&o->arena);
    pthread_mutex_unlock(&o->job.lock);
    o->err = (struct err){0};
}

/* Takes the end of the last folder and goes on with the one that is wanted. */
static void start_wanted_scan(struct folder_scan *o)
{
    if (job_busy(&o->job))
        return;
    if (job_take(&o->job) == JOB_FAILED)
        o->err = o->job.err;
    if (!o->wanted)
        return;
    free(o->folder);
    o->folder = o->wanted;
    o->wanted = NULL;
    if (job_start(&o->job, scan_folder, o))
        o->err = o->job.err;
}

void folder_scan_ask(struct folder_scan *o, const char *folder)
{
    folder_scan_drop(o);
    forget_found_files(o);
    o->wanted = mem_strdup(folder);
    start_wanted_scan(o);
}

void folder_scan_drop(struct folder_scan *o)
{
    free(o->wanted);
    o->wanted = NULL;
    job_cancel(&o->job);
}

bool folder_scan_busy(struct folder_scan *o)
{
    start_wanted_scan(o);
    return o->wanted || (job_busy(&o->job) && !atomic_load(&o->job.cancel));
}

size_t folder_scan_count(struct folder_scan *o)
{
    pthread_mutex_lock(&o->job.lock);
    size_t n = o->found.n;
    pthread_mutex_unlock(&o->job.lock);
    return n;
}

struct openable folder_scan_at(struct folder_scan *o, size_t i)
{
    pthread_mutex_lock(&o->job.lock);
    struct openable x = o->found.v[i];
    pthread_mutex_unlock(&o->job.lock);
    return x;
}

void folder_scan_wait(struct folder_scan *o)
{
    while (folder_scan_busy(o))
        job_wait(&o->job, NULL, NULL, 0);
}

void folder_scan_release(struct folder_scan *o)
{
    if (!o->job.ready)
        return;
    folder_scan_drop(o);
    job_release(&o->job);
    vec_release(&o->found);
    arena_release(&o->arena);
    free(o->folder);
    *o = (struct folder_scan){.folder = NULL};
}
