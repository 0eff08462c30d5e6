/* Spends the budget on calls, those where a deviation starts first, and decides which side of a pair is wrong. */
#include "oracle/oracle.h"

#include <math.h>
#include <stdlib.h>

#include "base/threads.h"
#include "judge/conditioning.h"
#include "judge/pass_rows.h"
#include "judge/thresholds.h"
#include "oracle/crossed_rows.h"
#include "oracle/gradient_sum.h"
#include "oracle/misfits.h"
#include "oracle/product_test.h"
#include "oracle/recompute.h"

/* A call to recompute, with its allowed cost. */
struct oracle_task {
    uint32_t call;
    uint8_t side;
    double allowed;
};
typedef VEC(struct oracle_task) task_list;

struct planning {
    struct oracle *o;
    task_list tasks;
    bool *seen[2]; /* per call */
    double left;
};

/* the share of the remaining budget that one pair of calls may use, so that one large product does not use it all */
#define SHARE_MOST 0.25
#define ROWS_LEAST 2 /* the fewest rows of a sampled product */

/* ---- planning ---- */

static bool call_is_computable(const struct oracle *o, int side, uint32_t call)
{
    return call != NONE && o->side[side].any && o->side[side].plan[call].looked_at && !o->side[side].plan[call].unknown;
}

/* False for a dump without tensors. */
static bool any_computable(const struct oracle *o, const struct dump *const side[2])
{
    for (uint32_t i = 0; i < o->sides; i++)
        for (uint32_t c = 0; o->side[i].any && c < side[i]->calls.n; c++)
            if (call_is_computable(o, (int)i, c))
                return true;
    return false;
}

static void add_task(struct planning *p, int side, uint32_t call, double allowed, double cost)
{
    vec_push(&p->tasks, ((struct oracle_task){call, (uint8_t)side, allowed}));
    p->left -= cost;
    p->o->spent += cost;
}

/* The cost of a call if at most `share` may be spent, and the allowed cost of its products; -1: too expensive. */
static double affordable_cost(const struct call_plan *c, double share, double *allowed)
{
    *allowed = INFINITY;
    if (c->operations <= share)
        return c->operations;
    *allowed = floor(share / c->products);
    if (c->vector_operations > 0 && *allowed > TEST_VECTORS_MOST * c->vector_operations)
        *allowed = TEST_VECTORS_MOST * c->vector_operations;
    return c->row_operations > 0 && *allowed >= ROWS_LEAST * c->row_operations ? *allowed * c->products : -1;
}

static void plan_calls(struct planning *p, const uint32_t call[2])
{
    double cost[2] = {0, 0}, allowed[2], each[2];
    int wanted[2], n = 0;
    for (int i = 0; i < 2; i++) {
        wanted[i] = (uint32_t)i < p->o->sides && call_is_computable(p->o, i, call[i]) && !p->seen[i][call[i]];
        n += wanted[i];
    }
    if (!n)
        return;
    bool whole = p->o->of.mode == ORACLE_ALL;
    for (int i = 0; i < 2; i++)
        if (wanted[i]) {
            const struct call_plan *c = &p->o->side[i].plan[call[i]];
            each[i] = whole ? INFINITY : c->operations <= p->left / n && c->operations <= p->left * SHARE_MOST
                ? c->operations : floor(p->left * SHARE_MOST / n);
            cost[i] = affordable_cost(c, each[i], &allowed[i]);
            if (cost[i] < 0)
                return; /* one side alone is of little use: leave the budget to other pairs */
        }
    for (int i = 0; i < 2; i++)
        if (wanted[i]) {
            p->seen[i][call[i]] = true;
            add_task(p, i, call[i], allowed[i], cost[i]);
        }
}

/* Whether a call computes a row: an output, or the gradient of a parameter. */
static bool is_computed(const struct dump *d, uint32_t row)
{
    return row != NONE && (d->rows.v[row].io == IO_OUTPUT || d->rows.v[row].io == IO_GRADIENT);
}

