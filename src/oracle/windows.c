/* Arguments, coordinates and padding of operators with windows. */
#include "oracle/windows.h"

const int64_t window_ones[WINDOW_AXES] = {1, 1, 1}, window_zeros[WINDOW_AXES] = {0, 0, 0};

bool window_numbers(const struct call_values *c, int place, const char *words, int axes, const int64_t *left_out,
                    int64_t *out)
{
    int64_t given[WINDOW_AXES];
    int n = call_integers(c, place, words, given, axes);
    if (n != 0 && n != 1 && n != axes)
        return false;
    for (int i = 0; i < axes; i++)
        out[i] = n == 0 ? left_out[i] : given[n == 1 ? 0 : i];
    return true;
}

void window_digits(int64_t number, const int64_t *base, int axes, int64_t *out)
{
    for (int i = axes - 1; i >= 0; i--) {
        out[i] = number % base[i];
        number /= base[i];
    }
}

int64_t margin_source(int64_t at, int64_t n, enum margin margin)
{
    if (at >= 0 && at < n)
        return at;
    if (margin == MARGIN_CONSTANT || n < 1)
        return -1;
    if (margin == MARGIN_REPLICATE)
        return at < 0 ? 0 : n - 1;
    at = margin == MARGIN_CIRCULAR ? (at + n) % n : at < 0 ? -at : 2 * (n - 1) - at;
    return at >= 0 && at < n ? at : -1;
}
