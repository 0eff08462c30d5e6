/* The table of doubts about one side, about both, and about changed inputs; each adds a sentence. */
#include "compare/input_doubts.h"

#include <math.h>
#include <sys/stat.h>
#include <time.h>

#include "dump/intervention.h"
#include "fmt/pack_read.h"
#include "base/msg.h"
#include "base/num.h"
#include "judge/accepted.h"

static void add_doubt(input_doubt_list *out, int side, bool question, const char *text)
{
    struct input_doubt x = {.side = side, .question = question, .text = text, .row = NONE};
    vec_push(out, x);
}

/* As add_doubt, of something that a command shows or settles. */
static void add_opening(input_doubt_list *out, int side, bool question, const char *opens, const char *text)
{
    add_doubt(out, side, question, text);
    vec_last(out)->opens = opens;
}

/* As add_doubt, of something that a row shows. */
static void add_row_doubt(input_doubt_list *out, int side, uint32_t row, const char *text)
{
    add_doubt(out, side, true, text);
    vec_last(out)->row = row;
}

void input_doubts_extent(const struct recording *x, int *steps, int *ranks)
{
    int step = -2, least = 0, most = 0;
    *steps = 0;
    for (size_t i = 0; i < x->places.n; i++) {
        const struct place *p = &x->places.v[i];
        *steps += p->step != step; /* sorted by step */
        step = p->step;
        least = i == 0 || p->rank < least ? p->rank : least;
        most = i == 0 || p->rank > most ? p->rank : most;
    }
    *ranks = x->places.n ? most - least + 1 : 0;
}

/* Two recordings of one step and rank below the path: of different roles, models or runs. */
static void doubt_ambiguous_recording(const struct recording *x, int side, struct arena *a, input_doubt_list *out)
{
    const struct place *open = &x->places.v[x->place];
    unsigned same = 0;
    const char *other = NULL;
    for (size_t i = 0; i < x->places.n; i++) {
        const struct place *p = &x->places.v[i];
        if (p == open || p->step != open->step || p->rank != open->rank)
            continue;
        other = other ? other : p->paths.v[0];
        same++;
    }
    if (same)
        add_opening(out, side, true, "dumps",
                    arena_fmt(a, _("%u recordings of the same step and rank found; opened: %s; another one: "
                                   "%s; name the folder to open a different one"),
                              same + 1, open->paths.v[0], other));
}

/* Several steps or ranks, none of which was requested. */
static void doubt_several_places(const struct comparison *s, int side, struct arena *a, input_doubt_list *out)
{
    const struct recording *x = &s->side[side];
    int steps, ranks;
    if (!x->places.n)
        return;
    doubt_ambiguous_recording(x, side, a, out);
    input_doubts_extent(x, &steps, &ranks);
    const struct place *open = &x->places.v[x->place];
    if ((steps > 1 && s->opt.step[side] >= 0) || (ranks > 1 && s->opt.rank[side] >= 0))
        return;
    if (steps > 1 && ranks > 1)
        add_opening(out, side, true, "step",
                    arena_fmt(a, s->single ? _("%d steps × %d ranks found; this is step %d, rank %d")
                                           : _("%d steps × %d ranks found; step %d, rank %d is compared"),
                              steps, ranks, open->step, open->rank));
    else if (steps > 1 && open->step < 0)
        add_opening(out, side, true, "step",
                    arena_fmt(a, s->single ? _("%d steps found; this recording has no step number")
                                           : _("%d steps found; a recording without step number is compared"),
                              steps));
    else if (steps > 1)
        add_opening(out, side, true, "step",
                    arena_fmt(a, s->single ? _("%d steps found; this is step %d")
                                           : _("%d steps found; step %d is compared"),
                              steps, open->step));
    else if (ranks > 1)
        add_opening(out, side, true, "rank",
                    arena_fmt(a, s->single ? _("%d ranks found; this is rank %d")
                                           : _("%d ranks found; rank %d is compared"),
                              ranks, open->rank));
}

