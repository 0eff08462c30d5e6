/* UTF-8 read code point by code point, with what is invalid or a control character made visible; texts cut in the
 * middle to a number of cells. */
#include "base/utf8.h"

#include <utf8proc.h>

uint32_t utf8_next(struct str *s)
{
    utf8proc_int32_t c = 0;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s->p, (utf8proc_ssize_t)s->n, &c);
    if (n <= 0) {
        c = 0xfffd;
        n = 1;
    }
    *s = str_cut(*s, (size_t)n);
    if (c < 0x20)
        return 0x2400 + (uint32_t)c;
    if (c == 0x7f)
        return 0x2421;
    /* C1 controls are escapes to some terminals; direction marks reorder what is read */
    if ((c >= 0x80 && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
        c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029)
        return 0xfffd;
    return (uint32_t)c;
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
    while (s.n)
        buf_add(out, tmp, utf8_put(tmp, utf8_next(&s)));
}

/* Appends code points from the front of s until `cells` are used; returns those used. */
static int head(struct buf *out, struct str s, int cells)
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

int utf8_middle(struct buf *out, struct str s, int cells, const char *mark)
{
    int all = utf8_cells(s);
    if (all <= cells)
        return head(out, s, cells);
    int m = utf8_cells(str_of(mark));
    if (cells <= m)
        return head(out, s, cells);
    /* the end says which value of the call it is, so it gets the larger half */
    int front = (cells - m) * 2 / 5, skip = all - (cells - m - front);
    int used = head(out, s, front);
    buf_cstr(out, mark);
    used += m;
    for (int at = 0; s.n && at < skip;)
        at += utf8_width(utf8_next(&s));
    return used + head(out, s, cells - used);
}

void utf8_clean_lines(struct buf *out, struct str text)
{
    struct str line;
    while (text.n) {
        str_split(text, '\n', &line, &text);
        utf8_clean(out, line);
        buf_char(out, '\n');
    }
}
