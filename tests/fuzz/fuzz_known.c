/* A list of accepted differences: taken whole, or refused with a sentence. */
#include "fuzz.h"

#include "judge/accepted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct accepted_list l = {0};
    struct err e = {0};
    const char *path = fuzz_put(fuzz_dir(), "known.json", fuzz_str(data, size));
    if (accepted_load(&l, path, "2026-01-01", &e))
        assert(e.text[0]);
    for (size_t i = 0; i < l.entries.n; i++) {
        assert(l.entries.v[i].kinds && *l.entries.v[i].reason);
        pattern_match(l.entries.v[i].row, STR("Functional.linear.0.forward.output.0"));
    }
    accepted_release(&l);
    return 0;
}
