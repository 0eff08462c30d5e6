/* Decodes UTF-8 with invalid bytes and control characters made visible; cuts texts in the middle to a number of
 * cells. */
#include "base/utf8.h"

#include <utf8proc.h>

uint32_t utf8_decode(struct str *s)
{
    utf8proc_int32_t c = 0;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s->p, (utf8proc_ssize_t)s->n, &c);
    if (n <= 0) {
        c = 0xfffd;
        n = 1;
    }
    *s = str_cut(*s, (size_t)n);
    return (uint32_t)c;
}

/* Fillers and selectors that Unicode classifies as letters and marks. U+FE0E and U+FE0F are excluded: they choose
 * between two forms of the preceding character. */
static bool is_filler(uint32_t c)
{
    return c == 0x34f || c == 0x115f || c == 0x1160 || c == 0x17b4 || c == 0x17b5 || (c >= 0x180b && c <= 0x180f) ||
           c == 0x3164 || c == 0xffa0 || (c >= 0xfe00 && c < 0xfe0e) || (c >= 0xe0000 && c < 0xe1000);
}

bool utf8_is_hidden(uint32_t c)
{
    if (c < 0x80)
        return false;
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_CC: /* C1 controls are escape sequences to some terminals */
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return true;
    case UTF8PROC_CATEGORY_CF:
        /* includes direction marks, which reorder text; the exceptions are visible marks before Arabic numbers */
        return !(c >= 0x600 && c <= 0x605) && c != 0x6dd && c != 0x70f && c != 0x8e2;
    default:
        return is_filler(c);
    }
}

uint32_t utf8_next(struct str *s)
{
    uint32_t c = utf8_decode(s);
    if (c < 0x20)
        return 0x2400 + c;
    if (c == 0x7f)
        return 0x2421;
    return utf8_is_hidden(c) ? 0xfffd : c;
}

int utf8_width(uint32_t c)
{
    if (c < 0x7f)
        return 1;
    if (c >= 0x2400 && c <= 0x2421)
        return 1;
    return utf8proc_charwidth((utf8proc_int32_t)c);
}

int utf8_cells(struct str s)
{
    int n = 0;
    while (s.n)
        n += utf8_width(utf8_next(&s));
    return n;
}

size_t utf8_put(char out[4], uint32_t c)
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)c, (utf8proc_uint8_t *)out);
}

bool utf16_marked(struct str head)
{
    return str_starts(head, "\xff\xfe") || str_starts(head, "\xfe\xff");
}

void utf8_clean(struct buf *out, struct str s)
{
    char tmp[4];
    while (s.n) {
        struct str at = s;
        uint32_t c = utf8_decode(&s);
        if (utf8_is_hidden(c))
            buf_fmt(out, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
        else
            buf_add(out, tmp, utf8_put(tmp, utf8_next(&at)));
    }
}

/* Appends code points from the front of s until `cells` are used; returns those used. */
static int append_front_cells(struct buf *out, struct str s, int cells)
{
    int used = 0;
    char tmp[4];
    while (s.n) {
        uint32_t c = utf8_next(&s);
        int w = utf8_width(c);
        if (used + w > cells)
            break;
        used += w;
        buf_add(out, tmp, utf8_put(tmp, c));
    }
    return used;
}

static bool has_hidden(struct str s)
{
    while (s.n)
        if (utf8_is_hidden(utf8_decode(&s)))
            return true;
    return false;
}

static int append_middle_cut(struct buf *out, struct str s, int cells, const char *mark)
{
    int all = utf8_cells(s);
    if (all <= cells)
        return append_front_cells(out, s, cells);
    int m = utf8_cells(str_of(mark));
    if (cells <= m)
        return append_front_cells(out, s, cells);
    /* the end identifies the value within the call, so it gets the larger part */
    int front = (cells - m) * 2 / 5, skip = all - (cells - m - front);
    int used = append_front_cells(out, s, front);
    buf_cstr(out, mark);
    used += m;
    for (int at = 0; s.n && at < skip;)
        at += utf8_width(utf8_next(&s));
    return used + append_front_cells(out, s, cells - used);
}

int utf8_middle(struct buf *out, struct str s, int cells, const char *mark)
{
    struct buf clean = {0};
    if (!has_hidden(s))
        return append_middle_cut(out, s, cells, mark);
    utf8_clean(&clean, s); /* escapes take cells like any text */
    int used = append_middle_cut(out, buf_view(&clean), cells, mark);
    buf_release(&clean);
    return used;
}

void utf8_clean_lines(struct buf *out, struct str text)
{
    struct str line;
    while (text.n) {
        line = str_next(&text, '\n');
        utf8_clean(out, line);
        buf_char(out, '\n');
    }
}
