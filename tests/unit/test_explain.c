/* Verdicts in sentences: one for every rule, with what belongs to it, in both languages. */
#include "scenes.h"

#include <math.h>

#include "base/msg.h"
#include "judge/conditioning.h"
#include "judge/verdict_text.h"

static void row(struct dump *d, const char *call, enum row_kind kind, const char *text)
{
    int64_t numel = 8;
    uint32_t c = dump_add_call(d, str_of(call), CALL_API, PHASE_FORWARD);
    struct row r = {.slot = dump_slot(d, STR("input.0")),
                    .shape = NONE,
                    .extra = NONE,
                    .kind = (uint8_t)kind,
                    .dtype = DTYPE_F32,
                    .text = text};
    if (kind == ROW_TENSOR) {
        r.shape = dump_shape(d, &numel, 1);
        r.has = HAS_SHAPE | HAS_FILE;
    }
    dump_add_row(d, c, r);
}

/* One pair of rows a rule, and a golden-only and a target-only row behind them. */
static void start(struct scene *s)
{
    scene_start(s);
    for (int k = 0; k < 2; k++) {
        for (int r = 0; r < RULE_COUNT; r++) {
            char name[30];
            snprintf(name, sizeof name, "F.r%d.0.forward", r);
            row(&s->d[k], name, r == RULE_SCALAR_DIFFERS ? ROW_FLOAT : ROW_TENSOR, k ? "-10000" : "-Inf");
        }
        row(&s->d[k], k ? "F.golden.0.forward" : "F.target.0.forward", ROW_TENSOR, NULL);
    }
    scene_build(s);
    scene_unjudged(s);
    for (size_t i = 0; i < s->j.lines; i++)
        s->j.line[i] =
            (struct line_judgement){.rule = (uint8_t)i, .error = 0.0123f, .limit = 0.0045f, .level = 0.00067f};
}

static const char *sentence(const struct scene *s, uint32_t line)
{
    static struct buf b[4];
    static int next;
    struct buf *out = &b[next++ % 4];
    buf_clear(out);
    buf_cstr(out, "");
    explain_verdict(&s->j, &s->m, line, out);
    return out->p;
}

static void a_sentence_for_every_rule(void **state)
{
    struct scene s;
    (void)state;
    start(&s);
    for (uint32_t r = RULE_NONE + 1; r < RULE_COUNT; r++) {
        s.j.line[r].rule = (uint8_t)r;
        char *text = strdup(sentence(&s, r)); /* the rest reuses its buffer */
        if (strlen(text) < 8 || strstr(text, "(null)") || strchr(text, '%') || strchr(text, '\n'))
            fail_msg("rule %u: \"%s\"", r, text);
        for (uint32_t q = RULE_NONE + 1; q < r; q++) /* and none says the same as another */
            assert_string_not_equal(text, sentence(&s, q));
        msg_language("zh_CN");
        char *translated = strdup(sentence(&s, r));
        msg_language("en");
        if (strcmp(translated, sentence(&s, r)) == 0)
            fail_msg("rule %u is not translated", r);
        free(translated);
        free(text);
    }
    scene_end(&s);
}

/* What an ill-conditioned operator does is said for every kind, with its condition. */
static void ill_conditioned(void **state)
{
    struct scene s;
    (void)state;
    start(&s);
    s.j.line[RULE_ILL].kappa = 1234;
    for (int kind = CONDITION_SUM; kind < CONDITION_OTHER_ORDER; kind++) {
        s.j.line[RULE_ILL].was = (uint8_t)kind;
        assert_non_null(strstr(sentence(&s, RULE_ILL), condition_text((enum condition_kind)kind)));
        assert_non_null(strstr(sentence(&s, RULE_ILL), "1.2e3"));
        assert_non_null(strstr(sentence(&s, RULE_ILL), "doubtful: ill-conditioned"));
    }
    s.j.line[RULE_ILL].was = CONDITION_OTHER_ORDER; /* no error that its inputs have is magnified */
    assert_non_null(strstr(sentence(&s, RULE_ILL), "the order of its elements may differ"));
    scene_end(&s);
}

/* A loss scale is named, from either side; nothing is said of none. */
static void a_loss_scale(void **state)
{
    static const struct {
        double scale;
        const char *said;
    } q[] = {{1, ""}, {1024, "gradients × 1024: loss scale"}, {1.0 / 65536, "gradients × 1/65536: loss scale"}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(q); i++) {
        struct judgement j = {.loss_scale = q[i].scale};
        struct buf b = {0};
        buf_cstr(&b, "");
        explain_factor(&j, &b);
        assert_string_equal(b.p, q[i].said);
        buf_release(&b);
    }
}

