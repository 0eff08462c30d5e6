/* The golden call's function on the target's inputs: the golden call keeps its arguments and what was fitted to its
 * output, its tensors are exchanged for the target's. */
#include "oracle/crossed.h"

#include <math.h>
#include <string.h>

#include "oracle/recompute.h"

enum { CROSSED_TENSORS = 256 }; /* calls with more tensors among their arguments are not judged */

/* ---- both calls alike ---- */

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Of tensors only that both are one: their values are the calls' inputs. */
static bool same_value(const struct value *a, const struct value *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case VALUE_NUMBER:
    case VALUE_BOOL:
        return same_number(a->number, b->number);
    case VALUE_TEXT:
    case VALUE_DTYPE:
        return same_text(a->text, b->text);
    case VALUE_SLICE:
        return memcmp(a->slice, b->slice, sizeof a->slice) == 0;
    case VALUE_LIST:
        for (int i = 0; a->items == b->items && i < a->items; i++)
            if (!same_value(&a->item[i], &b->item[i]))
                return false;
        return a->items == b->items;
    case VALUE_NONE:
    case VALUE_TENSOR:
    case VALUE_ELLIPSIS:
        break;
    }
    return true;
}

static bool same_named(const struct named_value *a, int n, const struct named_value *b, int m)
{
    for (int i = 0; n == m && i < n; i++)
        if (strcmp(a[i].name, b[i].name) != 0 || !same_value(&a[i].value, &b[i].value))
            return false;
    return n == m;
}

static bool same_arguments(const struct call_values *a, const struct call_values *b)
{
    for (int i = 0; a->places == b->places && i < a->places; i++)
        if (!same_value(&a->place[i], &b->place[i]))
            return false;
    return a->places == b->places && a->mindspore == b->mindspore && a->module == b->module &&
           a->backward == b->backward && a->outputs == b->outputs && strcmp(a->operator, b->operator) == 0 &&
           same_named(a->keyword, a->keywords, b->keyword, b->keywords) &&
           same_named(a->parameter, a->parameters, b->parameter, b->parameters);
}

static void add_crossed_row(struct crossed_call *out, uint32_t target, uint32_t golden, double residual)
{
    out->row[out->outputs][TARGET] = target;
    out->row[out->outputs][GOLDEN] = golden;
    out->residual[out->outputs++] = residual;
}

/* Whether both sides' outputs were explained by the same candidate. */
static bool same_candidate(const struct oracle_row *t, const struct oracle_row *g)
{
    return t && g && t->candidate == g->candidate && t->fitted == g->fitted && strcmp(t->formula, g->formula) == 0;
}

bool crossed_alike(const struct oracle_side *const side[2], const uint32_t call[2], struct crossed_call *out)
{
    struct arena a = {0};
    struct recorded_call r[2];
    *out = (struct crossed_call){.outputs = 0};
    for (int s = 0; s < 2; s++)
        recorded_call_open(&r[s], &a, side[s]->dump, call[s]);
    bool alike = same_arguments(&r[TARGET].values, &r[GOLDEN].values);
    for (int i = 0; alike && i < r[TARGET].values.outputs && i < CROSSED_OUTPUTS; i++) {
        uint32_t t = r[TARGET].output_row[i], g = r[GOLDEN].output_row[i];
        const struct oracle_row *x = oracle_side_row(side[TARGET], t), *y = oracle_side_row(side[GOLDEN], g);
        if (!x && !y)
            continue; /* an output that the formula does not speak of */
        alike = same_candidate(x, y);
        if (alike)
            add_crossed_row(out, t, g, x->excess);
    }
    arena_release(&a);
    return alike;
}

/* ---- computed ---- */

/* The tensors among the arguments, in the order in which they were passed. */
struct argument_tensors {
    struct real_tensor *t[CROSSED_TENSORS];
    int n;
};

static void collect_tensor(void *ctx, struct real_tensor *t, uint32_t row)
{
    struct argument_tensors *out = ctx;
    (void)row;
    if (out->n < CROSSED_TENSORS)
        out->t[out->n++] = t;
}

static void collect_arguments(struct call_values *c, struct argument_tensors *out)
{
    out->n = 0;
    call_each_tensor(c, collect_tensor, out);
}

static bool take_tensor(struct real_tensor *g, const struct real_tensor *t)
{
    if (g->axes != t->axes || g->count != t->count || memcmp(g->shape, t->shape, (size_t)g->axes * sizeof *g->shape))
        return false;
    g->v = t->v;
    g->dtype = t->dtype;
    return true;
}

static bool take_list(struct real_tensor *g, int n, const struct real_tensor *t, int m)
{
    for (int i = 0; n == m && i < n; i++)
        if (!take_tensor(&g[i], &t[i]))
            return false;
    return n == m;
}

