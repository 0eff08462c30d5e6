/* Commands of the overview of several ranks: moving in its strip, opening the pair of a cell. */
#include "base/msg.h"
#include "cmd/cmd.h"
#include "cmd/pane_verbs.h"

/* The view with the job's lock taken; NULL, with a message, where there is no job. */
static struct rank_view *begin_rank_view(struct workspace *d)
{
    struct rank_view *v = d->ranks;
    if (!v || !v->job) {
        workspace_complain(d, "%s", _("no other ranks: each side has one recording"));
        return NULL;
    }
    job_compare_lock(v->job);
    rank_view_refresh(v);
    return v;
}

static int end_rank_view(struct rank_view *v)
{
    job_compare_unlock(v->job);
    return 0;
}

/* ---- the cell or the finding under the cursor ---- */

static int open_pair(struct workspace *d, struct rank_view *v, const struct rank_pair *p, const uint32_t row[2],
                     const char *call)
{
    v->want = *p;
    memcpy(v->arrive, row, sizeof v->arrive);
    v->arrive_call = call;
    v->arriving = true;
    if (!rank_pair_is_open(d->c, p))
        return R_PAIR;
    v->arriving = false;
    uint32_t line = workspace_arrival(d);
    workspace_uncover(d);
    if (line != NONE)
        workspace_go(d, line);
    return 0;
}

/* For results computed elsewhere the tables are read here, if the recordings are reachable. */
static int enter_elsewhere(struct workspace *d, struct rank_view *v, bool found, const struct rank_pair *p,
                           const char *call)
{
    static const uint32_t none[2] = {NONE, NONE};
    const struct job_summary *s = &v->job->summary;
    if (!d->inv->input[GOLDEN]) {
        workspace_complain(d, _("the recordings cannot be read from here: %s and %s; --remap OLD=NEW sets where they "
                                "are now"),
                           s->side[TARGET], s->side[GOLDEN]);
        return 0;
    }
    if (s->joined) {
        workspace_say(d, "%s", _("these ranks were joined: they are compared anew, so that their rows can be shown"));
        return R_RANKS;
    }
    if (!found) {
        workspace_say(d, "%s", _("nothing to open: this rank has no such call, or no counterpart"));
        return 0;
    }
    return open_pair(d, v, p, none, call);
}

static int ranks_enter(struct workspace *d)
{
    struct rank_view *v = begin_rank_view(d);
    struct rank_pair p;
    uint32_t row[2];
    if (!v)
        return 0;
    const struct job_found *x = v->listed && v->at < v->items.n ? &v->items.v[v->at] : NULL;
    bool there = true;
    if (x) {
        v->follow = false;
        there = !x->golden && rank_view_to(v, x->step, x->rank, x->order);
        if (!there)
            workspace_say(
                d, "%s", x->golden ? _("this call belongs to the golden side and is not shown in this "
                                       "view") : _("this call has no "
                                                                                             "recorded rows"));
    }
    struct rank_cell c = rank_view_cell(v);
    if (x) { /* its call alone, whatever else the cell stands for */
        size_t first;
        rank_view_rows(v, &first);
        c = (struct rank_cell){first + v->rank, 1, v->column, 1};
    }
    bool found = there && rank_view_target(v, &c, &p, row), elsewhere = v->job->summary.all != NULL;
    const char *call = found && elsewhere ? rank_view_call(v, &c) : NULL;
    end_rank_view(v);
    if (there && elsewhere)
        return enter_elsewhere(d, v, found, &p, call);
    if (there && !found)
        workspace_say(d, "%s", _("nothing to open: this rank has no such call, or no counterpart"));
    return found ? open_pair(d, v, &p, row, NULL) : 0;
}

static int ranks_step(struct workspace *d, long by)
{
    struct rank_view *v = begin_rank_view(d);
    if (!v)
        return 0;
    rank_view_step(v, by);
    return end_rank_view(v);
}

static int ranks_across(struct workspace *d, int by)
{
    struct rank_view *v = begin_rank_view(d);
    if (!v)
        return 0;
    rank_view_across(v, by);
    return end_rank_view(v);
}

static int ranks_back(struct workspace *d)
{
    if (d->ranks->listed)
        d->ranks->listed = false;
    else if (d->ranks->zoom)
        d->ranks->zoom = 0;
    else
        return NOT_MINE;
    return 0;
}

const struct pane_verbs verbs_ranks = {
    .step = ranks_step, .across = ranks_across, .enter = ranks_enter, .back = ranks_back};

/* ---- the command ---- */

