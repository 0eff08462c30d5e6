/* Weight files of every kind against each other: real ones of MindSpore, torch and Megatron, and shards,
 * splits and damage written in their formats. The samples' model is one and the same in every file. */
#include "report/weights_output.h"
#include "sessions.h"

#include <unistd.h>

#include "base/json_read.h"
#include "report/weights_output.h"
#include "weights/weight_compare.h"

static struct weight_options none;

static void compare(struct weight_compare *c, const char *target, const char *golden, const struct weight_options *opt)
{
    struct err e = {0};
    if (weight_compare_open(c, sample(target), sample(golden), opt, &e) ||
        weight_compare_run(c, kern_select(NULL), 2, NULL, &e))
        fail_msg("%s, %s: %s", target, golden, e.text);
}

/* Every pair is written with how it was made. */
static void origin_written(const struct weight_compare *c)
{
    struct out o;
    struct err e;
    const struct report_options opt = {.rows = ROWS_ALL};
    struct jsonw w;
    out_memory(&o);
    jw_init(&w, &o.buf, false);
    weights_json_object(&w, &o, c, &opt);
    cJSON *root = json_text(buf_view(&o.buf), "json", &e), *pair;
    assert_non_null(root);
    size_t by_values = 0;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItem(root, "rows"))
    {
        const char *origin = cJSON_GetObjectItem(pair, "origin")->valuestring;
        assert_non_null(strstr(" name rule mapping tied values order ", origin));
        by_values += strcmp(origin, "values") == 0;
    }
    assert_true(by_values > 0);
    cJSON_Delete(root);
    buf_release(&o.buf);
}

static size_t equal(const struct weight_compare *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->pairs.n; i++)
        n += c->pairs.v[i].verdict == WEIGHT_EQUAL;
    return n;
}

static const struct weight_pair *of_target(const struct weight_compare *c, const char *name)
{
    for (size_t i = 0; i < c->pairs.n; i++)
        if (str_is(c->side[0].list.v[c->pairs.v[i].weight[0]].name, name))
            return &c->pairs.v[i];
    fail_msg("%s is in no pair", name);
    return NULL;
}

static void listed(void **state)
{
    static const struct {
        const char *path, *format, *framework;
        size_t n;
    } files[] = {
        {"weights/llama.ckpt", "mindspore-ckpt", "mindspore", 21},
        {"weights/llama_bf16.ckpt", "mindspore-ckpt", "mindspore", 21},
        {"weights/crc.ckpt", "mindspore-ckpt", "mindspore", 5},
        {"weights/llama.safetensors", "safetensors", "mindspore", 21},
        {"weights/hf.safetensors", "safetensors", "pytorch", 21},
        {"weights/hf.pth", "torch", "pytorch", 21},
        {"weights/hf_legacy.pth", "torch", "pytorch", 21},
        {"weights/model_optim_rng.pt", "torch", "pytorch", 15},
        {"weights/made/hf.npz", "npz", "", 39},
        {"weights/made/hf_z.npz", "npz", "", 39},
        {"weights/made/shard", "safetensors", "", 39},
        {"weights/made/shardpt/pytorch_model.bin.index.json", "torch", "pytorch", 39},
        {"weights/made/mf_split.ckpt", "mindspore-ckpt", "mindspore", 39},
        {"weights/made/mg22", "megatron", "pytorch", 28},
        {"weights/made/mg222", "megatron", "pytorch", 28},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct weights w;
        struct err e = {0};
        if (weights_open(&w, sample(files[i].path), &e))
            fail_msg("%s", e.text);
        assert_string_equal(w.format, files[i].format);
        assert_string_equal(w.framework, files[i].framework);
        assert_int_equal(w.list.n, files[i].n);
        assert_int_equal(w.problems.n, 0);
        for (uint32_t k = 0; k < w.list.n; k++) {
            struct tensor t;
            struct side_figures f;
            if (w.list.v[k].text)
                continue;
            if (weights_tensor(&w, k, &t, &e) || figures_one(kern_select(NULL), &t, &f, NULL, &e))
                fail_msg("%s: %s", files[i].path, e.text);
            assert_int_equal(f.count, w.list.v[k].numel);
            tensor_close(&t);
        }
        weights_release(&w);
    }
}

static void arguments(void **state)
{
    struct weights w;
    struct err e;
    (void)state;
    assert_int_equal(weights_open(&w, sample("weights/model_optim_rng.pt"), &e), 0);
    assert_int_equal(w.arch.heads, 4);
    assert_int_equal(w.arch.kv_heads, 4);
    weights_release(&w);
    assert_int_equal(weights_open(&w, sample("weights/made/mg22"), &e), 0);
    assert_int_equal(w.arch.heads, 4);
    assert_int_equal(w.arch.kv_heads, 2);
    assert_int_equal(w.arch.gated, 1);
    assert_int_equal(w.arch.tp, 2);
    uint32_t i = weights_find(&w, STR("decoder.layers.3.mlp.linear_fc2.weight"));
    assert_int_not_equal(i, MAP_NONE); /* the second pipeline stage's layer 1 */
    assert_int_equal(w.list.v[i].ndim, 2);
    assert_int_equal(w.list.v[i].shape[0], 16);
    assert_int_equal(w.list.v[i].shape[1], 24);
    weights_release(&w);
}

/* Everything that holds the one model agrees with it, whatever its form. */
static void one_model(void **state)
{
    static const char *const real[] = {"llama.ckpt", "llama.safetensors", "llama_bf16.ckpt", "llama_qkv_concat.ckpt",
                                       "hf.pth", "hf_legacy.pth", "model_optim_rng.pt", "megatron.safetensors"};
    static const char *const made[] = {"hf.pth", "hf_legacy.pth", "hf.npz", "hf_z.npz", "shard", "shardpt", "mf.ckpt",
                                       "mf_split.ckpt", "mf_grouped.ckpt", "mf_stacked.ckpt", "mg11", "mg12", "mg21",
                                       "mg22", "mg222"};
    struct weight_compare c;
    char path[128];
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(real) + ARRAY_LEN(made); i++) {
        bool own = i >= ARRAY_LEN(real);
        snprintf(path, sizeof path, own ? "weights/made/%s" : "weights/%s", own ? made[i - ARRAY_LEN(real)] : real[i]);
        for (int turn = 0; turn < 2; turn++) {
            const char *golden = own ? "weights/made/hf.safetensors" : "weights/hf.safetensors";
            compare(&c, turn ? golden : path, turn ? path : golden, &none);
            if (weight_compare_verdict(&c) != STAGE_PASS || equal(&c) != c.pairs.n || c.only[0].n || c.only[1].n)
                fail_msg("%s, turn %d: %zu of %zu pairs equal, %zu and %zu one-sided", path, turn, equal(&c), c.pairs.n,
                         c.only[0].n, c.only[1].n);
            assert_int_equal(c.pairs.n, own ? 39 : 21);
            weight_compare_release(&c);
        }
    }
    /* fused on both sides, in different arrangements */
    compare(&c, "weights/made/mf_stacked.ckpt", "weights/made/mg22", &none);
    assert_int_equal(weight_compare_verdict(&c), STAGE_PASS);
    weight_compare_release(&c);
    compare(&c, "weights/made/mg21", "weights/made/mg222", &none);
    assert_int_equal(weight_compare_verdict(&c), STAGE_PASS);
    weight_compare_release(&c);
}

