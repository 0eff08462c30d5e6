/* The tensor view's reader: one thread that opens what is asked for, reads what the screen shows first and the whole
 * tensor after it, so that drawing never waits for a disk. It holds no lock of the session and keeps no pairing: a
 * case says by itself which tensors lie on each other, and what is known belongs to that case alone. */
#ifndef MEASURE_TENSOR_READER_H
#define MEASURE_TENSOR_READER_H

#include "base/job.h"
#include "measure/heat_map.h"
#include "measure/measure.h"
#include "measure/tensor_stats.h"

#define TENSOR_READER_HEATS 8 /* planes kept at hand */

/* What is looked at. Zeroed before it is filled: cases are compared. */
struct tensor_reader_case {
    const struct dump *side[2];
    struct measure_job job; /* of two sides; of one alone only its row counts, the other is NONE */
};

enum tensor_reader_state { TENSOR_READER_NOTHING, TENSOR_READER_OPENING, TENSOR_READER_OPEN, TENSOR_READER_FAILED };

struct tensor_reader {
    /* its lock guards everything below; taken for the time of a drawing or of counting a stretch */
    struct job job;

    struct tensor_reader_case wanted, now;
    bool any;                /* something is wanted */
    enum tensor_reader_state state;  /* of `now`: what follows is there while it is TENSOR_READER_OPEN */
    struct err err;          /* of TENSOR_READER_FAILED */
    struct element_lens lens;
    struct tensor_stats tally;
    struct heat_map heat[TENSOR_READER_HEATS];
    bool used[TENSOR_READER_HEATS];
    int next;                /* the plane to be replaced */
    struct heat_map_ask ask;
    bool asked;
    uint64_t element_at;     /* the element that is wanted, and the one that is there */
    uint64_t element_of;
    bool element_asked, element_known;
    struct element_lens_element element;
};

/* notify(ctx): something new is to be seen; called by the job's thread. */
void tensor_reader_init(struct tensor_reader *s, void (*notify)(void *ctx), void *ctx);
void tensor_reader_release(struct tensor_reader *s); /* waits for the job; before the dumps go */
/* Opens what a case names, for one who has no thread to wait for; element_lens_release it. */
int tensor_reader_open_case(const struct tensor_reader_case *c, struct element_lens *l, struct err *e);
bool tensor_reader_case_same(const struct tensor_reader_case *a, const struct tensor_reader_case *b);

/* All below but tensor_reader_wait between these two: they take and give the job's lock, which is not part of what is
 * read. */
void tensor_reader_lock(const struct tensor_reader *s);
void tensor_reader_unlock(const struct tensor_reader *s);
/* What is to be looked at from now on; what was known of another case is gone. */
void tensor_reader_want(struct tensor_reader *s, const struct tensor_reader_case *c);
void tensor_reader_want_nothing(struct tensor_reader *s);
/* Whether what is there belongs to what is wanted: TENSOR_READER_OPENING until it does. */
enum tensor_reader_state tensor_reader_ready(const struct tensor_reader *s);
/* The plane and the element to be read next. */
void tensor_reader_ask(struct tensor_reader *s, const struct heat_map_ask *plane, uint64_t element);
/* The plane asked for as far as it is known, good while the lock is held; NULL: nothing yet. */
const struct heat_map *tensor_reader_heat(const struct tensor_reader *s);
/* The element there in both sides; NULL: not read yet. */
const struct element_lens_element *tensor_reader_element(const struct tensor_reader *s, uint64_t at);
/* Until nothing wanted is still to be read. */
void tensor_reader_wait(struct tensor_reader *s);

#endif
