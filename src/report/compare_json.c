/* Writes a comparison as JSON: sides, summary, first deviation, starts, gaps and rows. doc/cli-json.md is the
 * contract. */
#include "report/compare_json_starts.h"

#include <math.h>

#include "judge/judge_summary.h"
#include "fmt/digest.h"
#include "judge/verdict_text.h"
#include "pair/gaps.h"
#include "compare/input_doubts.h"
#include "judge/step_inputs.h"
#include "judge/precision.h"
#include "report/changes_output.h"
#include "report/oracle_json.h"

static void side_fields(struct jsonw *w, const struct dump *d, const char *path)
{
    jw_kcstr(w, "path", path);
    jw_kcstr(w, "format", d->reader->name);
    jw_kcstr(w, "framework", d->framework);
    jw_kcstr(w, "level", d->level);
    jw_kcstr(w, "task", d->task);
    jw_kint_if(w, "step", d->step >= 0, d->step);
    jw_kint_if(w, "rank", d->rank >= 0, d->rank);
    jw_kint(w, "rows", (int64_t)d->rows.n);
    if (dump_is_digest(d))
        json_digest(w, d);
}

void json_digest(struct jsonw *w, const struct dump *d)
{
    jw_kobject(w, "digest");
    jw_kgiven(w, "precision", digest_precision(d));
    jw_end_object(w);
}

void json_side_fields(struct jsonw *w, const struct dump *d)
{
    side_fields(w, d, dump_shown(d));
}

/* With the path as a report shows it. */
static void write_compared_side(struct compare_writing *x, int which)
{
    const struct dump *d = &x->s->side[which].dump;
    struct buf b = {0};
    sanitize_path(x->clean, d->path, &b);
    jw_object(x->w);
    side_fields(x->w, d, x->clean ? b.p : dump_shown(d));
    jw_end_object(x->w);
    buf_release(&b);
}

void json_problem(struct jsonw *w, struct str row, const char *kind, const char *detail)
{
    jw_object(w);
    row.n ? jw_kstr(w, "row", row) : jw_knull(w, "row");
    jw_kcstr(w, "kind", kind);
    jw_kcstr(w, "detail", detail);
    jw_end_object(w);
}

/* {"path":…,"format":…,…}: one side, as in every command's JSON */
static void json_side(struct jsonw *w, const struct dump *d)
{
    jw_object(w);
    json_side_fields(w, d);
    jw_end_object(w);
}

static void write_call_name(struct compare_writing *x, const char *key, int side, uint32_t call)
{
    if (call == NONE)
        jw_knull(x->w, key);
    else
        jw_kstr(x->w, key, dump_call_name(x->m->side[side], call));
}

/* What has changed since that round. */
static void round_object(struct compare_writing *x)
{
    const struct round_since *q = &x->s->since;
    struct jsonw *w = x->w;
    struct buf sentence = {0};
    if (!q->told)
        return;
    changes_sentence(&q->changes, &sentence);
    jw_kobject(w, "round");
    jw_kint(w, "number", q->changes.round[1]);
    jw_kint(w, "before", q->changes.round[0]);
    jw_kbool(w, "comparable", q->changes.comparable);
    jw_kcstr(w, "first", first_fate_name(q->changes.fate));
    jw_kcstr(w, "first_was", *q->changes.first[0] ? q->changes.first[0] : NULL);
    jw_kbool(w, "confirmed", q->changes.confirmed);
    changes_intervention_json(w, &q->changes);
    jw_kstr(w, "sentence", buf_view(&sentence));
    for (int k = 0; k < CHANGE_KINDS; k++)
        jw_kint(w, change_name((enum change_kind)k), q->changes.count[k]);
    jw_end_object(w);
    buf_release(&sentence);
}