static void transposed(void **state)
{
    struct weight_compare c;
    (void)state;
    compare(&c, "weights/llama_wrong.ckpt", "weights/model_optim_rng.pt", &none);
    const struct weight_pair *p = of_target(&c, "model.layers.1.attention.wo.weight");
    assert_int_equal(p->verdict, WEIGHT_DIFFERS);
    assert_non_null(strstr(p->why, "transposed"));
    assert_int_equal(equal(&c), 20);
    assert_int_equal(weight_compare_verdict(&c), STAGE_FAIL);
    weight_compare_release(&c);
}

static void told_heads(void **state)
{
    struct weight_compare c;
    struct weight_options opt = {.heads = 4};
    (void)state;
    compare(&c, "weights/llama.safetensors", "weights/megatron.safetensors", &opt);
    assert_int_equal(weight_compare_verdict(&c), STAGE_PASS);
    assert_int_equal(c.warnings.n, 0);
    weight_compare_release(&c);
    opt.heads = 8; /* what a person says is taken, and said to be wrong */
    compare(&c, "weights/llama.safetensors", "weights/megatron.safetensors", &opt);
    assert_int_equal(weight_compare_verdict(&c), STAGE_FAIL);
    weight_compare_release(&c);
    opt.heads = 5;
    compare(&c, "weights/llama.safetensors", "weights/megatron.safetensors", &opt);
    assert_int_equal(of_target(&c, "model.layers.0.attention.wq.weight")->verdict, WEIGHT_UNREAD);
    weight_compare_release(&c);
}

static void faults(void **state)
{
    struct weight_compare c;
    (void)state;
    compare(&c, "weights/made/bad.safetensors", "weights/made/hf.safetensors", &none);
    const struct weight_pair *p = of_target(&c, "model.layers.2.mlp.up_proj.weight");
    assert_int_equal(p->verdict, WEIGHT_DIFFERS);
    assert_int_equal(p->fig.max_abs_at, 3 * 16 + 5);
    assert_non_null(strstr(p->why, "1 of 384"));
    p = of_target(&c, "model.layers.1.self_attn.k_proj.weight");
    assert_non_null(strstr(p->why, "v_proj"));
    p = of_target(&c, "model.layers.3.mlp.down_proj.weight");
    assert_int_equal(p->verdict, WEIGHT_SHAPE);
    assert_false(p->read);
    p = of_target(&c, "model.layers.0.mlp.down_proj.weight");
    assert_int_equal(p->verdict, WEIGHT_SHAPE); /* [24,16] for [16,24]: a row, never silently turned */
    assert_non_null(strstr(p->why, "transposed"));
    assert_int_equal(c.only[0].n, 1);
    assert_int_equal(c.only[1].n, 1);
    assert_int_equal(equal(&c) + 5, c.pairs.n);
    weight_compare_release(&c);
    compare(&c, "weights/made/tied.safetensors", "weights/made/tied_full.safetensors", &none);
    assert_int_equal(weight_compare_verdict(&c), STAGE_PASS);
    weight_compare_release(&c);
    compare(&c, "weights/made/tied.safetensors", "weights/made/hf.safetensors", &none);
    assert_int_equal(weight_compare_verdict(&c), STAGE_FAIL);
    weight_compare_release(&c);
    compare(&c, "weights/crc.ckpt", "weights/hf.safetensors", &none);
    assert_int_equal(weight_compare_verdict(&c), STAGE_UNKNOWN);
    assert_int_equal(c.aside[0].n, 2);
    weight_compare_release(&c);
}

static void maps(void **state)
{
    static const char text[] = "{\"pairs\":[{\"target\":\"model.layers.*.mlp.down_proj.weight\","
                               "\"golden\":\"model.layers.*.mlp.down_proj.weight\",\"transpose\":true}]}";
    struct weight_compare c;
    const char *dir = scratch(), *trouble = sample("weights/torch_net_map.json");
    struct weight_options opt = {.map = &trouble, .maps = 1, .map_only = true};
    (void)state;
    /* TroubleShooter's map names torch first: it serves both ways round */
    compare(&c, "weights/llama.ckpt", "weights/hf.pth", &opt);
    assert_int_equal(c.pairs.n, 21);
    assert_int_equal(c.pairs.v[0].origin, PAIR_BY_MAP);
    assert_int_equal(weight_compare_verdict(&c), STAGE_PASS);
    weight_compare_release(&c);
    compare(&c, "weights/hf.pth", "weights/llama.ckpt", &opt);
    assert_int_equal(weight_compare_verdict(&c), STAGE_PASS);
    weight_compare_release(&c);

    /* stars that nothing on the other side stands for: such a line pairs nothing, whichever way round it is read */
    static const char odd[] = "{\"pairs\":[{\"target\":\"*.weight\",\"golden\":\"model.*.*.*.weight\"}]}";
    const char *uneven = put_bytes(dir, "odd.json", odd, sizeof odd - 1);
    struct weight_options lost = {.map = &uneven, .maps = 1, .map_only = true};
    compare(&c, "weights/hf.pth", "weights/hf.safetensors", &lost);
    for (size_t i = 0; i < c.pairs.n; i++)
        assert_int_not_equal(c.pairs.v[i].origin, PAIR_BY_MAP);
    weight_compare_release(&c);

    const char *turned = put_bytes(dir, "map.json", text, sizeof text - 1);
    struct weight_options asked = {.map = &turned, .maps = 1};
    compare(&c, "weights/made/bad.safetensors", "weights/made/hf.safetensors", &asked);
    const struct weight_pair *p = of_target(&c, "model.layers.0.mlp.down_proj.weight");
    assert_int_equal(p->verdict, WEIGHT_EQUAL);
    assert_non_null(strstr(p->view, "transposed"));
    p = of_target(&c, "model.layers.1.mlp.down_proj.weight"); /* not stored so: now it differs */
    assert_int_equal(p->verdict, WEIGHT_SHAPE);
    weight_compare_release(&c);

    const char *bad = put_bytes(dir, "bad.json", "{\"pairs\":[{\"target\":3}]}", 24);
    struct weight_options wrong = {.map = &bad, .maps = 1};
    struct err e = {0};
    assert_int_equal(weight_compare_open(&c, sample("weights/hf.pth"), sample("weights/hf.pth"), &wrong, &e), -1);
    assert_non_null(strstr(e.text, "bad.json"));
    weight_compare_release(&c);
}

/* A weight of a file written here: float32, values that follow from `seed`. */
struct made {
    const char *name;
    int rows, columns; /* columns 0: one axis */
    int seed;    /* -1: all are 1 */
    bool in_out; /* stored transposed: `rows` and `columns` are those of the other layout */
};

