/* Parses numbers, words and one-line dictionaries in log lines. */
#include <math.h>

#include "log/series_builder.h"

static bool equals_lower_case(const char *p, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] + 32) : p[i];
        if (c != word[i])
            return false;
    }
    return true;
}

/* Length of nan, inf or infinity at p. */
static size_t special_number_length(const char *p, size_t n)
{
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (size_t i = 0; n && p[0] > '9' && i < ARRAY_LEN(words); i++) {
        size_t len = strlen(words[i]);
        if (n >= len && equals_lower_case(p, words[i], len))
            return len;
    }
    return 0;
}

static double power_of_ten(int e)
{
    static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    const int most = (int)ARRAY_LEN(tens) - 1;
    return e >= 0 && e <= most ? tens[e] : e < 0 && e >= -most ? 1 / tens[-e] : pow(10, e);
}

bool scan_leading(struct str *s, double *v, double *digit)
{
    size_t i = 0, decimals = 0;
    int exponent = 0;
    struct str at = *s;
    while (at.n && (at.p[0] == ' ' || at.p[0] == '\t'))
        at = str_n(at.p + 1, at.n - 1);
    if (i < at.n && (at.p[i] == '-' || at.p[i] == '+'))
        i++;
    size_t word = special_number_length(at.p + i, at.n - i), begin = i;
    if (word) {
        i += word;
    } else {
        while (i < at.n && char_is_digit(at.p[i]))
            i++;
        size_t digits = i - begin;
        if (i < at.n && at.p[i] == '.') {
            const size_t point = ++i;
            while (i < at.n && char_is_digit(at.p[i]))
                i++;
            decimals = i - point;
            digits += decimals;
        }
        if (!digits)
            return false;
        if (i + 1 < at.n && (at.p[i] == 'e' || at.p[i] == 'E')) {
            size_t k = i + 1;
            bool minus = at.p[k] == '-';
            if (at.p[k] == '-' || at.p[k] == '+')
                k++;
            size_t from = k;
            for (; k < at.n && char_is_digit(at.p[k]); k++)
                if (exponent < 10000)
                    exponent = exponent * 10 + (at.p[k] - '0');
            if (k > from)
                i = k;
            if (minus)
                exponent = -exponent;
        }
    }
    if (reading_number(str_n(at.p, i), v) != READING_VALUE)
        return false;
    if (digit)
        *digit = word ? 0 : power_of_ten(exponent - (int)decimals);
    *s = str_cut(at, i);
    return true;
}

bool scan_goes_on(struct str s)
{
    char c = s.n ? s.p[0] : ' ', next = s.n > 1 ? s.p[1] : ' ';
    return char_is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '#' || c == '.' ||
           (c == ',' && char_is_digit(next));
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
        at = str_n(at.p + 1, at.n - 1);
    for (; i < at.n && char_is_digit(at.p[i]); i++)
        n = n >= LOG_STEP ? LOG_STEP : n * 10 + (at.p[i] - '0');
    if (!i)
        return false;
    at = str_n(at.p + i, at.n - i);
    while (at.n && (at.p[0] == ' ' || at.p[0] == '\t'))
        at = str_n(at.p + 1, at.n - 1);
    *s = at;
    *v = n > LOG_STEP ? LOG_STEP : n;
    return true;
}

/* Compares 32 positions at a time with the word's first and last letter: single letters are too frequent in a log for
 * memchr. */
typedef uint8_t letters __attribute__((vector_size(16)));

#define PLACES (2 * sizeof(letters))

/* Whether the word may begin at one of the positions from p on. */
static bool word_may_begin(const char *p, size_t n, letters first, letters last)
{
    letters a[2], b[2];
    uint64_t half[2];
    memcpy(a, p, sizeof a);
    memcpy(b, p + n - 1, sizeof b);
    a[0] = (letters)(((a[0] == first) & (b[0] == last)) | ((a[1] == first) & (b[1] == last)));
    memcpy(half, a, sizeof half);
    return half[0] | half[1];
}

bool scan_word(struct str s, const char *word, size_t n, struct str *rest)
{
    const letters first = (letters){0} + (uint8_t)word[0], last = (letters){0} + (uint8_t)word[n - 1];
    const size_t places = s.n < n ? 0 : s.n - n + 1;
    for (size_t i = 0; i < places; i += PLACES) {
        /* the last places overlap those before */
        const size_t from = i + PLACES <= places || places < PLACES ? i : places - PLACES;
        const size_t end = i + PLACES < places ? i + PLACES : places;
        if (end - from == PLACES && !word_may_begin(s.p + from, n, first, last))
            continue;
        for (size_t k = i; k < end; k++)
            if (s.p[k] == word[0] && s.p[k + n - 1] == word[n - 1] && memcmp(s.p + k, word, n) == 0) {
                *rest = str_cut(s, k + n);
                return true;
            }
    }
    return false;
}

bool scan_key(struct str s, const char *key)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == ' ' || s.p[i] == '\t')
            continue;
        if (!*key || !equals_lower_case(s.p + i, key, 1))
            return false;
        key++;
    }
    return !*key;
}

static struct str skip_scan_blanks(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t' || s.p[0] == '\n' || s.p[0] == '\r'))
        s = str_cut(s, 1);
    return s;
}

struct str scan_unquoted(struct str v)
{
    return v.n >= 2 && v.p[0] == '"' && v.p[v.n - 1] == '"' ? str_n(v.p + 1, v.n - 2) : v;
}

/* What Python prints around a number: "np.float64(2.5)", "tensor(2.5, device='npu:0')", "Array(2.5, dtype=float32)". */
static struct str unwrap_number(struct str v)
{
    static const char *const calls[] = {"tensor(", "Tensor(", "Array(", "np.float64(", "np.float32(", "np.float16(",
                                        "np.int64(", "np.int32(", "numpy.float64(", "numpy.float32("};
    double x;
    for (size_t i = 0; i < ARRAY_LEN(calls) && v.n && v.p[v.n - 1] == ')'; i++)
        if (str_starts(v, calls[i])) {
            struct str at = str_cut(v, strlen(calls[i])), number = at;
            if (scan_leading(&at, &x, NULL) && at.n && strchr(",)", at.p[0]))
                return str_n(number.p, number.n - at.n);
        }
    return v;
}

int scan_member(struct str *s, struct str *key, struct str *value)
{
    struct str at = skip_scan_blanks(*s);
    if (at.n && at.p[0] == ',')
        at = skip_scan_blanks(str_cut(at, 1));
    if (at.n && at.p[0] == '}') {
        *s = str_cut(at, 1);
        return 0;
    }
    if (!at.n || (at.p[0] != '"' && at.p[0] != '\''))
        return -1;
    size_t end = str_quoted(at), depth = 0, i;
    if (!end)
        return -1;
    *key = str_n(at.p + 1, end - 2);
    at = skip_scan_blanks(str_cut(at, end));
    if (!at.n || at.p[0] != ':')
        return -1;
    at = skip_scan_blanks(str_cut(at, 1));
    for (i = 0; i < at.n; i++) {
        char c = at.p[i];
        if (c == '"' || c == '\'') {
            size_t n = str_quoted(str_cut(at, i));
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
    *value = unwrap_number(str_trim(str_n(at.p, i)));
    *s = str_cut(at, i);
    return 1;
}
