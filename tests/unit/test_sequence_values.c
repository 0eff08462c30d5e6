/* Pairing by what values tell whatever the order: weights, biases, results nearest to each other, gradients. */
#include "draws.h"
#include "opened.h"

#include <math.h>

#include "dump/computed_figures.h"
#include "dump/family.h"
#include "pair/sequence.h"

static uint64_t seed = 11;

/* ---- dumps made of figures alone ---- */

struct value {
    int64_t dim[2];
    double max, min, mean, norm;
};

static struct value fresh(int64_t a, int64_t b)
{
    return (struct value){{a, b},
                          1 + draw_share(&seed) * 5,
                          -1 - draw_share(&seed) * 5,
                          draw_share(&seed),
                          10 + draw_share(&seed) * 30};
}

static uint32_t add_row(struct dump *d, uint32_t call, enum row_io io, int index, struct value v)
{
    char slot[32];
    snprintf(slot, sizeof slot, "%s.%d", io == IO_OUTPUT ? "output" : "input", index);
    struct row r = {.slot = dump_slot(d, str_of(slot)),
                    .extra = NONE,
                    .io = io,
                    .kind = ROW_TENSOR,
                    .dtype = DTYPE_F32};
    r.shape = dump_shape(d, v.dim[0] > 1 ? v.dim : v.dim + 1, v.dim[0] > 1 ? 2 : 1);
    r.has = HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM | HAS_SHAPE;
    r.stat[STAT_MAX] = v.max;
    r.stat[STAT_MIN] = v.min;
    r.stat[STAT_MEAN] = v.mean;
    r.stat[STAT_NORM] = v.norm;
    return dump_add_row(d, call, r);
}

/* A call with its inputs and one output; graph: as MindSpore's graph dumps name them. Returns the output's row. */
static uint32_t add_call(struct dump *d, bool graph, const char *op, const char *scope, enum call_phase phase,
                         const struct value *in, int inputs, struct value out)
{
    char name[120];
    if (graph)
        snprintf(name, sizeof name, "%s.%s_%s-op%zu", op, scope, op, d->calls.n);
    else
        snprintf(name, sizeof name, "Functional.%s.%zu.%s", op, d->calls.n,
                 phase == PHASE_BACKWARD ? "backward" : "forward");
    uint32_t c = dump_add_call(d, str_of(name), graph ? CALL_OPERATOR : CALL_API, phase);
    d->calls.v[c].family = (uint8_t)family_find(str_of(op));
    if (graph)
        d->calls.v[c].scope = dump_scope(d, str_of(scope));
    for (int i = 0; i < inputs; i++)
        add_row(d, c, IO_INPUT, i, in[i]);
    return add_row(d, c, IO_OUTPUT, 0, out);
}

struct both {
    struct dump d[2];
    struct sequence_result found;
};

static void start(struct both *b)
{
    memset(b, 0, sizeof *b);
    for (int s = 0; s < 2; s++)
        dump_init(&b->d[s]);
    b->d[TARGET].framework = "mindspore";
    b->d[GOLDEN].framework = "pytorch";
    b->d[TARGET].digits = b->d[GOLDEN].digits = 17;
}

static void align_dumps(const struct dump *t, const struct dump *g, struct sequence_result *found)
{
    uint8_t *taken[2] = {calloc(t->rows.n + 1, 1), calloc(g->rows.n + 1, 1)};
    struct sequence_options o = {.taken = {taken[0], taken[1]}};
    sequence_align(t, g, &o, found);
    free(taken[0]);
    free(taken[1]);
}

static void shut(struct both *b)
{
    vec_release(&b->found.pairs);
    vec_release(&b->found.joined);
    for (int s = 0; s < 2; s++)
        dump_release(&b->d[s]);
}

static const struct sequence_pair *pair_of(const struct sequence_result *r, uint32_t t)
{
    for (size_t i = 0; i < r->pairs.n; i++)
        if (r->pairs.v[i].t == t)
            return &r->pairs.v[i];
    return NULL;
}

/* ---- gradients ---- */

/* The gradient of a part alone, zeros elsewhere, against that of all parts put together: no partners, though both come
 * from one gradient. */
