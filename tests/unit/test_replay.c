/* Replay scripts: what is written for known, unknown and backward calls, and that names from dumps are text in them and
 * nothing else. Where a Python is there it has to take them. */
#include "opened.h"
#include "sessions.h"

#include "base/file_write.h"
#include "base/io.h"
#include "report/replay_script.h"

static const char *numbered(void *ctx, int side, uint32_t row, struct arena *a)
{
    const struct session *s = ctx;
    struct tensor t;
    struct err quiet;
    if (dump_tensor(&s->now->side[side].dump, row, &t, &quiet))
        return NULL;
    tensor_close(&t);
    return arena_fmt(a, "%c/%u.npy", side ? 'g' : 't', row);
}

static uint32_t line_of(const struct session *s, const char *name)
{
    return s->now->pairing->line_of[0][row_named(&s->now->side[0].dump, name)];
}

/* What stands behind the part that is the same in all of them; it is compiled where there is a Python. */
static const char *script(const struct session *s, const char *row, enum replay_framework f, bool known, struct buf *b)
{
    struct replay_options o = {.framework = f, .file = numbered, .ctx = (void *)s};
    char path[300], command[400];
    struct err e;
    buf_clear(b);
    assert_int_equal(replay_script(s->now, line_of(s, row), &o, b), known);
    snprintf(path, sizeof path, "%s/r.py", scratch());
    assert_int_equal(file_replace(path, buf_view(b), &e), 0);
    if (system("command -v python3 >/dev/null 2>&1") == 0) {
        snprintf(command, sizeof command, "python3 -m py_compile %s", path);
        assert_int_equal(system(command), 0);
    }
    const char *own = strstr(b->p, "\ndef call_");
    assert_non_null(own);
    return own;
}

static void forward(void **state)
{
    struct session *s = open_paths(sample("tt_rope/target"), sample("tt_rope/bench"));
    struct buf b = {0};
    (void)state;
    assert_string_equal(script(s, "Torch.outer.0.forward.input.1", REPLAY_TORCH, true, &b),
                        "\ndef call_target(arg, args, kwargs):\n    import torch\n    return "
                        "api(\"torch.outer\")(*args, **kwargs)\n\n"
                        "\ndef call_golden(arg, args, kwargs):\n    import torch\n    return "
                        "api(\"torch.outer\")(*args, **kwargs)\n\n"
                        "\nmain([\n"
                        "    {\n        \"which\": \"target\",\n        \"name\": \"Torch.outer.0.forward\",\n        "
                        "\"call\": call_target,\n"
                        "        \"inputs\": [\n            (\"input.0\", Recorded(\"t/15.npy\", \"float32\")),\n      "
                        "      (\"input.1\", Recorded(\"t/16.npy\", \"float32\")),\n        ],\n"
                        "        \"outputs\": [\n            (\"output.0\", Recorded(\"t/17.npy\", \"float32\")),\n    "
                        "    ],\n    },\n"
                        "    {\n        \"which\": \"golden\",\n        \"name\": \"Torch.outer.0.forward\",\n        "
                        "\"call\": call_golden,\n"
                        "        \"inputs\": [\n            (\"input.0\", Recorded(\"g/15.npy\", \"float32\")),\n      "
                        "      (\"input.1\", Recorded(\"g/16.npy\", \"float32\")),\n        ],\n"
                        "        \"outputs\": [\n            (\"output.0\", Recorded(\"g/17.npy\", \"float32\")),\n    "
                        "    ],\n    },\n])\n");
    assert_non_null(strstr(script(s, "Torch.outer.0.forward.input.1", REPLAY_MINDSPORE, true, &b),
                           "return mindspore.mint.outer(arg(0, \"input\"), arg(1, \"vec2\"))"));
    assert_non_null(strstr(b.p, "FRAMEWORK = \"mindspore\"\n"));
    /* a module is no operator: its call is left open, and said to be */
    const char *own =
        script(s, "Module.module.rotary_pos_emb.RotaryEmbedding.forward.0.output.0", REPLAY_TORCH, false, &b);
    assert_non_null(strstr(own, ">>> FILL IN"));
    assert_non_null(strstr(own, "return not_filled_in(\"Module.module.rotary_pos_emb.RotaryEmbedding.forward.0\")"));
    assert_null(strstr(own, "api("));
    shut(s);
    buf_release(&b);
}

