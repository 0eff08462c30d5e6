/* Finds outlier weights, and warns if the table may be misleading. A weight is an outlier if its relative difference
 * is several times the median, and more than a tenth of what fails: less is noise. It fails if it is an outlier and
 * differs by more than rounding, or if it differs by more than the absolute limit. */
#include <math.h>
#include <stdlib.h>

#include "base/median.h"
#include "base/msg.h"
#include "base/num.h"
#include "norms/norms.h"

/* NaN first, then by size. */
static int largest_first(const void *a, const void *b)
{
    const struct norm_pair *x = a, *y = b;
    if (isnan(x->rel) || isnan(y->rel))
        return isnan(y->rel) - isnan(x->rel);
    if (x->rel != y->rel)
        return x->rel > y->rel ? -1 : 1;
    return x->part[1][0] < y->part[1][0] ? -1 : x->part[1][0] > y->part[1][0];
}

/* The median of the sorted pairs; of an even number the larger middle one. */
static double median_rel(const struct norms *n)
{
    size_t nan = 0, count;
    while (nan < n->pairs.n && isnan(n->pairs.v[nan].rel))
        nan++;
    count = n->pairs.n - nan;
    return count ? n->pairs.v[nan + (count - 1) / 2].rel : NAN;
}


static void find_outlier_norms(struct norms *n, const struct thresholds_norms *t)
{
    bool fail = false;
    for (size_t i = 0; i < n->pairs.n; i++) {
        struct norm_pair *p = &n->pairs.v[i];
        double rel = p->rel - p->unseen; /* a difference larger than the printed resolution */
        double least = fmax(rule_limit(RULE_LIMIT_NORMS_LEAST), t->outlier_rel / 10);
        p->outlier = isnan(p->rel) || (rel > t->outlier * n->median && rel > least);
        fail = fail || isnan(p->rel) || rel > t->rel || (p->outlier && rel > t->outlier_rel);
    }
    fail = norms_replicas_fail(n, t) || fail;
    if (!n->pairs.n)
        n->verdict = STAGE_UNKNOWN;
    else if (fail)
        n->verdict = STAGE_FAIL;
    else
        n->verdict = n->only[0].n || n->only[1].n || n->unread.n ? STAGE_UNKNOWN : STAGE_PASS;
}

/* ---- what may mislead ---- */

static const char *norm_side_name(int side)
{
    return side ? _("golden") : _("target");
}

static void warn_squared_units(struct norms *n)
{
    for (int s = 0; s < 2; s++)
        if (n->side[s].square && n->side[s].unit == UNIT_FORM)
            norms_warn(n, _("%s: lists of this form contain sums of squares; their square roots are compared"),
                       norm_side_name(s));
}

/* Differences that the printed resolution explains. */
static void warn_coarse_norms(struct norms *n)
{
    char d[NUM_MAX], v[NUM_MAX];
    size_t coarse = 0;
    double most = 0;
    for (size_t i = 0; i < n->pairs.n; i++)
        if (n->pairs.v[i].unseen > rule_limit(RULE_LIMIT_NORMS_UNSEEN) && isfinite(n->pairs.v[i].unseen)) {
            coarse++;
            most = fmax(most, n->pairs.v[i].unseen);
        }
    if (!coarse)
        return;
    int s = n->side[1].digit >= n->side[0].digit;
    norms_warn(n, _("%s: %s are printed to %s, an error of up to %s %% for %zu small norms: differences below the "
                    "printed resolution are tolerated"), norm_side_name(s),
               n->side[s].square ? _("squares") : _("norms"), num_cell(d, n->side[s].digit, 3),
               num_cell(v, 100 * most, 2), coarse);
}

static void warn_unpaired_norms(struct norms *n)
{
    for (int s = 0; s < 2; s++)
        if (n->only[s].n && n->pairs.n)
            norms_warn(n, _("%s: %zu of %zu values are not paired, e.g. %s"), norm_side_name(s), n->only[s].n,
                       n->side[s].values.n, n->side[s].values.v[n->only[s].v[0]].name);
}

