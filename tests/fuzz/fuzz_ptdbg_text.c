/* A text dump of 2022: what is opened has rows whose values, where it says so, are all there. */
#include "fuzz_dump.h"

#include "fmt/ptdbg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x;
    struct err e = {0};
    char path[600];
    snprintf(path, sizeof path, "%s/npu_dump", fuzz_dir());
    fuzz_put(fuzz_dir(), "npu_dump", fuzz_str(data, size));
    if (fuzz_open(&x, &reader_ptdbg_text, path, &e) == 0)
        fuzz_check_dump(&x.dump);
    fuzz_close(&x);
    return 0;
}
