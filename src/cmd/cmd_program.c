/* The program itself. */
#include <stdlib.h>

#include "base/msg.h"
#include "cmd/cmd.h"

static int run_quit(struct desk *d, struct str args)
{
    (void)d;
    (void)args;
    return R_QUIT;
}

static int run_prompt(struct desk *d, struct str args)
{
    free(d->prompt);
    d->prompt = mem_alloc(args.n + 1);
    memcpy(d->prompt, args.p, args.n);
    d->prompt[args.n] = 0;
    d->prompt_kind = ':';
    return R_PROMPT;
}

static int run_search_prompt(struct desk *d, struct str args)
{
    run_prompt(d, args);
    d->prompt_kind = '/';
    return R_PROMPT;
}

static int run_theme(struct desk *d, struct str args)
{
    (void)args;
    d->scheme++;
    return R_DRAW | R_REPAINT;
}

static int run_language(struct desk *d, struct str args)
{
    char name[16] = "";
    if (args.n && args.n < sizeof name)
        memcpy(name, args.p, args.n);
    msg_language(*name ? name : strcmp(msg_current(), "en") == 0 ? "zh_CN" : "en");
    desk_say(d, _("texts are in English"));
    return R_DRAW | R_LAYOUT;
}

static int run_redraw(struct desk *d, struct str args)
{
    (void)d;
    (void)args;
    return R_DRAW | R_REPAINT;
}

static int run_suspend(struct desk *d, struct str args)
{
    (void)d;
    (void)args;
    return R_SUSPEND;
}

const struct command commands_program[] = {
    {"command", "[TEXT]", N_("the command line; Tab completes"), 0, run_prompt, NULL},
    {"search-line", "[TEXT]", N_("ask for a pattern to search"), 0, run_search_prompt, NULL},
    {"theme", "", N_("the next colour scheme: dark, light, mono"), 0, run_theme, NULL},
    {"language", "[en|zh_CN]", N_("the language of texts"), 0, run_language, NULL},
    {"redraw", "", N_("draw the screen anew"), 0, run_redraw, NULL},
    {"suspend", "", N_("stop the program as Ctrl-Z does"), 0, run_suspend, NULL},
    {"quit", "", N_("leave; everything is saved"), 0, run_quit, NULL},
    {0},
};