static void plan_line(struct planning *p, const struct measure *m, uint32_t line)
{
    uint32_t call[2] = {NONE, NONE};
    for (int i = 0; i < 2; i++) {
        uint32_t row = m->pairing->lines.v[line].row[i];
        if (is_computed(m->side[i], row))
            call[i] = m->side[i]->rows.v[row].call;
    }
    plan_calls(p, call);
}

/* The operator's estimated amplification of noise if the line's verdict uses it; otherwise NAN. */
static double estimated_condition(const struct measure *m, const struct judgement *j, uint32_t line)
{
    uint32_t row = m->pairing->lines.v[line].row[GOLDEN];
    if (!(j->line[line].flags & LINE_ILL) || row == NONE || m->side[GOLDEN]->rows.v[row].io != IO_OUTPUT)
        return NAN;
    struct condition c = condition_of(m, m->state, row);
    return c.kind == CONDITION_NONE || condition_is_discrete(c.kind) ? NAN : c.kappa;
}

/* Plans the measurement of condition numbers that verdicts use, on the golden side, as for the estimate. */
static void plan_conditions(struct planning *p, const struct measure *m, const struct judgement *j)
{
    for (uint32_t i = 0; p->o->side[GOLDEN].any && i < j->lines; i++) {
        if (isnan(estimated_condition(m, j, i)))
            continue;
        uint32_t row = m->pairing->lines.v[i].row[GOLDEN];
        struct call_plan *c = &p->o->side[GOLDEN].plan[m->side[GOLDEN]->rows.v[row].call];
        if (!c->moved)
            c->operations *= 2;
        c->moved = true;
    }
}

static void plan_pairs(struct planning *p, const struct measure *m, const struct judgement *j)
{
    plan_conditions(p, m, j);
    for (size_t i = 0; i < j->starts.n; i++)
        plan_line(p, m, j->starts.v[i].line);
    for (uint32_t i = 0; i < j->lines; i++)
        if (verdict_is_bad((enum verdict)j->line[i].verdict))
            plan_line(p, m, i);
    for (uint32_t i = 0; i < m->pairing->lines.n; i++) {
        uint32_t row = m->pairing->lines.v[i].row[TARGET];
        if (row == NONE || m->side[TARGET]->rows.v[row].io != IO_GRADIENT) /* of these only what deviates is asked */
            plan_line(p, m, i);
    }
}

static void plan_alone(struct planning *p, const struct dump *d)
{
    for (uint32_t c = 0; c < d->calls.n; c++)
        if (!d->calls.v[c].gradient)
            plan_calls(p, (const uint32_t[]){c, NONE});
}

/* ---- computing ---- */

#define SPARE_MOST (512u << 20) /* the most bytes kept from finished calls for later ones */
#define ROOM_MOST (256u << 20) /* the most bytes reserved for all calls of a thread; only what is used counts */

struct computing {
    struct oracle *o;
    const task_list *tasks;
    size_t room;             /* bytes, enough for most calls */
    pthread_mutex_t lock;
    VEC(struct arena) spare; /* memory of finished calls, reused by later ones */
};

static struct arena spare_taken(struct computing *c)
{
    struct arena a = {0};
    pthread_mutex_lock(&c->lock);
    if (c->spare.n)
        a = c->spare.v[--c->spare.n];
    pthread_mutex_unlock(&c->lock);
    if (!a.total && c->room)
        arena_reserve(&a, c->room);
    return a;
}

static void compute_task(void *ctx, size_t i)
{
    struct computing *c = ctx;
    const struct oracle_task *t = &c->tasks->v[i];
    struct arena a = spare_taken(c);
    oracle_side_recompute(&c->o->side[t->side], &a, t->call, t->allowed);
    a.total > SPARE_MOST ? arena_release(&a) : arena_clear(&a);
    pthread_mutex_lock(&c->lock);
    vec_push(&c->spare, a);
    pthread_mutex_unlock(&c->lock);
}

