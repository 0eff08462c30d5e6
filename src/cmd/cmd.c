/* Finds the command a text means, also by a prefix, checks what it needs, and runs it; completion of names and
 * arguments. */
#include "cmd/cmd.h"

#include <stdlib.h>

#include "base/msg.h"

const struct command_group command_groups[] = {
    {N_("moving"), commands_move},
    {N_("looking"), commands_look},
    {N_("the table"), commands_table},
    {N_("the tensor view"), commands_tensor},
    {N_("correspondences"), commands_mark},
    {N_("findings"), commands_note},
    {N_("rounds"), commands_round},
    {N_("working"), commands_work},
    {N_("the guided panels"), commands_panel},
    {N_("opening"), commands_open},
    {N_("the program"), commands_program},
    {0},
};

const struct command *command_find(struct str name)
{
    for (const struct command_group *g = command_groups; g->title; g++)
        for (const struct command *c = g->commands; c->name; c++)
            if (str_is(name, c->name))
                return c;
    return NULL;
}

/* The one command a prefix can mean; "next" rather than "next-dump", which goes on where it ends. */
static const struct command *by_prefix(struct str name)
{
    const struct command *found = NULL;
    for (const struct command_group *g = command_groups; g->title; g++)
        for (const struct command *c = g->commands; c->name; c++)
            if (name.n && strncmp(c->name, name.p, name.n) == 0) {
                if (found && strncmp(c->name, found->name, strlen(found->name)) != 0)
                    return NULL;
                found = found ? found : c;
            }
    return found;
}

static bool met(struct workspace *d, const struct command *c)
{
    const struct comparison *s = d->c;
    if ((c->needs & (NEEDS_PAIRED | NEEDS_JUDGED | NEEDS_BOTH)) && s->failed) {
        workspace_complain(d, "%s", s->err.text);
        return false;
    }
    if ((c->needs & NEEDS_BOTH) && s->single) {
        workspace_complain(d, _("%s: only one side is open; there is nothing to compare it with"), c->name);
        return false;
    }
    if ((c->needs & (NEEDS_PAIRED | NEEDS_BOTH)) && !s->paired) {
        workspace_complain(d, _("%s: the two sides are still being read"), c->name);
        return false;
    }
    if ((c->needs & NEEDS_JUDGED) && !(s->single ? s->examined.done : s->judged != NULL)) {
        workspace_complain(d, s->single ? _("%s: the tensors are still being looked over") : _("%s: nothing has been compared yet"), c->name);
        return false;
    }
    if ((c->needs & NEEDS_ROW) && !workspace_lines(d)) {
        workspace_complain(d, _("%s: there is no row yet"), c->name);
        return false;
    }
    if ((c->needs & NEEDS_SEARCH) && !d->search.code) {
        workspace_complain(d, _("nothing is searched; / PATTERN starts"));
        return false;
    }
    return true;
}

int command_run(struct workspace *d, const char *text)
{
    session_lock(d->s);
    int reaction = command_run_locked(d, text);
    session_unlock(d->s);
    return reaction;
}

int command_run_locked(struct workspace *d, const char *text)
{
    struct str rest = str_trim(str_of(text)), name, args;
    unsigned long long row;
    int reaction = R_DRAW;
    if (!rest.n)
        return 0;
    if (!str_split(rest, ' ', &name, &args))
        args = str_n(rest.p + rest.n, 0);
    workspace_refresh(d);
    d->seeking.by = 0;
    const struct command *c = command_find(name);
    if (!c)
        c = by_prefix(name);
    if (c) {
        if (met(d, c))
            reaction = c->run(d, str_trim(args));
    } else if (str_u64(name, &row) && row > 0) {
        workspace_go(d, row <= workspace_lines(d) ? (uint32_t)row - 1 : workspace_lines(d));
    } else {
        workspace_complain(d, _("no command \"%.*s\"; ? lists them"), STR_ARG(name));
    }
    return reaction;
}

const char *command_complete(struct workspace *d, const char *text, int i)
{
    struct str rest = str_of(text), name, args;
    bool has_args = str_split(rest, ' ', &name, &args);
    if (!has_args) {
        for (const struct command_group *g = command_groups; g->title; g++)
            for (const struct command *c = g->commands; c->name; c++)
                if (strncmp(c->name, name.p, name.n) == 0 && i-- == 0)
                    return c->name;
        return NULL;
    }
    const struct command *c = command_find(name);
    if (!c || !c->complete)
        return NULL;
    const char *word;
    for (int k = 0; (word = c->complete(d, k)); k++)
        if (strncmp(word, args.p, args.n) == 0 && i-- == 0)
            return word;
    return NULL;
}
