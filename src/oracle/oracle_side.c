/* The calls of one side: planned, computed, and judged together, because the side's arithmetic is determined from all
 * of them. */
#include "oracle/oracle_side.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "dump/cut_tensors.h"
#include "dump/family.h"
#include "judge/thresholds.h"
#include "oracle/product_test.h"
#include "oracle/recompute.h"
#include "pair/align_item.h"

enum { DEEPEST = 64 }; /* the deepest nesting of modules */

static void add_held(const struct dump *d, uint8_t *holds, uint32_t call, unsigned bits)
{
    holds[call] |= (uint8_t)bits;
    if (d->calls.v[call].twin != NONE)
        holds[d->calls.v[call].twin] |= (uint8_t)bits;
}

/* What was recorded inside each call (HOLDS_CALLS …). */
static uint8_t *held_inside(const struct dump *d)
{
    uint8_t *holds = mem_zalloc(d->calls.n + 1);
    for (size_t i = 0; i < d->calls.n; i++) {
        uint32_t p = d->calls.v[i].parent;
        if (p != NONE)
            add_held(d, holds, p, HOLDS_CALLS);
        for (int deep = 0; p != NONE && deep < DEEPEST && d->calls.v[i].family == FAMILY_COLLECTIVE; deep++,
            p = d->calls.v[p].parent)
            add_held(d, holds, p, HOLDS_COLLECTIVES);
    }
    return holds;
}

static bool any_output(const struct dump *d)
{
    for (size_t i = 0; i < d->rows.n; i++)
        if (d->rows.v[i].has & HAS_FILE && d->rows.v[i].io == IO_OUTPUT)
            return true;
    return false;
}

/* Marks the plans of operators that have too few forward calls for errors alone to name their arithmetic. */
static void mark_few(struct oracle_side *s)
{
    struct nmap calls = {0}; /* by operator */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < s->dump->calls.n; i++) {
            struct call_plan *p = &s->plan[i];
            if (!p->votes || !p->operator)
                continue;
            uint32_t n = nmap_get(&calls, (uintptr_t)p->operator);
            n = n == MAP_NONE ? 0 : n;
            if (pass)
                p->few = n < rule_limit(RULE_LIMIT_ORACLE_ARITHMETIC);
            else if (s->dump->calls.v[i].phase == PHASE_FORWARD)
                nmap_set(&calls, (uintptr_t)p->operator, n + 1);
        }
    nmap_release(&calls);
}

/* What is recorded inside of a module tells its arithmetic: the module has no vote (call_plan.votes). */
static void find_tellers(struct oracle_side *s)
{
    for (size_t i = 0; i < s->dump->calls.n; i++) {
        uint32_t up = s->dump->calls.v[i].parent;
        const struct operator *own = s->plan[i].operator, *around = up == NONE ? NULL : s->plan[up].operator;
        if (own && around && own->family == around->family && own->family != FORMULA_OTHER)
            s->plan[up].teller = own;
    }
}

void oracle_side_init(struct oracle_side *s, const struct dump *d)
{
    *s = (struct oracle_side){.dump = d};
    if (!any_output(d))
        return;
    uint8_t *holds = held_inside(d);
    s->plan = mem_zalloc((d->calls.n + 1) * sizeof *s->plan);
    s->done = mem_zalloc((d->calls.n + 1) * sizeof *s->done);
    s->begun = mem_zalloc(d->calls.n + 1);
    s->unknown = mem_zalloc(d->calls.n + 1);
    s->of_row = mem_zalloc((d->rows.n + 1) * sizeof *s->of_row);
    for (uint32_t i = 0; i < d->calls.n; i++)
        s->any = call_plan_make(&s->plan[i], d, i, holds[i]) || s->any;
    mark_few(s);
    find_tellers(s);
    free(holds);
}

void oracle_side_release(struct oracle_side *s)
{
    for (size_t i = 0; s->any && i < s->dump->calls.n; i++)
        free(s->done[i].output);
    free(s->plan);
    free(s->done);
    free(s->begun);
    free(s->cut);
    free(s->unknown);
    free(s->of_row);
    vec_release(&s->rows);
    vec_release(&s->by_operator);
    arena_release(&s->arena);
}

