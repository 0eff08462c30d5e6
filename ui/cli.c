/* What the headless commands share: interrupts, messages, output files, progress, opening a pair. */
#include "ui/cli.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "ui/open_investigation.h"
#include "ui/pack_arguments.h"
#include "ui/wait.h"

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
    (void)sig;
    interrupted = 1;
}

/* The first asks the work to stop, a second one insists. */
void cli_catch_interrupts(void)
{
    struct sigaction a = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGHUP, &a, NULL);
}

void cli_release_interrupts(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

bool cli_interrupted(void)
{
    return interrupted;
}

int cli_fail(const struct err *e)
{
    struct buf b = {0}, named = {0};
    pack_arguments_names(str_of(e->text), &named);
    utf8_clean(&b, buf_view(&named));
    fprintf(stderr, "diverge: %s\n", b.p ? b.p : "");
    buf_release(&b);
    buf_release(&named);
    switch (e->code) {
    case ERR_USAGE:
        return EXIT_USAGE;
    case ERR_CANCEL:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_UNREADABLE;
    }
}

void cli_print(const struct buf *b)
{
    struct buf named = {0};
    pack_arguments_names(buf_view(b), &named);
    if (named.n)
        fwrite(named.p, 1, named.n, stdout);
    fflush(stdout);
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
    err_set(e, ERR_USAGE, _("%s: endings tell formats, one of%s"), path, b.p);
    buf_release(&b);
    return -1;
}

bool cli_out_standard(const struct options *o)
{
    return o->json || !o->output || strcmp(o->output, "-") == 0;
}

int cli_out(const struct options *o, struct out *out, struct err *e)
{
    if (!cli_out_standard(o))
        return out_file(out, o->output, e);
    out_fd(out, STDOUT_FILENO);
    return 0;
}

int cli_out_named(const struct options *o, struct out *out, struct err *e)
{
    if (cli_out(o, out, e))
        return -1;
    out->rename = o->packed ? pack_arguments_names : NULL;
    return 0;
}

int cli_deliver(const struct options *o, const struct buf *b, struct err *e)
{
    struct out out;
    if (cli_out_standard(o)) {
        cli_print(b);
        return 0;
    }
    if (cli_out_named(o, &out, e))
        return -1;
    buf_str(&out.buf, buf_view(b));
    return out_close(&out, e);
}

void cli_summary(const struct options *o, const struct buf *line)
{
    bool taken = o->json || (o->output && strcmp(o->output, "-") == 0) || (o->format && !o->output);
    struct buf named = {0};
    pack_arguments_names(buf_view(line), &named);
    fwrite(named.p, 1, named.n, taken ? stderr : stdout);
    fflush(taken ? stderr : stdout);
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
    if (s->since.err.code && fail_on_of_rounds(&o->policy)) /* nothing is new to one who cannot see what was */
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
        buf_fmt(out, _("read %s and %s "), num_bytes(a, s->recordings->side[0].dump.bytes_done), num_bytes(b, s->recordings->side[1].dump.bytes_done));
    else
        buf_fmt(out, _("compared %s of %s tensors "), num_count(a, s->rows->measure.finished), num_count(b, s->rows->measure.wanted));
    session_unlock(s);
    if (p.per_second > 0)
        buf_fmt(out, _("· %.0f %% · %s/s · %.0f s left "), p.share * 100, num_bytes(a, (unsigned long long)p.per_second), p.left);
}

int cli_wait(struct session *s, const struct options *o, struct err *e)
{
    struct waiting w = waiting_with(o, say_progress, s, NULL);
    int rc = session_wait_each(s, waiting_each, &w, WAIT_MS, e);
    waiting_end(&w);
    return rc;
}

int cli_open_pair(struct session *s, bool *open, const struct investigation *inv, const struct options *o, bool pair_only,
                  struct err *e)
{
    struct session_options so;
    open_investigation_session(inv, o, &so);
    so.of.pair_only = pair_only;
    if (session_start(s, &so, e))
        return -1;
    *open = true;
    if (cli_wait(s, o, e))
        return -1;
    return s->now->single ? err_set(e, ERR_USAGE, _("%s compares nothing: it has one side only"), o->arg[0]) : 0;
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
