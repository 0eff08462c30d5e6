/* One pass over a side's tensors, in blocks and threads: replays the step and compares it with the recorded result; a
 * sample of the elements is kept for testing hypotheses. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/threads.h"
#include "optimizer/optimizer.h"

#define BLOCK 8192
#define SAMPLE (256u << 10) /* elements; weights of up to a block are taken whole */

void step_rule(const struct step_side *s, struct adam_rule *r)
{
    memcpy(r->v, s->hyper.v, sizeof r->v);
    r->weights = DTYPE_F32;
}

/* The rounding of a weight is that of the less precise of its two files. */
static double epsilon_of(const struct step_side *s, const struct step_param *p)
{
    enum dtype b = s->set[STEP_BEFORE].list.v[p->at[STEP_BEFORE]].dtype,
               a = s->set[STEP_AFTER].list.v[p->at[STEP_AFTER]].dtype;
    double eps = dtype_table[dtype_coarser(a, b)].epsilon;
    return eps > dtype_table[DTYPE_F32].epsilon ? eps : dtype_table[DTYPE_F32].epsilon;
}

static bool equal_or_both_nan(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The square of an element's difference beyond rounding. */
static double squared_rest(double replayed, double p, double a, double epsilon)
{
    if (equal_or_both_nan(replayed, a))
        return 0;
    double d = fabs(replayed - a) - step_rounding(epsilon, p, a);
    return d > 0 ? d * d : d <= 0 ? 0 : INFINITY; /* NaN on one side only */
}

/* ---- reading ---- */

enum { READ_P, READ_G, READ_A, READ_M, READ_V, READ_OTHER_P, READ_OTHER_G, READS };

struct replay_job {
    struct optimizer *x;
    struct step_side *s, *other;
    const struct step_options *o;
    struct adam_rule rule;
    double scale;
    bool norms;             /* the first pass: of gradients alone */
    pthread_mutex_t lock;
    struct err err;         /* of the first that failed */
    atomic_bool failed;
};

/* A weight's tensors, walked together. */
struct open {
    struct tensor t[READS];
    struct tensor_walk walk[READS];
    bool there[READS];
    double *wide;
    void *raw;
    float *v[READS], *out;
};

static int open_replay_tensor(struct open *o, int k, const struct weights *w, uint32_t at, struct err *e)
{
    if (weights_tensor(w, at, &o->t[k], e))
        return -1;
    tensor_walk_init(&o->walk[k], &o->t[k]);
    o->there[k] = true;
    return 0;
}

static void close_all(struct open *o)
{
    for (int k = 0; k < READS; k++)
        if (o->there[k]) {
            tensor_walk_release(&o->walk[k]);
            tensor_close(&o->t[k]);
            o->there[k] = false;
        }
}

/* The next n elements of every tensor that is open. */
static int read_block(struct open *o, size_t n, struct err *e)
{
    for (int k = 0; k < READS; k++) {
        if (!o->there[k])
            continue;
        long got = tensor_walk_next(&o->walk[k], o->raw, n, e);
        if (got < 0)
            return -1;
        if ((size_t)got != n)
            return err_set(e, ERR_DATA, _("%s: fewer elements than stated in the file header"), o->t[k].file.name);
        dtype_to_f64(o->t[k].dtype, o->raw, n, o->wide);
        for (size_t i = 0; i < n; i++)
            o->v[k][i] = (float)o->wide[i];
    }
    return 0;
}

/* The other side's weight of the same name and size, where there is one: target's and golden's names may differ. */
static uint32_t weight_on_other_side(const struct step_side *other, const struct step_side *s,
                                     const struct step_param *p, enum step_file f)
{
    uint32_t at = weights_find(&other->set[STEP_BEFORE], s->set[STEP_BEFORE].list.v[p->at[STEP_BEFORE]].name);
    size_t i = 0;
    while (i < other->params.n && other->params.v[i].at[STEP_BEFORE] != at)
        i++;
    if (i < other->params.n) /* its files may name gradients by numbers, each side in its own order */
        at = other->params.v[i].at[f];
    else
        at = weights_find(&other->set[f], s->set[f].list.v[p->at[f]].name);
    return at != MAP_NONE && other->set[f].list.v[at].numel == p->n &&
           dtype_is_float(other->set[f].list.v[at].dtype) ? at : UINT32_MAX;
}

static int open_all(struct replay_job *j, const struct step_param *p, struct open *o, struct err *e)
{
    static const struct {
        int read;
        enum step_file file;
    } own[] = {{READ_P, STEP_BEFORE}, {READ_G, STEP_GRAD}, {READ_A, STEP_AFTER}};
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        if (open_replay_tensor(o, own[i].read, &j->s->set[own[i].file], p->at[own[i].file], e))
            return -1;
    if (j->s->sample.moments &&
        (open_replay_tensor(o, READ_M, &j->s->set[STEP_BEFORE], p->m, e) ||
         open_replay_tensor(o, READ_V, &j->s->set[STEP_BEFORE], p->v, e)))
        return -1;
    if (j->s->sample.others && p->taken)
        return open_replay_tensor(o, READ_OTHER_P, &j->other->set[STEP_BEFORE],
                                  weight_on_other_side(j->other, j->s, p, STEP_BEFORE), e) ||
                       open_replay_tensor(o, READ_OTHER_G, &j->other->set[STEP_GRAD],
                                          weight_on_other_side(j->other, j->s, p, STEP_GRAD), e)
                   ? -1
                   : 0;
    return 0;
}

/* ---- the sample ---- */

/* The stride of the blocks of a weight that are sampled. */
static size_t stride_of(const struct step_side *s, const struct step_param *p)
{
    return p->n <= BLOCK ? 1 : s->sample.stride;
}

static void plan_sample(struct step_side *s, const struct step_side *other)
{
    struct step_sample *a = &s->sample;
    uint64_t all = 0;
    a->moments = a->others = true;
    for (size_t i = 0; i < s->params.n; i++)
        all += s->params.v[i].n;
    a->stride = (size_t)(all / SAMPLE) + 1;
    for (size_t i = 0; i < s->params.n; i++) {
        struct step_param *p = &s->params.v[i];
        size_t stride = stride_of(s, p);
        p->sample = a->n;
        for (uint64_t at = 0; at < p->n && a->n < 4 * (size_t)SAMPLE; at += (uint64_t)BLOCK * stride)
            a->n += p->n - at < BLOCK ? (size_t)(p->n - at) : BLOCK;
        p->taken = a->n - p->sample;
        a->moments = a->moments && p->m != UINT32_MAX;
        a->others = a->others && weight_on_other_side(other, s, p, STEP_BEFORE) != UINT32_MAX &&
                    weight_on_other_side(other, s, p, STEP_GRAD) != UINT32_MAX;
    }
    float **const arrays[READS] = {&a->p, &a->g, &a->a, &a->m, &a->v, &a->other_p, &a->other_g};
    for (int k = 0; k < READS; k++) {
        bool wanted = k < READ_M || (k < READ_OTHER_P ? a->moments : a->others);
        *arrays[k] = wanted ? mem_resize_array(NULL, a->n ? a->n : 1, sizeof(float)) : NULL;
    }
}

static void keep_sample_elements(struct step_side *s, struct step_param *p, const struct open *o, uint64_t at, size_t n,
                                 size_t *kept)
{
    struct step_sample *a = &s->sample;
    float *const arrays[READS] = {a->p, a->g, a->a, a->m, a->v, a->other_p, a->other_g};
    if (at / BLOCK % stride_of(s, p) || *kept + n > p->taken)
        return;
    for (int k = 0; k < READS; k++)
        if (o->there[k] && arrays[k])
            memcpy(arrays[k] + p->sample + *kept, o->v[k], n * sizeof(float));
    *kept += n;
}

double step_try(const struct step_side *s, const struct adam_rule *r, bool other_p, bool other_g)
{
    const struct step_sample *a = &s->sample;
    double rest = 0, moved = 0, scale = adam_clip(r, other_g ? s->other_norm : s->norm);
    float out[BLOCK];
    for (size_t i = 0; i < s->params.n; i++) {
        const struct step_param *p = &s->params.v[i];
        double epsilon = fmax(epsilon_of(s, p), dtype_table[r->weights].epsilon);
        for (size_t at = 0; at < p->taken; at += BLOCK) {
            size_t n = p->taken - at < BLOCK ? (size_t)(p->taken - at) : BLOCK, from = (size_t)p->sample + at;
            const float *w = (other_p ? a->other_p : a->p) + from, *y = a->a + from;
            adam_step(r, scale, p->one_axis, w, (other_g ? a->other_g : a->g) + from, a->moments ? a->m + from : NULL,
                      a->moments ? a->v + from : NULL, out, n);
            for (size_t k = 0; k < n; k++) {
                double d = (double)y[k] - (double)w[k];
                rest += squared_rest(out[k], w[k], y[k], epsilon);
                moved += d * d;
            }
        }
    }
    return rest == 0 ? 0 : sqrt(rest / moved);
}

/* ---- the passes ---- */

static int replay_one(struct replay_job *j, struct step_param *p, struct open *o, struct err *e)
{
    double epsilon = epsilon_of(j->s, p);
    size_t kept = 0;
    if (open_all(j, p, o, e))
        return -1;
    for (uint64_t at = 0; at < p->n; at += BLOCK) {
        size_t n = p->n - at < BLOCK ? (size_t)(p->n - at) : BLOCK;
        if (j->o->watch && atomic_load(&j->o->watch->cancel))
            return err_set(e, ERR_CANCEL, "%s", _("interrupted"));
        if (read_block(o, n, e))
            return -1;
        adam_step(&j->rule, j->scale, p->one_axis, o->v[READ_P], o->v[READ_G], o->there[READ_M] ? o->v[READ_M] : NULL,
                  o->there[READ_V] ? o->v[READ_V] : NULL, o->out, n);
        for (size_t i = 0; i < n; i++) {
            double w = o->v[READ_P][i], a = o->v[READ_A][i], d = a - w;
            p->rest += squared_rest(o->out[i], w, a, epsilon);
            p->moved += d * d;
            p->hidden += fabs(o->out[i] - w) < 2 * epsilon * fabs(w);
        }
        keep_sample_elements(j->s, p, o, at, n, &kept);
    }
    return 0;
}

static int compute_gradient_norm(struct replay_job *j, struct step_param *p, struct err *e)
{
    struct tensor t;
    struct side_figures f;
    uint32_t at = weight_on_other_side(j->other, j->s, p, STEP_GRAD);
    for (int k = 0; k < 2; k++) {
        const struct weights *w = k ? &j->other->set[STEP_GRAD] : &j->s->set[STEP_GRAD];
        if (k && at == UINT32_MAX)
            continue;
        if (weights_tensor(w, k ? at : p->at[STEP_GRAD], &t, e))
            return -1;
        int rc = figures_one(j->o->kern, &t, &f, j->o->watch, e);
        tensor_close(&t);
        if (rc)
            return -1;
        *(k ? &p->other_square : &p->square) = f.norm * f.norm;
    }
    return 0;
}

static int replay_param(struct replay_job *j, struct step_param *p, struct err *e)
{
    struct open o = {.wide = mem_alloc(BLOCK * sizeof(double)), .raw = mem_alloc(BLOCK * 16),
                     .out = mem_alloc(BLOCK * sizeof(float))};
    for (int k = 0; k < READS; k++)
        o.v[k] = mem_alloc(BLOCK * sizeof(float));
    int rc = replay_one(j, p, &o, e);
    close_all(&o);
    for (int k = 0; k < READS; k++)
        free(o.v[k]);
    free(o.wide);
    free(o.raw);
    free(o.out);
    return rc;
}

static void run_replay_param(void *ctx, size_t i)
{
    struct replay_job *j = ctx;
    struct err e = {0};
    if ((j->norms ? compute_gradient_norm : replay_param)(j, &j->s->params.v[i], &e) == 0)
        return;
    pthread_mutex_lock(&j->lock);
    if (!atomic_exchange(&j->failed, true))
        j->err = e;
    pthread_mutex_unlock(&j->lock);
}

static int run_replay_pass(struct replay_job *j, struct err *e)
{
    work_crew_run(j->o->watch ? &j->o->watch->crew : NULL, j->o->workers, j->s->params.n, &j->failed, run_replay_param,
                  j);
    if (atomic_load(&j->failed))
        *e = j->err;
    return atomic_load(&j->failed) ? -1 : 0;
}

int step_replay(struct optimizer *x, int side, const struct step_options *o, const struct thresholds_optimizer *t,
                struct err *e)
{
    struct step_side *s = &x->side[side];
    struct replay_job j = {.x = x, .s = s, .other = &x->side[!side], .o = o, .norms = true,
                           .lock = PTHREAD_MUTEX_INITIALIZER};
    double rest = 0, moved = 0;
    uint64_t hidden = 0, all = 0;
    plan_sample(s, j.other);
    if (run_replay_pass(&j, e))
        return -1;
    for (size_t i = 0; i < s->params.n; i++) {
        s->norm += s->params.v[i].square;
        s->other_norm += s->params.v[i].other_square;
    }
    s->norm = sqrt(s->norm);
    s->other_norm = sqrt(s->other_norm);
    j.norms = false;
    step_rule(s, &j.rule);
    j.scale = adam_clip(&j.rule, s->norm);
    if (run_replay_pass(&j, e))
        return -1;
    for (size_t i = 0; i < s->params.n; i++) {
        rest += s->params.v[i].rest;
        moved += s->params.v[i].moved;
        hidden += s->params.v[i].hidden;
        all += s->params.v[i].n;
    }
    s->hidden = (double)hidden / (double)all;
    s->replayed = s->hyper.v[HYPER_STEP] <= 1 || s->sample.moments;
    if (s->replayed)
        s->residual = rest == 0 ? 0 : sqrt(rest / moved);
    s->reproduced = s->residual <= t->residual;
    return 0;
}
