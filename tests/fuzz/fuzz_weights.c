/* A weight file of any format, by its content: .safetensors, .ckpt, torch's pickles and archives; the
 * first byte gives the name's ending where the content alone does not tell. Every tensor is opened. */
#include "fuzz.h"

#include "fmt/weight_names.h"
#include "fmt/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const ends[] = {"x.safetensors", "x.ckpt", "x.npz", "x.pth"};
    struct weights w;
    struct err e = {0};
    struct arena a = {0};
    if (!size)
        return 0;
    const char *path = fuzz_put(fuzz_dir(), ends[data[0] % 4], str_n((const char *)data + 1, size - 1));
    if (weights_open(&w, path, &e))
        assert(e.text[0]);
    for (uint32_t i = 0; i < w.list.n; i++) {
        const struct weight *x = &w.list.v[i];
        struct tensor t;
        struct weight_id id;
        weight_identify(x->name, &a, &id);
        assert(x->ndim <= TENSOR_DIMS && x->axes <= TENSOR_DIMS);
        if (weights_tensor(&w, i, &t, &e)) {
            assert(e.text[0]);
            continue;
        }
        assert(t.dtype != DTYPE_UNKNOWN);
        fuzz_figures(&t);
        tensor_close(&t);
    }
    weights_release(&w);
    arena_release(&a);
    return 0;
}
