/* Shared by the files of the aligner (sequence.c has the order of steps); not for other files. */
#ifndef PAIR_SEQUENCE_PARTS_H
#define PAIR_SEQUENCE_PARTS_H

#include "pair/align.h"
#include "pair/sequence.h"

enum { VALUE_SAMPLE = 64 };
#define VALUE_UNRELATED 0.3f /* samples with a cosine up to this are unrelated */

/* Some elements of a result, at indices that depend only on its element count. */
struct value_sample {
    float v[VALUE_SAMPLE];
    float norm; /* 0: unknown */
    float around[VALUE_SAMPLE], spread; /* their deviations from the mean, and the norm of these; 0: a constant */
};

struct sequence {
    const struct dump *d[2];
    const uint8_t *taken[2];
    const struct decided_pairs *ruled;
    align_item_list items[PHASE_COUNT][3][2]; /* by phase, class, side */
    uint32_t *item_of[2];  /* call → index in its list, or NONE */
    uint32_t *module_of[2]; /* call → index of the nearest paired forward module that contains it, or NONE */
    uint32_t *from[2];     /* align_items_producers */
    uint32_t *call_pair[2]; /* call → the other side's call, or NONE */
    uint32_t *row_pair[2]; /* row → its partner, or NONE */
    /* call → the separate call that adds its bias, treated as one with it; or NONE */
    uint32_t *adder[2];
    /* forward module → the call inside it that returns its result and whose partner stands behind the module's
     * partner (sequence_find_ends), or NONE */
    uint32_t *last_inner[2];
    uint32_t *weight_twin[2]; /* forward call's item → the other side's item that uses the same weight, or NONE */
    struct value_sample *sample[2]; /* of forward calls, by item; NULL: not taken */
    struct value_index *values; /* backward rows by value, a side each (sequence_values.c); NULL: not needed yet */
    uint32_t looked;       /* number of row pairs whose elements sequence_backward_values has read */
    uint32_t groups;
    bool by_input;         /* a side recorded no results of forward calls: their first inputs stand for them */
    struct nmap habits;    /* kind of pair and slot of a target row → slot of the golden one (by_habit) */
    sequence_list *out;
    sequence_views *views;
};

/* Whether a row is neither paired nor decided by the user. */
static inline bool sequence_free(const struct sequence *w, int s, uint32_t row)
{
    return !w->taken[s][row] && w->row_pair[s][row] == NONE;
}

/* Pairs the rows unless the user rejected that; both are then taken. */
void sequence_emit(struct sequence *w, uint32_t t, uint32_t g, enum pair_why why, float confidence);
/* The n-th tensor of more than one element with this role in the call, or NONE. */
uint32_t sequence_nth_row(const struct sequence *w, int s, uint32_t call, enum row_io io, int n);
/* The backward call of a forward one, or NONE: an operator in a graph dump has several, which only values distinguish
 * (sequence_backward_values). */
uint32_t sequence_twin(const struct sequence *w, int s, uint32_t call);
/* The parameters_grad record of a module by its scope (scope → call), or NONE. */
uint32_t sequence_gradient_of(const struct sequence *w, int s, uint32_t call, const struct nmap *by_scope);

/* Gives the target's items the golden side's layer numbers if the weights of their modules show other ones. */
void sequence_learn_layers(struct sequence *w);
/* Records evidence for a call's pair and its confidence before rows are examined; the highest confidence stays. */
void sequence_trust(struct align_item *a, enum pair_why why, float confidence);
void sequence_note(struct sequence *w, const align_item_list *A, const align_item_list *B); /* fills call_pair */
/* Weighs the evidence for each pair of the two lists. */
void sequence_weigh(struct sequence *w, align_item_list *A, align_item_list *B);
/* Pairs weights and biases of forward products that have no partner because they multiply other rows, such as those at
 * chosen positions alone. */
