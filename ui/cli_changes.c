/* diverge changes, diverge round: what changed between two comparisons; a new dump after a fix. */
#include <time.h>

#include "base/io.h"
#include "base/json_write.h"
#include "base/msg.h"
#include "report/changes_output.h"
#include "panel/round_leave.h"
#include "ticket/round_import.h"
#include "ui/cli.h"
#include "ui/ending.h"
#include "ui/procedure_run.h"
#include "ui/open_investigation.h"

/* Compares what the investigation names now and judges its panels; -1 if there are no two dumps, or they cannot be
 * read. */
static int compare_and_judge(struct procedure_run *x, const struct options *o, struct err *e)
{
    if (procedure_run_open(x, o, e))
        return -1;
    if (x->s.now->failed) {
        *e = x->s.now->err;
        return -1;
    }
    return x->s.now->judged ? 0 : err_set(e, ERR_USAGE, _("%s: only one side; there is nothing to compare"), o->arg[0]);
}

static int from_investigation(struct round *r, const struct options *o, const char *path, struct err *e)
{
    struct options one = *o;
    struct procedure_run x = {.inv = {.lock = -1}};
    one.arg[0] = path;
    one.args = 1;
    int rc = open_investigation_saved(&x.inv, &one, false, true, e);
    if (rc == 0)
        rc = compare_and_judge(&x, &one, e);
    if (rc == 0)
        round_of(r, x.s.now, &x.inv, &x.guide);
    procedure_run_close(&x);
    return rc;
}

/* An investigation compared again, a round of one, or a result. */
static int read_round_or_result(struct round *r, const struct options *o, const char *path, struct err *e)
{
    uint64_t fingerprint;
    if (investigation_is(path))
        return from_investigation(r, o, path, e);
    if (round_is(path))
        return round_read(r, NULL, path, &fingerprint, e);
    return round_from_result(r, path, e);
}

/* One investigation: its newest stored round against the present state. */
static int last_round(struct round *r, const struct options *o, const char **name, struct buf *text, struct err *e)
{
    struct investigation v = {.lock = -1};
    struct options one = *o;
    one.args = 1;
    int rc = open_investigation_saved(&v, &one, false, false, e);
    struct round_place p = rc ? (struct round_place){.file = NULL} : investigation_before(&v);
    if (rc == 0 && !p.file)
        rc = err_set(e, ERR_USAGE, _("%s is in its first round: no earlier round to compare with; diverge round starts "
                                     "the next one"), o->arg[0]);
    if (rc == 0)
        rc = round_open(r, &p, e);
    if (rc == 0) {
        buf_cstr(text, p.file);
        *name = text->p;
    }
    investigation_release(&v);
    return rc;
}

static void show_changes_section(struct document *d, const void *result)
{
    changes_section(d, result);
}

static const struct result_forms forms = {.section = show_changes_section, .json = changes_json};

/* Prints or writes the changes; returns the exit status. */
static int deliver_changes(const struct round *before, const struct round *now, const char *const path[2],
                           const struct options *o, struct err *e)
{
    struct round_join join = {0};
    struct changes c;
    bool rows = before->extent == ROUND_ROWS_ALL && now->extent == ROUND_ROWS_ALL;
    if (rows) {
        round_join_names(&join, before, now);
        round_join_rest(&join, before, now);
    }
    changes_find(&c, before, now, rows ? &join : NULL);
    struct changes_report report = {&c, before, now, {path[0], path[1]}};
    int status = cli_write(o, &forms, &report, e) ? cli_fail(e) : c.status;
    changes_release(&c);
    round_join_release(&join);
    return status;
}

int cli_changes(const struct options *o)
{
    struct round r[2];
    struct err e = {0};
    struct buf name = {0};
    const char *path[2] = {o->arg[0], o->arg[o->args - 1]};
    ending_catch(NULL);
    round_init(&r[0]);
    round_init(&r[1]);
    int rc = cli_may_write(o, false, &e);
    if (rc == 0)
        rc = o->args == 1 ? last_round(&r[0], o, &path[0], &name, &e) : read_round_or_result(&r[0], o, path[0], &e);
    if (rc == 0)
        rc = read_round_or_result(&r[1], o, path[1], &e);
    int status = rc ? cli_fail(&e) : deliver_changes(&r[0], &r[1], path, o, &e);
    round_release(&r[0]);
    round_release(&r[1]);
    buf_release(&name);
    return status;
}

/* ---- rounds ---- */

