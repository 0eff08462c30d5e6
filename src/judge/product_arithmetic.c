/* See product_arithmetic.h. */
#include "judge/product_arithmetic.h"

#include <math.h>
#include <string.h>

#include "dump/family.h"
#include "fmt/weights_dump.h"
#include "judge/recorded_verdict.h"
#include "judge/uncertain_pair.h"

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* What multiplies, so that products with rounded operands may have left noise in its result: calls of such families,
 * and modules of whose calls none was recorded, which may hold products, as do calls of whole modules' functions. */
static void find_multiplying(struct judge_pass *p)
{
    const struct dump *d = p->side[TARGET];
    for (size_t i = 0; i < d->calls.n; i++)
        p->multiplies[i] = family_is_product(d->calls.v[i].family) ||
                           d->calls.v[i].family == FAMILY_MODULE;
    for (size_t i = 0; i < d->calls.n; i++)
        if (d->calls.v[i].parent != NONE && !family_is_product(d->calls.v[d->calls.v[i].parent].family))
            p->multiplies[d->calls.v[i].parent] = false;
}

/* Which kind of product a line's error tells about. */
enum product { PRODUCT_OTHER, PRODUCT_CONV, PRODUCT_MODULE, PRODUCT_KINDS };

/* How much two recorded extremes of one kind differ, relative to their own size: the norm of many elements would hide
 * the noise of a rounded product. NaN: not recorded. */
static double extremes_error(const struct row *t, const struct row *g)
{
    double worst = 0;
    if ((t->has & g->has & (HAS_MAX | HAS_MIN)) != (HAS_MAX | HAS_MIN))
        return NAN;
    for (int stat = STAT_MAX; stat <= STAT_MIN; stat++) {
        double size = fabs(g->stat[stat]);
        worst = fmax(worst, size > 0 ? fabs(t->stat[stat] - g->stat[stat]) / size : 0);
    }
    return isfinite(worst) ? worst : NAN;
}

/* The error of a forward float32 product, of its elements or else of its extremes; NaN: not compared. Two elements say
 * less than all: they show an exact product only if they are as near as those of one (coarse_least). */
static double product_error(const struct judge_pass *p, uint32_t i, enum product *kind)
{
    const struct line *l = &p->m->pairing->lines.v[i];
    bool done = p->state[i] == MEASURE_DONE && p->m->figures[i]->two;
    if (l->pair == NONE)
        return NAN;
    const struct row *t = &p->side[TARGET]->rows.v[l->row[TARGET]], *g = &p->side[GOLDEN]->rows.v[l->row[GOLDEN]];
    const struct call *c = &p->side[TARGET]->calls.v[t->call];
    /* a product with its bias may be one call on the golden side alone */
    bool adds = c->family == FAMILY_ADD && family_is_product(p->side[GOLDEN]->calls.v[g->call].family);
    bool product = t->dtype == DTYPE_F32 && g->dtype == DTYPE_F32 && t->io == IO_OUTPUT && c->phase == PHASE_FORWARD &&
                   (p->multiplies[t->call] || adds);
    if (!product || pair_is_doubtful(p, l))
        return NAN;
    bool other = family_is_product(c->family) || adds;
    *kind = c->family == FAMILY_CONV ? PRODUCT_CONV : other ? PRODUCT_OTHER : PRODUCT_MODULE;
    double e = done ? p->m->figures[i]->rel_l2 : sketches_apart(p, l->row);
    bool figures_alone = !(t->has & g->has & HAS_FILE);
    return isnan(e) && figures_alone ? extremes_error(t, g) * p->tol->coarse / p->tol->coarse_least : e;
}

/* How often products give their results, and weights are held, in a type, the coarser of both sides. */
struct types {
    uint32_t result[DTYPE_COUNT], weight[DTYPE_COUNT], weights;
};

static void count_type(const struct judge_pass *p, uint32_t i, struct types *x)
{
    const uint32_t *row = p->m->pairing->lines.v[i].row;
    if (row[TARGET] == NONE || row[GOLDEN] == NONE)
        return;
    const struct row *t = &p->side[TARGET]->rows.v[row[TARGET]], *g = &p->side[GOLDEN]->rows.v[row[GOLDEN]];
    if (!dtype_is_float(t->dtype) || !dtype_is_float(g->dtype))
        return;
    enum dtype both = dtype_coarser(t->dtype, g->dtype);
    x->result[both] += t->io == IO_OUTPUT && p->multiplies[t->call];
    x->weight[both] += t->io == IO_PARAMETER;
    x->weights += t->io == IO_PARAMETER;
}

#define MOST_WEIGHTS 0.75 /* of the paired ones */

/* The type in which most products give their results: what a pair may differ by comes from it. If one side holds most
 * weights in 16 bits, it is theirs: some products of what is rounded to it may be in float32. */
