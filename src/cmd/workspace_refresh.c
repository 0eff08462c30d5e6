/* Updates the workspace: takes the newest comparison, and rebuilds data derived from the previous one or from the
 * previous cursor position. */
#include "cmd/workspace_refresh.h"

#include "base/msg.h"
#include "cmd/cmd.h"
#include "cmd/offered_pairs.h"
#include "panel/round_leave.h"

static bool all_of_one_name(const struct comparison *s)
{
    const struct pairing *p = s->pairing;
    for (size_t i = 0; i < p->pairs.n; i++)
        if (p->pairs.v[i].origin != ORIGIN_NAME)
            return false;
    return p->pairs.n > 0;
}

/* Looks through the sides again whenever one more is loaded: all rows are read, so not at every frame. */
static void refresh_doubts(struct workspace *d)
{
    int loaded = (d->c->side[0].state == SIDE_LOADED) + (d->c->side[1].state == SIDE_LOADED) +
                 (d->c->since.err.code != ERR_NONE);
    if (loaded == d->doubts_of)
        return;
    d->doubts_of = loaded;
    vec_clear(&d->doubts);
    arena_clear(&d->sentences);
    input_doubts_find(d->c, &d->sentences, &d->doubts);
}

/* What should be known about the inputs, beside the table: the first of it, and where the rest is. */
static void say_first_doubt(struct workspace *d)
{
    for (size_t i = 0; i < d->doubts.n; i++)
        if (d->doubts.v[i].question) {
            workspace_notice(d, _("%s; i shows both sides"), d->doubts.v[i].text);
            return;
        }
}

/* The first pairing: lines are numbered from now on. */
static void begin_table(struct workspace *d)
{
    const struct comparison *s = d->c;
    for (int i = 0; i < 2; i++)
        if (s->side[i].now.bytes)
            d->inv->state[i] = s->side[i].now;
    if (d->follow && d->overlay == OVERLAY_NONE && !workspace_shows_ranks(d) && !offer_pairs(d) && !d->message.n)
        say_first_doubt(d);
    /* a saved place comes before the first deviation */
    uint32_t row = *d->inv->cursor[0] ? dump_find_row(&s->side[TARGET].dump, str_of(d->inv->cursor[0])) : NONE;
    if (row != NONE && d->follow) {
        d->cursor = s->pairing->line_of[TARGET][row];
        workspace_unfold(d, d->cursor);
        d->follow = false;
        d->left_off = !workspace_unfinished(d);
        workspace_notice(d, "%s", _("at the row where you left off; F goes to the first deviation"));
    }
    if (workspace_unfinished(d))
        workspace_notice(d, _("the connection was lost: %s; :resume continues there"),
                         !*d->inv->typed      ? _("the filters of then are kept")
                         : !*d->inv->filtered ? _("the text being typed is kept")
                                              : _("the text being typed and the filters are kept"));
}

uint32_t workspace_arrival(const struct workspace *d)
{
    const struct rank_view *v = d->ranks;
    const struct dump *t = &d->c->side[TARGET].dump;
    uint32_t call = v->arrive_call ? map_get(&t->call_names, str_of(v->arrive_call)) : MAP_NONE;
    if (call == MAP_NONE)
        return workspace_line_of(d, v->arrive);
    uint32_t bad = NONE, any = NONE;
    for (uint32_t l = 0; l < d->c->pairing->lines.n; l++) {
        uint32_t row = d->c->pairing->lines.v[l].row[TARGET];
        if (row == NONE || t->rows.v[row].call != call)
            continue;
        any = any == NONE ? l : any;
        bad = bad == NONE && d->c->judged && l < d->c->judged->lines && line_is_bad(&d->c->judged->line[l]) ? l : bad;
    }
    return bad != NONE ? bad : any;
}

/* The rows behind the cell that was opened, in a pairing that is there now. */
static void arrive_from_ranks(struct workspace *d)
{
    struct rank_view *v = d->ranks;
    if (!v || !v->arriving)
        return;
    v->arriving = false;
    d->follow = false;
    uint32_t line = workspace_arrival(d);
    if (line != NONE)
        d->cursor = line;
}

static bool lists_lines(const struct workspace *d)
{
    for (size_t i = 0; i < d->list.items.n; i++)
        if (d->list.items.v[i].line != NONE)
            return true;
    return false;
}

/* Lines are numbered again: what the workspace remembers by line goes by its rows, and what was made of lines goes. */
static void take_new_pairing(struct workspace *d)
{
    const struct comparison *s = d->c;
    bool first = d->pairings == 0;
    uint32_t at[2] = {first ? d->cursor : d->cursor_row[0], first ? NONE : d->cursor_row[1]},
             line = workspace_line_of(d, at);
    if (line != NONE)
        d->cursor = line;
    d->pairings = s->pairings;
    d->same_names = all_of_one_name(s);
    d->seen_first = NONE;
    const struct dump *const side[2] = {&s->side[TARGET].dump, &s->side[GOLDEN].dump};
    vec_clear(&d->gaps);
    if (!s->single)
        gaps_find(s->pairing, side, &d->gaps);
    row_order_forget(&d->arrange);
    if (!s->single && !d->s->opt.of.strict_gaps) /* else the missing rows are the deviations */
        row_folds_find(&d->folds, s->pairing);
    if (!first)
        workspace_reveal(d, d->cursor);
    search_restart(&d->search);
    d->seeking.by = 0;
    if (d->overlay == OVERLAY_LIST && !d->list.again && lists_lines(d))
        d->overlay = OVERLAY_NONE;
    if (d->groups.kind != GROUP_NONE)
        workspace_make_groups(d);
    if (d->overlay == OVERLAY_LIST && d->list.again)
        command_run(d, d->list.again); /* it speaks of pairs */
    if (first && d->ranks && d->ranks->arriving)
        arrive_from_ranks(d);
    else if (first)
        begin_table(d);
}

