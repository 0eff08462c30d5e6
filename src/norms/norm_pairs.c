/* Pairs norms of the same weight: by equal names, equal keys (data/weights.tsv), then a fused weight with its parts,
 * whose joint norm is the root of the sum of their squares. */
#include <math.h>

#include "base/median.h"
#include "base/msg.h"
#include "norms/norms.h"

struct norm_pairing {
    struct norms *n;
    struct map keys[2], names[2];
    bool *done[2];
};

static double joint_norm(const struct norm_side *s, const uint32_t *part, int parts)
{
    double sum = 0;
    if (parts == 1)
        return norm_of_value(s, part[0]);
    for (int i = 0; i < parts; i++)
        sum += norm_of_value(s, part[i]) * norm_of_value(s, part[i]);
    return sqrt(sum);
}

static double relative_norm_difference(double t, double g)
{
    return t == g ? 0 : fabs(t - g) / fabs(g);
}

double norm_half_digit(const struct norm_side *s, uint32_t i)
{
    double v = s->values.v[i].value;
    if (v < s->digit_from)
        return 0;
    double half = s->digit / 2;
    /* a square's root lies farther below than above */
    return !s->square ? half : v > half ? sqrt(v) - sqrt(v - half) : fmax(sqrt(v), sqrt(v + half) - sqrt(v));
}

/* Of a fused weight at most the sum over its parts. */
static double half_digit(const struct norm_side *s, const uint32_t *part, int parts)
{
    double sum = 0;
    for (int i = 0; i < parts; i++)
        sum += norm_half_digit(s, part[i]);
    return sum;
}

/* Norms of the parts in the units chosen so far. */
static void compute_norm_pair(const struct norms *n, struct norm_pair *p)
{
    double unseen = 0;
    for (int s = 0; s < 2; s++) {
        p->norm[s] = joint_norm(&n->side[s], p->part[s], p->parts[s]);
        unseen += half_digit(&n->side[s], p->part[s], p->parts[s]);
    }
    p->rel = relative_norm_difference(p->norm[0], p->norm[1]);
    p->unseen = unseen / fabs(p->norm[1]);
}

static void add_norm_pair(struct norm_pairing *p, const uint32_t *t, int tn, const uint32_t *g, int gn)
{
    struct norm_pair x = {.parts = {(uint8_t)tn, (uint8_t)gn}};
    for (int i = 0; i < tn; i++)
        p->done[0][x.part[0][i] = t[i]] = true;
    for (int i = 0; i < gn; i++)
        p->done[1][x.part[1][i] = g[i]] = true;
    compute_norm_pair(p->n, &x);
    vec_push(&p->n->pairs, x);
}

static void pair_norms_by_name_or_key(struct norm_pairing *p, bool names)
{
    const struct norm_side *t = &p->n->side[0];
    for (uint32_t i = 0; i < t->values.n; i++) {
        const struct norm_value *v = &t->values.v[i];
        if (p->done[0][i] || !v->named)
            continue;
        uint32_t g = names ? map_get(&p->names[1], str_of(v->name)) : map_get(&p->keys[1], v->id.key);
        if (g != MAP_NONE && !p->done[1][g])
            add_norm_pair(p, &i, 1, &g, 1);
    }
}

/* Fused weights of side s all of whose parts the other side has. */
static void pair_fused_norms(struct norm_pairing *p, int s)
{
    const struct norm_side *side = &p->n->side[s];
    for (uint32_t i = 0; i < side->values.n; i++) {
        const char *part[3];
        uint32_t other[3];
        const struct norm_value *v = &side->values.v[i];
        int n = p->done[s][i] || !v->named ? 0 : weight_parts(&v->id, part), found = 0;
        for (; found < n; found++) {
            other[found] = map_get(&p->keys[!s], weight_part_key(&v->id, part[found], &p->n->arena));
            if (other[found] == MAP_NONE || p->done[!s][other[found]])
                break;
        }
        if (!n || found < n)
            continue;
        s == 0 ? add_norm_pair(p, &i, 1, other, n) : add_norm_pair(p, other, n, &i, 1);
    }
}

