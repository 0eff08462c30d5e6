/* Converts keys, pasted text and mouse events to the text of a command. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/embed.h"
#include "base/msg.h"
#include "cmd/pane_verbs.h"
#include "ui/pane.h"

void screen_keys(struct screen *s, struct str set)
{
    static const struct {
        const char *set; /* NULL: below all of them */
        const struct embedded *file;
    } files[] = {{NULL, &embed_keys_conf}, {"vim", &embed_keys_vim_conf}, {"less", &embed_keys_less_conf}};
    struct err e;
    keymap_release(&s->keys);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) /* built-in files have no errors */
        if (!files[i].set || str_is(set, files[i].set))
            keymap_parse(&s->keys, embed_str(files[i].file), "keys.conf", &e);
}

static bool type_key(struct screen *s, const char *key)
{
    struct buf command = {0};
    buf_fmt(&command, "type %s", key);
    bool leave = screen_command(s, command.p);
    buf_release(&command);
    return leave;
}

static void say_unbound(struct screen *s, const char *key)
{
    const struct binding *b = keymap_elsewhere(&s->keys, key);
    if (b)
        workspace_complain(&s->work, _("%s has no effect here; in %s: %s; ? lists the keys"), key, b->place,
                           b->command);
    else
        workspace_complain(&s->work, _("%s has no effect here; ? lists the keys"), key);
}

bool screen_key(struct screen *s, const char *key)
{
    if (s->prompt.active)
        return prompt_key(s, key);
    buf_clear(&s->work.message);
    const char *place = screen_pane(s)->place;
    if (keymap_types(&s->keys, place, key, (s->work.narrow.n > 0 && !s->work.narrowed) || s->work.narrowing))
        return type_key(s, key);
    const char *command = keymap_find(&s->keys, place, key);
    if (command)
        return screen_command(s, command);
    say_unbound(s, key);
    return false;
}

bool screen_paste(struct screen *s, struct str text)
{
    buf_clear(&s->work.message);
    if (s->prompt.active) {
        prompt_paste(&s->prompt, text);
        prompt_typed(s);
    } else if (pane_now(&s->work) == PANE_LIST || pane_now(&s->work) == PANE_HELP) { /* as if it were typed */
        struct buf command = {0};
        buf_fmt(&command, "narrow %s", s->work.narrow.n ? s->work.narrow.p : "");
        pasted_line(text, &command);
        screen_command(s, command.p);
        buf_release(&command);
    } else {
        workspace_complain(&s->work, "%s", _("pasted text is ignored here; open an input line first with : or /"));
    }
    return false;
}

#define DOUBLE_CLICK_MS 400

/* Whether this click is the second one of a double click. */
static bool clicked_twice(struct screen *s, int y)
{
    long now = clock_ms();
    bool twice = s->click.at && s->click.y == y && now - s->click.at <= DOUBLE_CLICK_MS;
    s->click.at = twice ? 0 : now;
    s->click.y = y;
    return twice;
}

bool screen_mouse(struct screen *s, int y, int x, int by)
{
    struct table_state *t = &s->table;
    if (s->prompt.active)
        return false;
    if (by)
        return screen_command(s, s->work.tensor.open ? by > 0 ? "cells down 3" : "cells up 3"
                                 : by > 0            ? "down 3"
                                                     : "up 3");
    bool twice = clicked_twice(s, y);
    if (pane_now(&s->work) == PANE_LIST && pane_list_entry(s, y) >= 0) {
        long by_entries = pane_list_entry(s, y) - (long)s->work.list.at;
        char text[40];
        snprintf(text, sizeof text, by_entries < 0 ? "up %ld" : "down %ld", labs(by_entries));
        return by_entries ? screen_command(s, text) : twice ? screen_command(s, "enter") : false;
    }
    if (pane_covers(pane_now(&s->work)) || s->work.groups.kind != GROUP_NONE)
        return false;
    if (y == t->head) {
        for (int i = t->heads - 1; i >= 0; i--)
            if (x >= t->head_x[i]) {
                char text[80];
                snprintf(text, sizeof text, "sort %s", t->head_field[i]->name);
                return screen_command(s, text);
            }
        return screen_command(s, "sort none");
    }
    if (y > t->head && t->step > 0) {
        session_lock(&s->session);
        uint32_t pos = t->top + (uint32_t)((y - t->head - 1) / t->step), n = workspace_shown(&s->work);
        if ((y - t->head - 1) / t->step < s->work.page && pos < n)
            workspace_step(&s->work, (long)pos - (long)workspace_pos(&s->work));
        s->work.focus = FOCUS_TABLE;
        session_unlock(&s->session);
        return twice && screen_command(s, "enter");
    }
    return false;
}
