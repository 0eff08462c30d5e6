/* Norms of weights from every kind of source, their units, fused weights, lists without names, what stands out,
 * and gradients that are weights. */
#include "support.h"
#include "written.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_read.h"
#include "norms/norms.h"
#include "document/write.h"
#include "norms/norms_section.h"
#include "report/norms_output.h"

static struct norms n;
static struct thresholds tol;
static char dir[256];

/* A model of two layers in MindFormers' names, and the gradient norm of each weight. */
static const struct {
    const char *name;
    double norm;
    int elements;
    bool vector;
} model[] = {
    {"model.tok_embeddings.embedding_weight", 1.17, 8192, false},
    {"model.layers.0.attention_norm.weight", 0.066, 32, true},
    {"model.layers.0.attention.wq.weight", 0.043, 1024, false},
    {"model.layers.0.attention.wk.weight", 0.037, 512, false},
    {"model.layers.0.attention.wv.weight", 1.05, 512, false},
    {"model.layers.0.attention.wo.weight", 0.99, 1024, false},
    {"model.layers.0.ffn_norm.weight", 0.0369, 32, true},
    {"model.layers.0.feed_forward.w1.weight", 0.385, 2816, false},
    {"model.layers.0.feed_forward.w2.weight", 0.389, 2816, false},
    {"model.layers.0.feed_forward.w3.weight", 0.373, 2816, false},
    {"model.norm_out.weight", 0.083, 32, true},
    {"lm_head.weight", 1.14, 8192, false},
};
enum { MODEL = sizeof model / sizeof *model };

/* The same weights as Megatron has them, in the order it lists them; from and count of `model`'s. */
static const struct {
    const char *name;
    int part[3], parts;
} megatron[] = {
    {"embedding.word_embeddings.weight", {0}, 1},
    {"decoder.layers.0.self_attention.linear_proj.weight", {5}, 1},
    {"decoder.layers.0.self_attention.linear_qkv.weight", {2, 3, 4}, 3},
    {"decoder.layers.0.mlp.linear_fc1.weight", {7, 9}, 2},
    {"decoder.layers.0.mlp.linear_fc2.weight", {8}, 1},
    {"output_layer.weight", {11}, 1},
    {"decoder.layers.0.self_attention.linear_qkv.layer_norm_weight", {1}, 1},
    {"decoder.layers.0.mlp.linear_fc1.layer_norm_weight", {6}, 1},
    {"decoder.final_layernorm.weight", {10}, 1},
};
enum { MEGATRON = sizeof megatron / sizeof *megatron };

/* What each of the model's norms is multiplied by in the next file written. */
static double factor[MODEL];

static double fused(int i)
{
    double sum = 0;
    for (int k = 0; k < megatron[i].parts; k++)
        sum += pow(model[megatron[i].part[k]].norm * factor[megatron[i].part[k]], 2);
    return sqrt(sum);
}

