/* Whole comparisons: what the samples' first deviations are, what is said when nothing can be compared,
 * and that everything can be stopped at any moment. */
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "judge/verdict_text.h"
#include "session/session.h"

static struct session_options options(const char *target, const char *golden)
{
    struct session_options o = {.of.path = {target, golden}, .of.step = {-1, -1}, .of.rank = {-1, -1}};
    thresholds_init(&o.of.tol);
    return o;
}

/* On the heap: a test that fails leaves its threads behind. */
static struct session *start(const struct session_options *o)
{
    struct session *s = calloc(1, sizeof *s);
    struct err e;
    if (session_start(s, o, &e))
        fail_msg("%s", e.text);
    return s;
}

static struct session *run(const struct session_options *o)
{
    struct session *s = start(o);
    struct err e;
    if (session_wait(s, &e))
        fail_msg("%s", e.text);
    return s;
}

static void stop(struct session *s)
{
    session_stop(s);
    session_stop(s); /* a second time does nothing */
    free(s);
}

static const char *name_of(const struct session *s, uint32_t line, int side)
{
    static struct buf b[2];
    buf_clear(&b[side]);
    buf_cstr(&b[side], "");
    if (line != NONE && s->now->pairing->lines.v[line].row[side] != NONE)
        dump_row_name(&s->now->side[side].dump, s->now->pairing->lines.v[line].row[side], &b[side]);
    return b[side].p;
}

/* ---- the samples ---- */

#define ALIGNED_OR_UNSURE -1

static const struct {
    const char *target, *golden;
    const char *first[2]; /* "": nothing deviates; NULL: as the target's */
    enum first_class first_class;
    int status; /* ALIGNED_OR_UNSURE: how much two frameworks' calls can be paired is not decided here */
} cases[] = {
    {"tt_rope/target", "tt_rope/bench", {"Torch.outer.0.forward.input.1"}, FIRST_INPUT, 1},
    {"tt_bf16/target", "tt_bf16/bench", {"Functional.linear.4.forward.input.1"}, FIRST_INPUT, 1},
    {"tt_dropout/target", "tt_dropout/bench", {"Functional.dropout.2.forward.input.1"}, FIRST_INPUT, 1},
    {"tt_nan_mask/target", "tt_nan_mask/bench", {"Tensor.__mul__.18.forward.input.1"}, FIRST_INPUT, 1},
    {"tt_emb_fp32/target", "tt_emb_fp32/bench", {""}, FIRST_INPUT, 0},
    {"noise_tf32_stat/target", "noise_tf32_stat/bench", {""}, FIRST_INPUT, 0},
    {"llama_rope/ms", "llama_rope/torch",
     {"Functional.mul.0.forward.input.1", "Tensor.__mul__.2.forward.input.1"}, FIRST_INPUT, 1},
    {"overflow_stat/ms", "overflow_stat/torch",
     {"Functional.add.3.forward.output.0", "Torch.add.0.forward.output.0"}, FIRST_NONFINITE, 1},
    {"clean_mix_stat/ms", "clean_mix_stat/torch", {""}, FIRST_INPUT, ALIGNED_OR_UNSURE},
    {"procdir/ms", "procdir/torch", {""}, FIRST_INPUT, ALIGNED_OR_UNSURE},
};

static void limits_of_one_side(void **state)
{
    struct session_options o = options(sample("clean_md5/ms"), NULL);
    struct session *s = run(&o);
    struct err e;
    (void)state;
    session_lock(s);
    session_set_tol(s, &o.of.tol);
    session_unlock(s);
    assert_int_equal(session_wait(s, &e), 0); /* there is nothing to judge anew, so nothing to wait for */
    stop(s);
}

static void first_deviations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session_options o = options(sample(cases[i].target), sample(cases[i].golden));
        struct session *s = run(&o);
        const struct judgement *j = s->now->judged;
        struct judge_options jo = comparison_judge_options(s->now);
        for (int side = 0; side < 2; side++) {
            const char *want = cases[i].first[side] ? cases[i].first[side] : cases[i].first[0];
            if (strcmp(name_of(s, j->first, side), want) != 0)
                fail_msg("%s: first is \"%s\"", cases[i].target, name_of(s, j->first, side));
        }
        if (*cases[i].first[0])
            assert_int_equal(j->first_class, cases[i].first_class);
        int status = judgement_status(j, &jo);
        assert_true(cases[i].status == ALIGNED_OR_UNSURE ? status != 1 : status == cases[i].status);
        assert_true(s->settled && !s->now->failed && s->now->measure.finished == s->now->measure.wanted);
        stop(s);
    }
}

