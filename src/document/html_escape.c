/* Text within HTML and SVG. */
#include "document/write.h"

void html_escape(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        switch (s.p[i]) {
        case '&':
            buf_cstr(b, "&amp;");
            break;
        case '<':
            buf_cstr(b, "&lt;");
            break;
        case '>':
            buf_cstr(b, "&gt;");
            break;
        case '"':
            buf_cstr(b, "&quot;");
            break;
        case '\'':
            buf_cstr(b, "&#39;");
            break;
        default:
            buf_char(b, s.p[i]);
        }
}
