/* Determines the kind of a path by the readers' probes, in a job because a disk may be slow, and assigns it to the
 * panels' inputs. */
#include "panel/path_kind.h"

#include <stdlib.h>

#include "config/settings.h"
#include "fmt/find_recordings.h"
#include "log/series.h"
#include "dump/dump.h"
#include "optimizer/optimizer.h"
#include "panel/panel.h"
#include "rollout/rollout.h"

/* The input of each kind for a side, and the panel that judges it. */
static const struct {
    enum panel_input_id slot[2];
    int panel;
} uses[] = {
    [PATH_LOG] = {{PANEL_INPUT_TARGET_LOG, PANEL_INPUT_GOLDEN_LOG}, 7},
    [PATH_NORMS] = {{PANEL_INPUT_TARGET_NORMS, PANEL_INPUT_GOLDEN_NORMS}, 4},
    [PATH_SETTINGS] = {{PANEL_INPUT_TARGET_SETTINGS, PANEL_INPUT_GOLDEN_SETTINGS}, 1},
    [PATH_STEP] = {{PANEL_INPUT_TARGET_STEP, PANEL_INPUT_GOLDEN_STEP}, 5},
    [PATH_ROLLOUT] = {{PANEL_INPUT_TRAIN_PROBS, PANEL_INPUT_ROLLOUT_PROBS}, PANEL_ROLLOUT},
};

static enum path_kind recording_kind(const char *path, const atomic_bool *cancel)
{
    place_list l = {0};
    struct err quiet;
    bool yes = find_recordings_until(path, cancel, &l, &quiet) == 0 && l.n, weights = yes && l.v[0].reader->weights;
    place_list_release(&l);
    return weights ? PATH_WEIGHTS : yes ? PATH_DUMP : PATH_NOTHING;
}

enum path_kind path_kind_find(const char *path, const atomic_bool *cancel)
{
    if (rollout_probe(path))
        return PATH_ROLLOUT;
    enum path_kind what = optimizer_step_probe(path) ? PATH_STEP : recording_kind(path, cancel);
    if (what != PATH_NOTHING)
        return what;
    const char *log = series_kind(path, cancel);
    if (log)
        return strcmp(log, "msprobe-monitor") == 0 || strcmp(log, "local-norm") == 0 ? PATH_NORMS : PATH_LOG;
    return settings_probe(path, true) ? PATH_SETTINGS : PATH_NOTHING;
}

static int look_at_paths(struct job *j, void *ctx, struct err *e)
{
    struct path_kind_look *l = ctx;
    (void)e;
    for (int s = 0; s < 2; s++)
        l->what[s] = l->path[s] ? path_kind_find(l->path[s], &j->cancel) : PATH_NOTHING;
    return 0;
}

void path_kind_look_start(struct path_kind_look *l, const struct investigation *v, void (*notify)(void *ctx), void *ctx)
{
    struct err quiet;
    l->started = true;
    job_init(&l->job, notify, ctx);
    for (int s = 0; s < 2; s++)
        l->path[s] = v->input[s] ? mem_strdup(v->input[s]) : NULL;
    if (job_start(&l->job, look_at_paths, l))
        look_at_paths(&l->job, l, &quiet);
}

bool path_kind_look_done(struct path_kind_look *l)
{
    return l->started && !job_busy(&l->job);
}

void path_kind_look_wait(struct path_kind_look *l)
{
    if (l->started)
        job_wait(&l->job, NULL, NULL, 0);
}

void path_kind_look_end(struct path_kind_look *l)
{
    job_release(&l->job);
    free(l->path[0]);
    free(l->path[1]);
    memset(l, 0, sizeof *l);
}

int path_kind_give(struct investigation *v, const enum path_kind what[2])
{
    struct err quiet;
    for (int s = 0; s < 2; s++)
        if (v->input[s] && what[s] < PATH_LOG)
            return 0;
    for (int s = 0; s < 2; s++)
        if (v->input[s]) {
            panel_input_give(v, uses[what[s]].slot[s], str_of(v->input[s]), &quiet);
            v->input[s] = NULL;
        }
    return uses[what[TARGET]].panel;
}

bool path_kind_given(const struct investigation *v, const char *path[2])
{
    static const enum panel_input_id weights[2] = {PANEL_INPUT_TARGET_WEIGHTS, PANEL_INPUT_GOLDEN_WEIGHTS};
    for (size_t i = PATH_LOG; i <= ARRAY_LEN(uses); i++) {
        const enum panel_input_id *slot = i < ARRAY_LEN(uses) ? uses[i].slot : weights;
        for (int s = 0; s < 2; s++)
            path[s] = panel_input_path(v, slot[s]);
        if (path[TARGET] || path[GOLDEN])
            return true;
    }
    return false;
}

bool path_kind_other_names(const struct comparison *s)
{
    if (s->single || !s->paired)
        return false;
    for (int i = 0; i < 2; i++)
        if (!s->side[i].dump.reader || !s->side[i].dump.reader->weights)
            return false;
    size_t same = 0;
    for (size_t i = 0; i < s->pairing->pairs.n; i++)
        same += s->pairing->pairs.v[i].why == WHY_NAME;
    return 2 * same < s->side[TARGET].dump.rows.n;
}

int path_kind_give_weights(struct investigation *v, const struct comparison *s)
{
    static const enum panel_input_id slot[2] = {PANEL_INPUT_TARGET_WEIGHTS, PANEL_INPUT_GOLDEN_WEIGHTS};
    struct err quiet;
    if (!path_kind_other_names(s))
        return 0;
    for (int i = 0; i < 2; i++)
        panel_input_give(v, slot[i], str_of(v->input[i]), &quiet);
    return 2;
}
