/* Numbers as text: all digits, a number of digits, errors with two digits, counts with separators, sizes in bytes. */
#include "base/num.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *non_finite_text(double v)
{
    if (isnan(v))
        return "NaN";
    if (isinf(v))
        return v > 0 ? "Inf" : "-Inf";
    return NULL;
}

const char *num_exact(char out[NUM_MAX], double v)
{
    const char *s = non_finite_text(v);
    if (s)
        return strcpy(out, s);
    if (v == 0)
        return strcpy(out, signbit(v) ? "-0.0" : "0");
    int digits = fabs(v) < DBL_MIN ? 1 : 15; /* %.15g drops trailing zeros of normal numbers */
    for (; digits <= 17; digits++) {
        snprintf(out, NUM_MAX, "%.*g", digits, v);
        if (strtod(out, NULL) == v)
            break;
    }
    return out;
}

/* "2.1e-07" → "2.1e-7" */
static void slim_exponent(char *s)
{
    char *e = strchr(s, 'e');
    if (!e)
        return;
    char *from = e + 2, *to = e + 1 + (e[1] == '-');
    while (*from == '0' && from[1])
        from++;
    memmove(to, from, strlen(from) + 1);
}

const char *num_cell(char out[NUM_MAX], double v, int digits)
{
    const char *s = non_finite_text(v);
    if (s)
        return strcpy(out, s);
    if (v == 0)
        return strcpy(out, "0");
    snprintf(out, NUM_MAX, "%.*g", digits, v);
    slim_exponent(out);
    return out;
}

const char *num_error(char out[NUM_MAX], double v)
{
    double a = fabs(v);
    if (!isfinite(v) || v == 0 || (a >= 0.01 && a < 1000))
        return num_cell(out, v, a < 1 ? 2 : 3);
    snprintf(out, NUM_MAX, "%.1e", v);
    slim_exponent(out);
    return out;
}

const char *num_factor(char out[NUM_MAX], double v)
{
    double power = exp2(round(log2(fabs(v))));
    if (power >= 1024 && power <= 0x1p53 && fabs(fabs(v) - power) <= 1e-4 * power) /* a loss scale */
        return num_exact(out, v < 0 ? -power : power);
    if (fabs(v) >= 1000 || fabs(v) < 0.01)
        return num_cell(out, v, 3);
    snprintf(out, NUM_MAX, "%#.3g", v);
    return out;
}

const char *num_count(char out[NUM_MAX], unsigned long long v)
{
    char raw[NUM_MAX];
    int n = snprintf(raw, sizeof raw, "%llu", v), o = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            out[o++] = ',';
        out[o++] = raw[i];
    }
    out[o] = 0;
    return out;
}

const char *num_bytes(char out[NUM_MAX], unsigned long long v)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double x = (double)v;
    size_t u = 0;
    while (x >= 1000 && u + 1 < sizeof unit / sizeof *unit) {
        x /= 1000;
        u++;
    }
    snprintf(out, NUM_MAX, u && x < 10 ? "%.1f %s" : "%.0f %s", x, unit[u]);
    return out;
}

uint64_t num_common(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}
