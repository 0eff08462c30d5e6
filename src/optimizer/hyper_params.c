/* Reads hyper-parameters from a hyper.json or from a configuration, under any of the frameworks' names. */
#include "optimizer/hyper_params.h"

#include <math.h>

#include "base/io.h"
#include "base/msg.h"
#include "base/reading.h"
#include "config/settings.h"

#define UNKNOWN 32

static const struct {
    const char *name, *also; /* also: other names, blanks between */
    double preset;
    bool flag;
} keys[HYPER_KEYS] = {
    [HYPER_LR] = {"lr", "learning_rate max_lr", 1e-3, false},
    [HYPER_BETA1] = {"beta1", "adam_beta1 betas[0]", 0.9, false},
    [HYPER_BETA2] = {"beta2", "adam_beta2 betas[1]", 0.999, false},
    [HYPER_EPS] = {"eps", "adam_eps adam_epsilon epsilon", 1e-8, false},
    [HYPER_DECAY] = {"weight_decay", "wd start_weight_decay", 0.01, false},
    [HYPER_DECAY_1D] = {"decay_1d", "apply_wd_to_1d", 0, true},
    [HYPER_CLIP] = {"clip", "clip_grad max_grad_norm clip_norm grad_clip", 0, false},
    [HYPER_BIAS_CORRECTION] = {"bias_correction", "correct_bias", 1, true},
    [HYPER_STEP] = {"step", "iteration", 1, false},
};

const char *hyper_params_name(enum hyper_key k)
{
    return keys[k].name;
}

bool hyper_params_is_flag(enum hyper_key k)
{
    return keys[k].flag;
}

static bool is_one_of_words(const char *words, struct str s)
{
    struct str rest = str_of(words), word;
    while (rest.n) {
        word = str_next(&rest, ' ');
        if (str_ieq(word, s))
            return true;
    }
    return false;
}

/* Numbers; of flags, and of the limit that may be switched off, also the words for on and off. */
static enum reading hyper_param_value(struct str s, bool words, double *v)
{
    static const char *const on[] = {"true", "yes", "on"}, *const off[] = {"false", "no", "off", "none", "null"};
    s = str_trim(s);
    for (size_t i = 0; words && i < ARRAY_LEN(on); i++)
        if (str_ieq(s, str_of(on[i]))) {
            *v = 1;
            return READING_VALUE;
        }
    for (size_t i = 0; words && i < ARRAY_LEN(off); i++)
        if (str_ieq(s, str_of(off[i]))) {
            *v = 0;
            return READING_VALUE;
        }
    return reading_number(s, v);
}

static void note_unread_param(struct hyper_params *h, const struct setting *x)
{
    struct err e;
    char found[READING_FOUND];
    err_line(&e, h->path, x->line, _("%.*s: expected a number, found %s"), STR_ARG(x->key),
             reading_found(found, x->value));
    vec_push(&h->unread, arena_cstr(&h->arena, str_of(e.text)));
}

/* One setting; `own`: of a hyper.json, where every key should mean something. */
static void take_hyper_param(struct hyper_params *h, const struct setting *x, bool own)
{
    double v;
    ptrdiff_t dot = str_rfind(x->key, '.');
    struct str key = str_cut(x->key, (size_t)(dot + 1)), value = x->value;
    if (x->state == SETTING_OPEN)
        return;
    if (is_one_of_words("optimizer optimizer_type optim", key) ||
        (is_one_of_words("type", key) && !h->optimizer && str_ihas(value, "adam"))) {
        h->optimizer = arena_cstr(&h->arena, value);
        return;
    }
    /* MindFormers' switch beats its limit */
    if (str_ieq(key, STR("use_clip_grad")) && hyper_param_value(value, true, &v) == READING_VALUE && v == 0) {
        h->has[HYPER_CLIP] = true;
        h->v[HYPER_CLIP] = 0;
        return;
    }
    for (int k = 0; k < HYPER_KEYS; k++) {
        bool named = str_ieq(str_of(keys[k].name), key);
        if (!named && !is_one_of_words(keys[k].also, key))
            continue;
        if (k == HYPER_STEP && !own) /* of a configuration: something else's */
            return;
        bool off = k == HYPER_CLIP && h->has[k] && h->v[k] == 0;
        enum reading how = hyper_param_value(value, keys[k].flag || k == HYPER_CLIP, &v);
        if (how == READING_UNREADABLE)
            note_unread_param(h, x);
        if (how == READING_VALUE && !off && (!h->has[k] || named)) {
            h->has[k] = true;
            h->v[k] = v;
        }
        return;
    }
    if (own && !str_is(key, "betas") && h->unknown.n < UNKNOWN)
        vec_push(&h->unknown, arena_cstr(&h->arena, x->key));
}

void hyper_params_default(struct hyper_params *h)
{
    *h = (struct hyper_params){0};
    for (int k = 0; k < HYPER_KEYS; k++)
        h->v[k] = keys[k].preset;
}

/* hyper.json may have any content; a configuration has one of the forms `diverge config` reads. */
static int read_settings(struct settings *s, const char *path, bool own, struct err *e)
{
    struct buf text = {0};
    if (!own)
        return settings_open(s, path, e);
    *s = (struct settings){0};
    s->path = arena_cstr(&s->arena, str_of(path));
    int rc = file_slurp(path, SETTINGS_BYTES, &text, e);
    if (rc == 0)
        rc = settings_document_flatten(s, buf_view(&text), e);
    buf_release(&text);
    return rc;
}

int hyper_params_load(struct hyper_params *h, const char *path, struct err *e)
{
    struct settings s;
    bool own = str_starts(path_base(str_of(path)), "hyper.");
    hyper_params_default(h);
    h->path = arena_cstr(&h->arena, str_of(path));
    int rc = read_settings(&s, path, own, e);
    for (size_t i = 0; rc == 0 && i < s.list.n; i++)
        take_hyper_param(h, &s.list.v[i], own);
    settings_release(&s);
    const char *problem = rc ? NULL : hyper_params_problem(h);
    return problem ? err_set(e, ERR_DATA, "%s: %s", path, problem) : rc;
}

void hyper_params_release(struct hyper_params *h)
{
    vec_release(&h->unknown);
    vec_release(&h->unread);
    arena_release(&h->arena);
    *h = (struct hyper_params){0};
}

const char *hyper_params_problem(const struct hyper_params *h)
{
    const double *v = h->v;
    if (!isfinite(v[HYPER_LR]))
        return _("expected a finite number for lr");
    if (!(v[HYPER_BETA1] >= 0 && v[HYPER_BETA1] < 1) || !(v[HYPER_BETA2] >= 0 && v[HYPER_BETA2] < 1))
        return _("expected numbers from 0 to below 1 for beta1 and beta2");
    if (!(v[HYPER_EPS] >= 0) || !isfinite(v[HYPER_EPS]))
        return _("expected a number of at least 0 for eps");
    if (!isfinite(v[HYPER_DECAY]) || !(v[HYPER_CLIP] >= 0))
        return _("expected numbers for weight_decay and clip, clip at least 0");
    if (!(v[HYPER_STEP] >= 1 && v[HYPER_STEP] < 1e12) || v[HYPER_STEP] != floor(v[HYPER_STEP]))
        return _("expected a step number of at least 1");
    return NULL;
}