void oracle_side_recompute(struct oracle_side *s, struct arena *a, uint32_t call, double allowed)
{
    s->begun[call] = true;
    recompute_call(&s->plan[call], s->dump, a, call, allowed, &s->done[call]);
}

/* ---- arithmetic ---- */

static const struct operator_arithmetic *of_operator(const struct oracle_side *s, const struct operator *o,
                                                     enum dtype type)
{
    for (size_t i = 0; i < s->by_operator.n; i++)
        if (s->by_operator.v[i].operator == o && s->by_operator.v[i].type == type)
            return &s->by_operator.v[i];
    return NULL;
}

static void vote_variant(struct oracle_side *s, uint32_t call)
{
    const struct call_plan *p = &s->plan[call];
    enum arithmetic a;
    for (int i = 0; i < s->done[call].outputs; i++) {
        const struct recomputed_output *o = &s->done[call].output[i];
        if (!o->product || !p->votes || !error_names(&o->found, o->type, &a))
            continue;
        const struct operator_arithmetic *of = of_operator(s, p->operator, o->type);
        size_t at = of ? (size_t)(of - s->by_operator.v) : s->by_operator.n;
        if (!of)
            vec_push(&s->by_operator, ((struct operator_arithmetic){.operator = p->operator, .type = o->type}));
        s->by_operator.v[at].named[a]++;
        s->by_operator.v[at].all++;
        s->by_operator.v[at].tf32 += o->tf32;
    }
}

/* The reduced arithmetic identified most often, if five calls and half of those that identify one agree, or all of
 * them, not one alone, are exactly such products. */
static enum arithmetic most_named(const struct operator_arithmetic *v)
{
    enum arithmetic best = ARITHMETIC_TF32;
    for (int a = ARITHMETIC_TF32; a < ARITHMETIC_COUNT; a++)
        if (v->named[a] > v->named[best])
            best = (enum arithmetic)a;
    bool exactly = v->tf32 == v->all && v->tf32 > 1,
         many = v->named[best] >= rule_limit(RULE_LIMIT_ORACLE_ARITHMETIC) && 2 * v->named[best] >= v->all;
    return exactly || many ? best : ARITHMETIC_OWN;
}

static void read_arithmetic(struct oracle_side *s)
{
    struct operator_arithmetic all[ORACLE_FAMILIES][DTYPE_COUNT] = {0};
    for (uint32_t c = 0; c < s->dump->calls.n; c++) {
        if (!s->done[c].outputs)
            continue;
        vote_variant(s, c);
        for (int i = 0; i < s->done[c].outputs; i++)
            s->seen[s->plan[c].operator->family][s->done[c].output[i].type] |= s->done[c].output[i].product
                && s->plan[c].votes;
    }
    for (size_t i = 0; i < s->by_operator.n; i++) {
        const struct operator_arithmetic *x = &s->by_operator.v[i];
        struct operator_arithmetic *sum = &all[x->operator->family][x->type];
        sum->all += x->all;
        for (int a = 0; a < ARITHMETIC_COUNT; a++)
            sum->named[a] += x->named[a];
    }
    for (int f = 0; f < ORACLE_FAMILIES; f++)
        for (int d = 0; d < DTYPE_COUNT; d++)
            s->arithmetic[f][d] = most_named(&all[f][d]);
}

enum arithmetic oracle_side_arithmetic(const struct oracle_side *s, const struct call_plan *p, enum dtype type)
{
    const struct operator_arithmetic *own = of_operator(s, p->teller ? p->teller : p->operator, type);
    enum arithmetic a = own ? most_named(own) : ARITHMETIC_OWN;
    return a != ARITHMETIC_OWN ? a : s->arithmetic[p->operator->family][type];
}

/* ---- rows ---- */

static double excess_of(double error, double bound)
{
    if (error == 0)
        return 0;
    return bound > 0 ? error / bound : INFINITY;
}

