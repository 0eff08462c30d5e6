#include "fmt/msdump.h"
#include "fmt/msprobe.h"
#include "fmt/ptdbg.h"
#include "fmt/reader.h"

const struct reader *const readers[] = {
    &reader_msprobe,
    &reader_msdump,
    &reader_ptdbg,
    NULL,
};
