/* Pairs the calls that made a paired input, where neither has a partner: what is different there is different from
 * where it was made, not only from where a paired call reads it. */
#include "pair/sequence_parts.h"

#include <stdlib.h>

#define BACK 64 /* outputs with an input's value before it that are looked at */

/* Per side the outputs by their values, the last first: a graph may have launched what an input holds long before. */
struct outputs {
    struct nmap last;   /* value → row */
    uint32_t *before;   /* per row: the output before it with its value, or MAP_NONE */
};

struct sources {
    struct sequence *w;
    struct outputs of[2];
};

static void index_outputs(const struct dump *d, struct outputs *out)
{
    out->before = mem_alloc((d->rows.n + 1) * sizeof *out->before);
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct row *x = &d->rows.v[r];
        uint64_t v = x->io == IO_OUTPUT && x->kind == ROW_TENSOR ? sequence_value(d, r) : 0;
        out->before[r] = v ? nmap_get(&out->last, v) : MAP_NONE;
        if (v)
            nmap_set(&out->last, v, r);
    }
}

static void release_outputs(struct outputs *x)
{
    nmap_release(&x->last);
    free(x->before);
}

static bool may_hold(const struct sequence *w, int s, uint32_t from, uint32_t row)
{
    const struct dump *d = w->d[s];
    return d->rows.v[from].io == IO_OUTPUT && sequence_free(w, s, from) &&
           d->calls.v[d->rows.v[from].call].kind != CALL_MODULE &&
           w->call_pair[s][d->rows.v[from].call] == NONE && dump_row_numel(d, from) == dump_row_numel(d, row);
}

/* The last output without partner before an input that holds its value, or NONE. */
static uint32_t last_unpaired_output(const struct sources *x, int s, uint32_t row)
{
    const struct dump *d = x->w->d[s];
    struct fingerprint value = fingerprint_of(d, row);
    uint64_t key = sequence_value(d, row);
    uint32_t r = key ? nmap_get(&x->of[s].last, key) : MAP_NONE;
    for (int looks = 0; r != MAP_NONE && looks < BACK; r = x->of[s].before[r]) {
        struct fingerprint f = fingerprint_of(d, r);
        looks += r < row;
        if (r < row && may_hold(x->w, s, r, row) && fingerprint_compare(&f, &value) == LIKE_SAME)
            return r;
    }
    return NONE;
}

/* The output without partner that made the value of an input, or NONE. A graph may have recorded it later: then the
 * call that handed it on stands for it. */
static uint32_t source_maker(const struct sources *x, int s, uint32_t row)
{
    uint32_t from = x->w->from[s][row];
    if (from == NONE)
        return last_unpaired_output(x, s, row);
    return from != row && may_hold(x->w, s, from, row) ? from : NONE;
}

/* Whether the call that made the value of a golden input has its partner for certain: both hold like values. */
static bool maker_is_known(const struct sequence *w, uint32_t row)
{
    uint32_t from = w->from[GOLDEN][row], to = from == NONE ? NONE : w->row_pair[GOLDEN][from];
    if (to == NONE)
        return false;
    struct fingerprint a = fingerprint_of(w->d[TARGET], to), b = fingerprint_of(w->d[GOLDEN], from);
    return fingerprint_compare(&a, &b) > LIKE_UNKNOWN;
}

/* Whether a call reads this value of the other side: then it is one that the other side does not have. */
static bool reads_value(const struct sequence *w, int s, uint32_t call, uint32_t other)
{
    struct fingerprint value = fingerprint_of(w->d[!s], other);
    EACH_EARLY_ROW(w->d[s], call, r)
        if (w->d[s]->rows.v[r].io == IO_INPUT && w->d[s]->rows.v[r].kind == ROW_TENSOR) {
            struct fingerprint f = fingerprint_of(w->d[s], r);
            if (fingerprint_compare(&f, &value) == LIKE_SAME)
                return true;
        }
    return false;
}

/* Whether a free call of the other side has the same name in the same framework: then that is its partner. */
static bool has_namesake(const struct sequence *w, int s, uint32_t row)
{
    struct str name = dump_call_name(w->d[s], w->d[s]->rows.v[row].call);
    uint32_t c = dumps_of_one_framework(w->d[TARGET], w->d[GOLDEN]) ? dump_find_call(w->d[!s], name, 0) : NONE;
    return c != NONE && w->call_pair[!s][c] == NONE;
}

/* What made the value of two paired inputs. The golden side may have handed on a value that has a partner; a call that
 * it made besides is not its counterpart. */
static void pair_source(const struct sources *x, const struct sequence_pair *p)
{
    struct sequence *w = x->w;
    uint32_t t = source_maker(x, TARGET, p->t), g = source_maker(x, GOLDEN, p->g);
    if (t == NONE)
        return;
    if (g == NONE)
        g = maker_is_known(w, p->g) ? last_unpaired_output(x, GOLDEN, p->g) : NONE;
    else if (reads_value(w, TARGET, w->d[TARGET]->rows.v[t].call, g) ||
             reads_value(w, GOLDEN, w->d[GOLDEN]->rows.v[g].call, t))
        return;
    if (g != NONE && !has_namesake(w, TARGET, t) && !has_namesake(w, GOLDEN, g))
        sequence_emit(w, t, g, WHY_MADE, p->confidence);
}

void sequence_pair_sources(struct sequence *w)
{
    struct sources x = {.w = w};
    for (int s = 0; s < 2; s++)
        index_outputs(w->d[s], &x.of[s]);
    for (size_t i = 0; i < w->out->n; i++) {
        struct sequence_pair p = w->out->v[i]; /* a copy: the list grows */
        const struct row *r = &w->d[TARGET]->rows.v[p.t];
        uint64_t n = dump_row_numel(w->d[TARGET], p.t);
        if (r->io == IO_INPUT && w->d[TARGET]->calls.v[r->call].phase == PHASE_FORWARD && n > 1 &&
            n == dump_row_numel(w->d[GOLDEN], p.g))
            pair_source(&x, &p);
    }
    for (int s = 0; s < 2; s++)
        release_outputs(&x.of[s]);
}
