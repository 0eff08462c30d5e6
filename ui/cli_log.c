/* diverge check of a training log, whose rows are steps. */
#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"
#include "report/log_output.h"
#include "ui/cli.h"

static void write_log_text(struct buf *b, const void *result)
{
    const struct checked_log *x = result;
    const struct series *s = x->s;
    const struct log_check *c = x->c;
    char n[NUM_MAX], m[NUM_MAX];
    buf_fmt(b, _("%s\n%s · %s steps · %s named series\n"), s->path, s->format, num_count(n, s->records.n),
            num_count(m, s->names.n));
    for (size_t i = 0; i < s->unread.n; i++)
        buf_fmt(b, _("not read: %s\n"), s->unread.v[i].text);
    for (size_t i = 0; i < c->problems.n; i++) {
        const struct log_problem *p = &c->problems.v[i];
        if (p->step < 0)
            buf_fmt(b, "%-12s %s\n", p->kind, p->text);
        else
            buf_fmt(b, _("%-12s step %lld: %s\n"), p->kind, (long long)p->step, p->text);
    }
    for (size_t i = 0; i < s->notes.n; i++)
        buf_fmt(b, _("warning: %s\n"), s->notes.v[i]);
    if (!c->problems.n && !s->unread.n)
        buf_cstr(b, _("no problem found\n"));
}

static const struct result_forms forms = {.text = write_log_text, .json = log_check_json, .csv = log_csv};

static void write_log_summary(const struct options *o, const struct series *s, const struct log_check *c,
                              const struct fail_on_counts *counts, int own)
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
    int own = c.problems.n > c.notes ? EXIT_DEVIATES : s.unread.n ? EXIT_UNJUDGED : EXIT_ALIGNED,
        status = fail_on_status(&o->policy, &counts, own);
    struct checked_log found = {&s, &c};
    if ((o->json || o->output || !o->summary) && cli_write(o, &forms, &found, &e))
        status = cli_fail(&e);
    if (o->summary)
        write_log_summary(o, &s, &c, &counts, own);
    log_check_release(&c);
    series_release(&s);
    return status;
}
