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

static void read_lines(struct str text, struct arena *a, struct map *place)
{
    struct str line;
    for (uint32_t n = 0; text.n; n++) {
        str_split(text, '\n', &line, &text);
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
            read_lines(buf_view(&text), a, place);
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
        {"wte", 0}, {"wpe", 1}, {"tok_embeddings", 0}, {"word_embeddings", 0}, {"position_embeddings", 1},
        {"embed_tokens", 0}, {"embed_positions", 1}, {"embedding", 0}, {"embeddings", 0}, {"patch_embed", 0},
        {"input_layernorm", 10}, {"ln_1", 10}, {"attention_norm", 10}, {"norm1", 10}, {"ln1", 10},
        {"q_proj", 12}, {"wq", 12}, {"query", 12}, {"qkv", 12}, {"query_key_value", 12}, {"linear_qkv", 12},
        {"c_attn", 12}, {"qkv_proj", 12}, {"q_norm", 13}, {"k_proj", 13}, {"wk", 13}, {"key", 13}, {"k_norm", 14},
        {"v_proj", 14}, {"wv", 14}, {"value", 14}, {"rotary_emb", 15}, {"core_attention", 16}, {"softmax", 16},
        {"o_proj", 18}, {"wo", 18}, {"out_proj", 18}, {"linear_proj", 18}, {"dense", 18},
        {"self_attn", 20}, {"self_attention", 20}, {"attention", 20}, {"attn", 20}, {"mixer", 20},
        {"post_attention_layernorm", 30}, {"pre_mlp_layernorm", 30}, {"ln_2", 30}, {"ffn_norm", 30}, {"norm2", 30},
        {"router", 32}, {"gate", 32}, {"gate_proj", 34}, {"w1", 34}, {"linear_fc1", 34}, {"fc1", 34}, {"c_fc", 34},
        {"gate_up_proj", 34}, {"up_proj", 35}, {"w3", 35}, {"act", 36}, {"act_fn", 36}, {"down_proj", 37},
        {"w2", 37}, {"linear_fc2", 37}, {"fc2", 37}, {"c_proj", 38}, {"experts", 38},
        {"mlp", 40}, {"feed_forward", 40}, {"ffn", 40}, {"block_sparse_moe", 40},
        {"norm", 80}, {"ln_f", 80}, {"norm_f", 80}, {"norm_out", 80}, {"final_layernorm", 80}, {"post_layernorm", 80},
        {"lm_head", 90}, {"output_layer", 90}, {"head", 90}, {"classifier", 90}, {"score", 90}, {"logits", 95},
        {"loss", 99},
    };
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (str_is(part, parts[i].name))
            return parts[i].place;
    return MIDDLE;
}

static int by_part(struct str x, struct str y)
{
    unsigned long long m, n;
    if (str_u64(x, &m) && str_u64(y, &n))
        return (m > n) - (m < n);
    int a = usual_place(x), b = usual_place(y);
    return a != b ? (a > b) - (a < b) : str_cmp(x, y);
}

/* Compares component by component, with a module after its parts: "embed_tokens", "layers.2.mlp.fc1", "layers.2.mlp",
 * "layers.2", "layers.10", "norm". */
static int by_usual_place(struct str a, struct str b)
{
    for (;;) {
        struct str x, y;
        bool more_a = str_split(a, '.', &x, &a), more_b = str_split(b, '.', &y, &b);
        int c = by_part(x, y);
        if (c)
            return c;
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
        states |= str_starts(list[i]->name, "hidden_states.");
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
