/* What is typed, clicked and copied: keys one by one and ahead, prompts, the mouse, a viewer in between, choosing what
 * to open. */
#include "terminal.h"

#include <unistd.h>

static void keys_move_the_cursor(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    int y = cursor_row(&t);
    tty_send(&t, "k");
    wait_row(&t, y - 1);
    tty_send(&t, "\033OA\033OA"); /* Up, in the mode the program asked for */
    wait_row(&t, y - 3);
    tty_send(&t, "\033OB");
    wait_row(&t, y - 2);
    tty_send(&t, "jjkjkkjj"); /* typed ahead: none is lost */
    wait_row(&t, y);
    tty_send(&t, "g");
    wait_row(&t, 3);
    tty_send(&t, "\033[6~\033[5~j"); /* PgDn, PgUp */
    wait_row(&t, 4);
    tty_send(&t, "F");
    wait_text(&t, -1, "first deviation");
    wait_text(&t, cursor_row(&t), "\xe2\x96\xb6");
    tty_send(&t, "%");
    wait_text(&t, -1, "% has no effect here");
    tty_send(&t, "?");
    wait_text(&t, 2, "Each key runs a command");
    tty_send(&t, "q");
    wait_gone(&t, 2, "Each key runs a command");
    tty_close(&t);
}

static void sequences_are_no_keys(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    int y = cursor_row(&t);
    /* Ctrl-Up, a key of another protocol, an answer nobody asked for: as keys they would open panels and sort */
    tty_send(&t, "\033[1;5A\033[9;9u\033]10;rgb:0/0/0\033\\k");
    wait_row(&t, y - 1);
    tty_send(&t, "\033[Ak"); /* Up from a terminal that stays in its own mode */
    wait_row(&t, y - 3);
    tty_send(&t, "\033Oq"); /* 1 on the numeric keypad in PuTTY */
    wait_text(&t, 2, "CheckList");
    tty_send(&t, "\033");
    tty_take(&t, 60);
    wait_gone(&t, 2, "CheckList");
    tty_close(&t);
}

static bool cursor_column_is(const struct tty *t, const void *arg)
{
    return t->cursor.col == *(const int *)arg;
}

static void prompts_show_the_cursor(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    tty_send(&t, "/rms");
    wait_text(&t, 23, "/rms");
    assert_true(t.cursor_shown);
    assert_int_equal(t.cursor.row, 23);
    assert_int_equal(t.cursor.col, 4);
    tty_send(&t, "\x15\xe8\xa7\x86\xe5\x9b\xbe"); /* Ctrl-U, two wide characters */
    wait_text(&t, 23, "/\xe8\xa7\x86\xe5\x9b\xbe");
    assert_int_equal(t.cursor.col, 5);
    tty_send(&t, "\033OD"); /* Left, over a whole character */
    wait_until(&t, cursor_column_is, &(int){3}, "the cursor before the last character");
    tty_send(&t, "\x15" "RMSNorm\r");
    wait_text(&t, cursor_row(&t) > 0 ? NOWHERE : 0, "RMSNorm");
    wait_gone(&t, 23, "/RMSNorm");
    assert_false(t.cursor_shown);
    tty_send(&t, ":lis\tdev");
    wait_text(&t, 23, ":listdev");
    tty_send(&t, "\x17list dev\t\r");
    wait_text(&t, 2, "rows that deviate");
    tty_close(&t);
}

/* Over a slow network a character's bytes may arrive one by one. */
static void characters_in_parts_arrive_whole(void **state)
{
    static const char *const parts[] = {"/a\xe8", "\xa7", "\x86\xe5\x9b", "\xbe\xe2\x9c\xe8",
                                        "\xa7\x86\xff" "b\xe2"};
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        tty_send(&t, parts[i]);
        tty_take(&t, 100);
    }
    tty_send(&t, "\033OD\033OC"); /* a key ends what is not whole */
    wait_text(&t, 23, "/a\xe8\xa7\x86\xe5\x9b\xbe\xe8\xa7\x86" "b");
    assert_int_equal(t.cursor.col, 9);
    tty_type(&t, "<Esc>");
    tty_quit(&t, "q");
}

static void escape_is_quick(void **state)
{
    struct tty t;
    long best = PATIENCE_MS;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    for (int i = 0; i < 3; i++) { /* the best of three: the machine may be busy */
        tty_send(&t, ":set");
        wait_text(&t, 23, ":set");
        long from = now_ms();
        tty_send(&t, "\033");
        wait_gone(&t, 23, ":set");
        best = now_ms() - from < best ? now_ms() - from : best;
    }
    assert_in_range(best, 0, 300);
    tty_close(&t);
}

