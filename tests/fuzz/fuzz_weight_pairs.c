/* Two small checkpoints compared, the golden one with an index of its parts, and a map of names: three
 * parts of the input, the last beginning with the numbers of heads. */
#include "fuzz.h"

#include "weights/weight_compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = fuzz_str(data, size), target = fuzz_part(&rest), golden = fuzz_part(&rest), map = rest;
    struct weight_compare c;
    struct err e = {0};
    char path[2][600], file[600];
    const char *maps[1] = {file};
    struct weight_options opt = {.map = maps, .maps = 1};
    if (map.n > 2) {
        opt.heads = map.p[0] & 15;
        opt.kv_heads = map.p[1] & 7;
        opt.tp = map.p[0] >> 4 & 3;
        map = str_cut(map, 2);
    }
    snprintf(path[0], sizeof path[0], "%s", fuzz_put(fuzz_dir(), "t.safetensors", target));
    snprintf(path[1], sizeof path[1], "%s", fuzz_put(fuzz_dir(), "g.safetensors", golden));
    snprintf(file, sizeof file, "%s", fuzz_put(fuzz_dir(), "map.json", map));
    if (weight_compare_open(&c, path[0], path[1], &opt, &e)) {
        assert(e.text[0]);
    } else {
        uint64_t all = 0;
        for (int s = 0; s < 2; s++)
            for (size_t i = 0; i < c.side[s].list.n; i++)
                all += c.side[s].list.v[i].numel;
        if (all < FUZZ_ELEMENTS && weight_compare_run(&c, kern_select(NULL), 1, NULL, &e) == 0) {
            for (size_t i = 0; i < c.pairs.n; i++)
                assert(c.pairs.v[i].verdict == WEIGHT_EQUAL || c.pairs.v[i].why);
            weight_compare_verdict(&c);
        }
    }
    weight_compare_release(&c);
    return 0;
}
