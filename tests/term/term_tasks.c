/* What a user wants done, the keys one would press, and what must then be on the screen: each task of tests/tasks. */
#include "terminal.h"

#include <limits.h>
#include <unistd.h>

#include "jobs.h"

#define TASKS "tests/tasks/tasks"
#define GOLDEN "tests/golden"
#define WORDS 12

/* "@tt_rope/target" is a sample's path, "@job/t" and "@job/g" are two steps of six ranks, of which rank 4 goes wrong in
 * the second; any other word is itself. Static storage. */
static char *expanded(char *word)
{
    static char path[WORDS][PATH_MAX];
    static int next;
    if (*word != '@')
        return word;
    char *p = path[next++ % WORDS];
    static const char *job;
    if (strncmp(word, "@job/", 5) == 0) {
        job = job ? job : strdup(make_job(2, 6, 30, 4, 11));
        return strcpy(p, path_in(job, word + 5));
    }
    if (realpath(sample(word + 1), p))
        return p;
    char *name = strrchr(word, '/'); /* a file that is not there, in a folder that is */
    assert_non_null(name);
    *name = 0;
    assert_non_null(realpath(sample(word + 1), p));
    strcat(strcat(p, "/"), name + 1);
    return p;
}

/* A task under way. */
struct run {
    struct tty window[2], *t; /* t: the one in which the task goes on */
    int rows, cols, keys; /* keys: that were pressed */
    char folder[300];     /* the program's working folder */
};

static void open_program(struct run *r, char *args)
{
    char *argv[WORDS + 2] = {(char *)(uintptr_t)program}, here[500];
    int n = 1;
    for (char *word = strtok(args, " "); word && n <= WORDS; word = strtok(NULL, " "))
        argv[n++] = expanded(word);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(r->folder), 0);
    tty_run(r->t, r->rows, r->cols, NULL, argv);
    assert_int_equal(chdir(here), 0);
}

/* The folder holds the samples and what the setup of a case of tests/golden makes. */
static void lay_out_case(struct run *r, const char *name)
{
    char command[2000], *samples = realpath(sample("."), NULL), *golden = realpath(GOLDEN, NULL);
    assert_non_null(samples);
    assert_non_null(golden);
    snprintf(command, sizeof command,
             "cd '%s' && ln -s '%s'/* . && export SAMPLES='%s' GOLDEN='%s' && sh \"$GOLDEN/%s/setup\"", r->folder,
             samples, samples, golden, name);
    assert_int_equal(system(command), 0);
    free(samples);
    free(golden);
}

/* "FILE TEXT": the file in the program's folder contains the text. */
static void holds(const struct run *r, char *line)
{
    char *part = strchr(line, ' ');
    assert_non_null(part);
    *part++ = 0;
    char *text = contents(r->folder, line);
    if (!text || !strstr(text, part))
        fail_msg("%s does not contain \"%s\":\n%s", line, part, text ? text : "no such file");
    free(text);
}

/* "FILE TEXT": the file is there and does not contain the text. */
static void misses(const struct run *r, char *line)
{
    char *part = strchr(line, ' ');
    assert_non_null(part);
    *part++ = 0;
    char *text = contents(r->folder, line);
    assert_non_null(text);
    if (strstr(text, part))
        fail_msg("%s contains \"%s\"", line, part);
    free(text);
}

/* Keys with the samples' paths in them: ":open @tt_rope/target<Enter>". Static storage. */
static const char *with_paths(const char *keys)
{
    static char out[2000];
    size_t n = 0;
    while (*keys && n + 1 < sizeof out) {
        size_t w = strcspn(keys, " <");
        char word[200];
        if (*keys == '@' && w > 1 && w < sizeof word && (!n || out[n - 1] == ' ')) {
            memcpy(word, keys, w);
            word[w] = 0;
            n += (size_t)snprintf(out + n, sizeof out - n, "%s", expanded(word));
            assert_true(n < sizeof out);
            keys += w;
        } else {
            out[n++] = *keys++;
        }
    }
    out[n] = 0;
    return out;
}

