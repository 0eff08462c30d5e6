#include "ui/ticket.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"

/* Named after its inputs, so that the same two dumps find it again. */
static void default_path(struct investigation *v, const char *state_dir)
{
    struct buf b = {0}, key = {0};
    for (int i = 0; i < 2; i++) {
        char *full = v->input[i] ? realpath(v->input[i], NULL) : NULL;
        buf_fmt(&key, "%s\n", full ? full : "");
        free(full);
    }
    buf_fmt(&b, "%s/%016llx.investigation.json", state_dir, (unsigned long long)hash_bytes(key.p, key.n, 7));
    v->path = investigation_keep(v, b.p);
    buf_release(&b);
    buf_release(&key);
}

int ticket_open(struct investigation *v, const struct options *o, const char *state_dir, bool claim, struct err *e)
{
    bool saved = o->args == 1 && investigation_is(o->arg[0]);
    const char *file = saved ? o->arg[0] : o->investigation;
    investigation_init(v);
    v->path = file ? investigation_keep(v, file) : NULL;
    if (claim)
        investigation_claim(v);
    if (file && path_is_file(file) && investigation_load(v, file, e))
        return -1;
    for (int i = 0; i < o->remaps; i++) {
        struct named_text x = {arena_cstr(&v->arena, o->remap_from[i]), arena_cstr(&v->arena, o->remap_to[i])};
        vec_push(&v->remaps, x);
    }
    if (saved && investigation_find_inputs(v, e) && !o->unread)
        return -1;
    for (int i = 0; i < 2 && !saved && o->args; i++)
        v->input[i] = i < o->args ? investigation_keep(v, o->arg[i]) : NULL;
    v->map_only |= o->map_only;
    v->exact |= o->exact;
    v->strict_gaps |= o->strict_gaps;
    if (o->maps)
        vec_clear(&v->maps);
    for (int i = 0; i < o->maps; i++)
        vec_push(&v->maps, investigation_keep(v, o->map[i]));
    for (int i = 0; i < 2; i++) {
        if (o->step[i] >= 0)
            v->step[i] = o->step[i];
        if (o->rank[i] >= 0)
            v->rank[i] = o->rank[i];
    }
    if (!file && state_dir && v->input[0]) {
        default_path(v, state_dir);
        struct err quiet;
        if (claim)
            investigation_claim(v);
        if (path_is_file(v->path))
            investigation_recall(v, &quiet); /* a damaged one is written anew */
    }
    for (int i = 0; i < o->thresholds; i++)
        if (tol_set(&v->tol, o->threshold_key[i], o->threshold_value[i], e))
            return -1;
    v->state_dir = state_dir ? investigation_keep(v, state_dir) : NULL;
    if (!v->input[0] && !o->nothing)
        return err_set(e, ERR_USAGE, "%s", _("no dump is named; see diverge --help"));
    return 0;
}

void ticket_session(const struct investigation *v, const struct options *o, struct session_options *so)
{
    *so = (struct session_options){
        .path = {v->input[0], v->input[1]},
        .preset = o->preset,
        .golden2 = o->golden2,
        .reference = o->reference,
        .step = {v->step[0], v->step[1]},
        .rank = {v->rank[0], v->rank[1]},
        .maps = v->maps.v,
        .map_count = v->maps.n,
        .map_only = v->map_only,
        .exact = v->exact,
        .strict_gaps = v->strict_gaps,
        .decisions = &v->decisions,
        .was = {v->state[0], v->state[1]},
        .tol = v->tol,
        .workers = o->workers,
        .cpu = o->cpu,
        .cache = o->cache,
    };
}

void ticket_note_inputs(struct investigation *v, const struct session *s)
{
    for (int i = 0; i < 2; i++)
        if (s->side[i].now.bytes)
            v->state[i] = s->side[i].now;
}
