/* Findings: versions, what holds, undo, order, the way through a file; evidence of a row. */
#include "support.h"

#include "table/evidence.h"
#include "ticket/investigation.h"
#include "sessions.h"

static struct finding made(struct findings *f, const char *text, const char *target)
{
    struct finding x = {.number = findings_number(f),
                        .step = findings_step(f),
                        .text = text,
                        .author = "Li",
                        .time = 5,
                        .about = {target, ""}};
    x.place = x.number;
    return x;
}

static void expect_texts(const struct findings *f, const char *const *text, size_t n)
{
    finding_list l = {0};
    findings_read(f, &l);
    assert_int_equal(l.n, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(l.v[i].text, text[i]);
    vec_release(&l);
}

static void versions(void **state)
{
    struct findings f = {0};
    struct finding x;
    (void)state;
    findings_add(&f, made(&f, "one", "a"));
    findings_add(&f, made(&f, "two", "b"));
    expect_texts(&f, (const char *[]){"one", "two"}, 2);
    assert_true(findings_get(&f, 2, &x));
    x.text = "two, said better";
    x.status = FINDING_CLEARED;
    x.step = findings_step(&f);
    findings_add(&f, x);
    expect_texts(&f, (const char *[]){"one", "two, said better"}, 2);
    assert_true(findings_undo(&f, false));
    expect_texts(&f, (const char *[]){"one", "two"}, 2);
    assert_true(findings_undo(&f, true));
    assert_false(findings_undo(&f, true));
    x.removed = true;
    x.step = findings_step(&f);
    findings_add(&f, x);
    expect_texts(&f, (const char *[]){"one"}, 1);
    assert_false(findings_get(&f, 2, &x));
    assert_false(findings_about(&f, "b", "", &x));
    assert_true(findings_about(&f, "a", "", &x));
    assert_int_equal(x.number, 1);
    assert_false(findings_about(&f, "", "", &x)); /* two absent names are no name in common */
    for (int i = 0; i < 4; i++)
        assert_true(findings_undo(&f, false));
    assert_false(findings_undo(&f, false));
    expect_texts(&f, NULL, 0);
    findings_add(&f, made(&f, "another", "c")); /* what was taken back is gone */
    assert_false(findings_undo(&f, true));
    assert_int_equal(f.log.n, 1);
    findings_release(&f);
}

static void order(void **state)
{
    struct findings f = {0};
    (void)state;
    findings_add(&f, made(&f, "one", "a"));
    findings_add(&f, made(&f, "two", "b"));
    findings_add(&f, made(&f, "three", "c"));
    assert_false(findings_movable(&f, 1, -1));
    assert_false(findings_movable(&f, 3, 1));
    assert_false(findings_movable(&f, 9, 1));
    findings_move(&f, 3, -1, "Li", 6);
    expect_texts(&f, (const char *[]){"one", "three", "two"}, 3);
    findings_move(&f, 1, 1, "Li", 6);
    expect_texts(&f, (const char *[]){"three", "one", "two"}, 3);
    assert_true(findings_undo(&f, false)); /* both that changed places */
    expect_texts(&f, (const char *[]){"one", "three", "two"}, 3);
    findings_release(&f);
}

static void equal_places(void **state)
{
    for (int by = -1; by <= 1; by += 2) {
        struct findings f = {0};
        (void)state;
        for (uint32_t i = 1; i <= 2; i++)
            findings_add(&f, (struct finding){.number = i,
                                              .step = i,
                                              .place = 3,
                                              .text = i == 1 ? "one" : "two",
                                              .author = "",
                                              .about = {"", ""}});
        findings_move(&f, by < 0 ? 2 : 1, by, "", 0);
        expect_texts(&f, (const char *[]){"two", "one"}, 2);
        findings_release(&f);
    }
}

static uint32_t linked(struct findings *f, uint32_t number, uint32_t cause)
{
    struct finding x;
    struct err e;
    assert_true(findings_get(f, number, &x));
    int rc = findings_linkable(f, number, cause, &e);
    if (rc)
        return 0;
    x.cause = cause;
    x.step = findings_step(f);
    findings_add(f, x);
    return 1;
}

static void expect_depths(const struct findings *f, const uint16_t *depth, size_t n)
{
    finding_list l = {0};
    findings_read(f, &l);
    assert_int_equal(l.n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(l.v[i].depth, depth[i]);
    vec_release(&l);
}

static void links(void **state)
{
    static const char *const text[] = {"one", "two", "three", "four"};
    struct findings f = {0};
    (void)state;
    for (size_t i = 0; i < 4; i++)
        findings_add(&f, made(&f, text[i], "a"));
    assert_true(linked(&f, 1, 4)); /* the first follows from the last */
    expect_texts(&f, (const char *[]){"two", "three", "four", "one"}, 4);
    expect_depths(&f, (uint16_t[]){0, 0, 0, 1}, 4);
    assert_true(linked(&f, 2, 1));
    expect_texts(&f, (const char *[]){"three", "four", "one", "two"}, 4);
    expect_depths(&f, (uint16_t[]){0, 0, 1, 2}, 4);
    assert_false(linked(&f, 4, 2)); /* a ring */
    assert_false(linked(&f, 4, 4));
    assert_false(linked(&f, 4, 9));
    assert_true(linked(&f, 3, 4)); /* beside the first, and moved before and behind it */
    expect_texts(&f, (const char *[]){"four", "one", "two", "three"}, 4);
    assert_false(findings_movable(&f, 2, 1));
    assert_false(findings_movable(&f, 4, 1));
    findings_move(&f, 3, -1, "Li", 6);
    expect_texts(&f, (const char *[]){"four", "three", "one", "two"}, 4);
    assert_true(findings_undo(&f, false) && findings_undo(&f, false) && findings_undo(&f, false));
    expect_texts(&f, (const char *[]){"two", "three", "four", "one"}, 4);
    assert_true(findings_undo(&f, true));
    struct finding x;
    assert_true(findings_get(&f, 4, &x));
    x.status = FINDING_ROOT_CAUSE;
    x.step = findings_step(&f);
    findings_add(&f, x);
    struct finding root;
    assert_true(findings_root(&f, 2, &root));
    assert_int_equal(root.number, 4);
    assert_false(findings_root(&f, 3, &root));
    x.removed = true; /* what follows from it stands by itself then */
    x.step = findings_step(&f);
    findings_add(&f, x);
    expect_texts(&f, (const char *[]){"one", "two", "three"}, 3);
    expect_depths(&f, (uint16_t[]){0, 1, 0}, 3);
    findings_release(&f);
}

/* A file may hold what nobody can make here. */
static void rings(void **state)
{
    struct findings f = {0};
    (void)state;
    for (uint32_t i = 1; i <= 5; i++) {
        struct finding x = made(&f, "x", "a");
        x.cause = i == 4 ? 4 : i < 4 ? i % 3 + 1 : 77; /* 1 from 2 from 3 from 1; itself; nobody */
        findings_add(&f, x);
    }
    expect_texts(&f, (const char *[]){"x", "x", "x", "x", "x"}, 5);
    struct finding root;
    assert_false(findings_root(&f, 1, &root));
    findings_release(&f);
    for (uint32_t i = 1; i <= 100000; i++) { /* deep, and read without recursion */
        struct finding x =
            {.number = i, .step = i, .place = i, .text = "x", .author = "", .about = {"", ""}, .cause = i - 1};
        findings_add(&f, x);
    }
    finding_list l = {0};
    findings_read(&f, &l);
    assert_int_equal(l.n, 100000);
    assert_int_equal(l.v[99999].number, 100000);
    assert_int_equal(l.v[99999].depth, UINT16_MAX);
    vec_release(&l);
    findings_release(&f);
}

static void filters(void **state)
{
    const struct finding x = {.status = FINDING_WAIVED,
                              .severity = FINDING_HIGH,
                              .subject = SUBJECT_CURVE,
                              .text = "Loss jumps\n#data #run2",
                              .author = "Li"};
    static const char *const holds[] =
        {"",      "waived",           "wai", "#data", "#run2 loss", "author:Li", "severity:high on:curve",
         "JUMPS", "  waived   #data "};
    static const char *const not[] = {"suspected", "#dat",       "author:L",     "severity:low",
                                      "on:row",    "jumps away", "waived #other"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(holds); i++)
        assert_true(finding_wanted(&x, str_of(holds[i])));
    for (size_t i = 0; i < ARRAY_LEN(not); i++)
        assert_false(finding_wanted(&x, str_of(not[i])));
}

static void tags(void **state)
{
    static const struct {
        const char *text, *tags, *wanted;
    } cases[] = {{"a", "b #c", "a #b #c"}, {"a #b", "b", "a #b"},
                 {"a #b c", "-b", "a c"},  {"a\n\nb #b\nc", "-b d", "a\n\nb\nc #d"},
                 {"#b", "-b", ""},         {"a #bc", "-b", "a #bc"},
                 {"a", "- #", "a"}};
    struct buf b = {0};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        finding_retag(str_of(cases[i].text), str_of(cases[i].tags), &b);
        assert_string_equal(b.p, cases[i].wanted);
    }
    finding_line(" a\n\n b\tc ", &b);
    assert_string_equal(b.p, "a b c");
    buf_release(&b);
}

/* Files from before there were subjects: names on both sides are a pair. */
static void older_files(void **state)
{
    struct investigation v;
    struct finding x;
    struct err e;
    const char *where = scratch();
    char path[300];
    (void)state;
    put_text(where, "o.investigation.json",
             "{\"schema\":1,\"investigation\":{\"findings\":[{\"number\":1,\"step\":1,\"place\":1,\"status\":"
             "\"cleared\",\"text\":\"a\","
             "\"target\":\"T\",\"golden\":\"G\"},{\"number\":2,\"step\":2,\"place\":2,\"text\":\"b\",\"golden\":\"G\","
             "\"subject\":\"nobody knows\",\"caused_by\":-3}],\"found\":2}}");
    snprintf(path, sizeof path, "%s/o.investigation.json", where);
    investigation_init(&v);
    assert_int_equal(investigation_load(&v, path, &e), 0);
    assert_true(findings_get(&v.findings, 1, &x));
    assert_int_equal(x.subject, SUBJECT_PAIR);
    assert_string_equal(x.at, "");
    assert_true(findings_get(&v.findings, 2, &x));
    assert_int_equal(x.subject, SUBJECT_ROW);
    assert_int_equal(x.cause, 0);
    investigation_release(&v);
}

static void through_a_file(void **state)
{
    static const struct fact seen[] = {{"dtype", {"Float32", "float16"}},
                                       {"rel_l2", {"9.765144616761063e-05", NULL}},
                                       {"value", {"", "x"}}};
    struct investigation v, w;
    struct finding x;
    struct err e;
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s/n.investigation.json", scratch());
    investigation_init(&v);
    v.path = investigation_keep(&v, path);
    x = made(&v.findings, "line one\nline \"two\" \xe4\xb8\xad #tag", "T.0");
    x.severity = FINDING_HIGH;
    x.subject = SUBJECT_CURVE;
    x.at = "loss@7";
    x.cause = 12;
    x.evidence = (struct evidence){seen, 3};
    findings_add(&v.findings, x);
    x.status = FINDING_ROOT_CAUSE;
    x.step = findings_step(&v.findings);
    findings_add(&v.findings, x);
    findings_add(&v.findings, made(&v.findings, "taken back", "U"));
    assert_true(findings_undo(&v.findings, false));
    assert_int_equal(investigation_save(&v, &e), 0);
    investigation_init(&w);
    assert_int_equal(investigation_load(&w, path, &e), 0);
    assert_int_equal(w.findings.log.n, 3);
    assert_int_equal(w.findings.now, 2);
    assert_true(findings_get(&w.findings, 1, &x));
    assert_string_equal(x.text, "line one\nline \"two\" \xe4\xb8\xad #tag");
    assert_int_equal(x.status, FINDING_ROOT_CAUSE);
    assert_int_equal(x.severity, FINDING_HIGH);
    assert_int_equal(x.subject, SUBJECT_CURVE);
    assert_string_equal(x.at, "loss@7");
    assert_int_equal(x.cause, 12);
    assert_string_equal(x.author, "Li");
    assert_int_equal(x.time, 5);
    assert_int_equal(x.evidence.n, 3); /* written once, for all versions */
    for (int i = 0; i < 3; i++) {
        assert_string_equal(x.evidence.fact[i].what, seen[i].what);
        assert_string_equal(x.evidence.fact[i].side[0], seen[i].side[0]);
        if (seen[i].side[1])
            assert_string_equal(x.evidence.fact[i].side[1], seen[i].side[1]);
        else
            assert_null(x.evidence.fact[i].side[1]);
    }
    assert_true(findings_undo(&w.findings, true));
    assert_true(findings_get(&w.findings, 2, &x));
    investigation_release(&v);
    investigation_release(&w);
}

static void words(void **state)
{
    (void)state;
    for (int i = 0; i < FINDING_STATUSES; i++)
        assert_int_equal(finding_status_find(str_of(finding_status_name((enum finding_status)i))), i);
    assert_int_equal(finding_status_find(STR("root")), FINDING_ROOT_CAUSE);
    assert_int_equal(finding_status_find(STR("")), -1);
    assert_int_equal(finding_status_find(STR("rooted")), -1);
    assert_true(str_is(finding_tag(STR("a #b c# # #d"), 0), "b"));
    assert_true(str_is(finding_tag(STR("a #b c# # #d"), 1), "d"));
    assert_int_equal(finding_tag(STR("a #b c# # #d"), 2).n, 0);
}

static const char *fact_of(const struct evidence *e, const char *what, int side)
{
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->fact[i].what, what) == 0)
            return e->fact[i].side[side];
    return NULL;
}

