/* The linter's sentences: each for what it speaks of, and none for recordings with nothing odd about them. */
#include "sessions.h"

#include <utime.h>

#include "compare/input_doubts.h"

static const char npy[] =
    "\x93NUMPY\1\0\x36\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\n\0\0\x80?\0\0\0@";

/* Files of a folder that was written long ago. */
static void settle(const char *dir)
{
    static const char *const file[] = {"dump.json", "debug.json", "statistic.csv", "dump_tensor_data", "."};
    struct utimbuf old = {1000000000, 1000000000};
    char path[900];
    for (size_t i = 0; i < ARRAY_LEN(file); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, file[i]);
        utime(path, &old);
    }
}

struct made {
    const char *level, *task, *framework, *record;
};

/* dir/sub with a dump of one call. */
static void put_dump(const char *dir, const char *sub, const struct made *m)
{
    struct buf b = {0};
    char name[300], path[600];
    buf_fmt(&b, "{\"task\":\"%s\",\"level\":\"%s\",\"framework\":\"%s\",\"dump_data_dir\":null,\"data\":{%s}}",
            m->task ? m->task : "statistics", m->level ? m->level : "L1", m->framework ? m->framework : "pytorch",
            m->record ? m->record : "\"Torch.add.0.forward\":{\"output\":[{\"type\":\"int\",\"value\":1}]}");
    snprintf(name, sizeof name, "%s/dump.json", sub);
    put_text(dir, name, b.p);
    snprintf(name, sizeof name, "%s/stack.json", sub);
    put_text(dir, name, "{}");
    snprintf(name, sizeof name, "%s/construct.json", sub);
    put_text(dir, name, "{}");
    snprintf(path, sizeof path, "%s/%s", dir, sub);
    settle(path);
    buf_release(&b);
}

#define TENSOR(type, most, file) \
    "\"Torch.mul.0.forward\":{\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch." type \
    "\",\"shape\":[2],\"Max\":" most ",\"Min\":1.0,\"Mean\":1.0,\"Norm\":1.0" file "}]}"

/* All sentences about a pair, one a line. */
static void sentences(const char *target, const char *golden, struct buf *out)
{
    struct session *s = open_paths(target, golden);
    struct arena a = {0};
    input_doubt_list l = {0};
    session_lock(s);
    input_doubts_find(s->now, &a, &l);
    buf_clear(out);
    buf_cstr(out, "");
    for (size_t i = 0; i < l.n; i++)
        buf_fmt(out, "%s\n", input_doubts_sentence(&l.v[i], &a));
    session_unlock(s);
    vec_release(&l);
    arena_release(&a);
    shut(s);
}

static void expect(const char *target, const char *golden, const char *text)
{
    struct buf b = {0};
    sentences(target, golden, &b);
    if (*text ? !b.p || !strstr(b.p, text) : b.n)
        fail_msg("%s: expected \"%s\", got \"%s\"", target, text, b.p ? b.p : "");
    buf_release(&b);
}

