/* The tensor view's reader and its place: what is shown belongs to the row that is wanted now, whatever was read when
 * it changed; a file that is gone is said; decisions by hand are followed. */
#include "sessions.h"

#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/workspace_refresh.h"

#define PLANES (2 * TENSOR_READER_HEATS)

/* Lines whose tensors lie on each other. */
static size_t cases_of(struct session *s, struct tensor_reader_case *out, size_t most)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->now->pairing->lines.n && n < most; i++) {
        struct tensor_reader_case c;
        memset(&c, 0, sizeof c);
        c.side[0] = &s->now->side[0].dump;
        c.side[1] = &s->now->side[1].dump;
        if (measure_how(&s->now->measure, i, &c.job))
            out[n++] = c;
    }
    return n;
}

static void check_own(struct tensor_reader *g, const struct tensor_reader_case *c)
{
    struct tensor t[2];
    struct err e;
    assert_int_equal(measure_open_job(c->side, &c->job, t, &e), 0);
    assert_int_equal(g->lens.numel, t[0].numel);
    assert_int_equal(g->tally.numel, t[0].numel);
    assert_true(tensor_reader_case_same(&g->now, c));
    tensor_close(&t[0]);
    tensor_close(&t[1]);
}

static void never_another_row(void **state)
{
    struct session *s = open_paths(sample("tt_rope/target"), sample("tt_rope/bench"));
    struct tensor_reader_case c[200];
    struct tensor_reader g;
    size_t n = cases_of(s, c, 200), open = 0;
    (void)state;
    assert_true(n > 20);
    tensor_reader_init(&g, NULL, NULL);
    for (size_t i = 0; i < 3000; i++) {
        const struct tensor_reader_case *want = &c[i * 7 % n];
        pthread_mutex_lock(&g.job.lock);
        tensor_reader_want(&g, want);
        if (tensor_reader_ready(&g) == TENSOR_READER_OPEN) { /* only ever of what is wanted */
            check_own(&g, want);
            open++;
        }
        pthread_mutex_unlock(&g.job.lock);
        if (i % 50 == 0) {
            tensor_reader_wait(&g);
            pthread_mutex_lock(&g.job.lock);
            assert_int_equal(tensor_reader_ready(&g), TENSOR_READER_OPEN);
            check_own(&g, want);
            assert_true(tally_complete(&g.tally));
            pthread_mutex_unlock(&g.job.lock);
            open++;
        }
    }
    assert_true(open >= 60);
    tensor_reader_release(&g);
    shut(s);
}

static void planes_are_kept(void **state)
{
    struct session *s = open_paths(sample("tt_rope/target"), sample("tt_rope/bench"));
    struct tensor_reader_case c[1];
    struct tensor_reader g;
    struct heat_map_ask a[PLANES];
    (void)state;
    assert_int_equal(cases_of(s, c, 1), 1);
    tensor_reader_init(&g, NULL, NULL);
    pthread_mutex_lock(&g.job.lock);
    tensor_reader_want(&g, c);
    pthread_mutex_unlock(&g.job.lock);
    tensor_reader_wait(&g);
    for (int i = 0; i < PLANES; i++) {
        memset(&a[i], 0, sizeof a[i]);
        a[i] = (struct heat_map_ask){.axis = {-1, g.lens.ndim - 1},
                                     .from = {0, i % (int)g.lens.shape[g.lens.ndim - 1]},
                                     .count = {1, 1},
                                     .size = {1, 1 + i}};
        pthread_mutex_lock(&g.job.lock);
        uint64_t element = (uint64_t)i % g.lens.numel;
        tensor_reader_ask(&g, &a[i], element);
        pthread_mutex_unlock(&g.job.lock);
        tensor_reader_wait(&g);
        pthread_mutex_lock(&g.job.lock);
        const struct heat_map *h = tensor_reader_heat(&g);
        assert_non_null(h);
        assert_true(heat_map_complete(h));
        assert_non_null(tensor_reader_element(&g, element));
        tensor_reader_ask(&g, &a[i ? i - 1 : 0], element);
        assert_non_null(tensor_reader_heat(&g)); /* the one before is kept */
        tensor_reader_ask(&g, &a[i], element);
        pthread_mutex_unlock(&g.job.lock);
    }
    tensor_reader_release(&g);
    shut(s);
}

