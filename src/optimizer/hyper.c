#include "optimizer/hyper.h"

#include <math.h>
#include <yaml.h>

#include "base/io.h"
#include "base/msg.h"

#define LARGEST (4u << 20)
#define DEPTH 64
#define UNKNOWN 32

static const struct {
    const char *name, *also; /* also: other names, blanks between */
    double preset;
    bool flag;
} keys[HYPER_KEYS] = {
    [HYPER_LR] = {"lr", "learning_rate max_lr", 1e-3, false},
    [HYPER_BETA1] = {"beta1", "adam_beta1 betas.0", 0.9, false},
    [HYPER_BETA2] = {"beta2", "adam_beta2 betas.1", 0.999, false},
    [HYPER_EPS] = {"eps", "adam_eps adam_epsilon epsilon", 1e-8, false},
    [HYPER_DECAY] = {"weight_decay", "wd start_weight_decay", 0.01, false},
    [HYPER_DECAY_1D] = {"decay_1d", "apply_wd_to_1d", 0, true},
    [HYPER_CLIP] = {"clip", "clip_grad max_grad_norm clip_norm grad_clip", 0, false},
    [HYPER_BIAS_CORRECTION] = {"bias_correction", "correct_bias", 1, true},
    [HYPER_STEP] = {"step", "iteration", 1, false},
};

const char *hyper_name(enum hyper_key k)
{
    return keys[k].name;
}

bool hyper_is_flag(enum hyper_key k)
{
    return keys[k].flag;
}

static bool listed(const char *words, struct str s)
{
    struct str rest = str_of(words), word;
    while (rest.n) {
        str_split(rest, ' ', &word, &rest);
        if (str_ieq(word, s))
            return true;
    }
    return false;
}

/* Numbers and what stands for one; false for any other text. */
static bool value_of(struct str s, double *v)
{
    s = str_trim(s);
    if (str_ieq(s, STR("true")) || str_ieq(s, STR("yes")) || str_ieq(s, STR("on")))
        *v = 1;
    else if (str_ieq(s, STR("false")) || str_ieq(s, STR("no")) || str_ieq(s, STR("off")) || str_ieq(s, STR("none")) || str_ieq(s, STR("null")))
        *v = 0;
    else
        return str_double(s, v);
    return true;
}

static void leaf(struct hyper *h, struct str key, struct str value, bool top)
{
    double v;
    if (listed("optimizer optimizer_type optim", key) || (listed("type", key) && !h->optimizer && str_ihas(value, "adam"))) {
        h->optimizer = arena_cstr(&h->arena, value);
        return;
    }
    if (str_ieq(key, STR("use_clip_grad")) && value_of(value, &v) && v == 0) { /* MindFormers' switch beats its limit */
        h->has[HYPER_CLIP] = true;
        h->v[HYPER_CLIP] = 0;
        return;
    }
    for (int k = 0; k < HYPER_KEYS; k++) {
        bool own = str_ieq(str_of(keys[k].name), key);
        if (!own && !listed(keys[k].also, key))
            continue;
        if (k == HYPER_STEP && !top) /* of a configuration: something else's */
            return;
        bool off = k == HYPER_CLIP && h->has[k] && h->v[k] == 0;
        if (value_of(value, &v) && !off && (!h->has[k] || own)) {
            h->has[k] = true;
            h->v[k] = v;
        }
        return;
    }
    if (top && h->unknown.n < UNKNOWN)
        vec_push(&h->unknown, arena_cstr(&h->arena, key));
}

/* Where the walk is: one entry a level. */
struct level {
    bool list;
    bool have;   /* of a mapping: the key has come, its value is next */
    size_t item; /* of a list: the number of the value to come */
};

struct walk {
    struct hyper *h;
    struct level level[DEPTH];
    int depth;
    struct buf key; /* of the value to come: "betas" */
};

/* The name a value in this place goes by: its key, or its list's with the number. */
static void scalar(struct walk *w, struct str s)
{
    struct level *l = &w->level[w->depth - 1];
    if (!l->list && !l->have) {
        buf_clear(&w->key);
        buf_str(&w->key, s);
        l->have = true;
        return;
    }
    if (l->list) {
        struct buf name = {0};
        buf_fmt(&name, "%s.%zu", w->key.p ? w->key.p : "", l->item++);
        leaf(w->h, buf_view(&name), s, false);
        buf_release(&name);
    } else {
        leaf(w->h, buf_view(&w->key), s, w->depth == 1);
        l->have = false;
    }
}

