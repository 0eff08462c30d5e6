/* Loads data/weights.tsv once and parses a weight's name: layer, expert, role, parameter, and fusion. */
#include "fmt/weight_names.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/embed.h"
#include "base/map.h"
#include "base/vec.h"

struct role {
    struct str name;
    uint8_t cut;
};

struct alias {
    uint32_t role;
    uint8_t order, storage;
};

static struct {
    pthread_once_t once;
    struct map names; /* path → index of alias */
    VEC(struct role) roles;
    VEC(struct alias) aliases;
} table = {.once = PTHREAD_ONCE_INIT};

static void add_path(struct str path, uint32_t role)
{
    struct alias x = {.role = role, .storage = STORED_OUT_IN};
    struct str marks = {0}, mark;
    if (str_split(path, '@', &path, &marks))
        while (marks.n) {
            mark = str_next(&marks, '@');
            if (str_is(mark, "in-out"))
                x.storage = STORED_IN_OUT;
            else if (str_is(mark, "either"))
                x.storage = STORED_UNKNOWN;
            else
                x.order = str_is(mark, "grouped") ? ORDER_GROUPED : ORDER_STACKED;
        }
    if (map_add(&table.names, path, (uint32_t)table.aliases.n) == table.aliases.n)
        vec_push(&table.aliases, x);
}

static void load_weight_words(void)
{
    struct str rest = embed_str(&embed_weights_tsv), line, name, cut, path;
    while (rest.n) {
        line = str_next(&rest, '\n');
        if (!line.n || line.p[0] == '#' || !str_split(line, '\t', &name, &line) || !str_split(line, '\t', &cut, &line))
            continue;
        struct role r = {name, str_is(cut, "rows") ? CUT_ROWS : str_is(cut, "columns") ? CUT_COLUMNS : CUT_WHOLE};
        vec_push(&table.roles, r);
        while (line.n) {
            path = str_next(&line, ' ');
            if (path.n)
                add_path(path, (uint32_t)table.roles.n - 1);
        }
    }
}

/* Words that wrap a model without describing the weight. */
static bool is_wrapper_word(struct str s)
{
    static const char *const words[] = {
        "model",   "module",      "language_model", "decoder",    "encoder",  "transformer", "backbone", "network",
        "_backbone", "base_model", "llm",           "_orig_mod",  "gpt_neox", "text_model",  "_fsdp_wrapped_module",
        "bert",       "bert_encoder", "vit",           "t5_model",   "tfm_encoder", "tfm_decoder",
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(s, words[i]))
            return true;
    return false;
}

static enum weight_stack stack_word(struct str s)
{
    s = str_cut(s, str_starts(s, "tfm_") ? 4 : 0);
    return str_is(s, "encoder") || str_is(s, "encoder_layernorm")   ? STACK_ENCODER
           : str_is(s, "decoder") || str_is(s, "decoder_layernorm") ? STACK_DECODER
                                                                    : STACK_NONE;
}

static bool layer_word(struct str s)
{
    static const char *const words[] = {"layers", "layer", "h", "blocks", "block"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(s, words[i]))
            return true;
    return false;
}

/* Names of training state, data state, and values that modules recompute. */
static bool training_word(struct str s)
{
    static const char *const words[] = {
        "adam_m", "adam_v", "moment1", "moment2", "moments", "accum", "exp_avg", "exp_avg_sq", "max_exp_avg_sq",
        "momentum_buffer", "optim", "optimizer", "optimizers", "optimizer_state", "optimizer_states", "optim_state",
        "opt_state", "optimizer_state_dict", "optim_state_dict", "opt_state_dict", "optimizer_dict",
        "lr_scheduler_state_dict", "scheduler_state_dict", "grad_scaler", "scaler_state_dict", "train_state",
        "dataloader", "rng_state",
        "opt_param_scheduler", "lr_scheduler", "epoch_num", "step_num", "learning_rate", "global_step", "loss_scale",
        "scale_sense", "current_iterator_step", "last_overflow_iterator_step", "overflow", "_extra_state", "inv_freq",
        "freqs_cos", "freqs_sin", "freqs", "iteration", "args", "beta1_power", "beta2_power", "fp32_from_fp16_params",
        "rerun_state_machine", "cast_cache", "num_tokens_seen", "append_info", "masked_bias", "num_batches_tracked",
        "attn_mask", "index", "relative_position_index", "relative_coords_table", "position_ids",
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(s, words[i]))
            return true;
    return false;
}

