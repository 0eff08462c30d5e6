/* Writes a comparison as JSON: sides, summary, first deviation, suspects, gaps and rows. doc/cli-json.md is the
 * contract. */
#include <math.h>

#include "judge/suspects.h"
#include "fmt/digest.h"
#include "diagnose/diagnose.h"
#include "judge/verdict_text.h"
#include "pair/gaps.h"
#include "compare/input_doubts.h"
#include "judge/step_inputs.h"
#include "judge/precision.h"
#include "ranks/joined_dump.h"
#include "report/changes_output.h"
#include "report/formats.h"
#include "report/oracle_json.h"
#include "table/field.h"

enum row_part { ROW_HEAD, ROW_FIGURES, ROW_STATS, ROW_PARTS };
#define PART_FIELDS 9

struct compare_writing {
    struct jsonw *w;
    const struct comparison *s;
    const struct judgement *j;
    const struct measure *m;
    const struct sanitize *clean; /* of reports; NULL: paths stay */
    struct buf name;
    uint32_t diagnosed; /* lines examined */
    const struct job_result *job; /* of several ranks: which pair of it this is; or NULL */
    size_t pair;
    const struct field *field[ROW_PARTS][PART_FIELDS];
    size_t fields[ROW_PARTS];
};

#define DIAGNOSED_MOST 256

static struct compare_writing compare_writing(struct jsonw *w, const struct comparison *s, const struct sanitize *clean)
{
    static const char *const names[ROW_PARTS] = {
        [ROW_HEAD] = "origin confidence verdict",
        [ROW_FIGURES] = "cosine one_minus_cosine figure.rel_l2 rel_l2 euclid max_abs max_rel one_thousandth five_thousandths",
        [ROW_STATS] = "t.max t.min t.mean t.norm t.nan t.inf t.zero",
    };
    struct compare_writing x = {.w = w, .s = s, .j = s->judged, .m = &s->measure, .clean = clean};
    for (int i = 0; i < ROW_PARTS; i++)
        x.fields[i] = fields_named(names[i], x.field[i]);
    return x;
}

/* A sentence that may name files. */
static void sentence(struct compare_writing *x, const char *text)
{
    struct buf b = {0};
    sanitize_text(x->clean, str_of(text), SANITIZE_JSON, &b);
    x->clean ? jw_str(x->w, buf_view(&b)) : jw_cstr(x->w, text);
    buf_release(&b);
}

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
static void side(struct compare_writing *x, int which)
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

static void name_or_null(struct compare_writing *x, int side, uint32_t row)
{
    if (row == NONE) {
        jw_null(x->w);
        return;
    }
    const struct dump *d = x->m->side[side];
    const struct whole_row *whole = joined_dump_row(d, row);
    buf_clear(&x->name);
    if (whole) /* by the name its rank gave it */
        joined_row_name(joined_dump_rows(d), joined_row_part(whole), &x->name);
    else
        dump_row_name(d, row, &x->name);
    jw_str(x->w, buf_view(&x->name));
}

static void part_objects(struct compare_writing *x, int side, uint32_t row)
{
    const struct dump *d = x->m->side[side];
    const struct whole_row *whole = row == NONE ? NULL : joined_dump_row(d, row);
    const struct whole_rows *rows = joined_dump_rows(d);
    for (size_t i = 0; whole && i < whole->parts.n; i++) {
        const struct part_row *p = &whole->parts.v[i];
        jw_object(x->w);
        jw_kcstr(x->w, "side", side == TARGET ? "target" : "golden");
        jw_kint(x->w, "step", part_dump(rows, p)->dump.step);
        jw_kint(x->w, "rank", part_dump(rows, p)->rank);
        jw_kint(x->w, "micro", p->micro);
        buf_clear(&x->name);
        joined_row_name(rows, p, &x->name);
        jw_kstr(x->w, "row", buf_view(&x->name));
        jw_kgiven(x->w, "rel_l2", (double)p->error);
        jw_end_object(x->w);
    }
}

static void join_objects(struct compare_writing *x, int side, uint32_t row)
{
    const struct whole_row *whole = row == NONE ? NULL : joined_dump_row(x->m->side[side], row);
    for (int i = 0; whole && i < whole->steps; i++) {
        const struct join_step *s = &whole->step[i];
        jw_object(x->w);
        jw_kcstr(x->w, "by", cut_name((enum cut)s->by));
        jw_kcstr(x->w, "how", join_how_name((enum join_how)s->how));
        jw_kint_if(x->w, "axis", s->axis >= 0, s->axis);
        jw_knum(x->w, "scale", s->by == CUT_DP || s->by == CUT_CP || i + 1 == whole->steps ? whole->scale : 1);
        jw_kint_if(x->w, "keys", s->keys >= 0, s->keys);
        jw_kcstr(x->w, "side", side == TARGET ? "target" : "golden");
        jw_end_object(x->w);
    }
}