static const char *write_made(const char *dir, const char *name, const struct made *w, size_t n)
{
    struct buf head = {0}, data = {0}, all = {0};
    for (size_t i = 0; i < n; i++) {
        size_t count = (size_t)w[i].rows * (size_t)(w[i].columns ? w[i].columns : 1), from = data.n;
        for (size_t k = 0; k < count; k++) {
            size_t at = w[i].in_out ? k % (size_t)w[i].rows * (size_t)w[i].columns + k / (size_t)w[i].rows : k;
            float v = w[i].seed < 0 ? 1 : (float)((w[i].seed * 7919 + (int)at * 104729) % 1000) / 997.0f - 0.5f;
            buf_add(&data, &v, sizeof v);
        }
        buf_fmt(&head, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%d", i ? "," : "{", w[i].name,
                w[i].in_out ? w[i].columns : w[i].rows);
        if (w[i].columns)
            buf_fmt(&head, ",%d", w[i].in_out ? w[i].rows : w[i].columns);
        buf_fmt(&head, "],\"data_offsets\":[%zu,%zu]}", from, data.n);
    }
    buf_char(&head, '}');
    uint64_t size = head.n;
    buf_add(&all, &size, sizeof size);
    buf_add(&all, head.p, head.n);
    buf_add(&all, data.p, data.n);
    const char *path = put_bytes(dir, name, all.p, all.n);
    buf_release(&head);
    buf_release(&data);
    buf_release(&all);
    return path;
}

/* One model under other numbers and words: values say which is which, the names they teach where a value differs, the
 * order where a module has one weight; two that were exchanged are paired as they are named. */
static void names_of_another_package(void **state)
{
    struct made t[] = {
        {"features.0.weight", 8, 3, 1, false},          {"features.1.gamma", 8, 0, 2, false},           {"features.1.beta", 8, 0, 3, false},
        {"features.3.layers.0.weight", 8, 8, 4, false}, {"features.3.layers.1.gamma", 8, 0, 5, false},  {"features.3.layers.1.beta", 8, 0, 6, false},
        {"features.4.layers.0.weight", 8, 8, 7, false}, {"features.4.layers.1.gamma", 8, 0, 8, false},  {"features.4.layers.1.beta", 8, 0, 9, false},
    };
    struct made g[] = {
        {"features.0.0.weight", 8, 3, 1, false},      {"features.0.1.bias", 8, 0, 3, false},      {"features.0.1.weight", 8, 0, 2, false},
        {"features.1.conv.0.weight", 8, 8, 4, false}, {"features.1.conv.1.bias", 8, 0, 6, false}, {"features.1.conv.1.weight", 8, 0, 5, false},
        {"features.2.conv.0.weight", 8, 8, 7, false}, {"features.2.conv.1.bias", 8, 0, 9, false}, {"features.2.conv.1.weight", 8, 0, 8, false},
        {"features.0.1.num_batches_tracked", 1, 0, 10, false}, {"copy.weight", 8, 3, 1, false},
    };
    const char *dir = scratch();
    (void)state;
    for (int fault = 0; fault < 4; fault++) {
        struct weight_compare c;
        struct err e = {0};
        g[3].seed = fault == 1 ? 99 : fault == 3 ? 7 : 4; /* another weight, or two exchanged */
        g[6].seed = fault == 3 ? 4 : 7;
        g[5].seed = fault == 2 ? 8 : 5;
        g[8].seed = fault == 2 ? 5 : 8;
        const char *a = write_made(dir, "t.safetensors", t, ARRAY_LEN(t)),
                   *b = write_made(dir, "g.safetensors", g, ARRAY_LEN(g));
        assert_int_equal(weight_compare_open(&c, a, b, &none, &e) ||
                             weight_compare_run(&c, kern_select(NULL), 1, NULL, &e),
                         0);
        assert_int_equal(c.pairs.n, 9);
        assert_int_equal(equal(&c), fault == 0 ? 9 : fault == 1 ? 8 : 7);
        assert_int_equal(weight_compare_verdict(&c), fault ? STAGE_FAIL : STAGE_PASS);
        assert_int_equal(c.only[0].n + c.only[1].n, 0);
        assert_int_equal(c.aside[1].n, 2); /* the counter and the copy */
        const struct weight_pair *p =
            of_target(&c, fault == 2 ? "features.3.layers.1.gamma" : "features.3.layers.0.weight");
        assert_true(str_is(c.side[1].list.v[p->weight[1]].name,
                           fault == 2 ? "features.1.conv.1.weight" : "features.1.conv.0.weight"));
        assert_int_equal(p->verdict, fault ? WEIGHT_DIFFERS : WEIGHT_EQUAL);
        origin_written(&c);
        weight_compare_release(&c);
    }
}

static void compare_made(struct weight_compare *c, const struct made *t, size_t tn, const struct made *g, size_t gn)
{
    struct err e = {0};
    const char *dir = scratch(), *a = write_made(dir, "t.safetensors", t, tn),
               *b = write_made(dir, "g.safetensors", g, gn);
    if (weight_compare_open(c, a, b, &none, &e) || weight_compare_run(c, kern_select(NULL), 1, NULL, &e))
        fail_msg("%s", e.text);
}

/* MindFormers' transformer layers store some matrices (in, out), among them square ones; encoder and decoder number
 * their layers alike. Without biases names tell. */
static void stored_in_out(void **state)
{
    struct made t[] = {
        {"t5_model.tfm_encoder.blocks.0.layernorm1.gamma", 8, 0, 1, false},
        {"t5_model.tfm_encoder.blocks.0.attention.dense1.weight", 8, 8, 2, false},
        {"t5_model.tfm_encoder.blocks.0.attention.projection.weight", 8, 8, 3, true},
        {"t5_model.tfm_encoder.blocks.0.layernorm2.gamma", 8, 0, 4, false},
        {"t5_model.tfm_encoder.blocks.0.output.mapping.weight", 20, 8, 5, true},
        {"t5_model.tfm_encoder.blocks.0.output.projection.weight", 8, 20, 6, true},
        {"t5_model.tfm_decoder.blocks.0.layernorm1.gamma", 8, 0, 7, false},
        {"t5_model.tfm_decoder.blocks.0.cross_attention.projection.weight", 8, 8, 8, true},
        {"t5_model.tfm_decoder.blocks.0.cross_attention_layernorm.gamma", 8, 0, 9, false},
        {"t5_model.tfm_decoder.blocks.0.output.mapping.weight", 20, 8, 10, true},
    };
    struct made g[] = {
        {"encoder.block.0.layer.0.layer_norm.weight", 8, 0, 1, false},
        {"encoder.block.0.layer.0.SelfAttention.q.weight", 8, 8, 2, false},
        {"encoder.block.0.layer.0.SelfAttention.o.weight", 8, 8, 3, false},
        {"encoder.block.0.layer.1.layer_norm.weight", 8, 0, 4, false},
        {"encoder.block.0.layer.1.DenseReluDense.wi.weight", 20, 8, 5, false},
        {"encoder.block.0.layer.1.DenseReluDense.wo.weight", 8, 20, 6, false},
        {"decoder.block.0.layer.0.layer_norm.weight", 8, 0, 7, false},
        {"decoder.block.0.layer.1.EncDecAttention.o.weight", 8, 8, 8, false},
        {"decoder.block.0.layer.1.layer_norm.weight", 8, 0, 9, false},
        {"decoder.block.0.layer.2.DenseReluDense.wi.weight", 20, 8, 10, false},
    };
    struct weight_compare c;
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        t[2].in_out = !fault; /* not transposed when it was converted */
        compare_made(&c, t, ARRAY_LEN(t), g, ARRAY_LEN(g));
        assert_int_equal(c.pairs.n, ARRAY_LEN(t));
        assert_int_equal(equal(&c) + (size_t)fault, c.pairs.n);
        for (size_t i = 0; i < c.pairs.n; i++)
            assert_int_equal(c.pairs.v[i].origin, PAIR_BY_RULE);
        assert_int_equal(of_target(&c, t[2].name)->verdict, fault ? WEIGHT_DIFFERS : WEIGHT_EQUAL);
        assert_non_null(strstr(of_target(&c, t[4].name)->view, "(in, out)"));
        weight_compare_release(&c);
    }
}

