/* Reads a log of any size in pieces and splits it into lines, without terminal control sequences. */

#include "base/utf8.h"
#include "log/series_builder.h"

#define CHUNK (1u << 18)

/* Moves what is left to the front and reads on. 1, 0 at the end, -1. */
static int extend_log_window(struct log_lines *l, struct err *e)
{
    if (l->pos) {
        memmove(l->chunk.p, l->chunk.p + l->pos, l->chunk.n - l->pos);
        l->chunk.n -= l->pos;
        l->pos = 0;
    }
    buf_reserve(&l->chunk, CHUNK);
    long n = file_read_some(l->file, l->at, l->chunk.p + l->chunk.n, CHUNK, e);
    if (n <= 0)
        return (int)n;
    if (!l->at)
        l->utf16 = utf16_marked(str_n(l->chunk.p, (size_t)n));
    l->at += (uint64_t)n;
    l->chunk.n += (size_t)n;
    return 1;
}

/* End of the line that begins at pos: '\n' or '\r'; the chunk's end when there is none yet. */
static size_t line_end(const struct log_lines *l, size_t from)
{
    const char *p = l->chunk.p;
    if (from == l->chunk.n)
        return from;
    const char *nl = memchr(p + from, '\n', l->chunk.n - from);
    size_t end = nl ? (size_t)(nl - p) : l->chunk.n;
    const char *cr = memchr(p + from, '\r', end - from);
    return cr ? (size_t)(cr - p) : end;
}

/* After an escape sequence at i: CSI to its final byte, OSC to BEL or ST, else two bytes. */
static size_t escape_end(struct str s, size_t i)
{
    if (i + 1 >= s.n)
        return s.n;
    char c = s.p[i + 1];
    i += 2;
    if (c == '[') {
        while (i < s.n && (unsigned char)s.p[i] >= 0x20 && (unsigned char)s.p[i] < 0x40)
            i++;
        return i < s.n ? i + 1 : i;
    }
    if (c == ']') {
        while (i < s.n && s.p[i] != '\a' && s.p[i] != '\x1b')
            i++;
        return i < s.n && s.p[i] == '\x1b' ? (i + 2 < s.n ? i + 2 : s.n) : i < s.n ? i + 1 : i;
    }
    return i;
}

/* Without escapes and NUL bytes; the common line has none and is not copied. */
static struct str without_escapes(struct log_lines *l, struct str s)
{
    bool nul = s.n && memchr(s.p, 0, s.n);
    if (nul)
        l->nul = true;
    if (!nul && !(s.n && memchr(s.p, 0x1b, s.n)))
        return s;
    buf_clear(&l->cut);
    for (size_t i = 0; i < s.n;) {
        if (s.p[i] == '\x1b') {
            i = escape_end(s, i);
        } else {
            if (s.p[i])
                buf_char(&l->cut, s.p[i]);
            i++;
        }
    }
    return buf_view(&l->cut);
}

int log_line_next(struct log_lines *l, struct str *line, struct err *e)
{
    size_t from = l->pos;
    bool counted = l->newline || !l->line;
    l->line += counted;
    l->ends = l->ends || l->newline;
    l->newline = l->long_line = l->nul = false;
    for (;;) {
        size_t end = line_end(l, from);
        if (end < l->chunk.n || l->end) {
            if (end == l->pos && end == l->chunk.n && !l->long_line) {
                l->line -= counted; /* nothing follows the last line's end */
                return 0;
            }
            struct str raw = str_n(l->chunk.p ? l->chunk.p + l->pos : "", end - l->pos);
            raw.n = raw.n > LOG_LINE ? LOG_LINE : raw.n;
            *line = without_escapes(l, raw);
            if (l->line == 1 && (str_starts(*line, "\xef\xbb\xbf") || (l->utf16 && line->n > 1)))
                *line = str_cut(*line, l->utf16 ? 2 : 3); /* the byte order mark */
            l->newline = end < l->chunk.n && l->chunk.p[end] == '\n';
            l->pos = end < l->chunk.n ? end + 1 : end;
            return 1;
        }
        if (l->chunk.n - l->pos > LOG_LINE) { /* its first part stays, what follows is skipped */
            l->long_line = true;
            l->chunk.n = l->pos + LOG_LINE;
        }
        bool enough = (l->most && l->at >= l->most) || (l->cancel && atomic_load(l->cancel));
        from = enough ? l->chunk.n : l->chunk.n - l->pos; /* extend_log_window moves the line to the start */
        int rc = enough ? 0 : extend_log_window(l, e);
        if (rc < 0)
            return -1;
        l->end = rc == 0;
    }
}

bool log_line_unended(const struct log_lines *l)
{
    return l->end && !l->newline && l->ends;
}

bool log_stops_in_number(struct str line)
{
    return line.n && (char_is_digit(line.p[line.n - 1]) || line.p[line.n - 1] == '.');
}

bool log_begins_as(struct str line, struct str record)
{
    size_t i = 0, k = 0;
    while (i < line.n && k < record.n &&
           (line.p[i] == record.p[k] || (char_is_digit(line.p[i]) && char_is_digit(record.p[k])))) {
        bool digit = char_is_digit(line.p[i]);
        for (i++, k++; digit && i < line.n && char_is_digit(line.p[i]);)
            i++;
        while (digit && k < record.n && char_is_digit(record.p[k]))
            k++;
    }
    return i && 2 * i >= line.n; /* the names in them may differ */
}

void log_line_close(struct log_lines *l)
{
    buf_release(&l->chunk);
    buf_release(&l->cut);
}
