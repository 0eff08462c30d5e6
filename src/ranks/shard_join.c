/* Decides how parts are joined: tries all joins that the shapes allow on the values, and takes the one that fits most
 * layers. */
#include "ranks/join_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "ranks/dims.h"
#include "ranks/part_figures.h"
#include "ranks/part_values.h"

const char *join_how_name(enum join_how h)
{
    static const char *const names[JOIN_HOWS] = {"concat", "zigzag", "gated",   "heads",   "sum",    "mean",
                                                 "max",    "last",   "replica", "experts", "tokens", "vocab"};
    return names[h];
}

static bool same_candidate_shape(const struct candidate *a, const struct candidate *b)
{
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
}

static void pair_candidates(struct trial *t)
{
    size_t room = 0;
    for (size_t b = 0; b < t->of[1]->n; b++)
        for (size_t a = 0; a < t->of[0]->n; a++)
            if (same_candidate_shape(&t->of[0]->v[a], &t->of[1]->v[b])) {
                if (t->pairs == room) {
                    room = 2 * room + 8;
                    t->pair = mem_resize_array(t->pair, room, sizeof *t->pair);
                }
                t->pair[t->pairs][0] = (uint16_t)a;
                t->pair[t->pairs++][1] = (uint16_t)b;
            }
    t->error = mem_alloc((t->pairs + 1) * sizeof *t->error);
    for (size_t i = 0; i < t->pairs; i++)
        t->error[i] = NAN;
}

/* The row's name on its first rank. */
static void put_row_name(const struct whole_rows *r, const struct whole_row *x, char *out, size_t size)
{
    const struct part_row *p = &x->parts.v[0];
    struct buf name = {0};
    dump_row_name(&part_dump(r, p)->dump, p->row, &name);
    snprintf(out, size, "%s", name.p);
    buf_release(&name);
}

/* Removes candidates whose shape no candidate of the other side has. */
static void drop_unpaired(struct trial *t, int side, bool *used)
{
    memset(used, 0, t->of[side]->n);
    for (size_t i = 0; i < t->pairs; i++)
        used[t->pair[i][side]] = true;
}

/* Without elements: by recorded figures, which do not help for sums. */
static void measure_candidate_figures(const struct deciding *d, struct trial *t)
{
    struct part_figures *of[2];
    for (int s = 0; s < 2; s++) {
        const struct whole_row *x = &d->side[s]->rows.v[t->row[s]];
        of[s] = mem_zalloc((t->of[s]->n + 1) * sizeof *of[s]);
        for (size_t c = 0; c < t->of[s]->n; c++)
            of[s][c] = part_figures_join(d->side[s], x, t->of[s]->v[c].step, t->of[s]->v[c].scale);
    }
    for (size_t i = 0; i < t->pairs; i++) {
        const struct part_figures *a = &of[0][t->pair[i][0]], *b = &of[1][t->pair[i][1]];
        if (a->known && b->known)
            t->error[i] = (float)fmax(part_figures_away(a, b), fmax(a->spread, b->spread));
        t->figures |= a->known && b->known;
    }
    free(of[0]);
    free(of[1]);
}

/* What trying it holds at most: all parts, and what each candidate makes of them. */
static uint64_t bytes_of_trial(const struct deciding *d, const struct trial *t)
{
    uint64_t all = 0;
    for (int s = 0; s < 2; s++) {
        const struct whole_row *x = &d->side[s]->rows.v[t->row[s]];
        uint64_t n = x->parts.n;
        for (int i = 0; i < x->ndim; i++)
            n *= (uint64_t)x->shape[i];
        if (n > PARTS_HELD_MOST)
            return 0;
        all += n * (1 + t->of[s]->n) * sizeof(double);
    }
    return all;
}