static FILE *create(const char *name, char path[1024])
{
    if (!*dir)
        snprintf(dir, sizeof dir, "%s", scratch());
    snprintf(path, 1024, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    return f;
}

static char target[1024], golden[1024], weights[1024];

/* A power of 2: the value printed is the norm or its square. */
static void mindformers_named(const char *name, int power)
{
    FILE *f = create(name, target);
    for (int i = 0; i < MODEL; i++)
        fprintf(f,
                "2025-06-03 09:44:51,898 - mindformers./output/log[callback.py:1360] - INFO - Epoch:[  1/  1], step:[  "
                "  1/ 1200] local_norm/%s: %.9g\n",
                model[i].name, pow(model[i].norm * factor[i], power));
    fclose(f);
}

static void mindformers_list(const char *name, int power, char path[1024])
{
    FILE *f = create(name, path);
    fprintf(f, "INFO -  norm_size: (");
    for (int i = 0; i < MODEL; i++)
        fprintf(f, "%s%d", i ? ", " : "", model[i].elements);
    fprintf(f, ")\nlocal_norm:\n[");
    for (int i = 0; i < MODEL; i++)
        fprintf(f, "%s%.7e", i ? " " : "", pow(model[i].norm * factor[i], power));
    fprintf(f, "]\n");
    fclose(f);
}

static void megatron_named(const char *name, int power)
{
    FILE *f = create(name, golden);
    for (int i = 0; i < MEGATRON; i++)
        fprintf(f, "local_norm step 1 %s: %.6f\n", megatron[i].name, pow(fused(i), power));
    fclose(f);
}

static void megatron_list(const char *name, int digits, const char *behind)
{
    FILE *f = create(name, golden);
    fprintf(f, "print torch local norm:\n[");
    for (int i = 0; i < MEGATRON; i++)
        fprintf(f, "%stensor(%.*f, device='cuda:0')", i ? ", " : "", digits, pow(fused(i), 2));
    fprintf(f, "]\n%s", behind);
    fclose(f);
}

static const struct norm_options plain = {.step = {-1, -1}, .rank = -1, .workers = 1};

static void judge_with(const struct norm_options *given)
{
    struct norm_options o = *given;
    struct err e = {0};
    o.kern = kern_select(NULL);
    if (norms_open(&n, target, golden, &o, &e))
        fail_msg("%s", e.text);
    norms_judge(&n, &tol.norms);
}

static void judge(void)
{
    judge_with(&plain);
}

static bool said(const char *part)
{
    for (size_t i = 0; i < n.warnings.n; i++)
        if (strstr(n.warnings.v[i], part))
            return true;
    return false;
}

static bool advised(const char *part)
{
    for (size_t i = 0; i < n.next.n; i++)
        if (strstr(n.next.v[i], part))
            return true;
    return false;
}

static int setup(void **state)
{
    (void)state;
    thresholds_init(&tol);
    for (int i = 0; i < MODEL; i++)
        factor[i] = 1;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    norms_release(&n);
    return 0;
}

static void apart(int which, double by)
{
    for (int i = 0; i < MODEL; i++)
        factor[i] = 1 + 0.0004 * (i % 3) + (i == which ? by : 0);
}

/* ---- names and parts ---- */

static void named_pair(void **state)
{
    (void)state;
    megatron_named("g.log", 1);
    apart(-1, 0);
    mindformers_named("t.log", 1);
    judge();
    assert_int_equal(n.pairs.n, MEGATRON);
    assert_int_equal(n.only[0].n + n.only[1].n, 0);
    assert_false(n.side[0].square || n.side[1].square);
    assert_int_equal(n.verdict, STAGE_PASS);
    for (size_t i = 0; i < n.pairs.n; i++) {
        const struct norm_pair *p = &n.pairs.v[i];
        assert_true(p->rel < 0.001);
        assert_true(i == 0 || p->rel <= n.pairs.v[i - 1].rel);
        if (strstr(n.side[1].values.v[p->part[1][0]].name, "linear_qkv.weight")) {
            struct buf name = {0};
            assert_int_equal(p->parts[0], 3);
            norm_pair_name(&n, p, &name);
            assert_string_equal(name.p, "decoder.layers.0.self_attention.linear_qkv.weight");
            buf_release(&name);
        }
    }
}

/* Nothing is "the same" over a weight that one side alone has. */
static void one_without_a_partner(void **state)
{
    (void)state;
    for (int lacks = 0; lacks < 3; lacks++) { /* neither side, then the golden one, the target */
        for (int side = 0; side < 2; side++) {
            FILE *f = create(side ? "g.log" : "t.log", side ? golden : target);
            for (int w = 0; w < (lacks == 2 - side ? 2 : 3); w++)
                fprintf(f, "local_norm step 1 %c.weight: %d.5\n", 'a' + w, w + 1);
            fclose(f);
        }
        judge();
        assert_int_equal(n.pairs.n, lacks ? 2 : 3);
        assert_int_equal(n.verdict, lacks ? STAGE_UNKNOWN : STAGE_PASS);
        if (lacks < 2)
            norms_release(&n);
    }
}

static void one_stands_out(void **state)
{
    (void)state;
    megatron_named("g.log", 1);
    apart(0, 0.02);
    mindformers_named("t.log", 1);
    judge();
    assert_true(n.pairs.v[0].outlier);
    assert_string_equal(n.side[1].values.v[n.pairs.v[0].part[1][0]].name, "embedding.word_embeddings.weight");
    assert_int_equal(n.verdict, STAGE_FAIL);
    assert_true(advised("embedding"));
    struct thresholds_norms wide = tol.norms;
    wide.outlier_rel = 0.05; /* moved live: still out, no longer a failure */
    norms_judge(&n, &wide);
    assert_true(n.pairs.v[0].outlier);
    assert_int_equal(n.verdict, STAGE_PASS);
}

static void a_part_that_is_nan(void **state)
{
    (void)state;
    megatron_named("g.log", 1);
    factor[3] = NAN;
    mindformers_named("t.log", 1);
    judge();
    assert_true(isnan(n.pairs.v[0].rel) && n.pairs.v[0].outlier);
    assert_int_equal(n.verdict, STAGE_FAIL);
}

static void all_apart(void **state)
{
    (void)state;
    megatron_named("g.log", 1);
    for (int i = 0; i < MODEL; i++)
        factor[i] = 8;
    mindformers_named("t.log", 1);
    judge();
    assert_int_equal(n.verdict, STAGE_FAIL);
    assert_true(said("8 times the golden norms"));
}

/* ---- units ---- */

static void squares_under_names(void **state)
{
    (void)state;
    megatron_named("g.log", 2); /* a patch that forgot the root */
    mindformers_named("t.log", 1);
    judge();
    assert_false(n.side[0].square);
    assert_true(n.side[1].square);
    assert_int_equal(n.verdict, STAGE_PASS);
    assert_true(said("golden: judging by their size, the values are squares"));
}

static void the_global_norm_decides(void **state)
{
    double sum = 0;
    char behind[512];
    (void)state;
    for (int i = 0; i < MEGATRON; i++)
        sum += pow(fused(i), 4);
    /* the list holds squares; a global norm of the roots of fourth powers would make them norms */
    snprintf(behind, sizeof behind,
             " iteration        1/    1200 | consumed samples:            8 | elapsed time per iteration (ms): 275.4 | "
             "learning rate: 1.000000E-03 | global batch size:     8 | lm loss: 5.622755E+00 | loss scale: 1.0 | grad "
             "norm: %.3f | number of skipped iterations:   0 | number of nan iterations:   0 |\n",
             sqrt(sum));
    megatron_list("g.log", 7, behind);
    mindformers_named("t.log", 2);
    judge();
    assert_int_equal(n.side[1].unit, UNIT_GLOBAL);
    assert_false(n.side[1].square);
    assert_true(said("as norms they match"));
}

/* ---- lists without names ---- */

static void megatrons_list(void **state)
{
    (void)state;
    megatron_list("g.log", 4, "");
    apart(-1, 0);
    mindformers_named("t.log", 1);
    judge();
    assert_true(n.side[1].square);
    assert_int_equal(n.pairs.n, MEGATRON);
    assert_string_equal(n.side[1].order, "order of Megatron, decayed weights first");
    assert_int_equal(n.verdict, STAGE_PASS); /* 4 decimals of squares leave 2 % of the small ones open */
    assert_true(said("have no names"));
    assert_true(said("squares are printed to 0.0001"));
    norms_release(&n);
    apart(0, 0.05); /* only the order is chosen: what stands out stays so */
    mindformers_named("t.log", 1);
    judge();
    assert_int_equal(n.verdict, STAGE_FAIL);
    assert_int_equal(n.pairs.v[0].part[0][0], 0);
}

static void mindformers_own_list(void **state)
{
    (void)state;
    mindformers_list("t.log", 2, target);
    megatron_named("g.log", 1);
    judge();
    assert_string_equal(n.side[0].order, "order of MindFormers");
    assert_int_equal(n.pairs.n, MEGATRON);
    assert_int_equal(n.verdict, STAGE_PASS);
}

static void both_without_names(void **state)
{
    (void)state;
    mindformers_list("t.log", 2, target);
    factor[4] = 1.5;
    mindformers_list("g.log", 2, golden);
    judge();
    assert_int_equal(n.pairs.n, MODEL);
    assert_int_equal(n.pairs.v[0].part[0][0], 4);
    assert_true(said("in the order printed"));
    norms_release(&n);
    megatron_list("g.log", 6, "");
    judge();
    assert_int_equal(n.pairs.n, 0);
    assert_int_equal(n.verdict, STAGE_UNKNOWN);
    assert_true(said("--weights"));
}

/* The model's norms as torch prints a scalar: four decimals, with an exponent below 1e-4, in another order. */
static void torch_list(const char *name, const int *order)
{
    FILE *f = create(name, golden);
    fprintf(f, "print torch local norm:\n[");
    for (int i = 0; i < MODEL; i++) {
        double v = pow(model[order[i]].norm, 2);
        fprintf(f, v < 1e-4 ? "%stensor(%.4e)" : "%stensor(%.4f)", i ? ", " : "", v);
    }
    fprintf(f, "]\n");
    fclose(f);
}

static void another_order_without_names(void **state)
{
    static const int order[MODEL] = {0, 2, 3, 4, 5, 7, 9, 8, 1, 6, 10, 11};
    (void)state;
    for (int fault = 0; fault < 3; fault++) {
        for (int i = 0; i < MODEL; i++)
            factor[i] = fault == 2 ? 1 + 0.4 * i : fault && i == 5 ? 1.5 : 1;
        mindformers_list("t.log", 2, target);
        torch_list("g.log", order);
        judge();
        assert_int_equal(n.pairs.n, fault == 2 ? 0 : MODEL);
        assert_int_equal(n.verdict, fault == 2 ? STAGE_UNKNOWN : fault ? STAGE_FAIL : STAGE_PASS);
        if (fault == 1) {
            assert_int_equal(n.pairs.v[0].part[0][0], 5);
            assert_true(n.pairs.v[0].outlier);
        }
        assert_true(said(fault == 2 ? "--weights" : "their orders differ"));
        norms_release(&n);
    }
}

/* Two steps whose lists are printed behind the record of their step: their sums are the global norms of those. */
static void lists_behind_their_step(void **state)
{
    (void)state;
    FILE *f = create("t.log", target);
    for (int step = 1; step <= 2; step++) {
        double sum = 0;
        for (int i = 0; i < MODEL; i++)
            sum += pow(model[i].norm * step, 2);
        fprintf(f,
                "2025-06-03 09:44:5%d,898 - mindformers[callback.py:344] - INFO - { Epoch:[  1/  1], step:[    %d/    "
                "2], loss: 4.574, per_step_time: 42ms, lr: 0.001, overflow cond: False, loss_scale: 1.0, global_norm: "
                "[%.6f]\nINFO -  norm_size: (", step, step, sqrt(sum));
        for (int i = 0; i < MODEL; i++)
            fprintf(f, "%s%d", i ? ", " : "", model[i].elements);
        fprintf(f, ")\nlocal_norm:\n[");
        for (int i = 0; i < MODEL; i++)
            fprintf(f, "%s%.7e", i ? " " : "", pow(model[i].norm * step, 2));
        fprintf(f, "]\n");
    }
    fclose(f);
    megatron_named("g.log", 1);
    judge();
    assert_int_equal(n.side[0].step, 1);
    assert_int_equal(n.verdict, STAGE_PASS);
    assert_true(said("steps before them"));
}

/* ---- tensors ---- */

/* A .safetensors of the model; value(i, k) is element k of weight i. */
static void tensors(const char *name, char path[1024], double (*value)(int i, int k))
{
    struct buf head = {0};
    uint64_t at = 0, size;
    FILE *f = create(name, path);
    buf_char(&head, '{');
    for (int i = 0; i < MODEL; i++) {
        buf_fmt(&head, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%d%s],\"data_offsets\":[%llu,%llu]}", i ? "," : "",
                model[i].name, model[i].elements, model[i].vector ? "" : ",1", (unsigned long long)at,
                (unsigned long long)(at + 4 * (uint64_t)model[i].elements));
        at += 4 * (uint64_t)model[i].elements;
    }
    buf_char(&head, '}');
    size = head.n;
    fwrite(&size, 8, 1, f);
    fwrite(head.p, 1, head.n, f);
    for (int i = 0; i < MODEL; i++)
        for (int k = 0; k < model[i].elements; k++) {
            float v = (float)value(i, k);
            fwrite(&v, 4, 1, f);
        }
    fclose(f);
    buf_release(&head);
}

