/* Verdicts, rule by rule, on tiny dumps made here: what each row is held against, the first deviation
 * and its kind, starts, coverage and the exit status. */
#include "scenes.h"

#include <math.h>

#include "dump/dump_check.h"
#include "diagnose/diagnose.h"
#include "judge/implied_constant.h"
#include "judge/other_shape.h"
#include "judge/call_error.h"
#include "judge/cause.h"
#include "dump/family.h"
#include "num/sketch.h"

/* ---- two sides, alike in names ---- */

static uint32_t call_on(struct dump *d, const char *op, enum call_phase phase)
{
    char name[80];
    snprintf(name, sizeof name, "Functional.%s.%zu.%s", op, d->calls.n,
             phase == PHASE_BACKWARD ? "backward" : "forward");
    uint32_t c = dump_add_call(d, str_of(name), CALL_API, phase);
    d->calls.v[c].family = (uint8_t)family_find(str_of(op));
    return c;
}

static void both_call(struct scene *s, const char *op)
{
    for (int i = 0; i < 2; i++)
        call_on(&s->d[i], op, PHASE_FORWARD);
}

/* One call of this name on a side, inside a module or not. */
static uint32_t named_on(struct dump *d, const char *name, const char *op, enum call_kind kind, enum call_phase phase,
                         uint32_t parent)
{
    uint32_t c = dump_add_call(d, str_of(name), kind, phase);
    d->calls.v[c].family = (uint8_t)family_find(str_of(op));
    d->calls.v[c].parent = parent;
    return c;
}

/* A tensor of the newest call of one side. stats: max, min, norm, or NULL. */
static uint32_t tensor_on(struct dump *d, const char *slot, enum dtype type, int64_t numel, const double *stats)
{
    enum row_io io = str_starts(str_of(slot), "output")       ? IO_OUTPUT
                     : str_starts(str_of(slot), "parameters") ? IO_PARAMETER
                                                              : IO_INPUT;
    struct row r = {.slot = dump_slot(d, str_of(slot)),
                    .extra = NONE,
                    .io = (uint8_t)io,
                    .kind = ROW_TENSOR,
                    .dtype = (uint8_t)type};
    r.shape = dump_shape(d, &numel, 1);
    r.has = HAS_SHAPE;
    if (stats) {
        r.has |= HAS_MAX | HAS_MIN | HAS_NORM;
        r.stat[STAT_MAX] = stats[0];
        r.stat[STAT_MIN] = stats[1];
        r.stat[STAT_NORM] = stats[2];
    }
    return dump_add_row(d, (uint32_t)d->calls.n - 1, r);
}

static uint32_t both_tensor(struct scene *s, const char *slot, enum dtype t, enum dtype g)
{
    tensor_on(&s->d[1], slot, g, 64, NULL);
    return tensor_on(&s->d[0], slot, t, 64, NULL);
}

/* A pair whose elements were compared, with this error. Its file need not exist. */
static uint32_t measured(struct scene *s, const char *slot, enum dtype type)
{
    uint32_t r = both_tensor(s, slot, type, type);
    s->d[0].rows.v[r].has |= HAS_FILE;
    vec_last(&s->d[1].rows)->has |= HAS_FILE;
    return r;
}

static uint32_t number_on(struct dump *d, const char *slot, enum row_kind kind, double v, const char *text)
{
    struct row r = {.slot = dump_slot(d, str_of(slot)),
                    .shape = NONE,
                    .extra = NONE,
                    .kind = (uint8_t)kind,
                    .text = text};
    r.stat[STAT_MAX] = v;
    if (kind == ROW_INT || kind == ROW_FLOAT || kind == ROW_BOOL)
        r.has = HAS_MAX;
    return dump_add_row(d, (uint32_t)d->calls.n - 1, r);
}

/* What posts figures and what judges call it too: the first call builds. */
static void build(struct scene *s)
{
    if (!s->p.line_of[TARGET])
        scene_build(s);
}

/* The figures of a measured row, as far as the rule looks at them. */
static void computed(struct scene *s, uint32_t row, double rel_l2)
{
    struct figures f = {.two = true, .rel_l2 = rel_l2, .max_abs = rel_l2, .side = {{.norm = 1}, {.norm = 2}}};
    build(s);
    scene_computed(s, row, &f);
}

static void judge_all(struct scene *s)
{
    build(s);
    scene_judge(s);
}

static const struct line_judgement *of(const struct scene *s, uint32_t row)
{
    return &s->j.line[scene_line(s, row)];
}

/* The verdict of the limits alone: causes are tested in test_cause.c. */
static enum verdict level_verdict(const struct line_judgement *l)
{
    return l->verdict == VERDICT_INHERITED ? VERDICT_DEVIATE : (enum verdict)l->verdict;
}

static void expect_line(const struct line_judgement *l, enum verdict v, enum verdict_rule r, int line)
{
    if (level_verdict(l) != v || l->rule != r)
        fail_msg("line %d: verdict %s rule %d, error %g limit %g level %g", line,
                 verdict_name((enum verdict)l->verdict), l->rule, (double)l->error, (double)l->limit, (double)l->level);
}
#define EXPECT(s, row, v, r) expect_line(of(s, row), v, r, __LINE__)

/* ---- scalars ---- */

static void numbers(void **state)
{
    static const struct {
        enum row_kind kind[2];
        double v[2];
        const char *text[2];
        enum verdict verdict;
        enum verdict_rule rule;
    } cases[] = {
        {{ROW_INT, ROW_INT}, {3, 3}, {"3", "3"}, VERDICT_MATCH, RULE_SCALAR_SAME},
        {{ROW_INT, ROW_INT}, {3, 4}, {"3", "4"}, VERDICT_DEVIATE, RULE_SCALAR_DIFFERS},
        {{ROW_FLOAT, ROW_FLOAT}, {0.1, 0.1}, {"0.1", "0.1"}, VERDICT_MATCH, RULE_SCALAR_SAME},
        {{ROW_FLOAT, ROW_FLOAT}, {0.1, 0.10000001}, {"0.1", "0.10000001"}, VERDICT_DEVIATE, RULE_SCALAR_DIFFERS},
        {{ROW_FLOAT, ROW_FLOAT}, {0.2886751345948129, 0.28867513459481287}, {"1", "1"}, VERDICT_MATCH, RULE_SCALAR_SAME},
        {{ROW_FLOAT, ROW_FLOAT}, {0.2886751345948129, 0.288675134594812}, {"1", "1"}, VERDICT_DEVIATE,
         RULE_SCALAR_DIFFERS},
        {{ROW_FLOAT, ROW_FLOAT}, {NAN, NAN}, {"NaN", "NaN"}, VERDICT_MATCH, RULE_SCALAR_SAME},
        {{ROW_FLOAT, ROW_FLOAT}, {-3.3895313892515355e+38, -3.4028234663852886e+38}, {"-3.39e38", "-3.40e38"}, VERDICT_MATCH, RULE_FILLS},
        {{ROW_FLOAT, ROW_FLOAT}, {-3e+38, -3.4028234663852886e+38}, {"-3e38", "-3.40e38"}, VERDICT_DEVIATE, RULE_SCALAR_DIFFERS},
        {{ROW_FLOAT, ROW_FLOAT}, {-INFINITY, -10000}, {"-Inf", "-10000"}, VERDICT_DEVIATE, RULE_SCALAR_DIFFERS},
        {{ROW_INT, ROW_FLOAT}, {1, 1}, {"1", "1"}, VERDICT_MATCH, RULE_SCALAR_SAME},
        {{ROW_BOOL, ROW_INT}, {1, 1}, {"true", "1"}, VERDICT_MATCH, RULE_SCALAR_SAME},
        /* 2^53 and 2^53 + 1 are one double */
        {{ROW_INT, ROW_INT}, {0x1p53, 0x1p53}, {"9007199254740992", "9007199254740993"}, VERDICT_DEVIATE, RULE_SCALAR_DIFFERS},
        {{ROW_INT, ROW_INT}, {0x1p60, 0x1p60}, {"1152921504606846976", "1152921504606846976"}, VERDICT_MATCH, RULE_SCALAR_SAME},
        {{ROW_STR, ROW_STR}, {0, 0}, {"sum", "sum"}, VERDICT_MATCH, RULE_SCALAR_SAME},
        {{ROW_STR, ROW_STR}, {0, 0}, {"sum", "mean"}, VERDICT_DEVIATE, RULE_SCALAR_DIFFERS},
        {{ROW_OTHER, ROW_OTHER}, {0, 0}, {"[0,null,2]", "[0,null,2]"}, VERDICT_MATCH, RULE_SCALAR_SAME},
        {{ROW_STR, ROW_INT}, {0, 1}, {"1", "1"}, VERDICT_DTYPE, RULE_KINDS},
        {{ROW_NULL, ROW_INT}, {0, 1}, {NULL, "1"}, VERDICT_DTYPE, RULE_KINDS},
        {{ROW_NULL, ROW_NULL}, {0, 0}, {NULL, NULL}, VERDICT_SKIP, RULE_ABSENT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "linear");
        for (int k = 0; k < 2; k++)
            number_on(&s.d[k], "input.0", cases[i].kind[k], cases[i].v[k], cases[i].text[k]);
        judge_all(&s);
        expect_line(of(&s, 0), cases[i].verdict, cases[i].rule, (int)i);
        scene_end(&s);
    }
}

/* A fill value held as a tensor: with autocast that of bfloat16, in float32. */
static void fills_in_tensors(void **state)
{
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "masked_fill");
    const double bf16[] = {-3.3895313892515355e+38, -3.3895313892515355e+38, 3.3895313892515355e+38};
    const double f32[] = {-3.4028234663852886e+38, -3.4028234663852886e+38, 3.4028234663852886e+38};
    uint32_t r = tensor_on(&s.d[TARGET], "input.2", DTYPE_F32, 1, bf16);
    tensor_on(&s.d[GOLDEN], "input.2", DTYPE_F32, 1, f32);
    judge_all(&s);
    EXPECT(&s, r, VERDICT_MATCH, RULE_FILLS);
    scene_end(&s);
}

/* A product's second operand is a weight; an einsum's operands stand behind its equation. */
static void operands_of_an_equation(void **state)
{
    static const struct {
        const char *op, *slot;
        bool weight;
    } cases[] = {{"linear", "input.1", true}, {"einsum", "input.1", false}, {"einsum", "input.2", true}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        static const int64_t sizes[] = {8, 8};
        struct scene s;
        scene_start(&s);
        both_call(&s, cases[i].op);
        uint32_t r = measured(&s, cases[i].slot, DTYPE_F32);
        for (int k = 0; k < 2; k++) {
            s.d[k].rows.v[r].shape = dump_shape(&s.d[k], sizes, 2);
            s.d[k].rows.v[r].has |= HAS_SHAPE;
        }
        computed(&s, r, 3e-7);
        judge_all(&s);
        assert_int_equal(of(&s, r)->rule == RULE_PARAMETER, cases[i].weight);
        scene_end(&s);
    }
}

/* The same as numbers: minus infinity beside the lowest one; not beside one that leaves something. */
static void fills_without_end(void **state)
{
    (void)state;
    for (int lowest = 0; lowest < 2; lowest++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "masked_fill");
        uint32_t r = number_on(&s.d[TARGET], "input.2", ROW_FLOAT, -INFINITY, NULL);
        number_on(&s.d[GOLDEN], "input.2", ROW_FLOAT, lowest ? -3.4028234663852886e+38 : -1e4, NULL);
        judge_all(&s);
        assert_int_equal(of(&s, r)->rule == RULE_FILLS, lowest);
        scene_end(&s);
    }
}

/* Types are the same whatever the framework calls them. */
static void types_as_values(void **state)
{
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "to");
    uint32_t r = number_on(&s.d[0], "input.0", ROW_DTYPE, 0, "torch.bfloat16");
    number_on(&s.d[1], "input.0", ROW_DTYPE, 0, "BFloat16");
    s.d[0].rows.v[r].dtype = s.d[1].rows.v[0].dtype = DTYPE_BF16;
    uint32_t q = number_on(&s.d[0], "input.1", ROW_DTYPE, 0, "torch.bfloat16");
    number_on(&s.d[1], "input.1", ROW_DTYPE, 0, "Float16");
    s.d[0].rows.v[q].dtype = DTYPE_BF16;
    s.d[1].rows.v[1].dtype = DTYPE_F16;
    judge_all(&s);
    EXPECT(&s, r, VERDICT_MATCH, RULE_SCALAR_SAME);
    EXPECT(&s, q, VERDICT_DEVIATE, RULE_SCALAR_DIFFERS);
    scene_end(&s);
}

static void tensors_of_one_element_and_numbers(void **state)
{
    static const double stats[] = {0.125, 0.125, 0.125};
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "mul");
    uint32_t same = tensor_on(&s.d[0], "input.0", DTYPE_F32, 1, stats);
    number_on(&s.d[1], "input.0", ROW_FLOAT, 0.125, "0.125");
    uint32_t differs = tensor_on(&s.d[0], "input.1", DTYPE_F32, 1, stats);
    number_on(&s.d[1], "input.1", ROW_FLOAT, 0.25, "0.25");
    uint32_t unknown = tensor_on(&s.d[0], "input.2", DTYPE_F32, 1, NULL);
    number_on(&s.d[1], "input.2", ROW_FLOAT, 0.25, "0.25");
    uint32_t text = tensor_on(&s.d[0], "input.3", DTYPE_F32, 1, stats);
    number_on(&s.d[1], "input.3", ROW_STR, 0, "x");
    judge_all(&s);
    EXPECT(&s, same, VERDICT_MATCH, RULE_SCALAR_SAME);
    EXPECT(&s, differs, VERDICT_DEVIATE, RULE_SCALAR_DIFFERS);
    EXPECT(&s, unknown, VERDICT_DTYPE, RULE_KINDS);
    EXPECT(&s, text, VERDICT_DTYPE, RULE_KINDS);
    scene_end(&s);
}

/* ---- what two tensors are ---- */

static void shapes_and_types(void **state)
{
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "mul");
    uint32_t counts = tensor_on(&s.d[0], "output.0", DTYPE_F32, 64, NULL);
    tensor_on(&s.d[1], "output.0", DTYPE_F32, 63, NULL);
    uint32_t empty = tensor_on(&s.d[0], "output.1", DTYPE_F32, 0, NULL);
    tensor_on(&s.d[1], "output.1", DTYPE_F32, 0, NULL);
    uint32_t kinds = both_tensor(&s, "output.2", DTYPE_I32, DTYPE_F32),
             bools = both_tensor(&s, "output.3", DTYPE_BOOL, DTYPE_I64);
    uint32_t floats = both_tensor(&s, "output.4", DTYPE_BF16, DTYPE_F32),
             none = both_tensor(&s, "output.5", DTYPE_F32, DTYPE_F32);
    judge_all(&s);
    EXPECT(&s, counts, VERDICT_SHAPE, RULE_ELEMENTS);
    EXPECT(&s, empty, VERDICT_MATCH, RULE_EMPTY);
    EXPECT(&s, kinds, VERDICT_DTYPE, RULE_KINDS);
    EXPECT(&s, bools, VERDICT_DTYPE, RULE_KINDS); /* types are all there is */
    EXPECT(&s, none, VERDICT_SKIP, RULE_NO_FIGURES);
    assert_true(of(&s, floats)->flags & LINE_DTYPE_DIFF);
    assert_false(of(&s, none)->flags & LINE_DTYPE_DIFF);
    assert_false(of(&s, kinds)->flags & LINE_DTYPE_DIFF); /* counted are floating types alone */
    assert_int_equal(s.j.sum.dtype_diff, 1);
    assert_int_equal(s.j.first, scene_line(&s, counts));
    assert_int_equal(s.j.first_class, FIRST_SHAPE);
    scene_end(&s);
}

static void pending_rows(void **state)
{
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "mul");
    uint32_t waits = measured(&s, "input.0", DTYPE_F32), bad = measured(&s, "output.0", DTYPE_F32);
    computed(&s, bad, 0.5);
    judge_all(&s);
    EXPECT(&s, waits, VERDICT_PENDING, RULE_NONE);
    assert_int_equal(s.j.first, scene_line(&s, bad));
    assert_int_equal(s.j.pending_before, 1);
    struct measure_job job;
    assert_true(measure_take(&s.m, NULL, 0, &job));
    assert_int_equal(job.line, scene_line(&s, waits));
    judge_all(&s);
    EXPECT(&s, waits, VERDICT_PENDING, RULE_NONE); /* running */
    scene_end(&s);
}

static void unlike_elements(void **state)
{
    struct scene s;
    struct figures f = {.two = false, .unlike = 2, .unlike_at = 7};
    (void)state;
    scene_start(&s);
    both_call(&s, "mul");
    uint32_t r = measured(&s, "output.0", DTYPE_F32);
    build(&s);
    scene_computed(&s, r, &f);
    judge_all(&s);
    EXPECT(&s, r, VERDICT_NONFINITE, RULE_NONFINITE);
    assert_int_equal(s.j.first_class, FIRST_NONFINITE);
    scene_end(&s);
}

static void integers_are_exact(void **state)
{
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "argmax");
    uint32_t same = measured(&s, "output.0", DTYPE_I64), off = measured(&s, "output.1", DTYPE_I64);
    computed(&s, same, 0);
    computed(&s, off, 1e-9);
    judge_all(&s);
    EXPECT(&s, same, VERDICT_MATCH, RULE_EQUAL);
    EXPECT(&s, off, VERDICT_DEVIATE, RULE_INTEGERS_DIFFER);
    scene_end(&s);
}

/* ---- the rule for floats ---- */

/* One call of n outputs of a type with these errors, after `noise` calls that erred by `level` (the first
 * by less: noise does not begin at its height). */
static void errors_after(struct scene *s, enum dtype d, int noise, double level, const double *error, int n,
                         uint32_t *row)
{
    uint32_t before[100];
    scene_start(s);
    for (int i = 0; i < noise; i++) {
        both_call(s, "mul");
        before[i] = measured(s, "output.0", d);
    }
    both_call(s, "mul");
    for (int i = 0; i < n; i++) {
        char slot[20];
        snprintf(slot, sizeof slot, "output.%d", i);
        row[i] = measured(s, slot, d);
    }
    for (int i = 0; i < noise; i++)
        computed(s, before[i], i ? level : 1.9e-5);
    for (int i = 0; i < n; i++)
        computed(s, row[i], error[i]);
    judge_all(s);
}

static void errors_without_noise(void **state)
{
    static const double error[] = {0, 1e-8, 2e-5, 2.1e-5, 9e-4};
    struct scene s;
    uint32_t r[5];
    (void)state;
    errors_after(&s, DTYPE_F32, 0, 0, error, 5, r);
    EXPECT(&s, r[0], VERDICT_MATCH, RULE_EQUAL);
    EXPECT(&s, r[1], VERDICT_MATCH, RULE_WITHIN);
    EXPECT(&s, r[2], VERDICT_MATCH, RULE_WITHIN);
    EXPECT(&s, r[3], VERDICT_MATCH, RULE_LEVEL); /* the ones before are noise by now */
    EXPECT(&s, r[4], VERDICT_DEVIATE, RULE_JUMP);
    scene_end(&s);
}

static void errors_above_noise(void **state)
{
    static const double error[] = {5e-5, 1.9e-4, 2.1e-4, 9.9e-4, 1.01e-3};
    static const enum verdict verdict[] = {VERDICT_MATCH, VERDICT_MATCH, VERDICT_DRIFT, VERDICT_DRIFT, VERDICT_DEVIATE};
    static const enum verdict_rule rule[] = {RULE_LEVEL, RULE_LEVEL, RULE_DRIFT, RULE_DRIFT, RULE_LIMIT};
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct scene s;
        uint32_t r;
        errors_after(&s, DTYPE_F32, 64, 1e-4, &error[i], 1, &r);
        expect_line(of(&s, r), verdict[i], rule[i], i);
        assert_true(fabs((double)of(&s, r)->level - 1e-4) < 1e-9);
        scene_end(&s);
    }
}

/* The limit rises with the noise: 4 times the level where that is more than the dtype's own. */
static void limits_rise_with_the_level(void **state)
{
    static const double error[] = {3.9e-3, 4.1e-3};
    struct scene s;
    (void)state;
    for (int i = 0; i < 2; i++) {
        scene_start(&s);
        uint32_t before[64];
        for (int k = 0; k < 64; k++) {
            both_call(&s, "mul");
            before[k] = measured(&s, "output.0", DTYPE_F32);
        }
        both_call(&s, "mul");
        uint32_t row = measured(&s, "output.0", DTYPE_F32);
        for (int k = 0; k < 64; k++) /* up by steps that are each accepted */
            computed(&s, before[k], 2e-5 * pow(50, k / 40.0 < 1 ? k / 40.0 : 1));
        computed(&s, row, error[i]);
        judge_all(&s);
        assert_true(fabs((double)of(&s, row)->level - 1e-3) < 1e-8);
        expect_line(of(&s, row), i ? VERDICT_DEVIATE : VERDICT_DRIFT, i ? RULE_LIMIT : RULE_DRIFT, i);
        scene_end(&s);
    }
}