static void measure_trial(const struct deciding *d, struct trial *t)
{
    struct held h[2];
    double **value[2], *spread[2];
    size_t most = t->of[0]->n > t->of[1]->n ? t->of[0]->n : t->of[1]->n;
    bool *used = mem_zalloc(most + 1);
    uint64_t n[2] = {0, 0};
    const struct whole_row *x[2] = {&d->side[0]->rows.v[t->row[0]], &d->side[1]->rows.v[t->row[1]]};
    for (int s = 0; s < 2; s++) {
        value[s] = mem_zalloc((most + 1) * sizeof **value);
        spread[s] = mem_zalloc((most + 1) * sizeof **spread);
    }
    bool there = parts_hold(&h[0], d->side[0], x[0]);
    there = parts_hold(&h[1], d->side[1], x[1]) && there;
    for (int s = 0; s < 2 && there; s++) {
        struct spreads known = {{-1, -1, -1, -1}};
        drop_unpaired(t, s, used);
        for (size_t c = 0; c < t->of[s]->n; c++)
            if (used[c]) {
                value[s][c] = candidate_values(x[s], &t->of[s]->v[c], &h[s], &n[s]);
                spread[s][c] = candidate_spread(x[s], &t->of[s]->v[c], &h[s], &known);
            }
    }
    for (size_t i = 0; i < t->pairs && there; i++) {
        uint16_t a = t->pair[i][0], b = t->pair[i][1];
        if (!value[0][a] || !value[1][b])
            continue;
        uint64_t count = 1;
        for (int k = 0; k < t->of[0]->v[a].ndim; k++)
            count *= (uint64_t)t->of[0]->v[a].shape[k];
        double off = part_distance_finite(value[0][a], value[1][b], count);
        off = spread[0][a] > off ? spread[0][a] : off;
        off = spread[1][b] > off ? spread[1][b] : off;
        t->error[i] = (float)off;
    }
    for (int s = 0; s < 2; s++) {
        for (size_t c = 0; c < most; c++)
            free(value[s][c]);
        free(value[s]);
        free(spread[s]);
    }
    free(used);
    parts_let_go(&h[0]);
    parts_let_go(&h[1]);
    if (!there)
        measure_candidate_figures(d, t);
}

/* Rows of one class have the same candidates: the same row of every layer, with the same shapes. */
static uint32_t trial_class(struct deciding *d, const struct trial *t)
{
    struct buf key = {0};
    for (int s = 0; s < 2; s++) {
        const struct whole_row *x = &d->side[s]->rows.v[t->row[s]];
        buf_fmt(&key, "%s %s", d->side[s]->calls->calls.v[x->call].like, x->slot);
        for (int i = 0; i < x->ndim; i++)
            buf_fmt(&key, " %lld", (long long)x->shape[i]);
        for (int i = 0; i < x->steps; i++)
            buf_fmt(&key, " %s%u", cut_name((enum cut)x->step[i].by), x->step[i].n);
        if (t->dims[s] != NONE)
            buf_fmt(&key, " as %u", t->dims[s]);
    }
    uint32_t at = map_get(&d->classes, buf_view(&key));
    if (at == MAP_NONE) {
        at = (uint32_t)d->classes.n;
        map_add(&d->classes, arena_str(&d->arena, buf_view(&key)), at);
    }
    buf_release(&key);
    return at;
}

/* Errors below it count as agreement: noise of another order of additions; far above the rounding of a type with an
 * 8-bit mantissa. A wrong join has an error of about its own size. */
double trial_limit(const struct deciding *d, const struct trial *t)
{
    enum dtype type = (enum dtype)d->side[0]->rows.v[t->row[0]].dtype;
    return fmax(1e-3, dtype_is_float(type) ? 8 * dtype_table[type].epsilon : 0);
}

bool trial_fits(const struct deciding *d, const struct trial *t, size_t pair)
{
    return (double)t->error[pair] < trial_limit(d, t);
}

/* The best pair of candidates for a class: the one that fits most of its rows; of several the first, unless another
 * fits rows that it does not and is more specific (two halves each against one block). */
static size_t best_of_class(const struct deciding *d, const uint32_t *member, size_t members)
{
    const struct trial *first = &d->trials.v[member[0]];
    size_t best = 0, most = 0;
    double nearest = INFINITY;
    for (size_t i = 0; i < first->pairs; i++) {
        size_t n = 0;
        double off = 0;
        for (size_t m = 0; m < members; m++) {
            const struct trial *t = &d->trials.v[member[m]];
            n += i < t->pairs && trial_fits(d, t, i);
            off += i < t->pairs && !isnan(t->error[i]) ? fmin((double)t->error[i], 10) : 0;
        }
        bool particular = false;
        if (n && n == most) {
            const struct candidates *c = first->of[0];
            particular = true;
            for (size_t m = 0; m < members; m++)
                particular &=
                    !(trial_fits(d, &d->trials.v[member[m]], i) && trial_fits(d, &d->trials.v[member[m]], best));
            bool blocks = false, plain = false;
            for (int s = 0; s < c->row->steps; s++) {
                blocks |= c->v[first->pair[i][0]].step[s].blocks > 1;
                plain |= c->v[first->pair[best][0]].step[s].how == JOIN_CONCAT;
            }
            particular &= blocks && plain;
        }
        /* nothing fits: clearly nearer; all fit: far nearer, because mask fills may dominate */
        bool nearer = !n && !most && off < nearest * 0.5 && members == 1;
        bool far_nearer = n && n == most && off * 8 < nearest;
        if (n > most || particular || far_nearer || (i == 0)) {
            best = i;
            most = n;
        } else if (nearer) {
            best = i;
        }
        if (i == best)
            nearest = off;
    }
    for (size_t i = 0; i < first->pairs && !most && first->figures; i++)
        if (isnan(first->error[i])) /* prefer a sum, which figures cannot check, to a join that they contradict */
            return i;
    return best;
}

