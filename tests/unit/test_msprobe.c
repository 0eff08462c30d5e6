/* msprobe dumps: the samples read as an independent count of their JSON says, and damage costs only
 * what it hits. */
#include "opened.h"

#include <math.h>
#include <unistd.h>

#include "base/file_write.h"
#include "dump/family.h"

/* ---- opening ---- */

static int open_path(struct opened *o, const char *path)
{
    return open_as(o, path, "msprobe");
}

/* A dump of these members of "data", with the two files beside it. */
static const char *dump_of(const char *data)
{
    const char *dir = scratch();
    struct buf b = {0};
    buf_fmt(&b, "{\"task\":\"statistics\",\"level\":\"L1\",\"framework\":\"pytorch\",\"dump_data_dir\":null,"
                "\"data\":{%s}}", data);
    put_text(dir, "dump.json", b.p);
    put_text(dir, "stack.json", "{}");
    put_text(dir, "construct.json", "{}");
    buf_release(&b);
    return dir;
}

/* ---- the samples ---- */

static const struct {
    const char *path, *task, *level, *framework;
    uint32_t calls, rows, tensors, absent, stacks;
} samples[] = {
    {"clean_md5/ms/step0", "md5", "L1", "mindspore", 301, 887, 692, 11, 53},
    {"clean_md5/torch/step1", "md5", "L1", "pytorch", 156, 430, 378, 17, 27},
    {"clean_mix_stat/ms/step1", "statistics", "mix", "mindspore", 390, 1115, 902, 29, 66},
    {"clean_mix_stat/torch/step0", "statistics", "mix", "pytorch", 230, 610, 544, 30, 44},
    {"llama_rope/ms", "tensor", "mix", "mindspore", 390, 1115, 902, 29, 66},
    {"overflow_stat/torch", "statistics", "mix", "pytorch", 230, 610, 544, 30, 44},
    {"procdir/ms", "statistics", "L0", "mindspore", 89, 228, 210, 18, 13},
    {"recompute/torch", "tensor", "L1", "pytorch", 192, 534, 468, 17, 46},
    {"noise_tf32_stat/bench", "statistics", "L1", "pytorch", 428, 1178, 1038, 49, 27},
    {"tt_bf16/target", "tensor", "mix", "pytorch", 230, 610, 544, 30, 44},
    {"tt_dropout/target", "tensor", "L1", "pytorch", 157, 433, 380, 18, 27},
    {"tt_rope/bench", "tensor", "mix", "pytorch", 230, 610, 544, 30, 44},
};

static void counts_of_the_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct opened o;
        assert_int_equal(open_path(&o, sample(samples[i].path)), 0);
        const struct dump *d = &o.d;
        uint32_t tensors = 0, absent = 0;
        for (uint32_t r = 0; r < d->rows.n; r++) {
            tensors += d->rows.v[r].kind == ROW_TENSOR;
            absent += d->rows.v[r].kind == ROW_NULL;
        }
        assert_string_equal(d->task, samples[i].task);
        assert_string_equal(d->level, samples[i].level);
        assert_string_equal(d->framework, samples[i].framework);
        assert_int_equal(d->calls.n, samples[i].calls);
        assert_int_equal(d->rows.n, samples[i].rows);
        assert_int_equal(tensors, samples[i].tensors);
        assert_int_equal(absent, samples[i].absent);
        assert_int_equal(d->stacks.n, samples[i].stacks);
        assert_int_equal(d->problems.n, 0);
        assert_true(d->bytes > 0 && d->bytes_done <= d->bytes);
        shut_opened(&o);
    }
}

/* Every row is found by its own name and stands in its call's list, in order. */
static void names_lead_back_to_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct opened o;
        struct buf name = {0};
        uint32_t seen = 0;
        assert_int_equal(open_path(&o, sample(samples[i].path)), 0);
        for (uint32_t r = 0; r < o.d.rows.n; r++) {
            dump_row_name(&o.d, r, &name);
            assert_int_equal(dump_find_row(&o.d, buf_view(&name)), r);
        }
        for (uint32_t c = 0; c < o.d.calls.n; c++) {
            uint32_t before = 0, n = 0;
            EACH_ROW(&o.d, c, r) {
                assert_true(n == 0 || r > before);
                assert_int_equal(o.d.rows.v[r].call, c);
                before = r;
                n++;
            }
            assert_int_equal(n, o.d.calls.v[c].rows);
            seen += n;
        }
        assert_int_equal(seen, o.d.rows.n);
        buf_release(&name);
        shut_opened(&o);
    }
}