/* Gives the golden call the target's tensors; false if shapes or numbers differ. */
static bool take_tensors(struct call_values *g, struct call_values *t)
{
    struct argument_tensors a, b;
    collect_arguments(g, &a);
    collect_arguments(t, &b);
    if (a.n != b.n || a.n == CROSSED_TENSORS)
        return false;
    for (int i = 0; i < a.n; i++)
        if (!take_tensor(a.t[i], b.t[i]))
            return false;
    return take_list(g->gradient, g->gradients, t->gradient, t->gradients) &&
           take_list(g->output, g->outputs, t->output, t->outputs) &&
           (g->result == g->output || take_list(g->result, g->results, t->result, t->results));
}

double crossed_residual(const struct oracle_side *values, const struct call_plan *p, const struct trial *x,
                        enum dtype type)
{
    bool product = x->candidate->product || x->candidate->squares;
    enum arithmetic a = product ? oracle_side_arithmetic(values, p, type) : ARITHMETIC_OWN;
    double bound = isnan(x->found.bound[a]) ? x->found.bound[ARITHMETIC_OWN] : x->found.bound[a];
    return x->found.error == 0 ? 0 : bound > 0 ? x->found.error / bound : INFINITY;
}

const struct candidate *crossed_candidate(const struct trials *j, const struct oracle_row *own, int output)
{
    const struct call_values *c = &j->r->values;
    int at = own ? own->candidate : -1;
    const struct candidate *p = at >= 0 && at < c->candidates ? &c->candidate[at] : NULL;
    return p && strncmp(p->formula, own->formula, FORMULA_SHOWN - 1) == 0 && trial_has_size(j, p, output) ? p : NULL;
}

/* Whether an output is zero everywhere: every candidate explains it, as a gradient of one operand or of another. */
static bool is_zero(const struct real_tensor *y)
{
    bool zero = y->v && y->count > 0;
    for (int64_t i = 0; i < y->count && zero; i++)
        zero = y->v[i] == 0;
    return zero;
}

/* The least residual of an output over the candidates of its size from `k` on, up to the one at `end`. */
static double least_residual(const struct oracle_side *values, const struct call_plan *p, const struct trials *j,
                             int output, const struct candidate *k, const struct candidate *end)
{
    const struct recorded_call *g = j->r;
    double least = NAN;
    bool finer;
    enum dtype type = recorded_call_type(g, g->values.output[output].dtype, &finer);
    for (; k < end; k++) {
        struct trial x;
        if (!trial_has_size(j, k, output))
            continue;
        trial_run(j, k, output, 0, &x);
        least = fmin(least, crossed_residual(values, p, &x, type)); /* fmin ignores NaN */
    }
    return least;
}

static void judge_outputs(const struct oracle_side *const side[2], const struct call_plan *p, struct recorded_call *g,
                          const struct recorded_call *t, const bool *zero, struct crossed_call *out)
{
    const struct trials j = {g, INFINITY};
    const struct call_values *c = &g->values;
    for (int i = 0; i < c->outputs && i < CROSSED_OUTPUTS; i++) {
        const struct oracle_row *own = oracle_side_row(side[GOLDEN], g->output_row[i]);
        const struct candidate *k = crossed_candidate(&j, own, i);
        if (!k)
            continue;
        double residual = zero[i] ? least_residual(side[TARGET], p, &j, i, c->candidate, c->candidate + c->candidates)
                                  : least_residual(side[TARGET], p, &j, i, k, k + 1);
        add_crossed_row(out, t->output_row[i], g->output_row[i], residual);
    }
}

void crossed_compute(const struct oracle_side *const side[2], struct arena *a, const uint32_t call[2],
                     struct crossed_call *out)
{
    struct recorded_call r[2];
    struct fits fits = {.v = NULL};
    const struct call_plan *p = &side[GOLDEN]->plan[call[GOLDEN]];
    *out = (struct crossed_call){.outputs = 0};
    for (int s = 0; s < 2; s++)
        recompute_open(&r[s], a, side[s]->dump, call[s]);
    struct recorded_call *g = &r[GOLDEN];
    struct call_values *c = &g->values;
    if (c->unknown || r[TARGET].values.unknown || c->backward != r[TARGET].values.backward)
        return;
    bool zero[CROSSED_OUTPUTS];
    for (int i = 0; i < c->outputs && i < CROSSED_OUTPUTS; i++)
        zero[i] = is_zero(&c->output[i]);
    c->fits = &fits;
    recompute_candidates(p, g);
    if (c->unknown || !take_tensors(c, &r[TARGET].values))
        return;
    fits.held = true;
    c->candidates = 0;
    g->types = 0;
    recompute_candidates(p, g);
    if (!c->unknown)
        judge_outputs(side, p, g, &r[TARGET], zero, out);
}
