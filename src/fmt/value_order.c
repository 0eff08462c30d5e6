/* The order of a step's tensors: as saved, as listed in a file beside them (FOLDER/order.txt, FILE.order.json), or,
 * for files sorted by name, from the usual names of a model's parts. */
#include "fmt/value_order.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/io.h"

#define LIST_MAX (16u << 20)

/* ---- a list beside them ---- */

static const char *const ends[] = {"order.txt", "order.json"};

bool value_order_file(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_is(name, ends[i]))
            return true;
    return false;
}

/* Reads the first list of texts: ["a", "b"], {"order": ["a", "b"]} */
static void read_json(struct str text, struct arena *a, struct map *place)
{
    cJSON *root = cJSON_ParseWithLength(text.p, text.n);
    const cJSON *list = root;
    while (list && !cJSON_IsArray(list))
        list = cJSON_IsObject(root) && list == root ? root->child : list->next;
    uint32_t n = 0;
    for (const cJSON *x = list ? list->child : NULL; x; x = x->next, n++)
        if (cJSON_IsString(x))
            map_add(place, arena_str(a, str_of(x->valuestring)), n);
    cJSON_Delete(root);
}

static void value_order_read_lines(struct str text, struct arena *a, struct map *place)
{
    struct str line;
    for (uint32_t n = 0; text.n; n++) {
        line = str_next(&text, '\n');
        line = str_trim(line);
        if (line.n)
            map_add(place, arena_str(a, line), n);
    }
}

/* Maps names to positions; empty if there is no such list. */
static void read_list(const struct weights *w, struct arena *a, struct map *place)
{
    struct buf path = {0}, text = {0};
    struct err quiet;
    for (size_t i = 0; i < ARRAY_LEN(ends) && !place->n; i++) {
        buf_clear(&path);
        buf_fmt(&path, "%s%c%s", w->path, path_is_dir(w->path) ? '/' : '.', ends[i]);
        buf_clear(&text);
        if (!path_is_file(path.p) || file_slurp(path.p, LIST_MAX, &text, &quiet))
            continue;
        if (str_ends(buf_view(&path), ".json"))
            read_json(buf_view(&text), a, place);
        else
            value_order_read_lines(buf_view(&text), a, place);
    }
    buf_release(&path);
    buf_release(&text);
}

/* ---- the usual order ---- */

/* The usual position of a part among its siblings; MIDDLE if unknown. */
#define MIDDLE 50
static int usual_place(struct str part)
{
    static const struct {
        const char *name;
        int place;
    } parts[] = {
        {"encoder_hidden_states", 8}, {"encoder_last_hidden_state", 9}, {"decoder_hidden_states", 60},
        {"hidden_states", 60}, {"linear_1", 12}, {"linear_2", 37}, {"to_q", 12},
        {"wte", 0}, {"wpe", 1}, {"tok_embeddings", 0}, {"word_embeddings", 0}, {"position_embeddings", 1},
        {"token_type_embeddings", 1}, {"shared", 0}, {"stem", 0}, {"conv_stem", 0}, {"conv_in", 2}, {"time_proj", 0},
        {"time_embedding", 1}, {"timestep_embedder", 1}, {"class_embedder", 1}, {"time_emb_proj", 13},
        {"embed_tokens", 0}, {"embed_positions", 1}, {"embedding", 0}, {"embeddings", 0}, {"embeds", 0},
        {"patch_embed", 0}, {"patch_embeddings", 0}, {"pos_embed", 1},
        {"down_blocks", 42}, {"mid_block", 44}, {"up_blocks", 60}, {"upsamplers", 60}, {"downsamplers", 60},
        {"resnets", 45},
        {"encoder", 42}, {"decoder", 60},
        {"input_layernorm", 10}, {"ln_1", 10}, {"attention_norm", 10}, {"norm1", 10}, {"ln1", 10},
        {"layernorm_before", 10}, {"self_attn_layer_norm", 10}, {"attn_norm", 10}, {"pre_attn_norm", 10},
        {"conv1", 11}, {"bn1", 12}, {"act1", 13}, {"in_proj", 11}, {"conv1d", 12}, {"conv2", 31}, {"bn2", 32},
        {"act2", 33}, {"conv3", 33}, {"bn3", 34}, {"act3", 34}, {"downsample", 36}, {"conv_shortcut", 36},
        {"conv_dw", 11}, {"conv_pw", 33}, {"conv_pwl", 34}, {"x_proj", 14}, {"dt_proj", 15},
        {"q_proj", 12}, {"wq", 12}, {"query", 12}, {"qkv", 12}, {"query_key_value", 12}, {"linear_qkv", 12},
        {"q", 12}, {"k", 13}, {"v", 14}, {"to_k", 13}, {"to_v", 14}, {"to_out", 18}, {"o", 18},
        {"c_attn", 12}, {"qkv_proj", 12}, {"q_norm", 13}, {"k_proj", 13}, {"wk", 13}, {"key", 13}, {"k_norm", 14},
        {"v_proj", 14}, {"wv", 14}, {"value", 14}, {"rotary_emb", 15}, {"core_attention", 16}, {"softmax", 16},
        {"attn_drop", 16}, {"o_proj", 18}, {"wo", 18}, {"out_proj", 18}, {"linear_proj", 18}, {"dense", 18},
        {"proj", 18}, {"self", 16}, {"SelfAttention", 20}, {"EncDecAttention", 20}, {"attn1", 20},
        {"self_attn", 20}, {"self_attention", 20}, {"attention", 20}, {"attn", 20}, {"mixer", 20},
        {"encoder_attn_layer_norm", 22}, {"encoder_attn", 23}, {"attn2", 32}, {"crossattention", 23},
        {"layernorm_after", 30}, {"post_attention_layernorm", 30}, {"pre_mlp_layernorm", 30}, {"ln_2", 30},
        {"pre_feedforward_layernorm", 31}, {"ffn_norm", 30}, {"norm2", 30}, {"norm3", 33}, {"conv_norm", 30},
        {"router", 32}, {"gate", 32}, {"gate_proj", 34}, {"w1", 34}, {"linear_fc1", 34}, {"fc1", 34}, {"c_fc", 34},
        {"wi", 34}, {"intermediate", 34}, {"intermediate_act_fn", 36},
        {"gate_up_proj", 34}, {"up_proj", 35}, {"w3", 35}, {"act", 36}, {"act_fn", 36}, {"activation_fn", 36},
        {"drop1", 36}, {"down_proj", 37}, {"w2", 37}, {"linear_fc2", 37}, {"fc2", 37}, {"c_proj", 38}, {"experts", 38},
        {"drop2", 38}, {"output", 38},
        {"mlp", 40}, {"feed_forward", 40}, {"ffn", 40}, {"ff", 40}, {"DenseReluDense", 40}, {"block_sparse_moe", 40},
        {"post_feedforward_layernorm", 41}, {"dropout", 70}, {"drop", 70}, {"drop_path", 70}, {"LayerNorm", 72},
        {"norm", 80}, {"ln_f", 80}, {"norm_f", 80}, {"norm_out", 80}, {"final_layernorm", 80}, {"post_layernorm", 80},
        {"layernorm", 80}, {"layer_norm", 80}, {"final_layer_norm", 80}, {"conv_norm_out", 80}, {"conv_act", 81},
        {"conv_out", 82}, {"proj_out", 82}, {"conv_head", 81}, {"global_pool", 84}, {"pooler", 85}, {"head_drop", 88},
        {"lm_head", 90}, {"output_layer", 90}, {"head", 90}, {"classifier", 90}, {"score", 90}, {"fc", 90}, {"cls", 90},
        {"last_hidden_state", 92}, {"logits", 95}, {"loss", 99},
    };
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (str_is(part, parts[i].name))
            return parts[i].place;
    return MIDDLE;
}

