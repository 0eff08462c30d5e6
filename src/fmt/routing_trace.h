/* Megatron-LM's traces of routing: which experts each token went to, JSON lines, a file a rank. */
#ifndef FMT_ROUTING_TRACE_H
#define FMT_ROUTING_TRACE_H

#include "dump/reader.h"

extern const struct reader reader_routing_trace;

#endif
