/* A pickle as inert data. */
#include "fuzz.h"

#include "fmt/pickle.h"

/* A pickle may hold itself, so the walk counts its steps. */
static void look(const struct pickle *p, int depth, size_t *steps)
{
    assert(p && p->kind <= PICKLE_PERSISTENT);
    if (p->text.n)
        assert(memchr(p->text.p, p->text.p[p->text.n - 1], p->text.n));
    assert(p->kind != PICKLE_CALL || p->n >= 2);
    assert(p->kind != PICKLE_PERSISTENT || p->n == 1);
    assert(p->kind != PICKLE_DICT || p->n % 2 == 0);
    for (uint32_t i = 0; i < p->n && depth < 50 && *steps < 10000; i++, ++*steps)
        look(p->item[i], depth + 1, steps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err e = {0};
    size_t used = 0, steps = 0;
    struct pickle *p = pickle_parse(fuzz_str(data, size), &a, "fuzz", &used, &e);
    assert(used <= size);
    if (p) {
        look(p, 0, &steps);
        pickle_get(p, "a");
    } else {
        assert(e.text[0]);
    }
    arena_release(&a);
    return 0;
}
