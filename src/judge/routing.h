/* The experts that a router picked for each token: they are a set, so their order does not matter, and a different
 * expert at a near tie of scores is noise. The positions of a sort: those of equal keys are in any order. */
#ifndef JUDGE_ROUTING_H
#define JUDGE_ROUTING_H

#include "measure/measure.h"

enum routing {
    ROUTING_UNKNOWN, /* not a choice of the highest scores, or unreadable */
    ROUTING_SAME,    /* the same set for every token */
    ROUTING_TIED,    /* some differ, each at a near tie of the golden side's scores */
    ROUTING_OTHER,   /* some differ without a tie, or the target's choice is not the highest of its own scores */
};

/* Scores [tokens, width] and indices picked from them [tokens, picks], of both sides; picks = width: all were
 * sorted. */
struct routing_choice {
    size_t tokens, width, picks;
    const double *score[2], *picked[2];
    double rounding; /* relative: scores of one side that differ by less count as tied */
};

/* Whether a call puts values in order and gives their positions. */
bool routing_sorts(const struct dump *d, uint32_t call);
/* `noise`: scores that differ by less, relative to the golden side's largest, count as tied. */
enum routing routing_of(const struct routing_choice *c, double noise);
/* The scores from which the integers of a call's output were picked, for a sorting call or a module that outputs
 * both; NONE: there are none. */
uint32_t routing_scores(const struct dump *d, uint32_t row);
/* The same for a line's rows; reads tensors. */
enum routing routing_compare(const struct measure *m, uint32_t line, double noise);
/* rel_l2 of a line's tensors after sorting along the last axis; NAN if they cannot be read. */
double routing_sorted_error(const struct measure *m, uint32_t line);

#endif
