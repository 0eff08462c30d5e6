/* diverge mark, diverge marks: manual pairing for scripts. */
#include <math.h>

#include <stdlib.h>

#include "base/json_write.h"
#include "base/msg.h"
#include "base/num.h"
#include "table/rule_preview.h"
#include "pair/pair_rule.h"
#include "report/mapping_output.h"
#include "ui/cli.h"
#include "ui/ending.h"
#include "ui/open_investigation.h"

/* An investigation opened to be changed, and the session that knows its rows. */
struct marking {
    struct investigation inv;
    struct session s;
    bool open;
};

/* Opens the investigation; `pair`: both sides are read and paired too. */
static int begin_marking(struct marking *m, const struct options *o, bool change, bool pair, struct err *e)
{
    *m = (struct marking){.open = false};
    if (open_investigation_saved(&m->inv, o, change, pair, e))
        return -1;
    return pair ? cli_open_pair(&m->s, &m->open, &m->inv, o, true, e) : 0;
}

static void end_marking(struct marking *m)
{
    if (m->open)
        session_stop(&m->s);
    investigation_release(&m->inv);
}

static int check_names(const struct marking *m, const struct options *o, struct err *e)
{
    const struct dump *const side[2] = {&m->s.now->side[TARGET].dump, &m->s.now->side[GOLDEN].dump};
    enum named sort;
    if (decided_pairs_names(side, &o->arg[1], &sort, e))
        return -1;
    if (o->rule && sort != NAMED_ROW)
        return err_set(e, ERR_USAGE, "%s", _("--rule needs two row names"));
    return 0;
}

static void print_pair(struct buf *b, const struct comparison *s, uint32_t t, uint32_t g, const char *said)
{
    struct buf name = {0};
    dump_row_name(&s->side[TARGET].dump, t, &name);
    buf_fmt(b, "  %s = ", name.p);
    if (g == NONE)
        buf_char(b, '?');
    else
        dump_row_name(&s->side[GOLDEN].dump, g, &name);
    buf_fmt(b, "%s%s%s\n", g == NONE ? "" : name.p, *said ? "   " : "", said);
    buf_release(&name);
}

/* Decides and pairs again. */
static int decide_and_pair(struct marking *m, const struct options *o, struct err *e)
{
    session_lock(&m->s);
    session_decide(&m->s, &m->inv.decisions);
    session_unlock(&m->s);
    return cli_wait(&m->s, o, e);
}

static bool is_paired_by_hand(const struct pairing *p, const struct line *l)
{
    return l->pair != NONE && p->pairs.v[l->pair].origin == ORIGIN_MARK;
}

/* Prints the pairs this mark made and those marked before. */
static int mark_rows(struct marking *m, const struct options *o, struct buf *b, struct err *e)
{
    struct nmap before = {0};
    const struct pairing *p = m->s.now->pairing;
    for (size_t i = 0; i < p->lines.n; i++)
        if (is_paired_by_hand(p, &p->lines.v[i]))
            nmap_set(&before, decided_pairs_key(p->lines.v[i].row[0], p->lines.v[i].row[1]), 1);
    struct decision x = {.kind = DECIDE_MARK, .step = decisions_step(&m->inv.decisions), .side = {o->arg[1], o->arg[2]},
                         .view = o->view ? o->view : ""};
    decisions_add(&m->inv.decisions, x);
    int rc = decide_and_pair(m, o, e);
    p = m->s.now->pairing;
    for (size_t i = 0; rc == 0 && i < p->lines.n; i++) {
        const uint32_t *row = p->lines.v[i].row;
        if (is_paired_by_hand(p, &p->lines.v[i]) && nmap_get(&before, decided_pairs_key(row[0], row[1])) == MAP_NONE)
            print_pair(b, m->s.now, row[TARGET], row[GOLDEN], "");
    }
    nmap_release(&before);
    if (rc == 0 && !b->n)
        buf_cstr(b, _("marked; no additional rows were paired\n"));
    return rc ? -1 : investigation_save(&m->inv, e);
}

