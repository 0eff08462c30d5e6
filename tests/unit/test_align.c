/* Which calls of two lists become partners: what a pair needs, what forbids it, what an order that crosses may do. */
#include "draws.h"
#include "sides.h"

#include "dump/family.h"
#include "dump/role.h"
#include "pair/align.h"
#include "pair/decided_pairs.h"

static uint64_t seed = 3;

static struct fingerprint figures(uint32_t size)
{
    float high = (float)draw_share(&seed), low = (float)draw_share(&seed), norm = (float)draw_share(&seed);
    return (struct fingerprint){1 + high, -1 - low, 5 + norm, size, 7, 0};
}

/* A call of an operator on a value of 64 elements that no other has. */
static struct align_item one(uint32_t call, enum family family, uint32_t op)
{
    return (struct align_item){.call = call, .match = NONE, .op = op, .group = NONE, .numel = 64, .layer = -1,
                               .family = (uint8_t)family, .value = figures(64)};
}

/* The same call on the other side; of its figures nothing is known where `known` is false. */
static struct align_item twin(struct align_item x, uint32_t call, bool known)
{
    x.call = call;
    x.value.has = known ? 7 : 0;
    return x;
}

struct lists {
    align_item_list t, g;
    struct nmap denied;
};

static void put(struct lists *x, const struct align_item *t, size_t nt, const struct align_item *g, size_t ng)
{
    memset(x, 0, sizeof *x);
    for (size_t i = 0; i < nt; i++)
        vec_push(&x->t, t[i]);
    for (size_t i = 0; i < ng; i++)
        vec_push(&x->g, g[i]);
}

static void align(struct lists *x)
{
    struct align_known m = {.denied = &x->denied};
    align_items(&x->t, &x->g, &m);
}

static void cross(struct lists *x, bool unordered)
{
    struct align_known m = {.denied = &x->denied};
    align_crossing(&x->t, &x->g, &m, unordered);
}

/* Partners are each other's. */
static void expect(const struct lists *x, size_t t, uint32_t g, int line)
{
    if (x->t.v[t].match != g)
        fail_msg("line %d: item %zu is paired with %d, not %d", line, t, (int)x->t.v[t].match, (int)g);
    if (g != NONE)
        assert_int_equal(x->g.v[g].match, t);
}
#define EXPECT(x, t, g) expect(x, t, g, __LINE__)

static void drop(struct lists *x)
{
    vec_release(&x->t);
    vec_release(&x->g);
    nmap_release(&x->denied);
}

/* One item on each side: whether they are paired, in either order of sides. */
static bool paired(struct align_item a, struct align_item b)
{
    struct lists x, y;
    put(&x, &a, 1, &b, 1);
    put(&y, &b, 1, &a, 1);
    align(&x);
    align(&y);
    bool yes = x.t.v[0].match == 0;
    assert_int_equal(x.t.v[0].match, y.t.v[0].match);
    drop(&x);
    drop(&y);
    return yes;
}

static void what_a_pair_needs(void **state)
{
    struct align_item a = one(0, FAMILY_LINEAR, 1), b = twin(a, 0, true);
    (void)state;
    assert_true(paired(a, b));
    b.numel = 65;
    assert_false(paired(a, b)); /* another size */
    b = twin(a, 0, true);
    b.set = SET_PART;
    assert_false(paired(a, b)); /* the user said what it is */
    b = twin(a, 0, true);
    b.family = FAMILY_NORM;
    assert_false(paired(a, b)); /* another kind, whatever it holds */
    b = twin(a, 0, false);
    b.op = 2;
    assert_true(paired(a, b)); /* two names of products */
    b.value = figures(64);
    a.inputs = b.inputs = 1;
    a.in[0] = figures(64);
    b.in[0] = figures(32);
    assert_false(paired(a, b)); /* that take and give others */
    b.op = 1;
    assert_true(paired(a, b)); /* of one name they may: a fault */
}

