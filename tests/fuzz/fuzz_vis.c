/* Graphs of msprobe's visualization. */
#include "fuzz_dump.h"

#include "fmt/result_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_put(fuzz_dir(), "compare.vis", fuzz_str(data, size));
    for (uint8_t column = TARGET; column <= COLUMN_ALL; column++) {
        struct fuzz_dump x;
        struct err e = {0};
        if (fuzz_open_column(&x, &reader_msprobe_vis, path, column, &e) == 0)
            fuzz_check_dump(&x.dump);
        fuzz_close(&x);
    }
    return 0;
}