static void numbers_in_the_sentences(void **state)
{
    static const enum verdict_rule with_error[] = {RULE_WITHIN, RULE_LEVEL,  RULE_DRIFT,    RULE_LIMIT,
                                                   RULE_JUMP,   RULE_SOURCE, RULE_PARAMETER};
    static const enum verdict_rule with_limit[] = {RULE_WITHIN, RULE_DRIFT, RULE_LIMIT, RULE_SOURCE, RULE_PARAMETER};
    static const enum verdict_rule with_level[] = {RULE_LEVEL, RULE_DRIFT, RULE_LIMIT, RULE_JUMP};
    struct scene s;
    (void)state;
    start(&s);
    for (size_t i = 0; i < sizeof with_error / sizeof *with_error; i++)
        assert_non_null(strstr(sentence(&s, with_error[i]), "0.0123"));
    for (size_t i = 0; i < sizeof with_limit / sizeof *with_limit; i++)
        assert_non_null(strstr(sentence(&s, with_limit[i]), "0.0045"));
    for (size_t i = 0; i < sizeof with_level / sizeof *with_level; i++)
        assert_non_null(strstr(sentence(&s, with_level[i]), "0.00067"));
    assert_non_null(strstr(sentence(&s, RULE_LIMIT), "rel L2"));
    s.j.line[RULE_LIMIT].flags = LINE_STATISTICS;
    assert_null(strstr(sentence(&s, RULE_LIMIT), "rel L2"));
    assert_non_null(strstr(sentence(&s, RULE_LIMIT), "max, min and norm"));
    assert_non_null(strstr(sentence(&s, RULE_SCALAR_DIFFERS), "-Inf on the target, -10000 on the golden side"));
    for (int k = 0; k < 2; k++) { /* the largest of several elements is not their value */
        struct row *r = &s.d[k].rows.v[s.p.lines.v[RULE_IDLE_ARGUMENT].row[k]];
        r->has |= HAS_MAX;
        r->stat[STAT_MAX] = 5;
    }
    assert_non_null(strstr(sentence(&s, RULE_IDLE_ARGUMENT), "a tensor and a tensor; every output"));
    assert_non_null(strstr(sentence(&s, RULE_ELEMENTS), "8 elements on the target, 8 on the golden side"));
    assert_non_null(strstr(sentence(&s, RULE_KINDS), "float32 on the target, float32 on the golden side"));
    scene_end(&s);
}

static void which_side_is_missing(void **state)
{
    struct scene s;
    (void)state;
    start(&s);
    for (uint32_t i = 0; i < s.j.lines; i++) {
        const struct line *l = &s.p.lines.v[i];
        if (l->pair != NONE)
            continue;
        s.j.line[i] = (struct line_judgement){.verdict = VERDICT_ONLY, .rule = RULE_ONE_SIDED};
        assert_non_null(strstr(sentence(&s, i), l->row[TARGET] == NONE ? "no target row" : "no golden row"));
    }
    scene_end(&s);
}

static void non_finite_elements(void **state)
{
    struct scene s;
    struct figures f = {.unlike = 3, .unlike_at = 17, .side = {{.nan = 2, .inf = 1}, {.nan = 0, .inf = 5}}};
    struct view v = {0};
    (void)state;
    start(&s);
    assert_non_null(strstr(sentence(&s, RULE_NONFINITE), "recorded max"));
    measure_post(&s.m, &(struct measure_job){.line = RULE_NONFINITE}, figures_keep(&f), &v, NULL);
    const char *text = sentence(&s, RULE_NONFINITE);
    assert_non_null(strstr(text, "3 elements"));
    assert_non_null(strstr(text, "index 17"));
    assert_non_null(strstr(text, "target: 2 NaN, 1 Inf; golden: 0 NaN, 5 Inf"));
    scene_end(&s);
}

static void what_is_added(void **state)
{
    struct scene s;
    struct figures f = {.two = true};
    struct view v = {.side = 1, .count = 1, .step = {{.op = VIEW_PERMUTE, .n = 3, .v = {0, 2, 1}}}};
    struct err e;
    (void)state;
    start(&s);
    measure_post(&s.m, &(struct measure_job){.line = RULE_EQUAL}, figures_keep(&f), &v, NULL);
    assert_non_null(strstr(sentence(&s, RULE_EQUAL), "golden side permuted (0,2,1)"));
    s.d[0].rows.v[RULE_DRIFT].dtype = DTYPE_BF16;
    s.j.line[RULE_DRIFT].flags = LINE_DTYPE_DIFF | LINE_DOUBTFUL;
    assert_non_null(strstr(sentence(&s, RULE_DRIFT), "bfloat16 on the target, float32 on the golden side"));
    assert_non_null(strstr(sentence(&s, RULE_DRIFT), "doubtful pair"));
    err_set(&e, ERR_IO, "x.pt: gone");
    measure_post(&s.m, &(struct measure_job){.line = RULE_SAME_STATS}, NULL, NULL, &e);
    s.j.line[RULE_SAME_STATS].flags = LINE_UNREAD;
    assert_non_null(strstr(sentence(&s, RULE_SAME_STATS), "judged without its tensor: x.pt: gone"));
    dump_problem(&s.d[1], RULE_ABSENT, "damaged", "dump.json: byte 77: odd");
    assert_non_null(strstr(sentence(&s, RULE_ABSENT), "byte 77"));
    scene_end(&s);
}