/* A value was replaced during recording: rows may agree for that reason. */
static void doubt_intervention(const struct recording *x, int side, struct arena *a, input_doubt_list *out)
{
    const char *row = intervention_of(x->dump.path, a);
    if (row)
        add_doubt(out, side, true,
                  arena_fmt(a,
                            _("recorded with the value of %s replaced (intervention.json): a test, not a "
                              "normal run"),
                            row));
}

#define FRESH 60 /* seconds: a file written to since then may still grow */

/* Seconds since the last change of any of the recording's own files; -1 if unknown. */
static long written_ago(const char *path)
{
    static const char *const file[] = {"dump.json", "debug.json", "statistic.csv", "dump_tensor_data", "."};
    struct buf b = {0};
    struct stat st;
    time_t newest = 0;
    for (size_t i = 0; i < ARRAY_LEN(file); i++) {
        path_join(&b, path, file[i]);
        if (stat(b.p, &st) == 0 && st.st_mtime > newest)
            newest = st.st_mtime;
    }
    if (!newest && stat(path, &st) == 0)
        newest = st.st_mtime;
    buf_release(&b);
    long ago = (long)(time(NULL) - newest);
    if (ago < 0 && ago > -FRESH) /* clocks of file systems may be ahead by ticks or seconds */
        ago = 0;
    return newest && ago >= 0 ? ago : -1;
}

static void doubt_growing_file(const struct comparison *s, int side, struct arena *a, input_doubt_list *out)
{
    const struct recording *x = &s->side[side];
    if (!x->places.n || packed_of(&x->dump))
        return;
    long ago = written_ago(x->places.v[x->place].paths.v[0]);
    if (ago >= 0 && ago < FRESH) {
        add_opening(out, side, false, "reload",
                    arena_fmt(a, _("modified %ld s ago, may still be written; r reads it again"), ago));
        vec_last(out)->passing = true;
    }
}

/* With a dropout probability above zero two correct runs differ. */
static void doubt_dropout(const struct dump *d, int side, struct arena *a, input_doubt_list *out)
{
    unsigned calls = 0;
    uint32_t first = NONE;
    double p = 0;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call *k = &d->calls.v[c];
        if (k->phase != PHASE_FORWARD || !(strstr(k->name, "dropout") || strstr(k->name, "Dropout")))
            continue;
        double found = 0;
        EACH_ROW(d, c, r) {
            const struct row *x = &d->rows.v[r];
            if (x->io == IO_INPUT && x->kind == ROW_FLOAT && x->stat[0] > 0 && x->stat[0] < 1)
                found = x->stat[0];
        }
        if (!(found > 0))
            continue;
        first = calls++ ? first : k->first_row;
        p = found > p ? found : p;
    }
    if (calls)
        add_row_doubt(out, side, first,
                      arena_fmt(a,
                                _("dropout is on in %u calls (p up to %.2g): this alone makes two runs "
                                  "differ"),
                                calls, p));
}

/* Rows of one type at its largest finite number. */
struct saturated {
    unsigned above, below;
    uint32_t high, deep; /* the first of each; NONE */
    bool masked;
};

static void count_saturated(struct saturated *s, const struct row *x, uint32_t r)
{
    double most = dtype_table[x->dtype].max;
    bool low = (x->has & HAS_MIN) && x->stat[STAT_MIN] <= -most && !isinf(x->stat[STAT_MIN]);
    bool up = (x->has & HAS_MAX) && x->stat[STAT_MAX] >= most && !isinf(x->stat[STAT_MAX]);
    s->masked |= low && (x->has & HAS_MAX) && x->stat[STAT_MAX] <= 0;
    s->high = up && !s->above++ ? r : s->high;
    s->deep = low && !up && !s->below++ ? r : s->deep;
}

/* Rows at the largest finite number of their type, by type. Where masks are filled with the lowest number (nothing
 * above zero), masked scores reach it in a correct run. */
