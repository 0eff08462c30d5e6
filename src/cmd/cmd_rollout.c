/* The tokens of one sequence of a rollout as a list with scrolling and search. */
#include <math.h>
#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/workspace.h"

#define TOKENS_MOST 50000 /* lines of a list */

static uint32_t find_rollout_row(const struct rollout *r, unsigned long long row)
{
    for (uint32_t i = 0; i < r->sequences.n; i++)
        if (r->sequences.v[i].row[0] == row)
            return i;
    return ROLLOUT_NONE;
}

static void add_token(struct workspace *d, const struct rollout *r, const struct rollout_sequence *s, size_t k)
{
    const struct rollout_token *t = &r->tokens.v[s->from + k];
    double v = rollout_difference(r, t);
    char a[NUM_MAX], b[NUM_MAX], c[NUM_MAX], e[NUM_MAX], id[24] = "–";
    struct buf text = {0};
    bool far = !t->finite || (!r->sizes_only && fabs(v) > log(r->limits.ratio));
    if (t->id >= 0)
        snprintf(id, sizeof id, "%lld", (long long)t->id);
    if (r->sizes_only)
        buf_fmt(&text, "%7zu  %3u  %8s  %10s", k, t->round, id, num_cell(c, v, 4));
    else
        buf_fmt(&text, "%s %7zu  %3u  %8s  %10s  %10s  %10s  %8s", far ? "!" : " ", k, t->round, id,
                num_cell(a, t->lp[0], 5), num_cell(b, t->lp[1], 5), num_cell(c, v, 3), num_cell(e, exp(v), 4));
    workspace_add_item(d, NONE, 0, buf_view(&text));
    buf_release(&text);
}

static int run_tokens(struct workspace *d, struct str args)
{
    const struct engine_run_result *x = procedure_result(&d->guide, ENGINE_RUN_ROLLOUT);
    const struct rollout *r = x ? x->rollout : NULL;
    struct str first, second;
    unsigned long long row, token = 0;
    struct buf title = {0}, name = {0};
    bool two = str_split(args, ' ', &first, &second);
    if (!r) {
        workspace_complain(d, "%s", _("no rollout is open: use :give train-logprobs PATH and :give rollout-logprobs "
                                      "PATH"));
        return 0;
    }
    uint32_t at = str_u64(first, &row) ? find_rollout_row(r, row) : ROLLOUT_NONE;
    if (at == ROLLOUT_NONE || (two && !str_u64(str_trim(second), &token))) {
        workspace_complain(d, "%s", _("tokens SEQUENCE [TOKEN]: expected the number of a sequence, as in tokens 4 17"));
        return 0;
    }
    const struct rollout_sequence *s = &r->sequences.v[at];
    if (!s->n) {
        workspace_say(d, "%s", _("no token of this sequence could be compared"));
        return 0;
    }
    size_t start = token >= TOKENS_MOST ? (size_t)token - TOKENS_MOST / 2 : 0;
    start = start < s->n ? start : 0;
    workspace_clear_list(d);
    for (size_t k = start; k < s->n && k - start < TOKENS_MOST; k++)
        add_token(d, r, s, k);
    rollout_sequence_name(r, at, &name);
    buf_fmt(&title, r->sizes_only ? _("sequence %s: token, round, id, |difference of probabilities|")
                                  : _("sequence %s: token, round, id, trainer, rollout, difference, ratio"), name.p);
    buf_clear(&d->narrow);
    workspace_show_list(d, title.p);
    d->list.at = token - start < d->list.shown.n ? (size_t)(token - start) : d->list.shown.n - 1;
    d->list.scroll = 0;
    buf_release(&title);
    buf_release(&name);
    return 0;
}

const struct command commands_rollout[] = {
    {"tokens", "SEQUENCE [TOKEN]", N_("list the tokens of a rollout sequence, with the cursor on the given "
                                      "one"), 0, run_tokens, NULL},
    {0},
};
