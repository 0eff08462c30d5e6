/* Operators that only move values: for each output element the place it comes from. Gradients are moved back by the
 * same places. */
#ifndef ORACLE_MOVES_H
#define ORACLE_MOVES_H

#include "oracle/gradients.h"

enum { MOVES_TENSORS = 512 };
#define MOVES_NOWHERE -1.0 /* the place of an element that does not come from an input */

/* An operator's inputs, concatenated, and the place each output element comes from. Places are integers stored as
 * doubles, so that the same functions handle places and values. */
struct moves {
    const struct real_tensor *in[MOVES_TENSORS];
    struct real_tensor place[MOVES_TENSORS]; /* places of the inputs' own elements */
    int ins;
    struct real_tensor out[MOVES_TENSORS]; /* places of the output elements */
    int outs;
    double fill; /* value of elements that do not come from an input */
};

/* Adds an operator's inputs and outputs, or says why that is not possible. */
typedef void places_function(struct call_values *c, struct moves *m);

/* Adds the tensor as the next input and returns its places; NULL, with the reason recorded, if there is no tensor. */
struct real_tensor *moves_add_input(struct call_values *c, struct moves *m, const struct real_tensor *t);
/* The same for the call's first argument. */
struct real_tensor *moves_first_input(struct call_values *c, struct moves *m);
void moves_add_output(struct moves *m, struct real_tensor places);

/* Adds candidates for all outputs; values are converted to integer or boolean output types. */
void moves_forward(struct call_values *c, places_function *places, const char *formula);
/* Adds candidates for the gradients of all inputs. */
void moves_backward(struct call_values *c, places_function *places);
/* The incoming gradients of all outputs, concatenated, with the places they go to; `reversed`: they were recorded in
 * reverse order. False if they do not fit. */
bool moves_gradients(struct call_values *c, const struct moves *m, bool reversed, struct real_tensor *g,
                     int64_t **place);

/* n elements of an axis from index `from`, with stride `step`. If the result would be too large, returns t with the
 * reason recorded, as does moves_chosen. */
struct real_tensor moves_cut(struct call_values *c, const struct real_tensor *t, int axis, int64_t from, int64_t n,
                             int64_t step);
/* The given elements of an axis, in that order. */
struct real_tensor moves_chosen(struct call_values *c, const struct real_tensor *t, int axis, const int64_t *index,
                                int64_t n);
/* A tensor's integers as indices of an axis of n elements, negative ones from the end; NULL, with the reason
 * recorded, if one is out of range. */
int64_t *moves_indices(struct call_values *c, const struct real_tensor *t, int64_t n);
/* Merges axes [axis, axis + n) of t into one; t itself if n is 0. */
struct real_tensor moves_merged(struct real_tensor t, int axis, int n);

/* Defines name_forward and name_backward from name_places. */
#define MOVE_FORWARD(name, formula)                    \
    static void name##_forward(struct call_values *c)  \
    {                                                  \
        moves_forward(c, name##_places, formula);      \
    }
#define MOVE_BACKWARD(name)                            \
    static void name##_backward(struct call_values *c) \
    {                                                  \
        moves_backward(c, name##_places);              \
    }
#define MOVE_ROW_OF(words, name, sizes, from)                                                               \
    {.names = words, .move = true, .forward = name##_forward, .backward = name##_backward, .source = from, \
     .misfit = sizes}
#define MOVE_ROW(words, name, from) MOVE_ROW_OF(words, name, NULL, from)

#endif
