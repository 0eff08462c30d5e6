/* Passes the lines of a text log to the readers of line formats; records wrapped over several lines are joined. */

#include "log/line_kinds.h"
#include "log/series_builder.h"

#define HELD (1u << 20) /* bytes of a wrapped record (a list of local norms can be long) */

struct held {
    struct buf text, record; /* record: the line last read in which one begins */
    uint64_t begin, begin_line; /* where it stands in the file, and lines before it */
    int kind; /* -1: nothing is held */
    bool broken; /* a record begins in the line last read and did not come to its end */
    size_t lines;
    uint32_t line; /* where it began */
};

static enum log_take take_by_format(struct series_builder *k, int kind, struct str line, size_t fresh, bool last)
{
    k->kind = kind;
    k->line_rank = log_rank_in(line);
    enum log_take t = log_formats[kind].take(k, line, fresh, last);
    k->line_rank = 0;
    return t;
}

static void take_held_record(struct series_builder *k, struct held *h)
{
    uint32_t now = k->line;
    if (h->kind < 0)
        return;
    k->line = h->line;
    take_by_format(k, h->kind, buf_view(&h->text), 0, true);
    k->line = now;
    h->kind = -1;
}

/* kind: of the record that may begin in the line, or -1; begin: bytes before it. */
static void take_text_line(struct series_builder *k, struct held *h, struct str line, int kind, uint64_t begin)
{
    h->broken = false;
    /* a list of norms may begin with a line that itself looks like the beginning of one */
    if (h->kind >= 0 && (kind < 0 || (kind == h->kind && log_formats[kind].join > 1000))) {
        size_t fresh = h->text.n;
        uint32_t now = k->line;
        if (fresh + line.n > HELD || ++h->lines > log_formats[h->kind].join) {
            take_held_record(k, h);
            return;
        }
        buf_str(&h->text, line);
        k->line = h->line;
        enum log_take t = take_by_format(k, h->kind, buf_view(&h->text), fresh, false);
        k->line = now;
        if (t != TAKE_MORE)
            h->kind = -1;
        return; /* the line is no record's beginning (it was asked above), so there is nothing more in it */
    }
    take_held_record(k, h);
    if (kind < 0)
        return;
    enum log_take t = take_by_format(k, kind, line, 0, false);
    buf_clear(&h->record);
    buf_str(&h->record, line);
    h->broken = t == TAKE_NOT;
    if (t == TAKE_MORE) {
        buf_clear(&h->text);
        buf_str(&h->text, line);
        h->kind = kind;
        h->lines = 1;
        h->line = k->line;
        h->begin = begin;
        h->begin_line = k->line - 1;
    }
}

/* Whether the end of the file cuts a record off in this line; of one that is closed the format says whether it is
 * whole. */
static bool cuts_record(const struct log_lines *l, const struct held *h, struct str line, int kind)
{
    if (!log_line_unended(l) || !line.n)
        return false;
    if (kind < 0 && h->kind < 0)
        return log_begins_as(line, buf_view(&h->record));
    return log_stops_in_number(line) || (kind >= 0 && !log_formats[kind].join && line.p[line.n - 1] != '}');
}

int log_read_lines(struct series_builder *k, struct err *e)
{
    struct log_tail *tail = &k->s->tail;
    struct log_lines l = {
        .file = k->file, .cancel = k->cancel, .at = tail->at, .line = tail->line, .newline = tail->at > 0};
    struct held h = {.kind = -1};
    struct line_kinds kinds = {0};
    struct str line;
    bool ended = true; /* the line last read */
    int rc;
    for (;;) {
        uint64_t begin = l.at - (l.chunk.n - l.pos);
        rc = log_line_next(&l, &line, e);
        if (rc != 1)
            break;
        if (l.newline) {
            tail->at = l.at - (l.chunk.n - l.pos);
            tail->line = l.line;
        } else if (l.end && k->growing) {
            break; /* the rest of the line is still to come */
        }
        k->line = l.line < UINT32_MAX ? (uint32_t)l.line : UINT32_MAX;
        if (l.long_line)
            log_odd(k, ODD_LONG);
        if (l.nul)
            log_odd(k, l.utf16 ? ODD_UTF16 : ODD_BINARY);
        ended = l.newline;
        if (log_cancelled(k))
            break;
        int kind = line_kind(&kinds, line);
        if (cuts_record(&l, &h, line, kind))
            h.broken = true;
        else
            take_text_line(k, &h, line, kind, begin);
    }
    if (h.kind >= 0 && h.begin < tail->at) {
        tail->at = h.begin;
        tail->line = h.begin_line;
    }
    if (!k->growing) {
        if (rc == 0 && !ended && (h.kind >= 0 || h.broken))
            log_odd(k, ODD_CUT);
        take_held_record(k, &h);
    }
    vec_last(&k->s->files)->lines = l.line;
    buf_release(&h.text);
    buf_release(&h.record);
    line_kinds_release(&kinds);
    log_line_close(&l);
    return rc < 0 ? -1 : 0;
}
