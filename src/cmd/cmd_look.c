/* Commands that show panes, stacks and lists. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/pane_verbs.h"
#include "compare/start_text.h"
#include "judge/verdict_text.h"
#include "judge/step_inputs.h"
#include "judge/precision.h"
#include "oracle/oracle_operators.h"

static int set_focus(struct workspace *d, enum focus f)
{
    d->focus = f;
    return 0;
}

static int run_pane(struct workspace *d, struct str args)
{
    static const char *const names[FOCUS_COUNT] = {"table", "detail", "stack"};
    if (str_is(args, "next") || !args.n)
        return set_focus(d, (d->focus + 1) % FOCUS_COUNT);
    if (str_is(args, "prev"))
        return set_focus(d, (d->focus + FOCUS_COUNT - 1) % FOCUS_COUNT);
    for (int i = 0; i < FOCUS_COUNT; i++)
        if (str_is(args, names[i]))
            return set_focus(d, (enum focus)i);
    workspace_complain(d, _("pane: expected table, detail, stack, next or prev"));
    return 0;
}

static const char *complete_pane(const struct workspace *d, int i)
{
    static const char *const words[] = {"next", "prev", "table", "detail", "stack"};
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

static int run_zoom(struct workspace *d, struct str args)
{
    (void)args;
    d->zoom = !d->zoom;
    return 0;
}

static int run_side(struct workspace *d, struct str args)
{
    d->stack.side = str_is(args, "target")   ? TARGET
                    : str_is(args, "golden") ? GOLDEN
                    : d->stack.side == TARGET ? GOLDEN
                                              : TARGET;
    return 0;
}

/* Whether both sides' stacks move together. */
static int run_lock(struct workspace *d, struct str args)
{
    d->stack.apart = str_is(args, "on") ? false : str_is(args, "off") ? true : !d->stack.apart;
    workspace_stack_select(d, d->stack.side, d->stack.frame[d->stack.side]);
    workspace_say(d, "%s", d->stack.apart ? _("the stacks move separately; = moves both together again")
                                          : _("both stacks move together"));
    return 0;
}

static int run_source(struct workspace *d, struct str args)
{
    bool twin;
    const struct frame *f = workspace_frame(d, d->stack.side);
    struct buf path = {0};
    (void)args;
    if (workspace_stack(d, d->cursor, d->stack.side, &twin) == NONE) {
        workspace_complain(d, _("no stack was recorded for this row on the %s side"),
                           d->stack.side == TARGET ? _("target") : _("golden"));
        return 0;
    }
    if (!f || !f->line) {
        workspace_complain(d, _("this frame has no file and line"));
        return 0;
    }
    workspace_source(d, f, &path);
    d->open_file = investigation_keep(d->inv, path.p);
    d->open_line = f->line;
    buf_release(&path);
    return R_OPEN;
}

static int run_remap(struct workspace *d, struct str args)
{
    struct str from, to;
    if (!str_split(args, ' ', &from, &to) || !str_trim(to).n) {
        workspace_complain(d, _("remap FROM TO: expected the start of paths in stacks and its replacement on this "
                                "machine"));
        return 0;
    }
    struct named_text m = {.name = arena_cstr(&d->inv->arena, from), .text = arena_cstr(&d->inv->arena, str_trim(to))};
    vec_push(&d->inv->remaps, m);
    if (workspace_save(d))
        workspace_say(d, _("%s is searched as %s"), m.name, m.text);
    return 0;
}

static int run_help(struct workspace *d, struct str args)
{
    if (pane_now(d) != PANE_HELP) {
        d->help_of = pane_now(d);
        d->help_over = d->overlay;
    }
    d->overlay = OVERLAY_HELP;
    workspace_narrow(d, args);
    return 0;
}

static int run_back(struct workspace *d, struct str args)
{
    int r = pane_back(d);
    (void)args;
    return r == NOT_MINE ? R_QUIT : r; /* nothing is left to close, and nothing is lost */
}

/* Esc clears, but never leaves. */
static int run_cancel(struct workspace *d, struct str args)
{
    int r = pane_back(d);
    (void)args;
    if (r == NOT_MINE && report_job_busy(&d->report))
        report_job_cancel(&d->report);
    else if (r == NOT_MINE && d->write_waits)
        workspace_say(d, "%s", _("not written: there is no comparison"));
    d->write_waits = d->write_waits && r != NOT_MINE;
    return r == NOT_MINE ? 0 : r;
}