/* How the rows of joined recordings came together, and of what. */
static void joined_members(struct compare_writing *x, const struct line *l)
{
    if (!joined_dump_rows(x->m->side[TARGET]))
        return;
    jw_karray(x->w, "join");
    for (int s = 0; s < 2; s++)
        join_objects(x, s, l->row[s]);
    jw_end_array(x->w);
    jw_karray(x->w, "parts");
    for (int s = 0; s < 2; s++)
        part_objects(x, s, l->row[s]);
    jw_end_array(x->w);
}

static void call_name(struct compare_writing *x, const char *key, int side, uint32_t call)
{
    if (call == NONE)
        jw_knull(x->w, key);
    else
        jw_kstr(x->w, key, dump_call_name(x->m->side[side], call));
}

static void shape_or_null(struct jsonw *w, const struct dump *d, uint32_t row)
{
    const struct shape *s = row == NONE ? NULL : dump_row_shape(d, row);
    if (!s) {
        jw_null(w);
        return;
    }
    jw_array(w);
    for (int i = 0; i < s->ndim; i++)
        jw_int(w, s->dim[i]);
    jw_end_array(w);
}

static void value_or_null(struct jsonw *w, const struct dump *d, uint32_t row)
{
    const struct row *r = row == NONE ? NULL : &d->rows.v[row];
    if (!r || r->kind == ROW_TENSOR || r->kind == ROW_NULL)
        jw_null(w);
    else if (r->kind == ROW_BOOL)
        jw_bool(w, r->stat[STAT_MAX] != 0);
    else if (r->kind == ROW_INT && fabs(r->stat[STAT_MAX]) < 0x1p53)
        jw_int(w, (int64_t)r->stat[STAT_MAX]);
    else if (r->kind == ROW_FLOAT)
        jw_num(w, r->stat[STAT_MAX]);
    else
        jw_cstr(w, r->text);
}

static void field_or_null(struct compare_writing *x, const struct field_line *l, const struct field *f)
{
    double v;
    if (f->text) {
        field_text(l, f, &x->name);
        x->name.n ? jw_str(x->w, buf_view(&x->name)) : jw_null(x->w);
    } else {
        field_value(l, f, &v) ? jw_num(x->w, v) : jw_null(x->w);
    }
}

/* Those of one list; of a side's own the golden side's stand behind the target's. */
static void keyed_fields(struct compare_writing *x, const struct field_line *l, enum row_part part, int side)
{
    for (size_t i = 0; i < x->fields[part]; i++) {
        const struct field *f = x->field[part][i] + side;
        jw_key(x->w, f->key);
        field_or_null(x, l, f);
    }
}

/* Of tensors. */
static void stats(struct compare_writing *x, const char *key, int side, const struct field_line *l)
{
    jw_key(x->w, key);
    if (l->row[side] == NONE || x->m->side[side]->rows.v[l->row[side]].kind != ROW_TENSOR) {
        jw_null(x->w);
        return;
    }
    jw_object(x->w);
    keyed_fields(x, l, ROW_STATS, side);
    jw_end_object(x->w);
}

/* What both sides have: [target's, golden's]. */
static void both_texts(struct compare_writing *x, const struct field_line *l, const char *field)
{
    const struct field *f = field_find(str_of(field));
    jw_karray(x->w, f->key);
    field_or_null(x, l, f);
    field_or_null(x, l, f + 1);
    jw_end_array(x->w);
}

static void both_values(struct compare_writing *x, const struct field_line *l, const char *key,
                        void (*put)(struct jsonw *w, const struct dump *d, uint32_t row))
{
    jw_karray(x->w, key);
    for (int s = 0; s < 2; s++)
        put(x->w, x->m->side[s], l->row[s]);
    jw_end_array(x->w);
}

static void view_object(struct jsonw *w, const struct view *v)
{
    jw_key(w, "view");
    if (!v) {
        jw_null(w);
        return;
    }
    const struct view_step *first = &v->step[0];
    bool permute = v->count == 1 && first->op == VIEW_PERMUTE;
    struct buf text = {0};
    view_write(v, &text);
    jw_object(w);
    jw_kcstr(w, "kind", permute ? "permute" : v->count ? "steps" : "reshape");
    jw_kcstr(w, "side", v->side == TARGET ? "target" : "golden");
    jw_key(w, "axes");
    if (permute) {
        jw_array(w);
        for (int i = 0; i < first->n; i++)
            jw_int(w, first->v[i]);
        jw_end_array(w);
    } else {
        jw_null(w);
    }
    jw_kstr(w, "text", buf_view(&text)); /* as `diverge mark --view` takes it */
    jw_end_object(w);
    buf_release(&text);
}