static void a_file_that_is_gone(void **state)
{
    struct session *s = open_paths(sample("tt_rope/target"), NULL);
    struct tensor_reader_case c;
    struct tensor_reader g;
    (void)state;
    memset(&c, 0, sizeof c);
    c.side[0] = &s->now->side[0].dump;
    c.side[1] = &s->now->side[1].dump;
    c.job.row[0] = c.job.row[1] = NONE;
    for (uint32_t i = 0; i < s->now->side[0].dump.rows.n && c.job.row[0] == NONE; i++)
        if (!dump_row_readable(&s->now->side[0].dump, i))
            c.job.row[0] = i; /* has no file at all */
    if (c.job.row[0] == NONE)
        skip();
    tensor_reader_init(&g, NULL, NULL);
    pthread_mutex_lock(&g.job.lock);
    tensor_reader_want(&g, &c);
    pthread_mutex_unlock(&g.job.lock);
    tensor_reader_wait(&g);
    pthread_mutex_lock(&g.job.lock);
    assert_int_equal(tensor_reader_ready(&g), TENSOR_READER_FAILED);
    assert_true(g.err.text[0] != 0);
    pthread_mutex_unlock(&g.job.lock);
    tensor_reader_release(&g);
    shut(s);
}

/* ---- the place on the workspace ---- */

struct open_desk {
    struct session *s;
    struct investigation inv;
    struct workspace d;
};

static struct open_desk *desk_of(const char *target, const char *golden)
{
    struct open_desk *o = calloc(1, sizeof *o);
    o->s = open_paths(target, golden);
    investigation_init(&o->inv);
    workspace_init(&o->d, o->s, &o->inv);
    return o;
}

static void desk_shut(struct open_desk *o)
{
    workspace_release(&o->d);
    shut(o->s);
    investigation_release(&o->inv);
    free(o);
}

static void run(struct open_desk *o, const char *text)
{
    buf_clear(&o->d.message);
    o->d.message_is_error = false;
    session_lock(o->s);
    command_run(&o->d, text);
    session_unlock(o->s);
    tensor_reader_wait(&o->d.tensor.reader);
    session_lock(o->s);
    workspace_refresh(&o->d); /* as the next frame does */
    session_unlock(o->s);
    tensor_reader_wait(&o->d.tensor.reader);
}

static void pairing_anew_turns_the_view(void **state)
{
    struct open_desk *o = desk_of(sample("tt_rope/target"), sample("tt_rope/bench"));
    struct tensor_view *x = &o->d.tensor;
    struct err e;
    (void)state;
    run(o, "first");
    run(o, "tensor");
    assert_true(x->open);
    assert_int_equal(x->of, TENSOR_VIEW_BOTH);
    uint32_t target = x->reader.now.job.row[TARGET];
    assert_int_not_equal(x->reader.now.job.row[GOLDEN], NONE);
    run(o, "unpair"); /* the row stands alone now, and so is what is shown */
    assert_int_equal(session_wait(o->s, &e), 0);
    run(o, "worst next");
    assert_int_equal(x->of, TENSOR_VIEW_ALONE);
    assert_int_equal(x->reader.now.job.row[TARGET], target);
    assert_int_equal(x->reader.now.job.row[GOLDEN], NONE);
    assert_false(x->reader.lens.has[GOLDEN]);
    run(o, "undo");
    assert_int_equal(session_wait(o->s, &e), 0);
    run(o, "worst next");
    assert_int_equal(x->of, TENSOR_VIEW_BOTH);
    assert_true(x->reader.lens.has[GOLDEN]);
    desk_shut(o);
}

