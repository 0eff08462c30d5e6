/* Causes of rows: what the crossed residual says, what depends on a start, independent starts, one value one cause. */
#include <math.h>

#include "scenes.h"

#include "dump/family.h"
#include "judge/cause.h"
#include "judge/same_figures.h"

enum { MOST = 32 };

/* Rows of both sides, alike in names, compared with given errors and residuals. A value is known by its size. */
struct run {
    struct scene s;
    float residual[MOST];
    double error[MOST], norm[MOST]; /* norm: of the target, the golden side's is 1 */
    uint32_t row[MOST], rows;
};

static void begin(struct run *t)
{
    scene_start(&t->s);
    t->rows = 0;
    for (int i = 0; i < MOST; i++)
        t->residual[i] = NAN;
    t->s.o.residual = t->residual;
}

static void call(struct run *t)
{
    char name[40];
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "Functional.mul.%zu.forward", t->s.d[k].calls.n);
        uint32_t c = dump_add_call(&t->s.d[k], str_of(name), CALL_API, PHASE_FORWARD);
        t->s.d[k].calls.v[c].family = FAMILY_MUL;
    }
}

/* Returns its number among the rows. */
static uint32_t value(struct run *t, const char *slot, double size, double error, double residual)
{
    static const int64_t n = 64;
    for (int k = 0; k < 2; k++) {
        struct dump *d = &t->s.d[k];
        struct row r = {.slot = dump_slot(d, str_of(slot)), .extra = NONE, .kind = ROW_TENSOR, .dtype = DTYPE_F32,
                        .io = *slot == 'o' ? IO_OUTPUT : *slot == 'p' ? IO_PARAMETER : IO_INPUT,
                        .has = HAS_SHAPE | HAS_MAX | HAS_MIN | HAS_NORM | HAS_FILE};
        r.shape = dump_shape(d, &n, 1);
        r.stat[STAT_MAX] = size;
        r.stat[STAT_MIN] = -size;
        r.stat[STAT_NORM] = 2 * size;
        t->row[t->rows] = dump_add_row(d, (uint32_t)d->calls.n - 1, r);
    }
    t->error[t->rows] = error;
    t->norm[t->rows] = 1;
    t->residual[t->rows] = (float)residual; /* rows and lines are in one order */
    return t->rows++;
}

static void judge_built(struct run *t)
{
    for (uint32_t i = 0; i < t->rows; i++) {
        struct figures f = {.two = true, .rel_l2 = t->error[i], .max_abs = t->error[i],
                            .side = {{.norm = t->norm[i]}, {.norm = 1}}};
        assert_int_equal(scene_line(&t->s, t->row[i]), i);
        scene_computed(&t->s, t->row[i], &f);
    }
    scene_judge(&t->s);
}

static void judge(struct run *t)
{
    scene_build(&t->s);
    judge_built(t);
}

static void expect(const struct run *t, uint32_t row, enum cause c, enum cause_basis b, uint32_t from)
{
    const struct line_judgement *l = &t->s.j.line[row];
    if (l->cause != c || l->basis != b || l->from != from)
        fail_msg("row %u: %s by %s from %d", row, cause_name((enum cause)l->cause),
                 cause_basis_name((enum cause_basis)l->basis), (int)l->from);
}

/* An error that the level does not explain, at a call that computes the same function of equal inputs. */
static void one_function_of_equal_inputs(void **state)
{
    (void)state;
    for (int recomputed = 0; recomputed < 2; recomputed++) {
        struct run t;
        begin(&t);
        call(&t);
        uint32_t in = value(&t, "input.0", 1, 0, NAN), out = value(&t, "output.0", 2, 0.1, recomputed ? 1.5 : NAN);
        judge(&t);
        expect(&t, in, CAUSE_AGREES, BASIS_BITS, NONE);
        if (recomputed)
            expect(&t, out, CAUSE_AGREES, BASIS_RECOMPUTED, NONE);
        else
            expect(&t, out, CAUSE_STARTS, BASIS_LEVEL, NONE);
        assert_int_equal(t.s.j.line[out].verdict, recomputed ? VERDICT_MATCH : VERDICT_DEVIATE);
        assert_int_equal(t.s.j.first, recomputed ? NONE : out);
        scene_end(&t.s);
    }
}