static void limits_of_coarser_types(void **state)
{
    static const struct {
        enum dtype d;
        double within, beyond;
    } cases[] = {{DTYPE_F16, 5e-3, 3.1e-2},
                 {DTYPE_BF16, 2e-2, 8.1e-2},
                 {DTYPE_F64, 2e-5, 1.1e-3},
                 {DTYPE_F8E5M2, 0.1, 0.31}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        uint32_t r;
        errors_after(&s, cases[i].d, 0, 0, &cases[i].within, 1, &r);
        EXPECT(&s, r, VERDICT_MATCH, RULE_WITHIN);
        scene_end(&s);
        errors_after(&s, cases[i].d, 0, 0, &cases[i].beyond, 1, &r);
        EXPECT(&s, r, VERDICT_DEVIATE, RULE_LIMIT);
        scene_end(&s);
    }
}

/* A float32 output of bfloat16 inputs carries their rounding. */
static void rounding_comes_down_from_inputs(void **state)
{
    struct scene s;
    (void)state;
    for (int coarse = 0; coarse < 2; coarse++) {
        scene_start(&s);
        both_call(&s, "mul");
        uint32_t in = measured(&s, "input.0", coarse ? DTYPE_BF16 : DTYPE_F32),
                 out = measured(&s, "output.0", DTYPE_F32);
        computed(&s, in, 0);
        computed(&s, out, 9e-4);
        judge_all(&s);
        EXPECT(&s, out, coarse ? VERDICT_MATCH : VERDICT_DEVIATE, coarse ? RULE_WITHIN : RULE_JUMP);
        scene_end(&s);
    }
}

/* The error of a call's own inputs excuses as much in its output. */
static void errors_of_inputs_excuse_outputs(void **state)
{
    struct scene s;
    uint32_t before[64];
    (void)state;
    scene_start(&s);
    for (int i = 0; i < 64; i++) {
        both_call(&s, "mul");
        before[i] = measured(&s, "output.0", DTYPE_F32);
    }
    both_call(&s, "mul");
    uint32_t in = measured(&s, "input.0", DTYPE_F32), out = measured(&s, "output.0", DTYPE_F32);
    both_call(&s, "mul");
    uint32_t alone = measured(&s, "output.0", DTYPE_F32);
    for (int i = 0; i < 64; i++)
        computed(&s, before[i], 1e-5);
    computed(&s, in, 9e-5);
    computed(&s, out, 1.7e-4);
    computed(&s, alone, 1.71e-4); /* another value: one value has one cause */
    judge_all(&s);
    EXPECT(&s, in, VERDICT_DRIFT, RULE_DRIFT);
    EXPECT(&s, out, VERDICT_MATCH, RULE_LEVEL);
    EXPECT(&s, alone, VERDICT_DEVIATE, RULE_JUMP);
    scene_end(&s);
}

/* Products with rounded operands: their floor is wider, where products do err like that. */
static void floors_of_products(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        struct scene s;
        uint32_t p[20];
        scene_start(&s);
        for (int i = 0; i < 20; i++) {
            both_call(&s, "linear");
            p[i] = measured(&s, "output.0", DTYPE_F32);
        }
        for (int i = 0; i < 20; i++)
            computed(&s, p[i], exact && i ? 1e-7 : 5e-4);
        judge_all(&s);
        /* this hardware multiplies exactly, as the others show: then 5e-4 is none of its noise */
        EXPECT(&s, p[0], exact ? VERDICT_DEVIATE : VERDICT_MATCH, exact ? RULE_JUMP : RULE_WITHIN);
        scene_end(&s);
    }
}

/* Convolutions that multiply exactly say nothing of the products that may not, and the other way round. */
static void kinds_of_products_apart(void **state)
{
    (void)state;
    for (int conv = 0; conv < 2; conv++) {
        struct scene s;
        uint32_t p[2][10];
        scene_start(&s);
        for (int i = 0; i < 10; i++)
            for (int kind = 0; kind < 2; kind++) {
                both_call(&s, kind ? "conv2d" : "linear");
                p[kind][i] = measured(&s, "output.0", DTYPE_F32);
            }
        for (int i = 0; i < 10; i++)
            for (int kind = 0; kind < 2; kind++)
                computed(&s, p[kind][i], kind == conv ? 1e-7 : i ? 5e-4 : 3e-4);
        judge_all(&s);
        EXPECT(&s, p[!conv][0], VERDICT_MATCH, RULE_WITHIN);
        scene_end(&s);
    }
}

static void parameters_agree_to_their_rounding(void **state)
{
    (void)state;
    for (int step = 0; step < 2; step++) {
        struct scene s;
        scene_start(&s);
        s.d[0].step = step;
        both_call(&s, "linear");
        uint32_t named = measured(&s, "parameters.weight", DTYPE_F32), second = measured(&s, "input.1", DTYPE_F32);
        uint32_t third = measured(&s, "input.weight", DTYPE_BF16), good = measured(&s, "input.2", DTYPE_F32);
        computed(&s, named, 1e-6);
        computed(&s, second, 1e-6);
        computed(&s, third, 7e-3);
        computed(&s, good, 1e-7);
        judge_all(&s);
        EXPECT(&s, named, step ? VERDICT_MATCH : VERDICT_DEVIATE, step ? RULE_WITHIN : RULE_PARAMETER);
        EXPECT(&s, second, step ? VERDICT_MATCH : VERDICT_DEVIATE, step ? RULE_WITHIN : RULE_PARAMETER);
        EXPECT(&s, third, VERDICT_MATCH, RULE_WITHIN);
        EXPECT(&s, good, VERDICT_MATCH, RULE_WITHIN);
        scene_end(&s);
    }
}

/* An input nothing recorded produced, before any product: nothing excuses it. */
static void sources_are_held_to_the_drift_limit(void **state)
{
    static const double a[] = {3, -1, 7}, b[] = {4, -1, 8};
    struct scene s;
    (void)state;
    scene_start(&s);
    uint32_t row[3];
    both_call(&s, "mul");
    for (int i = 0; i < 2; i++)
        row[0] = tensor_on(&s.d[1 - i], "input.0", DTYPE_F32, 64, a); /* a buffer */
    for (int i = 0; i < 2; i++)
        tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, b);
    both_call(&s, "mul");
    for (int i = 0; i < 2; i++)
        row[1] = tensor_on(&s.d[1 - i], "input.0", DTYPE_F32, 64, b); /* produced */
    for (int i = 0; i < 2; i++)
        for (size_t r = 0; r < s.d[i].rows.n; r++)
            s.d[i].rows.v[r].has |= HAS_FILE;
    computed(&s, row[0], 5e-5);
    computed(&s, 1, 0);
    computed(&s, row[1], 1e-5);
    judge_all(&s);
    EXPECT(&s, row[0], VERDICT_DEVIATE, RULE_SOURCE);
    assert_true(of(&s, row[0])->flags & LINE_SOURCE);
    assert_false(of(&s, row[1])->flags & LINE_SOURCE);
    assert_int_equal(s.j.first_class, FIRST_INPUT);
    scene_end(&s);
}

/* The number that a step's gradient begins with is a source, wherever it stands on either side; not several numbers,
 * and none that a recorded call made. */
static void a_gradient_begins_with_a_source(void **state)
{
    static const double one[] = {1, 1, 1}, other[] = {1.001, 1.001, 1.001}, made[] = {3, -1, 9};
    static const struct {
        const char *op;
        int numel;
        bool computed, source;
    } cases[] = {{"cross_entropy", 1, false, true}, {"cross_entropy", 4, false, false},
                 {"cross_entropy", 1, true, false}, {"softmax", 1, false, false}};
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        struct scene s;
        uint32_t row = NONE;
        scene_start(&s);
        for (int i = 1; i >= 0; i--) {
            struct dump *d = &s.d[i];
            call_on(d, cases[c].op, PHASE_FORWARD);
            tensor_on(d, "input.0", DTYPE_F32, 64, made);
            if (i == GOLDEN)
                tensor_on(d, "input.1", DTYPE_F32, 64, made);
            tensor_on(d, "output.0", DTYPE_F32, 1, cases[c].computed ? i ? one : other : made);
            call_on(d, cases[c].op, PHASE_BACKWARD);
            row = tensor_on(d, "input.0", DTYPE_F32, cases[c].numel, i ? one : other);
            tensor_on(d, "output.0", DTYPE_F32, 64, made);
            dump_link_twins(d);
        }
        judge_all(&s);
        if (!(of(&s, row)->flags & LINE_SOURCE) == cases[c].source)
            fail_msg("case %zu: %d", c, of(&s, row)->rule);
        scene_end(&s);
    }
}

/* A product with the weights of all experts at once that has no partner is counted: much stays unseen in it. */
static void products_of_all_experts_alone(void **state)
{
    static const double x[] = {3, -1, 9}, y[] = {4, -2, 8}, weight[] = {0.5, -0.5, 2}, out[] = {7, -3, 20};
    static const struct {
        const char *op;
        enum call_kind kind;
        int axes;
        enum dtype type;
        bool made; /* by a recorded call */
        uint32_t alone;
    } cases[] = {
        {"bmm", CALL_API, 3, DTYPE_F32, false, 1}, {"bmm", CALL_API, 2, DTYPE_F32, false, 0},
        {"bmm", CALL_API, 3, DTYPE_I64, false, 0}, {"bmm", CALL_API, 3, DTYPE_F32, true, 0},
        {"bmm", CALL_MODULE, 3, DTYPE_F32, false, 0}, {"conv1d", CALL_API, 3, DTYPE_F32, false, 0},
    };
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        struct scene s;
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            call_on(&s.d[i], "linear", PHASE_FORWARD);
            tensor_on(&s.d[i], "input.0", DTYPE_F32, 64, x);
            tensor_on(&s.d[i], "output.0", DTYPE_F32, 72, cases[c].made ? weight : y);
        }
        struct dump *d = &s.d[GOLDEN];
        named_on(d, "Functional.of_experts.0.forward", cases[c].op, cases[c].kind, PHASE_FORWARD, NONE);
        tensor_on(d, "input.0", DTYPE_F32, 64, x);
        uint32_t stack = tensor_on(d, "input.1", cases[c].type, 72, weight);
        d->rows.v[stack].shape = dump_shape(d, cases[c].axes == 3 ? (int64_t[]){3, 4, 6} : (int64_t[]){12, 6},
                                            cases[c].axes);
        tensor_on(d, "output.0", DTYPE_F32, 64, out);
        judge_all(&s);
        if (s.j.sum.experts_alone != cases[c].alone)
            fail_msg("case %zu: %u", c, s.j.sum.experts_alone);
        scene_end(&s);
    }
}

/* Of two frameworks, a result of other axes than its call's operand contradicts itself; one that has the operand's, of
 * either side, or that another kind of call made, has its layout. */
static void axes_that_a_call_cannot_change(void **state)
{
    static const double x[] = {3, -1, 9}, y[] = {2, -0.5, 8};
    static const struct {
        const char *op;
        int64_t in[2], out[2]; /* the target's */
        bool unexplained;
    } cases[] = {{"relu", {4, 8}, {8, 4}, true}, {"relu", {8, 4}, {8, 4}, false}, {"linear", {4, 8}, {8, 4}, false}};
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        struct scene s;
        uint32_t row = NONE;
        scene_start(&s);
        s.d[TARGET].framework = "mindspore";
        for (int i = 1; i >= 0; i--) {
            static const int64_t golden[2] = {4, 8};
            struct dump *d = &s.d[i];
            call_on(d, cases[c].op, PHASE_FORWARD);
            tensor_on(d, "input.0", DTYPE_F32, 4, x); /* of another size: it says nothing */
            row = tensor_on(d, "input.1", DTYPE_F32, 32, x);
            d->rows.v[row].shape = dump_shape(d, i ? golden : cases[c].in, 2);
            row = tensor_on(d, "output.0", DTYPE_F32, 32, y);
            d->rows.v[row].shape = dump_shape(d, i ? golden : cases[c].out, 2);
        }
        build(&s);
        assert_int_equal(other_shape_is_unexplained(&s.m, scene_line(&s, row)), cases[c].unexplained);
        scene_end(&s);
    }
}

/* A backward call's output with axes taken together: the incoming gradient as a product of two axes leaves it, not one
 * that is another value or has its axes exchanged; zeros lie in every order. */
static void axes_of_an_incoming_gradient(void **state)
{
    static const double came[] = {3, -1, 9}, other[] = {3, -1, 8}, zeros[] = {0, 0, 0};
    static const struct {
        const double *out;
        int64_t axes[2]; /* of the target's output */
        bool unexplained;
    } cases[] = {{came, {16, 4}, false}, {other, {16, 4}, true}, {came, {4, 16}, true}, {zeros, {4, 16}, false}};
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        struct scene s;
        uint32_t row = NONE;
        scene_start(&s);
        for (int i = 1; i >= 0; i--) {
            static const int64_t three[3] = {2, 8, 4};
            struct dump *d = &s.d[i];
            call_on(d, "linear", PHASE_BACKWARD);
            row = tensor_on(d, "input.0", DTYPE_F32, 64, came);
            d->rows.v[row].shape = dump_shape(d, three, 3);
            row = tensor_on(d, "output.0", DTYPE_F32, 64, cases[c].out);
            d->rows.v[row].shape = i ? dump_shape(d, three, 3) : dump_shape(d, cases[c].axes, 2);
        }
        build(&s);
        if (other_shape_is_unexplained(&s.m, scene_line(&s, row)) != cases[c].unexplained)
            fail_msg("case %zu", c);
        scene_end(&s);
    }
}

/* What is read off extremes: a number minus a tensor exchanges them, and says as little as the tensor's sum of both. */
static void constant_before_a_difference(void **state)
{
    static const double in[2][3] = {{0.75, 0.25, 4}, {0.875, 0.25, 4}}, out[2][3] = {{0.75, 0.25, 4}, {0.75, 0.125, 4}};
    (void)state;
    struct scene s;
    scene_start(&s);
    struct implied_constant found[2];
    for (int i = 0; i < 2; i++) {
        named_on(&s.d[i], "Tensor.__rsub__.0.forward", "__rsub__", CALL_API, PHASE_FORWARD, NONE);
        tensor_on(&s.d[i], "input.0", DTYPE_F32, 64, in[i]);
        found[i] = implied_constant_of(&s.d[i], tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, out[i]));
        assert_true(found[i].known && !found[i].factor);
        assert_true(found[i].value == 1);
    }
    assert_false(implied_constants_differ(&found[TARGET], &found[GOLDEN]));
    scene_end(&s);
}

/* Sketches leave out mask fills, which the figures show; without fills the sketches alone are asked. */
static void fills_that_sketches_leave_out(void **state)
{
    static const double figures[2][3] = {{2, -1e9, 4.004}, {2, -1e9, 4}};
    (void)state;
    for (int fills = 0; fills < 3; fills += 2) {
        struct scene s;
        uint32_t row = NONE;
        scene_start(&s);
        both_call(&s, "mul");
        for (int i = 1; i >= 0; i--) {
            for (int k = 0; k < 2; k++) {
                row = tensor_on(&s.d[i], k ? "output.0" : "input.0", DTYPE_F32, 64, figures[k ? i : 0]);
            }
            s.d[i].sketch = calloc(2 * SKETCH_NUMBERS, sizeof(double));
            for (int k = 0; k < 2 * SKETCH_NUMBERS; k++)
                s.d[i].sketch[k] = 1;
            s.d[i].sketch[SKETCH_FILLS] = 0;
            s.d[i].sketch[SKETCH_NUMBERS + SKETCH_FILLS] = fills;
        }
        judge_all(&s);
        assert_true((of(&s, row)->error > 0) == (fills > 0));
        scene_end(&s);
    }
}

/* What needs a gradient and nothing recorded produced was computed from parameters: it has their rounding, and behind
 * products their noise. A table has none. */
static void derived_values_are_no_tables(void **state)
{
    (void)state;
    for (int needs = 0; needs < 2; needs++)
        for (int product = 0; product < 2; product++) {
            static const double a[] = {3, -1, 7}, b[] = {4, -1, 8};
            struct scene s;
            uint32_t x = NONE, w = NONE, y = NONE;
            scene_start(&s);
            both_call(&s, "embedding");
            for (int i = 0; i < 2; i++)
                w = tensor_on(&s.d[1 - i], "input.1", i ? DTYPE_BF16 : DTYPE_F32, 64, b);
            both_call(&s, product ? "linear" : "mul");
            for (int i = 0; i < 2; i++)
                y = tensor_on(&s.d[1 - i], "output.0", DTYPE_F32, 64, NULL);
            both_call(&s, "exp");
            for (int i = 0; i < 2; i++) {
                x = tensor_on(&s.d[1 - i], "input.0", DTYPE_F32, 64, a);
                s.d[1 - i].rows.v[x].needs_gradient = needs & 1;
            }
            for (int i = 0; i < 2; i++)
                for (size_t r = 0; r < s.d[i].rows.n; r++)
                    s.d[i].rows.v[r].has |= HAS_FILE;
            computed(&s, w, 1e-3);
            computed(&s, y, 1e-7);
            computed(&s, x, 2e-3);
            judge_all(&s);
            bool table = !needs && !product;
            assert_int_equal(of(&s, x)->verdict == VERDICT_DEVIATE, table);
            assert_int_equal(of(&s, x)->rule == RULE_SOURCE, table);
            s.m.figures[scene_line(&s, x)]->rel_l2 = 0.5;
            judge_all(&s);
            assert_int_equal(level_verdict(of(&s, x)), VERDICT_DEVIATE);
            scene_end(&s);
        }
}

static void reordered_pairs_claim_nothing(void **state)
{
    struct scene s;
    struct figures f = {.two = true,
                        .rel_l2 = 1.3,
                        .side = {{.norm = 5, .max = 2, .min = -2}, {.norm = 5, .max = 2, .min = -2}}};
    (void)state;
    scene_start(&s);
    both_call(&s, "mul");
    uint32_t r = measured(&s, "output.0", DTYPE_F32);
    build(&s);
    scene_computed(&s, r, &f);
    judge_all(&s);
    EXPECT(&s, r, VERDICT_DEVIATE, RULE_LIMIT); /* paired by name: it is wrong */
    s.p.pairs.v[0].origin = ORIGIN_SEQUENCE;
    judge_all(&s);
    assert_int_equal(of(&s, r)->rule, RULE_REORDERED);
    assert_true(of(&s, r)->flags & LINE_DOUBTFUL);
    assert_int_equal(s.j.first, NONE);
    scene_end(&s);
}