void sequence_pair_weights(struct sequence *w);
/* Fills weight_twin for the lists of forward calls. */
void sequence_find_weights(struct sequence *w, const align_item_list *t, const align_item_list *g);
/* Joins products with additions of their biases if the other side has one call for both; fills `adder`. */
void sequence_join_bias(struct sequence *w, align_item_list *t, align_item_list *g);
/* The row of the bias that a product, or the addition joined with it, adds; NONE if there is none. */
uint32_t sequence_bias_row(const struct sequence *w, int s, const struct align_item *product);
void sequence_pair_bias(struct sequence *w, const struct align_item *a, const struct align_item *b);
/* Samples the row's tensor; false if it cannot be read or is all zero. */
bool sequence_sample(const struct dump *d, uint32_t row, struct value_sample *out);
/* Whether elements of two rows, in stored order, show that they hold different values. Nearly equal elements are
 * another value (such as a rotated gradient); unrelated elements may be another axis order. *proven: they agree.
 * `row` is on side s, `other` on the other side. */
bool sequence_contradicted(struct sequence *w, int s, uint32_t row, uint32_t other, bool *proven);
/* Whether another backward row of a side holds the value of one of these two more nearly than they hold each other's: a
 * rotated gradient has almost the figures of the gradient. */
bool sequence_held_nearer(struct sequence *w, uint32_t t, uint32_t g);
void sequence_values_release(struct sequence *w);
float sequence_cosine(const struct value_sample *a, const struct value_sample *b); /* 0 if one is unknown */
/* Calls of two lists that use the same weight, or whose results are clearly nearest to each other, become SET_MATCH
 * regardless of order; calls that only exchanged their values are matched by the readers of their results. */
void sequence_pin(struct sequence *w, align_item_list *t, align_item_list *g);
/* Separates calls that are paired by order alone and whose results are unrelated. */
void sequence_part_contradicted(struct sequence *w, align_item_list *A, align_item_list *B);
/* Separates forward calls whose values and inputs differ although what is computed from them next agrees. */
void sequence_part_ended(struct sequence *w, align_item_list *A, align_item_list *B);
/* If launch order has crossed two pairs of one kind, the producers of their inputs decide. Where calls are recorded in
 * the order of their code (not loose), only losses are looked at, by their numbers. */
void sequence_uncross(struct sequence *w, align_item_list *A, align_item_list *B, bool loose);

/* Pairs the wide products of side s with their parts on the other side; `proven`: only if figures show it. */
void sequence_fuse(struct sequence *w, align_item_list *wide, align_item_list *narrow, int s, bool proven);
/* Pairs the rows of these groups; gradients: per side, scope → parameters_grad call. */
void sequence_pair_groups(struct sequence *w, const align_item_list *wide, const align_item_list *narrow, int s,
                          const struct nmap gradients[2]);
/* Pairs the weights and rows of experts that one side multiplies at once with those that the other calls one by one. */
void sequence_pair_experts(struct sequence *w);
/* Pairs results of whole calls with those of their last part if the figures are equal. */
void sequence_meet(struct sequence *w, const align_item_list *t, const align_item_list *g);

/* Finds paired modules of which one contains a call that the other side makes after it; fills `last_inner`. */
void sequence_find_ends(struct sequence *w);
/* Whether the rows of this role of two paired calls lie at different calls: a module's result, or its gradient. */
bool sequence_end_differs(const struct sequence *w, uint32_t t, uint32_t g, enum row_io io);
/* Pairs these rows, once the inner calls' rows are paired. */
void sequence_pair_ends(struct sequence *w);

/* The same number for all rows of one side with one value; 0 if its figures do not tell it from others. */
uint64_t sequence_value(const struct dump *d, uint32_t row);

/* Pairs the results that paired inputs hold, where the calls that made them have no partners on either side. */
void sequence_pair_sources(struct sequence *w);

/* Pairs the epsilons of norms that one side writes out as operators. */
void sequence_pair_epsilons(struct sequence *w);

/* Pairs the rows of one pair of calls: called first with `certain` for all calls (rows with evidence), then for the
 * others, using what the first pass showed. */
void sequence_pair_rows(struct sequence *w, const struct align_item *a, const struct align_item *b, bool certain);

/* Pairs gradients of weights and losses in graph dumps. */
void sequence_graph_gradients(struct sequence *w, const struct nmap gradients[2]);

/* For the remaining backward rows if side `graph` is a graph dump: pairs rows with equal values, then the outputs of
 * calls whose inputs were paired that way. */
void sequence_backward_values(struct sequence *w, int graph);
/* For the remaining rows if side `graph` is a graph dump: pairs gradients of one product's result or operand. */
void sequence_product_gradients(struct sequence *w, int graph);

#endif
