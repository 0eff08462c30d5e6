/* Recorded calls computed anew: who is wrong, why outputs differ where nobody is, and what is not said. Calls are
 * made here with the rounding of an arithmetic on them, and with kernels that are wrong. */
#include "draws.h"
#include "opened.h"
#include "sessions.h"
#include "sides.h"
#include "tensors.h"

#include "dump/reader.h"
#include "oracle/oracle.h"
#include "oracle/oracle_operators.h"
#include "oracle/recompute.h"

enum { ROWS = 8, IN = 32, OUT = 16 };

static uint64_t seed;

static void draw_all(float *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (float)draw_normal(&seed);
}

/* ten stored bits, as a tensor core reads a float32 */
static double tf32(double v)
{
    int e;
    double m = frexp(v, &e);
    return ldexp(nearbyint(ldexp(m, 11)), e - 11);
}

/* ---- recordings ---- */

static void open_call(struct tensor_dump *d, const char *name)
{
    fprintf(d->json, "%s\"%s\":{\"input_args\":[", d->calls++ ? "," : "", name);
}

static void end_call(struct tensor_dump *d, const char *name, const char *sizes, const float *out, size_t n)
{
    fputs("],\"input_kwargs\":{},\"output\":[", d->json);
    tensors_row(d, name, "output.0", sizes, out, n);
    fputs("]}", d->json);
}

enum kernel { EXACT, TF32, FIRST_IN_TF32, LAST_TERM_MISSING };

/* y = x W^T; the float32 rounding of honest sums is far below what the kernels do. */
static void linear(struct tensor_dump *d, const char *name, enum kernel k)
{
    float x[ROWS * IN], w[OUT * IN], y[ROWS * OUT];
    draw_all(x, ROWS * IN);
    draw_all(w, OUT * IN);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < OUT; j++) {
            double sum = 0;
            for (int t = 0; t < IN - (k == LAST_TERM_MISSING); t++) {
                double a = (double)x[i * IN + t], b = (double)w[j * IN + t];
                sum += (k == EXACT || k == LAST_TERM_MISSING ? a : tf32(a)) * (k == TF32 ? tf32(b) : b);
            }
            y[i * OUT + j] = (float)sum;
        }
    open_call(d, name);
    tensors_row(d, name, "input.0", "8,32", x, ROWS * IN);
    fputs(",", d->json);
    tensors_row(d, name, "input.1", "16,32", w, OUT * IN);
    end_call(d, name, "8,16", y, ROWS * OUT);
}

/* A call that reads the result, with `reader`; NULL: none. */
static void silu_of(struct tensor_dump *d, const char *name, double factor, const char *reader)
{
    float x[ROWS * IN], y[ROWS * IN];
    draw_all(x, ROWS * IN);
    for (int i = 0; i < ROWS * IN; i++)
        y[i] = (float)(factor * (double)x[i] / (1 + exp(-(double)x[i])));
    open_call(d, name);
    tensors_row(d, name, "input.0", "8,32", x, ROWS * IN);
    end_call(d, name, "8,32", y, ROWS * IN);
    if (reader) {
        open_call(d, reader);
        tensors_row(d, reader, "input.0", "8,32", y, ROWS * IN);
        end_call(d, reader, "8,32", y, ROWS * IN);
    }
}

static void silu(struct tensor_dump *d, const char *name, double factor)
{
    silu_of(d, name, factor, NULL);
}

/* A layer norm of each row, without weight and bias. */
static void normalise(const float *x, double eps, float *y)
{
    for (int i = 0; i < ROWS; i++) {
        double mean = 0, square = 0;
        for (int t = 0; t < IN; t++)
            mean += (double)x[i * IN + t] / IN;
        for (int t = 0; t < IN; t++)
            square += pow((double)x[i * IN + t] - mean, 2) / IN;
        for (int t = 0; t < IN; t++)
            y[i * IN + t] = (float)(((double)x[i * IN + t] - mean) / sqrt(square + eps));
    }
}

static void layer_norm(struct tensor_dump *d, const char *name, double eps)
{
    float x[ROWS * IN], y[ROWS * IN];
    draw_all(x, ROWS * IN);
    normalise(x, eps, y);
    open_call(d, name);
    tensors_row(d, name, "input.0", "8,32", x, ROWS * IN);
    fprintf(d->json, ",[{\"type\":\"int\",\"value\":32}],null,null,{\"type\":\"float\",\"value\":%g}", eps);
    end_call(d, name, "8,32", y, ROWS * IN);
}

/* Six products and what is to be seen at the last of them. */
static void products(struct tensor_dump *d, enum kernel most, enum kernel last, int n)
{
    char name[64];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "Functional.linear.%d.forward", i);
        linear(d, name, i == n - 1 ? last : most);
    }
}

/* Dropout of 32 × 64 elements: `drop` of them become 0 by chance, the others x `factor`; row 3 as well where it is
 * lost. The rate is recorded unless NULL: of a module it is not. */
static void dropout(struct tensor_dump *d, const char *name, double drop, double factor, const char *rate, bool lost)
{
    enum { LINES = 32, WIDE = 64 };
    static float x[LINES * WIDE], y[LINES * WIDE];
    draw_all(x, LINES * WIDE);
    for (int i = 0; i < LINES * WIDE; i++)
        y[i] = draw_share(&seed) < drop || (lost && i / WIDE == 3) ? 0 : (float)((double)x[i] * factor);
    open_call(d, name);
    tensors_row(d, name, "input.0", "32,64", x, LINES * WIDE);
    if (rate)
        fprintf(d->json, ",{\"type\":\"float\",\"value\":%s}", rate);
    end_call(d, name, "32,64", y, LINES * WIDE);
}

