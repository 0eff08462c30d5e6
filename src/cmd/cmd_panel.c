/* Commands of the guided panels: opening them, and the user's answers and inputs. */
#include <stdio.h>

#include "base/io.h"
#include "base/msg.h"
#include "base/output.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/pane_verbs.h"
#include "log/value_names.h"
#include "panel/next_dump.h"
#include "ticket/named_paths.h"

/* Puts the cursor on a line of the page; a line that it stood on before is not returned to. */
static void select_line(struct workspace *d, uint32_t at, bool follow)
{
    d->panel.at = at;
    d->panel.behind = 0;
    d->panel.follow = follow;
}

static int open_panel(struct workspace *d, int number)
{
    procedure_look(&d->guide);
    procedure_write(&d->guide);
    enum pane_id now = pane_now(d);
    d->panel.from_overview = now == PANE_OVERVIEW || (now == PANE_PANEL && d->panel.from_overview);
    d->panel.left = 0;
    d->panel.number = number;
    select_line(d, number ? page_first(&d->guide.page[number - 1]) : 0, true);
    d->list.over_panel = false;
    d->overlay = OVERLAY_PANEL;
    d->panel.scroll = 0;
    if (!number && d->guide.next)
        d->panel.at = (uint32_t)d->guide.next - 1;
    return 0;
}

static int perform_item_command(struct workspace *d, const char *command);

/* The first missing input that the panel needs; NONE: there is none. */
static uint32_t missing_input(const struct panel_page *p)
{
    for (uint32_t i = 0; i < p->items.n; i++)
        if (p->items.v[i].mark == MARK_NEED && p->items.v[i].need && !p->items.v[i].optional)
            return i;
    return NONE;
}

/* Puts the cursor on the first missing input. */
static bool to_missing(struct workspace *d, const struct panel_page *p)
{
    uint32_t at = p->state == PANEL_PASSED ? NONE : missing_input(p);
    if (at == NONE)
        return false;
    select_line(d, at, false);
    return true;
}

static int run_panel(struct workspace *d, struct str args)
{
    unsigned long long n;
    if (str_is(args, "do")) {
        const struct panel_page *p = pane_now(d) == PANE_PANEL ? &d->guide.page[d->panel.number - 1] : NULL;
        if (p && p->next_command)
            return perform_item_command(d, p->next_command);
        if (p && to_missing(d, p))
            return command_run(d, "recipe-line");
        args = STR("next"); /* nothing to be done here but to go on */
    }
    if (str_is(args, "next")) {
        procedure_write(&d->guide);
        return open_panel(d, d->guide.next);
    }
    if (!args.n)
        return open_panel(d, 0);
    if (!str_u64(args, &n) || n > PANELS) { /* also a panel that is not shown yet: its inputs can be given there */
        workspace_complain(d, _("expected a panel from 1 to %d, or 0 for all panels"), PANELS);
        return 0;
    }
    return open_panel(d, (int)n);
}

static int save_answers(struct workspace *d)
{
    procedure_tell(&d->guide);
    procedure_write(&d->guide);
    workspace_save(d);
    if (!d->inv->path && !d->inv->input[0])
        workspace_complain(d, "%s", _("not saved to a file; :saveas NAME saves it"));
    return 0;
}

/* Reads the logs again with these names, as after a reload. */
static int run_log_names(struct workspace *d, struct str args)
{
    struct err e;
    struct buf all = {0};
    size_t before = value_names_count();
    if (value_names_learn(args, &e)) {
        workspace_complain(d, "%s", e.text);
        return 0;
    }
    value_names_learned(&all);
    if (value_names_count() != before)
        d->inv->log_names = investigation_keep(d->inv, all.p); /* who opens it elsewhere reads the logs the same way */
    for (size_t i = 0; i < all.n; i++)
        all.p[i] = all.p[i] == '\n' ? ' ' : all.p[i];
    if (all.n)
        workspace_say(d, _("names in logs: %s"), all.p);
    else
        workspace_say(d, _("no names in logs were given; :log-names step=NAME loss=NAME"));
    buf_release(&all);
    return value_names_count() == before ? 0 : command_run(d, "reload");
}