/* What a call makes of equal inputs in bfloat16 on one side alone: within the arithmetic of a pair most of whose
 * products are in it, and a start among products in float32. */
static void one_side_in_fewer_bits(void **state)
{
    (void)state;
    for (int coarse = 0; coarse < 2; coarse++) {
        struct run t;
        begin(&t);
        call(&t);
        uint32_t in = value(&t, "input.0", 1, 0, NAN), product = value(&t, "output.0", 2, 1e-9, 0.5);
        call(&t);
        uint32_t again = value(&t, "input.0", 1, 0, NAN), out = value(&t, "output.0", 3, 0.2, 0.5);
        for (int k = 0; k < 2; k++)
            t.s.d[k].calls.v[0].family = FAMILY_LINEAR;
        t.s.d[TARGET].rows.v[t.row[out]].dtype = DTYPE_BF16;
        if (coarse)
            t.s.d[TARGET].rows.v[t.row[product]].dtype = DTYPE_BF16;
        judge(&t);
        expect(&t, in, CAUSE_AGREES, BASIS_BITS, NONE);
        expect(&t, again, CAUSE_AGREES, BASIS_BITS, NONE);
        if (coarse)
            expect(&t, out, CAUSE_AGREES, BASIS_RECOMPUTED, NONE);
        else
            expect(&t, out, CAUSE_STARTS, BASIS_LEVEL, NONE);
        scene_end(&t.s);
    }
}

/* An operand that nothing made, behind a start: it may depend on that, unless its module records it as a parameter. */
static void a_weight_depends_on_nothing(void **state)
{
    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        struct run t;
        begin(&t);
        call(&t);
        value(&t, "input.0", 1, 1e-9, NAN); /* noise */
        uint32_t start = value(&t, "output.0", 2, 0.1, NAN);
        call(&t);
        uint32_t weight = value(&t, "input.0", 3, 0.2, NAN);
        value(&t, "input.1", 2, 0.1, NAN);
        value(&t, "output.0", 4, 0.3, NAN);
        uint32_t parameter = weight;
        if (recorded) {
            call(&t);
            parameter = value(&t, "parameters.weight", 3, 0.2, NAN);
        }
        for (int k = 0; k < 2; k++)
            t.s.d[k].rows.v[t.row[weight]].needs_gradient = true;
        judge(&t);
        expect(&t, start, CAUSE_STARTS, BASIS_LEVEL, NONE);
        if (recorded) {
            expect(&t, weight, CAUSE_STARTS, BASIS_LEVEL, NONE);
            expect(&t, parameter, CAUSE_INHERITED, BASIS_FLOW, weight);
        } else {
            expect(&t, weight, CAUSE_INHERITED, BASIS_FLOW, start);
        }
        scene_end(&t.s);
    }
}

/* What a module gives may have the figures of an earlier value that agrees (picks of experts): it is not that value. */
static void a_module_gives_another_value(void **state)
{
    struct run t;
    (void)state;
    begin(&t);
    call(&t);
    value(&t, "input.0", 1, 0, NAN);
    uint32_t start = value(&t, "output.0", 2, 0.1, NAN);
    call(&t);
    value(&t, "input.0", 5, 0, NAN);
    uint32_t alike = value(&t, "output.0", 6, 0, NAN);
    call(&t);
    uint32_t in = value(&t, "input.0", 2, 0.1, NAN), out = value(&t, "output.0", 6, 0.2, NAN);
    for (int k = 0; k < 2; k++)
        t.s.d[k].calls.v[2].kind = CALL_MODULE;
    judge(&t);
    expect(&t, start, CAUSE_STARTS, BASIS_LEVEL, NONE);
    expect(&t, alike, CAUSE_AGREES, BASIS_BITS, NONE);
    expect(&t, in, CAUSE_INHERITED, BASIS_FLOW, start);
    expect(&t, out, CAUSE_INHERITED, BASIS_FLOW, start);
    scene_end(&t.s);
}

