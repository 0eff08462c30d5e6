/* Two kinds of text. `struct str` is a view: pointer and length, never freed, not NUL-terminated.
 * `struct buf` owns growing bytes and keeps a NUL after them, so buf.p is always a C string. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};

#define STR(lit) ((struct str){(lit), sizeof(lit) - 1})
#define STR_ARG(s) (int)(s).n, (s).p /* for "%.*s" */

static inline struct str str_of(const char *s)
{
    return (struct str){s, s ? strlen(s) : 0};
}

static inline struct str str_n(const char *p, size_t n)
{
    return (struct str){p, n};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Inline, so that lengths of literals are known. */
static inline bool str_is(struct str a, const char *b)
{
    return str_eq(a, str_of(b));
}
static inline bool char_is_digit(char c) /* in ASCII, whatever the locale */
{
    return c >= '0' && c <= '9';
}

static inline bool char_opens(char c) /* a bracket of any kind */
{
    return c == '[' || c == '(' || c == '{';
}

static inline bool char_closes(char c)
{
    return c == ']' || c == ')' || c == '}';
}

/* Whether s is one of n words; STR_ONE_OF: of an array of them. */
bool str_one_of(struct str s, const char *const *words, size_t n);
#define STR_ONE_OF(s, words) str_one_of(s, words, sizeof(words) / sizeof *(words))

bool str_is_word_of(struct str s, struct str words); /* one of these words, which single blanks divide */

bool str_ieq(struct str a, struct str b); /* ASCII case folded */
int str_cmp(struct str a, struct str b);
bool str_starts(struct str s, const char *prefix);
bool str_ends(struct str s, const char *suffix);
bool str_has(struct str s, const char *part);
ptrdiff_t str_search(struct str s, const char *part); /* where it begins, or -1 */
bool str_ihas(struct str s, const char *part); /* ASCII case folded */
/* Bytes of the text in quotes at the front of s, whose first byte is the quote, with the closing one; a backslash takes
 * the byte behind it along. 0: it does not end. */
size_t str_quoted(struct str s);
/* The end of the item at the front of s: a comma or closing bracket that is not inside others nor in quotes. */
size_t str_item_end(struct str s);
struct str str_cut(struct str s, size_t from); /* the rest from `from`, empty beyond the end */
struct str str_trim(struct str s);             /* without blanks at both ends */
ptrdiff_t str_find(struct str s, char c);      /* index or -1 */
ptrdiff_t str_rfind(struct str s, char c);
/* Splits at the first `c`: head is before it (all of s if absent), rest after it. False if absent. */
bool str_split(struct str s, char c, struct str *head, struct str *rest);
struct str str_next(struct str *rest, char c); /* takes what is before the first `c`, and `c`, from *rest */
/* The whole of `s` as an unsigned decimal number; false for anything else and on overflow. */
bool str_u64(struct str s, unsigned long long *out);
char *str_dup(struct str s); /* as a C string; caller frees */
bool str_double(struct str s, double *out); /* strtod's grammar, the whole of `s` */

struct buf {
    char *p;
    size_t n, cap;
};

void buf_release(struct buf *b);
void buf_clear(struct buf *b);
void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, struct str s);
void buf_cstr(struct buf *b, const char *s);
void buf_char(struct buf *b, char c);
void buf_numberless(struct buf *b, struct str name); /* each number as one '#': those alone make no other name */
/* As one word of a shell, in quotes where it needs them. Control characters, which a terminal would obey when the word
 * is pasted, become '?'. */
void buf_shell_word(struct buf *b, struct str s);
void buf_count(struct buf *b, unsigned long long v); /* in decimal; faster than printf */
void buf_fmt(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vfmt(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

static inline struct str buf_view(const struct buf *b)
{
    return (struct str){b->p ? b->p : "", b->n};
}

#endif
