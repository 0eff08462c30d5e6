/* Plans the pairs over the weights that two recordings hold open already: a row is a weight. */
#include "weights/weight_rows.h"

#include <stdlib.h>
#include <string.h>

#include "fmt/weights_dump.h"
#include "weights/weight_pairs.h"
#include "weights/weight_storage.h"

struct weight_rows {
    struct line *line;
    struct view *view; /* of each line */
    size_t n;
};

static void add_weight_line(struct weight_rows *x, uint32_t target, uint32_t golden, struct view v)
{
    x->line[x->n] = (struct line){{target, golden}, NONE};
    x->view[x->n++] = v;
}

static void add_weight_alone(struct weight_rows *x, int side, uint32_t weight)
{
    add_weight_line(x, side == TARGET ? weight : NONE, side == GOLDEN ? weight : NONE, (struct view){0});
}

/* Whether the elements of a pair's rows meet their own under a view of one side. */
static bool is_row_pair(const struct weight_compare *c, const struct weights *const own[2], const struct weight_pair *p)
{
    const struct weight *w[2];
    for (int s = 0; s < 2; s++) {
        w[s] = &c->side[s].list.v[p->weight[s]];
        if (w[s]->ndim != own[s]->list.v[p->weight[s]].ndim) /* a matrix that holds all experts */
            return false;
    }
    if (weight_pair_is_whole(p) && w[TARGET]->numel != w[GOLDEN]->numel) /* padded */
        return false;
    return !(p->part[TARGET] && p->part[GOLDEN]); /* rows of fused weights in other orders */
}

/* A whole matrix that one side stores (in, out) is read transposed. */
static struct view view_of_pair(const struct weight_pair *p)
{
    struct view v = {.step = {{.op = VIEW_TRANSPOSE}}};
    bool turned[2] = {p->turned[TARGET], p->turned[GOLDEN] != p->transpose};
    v.side = turned[TARGET] ? TARGET : GOLDEN;
    v.count = weight_pair_is_whole(p) && turned[TARGET] != turned[GOLDEN];
    return v;
}

struct line *weight_rows_pairs(const struct dump *target, const struct dump *golden, size_t *n, struct view **views)
{
    const struct weights *side[2] = {dump_weights(target), dump_weights(golden)};
    struct weight_compare c = {.blocks = {1, 1}};
    struct weight_rows out = {0};
    struct err quiet;
    *n = 0;
    *views = NULL;
    if (!side[TARGET] || !side[GOLDEN])
        return NULL;
    for (int s = 0; s < 2; s++) {
        c.side[s] = *side[s]; /* the dump's, on loan but for what the plan changes */
        c.side[s].list.v = mem_alloc((side[s]->list.n + 1) * sizeof *c.side[s].list.v);
        memcpy(c.side[s].list.v, side[s]->list.v, side[s]->list.n * sizeof *c.side[s].list.v);
    }
    if (weight_pairs_plan(&c, &quiet) == 0) {
        weight_storage_decide(&c);
        size_t most = 2 * c.pairs.n + c.only[TARGET].n + c.only[GOLDEN].n + 1;
        out.line = mem_resize_array(NULL, most, sizeof *out.line);
        out.view = mem_resize_array(NULL, most, sizeof *out.view);
        for (size_t i = 0; i < c.pairs.n; i++) {
            const struct weight_pair *x = &c.pairs.v[i];
            bool fits = is_row_pair(&c, side, x);
            if (fits)
                add_weight_line(&out, x->weight[TARGET], x->weight[GOLDEN], view_of_pair(x));
            for (int s = 0; s < 2 && !fits; s++)
                add_weight_alone(&out, s, x->weight[s]);
        }
        for (int s = 0; s < 2; s++)
            for (size_t i = 0; i < c.only[s].n; i++)
                add_weight_alone(&out, s, c.only[s].v[i]);
    }
    for (int s = 0; s < 2; s++) {
        free(c.side[s].list.v);
        c.side[s] = (struct weights){0};
    }
    weight_compare_release(&c);
    *n = out.n;
    *views = out.view;
    return out.line;
}