/* 10^-k if every value from `least` on is a multiple of it and k digits are few enough for a rounded print. */
static double digit_of(const struct norm_side *s, double least)
{
    size_t large = 0;
    for (size_t i = 0; i < s->values.n; i++)
        large += !(s->values.v[i].value < least);
    if (s->unit == UNIT_TENSOR || large < 3)
        return 0;
    for (double unit = 1; unit <= 1e7; unit *= 10) {
        size_t i = 0;
        while (i < s->values.n && (s->values.v[i].value < least ||
                                   !(fabs(s->values.v[i].value * unit - nearbyint(s->values.v[i].value * unit)) >
                                     1e-6 * fmax(1, fabs(s->values.v[i].value) * 1e-3 * unit))))
            i++;
        if (i == s->values.n)
            return 1 / unit;
    }
    return 0;
}

#define EXPONENT_BELOW 1e-4 /* torch prints smaller scalars with an exponent, and so with as many digits as others */

void norms_resolution(struct norms *n)
{
    for (int s = 0; s < 2; s++) {
        struct norm_side *x = &n->side[s];
        x->digit = digit_of(x, 0);
        x->digit_from = x->digit > 0 ? 0 : EXPONENT_BELOW;
        if (!(x->digit > 0))
            x->digit = digit_of(x, EXPONENT_BELOW);
    }
}

void norm_pair_name(const struct norms *n, const struct norm_pair *p, struct buf *out)
{
    int side = p->parts[0] > p->parts[1]; /* a fused name says it shorter */
    if (n->side[side].order && !n->side[!side].order)
        side = !side;
    const struct norm_value *v = n->side[side].values.v;
    struct str first = str_of(v[p->part[side][0]].name);
    size_t head = first.n, tail = first.n;
    for (int i = 1; i < p->parts[side]; i++) {
        struct str s = str_of(v[p->part[side][i]].name);
        size_t h = 0, t = 0;
        while (h < head && h < s.n && s.p[h] == first.p[h])
            h++;
        while (t < tail && t < s.n - h && t < first.n - h && s.p[s.n - 1 - t] == first.p[first.n - 1 - t])
            t++;
        head = h;
        tail = t;
    }
    buf_clear(out);
    if (p->parts[side] < 2) {
        buf_str(out, first);
        return;
    }
    for (int i = 0; i < p->parts[side]; i++) {
        struct str s = str_of(v[p->part[side][i]].name);
        if (!i)
            buf_fmt(out, "%.*s{", (int)head, s.p);
        buf_fmt(out, "%s%.*s", i ? "," : "", (int)(s.n - head - tail), s.p + head);
        if (i + 1 == p->parts[side])
            buf_fmt(out, "}%.*s", (int)tail, s.p + s.n - tail);
    }
}

/* Its parts were all read. */
static bool is_norm_pair_read(const struct norms *n, const struct norm_pair *p)
{
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < p->parts[s]; i++)
            if (n->side[s].values.v[p->part[s][i]].unread)
                return false;
    return true;
}

/* Pairs with an unknown value are not evidence. */
static void drop_unread_norm_pairs(struct norms *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n->pairs.n; i++)
        if (is_norm_pair_read(n, &n->pairs.v[i]))
            n->pairs.v[kept++] = n->pairs.v[i];
    n->pairs.n = kept;
}

void norms_pair(struct norms *n)
{
    struct norm_pairing p = {.n = n};
    vec_clear(&n->pairs);
    for (int s = 0; s < 2; s++) {
        const struct norm_side *side = &n->side[s];
        vec_clear(&n->only[s]);
        p.done[s] = mem_zalloc(side->values.n + 1);
        for (uint32_t i = 0; i < side->values.n; i++) {
            const struct norm_value *v = &side->values.v[i];
            if (!v->named)
                continue;
            map_add(&p.keys[s], v->id.key, i);
            if (v->name[0] != '#')
                map_add(&p.names[s], str_of(v->name), i);
        }
    }
    pair_norms_by_name_or_key(&p, true);
    pair_norms_by_name_or_key(&p, false);
    pair_fused_norms(&p, 0);
    pair_fused_norms(&p, 1);
    drop_unread_norm_pairs(n);
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < n->side[s].values.n; i++)
            if (!p.done[s][i] && !n->side[s].values.v[i].unread)
                vec_push(&n->only[s], i);
        free(p.done[s]);
        map_release(&p.keys[s]);
        map_release(&p.names[s]);
    }
}

/* ---- units ---- */