/* ---- one side ---- */

struct alone {
    struct opened o;
    struct oracle *found;
};

static void examine(struct alone *a, const char *dir, const struct oracle_options *of)
{
    struct oracle_options all = {.mode = ORACLE_ALL, .budget = ORACLE_BUDGET, .workers = 1};
    if (open_as(&a->o, dir, "msprobe"))
        fail_msg("%s", a->o.e.text);
    a->o.d.complete = true;
    a->found = oracle_run_alone(&a->o.d, of ? of : &all, NULL);
    assert_non_null(a->found);
}

static void forget(struct alone *a)
{
    oracle_free(a->found);
    shut_opened(&a->o);
}

static const struct oracle_row *row_of(const struct alone *a, const char *name)
{
    return oracle_side_row(&a->found->side[TARGET], row_named(&a->o.d, name));
}

static void an_exact_side_is_honest(void **state)
{
    struct tensor_dump d;
    struct alone a;
    (void)state;
    seed = 1;
    tensors_begin(&d);
    products(&d, EXACT, EXACT, 6);
    silu(&d, "Functional.silu.0.forward", 1);
    layer_norm(&d, "Functional.layer_norm.0.forward", 1e-5);
    tensors_end(&d);
    examine(&a, d.dir, NULL);
    const struct oracle_cover *c = &a.found->side[TARGET].cover;
    assert_int_equal(c->calls, 8);
    assert_int_equal(c->recomputed, 8);
    assert_int_equal(c->wrong, 0);
    assert_string_equal(row_of(&a, "Functional.linear.0.forward.output.0")->arithmetic, "float32");
    forget(&a);
}

static void a_wrong_kernel_is_found_from_one_side(void **state)
{
    struct tensor_dump d;
    struct alone a;
    (void)state;
    seed = 2;
    tensors_begin(&d);
    products(&d, TF32, LAST_TERM_MISSING, 7);
    silu(&d, "Functional.silu.0.forward", 1.02);
    tensors_end(&d);
    examine(&a, d.dir, NULL);
    assert_int_equal(a.found->side[TARGET].cover.wrong, 2);
    const struct oracle_row *last = row_of(&a, "Functional.linear.6.forward.output.0"), *silu_row = row_of(&a,
        "Functional.silu.0.forward.output.0");
    assert_true(oracle_row_is_wrong(last) && oracle_row_is_wrong(silu_row));
    assert_string_equal(last->arithmetic, "tf32");
    assert_true(fabs(silu_row->error - 0.02) < 1e-3);
    assert_true(row_of(&a, "Functional.linear.0.forward.output.0")->excess < 1);
    size_t n;
    struct oracle_operator *x = oracle_operators(&a.found->side[TARGET], &n); /* silu is the worse */
    assert_int_equal(n, 2);
    for (size_t i = 0; i < 2; i++) {
        uint32_t calls = i ? 7 : 1, row = i ? last->row : silu_row->row;
        assert_true(x[i].calls == calls && x[i].recomputed == calls && x[i].rows == calls);
        assert_true(x[i].wrong == 1 && x[i].row == row && x[i].worst > 1);
    }
    free(x);
    forget(&a);
}

/* which elements are dropped is chance, how many are and what the others become is not */
static void a_wrong_dropout_is_found_from_one_side(void **state)
{
    struct tensor_dump d;
    struct alone a;
    (void)state;
    seed = 11;
    tensors_begin(&d);
    dropout(&d, "Functional.dropout.0.forward", 0.1, 1 / 0.9, "0.1", false);
    dropout(&d, "Functional.dropout.1.forward", 0.1, 1.03 / 0.9, "0.1", false);
    dropout(&d, "Functional.dropout.2.forward", 0.2, 1 / 0.9, "0.1", false);
    dropout(&d, "Functional.dropout.3.forward", 0, 1 / 0.9, "0.1", false);
    dropout(&d, "Functional.dropout.4.forward", 0.1, 1 / 0.9, "0.1", true);
    dropout(&d, "Functional.dropout.5.forward", 1, 1, "0.1", false);
    dropout(&d, "Cell.on.Dropout.forward.0", 0.5, 2, NULL, false);
    dropout(&d, "Cell.lost.Dropout.forward.0", 0.5, 2, NULL, true);
    dropout(&d, "Cell.off.Dropout.forward.0", 0, 1, NULL, false);
    dropout(&d, "Cell.large.Dropout.forward.0", 0, 1.03, NULL, false);
    dropout(&d, "Cell.few.Dropout.forward.0", 0.1, 2, NULL, false);
    tensors_end(&d);
    examine(&a, d.dir, NULL);
    static const struct {
        const char *row, *formula;
        bool wrong;
    } expected[] = {
        {"Functional.dropout.0.forward.output.0", "0 or x / 0.9", false},
        {"Functional.dropout.1.forward.output.0", "0 or x / 0.9", true},
        {"Functional.dropout.2.forward.output.0", "0 or x / 0.9, 0.1 of them 0", true},
        {"Functional.dropout.3.forward.output.0", "0 or x / 0.9, 0.1 of them 0", true},
        {"Functional.dropout.4.forward.output.0", "0 or x / 0.9", true},
        {"Functional.dropout.5.forward.output.0", "0 or x / 0.9, 0.1 of them 0", true},
        {"Cell.on.Dropout.forward.0.output.0", "0 or x / 0.5", false},
        {"Cell.lost.Dropout.forward.0.output.0", "0 or x / 0.5", true},
        {"Cell.off.Dropout.forward.0.output.0", "the same values", false},
        {"Cell.large.Dropout.forward.0.output.0", "the same values", true},
        {"Cell.few.Dropout.forward.0.output.0", "0 or x / 0.9, 0.1 of them 0", true},
    };
    for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
        const struct oracle_row *r = row_of(&a, expected[i].row);
        if (!r || strcmp(r->formula, expected[i].formula) != 0 || oracle_row_is_wrong(r) != expected[i].wrong)
            fail_msg("%s: %s, %g", expected[i].row, r ? r->formula : "unknown", r ? r->excess : 0);
    }
    forget(&a);
}

