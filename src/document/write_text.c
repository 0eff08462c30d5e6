/* Writes a document as text for a terminal of 80 columns: the output of commands. Widths are counted in cells, so
 * that Chinese text stays aligned. */
#include <stdio.h>

#include "base/msg.h"
#include "base/utf8.h"
#include "document/write.h"

#define WIDTH 79
#define GAP 2
#define BELOW 7   /* indent of a table's last column if it is put below its row */
#define SHORT 24  /* a last column with longer texts is put below */
#define LEAST 8   /* name columns are cut to at least this many cells */
#define COLUMNS 8 /* of a table */

/* ---- paragraphs ---- */

/* The next piece that may begin a line: a word, or one wide character (Chinese has no blanks). */
static struct str next_breakable_piece(struct str s, int *cells)
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

/* Words from column `at` on; following lines are indented. */
static void put_wrapped(struct buf *b, int at, int indent, struct str s)
{
    bool begun = false;
    while (s.n) {
        int cells, blank = s.p[0] == ' ';
        struct str word = next_breakable_piece(str_cut(s, (size_t)blank), &cells);
        if (begun && at + blank + cells > WIDTH) {
            buf_fmt(b, "\n%*s", indent, "");
            at = indent;
        } else if (blank) {
            buf_char(b, ' ');
            at++;
        }
        buf_str(b, word);
        at += cells;
        begun = true;
        s = str_cut(s, word.n + (size_t)blank);
    }
    buf_char(b, '\n');
}

static void text_put_paragraph(struct buf *b, const char *before, int indent,
                               const struct doc_block *k)
{
    struct buf t = {0};
    buf_cstr(&t, before);
    for (size_t i = 0; i < k->cells.n; i++)
        buf_cstr(&t, k->cells.v[i].text);
    if (k->entry.detail)
        buf_fmt(&t, _(" (%s)"), k->entry.detail);
    put_wrapped(b, 0, indent, buf_view(&t));
    buf_release(&t);
}

static void text_put_item(struct buf *b, const struct doc_block *k)
{
    char mark[8];
    snprintf(mark, sizeof mark, "%s ", doc_glyph(k->entry.mark ? (enum doc_mark)k->entry.mark : DOC_NOTE));
    text_put_paragraph(b, mark, 2, k);
}

/* ---- tables ---- */

struct table_layout {
    int width[COLUMNS], indent;
    uint32_t columns; /* columns shown side by side */
    bool below;       /* the last column is put below the rows */
};

static bool is_number_column(const struct doc_block *k, uint32_t column)
{
    uint32_t first = k->columns + column; /* first cell below the head */
    return first < k->cells.n && k->cells.v[first].kind == DOC_NUMBER;
}

static int table_width(const struct table_layout *l)
{
    int w = l->indent + GAP * ((int)l->columns - 1);
    for (uint32_t c = 0; c < l->columns; c++)
        w += l->width[c];
    return w;
}

/* The widest column that may be cut; -1: none. */
static int widest_cuttable_column(const struct table_layout *l, const struct doc_block *k)
{
    int at = -1;
    for (uint32_t c = 0; c < l->columns; c++)
        if (!is_number_column(k, c) && l->width[c] > LEAST &&
            (at < 0 || l->width[c] > l->width[at]))
            at = (int)c;
    return at;
}

static struct table_layout fit_table_columns(const struct doc_block *k)
{
    struct table_layout l = {.columns = k->columns, .indent = k->rows.n ? 4 : 2};
    for (size_t i = 0; i < k->cells.n; i++) {
        int w = utf8_cells(str_of(k->cells.v[i].text));
        l.width[i % k->columns] = w > l.width[i % k->columns] ? w : l.width[i % k->columns];
    }
    uint32_t last = k->columns - 1;
    if (table_width(&l) > WIDTH && k->columns > 2 && l.width[last] > SHORT &&
        !is_number_column(k, last)) {
        l.below = true;
        l.columns--;
    }
    for (int c; table_width(&l) > WIDTH && (c = widest_cuttable_column(&l, k)) >= 0;)
        l.width[c]--;
    return l;
}

static void text_put_row(struct buf *b, const struct doc_block *k, const struct table_layout *l,
                         size_t r)
{
    const struct doc_cell *cell = &k->cells.v[r * k->columns];
    enum doc_mark m = r && k->rows.n ? (enum doc_mark)k->rows.v[r - 1].mark : DOC_NOTE;
    const char *mark = m == DOC_NOTE ? "" : doc_glyph(m);
    buf_fmt(b, "  %s%*s", mark, l->indent - 2 - utf8_cells(str_of(mark)), "");
    for (uint32_t c = 0; c < l->columns; c++) {
        struct buf t = {0};
        int blank = l->width[c] - utf8_middle(&t, str_of(cell[c].text), l->width[c], "…");
        if (c)
            buf_fmt(b, "%*s", GAP, "");
        if (is_number_column(k, c))
            buf_fmt(b, "%*s", blank, "");
        buf_str(b, buf_view(&t));
        if (!is_number_column(k, c))
            buf_fmt(b, "%*s", blank, "");
        buf_release(&t);
    }
    while (b->n && b->p[b->n - 1] == ' ')
        b->p[--b->n] = 0;
    buf_char(b, '\n');
    if (l->below && r && *cell[l->columns].text) {
        buf_fmt(b, "%*s", BELOW, "");
        put_wrapped(b, BELOW, BELOW, str_of(cell[l->columns].text));
    }
}

static void text_put_table(struct buf *b, const struct doc_block *k)
{
    struct table_layout l = fit_table_columns(k);
    for (size_t r = 0; r < k->cells.n / k->columns; r++)
        text_put_row(b, k, &l, r);
}

/* ---- documents ---- */

static void text_put_block(struct buf *b, const struct doc_block *k)
{
    switch ((enum doc_block_kind)k->kind) {
    case DOC_PARAGRAPH:
        text_put_paragraph(b, "", 0, k);
        break;
    case DOC_VERDICT:
        text_put_paragraph(b, k->entry.mark == DOC_OK ? _("pass: ") : k->entry.mark == DOC_BAD
                           ? _("fail: ") : "", 0, k);
        break;
    case DOC_HEADING:
        buf_char(b, '\n');
        text_put_paragraph(b, "", 0, k);
        break;
    case DOC_ITEM:
        text_put_item(b, k);
        break;
    case DOC_TABLE:
        text_put_table(b, k);
        break;
    case DOC_CODE:
        buf_fmt(b, "%s\n", k->cells.v[0].text);
        break;
    case DOC_FIGURE:
        break;
    case DOC_PICTURE:
        picture_text(b, k->picture);
        break;
    }
}

void write_text(struct buf *b, const struct document *d)
{
    for (size_t i = 0; i < d->sections.n; i++) {
        const struct doc_section *s = &d->sections.v[i];
        if (*s->title && s->blocks.n && s->blocks.v[0].kind != DOC_HEADING)
            buf_fmt(b, "\n%s\n", s->title);
        for (size_t k = 0; k < s->blocks.n; k++)
            text_put_block(b, &s->blocks.v[k]);
    }
}

void write_text_end(struct buf *b, struct document *d)
{
    write_text(b, d);
    document_release(d);
}
