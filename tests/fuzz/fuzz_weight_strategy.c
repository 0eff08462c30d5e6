/* MindSpore's strategy file and the ranks it cut: parts of the input; the first byte says which form the file has and
 * how many ranks there are. Every rank has a place in every layout, and every tensor that was joined is opened. */
#include "fuzz.h"

#include "fmt/weight_strategy.h"
#include "fmt/weights.h"

#define RANKS 4

static void check_places(const struct strategy_layout *l)
{
    int64_t grid[TENSOR_DIMS], at[TENSOR_DIMS];
    assert(l->devices > 0 && l->devices <= STRATEGY_DEVICES && l->axes >= 0 && l->axes <= TENSOR_DIMS);
    assert(!strategy_place(l, 0, l->axes + 1, grid, at) && !strategy_place(l, -1, l->axes, grid, at));
    for (int rank = 0; rank < 2 * STRATEGY_RANKS; rank += 1 + rank / 2) {
        int64_t all = 1;
        if (!strategy_place(l, rank, l->axes, grid, at))
            continue;
        for (int a = 0; a < l->axes; a++) {
            assert(grid[a] > 0 && at[a] >= 0 && at[a] < grid[a]);
            all *= grid[a];
        }
        assert(all <= STRATEGY_RANKS);
    }
}

static void open_weights(const char *dir)
{
    struct weights w;
    struct err e = {0};
    if (weights_open(&w, dir, &e))
        assert(e.text[0]);
    for (uint32_t i = 0; i < w.list.n; i++) {
        struct tensor t;
        assert(w.list.v[i].axes <= TENSOR_DIMS);
        if (weights_tensor(&w, i, &t, &e)) {
            assert(e.text[0]);
            continue;
        }
        fuzz_figures(&t);
        tensor_close(&t);
    }
    weights_release(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strategy s = {0};
    struct err e = {0};
    char ranks[600], rank[RANKS][700], path[700];
    if (!size)
        return 0;
    struct str rest = fuzz_str(data + 1, size - 1), strategy = fuzz_part(&rest), even = fuzz_part(&rest);
    int n = 1 + (data[0] >> 1) % RANKS;
    snprintf(ranks, sizeof ranks, "%s/ranks", fuzz_dir());
    mkdir(ranks, 0755);
    for (int i = 0; i < n; i++) {
        snprintf(rank[i], sizeof rank[i], "%s/rank_%d", ranks, i);
        mkdir(rank[i], 0755);
        fuzz_put(rank[i], "a.safetensors", i % 2 && rest.n ? rest : even);
    }
    snprintf(path, sizeof path, "%s", fuzz_put(ranks, data[0] & 1 ? "strategy.json" : "strategy.ckpt", strategy));
    if (strategy_read(&s, ranks, &e))
        assert(e.text[0]);
    assert(s.found);
    for (size_t i = 0; i < s.list.n; i++)
        check_places(&s.list.v[i]);
    strategy_release(&s);
    open_weights(ranks);
    unlink(path);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/a.safetensors", rank[i]);
        unlink(path);
        rmdir(rank[i]);
    }
    return 0;
}
