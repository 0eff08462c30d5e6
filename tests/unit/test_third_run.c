/* The runs beside: a second golden run as the noise to expect, a reference, and what is drawn from the flow. */
#include "sessions.h"
#include "tensors.h"

#include <math.h>
#include <unistd.h>

#include "base/msg.h"
#include "compare/input_doubts.h"
#include "judge/call_error.h"
#include "diagnose/diagnose.h"
#include "judge/verdict_text.h"

static struct session *open_beside(const char *target, const char *golden, const char *golden2, const char *reference,
                                   struct err *e)
{
    struct session *s = calloc(1, sizeof *s);
    struct session_options o = {.of.path = {target, golden},
                                .of.golden2 = golden2,
                                .of.reference = reference,
                                .of.step = {-1, -1},
                                .of.rank = {-1, -1}};
    thresholds_init(&o.of.tol);
    if (session_start(s, &o, e) || session_wait(s, e)) {
        session_stop(s);
        free(s);
        return NULL;
    }
    return s;
}

static const char *first_call(const struct session *s)
{
    static char name[200];
    assert_int_not_equal(s->now->judged->first, NONE);
    struct str n =
        dump_call_name(&s->now->side[0].dump,
                       s->now->side[0].dump.rows.v[s->now->pairing->lines.v[s->now->judged->first].row[0]].call);
    snprintf(name, sizeof name, "%.*s", STR_ARG(n));
    return name;
}

/* The golden run against itself as band says nothing; a reference equal to the golden side says which is right. */
static void reference_takes_a_side(void **state)
{
    struct err e;
    (void)state;
    const char *t = sample("tt_dropout/target"), *g = sample("tt_dropout/bench");
    struct session *plain = open_beside(t, g, NULL, NULL, &e), *s = open_beside(t, g, g, g, &e);
    assert_non_null(plain);
    assert_non_null(s);
    assert_int_equal(s->now->judged->first, plain->now->judged->first);
    assert_int_equal(s->now->judged->sum.by[VERDICT_DEVIATE], plain->now->judged->sum.by[VERDICT_DEVIATE]);
    struct buf b = {0};
    size_t nearer[2] = {0}, told = 0;
    for (uint32_t i = 0; i < s->now->judged->lines; i++) {
        int n = third_run_nearer(&s->now->reference, s->now->pairing->lines.v[i].row);
        told += n != -2;
        if (n >= 0)
            nearer[n]++;
    }
    assert_true(told > 300 && nearer[GOLDEN] > 50 && nearer[TARGET] == 0);
    uint32_t bad = s->now->judged->first;
    for (uint32_t i = bad; i < s->now->judged->lines && !b.n; i++)
        if (third_run_nearer(&s->now->reference, s->now->pairing->lines.v[i].row) == GOLDEN)
            explain_reference(&s->now->reference, s->now->pairing->lines.v[i].row, &b);
    assert_non_null(strstr(b.p, "the golden side is closer"));
    buf_release(&b);
    shut(plain);
    shut(s);
}

/* The target may be 1.5 times as far from the reference as the golden side; our verdicts stay what they are. */
static void three_runs(void **state)
{
    static const struct {
        const char *target, *golden;
        bool pass, fail;
    } cases[] = {
        {"tt_rope/bench", "tt_rope/target", true, false},   /* the target is the reference itself, the golden side is not */
        {"tt_bf16/target", "tt_rope/target", true, true},   /* bfloat16 against a golden side off by 1e-4 in a part */
        {"tt_bf16/target", "tt_rope/bench", true, false},   /* the golden side is the reference: nothing tells */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err e;
        struct buf t = {0}, g = {0}, said = {0};
        buf_cstr(&t, sample(cases[i].target));
        buf_cstr(&g, sample(cases[i].golden));
        struct session *plain = open_beside(t.p, g.p, NULL, NULL, &e),
                       *s = open_beside(t.p, g.p, NULL, sample("tt_rope/bench"), &e);
        assert_non_null(plain);
        assert_non_null(s);
        struct three_way_sum x = third_run_three_way_sum(&s->now->reference, s->now->pairing);
        print_message("%s: %u pass, %u fail, %u untold\n", cases[i].target, x.pass, x.fail, x.untold);
        assert_int_equal(x.pass > 0, cases[i].pass);
        assert_int_equal(x.fail > 0, cases[i].fail);
        assert_int_equal(x.first == NONE, !cases[i].fail);
        assert_int_equal(x.pass + x.fail + x.untold, s->now->judged->sum.pairs);
        for (uint32_t l = 0; l < s->now->judged->lines; l++)
            assert_int_equal(s->now->judged->line[l].verdict, plain->now->judged->line[l].verdict);
        if (cases[i].fail) {
            explain_reference(&s->now->reference, s->now->pairing->lines.v[x.first].row, &said);
            assert_non_null(strstr(said.p, "three-way: fails"));
        }
        buf_release(&t);
        buf_release(&g);
        buf_release(&said);
        shut(plain);
        shut(s);
    }
}

