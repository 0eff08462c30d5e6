/* The table of subjects of findings: how each is found by name, located and described. Their evidence is in
 * subject_rows.c and subject_stages.c. */
#include "panel/subject.h"

#include <stdio.h>

#include "base/map.h"
#include "base/msg.h"

static void clear_subject(struct subject *s, enum finding_subject kind)
{
    *s = (struct subject){kind, {"", ""}, ""};
}

struct subject subject_of(const struct finding *x)
{
    return (struct subject){(enum finding_subject)x->subject, {x->about[0], x->about[1]}, x->at ? x->at : ""};
}

/* ---- what a line is ---- */

static void row_names(const struct comparison *s, uint32_t line, struct subject *out, struct arena *a)
{
    struct buf name = {0};
    for (int d = 0; d < 2; d++) {
        uint32_t r = s->pairing->lines.v[line].row[d];
        if (r == NONE)
            continue;
        dump_row_name(&s->side[d].dump, r, &name);
        out->about[d] = arena_cstr(a, buf_view(&name));
    }
    buf_release(&name);
}

/* The first calls of a gap that have no partner. */
static void gap_names(const struct comparison *s, const struct gap *gap, struct subject *out, struct arena *a)
{
    for (uint32_t i = gap->first; i < gap->end; i++) {
        const struct line *l = &s->pairing->lines.v[i];
        for (int d = 0; d < 2 && l->pair == NONE; d++)
            if (l->row[d] != NONE && !*out->about[d])
                out->about[d] = arena_cstr(a, dump_call_name(&s->side[d].dump, s->side[d].dump.rows.v[l->row[d]].call));
    }
}

void subject_of_line(const struct comparison *s, const gap_list *gaps, uint32_t line, struct subject *out,
                     struct arena *a)
{
    const struct gap *gap = gaps && s->pairing->lines.v[line].pair == NONE ? gaps_at(gaps, line) : NULL;
    clear_subject(out, gap ? SUBJECT_GAP : s->pairing->lines.v[line].pair == NONE ? SUBJECT_ROW : SUBJECT_PAIR);
    if (gap)
        gap_names(s, gap, out, a);
    else
        row_names(s, line, out, a);
}

void subject_of_call(const struct comparison *s, uint32_t line, struct subject *out, struct arena *a)
{
    const uint32_t *row = s->pairing->lines.v[line].row;
    clear_subject(out, SUBJECT_CALL);
    for (int d = 0; d < 2; d++)
        if (row[d] != NONE)
            out->about[d] = arena_cstr(a, dump_call_name(&s->side[d].dump, s->side[d].dump.rows.v[row[d]].call));
}

void subject_on_rank(struct subject *x, int step, int rank, struct arena *a)
{
    x->kind = SUBJECT_RANK_CALL;
    x->at = arena_fmt(a, "step %d rank %d", step, rank);
}

bool subject_rank(const char *at, int *step, int *rank)
{
    int end = 0;
    return sscanf(at, "step %d rank %d%n", step, rank, &end) == 2 && !at[end];
}

void subject_of_item(int panel, const struct panel_item *it, struct subject *out, struct arena *a)
{
    clear_subject(out, it ? (enum finding_subject)it->subject : SUBJECT_ITEM);
    for (int d = 0; d < 2 && it; d++)
        out->about[d] = it->about[d] ? arena_cstr(a, str_of(it->about[d])) : "";
    if (it && it->at)
        out->at = arena_cstr(a, str_of(it->at));
    else if (it && out->kind == SUBJECT_ITEM)
        out->at = arena_fmt(a, "%d %s", panel, it->id ? it->id : it->text);
    else if (!it)
        out->at = arena_fmt(a, "%d", panel);
}

/* ---- by name ---- */

static int unknown_row(struct str name, struct err *e)
{
    return err_set(e, ERR_USAGE, _("neither side has a row \"%.*s\""), STR_ARG(name));
}

static uint32_t line_of_row(const struct comparison *s, struct str name)
{
    for (int d = 0; d < 2; d++) {
        uint32_t r = dump_find_row(&s->side[d].dump, name);
        if (r != NONE && s->pairing->line_of[d][r] != NONE)
            return s->pairing->line_of[d][r];
    }
    return NONE;
}