/* A later row with the same values on each side has the same cause; one that differs otherwise is judged by itself. */
static void one_value_is_carried(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        struct run t;
        begin(&t);
        call(&t);
        value(&t, "input.0", 1, 0, NAN);
        uint32_t out = value(&t, "output.0", 2, 0.1, 1.5);
        call(&t);
        uint32_t in = value(&t, "input.0", 2, other ? 0.3 : 0.1, NAN);
        judge(&t);
        expect(&t, out, CAUSE_AGREES, BASIS_RECOMPUTED, NONE);
        if (other)
            expect(&t, in, CAUSE_STARTS, BASIS_LEVEL, NONE);
        else
            expect(&t, in, CAUSE_AGREES, BASIS_RECOMPUTED, NONE);
        scene_end(&t.s);
    }
}

/* A mask that differs goes into a module: what a call inside gets from steps nobody recorded depends on it, though the
 * module's rows come later. */
static void arguments_of_the_module_around(void **state)
{
    (void)state;
    for (int masked = 0; masked < 2; masked++) {
        struct run t;
        begin(&t);
        call(&t);
        value(&t, "input.0", 1, 0, NAN);
        value(&t, "output.0", 2, 0, NAN);
        call(&t);
        uint32_t inside = value(&t, "input.0", 9, 0.3, NAN);
        call(&t);
        uint32_t mask = value(&t, "input.0", 5, masked ? 0.5 : 0, NAN);
        for (int k = 0; k < 2; k++) {
            t.s.d[k].calls.v[0].family = FAMILY_LINEAR;
            t.s.d[k].calls.v[1].parent = 2;
        }
        scene_build(&t.s);
        for (int k = 0; k < 2; k++)
            t.s.flow[k].recurs[t.row[mask]] = 1;
        judge_built(&t);
        if (masked) {
            expect(&t, mask, CAUSE_STARTS, BASIS_SOURCE, NONE);
            expect(&t, inside, CAUSE_INHERITED, BASIS_FLOW, mask);
        } else {
            expect(&t, inside, CAUSE_STARTS, BASIS_LEVEL, NONE);
        }
        scene_end(&t.s);
    }
}

/* A small error of another function is a start, and what is computed from it inherits, however small its error is
 * against the noise. */
static void another_function_starts(void **state)
{
    struct run t;
    (void)state;
    begin(&t);
    call(&t);
    value(&t, "input.0", 1, 0, NAN);
    uint32_t out = value(&t, "output.0", 2, 1e-4, 40);
    call(&t);
    uint32_t in = value(&t, "input.0", 2, 1e-4, NAN), next = value(&t, "output.0", 3, 9e-5, 0.5);
    call(&t);
    uint32_t beside = value(&t, "input.0", 1, 0, NAN), apart = value(&t, "output.0", 5, 0, 0);
    judge(&t);
    expect(&t, out, CAUSE_STARTS, BASIS_RECOMPUTED, NONE);
    expect(&t, in, CAUSE_INHERITED, BASIS_FLOW, out);
    expect(&t, next, CAUSE_INHERITED, BASIS_RECOMPUTED, out);
    expect(&t, beside, CAUSE_AGREES, BASIS_BITS, NONE);
    expect(&t, apart, CAUSE_AGREES, BASIS_RECOMPUTED, NONE);
    assert_int_equal(t.s.j.first, out);
    assert_int_equal(t.s.j.starts.n, 1);
    assert_int_equal(t.s.j.starts.v[0].inherit, 2);
    assert_int_equal(t.s.j.line[next].verdict, VERDICT_INHERITED);
    assert_int_equal(judge_summary_bad(&t.s.j.sum), 3);
    scene_end(&t.s);
}

