/* A decimal number is w * 10^q. It is computed by one multiplication of w by M, the first 128 bits of 10^q. M is
 * truncated, so the exact product is at most w above w * M. If that leaves the rounding undecided, or the power or
 * digits exceed the table, the C library reads the number. The method is Eisel's and Lemire's ("Number parsing at a
 * gigabyte per second", 2021). */
#include "base/decimal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static void keep(int q, u128 m, int exponent)
{
    powers[q - LOWEST] = (struct power){(uint64_t)(m >> 64), (uint64_t)m, exponent + q};
}

static int leading_zeros(u128 x)
{
    return x >> 64 ? __builtin_clzll((uint64_t)(x >> 64)) : 64 + __builtin_clzll((uint64_t)x);
}

/* The first 128 bits of 1 / five, by long division. */
static u128 reciprocal(u128 five, int *exponent)
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

__attribute__((constructor)) static void prepare(void)
{
    u128 five = 1;
    for (int q = 0; q <= HIGHEST; q++, five *= 5) {
        int zeros = leading_zeros(five), exponent;
        keep(q, five << zeros, -zeros);
        if (q > 0 && -q >= LOWEST) {
            u128 m = reciprocal(five, &exponent);
            keep(-q, m, exponent);
        }
    }
}

/* Computes w * 10^q for w > 0; false if the rounding is undecided. */
static bool product(uint64_t w, int q, double *out)
{
    const struct power *p = &powers[q - LOWEST];
    int zeros = __builtin_clzll(w), exponent = p->exponent - zeros;
    u128 upper = (u128)(w << zeros) * p->high, lower = (u128)(w << zeros) * p->low;
    upper += lower >> 64;
    uint64_t high = (uint64_t)(upper >> 64), mid = (uint64_t)upper, low = (uint64_t)lower;
    if (!(high >> 63)) {
        high = high << 1 | mid >> 63;
        mid = mid << 1 | low >> 63;
        low <<= 1;
        exponent--;
    }
    if (q < 0 && mid >= UINT64_MAX - 1)
        return false;
    bool more = mid || low || q < 0;
    uint64_t bits = high >> 11, rest = high & 0x7ff;
    bits += rest > 0x400 || (rest == 0x400 && (more || (bits & 1)));
    exponent += 128 + 11;
    if (bits >> 53) {
        bits >>= 1;
        exponent++;
    }
    uint64_t image = (uint64_t)(exponent + 52 + 1023) << 52 | (bits & 0xfffffffffffff);
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

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* The leading digits among the next eight bytes: returns their count and sets their value. */
static inline int some_digits(const char *p, uint64_t *number)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    v ^= 0x3030303030303030; /* digits are now 0 to 9 */
    /* only the lowest set bit is reliable */
    uint64_t odd = ((v + 0x7676767676767676) | v) & 0x8080808080808080;
    int n = odd ? __builtin_ctzll(odd) / 8 : 8;
    if (n == 0)
        return 0;
    v <<= 64 - 8 * n; /* shifts in leading zeros */
    v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ff;
    *number = ((v & 0x000000ff000000ff) * (100 + (UINT64_C(1000000) << 32)) +
               (v >> 16 & 0x000000ff000000ff) * (1 + (UINT64_C(10000) << 32))) >> 32;
    return n;
}

static inline const char *read_digits(const char *p, const char *end, uint64_t *w)
{
    uint64_t part;
    while (end - p >= 8) {
        int n = some_digits(p, &part);
        if (n == 0)
            return p;
        *w = *w * tens[n] + part;
        p += n;
        if (n < 8)
            return p;
    }
    for (; p < end && is_digit(*p); p++)
        *w = *w * 10 + (uint64_t)(*p - '0');
    return p;
}

/* Reads the exponent after the "e", clamped beyond the table. NULL if there is no digit. */
static const char *read_power(const char *p, const char *end, int *q)
{
    bool minus = p < end && *p == '-';
    int power = 0;
    p += p < end && (*p == '-' || *p == '+');
    if (p == end || !is_digit(*p))
        return NULL;
    for (; p < end && is_digit(*p); p++)
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

const char *decimal_read(const char *p, const char *end, double *out)
{
    const char *begin = p, *first, *behind;
    ptrdiff_t digits, fraction = 0;
    uint64_t w = 0;
    p += p < end && *p == '-';
    first = p;
    p = read_digits(p, end, &w);
    digits = p - first;
    if (digits == 0 || (*first == '0' && digits > 1))
        return NULL;
    if (p < end && *p == '.') {
        const char *point = p;
        p = read_digits(p + 1, end, &w);
        fraction = p - point - 1;
        if (fraction == 0)
            return NULL;
    }
    int q = fraction < MOST ? -(int)fraction : -MOST;
    behind = p;
    if (p < end && (*p == 'e' || *p == 'E') && !(p = read_power(p + 1, end, &q)))
        return NULL;
    if (p - begin > LONGEST)
        return NULL;
    bool fits = digits + fraction <= DIGITS || digits + fraction - zeros_in_front(first, behind) <= DIGITS;
    if (fits && (q == 0 || w == 0))
        *out = (double)w;
    else if (!fits || q < LOWEST || q > HIGHEST || !product(w, q, out))
        *out = by_library(first, (size_t)(p - first));
    if (*begin == '-')
        *out = -*out;
    return p;
}
