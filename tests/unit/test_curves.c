/* Curves of two and more runs: the standard's points and their flips, joining, the band, where runs part, what
 * stands out, rates, and what has to be said. Figures are recomputed here, plainly. */
#include "support.h"
#include "written.h"

#include <math.h>
#include <unistd.h>

#include "curves/curves.h"
#include "base/json_read.h"
#include "curves/curves_section.h"
#include "document/write.h"
#include "report/curves_output.h"

static struct curves c;
static struct thresholds tol;
static char dir[256];

enum form { MEGATRON, MINDFORMERS, STDOUT };

/* A run being written: losses and norms are set by the test, step by step. */
struct run {
    enum form form;
    int steps, first;
    double loss[6000], norm[6000], lr[6000];
    bool skipped[6000];
    int digits; /* of the loss */
};

static struct run t, g, g2;

static double noise(uint32_t *state)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        *state = *state * 1664525u + 1013904223u;
        sum += (*state >> 8) / 16777216.0;
    }
    return sum - 6;
}

/* A healthy run; another seed is another machine's arithmetic. */
static void healthy(struct run *r, enum form form, int steps, uint32_t seed)
{
    *r = (struct run){.form = form, .steps = steps, .first = 1, .digits = 6};
    uint32_t data = 7, own = seed;
    for (int i = 1; i <= steps; i++) {
        r->loss[i] = 1 + 4 * exp(-i / 300.0) + 0.05 * noise(&data) + 0.001 * noise(&own);
        r->norm[i] = 1.5 + 0.01 * noise(&own);
        r->lr[i] = 1e-3;
    }
}

static const char *write_run(const struct run *r, const char *name)
{
    if (!*dir)
        snprintf(dir, sizeof dir, "%s", scratch());
    char *p = path_in(dir, name);
    FILE *f = fopen(p, "w");
    assert_non_null(f);
    for (int i = r->first; i < r->first + r->steps; i++) {
        int k = i - r->first + 1;
        if (r->form == MEGATRON) {
            fprintf(f,
                    " iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): 10.0 | learning "
                    "rate: %.6E | global batch size:     8 |",
                    i, r->steps, i * 8, r->lr[k + 1 <= r->steps ? k + 1 : k]);
            if (!r->skipped[k] && !isnan(r->loss[k]))
                fprintf(f, " lm loss: %.6E |", r->loss[k]);
            fprintf(f, " loss scale: 1.0 |");
            if (!r->skipped[k] && !isnan(r->norm[k]))
                fprintf(f, " grad norm: %.6f |", r->norm[k]);
            fprintf(f, " number of skipped iterations: %3d | number of nan iterations:   0 |\n", r->skipped[k]);
        } else if (r->form == MINDFORMERS) {
            fprintf(f,
                    "2025-06-03 09:44:46,041 - mindformers./output/log[mindformers/core/callback/callback.py:616] - "
                    "INFO - { Epoch:[  1/  1], step:[%5d/%5d], loss: %5.*f, per_step_time: 10ms, lr: %.9g, overflow "
                    "cond: %s, loss_scale: 1.0, global_norm: [%.7f]\n",
                    i, r->steps, r->digits, r->loss[k], r->lr[k], r->skipped[k] ? "True" : "False", r->norm[k]);
        } else {
            fprintf(f, "{'loss': %.4f, 'grad_norm': %.6f, 'learning_rate': %.9g, 'epoch': %.2f}\n", r->loss[k],
                    r->norm[k], r->lr[k], i / 10.0);
        }
    }
    fclose(f);
    return p;
}

static void judge_paths(const char *const *path, size_t n)
{
    struct err e = {0};
    if (curves_open(&c, path, n, NULL, &e))
        fail_msg("%s", e.text);
    curves_judge(&c, &tol.curves);
}

static void judge(bool third)
{
    const char *path[3] = {write_run(&t, "t.log"), write_run(&g, "g.log"), NULL};
    if (third)
        path[2] = write_run(&g2, "g2.log");
    judge_paths(path, third ? 3 : 2);
}

static bool said(const char *part)
{
    for (size_t i = 0; i < c.warnings.n; i++)
        if (strstr(c.warnings.v[i], part))
            return true;
    return false;
}

static bool advised(const char *part)
{
    for (size_t i = 0; i < c.next.n; i++)
        if (strstr(c.next.v[i], part))
            return true;
    return false;
}