static void a_part_of_a_gradient(void **state)
{
    (void)state;
    for (int parts = 1; parts <= 2; parts++) {
        struct both b;
        struct value in[2] = {fresh(16, 8), fresh(16, 8)};
        start(&b);
        uint32_t t = add_call(&b.d[TARGET], true, "Concat", "net.rotary", PHASE_BACKWARD, in, parts, fresh(32, 8));
        uint32_t g = add_call(&b.d[GOLDEN], false, "__getitem__", NULL, PHASE_BACKWARD, in, 1, fresh(32, 8));
        align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
        const struct sequence_pair *p = pair_of(&b.found, t);
        assert_non_null(pair_of(&b.found, b.d[TARGET].calls.v[0].first_row));
        assert_true(parts == 1 ? p && p->g == g : !p);
        shut(&b);
    }
}

/* ---- weights ---- */

/* Three products of one input, launched in another order, and no result agrees: their weights tell. */
static void weights_beat_the_order(void **state)
{
    static const int launched[3] = {2, 0, 1};
    struct both b;
    struct value x = fresh(32, 64), weight[3];
    uint32_t t[3], g[3];
    (void)state;
    start(&b);
    for (int i = 0; i < 3; i++)
        weight[i] = fresh(64, 64);
    for (int i = 0; i < 3; i++) {
        struct value in[2] = {x, weight[launched[i]]};
        t[launched[i]] = add_call(&b.d[TARGET], true, "MatMul", "net.attention", PHASE_FORWARD, in, 2, fresh(32, 64));
    }
    for (int i = 0; i < 3; i++) {
        struct value in[2] = {x, weight[i]};
        g[i] = add_call(&b.d[GOLDEN], false, "linear", NULL, PHASE_FORWARD, in, 2, fresh(32, 64));
    }
    align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
    for (int i = 0; i < 3; i++) {
        const struct sequence_pair *p = pair_of(&b.found, t[i]);
        assert_true(p && p->g == g[i] && p->confidence >= 0.5f);
    }
    shut(&b);
}

/* k's product has v's weight and the other way round: who reads the results says which is which, so the weight's row is
 * the one that deviates. Where products alone read both (no rotation), what reads these tells. */
static void exchanged_weights_are_the_finding(void **state)
{
    (void)state;
    for (int rotated = 0; rotated < 2; rotated++) {
        struct both b;
        struct value x = fresh(32, 64), wk = fresh(64, 64), wv = fresh(64, 64), cos = fresh(32, 64),
                     probs = fresh(32, 32), q = fresh(32, 64);
        start(&b);
        struct value k[2] = {fresh(32, 64), fresh(32, 64)}, v[2];
        v[TARGET] = k[GOLDEN]; /* W_k x, which v puts out on the target side */
        v[GOLDEN] = k[TARGET];
        uint32_t rk[2], rv[2];
        for (int s = 0; s < 2; s++) {
            bool graph = s == TARGET;
            const char *product = graph ? "MatMul" : "linear", *batched = graph ? "BatchMatMul" : "matmul";
            struct value in_k[2] = {x, graph ? wv : wk}, in_v[2] = {x, graph ? wk : wv}, turned[2] = {k[s], cos},
                         summed[2] = {probs, v[s]}, scored[2] = {q, k[s]}, scores = fresh(32, 32);
            rk[s] = add_call(&b.d[s], graph, product, "net.attention", PHASE_FORWARD, in_k, 2, k[s]);
            rv[s] = add_call(&b.d[s], graph, product, "net.attention", PHASE_FORWARD, in_v, 2, v[s]);
            if (rotated)
                add_call(&b.d[s], graph, graph ? "Mul" : "__mul__", "net.attention", PHASE_FORWARD, turned, 2,
                         fresh(32, 64));
            if (!rotated) {
                add_call(&b.d[s], graph, batched, "net.attention", PHASE_FORWARD, scored, 2, scores);
                add_call(&b.d[s], graph, graph ? "Softmax" : "softmax", "net.attention", PHASE_FORWARD, &scores, 1,
                         fresh(32, 32));
            }
            add_call(&b.d[s], graph, batched, "net.attention", PHASE_FORWARD, summed, 2, fresh(32, 64));
        }
        align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
        const struct sequence_pair *p = pair_of(&b.found, rk[TARGET]), *o = pair_of(&b.found, rv[TARGET]);
        assert_true(p && p->g == rk[GOLDEN] && p->confidence >= 0.5f);
        assert_true(o && o->g == rv[GOLDEN] && o->confidence >= 0.5f);
        shut(&b);
    }
}

