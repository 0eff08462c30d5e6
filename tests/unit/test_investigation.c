/* The saved state of a ticket: what is written reads back, newer files are left alone, a place that
 * cannot be written is said so. */
#include "support.h"

#include <cjson/cJSON.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "model/investigation.h"

static const char *place(void)
{
    static char path[2][300];
    static int next;
    char *p = path[next++ % 2];
    snprintf(p, 300, "%s/t.investigation.json", scratch());
    return p;
}

static void write_text(const char *path, const char *text)
{
    struct err e;
    assert_int_equal(file_replace(path, str_of(text), &e), 0);
}

static void check_equal(const struct investigation *a, const struct investigation *b)
{
    for (int s = 0; s < 2; s++) {
        assert_string_equal(a->input[s], b->input[s]);
        assert_int_equal(a->step[s], b->step[s]);
        assert_int_equal(a->rank[s], b->rank[s]);
        assert_string_equal(a->cursor[s], b->cursor[s]);
    }
    assert_true(a->map_only == b->map_only && a->exact == b->exact && a->strict_gaps == b->strict_gaps);
    assert_memory_equal(&a->tol, &b->tol, sizeof a->tol);
    assert_int_equal(a->maps.n, b->maps.n);
    for (size_t i = 0; i < a->maps.n; i++)
        assert_string_equal(a->maps.v[i], b->maps.v[i]);
    assert_int_equal(a->bookmarks.n, b->bookmarks.n);
    for (size_t i = 0; i < a->bookmarks.n; i++)
        for (int s = 0; s < 2; s++)
            assert_string_equal(a->bookmarks.v[i].row[s], b->bookmarks.v[i].row[s]);
}

static void fill(struct investigation *v, const char *path)
{
    struct err e;
    investigation_init(v);
    v->path = investigation_keep(v, path);
    v->input[0] = "/dumps/target \"a\"\n";
    v->input[1] = "golden/\xe5\xb1\x82";
    v->step[0] = 0;
    v->step[1] = 12;
    v->rank[1] = 3;
    v->exact = true;
    v->map_only = true;
    vec_push(&v->maps, "one.yaml");
    vec_push(&v->maps, "two.json");
    assert_int_equal(tol_set(&v->tol, STR("float32.deviate"), STR("0.1"), &e), 0);
    assert_int_equal(tol_set(&v->tol, STR("coverage"), STR("0.30000000000000004"), &e), 0);
    assert_true(investigation_bookmark(v, "Functional.linear.0.forward.output.0", ""));
    assert_true(investigation_bookmark(v, "", "b\\c"));
    v->cursor[0] = "Functional.linear.7.forward.output.0";
}

static void round_trip(void **state)
{
    struct investigation v, w;
    struct err e;
    const char *path = place();
    (void)state;
    fill(&v, path);
    assert_int_equal(investigation_save(&v, &e), 0);
    assert_true(investigation_is(path));
    investigation_init(&w);
    assert_int_equal(investigation_load(&w, path, &e), 0);
    assert_string_equal(w.path, path);
    assert_false(w.read_only);
    check_equal(&v, &w);
    /* saved again it is the same file */
    struct buf one = {0}, two = {0};
    assert_int_equal(file_slurp(path, 1 << 20, &one, &e), 0);
    assert_int_equal(investigation_save(&w, &e), 0);
    assert_int_equal(file_slurp(path, 1 << 20, &two, &e), 0);
    assert_string_equal(one.p, two.p);
    cJSON *root = cJSON_Parse(one.p);
    assert_int_equal(cJSON_GetObjectItem(root, "schema")->valueint, 1);
    cJSON_Delete(root);
    buf_release(&one);
    buf_release(&two);
    investigation_release(&v);
    investigation_release(&w);
}

/* Only moved limits are kept, so that better defaults reach old tickets. */
static void keeps_moved_limits_only(void **state)
{
    struct investigation v;
    struct err e;
    struct buf b = {0};
    const char *path = place();
    (void)state;
    fill(&v, path);
    assert_int_equal(investigation_save(&v, &e), 0);
    assert_int_equal(file_slurp(path, 1 << 20, &b, &e), 0);
    assert_non_null(strstr(b.p, "float32.deviate"));
    assert_null(strstr(b.p, "float32.drift"));
    buf_release(&b);
    investigation_release(&v);
}