static void values_of_rows(void **state)
{
    struct opened o;
    struct buf shape = {0};
    (void)state;
    assert_int_equal(open_path(&o, sample("tt_rope/target/step0/rank0/dump.json")), 0);
    const struct dump *d = &o.d;
    assert_int_equal(row_named(d, "Functional.embedding.0.forward.input.0"), 0); /* the first */
    const struct row *r = &d->rows.v[0];
    assert_int_equal(r->dtype, DTYPE_I64);
    assert_int_equal(r->has, HAS_MAX | HAS_MIN | HAS_SHAPE | HAS_FILE); /* no mean of integers */
    assert_true(r->stat[STAT_MAX] == 29 && r->stat[STAT_MIN] == 1);
    shape_text(dump_row_shape(d, 0), &shape);
    assert_string_equal(shape.p, "[2,8]");
    r = &d->rows.v[row_named(d, "Functional.embedding.0.forward.input.1")];
    assert_true(r->stat[STAT_NORM] == 23.204105377197266 && r->stat[STAT_MEAN] == 0.06089498847723007);
    assert_int_equal(r->io, IO_INPUT);
    r = &d->rows.v[row_named(d, "Functional.dropout.0.forward.input.1")];
    assert_true(r->kind == ROW_FLOAT && r->stat[STAT_MAX] == 0 && strcmp(r->text, "0") == 0);
    r = &d->rows.v[row_named(d, "Functional.dropout.0.forward.input.2")];
    assert_true(r->kind == ROW_BOOL && r->stat[STAT_MAX] == 1 && strcmp(r->text, "true") == 0);
    r = &d->rows.v[row_named(d, "Tensor.mean.0.forward.input.keepdim")];
    assert_int_equal(r->kind, ROW_BOOL);
    r = &d->rows.v[row_named(d, "Tensor.mean.0.forward.input.1")];
    assert_true(r->kind == ROW_INT && r->stat[STAT_MAX] == -1);
    r = &d->rows.v[row_named(d, "Module.module.output_layer.ColumnParallelLinear.parameters_grad.0"
                                ".weight")];
    assert_int_equal(r->io, IO_GRADIENT);
    assert_true(d->calls.v[r->call].gradient && d->calls.v[r->call].phase == PHASE_BACKWARD);
    uint32_t p = row_named(d, "Module.module.embedding.word_embeddings.VocabParallelEmbedding.forward.0"
                              ".parameters.weight");
    assert_int_equal(d->rows.v[p].io, IO_PARAMETER);
    buf_release(&shape);
    shut_opened(&o);
}

static void non_finite_values(void **state)
{
    struct opened o;
    (void)state;
    assert_int_equal(open_path(&o, sample("tt_nan_mask/target")), 0);
    const struct row *r = &o.d.rows.v[row_named(&o.d, "Tensor.__mul__.18.forward.input.1")];
    assert_true(r->kind == ROW_FLOAT && r->stat[STAT_MAX] == -INFINITY && strcmp(r->text, "-Inf") == 0);
    r = &o.d.rows.v[row_named(&o.d, "Tensor.__mul__.18.forward.output.0")];
    assert_true((r->has & HAS_NORM) && isnan(r->stat[STAT_MAX]) && isnan(r->stat[STAT_NORM]));
    shut_opened(&o);
    assert_int_equal(open_path(&o, sample("overflow_stat/ms")), 0);
    r = &o.d.rows.v[row_named(&o.d, "Primitive.gather.Gather.0.forward.input.0")];
    assert_true(r->dtype == DTYPE_F16 && r->stat[STAT_NORM] == INFINITY && r->stat[STAT_MAX] == 52512);
    shut_opened(&o);
}

static void checksums(void **state)
{
    struct opened o;
    (void)state;
    assert_int_equal(open_path(&o, sample("clean_md5/torch")), 0);
    assert_true(o.d.checksums);
    const struct row *r = &o.d.rows.v[0];
    assert_true(r->has & HAS_CHECKSUM);
    assert_string_equal(r->text, "b1238c6f");
    shut_opened(&o);
}

