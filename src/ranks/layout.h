/* How a job's ranks divide the model and the batch, and which place each rank has in it. */
#ifndef RANKS_LAYOUT_H
#define RANKS_LAYOUT_H

#include "ranks/rank_set.h"

/* What the model or the batch is cut by. The first four are a rank's coordinates. */
enum cut { CUT_TP, CUT_CP, CUT_DP, CUT_PP, CUT_RANKS, CUT_MICRO = CUT_RANKS, CUT_EP, CUT_COUNT };

enum cp_cut { CP_CUT_UNKNOWN, CP_CUT_ZIGZAG, CP_CUT_NATURAL };

enum layout_source { LAYOUT_NONE, LAYOUT_GIVEN, LAYOUT_SETTINGS, LAYOUT_DUMP, LAYOUT_INFERRED };

struct layout {
    int size[CUT_COUNT];       /* CUT_MICRO: micro-batches of a step */
    int vpp, layers;
    bool sp;                   /* sequence parallel */
    enum cut order[CUT_RANKS]; /* fastest first */
    enum cp_cut cp_cut;
    enum layout_source source;
    uint32_t proved, equal;    /* joined rows, and those of them whose parts fit */
    uint8_t open;              /* bits 1 << cut: what nothing decides */
    bool given[CUT_COUNT], given_order, given_vpp, given_sp, given_cp_cut;
    char why[600];             /* what told each cut, and what nothing told */
    char other_axes[200];      /* a row that cannot be joined along the axes a person gave it; "" where none */
    char against[200];         /* a weight whose parts do not fit, where most weights' do not; "" else */
};

/* Coordinates of a rank. */
struct rank_place {
    int at[CUT_RANKS];
};

void layout_init(struct layout *l); /* one rank, one micro-batch */
/* "tp=2,cp=1,order=tp-cp-dp-pp,sp=on": any subset. */
int layout_parse(struct layout *l, struct str text, struct err *e);
struct rank_place layout_place(const struct layout *l, int rank);
int layout_rank(const struct layout *l, const struct rank_place *p);
int layout_ranks(const struct layout *l); /* how many there are in all */
/* Same cut, so that rank r meets rank r. */
bool layout_same(const struct layout *a, const struct layout *b);
void layout_order_text(const struct layout *l, char out[32]);
const char *cut_name(enum cut c); /* "tp"; CUT_MICRO "micro" */
const char *cp_cut_name(enum cp_cut c); /* NULL where unknown */
const char *layout_source_name(enum layout_source s);
enum layout_source layout_source_find(const char *name); /* LAYOUT_NONE: no such name */

/* Fills what was not given from the recordings: stages by what is sent to whom and by the layers they hold,
 * tensor-parallel ranks by weights that differ, context-parallel ones by recorded groups and the inputs of the step. */
void layout_infer(struct layout *l, const struct rank_set *s);

#endif
