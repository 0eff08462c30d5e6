/* Writes a row of a comparison as JSON: names, verdict, figures, diagnosis, and of several ranks its parts. */
#include "report/compare_json_row.h"

#include <math.h>

#include "diagnose/diagnose.h"
#include "judge/cause.h"
#include "judge/verdict_text.h"
#include "ranks/joined_dump.h"
#include "report/oracle_json.h"
#include "report/row_records_write.h"

#define DIAGNOSED_MOST 256

struct compare_writing compare_writing_of(struct jsonw *w, const struct comparison *s, const struct sanitize *clean)
{
    static const char *const names[ROW_PARTS] = {
        [ROW_HEAD] = "origin confidence verdict",
        [ROW_TOLD] = "told",
        [ROW_FIGURES] = "cosine one_minus_cosine figure.rel_l2 rel_l2 euclid max_abs max_rel one_thousandth five_thousandths",
        [ROW_STATS] = "t.max t.min t.mean t.norm t.nan t.inf t.zero",
    };
    struct compare_writing x = {.w = w, .s = s, .j = s->judged, .m = &s->measure, .clean = clean};
    for (int i = 0; i < ROW_PARTS; i++)
        x.fields[i] = fields_named(names[i], x.field[i]);
    return x;
}

void compare_json_sentence(struct compare_writing *x, const char *text)
{
    struct buf b = {0};
    sanitize_text(x->clean, str_of(text), SANITIZE_JSON, &b);
    x->clean ? jw_str(x->w, buf_view(&b)) : jw_cstr(x->w, text);
    buf_release(&b);
}

