/* Two dumps, dump.json of each, paired, compared by their recorded figures, judged and written: what
 * the program does behind the readers. */
#include "fuzz_pair.h"

#include "judge/verdict_text.h"
#include "judge/step_inputs.h"
#include "judge/precision.h"
#include "table/search.h"
#include "fmt/msprobe.h"

static void explain(const struct fuzz_pair *x)
{
    struct buf b = {0};
    struct arena a = {0};
    step_input_list inputs = {0};
    precision_list precision = {0};
    explain_outcome(&x->j, &x->jo, &b);
    explain_provisional(&x->j, &b);
    for (uint32_t i = 0; i < x->j.lines; i++) {
        explain_verdict(&x->j, &x->m, i, &b);
        pairing_why(&x->p, &x->po, x->m.side, i, &b);
    }
    step_inputs_find(&x->m, x->m.state, x->flow, &inputs);
    for (size_t i = 0; i < inputs.n; i++)
        step_input_detail(&inputs.v[i], x->m.side, &b);
    precision_find(&x->j, &x->m, &a, &precision);
    vec_release(&inputs);
    vec_release(&precision);
    arena_release(&a);
    buf_release(&b);
}

static void compare(const struct dump *t, const struct dump *g, unsigned how)
{
    struct fuzz_pair x = {.jo = {.exact = how & 1, .strict_gaps = how & 2}};
    fuzz_pair_up(&x, t, g);
    for (size_t i = 0; i < x.p.lines.n; i++)
        for (int s = 0; s < 2; s++) {
            const struct dump *d = s ? g : t;
            assert(x.p.lines.v[i].row[s] == NONE || x.p.lines.v[i].row[s] < d->rows.n);
            assert(x.p.lines.v[i].pair == NONE || x.p.lines.v[i].row[s] != NONE);
        }
    assert(x.p.lines.n >= t->rows.n && x.p.lines.n <= t->rows.n + g->rows.n);
    measure_init(&x.m, t, g, &x.p, NULL);
    fuzz_judge(&x);
    int status = judgement_status(&x.j, &x.jo);
    assert(status == 0 || status == 1 || status == 5);
    explain(&x);
    fuzz_pair_release(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x[2];
    struct str rest = fuzz_str(data, size);
    struct err e[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        fuzz_put(fuzz_side(i), "dump.json", fuzz_part(&rest));
        fuzz_put(fuzz_side(i), "stack.json", STR("{}"));
        fuzz_put(fuzz_side(i), "construct.json", STR("{}"));
    }
    int bad[2];
    for (int i = 0; i < 2; i++)
        bad[i] = fuzz_open(&x[i], &reader_msprobe, fuzz_side(i), &e[i]);
    if (!bad[0] && !bad[1])
        compare(&x[0].dump, &x[1].dump, (unsigned)size % 4);
    if (!bad[0])
        compare(&x[0].dump, &x[0].dump, (unsigned)size % 4);
    fuzz_close(&x[0]);
    fuzz_close(&x[1]);
    return 0;
}
