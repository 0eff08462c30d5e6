/* The sections of inputs, weights, overflow, precision and gaps. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "pair/gaps.h"
#include "judge/step_inputs.h"
#include "judge/accepted.h"
#include "compare/input_doubts.h"
#include "judge/precision.h"
#include "report/report_sections.h"

#define LISTED 20

/* ---- inputs ---- */

enum { IN_PATH, IN_FORMAT, IN_FRAMEWORK, IN_LEVEL, IN_STEP, IN_ROWS, IN_FILES, IN_NEWEST, IN_FINGERPRINT, IN_COUNT };

/* For dumps that could not be read: their paths and data as of the last comparison. */
static void investigation_side_text(const struct building *b, int side, int which, struct buf *t)
{
    const struct investigation *v = b->o->inv;
    const struct file_stamp *was = &v->state[side];
    buf_clear(t);
    if (which == IN_PATH && v->input[side])
        sanitize_path(b->d->clean, v->input[side], t);
    else if (which == IN_STEP && v->step[side] >= 0)
        buf_fmt(t, v->rank[side] >= 0 ? "%d, %d" : "%d", v->step[side], v->rank[side]);
    else if (which == IN_FILES && was->bytes)
        buf_fmt(t, _("%llu bytes in %llu files"), (unsigned long long)was->bytes, (unsigned long long)was->files);
    else if (which == IN_NEWEST && was->time)
        report_date((int64_t)was->time, t);
}

static void input_text(const struct building *b, int side, int which, struct buf *t)
{
    const struct dump *x = &b->s->side[side].dump;
    const struct file_stamp *now = &b->s->side[side].now;
    char n[NUM_MAX];
    buf_clear(t);
    if (which == IN_PATH)
        sanitize_path(b->d->clean, x->path, t);
    else if (which == IN_FORMAT)
        buf_cstr(t, x->reader->name);
    else if (which == IN_FRAMEWORK)
        buf_cstr(t, x->framework);
    else if (which == IN_LEVEL)
        buf_fmt(t, "%s %s", x->level, x->task);
    else if (which == IN_STEP && x->step >= 0)
        buf_fmt(t, x->rank >= 0 ? "%d, %d" : "%d", x->step, x->rank);
    else if (which == IN_ROWS)
        buf_cstr(t, num_count(n, x->rows.n));
    else if (which == IN_FILES && now->bytes)
        buf_fmt(t, _("%llu bytes in %llu files"), (unsigned long long)now->bytes, (unsigned long long)now->files);
    else if (which == IN_FINGERPRINT)
        buf_fmt(t, "%016llx", (unsigned long long)dump_fingerprint(x));
}

static void add_step_inputs(struct building *b)
{
    const char *const head[] = {_("step input"), _("equal"), _("detail")};
    const step_input_list *l = &b->s->inputs;
    if (l->n)
        doc_table(b->d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < l->n; i++) {
        struct buf t = {0};
        step_input_detail(&l->v[i], b->m->side, &t);
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(step_input_name(l->v[i].what)));
        doc_cell(b->d, DOC_TEXT, l->v[i].equal > 0 ? TONE_GOOD : l->v[i].equal < 0 ? TONE_QUIET : TONE_BAD,
                 str_of(l->v[i].equal > 0 ? _("yes") : l->v[i].equal < 0 ? _("undecided") : _("no")));
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, buf_view(&t));
        buf_release(&t);
    }
}

static void add_input_doubts(struct building *b)
{
    struct arena a = {0};
    input_doubt_list l = {0};
    input_doubts_find(b->s, &a, &l);
    if (l.n)
        doc_heading(b->d, _("Doubts about the inputs"));
    for (size_t i = 0; i < l.n; i++) {
        doc_begin(b->d, DOC_ITEM);
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(input_doubts_sentence(&l.v[i], &a)));
    }
    vec_release(&l);
    arena_release(&a);
}

