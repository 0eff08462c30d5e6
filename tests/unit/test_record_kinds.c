/* Kinds of values in lines of packs, and which rank a router's trace is of. */
#include "support.h"

#include "base/io.h"
#include "fmt/routing_trace.h"
#include "fmt/row_records.h"

static void values_are_of_their_kinds(void **state)
{
    static const struct {
        const char *list, *kinds;
        bool fits;
    } cases[] = {
        {"[3]", "w", true},         {"[3.5]", "w", false},     {"[-3]", "w", false},         {"[\"3\"]", "w", false},
        {"[-3]", "i", true},        {"[-3.5]", "i", false},    {"[\"3\"]", "i", false},      {"[null]", "i", false},
        {"[null]", "I", true},      {"[2.5]", "n", true},      {"[\"NaN\"]", "n", true},     {"[\"-Inf\"]", "n", true},
        {"[\"none\"]", "n", false}, {"[\"a\"]", "s", true},    {"[1]", "s", false},          {"[[]]", "l", true},
        {"[{}]", "l", false},       {"[1]", "ww", false},      {"[1, 2, 3]", "ww", true},    {"[1]", "wn*", true},
        {"[1, 2, 3]", "wn*", true}, {"[1, 2, {}]", "wn*", false}, {"{\"a\": 1}", "w", false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *list = cJSON_Parse(cases[i].list);
        assert_non_null(list);
        if (json_line_fits(list, cases[i].kinds) != cases[i].fits)
            fail_msg("%s as %s", cases[i].list, cases[i].kinds);
        cJSON_Delete(list);
    }
}

/* Names of traces say the rank; without a number, or with more behind it, they say none. */
static void traces_are_of_their_ranks(void **state)
{
    static const struct {
        const char *name;
        int rank;
    } cases[] = {
        {"router_trace_rank0.jsonl", 0}, {"router_trace_rank17.jsonl", 17}, {"rank3.jsonl", 3},
        {"router_trace.jsonl", -1},      {"router_trace_rank.jsonl", -1},   {"rank1x.jsonl", -1},
    };
    const char *line = "{\"step\": 2, \"block\": 0, \"layer\": 1, "
                       "\"num_tokens\": 1, \"topk\": 1, \"top_indices\": [[4]]}\n";
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        place_list found = {0};
        reader_routing_trace.places(put_text(scratch(), cases[i].name, line), &found);
        assert_int_equal(found.n, 1);
        assert_int_equal(found.v[0].step, 2);
        if (found.v[0].rank != cases[i].rank)
            fail_msg("%s: rank %d", cases[i].name, found.v[0].rank);
        place_list_release(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_of_their_kinds),
        cmocka_unit_test(traces_are_of_their_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