/* Of some families one operator says little about another: exp is no log, unless the values say so. */
static void families_whose_operators_differ(void **state)
{
    static const enum family strict[] = {FAMILY_ELEMENTWISE, FAMILY_REDUCE,     FAMILY_ACTIVATION, FAMILY_VIEW,
                                         FAMILY_OTHER,       FAMILY_COLLECTIVE, FAMILY_ADD,        FAMILY_MUL};
    (void)state;
    for (size_t i = 0; i < sizeof strict / sizeof *strict; i++) {
        struct align_item a = one(0, strict[i], 1), b = twin(a, 0, false);
        assert_true(paired(a, b));
        b.op = 2;
        assert_false(paired(a, b));
        b.value = a.value;
        assert_true(paired(a, b));
    }
    assert_false(align_strict_family(FAMILY_LINEAR));
    assert_false(align_strict_family(FAMILY_NORM));
}

static void integers_need_figures(void **state)
{
    struct align_item a = one(0, FAMILY_LINEAR, 1), b = twin(a, 0, false);
    (void)state;
    b.whole = true;
    assert_false(paired(a, b));
    a.whole = true;
    assert_true(paired(a, b));
    a.whole = false;
    a.value = b.value = (struct fingerprint){3, -2, 5, 64, 7, 0};
    assert_true(paired(a, b));
    a.value.max = 3.004f; /* near, and no integer's */
    assert_false(paired(a, b));
    a.value = (struct fingerprint){2e-18f, 3e-22f, 5e-18f, 64, 7, 0};
    b.value = (struct fingerprint){0, 0, 0, 64, 7, 0};
    assert_false(paired(a, b));
}

/* Parts of one role are partners whatever computes them; two weights that cannot be one another are not. */
static void roles_of_weights(void **state)
{
    uint8_t query = role_find(str_of("q_proj")), key = role_find(str_of("k_proj"));
    struct align_item a = one(0, FAMILY_LINEAR, 1), b = twin(a, 0, true);
    (void)state;
    assert_true(role_conflict(query, key));
    a.role = query;
    assert_true(paired(a, b)); /* the other one's role is not known */
    b.role = query;
    assert_true(paired(a, b));
    b.role = key;
    assert_false(paired(a, b));
    b.role = query;
    b.family = FAMILY_NORM; /* two kinds, none of them a module */
    assert_false(paired(a, b));
}

/* Layers that are known to differ forbid what figures do not show. */
static void layers_are_kept(void **state)
{
    struct align_item a[3], b[2];
    (void)state;
    for (int i = 0; i < 3; i++) {
        a[i] = one((uint32_t)i, FAMILY_LINEAR, 1);
        a[i].layer = i;
        a[i].value.has = 0;
    }
    b[0] = twin(a[0], 0, false);
    b[1] = twin(a[2], 1, false);
    struct lists x;
    put(&x, a, 3, b, 2);
    align(&x);
    EXPECT(&x, 0, 0);
    EXPECT(&x, 1, NONE);
    EXPECT(&x, 2, 1);
    drop(&x);
    b[0].layer = -1; /* a layer that is not known forbids nothing */
    assert_true(paired(a[0], b[0]));
    b[0].layer = 5;
    assert_false(paired(a[0], b[0]));
}

static void rejected_pairs(void **state)
{
    struct align_item a[2] = {one(7, FAMILY_LINEAR, 1), one(8, FAMILY_LINEAR, 1)};
    struct align_item b[2] = {twin(a[0], 3, true), twin(a[1], 4, true)};
    struct lists x;
    (void)state;
    put(&x, a, 2, b, 2);
    nmap_set(&x.denied, decided_pairs_key(7, 3), 1);
    align(&x);
    EXPECT(&x, 0, NONE);
    EXPECT(&x, 1, 1);
    drop(&x);
}

