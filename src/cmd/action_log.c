/* Writes what a command has done as lines of the command line: what has been added to the investigation's lists, and
 * commands whose arguments are those of a subcommand. */
#include "cmd/action_log.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "cmd/cmd.h"

#define LINES_MOST 1000

static void put_shell_word(struct buf *out, const char *text)
{
    buf_char(out, ' ');
    buf_shell_word(out, str_of(text));
}

static void put_shell_option(struct buf *out, const char *name, const char *value)
{
    buf_fmt(out, " %s", name);
    put_shell_word(out, value);
}

static void push_action_line(struct action_log *l, struct buf *line)
{
    if (l->lines.n == LINES_MOST) {
        free(l->lines.v[0]);
        memmove(l->lines.v, l->lines.v + 1, (LINES_MOST - 1) * sizeof *l->lines.v);
        l->lines.n--;
    }
    vec_push(&l->lines, line->p);
    *line = (struct buf){0};
}

static void put_investigation_command(struct buf *out, const struct workspace *d, const char *verb)
{
    buf_fmt(out, "diverge %s", verb);
    put_shell_word(out, d->inv->path ? d->inv->path : "INVESTIGATION");
}

/* "diverge compare T G --step N": what is open. */
static void put_compare_command(struct buf *out, const struct workspace *d)
{
    buf_cstr(out, "diverge compare");
    for (int i = 0; i < 2; i++)
        if (d->inv->input[i])
            put_shell_word(out, d->inv->input[i]);
}

/* ---- what was added to the lists ---- */

/* Decisions without a subcommand are told as remarks, which a shell ignores. */
static void add_decision(struct workspace *d, const struct decision *x)
{
    struct buf b = {0};
    char number[24];
    snprintf(number, sizeof number, "%u", x->rule + 1);
    switch ((enum decision_kind)x->kind) {
    case DECIDE_MARK:
        put_investigation_command(&b, d, "mark");
        put_shell_word(&b, x->side[TARGET]);
        put_shell_word(&b, x->side[GOLDEN]);
        if (*x->view)
            put_shell_option(&b, "--view", x->view);
        break;
    case DECIDE_WITHDRAW:
        put_investigation_command(&b, d, "marks");
        put_shell_option(&b, "--withdraw", number);
        break;
    case DECIDE_REJECT:
    case DECIDE_RULE:
        buf_fmt(&b, "# %s", decision_name((enum decision_kind)x->kind));
        put_shell_word(&b, x->side[TARGET]);
        put_shell_word(&b, x->side[GOLDEN]);
        break;
    case DECIDE_RULE_OFF:
    case DECIDE_RULE_ON:
    case DECIDE_KINDS:
        buf_fmt(&b, "# %s %s", decision_name((enum decision_kind)x->kind), number);
        break;
    }
    push_action_line(&d->actions, &b);
}

static void put_subject_options(struct buf *out, const struct finding *x)
{
    static const char *const by[SUBJECT_COUNT] = {
        [SUBJECT_CALL] = "--call",       [SUBJECT_GAP] = "--gap",       [SUBJECT_ELEMENT] = "--element",
        [SUBJECT_SETTING] = "--setting", [SUBJECT_WEIGHT] = "--weight", [SUBJECT_NORM] = "--norm",
        [SUBJECT_CURVE] = "--curve",     [SUBJECT_HYPOTHESIS] = "--hypothesis", [SUBJECT_ITEM] = "--item",
        [SUBJECT_RANK_CALL] = "--call",
    };
    struct buf name = {0};
    const char *about = *x->about[TARGET] ? x->about[TARGET] : x->about[GOLDEN], *at = x->at ? x->at : "";
    bool colon = x->subject == SUBJECT_HYPOTHESIS || x->subject == SUBJECT_ITEM;
    int step, rank;
    bool on_rank = x->subject == SUBJECT_RANK_CALL && subject_rank(at, &step, &rank);
    buf_fmt(&name, "%s%s", about, on_rank ? "" : at);
    if (on_rank)
        buf_fmt(out, " --step %d --rank %d", step, rank);
    for (size_t i = 0; colon && i < name.n; i++)
        if (name.p[i] == ' ') { /* "3 first-loss" */
            name.p[i] = ':';
            break;
        }
    if (x->subject == SUBJECT_RUNS)
        buf_cstr(out, " --runs");
    else if (by[x->subject])
        put_shell_option(out, by[x->subject], name.p);
    else
        put_shell_word(out, name.p);
    buf_release(&name);
}

static void add_finding(struct workspace *d, size_t at)
{
    const struct finding *x = &d->inv->findings.log.v[at], *was = NULL;
    struct buf b = {0};
    char number[24];
    for (size_t i = 0; i < at; i++)
        if (d->inv->findings.log.v[i].number == x->number)
            was = &d->inv->findings.log.v[i];
    snprintf(number, sizeof number, "%u", x->number);
    put_investigation_command(&b, d, "note");
    if (x->removed) {
        put_shell_option(&b, "--delete", number);
        push_action_line(&d->actions, &b);
        return;
    }
    if (was)
        put_shell_option(&b, "--edit", number);
    else
        put_subject_options(&b, x);
    if (!was || strcmp(was->text, x->text) != 0)
        put_shell_word(&b, x->text);
    if (was ? was->status != x->status : x->status != FINDING_SUSPECTED)
        put_shell_option(&b, "--status", finding_status_name((enum finding_status)x->status));
    if (was ? was->severity != x->severity : x->severity != FINDING_UNSET)
        put_shell_option(&b, "--severity", finding_severity_name((enum finding_severity)x->severity));
    snprintf(number, sizeof number, "%u", x->cause);
    if (was ? was->cause != x->cause : x->cause != 0)
        put_shell_option(&b, "--caused-by", number);
    push_action_line(&d->actions, &b);
}

