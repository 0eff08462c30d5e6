/* diverge report, diverge note: what was found, for people who were not there. */
#include <stdio.h>

#include "base/jsonw.h"
#include "base/msg.h"
#include "find/evidence.h"
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

/* ---- findings ---- */

static uint32_t line_named(const struct session *s, const char *name)
{
    for (int d = 0; d < 2; d++) {
        uint32_t r = dump_find_row(&s->side[d].dump, str_of(name));
        if (r != NONE && s->pairing.line_of[d][r] != NONE)
            return s->pairing.line_of[d][r];
    }
    return NONE;
}

static int note(struct session *s, struct investigation *inv, const struct options *o, struct buf *b, struct err *e)
{
    uint32_t line = line_named(s, o->arg[1]);
    struct buf name = {0};
    if (line == NONE)
        return err_set(e, ERR_USAGE, _("neither side has a row \"%s\""), o->arg[1]);
    struct finding x = {.number = findings_number(&inv->findings), .step = findings_step(&inv->findings), .author = inv->author,
                        .time = investigation_date(inv), .text = o->arg[2]};
    x.place = x.number;
    x.status = (uint8_t)(o->status < 0 ? FINDING_SUSPECTED : o->status);
    x.severity = (uint8_t)(o->severity < 0 ? FINDING_UNSET : o->severity);
    for (int d = 0; d < 2; d++) {
        uint32_t r = s->pairing.lines.v[line].row[d];
        buf_clear(&name);
        if (r != NONE)
            dump_row_name(&s->side[d].dump, r, &name);
        x.about[d] = investigation_keep(inv, name.p ? name.p : "");
    }
    x.evidence = evidence_collect(s, line, NULL, &inv->arena);
    findings_add(&inv->findings, x);
    buf_fmt(b, _("finding %u: %s, with %zu facts kept\n"), x.number, _(finding_status_name((enum finding_status)x.status)), x.evidence.n);
    buf_release(&name);
    return investigation_save(inv, e);
}

static int undo(struct investigation *inv, int steps, struct buf *b, struct err *e)
{
    int done = 0;
    while (done < steps && findings_undo(&inv->findings, false))
        done++;
    buf_fmt(b, _("taken back: %d of %d changes of the findings\n"), done, steps);
    return investigation_save(inv, e);
}

static void list(const struct investigation *inv, bool json, struct buf *b)
{
    finding_list l = {0};
    struct jsonw w;
    findings_read(&inv->findings, &l);
    jw_init(&w, b, true);
    if (json) {
        jw_object(&w);
        jw_kint(&w, "schema", 1);
        jw_kcstr(&w, "tool", TOOL);
        jw_key(&w, "findings");
        jw_array(&w);
    }
    for (size_t i = 0; i < l.n; i++) {
        const struct finding *x = &l.v[i];
        if (json) {
            finding_json(&w, x, true);
            continue;
        }
        buf_fmt(b, "%3u %-10s %-7s %s\n", x->number, _(finding_status_name((enum finding_status)x->status)),
                x->severity ? _(finding_severity_name((enum finding_severity)x->severity)) : "", x->text);
        buf_fmt(b, "    %s%s%s\n", x->about[0], *x->about[0] && *x->about[1] ? " ↔ " : "", x->about[1]);
    }
    if (json) {
        jw_end_array(&w);
        jw_end_object(&w);
        buf_char(b, '\n');
    } else if (!l.n) {
        buf_cstr(b, _("there is no finding yet\n"));
    }
    vec_release(&l);
}

int cli_note(const struct options *o)
{
    struct investigation inv = {.lock = -1};
    struct session s;
    struct buf b = {0};
    struct err e = {0};
    bool open = false, change = o->undo > 0 || o->args == 3;
    int rc;
    cli_catch_interrupts();
    if (o->args == 2)
        rc = err_set(&e, ERR_USAGE, "%s", _("note: a row and a text are needed"));
    else
        rc = ticket_open_saved(&inv, o, change, o->args == 3, &e);
    if (!rc && o->undo > 0)
        rc = undo(&inv, o->undo, &b, &e);
    else if (!rc && o->args == 3)
        rc = cli_open_pair(&s, &open, &inv, o, false, &e) || note(&s, &inv, o, &b, &e);
    else if (!rc)
        list(&inv, o->json, &b);
    if (!rc)
        o->json && !change ? cli_print(&b) : cli_print_clean(&b);
    if (open)
        session_stop(&s);
    investigation_release(&inv);
    buf_release(&b);
    return rc ? cli_fail(&e) : EXIT_ALIGNED;
}
