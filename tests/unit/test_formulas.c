/* The oracle's formulas against what torch gives in float64, and their gradients against differences of the formulas.
 */
#include "formulas.h"

#include "formula_cases.h"
#include "oracle/moved_inputs.h"

#define STEP 1e-5 /* of differences */

/* ---- forward ---- */

static const double *first_output(struct made_call *m)
{
    made_call_run(m, false);
    for (int i = 0; i < m->c.candidates; i++)
        if (m->c.candidate[i].output == 0 && candidate_elements(&m->c.candidate[i]) == m->result.count)
            return candidate_values(m, &m->c.candidate[i]);
    fail_msg("%s gives nothing of the output's size (%s)", m->c.operator, unknown_text(m->c.unknown));
    return NULL;
}

static bool is_near(double a, double b, double limit)
{
    return fabs(a - b) <= limit * (1 + fabs(b));
}

static void compare_forward(struct made_call *m, const struct formula_case *f)
{
    const double *y = first_output(m);
    double sum = 0, mixed = 0;
    for (int64_t i = 0; i < m->result.count; i++) {
        sum += y[i];
        mixed += y[i] * sin((double)(i + 1));
    }
    if (!is_near(sum, f->sum, 1e-9) || !is_near(mixed, f->mixed, 1e-9))
        fail_msg("%s %s: %.12g and %.12g, torch gives %.12g and %.12g", f->operator, f->arguments, sum, mixed, f->sum,
                 f->mixed);
    memcpy(m->result.v, y, (size_t)m->result.count * sizeof *y);
}

/* ---- backward ---- */

/* Σ g y with one element of an argument moved. */
static double moved_sum(struct made_call *m, double *x, double by)
{
    double kept = *x, sum = 0;
    *x += by;
    const double *y = first_output(m);
    for (int64_t i = 0; i < m->result.count; i++)
        sum += m->gradient.v[i] * y[i];
    *x = kept;
    return sum;
}

/* Whether one of the formula's candidates is this gradient; where it says nothing of an element, it need not be. */
static bool is_a_candidate(struct made_call *m, const double *slope, int64_t n)
{
    for (int i = 0; i < m->c.candidates; i++) {
        const struct candidate *k = &m->c.candidate[i];
        const double *y = candidate_elements(k) == n ? candidate_values(m, k) : NULL;
        int64_t same = 0;
        while (y && same < n && (isnan(y[same]) || is_near(y[same], slope[same], 1e-6)))
            same++;
        if (y && same == n)
            return true;
    }
    return false;
}

static void compare_slope(struct made_call *m, const struct formula_case *f, const struct real_tensor *x, int nth)
{
    double *slope = real_array(&m->c, x->count);
    for (int64_t i = 0; i < x->count; i++)
        slope[i] = (moved_sum(m, x->v + i, STEP) - moved_sum(m, x->v + i, -STEP)) / (2 * STEP);
    made_call_run(m, true);
    if (m->c.unknown)
        fail_msg("%s %s backward: %s", f->operator, f->arguments, unknown_text(m->c.unknown));
    if (!is_a_candidate(m, slope, x->count))
        fail_msg("%s %s: no candidate is the gradient by tensor %d", f->operator, f->arguments, nth);
}

/* Figures of a batch that were kept, class weights and the like have no gradient: torch gives them none either. */
static bool has_gradient(const struct formula_case *f, const struct real_tensor *x, int nth)
{
    bool kept = strcmp(f->operator, "batch_norm") == 0 && (nth == 1 || nth == 2);
    bool weight = nth == 2 && (strcmp(f->operator, "cross_entropy") == 0 || strcmp(f->operator, "nll_loss") == 0);
    return dtype_is_float(x->dtype) && !kept && !weight;
}

static void compare_slopes(struct made_call *m, const struct formula_case *f)
{
    const struct real_tensor *x;
    m->gradient = real_like(&m->c, &m->result);
    for (int64_t i = 0; i < m->gradient.count; i++)
        m->gradient.v[i] = cos(1 + 0.9 * (double)i);
    m->c.gradient = &m->gradient;
    m->c.gradients = 1;
    for (int nth = 0; (x = call_nth_tensor(&m->c, nth)); nth++)
        if (has_gradient(f, x, nth))
            compare_slope(m, f, x, nth);
}

