/* The step of the whole job: which calls of all ranks and micro-batches are one call of the model. Stages' own layer
 * numbers become the model's, experts' numbers too; calls stand in the order of the data flow: stage after stage
 * forward, the other way round backward. */
#ifndef RANKS_WHOLE_CALLS_H
#define RANKS_WHOLE_CALLS_H

#include "ranks/call_place.h"
#include "ranks/layout.h"

/* A rank's call that is part of it. */
struct part_call {
    uint32_t rank;  /* index in the set */
    uint32_t micro;
    uint32_t call;
};

struct whole_call {
    const char *key;   /* what its parts have in common; unique */
    const char *group; /* calls of one group are lined up with the other side's: region and module */
    const char *bare;  /* "Functional.linear.forward" */
    const char *like;  /* the same for the same call of every layer */
    uint32_t alike, next_alike; /* number of that name (first_alike); the next call of it, or NONE */
    uint8_t region, kind, phase;
    bool gradient;
    uint16_t chunk;    /* of the whole pipeline */
    uint32_t next;     /* in order, or NONE */
    uint32_t order;    /* its place */
    uint32_t twin;     /* of a backward call: the forward one, or NONE */
    uint32_t parent;
    uint32_t partner;  /* of the other side (whole_calls_line_up), or NONE */
    VEC(struct part_call) parts; /* by rank, then micro-batch */
};

struct whole_calls {
    const struct rank_set *set;
    const struct layout *layout;
    struct call_places *places; /* of each rank of the set */
    VEC(struct whole_call) calls;
    VEC(uint32_t) order;        /* indices, as they are done */
    uint32_t **of;              /* of[rank][call]: the whole call */
    VEC(struct made_in {
        VEC(uint32_t) calls;
    }) made_in; /* calls made in one module of one virtual stage, in order */
    VEC(uint32_t) first_alike;  /* the first call of each name in `like` */
    struct map keys, likes, made_in_names;
    struct arena arena;
};

void whole_calls_build(struct whole_calls *w, const struct rank_set *set, const struct layout *layout);
void whole_calls_release(struct whole_calls *w);
/* Sets the partners of both. */
void whole_calls_line_up(struct whole_calls *target, struct whole_calls *golden);

#endif
