/* Gradients of micro-batches: PyTorch adds them up in its records, MindSpore does not; a gradient that is neither is a
 * deviation. */
#include "elements.h"

enum { N = 48 };
#define SIZES ((const int64_t[]){6, 8, 0})

static double first[N], second[N], sum[N], other[N];

/* The record of a parameter's gradient, on both sides; the rows. */
static uint32_t record(int micro_batch, const double *t, const double *g)
{
    for (int i = 0; i < 2; i++) {
        char name[60];
        snprintf(name, sizeof name, "Module.head.Linear.parameters_grad.%d", micro_batch);
        uint32_t c = dump_add_call(&s.d[i], str_of(name), CALL_MODULE, PHASE_BACKWARD);
        s.d[i].calls.v[c].gradient = true;
        s.d[i].calls.v[c].scope = dump_scope(&s.d[i], str_of("head"));
    }
    uint32_t row = both_rows("input.weight", DTYPE_F32, SIZES, t, g);
    for (int i = 0; i < 2; i++)
        s.d[i].rows.v[row].io = IO_GRADIENT;
    return row;
}

static bool deviates(const char *target, const double *t, const double *g)
{
    scene_start(&s);
    uint32_t a = record(0, first, first), b = record(1, t, g);
    elements_readable();
    s.d[TARGET].framework = target; /* paired by name as one framework's */
    elements_compared(a);
    elements_compared(b);
    scene_judge(&s);
    bool found = s.j.first != NONE;
    elements_end();
    return found;
}

static void micro_batches(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        first[i] = sin(i);
        second[i] = cos(3 * i);
        sum[i] = first[i] + second[i];
        other[i] = first[i] + 0.8 * second[i];
    }
    assert_false(deviates("mindspore", second, sum));
    assert_false(deviates("mindspore", sum, sum)); /* both add up */
    assert_true(deviates("mindspore", second, other));
    assert_true(deviates("pytorch", second, sum)); /* one framework: not added up on one side */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(micro_batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
