/* What the files of the aligner (sequence.c tells the order) share: nothing of it is for others. */
#ifndef PAIR_SEQUENCE_PARTS_H
#define PAIR_SEQUENCE_PARTS_H

#include "pair/align.h"
#include "pair/sequence.h"

enum { VALUE_SAMPLE = 64 };
#define VALUE_UNRELATED 0.3f /* cosine of two samples up to which they have nothing in common */

/* A few elements of a result, at places that depend on its element count alone. */
struct value_sample {
    float v[VALUE_SAMPLE];
    float norm; /* 0: nothing is known of it */
};

struct sequence {
    const struct dump *d[2];
    const uint8_t *taken[2];
    const struct decided_pairs *ruled;
    align_item_list items[PHASE_COUNT][3][2]; /* by phase, class, side */
    uint32_t *item_of[2];  /* call → index in its list, or NONE */
    uint32_t *module_of[2]; /* call → index of the nearest paired forward module it stands in, or NONE */
    uint32_t *from[2];     /* align_items_producers */
    uint32_t *call_pair[2]; /* call → the other side's call, or NONE */
    uint32_t *row_pair[2]; /* row → the other side's row once paired, or NONE */
    /* call → the sum of its result and its bias, a call of its own, which are taken for one; or NONE */
    uint32_t *adder[2];
    uint32_t *weight_twin[2]; /* forward call's item → the other side's that uses the same weight, or NONE */
    struct value_sample *sample[2]; /* of forward calls, by item; NULL: none were taken */
    uint32_t looked;       /* pairs of rows whose elements sequence_backward_values has looked at */
    uint32_t groups;
    struct nmap habits;    /* kind of pair and place of a target row → place of the golden one (by_habit) */
    sequence_list *out;
};

/* Neither paired nor spoken for by a person. */
static inline bool sequence_free(const struct sequence *w, int s, uint32_t row)
{
    return !w->taken[s][row] && w->row_pair[s][row] == NONE;
}

/* Puts the rows together unless a person has said that they are not; both are spoken for afterwards. */
void sequence_emit(struct sequence *w, uint32_t t, uint32_t g, enum pair_why why, float confidence);
/* The n-th tensor of more than one element that the call has in this role, or NONE. */
uint32_t sequence_nth_row(const struct sequence *w, int s, uint32_t call, enum row_io io, int n);
/* The backward call of a forward one, or NONE: an operator of a graph has several, which only values distinguish
 * (sequence_backward_values). */
uint32_t sequence_twin(const struct sequence *w, int s, uint32_t call);
/* The parameters_grad record of a module, by its scope (scope → call); NONE where it has none. */
uint32_t sequence_gradient_of(const struct sequence *w, int s, uint32_t call, const struct nmap *by_scope);

/* Gives the target's items the golden side's numbers of layers, where the weights of their modules show other ones. */
void sequence_learn_layers(struct sequence *w);
/* Confidence of a call's pair before its rows are looked at, and why: the best of what is said of it stays. */
void sequence_trust(struct align_item *a, enum pair_why why, float confidence);
void sequence_note(struct sequence *w, const align_item_list *A, const align_item_list *B); /* into call_pair */
/* What speaks for each pair of the two lists. */
void sequence_weigh(struct sequence *w, align_item_list *A, align_item_list *B);
/* Fills weight_twin for the lists of forward calls. */
void sequence_find_weights(struct sequence *w, const align_item_list *t, const align_item_list *g);
/* Joins products with the sums of their biases where the other side has one call for both: `adder`. */
void sequence_join_bias(struct sequence *w, align_item_list *t, align_item_list *g);
void sequence_pair_bias(struct sequence *w, const struct align_item *a, const struct align_item *b);
/* A sample of the row's tensor; false where it cannot be read or is all zeros. */
bool sequence_sample(const struct dump *d, uint32_t row, struct value_sample *out);
/* Whether elements of two rows, laid on each other as they are stored, contradict that they hold one value: nearly
 * alike is another value, as a rotated gradient is; nothing in common may be another order of axes. *proven: they
 * agree. `row` is one of side s, `other` one of the other side. */
bool sequence_contradicted(struct sequence *w, int s, uint32_t row, uint32_t other, bool *proven);
float sequence_cosine(const struct value_sample *a, const struct value_sample *b); /* 0 where one tells nothing */
/* Calls of two lists that use the same weight or whose results are clearly nearest to each other become SET_MATCH,
 * whatever the order; those that only exchanged what they hold go by who reads their results. */
void sequence_pin(struct sequence *w, align_item_list *t, align_item_list *g);
/* Parts calls that order alone holds together and whose results have nothing in common. */
void sequence_part_contradicted(struct sequence *w, align_item_list *A, align_item_list *B);
/* Where launch order has crossed two pairs of one kind, what feeds them tells which belong together. */
void sequence_uncross(struct sequence *w, align_item_list *A, align_item_list *B);

/* Joins the wide products of side s with their parts on the other; `proven`: only where figures show it. */
void sequence_fuse(struct sequence *w, align_item_list *wide, align_item_list *narrow, int s, bool proven);
/* The rows of what was joined; gradients: scope → parameters_grad call, a side each. */
void sequence_pair_groups(struct sequence *w, const align_item_list *wide, const align_item_list *narrow, int s,
                          const struct nmap gradients[2]);
/* Results of wholes with those of the last of their parts, where the figures are equal. */
void sequence_meet(struct sequence *w, const align_item_list *t, const align_item_list *g);

/* Rows of one pair of calls: first (`certain`) those something speaks for, of all calls; then, with what that taught,
 * the others. */
void sequence_pair_rows(struct sequence *w, const struct align_item *a, const struct align_item *b, bool certain);

/* Gradients of weights and losses of graph dumps. */
void sequence_graph_gradients(struct sequence *w, const struct nmap gradients[2]);

/* What is left of the backward rows where side `graph` is a graph dump: pairs rows that hold one value, then the
 * outputs of calls whose inputs were paired so. */
void sequence_backward_values(struct sequence *w, int graph);
/* Of the rows left, those that are the gradient of one product's result or operand, where side `graph` is a graph
 * dump. */
void sequence_product_gradients(struct sequence *w, int graph);

#endif
