/* JSON lines of tensors with figures and digests. */
#include "fuzz_dump.h"

#include "fmt/json_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_put(fuzz_dir(), "x.jsonl", fuzz_str(data, size));
    place_list places = {0};
    reader_json_records.probe(path);
    reader_json_records.places(path, &places);
    for (size_t i = 0; i < places.n && i < 4; i++) {
        struct fuzz_dump x;
        struct err e = {0};
        if (fuzz_open_step(&x, &reader_json_records, path, places.v[i].step, &e) == 0)
            fuzz_check_dump(&x.dump);
        fuzz_close(&x);
    }
    place_list_release(&places);
    return 0;
}
