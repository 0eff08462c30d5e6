#include "panel/folder_scan.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"
#include "config/settings.h"
#include "dump/reader.h"
#include "log/series.h"

#define DEPTH 4
#define ENTRIES 2000
#define SNIFFED 100 /* files looked into */

struct walk {
    struct offers *o;
    bool listed; /* recordings below the folder are known already */
    int left;    /* files that may still be looked into */
    size_t added;
};

static bool goes_on(const struct walk *w)
{
    return w->left > 0 && w->added < OFFERS_MOST && !atomic_load(&w->o->anew);
}

static void add(struct walk *w, const char *kind, const char *path)
{
    struct offers *o = w->o;
    session_lock(o->s);
    if (goes_on(w)) {
        struct offer x = {kind, arena_cstr(&o->arena, str_of(path))};
        vec_push(&o->found, x);
        w->added++;
        session_tell(o->s);
    }
    session_unlock(o->s);
}

/* The recordings at or below a path; whether there are any. */
static bool add_recordings(struct walk *w, const char *path)
{
    place_list found = {0};
    struct err quiet;
    bool any = places_find_until(path, &w->o->anew, &found, &quiet) == 0 && found.n;
    for (size_t i = 0; any && !w->listed && i < found.n; i++)
        add(w, found.v[i].reader->name, found.v[i].paths.v[0]);
    places_release(&found);
    return any;
}

static const char *kind_of_file(const char *path)
{
    static const char *const text[] = {".log", ".txt", ".out", ".json", ".jsonl", ".csv", ".yaml", ".yml", ".sh"};
    struct str name = str_of(path);
    bool readable = str_has(path_base(name), "tfevents");
    for (size_t i = 0; readers[i]; i++)
        if (readers[i]->probe(path))
            return readers[i]->name;
    for (size_t i = 0; i < ARRAY_LEN(text) && !readable; i++)
        readable = str_ends(name, text[i]);
    return !readable ? NULL : series_probe(path) ? "log" : settings_probe(path) ? "settings" : NULL;
}

static void add_files(struct walk *w, const char *folder, int depth)
{
    name_list names = {0};
    struct buf path = {0};
    struct err quiet;
    if (depth == 0 || dir_list(folder, ENTRIES, &names, &quiet)) {
        name_list_release(&names);
        return;
    }
    for (int folders = 0; folders < 2; folders++)
        for (size_t i = 0; i < names.n && goes_on(w); i++) {
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
                add(w, kind, path.p);
        }
    name_list_release(&names);
    buf_release(&path);
}

static void look_into(struct offers *o, const char *folder, struct err *e)
{
    struct walk w = {.o = o, .left = SNIFFED};
    if (!path_is_dir(folder)) {
        err_set(e, ERR_IO, _("%s: a folder was expected"), folder);
        return;
    }
    w.listed = add_recordings(&w, folder);
    add_files(&w, folder, DEPTH);
}

/* One folder after the other, as they are asked for. */
static void *work(void *ctx)
{
    struct offers *o = ctx;
    struct session *s = o->s;
    session_lock(s);
    while (!o->stop) {
        if (!atomic_load(&o->anew)) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        atomic_store(&o->anew, false);
        char *folder = o->folder ? mem_strdup(o->folder) : NULL;
        struct err e = {0};
        session_unlock(s);
        if (folder)
            look_into(o, folder, &e);
        free(folder);
        session_lock(s);
        if (atomic_load(&o->anew))
            continue;
        o->err = e;
        o->busy = false;
        pthread_cond_broadcast(&s->changed);
        session_tell(s);
    }
    session_unlock(s);
    return NULL;
}

void offers_init(struct offers *o, struct session *s)
{
    *o = (struct offers){.s = s};
}

static void forget(struct offers *o)
{
    vec_clear(&o->found);
    arena_release(&o->arena);
    o->err = (struct err){0};
}

static void ask(struct offers *o, const char *folder)
{
    forget(o);
    free(o->folder);
    o->folder = folder ? mem_strdup(folder) : NULL;
    o->busy = folder != NULL;
    atomic_store(&o->anew, true);
    pthread_cond_broadcast(&o->s->changed);
}

void offers_ask(struct offers *o, const char *folder)
{
    ask(o, folder);
    if (!o->running)
        o->running = pthread_create(&o->thread, NULL, work, o) == 0;
    if (!o->running) {
        o->busy = false;
        err_set(&o->err, ERR_IO, "%s", _("the system gives no thread to look with"));
    }
}

void offers_drop(struct offers *o)
{
    if (o->busy)
        ask(o, NULL);
}

bool offers_busy(const struct offers *o)
{
    return o->busy;
}

void offers_wait(struct offers *o)
{
    session_lock(o->s);
    while (o->busy)
        pthread_cond_wait(&o->s->changed, &o->s->lock);
    session_unlock(o->s);
}

void offers_release(struct offers *o)
{
    if (!o->s)
        return;
    session_lock(o->s);
    o->stop = true;
    atomic_store(&o->anew, true);
    pthread_cond_broadcast(&o->s->changed);
    session_unlock(o->s);
    if (o->running)
        pthread_join(o->thread, NULL);
    forget(o);
    vec_release(&o->found);
    free(o->folder);
    *o = (struct offers){0};
}
