/* Commands for manual pairing: marks, rejections, rules, views. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "table/rule_preview.h"
#include "pair/pair_rule.h"

#define BETWEEN " <-> " /* parts a rule's two sides in text */

static const char *row_name(struct workspace *d, int side, uint32_t row)
{
    struct buf b = {0};
    dump_row_name(&d->c->side[side].dump, row, &b);
    const char *kept = investigation_keep(d->inv, b.p);
    buf_release(&b);
    return kept;
}

static void record_decision(struct workspace *d, uint8_t kind, const char *target, const char *golden, const char *view,
                            uint32_t step)
{
    struct decision x = {.kind = kind, .step = step, .side = {target, golden}, .view = view};
    decisions_add(&d->inv->decisions, x);
}

/* ---- marks ---- */

static void begin_pick(struct workspace *d, int side, uint32_t row)
{
    d->pick = (struct row_range){.on = true, .side = (uint8_t)side, .row = row, .last = row};
    workspace_say(d, side == TARGET ? _("selected: x on a golden row pairs them, x on a lower row selects a range, Esc "
                                        "cancels")
                               : _("selected: x on a target row pairs them, x on a lower row selects a range, Esc "
                                   "cancels"));
}

/* Rows of a side from first on that are tensors or numbers, one for each of the picked range. */
static uint32_t mark_range(struct workspace *d, uint32_t row)
{
    const struct row_range p = d->pick;
    const struct dump *from = &d->c->side[p.side].dump, *to = &d->c->side[!p.side].dump;
    uint32_t step = decisions_step(&d->inv->decisions), made = 0;
    for (uint32_t k = 0; p.row + k <= p.last && row + k < to->rows.n; k++) {
        uint64_t a = dump_row_numel(from, p.row + k), b = dump_row_numel(to, row + k);
        /* a range ends where the sizes differ; a single mark may be a part of a whole */
        if (p.row != p.last && a != b)
            break;
        uint32_t side[2];
        side[p.side] = p.row + k;
        side[!p.side] = row + k;
        record_decision(d, DECIDE_MARK, row_name(d, TARGET, side[TARGET]), row_name(d, GOLDEN, side[GOLDEN]), "", step);
        made++;
    }
    return made;
}

/* The cursor goes to the target row that was marked, or to the first one of the call. */
static void go_to_marked(struct workspace *d, const char *target)
{
    const struct dump *t = &d->c->side[TARGET].dump;
    uint32_t at;
    enum named sort = decided_pairs_name(t, str_of(target), &at);
    uint32_t row = sort == NAMED_ROW ? at : sort == NAMED_CALL ? t->calls.v[at].first_row : NONE;
    if (row == NONE)
        return;
    workspace_unfold(d, d->c->pairing->line_of[TARGET][row]);
    workspace_go(d, d->c->pairing->line_of[TARGET][row]);
}

static int mark_names(struct workspace *d, struct str args)
{
    struct str target, golden;
    char *name[2];
    const struct dump *const side[2] = {&d->c->side[TARGET].dump, &d->c->side[GOLDEN].dump};
    enum named sort;
    struct err e;
    str_split(args, ' ', &target, &golden);
    name[0] = str_dup(target);
    name[1] = str_dup(str_trim(golden));
    if (decided_pairs_names(side, (const char *const *)name, &sort, &e)) {
        workspace_complain(d, "%s", e.text);
    } else {
        workspace_remember(d, _("a mark"));
        record_decision(d, DECIDE_MARK, investigation_keep(d->inv, name[0]), investigation_keep(d->inv, name[1]), "",
                        decisions_step(&d->inv->decisions));
        go_to_marked(d, name[TARGET]);
        if (workspace_decide(d))
            workspace_say(d, _("marked; z undoes it"));
    }
    free(name[0]);
    free(name[1]);
    return 0;
}

