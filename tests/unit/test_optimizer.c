/* One AdamW step replayed: against torch's own (the sample), against the formula in double, every hypothesis and
 * its flip, configurations by everybody's names, and files that do not fit. */
#include "support.h"
#include "written.h"

#include <math.h>
#include <sys/stat.h>

#include "base/json_read.h"
#include "optimizer/optimizer.h"
#include "document/write.h"
#include "optimizer/optimizer_section.h"
#include "report/optimizer_output.h"

static struct optimizer x;
static struct thresholds tol;
static char dir[256];

static int run_folders(const char *target, const char *golden, struct err *e)
{
    const struct step_options o = {.workers = 2, .kern = kern_select(NULL)};
    return optimizer_run(&x, target, golden, &o, &tol, e);
}

static bool said(const char *part)
{
    for (size_t i = 0; i < x.warnings.n; i++)
        if (strstr(x.warnings.v[i], part))
            return true;
    return false;
}

static int setup(void **state)
{
    (void)state;
    thresholds_init(&tol);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    optimizer_release(&x);
    return 0;
}

/* ---- torch's steps ---- */

static void a_case(const char *name)
{
    char target[512], golden[512];
    struct err e = {0};
    optimizer_release(&x);
    snprintf(target, sizeof target, "%.400s/%s/target", sample("optimizer"), name);
    snprintf(golden, sizeof golden, "%.400s/%s/golden", sample("optimizer"), name);
    if (run_folders(target, golden, &e))
        fail_msg("%s: %s", name, e.text);
    assert_true(x.side[1].reproduced);
}

static void torch_is_reproduced(void **state)
{
    (void)state;
    static const char *const clean[] = {"clean", "third_step"};
    for (size_t i = 0; i < 2; i++) {
        a_case(clean[i]);
        assert_true(x.side[0].reproduced);
        assert_true(x.side[0].residual < 1e-6);
        assert_int_equal(x.verdict, STAGE_PASS);
        assert_int_equal(x.reasons.n, 0);
        assert_int_equal(x.pairs, 5);
        assert_true(said("beta1 and beta2 cannot be checked") == (i == 0));
        assert_true((strstr(x.next.v[0], "to check the betas") != NULL) == (i == 0));
    }
}

