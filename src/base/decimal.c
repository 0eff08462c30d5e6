/* A decimal number is w * 10^q. It is computed by one multiplication of w by M, the first 128 bits of 10^q. M is
 * truncated, so the exact product is at most w above w * M. If that leaves the rounding undecided, w is divided by
 * 10^-q where both are doubles; otherwise, or if the power or digits exceed the table, the C library reads the number.
 * The method is Eisel's and Lemire's ("Number parsing at a gigabyte per second", 2021). */
#include "base/decimal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define LOWEST (-54) /* 5^54: the largest power for which the division below fits 128 bits */
#define HIGHEST 55   /* 5^55: the largest power of 128 bits */
#define DIGITS 19    /* digits that always fit 64 bits */
#define LONGEST 63   /* the most bytes of a number */
#define MOST 10000    /* larger exponents are treated alike */

typedef unsigned __int128 u128;

/* 10^q = (M + something below 1) * 2^exponent, with M of 128 bits whose top bit is set; exact for q >= 0. */
struct power {
    uint64_t high, low;
    int exponent;
};

static struct power powers[HIGHEST - LOWEST + 1];

static void set_power(int q, u128 m, int exponent)
{
    powers[q - LOWEST] = (struct power){(uint64_t)(m >> 64), (uint64_t)m, exponent + q};
}

static int leading_zeros(u128 x)
{
    return x >> 64 ? __builtin_clzll((uint64_t)(x >> 64)) : 64 + __builtin_clzll((uint64_t)x);
}

/* The first 128 bits of 1 / five, by long division. */
static u128 reciprocal_bits(u128 five, int *exponent)
{
    u128 quotient = 0, rest = 1;
    for (*exponent = 0; !(quotient >> 127); --*exponent) {
        rest <<= 1;
        quotient <<= 1;
        if (rest >= five) {
            rest -= five;
            quotient |= 1;
        }
    }
    return quotient;
}

__attribute__((constructor)) static void fill_powers(void)
{
    u128 five = 1;
    for (int q = 0; q <= HIGHEST; q++, five *= 5) {
        int zeros = leading_zeros(five), exponent;
        set_power(q, five << zeros, -zeros);
        if (q > 0 && -q >= LOWEST) {
            u128 m = reciprocal_bits(five, &exponent);
            set_power(-q, m, exponent);
        }
    }
}

/* Computes w * 10^q for w > 0; false if the rounding is undecided. No branch depends on the digits: half of those
 * that do are foretold wrong. */
static inline bool round_product(uint64_t w, int q, bool minus, double *out)
{
    const struct power *p = &powers[q - LOWEST];
    int zeros = __builtin_clzll(w), exponent = p->exponent - zeros + 128 + 10;
    u128 upper = (u128)(w << zeros) * p->high, lower = (u128)(w << zeros) * p->low;
    upper += lower >> 64;
    uint64_t high = (uint64_t)(upper >> 64), mid = (uint64_t)upper;
    int top = (int)(high >> 63);
    uint64_t bits = high >> (9 + top); /* a double's 53 and one to round by */
    if (q < 0 && mid == UINT64_MAX)
        return false;
    if (q > 0 && !mid && !(uint64_t)lower && bits << (9 + top) == high && (bits & 3) == 1)
        bits--; /* half way, to even */
    bits = (bits + 1) >> 1;
    /* the first of the bits adds 1 to the exponent; 2 where rounding has made them 54 */
    uint64_t image = ((uint64_t)(exponent + top + 52 + 1023 - 1) << 52) + bits;
    image |= (uint64_t)minus << 63;
    memcpy(out, &image, sizeof image);
    return true;
}

static double by_library(const char *p, size_t n)
{
    char copy[LONGEST + 1];
    memcpy(copy, p, n);
    copy[n] = 0;
    return strtod(copy, NULL);
}

/* The value of eight digits, each 0 to 9, the first in the lowest byte. */
static inline uint64_t eight_digits_value(uint64_t v)
{
    const uint64_t pairs = 0x000000ff000000ff;
    v = v * 10 + (v >> 8); /* every other byte is now the value of two digits */
    return ((v & pairs) * (100 + (UINT64_C(1000000) << 32)) + (v >> 16 & pairs) * (1 + (UINT64_C(10000) << 32))) >> 32;
}

