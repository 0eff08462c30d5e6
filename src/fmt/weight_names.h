/* Parses a weight's name: layer, role, parameter. Names of different frameworks give the same key ("3/q/weight");
 * roles and their names are in data/weights.tsv. */
#ifndef FMT_WEIGHT_NAMES_H
#define FMT_WEIGHT_NAMES_H

#include <stdint.h>

#include "base/arena.h"

enum weight_cut { CUT_WHOLE, CUT_ROWS, CUT_COLUMNS };
enum weight_fusion { FUSED_NOT, FUSED_QKV, FUSED_GATE_UP };
enum weight_order { ORDER_ANY, ORDER_GROUPED, ORDER_STACKED };
/* Which axis of a matrix are its outputs, as far as its name tells. */
enum weight_storage { STORED_UNKNOWN, STORED_OUT_IN, STORED_IN_OUT };
enum weight_stack { STACK_NONE, STACK_ENCODER, STACK_DECODER };

struct weight_id {
    struct str key;   /* base + role + parameter: equal on both sides for corresponding weights */
    struct str base;  /* "", "3/" (layer), "3/7/" (layer, expert), after unknown leading words */
    struct str role;  /* "q", or the words of the name if the table has no role for it */
    struct str param; /* "weight", "bias", … */
    bool known;       /* the table has the role */
    bool training;    /* optimizer state, counters, computed buffers: no parameters of the model */
    bool vocabulary;  /* rows correspond to tokens; they may be padded */
    uint8_t cut, fusion, order, storage, stack; /* see the enums above */
    int layer;
};

/* A parameter's name in PyTorch's terms ("gamma" → "weight"); unknown names are unchanged. */
struct str weight_parameter(struct str name);
/* Whether it is an optimizer's moment in PyTorch's words ("state.0.exp_avg"). */
bool weight_is_moment(struct str name);
/* Strings are allocated in a. */
void weight_identify(struct str name, struct arena *a, struct weight_id *out);
/* Adds the stack to keys of a model with an encoder and a decoder, whose layers have the same numbers. Strings are
 * allocated in a. */
void weight_add_stack(struct weight_id *id, struct arena *a);
/* For a weight that holds all experts of a layer along its first axis ("mlp.experts.gate_up_proj"): the id common to
 * all of them; false if the name has no experts or only one of them. Strings are allocated in a. */
bool weight_of_all_experts(struct str name, struct arena *a, struct weight_id *out);
/* The id of one expert, with the key of a separate weight of that expert. */
struct weight_id weight_of_expert(const struct weight_id *all, int expert, struct arena *a);
/* The same weight with another role, for parts and wholes; strings are allocated in a, except the role. */
struct weight_id weight_with_role(const struct weight_id *id, struct str role, struct arena *a);
/* The key of a part ("q", "up") of a fused weight. */
struct str weight_part_key(const struct weight_id *fused, const char *part, struct arena *a);
/* The roles of the parts: 3 for q, k, v; 2 for gate, up; 0 if it is not fused. */
int weight_parts(const struct weight_id *id, const char *out[3]);
/* The name with `layers` added to its layer number and `experts` to its expert number (pipeline and expert ranks
 * number their own from 0). */
void weight_renumber(struct str name, int layers, int experts, struct buf *out);
/* The layer or expert number in a name; -1 if absent. */
int weight_layer(struct str name);
int weight_expert(struct str name);

#endif