static enum dtype most_frequent(const struct types *x)
{
    enum dtype most = DTYPE_UNKNOWN;
    for (int d = 0; d < DTYPE_COUNT; d++)
        if (x->result[d] > 0 && (most == DTYPE_UNKNOWN || x->result[d] > x->result[most]))
            most = (enum dtype)d;
    for (int d = 0; d < DTYPE_COUNT; d++)
        if (dtype_table[d].size == 2 && x->weight[d] > MOST_WEIGHTS * x->weights)
            most = (enum dtype)d;
    return most;
}

/* Products with operands rounded to 10 bits have errors of about 3e-4. A matmul with a smaller error shows that this
 * hardware multiplies exactly; a jump at a product is then not its noise. A bias as large as the product
 * leaves less, but never as little as exact products. Convolutions and other products are
 * configured separately (torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32). If only one kind
 * was compared it decides for both; modules whose calls were not recorded decide if neither was; if nothing was,
 * rounding is assumed. The same lines tell the type of most products. */
static void find_arithmetic(struct judge_pass *p)
{
    VEC(float) error[PRODUCT_KINDS] = {{0}, {0}, {0}};
    struct types of = {.weights = 0};
    bool equal_before = false;
    for (uint32_t i = 0; i < p->m->lines; i++) {
        enum product kind = PRODUCT_OTHER;
        double e = product_error(p, i, &kind);
        count_type(p, i, &of);
        /* a module with an equal result may only pass on what it was given, as the first of several hidden states; two
         * in a row do not */
        bool told = kind != PRODUCT_MODULE || e > 0 || equal_before;
        if (!isnan(e) && told)
            vec_push(&error[kind], (float)e);
        if (!isnan(e))
            equal_before = !(e > 0);
    }
    for (int kind = 0; kind < PRODUCT_KINDS; kind++)
        vec_sort(&error[kind], by_size);
    for (int conv = 0; conv < 2; conv++) {
        int kind = error[conv].n ? conv : error[!conv].n ? !conv : PRODUCT_MODULE;
        const float *v = error[kind].v;
        size_t n = error[kind].n;
        /* a module's result may hold what went around its products */
        double least = kind == PRODUCT_MODULE ? p->tol->coarse_least : p->tol->coarse;
        p->coarse[conv] = !n || (double)v[n / 10] >= least ||
                          ((double)v[n / 2] >= p->tol->coarse && (double)v[0] >= p->tol->coarse_least);
    }
    for (int kind = 0; kind < PRODUCT_KINDS; kind++)
        vec_release(&error[kind]);
    p->j->arithmetic = (uint8_t)most_frequent(&of);
}

static void find_narrow_types(struct judge_pass *p)
{
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < p->side[s]->rows.n && !p->narrow[s]; i++) {
            const struct row *r = &p->side[s]->rows.v[i];
            p->narrow[s] = r->kind == ROW_TENSOR && dtype_is_float(r->dtype) && dtype_table[r->dtype].size <= 2;
        }
}

/* Values that hooks saved with NumPy do not tell the arithmetic behind them, as it knows no bfloat16 and rounded values
 * lose their grid with the first addition in float32. Where no tensor agrees as results of float32 do, tokens without a
 * batch axis (as inference engines hold them) are judged as bfloat16. That is a guess: what it lets pass as drift is in
 * doubt (row_verdict_weigh). */
#define FLOAT32_SHOWN 1e-4

static bool is_untyped(const struct dump *d)
{
    return d->reader == &reader_activations && !*d->framework;
}

static void find_unsaid_arithmetic(struct judge_pass *p)
{
    bool any = false;
    p->unsaid = DTYPE_UNKNOWN;
    if (!is_untyped(p->side[TARGET]) || !is_untyped(p->side[GOLDEN]))
        return;
    for (uint32_t i = 0; i < p->m->lines; i++) {
        const struct line *l = &p->m->pairing->lines.v[i];
        if (l->pair == NONE || p->state[i] != MEASURE_DONE || !p->m->figures[i]->two)
            continue;
        for (int s = 0; s < 2; s++) {
            const struct shape *x = dump_row_shape(p->side[s], l->row[s]);
            if (p->side[s]->rows.v[l->row[s]].dtype != DTYPE_F32 || !x || x->ndim > 2)
                return;
        }
        if (!(p->m->figures[i]->rel_l2 > FLOAT32_SHOWN))
            return;
        any = true;
    }
    p->unsaid = any ? DTYPE_BF16 : DTYPE_UNKNOWN;
    p->j->unsaid = any;
}

void product_arithmetic_find(struct judge_pass *p)
{
    find_multiplying(p);
    find_arithmetic(p);
    find_narrow_types(p);
    find_unsaid_arithmetic(p);
}