/* ---- biases ---- */

/* One number throughout. */
static struct value same_number(int64_t a, int64_t b, double v)
{
    return (struct value){{a, b}, v, v, v, fabs(v) * sqrt((double)(a * b))};
}

/* MatMul and Add here, linear there: the results and the biases meet at the sum, and the product stands for both. */
static void bias_meets(struct value x, struct value w, struct value bias, struct value product, struct value sum)
{
    struct both b;
    start(&b);
    uint32_t p = add_call(&b.d[TARGET], true, "MatMul", "net.dense", PHASE_FORWARD, (struct value[]){x, w}, 2, product);
    uint32_t s =
        add_call(&b.d[TARGET], true, "Add", "net.dense", PHASE_FORWARD, (struct value[]){product, bias}, 2, sum);
    uint32_t g = add_call(&b.d[GOLDEN], false, "linear", NULL, PHASE_FORWARD, (struct value[]){x, w, bias}, 3, sum);
    align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
    assert_null(pair_of(&b.found, p));
    assert_true(pair_of(&b.found, s) && pair_of(&b.found, s)->g == g);
    assert_true(pair_of(&b.found, s - 1) && pair_of(&b.found, s - 1)->g == g - 1);
    assert_int_equal(b.found.joined.n, 1);
    assert_int_equal(b.found.joined.v[0].call, b.d[TARGET].rows.v[p].call);
    assert_int_equal(b.found.joined.v[0].result, b.d[TARGET].rows.v[s].call);
    shut(&b);
}

static void a_bias_of_its_own(void **state)
{
    (void)state;
    bias_meets(fresh(32, 64), fresh(48, 64), fresh(1, 48), fresh(32, 48), fresh(32, 48));
    bias_meets(fresh(32, 64), fresh(1, 64), fresh(1, 1), fresh(32, 1), fresh(32, 1)); /* a reward or a click */
    /* one input: the weight is as long as the bias */
    bias_meets(fresh(32, 1), fresh(48, 1), fresh(1, 48), fresh(32, 48), fresh(32, 48));
    /* one number throughout comes from anywhere, if not from the call before */
    bias_meets(fresh(32, 64), fresh(1, 64), fresh(1, 1), same_number(32, 1, 0.01), same_number(32, 1, -0.03));
}

/* What hands the bias on before the network uses it: a cast in the network, or an optimizer's kernel that multiplies it
 * by 1 and that a graph dump lists first. */
static void a_bias_handed_on(void **state)
{
    static const struct {
        const char *op;
        enum call_phase phase;
    } before[] = {{"Cast", PHASE_FORWARD}, {"Mul", PHASE_FORWARD}, {"Mul", PHASE_OPTIMIZER}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(before); i++) {
        struct both b;
        struct value x = fresh(32, 64), w = fresh(48, 64), bias = fresh(1, 48), product = fresh(32, 48),
                     sum = fresh(32, 48);
        start(&b);
        add_call(&b.d[TARGET], true, before[i].op, "net.dense", before[i].phase, &bias, 1, bias);
        add_call(&b.d[TARGET], true, "MatMul", "net.dense", PHASE_FORWARD, (struct value[]){x, w}, 2, product);
        uint32_t s =
            add_call(&b.d[TARGET], true, "Add", "net.dense", PHASE_FORWARD, (struct value[]){product, bias}, 2, sum);
        uint32_t g = add_call(&b.d[GOLDEN], false, "linear", NULL, PHASE_FORWARD, (struct value[]){x, w, bias}, 3, sum);
        align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
        assert_int_equal(b.found.joined.n, 1);
        assert_true(pair_of(&b.found, s) && pair_of(&b.found, s)->g == g);
        shut(&b);
    }
}

