/* Configurations of dumps: the input as JSON, then as a script. */
#include "fuzz.h"

#include "config/dump_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int script = 0; script < 2; script++) {
        struct dump_config c;
        struct err e = {0};
        char path[600];
        snprintf(path, sizeof path, "%s", fuzz_put(fuzz_dir(), script ? "x.py" : "x.json", fuzz_str(data, size)));
        dump_config_probe(path); /* also yes where only the place of an error is to be said */
        if (dump_config_open(&c, path, &e))
            assert(e.text[0]);
        else
            for (size_t i = 0; i < c.remarks.n; i++)
                assert(c.remarks.v[i].text[0]);
        dump_config_release(&c);
    }
    return 0;
}