static uint64_t file_bytes(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (uint64_t)st.st_size;
}

static double gradient(int i, int k)
{
    return model[i].norm * factor[i] / sqrt(model[i].elements) * (k % 2 ? 1 : -1);
}

static double weight(int i, int k)
{
    return model[i].vector ? 1 : 0.02 * sin(i + 0.1 * k);
}

static void saved_gradients(void **state)
{
    (void)state;
    tensors("t.safetensors", target, gradient);
    megatron_named("g.log", 1);
    judge();
    assert_int_equal(n.side[0].unit, UNIT_TENSOR);
    assert_int_equal(n.side[0].step, -1);
    assert_int_equal(n.pairs.n, MEGATRON);
    assert_int_equal(n.verdict, STAGE_PASS);
}

/* A gradient that is cut off is in no pair and alone on no side; nothing passes then, and what was read may still
 * fail. */
static void unread_gradients(void **state)
{
    (void)state;
    tensors("t.safetensors", target, gradient);
    megatron_named("g.log", 1);
    assert_int_equal(truncate(target, (off_t)(file_bytes(target) - 8)), 0);
    judge();
    assert_int_equal(n.pairs.n, MEGATRON - 1);
    assert_true(n.unread.n >= 1);
    assert_int_equal(n.verdict, STAGE_UNKNOWN);
    norms_release(&n);
    factor[2] = 5;
    tensors("t.safetensors", target, gradient);
    factor[2] = 1;
    assert_int_equal(truncate(target, (off_t)(file_bytes(target) - 8)), 0);
    judge();
    assert_int_equal(n.verdict, STAGE_FAIL);
}

