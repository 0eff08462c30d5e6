/* Commands that move in the table: by rows, pages, deviations and names. */
#include "base/msg.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/pane_verbs.h"
#include "judge/verdict_text.h"

/* ---- by rows ---- */

static uint32_t count_or_one(struct str args)
{
    unsigned long long n;
    return str_u64(args, &n) && n < UINT32_MAX ? (uint32_t)n : 1;
}

static int run_down(struct workspace *d, struct str args)
{
    return pane_step(d, (long)count_or_one(args));
}

static int run_up(struct workspace *d, struct str args)
{
    return pane_step(d, -(long)count_or_one(args));
}

static int run_page_down(struct workspace *d, struct str args)
{
    (void)args;
    return pane_step(d, d->page > 2 ? d->page - 1 : 1);
}

static int run_page_up(struct workspace *d, struct str args)
{
    (void)args;
    return pane_step(d, d->page > 2 ? 1 - d->page : -1);
}

static int run_half_down(struct workspace *d, struct str args)
{
    (void)args;
    return pane_step(d, d->page > 3 ? d->page / 2 : 1);
}

static int run_half_up(struct workspace *d, struct str args)
{
    (void)args;
    return pane_step(d, d->page > 3 ? -(d->page / 2) : -1);
}

/* Moves to an end: in the table this is a jump that can be undone. */
static int to_end(struct workspace *d, bool bottom)
{
    if (pane_now(d) == PANE_TABLE && workspace_shown(d)) {
        workspace_go(d, workspace_at(d, bottom ? workspace_shown(d) - 1 : 0));
        return 0;
    }
    return pane_step(d, bottom ? (long)INT32_MAX : -(long)INT32_MAX);
}

static int run_top(struct workspace *d, struct str args)
{
    (void)args;
    return to_end(d, false);
}

static int run_bottom(struct workspace *d, struct str args)
{
    (void)args;
    return to_end(d, true);
}

static int run_row(struct workspace *d, struct str args)
{
    unsigned long long n;
    if (!str_u64(args, &n) || n == 0) {
        workspace_complain(d, _("row: expected a number of at least 1"));
        return 0;
    }
    workspace_go(d, n > workspace_lines(d) ? workspace_lines(d) : (uint32_t)n - 1);
    return 0;
}

/* ---- by meaning ---- */

/* Of one side alone. */
static int first_problem(struct workspace *d)
{
    const struct one_side *a = &d->c->examined;
    for (size_t i = 0; i < a->check.problems.n; i++)
        if (a->check.problems.v[i].row != NONE && !dump_check_is_note(&a->check.problems.v[i])) {
            workspace_go(d, a->check.problems.v[i].row);
            d->focus = FOCUS_TABLE;
            return 0;
        }
    workspace_say(d, _("no row has a problem"));
    return 0;
}

static int run_first(struct workspace *d, struct str args)
{
    const struct judgement *j = d->c->judged;
    struct buf b = {0};
    char n[NUM_MAX];
    (void)args;
    if (d->c->single)
        return first_problem(d);
    if (j->first == NONE) {
        struct judge_options o = comparison_judge_options(d->c);
        if (d->s->settled)
            explain_outcome(j, &o, &b);
        else
            buf_cstr(&b, _("nothing deviates so far"));
        workspace_say(d, "%s", b.p);
    } else {
        workspace_go(d, j->first);
        d->focus = FOCUS_TABLE;
        if (d->cursor != j->first) /* hidden, and said so */
            return 0;
        explain_provisional(j, &b);
        workspace_say(d, _("first deviation%s: row %s, %s%s%s"), d->s->settled ? "" : _(" so far"),
                      num_count(n, j->first + 1), first_class_label(j->first_class), b.n ? _("; ") : "",
                      b.n ? b.p : "");
    }
    buf_release(&b);
    return 0;
}

static int run_names(struct workspace *d, struct str args)
{
    struct buf name[2] = {{0}, {0}};
    (void)args;
    workspace_names(d, d->cursor, name);
    if (name[0].n && name[1].n)
        workspace_say(d, "%s  ⇄  %s", name[0].p, name[1].p);
    else
        workspace_say(d, "%s", name[name[0].n ? 0 : 1].p);
    buf_release(&name[0]);
    buf_release(&name[1]);
    return 0;
}

typedef bool line_test(const struct workspace *d, uint32_t line);

