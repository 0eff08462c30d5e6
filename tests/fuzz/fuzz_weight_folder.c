/* Checkpoints in several files: three parts of the input. First byte even: an index and the two files it
 * may name; odd: two tensor-parallel (or, bit 1, pipeline) ranks. */
#include "fuzz.h"

#include "fmt/weights.h"

static void clear(const char *dir, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    unlink(path);
    rmdir(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weights w;
    struct err e = {0};
    char dir[600], rank[2][700];
    if (!size)
        return 0;
    struct str rest = fuzz_str(data + 1, size - 1), first = fuzz_part(&rest), second = fuzz_part(&rest);
    bool ranks = data[0] & 1, pipeline = data[0] & 2;
    snprintf(dir, sizeof dir, "%s", fuzz_dir());
    for (int i = 0; i < 2; i++)
        snprintf(rank[i], sizeof rank[i], pipeline ? "%s/mp_rank_00_00%d" : "%s/mp_rank_0%d", dir, i);
    if (ranks) {
        mkdir(rank[0], 0755);
        mkdir(rank[1], 0755);
        fuzz_put(rank[0], "a.safetensors", first);
        fuzz_put(rank[1], "a.safetensors", second);
    } else {
        fuzz_put(dir, "model.safetensors.index.json", rest);
        fuzz_put(dir, "a.safetensors", first);
        fuzz_put(dir, "b.safetensors", second);
    }
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
    for (int i = 0; i < 2; i++) {
        if (ranks)
            clear(rank[i], "a.safetensors");
        rmdir(rank[i]);
    }
    clear(dir, "model.safetensors.index.json");
    clear(dir, "a.safetensors");
    clear(dir, "b.safetensors");
    return 0;
}