void compare_json_summary_members(struct jsonw *w, const struct judge_summary *s)
{
    static const enum verdict shown[] = {VERDICT_MATCH, VERDICT_DRIFT, VERDICT_DEVIATE, VERDICT_NONFINITE,
                                         VERDICT_SHAPE, VERDICT_DTYPE, VERDICT_SKIP};
    jw_kint(w, "pairs", s->pairs);
    for (size_t i = 0; i < ARRAY_LEN(shown); i++)
        jw_kint(w, verdict_name(shown[i]),
                shown[i] == VERDICT_DEVIATE ? verdicts_deviate(s->by) : s->by[shown[i]]);
    jw_kint(w, "target_only", s->only[TARGET]);
    jw_kint(w, "golden_only", s->only[GOLDEN]);
    jw_kint(w, "dtype_diff", s->dtype_diff);
    jw_kint(w, "doubtful", s->doubtful);
    jw_kint(w, "in_doubt", s->in_doubt);
    jw_kint(w, "contradicting", s->contradicting);
    jw_kint(w, "unanswered", s->unanswered);
    jw_kint(w, "ill_conditioned", s->ill);
    jw_kint(w, "unread", s->unread);
    jw_kint(w, "figures_only", s->figures_only);
    jw_kint(w, "checksums_differ", s->other_sums);
    jw_kint(w, "idle_arguments", s->idle);
    jw_kint(w, "types_differ", s->other_types);
    jw_kint(w, "shapes_differ", s->other_shapes);
    jw_kint(w, "requires_grad_differ", s->other_needs);
    jw_kint(w, "unread_files", s->unread_files);
    jw_kint(w, "known", s->known);
    compare_json_causes(w, s);
    jw_kobject(w, "coverage");
    jw_knum(w, "target", s->coverage[TARGET]);
    jw_knum(w, "golden", s->coverage[GOLDEN]);
    jw_end_object(w);
    jw_kobject(w, "paired_by");
    for (int i = 0; i < WHY_COUNT; i++)
        if (i != WHY_UNLIKELY && s->paired_by[i])
            jw_kint(w, pair_why_name((enum pair_why)i),
                    s->paired_by[i] + (i == WHY_ORDER ? s->paired_by[WHY_UNLIKELY] : 0));
    jw_end_object(w);
    jw_kobject(w, "not_recorded");
    for (int d = 0; d < 2; d++) {
        jw_karray(w, d == TARGET ? "target" : "golden");
        for (int r = 0; r < REGION_COUNT; r++)
            if (s->missing[d] >> r & 1)
                jw_cstr(w, region_name((enum region)r));
        jw_end_array(w);
    }
    jw_end_object(w);
}

/* Beside our verdicts, with a reference only. */
static void write_three_way(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    struct buf name = {0};
    if (!x->s->reference.of)
        return;
    struct three_way_sum s = third_run_three_way_sum(&x->s->reference, x->m->pairing);
    if (s.first != NONE)
        dump_row_name(x->m->side[TARGET], x->m->pairing->lines.v[s.first].row[TARGET], &name);
    jw_kobject(w, "three_way");
    jw_knum(w, "limit", (double)THREE_WAY_LIMIT);
    jw_kint(w, "pass", s.pass);
    jw_kint(w, "fail", s.fail);
    jw_kint(w, "untold", s.untold);
    jw_kcstr(w, "first", name.n ? name.p : NULL);
    jw_end_object(w);
    buf_release(&name);
}

static void write_compare_summary(struct compare_writing *x)
{
    jw_object(x->w);
    compare_json_summary_members(x->w, &x->j->sum);
    write_three_way(x);
    if (comparison_oracle(x->s))
        oracle_json_summary(x->w, comparison_oracle(x->s));
    jw_end_object(x->w);
}

static void write_first_deviation(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    const struct judgement *j = x->j;
    jw_key(w, "first_deviation");
    if (j->first == NONE)
        jw_null(w);
    else
        compare_json_row_object(x, j->first);
    jw_kcstr(w, "first_class", j->first == NONE ? NULL : first_class_name(j->first_class));
    jw_key(w, "provisional");
    if (j->first == NONE || !(j->doubtful_before | j->gaps_before | j->unread_before)) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kint(w, "doubtful_before", j->doubtful_before);
    jw_kint(w, "gaps_before", j->gaps_before);
    jw_kint(w, "unread_before", j->unread_before);
    jw_end_object(w);
}

/* The error of a call's inputs and of its outputs. */
static void write_amplification(struct jsonw *w, struct call_error p)
{
    jw_key(w, "amplification");
    if (isnan(p.in) && isnan(p.out)) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kgiven(w, "in", p.in);
    jw_kgiven(w, "out", p.out);
    jw_kgiven(w, "factor", p.factor);
    jw_kcstr(w, "error", call_error_name(call_error_kind(&p)));
    jw_end_object(w);
}