static int setup(void **state)
{
    (void)state;
    thresholds_init(&tol);
    healthy(&t, MINDFORMERS, 1200, 1);
    healthy(&g, MEGATRON, 1200, 2);
    healthy(&g2, MEGATRON, 1200, 3);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    curves_release(&c);
    return 0;
}

static void near(double a, double b, double rel)
{
    if (!(fabs(a - b) <= rel * fabs(b) + 1e-12))
        fail_msg("%.17g, %.17g expected", a, b);
}

/* ---- the standard ---- */

static void healthy_pair(void **state)
{
    double abs_sum = 0, rel_sum = 0, norm = 0;
    (void)state;
    judge(false);
    for (int i = 1; i <= 1200; i++) {
        abs_sum += fabs(t.loss[i] - g.loss[i]);
        rel_sum += fabs(t.loss[i] - g.loss[i]) / g.loss[i];
        norm += fabs(t.norm[i] - g.norm[i]) / g.norm[i];
    }
    assert_int_equal(c.points.n, 1200);
    assert_int_equal(c.usable.n, 1200);
    near(c.limit[CURVE_FIRST_ABS].value, fabs(t.loss[1] - g.loss[1]), 1e-2);
    near(c.limit[CURVE_MEAN_ABS].value, abs_sum / 1200, 1e-3);
    near(c.limit[CURVE_MEAN_REL].value, rel_sum / 1200, 1e-3);
    near(c.limit[CURVE_NORM_REL].value, norm / 1200, 1e-3);
    assert_int_equal(c.verdict, STAGE_PASS);
    assert_int_equal(c.diverges_at, -1);
    assert_int_equal(c.around_zero, 1);
    assert_int_equal(c.spikes.n, 0);
    assert_int_equal(c.nonfinite.n, 0);
    assert_true(c.lr.there && c.lr.equal && c.lr.steps == 1199); /* the next step's rate against this step's */
    assert_int_equal(c.warnings.n, 0);
}

/* Each limit from just inside to just outside, the other points kept. */
static void limits_flip(void **state)
{
    (void)state;
    t.loss[1] = g.loss[1] + 0.0049;
    judge(false);
    assert_int_equal(c.limit[CURVE_FIRST_ABS].verdict, STAGE_PASS);
    curves_release(&c);
    t.loss[1] = g.loss[1] + 0.0051; /* 0.1 % of 5: the relative point holds */
    judge(false);
    assert_int_equal(c.limit[CURVE_FIRST_ABS].verdict, STAGE_FAIL);
    assert_int_equal(c.first_loss, STAGE_PASS);
    curves_release(&c);
    t.loss[1] = g.loss[1] * 1.0051;
    judge(false);
    assert_int_equal(c.first_loss, STAGE_FAIL);
    assert_int_equal(c.verdict, STAGE_FAIL);
    assert_true(advised("forward"));
    curves_release(&c);
    t.loss[1] = g.loss[1];
    for (int i = 2; i <= 1200; i++)
        t.loss[i] = g.loss[i] * 1.0098;
    judge(false);
    assert_int_equal(c.mean_loss, STAGE_PASS);
    curves_release(&c);
    for (int i = 2; i <= 1200; i++)
        t.loss[i] = g.loss[i] * 1.0102;
    judge(false);
    assert_int_equal(c.mean_loss, STAGE_FAIL);
    curves_release(&c);
    setup(NULL);
    for (int i = 1; i <= 1200; i++)
        t.norm[i] = g.norm[i] * 1.0999;
    judge(false);
    assert_int_equal(c.global_norm, STAGE_PASS);
    curves_release(&c);
    for (int i = 1; i <= 1200; i++)
        t.norm[i] = g.norm[i] * 1.1002;
    judge(false);
    assert_int_equal(c.global_norm, STAGE_FAIL);
    assert_int_equal(c.verdict, STAGE_FAIL);
}

static void too_short(void **state)
{
    (void)state;
    t.steps = g.steps = 999;
    judge(false);
    assert_int_equal(c.limit[CURVE_STEPS].verdict, STAGE_UNKNOWN);
    assert_int_equal(c.verdict, STAGE_UNKNOWN);
    assert_true(advised("1,000 steps"));
    struct thresholds other = tol;
    other.curves.steps = 999;
    curves_judge(&c, &other.curves); /* moved live */
    assert_int_equal(c.verdict, STAGE_PASS);
    t.loss[1] += 1; /* too short and failing is failing */
    curves_release(&c);
    judge(false);
    assert_int_equal(c.verdict, STAGE_FAIL);
}

