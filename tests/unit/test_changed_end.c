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

/* A row whose slot only one side has. */
static void row_of_one(int side, const char *slot, const double *v)
{
    struct dump *d = &s.d[side];
    struct row r = {.slot = dump_slot(d, str_of(slot)), .shape = dump_shape(d, SIZES, 2), .extra = NONE,
                    .kind = ROW_TENSOR, .dtype = DTYPE_F32, .io = *slot == 'o' ? IO_OUTPUT : IO_INPUT,
                    .has = HAS_MAX | HAS_MIN | HAS_NORM | HAS_SHAPE | HAS_FILE};
    double square = 0;
    r.stat[STAT_MAX] = r.stat[STAT_MIN] = v[0];
    for (int k = 0; k < N; k++) {
        r.stat[STAT_MAX] = fmax(r.stat[STAT_MAX], v[k]);
        r.stat[STAT_MIN] = fmin(r.stat[STAT_MIN], v[k]);
        square += v[k] * v[k];
    }
    r.stat[STAT_NORM] = sqrt(square);
    element_of[side][dump_add_row(d, (uint32_t)d->calls.n - 1, r)] = v;
}

/* A module of two calls; one side's module changes the last one's value: in no recorded call, in a call that both
 * sides recorded, in one that only this side recorded, which may read something else. */
static void named(void **state)
{
    (void)state;
    for (int odd = 0; odd < 2; odd++)
        for (int recorded = 0; recorded < 4; recorded++) {
            double changed[N];
            for (int k = 0; k < N; k++)
                changed[k] = inner[k] + 0.5 * added[k];
            scene_start(&s);
            both_call("linear", PHASE_FORWARD);
            both_rows("output.0", DTYPE_F32, SIZES, inner, inner);
            both_call("add", PHASE_FORWARD);
            if (recorded >= 2) {
                row_of_one(odd, "input.0", recorded == 2 ? inner : added); /* 3: of something else */
                row_of_one(!odd, "input.1", added);
                row_of_one(odd, "output.0", changed);
                row_of_one(!odd, "output.1", added); /* another value, so that rows stand at the same places */
            } else if (recorded)
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
                if (s.p.lines.v[scene_line(&s, r)].row[GOLDEN] != NONE)
                    elements_compared(r);
            scene_judge(&s);
            struct diagnoses x;
            diagnose_line(&x, &s.j, &s.m, s.flow, scene_line(&s, out));
            bool named = recorded % 2 == 0;
            if (says(&x, DIAGNOSIS_GAP, odd) != named || (named && says(&x, DIAGNOSIS_STALE, TARGET)))
                fail_msg("side %d, recorded %d: %s", odd, recorded, x.n ? x.v[0].evidence : "nothing");
            diagnoses_release(&x);
            elements_end();
        }
}

/* A gradient without a branch's part, because that branch was detached: only the other side has the branch's gradient.
 * It is named where it is exactly what is missing. */
static void detached(void **state)
{
    (void)state;
    for (int lacks = 0; lacks < 2; lacks++)
        for (int exact = 0; exact < 2; exact++) {
            double whole[N];
            struct diagnoses x;
            for (int k = 0; k < N; k++)
                whole[k] = inner[k] + added[k] * (exact ? 1 : 0.3 + 0.1 * k);
            scene_start(&s);
            both_call("linear", PHASE_FORWARD);
            both_rows("output.0", DTYPE_F32, SIZES, inner, inner);
            both_call("linear", PHASE_BACKWARD);
            row_of_one(!lacks, "output.0", added);
            row_of_one(lacks, "output.1", inner);
            both_call("mul", PHASE_FORWARD);
            both_rows("output.0", DTYPE_F32, SIZES, added, added);
            both_call("mul", PHASE_BACKWARD);
            uint32_t came = both_rows("input.0", DTYPE_F32, SIZES, lacks == TARGET ? inner : whole,
                                      lacks == TARGET ? whole : inner);
            elements_readable();
            for (uint32_t r = 0; r < s.d[0].rows.n; r++)
                if (s.p.lines.v[scene_line(&s, r)].row[GOLDEN] != NONE)
                    elements_compared(r);
            scene_judge(&s);
            diagnose_line(&x, &s.j, &s.m, s.flow, scene_line(&s, came));
            if (says(&x, DIAGNOSIS_ZERO_GRADIENT, lacks) != exact)
                fail_msg("side %d, exact %d: %s", lacks, exact, x.n ? x.v[0].evidence : "nothing");
            diagnoses_release(&x);
            elements_end();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(named), cmocka_unit_test(detached)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