/* Of an operand that only a view makes comparable the golden function would get another one: its residual is none. */
static void a_turned_operand(void **state)
{
    static const struct view turned = {.side = GOLDEN, .count = 1, .step = {{.op = VIEW_TRANSPOSE}}};
    (void)state;
    for (int viewed = 0; viewed < 2; viewed++) {
        struct run t;
        begin(&t);
        call(&t);
        uint32_t in = value(&t, "input.0", 1, 0, NAN), out = value(&t, "output.0", 2, 1e-8, 1e6);
        scene_build(&t.s);
        if (viewed) {
            vec_push(&t.s.p.views, turned);
            t.s.p.pairs.v[t.s.p.lines.v[in].pair].view = 0;
        }
        judge_built(&t);
        expect(&t, out, viewed ? CAUSE_AGREES : CAUSE_STARTS, viewed ? BASIS_LEVEL : BASIS_RECOMPUTED, NONE);
        scene_end(&t.s);
    }
}

/* A second fault that does not depend on the first is a start of its own; one behind it is none. */
static void independent_starts(void **state)
{
    struct run t;
    (void)state;
    begin(&t);
    call(&t);
    uint32_t first = value(&t, "output.0", 1, 0.2, NAN);
    call(&t);
    value(&t, "input.0", 7, 0, NAN);
    uint32_t second = value(&t, "output.0", 8, 0.3, 90);
    call(&t);
    value(&t, "input.0", 1, 0.2, NAN);
    uint32_t behind = value(&t, "output.0", 9, 0.25, NAN);
    judge(&t);
    expect(&t, first, CAUSE_STARTS, BASIS_LEVEL, NONE);
    expect(&t, second, CAUSE_STARTS, BASIS_RECOMPUTED, NONE);
    expect(&t, behind, CAUSE_INHERITED, BASIS_FLOW, first);
    assert_int_equal(t.s.j.starts.n, 2);
    assert_int_equal(t.s.j.starts.v[0].line, first); /* two rows inherit from it */
    assert_int_equal(t.s.j.sum.calls_starting, 1);   /* the calls differ by number alone */
    scene_end(&t.s);
}

/* --exact: bits that differ are no rounding, whatever the residual says. */
static void exact_is_about_bits(void **state)
{
    struct run t;
    (void)state;
    begin(&t);
    t.s.o.exact = true;
    call(&t);
    value(&t, "input.0", 1, 0, NAN);
    uint32_t out = value(&t, "output.0", 2, 1e-8, 0.1);
    judge(&t);
    expect(&t, out, CAUSE_STARTS, BASIS_BITS, NONE);
    scene_end(&t.s);
}

/* A module's parameters are recorded after its output, which differs because of them. */
static void parameters_come_before_outputs(void **state)
{
    struct run t;
    (void)state;
    begin(&t);
    for (int k = 0; k < 2; k++)
        dump_add_call(&t.s.d[k], STR("Module.m.Linear.forward.0"), CALL_MODULE, PHASE_FORWARD);
    uint32_t in = value(&t, "input.0", 1, 0, NAN), out = value(&t, "output.0", 2, 0.5, 0.1),
             weight = value(&t, "parameters.weight", 3, 0.4, NAN);
    for (int k = 0; k < 2; k++)
        t.s.d[k].rows.v[t.row[weight]].io = IO_PARAMETER;
    judge(&t);
    expect(&t, in, CAUSE_AGREES, BASIS_BITS, NONE);
    expect(&t, weight, CAUSE_STARTS, BASIS_SOURCE, NONE);
    expect(&t, out, CAUSE_INHERITED, BASIS_RECOMPUTED, weight);
    assert_int_equal(t.s.j.first, weight);
    scene_end(&t.s);
}

/* A tensor of which only figures were recorded. */
static uint32_t figures(struct run *t, const char *slot, double max[2], double mean[2])
{
    static const int64_t n = 64;
    for (int k = 0; k < 2; k++) {
        struct dump *d = &t->s.d[k];
        struct row r = {.slot = dump_slot(d, str_of(slot)), .extra = NONE, .kind = ROW_TENSOR, .dtype = DTYPE_BF16,
                        .io = *slot == 'o' ? IO_OUTPUT : *slot == 'p' ? IO_PARAMETER : IO_INPUT,
                        .has = HAS_SHAPE | HAS_MAX | HAS_MIN | HAS_NORM | HAS_MEAN};
        r.shape = dump_shape(d, &n, 1);
        r.stat[STAT_MAX] = max[k];
        r.stat[STAT_MIN] = -1.5;
        r.stat[STAT_MEAN] = mean[k];
        r.stat[STAT_NORM] = 8;
        t->row[t->rows] = dump_add_row(d, (uint32_t)d->calls.n - 1, r);
    }
    return t->rows++;
}

