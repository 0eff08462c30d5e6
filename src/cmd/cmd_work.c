/* Commands that change the investigation or end the program: limits, bookmarks, results, other steps. */
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "table/same_values.h"

static int run_set(struct workspace *d, struct str args)
{
    struct str key, value;
    struct thresholds t = d->s->opt.of.tol;
    struct err e;
    char n[NUM_MAX];
    double v;
    const char *name;
    if (!str_split(args, ' ', &key, &value)) {
        for (int i = 0; (name = thresholds_key(&t, i, &v)); i++)
            if (str_is(args, name)) {
                workspace_say(d, "%s = %s", name, num_exact(n, v));
                return 0;
            }
        workspace_complain(d, _("set KEY VALUE: expected a key of thresholds.json, such as float32.deviate, and a "
                                "value"));
        return 0;
    }
    if (thresholds_set(&t, key, str_trim(value), &e)) {
        workspace_complain(d, "%s", e.text);
        return 0;
    }
    struct buf what = {0};
    buf_fmt(&what, "set %.*s", STR_ARG(args));
    workspace_remember(d, what.p);
    buf_release(&what);
    session_set_tol(d->s, &t);
    d->inv->tol = t;
    workspace_say(d, _("%.*s is now %.*s"), STR_ARG(key), STR_ARG(str_trim(value)));
    workspace_save(d);
    return 0;
}

static const char *complete_tol(const struct workspace *d, int i)
{
    double v;
    return thresholds_key(&d->s->opt.of.tol, i, &v);
}

/* Sets the limits of all floating types, as multiples of the defaults. */
static const struct {
    const char *name;
    double times;
} presets[] = {{"default", 1}, {"strict", 0.25}, {"loose", 4}, {"coarse", 16}};

static int run_preset(struct workspace *d, struct str args)
{
    for (size_t i = 0; i < ARRAY_LEN(presets); i++) {
        if (!str_is(args, presets[i].name))
            continue;
        struct thresholds t;
        thresholds_init(&t);
        struct thresholds_limits *const each[] = {&t.f64, &t.f32, &t.f16, &t.bf16, &t.f8};
        for (size_t k = 0; k < ARRAY_LEN(each); k++) {
            each[k]->drift *= presets[i].times;
            each[k]->deviate *= presets[i].times;
        }
        workspace_remember(d, presets[i].name);
        session_set_tol(d->s, &t);
        d->inv->tol = t;
        workspace_say(d, _("limits: %s, %.3g times the defaults; z undoes it"), presets[i].name, presets[i].times);
        workspace_save(d);
        return 0;
    }
    workspace_complain(d, _("limits: expected default, strict, loose or coarse"));
    return 0;
}

static const char *complete_preset(const struct workspace *d, int i)
{
    (void)d;
    return i < (int)ARRAY_LEN(presets) ? presets[i].name : NULL;
}

static int run_undo(struct workspace *d, struct str args)
{
    (void)args;
    if (!workspace_undo(d, false))
        workspace_say(d, _("nothing to undo"));
    return 0;
}

static int run_redo(struct workspace *d, struct str args)
{
    (void)args;
    if (!workspace_undo(d, true))
        workspace_say(d, _("nothing to redo"));
    return 0;
}

/* ---- rows with the same numbers ---- */

#define SAME_ERRORS 2000

/* Rows with the same error, because the value or a slice of it was passed on. Returns their number. */
static size_t list_same_errors(struct workspace *d)
{
    same_values_errors_list l = {0};
    struct buf text = {0}, name[2] = {{0}, {0}};
    char n[2][NUM_MAX];
    same_values_errors(d->c, d->cursor, SAME_ERRORS, &l);
    for (size_t i = 0; i < l.n; i++) {
        const struct same_values_error *x = &l.v[i];
        workspace_names(d, x->line, name);
        buf_clear(&text);
        buf_fmt(&text, _("same error: max abs %s, cosine %s   %s"), num_cell(n[0], x->max_abs, 4),
                num_cell(n[1], x->cosine, 9), name[name[0].n ? 0 : 1].p);
        if (x->golden_too)
            buf_cstr(&text, _("   golden max, min, mean equal too"));
        workspace_add_item(d, x->line, d->c->judged ? d->c->judged->line[x->line].verdict : 0, buf_view(&text));
    }
    size_t found = l.n;
    vec_release(&l);
    buf_release(&text);
    buf_release(&name[0]);
    buf_release(&name[1]);
    return found;
}

