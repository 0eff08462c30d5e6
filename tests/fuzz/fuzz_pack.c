/* Both sides of an unpacked pack, cut apart at lines of "%%": the target's rows, what had been found of the pairs, the
 * golden side's rows. Opened, paired as the pack says, judged and explained. */
#include "fuzz_dump.h"

#include "find/explain.h"
#include "find/frozen.h"

static void look(const struct judgement *j, const struct measure *m, const struct flow *flow)
{
    struct buf b = {0};
    struct diagnoses x;
    struct pairing_options po = {0};
    for (uint32_t i = 0; i < j->lines; i++) {
        buf_clear(&b);
        explain_verdict(j, m, i, &b);
        pairing_why(m->pairing, &po, i, &b);
        diagnose(&x, j, m, flow, i);
        diagnoses_release(&x);
    }
    explain_provisional(j, &b);
    buf_release(&b);
}

static void compare(const struct dump *t, const struct dump *g)
{
    struct pairing p = {0};
    struct flow flow[2] = {{0}, {0}};
    struct measure m = {0};
    struct judgement j = {0};
    struct tol tol;
    struct pairing_options po = {0};
    struct line *given = frozen_pairs(t, g, &po.given_count);
    po.given = given;
    po.map_only = given != NULL;
    tol_init(&tol);
    flow_build(&flow[0], t);
    flow_build(&flow[1], g);
    pairing_build(&p, t, g, &po);
    frozen_tell(&p, t, g);
    measure_init(&m, t, g, &p, NULL);
    frozen_measure(&m);
    struct judge_options jo = {.tol = &tol};
    judge(&j, &m, m.state, flow, &jo);
    assert(j.lines == p.lines.n);
    look(&j, &m, flow);
    judgement_release(&j);
    measure_release(&m);
    pairing_release(&p);
    flow_release(&flow[0]);
    flow_release(&flow[1]);
    free(given);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char dir[2][600];
    struct fuzz_dump x[2];
    struct str rest = fuzz_str(data, size);
    struct err e[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++)
        if (!*dir[i]) {
            snprintf(dir[i], sizeof dir[i], "%s/%d", fuzz_dir(), i);
            if (mkdir(dir[i], 0755))
                abort();
        }
    fuzz_put(dir[0], PACK_ROWS, fuzz_part(&rest));
    fuzz_put(dir[0], PACK_PAIRS, fuzz_part(&rest));
    fuzz_put(dir[1], PACK_ROWS, rest);
    int bad[2];
    for (int i = 0; i < 2; i++) {
        reader_pack.probe(dir[i]);
        bad[i] = fuzz_open(&x[i], &reader_pack, dir[i], &e[i]);
        if (!bad[i])
            fuzz_check_dump(&x[i].dump);
    }
    if (!bad[0] && !bad[1])
        compare(&x[0].dump, &x[1].dump);
    fuzz_close(&x[0]);
    fuzz_close(&x[1]);
    return 0;
}
