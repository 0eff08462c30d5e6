/* The step of the whole job: which calls of all ranks and micro-batches are one call of the model. Layer and expert
 * numbers of ranks are translated to those of the model; calls are in data-flow order: stage after stage forward, in
 * reverse backward. */
#ifndef RANKS_WHOLE_CALLS_H
#define RANKS_WHOLE_CALLS_H

#include "ranks/call_place.h"
#include "ranks/layout.h"

/* A rank's call that is part of a whole call. */
struct part_call {
    uint32_t rank;  /* index in the set */
    uint32_t micro;
    uint32_t call;
};

struct whole_call {
    const char *key;   /* unique; the same for all parts */
    const char *group; /* region and module */
    const char *meets; /* it is paired with the other side's calls of the same text: that of `group` without wrappers
                        * (module_path.h), for a module or its gradients with class and number */
    const char *bare;  /* "Functional.linear.forward" */
    const char *like;  /* the same text for this call in every layer */
    uint32_t alike, next_alike; /* number of that text (first_alike); the next call with it, or NONE */
    uint8_t region, kind, phase;
    bool gradient;
    uint16_t chunk;    /* virtual stage of the whole pipeline */
    uint32_t next;     /* the next call in order, or NONE */
    uint32_t order;    /* position in the order */
    uint32_t twin;     /* for a backward call: the forward one, or NONE */
    uint32_t parent;
    uint32_t partner;  /* on the other side (whole_calls_line_up), or NONE */
    VEC(struct part_call) parts; /* by rank, then micro-batch */
};

struct whole_calls {
    const struct rank_set *set;
    const struct layout *layout;
    struct call_places *places; /* per rank of the set */
    VEC(struct whole_call) calls;
    VEC(uint32_t) order;        /* indices of calls in execution order */
    uint32_t **of;              /* of[rank][call]: the whole call */
    VEC(struct made_in {
        VEC(uint32_t) calls;
    }) made_in; /* calls made in one module of one virtual stage, in order */
    VEC(uint32_t) first_alike;  /* the first call with each text of `like` */
    struct map keys, likes, made_in_names;
    struct arena arena;
};

void whole_calls_build(struct whole_calls *w, const struct rank_set *set, const struct layout *layout);
void whole_calls_release(struct whole_calls *w);
/* Sets `partner` on both sides. */
void whole_calls_line_up(struct whole_calls *target, struct whole_calls *golden);

static inline const struct dump *rank_dump_of(const struct whole_calls *w, uint32_t rank)
{
    return &w->set->ranks.v[rank]->dump;
}

/* The call's first tensor of one kind, or NONE. */
static inline uint32_t call_first_tensor(const struct dump *d, uint32_t c, enum row_io io)
{
    EACH_EARLY_ROW(d, c, r)
        if (d->rows.v[r].io == io && d->rows.v[r].kind == ROW_TENSOR)
            return r;
    return NONE;
}

#endif