/* What a second golden run and a reference tell of a line; keys that are there with these only. */
static void companions(struct compare_writing *x, uint32_t i)
{
    static const char *const side[] = {"target", "golden"};
    struct jsonw *w = x->w;
    const struct third_run_errors *band = &x->s->golden2, *ref = &x->s->reference;
    const struct line *l = &x->m->pairing->lines.v[i];
    double apart = band->of && l->row[GOLDEN] != NONE ? (double)band->error[GOLDEN][l->row[GOLDEN]] : NAN;
    if (band->of)
        jw_kgiven(w, "noise_band", apart);
    if (!ref->of)
        return;
    jw_kobject(w, "reference");
    for (int s = 0; s < 2; s++) {
        double off = l->row[s] != NONE ? (double)ref->error[s][l->row[s]] : NAN;
        jw_kgiven(w, side[s], off);
    }
    int nearer = third_run_nearer(ref, l->row);
    jw_kcstr(w, "nearer", nearer >= 0 ? side[nearer] : nearer == -1 ? "both" : NULL);
    enum three_way v = third_run_three_way(ref, l->row);
    jw_kcstr(w, "three_way", v == THREE_WAY_PASS ? "pass" : v == THREE_WAY_FAIL ? "fail" : NULL);
    jw_end_object(w);
}

