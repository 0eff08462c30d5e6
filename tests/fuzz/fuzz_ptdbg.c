/* A ptdbg folder: the .pkl (JSON lines), and behind "%%" the bytes of every tensor file its first rows name. */
#include "fuzz_dump.h"

#include "fmt/ptdbg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x;
    struct str rest = fuzz_str(data, size);
    struct err e = {0};
    const char *dir = fuzz_dir();
    char tensors[600];
    snprintf(tensors, sizeof tensors, "%s/api_stack_dump", dir);
    mkdir(tensors, 0755);
    fuzz_put(dir, "api_stack_dump.pkl", fuzz_part(&rest));
    fuzz_put(tensors, "Tensor_a_0_forward_input.0.npy", rest);
    if (fuzz_open(&x, &reader_ptdbg, dir, &e) == 0)
        fuzz_check_dump(&x.dump);
    fuzz_close(&x);
    return 0;
}
