/* What msprobe writes beside whole dumps: values saved by hand (debug.json), runs compiled in part, and what its
 * overflow_check finds. */
#include "opened.h"

#include <math.h>

static const char npy[] =
    "\x93NUMPY\1\0\x36\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\n\0\0\x80?\0\0\0@";

/* ---- debug.json ---- */

/* The names msprobe compare prints for this recording, in its order. */
static void saved_values(void **state)
{
    static const char *const names[] = {
        "x.0.debug", "hidden.0.debug", "hidden_grad.0.debug", "nested.tree.0.debug.a", "nested.tree.0.debug.list.0",
        "nested.tree.0.debug.list.1.0", "nested.tree.0.debug.list.1.1", "nested.tree.0.debug.list.1.2",
        "nested.tree.0.debug.list.1.3", "nested.tree.0.debug.list.1.4", "nested.tree.0.debug.n",
        "nested.tree_grad.0.debug.a", "nested.tree_grad.0.debug.list.0", "nested.tree_grad.0.debug.list.1.0",
        "nested.tree_grad.0.debug.list.1.1", "nested.tree_grad.0.debug.list.1.2", "nested.tree_grad.0.debug.list.1.3",
        "nested.tree_grad.0.debug.list.1.4", "nested.tree_grad.0.debug.n", "hidden.1.debug", "hidden_grad.1.debug",
        "ids.0.debug",
    };
    static const char *const tasks[] = {"tensor", "statistics", "md5"};
    (void)state;
    for (size_t t = 0; t < ARRAY_LEN(tasks); t++) {
        struct opened o;
        struct buf name = {0};
        char path[100];
        snprintf(path, sizeof path, "msprobe_debug/%s/step0", tasks[t]);
        assert_int_equal(open_as(&o, sample(path), "msprobe"), 0);
        assert_string_equal(o.d.task, tasks[t]);
        assert_string_equal(o.d.level, "debug");
        assert_int_equal(o.d.rows.n, ARRAY_LEN(names));
        assert_int_equal(o.d.problems.n, 0);
        for (uint32_t r = 0; r < o.d.rows.n; r++) {
            dump_row_name(&o.d, r, &name);
            assert_string_equal(name.p, names[r]);
            assert_int_equal(dump_find_row(&o.d, buf_view(&name)), r);
            if (t == 0 && o.d.rows.v[r].kind == ROW_TENSOR) {
                struct tensor x;
                assert_int_equal(dump_tensor(&o.d, r, &x, &o.e), 0);
                tensor_close(&x);
            }
        }
        assert_int_equal(o.d.rows.v[row_named(&o.d, "nested.tree.0.debug.list.1.1")].kind, ROW_INT);
        assert_int_equal(o.d.rows.v[row_named(&o.d, "hidden_grad.1.debug")].kind, ROW_NULL);
        if (t < 2)
            assert_true(isnan(o.d.rows.v[row_named(&o.d, "nested.tree.0.debug.n")].stat[STAT_MAX]));
        buf_release(&name);
        shut_opened(&o);
    }
}

static void gradients_find_their_values(void **state)
{
    struct opened o;
    (void)state;
    assert_int_equal(open_as(&o, sample("msprobe_debug/statistics"), "msprobe"), 0);
    uint32_t value = map_get(&o.d.call_names, STR("hidden.0.debug"));
    uint32_t grad = map_get(&o.d.call_names, STR("hidden_grad.0.debug"));
    assert_int_equal(o.d.calls.v[grad].twin, value);
    assert_int_equal(o.d.calls.v[value].twin, grad);
    assert_int_equal(o.d.calls.v[grad].phase, PHASE_BACKWARD);
    assert_int_equal(o.d.calls.v[map_get(&o.d.call_names, STR("x.0.debug"))].twin, NONE);
    shut_opened(&o);
}