static inline const char *read_digits(const char *p, const char *end, uint64_t *w)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t v, odd;
    for (; end - p >= 8; p += 8) {
        memcpy(&v, p, sizeof v);
        v ^= 0x3030303030303030; /* digits are now 0 to 9 */
        /* only the lowest set bit is reliable */
        odd = ((v + 0x7676767676767676) | v) & 0x8080808080808080;
        if (odd) {
            int n = __builtin_ctzll(odd) / 8;
            *w = *w * tens[n] + eight_digits_value(v << (56 - 8 * n) << 8); /* shifts in leading zeros */
            return p + n;
        }
        *w = *w * 100000000 + eight_digits_value(v);
    }
    for (; p < end && char_is_digit(*p); p++)
        *w = *w * 10 + (uint64_t)(*p - '0');
    return p;
}

/* Reads the exponent after the "e", clamped beyond the table. NULL if there is no digit. */
static const char *read_power(const char *p, const char *end, ptrdiff_t *q)
{
    bool minus = p < end && *p == '-';
    int power = 0;
    p += p < end && (*p == '-' || *p == '+');
    if (p == end || !char_is_digit(*p))
        return NULL;
    for (; p < end && char_is_digit(*p); p++)
        power = power < MOST ? power * 10 + (*p - '0') : power;
    *q += minus ? -power : power;
    return p;
}

static ptrdiff_t zeros_in_front(const char *p, const char *end)
{
    ptrdiff_t n = 0;
    for (; p < end && (*p == '0' || *p == '.'); p++)
        n += *p == '0';
    return n;
}

/* A number as far as its digits are read: the first one, those behind it, their value w * 10^q. */
struct digits {
    const char *begin, *first, *behind;
    ptrdiff_t count, q;
    uint64_t w;
};

/* Finishes what is rare: an exponent, a whole number, zero, too many digits, and a product that leaves the rounding
 * undecided, as it does if the number is a double itself: if w and 10^-q are doubles, the quotient is rounded once. */
__attribute__((noinline)) static const char *finish_rare(struct digits d, const char *end, double *out)
{
    const char *p = d.behind;
    if (p < end && (*p == 'e' || *p == 'E') && !(p = read_power(p + 1, end, &d.q)))
        return NULL;
    if (p - d.begin > LONGEST)
        return NULL;
    bool minus = *d.begin == '-', fits = d.count - zeros_in_front(d.first, d.behind) <= DIGITS;
    double v = (double)d.w, divisor = 1;
    if (!fits || (d.w && (d.q < LOWEST || d.q > HIGHEST)))
        v = by_library(d.first, (size_t)(p - d.first));
    else if (d.w && d.q && round_product(d.w, (int)d.q, minus, out))
        return p;
    else if (d.w && d.q && (d.w >> 53 || d.q < -22))
        v = by_library(d.first, (size_t)(p - d.first));
    else
        for (; d.q < 0 && d.w; d.q++)
            divisor *= 10;
    v /= divisor;
    *out = minus ? -v : v;
    return p;
}

const char *decimal_read(const char *p, const char *end, double *out)
{
    struct digits d = {.begin = p};
    bool minus = p < end && *p == '-';
    p += minus;
    d.first = p;
    for (; p < end && char_is_digit(*p); p++) /* few, mostly one */
        d.w = d.w * 10 + (uint64_t)(*p - '0');
    d.count = p - d.first;
    if (d.count == 0 || (*d.first == '0' && d.count > 1))
        return NULL;
    if (p < end && *p == '.') {
        const char *point = p;
        p = read_digits(p + 1, end, &d.w);
        d.q = point + 1 - p;
        if (d.q == 0)
            return NULL;
    }
    d.behind = p;
    d.count -= d.q;
    bool plain = d.q < 0 && d.q >= LOWEST && d.w && d.count - (*d.first == '0') <= DIGITS &&
                 !(p < end && (*p | 0x20) == 'e');
    if (plain && round_product(d.w, (int)d.q, minus, out))
        return p;
    return finish_rare(d, end, out);
}