/* Equal figures give others, within what the type's noise may be: a deviation behind it starts there, and without one
 * nothing does, because another order of elements may be right on both sides. Nor where a figure is missing. */
static void figures_go_apart(void **state)
{
    (void)state;
    for (int deviates = 0; deviates < 3; deviates++) {
        bool whole = deviates < 2;
        struct run t;
        begin(&t);
        call(&t);
        figures(&t, "input.0", (double[]){2, 2}, (double[]){0.02, 0.02});
        uint32_t out = figures(&t, "output.0", (double[]){1.75, 1.875}, (double[]){0.03, 0.02});
        call(&t);
        figures(&t, "input.0", (double[]){1.75, 1.875}, (double[]){0.03, 0.02});
        uint32_t end = figures(&t, "output.0", (double[]){deviates ? 9 : 1.5, 1.5}, (double[]){0.1, 0.1});
        for (int k = 0; k < 2 && !whole; k++)
            for (uint32_t r = 0; r < t.rows; r++)
                t.s.d[k].rows.v[r].has &= (uint16_t)~HAS_MEAN;
        scene_build(&t.s);
        scene_judge(&t.s);
        expect(&t, out, deviates && whole ? CAUSE_STARTS : CAUSE_AGREES, BASIS_FIGURES, NONE);
        if (deviates && whole)
            expect(&t, end, CAUSE_INHERITED, BASIS_FLOW, out);
        assert_int_equal(t.s.j.first, !deviates ? NONE : whole ? out : end);
        scene_end(&t.s);
    }
}

/* Equal figures in 16 bits do not say that results in float32 are equal beyond these digits. */
static void coarse_figures_go_apart_no_further(void **state)
{
    (void)state;
    for (int beyond = 0; beyond < 2; beyond++) {
        struct run t;
        begin(&t);
        call(&t);
        figures(&t, "input.0", (double[]){2, 2}, (double[]){0.02, 0.02});
        uint32_t out = figures(&t, "output.0", (double[]){beyond ? 1.95 : 1.877, 1.875}, (double[]){0.02, 0.02});
        for (int k = 0; k < 2; k++)
            t.s.d[k].rows.v[t.row[out]].dtype = DTYPE_F32;
        call(&t);
        figures(&t, "input.0", (double[]){1.75, 1.75}, (double[]){0.03, 0.03});
        uint32_t end = figures(&t, "output.0", (double[]){9, 1.5}, (double[]){0.1, 0.1});
        scene_build(&t.s);
        scene_judge(&t.s);
        assert_int_equal(same_figures_go_apart(&t.s.m, out), beyond);
        assert_int_equal(t.s.j.first, beyond ? out : end);
        scene_end(&t.s);
    }
}

/* A module's call: its forward one, its backward one, or the record of its parameters' gradients. */
static uint32_t module(struct run *t, const char *name, bool backward, bool gradient)
{
    uint32_t c = NONE;
    for (int k = 0; k < 2; k++) {
        c = dump_add_call(&t->s.d[k], str_of(name), CALL_MODULE, PHASE_FORWARD);
        t->s.d[k].calls.v[c].scope = dump_scope(&t->s.d[k], STR("up"));
        struct call *x = &t->s.d[k].calls.v[c];
        x->phase = backward || gradient ? PHASE_BACKWARD : PHASE_FORWARD;
        x->gradient = gradient;
    }
    return c;
}

/* A parameter's gradient that is zero on one side, though a gradient comes in, is a fault of its own behind another.
 * One that is only another gradient is not, nor one of a module that got none. */
