/* Functions shared by the command-line commands: interrupts, messages, output files, progress, opening a pair. */
#include "ui/cli.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "document/write.h"
#include "ui/ending.h"
#include "ui/open_investigation.h"
#include "ui/pack_arguments.h"
#include "ui/wait.h"

/* ---- standard output and error ---- */

#define UNREAD_SAID 5 /* sentences about unreadable data printed at most */

static int unwritten[2]; /* errno of the first failed write to standard output, to standard error; 0: none */

/* Writes without the stream's buffer, whose content a signal would lose. */
static void write_unbuffered(FILE *f, struct str s)
{
    int *failed = &unwritten[f == stderr];
    if (fflush(f) && !*failed)
        *failed = errno;
    while (s.n && !*failed) {
        ssize_t w = write(fileno(f), s.p, s.n);
        if (w < 0 && errno != EINTR)
            *failed = errno;
        s = str_cut(s, w < 0 ? 0 : (size_t)w);
    }
}

int cli_end(int status)
{
    struct err e;
    write_unbuffered(stderr, str_n("", 0));
    write_unbuffered(stdout, str_n("", 0));
    if (fclose(stdout) && !unwritten[0]) /* network file systems report a failed write only here */
        unwritten[0] = errno;
    if (!unwritten[0] && !unwritten[1] && !ferror(stderr))
        return status;
    errno = unwritten[0] ? unwritten[0] : unwritten[1];
    err_output(&e, unwritten[0] ? _("standard output") : _("standard error"));
    return cli_fail(&e);
}

static void print_notice(const char *before, const char *sentence)
{
    struct buf b = {0}, named = {0};
    pack_arguments_names(str_of(sentence), &named);
    utf8_clean(&b, buf_view(&named));
    fprintf(stderr, "diverge: %s%s\n", before, b.p ? b.p : "");
    buf_release(&b);
    buf_release(&named);
}

int cli_fail(const struct err *e)
{
    read_failures_printed(str_of(e->text));
    print_notice("", e->text);
    if (e->code == ERR_CANCEL)
        ending_said();
    return exit_status_of(e);
}

/* Whether all that failed are files that had been opened. */
static bool all_were_open(const read_failures *l)
{
    bool all = true;
    for (size_t i = 0; i < l->n; i++)
        all = all && l->v[i].opened;
    return all;
}

int cli_unread(const read_failures *l, bool written, int status)
{
    struct err e;
    bool ended = status == EXIT_INTERRUPTED || status == EXIT_SYSTEM || status == EXIT_TERMINATED;
    if (!l->n || ended) /* already reported */
        return status;
    size_t unsaid = 0;
    for (size_t i = 0; i < l->n; i++)
        if (!l->v[i].said && unsaid++ < UNREAD_SAID)
            print_notice(_("not read: "), l->v[i].text);
    if (unsaid > UNREAD_SAID) {
        err_set(&e, ERR_IO, _("and %zu more"), unsaid - UNREAD_SAID);
        print_notice(_("not read: "), e.text);
    }
    if (status == EXIT_USAGE || status == EXIT_UNOPENED) /* what looked wrong could not be examined */
        return all_were_open(l) && !written ? EXIT_UNJUDGED : EXIT_UNOPENED;
    return status == EXIT_ALIGNED && !written ? EXIT_UNJUDGED : status;
}

void cli_print(const struct buf *b)
{
    struct buf named = {0};
    read_failures_printed(buf_view(b));
    pack_arguments_names(buf_view(b), &named);
    write_unbuffered(stdout, buf_view(&named));
    buf_release(&named);
}

void cli_print_clean(const struct buf *b)
{
    struct buf clean = {0};
    utf8_clean_lines(&clean, buf_view(b));
    cli_print(&clean);
    buf_release(&clean);
}

int cli_ending(const char *path, struct err *e)
{
    struct buf b = {0};
    writer_endings(&b);
    err_set(e, ERR_USAGE, _("%s: the extension selects the format:%s"), path, b.p);
    buf_release(&b);
    return -1;
}

bool cli_out_file(const struct options *o)
{
    return o->output && strcmp(o->output, "-") != 0;
}

bool cli_out_standard(const struct options *o)
{
    return o->json || !cli_out_file(o);
}

bool cli_out_both(const struct options *o, struct options *file)
{
    if (!o->json || !cli_out_file(o))
        return false;
    *file = *o;
    file->json = false;
    file->format = NULL; /* the file's ending is its format */
    return true;
}

int cli_out(const struct options *o, struct out *out, struct err *e)
{
    if (!cli_out_standard(o))
        return out_file(out, o->output, e);
    out_fd(out, STDOUT_FILENO);
    return 0;
}

/* The same of text that may name files of a pack. */
static int out_named(const struct options *o, struct out *out, struct err *e)
{
    if (cli_out(o, out, e))
        return -1;
    out->rename = o->packed ? pack_arguments_names : NULL;
    return 0;
}

enum result_form { RESULT_TEXT, RESULT_JSON, RESULT_CSV };

static enum result_form requested_form(const struct options *o)
{
    if (!o->json && !o->output)
        return RESULT_TEXT;
    return !cli_out_standard(o) && str_ends(str_of(o->output), ".csv") ? RESULT_CSV : RESULT_JSON;
}

bool cli_can_write(const struct options *o, bool csv)
{
    return !cli_out_file(o) || str_ends(str_of(o->output), ".json") || (csv && str_ends(str_of(o->output), ".csv"));
}

