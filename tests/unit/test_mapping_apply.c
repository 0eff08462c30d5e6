/* What mapping files mean: which rows they pair, by small dumps of msprobe's names and by what
 * msprobe made of the same files. */
#include "support.h"

#include "base/io.h"
#include "pair/mapping_file.h"
#include "fmt/msprobe.h"
#include "sessions.h"

/* "call slot slot|call slot": msprobe's names. */
static void side(struct dump *d, const char *text)
{
    struct str rest = str_of(text), call, slot;
    dump_init(d);
    d->joint = '.';
    while (rest.n) {
        str_split(rest, '|', &call, &rest);
        str_split(call, ' ', &slot, &call);
        uint32_t c = msprobe_add_call(d, slot, 0);
        while (call.n) {
            str_split(call, ' ', &slot, &call);
            struct row r = {.slot = dump_slot(d, slot), .shape = NONE, .extra = NONE, .io = IO_OUTPUT};
            r.io = str_starts(slot, "input") ? IO_INPUT : str_starts(slot, "parameters") ? IO_PARAMETER : IO_OUTPUT;
            dump_add_row(d, c, r);
        }
    }
    dump_link_twins(d);
    d->complete = true;
}

static void load(struct mapping *m, const char *text)
{
    struct err e;
    if (mapping_load(m, put_text(scratch(), "map", text), &e))
        fail_msg("%s", e.text);
}

static void expect_of(struct dump *t, struct dump *g, const char *file, enum mapping_kind kind, const char *want,
                      size_t missing)
{
    struct mapping m;
    struct mapping_applied x;
    struct buf out = {0}, name = {0};
    load(&m, file);
    assert_int_equal(m.kind, kind);
    mapping_apply(&x, &m, t, g);
    buf_cstr(&out, "");
    for (size_t i = 0; i < x.pairs.n; i++) {
        buf_cstr(&out, i ? " " : "");
        dump_row_name(t, x.pairs.v[i].t, &name);
        buf_str(&out, buf_view(&name));
        buf_char(&out, '=');
        if (x.pairs.v[i].g == NONE)
            continue;
        dump_row_name(g, x.pairs.v[i].g, &name);
        buf_str(&out, buf_view(&name));
    }
    assert_string_equal(out.p, want);
    assert_int_equal(x.missing, missing);
    buf_release(&out);
    buf_release(&name);
    mapping_applied_release(&x);
    mapping_release(&m);
}

static void expect(const char *target, const char *golden, const char *file, enum mapping_kind kind, const char *want,
                   size_t missing)
{
    struct dump t, g;
    side(&t, target);
    side(&g, golden);
    expect_of(&t, &g, file, kind, want, missing);
    dump_release(&t);
    dump_release(&g);
}

static void names(void **state)
{
    struct str a, b;
    (void)state;
    assert_true(mapping_apply_cell(STR("Cell.net.fc.Dense.forward.0"), &a, &b));
    assert_true(str_is(a, "net.fc.Dense") && str_is(b, "forward.0"));
    assert_true(mapping_apply_cell(STR("Module.a.B.parameters_grad"), &a, &b));
    assert_true(str_is(a, "a.B") && str_is(b, "parameters_grad"));
    assert_false(mapping_apply_cell(STR("Cell.forwarded.x"), &a, &b));
    assert_false(mapping_apply_cell(STR("Cell"), &a, &b));
    assert_true(mapping_apply_api(STR("Primitive.mul2.Mul.0.forward"), &a, &b));
    assert_true(str_is(a, "Primitive.mul2") && str_is(b, "Mul.0.forward"));
    assert_false(mapping_apply_api(STR("Functional.mul"), &a, &b));
}