static int enter(struct walk *w, const char *path, uint64_t line, bool list, struct err *e)
{
    if (w->depth == DEPTH)
        return err_line(e, path, line, _("nested more than %d levels deep"), DEPTH);
    w->level[w->depth++] = (struct level){.list = list};
    return 0;
}

static void leave(struct walk *w)
{
    w->depth--;
    if (w->depth) {
        w->level[w->depth - 1].have = false;
        w->level[w->depth - 1].item++;
    }
}

/* JSON is YAML, so one walk reads both. */
static int walk(struct walk *w, struct str text, const char *path, struct err *e)
{
    yaml_parser_t parser;
    yaml_event_t ev;
    bool done = false;
    int rc = 0;
    if (!yaml_parser_initialize(&parser))
        return err_set(e, ERR_DATA, "%s: libyaml", path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.p, text.n);
    while (rc == 0 && !done) {
        if (!yaml_parser_parse(&parser, &ev)) {
            rc = err_line(e, path, parser.problem_mark.line + 1, _("not valid JSON or YAML here: %s"), parser.problem ? parser.problem : "?");
            break;
        }
        uint64_t line = ev.start_mark.line + 1;
        switch (ev.type) {
        case YAML_MAPPING_START_EVENT:
        case YAML_SEQUENCE_START_EVENT:
            rc = enter(w, path, line, ev.type == YAML_SEQUENCE_START_EVENT, e);
            break;
        case YAML_MAPPING_END_EVENT:
        case YAML_SEQUENCE_END_EVENT:
            leave(w);
            break;
        case YAML_SCALAR_EVENT:
            if (w->depth)
                scalar(w, str_n((const char *)ev.data.scalar.value, ev.data.scalar.length));
            else
                rc = err_line(e, path, line, _("names and values of hyper-parameters were expected, as in {\"lr\": 0.001, \"beta1\": 0.9}"));
            break;
        case YAML_ALIAS_EVENT: /* a value given elsewhere; it is read there */
            if (w->depth)
                w->level[w->depth - 1].have = false;
            break;
        case YAML_STREAM_END_EVENT:
            done = true;
            break;
        default:
            break;
        }
        yaml_event_delete(&ev);
    }
    yaml_parser_delete(&parser);
    return rc;
}

void hyper_defaults(struct hyper *h)
{
    *h = (struct hyper){0};
    for (int k = 0; k < HYPER_KEYS; k++)
        h->v[k] = keys[k].preset;
}

int hyper_load(struct hyper *h, const char *path, struct err *e)
{
    struct buf text = {0};
    struct walk w = {.h = h};
    hyper_defaults(h);
    h->path = arena_cstr(&h->arena, str_of(path));
    int rc = file_slurp(path, LARGEST, &text, e);
    if (rc == 0)
        rc = walk(&w, buf_view(&text), path, e);
    buf_release(&text);
    buf_release(&w.key);
    const char *problem = rc ? NULL : hyper_problem(h);
    return problem ? err_set(e, ERR_DATA, "%s: %s", path, problem) : rc;
}

void hyper_release(struct hyper *h)
{
    vec_release(&h->unknown);
    arena_release(&h->arena);
    *h = (struct hyper){0};
}

const char *hyper_problem(const struct hyper *h)
{
    const double *v = h->v;
    if (!isfinite(v[HYPER_LR]))
        return _("lr is no finite number");
    if (!(v[HYPER_BETA1] >= 0 && v[HYPER_BETA1] < 1) || !(v[HYPER_BETA2] >= 0 && v[HYPER_BETA2] < 1))
        return _("beta1 and beta2 are numbers from 0 to below 1");
    if (!(v[HYPER_EPS] >= 0) || !isfinite(v[HYPER_EPS]))
        return _("eps is a number of at least 0");
    if (!isfinite(v[HYPER_DECAY]) || !(v[HYPER_CLIP] >= 0))
        return _("weight_decay and clip are numbers, clip at least 0");
    if (!(v[HYPER_STEP] >= 1 && v[HYPER_STEP] < 1e12))
        return _("step is a number from 1 on");
    return NULL;
}
