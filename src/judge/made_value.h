/* For judge.c: results that were paired because paired inputs hold them (WHY_MADE). */
#ifndef JUDGE_MADE_VALUE_H
#define JUDGE_MADE_VALUE_H

#include "judge/value_readers.h"
#include "judge/verdict.h"
#include "measure/measure.h"

/* One value has one verdict: where such a result differs and an input that holds it was excused (a factor that the
 * other side applies elsewhere, a doubtful pair), the result is judged like the input. `reads`: of the target. Called
 * when every line has its verdict. */
void made_values_follow(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                        const struct value_readers *reads);

#endif
