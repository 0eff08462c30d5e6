/* Determines the subject of a finding from the cursor of the focused pane (table, tensor view, panel, list of
 * findings). */
#include "cmd/note_subject.h"

#include "base/msg.h"

/* The element under the cursor of the tensor view, on the sides shown. */
static bool subject_of_element(struct workspace *d, struct subject *out, struct arena *a)
{
    struct tensor_view *s = &d->tensor;
    struct buf at = {0};
    bool there = false;
    tensor_reader_lock(&s->reader);
    if (tensor_view_ready(d) == TENSOR_READER_OPEN) {
        const struct element_lens *l = &s->reader.lens;
        subject_of_line(d->c, NULL, d->cursor, out, a);
        out->kind = SUBJECT_ELEMENT;
        for (int i = 0; i < 2; i++)
            if (!l->has[i])
                out->about[i] = "";
        for (int i = 0; i < l->ndim; i++)
            buf_fmt(&at, i ? ",%lld" : "[%lld", (long long)s->at[i]);
        buf_char(&at, ']');
        out->at = arena_cstr(a, buf_view(&at));
        there = true;
    }
    tensor_reader_unlock(&s->reader);
    buf_release(&at);
    if (!there)
        workspace_complain(d, "%s", _("the tensor is not open yet"));
    return there;
}

static bool subject_of_cursor_line(struct workspace *d, uint32_t line, enum note_about which, struct subject *out,
                                   struct arena *a)
{
    const struct comparison *s = d->c;
    if (!s->paired || line >= workspace_lines(d)) {
        workspace_complain(d, "%s",
                           s->failed ? s->err.text : s->single ? _("needs two sides; only one is open")
                                                                   : _("no row to add a finding to"));
        return false;
    }
    if (which == NOTE_ABOUT_CALL)
        subject_of_call(s, line, out, a);
    else
        subject_of_line(s, which == NOTE_ABOUT_ROW ? NULL : &d->gaps, line, out, a);
    return true;
}

/* The step read out of a panel's curves. */
static bool subject_of_curve_point(struct workspace *d, const struct panel_page *p, struct subject *out,
                                   struct arena *a)
{
    const struct curves *c = procedure_curves(&d->guide, p);
    if (!c || d->plot.at < 0 || !d->plot.held)
        return false;
    size_t at = curve_point_near(c, d->plot.at);
    *out = (struct subject){SUBJECT_CURVE, {"", ""}, ""};
    out->at = arena_fmt(a, "%sloss@%lld", p->picture == ENGINE_RUN_FROZEN ? "frozen-" : "",
                        (long long)c->points.v[at].step);
    return true;
}

bool note_subject_here(struct workspace *d, enum note_about which, struct subject *out, struct arena *a)
{
    const struct list_item *listed = workspace_selected(d);
    bool panel = d->overlay == OVERLAY_PANEL || (listed && d->list.over_panel);
    if (listed && listed->line != NONE)
        return subject_of_cursor_line(d, listed->line, which, out, a);
    if (panel && !d->panel.number) {
        subject_of_item((int)d->panel.at + 1, NULL, out, a);
        return true;
    }
    if (panel) {
        const struct panel_page *p = &d->guide.page[d->panel.number - 1];
        if (!subject_of_curve_point(d, p, out, a))
            subject_of_item(d->panel.number, d->panel.at < p->items.n ? &p->items.v[d->panel.at] : NULL, out, a);
        return true;
    }
    if (d->overlay == OVERLAY_NONE && workspace_shows_ranks(d)) {
        job_compare_lock(d->ranks->job);
        rank_view_refresh(d->ranks);
        bool there = rank_view_subject(d->ranks, out, a);
        job_compare_unlock(d->ranks->job);
        if (!there)
            workspace_complain(d, "%s", _("no such call on this rank"));
        return there;
    }
    if (d->overlay == OVERLAY_INTAKE || (!listed && workspace_shows_ranks(d))) {
        *out = (struct subject){SUBJECT_RUNS, {"", ""}, ""};
        return true;
    }
    if (d->tensor.open && which == NOTE_ABOUT_HERE && d->c->paired)
        return subject_of_element(d, out, a);
    return subject_of_cursor_line(d, d->cursor, which, out, a);
}

struct evidence note_subject_freeze(struct workspace *d, const struct subject *s, struct arena *a)
{
    struct evidence e = {0};
    int step, rank;
    if (s->kind != SUBJECT_RANK_CALL || !workspace_shows_ranks(d))
        return subject_freeze(&d->guide, s, a);
    if (!subject_rank(s->at, &step, &rank))
        return e;
    job_compare_lock(d->ranks->job);
    struct procedure of = {.s = rank_view_comparison(d->ranks, step, rank)};
    if (of.s)
        e = subject_freeze(&of, s, a);
    job_compare_unlock(d->ranks->job);
    return e;
}

/* The finding under the cursor of a list. */
static bool listed_finding(const struct workspace *d, struct finding *x)
{
    struct str word, number;
    unsigned long long n;
    const struct list_item *item = workspace_selected(d);
    const char *inside = item && d->list.of ? item->inside : NULL;
    return inside && str_split(str_of(inside), ' ', &word, &number) && str_u64(number, &n) && n <= UINT32_MAX &&
           findings_get(&d->inv->findings, (uint32_t)n, x);
}

bool note_subject_finding(struct workspace *d, struct finding *x)
{
    if (listed_finding(d, x))
        return true;
    struct arena a = {0};
    struct subject s;
    struct buf was = d->message; /* nothing is said here */
    bool was_error = d->message_is_error;
    d->message = (struct buf){0};
    bool any = d->inv->findings.now && note_subject_here(d, NOTE_ABOUT_HERE, &s, &a) &&
               (findings_on(&d->inv->findings, s.kind, s.about, s.at, x) ||
                (s.kind <= SUBJECT_ELEMENT && findings_about(&d->inv->findings, s.about[0], s.about[1], x)));
    buf_release(&d->message);
    d->message = was;
    d->message_is_error = was_error;
    arena_release(&a);
    return any;
}