/* ---- lists ---- */

static void list_deviations(struct workspace *d)
{
    struct buf name[2] = {{0}, {0}}, text = {0};
    const struct judgement *j = d->c->judged;
    for (uint32_t i = 0; i < j->lines && d->list.items.n < 5000; i++) {
        if (!verdict_is_bad(j->line[i].verdict))
            continue;
        workspace_names(d, i, name);
        buf_clear(&text);
        buf_fmt(&text, "%s", name[0].n ? name[0].p : name[1].p);
        workspace_add_item(d, i, j->line[i].verdict, buf_view(&text));
    }
    buf_release(&name[0]);
    buf_release(&name[1]);
    buf_release(&text);
}

/* What starts here, most inheriting first, and what to do about it. A diagnosis is told where it is known: none is
 * waited for. */
static void list_start_groups(struct workspace *d)
{
    const struct judgement *j = d->c->judged;
    struct buf text = {0};
    struct arena a = {0};
    for (size_t i = 0; i < j->start_groups.n && i < 1000; i++) {
        const struct start_group *g = &j->start_groups.v[i];
        buf_clear(&text);
        start_sentence(d->c, g->line, diagnosis_job_known(&d->diagnosis, d->c, g->line), &text);
        buf_cstr(&text, "   ");
        if (start_place_text(&d->c->measure, g->line, &text))
            buf_cstr(&text, "   ");
        start_extent(g, &text);
        buf_cstr(&text, "   ");
        buf_fmt(&text, _("next: %s"), workspace_advice(d, g->line, &a));
        workspace_add_item(d, g->line, j->line[g->line].verdict, buf_view(&text));
        vec_last(&d->list.items)->start = true;
        d->list.diagnosed += i < DIAGNOSED_MOST && diagnosis_job_known(&d->diagnosis, d->c, g->line);
    }
    arena_release(&a);
    buf_release(&text);
}

static void list_precision(struct workspace *d)
{
    precision_list l = {0};
    struct arena a = {0};
    struct buf text = {0};
    precision_find(d->c->judged, &d->c->measure, &a, &l);
    for (size_t i = 0; i < l.n; i++) {
        buf_clear(&text);
        buf_fmt(&text, _("%-10s %-10s %4u rows  %s"), dtype_table[l.v[i].dtype[0]].name,
                dtype_table[l.v[i].dtype[1]].name,
                l.v[i].rows, l.v[i].scope);
        workspace_add_item(d, l.v[i].first, 0, buf_view(&text));
    }
    vec_release(&l);
    arena_release(&a);
    buf_release(&text);
}

static void list_step_inputs(struct workspace *d)
{
    const step_input_list *l = &d->c->inputs;
    struct buf text = {0};
    for (size_t i = 0; i < l->n; i++) {
        const struct step_input *x = &l->v[i];
        int side = x->row[TARGET] == NONE ? GOLDEN : TARGET;
        buf_clear(&text);
        buf_fmt(&text, "%-15s ", step_input_name(x->what));
        step_input_detail(x, d->c->measure.side, &text);
        workspace_add_item(d, d->c->pairing->line_of[side][x->row[side]],
                           x->equal == 1 ? VERDICT_MATCH : x->equal == 0 ? VERDICT_DEVIATE : VERDICT_SKIP,
                           buf_view(&text));
    }
    buf_release(&text);
}

/* For one side alone: problems reported by the readers and found in its values; notes are dim. */
static void list_examined(struct workspace *d)
{
    const struct dump_check *c = &d->c->examined.check;
    struct buf text = {0}, name = {0};
    for (size_t i = 0; i < c->problems.n && i < 2000; i++) {
        const struct dump_check_problem *p = &c->problems.v[i];
        buf_clear(&text);
        buf_clear(&name);
        if (p->row != NONE)
            dump_row_name(&d->c->side[TARGET].dump, p->row, &name);
        buf_fmt(&text, "%-12s %s%s%s", p->kind, name.n ? name.p : "", name.n ? ": " : "", p->text);
        workspace_add_item(d, p->row, dump_check_is_note(p) ? 0 : VERDICT_DEVIATE, buf_view(&text));
    }
    buf_release(&text);
    buf_release(&name);
}

