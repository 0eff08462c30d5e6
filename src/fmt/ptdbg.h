#ifndef FMT_PTDBG_H
#define FMT_PTDBG_H

#include "fmt/reader.h"

extern const struct reader reader_ptdbg;

#endif