static uint32_t line_of_call(const struct comparison *s, struct str name)
{
    for (int d = 0; d < 2; d++) {
        const struct dump *x = &s->side[d].dump;
        uint32_t c = map_get(&x->call_names, name);
        if (c != MAP_NONE && x->calls.v[c].first_row != NONE && s->pairing->line_of[d][x->calls.v[c].first_row] != NONE)
            return s->pairing->line_of[d][x->calls.v[c].first_row];
    }
    return line_of_row(s, name);
}

static int find_subject_row(const struct procedure *g, struct str name, struct subject *out, struct arena *a,
                            struct err *e)
{
    uint32_t line = line_of_row(g->s, name);
    if (line == NONE)
        return unknown_row(name, e);
    subject_of_line(g->s, NULL, line, out, a);
    return 0;
}

static int find_call(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e)
{
    uint32_t line = line_of_call(g->s, name);
    if (line == NONE)
        return err_set(e, ERR_USAGE, _("neither side has a call \"%.*s\""), STR_ARG(name));
    subject_of_call(g->s, line, out, a);
    return 0;
}

static int find_gap(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e)
{
    const struct dump *const side[2] = {&g->s->side[TARGET].dump, &g->s->side[GOLDEN].dump};
    uint32_t line = line_of_call(g->s, name);
    gap_list gaps = {0};
    if (line == NONE)
        return err_set(e, ERR_USAGE, _("neither side has a call \"%.*s\""), STR_ARG(name));
    gaps_find(g->s->pairing, side, &gaps);
    subject_of_line(g->s, &gaps, line, out, a);
    vec_release(&gaps);
    if (out->kind != SUBJECT_GAP)
        return err_set(e, ERR_USAGE, _("\"%.*s\" is not in a gap: it or a neighbouring call is paired"),
                       STR_ARG(name));
    return 0;
}

static int find_element(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e)
{
    ptrdiff_t open = str_rfind(name, '[');
    int64_t from[TENSOR_DIMS], to[TENSOR_DIMS];
    int axes;
    if (open < 1 || !subject_region(str_cut(name, (size_t)open), from, to, &axes))
        return err_set(e, ERR_USAGE, _("\"%.*s\": expected a row and indices, as in ROW[1,2,3] or ROW[0:4,8]"),
                       STR_ARG(name));
    struct str row = str_n(name.p, (size_t)open);
    uint32_t line = line_of_row(g->s, row);
    if (line == NONE)
        return unknown_row(row, e);
    subject_of_line(g->s, NULL, line, out, a);
    out->kind = SUBJECT_ELEMENT;
    out->at = arena_cstr(a, str_cut(name, (size_t)open));
    fact_list facts = {0};
    subject_freeze_element(g, out, a, &facts);
    bool seen = facts.n && (strcmp(facts.v[0].what, "value") == 0 || strcmp(facts.v[0].what, "elements") == 0);
    vec_release(&facts);
    return seen ? 0
                : err_set(e, ERR_USAGE, _("%.*s: the tensor has no such element, or it was not recorded"),
                          STR_ARG(name));
}

static int engine_result_missing(const struct procedure *g, enum engine_run_id x, struct err *e)
{
    if (g->exam[x].state == ENGINE_RUN_FAILED)
        return err_set(e, ERR_DATA, "%s", g->exam[x].err.text);
    return err_set(e, ERR_USAGE, _("%s: not given yet; use diverge give"), _(engine_run_kinds[x].title));
}

static int find_setting(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_SETTINGS);
    clear_subject(out, SUBJECT_SETTING);
    if (!r)
        return engine_result_missing(g, ENGINE_RUN_SETTINGS, e);
    const struct check_row *row = checklist_find(name);
    bool known = settings_find(&r->settings->side[0], name) || settings_find(&r->settings->side[1], name);
    if (!row && !known)
        return err_set(e, ERR_USAGE, _("no check or setting \"%.*s\"; diverge panels lists them"), STR_ARG(name));
    out->at = arena_cstr(a, row ? row->id : name);
    return 0;
}

static int find_weight(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_WEIGHTS);
    clear_subject(out, SUBJECT_WEIGHT);
    if (!r)
        return engine_result_missing(g, ENGINE_RUN_WEIGHTS, e);
    const struct weight_compare *c = r->weights;
    const struct weight_pair *x = subject_weight(c, name);
    for (int d = 0; d < 2; d++) {
        if (x)
            out->about[d] = arena_cstr(a, c->side[d].list.v[x->weight[d]].name);
        else if (weights_find(&c->side[d], name) != MAP_NONE)
            out->about[d] = arena_cstr(a, name);
    }
    return *out->about[0] ||
           *out->about[1] ? 0 : err_set(e, ERR_USAGE, _("neither side has a weight \"%.*s\""), STR_ARG(name));
}