void compare_json_was(struct jsonw *w, const struct comparison *s, uint32_t line)
{
    if (!round_since_knows(&s->since, line))
        return;
    const struct round_row *r = round_since_row(&s->since, line);
    enum change_kind k = round_since_change(s, line);
    jw_key(w, "was");
    if (r) {
        jw_object(w);
        jw_kcstr(w, "verdict", verdict_name((enum verdict)r->verdict));
        jw_kgiven(w, "error", r->error);
        jw_kgiven(w, "confidence", r->confidence);
        jw_end_object(w);
    } else {
        jw_null(w);
    }
    jw_kcstr(w, "change", k == CHANGE_KINDS ? NULL : change_name(k));
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

/* What kind of deviation it is: of as many lines as can be examined in a moment, the first ones of the table. */
static void diagnosis(struct compare_writing *x, uint32_t i)
{
    struct jsonw *w = x->w;
    struct diagnoses d = {.n = 0};
    if (diagnose_possible(x->j, x->m, i) && x->diagnosed < DIAGNOSED_MOST) {
        x->diagnosed++;
        diagnose_line(&d, x->j, x->m, x->s->flow, i);
    }
    jw_karray(w, "diagnosis");
    for (int k = 0; k < d.n; k++) {
        jw_object(w);
        jw_kcstr(w, "id", diagnosis_name((enum diagnosis_id)d.v[k].id));
        jw_kcstr(w, "side", d.v[k].side == BOTH_SIDES ? NULL : d.v[k].side == TARGET ? "target" : "golden");
        jw_key(w, "evidence");
        sentence(x, d.v[k].evidence);
        jw_kcstr(w, "advice", diagnosis_advice((enum diagnosis_id)d.v[k].id));
        jw_end_object(w);
    }
    jw_end_array(w);
    diagnoses_release(&d);
}

/* Of several ranks: where the row is, and the ranks whose part deviates. */
static void rank_members(struct compare_writing *x, uint32_t line)
{
    if (!x->job)
        return;
    rank_list bad = {0};
    const struct job_pair *p = &x->job->pairs.v[x->pair];
    bool wrong = verdict_is_bad((enum verdict)x->j->line[line].verdict);
    if (wrong || p->rank[TARGET] >= 0)
        job_bad_ranks(x->job, x->pair, line, &bad);
    jw_kint(x->w, "step", p->step);
    jw_kint_if(x->w, "rank", bad.n > 0, bad.n ? bad.v[0] : 0);
    jw_karray(x->w, "ranks");
    for (size_t i = 0; wrong && i < bad.n; i++)
        jw_int(x->w, bad.v[i]);
    jw_end_array(x->w);
    vec_release(&bad);
}

static void row_object(struct compare_writing *x, uint32_t i)
{
    struct jsonw *w = x->w;
    const struct field_line l = field_line(x->s, i);
    uint32_t pair = x->m->pairing->lines.v[i].pair, group = pair == NONE ? NONE : x->m->pairing->pairs.v[pair].group;
    struct buf why = {0};
    explain_verdict(x->j, x->m, i, &why);
    jw_object(w);
    jw_kint(w, "order", i);
    rank_members(x, i);
    jw_key(w, "target");
    name_or_null(x, TARGET, l.row[TARGET]);
    jw_key(w, "golden");
    name_or_null(x, GOLDEN, l.row[GOLDEN]);
    keyed_fields(x, &l, ROW_HEAD, 0);
    jw_key(w, "reason");
    sentence(x, why.p);
    both_texts(x, &l, "t.dtype");
    jw_kbool(w, "dtype_diff", l.j->flags & LINE_DTYPE_DIFF);
    both_values(x, &l, "shape", shape_or_null);
    both_values(x, &l, "value", value_or_null);
    view_object(w, measure_view(x->m, i));
    jw_kint_if(w, "group", group != NONE, group);
    keyed_fields(x, &l, ROW_FIGURES, 0);
    stats(x, "target_stats", TARGET, &l);
    stats(x, "golden_stats", GOLDEN, &l);
    both_texts(x, &l, "t.checksum");
    companions(x, i);
    compare_json_was(w, x->s, i);
    diagnosis(x, i);
    if (comparison_oracle(x->s))
        oracle_json_row(w, comparison_oracle(x->s), x->m, x->j, i);
    joined_members(x, &x->m->pairing->lines.v[i]);
    jw_end_object(w);
    buf_release(&why);
}

void compare_json_summary_members(struct jsonw *w, const struct judge_summary *s)
{
    static const enum verdict shown[] = {VERDICT_MATCH, VERDICT_DRIFT, VERDICT_DEVIATE, VERDICT_NONFINITE,
                                         VERDICT_SHAPE, VERDICT_DTYPE, VERDICT_SKIP};
    jw_kint(w, "pairs", s->pairs);
    for (size_t i = 0; i < ARRAY_LEN(shown); i++)
        jw_kint(w, verdict_name(shown[i]), s->by[shown[i]]);
    jw_kint(w, "target_only", s->only[TARGET]);
    jw_kint(w, "golden_only", s->only[GOLDEN]);
    jw_kint(w, "dtype_diff", s->dtype_diff);
    jw_kint(w, "doubtful", s->doubtful);
    jw_kint(w, "ill_conditioned", s->ill);
    jw_kint(w, "unread", s->unread);
    jw_kint(w, "unread_files", s->unread_files);
    jw_kint(w, "known", s->known);
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
static void three_way(struct compare_writing *x)
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

static void summary(struct compare_writing *x)
{
    jw_object(x->w);
    compare_json_summary_members(x->w, &x->j->sum);
    three_way(x);
    if (comparison_oracle(x->s))
        oracle_json_summary(x->w, comparison_oracle(x->s));
    jw_end_object(x->w);
}

static void first(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    const struct judgement *j = x->j;
    jw_key(w, "first_deviation");
    if (j->first == NONE)
        jw_null(w);
    else
        row_object(x, j->first);
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

/* The error that went into a call and came out of it. */
static void passage(struct jsonw *w, struct call_error p)
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

static void suspects(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    jw_karray(w, "suspects");
    for (size_t i = 0; i < x->j->suspects.n && i < 50; i++) {
        const struct suspect *q = &x->j->suspects.v[i];
        const struct line *l = &x->m->pairing->lines.v[q->line];
        struct buf why = {0};
        jw_object(w);
        call_name(x, "target_api", TARGET, q->call);
        uint32_t golden = l->row[GOLDEN];
        call_name(x, "golden_api", GOLDEN, golden == NONE ? NONE : x->m->side[GOLDEN]->rows.v[golden].call);
        jw_knum(w, "score", round(q->score * 1e4) / 1e4);
        explain_verdict(x->j, x->m, q->line, &why);
        jw_kstr(w, "why", buf_view(&why));
        passage(w, call_error_of(x->j, x->m, q->call));
        jw_end_object(w);
        buf_release(&why);
    }
    jw_end_array(w);
}

static void frontier(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    jw_karray(w, "frontier");
    for (size_t i = 0; i < x->j->frontier.n; i++) {
        const struct entry_point *q = &x->j->frontier.v[i];
        const struct line *l = &x->m->pairing->lines.v[q->line];
        jw_object(w);
        call_name(x, "target_api", TARGET, q->call);
        uint32_t golden = l->row[GOLDEN];
        call_name(x, "golden_api", GOLDEN, golden == NONE ? NONE : x->m->side[GOLDEN]->rows.v[golden].call);
        jw_kcstr(w, "kind", entry_point_name(q->kind));
        jw_knum(w, "downstream", round(q->downstream * 1e4) / 1e4);
        jw_kint(w, "order", q->line);
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void precision(struct compare_writing *x)
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

static void inputs(struct compare_writing *x)
{
    struct jsonw *w = x->w;
    const step_input_list *l = &x->s->inputs;
    jw_karray(w, "inputs");
    for (size_t i = 0; i < l->n; i++) {
        struct buf detail = {0};
        step_input_detail(&l->v[i], x->m->side, &detail);
        jw_object(w);
        jw_key(w, "target");
        name_or_null(x, TARGET, l->v[i].row[TARGET]);
        jw_key(w, "golden");
        name_or_null(x, GOLDEN, l->v[i].row[GOLDEN]);
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
    sentence(x, f->file);
    jw_kint(x->w, "line", f->line);
    jw_kcstr(x->w, "function", f->func);
    jw_end_object(x->w);
}

static void gaps(struct compare_writing *x)
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
        name_or_null(x, g->side, x->m->pairing->lines.v[g->line].row[g->side]);
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

static bool shown(const struct line_judgement *g, enum report_rows rows)
{
    return rows == ROWS_ALL || (rows == ROWS_DEVIATING && verdict_is_bad(g->verdict));
}

void compare_json_object(struct jsonw *w, struct out *o, const struct comparison *s, const struct report_options *opt,
                         const struct sanitize *clean)
{
    struct compare_writing x = compare_writing(w, s, clean);
    jw_result(w);
    jw_key(w, "target");
    side(&x, TARGET);
    jw_key(w, "golden");
    side(&x, GOLDEN);
    jw_karray(w, "warnings");
    struct arena sentences = {0};
    input_doubt_list doubts = {0};
    input_doubts_find(s, &sentences, &doubts);
    for (size_t i = 0; i < doubts.n; i++)
        sentence(&x, input_doubts_sentence(&doubts.v[i], &sentences));
    vec_release(&doubts);
    arena_release(&sentences);
    jw_end_array(w);
    jw_key(w, "summary");
    summary(&x);
    round_object(&x);
    first(&x);
    suspects(&x);
    frontier(&x);
    precision(&x);
    inputs(&x);
    gaps(&x);
    jw_karray(w, "rows");
    for (uint32_t i = 0; opt->rows != ROWS_NONE && i < x.j->lines && report_goes_on(opt, o, i, x.j->lines); i++)
        if (shown(&x.j->line[i], opt->rows)) {
            row_object(&x, i);
            out_flow(o);
        }
    jw_end_array(w);
    jw_end_object(w);
    buf_release(&x.name);
}

void compare_json(struct out *o, const struct comparison *s, const struct report_options *opt)
{
    struct jsonw w;
    jw_init(&w, &o->buf, false);
    compare_json_object(&w, o, s, opt, NULL);
    buf_char(&o->buf, '\n');
}

void compare_json_row(struct jsonw *w, const struct comparison *s, uint32_t line)
{
    struct compare_writing x = compare_writing(w, s, NULL);
    row_object(&x, line);
    buf_release(&x.name);
}

void compare_json_brief(struct jsonw *w, const struct comparison *s)
{
    struct compare_writing x = compare_writing(w, s, NULL);
    const struct dump *t = &s->side[TARGET].dump;
    jw_object(w);
    jw_kint_if(w, "step", t->step >= 0, t->step);
    jw_kint_if(w, "rank", t->rank >= 0, t->rank);
    jw_key(w, "target");
    json_side(w, t);
    jw_key(w, "golden");
    json_side(w, &s->side[GOLDEN].dump);
    jw_key(w, "summary");
    summary(&x);
    first(&x);
    jw_end_object(w);
    buf_release(&x.name);
}

void compare_json_job_row(struct jsonw *w, const struct job_result *r, size_t pair, uint32_t line)
{
    struct compare_writing x = compare_writing(w, r->pairs.v[pair].c, NULL);
    x.job = r;
    x.pair = pair;
    row_object(&x, line);
    buf_release(&x.name);
}

void compare_json_job_rows(struct jsonw *w, struct out *o, const struct job_result *r, size_t pair,
                           enum report_rows rows)
{
    struct compare_writing x = compare_writing(w, r->pairs.v[pair].c, NULL);
    x.job = r;
    x.pair = pair;
    for (uint32_t i = 0; rows != ROWS_NONE && i < x.j->lines; i++)
        if (shown(&x.j->line[i], rows)) {
            row_object(&x, i);
            out_flow(o);
        }
    buf_release(&x.name);
}
