/* Recordings below a path: the trees of msprobe and MindSpore, their steps and ranks, and what is left
 * alone. */
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "fmt/find_recordings.h"

static const char *root; /* of the tree being made */

/* A dump of msprobe, or of MindSpore, in this folder of the tree. */
static void put(const char *folder, const char *name, const char *text)
{
    char path[900];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    put_text(root, path, text);
}

static void msprobe(const char *folder)
{
    put(folder, "dump.json", "{}");
}

static void table(const char *folder)
{
    put(folder, "statistic.csv", "Op Type\n");
}

struct expected {
    int step, rank;
    const char *end; /* of the path */
};

static void expect(const char *below, size_t n, const struct expected *want)
{
    char path[900];
    place_list l = {0};
    struct err e;
    snprintf(path, sizeof path, "%s%s", root, below);
    if (find_recordings(path, &l, &e))
        fail_msg("%s", e.text);
    assert_int_equal(l.n, n);
    for (size_t i = 0; i < n; i++) {
        if (l.v[i].step != want[i].step || l.v[i].rank != want[i].rank ||
            !str_ends(str_of(l.v[i].paths.v[0]), want[i].end))
            fail_msg("%zu: step %d rank %d %s", i, l.v[i].step, l.v[i].rank, l.v[i].paths.v[0]);
    }
    place_list_release(&l);
    assert_null(l.v);
}

static void steps_and_ranks(void **state)
{
    (void)state;
    root = scratch();
    msprobe("step10/rank0");
    msprobe("step2/rank10");
    msprobe("step2/rank1");
    msprobe("step0/rank0");
    expect("", 4,
           (const struct expected[]){{0, 0, "step0/rank0"},
                                     {2, 1, "step2/rank1"},
                                     {2, 10, "step2/rank10"},
                                     {10, 0, "step10/rank0"}});
    expect("/", 4, (const struct expected[]){{0, 0, ""}, {2, 1, ""}, {2, 10, ""}, {10, 0, ""}});
    /* entered further down, the folders above still tell */
    expect("/step2", 2, (const struct expected[]){{2, 1, "rank1"}, {2, 10, "rank10"}});
    expect("/step10/rank0", 1, (const struct expected[]){{10, 0, "rank0"}});
    expect("/step10/rank0/dump.json", 1, (const struct expected[]){{10, 0, "dump.json"}});
}

static void processes(void **state)
{
    (void)state;
    root = scratch();
    msprobe("step0/proc1234");
    expect("", 1, (const struct expected[]){{0, -1, "proc1234"}}); /* nothing tells its rank */
    msprobe("step1/proc300");
    msprobe("step1/proc99");
    msprobe("step1/proc1000");
    expect("", 4,
           (const struct expected[]){{0, -1, "proc1234"}, {1, 0, "proc99"}, {1, 1, "proc300"}, {1, 2, "proc1000"}});
}

static void mindspore_synchronous(void **state)
{
    (void)state;
    root = scratch();
    table("rank_0/Net/0/0");
    table("rank_0/Net/0/12");
    table("rank_1/Net/0/0");
    put("rank_0/Net/0/constants", "statistic.csv", "x");
    put("rank_0/.dump_metadata", "statistic.csv", "x");
    put("rank_0/graphs", "statistic.csv", "x");
    put("rank_0/execution_order", "statistic.csv", "x");
    expect("", 3, (const struct expected[]){{0, 0, "Net/0/0"}, {0, 1, "rank_1/Net/0/0"}, {12, 0, "Net/0/12"}});
}

static void mindspore_asynchronous(void **state)
{
    (void)state;
    root = scratch();
    table("3/20230822120819/5/Net/1/0");
    expect("", 1, (const struct expected[]){{3, 5, "Net/1/0"}});
    root = scratch();
    table("4/20230822120819/2");
    expect("", 1, (const struct expected[]){{4, 2, "/2"}});
}