/* What the largest call needs, so that each uses the same pages from the beginning. */
static size_t room_for(const struct oracle *o, const task_list *tasks)
{
    double most = 0;
    for (size_t i = 0; i < tasks->n; i++)
        most = fmax(most, o->side[tasks->v[i].side].plan[tasks->v[i].call].bytes);
    return most < ROOM_MOST ? (size_t)most : ROOM_MOST;
}

/* False if *cancel was set meanwhile. */
static bool compute_tasks(struct oracle *o, const task_list *tasks, const atomic_bool *cancel)
{
    struct computing c = {.o = o, .tasks = tasks, .room = room_for(o, tasks), .lock = PTHREAD_MUTEX_INITIALIZER};
    work_crew_run(NULL, o->of.workers, tasks->n, cancel, compute_task, &c);
    for (size_t i = 0; i < c.spare.n; i++)
        arena_release(&c.spare.v[i]);
    vec_release(&c.spare);
    pthread_mutex_destroy(&c.lock);
    return !(cancel && atomic_load(cancel));
}

/* ---- the golden function on the target's inputs ---- */

/* A pair of calls whose residual is computed, by the golden call's arguments or by paired rows. */
struct calls_crossed {
    uint32_t call[2];
    int by_rows_of;          /* the side whose call is computed on the other side's rows; -1: not by rows */
    struct crossed_result result;
    struct crossed_call found;
};

struct crossing {
    struct oracle *o;
    const struct measure *m;
    const struct judgement *judged; /* by levels */
    const struct pairing *pairing;
    const struct oracle_side *side[2];
    VEC(struct calls_crossed) calls;
    struct dataflow flow[2]; /* crossing_flow */
    bool has_flow;
    double left;             /* of the budget */
};

/* What is asked of few recordings only: built when it is. */
static const struct dataflow *crossing_flow(struct crossing *x)
{
    for (int s = 0; s < 2 && !x->has_flow; s++)
        dataflow_build(&x->flow[s], x->m->side[s]);
    x->has_flow = true;
    return x->flow;
}

/* Keeps the residual of rows that are paired with each other and whose golden side explains itself. A golden argument
 * that was taken to be the default, as its output shows, does not say that the target's call is another function. */
static void keep_residual(struct crossing *x, const uint32_t row[2], double residual)
{
    uint32_t line = x->pairing->line_of[TARGET][row[TARGET]];
    const struct oracle_row *g = oracle_side_row(x->side[GOLDEN], row[GOLDEN]);
    if (line == NONE || x->pairing->lines.v[line].row[GOLDEN] != row[GOLDEN] || !g || oracle_row_is_wrong(g))
        return;
    if (!g->assumed || residual <= rule_limit(RULE_LIMIT_ORACLE_WRONG))
        x->o->residual[line] = (float)residual;
}

static void keep_residuals(struct crossing *x, const struct crossed_call *c)
{
    for (int i = 0; i < c->outputs; i++)
        keep_residual(x, c->row[i], c->residual[i]);
}

/* Keeps the residuals by rows that say that both sides compute the same function; and those of a golden call on the
 * tensors of one target call that has them in another shape, whatever they say. */
static void keep_by_rows(struct crossing *x, const struct calls_crossed *c)
{
    for (int i = 0; i < c->found.outputs; i++) {
        const uint32_t *row = c->found.row[i];
        double residual = c->found.residual[i];
        uint32_t line = x->pairing->line_of[TARGET][row[TARGET]];
        if (memcmp(x->pairing->lines.v[line].row, row, 2 * sizeof *row) != 0 || x->o->by_rows[line])
            continue;
        if (residual <= rule_limit(RULE_LIMIT_ORACLE_WRONG)) {
            x->o->residual[line] = (float)residual;
            x->o->by_rows[line] = true;
        } else if (c->by_rows_of == GOLDEN && c->found.one_call && c->found.in_place &&
                   isnan(x->o->residual[line])) {
            keep_residual(x, row, residual);
        }
    }
}

