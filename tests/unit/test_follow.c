/* Logs that grow: wherever they are cut, going on gives what reading the whole gives. */
#include "support.h"

#include <stdio.h>

#include "curves/curves.h"

static struct buf whole;
static char path[300];

static void put(const char *text, size_t n, const char *mode)
{
    FILE *f = fopen(path, mode);
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static void same(const struct series *a, const struct series *b, size_t cut)
{
    if (a->records.n != b->records.n || memcmp(a->records.v, b->records.v, a->records.n * sizeof *a->records.v) != 0)
        fail_msg("other records with %zu bytes", cut);
    assert_int_equal(a->notes.n, b->notes.n);
    for (size_t i = 0; i < a->notes.n; i++)
        assert_string_equal(a->notes.v[i], b->notes.v[i]);
    assert_memory_equal(a->digit, b->digit, sizeof a->digit);
    assert_int_equal(a->interval, b->interval);
    assert_int_equal(a->names.n, b->names.n);
    assert_int_equal(a->points.n, b->points.n);
    assert_string_equal(a->format, b->format);
    assert_string_equal(a->framework, b->framework);
    assert_int_equal(a->stepless, b->stepless);
    assert_int_equal(a->loss_is_mean, b->loss_is_mean);
    assert_int_equal(a->lr_is_next, b->lr_is_next);
    assert_int_equal(a->files.n, b->files.n);
    assert_int_equal(a->files.v[0].records, b->files.v[0].records);
    assert_int_equal(a->files.v[0].real_loss, b->files.v[0].real_loss);
    assert_int_equal(a->tail.at, b->tail.at);
    assert_int_equal(a->tail.line, b->tail.line);
}

/* The file grows by so many bytes at a time; how often reading went on from where it was. */
static size_t grow(size_t by, bool growing)
{
    const struct log_options o = {.growing = growing};
    struct series last = {0};
    bool any = false;
    size_t went_on = 0;
    struct err e;
    put("", 0, "w");
    for (size_t at = 0; at < whole.n; at += by) {
        struct series now, anew;
        size_t end = at + by < whole.n ? at + by : whole.n;
        put(whole.p + at, end - at, "a");
        int rc = series_open(&anew, path, &o, &e);
        if (rc) { /* no record yet */
            series_release(&anew);
            continue;
        }
        assert_int_equal(series_open_after(&now, any ? &last : NULL, path, &o, &e), 0);
        same(&now, &anew, end);
        went_on += any && now.path != NULL && now.files.v[0].path == now.path; /* as follow.c makes it */
        series_release(&anew);
        if (any)
            series_release(&last);
        last = now;
        any = true;
    }
    if (any)
        series_release(&last);
    return went_on;
}

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/g.log", scratch());
    buf_clear(&whole);
    return 0;
}

static void megatron(void **state)
{
    (void)state;
    for (int i = 1; i <= 60; i++) {
        if (i == 20)
            buf_cstr(&whole, "something else is printed\n");
        buf_fmt(&whole,
                " iteration %8d/%8d | learning rate: 1.000000E-03 | lm loss: %.6E | grad norm: %.3f | number of "
                "skipped iterations: %d | number of nan iterations: 0 |\n",
                i, 60, 5 - i / 20.0, 1.5, i == 30);
    }
    assert_true(grow(37, true) > 100);
    assert_true(grow(211, false) > 5);
    assert_true(grow(1000, true) > 5);
}

static void records_over_several_lines(void **state)
{
    (void)state;
    for (int i = 1; i <= 40; i++)
        buf_fmt(&whole,
                "INFO - { Epoch:[  1/  1], step:[%5d/   40], loss: %5.3f,\n per_step_time: 60ms, lr: 0.001, overflow "
                "cond: False, loss_scale: 1.0,\n global_norm: [%.7f]\n  0.1%% | 1.6 samples/s }\n",
                i, 5 - i / 20.0, 1.5 + i / 100.0);
    grow(61, true);
    grow(61, false);
    grow(500, true);
}

static void steps_that_go_back(void **state)
{
    (void)state;
    for (int i = 1; i <= 60; i++)
        buf_fmt(&whole, "{\"current_steps\": %d, \"loss\": %.4f, \"learning_rate\": 1e-4}\n", i > 40 ? i - 15 : i,
                5 - i / 20.0);
    grow(97, true);
    grow(97, false);
}

/* Another file in its place, or one that is shorter now, is read anew. */
static void replaced(void **state)
{
    const struct log_options o = {.growing = true};
    struct series a, b, c;
    struct err e;
    char other[320];
    (void)state;
    put("{\"step\": 1, \"loss\": 5.0}\n{\"step\": 2, \"loss\": 4.0}\n", 50, "w");
    assert_int_equal(series_open(&a, path, &o, &e), 0);
    snprintf(other, sizeof other, "%s.new", path);
    FILE *f = fopen(other, "w");
    fputs("{\"step\": 1, \"loss\": 7.0}\n{\"step\": 2, \"loss\": 6.0}\n{\"step\": 3, \"loss\": 5.5}\n", f);
    fclose(f);
    assert_int_equal(rename(other, path), 0);
    assert_int_equal(series_open_after(&b, &a, path, &o, &e), 0);
    assert_int_equal(b.records.n, 3);
    assert_true(b.records.v[0].value[LOG_LOSS] > 6);
    put("{\"step\": 1, \"loss\": 1.0}\n", 25, "w");
    assert_int_equal(series_open_after(&c, &b, path, &o, &e), 0);
    assert_int_equal(c.records.n, 1);
    series_release(&a);
    series_release(&b);
    series_release(&c);
}

/* What is not a whole line yet is not read as one: 5.2 of 5.203. */
static void partial_line_waits(void **state)
{
    const struct log_options o = {.growing = true};
    struct series a, b;
    struct err e;
    static const char text[] = "{\"step\": 1, \"loss\": 5.0}\n{\"step\": 2, \"loss\": 5.2}";
    (void)state;
    put(text, sizeof text - 1, "w");
    assert_int_equal(series_open(&a, path, &o, &e), 0);
    assert_int_equal(a.records.n, 1);
    put("\n", 1, "a");
    assert_int_equal(series_open_after(&b, &a, path, &o, &e), 0);
    assert_int_equal(b.records.n, 2);
    series_release(&a);
    assert_int_equal(series_open(&a, path, NULL, &e), 0);
    assert_int_equal(a.records.n, 2);
    series_release(&a);
    series_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(megatron, setup),           cmocka_unit_test_setup(records_over_several_lines, setup),
        cmocka_unit_test_setup(steps_that_go_back, setup), cmocka_unit_test_setup(replaced, setup),
        cmocka_unit_test_setup(partial_line_waits, setup),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    buf_release(&whole);
    return failed;
}