static void twins_and_parents(void **state)
{
    struct opened o;
    uint32_t twins = 0;
    (void)state;
    assert_int_equal(open_path(&o, sample("tt_rope/target")), 0);
    const struct dump *d = &o.d;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call *x = &d->calls.v[c];
        if (x->twin == NONE)
            continue;
        twins++;
        assert_int_equal(d->calls.v[x->twin].twin, c);
        assert_true(x->phase != d->calls.v[x->twin].phase);
        assert_int_equal(x->family, d->calls.v[x->twin].family);
        assert_false(x->gradient);
    }
    assert_true(twins > 150);
    uint32_t f = map_get(&d->call_names, STR("Functional.linear.0.forward"));
    uint32_t b = map_get(&d->call_names, STR("Functional.linear.0.backward"));
    assert_int_equal(d->calls.v[f].twin, b);
    assert_int_equal(d->calls.v[f].family, FAMILY_LINEAR);
    const char *const parent[] = {
        "Module.module.decoder.layers.0.self_attention.linear_qkv.ColumnParallelLinear.forward.0",
        "Module.module.decoder.layers.0.self_attention.linear_qkv.ColumnParallelLinear.backward.0",
    };
    assert_string_equal(d->calls.v[d->calls.v[f].parent].name, parent[0]);
    assert_string_equal(d->calls.v[d->calls.v[b].parent].name, parent[1]);
    assert_int_equal(d->calls.v[d->calls.v[f].parent].twin, d->calls.v[b].parent); /* a module's twin */
    assert_string_equal(d->scopes.v[d->calls.v[f].scope], "module.decoder.layers.0.self_attention.linear_qkv");
    assert_int_equal(d->calls.v[d->calls.v[f].parent].kind, CALL_MODULE);
    shut_opened(&o);
}

static void stacks(void **state)
{
    struct opened o;
    (void)state;
    assert_int_equal(open_path(&o, sample("tt_rope/target")), 0);
    const struct dump *d = &o.d;
    uint32_t c = map_get(&d->call_names, STR("Functional.embedding.0.forward"));
    assert_true(d->calls.v[c].stack != NONE);
    const struct stack *s = &d->stacks.v[d->calls.v[c].stack];
    assert_int_equal(s->n, 17);
    const struct frame *f = &d->frames.v[d->stack_frames.v[s->first]];
    assert_string_equal(f->file, "/workspace/llama/gen_torch.py");
    assert_int_equal(f->line, 89);
    assert_string_equal(f->func, "forward");
    assert_string_equal(f->code, "return F.embedding(ids, self.weight)");
    uint32_t b = map_get(&d->call_names, STR("Functional.embedding.0.backward"));
    assert_int_equal(d->calls.v[b].stack, NONE); /* its twin's is shown */
    for (size_t i = 0; i < d->frames.n; i++)
        assert_true(d->frames.v[i].line > 0);
    shut_opened(&o);
}

/* Every tensor named in a dump opens, and is what the record says. */
static void tensors_of(const char *path, bool widened)
{
    struct opened o;
    uint32_t opened = 0;
    assert_int_equal(open_path(&o, sample(path)), 0);
    for (uint32_t r = 0; r < o.d.rows.n; r++) {
        struct tensor t;
        struct err e;
        const struct row *x = &o.d.rows.v[r];
        if (!(x->has & HAS_FILE))
            continue;
        if (dump_tensor(&o.d, r, &t, &e))
            fail_msg("%s", e.text);
        assert_int_equal(t.numel, dump_row_numel(&o.d, r));
        assert_int_equal(t.ndim, dump_row_shape(&o.d, r)->ndim);
        assert_true(t.dtype == x->dtype || (widened && t.dtype == DTYPE_F32));
        tensor_close(&t);
        opened++;
    }
    assert_true(opened > 300);
    shut_opened(&o);
}

static void tensors_open(void **state)
{
    (void)state;
    tensors_of("tt_rope/target", false);
    tensors_of("tt_bf16/bench", false);
    tensors_of("llama_rope/ms", true);
}

/* ---- made-up dumps ---- */

#define TENSOR(dtype, shape)                                                                       \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"" dtype "\",\"shape\":" shape                              \
    ",\"Max\":1,\"Min\":0,\"Mean\":0.5,\"Norm\":2}"

