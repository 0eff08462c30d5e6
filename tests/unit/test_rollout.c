/* Trainer against rollout: figures beside NumPy's (reference.json of the sample), every form of file, alignment, and
 * what damaged or strange input comes to. */
#include "draws.h"
#include "support.h"
#include "written.h"

#include <math.h>

#include "base/json_read.h"
#include "document/write.h"
#include "report/rollout_output.h"
#include "rollout/rollout.h"
#include "rollout/rollout_section.h"

static struct rollout r;
static struct thresholds tol;
static char dir[256];

static void open_rollout(const char *train, const char *engine)
{
    struct err e = {0};
    if (rollout_open(&r, train, engine, NULL, &e))
        fail_msg("%s", e.text);
    rollout_judge(&r, &tol.rollout);
}

static const char *refused(const char *train, const char *engine)
{
    static struct err e;
    e = (struct err){0};
    assert_int_equal(rollout_open(&r, train, engine, NULL, &e), -1);
    rollout_release(&r);
    return e.text;
}

static const char *own(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "rollout/%s", name);
    return sample(path);
}

static bool says(const void *list, const char *part)
{
    const VEC(const char *) *l = list;
    for (size_t i = 0; i < l->n; i++)
        if (strstr(l->v[i], part))
            return true;
    return false;
}

/* The command's JSON as a tree; free with cJSON_Delete. */
static cJSON *as_json(void)
{
    struct out o;
    struct err e = {0};
    out_memory(&o);
    put_json(&o, rollout_json, &r);
    cJSON *v = json_text(buf_view(&o.buf), "out.json", &e);
    assert_non_null(v);
    out_close(&o, &e);
    return v;
}

/* ---- beside the reference ---- */

static void beside(const char *name, const char *train, const char *engine, const char *verdict)
{
    struct err e = {0};
    cJSON *all = json_load(own("reference.json"), 1 << 20, &e);
    assert_non_null(all);
    open_rollout(own(train), engine ? own(engine) : NULL);
    cJSON *v = as_json();
    const cJSON *reference = cJSON_GetObjectItem(all, name), *figures = cJSON_GetObjectItem(v, "all");
    assert_true(cJSON_GetArraySize(reference) >= 4);
    for (const cJSON *f = reference->child; f; f = f->next) {
        const cJSON *have = cJSON_GetObjectItem(figures, f->string);
        have = have ? have : cJSON_GetObjectItem(v, f->string);
        assert_true(cJSON_IsNumber(have));
        if (fabs(have->valuedouble - f->valuedouble) > 1e-9 * fmax(1, fabs(f->valuedouble)))
            fail_msg("%s %s: %.12g, NumPy %.12g", name, f->string, have->valuedouble, f->valuedouble);
    }
    assert_string_equal(cJSON_GetObjectItem(v, "verdict")->valuestring, verdict);
    cJSON_Delete(v);
    cJSON_Delete(all);
}

static void figures_are_numpys(void **state)
{
    (void)state;
    beside("verl/honest.pt", "verl/honest.pt", NULL, "pass");
    assert_int_equal(r.rounds.n, 2);
    assert_false(r.fit.shifted || r.fit.scaled || r.fit.renormalised || r.fit.tempered);
    rollout_release(&r);
    beside("lines", "lines/train.jsonl", "lines/rollout.jsonl", "fail");
    assert_int_equal(r.counted[ROLLOUT_TRUNCATED], 1);
    assert_int_equal(r.counted[ROLLOUT_PARTED], 1);
    assert_true(says(&r.bad, "at token 7"));
    rollout_release(&r);
    beside("msprobe", "msprobe/prob_diff_step_10.npy", NULL, "unknown");
    rollout_release(&r);
}

/* Lines as NeMo RL writes them: each is a batch of one, prompts included. */
static void nemo_rl(void **state)
{
    (void)state;
    beside("verl/honest.pt", "nemo_rl/train_data_step4.jsonl", NULL, "pass");
    assert_string_equal(r.side[0].mask, "token_loss_mask");
    assert_true(r.side[0].has_tokens);
    rollout_release(&r);
}