/* Keeps the residual of a golden value that only a later row shares with the target: it speaks if all that it was
 * computed from agrees. */
static void keep_by_reader(struct crossing *x, const struct calls_crossed *c)
{
    if (c->found.outputs == 1 && c->found.in_place)
        keep_by_rows(x, c);
}

static void cross_task(void *ctx, size_t i)
{
    struct crossing *x = ctx;
    struct calls_crossed *c = &x->calls.v[i];
    struct arena a = {0};
    if (c->by_rows_of < 0)
        crossed_compute(x->side, &a, c->call, &c->found);
    else
        crossed_by_rows(&(struct crossed_sides){x->side, x->m, x->judged}, c->by_rows_of, c->call[c->by_rows_of],
            &c->result, &a, &c->found);
    arena_release(&a);
}

/* The calls that compute a line's rows; false if none does. */
static bool computing_pair(const struct crossing *x, uint32_t line, uint32_t call[2])
{
    for (int s = 0; s < 2; s++) {
        uint32_t row = x->pairing->lines.v[line].row[s];
        if (!is_computed(x->m->side[s], row))
            return false;
        call[s] = x->m->side[s]->rows.v[row].call;
    }
    return true;
}

static const struct oracle_row *recomputed_row(const struct crossing *x, int side, uint32_t line)
{
    return oracle_side_row(x->side[side], x->pairing->lines.v[line].row[side]);
}

/* Plans a pair of calls if the budget allows for it. */
static void plan_crossing(struct crossing *x, const uint32_t call[2], int by_rows_of, struct crossed_result result)
{
    int of = by_rows_of < 0 ? GOLDEN : by_rows_of;
    double cost = 2 * x->side[of]->plan[call[of]].operations;
    if (x->o->of.mode != ORACLE_ALL && cost > x->left)
        return;
    x->left -= cost;
    x->o->spent += cost;
    vec_push(&x->calls, ((struct calls_crossed){{call[TARGET], call[GOLDEN]}, by_rows_of, result, {.outputs = 0}}));
}

/* False if *cancel was set meanwhile. */
static bool run_crossings(struct crossing *x, const atomic_bool *cancel)
{
    work_crew_run(NULL, x->o->of.workers, x->calls.n, cancel, cross_task, x);
    return !(cancel && atomic_load(cancel));
}

/* Whether a line holds the result of a module and that of its last part: these take other arguments. */
static bool is_whole_and_part(const struct crossing *x, uint32_t line)
{
    uint32_t pair = x->pairing->lines.v[line].pair;
    return pair != NONE && x->pairing->pairs.v[pair].why == WHY_WHOLE;
}

/* The order of the lines decides who gets what is left of the budget. */
static void plan_by_arguments(struct crossing *x)
{
    uint32_t last[2] = {NONE, NONE}, call[2];
    struct crossed_call alike;
    for (uint32_t i = 0; i < x->m->lines; i++) {
        if (!computing_pair(x, i, call) || !recomputed_row(x, TARGET, i) || !recomputed_row(x, GOLDEN, i) ||
            memcmp(call, last, sizeof last) == 0 || is_whole_and_part(x, i))
            continue;
        memcpy(last, call, sizeof last);
        if (crossed_alike(x->side, call, &alike))
            keep_residuals(x, &alike);
        else
            plan_crossing(x, call, -1, crossed_outputs);
    }
}

/* Lines that are not known to be of one function: the calls of one side that explain themselves, on the other's
 * rows. */
static void plan_by_rows(struct crossing *x, int side)
{
    bool *planned = mem_zalloc(x->m->side[side]->calls.n + 1);
    uint32_t call[2];
    for (uint32_t i = 0; i < x->m->lines; i++) {
        if (x->o->residual[i] <= (float)rule_limit(RULE_LIMIT_ORACLE_WRONG) || !computing_pair(x, i, call) ||
            x->m->side[side]->calls.v[call[side]].gradient)
            continue;
        const struct oracle_row *own = recomputed_row(x, side, i);
        if (own && !oracle_row_is_wrong(own) && !planned[call[side]])
            plan_crossing(x, call, side, crossed_outputs);
        planned[call[side]] = true;
    }
    free(planned);
}

