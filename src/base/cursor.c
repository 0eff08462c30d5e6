/* Parses a text step by step; see cursor.h. */
#include "base/cursor.h"

struct str cursor_skip(struct cursor *c, size_t n)
{
    struct str taken = str_n(c->rest.p, n < c->rest.n ? n : c->rest.n);
    c->rest = str_cut(c->rest, n);
    return taken;
}

char cursor_peek(struct cursor *c)
{
    while (c->rest.n && c->rest.p[0] && strchr(c->blanks, c->rest.p[0]))
        cursor_skip(c, 1);
    return c->rest.n ? c->rest.p[0] : 0;
}

bool cursor_take(struct cursor *c, const char *token)
{
    cursor_peek(c);
    bool there = str_starts(c->rest, token);
    if (there)
        cursor_skip(c, strlen(token));
    return there;
}

bool cursor_quoted(struct cursor *c, struct str *text)
{
    struct str body = str_cut(c->rest, 1);
    ptrdiff_t n = c->rest.n ? str_find(body, c->rest.p[0]) : -1;
    if (n < 0)
        return false;
    *text = str_n(body.p, (size_t)n);
    c->rest = str_cut(body, (size_t)n + 1);
    return true;
}