static const char *rule_outcome_text(const struct rule_preview_row *x)
{
    if (x->dropped)
        return _("(not paired: another row near by agrees better)");
    if (x->nearby)
        return _("(near by, and agrees better: marked instead)");
    switch ((enum pair_rule_outcome)x->outcome) {
    case HIT_SAME:
    case HIT_PAIRS:
        return x->otherwise ? _("(currently paired with a different row)") : "";
    case HIT_HELD:
        return _("(not paired: already decided by a mark or an earlier rule)");
    case HIT_NOBODY:
        return _("(not paired: no matching golden row)");
    case HIT_SIZES:
        return _("(not paired: element counts differ)");
    }
    return "";
}

/* The rule derived from two rows; the rows themselves are marked in any case. */
static int mark_by_rule(struct marking *m, const struct options *o, struct buf *b, struct err *e)
{
    struct addresses at[2];
    struct buf text[2] = {{0}, {0}};
    struct rule_preview p = {.least = NAN};
    uint32_t row[2];
    for (int s = 0; s < 2; s++) {
        addresses_build(&at[s], &m->s.now->side[s].dump);
        row[s] = dump_find_row(&m->s.now->side[s].dump, str_of(o->arg[1 + s]));
    }
    bool open = pair_rule_propose(&at[TARGET], row[TARGET], &at[GOLDEN], row[GOLDEN], &text[0], &text[1]);
    const char *const made[3] = {text[0].p, text[1].p, o->view ? o->view : ""};
    struct decision self = {.kind = DECIDE_MARK, .step = decisions_step(&m->inv.decisions),
                            .side = {o->arg[1], o->arg[2]}, .view = made[2]};
    int rc = 0;
    decisions_add(&m->inv.decisions, self); /* in memory: saved only with --apply */
    if (open) {
        buf_fmt(b, _("rule   %s\n   ↔   %s\n"), made[0], made[1]);
        rc = rule_preview_make(&p, m->s.now, &m->inv.decisions, made, e);
        rule_preview_text(&p, b);
        buf_char(b, '\n');
        for (size_t i = 0; i < p.rows.n; i++) {
            char n[NUM_MAX];
            struct buf said = {0};
            const char *how = rule_outcome_text(&p.rows.v[i]);
            if (!isnan(p.rows.v[i].error))
                buf_fmt(&said, *how ? _("error %s   ") : _("error %s"), num_error(n, p.rows.v[i].error));
            buf_cstr(&said, how);
            print_pair(b, m->s.now, p.rows.v[i].t, p.rows.v[i].g, said.p);
            buf_release(&said);
        }
    } else {
        buf_cstr(b, _("no layer number in the names of this pair: cannot derive a rule for other layers\n"));
        print_pair(b, m->s.now, row[TARGET], row[GOLDEN], "");
    }
    if (rc == 0 && o->apply) {
        struct decision like = {.kind = DECIDE_RULE, .step = self.step, .view = made[2]};
        for (int s = 0; s < 2; s++)
            like.side[s] = investigation_keep(&m->inv, made[s]);
        struct buf why = {0};
        if (open && rule_preview_refused(&p, made[0], &why))
            rc = err_set(e, ERR_USAGE, _("not applied: %s"), why.p);
        buf_release(&why);
        if (rc == 0 && open)
            decisions_add(&m->inv.decisions, like);
        if (rc == 0 && open)
            rule_preview_mark(&p, m->s.now, &m->inv.decisions, &m->inv.arena);
        rc = rc ? rc : investigation_save(&m->inv, e);
    } else if (rc == 0) {
        buf_cstr(b, _("nothing was changed: --apply applies the rule\n"));
    }
    rule_preview_release(&p);
    for (int s = 0; s < 2; s++) {
        addresses_release(&at[s]);
        buf_release(&text[s]);
    }
    return rc;
}

int cli_mark(const struct options *o)
{
    struct marking m;
    struct buf b = {0};
    struct err e = {0};
    int status = EXIT_ALIGNED;
    ending_catch(NULL);
    if (begin_marking(&m, o, !o->rule || o->apply, true, &e) || check_names(&m, o, &e) ||
        (o->rule ? mark_by_rule(&m, o, &b, &e) : mark_rows(&m, o, &b, &e)))
        status = cli_fail(&e);
    else
        cli_print_clean(&b);
    buf_release(&b);
    end_marking(&m);
    return status;
}

