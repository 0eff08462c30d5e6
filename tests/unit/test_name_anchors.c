/* One framework on both sides, a call more on one: module paths hold, counted names only where nothing contradicts
 * them, and forward calls made a second time inside the backward pass are set aside. */
#include "support.h"

#include "dump/call_stem.h"
#include "dump/family.h"
#include "dump/recomputed.h"
#include "pair/name_anchors.h"
#include "pair/pairing.h"

static void tensor(struct dump *d, uint32_t call, const char *slot, enum row_io io, int64_t numel, double value)
{
    struct row r = {.slot = dump_slot(d, str_of(slot)),
                    .extra = NONE,
                    .io = (uint8_t)io,
                    .kind = ROW_TENSOR,
                    .dtype = DTYPE_F32};
    r.shape = dump_shape(d, &numel, 1);
    r.has = HAS_MAX | HAS_MIN | HAS_NORM | HAS_SHAPE;
    r.stat[STAT_MAX] = value;
    r.stat[STAT_MIN] = -value / 3;
    r.stat[STAT_NORM] = value * 4;
    dump_add_row(d, call, r);
}

/* A call with an input and an output of 64 elements; values stand for figures. */
static uint32_t made(struct dump *d, const char *name, uint32_t parent, double in, double out)
{
    bool module = strncmp(name, "Module.", 7) == 0, backward = strstr(name, "backward") != NULL;
    uint32_t c =
        dump_add_call(d, str_of(name), module ? CALL_MODULE : CALL_API, backward ? PHASE_BACKWARD : PHASE_FORWARD);
    struct str op = str_of(strchr(name, '.') + 1);
    op.n = (size_t)(strchr(op.p, '.') - op.p);
    d->calls.v[c].family = (uint8_t)(module ? FAMILY_MODULE : family_find(op));
    d->calls.v[c].parent = parent;
    tensor(d, c, "input.0", IO_INPUT, 64, in);
    tensor(d, c, "output.0", IO_OUTPUT, 64, out);
    return c;
}

static void start(struct dump d[2])
{
    for (int s = 0; s < 2; s++) {
        dump_init(&d[s]);
        d[s].framework = "pytorch";
        d[s].level = "mix";
    }
}

/* Parents stand behind what was called in them; this sets them once they are there. */
static void stands_in(struct dump *d, uint32_t parent, uint32_t first)
{
    for (uint32_t c = first; c < parent; c++)
        if (d->calls.v[c].parent == NONE)
            d->calls.v[c].parent = parent;
}

/* The golden call that holds the partner of the target call's output, its pair in *pair. */
static uint32_t partner(const struct pairing *p, const struct dump d[2], uint32_t call, struct pair *pair)
{
    const struct line *l = &p->lines.v[p->line_of[TARGET][d[TARGET].calls.v[call].last_row]];
    *pair = l->pair == NONE ? (struct pair){0} : p->pairs.v[l->pair];
    return l->row[GOLDEN] == NONE ? NONE : d[GOLDEN].rows.v[l->row[GOLDEN]].call;
}

static void end(struct dump d[2], struct pairing *p)
{
    pairing_release(p);
    dump_release(&d[0]);
    dump_release(&d[1]);
}

static void stems(void **state)
{
    (void)state;
    assert_true(call_stem(STR("Functional.linear.3.forward")) == call_stem(STR("Functional.linear.12.forward")));
    assert_true(call_stem(STR("Functional.linear.3.forward")) != call_stem(STR("Functional.linear.3.backward")));
    assert_true(call_stem(STR("Module.layers.0.Linear.forward.1")) ==
                call_stem(STR("Module.layers.0.Linear.forward.0")));
    assert_true(call_stem(STR("Module.layers.0.Linear.forward.0")) !=
                call_stem(STR("Module.layers.1.Linear.forward.0")));
    assert_true(call_stem(STR("Functional_linear_3_forward")) == call_stem(STR("Functional_linear_4_forward")));
    assert_true(call_stem(STR("Functional_conv2d_3_forward")) != call_stem(STR("Functional_conv1d_3_forward")));
    assert_true(call_stem(STR("7")) != call_stem(STR("8")));
    assert_true(call_stem(STR("")) != 0);
}

