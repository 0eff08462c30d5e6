/* Finds the command of a text, also by a prefix, checks its requirements, and runs it; completion of names and
 * arguments. */
#include "cmd/cmd.h"

#include <stdlib.h>

#include "base/msg.h"
#include "base/nearest.h"
#include "cmd/complete_path.h"
#include "cmd/workspace_refresh.h"

const struct command_group command_groups[] = {
    {N_("navigation"), commands_move},
    {N_("viewing"), commands_look},
    {N_("the table"), commands_table},
    {N_("the tensor view"), commands_tensor},
    {N_("pairing"), commands_mark},
    {N_("fused tensors"), commands_cut},
    {N_("findings"), commands_note},
    {N_("rounds"), commands_round},
    {N_("actions"), commands_work},
    {N_("the guided panels"), commands_panel},
    {N_("several ranks"), commands_ranks},
    {N_("rollouts"), commands_rollout},
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

/* The only command with this prefix; "next" takes precedence over "next-dump", which continues it. */
static const struct command *command_by_prefix(struct str name)
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

static void complain_unknown(struct workspace *d, struct str name)
{
    struct nearest near = {.word = name};
    for (const struct command_group *g = command_groups; g->title; g++)
        for (const struct command *c = g->commands; c->name; c++)
            nearest_offer(&near, c->name);
    if (near.name)
        workspace_complain(d, _("no command \"%.*s\"; did you mean %s?"), STR_ARG(name), near.name);
    else
        workspace_complain(d, _("no command \"%.*s\"; ? lists them"), STR_ARG(name));
}

/* `asking`: there are no arguments. What is typed then is text, also where it will not be saved. */
static bool needs_are_met(struct workspace *d, const struct command *c, bool asking)
{
    const struct comparison *s = d->c;
    if ((c->needs & CHANGES) && !workspace_may_change(d) && !(asking && (c->needs & ASKS)))
        return false;
    /* the cursor's position is reported first: no waiting brings a row there */
    if ((c->needs & ON_ROW) && d->overlay == OVERLAY_NONE && workspace_shows_ranks(d)) {
        workspace_complain(d, _("%s: needs a row of a table; Enter opens the table of this cell"), c->name);
        return false;
    }
    if ((c->needs & (NEEDS_PAIRED | NEEDS_JUDGED | NEEDS_BOTH)) && s->failed) {
        workspace_complain(d, "%s", s->err.text);
        return false;
    }
    if ((c->needs & NEEDS_BOTH) && s->single) {
        workspace_complain(d, _("%s: needs two sides; only one is open"), c->name);
        return false;
    }
    if ((c->needs & (NEEDS_PAIRED | NEEDS_BOTH)) && !s->paired) {
        if (s->side[TARGET].path && workspace_covered_table_waits(d, c->name))
            return false;
        workspace_complain(d, s->side[TARGET].path ? _("%s: the two sides are still being read")
                                                   : _("%s: no dumps are open"), c->name);
        return false;
    }
    if ((c->needs & NEEDS_JUDGED) && !(s->single ? s->examined.done : s->judged != NULL)) {
        if (workspace_covered_table_waits(d, c->name))
            return false;
        workspace_complain(d, s->single ? _("%s: the tensors are still being checked") : _("%s: nothing compared yet"),
                           c->name);
        return false;
    }
    if ((c->needs & NEEDS_ROW) && !workspace_lines(d)) {
        workspace_complain(d, _("%s: no rows yet"), c->name);
        return false;
    }
    if ((c->needs & NEEDS_ROW) && (c->needs & CHANGES))
        workspace_unfold(d, d->cursor); /* what is changed is seen */
    if ((c->needs & NEEDS_SEARCH) && !d->search.code) {
        workspace_complain(d, _("no search; / PATTERN starts one"));
        return false;
    }
    return true;
}

int command_run(struct workspace *d, const char *text)
{
    struct str rest = str_trim(str_of(text)), name, args;
    unsigned long long row;
    if (!rest.n)
        return 0;
    if (!str_split(rest, ' ', &name, &args))
        args = str_n(rest.p + rest.n, 0);
    if (d->behind || d->c != d->s->now)
        workspace_refresh(d);
    d->behind = true;
    d->seeking.by = 0;
    const struct command *c = command_find(name);
    if (!c)
        c = command_by_prefix(name);
    if (c && !needs_are_met(d, c, !str_trim(args).n))
        return 0;
    if (c) {
        int reaction = c->run(d, str_trim(args));
        action_log_add(d, c, str_trim(args));
        return reaction;
    }
    if (str_u64(name, &row) && row > 0)
        workspace_go(d, row <= workspace_lines(d) ? (uint32_t)row - 1 : workspace_lines(d));
    else
        complain_unknown(d, name);
    return 0;
}

static void complete_name(struct str begun, name_list *out)
{
    for (const struct command_group *g = command_groups; g->title; g++)
        for (const struct command *c = g->commands; c->name; c++)
            if (strncmp(c->name, begun.p, begun.n) == 0)
                vec_push(out, mem_strdup(c->name));
}

void command_complete(struct workspace *d, const char *text, name_list *out)
{
    struct str name, args;
    if (!str_split(str_of(text), ' ', &name, &args)) {
        complete_name(name, out);
        return;
    }
    const struct command *c = command_find(name);
    ptrdiff_t blank = str_rfind(args, ' ');
    if (c && (c->needs & PATHS) && (!c->complete || blank >= 0)) {
        complete_path(str_cut(args, (size_t)(blank + 1)), out);
        return;
    }
    const char *word;
    session_lock(d->s);
    for (int k = 0; c && c->complete && (word = c->complete(d, k)); k++)
        if (strncmp(word, args.p, args.n) == 0)
            vec_push(out, mem_strdup(word));
    session_unlock(d->s);
}
