/* Commands about the program itself. */
#include <stdio.h>
#include <stdlib.h>

#include "base/inputs.h"
#include "base/msg.h"
#include "cmd/cmd.h"
#include "cmd/pane_verbs.h"

static int run_quit(struct workspace *d, struct str args)
{
    (void)d;
    return str_is(args, "ask") ? R_QUIT | R_ASK : R_QUIT;
}

/* Initial words get a blank: more text follows. */
static int open_prompt(struct workspace *d, char kind, struct str begin)
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
    return open_prompt(d, ':', args);
}

static int run_search_prompt(struct workspace *d, struct str args)
{
    return open_prompt(d, '/', args);
}

static int run_filter_prompt(struct workspace *d, struct str args)
{
    return open_prompt(d, '&', args);
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
    return R_REPAINT;
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
            return R_KEYS;
        }
    workspace_complain(d, _("keymap: expected default, vim or less"));
    return 0;
}

static const char *complete_keys(const struct workspace *d, int i)
{
    (void)d;
    return i < (int)ARRAY_LEN(key_sets) ? key_sets[i] : NULL;
}

static int run_mouse(struct workspace *d, struct str args)
{
    d->mouse = str_is(args, "on") ? true : str_is(args, "off") ? false : !d->mouse;
    workspace_say(d,
                  d->mouse ? _("mouse on: wheel, click on a row, click on a column title; hold Shift to select text")
                           : _("mouse off"));
    return R_MOUSE;
}

static const char *complete_mouse(const struct workspace *d, int i)
{
    static const char *const words[] = {"on", "off"};
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

/* What was being done when the terminal was lost. */
static int run_resume(struct workspace *d, struct str args)
{
    (void)args;
    if (!workspace_unfinished(d)) {
        workspace_say(d, "%s", _("nothing was left unfinished"));
        return 0;
    }
    const char *typed = d->inv->typed, *filtered = d->inv->filtered;
    d->inv->typed = d->inv->filtered = "";
    if (*filtered) {
        workspace_remember(d, _("filters"));
        workspace_uncover(d);
        workspace_set_filters(d, str_of(filtered));
        workspace_say(d, "%s", _("filtered; \\ shows all rows again"));
    }
    if (!*typed || !strchr(":/&", *typed))
        return 0;
    free(d->prompt);
    d->prompt = mem_strdup(typed + 1);
    d->prompt_kind = typed[0];
    return R_PROMPT;
}

/* What people look for: before the whole list, behind the commands that typed words name. */
static const char *const wanted[] = {
    "first",       "next start",    "list starts", "list problems", "list gaps", "tensor",     "pane stack", "names",
    "search-line", "filter-line",   "group layers", "note",         "mark",      "report",     "panel 0",    "intake",
};

static void add_wanted(struct workspace *d, struct str words)
{
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
        struct str verb, rest;
        str_split(str_of(wanted[i]), ' ', &verb, &rest);
        const char *help = command_help(wanted[i]);
        if (!words.n || str_has(str_of(wanted[i]), words.p) || str_has(str_of(help), words.p))
            workspace_add_prose(d, wanted[i], NULL, "%-14s %s", wanted[i], help);
    }
}

/* Lists all commands by name; those with arguments are put on the command line. */
static int run_palette(struct workspace *d, struct str args)
{
    workspace_clear_list(d);
    if (!args.n)
        add_wanted(d, args);
    for (const struct command_group *g = command_groups; g->title; g++)
        for (const struct command *c = g->commands; c->name; c++) {
            if (args.n && !str_has(str_of(c->name), args.p) && !str_has(str_of(_(c->help)), args.p))
                continue;
            bool asks = *c->args && *c->args != '[';
            workspace_add_prose(d, asks ? "command" : c->name, asks ? c->name : NULL, "%-14s %s", c->name,
                                _(c->help));
        }
    if (args.n)
        add_wanted(d, args);
    if (!d->list.items.n) {
        workspace_say(d, _("no command contains \"%.*s\""), STR_ARG(args));
        return 0;
    }
    workspace_show_list(d, _("every command; Enter runs it"));
    return 0;
}