static void gradients_that_are_weights(void **state)
{
    (void)state;
    tensors("w.safetensors", weights, weight);
    tensors("t.safetensors", target, weight);
    megatron_named("g.log", 1);
    judge();
    assert_int_equal(n.verdict, STAGE_FAIL);
    assert_true(said("all ones")); /* norm weights at the start */
    norms_release(&n);
    struct norm_options o = plain;
    o.weights = weights;
    judge_with(&o);
    assert_true(said("12 saved gradients equal weights of the checkpoint"));
    assert_true(advised("param.grad"));
    norms_release(&n);
    tensors("t.safetensors", target, gradient);
    judge_with(&o);
    assert_false(said("equal weights"));
    assert_int_equal(n.verdict, STAGE_PASS);
}

static double trained(int i, int k)
{
    return model[i].vector ? 1 + 0.1 * sin(i + 0.3 * k) : 0.02 * sin(i + 0.1 * k);
}

static void weights_without_a_checkpoint(void **state)
{
    (void)state;
    tensors("t.safetensors", target, trained);
    tensors("g.safetensors", golden, trained);
    judge();
    assert_true(n.not_gradients);
    assert_int_equal(n.verdict, STAGE_UNKNOWN); /* equal, and no gradients */
    assert_true(said("these are weights, not gradients"));
    assert_true(advised("param.grad"));
}