static void a_nan_fails(void **state)
{
    (void)state;
    t.loss[700] = NAN;
    judge(false);
    assert_int_equal(c.usable.n, 1199);
    assert_int_equal(c.nonfinite.n, 1);
    assert_int_equal(c.nonfinite.v[0].step, 700);
    assert_int_equal(c.nonfinite.v[0].run, 0);
    assert_int_equal(c.verdict, STAGE_FAIL);
    assert_int_equal(c.mean_loss, STAGE_PASS);
    curves_release(&c);
    setup(NULL);
    g.loss[700] = NAN; /* Megatron leaves it out and does not count it */
    judge(false);
    assert_int_equal(c.nonfinite.n, 1);
    assert_int_equal(c.nonfinite.v[0].run, 1);
    assert_int_equal(c.verdict, STAGE_PASS); /* the golden side's is no failure of the target's */
    assert_true(said("golden: losses that are NaN or infinite: 1"));
}

static void skipped_steps(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++)
        g.skipped[i] = true;
    t.loss[2] = 90; /* would fail the first loss and the mean if it counted */
    judge(false);
    assert_int_equal(c.points.n, 1200);
    assert_int_equal(c.usable.n, 1197);
    assert_int_equal(c.points.v[c.usable.v[0]].step, 4);
    near(c.limit[CURVE_FIRST_ABS].value, fabs(t.loss[4] - g.loss[4]), 0.05);
    assert_int_equal(c.verdict, STAGE_PASS);
    assert_int_equal(c.nonfinite.n, 0);
    assert_true(said("is 4, not 1"));
    assert_true(said("not counted: 3"));
}

/* The golden side's loss scale came down over three steps, and the target learned in them: no fault of the forward
 * pass. */
static void updates_before_the_first_loss(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++)
        g.skipped[i] = true;
    g.loss[4] = t.loss[4] + 1;
    judge(false);
    assert_int_equal(c.first_loss, STAGE_FAIL);
    assert_false(c.forward_only);
    assert_int_equal(c.updates[0], 3);
    assert_int_equal(c.updates[1], 0);
    assert_true(advised("3 updates on the target before step 4, 0 on the golden side"));
    assert_false(advised("so the forward pass differs"));
    curves_release(&c);
    for (int i = 1; i <= 3; i++)
        t.skipped[i] = true; /* both skipped them: the weights are the first ones still */
    judge(false);
    assert_true(c.forward_only);
    assert_true(advised("so the forward pass differs"));
    curves_release(&c);
    setup(NULL);
    for (int i = 1; i <= 3; i++)
        t.loss[i] = g.loss[i] = NAN; /* what is not finite is no skip */
    g.loss[4] = t.loss[4] + 1;
    judge(false);
    assert_false(c.forward_only);
    assert_true(advised("that of step 4, after updates"));
}

static void never_agreed(void **state)
{
    (void)state;
    for (int i = 1; i <= 1200; i++)
        t.loss[i] += 2;
    judge(false);
    assert_true(c.from_start);
    assert_int_equal(c.spikes.n, 0); /* all of them are apart, none stands out */
    curves_release(&c);
    for (int i = 1; i <= 600; i++)
        t.loss[i] -= 2;
    judge(false);
    assert_false(c.from_start);
    assert_true(c.diverges_at >= 600 && c.diverges_at < 660);
}

/* ---- joining ---- */

static void steps_not_places(void **state)
{
    (void)state;
    healthy(&g, MEGATRON, 1250, 2);
    g.first = 51; /* resumed elsewhere: its first record is step 51 */
    for (int i = 1; i <= 1150; i++)
        g.loss[i] = t.loss[i + 50];
    judge(false);
    assert_int_equal(c.points.n, 1150);
    assert_int_equal(c.points.v[0].step, 51);
    assert_true(c.limit[CURVE_MEAN_ABS].value < 1e-5);
    assert_true(said("missing in the other log"));
    assert_true(said("is 51, not 1"));
    curves_release(&c);
    g.first = 5000;
    judge(false);
    assert_int_equal(c.points.n, 0);
    assert_int_equal(c.verdict, STAGE_UNKNOWN);
    assert_true(said("no common step"));
}