/* An input in another order gives results of the same size: where they are others, its elements are. */
static void other_results_show_other_elements(void **state)
{
    static const struct {
        const char *op;
        double norm; /* of the target's result; the golden one has 40 */
        bool reordered;
    } cases[] = {{"mul", 40, true}, {"mul", 40.01, true}, {"mul", 44, false}, {"mul", 36, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        struct figures in = {.two = true,
                             .rel_l2 = 1.3,
                             .side = {{.norm = 5, .max = 2, .min = -2}, {.norm = 5, .max = 2, .min = -2}}};
        struct figures result = {.two = true,
                                 .rel_l2 = 1.2,
                                 .side = {{.norm = cases[i].norm, .max = 9, .min = -9}, {.norm = 40, .max = 8, .min = -9}}};
        scene_start(&s);
        both_call(&s, cases[i].op);
        uint32_t r = measured(&s, "input.0", DTYPE_F32), y = measured(&s, "output.0", DTYPE_F32);
        build(&s);
        scene_computed(&s, r, &in);
        scene_computed(&s, y, &result);
        s.p.pairs.v[0].origin = ORIGIN_SEQUENCE;
        judge_all(&s);
        if ((of(&s, r)->rule == RULE_REORDERED) != cases[i].reordered)
            fail_msg("case %zu: rule %d", i, of(&s, r)->rule);
        scene_end(&s);
    }
}

/* ---- recorded figures ---- */

static uint32_t recorded(struct scene *s, const char *slot, const double *t, const double *g)
{
    tensor_on(&s->d[1], slot, DTYPE_F32, 64, g);
    return tensor_on(&s->d[0], slot, DTYPE_F32, 64, t);
}

/* Angles in 16 bits on one side, by figures: more than two roundings of the sines are amplified; that the angles were
 * rounded shows in their figures, or is in doubt. */
static void statistics_of_angles(void **state)
{
    static const struct {
        enum dtype angle, sine;
        double most, norm[2]; /* of the angles */
        bool bad, doubt;
    } cases[] = {
        {DTYPE_BF16, DTYPE_BF16, 10, {28.41, 28.40}, true, false}, {DTYPE_BF16, DTYPE_BF16, 10, {28.4, 28.4}, true, true},
        {DTYPE_BF16, DTYPE_BF16, 1.5, {4.11, 4.1}, false, false},  {DTYPE_F16, DTYPE_F32, 7, {16.817, 16.816}, true, false},
        {DTYPE_F32, DTYPE_F32, 7, {16.817, 16.816}, false, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        static const double sine[] = {1, -1, 7};
        struct scene s;
        scene_start(&s);
        both_call(&s, "cos");
        for (int k = 0; k < 2; k++) {
            double angle[] = {cases[i].most, 0, cases[i].norm[k]};
            tensor_on(&s.d[k], "input.0", k == TARGET ? cases[i].angle : DTYPE_F32, 64, angle);
            tensor_on(&s.d[k], "output.0", cases[i].sine, 64, sine);
        }
        judge_all(&s);
        const struct line_judgement *l = of(&s, (uint32_t)s.d[TARGET].rows.n - 1);
        assert_int_equal(verdict_is_bad((enum verdict)l->verdict), cases[i].bad);
        assert_int_equal(l->rule == RULE_ANGLES, cases[i].bad);
        assert_int_equal((l->flags & LINE_DOUBTFUL) != 0, cases[i].doubt);
        scene_end(&s);
    }
}

static void statistics(void **state)
{
    static const double base[] = {2, -2, 10}, close[] = {2 + 1e-4, -2, 10}, off[] = {2, -2, 10.2}, zero[] = {0, 0, 0};
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "mul");
    uint32_t same = recorded(&s, "output.0", base, base), near = recorded(&s, "output.1", close, base);
    uint32_t bad = recorded(&s, "output.2", off, base), zeros = recorded(&s, "output.3", zero, zero);
    uint32_t one_zero = recorded(&s, "output.4", base, zero);
    judge_all(&s);
    EXPECT(&s, same, VERDICT_MATCH, RULE_SAME_STATS);
    EXPECT(&s, near, VERDICT_MATCH, RULE_SAME_STATS);
    assert_true(fabs((double)of(&s, near)->error - 1e-5) < 1e-9); /* relative to the norm, not to the extreme */
    EXPECT(&s, bad, VERDICT_DEVIATE, RULE_LIMIT);
    EXPECT(&s, zeros, VERDICT_MATCH, RULE_SAME_STATS);
    EXPECT(&s, one_zero, VERDICT_DEVIATE, RULE_LIMIT);
    assert_true(isinf(of(&s, one_zero)->error));
    for (uint32_t r = 0; r < 5; r++)
        assert_true(of(&s, r)->flags & LINE_STATISTICS);
    scene_end(&s);
}

/* Every element of a weight differs a little: the norm of many hides that, an extreme does not. Behind a step it may be
 * one that noise moved. */
static void statistics_of_parameters(void **state)
{
    static const double golden[] = {0.79, -0.68, 10}, off[] = {0.7901, -0.68, 10}, noise[] = {0.79 + 1e-5, -0.68, 10};
    (void)state;
    for (int step = 0; step < 2; step++) {
        struct scene s;
        uint32_t row[3];
        scene_start(&s);
        s.d[TARGET].step = s.d[GOLDEN].step = step;
        both_call(&s, "linear");
        for (int k = 0; k < 3; k++) {
            const char *slot = k < 2 ? "parameters.weight" : "output.0";
            tensor_on(&s.d[GOLDEN], slot, DTYPE_F32, 2560, golden);
            row[k] = tensor_on(&s.d[TARGET], slot, DTYPE_F32, 2560, k == 1 ? noise : off);
        }
        judge_all(&s);
        EXPECT(&s, row[0], step ? VERDICT_MATCH : VERDICT_DEVIATE, step ? RULE_SAME_STATS : RULE_PARAMETER);
        EXPECT(&s, row[1], VERDICT_MATCH, RULE_SAME_STATS);
        EXPECT(&s, row[2], VERDICT_MATCH, RULE_SAME_STATS);
        scene_end(&s);
    }
}

/* Figures of bfloat16 values are equal where the values are not, as a result in float32 shows: where there is noise at
 * all, by as much as a rounding. */
static void statistics_that_16_bits_hide(void **state)
{
    static const double x[] = {2, -2, 10}, y[] = {3, -1, 9}, near[] = {3, -1, 9.05}, far[] = {3, -1, 9.5};
    static const struct {
        enum dtype in;
        double noise;
        const double *target;
        bool bad;
    } cases[] = {{DTYPE_BF16, 1e-4, near, false},
                 {DTYPE_BF16, 1e-4, far, true},
                 {DTYPE_BF16, 0, near, true},
                 {DTYPE_F32, 1e-4, near, true}};
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        const double first[] = {4 + cases[c].noise, -4, 20}, golden[] = {4, -4, 20};
        struct scene s;
        scene_start(&s);
        both_call(&s, "relu");
        recorded(&s, "output.0", first, golden);
        for (int i = 0; i < 2; i++)
            tensor_on(&s.d[i], "output.1", cases[c].in, 64, x);
        both_call(&s, "softmax");
        for (int i = 0; i < 2; i++)
            tensor_on(&s.d[i], "input.0", cases[c].in, 64, x);
        uint32_t row = recorded(&s, "output.0", cases[c].target, y);
        judge_all(&s);
        if ((level_verdict(of(&s, row)) == VERDICT_DEVIATE) != cases[c].bad)
            fail_msg("case %zu: %d, limit %g", c, of(&s, row)->rule, (double)of(&s, row)->limit);
        scene_end(&s);
    }
}

/* Figures of picked places tell that one at least is another one: noise turns so many at a tie, unless there is none or
 * the values picked are others too. */
static void statistics_of_picks(void **state)
{
    static const double golden[] = {3, -3, 32}, top[] = {3, 1, 12}, lower[] = {2, 1, 10}, places[] = {900, 2, 0},
                        others[] = {800, 2, 0};
    static const struct {
        double noise;
        const double *picked;
        bool ill;
    } cases[] = {{1e-2, top, true}, {0, top, false}, {1e-2, lower, false}};
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        const double scores[] = {3 + cases[c].noise, -3, 32};
        struct scene s;
        uint32_t row = NONE;
        scene_start(&s);
        for (int i = 1; i >= 0; i--) {
            struct dump *d = &s.d[i];
            call_on(d, "linear", PHASE_FORWARD);
            tensor_on(d, "output.0", DTYPE_F32, 1024, i ? golden : scores);
            call_on(d, "topk", PHASE_FORWARD);
            tensor_on(d, "input.0", DTYPE_F32, 1024, i ? golden : scores);
            tensor_on(d, "output.0", DTYPE_F32, 64, i ? top : cases[c].picked);
            row = tensor_on(d, "output.1", DTYPE_I64, 64, i ? places : others);
        }
        judge_all(&s);
        if ((of(&s, row)->rule == RULE_ILL) != cases[c].ill)
            fail_msg("case %zu: %d, limit %g", c, of(&s, row)->rule, (double)of(&s, row)->limit);
        scene_end(&s);
    }
}

/* A loss differs by what goes into it: a mean square distance by what its tensors differ by, a
 * cross entropy by errors of random sign in the scores of few samples. By more, or where the
 * figures are not those of such a loss, the limit of a loss holds. */
static void statistics_of_losses(void **state)
{
    static const struct {
        const char *op;
        int64_t samples;
        double x, loss, golden; /* the target's norm and loss, beside the norm 20 and this loss; 6.25 = 20² / 64 */
        bool bad;
    } cases[] = {{"mse_loss", 64, 20.4, 6.5, 6.25, false},    {"mse_loss", 64, 20.4, 7.5, 6.25, true},
                 {"mse_loss", 64, 20, 6.5, 6.25, true},       {"mse_loss", 64, 20.4, 52, 50, true},
                 {"cross_entropy", 4, 20.4, 2.05, 2, false},  {"cross_entropy", 4, 20.4, 2.4, 2, true},
                 {"cross_entropy", 64, 20.4, 2.15, 2, true}};
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        const double x[2][3] = {{4, -4, cases[c].x}, {4, -4, 20}}, zeros[] = {0.01, -0.01, 0.05}, classes[] = {9, 0, 0},
                     loss[2][3] = {{cases[c].loss, cases[c].loss, cases[c].loss},
                                   {cases[c].golden, cases[c].golden, cases[c].golden}};
        bool whole = str_is(str_of(cases[c].op), "cross_entropy");
        struct scene s;
        uint32_t row = NONE;
        scene_start(&s);
        for (int i = 1; i >= 0; i--) {
            call_on(&s.d[i], "linear", PHASE_FORWARD);
            tensor_on(&s.d[i], "output.0", DTYPE_BF16, 64, x[i]);
            call_on(&s.d[i], cases[c].op, PHASE_FORWARD);
            tensor_on(&s.d[i], "input.0", DTYPE_BF16, 64, x[i]);
            tensor_on(&s.d[i], "input.1", whole ? DTYPE_I64 : DTYPE_BF16, cases[c].samples, whole ? classes : zeros);
            row = tensor_on(&s.d[i], "output.0", DTYPE_BF16, 1, loss[i]);
        }
        judge_all(&s);
        if ((level_verdict(of(&s, row)) == VERDICT_DEVIATE) != cases[c].bad)
            fail_msg("case %zu: %d, limit %g", c, of(&s, row)->rule, (double)of(&s, row)->limit);
        scene_end(&s);
    }
}

/* Equal extremes and norms beside means that differ: the elements differ by at least that. */
static void means_beside_norms(void **state)
{
    static const double base[] = {2, -2, 10};
    (void)state;
    for (int off = 0; off < 2; off++)
        for (int coarse = 0; coarse < 2; coarse++) {
            struct scene s;
            scene_start(&s);
            both_call(&s, "mul");
            uint32_t r = recorded(&s, "output.0", base, base);
            for (int i = 0; i < 2; i++) {
                struct row *x = &s.d[i].rows.v[r];
                x->has |= HAS_MEAN;
                x->dtype = coarse ? DTYPE_BF16 : DTYPE_F32;
                x->stat[STAT_MEAN] = 0.5 + (i == TARGET ? off * 0.003 : 0); /* a rounding in 16 bits */
            }
            judge_all(&s);
            assert_int_equal(level_verdict(of(&s, r)), off && !coarse ? VERDICT_DEVIATE : VERDICT_MATCH);
            scene_end(&s);
        }
}

/* The number that the step's gradients begin with has no noise, whatever the model has. */
static void a_factor_of_the_loss(void **state)
{
    static const double base[] = {2, -2, 10}, noisy[] = {2, -2, 10.05}, one[] = {1, 1, 1};
    static const double more[] = {1.006, 1.006, 1.006};
    (void)state;
    for (int off = 0; off < 2; off++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "mul");
        uint32_t before = recorded(&s, "output.0", noisy, base), seed = NONE;
        s.d[0].rows.v[before].dtype = s.d[1].rows.v[before].dtype = DTYPE_BF16;
        for (int i = 1; i >= 0; i--) {
            call_on(&s.d[i], "cross_entropy", PHASE_BACKWARD);
            seed = tensor_on(&s.d[i], "input.0", DTYPE_F32, 1, i == TARGET && off ? more : one);
        }
        judge_all(&s);
        assert_int_equal(of(&s, before)->verdict, VERDICT_MATCH);
        EXPECT(&s, seed, off ? VERDICT_DEVIATE : VERDICT_MATCH, off ? RULE_SOURCE : RULE_SAME_STATS);
        scene_end(&s);
    }
}

/* A source that prints six digits cannot be asked for more. */
/* What a recording prints, and what a tensor's type can hold, is all that can agree. */
static void numbers_as_printed_and_as_rounded(void **state)
{
    static const double printed[] = {0.353553, 0.353553, 0.353553}, rounded[] = {1.00136e-05, 1.00136e-05, 1.00136e-05};
    (void)state;
    for (int six = 0; six < 2; six++) {
        struct scene s;
        scene_start(&s);
        s.d[0].digits = six ? 6 : 17;
        both_call(&s, "mul");
        uint32_t r = tensor_on(&s.d[0], "input.0", DTYPE_F32, 1, printed),
                 b = tensor_on(&s.d[0], "input.1", DTYPE_BF16, 1, rounded);
        number_on(&s.d[1], "input.0", ROW_FLOAT, 0.3535533905932738, "0.3535533905932738");
        number_on(&s.d[1], "input.1", ROW_FLOAT, 1e-05, "1e-05");
        uint32_t n = recorded(&s, "input.2", (const double[]){254, 23, 281.148}, (const double[]){254, 23, 281.14764});
        s.d[0].rows.v[n].dtype = s.d[1].rows.v[n].dtype = DTYPE_I64;
        judge_all(&s);
        assert_int_equal(level_verdict(of(&s, r)), six ? VERDICT_MATCH : VERDICT_DEVIATE);
        assert_int_equal(level_verdict(of(&s, b)), VERDICT_MATCH);
        assert_int_equal(level_verdict(of(&s, n)), six ? VERDICT_MATCH : VERDICT_DEVIATE);
        scene_end(&s);
    }
}

/* The mean tells what lies between equal extremes, without a norm and beside one. */
static void means_where_norms_are_absent(void **state)
{
    (void)state;
    for (int norm = 0; norm < 2; norm++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "mul");
        uint32_t r = recorded(&s, "output.0", (const double[]){10, -10, 30}, (const double[]){10, -10, 30});
        for (int i = 0; i < 2; i++) {
            struct row *x = &s.d[i].rows.v[r];
            x->has |= HAS_MEAN;
            x->has &= (uint16_t)(norm ? ~0 : ~HAS_NORM);
            x->stat[STAT_MEAN] = i ? -0.113 : 0.0084;
        }
        judge_all(&s);
        assert_int_equal(level_verdict(of(&s, r)), VERDICT_DEVIATE);
        scene_end(&s);
    }
}

static void printed_digits(void **state)
{
    static const double t[] = {2, -2, 10}, g[] = {2, -2, 10.00009};
    (void)state;
    for (int six = 0; six < 2; six++) {
        struct scene s;
        scene_start(&s);
        s.tol.f32.drift = 1e-9;
        s.d[1].digits = six ? 6 : 17;
        both_call(&s, "mul");
        uint32_t r = recorded(&s, "output.0", t, g);
        judge_all(&s);
        assert_int_equal(level_verdict(of(&s, r)), six ? VERDICT_MATCH : VERDICT_DEVIATE);
        scene_end(&s);
    }
}

static void non_finite_statistics(void **state)
{
    static const double fine[] = {2, -2, 10}, nan[] = {NAN, NAN, NAN}, inf[] = {INFINITY, -2, INFINITY},
                        minus[] = {2, -INFINITY, INFINITY}, overflowed[] = {2, -2, INFINITY};
    static const struct {
        const double *t, *g;
        enum verdict v;
        enum verdict_rule r;
    } cases[] = {
        {nan, fine, VERDICT_NONFINITE, RULE_NONFINITE},     {fine, nan, VERDICT_NONFINITE, RULE_NONFINITE},
        {inf, fine, VERDICT_NONFINITE, RULE_NONFINITE},     {inf, minus, VERDICT_NONFINITE, RULE_NONFINITE},
        {nan, inf, VERDICT_NONFINITE, RULE_NONFINITE},      {nan, nan, VERDICT_MATCH, RULE_NONFINITE_ALIKE},
        {overflowed, fine, VERDICT_MATCH, RULE_SAME_STATS}, {overflowed, overflowed, VERDICT_MATCH, RULE_SAME_STATS},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "mul");
        uint32_t r = recorded(&s, "output.0", cases[i].t, cases[i].g);
        judge_all(&s);
        expect_line(of(&s, r), cases[i].v, cases[i].r, (int)i);
        scene_end(&s);
    }
}

static void integer_statistics(void **state)
{
    static const double a[] = {9, 0, 20}, b[] = {9, 0, 21};
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "embedding");
    uint32_t same = recorded(&s, "input.0", a, a), off = recorded(&s, "input.1", a, b);
    for (int i = 0; i < 2; i++)
        for (uint32_t r = 0; r < 2; r++)
            s.d[i].rows.v[r].dtype = DTYPE_I64;
    judge_all(&s);
    EXPECT(&s, same, VERDICT_MATCH, RULE_SAME_STATS);
    EXPECT(&s, off, VERDICT_DEVIATE, RULE_INTEGERS_DIFFER);
    scene_end(&s);
}

static void checksums(void **state)
{
    static const struct {
        const char *t, *g, *framework;
        enum dtype d;
        enum verdict v;
        enum verdict_rule r;
        bool doubt;
    } cases[] = {
        {"aa", "aa", "pytorch", DTYPE_F32, VERDICT_MATCH, RULE_CHECKSUM_SAME, false},
        {"aa", "bb", "pytorch", DTYPE_F32, VERDICT_DEVIATE, RULE_CHECKSUM_DIFFERS, false},
        {"aa", "bb", "mindspore", DTYPE_F32, VERDICT_SKIP, RULE_CHECKSUM_SAYS_NOTHING, true},
        {"aa", "bb", "pytorch", DTYPE_BF16, VERDICT_SKIP, RULE_CHECKSUM_SAYS_NOTHING, true}, /* other bits anyway */
        {"0eb5d1a0", "0x000690aa7fdbdb61", "pytorch", DTYPE_F32, VERDICT_SKIP, RULE_CHECKSUM_OTHER, true},
        {"0eb5d1a0", "0cc175b9c0f1b6a831c399e269772661", "pytorch", DTYPE_F32, VERDICT_SKIP, RULE_CHECKSUM_OTHER, true},
        {"0x000690aa7fdbdb61", "0x000690aa7fdbdb61", "pytorch", DTYPE_F32, VERDICT_MATCH, RULE_CHECKSUM_SAME, false},
        {"0x000690aa7fdbdb61", "0x000690aa7fdbdb62", "pytorch", DTYPE_F32, VERDICT_DEVIATE, RULE_CHECKSUM_DIFFERS, false},
        {"0x0000000000000000", "0x0000000000000000", "pytorch", DTYPE_F32, VERDICT_SKIP, RULE_CHECKSUM_OTHER, false},
        {"DEADBEEF", "deadbeef", "pytorch", DTYPE_F32, VERDICT_MATCH, RULE_CHECKSUM_SAME, false},
        {"4", "16", "pytorch", DTYPE_F32, VERDICT_DEVIATE, RULE_CHECKSUM_DIFFERS, false}, /* decimal */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "mul");
        uint32_t r = both_tensor(&s, "output.0", DTYPE_F32, cases[i].d);
        for (int k = 0; k < 2; k++) {
            s.d[k].rows.v[0].text = k ? cases[i].g : cases[i].t;
            s.d[k].rows.v[0].has |= HAS_CHECKSUM;
        }
        build(&s);
        s.d[1].framework = cases[i].framework; /* after the pairing by names */
        judge_all(&s);
        expect_line(of(&s, r), cases[i].v, cases[i].r, (int)i);
        assert_int_equal(line_is_in_doubt(of(&s, r)), cases[i].doubt);
        scene_end(&s);
    }
}

/* The checksum says that the elements are the same, the figures that they are not: one of them is damaged. */
static void a_checksum_and_figures_contradict(void **state)
{
    (void)state;
    for (int differ = 0; differ < 3; differ++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "mul");
        double golden[] = {3, -2, differ == 2 ? 5.1 : 5.001}; /* norms are summed in another order */
        uint32_t r = recorded(&s, "output.0", (const double[]){differ == 1 ? 3.1 : 3, -2, 5}, golden);
        for (int k = 0; k < 2; k++) {
            s.d[k].rows.v[r].text = "5bf86686";
            s.d[k].rows.v[r].has |= HAS_CHECKSUM;
        }
        judge_all(&s);
        assert_int_equal(of(&s, r)->rule, differ ? RULE_UNPARSED : RULE_CHECKSUM_SAME);
        assert_int_equal((of(&s, r)->flags & LINE_UNREAD) != 0, differ != 0);
        assert_int_equal(s.j.sum.unread, differ != 0);
        scene_end(&s);
    }
}

static void unread_tensors_are_judged_by_statistics(void **state)
{
    static const double base[] = {2, -2, 10}, off[] = {2, -2, 11};
    struct scene s;
    struct err e;
    (void)state;
    scene_start(&s);
    both_call(&s, "mul");
    uint32_t r = recorded(&s, "output.0", off, base);
    for (int i = 0; i < 2; i++)
        s.d[i].rows.v[0].has |= HAS_FILE;
    build(&s);
    err_set(&e, ERR_IO, "gone");
    measure_post(&s.m, &(struct measure_job){.line = 0}, NULL, NULL, &e);
    judge_all(&s);
    EXPECT(&s, r, VERDICT_DEVIATE, RULE_LIMIT);
    assert_true((of(&s, r)->flags & LINE_UNREAD) && (of(&s, r)->flags & LINE_STATISTICS));
    assert_int_equal(s.j.sum.unread, 1);
    scene_end(&s);
}

/* A chain of calls in exact arithmetic, whose third one adds an error that the others hand on: each tensor in turn
 * cannot be read, and has recorded figures that are less far apart than its elements. */
static void what_cannot_be_read_excuses_nothing(void **state)
{
    enum { CALLS_MADE = 6, ROWS = 2 * CALLS_MADE };
    static const double error = 1e-4, figures = 1.5e-5;
    (void)state;
    for (uint32_t cut = 0; cut <= ROWS; cut++) {
        struct scene s;
        struct err e;
        uint32_t row[ROWS];
        scene_start(&s);
        for (uint32_t i = 0; i < ROWS; i++) {
            double size = 1 + (i + 1) / 2, norm = 2 * size;
            double stats[2][3] = {{size, -size, norm * (1 + (i > 4 ? figures : 0))}, {size, -size, norm}};
            if (i % 2 == 0)
                both_call(&s, "mul");
            row[i] = recorded(&s, i % 2 ? "output.0" : "input.0", stats[0], stats[1]);
            for (int k = 0; k < 2; k++)
                s.d[k].rows.v[row[i]].has |= HAS_FILE;
        }
        for (uint32_t i = 0; i < ROWS; i++)
            if (i != cut)
                computed(&s, row[i], i > 4 ? error : 0);
        err_set(&e, ERR_IO, "gone");
        if (cut < ROWS)
            measure_post(&s.m, &(struct measure_job){.line = scene_line(&s, row[cut])}, NULL, NULL, &e);
        judge_all(&s);
        for (uint32_t i = 0; i < ROWS; i++)
            if (i != cut && verdict_is_bad((enum verdict)of(&s, row[i])->verdict) != (i > 4))
                fail_msg("row %u with row %u cut: %s", i, cut, verdict_name((enum verdict)of(&s, row[i])->verdict));
        if (cut != 5)
            assert_int_equal(s.j.first, scene_line(&s, row[5]));
        scene_end(&s);
    }
}