static double norm_pair_ratio(const struct norm_pair *p)
{
    return p->norm[0] > 0 && p->norm[1] > 0 && isfinite(p->rel) ? p->norm[0] / p->norm[1] : NAN;
}

#define FINE 0.02 /* a ratio that the printed resolution moves by less gives a factor, coarser ones only confirm it */

struct ratios {
    VEC(double) all, unseen, fine;
};

static void ratio_add(struct ratios *r, const struct norm_pair *p)
{
    double x = norm_pair_ratio(p);
    if (isnan(x))
        return;
    vec_push(&r->all, x);
    vec_push(&r->unseen, p->unseen);
    if (p->unseen < FINE)
        vec_push(&r->fine, x);
}

static void ratios_release(struct ratios *r)
{
    vec_release(&r->all);
    vec_release(&r->unseen);
    vec_release(&r->fine);
}

/* Whether a share of the ratios is `factor`, as far as they are printed. */
static bool ratios_are(const struct ratios *r, double factor, double share)
{
    size_t near = 0;
    for (size_t i = 0; i < r->all.n; i++) {
        double room = (1 + r->unseen.v[i]) * sqrt(rule_limit(RULE_LIMIT_NORMS_FACTOR_SPREAD));
        near += r->all.v[i] <= factor * room && r->all.v[i] >= factor / room;
    }
    return r->all.n >= 3 && (double)near >= share * (double)r->all.n;
}

/* What the ratios are about; 0 if they are near one or too few. */
static double ratios_factor(struct ratios *r)
{
    double factor = r->fine.n >= 3 ? median_of(r->fine.v, r->fine.n) : NAN;
    if (r->fine.n < 3 && r->all.n >= 3) {
        vec_clear(&r->fine);
        for (size_t i = 0; i < r->all.n; i++)
            vec_push(&r->fine, r->all.v[i]);
        factor = median_of(r->fine.v, r->fine.n);
    }
    return fabs(factor - 1) > rule_limit(RULE_LIMIT_NORMS_FACTOR) ? factor : 0;
}

/* One side is a constant multiple of the other: a loss scale, accumulated micro-batches, a slice of each weight. */
static void common_factor(struct norms *n)
{
    struct ratios r = {0};
    char tmp[NUM_MAX];
    for (size_t i = 0; i < n->pairs.n; i++)
        ratio_add(&r, &n->pairs.v[i]);
    double factor = ratios_factor(&r);
    if (factor != 0 && ratios_are(&r, factor, 0.8)) {
        n->factor = factor;
        norms_warn(n, _("nearly all target norms are %s times the golden norms: a loss scale, a different number of "
                        "accumulated micro-batches, or shards (tensor parallel, distributed optimizer) on one side"),
                   factor < 1000 ? num_cell(tmp, factor, 4) : num_factor(tmp, factor));
    }
    ratios_release(&r);
}

/* All weights of one kind are a constant multiple, all others agree: a reduction that only this kind takes part in. */
static void factor_of_a_kind(struct norms *n)
{
    static const struct {
        const char *part, *text;
    } kinds[] = {
        {"norm", N_("norm weights")}, {"bias", N_("biases")}, {"embed", N_("embeddings")}, {"router", N_("routers")},
        {"expert", N_("experts")},
    };
    struct buf name = {0};
    char tmp[NUM_MAX];
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        struct ratios of[2] = {0}; /* of the others, of the kind */
        for (size_t i = 0; i < n->pairs.n; i++) {
            norm_pair_name(n, &n->pairs.v[i], &name);
            ratio_add(&of[str_ihas(buf_view(&name), kinds[k].part)], &n->pairs.v[i]);
        }
        double factor = ratios_factor(&of[1]);
        if (factor != 0 && ratios_are(&of[1], factor, 1) && ratios_are(&of[0], 1, 0.8)) {
            n->factor_kind = _(kinds[k].text);
            n->factor = factor;
            norms_warn(n, _("all %zu %s have %s times the golden norms, other weights agree: their gradients are "
                            "reduced in another way (summed or averaged over tensor- or sequence-parallel ranks)"),
                       of[1].all.n, n->factor_kind, num_factor(tmp, factor));
        }
        for (int x = 0; x < 2; x++)
            ratios_release(&of[x]);
    }
    buf_release(&name);
}