/* Who waits for the end gets one judgement, the same as whoever saw those before it. */
static void judged_once(void **state)
{
    struct session_options o = options(sample("tt_rope/target"), sample("tt_rope/bench"));
    struct session *each = run(&o), *once;
    (void)state;
    o.unwatched = true;
    once = run(&o);
    assert_true(once->now->measure.wanted > 0);
    assert_int_equal(once->now->measure.finished, once->now->measure.wanted);
    assert_true(each->now->serial > 1);
    assert_int_equal(once->now->serial, 1);
    assert_int_equal(once->now->judged->first, each->now->judged->first);
    assert_memory_equal(&once->now->judged->sum, &each->now->judged->sum, sizeof each->now->judged->sum);
    stop(each);
    stop(once);
}

/* What the frameworks record differently is set aside, with the reason; nothing else of a clean pair deviates. */
static void known_differences(void **state)
{
    struct session_options o = options(sample("clean_mix_stat/ms"), sample("clean_mix_stat/torch"));
    struct session *s = run(&o);
    struct buf why = {0};
    uint32_t seen = 0;
    (void)state;
    assert_int_equal(s->now->judged->sum.by[VERDICT_DEVIATE], 0);
    for (uint32_t i = 0; i < s->now->judged->lines; i++) {
        if (s->now->judged->line[i].rule != RULE_FRAMEWORK)
            continue;
        buf_clear(&why);
        explain_verdict(s->now->judged, &s->now->measure, i, &why);
        assert_non_null(strstr(why.p, "PyTorch record"));
        assert_int_equal(s->now->judged->line[i].verdict, VERDICT_SKIP);
        seen++;
    }
    assert_true(seen >= 1);
    buf_release(&why);
    stop(s);
}

/* A dump against itself: all equal, whatever the format. */
static void against_itself(void **state)
{
    static const char *const paths[] = {
        "tt_rope/target",      "llama_rope/ms",               "clean_md5/torch", "overflow_stat/ms",
        "msdump/ms/statistic", "msdump_samples/dtypes_2.7.1", "recompute/torch", "procdir/torch",
    };
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct session_options o = options(sample(paths[i]), sample(paths[i]));
        o.of.exact = true;
        struct session *s = run(&o);
        const struct judge_summary *m = &s->now->judged->sum;
        assert_int_equal(s->now->judged->first, NONE);
        assert_int_equal(m->by[VERDICT_MATCH] + m->by[VERDICT_SKIP], s->now->judged->lines);
        /* aborted calls and containers without an output have nothing that can be paired */
        double least = strstr(paths[i], "recompute") || strstr(paths[i], "procdir") ? 0.9 : 1;
        assert_true(m->coverage[0] >= least && m->coverage[1] >= least);
        struct judge_options jo = comparison_judge_options(s->now);
        bool bits = o.of.exact && !m->without_bits; /* figures alone do not show them */
        assert_int_equal(judgement_status(s->now->judged, &jo), bits ? 0 : 5);
        bool figures = strstr(paths[i], "stat") || strstr(paths[i], "procdir");
        assert_true(bits == !figures);
        stop(s);
    }
}

static void threads_do_not_change_the_answer(void **state)
{
    struct session_options o = options(sample("tt_rope/target"), sample("tt_rope/bench"));
    (void)state;
    o.workers = 1;
    struct session *a = run(&o);
    o.workers = 8;
#ifdef __aarch64__
    o.cpu = "neon";
#else
    o.cpu = "generic";
#endif
    struct session *b = run(&o);
    assert_int_equal(a->now->judged->lines, b->now->judged->lines);
    assert_memory_equal(a->now->judged->line, b->now->judged->line,
                        a->now->judged->lines * sizeof *a->now->judged->line);
    assert_memory_equal(&a->now->judged->sum, &b->now->judged->sum, sizeof a->now->judged->sum);
    stop(a);
    stop(b);
}

static void limits_move_the_verdicts(void **state)
{
    struct err e;
    struct session_options o = options(sample("tt_rope/target"), sample("tt_rope/bench"));
    (void)state;
    struct session *s = run(&o);
    uint32_t before = s->now->judged->sum.by[VERDICT_DEVIATE];
    assert_true(s->now->judged->first != NONE && before > 0);
    struct thresholds t = o.of.tol;
    static const char *const wide[] = {"float32.drift", "float32.deviate", "float32.product"};
    for (int i = 0; i < 3; i++)
        assert_int_equal(thresholds_set(&t, str_of(wide[i]), STR("1e9"), &e), 0);
    session_lock(s);
    session_set_tol(s, &t);
    assert_false(s->settled);
    session_unlock(s);
    assert_int_equal(session_wait(s, &e), 0);
    session_lock(s);
    assert_int_equal(s->now->judged->sum.by[VERDICT_DEVIATE], 0);
    assert_int_equal(s->now->judged->first, NONE);
    session_set_tol(s, &o.of.tol);
    session_unlock(s);
    assert_int_equal(session_wait(s, &e), 0);
    assert_int_equal(s->now->judged->sum.by[VERDICT_DEVIATE], before);
    stop(s);
}