/* Behind a product whose output could not be read an error that a product may leave is neither a deviation nor a match:
 * after one that agrees to the bit it deviates, and what no product leaves deviates either way. */
static void behind_an_unread_product(void **state)
{
    static const double same[] = {2, -2, 10};
    static const struct {
        bool unread, bias;
        double error;
        enum verdict v;
        enum verdict_rule r;
    } cases[] = {
        {false, false, 1e-4, VERDICT_DEVIATE, RULE_JUMP},
        {true, false, 1e-4, VERDICT_SKIP, RULE_BEHIND_UNREAD},
        {true, true, 1e-4, VERDICT_SKIP, RULE_BEHIND_UNREAD},
        {true, false, 9e-4, VERDICT_DEVIATE, RULE_JUMP},
        {true, false, 1e-5, VERDICT_MATCH, RULE_WITHIN},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        struct err e;
        scene_start(&s);
        both_call(&s, "linear");
        uint32_t product = recorded(&s, "output.0", same, same);
        if (cases[i].bias) /* a module that hands its bias on, or none */
            for (int k = 0; k < 2; k++)
                number_on(&s.d[k], "output.1", ROW_NULL, 0, NULL);
        both_call(&s, "mul");
        uint32_t out = measured(&s, "output.0", DTYPE_F32);
        for (int k = 0; k < 2; k++)
            s.d[k].rows.v[product].has |= HAS_FILE;
        if (!cases[i].unread)
            computed(&s, product, 0);
        computed(&s, out, cases[i].error);
        err_set(&e, ERR_IO, "gone");
        if (cases[i].unread)
            measure_post(&s.m, &(struct measure_job){.line = scene_line(&s, product)}, NULL, NULL, &e);
        judge_all(&s);
        EXPECT(&s, out, cases[i].v, cases[i].r);
        scene_end(&s);
    }
}

/* ---- one-sided rows, exactness ---- */

static void one_sided_rows(void **state)
{
    static const struct {
        bool strict, exact;
        enum verdict compute, view, input;
    } cases[] = {
        {false, false, VERDICT_ONLY, VERDICT_ONLY, VERDICT_ONLY},
        {true, false, VERDICT_DEVIATE, VERDICT_ONLY, VERDICT_ONLY}, /* a compute call's output counts */
        {false, true, VERDICT_DEVIATE, VERDICT_DEVIATE, VERDICT_DEVIATE}, /* no element counts differ */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        scene_start(&s);
        call_on(&s.d[0], "linear", PHASE_FORWARD);
        uint32_t in = tensor_on(&s.d[0], "input.0", DTYPE_F32, 64, NULL),
                 out = tensor_on(&s.d[0], "output.0", DTYPE_F32, 64, NULL);
        call_on(&s.d[0], "transpose", PHASE_FORWARD);
        uint32_t view = tensor_on(&s.d[0], "output.0", DTYPE_F32, 64, NULL);
        s.o.strict_gaps = cases[i].strict;
        s.o.exact = cases[i].exact;
        judge_all(&s);
        EXPECT(&s, out, cases[i].compute, RULE_ONE_SIDED);
        EXPECT(&s, view, cases[i].view, RULE_ONE_SIDED);
        EXPECT(&s, in, cases[i].input, RULE_ONE_SIDED);
        assert_int_equal(s.j.sum.only[TARGET], 3);
        if (cases[i].strict)
            assert_true(s.j.first == scene_line(&s, out) && s.j.first_class == FIRST_GAP);
        scene_end(&s);
    }
}

/* A row without a partner whose output is read, and is not what its own call makes of its own inputs: nothing is
 * aligned over it, unless by less than a pair may differ. */
static void one_sided_contradiction(void **state)
{
    float wrong[16] = {0};
    static const double stats[] = {2, -2, 10}, other[] = {3, -1, 12};
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool read = i > 0, known = i == 2;
        struct scene s;
        scene_start(&s);
        for (int pair = 0; pair < 2; pair++) {
            both_call(&s, "linear");
            recorded(&s, "output.0", stats, stats);
        }
        call_on(&s.d[TARGET], "matmul", PHASE_FORWARD);
        uint32_t out = tensor_on(&s.d[TARGET], "output.0", DTYPE_F32, 64, other);
        call_on(&s.d[TARGET], "reshape", PHASE_FORWARD);
        if (read)
            tensor_on(&s.d[TARGET], "input.0", DTYPE_F32, 64, other);
        judge_all(&s);
        wrong[scene_line(&s, out)] = i == 1 ? 0 : i < 3 ? 0.01f : 1e-6f;
        s.o.own_wrong = wrong;
        judge_all(&s);
        EXPECT(&s, out, VERDICT_ONLY, known ? RULE_CONTRADICTS : RULE_ONE_SIDED);
        assert_int_equal(s.j.sum.contradicting, known);
        assert_int_equal(judgement_unjudged(&s.j, &s.o), known ? UNJUDGED_CONTRADICTS : UNJUDGED_NOT);
        assert_int_equal(judgement_status(&s.j, &s.o), known ? 5 : 0);
        if (known)
            assert_string_equal(s.j.sum.first_contradicting, s.d[TARGET].calls.v[s.d[TARGET].calls.n - 2].name);
        scene_end(&s);
    }
}

/* A call of the target's that reads one value and makes another; an operand before the first may be lost. */
static uint32_t target_call(struct scene *s, enum call_kind kind, enum call_phase phase, const char *input,
                            const double *in, const double *out)
{
    call_on(&s->d[TARGET], "mul", phase);
    vec_last(&s->d[TARGET].calls)->kind = kind;
    uint32_t row = tensor_on(&s->d[TARGET], input, DTYPE_F32, 64, in);
    tensor_on(&s->d[TARGET], "output.0", DTYPE_F32, 64, out);
    return row;
}

/* In the backward pass of a graph, whose operators were all recorded, a value without a partner that only one call has
 * was not what another one made or read; a constant is, and one that a later call has. */
static void one_sided_unlinked(void **state)
{
    static const double stats[] = {2, -2, 10}, own[] = {3, -1, 12}, constant[] = {3, 3, 24};
    static const struct {
        enum call_kind kind;
        enum call_phase phase;
        bool made; /* the value comes out */
        const double *stat;
        bool shared, lost;
        int others;
        enum verdict_rule r;
    } cases[] = {
        {CALL_OPERATOR, PHASE_BACKWARD, false, own, false, false, 20, RULE_UNLINKED},
        {CALL_OPERATOR, PHASE_BACKWARD, true, own, false, false, 20, RULE_UNLINKED},
        {CALL_OPERATOR, PHASE_BACKWARD, true, own, false, false, 15, RULE_ONE_SIDED}, /* too many are not linked */
        {CALL_OPERATOR, PHASE_BACKWARD, false, own, true, false, 20, RULE_ONE_SIDED},
        {CALL_OPERATOR, PHASE_BACKWARD, true, own, true, false, 20, RULE_ONE_SIDED},
        {CALL_OPERATOR, PHASE_BACKWARD, true, own, false, true, 20, RULE_ONE_SIDED}, /* the reader may be lost */
        {CALL_OPERATOR, PHASE_BACKWARD, false, constant, false, false, 20, RULE_ONE_SIDED},
        {CALL_OPERATOR, PHASE_FORWARD, false, own, false, false, 20, RULE_ONE_SIDED},
        {CALL_API, PHASE_BACKWARD, true, own, false, false, 20, RULE_ONE_SIDED},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "linear");
        recorded(&s, "output.0", stats, stats);
        for (int k = 0; k < cases[i].others; k++)
            target_call(&s, cases[i].kind, cases[i].phase, "input.0", stats, stats);
        uint32_t row = target_call(&s, cases[i].kind, cases[i].phase, "input.0", cases[i].made ? stats : cases[i].stat,
                                   cases[i].made ? cases[i].stat : stats) + cases[i].made;
        target_call(&s, cases[i].kind, cases[i].phase, cases[i].lost ? "input.1" : "input.0",
                    cases[i].shared ? cases[i].stat : stats, stats);
        judge_all(&s);
        EXPECT(&s, row, VERDICT_ONLY, cases[i].r);
        bool open = cases[i].r == RULE_UNLINKED;
        assert_int_equal(s.j.sum.unanswered, open);
        assert_int_equal(judgement_unjudged(&s.j, &s.o), open ? UNJUDGED_UNANSWERED : UNJUDGED_NOT);
        scene_end(&s);
    }
}

/* A value that was accepted with an error of 0.05 goes into the next call: as it is, or rounded on the target's side by
 * a cast that nobody recorded. */
static void rounded_on_the_way(void **state)
{
    enum { QUIET = 64 };
    static const double golden[] = {2, -2, 10}, target[] = {2.05, -2.04, 10.3}, rounded[] = {2.047, -2.031, 10.31};
    static const struct {
        enum dtype type; /* of the target's input */
        const double *holds;
        bool accepted;
    } cases[] = {
        {DTYPE_F32, target, true},
        {DTYPE_BF16, rounded, true},
        {DTYPE_F32, rounded, false}, /* no cast explains that */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        uint32_t before = NONE, after = NONE, quiet[QUIET];
        scene_start(&s);
        for (int k = 0; k < 2; k++) {
            struct dump *d = &s.d[k];
            call_on(d, "sin", PHASE_FORWARD);
            uint32_t r = tensor_on(d, "output.0", DTYPE_F32, 64, k == GOLDEN ? golden : target);
            before = k == GOLDEN ? before : r;
            d->rows.v[r].has |= HAS_FILE;
            for (int n = 0; n < QUIET; n++) { /* the level is far below */
                call_on(d, "mul", PHASE_FORWARD);
                quiet[n] = tensor_on(d, "output.0", DTYPE_F32, 64, (const double[]){n + 3, -n - 4, n + 20});
                d->rows.v[quiet[n]].has |= HAS_FILE;
            }
            call_on(d, "mul", PHASE_FORWARD);
            r = tensor_on(d, "input.0", k == GOLDEN ? DTYPE_F32 : cases[i].type, 64,
                          k == GOLDEN ? golden : cases[i].holds);
            after = k == GOLDEN ? after : r;
            d->rows.v[r].has |= HAS_FILE;
        }
        scene_build(&s);
        static float band[QUIET + 2] = {0.02f};
        s.o.band = band;
        struct figures f = {.two = true, .rel_l2 = 0.05, .side = {{.norm = 10.3}, {.norm = 10}}};
        scene_computed(&s, before, &f);
        f.rel_l2 = 1e-7;
        for (int n = 0; n < QUIET; n++)
            scene_computed(&s, quiet[n], &f);
        f.rel_l2 = 0.15;
        scene_computed(&s, after, &f);
        scene_judge(&s);
        assert_true(verdict_is_accepted((enum verdict)s.j.line[scene_line(&s, before)].verdict));
        assert_int_equal(verdict_is_accepted((enum verdict)s.j.line[scene_line(&s, after)].verdict), cases[i].accepted);
        scene_end(&s);
    }
}

/* One size of heads for all: 16 queries and keys of 4. */
static uint32_t heads_on(struct dump *d, const char *slot, const double *stats)
{
    static const int64_t size[] = {16, 4};
    uint32_t r = tensor_on(d, slot, DTYPE_F32, 64, stats);
    d->rows.v[r].shape = dump_shape(d, size, 2);
    return r;
}

static void fused_and_written_out(void **state)
{
    static const double q[] = {2, -2, 10}, key[] = {1.5, -2.1, 8.6}, raw[] = {4, -3.2, 16.2},
                        probabilities[] = {0.5, 0.04, 3};
    static const double result[] = {0.51, -1.16, 4.84}, other_result[] = {0.55, -1.2, 4.85};
    static const struct {
        double written;   /* what the scores are multiplied by, or divided by */
        bool division, before; /* the queries are, not the scores */
        double given;     /* the fused call's argument; 0: left out, 1/√4 */
        bool same_result;
        double own, other; /* as the lines have it; 0: nothing deviates */
        bool grouped;      /* each key is written out for two queries */
        double moved;      /* by this factor an earlier fault moves queries, keys and results; 0: there is none */
        bool keys;         /* are multiplied or divided by the number as well */
    } cases[] = {
        {0.35, false, false, 0, false, 0.35, 0.5, false, 0, false},
        {0.35, false, true, 0, false, 0.35, 0.5, false, 0, false},
        {0.35, false, false, 0.25, false, 0.35, 0.25, false, 0, false},
        {4, true, false, 0, false, 4, 2, false, 0, false},
        {0.5, false, false, 0, false, 0, 0, false, 0, false},
        {2, true, false, 0, false, 0, 0, false, 0, false},
        {0.25, false, false, 0.25, false, 0, 0, false, 0, false},
        {0.35, false, false, 0, true, 0, 0, false, 0, false}, /* the rest of it is elsewhere */
        {0.35, false, false, 0, false, 0.35, 0.5, true, 0, false},
        {0.5, false, false, 0, false, 0, 0, true, 0, false},
        {0.35, false, false, 0, false, 0.35, 0.5, false, 1.3, false},
        {0.5, false, false, 0, false, 0, 0, false, 1.3, false},
        {0.5, false, true, 0, false, 0.5, M_SQRT1_2, false, 0, true},
        {2, true, true, 0, false, 2, M_SQRT2, false, 0, true},
        {M_SQRT2, true, true, 0, false, 0, 0, false, 0, true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        double w = cases[i].written, factor = cases[i].division ? 1 / w : w, used[3], scaled[3];
        double of_keys = cases[i].keys ? factor : 1;
        const char *op = cases[i].division ? "__truediv__" : "__mul__";
        for (int k = 0; k < 3; k++) {
            used[k] = cases[i].before ? factor * q[k] : q[k];
            scaled[k] = factor * of_keys * raw[k];
        }
        scene_start(&s);
        struct dump *t = &s.d[TARGET];
        uint32_t number = NONE, argument = NONE;
        double by = cases[i].moved > 0 ? cases[i].moved : 1, moved[2][3], moved_result[3];
        for (int k = 0; k < 3; k++) {
            moved[0][k] = by * q[k];
            moved[1][k] = by * key[k];
            moved_result[k] = by * other_result[k];
        }
        for (int k = 0; k < 2 && cases[i].moved > 0; k++) {
            both_call(&s, "linear");
            tensor_on(t, "output.0", DTYPE_F32, 64, k ? key : q);
            heads_on(&s.d[GOLDEN], "output.0", moved[k]);
        }
        for (int before = 1; before >= 0; before--) {
            if (before == cases[i].before) {
                call_on(t, op, PHASE_FORWARD);
                tensor_on(t, "input.0", DTYPE_F32, before ? 64 : 256, before ? q : raw);
                number = number_on(t, "input.1", ROW_FLOAT, w, "number");
                tensor_on(t, "output.0", DTYPE_F32, before ? 64 : 256, before ? used : scaled);
            }
            double multiplied[3] = {of_keys * key[0], of_keys * key[1],
                                    of_keys * key[2] * (cases[i].grouped ? sqrt(2) : 1)};
            if (before && cases[i].keys) {
                call_on(t, op, PHASE_FORWARD);
                tensor_on(t, "input.0", DTYPE_F32, 64, key);
                number_on(t, "input.1", ROW_FLOAT, w, "number");
                tensor_on(t, "output.0", DTYPE_F32, 64, multiplied);
            }
            if (before) {
                call_on(t, "matmul", PHASE_FORWARD);
                tensor_on(t, "input.0", DTYPE_F32, 64, used);
                tensor_on(t, "input.1", DTYPE_F32, cases[i].grouped ? 128 : 64, multiplied);
                tensor_on(t, "output.0", DTYPE_F32, 256, cases[i].before ? scaled : raw);
            }
        }
        call_on(t, "softmax", PHASE_FORWARD);
        tensor_on(t, "input.0", DTYPE_F32, 256, scaled);
        tensor_on(t, "output.0", DTYPE_F32, 256, probabilities);
        call_on(t, "matmul", PHASE_FORWARD);
        tensor_on(t, "input.0", DTYPE_F32, 256, probabilities);
        tensor_on(t, "output.0", DTYPE_F32, 64, result);
        call_on(&s.d[GOLDEN], "scaled_dot_product_attention", PHASE_FORWARD);
        heads_on(&s.d[GOLDEN], "input.0", moved[0]);
        heads_on(&s.d[GOLDEN], "input.1", moved[1]);
        if (cases[i].given > 0)
            argument = number_on(&s.d[GOLDEN], "input.scale", ROW_FLOAT, cases[i].given, "scale");
        heads_on(&s.d[GOLDEN], "output.0", cases[i].same_result ? result : moved_result);
        judge_all(&s);
        bool found = cases[i].own > 0;
        EXPECT(&s, number, found ? VERDICT_DEVIATE : VERDICT_ONLY, found ? RULE_FUSED_SCALE : RULE_ONE_SIDED);
        if (found) {
            uint32_t line = scene_line(&s, number);
            struct diagnoses looks;
            assert_float_equal(t->rows.v[number].stat[STAT_MAX], cases[i].own, 1e-6);
            assert_float_equal(s.j.line[line].limit, cases[i].other, 1e-6);
            assert_int_equal(s.j.line[line].cause, CAUSE_STARTS); /* a number depends on no other fault */
            diagnose_line(&looks, &s.j, &s.m, s.flow, line);
            assert_true(looks.n == 1 && looks.v[0].id == DIAGNOSIS_SCALE);
            diagnoses_release(&looks);
        }
        if (argument != NONE)
            assert_int_equal(s.j.line[s.p.line_of[GOLDEN][argument]].verdict, VERDICT_ONLY); /* one number, one start */
        scene_end(&s);
    }
}

/* Results of two calls whose pair is in doubt differ; a pair that is not in doubt reads them, or others. */
static void doubt_of_what_is_read(void **state)
{
    static const double t[] = {3.1, -0.27, 29}, g[] = {4.1, -0.28, 28.6}, other[] = {5.1, -2, 31};
    (void)state;
    for (int reads_others = 0; reads_others < 2; reads_others++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "silu");
        uint32_t made = tensor_on(&s.d[TARGET], "output.0", DTYPE_F32, 64, t);
        tensor_on(&s.d[GOLDEN], "output.0", DTYPE_F32, 64, g);
        both_call(&s, "mul");
        tensor_on(&s.d[TARGET], "input.0", DTYPE_F32, 64, t);
        tensor_on(&s.d[GOLDEN], "input.0", DTYPE_F32, 64, reads_others ? other : g);
        scene_build(&s);
        uint32_t line = scene_line(&s, made);
        s.p.pairs.v[s.p.lines.v[line].pair].confidence = 0.3f;
        scene_judge(&s);
        assert_int_equal(s.j.line[line].verdict, reads_others ? VERDICT_IN_DOUBT : VERDICT_DEVIATE);
        scene_end(&s);
    }
}

/* The target adds a mask to scores, the golden call takes booleans or masks by itself; only results that deviate and
 * another share of masked scores show another mask. */
static void masks_apart(void **state)
{
    static const double q[] = {2, -2, 10}, key[] = {1.5, -2.1, 8.6}, raw[] = {4, -3.2, 16.2},
                        probabilities[] = {0.5, 0.04, 3}, result[] = {0.51, -1.16, 4.84},
                        other_result[] = {0.75, -1.2, 5.9};
    static const char torch[] = "Functional.scaled_dot_product_attention.0.forward";
    static const struct {
        int masked; /* of the target's 256 scores */
        int kept;   /* by the golden side's booleans; -1: it has none and masks causally */
        bool same_result, found;
        const char *fused;
    } cases[] = {
        {64, 192, false, false, torch}, {0, 192, false, true, torch},   {64, 128, false, true, torch},
        {64, 128, true, false, torch},  {120, -1, false, false, torch}, {64, -1, false, true, torch},
        {64, 128, false, false, "NPU.npu_fusion_attention.0.forward"}, /* drops where its mask is true */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        scene_start(&s);
        struct dump *t = &s.d[TARGET], *g = &s.d[GOLDEN];
        double masked = cases[i].masked, kept = cases[i].kept;
        double mask[] = {0, masked > 0 ? -10000 : 0, 10000 * sqrt(masked)};
        call_on(t, "matmul", PHASE_FORWARD);
        heads_on(t, "input.0", q);
        heads_on(t, "input.1", key);
        tensor_on(t, "output.0", DTYPE_F32, 256, raw);
        call_on(t, "add", PHASE_FORWARD);
        tensor_on(t, "input.0", DTYPE_F32, 256, raw);
        uint32_t added = tensor_on(t, "input.1", DTYPE_F32, 256, mask);
        double scores[] = {4, mask[1] - 3, hypot(mask[2], 16)};
        tensor_on(t, "output.0", DTYPE_F32, 256, scores);
        call_on(t, "softmax", PHASE_FORWARD);
        tensor_on(t, "input.0", DTYPE_F32, 256, scores);
        tensor_on(t, "output.0", DTYPE_F32, 256, probabilities);
        named_on(t, cases[i].fused, "matmul", CALL_API, PHASE_FORWARD, NONE);
        tensor_on(t, "input.0", DTYPE_F32, 256, probabilities);
        uint32_t out = tensor_on(t, "output.0", DTYPE_F32, 64, result);
        named_on(g, cases[i].fused, "scaled_dot_product_attention", CALL_API, PHASE_FORWARD, NONE);
        heads_on(g, "input.0", q);
        heads_on(g, "input.1", key);
        number_on(g, "input.scale", ROW_FLOAT, 1, "scale");
        if (kept >= 0)
            tensor_on(g, "input.attn_mask", DTYPE_BOOL, 256, (const double[]){1, 0, sqrt(kept)});
        number_on(g, "input.is_causal", ROW_BOOL, kept < 0, "is_causal");
        tensor_on(g, "output.0", DTYPE_F32, 64, cases[i].same_result ? result : other_result);
        judge_all(&s);
        assert_true(s.p.lines.v[scene_line(&s, out)].pair != NONE);
        assert_int_equal(of(&s, added)->rule == RULE_FUSED_MASK, cases[i].found);
        scene_end(&s);
    }
}