static void faults_are_named(void **state)
{
    static const struct {
        const char *name, *what;
        double value;
    } cases[] = {
        {"eps", "eps", 1e-4},         {"decay_1d", "decay_1d", 1}, {"no_clip", "clip", 0},   {"no_bias_correction", "bias_correction", 0},
        {"lr", "lr", 9.5e-4},         {"beta2", "beta2", 0.999},   {"grads", "grads", NAN},  {"before", "before", NAN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        a_case(cases[i].name);
        assert_int_equal(x.verdict, STAGE_FAIL);
        assert_true(x.reasons.n > 0);
        assert_string_equal(x.reasons.v[0].what, cases[i].what);
        assert_int_equal(x.reasons.v[0].side, 0);
        if (isnan(cases[i].value))
            assert_true(isnan(x.reasons.v[0].value));
        else
            assert_true(fabs(x.reasons.v[0].value - cases[i].value) <= 1e-6 * cases[i].value);
        assert_int_equal(x.next.n, 1);
    }
    a_case("no_clip"); /* at step 1 clipping and eps are one quotient */
    assert_true(said("distinguish clip from eps"));
}

static void two_reasons(void **state)
{
    (void)state;
    a_case("two");
    assert_int_equal(x.reasons.n, 2);
    assert_string_equal(x.reasons.v[0].what, "eps");
    assert_true(fabs(x.reasons.v[0].value - 1e-4) < 1e-7);
    assert_string_equal(x.reasons.v[1].what, "decay_1d");
    assert_true(said("these together do"));
    assert_int_equal(x.next.n, 2);
}

/* ---- steps made here ---- */

/* A side's folder: two weights, one of them a vector; long ones cross the blocks. */
struct made {
    double lr, beta1, beta2, eps, decay, clip;
    bool decay_1d, uncorrected, halves;
    long n;             /* elements of the matrix */
    double grad_factor; /* of the matrix's gradient */
    const char *names[2], *hyper;
    bool no_hyper, nan_after;
};

static const struct made usual = {.lr = 1e-3,
                                  .beta1 = 0.9,
                                  .beta2 = 0.95,
                                  .eps = 1e-8,
                                  .decay = 0.1,
                                  .clip = 1,
                                  .n = 20000,
                                  .grad_factor = 1,
                                  .names = {"model.layers.0.feed_forward.w2.weight", "model.norm_out.weight"}};

static void write_set(const char *folder, const char *name, const char *const names[2], const float *a, long n,
                      const float *b, long m)
{
    char path[1024];
    struct buf head = {0};
    snprintf(path, sizeof path, "%.512s/%s.safetensors", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    buf_fmt(&head,
            "{\"%s\":{\"dtype\":\"F32\",\"shape\":[%ld,10],\"data_offsets\":[0,%ld]},\"%s\":{\"dtype\":\"F32\","
            "\"shape\":[%ld],\"data_offsets\":[%ld,%ld]}}",
            names[0], n / 10, 4 * n, names[1], m, 4 * n, 4 * (n + m));
    uint64_t size = head.n;
    fwrite(&size, 8, 1, f);
    fwrite(head.p, 1, head.n, f);
    fwrite(a, 4, (size_t)n, f);
    fwrite(b, 4, (size_t)m, f);
    fclose(f);
    buf_release(&head);
}

static double random_at(uint32_t *s)
{
    *s = *s * 1664525u + 1013904223u;
    return (*s >> 8) / 16777216.0 * 2 - 1;
}

static float half(double v)
{
    return (float)dtype_round(DTYPE_BF16, v);
}

/* The formula in double: the weights of a step, written with what it is said to have been. */
static const char *make(const char *name, const struct made *m, const struct made *stated)
{
    static char folder[4][512];
    static int next;
    char *p = folder[next++ % 4];
    const long size[2] = {m->n, 40};
    float *w[2], *g[2], *a[2];
    double norm = 0;
    uint32_t seed = 11;
    if (!*dir)
        snprintf(dir, sizeof dir, "%s", scratch());
    snprintf(p, sizeof folder[0], "%.200s/%s", dir, name);
    mkdir(p, 0755);
    for (int i = 0; i < 2; i++) {
        w[i] = malloc((size_t)size[i] * 4);
        g[i] = malloc((size_t)size[i] * 4);
        a[i] = malloc((size_t)size[i] * 4);
        for (long k = 0; k < size[i]; k++) {
            w[i][k] = m->halves ? half(0.2 * random_at(&seed)) : (float)(0.2 * random_at(&seed));
            g[i][k] = (float)(exp(4 * random_at(&seed)) * random_at(&seed) * 0.01 * (i ? 1 : m->grad_factor));
            norm += (double)g[i][k] * g[i][k];
        }
    }
    norm = sqrt(norm);
    double scale = m->clip > 0 && norm > m->clip ? m->clip / (norm + 1e-6) : 1;
    for (int i = 0; i < 2; i++)
        for (long k = 0; k < size[i]; k++) {
            double q = g[i][k] * scale, c1 = m->uncorrected ? 1 : 1 - m->beta1, c2 = m->uncorrected ? 1 : 1 - m->beta2;
            double u = (1 - m->beta1) * q / c1 / (sqrt((1 - m->beta2) * q * q / c2) + m->eps);
            double decay = i == 0 || m->decay_1d ? m->decay : 0;
            double out = w[i][k] * (1 - m->lr * decay) - m->lr * u;
            a[i][k] = m->halves ? half(out) : (float)out;
        }
    if (m->nan_after)
        a[0][5] = NAN;
    write_set(p, "before", m->names, w[0], m->n, w[1], 40);
    write_set(p, "grad", m->names, g[0], m->n, g[1], 40);
    write_set(p, "after", m->names, a[0], m->n, a[1], 40);
    for (int i = 0; i < 2; i++) {
        free(w[i]);
        free(g[i]);
        free(a[i]);
    }
    char path[1024];
    snprintf(path, sizeof path, "%.512s/hyper.json", p);
    remove(path);
    if (!m->no_hyper) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        if (m->hyper)
            fputs(m->hyper, f);
        else
            fprintf(f,
                    "{\"step\": 1, \"lr\": %g, \"beta1\": %g, \"beta2\": %g, \"eps\": %g, \"weight_decay\": %g, "
                    "\"decay_1d\": %s, \"clip\": %g}",
                    stated->lr, stated->beta1, stated->beta2, stated->eps, stated->decay,
                    stated->decay_1d ? "true" : "false", stated->clip);
        fclose(f);
    }
    return p;
}

static void compare(const struct made *target, const struct made *golden)
{
    struct err e = {0};
    optimizer_release(&x);
    const char *t = make("t", target, golden), *g = make("g", golden, golden);
    if (run_folders(t, g, &e))
        fail_msg("%s", e.text);
}

static void explained(const char *what, double value)
{
    assert_int_equal(x.verdict, STAGE_FAIL);
    assert_false(x.side[0].reproduced);
    assert_true(x.reasons.n > 0);
    assert_string_equal(x.reasons.v[0].what, what);
    if (!isnan(value) && !(fabs(x.reasons.v[0].value - value) <= 0.01 * value))
        fail_msg("%s %g, %g expected", what, x.reasons.v[0].value, value);
}

static void formula_in_double(void **state)
{
    (void)state;
    struct made big = usual;
    compare(&usual, &usual);
    assert_true(x.side[0].reproduced && x.side[1].reproduced);
    assert_int_equal(x.verdict, STAGE_PASS);
    assert_int_equal(x.differing, 0);
    big.n = 1200000; /* more than the sample holds */
    compare(&big, &big);
    assert_true(x.side[0].sample.n < 1000000);
    assert_int_equal(x.verdict, STAGE_PASS);
    struct made fault = big;
    fault.eps = 1e-5;
    compare(&fault, &big);
    explained("eps", 1e-5);
}

static void each_hypothesis(void **state)
{
    (void)state;
    struct made m = usual;
    m.lr = 2e-3;
    compare(&m, &usual);
    explained("lr", 2e-3);
    m = usual, m.decay = 0.03;
    compare(&m, &usual);
    explained("weight_decay", 0.03);
    m = usual, m.decay = 0;
    compare(&m, &usual);
    explained("weight_decay", 0);
    m = usual, m.eps = 3.3e-5; /* no round number */
    compare(&m, &usual);
    explained("eps", 3.3e-5);
    m = usual, m.decay_1d = true;
    compare(&m, &usual);
    explained("decay_1d", 1);
    m = usual, m.uncorrected = true;
    compare(&m, &usual);
    explained("bias_correction", 0);
    m = usual, m.clip = 0;
    compare(&m, &usual);
    explained("clip", 0);
    struct made g = usual;
    g.halves = true, g.lr = 0.01; /* both from weights that bfloat16 holds; one keeps float32 masters */
    m = g;
    g.halves = false;
    compare(&m, &g);
    assert_string_equal(x.reasons.v[0].what, "master_weights");
    assert_string_equal(x.reasons.v[0].text, "bfloat16");
}

static void nothing_moved(void **state)
{
    (void)state;
    struct made m = usual;
    m.lr = 0;
    compare(&m, &usual);
    assert_true(said("no weight changed"));
    compare(&usual, &usual);
    assert_false(said("no weight changed"));
}

static void golden_may_be_wrong(void **state)
{
    (void)state;
    struct made g = usual;
    struct err e = {0};
    g.eps = 1e-4;
    const char *t = make("t", &usual, &usual), *p = make("g", &g, &usual);
    assert_int_equal(run_folders(t, p, &e), 0);
    assert_true(x.side[0].reproduced);
    assert_false(x.side[1].reproduced);
    assert_int_equal(x.reasons.v[0].side, 1);
    assert_string_equal(x.reasons.v[0].what, "eps");
}

static void stated_otherwise(void **state)
{
    (void)state;
    struct made m = usual;
    struct err e = {0};
    m.decay = 0.05;
    const char *t = make("t", &m, &m), *g = make("g", &usual, &usual);
    assert_int_equal(run_folders(t, g, &e), 0);
    assert_true(x.side[0].reproduced && x.side[1].reproduced);
    assert_int_equal(x.verdict, STAGE_FAIL);
    assert_string_equal(x.reasons.v[0].what, "weight_decay");
    assert_true(fabs(x.reasons.v[0].value - 0.05) < 1e-12);
}

static void gradients_apart(void **state)
{
    (void)state;
    struct made m = usual;
    m.grad_factor = 1.001; /* honest */
    compare(&m, &usual);
    assert_int_equal(x.verdict, STAGE_PASS);
    m.grad_factor = 1.5;
    compare(&m, &usual);
    assert_int_equal(x.verdict, STAGE_FAIL);
    assert_string_equal(x.reasons.v[0].what, "grads");
}

static void other_names(void **state)
{
    (void)state;
    struct made g = usual;
    g.names[0] = "decoder.layers.0.mlp.linear_fc2.weight";
    g.names[1] = "decoder.final_layernorm.weight";
    compare(&usual, &g);
    assert_int_equal(x.pairs, 2);
    assert_int_equal(x.verdict, STAGE_PASS);
}

static void not_a_number(void **state)
{
    (void)state;
    struct made m = usual;
    m.nan_after = true;
    compare(&m, &usual);
    assert_false(x.side[0].reproduced);
    assert_int_equal(x.verdict, STAGE_FAIL);
    assert_true(said("no hypothesis explains"));
}

static void without_a_configuration(void **state)
{
    (void)state;
    struct made m = usual;
    m.no_hyper = true;
    compare(&m, &usual);
    assert_true(said("those of the other side are used"));
    assert_int_equal(x.verdict, STAGE_PASS);
    compare(&m, &m);
    assert_true(said("defaults of torch.optim.AdamW"));
    assert_int_equal(x.verdict, STAGE_PASS); /* both arrive at the same weights */
    assert_int_equal(x.reasons.n, 0);
    m = usual, m.hyper = "{\"step\": 4, \"lr\": 0.001}";
    compare(&m, &m);
    assert_false(x.side[0].replayed);
    assert_true(said("without the moments"));
    struct made other = m;
    other.eps = 1e-4;
    compare(&other, &m);
    assert_int_equal(x.verdict, STAGE_UNKNOWN);
}

/* ---- configurations ---- */

static struct hyper_params h;

static int load(const char *name, const char *text, struct err *e)
{
    if (!*dir)
        snprintf(dir, sizeof dir, "%s", scratch());
    hyper_params_release(&h);
    return hyper_params_load(&h, put_text(dir, name, text), e);
}

static void near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-12 * fabs(b));
}