/* What goes in speaks for a pair, too: the same results from other inputs are the worse partner. */
static void inputs_decide(void **state)
{
    struct align_item a = one(0, FAMILY_LINEAR, 1), b[2];
    a.inputs = 2;
    a.in[0] = figures(64);
    a.in[1] = figures(32);
    for (int i = 0; i < 2; i++)
        b[i] = twin(a, (uint32_t)i, true);
    b[0].in[0] = figures(64);
    struct lists x;
    (void)state;
    put(&x, &a, 1, b, 2);
    align(&x);
    EXPECT(&x, 0, 1);
    drop(&x);
    b[0].in[0] = a.in[1]; /* operands the other way round are the same operands */
    b[0].in[1] = a.in[0];
    b[1].in[1] = figures(16); /* another size */
    put(&x, &a, 1, b, 2);
    align(&x);
    EXPECT(&x, 0, 0);
    drop(&x);
}

/* A given pair stays, and nothing before it is paired with something behind it. */
static void given_pairs_divide(void **state)
{
    struct align_item a[3], b[3];
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        a[i] = one(i, FAMILY_LINEAR, 1);
    b[0] = twin(a[1], 0, true);
    b[1] = twin(a[2], 1, true);
    b[2] = twin(a[0], 2, true);
    a[1].set = b[0].set = SET_MATCH; /* the first golden call: nothing stands before it */
    a[1].match = 0;
    b[0].match = 1;
    struct lists x;
    put(&x, a, 3, b, 3);
    align(&x);
    EXPECT(&x, 0, NONE);
    EXPECT(&x, 1, 0);
    EXPECT(&x, 2, 1);
    drop(&x);
}

/* Of two equal values the one beside the other partners is meant. */
static void neighbours_decide_between_equals(void **state)
{
    struct align_item a[2] = {one(0, FAMILY_LINEAR, 1), one(1, FAMILY_LINEAR, 2)}, b[3];
    b[0] = twin(a[0], 0, true);
    b[1] = twin(a[1], 1, true);
    b[2] = twin(a[1], 2, true);
    struct lists x;
    (void)state;
    put(&x, a, 2, b, 3);
    align(&x);
    EXPECT(&x, 0, 0);
    EXPECT(&x, 1, 1);
    drop(&x);
    b[1] = one(1, FAMILY_NORM, 9); /* none stands between */
    put(&x, a, 2, b, 3);
    align(&x);
    EXPECT(&x, 1, 2);
    drop(&x);
}

/* Lists of thousands of calls, of which one side lacks a long run: everything else finds its partner. */
static void long_gaps(void **state)
{
    static const struct {
        size_t n, from, gap;
    } cases[] = {
        {300, 100, 90}, {1500, 0, 200}, {1500, 1300, 200}, {2500, 900, 255}, {4000, 1000, 1700}, {4000, 0, 2000},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int way = 0; way < 2; way++) {
            struct align_item *all = calloc(cases[k].n, sizeof *all), *less = calloc(cases[k].n, sizeof *less);
            size_t n = 0;
            for (size_t i = 0; i < cases[k].n; i++) {
                all[i] = one((uint32_t)i, FAMILY_LINEAR, 1 + (uint32_t)(i % 5));
                all[i].value.max = (float)(i + 1);
                all[i].value.norm = (float)(10000 + 3 * i);
                if (i < cases[k].from || i >= cases[k].from + cases[k].gap)
                    less[n++] = all[i];
            }
            struct lists x;
            put(&x, way ? less : all, way ? n : cases[k].n, way ? all : less, way ? cases[k].n : n);
            align(&x);
            for (size_t i = 0; i < cases[k].n; i++) {
                bool before = i < cases[k].from, gone = !before && i < cases[k].from + cases[k].gap;
                size_t there = before ? i : i - cases[k].gap;
                if (gone)
                    assert_int_equal((way ? x.g : x.t).v[i].match, NONE);
                else
                    expect(&x, way ? there : i, (uint32_t)(way ? i : there), (int)(1000 * k + i));
            }
            drop(&x);
            free(all);
            free(less);
        }
}

/* ---- what is left over and crosses ---- */