/* Both sides write attention out, the target with its number in front of the product, by which queries alone are
 * multiplied, the golden side with its own behind it. */
static void numbers_elsewhere(void **state)
{
    static const double q[] = {2, -2, 10}, key[] = {1.5, -2.1, 8.6}, raw[] = {4, -3.2, 16.2},
                        probabilities[] = {0.5, 0.04, 3}, other_probabilities[] = {0.6, 0.03, 3.3},
                        result[] = {0.51, -1.16, 4.84}, other_result[] = {0.65, -1.2, 5.1};
    static const struct {
        double factor[2];
        bool found;
    } cases[] = {{{0.35, 0.5}, true}, {{0.5, 0.5}, false}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        uint32_t number[2] = {NONE, NONE};
        scene_start(&s);
        both_call(&s, "linear");
        for (int side = 0; side < 2; side++)
            tensor_on(&s.d[side], "output.0", DTYPE_F32, 64, q);
        for (int side = 0; side < 2; side++) {
            struct dump *d = &s.d[side];
            double factor = cases[i].factor[side], used[3], made[3], scaled[3];
            const double *p = cases[i].found && side == TARGET ? other_probabilities : probabilities;
            for (int k = 0; k < 3; k++) {
                used[k] = side == TARGET ? factor * q[k] : q[k];
                scaled[k] = factor * raw[k];
                made[k] = side == TARGET ? scaled[k] : raw[k];
            }
            for (int place = 0; place < 2; place++) {
                if (place == (side == GOLDEN)) {
                    const char *name = side == TARGET ? "Functional.mul.0.forward" : "Tensor.__mul__.0.forward";
                    named_on(d, name, "mul", CALL_API, PHASE_FORWARD, NONE);
                    int64_t n = side == TARGET ? 64 : 256;
                    tensor_on(d, "input.0", DTYPE_F32, n, side == TARGET ? q : raw);
                    number[side] = number_on(d, "input.1", ROW_FLOAT, factor, "number");
                    tensor_on(d, "output.0", DTYPE_F32, n, side == TARGET ? used : scaled);
                }
                if (!place) {
                    named_on(d, "Torch.matmul.0.forward", "matmul", CALL_API, PHASE_FORWARD, NONE);
                    tensor_on(d, "input.0", DTYPE_F32, 64, used);
                    tensor_on(d, "input.1", DTYPE_F32, 64, key);
                    tensor_on(d, "output.0", DTYPE_F32, 256, made);
                }
            }
            named_on(d, "Functional.softmax.0.forward", "softmax", CALL_API, PHASE_FORWARD, NONE);
            tensor_on(d, "input.0", DTYPE_F32, 256, scaled);
            tensor_on(d, "output.0", DTYPE_F32, 256, p);
            named_on(d, "Torch.matmul.1.forward", "matmul", CALL_API, PHASE_FORWARD, NONE);
            tensor_on(d, "input.0", DTYPE_F32, 256, p);
            tensor_on(d, "output.0", DTYPE_F32, 64, cases[i].found && side == TARGET ? other_result : result);
        }
        judge_all(&s);
        const struct line_judgement *l = &s.j.line[scene_line(&s, number[TARGET])];
        assert_int_equal(l->rule == RULE_FUSED_SCALE, cases[i].found);
        if (cases[i].found)
            assert_float_equal(l->limit, cases[i].factor[GOLDEN], 1e-6);
        scene_end(&s);
    }
}

/* What noise allows is still no cast: an output that is a coarser type's on one side while what went in is not. */
static void rounded_outputs(void **state)
{
    static const struct {
        double error;
        enum dtype kept[2], input_kept, elsewhere; /* of the output; of the target's input; a type recorded elsewhere */
        int product; /* whether it is a product's */
        bool deviates;
    } cases[] = {
        {1.6e-3, {DTYPE_BF16, 0}, 0, 0, 0, true},
        {1.6e-3, {0, DTYPE_BF16}, 0, 0, 0, true},
        {4e-4, {DTYPE_F16, 0}, 0, 0, 0, true},
        {4e-5, {DTYPE_F16, 0}, 0, 0, 0, false},          /* less than rounding leaves */
        {1.6e-3, {DTYPE_BF16, 0}, DTYPE_BF16, 0, 0, false}, /* it came in so */
        {1.6e-3, {DTYPE_BF16, 0}, 0, DTYPE_BF16, 0, false}, /* autocast: recorded as what it is */
        {1.6e-3, {0, 0}, 0, 0, 0, false},
        {4e-4, {KEPT_PART | DTYPE_F16, 0}, 0, 0, 0, true},
        {4e-4, {KEPT_PART | DTYPE_F16, 0}, 0, 0, 1, false}, /* operands in TF32, as the product before */
        {4e-4, {DTYPE_F16, 0}, 0, 0, 1, true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "linear");
        uint32_t noisy = measured(&s, "output.0", DTYPE_F32);
        both_call(&s, cases[i].product ? "linear" : "mul");
        uint32_t in = measured(&s, "input.0", DTYPE_F32), out = measured(&s, "output.0", DTYPE_F32);
        if (cases[i].elsewhere)
            tensor_on(&s.d[TARGET], "output.1", cases[i].elsewhere, 64, NULL);
        computed(&s, noisy, 6e-4);
        struct figures f = {.two = true, .rel_l2 = 6e-4, .max_abs = 1, .kept = {(uint8_t)cases[i].input_kept, 0}};
        scene_computed(&s, in, &f);
        f = (struct figures){.two = true,
                             .rel_l2 = cases[i].error,
                             .max_abs = 1,
                             .kept = {(uint8_t)cases[i].kept[0], (uint8_t)cases[i].kept[1]}};
        scene_computed(&s, out, &f);
        judge_all(&s);
        assert_int_equal(of(&s, out)->rule == RULE_ROUNDED, cases[i].deviates);
        assert_int_equal(verdict_is_bad((enum verdict)of(&s, out)->verdict), cases[i].deviates);
        scene_end(&s);
    }
}

/* A weight kept in float32 by one module of a model in bfloat16 was rounded like the others. */
static void rounded_parameters(void **state)
{
    static const struct {
        enum dtype kept, elsewhere;
        bool deviates;
    } cases[] = {
        {DTYPE_BF16, DTYPE_BF16, false},
        {DTYPE_BF16, 0, true}, /* nothing else computes so */
        {0, DTYPE_BF16, true}, /* and it is no such number */
        {KEPT_PART | DTYPE_BF16, DTYPE_BF16, true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "linear");
        uint32_t weight = measured(&s, "input.weight", DTYPE_F32);
        if (cases[i].elsewhere)
            tensor_on(&s.d[TARGET], "output.1", cases[i].elsewhere, 64, NULL);
        struct figures f = {.two = true, .rel_l2 = 1.7e-3, .max_abs = 1, .kept = {(uint8_t)cases[i].kept, 0}};
        build(&s);
        scene_computed(&s, weight, &f);
        judge_all(&s);
        assert_int_equal(of(&s, weight)->rule, cases[i].deviates ? RULE_PARAMETER : RULE_WITHIN);
        scene_end(&s);
    }
}

static void exact_comparison(void **state)
{
    static const double base[] = {2, -2, 10}, off[] = {2, -2, 10.0001};
    struct scene s;
    (void)state;
    scene_start(&s);
    s.o.exact = true;
    both_call(&s, "mul");
    uint32_t equal = measured(&s, "output.0", DTYPE_F32), last_bit = measured(&s, "output.1", DTYPE_F32);
    uint32_t stats = recorded(&s, "output.2", base, base), near = recorded(&s, "output.3", off, base);
    uint32_t types = both_tensor(&s, "output.4", DTYPE_BF16, DTYPE_F32);
    for (int i = 0; i < 2; i++) { /* same figures, another type */
        struct row *r = vec_last(&s.d[i].rows);
        r->has |= HAS_MAX | HAS_MIN | HAS_NORM;
        memcpy(r->stat, (const double[]){1, -1, 0, 5}, sizeof r->stat);
    }
    computed(&s, equal, 0);
    computed(&s, last_bit, 1e-9);
    judge_all(&s);
    EXPECT(&s, equal, VERDICT_MATCH, RULE_EQUAL);
    EXPECT(&s, last_bit, VERDICT_DEVIATE, RULE_EXACT);
    EXPECT(&s, stats, VERDICT_SKIP, RULE_NO_BITS);
    EXPECT(&s, near, VERDICT_DEVIATE, RULE_EXACT);
    EXPECT(&s, types, VERDICT_DEVIATE, RULE_EXACT);
    scene_end(&s);
}

/* Of --exact: what was recorded of two tensors of equal figures, and what follows from it. */
static void exact_checksums(void **state)
{
    static const struct {
        const char *text[2];
        enum verdict verdict;
        enum verdict_rule rule;
    } cases[] = {
        {{"42becdde", "42becdde"}, VERDICT_MATCH, RULE_CHECKSUM_SAME},
        {{"42becdde", "42becddf"}, VERDICT_DEVIATE, RULE_EXACT},
        {{"0x00000000000000a1", "0x00000000000000a2"}, VERDICT_DEVIATE, RULE_EXACT},
        {{"0x0000000000000000", "0x0000000000000000"}, VERDICT_SKIP, RULE_NO_BITS}, /* equal words cancel */
        {{"42becdde", "9e107d9d372bb6826bd81d3542a419d6"}, VERDICT_SKIP, RULE_NO_BITS}, /* another kind */
        {{"1.2345e+03", "1.2345e+03"}, VERDICT_MATCH, RULE_CHECKSUM_SAME}, /* TorchTitan's */
        {{"1.2345e+03", "1.23456e+03"}, VERDICT_DEVIATE, RULE_EXACT},
        {{"42becdde", NULL}, VERDICT_SKIP, RULE_NO_BITS},
    };
    static const double base[] = {2, -2, 10};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        scene_start(&s);
        s.o.exact = true;
        both_call(&s, "mul");
        uint32_t row = recorded(&s, "output.0", base, base);
        for (int side = 0; side < 2; side++)
            if (cases[i].text[side]) {
                vec_last(&s.d[side].rows)->text = cases[i].text[side];
                vec_last(&s.d[side].rows)->has |= HAS_CHECKSUM;
            }
        judge_all(&s);
        EXPECT(&s, row, cases[i].verdict, cases[i].rule);
        scene_end(&s);
    }
}

/* A value that is there and could not be parsed leaves nothing to conclude from the others. */
static void unparsed_rows_are_unknown(void **state)
{
    static const double base[] = {2, -2, 10}, off[] = {2, -2, 20};
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "mul");
    uint32_t same = recorded(&s, "output.0", base, base), differs = recorded(&s, "output.1", off, base);
    dump_unparsed(&s.d[TARGET], s.d[TARGET].rows.n - 2, "dump.json: byte 5");
    dump_unparsed(&s.d[GOLDEN], s.d[GOLDEN].rows.n - 1, "dump.json: byte 9");
    judge_all(&s);
    EXPECT(&s, same, VERDICT_SKIP, RULE_UNPARSED);
    EXPECT(&s, differs, VERDICT_SKIP, RULE_UNPARSED);
    assert_int_equal(s.j.sum.unread, 2);
    assert_int_equal(judgement_status(&s.j, &s.o), 5);
    scene_end(&s);
}

/* ---- the first deviation ---- */

/* Calls of one input and one output each, with these errors in turn. */
static void chain(struct scene *s, const double error[][2], int n)
{
    uint32_t row[20][2];
    scene_start(s);
    for (int i = 0; i < n; i++) {
        both_call(s, "mul");
        row[i][0] = measured(s, "input.0", DTYPE_F32);
        row[i][1] = measured(s, "output.0", DTYPE_F32);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            computed(s, row[i][k], error[i][k]);
    judge_all(s);
}

static void kinds_of_first_deviation(void **state)
{
    struct scene s;
    (void)state;
    chain(&s, (const double[][2]){{0, 0}, {0, 0.5}, {0.5, 0.5}}, 3);
    assert_int_equal(s.j.first, 3);
    assert_int_equal(s.j.first_class, FIRST_OUTPUT);
    assert_int_equal(s.j.doubtful_before + s.j.gaps_before + s.j.unread_before + s.j.pending_before, 0);
    scene_end(&s);
    chain(&s, (const double[][2]){{0, 0}, {0.5, 0.5}, {0.5, 0.5}}, 3);
    assert_int_equal(s.j.first, 2);
    assert_int_equal(s.j.first_class, FIRST_INPUT);
    scene_end(&s);
    chain(&s, (const double[][2]){{0, 0}, {0, 0}}, 2);
    assert_int_equal(s.j.first, NONE);
    scene_end(&s);
}

/* An input that deviates right behind a stretch only one side recorded comes out of that gap; a weight does not. */
static void behind_a_gap(bool weight)
{
    struct scene s;
    scene_start(&s);
    both_call(&s, "mul");
    uint32_t a = measured(&s, "output.0", DTYPE_F32);
    call_on(&s.d[0], "linear", PHASE_FORWARD); /* the target's alone */
    tensor_on(&s.d[0], "output.0", DTYPE_F32, 64, NULL);
    for (int i = 0; i < 2; i++) {
        uint32_t c = dump_add_call(&s.d[i], STR("Functional.silu.9.forward"), CALL_API, PHASE_FORWARD);
        s.d[i].calls.v[c].family = FAMILY_ACTIVATION;
    }
    uint32_t in = measured(&s, weight ? "parameters.weight" : "input.0", DTYPE_F32);
    computed(&s, a, 0);
    computed(&s, in, 0.5);
    judge_all(&s);
    assert_int_equal(s.j.first, scene_line(&s, in));
    assert_int_equal(s.j.first_class, weight ? FIRST_INPUT : FIRST_GAP);
    assert_int_equal(s.j.gaps_before, 1);
    scene_end(&s);
}

static void out_of_a_gap(void **state)
{
    (void)state;
    behind_a_gap(false);
    behind_a_gap(true);
}

/* A pair that has only its number of elements in common, whose value agrees elsewhere: the target computes it twice. Of
 * the same shape it stays in doubt. */
static void a_value_computed_twice(void **state)
{
    static const double twice[] = {2, -2, 10}, other[] = {3, -3, 12};
    (void)state;
    for (int shaped = 0; shaped < 2; shaped++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "mul");
        recorded(&s, "output.0", twice, twice);
        both_call(&s, "mul");
        uint32_t r = recorded(&s, "output.1", twice, other);
        for (int k = 0; k < 2; k++)
            for (uint32_t i = 0; i < s.d[k].rows.n; i++) {
                const int64_t wide[] = {2, 32}, narrow[] = {16, 4};
                s.d[k].rows.v[i].shape = dump_shape(&s.d[k], k && i == r && !shaped ? wide : narrow, 2);
                s.d[k].rows.v[i].has |= HAS_SHAPE;
            }
        build(&s);
        s.p.pairs.v[s.p.lines.v[scene_line(&s, r)].pair].confidence = 0.4f;
        judge_all(&s);
        assert_int_equal(of(&s, r)->rule == RULE_OTHER_VALUE, !shaped);
        assert_int_equal(judgement_status(&s.j, &s.o), shaped ? 5 : 0);
        scene_end(&s);
    }
}

/* A product's gradient beside one that the other side only handed on, as the addition of a bias does behind a product
 * nobody recorded: no partner. Where both compute one, or what comes in differs, the pair stays in doubt. */
static void a_gradient_of_another_step(void **state)
{
    static const double came[] = {3, -1, 9}, other[] = {4, -1, 10}, made[] = {2, -0.5, 8}, unlike[] = {1, -2, 7};
    static const struct {
        const double *came, *golden; /* what comes in on the target's side; what the golden side returns */
        bool aside;
    } cases[] = {{came, came, true}, {came, unlike, false}, {other, came, false}};
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        struct scene s;
        uint32_t row = NONE;
        scene_start(&s);
        for (int i = 1; i >= 0; i--) {
            struct dump *d = &s.d[i];
            dump_add_call(d, STR("Functional.linear.0.forward"), CALL_API, PHASE_FORWARD);
            d->calls.v[0].family = FAMILY_LINEAR;
            tensor_on(d, "input.0", DTYPE_F32, 64, made);
            tensor_on(d, "output.0", DTYPE_F32, 64, made);
            dump_add_call(d, STR("Functional.linear.0.backward"), CALL_API, PHASE_BACKWARD);
            d->calls.v[1].family = FAMILY_LINEAR;
            tensor_on(d, "input.0", DTYPE_F32, 64, i ? came : cases[c].came);
            row = tensor_on(d, "output.0", DTYPE_F32, 64, i ? cases[c].golden : made);
            dump_link_twins(d);
        }
        build(&s);
        for (size_t i = 0; i < s.p.pairs.n; i++) /* but of what comes in */
            s.p.pairs.v[i].confidence = s.p.lines.v[scene_line(&s, row - 1)].pair == i ? 1 : 0.4f;
        judge_all(&s);
        if ((of(&s, row)->rule == RULE_OTHER_VALUE) != cases[c].aside)
            fail_msg("case %zu: %d", c, of(&s, row)->rule);
        scene_end(&s);
    }
}

/* Scores' gradient times keys that are nearly alike leaves little: of what the target's product returns, which the
 * golden side does not record, the next row differs by the noise of that. Where nothing cancels, it deviates. */
static void a_product_gradient_that_cancels(void **state)
{
    static const int64_t scores[] = {2, 4, 5, 5}, heads[] = {2, 4, 5, 8};
    static const double q[] = {2, -2, 17}, y[] = {3, -3, 20}, came[] = {1e-4, -1e-4, 1e-3},
                        near[] = {1.00001e-4, -1.00001e-4, 1.00001e-3};
    static const struct {
        double size;
        bool deviates;
    } cases[] = {{1e-6, false}, {1e-1, true}};
    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        struct scene s;
        uint32_t r = NONE, row;
        double size = cases[c].size, golden[] = {size, -size, 10 * size}, target[3];
        for (int i = 0; i < 3; i++)
            target[i] = golden[i] * 1.003;
        scene_start(&s);
        for (int k = 1; k >= 0; k--) {
            struct dump *d = &s.d[k];
            named_on(d, "Torch.matmul.0.forward", "matmul", CALL_API, PHASE_FORWARD, NONE);
            for (int i = 0; i < 2; i++)
                row = tensor_on(d, i ? "input.1" : "input.0", DTYPE_F32, 320, q),
                d->rows.v[row].shape = dump_shape(d, heads, 4);
            row = tensor_on(d, "output.0", DTYPE_F32, 200, y);
            d->rows.v[row].shape = dump_shape(d, scores, 4);
            named_on(d, "Torch.matmul.0.backward", "matmul", CALL_API, PHASE_BACKWARD, NONE);
            row = tensor_on(d, "input.0", DTYPE_F32, 200, k ? came : near);
            d->rows.v[row].shape = dump_shape(d, scores, 4);
            if (k == TARGET) {
                row = tensor_on(d, "output.0", DTYPE_F32, 320, target);
                d->rows.v[row].shape = dump_shape(d, heads, 4);
            }
            named_on(d, "Functional.linear.0.backward", "linear", CALL_API, PHASE_BACKWARD, NONE);
            r = tensor_on(d, "input.0", DTYPE_F32, 320, k ? golden : target);
            dump_link_twins(d);
        }
        build(&s);
        judge_all(&s);
        if ((of(&s, r)->rule != RULE_ILL) != cases[c].deviates)
            fail_msg("case %zu: verdict %d by rule %d", c, of(&s, r)->verdict, of(&s, r)->rule);
        scene_end(&s);
    }
}

/* Modules of two sides that end together and begin in another place: both values that are paired at their beginning
 * stand on each side. Where one side lacks a value, or an operator got it, it stays in doubt. */
static void modules_that_begin_elsewhere(void **state)
{
    static const double early[] = {2, -2, 10}, late[] = {3, -3, 12}, end[] = {4, -4, 14};
    static const struct {
        enum call_kind kind;
        bool held; /* the golden side has the target's value too */
    } cases[] = {{CALL_MODULE, true}, {CALL_MODULE, false}, {CALL_API, true}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "mul");
        recorded(&s, "output.0", late, late);
        call_on(&s.d[GOLDEN], "mul", PHASE_FORWARD);
        if (cases[i].held)
            tensor_on(&s.d[GOLDEN], "output.0", DTYPE_F32, 64, early);
        for (int k = 0; k < 2; k++)
            named_on(&s.d[k], "Module.block.Block.forward.0", "Block", cases[i].kind, PHASE_FORWARD, NONE);
        uint32_t r = recorded(&s, "input.0", early, late);
        recorded(&s, "output.0", end, end);
        build(&s);
        s.p.pairs.v[s.p.lines.v[scene_line(&s, r)].pair].confidence = 0.4f;
        judge_all(&s);
        assert_int_equal(of(&s, r)->rule == RULE_OTHER_VALUE, i == 0);
        assert_int_equal(judgement_status(&s.j, &s.o), i == 0 ? 0 : 5);
        scene_end(&s);
    }
}

