/* Operators that move values and compute nothing: the places their outputs' elements come from. Gradients go back by
 * the same places. */
#ifndef ORACLE_MOVES_H
#define ORACLE_MOVES_H

#include "oracle/gradients.h"

enum { MOVES_TENSORS = 512 };
#define MOVES_NOWHERE -1.0 /* the place of an element that comes from no input */

/* An operator's inputs one behind the other, and where each element of its outputs comes from. Places are whole numbers
 * in doubles, so that the same functions move them and values. */
struct moves {
    const struct real_tensor *in[MOVES_TENSORS];
    struct real_tensor place[MOVES_TENSORS]; /* of the inputs' own elements */
    int ins;
    struct real_tensor out[MOVES_TENSORS]; /* places of each output's elements */
    int outs;
    double fill; /* of elements that come from no input */
};

/* Adds an operator's inputs and outputs, or says why it cannot. */
typedef void places_function(struct call_values *c, struct moves *m);

/* The places of the tensor, which becomes the next input; NULL, with the reason said, where there is none. */
struct real_tensor *moves_add_input(struct call_values *c, struct moves *m, const struct real_tensor *t);
/* The same of the call's first argument. */
struct real_tensor *moves_first_input(struct call_values *c, struct moves *m);
void moves_add_output(struct moves *m, struct real_tensor places);

/* Candidates for all outputs; a value is cut as the output's integer or boolean type asks for. */
void moves_forward(struct call_values *c, places_function *places, const char *formula);
/* Candidates for the gradients of all inputs. */
void moves_backward(struct call_values *c, places_function *places);
/* The incoming gradients of all outputs, one behind the other, with the places they go to; `reversed`: they were
 * recorded last first. False where they do not fit. */
bool moves_gradients(struct call_values *c, const struct moves *m, bool reversed, struct real_tensor *g,
                     int64_t **place);

/* n elements of an axis from `from` on, each `step` behind the one before. t itself, with the reason said, where more
 * than is held would come of it; the same of moves_chosen. */
struct real_tensor moves_cut(struct call_values *c, const struct real_tensor *t, int axis, int64_t from, int64_t n,
                             int64_t step);
/* Those elements of an axis, in that order. */
struct real_tensor moves_chosen(struct call_values *c, const struct real_tensor *t, int axis, const int64_t *index,
                                int64_t n);
/* A tensor's whole numbers as indices of an axis of n elements, negative ones from the end; NULL, with the reason said,
 * where one is out of range. */
int64_t *moves_indices(struct call_values *c, const struct real_tensor *t, int64_t n);
/* Axes [axis, axis + n), which t has, as one; t itself where n is 0. */
struct real_tensor moves_merged(struct real_tensor t, int axis, int n);

/* name_forward and name_backward from name_places. */
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
#define MOVE_ROW(words, name, from)                    \
    {.names = words, .move = true, .forward = name##_forward, .backward = name##_backward, .source = from}

#endif