/* Whether the rows have equal sizes; if not, as with parts of a whole, the user is asked once. */
static bool sizes_go(struct workspace *d, uint32_t other)
{
    const struct row_range *p = &d->pick;
    uint64_t a = dump_row_numel(&d->c->side[p->side].dump, p->row), 
             b = dump_row_numel(&d->c->side[!p->side].dump, other);
    char n[2][NUM_MAX];
    bool go = p->row != p->last || a == b || d->asked_mark == other + 1;
    d->asked_mark = go ? 0 : other + 1;
    if (!go)
        workspace_complain(d, _("element counts differ: %s and %s; press x again to pair the rows anyway (one may be a "
                                "part of the other)"),
                           num_count(n[0], a), num_count(n[1], b));
    return go;
}

/* Whether the rows under the cursor are a part and a whole. */
static bool sizes_differ(const struct workspace *d)
{
    uint32_t row[2];
    workspace_rows(d, d->cursor, row);
    return row[TARGET] != NONE && row[GOLDEN] != NONE &&
           dump_row_numel(&d->c->side[TARGET].dump, row[TARGET]) !=
               dump_row_numel(&d->c->side[GOLDEN].dump, row[GOLDEN]);
}

static int run_mark(struct workspace *d, struct str args)
{
    uint32_t row[2];
    if (args.n)
        return mark_names(d, args);
    workspace_rows(d, d->cursor, row);
    if (!d->pick.on) {
        int side = row[TARGET] != NONE ? TARGET : GOLDEN;
        begin_pick(d, side, row[side]);
        return 0;
    }
    uint32_t other = row[!d->pick.side], own = row[d->pick.side];
    if (other == NONE) { /* the same side again: to here */
        if (own < d->pick.row) {
            begin_pick(d, d->pick.side, own);
        } else {
            d->pick.last = own;
            workspace_say(d, _("%u rows selected; x on the first row of the other side pairs them in order"),
                          own - d->pick.row + 1);
        }
        return 0;
    }
    if (!sizes_go(d, other))
        return 0;
    workspace_remember(d, _("a mark"));
    uint32_t wanted = d->pick.last - d->pick.row + 1, made = mark_range(d, other);
    d->pick.on = false;
    /* where the pair will be: c speaks of it */
    workspace_go(d, d->c->pairing->line_of[TARGET][d->pick.side == TARGET ? d->pick.row : other]);
    bool saved = workspace_decide(d);
    if (saved && made < wanted)
        workspace_say(d, _("%u of %u rows marked; the sizes differ after them; z undoes it"), made, wanted);
    else if (saved)
        workspace_say(d, sizes_differ(d) ? _("marked; :cut chooses the part, z undoes it")
                                         : _("marked; c extends the pair to every layer, z undoes it"));
    return 0;
}

/* How many pairs two calls have between them. */
static uint32_t pairs_between(const struct workspace *d, const uint32_t call[2])
{
    const struct pairing *p = d->c->pairing;
    uint32_t n = 0;
    EACH_ROW(&d->c->side[TARGET].dump, call[TARGET], t) {
        uint32_t line = p->line_of[TARGET][t];
        for (; line != NONE && line < p->lines.n && p->lines.v[line].row[TARGET] == t; line++) {
            uint32_t g = p->lines.v[line].row[GOLDEN];
            n += g != NONE && d->c->side[GOLDEN].dump.rows.v[g].call == call[GOLDEN];
        }
    }
    return n;
}

static void reject_pair(struct workspace *d, const char *target, const char *golden)
{
    record_decision(d, DECIDE_REJECT, target, golden, "", decisions_step(&d->inv->decisions));
}

/* The calls of two rows that have just been rejected. */
static int reject_calls(struct workspace *d, const uint32_t row[2])
{
    const char *name[2];
    uint32_t call[2];
    for (int s = 0; s < 2; s++) {
        call[s] = d->c->side[s].dump.rows.v[row[s]].call;
        char *kept = str_dup(dump_call_name(&d->c->side[s].dump, call[s]));
        name[s] = investigation_keep(d->inv, kept);
        free(kept);
    }
    uint32_t n = pairs_between(d, call);
    workspace_remember(d, _("rejection of a call"));
    reject_pair(d, name[TARGET], name[GOLDEN]);
    if (workspace_decide(d))
        workspace_say(d, _("whole call rejected, %u more pairs; z undoes it"), n);
    return 0;
}