static void crossing_needs_the_same_values(void **state)
{
    struct align_item a[2] = {one(0, FAMILY_LINEAR, 1), one(1, FAMILY_LINEAR, 1)};
    struct align_item b[2] = {twin(a[1], 0, true), twin(a[0], 1, true)};
    struct lists x;
    (void)state;
    put(&x, a, 2, b, 2);
    cross(&x, false);
    EXPECT(&x, 0, 1);
    EXPECT(&x, 1, 0);
    drop(&x);
    b[0].value.has = b[1].value.has = 0; /* nothing is known of them: several are as likely */
    put(&x, a, 2, b, 2);
    cross(&x, false);
    EXPECT(&x, 0, NONE);
    EXPECT(&x, 1, NONE);
    drop(&x);
    b[0] = b[1] = twin(a[0], 0, true); /* two hold the value */
    put(&x, a, 1, b, 2);
    cross(&x, false);
    EXPECT(&x, 0, NONE);
    drop(&x);
    put(&x, a, 1, b, 2);
    cross(&x, true); /* launched in any order: the first */
    EXPECT(&x, 0, 0);
    drop(&x);
}

/* The one part of its name in a layer is the partner, whatever it holds. */
static void crossing_by_name(void **state)
{
    uint8_t query = role_find(str_of("q_proj"));
    struct align_item a = one(0, FAMILY_LINEAR, 1), b = twin(a, 0, true);
    struct lists x;
    (void)state;
    assert_true(role_has_weight(query));
    b.value = figures(64);
    a.role = b.role = query;
    a.layer = b.layer = 1;
    put(&x, &a, 1, &b, 1);
    cross(&x, false);
    EXPECT(&x, 0, 0);
    drop(&x);
    a.layer = b.layer = -1; /* of which layer is unknown */
    put(&x, &a, 1, &b, 1);
    cross(&x, false);
    EXPECT(&x, 0, NONE);
    drop(&x);
}

/* Partners are looked for near the place where the order would have them, among those that are free. */
static void crossing_reaches_so_far(void **state)
{
    enum { FAR = 300 };
    (void)state;
    for (int near = 0; near < 2; near++) {
        struct align_item a[2] = {one(0, FAMILY_NORM, 4), one(1, FAMILY_LINEAR, 1)}, *b = calloc(FAR + 1, sizeof *b);
        for (uint32_t i = 0; i <= FAR; i++)
            b[i] = one(i, FAMILY_SOFTMAX, 3);
        b[near ? FAR - 100 : 1] = twin(a[1], 0, true);
        b[FAR] = twin(a[0], FAR, true);
        a[0].match = FAR; /* what comes before the free one has its partner at the end */
        b[FAR].match = 0;
        struct lists x;
        put(&x, a, 2, b, FAR + 1);
        cross(&x, false);
        EXPECT(&x, 1, near ? FAR - 100 : NONE);
        EXPECT(&x, 0, FAR);
        drop(&x);
        free(b);
    }
}

/* ---- where values come from ---- */

static uint32_t with_figures(struct dump *d, uint32_t call, const char *slot, double max, double norm)
{
    uint32_t r = side_row(d, call, slot, "4,4");
    struct row *x = &d->rows.v[r];
    x->has |= HAS_MAX | HAS_MIN | HAS_NORM;
    x->stat[STAT_MAX] = max;
    x->stat[STAT_MIN] = 0;
    x->stat[STAT_NORM] = norm;
    return r;
}

