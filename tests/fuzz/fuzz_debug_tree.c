/* Call trees of transformers' model_addition_debugger. */
#include "fuzz_dump.h"

#include "fmt/debug_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x;
    struct err e = {0};
    const char *path = fuzz_put(fuzz_dir(), "M_debug_tree_SUMMARY.json", fuzz_str(data, size));
    if (fuzz_open(&x, &reader_debug_tree, path, &e) == 0) {
        fuzz_check_dump(&x.dump);
        assert(x.dump.rows.n);
    }
    fuzz_close(&x);
    return 0;
}
