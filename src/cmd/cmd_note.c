/* Findings: notes on rows with the evidence frozen in them, their status, their order as causes and effects; and the
 * report they end in. */
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "cmd/cmd.h"
#include "find/evidence.h"

/* Opens the command line with these words on it. */
static int ask(struct desk *d, const char *words)
{
    free(d->prompt);
    d->prompt = mem_strdup(words);
    d->prompt_kind = ':';
    return R_PROMPT;
}

/* A new version, signed; false where it could not be saved: that is said by now. */
static bool put(struct desk *d, struct finding x, const char *what)
{
    desk_remember(d, what);
    x.step = findings_step(&d->inv->findings);
    x.author = d->inv->author;
    x.time = investigation_date(d->inv);
    findings_add(&d->inv->findings, x);
    return desk_keep(d);
}

static int run_note(struct desk *d, struct str args)
{
    struct buf name[2] = {{0}, {0}};
    if (!args.n)
        return ask(d, "note ");
    desk_names(d, d->cursor, name);
    struct finding x = {.number = findings_number(&d->inv->findings), .status = FINDING_SUSPECTED};
    x.place = x.number;
    x.text = arena_cstr(&d->inv->arena, args);
    for (int s = 0; s < 2; s++)
        x.about[s] = investigation_keep(d->inv, name[s].p);
    x.evidence = evidence_collect(d->s, d->cursor, ward_ask(&d->ward, d->cursor), &d->inv->arena);
    if (put(d, x, _("a finding")))
        desk_say(d, _("finding %u: suspected; v changes that, :findings lists them, z takes it back"), x.number);
    buf_release(&name[0]);
    buf_release(&name[1]);
    return R_DRAW;
}

/* "3 rest" → finding 3 and the rest; without a number the one about the row at the cursor. False with a message. */
static bool named(struct desk *d, struct str *args, struct finding *x)
{
    struct str word, rest;
    unsigned long long n;
    str_split(*args, ' ', &word, &rest);
    if (str_u64(word, &n)) {
        *args = str_trim(rest);
        if (n <= UINT32_MAX && findings_get(&d->inv->findings, (uint32_t)n, x))
            return true;
        desk_complain(d, _("there is no finding %llu; :findings lists them"), n);
        return false;
    }
    if (desk_finding(d, d->cursor, x))
        return true;
    desk_complain(d, "%s", _("no finding is about this row; a notes one, :findings lists all"));
    return false;
}

static const char *complete_status(const struct desk *d, int i)
{
    (void)d;
    return i < FINDING_STATUSES ? finding_status_name((enum finding_status)i) : NULL;
}

static const char *complete_severity(const struct desk *d, int i)
{
    (void)d;
    return i < FINDING_SEVERITIES ? finding_severity_name((enum finding_severity)i) : NULL;
}

/* Without a status it gets the next one: suspected, cleared, waived, root cause. */
static int run_status(struct desk *d, struct str args)
{
    struct finding x;
    if (!named(d, &args, &x))
        return R_DRAW;
    int to = args.n ? finding_status_find(args) : (x.status + 1) % FINDING_STATUSES;
    if (to < 0) {
        desk_complain(d, "%s", _("a finding is suspected, cleared, waived or the root-cause"));
        return R_DRAW;
    }
    x.status = (uint8_t)to;
    if (put(d, x, _("a finding's status")))
        desk_say(d, _("finding %u: %s"), x.number, _(finding_status_name((enum finding_status)to)));
    return R_DRAW;
}

static int run_severity(struct desk *d, struct str args)
{
    struct finding x;
    if (!named(d, &args, &x))
        return R_DRAW;
    int to = finding_severity_find(args);
    if (to < 0) {
        desk_complain(d, "%s", _("a finding's severity is low, medium, high or unset"));
        return R_DRAW;
    }
    x.severity = (uint8_t)to;
    if (put(d, x, _("a finding's severity")))
        desk_say(d, _("finding %u: severity %s"), x.number, _(finding_severity_name((enum finding_severity)to)));
    return R_DRAW;
}

