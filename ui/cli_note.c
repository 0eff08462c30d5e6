/* diverge note: adds and lists findings for scripts. */
#include "base/json_write.h"
#include "base/msg.h"
#include "panel/subject.h"
#include "ui/cli.h"
#include "ui/open_investigation.h"
#include "ui/ending.h"

/* An investigation and the data its findings are about. */
struct noting {
    struct investigation inv;
    struct session s;
    struct procedure guide;
    bool open, guided;
};

/* The subject's name: an option's value, or the row's name before the text. */
static struct str given_subject_name(const struct options *o)
{
    return str_of(o->subject ? o->subject_name : o->arg[1]);
}

/* Compares the dumps if the finding is about them, runs the panels' engines if it is about their inputs, both if it
 * may be about either. */
static int open_note_sources(struct noting *n, const struct options *o, struct err *e)
{
    enum finding_subject kind = (enum finding_subject)o->subject;
    unsigned exams = subject_engine_runs(kind, given_subject_name(o));
    struct session_options so;
    struct err failed = {0};
    if (exams == SUBJECT_DUMPS) {
        if (cli_open_pair(&n->s, &n->open, &n->inv, o, false, e))
            return -1;
    } else {
        open_investigation_session(&n->inv, o, &so);
        if (exams)
            so.of.path[0] = so.of.path[1] = NULL;
        if (session_start(&n->s, &so, e))
            return -1;
        n->open = true;
        if (cli_wait(&n->s, o, &failed) && failed.code == ERR_CANCEL) {
            *e = failed;
            return -1;
        }
    }
    procedure_init(&n->guide, n->s.now, &n->inv, session_compare, NULL, NULL);
    n->guided = true;
    n->guide.only = exams & ~SUBJECT_DUMPS;
    if (exams != SUBJECT_DUMPS) {
        procedure_look(&n->guide);
        procedure_wait(&n->guide, NULL, NULL, 0);
        procedure_write(&n->guide);
    }
    return 0;
}

static void close_note_sources(struct noting *n)
{
    if (n->guided)
        procedure_release(&n->guide);
    if (n->open)
        session_stop(&n->s);
    investigation_release(&n->inv);
}

static int link_cause(const struct noting *n, const struct options *o, struct finding *x, struct err *e)
{
    struct finding cause;
    if (o->caused_by < 0)
        return 0;
    x->cause = (uint32_t)o->caused_by;
    if (findings_get(&n->inv.findings, x->number, &cause)) /* an existing one */
        return findings_linkable(&n->inv.findings, x->number, x->cause, e);
    if (x->cause && !findings_get(&n->inv.findings, x->cause, &cause))
        return err_set(e, ERR_USAGE, _("no finding %u; diverge note lists them"), x->cause);
    return 0;
}

static void take_note_options(const struct options *o, struct finding *x)
{
    if (o->status >= 0)
        x->status = (uint8_t)o->status;
    if (o->severity >= 0)
        x->severity = (uint8_t)o->severity;
}

static int add_note(struct noting *n, const struct options *o, struct buf *b, struct err *e)
{
    struct investigation *inv = &n->inv;
    struct subject s;
    struct buf about = {0};
    if (subject_find(&n->guide, (enum finding_subject)o->subject, given_subject_name(o), &s, &inv->arena, e))
        return -1;
    struct finding x =
        {.number = findings_number(&inv->findings), .step = findings_step(&inv->findings), .author = inv->author,
         .time = investigation_date(inv), .text = o->arg[o->args - 1], .subject = (uint8_t)s.kind,
         .about = {s.about[0], s.about[1]}, .at = s.at};
    x.place = x.number;
    take_note_options(o, &x);
    if (link_cause(n, o, &x, e))
        return -1;
    session_lock(&n->s);
    x.evidence = subject_freeze(&n->guide, &s, &inv->arena);
    session_unlock(&n->s);
    findings_add(&inv->findings, x);
    subject_text(&x, &about);
    buf_fmt(b, _("finding %u: %s, %zu pieces of evidence saved, about %s\n"), x.number,
            _(finding_status_name((enum finding_status)x.status)), x.evidence.n,
            about.p ? about.p : "");
    buf_release(&about);
    return investigation_save(inv, e);
}

static int edit_finding(struct noting *n, const struct options *o, struct buf *b, struct err *e)
{
    struct finding x;
    if (!findings_get(&n->inv.findings, (uint32_t)o->edit, &x))
        return err_set(e, ERR_USAGE, _("no finding %u; diverge note lists them"), (unsigned)o->edit);
    if (o->args == 2)
        x.text = o->arg[1];
    x.removed = o->taken_out;
    take_note_options(o, &x);
    if (link_cause(n, o, &x, e))
        return -1;
    x.step = findings_step(&n->inv.findings);
    x.author = n->inv.author;
    x.time = investigation_date(&n->inv);
    findings_add(&n->inv.findings, x);
    if (x.removed)
        buf_fmt(b, _("finding %u removed; --undo restores it\n"), x.number);
    else
        buf_fmt(b, _("finding %u: %s\n"), x.number, _(finding_status_name((enum finding_status)x.status)));
    return investigation_save(&n->inv, e);
}