/* A number that is the same for equal tensors. */
static uint64_t print_of(const struct norm_value *v)
{
    const double f[] = {(double)v->elements, v->value, v->max, v->min};
    return hash_bytes(f, sizeof f, 0);
}

/* Scales of norm layers stay positive in training; about half of the elements of a gradient are not. Returns the number
 * of scales if all of a side are positive, with one's name; 0 if not or if there is only one. */
static size_t positive_scales(const struct norm_side *s, const char **example)
{
    size_t scales = 0;
    for (size_t i = 0; i < s->values.n; i++) {
        const struct norm_value *v = &s->values.v[i];
        struct str name = str_of(v->name);
        bool numbered = str_starts(name, "grad_"); /* none of them can be told to be a norm's */
        if (isnan(v->min) || v->elements < 16 || !(numbered || str_ihas(name, "norm")) || str_ends(name, "bias"))
            continue;
        if (!(v->min > 0) && numbered)
            continue;
        if (!(v->min > 0))
            return 0;
        *example = v->name;
        scales++;
    }
    return scales > 1 ? scales : 0;
}

/* The guide's recipe saves the parameter under the name of its gradient. */
static void gradients_that_are_weights(struct norms *n)
{
    struct nmap known = {0};
    for (uint32_t k = 0; k < n->reference.n; k++) {
        const struct norm_value *w = &n->reference.v[k];
        if (w->elements > 1 && w->value != 0)
            nmap_add(&known, print_of(w), k);
    }
    for (int s = 0; s < 2; s++) {
        const struct norm_side *side = &n->side[s];
        const char *one = NULL, *example = NULL, *weight = NULL, *scale = NULL;
        size_t ones = 0, equal = 0, scales = positive_scales(side, &scale);
        for (size_t i = 0; i < side->values.n; i++) {
            const struct norm_value *v = &side->values.v[i];
            uint32_t k = isnan(v->max) ? MAP_NONE : nmap_get(&known, print_of(v));
            if (k != MAP_NONE && !equal++) {
                example = v->name;
                weight = n->reference.v[k].name;
            }
            if (v->max == 1 && v->min == 1 && v->elements > 1 && !ones++)
                one = v->name;
        }
        n->not_gradients = n->not_gradients || equal || scales > ones;
        if (equal)
            norms_warn(n, _("%s: %zu saved gradients equal weights of the checkpoint (%s is %s): the script saves "
                            "param instead of param.grad"), norm_side_name(s),
                       equal, example, weight);
        else if (ones)
            norms_warn(n, _("%s: %zu saved gradients are all ones, e.g. %s, as initial norm weights are: weights may "
                            "have been saved instead of gradients; --weights CHECKPOINT tests this"),
                       norm_side_name(s), ones, one);
        else if (scales)
            norms_warn(n,
                       str_starts(str_of(scale), "grad_")
                           ? _("%s: these are weights, not gradients: %zu of them are positive in every element, as "
                               "scales of norm layers are, e.g. %s")
                           : _("%s: these are weights, not gradients: the scale of each of the %zu norm layers is "
                               "positive in every element, e.g. %s"),
                       norm_side_name(s), scales, scale);
    }
    nmap_release(&known);
}

static void zero_gradients(struct norms *n)
{
    for (int s = 0; s < 2; s++) {
        size_t zero = 0;
        const char *example = NULL;
        for (size_t i = 0; i < n->side[s].values.n; i++)
            if (n->side[s].values.v[i].value == 0) {
                example = zero++ ? example : n->side[s].values.v[i].name;
            }
        if (zero)
            norms_warn(n, _("%s: %zu gradients are zero, e.g. %s"), norm_side_name(s), zero, example);
    }
}