static void epochs_join(void **state)
{
    (void)state;
    healthy(&t, STDOUT, 100, 1);
    healthy(&g, STDOUT, 98, 1);
    g.first = 3; /* the golden output begins two records later */
    for (int i = 1; i <= 98; i++)
        g.loss[i] = t.loss[i + 2];
    judge(false);
    assert_int_equal(c.join, JOIN_EPOCH);
    assert_int_equal(c.points.n, 98);
    assert_true(c.limit[CURVE_MEAN_ABS].value < 1e-9);
    assert_true(said("by epoch"));
}

static void order_joins(void **state)
{
    (void)state;
    healthy(&t, STDOUT, 100, 1);
    healthy(&g, MEGATRON, 100, 1);
    judge(false);
    assert_int_equal(c.join, JOIN_ORDER);
    assert_int_equal(c.points.n, 100);
    assert_int_equal(c.points.v[99].step, 100);
    assert_true(said("in the order printed"));
}

/* ---- the band ---- */

static void golden_runs_widen(void **state)
{
    double sum = 0, most = 0;
    (void)state;
    judge(true);
    for (int i = 1; i <= 1200; i++) {
        sum += fabs(g.loss[i] - g2.loss[i]);
        most = fmax(most, fabs(g.loss[i] - g2.loss[i]));
    }
    assert_int_equal(c.band.runs, 2);
    near(c.band.spread[CURVE_MEAN_ABS], sum / 1200, 1e-3);
    near(c.band.max_abs, most, 1e-3);
    assert_true(c.limit[CURVE_MEAN_ABS].widened == 0);
    assert_true(c.band.inside > 0.95);
    curves_release(&c);
    for (int i = 1; i <= 1200; i++) {
        t.loss[i] += 0.05 * (i % 2 ? 1 : -1);
        g2.loss[i] += 0.06 * (i % 2 ? 1 : -1);
    }
    judge(false);
    assert_int_equal(c.mean_loss, STAGE_FAIL);
    curves_release(&c);
    judge(true); /* the golden runs are as far apart: limit + spread */
    near(c.limit[CURVE_MEAN_ABS].widened, 0.06, 0.01);
    near(c.limit[CURVE_MEAN_ABS].limit, 0.07, 0.01);
    assert_int_equal(c.mean_loss, STAGE_PASS);
    assert_true(said("more than the limit mean_loss_abs"));
    assert_int_equal(c.diverges_at, -1); /* 3 × the band is above 0.02 */
    assert_false(said("the same configuration"));
    curves_release(&c);
    judge(false);
    assert_int_equal(c.diverges_at, -1); /* noise around zero, however large */
    curves_release(&c);
    for (int i = 1; i <= 1200; i++)
        g2.loss[i] += 1; /* a golden run of something else */
    judge(true);
    assert_true(said("the same configuration"));
}

/* ---- the course ---- */

static int64_t plain_divergence(double limit)
{
    int64_t at = -1;
    for (int i = 50; i <= 1200; i++) {
        double sum = 0;
        for (int k = i - 49; k <= i; k++)
            sum += fabs(t.loss[k] - g.loss[k]);
        if (!(sum / 50 > limit))
            at = -1;
        else if (at < 0)
            at = i;
    }
    return at;
}

static void where_they_part(void **state)
{
    (void)state;
    for (int i = 600; i <= 1200; i++)
        t.loss[i] += 0.0004 * (i - 600);
    judge(false);
    assert_int_equal(c.diverges_at, plain_divergence(0.02));
    assert_int_equal(c.around_zero, 0);
    assert_true(c.trend.slope > 0.1);
    assert_true(advised("the losses diverge from about step"));
    curves_release(&c);
    for (int i = 1100; i <= 1200; i++)
        t.loss[i] = g.loss[i]; /* it comes back: nowhere for good */
    judge(false);
    assert_int_equal(c.diverges_at, -1);
}

/* One enormous step must leave nothing behind in the windows after it. */
static void a_huge_step_passes_by(void **state)
{
    (void)state;
    t.loss[300] = 1e12;
    judge(false);
    assert_int_equal(c.diverges_at, -1);
    assert_int_equal(c.spikes.n, 1);
    assert_int_equal(c.spikes.v[0].step, 300);
    assert_int_equal(c.spikes.v[0].run, 0);
}