static void nested_values(void **state)
{
    struct opened o;
    (void)state;
    static const char data[] =
        "\"Torch.cat.0.forward\":{\"input_args\":[[" TENSOR("torch.float32", "[2]")
        ",{\"k\":" TENSOR("torch.int8", "[]") "}],null],\"input_kwargs\":{"
        "\"dim\":{\"type\":\"int\",\"value\":9007199254740993},\"name\":{\"type\":\"str\",\"value\":\"a\"},"
        "\"cut\":{\"type\":\"slice\",\"value\":[0,null,2]},"
        "\"t\":{\"type\":\"torch.dtype\",\"value\":\"torch.bfloat16\"}},"
        "\"output\":[" TENSOR("torch.float99", "[0,3]") "]}";
    assert_int_equal(open_path(&o, dump_of(data)), 0);
    const struct dump *d = &o.d;
    assert_int_equal(d->rows.n, 8);
    assert_int_equal(row_named(d, "Torch.cat.0.forward.input.0.0"), 0);
    uint32_t r = row_named(d, "Torch.cat.0.forward.input.0.1.k");
    assert_true(d->rows.v[r].dtype == DTYPE_I8 && dump_row_shape(d, r)->ndim == 0 && dump_row_numel(d, r) == 1);
    assert_int_equal(d->rows.v[row_named(d, "Torch.cat.0.forward.input.1")].kind, ROW_NULL);
    assert_int_equal(d->rows.v[row_named(d, "Torch.cat.0.forward.input.dim")].kind, ROW_INT);
    assert_string_equal(d->rows.v[row_named(d, "Torch.cat.0.forward.input.name")].text, "a");
    r = row_named(d, "Torch.cat.0.forward.input.cut");
    assert_true(d->rows.v[r].kind == ROW_OTHER && strcmp(d->rows.v[r].text, "[0,null,2]") == 0);
    r = row_named(d, "Torch.cat.0.forward.input.t");
    assert_true(d->rows.v[r].kind == ROW_DTYPE && d->rows.v[r].dtype == DTYPE_BF16);
    r = row_named(d, "Torch.cat.0.forward.output.0");
    assert_true(d->rows.v[r].dtype == DTYPE_UNKNOWN && dump_row_numel(d, r) == 0);
    shut_opened(&o);
}

static void odd_shapes(void **state)
{
    static const char *const shapes[] = {
        "[-1]", "[\"2\"]", "\"[2]\"", "[1e30]", "[2147483648,2147483648,2147483648]",
        "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "null",
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct opened o;
        struct buf b = {0};
        buf_fmt(&b, "\"F.x.0.forward\":{\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\","
                    "\"shape\":%s,\"Max\":1}]}", shapes[i]);
        assert_int_equal(open_path(&o, dump_of(b.p)), 0);
        assert_int_equal(o.d.rows.n, 1);
        if (strcmp(shapes[i], "\"[2]\"") != 0 && strcmp(shapes[i], "null") != 0)
            assert_null(dump_row_shape(&o.d, 0)); /* unknown, not wrong */
        assert_true(o.d.rows.v[0].has & HAS_MAX);
        buf_release(&b);
        shut_opened(&o);
    }
}

/* Types msprobe does not write are said, each with its file, place and call; a figure of null is none of them. */
static void odd_types_are_said(void **state)
{
    static const struct {
        const char *record, *says;
    } odd[] = {
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":5,\"shape\":[2]}]", "\"dtype\": expected an element type, found a number"},
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":\"x\"}]", "\"shape\": expected a list of numbers, found \"x\""},
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[\"2\"]}]", "\"shape\": expected a list of numbers, found a list"},
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"Max\":\"x\"}]", "\"Max\": expected a number, found \"x\""},
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"Norm\":{}}]", "\"Norm\": expected a number, found an object"},
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"md5\":[1]}]", "\"md5\": expected a checksum, found a list"},
        {"\"output\":[{\"type\":\"int\",\"value\":[1]}]", "\"value\": expected a number, found a list"},
        {"\"input_args\":7,\"output\":[null]", "\"input_args\": expected a list, found a number"},
        {"\"output\":\"x\"", "\"output\": expected a list, found \"x\""},
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.bool\",\"shape\":[],\"Max\":null,\"Min\":NaN,\"Mean\":true,\"md5\":null}]", NULL},
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"flaot32\",\"shape\":[2]}]", "\"dtype\": expected an element type, found \"flaot32\""},
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":null,\"shape\":[2]}]", "\"dtype\": expected an element type, found null"},
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":null}]", "\"shape\": expected a list of numbers, found null"},
        {"\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2],\"Max\":true}]", "\"Max\": expected a number, found true or false"},
        {"\"output\":[{\"type\":null,\"dtype\":\"torch.float32\",\"shape\":[2],\"Max\":1}]", "\"type\": expected a text, found null"},
        {"\"output\":[{\"type\":\"int\",\"value\":\"1,5\"}]", "\"value\": expected a number, found \"1,5\""},
        {"\"output\":[{\"type\":\"str\",\"value\":5}]", "\"value\": expected a text, found a number"},
        {"\"output\":[{\"type\":\"qint\",\"value\":null},{\"type\":\"torch.Tensor\",\"dtype\":\"torch.qint8\",\"shape\":[2]}]", NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        struct opened o;
        struct buf b = {0};
        buf_fmt(&b, "\"F.x.0.forward\":{%s}", odd[i].record);
        assert_int_equal(open_path(&o, dump_of(b.p)), 0);
        assert_int_equal(o.d.problems.n, odd[i].says != NULL);
        if (odd[i].says &&
            (!strstr(o.d.problems.v[0].text, odd[i].says) || !strstr(o.d.problems.v[0].text, "dump.json: byte ") ||
             !strstr(o.d.problems.v[0].text, "F.x.0.forward")))
            fail_msg("%s", o.d.problems.v[0].text);
        buf_release(&b);
        shut_opened(&o);
    }
}