/* The vector is computed in the network: it is no parameter, and the product stands alone. */
static void a_computed_vector_is_no_bias(void **state)
{
    struct both b;
    struct value x = fresh(32, 64), w = fresh(48, 64), made = fresh(1, 48), product = fresh(32, 48),
                 sum = fresh(32, 48);
    (void)state;
    start(&b);
    add_call(&b.d[TARGET], true, "Exp", "net.dense", PHASE_FORWARD, (struct value[]){fresh(1, 48)}, 1, made);
    add_call(&b.d[TARGET], true, "MatMul", "net.dense", PHASE_FORWARD, (struct value[]){x, w}, 2, product);
    add_call(&b.d[TARGET], true, "Add", "net.dense", PHASE_FORWARD, (struct value[]){product, made}, 2, sum);
    add_call(&b.d[GOLDEN], false, "linear", NULL, PHASE_FORWARD, (struct value[]){x, w, made}, 3, sum);
    align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
    assert_int_equal(b.found.joined.n, 0);
    shut(&b);
}

/* Both sides add it by themselves: nothing is joined. */
static void a_bias_on_both_sides(void **state)
{
    struct both b;
    struct value x = fresh(32, 64), w = fresh(48, 64), bias = fresh(1, 48), product = fresh(32, 48),
                 sum = fresh(32, 48);
    uint32_t p[2], q[2];
    (void)state;
    start(&b);
    for (int s = 0; s < 2; s++) {
        p[s] = add_call(&b.d[s], s == TARGET, s ? "matmul" : "MatMul", "net.dense", PHASE_FORWARD,
                        (struct value[]){x, w}, 2, product);
        q[s] = add_call(&b.d[s], s == TARGET, s ? "__add__" : "Add", "net.dense", PHASE_FORWARD,
                        (struct value[]){product, bias}, 2, sum);
    }
    align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
    assert_int_equal(b.found.joined.n, 0);
    assert_true(pair_of(&b.found, p[0]) && pair_of(&b.found, p[0])->g == p[1]);
    assert_true(pair_of(&b.found, q[0]) && pair_of(&b.found, q[0])->g == q[1]);
    shut(&b);
}

/* A mask is added to scores, not a bias. */
static void a_mask_is_no_bias(void **state)
{
    struct both b;
    struct value q = fresh(32, 64), scores = fresh(32, 32), mask = fresh(32, 32), masked = fresh(32, 32);
    (void)state;
    start(&b);
    add_call(&b.d[TARGET], true, "MatMul", "net", PHASE_FORWARD, (struct value[]){q, fresh(32, 64)}, 2, scores);
    add_call(&b.d[TARGET], true, "Add", "net", PHASE_FORWARD, (struct value[]){scores, mask}, 2, masked);
    add_call(&b.d[GOLDEN], false, "linear", NULL, PHASE_FORWARD, (struct value[]){q, fresh(32, 64), fresh(1, 32)}, 3,
             scores);
    align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
    assert_int_equal(b.found.joined.n, 0);
    shut(&b);
}

/* ---- gradients ---- */

/* Of two gradients with nearly the same figures each meets its own; the one that is left over meets none, on whichever
 * side it is (MindSpore adds up in one call what a module of the other side returns before). */
static void gradients_by_the_nearest_value(void **state)
{
    struct both b;
    struct value dy = fresh(32, 64), turned = dy, other = fresh(32, 64), unlike = fresh(32, 64);
    (void)state;
    turned.max *= 1 + 3e-5;
    turned.norm *= 1 + 3e-5;
    start(&b);
    uint32_t made = add_call(&b.d[TARGET], true, "RsqrtGrad", "net.norm", PHASE_BACKWARD, &other, 1, dy);
    uint32_t read = add_call(&b.d[TARGET], true, "AddN", "net", PHASE_BACKWARD, &dy, 1, unlike) - 1;
    uint32_t own = add_call(&b.d[GOLDEN], false, "mul", NULL, PHASE_BACKWARD, &other, 1, dy);
    add_call(&b.d[GOLDEN], false, "silu", NULL, PHASE_BACKWARD, &other, 1, turned);
    align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
    assert_true(pair_of(&b.found, made) && pair_of(&b.found, made)->g == own);
    assert_null(pair_of(&b.found, read));
    shut(&b);
    start(&b);
    uint32_t a = add_call(&b.d[TARGET], true, "RsqrtGrad", "net.norm", PHASE_BACKWARD, &other, 1, dy);
    uint32_t c = add_call(&b.d[TARGET], true, "ReluGrad", "net.norm", PHASE_BACKWARD, &other, 1, turned);
    uint32_t g = add_call(&b.d[GOLDEN], false, "softmax", NULL, PHASE_BACKWARD, &other, 1, dy);
    uint32_t h = add_call(&b.d[GOLDEN], false, "silu", NULL, PHASE_BACKWARD, &other, 1, dy);
    align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
    const struct sequence_pair *p = pair_of(&b.found, a), *q = pair_of(&b.found, c);
    assert_true(p && (p->g == g || p->g == h));
    assert_null(q);
    shut(&b);
}