static void spikes_are_found(void **state)
{
    (void)state;
    t.loss[700] += 0.31; /* above the fixed limit */
    g.loss[900] += 0.05; /* far outside of its neighbourhood only */
    t.norm[800] *= 5;
    t.loss[400] += 0.003; /* three of its usual deviations: nothing */
    judge(false);
    assert_int_equal(c.spikes.n, 3);
    assert_int_equal(c.spikes.v[0].step, 700);
    assert_int_equal(c.spikes.v[0].run, 0);
    near(c.spikes.v[0].value, t.loss[700], 1e-5);
    assert_int_equal(c.spikes.v[1].step, 800);
    assert_int_equal(c.spikes.v[1].series, CURVE_NORM);
    assert_int_equal(c.spikes.v[2].step, 900);
    assert_int_equal(c.spikes.v[2].run, 1);
    assert_int_equal(c.verdict, STAGE_PASS);
    assert_true(said("outlier steps of the loss difference: 2"));
}

/* One side consumed a batch before training: "the first loss differs, so the forward pass differs". */
static void another_batch_first(void **state)
{
    (void)state;
    for (int by = -3; by <= 2; by += 5) {
        for (int i = 1; i <= t.steps; i++) { /* losses that go up and down with the batch */
            g.loss[i] = 8 - 0.001 * i + 0.2 * noise(&(uint32_t){(uint32_t)(i + 9) * 2654435761u});
            t.loss[i] = 8 - 0.001 * (i + by) + 0.2 * noise(&(uint32_t){(uint32_t)(i + by + 9) * 2654435761u}) + 1e-4;
        }
        judge(false);
        assert_int_equal(c.shift.steps, by);
        near(c.shift.distance, 1e-4, 0.05);
        assert_int_equal(c.verdict, STAGE_FAIL);
        assert_true(advised("which batch each side takes first"));
        assert_false(advised("the forward pass differs"));
        curves_release(&c);
    }
    for (int i = 1; i <= t.steps; i++) /* a trend without ups and downs is no evidence */
        t.loss[i] = (g.loss[i] = 8 - 0.001 * i) - 0.0015;
    judge(false);
    assert_int_equal(c.shift.steps, 0);
}

static void inside_but_not_centred(void **state)
{
    (void)state;
    for (int i = 1; i <= 1200; i++)
        t.loss[i] += 0.003;
    judge(false);
    assert_int_equal(c.verdict, STAGE_PASS);
    assert_int_equal(c.around_zero, 0);
    assert_true(said("but biased"));
    curves_release(&c);
    t.steps = g.steps = 499; /* nine blocks */
    judge(false);
    assert_int_equal(c.around_zero, -1);
}

static void second_step_tells(void **state)
{
    (void)state;
    for (int i = 2; i <= 1200; i++)
        t.loss[i] += 0.05;
    t.loss[1] = g.loss[1];
    judge(false);
    assert_int_equal(c.apart_at, 2);
    assert_true(advised("step 2 does not"));
}

/* ---- rates ---- */

static void rates_differ(void **state)
{
    (void)state;
    for (int i = 1; i <= 1200; i++)
        t.lr[i] = g.lr[i] = 1e-3 * i / 1200;
    judge(false);
    assert_true(c.lr.there && c.lr.equal);
    curves_release(&c);
    for (int i = 600; i <= 1200; i++)
        t.lr[i] *= 1.001;
    judge(false);
    assert_false(c.lr.equal);
    assert_int_equal(c.lr.first, 600);
    near(c.lr.max_rel, 0.001, 0.05);
    assert_true(said("learning rates differ"));
    curves_release(&c);
    for (int i = 1; i <= 1200; i++)
        t.lr[i] = g.lr[i] = 0;
    judge(false);
    assert_true(said("frozen"));
}

/* ---- what has to be said ---- */

static void resolution(void **state)
{
    (void)state;
    t.digits = 3;
    judge(false);
    assert_true(said("the loss is printed to 0.001"));
    curves_release(&c);
    t.digits = 4;
    judge(false);
    assert_false(said("the loss is printed to"));
}

static void flat_line(void **state)
{
    (void)state;
    for (int i = 300; i <= 360; i++)
        t.loss[i] = 0.693147;
    judge(false);
    assert_true(said("for 61 steps from step 300"));
}

static void hostile_limits(void **state)
{
    (void)state;
    static const double values[] = {0, 1e-300, 1, 1e9, 1e300};
    judge(false);
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        struct thresholds odd = tol;
        odd.curves.window = odd.curves.block = odd.curves.blocks = odd.curves.sigma = odd.curves.outlier = values[k];
        curves_judge(&c, &odd.curves);
        assert_true(c.verdict == STAGE_PASS);
    }
}