static int run_give(struct workspace *d, struct str args)
{
    struct str name, path;
    struct err e;
    struct buf at = {0};
    if (!str_split(args, ' ', &name, &path))
        path = STR("");
    path = str_trim(path);
    enum panel_input_id s = panel_input_find(name);
    if (s == PANEL_INPUT_COUNT) {
        workspace_complain(d, _("give SLOT PATH: expected the name of an input, as in give target-log train.log (Tab "
                                "lists them)"));
        return 0;
    }
    buf_str(&at, path);
    if (path.n && !path_is_file(at.p) && !path_is_dir(at.p)) {
        workspace_complain(d, _("%s: no such file or folder"), at.p);
        buf_release(&at);
        return 0;
    }
    bool given = panel_input_give(d->inv, s, path, &e) == 0;
    if (given && path.n)
        named_paths_add(d->inv, at.p);
    buf_release(&at);
    if (!given) {
        workspace_complain(d, "%s", e.text);
        return 0;
    }
    if (s <= PANEL_INPUT_GOLDEN) { /* what is compared is read again */
        workspace_save(d);
        d->new_step[0] = d->new_step[1] = d->new_rank[0] = d->new_rank[1] = -1;
        return R_RESTART;
    }
    workspace_say(d, path.n ? _("%s is %.*s") : _("%s removed"), panel_inputs[s].name, STR_ARG(path));
    return save_answers(d);
}

static const char *complete_slot(const struct workspace *d, int i)
{
    (void)d;
    return i < PANEL_INPUT_COUNT ? panel_inputs[i].name : NULL;
}

static const struct panel_item *item_at_cursor(const struct workspace *d)
{
    const struct panel_page *p = pane_now(d) == PANE_PANEL ? &d->guide.page[d->panel.number - 1] : NULL;
    return p && d->panel.at < p->items.n ? &p->items.v[d->panel.at] : NULL;
}

/* Stores ID TEXT in a list; without a text the entry is removed. */
static int store_answer(struct workspace *d, text_list *l, struct str args, const char *usage, const char *said,
                        const char *gone)
{
    struct str id, text;
    if (!str_split(args, ' ', &id, &text))
        text = STR("");
    text = str_trim(text);
    char name[64];
    if (!id.n || id.n >= sizeof name) {
        workspace_complain(d, "%s", usage);
        return 0;
    }
    snprintf(name, sizeof name, "%.*s", STR_ARG(id));
    if (!text.n && !investigation_text(l, name)) {
        workspace_complain(d, "%s", usage);
        return 0;
    }
    if (text.n && !panel_knows(id)) {
        workspace_complain(d, _("%s: no such check, item or panel"), name);
        return 0;
    }
    investigation_tell(d->inv, l, id, text);
    workspace_say(d, "%s %s", name, text.n ? said : gone);
    return save_answers(d);
}

static int run_waive(struct workspace *d, struct str args)
{
    return store_answer(d, &d->inv->waived, args,
                        _("waive ID REASON: expected a check, an item or a panel; without a reason, "
                          "the waiver is undone"),
                        _("waived"), _("no longer waived"));
}

static int run_answer(struct workspace *d, struct str args)
{
    return store_answer(d, &d->inv->answers, args,
                        _("answer ID TEXT: expected an item and your answer; an answer that starts "
                          "with \"bad\" fails the panel, an empty one removes the answer"),
                        _("answered"), _("answer removed"));
}

/* The next question of the page behind an item, or NONE. */
static uint32_t next_open(const struct panel_page *p, uint32_t at)
{
    for (uint32_t i = at + 1; i < p->items.n; i++)
        if (p->items.v[i].mark == MARK_OPEN)
            return i;
    return NONE;
}