static int run_unmark(struct workspace *d, struct str args)
{
    uint32_t row[2], asked[2] = {d->asked_call[TARGET], d->asked_call[GOLDEN]};
    workspace_rows(d, d->cursor, row);
    d->asked_call[TARGET] = d->asked_call[GOLDEN] = 0;
    /* their line as a pair, whether already separated or not */
    if (str_is(args, "ask") && asked[TARGET] &&
        (row[TARGET] == asked[TARGET] - 1 || row[GOLDEN] == asked[GOLDEN] - 1))
        return reject_calls(d, (const uint32_t[2]){asked[TARGET] - 1, asked[GOLDEN] - 1});
    if (row[TARGET] == NONE || row[GOLDEN] == NONE) {
        workspace_complain(d, _("this row is not paired"));
        return 0;
    }
    if (str_is(args, "ask") && d->c->judged && d->c->judged->first == d->cursor && d->asked_unpair != d->cursor + 1) {
        d->asked_unpair = d->cursor + 1;
        workspace_complain(d, "%s", _("this pair is the first deviation; repeat the command to reject it anyway"));
        return 0;
    }
    d->asked_unpair = 0;
    workspace_remember(d, _("rejection of a pair"));
    const uint32_t call[2] = {d->c->side[TARGET].dump.rows.v[row[TARGET]].call,
                              d->c->side[GOLDEN].dump.rows.v[row[GOLDEN]].call};
    uint32_t others = pairs_between(d, call) - 1;
    reject_pair(d, row_name(d, TARGET, row[TARGET]), row_name(d, GOLDEN, row[GOLDEN]));
    if (!workspace_decide(d))
        return 0;
    if (!others) {
        workspace_say(d, _("rejected: these rows will not be paired again; z undoes it"));
        return 0;
    }
    for (int s = 0; s < 2; s++)
        d->asked_call[s] = row[s] + 1;
    bool outputs = d->c->side[TARGET].dump.rows.v[row[TARGET]].io == IO_OUTPUT &&
                   d->c->side[GOLDEN].dump.rows.v[row[GOLDEN]].io == IO_OUTPUT;
    /* other outputs are of other calls (pair/decided_pairs.c) */
    workspace_say(d, outputs ? _("rejected, its call paired anew; X again rejects the whole call (%u more pairs)")
                             : _("rejected, z undoes it; X again rejects the whole call (%u more pairs)"), others);
    return 0;
}

static bool is_found_pair(const struct workspace *d, uint32_t line)
{
    uint32_t p = d->c->pairing->lines.v[line].pair;
    return p != NONE &&
           (d->c->pairing->pairs.v[p].origin == ORIGIN_SEQUENCE || d->c->pairing->pairs.v[p].origin == ORIGIN_RULE);
}

/* Turns the automatic pairs around the cursor, up to the next gap, into marks. */
static int run_accept(struct workspace *d, struct str args)
{
    const struct pairing *p = d->c->pairing;
    uint32_t first = d->cursor, last = d->cursor, step = decisions_step(&d->inv->decisions);
    (void)args;
    if (!is_found_pair(d, d->cursor)) {
        workspace_complain(d, _("accept: this pair was not found automatically"));
        return 0;
    }
    while (first && is_found_pair(d, first - 1))
        first--;
    while (last + 1 < p->lines.n && is_found_pair(d, last + 1))
        last++;
    workspace_remember(d, _("accepted pairs"));
    for (uint32_t i = first; i <= last; i++)
        record_decision(d, DECIDE_MARK, row_name(d, TARGET, p->lines.v[i].row[TARGET]),
                        row_name(d, GOLDEN, p->lines.v[i].row[GOLDEN]), "", step);
    if (workspace_decide(d))
        workspace_say(d, _("%u pairs marked; z undoes it"), last - first + 1);
    return 0;
}