/* The result of a call is a new value, unless its input has all of its figures or the call hands on what it gets. */
static void producers(void **state)
{
    static const struct {
        const char *call;
        double norm; /* of the input; of the result it is 7 */
        bool handed_on;
    } cases[] = {
        {"Functional.relu.0.forward", 5, false},
        {"Functional.relu.0.forward", 7, true},
        {"Tensor.view.0.forward", 5, true},
        {"Functional.relu.0.backward", 7, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dump d;
        side_start(&d, "pytorch");
        uint32_t c = side_call(&d, cases[i].call, NULL);
        d.calls.v[c].family = (uint8_t)family_find(align_item_operator(&d, c));
        with_figures(&d, c, "input.0", 1, cases[i].norm); /* of no recorded call */
        uint32_t out = with_figures(&d, c, "output.0", 1, 7);
        c = side_call(&d, "Functional.linear.0.forward", NULL);
        uint32_t reads = with_figures(&d, c, "input.0", 1, 7), lone = with_figures(&d, c, "input.1", 2, 7);
        side_end(&d);
        uint32_t *from = align_items_producers(&d);
        if (from[reads] != (cases[i].handed_on ? NONE : out))
            fail_msg("case %zu: made by row %d", i, (int)from[reads]);
        assert_int_equal(from[lone], NONE);
        free(from);
        dump_release(&d);
    }
}

/* A gather hands on neither its value, of another size, nor its index, which has as many elements as its result. */
static void an_index_is_not_handed_on(void **state)
{
    (void)state;
    struct dump d;
    side_start(&d, "mindspore");
    uint32_t picks = with_figures(&d, side_call(&d, "Tensor.topk.0.forward", NULL), "output.0", 2, 9);
    uint32_t gather = side_call(&d, "Tensor.gather.0.forward", NULL);
    d.calls.v[gather].family = FAMILY_VIEW;
    struct row *value = &d.rows.v[side_row(&d, gather, "input.0", "8,4")];
    value->has |= HAS_MAX | HAS_MIN;
    value->stat[STAT_MAX] = 5;
    value->stat[STAT_MIN] = 1;
    with_figures(&d, gather, "input.1", 2, 9);
    uint32_t out = with_figures(&d, gather, "output.0", 1, 7);
    uint32_t reads = with_figures(&d, side_call(&d, "Tensor.div.0.forward", NULL), "input.0", 1, 7);
    side_end(&d);
    uint32_t *from = align_items_producers(&d);
    assert_int_equal(from[reads], out);
    assert_int_equal(from[out - 1], picks);
    free(from);
    dump_release(&d);
}

/* A sum that grows in place keeps its extremes: its norm tells which call made what is read. A graph may have recorded
 * a cast of a value before the product that made it. */
static void producers_of_equal_extremes(void **state)
{
    (void)state;
    struct dump d;
    side_start(&d, "pytorch");
    with_figures(&d, side_call(&d, "Tensor.index_add_.0.forward", NULL), "output.0", 1, 7);
    uint32_t sum = with_figures(&d, side_call(&d, "Tensor.index_add_.1.forward", NULL), "output.0", 1, 8);
    uint32_t reads = with_figures(&d, side_call(&d, "Functional.relu.0.forward", NULL), "input.0", 1, 8);
    uint32_t cast = side_call(&d, "Tensor.to.0.forward", NULL);
    d.calls.v[cast].family = FAMILY_CAST;
    with_figures(&d, cast, "input.0", 2, 7);
    with_figures(&d, cast, "output.0", 2, 7);
    uint32_t linear = side_call(&d, "Functional.linear.0.forward", NULL);
    d.calls.v[linear].family = FAMILY_LINEAR;
    with_figures(&d, linear, "input.0", 3, 5);
    uint32_t product = with_figures(&d, linear, "output.0", 2, 7);
    uint32_t added = with_figures(&d, side_call(&d, "Tensor.__add__.0.forward", NULL), "input.0", 2, 7);
    side_end(&d);
    uint32_t *from = align_items_producers(&d);
    assert_int_equal(from[reads], sum);
    assert_int_equal(from[added], product);
    free(from);
    dump_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_pair_needs),
        cmocka_unit_test(families_whose_operators_differ),
        cmocka_unit_test(integers_need_figures),
        cmocka_unit_test(roles_of_weights),
        cmocka_unit_test(layers_are_kept),
        cmocka_unit_test(rejected_pairs),
        cmocka_unit_test(inputs_decide),
        cmocka_unit_test(given_pairs_divide),
        cmocka_unit_test(neighbours_decide_between_equals),
        cmocka_unit_test(long_gaps),
        cmocka_unit_test(crossing_needs_the_same_values),
        cmocka_unit_test(crossing_by_name),
        cmocka_unit_test(crossing_reaches_so_far),
        cmocka_unit_test(producers),
        cmocka_unit_test(an_index_is_not_handed_on),
        cmocka_unit_test(producers_of_equal_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