/* Answers the question under the cursor with "ok" and goes to the next one; again: takes the answer back. */
static int run_confirm(struct workspace *d, struct str args)
{
    const struct panel_item *it = item_at_cursor(d);
    const char *id = it ? it->id : NULL, *answer = id ? investigation_text(&d->inv->answers, id) : NULL;
    bool back = answer && strcmp(answer, "ok") == 0;
    (void)args;
    if (!id || !(back || it->mark == MARK_OPEN || it->mark == MARK_MISSING)) {
        workspace_complain(d, "%s", _("confirm: expected the cursor on a question of a panel, marked ?"));
        return 0;
    }
    uint32_t next = back ? NONE : next_open(&d->guide.page[d->panel.number - 1], d->panel.at);
    workspace_say(d, "%s %s", id, back ? _("answer removed") : _("answered: ok"));
    investigation_tell(d->inv, &d->inv->answers, str_of(id), back ? STR("") : STR("ok"));
    d->panel.at = next == NONE ? d->panel.at : next;
    return save_answers(d);
}

static int prompt_panel_command(struct workspace *d, const char *command, const char *word, const char *rest)
{
    struct buf b = {0};
    buf_fmt(&b, "%s %s%s%s", command, word, *word ? " " : "", rest);
    free(d->prompt);
    d->prompt = mem_strdup(b.p);
    d->prompt_kind = ':';
    buf_release(&b);
    return R_PROMPT;
}

/* The command line with the item under the cursor. */
static int run_tell_line(struct workspace *d, struct str args)
{
    const struct panel_item *it = item_at_cursor(d);
    char number[2] = {d->panel.number ? (char)('0' + d->panel.number)
                                      : (char)('1' + (int)(d->panel.at < PANELS ? d->panel.at : 0)), 0};
    bool slot = it && (it->mark == MARK_NEED || it->mark == MARK_INPUT);
    char command[16];
    snprintf(command, sizeof command, "%.*s", STR_ARG(args));
    if (str_is(args, "give")) {
        const struct panel_page *p = d->panel.number ? &d->guide.page[d->panel.number - 1] : NULL;
        uint32_t at = slot ? d->panel.at : p ? missing_input(p) : NONE;
        return prompt_panel_command(d, command, at == NONE ? "" : p->items.v[at].id, "");
    }
    return prompt_panel_command(d, command, it && it->id && !slot ? it->id : number, "");
}

/* ---- recipes ---- */

/* A paragraph as entries of so many cells. */
static void list_paragraph(struct workspace *d, struct str text)
{
    while (text.n) {
        struct str rest = text, cut = text;
        int cells = 0;
        while (rest.n && cells < 74) {
            if (rest.p[0] == ' ')
                cut = rest;
            cells += utf8_width(utf8_next(&rest));
        }
        if (!rest.n || cut.p == text.p)
            cut = rest;
        workspace_add_item(d, NONE, 0, str_n(text.p, (size_t)(cut.p - text.p)));
        text = str_trim(cut);
    }
}

static void list_words(struct workspace *d, const struct next_dump *n)
{
    for (size_t i = 0; i < n->words.n; i++)
        list_paragraph(d, str_of(n->words.v[i]));
}

static void list_body(struct workspace *d, struct buf *body)
{
    struct str rest = buf_view(body), line;
    workspace_add_item(d, NONE, 0, STR(" "));
    while (rest.n) {
        line = str_next(&rest, '\n');
        workspace_add_item(d, NONE, 0, line.n ? line : STR(" "));
    }
}

static int write_recipe(struct workspace *d, const struct recipe *r, struct str file, struct buf *body)
{
    struct buf path = {0};
    struct err e;
    enum path_what what;
    buf_str(&path, file);
    int rc = path_look(path.p, &what, &e);
    if (rc == 0 && what != PATH_ABSENT)
        workspace_complain(d, _("%s already exists: choose a different name"), path.p);
    else if (rc || output_write(path.p, buf_view(body), &e))
        workspace_complain(d, "%s", e.text);
    else
        workspace_say(d, _("%.*s written: %s"), STR_ARG(r->name), path.p);
    buf_release(&path);
    return 0;
}

static int show_recipe(struct workspace *d, const struct recipe *r, struct str file, int64_t step)
{
    struct next_dump n;
    struct buf body = {0};
    next_dump_plan(&n, &d->guide, step, DUMP_BUDGET);
    recipe_write(r, &n.facts, recipe_side(&d->guide, r), &body);
    int reaction = 0;
    if (file.n) {
        reaction = write_recipe(d, r, file, &body);
    } else {
        workspace_clear_list(d);
        list_paragraph(d, recipe_text(r));
        if (str_is(r->need, "dump"))
            list_words(d, &n);
        list_body(d, &body);
        struct buf title = {0};
        buf_fmt(&title, _("%.*s; :recipe %.*s %.*s writes it"), STR_ARG(r->name), STR_ARG(r->name), STR_ARG(r->file));
        workspace_show_list(d, title.p);
        buf_release(&title);
    }
    buf_release(&body);
    next_dump_release(&n);
    return reaction;
}