/* One run: every record is a point, and only what leaves its own course is told of. */
static void a_run_alone(void **state)
{
    (void)state;
    healthy(&t, MEGATRON, 1200, 3);
    const char *path = write_run(&t, "alone.log");
    judge_paths(&path, 1);
    assert_int_equal(c.points.n, 1200);
    assert_int_equal(c.points.v[1199].step, 1200);
    assert_int_equal(c.usable.n + c.spikes.n + c.nonfinite.n, 0);
    assert_true(c.verdict == STAGE_UNKNOWN && c.diverges_at == -1 && c.apart_at == -1);
    assert_int_equal(curve_point_near(&c, 0.5), 600);
    curves_release(&c);
    t.loss[3] += 2; /* while the loss still falls */
    t.loss[700] += 1;
    t.norm[900] *= 10;
    t.loss[1000] = NAN; /* Megatron leaves it out */
    path = write_run(&t, "alone.log");
    judge_paths(&path, 1);
    assert_int_equal(c.spikes.n, 3);
    assert_true(c.spikes.v[0].step == 3 && c.spikes.v[1].step == 700 && c.spikes.v[1].series == CURVE_LOSS &&
                c.spikes.v[1].run == 0);
    assert_true(c.spikes.v[2].step == 900 && c.spikes.v[2].series == CURVE_NORM);
    assert_true(c.nonfinite.n == 1 && c.nonfinite.v[0].step == 1000 && isnan(c.nonfinite.v[0].value));
}

static void what_is_refused(void **state)
{
    (void)state;
    struct err e = {0};
    const char *path[2] = {"/nowhere/a.log", write_run(&g, "g.log")};
    assert_int_equal(curves_open(&c, path, 2, NULL, &e), -1);
    assert_non_null(strstr(e.text, "/nowhere/a.log"));
    curves_release(&c);
    path[0] = sample("logs/norms/mindspore_print_local_norm.log"); /* a log without a loss */
    assert_int_equal(curves_open(&c, path, 2, NULL, &e), -1);
    assert_non_null(strstr(e.text, "local norms only"));
}

/* Real logs: skipped steps, a NaN from step 1,000 on, by the figures written down when they were made. */
static void real_nan(void **state)
{
    (void)state;
    struct err e;
    const char *path[2] = {sample("logs/nan/mindformers"), sample("logs/nan/benchmark")};
    cJSON *want = json_load(sample("logs/nan/EXPECTED.json"), 1 << 20, &e);
    assert_non_null(want);
    judge_paths(path, 2);
    const cJSON *loss = cJSON_GetObjectItem(want, "loss"), *norm = cJSON_GetObjectItem(want, "global_norm");
    assert_int_equal(c.points.n, cJSON_GetObjectItem(want, "steps_compared")->valueint);
    assert_int_equal(c.usable.n, cJSON_GetObjectItem(want, "steps_usable")->valueint);
    near(c.limit[CURVE_MEAN_ABS].value, cJSON_GetObjectItem(loss, "mean_abs")->valuedouble, 1e-9);
    near(c.limit[CURVE_MEAN_REL].value, cJSON_GetObjectItem(loss, "mean_rel")->valuedouble, 1e-9);
    near(c.limit[CURVE_NORM_REL].value, cJSON_GetObjectItem(norm, "mean_rel")->valuedouble, 1e-8);
    assert_int_equal(c.norms, cJSON_GetObjectItem(norm, "usable")->valueint);
    assert_int_equal(c.nonfinite.v[0].step, 640);
    assert_int_equal(c.verdict, STAGE_FAIL);
    cJSON_Delete(want);
}

/* ---- writers ---- */

static void text_of(struct buf *b)
{
    struct document d;
    document_begin(&d);
    curves_section(&d, &c);
    write_text_end(b, &d);
}

