/* What a thread finds below a folder: all of it, of the folder asked for last, and nothing where nobody wants to
 * know. */
#include "support.h"

#include "panel/folder_scan.h"

/* So many logs, called PREFIX0.log … */
static void logs(const char *root, const char *folder, const char *prefix, int n)
{
    char path[100];
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s%d.log", folder, prefix, i);
        put_text(root, path, " iteration        1/      10 | consumed samples:           16 | lm loss: 5.0E+00 |\n");
    }
}

static void the_folder_asked_for_last(void **state)
{
    const char *root = scratch();
    char a[600], b[600], none[600];
    struct folder_scan o;
    (void)state;
    logs(root, "a", "x", 60);
    logs(root, "b", "y", 3);
    snprintf(a, sizeof a, "%s/a", root);
    snprintf(b, sizeof b, "%s/b", root);
    snprintf(none, sizeof none, "%s/none", root);
    folder_scan_init(&o, NULL, NULL);
    for (int i = 0; i < 20; i++) {
        folder_scan_ask(&o, a);
        folder_scan_ask(&o, b);
        folder_scan_wait(&o);
        assert_int_equal(o.found.n, 3);
        for (size_t k = 0; k < 3; k++) {
            assert_string_equal(o.found.v[k].kind, "log");
            assert_true(str_has(str_of(o.found.v[k].path), "/b/y"));
        }
    }
    folder_scan_ask(&o, a);
    folder_scan_wait(&o);
    assert_int_equal(o.found.n, 60);
    folder_scan_ask(&o, none);
    folder_scan_wait(&o);
    assert_int_equal(o.found.n, 0);
    assert_non_null(strstr(o.err.text, "expected a folder"));
    folder_scan_ask(&o, a);
    folder_scan_drop(&o);
    assert_false(folder_scan_busy(&o));
    folder_scan_ask(&o, a);
    folder_scan_release(&o); /* while it looks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_folder_asked_for_last)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
