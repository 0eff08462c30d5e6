/* A folder of torch.distributed.checkpoint: the input's parts are .metadata and a file of chunks; the first byte says
 * whether it is Megatron's. Every tensor is opened. */
#include "fuzz.h"

#include "fmt/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weights w;
    struct err e = {0};
    if (!size)
        return 0;
    const char *dir = fuzz_dir();
    struct str rest = fuzz_str(data + 1, size - 1);
    fuzz_put(dir, ".metadata", fuzz_part(&rest));
    fuzz_put(dir, "__0_0.distcp", rest);
    fuzz_put(dir, "metadata.json", data[0] & 1 ? STR("{\"sharded_backend\": \"torch_dist\"}") : STR("{}"));
    if (weights_open(&w, dir, &e))
        assert(e.text[0]);
    for (uint32_t i = 0; i < w.list.n; i++) {
        struct tensor t;
        assert(w.list.v[i].axes <= TENSOR_DIMS);
        if (weights_tensor(&w, i, &t, &e)) {
            assert(e.text[0]);
            continue;
        }
        assert(t.dtype != DTYPE_UNKNOWN);
        fuzz_figures(&t);
        tensor_close(&t);
    }
    weights_release(&w);
    return 0;
}