static int run_view(struct workspace *d, struct str args)
{
    uint32_t row[2];
    struct view v;
    struct err e;
    workspace_rows(d, d->cursor, row);
    if (row[TARGET] == NONE || row[GOLDEN] == NONE) {
        workspace_complain(d, _("view: this row is not paired"));
        return 0;
    }
    if (view_parse(&v, args, &e)) {
        workspace_complain(d, "%s", e.text);
        return 0;
    }
    struct buf text = {0};
    if (v.count)
        view_write(&v, &text);
    workspace_remember(d, _("setting of a view"));
    record_decision(d, DECIDE_MARK, row_name(d, TARGET, row[TARGET]), row_name(d, GOLDEN, row[GOLDEN]),
                    investigation_keep(d->inv, text.p ? text.p : ""), decisions_step(&d->inv->decisions));
    if (workspace_decide(d))
        workspace_say(d, v.count ? _("view: %s") : _("view removed: compared as stored"), text.p);
    buf_release(&text);
    return 0;
}

/* ---- rules ---- */

static void drop_rule(struct workspace *d)
{
    for (int i = 0; i < 3; i++) {
        free(d->rule[i]);
        d->rule[i] = NULL;
    }
}

static void set_shown_rule(struct workspace *d, struct str pattern, struct str template, const char *view)
{
    char *kept = mem_strdup(view); /* it may be the rule's own */
    drop_rule(d);
    d->rule[0] = str_dup(pattern);
    d->rule[1] = str_dup(template);
    d->rule[2] = kept;
}

/* The rule that extends the pair under the cursor to every layer; false with a message. */
static bool propose_rule(struct workspace *d)
{
    struct addresses at[2];
    struct buf rule[2] = {{0}, {0}}, view = {0};
    uint32_t row[2];
    workspace_rows(d, d->cursor, row);
    if (row[TARGET] == NONE || row[GOLDEN] == NONE) {
        workspace_complain(d, _("rule: pair this row first (x here, x on its counterpart)"));
        return false;
    }
    for (int s = 0; s < 2; s++)
        addresses_build(&at[s], &d->c->side[s].dump);
    bool open = pair_rule_propose(&at[TARGET], row[TARGET], &at[GOLDEN], row[GOLDEN], &rule[0], &rule[1]);
    uint32_t pair = d->c->pairing->lines.v[d->cursor].pair, v = d->c->pairing->pairs.v[pair].view;
    if (v != NONE)
        view_write(&d->c->pairing->views.v[v], &view);
    if (open)
        set_shown_rule(d, buf_view(&rule[0]), buf_view(&rule[1]), view.p ? view.p : "");
    else
        workspace_complain(d, _("no layer number in the names of this pair: cannot derive a rule for other layers"));
    for (int s = 0; s < 2; s++) {
        addresses_release(&at[s]);
        buf_release(&rule[s]);
    }
    buf_release(&view);
    return open;
}

static const char *outcome_text(const struct rule_preview_row *x)
{
    if (x->dropped)
        return _("not paired: another row near by agrees better, see the end of the list");
    if (x->nearby)
        return _("near by, and agrees better: marked instead");
    switch ((enum pair_rule_outcome)x->outcome) {
    case HIT_SAME:
    case HIT_PAIRS:
        return x->same      ? _("already paired in this way")
               : x->spoils    ? _("currently agrees with a different row")
               : x->otherwise ? _("currently paired with a different row")
                              : "";
    case HIT_HELD:
        return _("already decided by a mark or an earlier rule");
    case HIT_NOBODY:
        return _("no matching golden row");
    case HIT_SIZES:
        return _("element counts differ");
    }
    return "";
}

