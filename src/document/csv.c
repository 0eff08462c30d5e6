/* Writes CSV cells: quoted if needed, and with an apostrophe before text that a spreadsheet would run as a formula. */
#include "document/csv.h"

#include "base/num.h"
#include "base/utf8.h"

static bool needs_quotes(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == ',' || s.p[i] == '"' || (unsigned char)s.p[i] < 0x20)
            return true;
    return false;
}

/* What a spreadsheet would run as a formula gets an apostrophe. No control stays, but with `lines` their ends, nor what
 * nobody sees, nor a bad byte. */
static void csv_put_text(struct buf *b, struct str s, bool quote, bool formula, bool lines)
{
    if (quote)
        buf_char(b, '"');
    if (formula)
        buf_char(b, '\'');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        if (ch >= 0x80) {
            struct str at = str_cut(s, i), rest = at;
            utf8_next(&rest);
            utf8_clean(b, str_n(at.p, at.n - rest.n));
            i += at.n - rest.n - 1;
            continue;
        }
        if (ch == '"')
            buf_char(b, '"');
        buf_char(b, (ch < 0x20 && !(lines && ch == '\n')) || ch == 0x7f ? ' ' : (char)ch);
    }
    if (quote)
        buf_char(b, '"');
}

void csv_sep(struct csv *c)
{
    if (!c->first)
        buf_char(c->b, ',');
    c->first = false;
}

void csv_text(struct csv *c, struct str s)
{
    bool formula = s.n && strchr("=+-@\t\r", s.p[0]);
    csv_sep(c);
    csv_put_text(c->b, s, formula || needs_quotes(s), formula, false);
}

void csv_number(struct csv *c, bool have, double v)
{
    char tmp[NUM_MAX];
    csv_sep(c);
    if (have)
        buf_cstr(c->b, num_exact(tmp, v));
}

void csv_count(struct csv *c, bool have, uint64_t v)
{
    csv_sep(c);
    if (have)
        buf_count(c->b, v);
}

void csv_line(struct csv *c)
{
    buf_cstr(c->b, "\r\n");
    c->first = true;
}

void csv_cell(struct buf *b, struct str s)
{
    bool sign = s.n > 1 && (s.p[0] == '+' || s.p[0] == '-') && (s.p[1] < '0' || s.p[1] > '9') && s.p[1] != '.' &&
                s.p[1] != 'I';
    if (b->n && b->p[b->n - 1] != '\n')
        buf_char(b, ',');
    csv_put_text(b, s, needs_quotes(s), s.n && (s.p[0] == '=' || s.p[0] == '@' || sign), true);
}