/* The share of the other deviating rows that inherit from a start. */
static double share_of_bad(const struct compare_writing *x, const struct start *q)
{
    const uint32_t *n = x->j->sum.causes;
    uint32_t others = n[CAUSE_STARTS] + n[CAUSE_INHERITED] - 1;
    return others ? round((double)q->inherit / others * 1e4) / 1e4 : 1;
}

static void calls_of_start(struct compare_writing *x, const struct start *q)
{
    for (int s = TARGET; s <= GOLDEN; s++) {
        uint32_t row = x->m->pairing->lines.v[q->line].row[s];
        uint32_t call = row == NONE ? NONE : x->m->side[s]->rows.v[row].call;
        write_call_name(x, s == TARGET ? "target_api" : "golden_api", s, call);
    }
}

/* For programs of before the list of starts: the outputs among them, in its order. */
static void write_suspects(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    jw_karray(w, "suspects");
    for (size_t i = 0; i < x->j->starts.n; i++) {
        const struct start *q = &x->j->starts.v[i];
        struct buf why = {0};
        uint32_t row = x->m->pairing->lines.v[q->line].row[TARGET];
        if (row == NONE || start_class(x->j, x->m, q->line) != FIRST_OUTPUT)
            continue;
        jw_object(w);
        calls_of_start(x, q);
        jw_knum(w, "score", share_of_bad(x, q));
        explain_verdict(x->j, x->m, q->line, &why);
        jw_kstr(w, "why", buf_view(&why));
        write_amplification(w, call_error_of(x->j, x->m, x->m->side[TARGET]->rows.v[row].call));
        jw_end_object(w);
        buf_release(&why);
    }
    jw_end_array(w);
}

