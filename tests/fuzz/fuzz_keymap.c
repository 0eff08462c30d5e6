/* A user's keys.conf. The keymap belongs to the screen, which the engine's library does not hold. */
#include "fuzz.h"

#include "ui/keymap.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct keymap k = {0};
    struct err e = {0};
    if (keymap_parse(&k, STR("bind global j down\nbind list j next\n"), "defaults", &e))
        abort();
    if (keymap_parse(&k, fuzz_str(data, size), "keys.conf", &e))
        assert(e.text[0]);
    for (size_t i = 0; i < k.bindings.n; i++) {
        const struct binding *b = &k.bindings.v[i];
        keymap_find(&k, b->place, b->key);
        keymap_key(&k, b->place, b->command);
    }
    keymap_release(&k);
    return 0;
}