static void compare_case(const struct formula_case *f)
{
    struct made_call m;
    made_call_open(&m, f->operator, f->arguments);
    made_call_result(&m, f->shape);
    compare_forward(&m, f);
    if (f->slopes)
        compare_slopes(&m, f);
    made_call_release(&m);
}

/* ---- what no honest recording has ---- */

static void refuse(const char *operator, const char *arguments, const char *shape, bool backward)
{
    struct made_call m;
    made_call_open(&m, operator, arguments);
    made_call_result(&m, shape);
    m.gradient = real_like(&m.c, &m.result);
    m.c.gradient = &m.gradient;
    m.c.gradients = 1;
    made_call_run(&m, backward);
    if (!m.c.unknown)
        fail_msg("%s %s: something is said of it", operator, arguments);
    made_call_release(&m);
}

static void no_margin_is_read_from_an_axis_of_no_element(void **state)
{
    (void)state;
    refuse("pad", "T2,0 l1,1 scircular", "2,2", false);
    refuse("pad", "T2,0 l1,1 sreplicate", "2,2", false);
}

/* Each one read or wrote behind a tensor's end, divided by zero or asked for very much memory. */
static void sizes_that_fit_nothing_are_refused(void **state)
{
    static const struct {
        const char *operator, *arguments, *shape;
        bool backward;
    } cases[] = {
        {"pad", "T2,2 l2000000000,2000000000", "2,2", false},
        {"cat", "[ T3000,1 T1,3000 ] n1", "2,2", false},
        {"repeat_interleave", "T2,2 n-1e300", "2,2", false},
        {"topk", "T2,3 n-2", "2,3", false},
        {"outer", "T70000 T70000", "2,2", false},
        {"matmul", "T30000,1,1,1 T1,30000,1,1", "2,2", false},
        {"index_select", "T2,30000 n0 I2:30000", "2,2", false},
        {"__getitem__", "T2 [ . n0 n0 ]", "2", false},
        {"einsum", "sab,bc->az T2,3 T3,2", "2,2", false},
        {"instance_norm", "T2,0,3", "2,0,3", false},
        {"layer_norm", "T4 l2147483647,2147483647,2147483647,4", "4", false},
        {"rms_norm", "T10 T3", "10", false},
        {"conv1d", "T2,1,4 T1,1,1", "1,1,4", true},
        {"linear", "T2,3 T5,3 T3", "2,5", true},
        {"npu_fusion_attention", "T4,1,2,2 T4,1,2,2 T1,4,2,2 n1 sBNSD", "4,1,2,2", false},
        {"npu_fusion_attention", "T1,1,2,4 T1,1,2,2 T1,1,2,4 n1 sBNSD", "1,1,2,4", false},
        {"scaled_dot_product_attention", "T1,1,30000,1 T1,1,1,1 T1,1,1,30000", "2,2", false},
        {"softmaxcrossentropywithlogits", "T4,3 I3:4", "4", false},
        {"max_pool1d", "T1,1,4 n2000000000 n1 n1999999999", "1,1,4", false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        refuse(cases[i].operator, cases[i].arguments, cases[i].shape, cases[i].backward);
}

/* ---- inputs moved ---- */

static double measured(const char *operator, const char *arguments, double near)
{
    struct made_call m;
    struct recorded_call r;
    made_call_open(&m, operator, arguments);
    if (near > 0)
        for (int64_t i = 0; i < m.place[1].tensor.count; i++)
            m.place[1].tensor.v[i] = m.place[0].tensor.v[i] * (1 + near);
    made_call_result(&m, "64");
    made_call_run(&m, false);
    r = (struct recorded_call){.values = m.c};
    double kappa = moved_inputs_change(&r, operator_find(str_of(operator))->forward, 0);
    made_call_release(&m);
    return kappa;
}

static void a_condition_is_measured_where_it_is_known(void **state)
{
    (void)state;
    double difference = measured("sub", "T64 T64", 0.01), known = sqrt(1 + 1.01 * 1.01) / 0.01;
    assert_true(difference > 0.7 * known && difference < 1.4 * known);
    assert_true(fabs(measured("exp", "T64", 0) - 0.7) < 0.05); /* rms of sines */
    assert_true(fabs(measured("neg", "T64", 0) - 1) < 1e-6);
    assert_true(isnan(measured("reshape", "T64", 0))); /* a move has none */
}

/* ---- bounds ---- */

/* What arithmetic may be off by (doc/oracle.md) at the first element, in units of its value. A bound that forgets a
 * step calls correct results wrong; one that is too wide lets wrong ones pass. */
static void bounds_count_the_steps(void **state)
{
    static const struct {
        const char *operator, *arguments, *shape;
        double roundings, inside;
    } cases[] = {
        {"exp", "T1", "1", 1, 8 + 2 * 0.841470984808},       /* the argument's rounding is amplified by its size */
        {"var", "T1,2 n1", "1", 1, 2048.05424996},           /* 8 + 4 sqrt n, times how far the squares cancel */
        {"avg_pool1d", "P1,1,2 n2", "1,1,1", 1, 8.83223391}, /* 4 + 2 sqrt n (1 + rms / (sqrt n mean)) */
        {"cross_entropy", "T1,3 I3:1", "", 3, 11.3127578737},
        {"expm1", "T1", "1", 1, 4},
        {"pow", "P1 n2", "1", 2, 4}, /* of a power that is a number: squares, cubes and roots are exact */
        {"pow", "P1 n3", "1", 2, 4},
        {"pow", "P1 n0.5", "1", 2, 4},
        {"pow", "P1 n-0.5", "1", 2, 4},
        {"pow", "P1 n1", "1", 2, 4},
        {"pow", "P1 n2.5", "1", 6, 4},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct made_call m;
        made_call_open(&m, cases[i].operator, cases[i].arguments);
        made_call_result(&m, cases[i].shape);
        made_call_run(&m, false);
        const struct candidate *k = &m.c.candidate[0];
        double y = fabs(k->y.v[0]), roundings = k->roundings ? k->roundings[0] / y : 0, inside = k->inside[0] / y;
        if (!is_near(roundings, cases[i].roundings, 1e-8) || !is_near(inside, cases[i].inside, 1e-8))
            fail_msg("%s: %.10g roundings and %.10g inside", cases[i].operator, roundings, inside);
        made_call_release(&m);
    }
}

/* The gradient of what was picked goes to the places picked, all others get none. */
static void gradients_go_where_values_were_picked(void **state)
{
    struct made_call m;
    struct real_tensor result[2];
    (void)state;
    made_call_open(&m, "topk", "T2,4 n2 n1");
    for (int i = 0; i < 2; i++) {
        result[i] = tensor_of_shape(&m, "2,2");
        memcpy(result[i].v, i ? (double[]){3, 0, 1, 2} : (double[]){9, 8, 7, 6}, 4 * sizeof(double));
    }
    m.c.result = result;
    m.c.results = 2;
    m.gradient = tensor_of_shape(&m, "2,2");
    memcpy(m.gradient.v, (double[]){0.5, 0.25, 2, 4}, 4 * sizeof(double));
    m.c.gradient = &m.gradient;
    m.c.gradients = 1;
    made_call_run(&m, true);
    assert_int_equal(m.c.candidates, 1);
    assert_int_equal(candidate_elements(&m.c.candidate[0]), 8);
    static const double expected[] = {0.25, 0, 0, 0.5, 0, 2, 4, 0};
    assert_memory_equal(m.c.candidate[0].y.v, expected, sizeof expected);
    result[1].count = 3; /* an index that does not have the input's other axes */
    made_call_run(&m, true);
    assert_true(m.c.unknown && !m.c.candidates);
    result[1] = tensor_of_shape(&m, "3,2"); /* nor does one that has as many elements as the gradient */
    m.gradient = tensor_of_shape(&m, "3,2");
    made_call_run(&m, true);
    assert_true(m.c.unknown && !m.c.candidates);
    made_call_release(&m);
}

/* Sums that a kernel rounded to 16 bits after each addition are its own; on other values its function is the sum. */
static void sums_rounded_on_the_way_are_the_kernels(void **state)
{
    (void)state;
    for (int held = 0; held < 2; held++)
        for (int rounded = 0; rounded < 2; rounded++) {
            struct made_call m;
            struct fits fits = {.v = NULL};
            made_call_open(&m, "layer_norm", "T3,1 l1 T1 T1 n0.001");
            struct real_tensor bias = tensor_of_shape(&m, "1");
            m.gradient = tensor_of_shape(&m, "3,1");
            memcpy(m.gradient.v, (double[]){2048, 1, 1}, 3 * sizeof(double));
            m.gradient.dtype = DTYPE_F16;
            bias.v[0] = rounded ? 2048 : 2050; /* 2049 lies between two numbers of the type */
            m.c.gradient = &m.gradient;
            m.c.gradients = 1;
            m.c.output = &bias;
            m.c.outputs = 1;
            m.c.fits = &fits;
            made_call_run(&m, true);
            fits.held = held;
            if (held)
                made_call_run(&m, true);
            double y = candidate_values(&m, &m.c.candidate[m.c.candidates - 1])[0];
            assert_true(y == (rounded && !held ? 2048 : 2050));
            made_call_release(&m);
        }
}

/* MindSpore's Stack stores the new axis: the only one at which the sizes fit, or nothing is said. */
static void a_stacked_axis_is_told_by_the_sizes(void **state)
{
    static const struct {
        const char *shape;
        int64_t second; /* where the second input's first element lies; -1: not told */
    } cases[] = {{"3,4,2", 1}, {"3,2,4", 4}, {"2,3,4", 12}, {"4,3,2", -1}};
    (void)state;
    for (size_t i = 0; i <= ARRAY_LEN(cases); i++) {
        struct made_call m;
        bool square = i == ARRAY_LEN(cases); /* two axes fit */
        made_call_open(&m, "stack", square ? "T2,4 T2,4" : "T3,4 T3,4");
        made_call_result(&m, square ? "2,2,4" : cases[i].shape);
        m.c.mindspore = true;
        made_call_run(&m, false);
        if (square || cases[i].second < 0) {
            assert_int_equal(m.c.unknown, UNKNOWN_ARGUMENT);
        } else {
            assert_int_equal(m.c.candidates, 1);
            assert_true(candidate_values(&m, m.c.candidate)[cases[i].second] == m.place[1].tensor.v[0]);
        }
        made_call_release(&m);
    }
}

/* Its Unstack stores the axis taken apart: the only one with as many elements as there are parts. */
static void an_unstacked_axis_is_told_by_the_parts(void **state)
{
    static const struct {
        const char *x, *part;
        int64_t second; /* where the second part's first element lay; -1: not told */
    } cases[] = {{"T2,3", "3", 3}, {"T3,2", "3", 1}, {"T2,2", "2", -1}, {"T3,4", "4", -1}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct made_call m;
        struct real_tensor parts[2];
        made_call_open(&m, "unstack", cases[i].x);
        for (int k = 0; k < 2; k++)
            parts[k] = tensor_of_shape(&m, cases[i].part);
        m.c.result = m.c.output = parts;
        m.c.results = m.c.outputs = 2;
        m.c.mindspore = true;
        made_call_run(&m, false);
        if (cases[i].second < 0) {
            assert_int_equal(m.c.unknown, UNKNOWN_SHAPE);
        } else {
            assert_int_equal(m.c.candidates, 2);
            assert_true(candidate_values(&m, &m.c.candidate[1])[0] == m.place[0].tensor.v[cases[i].second]);
        }
        made_call_release(&m);
    }
}

/* A cast to the same type returns the tensor that went in, and what is recorded may be the gradient of the call that
 * made it: nothing is said of another one. */
static void a_cast_that_changes_nothing_hands_on(void **state)
{
    static const struct {
        enum dtype from;
        double factor; /* of the recorded gradient */
        enum unknown unknown;
    } cases[] = {{DTYPE_F64, 1, UNKNOWN_NOT}, {DTYPE_F64, 3, UNKNOWN_HANDED_ON}, {DTYPE_F32, 3, UNKNOWN_NOT}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct made_call m;
        made_call_open(&m, "type_as", "T2,3 T2,3");
        made_call_result(&m, "2,3");
        m.place[0].tensor.dtype = cases[i].from;
        m.result.dtype = DTYPE_F64;
        struct real_tensor got = real_like(&m.c, &m.result);
        m.gradient = real_like(&m.c, &m.result);
        for (int64_t at = 0; at < got.count; at++) {
            m.gradient.v[at] = (double)at + 1;
            got.v[at] = cases[i].factor * m.gradient.v[at];
        }
        m.c.gradient = &m.gradient;
        m.c.gradients = 1;
        m.c.output = &got;
        made_call_run(&m, true);
        assert_int_equal(m.c.unknown, cases[i].unknown);
        made_call_release(&m);
    }
}

/* MindSpore converts the gradient of a cast to the type that was cast, booleans too. */
static void the_gradient_of_a_cast_has_the_type_of_its_input(void **state)
{
    static const struct {
        enum dtype from;
        double gradient[2];
    } cases[] = {{DTYPE_F64, {-0.25, 3.5}}, {DTYPE_BOOL, {1, 1}}, {DTYPE_I64, {0, 3}}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct made_call m;
        made_call_open(&m, "cast", "T2");
        made_call_result(&m, "2");
        m.place[0].tensor.dtype = cases[i].from;
        struct real_tensor got = real_like(&m.c, &m.result);
        got.dtype = cases[i].from;
        m.gradient = real_like(&m.c, &m.result);
        m.gradient.v[0] = -0.25;
        m.gradient.v[1] = 3.5;
        m.c.gradient = &m.gradient;
        m.c.gradients = 1;
        m.c.output = &got;
        made_call_run(&m, true);
        assert_int_equal(m.c.candidates, 1);
        for (int k = 0; k < 2; k++)
            assert_true(candidate_values(&m, &m.c.candidate[0])[k] == cases[i].gradient[k]);
        made_call_release(&m);
    }
}

/* A module's weight lies as outputs and inputs, or as inputs and outputs; one that fits neither says nothing. */
static void modules_multiply_by_either_layout(void **state)
{
    static const struct {
        const char *weight;
        int candidates;
    } cases[] = {{"5,4", 1}, {"4,5", 1}, {"4,4", 2}, {"5,3", 0}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct made_call m;
        made_call_open(&m, "linear", "T3,4");
        struct named_value weight = {"weight", {.kind = VALUE_TENSOR, .tensor = tensor_of_shape(&m, cases[i].weight)}};
        made_call_result(&m, i < 2 ? "3,5" : "3,4");
        m.c.module = true;
        m.c.parameter = &weight;
        m.c.parameters = 1;
        const struct operator *o = operator_find_class(str_of("linear"));
        o->forward(&m.c);
        assert_int_equal(m.c.candidates, cases[i].candidates);
        assert_int_equal(m.c.unknown != UNKNOWN_NOT, cases[i].candidates == 0);
        made_call_release(&m);
    }
}

/* A convolution's module shows its weights, not its strides and margins: those that give the recorded result. */
static void a_convolution_module_is_told_by_its_result(void **state)
{
    struct made_call f;
    (void)state;
    made_call_open(&f, "conv2d", "T1,2,5,5 T4,1,3,3 T4 n2 n1 n1 n2");
    made_call_result(&f, "1,4,3,3");
    const double *y = first_output(&f);
    for (int parameters = 0; parameters <= 3; parameters++) {
        struct made_call m;
        struct named_value parameter[3] = {{"weight", f.place[1]}, {"bias", f.place[2]}, {"weight_g", f.place[2]}};
        made_call_open(&m, "conv2d", "T1,2,5,5");
        made_call_result(&m, "1,4,3,3");
        m.c.module = true;
        m.c.parameter = parameter;
        m.c.parameters = parameters;
        memcpy(m.result.v, y, (size_t)m.result.count * sizeof *y);
        for (int64_t i = 0; i < m.result.count && parameters == 1; i++)
            m.result.v[i] -= f.place[2].tensor.v[i / 9];
        operator_find_class(STR("conv2d"))->forward(&m.c);
        assert_int_equal(m.c.unknown, parameters == 0 || parameters == 3 ? UNKNOWN_CLASS : UNKNOWN_NOT);
        if (!m.c.unknown)
            assert_true(is_a_candidate(&m, m.result.v, m.result.count));
        made_call_release(&m);
    }
    made_call_release(&f);
}

#define FAMILY(name)                                             \
    static void name##_as_in_torch(void **state)                 \
    {                                                            \
        (void)state;                                             \
        for (size_t i = 0; i < ARRAY_LEN(name##_cases); i++)     \
            compare_case(&name##_cases[i]);                      \
    }

FAMILY(activation)
FAMILY(elementwise)
FAMILY(product)
FAMILY(convolution)
FAMILY(norm)
FAMILY(softmax)
FAMILY(loss)
FAMILY(attention)
FAMILY(reduce)
FAMILY(move)
FAMILY(pool)

/* MindSpore's primitive has scale, bias, mean and variance behind x, PyTorch's function the running figures first; the
 * epsilon of the primitive is read off what was recorded. */
static void figures_of_a_batch_norm_by_their_places(void **state)
{
    (void)state;
    for (int primitive = 0; primitive < 2; primitive++) {
        struct made_call m;
        made_call_open(&m, "batchnorm", primitive ? "T3,2,4 T2 T2 T2 P2" : "T3,2,4 T2 P2 T2 T2 b0");
        made_call_result(&m, "3,2,4");
        m.c.mindspore = primitive;
        const double *x = m.place[0].tensor.v, *scale = m.place[primitive ? 1 : 3].tensor.v,
                     *bias = m.place[primitive ? 2 : 4].tensor.v, *mean = m.place[primitive ? 3 : 1].tensor.v,
                     *variance = m.place[primitive ? 4 : 2].tensor.v;
        m.result.v = arena_alloc(&m.arena, 24 * sizeof(double));
        for (int i = 0; i < 24; i++) {
            int c = i / 4 % 2;
            m.result.v[i] = (x[i] - mean[c]) / sqrt(variance[c] + 1e-5) * scale[c] + bias[c];
        }
        made_call_run(&m, false);
        double least = INFINITY;
        for (int k = 0; k < m.c.candidates; k++) {
            double most = 0;
            for (int i = 0; i < 24; i++)
                most = fmax(most, fabs(candidate_values(&m, &m.c.candidate[k])[i] - m.result.v[i]));
            least = fmin(least, most);
        }
        assert_true(least < 1e-5);
        made_call_release(&m);
    }
}

/* Of several equal extremes nobody knows which one gets the gradient. */
static void gradients_of_tied_extremes_are_not_said(void **state)
{
    static const double x[] = {2, 2, 1, 3, -1, 0};
    struct made_call m;
    (void)state;
    made_call_open(&m, "amax", "T3,2 n1");
    memcpy(m.place[0].tensor.v, x, sizeof x);
    made_call_result(&m, "3,2");
    m.gradient = tensor_of_shape(&m, "3");
    m.c.gradient = &m.gradient;
    m.c.gradients = 1;
    made_call_run(&m, true);
    assert_int_equal(m.c.candidates, 1);
    const double *y = candidate_values(&m, m.c.candidate), *g = m.gradient.v;
    assert_true(isnan(y[0]) && isnan(y[1]));
    for (int i = 2; i < 6; i++)
        assert_true(y[i] == (i % 2 ? g[i / 2] : 0));
    made_call_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activation_as_in_torch),
        cmocka_unit_test(elementwise_as_in_torch),
        cmocka_unit_test(product_as_in_torch),
        cmocka_unit_test(convolution_as_in_torch),
        cmocka_unit_test(norm_as_in_torch),
        cmocka_unit_test(softmax_as_in_torch),
        cmocka_unit_test(loss_as_in_torch),
        cmocka_unit_test(attention_as_in_torch),
        cmocka_unit_test(reduce_as_in_torch),
        cmocka_unit_test(move_as_in_torch),
        cmocka_unit_test(pool_as_in_torch),
        cmocka_unit_test(bounds_count_the_steps),
        cmocka_unit_test(gradients_go_where_values_were_picked),
        cmocka_unit_test(sums_rounded_on_the_way_are_the_kernels),
        cmocka_unit_test(a_stacked_axis_is_told_by_the_sizes),
        cmocka_unit_test(an_unstacked_axis_is_told_by_the_parts),
        cmocka_unit_test(a_cast_that_changes_nothing_hands_on),
        cmocka_unit_test(the_gradient_of_a_cast_has_the_type_of_its_input),
        cmocka_unit_test(modules_multiply_by_either_layout),
        cmocka_unit_test(a_convolution_module_is_told_by_its_result),
        cmocka_unit_test(a_condition_is_measured_where_it_is_known),
        cmocka_unit_test(no_margin_is_read_from_an_axis_of_no_element),
        cmocka_unit_test(sizes_that_fit_nothing_are_refused),
        cmocka_unit_test(figures_of_a_batch_norm_by_their_places),
        cmocka_unit_test(gradients_of_tied_extremes_are_not_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