static void list_rounds(const struct investigation *v, struct buf *b)
{
    for (size_t i = 0; i <= v->rounds.n; i++) {
        bool now = i == v->rounds.n;
        const struct round_left *r = now ? NULL : &v->rounds.v[i];
        const char *const *input = now ? v->input : r->input;
        char when[32] = "";
        struct tm tm;
        time_t at = now ? 0 : (time_t)r->date;
        if (at && gmtime_r(&at, &tm))
            strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
        buf_fmt(b, _("round %zu  %s ⇄ %s"), i + 1, input[0] ? input[0] : "-", input[1] ? input[1] : "-");
        if (now)
            buf_cstr(b, _("  (current)\n"));
        else
            buf_fmt(b, _("  ended %s by %s, saved in %s\n"), when, *r->author ? r->author : "-", r->file);
    }
}

/* The list of rounds as JSON. */
static void rounds_json(const struct investigation *v, struct buf *b)
{
    struct jsonw w;
    jw_init(&w, b, true);
    jw_result(&w);
    jw_kcstr(&w, "investigation", v->path);
    jw_karray(&w, "rounds");
    for (size_t i = 0; i <= v->rounds.n; i++) {
        const struct round_left *r = i < v->rounds.n ? &v->rounds.v[i] : NULL;
        const char *const *input = r ? r->input : v->input;
        jw_object(&w);
        jw_kint(&w, "round", (int64_t)i + 1);
        jw_kcstr(&w, "target", input[0]);
        jw_kcstr(&w, "golden", input[1]);
        jw_key(&w, "left");
        r && r->date ? jw_int(&w, r->date) : jw_null(&w);
        jw_kcstr(&w, "author", r && *r->author ? r->author : NULL);
        jw_kcstr(&w, "file", r ? r->file : NULL);
        jw_end_object(&w);
    }
    jw_end_array(&w);
    jw_end_object(&w);
    buf_char(b, '\n');
}

int cli_round_leave(const struct options *o, const char *target, const char *golden, struct err *e)
{
    struct procedure_run x = {.inv = {.lock = -1}};
    struct options old = *o;
    old.args = 1;
    old.step[0] = old.step[1] = old.rank[0] = old.rank[1] = -1; /* they apply to the new round */
    int rc = open_investigation_saved(&x.inv, &old, true, true, e);
    if (rc == 0)
        rc = compare_and_judge(&x, &old, e);
    if (rc == 0)
        rc = round_leave(&x.inv, x.s.now, &x.guide, target, golden, NULL, e);
    procedure_run_close(&x);
    return rc;
}

/* Compares and saves the new round, and prints the changes since the previous one. */
static int print_round_changes(const struct options *o, struct err *e)
{
    struct procedure_run x = {.inv = {.lock = -1}};
    struct options new = *o;
    struct round now;
    int status;
    new.args = 1;
    round_init(&now);
    if (open_investigation_saved(&x.inv, &new, true, true, e) || compare_and_judge(&x, &new, e)) {
        status = cli_fail(e);
    } else if (!x.s.now->since.there) {
        *e = x.s.now->since.err;
        status = cli_fail(e);
    } else {
        open_investigation_note_inputs(&x.inv, x.s.now);
        round_confirm(&x.inv, x.s.now);
        round_of(&now, x.s.now, &x.inv, &x.guide);
        const char *const path[2] = {vec_last(&x.inv.rounds)->file, x.inv.path};
        status = investigation_save(&x.inv, e) ? cli_fail(e) : deliver_changes(x.s.now->since.before, &now, path, o, e);
    }
    round_release(&now);
    procedure_run_close(&x);
    return status;
}

static int list_or_return(const struct options *o, struct err *e)
{
    struct investigation v = {.lock = -1};
    struct options one = *o;
    struct buf b = {0};
    bool back = o->undo > 0;
    one.args = 1;
    int rc = open_investigation_saved(&v, &one, back, false, e);
    if (rc == 0 && o->undo > 1 && (size_t)o->undo > v.rounds.n)
        rc = err_set(e, ERR_USAGE, _("%s: %zu rounds can be undone, not %d"), o->arg[0], v.rounds.n, o->undo);
    for (int i = 0; rc == 0 && i < o->undo; i++)
        rc = round_return(&v, e);
    if (rc == 0 && (o->json || o->output)) {
        rounds_json(&v, &b);
        rc = cli_deliver(o, &b, e);
    } else if (rc == 0) {
        list_rounds(&v, &b);
        cli_print_clean(&b);
    }
    investigation_release(&v);
    buf_release(&b);
    return rc ? cli_fail(e) : EXIT_ALIGNED;
}

int cli_round(const struct options *o)
{
    struct err e = {0};
    ending_catch(NULL);
    if (cli_may_write(o, false, &e))
        return cli_fail(&e);
    if (o->args == 1)
        return list_or_return(o, &e);
    if (o->undo > 0)
        err_set(&e, ERR_USAGE, "%s", _("--undo returns to the previous round: do not give a new dump with it"));
    if (o->undo > 0 || cli_round_leave(o, o->arg[1], o->args > 2 ? o->arg[2] : NULL, &e))
        return cli_fail(&e);
    return print_round_changes(o, &e);
}