/* The commands of the user's file, or one of them: what will run is seen before Enter runs it. */
static int run_shell(struct workspace *d, struct str args)
{
    workspace_clear_list(d);
    for (size_t i = 0; d->tools && i < d->tools->n; i++) {
        const struct named_text *x = &d->tools->v[i];
        if (!args.n || str_is(args, x->name))
            workspace_add_command(d, "shell-run", x->name, "%-12s %s", x->name, x->text);
    }
    if (d->list.items.n)
        workspace_show_list(d, _("your own commands on this row; Enter runs one in a shell, Esc runs none"));
    else if (d->tools && d->tools->n)
        workspace_complain(d, _("no command \"%.*s\" in commands.conf; :shell lists them"), STR_ARG(args));
    else
        workspace_complain(d, "%s", _("no commands of your own: lines NAME COMMAND in "
                                      "$XDG_CONFIG_HOME/diverge/commands.conf (~/.config/diverge)"));
    return 0;
}

static int run_shell_run(struct workspace *d, struct str args)
{
    d->tool = NULL;
    for (size_t i = 0; d->tools && i < d->tools->n; i++)
        if (str_is(args, d->tools->v[i].name))
            d->tool = &d->tools->v[i];
    if (!d->tool)
        workspace_complain(d, _("no command \"%.*s\" in commands.conf; :shell lists them"), STR_ARG(args));
    return d->tool ? R_SHELL : 0;
}

/* The latest first. */
static int run_actions(struct workspace *d, struct str args)
{
    (void)args;
    workspace_clear_list(d);
    for (size_t i = d->actions.lines.n; i-- > 0;) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        workspace_add_command(d, "copy-action", number, "%s", d->actions.lines.v[i]);
    }
    if (d->list.items.n)
        workspace_show_list(d, _("what was done here, as commands of a shell, the latest first; Enter copies one"));
    else
        workspace_say(d, "%s", _("nothing was done yet that a command of a shell does: marks, notes, reports …"));
    return 0;
}

static int run_copy_action(struct workspace *d, struct str args)
{
    unsigned long long n = d->actions.lines.n;
    if ((args.n && !str_u64(args, &n)) || !n || n > d->actions.lines.n) {
        workspace_complain(d, "%s", _("copy-action [N]: expected a number of the list of :actions"));
        return 0;
    }
    const char *line = d->actions.lines.v[n - 1];
    buf_clear(&d->copy);
    buf_fmt(&d->copy, "%s\n", line);
    workspace_say(d, _("copied: %s"), line);
    return R_COPY;
}

static int run_narrow(struct workspace *d, struct str args)
{
    if (d->overlay != OVERLAY_LIST && d->overlay != OVERLAY_HELP) {
        workspace_complain(d, _("narrow WORDS: expected words to filter the open list or help"));
        return 0;
    }
    workspace_narrow(d, args);
    d->narrowing = true;
    return 0;
}

/* Adds a key to the words, or removes one from them. */
static int run_type(struct workspace *d, struct str key)
{
    struct buf words = {0};
    if (d->overlay != OVERLAY_LIST && d->overlay != OVERLAY_HELP) {
        workspace_complain(d, _("type KEY: expected a key for the open list or help"));
        return 0;
    }
    if (str_is(key, "Backspace") && !d->narrow.n && !d->narrowing)
        return pane_back(d);
    bool narrowing = d->narrowing && !(str_is(key, "Backspace") && !d->narrow.n);
    buf_add(&words, d->narrow.p, d->narrow.n);
    if (str_is(key, "Backspace")) {
        while (words.n && (words.p[--words.n] & 0xc0) == 0x80)
            continue;
    } else {
        buf_add(&words, str_is(key, "Space") ? " " : key.p, str_is(key, "Space") ? 1 : key.n);
    }
    workspace_narrow(d, buf_view(&words));
    d->narrowing = narrowing;
    buf_release(&words);
    return 0;
}

static int run_language(struct workspace *d, struct str args)
{
    char name[16] = "";
    if (workspace_writing(d)) { /* it would be partly in one file and partly in the other */
        workspace_complain(d, _("%s is still being written; Esc cancels"), workspace_writing(d));
        return 0;
    }
    if (args.n && args.n < sizeof name)
        memcpy(name, args.p, args.n);
    msg_language(*name ? name : strcmp(msg_current(), "en") == 0 ? "zh_CN" : "en");
    workspace_say(d, _("texts are in English"));
    return 0;
}

static int run_redraw(struct workspace *d, struct str args)
{
    (void)d;
    (void)args;
    return R_REPAINT;
}

static int run_suspend(struct workspace *d, struct str args)
{
    (void)d;
    (void)args;
    return R_SUSPEND;
}