static void cells(void **state)
{
    (void)state;
    /* the whole name before parts of it, parts in the file's order, each once */
    expect("Cell.a.a.X.forward.0 input.0 output.0|Cell.b.X.backward.0 "
           "output.0|Cell.whole.X.forward.0 output.0",
           "Module.c.a.Y.forward.0 output.0|Module.b.Y.backward.0 output.0|Module.else.Z.forward.0 "
           "output.0",
           "whole.X: else.Z\na: c\nX: Y\n", MAPPING_CELL,
           "Cell.a.a.X.forward.0.output.0=Module.c.a.Y.forward.0.output.0 "
           "Cell.b.X.backward.0.output.0=Module.b.Y.backward.0.output.0 "
           "Cell.whole.X.forward.0.output.0=Module.else.Z.forward.0.output.0",
           0);
    /* the call's number counts; what the file is silent about keeps its name */
    expect("Cell.a.X.forward.1 output.0|Cell.b.X.forward.0 output.0|Functional.a.0.forward output.0",
           "Module.c.X.forward.0 output.0|Module.b.X.forward.0 output.0|Functional.c.0.forward "
           "output.0",
           "a: c\n", MAPPING_CELL, "Cell.b.X.forward.0.output.0=Module.b.X.forward.0.output.0", 1);
    /* no partner by name either */
    expect("Cell.a.X.forward.0 output.0", "Module.a.X.forward.0 output.0", "a.X: N/A\n", MAPPING_CELL, "", 1);
    /* one entry's words are the next one's */
    expect("Cell.a.X.forward.0 output.0", "Module.z.X.forward.0 output.0", "a.X: b.X\nunlike: x\nb: z\n", MAPPING_CELL,
           "", 1);
    expect("Cell.n.a.X.forward.0 output.0", "Module.n.z.X.forward.0 output.0", "n.a: n.b\nunlike: x\nb: z\n",
           MAPPING_CELL, "Cell.n.a.X.forward.0.output.0=Module.n.z.X.forward.0.output.0", 0);
}

static void operators(void **state)
{
    static const char t[] = "Functional.mul.0.forward input.0 input.1 output.0|Functional.mul.1.forward "
                            "input.0|Functional.mul.0.backward input.0",
                      g[] = "Tensor.mul.0.forward input.0 input.1 output.0|Tensor.mul.0.backward input.0";
    (void)state;
    expect(t, g,
           "- ms_api: Functional.mul\n  pt_api: Tensor.mul\n  ms_args: [0, 1]\n  pt_args: [1, 0]\n "
           " ms_output: [0]\n  pt_output: [0]\n",
           MAPPING_API,
           "Functional.mul.0.forward.input.0=Tensor.mul.0.forward.input.1 "
           "Functional.mul.0.forward.input.1=Tensor.mul.0.forward.input.0 "
           "Functional.mul.0.forward.output.0=Tensor.mul.0.forward.output.0",
           2);
    /* the documents' spelling, one operator without a list */
    expect(t, g, "ms_api: Functional.mul\npt_api: Tensor.mul\nms_outputs: [0]\npt_outputs: 0\n", MAPPING_API,
           "Functional.mul.0.forward.output.0=Tensor.mul.0.forward.output.0", 0);
    /* an operator that the golden side does not have says nothing; of the others the last */
    expect(t, g,
           "- {ms_api: Functional.mul, pt_api: Tensor.mul, ms_args: [0], pt_args: [0]}\n"
           "- {ms_api: Functional.mul, pt_api: Tensor.mul, ms_output: [0], pt_output: [0]}\n"
           "- {ms_api: Functional.mul, pt_api: Torch.mul, ms_args: [0], pt_args: [0]}\n",
           MAPPING_API, "Functional.mul.0.forward.output.0=Tensor.mul.0.forward.output.0", 1);
}

static void layers(void **state)
{
    static const char t[] = "Cell.net.layers.0.attn.Attn.forward.0 input.0 "
                            "output.0|Cell.net.layers.0.Layer.forward.0 output.0|"
                            "Cell.net.layers.0.Layer.forward.1 "
                            "output.0|Cell.net.layers.0.attn.Attn.parameters_grad.0 weight|"
                            "Cell.net.layers.0.Layer.backward.0 output.0|Cell.head.H.forward.0 "
                            "output.0|Functional.mul.0.forward output.0",
                      g[] = "Module.m.h.0.self.S.forward.0 output.0|Module.m.h.0.Block.forward.0 output.0|"
                            "Module.m.h.0.Block.forward.1 output.0|Module.m.h.0.self.S.parameters_grad.0 weight|"
                            "Module.m.h.0.Block.backward.0 output.0|Tensor.mul.3.forward output.0";
    static const char want[] =
        "Cell.net.layers.0.attn.Attn.forward.0.output.0=Module.m.h.0.self.S.forward.0.output.0 "
        "Cell.net.layers.0.Layer.forward.0.output.0=Module.m.h.0.Block.forward.0.output.0 "
        "Cell.net.layers.0.Layer.forward.1.output.0=Module.m.h.0.Block.forward.1.output.0 "
        "Cell.net.layers.0.attn.Attn.parameters_grad.0.weight=Module.m.h.0.self.S.parameters_grad."
        "0.weight "
        "Cell.net.layers.0.Layer.backward.0.output.0=Module.m.h.0.Block.backward.0.output.0 "
        "Functional.mul.0.forward.output.0=Tensor.mul.3.forward.output.0";
    (void)state;
    expect(t, g,
           "TopLayer:\n  net.layers: m.h\n  net: wrong\n  head: gone\nLayer:\n  attn: self (a "
           "remark)\n",
           MAPPING_LAYER, want, 1);
    expect(t, g, "Cell:\n  net.layers: m.h\nLayer:\n  attn: self\nOther:\n", MAPPING_LAYER, want, 0);
}

