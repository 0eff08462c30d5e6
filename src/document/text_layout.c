/* Marks, columns and wrapped sentences for results printed as text; widths in cells, so that Chinese keeps its
 * columns. */
#include "document/text_layout.h"

#include "base/utf8.h"

#define WIDTH 79

const char *text_mark(enum stage_verdict v)
{
    return v == STAGE_PASS ? "✓" : v == STAGE_FAIL ? "✗" : "?";
}

void text_pad(struct buf *b, struct str s, int cells)
{
    int used = utf8_cells(s);
    buf_str(b, s);
    do
        buf_char(b, ' ');
    while (++used < cells);
}

void text_fit(struct buf *b, struct str s, int cells)
{
    int used = utf8_middle(b, s, cells, "…");
    for (; used < cells; used++)
        buf_char(b, ' ');
}

/* The next piece that may begin a line: a word, or one wide character (Chinese has no blanks). */
static struct str piece(struct str s, int *cells)
{
    struct str rest = s, before = s;
    *cells = 0;
    while (rest.n && rest.p[0] != ' ') {
        before = rest;
        int w = utf8_width(utf8_next(&rest));
        if (w == 2 && *cells)
            return str_n(s.p, (size_t)(before.p - s.p));
        *cells += w;
        if (w == 2)
            break;
    }
    return str_n(s.p, (size_t)(rest.p - s.p));
}

static void wrapped(struct buf *b, int indent, struct str s)
{
    int at = indent;
    while (s.n) {
        int cells, blank = s.p[0] == ' ';
        struct str word = piece(str_cut(s, (size_t)blank), &cells);
        if (at > indent && at + blank + cells > WIDTH) {
            buf_fmt(b, "\n%*s", indent, "");
            at = indent;
        } else if (blank) {
            buf_char(b, ' ');
            at++;
        }
        buf_str(b, word);
        at += cells;
        s = str_cut(s, word.n + (size_t)blank);
    }
    buf_char(b, '\n');
}

void text_sentences(struct buf *b, const char *mark, const char *const *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buf_cstr(b, mark);
        wrapped(b, utf8_cells(str_of(mark)), str_of(s[i]));
    }
}

void text_clean(struct buf *out, struct buf *b)
{
    utf8_clean_lines(out, buf_view(b));
    buf_release(b);
}