/* The deviating run as band of itself: everything it does is expected. */
static void band_replaces_the_level(void **state)
{
    struct err e;
    (void)state;
    const char *t = sample("tt_bf16/target"), *g = sample("tt_bf16/bench");
    struct session *s = open_beside(t, g, t, NULL, &e);
    assert_non_null(s);
    bool used = false;
    for (uint32_t i = 0; i < s->now->judged->lines; i++) {
        const struct line_judgement *x = &s->now->judged->line[i];
        if (!(x->flags & LINE_BAND))
            continue;
        used = true;
        assert_true(fabsf(x->level - s->now->golden2.error[GOLDEN][s->now->pairing->lines.v[i].row[GOLDEN]]) <=
                    1e-6f * x->level);
        assert_int_not_equal(x->verdict, VERDICT_DEVIATE); /* its error is the band's, or as good as */
    }
    assert_true(used);
    shut(s);
}

static void statistics_have_a_band_too(void **state)
{
    struct err e;
    (void)state;
    const char *t = sample("noise_tf32_stat/target"), *g = sample("noise_tf32_stat/bench");
    struct session *s = open_beside(t, g, t, g, &e);
    assert_non_null(s);
    size_t band = 0, ref = 0;
    for (uint32_t i = 0; i < s->now->judged->lines; i++) {
        const uint32_t *row = s->now->pairing->lines.v[i].row;
        band += row[GOLDEN] != NONE && s->now->golden2.error[GOLDEN][row[GOLDEN]] > 0;
        ref += third_run_nearer(&s->now->reference, row) == GOLDEN;
    }
    assert_true(band > 100 && ref > 100);
    shut(s);
}

static void companions_that_do_not_fit(void **state)
{
    struct err e = {0};
    (void)state;
    assert_null(open_beside(sample("tt_dropout/target"), sample("tt_dropout/bench"), "/nonexistent/dump", NULL, &e));
    assert_non_null(strstr(e.text, "/nonexistent/dump"));
    assert_null(open_beside(sample("tt_dropout/target"), sample("tt_dropout/bench"), NULL, sample("msdump/ms"), &e));
    assert_non_null(strstr(e.text, "none of the golden rows"));
}

/* On whole recordings: where it enters, and what it looks like. */
static void faults_are_named(void **state)
{
    static const struct {
        const char *target, *golden, *call;
        int id;
    } cases[] = {
        {"tt_dropout/target", "tt_dropout/bench", "Functional.dropout.2.forward", DIAGNOSIS_DROPOUT},
        {"tt_nan_mask/target", "tt_nan_mask/bench", "Tensor.__mul__.18.forward", DIAGNOSIS_MASK},
        {"tt_rope/target", "tt_rope/bench", "Torch.outer.0.forward", DIAGNOSIS_ROPE},
        {"tt_bf16/target", "tt_bf16/bench", "Functional.linear.4.forward", DIAGNOSIS_PERMUTED},
        {"llama_rope/ms", "llama_rope/torch", "Functional.mul.0.forward", DIAGNOSIS_ROPE},
        {"tt_backward/target", "tt_backward/bench", "Functional.linear.0.backward", DIAGNOSIS_ZERO_GRADIENT},
        {"llama_weight/ms", "llama_weight/torch", "Primitive.matmul.MatMul.8.forward", DIAGNOSIS_PERMUTED},
        {"overflow_stat/ms", "overflow_stat/torch", "Functional.add.3.forward", DIAGNOSIS_NONFINITE},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct session *s = open_paths(sample(cases[c].target), sample(cases[c].golden));
        struct diagnoses d;
        assert_string_equal(first_call(s), cases[c].call);
        diagnose_line(&d, s->now->judged, &s->now->measure, s->now->flow, s->now->judged->first);
        if (!d.n || d.v[0].id != cases[c].id)
            fail_msg("%s: %s", cases[c].target, d.n ? d.v[0].evidence : "nothing");
        diagnoses_release(&d);
        const struct judgement *j = s->now->judged;
        bool listed = false;
        for (size_t i = 0; i < j->start_groups.n; i++) {
            assert_true(!i || j->start_groups.v[i - 1].inherit >= j->start_groups.v[i].inherit);
            listed |= j->start_groups.v[i].line == j->first;
        }
        assert_true(listed); /* the first deviation is the earliest start */
        shut(s);
    }
}