/* A linear layer of three axes whose bias was added behind the product, and the addition's gradients: the incoming one,
 * `factor` times, and the bias's. */
static void added_bias(struct tensor_dump *d, int n, float factor)
{
    enum { LINES = 8, WIDE = 6, DEEP = 5 };
    float x[LINES * DEEP], w[WIDE * DEEP], b[WIDE], y[LINES * WIDE], g[LINES * WIDE], given[LINES * WIDE],
        sum[WIDE] = {0};
    char name[64];
    draw_all(x, LINES * DEEP);
    draw_all(w, WIDE * DEEP);
    draw_all(b, WIDE);
    draw_all(g, LINES * WIDE);
    for (int i = 0; i < LINES * WIDE; i++) {
        double dot = (double)b[i % WIDE];
        for (int t = 0; t < DEEP; t++)
            dot += (double)x[i / WIDE * DEEP + t] * (double)w[i % WIDE * DEEP + t];
        y[i] = (float)dot;
        given[i] = factor * g[i];
        sum[i % WIDE] += g[i];
    }
    snprintf(name, sizeof name, "Functional.linear.%d.forward", n);
    open_call(d, name);
    tensors_row(d, name, "input.0", "2,4,5", x, LINES * DEEP);
    fputs(",", d->json);
    tensors_row(d, name, "input.1", "6,5", w, WIDE * DEEP);
    fputs(",", d->json);
    tensors_row(d, name, "input.2", "6", b, WIDE);
    end_call(d, name, "2,4,6", y, LINES * WIDE);
    snprintf(name, sizeof name, "Functional.linear.%d.backward", n);
    fprintf(d->json, ",\"%s\":{\"input\":[", name);
    tensors_row(d, name, "input.0", "2,4,6", g, LINES * WIDE);
    fputs("],\"output\":[", d->json);
    tensors_row(d, name, "output.0", "2,4,6", given, LINES * WIDE);
    fputs(",", d->json);
    tensors_row(d, name, "output.1", "6", sum, WIDE);
    fputs("]}", d->json);
    d->calls++;
}

static void a_gradient_handed_on_beside_the_bias_is_held_against_it(void **state)
{
    struct tensor_dump d;
    struct alone a;
    (void)state;
    seed = 12;
    tensors_begin_of(&d, scratch(), "pytorch");
    added_bias(&d, 0, 1);
    added_bias(&d, 1, 0);
    added_bias(&d, 2, 1.03F);
    tensors_end(&d);
    examine(&a, d.dir, NULL);
    static const bool wrong[] = {false, true, true};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        char row[64];
        snprintf(row, sizeof row, "Functional.linear.%zu.backward.output.0", i);
        assert_non_null(row_of(&a, row));
        assert_int_equal(oracle_row_is_wrong(row_of(&a, row)), wrong[i]);
        snprintf(row, sizeof row, "Functional.linear.%zu.backward.output.1", i);
        assert_false(oracle_row_is_wrong(row_of(&a, row)));
    }
    forget(&a);
}

/* Fewer than five products prove an arithmetic if all of them, and not one alone, are exactly its products; otherwise
 * they are held against the exact one. */
static void few_products_name_an_arithmetic_that_all_show(void **state)
{
    static const struct {
        enum kernel all, last;
        int n, wrong;
    } cases[] = {{TF32, TF32, 4, 0}, {TF32, TF32, 1, 1}, {TF32, EXACT, 4, 3}, {FIRST_IN_TF32, FIRST_IN_TF32, 4, 4}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tensor_dump d;
        struct alone a;
        seed = 3;
        tensors_begin(&d);
        products(&d, cases[i].all, cases[i].last, cases[i].n);
        tensors_end(&d);
        examine(&a, d.dir, NULL);
        assert_string_equal(row_of(&a, "Functional.linear.0.forward.output.0")->arithmetic,
                            cases[i].wrong ? "float32" : "tf32");
        assert_int_equal(a.found->side[TARGET].cover.wrong, cases[i].wrong);
        forget(&a);
    }
}

static void nothing_is_said_of_nan_and_unknown_operators(void **state)
{
    struct tensor_dump d;
    struct alone a;
    float v[4] = {1, NAN, 2, 3}, y[4] = {1, 0, 2, 3};
    (void)state;
    tensors_begin(&d);
    tensors_pass(&d, "Functional.silu.0.forward", "4", v, y, 4);
    tensors_pass(&d, "Functional.of_our_own.0.forward", "4", y, y, 4);
    tensors_end(&d);
    examine(&a, d.dir, NULL);
    const struct oracle_cover *c = &a.found->side[TARGET].cover;
    assert_null(row_of(&a, "Functional.silu.0.forward.output.0"));
    assert_int_equal(c->recomputed, 0);
    assert_int_equal(c->unknown[UNKNOWN_NAN], 1);
    assert_int_equal(c->unknown[UNKNOWN_OPERATOR], 1);
    forget(&a);
}

