/* diverge check of a training log: rows are steps. */
#include <stdio.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "report/log_output.h"
#include "ui/cli.h"

static void write_text(const struct series *s, const struct log_check *c)
{
    struct buf b = {0};
    char n[NUM_MAX], m[NUM_MAX];
    buf_fmt(&b, _("%s\n%s · %s steps · %s named series\n"), s->path, s->format, num_count(n, s->records.n), num_count(m, s->names.n));
    for (size_t i = 0; i < c->problems.n; i++) {
        const struct log_problem *p = &c->problems.v[i];
        if (p->step < 0)
            buf_fmt(&b, "%-12s %s\n", p->kind, p->text);
        else
            buf_fmt(&b, _("%-12s step %lld: %s\n"), p->kind, (long long)p->step, p->text);
    }
    for (size_t i = 0; i < s->notes.n; i++)
        buf_fmt(&b, _("warning: %s\n"), s->notes.v[i]);
    if (!c->problems.n)
        buf_cstr(&b, _("no problem found\n"));
    cli_print_clean(&b);
    buf_release(&b);
}

/* The report to a file by its ending, or to standard output as JSON. */
static int write_out(const struct options *o, const struct series *s, const struct log_check *c, struct err *e)
{
    struct out out;
    if (cli_out(o, &out, e))
        return -1;
    if (!cli_out_standard(o) && str_ends(str_of(o->output), ".csv"))
        log_csv(&out, s);
    else
        log_check_json(&out, s, c, TOOL);
    return out_close(&out, e);
}

static void write_summary(const struct options *o, const struct series *s, const struct log_check *c, const struct fail_on_counts *counts, int own)
{
    struct buf b = {0};
    char step[32] = "";
    if (c->problems.n && c->problems.v[0].step >= 0)
        snprintf(step, sizeof step, "%lld", (long long)c->problems.v[0].step);
    fail_on_line_check(&b, counts, own, step, s->path, o->output);
    cli_summary(o, &b);
    buf_release(&b);
}

int cli_check_log(const struct options *o)
{
    struct series s;
    struct log_check c;
    struct err e = {0};
    if (series_open(&s, o->arg[0], NULL, &e)) {
        series_release(&s);
        return cli_fail(&e);
    }
    log_check_run(&c, &s);
    struct fail_on_counts counts;
    fail_on_count_log(&counts, &s, &c);
    int own = c.problems.n > c.notes ? EXIT_DEVIATES : EXIT_ALIGNED, status = fail_on_status(&o->policy, &counts, own);
    if (!o->json && !o->output && !o->summary)
        write_text(&s, &c);
    else if ((o->json || o->output) && write_out(o, &s, &c, &e))
        status = cli_fail(&e);
    if (o->summary)
        write_summary(o, &s, &c, &counts, own);
    log_check_release(&c);
    series_release(&s);
    return status;
}