static void graphs_of_one_step(void **state)
{
    place_list l = {0};
    struct err e;
    (void)state;
    root = scratch();
    table("rank_0/Net/0/5");
    table("rank_0/Net/1/5");
    table("rank_0/Net/2/6");
    assert_int_equal(find_recordings(root, &l, &e), 0);
    assert_int_equal(l.n, 2);
    assert_true(l.v[0].step == 5 && l.v[0].paths.n == 2 && l.v[1].step == 6 && l.v[1].paths.n == 1);
    assert_true(str_ends(str_of(l.v[0].paths.v[0]), "/0/5") && str_ends(str_of(l.v[0].paths.v[1]), "/1/5"));
    place_list_release(&l);
}

/* Statistics and tensors of two runs below one folder: recordings of the same step, neither ranks nor parts. */
static void runs_below_one_folder(void **state)
{
    (void)state;
    root = scratch();
    msprobe("statistics/step0/proc19850");
    msprobe("tensor/step0/proc19905");
    expect("", 2, (const struct expected[]){{0, -1, "proc19850"}, {0, -1, "proc19905"}});
    msprobe("tensor/step0/proc19906");
    expect("", 3, (const struct expected[]){{0, -1, "proc19850"}, {0, 0, "proc19905"}, {0, 1, "proc19906"}});
    root = scratch();
    table("statistic/rank_0/Net/0/0");
    table("statistic/rank_0/Net/1/0");
    table("tensor/rank_0/Net/0/0");
    expect("", 2, (const struct expected[]){{0, 0, "statistic/rank_0/Net/0/0"}, {0, 0, "tensor/rank_0/Net/0/0"}});
}

/* Whether recordings of this step and rank below the root are refused with this text; NULL: they are not. */
static void refused(int step, int rank, const char *text)
{
    place_list l = {0};
    struct err e = {0};
    assert_int_equal(find_recordings(root, &l, &e), 0);
    int rc = place_list_check(&l, root, step, rank, &e);
    if ((rc != 0) != (text != NULL) || (text && !strstr(e.text, text)))
        fail_msg("%s: %s", text ? text : "accepted", e.text);
    place_list_release(&l);
}

static void unnumbered(void **state)
{
    (void)state;
    root = scratch();
    msprobe("run_a");
    expect("", 1, (const struct expected[]){{-1, -1, "run_a"}});
    expect("/run_a", 1, (const struct expected[]){{-1, -1, "run_a"}});
    msprobe("run_b"); /* nothing says that they are ranks of one run */
    expect("", 2, (const struct expected[]){{-1, -1, "run_a"}, {-1, -1, "run_b"}});
    refused(-1, -1, "2 recordings that cannot belong together");
    refused(-1, -1, ": run_a, run_b");
    root = scratch();
    msprobe("proc12");
    msprobe("proc34"); /* processes: numbered as msprobe does */
    expect("", 2, (const struct expected[]){{-1, 0, "proc12"}, {-1, 1, "proc34"}});
    refused(-1, -1, NULL);
}

/* A step and rank twice below one folder. */
static void roles(void **state)
{
    (void)state;
    root = scratch();
    msprobe("actor/step0/rank0");
    msprobe("actor/step0/rank1");
    msprobe("rollout/step0/rank0");
    refused(-1, -1, "2 recordings of step 0 and rank 0");
    refused(0, 0, "actor/step0/rank0, rollout/step0/rank0");
    refused(-1, 1, NULL);
}

static void odd_numbers(void **state)
{
    (void)state;
    root = scratch();
    msprobe("step99999999999/rank0");
    msprobe("stepx/rank1");
    msprobe("step_7/rank_2");
    expect("", 3, (const struct expected[]){{-1, 0, "rank0"}, {-1, 1, "rank1"}, {7, 2, "rank_2"}});
}

static void what_is_no_recording(void **state)
{
    place_list l = {0};
    struct err e = {0};
    char path[900];
    (void)state;
    root = scratch();
    put("a/b", "notes.txt", "x");
    put("a", "config.json", "{\"lr\":1}");
    msprobe("a/.hidden");
    msprobe("a/dump_tensor_data");
    expect("", 0, NULL);
    atomic_bool cancel = true;
    assert_int_equal(find_recordings_until(sample("tt_rope"), &cancel, &l, &e), -1);
    assert_int_equal(e.code, ERR_CANCEL);
    place_list_release(&l);
    assert_int_equal(find_recordings("/nowhere/at/all", &l, &e), -1);
    assert_int_equal(e.code, ERR_IO);
    snprintf(path, sizeof path, "%s/pipe", root);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(find_recordings(path, &l, &e), -1);
    assert_int_equal(l.n, 0);
}