/* Calls whose operator has no formula are told as such, backward too; modules backward are not asked after. */
static void a_call_without_a_formula_is_unknown(void **state)
{
    static const struct {
        const char *name;
        enum unknown unknown; /* UNKNOWN_NOT: it is not considered */
    } cases[] = {
        {"Torch.of_our_own.0.forward", UNKNOWN_OPERATOR},
        {"Torch.of_our_own.0.backward", UNKNOWN_OPERATOR},
        {"Module.a.OfOurOwn.forward.0", UNKNOWN_CLASS},
        {"Module.a.OfOurOwn.backward.0", UNKNOWN_NOT},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct dump d;
        struct call_plan p = {.operator = NULL};
        side_start(&d, "pytorch");
        uint32_t out = side_pass(&d, cases[i].name, NULL, "4,4");
        d.rows.v[out].has |= HAS_FILE;
        side_end(&d);
        assert_int_equal(call_plan_make(&p, &d, 0, 0), cases[i].unknown != UNKNOWN_NOT);
        assert_int_equal(p.unknown, cases[i].unknown);
        dump_release(&d);
    }
}

/* an output that overwrote the input it was recorded with says nothing; recorded before, it does */
static void a_call_in_place_is_recognised(void **state)
{
    struct tensor_dump d;
    struct alone a;
    float before[4] = {-1, 2, -3, 4}, after[4] = {0, 2, 0, 4};
    (void)state;
    tensors_begin(&d);
    tensors_pass(&d, "Functional.relu_.0.forward", "4", after, after, 4);
    tensors_pass(&d, "Functional.relu_.1.forward", "4", before, after, 4);
    tensors_end(&d);
    examine(&a, d.dir, NULL);
    assert_int_equal(a.found->side[TARGET].cover.unknown[UNKNOWN_IN_PLACE], 1);
    assert_null(row_of(&a, "Functional.relu_.0.forward.output.0"));
    assert_true(row_of(&a, "Functional.relu_.1.forward.output.0")->error == 0);
    forget(&a);
}

/* A call whose second argument the recording does not show, examined as such. */
static void examine_without_argument(struct alone *a, double alpha)
{
    static float x[ROWS * IN], y[ROWS * IN];
    static struct reader other;
    const char *name = "Functional.elu.0.forward";
    struct tensor_dump d;
    seed = 4;
    tensors_begin(&d);
    draw_all(x, ROWS * IN);
    for (int i = 0; i < ROWS * IN; i++)
        y[i] = x[i] > 0 ? x[i] : (float)(alpha * expm1((double)x[i]));
    open_call(&d, name);
    tensors_row(&d, name, "input.0", "8,32", x, ROWS * IN);
    end_call(&d, name, "8,32", y, ROWS * IN);
    tensors_end(&d);
    examine(a, d.dir, NULL);
    other = *a->o.d.reader;
    other.arguments = false;
    oracle_free(a->found);
    a->o.d.reader = &other;
    struct oracle_options all = {.mode = ORACLE_ALL, .workers = 1};
    a->found = oracle_run_alone(&a->o.d, &all, NULL);
}

/* Where arguments are not recorded, the default counts if it explains the output; else nothing is known. */
static void an_unrecorded_argument_is_the_default_where_that_explains_the_output(void **state)
{
    struct alone a;
    (void)state;
    examine_without_argument(&a, 1);
    assert_true(row_of(&a, "Functional.elu.0.forward.output.0")->assumed);
    assert_int_equal(a.found->side[TARGET].cover.recomputed, 1);
    forget(&a);
    examine_without_argument(&a, 0.5);
    assert_int_equal(a.found->side[TARGET].cover.unknown[UNKNOWN_ARGUMENT], 1);
    assert_int_equal(a.found->side[TARGET].cover.wrong, 0);
    forget(&a);
}

/* Its file is gone, which would be the reason if it had been looked for. */
static void outputs_alone_are_not_read(void **state)
{
    struct tensor_dump d;
    struct alone a;
    float out[64];
    (void)state;
    seed = 6;
    tensors_begin(&d);
    draw_all(out, ARRAY_LEN(out));
    open_call(&d, "Mint.add.0.forward");
    end_call(&d, "Mint.add.0.forward", "64", out, ARRAY_LEN(out));
    tensors_end(&d);
    remove(path_in(d.dir, "dump_tensor_data/Mint.add.0.forward.output.0.npy"));
    examine(&a, d.dir, NULL);
    assert_int_equal(a.found->side[TARGET].cover.unknown[UNKNOWN_ARGUMENT], 1);
    forget(&a);
}

