/* Both sides of an unpacked pack, cut apart at lines of "%%": the target's rows, what had been found of the pairs, the
 * golden side's rows. Opened, paired as the pack says, judged and explained. */
#include "fuzz_pair.h"

#include "base/folder.h"
#include "judge/verdict_text.h"
#include "diagnose/diagnose.h"
#include "judge/packed_verdicts.h"

static void look(const struct judgement *j, const struct measure *m, const struct dataflow *flow)
{
    struct buf b = {0};
    struct diagnoses x;
    struct pairing_options po = {0};
    for (uint32_t i = 0; i < j->lines; i++) {
        buf_clear(&b);
        explain_verdict(j, m, i, &b);
        pairing_why(m->pairing, &po, m->side, i, &b);
        diagnose_line(&x, j, m, flow, i);
        diagnoses_release(&x);
    }
    explain_provisional(j, &b);
    buf_release(&b);
}

static void compare(const struct dump *t, const struct dump *g)
{
    struct fuzz_pair x = {0};
    struct line *given = packed_verdicts_pairs(t, g, &x.po.given_count);
    x.po.given = given;
    x.po.given_why = WHY_TABLE;
    x.po.map_only = given != NULL;
    fuzz_pair_up(&x, t, g);
    packed_verdicts_tell(&x.p, t, g);
    measure_init(&x.m, t, g, &x.p, NULL);
    packed_verdicts_measure(&x.m);
    fuzz_judge(&x);
    look(&x.j, &x.m, x.flow);
    fuzz_pair_release(&x);
    free(given);
}

/* What tells a pack, read as where recordings are searched. */
static void probe(const char *path)
{
    struct folder f;
    struct err quiet;
    if (folder_read(&f, path, 100, &quiet) == 0)
        reader_pack.probe_folder(&f);
    folder_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x[2];
    struct str rest = fuzz_str(data, size);
    struct err e[2] = {{0}, {0}};
    fuzz_put(fuzz_side(0), PACK_ROWS, fuzz_part(&rest));
    fuzz_put(fuzz_side(0), PACK_PAIRS, fuzz_part(&rest));
    fuzz_put(fuzz_side(1), PACK_ROWS, rest);
    int bad[2];
    for (int i = 0; i < 2; i++) {
        probe(fuzz_side(i));
        bad[i] = fuzz_open(&x[i], &reader_pack, fuzz_side(i), &e[i]);
        if (!bad[i])
            fuzz_check_dump(&x[i].dump);
    }
    if (!bad[0] && !bad[1])
        compare(&x[0].dump, &x[1].dump);
    fuzz_close(&x[0]);
    fuzz_close(&x[1]);
    return 0;
}