/* Names that occur with either layout: the axis of the bias tells, of a square matrix that of its namesakes. */
static void stored_as_biases_tell(void **state)
{
    struct made t[] = {
        {"backbone.blocks.0.attention.dense1.weight", 8, 8, 1, false},
        {"backbone.blocks.0.attention.dense1.bias", 8, 0, 2, false},
        {"backbone.blocks.0.attention.dense2.weight", 8, 8, 3, false},
        {"backbone.blocks.0.attention.dense2.bias", 8, 0, 4, false},
        {"backbone.blocks.0.attention.dense3.weight", 8, 8, 5, false},
        {"backbone.blocks.0.attention.dense3.bias", 8, 0, 6, false},
        {"backbone.blocks.0.attention.projection.weight", 8, 8, 7, true},
        {"backbone.blocks.0.output.projection.weight", 8, 20, 8, true},
        {"backbone.blocks.0.output.projection.bias", 8, 0, 9, false},
    };
    for (int conv1d = 0; conv1d < 2; conv1d++)
        for (int fault = 0; fault < 2; fault++) {
            struct made g[] = {
                {"h.0.attn.c_attn.weight", 24, 8, 1, conv1d},
                {"h.0.attn.c_attn.bias", 24, 0, 2, false},
                {"h.0.attn.c_proj.weight", 8, 8, 7, conv1d ^ fault},
                {"h.0.mlp.c_proj.weight", 8, 20, 8, conv1d},
                {"h.0.mlp.c_proj.bias", 8, 0, 9, false},
            };
            struct weight_compare c;
            compare_made(&c, t, ARRAY_LEN(t), g, ARRAY_LEN(g));
            const struct weight_pair *p = of_target(&c, "backbone.blocks.0.attention.projection.weight");
            assert_int_equal(p->verdict, fault ? WEIGHT_DIFFERS : WEIGHT_EQUAL);
            p = of_target(&c, "backbone.blocks.0.output.projection.weight");
            assert_int_equal(p->verdict, WEIGHT_EQUAL);
            p = of_target(&c, "backbone.blocks.0.attention.dense2.weight");
            assert_int_equal(p->ndim[1], 2);
            assert_int_equal(p->shape[1][0], 8);
            assert_int_equal(of_target(&c, "backbone.blocks.0.attention.dense1.weight")->verdict, WEIGHT_EQUAL);
            assert_int_equal(c.only[0].n + c.only[1].n, 0);
            weight_compare_release(&c);
        }
    (void)state;
}

static enum stage_verdict verdict_of(const char *a, const char *b, struct weight_compare *c)
{
    struct err e = {0};
    assert_int_equal(weight_compare_open(c, a, b, &none, &e), 0);
    assert_int_equal(weight_compare_run(c, kern_select(NULL), 1, NULL, &e), 0);
    return weight_compare_verdict(c);
}

/* A file sorted by name beside one in the model's order, under a Sequential's numbers: equal values pair them, also
 * where the orders cross; a value that differs is found. */
static void sequential_names(void **state)
{
    struct made t[] = {
        {"bn.beta", 8, 0, 4, false},     {"bn.gamma", 8, 0, 3, false}, {"conv.bias", 8, 0, 2, false},
        {"conv.weight", 8, 3, 1, false}, {"fc.bias", 8, 0, 6, false},  {"fc.weight", 8, 3, 5, false},
    };
    const struct made g[] = {
        {"0.weight", 8, 3, 1, false}, {"0.bias", 8, 0, 2, false},   {"1.weight", 8, 0, 3, false},
        {"1.bias", 8, 0, 4, false},   {"3.weight", 8, 3, 5, false}, {"3.bias", 8, 0, 6, false},
    };
    const char *dir = scratch();
    struct weight_compare c;
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        t[2].seed = fault ? 99 : 2;
        const char *a = write_made(dir, "t.safetensors", t, ARRAY_LEN(t)),
                   *b = write_made(dir, "g.safetensors", g, ARRAY_LEN(g));
        assert_int_equal(verdict_of(a, b, &c), fault ? STAGE_FAIL : STAGE_PASS);
        assert_int_equal(equal(&c), fault ? 5 : 6);
        weight_compare_release(&c);
    }
}

/* A module's bias belongs to its matrix: with the values of another module's it is exchanged, under any prefix. */
static void biases_exchanged(void **state)
{
    struct made t[] = {
        {"model.0.weight", 8, 8, 1, false}, {"model.0.bias", 8, 0, 2, false}, {"model.2.weight", 8, 8, 3, false},
        {"model.2.bias", 8, 0, 4, false},   {"model.4.weight", 8, 8, 5, false}, {"model.4.bias", 8, 0, 6, false},
    };
    const struct made g[] = {
        {"net.0.weight", 8, 8, 1, false}, {"net.0.bias", 8, 0, 2, false}, {"net.2.weight", 8, 8, 3, false},
        {"net.2.bias", 8, 0, 4, false},   {"net.4.weight", 8, 8, 5, false}, {"net.4.bias", 8, 0, 6, false},
    };
    struct weight_compare c;
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        t[1].seed = fault ? 4 : 2;
        t[3].seed = fault ? 2 : 4;
        compare_made(&c, t, ARRAY_LEN(t), g, ARRAY_LEN(g));
        assert_int_equal(equal(&c), fault ? 4 : 6);
        assert_int_equal(weight_compare_verdict(&c), fault ? STAGE_FAIL : STAGE_PASS);
        weight_compare_release(&c);
    }
}

/* Modules of constants have no values to know them by; where the sides number modules otherwise, names do not tell
 * either: their order does, in a file sorted by name that of the numbers. */
static void constants_in_order(void **state)
{
    static const struct made t[] = {
        {"net.0.weight", 8, 8, 1, false}, {"net.0.bias", 8, 0, 2, false}, {"net.1.weight", 8, 0, -1, false},
        {"net.1.bias", 8, 0, -1, false},  {"net.3.weight", 8, 8, 3, false}, {"net.3.bias", 8, 0, 4, false},
        {"net.4.weight", 8, 0, -1, false}, {"net.4.bias", 8, 0, -1, false}, {"net.6.weight", 8, 8, 5, false},
        {"net.6.bias", 8, 0, 6, false},   {"net.7.weight", 8, 0, -1, false}, {"net.7.bias", 8, 0, -1, false},
        {"net.9.weight", 8, 8, 7, false}, {"net.9.bias", 8, 0, 8, false}, {"net.10.weight", 8, 0, -1, false},
        {"net.10.bias", 8, 0, -1, false},
    };
    static const struct made g[] = {
        {"layers.0.bias", 8, 0, 2, false},  {"layers.0.weight", 8, 8, 1, false}, {"layers.1.bias", 8, 0, -1, false},
        {"layers.1.weight", 8, 0, -1, false}, {"layers.2.bias", 8, 0, 4, false}, {"layers.2.weight", 8, 8, 3, false},
        {"layers.3.bias", 8, 0, -1, false}, {"layers.3.weight", 8, 0, -1, false}, {"layers.4.bias", 8, 0, 6, false},
        {"layers.4.weight", 8, 8, 5, false}, {"layers.5.bias", 8, 0, -1, false}, {"layers.5.weight", 8, 0, -1, false},
        {"layers.6.bias", 8, 0, 8, false},  {"layers.6.weight", 8, 8, 7, false}, {"layers.7.bias", 8, 0, -1, false},
        {"layers.7.weight", 8, 0, -1, false},
    };
    struct weight_compare c;
    (void)state;
    compare_made(&c, t, ARRAY_LEN(t), g, ARRAY_LEN(g));
    assert_int_equal(equal(&c), 16);
    assert_int_equal(weight_compare_verdict(&c), STAGE_PASS);
    const struct weight_pair *p = of_target(&c, "net.10.bias");
    assert_true(str_is(c.side[1].list.v[p->weight[1]].name, "layers.7.bias"));
    weight_compare_release(&c);
}