static bool is_recipe_wanted(const struct workspace *d, const struct recipe *r, struct str need)
{
    if (need.n)
        return str_eq(r->need, need);
    const struct panel_page *p = d->panel.number ? &d->guide.page[d->panel.number - 1] : NULL;
    for (size_t i = 0; p && d->overlay == OVERLAY_PANEL && i < p->items.n; i++)
        if (p->items.v[i].need && str_is(r->need, p->items.v[i].need))
            return recipe_fits(&d->guide, r, TARGET) || recipe_fits(&d->guide, r, GOLDEN);
    return false;
}

static int list_wanted_recipes(struct workspace *d, struct str need)
{
    size_t found = 0;
    for (size_t i = 0; i < recipe_count(); i++)
        found += is_recipe_wanted(d, recipe_at(i), need);
    workspace_clear_list(d);
    for (size_t i = 0; i < recipe_count(); i++) {
        const struct recipe *r = recipe_at(i);
        if (found && !is_recipe_wanted(d, r, need))
            continue;
        workspace_add_command(d, "recipe", r->name.p, "%-26s %-10.*s %.*s", r->name.p, STR_ARG(r->framework),
                              STR_ARG(recipe_text(r)));
    }
    workspace_show_list(d, _("recipes to produce it; Enter shows one"));
    return 0;
}

static int run_recipe(struct workspace *d, struct str args)
{
    struct str name, file;
    if (!str_split(args, ' ', &name, &file))
        file = STR("");
    procedure_write(&d->guide);
    const struct recipe *r = recipe_find(name);
    if (r)
        return show_recipe(d, r, str_trim(file), -1);
    bool known = !name.n;
    for (size_t i = 0; i < recipe_count(); i++)
        known |= str_eq(recipe_at(i)->need, name);
    if (!known) {
        workspace_complain(d, _("no recipe \"%.*s\"; :recipe lists them"), STR_ARG(name));
        return 0;
    }
    return list_wanted_recipes(d, name);
}

static const char *complete_recipe(const struct workspace *d, int i)
{
    (void)d;
    const struct recipe *r = recipe_at((size_t)i);
    return r ? r->name.p : NULL;
}

static int run_recipe_line(struct workspace *d, struct str args)
{
    const struct panel_item *it = item_at_cursor(d);
    (void)args;
    for (size_t i = 0; i < recipe_count(); i++) {
        const struct recipe *r = recipe_at(i);
        if (!it || !it->need || !str_is(r->need, it->need) || !(it->side < 0 || recipe_fits(&d->guide, r, it->side)))
            continue;
        return prompt_panel_command(d, "recipe", r->name.p, r->file.p);
    }
    return list_wanted_recipes(d, STR(""));
}

/* The step in a panel's line, as in "loss@1200"; -1: none. */
static int64_t item_step(const struct panel_item *it)
{
    struct str curve, step;
    unsigned long long n;
    bool names = it && it->subject == SUBJECT_CURVE && it->at && str_split(str_of(it->at), '@', &curve, &step);
    return names && str_u64(step, &n) && n <= INT32_MAX ? (int64_t)n : -1;
}

/* A recipe of the next dump, filled with a side's facts. */
static void list_dump_recipe(struct workspace *d, const struct recipe *r, const struct next_dump *n, int side,
                             bool both)
{
    struct buf body = {0};
    workspace_add_item(d, NONE, 0, STR(" "));
    workspace_add_command(d, "recipe", r->name.p,
                          both         ? _("%s  %.*s  both sides  (Enter opens it)")
                          : side == TARGET ? _("%s  %.*s  target  (Enter opens it)")
                                           : _("%s  %.*s  golden side  (Enter opens it)"),
                          r->name.p, STR_ARG(r->file));
    recipe_write(r, &n->facts, side, &body);
    list_body(d, &body);
    buf_release(&body);
}

