/* A binary operator dump of CANN; the same bytes as an overflow record beside it. */
#include "fuzz_dump.h"

#include "fmt/msdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x;
    struct err e = {0};
    const char *dir = fuzz_dir();
    fuzz_put(dir, "Add.Default_net-Net_Add-op1.1.0.1732082705000010", fuzz_str(data, size));
    fuzz_put(dir, "Opdebug.Node_OpDebug.9.5.1732082705016774", fuzz_str(data, size));
    if (fuzz_open(&x, &reader_msdump, dir, &e) == 0)
        fuzz_check_dump(&x.dump);
    fuzz_close(&x);
    return 0;
}