static void slime_in_another_order(void **state)
{
    (void)state;
    beside("slime", "slime/train_3_rank0.pt", "slime/rollout_3.pt", "pass");
    assert_int_equal(r.sequences.v[0].index, 109);
    assert_true(r.rerouted == 6 && r.routed == 690);
    rollout_release(&r);
    /* format 2: both sides in one file, in the order of the rollout */
    beside("verl/honest.pt", "slime/train_3_format2.pt", NULL, "pass");
    rollout_release(&r);
    beside("verl/honest.pt", "slime/train_3_format2.pt", "slime/rollout_3.pt", "pass");
    rollout_release(&r);
    /* the same without the numbers the files give them: tokens alone say which is which */
    open_rollout(own("train.npz"), own("slime/rollout_3.pt"));
    assert_int_equal(r.verdict, STAGE_PASS);
    assert_int_equal(r.all.n, 345);
    rollout_release(&r);
}

/* Tokens drawn from a softmax over many at a temperature the trainer does not know: the log-odds against all others
 * have it as their slope, beside a number they have in common. */
static void drawn(double temperature, const char *train, const char *engine)
{
    struct buf line[2] = {{0}, {0}};
    uint64_t seed = 5;
    for (int side = 0; side < 2; side++)
        buf_cstr(&line[side], "{\"logprobs\": [");
    for (int token = 0; token < 400; token++) {
        double logit[60], sum[2] = {0}, at = draw_share(&seed);
        int k = 0;
        for (int v = 0; v < 60; v++) {
            logit[v] = 2 * draw_normal(&seed);
            sum[0] += exp(logit[v]);
            sum[1] += exp(logit[v] / temperature);
        }
        for (double share = 0; k < 59 && (share += exp(logit[k] / temperature) / sum[1]) < at; k++)
            ;
        buf_fmt(&line[0], "%s%.6f", token ? ", " : "", logit[k] - log(sum[0]));
        buf_fmt(&line[1], "%s%.6f", token ? ", " : "", logit[k] / temperature - log(sum[1]));
    }
    for (int side = 0; side < 2; side++)
        buf_cstr(&line[side], "]}\n");
    put_text(dir, train, line[0].p);
    put_text(dir, engine, line[1].p);
    buf_release(&line[0]);
    buf_release(&line[1]);
}

static void temperatures_over_many_tokens(void **state)
{
    static const double temperatures[] = {0.7, 0.95, 1, 1.2};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(temperatures); i++) {
        char path[2][300];
        drawn(temperatures[i], "t.json", "g.json");
        snprintf(path[0], sizeof path[0], "%s/t.json", dir);
        snprintf(path[1], sizeof path[1], "%s/g.json", dir);
        open_rollout(path[0], path[1]);
        if (r.fit.tempered != (temperatures[i] != 1) || fabs(r.fit.slope - temperatures[i]) > 0.02)
            fail_msg("%g: slope %g", temperatures[i], r.fit.slope);
        rollout_release(&r);
    }
}

static void signs_are_fitted(void **state)
{
    (void)state;
    beside("verl/tempered.pt", "verl/tempered.pt", NULL, "fail");
    assert_true(r.fit.tempered && r.fit.slope < 0.95 && !r.fit.renormalised);
    rollout_release(&r);
    beside("verl/top_p.pt", "verl/top_p.pt", NULL, "fail");
    assert_true(r.fit.renormalised && r.fit.cut_rollout && !r.fit.tempered);
    assert_true(fabs(r.fit.kept - 0.902) < 0.001);
    rollout_release(&r);
    open_rollout(own("train.npz"), own("shifted.npz"));
    assert_true(r.fit.shifted && r.fit.shift == 1);
    rollout_release(&r);
    open_rollout(own("train.npz"), own("bits.npz"));
    assert_true(r.fit.scaled && fabs(r.fit.factor - log(2)) < 0.01 && !r.fit.tempered);
    rollout_release(&r);
}

/* ---- alignment ---- */

