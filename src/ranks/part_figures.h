/* Figures of a row of the whole from those recorded of its parts, where there are no elements. */
#ifndef RANKS_PART_FIGURES_H
#define RANKS_PART_FIGURES_H

#include "ranks/shard_join.h"

struct part_figures {
    bool known;         /* false: of sums and padded parts figures tell nothing, or one part has none */
    double stat[STAT_COUNT]; /* max, min, mean, norm */
    double spread;      /* by how much replicas differ, relative to their norm */
};

/* The largest difference of two that are known, relative to the second. */
double part_figures_away(const struct part_figures *a, const struct part_figures *b);
/* As these steps join the parts. */
struct part_figures part_figures_join(const struct whole_rows *r, const struct whole_row *x,
                                      const struct join_step *step, double scale);

#endif