static void list_rule_rows(struct workspace *d, const struct rule_preview *p)
{
    struct buf text = {0}, name = {0};
    for (size_t i = 0; i < p->rows.n && i < 2000; i++) {
        const struct rule_preview_row *x = &p->rows.v[i];
        char n[NUM_MAX];
        buf_clear(&text);
        dump_row_name(&d->c->side[TARGET].dump, x->t, &name);
        buf_fmt(&text, "%8s  %s = ", isnan(x->error) ? "" : num_error(n, x->error), name.p);
        if (x->g != NONE)
            dump_row_name(&d->c->side[GOLDEN].dump, x->g, &name);
        buf_fmt(&text, "%s  %s", x->g != NONE ? name.p : "?", outcome_text(x));
        workspace_add_item(d, d->c->pairing->line_of[TARGET][x->t],
                           x->spoils || x->dropped                   ? VERDICT_DEVIATE
                           : x->outcome <= HIT_SAME && !x->otherwise ? 0
                                                                     : VERDICT_DRIFT,
                           buf_view(&text));
    }
    buf_release(&text);
    buf_release(&name);
}

/* "rule" for the pair under the cursor, or "rule PATTERN <-> TEMPLATE": shows the pairs it would make. */
static int run_rule(struct workspace *d, struct str args)
{
    struct rule_preview p;
    struct err e;
    struct buf title = {0}, edit = {0}, why = {0};
    const char *at = args.n ? strstr(args.p, BETWEEN) : NULL;
    if (args.n && !at) {
        workspace_complain(d, _("rule PATTERN%sTEMPLATE: expected a pattern of target addresses and a template of "
                                "golden addresses"), BETWEEN);
        return 0;
    }
    if (at)
        set_shown_rule(d, str_n(args.p, (size_t)(at - args.p)), str_of(at + strlen(BETWEEN)),
                       d->rule[2] ? d->rule[2] : "");
    else if (!propose_rule(d))
        return 0;
    if (rule_preview_make(&p, d->c, &d->inv->decisions, (const char *const *)d->rule, &e)) {
        workspace_complain(d, "%s", e.text);
        drop_rule(d); /* what cannot be shown is not to be applied */
        rule_preview_release(&p);
        return 0;
    }
    workspace_clear_list(d);
    buf_fmt(&edit, "rule %s%s%s", d->rule[0], BETWEEN, d->rule[1]);
    if (rule_preview_refused(&p, d->rule[0], &why)) {
        struct buf text = {0};
        buf_fmt(&text, _("not applied: %s; use :rule-apply anyway to force it"), why.p);
        workspace_add_item(d, NONE, VERDICT_DEVIATE, buf_view(&text));
        buf_release(&text);
    } else {
        workspace_add_command(d, "rule-apply", NULL, _("apply this rule"));
    }
    workspace_add_command(d, "command", edit.p, _("edit it:  %s  ↔  %s"), d->rule[0], d->rule[1]);
    list_rule_rows(d, &p);
    rule_preview_text(&p, &title);
    workspace_show_list(d, title.p);
    buf_release(&title);
    buf_release(&edit);
    buf_release(&why);
    rule_preview_release(&p);
    return 0;
}

/* Decides the rule that is shown, and marks what agrees better near by. False with a message if it must not be. */
static bool apply_rule(struct workspace *d, bool anyway)
{
    struct rule_preview p;
    struct err e;
    struct buf why = {0};
    struct decision x = {.kind = DECIDE_RULE, .step = decisions_step(&d->inv->decisions)};
    int rc = rule_preview_make(&p, d->c, &d->inv->decisions, (const char *const *)d->rule, &e);
    bool refused = rc == 0 && !anyway && rule_preview_refused(&p, d->rule[0], &why);
    if (rc)
        workspace_complain(d, "%s", e.text);
    else if (refused)
        workspace_complain(d, _("not applied: %s; use :rule-apply anyway to force it"), why.p);
    bool go = rc == 0 && !refused;
    if (go) {
        workspace_remember(d, _("rule"));
        for (int i = 0; i < 2; i++)
            x.side[i] = investigation_keep(d->inv, d->rule[i]);
        x.view = investigation_keep(d->inv, d->rule[2]);
        decisions_add(&d->inv->decisions, x);
        rule_preview_mark(&p, d->c, &d->inv->decisions, &d->inv->arena);
    }
    rule_preview_release(&p);
    buf_release(&why);
    return go;
}