int cli_may_write(const struct options *o, bool csv, struct err *e)
{
    if (cli_can_write(o, csv))
        return 0;
    return err_set(e, ERR_USAGE,
                   csv ? _("%s: this result can only be written as .json or "
                           ".csv") : _("%s: this result can only be written as "
                                                                              ".json"),
                   o->output);
}

static bool is_picture(const struct options *o, const struct result_forms *f)
{
    return f->svg && cli_out_file(o) && str_ends(str_of(o->output), ".svg");
}

int cli_may_write_form(const struct options *o, const struct result_forms *f, struct err *e)
{
    bool table = f->csv != NULL;
    if (!f->svg)
        return cli_may_write(o, table, e);
    return is_picture(o, f) || cli_can_write(o, table)
               ? 0
               : err_set(e, ERR_USAGE, _("%s: this result can only be written as .json, .csv or .svg"), o->output);
}

static int write_form(const struct options *o, const struct result_forms *f, const void *result, struct err *e)
{
    enum result_form form = requested_form(o);
    struct document d;
    struct jsonw w;
    struct out out;
    if (form == RESULT_TEXT)
        out_memory(&out);
    else if (out_named(o, &out, e))
        return -1;
    if (form == RESULT_TEXT && f->section) {
        document_begin(&d);
        f->section(&d, result);
        write_text_end(&out.buf, &d);
    } else if (form == RESULT_TEXT) {
        f->text(&out.buf, result);
    } else if (form == RESULT_CSV && f->csv) {
        f->csv(&out, result);
    } else if (!cli_out_standard(o) && is_picture(o, f)) {
        f->svg(&out.buf, result);
    } else {
        jw_init(&w, &out.buf, f->indented);
        f->json(&w, &out, result);
        buf_char(&out.buf, '\n');
    }
    if (form == RESULT_TEXT)
        cli_print_clean(&out.buf);
    return out_close(&out, e);
}

int cli_write(const struct options *o, const struct result_forms *f, const void *result, struct err *e)
{
    struct options file;
    return (cli_out_both(o, &file) && write_form(&file, f, result, e)) || write_form(o, f, result, e) ? -1 : 0;
}

int cli_deliver(const struct options *o, const struct buf *b, struct err *e)
{
    struct options file;
    struct out out;
    if (cli_out_both(o, &file) && cli_deliver(&file, b, e))
        return -1;
    if (cli_out_standard(o)) {
        cli_print(b);
        return 0;
    }
    if (out_named(o, &out, e))
        return -1;
    buf_str(&out.buf, buf_view(b));
    return out_close(&out, e);
}

void cli_summary(const struct options *o, const struct buf *line)
{
    bool taken = o->json || (o->output && strcmp(o->output, "-") == 0) || (o->format && !o->output);
    struct buf named = {0};
    pack_arguments_names(buf_view(line), &named);
    write_unbuffered(taken ? stderr : stdout, buf_view(&named));
    buf_release(&named);
}

int cli_fail_on(const struct options *o, const struct comparison *s, int own)
{
    struct judge_options jo = comparison_judge_options(s);
    struct fail_on_counts c;
    struct buf line = {0};
    if (!s->judged)
        return own;
    int status = judgement_status(s->judged, &jo);
    if (o->summary) {
        fail_on_line(&line, s, status, o->output);
        cli_summary(o, &line);
        buf_release(&line);
    }
    if (s->since.err.code && fail_on_of_rounds(&o->policy)) /* changes since a round that cannot be read are unknown */
        return cli_fail(&s->since.err);
    fail_on_count(&c, s);
    return o->policy.given ? fail_on_status(&o->policy, &c, status) : own;
}

static void say_progress(void *ctx, struct buf *out)
{
    struct session *s = ctx;
    char a[NUM_MAX], b[NUM_MAX];
    struct session_progress p;
    session_lock(s);
    session_progress(s, &p);
    if (!p.comparing)
        buf_fmt(out, _("read %s and %s "), num_bytes(a, s->recordings->side[0].dump.bytes_done),
                num_bytes(b, s->recordings->side[1].dump.bytes_done));
    else
        buf_fmt(out, _("compared %s of %s tensors "), num_count(a, s->rows->measure.finished),
                num_count(b, s->rows->measure.wanted));
    session_unlock(s);
    if (p.per_second > 0)
        buf_fmt(out, _("· %.0f %% · %s/s · %.0f s left "), p.share * 100,
                num_bytes(a, (unsigned long long)p.per_second), p.left);
}

int cli_wait(struct session *s, const struct options *o, struct err *e)
{
    struct waiting w = waiting_with(o, say_progress, s, NULL);
    int rc = session_wait_each(s, waiting_each, &w, WAIT_MS, e);
    waiting_end(&w);
    return rc;
}

int cli_open_pair(struct session *s, bool *open, const struct investigation *inv, const struct options *o,
                  bool pair_only, struct err *e)
{
    struct session_options so;
    open_investigation_session(inv, o, &so);
    so.of.pair_only = pair_only;
    so.unwatched = true;
    if (session_start(s, &so, e))
        return -1;
    *open = true;
    if (cli_wait(s, o, e))
        return -1;
    return s->now->single ? err_set(e, ERR_USAGE, _("%s: only one side; there is nothing to compare"), o->arg[0]) : 0;
}

uint32_t cli_line_named(const struct comparison *s, const char *name)
{
    for (int d = 0; d < 2; d++) {
        uint32_t r = dump_find_row(&s->side[d].dump, str_of(name));
        if (r != NONE && s->pairing->line_of[d][r] != NONE)
            return s->pairing->line_of[d][r];
    }
    return NONE;
}