/* Overwrites changes by others only if requested. */
static int run_save(struct workspace *d, struct str args)
{
    struct err e;
    if (str_is(args, "over") && d->inv->path) {
        if (investigation_save_over(d->inv, &e)) {
            workspace_complain(d, _("not saved: %s"), e.text);
            return 0;
        }
        d->inv->unsaved.code = ERR_NONE;
    } else if (args.n) {
        workspace_complain(d, "%s", _("save, or save over to replace the changes of someone else"));
        return 0;
    } else if (!workspace_save(d)) {
        return 0;
    }
    if (d->inv->path)
        workspace_say(d, _("saved in %s"), d->inv->path);
    else
        workspace_complain(d, "%s", _("no file name; use :saveas NAME"));
    return 0;
}

static const char *complete_save(const struct workspace *d, int i)
{
    (void)d;
    return i ? NULL : "over";
}

static int run_saveas(struct workspace *d, struct str args)
{
    struct err e;
    struct buf path = {0};
    buf_fmt(&path, "%.*s%s", STR_ARG(args), str_ends(args, INVESTIGATION_ENDING) ? "" : INVESTIGATION_ENDING);
    if (!args.n) {
        workspace_complain(d, "%s", _("saveas NAME: expected the name of a new file, NAME.investigation.json"));
    } else if (investigation_save_as(d->inv, path.p, &e)) {
        workspace_complain(d, _("not saved: %s"), e.text);
    } else {
        d->inv->unsaved.code = ERR_NONE;
        inputs_name(d->inv->path); /* no output goes there */
        workspace_say(d, _("saved in %s from now on"), d->inv->path);
    }
    buf_release(&path);
    return 0;
}

const struct command commands_program[] = {
    {"command", "[TEXT]", N_("open the command line; Tab completes"), 0, run_prompt, NULL},
    {"search-line", "[TEXT]", N_("ask for a pattern to search for"), 0, run_search_prompt, NULL},
    {"filter-line", "[TEXT]", N_("ask for a filter"), 0, run_filter_prompt, NULL},
    {"narrow", "[WORDS]", N_("show only the entries of a list or the help that contain these words; typing text does "
                             "the same"), 0, run_narrow, NULL},
    {"type", "KEY", N_("add a character to the words that filter a list; Backspace removes one"), 0, run_type, NULL},
    {"resume", "", N_("continue what was being done when the connection was lost: the filters, and the text being "
                      "typed"), NEEDS_PAIRED, run_resume, NULL},
    {"shell", "[NAME]", N_("list your own shell commands (commands.conf) for this row; Enter runs one, with names, "
                           "files and paths in its environment"), NEEDS_PAIRED | NEEDS_ROW | ON_ROW, run_shell, NULL},
    {"shell-run", "NAME", N_("run a shell command of your own on this row"), NEEDS_PAIRED | NEEDS_ROW | ON_ROW,
     run_shell_run, NULL},
    {"actions", "", N_("list what was done on the screen as commands of a shell; Enter copies one"), 0, run_actions,
     NULL},
    {"copy-action", "[N]", N_("copy command N of the list of actions, or the latest"), 0, run_copy_action, NULL},
    {"palette", "[WORD]", N_("list every command, or those with WORD"), 0, run_palette, NULL},
    {"theme", "[NAME]", N_("choose the next colour scheme, or one of dark, light, contrast, blind, mono"), 0, run_theme, complete_theme},
    {"keymap", "NAME", N_("choose the key bindings: default, vim, less; keys of your own file are "
                          "kept"), 0, run_keys, complete_keys},
    {"mouse", "[on|off]", N_("switch mouse support on or off; off leaves the mouse to the "
                             "terminal"), 0, run_mouse, complete_mouse},
    {"language", "[en|zh_CN]", N_("choose the language of texts"), 0, run_language, NULL},
    {"redraw", "", N_("redraw the screen"), 0, run_redraw, NULL},
    {"suspend", "", N_("suspend diverge, as Ctrl-Z does in a shell"), 0, run_suspend, NULL},
    {"save", "[over]", N_("save the investigation (every change also saves it); over: also if someone else changed or "
                          "deleted the file"), CHANGES, run_save, complete_save},
    {"saveas", "NAME", N_("save the investigation in NAME.investigation.json from now on"), 0, run_saveas, NULL},
    {"quit", "[ask]", N_("leave; ask first if something could not be saved, or with `ask` in any case"), 0, run_quit,
     NULL},
    {0},
};