static void everybodys_names(void **state)
{
    (void)state;
    struct err e;
    assert_int_equal(load("hyper.json",
                          "{\"adam_beta1\": 0.8, \"adam_beta2\": 0.7, \"adam_eps\": 1e-6, \"lr\": 3e-4, "
                          "\"weight_decay\": 0.2, \"clip_grad\": 2}",
                          &e),
                     0);
    near(h.v[HYPER_BETA1], 0.8);
    near(h.v[HYPER_BETA2], 0.7);
    near(h.v[HYPER_EPS], 1e-6);
    near(h.v[HYPER_LR], 3e-4);
    near(h.v[HYPER_CLIP], 2);
    assert_false(h.has[HYPER_STEP]);
    assert_int_equal(load("b.yaml",
                          "optimizer:\n  type: AdamW\n  betas: [0.9, 0.98]\n  eps: 1.e-7\n  weight_decay: "
                          "0.01\nlr_schedule:\n  learning_rate: 5.e-5\nrunner_wrapper:\n  use_clip_grad: False\n  "
                          "max_grad_norm: 1.0\nmodel:\n  step: 7\n",
                          &e),
                     0);
    near(h.v[HYPER_BETA2], 0.98);
    near(h.v[HYPER_EPS], 1e-7);
    near(h.v[HYPER_LR], 5e-5);
    assert_true(h.has[HYPER_CLIP] && h.v[HYPER_CLIP] == 0); /* the switch beats the limit */
    assert_false(h.has[HYPER_STEP]);                         /* some other step */
    assert_string_equal(h.optimizer, "AdamW");
    assert_int_equal(load("train.sh",
                          "torchrun pretrain_gpt.py --num-layers 2 --lr 2e-4 --adam-beta2 0.97 --weight-decay 0.3 "
                          "--clip-grad 0.5\n",
                          &e),
                     0);
    near(h.v[HYPER_BETA2], 0.97);
    near(h.v[HYPER_CLIP], 0.5);
    near(h.v[HYPER_DECAY], 0.3);
    assert_int_equal(load("hyper.json",
                          "{\"learning_rate\": \"1e-05\", \"adam_epsilon\": 1e-8, \"max_grad_norm\": 1.0, "
                          "\"decay_1d\": true, \"turbo\": 1}",
                          &e),
                     0);
    near(h.v[HYPER_LR], 1e-5);
    assert_true(h.v[HYPER_DECAY_1D] == 1);
    assert_int_equal(h.unknown.n, 1);
    assert_string_equal(h.unknown.v[0], "turbo");
}

