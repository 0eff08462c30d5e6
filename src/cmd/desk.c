#include "cmd/desk.h"

#include <stdlib.h>

#include "base/msg.h"

void desk_init(struct desk *d, struct session *s, struct investigation *inv)
{
    *d = (struct desk){
        .s = s,
        .inv = inv,
        .follow = true,
        .seen_first = NONE,
        .page = 10,
        .frame_line = NONE,
        .new_step = {-1, -1},
        .new_rank = {-1, -1},
    };
}

void desk_release(struct desk *d)
{
    search_release(&d->search);
    desk_clear_list(d);
    vec_release(&d->list);
    free(d->list_title);
    free(d->write_path);
    free(d->prompt);
    buf_release(&d->message);
}

uint32_t desk_lines(const struct desk *d)
{
    return (uint32_t)(d->s->paired ? d->s->pairing.lines.n : d->s->side[TARGET].dump.rows.n);
}

void desk_refresh(struct desk *d)
{
    struct session *s = d->s;
    if (s->paired && !d->was_paired) {
        if (d->cursor < s->side[TARGET].dump.rows.n)
            d->cursor = s->pairing.line_of[TARGET][d->cursor];
        d->was_paired = true;
        /* a saved place comes before the first deviation */
        uint32_t row = *d->inv->cursor[0] ? dump_find_row(&s->side[TARGET].dump, str_of(d->inv->cursor[0])) : NONE;
        if (row != NONE && d->follow) {
            d->cursor = s->pairing.line_of[TARGET][row];
            d->follow = false;
            desk_say(d, "%s", _("back at the row you left; F goes to the first deviation"));
        }
    }
    if (d->follow && s->judged && s->judged->first != d->seen_first) {
        d->seen_first = s->judged->first;
        if (d->seen_first != NONE)
            d->cursor = d->seen_first;
    }
    uint32_t n = desk_lines(d);
    if (d->cursor >= n)
        d->cursor = n ? n - 1 : 0;
    if (d->frame_line != d->cursor) { /* another row: its stack from the top */
        d->frame_line = d->cursor;
        d->frame = 0;
        memset(d->scroll, 0, sizeof d->scroll);
    }
}

void desk_go(struct desk *d, uint32_t line)
{
    uint32_t n = desk_lines(d);
    d->follow = false;
    d->cursor = line < n ? line : n ? n - 1 : 0;
    desk_refresh(d);
}

void desk_rows(const struct desk *d, uint32_t line, uint32_t row[2])
{
    row[0] = row[1] = NONE;
    if (line >= desk_lines(d))
        return;
    if (d->s->paired)
        memcpy(row, d->s->pairing.lines.v[line].row, 2 * sizeof *row);
    else
        row[TARGET] = line;
}

const struct line_judgement *desk_judgement(const struct desk *d, uint32_t line)
{
    const struct judgement *j = d->s->judged;
    return j && line < j->lines ? &j->line[line] : NULL;
}

uint32_t desk_stack(const struct desk *d, uint32_t line, int side, bool *of_twin)
{
    uint32_t row[2];
    desk_rows(d, line, row);
    *of_twin = false;
    if (row[side] == NONE)
        return NONE;
    const struct dump *x = &d->s->side[side].dump;
    const struct call *c = &x->calls.v[x->rows.v[row[side]].call];
    if (c->stack == NONE && c->twin != NONE) {
        *of_twin = true;
        return x->calls.v[c->twin].stack;
    }
    return c->stack;
}

void desk_names(const struct desk *d, uint32_t line, struct buf name[2])
{
    uint32_t row[2];
    desk_rows(d, line, row);
    for (int s = 0; s < 2; s++) {
        buf_clear(&name[s]);
        buf_cstr(&name[s], "");
        if (row[s] != NONE)
            dump_row_name(&d->s->side[s].dump, row[s], &name[s]);
    }
}

void desk_clear_list(struct desk *d)
{
    for (size_t i = 0; i < d->list.n; i++)
        free(d->list.v[i].text);
    vec_clear(&d->list);
    d->list_at = 0;
}

void desk_add_item(struct desk *d, uint32_t line, uint8_t mark, struct str text)
{
    struct list_item x = {.text = mem_alloc(text.n + 1), .line = line, .mark = mark};
    memcpy(x.text, text.p, text.n);
    x.text[text.n] = 0;
    vec_push(&d->list, x);
}

void desk_save(struct desk *d)
{
    struct err e;
    if (investigation_save(d->inv, &e))
        desk_complain(d, _("not saved: %s"), e.text);
}

static void say(struct desk *d, bool error, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));

static void say(struct desk *d, bool error, const char *fmt, va_list ap)
{
    buf_clear(&d->message);
    buf_vfmt(&d->message, fmt, ap);
    d->message_is_error = error;
}

void desk_say(struct desk *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(d, false, fmt, ap);
    va_end(ap);
}

void desk_complain(struct desk *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(d, true, fmt, ap);
    va_end(ap);
}