static bool read_layer_number(struct str s, int *out)
{
    unsigned long long n;
    if (!s.n || s.n > 6 || s.p[0] < '0' || s.p[0] > '9' || !str_u64(s, &n))
        return false;
    *out = (int)n;
    return true;
}

struct str weight_parameter(struct str name)
{
    static const char *const same[][2] = {
        {"gamma", "weight"},       {"beta", "bias"},          {"embedding_weight", "weight"}, {"embedding_table", "weight"},
        {"moving_mean", "running_mean"}, {"moving_variance", "running_var"}, {"kernel", "weight"},
        {"embeddings_table", "weight"},
        {"e_score_correction_bias", "expert_bias"},
    };
    for (size_t i = 0; i < ARRAY_LEN(same); i++)
        if (str_is(name, same[i][0]))
            return str_of(same[i][1]);
    return name;
}

/* The last component in PyTorch's terms: weight, bias, running_mean … "layer_norm_weight" belongs to a norm inside a
 * fused layer, "weight7" to the seventh expert of a grouped layer: these extend the path. */
static struct str read_parameter_name(struct str last, struct buf *path)
{
    int n;
    last = weight_parameter(last);
    if (str_is(last, "layer_norm_weight") || str_is(last, "layer_norm_bias")) {
        buf_cstr(path, path->n ? ".layer_norm" : "layer_norm");
        return str_cut(last, strlen("layer_norm_"));
    }
    for (int bias = 0; bias < 2; bias++) {
        const char *word = bias ? "bias" : "weight";
        if (str_starts(last, word) && read_layer_number(str_cut(last, strlen(word)), &n)) {
            buf_fmt(path, ".%d", n);
            return str_of(word);
        }
    }
    return last;
}

/* Removes experts' numbers from the rest of the name after the layer. */
static int take_expert(struct str s, struct buf *out)
{
    struct str part;
    int n, expert = -1;
    bool experts = false;
    while (s.n) {
        part = str_next(&s, '.');
        if (out->n)
            buf_char(out, '.');
        if (experts && expert < 0 && read_layer_number(part, &n)) {
            expert = n;
            buf_char(out, '*');
        } else {
            buf_str(out, part);
        }
        experts = experts || str_has(part, "expert");
    }
    return expert;
}

static uint8_t fusion_of(struct str role)
{
    return str_ends(role, "qkv") ? FUSED_QKV : str_ends(role, "gate_up") ? FUSED_GATE_UP : FUSED_NOT;
}

struct weight_id weight_with_role(const struct weight_id *id, struct str role, struct arena *a)
{
    struct weight_id x = *id;
    x.role = role;
    x.fusion = fusion_of(role);
    x.key = str_of(arena_fmt(a, "%.*s%.*s/%.*s", STR_ARG(x.base), STR_ARG(role), STR_ARG(x.param)));
    return x;
}

static bool fill_role(struct weight_id *id, struct str path)
{
    uint32_t at = map_get(&table.names, path);
    if (at == MAP_NONE)
        return false;
    const struct alias *x = &table.aliases.v[at];
    const struct role *r = &table.roles.v[x->role];
    id->known = true;
    id->role = r->name;
    id->cut = r->cut;
    id->order = x->order;
    id->storage = x->storage;
    id->fusion = fusion_of(r->name);
    id->vocabulary = str_is(r->name, "embed") || str_is(r->name, "lm_head");
    return true;
}

/* A role under the path behind the numbers of nested layers; those may be a part of it ("layer.0.SelfAttention.q"), and
 * then of no base, and so may the stack ("decoder.layer.1.layer_norm"). */
static bool fill_nested_role(struct weight_id *id, struct str nested, struct str path)
{
    struct buf all = {0};
    bool found = false;
    for (int with_stack = 1; with_stack >= 0 && !found; with_stack--) {
        if (with_stack && !id->stack)
            continue;
        buf_clear(&all);
        if (with_stack)
            buf_cstr(&all, id->stack == STACK_ENCODER ? "encoder." : "decoder.");
        buf_str(&all, nested);
        buf_char(&all, '.');
        buf_str(&all, path);
        found = fill_role(id, buf_view(&all));
    }
    buf_release(&all);
    return found;
}