/* One .npy a gradient, numbered as the guide's recipe does; a checkpoint names them. */
static void numbered_files(void **state)
{
    (void)state;
    char folder[512], path[1024];
    tensors("w.safetensors", weights, weight);
    snprintf(folder, sizeof folder, "%.256s/npy", dir);
    mkdir(folder, 0755);
    for (int i = 0; i < MODEL; i++) {
        char head[128];
        snprintf(path, sizeof path, "%s/grad_%d.npy", folder, i);
        FILE *f = fopen(path, "w");
        int len = snprintf(head, sizeof head, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d%s), }",
                           model[i].elements, model[i].vector ? "," : ", 1");
        memset(head + len, ' ', 118 - (size_t)len);
        head[117] = '\n';
        fwrite("\x93NUMPY\1\0\x76\0", 1, 10, f);
        fwrite(head, 1, 118, f);
        for (int k = 0; k < model[i].elements; k++) {
            float v = (float)gradient(i, k);
            fwrite(&v, 4, 1, f);
        }
        fclose(f);
    }
    snprintf(target, sizeof target, "%s", folder);
    megatron_named("g.log", 1);
    struct norm_options o = plain;
    o.weights = weights;
    judge_with(&o);
    assert_string_equal(n.side[0].order, "order of the weights in the file");
    assert_int_equal(n.pairs.n, MEGATRON);
    assert_int_equal(n.verdict, STAGE_PASS);
}

