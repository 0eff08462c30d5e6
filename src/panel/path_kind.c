/* Tells what a path is by trying the readers' probes, in a job where a disk may be slow, and gives it to the
 * panels it is for. */
#include "panel/path_kind.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"
#include "config/settings.h"
#include "fmt/find_recordings.h"
#include "log/series.h"
#include "dump/dump.h"
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

static enum handed recording(const char *path, const atomic_bool *cancel)
{
    place_list l = {0};
    struct err quiet;
    bool yes = places_find_until(path, cancel, &l, &quiet) == 0 && l.n, weights = yes && l.v[0].reader->weights;
    places_release(&l);
    return weights ? HANDED_WEIGHTS : yes ? HANDED_DUMP : HANDED_NOTHING;
}

enum handed handed_find(const char *path, const atomic_bool *cancel)
{
    enum handed what = optimizer_step_probe(path) ? HANDED_STEP : recording(path, cancel);
    if (what != HANDED_NOTHING)
        return what;
    const char *log = series_kind(path, cancel);
    if (log)
        return strcmp(log, "msprobe-monitor") == 0 || strcmp(log, "local-norm") == 0 ? HANDED_NORMS : HANDED_LOG;
    return settings_probe(path) ? HANDED_SETTINGS : HANDED_NOTHING;
}

static int look(struct job *j, void *ctx, struct err *e)
{
    struct handed_look *l = ctx;
    (void)e;
    for (int s = 0; s < 2; s++)
        l->what[s] = l->path[s] ? handed_find(l->path[s], &j->cancel) : HANDED_NOTHING;
    return 0;
}

void handed_look_start(struct handed_look *l, const struct investigation *v, void (*notify)(void *ctx), void *ctx)
{
    struct err quiet;
    l->started = true;
    job_init(&l->job, notify, ctx);
    for (int s = 0; s < 2; s++)
        l->path[s] = v->input[s] ? mem_strdup(v->input[s]) : NULL;
    if (job_start(&l->job, look, l))
        look(&l->job, l, &quiet);
}

bool handed_look_done(struct handed_look *l)
{
    return l->started && !job_busy(&l->job);
}

void handed_look_wait(struct handed_look *l)
{
    if (l->started)
        job_wait(&l->job, NULL, NULL, 0);
}

void handed_look_end(struct handed_look *l)
{
    job_release(&l->job);
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

int handed_give_weights(struct investigation *v, const struct comparison *s)
{
    static const enum slot_id slot[2] = {SLOT_TARGET_WEIGHTS, SLOT_GOLDEN_WEIGHTS};
    struct err quiet;
    if (s->single || !s->paired || 2 * s->pairing->pairs.n >= s->side[TARGET].dump.rows.n)
        return 0;
    for (int i = 0; i < 2; i++)
        if (!s->side[i].dump.reader || !s->side[i].dump.reader->weights)
            return 0;
    for (int i = 0; i < 2; i++)
        slot_give(v, slot[i], str_of(v->input[i]), &quiet);
    return 2;
}