/* The dump configurations of both sides for the next dump. */
static int run_next_dump(struct workspace *d, struct str args)
{
    struct next_dump n;
    unsigned long long step;
    if (args.n && (!str_u64(args, &step) || step > INT32_MAX)) {
        workspace_complain(d, _("next-dump [STEP]: expected a step of the log"));
        return 0;
    }
    next_dump_plan(&n, &d->guide, args.n ? (int64_t)step : item_step(item_at_cursor(d)), DUMP_BUDGET);
    workspace_clear_list(d);
    list_words(d, &n);
    for (size_t i = 0; i < recipe_count(); i++) {
        const struct recipe *r = recipe_at(i);
        bool fits[2] = {recipe_fits(&d->guide, r, TARGET), recipe_fits(&d->guide, r, GOLDEN)};
        bool same = fits[TARGET] && fits[GOLDEN] && str_eq(str_of(n.facts.list[TARGET]), str_of(n.facts.list[GOLDEN]));
        for (int side = 0; side < 2 && str_is(r->need, "dump"); side++)
            if (fits[side] && !(same && side == GOLDEN))
                list_dump_recipe(d, r, &n, side, same);
    }
    workspace_show_list(d, _("the next dump"));
    next_dump_release(&n);
    return 0;
}

/* Opens the target of a line, or the next step: the panel stays below a list over it, and closes when rows are
 * shown. */
static int perform_item_command(struct workspace *d, const char *command)
{
    char *text = mem_strdup(command);
    static const char *const over_it[] = {"recipe", "next-dump", "plot", "tokens"};
    bool stays = false;
    for (size_t i = 0; i < ARRAY_LEN(over_it); i++)
        stays |= str_starts(str_of(text), over_it[i]);
    int left = d->panel.number;
    uint32_t at = d->panel.at;
    if (!stays)
        d->overlay = OVERLAY_NONE;
    int r = command_run(d, text);
    if (!stays && d->overlay == OVERLAY_NONE && d->c->paired) {
        d->panel.left = left;
        d->panel.left_at = at;
    }
    free(text);
    return r;
}

static int overview_enter(struct workspace *d)
{
    return open_panel(d, (int)d->panel.at + 1);
}

/* "search NAME"; a name is its own pattern, which reads better in the header, unless it has signs of one. */
static void name_as_pattern(struct str name, struct buf *out)
{
    bool plain = true;
    for (size_t i = 0; i < name.n; i++)
        plain = plain && !strchr("\\^$|?*+()[]{}", name.p[i]);
    buf_fmt(out, plain ? "search %.*s" : "search \\Q%.*s\\E", STR_ARG(name));
}

/* A weight in the table: its row in a table of weights, else the first row of the module it belongs to. */
static int go_to_weight(struct workspace *d, const struct panel_item *it)
{
    int side = it->about[0] && *it->about[0] ? TARGET : GOLDEN;
    const char *name = it->about[side] ? it->about[side] : "";
    ptrdiff_t end = str_rfind(str_of(name), '.');
    struct buf command = {0};
    if (dump_find_row(&d->c->side[side].dump, str_of(name)) != NONE)
        buf_fmt(&command, "find %s", name);
    else
        name_as_pattern(str_n(name, end > 0 ? (size_t)end : strlen(name)), &command);
    int r = perform_item_command(d, command.p);
    buf_release(&command);
    return r;
}

/* ---- what Enter does on a line ---- */

static int run_its_command(struct workspace *d, const struct panel_item *it)
{
    return perform_item_command(d, it->command);
}

static int give_another(struct workspace *d, const struct panel_item *it)
{
    return prompt_panel_command(d, "give", it->id, it->value[0] ? it->value[0] : "");
}

static int show_its_recipe(struct workspace *d, const struct panel_item *it)
{
    (void)it;
    return command_run(d, "recipe-line");
}

static int go_to_row(struct workspace *d, const struct panel_item *it)
{
    struct buf command = {0};
    buf_fmt(&command, "find %s", *it->about[0] ? it->about[0] : it->about[1]);
    int r = perform_item_command(d, command.p);
    buf_release(&command);
    return r;
}