/* dump.json goes first where both are there; a debug.json may be named. */
static void both_files(void **state)
{
    struct opened o;
    const char *dir = scratch();
    char path[300];
    (void)state;
    put_text(dir, "dump.json",
             "{\"task\":\"statistics\",\"level\":\"L1\",\"data\":{\"F.a.0.forward\":{\"output\":[null]}}}");
    put_text(dir, "debug.json",
             "{\"task\":\"statistics\",\"level\":\"debug\",\"data\":{\"v.0.debug\":5,\"w.0.debug\":{\"type\":\"int\","
             "\"value\":7}}}");
    assert_int_equal(open_as(&o, dir, "msprobe"), 0);
    row_named(&o.d, "F.a.0.forward.output.0");
    assert_int_equal(o.d.rows.n, 1);
    shut_opened(&o);
    snprintf(path, sizeof path, "%s/debug.json", dir);
    assert_int_equal(open_as(&o, path, "msprobe"), 0);
    assert_int_equal(o.d.rows.n, 2);
    assert_true(o.d.rows.v[row_named(&o.d, "w.0.debug")].stat[STAT_MAX] == 7);
    shut_opened(&o);
}

static void names_of_files_are_checked(void **state)
{
    static const char *const names[] = {"../x.npy", "/etc/hostname", "v.0.debug.npy", "else.npy", "."};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct opened o;
        struct tensor t;
        struct buf b = {0};
        const char *dir = scratch();
        buf_fmt(&b,
                "{\"task\":\"tensor\",\"level\":\"debug\",\"framework\":\"mindspore\",\"data\":{\"v.0.debug\":{"
                "\"type\":"
                "\"mindspore.Tensor\",\"dtype\":\"Float32\",\"shape\":[2],\"data_name\":\"%s\"}}}",
                names[i]);
        put_text(dir, "debug.json", b.p);
        put_bytes(dir, "x.npy", npy, sizeof npy - 1);
        put_bytes(dir, "dump_tensor_data/v.0.debug.npy", npy, sizeof npy - 1);
        put_bytes(dir, "dump_tensor_data/else.npy", npy, sizeof npy - 1);
        assert_int_equal(open_as(&o, dir, "msprobe"), 0);
        int rc = dump_tensor(&o.d, 0, &t, &o.e);
        assert_int_equal(rc, i == 2 || i == 3 ? 0 : -1);
        if (rc == 0)
            tensor_close(&t);
        shut_opened(&o);
        buf_release(&b);
    }
}

/* ---- graph/ and pynative/ ---- */

static void put_half(const char *root, const char *half, const char *rank, const char *call)
{
    char name[200];
    struct buf b = {0};
    buf_fmt(&b,
            "{\"task\":\"tensor\",\"level\":\"mix\",\"framework\":\"mindspore\",\"data\":{\"%s\":{\"output\":[{"
            "\"type\":\"mindspore.Tensor\","
            "\"dtype\":\"Float32\",\"shape\":[2],\"data_name\":\"%s.output.0.npy\"}]}}}",
            call, call);
    snprintf(name, sizeof name, "%s/step0/%s/dump.json", half, rank);
    put_text(root, name, b.p);
    snprintf(name, sizeof name, "%s/step0/%s/dump_tensor_data/%s.output.0.npy", half, rank, call);
    put_bytes(root, name, npy, sizeof npy - 1);
    snprintf(name, sizeof name, "%s/step0/%s/stack.json", half, rank);
    put_text(root, name, "{}");
    snprintf(name, sizeof name, "%s/step0/%s/construct.json", half, rank);
    put_text(root, name, "{}");
    buf_release(&b);
}

static void runs_compiled_in_part(void **state)
{
    static const char *const ranks[][2] = {{"rank0", "rank0"}, {"rank", "proc4711"}, {"rank", "rank0"}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ranks); i++) {
        struct opened o;
        const char *root = scratch();
        put_half(root, "graph", ranks[i][0], "Cell.net.Net.forward.0");
        put_half(root, "pynative", ranks[i][1], "Mint.add.0.forward");
        assert_int_equal(open_as(&o, root, "msprobe"), 0);
        assert_int_equal(o.places.n, 1);
        assert_int_equal(o.places.v[0].rank, 0);
        assert_int_equal(o.d.rows.n, 2);
        assert_int_equal(o.d.problems.n, 0);
        for (uint32_t r = 0; r < 2; r++) {
            struct tensor t;
            assert_int_equal(dump_tensor(&o.d, r, &t, &o.e), 0);
            assert_int_equal(t.numel, 2);
            tensor_close(&t);
        }
        shut_opened(&o);
    }
}