static void classes(void **state)
{
    struct scene s;
    (void)state;
    start(&s);
    s.j.first = RULE_LIMIT;
    s.j.line[RULE_LIMIT].verdict = VERDICT_DEVIATE;
    for (int k = FIRST_INPUT; k <= FIRST_NONFINITE; k++) {
        s.j.first_class = (enum first_class)k;
        const char *text = explain_first(&s.j, &s.m);
        assert_true(strlen(text) > 20);
        assert_true(str_ends(str_of(first_class_name(s.j.first_class)), "-first"));
        for (int q = FIRST_INPUT; q < k; q++) {
            assert_string_not_equal(first_class_name((enum first_class)q), first_class_name(s.j.first_class));
            struct judgement other = s.j;
            other.first_class = (enum first_class)q;
            assert_string_not_equal(explain_first(&other, &s.m), text);
        }
    }
    /* what kind of input it is says more than that it is one */
    s.j.first_class = FIRST_INPUT;
    s.j.first = RULE_PARAMETER;
    assert_non_null(strstr(explain_first(&s.j, &s.m), "weight or table differs"));
    s.j.first = RULE_SCALAR_DIFFERS;
    assert_non_null(strstr(explain_first(&s.j, &s.m), "argument differs"));
    s.j.first = RULE_SOURCE;
    assert_non_null(strstr(explain_first(&s.j, &s.m), "table or buffer"));
    for (int v = 0; v < VERDICT_COUNT; v++)
        assert_true(*verdict_label((enum verdict)v));
    scene_end(&s);
}

static void provisional(void **state)
{
    struct judgement j = {.first = 3};
    struct buf b = {0};
    (void)state;
    buf_cstr(&b, "");
    explain_provisional(&j, &b);
    assert_string_equal(b.p, "");
    j.doubtful_before = 3;
    explain_provisional(&j, &b);
    assert_non_null(strstr(b.p, "doubtful pairs: 3"));
    buf_clear(&b);
    j.gaps_before = 2;
    j.unread_before = 1;
    j.pending_before = 7;
    explain_provisional(&j, &b);
    assert_non_null(strstr(b.p, ": 7"));
    assert_non_null(strstr(b.p, "doubtful pairs: 3"));
    assert_non_null(strstr(b.p, "places where one side has compute calls without a partner: 2"));
    assert_non_null(strstr(b.p, "read: 1"));
    buf_release(&b);
}

static const char *outcome(const struct judgement *j, const struct judge_options *o)
{
    static struct buf b;
    buf_clear(&b);
    explain_outcome(j, o, &b);
    return b.p;
}

static void outcomes(void **state)
{
    struct thresholds t;
    struct judge_options o = {.tol = &t};
    struct judgement j = {.first = 3};
    (void)state;
    thresholds_init(&t);
    assert_non_null(strstr(outcome(&j, &o), "deviates"));
    j.first = NONE;
    j.sum.compute[TARGET] = 8;
    j.sum.judged = 6;
    assert_non_null(strstr(outcome(&j, &o), "aligned"));
    assert_non_null(strstr(outcome(&j, &o), "75 %"));
    assert_null(strstr(outcome(&j, &o), "golden"));
    j.sum.compute[GOLDEN] = 100; /* the target ends early: what the other side did besides was not looked at */
    j.sum.coverage[GOLDEN] = 0.06;
    assert_non_null(strstr(outcome(&j, &o), "6 % of the golden calls"));
    j.sum.judged = 2;
    assert_non_null(strstr(outcome(&j, &o), "could not be judged"));
    assert_non_null(strstr(outcome(&j, &o), "25 %"));
}

/* Where no compute call was recorded, the rows decide: then it is no 0 % of the compute calls. */
static void outcome_without_compute_calls(void **state)
{
    struct thresholds t;
    struct judge_options o = {.tol = &t};
    struct judgement j = {.first = NONE};
    (void)state;
    thresholds_init(&t);
    j.sum.pairs = j.sum.by[VERDICT_MATCH] = 10;
    assert_int_equal(judgement_status(&j, &o), 0);
    assert_null(strstr(outcome(&j, &o), " 0 %"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_for_every_rule),
        cmocka_unit_test(ill_conditioned),
        cmocka_unit_test(a_loss_scale), cmocka_unit_test(numbers_in_the_sentences),
        cmocka_unit_test(which_side_is_missing),
        cmocka_unit_test(non_finite_elements),
        cmocka_unit_test(what_is_added),
        cmocka_unit_test(classes),
        cmocka_unit_test(provisional),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(outcome_without_compute_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