static int run_same(struct workspace *d, struct str args)
{
    uint32_t row[2];
    same_values_list l = {0};
    struct buf text = {0}, name = {0};
    double tolerance = 1e-5;
    char n[NUM_MAX];
    if (args.n && (!str_double(args, &tolerance) || !(tolerance >= 0))) {
        workspace_complain(d, _("same TOLERANCE: expected a relative difference, such as 1e-4"));
        return 0;
    }
    workspace_rows(d, d->cursor, row);
    int side = row[d->stack.side] != NONE ? (int)d->stack.side : row[TARGET] != NONE ? TARGET : GOLDEN;
    if (row[side] == NONE || same_values_find(d->c, side, row[side], tolerance, &l)) {
        workspace_complain(d, _("this row has no statistics to search for"));
        return 0;
    }
    workspace_clear_list(d);
    size_t errors = list_same_errors(d); /* these first: a value of zeros is found everywhere */
    for (size_t i = 0; i < l.n && i < 5000; i++) {
        const struct same_values_row *x = &l.v[i];
        uint32_t line = d->c->paired ? d->c->pairing->line_of[x->side][x->row] : x->row;
        dump_row_name(&d->c->side[x->side].dump, x->row, &name);
        buf_clear(&text);
        buf_fmt(&text, _("%s, difference %s   %s"), x->side == TARGET ? _("target") : _("golden"), num_error(n, x->off),
                name.p);
        workspace_add_item(d, line, d->c->judged && line != NONE ? d->c->judged->line[line].verdict : 0,
                           buf_view(&text));
    }
    buf_clear(&text);
    buf_fmt(&text, _("same statistics (within %g): %zu, same error: %zu"), tolerance, l.n, errors);
    if (l.n + errors)
        workspace_show_list(d, text.p);
    else
        workspace_say(d, _("no other row on either side has these statistics (within %g; :same 1e-3 uses a larger "
                           "tolerance)"),
                      tolerance);
    vec_release(&l);
    buf_release(&text);
    buf_release(&name);
    return 0;
}

static int run_bookmark(struct workspace *d, struct str args)
{
    struct buf name[2] = {{0}, {0}};
    (void)args;
    workspace_names(d, d->cursor, name);
    workspace_remember(d, _("bookmark"));
    bool added = investigation_bookmark(d->inv, name[0].p, name[1].p);
    workspace_say(d, added ? _("bookmark set; M lists them") : _("bookmark removed"));
    workspace_save(d);
    buf_release(&name[0]);
    buf_release(&name[1]);
    return 0;
}

static int run_write(struct workspace *d, struct str args)
{
    if (!args.n) {
        workspace_complain(d, _("write FILE: expected a file; format by extension (.json .csv .html .md .xlsx)"));
        return 0;
    }
    bool now = workspace_write_to(d, args, false, false) && !workspace_write_later(d);
    return now && workspace_may_write(d) ? R_WRITE : 0;
}

/* The selected rows, else those that are shown, in their order. */
static void choose_lines(struct workspace *d)
{
    const struct row_range *p = &d->pick;
    if (p->on)
        for (uint32_t row = p->row; row <= p->last; row++)
            vec_push(&d->write_lines, d->c->pairing->line_of[p->side][row]);
    else
        for (uint32_t i = 0, n = workspace_sought(d); i < n; i++)
            vec_push(&d->write_lines, workspace_sought_at(d, i));
}

static int run_write_rows(struct workspace *d, struct str args)
{
    if (!args.n) {
        free(d->prompt);
        d->prompt = mem_strdup("write-rows rows.csv");
        d->prompt_kind = ':';
        return R_PROMPT;
    }
    if (!workspace_write_to(d, args, false, false) || !workspace_may_write(d))
        return 0;
    if (!writer_for(d->write_path)->rows_only) {
        workspace_complain(d, "%s", _("write-rows FILE: expected a table of rows, .csv or .xlsx"));
        return 0;
    }
    choose_lines(d);
    if (!d->write_lines.n)
        workspace_complain(d, "%s", _("no rows are shown"));
    return d->write_lines.n ? R_WRITE : 0;
}

/* N or T:G */
static bool parse_step_pair(struct str s, int out[2])
{
    unsigned long long a, b;
    struct str t, g;
    if (str_split(s, ':', &t, &g)) {
        if (!str_u64(t, &a) || !str_u64(g, &b) || a > INT32_MAX || b > INT32_MAX)
            return false;
        out[0] = (int)a;
        out[1] = (int)b;
        return true;
    }
    if (!str_u64(s, &a) || a > INT32_MAX)
        return false;
    out[0] = (int)a;
    out[1] = -1;
    return true;
}

static void keep_step_and_rank(struct workspace *d)
{
    for (int i = 0; i < 2; i++) {
        d->new_step[i] = d->s->opt.of.step[i];
        d->new_rank[i] = d->s->opt.of.rank[i];
    }
}

