#ifndef FMT_MSDUMP_H
#define FMT_MSDUMP_H

#include "fmt/reader.h"

extern const struct reader reader_msdump;

#endif