static void bad_configurations(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"{\"lr\": ", "line 2"},
        {"just words", "found a single text"},
        {"{\"beta1\": 1.5}", "expected numbers from 0 to below 1 for beta1 and beta2"},
        {"{\"eps\": -1}", "expected a number of at least 0 for eps"},
        {"{\"step\": 0}", "expected a step number of at least 1"},
        {"{\"lr\": .inf, \"lr\": Infinity}", "expected a finite number for lr"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "nested levels"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        assert_int_equal(load("hyper.json", bad[i].text, &e), -1);
        if (!strstr(e.text, bad[i].message) || !strstr(e.text, "hyper.json"))
            fail_msg("\"%s\" does not say \"%s\"", e.text, bad[i].message);
    }
    hyper_params_release(&h);
}

static void what_is_refused(void **state)
{
    (void)state;
    struct err e = {0};
    char path[1024];
    const char *g = make("g", &usual, &usual), *t = make("t2", &usual, &usual);
    assert_int_equal(run_folders("/nowhere", g, &e), -1);
    assert_non_null(strstr(e.text, "/nowhere"));
    optimizer_release(&x);
    snprintf(path, sizeof path, "%.512s/grad.safetensors", t);
    remove(path);
    assert_int_equal(run_folders(t, g, &e), -1);
    assert_non_null(strstr(e.text, "found no \"grad\""));
    optimizer_release(&x);
    FILE *f = fopen(path, "wb"); /* a header that promises more than there is */
    fwrite("\x60\0\0\0\0\0\0\0{\"model.norm_out.weight\":{\"dtype\":\"F32\",\"shape\":[40],\"data_offsets\":[0,160]}}  "
           "                     ",
           1, 104, f);
    fclose(f);
    assert_int_equal(run_folders(t, g, &e), -1);
    assert_true(e.text[0]);
}

