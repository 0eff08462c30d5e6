/* The prompt's editing keys, history and completion. */
#include "ui/prompt.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/msg.h"
#include "ui/edit.h"
#include "ui/screen.h"

#define CHOICES_SAID 40
#define HINT_BYTES 400 /* more than any screen shows of them */

static void forget_choices(struct prompt *p)
{
    name_list_release(&p->choices);
    p->choice = 0;
}

/* ---- what is shown over the line ---- */

/* For a complete command its usage, otherwise the names with this beginning. */
static void hint_command(struct screen *s, struct buf *out)
{
    struct str typed = buf_view(&s->prompt.text), name, rest;
    bool words = str_split(typed, ' ', &name, &rest);
    const struct command *c = command_find(words ? name : typed);
    struct err e;
    if (c && (c->needs & CHANGES) && investigation_may_change(&s->inv, &e)) {
        buf_fmt(out, _("read-only: %s"), e.text);
        return;
    }
    if (c)
        buf_fmt(out, "%s%s%s: %s", c->name, *c->args ? " " : "", c->args, _(c->help));
    if (c || words)
        return;
    name_list found = {0};
    command_complete(&s->work, s->prompt.text.p ? s->prompt.text.p : "", &found);
    for (size_t i = 0; i < found.n && out->n < HINT_BYTES; i++)
        buf_fmt(out, "%s%s", i ? "  " : "", found.v[i]);
    name_list_release(&found);
}

static void hint_filter(struct screen *s, struct buf *out)
{
    struct str typed = buf_view(&s->prompt.text);
    name_list found = {0};
    size_t kept = filter_suggest(typed, &found);
    struct str begun = str_cut(typed, kept);
    const struct field *f = begun.n ? field_find(begun) : NULL;
    if (f && f->head)
        buf_fmt(out, "%s: %s", f->name, _(f->help));
    for (size_t i = 0; i < found.n && out->n < HINT_BYTES; i++)
        if (!str_is(begun, found.v[i]))
            buf_fmt(out, "%s%s", out->n ? "  " : "", found.v[i]);
    name_list_release(&found);
}

void prompt_typed(struct screen *s)
{
    struct prompt *p = &s->prompt;
    buf_clear(&p->hint);
    session_lock(&s->session);
    trial_set(&s->work.trial, p->active ? p->kind : 0, buf_view(&p->text), &s->work.arrange);
    session_unlock(&s->session);
    if (p->active && p->kind == ':')
        hint_command(s, &p->hint);
    if (p->active && p->kind == '&')
        hint_filter(s, &p->hint);
}

void prompt_open(struct screen *s)
{
    struct prompt *p = &s->prompt;
    buf_clear(&p->text);
    buf_cstr(&p->text, s->work.prompt);
    p->kind = s->work.prompt_kind;
    p->at = p->text.n;
    p->active = true;
    p->recall = p->history.n;
    forget_choices(p);
    prompt_typed(s);
}

/* ---- editing ---- */

static void insert_text(struct prompt *p, struct str s)
{
    size_t rest = p->text.n - p->at;
    buf_reserve(&p->text, s.n);
    memmove(p->text.p + p->at + s.n, p->text.p + p->at, rest);
    memcpy(p->text.p + p->at, s.p, s.n);
    p->text.n += s.n;
    p->text.p[p->text.n] = 0;
    p->at += s.n;
}

static void cut_text(struct prompt *p, size_t from, size_t to)
{
    memmove(p->text.p + from, p->text.p + to, p->text.n - to);
    p->text.n -= to - from;
    p->text.p[p->text.n] = 0;
    p->at = from;
}

/* Start of the character before, and behind, a place in UTF-8. */
static size_t place_before(const struct prompt *p)
{
    size_t i = p->at;
    while (i > 0 && (p->text.p[--i] & 0xc0) == 0x80)
        continue;
    return i;
}

static size_t place_after(const struct prompt *p)
{
    size_t i = p->at;
    if (i < p->text.n)
        do
            i++;
        while (i < p->text.n && (p->text.p[i] & 0xc0) == 0x80);
    return i;
}

