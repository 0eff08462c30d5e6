/* A rollout's file or two of any form: JSON lines, torch.save, .npz, .npy; the first byte gives the names' endings.
 * Tokens stay inside their sequences, figures are of what was compared, and every writer takes whatever came out. */
#include "fuzz.h"

#include <math.h>

#include "document/write.h"
#include "report/rollout_output.h"
#include "rollout/rollout.h"
#include "rollout/rollout_section.h"
#include "written.h"

static void told(const struct rollout *r)
{
    static int null = -1;
    struct buf text = {0};
    struct document d;
    struct out o;
    struct err e;
    if (null < 0)
        null = open("/dev/null", O_WRONLY);
    out_fd(&o, null);
    put_json(&o, rollout_json, r);
    rollout_csv(&o, r);
    assert(out_close(&o, &e) == 0);
    document_begin(&d);
    rollout_section(&d, r, 9);
    write_text_end(&text, &d);
    buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const ends[] = {"jsonl", "pt", "npz", "npy", "safetensors"};
    char name[2][40], path[2][600];
    struct thresholds tol;
    struct rollout r;
    struct err e = {0};
    if (!size)
        return 0;
    struct str rest = fuzz_str(data + 1, size - 1);
    bool two = data[0] & 1;
    thresholds_init(&tol);
    for (int k = 0; k <= two; k++) {
        snprintf(name[k], sizeof name[k], "%s%d.%s", data[0] & 2 && !two ? "prob_diff" : "x", k,
                 ends[(data[0] >> (2 + 2 * k)) % 5]);
        snprintf(path[k], sizeof path[k], "%s", fuzz_put(fuzz_dir(), name[k], two ? fuzz_part(&rest) : rest));
    }
    if (rollout_open(&r, path[0], two ? path[1] : NULL, NULL, &e)) {
        assert(e.text[0]);
        rollout_release(&r);
        return 0;
    }
    rollout_judge(&r, &tol.rollout);
    assert(r.worst.n == r.sequences.n && r.all.n + r.all.nonfinite == r.tokens.n);
    for (size_t i = 0; i < r.sequences.n; i++) {
        const struct rollout_sequence *s = &r.sequences.v[i];
        assert(s->from + s->n <= r.tokens.n && s->rerouted <= s->routed);
        assert(s->first == ROLLOUT_NONE || (s->first >= s->from && s->first < s->from + s->n));
    }
    assert(r.verdict != STAGE_PASS || (r.all.n && !r.unread.n && !r.bad.n && r.all.mean_abs <= tol.rollout.mean_abs));
    told(&r);
    rollout_release(&r);
    return 0;
}
