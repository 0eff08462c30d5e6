/* diverge check: what is wrong with one recording, as text, JSON or one line. */
#include "ui/cli.h"

#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "dump/dump_check.h"
#include "compare/input_doubts.h"
#include "panel/path_kind.h"
#include "report/formats.h"
#include "ui/open_investigation.h"

static void name_of(const struct dump *d, uint32_t row, struct buf *b)
{
    buf_clear(b);
    if (row != NONE)
        dump_row_name(d, row, b);
}

static void write_json(struct out *o, const struct dump *d, const struct dump_check *c, const input_doubt_list *doubts)
{
    struct jsonw w;
    struct buf name = {0};
    jw_init(&w, &o->buf, false);
    jw_object(&w);
    jw_kint(&w, "schema", 1);
    jw_kcstr(&w, "tool", TOOL);
    json_side_fields(&w, d);
    jw_kint(&w, "apis", (int64_t)d->calls.n);
    jw_kint(&w, "stacks", (int64_t)d->stacks.n);
    for (int last = 0; last < 2; last++) {
        jw_key(&w, last ? "last_row" : "first_row");
        name_of(d, d->rows.n ? (last ? (uint32_t)d->rows.n - 1 : 0) : NONE, &name);
        d->rows.n ? jw_str(&w, buf_view(&name)) : jw_null(&w);
    }
    jw_key(&w, "warnings");
    jw_array(&w);
    for (size_t i = 0; i < doubts->n; i++)
        jw_cstr(&w, doubts->v[i].text);
    jw_end_array(&w);
    jw_key(&w, "problems");
    jw_array(&w);
    for (size_t i = 0; i < c->problems.n; i++) {
        const struct dump_check_problem *p = &c->problems.v[i];
        name_of(d, p->row, &name);
        jw_object(&w);
        jw_key(&w, "row");
        p->row == NONE ? jw_null(&w) : jw_str(&w, buf_view(&name));
        jw_kcstr(&w, "kind", p->kind);
        jw_kcstr(&w, "detail", p->text);
        jw_end_object(&w);
        out_flow(o);
    }
    jw_end_array(&w);
    jw_end_object(&w);
    buf_char(&o->buf, '\n');
    buf_release(&name);
}

static void write_text(const struct dump *d, const struct dump_check *c, const input_doubt_list *doubts)
{
    struct buf b = {0}, name = {0};
    char n[NUM_MAX], m[NUM_MAX];
    const char *known[] = {d->framework, d->level, d->task};
    buf_fmt(&b, "%s\n%s", d->path, d->reader->name);
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (*known[i])
            buf_fmt(&b, " · %s", known[i]);
    buf_fmt(&b, _(" · %s rows · %s calls\n"), num_count(n, d->rows.n), num_count(m, d->calls.n));
    for (size_t i = 0; i < c->problems.n; i++) {
        const struct dump_check_problem *p = &c->problems.v[i];
        name_of(d, p->row, &name);
        buf_fmt(&b, "%-12s %s%s%s\n", p->kind, name.n ? name.p : "", name.n ? ": " : "", p->text);
    }
    for (size_t i = 0; i < doubts->n; i++)
        buf_fmt(&b, _("warning: %s\n"), doubts->v[i].text);
    if (!c->problems.n && d->rows.n)
        buf_cstr(&b, _("no problem found\n"));
    cli_print_clean(&b);
    buf_release(&b);
    buf_release(&name);
}

static void write_summary(const struct options *o, const struct dump *d, const struct dump_check *c, const struct fail_on_counts *counts, int own)
{
    struct buf b = {0}, name = {0};
    name_of(d, c->problems.n ? c->problems.v[0].row : NONE, &name);
    fail_on_line_check(&b, counts, own, name.p, d->path, o->output);
    cli_summary(o, &b);
    buf_release(&b);
    buf_release(&name);
}

int cli_check(const struct options *o)
{
    struct err unfit;
    if (fail_on_fits(&o->policy, FAIL_ON_CHECK, &unfit))
        return cli_fail(&unfit);
    enum path_kind what = path_kind_find(o->arg[0], NULL);
    if (what == PATH_LOG || what == PATH_NORMS)
        return cli_check_log(o);
    struct session s;
    struct session_options so;
    struct err e = {0};
    struct dump_check c;
    int status;
    struct investigation inv;
    if (open_investigation(&inv, o, NULL, false, &e)) {
        investigation_release(&inv);
        return cli_fail(&e);
    }
    open_investigation_session(&inv, o, &so);
    so.of.alone = true;
    cli_catch_interrupts();
    if (session_start(&s, &so, &e)) {
        investigation_release(&inv);
        return cli_fail(&e);
    }
    if (cli_wait(&s, o, &e)) {
        status = cli_fail(&e);
    } else {
        const struct dump *d = &s.now->side[TARGET].dump;
        cli_release_interrupts();
        dump_check_run(&c, d, s.kern, threads_wanted(o->workers), NULL, NULL);
        struct fail_on_counts counts;
        fail_on_count_check(&counts, d, &c);
        int own = c.problems.n > c.notes ? EXIT_DEVIATES : EXIT_ALIGNED;
        status = fail_on_status(&o->policy, &counts, own);
        struct arena sentences = {0};
        input_doubt_list doubts = {0};
        input_doubts_alone(s.now, &sentences, &doubts);
        if (o->json || o->output) {
            struct out out;
            int rc = cli_out_named(o, &out, &e);
            if (rc == 0) {
                write_json(&out, d, &c, &doubts);
                rc = out_close(&out, &e);
            }
            if (rc)
                status = cli_fail(&e);
        } else if (!o->summary) {
            write_text(d, &c, &doubts);
        }
        if (o->summary)
            write_summary(o, d, &c, &counts, own);
        arena_release(&sentences);
        vec_release(&doubts);
        dump_check_release(&c);
    }
    session_stop(&s);
    investigation_release(&inv);
    return status;
}
