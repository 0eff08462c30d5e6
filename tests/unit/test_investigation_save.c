/* Saving: not over what somebody else made of the file meanwhile, not into what may not be changed, and never in
 * silence. */
#include "support.h"

#include <unistd.h>

#include "base/file_write.h"
#include "base/io.h"
#include "ticket/investigation.h"

static const char *at_path(const char *name)
{
    return path_in(scratch(), name);
}

static void begin(struct investigation *v, const char *path)
{
    struct err e = {0};
    enum path_what what;
    investigation_init(v);
    assert_int_equal(path_look(path, &what, &e), 0);
    if (what == PATH_ABSENT) {
        v->path = investigation_keep(v, path);
        v->input[0] = "t";
        v->input[1] = "g";
    } else if (investigation_load(v, path, &e)) {
        fail_msg("%s", e.text);
    }
}

static void mark(struct investigation *v, const char *target, const char *golden)
{
    struct decision x = {.kind = DECIDE_MARK,
                         .step = decisions_step(&v->decisions),
                         .side = {target, golden},
                         .view = ""};
    decisions_add(&v->decisions, x);
}

static void save(struct investigation *v)
{
    struct err e = {0};
    if (investigation_save(v, &e))
        fail_msg("%s", e.text);
}

static void not_saved(struct investigation *v, const char *why)
{
    struct err e = {0};
    assert_int_equal(investigation_save(v, &e), -1);
    if (!strstr(e.text, why))
        fail_msg("\"%s\" without \"%s\"", e.text, why);
    assert_non_null(strstr(e.text, v->path));
}

static size_t decided(const char *path)
{
    struct investigation v;
    begin(&v, path);
    size_t n = v.decisions.now;
    investigation_release(&v);
    return n;
}

static void what_others_saved_is_taken_in(void **state)
{
    const char *path = at_path("a.investigation.json");
    struct investigation a, b;
    (void)state;
    begin(&a, path);
    mark(&a, "one", "uno");
    save(&a);
    begin(&b, path);
    mark(&b, "two", "due");
    investigation_tell(&b, &b.answers, STR("confirmed"), STR("yes"));
    save(&b);
    assert_int_equal(b.merges, 0);
    mark(&a, "three", "tre");
    save(&a);
    assert_int_equal(a.merges, 1);
    assert_int_equal(a.taken_in, 2);
    assert_int_equal(a.decisions.now, 3); /* it knows of them too */
    assert_string_equal(a.decisions.log.v[2].side[0], "two");
    assert_string_equal(investigation_text(&a.answers, "confirmed"), "yes");
    assert_int_equal(decided(path), 3);
    save(&a); /* its own writing is nobody else's */
    assert_int_equal(a.merges, 1);
    save(&b); /* the other one learns of the third in its turn */
    assert_int_equal(b.decisions.now, 3);
    investigation_release(&a);
    investigation_release(&b);
}

static void what_contradicts_is_not_overwritten(void **state)
{
    const char *path = at_path("a.investigation.json");
    struct investigation a, b;
    struct err e = {0};
    (void)state;
    begin(&a, path);
    save(&a);
    begin(&b, path);
    mark(&b, "one", "uno");
    save(&b);
    mark(&a, "one", "due");
    not_saved(&a, "changed by someone else");
    assert_int_equal(a.decisions.now, 1);
    assert_string_equal(a.decisions.log.v[0].side[1], "due"); /* it goes on with its own */
    investigation_release(&b);
    begin(&b, path);
    assert_string_equal(b.decisions.log.v[0].side[1], "uno");
    investigation_release(&b);
    assert_int_equal(investigation_save_over(&a, &e), 0); /* asked for */
    begin(&b, path);
    assert_string_equal(b.decisions.log.v[0].side[1], "due");
    save(&a);
    investigation_release(&a);
    investigation_release(&b);
}

static void a_file_that_is_gone_or_no_longer_one(void **state)
{
    const char *path = at_path("a.investigation.json");
    struct investigation a;
    struct err e = {0};
    struct buf b = {0};
    (void)state;
    begin(&a, path);
    save(&a);
    unlink(path);
    mark(&a, "one", "uno");
    not_saved(&a, "deleted");
    assert_false(path_is_file(path));
    assert_int_equal(investigation_save_over(&a, &e), 0);
    assert_int_equal(decided(path), 1);
    assert_int_equal(file_replace(path, STR("somebody's letter"), &e), 0);
    not_saved(&a, "changed by someone else");
    assert_int_equal(file_slurp(path, 100, &b, &e), 0);
    assert_string_equal(b.p, "somebody's letter");
    assert_int_equal(file_replace(path, STR("{\"schema\": 99, \"investigation\": {}}"), &e), 0);
    not_saved(&a, "newer version");
    unlink(path);
    assert_int_equal(mkdir(path, 0755), 0);
    not_saved(&a, "");
    buf_release(&b);
    investigation_release(&a);
}