/* ---- calls that are easily mistaken ---- */

/* Of a call recorded twice one is aligned: the other one takes no neighbour's partner. */
static void calls_recorded_twice_are_one(void **state)
{
    struct both b;
    struct value ids = fresh(2, 8), word = fresh(16, 32), place = fresh(16, 32);
    (void)state;
    start(&b);
    uint32_t w = add_call(&b.d[TARGET], true, "Gather", "net.word", PHASE_FORWARD, (struct value[]){fresh(40, 32), ids},
                          2, word);
    uint32_t p = add_call(&b.d[TARGET], true, "Gather", "net.place", PHASE_FORWARD,
                          (struct value[]){fresh(16, 32), ids}, 2, place);
    uint32_t g =
        add_call(&b.d[GOLDEN], false, "embedding", NULL, PHASE_FORWARD, (struct value[]){fresh(40, 32)}, 1, word);
    add_call(&b.d[GOLDEN], false, "embedding", NULL, PHASE_FORWARD, (struct value[]){fresh(40, 32)}, 1, word);
    dump_link_nested(&b.d[GOLDEN], 0, 1);
    align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
    assert_true(pair_of(&b.found, w) && pair_of(&b.found, w)->g == g);
    assert_null(pair_of(&b.found, p));
    shut(&b);
}

/* A fused attention kernel puts out its softmax's statistics first; its result is as large as the queries. */
static void the_result_of_fused_attention(void **state)
{
    struct both b;
    struct value q = fresh(64, 16), k = fresh(64, 16), v = fresh(64, 16), statistics = fresh(64, 8),
                 result = fresh(64, 16);
    (void)state;
    start(&b);
    add_call(&b.d[TARGET], true, "FlashAttentionScore", "net.attention", PHASE_FORWARD, (struct value[]){q, k, v}, 3,
             statistics);
    uint32_t t = add_row(&b.d[TARGET], 0, IO_OUTPUT, 3, result);
    uint32_t g = add_call(&b.d[GOLDEN], false, "scaled_dot_product_attention", NULL, PHASE_FORWARD,
                          (struct value[]){q, k, v}, 3, result);
    align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
    assert_true(pair_of(&b.found, t) && pair_of(&b.found, t)->g == g);
    shut(&b);
}

/* ---- results on disk ---- */

static void put_npy(const char *dir, const char *name, const float *v, int rows, int columns)
{
    static char bytes[128 + 4096 * 4];
    char header[128];
    memset(bytes, ' ', 128);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    int n =
        snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,%d,), }", rows, columns);
    memcpy(bytes + 10, header, (size_t)n);
    bytes[127] = '\n';
    memcpy(bytes + 128, v, (size_t)(rows * columns) * 4);
    put_bytes(dir, name, bytes, 128 + (size_t)(rows * columns) * 4);
}

/* Results of one size, drifted by a fault before them, in another order and reshaped, behind others that one side has
 * alone: each is nearest to its own. */