/* Eager attention drops its probabilities, the fused kernel does not: the residual's dropout is number 1 here and 0
 * there. */
static void one_call_more(void **state)
{
    struct dump d[2];
    struct pairing p = {0};
    struct pairing_options o = {0};
    struct pair pair;
    uint32_t residual[2], backward[2];
    (void)state;
    start(d);
    for (int s = 0; s < 2; s++) {
        int n = 0;
        char name[100];
        uint32_t first = (uint32_t)d[s].calls.n;
        made(&d[s], "Functional.softmax.0.forward", NONE, 7, 8);
        if (s == GOLDEN)
            made(&d[s], "Functional.dropout.0.forward", NONE, 8, 9), n++;
        uint32_t attention = made(&d[s], "Module.layers.0.attn.Attention.forward.0", NONE, 1, 2);
        stands_in(&d[s], attention, first);
        snprintf(name, sizeof name, "Functional.dropout.%d.forward", n);
        /* the fault: it gets what the other side does not */
        residual[s] = made(&d[s], name, NONE, s ? 2 : 2.5, s ? 3 : 3.5);
        uint32_t layer = made(&d[s], "Module.layers.0.Layer.forward.0", NONE, 1, 4);
        stands_in(&d[s], layer, attention);
        snprintf(name, sizeof name, "Functional.dropout.%d.backward", n);
        backward[s] = made(&d[s], name, NONE, 0.1, 0.2);
        dump_link_twins(&d[s]);
    }
    pairing_build(&p, &d[0], &d[1], &o);
    assert_int_equal(partner(&p, d, residual[0], &pair), residual[1]);
    assert_int_equal(pair.why, WHY_PATH);
    assert_int_equal(pair.origin, ORIGIN_SEQUENCE);
    assert_true(pair.confidence > 0.9f);
    assert_int_equal(partner(&p, d, backward[0], &pair), backward[1]);
    assert_int_equal(pair.why, WHY_TWIN);
    assert_int_equal(partner(&p, d, 0, &pair), 0);
    assert_true(pair.origin == ORIGIN_NAME && pair.confidence >= 1);
    end(d, &p);
}

/* A module that one side calls once more: its calls meet in their order, if their sizes agree. */
static void a_module_called_once_more(void **state)
{
    (void)state;
    for (int other_size = 0; other_size < 2; other_size++) {
        struct dump d[2];
        struct pairing p = {0};
        struct pairing_options o = {0};
        struct pair pair;
        start(d);
        for (int s = 0; s < 2; s++) {
            made(&d[s], "Functional.relu.0.forward", NONE, 1, 2);
            made(&d[s], "Module.head.Head.forward.0", NONE, 2, 3);
            if (s == TARGET)
                made(&d[s], "Module.head.Head.forward.1", NONE, 2.5, 3.5);
            made(&d[s], s == TARGET ? "Functional.gelu.0.forward" : "Functional.silu.0.forward", NONE, 3, 4);
        }
        if (other_size)
            d[TARGET].rows.v[d[TARGET].calls.v[1].last_row].shape = dump_shape(&d[TARGET], (int64_t[]){8}, 1);
        pairing_build(&p, &d[0], &d[1], &o);
        uint32_t found = partner(&p, d, 1, &pair);
        assert_int_equal(found == 1 && pair.origin == ORIGIN_NAME, !other_size);
        end(d, &p);
    }
}