/* Types, counts of elements and shapes of gradients against what else was recorded of the value. */
static void rows_against_their_recording(void **state)
{
#define T(type, shape, max) \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch." type "\",\"shape\":" shape ",\"Max\":" max ",\"Min\":-1," \
    "\"Mean\":0.123456789,\"Norm\":4.56789012}"
#define CALL(name, in, out) "\"" name "\":{\"input_args\":[" in "],\"output\":[" out "]}"
    static const struct {
        const char *record, *says;
    } rows[] = {
        {CALL("Torch.sin.0.forward", T("bfloat16", "[2]", "0.5"), T("bfloat16", "[2]", "0.1")), NULL}, /* few digits */
        {CALL("Torch.sin.0.forward", T("bfloat16", "[2]", "0.5"), T("bfloat16", "[2]", "0.123456789")), "no element of type bfloat16"},
        {CALL("Torch.sin.0.forward", T("float32", "[2]", "0.5"), T("float32", "[3]", "0.5")), "another number of elements"},
        {CALL("Tensor.view.0.forward", T("float32", "[2,3]", "1"), T("float32", "[6]", "1")) ","
         CALL("Tensor.view.0.backward", T("float32", "[6]", "2"), T("float32", "[2,3]", "2")), NULL},
        {CALL("Tensor.view.0.forward", T("float32", "[2,3]", "1"), T("float32", "[6]", "1")) ","
         CALL("Tensor.view.0.backward", T("float32", "[6]", "2"), T("float32", "[3,2]", "2")),
         "no input of that shape"},
        {CALL("Tensor.view.0.forward", T("float32", "[2,3]", "1"), T("float32", "[6]", "1")) ","
         CALL("Tensor.view.0.backward", T("float32", "[1,6]", "2"), T("float32", "[2,3]", "2")),
         "no output of that shape"},
        /* the slopes got axes before the node whose gradients are shown */
        {CALL("Functional.prelu.0.forward", T("float32", "[1,2,3]", "1") "," T("float32", "[2]", "3"),
              T("float32", "[1,2,3]", "1")) ","
         CALL("Functional.prelu.0.backward", T("float32", "[1,2,3]", "2"),
              T("float32", "[1,2,3]", "2") "," T("float32", "[1,2,1]", "4")),
         NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct opened o;
        assert_int_equal(open_path(&o, dump_of(rows[i].record)), 0);
        assert_true(rows[i].says ? o.d.problems.n > 0 : o.d.problems.n == 0);
        if (rows[i].says && !strstr(o.d.problems.v[0].text, rows[i].says))
            fail_msg("%s", o.d.problems.v[0].text);
        shut_opened(&o);
    }
}

static void odd_types_of_the_file(void **state)
{
    static const struct {
        const char *text, *says;
    } odd[] = {
        {"{\"task\":5,\"level\":\"L1\",\"data\":{\"F.x.0.forward\":{\"output\":[null]}}}", "\"task\": expected a text, found a number"},
        {"{\"level\":[],\"data\":{\"F.x.0.forward\":{\"output\":[null]}}}", "\"level\": expected a text, found a list"},
        {"{\"data\":[1],\"level\":\"L1\"}", "\"data\": expected an object, found a list"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        struct opened o;
        const char *dir = scratch();
        put_text(dir, "dump.json", odd[i].text);
        put_text(dir, "stack.json", "{}");
        put_text(dir, "construct.json", "{}");
        assert_int_equal(open_path(&o, dir), 0);
        assert_int_equal(o.d.problems.n, 1);
        if (!strstr(o.d.problems.v[0].text, odd[i].says) || !strstr(o.d.problems.v[0].text, "dump.json"))
            fail_msg("%s", o.d.problems.v[0].text);
        shut_opened(&o);
    }
}

static void old_stack_files(void **state)
{
    struct opened o;
    const char *dir = dump_of("\"F.a.0.forward\":{\"output\":[null]},\"F.b.0.forward\":{\"output\":[null]}");
    (void)state;
    put_text(dir, "stack.json", "{\"F.a.0.forward\":[\"File x.py, line 7, in f, \\n code\"],\"gone\":[],\"odd\":5,"
                           "\"F.b.0.forward\":[[1],[2]]}");
    put_text(dir, "construct.json", "{\"F.a.0.forward\":\"F.b.0.forward\",\"F.b.0.forward\":null,\"x\":\"y\","
                               "\"F.z\":7}");
    assert_int_equal(open_path(&o, dir), 0);
    assert_int_equal(o.d.problems.n, 3); /* "odd", the numbers of "F.b.0.forward", and "F.z" */
    const struct stack *s = &o.d.stacks.v[o.d.calls.v[0].stack];
    assert_int_equal(s->n, 1);
    const struct frame *f = &o.d.frames.v[o.d.stack_frames.v[s->first]];
    assert_true(strcmp(f->file, "x.py") == 0 && f->line == 7 && strcmp(f->code, "code") == 0);
    assert_int_equal(o.d.calls.v[0].parent, 1);
    assert_int_equal(o.d.calls.v[1].parent, NONE);
    shut_opened(&o);
}

static void side_files_that_are_missing_or_damaged(void **state)
{
    struct opened o;
    char path[512];
    const char *dir = dump_of("\"F.a.0.forward\":{\"output\":[null]}");
    (void)state;
    snprintf(path, sizeof path, "%s/stack.json", dir);
    unlink(path);
    put_text(dir, "construct.json", "{\"F.a.0.forward\": ");
    assert_int_equal(open_path(&o, dir), 0);
    assert_int_equal(o.d.rows.n, 1);
    assert_int_equal(o.d.problems.n, 2);
    assert_string_equal(o.d.problems.v[0].kind, "missing-file");
    assert_non_null(strstr(o.d.problems.v[0].text, "stack.json"));
    assert_string_equal(o.d.problems.v[1].kind, "damaged");
    assert_non_null(strstr(o.d.problems.v[1].text, "construct.json: byte"));
    assert_int_equal(o.d.problems.v[1].row, NONE);
    shut_opened(&o);
}

static void a_damaged_call_costs_itself(void **state)
{
    struct opened o;
    (void)state;
    static const char data[] = "\"F.a.0.forward\":{\"output\":[null]},\"F.bad.0.forward\":{\"output\":[nul]},"
                               "\"F.c.0.forward\":{\"output\":[null]}";
    assert_int_equal(open_path(&o, dump_of(data)), 0);
    assert_int_equal(o.d.calls.n, 3);
    assert_int_equal(o.d.rows.n, 3);
    assert_int_equal(o.d.problems.n, 1);
    assert_int_equal(o.d.problems.v[0].row, 1);
    assert_true(o.d.rows.v[1].has & IS_DAMAGED);
    assert_ptr_equal(dump_row_problem(&o.d, 1), &o.d.problems.v[0]);
    assert_null(dump_row_problem(&o.d, 0));
    assert_non_null(strstr(o.d.problems.v[0].text, "dump.json: byte "));
    assert_int_equal(row_named(&o.d, "F.bad.0.forward"), 1);
    shut_opened(&o);
}

static void a_cut_dump_keeps_what_stands_before(void **state)
{
    char from[600], to[600];
    struct buf whole = {0};
    struct err e;
    const char *dir = dump_of("");
    (void)state;
    snprintf(from, sizeof from, "%s", sample("procdir/torch/step0/proc11854/dump.json"));
    snprintf(to, sizeof to, "%s/dump.json", dir);
    assert_int_equal(file_slurp(from, 1 << 24, &whole, &e), 0);
    uint32_t before = 0;
    for (size_t n = 1; n < whole.n; n += n < 300 ? 1 : 4999) {
        struct opened o;
        assert_int_equal(file_replace(to, str_n(whole.p, n), &e), 0);
        int rc = open_path(&o, dir);
        if (rc) {
            assert_int_equal(o.d.rows.n, 0);
            assert_int_equal(o.e.code, ERR_DATA);
            assert_non_null(strstr(o.e.text, "dump.json: byte"));
        } else {
            assert_true(o.d.rows.n >= before && o.d.rows.n < 180);
            before = (uint32_t)o.d.rows.n;
            assert_int_equal(o.d.problems.n, 1);
            assert_non_null(strstr(o.d.problems.v[0].text, "calls before it were read"));
        }
        shut_opened(&o);
    }
    assert_true(before > 100);
    buf_release(&whole);
}

#define FILE_ROW(name)                                                                             \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[1],\"data_name\":\"" name "\"}"

static void names_that_leave_the_folder(void **state)
{
    static const char *const names[] = {"../secret.pt", "/etc/passwd", "..", "sub/x.pt"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct opened o;
        struct buf b = {0};
        struct tensor t;
        struct err e;
        buf_fmt(&b, "\"F.x.0.forward\":{\"output\":[" FILE_ROW("%s") "]}", names[i]);
        const char *dir = dump_of(b.p);
        put_text(dir, "secret.pt", "x");
        char sub[512];
        snprintf(sub, sizeof sub, "%s/dump_tensor_data", dir);
        mkdir(sub, 0755);
        assert_int_equal(open_path(&o, dir), 0);
        assert_true(o.d.rows.v[0].has & HAS_FILE);
        assert_int_equal(dump_tensor(&o.d, 0, &t, &e), -1);
        assert_non_null(strstr(e.text, "not a file name inside"));
        buf_release(&b);
        shut_opened(&o);
    }
}

static void files_by_other_names(void **state)
{
    struct opened o;
    struct tensor t;
    struct err e;
    (void)state;
    static const char data[] = "\"F.x.0.forward\":{\"output\":[" FILE_ROW("-1") ","
                               FILE_ROW("F.x.0.forward.output.1.pt") "," FILE_ROW("other.npy") "]}";
    assert_int_equal(open_path(&o, dump_of(data)), 0);
    assert_false(o.d.rows.v[0].has & HAS_FILE);
    assert_int_equal(dump_tensor(&o.d, 0, &t, &e), -1);
    assert_true((o.d.rows.v[1].has & HAS_FILE) && o.d.rows.v[1].extra == NONE);
    assert_int_equal(dump_tensor(&o.d, 1, &t, &e), -1);
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.text, "dump_tensor_data/F.x.0.forward.output.1.pt"));
    assert_true(o.d.rows.v[2].extra != NONE);
    assert_int_equal(dump_tensor(&o.d, 2, &t, &e), -1);
    assert_non_null(strstr(e.text, "other.npy"));
    shut_opened(&o);
}