/* A parameter that is a module elsewhere: "pos_embed", "embeddings.cls_token". */
static bool fill_role_of_parameter(struct weight_id *id, struct str path, struct str last)
{
    struct buf all = {0};
    buf_str(&all, path);
    if (path.n)
        buf_char(&all, '.');
    buf_str(&all, last);
    bool found = fill_role(id, buf_view(&all));
    buf_release(&all);
    return found;
}

/* A name's components, as they are read from the left. */
struct name_words {
    struct buf path;   /* without wrappers, layers' words and numbers */
    struct buf base;   /* components before the layer that are no wrappers */
    struct buf inner;  /* numbers of nested layers, "0/1/" */
    struct buf nested; /* the same with their words, "layer.0" */
    bool leading;
};

/* Takes "layers.3" at the name's current place; false if that is not what stands there. */
static bool take_layer(struct weight_id *id, struct name_words *w, struct str part, struct str *rest)
{
    struct str num, behind;
    int n;
    if (!layer_word(part) || (id->layer >= 0 && w->path.n))
        return false;
    bool more = str_split(*rest, '.', &num, &behind);
    if (!read_layer_number(more ? num : *rest, &n))
        return false;
    if (id->layer >= 0) {
        buf_fmt(&w->inner, "%d/", n);
        buf_fmt(&w->nested, w->nested.n ? ".%.*s.%d" : "%.*s.%d", STR_ARG(part), n);
    } else {
        id->layer = n;
        buf_str(&w->base, buf_view(&w->path));
        if (w->path.n)
            buf_char(&w->base, '/');
        buf_clear(&w->path);
    }
    *rest = more ? behind : str_n(rest->p, 0);
    w->leading = false;
    return true;
}

bool weight_is_moment(struct str name)
{
    static const char *const words[] = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq", "momentum_buffer"};
    struct str last = str_cut(name, (size_t)(str_rfind(name, '.') + 1));
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(last, words[i]))
            return true;
    return false;
}

void weight_identify(struct str name, struct arena *a, struct weight_id *out)
{
    pthread_once(&table.once, load_weight_words);
    struct name_words w = {.leading = true};
    struct buf role = {0};
    struct str rest = name, part, last = {0};
    *out = (struct weight_id){.layer = -1};
    ptrdiff_t dot = str_rfind(name, '.');
    last = dot < 0 ? name : str_cut(name, (size_t)dot + 1);
    rest = dot < 0 ? str_n(name.p, 0) : str_n(name.p, (size_t)dot);
    while (rest.n) {
        part = str_next(&rest, '.');
        out->training = out->training || training_word(part);
        if (out->layer < 0 && stack_word(part))
            out->stack = (uint8_t)stack_word(part);
        if (take_layer(out, &w, part, &rest) || (w.leading && is_wrapper_word(part)))
            continue;
        w.leading = false;
        if (w.path.n)
            buf_char(&w.path, '.');
        buf_str(&w.path, part);
    }
    out->training = out->training || training_word(last);
    last = read_parameter_name(last, &w.path);
    int expert = take_expert(buf_view(&w.path), &role);
    if (w.nested.n && fill_nested_role(out, buf_view(&w.nested), buf_view(&role)))
        buf_clear(&w.inner);
    else if (!fill_role(out, buf_view(&role)) && fill_role_of_parameter(out, buf_view(&role), last))
        last = STR("weight");
    if (out->layer >= 0)
        buf_fmt(&w.base, "%d/%.*s", out->layer, (int)w.inner.n, w.inner.p ? w.inner.p : "");
    if (expert >= 0)
        buf_fmt(&w.base, "%d/", expert);
    if (!out->known)
        out->role = arena_str(a, buf_view(&role));
    out->base = arena_str(a, buf_view(&w.base));
    out->param = arena_str(a, last);
    out->key = weight_with_role(out, out->role, a).key;
    buf_release(&w.path);
    buf_release(&w.base);
    buf_release(&w.inner);
    buf_release(&w.nested);
    buf_release(&role);
}

void weight_add_stack(struct weight_id *id, struct arena *a)
{
    if (!id->stack)
        return;
    id->base = str_of(arena_fmt(a, "%s/%.*s", id->stack == STACK_ENCODER ? "encoder" : "decoder", STR_ARG(id->base)));
    id->key = weight_with_role(id, id->role, a).key;
}

