/* A module that puts out another value than the last call in it, which agrees: not another row's value, but something
 * nobody recorded. */
#include "elements.h"

#include "diagnose/diagnose.h"

enum { N = 12 };
#define SIZES ((const int64_t[]){3, 4, 0})

static const double inner[N] = {1, -2, 3, -4, 5, 6, -7, 8, 9, -1, 2, 4};
static const double added[N] = {2, 7, -3, 1, 8, 4, -2, 5, 3, 9, -6, 1};

static bool says(const struct diagnoses *x, enum diagnosis_id id, int side)
{
    for (int i = 0; i < x->n; i++)
        if (x->v[i].id == id && x->v[i].side == side)
            return true;
    return false;
}

/* A module of two calls; one side's module, or both with a call of its own for it, changes the last one's value. */
static void named(void **state)
{
    (void)state;
    for (int odd = 0; odd < 2; odd++)
        for (int recorded = 0; recorded < 2; recorded++) {
            double changed[N];
            for (int k = 0; k < N; k++)
                changed[k] = inner[k] + 0.5 * added[k];
            scene_start(&s);
            both_call("linear", PHASE_FORWARD);
            both_rows("output.0", DTYPE_F32, SIZES, inner, inner);
            both_call("add", PHASE_FORWARD);
            if (recorded)
                both_rows("output.0", DTYPE_F32, SIZES, odd == TARGET ? changed : inner,
                          odd == TARGET ? inner : changed);
            uint32_t module = both_call("Block", PHASE_FORWARD);
            uint32_t out = both_rows("output.0", DTYPE_F32, SIZES, odd == TARGET ? changed : inner,
                                     odd == TARGET ? inner : changed);
            for (int i = 0; i < 2; i++) {
                s.d[i].calls.v[module].kind = CALL_MODULE;
                for (uint32_t c = 0; c < module; c++)
                    s.d[i].calls.v[c].parent = module;
            }
            elements_readable();
            for (uint32_t r = 0; r < s.d[0].rows.n; r++)
                elements_compared(r);
            scene_judge(&s);
            struct diagnoses x;
            diagnose_line(&x, &s.j, &s.m, s.flow, scene_line(&s, out));
            if (says(&x, DIAGNOSIS_GAP, odd) == recorded || (!recorded && says(&x, DIAGNOSIS_STALE, TARGET)))
                fail_msg("side %d, recorded %d: %s", odd, recorded, x.n ? x.v[0].evidence : "nothing");
            diagnoses_release(&x);
            elements_end();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
