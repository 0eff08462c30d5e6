/* The tensor view as far as it is no screen: which row's tensors are looked at, by which two axes, where the cursor
 * is, how far it is drawn together. What it shows belongs to the row under the desk's cursor, whatever became of the
 * pairing since; the reading is measure/tensor_reader's. */
#ifndef CMD_TENSOR_VIEW_H
#define CMD_TENSOR_VIEW_H

#include "measure/tensor_reader.h"
#include "session/session.h"

enum sight_of { SIGHT_NOTHING, SIGHT_PENDING, SIGHT_BOTH, SIGHT_ALONE };

struct sight {
    bool open;
    struct gaze gaze;
    enum sight_of of;        /* what there is to see of the row */
    enum side alone;         /* of SIGHT_ALONE: whose; elsewhere the wish for one */
    enum heat_kind shown;    /* which of the three maps counts */
    bool linear[2];          /* shades by equal steps, else by powers of ten: of errors, of values */
    int magnified;           /* by 4 each */

    struct gaze_case placed_for; /* the case these belong to */
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

struct desk;

void sight_init(struct sight *s, struct session *of);
void sight_release(struct sight *s); /* before the session stops, its lock not held */

/* With the session's lock held: */
bool sight_possible(const struct desk *d, uint32_t line); /* a tensor of the line can be read */
void sight_refresh(struct desk *d); /* turns to the row under the cursor */

/* With the session's and the gaze's lock held: what is there of the row. Once that is GAZE_OPEN, axes and cursor are its own;
 * until this has been asked they may still be of the tensor before. */
enum gaze_state sight_ready(struct desk *d);

/* With the gaze's lock held and GAZE_OPEN: */
void sight_go(struct sight *s, uint64_t index);
/* The plane for maps of h × w cells at most, scrolled so that the cursor is inside. */
void sight_ask(struct sight *s, int h, int w, struct heat_ask *ask);
/* The map that counts, among those there are. */
enum heat_kind sight_kind(const struct sight *s);

#endif