static void recall_line(struct prompt *p, int by)
{
    size_t to = p->recall + (size_t)by;
    if (to > p->history.n) /* also below 0 */
        return;
    p->recall = to;
    buf_clear(&p->text);
    buf_cstr(&p->text, to < p->history.n ? p->history.v[to] + 1 : "");
    p->at = p->text.n;
}

/* Completions of the last word; the first word of a filter may be a saved one. */
static void find_choices(struct screen *s)
{
    struct prompt *p = &s->prompt;
    struct str typed = buf_view(&p->text);
    p->kept = (size_t)(str_rfind(typed, ' ') + 1);
    if (p->kind == ':') {
        command_complete(&s->work, p->text.p ? p->text.p : "", &p->choices);
        return;
    }
    if (!str_has(typed, " "))
        for (size_t i = 0; i < s->inv.filters.n; i++)
            if (str_starts(str_of(s->inv.filters.v[i].name), p->text.p ? p->text.p : ""))
                vec_push(&p->choices, mem_strdup(s->inv.filters.v[i].name));
    p->kept = filter_suggest(typed, &p->choices);
}

/* Shows several completions above the prompt. */
static void say_choices(struct screen *s)
{
    struct buf all = {0};
    const name_list *l = &s->prompt.choices;
    for (size_t i = 0; i < l->n && i < CHOICES_SAID; i++) {
        struct str x = str_of(l->v[i]), name = str_n(x.p, x.n - (x.n && x.p[x.n - 1] == '/'));
        buf_fmt(&all, "%s%s", i ? "  " : "", path_base(name).p);
    }
    if (l->n > 1)
        workspace_say(&s->work, "%s", all.p);
    buf_release(&all);
}

static void complete_prompt(struct screen *s)
{
    struct prompt *p = &s->prompt;
    if (p->kind == '/')
        return;
    if (!p->choices.n)
        find_choices(s);
    if (!p->choices.n)
        return;
    say_choices(s);
    p->text.n = p->kept;
    buf_cstr(&p->text, p->choices.v[p->choice]);
    p->at = p->text.n;
    p->choice = (p->choice + 1) % p->choices.n;
    if (p->choices.n == 1) /* the next Tab continues after it */
        forget_choices(p);
}

/* Adds the line to the history, also if it was cancelled. */
static void close_line(struct prompt *p)
{
    p->active = false;
    if (!p->text.n)
        return;
    struct buf line = {0};
    buf_char(&line, p->kind);
    buf_add(&line, p->text.p, p->text.n);
    vec_push(&p->history, line.p);
}

/* The latest line of this kind, or "". */
static const char *latest_line(const struct prompt *p, char kind)
{
    for (size_t i = p->history.n; i-- > 0;)
        if (p->history.v[i][0] == kind)
            return p->history.v[i] + 1;
    return "";
}

static bool finish_prompt(struct screen *s)
{
    struct prompt *p = &s->prompt;
    struct buf command = {0};
    if (p->kind == '/' && !p->text.n) { /* again */
        const char *before = latest_line(p, '/');
        bool open = s->work.search.code && (!*before || strcmp(before, s->work.search.text) == 0);
        p->active = false;
        if (open)
            return screen_command(s, "search-next");
        buf_cstr(&p->text, before);
    }
    if (p->kind == '/')
        buf_cstr(&command, "search ");
    if (p->kind == '&' && p->text.n)
        buf_cstr(&command, "filter ");
    buf_add(&command, p->text.p, p->text.n);
    close_line(p);
    bool leave = screen_command(s, command.p ? command.p : "");
    buf_release(&command);
    return leave;
}

/* At the end of a note that has a text. */
static bool ends_note(const struct prompt *p)
{
    struct str line = buf_view(&p->text);
    bool note = p->kind == ':' && str_starts(line, "note ");
    return note && p->at == p->text.n && str_trim(str_cut(line, strlen("note "))).n;
}

static void delete_before_or_close(struct prompt *p)
{
    if (!p->text.n)
        close_line(p);
    else if (p->at)
        cut_text(p, place_before(p), p->at);
}

static void delete_character(struct prompt *p)
{
    size_t from = p->at;
    cut_text(p, from, place_after(p));
}