void report_inputs(struct building *b)
{
    enum { READ = 1, KEPT = 2 }; /* known of a dump that was read; of one that was not */
    static const struct {
        const char *label;
        int of;
    } rows[IN_COUNT] = {
        [IN_PATH] = {N_("recording"), READ | KEPT},     [IN_FORMAT] = {N_("format"), READ},
        [IN_FRAMEWORK] = {N_("framework"), READ},       [IN_LEVEL] = {N_("level, task"), READ},
        [IN_STEP] = {N_("step, rank"), READ | KEPT},    [IN_ROWS] = {N_("rows"), READ},
        [IN_FILES] = {N_("files"), READ | KEPT},        [IN_NEWEST] = {N_("newest file"), KEPT},
        [IN_FINGERPRINT] = {N_("checksum of the content"), READ},
    };
    const char *const head[] = {"", _("target"), _("golden")};
    struct buf t = {0};
    bool kept = !b->j && b->unread && b->o->inv;
    report_given(b);
    if (!b->j && !kept)
        return;
    if (kept)
        doc_say(b->d, TONE_WARN, "%s", _("Not read for this report; state of the last comparison:"));
    doc_table(b->d, ARRAY_LEN(head), head);
    for (int i = 0; i < IN_COUNT; i++) {
        if (!(rows[i].of & (kept ? KEPT : READ)))
            continue;
        doc_cell(b->d, DOC_TEXT, TONE_QUIET, str_of(_(rows[i].label)));
        for (int s = 0; s < 2; s++) {
            (kept ? investigation_side_text : input_text)(b, s, i, &t);
            doc_cell(b->d, i == IN_PATH || i == IN_FINGERPRINT ? DOC_NAME : DOC_TEXT, TONE_PLAIN, buf_view(&t));
        }
    }
    buf_release(&t);
    if (!b->j)
        return;
    add_step_inputs(b);
    add_input_doubts(b);
}

/* ---- rows of a kind ---- */

static void rows_head(struct building *b)
{
    const char *const head[] = {_("row"), _("target"), _("verdict"), _("error"), _("golden")};
    doc_table(b->d, ARRAY_LEN(head), head);
}

static void add_table_row(struct building *b, uint32_t line)
{
    char n[NUM_MAX];
    doc_cell(b->d, DOC_NUMBER, TONE_QUIET, str_of(num_count(n, line + 1)));
    report_row_name(b, line, TARGET);
    report_verdict(b, line);
    report_error(b, line);
    report_row_name(b, line, GOLDEN);
}

void report_weights(struct building *b)
{
    uint32_t all = 0, bad = 0;
    for (uint32_t i = 0; i < b->j->lines; i++) {
        const struct line *l = &b->m->pairing->lines.v[i];
        bool is = l->pair != NONE && b->m->side[TARGET]->rows.v[l->row[TARGET]].io == IO_PARAMETER;
        all += is;
        bad += is && verdict_is_bad(b->j->line[i].verdict);
    }
    if (!all)
        return;
    doc_say(b->d, bad ? TONE_BAD : TONE_PLAIN, _("%u of the %u parameter rows that are paired differ."), bad, all);
    if (bad)
        rows_head(b);
    for (uint32_t i = 0, told = 0; bad && i < b->j->lines && told < LISTED; i++) {
        const struct line *l = &b->m->pairing->lines.v[i];
        if (l->pair != NONE && b->m->side[TARGET]->rows.v[l->row[TARGET]].io == IO_PARAMETER &&
            verdict_is_bad(b->j->line[i].verdict)) {
            add_table_row(b, i);
            told++;
        }
    }
}

/* How many elements of a side are not finite or at the type's largest value; 0 if nothing was computed. */
static uint64_t count_extreme(const struct building *b, uint32_t line, int side, bool saturated)
{
    const struct figures *f = measure_figures(b->m, line);
    const struct side_figures *x = f ? &f->side[side] : NULL;
    uint32_t r = b->m->pairing->lines.v[line].row[side];
    if (x)
        return saturated ? x->saturated : x->nan + x->inf;
    if (r == NONE || saturated)
        return 0;
    const struct row *q = &b->m->side[side]->rows.v[r];
    bool off = q->kind == ROW_TENSOR &&
               ((q->has & HAS_MAX && !isfinite(q->stat[STAT_MAX])) ||
                (q->has & HAS_MIN && !isfinite(q->stat[STAT_MIN])));
    return off;
}

