/* Commands for findings: adding one about the item at the cursor with its evidence, its status, causes; and the
 * report. */
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "cmd/note_subject.h"
#include "cmd/cmd.h"
#include "report/pack_write.h"

/* Opens the command line with these words on it. */
static int prompt_with(struct workspace *d, const char *words)
{
    free(d->prompt);
    d->prompt = mem_strdup(words);
    d->prompt_kind = ':';
    return R_PROMPT;
}

/* Saves; an open list of findings is refreshed. */
static bool keep_findings(struct workspace *d)
{
    bool ok = workspace_keep(d);
    if (ok && d->overlay == OVERLAY_LIST && d->list.of) {
        char *again = mem_strdup(d->list.of);
        command_run(d, again);
        free(again);
    }
    return ok;
}

/* Adds a new version with author and time; false, with a message, if it could not be saved. */
static bool put_finding_version(struct workspace *d, struct finding x, const char *what)
{
    workspace_remember(d, what);
    x.step = findings_step(&d->inv->findings);
    x.author = d->inv->author;
    x.time = investigation_date(d->inv);
    findings_add(&d->inv->findings, x);
    return keep_findings(d);
}

static void begin_finding(struct workspace *d, const struct subject *s, struct str text)
{
    struct buf about = {0};
    struct arena *a = &d->inv->arena;
    struct finding x =
        {.number = findings_number(&d->inv->findings), .status = FINDING_SUSPECTED, .subject = (uint8_t)s->kind};
    x.place = x.number;
    x.text = arena_cstr(a, text);
    for (int i = 0; i < 2; i++)
        x.about[i] = arena_cstr(a, str_of(s->about[i]));
    x.at = arena_cstr(a, str_of(s->at));
    x.evidence = note_subject_freeze(d, s, a);
    subject_text(&x, &about);
    if (put_finding_version(d, x, _("finding")))
        workspace_say(d, _("finding %u (suspected; v changes the status) about %s"), x.number, about.p ? about.p : "");
    buf_release(&about);
}

/* In the tensor view "[0:4,8] TEXT" is about that region. False with a message if it does not exist. */
static bool place_region(struct workspace *d, struct str *text, struct subject *s, struct arena *a)
{
    ptrdiff_t end = str_find(*text, ']');
    int64_t from[TENSOR_DIMS], to[TENSOR_DIMS];
    int axes;
    if (s->kind != SUBJECT_ELEMENT || end < 2 || text->p[0] != '[' ||
        !subject_region(str_n(text->p, (size_t)end + 1), from, to, &axes))
        return true;
    struct buf name = {0};
    struct err e;
    buf_fmt(&name, "%s%.*s", *s->about[0] ? s->about[0] : s->about[1], (int)end + 1, text->p);
    int rc = subject_find(&d->guide, SUBJECT_ELEMENT, buf_view(&name), s, a, &e);
    buf_release(&name);
    *text = str_trim(str_cut(*text, (size_t)end + 1));
    if (rc || !text->n)
        workspace_complain(d, "%s", rc ? e.text : _("note [SUBJECT] TEXT: expected a text"));
    return rc == 0 && text->n;
}

static int note_about_subject(struct workspace *d, struct str args, enum note_about which, const char *verb)
{
    struct subject s;
    struct arena a = {0};
    int r = 0;
    if (note_subject_here(d, which, &s, &a)) {
        if (!args.n)
            r = prompt_with(d, verb);
        else if (place_region(d, &args, &s, &a))
            begin_finding(d, &s, args);
    }
    arena_release(&a);
    return r;
}

static int run_note(struct workspace *d, struct str args)
{
    return note_about_subject(d, args, NOTE_ABOUT_HERE, "note ");
}

static int run_note_call(struct workspace *d, struct str args)
{
    return note_about_subject(d, args, NOTE_ABOUT_CALL, "note-call ");
}

static int run_note_row(struct workspace *d, struct str args)
{
    return note_about_subject(d, args, NOTE_ABOUT_ROW, "note-row ");
}

