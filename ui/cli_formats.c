/* diverge formats: the tables of readers, of log formats and of known formats that are not read. */
#include "ui/cli.h"

#include "base/msg.h"
#include "base/utf8.h"
#include "config/environment_forms.h"
#include "config/settings.h"
#include "fmt/find_recordings.h"
#include "fmt/unreadable.h"
#include "log/log_format.h"

#define COLUMNS 79
#define INDENT 4
#define LABEL 10

/* One format of any of the tables. */
struct entry {
    const char *name, *title, *files, *versions, *unread, *advice;
};
typedef VEC(struct entry) entry_list;

static void gather_formats(entry_list *read, entry_list *known)
{
    for (size_t i = 0; readers[i]; i++) {
        const struct reader *r = readers[i];
        struct entry x = {r->name, _(r->title), r->what, r->versions, r->unread ? _(r->unread) : NULL, NULL};
        vec_push(read, x);
    }
    for (size_t i = 0; log_formats[i].name; i++) {
        const struct log_format *k = &log_formats[i];
        struct entry x =
            {k->name, k->title ? _(k->title) : "", k->what, k->versions, k->unread ? _(k->unread) : NULL, NULL};
        if (k->title) /* the others are further forms of the row before */
            vec_push(read, x);
    }
    for (size_t i = 0; settings_formats[i].name; i++) {
        const struct settings_format *k = &settings_formats[i];
        struct entry x = {k->name, _(k->title), k->what, NULL, NULL, NULL};
        vec_push(read, x);
    }
    for (const struct environment_form *f = environment_forms; f->name; f++) {
        struct entry x = {f->name, _(f->title), f->what, NULL, NULL, NULL};
        if (f->sniff != environment_sniff && f->sniff != launch_script_sniff) /* formats of settings are listed above */
            vec_push(read, x);
    }
    for (const struct unreadable *r = unreadable_formats; r->name; r++) {
        struct entry x = {r->name, _(r->title), r->what, NULL, NULL, _(r->advice)};
        vec_push(known, x);
    }
}

/* A labelled paragraph, broken at blanks and between wide characters. */
static void put_paragraph(struct buf *b, const char *label, const char *text)
{
    struct str rest = str_of(text);
    int used = INDENT, column = INDENT;
    buf_fmt(b, "%*s", INDENT, "");
    if (*label) {
        int cells = utf8_cells(str_of(label));
        buf_fmt(b, "%s%*s", label, cells < LABEL ? LABEL - cells : 2, "");
        column = used += cells < LABEL ? LABEL : cells + 2;
    }
    while (rest.n) {
        struct str at = rest;
        int cells = 0;
        do { /* a word: up to the blank, or one wide character */
            struct str before = at;
            uint32_t c = utf8_next(&at);
            if (c == ' ' && before.p != rest.p) {
                at = before;
                break;
            }
            cells += utf8_width(c);
            if (utf8_width(c) == 2)
                break;
        } while (at.n);
        struct str word = str_n(rest.p, rest.n - at.n);
        if (used + cells > COLUMNS && used > column) {
            buf_fmt(b, "\n%*s", column, "");
            used = column;
            word = str_trim(word);
            cells = utf8_cells(word);
        }
        buf_str(b, word);
        used += cells;
        rest = at;
    }
    buf_char(b, '\n');
}

static void print_list(struct buf *b, const entry_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct entry *x = &l->v[i];
        buf_cstr(b, x->name);
        if (x->versions)
            buf_fmt(b, "%*s%s", (int)(strlen(x->name) < 18 ? 20 - strlen(x->name) : 2), "", x->versions);
        buf_char(b, '\n');
        put_paragraph(b, "", x->title);
        put_paragraph(b, _("files"), x->files);
        if (x->unread)
            put_paragraph(b, _("not read"), x->unread);
        if (x->advice)
            put_paragraph(b, _("instead"), x->advice);
    }
}

static void write_formats_list(struct jsonw *w, const char *key, const entry_list *l, bool read)
{
    jw_karray(w, key);
    for (size_t i = 0; i < l->n; i++) {
        const struct entry *x = &l->v[i];
        jw_object(w);
        jw_kcstr(w, "name", x->name);
        jw_kcstr(w, "title", x->title);
        jw_kcstr(w, "files", x->files);
        if (read) {
            jw_kcstr(w, "versions", x->versions);
            jw_kcstr(w, "not_read", x->unread);
        } else {
            jw_kcstr(w, "advice", x->advice);
        }
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void write_formats_text(struct buf *b, const void *result)
{
    const entry_list *read = result, *known = read + 1;
    print_list(b, read);
    buf_fmt(b, "\n%s\n\n", _("Recognised, but not supported:"));
    print_list(b, known);
}

static void write_json(struct jsonw *w, struct out *o, const void *result)
{
    const entry_list *read = result, *known = read + 1;
    (void)o;
    jw_result(w);
    write_formats_list(w, "formats", read, true);
    write_formats_list(w, "recognised", known, false);
    jw_end_object(w);
}

int cli_formats(const struct options *o)
{
    entry_list list[2] = {{0}, {0}}; /* readable formats, and formats that are only recognised */
    struct err e;
    gather_formats(&list[0], &list[1]);
    static const struct result_forms forms = {.text = write_formats_text, .json = write_json};
    int status = cli_write(o, &forms, list, &e) ? cli_fail(&e) : EXIT_ALIGNED;
    vec_release(&list[0]);
    vec_release(&list[1]);
    return status;
}
