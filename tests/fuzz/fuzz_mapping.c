/* A user's file of correspondences, YAML or JSON. */
#include "fuzz.h"

#include "fmt/mapping.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mapping m;
    struct err e = {0};
    if (mapping_load(&m, fuzz_file(fuzz_str(data, size)), &e)) {
        assert(e.text[0]);
        return 0;
    }
    for (size_t i = 0; i < m.entries.n; i++)
        assert(strlen(m.entries.v[i].target.p) <= m.entries.v[i].target.n);
    mapping_release(&m);
    return 0;
}