void compare_json_name(struct compare_writing *x, int side, uint32_t row, float limit)
{
    if (row == NONE) {
        jw_null(x->w);
        return;
    }
    const struct dump *d = x->m->side[side];
    const struct whole_row *whole = joined_dump_row(d, row);
    buf_clear(&x->name);
    if (whole) /* by the name its rank gave it */
        joined_row_name(joined_dump_rows(d), joined_row_part(whole, limit), &x->name);
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

/* How the rows of joined recordings came together, and of what; both empty where rank is compared with rank. */
static void joined_members(struct compare_writing *x, const struct line *l)
{
    if (!x->job && !joined_dump_rows(x->m->side[TARGET]))
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

/* Of a joined row: that of a part. */
static void shape_or_null(struct jsonw *w, const struct dump *d, uint32_t row)
{
    const struct whole_row *whole = row == NONE ? NULL : joined_dump_row(d, row);
    const struct shape *s = whole ? dump_row_shape(&part_dump(joined_dump_rows(d), &whole->parts.v[0])->dump,
                                                   whole->parts.v[0].row)
                            : row == NONE ? NULL : dump_row_shape(d, row);
    shape_json(w, s);
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

/* The fields of one list; of fields with one per side, the golden side's follows the target's. */
static void keyed_fields(struct compare_writing *x, const struct field_line *l, enum row_part part, int side)
{
    for (size_t i = 0; i < x->fields[part]; i++) {
        const struct field *f = x->field[part][i] + side;
        jw_key(x->w, f->key);
        field_or_null(x, l, f);
    }
}

/* Of tensors. */
static void write_row_stats(struct compare_writing *x, const char *key, int side, const struct field_line *l)
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

/* A field of both sides: [target's, golden's]. */
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

/* Data of a second golden run and a reference; these keys are present only with them. */
static void write_third_runs(struct compare_writing *x, uint32_t i)
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

/* The diagnoses of a line; NULL: not examined. They are kept, because starts are written in several places. */
static const struct diagnoses *line_diagnoses(struct compare_writing *x, uint32_t line)
{
    for (size_t i = 0; i < x->known.n; i++)
        if (x->known.v[i].line == line)
            return &x->known.v[i].of;
    if (!diagnose_possible(x->j, x->m, line) || x->known.n == DIAGNOSED_MOST)
        return NULL;
    struct diagnosed_line fresh = {.line = line};
    diagnose_line(&fresh.of, x->j, x->m, x->s->flow, line);
    vec_push(&x->known, fresh);
    return &x->known.v[x->known.n - 1].of;
}

const struct diagnoses *compare_json_diagnosis(struct compare_writing *x, uint32_t line)
{
    struct jsonw *w = x->w;
    const struct diagnoses *d = line_diagnoses(x, line);
    jw_karray(w, "diagnosis");
    for (int k = 0; d && k < d->n; k++) {
        jw_object(w);
        jw_kcstr(w, "id", diagnosis_name((enum diagnosis_id)d->v[k].id));
        jw_kcstr(w, "side", d->v[k].side == BOTH_SIDES ? NULL : d->v[k].side == TARGET ? "target" : "golden");
        jw_key(w, "evidence");
        compare_json_sentence(x, d->v[k].evidence);
        jw_kcstr(w, "advice", diagnosis_advice(&d->v[k]));
        jw_end_object(w);
    }
    jw_end_array(w);
    return d;
}

void compare_writing_release(struct compare_writing *x)
{
    for (size_t i = 0; i < x->known.n; i++)
        diagnoses_release(&x->known.v[i].of);
    vec_release(&x->known);
    buf_release(&x->name);
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

/* Why the row is as it is, what that rests on, and the start it inherits from. */
static void write_row_cause(struct compare_writing *x, uint32_t line)
{
    const struct line_judgement *l = &x->j->line[line];
    jw_kcstr(x->w, "cause", cause_name((enum cause)l->cause));
    jw_kcstr(x->w, "basis", cause_basis_name((enum cause_basis)l->basis));
    jw_kgiven(x->w, "residual", (double)l->residual);
    jw_kint_if(x->w, "from", l->cause == CAUSE_INHERITED, l->from);
}

void compare_json_row_object(struct compare_writing *x, uint32_t i)
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
    compare_json_name(x, TARGET, l.row[TARGET], x->j->line[i].limit);
    jw_key(w, "golden");
    compare_json_name(x, GOLDEN, l.row[GOLDEN], x->j->line[i].limit);
    keyed_fields(x, &l, ROW_HEAD, 0);
    if (x->s->tabled)
        keyed_fields(x, &l, ROW_TOLD, 0);
    write_row_cause(x, i);
    jw_key(w, "reason");
    compare_json_sentence(x, why.p);
    both_texts(x, &l, "t.dtype");
    jw_kbool(w, "dtype_diff", l.j->flags & LINE_DTYPE_DIFF);
    both_values(x, &l, "shape", shape_or_null);
    both_values(x, &l, "value", value_or_null);
    view_object(w, measure_view(x->m, i));
    jw_kint_if(w, "group", group != NONE, group);
    keyed_fields(x, &l, ROW_FIGURES, 0);
    write_row_stats(x, "target_stats", TARGET, &l);
    write_row_stats(x, "golden_stats", GOLDEN, &l);
    both_texts(x, &l, "t.checksum");
    write_third_runs(x, i);
    compare_json_was(w, x->s, i);
    compare_json_diagnosis(x, i);
    if (comparison_oracle(x->s))
        oracle_json_row(w, comparison_oracle(x->s), x->m, x->j, i);
    joined_members(x, &x->m->pairing->lines.v[i]);
    jw_kint(w, "row", i + 1);
    jw_end_object(w);
    buf_release(&why);
}

bool compare_json_row_wanted(const struct line_judgement *g, enum report_rows rows)
{
    return rows == ROWS_ALL || (rows == ROWS_DEVIATING && verdict_is_bad(g->verdict));
}

void compare_json_row(struct jsonw *w, const struct comparison *s, uint32_t line)
{
    struct compare_writing x = compare_writing_of(w, s, NULL);
    compare_json_row_object(&x, line);
    compare_writing_release(&x);
}

void compare_json_job_row(struct jsonw *w, const struct job_result *r, size_t pair, uint32_t line)
{
    struct compare_writing x = compare_writing_of(w, r->pairs.v[pair].c, NULL);
    x.job = r;
    x.pair = pair;
    compare_json_row_object(&x, line);
    compare_writing_release(&x);
}

void compare_json_job_rows(struct jsonw *w, struct out *o, const struct job_result *r, size_t pair,
                           enum report_rows rows)
{
    struct compare_writing x = compare_writing_of(w, r->pairs.v[pair].c, NULL);
    x.job = r;
    x.pair = pair;
    for (uint32_t i = 0; rows != ROWS_NONE && i < x.j->lines; i++)
        if (compare_json_row_wanted(&x.j->line[i], rows)) {
            compare_json_row_object(&x, i);
            out_flow(o);
        }
    compare_writing_release(&x);
}
