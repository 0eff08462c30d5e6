/* Text dumps of PyTorch's DebugMode (torch.utils._debug_mode): a line for each dispatched operator, indented by where
 * it was called, with types and shapes and, if recorded, a hash of its results. */
#ifndef FMT_DEBUG_MODE_H
#define FMT_DEBUG_MODE_H

#include "dump/reader.h"

extern const struct reader reader_debug_mode;

#endif