static void source_opens_in_a_viewer(void **state)
{
    static struct snapshot before;
    char dir[2][512], base[256], source[512], viewer[512], command[600];
    struct tty t;
    struct termios now;
    (void)state;
    snprintf(base, sizeof base, "%s", scratch());
    snprintf(source, sizeof source, "%s", put_text(base, "model file.py", "import torch\n\nx = 1\n"));
    make_pair(dir, source);
    snprintf(viewer, sizeof viewer, "%s",
             put_text(base, "viewer",
                      "#!/bin/sh\nprintf 'VIEWER'\nfor a; do printf ' [%s]' \"${a##*/}\"; done\n"
                      "printf '\\n'\nread -r answer\n"));
    assert_int_equal(chmod(viewer, 0755), 0);
    snprintf(command, sizeof command, "%s -n", viewer);
    struct setting env[] = {{"DIVERGE_VIEWER", command}, {0}};
    tty_start_on(&t, env, dir[0], dir[1]);
    wait_text(&t, 0, "100 %");
    wait_text(&t, NOWHERE, "Functional.linear.0");
    tty_send(&t, "s");
    wait_text(&t, NOWHERE, "model file.py:3 forward");
    wait_text(&t, NOWHERE, "      3  x = 1"); /* the source is read beside */
    take_snapshot(&t, &before);
    tty_send(&t, "S");
    wait_text(&t, NOWHERE, "VIEWER [-n] [+3] [model file.py]");
    assert_int_equal(tcgetattr(t.master, &now), 0);
    assert_int_equal(now.c_lflag, t.before.c_lflag);
    assert_false(t.alternate);
    tty_send(&t, "\n");
    wait_like(&t, &before);
    assert_true(t.alternate);
    assert_int_equal(remove(source), 0);
    tty_send(&t, "S");
    wait_text(&t, -1, "not found on this machine");
    tty_send(&t, "q");
    tty_close(&t);
}

/* What is copied goes to the terminal as OSC 52, whole, and through tmux where that is around it. */
static void copies_go_to_the_terminal(void **state)
{
    static const struct setting plain[] = {{"TMUX", NULL}, {"STY", NULL}, {0}}, tmux[] = {{"TMUX", "/tmp/x,1,0"}, {0}};
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        struct tty t;
        tty_start(&t, 24, 80, inside ? tmux : plain, "tt_rope/target", "tt_rope/bench");
        wait_ready(&t);
        tty_send(&t, "y");
        wait_text(&t, -1, "copied 29 bytes");
        /* base64 of Torch.outer.0.forward.input.1 */
        assert_true(has_bytes(&t, "\033]52;c;VG9yY2gub3V0ZXIuMC5mb3J3YXJkLmlucHV0LjE=\a"));
        assert_int_equal(has_bytes(&t, "\033Ptmux;\033\033]52;c;VG9yY2gub3V0ZXIuMC5mb3J3YXJkLmlucHV0LjE=\a\033\\"),
                         inside);
        assert_true(cell_at(&t, cursor_row(&t), 0).chars[0] == 0x25b6); /* nothing of it is on the screen */
        tty_close(&t);
    }
}

/* A table that is counted in one go is drawn once more for the count. */
static void search_says_how_many(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 110, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    tty_send(&t, "/linear\r");
    wait_text(&t, 1, "/linear  108");
    tty_send(&t, "/fwd.in\r"); /* as shown; recorded is forward.input */
    wait_text(&t, 1, "/fwd.in  166");
    tty_quit(&t, "Q");
}

/* Lists show what holds the words typed; nothing of it runs a command. */
static void lists_narrow(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 110, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    tty_send(&t, "o");
    wait_text(&t, 2, "sort by");
    tty_send(&t, "max_abx");
    wait_text(&t, 2, "/max_abx  0/0");
    tty_send(&t, "\r");
    wait_text(&t, -1, "no entry contains \"max_abx\"");
    tty_send(&t, "\177s\r");
    wait_text(&t, NOWHERE, "max_abs");
    wait_text(&t, 23, "by max_abs, the largest first");
    wait_row(&t, 3); /* the largest is where the cursor goes */
    tty_send(&t, " list fil");
    wait_text(&t, 2, "/list fil  1/");
    tty_send(&t, "\033OD"); /* back */
    wait_gone(&t, 2, "/list fil");
    tty_send(&t, "?finding-tag");
    wait_text(&t, 2, "/finding-tag: entries that contain this");
    wait_text(&t, NOWHERE, ":finding-tag");
    tty_send(&t, "\033OD");
    wait_gone(&t, 2, "entries that contain this");
    tty_quit(&t, "Q");
}

/* Reports are sent as xterm sends them; libvterm takes only the first of "?1006;1000h". */
static void mouse_when_asked(void **state)
{
    char click[40];
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    assert_false(has_bytes(&t, "1000h"));
    tty_send(&t, ":mouse on\r");
    wait_text(&t, -1, "mouse on");
    assert_true(has_bytes(&t, "1000h"));
    int y = cursor_row(&t);
    snprintf(click, sizeof click, "\033[<0;11;%dM", y - 3 + 1);
    tty_send(&t, click);
    wait_row(&t, y - 3);
    tty_send(&t, "\033[<65;11;10M"); /* the wheel */
    wait_row(&t, y);
    tty_send(&t, ":mouse off\r");
    wait_text(&t, 23, "mouse off");
    assert_true(has_bytes(&t, "1000l"));
    tty_quit(&t, "q");
}