/* ---- real ones ---- */

static void monitor_and_log(void **state)
{
    (void)state;
    snprintf(target, sizeof target, "%s", sample("logs/norms/mindspore_print_local_norm.log"));
    snprintf(golden, sizeof golden, "%s", sample("logs/monitor"));
    judge();
    assert_int_equal(n.side[0].step, 1); /* the log's first step is the monitor's step 0 */
    assert_int_equal(n.side[1].step, 0);
    assert_true(said("step 1 is compared with step 0"));
    assert_true(n.pairs.n > 10);
    assert_int_equal(n.verdict, STAGE_PASS);
    assert_true(n.pairs.v[0].rel < 0.01);
    norms_release(&n);
    struct norm_options o = plain;
    o.step[0] = 1;
    o.step[1] = 1; /* another step on purpose */
    judge_with(&o);
    assert_int_equal(n.side[1].step, 1);
    assert_true(n.pairs.v[0].rel > 0.1);
}

static void a_dumps_gradients(void **state)
{
    (void)state;
    snprintf(target, sizeof target, "%s", sample("clean_mix_stat/ms"));
    snprintf(golden, sizeof golden, "%s", sample("clean_mix_stat/torch"));
    judge();
    assert_string_equal(n.side[0].kind->name, "dump");
    assert_true(n.pairs.n > 10);
    assert_int_equal(n.verdict, STAGE_PASS);
    assert_true(n.pairs.v[0].rel < 1e-5);
}

static void what_is_refused(void **state)
{
    (void)state;
    struct err e = {0};
    struct norm_options o = plain;
    char other[1024];
    o.kern = kern_select(NULL);
    megatron_named("g.log", 1);
    assert_int_equal(norms_open(&n, "/nowhere/x", golden, &o, &e), -1);
    assert_non_null(strstr(e.text, "/nowhere/x"));
    norms_release(&n);
    fclose(create("empty", other));
    assert_int_equal(norms_open(&n, other, golden, &o, &e), -1);
    assert_non_null(strstr(e.text, "expected gradient norms"));
    norms_release(&n);
    assert_int_equal(norms_open(&n, sample("logs/nan/benchmark"), golden, &o, &e), -1);
    assert_non_null(strstr(e.text, "no local norms"));
    norms_release(&n);
    o.step[0] = 7;
    assert_int_equal(norms_open(&n, golden, golden, &o, &e), -1);
    assert_non_null(strstr(e.text, "no local norms at step 7"));
}

static void written(void **state)
{
    (void)state;
    struct out o = {.fd = -1};
    struct err e;
    megatron_named("g.log", 1);
    apart(0, 0.02);
    mindformers_named("t.log", 1);
    judge();
    put_json(&o, norms_json, &n);
    cJSON *root = json_text(str_n(o.buf.p, o.buf.n - 1), "json", &e);
    assert_non_null(root);
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "params"), 0);
    assert_string_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(first, "golden"), 0)->valuestring,
                        "embedding.word_embeddings.weight");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(first, "outlier")));
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "units"), "golden")->valuestring, "norm");
    cJSON_Delete(root);
    buf_clear(&o.buf);
    norms_csv(&o, &n);
    assert_non_null(strstr(o.buf.p, "model.layers.0.attention.wq.weight + model.layers.0.attention.wk.weight + "));
    buf_clear(&o.buf);
    struct document d;
    document_begin(&d);
    norms_section(&d, &n, 9);
    write_text_end(&o.buf, &d);
    assert_int_equal(strncmp(o.buf.p, "fail: ", 6), 0);
    buf_release(&o.buf);
}

