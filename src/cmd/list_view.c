/* A list shown over the table: its entries, filtering by the typed text, opening and closing. */
#include "cmd/workspace.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/fuzzy.h"
#include "base/msg.h"
#include "table/shown_name.h"

void workspace_clear_list(struct workspace *d)
{
    for (size_t i = 0; i < d->list.items.n; i++) {
        free(d->list.items.v[i].text);
        free(d->list.items.v[i].shown);
        free(d->list.items.v[i].command);
        free(d->list.items.v[i].inside);
        free(d->list.items.v[i].away);
    }
    vec_clear(&d->list.items);
    vec_clear(&d->list.shown);
    free(d->list.of);
    free(d->list.from);
    d->list.of = d->list.from = NULL;
    free(d->list.left.words);
    d->list.left.words = NULL;
    d->list.left.on = false;
    d->list.again = NULL;
    d->list.offers = false;
    d->list.starts = NULL;
    d->list.diagnosed = 0;
}

/* Where the name is a word of the text, not a part of a path; NULL: nowhere. */
static const char *find_whole_word(const char *text, struct str name)
{
    const char *at = name.n ? strstr(text, name.p) : NULL;
    bool word = at && (at == text || at[-1] == ' ') && (!at[name.n] || strchr(" :,", at[name.n]));
    return word ? at : NULL;
}

/* The text with the names of the line's rows as the table shows them; NULL: it is the same. */
static char *text_with_shown_names(struct workspace *d, uint32_t line, const char *text)
{
    struct buf name = {0}, out = {0}, next = {0};
    if (!*text)
        return NULL;
    buf_cstr(&out, text);
    for (int i = 0; i < 2; i++) {
        uint32_t row = d->c->pairing->lines.v[line].row[i];
        buf_clear(&name);
        if (row != NONE)
            dump_row_name(&d->c->side[i].dump, row, &name);
        const char *at = find_whole_word(out.p, buf_view(&name));
        if (!at)
            continue;
        buf_clear(&next);
        buf_str(&next, str_n(out.p, (size_t)(at - out.p)));
        shown_name(buf_view(&name), &next);
        buf_cstr(&next, at + name.n);
        struct buf was = out;
        out = next;
        next = was;
    }
    char *shown = out.n && strcmp(out.p, text) != 0 ? str_dup(buf_view(&out)) : NULL;
    buf_release(&name);
    buf_release(&out);
    buf_release(&next);
    return shown;
}

void workspace_add_item(struct workspace *d, uint32_t line, uint8_t mark, struct str text)
{
    bool named = line != NONE && d->c->paired && line < d->c->pairing->lines.n;
    struct list_item x = {.text = str_dup(text), .line = line, .mark = mark};
    if (named)
        x.shown = text_with_shown_names(d, line, x.text);
    vec_push(&d->list.items, x);
}

__attribute__((format(printf, 5, 0)))
static void add_command(struct workspace *d, const char *verb, const char *words, bool prose, const char *fmt,
                        va_list ap)
{
    struct buf command = {0}, text = {0};
    buf_vfmt(&text, fmt, ap);
    buf_fmt(&command, "%s%s%s", verb, words ? " " : "", words ? words : "");
    struct list_item x = {.text = str_dup(buf_view(&text)), .command = str_dup(buf_view(&command)), .line = NONE,
                          .prose = prose};
    vec_push(&d->list.items, x);
    buf_release(&command);
    buf_release(&text);
}

void workspace_add_command(struct workspace *d, const char *verb, const char *words, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_command(d, verb, words, false, fmt, ap);
    va_end(ap);
}

void workspace_add_prose(struct workspace *d, const char *verb, const char *words, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_command(d, verb, words, true, fmt, ap);
    va_end(ap);
}

void workspace_add_inside(struct workspace *d, const char *verb, const char *words)
{
    struct buf command = {0};
    buf_fmt(&command, "%s %s", verb, words);
    vec_last(&d->list.items)->inside = str_dup(buf_view(&command));
    buf_release(&command);
}

void workspace_add_away(struct workspace *d, const char *verb, const char *words)
{
    struct buf command = {0};
    buf_fmt(&command, "%s %s", verb, words);
    vec_last(&d->list.items)->away = str_dup(buf_view(&command));
    buf_release(&command);
}

