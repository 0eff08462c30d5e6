/* Two small dumps made row by row, paired and judged, for tests of what is said of their rows. */
#ifndef TESTS_SCENES_H
#define TESTS_SCENES_H

#include "support.h"

#include "judge/judge.h"

struct scene {
    struct dump d[2];
    struct pairing p;
    struct pairing_options po;
    struct measure m;
    struct dataflow flow[2];
    struct thresholds tol;
    struct judge_options o;
    struct judgement j;
};

static inline void scene_start(struct scene *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 2; i++) {
        dump_init(&s->d[i]);
        s->d[i].framework = "pytorch";
        s->d[i].level = "L1";
    }
    thresholds_init(&s->tol);
    s->o.tol = &s->tol;
}

/* Once both dumps hold all their rows. */
static inline void scene_build(struct scene *s)
{
    pairing_build(&s->p, &s->d[0], &s->d[1], &s->po);
    measure_init(&s->m, &s->d[0], &s->d[1], &s->p, NULL);
    for (int i = 0; i < 2; i++)
        dataflow_build(&s->flow[i], &s->d[i]);
}

/* The line of a row of the target's. */
static inline uint32_t scene_line(const struct scene *s, uint32_t row)
{
    return s->p.line_of[TARGET][row];
}

/* As if the elements of that row had been compared, in place of what an earlier call said. */
static inline void scene_computed(struct scene *s, uint32_t row, const struct figures *f)
{
    uint32_t line = scene_line(s, row);
    if (s->m.figures[line])
        *s->m.figures[line] = *f;
    else
        measure_post(&s->m, &(struct measure_job){.line = line}, figures_keep(f), NULL, NULL);
}

static inline void scene_judge(struct scene *s)
{
    judgement_release(&s->j);
    judge_run(&s->j, &s->m, s->m.state, s->flow, &s->o);
}

/* Instead of a judgement: lines for the test to fill in, no first deviation. */
static inline void scene_unjudged(struct scene *s)
{
    s->j.lines = s->p.lines.n;
    s->j.line = calloc(s->j.lines, sizeof *s->j.line);
    s->j.first = NONE;
}

static inline void scene_end(struct scene *s)
{
    judgement_release(&s->j);
    measure_release(&s->m);
    pairing_release(&s->p);
    for (int i = 0; i < 2; i++) {
        dataflow_release(&s->flow[i]);
        dump_release(&s->d[i]);
    }
}

#endif