/* One side counts a stage's layers from 0, the other through the model. */
static void stages(void **state)
{
    (void)state;
    expect("Cell.t.ParallelTransformer.forward.0 output.0|Cell.t.layers.4.L.forward.0 "
           "output.0|Cell.t.layers.5.L.forward.0 output.0",
           "Module.t.ParallelTransformer.forward.0 output.0|Module.t.layers.0.L.forward.0 "
           "output.0|Module.t.layers.1.L.forward.0 output.0",
           "TopLayer: {none: none}\n", MAPPING_LAYER,
           "Cell.t.ParallelTransformer.forward.0.output.0=Module.t.ParallelTransformer.forward.0."
           "output.0 "
           "Cell.t.layers.4.L.forward.0.output.0=Module.t.layers.0.L.forward.0.output.0 "
           "Cell.t.layers.5.L.forward.0.output.0=Module.t.layers.1.L.forward.0.output.0",
           0);
}

/* Without modules nothing stands anywhere. */
static void no_layers(void **state)
{
    (void)state;
    expect("Functional.mul.0.forward output.0", "Torch.mul.0.forward output.0", "TopLayer: {a: b}\n", MAPPING_LAYER, "",
           0);
}

/* Operators below the module that called them, in their order there. */
static void operators_of_layers(void **state)
{
    struct dump t, g;
    (void)state;
    side(&t, "Functional.mul.0.forward output.0|Functional.mul.1.forward "
             "output.0|Cell.a.X.forward.0 output.0|Functional.mul.1.backward output.0");
    side(&g, "Torch.mul.0.forward output.0|Torch.mul.1.forward output.0|Module.b.X.forward.0 "
             "output.0|Torch.mul.0.backward output.0");
    t.calls.v[1].parent = 2;
    g.calls.v[0].parent = 2;
    expect_of(&t, &g, "TopLayer:\n  a: b\n", MAPPING_LAYER,
              "Functional.mul.0.forward.output.0=Torch.mul.1.forward.output.0 "
              "Functional.mul.1.forward.output.0=Torch.mul.0.forward.output.0 "
              "Cell.a.X.forward.0.output.0=Module.b.X.forward.0.output.0 "
              "Functional.mul.1.backward.output.0=Torch.mul.0.backward.output.0",
              0);
    dump_release(&t);
    dump_release(&g);
}

/* Inputs beside inputs, outputs beside outputs, in their order; a file may list a pair from both
 * sides. */
static void matches(void **state)
{
    (void)state;
    expect("Cell.a.X.forward.0 input.0 input.1 output.0|Functional.f.0.forward output.0",
           "Module.b.Y.forward.0 input.x output.1 output.2|Torch.f.0.forward output.0",
           "{\"Cell.a.X.forward.0\":\"Module.b.Y.forward.0\",\"Torch.f.0.forward\":\"Functional.f."
           "0.forward\",\"gone\":\"gone\"}",
           MAPPING_MATCHES,
           "Cell.a.X.forward.0.input.0=Module.b.Y.forward.0.input.x "
           "Cell.a.X.forward.0.output.0=Module.b.Y.forward.0.output.1 "
           "Functional.f.0.forward.output.0=Torch.f.0.forward.output.0",
           1);
}

