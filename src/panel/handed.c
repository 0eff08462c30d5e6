#include "panel/handed.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"
#include "config/settings.h"
#include "fmt/reader.h"
#include "log/series.h"
#include "model/dump.h"
#include "optimizer/optimizer.h"

/* Which slot of a side each is for, and the panel that judges it. */
static const struct {
    enum slot_id slot[2];
    int panel;
} uses[] = {
    [HANDED_LOG] = {{SLOT_TARGET_LOG, SLOT_GOLDEN_LOG}, 7},
    [HANDED_NORMS] = {{SLOT_TARGET_NORMS, SLOT_GOLDEN_NORMS}, 4},
    [HANDED_SETTINGS] = {{SLOT_TARGET_SETTINGS, SLOT_GOLDEN_SETTINGS}, 1},
    [HANDED_STEP] = {{SLOT_TARGET_STEP, SLOT_GOLDEN_STEP}, 5},
};

static enum handed recording(const char *path)
{
    place_list l = {0};
    struct err quiet;
    bool yes = places_find(path, &l, &quiet) == 0 && l.n, weights = yes && l.v[0].reader->weights;
    places_release(&l);
    return weights ? HANDED_WEIGHTS : yes ? HANDED_DUMP : HANDED_NOTHING;
}

static bool is_settings(const char *path)
{
    struct settings s;
    struct err quiet;
    bool yes = settings_open(&s, path, &quiet) == 0 && s.dialect != DIALECT_NONE;
    settings_release(&s);
    return yes;
}

enum handed handed_find(const char *path, const atomic_bool *cancel)
{
    enum handed what = optimizer_step_probe(path) ? HANDED_STEP : recording(path);
    if (what != HANDED_NOTHING)
        return what;
    const char *log = series_kind(path, cancel);
    if (log)
        return strcmp(log, "msprobe-monitor") == 0 || strcmp(log, "local-norm") == 0 ? HANDED_NORMS : HANDED_LOG;
    return is_settings(path) ? HANDED_SETTINGS : HANDED_NOTHING;
}

static void *look(void *ctx)
{
    struct handed_look *l = ctx;
    for (int s = 0; s < 2; s++)
        l->what[s] = l->path[s] ? handed_find(l->path[s], &l->cancel) : HANDED_NOTHING;
    atomic_store(&l->done, true);
    if (l->notify)
        l->notify(l->ctx);
    return NULL;
}

void handed_look_start(struct handed_look *l, const struct investigation *v, void (*notify)(void *ctx), void *ctx)
{
    l->started = true;
    l->notify = notify;
    l->ctx = ctx;
    for (int s = 0; s < 2; s++)
        l->path[s] = v->input[s] ? mem_strdup(v->input[s]) : NULL;
    l->joined = pthread_create(&l->thread, NULL, look, l) != 0;
    if (l->joined) /* no thread to be had */
        look(l);
}

void handed_look_wait(struct handed_look *l)
{
    if (l->started && !l->joined)
        pthread_join(l->thread, NULL);
    l->joined = l->started;
}

void handed_look_end(struct handed_look *l)
{
    atomic_store(&l->cancel, true);
    handed_look_wait(l);
    free(l->path[0]);
    free(l->path[1]);
    memset(l, 0, sizeof *l);
}

int handed_give(struct investigation *v, const enum handed what[2])
{
    struct err quiet;
    for (int s = 0; s < 2; s++)
        if (v->input[s] && what[s] < HANDED_LOG)
            return 0;
    for (int s = 0; s < 2; s++)
        if (v->input[s]) {
            slot_give(v, uses[what[s]].slot[s], str_of(v->input[s]), &quiet);
            v->input[s] = NULL;
        }
    return uses[what[TARGET]].panel;
}

int handed_give_weights(struct investigation *v, const struct session *s)
{
    static const enum slot_id slot[2] = {SLOT_TARGET_WEIGHTS, SLOT_GOLDEN_WEIGHTS};
    struct err quiet;
    if (s->single || !s->paired || 2 * s->pairing.pairs.n >= s->side[TARGET].dump.rows.n)
        return 0;
    for (int i = 0; i < 2; i++)
        if (!s->side[i].dump.reader || !s->side[i].dump.reader->weights)
            return 0;
    for (int i = 0; i < 2; i++)
        slot_give(v, slot[i], str_of(v->input[i]), &quiet);
    return 2;
}

/* ---- a folder ---- */

#define DEPTH 4
#define ENTRIES 2000
#define SNIFFED 100 /* files looked into */

struct survey_of {
    struct arena *arena;
    handed_list *out;
    bool listed; /* recordings below the folder are in the list already */
    int left;    /* files that may still be looked into */
};

static void add_item(struct survey_of *x, const char *kind, const char *path)
{
    struct handed_item it = {kind, arena_cstr(x->arena, str_of(path))};
    if (x->out->n < HANDED_MOST)
        vec_push(x->out, it);
}

/* The recordings at or below a path; whether there are any. */
static bool add_recordings(struct survey_of *x, const char *path)
{
    place_list found = {0};
    struct err quiet;
    bool any = places_find(path, &found, &quiet) == 0 && found.n;
    for (size_t i = 0; any && !x->listed && i < found.n; i++)
        add_item(x, found.v[i].reader->name, found.v[i].paths.v[0]);
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
    return !readable ? NULL : series_probe(path) ? "log" : is_settings(path) ? "settings" : NULL;
}

static void add_files(struct survey_of *x, const char *folder, int depth)
{
    name_list names = {0};
    struct buf path = {0};
    struct err quiet;
    if (depth == 0 || dir_list(folder, ENTRIES, &names, &quiet)) {
        name_list_release(&names);
        return;
    }
    for (int folders = 0; folders < 2; folders++)
        for (size_t i = 0; i < names.n && x->left > 0 && x->out->n < HANDED_MOST; i++) {
            path_join(&path, folder, names.v[i]);
            if (path_is_dir(path.p) != (folders == 1))
                continue;
            if (folders) {
                if (!add_recordings(x, path.p))
                    add_files(x, path.p, depth - 1);
                continue;
            }
            const char *kind = kind_of_file(path.p);
            x->left--;
            if (kind)
                add_item(x, kind, path.p);
        }
    name_list_release(&names);
    buf_release(&path);
}

int handed_survey(const char *folder, struct arena *a, handed_list *out, struct err *e)
{
    struct survey_of x = {.arena = a, .out = out, .left = SNIFFED};
    if (!path_is_dir(folder))
        return err_set(e, ERR_IO, _("%s: a folder was expected"), folder);
    x.listed = add_recordings(&x, folder);
    add_files(&x, folder, DEPTH);
    return 0;
}
