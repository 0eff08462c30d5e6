/* Compiles a rule's pattern, derives golden addresses from target ones, and proposes a rule that extends one pair to
 * every layer. */
#include "pair/pair_rule.h"

#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"

#define TEXT_MOST 4096        /* bytes; names are shorter */
#define ADDRESS_MOST (1 << 16) /* bytes; a longer one is nobody's */

/* The length of "<A+Bi>" at the start of s, 0 if there is none. */
static size_t series_at(struct str s, uint32_t *from, uint32_t *step)
{
    uint64_t n[2] = {0, 0};
    size_t i = 0;
    if (!s.n || s.p[i++] != '<')
        return 0;
    for (int k = 0; k < 2; k++) {
        size_t first = i;
        while (i < s.n && char_is_digit(s.p[i]) && i < first + 9)
            n[k] = n[k] * 10 + (uint64_t)(s.p[i++] - '0');
        if (i == first || i >= s.n || s.p[i++] != (k ? 'i' : '+'))
            return 0;
    }
    if (i >= s.n || s.p[i] != '>' || !n[1])
        return 0;
    *from = (uint32_t)n[0];
    *step = (uint32_t)n[1];
    return i + 1;
}

int pair_rule_compile(struct pair_rule_match *m, const char *pattern, const char *template, struct err *e)
{
    struct str s = str_of(pattern);
    struct buf plain = {0};
    char name[24];
    *m = (struct pair_rule_match){.template = template};
    if (s.n > TEXT_MOST || strlen(template) > TEXT_MOST)
        return err_set(e, ERR_USAGE, _("a rule's pattern and its replacement have at most %d bytes each"), TEXT_MOST);
    for (size_t i = 0; i < s.n;) {
        struct pair_rule_series x = {0, 0, 0};
        size_t n = series_at(str_cut(s, i), &x.from, &x.step);
        if (n && m->count < PATTERN_GROUPS) {
            buf_fmt(&plain, "(?<series%d>[0-9]{1,9})", m->count);
            m->series[m->count++] = x;
            i += n;
        } else {
            if (s.p[i] == '\\' && i + 1 < s.n)
                buf_char(&plain, s.p[i++]);
            buf_char(&plain, s.p[i++]);
        }
    }
    m->pattern = pattern_compile(buf_view(&plain), PATTERN_WHOLE, e);
    buf_release(&plain);
    if (!m->pattern)
        return -1;
    if (pattern_group_count(m->pattern) >= PATTERN_GROUPS) {
        pair_rule_release(m);
        return err_set(e, ERR_USAGE, _("a rule has at most %d groups"), PATTERN_GROUPS - 1);
    }
    for (int k = 0; k < m->count; k++) {
        snprintf(name, sizeof name, "series%d", k);
        m->series[k].group = pattern_group_named(m->pattern, name); /* PCRE2 numbers the groups */
    }
    return 0;
}

void pair_rule_release(struct pair_rule_match *m)
{
    pattern_free(m->pattern);
    *m = (struct pair_rule_match){0};
}

/* The common i of all series in the pattern; false if a number does not belong to its series. */
static bool count_of(const struct pair_rule_match *m, const struct str *group, uint32_t *i)
{
    for (int k = 0; k < m->count; k++) {
        unsigned long long v;
        const struct pair_rule_series *x = &m->series[k];
        if (x->group < 0 || !str_u64(group[x->group], &v) || v < x->from || (v - x->from) % x->step)
            return false;
        uint32_t here = (uint32_t)((v - x->from) / x->step);
        if (k && here != *i)
            return false;
        *i = here;
    }
    return true;
}

bool pair_rule_apply(struct pair_rule_match *m, struct str address, struct buf *out)
{
    struct str group[PATTERN_GROUPS], s = str_of(m->template);
    uint32_t count = 0, from, step;
    if (pattern_explodes(m->pattern) || pattern_groups(m->pattern, address, group) <= 0 || !count_of(m, group, &count))
        return false;
    buf_clear(out);
    for (size_t i = 0; i < s.n && out->n <= ADDRESS_MOST;) {
        size_t n = series_at(str_cut(s, i), &from, &step);
        if (n) {
            buf_count(out, (uint64_t)from + (uint64_t)step * count);
            i += n;
        } else if (s.p[i] == '\\' && i + 1 < s.n && char_is_digit(s.p[i + 1])) {
            buf_str(out, group[s.p[i + 1] - '0']);
            i += 2;
        } else {
            i += s.p[i] == '\\' && i + 1 < s.n;
            buf_char(out, s.p[i++]);
        }
    }
    return out->n <= ADDRESS_MOST;
}

/* ---- proposing ---- */

struct number {
    size_t at, n;
    uint32_t value;
};

#define NUMBERS 4 /* layer, expert … */

/* The numbers that are whole components before the operator: layers, experts, ranks. */
static int path_numbers(struct str address, struct number out[NUMBERS])
{
    ptrdiff_t end = str_find(address, '/');
    int found = 0;
    for (size_t i = 0, n; end > 0 && i < (size_t)end && found < NUMBERS; i += n + 1) {
        unsigned long long v;
        for (n = 0; i + n < (size_t)end && address.p[i + n] != '.';)
            n++;
        if (n <= 9 && str_u64(str_n(address.p + i, n), &v)) /* at most as many digits as in a series */
            out[found++] = (struct number){i, n, (uint32_t)v};
    }
    return found;
}

