/* Megatron-LM's routing traces: the experts chosen for each token, as JSON lines, one file per rank. */
#ifndef FMT_ROUTING_TRACE_H
#define FMT_ROUTING_TRACE_H

#include "dump/reader.h"

extern const struct reader reader_routing_trace;

#endif