void report_overflow(struct building *b)
{
    const char *const head[] = {_("row"), _("side"), _("name"), _("not finite"), _("saturated")};
    size_t told = 0, more = 0;
    for (uint32_t i = 0; i < b->j->lines; i++)
        for (int s = 0; s < 2; s++) {
            char n[NUM_MAX];
            uint64_t off = count_extreme(b, i, s, false), full = count_extreme(b, i, s, true);
            if (!off && !full)
                continue;
            if (told == LISTED) {
                more++;
                continue;
            }
            if (told++ == 0) {
                doc_say(b->d, TONE_PLAIN, "%s", _("In execution order. Without a recorded tensor, a count is 1."));
                doc_table(b->d, ARRAY_LEN(head), head);
            }
            doc_cell(b->d, DOC_NUMBER, TONE_QUIET, str_of(num_count(n, i + 1)));
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(s ? _("golden") : _("target")));
            report_row_name(b, i, s);
            doc_cell(b->d, DOC_NUMBER, off ? TONE_BAD : TONE_PLAIN, str_of(num_count(n, off)));
            doc_cell(b->d, DOC_NUMBER, full ? TONE_WARN : TONE_PLAIN, str_of(num_count(n, full)));
        }
    if (more)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), more);
}

/* Accepted differences, entry by entry, with the number of rows that match. */
void report_accepted(struct building *b)
{
    const char *const head[] = {_("row pattern"), _("reason"), _("until"), _("rows")};
    const struct accepted_list *l = b->j->known;
    if (l && l->entries.n)
        doc_table(b->d, ARRAY_LEN(head), head);
    for (uint32_t i = 0; l && i < l->entries.n; i++) {
        const struct accepted *x = &l->entries.v[i];
        unsigned rows = 0;
        for (size_t k = 0; k < b->j->known_hits.n; k++)
            rows += b->j->known_hits.v[k].entry == i;
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(x->text));
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(x->reason));
        doc_cell(b->d, DOC_TEXT, x->over ? TONE_WARN : TONE_PLAIN, str_of(x->until));
        doc_cellf(b->d, DOC_NUMBER, rows ? TONE_PLAIN : TONE_WARN, "%u", rows);
    }
}

void report_precision(struct building *b)
{
    const char *const head[] = {_("where"), _("target"), _("golden"), _("rows")};
    precision_list l = {0};
    precision_find(b->j, b->m, &b->d->arena, &l);
    if (l.n) {
        doc_say(b->d, TONE_PLAIN, "%s", _("Rows with different floating-point types, independent of their values."));
        doc_table(b->d, ARRAY_LEN(head), head);
    }
    for (size_t i = 0; i < l.n && i < b->most; i++) {
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(l.v[i].scope));
        for (int s = 0; s < 2; s++)
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(dtype_table[l.v[i].dtype[s]].name));
        doc_cellf(b->d, DOC_NUMBER, TONE_PLAIN, "%u", l.v[i].rows);
    }
    if (l.n > b->most)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), l.n - b->most);
    vec_release(&l);
}

/* Whether only one side of two recordings of PyTorch has unpaired calls, made in functions that are known, and some of
 * them compute. */
static bool scripted_perhaps(const struct building *b, const gap_group_list *l)
{
    bool one = l->n > 0 && l->v[0].compute; /* groups that compute go first */
    for (int s = 0; s < 2; s++)
        one = one && strcmp(b->m->side[s]->framework, "pytorch") == 0;
    for (size_t i = 0; one && i < l->n; i++)
        one = l->v[i].side == l->v[0].side && l->v[i].frame != NONE;
    return one;
}

void report_gaps(struct building *b)
{
    gap_group_list l = {0};
    gaps_group(b->m->pairing, b->m->side, &l);
    for (size_t i = 0; i < l.n && i < b->most; i++) {
        struct buf t = {0};
        gap_group_text(&l.v[i], b->m->side, &t);
        doc_begin(b->d, DOC_ITEM);
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, buf_view(&t));
        buf_release(&t);
    }
    if (l.n > b->most)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), l.n - b->most);
    if (scripted_perhaps(b, &l))
        doc_say(b->d, TONE_PLAIN, "%s", _("Look for @torch.jit.script on these functions. On a GPU it makes them a "
                                          "ScriptFunction, whose calls no hook records; torch_npu ignores it and "
                                          "records them as plain functions. Remove it and dump again."));
    vec_release(&l);
}