static int find_norm(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_NORMS);
    struct buf own = {0};
    clear_subject(out, SUBJECT_NORM);
    if (!r)
        return engine_result_missing(g, ENGINE_RUN_NORMS, e);
    const struct norm_pair *x = subject_norm(r->norms, name);
    if (!x)
        return err_set(e, ERR_USAGE, _("no parameter \"%.*s\" with a norm on both sides"), STR_ARG(name));
    norm_pair_name(r->norms, x, &own);
    out->about[0] = arena_cstr(a, buf_view(&own));
    buf_release(&own);
    return 0;
}

static int find_curve(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e)
{
    bool frozen;
    enum log_value v;
    int64_t step;
    clear_subject(out, SUBJECT_CURVE);
    if (!subject_point(name, &frozen, &v, &step))
        return err_set(e, ERR_USAGE, _("\"%.*s\": expected a curve and a step, as in loss@1200, norm@3, lr@10 or "
                                       "frozen-loss@7"), STR_ARG(name));
    enum engine_run_id x = procedure_curve_run(g, frozen);
    const struct engine_run_result *r = procedure_result(g, x);
    if (!r)
        return engine_result_missing(g, x, e);
    if (curve_point_at(r->curves, step) == SIZE_MAX)
        return err_set(e, ERR_USAGE, r->curves->runs > 1 ? _("no step %lld in both logs")
                                                         : _("no step %lld in the log"), (long long)step);
    out->at = arena_cstr(a, name);
    return 0;
}

static int find_hypothesis(const struct procedure *g, struct str name, struct subject *out, struct arena *a,
                           struct err *e)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_STEP);
    struct buf known = {0};
    clear_subject(out, SUBJECT_HYPOTHESIS);
    if (!r)
        return engine_result_missing(g, ENGINE_RUN_STEP, e);
    char *at = str_dup(name); /* target:eps as well as "target eps": no blank to quote */
    char *colon = strchr(at, ':');
    if (colon)
        *colon = ' ';
    bool there = subject_reason(r->step, str_of(at)) != NULL;
    out->at = arena_cstr(a, str_of(at));
    free(at);
    if (there)
        return 0;
    for (size_t i = 0; i < r->step->reasons.n; i++)
        buf_fmt(&known, " %s:%s", r->step->reasons.v[i].side ? "golden" : "target", r->step->reasons.v[i].what);
    err_set(e, ERR_USAGE, _("no result \"%.*s\" in the optimizer replay; available:%s"), STR_ARG(name),
            known.n ? known.p : _(" none"));
    buf_release(&known);
    return -1;
}

static int find_item(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e)
{
    unsigned long long n;
    struct str number, rest;
    int panel;
    char *at = str_dup(name);
    char *colon = strchr(at, ':');
    if (colon && colon - at == 1)
        *colon = ' ';
    clear_subject(out, SUBJECT_ITEM);
    out->at = arena_cstr(a, str_of(at));
    free(at);
    bool whole = !str_split(str_of(out->at), ' ', &number, &rest);
    if (!str_u64(number, &n) || n < 1 || n > PANELS)
        return err_set(e, ERR_USAGE,
                       _("\"%.*s\": expected a panel number, or number and line id, as in 3:first-loss"),
                       STR_ARG(name));
    if (!whole && subject_item(g, out, &panel) == UINT32_MAX)
        return err_set(e, ERR_USAGE, _("panel %d has no line \"%.*s\""), (int)n, STR_ARG(rest));
    return 0;
}

static int find_runs(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e)
{
    (void)g;
    (void)name;
    (void)a;
    (void)e;
    clear_subject(out, SUBJECT_RUNS);
    return 0;
}

/* ---- the way back ---- */

static void place_line(const struct procedure *g, const struct subject *s, struct buf *out)
{
    uint32_t line = subject_line(g->s, s);
    if (line != NONE)
        buf_fmt(out, "row %u", line + 1);
}

static void place_element(const struct procedure *g, const struct subject *s, struct buf *out)
{
    int64_t from[TENSOR_DIMS], to[TENSOR_DIMS];
    int axes;
    uint32_t line = subject_line(g->s, s);
    if (line == NONE || !subject_region(str_of(s->at), from, to, &axes))
        return;
    buf_fmt(out, "row %u\ntensor ", line + 1);
    for (int i = 0; i < axes; i++)
        buf_fmt(out, i ? ",%lld" : "%lld", (long long)from[i]);
}

