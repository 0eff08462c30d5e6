/* Plans the pairs over the weights that two recordings hold open already: a row is a weight. */
#include "weights/weight_rows.h"

#include "fmt/weights_dump.h"
#include "weights/weight_pairs.h"

struct line *weight_rows_pairs(const struct dump *target, const struct dump *golden, size_t *n)
{
    const struct weights *side[2] = {dump_weights(target), dump_weights(golden)};
    struct weight_compare c = {.blocks = {1, 1}};
    struct line *out = NULL;
    struct err quiet;
    *n = 0;
    if (!side[TARGET] || !side[GOLDEN])
        return NULL;
    for (int s = 0; s < 2; s++)
        c.side[s] = *side[s]; /* the dump's, on loan */
    if (weight_pairs_plan(&c, &quiet) == 0) {
        out = mem_alloc((c.pairs.n + 1) * sizeof *out);
        for (size_t i = 0; i < c.pairs.n; i++) {
            const struct weight_pair *x = &c.pairs.v[i];
            bool rearranged = x->part[TARGET] && x->part[GOLDEN]; /* both fused, their rows in other orders */
            bool whole = !x->part[TARGET] && !x->part[GOLDEN] && !x->expert[TARGET] && !x->expert[GOLDEN];
            bool padded = whole && c.side[TARGET].list.v[x->weight[TARGET]].numel !=
                                       c.side[GOLDEN].list.v[x->weight[GOLDEN]].numel;
            if (!rearranged && !padded)
                out[(*n)++] = (struct line){{x->weight[TARGET], x->weight[GOLDEN]}, NONE};
        }
    }
    for (int s = 0; s < 2; s++)
        c.side[s] = (struct weights){0};
    weight_compare_release(&c);
    return out;
}
