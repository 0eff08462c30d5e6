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

/* A number that only the golden side was given. */
static void number_of_golden(const char *slot, double v)
{
    for (int i = 0; i < 2; i++) {
        struct row r = {.slot = dump_slot(&s.d[i], str_of(slot)), .shape = NONE, .extra = NONE, .kind = ROW_NULL};
        if (i == GOLDEN) {
            r.kind = ROW_FLOAT;
            r.has = HAS_MAX;
            r.text = "4";
            r.stat[STAT_MAX] = v;
        }
        dump_add_row(&s.d[i], (uint32_t)s.d[i].calls.n - 1, r);
    }
}

/* The golden side multiplies queries by a number, and the target, unseen, what comes behind: both ways the values agree
 * in the end. A factor that no call writes down is none. */
static void a_factor_of_either_side(void **state)
{
    (void)state;
    for (int written = 0; written < 2; written++)
        for (int wrong = 0; wrong < 2; wrong++) {
            double golden[N], end[N], far[N];
            for (int k = 0; k < N; k++) {
                golden[k] = 4 * plain[k];
                end[k] = 10 - plain[k];
                far[k] = wrong ? 3 - end[k] : end[k];
            }
            scene_start(&s);
            memset(element_of, 0, sizeof element_of);
            both_call("mul", PHASE_FORWARD);
            both_rows("input.0", DTYPE_F32, SIZES, plain, plain);
            number_of_golden("input.1", written ? 4 : 3);
            uint32_t scaled = both_rows("output.0", DTYPE_F32, SIZES, plain, golden);
            both_call("softmax", PHASE_FORWARD);
            both_rows("input.0", DTYPE_F32, SIZES, plain, golden);
            both_rows("output.0", DTYPE_F32, SIZES, far, end);
            elements_readable();
            for (uint32_t r = 0; r < s.d[0].rows.n; r++)
                if (element_of[TARGET][r])
                    elements_compared(r);
            scene_judge(&s);
            bool moved = s.j.line[scene_line(&s, scaled)].rule == RULE_FACTOR;
            if (moved != (written && !wrong))
                fail_msg("written %d, wrong %d: rule %d", written, wrong, s.j.line[scene_line(&s, scaled)].rule);
            elements_end();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(judged), cmocka_unit_test(a_factor_of_either_side)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
