#ifndef FMT_MSPROBE_H
#define FMT_MSPROBE_H

#include <cjson/cJSON.h>

#include "base/json_repeat.h"
#include "dump/reader.h"

extern const struct reader reader_msprobe;
extern const struct reader reader_msprobe_overflow; /* what `msprobe overflow_check` found */

/* Adds a call by msprobe's name for it: kind, phase, family and scope follow from the name. `offset` is
 * its place in the file. */
uint32_t msprobe_add_call(struct dump *d, struct str name, uint64_t offset);

/* Records being appended to a dump; slot is scratch space, released by the caller. */
struct msprobe_fill {
    struct dump *d;
    struct json_templates *templates; /* where records repeat (base/json_repeat.h), or NULL */
    struct json_template *making; /* whose rows are noted, or NULL */
    bool saved;               /* the call is a value saved by hand */
    const char *path; /* of the file they are in, and where the record begins: for messages */
    uint64_t offset;
    const char *ext; /* ".pt" or ".npy": of tensor files that are named after their row */
    uint16_t part;   /* row_extra.part of rows with a file */
    uint32_t call;   /* the one added last */
    struct buf slot;
    enum row_io io;
    char dtype_name[24]; /* the type named last, and what it is */
    enum dtype dtype;
};

/* Keys whose values differ where records repeat (json_pool_repeats). */
extern const char *const msprobe_varying[];

/* A call with its rows from the record's tree: {"input_args": […], "output": […]}, {"weight": [tensor]} of
 * parameters_grad, or of a name that ends in ".debug" the value itself. */
void msprobe_add_record(struct msprobe_fill *f, struct str name, uint64_t offset, const cJSON *record);

/* A list of frames, innermost first, as the dump's next stack; its number. */
uint32_t msprobe_add_stack(struct dump *d, const cJSON *frames);
void msprobe_set_stack(struct dump *d, struct str call, uint32_t stack); /* a call that is not there is passed over */

#endif
