/* Two dumps, dump.json of each, paired, compared by their recorded figures, judged and written: what
 * the program does behind the readers. */
#include "fuzz_dump.h"

#include "find/explain.h"
#include "find/inputs.h"
#include "find/judge.h"
#include "find/precision.h"
#include "find/search.h"
#include "fmt/msprobe.h"

static void explain(const struct judgement *j, const struct measure *m, const struct flow *flow,
                    const struct pairing *p, const struct pairing_options *po, const struct judge_options *jo)
{
    struct buf b = {0};
    struct arena a = {0};
    input_list inputs = {0};
    precision_list precision = {0};
    explain_outcome(j, jo, &b);
    explain_provisional(j, &b);
    for (uint32_t i = 0; i < j->lines; i++) {
        explain_verdict(j, m, i, &b);
        pairing_why(p, po, i, &b);
    }
    inputs_find(m, m->state, flow, &inputs);
    for (size_t i = 0; i < inputs.n; i++)
        input_detail(&inputs.v[i], m->side, &b);
    precision_find(j, m, &a, &precision);
    vec_release(&inputs);
    vec_release(&precision);
    arena_release(&a);
    buf_release(&b);
}

static void compare(const struct dump *t, const struct dump *g, unsigned how)
{
    struct pairing p = {0};
    struct flow flow[2] = {{0}, {0}};
    struct measure m = {0};
    struct judgement j = {0};
    struct tol tol;
    struct pairing_options po = {0};
    struct judge_options jo = {.tol = &tol, .exact = how & 1, .strict_gaps = how & 2};
    tol_init(&tol);
    flow_build(&flow[0], t);
    flow_build(&flow[1], g);
    pairing_build(&p, t, g, &po);
    for (size_t i = 0; i < p.lines.n; i++)
        for (int s = 0; s < 2; s++) {
            const struct dump *d = s ? g : t;
            assert(p.lines.v[i].row[s] == NONE || p.lines.v[i].row[s] < d->rows.n);
            assert(p.lines.v[i].pair == NONE || p.lines.v[i].row[s] != NONE);
        }
    assert(p.lines.n >= t->rows.n && p.lines.n <= t->rows.n + g->rows.n);
    measure_init(&m, t, g, &p, NULL);
    judge(&j, &m, m.state, flow, &jo);
    assert(j.lines == p.lines.n);
    int status = judgement_status(&j, &jo);
    assert(status == 0 || status == 1 || status == 5);
    explain(&j, &m, flow, &p, &po, &jo);
    judgement_release(&j);
    measure_release(&m);
    pairing_release(&p);
    flow_release(&flow[0]);
    flow_release(&flow[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char dir[2][600];
    struct fuzz_dump x[2];
    struct str rest = fuzz_str(data, size);
    struct err e[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        if (!*dir[i]) {
            snprintf(dir[i], sizeof dir[i], "%s/%d", fuzz_dir(), i);
            if (mkdir(dir[i], 0755))
                abort();
        }
        fuzz_put(dir[i], "dump.json", fuzz_part(&rest));
        fuzz_put(dir[i], "stack.json", STR("{}"));
        fuzz_put(dir[i], "construct.json", STR("{}"));
    }
    int bad[2];
    for (int i = 0; i < 2; i++)
        bad[i] = fuzz_open(&x[i], &reader_msprobe, dir[i], &e[i]);
    if (!bad[0] && !bad[1])
        compare(&x[0].dump, &x[1].dump, (unsigned)size % 4);
    if (!bad[0])
        compare(&x[0].dump, &x[0].dump, (unsigned)size % 4);
    fuzz_close(&x[0]);
    fuzz_close(&x[1]);
    return 0;
}