static void repeated_names(void **state)
{
    struct opened o;
    (void)state;
    static const char data[] = "\"F.a.0.forward\":{\"output\":[null]},\"F.a.0.forward\":{\"output\":[null]}";
    assert_int_equal(open_path(&o, dump_of(data)), 0);
    assert_int_equal(o.d.rows.n, 2);
    assert_int_equal(row_named(&o.d, "F.a.0.forward#2.output.0"), 1);
    shut_opened(&o);
}

static void can_be_stopped(void **state)
{
    struct opened o;
    struct buf b = {0};
    (void)state;
    for (int i = 0; i < 2000; i++)
        buf_fmt(&b, "%s\"F.a.%d.forward\":{\"output\":[null]}", i ? "," : "", i);
    const char *dir = dump_of(b.p);
    assert_int_equal(open_path(&o, dir), 0);
    assert_int_equal(o.d.rows.n, 2000);
    struct dump d;
    struct err e = {0};
    dump_init(&d);
    d.reader = o.d.reader;
    d.path = dir;
    d.parts = o.d.parts;
    d.part_count = o.d.part_count;
    atomic_store(&o.load.cancel, true);
    assert_int_equal(d.reader->open(&d, &o.load, &e), -1);
    assert_int_equal(e.code, ERR_CANCEL);
    assert_true(d.rows.n < 2000);
    dump_release(&d);
    buf_release(&b);
    shut_opened(&o);
}