static void add_undone(struct workspace *d, const char *verb)
{
    struct buf b = {0};
    put_investigation_command(&b, d, verb);
    buf_cstr(&b, " --undo");
    push_action_line(&d->actions, &b);
}

static void add_changes(struct workspace *d)
{
    struct action_log *l = &d->actions;
    const struct decisions *x = &d->inv->decisions;
    const struct findings *f = &d->inv->findings;
    for (size_t i = l->decided; i < x->now; i++)
        add_decision(d, &x->log.v[i]);
    for (size_t i = l->found; i < f->now; i++)
        add_finding(d, i);
    if (x->now < l->decided)
        add_undone(d, "marks");
    if (f->now < l->found)
        add_undone(d, "note");
    l->decided = x->now;
    l->found = f->now;
}

/* ---- commands with the arguments of a subcommand ---- */

/* The first word, and the rest as one. */
static void put_two_words(struct buf *out, struct str args)
{
    struct str first = args, rest = STR("");
    str_split(args, ' ', &first, &rest);
    char *a = str_dup(first), *b = str_dup(str_trim(rest));
    put_shell_word(out, a);
    if (*b)
        put_shell_word(out, b);
    free(a);
    free(b);
}

static void log_panel_command(struct workspace *d, const char *verb, struct str args, struct buf *out)
{
    put_investigation_command(out, d, verb);
    put_two_words(out, args);
}

static void log_report(struct workspace *d, const char *verb, struct str args, struct buf *out)
{
    (void)args;
    if (!d->write_path) /* it asks first */
        return;
    put_investigation_command(out, d, "report");
    put_shell_option(out, strcmp(verb, "pack") == 0 ? "--pack" : "-o", d->write_path);
    if (d->write_force)
        buf_cstr(out, " --force");
}

static void log_write(struct workspace *d, const char *verb, struct str args, struct buf *out)
{
    (void)args;
    (void)verb;
    put_compare_command(out, d);
    buf_cstr(out, " --rows all");
    put_shell_option(out, "-o", d->write_path);
    if (d->write_force)
        buf_cstr(out, " --force");
}

static void log_place(struct workspace *d, const char *verb, struct str args, struct buf *out)
{
    char *value = str_dup(args);
    put_compare_command(out, d);
    put_shell_option(out, strcmp(verb, "step") == 0 ? "--step" : "--rank", value);
    free(value);
}

static void log_limit(struct workspace *d, const char *verb, struct str args, struct buf *out)
{
    struct str key = args, value = STR("");
    struct buf pair = {0};
    (void)verb;
    str_split(args, ' ', &key, &value);
    buf_fmt(&pair, "%.*s=%.*s", STR_ARG(key), STR_ARG(str_trim(value)));
    put_compare_command(out, d);
    put_shell_option(out, "--threshold", pair.p);
    buf_release(&pair);
}

static void log_round(struct workspace *d, const char *verb, struct str args, struct buf *out)
{
    put_investigation_command(out, d, verb);
    if (str_is(args, "--undo"))
        buf_cstr(out, " --undo");
    for (int i = 0; i < 2; i++)
        if (d->new_input[i])
            put_shell_word(out, d->new_input[i]);
}

static void log_changes(struct workspace *d, const char *verb, struct str args, struct buf *out)
{
    (void)args;
    put_investigation_command(out, d, verb);
}

static void log_tensor(struct workspace *d, const char *verb, struct str args, struct buf *out)
{
    struct buf name[2] = {{0}, {0}};
    (void)args;
    (void)verb;
    workspace_names(d, d->cursor, name);
    put_compare_command(out, d);
    put_shell_option(out, "--tensor", name[*name[TARGET].p ? TARGET : GOLDEN].p);
    buf_release(&name[0]);
    buf_release(&name[1]);
}

static const struct {
    const char *name;
    bool bare; /* also without arguments */
    void (*tell)(struct workspace *d, const char *verb, struct str args, struct buf *out);
} told[] = {
    {"give", false, log_panel_command},  {"waive", false, log_panel_command},  {"answer", false, log_panel_command},
    {"report", false, log_report}, {"pack", false, log_report}, {"write", false, log_write},
    {"step", false, log_place},  {"rank", false, log_place},   {"set", false, log_limit},
    {"round", false, log_round}, {"changes", true, log_changes}, {"tensor", true, log_tensor},
};

void action_log_begin(struct action_log *l, const struct investigation *v)
{
    l->decided = v->decisions.now;
    l->found = v->findings.now;
}

void action_log_release(struct action_log *l)
{
    for (size_t i = 0; i < l->lines.n; i++)
        free(l->lines.v[i]);
    vec_release(&l->lines);
}

void action_log_add(struct workspace *d, const struct command *c, struct str args)
{
    struct buf b = {0};
    bool failed = d->message.n && d->message_is_error;
    add_changes(d);
    for (size_t i = 0; !failed && i < ARRAY_LEN(told); i++)
        if (strcmp(c->name, told[i].name) == 0 && (args.n || told[i].bare)) {
            told[i].tell(d, c->name, args, &b);
            if (b.n)
                push_action_line(&d->actions, &b);
        }
}