/* Data-parallel training wraps the model: its modules are the other side's, though no value of half a batch agrees. */
static void wrapped_modules(void **state)
{
    struct dump d[2];
    struct pairing p = {0};
    struct pairing_options o = {0};
    struct pair pair;
    uint32_t linear[2], layer[2];
    (void)state;
    start(d);
    for (int s = 0; s < 2; s++) {
        linear[s] = made(&d[s], "Functional.linear.0.forward", NONE, s ? 2 : 20, s ? 3 : 30);
        layer[s] = made(&d[s], s ? "Module.layers.0.Layer.forward.0" : "Module.module.layers.0.Layer.forward.0", NONE,
                        s ? 2 : 20, s ? 3 : 30);
        stands_in(&d[s], layer[s], 0);
        d[s].calls.v[layer[s]].scope = dump_scope(&d[s], s ? STR("layers.0") : STR("module.layers.0"));
        dump_link_twins(&d[s]);
    }
    pairing_build(&p, &d[0], &d[1], &o);
    assert_int_equal(partner(&p, d, layer[0], &pair), layer[1]);
    assert_int_equal(pair.why, WHY_PATH);
    assert_int_equal(partner(&p, d, linear[0], &pair), linear[1]);
    end(d, &p);
}

/* The same calls on both sides: a name is identity, whatever the values say. */
static void same_calls_keep_their_names(void **state)
{
    struct dump d[2];
    struct pairing p = {0};
    struct pairing_options o = {0};
    struct pair pair;
    (void)state;
    start(d);
    for (int s = 0; s < 2; s++) { /* the values of two calls exchanged */
        made(&d[s], "Functional.linear.0.forward", NONE, 1, s ? 2 : 3);
        made(&d[s], "Functional.linear.1.forward", NONE, 1, s ? 3 : 2);
    }
    assert_true(anchors_same_calls(&d[0], &d[1]));
    pairing_build(&p, &d[0], &d[1], &o);
    for (uint32_t c = 0; c < 2; c++) {
        assert_int_equal(partner(&p, d, c, &pair), c);
        assert_true(pair.origin == ORIGIN_NAME && pair.confidence >= 1);
    }
    end(d, &p);
}

/* As many of a name, and yet others: what they hold says so. */
static void values_contradict_names(void **state)
{
    struct dump d[2];
    struct pairing p = {0};
    struct pairing_options o = {0};
    struct pair pair;
    uint32_t right[2];
    (void)state;
    start(d);
    right[0] = made(&d[0], "Tensor.__mul__.0.forward", NONE, 2, 3);
    made(&d[0], "Functional.softmax.0.forward", NONE, 3, 5);
    made(&d[0], "Tensor.__mul__.1.forward", NONE, 5, 6);
    made(&d[1], "Tensor.__mul__.0.forward", NONE, 9, 10);
    made(&d[1], "Functional.relu.0.forward", NONE, 10, 2);
    right[1] = made(&d[1], "Tensor.__mul__.1.forward", NONE, 2, 3);
    made(&d[1], "Functional.softmax.0.forward", NONE, 3, 5);
    pairing_build(&p, &d[0], &d[1], &o);
    assert_int_equal(partner(&p, d, right[0], &pair), right[1]);
    assert_int_equal(partner(&p, d, right[0] + 1, &pair), right[1] + 1);
    end(d, &p);
}

/* Another class at one path is the same place in the model; a person's word outweighs it. */
static void path_outweighs_class(void **state)
{
    struct dump d[2];
    struct pairing p = {0};
    struct pairing_options o = {0};
    struct pair pair;
    uint32_t act[2];
    (void)state;
    start(d);
    for (int s = 0; s < 2; s++) {
        made(&d[s], "Module.mlp.up.Linear.forward.0", NONE, 1, 2);
        act[s] = made(&d[s], s ? "Module.mlp.act.SiLU.forward.0" : "Module.mlp.act.ReLU.forward.0", NONE, 2, s ? 3 : 4);
        d[s].calls.v[act[s]].scope = dump_scope(&d[s], STR("mlp.act"));
    }
    pairing_build(&p, &d[0], &d[1], &o);
    assert_int_equal(partner(&p, d, act[0], &pair), act[1]);
    end(d, &p);
}

/* A layer computed again before its gradients: by the module its calls stand in, by their inputs, and by what they are
 * given where only their stacks tell. */
