/* What the script driver draws into memory is what a terminal shows: cases of tests/golden. */
#include "terminal.h"

#include <unistd.h>

/* Script lines and the screens they must come to, of one case of tests/golden. */
struct golden {
    char *script, *expect;
};

/* As a golden file has it: without what is blank at the end. */
static bool same_row(const char *shown, const char *want)
{
    size_t n = strlen(shown), m = strlen(want);
    while (n && shown[n - 1] == ' ')
        n--;
    while (m && want[m - 1] == ' ')
        m--;
    return n == m && memcmp(shown, want, n) == 0;
}

static bool is_expected(const struct tty *t, const void *arg)
{
    char *const *want = arg;
    for (int y = 0; y < t->rows; y++)
        if (!same_row(row_text(t, y), want[y]))
            return false;
    return true;
}

static void compare_screen(struct tty *t, char **expect, bool attributes, const char *name, int line)
{
    char *want[MAX_ROWS], what[200];
    for (int y = 0; y < t->rows; y++) {
        want[y] = next_line(expect);
        if (!want[y] || want[y][0] != 'S')
            fail_msg("%s, line %d of its script: row %d is missing where screens are expected", name, line, y);
        want[y] += want[y][1] ? 2 : 1;
        if (attributes && **expect == 'A') /* rows without any have no such line */
            next_line(expect);
    }
    snprintf(what, sizeof what, "%s, line %d of its script", name, line);
    wait_until(t, is_expected, want, what);
}

static bool is_settled(const struct tty *t, const void *arg)
{
    const char *line = row_text(t, 1);
    (void)arg;
    return strstr(line, "first deviation:") || strstr(line, "aligned") || strstr(line, "could not be judged");
}

static void play(const char *root, const char *name)
{
    char dir[800], *argv[12] = {(char *)(uintptr_t)program}, *at, *line;
    snprintf(dir, sizeof dir, "%s/%s", root, name);
    char *script = contents(dir, "script"), *expect = contents(dir, "expect"), *args = contents(dir, "args"),
         *setup = contents(dir, "setup");
    struct tty t;
    int n = 1, number = 0;
    if (script && expect && args && !setup && !strpbrk(args, "'\"$-") && !strstr(script, "\nascii") &&
        !strstr(script, "\ntheme") && !strstr(script, "\nwrite")) {
        for (char *word = strtok(args, " \n"); word && n < 10; word = strtok(NULL, " \n"))
            argv[n++] = word;
        keep_home_apart();
        tty_run(&t, 24, 80, NULL, argv);
        char *rest = expect;
        for (at = script; (line = next_line(&at));) {
            number++;
            unsigned rows, cols;
            if (!*line || *line == '#')
                continue;
            if (strcmp(line, "settle") == 0) {
                if (t.rows >= 6)
                    wait_until(&t, is_settled, NULL, "the end of the comparison");
                continue;
            }
            if (sscanf(line, "size %u %u", &rows, &cols) == 2) {
                tty_resize(&t, (int)rows, (int)cols);
            } else if (strncmp(line, "keys ", 5) == 0) {
                tty_type(&t, line + 5);
            } else if (strcmp(line, "screen") == 0 || strcmp(line, "attrs") == 0) {
                compare_screen(&t, &rest, *line == 'a', name, number);
            } else {
                char command[300]; /* at once: a frame while it is typed may move the rows */
                assert_in_range(snprintf(command, sizeof command, ":%s\r", line), 1, sizeof command - 1);
                tty_send(&t, command);
            }
            tty_rest(&t); /* a frame after each line, as the script driver draws */
        }
        tty_close(&t);
        print_message("           %s\n", name);
    }
    free(script);
    free(expect);
    free(args);
    free(setup);
}

/* What the script driver draws into memory is what a terminal shows. */
static void golden_screens_on_a_terminal(void **state)
{
    static const char *const cases[] = {"columns", "sort_filter", "groups", "layouts", "same_jump",
                                        "undo",    "palette",     "stacks", "lists",   "zoom"};
    char here[500], *samples = realpath(sample("."), NULL), root[520];
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(samples);
    snprintf(root, sizeof root, "%s/tests/golden", here);
    if (access(root, R_OK))
        skip();
    assert_int_equal(chdir(samples), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        play(root, cases[i]);
    assert_int_equal(chdir(here), 0);
    free(samples);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        TEST(golden_screens_on_a_terminal),
    };
    return terminal_ready(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
