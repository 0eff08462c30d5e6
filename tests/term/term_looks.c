/* The colours and attributes of each cell in five terminals: dark and light with 256 colours and with 8, and one
 * without. Screens and looks are kept in tests/term/looks.expect; ACCEPT=1 writes it, after which it is to be read:
 * "S" a row as text, "A" its looks by letter ('.' the terminal's own), at the end what each letter is. */
#include "terminal.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPECTED "tests/term/looks.expect"
#define TERMINALS 5
#define LOOKS 62
#define QUIET_MS 100         /* without a byte: the looks of a screen whose text is there are there too */
#define QUIET_ACCEPT_MS 1500 /* and its text, where that is not known yet */

static const struct {
    const char *name;
    struct setting env[3];
} kinds[TERMINALS] = {
    {"dark 256", {{"COLORFGBG", "15;0"}, {0}}},
    {"light 256", {{"COLORFGBG", "0;15"}, {0}}},
    {"dark 8", {{"TERM", "xterm"}, {"COLORFGBG", "15;0"}, {0}}},
    {"light 8", {{"TERM", "xterm"}, {"COLORFGBG", "0;15"}, {0}}},
    {"none", {{"NO_COLOR", "1"}, {0}}},
};

/* What is done, and what is then on the screen. */
static const struct {
    int rows, cols; /* 0: as it is */
    const char *keys, *mark;
} steps[] = {
    {0, 0, "", "next: Compute inv_freq"},
    {0, 0, "s", "target stack"},
    {0, 0, "<Esc>&verdict == deviate<Enter>/matmul<Enter>", "/matmul  "},
    {0, 0, "\\:search <Enter><Esc>F<Enter>", "0.000441"},
    {0, 0, "#", "░▓░ ░▓░"},
    {0, 0, "<Esc>:list gaps<Enter>", "calls that only one side has"},
    {0, 0, "<Esc>0", "the procedure"},
    {0, 0, "3", "3 Step 1"},
    {0, 0, "<Esc><Esc>?", "Keys available here"},
    {0, 0, "<Esc>tlayers<Enter>", "worst"},
    {0, 0, "<Esc>tnone<Enter>L", "首个偏差点"},
    {36, 120, "", "首个偏差点"},
    {0, 0, "L", "FIRST DEVIATION"},
    {60, 200, "", "target stack"},
};

struct look {
    char of[TERMINALS][40];
};

struct looks {
    struct look v[LOOKS];
    int n;
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

static void put_colour(char *out, size_t size, const char *what, const VTermColor *c, bool plain)
{
    size_t n = strlen(out);
    if (plain)
        return;
    if (VTERM_COLOR_IS_INDEXED(c))
        snprintf(out + n, size - n, "%s%s%d", n ? " " : "", what, c->indexed.idx);
    else
        snprintf(out + n, size - n, "%s%s%02x%02x%02x", n ? " " : "", what, c->rgb.red, c->rgb.green, c->rgb.blue);
}

static void look_at(const struct tty *t, int y, int x, char *out, size_t size)
{
    VTermScreenCell c = cell_at(t, y, x);
    bool blank = !c.chars[0] || c.chars[0] == ' ';
    out[0] = 0;
    if (!blank || c.attrs.reverse) /* a blank shows no ink */
        put_colour(out, size, "", &c.fg, VTERM_COLOR_IS_DEFAULT_FG(&c.fg));
    put_colour(out, size, "on ", &c.bg, VTERM_COLOR_IS_DEFAULT_BG(&c.bg));
    const struct {
        bool on;
        const char *name;
    } bits[] = {{c.attrs.bold && !blank, "bold"}, {c.attrs.underline, "underlined"}, {c.attrs.reverse, "reverse"}};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        size_t n = strlen(out);
        if (bits[i].on)
            snprintf(out + n, size - n, "%s%s", n ? " " : "", bits[i].name);
    }
}

static char letter_of(struct looks *l, const struct look *x)
{
    bool plain = true;
    for (int k = 0; k < TERMINALS; k++)
        plain &= !x->of[k][0];
    if (plain)
        return '.';
    int i = 0;
    while (i < l->n && memcmp(&l->v[i], x, sizeof *x) != 0)
        i++;
    if (i == l->n) {
        assert_in_range(l->n, 0, LOOKS - 1);
        l->v[l->n++] = *x;
    }
    return letters[i];
}

static void put_screen(FILE *f, struct tty *t, struct looks *l)
{
    for (int y = 0; y < t[0].rows; y++) {
        char line[MAX_COLS + 1];
        int n = 0, end = 0;
        for (int x = 0; x < t[0].cols; x++) {
            struct look k;
            memset(&k, 0, sizeof k);
            if (cell_at(&t[0], y, x).chars[0] == (uint32_t)-1) /* the right half of a wide character */
                continue;
            for (int i = 0; i < TERMINALS; i++)
                look_at(&t[i], y, x, k.of[i], sizeof k.of[i]);
            line[n++] = letter_of(l, &k);
            end = line[n - 1] == '.' ? end : n;
        }
        fprintf(f, "S%s%s\n", *row_text(&t[0], y) ? " " : "", row_text(&t[0], y));
        if (end)
            fprintf(f, "A %.*s\n", end, line);
    }
}

