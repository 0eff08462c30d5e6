/* What a router picked of its scores, token by token: experts are a set, so their order is no difference, and another
 * one where scores tie is noise. */
#ifndef JUDGE_ROUTING_H
#define JUDGE_ROUTING_H

#include "measure/measure.h"

enum routing {
    ROUTING_UNKNOWN, /* no choice of the highest scores, or elements cannot be read */
    ROUTING_SAME,    /* every token's are the same, in another order or not */
    ROUTING_TIED,    /* some are others, each where the golden side's scores nearly tie */
    ROUTING_OTHER,   /* others where they do not, or of the target alone not the highest of its own scores */
};

/* Scores [tokens, width] and numbers picked of them [tokens, picks], of both sides. */
struct routing_choice {
    size_t tokens, width, picks;
    const double *score[2], *picked[2];
    double rounding; /* relative: what a side's own scores may differ by and still tie */
};

/* `noise`: by how much scores may differ and tie, relative to the largest of the golden side. */
enum routing routing_of(const struct routing_choice *c, double noise);
/* The scores that whole numbers a call puts out were picked from, of a call that sorts what it is given or of a module
 * that puts both out; NONE: there are none. */
uint32_t routing_scores(const struct dump *d, uint32_t row);
/* The same of a line's rows, whose tensors are read. */
enum routing routing_compare(const struct measure *m, uint32_t line, double noise);
/* rel_l2 of a line's tensors with each run along the last axis sorted; NAN where they cannot be read. */
double routing_sorted_error(const struct measure *m, uint32_t line);

#endif
