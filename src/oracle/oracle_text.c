/* Sentences about recomputed rows, their coverage and reasons. */
#include "oracle/oracle_text.h"

#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "oracle/product_test.h"

void oracle_row_text(const struct oracle_row *r, struct buf *out)
{
    char error[NUM_MAX], excess[NUM_MAX];
    if (r->error == 0 && !oracle_row_is_sampled(r)) {
        buf_cstr(out, _("equal to the result recomputed from its own inputs"));
        return;
    }
    buf_fmt(out, _("differs by %s from the result recomputed from its own inputs, %s × the rounding error of "
                   "%s"), num_cell(error, r->error, 2),
            num_cell(excess, r->excess, 2),
            r->arithmetic);
    if (r->rounded)
        buf_fmt(out, _("; every value is exactly representable in %s"), r->rounded);
    if (r->part < 1)
        buf_fmt(out, _("; %.2g %% of its rows recomputed: an error in one row is missed with a probability of %.2g"),
                r->part * 100, oracle_row_missed(r));
    if (r->vectors)
        buf_fmt(out, _("; tested with %d random vectors: an error of %d times the limit is missed with a probability "
                       "of %.1e"), r->vectors, PRODUCT_TEST_TIMES, oracle_row_missed(r));
}

static const char *which_text(enum oracle_which w)
{
    switch (w) {
    case ORACLE_TARGET: return _("the target side is wrong");
    case ORACLE_GOLDEN: return _("the golden side is wrong");
    case ORACLE_BOTH: return _("both sides are wrong");
    case ORACLE_NEITHER: return _("neither side is wrong");
    default: return "";
    }
}

void oracle_line_text(const struct oracle *o, const uint32_t row[2], struct buf *out)
{
    const char *const side[] = {_("target side"), _("golden side")};
    bool any = false;
    for (uint32_t i = 0; i < o->sides; i++) {
        const struct oracle_row *r = oracle_side_row(&o->side[i], row[i]);
        if (!r)
            continue;
        buf_fmt(out, "%s%s: ", any ? "; " : "", side[i]);
        oracle_row_text(r, out);
        any = true;
    }
    enum oracle_which w = o->sides > 1 ? oracle_which(o, row) : ORACLE_NOBODY_KNOWS;
    if (w != ORACLE_NOBODY_KNOWS)
        buf_fmt(out, "; %s", which_text(w));
}

void oracle_cover_text(const struct oracle_side *s, struct buf *out)
{
    char n[NUM_MAX], m[NUM_MAX];
    struct buf key = {0};
    buf_fmt(out, _("%s of %s compute calls recomputed"), num_count(n, s->cover.recomputed),
            num_count(m, s->cover.calls));
    for (int f = 0; f < ORACLE_FAMILIES; f++)
        for (int d = 0; d < DTYPE_COUNT; d++)
            if (s->seen[f][d]) {
                buf_clear(&key);
                oracle_arithmetic_key(f, (enum dtype)d, &key);
                buf_fmt(out, _("; %s in %s"), key.p, arithmetic_name(s->arithmetic[f][d], (enum dtype)d));
            }
    bool any = false;
    for (int u = 0; u < UNKNOWN_COUNT; u++)
        if (s->cover.unknown[u]) {
            buf_fmt(out, "%s%s (%s)", any ? ", " : _("; unknown: "), _(unknown_text((enum unknown)u)),
                    num_count(n, s->cover.unknown[u]));
            any = true;
        }
    buf_release(&key);
}

static void value_text(const struct measure *m, int side, uint32_t row, const char *left_out, struct buf *out)
{
    const struct row *r = row == NONE ? NULL : &m->side[side]->rows.v[row];
    if (r && r->kind == ROW_TENSOR)
        buf_cstr(out, dtype_table[r->dtype].name);
    else
        buf_cstr(out, r && r->text ? r->text : *left_out ? left_out : "-");
}

static void because_text(const struct oracle_because *b, const struct measure *m, struct buf *out)
{
    struct buf name = {0};
    int side = b->row[TARGET] == NONE;
    if (b->kind == ORACLE_REASON_NONE)
        return;
    dump_row_name(m->side[side], b->row[side], &name);
    if (b->kind == ORACLE_REASON_INPUT) {
        buf_fmt(out, _("the input %s differs"), name.p);
    } else {
        buf_fmt(out, b->kind == ORACLE_REASON_DTYPE ? _("the element type of %s differs: target ")
            : _("the argument %s differs: target "), *b->name ? b->name : name.p);
        value_text(m, TARGET, b->row[TARGET], b->left_out, out);
        buf_cstr(out, _(", golden "));
        value_text(m, GOLDEN, b->row[GOLDEN], b->left_out, out);
    }
    buf_release(&name);
}

/* "; its golden inputs moved by noise move its output 12 × as much (estimated: 50 ×, which is not confirmed)" */
static void condition_text_of(const struct oracle_condition *k, struct buf *out)
{
    char measured[NUM_MAX], estimated[NUM_MAX];
    num_cell(measured, k->measured, 2);
    num_cell(estimated, k->estimated, 2);
    if (k->disagree)
        buf_fmt(out, _("; the golden side amplifies input noise %s × (measured); the estimate of %s × is not "
                       "confirmed"), measured, estimated);
    else
        buf_fmt(out, _("; the golden side amplifies input noise %s × (measured; estimated: %s ×)"),
                measured, estimated);
}

void oracle_whole_text(const struct oracle *o, const struct measure *m, const struct judgement *j, uint32_t line,
    struct buf *out)
{
    struct oracle_because because;
    struct oracle_condition condition;
    size_t before = out->n;
    oracle_line_text(o, m->pairing->lines.v[line].row, out);
    if (out->n > before && oracle_condition_of(o, m, j, line, &condition))
        condition_text_of(&condition, out);
    oracle_because_find(o, m, j, line, &because);
    if (out->n == before || because.kind == ORACLE_REASON_NONE)
        return;
    buf_cstr(out, "; ");
    because_text(&because, m, out);
}

/* ---- worst first ---- */

struct ranked {
    double excess;
    uint32_t at;
};

static int worse_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->excess != y->excess)
        return x->excess < y->excess ? 1 : -1;
    return x->at > y->at ? 1 : -1;
}

uint32_t *oracle_worst(const struct oracle_side *s, size_t *n)
{
    struct ranked *r = mem_alloc((s->rows.n + 1) * sizeof *r);
    *n = 0;
    for (size_t i = 0; i < s->rows.n; i++)
        if (s->rows.v[i].said && oracle_row_is_wrong(&s->rows.v[i]))
            r[(*n)++] = (struct ranked){s->rows.v[i].excess, (uint32_t)i};
    qsort(r, *n, sizeof *r, worse_first);
    uint32_t *out = mem_alloc((*n + 1) * sizeof *out);
    for (size_t i = 0; i < *n; i++)
        out[i] = r[i].at;
    free(r);
    return out;
}