static void apply_candidate(struct whole_row *x, const struct candidate *c)
{
    memcpy(x->step, c->step, sizeof x->step);
    x->scale = c->scale;
    x->ndim = c->ndim;
    memcpy(x->shape, c->shape, sizeof x->shape);
}

/* How many parts of both sides agree with the other side in a join. */
static size_t parts_that_fit(struct deciding *d, const struct trial *t, size_t pair)
{
    double limit = trial_limit(d, t);
    size_t n = 0;
    for (int s = 0; s < 2; s++)
        apply_candidate(&d->side[s]->rows.v[t->row[s]], &t->of[s]->v[t->pair[pair][s]]);
    trial_part_errors(d, t);
    for (int s = 0; s < 2; s++) {
        struct whole_row *x = &d->side[s]->rows.v[t->row[s]];
        for (size_t i = 0; i < x->parts.n; i++) {
            n += (double)x->parts.v[i].error < limit;
            x->parts.v[i].error = NAN;
        }
    }
    return n;
}

/* Where no join fits a row, and no other layer has such a one: the parts that are right decide, whatever the wrong ones
 * speak for. */
static size_t join_of_most_parts(struct deciding *d, const struct trial *t, size_t best)
{
    size_t most = parts_that_fit(d, t, best);
    for (size_t p = 0; p < t->pairs; p++) {
        size_t n = parts_that_fit(d, t, p);
        if (n > most) {
            most = n;
            best = p;
        }
    }
    return best;
}

/* If no candidate agrees with --dims, that is reported and the values decide. */
static void keep_what_dims_allow(struct deciding *d, struct trial *t, int side)
{
    struct whole_row *x = &d->side[side]->rows.v[t->row[side]];
    size_t n = 0;
    t->dims[side] = x->steps ? dims_of_row(d->dims, d->side[side], x) : NONE;
    if (t->dims[side] == NONE || !t->pairs)
        return;
    uint16_t(*kept)[2] = mem_alloc(t->pairs * sizeof *kept);
    for (size_t p = 0; p < t->pairs; p++) {
        const struct candidate *c = &t->of[side]->v[t->pair[p][side]];
        bool allowed = true;
        for (int s = 0; s < x->steps; s++)
            allowed &= dims_allow(&d->dims->v[t->dims[side]], &c->step[s]);
        if (allowed)
            memcpy(kept[n++], t->pair[p], sizeof *kept);
    }
    if (n) {
        memcpy(t->pair, kept, n * sizeof *kept);
        t->pairs = n;
    } else {
        t->dims[side] = NONE;
        if (!d->layout[side]->other_axes[0])
            put_row_name(d->side[side], x, d->layout[side]->other_axes, sizeof d->layout[side]->other_axes);
    }
    free(kept);
}

static void add_trial(struct deciding *d, uint32_t target, uint32_t golden)
{
    struct trial t = {.row = {target, golden}, .dims = {NONE, NONE}};
    const struct whole_row *x[2] = {&d->side[0]->rows.v[target], &d->side[1]->rows.v[golden]};
    for (int s = 0; s < 2; s++) {
        t.of[s] = mem_zalloc(sizeof *t.of[s]);
        join_candidates_find(t.of[s], d->side[s], x[s], x[!s]);
    }
    pair_candidates(&t);
    for (int s = 0; s < 2; s++)
        keep_what_dims_allow(d, &t, s);
    t.class = trial_class(d, &t);
    vec_push(&d->trials, t);
}

static uint32_t whole_row_of_slot(const struct whole_rows *r, uint32_t call, const char *slot)
{
    for (size_t i = r->first_of[call]; i < r->rows.n && r->rows.v[i].call == call; i++)
        if (strcmp(r->rows.v[i].slot, slot) == 0)
            return (uint32_t)i;
    return NONE;
}