static void each_sentence(void **state)
{
    static const struct {
        struct made target, golden;
        const char *text; /* "": none at all */
    } cases[] = {
        {{0}, {0}, ""},
        {{.level = "L0"}, {0}, "levels differ (L0 and L1)"},
        {{.task = "tensor"}, {0}, "tasks differ (tensor and statistics)"},
        {{0}, {.framework = "mindspore"}, "the golden side is a MindSpore dump"},
        {{.framework = "mindspore"}, {0}, ""},
        {{.record = "\"Functional.dropout.0.forward\":{\"input_args\":[{\"type\":\"float\",\"value\":0.1}]}"}, {0}, "target: dropout is on in 1 calls (p up to 0.1)"},
        {{.record = "\"Functional.dropout.0.forward\":{\"input_args\":[{\"type\":\"float\",\"value\":0.0}]}"}, {0}, ""},
        {{.record = TENSOR("float16", "65504.0", "")}, {0}, "target: 65504, the largest float16, occurs in 1 rows"},
        {{.record = TENSOR("float16", "Infinity", "")}, {0}, ""},
        {{0}, {.record = TENSOR("bfloat16", "3.3895313892515355e+38", "")}, "golden: 3.38953e+38, the largest bfloat16, occurs in 1 rows"},
        {{.record = ""}, {0}, "target: empty recording"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *dir = scratch();
        char t[400], g[400];
        put_dump(dir, "t", &cases[i].target);
        put_dump(dir, "g", &cases[i].golden);
        snprintf(t, sizeof t, "%s/t", dir);
        snprintf(g, sizeof g, "%s/g", dir);
        expect(t, g, cases[i].text);
    }
}

static void half_written(void **state)
{
    char t[400], path[500];
    struct buf b = {0};
    struct made m = {0};
    const char *dir = scratch();
    (void)state;
    put_dump(dir, "g", &m);
    put_dump(dir, "t", &m);
    snprintf(t, sizeof t, "%s/t", dir);
    snprintf(path, sizeof path, "%s/g", dir);
    put_text(dir, "t/dump.json",
             "{\"task\":\"statistics\",\"level\":\"L1\",\"framework\":\"pytorch\",\"data\":{\"Torch.add.0.forward\":{"
             "\"output\":"
             "[{\"type\":\"int\",\"value\":1}]},\"Torch.add.1.forward\":{\"out");
    sentences(t, path, &b);
    assert_non_null(strstr(b.p, "target: modified "));
    assert_non_null(strstr(b.p, "the 1 calls before it were read"));
    assert_null(strstr(b.p, "golden: modified "));
    /* a statistic.csv that grows does not change its folder */
    put_text(dir, "ms/statistic.csv", "Op Type,Op Name,IO,Slot\nAdd,Default_Add-op0,output,0\n");
    snprintf(t, sizeof t, "%s/ms", dir);
    settle(t);
    sentences(t, path, &b);
    assert_null(strstr(b.p, "may still be written"));
    put_text(dir, "ms/statistic.csv", "Op Type,Op Name,IO,Slot\nAdd,Default_Add-op0,output,0\nMul,");
    sentences(t, path, &b);
    assert_non_null(strstr(b.p, "target: modified "));
    buf_release(&b);
}

static void tensor_files(void **state)
{
    static const struct made m[] = {{.task = "tensor", .record = TENSOR("float32", "2.0", ",\"data_name\":\"x.npy\"")},
                                    {.task = "tensor", .record = TENSOR("float16", "2.0", ",\"data_name\":\"x.npy\"")},
                                    {.task = "tensor", .record = TENSOR("bfloat16", "2.0", ",\"data_name\":\"x.npy\"")}};
    static const struct {
        size_t record, bytes;
        const char *text;
    } cases[] = {
        {0, sizeof npy - 1, ""},
        {2, sizeof npy - 1, ""}, /* MindSpore saves bfloat16 as float32 */
        {1, sizeof npy - 1, "contradicts its recording: type float16 was recorded, the file has float32"},
        {0, 0, "1 of 1 tensor files checked are empty or damaged"},
        {0, sizeof npy - 6, "1 of 1 tensor files checked are empty or damaged"},
        {0, SIZE_MAX, "1 of 1 tensor files checked are missing"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *dir = scratch();
        char side[2][400];
        for (int k = 0; k < 2; k++) {
            char file[64];
            put_dump(dir, k ? "g" : "t", &m[cases[i].record]);
            snprintf(file, sizeof file, "%s/dump_tensor_data/%s", k ? "g" : "t",
                     cases[i].bytes == SIZE_MAX ? "other" : "x.npy");
            if (cases[i].bytes == SIZE_MAX)
                put_text(dir, file, "");
            else
                put_bytes(dir, file, npy, cases[i].bytes);
            snprintf(side[k], sizeof side[k], "%s/%s", dir, k ? "g" : "t");
            settle(side[k]);
        }
        expect(side[0], side[1], cases[i].text);
        expect(side[0], side[0], "both sides are the same recording");
    }
}

/* One side alone says which of its steps it is, and what would make runs differ. */
static void one_side(void **state)
{
    const char *dir = scratch();
    char path[400];
    struct made m = {.record =
                         "\"Functional.dropout.0.forward\":{\"input_args\":[{\"type\":\"float\",\"value\":0.1}]}"};
    struct arena a = {0};
    input_doubt_list l = {0};
    (void)state;
    put_dump(dir, "step0/rank0", &m);
    put_dump(dir, "step1/rank0", &m);
    snprintf(path, sizeof path, "%s", dir);
    struct session *s = open_paths(path, NULL);
    session_lock(s);
    input_doubts_alone(s->now, &a, &l);
    session_unlock(s);
    assert_int_equal(l.n, 2);
    assert_string_equal(l.v[0].text, "2 steps found; this is step 0");
    assert_non_null(strstr(l.v[1].text, "dropout is on in 1 calls"));
    vec_release(&l);
    arena_release(&a);
    shut(s);
}

static void steps_and_ranks(void **state)
{
    const char *dir = scratch();
    char t[400], g[400];
    struct made m = {0};
    (void)state;
    put_dump(dir, "t/step0/rank0", &m);
    put_dump(dir, "t/step1/rank0", &m);
    put_dump(dir, "g/step0/rank0", &m);
    put_dump(dir, "h/step3/rank2", &m);
    snprintf(t, sizeof t, "%s/t", dir);
    snprintf(g, sizeof g, "%s/g", dir);
    expect(t, g, "target: 2 steps found; step 0 is compared");
    snprintf(t, sizeof t, "%s/h", dir);
    expect(t, g, "step 3 is compared with step 0");
    expect(t, g, "rank 2 is compared with rank 0");
}

static void overflows_and_weights(void **state)
{
    const char *dir = scratch();
    struct made m = {0};
    char t[400], g[400];
    struct buf b = {0};
    (void)state;
    put_dump(dir, "g", &m);
    put_text(dir, "t/statistic.csv", "Op Type,Op Name,Task ID,Stream ID,IO,Slot\nAdd,Default_Add-op0,7,3,output,0\n");
    put_text(dir, "t/Opdebug.Node_OpDebug.1.5.1732082705016774.output.0.json",
             "{\"AI Core\": {\"task_id\": 7, \"stream_id\": 3, \"status\": 32}}");
    snprintf(t, sizeof t, "%s/t", dir);
    snprintf(g, sizeof g, "%s/g", dir);
    settle(t);
    sentences(t, g, &b);
    assert_non_null(strstr(b.p, "target: the device recorded 1 overflows; the first: "));
    assert_non_null(strstr(b.p, "AI Core overflowed (status 32) in Add.Default_Add-op0, task 7 of stream 3"));
    assert_null(strstr(b.p, "could not be read"));
    expect(sample("weights/llama.safetensors"), g, "one side is a dump, the other a weight file");
    buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sentence),
        cmocka_unit_test(half_written),
        cmocka_unit_test(tensor_files),
        cmocka_unit_test(one_side),
        cmocka_unit_test(steps_and_ranks),
        cmocka_unit_test(overflows_and_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
