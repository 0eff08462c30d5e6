/* Weight files of every kind against each other: real ones of MindSpore, torch and Megatron, and shards,
 * splits and damage written in their formats. The samples' model is one and the same in every file. */
#include "support.h"

#include "weights/weight_compare.h"

static struct weight_options none;

static void compare(struct weight_compare *c, const char *target, const char *golden, const struct weight_options *opt)
{
    struct err e = {0};
    if (weight_compare_open(c, sample(target), sample(golden), opt, &e) ||
        weight_compare_run(c, kern_select(NULL), 2, NULL, &e))
        fail_msg("%s, %s: %s", target, golden, e.text);
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
            if (weight_compare_verdict(&c) != WEIGHTS_PASS || equal(&c) != c.pairs.n || c.only[0].n || c.only[1].n)
                fail_msg("%s, turn %d: %zu of %zu pairs equal, %zu and %zu one-sided", path, turn, equal(&c), c.pairs.n,
                         c.only[0].n, c.only[1].n);
            assert_int_equal(c.pairs.n, own ? 39 : 21);
            weight_compare_release(&c);
        }
    }
    /* fused on both sides, in different arrangements */
    compare(&c, "weights/made/mf_stacked.ckpt", "weights/made/mg22", &none);
    assert_int_equal(weight_compare_verdict(&c), WEIGHTS_PASS);
    weight_compare_release(&c);
    compare(&c, "weights/made/mg21", "weights/made/mg222", &none);
    assert_int_equal(weight_compare_verdict(&c), WEIGHTS_PASS);
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
    assert_int_equal(weight_compare_verdict(&c), WEIGHTS_FAIL);
    weight_compare_release(&c);
}

static void told_heads(void **state)
{
    struct weight_compare c;
    struct weight_options opt = {.heads = 4};
    (void)state;
    compare(&c, "weights/llama.safetensors", "weights/megatron.safetensors", &opt);
    assert_int_equal(weight_compare_verdict(&c), WEIGHTS_PASS);
    assert_int_equal(c.warnings.n, 0);
    weight_compare_release(&c);
    opt.heads = 8; /* what a person says is taken, and said to be wrong */
    compare(&c, "weights/llama.safetensors", "weights/megatron.safetensors", &opt);
    assert_int_equal(weight_compare_verdict(&c), WEIGHTS_FAIL);
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
    assert_int_equal(weight_compare_verdict(&c), WEIGHTS_PASS);
    weight_compare_release(&c);
    compare(&c, "weights/made/tied.safetensors", "weights/made/hf.safetensors", &none);
    assert_int_equal(weight_compare_verdict(&c), WEIGHTS_FAIL);
    weight_compare_release(&c);
    compare(&c, "weights/crc.ckpt", "weights/hf.safetensors", &none);
    assert_int_equal(weight_compare_verdict(&c), WEIGHTS_UNKNOWN);
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
    assert_int_equal(weight_compare_verdict(&c), WEIGHTS_PASS);
    weight_compare_release(&c);
    compare(&c, "weights/hf.pth", "weights/llama.ckpt", &opt);
    assert_int_equal(weight_compare_verdict(&c), WEIGHTS_PASS);
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
    int seed;
};

static const char *write_made(const char *dir, const char *name, const struct made *w, size_t n)
{
    struct buf head = {0}, data = {0}, all = {0};
    for (size_t i = 0; i < n; i++) {
        size_t count = (size_t)w[i].rows * (size_t)(w[i].columns ? w[i].columns : 1), from = data.n;
        for (size_t k = 0; k < count; k++) {
            float v = (float)((w[i].seed * 7919 + (int)k * 104729) % 1000) / 997.0f - 0.5f;
            buf_add(&data, &v, sizeof v);
        }
        buf_fmt(&head, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%d", i ? "," : "{", w[i].name, w[i].rows);
        if (w[i].columns)
            buf_fmt(&head, ",%d", w[i].columns);
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

/* One model under other numbers and words: values say which is which, the names they teach where a value differs, the order
 * where a module has one weight; two that were exchanged are paired as they are named. */
static void names_of_another_package(void **state)
{
    struct made t[] = {
        {"features.0.weight", 8, 3, 1},          {"features.1.gamma", 8, 0, 2},           {"features.1.beta", 8, 0, 3},
        {"features.3.layers.0.weight", 8, 8, 4}, {"features.3.layers.1.gamma", 8, 0, 5},  {"features.3.layers.1.beta", 8, 0, 6},
        {"features.4.layers.0.weight", 8, 8, 7}, {"features.4.layers.1.gamma", 8, 0, 8},  {"features.4.layers.1.beta", 8, 0, 9},
    };
    struct made g[] = {
        {"features.0.0.weight", 8, 3, 1},      {"features.0.1.bias", 8, 0, 3},      {"features.0.1.weight", 8, 0, 2},
        {"features.1.conv.0.weight", 8, 8, 4}, {"features.1.conv.1.bias", 8, 0, 6}, {"features.1.conv.1.weight", 8, 0, 5},
        {"features.2.conv.0.weight", 8, 8, 7}, {"features.2.conv.1.bias", 8, 0, 9}, {"features.2.conv.1.weight", 8, 0, 8},
        {"features.0.1.num_batches_tracked", 1, 0, 10}, {"copy.weight", 8, 3, 1},
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
        const char *a = write_made(dir, "t.safetensors", t, ARRAY_LEN(t)), *b = write_made(dir, "g.safetensors", g, ARRAY_LEN(g));
        assert_int_equal(weight_compare_open(&c, a, b, &none, &e) || weight_compare_run(&c, kern_select(NULL), 1, NULL, &e), 0);
        assert_int_equal(c.pairs.n, 9);
        assert_int_equal(equal(&c), fault == 0 ? 9 : fault == 1 ? 8 : 7);
        assert_int_equal(weight_compare_verdict(&c), fault ? WEIGHTS_FAIL : WEIGHTS_PASS);
        assert_int_equal(c.only[0].n + c.only[1].n, 0);
        assert_int_equal(c.aside[1].n, 2); /* the counter and the copy */
        const struct weight_pair *p = of_target(&c, fault == 2 ? "features.3.layers.1.gamma" : "features.3.layers.0.weight");
        assert_true(str_is(c.side[1].list.v[p->weight[1]].name, fault == 2 ? "features.1.conv.1.weight" : "features.1.conv.0.weight"));
        assert_int_equal(p->verdict, fault ? WEIGHT_DIFFERS : WEIGHT_EQUAL);
        weight_compare_release(&c);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed),    cmocka_unit_test(arguments),  cmocka_unit_test(one_model),
        cmocka_unit_test(transposed), cmocka_unit_test(told_heads), cmocka_unit_test(faults),
        cmocka_unit_test(maps),      cmocka_unit_test(stopped),    cmocka_unit_test(names_of_another_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