/* What the recordings say of themselves, and what could not be read. */
static void list_recorded(struct workspace *d)
{
    for (int s = 0; s < 2; s++) {
        const struct dump *x = &d->c->side[s].dump;
        for (size_t i = 0; i < x->problems.n && i < 2000; i++) {
            uint32_t row = x->problems.v[i].row;
            uint32_t line = row == NONE || !d->c->paired ? NONE : d->c->pairing->line_of[s][row];
            workspace_add_item(d, line, 0, str_of(x->problems.v[i].text));
        }
    }
    for (uint32_t i = 0; d->c->measure.failure && i < d->c->measure.lines; i++)
        if (d->c->measure.failure[i])
            workspace_add_item(d, i, 0, str_of(d->c->measure.failure[i]));
}

/* Whether the recording's own problems, which are listed with their rows, say this. */
static bool is_recorded_problem(const struct comparison *c, const char *text)
{
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->side[s].dump.problems.n; i++)
            if (strcmp(c->side[s].dump.problems.v[i].text, text) == 0)
                return true;
    return false;
}

static void list_doubts(struct workspace *d)
{
    struct arena sentences = {0};
    input_doubt_list l = {0};
    input_doubts_find(d->c, &sentences, &l);
    for (size_t i = 0; i < l.n; i++) {
        const struct input_doubt *x = &l.v[i];
        const char *sentence = input_doubts_sentence(x, &sentences);
        if (is_recorded_problem(d->c, x->text))
            continue;
        if (x->opens)
            workspace_add_command(d, x->opens, "", "%s", sentence);
        else
            workspace_add_item(d, x->row == NONE ? NONE : d->c->pairing->line_of[x->side][x->row], 0,
                               str_of(sentence));
    }
    vec_release(&l);
    arena_release(&sentences);
}

static void list_findings(struct workspace *d)
{
    finding_list found = {0};
    findings_read(&d->inv->findings, &found);
    for (size_t i = 0; i < found.n; i++) {
        struct buf text = {0};
        char number[16];
        snprintf(number, sizeof number, "%u", found.v[i].number);
        finding_line(found.v[i].text, &text);
        workspace_add_command(d, "finding-go", number, _("finding %u, %s: %s"), found.v[i].number,
                              _(finding_status_name((enum finding_status)found.v[i].status)), text.p ? text.p : "");
        buf_release(&text);
    }
    vec_release(&found);
}

/* Everything that was found: starts, step inputs that differ, problems of the recordings, doubts, findings. */
static void list_problems(struct workspace *d)
{
    if (d->c->examined.done) {
        list_examined(d);
    } else {
        if (d->c->judged && !d->c->single)
            list_start_groups(d);
        list_recorded(d);
        if (d->c->paired && !d->c->single)
            list_doubts(d);
    }
    list_findings(d);
}

static void list_gaps(struct workspace *d)
{
    const struct dump *const side[2] = {&d->c->side[TARGET].dump, &d->c->side[GOLDEN].dump};
    gap_group_list l = {0};
    struct buf text = {0};
    if (!d->c->paired || d->c->single)
        return;
    gaps_group(d->c->pairing, side, &l);
    for (size_t i = 0; i < l.n && i < 2000; i++) {
        buf_clear(&text);
        gap_group_text(&l.v[i], side, &text);
        workspace_add_item(d, l.v[i].line, VERDICT_ONLY, buf_view(&text));
    }
    vec_release(&l);
    buf_release(&text);
}

/* "  target    0.41 ×   12/12  " */
static void operator_text(const struct oracle_operator *x, const char *side, struct buf *out)
{
    char worst[NUM_MAX];
    buf_fmt(out, "  %s %7s × %4u/%-4u", side, x->row == NONE ? "-" : num_cell(worst, x->worst, 2), x->recomputed,
            x->calls);
}