static int run_edit(struct desk *d, struct str args)
{
    struct finding x;
    if (!named(d, &args, &x))
        return R_DRAW;
    if (!args.n) {
        struct buf words = {0};
        buf_fmt(&words, "finding-edit %u %s", x.number, x.text);
        int r = ask(d, words.p);
        buf_release(&words);
        return r;
    }
    x.text = arena_cstr(&d->inv->arena, args);
    if (put(d, x, _("a finding's text")))
        desk_say(d, _("finding %u says so now"), x.number);
    return R_DRAW;
}

static int run_delete(struct desk *d, struct str args)
{
    struct finding x;
    if (!named(d, &args, &x))
        return R_DRAW;
    x.removed = true;
    if (put(d, x, _("a finding taken out")))
        desk_say(d, _("finding %u is gone; z brings it back"), x.number);
    return R_DRAW;
}

static int move(struct desk *d, struct str args, int by)
{
    struct finding x;
    if (!named(d, &args, &x))
        return R_DRAW;
    if (findings_movable(&d->inv->findings, x.number, by)) {
        desk_remember(d, _("the order of findings"));
        findings_move(&d->inv->findings, x.number, by, d->inv->author, investigation_date(d->inv));
        if (desk_keep(d))
            desk_say(d, by < 0 ? _("finding %u stands nearer to the cause") : _("finding %u stands further from the cause"), x.number);
    } else {
        desk_say(d, by < 0 ? _("finding %u is the first of the chain already") : _("finding %u is the last of the chain already"), x.number);
    }
    return R_DRAW;
}

static int run_up(struct desk *d, struct str args)
{
    return move(d, args, -1);
}

static int run_down(struct desk *d, struct str args)
{
    return move(d, args, 1);
}

/* ---- lists ---- */

static uint32_t line_of(const struct desk *d, const struct finding *x)
{
    uint32_t row[2] = {dump_find_row(&d->s->side[TARGET].dump, str_of(x->about[0])),
                       dump_find_row(&d->s->side[GOLDEN].dump, str_of(x->about[1]))};
    return desk_line_of(d, row);
}

/* filter ends with a NUL. */
static bool wanted(const struct finding *x, struct str filter)
{
    struct str tag;
    if (!filter.n)
        return true;
    if (finding_status_find(filter) == x->status)
        return true;
    for (int i = 0; filter.p[0] == '#' && (tag = finding_tag(str_of(x->text), i)).n; i++)
        if (str_eq(tag, str_cut(filter, 1)))
            return true;
    return filter.p[0] != '#' && finding_status_find(filter) < 0 && str_ihas(str_of(x->text), filter.p);
}

static int run_findings(struct desk *d, struct str args)
{
    finding_list l = {0};
    char *filter = str_dup(args); /* a C string for the search in texts */
    findings_read(&d->inv->findings, &l);
    desk_clear_list(d);
    for (size_t i = 0; i < l.n; i++) {
        const struct finding *x = &l.v[i];
        char number[16];
        snprintf(number, sizeof number, "%u", x->number);
        if (wanted(x, str_of(filter)))
            desk_add_command(d, "finding", number, "%2u %-10s %s%s  %s", x->number, _(finding_status_name((enum finding_status)x->status)),
                             x->severity ? _(finding_severity_name((enum finding_severity)x->severity)) : "", x->severity ? ":" : "", x->text);
    }
    if (d->list.n)
        desk_show_list(d, _("findings, causes first; Enter opens one"));
    else
        desk_say(d, "%s", l.n ? _("no finding is of that kind") : _("there is no finding yet; a notes one"));
    free(filter);
    vec_release(&l);
    return R_DRAW | R_LAYOUT;
}

