/* Writes the lines that fmt/row_records.h reads, for packs and digests (doc/formats.md). */
#ifndef REPORT_ROW_RECORDS_WRITE_H
#define REPORT_ROW_RECORDS_WRITE_H

#include "base/json_write.h"
#include "dump/dump.h"

/* A list of sizes, or null without a shape. */
void shape_json(struct jsonw *w, const struct shape *shape);

/* A call's stack, parent and twin, by their numbers in the file; NONE if absent. */
struct call_record_links {
    uint32_t stack, parent, twin;
};

/* A line of the file is one object. */
void row_records_begin(struct jsonw *w, struct buf *out);
void row_records_end(struct jsonw *w);
/* Adds the header data of the recording to the open object. */
void row_records_head_write(struct jsonw *w, const struct dump *d);
/* How to write unparsed frames, and the paths of frames' files. */
struct stack_texts {
    void (*text)(struct jsonw *w, const void *ctx, const char *s);
    void (*file)(struct jsonw *w, const void *ctx, const char *s);
    const void *ctx;
};
/* Adds a stack to the open object. t NULL: texts unchanged. */
void row_records_stack(struct jsonw *w, const struct dump *d, const struct stack *s, const struct stack_texts *t);
/* Adds all data of a call to the open object. */
void row_records_call(struct jsonw *w, const struct dump *d, uint32_t call, const struct call_record_links *l);
/* Adds the recorded data of a row to the open array; call: the call's number in the file. Tensor file names are left
 * out. */
void row_records_row(struct jsonw *w, const struct dump *d, uint32_t row, uint32_t call);

#endif