static void computed_again(void **state)
{
    struct dump d[2];
    struct pairing p = {0};
    struct pairing_options o = {0};
    struct pair pair;
    uint32_t linear[2], again = NONE, gradient[2] = {NONE, NONE};
    (void)state;
    start(d);
    for (int s = 0; s < 2; s++) {
        linear[s] = made(&d[s], "Functional.linear.0.forward", NONE, 1, 2);
        stands_in(&d[s], made(&d[s], "Module.layer.Linear.forward.0", NONE, 1, 2), linear[s]);
        made(&d[s], "Tensor.add.0.forward", NONE, 2, 3);
        uint32_t back = made(&d[s], "Module.layer.Linear.backward.0", NONE, 5, 6);
        if (s == TARGET) {
            uint32_t frame = dump_frame(&d[s], STR("File checkpoint.py, line 9, in recompute_fn, \n fn()"));
            again = made(&d[s], "Functional.linear.1.forward", NONE, 1, 2);
            uint32_t module = made(&d[s], "Module.layer.Linear.forward.1", back, 1, 2);
            d[s].calls.v[again].parent = module;
            uint32_t add = made(&d[s], "Tensor.add.1.forward", NONE, 2, 3);
            d[s].calls.v[add].stack = 0;
            struct stack stack = {.first = 0, .n = 1};
            vec_push(&d[s].stack_frames, frame);
            vec_push(&d[s].stacks, stack);
            uint32_t other = made(&d[s], "Tensor.add.2.forward", back, 20, 30); /* the backward pass's own arithmetic */
            gradient[s] = made(&d[s], "Functional.linear.1.backward", NONE, 5, 6); /* reentrant: of the second time */
            dump_link_twins(&d[s]);
            dump_link_recomputed(&d[s]);
            assert_int_equal(d[s].calls.v[again].recomputes, linear[s]);
            assert_int_equal(d[s].calls.v[module].recomputes, linear[s] + 1);
            assert_int_equal(d[s].calls.v[add].recomputes, linear[s] + 2);
            assert_int_equal(d[s].calls.v[other].recomputes, NONE);
            assert_int_equal(dump_first_forward(&d[s], gradient[s]), linear[s]);
        } else {
            gradient[s] = made(&d[s], "Functional.linear.0.backward", NONE, 5, 6);
            dump_link_twins(&d[s]);
            dump_link_recomputed(&d[s]);
            for (uint32_t c = 0; c < d[s].calls.n; c++)
                assert_int_equal(d[s].calls.v[c].recomputes, NONE);
        }
    }
    pairing_build(&p, &d[0], &d[1], &o);
    assert_int_equal(partner(&p, d, linear[0], &pair), linear[1]);
    assert_int_equal(partner(&p, d, again, &pair), NONE);
    assert_int_equal(partner(&p, d, gradient[0], &pair), gradient[1]);
    end(d, &p);
}

/* Both sides compute it again, and one has a call more: second times meet second times. */
static void computed_again_on_both_sides(void **state)
{
    struct dump d[2];
    struct pairing p = {0};
    struct pairing_options o = {0};
    struct pair pair;
    uint32_t again[2];
    (void)state;
    start(d);
    for (int s = 0; s < 2; s++) {
        if (s)
            made(&d[s], "Functional.relu.0.forward", NONE, 12, 13);
        made(&d[s], "Module.layer.Linear.forward.0", NONE, 1, 2);
        uint32_t back = made(&d[s], "Module.layer.Linear.backward.0", NONE, 5, 6);
        again[s] = made(&d[s], "Module.layer.Linear.forward.1", back, 1, 2);
        dump_link_twins(&d[s]);
        dump_link_recomputed(&d[s]);
        assert_int_not_equal(d[s].calls.v[again[s]].recomputes, NONE);
    }
    pairing_build(&p, &d[0], &d[1], &o);
    assert_int_equal(partner(&p, d, again[0], &pair), again[1]);
    end(d, &p);
}