/* Whether the row belongs to an expert on several ranks, whose tokens come in another order. */
static bool is_row_of_expert(const struct whole_rows *r, const struct whole_row *x)
{
    return r->calls->layout->size[CUT_EP] > 1 && str_ihas(str_of(r->calls->calls.v[x->call].group), "expert");
}

static void find_partners(struct deciding *d)
{
    struct whole_rows *t = d->side[0], *g = d->side[1];
    for (uint32_t i = 0; i < t->rows.n; i++) {
        uint32_t call = t->calls->calls.v[t->rows.v[i].call].partner;
        uint32_t other = call == NONE ? NONE : whole_row_of_slot(g, call, t->rows.v[i].slot);
        if (other == NONE)
            continue;
        t->rows.v[i].partner = other;
        g->rows.v[other].partner = i;
        struct whole_row *a = &t->rows.v[i], *b = &g->rows.v[other];
        if (a->kind == ROW_TENSOR && b->kind == ROW_TENSOR &&
            (a->steps || b->steps || whole_row_is_gradient(t, a) || is_row_of_expert(t, a) || is_row_of_expert(g, b)) &&
            !a->open && !b->open)
            add_trial(d, i, other);
    }
}

/* Zigzag or natural order: whichever fits more rows, decided over all rows first. */
static enum cp_cut vote_cut(const struct deciding *d, int side)
{
    size_t votes[2] = {0, 0};
    for (size_t i = 0; i < d->trials.n; i++) {
        const struct trial *t = &d->trials.v[i];
        bool fit[2] = {false, false};
        for (size_t p = 0; p < t->pairs; p++) {
            const struct candidate *c = &t->of[side]->v[t->pair[p][side]];
            for (int s = 0; s < t->of[side]->row->steps && trial_fits(d, t, p); s++)
                if (c->step[s].by == CUT_CP && c->step[s].axis >= 0)
                    fit[c->step[s].how == JOIN_ZIGZAG] = true;
        }
        votes[0] += fit[0] && !fit[1];
        votes[1] += fit[1] && !fit[0];
    }
    return votes[0] > votes[1] ? CP_CUT_NATURAL : votes[1] ? CP_CUT_ZIGZAG : CP_CUT_UNKNOWN;
}

static bool against_cut(const struct candidate *c, int steps, enum cp_cut cut)
{
    for (int s = 0; s < steps; s++)
        if (c->step[s].by == CUT_CP && c->step[s].axis >= 0 && cut != CP_CUT_UNKNOWN &&
            (c->step[s].how == JOIN_ZIGZAG) != (cut == CP_CUT_ZIGZAG))
            return true;
    return false;
}

static void drop_cut(struct deciding *d, int side, enum cp_cut cut)
{
    for (size_t i = 0; i < d->trials.n; i++) {
        struct trial *t = &d->trials.v[i];
        size_t n = 0;
        if (t->dims[side] != NONE) /* given by --dims */
            continue;
        for (size_t p = 0; p < t->pairs; p++)
            if (!against_cut(&t->of[side]->v[t->pair[p][side]], t->of[side]->row->steps, cut)) {
                memmove(t->pair[n], t->pair[p], sizeof t->pair[p]);
                t->error[n++] = t->error[p];
            }
        t->pairs = n;
    }
}

/* Ranks that differ in their part of the batch hold whole weights. */
static bool weight_cut_by_batch(const struct whole_row *x)
{
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].by != CUT_TP && x->step[s].how != JOIN_REPLICA)
            return true;
    return false;
}

