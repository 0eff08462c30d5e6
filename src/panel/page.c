/* Functions that build the pages of the panels. */
#include "base/msg.h"
#include "panel/procedure.h"

static const struct {
    const char *name, *label, *glyph;
} states[PANEL_STATES] = {
    [PANEL_NOT_STARTED] = {"not-started", N_("not started"), "·"},
    [PANEL_NEEDS_INPUT] = {"needs-input", N_("needs input"), "·"},
    [PANEL_OPEN] = {"open", N_("open"), "?"},
    [PANEL_PASSED] = {"passed", N_("passed"), "✓"},
    [PANEL_FAILED] = {"failed", N_("failed"), "✗"},
    [PANEL_WAIVED] = {"waived", N_("waived"), "~"},
    [PANEL_WAITS] = {"waits", N_("waiting"), "?"},
};

static const struct {
    const char *name, *glyph;
} marks[MARK_COUNT] = {
    [MARK_NOTE] = {"note", "·"},       [MARK_ADVICE] = {"advice", "!"},   [MARK_OK] = {"ok", "✓"},
    [MARK_BAD] = {"bad", "✗"},         [MARK_OPEN] = {"open", "?"},       [MARK_RUNNING] = {"running", "…"},
    [MARK_MISSING] = {"missing", "∅"}, [MARK_WAIVED] = {"waived", "~"},   [MARK_INPUT] = {"input", "+"},
    [MARK_NEED] = {"need", "-"},
};

const char *panel_state_name(enum panel_state s)
{
    return states[s].name;
}

int panel_state_find(const char *name)
{
    int s = PANEL_STATES - 1;
    while (s >= 0 && strcmp(states[s].name, name) != 0)
        s--;
    return s;
}

const char *panel_state_label(enum panel_state s)
{
    return _(states[s].label);
}

const char *panel_glyph(enum panel_state s)
{
    return states[s].glyph;
}

const char *panel_mark_name(enum panel_mark m)
{
    return marks[m].name;
}

const char *panel_mark_glyph(enum panel_mark m)
{
    return marks[m].glyph;
}

struct panel_item *page_item(struct panel_page *p, enum panel_mark m, const char *id, const char *fmt, ...)
{
    struct panel_item it = {.mark = (uint8_t)m,
                            .id = id ? arena_cstr(&p->arena, str_of(id)) : NULL,
                            .side = -1,
                            .share = -1,
                            .subject = SUBJECT_ITEM};
    va_list ap;
    va_start(ap, fmt);
    it.text = arena_vfmt(&p->arena, fmt, ap);
    va_end(ap);
    vec_push(&p->items, it);
    return vec_last(&p->items);
}

void page_detail(struct panel_page *p, struct panel_item *it, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    it->detail = arena_vfmt(&p->arena, fmt, ap);
    va_end(ap);
}

void page_subject(struct panel_page *p, struct panel_item *it, enum finding_subject kind, const char *target,
                  const char *golden, const char *at)
{
    const char *const given[] = {target, golden, at};
    const char **const to[] = {&it->about[0], &it->about[1], &it->at};
    it->subject = (uint8_t)kind;
    for (size_t i = 0; i < ARRAY_LEN(given); i++)
        *to[i] = given[i] ? arena_cstr(&p->arena, str_of(given[i])) : NULL;
}

void page_input(struct panel_page *p, const struct procedure *g, enum panel_input_id s, bool must)
{
    const char *path = panel_input_path(g->inv, s);
    struct panel_item *it;
    if (path) {
        it = page_item(p, MARK_INPUT, panel_inputs[s].name, "%s", panel_inputs[s].name);
        it->value[0] = arena_cstr(&p->arena, str_of(path));
        page_detail(p, it, _("%s: %s"), _(panel_inputs[s].title), path);
    } else {
        it = page_item(p, MARK_NEED, panel_inputs[s].name, "%s", panel_inputs[s].name);
        it->value[0] = must ? _("missing") : _("optional");
        it->need = panel_inputs[s].need;
        it->optional = !must;
        page_detail(p, it, _("%s. :give %s PATH provides it; w writes a recipe to produce "
                             "it."), _(panel_inputs[s].title),
                    panel_inputs[s].name);
        it->command = arena_fmt(&p->arena, "recipe %s %s", panel_inputs[s].need,
                                panel_inputs[s].side == TARGET ? "target" : "golden");
    }
    it->side = panel_inputs[s].side;
}

void page_inputs(struct panel_page *p, const struct procedure *g, enum panel_input_id target,
                 enum panel_input_id golden, bool must)
{
    page_input(p, g, target, must);
    page_input(p, g, golden, must);
}

static enum panel_mark entry_panel_mark(const struct doc_entry *e)
{
    static const uint8_t as[] = {
        [DOC_UNMARKED] = MARK_NOTE, [DOC_OK] = MARK_OK, [DOC_BAD] = MARK_BAD, [DOC_OPEN] = MARK_OPEN,
        [DOC_ADVICE] = MARK_ADVICE, [DOC_NOTE] = MARK_NOTE, [DOC_NEXT] = MARK_NOTE, [DOC_WAIVED] = MARK_WAIVED,
    };
    return as[e->mark];
}

