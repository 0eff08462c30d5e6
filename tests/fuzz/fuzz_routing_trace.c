/* Megatron-LM's routing trace and, behind "%%", the hidden states beside it, which are its logits, too. Each of its
 * steps is opened. */
#include "fuzz_dump.h"

#include "fmt/routing_trace.h"

#define STEPS_OPENED 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = fuzz_str(data, size), trace = fuzz_part(&rest);
    place_list places = {0};
    char path[600];
    snprintf(path, sizeof path, "%s", fuzz_put(fuzz_dir(), "router_trace_rank0.jsonl", trace));
    fuzz_put(fuzz_dir(), "hidden_states_rank0.bin", rest);
    fuzz_put(fuzz_dir(), "logits_rank0.bin", rest);
    reader_routing_trace.places(path, &places);
    for (size_t i = 0; i <= places.n && i < STEPS_OPENED; i++) {
        struct fuzz_dump x;
        struct err e = {0};
        if (fuzz_open_step(&x, &reader_routing_trace, path, i < places.n ? places.v[i].step : -1, &e) == 0)
            fuzz_check_dump(&x.dump);
        fuzz_close(&x);
    }
    place_list_release(&places);
    return 0;
}