/* The gradients that two modules return, of which one contains a product whose partner stands beside the other. */
static void gradients_of_modules_of_other_calls(void **state)
{
    static const double x[] = {2, -2, 10}, y[] = {4, -4, 14}, mine[] = {3, -3, 12}, other[] = {1, -1, 7};
    (void)state;
    for (int inside = 0; inside < 2; inside++) { /* the golden product too */
        struct scene s;
        uint32_t r = NONE;
        scene_start(&s);
        for (int k = 1; k >= 0; k--) {
            struct dump *d = &s.d[k];
            uint32_t module =
                named_on(d, "Module.experts.Experts.forward.0", "Experts", CALL_MODULE, PHASE_FORWARD, NONE);
            tensor_on(d, "input.0", DTYPE_F32, 64, x);
            tensor_on(d, "output.0", DTYPE_F32, 64, y);
            named_on(d, "Functional.linear.0.forward", "linear", CALL_API, PHASE_FORWARD,
                     k == TARGET || inside ? module : NONE);
            tensor_on(d, "input.0", DTYPE_F32, 64, x);
            tensor_on(d, "output.0", DTYPE_F32, 64, y);
            named_on(d, "Module.experts.Experts.backward.0", "Experts", CALL_MODULE, PHASE_BACKWARD, NONE);
            r = tensor_on(d, "output.0", DTYPE_F32, 64, k == GOLDEN ? other : mine);
            dump_link_twins(d);
        }
        build(&s);
        s.p.pairs.v[s.p.lines.v[scene_line(&s, r)].pair].confidence = 0.4f;
        judge_all(&s);
        assert_int_equal(of(&s, r)->rule == RULE_OTHER_VALUE, !inside);
        scene_end(&s);
    }
}

/* The same of types in which no value is exactly the other side's: what each holds was compared, and agrees with
 * another value than the one beside it. */
static void modules_that_begin_elsewhere_in_16_bits(void **state)
{
    static const double early[] = {2, -2, 10}, late[] = {3, -3, 12}, early16[] = {2.001, -2.001, 10.005},
                        late16[] = {3.0015, -3.0015, 12.006}, wrong[] = {2.6, -2.2, 11}, end[] = {4, -4, 14};
    (void)state;
    for (int given = 0; given < 2; given++) { /* what the target's module got before, or something else */
        struct scene s;
        uint32_t r = NONE;
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            struct dump *d = &s.d[i];
            enum dtype type = i == GOLDEN ? DTYPE_F32 : DTYPE_F16;
            call_on(d, "mul", PHASE_FORWARD);
            tensor_on(d, "output.0", type, 64, i == GOLDEN ? early : early16);
            call_on(d, "add", PHASE_FORWARD);
            tensor_on(d, "output.0", type, 64, i == GOLDEN ? late : late16);
            named_on(d, "Module.block.Block.forward.0", "Block", CALL_MODULE, PHASE_FORWARD, NONE);
            r = tensor_on(d, "input.0", type, 64, i == GOLDEN ? late : given ? wrong : early16);
            tensor_on(d, "output.0", type, 64, end);
        }
        build(&s);
        s.p.pairs.v[s.p.lines.v[scene_line(&s, r)].pair].confidence = 0.4f;
        judge_all(&s);
        assert_int_equal(of(&s, r)->rule == RULE_OTHER_VALUE, !given);
        scene_end(&s);
    }
}

/* Floats beside integers, of which both sides ask something, and get the same answers: they ask it of two values. Where
 * an answer is another one, or a number is computed, the pair stays in doubt. */
static void questions_to_values_of_two_kinds(void **state)
{
    static const double mask[] = {1, 1, 8}, tokens[] = {80, 4, 300}, yes[] = {1, 1, 8}, other[] = {1, 0, 7};
    static const struct {
        enum dtype type; /* of what they give */
        const double *answer;
    } cases[] = {{DTYPE_BOOL, yes}, {DTYPE_BOOL, other}, {DTYPE_F32, yes}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        uint32_t r = NONE;
        scene_start(&s);
        both_call(&s, "ne");
        for (int k = 1; k >= 0; k--) {
            r = tensor_on(&s.d[k], "input.0", k == GOLDEN ? DTYPE_I64 : DTYPE_F32, 64, k == GOLDEN ? tokens : mask);
            tensor_on(&s.d[k], "output.0", cases[i].type, 64, k == GOLDEN ? yes : cases[i].answer);
        }
        build(&s);
        s.p.pairs.v[s.p.lines.v[scene_line(&s, r)].pair].confidence = 0.4f;
        judge_all(&s);
        assert_int_equal(of(&s, r)->rule == RULE_OTHER_VALUE, i == 0);
        scene_end(&s);
    }
}

/* Ones and zeros beside what is added to scores, of which a norm cannot tell how many are masked: the results tell. */
static void masks_whose_fills_overflow(void **state)
{
    static const double ones[] = {1, 0, 6}, lowest[] = {0, -3.4028234663852886e38, INFINITY},
                        other[] = {0, -1e4, 1.2e4}, y[] = {4, -4, 14}, wrong[] = {5, -4, 16};
    static const struct {
        const double *mask, *result;
    } cases[] = {{lowest, y}, {other, y}, {lowest, wrong}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "softmax");
        uint32_t r = recorded(&s, "input.1", ones, cases[i].mask);
        recorded(&s, "output.0", y, cases[i].result);
        build(&s);
        s.p.pairs.v[s.p.lines.v[scene_line(&s, r)].pair].confidence = 0.4f;
        judge_all(&s);
        assert_int_equal(of(&s, r)->rule == RULE_OTHER_VALUE, i == 0);
        assert_int_equal(judgement_status(&s.j, &s.o) == 0, i == 0);
        scene_end(&s);
    }
}

static void doubtful_pairs_are_nobodys_first(void **state)
{
    struct scene s;
    (void)state;
    chain(&s, (const double[][2]){{0, 0.5}, {0.5, 0.6}}, 2);
    s.p.pairs.v[s.p.lines.v[1].pair].confidence = 0.4f;
    judge_all(&s);
    assert_int_equal(s.j.line[1].verdict, VERDICT_IN_DOUBT); /* shown and counted as no start */
    assert_int_equal(s.j.sum.by[VERDICT_DEVIATE], s.j.sum.causes[CAUSE_STARTS]);
    assert_true(s.j.line[1].flags & LINE_DOUBTFUL);
    assert_int_equal(s.j.first, 2);
    assert_int_equal(s.j.doubtful_before, 1);
    assert_int_equal(s.j.sum.doubtful, 1);
    s.tol.confidence = 0.3;
    judge_all(&s);
    assert_int_equal(s.j.first, 1);
    scene_end(&s);
}

/* A value in bfloat16 on one side alone is no noise of a pair that computes in float32; among products that round to
 * bfloat16 it is. */
static void a_type_of_one_side_is_no_allowance(void **state)
{
    (void)state;
    for (int coarse = 0; coarse < 2; coarse++)
        for (int side = 0; side < 2; side++) {
            enum dtype own = coarse ? DTYPE_BF16 : DTYPE_F32;
            struct scene s;
            scene_start(&s);
            both_call(&s, "linear");
            uint32_t product = both_tensor(&s, "output.0", own, own);
            both_call(&s, "mul");
            uint32_t in = both_tensor(&s, "input.0", own, own);
            uint32_t out = both_tensor(&s, "output.0", side ? DTYPE_F32 : DTYPE_BF16, side ? DTYPE_BF16 : DTYPE_F32);
            for (int i = 0; i < 2; i++)
                for (uint32_t r = 0; r < s.d[i].rows.n; r++)
                    s.d[i].rows.v[r].has |= HAS_FILE;
            computed(&s, product, 0);
            computed(&s, in, 0);
            computed(&s, out, 3e-3);
            judge_all(&s);
            assert_int_equal(level_verdict(of(&s, out)), coarse ? VERDICT_MATCH : VERDICT_DEVIATE);
            scene_end(&s);
        }
}

/* The partner of a gradient whose forward calls are paired is certain, whatever its own pair rests on. */
static void gradients_of_paired_calls_are_certain(void **state)
{
    (void)state;
    for (int paired = 0; paired < 2; paired++) {
        struct scene s;
        uint32_t gradient = NONE;
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            struct dump *d = &s.d[i];
            if (i == GOLDEN) { /* rows of both sides are not numbered alike */
                call_on(d, "pad", PHASE_FORWARD);
                tensor_on(d, "output.0", DTYPE_F32, 1, NULL);
                tensor_on(d, "output.1", DTYPE_F32, 1, NULL);
            }
            uint32_t forward = named_on(d, "Functional.silu.0.forward", "silu", CALL_API, PHASE_FORWARD, NONE);
            tensor_on(d, "output.0", DTYPE_F32, 64, NULL);
            uint32_t backward = named_on(d, "Functional.silu.0.backward", "silu", CALL_API, PHASE_BACKWARD, NONE);
            uint32_t row = tensor_on(d, "output.0", DTYPE_F32, 64, NULL);
            gradient = i == TARGET ? row : gradient;
            d->calls.v[forward].twin = backward;
            d->calls.v[backward].twin = forward;
            d->rows.v[row].has |= HAS_FILE;
            named_on(d, "Functional.mul.0.forward", "mul", CALL_API, PHASE_FORWARD, NONE);
            tensor_on(d, "output.0", DTYPE_F32, 64, NULL);
        }
        build(&s);
        uint32_t pair = s.p.lines.v[scene_line(&s, gradient)].pair;
        s.p.pairs.v[pair].confidence = 0.4f;
        if (!paired) /* the forward calls are not paired for certain either */
            for (size_t i = 0; i < s.p.pairs.n; i++)
                s.p.pairs.v[i].confidence = 0.4f;
        computed(&s, gradient, 0.5);
        judge_all(&s);
        assert_int_equal((of(&s, gradient)->flags & LINE_DOUBTFUL) != 0, !paired);
        scene_end(&s);
    }
}

static void starts(void **state)
{
    struct scene s;
    (void)state;
    chain(&s, (const double[][2]){{1e-7, 1e-7}, {1e-7, 0.01}, {0.01, 0.01}, {1e-7, 0.9}, {0.9, 0.9}}, 5);
    assert_true(s.j.starts.n > 0 && s.j.start_groups.n > 0);
    uint32_t starts = 0, inherit = 0;
    for (size_t i = 0; i < s.j.start_groups.n; i++) {
        starts += s.j.start_groups.v[i].starts;
        inherit += s.j.start_groups.v[i].inherit;
        assert_int_equal(start_group_of(&s.j, s.j.start_groups.v[i].line), i);
        assert_true(!i || s.j.start_groups.v[i - 1].inherit >= s.j.start_groups.v[i].inherit);
    }
    assert_int_equal(starts, s.j.sum.causes[CAUSE_STARTS]);
    assert_int_equal(inherit, s.j.sum.causes[CAUSE_INHERITED]);
    assert_int_equal(s.j.sum.calls_starting, s.j.start_groups.n);
    assert_int_equal(start_group_of(&s.j, 0), NONE); /* it agrees */
    struct call_error p = call_error_of(&s.j, &s.m, 3), q = call_error_of(&s.j, &s.m, 2);
    assert_true(fabs(p.factor / 9e6 - 1) < 1e-3 && call_error_kind(&p) == CALL_ERROR_ADDED);
    assert_true(fabs(q.factor - 1) < 1e-6 && call_error_kind(&q) == CALL_ERROR_INHERITED);
    scene_end(&s);
}

/* ---- how much was judged ---- */

/* n linear calls, `alike` of them judged alike, the rest not compared at all. */
static void share(struct scene *s, int n, int alike)
{
    uint32_t row[40];
    scene_start(s);
    for (int i = 0; i < n; i++) {
        both_call(s, "linear");
        row[i] = i < alike ? measured(s, "output.0", DTYPE_F32) : both_tensor(s, "output.0", DTYPE_F32, DTYPE_F32);
    }
    for (int i = 0; i < alike; i++)
        computed(s, row[i], 1e-7);
    judge_all(s);
}

static void status_and_coverage(void **state)
{
    struct scene s;
    (void)state;
    share(&s, 10, 10);
    assert_int_equal(judgement_status(&s.j, &s.o), 0);
    assert_true(s.j.sum.compute[0] == 10 && s.j.sum.covered[0] == 10 && s.j.sum.judged == 10 &&
                s.j.sum.coverage[0] == 1);
    scene_end(&s);
    share(&s, 10, 5);
    assert_int_equal(judgement_status(&s.j, &s.o), 0); /* half is enough */
    s.tol.coverage = 0.51;
    assert_int_equal(judgement_status(&s.j, &s.o), 5);
    scene_end(&s);
    share(&s, 10, 4);
    assert_int_equal(judgement_status(&s.j, &s.o), 5);
    assert_true(s.j.sum.coverage[0] == 1); /* paired they are, but not judged */
    scene_end(&s);
    chain(&s, (const double[][2]){{0, 0.5}}, 1);
    assert_int_equal(judgement_status(&s.j, &s.o), 1);
    scene_end(&s);
    scene_start(&s); /* nothing at all */
    judge_all(&s);
    assert_int_equal(judgement_status(&s.j, &s.o), 5);
    scene_end(&s);
}

/* Without a call that computes (two checkpoints) the rows decide: of those that were compared and those that the target
 * has alone, a share has to agree. */
static void status_of_rows(void **state)
{
    static const struct {
        uint32_t pairs, skip, only, match, drift;
        int status;
    } cases[] = {
        {10, 0, 0, 10, 0, 0}, {10, 0, 0, 3, 2, 0}, {10, 0, 0, 2, 2, 5}, {10, 6, 0, 2, 0, 0},
        {10, 6, 0, 1, 0, 5},  {10, 0, 10, 9, 0, 5}, {10, 0, 10, 9, 1, 0}, {10, 10, 0, 0, 0, 5},
    };
    struct thresholds tol;
    (void)state;
    thresholds_init(&tol);
    assert_true(tol.coverage == 0.5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct judgement j = {.first = NONE};
        struct judge_options o = {.tol = &tol};
        j.sum.pairs = cases[i].pairs;
        j.sum.by[VERDICT_SKIP] = cases[i].skip;
        j.sum.only[TARGET] = cases[i].only;
        j.sum.by[VERDICT_MATCH] = cases[i].match;
        j.sum.by[VERDICT_DRIFT] = cases[i].drift;
        if (judgement_status(&j, &o) != cases[i].status)
            fail_msg("case %zu: %d", i, judgement_status(&j, &o));
        j.sum.unread = 1; /* whatever the shares are */
        assert_int_equal(judgement_status(&j, &o), 5);
        j.sum.unread = 0;
        j.sum.unread_files = 1;
        assert_int_equal(judgement_status(&j, &o), 5);
        j.sum.unread_files = 0;
        j.sum.figures_only = 1;
        assert_int_equal(judgement_status(&j, &o), cases[i].status);
        o.strict = true;
        assert_int_equal(judgement_status(&j, &o), 5);
        j.first = 0;
        assert_int_equal(judgement_status(&j, &o), 1);
    }
}

static void coverage_counts_shared_phases_only(void **state)
{
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "linear");
    uint32_t r = measured(&s, "output.0", DTYPE_F32);
    call_on(&s.d[0], "linear", PHASE_BACKWARD); /* the golden side recorded no backward */
    tensor_on(&s.d[0], "output.0", DTYPE_F32, 64, NULL);
    computed(&s, r, 0);
    judge_all(&s);
    assert_true(s.j.sum.compute[0] == 1 && s.j.sum.compute[1] == 1 && s.j.sum.coverage[0] == 1);
    assert_int_equal(judgement_status(&s.j, &s.o), 0);
    scene_end(&s);
}

/* A graph dump computes a weight's gradient in a product that nothing in the backward pass reads. Where the other side
 * recorded no gradients at all, it is no gap; nor is its optimizer. */
static void regions_one_side_left_out(void **state)
{
    const double w[] = {3, -3, 5}, y[] = {4, -4, 6}, dy[] = {2, -2, 4}, dx[] = {7, -7, 9}, dw[] = {8, -8, 11};
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "linear");
    for (int i = 0; i < 2; i++) {
        tensor_on(&s.d[i], "input.1", DTYPE_F32, 64, w);
        tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, y);
        call_on(&s.d[i], "linear", PHASE_BACKWARD);
        tensor_on(&s.d[i], "input.0", DTYPE_F32, 64, dy);
        tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, dx);
        call_on(&s.d[i], "relu", PHASE_BACKWARD);
        tensor_on(&s.d[i], "input.0", DTYPE_F32, 64, dx);
        tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, y);
    }
    call_on(&s.d[0], "linear", PHASE_BACKWARD);
    vec_last(&s.d[0].calls)->kind = CALL_OPERATOR;
    tensor_on(&s.d[0], "input.0", DTYPE_F32, 64, dy);
    tensor_on(&s.d[0], "output.0", DTYPE_F32, 64, dw);
    uint32_t c = dump_add_call(&s.d[0], STR("AdamW.0"), CALL_OPERATOR, PHASE_OPTIMIZER);
    s.d[0].calls.v[c].family = FAMILY_OPTIMIZER;
    tensor_on(&s.d[0], "input.0", DTYPE_F32, 64, dw);
    judge_all(&s);
    assert_int_equal(s.j.sum.missing[GOLDEN], 1 << REGION_OPTIMIZER | 1 << REGION_WEIGHT_GRADIENTS);
    assert_int_equal(s.j.sum.missing[TARGET], 0);
    assert_int_equal(s.j.sum.left_out[TARGET], 3);
    assert_int_equal(s.j.sum.compute[TARGET], s.j.sum.compute[GOLDEN]);
    assert_true(s.j.sum.coverage[TARGET] == 1 && s.j.sum.coverage[GOLDEN] == 1);
    scene_end(&s);
}

/* A product and the sum of its bias that stand for one call cover each other. */
static void joined_calls_cover_each_other(void **state)
{
    const double y[] = {4, -4, 6}, z[] = {5, -5, 7};
    struct scene s;
    (void)state;
    scene_start(&s);
    call_on(&s.d[0], "linear", PHASE_FORWARD); /* Functional.linear.0: its result stays alone */
    tensor_on(&s.d[0], "output.1", DTYPE_F32, 64, y);
    call_on(&s.d[1], "dropout", PHASE_FORWARD);
    both_call(&s, "add");
    for (int i = 0; i < 2; i++)
        tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, z);
    build(&s);
    struct joined_call j = {TARGET, 0, 1};
    vec_push(&s.p.joined, j);
    judge_all(&s);
    assert_int_equal(s.j.sum.covered[TARGET], 0); /* the golden side computes nothing: no product is expected */
    scene_end(&s);
    scene_start(&s);
    both_call(&s, "linear");
    tensor_on(&s.d[0], "output.1", DTYPE_F32, 64, y);
    tensor_on(&s.d[1], "output.0", DTYPE_F32, 64, y);
    both_call(&s, "add");
    for (int i = 0; i < 2; i++)
        tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, z);
    build(&s);
    vec_push(&s.p.joined, j);
    judge_all(&s);
    assert_true(s.j.sum.compute[TARGET] == 1 && s.j.sum.covered[TARGET] == 1 && s.j.sum.judged == 1);
    scene_end(&s);
}

/* The golden side multiplies the product's result by the factor in a call of its own and then has what the target has:
 * that what comes behind deviates (a mask) is another matter. */
static void a_factor_applied_behind_a_product(void **state)
{
    const double scores[2][3] = {{0.35, -0.35, 0.7}, {1, -1, 2}}, other[2][3] = {{5, -3, 8}, {2, -7, 9}};
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "matmul");
        uint32_t out = measured(&s, "output.0", DTYPE_F32);
        uint32_t mul = dump_add_call(&s.d[GOLDEN], STR("Tensor.__mul__.0.forward"), CALL_API, PHASE_FORWARD);
        s.d[GOLDEN].calls.v[mul].family = FAMILY_MUL;
        tensor_on(&s.d[GOLDEN], "input.0", DTYPE_F32, 64, scores[GOLDEN]);
        number_on(&s.d[GOLDEN], "input.1", ROW_FLOAT, 0.35, "0.35");
        tensor_on(&s.d[GOLDEN], "output.0", DTYPE_F32, 64, wrong ? other[GOLDEN] : scores[TARGET]);
        both_call(&s, "softmax");
        for (int i = 0; i < 2; i++)
            tensor_on(&s.d[i], "input.0", DTYPE_F32, 64, other[i]);
        for (int i = 0; i < 2; i++) {
            struct row *r = &s.d[i].rows.v[out];
            r->has |= HAS_MAX | HAS_MIN | HAS_NORM;
            r->stat[STAT_MAX] = scores[i][0];
            r->stat[STAT_MIN] = scores[i][1];
            r->stat[STAT_NORM] = scores[i][2];
        }
        build(&s);
        struct figures scaled = {.two = true, .rel_l2 = 0.65, .max_abs = 1, .minus = 1e-9,
                                 .side = {{.norm = 0.35, .count = 64}, {.norm = 1, .count = 64}}};
        scene_computed(&s, out, &scaled);
        judge_all(&s);
        if (wrong)
            assert_int_equal(level_verdict(of(&s, out)), VERDICT_DEVIATE);
        else
            EXPECT(&s, out, VERDICT_SKIP, RULE_FACTOR);
        scene_end(&s);
    }
}

/* q is scaled before the product on one side, after it on the other: what lies between is no deviation, as long as
 * everything computed from it agrees again, and somebody does scale by that factor. */
