/* What msprobe writes beside whole dumps, cut apart at a line of "%%": a debug.json, and a result of
 * overflow_check. */
#include "fuzz_dump.h"

#include "fmt/msprobe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x;
    struct str rest = fuzz_str(data, size);
    struct err e = {0};
    const char *dir = fuzz_dir();
    fuzz_put(dir, "debug.json", fuzz_part(&rest));
    if (fuzz_open(&x, &reader_msprobe, dir, &e) == 0)
        fuzz_check_dump(&x.dump);
    fuzz_close(&x);
    char path[600];
    snprintf(path, sizeof path, "%s", fuzz_put(dir, "anomaly_analyze_1.json", rest));
    reader_msprobe_overflow.probe(path);
    if (fuzz_open(&x, &reader_msprobe_overflow, path, &e) == 0)
        fuzz_check_dump(&x.dump);
    fuzz_close(&x);
    return 0;
}
