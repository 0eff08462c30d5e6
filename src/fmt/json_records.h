/* Recordings as JSON lines of any tool: one object for each tensor with its name, and figures, a digest, shape, type,
 * step and rank under the usual names, in any order. */
#ifndef FMT_JSON_RECORDS_H
#define FMT_JSON_RECORDS_H

#include "dump/reader.h"

extern const struct reader reader_json_records;

#endif