static int undo_findings(struct investigation *inv, int steps, struct buf *b, struct err *e)
{
    int done = 0;
    while (done < steps && findings_undo(&inv->findings, false))
        done++;
    buf_fmt(b, _("undone: %d of %d changes of the findings\n"), done, steps);
    return investigation_save(inv, e);
}

static void list_finding(const struct finding *x, struct buf *b)
{
    struct buf line = {0};
    int in = 2 * (x->depth < 8 ? x->depth : 8);
    finding_line(x->text, &line);
    buf_fmt(b, "%3u %-10s %-7s %*s%s\n", x->number, _(finding_status_name((enum finding_status)x->status)),
            x->severity ? _(finding_severity_name((enum finding_severity)x->severity)) : "", in, "",
            line.p ? line.p : "");
    buf_clear(&line);
    subject_text(x, &line);
    buf_fmt(b, "    %*s%s\n", in, "", line.p ? line.p : "");
    if (x->cause)
        buf_fmt(b, _("    %*sfollows from finding %u\n"), in, "", x->cause);
    buf_release(&line);
}

static void list_all_findings(const struct investigation *inv, const struct options *o, bool json, struct buf *b)
{
    finding_list l = {0};
    struct jsonw w;
    size_t told = 0;
    findings_read(&inv->findings, &l);
    jw_init(&w, b, true);
    if (json) {
        jw_result(&w);
        jw_karray(&w, "findings");
    }
    for (size_t i = 0; i < l.n; i++) {
        if (o->filter && !finding_wanted(&l.v[i], str_of(o->filter)))
            continue;
        told++;
        if (json)
            finding_json(&w, &l.v[i]);
        else
            list_finding(&l.v[i], b);
    }
    if (json) {
        jw_end_array(&w);
        jw_end_object(&w);
        buf_char(b, '\n');
    } else if (!told) {
        buf_cstr(b, l.n ? _("no findings match\n") : _("no findings yet\n"));
    }
    vec_release(&l);
}

/* Prints the findings, or writes them as JSON to the file of -o. */
static int print_findings(const struct investigation *inv, const struct options *o, struct buf *b, struct err *e)
{
    bool json = o->json || o->output;
    list_all_findings(inv, o, json, b);
    if (json)
        return cli_deliver(o, b, e);
    cli_print_clean(b);
    return 0;
}

/* Rejects contradictory options before anything is opened. */
static int check_note_options(const struct options *o, bool changes, bool adds, struct err *e)
{
    if (!changes && !adds && o->args > 1)
        return err_set(e, ERR_USAGE, "%s",
                       _("note: expected a row and a text, or an option for the subject and a text"));
    if ((o->subject || changes) && o->args == 3)
        return err_set(e, ERR_USAGE, _("one argument too many: %s"), o->arg[2]);
    if ((o->subject && !adds) || (o->args > 1 && !str_trim(str_of(o->arg[o->args - 1])).n))
        return err_set(e, ERR_USAGE, "%s", _("note: expected a text"));
    if (!changes && !adds && (o->status >= 0 || o->severity >= 0 || o->caused_by >= 0))
        return err_set(e, ERR_USAGE, "%s", _("note: --status, --severity and --caused-by need a text (adds a finding) "
                                             "or --edit N (changes one); --filter lists findings"));
    if ((changes || adds || o->undo > 0) && o->output)
        return err_set(e, ERR_USAGE, "%s", _("note: -o can only be used for the list of findings"));
    return cli_may_write(o, false, e);
}

int cli_note(const struct options *o)
{
    struct noting n = {.inv = {.lock = -1}};
    struct options own = *o;
    struct buf b = {0};
    struct err e = {0};
    bool changes = o->edit >= 0, adds = !changes && (o->args == 3 || (o->subject && o->args == 2)),
         change = o->undo > 0 || changes || adds;
    int rc;
    own.nothing = true; /* the subject may need no dumps */
    ending_catch(NULL);
    rc = check_note_options(o, changes, adds, &e);
    if (!rc)
        rc = open_investigation_saved(&n.inv, &own, change, adds, &e);
    if (!rc && o->undo > 0)
        rc = undo_findings(&n.inv, o->undo, &b, &e);
    else if (!rc && changes)
        rc = edit_finding(&n, o, &b, &e);
    else if (!rc && adds)
        rc = open_note_sources(&n, &own, &e) || add_note(&n, o, &b, &e);
    else if (!rc)
        rc = print_findings(&n.inv, o, &b, &e);
    if (!rc && change)
        cli_print_clean(&b);
    close_note_sources(&n);
    buf_release(&b);
    return rc ? cli_fail(&e) : EXIT_ALIGNED;
}