static void add_operator_item(struct workspace *d, const struct oracle_operator *const x[2])
{
    const char *const side[2] = {_("target"), _("golden")};
    const struct oracle_operator *worst = NULL;
    int of = TARGET;
    struct buf text = {0};
    buf_fmt(&text, "%-16s", x[TARGET] ? x[TARGET]->name : x[GOLDEN]->name);
    for (int i = 0; i < 2; i++) {
        if (!x[i])
            continue;
        operator_text(x[i], side[i], &text);
        if (x[i]->row != NONE && (!worst || x[i]->worst > worst->worst)) {
            worst = x[i];
            of = i;
        }
    }
    bool wrong = (x[TARGET] && x[TARGET]->wrong) || (x[GOLDEN] && x[GOLDEN]->wrong);
    workspace_add_item(d, worst ? d->c->pairing->line_of[of][worst->row] : NONE, wrong ? VERDICT_DEVIATE : 0,
                       buf_view(&text));
    buf_release(&text);
}

/* Both sides' operators, worst first, each with its counterpart. */
static void list_operators(struct workspace *d)
{
    const struct oracle *o = comparison_oracle(d->c);
    struct oracle_operator *x[2] = {NULL, NULL};
    size_t n[2] = {0, 0}, at[2] = {0, 0};
    for (uint32_t i = 0; o && i < o->sides; i++)
        x[i] = oracle_operators(&o->side[i], &n[i]);
    bool *used[2] = {mem_zalloc(n[0] + 1), mem_zalloc(n[1] + 1)};
    for (;;) {
        for (int i = 0; i < 2; i++)
            while (at[i] < n[i] && used[i][at[i]])
                at[i]++;
        if (at[0] >= n[0] && at[1] >= n[1])
            break;
        const struct oracle_operator *pair[2];
        for (int i = 0; i < 2; i++)
            pair[i] = at[i] < n[i] ? &x[i][at[i]] : NULL;
        int first = !pair[0] || (pair[1] && !isnan(pair[1]->worst) && !(pair[0]->worst >= pair[1]->worst));
        pair[!first] = NULL;
        used[first][at[first]] = true;
        for (size_t k = 0; k < n[!first] && !pair[!first]; k++)
            if (!used[!first][k] && strcmp(x[!first][k].name, pair[first]->name) == 0) {
                used[!first][k] = true;
                pair[!first] = &x[!first][k];
            }
        add_operator_item(d, pair);
    }
    for (int i = 0; i < 2; i++) {
        free(used[i]);
        free(x[i]);
    }
}

static void list_bookmarks(struct workspace *d)
{
    struct buf text = {0};
    for (size_t i = 0; i < d->inv->bookmarks.n; i++) {
        const struct bookmark *b = &d->inv->bookmarks.v[i];
        uint32_t line = NONE;
        for (int s = 0; s < 2 && line == NONE && d->c->paired; s++) {
            uint32_t row = *b->row[s] ? dump_find_row(&d->c->side[s].dump, str_of(b->row[s])) : NONE;
            if (row != NONE)
                line = d->c->pairing->line_of[s][row];
        }
        buf_clear(&text);
        buf_fmt(&text, "%s", *b->row[0] ? b->row[0] : b->row[1]);
        if (line == NONE)
            buf_cstr(&text, _("   (not in these dumps)"));
        workspace_add_item(d, line, line == NONE || !d->c->judged ? 0 : d->c->judged->line[line].verdict,
                           buf_view(&text));
    }
    buf_release(&text);
}

static const struct {
    const char *name, *title, *empty;
    unsigned needs;
    void (*fill)(struct workspace *d);
} lists[] = {
    {"deviations", N_("rows that deviate"), N_("no row deviates"), NEEDS_JUDGED, list_deviations},
    {"starts", N_("what starts here, with the rows that inherit it"), N_("nothing starts here"), NEEDS_JUDGED, list_start_groups},
    {"precision", N_("different floating-point types, by module (target, "
                     "golden)"), N_("all floating-point types are equal on "
                                                                                "both "
                                                                                "sides"), NEEDS_JUDGED, list_precision},
    {"inputs", N_("step inputs, compared "
                  "exactly"), N_("no step inputs were recognised in these dumps"), NEEDS_JUDGED, list_step_inputs},
    {"gaps", N_("calls that only one side has, by calling function"), N_("all calls are paired"), 0, list_gaps},
    {"problems", N_("problems: all that was found"), N_("no problems"), 0, list_problems},
    {"operators", N_("operators by largest excess (error / expected rounding error) of the recomputed "
                     "calls"), N_("no call was recomputed"),
     NEEDS_JUDGED, list_operators},
    {"bookmarks", N_("bookmarks"), N_("no bookmarks; m sets one"), 0, list_bookmarks},
};

