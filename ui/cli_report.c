/* diverge report: what was found, for people who were not there. */
#include "base/msg.h"
#include "report/report_build.h"
#include "ui/cli.h"
#include "ui/judged.h"
#include "ui/ticket.h"

static int write_report(const struct judged *t, const struct options *o, const struct writer *w, struct err *e)
{
    struct report_options ro = {.rows = ROWS_NONE, .tool = TOOL, .inv = &t->inv, .guide = &t->guide, .date = ticket_date(), .paths = o->paths};
    struct out out;
    bool compared = t->s.judged && !t->s.single;
    if (t->s.failed) {
        *e = t->s.err;
        return -1;
    }
    if (!compared && (w->rows_only || !guide_begun(&t->guide)))
        return err_set(e, ERR_USAGE, _("%s compares nothing: it has one side only"), o->arg[0]);
    if (cli_out(o, &out, e))
        return -1;
    w->report(&out, &t->s, &ro);
    return out_close(&out, e);
}

/* By the file's ending; on standard output by --format. */
static const struct writer *format_of(const struct options *o, struct err *e)
{
    const struct writer *w = cli_out_standard(o) ? writer_named(o->format ? o->format : "json") : writer_for(o->output);
    if (!o->output && !o->json && !o->format) {
        err_set(e, ERR_USAGE, "%s", _("report: -o FILE or --format says where to and how"));
        return NULL;
    }
    if (!w)
        cli_ending(o->output, e);
    return w;
}

int cli_report(const struct options *o)
{
    struct judged t = {.inv = {.lock = -1}};
    struct options told = *o; /* what the panels were told may be all there is */
    struct err e = {0};
    const struct writer *w = format_of(o, &e);
    if (!w)
        return cli_fail(&e);
    cli_catch_interrupts();
    told.nothing = true;
    int status = ticket_open_saved(&t.inv, &told, false, true, &e) || judged_open(&t, o, &e) || write_report(&t, o, w, &e) ? cli_fail(&e) : EXIT_ALIGNED;
    judged_close(&t);
    return status;
}
