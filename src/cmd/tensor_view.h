/* The tensor view as far as it is no screen: which row's tensors are looked at, by which two axes, where the cursor
 * is, how far it is drawn together. What it shows belongs to the row under the workspace's cursor, whatever became of
 * the pairing since; the reading is measure/tensor_reader's. */
#ifndef CMD_TENSOR_VIEW_H
#define CMD_TENSOR_VIEW_H

#include "measure/tensor_reader.h"
#include "session/session.h"

enum tensor_view_of { TENSOR_VIEW_NOTHING, TENSOR_VIEW_PENDING, TENSOR_VIEW_BOTH, TENSOR_VIEW_ALONE };

struct tensor_view {
    bool open;
    struct tensor_reader reader;
    enum tensor_view_of of;        /* what there is to see of the row */
    enum side alone;         /* of TENSOR_VIEW_ALONE: whose; elsewhere the wish for one */
    enum heat_map_kind shown;    /* which of the three maps counts */
    bool linear[2];          /* shades by equal steps, else by powers of ten: of errors, of values */
    int magnified;           /* by 4 each */
    int numbers;             /* elements as numbers: 1 wanted, -1 not, 0: where the plane is small */
    bool single;             /* a cell of the maps is one element */

    struct tensor_reader_case placed_for; /* the case these belong to */
    bool placed;
    int64_t wish[TENSOR_DIMS]; /* where the cursor goes once the tensor is open */
    int wishes;              /* indices of it; 0: nowhere */
    int axis[2];             /* rows (-1: none), columns */
    int slider;              /* the axis slide moves along; -1: there is none */
    int64_t at[TENSOR_DIMS]; /* the cursor */
    int64_t from[2], size[2]; /* of what was drawn last: first element, elements a cell */
    int cells[2];
    int place;               /* in the list of the worst, of the non-finite; -1: at none */
};

struct workspace;

void tensor_view_init(struct tensor_view *s, struct session *of);
void tensor_view_release(struct tensor_view *s); /* before the session stops, its lock not held */

/* With the session's lock held: */
bool tensor_view_possible(const struct workspace *d, uint32_t line); /* a tensor of the line can be read */
void tensor_view_refresh(struct workspace *d); /* turns to the row under the cursor */

/* With the session's and the reader's lock held: what is there of the row. Once that is TENSOR_READER_OPEN, axes and
 * cursor are its own; until this has been asked they may still be of the tensor before. */
enum tensor_reader_state tensor_view_ready(struct workspace *d);
/* The same for who changes nothing: a tensor that tensor_view_ready has not seen open is still opening. */
enum tensor_reader_state tensor_view_state(const struct tensor_view *s);

/* With the reader's lock held and TENSOR_READER_OPEN: */
void tensor_view_go(struct tensor_view *s, uint64_t index);
/* The plane for maps of h × w cells at most, scrolled so that the cursor is inside. */
void tensor_view_ask(struct tensor_view *s, int h, int w, struct heat_map_ask *ask);
/* The map that counts, among those there are. */
enum heat_map_kind tensor_view_kind(const struct tensor_view *s);

#endif