/* Two runs below one folder are not one recording. */
static void other_folders_stay_apart(void **state)
{
    struct opened o;
    const char *root = scratch();
    (void)state;
    put_half(root, "run1", "rank0", "Mint.add.0.forward");
    put_half(root, "run2", "rank0", "Mint.add.0.forward");
    assert_int_equal(open_as(&o, root, "msprobe"), 0);
    assert_int_equal(o.places.n, 2);
    shut_opened(&o);
    root = scratch();
    put_half(root, "agraph", "rank0", "Mint.add.0.forward");
    put_half(root, "pynative", "rank0", "Mint.add.0.forward");
    assert_int_equal(open_as(&o, root, "msprobe"), 0);
    assert_int_equal(o.places.n, 2);
    shut_opened(&o);
    root = scratch();
    put_half(root, "graph", "rank0", "Cell.net.Net.forward.0");
    put_half(root, "pynative", "rank1", "Mint.add.0.forward");
    assert_int_equal(open_as(&o, root, "msprobe"), 0);
    assert_int_equal(o.places.n, 2); /* two ranks */
    shut_opened(&o);
}

/* ---- overflow_check ---- */

static void overflow_results(void **state)
{
    struct opened o;
    const char *dir = scratch();
    (void)state;
    put_text(dir, "anomaly_analyze_1.json", "{}");
    put_text(dir, "anomaly_analyze_3.json",
             "{\n  \"rank_0\": [{\"op_name\": \"Tensor.__mul__.18.forward\", \"data_info\": {\"input_args\": "
             "[{\"type\": \"torch.Tensor\","
             "\"dtype\": \"torch.float32\", \"shape\": [1], \"Max\": 1.0, \"Min\": 0.0, \"data_name\": \"x.pt\"}, "
             "{\"type\": \"float\", \"value\":"
             " -Infinity}], \"input_kwargs\": {}, \"output\": [{\"type\": \"torch.Tensor\", \"dtype\": "
             "\"torch.float32\", \"shape\": [1],"
             "\"Max\": NaN, \"Min\": NaN}]}, \"construct_info\": [\"Module.a.A.forward.0\", "
             "\"Tensor.__mul__.18.forward\"],"
             "\"stack_info\": [\"File a.py, line 3, in f, \\n y = x * m\"]}, 5, {\"op_name\": 5}],"
             "\"rank_1\": [{\"op_name\": \"Tensor.__mul__.18.forward\", \"data_info\": {\"output\": []}, "
             "\"stack_info\": {}}], \"rank_2\": 7}");
    assert_int_equal(open_as(&o, dir, "msprobe-overflow"), 0);
    assert_string_equal(path_base(str_of(o.d.path)).p, "anomaly_analyze_3.json"); /* the newest */
    assert_int_equal(o.d.calls.n, 2);
    assert_int_equal(o.d.rows.n, 3);
    assert_int_equal(o.d.stacks.n, 1);
    assert_string_equal(o.d.frames.v[0].code, "y = x * m");
    assert_true(isnan(o.d.rows.v[row_named(&o.d, "Tensor.__mul__.18.forward.output.0")].stat[STAT_MAX]));
    assert_int_equal(o.d.rows.v[0].has & HAS_FILE, 0);
    assert_int_equal(o.d.warnings.n, 2);
    assert_string_equal(o.d.warnings.v[0], "rank_0: reported by msprobe: NaN or Inf first occur in call "
                                           "Tensor.__mul__.18.forward (Module.a.A.forward.0)");
    assert_int_equal(o.d.problems.n, 3);
    shut_opened(&o);
}

static void a_real_overflow_result(void **state)
{
    struct opened o;
    (void)state;
    assert_int_equal(open_as(&o, sample("msprobe_debug/anomaly_analyze_1795280449602986587.json"), "msprobe-overflow"),
                     0);
    assert_int_equal(o.d.rows.n, 3);
    assert_int_equal(o.d.problems.n, 0);
    assert_true(o.d.stacks.v[0].n > 5);
    shut_opened(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_values),
        cmocka_unit_test(gradients_find_their_values),
        cmocka_unit_test(both_files),
        cmocka_unit_test(names_of_files_are_checked),
        cmocka_unit_test(runs_compiled_in_part),
        cmocka_unit_test(other_folders_stay_apart),
        cmocka_unit_test(overflow_results),
        cmocka_unit_test(a_real_overflow_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
