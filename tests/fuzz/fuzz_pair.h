/* Two recordings paired and judged, as the program does it once both are read. */
#ifndef TESTS_FUZZ_PAIR_H
#define TESTS_FUZZ_PAIR_H

#include "fuzz_dump.h"

#include "judge/judge.h"

struct fuzz_pair {
    struct pairing p;
    struct dataflow flow[2];
    struct measure m;
    struct judgement j;
    struct thresholds tol;
    struct pairing_options po; /* set by the caller, as far as they are not 0 */
    struct judge_options jo;
};

static inline void fuzz_pair_up(struct fuzz_pair *x, const struct dump *t, const struct dump *g)
{
    thresholds_init(&x->tol);
    x->jo.tol = &x->tol;
    dataflow_build(&x->flow[0], t);
    dataflow_build(&x->flow[1], g);
    pairing_build(&x->p, t, g, &x->po);
}

/* Once x->m has been begun. */
static inline void fuzz_judge(struct fuzz_pair *x)
{
    judge_run(&x->j, &x->m, x->m.state, x->flow, &x->jo);
    assert(x->j.lines == x->p.lines.n);
}

static inline void fuzz_pair_release(struct fuzz_pair *x)
{
    judgement_release(&x->j);
    measure_release(&x->m);
    pairing_release(&x->p);
    dataflow_release(&x->flow[0]);
    dataflow_release(&x->flow[1]);
}

#endif