/* Fused on both sides, the order of the rows open by one name: what is equal as it lies is in one order, and no head
 * count is needed. A layer that differs is then known to differ. */
static void fused_in_one_order(void **state)
{
    struct made t[] = {
        {"model.layers.0.self_attn.qkv_proj.weight", 32, 8, 1, false},
        {"model.layers.1.self_attn.qkv_proj.weight", 32, 8, 2, false},
    };
    const struct made g[] = {
        {"model.layers.0.attention.w_qkv.weight", 32, 8, 1, false},
        {"model.layers.1.attention.w_qkv.weight", 32, 8, 2, false},
    };
    struct weight_compare c;
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        t[1].seed = fault ? 9 : 2;
        compare_made(&c, t, ARRAY_LEN(t), g, ARRAY_LEN(g));
        assert_int_equal(c.pairs.n, 2);
        assert_int_equal(equal(&c), fault ? 1 : 2);
        assert_int_equal(weight_compare_verdict(&c), fault ? STAGE_FAIL : STAGE_PASS);
        weight_compare_release(&c);
    }
}

/* An optimizer's state in the file is no part of the model, whatever its names and members. */
static void beside_an_optimizer(void **state)
{
    static const char *const forms[] = {"optim.state.0.", "optimizer.state.a.weight.", "state.0.", "opt_state.x.",
                                        "optimizer_state_dict.state.0."};
    const char *dir = scratch();
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        static const char *const members[] = {"step", "exp_avg", "exp_avg_sq"};
        char name[3][64];
        struct made t[4] = {{"a.weight", 4, 3, 1, false}};
        for (size_t k = 0; k < 3; k++) {
            snprintf(name[k], sizeof name[k], "%s%s", forms[i], members[k]);
            t[k + 1] = (struct made){name[k], k ? 4 : 1, k ? 3 : 0, (int)k, false};
        }
        struct weight_compare c;
        const char *a = write_made(dir, "t.safetensors", t, 4), *b = write_made(dir, "g.safetensors", t, 1);
        assert_int_equal(verdict_of(a, b, &c), STAGE_PASS);
        assert_int_equal(c.aside[0].n, 3);
        weight_compare_release(&c);
    }
}

/* What several ranks hold of one weight is compared: a norm of a second tensor-parallel rank (certain), and of
 * MindSpore's ranks without a strategy file (a copy or a shard). */
