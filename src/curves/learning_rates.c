/* The learning rates both logs print, each at the step it is used in: Megatron prints that of the next one. */
#include "curves/curves.h"

#include <math.h>

#include "base/num.h"

#define SAMPLES 4096
#define DIGITS 4 /* no log prints fewer significant digits (Megatron up to core 0.4: %.3E) */

/* The number of significant digits of a run's rates: the most among a few thousand. */
static int printed_rate_digits(const struct series *s)
{
    char text[NUM_MAX];
    size_t every = s->records.n / SAMPLES + 1;
    int most = DIGITS;
    for (size_t i = 0; i < s->records.n; i += every) {
        const struct log_record *r = &s->records.v[i];
        if (!log_has(r, LOG_LR) || !isfinite(r->value[LOG_LR]) || r->value[LOG_LR] == 0)
            continue;
        int n = 0;
        for (const char *p = num_exact(text, r->value[LOG_LR]); *p && *p != 'e'; p++)
            n += *p >= '0' && *p <= '9' && (n || *p != '0');
        most = n > most ? n : most;
    }
    return most;
}

/* Half a unit of the coarser side's last digit, but at least the precision of float32. */
static double rate_tolerance(const struct curves *c)
{
    int a = printed_rate_digits(&c->run[0]), b = printed_rate_digits(&c->run[1]);
    return fmax(0.51 * pow(10, 1 - (a < b ? a : b)), 1e-6);
}

static void compare_learning_rates(struct curves *c, int64_t step, double t, double g, double room)
{
    double rel = t == g ? 0 : fabs(t - g) / fabs(g);
    c->lr.there = true;
    c->lr.steps++;
    c->lr.max_rel = fmax(c->lr.max_rel, rel);
    if (c->lr.first < 0 && !(rel <= room))
        c->lr.first = step;
}

/* A rate that is not a number is none. */
static bool has_rate(const struct log_record *r)
{
    return log_has(r, LOG_LR) && isfinite(r->value[LOG_LR]);
}

void learning_rates_find(struct curves *c)
{
    const struct series *t = &c->run[0], *g = &c->run[1];
    int64_t shift[2] = {t->lr_is_next, g->lr_is_next};
    c->lr = (struct curve_lr){.first = -1};
    double room = rate_tolerance(c);
    if (shift[0] == shift[1] || c->join != JOIN_STEP) {
        for (size_t i = 0; i < c->points.n; i++) {
            const struct log_record *a = curve_record(c, i, 0), *b = curve_record(c, i, 1);
            if (has_rate(a) && has_rate(b))
                compare_learning_rates(c, c->points.v[i].step + shift[0], a->value[LOG_LR], b->value[LOG_LR], room);
        }
    } else {
        for (size_t i = 0, k = 0; i < t->records.n && k < g->records.n;) {
            const struct log_record *a = &t->records.v[i], *b = &g->records.v[k];
            int64_t x = a->step + shift[0], y = b->step + shift[1];
            if (x == y && has_rate(a) && has_rate(b))
                compare_learning_rates(c, x, a->value[LOG_LR], b->value[LOG_LR], room);
            i += x <= y;
            k += y <= x;
        }
    }
    c->lr.equal = c->lr.there && c->lr.first < 0;
}