typedef int open_line(struct workspace *d, const struct panel_item *it);

/* NULL: nothing. */
static open_line *item_opening(const struct workspace *d, const struct panel_item *it)
{
    if (!it)
        return NULL;
    if (it->command)
        return run_its_command;
    if (it->mark == MARK_INPUT)
        return give_another;
    if (it->mark == MARK_MISSING && it->need)
        return show_its_recipe;
    if ((it->subject == SUBJECT_NORM || it->subject == SUBJECT_WEIGHT) && d->c->paired)
        return go_to_weight;
    return it->subject <= SUBJECT_ELEMENT && it->about[0] ? go_to_row : NULL;
}

bool panel_line_opens(const struct workspace *d)
{
    return !d->panel.number || item_opening(d, item_at_cursor(d));
}

static int enter_item(struct workspace *d)
{
    const struct panel_item *it = item_at_cursor(d);
    open_line *open = item_opening(d, it);
    int r = open ? open(d, it) : NOT_MINE;
    if (r != NOT_MINE)
        return r;
    workspace_say(d, "%s",
                  it && it->detail ? _("nothing to open on this line; the details are below")
                                   : _("nothing to open on this line"));
    return 0;
}

bool panel_return(struct workspace *d)
{
    int number = d->panel.left;
    uint32_t at = d->panel.left_at;
    if (!number || d->c->failed)
        return false;
    open_panel(d, number);
    select_line(d, at, false);
    return true;
}

static int panel_back(struct workspace *d)
{
    if (!d->panel.from_overview && d->c->side[TARGET].path && !d->c->failed)
        return workspace_close_overlay(d);
    select_line(d, (uint32_t)d->panel.number - 1, d->panel.follow);
    d->panel.number = 0;
    d->panel.scroll = 0;
    return 0;
}

static int panel_step(struct workspace *d, long by)
{
    long n = d->panel.number ? (long)d->guide.page[d->panel.number - 1].items.n : PANELS,
         at = (long)d->panel.at + by;
    d->plot.held = false;
    select_line(d, (uint32_t)(at < 0 || !n ? 0 : at >= n ? n - 1 : at), false);
    return 0;
}

const struct pane_verbs verbs_panel = {.step = panel_step, .enter = enter_item, .back = panel_back},
                       verbs_overview = {.step = panel_step, .enter = overview_enter, .back = workspace_close_overlay};

/* ---- the curves of a panel ---- */

static const char *const plots[] = {"in", "out", "left", "right", "all"};

