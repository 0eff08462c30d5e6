#ifndef FMT_MSPROBE_H
#define FMT_MSPROBE_H

#include "fmt/reader.h"

extern const struct reader reader_msprobe;

#endif
