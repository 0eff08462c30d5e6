/* For judge/: which rows read the outputs of a side's calls, as far as recorded figures show it (dump/dataflow.h). */
#ifndef JUDGE_VALUE_READERS_H
#define JUDGE_VALUE_READERS_H

#include "dump/dataflow.h"

struct value_readers {
    uint32_t *first; /* per output row: the first row that reads its value; NONE */
    uint32_t *next;  /* per row: the next row that reads the same value */
};

void readers_build(struct value_readers *x, const struct dump *d, const struct dataflow *f);
void readers_release(struct value_readers *x);

#endif
