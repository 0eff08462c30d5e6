/* Members of the lines that fmt/row_records.h reads, as packs and digests write them (doc/formats.md). */
#ifndef REPORT_ROW_RECORDS_WRITE_H
#define REPORT_ROW_RECORDS_WRITE_H

#include "base/json_write.h"
#include "dump/dump.h"

/* Which of the file's stacks and calls a call names: as they are numbered in the file, NONE where it names none. */
struct call_record_links {
    uint32_t stack, parent, twin;
};

/* All of a call, into the object that is open. */
void row_records_call(struct jsonw *w, const struct dump *d, uint32_t call, const struct call_record_links *l);
/* What a recording says of a row, of the file's call of that number, into the array that is open. Names no tensor. */
void row_records_row(struct jsonw *w, const struct dump *d, uint32_t row, uint32_t call);

#endif