static void place_item(const struct procedure *g, const struct subject *s, struct buf *out)
{
    int panel;
    uint32_t at = subject_item(g, s, &panel);
    unsigned long long n;
    if (at != UINT32_MAX)
        buf_fmt(out, "panel %d\ntop\ndown %u", panel, at);
    else if (s->kind == SUBJECT_ITEM && str_u64(str_of(s->at), &n))
        buf_fmt(out, "panel %llu", n);
    else if (s->kind != SUBJECT_ITEM) /* its panel lists only what is worth looking at */
        buf_fmt(out, "panel %d",
                s->kind == SUBJECT_SETTING ? 1 : s->kind == SUBJECT_WEIGHT ? 2 : s->kind == SUBJECT_NORM ? 4 : 5);
}

static void place_curve(const struct procedure *g, const struct subject *s, struct buf *out)
{
    bool frozen;
    enum log_value v;
    int64_t step;
    (void)g;
    if (subject_point(str_of(s->at), &frozen, &v, &step))
        buf_fmt(out, "panel %d\nplot %lld", frozen ? 6 : 7, (long long)step);
}

/* The overview of all ranks, at its cell. */
static void place_rank_call(const struct procedure *g, const struct subject *s, struct buf *out)
{
    int step, rank;
    (void)g;
    if (subject_rank(s->at, &step, &rank))
        buf_fmt(out, "ranks at %d %d %s", step, rank, *s->about[TARGET] ? s->about[TARGET] : s->about[GOLDEN]);
}

static void place_runs(const struct procedure *g, const struct subject *s, struct buf *out)
{
    (void)g;
    (void)s;
    buf_cstr(out, "intake");
}

const struct subject_kind subject_kinds[SUBJECT_COUNT] = {
    [SUBJECT_PAIR] = {NULL, NULL, SUBJECT_DUMPS, find_subject_row, subject_freeze_line, place_line},
    [SUBJECT_ROW] = {NULL, NULL, SUBJECT_DUMPS, find_subject_row, subject_freeze_line, place_line},
    [SUBJECT_CALL] = {"--call", "NAME", SUBJECT_DUMPS, find_call, subject_freeze_call, place_line},
    [SUBJECT_GAP] = {"--gap", "NAME", SUBJECT_DUMPS, find_gap, subject_freeze_gap, place_line},
    [SUBJECT_ELEMENT] = {"--element", "ROW[I,J]", SUBJECT_DUMPS, find_element, subject_freeze_element, place_element},
    [SUBJECT_SETTING] = {"--setting", "ID", 1u << ENGINE_RUN_SETTINGS, find_setting, subject_freeze_setting,
                         place_item},
    [SUBJECT_WEIGHT] = {"--weight", "NAME", 1u << ENGINE_RUN_WEIGHTS, find_weight, subject_freeze_weight, place_item},
    [SUBJECT_NORM] = {"--norm", "NAME", 1u << ENGINE_RUN_NORMS, find_norm, subject_freeze_norm, place_item},
    [SUBJECT_CURVE] = {"--curve", "SERIES@STEP", 1u << ENGINE_RUN_CURVES | 1u << ENGINE_RUN_LOG, find_curve,
                       subject_freeze_curve, place_curve},
    [SUBJECT_HYPOTHESIS] =
    {"--hypothesis", "SIDE:WHAT", 1u << ENGINE_RUN_STEP, find_hypothesis, subject_freeze_hypothesis, place_item},
    [SUBJECT_ITEM] = {"--item", "PANEL:ID", 0, find_item, subject_freeze_item, place_item},
    [SUBJECT_RUNS] = {"--runs", NULL, 0, find_runs, subject_freeze_runs, place_runs},
    [SUBJECT_RANK_CALL] = {NULL, NULL, SUBJECT_DUMPS, find_call, subject_freeze_call, place_rank_call},
};

int subject_find(const struct procedure *g, enum finding_subject kind, struct str name, struct subject *out,
                 struct arena *a, struct err *e)
{
    return subject_kinds[kind].find(g, name, out, a, e);
}

unsigned subject_engine_runs(enum finding_subject kind, struct str name)
{
    return kind == SUBJECT_CURVE && str_starts(name, "frozen-") ? 1u << ENGINE_RUN_FROZEN : subject_kinds[kind].exams;
}