static void commands_move_the_cursor(void **state)
{
    struct open_desk *o = desk_of(sample("tt_rope/target"), sample("tt_rope/bench"));
    struct tensor_view *x = &o->d.tensor;
    struct buf last = {0}, beyond = {0};
    (void)state;
    run(o, "at 0"); /* not open: a sentence, no harm */
    assert_true(o->d.message_is_error);
    run(o, "first");
    run(o, "tensor");
    const struct element_lens *l = &x->reader.lens;
    for (int i = 0; i < 20 && l->ndim < 2; i++)
        run(o, "next deviation");
    assert_true(l->ndim >= 2);
    for (int i = 0; i < l->ndim; i++) {
        buf_fmt(&last, i ? ",%lld" : "at %lld", (long long)l->shape[i] - 1);
        buf_fmt(&beyond, i ? ",%lld" : "at %lld", (long long)l->shape[i]);
    }
    run(o, last.p);
    assert_int_equal(element_lens_index(l, x->at), l->numel - 1);
    run(o, beyond.p);
    assert_true(o->d.message_is_error);
    assert_int_equal(element_lens_index(l, x->at), l->numel - 1);
    run(o, "worst");
    assert_int_equal(element_lens_index(l, x->at), x->reader.tally.worst[0].at);
    run(o, "worst next");
    assert_int_equal(element_lens_index(l, x->at), x->reader.tally.worst[x->reader.tally.worsts > 1].at);
    static const char *const bad[] = {"at",    "at x",    "at 1,", "axes 0 0",   "axes 99 0", "axes x",
                                      "slide", "slide x", "cells", "cells up x", "cells in"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        run(o, bad[i]);
        assert_true(o->d.message_is_error);
    }
    static const char *const any[] = {"cells down all", "cells right page", "cells left 3",  "axes next",
                                      "axes prev",      "slider",           "slide +1",      "slide -99",
                                      "magnify in",     "magnify out",      "log",           "map",
                                      "nonfinite",      "next deviation",   "prev deviation"};
    for (int i = 0; i < 400; i++) {
        run(o, any[(size_t)i * 7 % ARRAY_LEN(any)]);
        if (i % 3 == 0) { /* as a pane of some size would ask */
            struct heat_map_ask ask;
            pthread_mutex_lock(&x->reader.job.lock);
            if (tensor_view_ready(&o->d) == TENSOR_READER_OPEN) {
                tensor_view_ask(x, 1 + i % 5, 1 + i % 7, &ask);
                tensor_reader_ask(&x->reader, &ask, 0);
            }
            pthread_mutex_unlock(&x->reader.job.lock);
            tensor_reader_wait(&x->reader);
        }
        for (int k = 0; x->placed && k < l->ndim; k++)
            assert_true(x->of != TENSOR_VIEW_BOTH || (x->at[k] >= 0 && x->at[k] < l->shape[k]));
    }
    buf_release(&last);
    buf_release(&beyond);
    desk_shut(o);
}

/* A tensor that has opened since the workspace was refreshed, with fewer axes than the one before. */
static void opened_in_between(void **state)
{
    struct open_desk *o = desk_of(sample("tt_rope/target"), sample("tt_rope/bench"));
    struct tensor_view *x = &o->d.tensor;
    struct heat_map_ask ask;
    (void)state;
    run(o, "find Functional.embedding.0.forward.output.0");
    run(o, "tensor");
    assert_true(x->open && x->reader.lens.ndim == 3);
    run(o, "axes 0 2");
    session_lock(o->s);
    command_run(&o->d, "find Module.module.decoder.layers.0.input_layernorm.RMSNorm.forward.0.parameters.weight");
    workspace_refresh(&o->d);
    session_unlock(o->s);
    tensor_reader_wait(&x->reader);
    session_lock(o->s);
    pthread_mutex_lock(&x->reader.job.lock);
    assert_int_equal(tensor_view_ready(&o->d), TENSOR_READER_OPEN);
    assert_int_equal(x->reader.lens.ndim, 1);
    assert_true(x->axis[0] < 1 && x->axis[1] < 1);
    tensor_view_ask(x, 10, 20, &ask);
    assert_true(ask.size[0] > 0 && ask.size[1] > 0);
    pthread_mutex_unlock(&x->reader.job.lock);
    session_unlock(o->s);
    desk_shut(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_another_row),        cmocka_unit_test(planes_are_kept),
        cmocka_unit_test(a_file_that_is_gone),      cmocka_unit_test(pairing_anew_turns_the_view),
        cmocka_unit_test(commands_move_the_cursor), cmocka_unit_test(opened_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