static void a_budget_is_kept_and_results_do_not_depend_on_threads(void **state)
{
    struct tensor_dump d;
    struct alone a, b;
    (void)state;
    seed = 5;
    tensors_begin(&d);
    products(&d, TF32, LAST_TERM_MISSING, 12);
    tensors_end(&d);
    struct oracle_options one = {.mode = ORACLE_AUTO, .budget = 20000, .workers = 1}, many = one;
    many.workers = 4;
    examine(&a, d.dir, &one);
    examine(&b, d.dir, &many);
    assert_true(a.found->spent <= one.budget && a.found->side[TARGET].rows.n > 0);
    assert_true(a.found->side[TARGET].cover.recomputed < 12);
    assert_int_equal(a.found->side[TARGET].rows.n, b.found->side[TARGET].rows.n);
    bool sampled = false;
    for (size_t i = 0; i < a.found->side[TARGET].rows.n; i++) {
        const struct oracle_row *x = &a.found->side[TARGET].rows.v[i], *y = &b.found->side[TARGET].rows.v[i];
        assert_true(x->row == y->row && x->error == y->error && x->bound == y->bound && x->part == y->part);
        sampled |= x->part < 1;
    }
    assert_true(sampled);
    forget(&a);
    forget(&b);
}

/* ---- products too large for the budget ---- */

enum { BIG = 96 };

/* y = x W^T of BIG³ in float32; the element of that row and column off by `fault`. */
static void big_product(struct tensor_dump *d, const char *name, float fault)
{
    static float x[BIG * BIG], w[BIG * BIG], y[BIG * BIG];
    draw_all(x, BIG * BIG);
    draw_all(w, BIG * BIG);
    for (int i = 0; i < BIG * BIG; i++) {
        double sum = 0;
        for (int t = 0; t < BIG; t++)
            sum += (double)x[i / BIG * BIG + t] * (double)w[i % BIG * BIG + t];
        y[i] = (float)sum;
    }
    y[37 * BIG + 5] += fault;
    open_call(d, name);
    tensors_row(d, name, "input.0", "96,96", x, BIG * BIG);
    fputs(",", d->json);
    tensors_row(d, name, "input.1", "96,96", w, BIG * BIG);
    end_call(d, name, "96,96", y, BIG * BIG);
}

/* a budget for a third of the operations: random vectors see one element of 9,216 that some rows would not, and give
 * the error that element by element gives */
static void random_vectors_see_what_rows_would_miss(void **state)
{
    struct tensor_dump d;
    struct alone part, whole;
    struct oracle_options third = {.mode = ORACLE_AUTO, .budget = 4 * BIG * BIG * BIG / 3, .workers = 1};
    (void)state;
    seed = 9;
    tensors_begin(&d);
    big_product(&d, "Functional.linear.0.forward", 0.05F);
    big_product(&d, "Functional.linear.1.forward", 0);
    tensors_end(&d);
    examine(&part, d.dir, &third);
    examine(&whole, d.dir, NULL);
    const struct oracle_row *r = row_of(&part, "Functional.linear.0.forward.output.0"),
                            *all = row_of(&whole, "Functional.linear.0.forward.output.0");
    assert_true(r->vectors >= 8 && r->part == 1 && !all->vectors);
    assert_true(oracle_row_is_wrong(r) && oracle_row_is_wrong(all));
    assert_true(r->error > all->error / 2 && r->error < 2 * all->error);
    assert_true(r->bound >= all->bound && r->bound < 1.5 * all->bound);
    assert_true(oracle_row_missed(r) < 0.1);
    assert_true(part.found->spent <= third.budget);
    const struct oracle_row *honest = row_of(&part, "Functional.linear.1.forward.output.0");
    assert_true(!honest || honest->excess < 1);
    forget(&part);
    forget(&whole);
}

/* ---- two sides ---- */

static struct session *compared(const char *target, const char *golden)
{
    struct session *s = calloc(1, sizeof *s);
    struct session_options o = {.of.path = {target, golden}, .of.step = {-1, -1}, .of.rank = {-1, -1}};
    struct err e;
    thresholds_init(&o.of.tol);
    o.of.oracle = (struct oracle_options){.mode = ORACLE_AUTO, .budget = ORACLE_BUDGET};
    if (session_start(s, &o, &e) || session_wait(s, &e))
        fail_msg("%s", e.text);
    return s;
}

static uint32_t line_named(const struct session *s, const char *name)
{
    return s->now->pairing->line_of[TARGET][row_named(&s->now->side[TARGET].dump, name)];
}

static void two_sides(struct tensor_dump d[2], char dir[2][400])
{
    for (int i = 0; i < 2; i++) {
        tensors_begin(&d[i]);
        strcpy(dir[i], d[i].dir);
    }
}

static void the_side_that_is_wrong_is_named(void **state)
{
    struct tensor_dump d[2];
    char dir[2][400];
    (void)state;
    two_sides(d, dir);
    for (int i = 0; i < 2; i++) {
        seed = 6;
        silu(&d[i], "Functional.silu.0.forward", i ? 1.03 : 1);
        silu(&d[i], "Functional.silu.1.forward", i ? 1 : 1.03);
        silu(&d[i], "Functional.silu.2.forward", 1.03);
        silu(&d[i], "Functional.silu.3.forward", 1);
        tensors_end(&d[i]);
    }
    struct session *s = compared(dir[0], dir[1]);
    static const enum oracle_which which[] = {ORACLE_GOLDEN, ORACLE_TARGET, ORACLE_BOTH, ORACLE_NEITHER};
    const struct oracle *o = comparison_oracle(s->now);
    assert_non_null(o);
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "Functional.silu.%d.forward.output.0", i);
        assert_int_equal(oracle_which(o, s->now->pairing->lines.v[line_named(s, name)].row), which[i]);
    }
    assert_int_equal(o->wrong[0] + o->wrong[1] + o->wrong[2], 3);
    shut(s);
}