static bool is_bad_row(const struct workspace *d, uint32_t i)
{
    return verdict_is_bad(d->c->judged->line[i].verdict);
}

static bool is_start(const struct workspace *d, uint32_t i)
{
    const struct judgement *j = d->c->judged;
    for (size_t g = 0; j->line[i].cause == CAUSE_STARTS && g < j->start_groups.n; g++)
        if (j->start_groups.v[g].line == i)
            return true;
    return false;
}

static bool is_drift(const struct workspace *d, uint32_t i)
{
    return d->c->judged->line[i].verdict == VERDICT_DRIFT;
}

/* Where a run of calls without partners begins. */
static bool is_gap(const struct workspace *d, uint32_t line)
{
    const struct gap *g = gaps_at(&d->gaps, line);
    return g && g->first == line;
}

static bool is_only(const struct workspace *d, uint32_t i)
{
    return d->c->judged->line[i].verdict == VERDICT_ONLY;
}

static bool is_nonfinite(const struct workspace *d, uint32_t i)
{
    return d->c->judged->line[i].verdict == VERDICT_NONFINITE;
}

static bool is_precision(const struct workspace *d, uint32_t i)
{
    return d->c->judged->line[i].flags & LINE_DTYPE_DIFF;
}

static bool is_doubtful(const struct workspace *d, uint32_t i)
{
    return d->c->judged->line[i].flags & LINE_DOUBTFUL;
}

static bool is_unread_row(const struct workspace *d, uint32_t i)
{
    return d->c->judged->line[i].flags & LINE_UNREAD;
}

/* The edge of a run: good and bad rows change here. */
static bool is_edge(const struct workspace *d, uint32_t i)
{
    return i > 0 && is_bad_row(d, i) != is_bad_row(d, i - 1);
}

static bool is_wrong(const struct workspace *d, uint32_t row)
{
    return one_side_wrong(&d->c->examined, row);
}

/* A side's recorded output does not follow from its own inputs. */
static bool is_excess(const struct workspace *d, uint32_t i)
{
    const struct oracle *o = comparison_oracle(d->c);
    return o && oracle_which_is_wrong(oracle_which(o, d->c->pairing->lines.v[i].row));
}

static const struct {
    const char *name, *none;
    line_test *test;
} kinds[] = {
    {"deviation", N_("no row deviates in that direction"), is_bad_row},
    {"start", N_("nothing else starts in that direction"), is_start},
    {"drift", N_("no row drifts in that direction"), is_drift},
    {"gap", N_("no gap in that direction"), is_gap},
    {"unmatched", N_("no unmatched row in that direction"), is_only},
    {"precision", N_("no differing precision in that direction"), is_precision},
    {"nonfinite", N_("no non-finite row in that direction"), is_nonfinite},
    {"doubtful", N_("no doubtful pair in that direction"), is_doubtful},
    {"unread", N_("no unread tensor in that direction"), is_unread_row},
    {"edge", N_("no start or end of a range of deviating rows in that direction"), is_edge},
    {"excess", N_("no output found wrong by recomputation in that direction"), is_excess},
    {"problem", N_("no row with a problem in that direction"), is_wrong},
};

static const char *complete_kind(const struct workspace *d, int i)
{
    (void)d;
    return i < (int)ARRAY_LEN(kinds) ? kinds[i].name : NULL;
}

#define TESTED_AT 100000 /* lines a key may test: about a millisecond */

/* Tests up to TESTED_AT lines: true if it found one or there is none. */
static bool seek_kind(struct workspace *d)
{
    struct row_seek *k = &d->seeking;
    int kind = k->kind;
    size_t lines = d->c->single ? d->c->pairing->lines.n : d->c->judged->lines;
    for (uint32_t n = 0; k->left; n++) {
        if (n == TESTED_AT)
            return false;
        k->at += k->by;
        k->left--;
        uint32_t line = workspace_sought_at(d, (uint32_t)k->at);
        if (line < lines && kinds[kind].test(d, line)) {
            k->by = 0;
            buf_clear(&d->message);
            workspace_go(d, line);
            return true;
        }
    }
    k->by = 0;
    workspace_say(d, "%s", _(kinds[kind].none));
    return true;
}

