/* The section of the procedure: the panels' states, answers, inputs, tasks before scaling out, and matching known
 * causes. */
#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/num.h"
#include "panel/known_causes.h"
#include "report/report_sections.h"

#define HASHED_MOST (64u << 20) /* bytes of a file that is identified by its content */
#define CARDS_MOST 12

static enum doc_tone panel_state_tone(enum panel_state s)
{
    return s == PANEL_PASSED   ? TONE_GOOD
           : s == PANEL_FAILED ? TONE_BAD
           : s == PANEL_OPEN   ? TONE_WARN
           : s == PANEL_WAIVED ? TONE_PLAIN
                               : TONE_QUIET;
}

const struct engine_run_result *report_engine_run(struct building *b, enum engine_run_id x)
{
    const struct engine_run *e = b->o->guide ? &b->o->guide->exam[x] : NULL;
    if (!e || e->state == ENGINE_RUN_MISSING)
        return NULL;
    if (e->state == ENGINE_RUN_DONE)
        return &e->result;
    if (e->state == ENGINE_RUN_FAILED)
        doc_say(b->d, TONE_WARN, _("Given, but could not be read: %s"), e->err.text);
    else
        doc_say(b->d, TONE_WARN, "%s", _("The given files had not been read completely when this report was written."));
    return NULL;
}

bool report_told(const struct building *b)
{
    const struct investigation *v = b->o->inv;
    return b->o->guide && v && v->given.n + v->waived.n + v->answers.n > 0;
}

/* ---- the panels ---- */

static void add_told_items(struct building *b, const text_list *l, const char *word)
{
    for (size_t i = 0; i < l->n; i++) {
        doc_begin(b->d, DOC_ITEM);
        doc_cellf(b->d, DOC_TEXT, TONE_QUIET, "%s ", word);
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(l->v[i].name));
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, ": %s", l->v[i].text);
    }
}

void report_procedure(struct building *b)
{
    const struct procedure *g = b->o->guide;
    const char *const head[] = {"", _("panel"), _("state"), _("outcome")};
    if (!report_told(b))
        return;
    doc_table(b->d, ARRAY_LEN(head), head);
    for (int i = 0; i < procedure_panels(g); i++) {
        const struct panel_page *p = &g->page[i];
        doc_cellf(b->d, DOC_NUMBER, TONE_QUIET, "%d", i + 1);
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(_(panels[i].title)));
        if (p->state == PANEL_WAITS)
            doc_cellf(b->d, DOC_TEXT, TONE_QUIET, _("waiting for %d"), p->waits_for);
        else
            doc_cellf(b->d, DOC_TEXT, panel_state_tone(p->state), "%s %s", panel_glyph(p->state),
                      panel_state_label(p->state));
        doc_cell(b->d, DOC_TEXT, p->state == PANEL_NOT_STARTED ? TONE_QUIET : TONE_PLAIN, str_of(p->summary));
    }
    doc_begin(b->d, DOC_PARAGRAPH);
    doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(_("Next: ")));
    if (g->next)
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _("panel %d. "), g->next);
    doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(g->why));
    if (b->o->inv->waived.n + b->o->inv->answers.n)
        doc_heading(b->d, _("Waivers and answers"));
    add_told_items(b, &b->o->inv->waived, _("waived"));
    add_told_items(b, &b->o->inv->answers, _("answered"));
}

void report_procedure_line(struct building *b)
{
    const struct procedure *g = b->o->guide;
    size_t n[PANEL_STATES] = {0};
    bool any = false;
    if (!report_told(b))
        return;
    for (int i = 0; i < procedure_panels(g); i++)
        n[g->page[i].state]++;
    doc_begin(b->d, DOC_ITEM);
    doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(_("Procedure: ")));
    for (int i = PANEL_STATES - 1; i >= 0; i--)
        if (n[i]) {
            doc_cellf(b->d, DOC_TEXT, panel_state_tone((enum panel_state)i), "%s%zu %s", any ? ", " : "", n[i],
                      panel_state_label((enum panel_state)i));
            any = true;
        }
    if (g->next)
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _("; next is panel %d, %s"), g->next, _(panels[g->next - 1].title));
}

void report_open_panels(struct building *b)
{
    const struct procedure *g = b->o->guide;
    if (!report_told(b))
        return;
    for (int i = 0; i < procedure_panels(g); i++) {
        const struct panel_page *p = &g->page[i];
        if (i == PANEL_FINDINGS - 1 || (p->state != PANEL_OPEN && p->state != PANEL_NEEDS_INPUT))
            continue;
        doc_begin(b->d, DOC_ITEM);
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _("Panel %d, %s: %s. %s"), i + 1, _(panels[i].title), p->summary,
                  p->next);
    }
}

void report_panels_again(struct building *b)
{
    if (!report_told(b) || !b->o->inv || !b->o->inv->path)
        return;
    struct str file = b->o->paths ? str_of(b->o->inv->path) : path_base(str_of(b->o->inv->path));
    doc_begin(b->d, DOC_PARAGRAPH);
    doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(_("To show the panels (the given files must still be at their paths): "
                                                  "diverge panels or diverge report with ")));
    doc_cell(b->d, DOC_NAME, TONE_PLAIN, file);
}