static bool find_finding(struct workspace *d, unsigned long long n, struct finding *x)
{
    if (n <= UINT32_MAX && findings_get(&d->inv->findings, (uint32_t)n, x))
        return true;
    workspace_complain(d, _("no finding %llu; :findings lists them"), n);
    return false;
}

/* "3 rest" → finding 3 and the rest; without a number the one about what is under the cursor. False with a message. */
static bool named_finding(struct workspace *d, struct str *args, struct finding *x)
{
    struct str word, rest;
    unsigned long long n;
    str_split(*args, ' ', &word, &rest);
    if (str_u64(word, &n)) {
        *args = str_trim(rest);
        return find_finding(d, n, x);
    }
    if (note_subject_finding(d, x))
        return true;
    workspace_complain(d, "%s", _("no finding about this item; a adds one, :findings lists all"));
    return false;
}

/* Opens $EDITOR for a new note about this item, or for the text of a finding. */
static int run_note_editor(struct workspace *d, struct str args)
{
    struct subject s;
    struct finding x;
    struct arena a = {0};
    char command[32] = "note";
    bool there;
    free(d->edit_text);
    free(d->edit_command);
    d->edit_text = d->edit_command = NULL;
    if (args.n) {
        there = named_finding(d, &args, &x);
        if (there)
            snprintf(command, sizeof command, "finding-edit %u", x.number);
        d->edit_text = mem_strdup(there ? x.text : "");
    } else {
        there = note_subject_here(d, NOTE_ABOUT_HERE, &s, &a);
        d->edit_text = mem_strdup("");
    }
    d->edit_command = mem_strdup(command);
    arena_release(&a);
    return there ? R_EDIT : 0;
}

static const char *complete_status(const struct workspace *d, int i)
{
    (void)d;
    return i < FINDING_STATUSES ? finding_status_name((enum finding_status)i) : NULL;
}

static const char *complete_severity(const struct workspace *d, int i)
{
    (void)d;
    return i < FINDING_SEVERITIES ? finding_severity_name((enum finding_severity)i) : NULL;
}

/* Without a status it gets the next one: suspected, cleared, waived, root cause. */
static int run_status(struct workspace *d, struct str args)
{
    struct finding x;
    if (!named_finding(d, &args, &x))
        return 0;
    int to = args.n ? finding_status_find(args) : (x.status + 1) % FINDING_STATUSES;
    if (to < 0) {
        workspace_complain(d, "%s", _("status: expected suspected, cleared, waived or root-cause"));
        return 0;
    }
    x.status = (uint8_t)to;
    if (put_finding_version(d, x, _("status of a finding")))
        workspace_say(d, _("finding %u: %s"), x.number, _(finding_status_name((enum finding_status)to)));
    return 0;
}

static int run_severity(struct workspace *d, struct str args)
{
    struct finding x;
    if (!named_finding(d, &args, &x))
        return 0;
    int to = finding_severity_find(args);
    if (to < 0) {
        workspace_complain(d, "%s", _("severity: expected low, medium, high or unset"));
        return 0;
    }
    x.severity = (uint8_t)to;
    if (put_finding_version(d, x, _("severity of a finding")))
        workspace_say(d, _("finding %u: severity %s"), x.number, _(finding_severity_name((enum finding_severity)to)));
    return 0;
}

static int run_edit(struct workspace *d, struct str args)
{
    struct finding x;
    if (!named_finding(d, &args, &x))
        return 0;
    if (!args.n) {
        struct buf words = {0};
        if (strchr(x.text, '\n') && !workspace_may_change(d))
            return 0;
        if (strchr(x.text, '\n')) { /* more than a line of commands can hold */
            buf_fmt(&words, "%u", x.number);
            int into = run_note_editor(d, buf_view(&words));
            buf_release(&words);
            return into;
        }
        buf_fmt(&words, "finding-edit %u %s", x.number, x.text);
        int r = prompt_with(d, words.p);
        buf_release(&words);
        return r;
    }
    x.text = arena_cstr(&d->inv->arena, args);
    if (put_finding_version(d, x, _("text of a finding")))
        workspace_say(d, _("finding %u updated"), x.number);
    return 0;
}

