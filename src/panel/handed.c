#include "panel/handed.h"

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

enum handed handed_find(const char *path)
{
    enum handed what = optimizer_step_probe(path) ? HANDED_STEP : recording(path);
    return what != HANDED_NOTHING ? what
           : series_probe(path)   ? HANDED_LOG
           : is_settings(path)    ? HANDED_SETTINGS
                                  : HANDED_NOTHING;
}

int handed_give(struct investigation *v)
{
    enum handed what[2] = {HANDED_NOTHING, HANDED_NOTHING};
    struct err quiet;
    for (int s = 0; s < 2; s++) {
        what[s] = v->input[s] ? handed_find(v->input[s]) : HANDED_NOTHING;
        if (v->input[s] && what[s] < HANDED_LOG)
            return 0;
    }
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
