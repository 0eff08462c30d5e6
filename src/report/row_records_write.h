/* Members of the lines that fmt/row_records.h reads, as packs and digests write them (doc/formats.md). */
#ifndef REPORT_ROW_RECORDS_WRITE_H
#define REPORT_ROW_RECORDS_WRITE_H

#include "base/json_write.h"
#include "dump/dump.h"

/* Which of the file's stacks and calls a call names: as they are numbered in the file, NONE where it names none. */
struct call_record_links {
    uint32_t stack, parent, twin;
};

/* A line of the file: an object. */
void row_records_begin(struct jsonw *w, struct buf *out);
void row_records_end(struct jsonw *w);
/* What the first line says of the recording, into the object that is open. */
void row_records_head_write(struct jsonw *w, const struct dump *d);
/* How a frame that is one text is written, and the path of a frame's file. */
struct stack_texts {
    void (*text)(struct jsonw *w, const void *ctx, const char *s);
    void (*file)(struct jsonw *w, const void *ctx, const char *s);
    const void *ctx;
};
/* A stack, into the object that is open. t NULL: all as it is. */
void row_records_stack(struct jsonw *w, const struct dump *d, const struct stack *s, const struct stack_texts *t);
/* All of a call, into the object that is open. */
void row_records_call(struct jsonw *w, const struct dump *d, uint32_t call, const struct call_record_links *l);
/* What a recording says of a row, of the file's call of that number, into the array that is open. Names no tensor. */
void row_records_row(struct jsonw *w, const struct dump *d, uint32_t row, uint32_t call);

#endif