/* One line of a task. */
static void step(struct run *r, char *line)
{
    char *rest = strchr(line, ' ');
    struct tty *t = r->t;
    rest = rest ? rest + 1 : line + strlen(line);
    if (sscanf(line, "size %d %d", &r->rows, &r->cols) == 2)
        return;
    if (strncmp(line, "case ", 5) == 0) {
        lay_out_case(r, rest);
    } else if (strncmp(line, "open", 4) == 0) {
        open_program(r, rest);
    } else if (strncmp(line, "beside", 6) == 0) {
        r->t = &r->window[1];
        open_program(r, rest);
    } else if (strncmp(line, "lost", 4) == 0) {
        tty_hang_up(t);
        wait_end(t);
    } else if (strncmp(line, "again", 5) == 0) {
        tty_close(t);
        open_program(r, rest);
    } else if (strncmp(line, "keys ", 5) == 0) {
        r->keys += tty_type(t, with_paths(rest));
    } else if (strncmp(line, "within ", 7) == 0) {
        assert_true(r->keys <= atoi(rest));
    } else if (strncmp(line, "ready", 5) == 0) {
        wait_ready(t);
    } else if (strncmp(line, "sees ", 5) == 0) {
        wait_text(t, NOWHERE, rest);
    } else if (strncmp(line, "head ", 5) == 0) {
        wait_text(t, 1, rest);
    } else if (strncmp(line, "says ", 5) == 0) {
        wait_text(t, -1, rest);
    } else if (strncmp(line, "lacks ", 6) == 0) {
        wait_gone(t, NOWHERE, rest);
    } else if (strncmp(line, "cursor ", 7) == 0) {
        wait_cursor(t, rest);
    } else if (strncmp(line, "holds ", 6) == 0) {
        holds(r, rest);
    } else if (strncmp(line, "misses ", 7) == 0) {
        misses(r, rest);
    } else if (strncmp(line, "file ", 5) == 0) {
        char *text = strchr(rest, ' ');
        assert_non_null(text);
        *text++ = 0;
        put_bytes(r->folder, rest, text, strlen(text));
    } else if (strcmp(line, "ends") == 0) {
        wait_end(t);
        assert_exit(t, 0);
        assert_restored(t);
    } else if (*line != '#') {
        fail_msg("%s: not a line of a task", line);
    }
}

/* Its lines stand in *state; they are cut apart. */
static void task(void **state)
{
    char *at = *state, *line;
    static struct run r;
    r = (struct run){.t = &r.window[0], .rows = 24, .cols = 80};
    snprintf(r.folder, sizeof r.folder, "%s", scratch());
    while ((line = next_line(&at)))
        step(&r, line);
    tty_close(r.t);
    if (r.t != &r.window[0])
        tty_close(&r.window[0]);
    print_message("%12d keys\n", r.keys);
}

/* Cuts the text into tasks, each a test named by its sentence. Returns how many. */
static size_t tasks_of(char *text, struct CMUnitTest *test, size_t most)
{
    size_t n = 0;
    char *at = strstr(text, "\ntask ");
    while (at && n < most) {
        char *sentence = at + strlen("\ntask "), *lines = strchr(sentence, '\n'), *behind = strstr(lines, "\n\n");
        *lines++ = 0;
        if (behind)
            *behind = 0;
        test[n++] = (struct CMUnitTest){sentence, task, begin, end, lines};
        at = behind ? strstr(behind + 1, "\ntask ") : NULL;
    }
    return n;
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[400];
    char *text = contents(".", TASKS);
    if (!text || !terminal_ready(argc, argv))
        return 2;
    size_t n = tasks_of(text, tests, sizeof tests / sizeof *tests);
    int failed = n ? _cmocka_run_group_tests("tasks", tests, n, NULL, NULL) : 2;
    free(text);
    return failed;
}