static void doubt_saturation(const struct dump *d, int side, struct arena *a, input_doubt_list *out)
{
    static const uint8_t types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};
    struct saturated of_type[DTYPE_COUNT];
    struct buf name = {0};
    for (size_t k = 0; k < DTYPE_COUNT; k++)
        of_type[k] = (struct saturated){.high = NONE, .deep = NONE};
    for (uint32_t r = 0; r < d->rows.n; r++)
        if (d->rows.v[r].kind == ROW_TENSOR)
            count_saturated(&of_type[d->rows.v[r].dtype], &d->rows.v[r], r);
    for (size_t k = 0; k < ARRAY_LEN(types); k++) {
        const struct saturated *s = &of_type[types[k]];
        unsigned rows = s->above + (s->masked ? 0 : s->below);
        if (!rows)
            continue;
        buf_clear(&name);
        uint32_t first = s->masked || s->high < s->deep ? s->high : s->deep;
        dump_row_name(d, first, &name);
        add_row_doubt(out, side, first,
                      arena_fmt(a, _("%g, the largest %s, occurs in %u rows, first in %s: the device saturates "
                                            "instead of overflowing"),
                                       dtype_table[types[k]].max, dtype_table[types[k]].name, rows, name.p));
    }
    buf_release(&name);
}

/* Operators that overflowed according to the device. */
static void doubt_overflows(const struct dump *d, int side, struct arena *a, input_doubt_list *out)
{
    const char *first = NULL;
    uint32_t row = NONE;
    unsigned n = 0;
    for (size_t i = 0; i < d->problems.n; i++)
        if (strcmp(d->problems.v[i].kind, "overflow") == 0 && n++ == 0) {
            first = d->problems.v[i].text;
            row = d->problems.v[i].row;
        }
    if (n)
        add_row_doubt(out, side, row, arena_fmt(a, _("the device recorded %u overflows; the first: %s"), n, first));
}

static void doubt_one_side(const struct comparison *s, int side, struct arena *a, input_doubt_list *out)
{
    const struct dump *d = &s->side[side].dump;
    doubt_several_places(s, side, a, out);
    doubt_growing_file(s, side, a, out);
    doubt_intervention(&s->side[side], side, a, out);
    doubt_dropout(d, side, a, out);
    doubt_saturation(d, side, a, out);
    doubt_overflows(d, side, a, out);
    for (size_t k = 0; k < d->warnings.n; k++)
        add_doubt(out, side, false, d->warnings.v[k]);
    const char *first = NULL; /* of a row: what concerns the whole file is said by itself */
    size_t unread = 0;
    for (size_t k = 0; k < d->problems.n; k++) {
        if (d->problems.v[k].recorded)
            continue;
        unread++;
        if (d->problems.v[k].row == NONE)
            add_doubt(out, side, false, d->problems.v[k].text);
        else
            first = first ? first : d->problems.v[k].text;
    }
    if (unread && first)
        add_doubt(out, side, false, arena_fmt(a, _("%zu rows or files could not be read in full, the first: %s; :list "
                                                   "problems lists them"), unread, first));
    else if (unread)
        add_doubt(out, side, false, arena_fmt(a, _("%zu rows or files could not be read in full; :list problems lists "
                                                   "them"), unread));
}

void input_doubts_alone(const struct comparison *s, struct arena *a, input_doubt_list *out)
{
    const struct dump *d = &s->side[TARGET].dump;
    doubt_several_places(s, TARGET, a, out);
    doubt_dropout(d, TARGET, a, out);
    for (size_t k = 0; k < d->warnings.n; k++)
        add_doubt(out, TARGET, false, d->warnings.v[k]);
}

/* A path given twice by mistake would be called aligned. A result table holds both sides. */
static bool doubt_same_recording(const struct dump *t, const struct dump *g)
{
    return !t->reader->table && t->path && g->path && t->step == g->step && t->rank == g->rank &&
           path_same(t->path, g->path);
}