/* One finding: what can be done with it, then what it holds. */
static int run_finding(struct desk *d, struct str args)
{
    struct finding x;
    struct buf text = {0};
    char number[16];
    if (!named(d, &args, &x))
        return R_DRAW;
    snprintf(number, sizeof number, "%u", x.number);
    desk_clear_list(d);
    buf_cstr(&text, x.text);
    desk_add_item(d, line_of(d, &x), 0, buf_view(&text));
    for (int s = 0; s < 2; s++) {
        buf_clear(&text);
        buf_fmt(&text, "%s  %s", s ? _("golden") : _("target"), *x.about[s] ? x.about[s] : "·");
        desk_add_item(d, line_of(d, &x), 0, buf_view(&text));
    }
    desk_add_command(d, "finding-edit", number, "%s", _("[edit the text]"));
    for (int k = 0; k < FINDING_STATUSES; k++)
        if (k != x.status) {
            buf_clear(&text);
            buf_fmt(&text, "%u %s", x.number, finding_status_name((enum finding_status)k));
            desk_add_command(d, "finding-status", text.p, _("[it is: %s]"), _(finding_status_name((enum finding_status)k)));
        }
    desk_add_command(d, "finding-up", number, "%s", _("[nearer to the cause]"));
    desk_add_command(d, "finding-down", number, "%s", _("[further from the cause]"));
    desk_add_command(d, "finding-delete", number, "%s", _("[take it out]"));
    for (size_t i = 0; i < x.evidence.n; i++) {
        const struct fact *f = &x.evidence.fact[i];
        buf_clear(&text);
        buf_fmt(&text, "%s: %s%s%s", evidence_label(f->what), f->side[0], f->side[1] ? " │ " : "", f->side[1] ? f->side[1] : "");
        desk_add_item(d, NONE, 0, buf_view(&text));
    }
    buf_clear(&text);
    buf_fmt(&text, _("finding %u, %s"), x.number, _(finding_status_name((enum finding_status)x.status)));
    if (*x.author)
        buf_fmt(&text, _(", by %s"), x.author);
    desk_show_list(d, text.p);
    buf_release(&text);
    return R_DRAW | R_LAYOUT;
}

static int run_report(struct desk *d, struct str args)
{
    if (!args.n)
        return ask(d, "report ");
    free(d->write_path);
    d->write_path = str_dup(args);
    d->write_report = true;
    return desk_may_write(d) ? R_DRAW | R_WRITE : R_DRAW;
}

const struct command commands_note[] = {
    {"note", "[TEXT]", N_("note a finding about this row; the evidence is kept with it, #words are tags"), NEEDS_BOTH | NEEDS_ROW, run_note, NULL},
    {"findings", "[STATUS|#TAG|TEXT]", N_("the findings, causes first; only those of a status, with a tag, that say TEXT"), NEEDS_BOTH, run_findings, complete_status},
    {"finding", "[N]", N_("one finding with its evidence; N or the one about this row"), NEEDS_BOTH | NEEDS_ROW, run_finding, NULL},
    {"finding-status", "[N] [STATUS]", N_("suspected, cleared, waived or root-cause; without STATUS the next of them"), NEEDS_BOTH | NEEDS_ROW, run_status, complete_status},
    {"finding-severity", "[N] LEVEL", N_("how bad it is: low, medium, high or unset"), NEEDS_BOTH | NEEDS_ROW, run_severity, complete_severity},
    {"finding-edit", "[N] [TEXT]", N_("what the finding says"), NEEDS_BOTH | NEEDS_ROW, run_edit, NULL},
    {"finding-up", "[N]", N_("the finding stands nearer to the cause"), NEEDS_BOTH | NEEDS_ROW, run_up, NULL},
    {"finding-down", "[N]", N_("the finding stands further from the cause"), NEEDS_BOTH | NEEDS_ROW, run_down, NULL},
    {"finding-delete", "[N]", N_("take the finding out"), NEEDS_BOTH | NEEDS_ROW, run_delete, NULL},
    {"report", "[FILE]", N_("write the findings report to FILE: .html, .md, .json, .csv or .xlsx"), NEEDS_BOTH | NEEDS_JUDGED, run_report, NULL},
    {0},
};