/* The rows that come next in what is expected. */
static bool shows(const struct tty *t, const void *arg)
{
    const char *at = arg;
    for (int y = 0; y < t->rows; y++) {
        const char *row = row_text(t, y);
        size_t n = strlen(row), w = strcspn(at, "\n");
        if (*at != 'S' || w != n + (n ? 2 : 1) || strncmp(at + 2, row, n) != 0)
            return false;
        at += w + (at[w] == '\n');
        if (*at == 'A')
            at += strcspn(at, "\n") + 1;
    }
    return true;
}

static void be_quiet(struct tty *t, int ms)
{
    for (size_t had = SIZE_MAX; had != t->bytes;) {
        had = t->bytes;
        tty_take(t, ms);
    }
}

static bool same_text(const struct tty *t)
{
    for (int k = 1; k < TERMINALS; k++)
        for (int y = 0; y < t[0].rows; y++)
            if (strcmp(row_text(&t[0], y), row_text(&t[k], y)) != 0)
                return false;
    return true;
}

static void walk(FILE *f, struct tty *t, const char *expect, struct looks *l)
{
    int rows = 24, cols = 80;
    const char *at = expect;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char title[200];
        rows = steps[i].rows ? steps[i].rows : rows;
        cols = steps[i].cols ? steps[i].cols : cols;
        snprintf(title, sizeof title, "# %d×%d  %s  %s", cols, rows, steps[i].keys, steps[i].mark);
        fprintf(f, "%s\n", title);
        at = at ? strstr(at, title) : NULL;
        at = at ? at + strlen(title) + 1 : NULL;
        for (int k = 0; k < TERMINALS; k++) {
            if (steps[i].rows)
                tty_resize(&t[k], rows, cols);
            tty_type(&t[k], steps[i].keys);
            wait_text(&t[k], NOWHERE, steps[i].mark);
            if (at)
                wait_until(&t[k], shows, at, title);
        }
        do {
            for (int k = 0; k < TERMINALS; k++)
                be_quiet(&t[k], at ? QUIET_MS : QUIET_ACCEPT_MS);
        } while (!same_text(t));
        put_screen(f, t, l);
    }
}

static void assert_same_text(const char *want, const char *now)
{
    int line = 1;
    while (*want && *want == *now) {
        line += *want == '\n';
        want++, now++;
    }
    if (*want != *now) {
        while (line > 1 && want[-1] != '\n')
            want--, now--;
        fail_msg("%s, line %d:\n- %.*s\n+ %.*s", EXPECTED, line, (int)strcspn(want, "\n"), want,
                 (int)strcspn(now, "\n"), now);
    }
}

static void looks_are_as_kept(void **state)
{
    static struct tty t[TERMINALS];
    static struct looks l;
    char here[PATH_MAX], *samples = realpath(sample("."), NULL), *text = NULL,
         *argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)"llama_rope/ms",
                    (char *)(uintptr_t)"llama_rope/torch", NULL};
    bool accept = getenv("ACCEPT") != NULL;
    char *expect = accept ? NULL : contents(".", EXPECTED);
    size_t n = 0;
    (void)state;
    if (!accept && !expect)
        skip();
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(samples);
    assert_int_equal(chdir(samples), 0);
    for (int k = 0; k < TERMINALS; k++) {
        keep_home_apart();
        tty_run(&t[k], 24, 80, kinds[k].env, argv);
        wait_diagnosed(&t[k]);
    }
    assert_int_equal(chdir(here), 0);
    FILE *f = open_memstream(&text, &n);
    assert_non_null(f);
    walk(f, t, expect, &l);
    for (int i = 0; i < l.n; i++) {
        fprintf(f, "%c", letters[i]);
        for (int k = 0; k < TERMINALS; k++)
            fprintf(f, "%s %s: %s", k ? " |" : "", kinds[k].name, l.v[i].of[k][0] ? l.v[i].of[k] : "plain");
        fputc('\n', f);
    }
    fclose(f);
    for (int k = 0; k < TERMINALS; k++)
        tty_close(&t[k]);
    if (accept) {
        f = fopen(EXPECTED, "w");
        assert_non_null(f);
        assert_int_equal(fwrite(text, 1, n, f), n);
        assert_int_equal(fclose(f), 0);
    } else {
        assert_same_text(expect, text);
    }
    free(text);
    free(expect);
    free(samples);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        TEST(looks_are_as_kept),
    };
    return terminal_ready(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