/* The requested step and rank, not the open pair of a job. */
static void keep_wanted_place(struct workspace *d)
{
    memcpy(d->new_step, d->inv->step, sizeof d->new_step);
    memcpy(d->new_rank, d->inv->rank, sizeof d->new_rank);
}

static int place_number(const struct place *p, bool step)
{
    return step ? p->step : p->rank;
}

/* The numbers a side has, each once, for a sentence. */
static void put_place_numbers(const place_list *l, bool step, struct buf *out)
{
    VEC(int) said = {0};
    for (size_t i = 0; i < l->n && said.n <= 12; i++) {
        bool again = false;
        for (size_t k = 0; k < said.n; k++)
            again |= said.v[k] == place_number(&l->v[i], step);
        if (again)
            continue;
        vec_push(&said, place_number(&l->v[i], step));
        buf_fmt(out, said.n > 12 ? ", …" : "%s%d", said.n > 1 ? ", " : "", place_number(&l->v[i], step));
    }
    vec_release(&said);
}

/* False with a message if a side has no such step or rank; the open pair then stays. */
static bool place_exists(struct workspace *d, const int wanted[2], bool step)
{
    for (int i = 0; i < 2 && !(i && d->c->single); i++) {
        const place_list *l = &d->c->side[i].places;
        int n = i && wanted[1] < 0 ? wanted[0] : wanted[i];
        bool there = false;
        for (size_t k = 0; k < l->n; k++)
            there |= place_number(&l->v[k], step) == n || place_number(&l->v[k], step) < 0;
        if (there || !l->n)
            continue;
        struct buf have = {0};
        put_place_numbers(l, step, &have);
        workspace_complain(d, step ? _("no step %2$d on the %1$s side; available: %3$s")
                                   : _("no rank %2$d on the %1$s side; available: %3$s"),
                           i ? _("golden") : _("target"), n, have.p);
        buf_release(&have);
        return false;
    }
    return true;
}

static bool side_has(const place_list *l, int number, bool step)
{
    for (size_t i = 0; i < l->n; i++)
        if (place_number(&l->v[i], step) == number)
            return true;
    return false;
}

static int compare_ints(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Lists each step or rank once; those of one side only are shown and cannot be chosen. */
static int list_places(struct workspace *d, bool step)
{
    VEC(int) all = {0};
    int open = step ? d->c->side[TARGET].dump.step : d->c->side[TARGET].dump.rank, last = -1;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < d->c->side[s].places.n; i++)
            vec_push(&all, place_number(&d->c->side[s].places.v[i], step));
    vec_sort(&all, compare_ints);
    workspace_clear_list(d);
    for (size_t i = 0; i < all.n; i++) {
        int n = all.v[i];
        char words[16];
        if (n < 0 || n == last)
            continue;
        last = n;
        bool there[2] = {side_has(&d->c->side[0].places, n, step), side_has(&d->c->side[1].places, n, step)};
        snprintf(words, sizeof words, "%d", n);
        if (there[0] && (there[1] || d->c->single))
            workspace_add_command(d, step ? "step" : "rank", words, n == open ? _("%d   open now") : "%d", n);
        else
            workspace_add_command(d, step ? "step" : "rank", words,
                                  there[0] ? _("%d   only on the target side") : _("%d   only on the golden side"), n);
    }
    vec_release(&all);
    if (!d->list.items.n) {
        workspace_say(d, "%s",
                      step ? _("the recordings have no step numbers") : _("the recordings have no rank numbers"));
        return 0;
    }
    workspace_show_list(d, step ? _("steps; Enter compares one, :step T:G pairs two different ones")
                                : _("ranks; Enter compares one, :rank T:G pairs two different ones"));
    for (uint32_t i = 0; i < d->list.items.n; i++)
        if (atoi(d->list.items.v[i].text) == open)
            d->list.at = i;
    return 0;
}

static int change_place(struct workspace *d, struct str args, int place[2], bool step)
{
    int wanted[2];
    if (!args.n)
        return list_places(d, step);
    if (!parse_step_pair(args, wanted)) {
        workspace_complain(d, _("%s: expected N, or T:G for different numbers on the two "
                                "sides"), step ? "step" : "rank");
        return 0;
    }
    if (!place_exists(d, wanted, step))
        return 0;
    keep_step_and_rank(d);
    memcpy(place, wanted, sizeof wanted);
    return R_RESTART;
}

/* The i-th step or rank of the target's recordings. */
static const char *complete_place(const struct workspace *d, int i, bool step)
{
    static char text[16];
    const place_list *l = &d->c->side[TARGET].places;
    for (size_t k = 0; k < l->n; k++) { /* sorted by step, then by rank */
        int n = place_number(&l->v[k], step);
        bool again = k && n == place_number(&l->v[k - 1], step), later = !step && l->v[k].step != l->v[0].step;
        if (n < 0 || again || later || i-- > 0)
            continue;
        snprintf(text, sizeof text, "%d", n);
        return text;
    }
    return NULL;
}

