/* The reader of the tensor view: one thread that opens the requested tensors and reads first what the screen shows,
 * then the whole tensor, so that drawing never waits for a disk. It uses no lock of the session and no pairing: a
 * case says which tensors are compared, and results belong to that case alone. */
#ifndef MEASURE_TENSOR_READER_H
#define MEASURE_TENSOR_READER_H

#include "base/job.h"
#include "measure/heat_map.h"
#include "measure/measure.h"
#include "measure/tensor_stats.h"

#define TENSOR_READER_HEATS 8 /* planes kept */

/* The tensors to show. Zero it before filling: cases are compared as bytes. */
struct tensor_reader_case {
    const struct dump *side[2];
    struct measure_job job; /* for two sides; for one side only its row counts, the other is NONE */
};

enum tensor_reader_state { TENSOR_READER_NOTHING, TENSOR_READER_OPENING, TENSOR_READER_OPEN, TENSOR_READER_FAILED };

struct tensor_reader {
    /* its lock guards everything below; held only while drawing or counting a range */
    struct job job;

    struct tensor_reader_case wanted, now;
    bool any;                /* something is wanted */
    enum tensor_reader_state state;  /* of `now`: the members below are valid while it is TENSOR_READER_OPEN */
    struct err err;          /* of TENSOR_READER_FAILED */
    struct element_lens lens;
    struct tensor_stats tally;
    struct heat_map heat[TENSOR_READER_HEATS];
    bool used[TENSOR_READER_HEATS];
    int next;                /* index of the plane to be replaced */
    struct heat_map_ask ask;
    bool asked;
    uint64_t element_at;     /* index of the requested element, and of the one read */
    uint64_t element_of;
    bool element_asked, element_known;
    struct element_lens_element element;
};

/* notify(ctx): there is something new to show; called by the job's thread. */
void tensor_reader_init(struct tensor_reader *s, void (*notify)(void *ctx), void *ctx);
void tensor_reader_release(struct tensor_reader *s); /* waits for the job; to be called before the dumps are released */
/* Opens the tensors of a case synchronously; the caller releases l. */
int tensor_reader_open_case(const struct tensor_reader_case *c, struct element_lens *l, struct err *e);
bool tensor_reader_case_same(const struct tensor_reader_case *a, const struct tensor_reader_case *b);

/* All functions below except tensor_reader_wait are called between these two, which take and release the job's lock. */
void tensor_reader_lock(const struct tensor_reader *s);
void tensor_reader_unlock(const struct tensor_reader *s);
/* Sets the case to show; data of another case are dropped. */
void tensor_reader_want(struct tensor_reader *s, const struct tensor_reader_case *c);
void tensor_reader_want_nothing(struct tensor_reader *s);
/* Whether the data belong to the wanted case: TENSOR_READER_OPENING until then. */
enum tensor_reader_state tensor_reader_ready(const struct tensor_reader *s);
/* Sets the plane and the element to read next. */
void tensor_reader_ask(struct tensor_reader *s, const struct heat_map_ask *plane, uint64_t element);
/* The requested plane as far as it has been read, valid while the lock is held; NULL: nothing yet. */
const struct heat_map *tensor_reader_heat(const struct tensor_reader *s);
/* That element on both sides; NULL: not read yet. */
const struct element_lens_element *tensor_reader_element(const struct tensor_reader *s, uint64_t at);
/* Waits until everything wanted has been read. */
void tensor_reader_wait(struct tensor_reader *s);

#endif
