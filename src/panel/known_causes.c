/* Loads data/cards.conf once and matches its conditions with a row, the settings, the norms and the curves. */
#include "panel/known_causes.h"

#include "base/embed.h"
#include "base/msg.h"
#include "dump/family.h"

/* The next card of the text: its name and its lines. False at the end. */
static bool next_card(struct str *rest, struct str *name, struct str *lines)
{
    struct str line;
    *name = (struct str){0};
    while (rest->n) {
        struct str here = *rest;
        str_split(here, '\n', &line, rest);
        if (!line.n || line.p[0] == '#')
            continue;
        if (line.p[0] != ' ' && name->n) {
            *rest = here;
            break;
        }
        if (line.p[0] != ' ') {
            *name = line;
            *lines = str_n(rest->p, 0);
        } else if (name->n) {
            lines->n = (size_t)(line.p + line.n - lines->p);
        }
    }
    return name->n > 0;
}

/* ---- conditions ---- */

static bool has_diagnosis(const struct known_cause_facts *f, struct str id)
{
    for (int i = 0; i < f->found->n && i < DIAGNOSES_MOST; i++)
        if (str_is(id, diagnosis_name((enum diagnosis_id)f->found->v[i].id)))
            return true;
    return false;
}

static bool check_differs(const struct procedure *g, struct str id)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_SETTINGS);
    for (size_t i = 0; r && i < r->settings->checks.n; i++) {
        const struct config_check *k = &r->settings->checks.v[i];
        if (str_eq(k->row->id, id))
            return k->state == CHECK_DIFFERS || k->state == CHECK_MISSING;
    }
    return false;
}

static bool norm_stands_out(const struct procedure *g, struct str part)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_NORMS);
    struct buf name = {0}, wanted = {0};
    bool found = false;
    buf_str(&wanted, part);
    for (size_t i = 0; r && i < r->norms->pairs.n && !found; i++)
        if (r->norms->pairs.v[i].outlier && r->norms->verdict == STAGE_FAIL) {
            norm_pair_name(r->norms, &r->norms->pairs.v[i], &name);
            found = str_ihas(buf_view(&name), wanted.p);
        }
    buf_release(&name);
    buf_release(&wanted);
    return found;
}

static bool curve_shows(const struct procedure *g, struct str what)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_CURVES);
    const struct curves *c = r ? r->curves : NULL;
    return c && ((str_is(what, "apart") && c->apart_at >= 0) || (str_is(what, "spike") && c->spikes.n) ||
                 (str_is(what, "nonfinite") && c->nonfinite.n) || (str_is(what, "parts") && c->diverges_at >= 0));
}

static bool name_has(const struct known_cause_facts *f, struct str part)
{
    char text[64];
    if (part.n >= sizeof text)
        return false;
    memcpy(text, part.p, part.n);
    text[part.n] = 0;
    return str_ihas(str_of(f->name), text);
}

/* 1 holds, 0 does not, -1: no such condition. *row: it is about a row. */
static int condition_holds(const struct known_cause_facts *f, struct str kind, struct str value, bool *row)
{
    *row = true;
    if (str_is(kind, "diagnosis"))
        return f->found && has_diagnosis(f, value);
    if (str_is(kind, "family"))
        return f->found && str_is(value, family_name((enum family)f->family));
    if (str_is(kind, "name"))
        return f->found && name_has(f, value);
    if (str_is(kind, "phase"))
        return f->found && f->backward;
    if (str_is(kind, "dtype"))
        return f->found && f->dtype_differs;
    *row = false;
    if (str_is(kind, "check"))
        return f->g && check_differs(f->g, value);
    if (str_is(kind, "norm"))
        return f->g && norm_stands_out(f->g, value);
    if (str_is(kind, "curve"))
        return f->g && curve_shows(f->g, value);
    return -1;
}

/* All conditions of a line hold, and one of them is the row's where a row is examined. */
static bool line_holds(const struct known_cause_facts *f, struct str conditions)
{
    struct str one, kind, value;
    bool about_row = false, row;
    while (conditions.n) {
        one = str_next(&conditions, ' ');
        if (!str_split(one, ':', &kind, &value) || condition_holds(f, kind, value, &row) != 1)
            return false;
        about_row |= row;
    }
    return about_row == (f->found != NULL);
}