static int go_to_kind(struct workspace *d, struct str kind, int by)
{
    uint32_t n = workspace_sought(d), at = workspace_sought_pos(d);
    if (d->c->single)
        kind = STR("problem");
    for (int i = 0; i < (int)ARRAY_LEN(kinds); i++)
        if (str_is(kind, kinds[i].name) || (!kind.n && i == 0)) {
            d->seeking = (struct row_seek){.by = by,
                                           .kind = i,
                                           .at = at,
                                           .left = !n || at >= n ? 0
                                                   : by > 0      ? n - 1 - at
                                                                 : at};
            if (!seek_kind(d))
                workspace_say(d, _("searching for the next one …"));
            return 0;
        }
    workspace_complain(d, _("unknown kind of row \"%.*s\""), STR_ARG(kind));
    return 0;
}

static int run_next(struct workspace *d, struct str args)
{
    return go_to_kind(d, args, 1);
}

static int run_prev(struct workspace *d, struct str args)
{
    return go_to_kind(d, args, -1);
}

/* ---- by name ---- */

static bool is_hit(const struct workspace *d, uint32_t i)
{
    const struct dump *const side[2] = {&d->c->side[0].dump, &d->c->side[1].dump};
    return search_line((struct search *)&d->search, side, &d->c->pairing->lines.v[i]);
}

#define LOOKED_AT 4096 /* lines tested within one key press: about a millisecond */

static void arrive_at_match(struct workspace *d, uint32_t line)
{
    struct row_seek *k = &d->seeking;
    buf_clear(&d->message);
    if (k->wrapped)
        workspace_say(d, k->by > 0 ? _("search continues from the top") : _("search continues from the end"));
    k->by = 0;
    workspace_unfold(d, line);
    workspace_go(d, line);
}

/* Moves on by one position, or by many if they are known not to match. False at the end. */
static bool seek_one_step(struct workspace *d)
{
    struct row_seek *k = &d->seeking;
    uint32_t n = workspace_sought(d);
    if (!k->left)
        return false;
    k->at += k->by;
    k->left--;
    if (k->at < 0 || k->at >= n) {
        k->at = k->by > 0 ? 0 : (int64_t)n - 1;
        k->wrapped = true;
    }
    if (!d->arrange.line) { /* every line in its place */
        uint32_t skip = search_misses(&d->search, (uint32_t)k->at, k->by);
        int64_t edge = k->by > 0 ? (int64_t)n - 1 - k->at : k->at;
        skip = (int64_t)skip > edge ? (uint32_t)edge : skip;
        skip = skip > k->left ? k->left : skip;
        k->at += k->by * (int64_t)skip;
        k->left -= skip;
    }
    return true;
}

/* Moves as far as lines are known, and over `look` unknown ones. */
static bool seek_known_lines(struct workspace *d, uint32_t look)
{
    struct row_seek *k = &d->seeking;
    for (;;) {
        struct row_seek before = *k;
        if (!seek_one_step(d)) {
            k->by = 0;
            workspace_say(d,
                          pattern_explodes(d->search.code) ? _("\"%s\": not found; matching exceeds the step limit on "
                                                               "some rows: simplify the pattern")
                                                           : _("\"%s\": not found"),
                          d->search.text);
            return true;
        }
        uint32_t line = workspace_sought_at(d, (uint32_t)k->at);
        int known = search_known(&d->search, line);
        if (known < 0 && !look) {
            *k = before;
            return false;
        }
        look -= known < 0;
        if (known > 0 || (known < 0 && is_hit(d, line))) {
            arrive_at_match(d, line);
            return true;
        }
    }
}

bool workspace_seek(struct workspace *d)
{
    if (!d->seeking.by || !workspace_sought(d) || !d->c->serial)
        return false;
    if (d->seeking.kind < 0)
        /* lines are still being tested: keeps the loop running */
        return d->search.code && seek_known_lines(d, 0);
    seek_kind(d);
    return true;
}

static int to_hit(struct workspace *d, int by, bool from_here)
{
    if (from_here && is_hit(d, d->cursor))
        return 0;
    d->seeking = (struct row_seek){.by = by, .kind = -1, .at = workspace_sought_pos(d), .left = workspace_sought(d)};
    if (!seek_known_lines(d, LOOKED_AT))
        workspace_say(d, _("searching for \"%s\" …"), d->search.text);
    return 0;
}

static int run_search(struct workspace *d, struct str args)
{
    struct err e;
    if (!args.n) {
        search_release(&d->search);
        return 0;
    }
    if (search_set(&d->search, args, &e)) {
        workspace_complain(d, "%s", e.text);
        return 0;
    }
    return to_hit(d, 1, true);
}

