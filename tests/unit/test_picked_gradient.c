/* The gradient of a maximum: it may go to another place only where noise picked another one. */
#include "elements.h"
#include "judge/conditioning.h"

enum { CHANNELS = 40, POINTS = 30, N = CHANNELS * POINTS };
#define SIZES ((const int64_t[]){CHANNELS, POINTS, 0})
#define PICKS ((const int64_t[]){CHANNELS, 0})

static double x[2][N], most[2][CHANNELS], place[2][CHANNELS], came[2][CHANNELS], dx[2][N];

/* Two points of channel 0 nearly tie, and noise of the target prefers the other one. The gradients of the last `lost`
 * channels go where nothing was picked. */
static void make(int lost)
{
    memset(dx, 0, sizeof dx);
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < CHANNELS; c++) {
            for (int p = 0; p < POINTS; p++)
                x[side][c * POINTS + p] =
                    (p * 7 + c) % POINTS / (double)POINTS + (side ? 0 : 2e-3 * ((p * 5 + c) % 3 - 1));
            if (c == 0)
                x[side][1] = x[side][0] = 1.5 + (side ? 0 : 1e-6);
            int top = 0;
            for (int p = 1; p < POINTS; p++)
                top = x[side][c * POINTS + p] > x[side][c * POINTS + top] ? p : top;
            top = c == 0 && side == TARGET ? 1 : top;
            place[side][c] = top;
            most[side][c] = x[side][c * POINTS + top];
            came[side][c] = 1 + c % 5;
            int to = c >= CHANNELS - lost && side == TARGET ? (top + 2) % POINTS : top;
            dx[side][c * POINTS + to] = came[side][c];
        }
}

static uint32_t judged(void)
{
    scene_start(&s);
    both_call("max", PHASE_FORWARD);
    uint32_t in = both_rows("input.0", DTYPE_BF16, SIZES, x[TARGET], x[GOLDEN]);
    uint32_t value = both_rows("output.0", DTYPE_BF16, PICKS, most[TARGET], most[GOLDEN]);
    uint32_t at = both_rows("output.1", DTYPE_I64, PICKS, place[TARGET], place[GOLDEN]);
    both_call("max", PHASE_BACKWARD);
    uint32_t g = both_rows("input.0", DTYPE_F32, PICKS, came[TARGET], came[GOLDEN]);
    uint32_t out = both_rows("output.0", DTYPE_F32, SIZES, dx[TARGET], dx[GOLDEN]);
    elements_readable();
    elements_compared(in);
    elements_compared(value);
    elements_compared(at);
    elements_compared(g);
    elements_compared(out);
    scene_judge(&s);
    return scene_line(&s, out);
}

static void picked(void **state)
{
    (void)state;
    for (int lost = 0; lost <= CHANNELS / 2; lost += 4) {
        make(lost);
        uint32_t line = judged();
        if ((s.j.first == NONE) != (lost == 0))
            fail_msg("%d gradients lost: the first deviation is line %d", lost, (int)s.j.first);
        assert_int_equal(s.j.line[line].was, lost ? 0 : CONDITION_KINK);
        elements_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(picked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
