/* Commands for rounds: a new dump after a fix, and the changes since the previous round. */
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "judge/verdict_text.h"

/* Splits words into one or two paths: paths may contain blanks, so the split is used with which both exist. Copies;
 * golden NULL if there is none. */
static void split_two_paths(struct str args, char **target, char **golden)
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
        split_two_paths(args, &d->new_input[TARGET], &d->new_input[GOLDEN]);
    memcpy(d->new_step, d->inv->step, sizeof d->new_step);
    memcpy(d->new_rank, d->inv->rank, sizeof d->new_rank);
    d->new_round = true;
    return R_RESTART;
}

/* The previous or next one, or the one of this number. */
static int run_round_show(struct workspace *d, struct str args)
{
    unsigned long long n = investigation_round(d->inv), now = n, all = d->inv->rounds.n + 1;
    if (str_is(args, "prev"))
        n--;
    else if (str_is(args, "next"))
        n++;
    else if (!str_u64(args, &n) || !n || n > all) {
        workspace_complain(d, _("round-show N|prev|next: expected a round from 1 to %llu"), all);
        return 0;
    }
    if (all == 1)
        workspace_say(d, "%s", _("this is the first round; :round NEW_TARGET starts the next one"));
    else if (!n || n > all)
        workspace_say(d, n ? _("round %llu is the newest; :round NEW_TARGET starts the next one")
                           : _("round %llu is the first"), now);
    else if (n == now)
        workspace_say(d, _("round %llu is open"), n);
    else
        d->show_round = (uint32_t)n;
    return d->show_round ? R_RESTART : 0;
}

static const char *complete_round(const struct workspace *d, int i)
{
    static const char *const words[] = {"prev", "next"};
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

/* How a round ended, from its file: "deviates, the first: NAME". */
static void round_ended(const struct investigation *v, const struct round_left *r, struct buf *out)
{
    const struct round_place p = {v->path, r->file, r->fingerprint, r->number};
    struct round x;
    struct err e;
    round_init(&x);
    if (round_open(&x, &p, &e))
        buf_cstr(out, e.text);
    else if (x.deviates)
        buf_fmt(out, _("deviates, first %s"), *x.first[TARGET] ? x.first[TARGET] : x.first[GOLDEN]);
    else
        buf_cstr(out, x.status ? _("could not be judged") : _("aligned"));
    round_release(&x);
}

static int run_rounds(struct workspace *d, struct str args)
{
    const struct investigation *v = d->inv;
    struct buf ended = {0};
    (void)args;
    workspace_clear_list(d);
    for (uint32_t n = 1; n <= v->rounds.n + 1; n++) {
        const struct round_left *r = n <= v->rounds.n ? &v->rounds.v[n - 1] : NULL;
        const char *const *input = r ? r->input : v->shown ? v->newest.input : v->input;
        char number[16];
        snprintf(number, sizeof number, "%u", n);
        buf_clear(&ended);
        buf_cstr(&ended, "");
        if (r)
            round_ended(v, r, &ended);
        workspace_add_command(d, "round-show", number, _("round %u  %s ⇄ %s   %s%s"), n, input[0] ? input[0] : "-",
                              input[1] ? input[1] : "-", n == investigation_round(v) ? _("open now   ") : "",
                              ended.p);
    }
    buf_release(&ended);
    workspace_show_list(d, _("rounds; Enter opens one, ( and ) the one before and after"));
    d->list.at = investigation_round(v) - 1;
    return 0;
}

#define LISTED 2000

static void add_changed_row(struct workspace *d, uint32_t line, struct buf *text)
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
        if (x->join->again[i] || round_row_change(r, NULL) != CHANGE_VANISHED)
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
                add_changed_row(d, i, &text);
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
    {"rounds", "", N_("list the rounds; Enter opens one"), 0, run_rounds, NULL},
    {"round-show", "N|prev|next", N_("open the recordings of a round of the ticket; the later ones are kept"), 0,
     run_round_show, complete_round},
    {"changes", "[KIND]", N_("list rows that changed since the previous round: fixed, new, worse, better, "
                             "vanished"), NEEDS_PAIRED | NEEDS_JUDGED, run_changes, complete_change},
    {0},
};
