/* Finds which weight a gradient belongs to that was saved under a number alone, and gradients that are weights. */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "optimizer/optimizer.h"

#define LEAD 1024 /* elements from the start of each tensor */
#define AGREES 0.75 /* share of elements whose update is against the gradient */
#define CLEARLY 0.1 /* by which the best gradient of a size is better than the next */

/* The first elements of a tensor; their number, 0 if they cannot be read. */
static size_t read_lead(const struct weights *w, uint32_t at, float out[LEAD])
{
    struct tensor t;
    struct tensor_walk walk;
    struct err quiet;
    double wide[LEAD];
    if (weights_tensor(w, at, &t, &quiet))
        return 0;
    size_t n = t.numel < LEAD ? (size_t)t.numel : LEAD;
    tensor_walk_init(&walk, &t);
    bool read = tensor_walk_values(&walk, wide, n, &quiet) == 0;
    for (size_t i = 0; i < n && read; i++)
        out[i] = (float)wide[i];
    tensor_walk_release(&walk);
    tensor_close(&t);
    return read ? n : 0;
}

static bool are_floats_equal(const float *a, const float *b, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (a[i] < b[i] || a[i] > b[i])
            return false;
        any = any || a[i] < 0 || a[i] > 0;
    }
    return any;
}

/* The share of elements that moved against g; a gradient that is the weight itself belongs to it as well. */
static double moved_against(const float *before, const float *after, const float *g, size_t n)
{
    size_t told = 0, against = 0;
    if (are_floats_equal(before, g, n))
        return 1;
    for (size_t i = 0; i < n; i++) {
        double move = (double)after[i] - (double)before[i], product = move * (double)g[i];
        told += product < 0 || product > 0;
        against += product < 0;
    }
    return told ? (double)against / (double)told : 0;
}

/* The gradient that moved weight i from before to after; MAP_NONE: no single one stands out. */
static uint32_t gradient_that_moved(const struct step_side *s, const float (*grads)[LEAD], uint32_t i, uint32_t after)
{
    const struct weights *b = &s->set[STEP_BEFORE], *g = &s->set[STEP_GRAD];
    float from[LEAD], to[LEAD];
    double best = -1, second = -1;
    uint32_t found = MAP_NONE;
    size_t n = read_lead(b, i, from), m = read_lead(&s->set[STEP_AFTER], after, to);
    for (uint32_t k = 0; k < g->list.n && n && n == m; k++) {
        if (!step_weight_readable(&g->list.v[k]) || g->list.v[k].numel != b->list.v[i].numel)
            continue;
        double share = moved_against(from, to, grads[k], n);
        second = share > best ? best : fmax(second, share);
        found = share > best ? k : found;
        best = fmax(best, share);
    }
    return best >= AGREES && best - second >= CLEARLY ? found : MAP_NONE;
}

void step_order(const struct step_side *s, const uint32_t *after, uint32_t *grad)
{
    const struct weights *b = &s->set[STEP_BEFORE], *g = &s->set[STEP_GRAD];
    float(*grads)[LEAD] = mem_zalloc((g->list.n + 1) * sizeof *grads);
    uint32_t *owner = mem_alloc((g->list.n + 1) * sizeof *owner);
    for (uint32_t k = 0; k < g->list.n; k++) {
        owner[k] = MAP_NONE;
        if (step_weight_readable(&g->list.v[k]))
            read_lead(g, k, grads[k]);
    }
    for (uint32_t i = 0; i < b->list.n; i++) {
        grad[i] = step_weight_readable(&b->list.v[i]) && after[i] != MAP_NONE
                  ? gradient_that_moved(s, (const float(*)[LEAD])grads, i, after[i])
                  : MAP_NONE;
        if (grad[i] == MAP_NONE)
            continue;
        if (owner[grad[i]] != MAP_NONE) { /* taken twice: it is neither's for certain */
            grad[owner[grad[i]]] = MAP_NONE;
            grad[i] = MAP_NONE;
        } else {
            owner[grad[i]] = i;
        }
    }
    free(grads);
    free(owner);
}

size_t step_weights_saved(const struct step_side *s, const char **example)
{
    size_t same = 0;
    float a[LEAD], b[LEAD];
    for (size_t i = 0; i < s->params.n; i++) {
        const struct step_param *p = &s->params.v[i];
        size_t n = read_lead(&s->set[STEP_BEFORE], p->at[STEP_BEFORE], a);
        if (!n || read_lead(&s->set[STEP_GRAD], p->at[STEP_GRAD], b) != n || !are_floats_equal(a, b, n))
            continue;
        if (!same++)
            *example = s->set[STEP_GRAD].list.v[p->at[STEP_GRAD]].name.p;
    }
    return same;
}