static void next_bad(struct workspace *d, struct rank_view *v, int by)
{
    if (!rank_view_next(v, by))
        workspace_say(d, "%s",
                      by > 0 ? _("no bad cell after this one in this step")
                             : _("no bad cell before this one in this step"));
}

static void to_first(struct workspace *d, struct rank_view *v)
{
    v->listed = false;
    if (!rank_view_first(v))
        workspace_say(d, "%s", v->job->settled ? _("nothing deviates") : _("nothing deviates so far"));
}

static void zoom_ranks(struct workspace *d, struct rank_view *v, int by)
{
    if (by > 0 && v->cell_ranks <= 1 && v->cell_columns <= 1)
        workspace_say(d, "%s", _("each cell already shows one rank and one call"));
    else if (by < 0 && !v->zoom)
        workspace_say(d, "%s", _("everything is already shown"));
    else
        v->zoom += by;
}

static void go_to_later_step(struct workspace *d, struct rank_view *v, int by)
{
    if (!rank_view_later(v, by))
        workspace_say(d, "%s", by > 0 ? _("no later step") : _("no earlier step"));
}

static const char *const words[] = {"first", "next",    "prev",     "list",      "in",  "out",
                                    "later", "earlier", "left-end", "right-end", "stop"};

static void do_word(struct workspace *d, struct rank_view *v, size_t word)
{
    switch (word) {
    case 0: to_first(d, v); break;
    case 1: next_bad(d, v, 1); break;
    case 2: next_bad(d, v, -1); break;
    case 3:
        v->listed = !v->listed && v->items.n;
        if (!v->items.n)
            workspace_say(d, "%s", _("nothing found so far"));
        break;
    case 4: zoom_ranks(d, v, 1); break;
    case 5: zoom_ranks(d, v, -1); break;
    case 6: go_to_later_step(d, v, 1); break;
    case 7: go_to_later_step(d, v, -1); break;
    case 8: rank_view_across(v, -(long)INT32_MAX); break;
    case 9: rank_view_across(v, INT32_MAX); break;
    default:
        job_compare_cancel(v->job);
        workspace_say(d, "%s",
                      v->job->settled ? _("all ranks are already compared")
                                      : _("stopped: the remaining ranks are not compared; r starts again"));
    }
}

/* "1 3 Functional.linear.4.forward": a step, a rank and a call. */
static void to_call(struct workspace *d, struct rank_view *v, struct str args)
{
    struct str step, rank, rest;
    unsigned long long n[2];
    if (!str_split(args, ' ', &step, &rest) || !str_split(rest, ' ', &rank, &rest) || !str_u64(step, &n[0]) ||
        !str_u64(rank, &n[1]) || n[0] > INT32_MAX || n[1] > INT32_MAX) {
        workspace_complain(d, "%s", _("ranks at: expected STEP RANK CALL"));
        return;
    }
    v->listed = v->follow = false;
    if (!rank_view_to_call(v, (int)n[0], (int)n[1], str_trim(rest)))
        workspace_complain(d, _("rank %llu has no call \"%.*s\" in step %llu"), n[1], STR_ARG(str_trim(rest)), n[0]);
}

static int run_ranks(struct workspace *d, struct str args)
{
    struct str at = {0};
    if (str_starts(args, "at ")) {
        at = str_trim(str_cut(args, 3));
        args = STR("at");
    }
    size_t word = at.n ? ARRAY_LEN(words) : 0;
    while (word < ARRAY_LEN(words) && !str_is(args, words[word]))
        word++;
    if (args.n && !at.n && word == ARRAY_LEN(words)) {
        workspace_complain(
            d, _("ranks: expected first, next, prev, list, in, out, later, earlier, stop or nothing, found \"%.*s\""),
            STR_ARG(args));
        return 0;
    }
    if (d->ranks && !d->ranks->job && !d->c->failed && !d->c->single &&
        d->c->side[TARGET].places.n + d->c->side[GOLDEN].places.n > 2)
        return R_RANKS;
    struct rank_view *v = begin_rank_view(d);
    if (!v)
        return 0;
    d->overlay = OVERLAY_NONE;
    v->shown = true;
    if (at.n)
        to_call(d, v, at);
    else if (args.n)
        do_word(d, v, word);
    else
        v->listed = false;
    return end_rank_view(v);
}

static const char *complete_word(const struct workspace *d, int i)
{
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

const struct command commands_ranks[] = {
    {"ranks", "[WORD]",
     N_("show all ranks of a job by call; WORD: first, next, prev (bad cell), list, in, out (zoom), later, earlier "
        "(step), stop; at STEP RANK CALL goes there"),
     0, run_ranks, complete_word},
    {0},
};
