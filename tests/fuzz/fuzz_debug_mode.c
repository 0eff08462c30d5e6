/* Text dumps of PyTorch's DebugMode. */
#include "fuzz_dump.h"

#include "fmt/debug_mode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x;
    struct err e = {0};
    const char *path = fuzz_put(fuzz_dir(), "debug.txt", fuzz_str(data, size));
    reader_debug_mode.probe(path);
    if (fuzz_open(&x, &reader_debug_mode, path, &e) == 0) {
        fuzz_check_dump(&x.dump);
        assert(x.dump.rows.n);
    }
    fuzz_close(&x);
    return 0;
}