static void copies_on_ranks(void **state)
{
    static const struct {
        const char *rank[2];
        bool certain;
    } cases[] = {{{"mp_rank_00", "mp_rank_01"}, true}, {{"rank_0", "rank_1"}, false}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (int fault = 0; fault < 2; fault++) {
            char path[300];
            const char *dir = scratch();
            struct weight_compare c;
            for (int r = 0; r < 2; r++) {
                struct made w[] = {{"model.layers.0.input_layernorm.weight", 8, 0, fault && r ? 9 : 1, false}};
                snprintf(path, sizeof path, "%s/%s", dir, cases[i].rank[r]);
                mkdir(path, 0755);
                write_made(path, "w.safetensors", w, 1);
            }
            enum stage_verdict v = verdict_of(dir, dir, &c);
            assert_int_equal(v, !fault ? STAGE_PASS : cases[i].certain ? STAGE_FAIL : STAGE_UNKNOWN);
            assert_int_equal(c.replicas.n, 2);
            for (int k = 0; k < 2; k++)
                assert_string_equal(c.side[0].copies.v[0].rank[k], cases[i].rank[k]);
            assert_int_equal(weight_replicas_off(&c, false), fault ? 2 : 0);
            assert_int_equal(weight_replicas_off(&c, true), fault && cases[i].certain ? 2 : 0);
            weight_compare_release(&c);
        }
}

/* A norm that one tensor-parallel rank lacks is named, and the checkpoint does not pass; a pipeline's ranks hold other
 * layers. */
static void a_copy_is_missing(void **state)
{
    static const char *const ranks[2][4] = {{"mp_rank_00", "mp_rank_01"},
                                            {"mp_rank_00_000", "mp_rank_01_000", "mp_rank_00_001", "mp_rank_01_001"}};
    (void)state;
    for (int stages = 1; stages <= 2; stages++)
        for (int fault = 0; fault < 2; fault++) {
            char path[300];
            const char *dir = scratch(), *whole = scratch();
            struct weight_compare c;
            for (int r = 0; r < 2 * stages; r++) {
                struct made w[] = {{"model.layers.0.input_layernorm.weight", 8, 0, 1, false},
                                   {"model.layers.0.post_attention_layernorm.weight", 8, 0, 1, false}};
                for (int s = 0; s < 2; s++) {
                    snprintf(path, sizeof path, "%s/%s", s ? dir : whole, ranks[stages - 1][r]);
                    mkdir(path, 0755);
                    write_made(path, "w.safetensors", w, fault && s && r == 1 ? 1 : 2);
                }
            }
            assert_int_equal(verdict_of(dir, whole, &c), fault ? STAGE_UNKNOWN : STAGE_PASS);
            assert_int_equal(c.side[0].problems.n, fault);
            if (fault)
                assert_non_null(strstr(c.side[0].problems.v[0].text, "have no copy, the first is mp_rank_01"));
            weight_compare_release(&c);
        }
}

/* ---- experts ---- */

enum { EXPERTS = 3, ROWS = 4, COLUMNS = 6 };

struct shaped {
    char name[96];
    int ndim, shape[3];
    float v[EXPERTS * 2 * ROWS * COLUMNS];
};

static const char *write_shaped(const char *dir, const char *name, const struct shaped *w, size_t n)
{
    struct buf head = {0}, data = {0}, all = {0};
    for (size_t i = 0; i < n; i++) {
        size_t from = data.n, count = 1;
        buf_fmt(&head, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[", i ? "," : "{", w[i].name);
        for (int k = 0; k < w[i].ndim; k++) {
            buf_fmt(&head, "%s%d", k ? "," : "", w[i].shape[k]);
            count *= (size_t)w[i].shape[k];
        }
        buf_add(&data, w[i].v, count * sizeof *w[i].v);
        buf_fmt(&head, "],\"data_offsets\":[%zu,%zu]}", from, data.n);
    }
    buf_char(&head, '}');
    uint64_t size = head.n;
    buf_add(&all, &size, sizeof size);
    buf_add(&all, head.p, head.n);
    buf_add(&all, data.p, data.n);
    const char *path = put_bytes(dir, name, all.p, all.n);
    buf_release(&head);
    buf_release(&data);
    buf_release(&all);
    return path;
}

/* Numbers and an optimizer's state are no parts of a split weight: the first tensor-parallel rank's are taken. */
static void state_of_ranks_is_not_joined(void **state)
{
    static const struct shaped w[] = {{"scale", 0, {0}, {2}}, {"optimizer.exp_avg.lm_head.weight", 2, {2, 2}, {1}}};
    char path[300];
    const char *dir = scratch();
    struct weights all;
    struct err e = {0};
    (void)state;
    for (int r = 0; r < 2; r++) {
        snprintf(path, sizeof path, "%s/mp_rank_0%d", dir, r);
        mkdir(path, 0755);
        write_shaped(path, "w.safetensors", w, ARRAY_LEN(w));
    }
    assert_int_equal(weights_open(&all, dir, &e), 0);
    assert_int_equal(all.list.n, ARRAY_LEN(w));
    assert_int_equal(all.problems.n, 0);
    for (size_t i = 0; i < ARRAY_LEN(w); i++)
        assert_int_equal(all.list.v[i].numel, i ? 4 : 1);
    weights_release(&all);
}

/* Element of expert e's gate (0) or up (1). */
static float of_expert(int e, int part, int row, int column)
{
    return (float)(((e * 2 + part) * ROWS + row) * COLUMNS + column + 1) / 97.0f - 0.4f;
}

enum form {
    SINGLE, SINGLE_FUSED, SINGLE_IN_TURN, STACKED, STACKED_FUSED, STACKED_TURNED, STACKED_IN_TURN, TURNED_IN_TURN,
    GROUPED_ROWS, GROUPED_COLUMNS, /* one matrix for all experts: MindFormers', Megatron's */
    FORMS
};

static bool is_fused(enum form f)
{
    return f != SINGLE && f != STACKED;
}

static bool has_rows_in_turn(enum form f) /* of gate and up */
{
    return f == SINGLE_IN_TURN || f == STACKED_IN_TURN || f == TURNED_IN_TURN;
}

/* Gate and up of all experts in one form; how many tensors that is. */
static size_t make_experts(enum form f, struct shaped *w)
{
    bool fused = is_fused(f), stacked = f >= STACKED, grouped = f >= GROUPED_ROWS,
         turned = f == STACKED_TURNED || f == TURNED_IN_TURN || grouped;
    size_t n = stacked ? (fused ? 1 : 2) : EXPERTS * (fused ? 1 : 2);
    static const char *const words[] = {"gate_proj", "up_proj"};
    for (int e = 0; e < EXPERTS; e++)
        for (int part = 0; part < 2; part++) {
            struct shaped *x = &w[(stacked ? 0 : e * (fused ? 1 : 2)) + (fused ? 0 : part)];
            int all = fused ? 2 * ROWS : ROWS, first = fused ? part * ROWS : 0,
                before = stacked ? e * all * COLUMNS : 0;
            if (f == SINGLE_FUSED || f == SINGLE_IN_TURN)
                snprintf(x->name, sizeof x->name, "decoder.layers.1.mlp.experts.local_experts.%d.linear_fc1.weight", e);
            else if (grouped)
                snprintf(x->name, sizeof x->name, "decoder.layers.1.mlp.experts.weight1");
            else if (stacked)
                snprintf(x->name, sizeof x->name, "model.layers.1.mlp.experts.%s",
                         fused ? "gate_up_proj" : words[part]);
            else
                snprintf(x->name, sizeof x->name, "model.layers.1.mlp.experts.%d.%s.weight", e, words[part]);
            x->ndim = stacked && !grouped ? 3 : 2;
            int *shape = x->shape;
            if (stacked && !grouped)
                *shape++ = EXPERTS;
            shape[0] = (turned ? COLUMNS : all) * (f == GROUPED_ROWS ? EXPERTS : 1);
            shape[1] = (turned ? all : COLUMNS) * (f == GROUPED_COLUMNS ? EXPERTS : 1);
            for (int row = 0; row < ROWS; row++)
                for (int column = 0; column < COLUMNS; column++) {
                    int place = has_rows_in_turn(f) ? 2 * row + part : first + row;
                    int at = turned ? column * all + place : place * COLUMNS + column;
                    x->v[before + at] = of_expert(e, part, row, column);
                }
        }
    return n;
}

/* The layer's router, which tells the number of experts. */
static void make_router(struct shaped *x)
{
    *x = (struct shaped){.name = "decoder.layers.1.mlp.router.weight", .ndim = 2, .shape = {EXPERTS, COLUMNS}};
    for (int i = 0; i < EXPERTS * COLUMNS; i++)
        x->v[i] = (float)i / 31.0f;
}

static bool is_router(const struct weight_compare *c, const struct weight_pair *p)
{
    return str_ends(c->side[0].list.v[p->weight[0]].name, "router.weight");
}

/* All experts in one tensor against one each, gate and up together or not, either way round; the expert that differs is
 * named. */
static void experts_stacked(void **state)
{
    static struct shaped w[2][2 * EXPERTS + 1];
    const char *dir = scratch();
    (void)state;
    for (int f = 0; f < FORMS; f++)
        for (int g = 0; g < FORMS; g++)
            for (int fault = 0; fault < 2; fault++) {
                struct weight_compare c;
                struct err e = {0};
                size_t n[2] = {make_experts((enum form)f, w[0]), make_experts((enum form)g, w[1])};
                if (fault) /* of expert 1's up */
                    for (size_t i = 0; i < n[1]; i++)
                        for (size_t k = 0; k < ARRAY_LEN(w[1][i].v); k++)
                            w[1][i].v[k] += w[1][i].v[k] == of_expert(1, 1, 2, 5) ? 0.25f : 0;
                for (int k = 0; k < 2; k++)
                    make_router(&w[k][n[k]++]);
                const char *a = write_shaped(dir, "t.safetensors", w[0], n[0]),
                           *b = write_shaped(dir, "g.safetensors", w[1], n[1]);
                assert_int_equal(weight_compare_open(&c, a, b, &none, &e) ||
                                     weight_compare_run(&c, kern_select(NULL), 1, NULL, &e),
                                 0);
                /* two fused weights whose rows lie differently are told so */
                bool other = is_fused((enum form)f) && is_fused((enum form)g) &&
                             has_rows_in_turn((enum form)f) != has_rows_in_turn((enum form)g);
                for (size_t i = 0; i < c.pairs.n && other && !fault; i++)
                    if (!is_router(&c, &c.pairs.v[i]) &&
                        (!c.pairs.v[i].why || !strstr(c.pairs.v[i].why, "gate and up are read alternating")))
                        fail_msg("form %d against %d: %s", f, g, c.pairs.v[i].why ? c.pairs.v[i].why : "equal");
                if (c.only[0].n + c.only[1].n || (!other && equal(&c) != c.pairs.n - (size_t)fault) ||
                    weight_compare_verdict(&c) != (fault || other ? STAGE_FAIL : STAGE_PASS))
                    fail_msg("form %d against %d, fault %d: %zu of %zu equal, %zu and %zu alone", f, g, fault,
                             equal(&c), c.pairs.n, c.only[0].n, c.only[1].n);
                for (size_t i = 0; i < c.pairs.n && !other; i++) {
                    const struct weight_pair *p = &c.pairs.v[i];
                    bool single = f < (int)STACKED && g < (int)STACKED;
                    if (p->verdict != WEIGHT_EQUAL && !single &&
                        !strstr(p->why, p->stacks ? "only 1 of 3 experts differ: 1" : "expert 1: "))
                        fail_msg("form %d against %d: %s", f, g, p->why);
                }
                weight_compare_release(&c);
            }
}

/* Biases of gate and up, all experts' in one tensor, in turn or part by part, against single ones and each other. */
static void experts_biases(void **state)
{
    static struct shaped w[2][2 * EXPERTS];
    const char *dir = scratch();
    (void)state;
    for (int f = 0; f < 2; f++)
        for (int g = 0; g < 3; g++) {
            struct weight_compare c;
            struct err e = {0};
            size_t n[2] = {1, g == 2 ? 2 * EXPERTS : 1};
            for (int s = 0; s < 2; s++)
                for (int x = 0; x < EXPERTS; x++)
                    for (int part = 0; part < 2; part++)
                        for (int row = 0; row < ROWS; row++) {
                            bool single = s && g == 2, in_turn = (s ? g : f) == 1;
                            struct shaped *to = &w[s][single ? x * 2 + part : 0];
                            snprintf(to->name, sizeof to->name, "model.layers.1.mlp.experts.%s", "gate_up_proj_bias");
                            if (single)
                                snprintf(to->name, sizeof to->name, "model.layers.1.mlp.experts.%d.%s.bias", x,
                                         part ? "up_proj" : "gate_proj");
                            to->ndim = single ? 1 : 2;
                            to->shape[0] = single ? ROWS : EXPERTS;
                            to->shape[1] = 2 * ROWS;
                            int place = in_turn ? 2 * row + part : part * ROWS + row;
                            to->v[single ? row : x * 2 * ROWS + place] = of_expert(x, part, row, 0);
                        }
            const char *a = write_shaped(dir, "t.safetensors", w[0], n[0]);
            const char *b = write_shaped(dir, "g.safetensors", w[1], n[1]);
            assert_int_equal(weight_compare_open(&c, a, b, &none, &e), 0);
            assert_int_equal(weight_compare_run(&c, kern_select(NULL), 1, NULL, &e), 0);
            bool other = g < 2 && f != g;
            if (c.only[0].n + c.only[1].n || equal(&c) != (other ? 0 : c.pairs.n) ||
                (other && !strstr(c.pairs.v[0].why, "gate and up are read alternating")))
                fail_msg("form %d against %d: %zu of %zu equal, %s", f, g, equal(&c), c.pairs.n, c.pairs.v[0].why);
            weight_compare_release(&c);
        }
}

/* A stack with an expert more than there are single ones, and names that only look like a stack's. */
static void experts_alone(void **state)
{
    static struct shaped w[2][2 * EXPERTS];
    const char *dir = scratch();
    struct weight_compare c;
    struct err e = {0};
    (void)state;
    size_t n = make_experts(STACKED, w[0]);
    make_experts(SINGLE, w[1]);
    const char *a = write_shaped(dir, "t.safetensors", w[0], n),
               *b = write_shaped(dir, "g.safetensors", w[1], 2 * EXPERTS - 2);
    assert_int_equal(weight_compare_open(&c, a, b, &none, &e) || weight_compare_run(&c, kern_select(NULL), 1, NULL, &e),
                     0);
    assert_int_equal(equal(&c), 2 * EXPERTS - 2);
    assert_int_equal(c.only[0].n, 2);
    assert_non_null(strstr(c.warnings.v[0], "1 of its 3 experts are not paired, the first is 2"));
    assert_int_equal(weight_compare_verdict(&c), STAGE_FAIL);
    weight_compare_release(&c);
    snprintf(w[0][0].name, sizeof w[0][0].name, "model.layers.1.mlp.shared_experts.gate_proj");
    a = write_shaped(dir, "t.safetensors", w[0], n);
    assert_int_equal(weight_compare_open(&c, a, b, &none, &e), 0);
    assert_int_equal(c.pairs.n, EXPERTS - 1);
    weight_compare_release(&c);
}

/* One matrix for all experts is not cut where no router tells into how many. */
static void experts_without_router(void **state)
{
    static struct shaped w[2][2 * EXPERTS];
    const char *dir = scratch();
    struct weight_compare c;
    struct err e = {0};
    (void)state;
    for (int f = GROUPED_ROWS; f < FORMS; f++) {
        const char *a = write_shaped(dir, "t.safetensors", w[0], make_experts((enum form)f, w[0])),
                   *b = write_shaped(dir, "g.safetensors", w[1], make_experts(SINGLE_FUSED, w[1]));
        assert_int_equal(weight_compare_open(&c, a, b, &none, &e), 0);
        assert_int_equal(c.pairs.n, 0);
        assert_int_equal(c.only[0].n, 1);
        assert_int_equal(weight_compare_verdict(&c), STAGE_UNKNOWN);
        weight_compare_release(&c);
    }
}

/* Matrices that one side stores (in, out) under a name nobody knows follow the bias of their module. */
static void crossed_beside_a_bias(void **state)
{
    static const float at[] = {0.25f, 0.5f};
    static struct shaped w[2][4];
    const char *dir = scratch();
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 2; k++) {
                struct shaped *m = &w[s][2 * k], *bias = m + 1;
                snprintf(m->name, sizeof m->name, s ? "net.%d.inner.fc.weight" : "net.%d.inner.mapping.weight", k);
                snprintf(bias->name, sizeof bias->name, s ? "net.%d.inner.fc.bias" : "net.%d.inner.mapping.bias", k);
                m->ndim = 2;
                m->shape[0] = s ? ROWS : COLUMNS;
                m->shape[1] = s ? COLUMNS : ROWS;
                bias->ndim = 1;
                bias->shape[0] = ROWS;
                for (int row = 0; row < ROWS; row++) {
                    bias->v[row] = at[k] + (float)row;
                    for (int column = 0; column < COLUMNS; column++)
                        m->v[s ? row * COLUMNS + column : column * ROWS + row] = of_expert(k, 0, row, column);
                }
            }
        w[0][2].v[7] += fault ? 0.5f : 0;
        struct weight_compare c;
        const char *a = write_shaped(dir, "t.safetensors", w[0], 4), *b = write_shaped(dir, "g.safetensors", w[1], 4);
        assert_int_equal(verdict_of(a, b, &c), fault ? STAGE_FAIL : STAGE_PASS);
        assert_int_equal(c.pairs.n, 4);
        assert_int_equal(equal(&c), 4 - fault);
        weight_compare_release(&c);
    }
}

/* Equal weights without a name in common are one if they alone are left with their shape. */
static void lone_equals(void **state)
{
    const struct made t[] = {{"loss.dense.weight", 8, 8, 1, false}, {"loss.output_bias", 5, 0, 2, false}};
    struct made g[] = {{"head.transform.dense.weight", 8, 8, 1, false}, {"head.predictions.bias", 5, 0, 2, false}};
    struct weight_compare c;
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        g[1].seed = fault ? 4 : 2;
        compare_made(&c, t, 2, g, 2);
        assert_int_equal(c.pairs.n, 2 - fault);
        assert_int_equal(weight_compare_verdict(&c), fault ? STAGE_FAIL : STAGE_PASS);
        weight_compare_release(&c);
    }
}

/* What the table of two checkpoints ends with. */
static int table_status(const char *target, const char *golden)
{
    struct session *s = open_paths(target, golden);
    const struct judge_options o = comparison_judge_options(s->now);
    int status = judgement_status(s->now->judged, &o);
    shut(s);
    return status;
}

/* The table is not "aligned" over a weight that it compares with nothing: one on one side only, halves of experts. */
static void table_lacks_partners(void **state)
{
    static struct shaped w[2][2 * EXPERTS + 1];
    const char *dir = scratch();
    (void)state;
    for (int f = SINGLE; f < FORMS; f++) {
        size_t n[2] = {make_experts((enum form)f, w[0]), make_experts(SINGLE, w[1])};
        for (int k = 0; k < 2; k++)
            make_router(&w[k][n[k]++]);
        const char *a = write_shaped(dir, "t.safetensors", w[0], n[0]),
                   *b = write_shaped(dir, "g.safetensors", w[1], n[1]);
        int status = table_status(a, b);
        if (status == 1 || (status == 0 && is_fused((enum form)f) && f >= STACKED))
            fail_msg("form %d: status %d", f, status);
        w[1][0].v[3] += 0.5f; /* of expert 0's gate */
        b = write_shaped(dir, "g.safetensors", w[1], n[1]);
        if (table_status(a, b) == 0)
            fail_msg("form %d: aligned over a changed expert", f);
    }
    size_t n = make_experts(SINGLE, w[0]);
    assert_int_equal(table_status(write_shaped(dir, "t.safetensors", w[0], n),
                                  write_shaped(dir, "g.safetensors", w[0], n - 1)), 5);
}

/* Square matrices that one side stores (in, out) are read transposed in the table too; one that is not, is found. */
static void table_reads_stored_in_out(void **state)
{
    static struct shaped w[2][4];
    const char *dir = scratch();
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        for (int s = 0; s < 2; s++) {
            static const char *const names[2][2] = {{"blocks.0.attention.projection.weight",
                                                     "blocks.0.output.mapping.weight"},
                                                    {"layers.0.attention.dense.weight",
                                                     "layers.0.mlp.dense_h_to_4h.weight"}};
            for (int k = 0; k < 2; k++) {
                struct shaped *m = &w[s][k];
                snprintf(m->name, sizeof m->name, "%s", names[s][k]);
                m->ndim = 2;
                m->shape[0] = k && s ? COLUMNS : ROWS;
                m->shape[1] = k && !s ? COLUMNS : ROWS;
                for (int in = 0; in < ROWS; in++)
                    for (int out = 0; out < (k ? COLUMNS : ROWS); out++)
                        m->v[s || (fault && !k) ? out * ROWS + in : in * m->shape[1] + out] =
                            of_expert(k, 0, in, out);
            }
        }
        assert_int_equal(table_status(write_shaped(dir, "t.safetensors", w[0], 2),
                                      write_shaped(dir, "g.safetensors", w[1], 2)), fault);
    }
}