/* Without anything to compare: what is here, taken one after the other. */
static void begins_with_nothing(void **state)
{
    char here[500], *argv[] = {(char *)(uintptr_t)program, NULL};
    struct tty t;
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(sample("tt_rope")), 0);
    tty_run(&t, 24, 80, NULL, argv);
    assert_int_equal(chdir(here), 0);
    wait_text(&t, NOWHERE, "Nothing is open yet");
    tty_send(&t, "d");
    wait_text(&t, 2, "files in this folder");
    tty_send(&t, "\033OB\r"); /* bench comes first: target is the second */
    wait_text(&t, 4, "target/step0/rank0");
    tty_send(&t, "d");
    wait_text(&t, 2, "as the golden side");
    tty_send(&t, "\r");
    wait_text(&t, NOWHERE, "GOLDEN");
    wait_text(&t, 1, "first deviation: row 17");
    tty_send(&t, "\r");
    wait_text(&t, 2, "rel L2");
    tty_quit(&t, "qq");
}

static bool asks_for_paste(const struct tty *t, const void *arg)
{
    (void)arg;
    return has_bytes(t, "\033[?2004h");
}

/* What a terminal sends of pasted text lies between two marks. A paste holds no command, wherever it lands. */
static void pasted_text_is_text(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_until(&t, asks_for_paste, NULL, "pasted text asked for with marks");
    wait_ready(&t);
    int y = cursor_row(&t);
    tty_send(&t, "\033[200~q\033[201~");
    wait_text(&t, -1, "pasted text is ignored here");
    tty_send(&t, "k\033[200~:quit\rjjj\033[201~"); /* a key before it is a key */
    wait_row(&t, y - 1);
    wait_text(&t, -1, "pasted text is ignored here");
    tty_send(&t, ":\033[200~note \tone\x03\r\ntwo\nthree\033OA\177\r\033[201~<");
    wait_text(&t, 23, ":note  one two three<");
    tty_send(&t, "\033OD\033[200~q\033[201~"); /* at the cursor */
    wait_text(&t, 23, ":note  one two threeq<");
    tty_send(&t, "\033[200~the first half ");
    tty_take(&t, 300);
    tty_send(&t, "q\rand the second\033[201~");
    wait_text(&t, 23, "threeqthe first half q and the second<");
    tty_send(&t, "\033[200~ and\033[201~\x15:quit\rq\033[200~ a mark\033[201~"); /* the terminal left marks in it */
    wait_text(&t, 23, " and:quit q a mark<");
    tty_send(&t, "\033[200~ or\033[201~\x15:quit\r"); /* in parts, as a slow network delivers them */
    tty_take(&t, 200);
    tty_send(&t, "q");
    tty_take(&t, 200);
    tty_send(&t, " two\033[201~");
    wait_text(&t, 23, "a mark or:quit q two<");
    tty_send(&t, "\x07 ");
    wait_text(&t, NOWHERE, "every command");
    tty_send(&t, "\033[200~cliq\033[201~"); /* in a list as if it were typed, and no key of it leaves */
    wait_text(&t, 2, "/cliq  ");
    tty_send(&t, "\033[200~\nboard\033[201~");
    wait_text(&t, 2, "/cliq board");
    tty_type(&t, "<Esc>");
    wait_text(&t, -1, "q quit");
    tty_quit(&t, "q");
}

/* What the terminal says of its background is no key either, and chooses the colours. */
static void a_light_background_is_told(void **state)
{
    struct tty t;
    (void)state;
    keep_home_apart();
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    int y = cursor_row(&t);
    tty_send(&t, "k\033]11;rgb:ffff/ffff");
    wait_row(&t, y - 1);
    tty_send(&t, "/f0f0\033\\j");
    wait_row(&t, y);
    tty_send(&t, "T");
    wait_text(&t, -1, "theme: contrast"); /* the one behind light */
    tty_send(&t, "\033]11;rgb:0000/0000/0000\a"); /* what a person chose stays */
    tty_send(&t, "T");
    wait_text(&t, -1, "theme: ");
    tty_quit(&t, "q");
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        TEST(a_light_background_is_told),
        TEST(pasted_text_is_text),
        TEST(keys_move_the_cursor),
        TEST(sequences_are_no_keys),
        TEST(prompts_show_the_cursor),
        TEST(characters_in_parts_arrive_whole),
        TEST(escape_is_quick),
        TEST(source_opens_in_a_viewer),
        TEST(copies_go_to_the_terminal),
        TEST(search_says_how_many),
        TEST(lists_narrow),
        TEST(mouse_when_asked),
        TEST(begins_with_nothing),
    };
    return terminal_ready(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
