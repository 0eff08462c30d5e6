/* Writes the oracle's results as JSON. */
#include "report/oracle_json.h"

#include <math.h>
#include <stdlib.h>

#include "oracle/oracle_operators.h"
#include "oracle/oracle_text.h"

static void operators_array(struct jsonw *w, const struct oracle_side *s)
{
    struct buf name = {0};
    size_t n;
    struct oracle_operator *x = oracle_operators(s, &n);
    jw_karray(w, "operators");
    for (size_t i = 0; i < n; i++) {
        jw_object(w);
        jw_kcstr(w, "operator", x[i].name);
        jw_kint(w, "calls", x[i].calls);
        jw_kint(w, "recomputed", x[i].recomputed);
        jw_kint(w, "wrong", x[i].wrong);
        jw_kgiven(w, "excess", x[i].worst);
        buf_clear(&name);
        if (x[i].row != NONE)
            dump_row_name(s->dump, x[i].row, &name);
        jw_kcstr(w, "row", x[i].row == NONE ? NULL : name.p);
        jw_end_object(w);
    }
    jw_end_array(w);
    free(x);
    buf_release(&name);
}

static void cover_object(struct jsonw *w, const struct oracle_side *s, bool operators)
{
    struct buf key = {0};
    jw_object(w);
    jw_kint(w, "recomputed", s->cover.recomputed);
    jw_kint(w, "calls", s->cover.calls);
    jw_kobject(w, "arithmetic");
    for (int f = 0; f < ORACLE_FAMILIES; f++)
        for (int d = 0; d < DTYPE_COUNT; d++)
            if (s->seen[f][d]) {
                buf_clear(&key);
                oracle_arithmetic_key(f, (enum dtype)d, &key);
                jw_kcstr(w, key.p, arithmetic_name(s->arithmetic[f][d], (enum dtype)d));
            }
    jw_end_object(w);
    jw_kobject(w, "unknown");
    for (int u = 0; u < UNKNOWN_COUNT; u++)
        if (s->cover.unknown[u])
            jw_kint(w, unknown_text((enum unknown)u), s->cover.unknown[u]);
    jw_end_object(w);
    if (operators)
        operators_array(w, s);
    jw_end_object(w);
    buf_release(&key);
}

void oracle_json_cover(struct jsonw *w, const struct oracle_side *s)
{
    jw_key(w, "oracle");
    cover_object(w, s, true);
}

void oracle_json_summary(struct jsonw *w, const struct oracle *o)
{
    static const char *const sides[] = {"target", "golden", "both"};
    jw_kobject(w, "oracle");
    jw_kcstr(w, "mode", oracle_mode_name(o->of.mode));
    jw_knum(w, "budget", o->of.budget);
    jw_knum(w, "spent", o->spent);
    for (uint32_t i = 0; i < o->sides; i++) {
        jw_key(w, sides[i]);
        cover_object(w, &o->side[i], false);
    }
    jw_kobject(w, "wrong");
    for (int i = 0; i < 3; i++)
        jw_kint(w, sides[i], o->wrong[i]);
    jw_end_object(w);
    jw_end_object(w);
}

static void side_object(struct jsonw *w, const struct oracle_side *s, uint32_t row, const char *key)
{
    const struct oracle_row *r = oracle_side_row(s, row);
    enum unknown u = oracle_side_unknown(s, row);
    jw_key(w, key);
    if (!r && !u) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kgiven(w, "error", r ? r->error : NAN);
    jw_kgiven(w, "bound", r ? r->bound : NAN);
    jw_kgiven(w, "excess", r ? r->excess : NAN);
    jw_kcstr(w, "arithmetic", r ? r->arithmetic : NULL);
    jw_kcstr(w, "rounded", r ? r->rounded : NULL);
    jw_kcstr(w, "unknown", r ? NULL : unknown_text(u));
    jw_end_object(w);
}

static void reason_value(struct jsonw *w, const char *key, const struct dump *d, uint32_t row,
    const struct oracle_because *b)
{
    const struct row *r = row == NONE ? NULL : &d->rows.v[row];
    double number;
    jw_key(w, key);
    if (b->kind == ORACLE_REASON_INPUT)
        jw_null(w);
    else if (b->kind == ORACLE_REASON_DTYPE || (r && r->kind == ROW_TENSOR))
        jw_cstr(w, r ? dtype_table[r->dtype].name : NULL);
    else if (!r)
        str_double(str_of(b->left_out), &number) ? jw_num(w, number) : jw_cstr(w, *b->left_out ? b->left_out : NULL);
    else if (r->kind == ROW_BOOL)
        jw_bool(w, r->stat[STAT_MAX] != 0);
    else if (r->kind == ROW_STR)
        jw_cstr(w, r->text);
    else
        jw_num(w, r->stat[STAT_MAX]);
}

