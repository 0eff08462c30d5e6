/* The prompt's editing keys, history and completion. */
#include "ui/prompt.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ui/edit.h"
#include "ui/screen.h"

void prompt_open(struct screen *s)
{
    struct prompt *p = &s->prompt;
    buf_clear(&p->text);
    buf_cstr(&p->text, s->desk.prompt);
    p->kind = s->desk.prompt_kind;
    p->at = p->text.n;
    p->active = true;
    p->recall = p->history.n;
    p->completion = -1;
}

static void insert(struct prompt *p, const char *s)
{
    size_t n = strlen(s), rest = p->text.n - p->at;
    buf_reserve(&p->text, n);
    memmove(p->text.p + p->at + n, p->text.p + p->at, rest);
    memcpy(p->text.p + p->at, s, n);
    p->text.n += n;
    p->text.p[p->text.n] = 0;
    p->at += n;
}

static void cut(struct prompt *p, size_t from, size_t to)
{
    memmove(p->text.p + from, p->text.p + to, p->text.n - to);
    p->text.n -= to - from;
    p->text.p[p->text.n] = 0;
    p->at = from;
}

/* Start of the character before, and behind, a place in UTF-8. */
static size_t before(const struct prompt *p)
{
    size_t i = p->at;
    while (i > 0 && (p->text.p[--i] & 0xc0) == 0x80)
        continue;
    return i;
}

static size_t after(const struct prompt *p)
{
    size_t i = p->at;
    if (i < p->text.n)
        do
            i++;
        while (i < p->text.n && (p->text.p[i] & 0xc0) == 0x80);
    return i;
}

static void recall(struct prompt *p, int by)
{
    size_t to = p->recall + (size_t)by;
    if (to > p->history.n) /* also below 0 */
        return;
    p->recall = to;
    buf_clear(&p->text);
    buf_cstr(&p->text, to < p->history.n ? p->history.v[to] + 1 : "");
    p->at = p->text.n;
}

static void complete(struct screen *s)
{
    struct prompt *p = &s->prompt;
    if (p->kind == '/')
        return;
    if (p->completion < 0) {
        p->stem = p->text.n;
        p->completion = 0;
    }
    struct buf asked = {0};
    char *typed = mem_strdup(p->text.p ? p->text.p : "");
    typed[p->stem] = 0;
    char *blank = strrchr(typed, ' ');
    if (p->kind == '&') /* the names of fields, at any word */
        buf_fmt(&asked, "filter %s", blank ? blank + 1 : typed);
    else
        buf_cstr(&asked, typed);
    session_lock(&s->session);
    const char *word = command_complete(&s->desk, asked.p ? asked.p : "", p->completion);
    if (!word && p->completion) /* round again */
        word = command_complete(&s->desk, asked.p ? asked.p : "", p->completion = 0);
    session_unlock(&s->session);
    buf_release(&asked);
    if (word) {
        size_t keep = blank ? (size_t)(blank - typed) + 1 : 0;
        p->text.n = keep;
        buf_cstr(&p->text, word);
        p->at = p->text.n;
        p->completion++;
    }
    free(typed);
}

static int finish(struct screen *s)
{
    struct prompt *p = &s->prompt;
    char *line = mem_alloc(p->text.n + 2);
    line[0] = p->kind;
    memcpy(line + 1, p->text.p ? p->text.p : "", p->text.n);
    line[p->text.n + 1] = 0;
    p->active = false;
    struct buf command = {0};
    if (p->kind == '/')
        buf_cstr(&command, "search ");
    if (p->kind == '&' && p->text.n)
        buf_cstr(&command, "filter ");
    buf_cstr(&command, line + 1);
    if (p->text.n)
        vec_push(&p->history, line);
    else
        free(line);
    int r = screen_command(s, command.p ? command.p : "");
    buf_release(&command);
    return r;
}

int prompt_key(struct screen *s, const char *key)
{
    struct prompt *p = &s->prompt;
    buf_clear(&s->desk.message);
    if (strcmp(key, "Tab") == 0) {
        complete(s);
        return R_DRAW;
    }
    p->completion = -1;
    if (strcmp(key, "Enter") == 0)
        return finish(s);
    if (strcmp(key, "C-e") == 0 && edit_from_prompt(s)) {
        p->into_editor = true;
        return R_DRAW | R_EDIT;
    }
    if (strcmp(key, "Esc") == 0 || strcmp(key, "C-c") == 0 || strcmp(key, "C-g") == 0 ||
        (strcmp(key, "Backspace") == 0 && !p->text.n))
        p->active = false;
    else if (strcmp(key, "Backspace") == 0 && p->at)
        cut(p, before(p), p->at);
    else if (strcmp(key, "Delete") == 0 || strcmp(key, "C-d") == 0) {
        size_t from = p->at;
        cut(p, from, after(p));
    } else if (strcmp(key, "Left") == 0 || strcmp(key, "C-b") == 0)
        p->at = before(p);
    else if (strcmp(key, "Right") == 0 || strcmp(key, "C-f") == 0)
        p->at = after(p);
    else if (strcmp(key, "Home") == 0 || strcmp(key, "C-a") == 0)
        p->at = 0;
    else if (strcmp(key, "End") == 0 || strcmp(key, "C-e") == 0)
        p->at = p->text.n;
    else if (strcmp(key, "C-u") == 0)
        cut(p, 0, p->at);
    else if (strcmp(key, "C-k") == 0) {
        size_t from = p->at;
        cut(p, from, p->text.n);
    } else if (strcmp(key, "C-w") == 0) {
        size_t to = p->at, from = to;
        while (from && p->text.p[from - 1] == ' ')
            from--;
        while (from && p->text.p[from - 1] != ' ')
            from--;
        cut(p, from, to);
    } else if (strcmp(key, "Up") == 0 || strcmp(key, "C-p") == 0)
        recall(p, -1);
    else if (strcmp(key, "Down") == 0 || strcmp(key, "C-n") == 0)
        recall(p, 1);
    else if (strcmp(key, "Space") == 0)
        insert(p, " ");
    else if (utf8_cells(str_of(key)) >= 1 && (strlen(key) == 1 || (unsigned char)key[0] >= 0x80))
        insert(p, key);
    return R_DRAW;
}

void prompt_release(struct prompt *p)
{
    for (size_t i = 0; i < p->history.n; i++)
        free(p->history.v[i]);
    vec_release(&p->history);
    buf_release(&p->text);
}
