/* The program itself. */
#include <stdlib.h>

#include "base/msg.h"
#include "cmd/cmd.h"

static int run_quit(struct workspace *d, struct str args)
{
    (void)d;
    (void)args;
    return R_QUIT;
}

/* Words to begin with get their blank: more is to follow. */
static int ask(struct workspace *d, char kind, struct str begin)
{
    struct buf text = {0};
    buf_str(&text, begin);
    buf_cstr(&text, begin.n ? " " : "");
    free(d->prompt);
    d->prompt = str_dup(buf_view(&text));
    buf_release(&text);
    d->prompt_kind = kind;
    return R_PROMPT;
}

static int run_prompt(struct workspace *d, struct str args)
{
    return ask(d, ':', args);
}

static int run_search_prompt(struct workspace *d, struct str args)
{
    return ask(d, '/', args);
}

static int run_filter_prompt(struct workspace *d, struct str args)
{
    return ask(d, '&', args);
}

static const char *const themes[] = {"dark", "light", "contrast", "blind", "mono"};

static int run_theme(struct workspace *d, struct str args)
{
    size_t n = ARRAY_LEN(themes), next = 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(themes[i], d->theme) == 0)
            next = (i + 1) % n;
    for (size_t i = 0; i < n; i++)
        if (str_is(args, themes[i]))
            next = i;
    d->theme = themes[next];
    workspace_say(d, _("theme: %s"), d->theme);
    return R_DRAW | R_REPAINT;
}

static const char *complete_theme(const struct workspace *d, int i)
{
    (void)d;
    return i < (int)ARRAY_LEN(themes) ? themes[i] : NULL;
}

static const char *const key_sets[] = {"default", "vim", "less"};

static int run_keys(struct workspace *d, struct str args)
{
    for (size_t i = 0; i < ARRAY_LEN(key_sets); i++)
        if (str_is(args, key_sets[i])) {
            free(d->keys);
            d->keys = mem_strdup(key_sets[i]);
            workspace_say(d, _("keys: %s; ? lists them"), key_sets[i]);
            return R_DRAW | R_KEYS;
        }
    workspace_complain(d, _("sets of keys are default, vim and less"));
    return R_DRAW;
}

static const char *complete_keys(const struct workspace *d, int i)
{
    (void)d;
    return i < (int)ARRAY_LEN(key_sets) ? key_sets[i] : NULL;
}

static int run_mouse(struct workspace *d, struct str args)
{
    d->mouse = str_is(args, "on") ? true : str_is(args, "off") ? false : !d->mouse;
    workspace_say(d, d->mouse ? _("mouse on: wheel, click on a row, click on a column's title; hold Shift to select text") : _("mouse off"));
    return R_DRAW | R_MOUSE;
}

static const char *complete_mouse(const struct workspace *d, int i)
{
    static const char *const words[] = {"on", "off"};
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

/* Every command by name; those that need words are put on the command line. */
static int run_palette(struct workspace *d, struct str args)
{
    workspace_clear_list(d);
    for (const struct command_group *g = command_groups; g->title; g++)
        for (const struct command *c = g->commands; c->name; c++) {
            if (args.n && !str_has(str_of(c->name), args.p) && !str_has(str_of(_(c->help)), args.p))
                continue;
            bool asks = *c->args && *c->args != '[';
            workspace_add_command(d, asks ? "command" : c->name, asks ? c->name : NULL, "%-14s %s", c->name,
                                  _(c->help));
        }
    if (!d->list.n) {
        workspace_say(d, _("no command speaks of \"%.*s\""), STR_ARG(args));
        return R_DRAW;
    }
    workspace_show_list(d, _("every command; Enter runs it"));
    return R_DRAW | R_LAYOUT;
}

static int run_language(struct workspace *d, struct str args)
{
    char name[16] = "";
    if (report_job_busy(&d->scribe)) { /* it would be half in the one and half in the other */
        workspace_complain(d, _("%s is still being written; Esc gives it up"), d->scribe.path);
        return R_DRAW;
    }
    if (args.n && args.n < sizeof name)
        memcpy(name, args.p, args.n);
    msg_language(*name ? name : strcmp(msg_current(), "en") == 0 ? "zh_CN" : "en");
    workspace_say(d, _("texts are in English"));
    return R_DRAW | R_LAYOUT;
}

static int run_redraw(struct workspace *d, struct str args)
{
    (void)d;
    (void)args;
    return R_DRAW | R_REPAINT;
}

static int run_suspend(struct workspace *d, struct str args)
{
    (void)d;
    (void)args;
    return R_SUSPEND;
}

const struct command commands_program[] = {
    {"command", "[TEXT]", N_("the command line; Tab completes"), 0, run_prompt, NULL},
    {"search-line", "[TEXT]", N_("ask for a pattern to search"), 0, run_search_prompt, NULL},
    {"filter-line", "[TEXT]", N_("ask for a filter"), 0, run_filter_prompt, NULL},
    {"palette", "[WORD]", N_("every command, or those that speak of WORD"), 0, run_palette, NULL},
    {"theme", "[NAME]", N_("the next colour scheme, or one of dark, light, contrast, blind, mono"), 0, run_theme, complete_theme},
    {"keymap", "NAME", N_("a set of keys: default, vim, less; your own file's keys stay"), 0, run_keys, complete_keys},
    {"mouse", "[on|off]", N_("the wheel and clicks; off leaves the mouse to the terminal"), 0, run_mouse, complete_mouse},
    {"language", "[en|zh_CN]", N_("the language of texts"), 0, run_language, NULL},
    {"redraw", "", N_("draw the screen anew"), 0, run_redraw, NULL},
    {"suspend", "", N_("stop the program as Ctrl-Z does"), 0, run_suspend, NULL},
    {"quit", "", N_("leave; everything is saved"), 0, run_quit, NULL},
    {0},
};