static void add_entry(struct panel_page *p, const struct doc_entry *e, const struct doc_cell *cell, size_t cells)
{
    struct buf t = {0};
    for (size_t i = 0; i < cells; i++)
        buf_cstr(&t, cell[i].text);
    if (e->mark == DOC_NEXT && !*p->next) {
        p->next = arena_cstr(&p->arena, buf_view(&t));
    } else {
        struct panel_item *it = page_item(p, entry_panel_mark(e), e->id, "%s", t.n ? t.p : "");
        it->share = e->share;
        it->detail = e->detail ? arena_cstr(&p->arena, str_of(e->detail)) : NULL;
    }
    buf_release(&t);
}

/* Its first cell is its name, but for the id before it; the next two are what the sides have, where the page has
 * columns for them. */
static void add_page_row(struct panel_page *p, const struct doc_block *k, size_t row)
{
    const struct doc_cell *cell = &k->cells.v[(row + 1) * k->columns];
    const char *id = k->rows.v[row].id;
    struct panel_item *it;
    cell += id && strcmp(cell[0].text, id) == 0;
    add_entry(p, &k->rows.v[row], cell, 1);
    it = vec_last(&p->items);
    for (int s = 0; s < 2 && p->values[0]; s++)
        it->value[s] = arena_cstr(&p->arena, str_of(cell[1 + s].text));
    for (uint32_t c = 1; c < k->columns && !p->values[0]; c++)
        if (*cell[c].text)
            it->text = c == 1 ? arena_fmt(&p->arena, _("%s: %s"), it->text, cell[c].text)
                              : arena_fmt(&p->arena, _("%s, %s %s"), it->text, k->cells.v[c].text, cell[c].text);
}

size_t page_items(struct panel_page *p, const struct document *d)
{
    size_t first = p->items.n;
    for (size_t i = 0; i < d->sections.v[0].blocks.n; i++) {
        const struct doc_block *k = &d->sections.v[0].blocks.v[i];
        if (k->kind == DOC_ITEM || (k->kind == DOC_VERDICT && k->entry.id))
            add_entry(p, &k->entry, k->cells.v, k->cells.n);
        if (k->kind == DOC_VERDICT && k->cells.n > 1 && !*p->summary)
            p->summary = arena_cstr(&p->arena, str_trim(str_of(k->cells.v[1].text)));
    }
    return first;
}

size_t page_rows(struct panel_page *p, const struct document *d)
{
    size_t first = p->items.n;
    for (size_t i = 0; i < d->sections.v[0].blocks.n; i++)
        for (size_t row = 0; row < d->sections.v[0].blocks.v[i].rows.n; row++)
            add_page_row(p, &d->sections.v[0].blocks.v[i], row);
    return first;
}

struct panel_item *page_find(struct panel_page *p, const char *id)
{
    for (size_t i = 0; i < p->items.n; i++)
        if (p->items.v[i].id && strcmp(p->items.v[i].id, id) == 0)
            return &p->items.v[i];
    return NULL;
}

void page_unread(struct panel_page *p, const char *const *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        page_item(p, MARK_OPEN, "unread", _("could not be read: %s"), s[i]);
}

void page_sentences(struct panel_page *p, enum panel_mark m, const char *const *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct panel_item *it = page_item(p, m, NULL, "%s", s[i]);
        it->detail = it->text;
    }
}

size_t page_count(const struct panel_page *p, enum panel_mark m)
{
    size_t n = 0;
    for (size_t i = 0; i < p->items.n; i++)
        n += p->items.v[i].mark == m;
    return n;
}

uint32_t page_first(const struct panel_page *p)
{
    static const uint8_t order[] = {MARK_BAD, MARK_ADVICE, MARK_OPEN, MARK_MISSING, MARK_RUNNING, MARK_OK};
    for (size_t k = 0; k < ARRAY_LEN(order); k++)
        for (uint32_t i = 0; i < p->items.n; i++)
            if (p->items.v[i].mark == order[k] && (order[k] != MARK_ADVICE || p->items.v[i].command))
                return i;
    return 0;
}

void page_settle(struct panel_page *p, const struct procedure *g)
{
    for (size_t i = 0; i < p->items.n; i++) {
        struct panel_item *it = &p->items.v[i];
        bool counts =
            it->mark == MARK_BAD || it->mark == MARK_OPEN || it->mark == MARK_MISSING || it->mark == MARK_RUNNING;
        const char *reason = counts && it->id ? investigation_text(&g->inv->waived, it->id) : NULL;
        const char *answer = it->id && (it->mark == MARK_OPEN || it->mark == MARK_MISSING)
                                 ? investigation_text(&g->inv->answers, it->id)
                                 : NULL;
        if (reason) {
            it->mark = MARK_WAIVED;
            page_detail(p, it, _("waived: %s"), reason);
        } else if (answer) {
            it->mark = str_starts(str_of(answer), "bad") ? MARK_BAD : MARK_OK;
            page_detail(p, it, _("answered: %s"), answer);
        }
    }
    size_t ok = page_count(p, MARK_OK) + page_count(p, MARK_WAIVED), missing = page_count(p, MARK_MISSING);
    if (page_count(p, MARK_BAD))
        p->state = PANEL_FAILED;
    else if (page_count(p, MARK_OPEN) + page_count(p, MARK_RUNNING))
        p->state = PANEL_OPEN;
    else if (missing)
        p->state = ok + page_count(p, MARK_INPUT) ? PANEL_NEEDS_INPUT : PANEL_NOT_STARTED;
    else
        p->state = ok ? PANEL_PASSED : PANEL_NOT_STARTED;
}