/* The median of |log t/g| in the units chosen so far; NaN with fewer than three pairs. */
static double norm_log_distance(const struct norms *n)
{
    VEC(double) d = {0};
    double out = NAN;
    for (size_t i = 0; i < n->pairs.n; i++) {
        const struct norm_pair *p = &n->pairs.v[i];
        if (p->norm[0] > 0 && p->norm[1] > 0 && isfinite(p->norm[0]) && isfinite(p->norm[1]))
            vec_push(&d, fabs(log(p->norm[0] / p->norm[1])));
    }
    if (d.n >= 3)
        out = median_of(d.v, d.n);
    vec_release(&d);
    return out;
}

static double distance_if(struct norms *n, bool t, bool g)
{
    bool was[2] = {n->side[0].square, n->side[1].square};
    n->side[0].square = t;
    n->side[1].square = g;
    for (size_t i = 0; i < n->pairs.n; i++)
        compute_norm_pair(n, &n->pairs.v[i]);
    double d = norm_log_distance(n);
    n->side[0].square = was[0];
    n->side[1].square = was[1];
    return d;
}

/* Σx or Σx² of a side's values. */
static double sum_side_values(const struct norm_side *s, bool squares)
{
    double sum = 0;
    for (size_t i = 0; i < s->values.n; i++)
        sum += squares ? s->values.v[i].value : s->values.v[i].value * s->values.v[i].value;
    return sum;
}

#define ADDS_UP 0.02 /* both are printed rounded, and single weights may be left out */

/* The norms of all weights add up to the global norm of the step. */
static void by_global_norm(struct norms *n, int side)
{
    struct norm_side *s = &n->side[side];
    const struct log_record *r = s->log.records.n && s->step >= 0 ? series_at(&s->log, s->step) : NULL;
    if (!r || !log_has(r, LOG_NORM) || !(r->value[LOG_NORM] > 0) || isinf(r->value[LOG_NORM]))
        return;
    double global = r->value[LOG_NORM], off[2];
    for (int square = 0; square < 2; square++)
        off[square] = fabs(sqrt(sum_side_values(s, square)) / global - 1);
    bool square = off[1] < off[0];
    if (!(off[square] < ADDS_UP && off[!square] > 2 * ADDS_UP))
        return;
    if (square != s->square)
        norms_warn(n, square ? _("%s: the values are squares of norms: as such they match the global norm of step "
                                 "%lld; their square roots are compared")
                             : _("%s: the values are norms, although such lists usually contain squares: as norms they "
                                 "match the global norm of step %lld"),
                   side ? _("golden") : _("target"), (long long)s->step);
    s->square = square;
    s->unit = UNIT_GLOBAL;
}

#define CLEARLY 0.1 /* ratios this close to 1, if the units chosen so far give three times as much */

/* A patch may print squares with names, or roots in a list that usually contains squares: the logarithms of the two
 * sides then have the ratio 2. If either side may be the exception, the list is taken to be. */
static void infer_unit_by_figures(struct norms *n)
{
    bool unit[2] = {n->side[0].square, n->side[1].square};
    double now = distance_if(n, unit[0], unit[1]), best = now;
    int flip = -1;
    for (int s = 0; s < 2; s++) {
        double d = n->side[s].unit > UNIT_FORM ? INFINITY : distance_if(n, unit[0] ^ (s == 0), unit[1] ^ (s == 1));
        if (d < best - 1e-9 ||
            (flip >= 0 && d < best + CLEARLY && n->side[s].unit == UNIT_FORM && n->side[flip].unit != UNIT_FORM)) {
            best = d;
            flip = s;
        }
    }
    if (flip < 0 || !(best < CLEARLY && now > 3 * best + CLEARLY))
        return;
    n->side[flip].square = !n->side[flip].square;
    n->side[flip].unit = UNIT_FIGURES;
    norms_warn(n, n->side[flip].square ? _("%s: judging by their size, the values are squares of norms (their "
                                           "logarithms are twice those of the other side); their square roots are "
                                           "compared")
                                       : _("%s: judging by their size, the values are norms, although such lists "
                                           "usually contain squares"),
               flip ? _("golden") : _("target"));
}

void norms_units_by_step(struct norms *n)
{
    for (int s = 0; s < 2; s++)
        by_global_norm(n, s);
}

void norms_units(struct norms *n)
{
    infer_unit_by_figures(n);
    for (size_t i = 0; i < n->pairs.n; i++)
        compute_norm_pair(n, &n->pairs.v[i]);
}