static void unread_parts(struct norms *n)
{
    for (int s = 0; s < 2; s++) {
        const struct norm_side *x = &n->side[s];
        for (size_t i = 0; i < x->unread.n; i++)
            vec_push(&n->unread, arena_fmt(&n->arena, "%s: %s", norm_side_name(s), x->unread.v[i]));
        for (size_t i = 0; i < x->log.unread.n; i++)
            vec_push(&n->unread, arena_fmt(&n->arena, "%s: %s", norm_side_name(s), x->log.unread.v[i].text));
    }
}

static void add_norm_reader_notes(struct norms *n)
{
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < n->side[s].log.notes.n; i++)
            norms_warn(n, "%s: %s", norm_side_name(s), n->side[s].log.notes.v[i]);
}

/* ---- where to look ---- */

static void add_norm_advice(struct norms *n)
{
    const struct norm_pair *first = n->pairs.n ? &n->pairs.v[0] : NULL, *outlier = NULL;
    struct buf name = {0};
    size_t apart = 0;
    char tmp[NUM_MAX];
    for (size_t i = 0; i < n->pairs.n; i++)
        if (n->pairs.v[i].outlier) {
            const struct norm_pair *p = &n->pairs.v[i];
            bool more = !outlier || p->rel - p->unseen > outlier->rel - outlier->unseen;
            outlier = more && !(outlier && isnan(outlier->rel)) ? p : outlier;
            apart++;
        }
    if (outlier)
        norm_pair_name(n, outlier, &name);
    if (n->not_gradients)
        vec_push(&n->next, _("save the gradients themselves (param.grad, before clipping) and compare again: weights "
                             "are not gradients"));
    else if (!first)
        vec_push(&n->next, _("no weights paired: give files with names, or --weights CHECKPOINT"));
    else if (n->verdict == STAGE_FAIL && n->factor_kind)
        vec_push(&n->next, arena_fmt(&n->arena, _("%s: a factor %s is no error of the calculation: check how gradients "
                                                  "of these weights are reduced over tensor- and sequence-parallel "
                                                  "ranks on both sides"), n->factor_kind, num_factor(tmp, n->factor)));
    else if (n->verdict == STAGE_FAIL && n->factor != 0)
        vec_push(&n->next, arena_fmt(&n->arena, _("a factor %s of all weights is no error of the calculation: divide "
                                                  "out the loss scale, then check how gradients are summed or averaged "
                                                  "over micro-batches and ranks"), num_factor(tmp, n->factor)));
    else if (n->verdict == STAGE_FAIL && apart && apart * 2 <= n->pairs.n) {
        n->outlier = arena_cstr(&n->arena, buf_view(&name));
        vec_push(&n->next, arena_fmt(&n->arena, _("%s is an outlier: check the implementation and precision of this "
                                                  "layer on both sides, then dump the backward pass of this step "
                                                  "(diverge compare)"),
                                     name.p));
    } else if (n->verdict == STAGE_FAIL)
        vec_push(&n->next, _("all norms differ: check the loss of this step (diverge curves). If it differs, check the "
                             "forward pass first; otherwise dump the backward pass and check it from the loss on"));
    else if (n->verdict == STAGE_PASS)
        vec_push(&n->next, _("the gradient norms agree: if the loss of step 2 still differs, replay the optimizer "
                             "(diverge optimizer)"));
    buf_release(&name);
}

void norms_judge(struct norms *n, const struct thresholds_norms *t)
{
    vec_sort(&n->pairs, largest_first);
    n->median = median_rel(n);
    vec_clear(&n->next);
    n->outlier = NULL;
    if (!n->judged)
        unread_parts(n);
    find_outlier_norms(n, t);
    if (!n->judged) { /* these do not depend on limits */
        warn_squared_units(n);
        warn_coarse_norms(n);
        warn_unpaired_norms(n);
        common_factor(n);
        factor_of_a_kind(n);
        gradients_that_are_weights(n);
        zero_gradients(n);
        add_norm_reader_notes(n);
        n->judged = true;
    }
    if (n->not_gradients && n->verdict == STAGE_PASS)
        n->verdict = STAGE_UNKNOWN;
    add_norm_advice(n);
}