static int run_list(struct workspace *d, struct str args)
{
    static const char *const elsewhere[] = {"findings", "rounds", "recent"}; /* lists with a command of their own */
    if (str_is(args, "suspects") || str_is(args, "frontier")) /* names of before the list of starts */
        args = STR("starts");
    for (size_t i = 0; i < ARRAY_LEN(elsewhere); i++)
        if (str_is(args, elsewhere[i]))
            return command_run(d, elsewhere[i]);
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        if (!str_is(args, lists[i].name))
            continue;
        if ((lists[i].needs & NEEDS_JUDGED) && !d->c->judged) {
            workspace_complain(d, _("nothing compared yet"));
            return 0;
        }
        workspace_clear_list(d);
        lists[i].fill(d);
        d->list.starts = d->list.items.n && d->list.items.v[0].start ? lists[i].name : NULL;
        if (!d->list.items.n) {
            workspace_say(d, "%s", _(lists[i].empty));
            return 0;
        }
        workspace_show_list(d, _(lists[i].title));
        return 0;
    }
    workspace_complain(
        d, _("list: expected starts, deviations, precision, inputs, gaps, problems, operators or "
             "bookmarks"));
    return 0;
}

static int run_operators(struct workspace *d, struct str args)
{
    (void)args;
    return run_list(d, STR("operators"));
}

static const char *complete_list(const struct workspace *d, int i)
{
    (void)d;
    return i < (int)ARRAY_LEN(lists) ? lists[i].name : NULL;
}

static int run_enter(struct workspace *d, struct str args)
{
    (void)args;
    return pane_enter(d);
}

static int run_inside(struct workspace *d, struct str args)
{
    (void)args;
    return pane_inside(d);
}

static int run_delete_entry(struct workspace *d, struct str args)
{
    (void)args;
    return pane_away(d);
}

const struct command commands_look[] = {
    {"enter", "", N_("open the item under the cursor: tensors of a row (or its detail), source of a frame, row of a "
                     "list entry"), 0, run_enter, NULL},
    {"inside", "", N_("in a list: open the entry itself (a finding with its evidence and actions); elsewhere like "
                      "enter"), 0, run_inside, NULL},
    {"delete-entry", "", N_("in a list: remove the entry (withdraws a decision)"), 0, run_delete_entry, NULL},
    {"back", "", N_("go back one level, or leave at the top level; all changes are saved"), 0, run_back, NULL},
    {"cancel", "", N_("go back one level, but do not leave"), 0, run_cancel, NULL},
    {"pane", "next|prev|NAME", N_("move the focus to the next pane: table, detail, stack"), 0, run_pane, complete_pane},
    {"zoom", "", N_("enlarge the pane below the table to the whole screen, or restore it"), 0, run_zoom, NULL},
    {"side", "[target|golden]", N_("show the stack of the other side, or of the given side"), 0, run_side, NULL},
    {"lock", "[on|off]", N_("move both stacks together, or each separately"), 0, run_lock, NULL},
    {"source", "", N_("open the source file of the selected frame at its line, in $PAGER or "
                      "$EDITOR"), NEEDS_ROW | ON_ROW, run_source, NULL},
    {"remap", "FROM TO", N_("replace the start of source paths in stacks recorded on another machine"), 0, run_remap, NULL},
    {"list", "NAME", N_("open a list: starts, deviations, precision, inputs, gaps, problems, operators or "
                        "bookmarks; Enter goes to the entry"), 0, run_list, complete_list},
    {"operators", "", N_("list operators by the largest excess of their calls on both sides; Enter goes to the output "
                         "with the largest excess"), NEEDS_JUDGED, run_operators, NULL},
    {"help", "[WORD]", N_("show keys and commands, those available here first; with WORD, only those that contain "
                          "it"), 0, run_help, NULL},
    {0},
};
