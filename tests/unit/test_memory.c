/* Sizes of memory as they are given and as cgroups limit them; what is computed in stretches is the same as of what is
 * held. */
#include "base/memory.h"
#include "fmt/find_recordings.h"
#include "ranks/collectives.h"
#include "ranks/part_values.h"
#include "tensors.h"

static void sizes_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {{"5000", 5000}, {"2K", 2048}, {"200MB", 200u << 20}, {"500m", 500u << 20}, {"2G", 2ull << 30},
                 {"1TB", 1ull << 40}, {"64b", 64}};
    static const char *const none[] = {"", "G", "0", "-1", "1.5G", "2GG", "99999999999999G", "B"};
    uint64_t n;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_true(memory_size(str_of(sizes[i].text), &n));
        assert_int_equal(n, sizes[i].bytes);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(memory_size(str_of(none[i]), &n));
}

static void cgroups_limit_it(void **state)
{
    const char *root = scratch();
    (void)state;
    assert_int_equal(memory_limit(STR("0::/job/step\n"), root), 0);
    put_text(root, "job/step/memory.max", "max\n");
    put_text(root, "job/memory.max", "1073741824\n");
    assert_int_equal(memory_limit(STR("0::/job/step\n"), root), 1 << 30);
    put_text(root, "memory/old/memory.limit_in_bytes", "9223372036854771712\n"); /* version 1: none */
    assert_int_equal(memory_limit(STR("4:memory:/old\n"), root), 0);
    put_text(root, "memory/old/memory.limit_in_bytes", "268435456\n");
    assert_int_equal(memory_limit(STR("4:memory:/old\n3:cpu:/job\n"), root), 1 << 28);
    assert_true(memory_allowed() > 0);
}

static void the_bound_is_of_what_is_held(void **state)
{
    (void)state;
    assert_true(memory_left() == UINT64_MAX);
    memory_bound_set(1ull << 40);
    uint64_t left = memory_left();
    assert_true(left > 0 && left < 1ull << 40);
    memory_bound_set(1);
    assert_int_equal(memory_left(), 0);
    memory_bound_set(0);
}

enum { ELEMENTS = PART_STRETCH + 1000 };

struct judged {
    double residual, bound;
    enum collective_verdict verdict;
    char diagnosis[40], evidence[200];
    size_t ranks;
};

static void judge(const struct whole_calls *w, struct judged *out)
{
    struct collective_list found = {.arena = {0}};
    collectives_find(&found, w, TARGET, 0);
    assert_int_equal(found.v.n, 1);
    const struct collective *c = &found.v.v[0];
    memset(out, 0, sizeof *out);
    *out = (struct judged){.residual = c->residual, .bound = c->bound, .verdict = c->verdict, .ranks = c->ranks.n};
    snprintf(out->diagnosis, sizeof out->diagnosis, "%s", c->diagnosis ? c->diagnosis : "");
    snprintf(out->evidence, sizeof out->evidence, "%s", c->evidence);
    collective_list_release(&found);
}

/* Of two data-parallel ranks, whose outputs are `factor` times the sum, or their inputs one behind the other, `first`
 * first; with `there` at one place of rank 1 where `at` is not 0. */
static void same_in_stretches(const char *name, double factor, int first, size_t at, double there,
                              const char *diagnosis)
{
    const char *root = scratch();
    static float in[2][ELEMENTS], out[2][2 * ELEMENTS];
    bool gather = strstr(name, "gather") != NULL;
    place_list places = {0};
    struct rank_set set;
    struct layout layout;
    struct whole_calls calls;
    struct err e;
    char dir[300], sizes[20], wide[20];
    size_t n = gather ? 2 * ELEMENTS : ELEMENTS;
    for (size_t i = 0; i < ELEMENTS; i++) {
        in[0][i] = (float)sin((double)i);
        in[1][i] = (float)cos((double)i * 3);
    }
    for (int r = 0; r < 2; r++) {
        for (size_t i = 0; i < ELEMENTS; i++)
            out[r][i] = (float)(factor * ((double)in[0][i] + (double)in[1][i]));
        memcpy(out[r] + (gather ? 0 : ELEMENTS), in[first], sizeof in[first]);
        memcpy(out[r] + ELEMENTS, in[!first], sizeof in[first]);
    }
    if (at)
        out[1][at] = (float)there;
    snprintf(sizes, sizeof sizes, "%d", ELEMENTS);
    snprintf(wide, sizeof wide, "%zu", n);
    for (int r = 0; r < 2; r++) {
        struct tensor_dump d;
        snprintf(dir, sizeof dir, "step0/rank%d/none", r);
        put_text(root, dir, "");
        snprintf(dir, sizeof dir, "%s/step0/rank%d", root, r);
        tensors_begin_at(&d, dir);
        fprintf(d.json, "\"%s\":{\"input_args\":[", name);
        tensors_row(&d, name, "input.0", sizes, in[r], ELEMENTS);
        fputs("],\"input_kwargs\":{},\"output\":[", d.json);
        tensors_row(&d, name, "output.0", wide, out[r], n);
        fputs("]}", d.json);
        tensors_end(&d);
    }
    assert_int_equal(find_recordings(root, &places, &e), 0);
    assert_int_equal(rank_set_load(&set, root, &places, 0, 0, &e), 0);
    assert_int_equal(layout_parse(&layout, STR("dp=2"), &e), 0);
    whole_calls_build(&calls, &set, &layout);
    struct judged held, read;
    judge(&calls, &held);
    memory_bound_set(1); /* nothing is held from now on */
    judge(&calls, &read);
    memory_bound_set(0);
    assert_string_equal(held.diagnosis, diagnosis);
    assert_memory_equal(&held, &read, sizeof held);
    whole_calls_release(&calls);
    rank_set_release(&set);
    place_list_release(&places);
}

static void collectives_are_the_same_in_stretches(void **state)
{
    (void)state;
    same_in_stretches("Distributed.all_reduce.0.forward", 1, 0, 0, 0, "");
    same_in_stretches("Distributed.all_reduce.0.forward", 0.5, 0, 0, 0, "averaged");
    same_in_stretches("Distributed.all_reduce.0.forward", 1, 0, ELEMENTS - 5, 7, "unequal-outputs");
    same_in_stretches("Distributed.all_reduce.0.forward", 1, 0, ELEMENTS - 5, NAN, "nonfinite");
    same_in_stretches("Distributed.all_reduce.0.forward", 1, 0, 7, 3e38, "unequal-outputs");
    same_in_stretches("Distributed.all_gather_into_tensor.0.forward", 1, 0, 0, 0, "");
    same_in_stretches("Distributed.all_gather_into_tensor.0.forward", 1, 1, 0, 0, "wrong-order");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_units),
        cmocka_unit_test(cgroups_limit_it),
        cmocka_unit_test(the_bound_is_of_what_is_held),
        cmocka_unit_test(collectives_are_the_same_in_stretches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