static int run_tag(struct workspace *d, struct str args)
{
    struct finding x;
    struct buf text = {0};
    if (!named_finding(d, &args, &x))
        return 0;
    if (!args.n) {
        workspace_complain(d, "%s", _("finding-tag [N] TAG …: expected tags to add, or -TAG to remove one"));
        return 0;
    }
    finding_retag(str_of(x.text), args, &text);
    x.text = arena_cstr(&d->inv->arena, buf_view(&text));
    if (put_finding_version(d, x, _("tags of a finding")))
        workspace_say(d, _("finding %u: %s"), x.number, x.text);
    buf_release(&text);
    return 0;
}

static int run_delete(struct workspace *d, struct str args)
{
    struct finding x;
    if (!named_finding(d, &args, &x))
        return 0;
    x.removed = true;
    if (put_finding_version(d, x, _("removal of a finding")))
        workspace_say(d, _("finding %u removed; z restores it"), x.number);
    return 0;
}

/* ---- what follows from what ---- */

static int link_to_cause(struct workspace *d, struct finding x, uint32_t cause)
{
    struct err e;
    if (findings_linkable(&d->inv->findings, x.number, cause, &e)) {
        workspace_complain(d, "%s", e.text);
        return 0;
    }
    x.cause = cause;
    if (!put_finding_version(d, x, _("cause of a finding")))
        return 0;
    if (cause)
        workspace_say(d, _("finding %u follows from finding %u"), x.number, cause);
    else
        workspace_say(d, _("finding %u follows from no other finding"), x.number);
    return 0;
}

static int run_link(struct workspace *d, struct str args)
{
    struct finding x;
    struct str rest = args, word;
    unsigned long long n, cause;
    bool two = str_split(args, ' ', &word, &rest);
    if (!str_u64(word, &n) || (two && !str_u64(str_trim(rest), &cause))) {
        workspace_complain(d, "%s", _("link N M: expected two findings, N follows from M; link M: the finding about "
                                      "the item under the cursor follows from M"));
        return 0;
    }
    if (!two) {
        cause = n;
        if (!note_subject_finding(d, &x)) {
            workspace_complain(d, "%s", _("no finding about this item; a adds one, :findings lists all"));
            return 0;
        }
    } else if (!find_finding(d, n, &x)) {
        return 0;
    }
    if (cause > UINT32_MAX) {
        workspace_complain(d, _("no finding %llu; :findings lists them"), cause);
        return 0;
    }
    return link_to_cause(d, x, (uint32_t)cause);
}

static int run_unlink(struct workspace *d, struct str args)
{
    struct finding x;
    return named_finding(d, &args, &x) ? link_to_cause(d, x, 0) : 0;
}

static int move_finding(struct workspace *d, struct str args, int by)
{
    struct finding x;
    if (!named_finding(d, &args, &x))
        return 0;
    if (findings_movable(&d->inv->findings, x.number, by)) {
        workspace_remember(d, _("order of findings"));
        findings_move(&d->inv->findings, x.number, by, d->inv->author, investigation_date(d->inv));
        if (keep_findings(d))
            workspace_say(d, by < 0 ? _("finding %u moved towards the cause")
                                    : _("finding %u moved towards the effect"), x.number);
    } else if (x.cause) {
        workspace_say(d, by < 0 ? _("finding %u is already the first with this cause")
                                : _("finding %u is already the last with this cause"), x.number);
    } else {
        workspace_say(d, by < 0 ? _("finding %u is already the first of the chain")
                                : _("finding %u is already the last of the chain"), x.number);
    }
    return 0;
}

static int run_finding_up(struct workspace *d, struct str args)
{
    return move_finding(d, args, -1);
}

static int run_finding_down(struct workspace *d, struct str args)
{
    return move_finding(d, args, 1);
}

/* ---- lists ---- */