static void steps_and_ranks(void **state)
{
    struct err e = {0};
    struct session_options o = options(sample("clean_mix_stat/ms"), sample("clean_mix_stat/torch"));
    (void)state;
    struct session *s = run(&o);
    assert_true(s->now->side[0].dump.step == 0 && s->now->side[1].dump.step == 0); /* the first both have */
    stop(s);
    o.of.step[0] = 1;
    s = run(&o);
    assert_true(s->now->side[0].dump.step == 1 && s->now->side[1].dump.step == 1);
    stop(s);
    o.of.step[1] = 0;
    s = run(&o);
    assert_true(s->now->side[0].dump.step == 1 && s->now->side[1].dump.step == 0);
    stop(s);
    o.of.step[0] = 7;
    o.of.step[1] = -1;
    s = start(&o);
    assert_int_equal(session_wait(s, &e), -1);
    assert_int_equal(e.code, ERR_USAGE);
    assert_non_null(strstr(e.text, "step 0 rank 0, step 1 rank 0"));
    stop(s);
}

static void one_side_alone(void **state)
{
    struct session_options o = options(sample("tt_rope/target"), NULL);
    (void)state;
    struct session *s = run(&o);
    assert_true(s->now->single && s->settled && s->now->paired);
    assert_null(s->now->judged);
    assert_int_equal(s->now->side[TARGET].dump.rows.n, 610);
    assert_int_equal(s->now->pairing->lines.n, 610);
    assert_false(s->now->examined.done);
    stop(s);
}

/* Looked over: figures of tensors whose records have none, and what is wrong, by row. */
static void one_side_examined(void **state)
{
    struct session_options o = options(sample("tt_nan_mask/target"), NULL);
    size_t n;
    (void)state;
    o.examine = true;
    struct session *s = run(&o);
    const struct dump *d = &s->now->side[TARGET].dump;
    uint32_t good = dump_find_row(d, STR("Functional.embedding.0.forward.output.0"));
    uint32_t bad = dump_find_row(d, STR("Functional.softmax.1.forward.input.0")),
             none = dump_find_row(d, STR("Functional.softmax.1.forward.input.dim"));
    assert_true(s->now->examined.done && s->now->serial == 1);
    assert_null(one_side_figures(&s->now->examined, none));
    const struct side_figures *f = one_side_figures(&s->now->examined, good);
    assert_non_null(f);
    assert_int_equal(f->count, 256);
    assert_int_equal(f->nan + f->inf, 0);
    assert_null(one_side_problems(&s->now->examined, good, &n));
    assert_false(one_side_wrong(&s->now->examined, good));
    const struct dump_check_problem *p = one_side_problems(&s->now->examined, bad, &n);
    assert_int_equal(n, 2);
    assert_true(p[0].row == bad && p[1].row == bad && one_side_wrong(&s->now->examined, bad));
    assert_int_equal(one_side_figures(&s->now->examined, bad)->nan, 144);
    stop(s);
}

/* ---- failures ---- */

static void fails(const char *target, const char *golden, enum err_code code, const char *why)
{
    struct err e = {0};
    struct session_options o = options(target, golden);
    struct session *s = start(&o);
    assert_int_equal(session_wait(s, &e), -1);
    assert_true(s->now->failed);
    if (e.code != code || !strstr(e.text, why))
        fail_msg("%s", e.text);
    stop(s);
}

static void what_cannot_be_opened(void **state)
{
    const char *dir = scratch();
    (void)state;
    fails("/nowhere/x", sample("tt_rope/bench"), ERR_IO, "/nowhere/x");
    fails(sample("tt_rope/bench"), "/nowhere/y", ERR_IO, "/nowhere/y");
    fails(sample("tt_rope/bench"), dir, ERR_DATA, "expected a recording of a supported format");
    put_text(dir, "dump.json", "{\"task\":");
    fails(dir, sample("tt_rope/bench"), ERR_DATA, "dump.json: byte 8");
    fails(sample("tt_rope/bench"), dir, ERR_DATA, "dump.json: byte 8");
}

static void bad_options(void **state)
{
    struct err e = {0};
    const char *maps[] = {"/nowhere/map.yaml"};
    struct session_options o = options(sample("tt_rope/target"), sample("tt_rope/bench"));
    (void)state;
    o.cpu = "abacus";
    struct session *s = calloc(1, sizeof *s);
    assert_int_equal(session_start(s, &o, &e), -1);
    assert_int_equal(e.code, ERR_USAGE);
    assert_non_null(strstr(e.text, "abacus"));
    stop(s); /* of one that never ran */
    o.cpu = NULL;
    o.of.maps = maps;
    o.of.map_count = 1;
    s = start(&o);
    assert_int_equal(session_wait(s, &e), -1);
    assert_non_null(strstr(e.text, "map.yaml"));
    stop(s);
}