/* A call that only one side recorded is held against its own inputs where another call of its operator shows that the
 * formula is this operator's. */
static void a_call_without_a_partner_is_held_against_its_inputs(void **state)
{
    (void)state;
    for (int shown = 0; shown < 2; shown++) {
        struct tensor_dump d[2];
        char dir[2][400];
        two_sides(d, dir);
        for (int i = 0; i < 2; i++) {
            seed = 9;
            products(&d[i], EXACT, EXACT, 6);
            if (shown)
                silu(&d[i], "Functional.silu.0.forward", 1);
            if (i == TARGET)
                silu_of(&d[i], "Functional.silu.1.forward", 1.03, "Tensor.clone.0.forward");
            tensors_end(&d[i]);
        }
        struct session *s = compared(dir[0], dir[1]);
        uint32_t line = line_named(s, "Functional.silu.1.forward.output.0");
        assert_int_equal(comparison_oracle(s->now)->own_wrong[line] > 0, shown);
        assert_int_equal(s->now->judged->line[line].rule, shown ? RULE_CONTRADICTS : RULE_ONE_SIDED);
        shut(s);
    }
}

static void an_argument_is_named_before_an_input(void **state)
{
    struct tensor_dump d[2];
    char dir[2][400];
    struct oracle_because why;
    (void)state;
    two_sides(d, dir);
    for (int i = 0; i < 2; i++) {
        seed = 7;
        layer_norm(&d[i], "Functional.layer_norm.0.forward", i ? 1e-5 : 1e-2);
        seed = 8 + (uint64_t)i; /* other inputs */
        silu(&d[i], "Functional.silu.0.forward", 1);
        tensors_end(&d[i]);
    }
    struct session *s = compared(dir[0], dir[1]);
    const struct oracle *o = comparison_oracle(s->now);
    uint32_t norm = line_named(s, "Functional.layer_norm.0.forward.output.0"), act = line_named(s,
        "Functional.silu.0.forward.output.0");
    assert_int_equal(oracle_which(o, s->now->pairing->lines.v[norm].row), ORACLE_NEITHER);
    oracle_because_find(o, &s->now->measure, s->now->judged, norm, &why);
    assert_int_equal(why.kind, ORACLE_REASON_ARGUMENT);
    assert_string_equal(why.name, "eps");
    oracle_because_find(o, &s->now->measure, s->now->judged, act, &why);
    assert_int_equal(why.kind, ORACLE_REASON_INPUT);
    shut(s);
}

/* y = x Wᵀ of a linear layer, or of a product with W stored transposed, on the output of an activation. */
static void activated_product(struct tensor_dump *d, double factor, bool transposed)
{
    static float x[ROWS * IN], h[ROWS * IN], w[OUT * IN], stored[OUT * IN], y[ROWS * OUT];
    const char *name = transposed ? "Mint.matmul.0.forward" : "Functional.linear.0.forward";
    seed = 9;
    draw_all(x, ROWS * IN);
    draw_all(w, OUT * IN);
    for (int i = 0; i < ROWS * IN; i++)
        h[i] = (float)(factor * (double)x[i] / (1 + exp(-(double)x[i])));
    for (int i = 0; i < OUT; i++)
        for (int j = 0; j < IN; j++)
            stored[transposed ? j * OUT + i : i * IN + j] = w[i * IN + j];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < OUT; j++) {
            double sum = 0;
            for (int t = 0; t < IN; t++)
                sum += (double)h[i * IN + t] * (double)w[j * IN + t];
            y[i * OUT + j] = (float)sum;
        }
    open_call(d, "Functional.silu.0.forward");
    tensors_row(d, "Functional.silu.0.forward", "input.0", "8,32", x, ROWS * IN);
    end_call(d, "Functional.silu.0.forward", "8,32", h, ROWS * IN);
    open_call(d, name);
    tensors_row(d, name, "input.0", "8,32", h, ROWS * IN);
    fputs(",", d->json);
    tensors_row(d, name, "input.1", transposed ? "32,16" : "16,32", stored, OUT * IN);
    end_call(d, name, "8,16", y, ROWS * OUT);
}

static void operands_written_otherwise_are_one_function(void **state)
{
    struct tensor_dump d[2];
    char dir[2][400];
    (void)state;
    two_sides(d, dir);
    for (int i = 0; i < 2; i++) {
        activated_product(&d[i], i ? 1 : 1.03, i == 0);
        tensors_end(&d[i]);
    }
    struct session *s = compared(dir[0], dir[1]);
    const struct oracle *o = comparison_oracle(s->now);
    uint32_t line = line_named(s, "Mint.matmul.0.forward.output.0");
    const struct line_judgement *l = &s->now->judged->line[line];
    assert_true(o->by_rows[line]);
    assert_true(l->residual < 1);
    assert_int_equal(l->cause, CAUSE_INHERITED);
    assert_int_equal(l->basis, BASIS_RECOMPUTED);
    assert_int_equal(l->from, line_named(s, "Functional.silu.0.forward.output.0"));
    shut(s);
}

