#ifndef FMT_MSPROBE_H
#define FMT_MSPROBE_H

#include <cjson/cJSON.h>

#include "base/json_repeat.h"
#include "base/json_texts.h"
#include "dump/reader.h"

extern const struct reader reader_msprobe;
extern const struct reader reader_msprobe_overflow; /* results of `msprobe overflow_check` */

/* Adds a call under msprobe's name; kind, phase, family and scope follow from the name. `offset` is its position in
 * the file. */
uint32_t msprobe_add_call(struct dump *d, struct str name, uint64_t offset);

/* State while records are appended to a dump; the caller releases `slot`. */
struct msprobe_fill {
    struct dump *d;
    struct json_templates *templates; /* if records may repeat (base/json_repeat.h), or NULL */
    struct json_template *making; /* the template being built, or NULL */
    bool saved;               /* the call is a value saved by hand */
    const char *path; /* the file of the record, and the record's offset: for messages */
    uint64_t offset;
    const char *ext; /* ".pt" or ".npy": extension of tensor files that are named after their row */
    uint16_t part;   /* row_extra.part of rows with a file */
    uint32_t call;   /* the call added last */
    struct buf slot;
    enum row_io io;
    char dtype_name[24]; /* the name and value of the type looked up last */
    enum dtype dtype;
};

/* Keys whose values differ between repeated records (json_pool_repeats). */
extern const char *const msprobe_varying[];

/* Adds a call with its rows from the record's tree: {"input_args": […], "output": […]}, or {"weight": [tensor]} for
 * parameters_grad, or the value itself if the name ends in ".debug". */
void msprobe_add_record(struct msprobe_fill *f, struct str name, uint64_t offset, const cJSON *record);

/* Adds a list of frames, innermost first, as a stack; returns its index. texts: those of the frames' tree, or NULL. */
uint32_t msprobe_add_stack(struct dump *d, const cJSON *frames, struct json_texts *texts);

#endif