/* Within a layer of several a norm without a number comes first. */
static int place_in(struct str part, bool layer)
{
    static const struct {
        const char *name;
        int place;
    } within[] = {{"norm", 10}, {"layer_norm", 10}, {"layernorm", 10}, {"final_layer_norm", 33}};
    for (size_t i = 0; i < ARRAY_LEN(within) && layer; i++)
        if (str_is(part, within[i].name))
            return within[i].place;
    return usual_place(part);
}

static int by_part(struct str x, struct str y, bool layer)
{
    unsigned long long m, n;
    if (str_u64(x, &m) && str_u64(y, &n))
        return (m > n) - (m < n);
    int a = place_in(x, layer), b = place_in(y, layer);
    return a != b ? (a > b) - (a < b) : str_cmp(x, y);
}

/* Compares component by component, with a module after its parts: "embed_tokens", "layers.2.mlp.fc1", "layers.2.mlp",
 * "layers.2", "layers.10", "norm". */
static int by_usual_place(struct str a, struct str b)
{
    bool layer = false; /* the component before is a number */
    for (;;) {
        struct str x, y;
        unsigned long long n;
        bool more_a = str_split(a, '.', &x, &a), more_b = str_split(b, '.', &y, &b);
        int c = by_part(x, y, layer);
        if (c)
            return c;
        layer = str_u64(x, &n);
        if (!more_a || !more_b)
            return (int)more_b - (int)more_a;
    }
}

/* ---- sorting ---- */

struct placed {
    const struct weight *weight;
    uint32_t listed; /* position in the list; MAP_NONE: not listed */
};

static int by_list(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->listed != y->listed)
        return x->listed < y->listed ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static int by_name(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    int c = by_usual_place(x->weight->name, y->weight->name);
    return c ? c : by_list(a, b);
}

/* Whether the tensors are a transformers ModelOutput, which begins with what is computed last: loss, logits, …,
 * hidden_states. */
static bool is_model_output(const struct weight **list, size_t n)
{
    bool ends_first = n && (str_is(list[0]->name, "loss") || str_is(list[0]->name, "logits")), states = false;
    for (size_t i = 0; i < n && ends_first; i++)
        states |= str_has(list[i]->name, "hidden_states.");
    return states;
}

enum value_order value_order_sort(const struct weights *w, bool numbered, const struct weight **list, size_t n)
{
    struct arena a = {0};
    struct map place = {0};
    read_list(w, &a, &place);
    enum value_order order = place.n ? ORDER_LISTED : w->by_name && !numbered ? ORDER_USUAL : ORDER_SAVED;
    if (order != ORDER_SAVED || is_model_output(list, n)) {
        struct placed *p = mem_resize_array(NULL, n + 1, sizeof *p);
        for (size_t i = 0; i < n; i++)
            p[i] = (struct placed){list[i], map_get(&place, list[i]->name)};
        qsort(p, n, sizeof *p, order == ORDER_LISTED ? by_list : by_name);
        for (size_t i = 0; i < n; i++)
            list[i] = p[i].weight;
        free(p);
    }
    map_release(&place);
    arena_release(&a);
    return order;
}
