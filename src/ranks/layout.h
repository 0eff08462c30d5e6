/* The layout of a job: how its ranks divide the model and the batch, and the coordinates of each rank. */
#ifndef RANKS_LAYOUT_H
#define RANKS_LAYOUT_H

#include "ranks/rank_set.h"

/* The dimensions of parallelism. The first four are a rank's coordinates. */
enum cut { CUT_TP, CUT_CP, CUT_DP, CUT_PP, CUT_RANKS, CUT_MICRO = CUT_RANKS, CUT_EP, CUT_COUNT };

enum cp_cut { CP_CUT_UNKNOWN, CP_CUT_ZIGZAG, CP_CUT_NATURAL };

enum layout_source { LAYOUT_NONE, LAYOUT_GIVEN, LAYOUT_SETTINGS, LAYOUT_DUMP, LAYOUT_INFERRED };

struct layout {
    int size[CUT_COUNT];       /* CUT_MICRO: micro-batches per step */
    int vpp, layers;
    bool sp;                   /* sequence parallel */
    enum cut order[CUT_RANKS]; /* order of rank numbers, fastest dimension first */
    enum cp_cut cp_cut;
    enum layout_source source;
    uint32_t proved, equal;    /* number of joined rows, and of those whose parts fit */
    uint8_t open;              /* bits 1 << cut: dimensions that could not be decided */
    bool weights;              /* inferred with weights of every rank: a size of 1 is known of tp and pp, not assumed */
    bool given[CUT_COUNT], given_order, given_vpp, given_sp, given_cp_cut;
    char why[600];             /* the evidence for each dimension, and what is undecided */
    char other_axes[200];      /* a row that cannot be joined along the axes given by the user; "" if none */
    char against[200];         /* a weight whose parts do not fit, if most weights' do not; otherwise "" */
};

/* Coordinates of a rank. */
struct rank_place {
    int at[CUT_RANKS];
};

void layout_init(struct layout *l); /* one rank, one micro-batch */
/* Parses any subset of "tp=2,cp=1,order=tp-cp-dp-pp,sp=on". */
int layout_parse(struct layout *l, struct str text, struct err *e);
struct rank_place layout_place(const struct layout *l, int rank);
int layout_rank(const struct layout *l, const struct rank_place *p);
int layout_ranks(const struct layout *l); /* the total number */
/* Whether both layouts are the same, so that rank r corresponds to rank r. */
bool layout_same(const struct layout *a, const struct layout *b);
void layout_order_text(const struct layout *l, char out[32]);
const char *cut_name(enum cut c); /* "tp"; CUT_MICRO "micro" */
const char *cp_cut_name(enum cp_cut c); /* NULL if unknown */
const char *layout_source_name(enum layout_source s);
enum layout_source layout_source_find(const char *name); /* LAYOUT_NONE: no such name */

/* Infers what was not given from the recordings: pipeline stages from transfers and from the layers they hold,
 * tensor-parallel ranks from weights that differ, context-parallel ones from recorded groups and the step's inputs. */
void layout_infer(struct layout *l, const struct rank_set *s);

#endif
