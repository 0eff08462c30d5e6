/* Finds the files of one side's step, and matches weight, gradient and updated weight. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/msg.h"
#include "fmt/weight_names.h"
#include "optimizer/optimizer.h"

#define ENTRIES 4096
#define UNREAD_SAID 100 /* of a file that could not be read in part */

static const char *const words[STEP_FILES][3] = {
    [STEP_BEFORE] = {"before", "params_before", NULL},
    [STEP_GRAD] = {"grad", "grads", "gradients"},
    [STEP_AFTER] = {"after", "params_after", NULL},
};

static bool is_step_file_called(const char *name, enum step_file f)
{
    for (size_t i = 0; i < ARRAY_LEN(words[f]); i++) {
        const char *w = words[f][i];
        size_t n = w ? strlen(w) : 0;
        if (w && strncmp(name, w, n) == 0 && (name[n] == 0 || name[n] == '.'))
            return true;
    }
    return false;
}

/* Names of a configuration, the likeliest first. */
static int config_rank(const char *name)
{
    static const char *const likely[] = {"hyper.json", "hyper.yaml", "hyper.yml", "training_args.json"};
    for (size_t i = 0; i < ARRAY_LEN(likely); i++)
        if (strcmp(name, likely[i]) == 0)
            return (int)i;
    struct str s = str_of(name);
    return str_ends(s, ".yaml") || str_ends(s, ".yml") ? 10
           : str_ends(s, ".sh")                        ? 11
           : str_ends(s, ".log")                       ? 12
           : str_ends(s, ".json") && !str_ends(s, ".index.json") ? 13
                                                       : -1;
}

static int read_hyper(struct optimizer *x, struct step_side *s, const char *config, struct err *e)
{
    struct buf path = {0};
    hyper_params_default(&s->hyper);
    if (!config)
        return 0;
    path_join(&path, s->path, config);
    hyper_params_release(&s->hyper);
    int rc = hyper_params_load(&s->hyper, path.p, e);
    buf_release(&path);
    for (int k = 0; rc == 0 && k < HYPER_KEYS; k++)
        s->stated = s->stated || s->hyper.has[k];
    for (size_t i = 0; rc == 0 && i < s->hyper.unread.n; i++)
        vec_push(&x->unread, arena_cstr(&x->arena, str_of(s->hyper.unread.v[i])));
    if (rc == 0 && strncmp(config, "hyper.", 6) == 0)
        for (size_t i = 0; i < s->hyper.unknown.n; i++)
            step_warn(x, _("%s: \"%s\" is unknown"), s->hyper.path, s->hyper.unknown.v[i]);
    return rc;
}

/* ---- which belongs to which ---- */

/* A list's weights by name and by key; gradients saved one by one may only be numbered. */
struct finder {
    const struct weights *w;
    struct map keys;
    struct arena arena;
    bool by_place; /* names give no pairs, and counts and sizes agree by position */
};

static struct str name_without_grad(struct str s)
{
    if (str_ends(s, ".grad"))
        s.n -= 5;
    return str_starts(s, "grad.") ? str_cut(s, 5) : s;
}

static void finder_init(struct finder *f, const struct weights *w, const struct weights *like)
{
    *f = (struct finder){.w = w, .by_place = w->list.n == like->list.n};
    for (uint32_t i = 0; i < w->list.n; i++) {
        struct weight_id id;
        weight_identify(name_without_grad(w->list.v[i].name), &f->arena, &id);
        map_add(&f->keys, id.key, i);
        f->by_place = f->by_place && w->list.v[i].numel == like->list.v[i].numel;
    }
}

static uint32_t find_step_weight(const struct finder *f, struct str name, struct str key, uint32_t place)
{
    uint32_t at = weights_find(f->w, name);
    if (at == MAP_NONE)
        at = map_get(&f->keys, key);
    return at == MAP_NONE && f->by_place ? place : at;
}

static void finder_release(struct finder *f)
{
    map_release(&f->keys);
    arena_release(&f->arena);
}

/* The names of a weight's saved moments in the frameworks. */
static uint32_t find_saved_moment(const struct weights *w, struct str name, bool second)
{
    static const char *const before[2][4] =
        {{"adam_m.", "moment1.", "exp_avg.", "moments."}, {"adam_v.", "moment2.", "exp_avg_sq.", "accum."}};
    struct buf b = {0};
    uint32_t at = MAP_NONE;
    for (size_t i = 0; i < 4 && at == MAP_NONE; i++) {
        buf_clear(&b);
        buf_fmt(&b, "%s%.*s", before[second][i], STR_ARG(name));
        at = weights_find(w, buf_view(&b));
    }
    if (at == MAP_NONE) {
        buf_clear(&b);
        buf_fmt(&b, second ? "%.*s.exp_avg_sq" : "%.*s.exp_avg", STR_ARG(name));
        at = weights_find(w, buf_view(&b));
    }
    buf_release(&b);
    return at == MAP_NONE ? UINT32_MAX : at;
}

bool step_weight_readable(const struct weight *w)
{
    return !w->problem && !w->text && w->numel && dtype_is_float(w->dtype);
}