static void stopped(void **state)
{
    struct weight_compare c;
    struct figures_watch watch = {.cancel = true};
    struct err e = {0};
    (void)state;
    assert_int_equal(weight_compare_open(&c, sample("weights/hf.pth"), sample("weights/llama.ckpt"), &none, &e), 0);
    assert_int_equal(weight_compare_run(&c, kern_select(NULL), 1, &watch, &e), -1);
    assert_int_equal(e.code, ERR_CANCEL);
    weight_compare_release(&c);
}

/* A copy in which one file is a link to nothing. */
static void copy_without(const char *from, const char *to, const char *without)
{
    name_list names = {0};
    struct err e;
    mkdir(to, 0755);
    assert_int_equal(dir_list(from, 100, &names, &e), 0);
    for (size_t i = 0; i < names.n; i++) {
        struct buf b = {0};
        if (strcmp(names.v[i], without) == 0) {
            assert_int_equal(symlink("nowhere", path_in(to, names.v[i])), 0);
            continue;
        }
        assert_int_equal(file_slurp(path_in(from, names.v[i]), 1 << 24, &b, &e), 0);
        put_bytes(to, names.v[i], b.p, b.n);
        buf_release(&b);
    }
    name_list_release(&names);
}

static void compare_paths(struct weight_compare *c, const char *target, const char *golden)
{
    struct err e = {0};
    if (weight_compare_open(c, target, golden, &none, &e) || weight_compare_run(c, kern_select(NULL), 2, NULL, &e))
        fail_msg("%s, %s: %s", target, golden, e.text);
}