/* The line by which a card matches, empty: by none; and its sentence. */
static struct str matching_condition(const struct known_cause_facts *f, struct str lines, struct str *text)
{
    bool chinese = str_is(str_of(msg_current()), "zh_CN");
    struct str line, by = {0};
    while (lines.n) {
        line = str_next(&lines, '\n');
        line = str_trim(line);
        if (!by.n && str_starts(line, "when ") && line_holds(f, str_cut(line, 5)))
            by = str_cut(line, 5);
        else if (str_starts(line, chinese ? "zh " : "en "))
            *text = str_cut(line, 3);
    }
    return by;
}

static const char *match_known_cause(const struct known_cause_facts *f, struct arena *a, size_t i, const char *kind)
{
    struct str rest = embed_str(&embed_cards_conf), name, lines, text = {0};
    while (next_card(&rest, &name, &lines)) {
        struct str by = matching_condition(f, lines, &text);
        if (by.n && (!kind || str_starts(by, kind)) && i-- == 0)
            return arena_fmt(a, _("%.*s (matched: %.*s)"), STR_ARG(text), STR_ARG(by));
    }
    return NULL;
}

const char *known_cause_match(const struct known_cause_facts *f, struct arena *a, size_t i)
{
    return match_known_cause(f, a, i, NULL);
}

static const char *known_cause_of_row(const struct known_cause_facts *f, struct arena *a)
{
    struct str rest = embed_str(&embed_cards_conf), name, lines, text = {0};
    while (next_card(&rest, &name, &lines)) {
        struct str by = matching_condition(f, lines, &text);
        if (by.n && (!str_starts(by, "diagnosis:") || str_find(by, ' ') > 0))
            return arena_cstr(a, text);
    }
    return NULL;
}

const char *known_cause_at(const struct procedure *g, const struct comparison *c, uint32_t line,
                           const struct diagnoses *x, struct arena *a)
{
    const uint32_t *row = c->paired ? c->pairing->lines.v[line].row : NULL;
    int side = row && row[TARGET] == NONE ? GOLDEN : TARGET;
    if (!x || !row)
        return NULL;
    const struct dump *d = &c->side[side].dump;
    const struct call *call = &d->calls.v[d->rows.v[row[side]].call];
    struct buf name = {0};
    dump_row_name(d, row[side], &name);
    const struct known_cause_facts f = {.g = g,
                                        .found = x,
                                        .name = name.p,
                                        .family = call->family,
                                        .backward = call->phase == PHASE_BACKWARD,
                                        .dtype_differs = c->judged->line[line].flags & LINE_DTYPE_DIFF};
    const char *text = known_cause_of_row(&f, a);
    buf_release(&name);
    return text;
}

void page_known_causes(struct panel_page *p, const struct procedure *g, const char *kind)
{
    const struct known_cause_facts f = {.g = g};
    const char *text;
    for (size_t i = 0; (text = match_known_cause(&f, &p->arena, i, kind)); i++) {
        struct panel_item *it = page_item(p, MARK_ADVICE, NULL, _("known cause: %s"), text);
        it->detail = it->text;
    }
}

const char *known_causes_bad(void)
{
    static const struct diagnoses none;
    struct str rest = embed_str(&embed_cards_conf), name, lines, line, one, kind, value;
    const struct known_cause_facts f = {.found = &none, .name = ""};
    bool row;
    while (next_card(&rest, &name, &lines)) {
        int has = 0;
        while (lines.n) {
            line = str_next(&lines, '\n');
            line = str_trim(line);
            has |= str_starts(line, "when ") ? 1 : str_starts(line, "en ") ? 2 : str_starts(line, "zh ") ? 4 : 8;
            for (struct str c = str_cut(line, 5); str_starts(line, "when ") && c.n;) {
                one = str_next(&c, ' ');
                if (!str_split(one, ':', &kind, &value) || condition_holds(&f, kind, value, &row) < 0 ||
                    (str_is(kind, "check") && !checklist_find(value)))
                    return "cards.conf: a condition that means nothing";
            }
        }
        if (has != 7)
            return "cards.conf: when, en and zh belong to every card, and nothing else";
    }
    return NULL;
}
