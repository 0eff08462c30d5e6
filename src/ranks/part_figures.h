/* Figures of a joined row computed from the recorded figures of its parts, for recordings without elements. */
#ifndef RANKS_PART_FIGURES_H
#define RANKS_PART_FIGURES_H

#include "ranks/shard_join.h"

struct part_figures {
    bool known;         /* false: sums and padded parts have no such figures, or a part has none recorded */
    double stat[STAT_COUNT]; /* max, min, mean, norm */
    double spread;      /* difference between replicas, relative to their norm */
};

/* The largest difference of two known ones, relative to the second. */
double part_figures_away(const struct part_figures *a, const struct part_figures *b);
/* The figures of the parts joined by these steps. */
struct part_figures part_figures_join(const struct whole_rows *r, const struct whole_row *x,
                                      const struct join_step *step, double scale);

#endif
