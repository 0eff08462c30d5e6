/* Fields as texts and as JSON to numbers, counts and sizes; whatever else is there is unreadable. */
#include "base/reading.h"

#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/json_read.h"
#include "base/msg.h"

#define TOLD 40 /* bytes of an unreadable text that a message repeats */
#define SIZE_MOST 1e15

bool reading_is_nothing(struct str text)
{
    static const char *const nothing[] = {"", "null", "none", "n/a", "-"};
    text = str_trim(text);
    for (size_t i = 0; text.n <= 4 && i < ARRAY_LEN(nothing); i++)
        if (str_ieq(text, str_of(nothing[i])))
            return true;
    return false;
}

/* NaN and infinity as the languages spell them; strtod alone also takes "nan(…)" and hexadecimal digits. */
static bool parse_non_finite(struct str s, double *out)
{
    bool minus = s.n && s.p[0] == '-';
    struct str word = s.n && (minus || s.p[0] == '+') ? str_cut(s, 1) : s;
    if (str_ieq(word, STR("nan")))
        *out = NAN;
    else if (str_ieq(word, STR("inf")) || str_ieq(word, STR("infinity")))
        *out = minus ? -INFINITY : INFINITY;
    else
        return false;
    return true;
}

enum reading reading_number(struct str text, double *out)
{
    double v;
    text = str_trim(text);
    if (text.n && decimal_read(text.p, text.p + text.n, &v) == text.p + text.n) { /* most are plain */
        *out = v;
        return READING_VALUE;
    }
    if (parse_non_finite(text, out))
        return READING_VALUE;
    if (reading_is_nothing(text))
        return READING_ABSENT;
    for (size_t i = 0; i < text.n; i++)
        if ((text.p[i] < '0' || text.p[i] > '9') && !strchr("+-.eE", text.p[i]))
            return READING_UNREADABLE;
    if (!str_double(text, &v))
        return READING_UNREADABLE;
    *out = v;
    return READING_VALUE;
}

enum reading reading_count(struct str text, uint64_t *out)
{
    unsigned long long v;
    if (reading_is_nothing(text))
        return READING_ABSENT;
    if (!str_u64(str_trim(text), &v))
        return READING_UNREADABLE;
    *out = v;
    return READING_VALUE;
}

enum reading reading_sizes(struct str text, int most, int64_t *dim, int *n)
{
    text = str_trim(text);
    *n = 0;
    if (reading_is_nothing(text))
        return READING_ABSENT;
    bool round = text.p[0] == '(' && text.p[text.n - 1] == ')', square = text.p[0] == '[' && text.p[text.n - 1] == ']';
    if (text.n < 2 || (!round && !square))
        return READING_UNREADABLE;
    struct str rest = str_trim(str_n(text.p + 1, text.n - 2));
    while (rest.n) {
        unsigned long long v;
        struct str part = str_trim(str_next(&rest, ','));
        rest = str_trim(rest);
        if (*n == most || !str_u64(part, &v) || v > INT64_MAX)
            return READING_UNREADABLE;
        dim[(*n)++] = (int64_t)v;
    }
    return READING_VALUE;
}

enum reading reading_json_number(const cJSON *v, double *out)
{
    if (json_number(v, out))
        return READING_VALUE;
    return !v || cJSON_IsNull(v) ? READING_ABSENT : READING_UNREADABLE;
}

enum reading reading_json_sizes(const cJSON *v, int most, int64_t *dim, int *n)
{
    *n = 0;
    if (!v || cJSON_IsNull(v))
        return READING_ABSENT;
    if (!cJSON_IsArray(v))
        return READING_UNREADABLE;
    for (const cJSON *it = v->child; it; it = it->next) {
        double x = cJSON_IsNumber(it) ? it->valuedouble : -1;
        if (*n == most || !(x >= 0 && x < SIZE_MOST) || x != floor(x))
            return READING_UNREADABLE;
        dim[(*n)++] = (int64_t)x;
    }
    return READING_VALUE;
}

const char *reading_found(char out[READING_FOUND], struct str text)
{
    size_t n = text.n;
    if (n > TOLD)
        for (n = TOLD; n && (text.p[n] & 0xc0) == 0x80; n--) /* not within a character */
            continue;
    snprintf(out, READING_FOUND, "\"%.*s%s\"", (int)n, text.p, n < text.n ? "…" : "");
    return out;
}

const char *reading_json_found(char out[READING_FOUND], const cJSON *v)
{
    double number;
    if (cJSON_IsString(v) && !json_number(v, &number))
        return reading_found(out, str_of(v->valuestring));
    snprintf(out, READING_FOUND, "%s", json_kind(v));
    return out;
}