/* The name as for expert 0 alone, with its number after `at` bytes: "a.experts.w1" → "a.experts.0.w1.weight". */
static void name_of_first(struct str name, size_t at, struct buf *out)
{
    struct str last = str_cut(name, (size_t)(str_rfind(name, '.') + 1)), plain = weight_parameter(last);
    bool own = str_is(plain, "weight") || str_is(plain, "bias");
    bool bias = !own && str_ends(last, "_bias");
    buf_clear(out);
    buf_str(out, str_n(name.p, at));
    buf_cstr(out, ".0");
    buf_str(out, str_n(name.p + at, name.n - at - (bias ? strlen("_bias") : 0)));
    buf_cstr(out, own ? "" : bias ? ".bias" : ".weight");
}

bool weight_of_all_experts(struct str name, struct arena *a, struct weight_id *out)
{
    struct buf single = {0};
    struct weight_id first;
    bool found = false, experts = false, known = false;
    int n;
    for (size_t at = 0, from = 0; at <= name.n && !known; at++) {
        if (at < name.n && name.p[at] != '.')
            continue;
        struct str part = str_n(name.p + from, at - from);
        from = at + 1;
        if (experts && read_layer_number(part, &n))
            found = known = false, at = name.n;
        experts = experts || (str_has(part, "expert") && !str_has(part, "shared"));
        if (!experts || at >= name.n)
            continue;
        name_of_first(name, at, &single);
        weight_identify(buf_view(&single), a, &first);
        known = first.known;
        if (known || !found)
            *out = first;
        found = true;
    }
    buf_release(&single);
    if (found) {
        out->base.n -= strlen("0/");
        return true;
    }
    weight_identify(name, a, out);
    return !experts && out->known && str_starts(out->role, "expert_");
}

struct weight_id weight_of_expert(const struct weight_id *all, int expert, struct arena *a)
{
    struct weight_id x = *all;
    x.base = str_of(arena_fmt(a, "%.*s%d/", STR_ARG(all->base), expert));
    return weight_with_role(&x, all->role, a);
}

int weight_parts(const struct weight_id *id, const char *out[3])
{
    static const char *const qkv[] = {"q", "k", "v"}, *const gate_up[] = {"gate", "up"};
    int n = id->fusion == FUSED_QKV ? 3 : id->fusion == FUSED_GATE_UP ? 2 : 0;
    for (int i = 0; i < n; i++)
        out[i] = id->fusion == FUSED_QKV ? qkv[i] : gate_up[i];
    return n;
}

struct str weight_part_key(const struct weight_id *f, const char *part, struct arena *a)
{
    size_t tail = strlen(f->fusion == FUSED_QKV ? "qkv" : "gate_up");
    return weight_with_role(f, str_of(arena_fmt(a, "%.*s%s", (int)(f->role.n - tail), f->role.p, part)), a).key;
}

/* The position and value of the first layer's or expert's number; -1 if there is none. */
static int number_at(struct str name, bool expert, size_t *from, size_t *len)
{
    struct str rest = name, part;
    bool ready = false;
    int n;
    while (rest.n) {
        part = str_next(&rest, '.');
        struct str digits = part;
        if (ready && expert && !rest.n) /* "linear_fc1.weight7" */
            digits = str_starts(part, "weight") ? str_cut(part, 6) : str_starts(part, "bias") ? str_cut(part, 4) : part;
        if (ready && read_layer_number(digits, &n)) {
            *from = (size_t)(digits.p - name.p);
            *len = digits.n;
            return n;
        }
        if (str_is(part, "mtp") && !expert)
            return -1; /* these layers are numbered separately */
        ready = expert ? ready || str_has(part, "experts") : layer_word(part);
    }
    return -1;
}

int weight_layer(struct str name)
{
    size_t from, len;
    return number_at(name, false, &from, &len);
}

int weight_expert(struct str name)
{
    size_t from, len;
    return number_at(name, true, &from, &len);
}

void weight_renumber(struct str name, int layers, int experts, struct buf *out)
{
    size_t at[2], len[2], done = 0;
    int n[2] = {number_at(name, false, &at[0], &len[0]), number_at(name, true, &at[1], &len[1])};
    const int add[2] = {layers, experts};
    buf_clear(out);
    for (int i = 0; i < 2; i++) {
        if (n[i] < 0 || at[i] < done)
            continue;
        buf_str(out, str_n(name.p + done, at[i] - done));
        buf_fmt(out, "%d", n[i] + add[i]);
        done = at[i] + len[i];
    }
    buf_str(out, str_cut(name, done));
}