/* The items that match the words, best first, equal ones in order. */
static void arrange_items(struct list_view *l, struct str words)
{
    VEC(int) score = {0};
    int best = 0;
    for (size_t i = 0; i < l->items.n; i++) {
        const struct list_item *x = &l->items.v[i];
        int whole = fuzzy_score(str_of(x->text), words);
        int shown = x->shown ? fuzzy_score(str_of(x->shown), words) : whole;
        vec_push(&score, whole > shown ? whole : shown);
        best = score.v[i] > best ? score.v[i] : best;
    }
    vec_clear(&l->shown);
    for (int s = best; s >= 0; s--)
        for (size_t i = 0; i < score.n; i++)
            if (score.v[i] == s)
                vec_push(&l->shown, (uint32_t)i);
    vec_release(&score);
}

const struct list_item *workspace_selected(const struct workspace *d)
{
    const struct list_view *l = &d->list;
    return d->overlay == OVERLAY_LIST && l->at < l->shown.n ? &l->items.v[l->shown.v[l->at]] : NULL;
}

void workspace_narrow(struct workspace *d, struct str words)
{
    struct buf b = {0};
    buf_add(&b, words.p, words.n); /* the words may be the old ones */
    buf_release(&d->narrow);
    d->narrow = b;
    d->narrowing = d->narrowed = false;
    d->help_scroll = 0;
    d->list.at = 0;
    d->list.scroll = 0;
    arrange_items(&d->list, buf_view(&b));
}

void workspace_show_list(struct workspace *d, const char *title)
{
    bool again = d->overlay == OVERLAY_LIST && d->list.title && strcmp(d->list.title, title) == 0;
    if (!again) {
        buf_clear(&d->narrow);
        d->narrowing = false;
        free(d->list.title);
        d->list.title = mem_strdup(title);
    }
    if (d->overlay == OVERLAY_PANEL)
        d->list.over_panel = true;
    arrange_items(&d->list, buf_view(&d->narrow));
    if (d->overlay != OVERLAY_LIST || d->list.at >= d->list.shown.n) {
        d->list.at = 0;
        d->list.scroll = 0;
    }
    d->overlay = OVERLAY_LIST;
}

void workspace_leave_list(struct workspace *d)
{
    struct list_view *l = &d->list;
    free(l->left.words);
    l->left.words = str_dup(buf_view(&d->narrow));
    l->left.at = l->at;
    l->left.scroll = l->scroll;
    l->left.over_panel = l->over_panel;
    l->left.rows = d->c->pairing;
    l->left.on = true;
    l->over_panel = false;
    d->overlay = OVERLAY_NONE;
}

bool workspace_return_list(struct workspace *d)
{
    struct list_view *l = &d->list;
    bool same = l->left.on && l->left.rows == d->c->pairing && l->items.n;
    l->left.on = false;
    if (!same)
        return false;
    d->overlay = OVERLAY_LIST;
    workspace_narrow(d, str_of(l->left.words));
    l->at = l->left.at;
    l->scroll = l->left.scroll;
    l->over_panel = l->left.over_panel;
    return true;
}

void workspace_close_list(struct workspace *d)
{
    d->overlay = d->list.over_panel ? OVERLAY_PANEL : d->c->side[0].path ? OVERLAY_NONE : OVERLAY_INTAKE;
    d->list.over_panel = false;
}

int workspace_close_overlay(struct workspace *d)
{
    d->panel.left = 0;
    d->list.left.on = false;
    d->overlay = d->c->side[TARGET].path ? OVERLAY_NONE : OVERLAY_INTAKE;
    return 0;
}

void workspace_take_offers(struct workspace *d)
{
    struct folder_scan *o = &d->offers;
    if (d->overlay != OVERLAY_LIST || !d->list.offers) {
        folder_scan_drop(o);
        return;
    }
    bool busy = folder_scan_busy(o);
    size_t had = d->list.items.n;
    for (size_t i = had, n = folder_scan_count(o); i < n; i++) {
        struct openable x = folder_scan_at(o, i);
        workspace_add_command(d, "take", x.path, "%-15s %s", x.kind, x.path);
    }
    if (d->list.items.n > had)
        arrange_items(&d->list, buf_view(&d->narrow));
    if (busy)
        return;
    d->list.offers = false;
    if (d->list.items.n) {
        workspace_show_list(d, workspace_takes_golden(d)
                                   ? _("files in this folder; Enter selects one as the golden side")
                                   : _("files in this folder; Enter selects one as the target"));
        return;
    }
    workspace_close_list(d);
    if (o->err.text[0])
        workspace_complain(d, "%s", o->err.text);
    else
        workspace_say(d, _("no files that can be opened below %s"), o->folder);
}