/* ---- norms of further ranks ---- */

enum { LINES, FILES, FORMS };

/* The norms of two ranks, in one log or in a table of msprobe monitor each: rank 1 has `by` times the norm of the
 * weight `which`, or with 0 none. */
static void two_ranks(char path[1024], const char *name, int form, int which, double by)
{
    char file[1100];
    FILE *f = NULL;
    if (form == LINES)
        f = create(name, path);
    for (int rank = 0; rank < 2; rank++) {
        if (form == FILES) {
            snprintf(path, 1024, "%s/%s", dir, name);
            mkdir(path, 0755);
            snprintf(file, sizeof file, "%s/rank_%d", path, rank);
            mkdir(file, 0755);
            snprintf(file, sizeof file, "%s/rank_%d/grad_reduced_0-0.csv", path, rank);
            f = fopen(file, "w");
            assert_non_null(f);
            fputs("vpp_stage,name,step,norm\n", f);
        }
        for (int i = 0; i < MODEL; i++) {
            double v = model[i].norm * (rank && i == which ? by : 1) + 1e-6;
            if (rank && i == which && by == 0)
                continue;
            if (form == LINES)
                fprintf(f, "rank %d step 1 %s norm=%.9f\n", rank, model[i].name, v);
            else
                fprintf(f, "0,%s,0,%.9f\n", model[i].name, v);
        }
        if (form == FILES)
            fclose(f);
    }
    if (form == LINES)
        fclose(f);
}

static void norms_of_further_ranks(void **state)
{
    static const struct {
        double by;
        enum stage_verdict verdict;
    } cases[] = {{1, STAGE_PASS}, {1.2, STAGE_FAIL}, {0, STAGE_UNKNOWN}};
    (void)state;
    for (int form = 0; form < FORMS; form++)
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
            for (int swap = 0; swap < 2; swap++) {
                char name[32];
                snprintf(name, sizeof name, "ranks_%d_%zu_%d", form, i, swap);
                two_ranks(swap ? golden : target, name, form, 3, cases[i].by);
                two_ranks(swap ? target : golden, form ? "whole" : "whole.log", form, -1, 1);
                judge();
                assert_int_equal(n.verdict, cases[i].verdict);
                assert_int_equal(n.pairs.n, MODEL);
                if (cases[i].verdict == STAGE_FAIL)
                    assert_true(said("further ranks differ, most: model.layers.0.attention.wk.weight of rank 1"));
                if (cases[i].verdict == STAGE_UNKNOWN)
                    assert_non_null(strstr(n.unread.v[0], "model.layers.0.attention.wk.weight of rank 1"));
                norms_release(&n);
            }
    /* a side with one rank */
    two_ranks(golden, "whole.log", LINES, -1, 1);
    apart(-1, 0);
    mindformers_named("one.log", 1);
    snprintf(target, sizeof target, "%s/one.log", dir);
    judge();
    assert_true(said("are of ranks whose norms the other side does not have"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(norms_of_further_ranks),
        TEST(named_pair),
        TEST(one_without_a_partner),
        TEST(one_stands_out),
        TEST(a_part_that_is_nan),
        TEST(all_apart),
        TEST(squares_under_names),
        TEST(the_global_norm_decides),
        TEST(megatrons_list),
        TEST(mindformers_own_list),
        TEST(both_without_names),
        TEST(another_order_without_names),
        TEST(lists_behind_their_step),
        TEST(saved_gradients),
        TEST(unread_gradients),
        TEST(gradients_that_are_weights),
        TEST(weights_without_a_checkpoint),
        TEST(numbered_files),
        TEST(monitor_and_log),
        TEST(a_dumps_gradients),
        TEST(what_is_refused),
        TEST(written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
