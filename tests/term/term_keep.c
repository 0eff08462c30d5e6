/* What is done on the screen is in a file that is named, or it is said that it is not, and why. */
#include "terminal.h"

#include <limits.h>
#include <signal.h>
#include <unistd.h>

static char dir[256];

static const char *content(const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "rb");
    if (!f)
        return "";
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

/* In a folder, with these settings and arguments, as a shell reads them. */
static void start_in(struct tty *t, const char *folder, const char *settings, const char *words)
{
    static char line[8192];
    char *own = realpath(program, NULL);
    snprintf(line, sizeof line, "cd '%s' && exec env %s '%s' %s", folder, settings, own, words);
    free(own);
    char *argv[] = {(char *)(uintptr_t)"/bin/sh", (char *)(uintptr_t)"-c", line, NULL};
    tty_run(t, 24, 120, NULL, argv);
}

static const char *pair(const char *more)
{
    static char words[4096];
    char *target = realpath(sample("tt_rope/target"), NULL), *golden = realpath(sample("tt_rope/bench"), NULL);
    snprintf(words, sizeof words, "'%s' '%s' %s", target, golden, more);
    free(target);
    free(golden);
    return words;
}

/* A copy of the pair below `dir`, to stand in. */
static void copy_pair(void)
{
    char line[4096];
    snprintf(line, sizeof line, "cp -rL '%s' '%s' '%s'", sample("tt_rope/target"), sample("tt_rope/bench"), dir);
    assert_int_equal(system(line), 0);
}

/* The one file of this folder that ends so. */
static const char *the_file(const char *folder)
{
    static char name[PATH_MAX];
    char line[600];
    snprintf(line, sizeof line, "ls '%s'/*.investigation.json 2>/dev/null", folder);
    FILE *f = popen(line, "r");
    if (!fgets(name, sizeof name, f))
        name[0] = 0;
    pclose(f);
    name[strcspn(name, "\n")] = 0;
    return name;
}

static const char *const homeless[] = {"-u HOME -u XDG_STATE_HOME", "-u XDG_STATE_HOME HOME=/proc",
                                       "XDG_STATE_HOME=/dev/null/state"};

/* No folder of the user's own, as in containers: the folder of the command, by name, and found again. */
static void without_a_home(void **state)
{
    struct tty t;
    (void)state;
    for (size_t i = 0; i < sizeof homeless / sizeof *homeless; i++) {
        snprintf(dir, sizeof dir, "%s", scratch());
        start_in(&t, dir, homeless[i], pair(""));
        wait_text(&t, -1, "saved in ./");
        wait_ready(&t);
        tty_quit(&t, "q");
        assert_string_equal(the_file(dir), ""); /* nothing was done */
        start_in(&t, dir, homeless[i], pair(""));
        wait_ready(&t);
        tty_send(&t, "m");
        wait_text(&t, -1, "bookmark set");
        assert_non_null(strstr(content(the_file(dir)), "Torch.outer.0.forward.input.1"));
        tty_quit(&t, "q");
        start_in(&t, dir, homeless[i], pair(""));
        wait_ready(&t);
        tty_send(&t, "M");
        wait_text(&t, 2, "bookmarks  1/1");
        tty_close(&t);
    }
}

/* Nothing is written into a dump: it is said, kept where one says, and asked for before one leaves. */
static void never_into_a_dump(void **state)
{
    static const struct {
        const char *folder, *words;
    } cases[] = {{"target", ". ../bench"},
                 {"target/step0", "rank0 ../../bench"},
                 {"bench/step0/rank0", "../../../target ."}};
    char folder[600], saveas[700];
    struct tty t;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(dir, sizeof dir, "%s", scratch());
        copy_pair();
        snprintf(folder, sizeof folder, "%s/%s", dir, cases[i].folder);
        start_in(&t, folder, homeless[0], cases[i].words);
        wait_text(&t, -1, ":saveas NAME");
        wait_ready(&t);
        tty_send(&t, "m");
        wait_text(&t, 0, "NOT SAVED");
        wait_text(&t, -1, "not saved: :saveas NAME saves it");
        tty_send(&t, "q");
        wait_text(&t, -1, "press the same key again to leave");
        tty_send(&t, "j");
        wait_gone(&t, -1, "the same key again");
        tty_send(&t, "q");
        wait_text(&t, -1, "press the same key again to leave");
        if (i) {
            if (i == 1)
                tty_send(&t, "q");
            else
                kill(t.pid, SIGTERM); /* nobody asks for another key then */
            wait_end(&t);
            wait_text(&t, NOWHERE, "not saved: :saveas NAME saves it");
            assert_restored(&t);
            tty_close(&t);
            assert_string_equal(the_file(folder), "");
            continue;
        }
        snprintf(saveas, sizeof saveas, ":saveas %s/kept\r", dir);
        tty_send(&t, saveas);
        wait_gone(&t, 0, "NOT SAVED");
        tty_quit(&t, "q");
        assert_string_equal(the_file(folder), "");
        assert_non_null(strstr(content(the_file(dir)), "Torch.outer.0.forward.input.1"));
    }
}

