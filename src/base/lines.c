/* Reads a text file by chunks through a window that holds the current line; the rest of a line that is too long is
 * skipped. */
#include "base/lines.h"

#include "base/msg.h"

#define CHUNK (256 * 1024)

int lines_open(struct lines *l, const char *path, size_t longest, bool cut, struct err *e)
{
    struct file f;
    if (file_open(&f, path, e))
        return -1;
    lines_take(l, f, longest, cut);
    return 0;
}

void lines_take(struct lines *l, struct file f, size_t longest, bool cut)
{
    *l = (struct lines){.file = f, .longest = longest, .cut = cut};
}

void lines_between(struct lines *l, uint64_t from, uint64_t end, uint64_t before)
{
    l->base = from;
    l->end = end;
    l->number = before;
}

bool lines_unended(const struct lines *l)
{
    return !l->newline && l->number > 1;
}

void lines_close(struct lines *l)
{
    file_close(&l->file);
    buf_release(&l->window);
}

/* Reads on after the window and drops what precedes `at`. 1, 0 at the end, -1. */
static int extend_line_window(struct lines *l, struct err *e)
{
    struct buf *w = &l->window;
    if (l->at) {
        memmove(w->p, w->p + l->at, w->n - l->at);
        w->n -= l->at;
        l->base += l->at;
        l->at = 0;
    }
    buf_reserve(w, CHUNK);
    long got = file_read_some(&l->file, l->base + w->n, w->p + w->n, CHUNK, e);
    if (got > 0)
        w->n += (size_t)got;
    return got > 0 ? 1 : (int)got;
}

/* Skips the rest of a line that is too long; `kept` bytes at the window's start stay. */
static int pass_over(struct lines *l, size_t kept, struct err *e)
{
    struct buf *w = &l->window;
    for (;;) {
        char *end = memchr(w->p + kept, '\n', w->n - kept);
        if (end) {
            size_t behind = (size_t)(end + 1 - w->p);
            memmove(w->p + kept + 1, w->p + behind, w->n - behind);
            w->p[kept] = '\n';
            w->n -= behind - kept - 1;
            l->base += behind - kept - 1;
            return 0;
        }
        l->base += w->n - kept;
        w->n = kept;
        buf_reserve(w, CHUNK);
        long got = file_read_some(&l->file, l->base + w->n, w->p + w->n, CHUNK, e);
        if (got < 0)
            return -1;
        if (got == 0)
            return 0;
        w->n += (size_t)got;
    }
}

int lines_next(struct lines *l, struct str *line, struct err *e)
{
    size_t seen = 0;   /* bytes after `at` known to contain no line end */
    uint64_t lost = 0; /* bytes skipped in this line */
    while (!l->end || l->base + l->at < l->end || seen) {
        struct buf *w = &l->window;
        size_t from = l->at + seen;
        char *end = from < w->n ? memchr(w->p + from, '\n', w->n - from) : NULL;
        size_t n = (end ? (size_t)(end - w->p) : w->n) - l->at;
        bool last = !end && l->ended;
        if (n > l->longest && !l->cut)
            return err_line(e, l->file.name, l->number + 1, _("a line of more than %zu bytes"), l->longest);
        if (end || (last && n)) {
            l->offset = l->base + l->at - lost;
            *line = str_n(w->p + l->at, n < l->longest ? n : l->longest);
            if (line->n && line->n == n && line->p[n - 1] == '\r')
                line->n--;
            l->at += n + (end ? 1 : 0);
            l->number++;
            l->newline = end;
            return 1;
        }
        if (last)
            return 0;
        seen = n;
        int rc = extend_line_window(l, e);
        if (rc < 0)
            return -1;
        l->ended = rc == 0;
        if (l->cut && w->n > l->longest + CHUNK && !memchr(w->p, '\n', w->n)) {
            uint64_t before = l->base;
            if (pass_over(l, l->longest, e))
                return -1;
            lost += l->base - before;
            seen = l->longest;
        }
    }
    return 0;
}
