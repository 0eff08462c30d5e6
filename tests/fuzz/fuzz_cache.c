/* A file of figures as a user's cache folder may hold it: what is looked up is what was kept, or nothing. */
#include "fuzz.h"

#include "measure/figures_cache.h"

#define MORE 64 /* bytes of a key and what else is tried */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const dumps[2] = {"/target", "/golden"};
    static char name[64];
    struct cache_key k = {{1, 2}};
    struct figures f;
    struct view v;
    bool viewed;
    if (!*name) { /* the file's name is the cache's own affair */
        struct figures_cache r = {.cache = figures_cache_open(fuzz_dir(), dumps), .key = k};
        figures_cache_keep(&r, &(struct figures){.two = true}, NULL, false);
        cache_close(r.cache);
        name_list l = {0};
        struct err e;
        if (dir_list(fuzz_dir(), 10, &l, &e) || l.n != 1)
            abort();
        snprintf(name, sizeof name, "%s", l.v[0]);
        name_list_release(&l);
    }
    fuzz_put(fuzz_dir(), name, fuzz_str(data, size));
    struct figures_cache r = {.cache = figures_cache_open(fuzz_dir(), dumps)};
    for (size_t at = 0; at + sizeof k <= size && at < MORE; at += 8) {
        memcpy(&r.key, data + at, sizeof k);
        if (figures_cache_get(&r, &f, &v, &viewed))
            assert(f.two == 0 || f.two == 1);
    }
    cache_close(r.cache);
    return 0;
}