static void add_side_row(struct oracle_side *s, uint32_t call, const struct recomputed_output *o)
{
    enum arithmetic a = o->product ? oracle_side_arithmetic(s, &s->plan[call], o->type) : ARITHMETIC_OWN;
    if (isnan(o->found.bound[a]))
        a = ARITHMETIC_OWN;
    struct oracle_row r = {.row = o->row, .error = o->found.error, .bound = o->found.bound[a], .part = o->part,
        .vectors = o->vectors, .condition = o->condition, .candidate = o->candidate, .fitted = s->done[call].fitted,
        .assumed = s->done[call].assumed, .said = true};
    r.excess = excess_of(r.error, r.bound);
    r.arithmetic = arithmetic_name(a, o->type);
    r.rounded = o->rounded == DTYPE_UNKNOWN ? NULL : dtype_table[o->rounded].name;
    r.operator = arena_cstr(&s->arena, str_of(s->plan[call].name));
    r.formula = arena_cstr(&s->arena, str_of(o->formula));
    vec_push(&s->rows, r);
    s->of_row[o->row] = (uint32_t)s->rows.n;
}

/* ---- classes ---- */

/* A class name alone proves nothing: if none of its modules is explained, it is another class. */
struct class_fit {
    const char *name;
    double best;
};

static int by_class(const void *a, const void *b)
{
    return strcmp(((const struct class_fit *)a)->name, ((const struct class_fit *)b)->name);
}

static bool is_module_row(const struct oracle_side *s, const struct oracle_row *r)
{
    return s->dump->calls.v[s->dump->rows.v[r->row].call].kind == CALL_MODULE;
}

static void refuse_classes(struct oracle_side *s)
{
    VEC(struct class_fit) fits = {0};
    for (size_t i = 0; i < s->rows.n; i++)
        if (is_module_row(s, &s->rows.v[i]))
            vec_push(&fits, ((struct class_fit){s->rows.v[i].operator, s->rows.v[i].excess}));
    vec_sort(&fits, by_class);
    size_t kinds = 0;
    for (size_t i = 0; i < fits.n; i++) {
        if (kinds && strcmp(fits.v[kinds - 1].name, fits.v[i].name) == 0)
            fits.v[kinds - 1].best = fmin(fits.v[kinds - 1].best, fits.v[i].best);
        else
            fits.v[kinds++] = fits.v[i];
    }
    for (size_t i = 0; i < s->rows.n; i++) {
        struct oracle_row *r = &s->rows.v[i];
        struct class_fit key = {r->operator, 0};
        const struct class_fit *fit = is_module_row(s, r) ? bsearch(&key, fits.v, kinds, sizeof key, by_class) : NULL;
        if (fit && fit->best > rule_limit(RULE_LIMIT_ORACLE_HONEST)) {
            r->said = false;
            s->unknown[s->dump->rows.v[r->row].call] = UNKNOWN_UNEXPLAINED_CLASS;
        }
    }
    vec_release(&fits);
}

/* Whether a call computes each element from the ones at its place. */
static bool is_elementwise(const struct call *c)
{
    return c->family == FAMILY_ADD || c->family == FAMILY_MUL || c->family == FAMILY_ELEMENTWISE ||
           c->family == FAMILY_ACTIVATION || c->family == FAMILY_CAST;
}

/* Whether a tensor that a call takes has another shape than its output: where recordings are cut, an axis that is
 * broadcast may be the rest of a longer one. */
static bool output_broadcasts(const struct dump *d, uint32_t call, uint32_t output)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR &&
            d->rows.v[r].shape != d->rows.v[output].shape)
            return true;
    return false;
}

void oracle_side_cut(struct oracle_side *s, uint32_t call)
{
    if (!s->cut)
        s->cut = mem_zalloc(s->dump->calls.n + 1);
    s->cut[call] = true;
}

