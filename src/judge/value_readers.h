/* For judge/: who reads the values a side's calls put out, as far as the recorded figures show it (dump/dataflow.h). */
#ifndef JUDGE_VALUE_READERS_H
#define JUDGE_VALUE_READERS_H

#include "dump/dataflow.h"

struct value_readers {
    uint32_t *first; /* per output row: the first row that reads its value; NONE */
    uint32_t *next;  /* per row: the next one that does */
};

void readers_build(struct value_readers *x, const struct dump *d, const struct dataflow *f);
void readers_release(struct value_readers *x);

#endif
