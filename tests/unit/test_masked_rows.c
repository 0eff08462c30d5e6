/* Queries that may see no key: what attention puts out for them differs by kernel, and matters where somebody reads
 * it. */
#include "elements.h"

enum { TOKENS = 3, WIDTH = 4, N = TOKENS * WIDTH };
#define MASK ((const int64_t[]){1, 1, TOKENS, TOKENS, 0})
#define TOKEN_ROWS ((const int64_t[]){1, TOKENS, WIDTH, 0})
#define POOLED ((const int64_t[]){1, WIDTH, 0})

static const double golden[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
static const double value[N] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 9, 8, 7};

static void judged(void **state)
{
    static const struct {
        const char *name;
        double seen[3]; /* keys the first query may see */
        bool other_place, read; /* the second differs too; the pooling reads the first, not the last */
        int first; /* call of the first deviation; -1: none */
    } cases[] = {
        {"nobody reads it", {0, 0, 0}, false, false, -1},
        {"it is pooled", {0, 0, 0}, false, true, 2},
        {"another place differs as well", {0, 0, 0}, true, false, 0},
        {"it may see itself", {1, 0, 0}, false, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double mask[TOKENS * TOKENS] = {0, 0, 0, 0, 1, 0, 0, 1, 1}, target[N], next[2][N];
        memcpy(mask, cases[i].seen, sizeof cases[i].seen);
        for (int k = 0; k < N; k++) {
            bool other = k < WIDTH || (cases[i].other_place && k < 2 * WIDTH);
            target[k] = other ? 0 : golden[k];
            next[0][k] = 3 * target[k] + 1;
            next[1][k] = 3 * golden[k] + 1;
        }
        int from = cases[i].read ? 0 : N - WIDTH;
        scene_start(&s);
        both_call("scaled_dot_product_attention", PHASE_FORWARD);
        both_rows("input.0", DTYPE_F32, TOKEN_ROWS, value, value);
        both_rows("input.attn_mask", DTYPE_BOOL, MASK, mask, mask);
        both_rows("output.0", DTYPE_F32, TOKEN_ROWS, target, golden);
        both_call("linear", PHASE_FORWARD);
        both_rows("input.0", DTYPE_F32, TOKEN_ROWS, target, golden);
        both_rows("output.0", DTYPE_F32, TOKEN_ROWS, next[0], next[1]);
        both_call("tanh", PHASE_FORWARD);
        both_rows("input.0", DTYPE_F32, POOLED, next[0] + from, next[1] + from);
        elements_readable();
        for (uint32_t r = 0; r < s.d[0].rows.n; r++)
            elements_compared(r);
        scene_judge(&s);
        int first = s.j.first == NONE ? -1 : (int)s.d[0].rows.v[s.p.lines.v[s.j.first].row[0]].call;
        if (first != cases[i].first)
            fail_msg("%s: the first deviation is in call %d", cases[i].name, first);
        elements_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(judged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