static double clamp_within(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* The curves the open panel shows, or NULL. */
static const struct curves *shown_curves(const struct workspace *d)
{
    return pane_now(d) == PANE_PANEL ? procedure_curves(&d->guide, &d->guide.page[d->panel.number - 1]) : NULL;
}

/* The view of the curves is kept, also across runs of the program. Moving the cursor does not change it. */
static int keep_plot_view(struct workspace *d)
{
    double to = d->plot.to - d->plot.from < 1 ? d->plot.to : 0;
    bool changed = d->inv->plot.log != d->plot.log || d->inv->plot.from < d->plot.from ||
                   d->inv->plot.from > d->plot.from ||
                   d->inv->plot.to < to || d->inv->plot.to > to;
    d->inv->plot.log = d->plot.log;
    d->inv->plot.from = to > 0 ? d->plot.from : 0;
    d->inv->plot.to = to;
    if (changed && d->inv->path)
        workspace_save(d);
    return 0;
}

static int run_plot(struct workspace *d, struct str args)
{
    unsigned long long step;
    double from = d->plot.from, to = d->plot.to > d->plot.from ? d->plot.to : 1, width = to - from;
    double at = d->plot.at < 0 ? from + width / 2 : d->plot.at;
    if (str_is(args, "left") || str_is(args, "right")) {
        at = clamp_within(at + (str_is(args, "left") ? -width : width) / 40, 0, 1);
        from = at < from ? at : at > to ? at - width : from;
    } else if (str_is(args, "in") || str_is(args, "out")) {
        double place = (at - from) / width; /* the cursor stays where it is on the screen */
        width = clamp_within(str_is(args, "in") ? width / 2 : width * 2, 1e-6, 1);
        from = at - width * place;
    } else if (str_is(args, "all")) {
        d->plot.from = d->plot.to = 0;
        d->plot.at = -1;
        d->plot.held = false;
        return keep_plot_view(d);
    } else if (str_starts(args, "to ") && str_u64(str_trim(str_cut(args, 3)), &step) && step <= INT64_MAX &&
               shown_curves(d)) {
        at = clamp_within(curve_share(shown_curves(d), (int64_t)step), 0, 1);
        width = clamp_within(width < 0.1 ? width : 0.1, 1e-6, 1);
        from = at - width / 2;
    } else if (str_u64(args, &step) && step <= INT64_MAX && shown_curves(d)) {
        at = clamp_within(curve_share(shown_curves(d), (int64_t)step), 0, 1);
        from = at < from || at > to ? at - width / 2 : from;
    } else {
        workspace_complain(d, _("plot: expected in, out, left, right, all or a step, in a panel with curves"));
        return 0;
    }
    d->plot.held = true;
    d->plot.at = at;
    d->plot.from = clamp_within(from, 0, 1 - width);
    d->plot.to = d->plot.from + width;
    return keep_plot_view(d);
}

static int run_axis(struct workspace *d, struct str args)
{
    if (args.n && !str_is(args, "log") && !str_is(args, "linear")) {
        workspace_complain(d, "%s", _("axis: expected log or linear, or nothing to switch"));
        return 0;
    }
    d->plot.log = args.n ? str_is(args, "log") : !d->plot.log;
    workspace_say(d, "%s", d->plot.log ? _("log axis: values of 0 or less are not drawn; differences are drawn as "
                                           "absolute values")
                                       : _("linear axis"));
    return keep_plot_view(d);
}

static const char *complete_axis(const struct workspace *d, int i)
{
    static const char *const words[] = {"log", "linear"};
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

static const char *complete_plot(const struct workspace *d, int i)
{
    (void)d;
    return i < (int)ARRAY_LEN(plots) ? plots[i] : NULL;
}

const struct command commands_panel[] = {
    {"panel", "[N|next|do]", N_("open a guided panel, 1 to 9; 0: all panels; next: the next panel; do: start its next "
                                "action"), 0, run_panel, NULL},
    {"log-names", "[WORDS]", N_("say what the columns of a log are called, as in step=it loss=objective, and read again; alone: those said so far"), CHANGES, run_log_names, NULL},
    {"give", "SLOT [PATH]", N_("give a file or folder that a panel needs; without a path, the input is "
                               "removed"), CHANGES | PATHS, run_give, complete_slot},
    {"waive", "ID [REASON]", N_("waive a check, an item or a panel; without a reason, the waiver is "
                                "undone"), CHANGES, run_waive, NULL},
    {"answer", "ID [TEXT]", N_("answer a question that the files cannot answer; an answer that starts with \"bad\" "
                               "fails the panel"), CHANGES, run_answer, NULL},
    {"confirm", "", N_("answer the question under the cursor with ok; again: take the answer back"), CHANGES,
     run_confirm, NULL},
    {"tell-line", "give|waive|answer", N_("ask for an answer to the line under the cursor"), 0, run_tell_line, NULL},
    {"recipe", "[NAME [FILE]]", N_("show or write the recipe to produce an input"), PATHS, run_recipe, complete_recipe},
    {"recipe-line", "", N_("ask for a file name and write the recipe to produce the input under the "
                           "cursor"), 0, run_recipe_line, NULL},
    {"plot", "in|out|left|right|all|[to] STEP", N_("set the range of the curves of a panel: shorter, longer, all "
                                                   "steps, the selected step, or the steps around it"),
     0, run_plot, complete_plot},
    {"axis", "[log|linear]", N_("set the axis of the curves of a panel to log or linear; without an argument, switch "
                                "it"), 0, run_axis, complete_axis},
    {"next-dump", "[STEP]", N_("write the configurations of the next dump for both sides, with an estimate of its "
                               "size"), 0, run_next_dump, NULL},
    {0},
};