/* All rows of the call under the cursor: its name without number and slot. A line that stands for others has no
 * such word: all of them are opened or closed. */
static int run_search_here(struct workspace *d, struct str args)
{
    struct buf name[2] = {{0}, {0}}, pattern = {0};
    (void)args;
    if (d->groups.kind != GROUP_NONE || workspace_fold(d, d->cursor)) {
        workspace_unfold_all(d);
        return 0;
    }
    workspace_names(d, d->cursor, name);
    struct str s = buf_view(&name[name[0].n ? 0 : 1]);
    size_t end = 0;
    while (end < s.n && !(s.p[end] == '.' && end + 1 < s.n && s.p[end + 1] >= '0' && s.p[end + 1] <= '9'))
        end++;
    pattern_quote(str_n(s.p, end), &pattern);
    bool again = d->search.code && str_is(buf_view(&pattern), d->search.text);
    int r = again ? to_hit(d, 1, false) : run_search(d, buf_view(&pattern));
    buf_release(&name[0]);
    buf_release(&name[1]);
    buf_release(&pattern);
    return r;
}

static int run_search_next(struct workspace *d, struct str args)
{
    (void)args;
    return to_hit(d, 1, false);
}

static int run_search_prev(struct workspace *d, struct str args)
{
    (void)args;
    return to_hit(d, -1, false);
}

static int run_find(struct workspace *d, struct str args)
{
    for (int s = 0; s < 2; s++) {
        uint32_t row = dump_find_row(&d->c->side[s].dump, args);
        if (row != NONE) {
            workspace_unfold(d, d->c->pairing->line_of[s][row]);
            workspace_go(d, d->c->pairing->line_of[s][row]);
            return 0;
        }
    }
    workspace_complain(d, _("no row with the name \"%.*s\""), STR_ARG(args));
    return 0;
}

/* A row of the first call whose name begins with this text, after the cursor if there is one. */
static int run_call(struct workspace *d, struct str args)
{
    uint32_t n = workspace_lines(d), at = d->cursor;
    struct buf name[2] = {{0}, {0}};
    bool found = false;
    for (uint32_t k = 0; k < n && args.n && !found; k++) {
        at = at + 1 < n ? at + 1 : 0;
        workspace_names(d, at, name);
        found = str_starts(buf_view(&name[0]), args.p) || str_starts(buf_view(&name[1]), args.p);
    }
    buf_release(&name[0]);
    buf_release(&name[1]);
    if (found) {
        workspace_unfold(d, at);
        workspace_go(d, at);
    } else {
        workspace_complain(d, _("no call with a name that starts with \"%.*s\""), STR_ARG(args));
    }
    return 0;
}

static int run_layer(struct workspace *d, struct str args)
{
    unsigned long long want;
    if (!str_u64(args, &want)) {
        workspace_complain(d, _("layer: expected a number"));
        return 0;
    }
    for (uint32_t i = 0; i < workspace_lines(d); i++) {
        uint32_t row[2];
        workspace_rows(d, i, row);
        for (int s = 0; s < 2; s++) {
            const struct dataflow *f = &d->c->flow[s];
            if (row[s] != NONE && f->layer && f->layer[d->c->side[s].dump.rows.v[row[s]].call] == want) {
                workspace_go(d, i);
                return 0;
            }
        }
    }
    workspace_complain(d, _("no row of layer %llu"), want);
    return 0;
}

static int run_jump(struct workspace *d, struct str args)
{
    bool back = !str_is(args, "forward");
    if (back ? d->jump_at == 0 : d->jump_at + 1 >= d->jumps.n) {
        workspace_say(d, back ? _("no earlier position") : _("no later position"));
        return 0;
    }
    if (back && d->jump_at == d->jumps.n) { /* so that forward leads here again */
        struct line here = {.pair = NONE};
        workspace_rows(d, d->cursor, here.row);
        vec_push(&d->jumps, here);
        d->jump_at = d->jumps.n - 1;
    }
    d->jump_at += back ? (size_t)-1 : 1;
    uint32_t line = workspace_line_of(d, d->jumps.v[d->jump_at].row);
    d->cursor = line == NONE ? d->cursor : line;
    workspace_unfold(d, d->cursor);
    d->follow = false;
    workspace_settle(d);
    return 0;
}