static const char *complete_step_number(const struct workspace *d, int i)
{
    return complete_place(d, i, true);
}

static const char *complete_rank(const struct workspace *d, int i)
{
    return complete_place(d, i, false);
}

static int run_step(struct workspace *d, struct str args)
{
    return change_place(d, args, d->new_step, true);
}

/* Reads the same inputs again: a growing dump has more rows. The position is kept. */
static int run_reload(struct workspace *d, struct str args)
{
    struct buf name[2] = {{0}, {0}};
    (void)args;
    keep_wanted_place(d);
    if (workspace_lines(d)) {
        workspace_names(d, d->cursor, name);
        for (int i = 0; i < 2; i++)
            d->inv->cursor[i] = investigation_keep(d->inv, name[i].p);
        buf_release(&name[0]);
        buf_release(&name[1]);
    }
    return R_RESTART;
}

static int run_pause(struct workspace *d, struct str args)
{
    struct session *s = d->s;
    (void)args;
    if (s->settled || d->c->failed) {
        workspace_say(d, _("nothing is running"));
        return 0;
    }
    bool reading = !d->c->paired;
    session_pause(s, !s->paused);
    workspace_say(d, s->paused
                         ? reading ? _("reading stopped; r starts again") : _("comparing paused; :pause resumes it")
                         : _("comparing resumed"));
    return 0;
}

static int run_follow(struct workspace *d, struct str args)
{
    d->watch = str_is(args, "on") ? true : str_is(args, "off") ? false : !d->watch;
    d->guide.follow = d->watch;
    workspace_say(d,
                  d->watch ? _("following: dumps are read again and logs are read further whenever they grow")
                           : _("no longer following"));
    return 0;
}

static int run_swap(struct workspace *d, struct str args)
{
    if (d->c->single) {
        workspace_complain(d, _("swap: only one side is open"));
        return 0;
    }
    run_reload(d, args);
    const char *p = d->inv->input[0];
    d->inv->input[0] = d->inv->input[1];
    d->inv->input[1] = p;
    int step = d->new_step[0], rank = d->new_rank[0];
    d->new_step[0] = d->new_step[1];
    d->new_step[1] = step;
    d->new_rank[0] = d->new_rank[1];
    d->new_rank[1] = rank;
    d->inv->cursor[0] = d->inv->cursor[1];
    return R_RESTART;
}

static int run_rank(struct workspace *d, struct str args)
{
    return change_place(d, args, d->new_rank, false);
}

const struct command commands_work[] = {
    {"bookmark", "", N_("set or remove a bookmark on this row"), NEEDS_PAIRED | NEEDS_ROW | ON_ROW | CHANGES, run_bookmark, NULL},
    {"set", "KEY [VALUE]", N_("show or set a limit, as in set float32.deviate 1e-4; the verdicts are updated at "
                              "once"), 0, run_set, complete_tol},
    {"same", "[TOLERANCE]", N_("list rows of either side with the same statistics as this "
                               "one"), NEEDS_ROW | ON_ROW, run_same, NULL},
    {"preset", "NAME", N_("set all limits at once: default, strict, loose, coarse"), 0, run_preset, complete_preset},
    {"undo", "", N_("undo the last change of limits, filters, order, columns or bookmarks"), 0, run_undo, NULL},
    {"redo", "", N_("redo the last undone change"), 0, run_redo, NULL},
    {"reload", "", N_("read the dumps again and stay at this row"), 0, run_reload, NULL},
    {"pause", "", N_("pause or resume the comparison; while the dumps are read: stop reading"), 0, run_pause, NULL},
    {"follow", "[on|off]", N_("read the dumps again whenever they have grown"), 0, run_follow, NULL},
    {"swap", "", N_("swap target and golden"), 0, run_swap, NULL},
    {"write", "FILE", N_("write the comparison to FILE (.json with all rows, .csv, .html, .md, .xlsx)"), NEEDS_BOTH | NEEDS_JUDGED | PATHS, run_write, NULL},
    {"write-rows", "[FILE]", N_("write the selected rows, or else the rows shown by the filters in their order, to FILE "
                                "(.csv, .xlsx)"), NEEDS_BOTH | NEEDS_JUDGED | PATHS, run_write_rows, NULL},
    {"step", "[N]", N_("compare another step, or list the steps; T:G pairs different ones"), 0, run_step, complete_step_number},
    {"rank", "[N]", N_("compare another rank, or list the ranks; T:G pairs different ones"), 0, run_rank, complete_rank},
    {0},
};
