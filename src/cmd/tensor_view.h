/* The state of the tensor view without its drawing: the row, the two displayed axes, the cursor, the scale. It shows
 * the row under the workspace's cursor, independent of later pairings; measure/tensor_reader reads the data. */
#ifndef CMD_TENSOR_VIEW_H
#define CMD_TENSOR_VIEW_H

#include "measure/tensor_reader.h"
#include "session/session.h"

enum tensor_view_of { TENSOR_VIEW_NOTHING, TENSOR_VIEW_PENDING, TENSOR_VIEW_BOTH, TENSOR_VIEW_ALONE };

struct tensor_view {
    bool open;
    struct tensor_reader reader;
    enum tensor_view_of of;        /* what can be shown for the row */
    enum side alone;         /* for TENSOR_VIEW_ALONE: the side; otherwise the requested side */
    enum heat_map_kind shown;    /* the active one of the three maps */
    bool linear[2];          /* linear shading, otherwise logarithmic: of errors, of values */
    int magnified;           /* zoom steps of factor 4 */
    int numbers;             /* show elements as numbers: 1 yes, -1 no, 0: if the plane is small */
    bool single;             /* one element per cell */

    struct tensor_reader_case placed_for; /* the case to which the following belong */
    bool placed;
    int64_t wish[TENSOR_DIMS]; /* the requested cursor, once the tensor is open */
    int wishes;              /* number of indices in it; 0: none */
    int axis[2];             /* rows (-1: none), columns */
    int slider;              /* the hidden axis to move along; -1: there is none */
    int64_t at[TENSOR_DIMS]; /* the cursor */
    int64_t from[2], size[2]; /* as last drawn: first element, elements per cell */
    int cells[2];
    int place;               /* position in the list of worst or non-finite elements; -1: none */
};

struct workspace;

void tensor_view_init(struct tensor_view *s, struct session *of);
void tensor_view_release(struct tensor_view *s); /* to be called before the session stops, without its lock */

/* The following are called with the session's lock held: */
bool tensor_view_possible(const struct workspace *d, uint32_t line); /* a tensor of the line can be read */
void tensor_view_refresh(struct workspace *d); /* switches to the row under the cursor */

/* Called with the session's and the reader's locks held: the state for the row. Once it is TENSOR_READER_OPEN, axes
 * and cursor belong to this tensor; before, they may still belong to the previous one. */
enum tensor_reader_state tensor_view_ready(struct workspace *d);
/* The same without changes: a tensor that tensor_view_ready has not seen open counts as opening. */
enum tensor_reader_state tensor_view_state(const struct tensor_view *s);

/* Called with the reader's lock held and TENSOR_READER_OPEN: */
void tensor_view_go(struct tensor_view *s, uint64_t index);
/* The plane for maps of at most h × w cells, scrolled to contain the cursor. */
void tensor_view_ask(struct tensor_view *s, int h, int w, struct heat_map_ask *ask);
/* The active map among those available. */
enum heat_map_kind tensor_view_kind(const struct tensor_view *s);

#endif