static void results_by_their_nearest(void **state)
{
    static const int order[4] = {3, 1, 0, 2};
    const char *dir[2] = {scratch(), NULL};
    char first[400];
    snprintf(first, sizeof first, "%s", dir[0]);
    dir[0] = first;
    dir[1] = scratch();
    float v[2][512];
    (void)state;
    for (int k = 0; k < 4; k++) {
        char name[200];
        for (int i = 0; i < 512; i++) {
            v[GOLDEN][i] = (float)draw_normal(&seed);
            v[TARGET][i] = v[GOLDEN][i] + 0.05f * (float)draw_normal(&seed);
        }
        for (int s = 0; s < 2; s++) {
            snprintf(name, sizeof name,
                     "MatMul.Default_network-%s%d_MatMul-op%d.0.0.%d.output.0.DefaultFormat.Float32.npy", s ? "G" : "T",
                     k, k, 1000 + (s ? k : order[k]));
            put_npy(dir[s], name, v[s], s ? 16 : 8, s ? 32 : 64);
        }
        snprintf(name, sizeof name, "ReLU.Default_network-A%d_ReLU-op%d.0.0.%d.output.0.DefaultFormat.Float32.npy", k,
                 k, 900 + k);
        put_npy(dir[TARGET], name, v[TARGET], 4, 8);
    }
    struct opened o[2];
    struct sequence_result found = {.pairs = {0}};
    for (int s = 0; s < 2; s++) {
        assert_int_equal(open_as(&o[s], dir[s], "mindspore-dump"), 0);
        computed_figures_fill(&o[s].d, kern_select(NULL), 1, &o[s].load, NULL);
    }
    align_dumps(&o[0].d, &o[1].d, &found);
    for (int k = 0; k < 4; k++) {
        char t[100], g[100];
        snprintf(t, sizeof t, "MatMul.Default_network-T%d_MatMul-op%d.output.0", k, k);
        snprintf(g, sizeof g, "MatMul.Default_network-G%d_MatMul-op%d.output.0", k, k);
        const struct sequence_pair *p = pair_of(&found, row_named(&o[0].d, t));
        assert_true(p && p->g == row_named(&o[1].d, g) && p->why == WHY_SAMPLE && p->confidence >= 0.8f);
    }
    vec_release(&found.pairs);
    vec_release(&found.joined);
    for (int s = 0; s < 2; s++)
        shut_opened(&o[s]);
}

/* A gradient that is wrong on one side alone has no other value to be known by: the weight it is multiplied by tells,
 * unless two products read that, or an operand was computed and is not the same. */
static void products_tell_the_gradient(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 3; wrong++) {
        struct both b;
        struct value x = fresh(32, 64), in[2] = {x, fresh(64, 64)}, y = fresh(32, 64), z = fresh(32, 64);
        uint32_t out[2] = {0}, dy[2] = {0};
        start(&b);
        for (int s = 0; s < 2; s++) {
            bool graph = s == TARGET;
            struct dump *d = &b.d[s];
            struct value weight = in[1], first = fresh(32, 64), wrong_gradient = fresh(32, 64);
            if (wrong == 2) { /* no weight: the other operand, which is computed too, differs */
                add_call(d, graph, "add", "net.keys", PHASE_FORWARD, &first, 1, weight);
                x = fresh(32, 64);
            }
            add_call(d, graph, "add", "net", PHASE_FORWARD, &first, 1, x);
            struct value operands[2] = {x, weight};
            out[s] = add_call(d, graph, graph ? "MatMul" : "linear", "net", PHASE_FORWARD, operands, 2, graph ? y : z);
            struct value back[2] = {wrong_gradient, weight};
            dy[s] = add_call(d, graph, graph ? "MatMul" : "linear", "net", PHASE_BACKWARD, back, graph ? 2 : 1,
                             fresh(32, 64)) -
                    (graph ? 2 : 1);
            if (wrong == 1 && graph)
                add_call(d, graph, "MatMul", "net", PHASE_BACKWARD, back, 2, fresh(32, 64));
            if (!graph) {
                uint32_t forward = d->rows.v[out[s]].call, backward = d->rows.v[dy[s]].call;
                d->calls.v[forward].twin = backward;
                d->calls.v[backward].twin = forward;
            }
        }
        align_dumps(&b.d[TARGET], &b.d[GOLDEN], &b.found);
        const struct sequence_pair *p = pair_of(&b.found, dy[TARGET]);
        if (wrong)
            assert_null(p);
        else
            assert_true(p && p->g == dy[GOLDEN] && p->confidence >= 0.5f);
        shut(&b);
    }
}

struct both_opened {
    struct opened o[2];
    struct sequence_result found;
};

static void open_and_align(struct both_opened *b, char dir[2][400])
{
    memset(b, 0, sizeof *b);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(open_as(&b->o[s], dir[s], "mindspore-dump"), 0);
        computed_figures_fill(&b->o[s].d, kern_select(NULL), 1, &b->o[s].load, NULL);
    }
    align_dumps(&b->o[TARGET].d, &b->o[GOLDEN].d, &b->found);
}