void report_scaling(struct building *b)
{
    const struct procedure *g = b->o->guide;
    const char *const head[] = {_("feature"), _("state"), _("result")};
    bool any = false;
    if (!report_told(b) || !procedure_result(g, ENGINE_RUN_CURVES))
        return;
    const struct panel_page *p = &g->page[6];
    for (size_t i = 0; i < p->items.n; i++) {
        const struct panel_item *it = &p->items.v[i];
        const char *answer = it->id ? investigation_text(&b->o->inv->answers, it->id) : NULL;
        if (!it->id || !panel_is_feature(it->id))
            continue;
        if (!any)
            doc_table(b->d, ARRAY_LEN(head), head);
        any = true;
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(it->text));
        doc_cellf(b->d, DOC_TEXT,
                  it->mark == MARK_OK     ? TONE_GOOD
                  : it->mark == MARK_BAD  ? TONE_BAD
                  : it->mark == MARK_OPEN ? TONE_WARN
                                          : TONE_QUIET,
                  "%s %s", panel_mark_glyph((enum panel_mark)it->mark),
                  it->mark == MARK_OK       ? _("ok")
                  : it->mark == MARK_BAD    ? _("not ok")
                  : it->mark == MARK_OPEN   ? _("not answered")
                  : it->mark == MARK_WAIVED ? _("waived")
                                            : _("not used"));
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(answer ? answer : it->mark == MARK_WAIVED ? it->detail : ""));
    }
}

/* ---- known causes ---- */

static void add_known_causes(struct building *b, const struct known_cause_facts *f)
{
    const char *text;
    for (size_t i = 0; i < CARDS_MOST && (text = known_cause_match(f, &b->d->arena, i)); i++) {
        doc_begin(b->d, DOC_ITEM);
        if (f->found) {
            report_row_name(b, b->j->first, b->m->pairing->lines.v[b->j->first].row[TARGET] != NONE ? TARGET : GOLDEN);
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, STR(": "));
        }
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(text));
    }
}

void report_causes(struct building *b)
{
    const struct known_cause_facts run = {.g = b->o->guide};
    if (b->o->guide)
        add_known_causes(b, &run);
    if (!b->j || b->j->first == NONE)
        return;
    const struct line *l = &b->m->pairing->lines.v[b->j->first];
    int side = l->row[TARGET] != NONE ? TARGET : GOLDEN;
    const struct dump *d = b->m->side[side];
    const struct call *c = &d->calls.v[d->rows.v[l->row[side]].call];
    struct diagnoses found;
    diagnose_line(&found, b->j, b->m, b->s->flow, b->j->first);
    dump_row_name(d, l->row[side], &b->name);
    const struct known_cause_facts row = {.g = b->o->guide,
                                          .found = &found,
                                          .name = b->name.p,
                                          .family = c->family,
                                          .backward = c->phase == PHASE_BACKWARD,
                                          .dtype_differs = b->j->line[b->j->first].flags & LINE_DTYPE_DIFF};
    add_known_causes(b, &row);
    diagnoses_release(&found);
}

/* ---- what was given ---- */

/* Size and checksum of a file; a folder has none. */
static void put_file_identity(const char *path, struct buf *out)
{
    struct file f = {.fd = -1};
    struct err quiet;
    char n[NUM_MAX], block[1 << 16];
    uint64_t h = 1;
    if (path_is_dir(path)) {
        buf_cstr(out, _("a folder"));
        return;
    }
    if (file_open(&f, path, &quiet)) {
        buf_cstr(out, _("missing"));
        return;
    }
    buf_cstr(out, num_bytes(n, f.size));
    long got = 0;
    for (uint64_t at = 0; f.size <= HASHED_MOST && (got = file_read_some(&f, at, block, sizeof block, &quiet)) > 0;
         at += (uint64_t)got)
        h = hash_bytes(block, (size_t)got, h);
    if (f.size <= HASHED_MOST && got == 0)
        buf_fmt(out, ", %016llx", (unsigned long long)h);
    file_close(&f);
}

void report_given(struct building *b)
{
    const char *const head[] = {_("given"), _("file"), _("size, checksum")};
    struct buf at = {0}, t = {0}, missing = {0};
    if (!report_told(b))
        return;
    if (b->o->inv->given.n)
        doc_table(b->d, ARRAY_LEN(head), head);
    for (int i = PANEL_INPUT_GOLDEN + 1; i < PANEL_INPUT_COUNT; i++) {
        const char *path = panel_input_path(b->o->inv, (enum panel_input_id)i);
        if (!path && i >= PANEL_INPUT_TRAIN_PROBS && procedure_panels(b->o->guide) < PANELS)
            continue; /* of a panel that is not shown */
        if (!path) {
            buf_fmt(&missing, "%s%s", missing.n ? ", " : "", panel_inputs[i].name);
            continue;
        }
        investigation_locate(b->o->inv, path, &at);
        buf_clear(&t);
        sanitize_path(b->d->clean, path, &t);
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(_(panel_inputs[i].title)));
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, buf_view(&t));
        buf_clear(&t);
        put_file_identity(at.p, &t);
        doc_cell(b->d, DOC_TEXT, TONE_QUIET, buf_view(&t));
    }
    if (missing.n)
        doc_say(b->d, TONE_QUIET, _("Not given: %s."), missing.p);
    buf_release(&at);
    buf_release(&t);
    buf_release(&missing);
}