static void of_a_row(void **state)
{
    struct session *s = open_paths(sample("tt_rope/target"), sample("tt_rope/bench"));
    struct arena a = {0};
    (void)state;
    session_lock(s);
    assert_true(s->now->judged->first != NONE);
    struct evidence e = evidence_collect(s->now, s->now->judged->first, NULL, &a);
    assert_string_equal(fact_of(&e, "verdict", 0), "deviate");
    assert_string_equal(fact_of(&e, "dtype", 0), "float32");
    assert_non_null(fact_of(&e, "diagnosis", 0));
    assert_non_null(strstr(fact_of(&e, "frame", 0), "outer"));
    assert_int_equal(strlen(fact_of(&e, "fingerprint", 0)), 16);
    assert_string_not_equal(fact_of(&e, "fingerprint", 0), fact_of(&e, "fingerprint", 1));
    assert_null(fact_of(&e, "no such fact", 0));
    session_unlock(s);
    arena_release(&a);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions), cmocka_unit_test(order),       cmocka_unit_test(equal_places),
        cmocka_unit_test(links),    cmocka_unit_test(rings),       cmocka_unit_test(filters),
        cmocka_unit_test(tags),     cmocka_unit_test(older_files), cmocka_unit_test(through_a_file),
        cmocka_unit_test(words),    cmocka_unit_test(of_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
