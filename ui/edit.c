/* Writes a note to a private file, runs the editor on it, and reads the text back. */
#include "ui/edit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/msg.h"
#include "ui/external_tool.h"

#define NOTE_MOST (1u << 20) /* bytes of a text */

/* How many words of each command come before its text. */
static const struct {
    const char *name;
    int words;
} editable[] = {{"note", 0}, {"note-call", 0}, {"note-row", 0}, {"finding-edit", 1}};

static void keep_edited_text(struct workspace *d, struct str command, struct str text)
{
    free(d->edit_command);
    free(d->edit_text);
    d->edit_command = str_dup(command);
    d->edit_text = str_dup(text);
}

bool edit_from_prompt(struct screen *s)
{
    struct prompt *p = &s->prompt;
    struct str all = buf_view(&p->text), rest = all, word;
    unsigned long long n;
    if (!p->active || p->kind != ':')
        return false;
    word = str_next(&rest, ' ');
    for (size_t i = 0; i < ARRAY_LEN(editable); i++) {
        if (!str_is(word, editable[i].name))
            continue;
        struct str number, behind;
        bool split = str_split(rest, ' ', &number, &behind);
        if (editable[i].words && !str_u64(number, &n))
            return false;
        if (editable[i].words)
            rest = split ? behind : str_n(all.p + all.n, 0);
        size_t head = rest.p && rest.n ? (size_t)(rest.p - all.p) : all.n;
        keep_edited_text(&s->work, str_trim(str_n(all.p, head)), rest);
        p->active = false;
        return true;
    }
    return false;
}

struct editing {
    const char *tool, *file;
    int status;
};

static void run_editor(void *ctx)
{
    struct editing *e = ctx;
    e->status = external_tool_run(e->tool, NULL, e->file);
}

/* A private file that contains the text; its path, or NULL with an error. */
static char *private_file(const char *text, struct err *e)
{
    static const char *const names[] = {"TMPDIR", NULL};
    struct buf path = {0};
    size_t n = strlen(text);
    buf_fmt(&path, "%s/diverge-note-XXXXXX.txt", external_tool_named(names, "/tmp"));
    int fd = mkstemps(path.p, 4); /* mode 0600 */
    if (fd < 0) {
        err_system(e, path.p);
        buf_release(&path);
        return NULL;
    }
    bool written = (!n || write(fd, text, n) == (ssize_t)n) && (!n || text[n - 1] == '\n' || write(fd, "\n", 1) == 1);
    if (close(fd) || !written) {
        err_system(e, path.p);
        unlink(path.p);
        buf_release(&path);
        return NULL;
    }
    return path.p;
}

/* 0 with the text in out; -1 with an error. */
static int edit_text_in_file(const char *text, void (*lend)(void (*)(void *), void *), struct buf *out, struct err *e)
{
    static const char *const names[] = {"VISUAL", "EDITOR", NULL};
    struct editing x = {.tool = external_tool_named(names, lend ? "vi" : NULL)};
    int rc = -1;
    if (!x.tool) /* in a script no user is present */
        return err_set(e, ERR_USAGE, "%s", _("without a terminal, set $VISUAL or $EDITOR to start an editor"));
    char *file = private_file(text, e);
    if (!file)
        return -1;
    x.file = file;
    if (lend)
        lend(run_editor, &x);
    else
        run_editor(&x);
    if (x.status == TOOL_MISSING)
        err_set(e, ERR_IO, _("the editor \"%s\" could not be started; set $VISUAL or $EDITOR; the text is unchanged"),
                x.tool);
    else if (x.status)
        err_set(e, ERR_IO, _("the editor \"%s\" ended with status %d: the text is unchanged"), x.tool, x.status);
    else
        rc = file_slurp(file, NOTE_MOST, out, e);
    unlink(file);
    free(file);
    return rc;
}

static struct str trim_text(struct str s)
{
    while (s.n && strchr(" \n\r\t", s.p[s.n - 1]))
        s.n--;
    while (s.n && strchr(" \n\r\t", s.p[0]))
        s = str_cut(s, 1);
    return s;
}

/* Restores the command line with its text. */
static void restore_command_line(struct screen *s)
{
    struct prompt *p = &s->prompt;
    buf_clear(&p->text);
    buf_fmt(&p->text, "%s %s", s->work.edit_command, s->work.edit_text);
    p->at = p->text.n;
    p->active = true;
}

void edit_perform(struct screen *s, void (*lend)(void (*during)(void *ctx), void *ctx))
{
    struct workspace *d = &s->work;
    struct buf text = {0}, command = {0};
    struct err e;
    bool of_prompt = s->prompt.into_editor;
    s->prompt.into_editor = false;
    if (!d->edit_command)
        return;
    int rc = edit_text_in_file(d->edit_text, lend, &text, &e);
    struct str came = trim_text(buf_view(&text));
    if (rc) {
        workspace_complain(d, "%s", e.text);
    } else if (!came.n) {
        workspace_say(d, "%s", _("empty text: the findings are unchanged"));
    } else if (str_eq(came, trim_text(str_of(d->edit_text))) && !of_prompt) {
        workspace_say(d, "%s", _("the text is unchanged"));
    } else {
        buf_fmt(&command, "%s %.*s", d->edit_command, STR_ARG(came));
        screen_command(s, command.p);
    }
    if (rc && of_prompt)
        restore_command_line(s);
    buf_release(&text);
    buf_release(&command);
}