/* Quotes a literal text for a pattern or a template. */
static void quote_literal(struct str s, bool pattern, struct buf *out)
{
    uint32_t from, step;
    for (size_t i = 0; i < s.n; i++) {
        if (strchr(pattern ? "\\^$|()[]{}*+?" : "\\", s.p[i]) || series_at(str_cut(s, i), &from, &step))
            buf_char(out, '\\');
        buf_char(out, s.p[i]);
    }
}

/* Copies the address with each number replaced by a text. */
static void with_holes(struct str s, const struct number *hole, int n, const char *const *text, bool pattern,
                       struct buf *out)
{
    size_t at = 0;
    buf_clear(out);
    for (int i = 0; i <= n; i++) {
        struct str piece = i < n ? str_n(s.p + at, hole[i].at - at) : str_cut(s, at);
        quote_literal(piece, pattern, out);
        if (i < n) {
            buf_cstr(out, text[i]);
            at = hole[i].at + hole[i].n;
        }
    }
}

/* The number after "@" in the form of a series: at most nine digits, no leading zeros. */
static struct number ordinal_of(struct str address)
{
    struct number x = {0, 0, 0};
    ptrdiff_t at = str_find(address, '@');
    if (at < 0)
        return x;
    x.at = (size_t)at + 1;
    while (x.at + x.n < address.n && char_is_digit(address.p[x.at + x.n]))
        x.value = x.value * 10 + (uint32_t)(address.p[x.at + x.n++] - '0');
    if (x.n > 9 || (x.n > 1 && address.p[x.at] == '0'))
        x.n = 0; /* part of a name */
    return x;
}

/* Call numbers: unchanged if equal; otherwise one call in P on one side corresponds to one in Q on the other. */
static bool propose_calls(const struct addresses *target, uint32_t t, const struct addresses *golden, uint32_t g,
                          struct str at,
                          struct str ag, struct buf *pattern, struct buf *template)
{
    struct number x = ordinal_of(at), y = ordinal_of(ag);
    uint32_t a = address_count(target, target->d->rows.v[t].call), b = address_count(golden, golden->d->rows.v[g].call);
    uint32_t both = (uint32_t)num_common(a, b), p = both ? a / both : 1, q = both ? b / both : 1;
    char here[32] = "(\\d+)", there[32] = "\\1";
    const char *const hole[2] = {here, there};
    if (!x.n || !y.n || (a == 1 && b == 1))
        return false;
    if (x.value != y.value || p != q) {
        if (x.value / p != y.value / q) { /* not aligned: one side began later */
            uint32_t less = x.value < y.value ? x.value : y.value;
            p = q = 1;
            snprintf(here, sizeof here, "<%u+1i>", x.value - less);
            snprintf(there, sizeof there, "<%u+1i>", y.value - less);
        } else {
            snprintf(here, sizeof here, "<%u+%ui>", x.value % p, p);
            snprintf(there, sizeof there, "<%u+%ui>", y.value % q, q);
        }
    }
    with_holes(at, &x, 1, hole, true, pattern);
    with_holes(ag, &y, 1, hole + 1, false, template);
    return true;
}

/* Numbers in paths, in order; if a side has no path, its call number stands for the layer. One of them may have an
 * offset on the golden side (a pipeline stage). */
static bool propose_paths(struct str at, struct str ag, struct buf *pattern, struct buf *template)
{
    struct number x[NUMBERS], y[NUMBERS];
    char text[2][NUMBERS][32];
    const char *hole[2][NUMBERS];
    int n = path_numbers(at, x), m = path_numbers(ag, y), used = 0;
    bool moved = false;
    if (n && !m)
        m = (y[0] = ordinal_of(ag)).n > 0;
    else if (m && !n)
        n = (x[0] = ordinal_of(at)).n > 0;
    for (; used < n && used < m; used++) {
        uint32_t a = x[used].value, b = y[used].value, less = a < b ? a : b;
        bool same = str_eq(str_n(at.p + x[used].at, x[used].n), str_n(ag.p + y[used].at, y[used].n));
        if (!same && (moved || (y[used].n > 1 && ag.p[y[used].at] == '0'))) /* a series has no leading zeros */
            break;
        moved = moved || !same;
        snprintf(text[0][used], sizeof text[0][used], same ? "(\\d+)" : "<%u+1i>", a - less);
        snprintf(text[1][used], sizeof text[1][used], same ? "\\%u" : "<%u+1i>", same ? (uint32_t)used + 1 : b - less);
        hole[0][used] = text[0][used];
        hole[1][used] = text[1][used];
    }
    if (!used)
        return false;
    with_holes(at, x, used, hole[0], true, pattern);
    with_holes(ag, y, used, hole[1], false, template);
    return true;
}

bool pair_rule_propose(const struct addresses *target, uint32_t t, const struct addresses *golden, uint32_t g,
                       struct buf *pattern,
                       struct buf *template)
{
    struct buf at = {0}, ag = {0};
    address_of_row(target, t, &at);
    address_of_row(golden, g, &ag);
    bool open = propose_paths(buf_view(&at), buf_view(&ag), pattern, template) ||
                propose_calls(target, t, golden, g, buf_view(&at), buf_view(&ag), pattern, template);
    if (!open) {
        with_holes(buf_view(&at), NULL, 0, NULL, true, pattern);
        with_holes(buf_view(&ag), NULL, 0, NULL, false, template);
    }
    buf_release(&at);
    buf_release(&ag);
    return open;
}
