/* Comparisons and the reference-counted parts they share. */
#include "compare/comparison.h"

#include <stdlib.h>

#include "judge/judge.h"

/* Whether the last holder has gone. */
static bool drop_holder(atomic_uint *holders)
{
    return atomic_fetch_sub_explicit(holders, 1, memory_order_acq_rel) == 1;
}

struct recordings *recordings_new(const struct comparison_options *o)
{
    struct recordings *r = mem_zalloc(sizeof *r);
    atomic_init(&r->holders, 1);
    for (int i = 0; i < 2; i++) {
        dump_init(&r->side[i].dump);
        r->side[i].path = o->path[i] ? mem_strdup(o->path[i]) : NULL;
    }
    r->golden2.path = o->golden2;
    r->reference.path = o->reference;
    dump_init(&r->golden2.dump);
    dump_init(&r->reference.dump);
    return r;
}

static struct recordings *recordings_hold(struct recordings *r)
{
    atomic_fetch_add_explicit(&r->holders, 1, memory_order_relaxed);
    return r;
}

void recordings_drop(struct recordings *r)
{
    if (!drop_holder(&r->holders))
        return;
    for (size_t i = 0; i < r->map_count; i++)
        mapping_release(&r->maps[i]);
    free(r->maps);
    third_run_release(&r->golden2);
    third_run_release(&r->reference);
    round_release(&r->before);
    for (int i = 0; i < 2; i++) {
        dataflow_release(&r->flow[i]);
        dump_release(&r->side[i].dump);
        free(r->side[i].path);
    }
    found_trees_release(&r->found);
    free(r);
}

struct paired_rows *paired_rows_new(struct recordings *r)
{
    struct paired_rows *p = mem_zalloc(sizeof *p);
    atomic_init(&p->holders, 1);
    p->recordings = recordings_hold(r);
    return p;
}

static struct paired_rows *paired_rows_hold(struct paired_rows *p)
{
    atomic_fetch_add_explicit(&p->holders, 1, memory_order_relaxed);
    return p;
}

void paired_rows_drop(struct paired_rows *p)
{
    if (!p || !drop_holder(&p->holders))
        return;
    oracle_free(atomic_load(&p->oracle));
    round_join_release(&p->join);
    one_side_release(&p->examined);
    measure_release(&p->measure);
    pairing_release(&p->pairing);
    recordings_drop(p->recordings);
    free(p);
}

static const struct pairing no_pairing;

static uint8_t *copy_bytes(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = mem_alloc(n + 1);
    if (n)
        memcpy(copy, bytes, n);
    return copy;
}

static void take_paired_rows(struct comparison *c, struct paired_rows *p)
{
    c->rows = paired_rows_hold(p);
    c->paired = true;
    c->pairing = &p->pairing;
    c->measure = p->measure;
    c->measure.state = p->measure.state ? copy_bytes(p->measure.state, p->measure.lines) : NULL;
    c->examined = p->examined;
    if (p->examined.known)
        c->examined.known = copy_bytes(p->examined.known, c->side[TARGET].dump.rows.n);
    third_run_errors_take(&c->golden2, &c->recordings->golden2);
    third_run_errors_take(&c->reference, &c->recordings->reference);
}

struct comparison *comparison_new(struct recordings *r, struct paired_rows *p, const struct comparison_options *o)
{
    struct comparison *c = mem_zalloc(sizeof *c);
    atomic_init(&c->holders, 1);
    c->recordings = recordings_hold(r);
    c->opt = *o;
    c->side = r->side;
    c->flow = r->flow;
    c->maps = r->maps;
    c->map_count = r->map_count;
    c->pairing = &no_pairing;
    for (int side = 0; side < 2; side++)
        c->tokens[side] = (struct token_check){.beyond = NONE, .ids = NONE, .labels = NONE};
    c->since = (struct round_since){.before = &r->before, .there = r->before_there, .err = r->before_err};
    if (p)
        take_paired_rows(c, p);
    return c;
}

void comparison_judge(struct comparison *c, uint64_t serial, bool whole)
{
    struct judge_options o = comparison_judge_options(c);
    c->judged = mem_zalloc(sizeof *c->judged);
    judge_run(c->judged, &c->measure, c->measure.state, c->flow, &o);
    c->serial = c->judged->serial = serial;
    round_since_find_changes(c, whole);
    step_inputs_find(&c->measure, c->measure.state, c->flow, &c->inputs);
    for (int side = 0; side < 2 && whole; side++)
        token_check_run(&c->tokens[side], &c->side[side].dump);
}

const struct comparison *comparison_hold(const struct comparison *c)
{
    atomic_fetch_add_explicit(&((struct comparison *)c)->holders, 1, memory_order_relaxed);
    return c;
}

void comparison_drop(const struct comparison *held)
{
    struct comparison *c = (struct comparison *)held;
    if (!c || !drop_holder(&c->holders))
        return;
    if (c->judged)
        judgement_release(c->judged);
    free(c->judged);
    vec_release(&c->inputs);
    changes_release(&c->since.changes);
    third_run_errors_release(&c->golden2);
    third_run_errors_release(&c->reference);
    free(c->measure.state);
    free(c->examined.known);
    paired_rows_drop(c->rows);
    recordings_drop(c->recordings);
    free(c);
}

const struct side_figures *comparison_figures(const struct comparison *c, uint32_t line, int side)
{
    const struct figures *f = c->paired ? measure_figures(&c->measure, line) : NULL;
    if (f)
        return &f->side[side];
    return c->single && c->paired && side == TARGET
               ? one_side_figures(&c->examined, c->pairing->lines.v[line].row[TARGET])
               : NULL;
}

const struct oracle *comparison_oracle(const struct comparison *c)
{
    return c->rows ? atomic_load(&c->rows->oracle) : NULL;
}

bool comparison_deviates(const struct comparison *c)
{
    return c->complete && !c->failed && !c->single && c->paired && c->judged && c->judged->first != NONE;
}

struct judge_options comparison_judge_options(const struct comparison *c)
{
    return (struct judge_options){
        .tol = &c->opt.tol,
        .map_only = c->opt.map_only,
        .exact = c->opt.exact,
        .strict_gaps = c->opt.strict_gaps,
        .strict = c->opt.strict,
        .preset = c->opt.preset,
        .known = c->opt.known,
        .band = c->golden2.error[GOLDEN],
        .residual = comparison_oracle(c) ? comparison_oracle(c)->residual : NULL,
        .by_rows = comparison_oracle(c) ? comparison_oracle(c)->by_rows : NULL,
        .own_wrong = comparison_oracle(c) ? comparison_oracle(c)->own_wrong : NULL,
        .misfit = comparison_oracle(c) ? comparison_oracle(c)->misfit : NULL,
        .sums = comparison_oracle(c) ? comparison_oracle(c)->sums.v : NULL,
        .summed = comparison_oracle(c) ? comparison_oracle(c)->sums.n : 0,
    };
}

struct pairing_options comparison_pairing_options(const struct comparison *c)
{
    return (struct pairing_options){
        .maps = c->maps,
        .map_count = c->map_count,
        .map_only = c->opt.map_only,
    };
}