static void doubt_both_sides(const struct comparison *s, struct arena *a, input_doubt_list *out)
{
    const struct dump *t = &s->side[TARGET].dump, *g = &s->side[GOLDEN].dump;
    if (doubt_same_recording(t, g))
        add_doubt(out, -1, true, _("both sides are the same recording: it is compared with itself"));
    if (s->judged && s->judged->unsaid)
        add_doubt(out, -1, false,
                  _("nothing tells in which type these values were computed, and none agrees as float32 does: they are "
                    "judged as bfloat16 (from 0.02 in doubt, deviation from 0.08)"));
    if (*t->level && *g->level && strcmp(t->level, g->level) != 0)
        add_doubt(out, -1, true,
                  arena_fmt(a, _("levels differ (%s and %s): rows recorded at only one of them are not paired"),
                            t->level, g->level));
    if (*t->task && *g->task && strcmp(t->task, g->task) != 0)
        add_doubt(
            out, -1, true,
            arena_fmt(a, _("tasks differ (%s and %s): only data recorded by both is compared"), t->task, g->task));
    if (t->step >= 0 && g->step >= 0 && t->step != g->step && s->opt.step[0] < 0)
        add_opening(out, -1, true, "step", arena_fmt(a, _("step %d is compared with step %d"), t->step, g->step));
    if (t->rank >= 0 && g->rank >= 0 && t->rank != g->rank && s->opt.rank[0] < 0)
        add_opening(out, -1, true, "rank", arena_fmt(a, _("rank %d is compared with rank %d"), t->rank, g->rank));
    if (t->reader->weights != g->reader->weights)
        add_doubt(out, -1, true,
                  _("one side is a dump, the other a weight file: use diverge weights to compare weights"));
    if (strcmp(t->framework, "pytorch") == 0 && strcmp(g->framework, "mindspore") == 0)
        add_opening(out, -1, true, "swap",
                    _("the golden side is a MindSpore dump; the benchmark is usually PyTorch; s swaps the "
                             "sides"));
}

/* Rows whose tensors in a third run could not be read: their distance from it is unknown. */
static void doubt_unread_third_run(const struct third_run_errors *x, const char *option, struct arena *a,
                                   input_doubt_list *out)
{
    if (x->unread)
        add_doubt(out, -1, false,
                  arena_fmt(a,
                            _("%s: %zu rows could not be read and were not compared with this run; the "
                              "first: %s"),
                            option, x->unread, x->why.text));
}

/* Rows of which one side holds a part only, where its recording alone does not show it (dump/cut_tensors.h). */
static void doubt_cut_rows(const struct comparison *s, struct arena *a, input_doubt_list *out)
{
    const struct pairing *p = s->pairing;
    uint32_t first = NONE;
    size_t n = 0;
    for (uint32_t i = 0; i < p->lines.n; i++) {
        const struct line *l = &p->lines.v[i];
        if (l->pair == NONE || p->pairs.v[l->pair].cut == CUT_NO ||
            s->side[!p->views.v[p->pairs.v[l->pair].view].side].dump.tensors_cut)
            continue;
        first = n++ ? first : i;
    }
    if (!n)
        return;
    const struct line *l = &p->lines.v[first];
    int side = !p->views.v[p->pairs.v[l->pair].view].side;
    struct buf name = {0}, part = {0}, whole = {0};
    dump_row_name(&s->side[side].dump, l->row[side], &name);
    shape_text(dump_row_shape(&s->side[side].dump, l->row[side]), &part);
    shape_text(dump_row_shape(&s->side[!side].dump, l->row[!side]), &whole);
    add_doubt(out, side, l->row[side],
            arena_fmt(a, _("%zu tensors were cut before they were recorded (slice or request_id of msprobe), the "
                           "first: %s, %s of %s; only the common part is compared"), n, name.p, part.p, whole.p));
    buf_release(&name);
    buf_release(&part);
    buf_release(&whole);
}

#define EVEN_LEAST 4  /* rows that add a difference */
#define EVEN 4.0      /* the largest of these differences over the smallest */
#define EVEN_MOST 0.05 /* more is no rounding */

/* Results of layers alone, float32 on both sides, each of which adds about as much to the difference as the others:
 * no single one stands out. Arithmetic in a coarser type looks so, and so does what all layers do differently. */