static void a_prompt_before_the_response(void **state)
{
    (void)state;
    open_rollout(put_text(dir, "t.json", "{\"tokens\": [7, 8, 9, 1, 2], \"logprobs\": [-1, -1, -1, -0.5, -0.25]}\n"),
                 put_text(dir, "g.json", "{\"tokens\": [1, 2], \"logprobs\": [-0.5, -0.5]}\n"));
    assert_int_equal(r.all.n, 2);
    assert_int_equal(r.sequences.v[0].only[0], 3);
    assert_float_equal(r.all.mean_abs, 0.125, 0);
    assert_int_equal(r.tokens.v[0].id, 1);
    rollout_release(&r);
}

static void lengths_without_tokens_are_unknown(void **state)
{
    (void)state;
    open_rollout(put_text(dir, "t.json", "{\"logprobs\": [-1, -2, -3]}\n"),
                 put_text(dir, "g.json", "{\"logprobs\": [-1, -2]}\n"));
    assert_int_equal(r.verdict, STAGE_UNKNOWN);
    assert_int_equal(r.counted[ROLLOUT_UNALIGNED], 1);
    assert_int_equal(r.all.n, 0);
    rollout_release(&r);
    assert_non_null(strstr(refused(put_text(dir, "t.json", "{\"logprobs\": [[-1], [-2]]}\n"),
                                   put_text(dir, "g.json", "{\"logprobs\": [[-1], [-2], [-3]]}\n")),
                           "cannot be paired"));
}

static void padding_without_a_mask(void **state)
{
    (void)state;
    open_rollout(put_text(dir, "t.json", "{\"logprobs\": [[-1, -2, 0, 0, 0], [-1, -2, -3, -4, -5]]}\n"),
                 put_text(dir, "g.json", "{\"logprobs\": [[-1, -2, -1, -1, -1], [-1, -2, -3, -4, -5]]}\n"));
    assert_int_equal(r.all.n, 7);
    assert_int_equal(r.dropped, 6);
    assert_true(says(&r.warnings, "treated as padding"));
    assert_int_equal(r.verdict, STAGE_PASS);
    rollout_release(&r);
}

static void not_finite_and_no_logarithms(void **state)
{
    (void)state;
    open_rollout(put_text(dir, "t.json", "{\"logprobs\": [-1, NaN, -3]}\n"),
                 put_text(dir, "g.json", "{\"logprobs\": [-1, -2, -Infinity]}\n"));
    assert_int_equal(r.all.nonfinite, 2);
    assert_int_equal(r.verdict, STAGE_FAIL);
    assert_int_equal(r.first, 1);
    rollout_release(&r);
    open_rollout(put_text(dir, "t.json", "{\"logprobs\": [0.9, 0.5]}\n"),
                 put_text(dir, "g.json", "{\"logprobs\": [0.9, 0.5]}\n"));
    assert_int_equal(r.verdict, STAGE_UNKNOWN);
    assert_true(says(&r.unread, "above 0"));
    rollout_release(&r);
}

static void other_rollouts_are_unknown(void **state)
{
    (void)state;
    open_rollout(put_text(dir, "t.json", "{\"tokens\": [1, 2], \"logprobs\": [-1, -2]}\n"),
                 put_text(dir, "g.json", "{\"tokens\": [3, 4], \"logprobs\": [-1, -2]}\n"));
    assert_int_equal(r.verdict, STAGE_UNKNOWN);
    assert_true(says(&r.unread, "different rollouts"));
    rollout_release(&r);
}

static void what_is_no_rollout(void **state)
{
    (void)state;
    assert_non_null(strstr(refused(own("slime/rollout_3.pt"), NULL), "the trainer's log-probabilities"));
    assert_non_null(strstr(refused(own("make.py"), NULL), "expected log-probabilities"));
    assert_non_null(strstr(refused(put_text(dir, "t.json", "{\"loss\": [1]}\n"), NULL), "no log-probabilities"));
    assert_non_null(strstr(refused(own("msprobe/prob_diff_step_10.npy"), own("train.npz")), "give only this file"));
    assert_true(*refused(put_text(dir, "t.json", "{\"logprobs\": [-1}\n"), NULL) != 0);
}