static void go_left(struct prompt *p)
{
    p->at = place_before(p);
}

static void go_right(struct prompt *p)
{
    p->at = place_after(p);
}

static void go_to_begin(struct prompt *p)
{
    p->at = 0;
}

static void go_to_end(struct prompt *p)
{
    p->at = p->text.n;
}

static void cut_to_begin(struct prompt *p)
{
    cut_text(p, 0, p->at);
}

static void cut_to_end(struct prompt *p)
{
    size_t from = p->at;
    cut_text(p, from, p->text.n);
}

static void cut_word(struct prompt *p)
{
    size_t to = p->at, from = to;
    while (from && p->text.p[from - 1] == ' ')
        from--;
    while (from && p->text.p[from - 1] != ' ')
        from--;
    cut_text(p, from, to);
}

static void recall_older(struct prompt *p)
{
    recall_line(p, -1);
}

static void recall_newer(struct prompt *p)
{
    recall_line(p, 1);
}

static const struct {
    const char *key;
    void (*edit)(struct prompt *p);
} edit_keys[] = {
    {"Esc", close_line}, {"C-c", close_line}, {"C-g", close_line},
    {"Backspace", delete_before_or_close}, {"Delete", delete_character}, {"C-d", delete_character},
    {"Left", go_left}, {"C-b", go_left}, {"Right", go_right}, {"C-f", go_right},
    {"Home", go_to_begin}, {"C-a", go_to_begin}, {"End", go_to_end}, {"C-e", go_to_end},
    {"C-u", cut_to_begin}, {"C-k", cut_to_end}, {"C-w", cut_word},
    {"Up", recall_older}, {"C-p", recall_older}, {"Down", recall_newer}, {"C-n", recall_newer},
};

static bool take_key(struct screen *s, const char *key)
{
    struct prompt *p = &s->prompt;
    buf_clear(&s->work.message);
    if (strcmp(key, "Tab") == 0) {
        complete_prompt(s);
        return false;
    }
    forget_choices(p);
    if (strcmp(key, "Enter") == 0)
        return finish_prompt(s);
    if (strcmp(key, "C-e") == 0 && edit_from_prompt(s)) {
        p->into_editor = true;
        screen_edit(s);
        return false;
    }
    if (strcmp(key, "C-d") == 0 && ends_note(p))
        return finish_prompt(s);
    for (size_t i = 0; i < ARRAY_LEN(edit_keys); i++)
        if (strcmp(key, edit_keys[i].key) == 0) {
            edit_keys[i].edit(p);
            return false;
        }
    if (key_is_character(key))
        insert_text(p, strcmp(key, "Space") == 0 ? STR(" ") : str_of(key));
    return false;
}

bool prompt_key(struct screen *s, const char *key)
{
    bool leave = take_key(s, key);
    prompt_typed(s);
    return leave;
}

void pasted_line(struct str text, struct buf *line)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool second = c == '\n' && i && text.p[i - 1] == '\r'; /* of one line end */
        bool wide = c == 0xc2 && i + 1 < text.n && (unsigned char)text.p[i + 1] < 0xa0; /* U+0080 to U+009F */
        if (c == '\n' || c == '\r' || c == '\t') {
            if (!second)
                buf_char(line, ' ');
        } else if (wide) {
            i++;
        } else if (c >= 0x20 && c != 0x7f) {
            buf_char(line, (char)c);
        }
    }
    while (line->n && line->p[line->n - 1] == ' ' && text.n && strchr("\r\n", text.p[text.n - 1])) /* no line follows */
        line->p[--line->n] = 0;
}

void prompt_paste(struct prompt *p, struct str text)
{
    struct buf line = {0};
    forget_choices(p);
    pasted_line(text, &line);
    if (line.n)
        insert_text(p, buf_view(&line));
    buf_release(&line);
}

void prompt_release(struct prompt *p)
{
    for (size_t i = 0; i < p->history.n; i++)
        free(p->history.v[i]);
    vec_release(&p->history);
    forget_choices(p);
    buf_release(&p->text);
    buf_release(&p->hint);
}