/* Gradients and updated weights of each weight: by name or key, or for all of them by place. */
static void find_all(struct step_side *s, uint32_t *grad, uint32_t *after, struct arena *a)
{
    const struct weights *b = &s->set[STEP_BEFORE];
    struct finder f[2];
    bool named = false;
    for (int k = 0; k < 2; k++)
        finder_init(&f[k], &s->set[k ? STEP_AFTER : STEP_GRAD], b);
    for (uint32_t i = 0; i < b->list.n; i++) {
        struct weight_id id;
        weight_identify(b->list.v[i].name, a, &id);
        grad[i] = find_step_weight(&f[0], b->list.v[i].name, id.key, MAP_NONE);
        after[i] = find_step_weight(&f[1], b->list.v[i].name, id.key, i);
        named = named || grad[i] != MAP_NONE;
    }
    if (!named) {
        step_order(s, after, grad);
        for (uint32_t i = 0; i < b->list.n; i++)
            s->numbered = s->numbered || grad[i] != MAP_NONE;
        for (uint32_t i = 0; i < b->list.n && !s->numbered && f[0].by_place; i++)
            grad[i] = i;
    }
    for (int k = 0; k < 2; k++)
        finder_release(&f[k]);
}

/* Whether a saved moment lies as its weight does. */
static bool has_axes_of(const struct weight *w, const struct weight *moment)
{
    return w->ndim == moment->ndim && memcmp(w->shape, moment->shape, (size_t)w->ndim * sizeof *w->shape) == 0;
}

static void pair_step_weights(struct optimizer *x, struct step_side *s)
{
    const struct weights *b = &s->set[STEP_BEFORE];
    const char *lost = NULL, *example = NULL;
    uint32_t *grad = mem_alloc((b->list.n + 1) * sizeof *grad), *after = mem_alloc((b->list.n + 1) * sizeof *after);
    find_all(s, grad, after, &x->arena);
    for (uint32_t i = 0; i < b->list.n; i++) {
        const struct weight *w = &b->list.v[i];
        struct weight_id id;
        weight_identify(w->name, &x->arena, &id);
        if (id.training || w->text)
            continue;
        struct step_param p = {.at = {i, grad[i], after[i]},
                               .n = w->numel,
                               .one_axis = w->ndim <= 1};
        bool fits = step_weight_readable(w);
        for (int k = STEP_GRAD; k < STEP_FILES; k++)
            fits = fits && p.at[k] != MAP_NONE && s->set[k].list.v[p.at[k]].numel == p.n &&
                   step_weight_readable(&s->set[k].list.v[p.at[k]]);
        if (!fits) {
            lost = lost ? lost : w->name.p;
            s->unpaired++;
            continue;
        }
        p.m = find_saved_moment(b, w->name, false);
        p.v = find_saved_moment(b, w->name, true);
        if (p.m != UINT32_MAX && (p.v == UINT32_MAX || !has_axes_of(w, &b->list.v[p.m]) ||
                                  !has_axes_of(w, &b->list.v[p.v])))
            p.m = p.v = UINT32_MAX;
        if (p.m == UINT32_MAX)
            p.v = UINT32_MAX;
        vec_push(&s->params, p);
    }
    free(grad);
    free(after);
    size_t saved = step_weights_saved(s, &example);
    if (saved)
        step_warn(x, _("%s: %zu saved gradients are the weights themselves (%s): the script saves param instead of "
                       "param.grad"), s->path, saved, example);
    if (lost)
        step_warn(x, _("%s: %zu weights ignored: gradient or updated weight missing or of a different size, e.g. %s"),
                  s->path, s->unpaired, lost);
}

int step_open(struct optimizer *x, int side, const char *path, struct err *e)
{
    struct step_side *s = &x->side[side];
    name_list names = {0};
    struct buf file = {0};
    const char *config = NULL, *found[STEP_FILES] = {NULL};
    *s = (struct step_side){.path = arena_cstr(&x->arena, str_of(path)), .residual = NAN};
    int rc = dir_list(path, ENTRIES, &names, e);
    for (size_t i = 0; i < names.n && rc == 0; i++) {
        path_join(&file, path, names.v[i]);
        for (int k = 0; k < STEP_FILES; k++)
            if (!found[k] && is_step_file_called(names.v[i], (enum step_file)k) && weights_probe(file.p))
                found[k] = names.v[i];
        if (config_rank(names.v[i]) >= 0 && !path_is_dir(file.p) &&
            (!config || config_rank(names.v[i]) < config_rank(config)))
            config = names.v[i];
    }
    for (int k = 0; k < STEP_FILES && rc == 0; k++) {
        if (!found[k]) {
            rc = err_set(e, ERR_DATA, _("%s: expected before, grad and after, each a weight file (.safetensors, "
                                        ".ckpt, .pt, .npz) or a folder; found no \"%s\""),
                         path, words[k][0]);
            break;
        }
        path_join(&file, path, found[k]);
        rc = weights_open(&s->set[k], file.p, e);
        for (size_t i = 0; i < s->set[k].problems.n && i < UNREAD_SAID; i++)
            vec_push(&x->unread, arena_cstr(&x->arena, str_of(s->set[k].problems.v[i].text)));
    }
    if (rc == 0)
        rc = read_hyper(x, s, config, e);
    name_list_release(&names);
    buf_release(&file);
    if (rc == 0)
        pair_step_weights(x, s);
    if (rc == 0 && !s->params.n)
        rc = err_set(e, ERR_DATA, _("%s: no weight has both a gradient and an updated weight with the same "
                                    "name"), path);
    return rc;
}

bool optimizer_step_probe(const char *path)
{
    struct buf file = {0};
    name_list names = {0};
    struct err quiet;
    unsigned found = 0;
    if (!path_is_dir(path) || dir_list(path, ENTRIES, &names, &quiet))
        return false;
    for (size_t i = 0; i < names.n; i++)
        for (int k = 0; k < STEP_FILES; k++) {
            path_join(&file, path, names.v[i]);
            if (is_step_file_called(names.v[i], (enum step_file)k) && weights_probe(file.p))
                found |= 1u << k;
        }
    name_list_release(&names);
    buf_release(&file);
    return found == (1u << STEP_FILES) - 1;
}