static void even_growth(const struct comparison *s, struct arena *a, input_doubt_list *out)
{
    const struct judgement *j = s->judged;
    const struct dump *t = &s->side[TARGET].dump, *g = &s->side[GOLDEN].dump;
    char low[NUM_MAX], high[NUM_MAX];
    double before = 0, least = INFINITY, most = 0;
    size_t n = 0, later = 0;
    /* from the start: behind equal layers it is one that differs */
    if (j->first == NONE || j->first > 1 || strcmp(t->reader->name, "activations") != 0 ||
        strcmp(g->reader->name, "activations") != 0)
        return;
    for (size_t i = 0; i < j->lines; i++) {
        const uint32_t *row = s->pairing->lines.v[i].row;
        double e = (double)j->line[i].error;
        if (row[TARGET] == NONE || row[GOLDEN] == NONE || t->rows.v[row[TARGET]].dtype != DTYPE_F32 ||
            g->rows.v[row[GOLDEN]].dtype != DTYPE_F32 || !(e <= EVEN_MOST))
            return;
        if (e > 0 && i < j->first)
            return; /* it begins before */
        double added = sqrt(fmax(0, e * e - before * before));
        if (i >= j->first) {
            later++;
            if (added > 0) {
                least = fmin(least, added);
                most = fmax(most, added);
                n++;
            }
        }
        before = fmax(before, e);
    }
    if (n >= EVEN_LEAST && 4 * n >= 3 * later && most <= EVEN * least)
        add_doubt(
            out, -1, false,
            arena_fmt(a,
                      _("from the first deviating row on each adds about as much to the difference (%s to %s): one "
                        "side may compute in a coarser type, or all layers differ alike; record the modules inside "
                        "to tell"),
                      num_cell(low, least, 2), num_cell(high, most, 2)));
}

/* Both sides may have the same ids and labels, and be wrong alike. */
static void doubt_tokens(const struct comparison *s, struct arena *a, input_doubt_list *out)
{
    for (int i = 0; i < 2; i++) {
        const char *beyond = token_check_beyond(&s->tokens[i], a), *labels = token_check_labels(&s->tokens[i], a);
        if (beyond)
            add_doubt(out, i, true, beyond);
        if (labels)
            add_doubt(out, i, true, labels);
    }
}

static void doubt_changed_files(const struct comparison *s, int i, struct arena *a, input_doubt_list *out)
{
    struct buf text = {0};
    file_stamp_text(&s->opt.was[i], &s->side[i].now, &text);
    if (text.n)
        add_doubt(out, i, false, arena_cstr(a, buf_view(&text)));
    buf_release(&text);
}

void input_doubts_find(const struct comparison *s, struct arena *a, input_doubt_list *out)
{
    int loaded = 0;
    for (int i = 0; i < 2 && !(i && s->single); i++)
        if (s->side[i].state == SIDE_LOADED) {
            doubt_changed_files(s, i, a, out);
            doubt_one_side(s, i, a, out);
            loaded++;
        }
    if (loaded == 2)
        doubt_both_sides(s, a, out);
    doubt_unread_third_run(&s->golden2, "--golden2", a, out);
    doubt_unread_third_run(&s->reference, "--reference", a, out);
    if (s->since.err.code)
        add_doubt(out, -1, false,
                  arena_fmt(a, _("the verdicts of the previous round are unknown: %s"), s->since.err.text));
    if (s->complete && s->judged && loaded == 2) {
        doubt_tokens(s, a, out);
        doubt_cut_rows(s, a, out);
        even_growth(s, a, out);
    }
    const char *text;
    for (size_t i = 0; s->complete && s->judged && (text = accepted_warning(s->judged, i, a)); i++)
        add_doubt(out, -1, false, text);
}

const char *input_doubts_sentence(const struct input_doubt *x, struct arena *a)
{
    return x->side < 0 ? x->text : arena_fmt(a, "%s: %s", x->side == GOLDEN ? _("golden") : _("target"), x->text);
}

const char *input_doubts_target(const struct comparison *s)
{
    const struct dump *t = &s->side[0].dump, *g = &s->side[1].dump;
    if (strcmp(t->framework, "mindspore") == 0 && strcmp(g->framework, "pytorch") == 0)
        return _("the target is the first path given and the MindSpore dump");
    return _("the target is the first path given");
}