static void bookmarks_come_and_go(void **state)
{
    struct investigation v;
    (void)state;
    investigation_init(&v);
    for (int i = 0; i < 100; i++) {
        char name[20];
        snprintf(name, sizeof name, "row%d", i);
        assert_true(investigation_bookmark(&v, name, name));
    }
    assert_int_equal(v.bookmarks.n, 100);
    assert_true(investigation_is_bookmarked(&v, "row50", "row50"));
    assert_false(investigation_is_bookmarked(&v, "row50", ""));
    assert_false(investigation_bookmark(&v, "row50", "row50")); /* taken away */
    assert_false(investigation_is_bookmarked(&v, "row50", "row50"));
    assert_true(investigation_is_bookmarked(&v, "row51", "row51"));
    assert_int_equal(v.bookmarks.n, 99);
    assert_string_equal(v.bookmarks.v[50].row[0], "row51");
    assert_false(investigation_bookmark(&v, "row99", "row99")); /* the last */
    assert_int_equal(v.bookmarks.n, 98);
    investigation_release(&v);
}

/* A newer program's file is read as far as it is understood and never written. */
static void newer_files_are_read_only(void **state)
{
    struct investigation v;
    struct err e;
    struct buf b = {0};
    const char *path = place(), *text = "{\"schema\":2,\"new\":1,\"investigation\":{\"target\":{\"path\":\"a\",\"step\":4}}}";
    (void)state;
    write_text(path, text);
    investigation_init(&v);
    assert_int_equal(investigation_load(&v, path, &e), 0);
    assert_true(v.read_only);
    assert_string_equal(v.input[0], "a");
    assert_int_equal(v.step[0], 4);
    investigation_bookmark(&v, "x", "y");
    assert_int_equal(investigation_save(&v, &e), 0);
    assert_int_equal(file_slurp(path, 1 << 20, &b, &e), 0);
    assert_string_equal(b.p, text);
    buf_release(&b);
    investigation_release(&v);
}

static void nowhere_to_save_to(void **state)
{
    struct investigation v;
    struct err e = {0};
    (void)state;
    investigation_init(&v);
    assert_int_equal(investigation_save(&v, &e), 0); /* no path: nothing to do */
    v.path = "/no/such/folder/x.investigation.json";
    assert_int_equal(investigation_save(&v, &e), -1);
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.text, "/no/such/folder"));
    investigation_release(&v);
}

static void files_that_are_none(void **state)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "not valid JSON"},        {"{\"schema\":1", "not valid JSON"},  {"[]", "not an investigation"},
        {"{\"schema\":1}", "not an investigation"}, {"{\"investigation\":{}}", "not an investigation"},
        {"{\"schema\":0,\"investigation\":{}}", "not an investigation"}, {"{\"schema\":\"1\",\"investigation\":{}}", "not an investigation"},
        {"{\"schema\":1,\"investigation\":{}} x", "not valid JSON"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct investigation v;
        struct err e = {0};
        const char *path = place();
        write_text(path, bad[i].text);
        investigation_init(&v);
        assert_int_equal(investigation_load(&v, path, &e), -1);
        assert_int_equal(e.code, ERR_DATA);
        if (!strstr(e.text, bad[i].why) || !strstr(e.text, path))
            fail_msg("%s", e.text);
        investigation_release(&v);
    }
}

/* Fields of other types than ours, as a hand that edits the file may leave them. */
static void odd_fields_are_passed_over(void **state)
{
    static const char *const odd[] = {
        "5", "[]", "[1,2]", "\"x\"", "{\"target\":5,\"golden\":[1],\"maps\":{\"a\":1},\"thresholds\":[1,2],\"bookmarks\":7}",
        "{\"target\":{\"path\":5,\"step\":\"x\",\"rank\":1e300},\"maps\":[1,null,\"m\"],\"bookmarks\":[1,{\"target\":3}]}",
        "{\"thresholds\":{\"float32.deviate\":-1,\"nothing\":1,\"coverage\":\"x\"},\"cursor\":[],\"exact\":1}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct investigation v, fresh;
        struct err e = {0};
        struct buf b = {0};
        const char *path = place();
        buf_fmt(&b, "{\"schema\":1,\"investigation\":%s}", odd[i]);
        write_text(path, b.p);
        investigation_init(&v);
        investigation_init(&fresh);
        assert_int_equal(investigation_load(&v, path, &e), 0);
        assert_memory_equal(&v.tol, &fresh.tol, sizeof v.tol);
        assert_false(v.exact);
        assert_string_equal(v.cursor[0], "");
        assert_int_equal(investigation_save(&v, &e), 0);
        buf_release(&b);
        investigation_release(&v);
        investigation_release(&fresh);
    }
}

static void names_of_files(void **state)
{
    const char *path = place();
    (void)state;
    assert_false(investigation_is(path)); /* not there yet */
    write_text(path, "{}");
    assert_true(investigation_is(path));
    char other[300];
    snprintf(other, sizeof other, "%s/x.json", scratch());
    write_text(other, "{}");
    assert_false(investigation_is(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(keeps_moved_limits_only),
        cmocka_unit_test(bookmarks_come_and_go),
        cmocka_unit_test(newer_files_are_read_only),
        cmocka_unit_test(nowhere_to_save_to),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(odd_fields_are_passed_over),
        cmocka_unit_test(names_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