/* A module that is called for each kind of layer, in the order of a set: each call is what returned the same, and so is
 * what was called in it. If a value is nowhere on the other side, names hold. */
static void another_order(void **state)
{
    for (int fault = 0; fault < 2; fault++) {
        struct dump d[2];
        struct pairing p = {0};
        struct pairing_options o = {0};
        struct pair pair;
        uint32_t inner[2][2], module[2][2];
        (void)state;
        start(d);
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 2; k++) {
                char name[100];
                double value = 5 + (s ? k : 1 - k) + (fault && s == 0 && k == 0 ? 0.5 : 0);
                snprintf(name, sizeof name, "Tensor.cos.%d.forward", k);
                inner[s][k] = made(&d[s], name, NONE, 2 * value, value);
                snprintf(name, sizeof name, "Module.rotary.Rotary.forward.%d", k);
                module[s][k] = made(&d[s], name, NONE, 1, value);
                stands_in(&d[s], module[s][k], inner[s][k]);
            }
        pairing_build(&p, &d[0], &d[1], &o);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(partner(&p, d, module[0][k], &pair), module[1][fault ? k : 1 - k]);
            assert_int_equal(partner(&p, d, inner[0][k], &pair), inner[1][fault ? k : 1 - k]);
        }
        end(d, &p);
    }
}

/* One product for queries, keys and values on one side: it is none of the other side's three, though it has the name
 * and the place of the first. */
static void fused_on_one_side(void **state)
{
    struct dump d[2];
    struct decided_pairs ruled = {0};
    anchor_list found = {0};
    uint32_t first = NONE, norm[2];
    (void)state;
    start(d);
    for (int s = 0; s < 2; s++) {
        uint32_t begin = (uint32_t)d[s].calls.n;
        int products = 0;
        for (int k = 0; k < (s ? 3 : 1); k++) {
            static const char *const parts[] = {"q", "k", "v"};
            char name[100];
            snprintf(name, sizeof name, "Functional.linear.%d.forward", products++);
            uint32_t c = dump_add_call(&d[s], str_of(name), CALL_API, PHASE_FORWARD);
            d[s].calls.v[c].family = FAMILY_LINEAR;
            d[s].calls.v[c].parent = NONE;
            tensor(&d[s], c, "input.0", IO_INPUT, 64, 1);
            tensor(&d[s], c, "output.0", IO_OUTPUT, s ? 64 : 192, 2 + k + (s ? 0 : 0.5));
            snprintf(name, sizeof name, "Module.attn.%s_proj.Linear.forward.0", s ? parts[k] : "qkv");
            uint32_t m = made(&d[s], name, NONE, 1, 2 + k + (s ? 0 : 0.5));
            stands_in(&d[s], m, c);
            first = s ? first : c;
            if (!k)
                norm[s] = made(&d[s], "Module.attn.q_norm.Norm.forward.0", NONE, 2, 3);
        }
        uint32_t attention = made(&d[s], "Module.attn.Attention.forward.0", NONE, 1, 7);
        stands_in(&d[s], attention, begin);
    }
    anchors_find(&d[0], &d[1], &ruled, &found);
    bool has_norm = false;
    for (size_t i = 0; i < found.n; i++) {
        has_norm = has_norm || (found.v[i].t == norm[0] && found.v[i].g == norm[1]);
        assert_int_not_equal(found.v[i].t, first);
    }
    assert_true(has_norm);
    vec_release(&found);
    dump_release(&d[0]);
    dump_release(&d[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stems),
        cmocka_unit_test(one_call_more),
        cmocka_unit_test(a_module_called_once_more),
        cmocka_unit_test(wrapped_modules),
        cmocka_unit_test(same_calls_keep_their_names),
        cmocka_unit_test(values_contradict_names),
        cmocka_unit_test(path_outweighs_class),
        cmocka_unit_test(computed_again),
        cmocka_unit_test(computed_again_on_both_sides),
        cmocka_unit_test(another_order),
        cmocka_unit_test(fused_on_one_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
