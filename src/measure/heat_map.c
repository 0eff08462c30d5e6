/* Fills the cells of a heat map from ranges of a plane. */
#include "measure/heat_map.h"

#include <math.h>
#include <stdlib.h>

bool heat_map_same(const struct heat_map_ask *a, const struct heat_map_ask *b)
{
    return memcmp(a->axis, b->axis, sizeof a->axis) == 0 && memcmp(a->at, b->at, sizeof a->at) == 0 &&
           memcmp(a->from, b->from, sizeof a->from) == 0 && memcmp(a->count, b->count, sizeof a->count) == 0 &&
           memcmp(a->size, b->size, sizeof a->size) == 0;
}

void heat_map_init(struct heat_map *h, const struct element_lens *l, const struct heat_map_ask *ask)
{
    *h = (struct heat_map){.ask = *ask};
    h->h = (int)((ask->count[0] + ask->size[0] - 1) / ask->size[0]);
    h->w = (int)((ask->count[1] + ask->size[1] - 1) / ask->size[1]);
    h->cell = mem_zalloc(((size_t)h->h * (size_t)h->w + 1) * sizeof *h->cell);
    h->numel = (uint64_t)ask->count[0] * (uint64_t)ask->count[1];
    h->turned = ask->axis[0] > ask->axis[1]; /* later axes have smaller strides */
    int64_t at[TENSOR_DIMS];
    memcpy(at, ask->at, sizeof at);
    for (int i = 0; i < 2; i++)
        if (ask->axis[i] >= 0)
            at[ask->axis[i]] = ask->from[i];
    h->plane = (struct element_lens_plane){.base = element_lens_index(l, at), .outer = (uint64_t)ask->count[h->turned],
                                           .inner = (uint64_t)ask->count[!h->turned],
                                           .outer_axis = ask->axis[h->turned], .inner_axis = ask->axis[!h->turned]};
    lens_read_init(&h->reader, l, &h->plane);
    size_t run, row;
    lens_read_pace(&h->reader, &run, &row);
    lens_sweep_init(&h->sweep, h->numel, run, row);
}

void heat_map_release(struct heat_map *h)
{
    lens_read_release(&h->reader);
    free(h->cell);
    *h = (struct heat_map){.h = 0};
}

int heat_map_read(struct heat_map *h, struct err *e)
{
    h->n = 0;
    if (!lens_sweep_take(&h->sweep, &h->at, &h->n))
        return 0;
    return lens_read(&h->reader, h->at, h->n, e);
}

/* Adds a value to a cell: the largest |v| counts, non-finite values take precedence, and of equal ones the first
 * place stays. */
static void cell_meet(struct heat_map_cell *c, int kind, double v, bool odd, uint64_t at, bool fresh)
{
    double now = fabs(v), was = fabs(c->value[kind]);
    bool take = fresh || (odd && !c->odd[kind]) ||
                (odd == c->odd[kind] && (odd ? at < c->at[kind] : now > was || (now == was && at < c->at[kind])));
    if (!take)
        return;
    c->value[kind] = v;
    c->at[kind] = at;
    c->odd[kind] = odd;
}

static void count_one(struct heat_map *h, struct heat_map_cell *c, size_t i, uint64_t at)
{
    const struct element_lens *l = h->reader.l;
    double v[2] = {h->reader.v[0][i], h->reader.v[1][i]};
    bool fresh = !c->seen, finite[2];
    c->seen = true;
    for (int d = 0; d < 2; d++) {
        if (!l->has[d])
            continue;
        finite[d] = isfinite(v[d]);
        cell_meet(c, HEAT_MAP_TARGET + d, v[d], !finite[d], at, fresh);
        if (finite[d] && fabs(v[d]) > h->most[HEAT_MAP_TARGET + d])
            h->most[HEAT_MAP_TARGET + d] = fabs(v[d]);
    }
    if (!l->has[0] || !l->has[1])
        return;
    bool alike = (isnan(v[0]) && isnan(v[1])) || v[0] == v[1];
    double error = alike ? 0 : fabs(v[0] - v[1]);
    bool odd = !alike && !(finite[0] && finite[1]);
    cell_meet(c, HEAT_MAP_ERROR, odd ? INFINITY : error, odd, at, fresh);
    if (!odd && error > h->most[HEAT_MAP_ERROR])
        h->most[HEAT_MAP_ERROR] = error;
}

void heat_map_count(struct heat_map *h)
{
    const struct element_lens_plane *p = &h->plane;
    const struct heat_map_ask *a = &h->ask;
    uint64_t outer_step = p->outer_axis >= 0 ? h->reader.l->step[p->outer_axis] : 0,
             inner_step = h->reader.l->step[p->inner_axis];
    uint64_t so = (uint64_t)a->size[h->turned], si = (uint64_t)a->size[!h->turned];
    for (size_t i = 0; i < h->n;) {
        uint64_t o = (h->at + i) / p->inner, k = (h->at + i) % p->inner;
        uint64_t end = (k / si + 1) * si; /* of the cell along the inner axis */
        if (end > p->inner)
            end = p->inner;
        uint64_t y = h->turned ? k / si : o / so, x = h->turned ? o / so : k / si;
        struct heat_map_cell *c = &h->cell[y * (uint64_t)h->w + x];
        for (; k < end && i < h->n; k++, i++)
            count_one(h, c, i, p->base + o * outer_step + k * inner_step);
    }
    h->read += h->n;
    h->n = 0;
}