/* Values that go into target calls and deviate: what the golden side computed them in, if the target recorded that in
 * other steps. */
static void plan_by_readers(struct crossing *x)
{
    const struct dump *g = x->m->side[GOLDEN];
    for (uint32_t i = 0; i < x->m->lines; i++) {
        const struct line *l = &x->pairing->lines.v[i];
        if (l->pair == NONE || !line_is_bad(&x->judged->line[i]) || x->o->by_rows[i] ||
            !pass_is_float(&x->m->side[TARGET]->rows.v[l->row[TARGET]], IO_INPUT))
            continue;
        uint32_t made = crossing_flow(x)[GOLDEN].held[l->row[GOLDEN]];
        if (made == NONE || !is_computed(g, made) ||
            x->pairing->lines.v[x->pairing->line_of[GOLDEN][made]].pair != NONE ||
            !shape_same(dump_row_shape(g, made), dump_row_shape(g, l->row[GOLDEN])))
            continue;
        const struct oracle_row *own = oracle_side_row(x->side[GOLDEN], made);
        if (own && !oracle_row_is_wrong(own))
            plan_crossing(x, (const uint32_t[]){NONE, g->rows.v[made].call}, GOLDEN,
                (struct crossed_result){made, i});
    }
}

/* Of an operator, whether one of the side's calls is explained by its formula, forward and backward. */
struct shown_operator {
    const struct operator *operator;
    bool by_phase[2];
};
typedef VEC(struct shown_operator) shown_operators;

/* Tries the entry found last first: there are few operators and many calls of each. */
static bool *shown_entry(shown_operators *l, const struct oracle_side *s, const struct oracle_row *r, size_t *last)
{
    uint32_t call = s->dump->rows.v[r->row].call;
    const struct operator *o = s->plan[call].operator;
    if (*last >= l->n || l->v[*last].operator != o)
        for (*last = 0; *last < l->n && l->v[*last].operator != o; ++*last)
            continue;
    if (*last == l->n)
        vec_push(l, ((struct shown_operator){.operator = o}));
    return &l->v[*last].by_phase[s->dump->calls.v[call].phase == PHASE_BACKWARD];
}

static void find_shown(const struct oracle_side *s, shown_operators *l)
{
    size_t last = 0;
    for (size_t i = 0; i < s->rows.n; i++) {
        const struct oracle_row *r = &s->rows.v[i];
        if (r->said && r->excess <= rule_limit(RULE_LIMIT_ORACLE_HONEST))
            *shown_entry(l, s, r, &last) = true;
    }
}

/* Lines of which one side is wrong by its own inputs, and the other right or not known. Without a partner only the
 * formula speaks: it counts if another call of the operator shows that it is this one's. */
static void find_own_wrong(struct crossing *x)
{
    shown_operators shown[2] = {{0}, {0}};
    x->o->own_wrong = mem_zalloc((x->m->lines + 1) * sizeof *x->o->own_wrong);
    for (int s = 0; s < 2; s++)
        find_shown(x->side[s], &shown[s]);
    for (uint32_t i = 0; i < x->m->lines; i++) {
        const struct oracle_row *t = recomputed_row(x, TARGET, i), *g = recomputed_row(x, GOLDEN, i);
        bool wrong = t && oracle_row_is_wrong(t), other = g && oracle_row_is_wrong(g);
        int s = t ? TARGET : GOLDEN;
        size_t last = 0;
        if (wrong != other && (x->pairing->lines.v[i].pair != NONE ||
                               *shown_entry(&shown[s], x->side[s], t ? t : g, &last)))
            x->o->own_wrong[i] = (float)(wrong ? t : g)->error;
    }
    for (int s = 0; s < 2; s++)
        vec_release(&shown[s]);
}

