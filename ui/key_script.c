/* Runs a script of the screen (--script): keys, commands, and printing of frames. The golden tests and the
 * screenshots use it. */

#include "base/io.h"
#include "base/msg.h"
#include "base/output.h"
#include "ui/cli.h"
#include "ui/loop.h"
#include "ui/screen.h"

struct script_run {
    struct screen screen;
    const struct scheme *scheme;
    const char *name;
    uint64_t line;
    bool quit;
};

/* One key off the front: a character, or a name in <>. */
static struct str next_script_key(struct str *s)
{
    struct str key;
    ptrdiff_t end = s->p[0] == '<' ? str_find(*s, '>') : -1;
    if (end > 1) {
        key = str_n(s->p + 1, (size_t)end - 1);
        *s = str_cut(*s, (size_t)end + 1);
        return key;
    }
    size_t n = 1;
    while (n < s->n && (s->p[n] & 0xc0) == 0x80)
        n++;
    key = str_n(s->p, n);
    *s = str_cut(*s, n);
    return key;
}

static void type_keys(struct script_run *x, struct str text)
{
    char name[32];
    while (text.n && !x->quit) {
        struct str k = next_script_key(&text);
        if (k.n >= sizeof name)
            continue;
        memcpy(name, k.p, k.n);
        name[k.n] = 0;
        if (strcmp(name, " ") == 0)
            memcpy(name, "Space", 6);
        x->quit = screen_key(&x->screen, name);
    }
}

/* The frame the user sees who waits a moment. */
static void draw_rested(struct script_run *x)
{
    screen_draw(&x->screen);
    screen_rest(&x->screen);
    screen_draw(&x->screen);
}

static int print_frame(struct script_run *x, bool attrs)
{
    struct buf b = {0};
    draw_rested(x);
    grid_dump(&x->screen.grid, attrs, &b);
    cli_print(&b);
    buf_release(&b);
    return 0;
}

static int write_picture_file(struct script_run *x, struct str path, struct err *e)
{
    struct buf b = {0}, name = {0};
    buf_str(&name, path);
    draw_rested(x);
    grid_svg(&x->screen.grid, x->scheme, &b);
    int rc = output_write(name.p, buf_view(&b), e);
    buf_release(&b);
    buf_release(&name);
    return rc;
}

static int perform_script_line(struct script_run *x, struct str line, struct err *e)
{
    struct str word, rest, a, b;
    unsigned long long rows, cols;
    char name[16];
    str_split(line, ' ', &word, &rest);
    rest = str_trim(rest);
    if (str_is(word, "size")) {
        if (!str_split(rest, ' ', &a, &b) || !str_u64(a, &rows) || !str_u64(str_trim(b), &cols) || rows > 500 ||
            cols > 1000)
            return err_line(e, x->name, x->line, _("expected: size ROWS COLUMNS"));
        screen_size(&x->screen, (int)rows, (int)cols);
    } else if (str_is(word, "settle")) {
        screen_settle(&x->screen);
    } else if (str_is(word, "keys")) {
        type_keys(x, rest);
    } else if (str_is(word, "screen") || str_is(word, "attrs")) {
        return print_frame(x, str_is(word, "attrs"));
    } else if (str_is(word, "svg")) {
        return write_picture_file(x, rest, e);
    } else if (str_is(word, "ascii")) {
        x->screen.grid.ascii = true;
    } else if (str_is(word, "theme") && rest.n && rest.n < sizeof name) {
        memcpy(name, rest.p, rest.n);
        name[rest.n] = 0;
        if (!scheme_find(name))
            return err_line(e, x->name, x->line, _("no theme \"%s\""), name);
        x->scheme = scheme_find(name);
    } else {
        struct buf c = {0};
        buf_str(&c, line);
        x->quit = screen_command(&x->screen, c.p);
        buf_release(&c);
    }
    return 0;
}

int key_script_run(const struct options *o)
{
    struct script_run x = {.scheme = &schemes[0], .name = o->script};
    struct err e = {0};
    struct buf text = {0};
    int status = 0;
    read_failures_keep(NULL); /* as in a terminal, panes show unreadable data */
    if (file_slurp(o->script, 64 << 20, &text, &e) || screen_start(&x.screen, o, NULL, &e)) {
        buf_release(&text);
        return cli_fail(&e);
    }
    screen_size(&x.screen, 24, 80);
    struct str rest = buf_view(&text), line;
    while (rest.n && !x.quit && status == 0) {
        line = str_next(&rest, '\n');
        x.line++;
        line = str_trim(line);
        if (!line.n || line.p[0] == '#')
            continue;
        if (perform_script_line(&x, line, &e))
            status = cli_fail(&e);
        screen_draw(&x.screen); /* as in a terminal, so that effects of a frame (such as scrolling) are the same */
    }
    screen_stop(&x.screen);
    buf_release(&text);
    return status;
}
