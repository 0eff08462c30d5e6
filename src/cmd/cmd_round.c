/* Commands for rounds: a new dump after a fix, and the changes since the previous round. */
#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "judge/verdict_text.h"

/* Splits words into one or two paths: paths may contain blanks, so the split is used with which both exist. Copies;
 * golden NULL if there is none. */
static void two_paths(struct str args, char **target, char **golden)
{
    for (size_t i = 0; i < args.n; i++) {
        char *a = args.p[i] == ' ' ? str_dup(str_n(args.p, i)) : NULL,
             *b = a ? str_dup(str_trim(str_cut(args, i))) : NULL;
        if (a && (path_is_dir(a) || path_is_file(a)) && (path_is_dir(b) || path_is_file(b))) {
            *target = a;
            *golden = b;
            return;
        }
        free(a);
        free(b);
    }
    *target = str_dup(args);
    *golden = NULL;
}

static int run_round(struct workspace *d, struct str args)
{
    if (!args.n) {
        free(d->prompt);
        d->prompt = mem_strdup("round ");
        d->prompt_kind = ':';
        return R_PROMPT;
    }
    bool back = str_is(args, "--undo");
    if (back && !d->inv->rounds.n) {
        workspace_complain(d, "%s", _("this is the first round"));
        return 0;
    }
    if (!d->s->settled) {
        if (!workspace_covered_table_waits(d, "round"))
            workspace_complain(d, "%s", _("the comparison of this round is not finished"));
        return 0;
    }
    free(d->new_input[TARGET]);
    free(d->new_input[GOLDEN]);
    d->new_input[TARGET] = d->new_input[GOLDEN] = NULL;
    if (!back)
        two_paths(args, &d->new_input[TARGET], &d->new_input[GOLDEN]);
    memcpy(d->new_step, d->inv->step, sizeof d->new_step);
    memcpy(d->new_rank, d->inv->rank, sizeof d->new_rank);
    d->new_round = true;
    return R_RESTART;
}

#define LISTED 2000

static void add_row(struct workspace *d, uint32_t line, struct buf *text)
{
    struct buf name[2] = {{0}, {0}};
    workspace_names(d, line, name);
    buf_clear(text);
    buf_fmt(text, "%s   ", name[*name[0].p ? 0 : 1].p);
    round_since_line(d->c, line, text);
    workspace_add_item(d, line, d->c->judged->line[line].verdict, buf_view(text));
    buf_release(&name[0]);
    buf_release(&name[1]);
}

/* Rows that vanished have no line: they are shown by their old names. */
static void add_gone(struct workspace *d, struct buf *text)
{
    const struct round_since *x = &d->c->since;
    char n[NUM_MAX];
    for (uint32_t i = 0; i < x->before->rows.n && d->list.items.n < LISTED; i++) {
        const struct round_row *r = &x->before->rows.v[i];
        if (x->join->again[i] || change_of(r, NULL) != CHANGE_VANISHED)
            continue;
        buf_clear(text);
        buf_fmt(text, _("%s   was %s %s, now not recorded"), round_row_name(x->before, i),
                verdict_label((enum verdict)r->verdict), num_error(n, (double)r->error));
        workspace_add_item(d, NONE, r->verdict, buf_view(text));
    }
}

static int run_changes(struct workspace *d, struct str args)
{
    struct buf text = {0};
    const struct round_since *x = &d->c->since;
    workspace_clear_list(d);
    if (!x->there || !x->told) {
        workspace_say(d, "%s", x->there ? _("the changes are shown when the comparison is finished")
                          : d->inv->rounds.n ? _("the verdicts of the previous round could not be read")
                                             : _("this is the first round; :round NEW_TARGET starts the next one"));
        return 0;
    }
    for (int k = 0; k < CHANGE_KINDS; k++) {
        if (args.n && !str_is(args, change_name((enum change_kind)k)))
            continue;
        for (uint32_t i = 0; x->changes.count[k] && i < d->c->judged->lines && d->list.items.n < LISTED; i++)
            if (round_since_change(d->c, i) == (enum change_kind)k)
                add_row(d, i, &text);
        if (k == CHANGE_VANISHED)
            add_gone(d, &text);
    }
    buf_clear(&text);
    changes_sentence(&x->changes, &text);
    if (d->list.items.n)
        workspace_show_list(d, text.p);
    else
        workspace_say(d, "%s", text.p);
    buf_release(&text);
    return 0;
}

static const char *complete_change(const struct workspace *d, int i)
{
    (void)d;
    return i < CHANGE_KINDS ? change_name((enum change_kind)i) : NULL;
}

const struct command commands_round[] = {
    {"round", "NEW_TARGET [NEW_GOLDEN] | --undo", N_("add the dump made after a fix as the next round; --undo returns "
                                                     "to the previous round; decisions and findings are kept"),
     NEEDS_PAIRED | NEEDS_JUDGED | CHANGES | ASKS | PATHS, run_round, NULL},
    {"changes", "[KIND]", N_("list rows that changed since the previous round: fixed, new, worse, better, "
                             "vanished"), NEEDS_PAIRED | NEEDS_JUDGED, run_changes, complete_change},
    {0},
};