/* One that was begun anew while another program put a file there. */
static void a_file_that_came_meanwhile(void **state)
{
    const char *path = at_path("a.investigation.json");
    struct investigation a, b;
    (void)state;
    begin(&a, path);
    begin(&b, path);
    mark(&b, "one", "uno");
    save(&b);
    mark(&a, "two", "due");
    save(&a);
    assert_int_equal(decided(path), 2);
    investigation_release(&a);
    investigation_release(&b);
}

/* The system does not say what is there: that is not "nothing". */
static void what_cannot_be_looked_at_is_not_overwritten(void **state)
{
    const char *path = at_path("a.investigation.json");
    struct investigation a;
    struct stat st;
    (void)state;
    begin(&a, path);
    assert_int_equal(symlink("a.investigation.json", path), 0); /* leads to itself */
    mark(&a, "one", "uno");
    not_saved(&a, "");
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    investigation_release(&a);
}

static void nowhere_is_said(void **state)
{
    struct investigation v;
    struct err e = {0};
    (void)state;
    investigation_init(&v);
    assert_int_equal(investigation_save(&v, &e), 0); /* a script that wants none */
    v.unkept = "there is no folder";
    assert_int_equal(investigation_save(&v, &e), -1);
    assert_string_equal(e.text, "there is no folder");
    investigation_release(&v);
}

static void goes_on_in_another_file(void **state)
{
    const char *dir = scratch(), *first = path_in(dir, "a.investigation.json"),
               *other = path_in(dir, "sub/b.investigation.json");
    struct investigation v, w;
    struct err e = {0};
    (void)state;
    begin(&v, first);
    mark(&v, "one", "uno");
    save(&v);
    assert_int_equal(investigation_save_as(&v, other, &e), -1); /* no such folder */
    assert_string_equal(v.path, first);
    save(&v);
    mkdir(path_in(dir, "sub"), 0755);
    assert_int_equal(investigation_save_as(&v, path_in(dir, "b.json"), &e), -1);
    assert_int_equal(investigation_save_as(&v, first, &e), -1);
    assert_non_null(strstr(e.text, "already exists"));
    assert_int_equal(investigation_save_as(&v, other, &e), 0);
    mark(&v, "two", "due");
    save(&v);
    assert_int_equal(decided(first), 1);
    assert_int_equal(decided(other), 2);
    /* what has no place gets one; what is open elsewhere goes on as a copy */
    begin(&w, first);
    w.read_only = true;
    w.holder = "elsewhere";
    assert_int_equal(investigation_may_change(&w, &e), -1);
    assert_int_equal(investigation_save_as(&w, path_in(dir, "c.investigation.json"), &e), 0);
    assert_int_equal(investigation_may_change(&w, &e), 0);
    investigation_release(&w);
    begin(&w, first);
    w.read_only = true; /* of a newer version: a copy would lose what this one does not know */
    assert_int_equal(investigation_save_as(&w, path_in(dir, "d.investigation.json"), &e), -1);
    assert_non_null(strstr(e.text, "newer version"));
    investigation_release(&w);
    investigation_init(&w);
    w.unkept = "there is no folder";
    assert_int_equal(investigation_save_as(&w, path_in(dir, "e.investigation.json"), &e), 0);
    assert_null(w.unkept);
    assert_int_equal(decided(path_in(dir, "e.investigation.json")), 0);
    investigation_release(&w);
    investigation_release(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_others_saved_is_taken_in),
        cmocka_unit_test(what_contradicts_is_not_overwritten),
        cmocka_unit_test(a_file_that_is_gone_or_no_longer_one),
        cmocka_unit_test(a_file_that_came_meanwhile),
        cmocka_unit_test(what_cannot_be_looked_at_is_not_overwritten),
        cmocka_unit_test(nowhere_is_said),
        cmocka_unit_test(goes_on_in_another_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