static int run_rule_apply(struct workspace *d, struct str args)
{
    size_t number = d->inv->decisions.now;
    if (!d->rule[0]) {
        workspace_complain(d, _("no rule is proposed; c on a pair proposes one"));
        return 0;
    }
    if (!apply_rule(d, str_is(args, "anyway")))
        return 0;
    drop_rule(d);
    d->overlay = OVERLAY_NONE;
    if (workspace_decide(d))
        workspace_say(d, _("rule %zu enabled; :rules lists them, z undoes it"), number);
    return 0;
}

static int run_rules(struct workspace *d, struct str args)
{
    struct decisions_in_force r;
    (void)args;
    decisions_in_force_read(&r, &d->inv->decisions);
    workspace_clear_list(d);
    for (size_t i = 0; i < r.rules.n; i++) {
        const struct pair_rule *x = &r.rules.v[i];
        uint32_t pairs = 0, held = 0, nobody = 0;
        char number[16];
        for (size_t k = 0; k < d->c->pairing->hits.n; k++)
            if (d->c->pairing->hits.v[k].rule == x->number) {
                uint8_t o = d->c->pairing->hits.v[k].outcome;
                pairs += o <= HIT_SAME;
                held += o == HIT_HELD;
                nobody += o == HIT_NOBODY || o == HIT_SIZES;
            }
        snprintf(number, sizeof number, "%u", x->number);
        workspace_add_command(d, x->on ? "rule-off" : "rule-on", number,
                              _("%s rule %u: %u pairs, %u paired differently, %u "
                                "without a matching row   %s ↔ %s"),
                              x->on ? _("on ") : _("off"), x->number, pairs, held, nobody, x->side[0], x->side[1]);
    }
    if (r.rules.n)
        workspace_show_list(d, _("rules; Enter disables or enables one"));
    else
        workspace_say(d, _("no rules; c on a pair proposes one"));
    d->list.again = "rules";
    decisions_in_force_release(&r);
    return 0;
}

static int turn_rule(struct workspace *d, struct str args, uint8_t kind)
{
    unsigned long long n;
    if (!str_u64(args, &n) || n >= d->inv->decisions.now || d->inv->decisions.log.v[n].kind != DECIDE_RULE) {
        workspace_complain(d, _("expected the number of a rule; :rules lists them"));
        return 0;
    }
    workspace_remember(d, kind == DECIDE_RULE_ON ? _("enabling of a rule") : _("disabling of a rule"));
    struct decision x =
        {.kind = kind, .step = decisions_step(&d->inv->decisions), .rule = (uint32_t)n, .side = {"", ""}, .view = ""};
    decisions_add(&d->inv->decisions, x);
    if (workspace_decide(d))
        workspace_say(d, kind == DECIDE_RULE_ON ? _("rule %llu enabled") : _("rule %llu disabled"), n);
    return 0;
}

static int run_rule_off(struct workspace *d, struct str args)
{
    return turn_rule(d, args, DECIDE_RULE_OFF);
}

static int run_rule_on(struct workspace *d, struct str args)
{
    return turn_rule(d, args, DECIDE_RULE_ON);
}

