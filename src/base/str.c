/* Comparing, searching, splitting and parsing text views; growing buffers. */
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/mem.h"

static char fold_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool str_one_of(struct str s, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(s, words[i]))
            return true;
    return false;
}

bool str_is_word_of(struct str s, struct str words)
{
    while (words.n)
        if (str_eq(str_next(&words, ' '), s))
            return true;
    return false;
}

bool str_ieq(struct str a, struct str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (fold_case(a.p[i]) != fold_case(b.p[i]))
            return false;
    return true;
}

int str_cmp(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

ptrdiff_t str_search(struct str s, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= s.n; i++) {
        const char *at = n ? memchr(s.p + i, part[0], s.n - n - i + 1) : s.p + i;
        if (!at)
            break;
        i = (size_t)(at - s.p);
        if (memcmp(at, part, n) == 0)
            return (ptrdiff_t)i;
    }
    return -1;
}

bool str_starts(struct str s, const char *prefix)
{
    size_t n = strlen(prefix);
    return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

bool str_ends(struct str s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

bool str_has(struct str s, const char *part)
{
    return str_search(s, part) >= 0;
}

bool str_ihas(struct str s, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= s.n; i++)
        if (!n || (fold_case(s.p[i]) == fold_case(*part) &&
                   str_ieq(str_n(s.p + i, n), str_n(part, n))))
            return true;
    return false;
}

size_t str_quoted(struct str s)
{
    for (size_t i = 1; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == s.p[0])
            return i + 1;
    }
    return 0;
}

size_t str_item_end(struct str s)
{
    size_t depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '"' || c == '\'') {
            size_t n = str_quoted(str_cut(s, i));
            if (!n)
                return s.n;
            i += n - 1;
        } else if (char_opens(c)) {
            depth++;
        } else if (char_closes(c) && !depth) {
            return i;
        } else if (char_closes(c)) {
            depth--;
        } else if (c == ',' && !depth) {
            return i;
        }
    }
    return s.n;
}

struct str str_cut(struct str s, size_t from)
{
    if (from > s.n)
        from = s.n;
    return (struct str){s.p + from, s.n - from};
}

static bool is_blank_char(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
    while (s.n && is_blank_char(s.p[0]))
        s.p++, s.n--;
    while (s.n && is_blank_char(s.p[s.n - 1]))
        s.n--;
    return s;
}

ptrdiff_t str_find(struct str s, char c)
{
    const char *at = s.n ? memchr(s.p, c, s.n) : NULL;
    return at ? at - s.p : -1;
}

ptrdiff_t str_rfind(struct str s, char c)
{
    for (size_t i = s.n; i-- > 0;)
        if (s.p[i] == c)
            return (ptrdiff_t)i;
    return -1;
}

bool str_split(struct str s, char c, struct str *head, struct str *rest)
{
    ptrdiff_t at = str_find(s, c);
    if (at < 0) {
        *head = s;
        *rest = (struct str){s.n ? s.p + s.n : s.p, 0}; /* no arithmetic on NULL */
        return false;
    }
    *head = (struct str){s.p, (size_t)at};
    *rest = (struct str){s.p + at + 1, s.n - (size_t)at - 1};
    return true;
}

struct str str_next(struct str *rest, char c)
{
    struct str head;
    str_split(*rest, c, &head, rest);
    return head;
}

bool str_u64(struct str s, unsigned long long *out)
{
    unsigned long long v = 0;
    if (!s.n)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned d = (unsigned)(s.p[i] - '0');
        if (d > 9 || v > (~0ULL - d) / 10)
            return false;
        v = v * 10 + d;
    }
    *out = v;
    return true;
}

char *str_dup(struct str s)
{
    char *p = mem_alloc(s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = 0;
    return p;
}

bool str_double(struct str s, double *out)
{
    char tmp[64], *end;
    s = str_trim(s);
    if (s.n && decimal_read(s.p, s.p + s.n, out) == s.p + s.n)
        return true;
    if (!s.n || s.n >= sizeof tmp)
        return false;
    memcpy(tmp, s.p, s.n);
    tmp[s.n] = 0;
    *out = strtod(tmp, &end);
    return end == tmp + s.n;
}

void buf_release(struct buf *b)
{
    free(b->p);
    *b = (struct buf){0};
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    if (b->p)
        b->p[0] = 0;
}

void buf_reserve(struct buf *b, size_t more)
{
    size_t want = b->n + more + 1;
    if (want <= b->cap)
        return;
    size_t cap = b->cap ? b->cap : 64;
    while (cap < want)
        cap += cap / 2 + 64;
    b->p = mem_resize(b->p, cap);
    b->cap = cap;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
    buf_reserve(b, n);
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
    b->p[b->n] = 0;
}

void buf_str(struct buf *b, struct str s)
{
    buf_add(b, s.p, s.n);
}

void buf_cstr(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_shell_word(struct buf *b, struct str s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,+@%-=";
    bool quoted = s.n == 0;
    for (size_t i = 0; i < s.n && !quoted; i++)
        quoted = !(s.p[i] & 0x80) && (!s.p[i] || !strchr(plain, s.p[i]));
    if (!quoted) {
        buf_str(b, s);
        return;
    }
    buf_char(b, '\'');
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\'')
            buf_cstr(b, "'\\''");
        else
            buf_char(b, (unsigned char)s.p[i] < ' ' || s.p[i] == 127 ? '?' : s.p[i]);
    buf_char(b, '\'');
}

void buf_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_numberless(struct buf *b, struct str name)
{
    buf_reserve(b, name.n);
    for (size_t i = 0; i < name.n; i++)
        if (!char_is_digit(name.p[i]))
            b->p[b->n++] = name.p[i];
        else if (!i || !char_is_digit(name.p[i - 1]))
            b->p[b->n++] = '#';
    b->p[b->n] = 0;
}

void buf_count(struct buf *b, unsigned long long v)
{
    char digits[24];
    size_t n = sizeof digits;
    do
        digits[--n] = (char)('0' + v % 10);
    while (v /= 10);
    buf_add(b, digits + n, sizeof digits - n);
}

void buf_vfmt(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0) { /* nothing too is a text that ends */
        buf_reserve(b, (size_t)n);
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void buf_fmt(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(b, fmt, ap);
    va_end(ap);
}
