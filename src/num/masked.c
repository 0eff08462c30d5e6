/* Finds mask fills in one pass over both tensors with a threshold per side. */
#include "num/masked.h"

#include <math.h>

#include "base/msg.h"

#define BLOCK 1024
#define SHARE 64     /* at least one element in 64 is a fill: a few outliers are not a mask */
#define APART 0.1    /* as a share of the fill: all other elements are at least this far from it */
#define LOWEST (-1e30)

struct masking {
    double threshold[2]; /* elements up to it are fills */
    double lowest[2];    /* of the other elements */
    uint64_t both, one, unlike;
    double error, scale; /* Σ(t−g)², Σg² of the other elements */
};

bool masked_possible(const struct figures *f)
{
    return f->side[0].min <= MASK_FILL && f->side[1].min <= MASK_FILL;
}

/* Half of the lowest element: fill values added to scores vary by the scores. */
static double mask_threshold(double min)
{
    return isinf(min) || min < LOWEST ? LOWEST : min / 2;
}

static void count_masked(struct masking *m, const double *t, const double *g, long n)
{
    for (long i = 0; i < n; i++) {
        bool a = t[i] <= m->threshold[0], b = g[i] <= m->threshold[1];
        m->both += a && b;
        m->one += a != b;
        if (a || b)
            continue;
        m->lowest[0] = fmin(m->lowest[0], t[i]);
        m->lowest[1] = fmin(m->lowest[1], g[i]);
        if (isfinite(t[i]) && isfinite(g[i])) {
            m->error += (t[i] - g[i]) * (t[i] - g[i]);
            m->scale += g[i] * g[i];
        } else {
            m->unlike += !(t[i] == g[i] || (isnan(t[i]) && isnan(g[i])));
        }
    }
}

static int walk_masked(struct masking *m, const struct tensor *t, const struct tensor *g, struct figures_watch *watch,
                       struct err *e)
{
    const struct tensor *side[2] = {t, g};
    struct tensor_walk w[2];
    unsigned char raw[BLOCK * 16];
    double wide[2][BLOCK];
    int rc = 0;
    for (int s = 0; s < 2; s++)
        tensor_walk_init(&w[s], side[s]);
    for (uint64_t at = 0; at < t->numel && rc == 0; at += BLOCK) {
        long got[2] = {0, 0};
        if (watch && atomic_load_explicit(&watch->cancel, memory_order_relaxed))
            rc = err_set(e, ERR_CANCEL, "%s", _("stopped"));
        for (int s = 0; s < 2 && rc == 0; s++) {
            got[s] = tensor_walk_next(&w[s], raw, BLOCK, e);
            if (got[s] < 0)
                rc = -1;
            else
                dtype_to_f64(side[s]->dtype, raw, (size_t)got[s], wide[s]);
        }
        if (rc == 0)
            count_masked(m, wide[0], wide[1], got[0] < got[1] ? got[0] : got[1]);
    }
    for (int s = 0; s < 2; s++)
        tensor_walk_release(&w[s]);
    return rc;
}

int masked_look(const struct tensor *t, const struct tensor *g, struct figures *f, struct figures_watch *watch,
                struct err *e)
{
    struct masking m = {.threshold = {mask_threshold(f->side[0].min), mask_threshold(f->side[1].min)}};
    f->masked = 0;
    if (walk_masked(&m, t, g, watch, e))
        return -1;
    bool apart = m.lowest[0] > APART * m.threshold[0] && m.lowest[1] > APART * m.threshold[1];
    if (m.one || m.unlike || !apart || m.both < 2 || m.both < t->numel / SHARE)
        return 0;
    f->masked = m.both;
    f->unmasked = m.scale > 0 ? sqrt(m.error / m.scale) : m.error > 0 ? INFINITY : 0;
    return 0;
}