static void factors_applied_elsewhere(void **state)
{
    const double q[] = {1, -1, 2}, x[] = {3, -3, 5}, y[] = {4, -4, 6};
    (void)state;
    for (int wrong = 0; wrong < 4; wrong++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "matmul");
        number_on(&s.d[0], "input.1", ROW_FLOAT, wrong == 3 ? 0.5 : 0.35, wrong == 3 ? "0.5" : "0.35");
        uint32_t scores = measured(&s, "output.0", DTYPE_F32);
        both_call(&s, "add");
        uint32_t in = measured(&s, "input.0", DTYPE_F32), out = measured(&s, "output.0", DTYPE_F32);
        uint32_t rows[] = {scores, in, out};
        const double *value[] = {q, x, y};
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 2; i++) {
                struct row *r = &s.d[i].rows.v[rows[k]];
                r->has |= HAS_MAX | HAS_MIN | HAS_NORM;
                const double *v = i == TARGET && k == 1 ? q : value[k]; /* the target reads its own scores, scaled */
                r->stat[STAT_MAX] = v[0];
                r->stat[STAT_MIN] = v[1];
                r->stat[STAT_NORM] = v[2];
            }
        build(&s);
        struct figures scaled = {.two = true, .rel_l2 = 0.65, .max_abs = 1, .minus = wrong == 2 ? 0.01 : 1e-9,
                                 .side = {{.norm = 0.35, .count = 64}, {.norm = 1, .count = 64}}};
        struct figures same = {.two = true,
                               .rel_l2 = 1e-8,
                               .max_abs = 1e-8,
                               .side = {{.norm = 1, .count = 64}, {.norm = 1, .count = 64}}};
        struct figures off = {.two = true,
                              .rel_l2 = 0.3,
                              .max_abs = 1,
                              .minus = 0.04,
                              .side = {{.norm = 0.9, .count = 64}, {.norm = 1, .count = 64}}};
        scene_computed(&s, scores, &scaled);
        scene_computed(&s, in, &same);
        scene_computed(&s, out, wrong == 1 ? &off : &same);
        judge_all(&s);
        if (wrong)
            assert_int_equal(level_verdict(of(&s, scores)), VERDICT_DEVIATE);
        else
            EXPECT(&s, scores, VERDICT_SKIP, RULE_FACTOR);
        scene_end(&s);
    }
}

/* The golden container ends before the last activation, which is called outside of it: its output is another value and
 * nothing is wrong, as long as what is inside and what is computed from it behind agrees; an older value says
 * nothing. */
static void containers_that_end_elsewhere(void **state)
{
    const double x[] = {1, -1, 2}, y[] = {4, -4, 6}, z[] = {5, 0, 5.5}, w[] = {7, -7, 9}, v[] = {3, -2, 4};
    (void)state;
    for (int wrong = 0; wrong < 4; wrong++) {
        struct scene s;
        uint32_t whole = NONE, inner = NONE, behind = NONE;
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            struct dump *d = &s.d[i];
            bool within = i == TARGET;
            uint32_t m = within ? 4 : 5; /* the module: recorded behind what is inside it */
            named_on(d, "Functional.embedding.0.forward", "embedding", CALL_API, PHASE_FORWARD, NONE);
            tensor_on(d, "output.0", DTYPE_F32, 64, v);
            if (!within) { /* rows of both sides are not numbered alike */
                named_on(d, "Functional.pad.0.forward", "pad", CALL_API, PHASE_FORWARD, NONE);
                tensor_on(d, "output.0", DTYPE_F32, 1, w);
                tensor_on(d, "output.1", DTYPE_F32, 1, w);
            }
            named_on(d, "Functional.linear.0.forward", "linear", CALL_API, PHASE_FORWARD, m);
            tensor_on(d, "input.0", DTYPE_F32, 64, x);
            inner = tensor_on(d, "output.0", DTYPE_F32, 64, y);
            named_on(d, "Functional.dropout.0.forward", "dropout", CALL_API, PHASE_FORWARD, m);
            tensor_on(d, "input.0", DTYPE_F32, 64, y);
            tensor_on(d, "output.0", DTYPE_F32, 64, y);
            named_on(d, within ? "Functional.relu.0.forward" : "Functional.relu_out.0.forward", "relu", CALL_API,
                     PHASE_FORWARD, within ? m : NONE);
            tensor_on(d, "input.0", DTYPE_F32, 64, y);
            tensor_on(d, "output.0", DTYPE_F32, 64, z);
            named_on(d, "Module.features.Sequential.forward.0", "Sequential", CALL_MODULE, PHASE_FORWARD, NONE);
            whole = tensor_on(d, "output.0", DTYPE_F32, 64, within ? z : y);
            named_on(d, "Functional.linear.1.forward", "linear", CALL_API, PHASE_FORWARD, NONE);
            behind = tensor_on(d, "input.0", DTYPE_F32, 64, wrong == 3 ? v : z);
            tensor_on(d, "output.0", DTYPE_F32, 64, w);
            d->rows.v[whole].has |= HAS_FILE;
            d->rows.v[inner].has |= HAS_FILE;
            d->rows.v[behind].has |= HAS_FILE;
            inner -= within ? 0 : 2;
            whole -= within ? 0 : 2;
            behind -= within ? 0 : 2;
        }
        computed(&s, inner, wrong == 1 ? 0.5 : 1e-8);
        computed(&s, whole, 0.6);
        computed(&s, behind, wrong == 2 ? 0.5 : 1e-8);
        judge_all(&s);
        if (wrong)
            assert_int_equal(level_verdict(of(&s, whole)), VERDICT_DEVIATE);
        else
            EXPECT(&s, whole, VERDICT_SKIP, RULE_CONTAINER);
        assert_int_equal(s.j.first, wrong == 0 ? NONE : scene_line(&s, wrong == 1 ? inner : whole));
        scene_end(&s);
    }
}

/* Ties of max pooling: the gradient differs at places the activation multiplies by zero. */
static void gradients_an_activation_drops(void **state)
{
    const double x[] = {1, -1, 2}, y[] = {4, -4, 6};
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        struct scene s;
        uint32_t row[4] = {0};
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            named_on(&s.d[i], "Functional.max_pool2d.0.backward", "max_pool2d", CALL_API, PHASE_BACKWARD, NONE);
            row[0] = tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, x);
            named_on(&s.d[i], "Functional.relu.0.backward", "relu", CALL_API, PHASE_BACKWARD, NONE);
            row[1] = tensor_on(&s.d[i], "input.0", DTYPE_F32, 64, x);
            row[2] = tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, y);
            named_on(&s.d[i], "Functional.batch_norm.0.backward", "batch_norm", CALL_API, PHASE_BACKWARD, NONE);
            row[3] = tensor_on(&s.d[i], "input.0", DTYPE_F32, 64, y);
            for (int k = 0; k < 4; k++)
                s.d[i].rows.v[row[k]].has |= HAS_FILE;
        }
        for (int k = 0; k < 4; k++)
            computed(&s, row[k], k < 2 || wrong ? 0.01 : 1e-8);
        judge_all(&s);
        for (int k = 0; k < 2; k++)
            if (wrong)
                assert_int_equal(level_verdict(of(&s, row[k])), VERDICT_DEVIATE);
            else
                EXPECT(&s, row[k], VERDICT_SKIP, RULE_DISCARDED);
        scene_end(&s);
    }
}

/* One side has masked the scores in the call before, the other masks them in this one: what comes out agrees. */
static void operands_masked_before(void **state)
{
    const double scores[] = {3, -2, 5}, filled[] = {3, -3e38, 4e38}, out[] = {3, -3.4e38, 9e38};
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "add");
        uint32_t in = NONE, sum = NONE;
        for (int i = 0; i < 2; i++) {
            in = tensor_on(&s.d[i], "input.0", DTYPE_F32, 64, i == TARGET ? filled : scores);
            sum = tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, out);
            s.d[i].rows.v[in].has |= HAS_FILE;
            s.d[i].rows.v[sum].has |= HAS_FILE;
        }
        computed(&s, in, 1e30);
        computed(&s, sum, wrong ? 0.5 : 1e-8);
        judge_all(&s);
        if (wrong)
            assert_true(verdict_is_bad((enum verdict)of(&s, in)->verdict));
        else
            EXPECT(&s, in, VERDICT_SKIP, RULE_MASKED_BEFORE);
        scene_end(&s);
    }
}

/* Recorded figures of masked scores: −inf and the type's lowest number are one fill. What is left is compared; that it
 * agrees says nothing of how many were filled. */
static void statistics_of_masked_scores(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        const double t[] = {wrong ? 2 : 3, -INFINITY, INFINITY}, g[] = {3, -3.4e38, 4e39};
        struct scene s;
        uint32_t r = NONE;
        scene_start(&s);
        both_call(&s, "add");
        tensor_on(&s.d[GOLDEN], "output.0", DTYPE_F32, 64, g);
        r = tensor_on(&s.d[TARGET], "output.0", DTYPE_F32, 64, t);
        judge_all(&s);
        assert_int_equal(level_verdict(of(&s, r)), wrong ? VERDICT_DEVIATE : VERDICT_SKIP);
        scene_end(&s);
    }
}

/* A mask that says which elements are kept beside one that adds its fills: figures do not tell whether they are one. */
static void statistics_of_two_kinds_of_masks(void **state)
{
    static const struct {
        double said[3], added[3]; /* max, min, norm */
        enum verdict verdict;
    } cases[] = {
        {{1, 0, 4}, {0, -3.4e38, INFINITY}, VERDICT_SKIP},
        {{1, 0, 4}, {3, -3.4e38, INFINITY}, VERDICT_DTYPE}, /* scores */
        {{1, 0, 4}, {0, -2, 8}, VERDICT_DTYPE},
        {{1, 1, 4}, {0, -3.4e38, INFINITY}, VERDICT_DTYPE}, /* masks nothing */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (int swapped = 0; swapped < 2; swapped++) {
            struct scene s;
            scene_start(&s);
            both_call(&s, "add");
            uint32_t a = tensor_on(&s.d[swapped], "input.attention_mask", DTYPE_BOOL, 64, cases[i].said),
                     b = tensor_on(&s.d[!swapped], "input.attention_mask", DTYPE_F32, 64, cases[i].added);
            judge_all(&s);
            assert_int_equal(level_verdict(of(&s, swapped == TARGET ? a : b)), cases[i].verdict);
            scene_end(&s);
        }
}

/* Recorded figures of two masks with other fills: the numbers of fills are compared; where the figures overflowed,
 * nothing was compared. */
static void statistics_of_masks(void **state)
{
    static const struct {
        double t[3], g[3]; /* max, min, norm */
        enum verdict verdict;
        enum verdict_rule rule;
    } cases[] = {
        {{0, -10000, 40000}, {0, -3e38, 12e38}, VERDICT_MATCH, RULE_SAME_STATS},      /* 16 fills each */
        {{0, -10000, 40000}, {0, -3e38, 15e38}, VERDICT_DEVIATE, RULE_MASK_COUNTS},   /* 16 and 25 */
        {{0, -10000, 40000}, {0, -3e38, INFINITY}, VERDICT_SKIP, RULE_MASK_UNCOUNTED},
        {{3, -10000, 40000}, {3, -3e38, 15e38}, VERDICT_DEVIATE, RULE_MASK_COUNTS},   /* masked scores */
        {{3, -10000, 40000}, {3, -3e38, INFINITY}, VERDICT_SKIP, RULE_MASK_UNCOUNTED},
        {{3, -3e38, INFINITY}, {3, -3e38, INFINITY}, VERDICT_SKIP, RULE_MASK_UNCOUNTED}, /* equal fills */
        {{3, -3e38, INFINITY}, {2, -3e38, INFINITY}, VERDICT_DEVIATE, RULE_LIMIT},
        {{3, -10000, 40000}, {3, -10000, 50000}, VERDICT_DEVIATE, RULE_LIMIT},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "add");
        tensor_on(&s.d[GOLDEN], "output.0", DTYPE_F32, 64, cases[i].g);
        uint32_t r = tensor_on(&s.d[TARGET], "output.0", DTYPE_F32, 64, cases[i].t);
        judge_all(&s);
        EXPECT(&s, r, cases[i].verdict, cases[i].rule);
        scene_end(&s);
    }
}

/* A number that nobody recorded: the figures before and after a call tell it, whatever noise came in. */
static void constants_by_figures(void **state)
{
    static const struct {
        const char *op;
        double in[2][3], out[2][3];
        bool differ;
    } cases[] = {
        {"add", {{4.24, 0.69, 12.5}, {4.24, 0.69, 12.5}}, {{4.241, 0.691, 12.504}, {4.2409, 0.6909, 12.504}}, true},
        {"add", {{4.24, 0.69, 12.5}, {4.2401, 0.6901, 12.5}}, {{4.241, 0.691, 12.504}, {4.2411, 0.6911, 12.504}}, false},
        {"mul", {{4, -2, 12}, {4, -2, 12}}, {{2, -1, 6}, {2.00002, -1.00001, 6.00006}}, true},
        {"mul", {{4, -2, 12}, {4.00004, -2.00002, 12.00012}}, {{2, -1, 6}, {2.00002, -1.00001, 6.00006}}, false},
        /* no single number */
        {"add", {{4, -2, 12}, {4, -2, 12}}, {{5, -1.5, 13}, {5.0001, -1.5, 13}}, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        uint32_t out = NONE;
        scene_start(&s);
        both_call(&s, cases[i].op);
        for (int d = 0; d < 2; d++) {
            tensor_on(&s.d[d], "input.0", DTYPE_F32, 64, cases[i].in[d]);
            out = tensor_on(&s.d[d], "output.0", DTYPE_F32, 64, cases[i].out[d]);
        }
        judge_all(&s);
        if ((of(&s, out)->rule == RULE_CONSTANT) != cases[i].differ)
            fail_msg("case %zu: rule %d", i, of(&s, out)->rule);
        scene_end(&s);
    }
}

/* Whole numbers of a logarithm of zero, which a `where` drops. */
static void numbers_a_where_drops(void **state)
{
    const double x[] = {7, -9e18, NAN}, y[] = {5, 0, 14};
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        struct scene s;
        uint32_t row[3] = {0};
        scene_start(&s);
        for (int i = 0; i < 2; i++) {
            named_on(&s.d[i], "Tensor.__radd__.0.forward", "__radd__", CALL_API, PHASE_FORWARD, NONE);
            row[0] = tensor_on(&s.d[i], "output.0", DTYPE_I64, 64, x);
            named_on(&s.d[i], "Torch.where.0.forward", "where", CALL_API, PHASE_FORWARD, NONE);
            row[1] = tensor_on(&s.d[i], "input.2", DTYPE_I64, 64, x);
            row[2] = tensor_on(&s.d[i], "output.0", DTYPE_I64, 64, y);
            for (int k = 0; k < 3; k++)
                s.d[i].rows.v[row[k]].has |= HAS_FILE;
        }
        for (int k = 0; k < 3; k++)
            computed(&s, row[k], k < 2 || wrong ? 0.01 : 0);
        judge_all(&s);
        for (int k = 0; k < 2; k++)
            if (wrong)
                assert_int_equal(level_verdict(of(&s, row[k])), VERDICT_DEVIATE);
            else
                EXPECT(&s, row[k], VERDICT_SKIP, RULE_DISCARDED);
        scene_end(&s);
    }
}

/* A mask nothing recorded produced is the step's own input: other data, whatever comes of it. */
static void step_inputs_are_not_dropped(void **state)
{
    const double x[] = {1, 0, 4}, y[] = {5, 0, 14};
    struct scene s;
    uint32_t in = NONE, out = NONE;
    (void)state;
    scene_start(&s);
    for (int i = 0; i < 2; i++) {
        named_on(&s.d[i], "Tensor.__radd__.0.forward", "__radd__", CALL_API, PHASE_FORWARD, NONE);
        in = tensor_on(&s.d[i], "input.0", DTYPE_I64, 64, x);
        out = tensor_on(&s.d[i], "output.0", DTYPE_I64, 64, y);
        s.d[i].rows.v[in].has |= HAS_FILE;
        s.d[i].rows.v[out].has |= HAS_FILE;
    }
    computed(&s, in, 0.3);
    computed(&s, out, 0);
    judge_all(&s);
    EXPECT(&s, in, VERDICT_DEVIATE, RULE_INTEGERS_DIFFER);
    assert_int_equal(s.j.first, scene_line(&s, in));
    scene_end(&s);
}

/* PyTorch holds the gradient that came in for that of an input an activation has overwritten. */
static void activations_in_place(void **state)
{
    const double in[] = {4, -4, 6}, out[] = {4, -4, 3};
    (void)state;
    for (int place = 0; place < 2; place++) {
        struct scene s;
        uint32_t row = NONE;
        scene_start(&s);
        s.d[TARGET].framework = "mindspore";
        for (int i = 0; i < 2; i++) {
            uint32_t f = named_on(&s.d[i], "Functional.relu.0.forward", "relu", CALL_API, PHASE_FORWARD, NONE);
            tensor_on(&s.d[i], "input.0", DTYPE_F32, 64, in);
            if (i == GOLDEN)
                number_on(&s.d[i], "input.inplace", ROW_BOOL, place, place ? "true" : "false");
            tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, in);
            uint32_t b = named_on(&s.d[i], "Functional.relu.0.backward", "relu", CALL_API, PHASE_BACKWARD, NONE);
            tensor_on(&s.d[i], "input.0", DTYPE_F32, 64, in);
            row = tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, i == TARGET ? out : in);
            s.d[i].calls.v[f].twin = b;
            s.d[i].calls.v[b].twin = f;
        }
        judge_all(&s);
        uint32_t target = s.p.lines.v[s.p.line_of[GOLDEN][row]].row[TARGET];
        assert_true(target != NONE);
        if (place)
            EXPECT(&s, target, VERDICT_SKIP, RULE_FRAMEWORK);
        else
            assert_int_equal(level_verdict(of(&s, target)), VERDICT_DEVIATE);
        scene_end(&s);
    }
}

/* A call one side recorded twice, once inside the other: the second has no partner and needs none. */
static void calls_recorded_twice(void **state)
{
    const double y[] = {4, -4, 6};
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "embedding");
    for (int i = 0; i < 2; i++)
        tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, y);
    call_on(&s.d[GOLDEN], "embedding", PHASE_FORWARD);
    uint32_t again = tensor_on(&s.d[GOLDEN], "output.0", DTYPE_F32, 64, y);
    dump_link_nested(&s.d[GOLDEN], 0, 1);
    judge_all(&s);
    const struct line_judgement *l = &s.j.line[s.p.line_of[GOLDEN][again]];
    expect_line(l, VERDICT_SKIP, RULE_NESTED, __LINE__);
    assert_int_equal(s.j.sum.only[GOLDEN], 0);
    assert_true(s.j.sum.coverage[GOLDEN] == 1);
    scene_end(&s);
}

