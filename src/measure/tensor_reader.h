/* The tensor view's reader: one thread that opens what is asked for, reads what the screen shows first and the whole
 * tensor after it, so that drawing never waits for a disk. It holds no lock of the session and keeps no pairing: a
 * case says by itself which tensors lie on each other, and what is known belongs to that case alone. */
#ifndef MEASURE_TENSOR_READER_H
#define MEASURE_TENSOR_READER_H

#include "base/job.h"
#include "measure/heat_map.h"
#include "measure/measure.h"
#include "measure/tensor_stats.h"

#define GAZE_HEATS 8 /* planes kept at hand */

/* What is looked at. Zeroed before it is filled: cases are compared. */
struct gaze_case {
    const struct dump *side[2];
    struct measure_job job; /* of two sides; of one alone only its row counts, the other is NONE */
};

enum gaze_state { GAZE_NOTHING, GAZE_OPENING, GAZE_OPEN, GAZE_FAILED };

struct gaze {
    struct job job;          /* its lock guards everything below; taken for the time of a drawing or of counting a stretch */

    struct gaze_case wanted, now;
    bool any;                /* something is wanted */
    enum gaze_state state;  /* of `now`: what follows is there while it is GAZE_OPEN */
    struct err err;          /* of GAZE_FAILED */
    struct lens lens;
    struct tally tally;
    struct heat heat[GAZE_HEATS];
    bool used[GAZE_HEATS];
    int next;                /* the plane to be replaced */
    struct heat_ask ask;
    bool asked;
    uint64_t element_at;     /* the element that is wanted, and the one that is there */
    uint64_t element_of;
    bool element_asked, element_known;
    struct lens_element element;
};

/* notify(ctx): something new is to be seen; called by the job's thread. */
void gaze_init(struct gaze *s, void (*notify)(void *ctx), void *ctx);
void gaze_release(struct gaze *s); /* waits for the job; before the dumps go */
/* Opens what a case names, for one who has no thread to wait for; lens_release it. */
int gaze_open_case(const struct gaze_case *c, struct lens *l, struct err *e);
bool gaze_case_same(const struct gaze_case *a, const struct gaze_case *b);

/* All below but gaze_wait with the job's lock held. */
/* What is to be looked at from now on; what was known of another case is gone. */
void gaze_want(struct gaze *s, const struct gaze_case *c);
void gaze_want_nothing(struct gaze *s);
/* Whether what is there belongs to what is wanted: GAZE_OPENING until it does. */
enum gaze_state gaze_ready(const struct gaze *s);
/* The plane as far as it is known, good while the lock is held; asks for it. NULL: nothing yet. */
const struct heat *gaze_heat(struct gaze *s, const struct heat_ask *ask);
/* The element there in both sides, asked for likewise. */
const struct lens_element *gaze_element(struct gaze *s, uint64_t at);
/* Until nothing wanted is still to be read. */
void gaze_wait(struct gaze *s);

#endif
