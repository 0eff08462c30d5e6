/* diverge report: writes the findings report. */
#include <stdio.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "report/job_merge.h"
#include "report/pack_write.h"
#include "ui/cli.h"
#include "ui/ending.h"
#include "ui/procedure_run.h"
#include "ui/open_investigation.h"

static int write_report(const struct procedure_run *t, const struct options *o, const struct writer *w, struct err *e)
{
    struct report_options ro = {.rows = ROWS_NONE, .inv = &t->inv, .guide = &t->guide,
                                .date = open_investigation_date(), .paths = o->paths};
    struct out out;
    bool compared = t->s.now->judged && !t->s.now->single;
    if (t->s.now->failed && (w->rows_only || !report_holds(&ro))) {
        *e = t->s.now->err;
        return -1;
    }
    if (!t->s.now->failed && !compared && (w->rows_only || !procedure_begun(&t->guide)))
        return err_set(e, ERR_USAGE, _("%s: only one side; there is nothing to compare"), o->arg[0]);
    if (!w->rows_only && t->ranks_done)
        ro.job = &t->ranks.result;
    int rc = cli_out(o, &out, e);
    if (rc == 0) {
        w->report(&out, t->s.now, &ro);
        rc = out_close(&out, e);
    }
    if (rc)
        return -1;
    if (t->s.now->failed) {
        cli_fail(&t->s.now->err);
        fputs(_("written from the saved investigation, without a new comparison\n"), stderr);
    }
    return 0;
}

/* Prints the content of the pack on standard error, and what was left out. */
static void print_packed(const struct pack_said *said, const struct options *o)
{
    char rows[NUM_MAX], of[NUM_MAX], bytes[NUM_MAX];
    struct buf b = {0};
    if (!o->quiet)
        fprintf(stderr, _("packed: rows %s of %s; tensors %zu (%s); scripts %zu; further files %zu\n"),
                num_count(rows, said->rows),
                num_count(of, said->of), said->tensors, num_bytes(bytes, said->bytes), said->scripts, said->inputs);
    for (size_t i = 0; i < said->files.n; i++) {
        buf_clear(&b);
        utf8_clean(&b, str_of(said->files.v[i]));
        fprintf(stderr, _("taken: %s\n"), b.p ? b.p : "");
    }
    for (size_t i = 0; i < said->left.n; i++) {
        buf_clear(&b);
        utf8_clean(&b, str_of(said->left.v[i]));
        fprintf(stderr, _("left out: %s\n"), b.p ? b.p : "");
    }
    buf_release(&b);
}

static int write_pack(const struct procedure_run *t, const struct options *o, struct err *e)
{
    struct pack_options po =
        {.inv = &t->inv, .guide = &t->guide, .date = open_investigation_date(), .paths = o->paths,
         .limit = o->pack_limit ? o->pack_limit : PACK_LIMIT};
    struct pack_said said = {0};
    if (t->s.now->failed) {
        *e = t->s.now->err;
        return -1;
    }
    int rc = pack_write(o->pack, t->s.now, &po, &said, e);
    if (!rc)
        print_packed(&said, o);
    pack_said_release(&said);
    return rc;
}

/* The writer by the file's ending, or by --format on standard output. */
static const struct writer *report_writer(const struct options *o, struct err *e)
{
    const struct writer *w = cli_out_standard(o) ? writer_named(o->format ? o->format : "json") : writer_for(o->output);
    if (!o->output && !o->json && !o->format) {
        err_set(e, ERR_USAGE, "%s", _("report: expected -o FILE or --format"));
        return NULL;
    }
    if (!w)
        cli_ending(o->output, e);
    return w;
}

int cli_report(const struct options *o)
{
    struct procedure_run t = {.inv = {.lock = -1}};
    struct err e = {0};
    bool only_pack = o->pack && !o->output && !o->json && !o->format;
    const struct writer *w = only_pack ? NULL : report_writer(o, &e);
    struct options file;
    const struct writer *beside = cli_out_both(o, &file) ? report_writer(&file, &e) : NULL;
    if ((!w && !only_pack) || e.code)
        return cli_fail(&e);
    if (w && !only_pack && o->args == 1 && job_files_there(o->arg[0])) { /* the recordings may be elsewhere */
        struct options own = *o;
        own.format = w->name;
        own.json = strcmp(w->name, "json") == 0;
        return cli_compare_shares(&own);
    }
    t.wanted = (w && !w->rows_only) || (beside && !beside->rows_only) ? PANEL_RANKS_COMPARED
               : o->pack                                              ? PANEL_RANKS_LAYOUTS
                                                                      : PANEL_RANKS_NONE;
    ending_catch(NULL);
    int rc = fail_on_fits(&o->policy, FAIL_ON_COMPARE | FAIL_ON_ROUNDS, &e) || procedure_run_read(&t, o, &e) ||
             procedure_run_open(&t, o, &e) ||
             (beside && write_report(&t, &file, beside, &e)) || (w && write_report(&t, o, w, &e)) ||
             (o->pack && write_pack(&t, o, &e));
    int status = rc                                                     ? cli_fail(&e)
                 : t.s.now->failed && (o->policy.given || o->summary)        ? EXIT_UNJUDGED
                                                                        : cli_fail_on(o, t.s.now, EXIT_ALIGNED);
    procedure_run_close(&t);
    return status;
}