/* A forward call one side makes a second time inside its backward pass. */
/* The first operand of a sum whose factor is zero may hold anything; so may what a kernel leaves unwritten. */
static void what_is_never_read(void **state)
{
    static const struct {
        const char *op, *slot, *framework;
        double beta; /* NaN: not given */
        bool read_later, skipped;
    } cases[] = {
        {"baddbmm", "input.0", "pytorch", 0, false, true},
        {"baddbmm", "input.0", "pytorch", 1, false, false},
        {"baddbmm", "input.0", "pytorch", NAN, false, false},
        {"baddbmm", "input.1", "pytorch", 0, false, false},
        {"zeros_like", "input.0", "pytorch", NAN, false, true},
        {"BatchNorm", "output.1", "mindspore", NAN, false, true},
        {"BatchNorm", "output.1", "mindspore", NAN, true, false},
        {"BatchNorm", "output.0", "mindspore", NAN, false, false},
        {"BatchNorm", "output.1", "pytorch", NAN, false, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const double same[] = {4, -4, 6}, junk[] = {9, -9, 11}, other[] = {5, -5, 7};
        struct scene s;
        uint32_t odd = NONE;
        scene_start(&s);
        for (int k = 0; k < 2; k++) {
            static const char *const slots[] = {"input.0", "input.1", "output.0", "output.1"};
            s.d[k].framework = cases[i].framework;
            call_on(&s.d[k], cases[i].op, PHASE_FORWARD);
            for (size_t q = 0; q < ARRAY_LEN(slots); q++) {
                bool is_odd = strcmp(slots[q], cases[i].slot) == 0;
                uint32_t r = tensor_on(&s.d[k], slots[q], DTYPE_F32, 64, !is_odd ? same : k ? junk : other);
                odd = is_odd ? r : odd;
            }
            if (!isnan(cases[i].beta))
                number_on(&s.d[k], "input.beta", ROW_INT, cases[i].beta, "beta");
            if (cases[i].read_later) {
                call_on(&s.d[k], "mul", PHASE_FORWARD);
                tensor_on(&s.d[k], "input.0", DTYPE_F32, 64, k ? junk : other);
            }
        }
        judge_all(&s);
        if ((of(&s, odd)->rule == RULE_NEVER_READ) != cases[i].skipped || (s.j.first == NONE) != cases[i].skipped)
            fail_msg("case %zu: rule %d", i, of(&s, odd)->rule);
        scene_end(&s);
    }
}

/* Norms of many equal numbers were summed in float32: 3.5e-5 at 2.4 million. Extremes are exact. */
static void norms_of_many_numbers(void **state)
{
    static const struct {
        int64_t n;
        double norm, max;
        bool same;
    } cases[] = {
        {2400000, 1 + 3.5e-5, 1, true}, {2400000, 1 + 1e-4, 1, false}, {2400000, 1, 1 + 3.5e-5, false}, {1000, 1 + 3.5e-5, 1, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        uint32_t weight = NONE;
        scene_start(&s);
        both_call(&s, "linear");
        for (int k = 0; k < 2; k++) {
            const double stats[] = {k == TARGET ? cases[i].max : 1, 1, 1};
            weight = tensor_on(&s.d[k], "parameters.weight", DTYPE_F32, cases[i].n, stats);
            s.d[k].rows.v[weight].stat[STAT_NORM] = k == TARGET ? cases[i].norm : 1;
            s.d[k].rows.v[weight].has |= HAS_NORM;
        }
        judge_all(&s);
        assert_int_equal(verdict_is_bad((enum verdict)of(&s, weight)->verdict), !cases[i].same);
        scene_end(&s);
    }
}

static void recomputed_calls_are_set_aside(void **state)
{
    const double y[] = {4, -4, 6};
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "linear");
    for (int i = 0; i < 2; i++)
        tensor_on(&s.d[i], "output.0", DTYPE_F32, 64, y);
    call_on(&s.d[TARGET], "linear", PHASE_FORWARD);
    uint32_t again = tensor_on(&s.d[TARGET], "output.0", DTYPE_F32, 64, y);
    s.d[TARGET].calls.v[1].recomputes = 0;
    s.o.strict_gaps = true;
    judge_all(&s);
    EXPECT(&s, again, VERDICT_SKIP, RULE_RECOMPUTED);
    assert_int_equal(s.j.sum.only[TARGET], 0);
    assert_int_equal(s.j.first, NONE);
    assert_true(s.j.sum.coverage[TARGET] == 1);
    assert_int_equal(judgement_status(&s.j, &s.o), 0);
    scene_end(&s);
}

/* A switch that differs while the output agrees is a note; where it does not, and of numbers with a fraction, a
 * deviation. */
static void idle_arguments_are_notes(void **state)
{
    static const struct {
        enum row_kind kind;
        double off; /* of the output */
        bool note;
    } cases[] = {
        {ROW_BOOL, 0, true}, {ROW_STR, 1e-7, true}, {ROW_BOOL, 1e-2, false}, {ROW_STR, 3e-4, false}, {ROW_FLOAT, 0, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "linear");
        uint32_t argument[2];
        for (int k = 0; k < 2; k++) {
            struct row r = {.slot = dump_slot(&s.d[k], STR("input.mode")), .shape = NONE, .extra = NONE, .io = IO_INPUT,
                            .kind = (uint8_t)cases[i].kind, .text = k ? "true" : "false"};
            r.stat[STAT_MAX] = k;
            argument[k] = dump_add_row(&s.d[k], 0, r);
        }
        uint32_t out = measured(&s, "output.0", DTYPE_F32);
        measured(&s, "output.1",
                 DTYPE_F32); /* the weights of attention, which the golden side's kernel does not give */
        s.d[GOLDEN].rows.v[s.d[GOLDEN].calls.v[0].last_row].kind = ROW_NULL;
        computed(&s, out, cases[i].off);
        judge_all(&s);
        EXPECT(&s, argument[0], cases[i].note ? VERDICT_DRIFT : VERDICT_DEVIATE,
               cases[i].note ? RULE_IDLE_ARGUMENT : RULE_SCALAR_DIFFERS);
        assert_true((s.j.first == NONE) == cases[i].note);
        scene_end(&s);
    }
}

/* A pooling's backward call ends in a view in one memory format: its record is the gradient that came in. */
/* The bound of a clamp differs (the spacing of each side's type): a note where no element is beyond it. */
static void bounds_that_nothing_reaches(void **state)
{
    (void)state;
    for (int reached = 0; reached < 2; reached++) {
        struct scene s;
        scene_start(&s);
        both_call(&s, "clamp_min");
        const double x[] = {2, 0.5, 1, 9}, y[] = {2, 0.6, 1, 9};
        for (int k = 0; k < 2; k++)
            tensor_on(&s.d[k], "input.0", DTYPE_F32, 64, x);
        uint32_t bound[2];
        for (int k = 0; k < 2; k++) {
            struct row r = {.slot = dump_slot(&s.d[k], STR("input.1")), .shape = NONE, .extra = NONE, .io = IO_INPUT,
                            .kind = ROW_FLOAT};
            r.stat[STAT_MAX] = k ? 0x1p-7 : 0x1p-23;
            bound[k] = dump_add_row(&s.d[k], 0, r);
        }
        for (int k = 0; k < 2; k++)
            tensor_on(&s.d[k], "output.0", DTYPE_F32, 64, reached ? y : x);
        judge_all(&s);
        EXPECT(&s, bound[0], reached ? VERDICT_DEVIATE : VERDICT_DRIFT,
               reached ? RULE_SCALAR_DIFFERS : RULE_IDLE_ARGUMENT);
        scene_end(&s);
    }
}

static void last_inner_steps_differ(void **state)
{
    const double came[] = {4, -4, 6}, made[] = {1, -1, 2};
    for (int same = 0; same < 2; same++) {
        struct scene s;
        uint32_t out = NONE;
        (void)state;
        scene_start(&s);
        for (int k = 0; k < 2; k++) {
            call_on(&s.d[k], "adaptive_avg_pool2d", PHASE_FORWARD);
            tensor_on(&s.d[k], "input.0", DTYPE_F32, same ? 64 : 576, came);
            call_on(&s.d[k], "adaptive_avg_pool2d", PHASE_BACKWARD);
            s.d[k].calls.v[1].twin = 0;
            tensor_on(&s.d[k], "input.0", DTYPE_F32, 64, came);
            out = tensor_on(&s.d[k], "output.0", DTYPE_F32, k && !same ? 576 : 64, k ? made : came);
        }
        judge_all(&s);
        assert_int_equal(level_verdict(of(&s, out)),
                         same ? VERDICT_DEVIATE : VERDICT_SKIP); /* a sum hands its gradient on, rightly */
        scene_end(&s);
    }
}

/* A module whose steps nobody recorded may compute in the 16 bits of its side's products, whatever holds its result. */
static void modules_in_the_type_of_products(void **state)
{
    (void)state;
    for (int narrow = 0; narrow < 2; narrow++) {
        struct scene s;
        scene_start(&s);
        for (int i = 0; i < 4; i++) {
            both_call(&s, "linear");
            for (int k = 0; k < 2; k++) {
                enum dtype type = k == TARGET && narrow ? DTYPE_BF16 : DTYPE_F32;
                tensor_on(&s.d[k], "input.0", type, 64, NULL);
                tensor_on(&s.d[k], "output.0", type, 64, NULL);
            }
        }
        for (int k = 0; k < 2; k++)
            named_on(&s.d[k], "Module.rnn.GRU.forward.0", "GRU", CALL_MODULE, PHASE_FORWARD, NONE);
        uint32_t out = measured(&s, "output.0", DTYPE_F32);
        computed(&s, out, 4.4e-3);
        judge_all(&s);
        assert_int_equal(level_verdict(of(&s, out)) == VERDICT_DEVIATE, !narrow);
        scene_end(&s);
    }
}

/* Values as low as a fill beside others as large are none. */
static void large_values_are_no_fills(void **state)
{
    static const double t[] = {15185.788, -20789.134, 159193.6}, g[] = {15186.402, -20789.129, 159193.6};
    struct scene s;
    (void)state;
    scene_start(&s);
    both_call(&s, "mul");
    uint32_t r = recorded(&s, "output.0", t, g);
    judge_all(&s);
    assert_int_equal(of(&s, r)->verdict, VERDICT_MATCH);
    assert_false(of(&s, r)->flags & LINE_MASKED);
    scene_end(&s);
}

/* A table for the whole batch here and one a sample there: its figures laid out, where no elements were recorded. */
static void repeated_tables_are_laid_out(void **state)
{
    for (int wrong = 0; wrong < 2; wrong++) {
        struct scene s;
        (void)state;
        scene_start(&s);
        both_call(&s, "linear");
        uint32_t r = NONE;
        for (int k = 0; k < 2; k++) {
            int64_t shape[] = {k ? 1 : 4, 8};
            struct row x = {.slot = dump_slot(&s.d[k], STR("input.0")),
                            .extra = NONE,
                            .io = IO_INPUT,
                            .kind = ROW_TENSOR,
                            .dtype = DTYPE_F32,
                            .has = HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM | HAS_SHAPE,
                            .stat = {3, -2, 0.5,
                                     k       ? 5
                                     : wrong ? 9
                                             : 10}};
            x.shape = dump_shape(&s.d[k], shape, 2);
            r = dump_add_row(&s.d[k], 0, x);
        }
        judge_all(&s);
        if (wrong)
            EXPECT(&s, r, VERDICT_SHAPE, RULE_ELEMENTS);
        else
            EXPECT(&s, r, VERDICT_MATCH, RULE_SAME_STATS);
        scene_end(&s);
    }
}

static void listed_rows_are_what_map_only_covers(void **state)
{
    struct mapping_entry e[] = {{.target = STR("Functional.linear.0.forward.output.0"),
                                 .golden = STR("Functional.linear.0.forward.output.0")},
                                {.target = STR("gone"), .golden = STR("gone")}};
    struct mapping m = {.path = "m"};
    struct scene s;
    (void)state;
    m.entries.v = e;
    m.entries.n = 2;
    scene_start(&s);
    s.o.map_only = true;
    s.po = (struct pairing_options){.maps = &m, .map_count = 1, .map_only = true};
    both_call(&s, "linear");
    uint32_t r = measured(&s, "output.0", DTYPE_F32);
    computed(&s, r, 0);
    judge_all(&s);
    assert_true(s.j.sum.compute[0] == 2 && s.j.sum.covered[0] == 1 && s.j.sum.coverage[0] == 0.5);
    assert_int_equal(judgement_status(&s.j, &s.o), 0);
    scene_end(&s);
}

static void counts_of_verdicts(void **state)
{
    struct scene s;
    uint32_t all = 0;
    (void)state;
    chain(&s, (const double[][2]){{0, 1e-7}, {0.5, 0.5}}, 2);
    for (int v = 0; v < VERDICT_COUNT; v++)
        all += s.j.sum.by[v];
    assert_int_equal(all, s.j.lines);
    assert_true(s.j.sum.by[VERDICT_MATCH] == 2 && judge_summary_bad(&s.j.sum) == 2 && s.j.sum.pairs == 4);
    for (int v = 0; v <= VERDICT_SKIP; v++) /* what inherits is "deviate" in files */
        for (int w = 0; w < v; w++)
            assert_string_not_equal(verdict_name((enum verdict)v), verdict_name((enum verdict)w));
    assert_true(verdict_is_bad(VERDICT_DEVIATE) && verdict_is_bad(VERDICT_NONFINITE) && verdict_is_bad(VERDICT_SHAPE));
    assert_false(verdict_is_bad(VERDICT_DTYPE) || verdict_is_bad(VERDICT_DRIFT) || verdict_is_bad(VERDICT_ONLY));
    scene_end(&s);
}

/* A window larger than any is the largest there is: the last error alone is no level. */
static void a_huge_window(void **state)
{
    static const double error[] = {1e-7, 1.9e-4};
    struct scene s;
    uint32_t r[2];
    (void)state;
    errors_after(&s, DTYPE_F32, 90, 1e-4, error, 2, r);
    EXPECT(&s, r[1], VERDICT_MATCH, RULE_LEVEL);
    s.tol.window = 1e12;
    judge_all(&s);
    EXPECT(&s, r[1], VERDICT_MATCH, RULE_LEVEL);
    scene_end(&s);
}

/* Extremes that pass NaN and Inf over (MindSpore Dump up to 2.6): what was counted tells. */
static void counted_nonfinite(void **state)
{
    static const struct {
        struct row_extra t, g;
        enum verdict v;
    } cases[] = {
        {{.counts = COUNT_NAN, .nan = 1}, {.counts = COUNT_NAN}, VERDICT_NONFINITE},
        {{.counts = COUNT_NAN, .nan = 1}, {.counts = 0}, VERDICT_NONFINITE},
        {{.counts = COUNT_NAN, .nan = 1}, {.counts = COUNT_NAN, .nan = 2}, VERDICT_NONFINITE},
        {{.counts = COUNT_POS_INF, .pos_inf = 3}, {.counts = COUNT_NEG_INF, .neg_inf = 3}, VERDICT_NONFINITE},
        {{.counts = COUNT_NAN | COUNT_POS_INF, .nan = 2}, {.counts = COUNT_NAN | COUNT_POS_INF, .nan = 2}, VERDICT_MATCH},
        {{.counts = COUNT_NAN}, {.counts = COUNT_POS_INF}, VERDICT_MATCH},
    };
    static const double stats[] = {1, -1, 5};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        struct dump_check c;
        scene_start(&s);
        both_call(&s, "linear");
        tensor_on(&s.d[1], "output.0", DTYPE_F32, 64, stats);
        uint32_t row = tensor_on(&s.d[0], "output.0", DTYPE_F32, 64, stats);
        vec_push(&s.d[0].extras, cases[i].t);
        vec_push(&s.d[1].extras, cases[i].g);
        s.d[0].rows.v[row].extra = 0;
        vec_last(&s.d[1].rows)->extra = 0;
        judge_all(&s);
        if (of(&s, row)->verdict != cases[i].v)
            fail_msg("case %zu", i);
        dump_check_run(&c, &s.d[0], kern_select(NULL), 1, NULL, NULL);
        assert_int_equal(c.problems.n, cases[i].t.nan || cases[i].t.pos_inf);
        if (c.problems.n)
            assert_non_null(strstr(c.problems.v[0].text, "of 64 elements"));
        dump_check_release(&c);
        scene_end(&s);
    }
}

/* ---- a loss scale ---- */

#define GRADIENTS 6

/* Gradients of the target, one of them complex, are the golden side's times a factor, the last times another one as
 * well. */
static void judge_scaled(struct scene *s, double factor, double last, uint32_t row[GRADIENTS])
{
    scene_start(s);
    for (int i = 0; i < GRADIENTS; i++) {
        for (int k = 0; k < 2; k++)
            call_on(&s->d[k], "mul", PHASE_BACKWARD);
        row[i] = measured(s, "output.0", i == GRADIENTS / 2 ? DTYPE_C64 : DTYPE_F32);
    }
    build(s);
    for (int i = 0; i < GRADIENTS; i++) {
        double k = factor * (i == GRADIENTS - 1 ? last : 1);
        struct figures f = {.two = true, .rel_l2 = fabs(k - 1), .max_abs = fabs(k - 1), .minus = 1e-14,
                            .side = {{.max = k, .min = -k, .norm = k * (i + 1), .count = 64},
                                     {.max = 1, .min = -1, .norm = i + 1, .count = 64}}};
        scene_computed(s, row[i], &f);
    }
    scene_judge(s);
}

static void loss_scale_is_divided_out(void **state)
{
    static const struct {
        double factor, last, found;
        bool clean;
    } cases[] = {{1024, 1, 1024, true}, {1.0 / 65536, 1, 1.0 / 65536, true}, {1024, 2, 1024, false},
                 {128, 1, 1, false},    {1000, 1, 1, false},                {1, 1, 1, true}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene s;
        uint32_t row[GRADIENTS];
        judge_scaled(&s, cases[i].factor, cases[i].last, row);
        assert_true(s.j.loss_scale == cases[i].found);
        assert_int_equal(s.j.first == NONE, cases[i].clean);
        if (cases[i].last > 1)
            assert_int_equal(s.j.first, scene_line(&s, row[GRADIENTS - 1]));
        s.o.exact = true; /* who asks for equal bits gets no factor */
        scene_judge(&s);
        assert_true(s.j.loss_scale == 1);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loss_scale_is_divided_out),
        cmocka_unit_test(a_gradient_begins_with_a_source),
        cmocka_unit_test(fills_that_sketches_leave_out),
        cmocka_unit_test(products_of_all_experts_alone),
        cmocka_unit_test(axes_that_a_call_cannot_change),
        cmocka_unit_test(axes_of_an_incoming_gradient),
        cmocka_unit_test(constant_before_a_difference),
        cmocka_unit_test(numbers), cmocka_unit_test(fills_in_tensors), cmocka_unit_test(fills_without_end),
        cmocka_unit_test(operands_of_an_equation),
        cmocka_unit_test(types_as_values),
        cmocka_unit_test(tensors_of_one_element_and_numbers),
        cmocka_unit_test(shapes_and_types),
        cmocka_unit_test(pending_rows),
        cmocka_unit_test(unlike_elements),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(errors_without_noise),
        cmocka_unit_test(errors_above_noise),
        cmocka_unit_test(limits_rise_with_the_level),
        cmocka_unit_test(limits_of_coarser_types),
        cmocka_unit_test(rounding_comes_down_from_inputs),
        cmocka_unit_test(errors_of_inputs_excuse_outputs),
        cmocka_unit_test(floors_of_products),
        cmocka_unit_test(parameters_agree_to_their_rounding),
        cmocka_unit_test(sources_are_held_to_the_drift_limit),
        cmocka_unit_test(derived_values_are_no_tables),
        cmocka_unit_test(kinds_of_products_apart),
        cmocka_unit_test(reordered_pairs_claim_nothing),
        cmocka_unit_test(other_results_show_other_elements),
        cmocka_unit_test(statistics),
        cmocka_unit_test(statistics_of_parameters),
        cmocka_unit_test(statistics_that_16_bits_hide),
        cmocka_unit_test(statistics_of_picks),
        cmocka_unit_test(statistics_of_losses),
        cmocka_unit_test(statistics_of_angles),
        cmocka_unit_test(means_beside_norms),
        cmocka_unit_test(a_factor_of_the_loss),
        cmocka_unit_test(printed_digits),
        cmocka_unit_test(numbers_as_printed_and_as_rounded),
        cmocka_unit_test(means_where_norms_are_absent),
        cmocka_unit_test(non_finite_statistics),
        cmocka_unit_test(integer_statistics),
        cmocka_unit_test(checksums),
        cmocka_unit_test(a_checksum_and_figures_contradict), cmocka_unit_test(unread_tensors_are_judged_by_statistics),
        cmocka_unit_test(what_cannot_be_read_excuses_nothing),
        cmocka_unit_test(behind_an_unread_product),
        cmocka_unit_test(one_sided_rows),
        cmocka_unit_test(one_sided_contradiction),
        cmocka_unit_test(one_sided_unlinked),
        cmocka_unit_test(rounded_on_the_way),
        cmocka_unit_test(fused_and_written_out),
        cmocka_unit_test(masks_apart),
        cmocka_unit_test(numbers_elsewhere),
        cmocka_unit_test(doubt_of_what_is_read),
        cmocka_unit_test(rounded_outputs), cmocka_unit_test(rounded_parameters),
        cmocka_unit_test(exact_comparison),
        cmocka_unit_test(exact_checksums),
        cmocka_unit_test(unparsed_rows_are_unknown),
        cmocka_unit_test(kinds_of_first_deviation),
        cmocka_unit_test(out_of_a_gap),
        cmocka_unit_test(a_value_computed_twice),
        cmocka_unit_test(a_gradient_of_another_step),
        cmocka_unit_test(modules_that_begin_elsewhere),
        cmocka_unit_test(modules_that_begin_elsewhere_in_16_bits),
        cmocka_unit_test(questions_to_values_of_two_kinds),
        cmocka_unit_test(gradients_of_modules_of_other_calls),
        cmocka_unit_test(a_product_gradient_that_cancels),
        cmocka_unit_test(masks_whose_fills_overflow),
        cmocka_unit_test(doubtful_pairs_are_nobodys_first),
        cmocka_unit_test(a_type_of_one_side_is_no_allowance),
        cmocka_unit_test(gradients_of_paired_calls_are_certain),
        cmocka_unit_test(starts),
        cmocka_unit_test(status_and_coverage),
        cmocka_unit_test(status_of_rows),
        cmocka_unit_test(coverage_counts_shared_phases_only),
        cmocka_unit_test(regions_one_side_left_out),
        cmocka_unit_test(joined_calls_cover_each_other),
        cmocka_unit_test(factors_applied_elsewhere),
        cmocka_unit_test(a_factor_applied_behind_a_product),
        cmocka_unit_test(containers_that_end_elsewhere),
        cmocka_unit_test(gradients_an_activation_drops),
        cmocka_unit_test(activations_in_place),
        cmocka_unit_test(operands_masked_before),
        cmocka_unit_test(numbers_a_where_drops),
        cmocka_unit_test(statistics_of_masked_scores),
        cmocka_unit_test(statistics_of_masks),
        cmocka_unit_test(statistics_of_two_kinds_of_masks),
        cmocka_unit_test(constants_by_figures),
        cmocka_unit_test(step_inputs_are_not_dropped),
        cmocka_unit_test(calls_recorded_twice),
        cmocka_unit_test(what_is_never_read),
        cmocka_unit_test(norms_of_many_numbers),
        cmocka_unit_test(recomputed_calls_are_set_aside),
        cmocka_unit_test(idle_arguments_are_notes),
        cmocka_unit_test(bounds_that_nothing_reaches),
        cmocka_unit_test(repeated_tables_are_laid_out),
        cmocka_unit_test(last_inner_steps_differ),
        cmocka_unit_test(large_values_are_no_fills),
        cmocka_unit_test(modules_in_the_type_of_products),
        cmocka_unit_test(listed_rows_are_what_map_only_covers),
        cmocka_unit_test(counts_of_verdicts),
        cmocka_unit_test(a_huge_window),
        cmocka_unit_test(counted_nonfinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