static int run_findings(struct workspace *d, struct str args)
{
    finding_list l = {0};
    struct buf text = {0}, about = {0}, again = {0};
    buf_fmt(&again, "findings %.*s", STR_ARG(args));
    args = str_cut(buf_view(&again), 9); /* the argument may belong to the list, which is cleared now */
    findings_read(&d->inv->findings, &l);
    workspace_clear_list(d);
    for (size_t i = 0; i < l.n; i++) {
        const struct finding *x = &l.v[i];
        char number[16];
        snprintf(number, sizeof number, "%u", x->number);
        if (!finding_wanted(x, args))
            continue;
        buf_clear(&about);
        subject_text(x, &about);
        finding_line(x->text, &text);
        workspace_add_command(d, "finding-go", number, "%2u %-10s %*s%s%s  %s  · %s", x->number,
                              _(finding_status_name((enum finding_status)x->status)),
                              2 * (x->depth < 8 ? x->depth : 8), "",
                              x->severity ? _(finding_severity_name((enum finding_severity)x->severity)) : "",
                              x->severity ? ":" : "", text.p ? text.p : "", about.p ? about.p : "");
        workspace_add_inside(d, "finding", number);
    }
    d->list.of = mem_strdup(again.p);
    if (d->list.items.n)
        workspace_show_list(d, _("findings, causes first; Enter goes to the subject, → opens the finding"));
    else
        workspace_say(d, "%s", l.n ? _("no findings match") : _("no findings yet; a adds one"));
    if (!d->list.items.n && d->overlay == OVERLAY_LIST) /* nothing is left of a list that was open */
        workspace_close_list(d);
    vec_release(&l);
    buf_release(&text);
    buf_release(&about);
    buf_release(&again);
    return 0;
}

/* The lines of a text as entries that lead to the finding's subject. */
static void list_finding_lines(struct workspace *d, const char *number, struct str text)
{
    struct str line;
    do {
        line = str_next(&text, '\n');
        workspace_add_command(d, "finding-go", number, "%.*s", STR_ARG(line));
    } while (text.n);
}

/* What can be done with one. */
static void list_actions(struct workspace *d, const struct finding *x, const char *number)
{
    struct buf words = {0};
    workspace_add_command(d, "finding-edit", number, "%s", _("[edit the text]"));
    for (int k = 0; k < FINDING_STATUSES; k++)
        if (k != x->status) {
            buf_clear(&words);
            buf_fmt(&words, "%u %s", x->number, finding_status_name((enum finding_status)k));
            workspace_add_command(d, "finding-status", words.p, _("[set status: %s]"),
                                  _(finding_status_name((enum finding_status)k)));
        }
    workspace_add_command(d, "finding-up", number, "%s", _("[move towards the cause]"));
    workspace_add_command(d, "finding-down", number, "%s", _("[move towards the effect]"));
    if (x->cause)
        workspace_add_command(d, "unlink", number, "%s", _("[follows from no other finding]"));
    workspace_add_command(d, "finding-delete", number, "%s", _("[remove]"));
    buf_release(&words);
}

/* One finding: its subject and text, the possible actions, then its evidence. */
static int run_finding(struct workspace *d, struct str args)
{
    struct finding x, cause;
    struct buf text = {0};
    char number[16];
    if (!named_finding(d, &args, &x))
        return 0;
    snprintf(number, sizeof number, "%u", x.number);
    workspace_clear_list(d);
    list_finding_lines(d, number, str_of(x.text));
    subject_text(&x, &text);
    workspace_add_command(d, "finding-go", number, _("about %s  (Enter goes to it)"), text.p ? text.p : "");
    if (x.cause && findings_get(&d->inv->findings, x.cause, &cause)) {
        char other[16];
        snprintf(other, sizeof other, "%u", cause.number);
        finding_line(cause.text, &text);
        workspace_add_command(d, "finding", other, _("follows from finding %u: %s"), cause.number,
                              text.p ? text.p : "");
    }
    if (finding_of_rows(&x)) {
        buf_clear(&text);
        round_since_named(d->c, x.about, &text);
        if (text.n)
            workspace_add_item(d, NONE, 0, buf_view(&text));
    }
    list_actions(d, &x, number);
    for (size_t i = 0; i < x.evidence.n; i++) {
        const struct fact *f = &x.evidence.fact[i];
        buf_clear(&text);
        buf_fmt(&text, "%s: %s%s%s", evidence_label(f->what), f->side[0], f->side[1] ? " │ " : "",
                f->side[1] ? f->side[1] : "");
        workspace_add_item(d, NONE, 0, buf_view(&text));
    }
    buf_clear(&text);
    buf_fmt(&text, _("finding %u, %s"), x.number, _(finding_status_name((enum finding_status)x.status)));
    if (*x.author)
        buf_fmt(&text, _(", by %s"), x.author);
    d->list.at = 0;
    d->list.scroll = 0;
    workspace_show_list(d, text.p);
    buf_release(&text);
    return 0;
}

