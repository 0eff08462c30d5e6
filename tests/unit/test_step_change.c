/* What a step made of weights: those that should have changed and did not, and frozen ones that did. */
#include <math.h>
#include <string.h>

#include "fmt/find_recordings.h"
#include "ranks/rank_set.h"
#include "ranks/step_change.h"
#include "support.h"

/* Weights of five layers and a head: scale 0: as in the first step; gradient 0: none. */
struct weight_at {
    double scale, gradient;
    bool frozen;
};
#define WEIGHTS 6

static void put_tensor(struct buf *b, double scale, bool wanted)
{
    buf_fmt(b,
            "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4,4],\"Max\":%.17g,\"Min\":%.17g,"
            "\"Mean\":%.17g,\"Norm\":%.17g,\"requires_grad\":%s}",
            2 * scale, -scale, 0.25 * scale, 4 * scale, wanted ? "true" : "false");
}

static void put_step(const char *dir, int step, const struct weight_at *w)
{
    struct buf b = {0};
    char name[64];
    buf_cstr(&b,
             "{\"task\":\"statistics\",\"level\":\"L0\",\"framework\":\"pytorch\",\"dump_data_dir\":null,\"data\":{");
    for (int i = 0; i < WEIGHTS; i++) {
        snprintf(name, sizeof name, i < WEIGHTS - 1 ? "Module.layers.%d.norm.RMSNorm" : "Module.head.Linear", i);
        buf_fmt(&b,
                "%s\"%s.forward.0\":{\"input_args\":[],\"input_kwargs\":{},\"output\":[],\"parameters\":{\"weight\":",
                i ? "," : "", name);
        put_tensor(&b, 1 + (step ? w[i].scale : 0), !w[i].frozen);
        buf_cstr(&b, "}}");
        if (w[i].gradient == 0)
            continue;
        buf_fmt(&b, ",\"%s.parameters_grad.0\":{\"weight\":[", name);
        put_tensor(&b, w[i].gradient, false);
        buf_cstr(&b, "]}");
    }
    buf_cstr(&b, "}}\n");
    snprintf(name, sizeof name, "step%d/rank0/dump.json", step);
    put_text(dir, name, b.p);
    snprintf(name, sizeof name, "step%d/rank0/stack.json", step);
    put_text(dir, name, "{}\n");
    snprintf(name, sizeof name, "step%d/rank0/construct.json", step);
    put_text(dir, name, "{}\n");
    buf_release(&b);
}

struct two_steps {
    place_list places;
    struct rank_set set[2];
    step_change_list found;
};

static void make(struct two_steps *x, const struct weight_at *w)
{
    const char *dir = scratch();
    struct err e;
    *x = (struct two_steps){.found = {0}};
    for (int s = 0; s < 2; s++)
        put_step(dir, s, w);
    assert_int_equal(find_recordings(dir, &x->places, &e), 0);
    for (int s = 0; s < 2; s++)
        assert_int_equal(rank_set_load(&x->set[s], dir, &x->places, s, 1, &e), 0);
    step_changes_find(&x->set[0].ranks.v[0]->dump, &x->set[1].ranks.v[0]->dump, &x->found);
}

static void drop(struct two_steps *x)
{
    vec_release(&x->found);
    for (int s = 0; s < 2; s++)
        rank_set_release(&x->set[s]);
    place_list_release(&x->places);
}

static const char *name_at(const struct two_steps *x, size_t i, struct buf *out)
{
    dump_row_name(&x->set[1].ranks.v[0]->dump, x->found.v[i].row, out);
    return out->p;
}

#define ALL_CHANGED {{.1, 1, false}, {.2, 1, false}, {.3, 1, false}, {.4, 1, false}, {.5, 1, false}, {.6, 1, false}}

static void an_ordinary_step_is_silent(void **state)
{
    (void)state;
    struct two_steps x;
    struct weight_at w[WEIGHTS] = ALL_CHANGED;
    make(&x, w);
    assert_int_equal(x.found.n, 0);
    drop(&x);
    for (int i = 0; i < WEIGHTS; i++) /* a learning rate of 0 */
        w[i].scale = 0;
    make(&x, w);
    assert_int_equal(x.found.n, 0);
    drop(&x);
}

static void a_weight_that_stands_still_alone_is_found(void **state)
{
    (void)state;
    struct two_steps x;
    struct buf name = {0};
    struct weight_at w[WEIGHTS] = ALL_CHANGED;
    w[2].scale = 0;
    make(&x, w);
    assert_int_equal(x.found.n, 1);
    assert_false(x.found.v[0].changed);
    assert_int_equal(x.found.v[0].of, 4);
    assert_non_null(strstr(name_at(&x, 0, &name), "layers.2.norm"));
    drop(&x);
    w[2].gradient = 0; /* nothing was to change it */
    make(&x, w);
    assert_int_equal(x.found.n, 0);
    drop(&x);
    w[2].gradient = 1;
    w[3].scale = 0; /* its likes stand still too: perhaps the step is smaller than their rounding */
    make(&x, w);
    assert_int_equal(x.found.n, 0);
    drop(&x);
    buf_release(&name);
}

static void a_frozen_weight_that_changes_is_found(void **state)
{
    (void)state;
    struct two_steps x;
    struct buf name = {0};
    struct weight_at w[WEIGHTS] = ALL_CHANGED;
    w[5] = (struct weight_at){.1, 0, true};
    make(&x, w);
    assert_int_equal(x.found.n, 1);
    assert_true(x.found.v[0].changed);
    assert_non_null(strstr(name_at(&x, 0, &name), "head"));
    drop(&x);
    w[5].scale = 0;
    make(&x, w);
    assert_int_equal(x.found.n, 0);
    drop(&x);
    buf_release(&name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ordinary_step_is_silent),
        cmocka_unit_test(a_weight_that_stands_still_alone_is_found),
        cmocka_unit_test(a_frozen_weight_that_changes_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
