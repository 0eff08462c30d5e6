/* TorchTitan's log of a step's activations. */
#include "fuzz_dump.h"

#include "fmt/op_statistics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x;
    struct err e = {0};
    const char *path = fuzz_put(fuzz_dir(), "rank_0_activations.log", fuzz_str(data, size));
    if (fuzz_open(&x, &reader_op_statistics, path, &e) == 0) {
        fuzz_check_dump(&x.dump);
        assert(x.dump.rows.n);
        for (size_t r = 0; r < x.dump.rows.n; r++)
            assert(x.dump.rows.v[r].has & HAS_SHAPE || x.dump.problems.n);
    }
    fuzz_close(&x);
    return 0;
}