/* Records that are no objects: one call's rows are lost, not the program. */
static void records_of_other_types(void **state)
{
    static const char *const records[] = {
        "5", "null", "\"text\"", "true", "{}", "{\"output\":5}", "{\"output\":\"s\"}",
        "{\"output\":[[[[]]]]}", "{\"output\":{\"type\":5}}", "{\"output\":{\"type\":\"torch.Tensor\"}}",
        "[]", "[1]", "[{\"output\":[null]}]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        for (int gradient = 0; gradient < 2; gradient++) {
            struct opened o;
            struct buf b = {0};
            buf_fmt(&b, "\"Module.a.B.%s.0\":%s,\"F.z.0.forward\":{\"output\":[null]}",
                    gradient ? "parameters_grad" : "forward", records[i]);
            assert_int_equal(open_path(&o, dump_of(b.p)), 0);
            assert_int_equal(o.d.calls.n, 2);
            row_named(&o.d, "F.z.0.forward.output.0");
            buf_release(&b);
            shut_opened(&o);
        }
}

/* `#` is the number, `$` so many blanks. */
static void write_record(struct buf *b, const char *text, int number, int blanks)
{
    for (; *text; text++)
        if (*text == '$')
            buf_fmt(b, "%*s", blanks, "");
        else if (*text == '#')
            buf_count(b, (unsigned long long)number);
        else
            buf_char(b, *text);
}

/* Records that are written alike are read by what they have in common: the same rows as where blanks tell each from the
 * others. */
