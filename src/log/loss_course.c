/* What the loss of one run does over its whole length: whether it falls at all, stops early or rises again; and whether
 * its gradients overflow. */
#include "log/log_check.h"

#include <math.h>
#include <stdlib.h>

#include "base/median.h"
#include "base/msg.h"
#include "base/num.h"

#define PARTS 20
#define FEWEST 200   /* losses: fewer say nothing of a course */
#define FROM 2.0     /* a loss that starts below has converged before, or is no cross entropy */
#define FALLS 0.01   /* the share by which the lowest part is below the first one, of a loss that falls */
#define UNTRAINED 5.0 /* a loss that starts above is that of drawn weights */
#define LITTLE 0.2   /* the share by which such a loss falls at most that stops after the first quarter of the run */
#define BEGINS 100   /* steps: a log that starts later is the rest of a run */
#define RISES 0.05   /* the share by which the last part is above the lowest one, of a loss that rises again */
#define SIGMA 6.0      /* standard errors of a part's median beyond which a difference is none of noise */

struct parts {
    double median[PARTS], error[PARTS];
    int64_t first[PARTS]; /* step */
};

/* False if there are too few losses, or some are not those of a training that updates weights. */
static bool split_course(const struct series *s, struct parts *p)
{
    VEC(double) loss = {0};
    VEC(int64_t) step = {0};
    bool frozen = true;
    for (size_t i = 0; i < s->records.n; i++) {
        const struct log_record *r = &s->records.v[i];
        frozen = frozen && log_has(r, LOG_LR) && r->value[LOG_LR] == 0;
        if (!log_has(r, LOG_LOSS) || !isfinite(r->value[LOG_LOSS]) || log_skipped(r))
            continue;
        vec_push(&loss, r->value[LOG_LOSS]);
        vec_push(&step, r->step);
    }
    bool enough = loss.n >= FEWEST && !frozen;
    double *scratch = mem_resize_array(NULL, loss.n + 1, sizeof *scratch);
    for (size_t k = 0; enough && k < PARTS; k++) {
        size_t from = k * loss.n / PARTS, n = (k + 1) * loss.n / PARTS - from;
        memcpy(scratch, loss.v + from, n * sizeof *scratch);
        p->median[k] = median_of(scratch, n);
        for (size_t i = 0; i < n; i++)
            scratch[i] = fabs(loss.v[from + i] - p->median[k]);
        p->error[k] = 1.4826 * 1.2533 * median_of(scratch, n) / sqrt((double)n);
        p->first[k] = step.v[from];
    }
    free(scratch);
    vec_release(&loss);
    vec_release(&step);
    return enough;
}

/* Whether the loss falls by less than its noise shows: neither its lowest part nor its last quarter is below the
 * beginning. */
static bool only_noise(const struct parts *p, size_t low)
{
    const size_t quarter = PARTS / 4;
    double fall = 0, error = 0;
    for (size_t k = 0; k < quarter; k++) {
        fall += p->median[k] - p->median[PARTS - 1 - k];
        error = hypot(error, hypot(p->error[k], p->error[PARTS - 1 - k]));
    }
    return fall < SIGMA / 2 * error && p->median[0] - p->median[low] < SIGMA * hypot(p->error[0], p->error[low]);
}

const char *loss_course(const struct series *s, struct arena *text, const char **kind, int64_t *step)
{
    struct parts p;
    size_t low = 0, last = PARTS - 1;
    char a[NUM_MAX], b[NUM_MAX];
    if (!split_course(s, &p) || !(p.median[0] > FROM))
        return NULL;
    for (size_t k = 1; k < PARTS; k++)
        low = p.median[k] < p.median[low] ? k : low;
    double room = SIGMA * hypot(p.error[low], p.error[last]);
    num_cell(a, p.median[low], 4);
    num_cell(b, p.median[last], 4);
    *step = p.first[low];
    if (p.first[0] <= BEGINS && (p.median[low] > (1 - FALLS) * p.median[0] || only_noise(&p, low))) {
        *kind = "not-falling";
        *step = -1;
        return arena_fmt(text, _("the loss does not converge: %s at the start, %s at the end. Check learning rate, "
                                 "data and labels, and whether the weights are updated"),
                         num_cell(a, p.median[0], 4), b);
    }
    if (low < last - 1 && p.median[last] > (1 + RISES) * p.median[low] && p.median[last] - p.median[low] > room) {
        *kind = "rising";
        return arena_fmt(text, _("the loss converged to %s and rises again, to %s at the end: late in training. Check "
                                 "overflow, data and learning rate from here on"), a, b);
    }
    const size_t quarter = PARTS / 4;
    if (p.first[0] <= BEGINS && p.median[0] > UNTRAINED && p.median[low] > (1 - LITTLE) * p.median[0] &&
        p.median[quarter] - p.median[last] < SIGMA * hypot(p.error[quarter], p.error[last])) {
        *kind = "poor";
        *step = p.first[quarter];
        return arena_fmt(text, _("the loss converges poorly: it falls from %s to %s and stays there from here on. "
                                 "Check the learning rate and its schedule, clipping, data, and that every weight is "
                                 "updated"), num_cell(a, p.median[0], 4), b);
    }
    return NULL;
}

#define OFTEN 0.05 /* the share of steps left out beyond which a loss scale is not just being found */

const char *log_overflows(const struct series *s, struct arena *text, int64_t *step)
{
    size_t skipped = 0, scaled = 0;
    double first = NAN, last = NAN;
    char a[NUM_MAX], b[NUM_MAX];
    for (size_t i = 0; i < s->records.n; i++) {
        const struct log_record *r = &s->records.v[i];
        if (log_skipped(r) && !skipped++)
            *step = r->step;
        if (log_has(r, LOG_SCALE)) {
            first = scaled++ ? first : r->value[LOG_SCALE];
            last = r->value[LOG_SCALE];
        }
    }
    if (skipped < 10 || (double)skipped < OFTEN * (double)s->records.n)
        return NULL;
    if (scaled && last < first)
        return arena_fmt(text, _("overflow: %zu of %zu steps were left out, and the loss scale fell from %s to %s. "
                                 "Look for the operator that overflows with an overflow dump"), skipped, s->records.n,
                         num_cell(a, first, 6), num_cell(b, last, 6));
    return arena_fmt(text, _("overflow: %zu of %zu steps were left out. Look for the operator that overflows with an "
                             "overflow dump"), skipped, s->records.n);
}