#define SUMS_MOST 256 /* deviating gradients that are added up */
#define SUM_COST 16   /* operations an element: some uses on both sides */
#define SUM_ROWS 2e7  /* looked at for all of them */

/* Whether each side's row of a line is a sum of what the uses of a value return there. Where one side has more uses
 * that return nothing, it may have cut them off. */
static bool is_summed(const struct crossing *x, const struct dataflow flow[2], uint32_t line,
                      struct gradient_work *work, struct summed_gradient *out)
{
    struct arena a = {0};
    bool summed = true;
    int silent[2] = {0};
    *out = (struct summed_gradient){.line = line};
    for (int s = GOLDEN; s >= TARGET && summed; s--) {
        const struct gradient_side g = {s, x->side[s], &flow[s], x->pairing, work};
        summed = gradient_is_sum(&g, &a, x->pairing->lines.v[line].row[s], out, &silent[s]);
    }
    arena_release(&a);
    return summed && silent[TARGET] == silent[GOLDEN];
}

/* Whether a row is a gradient that comes in, or a parameter's. */
static bool may_be_sum(const struct dump *d, uint32_t row)
{
    enum row_io io = (enum row_io)d->rows.v[row].io;
    return io == IO_GRADIENT || (io == IO_INPUT && d->calls.v[d->rows.v[row].call].phase == PHASE_BACKWARD);
}

static bool sum_is_wanted(const struct crossing *x, uint32_t line)
{
    const struct line *l = &x->pairing->lines.v[line];
    return l->pair != NONE && line_is_bad(&x->judged->line[line]) && may_be_sum(x->m->side[TARGET], l->row[TARGET]);
}

static int by_line(const void *a, const void *b)
{
    uint32_t x = ((const struct summed_gradient *)a)->line, y = ((const struct summed_gradient *)b)->line;
    return (x > y) - (x < y);
}

/* Gradients that deviate, and are what nobody recorded adding up: first those whose value no earlier row holds. False
 * if *cancel was set meanwhile. */
static bool find_sums(struct crossing *x, const atomic_bool *cancel)
{
    struct gradient_work work = {SUM_ROWS, cancel};
    int tried = 0;
    for (int held = 0; held < 2; held++)
        for (uint32_t i = 0; i < x->m->lines && tried < SUMS_MOST && gradient_work_goes_on(&work); i++) {
            if (!sum_is_wanted(x, i))
                continue;
            uint32_t row = x->pairing->lines.v[i].row[TARGET];
            const struct dataflow *flow = crossing_flow(x);
            double cost = SUM_COST * (double)dump_row_numel(x->m->side[TARGET], row);
            if ((flow[TARGET].held[row] != NONE) != held || (x->o->of.mode != ORACLE_ALL && cost > x->left))
                continue;
            x->left -= cost;
            x->o->spent += cost;
            tried++;
            struct summed_gradient found;
            if (is_summed(x, flow, i, &work, &found))
                vec_push(&x->o->sums, found);
        }
    if (x->o->sums.n)
        qsort(x->o->sums.v, x->o->sums.n, sizeof *x->o->sums.v, by_line);
    return !(cancel && atomic_load(cancel));
}