/* Goes to the subject of a finding with the commands of its kind of subject, one after the other. */
static int run_go(struct workspace *d, struct str args)
{
    struct finding x;
    struct buf way = {0};
    struct str rest, line;
    int r = 0;
    if (!named_finding(d, &args, &x))
        return 0;
    struct subject s = subject_of(&x);
    procedure_look(&d->guide);
    procedure_write(&d->guide);
    subject_kinds[s.kind].place(&d->guide, &s, &way);
    if (!way.n) {
        workspace_complain(d, _("the subject of finding %u is not in this comparison; its evidence is saved in the "
                                "finding"),
                           x.number);
        return 0;
    }
    d->overlay = OVERLAY_NONE;
    d->list.over_panel = false;
    d->tensor.open = false;
    d->focus = FOCUS_TABLE;
    if (d->groups.kind != GROUP_NONE)
        workspace_group(d, GROUP_NONE);
    for (rest = buf_view(&way); rest.n;) {
        line = str_next(&rest, '\n');
        char *command = str_dup(line);
        r |= command_run(d, command);
        free(command);
    }
    buf_release(&way);
    return r;
}

/* For both dumps, or for the panels' inputs if there are none. */
static bool anything_to_report(struct workspace *d, struct str file)
{
    const struct comparison *s = d->c;
    const struct writer *w = file.n ? writer_for(file.p) : NULL;
    bool compared = s->judged && !s->single;
    const struct report_options held = {.inv = d->inv};
    if (s->failed && ((w && w->rows_only) || !report_holds(&held)))
        workspace_complain(d, "%s", s->err.text);
    else if (!s->failed && !compared && !(s->complete && procedure_begun(&d->guide)))
        workspace_complain(d, _("%s: nothing compared yet"), "report");
    else if (!s->failed && !compared && w && w->rows_only)
        workspace_complain(d, _("%.*s: a table of rows needs both dumps"), STR_ARG(file));
    else
        return true;
    return false;
}

/* Enter writes it, under a name that is free. */
static int ask_report(struct workspace *d)
{
    char words[60] = "report report.html";
    for (int i = 2; path_is_file(words + strlen("report ")) && i < 1000; i++)
        snprintf(words, sizeof words, "report report-%d.html", i);
    return prompt_with(d, words);
}

static int run_report(struct workspace *d, struct str args)
{
    if (args.n && (!workspace_write_to(d, args, true, false) || workspace_write_later(d)))
        return 0;
    if (!anything_to_report(d, args))
        return 0;
    if (!args.n)
        return ask_report(d);
    return workspace_may_write(d) ? R_WRITE : 0;
}