static void across_frameworks(void **state)
{
    struct session *s = open_paths(sample("llama_rope/ms"), sample("llama_rope/torch"));
    struct buf b = {0};
    (void)state;
    const char *own = script(s, "Functional.mul.0.forward.input.1", REPLAY_TORCH, true, &b);
    assert_non_null(strstr(own,
                           "def call_target(arg, args, kwargs):\n    return arg(0, \"input\") * arg(1, \"other\")\n"));
    assert_non_null(strstr(own, "return api(\"torch.Tensor.__mul__\")(*args, **kwargs)"));
    own = script(s, "Functional.mul.0.forward.input.1", REPLAY_MINDSPORE, true, &b);
    assert_non_null(strstr(own, "return api(\"mindspore.ops.mul\")(*args, **kwargs)"));
    /* whether a MatMul transposes is not recorded: the other side alone is called */
    own = script(s, "Primitive.matmul.MatMul.0.forward.input.0", REPLAY_TORCH, true, &b);
    assert_null(strstr(own, "def call_target"));
    assert_non_null(strstr(own, "\"call\": None"));
    assert_non_null(strstr(own, "api(\"torch.nn.functional.linear\")"));
    own = script(s, "Primitive.matmul.MatMul.0.forward.input.0", REPLAY_MINDSPORE, true, &b);
    assert_non_null(strstr(own, "mindspore.mint.nn.functional.linear("));
    shut(s);
    buf_release(&b);
}

static void backward(void **state)
{
    struct session *s = open_paths(sample("tt_backward/target"), sample("tt_backward/bench"));
    struct buf b = {0};
    (void)state;
    const char *own = script(s, "Functional.silu.0.backward.output.0", REPLAY_TORCH, true, &b);
    const char *gradients = strstr(own, "\"gradients\": [\n            (\"input.0\", Recorded(");
    assert_non_null(gradients);
    assert_non_null(strstr(own, "api(\"torch.nn.functional.silu\")"));
    char forward_file[100];
    snprintf(forward_file, sizeof forward_file, "\"inputs\": [\n            (\"input.0\", Recorded(\"t/%u.npy\"",
             row_named(&s->now->side[0].dump, "Functional.silu.0.forward.input.0"));
    assert_true(strstr(own, forward_file) && strstr(own, forward_file) < gradients);
    shut(s);
    buf_release(&b);
}

/* ---- hostile names ---- */

#define EVIL "\\\"); import os; os.system('x') #"
#define TENSOR \
    "{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\", \"shape\": [2], \"Max\": 1, \"Min\": 0, \"Mean\": 0, " \
    "\"Norm\": 1, \"requires_grad\": false}"

static void dump(const char *dir)
{
    put_text(dir, "step0/rank0/dump.json",
             "{\"task\": \"statistics\", \"level\": \"L1\", \"framework\": \"pytorch\", \"dump_data_dir\": null, "
             "\"data\": {"
             "\"Functional.a" EVIL "\\n.0.forward\": {\"input_args\": [" TENSOR
             "], \"input_kwargs\": {}, \"output\": [" TENSOR "]},"
             "\"Functional" EVIL ".silu.0.forward\": {\"input_args\": [" TENSOR
             "], \"input_kwargs\": {}, \"output\": [" TENSOR "]},"
             "\"Functional.silu.0.forward\": {\"input_args\": [" TENSOR ", {\"type\": \"str\", \"value\": \"" EVIL
             "\\r\\u2028\"}, {\"type\": \"int\", \"value\": 7}, "
             "{\"type\": \"float\", \"value\": 0.5}, {\"type\": \"bool\", \"value\": true}, null], "
             "\"input_kwargs\": {\"k" EVIL "\": {\"type\": \"slice\", \"value\": \"" EVIL
             "\"}, \"dtype\": {\"type\": \"torch.dtype\", \"value\": \"torch.float16\"}}, "
             "\"output\": [" TENSOR "]}}}");
    put_text(dir, "step0/rank0/stack.json", "{}");
    put_text(dir, "step0/rank0/construct.json", "{}");
}