/* Lines of a panel go and come with what is found, all of its findings while they are computed anew. */
static void panel_clamp(struct workspace *d)
{
    uint32_t n =
        d->panel.number ? (uint32_t)d->guide.page[d->panel.number - 1].items.n : PANELS;
    if (d->panel.number && d->panel.follow)
        d->panel.at = page_first(&d->guide.page[d->panel.number - 1]);
    if (d->panel.at >= n) {
        d->panel.behind = d->panel.at > d->panel.behind ? d->panel.at : d->panel.behind;
        d->panel.at = n ? n - 1 : 0;
    } else if (d->panel.behind && d->panel.behind < n) {
        d->panel.at = d->panel.behind;
        d->panel.behind = 0;
    }
}

void workspace_see(struct workspace *d)
{
    if (d->c != d->s->now) {
        const struct comparison *before = d->c;
        d->c = comparison_hold(d->s->now);
        comparison_drop(before);
        procedure_see(&d->guide, d->c);
    }
    refresh_doubts(d);
    if (d->c->paired && d->pairings != d->c->pairings)
        take_new_pairing(d);
}

/* A round that confirms a fix settles what was suspected, whatever else deviates still. */
static void confirm_round(struct workspace *d)
{
    unsigned n = round_confirm(d->inv, d->c);
    if (n && workspace_keep(d) && !d->message.n)
        workspace_say(d,
                      d->c->since.changes.confirmed
                          ? _("fix confirmed: %u findings about the first deviation of round %u are root causes now")
                          : _("fix confirmed: %u findings about rows that deviated in round %u are root causes now"),
                      n, d->c->since.before->number);
}

/* Asks for the diagnosis of the first entry that has none; returns how many have theirs. */
static uint32_t diagnose_starts(struct workspace *d)
{
    uint32_t known = 0;
    diagnosis_job_ask(&d->diagnosis, d->c, d->list.items.v[0].line); /* takes what is ready */
    for (size_t i = 0; i < d->list.items.n && i < DIAGNOSED_MOST; i++) {
        uint32_t line = d->list.items.v[i].line;
        if (!d->list.items.v[i].start || !diagnose_possible(d->c->judged, &d->c->measure, line))
            continue;
        if (!diagnosis_job_known(&d->diagnosis, d->c, line) && !diagnosis_job_waits(&d->diagnosis))
            diagnosis_job_ask(&d->diagnosis, d->c, line);
        known += diagnosis_job_known(&d->diagnosis, d->c, line) != NULL;
    }
    return known;
}

/* An open list of starts is made again when one of them is diagnosed. */
static void diagnose_listed(struct workspace *d)
{
    bool open = d->overlay == OVERLAY_LIST && d->list.starts && d->c->judged;
    if (!open || diagnose_starts(d) <= d->list.diagnosed)
        return;
    struct buf again = {0};
    buf_fmt(&again, "list %s", d->list.starts);
    command_run(d, again.p);
    buf_release(&again);
}

void workspace_refresh(struct workspace *d)
{
    workspace_see(d);
    d->behind = false;
    const struct comparison *s = d->c;
    workspace_take_offers(d);
    if (d->overlay == OVERLAY_PANEL || procedure_begun(&d->guide)) {
        if (d->ranks && d->ranks->job) {
            struct ranks_laid laid[2];
            job_compare_layouts(d->ranks->job, laid);
            procedure_see_ranks(&d->guide, laid, job_compare_status(d->ranks->job));
        }
        procedure_write(&d->guide);
        panel_clamp(d);
    }
    if (d->follow && s->judged && s->judged->first != d->seen_first) {
        d->seen_first = s->judged->first;
        if (d->seen_first != NONE)
            d->cursor = d->seen_first;
    }
    if (s->since.told && d->confirmed != s->serial) {
        d->confirmed = s->serial;
        confirm_round(d);
    }
    if (d->left_off && s->judged && s->complete) { /* nothing to be said where it was left at the first deviation */
        d->left_off = false;
        if (d->message_is_notice && s->judged->first == d->cursor)
            buf_clear(&d->message);
    }
    if (d->to_top && d->arrange.line && !d->arrange.work && d->arrange.made_for == s->serial && workspace_shown(d)) {
        d->to_top = false;
        workspace_go(d, workspace_at(d, 0));
    }
    if (d->groups.kind != GROUP_NONE && d->groups.made_for != s->serial && s->complete)
        workspace_make_groups(d);
    diagnose_listed(d);
    workspace_settle(d);
}