static void written(void **state)
{
    (void)state;
    struct out o = {.fd = -1};
    struct err e;
    t.loss[700] = NAN;
    t.loss[650] += 1;
    judge(true);
    put_json(&o, curves_json, &c);
    cJSON *root = json_text(str_n(o.buf.p, o.buf.n - 1), "json", &e);
    assert_non_null(root);
    assert_int_equal(cJSON_GetObjectItem(root, "joined_steps")->valueint, 1200);
    assert_string_equal(cJSON_GetObjectItem(root, "verdict")->valuestring, "fail");
    assert_true(cJSON_IsObject(cJSON_GetObjectItem(root, "golden2")));
    assert_int_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "spikes"), 0), "step")->valueint,
                     650);
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "nonfinite"), 0), "value")
                            ->valuestring,
                        "NaN");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "diverges_at")));
    cJSON_Delete(root);
    buf_clear(&o.buf);
    curves_csv(&o, &c);
    size_t lines = 0;
    for (size_t i = 0; i < o.buf.n; i++)
        lines += o.buf.p[i] == '\n';
    assert_int_equal(lines, 1201);
    assert_non_null(strstr(o.buf.p, "golden2_loss"));
    assert_non_null(strstr(o.buf.p, "\r\n700,NaN,"));
    buf_clear(&o.buf);
    text_of(&o.buf);
    assert_int_equal(strncmp(o.buf.p, "fail: ", 6), 0);
    buf_release(&o.buf);
}

static const char *put_run(const struct run *r, const char *folder, const char *name)
{
    char *own = path_in(dir, folder), both[300];
    mkdir(own, 0755);
    snprintf(both, sizeof both, "%s/%s", folder, name);
    write_run(r, both);
    return own;
}

/* What could not be read neither passes nor fails. */
static void unread_neither_passes_nor_fails(void **state)
{
    (void)state;
    healthy(&t, MEGATRON, 1200, 1);
    healthy(&g, MEGATRON, 1200, 2);
    write_run(&t, "whole.log");
    const char *paths[] = {put_run(&t, "unread-t", "worker_1.log"), put_run(&g, "unread-g", "worker_1.log")};
    judge_paths(paths, 2);
    assert_int_equal(c.verdict, STAGE_PASS);
    curves_release(&c);
    assert_int_equal(symlink("nowhere", path_in(dir, "unread-t/worker_2.log")), 0);
    judge_paths(paths, 2);
    assert_int_equal(c.verdict, STAGE_UNKNOWN);
    assert_int_equal(c.unread.n, 1);
    curves_release(&c);
    for (int i = 1; i <= 1200; i++) /* what was read of the loss fails: it is real */
        t.loss[i] += 1;
    put_run(&t, "unread-t", "worker_1.log");
    judge_paths(paths, 2);
    assert_int_equal(c.verdict, STAGE_FAIL);
    curves_release(&c);
    for (int i = 1; i <= 1200; i++) /* a pipeline's other stage: the loss is in the file that was not read */
        t.loss[i] = 0;
    put_run(&t, "unread-t", "worker_1.log");
    judge_paths(paths, 2);
    assert_int_equal(c.verdict, STAGE_UNKNOWN);
    curves_release(&c);
    FILE *f = fopen(path_in(dir, "whole.log"), "r+");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    assert_int_equal(ftruncate(fileno(f), ftell(f) - 60), 0);
    fclose(f);
    const char *cut[] = {path_in(dir, "whole.log"), paths[1]};
    judge_paths(cut, 2);
    assert_int_equal(c.verdict, STAGE_UNKNOWN);
    struct out o;
    out_memory(&o);
    text_of(&o.buf);
    assert_non_null(strstr(o.buf.p, "Could not be judged.\n? could not be read: target:"));
    buf_clear(&o.buf);
    put_json(&o, curves_json, &c);
    cJSON *root = cJSON_Parse(o.buf.p);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "unread")), 1);
    cJSON_Delete(root);
    buf_release(&o.buf);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(healthy_pair),
        TEST(limits_flip),
        TEST(too_short),
        TEST(a_nan_fails),
        TEST(skipped_steps),
        TEST(updates_before_the_first_loss),
        TEST(never_agreed),
        TEST(steps_not_places),
        TEST(epochs_join),
        TEST(order_joins),
        TEST(golden_runs_widen),
        TEST(where_they_part),
        TEST(a_huge_step_passes_by),
        TEST(spikes_are_found),
        TEST(another_batch_first),
        TEST(inside_but_not_centred),
        TEST(second_step_tells),
        TEST(rates_differ),
        TEST(resolution),
        TEST(flat_line),
        TEST(hostile_limits),
        TEST(a_run_alone),
        TEST(what_is_refused),
        TEST(real_nan),
        TEST(written),
        TEST(unread_neither_passes_nor_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