static void shut_both(struct both_opened *b)
{
    vec_release(&b->found.pairs);
    vec_release(&b->found.joined);
    for (int s = 0; s < 2; s++)
        shut_opened(&b->o[s]);
}

/* An activation in one call, and written out on the other side: its hyperbolic tangent is near to the result, the last
 * product holds it. */
static void a_written_out_activation_ends_in_a_product(void **state)
{
    char dir[2][400];
    float gelu[512], tangent[512];
    (void)state;
    for (int s = 0; s < 2; s++)
        snprintf(dir[s], sizeof dir[s], "%s", scratch());
    for (int i = 0; i < 512; i++) {
        double x = draw_normal(&seed) / 4, t = tanh(0.7978845608 * (x + 0.044715 * x * x * x));
        tangent[i] = (float)t;
        gelu[i] = (float)(0.5 * x * (1 + t));
    }
    put_npy(dir[TARGET], "GeLU.Default_network-A_GeLU-op0.0.0.1000.output.0.DefaultFormat.Float32.npy", gelu, 16, 32);
    put_npy(dir[GOLDEN], "Tanh.Default_network-A_Tanh-op0.0.0.1000.output.0.DefaultFormat.Float32.npy", tangent, 8, 64);
    put_npy(dir[GOLDEN], "Mul.Default_network-A_Mul-op0.0.0.1001.output.0.DefaultFormat.Float32.npy", gelu, 8, 64);
    struct both_opened b;
    open_and_align(&b, dir);
    const struct sequence_pair *p =
        pair_of(&b.found, row_named(&b.o[TARGET].d, "GeLU.Default_network-A_GeLU-op0.output.0"));
    assert_true(p && p->g == row_named(&b.o[GOLDEN].d, "Mul.Default_network-A_Mul-op0.output.0"));
    shut_both(&b);
}

/* A choice of the largest that takes all chooses nothing: what makes the values that it alone reads has no partner. */
static void a_choice_of_all_is_no_evidence(void **state)
{
    char dir[2][400];
    (void)state;
    for (int s = 0; s < 2; s++) {
        float v[512];
        snprintf(dir[s], sizeof dir[s], "%s", scratch());
        for (int i = 0; i < 512; i++)
            v[i] = (s ? 5.f : 8.f) + (float)(i % 7) + 0.1f * (float)draw_normal(&seed);
        put_npy(dir[s], "ReduceSum.Default_network-A_ReduceSum-op0.0.0.900.output.0.DefaultFormat.Float32.npy", v, 512,
                1);
        put_npy(dir[s], "TopK.Default_network-A_TopK-op0.0.0.1000.input.0.DefaultFormat.Float32.npy", v, 512, 1);
        put_npy(dir[s], "TopK.Default_network-A_TopK-op0.0.0.1000.output.0.DefaultFormat.Float32.npy", v, 512, 1);
    }
    struct both_opened b;
    open_and_align(&b, dir);
    assert_null(pair_of(&b.found, row_named(&b.o[TARGET].d, "TopK.Default_network-A_TopK-op0.output.0")));
    assert_null(pair_of(&b.found, row_named(&b.o[TARGET].d, "ReduceSum.Default_network-A_ReduceSum-op0.output.0")));
    shut_both(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_tell_the_gradient),
        cmocka_unit_test(a_part_of_a_gradient),
        cmocka_unit_test(weights_beat_the_order),
        cmocka_unit_test(exchanged_weights_are_the_finding),
        cmocka_unit_test(a_bias_of_its_own),
        cmocka_unit_test(a_bias_handed_on),
        cmocka_unit_test(a_computed_vector_is_no_bias),
        cmocka_unit_test(a_bias_on_both_sides),
        cmocka_unit_test(a_mask_is_no_bias),
        cmocka_unit_test(gradients_by_the_nearest_value),
        cmocka_unit_test(calls_recorded_twice_are_one),
        cmocka_unit_test(the_result_of_fused_attention),
        cmocka_unit_test(results_by_their_nearest),
        cmocka_unit_test(a_written_out_activation_ends_in_a_product),
        cmocka_unit_test(a_choice_of_all_is_no_evidence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