/* All decisions, the newest first; undone ones at the top, because they can be redone. */
static int run_decisions(struct workspace *d, struct str args)
{
    const struct decisions *x = &d->inv->decisions;
    struct buf text = {0};
    char number[24];
    (void)args;
    bool *holds = decisions_holding(x);
    workspace_clear_list(d);
    for (size_t i = x->log.n; i-- > 0 && d->list.items.n < 5000;) {
        const struct decision *q = &x->log.v[i];
        uint32_t row[2] = {dump_find_row(&d->c->side[TARGET].dump, str_of(q->side[0])),
                           dump_find_row(&d->c->side[GOLDEN].dump, str_of(q->side[1]))};
        buf_clear(&text);
        decision_text(x, i, holds[i], &text);
        workspace_add_item(d, workspace_line_of(d, row), 0, buf_view(&text));
        snprintf(number, sizeof number, "%zu", i);
        if (holds[i])
            workspace_add_away(d, "withdraw", number);
    }
    if (d->list.items.n)
        workspace_show_list(d, _("decisions, the newest first; Enter goes to the row, Delete withdraws one"));
    else
        workspace_say(d, _("no decisions yet; x marks a pair"));
    d->list.again = "decisions";
    free(holds);
    buf_release(&text);
    return 0;
}

/* Withdraws one decision; later ones are kept. */
static int run_withdraw(struct workspace *d, struct str args)
{
    unsigned long long n;
    if (!str_u64(args, &n) || n >= d->inv->decisions.now || !decision_holds(&d->inv->decisions, n)) {
        workspace_complain(d, _("withdraw N: expected the number of a decision in force; :decisions lists them"));
        return 0;
    }
    workspace_remember(d, _("withdrawal of a decision"));
    struct decision x = {.kind = DECIDE_WITHDRAW, .step = decisions_step(&d->inv->decisions), .rule = (uint32_t)n,
                         .side = {"", ""}, .view = ""};
    decisions_add(&d->inv->decisions, x);
    if (workspace_decide(d))
        workspace_say(d, _("decision %llu withdrawn; later decisions are kept; z undoes it"), n);
    return 0;
}

const struct command commands_mark[] = {
    {"mark", "[TARGET GOLDEN]", N_("select this row, or pair it with the selected row; with names: pair two rows, "
                                   "calls or modules"), NEEDS_BOTH | NEEDS_ROW | ON_ROW | CHANGES, run_mark, NULL},
    {"unpair", "[ask]", N_("reject this pair for good; ask: confirm for the first deviation, then offer to reject the "
                           "whole call"), NEEDS_BOTH | NEEDS_ROW | ON_ROW | CHANGES, run_unmark, NULL},
    {"accept", "", N_("mark the automatically found pairs around this row, up to the next "
                      "gap"), NEEDS_BOTH | NEEDS_ROW | ON_ROW | CHANGES, run_accept, NULL},
    {"view", "[STEPS]", N_("set the view of this pair, as in view golden split -1 2 0:8; without steps: compare as "
                           "stored"), NEEDS_BOTH | NEEDS_ROW | ON_ROW | CHANGES, run_view, NULL},
    {"rule", "[PATTERN <-> TEMPLATE]", N_("extend this pair to every layer: show the rule and the pairs it would "
                                          "make"), NEEDS_BOTH | NEEDS_ROW, run_rule, NULL},
    {"rule-apply", "[anyway]", N_("apply the rule shown; anyway: also if the statistics contradict "
                                  "it"), NEEDS_BOTH | CHANGES, run_rule_apply, NULL},
    {"rules", "", N_("list the rules with their pairs and conflicts"), NEEDS_BOTH, run_rules, NULL},
    {"rule-off", "N", N_("disable rule N"), NEEDS_BOTH | CHANGES, run_rule_off, NULL},
    {"rule-on", "N", N_("enable rule N"), NEEDS_BOTH | CHANGES, run_rule_on, NULL},
    {"decisions", "", N_("list all decisions of the user, the newest first"), NEEDS_BOTH, run_decisions, NULL},
    {"withdraw", "N", N_("undo only decision N; later decisions are kept"), NEEDS_BOTH | CHANGES, run_withdraw, NULL},
    {0},
};