/* ---- marks ---- */

static void list_json(const struct decisions *d, struct buf *b)
{
    struct jsonw w;
    jw_init(&w, b, true);
    jw_result(&w);
    bool *holds = decisions_holding(d);
    jw_kint(&w, "decided", (int64_t)d->now);
    jw_karray(&w, "decisions");
    for (size_t i = 0; i < d->log.n; i++) {
        const struct decision *x = &d->log.v[i];
        jw_object(&w);
        jw_kint(&w, "number", (int64_t)i);
        jw_kcstr(&w, "what", decision_name((enum decision_kind)x->kind));
        jw_kint(&w, "step", x->step);
        jw_kbool(&w, "holds", holds[i]);
        jw_key(&w, "rule");
        decision_of_another((enum decision_kind)x->kind) ? jw_int(&w, x->rule) : jw_null(&w);
        jw_kcstr(&w, "target", *x->side[0] ? x->side[0] : NULL);
        jw_kcstr(&w, "golden", *x->side[1] ? x->side[1] : NULL);
        jw_kcstr(&w, "view", *x->view ? x->view : NULL);
        jw_end_object(&w);
    }
    free(holds);
    jw_end_array(&w);
    jw_end_object(&w);
    buf_char(b, '\n');
}

static void list_decisions(const struct decisions *d, struct buf *b)
{
    bool *holds = decisions_holding(d);
    for (size_t i = 0; i < d->log.n; i++) {
        decision_text(d, i, holds[i], b);
        buf_char(b, '\n');
    }
    if (!d->log.n)
        buf_cstr(b, _("no decisions\n"));
    free(holds);
}

static int withdraw_decision(struct marking *m, int n, struct buf *b, struct err *e)
{
    struct decisions *d = &m->inv.decisions;
    if (!decision_holds(d, (size_t)n))
        return err_set(e, ERR_USAGE, _("--withdraw %d: no decision with this number is in force"), n);
    decisions_add(d, (struct decision){.kind = DECIDE_WITHDRAW, .step = decisions_step(d), .rule = (uint32_t)n,
                                       .side = {"", ""}, .view = ""});
    buf_fmt(b, _("decision %d withdrawn; later decisions are kept\n"), n);
    return investigation_save(&m->inv, e);
}

static int undo_decisions(struct marking *m, int steps, struct buf *b, struct err *e)
{
    int done = 0;
    while (done < steps && decisions_undo(&m->inv.decisions, false))
        done++;
    buf_fmt(b, _("undone: %d of %d; %zu decisions left\n"), done, steps, m->inv.decisions.now);
    return investigation_save(&m->inv, e);
}

static int export_mapping(const struct comparison *s, const struct options *o, struct buf *b, struct err *e)
{
    enum mapping_kind kind;
    struct out out;
    if (mapping_kind_for(o->export_to, o->export_as, &kind, e) || out_file(&out, o->export_to, e))
        return -1;
    if (mapping_write(&out, s, kind, e))
        out.err = *e; /* out_close removes an incomplete file */
    buf_fmt(b, _("written: %s\n"), o->export_to);
    return out_close(&out, e);
}

int cli_marks(const struct options *o)
{
    struct marking m;
    struct buf b = {0};
    struct err e = {0};
    int status = EXIT_ALIGNED;
    ending_catch(NULL);
    bool change = o->undo > 0 || o->withdraw >= 0;
    if (begin_marking(&m, o, change, o->export_to != NULL, &e) ||
        (o->undo > 0 && undo_decisions(&m, o->undo, &b, &e)) ||
        (o->withdraw >= 0 && withdraw_decision(&m, o->withdraw, &b, &e)) ||
        (o->export_to && export_mapping(m.s.now, o, &b, &e))) {
        status = cli_fail(&e);
    } else if (!change && !o->export_to) {
        if (o->json)
            list_json(&m.inv.decisions, &b);
        else
            list_decisions(&m.inv.decisions, &b);
    }
    if (status == EXIT_ALIGNED)
        o->json && !change && !o->export_to ? cli_print(&b) : cli_print_clean(&b);
    buf_release(&b);
    end_marking(&m);
    return status;
}
