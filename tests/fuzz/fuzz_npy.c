/* One .npy file, its header and then its elements. */
#include "fuzz.h"

#include "fmt/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tensor t = {0};
    struct err e;
    if (file_open(&t.file, fuzz_file(fuzz_str(data, size)), &e))
        abort();
    if (npy_open(&t, &e) == 0) {
        assert(t.dtype != DTYPE_UNKNOWN && t.ndim <= TENSOR_DIMS && t.offset <= size);
        fuzz_figures(&t);
    }
    tensor_close(&t);
    return 0;
}
