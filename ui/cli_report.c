/* diverge report: what was found, for people who were not there. */
#include "base/msg.h"
#include "report/report_build.h"
#include "ui/cli.h"
#include "ui/ticket.h"

static int write_report(const struct session *s, const struct investigation *inv, const struct options *o, const struct writer *w, struct err *e)
{
    struct report_options ro = {.rows = ROWS_NONE, .tool = TOOL, .inv = inv, .date = ticket_date(), .paths = o->paths};
    struct out out;
    if (cli_out(o, &out, e))
        return -1;
    w->report(&out, s, &ro);
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
    struct investigation inv = {.lock = -1};
    struct session s;
    struct err e = {0};
    bool open = false;
    const struct writer *w = format_of(o, &e);
    if (!w)
        return cli_fail(&e);
    cli_catch_interrupts();
    int status = ticket_open_saved(&inv, o, false, true, &e) || cli_open_pair(&s, &open, &inv, o, false, &e) || write_report(&s, &inv, o, w, &e) ? cli_fail(&e) : EXIT_ALIGNED;
    if (open)
        session_stop(&s);
    investigation_release(&inv);
    return status;
}