/* The second window is read-only from its start, and shows no mark that it will drop. */
static void two_windows(void **state)
{
    struct tty a, b;
    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch());
    start_in(&a, dir, "", pair("--investigation t.investigation.json"));
    wait_ready(&a);
    tty_send(&a, "m");
    wait_text(&a, -1, "bookmark set");
    char *before = strdup(content(the_file(dir)));
    start_in(&b, dir, "", pair("--investigation t.investigation.json"));
    wait_text(&b, 0, "READ-ONLY");
    wait_ready(&b);
    static const char *const edits[] =
        {"m", "x", ":note something\r", ":mark a b\r", ":waive 1 so\r", ":finding-delete 1\r", "z"};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        tty_send(&b, edits[i]);
        wait_text(&b, -1, "read-only: t.investigation.json is open in another program");
        tty_send(&b, "j");
        wait_gone(&b, -1, "read-only");
    }
    tty_send(&b, "M");
    wait_text(&b, 2, "bookmarks  1/1");
    tty_quit(&b, "\033OD" "Q");
    char elsewhere[300], line[1000]; /* another name of the same file */
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", dir);
    snprintf(line, sizeof line, "mkdir '%s' && ln -s ../t.investigation.json '%s/x.investigation.json'", elsewhere,
             elsewhere);
    assert_int_equal(system(line), 0);
    start_in(&b, elsewhere, "", pair("--investigation x.investigation.json"));
    wait_text(&b, 0, "READ-ONLY");
    wait_ready(&b);
    tty_send(&b, "m");
    wait_text(&b, -1, "read-only: x.investigation.json is open in another program");
    tty_quit(&b, "q");
    assert_string_equal(content(the_file(dir)), before);
    free(before);
    tty_send(&a, "jm");
    wait_text(&a, -1, "bookmark set");
    assert_null(strstr(row_text(&a, 0), "READ-ONLY"));
    tty_close(&a);
}

static void of_a_newer_version(void **state)
{
    static const char newer[] = "{\"schema\": 99, \"investigation\": {\"what\": \"it is\"}}";
    struct tty t;
    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch());
    put_bytes(dir, "t.investigation.json", newer, sizeof newer - 1);
    start_in(&t, dir, "", pair("--investigation t.investigation.json"));
    wait_text(&t, 0, "READ-ONLY");
    wait_ready(&t);
    tty_send(&t, "m");
    wait_text(&t, -1, "newer version");
    tty_send(&t, ":saveas copy\r");
    wait_text(&t, -1, "newer version");
    tty_quit(&t, "q");
    assert_string_equal(content(the_file(dir)), newer);
}

/* Somebody else writes the file meanwhile: what they did is taken in; what contradicts, or that the file is gone, is
 * said. */
static void changed_meanwhile(void **state)
{
    char line[1000];
    const char *file;
    struct tty t;
    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch());
    start_in(&t, dir, "", pair("--investigation t.investigation.json"));
    wait_ready(&t);
    tty_send(&t, "m");
    wait_text(&t, -1, "bookmark set");
    snprintf(line, sizeof line,
             "cd '%s' && sed -i 's/\"bookmarks\": \\[/&{\"target\": \"Tensor.pow.0.forward.input.0\", \"golden\": "
             "\"\", \"note\": \"\"},/' t.investigation.json",
             dir);
    assert_int_equal(system(line), 0);
    tty_send(&t, "jm");
    wait_text(&t, -1, "changes merged: 1");
    file = content(the_file(dir));
    assert_non_null(strstr(file, "Tensor.pow.0.forward.input.0"));
    assert_non_null(strstr(file, "Torch.outer.0.forward.input.1"));
    assert_non_null(strstr(file, "Torch.outer.0.forward.output.0"));
    unlink(the_file(dir));
    tty_send(&t, "jm");
    wait_text(&t, -1, "deleted or moved by someone else");
    wait_text(&t, 0, "NOT SAVED");
    assert_string_equal(the_file(dir), "");
    tty_send(&t, "q");
    wait_text(&t, -1, "press the same key again to leave");
    tty_send(&t, ":save over\r");
    wait_text(&t, -1, "saved in t.investigation.json");
    wait_gone(&t, 0, "NOT SAVED");
    put_bytes(dir, "t.investigation.json", "a letter", 8);
    tty_send(&t, "jm");
    wait_text(&t, -1, "changed by someone else in the meantime");
    assert_string_equal(content(the_file(dir)), "a letter");
    tty_send(&t, "q");
    wait_text(&t, -1, "press the same key again to leave");
    tty_quit(&t, "q");
    assert_string_equal(content(the_file(dir)), "a letter");
}

/* A dump that has grown is read again, also where it grew as soon as it was followed. */
static void what_grows_is_followed(void **state)
{
    static const char more[] =
        "{\"task\": \"statistics\", \"level\": \"L1\", \"framework\": \"pytorch\", \"dump_data_dir\": null, \"data\": {"
        "\"Functional.linear.0.forward\": {\"input_args\": [{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\","
        " \"shape\": [2], \"Max\": 1.0, \"Min\": 0.0, \"Mean\": 0.5, \"Norm\": 1.0, \"requires_grad\": false}],"
        " \"input_kwargs\": {}, \"output\": []}, \"Functional.gelu.0.forward\": {\"input_args\": [{\"type\": \"int\","
        " \"value\": 3}], \"input_kwargs\": {}, \"output\": []}}}\n";
    char pair[2][512];
    struct tty t;
    (void)state;
    make_pair(pair, "x.py");
    tty_start_on(&t, NULL, pair[0], pair[1]);
    wait_text(&t, 0, "100 %");
    wait_text(&t, NOWHERE, "Functional.linear.0");
    put_text(pair[0], "dump.json", more);
    tty_type(&t, ":follow<Enter>");
    wait_text(&t, NOWHERE, "rows without a partner");
    tty_type(&t, "j<Enter>");
    wait_text(&t, NOWHERE, "gelu.0");
    tty_quit(&t, "q");
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        TEST(without_a_home),
        TEST(never_into_a_dump),
        TEST(two_windows),
        TEST(of_a_newer_version),
        TEST(what_grows_is_followed),
        TEST(changed_meanwhile),
    };
    return terminal_ready(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