static void decide_classes(struct deciding *d)
{
    size_t n = d->trials.n, classes = d->classes.n;
    for (size_t i = 0; i < n; i++) /* weights that no join makes as large as the other side's */
        for (int s = 0; s < 2 && !d->trials.v[i].pairs; s++) {
            uint32_t row = d->trials.v[i].row[s];
            if (d->side[s]->rows.v[row].io != IO_PARAMETER || !d->side[s]->rows.v[row].steps)
                continue;
            d->weights[s]++;
            d->unfit[s] = row < d->unfit[s] ? row : d->unfit[s];
        }
    uint32_t *members = mem_alloc((n + 1) * sizeof *members), *next = mem_alloc((n + 1) * sizeof *next);
    uint32_t *first = mem_alloc((classes + 1) * sizeof *first); /* trials of each class, ascending */
    for (size_t k = 0; k < classes; k++)
        first[k] = NONE;
    for (uint32_t i = (uint32_t)n; i-- > 0; ) {
        next[i] = first[d->trials.v[i].class];
        first[d->trials.v[i].class] = i;
    }
    for (size_t k = 0; k < classes; k++) {
        size_t m = 0;
        for (uint32_t i = first[k]; i != NONE; i = next[i])
            if (d->trials.v[i].pairs)
                members[m++] = i;
        size_t best = m ? best_of_class(d, members, m) : 0;
        if (m == 1 && !d->trials.v[members[0]].figures && !trial_fits(d, &d->trials.v[members[0]], best))
            best = join_of_most_parts(d, &d->trials.v[members[0]], best);
        for (size_t i = 0; i < m; i++) {
            struct trial *t = &d->trials.v[members[i]];
            size_t p = best < t->pairs ? best : 0;
            for (int s = 0; s < 2; s++)
                apply_candidate(&d->side[s]->rows.v[t->row[s]], &t->of[s]->v[t->pair[p][s]]);
            for (int s = 0; s < 2; s++) {
                bool several = d->side[s]->rows.v[t->row[s]].steps > 0;
                bool fit = several && trial_fits(d, t, p);
                d->side[s]->joined += several;
                d->side[s]->fitting += fit;
                if (!several || d->side[s]->rows.v[t->row[s]].io != IO_PARAMETER || isnan(t->error[p]))
                    continue;
                bool right = fit && !weight_cut_by_batch(&d->side[s]->rows.v[t->row[s]]);
                d->weights[s] += right ? -1 : 1;
                if (!right && t->row[s] < d->unfit[s])
                    d->unfit[s] = t->row[s];
            }
        }
    }
    free(members);
    free(next);
    free(first);
}

static void release_trials(struct deciding *d)
{
    for (size_t i = 0; i < d->trials.n; i++) {
        for (int s = 0; s < 2; s++) {
            free(d->trials.v[i].of[s]->v);
            free(d->trials.v[i].of[s]);
        }
        free(d->trials.v[i].pair);
        free(d->trials.v[i].error);
    }
    vec_release(&d->trials);
    map_release(&d->classes);
    arena_release(&d->arena);
}

/* The first row whose parts cannot be held within what is left; NONE: none. */
static uint32_t first_row_too_large(const struct deciding *d)
{
    uint64_t left = memory_left();
    for (size_t i = 0; i < d->trials.n && left != UINT64_MAX; i++)
        if (bytes_of_trial(d, &d->trials.v[i]) > left)
            return d->trials.v[i].row[0];
    return NONE;
}

int shard_joins_decide(struct whole_rows *target, struct whole_rows *golden, struct layout *layout[2],
                       const struct dims_list *dims, struct err *e)
{
    struct deciding d = {.side = {target, golden}, .unfit = {NONE, NONE}, .dims = dims, .layout = layout};
    find_partners(&d);
    uint32_t large = first_row_too_large(&d);
    if (large != NONE) {
        char name[200];
        put_row_name(target, &target->rows.v[large], name, sizeof name);
        release_trials(&d);
        return memory_short(e, name);
    }
    for (size_t i = 0; i < d.trials.n; i++)
        measure_trial(&d, &d.trials.v[i]);
    for (int s = 0; s < 2; s++) {
        if (layout[s]->size[CUT_CP] > 1 && layout[s]->cp_cut == CP_CUT_UNKNOWN)
            layout[s]->cp_cut = vote_cut(&d, s);
        drop_cut(&d, s, layout[s]->cp_cut);
    }
    decide_classes(&d);
    rank_local_find(&d);
    rank_bookkeeping_find(&d);
    stage_sums_find(&d);
    token_orders_find(&d);
    for (size_t i = 0; i < d.trials.n; i++)
        if (d.trials.v[i].pairs)
            trial_part_errors(&d, &d.trials.v[i]);
    for (int s = 0; s < 2; s++) {
        layout[s]->proved = d.side[s]->joined;
        layout[s]->equal = d.side[s]->fitting;
        if (2 * layout[s]->equal > layout[s]->proved) /* values have shown which part of the batch each rank has */
            layout[s]->open &= (uint8_t)~(1u << CUT_CP | 1u << CUT_DP);
        if (d.weights[s] > 0)
            put_row_name(d.side[s], &d.side[s]->rows.v[d.unfit[s]], layout[s]->against, sizeof layout[s]->against);
    }
    release_trials(&d);
    return 0;
}
