/* The value of the step before: dumps of two steps on disk, looked at in the second one. */
#include "draws.h"
#include "sessions.h"

#include "diagnose/diagnose.h"
#include "dump/step_before.h"
#include "tensors.h"

enum { N = 64 };

static void fill(float *v, int what)
{
    uint64_t x = (uint64_t)what * 977 + 5;
    for (int i = 0; i < N; i++)
        v[i] = (float)(draw_share(&x) * 2 - 1);
}

/* A side: in each step a call that agrees and one that holds the values numbered `what`, 0: none is recorded. */
static const char *side_of(const char *root, const char *name, const int what[2], bool tensors)
{
    static char path[4][300];
    static int at;
    char *dir = path[at++ % 4];
    snprintf(dir, sizeof path[0], "%s/%s", root, name);
    mkdir(dir, 0755);
    for (int step = 0; step < 2; step++) {
        struct tensor_dump d;
        float v[N];
        char place[400];
        snprintf(place, sizeof place, "%s/step%d", dir, step);
        mkdir(place, 0755);
        snprintf(place, sizeof place, "%s/step%d/rank0", dir, step);
        mkdir(place, 0755);
        tensors_begin_at(&d, place);
        d.statistics = !tensors;
        fill(v, 100 + step);
        tensors_add(&d, "Functional.relu.0.forward", "8,8", v, N);
        fill(v, what[step]);
        if (what[step])
            tensors_add(&d, "Functional.mul.0.forward", "8,8", v, N);
        tensors_end(&d);
    }
    return dir;
}

static struct session *open_step(const char *target, const char *golden, int step)
{
    struct session *s = calloc(1, sizeof *s);
    struct session_options o = {.of.path = {target, golden}, .of.step = {step, step}, .of.rank = {-1, -1}};
    struct err e;
    thresholds_init(&o.of.tol);
    if (session_start(s, &o, &e) || session_wait(s, &e))
        fail_msg("%s", e.text);
    return s;
}

/* What is said of the row in step 1, or NULL where it is not called stale. */
static char *said(const int t[2], const int g[2], bool tensors, int *side)
{
    const char *root = scratch(), *target = side_of(root, "t", t, tensors), *golden = side_of(root, "g", g, tensors);
    struct session *s = open_step(target, golden, 1);
    struct diagnoses x;
    char *words = NULL;
    uint32_t row = dump_find_row(&s->now->side[TARGET].dump, STR("Functional.mul.0.forward.output.0"));
    assert_int_not_equal(row, NONE);
    diagnose_line(&x, s->now->judged, &s->now->measure, s->now->flow, s->now->pairing->line_of[TARGET][row]);
    for (int i = 0; i < x.n && !words; i++)
        if (x.v[i].id == DIAGNOSIS_STALE) {
            words = str_dup(str_of(x.v[i].evidence));
            *side = x.v[i].side;
        }
    diagnoses_release(&x);
    shut(s);
    return words;
}

static void expect(const int t[2], const int g[2], bool tensors, int side, const char *words)
{
    int on = -2;
    char *x = said(t, g, tensors, &on);
    if (!x || !strstr(x, words) || on != side)
        fail_msg("\"%s\" of side %d expected, said \"%s\" of side %d", words, side, x ? x : "", on);
    free(x);
}

static void silent(const int t[2], const int g[2], bool tensors)
{
    int on;
    char *x = said(t, g, tensors, &on);
    if (x)
        fail_msg("nothing to say, said \"%s\"", x);
}

static void test_its_own_value(void **state)
{
    (void)state;
    expect((const int[]){1, 1}, (const int[]){1, 2}, true, TARGET, "own value of step 0 (bitwise)");
    expect((const int[]){1, 2}, (const int[]){1, 1}, true, GOLDEN, "own value of step 0 (bitwise)");
    expect((const int[]){3, 3}, (const int[]){1, 2}, false, TARGET, "own value of step 0 (by its statistics");
}

static void test_the_other_sides(void **state)
{
    (void)state;
    expect((const int[]){3, 1}, (const int[]){1, 2}, true, TARGET, "the value of the other side from step 0 (bitwise)");
    expect((const int[]){3, 1}, (const int[]){1, 2}, false, TARGET, "the value of the other side from step 0");
}

static void test_what_is_not_stale(void **state)
{
    (void)state;
    silent((const int[]){3, 4}, (const int[]){1, 2}, true);  /* another fault */
    silent((const int[]){3, 3}, (const int[]){1, 1}, true);  /* tables: neither changes from step to step */
    silent((const int[]){3, 3}, (const int[]){0, 1}, true);  /* whether it should change is not known */
    silent((const int[]){0, 3}, (const int[]){0, 1}, false); /* nothing to look back at */
}

/* Steps, ranks and their order. */
static void test_which_step_is_before(void **state)
{
    static const struct reader one, two;
    struct place v[] = {{.reader = &one, .step = 0, .rank = 0}, {.reader = &one, .step = 3, .rank = 0},
                        {.reader = &one, .step = 3, .rank = 1}, {.reader = &one, .step = 7, .rank = 0},
                        {.reader = &two, .step = 5, .rank = 0}, {.reader = &one, .step = -1, .rank = 0}};
    place_list places = {.v = v, .n = ARRAY_LEN(v)};
    (void)state;
    struct step_before *p = step_before_of(&places, 3);
    assert_non_null(p);
    assert_int_equal(step_before_number(p), 3);
    step_before_free(p);
    assert_null(step_before_of(&places, 0));
    assert_null(step_before_of(&places, 2)); /* no other step of rank 1 */
    assert_null(step_before_of(&places, 5));
    assert_null(step_before_of(&places, 4)); /* another format */
}

/* What lies there cannot be read: nothing is said, and nothing fails. */
static void test_damaged_step_before(void **state)
{
    (void)state;
    const char *root = scratch(), *target = side_of(root, "t", (const int[]){1, 1}, true),
               *golden = side_of(root, "g", (const int[]){1, 2}, true);
    put_text(target, "step0/rank0/dump.json", "{\"task\":\"tensor\",\"data\":");
    struct session *s = open_step(target, golden, 1);
    struct diagnoses x;
    uint32_t row = dump_find_row(&s->now->side[TARGET].dump, STR("Functional.mul.0.forward.output.0"));
    diagnose_line(&x, s->now->judged, &s->now->measure, s->now->flow, s->now->pairing->line_of[TARGET][row]);
    for (int i = 0; i < x.n; i++)
        if (x.v[i].id == DIAGNOSIS_STALE)
            assert_null(strstr(x.v[i].evidence, "own value"));
    diagnoses_release(&x);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_its_own_value),       cmocka_unit_test(test_the_other_sides),
        cmocka_unit_test(test_what_is_not_stale),   cmocka_unit_test(test_which_step_is_before),
        cmocka_unit_test(test_damaged_step_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