/* a softmax of 4 × 4 over that axis, by name */
static void softmax_over(struct tensor_dump *d, int axis)
{
    float x[16], y[16];
    const char *name = "Functional.softmax.0.forward";
    draw_all(x, 16);
    for (int i = 0; i < 4; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += exp((double)x[axis ? 4 * i + k : 4 * k + i]);
        for (int k = 0; k < 4; k++)
            y[axis ? 4 * i + k : 4 * k + i] = (float)(exp((double)x[axis ? 4 * i + k : 4 * k + i]) / sum);
    }
    open_call(d, name);
    tensors_row(d, name, "input.0", "4,4", x, 16);
    fprintf(d->json, "],\"input_kwargs\":{\"dim\":{\"type\":\"int\",\"value\":%d}},\"output\":[", axis);
    tensors_row(d, name, "output.0", "4,4", y, 16);
    fputs("]}", d->json);
}

/* a whole number is named where the argument has a name, an axis unless it is the same one from behind */
static void another_axis_is_why(void **state)
{
    (void)state;
    for (int behind = 0; behind < 2; behind++) {
        struct tensor_dump d[2];
        char dir[2][400];
        struct oracle_because why;
        two_sides(d, dir);
        for (int i = 0; i < 2; i++) {
            seed = 13;
            softmax_over(&d[i], i ? 1 : behind ? -1 : 0);
            tensors_end(&d[i]);
        }
        struct session *s = compared(dir[0], dir[1]);
        oracle_because_find(comparison_oracle(s->now), &s->now->measure, s->now->judged,
            line_named(s, "Functional.softmax.0.forward.output.0"), &why);
        assert_string_equal(why.name, behind ? "" : "dim");
        shut(s);
    }
}

/* values around 5000 that vary by 5: the noise of a side's input, one part in 10^5, comes out a thousand times as
 * large */
static void far_norm(struct tensor_dump *d, const char *name, double noise)
{
    float x[ROWS * IN], y[ROWS * IN];
    seed = 10;
    draw_all(x, ROWS * IN);
    for (int i = 0; i < ROWS * IN; i++)
        x[i] = (float)((5000 + 5 * (double)x[i]) * (1 + noise * draw_normal(&seed)));
    normalise(x, 1e-5, y);
    open_call(d, name);
    tensors_row(d, name, "input.0", "8,32", x, ROWS * IN);
    fputs(",[{\"type\":\"int\",\"value\":32}],null,null,{\"type\":\"float\",\"value\":1e-05}", d->json);
    end_call(d, name, "8,32", y, ROWS * IN);
}

/* A norm of values that differ from the other side's by noise, in a shape of its own. */
static void shaped_norm(struct tensor_dump *d, const char *shape, double noise, double eps)
{
    const char *name = "Functional.layer_norm.0.forward";
    float x[ROWS * IN], y[ROWS * IN];
    seed = 10;
    draw_all(x, ROWS * IN);
    for (int i = 0; i < ROWS * IN; i++)
        x[i] = (float)((double)x[i] * (1 + noise * draw_normal(&seed)));
    normalise(x, eps, y);
    open_call(d, name);
    tensors_row(d, name, "input.0", shape, x, ROWS * IN);
    fprintf(d->json, ",[{\"type\":\"int\",\"value\":32}],null,null,{\"type\":\"float\",\"value\":%g}", eps);
    end_call(d, name, shape, y, ROWS * IN);
}

/* Tokens in one axis or in two: the golden function is held against the target's call by rows. What it says of another
 * function counts where the inputs agree, so that the order of their elements is known. */
static void a_call_in_another_shape_is_held_against_the_golden_function(void **state)
{
    static const struct {
        double noise, eps;
        bool starts, judged;
    } cases[] = {{5e-6, 1e-5, false, true}, {5e-6, 3e-5, true, true}, {0.5, 3e-5, false, false}};
    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
        struct tensor_dump d[2];
        char dir[2][400];
        two_sides(d, dir);
        shaped_norm(&d[TARGET], "8,32", cases[n].noise, cases[n].eps);
        shaped_norm(&d[GOLDEN], "2,4,32", 0, 1e-5);
        for (int i = 0; i < 2; i++)
            tensors_end(&d[i]);
        struct session *s = compared(dir[0], dir[1]);
        uint32_t line = line_named(s, "Functional.layer_norm.0.forward.output.0");
        const struct line_judgement *l = &s->now->judged->line[line];
        assert_int_equal(!isnan(l->residual), cases[n].judged);
        assert_int_equal(l->cause == CAUSE_STARTS, cases[n].starts);
        assert_int_equal(l->residual > 2, cases[n].starts);
        shut(s);
    }
}

static void a_condition_that_was_estimated_is_measured(void **state)
{
    struct tensor_dump d[2];
    char dir[2][400];
    struct oracle_condition k;
    (void)state;
    two_sides(d, dir);
    for (int i = 0; i < 2; i++) {
        far_norm(&d[i], "Functional.layer_norm.0.forward", i ? 0 : 1e-5);
        tensors_end(&d[i]);
    }
    struct session *s = compared(dir[0], dir[1]);
    uint32_t line = line_named(s, "Functional.layer_norm.0.forward.output.0");
    const struct oracle *o = comparison_oracle(s->now);
    assert_int_equal(s->now->judged->line[line].rule, RULE_ILL);
    assert_int_equal(oracle_which(o, s->now->pairing->lines.v[line].row), ORACLE_NEITHER);
    assert_true(oracle_condition_of(o, &s->now->measure, s->now->judged, line, &k));
    assert_true(k.measured > 700 && k.measured < 1500 && !k.disagree);
    shut(s);
}