/* A tensor that does not read costs its row its elements, not the comparison. */
static void missing_tensors(void **state)
{
    char path[700], command[1500];
    const char *dir = scratch();
    struct buf why = {0};
    (void)state;
    snprintf(command, sizeof command, "cp -r '%s' '%s/t'", sample("tt_rope/target"), dir);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/t/step0/rank0/dump_tensor_data/Functional.linear.0.forward.output.0.pt", dir);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/t/step0/rank0/dump_tensor_data/Functional.linear.1.forward.output.0.pt", dir);
    assert_int_equal(truncate(path, 700), 0);
    snprintf(path, sizeof path, "%s/t", dir);
    struct session_options o = options(path, sample("tt_rope/bench"));
    struct session *s = run(&o);
    assert_int_equal(s->now->judged->sum.unread, 2);
    uint32_t row = dump_find_row(&s->now->side[0].dump, STR("Functional.linear.0.forward.output.0"));
    uint32_t line = s->now->pairing->line_of[TARGET][row];
    assert_int_equal(s->now->measure.state[line], MEASURE_FAILED);
    assert_true(s->now->judged->line[line].flags & LINE_UNREAD);
    assert_true(s->now->judged->line[line].flags & LINE_STATISTICS); /* its recorded figures are left */
    explain_verdict(s->now->judged, &s->now->measure, line, &why);
    assert_non_null(strstr(why.p, "judged without its tensor"));
    assert_non_null(strstr(why.p, "linear.0.forward.output.0.pt"));
    assert_string_equal(name_of(s, s->now->judged->first, 0), "Torch.outer.0.forward.input.1");
    buf_release(&why);
    stop(s);
}

/* ---- stopping ---- */

static const char *large_dump(int calls)
{
    char path[400];
    const char *dir = scratch();
    snprintf(path, sizeof path, "%s/dump.json", dir);
    FILE *f = fopen(path, "w");
    fputs("{\"task\":\"statistics\",\"level\":\"L1\",\"framework\":\"pytorch\",\"data\":{", f);
    for (int i = 0; i < calls; i++)
        fprintf(f,
                "%s\"Functional.linear.%d.forward\":{\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch."
                "float32\","
                "\"shape\":[4,4],\"Max\":%d,\"Min\":-1,\"Mean\":0,\"Norm\":%d}]}",
                i ? "," : "", i, i, i + 1);
    fputs("}}", f);
    fclose(f);
    return dir;
}

static void can_be_stopped_at_any_moment(void **state)
{
    const char *dir = strdup(large_dump(60000));
    (void)state;
    for (int round = 0; round < 12; round++) {
        struct session_options o = options(dir, round % 2 ? sample("tt_rope/bench") : dir);
        struct session *s = start(&o);
        for (int i = 0; i < round; i++) { /* until so many batches have been read */
            session_lock(s);
            if (!s->settled && !s->now->failed && s->now->side[0].dump.rows.n < (size_t)round * 3000)
                pthread_cond_wait(&s->changed, &s->lock);
            session_unlock(s);
        }
        stop(s);
    }
    for (int round = 0; round < 30; round++) { /* while tensors are compared */
        struct session_options o = options(sample("tt_rope/target"), sample("tt_rope/bench"));
        struct session *s = start(&o);
        session_lock(s);
        while (!s->settled && !s->now->failed && s->now->measure.finished < (size_t)round * 15)
            pthread_cond_wait(&s->changed, &s->lock);
        session_unlock(s);
        stop(s);
    }
    free((char *)(uintptr_t)dir);
}

static void count_notes(void *ctx)
{
    atomic_fetch_add((atomic_int *)ctx, 1);
}

static void tells_of_changes(void **state)
{
    static atomic_int notes;
    struct session_options o = options(sample("tt_dropout/target"), sample("tt_dropout/bench"));
    (void)state;
    o.notify = count_notes;
    o.ctx = &notes;
    struct session *s = run(&o);
    assert_true(s->version > 0);
    stop(s);
    assert_true(atomic_load(&notes) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_of_one_side), cmocka_unit_test(first_deviations), cmocka_unit_test(judged_once),
        cmocka_unit_test(known_differences),
        cmocka_unit_test(against_itself),
        cmocka_unit_test(threads_do_not_change_the_answer),
        cmocka_unit_test(limits_move_the_verdicts),
        cmocka_unit_test(steps_and_ranks),
        cmocka_unit_test(one_side_alone),
        cmocka_unit_test(one_side_examined),
        cmocka_unit_test(what_cannot_be_opened),
        cmocka_unit_test(bad_options),
        cmocka_unit_test(missing_tensors),
        cmocka_unit_test(can_be_stopped_at_any_moment),
        cmocka_unit_test(tells_of_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
