/* A factor one side applies inside a module and the other behind it, where modules alone were recorded. */
#include "elements.h"

enum { N = 8 };
#define SIZES ((const int64_t[]){N, 0})

static const double plain[N] = {1, -2, 3, -4, 5, 6, -7, 8};

static void module_of_both(const char *op)
{
    uint32_t c = both_call(op, PHASE_FORWARD);
    for (int i = 0; i < 2; i++)
        s.d[i].calls.v[c].kind = CALL_MODULE;
}

/* Who reads the value gets it with the factor on both sides, or not. */
static void judged(void **state)
{
    static const struct {
        const char *name;
        bool behind, bent; /* the target applies it behind the module; the module's value is no multiple */
        int first;         /* call of the first deviation; -1: none */
    } cases[] = {
        {"behind the module", true, false, -1},
        {"nowhere", false, false, 0},
        {"the value is another one", true, true, 0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double target[N], golden[N], next[N];
        for (int k = 0; k < N; k++) {
            golden[k] = 4 * plain[k];
            target[k] = plain[k] * (cases[i].bent && k % 2 ? 1.5 : 1);
            next[k] = cases[i].behind ? golden[k] : target[k];
        }
        scene_start(&s);
        module_of_both("embedding");
        both_rows("output.0", DTYPE_F32, SIZES, target, golden);
        module_of_both("linear");
        both_rows("input.0", DTYPE_F32, SIZES, next, golden);
        elements_readable();
        for (uint32_t r = 0; r < s.d[0].rows.n; r++)
            elements_compared(r);
        for (uint32_t r = 0; r < s.d[0].rows.n; r++)
            ((struct figures *)s.m.figures[scene_line(&s, r)])->minus = cases[i].bent ? 0.02 : 0;
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