/* For the same programs: the starts, with the share of the other deviating rows that inherit from each. */
static void write_frontier(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    jw_karray(w, "frontier");
    for (size_t i = 0; i < x->j->starts.n; i++) {
        const struct start *q = &x->j->starts.v[i];
        enum first_class k = start_class(x->j, x->m, q->line);
        jw_object(w);
        calls_of_start(x, q);
        jw_kcstr(w, "kind", k == FIRST_GAP ? "gap" : k == FIRST_INPUT ? "input" : "output");
        jw_knum(w, "downstream", share_of_bad(x, q));
        jw_kint(w, "order", q->line);
        jw_kint(w, "row", q->line + 1);
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void write_precision(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    struct arena a = {0};
    precision_list l = {0};
    precision_find(x->j, x->m, &a, &l);
    jw_karray(w, "precision");
    for (size_t i = 0; i < l.n; i++) {
        jw_object(w);
        jw_kcstr(w, "scope", l.v[i].scope);
        jw_kint(w, "rows", l.v[i].rows);
        jw_karray(w, "dtype");
        jw_cstr(w, dtype_table[l.v[i].dtype[0]].name);
        jw_cstr(w, dtype_table[l.v[i].dtype[1]].name);
        jw_end_array(w);
        jw_end_object(w);
    }
    jw_end_array(w);
    vec_release(&l);
    arena_release(&a);
}

static void write_factors(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    jw_karray(w, "factors");
    if (x->j->loss_scale != 1) {
        jw_object(w);
        jw_kcstr(w, "of", "gradients");
        jw_knum(w, "factor", x->j->loss_scale);
        jw_kcstr(w, "kind", "loss-scale");
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void write_step_inputs(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    const step_input_list *l = &x->s->inputs;
    jw_karray(w, "inputs");
    for (size_t i = 0; i < l->n; i++) {
        struct buf detail = {0};
        step_input_detail(&l->v[i], x->m->side, &detail);
        jw_object(w);
        jw_key(w, "target");
        compare_json_name(x, TARGET, l->v[i].row[TARGET], INFINITY);
        jw_key(w, "golden");
        compare_json_name(x, GOLDEN, l->v[i].row[GOLDEN], INFINITY);
        jw_kcstr(w, "what", step_input_name(l->v[i].what));
        jw_key(w, "equal");
        l->v[i].equal < 0 ? jw_null(w) : jw_bool(w, l->v[i].equal);
        jw_kstr(w, "detail", buf_view(&detail));
        jw_end_object(w);
        buf_release(&detail);
    }
    jw_end_array(w);
}

static void frame_json(struct compare_writing *x, const char *key, int side, uint32_t frame)
{
    jw_key(x->w, key);
    if (frame == NONE) {
        jw_null(x->w);
        return;
    }
    const struct frame *f = &x->m->side[side]->frames.v[frame];
    jw_object(x->w);
    jw_key(x->w, "file");
    compare_json_sentence(x, f->file);
    jw_kint(x->w, "line", f->line);
    jw_kcstr(x->w, "function", f->func);
    jw_end_object(x->w);
}

static void write_gaps(struct compare_writing *x)
{
    gap_group_list l = {0};
    gaps_group(x->m->pairing, x->m->side, &l);
    jw_karray(x->w, "gaps");
    for (size_t i = 0; i < l.n; i++) {
        const struct gap_group *g = &l.v[i];
        jw_object(x->w);
        jw_kcstr(x->w, "side", g->side == TARGET ? "target" : "golden");
        jw_kint(x->w, "calls", g->calls);
        jw_kint(x->w, "compute", g->compute);
        jw_key(x->w, "first");
        compare_json_name(x, g->side, x->m->pairing->lines.v[g->line].row[g->side], INFINITY);
        frame_json(x, "in", g->side, g->frame);
        frame_json(x, "called_at", g->side, g->caller);
        jw_karray(x->w, "operators");
        for (uint32_t k = 0; k < g->ops && k < GAP_OPERATORS; k++)
            jw_str(x->w, g->op[k]);
        jw_end_array(x->w);
        jw_end_object(x->w);
    }
    jw_end_array(x->w);
    vec_release(&l);
}

void compare_json_object(struct jsonw *w, struct out *o, const struct comparison *s, const struct report_options *opt,
                         const struct sanitize *clean)
{
    struct compare_writing x = compare_writing_of(w, s, clean);
    jw_result(w);
    jw_key(w, "target");
    write_compared_side(&x, TARGET);
    jw_key(w, "golden");
    write_compared_side(&x, GOLDEN);
    jw_karray(w, "warnings");
    struct arena sentences = {0};
    input_doubt_list doubts = {0};
    input_doubts_find(s, &sentences, &doubts);
    for (size_t i = 0; i < doubts.n; i++)
        compare_json_sentence(&x, input_doubts_sentence(&doubts.v[i], &sentences));
    vec_release(&doubts);
    arena_release(&sentences);
    jw_end_array(w);
    jw_key(w, "summary");
    write_compare_summary(&x);
    round_object(&x);
    write_first_deviation(&x);
    compare_json_starts(&x);
    write_suspects(&x);
    write_frontier(&x);
    write_precision(&x);
    write_factors(&x);
    write_step_inputs(&x);
    write_gaps(&x);
    jw_karray(w, "rows");
    for (uint32_t i = 0; opt->rows != ROWS_NONE && i < x.j->lines && report_goes_on(opt, o, i, x.j->lines); i++)
        if (compare_json_row_wanted(&x.j->line[i], opt->rows)) {
            compare_json_row_object(&x, i);
            out_flow(o);
        }
    jw_end_array(w);
    jw_end_object(w);
    compare_writing_release(&x);
}

void compare_json(struct out *o, const struct comparison *s, const struct report_options *opt)
{
    struct jsonw w;
    jw_init(&w, &o->buf, false);
    compare_json_object(&w, o, s, opt, NULL);
    buf_char(&o->buf, '\n');
}

void compare_json_brief(struct jsonw *w, const struct comparison *s)
{
    struct compare_writing x = compare_writing_of(w, s, NULL);
    const struct dump *t = &s->side[TARGET].dump;
    jw_object(w);
    jw_kint_if(w, "step", t->step >= 0, t->step);
    jw_kint_if(w, "rank", t->rank >= 0, t->rank);
    jw_key(w, "target");
    json_side(w, t);
    jw_key(w, "golden");
    json_side(w, &s->side[GOLDEN].dump);
    jw_key(w, "summary");
    write_compare_summary(&x);
    write_first_deviation(&x);
    jw_end_object(w);
    compare_writing_release(&x);
}