static void a_lost_gradient(void **state)
{
    static const struct {
        double norm, comes;
        bool starts;
    } cases[] = {{0, 3, true}, {0.5, 3, false}, {0, 0, false}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct run t;
        begin(&t);
        call(&t);
        uint32_t first = value(&t, "output.0", 1, 0.2, 40);
        uint32_t forward = module(&t, "Module.up.Linear.forward.0", false, false);
        value(&t, "input.0", 1, 0.2, NAN);
        module(&t, "Module.up.Linear.parameters_grad.0", true, true);
        uint32_t lost = value(&t, "output.0", 5, 1, NAN);
        t.norm[lost] = cases[i].norm;
        uint32_t back = module(&t, "Module.up.Linear.backward.0", true, false);
        value(&t, "input.0", cases[i].comes, 0.3, NAN);
        for (int k = 0; k < 2; k++) {
            t.s.d[k].rows.v[t.row[lost]].io = IO_GRADIENT;
            t.s.d[k].calls.v[back].twin = forward;
            t.s.d[k].calls.v[forward].twin = back;
        }
        judge(&t);
        expect(&t, lost, cases[i].starts ? CAUSE_STARTS : CAUSE_INHERITED, cases[i].starts ? BASIS_LEVEL : BASIS_FLOW,
               cases[i].starts ? NONE : first);
        scene_end(&t.s);
    }
}

/* What one side's call makes of its own inputs is no noise that came in: a row that depends on a start, differs by more
 * than the limit, and contradicts its own call starts too. Below the limit it does not. */
static void a_call_that_contradicts_itself(void **state)
{
    static const double errors[] = {0.2, 1e-4};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
        struct run t;
        float own_wrong[MOST] = {0};
        begin(&t);
        call(&t);
        uint32_t first = value(&t, "output.0", 1, 0.1, 40);
        call(&t);
        value(&t, "input.0", 1, 0.1, NAN);
        uint32_t wrong = value(&t, "output.0", 2, errors[i], NAN);
        own_wrong[wrong] = 0.1f;
        t.s.o.own_wrong = own_wrong;
        judge(&t);
        bool starts = errors[i] > 1e-3;
        expect(&t, wrong, starts ? CAUSE_STARTS : CAUSE_INHERITED, starts ? BASIS_RECOMPUTED : BASIS_FLOW,
               starts ? NONE : first);
        scene_end(&t.s);
    }
}

/* Values that a product's noise explains by themselves are those of a deviation where the same values depend on one. */
static void one_value_has_one_cause(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        struct run t;
        begin(&t);
        call(&t);
        for (int k = 0; k < 2; k++)
            t.s.d[k].calls.v[0].family = FAMILY_LINEAR;
        uint32_t early = value(&t, "output.0", 1, 3e-4, NAN);
        call(&t);
        value(&t, "input.0", 3, 0, NAN);
        uint32_t start = value(&t, "output.0", 4, 0.5, 40);
        call(&t);
        value(&t, "input.0", 4, 0.5, NAN);
        uint32_t late = value(&t, "output.0", 1, same ? 3e-4 : 4e-4, NAN);
        judge(&t);
        expect(&t, late, CAUSE_INHERITED, BASIS_FLOW, start);
        if (same)
            expect(&t, early, CAUSE_INHERITED, BASIS_FLOW, start);
        else
            expect(&t, early, CAUSE_AGREES, BASIS_LEVEL, NONE);
        scene_end(&t.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_depends_on_nothing),
        cmocka_unit_test(a_module_gives_another_value),
        cmocka_unit_test(one_value_is_carried),
        cmocka_unit_test(arguments_of_the_module_around),
        cmocka_unit_test(one_side_in_fewer_bits),
        cmocka_unit_test(one_function_of_equal_inputs), cmocka_unit_test(another_function_starts),
        cmocka_unit_test(a_turned_operand), cmocka_unit_test(a_call_that_contradicts_itself),
        cmocka_unit_test(independent_starts), cmocka_unit_test(a_lost_gradient), cmocka_unit_test(exact_is_about_bits),
        cmocka_unit_test(parameters_come_before_outputs),
        cmocka_unit_test(figures_go_apart), cmocka_unit_test(coarse_figures_go_apart_no_further),
        cmocka_unit_test(one_value_has_one_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
