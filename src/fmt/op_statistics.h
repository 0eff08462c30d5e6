/* TorchTitan's activation tracer: figures of every operator's result in a step, one text file per rank. */
#ifndef FMT_OP_STATISTICS_H
#define FMT_OP_STATISTICS_H

#include "dump/reader.h"

extern const struct reader reader_op_statistics;

#endif
