/* Numbers, words and one-line dictionaries in log lines. */
#include <math.h>
#include <stdlib.h>

#include "log/sink.h"

#define NUMBER_BYTES 64 /* longer is no number a log prints */

static bool ieq(const char *p, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] + 32) : p[i];
        if (c != word[i])
            return false;
    }
    return true;
}

/* Length of nan, inf or infinity at p. */
static size_t special(const char *p, size_t n, double *v)
{
    static const struct {
        const char *word;
        double v;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t len = strlen(words[i].word);
        if (n >= len && ieq(p, words[i].word, len)) {
            *v = words[i].v;
            return len;
        }
    }
    return 0;
}

bool scan_leading(struct str *s, double *v, double *digit)
{
    char text[NUMBER_BYTES];
    size_t i = 0, digits = 0, decimals = 0;
    struct str at = *s;
    while (at.n && (at.p[0] == ' ' || at.p[0] == '\t'))
        at = str_cut(at, 1);
    if (i < at.n && (at.p[i] == '-' || at.p[i] == '+'))
        i++;
    size_t word = special(at.p + i, at.n - i, v);
    if (word) {
        if (i && at.p[0] == '-')
            *v = -*v;
        if (digit)
            *digit = 0;
        *s = str_cut(at, i + word);
        return true;
    }
    for (; i < at.n && at.p[i] >= '0' && at.p[i] <= '9'; i++)
        digits++;
    if (i < at.n && at.p[i] == '.')
        for (i++; i < at.n && at.p[i] >= '0' && at.p[i] <= '9'; i++) {
            digits++;
            decimals++;
        }
    if (!digits)
        return false;
    int exponent = 0;
    if (i + 1 < at.n && (at.p[i] == 'e' || at.p[i] == 'E')) {
        size_t k = i + 1;
        bool minus = at.p[k] == '-';
        if (at.p[k] == '-' || at.p[k] == '+')
            k++;
        size_t from = k;
        for (; k < at.n && at.p[k] >= '0' && at.p[k] <= '9'; k++)
            if (exponent < 10000)
                exponent = exponent * 10 + (at.p[k] - '0');
        if (k > from)
            i = k;
        else
            exponent = 0;
        if (minus)
            exponent = -exponent;
    }
    if (i >= sizeof text)
        return false;
    memcpy(text, at.p, i);
    text[i] = 0;
    *v = strtod(text, NULL);
    if (digit)
        *digit = pow(10, exponent - (int)decimals);
    *s = str_cut(at, i);
    return true;
}

bool scan_number(struct str s, double *v, double *digit)
{
    s = str_trim(s);
    return scan_leading(&s, v, digit) && s.n == 0;
}

bool scan_count(struct str *s, int64_t *v)
{
    struct str at = *s;
    int64_t n = 0;
    size_t i = 0;
    while (at.n && (at.p[0] == ' ' || at.p[0] == '\t'))
        at = str_cut(at, 1);
    for (; i < at.n && at.p[i] >= '0' && at.p[i] <= '9'; i++)
        n = n >= LOG_STEP ? LOG_STEP : n * 10 + (at.p[i] - '0');
    if (!i)
        return false;
    at = str_cut(at, i);
    while (at.n && (at.p[0] == ' ' || at.p[0] == '\t'))
        at = str_cut(at, 1);
    *s = at;
    *v = n > LOG_STEP ? LOG_STEP : n;
    return true;
}

bool scan_behind(struct str s, const char *word, struct str *rest)
{
    size_t n = strlen(word);
    const char *p = s.p, *end = s.p + s.n;
    while ((size_t)(end - p) >= n && (p = memchr(p, word[0], (size_t)(end - p) - n + 1))) {
        if (memcmp(p, word, n) == 0) {
            *rest = str_n(p + n, (size_t)(end - p) - n);
            return true;
        }
        p++;
    }
    return false;
}

bool scan_has(struct str s, const char *word)
{
    struct str rest;
    return scan_behind(s, word, &rest);
}

bool scan_key(struct str s, const char *key)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == ' ' || s.p[i] == '\t')
            continue;
        if (!*key || !ieq(s.p + i, key, 1))
            return false;
        key++;
    }
    return !*key;
}

/* Where the text in quotes at p ends (behind the closing one), or 0. */
static size_t quoted(struct str s)
{
    for (size_t i = 1; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == s.p[0])
            return i + 1;
    }
    return 0;
}

static struct str skip_blanks(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t' || s.p[0] == '\n' || s.p[0] == '\r'))
        s = str_cut(s, 1);
    return s;
}

int scan_member(struct str *s, struct str *key, struct str *value)
{
    struct str at = skip_blanks(*s);
    if (at.n && at.p[0] == ',')
        at = skip_blanks(str_cut(at, 1));
    if (at.n && at.p[0] == '}') {
        *s = str_cut(at, 1);
        return 0;
    }
    if (!at.n || (at.p[0] != '"' && at.p[0] != '\''))
        return -1;
    size_t end = quoted(at), depth = 0, i;
    if (!end)
        return -1;
    *key = str_n(at.p + 1, end - 2);
    at = skip_blanks(str_cut(at, end));
    if (!at.n || at.p[0] != ':')
        return -1;
    at = skip_blanks(str_cut(at, 1));
    for (i = 0; i < at.n; i++) {
        char c = at.p[i];
        if (c == '"' || c == '\'') {
            size_t n = quoted(str_cut(at, i));
            if (!n)
                return -1;
            i += n - 1;
        } else if (c == '{' || c == '[' || c == '(') {
            depth++;
        } else if (c == '}' || c == ']' || c == ')') {
            if (!depth)
                break;
            depth--;
        } else if (c == ',' && !depth) {
            break;
        }
    }
    if (i == at.n)
        return -1; /* cut off: the last value may not be whole */
    *value = str_trim(str_n(at.p, i));
    *s = str_cut(at, i);
    return 1;
}