static void written(void **state)
{
    (void)state;
    struct out o = {.fd = -1};
    struct err e;
    struct made m = usual;
    m.decay_1d = true;
    compare(&m, &usual);
    put_json(&o, optimizer_json, &x);
    cJSON *root = json_text(str_n(o.buf.p, o.buf.n - 1), "json", &e);
    assert_non_null(root);
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "explains"), 0);
    assert_string_equal(cJSON_GetObjectItem(first, "side")->valuestring, "target");
    assert_string_equal(cJSON_GetObjectItem(first, "what")->valuestring, "decay_1d");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(first, "value")));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "reproduced"), "target")));
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "worst"), 0), "param")
                            ->valuestring,
                        usual.names[1]);
    cJSON_Delete(root);
    buf_clear(&o.buf);
    struct document d;
    document_begin(&d);
    optimizer_section(&d, &x);
    write_text_end(&o.buf, &d);
    assert_int_equal(strncmp(o.buf.p, "fail: ", 6), 0);
    assert_non_null(strstr(o.buf.p, "decay_1d = yes"));
    buf_release(&o.buf);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(torch_is_reproduced), TEST(faults_are_named),   TEST(two_reasons),         TEST(formula_in_double),
        TEST(each_hypothesis),     TEST(nothing_moved),      TEST(golden_may_be_wrong), TEST(stated_otherwise),
        TEST(gradients_apart),     TEST(other_names),        TEST(not_a_number),        TEST(without_a_configuration),
        TEST(everybodys_names),    TEST(bad_configurations), TEST(what_is_refused),     TEST(written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
