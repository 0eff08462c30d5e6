/* Norms that several ranks hold of one weight: each is compared with that of the same rank on the other side. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "norms/norms.h"

/* The key of a replica, whose weight both sides may call otherwise. */
static void replica_key(const struct norm_replica *r, struct buf *out)
{
    struct str key = r->id.key.n ? r->id.key : str_of(r->name);
    buf_clear(out);
    buf_fmt(out, "%d\n", r->rank);
    buf_str(out, key);
}

struct replica_names {
    struct map weights, ranks; /* of rank and weight: index of the side's replicas; ranks that have some */
    struct arena keys;
};

static void gather_replica_names(const struct norm_side *s, struct replica_names *out)
{
    struct buf key = {0};
    for (uint32_t i = 0; i < s->replicas.n; i++) {
        replica_key(&s->replicas.v[i], &key);
        map_add(&out->weights, arena_str(&out->keys, buf_view(&key)), i);
        buf_clear(&key);
        buf_fmt(&key, "%d", s->replicas.v[i].rank);
        if (map_get(&out->ranks, buf_view(&key)) == MAP_NONE)
            map_add(&out->ranks, arena_str(&out->keys, buf_view(&key)), 0);
    }
    buf_release(&key);
}

/* Ranks of which only side s has norms: the sides may be cut otherwise. */
static void say_alone(struct norms *n, int s, const struct replica_names *other)
{
    struct buf rank = {0};
    size_t alone = 0;
    for (size_t i = 0; i < n->side[s].replicas.n; i++) {
        buf_clear(&rank);
        buf_fmt(&rank, "%d", n->side[s].replicas.v[i].rank);
        alone += map_get(&other->ranks, buf_view(&rank)) == MAP_NONE;
    }
    if (alone)
        norms_warn(n, _("%s: %zu norms are of ranks whose norms the other side does not have: they are not compared"),
                   s ? _("golden") : _("target"), alone);
    buf_release(&rank);
}

/* Replicas of side s that the other side's rank, which has others, lacks: there they are missing. */
static void warn_missing_replicas(struct norms *n, int s, const struct replica_names *other)
{
    struct buf key = {0};
    const struct norm_replica *first = NULL;
    size_t missing = 0;
    for (size_t i = 0; i < n->side[s].replicas.n; i++) {
        const struct norm_replica *r = &n->side[s].replicas.v[i];
        replica_key(r, &key);
        bool here = map_get(&other->weights, buf_view(&key)) != MAP_NONE;
        buf_clear(&key);
        buf_fmt(&key, "%d", r->rank);
        if (here || map_get(&other->ranks, buf_view(&key)) == MAP_NONE)
            continue;
        first = first ? first : r;
        missing++;
    }
    if (first)
        vec_push(&n->unread, arena_fmt(&n->arena, _("%s: %zu norms of further ranks are missing that the other side "
                                                    "has, e.g. %s of rank %d"),
                                       s ? _("target") : _("golden"), missing, first->name, first->rank));
    buf_release(&key);
}

bool norms_replicas_fail(struct norms *n, const struct thresholds_norms *t)
{
    struct replica_names of[2] = {0};
    struct buf key = {0};
    const struct norm_replica *worst[2] = {0};
    double most = 0;
    size_t off = 0, compared = 0;
    for (int s = 0; s < 2; s++)
        gather_replica_names(&n->side[s], &of[s]);
    for (size_t i = 0; i < n->side[0].replicas.n; i++) {
        const struct norm_replica *r = &n->side[0].replicas.v[i], *g;
        replica_key(r, &key);
        uint32_t at = map_get(&of[1].weights, buf_view(&key));
        if (at == MAP_NONE)
            continue;
        g = &n->side[1].replicas.v[at];
        double rel = r->value == g->value ? 0 : fabs(r->value - g->value) / fabs(g->value);
        double unseen = (n->side[0].digit + n->side[1].digit) / 2 / fabs(g->value);
        double over = unseen > 0 ? rel - unseen : rel;
        compared++;
        if (!isnan(rel) && !(over > t->rel) && !(over > t->outlier_rel && over > t->outlier * n->median))
            continue;
        off++;
        if (!worst[0] || isnan(rel) || rel > most) {
            worst[0] = r;
            worst[1] = g;
            most = rel;
        }
    }
    if (!n->judged) {
        char v[3][NUM_MAX];
        for (int s = 0; s < 2; s++) {
            warn_missing_replicas(n, s, &of[!s]);
            say_alone(n, s, &of[!s]);
        }
        if (off)
            norms_warn(n, _("%zu of %zu norms of further ranks differ, most: %s of rank %d, %s against %s (%s %%)"),
                       off, compared, worst[0]->name, worst[0]->rank, num_cell(v[0], worst[0]->value, 4),
                       num_cell(v[1], worst[1]->value, 4), num_cell(v[2], 100 * most, 2));
    }
    for (int s = 0; s < 2; s++) {
        map_release(&of[s].weights);
        map_release(&of[s].ranks);
        arena_release(&of[s].keys);
    }
    buf_release(&key);
    return off > 0;
}
