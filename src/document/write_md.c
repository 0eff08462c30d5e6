/* Writes a document as Markdown for issues and merge requests (GitHub and GitLab). Text is escaped so that nothing in
 * it is markup, a mention or a link. */
#include <ctype.h>
#include <math.h>

#include "document/write.h"

/* An underscore inside a word is not emphasis: "inv_freq". */
static bool within_word(struct str s, size_t i)
{
    return i > 0 && i + 1 < s.n && isalnum((unsigned char)s.p[i - 1]) && isalnum((unsigned char)s.p[i + 1]);
}

void md_escape(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '<')
            buf_cstr(b, "&lt;");
        else if (c == '>')
            buf_cstr(b, "&gt;");
        else if (c == '&')
            buf_cstr(b, "&amp;");
        else if (c == '@')
            buf_cstr(b, "&#64;"); /* would mention a user */
        else if (c == ':' && i + 2 < s.n && s.p[i + 1] == '/' && s.p[i + 2] == '/')
            buf_cstr(b, "&#58;"); /* would become a link */
        else if (c == '\n')
            buf_char(b, ' ');
        else {
            if (strchr("\\`*_{}[]#|~!$", c) && !(c == '_' && within_word(s, i)))
                buf_char(b, '\\');
            else if (i == 0 && strchr("+-=", c)) /* would start a list or underline the previous line */
                buf_char(b, '\\');
            else if ((c == '.' || c == ')') && i > 0 && i < 10 && strspn(s.p, "0123456789") == i &&
                     (i + 1 == s.n || s.p[i + 1] == ' '))
                buf_char(b, '\\');
            buf_char(b, c);
        }
    }
}

/* Text in backquotes, more of them than any run in the text. A pipe would end a table cell even there. */
void md_code(struct buf *b, struct str s, bool in_table)
{
    size_t run = 0, most = 0;
    for (size_t i = 0; i < s.n; i++) {
        run = s.p[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    bool pad = most && (s.p[0] == '`' || s.p[s.n - 1] == '`');
    for (size_t i = 0; i < most + 1; i++)
        buf_char(b, '`');
    buf_cstr(b, pad ? " " : "");
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '|' && in_table)
            buf_char(b, '\\');
        buf_char(b, s.p[i] == '\n' ? ' ' : s.p[i]);
    }
    buf_cstr(b, pad ? " " : "");
    for (size_t i = 0; i < most + 1; i++)
        buf_char(b, '`');
}

static void md_put_span(struct buf *b, const struct doc_cell *c, bool in_table)
{
    struct str s = str_of(c->text);
    if (!s.n)
        return;
    if (c->kind == DOC_NAME) {
        md_code(b, s, in_table);
    } else if (c->kind == DOC_STRONG) { /* blanks inside the stars would prevent emphasis */
        struct str core = str_trim(s);
        buf_add(b, s.p, (size_t)(core.p - s.p));
        buf_cstr(b, "**");
        md_escape(b, core);
        buf_cstr(b, "**");
        buf_cstr(b, core.p + core.n);
    } else {
        md_escape(b, s);
    }
}

static void md_put_spans(struct buf *b, const struct doc_block *k, const char *before)
{
    buf_cstr(b, before);
    if (k->kind == DOC_ITEM)
        doc_put_mark(b, &k->entry);
    for (size_t i = 0; i < k->cells.n; i++)
        md_put_span(b, &k->cells.v[i], false);
    if (k->entry.detail) {
        buf_cstr(b, " (");
        md_escape(b, str_of(k->entry.detail));
        buf_char(b, ')');
    }
    buf_cstr(b, "\n");
}

static void md_put_table(struct buf *b, const struct doc_block *k)
{
    for (size_t i = 0; i < k->cells.n; i++) {
        buf_cstr(b, i % k->columns == 0 ? "| " : " ");
        bool marked = k->marked != NO_ROW && i / k->columns == (size_t)k->marked + 1;
        if (marked && i % k->columns == 0)
            buf_cstr(b, "▶ ");
        if (k->rows.n && i >= k->columns && i % k->columns == 0)
            doc_put_mark(b, &k->rows.v[i / k->columns - 1]);
        md_put_span(b, &k->cells.v[i], true);
        buf_cstr(b, " |");
        if ((i + 1) % k->columns)
            continue;
        buf_char(b, '\n');
        for (size_t c = 0; i + 1 == k->columns && c < k->columns; c++) {
            bool right = k->columns + c < k->cells.n && k->cells.v[k->columns + c].kind == DOC_NUMBER;
            buf_fmt(b, "%s%s%s", c ? "" : "|", right ? " ---: |" : " --- |", c + 1 == k->columns ? "\n" : "");
        }
    }
}