static void records_that_repeat(void **state)
{
    static const char *const outputs[] = {
        "[{\"type\":\"torch.Tensor\",$\"dtype\":\"torch.float32\",\"shape\":[2,3],\"Max\":#,\"Min\":-1.5,\"Mean\":1e-3,"
        "\"Norm\":#.5,"
        "\"requires_grad\":true,\"md5\":\"#\"},{\"type\":\"int\",\"value\":3},[null,true]]",
        "{\"type\":\"torch.Tensor\",$\"dtype\":\"torch.float32\",\"shape\":[],\"Max\":#,\"Norm\":#,"
        "\"data_name\":\"F.add.#.forward.output.pt\"}",
        "[{\"type\":\"torch.Tensor\",$\"dtype\":\"torch.float32\",\"shape\":[7],\"Max\":#,\"Max\":true,\"Min\":#,"
        "\"Mean\":NaN,"
        "\"data_name\":\"other#.pt\"}]",
        "[{\"type\":\"torch.ProcessGroup\",$\"group_ranks\":[#,#,#]},{\"type\":\"x.dtype\",\"value\":\"float32\"}]",
        "[{\"type\":\"torch.Tensor\",$\"dtype\":\"torch.float32\",\"shape\":\"odd\",\"Max\":#,\"Min\":\"#\",\"Norm\":#}"
        "]",
        "[{\"type\":\"torch.ProcessGroup\",$\"group_ranks\":[0,1]},{\"type\":\"torch.ProcessGroup\",$\"group_ranks\":["
        "0,1]}]",
        "{\"\":{\"type\":\"torch.Tensor\",$\"dtype\":\"int8\",\"Max\":#,\"Min\":#,\"Norm\":#},\"b\":{\"a\":[],\"b\":[],"
        "\"Max\":4}}",
    };
    static const char *const names[] = {"F.add.#.forward", "Module.m.#.L.backward.0", "Module.m.#.L.parameters_grad",
                                        "v.#.debug"};
    struct buf b[2] = {{0}, {0}};
    struct opened o[2];
    (void)state;
    for (int i = 0; i < 400; i++)
        for (int k = 0; k < 2; k++) {
            buf_cstr(&b[k], i ? ",\"" : "\"");
            write_record(&b[k], names[i / 7 % (int)ARRAY_LEN(names)], i, 0);
            buf_cstr(&b[k], "\":{\"input_args\":");
            for (int part = 0; part < 2; part++) {
                buf_cstr(&b[k], part ? ",\"output\":" : "");
                write_record(&b[k], outputs[(i / 2 + part * (i % 3)) % (int)ARRAY_LEN(outputs)], i, k ? i : 0);
            }
            buf_char(&b[k], '}');
        }
    for (int k = 0; k < 2; k++)
        assert_int_equal(open_path(&o[k], dump_of(b[k].p)), 0);
    const struct dump *x = &o[0].d, *y = &o[1].d;
    assert_int_equal(x->rows.n, y->rows.n);
    assert_true(dump_fingerprint(x) == dump_fingerprint(y));
    assert_int_equal(x->problems.n, y->problems.n);
    assert_int_equal(x->groups.n, y->groups.n);
    assert_int_equal(x->slots.n, y->slots.n);
    for (uint32_t r = 0; r < x->rows.n; r++) {
        const struct row *p = &x->rows.v[r], *q = &y->rows.v[r];
        assert_int_equal(p->needs_gradient, q->needs_gradient);
        assert_int_equal(p->io, q->io);
        assert_int_equal(p->call, q->call);
        assert_int_equal(p->extra == NONE, q->extra == NONE);
        if (p->extra != NONE)
            assert_string_equal(x->extras.v[p->extra].file, y->extras.v[q->extra].file);
    }
    for (int k = 0; k < 2; k++) {
        shut_opened(&o[k]);
        buf_release(&b[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_the_samples),
        cmocka_unit_test(names_lead_back_to_rows),
        cmocka_unit_test(values_of_rows),
        cmocka_unit_test(non_finite_values),
        cmocka_unit_test(checksums),
        cmocka_unit_test(twins_and_parents),
        cmocka_unit_test(stacks),
        cmocka_unit_test(tensors_open),
        cmocka_unit_test(nested_values),
        cmocka_unit_test(odd_shapes),
        cmocka_unit_test(odd_types_are_said),
        cmocka_unit_test(odd_types_of_the_file),
        cmocka_unit_test(rows_against_their_recording),
        cmocka_unit_test(old_stack_files),
        cmocka_unit_test(side_files_that_are_missing_or_damaged),
        cmocka_unit_test(a_damaged_call_costs_itself),
        cmocka_unit_test(a_cut_dump_keeps_what_stands_before),
        cmocka_unit_test(names_that_leave_the_folder),
        cmocka_unit_test(files_by_other_names),
        cmocka_unit_test(repeated_names),
        cmocka_unit_test(can_be_stopped),
        cmocka_unit_test(records_of_other_types),
        cmocka_unit_test(records_that_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