static void told_in_every_form(void **state)
{
    (void)state;
    struct document d;
    struct buf text = {0};
    open_rollout(own("verl/top_p.pt"), NULL);
    document_begin(&d);
    rollout_section(&d, &r, 3);
    write_text_end(&text, &d);
    assert_non_null(strstr(text.p, "renormalised after truncation"));
    assert_non_null(strstr(text.p, "21 sequences with smaller differences"));
    buf_release(&text);
    rollout_release(&r);
}

static void nothing_but_nan(void **state)
{
    (void)state;
    struct document d;
    struct buf text = {0};
    open_rollout(put_text(dir, "t.json", "{\"logprobs\": [NaN, NaN, NaN]}\n"),
                 put_text(dir, "g.json", "{\"logprobs\": [-1, NaN, -2]}\n"));
    assert_int_equal(r.verdict, STAGE_FAIL);
    assert_int_equal(r.all.n, 0);
    document_begin(&d);
    rollout_section(&d, &r, 3);
    write_text_end(&text, &d);
    assert_non_null(strstr(text.p, "first token that diverges"));
    cJSON_Delete(as_json());
    buf_release(&text);
    rollout_release(&r);
}

/* JSON allows an empty name, which holds nothing that is known. */
static void a_name_may_be_empty(void **state)
{
    (void)state;
    open_rollout(put_text(dir, "t.json", "{\"\": [1, 2], \"logprobs\": [[-1, -2], [-2, -3]]}\n"),
                 put_text(dir, "g.json", "{\"logprobs\": [[-1, -2], [-2, -3]]}\n"));
    assert_int_equal(r.all.n, 4);
    rollout_release(&r);
}

/* A truth value is a value of a mask alone. */
static void flags_are_no_log_probabilities(void **state)
{
    static const char *const bad[] = {"{\"logprobs\": [[-1, true], [-2, -3]]}\n",
                                      "{\"logprobs\": [[false, -2], [-2, -3]]}\n",
                                      "{\"logprobs\": [[-1, 1], [-2, -3]], \"response_length\": [2, true]}\n"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        open_rollout(put_text(dir, "t.json", bad[i]),
                     put_text(dir, "g.json", "{\"logprobs\": [[-1, -1], [-2, -3]]}\n"));
        assert_int_not_equal(r.verdict, STAGE_PASS);
        assert_true(says(&r.unread, "found true or false"));
        rollout_release(&r);
    }
    assert_non_null(strstr(refused(put_text(dir, "t.json", "{\"logprobs\": [-1, true]}\n"),
                                   put_text(dir, "g.json", "{\"logprobs\": [-1, -2]}\n")), "found true or false"));
    const char *masked = put_text(dir, "m.json", "{\"logprobs\": [[-1, -2], [-2, -3]], "
                                                 "\"response_mask\": [[true, true], [true, false]]}\n");
    char other[300];
    snprintf(other, sizeof other, "%s", put_text(dir, "n.json", "{\"logprobs\": [[-1, -2], [-2, -3]]}\n"));
    open_rollout(masked, other);
    assert_int_equal(r.verdict, STAGE_PASS);
    assert_int_equal(r.all.n, 3);
    rollout_release(&r);
}

int main(void)
{
    snprintf(dir, sizeof dir, "%s", scratch());
    thresholds_init(&tol);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_numpys),
        cmocka_unit_test(nemo_rl),
        cmocka_unit_test(slime_in_another_order),
        cmocka_unit_test(signs_are_fitted), cmocka_unit_test(temperatures_over_many_tokens),
        cmocka_unit_test(a_prompt_before_the_response),
        cmocka_unit_test(lengths_without_tokens_are_unknown),
        cmocka_unit_test(padding_without_a_mask),
        cmocka_unit_test(not_finite_and_no_logarithms),
        cmocka_unit_test(other_rollouts_are_unknown),
        cmocka_unit_test(what_is_no_rollout),
        cmocka_unit_test(told_in_every_form),
        cmocka_unit_test(nothing_but_nan),
        cmocka_unit_test(a_name_may_be_empty),
        cmocka_unit_test(flags_are_no_log_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