/* What sums or picks over an axis that was cut is not the function of what was recorded. */
static void refuse_cut(struct oracle_side *s)
{
    for (size_t i = 0; i < s->rows.n; i++) {
        struct oracle_row *r = &s->rows.v[i];
        uint32_t call = s->dump->rows.v[r->row].call;
        if (!oracle_row_is_wrong(r) || !((s->cut && s->cut[call]) || cut_tensors_takes(s->dump, call)) ||
            (is_elementwise(&s->dump->calls.v[call]) && s->dump->calls.v[call].phase == PHASE_FORWARD &&
             !output_broadcasts(s->dump, call, r->row)))
            continue;
        r->said = false;
        s->unknown[call] = UNKNOWN_CUT;
    }
}

/* An argument that was not recorded counts as the default if that explains the outputs; else nothing is known of it. */
static void refuse_assumed(struct oracle_side *s)
{
    for (size_t i = 0; i < s->rows.n; i++) {
        struct oracle_row *r = &s->rows.v[i];
        if (r->assumed && oracle_row_is_wrong(r)) {
            r->said = false;
            s->unknown[s->dump->rows.v[r->row].call] = UNKNOWN_ARGUMENT;
        }
    }
}

static void count_cover(struct oracle_side *s)
{
    for (uint32_t c = 0; c < s->dump->calls.n; c++) {
        if (!s->plan[c].counted)
            continue;
        s->cover.calls++;
        if (s->unknown[c])
            s->cover.unknown[s->unknown[c]]++;
        else
            s->cover.recomputed++;
    }
    for (size_t i = 0; i < s->rows.n; i++)
        s->cover.wrong += s->rows.v[i].said && oracle_row_is_wrong(&s->rows.v[i]) &&
                          !oracle_row_is_recorded_gradient(s, &s->rows.v[i]);
}

void oracle_side_judge(struct oracle_side *s)
{
    if (!s->any)
        return;
    read_arithmetic(s);
    for (uint32_t c = 0; c < s->dump->calls.n; c++) {
        const struct call_plan *p = &s->plan[c];
        struct recomputed_call *x = &s->done[c];
        if (p->looked_at && !x->outputs)
            s->unknown[c] = (uint8_t)(p->unknown ? p->unknown : s->begun[c] ? x->unknown : UNKNOWN_BUDGET);
        for (int i = 0; i < x->outputs; i++)
            add_side_row(s, c, &x->output[i]);
        free(x->output);
        *x = (struct recomputed_call){.output = NULL};
    }
    refuse_classes(s);
    refuse_cut(s);
    refuse_assumed(s);
    count_cover(s);
}

bool oracle_row_is_wrong(const struct oracle_row *r)
{
    return r->excess > rule_limit(RULE_LIMIT_ORACLE_WRONG);
}

bool oracle_row_is_recorded_gradient(const struct oracle_side *s, const struct oracle_row *r)
{
    return s->dump->rows.v[r->row].io == IO_GRADIENT;
}

bool oracle_row_is_sampled(const struct oracle_row *r)
{
    return r->part < 1 || r->vectors;
}

double oracle_row_missed(const struct oracle_row *r)
{
    return r->vectors ? product_test_missed(r->vectors) : 1 - r->part;
}

const struct oracle_row *oracle_side_row(const struct oracle_side *s, uint32_t row)
{
    const struct oracle_row *r = row == NONE || !s->any || !s->of_row[row] ? NULL : &s->rows.v[s->of_row[row] - 1];
    return r && r->said ? r : NULL;
}

enum unknown oracle_side_unknown(const struct oracle_side *s, uint32_t row)
{
    return row == NONE || !s->any ? UNKNOWN_NOT : (enum unknown)s->unknown[s->dump->rows.v[row].call];
}

void oracle_arithmetic_key(int family, enum dtype type, struct buf *out)
{
    static const char *const names[ORACLE_FAMILIES] = {[FORMULA_PRODUCT] = "product",
        [FORMULA_CONVOLUTION] = "convolution"};
    buf_fmt(out, "%s %s", names[family] ? names[family] : "other", dtype_table[type].name);
}