/* the gradient of log Σ exp x over the last axis of 3 × 4, times a factor */
static void log_sum_exp(struct tensor_dump *d, int n, double factor)
{
    float x[12], y[3], g[3], by_x[12];
    char name[64];
    draw_all(x, 12);
    draw_all(g, 3);
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += exp((double)x[4 * i + k]);
        y[i] = (float)log(sum);
        for (int k = 0; k < 4; k++)
            by_x[4 * i + k] = (float)(factor * (double)g[i] * exp((double)x[4 * i + k]) / sum);
    }
    snprintf(name, sizeof name, "Torch.logsumexp.%d.forward", n);
    open_call(d, name);
    tensors_row(d, name, "input.0", "3,4", x, 12);
    fputs("],\"input_kwargs\":{\"dim\":{\"type\":\"int\",\"value\":-1}},\"output\":[", d->json);
    tensors_row(d, name, "output.0", "3", y, 3);
    fputs("]}", d->json);
    snprintf(name, sizeof name, "Torch.logsumexp.%d.backward", n);
    fprintf(d->json, ",\"%s\":{\"input\":[", name);
    tensors_row(d, name, "input.0", "3", g, 3);
    fputs("],\"output\":[", d->json);
    tensors_row(d, name, "output.0", "3,4", by_x, 12);
    fputs("]}", d->json);
    d->calls++;
}

static void a_gradient_of_log_sum_exp_is_recomputed(void **state)
{
    struct tensor_dump d;
    struct alone a;
    (void)state;
    seed = 14;
    tensors_begin_of(&d, scratch(), "pytorch");
    log_sum_exp(&d, 0, 1);
    log_sum_exp(&d, 1, 1.001);
    tensors_end(&d);
    examine(&a, d.dir, NULL);
    for (int i = 0; i < 2; i++) {
        char row[64];
        snprintf(row, sizeof row, "Torch.logsumexp.%d.backward.output.0", i);
        assert_non_null(row_of(&a, row));
        assert_int_equal(oracle_row_is_wrong(row_of(&a, row)), i);
    }
    forget(&a);
}

/* a number minus a vector, whose gradient alone is recorded; `last`: what comes back to its last element */
static void subtracted(struct tensor_dump *d, float last)
{
    const char *name = "Tensor.__sub__.0.forward", *back = "Tensor.__sub__.0.backward";
    const float a[1] = {1.5F}, b[2] = {65, 54}, y[2] = {-63.5F, -52.5F}, g[2] = {0, last}, by_b[2] = {-0.0F, -last};
    open_call(d, name);
    tensors_row(d, name, "input.0", "1", a, 1);
    fputs(",", d->json);
    tensors_row(d, name, "input.1", "2,1", b, 2);
    end_call(d, name, "2,1", y, 2);
    fprintf(d->json, ",\"%s\":{\"input\":[", back);
    tensors_row(d, back, "input.0", "2,1", g, 2);
    fputs("],\"output\":[null,", d->json);
    tensors_row(d, back, "output.1", "2,1", by_b, 2);
    fputs("]}", d->json);
    d->calls++;
}

/* A gradient that is zero on the golden side does not tell of which operand it is. */
static void a_golden_gradient_of_zeros_names_no_operand(void **state)
{
    struct tensor_dump d[2];
    char dir[2][400];
    (void)state;
    for (int i = 0; i < 2; i++) {
        tensors_begin_of(&d[i], scratch(), "pytorch");
        strcpy(dir[i], d[i].dir);
        subtracted(&d[i], i ? 0 : 0.03F);
        tensors_end(&d[i]);
    }
    struct session *s = compared(dir[0], dir[1]);
    const struct line_judgement *l =
        &s->now->judged->line[line_named(s, "Tensor.__sub__.0.backward.output.1")];
    assert_true(l->residual < 1);
    assert_int_equal(l->cause, CAUSE_INHERITED);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gradient_of_log_sum_exp_is_recomputed),
        cmocka_unit_test(a_golden_gradient_of_zeros_names_no_operand),
        cmocka_unit_test(an_exact_side_is_honest),
        cmocka_unit_test(a_wrong_kernel_is_found_from_one_side),
        cmocka_unit_test(a_wrong_dropout_is_found_from_one_side),
        cmocka_unit_test(a_call_without_a_formula_is_unknown),
        cmocka_unit_test(a_call_in_place_is_recognised),
        cmocka_unit_test(a_gradient_handed_on_beside_the_bias_is_held_against_it),
        cmocka_unit_test(few_products_name_an_arithmetic_that_all_show),
        cmocka_unit_test(nothing_is_said_of_nan_and_unknown_operators),
        cmocka_unit_test(an_unrecorded_argument_is_the_default_where_that_explains_the_output),
        cmocka_unit_test(outputs_alone_are_not_read),
        cmocka_unit_test(a_budget_is_kept_and_results_do_not_depend_on_threads),
        cmocka_unit_test(random_vectors_see_what_rows_would_miss),
        cmocka_unit_test(the_side_that_is_wrong_is_named),
        cmocka_unit_test(a_call_without_a_partner_is_held_against_its_inputs),
        cmocka_unit_test(an_argument_is_named_before_an_input),
        cmocka_unit_test(operands_written_otherwise_are_one_function),
        cmocka_unit_test(another_axis_is_why),
        cmocka_unit_test(a_condition_that_was_estimated_is_measured),
        cmocka_unit_test(a_call_in_another_shape_is_held_against_the_golden_function),
    };
    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