static void json_files_by_other_names(void **state)
{
    (void)state;
    root = scratch();
    put("", "mine.json", "{\"task\":\"statistics\",\"level\":\"L1\",\"dump_data_dir\":null,\"data\":{}}");
    put("", "other.json", "{\"task\":\"statistics\"}");
    expect("/mine.json", 1, (const struct expected[]){{-1, -1, "mine.json"}});
    expect("/other.json", 0, NULL);
    expect("", 0, NULL); /* only when named */
}

/* A folder that holds itself by a link: not walked for ever, and nothing is found twice. */
static void loops_of_links(void **state)
{
    char path[900];
    place_list l = {0};
    struct err e;
    (void)state;
    root = scratch();
    msprobe("step0/rank0");
    snprintf(path, sizeof path, "%s/step0/again", root);
    assert_int_equal(symlink("..", path), 0);
    assert_int_equal(find_recordings(root, &l, &e), 0);
    size_t n = l.n;
    place_list_release(&l);
    assert_int_equal(n, 1);
}

static void samples(void **state)
{
    static const struct {
        const char *path, *reader;
        size_t n;
        int step, rank;
    } cases[] = {
        {"clean_mix_stat/ms", "msprobe", 2, 0, 0},
        {"procdir/torch", "msprobe", 1, 0, -1},
        {"msdump/ms/statistic", "mindspore-dump", 2, 0, 0},
        {"msdump_samples/tiny_2.7.1", "mindspore-dump", 2, 0, 0},
        {"msdump_samples/tiny_2.10.0_hash", "mindspore-dump", 1, -1, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        place_list l = {0};
        struct err e;
        assert_int_equal(find_recordings(sample(cases[i].path), &l, &e), 0);
        assert_int_equal(l.n, cases[i].n);
        assert_string_equal(l.v[0].reader->name, cases[i].reader);
        assert_int_equal(l.v[0].step, cases[i].step);
        assert_int_equal(l.v[0].rank, cases[i].rank);
        place_list_release(&l);
    }
}

/* Arrays alone are a recording of their folder; beside other files they are not what the folder is. */
static void arrays(void **state)
{
    char path[900];
    place_list l = {0};
    struct err e;
    (void)state;
    root = scratch();
    put("grads", "grad_0.npy", "\x93NUMPY");
    put("grads", "grad_1.npy", "\x93NUMPY");
    static const char *const given[] = {"grads", "grads/grad_1.npy"};
    for (size_t i = 0; i < ARRAY_LEN(given); i++) {
        snprintf(path, sizeof path, "%s/%s", root, given[i]);
        assert_int_equal(find_recordings(path, &l, &e), 0);
        assert_int_equal(l.n, 1);
        assert_string_equal(l.v[0].reader->name, "npy");
        assert_string_equal(l.v[0].paths.v[0], path);
        place_list_release(&l);
    }
    put("grads", "train.log", "");
    snprintf(path, sizeof path, "%s/grads", root);
    assert_int_equal(find_recordings(path, &l, &e), 0);
    assert_int_equal(l.n, 0);
    place_list_release(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_ranks),
        cmocka_unit_test(processes),
        cmocka_unit_test(mindspore_synchronous),
        cmocka_unit_test(mindspore_asynchronous),
        cmocka_unit_test(graphs_of_one_step), cmocka_unit_test(runs_below_one_folder),
        cmocka_unit_test(unnumbered), cmocka_unit_test(roles),
        cmocka_unit_test(odd_numbers),
        cmocka_unit_test(what_is_no_recording),
        cmocka_unit_test(json_files_by_other_names),
        cmocka_unit_test(loops_of_links),
        cmocka_unit_test(arrays),
        cmocka_unit_test(samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