static void clean_pairs_are_left_alone(void **state)
{
    static const char *const pairs[][2] = {{"clean_mix_stat/ms", "clean_mix_stat/torch"},
                                           {"noise_tf32_stat/target", "noise_tf32_stat/bench"},
                                           {"tt_emb_fp32/target", "tt_emb_fp32/bench"}};
    (void)state;
    for (size_t c = 0; c < sizeof pairs / sizeof *pairs; c++) {
        struct session *s = open_paths(sample(pairs[c][0]), sample(pairs[c][1]));
        for (uint32_t i = 0; i < s->now->judged->lines; i++) {
            struct diagnoses d;
            diagnose_line(&d, s->now->judged, &s->now->measure, s->now->flow, i);
            if (d.n)
                fail_msg("%s line %u: %s", pairs[c][0], i, d.v[0].evidence);
        }
        assert_int_equal(s->now->judged->starts.n, 0);
        shut(s);
    }
}

static const char *two_calls(char dir[400], float factor)
{
    struct tensor_dump d;
    float one[64], two[64];
    for (int i = 0; i < 64; i++) {
        one[i] = sinf((float)i);
        two[i] = one[i] * factor;
    }
    tensors_begin(&d);
    tensors_pass(&d, "Functional.a.0.forward", "8,8", NULL, one, 64);
    tensors_pass(&d, "Functional.b.0.forward", "8,8", one, two, 64);
    tensors_end(&d);
    return strcpy(dir, d.dir);
}

static void cut(const char *dir)
{
    char path[600];
    snprintf(path, sizeof path, "%s/dump_tensor_data/Functional.b.0.forward.output.0.npy", dir);
    assert_int_equal(truncate(path, 200), 0);
}

static bool doubted(const struct session *s, const char *part)
{
    struct arena a = {0};
    input_doubt_list doubts = {0};
    bool found = false;
    input_doubts_find(s->now, &a, &doubts);
    for (size_t i = 0; i < doubts.n; i++)
        found = found || strstr(doubts.v[i].text, part);
    vec_release(&doubts);
    arena_release(&a);
    return found;
}

/* A tensor of a run beside, and one that is cut after it was compared: both are said. */
static void what_cannot_be_read_is_said(void **state)
{
    char dir[4][400];
    struct err e;
    struct diagnoses x;
    (void)state;
    for (int i = 0; i < 4; i++)
        two_calls(dir[i], i == 0 ? 2 : 1);
    cut(dir[2]);
    struct session *s = open_beside(dir[0], dir[1], dir[2], dir[3], &e);
    assert_non_null(s);
    assert_true(doubted(s, "--golden2: 1 rows could not be read"));
    assert_false(doubted(s, "--reference"));
    uint32_t first = s->now->judged->first;
    assert_int_not_equal(first, NONE);
    diagnose_line(&x, s->now->judged, &s->now->measure, s->now->flow, first);
    assert_true(x.n && x.v[0].id == DIAGNOSIS_SCALE && x.v[x.n - 1].id != DIAGNOSIS_UNREAD);
    diagnoses_release(&x);
    cut(dir[0]);
    diagnose_line(&x, s->now->judged, &s->now->measure, s->now->flow, first);
    assert_true(x.n && x.v[x.n - 1].id == DIAGNOSIS_UNREAD);
    assert_non_null(strstr(x.v[x.n - 1].evidence, "Functional.b.0.forward.output.0.npy"));
    diagnoses_release(&x);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_takes_a_side),     cmocka_unit_test(three_runs),
        cmocka_unit_test(band_replaces_the_level),    cmocka_unit_test(statistics_have_a_band_too),
        cmocka_unit_test(companions_that_do_not_fit), cmocka_unit_test(faults_are_named),
        cmocka_unit_test(clean_pairs_are_left_alone), cmocka_unit_test(what_cannot_be_read_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