/* Whether the files that a pack takes beside the recordings have been shown as they are now, or there are none. */
static bool files_shown(struct workspace *d, struct str args)
{
    struct pack_said said;
    struct buf title = {0};
    pack_files(d->c, d->inv, &said);
    uint64_t key = hash_bytes(args.p, args.n, 1);
    for (size_t i = 0; i < said.files.n; i++)
        key = hash_bytes(said.files.v[i], strlen(said.files.v[i]), key);
    bool shown = !said.files.n || d->asked_pack == key;
    d->asked_pack = key;
    if (!shown) {
        workspace_clear_list(d);
        for (size_t i = 0; i < said.files.n; i++)
            workspace_add_item(d, NONE, 0, str_of(said.files.v[i]));
        for (size_t i = 0; i < said.left.n; i++) {
            buf_clear(&title);
            buf_fmt(&title, _("left out: %s"), said.left.v[i]);
            workspace_add_item(d, NONE, 0, buf_view(&title));
        }
        buf_clear(&title);
        buf_fmt(&title, _("files for the pack; :pack %.*s again writes it"), STR_ARG(args));
        workspace_show_list(d, title.p);
    }
    pack_said_release(&said);
    buf_release(&title);
    return shown;
}

static int run_pack(struct workspace *d, struct str args)
{
    if (!args.n)
        return prompt_with(d, "pack ");
    if (d->inv && !files_shown(d, args))
        return 0;
    bool now = workspace_write_to(d, args, false, true) && !workspace_write_later(d);
    return now && workspace_may_write(d) ? R_WRITE : 0;
}

const struct command commands_note[] = {
    {"note", "[TEXT]", N_("add a finding about the item under the cursor: row, gap, element, setting, weight, step of "
                          "a curve …; #words are tags"), CHANGES | ASKS, run_note, NULL},
    {"note-call", "[TEXT]", N_("add a finding about the whole call of the row"), NEEDS_PAIRED | NEEDS_ROW | ON_ROW | CHANGES | ASKS, run_note_call, NULL},
    {"note-row", "[TEXT]", N_("add a finding about the row itself, also in a gap or in the tensor "
                              "view"), NEEDS_PAIRED | NEEDS_ROW | ON_ROW | CHANGES | ASKS, run_note_row, NULL},
    {"note-editor", "[N]", N_("write a finding in $EDITOR; with N: edit the text of finding N. C-e on the command line "
                              "continues in the editor"), CHANGES, run_note_editor, NULL},
    {"findings", "[FILTER]", N_("list the findings, causes first; words filter: a status, #tag, author:NAME, "
                                "severity:LEVEL, on:SUBJECT, part of the text"), 0, run_findings, complete_status},
    {"finding", "[N]", N_("show a finding with its evidence: finding N, or the one about the item under the "
                          "cursor"), 0, run_finding, NULL},
    {"finding-go", "[N]", N_("go to the subject of the finding"), 0, run_go, NULL},
    {"finding-status", "[N] [STATUS]", N_("set the status: suspected, cleared, waived or root-cause; without STATUS "
                                          "the next one"), CHANGES, run_status, complete_status},
    {"finding-severity", "[N] LEVEL", N_("set the severity: low, medium, high or unset"), CHANGES, run_severity, complete_severity},
    {"finding-edit", "[N] [TEXT]", N_("write the text of the finding"), CHANGES | ASKS, run_edit, NULL},
    {"finding-tag", "[N] TAG …", N_("add tags to the finding; -TAG removes one"), CHANGES, run_tag, NULL},
    {"link", "N M", N_("record that finding N follows from finding M"), CHANGES, run_link, NULL},
    {"unlink", "[N]", N_("record that the finding follows from no other finding"), CHANGES, run_unlink, NULL},
    {"finding-up", "[N]", N_("move the finding towards the cause"), CHANGES, run_finding_up, NULL},
    {"finding-down", "[N]", N_("move the finding towards the effect"), CHANGES, run_finding_down, NULL},
    {"finding-delete", "[N]", N_("remove the finding"), CHANGES, run_delete, NULL},
    {"report", "[FILE]", N_("write the findings report to FILE: .html, .md, .json, .csv or .xlsx"), PATHS, run_report, NULL},
    {"pack", "[FILE]", N_("write the evidence to one file, .tar.zst or .tar, that can be opened without the "
                          "dumps"), NEEDS_BOTH | NEEDS_JUDGED | PATHS, run_pack, NULL},
    {0},
};