/* False if *cancel was set meanwhile. */
static bool cross_sides(struct oracle *o, const struct measure *m, const struct judgement *j, double left,
                        const atomic_bool *cancel)
{
    struct crossing x = {.o = o, .m = m, .judged = j, .pairing = m->pairing,
        .side = {&o->side[TARGET], &o->side[GOLDEN]}, .left = left};
    o->residual = mem_alloc((m->lines + 1) * sizeof *o->residual);
    o->by_rows = mem_zalloc((m->lines + 1) * sizeof *o->by_rows);
    for (uint32_t i = 0; i < m->lines; i++)
        o->residual[i] = NAN;
    find_own_wrong(&x);
    plan_by_arguments(&x);
    bool whole = run_crossings(&x, cancel);
    for (size_t i = 0; whole && i < x.calls.n; i++)
        keep_residuals(&x, &x.calls.v[i].found);
    for (int s = GOLDEN; whole && s >= TARGET; s--) {
        x.calls.n = 0;
        plan_by_rows(&x, s);
        whole = run_crossings(&x, cancel);
        for (size_t i = 0; whole && i < x.calls.n; i++)
            keep_by_rows(&x, &x.calls.v[i]);
    }
    x.calls.n = 0;
    if (whole)
        plan_by_readers(&x);
    whole = whole && run_crossings(&x, cancel);
    for (size_t i = 0; whole && i < x.calls.n; i++)
        keep_by_reader(&x, &x.calls.v[i]);
    vec_release(&x.calls);
    whole = whole && find_sums(&x, cancel);
    for (int s = 0; s < 2 && x.has_flow; s++)
        dataflow_release(&x.flow[s]);
    return whole;
}

/* Leaves the records of parameters' gradients of a side that are no product of what its modules' calls were given to
 * those that speak of one parameter: where most are none, gradients are summed or scaled. */
static void refuse_most_gradients(struct oracle_side *s, bool all)
{
    uint32_t wrong = 0, right = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < s->rows.n; i++) {
            struct oracle_row *r = &s->rows.v[i];
            if (!oracle_row_is_recorded_gradient(s, r))
                continue;
            bool is_wrong = oracle_row_is_wrong(r);
            wrong += !pass && is_wrong;
            right += !pass && !is_wrong;
            r->said &= !pass || !is_wrong || (!all && wrong < right);
        }
}

/* A parameter may be used elsewhere too: its gradient is wrong only where the golden side's is explained. */
static void refuse_gradients(struct oracle *o, const struct measure *m)
{
    refuse_most_gradients(&o->side[GOLDEN], true);
    for (uint32_t i = 0; o->side[TARGET].any && i < m->lines; i++) {
        const uint32_t *row = m->pairing->lines.v[i].row;
        uint32_t at = row[TARGET] == NONE ? 0 : o->side[TARGET].of_row[row[TARGET]];
        if (at && m->side[TARGET]->rows.v[row[TARGET]].io == IO_GRADIENT &&
            !oracle_side_row(&o->side[GOLDEN], row[GOLDEN]))
            o->side[TARGET].rows.v[at - 1].said = false;
    }
    refuse_most_gradients(&o->side[TARGET], false);
}

static void count_wrong(struct oracle *o, const struct pairing *p)
{
    for (size_t i = 0; i < p->lines.n; i++) {
        enum oracle_which w = oracle_which(o, p->lines.v[i].row);
        if (oracle_which_is_wrong(w))
            o->wrong[w - ORACLE_TARGET]++;
    }
}

/* Tells each side which of its calls have tensors that the other side holds whole. */
static void tell_cut(struct oracle *o, const struct pairing *p)
{
    for (uint32_t i = 0; i < p->lines.n; i++) {
        const struct line *l = &p->lines.v[i];
        if (l->pair == NONE || p->pairs.v[l->pair].cut == CUT_NO)
            continue;
        struct oracle_side *cut = &o->side[!p->views.v[p->pairs.v[l->pair].view].side];
        oracle_side_cut(cut, cut->dump->rows.v[l->row[cut == &o->side[GOLDEN]]].call);
    }
}

