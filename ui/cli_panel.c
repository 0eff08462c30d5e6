/* diverge panels, give, waive, answer, recipe: the guided panels for scripts. */
#include "base/io.h"
#include "base/msg.h"
#include "base/output.h"
#include "panel/next_dump.h"
#include "report/panels_output.h"
#include "ticket/named_paths.h"
#include "ui/cli.h"
#include "ui/procedure_run.h"
#include "ui/open_investigation.h"

/* Opens an investigation, which need not exist yet. */
static int read_ticket(struct procedure_run *t, const struct options *o, bool change, struct err *e)
{
    struct options saved = *o;
    *t = (struct procedure_run){.open = false};
    investigation_init(&t->inv);
    if (!str_ends(str_of(o->arg[0]), ".investigation.json"))
        return err_set(e, ERR_USAGE, _("%s: expected an investigation, a file NAME.investigation.json"), o->arg[0]);
    enum path_what what;
    if (path_look(o->arg[0], &what, e))
        return -1;
    bool there = what == PATH_FILE;
    if (what == PATH_ABSENT && !change)
        return err_set(e, ERR_IO, _("%s: no such investigation; diverge give creates one"), o->arg[0]);
    if (!change)
        return procedure_run_read(t, o, e);
    saved.nothing = true;
    saved.args = there ? 1 : 0;
    saved.investigation = there ? NULL : o->arg[0];
    saved.unread = true;
    return open_investigation(&t->inv, &saved, NULL, true, e) ? -1 : investigation_may_change(&t->inv, e);
}

int cli_panels(const struct options *o)
{
    struct procedure_run t;
    struct err e = {0};
    int rc = read_ticket(&t, o, false, &e);
    t.wanted = PANEL_RANKS_LAYOUTS;
    rc = rc || procedure_run_open(&t, o, &e) || cli_may_write(o, false, &e) ||
         cli_write(o, &(const struct result_forms){.text = panels_text, .json = panels_json}, &t.guide, &e);
    int status = rc ? cli_fail(&e) : panels_status(&t.guide);
    procedure_run_close(&t);
    return status;
}

int cli_give(const struct options *o)
{
    struct procedure_run t;
    struct err e = {0};
    enum panel_input_id s = panel_input_find(str_of(o->arg[1]));
    const char *path = o->args > 2 ? o->arg[2] : "";
    int rc = read_ticket(&t, o, true, &e);
    if (rc == 0 && s == PANEL_INPUT_COUNT) {
        struct buf names = {0};
        for (int i = 0; i < PANEL_INPUT_COUNT; i++)
            buf_fmt(&names, "%s%s", i ? ", " : "", panel_inputs[i].name);
        rc = err_set(&e, ERR_USAGE, _("unknown input \"%s\"; expected one of %s"), o->arg[1], names.p);
        buf_release(&names);
    }
    if (rc == 0 && *path && !path_is_file(path) && !path_is_dir(path))
        rc = err_set(&e, ERR_IO, _("%s: no such file or folder"), path);
    if (rc == 0)
        rc = panel_input_give(&t.inv, s, str_of(path), &e);
    if (rc == 0)
        rc = investigation_save(&t.inv, &e);
    if (rc == 0 && *path)
        named_paths_add(&t.inv, path);
    procedure_run_close(&t);
    return rc ? cli_fail(&e) : EXIT_ALIGNED;
}

static int store_panel_text(const struct options *o, bool answer)
{
    struct procedure_run t;
    struct err e = {0};
    int rc = read_ticket(&t, o, true, &e);
    struct str text = str_trim(str_of(o->args > 2 ? o->arg[2] : ""));
    text_list *l = answer ? &t.inv.answers : &t.inv.waived;
    if (rc == 0 && !panel_knows(str_of(o->arg[1])) && (text.n || !investigation_text(l, o->arg[1])))
        rc = err_set(&e, ERR_USAGE, _("%s: no such check, item or panel; diverge panels lists them"), o->arg[1]);
    if (rc == 0) {
        investigation_tell(&t.inv, l, str_of(o->arg[1]), text);
        rc = investigation_save(&t.inv, &e);
    }
    procedure_run_close(&t);
    return rc ? cli_fail(&e) : EXIT_ALIGNED;
}

int cli_waive(const struct options *o)
{
    return store_panel_text(o, false);
}

int cli_answer(const struct options *o)
{
    return store_panel_text(o, true);
}

static void print_recipes(struct buf *b)
{
    for (size_t i = 0; i < recipe_count(); i++) {
        const struct recipe *r = recipe_at(i);
        buf_fmt(b, "%-26.*s %-9.*s %-10.*s %.*s\n", STR_ARG(r->name), STR_ARG(r->need), STR_ARG(r->framework),
                STR_ARG(r->file));
    }
}

static int print_recipe(const struct procedure_run *t, const struct recipe *r, const struct options *o,
                        struct buf *text, struct err *e)
{
    struct next_dump n;
    struct buf body = {0};
    unsigned long long step = 0;
    if (o->args > 2 && (!str_u64(str_of(o->arg[2]), &step) || step > INT32_MAX))
        return err_set(e, ERR_USAGE, _("%s: expected a step of the log"), o->arg[2]);
    next_dump_plan(&n, &t->guide, o->args > 2 ? (int64_t)step : -1, DUMP_BUDGET);
    recipe_write(r, &n.facts, recipe_side(&t->guide, r), &body);
    int rc = 0;
    if (o->output && strcmp(o->output, "-") != 0) {
        rc = output_write(o->output, buf_view(&body), e);
        buf_fmt(text, "%.*s\n", STR_ARG(recipe_text(r)));
        for (size_t i = 0; i < n.words.n && str_is(r->need, "dump"); i++)
            buf_fmt(text, "%s\n", n.words.v[i]);
    } else {
        buf_str(text, buf_view(&body));
    }
    buf_release(&body);
    next_dump_release(&n);
    return rc;
}

int cli_recipe(const struct options *o)
{
    struct procedure_run t;
    struct err e = {0};
    struct buf text = {0};
    const struct recipe *r = o->args > 1 ? recipe_find(str_of(o->arg[1])) : NULL;
    int rc = read_ticket(&t, o, false, &e);
    if (rc == 0 && o->args > 1 && !r)
        rc = err_set(&e, ERR_USAGE, _("no recipe \"%s\"; diverge recipe INVESTIGATION lists them"), o->arg[1]);
    if (rc == 0 && !r)
        print_recipes(&text);
    else if (rc == 0)
        rc = procedure_run_open(&t, o, &e) || print_recipe(&t, r, o, &text, &e) ? -1 : 0;
    if (rc == 0)
        cli_print(&text);
    buf_release(&text);
    procedure_run_close(&t);
    return rc ? cli_fail(&e) : EXIT_ALIGNED;
}
