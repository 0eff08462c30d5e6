#include "report/csv.h"

void csv_cell(struct buf *b, struct str s)
{
    bool quote = false;
    if (b->n && b->p[b->n - 1] != '\n')
        buf_char(b, ',');
    for (size_t i = 0; i < s.n; i++)
        quote = quote || s.p[i] == ',' || s.p[i] == '"' || s.p[i] == '\n' || s.p[i] == '\r';
    /* a cell that begins like a formula is run by spreadsheets */
    bool formula = s.n && (s.p[0] == '=' || s.p[0] == '@' || ((s.p[0] == '+' || s.p[0] == '-') && s.n > 1 && (s.p[1] < '0' || s.p[1] > '9') && s.p[1] != '.' && s.p[1] != 'I'));
    if (quote)
        buf_char(b, '"');
    if (formula)
        buf_char(b, '\'');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"')
            buf_char(b, '"');
        buf_char(b, s.p[i]);
    }
    if (quote)
        buf_char(b, '"');
}
