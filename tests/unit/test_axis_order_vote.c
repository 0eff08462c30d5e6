/* An axis order that one pair cannot show is that of the same value in other layers. */
#include "draws.h"
#include "opened.h"
#include "tensors.h"

#include "pair/axis_order_vote.h"

enum { A = 2, B = 3, C = 4, N = A * B * C, MOST = 16 };

static uint64_t seed = 9;

/* How the target's values lie beside the golden ones, [A,B,C]. */
enum lie { AS_THEY_ARE, SWAPPED, OTHERS };

static void values(float *t, float *g, enum lie how)
{
    for (int i = 0; i < N; i++)
        t[i] = g[i] = (float)draw_share(&seed);
    for (int a = 0; a < A && how == SWAPPED; a++)
        for (int b = 0; b < B; b++)
            memcpy(t + (b * A + a) * C, g + (a * B + b) * C, C * sizeof *t);
    for (int i = 0; i < N && how == OTHERS; i++)
        t[i] = (float)draw_share(&seed);
}

struct pairs {
    struct opened side[2];
    struct pairing p;
};

/* A pair for each entry, of operator ops[i] where given. */
static void begin(struct pairs *x, const enum lie *how, const char *const *ops, int n, const char *sizes)
{
    struct tensor_dump d[2];
    float v[2][N];
    tensors_begin_of(&d[TARGET], scratch(), "mindspore");
    tensors_begin_of(&d[GOLDEN], scratch(), "mindspore");
    for (int i = 0; i < n; i++) {
        char name[80];
        snprintf(name, sizeof name, "Functional.%s.%d.forward", ops ? ops[i] : "softmax", i);
        values(v[TARGET], v[GOLDEN], how[i]);
        tensors_add(&d[TARGET], name, sizes, v[TARGET], N);
        tensors_add(&d[GOLDEN], name, "2,3,4", v[GOLDEN], N);
    }
    memset(&x->p, 0, sizeof x->p);
    for (int s = 0; s < 2; s++) {
        tensors_end(&d[s]);
        assert_int_equal(open_as(&x->side[s], d[s].dir, "msprobe"), 0);
        assert_int_equal(x->side[s].d.rows.n, n);
    }
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        vec_push(&x->p.pairs, ((struct pair){.view = NONE, .group = NONE}));
        vec_push(&x->p.lines, ((struct line){{i, i}, i}));
    }
    axis_order_vote_find(&x->p, &x->side[TARGET].d, &x->side[GOLDEN].d);
}

/* The view of a pair, as text; "-": none. */
static const char *view_of(const struct pairs *x, uint32_t i)
{
    static struct buf text;
    uint32_t v = x->p.pairs.v[i].view;
    buf_clear(&text);
    if (v == NONE)
        return "-";
    view_write(&x->p.views.v[v], &text);
    return text.p;
}

static void end(struct pairs *x)
{
    for (int s = 0; s < 2; s++)
        shut_opened(&x->side[s]);
    vec_release(&x->p.pairs);
    vec_release(&x->p.lines);
    vec_release(&x->p.views);
}

static bool is_swapped(const struct pairs *x, uint32_t i)
{
    return strstr(view_of(x, i), "permute 1,0,2") != NULL;
}

static void a_faulty_layer_follows_the_others(void **state)
{
    static const enum lie how[] = {OTHERS, SWAPPED, SWAPPED, OTHERS};
    struct pairs x;
    (void)state;
    begin(&x, how, NULL, 4, "3,2,4");
    for (uint32_t i = 0; i < 4; i++)
        if (!is_swapped(&x, i))
            fail_msg("pair %u: %s", i, view_of(&x, i));
    end(&x);
}

static void most_votes_win(void **state)
{
    static const enum lie mostly[] = {AS_THEY_ARE, SWAPPED, SWAPPED}, hardly[] = {SWAPPED, AS_THEY_ARE, AS_THEY_ARE},
                          equally[] = {SWAPPED, AS_THEY_ARE};
    struct pairs x;
    (void)state;
    begin(&x, mostly, NULL, 3, "6,4");
    assert_true(is_swapped(&x, 0));
    end(&x);
    begin(&x, hardly, NULL, 3, "6,4"); /* elements are compared as they are stored */
    assert_string_equal(view_of(&x, 0), "-");
    end(&x);
    begin(&x, equally, NULL, 2, "6,4"); /* the first layer's holds */
    assert_true(is_swapped(&x, 0) && is_swapped(&x, 1));
    end(&x);
}

/* Six pairs are asked, spread over all layers. */
static void the_last_layers_are_asked_too(void **state)
{
    enum lie how[MOST];
    struct pairs x;
    (void)state;
    for (int i = 0; i < MOST; i++)
        how[i] = i < 4 ? OTHERS : SWAPPED;
    begin(&x, how, NULL, MOST, "3,2,4");
    for (uint32_t i = 0; i < MOST; i++)
        assert_true(is_swapped(&x, i));
    end(&x);
}

static void other_operators_with_these_shapes(void **state)
{
    static const enum lie how[] = {OTHERS, SWAPPED, SWAPPED}, apart[] = {OTHERS, SWAPPED, AS_THEY_ARE};
    static const char *const ops[] = {"softmax", "matmul", "layer_norm"};
    struct pairs x;
    (void)state;
    begin(&x, how, ops, 3, "6,4");
    assert_true(is_swapped(&x, 0));
    end(&x);
    begin(&x, apart, ops, 3, "6,4"); /* they do not agree: nothing is known of the first */
    assert_string_equal(view_of(&x, 0), "-");
    assert_true(is_swapped(&x, 1));
    assert_string_equal(view_of(&x, 2), "-");
    end(&x);
}

/* An axis of size 1 has no boundary: it keeps no order from fitting. */
static void an_axis_of_one_in_front(void **state)
{
    static const enum lie how[] = {SWAPPED};
    static const char *const sizes[] = {"1,24", "24", "1,6,1,4"};
    struct pairs x;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        begin(&x, how, NULL, 1, sizes[i]);
        assert_true(is_swapped(&x, 0));
        end(&x);
    }
}

static void what_is_not_asked(void **state)
{
    static const enum lie how[] = {SWAPPED, SWAPPED};
    struct pairs x;
    (void)state;
    begin(&x, how, NULL, 2, "2,3,4"); /* equal shapes */
    assert_string_equal(view_of(&x, 0), "-");
    end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_faulty_layer_follows_the_others),
        cmocka_unit_test(most_votes_win),
        cmocka_unit_test(the_last_layers_are_asked_too),
        cmocka_unit_test(other_operators_with_these_shapes),
        cmocka_unit_test(an_axis_of_one_in_front),
        cmocka_unit_test(what_is_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