static struct oracle *oracle_compute(const struct dump *const side[2], const struct measure *m,
                                     const struct judgement *j,
    const struct oracle_options *of, const atomic_bool *cancel)
{
    struct oracle *o = mem_zalloc(sizeof *o);
    struct planning p = {.o = o, .left = of->budget};
    o->of = *of;
    o->sides = side[GOLDEN] ? 2 : 1;
    for (uint32_t i = 0; i < o->sides; i++) {
        oracle_side_init(&o->side[i], side[i]);
        p.seen[i] = mem_zalloc(side[i]->calls.n + 1);
    }
    bool any = any_computable(o, side);
    if (any)
        m ? plan_pairs(&p, m, j) : plan_alone(&p, side[TARGET]);
    bool whole = compute_tasks(o, &p.tasks, cancel);
    if (m)
        tell_cut(o, m->pairing);
    for (uint32_t i = 0; i < o->sides; i++) {
        free(p.seen[i]);
        oracle_side_judge(&o->side[i]);
    }
    vec_release(&p.tasks);
    if (m && any)
        refuse_gradients(o, m);
    if (whole && m && any)
        whole = cross_sides(o, m, j, p.left, cancel);
    if (!whole) {
        oracle_free(o);
        return NULL;
    }
    if (m && any)
        count_wrong(o, m->pairing);
    o->misfit = m ? misfits_find(m, cancel) : NULL;
    return o;
}

struct oracle *oracle_run(const struct measure *m, const struct judgement *j, const struct oracle_options *o,
    const atomic_bool *cancel)
{
    return oracle_compute(m->side, m, j, o, cancel);
}

struct oracle *oracle_run_alone(const struct dump *d, const struct oracle_options *o, const atomic_bool *cancel)
{
    return oracle_compute((const struct dump *const[]){d, NULL}, NULL, NULL, o, cancel);
}

void oracle_free(struct oracle *o)
{
    for (uint32_t i = 0; o && i < o->sides; i++)
        oracle_side_release(&o->side[i]);
    if (o)
        free(o->residual), free(o->by_rows), free(o->own_wrong), free(o->misfit), vec_release(&o->sums);
    free(o);
}

bool oracle_condition_of(const struct oracle *o, const struct measure *m, const struct judgement *j, uint32_t line,
    struct oracle_condition *out)
{
    const struct oracle_row *r = o->sides > 1 ? oracle_side_row(&o->side[GOLDEN], m->pairing->lines.v[line].row[GOLDEN])
        : NULL;
    if (!r || isnan(r->condition))
        return false;
    *out = (struct oracle_condition){.measured = r->condition, .estimated = estimated_condition(m, j, line)};
    if (isnan(out->estimated))
        return false;
    double most = rule_limit(RULE_LIMIT_ORACLE_CONDITION);
    out->disagree = out->measured > most * out->estimated || out->estimated > most * out->measured;
    return true;
}

/* ---- names ---- */

static const char *const modes[] = {[ORACLE_OFF] = "off", [ORACLE_AUTO] = "auto", [ORACLE_ALL] = "all"};

const char *oracle_mode_name(enum oracle_mode m)
{
    return modes[m];
}

int oracle_mode_find(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(modes); i++)
        if (str_is(name, modes[i]))
            return (int)i;
    return -1;
}

bool oracle_which_is_wrong(enum oracle_which w)
{
    return w == ORACLE_TARGET || w == ORACLE_GOLDEN || w == ORACLE_BOTH;
}

const char *oracle_which_name(enum oracle_which w)
{
    static const char *const names[] = {[ORACLE_NOBODY_KNOWS] = NULL, [ORACLE_TARGET] = "target",
        [ORACLE_GOLDEN] = "golden", [ORACLE_BOTH] = "both", [ORACLE_NEITHER] = "neither"};
    return names[w];
}

enum oracle_which oracle_which(const struct oracle *o, const uint32_t row[2])
{
    const struct oracle_row *r[2];
    for (int i = 0; i < 2; i++)
        r[i] = (uint32_t)i < o->sides ? oracle_side_row(&o->side[i], row[i]) : NULL;
    if (!r[0] || !r[1])
        return ORACLE_NOBODY_KNOWS;
    bool t = oracle_row_is_wrong(r[0]), g = oracle_row_is_wrong(r[1]);
    return t && g ? ORACLE_BOTH : t ? ORACLE_TARGET : g ? ORACLE_GOLDEN : ORACLE_NEITHER;
}