/* Bars as block characters; if they exceed the line, each character shows the highest of its bars. */
static void md_put_figure(struct buf *b, const struct doc_figure *f)
{
    static const char *const bar[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint32_t cells = f->n < 80 ? f->n : 80;
    buf_cstr(b, "```text\n");
    for (uint32_t i = 0; i < cells; i++) {
        double most = NAN;
        for (uint32_t k = (uint32_t)((uint64_t)i * f->n / cells); k < (uint64_t)(i + 1) * f->n / cells; k++)
            most = fmax(most, f->height[k]);
        int at = isnan(most) ? -1 : (int)(most * 7.999);
        buf_cstr(b, at < 0 ? " " : bar[at]);
    }
    if (f->mark < f->n)
        buf_fmt(b, "\n%*s", (int)((uint64_t)f->mark * cells / f->n), "");
    buf_fmt(b, "%s%s\n%s … %s\n```\n", f->mark < f->n ? "▲ " : "\n", f->label[2], f->label[0], f->label[1]);
}

/* A fence longer than any run of backquotes in the text. */
static void md_put_code_block(struct buf *b, const char *s)
{
    size_t run = 0, most = 2;
    for (const char *p = s; *p; p++) {
        run = *p == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    struct buf fence = {0};
    for (size_t i = 0; i < most + 1; i++)
        buf_char(&fence, '`');
    size_t n = strlen(s);
    buf_fmt(b, "%stext\n%s%s%s\n", fence.p, s, n && s[n - 1] == '\n' ? "" : "\n", fence.p);
    buf_release(&fence);
}

/* The text has only axis names, numbers and drawing characters, so no fence can occur in it. */
static void md_put_picture(struct buf *b, const struct picture *p)
{
    buf_cstr(b, "**");
    md_escape(b, str_of(p->title));
    buf_cstr(b, "**\n\n```text\n");
    picture_text(b, p);
    buf_cstr(b, "```\n");
    if (*p->text) {
        buf_char(b, '\n');
        md_escape(b, str_of(p->text));
        buf_char(b, '\n');
    }
}

static void md_put_block(struct buf *b, const struct doc_block *k)
{
    switch ((enum doc_block_kind)k->kind) {
    case DOC_PARAGRAPH:
    case DOC_VERDICT:
        md_put_spans(b, k, "");
        break;
    case DOC_HEADING:
        md_put_spans(b, k, "### ");
        break;
    case DOC_ITEM:
        md_put_spans(b, k, "- ");
        break;
    case DOC_TABLE:
        md_put_table(b, k);
        break;
    case DOC_CODE:
        md_put_code_block(b, k->cells.v[0].text);
        break;
    case DOC_FIGURE:
        md_put_figure(b, &k->figure);
        break;
    case DOC_PICTURE:
        md_put_picture(b, k->picture);
        break;
    }
}

void write_md(struct out *o, const struct document *d)
{
    struct buf *b = &o->buf;
    buf_cstr(b, "# ");
    md_escape(b, str_of(d->title));
    buf_cstr(b, "\n\n");
    md_escape(b, str_of(d->stamp));
    buf_char(b, '\n');
    for (size_t i = 0; i < d->sections.n; i++) {
        const struct doc_section *s = &d->sections.v[i];
        buf_cstr(b, "\n## ");
        md_escape(b, str_of(s->title));
        buf_cstr(b, "\n");
        for (size_t k = 0; k < s->blocks.n; k++) {
            bool within = k && s->blocks.v[k].kind == DOC_ITEM && s->blocks.v[k - 1].kind == DOC_ITEM;
            buf_cstr(b, within ? "" : "\n");
            md_put_block(b, &s->blocks.v[k]);
        }
        out_flow(o);
    }
}