struct evidence subject_freeze(const struct procedure *g, const struct subject *s, struct arena *a)
{
    fact_list l = {0};
    subject_kinds[s->kind].freeze(g, s, a, &l);
    return evidence_keep(a, &l);
}

/* ---- in words ---- */

static void names_text(const struct finding *x, struct buf *out)
{
    bool same = strcmp(x->about[0], x->about[1]) == 0;
    buf_fmt(out, "%s%s%s", x->about[0], *x->about[0] && *x->about[1] && !same ? " ↔ " : "", same ? "" : x->about[1]);
}

static void curve_text(const char *at, struct buf *out)
{
    bool frozen;
    enum log_value v;
    int64_t step;
    const char *const titles[] = {[LOG_LOSS] = _("loss"), [LOG_LR] = _("learning rate"), [LOG_NORM] = _("global norm"),
                                  [LOG_SCALE] = _("loss scale"), [LOG_EPOCH] = _("epoch")};
    if (subject_point(str_of(at), &frozen, &v, &step))
        buf_fmt(out, frozen ? _("%s of step %lld at learning rate 0") : _("%s of step %lld"), titles[v],
                (long long)step);
    else
        buf_cstr(out, at);
}

void subject_text(const struct finding *x, struct buf *out)
{
    const char *at = x->at ? x->at : "";
    struct str panel, line;
    const struct check_row *row;
    int step, rank;
    switch ((enum finding_subject)x->subject) {
    case SUBJECT_CALL:
    case SUBJECT_RANK_CALL:
        buf_cstr(out, _("call "));
        break;
    case SUBJECT_GAP:
        buf_cstr(out, _("gap from "));
        break;
    case SUBJECT_WEIGHT:
        buf_cstr(out, _("weight "));
        break;
    case SUBJECT_NORM:
        buf_cstr(out, _("gradient norm of "));
        break;
    case SUBJECT_SETTING:
        row = checklist_find(str_of(at));
        buf_fmt(out, _("setting %s"), at);
        if (row && !str_is(row->key, at))
            buf_fmt(out, " (%.*s)", STR_ARG(row->key));
        return;
    case SUBJECT_CURVE:
        curve_text(at, out);
        return;
    case SUBJECT_HYPOTHESIS:
        buf_fmt(out, _("optimizer step, %s"), at);
        return;
    case SUBJECT_ITEM:
        if (str_split(str_of(at), ' ', &panel, &line))
            buf_fmt(out, _("panel %.*s, %.*s"), STR_ARG(panel), STR_ARG(line));
        else
            buf_fmt(out, _("panel %s"), at);
        return;
    case SUBJECT_RUNS:
        buf_cstr(out, _("both runs"));
        return;
    default:
        break;
    }
    names_text(x, out);
    if (x->subject == SUBJECT_RANK_CALL && subject_rank(at, &step, &rank))
        buf_fmt(out, _(", step %d, rank %d"), step, rank);
    else if (*at)
        buf_fmt(out, " %s", at);
}

/* ---- what explains the first deviation ---- */

/* Whether one of its names is that of the line's row, its call or another row of the call. */
static bool about_call_of(const struct comparison *s, uint32_t line, const struct finding *x)
{
    if (x->subject > SUBJECT_ELEMENT || x->subject == SUBJECT_GAP)
        return false;
    for (int d = 0; d < 2; d++) {
        uint32_t row = s->pairing->lines.v[line].row[d];
        if (row == NONE || !*x->about[d])
            continue;
        const struct dump *of = &s->side[d].dump;
        uint32_t call = of->rows.v[row].call, other;
        if (x->subject == SUBJECT_CALL) {
            if (map_get(&of->call_names, str_of(x->about[d])) == call)
                return true;
        } else if ((other = dump_find_row(of, str_of(x->about[d]))) != NONE && of->rows.v[other].call == call) {
            return true;
        }
    }
    return false;
}

bool subject_explains_first(const struct procedure *g, struct finding *root)
{
    const struct comparison *s = g->s;
    finding_list l = {0};
    struct finding x;
    uint32_t newest = 0;
    if (!s->paired || !s->judged || s->judged->first == NONE)
        return false;
    findings_read(&g->inv->findings, &l);
    for (size_t i = 0; i < l.n; i++)
        if (l.v[i].number > newest && about_call_of(s, s->judged->first, &l.v[i]) &&
            findings_root(&g->inv->findings, l.v[i].number, &x)) {
            *root = x;
            newest = l.v[i].number;
        }
    vec_release(&l);
    return newest > 0;
}
