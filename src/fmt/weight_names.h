/* What a weight's name says: layer, role, parameter. Names of different frameworks meet in one key
 * ("3/q/weight"); the roles and their names are data/weights.tsv. */
#ifndef FMT_WEIGHT_NAMES_H
#define FMT_WEIGHT_NAMES_H

#include <stdint.h>

#include "base/arena.h"

enum weight_cut { CUT_WHOLE, CUT_ROWS, CUT_COLUMNS };
enum weight_fusion { FUSED_NOT, FUSED_QKV, FUSED_GATE_UP };
enum weight_order { ORDER_ANY, ORDER_GROUPED, ORDER_STACKED };

struct weight_id {
    struct str key;   /* base + role + parameter: equal on both sides where the weights are the same one */
    struct str base;  /* "", "3/" (layer), "3/7/" (layer, expert), words nobody knows in front */
    struct str role;  /* "q", or the name's own words where the table has none */
    struct str param; /* "weight", "bias", … */
    bool known;       /* the table has the role */
    bool training;    /* optimizer state, counters, buffers that are computed: not the model's parameters */
    bool vocabulary;  /* rows stand for tokens; they may be padded */
    uint8_t cut, fusion, order;
    int layer;        /* -1 when it belongs to none */
};

/* A parameter's own name in PyTorch's words ("gamma" → "weight"); any other as it is. */
struct str weight_parameter(struct str name);
/* Strings live in a. */
void weight_identify(struct str name, struct arena *a, struct weight_id *out);
/* A weight that holds all experts of a layer along its first axis ("mlp.experts.gate_up_proj"), as what all of them
 * have in common; false where its name has no experts, or one of them. Strings live in a. */
bool weight_of_all_experts(struct str name, struct arena *a, struct weight_id *out);
/* One expert of it, with the key a weight of that expert alone has. */
struct weight_id weight_of_expert(const struct weight_id *all, int expert, struct arena *a);
/* The same weight in another role, as its parts and what it is a part of have; its strings live in a, but for the
 * role. */
struct weight_id weight_with_role(const struct weight_id *id, struct str role, struct arena *a);
/* The key of a part ("q", "up") of a fused weight's. */
struct str weight_part_key(const struct weight_id *fused, const char *part, struct arena *a);
/* The parts' roles: 3 of q, k, v; 2 of gate, up; 0 when it is not fused. */
int weight_parts(const struct weight_id *id, const char *out[3]);
/* The name with `layers` added to its layer's number and `experts` to its expert's (pipeline and expert
 * ranks number their own from 0). */
void weight_renumber(struct str name, int layers, int experts, struct buf *out);
/* The numbers a name holds; -1 where it has none. */
int weight_layer(struct str name);
int weight_expert(struct str name);

#endif
