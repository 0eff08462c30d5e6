/* Compares one recorded output with candidates of its formula, and chooses the one that explains it best. */
#include "oracle/candidate_trial.h"

#include <math.h>

#include "judge/thresholds.h"
#include "oracle/product.h"
#include "oracle/product_test.h"

#define PROBED_FROM 1e6     /* operations above which candidates are first compared on some rows */
#define TEST_ELEMENTS 0x1p24 /* limit for elements of random vectors and their products held at once */
enum { PROBE_ROWS = 16 };

static int64_t rows_within(const struct product *p, double allowed)
{
    int64_t rows = product_rows(p);
    double each = product_operations(p) / (double)(rows ? rows : 1);
    if (product_operations(p) <= allowed || !rows)
        return rows;
    int64_t n = (int64_t)(allowed / (each > 1 ? each : 1));
    return n < 1 ? 1 : n < rows ? n : rows;
}

/* The number of random vectors for a product that is too large, if enough are affordable; 0: sample rows instead. */
static int vectors_within(const struct product *p, double allowed)
{
    double n = product_operations(p) > allowed ? floor(allowed / product_test_operations(p)) : 0;
    n = fmin(n, floor(TEST_ELEMENTS / fmax(1, (double)p->terms + (double)p->columns)));
    return n < TEST_VECTORS_MOST ? (int)n / TEST_VECTORS_LEAST * TEST_VECTORS_LEAST : TEST_VECTORS_MOST;
}

static int64_t candidate_count(const struct candidate *p)
{
    return p->product ? p->product->batches * p->product->rows * p->product->columns : p->y.count;
}

/* Tries one candidate for one output: a product on at most `probe` rows, 0: as far as affordable. */
void trial_run(const struct trials *j, const struct candidate *p, int output, int64_t probe,
    struct trial *t)
{
    const struct real_tensor *recorded = &j->r->values.output[output];
    struct error_sums e = {.of = {.output = recorded->dtype, .product = p->product || p->squares, .move = p->move,
        .mask = rule_limit(RULE_LIMIT_ORACLE_MASK)}};
    e.of.type = recorded_call_type(j->r, recorded->dtype, &e.of.finer);
    e.of.terms = p->product ? (double)p->product->terms : p->terms;
    *t = (struct trial){.candidate = p, .part = 1};
    if (p->product) {
        int64_t all = product_rows(p->product), within = rows_within(p->product, j->allowed),
                rows = probe && probe < within ? probe : within;
        int vectors = probe ? 0 : vectors_within(p->product, j->allowed);
        if (vectors && product_test(p->product, recorded, vectors, &e))
            t->vectors = vectors;
        else
            product_compare(p->product, recorded, rows, &e, j->r->values.arena);
        t->part = rows < all && !t->vectors ? (double)rows / (double)all : 1;
    } else {
        error_add(&e, &(struct error_elements){p->y.count, p->y.v, recorded->v, p->roundings, p->inside, p->squares});
    }
    error_find(&e, &t->found);
}

bool trial_has_size(const struct trials *j, const struct candidate *p, int output)
{
    int64_t n = candidate_count(p);
    return (p->output == ANY_OUTPUT || p->output == output) && n > 0 && n == j->r->values.output[output].count;
}

double trial_likeness(const struct trial *t)
{
    return t->found.error / fmax(t->found.bound[ARITHMETIC_OWN], 1e-300);
}

/* Whether products have to be distinguished on some rows before the best is computed completely. */
static bool is_probed(const struct trials *j, int output)
{
    double operations = 0;
    int fitting = 0;
    for (int i = 0; i < j->r->values.candidates; i++) {
        const struct candidate *p = &j->r->values.candidate[i];
        if (trial_has_size(j, p, output)) {
            fitting++;
            operations += p->product ? product_operations(p->product) : 0;
        }
    }
    return fitting > 1 && operations > PROBED_FROM;
}

/* The candidate that explains the output best; false if none has its size. */
bool trial_best(const struct trials *j, int output, struct trial *best)
{
    bool probed = is_probed(j, output), found = false;
    for (int i = 0; i < j->r->values.candidates; i++) {
        const struct candidate *p = &j->r->values.candidate[i];
        struct trial t;
        if (!trial_has_size(j, p, output))
            continue;
        trial_run(j, p, output, probed ? PROBE_ROWS : 0, &t);
        if (!found || trial_likeness(&t) < trial_likeness(best))
            *best = t;
        found = true;
    }
    if (found && probed && best->candidate->product)
        trial_run(j, best->candidate, output, 0, best);
    return found;
}

/* The index of the candidate among its formula's; -1: another one. */
int trial_candidate_number(const struct call_values *c, const struct candidate *p)
{
    return c->candidates && p >= c->candidate && p < c->candidate + c->candidates ? (int)(p - c->candidate) : -1;
}