static void hostile(void **state)
{
    char side[2][300];
    struct buf b = {0};
    (void)state;
    for (int d = 0; d < 2; d++) {
        snprintf(side[d], sizeof side[d], "%s", scratch());
        dump(side[d]);
    }
    struct session *s = open_paths(side[0], side[1]);
    for (uint32_t r = 0; r < s->now->side[0].dump.rows.n; r++) {
        struct buf name = {0};
        dump_row_name(&s->now->side[0].dump, r, &name);
        bool known = strncmp(name.p, "Functional.silu.0", 17) == 0;
        for (const char *p = script(s, name.p, REPLAY_TORCH, known, &b); (p = strstr(p, "import os;")); p++)
            assert_memory_equal(p - 5, "\\\"); ", 5); /* within the quotes */
        assert_null(strchr(b.p, '\r'));
        buf_release(&name);
    }
    const char *own = script(s, "Functional.silu.0.forward.input.0", REPLAY_TORCH, true, &b);
    assert_non_null(strstr(own, "(\"input.0\", Missing(\"input.0: its tensor is not at hand\"))"));
    assert_non_null(strstr(own, "(\"input.1\", \"\\\"); import os; os.system('x') #\\x0d\\U00002028\")"));
    assert_non_null(strstr(own, "(\"input.2\", 7)"));
    assert_non_null(strstr(own, "(\"input.3\", 0.5)"));
    assert_non_null(strstr(own, "(\"input.4\", True)"));
    assert_non_null(strstr(own, "(\"input.5\", None)"));
    assert_non_null(strstr(own, "(\"input.dtype\", Named(\"float16\"))"));
    assert_non_null(strstr(own, "only its text was recorded"));
    shut(s);
    buf_release(&b);
}

/* A recorded torch.load of a file in the dump would run what is in it: no script names it. */
static void only_safe_names_are_called(void **state)
{
    static const char *const bad[] = {"Torch.load",           "Torch.from_file", "Torch.compile",
                                      "Torch.save",           "Tensor.apply_",   "Tensor.map_",
                                      "Tensor.__reduce_ex__", "Functional.load", "Torch.os"};
    char dir[300], text[900], row[100];
    struct buf b = {0};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        snprintf(dir, sizeof dir, "%s", scratch());
        snprintf(text, sizeof text,
                 "{\"task\": \"statistics\", \"level\": \"L1\", \"framework\": \"pytorch\", \"data\": "
                 "{\"%s.0.forward\": {\"input_args\": ["
                 "{\"type\": \"str\", \"value\": \"evil.pt\"}], \"input_kwargs\": {}, \"output\": [" TENSOR "]}}}",
                 bad[i]);
        put_text(dir, "step0/rank0/dump.json", text);
        struct session *s = open_paths(dir, dir);
        snprintf(row, sizeof row, "%s.0.forward.output.0", bad[i]);
        const char *own = script(s, row, REPLAY_TORCH, false, &b);
        if (strstr(own, "api(") || !strstr(own, ">>> FILL IN"))
            fail_msg("%s: %s", bad[i], own);
        shut(s);
    }
    buf_release(&b);
}

static void names(void **state)
{
    (void)state;
    assert_int_equal(replay_framework_find("torch"), REPLAY_TORCH);
    assert_int_equal(replay_framework_find("mindspore"), REPLAY_MINDSPORE);
    assert_int_equal(replay_framework_find("jax"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forward),
                                       cmocka_unit_test(across_frameworks),
                                       cmocka_unit_test(backward),
                                       cmocka_unit_test(hostile),
                                       cmocka_unit_test(only_safe_names_are_called),
                                       cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