static void rows_with_views(void **state)
{
    struct dump t, g;
    struct mapping m;
    struct pairing p = {0};
    struct pairing_options o = {.maps = &m, .map_count = 1, .map_only = true};
    struct buf text = {0};
    (void)state;
    side(&t, "Functional.a.0.forward output.0 output.1");
    side(&g, "Torch.b.0.forward output.0");
    load(&m, "{\"pairs\":[{\"target\":\"Functional.a.0.forward.output.0\",\"golden\":\"Torch.b.0."
             "forward.output.0\",\"view\":\"golden transpose\"},"
             "{\"target\":\"Functional.a.0.forward.output.1\",\"golden\":null}]}");
    assert_int_equal(m.kind, MAPPING_PAIRS);
    pairing_build(&p, &t, &g, &o);
    assert_int_equal(p.pairs.n, 1);
    assert_int_not_equal(p.pairs.v[0].view, NONE);
    view_write(&p.views.v[p.pairs.v[0].view], &text);
    assert_string_equal(text.p, "golden transpose");
    buf_release(&text);
    pairing_release(&p);
    mapping_release(&m);
    dump_release(&t);
    dump_release(&g);
}

/* ---- against msprobe ---- */

static struct str text_of(const char *path, struct buf *out)
{
    struct err e;
    buf_clear(out);
    if (file_slurp(path, 1 << 20, out, &e))
        fail_msg("%s", e.text);
    return buf_view(out);
}

/* Pairs of the file's own subject that msprobe made must be ours. Where it goes wrong
 * (doc/formats.md) or speaks of what the file does not list, it is not followed. */
static void as_msprobe(const char *file, const char *subject, size_t shared, size_t ours_alone)
{
    char path[100], made[100];
    struct mapping m;
    struct mapping_applied x;
    struct err e;
    struct buf text = {0}, name = {0};
    struct map own = {0};
    struct arena a = {0};
    struct session *s = open_paths(sample("clean_mix_stat/ms"), sample("clean_mix_stat/torch"));
    const struct dump *t = &s->now->side[TARGET].dump, *g = &s->now->side[GOLDEN].dump;
    snprintf(path, sizeof path, "mappings/%s.yaml", file);
    snprintf(made, sizeof made, "mappings/%s.tsv", file);
    assert_int_equal(mapping_load(&m, sample(path), &e), 0);
    mapping_apply(&x, &m, t, g);
    for (size_t i = 0; i < x.pairs.n; i++) {
        struct buf pair = {0};
        dump_row_name(t, x.pairs.v[i].t, &name);
        buf_str(&pair, buf_view(&name));
        buf_char(&pair, '\t');
        dump_row_name(g, x.pairs.v[i].g, &name);
        buf_str(&pair, buf_view(&name));
        assert_int_equal(map_add(&own, arena_str(&a, buf_view(&pair)), (uint32_t)i), i);
        buf_release(&pair);
    }
    size_t same = 0;
    for (struct str rest = text_of(sample(made), &text), l; rest.n;) {
        str_split(rest, '\n', &l, &rest);
        bool numbered_anew = str_has(l, ".backward.") && !str_starts(l, "Cell.");
        if (map_get(&own, l) != MAP_NONE)
            same++;
        else if (!numbered_anew && str_starts(l, subject))
            fail_msg("%s: not made: %.*s", file, STR_ARG(l));
    }
    assert_int_equal(same, shared);
    assert_int_equal(x.pairs.n - same, ours_alone);
    map_release(&own);
    arena_release(&a);
    buf_release(&text);
    buf_release(&name);
    mapping_applied_release(&x);
    mapping_release(&m);
    shut(s);
}

static void pairs_of_msprobe(void **state)
{
    (void)state;
    as_msprobe("cell_mapping", "Cell.", 121, 0);
    as_msprobe("layer_mapping", "", 143, 38); /* 28 backward calls of operators, 10 gradients of parameters */
    as_msprobe("api_mapping", "Functional.mul", 46, 34); /* 28 backward calls, 6 pairs of unequal types */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(cells),
        cmocka_unit_test(operators),
        cmocka_unit_test(layers),
        cmocka_unit_test(stages),
        cmocka_unit_test(no_layers),
        cmocka_unit_test(operators_of_layers),
        cmocka_unit_test(matches),
        cmocka_unit_test(rows_with_views),
        cmocka_unit_test(pairs_of_msprobe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