/* A part of a checkpoint that cannot be read: what it would hold is not known, and no difference. */
static void unread_part(void **state)
{
    struct weight_compare c;
    const char *whole = sample("weights/made/shard");
    char cut[300];
    (void)state;
    for (int part = 1; part <= 3; part++) /* the last holds the output layer: the embedding stands in for it */
        for (int s = 0; s < 2; s++) {
            char name[96];
            snprintf(name, sizeof name, "model-%05d-of-00003.safetensors", part);
            snprintf(cut, sizeof cut, "%s/cut", scratch());
            copy_without(whole, cut, name);
            compare_paths(&c, s ? cut : whole, s ? whole : cut);
            assert_true(c.only[0].n + c.only[1].n > 0);
            assert_true(c.unread.n > 0);
            assert_int_equal(weight_compare_verdict(&c), STAGE_UNKNOWN);
            weight_compare_release(&c);
        }
    compare_paths(&c, whole, whole);
    assert_int_equal(c.unread.n, 0);
    assert_int_equal(weight_compare_verdict(&c), STAGE_PASS);
    weight_compare_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed),        cmocka_unit_test(arguments),       cmocka_unit_test(one_model),
        cmocka_unit_test(transposed),    cmocka_unit_test(told_heads),      cmocka_unit_test(faults),
        cmocka_unit_test(maps),          cmocka_unit_test(stopped),         cmocka_unit_test(names_of_another_package),
        cmocka_unit_test(unread_part),   cmocka_unit_test(experts_stacked), cmocka_unit_test(experts_biases),
        cmocka_unit_test(experts_alone), cmocka_unit_test(stored_in_out),   cmocka_unit_test(stored_as_biases_tell),
        cmocka_unit_test(sequential_names), cmocka_unit_test(beside_an_optimizer), cmocka_unit_test(copies_on_ranks),
        cmocka_unit_test(a_copy_is_missing), cmocka_unit_test(biases_exchanged), cmocka_unit_test(constants_in_order),
        cmocka_unit_test(fused_in_one_order), cmocka_unit_test(state_of_ranks_is_not_joined),
        cmocka_unit_test(experts_without_router), cmocka_unit_test(crossed_beside_a_bias),
        cmocka_unit_test(lone_equals),
        cmocka_unit_test(table_lacks_partners), cmocka_unit_test(table_reads_stored_in_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