static const char *complete_jump(const struct workspace *d, int i)
{
    static const char *const words[] = {"back", "forward"};
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

/* ---- twins ---- */

/* backward.input.k is the gradient of forward.output.k, backward.output.k that of forward.input.k. */
static int run_twin(struct workspace *d, struct str args)
{
    uint32_t row[2], line = NONE;
    (void)args;
    workspace_rows(d, d->cursor, row);
    for (int s = 0; s < 2 && line == NONE; s++) {
        if (row[s] == NONE)
            continue;
        const struct dump *x = &d->c->side[s].dump;
        const struct row *r = &x->rows.v[row[s]];
        uint32_t twin = x->calls.v[r->call].twin;
        if (twin == NONE)
            continue;
        enum row_io want = r->io == IO_OUTPUT ? IO_INPUT : IO_OUTPUT;
        struct str slot = str_of(x->slots.v[r->slot]), head, number;
        str_split(slot, '.', &head, &number);
        uint32_t best = NONE;
        EACH_ROW(x, twin, t) {
            struct str other = str_of(x->slots.v[x->rows.v[t].slot]), h, n;
            str_split(other, '.', &h, &n);
            if (x->rows.v[t].io == want && (best == NONE || str_eq(n, number)))
                best = t;
        }
        if (best == NONE)
            best = x->calls.v[twin].first_row;
        if (best != NONE)
            line = d->c->pairing->line_of[s][best];
    }
    if (line == NONE)
        workspace_say(d, _("no forward or backward counterpart of this call was recorded (they are matched by name)"));
    else
        workspace_go(d, line);
    return 0;
}

const struct command commands_move[] = {
    {"down", "[N]", N_("move down by one row, or N rows; scroll if a different pane has the focus"), 0, run_down, NULL},
    {"up", "[N]", N_("move up by one row, or N rows"), 0, run_up, NULL},
    {"page-down", "", N_("move one page down"), 0, run_page_down, NULL},
    {"page-up", "", N_("move one page up"), 0, run_page_up, NULL},
    {"half-down", "", N_("move half a page down"), 0, run_half_down, NULL},
    {"half-up", "", N_("move half a page up"), 0, run_half_up, NULL},
    {"top", "", N_("go to the first row"), 0, run_top, NULL},
    {"bottom", "", N_("go to the last row"), 0, run_bottom, NULL},
    {"row", "N", N_("go to row N; a number alone does the same"), NEEDS_ROW, run_row, NULL},
    {"first", "", N_("go to the first deviation"), NEEDS_PAIRED | NEEDS_JUDGED, run_first, NULL},
    {"next", "[KIND]", N_("go to the next deviation, drift, gap, unmatched row, precision difference …"), NEEDS_PAIRED | NEEDS_JUDGED, run_next, complete_kind},
    {"prev", "[KIND]", N_("go to the previous deviation, drift, gap, unmatched row, precision difference "
                          "…"), NEEDS_PAIRED | NEEDS_JUDGED, run_prev, complete_kind},
    {"names", "", N_("show the whole names of the row under the cursor"), NEEDS_ROW | ON_ROW, run_names, NULL},
    {"twin", "", N_("jump between a backward row and its forward row"), NEEDS_PAIRED | NEEDS_ROW | ON_ROW, run_twin, NULL},
    {"search", "PATTERN", N_("search row names of both sides (PCRE2, smart case); without a pattern: stop searching"), NEEDS_PAIRED | NEEDS_ROW, run_search, NULL},
    {"search-here", "", N_("search for the word under the cursor: all calls of its kind; on a line of folded rows: "
                           "unfold all"), NEEDS_PAIRED | NEEDS_ROW | ON_ROW, run_search_here, NULL},
    {"search-next", "", N_("go to the next match"), NEEDS_PAIRED | NEEDS_SEARCH, run_search_next, NULL},
    {"search-prev", "", N_("go to the previous match"), NEEDS_PAIRED | NEEDS_SEARCH, run_search_prev, NULL},
    {"call", "NAME", N_("go to the next row whose name starts with TEXT"), NEEDS_ROW, run_call, NULL},
    {"layer", "N", N_("go to the first row of layer N"), NEEDS_PAIRED | NEEDS_ROW, run_layer, NULL},
    {"jump", "back|forward", N_("go back to the position before a jump, or forward "
                                "again"), NEEDS_ROW, run_jump, complete_jump},
    {"find", "NAME", N_("go to the row with this full name"), NEEDS_PAIRED, run_find, NULL},
    {0},
};