static void condition_object(struct jsonw *w, const struct oracle *o, const struct measure *m,
    const struct judgement *j, uint32_t line)
{
    struct oracle_condition k;
    jw_key(w, "condition");
    if (!oracle_condition_of(o, m, j, line, &k)) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_knum(w, "measured", k.measured);
    jw_knum(w, "estimated", k.estimated);
    jw_kbool(w, "disagree", k.disagree);
    jw_end_object(w);
}

static void because_object(struct jsonw *w, const struct measure *m, const struct oracle_because *b)
{
    struct buf name = {0};
    jw_key(w, "because");
    if (b->kind == ORACLE_REASON_NONE) {
        jw_null(w);
        return;
    }
    int side = b->row[TARGET] == NONE;
    dump_row_name(m->side[side], b->row[side], &name);
    jw_object(w);
    jw_kcstr(w, "kind", oracle_reason_name(b->kind));
    jw_kstr(w, "row", buf_view(&name));
    jw_kcstr(w, "name", *b->name ? b->name : NULL);
    reason_value(w, "target", m->side[TARGET], b->row[TARGET], b);
    reason_value(w, "golden", m->side[GOLDEN], b->row[GOLDEN], b);
    jw_end_object(w);
    buf_release(&name);
}

/* The side on which a fault is more likely to be missed; NULL: neither was sampled. */
static void sampled_object(struct jsonw *w, const struct oracle_row *r)
{
    jw_key(w, "sampled");
    if (!r) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_kgiven(w, "part", r->vectors ? NAN : r->part);
    jw_knum(w, "miss_probability", oracle_row_missed(r));
    jw_end_object(w);
}

static const struct oracle_row *most_missed_sample(const struct oracle_row *const r[2])
{
    const struct oracle_row *found = NULL;
    for (int i = 0; i < 2; i++)
        if (r[i] && oracle_row_is_sampled(r[i]) && (!found || oracle_row_missed(r[i]) > oracle_row_missed(found)))
            found = r[i];
    return found;
}

void oracle_json_row(struct jsonw *w, const struct oracle *o, const struct measure *m, const struct judgement *j,
    uint32_t line)
{
    const uint32_t *row = m->pairing->lines.v[line].row;
    const struct oracle_row *r[2] = {oracle_side_row(&o->side[TARGET], row[TARGET]),
                                     oracle_side_row(&o->side[GOLDEN], row[GOLDEN])};
    const struct oracle_row *said = r[TARGET] ? r[TARGET] : r[GOLDEN];
    struct oracle_because because;
    if (!said)
        return;
    jw_kobject(w, "oracle");
    side_object(w, &o->side[TARGET], row[TARGET], "target");
    side_object(w, &o->side[GOLDEN], row[GOLDEN], "golden");
    jw_kcstr(w, "which", oracle_which_name(oracle_which(o, row)));
    jw_kcstr(w, "operator", said->operator);
    jw_kcstr(w, "formula", said->formula);
    oracle_because_find(o, m, j, line, &because);
    because_object(w, m, &because);
    condition_object(w, o, m, j, line);
    sampled_object(w, most_missed_sample(r));
    jw_end_object(w);
}

void oracle_json_problems(struct jsonw *w, const struct oracle_side *s)
{
    size_t n;
    uint32_t *worst = oracle_worst(s, &n);
    struct buf name = {0}, text = {0};
    for (size_t i = 0; i < n; i++) {
        const struct oracle_row *r = &s->rows.v[worst[i]];
        dump_row_name(s->dump, r->row, &name);
        buf_clear(&text);
        oracle_row_text(r, &text);
        jw_object(w);
        jw_kstr(w, "row", buf_view(&name));
        jw_kcstr(w, "kind", "kernel");
        jw_kstr(w, "detail", buf_view(&text));
        jw_knum(w, "error", r->error);
        jw_knum(w, "bound", r->bound);
        jw_knum(w, "excess", r->excess);
        jw_kcstr(w, "operator", r->operator);
        jw_kcstr(w, "formula", r->formula);
        jw_kcstr(w, "rounded", r->rounded);
        sampled_object(w, oracle_row_is_sampled(r) ? r : NULL);
        jw_end_object(w);
    }
    free(worst);
    buf_release(&name);
    buf_release(&text);
}
