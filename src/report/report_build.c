/* The order of the sections, the summary, and cells that several sections share. */
#include "report/report_build.h"

#include <math.h>
#include <time.h>

#include "base/io.h"
#include "base/digits.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/tool.h"
#include "diagnose/diagnose.h"
#include "judge/verdict_text.h"
#include "report/report_sections.h"

void report_date(int64_t t, struct buf *out)
{
    time_t at = (time_t)t;
    struct tm tm;
    char text[64];
    if (gmtime_r(&at, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &tm))
        buf_cstr(out, text);
}

enum doc_tone report_tone(enum verdict v)
{
    return v == VERDICT_MATCH                          ? TONE_GOOD
           : v == VERDICT_DRIFT || v == VERDICT_IN_DOUBT ? TONE_WARN
           : v == VERDICT_INHERITED                    ? TONE_QUIET
           : verdict_is_bad(v) || v == VERDICT_DTYPE   ? TONE_BAD
                                                       : TONE_QUIET;
}

void report_row_name(struct building *b, uint32_t line, int side)
{
    uint32_t r = b->m->pairing->lines.v[line].row[side];
    if (r == NONE) {
        doc_cell(b->d, DOC_TEXT, TONE_QUIET, STR("·"));
        return;
    }
    dump_row_name(b->m->side[side], r, &b->name);
    doc_cell(b->d, DOC_NAME, TONE_PLAIN, buf_view(&b->name));
}

void report_verdict(struct building *b, uint32_t line)
{
    static const char *const sign[VERDICT_COUNT] = {
        [VERDICT_PENDING] = "…", [VERDICT_MATCH] = "✓", [VERDICT_DRIFT] = "!", [VERDICT_DEVIATE] = "✗",
        [VERDICT_NONFINITE] = "∞", [VERDICT_SHAPE] = "#", [VERDICT_DTYPE] = "T", [VERDICT_ONLY] = "∅", [VERDICT_SKIP] = "·",
        [VERDICT_INHERITED] = "↓", [VERDICT_IN_DOUBT] = "?",
    };
    const struct line_judgement *x = &b->j->line[line];
    doc_cellf(b->d, DOC_TEXT, report_tone(x->verdict), "%s %s%s", sign[x->verdict], verdict_label(x->verdict),
              x->flags & LINE_DOUBTFUL && x->verdict != VERDICT_IN_DOUBT ? _(" (doubtful)") : "");
}

void report_error(struct building *b, uint32_t line)
{
    char n[NUM_MAX] = "";
    if (!isnan(b->j->line[line].error))
        num_error(n, (double)b->j->line[line].error);
    doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(n));
}

struct str report_digits(struct building *b, const char *text, const char *beside)
{
    char n[NUM_MAX];
    double v, other;
    if (!strchr(text, '.') || !str_double(str_of(text), &v))
        return str_of(text);
    bool two = beside && str_double(str_of(beside), &other);
    num_cell(n, v, digits_apart(v, two ? other : 1));
    return strlen(n) < strlen(text) ? str_of(arena_cstr(&b->d->arena, str_of(n))) : str_of(text);
}

size_t report_count(const struct building *b, enum finding_status s)
{
    size_t n = 0;
    for (size_t i = 0; i < b->findings.n; i++)
        n += b->findings.v[i].status == s;
    return n;
}

/* ---- the summary: five lines and the run at a glance ---- */

static void add_outcome(struct building *b)
{
    struct judge_options o = comparison_judge_options(b->s);
    struct buf t = {0};
    int status = judgement_status(b->j, &o);
    explain_outcome(b->j, &o, &t);
    doc_begin(b->d, DOC_ITEM);
    bool one_of = b->o && b->o->job && b->s->side[TARGET].dump.rank >= 0;
    if (one_of)
        doc_cellf(b->d, DOC_STRONG, TONE_PLAIN, _("Result of rank %d (described below): "),
                  b->s->side[TARGET].dump.rank);
    else
        doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(_("Result: ")));
    doc_cell(b->d, DOC_STRONG, status == 0 ? TONE_GOOD : status == 1 ? TONE_BAD : TONE_WARN, buf_view(&t));
    buf_clear(&t);
    if (b->j->first != NONE)
        explain_provisional(b->j, &t);
    if (t.n)
        doc_cellf(b->d, DOC_TEXT, TONE_WARN, " (%s)", t.p);
    buf_release(&t);
}

static void add_first_place(struct building *b)
{
    doc_begin(b->d, DOC_ITEM);
    doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(_("First deviation: ")));
    if (b->j->first == NONE) {
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(_("none")));
        return;
    }
    const struct line *l = &b->m->pairing->lines.v[b->j->first];
    char n[NUM_MAX];
    report_row_name(b, b->j->first, l->row[TARGET] != NONE ? TARGET : GOLDEN);
    doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(", row %s of the table; %s"), num_count(n, b->j->first + 1),
              first_class_label(b->j->first_class));
}

static void add_first_diagnosis(struct building *b)
{
    struct diagnoses x = {.n = 0};
    struct buf t = {0};
    if (b->j->first == NONE)
        return;
    diagnose_line(&x, b->j, b->m, b->s->flow, b->j->first);
    if (x.n)
        diagnosis_text(&x, 0, &t);
    else
        explain_verdict(b->j, b->m, b->j->first, &t);
    doc_begin(b->d, DOC_ITEM);
    doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(x.n ? _("Looks like: ") : _("Observed: ")));
    doc_cell(b->d, DOC_TEXT, TONE_PLAIN, buf_view(&t));
    buf_release(&t);
    diagnoses_release(&x);
}

static void add_root_cause(struct building *b)
{
    size_t roots = report_count(b, FINDING_ROOT_CAUSE), told = 0;
    doc_begin(b->d, DOC_ITEM);
    doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(_("Root cause: ")));
    for (size_t i = 0; i < b->findings.n && told < 3; i++)
        if (b->findings.v[i].status == FINDING_ROOT_CAUSE)
            doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, "%s%s", told++ ? "; " : "", b->findings.v[i].text);
    if (!roots)
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _("not determined; %zu suspected, %zu cleared, %zu waived"),
                  report_count(b, FINDING_SUSPECTED), report_count(b, FINDING_CLEARED),
                  report_count(b, FINDING_WAIVED));
}

static void add_since_round(struct building *b)
{
    const struct round_since *x = &b->s->since;
    struct buf t = {0};
    round_since_sentence(b->s, &t);
    if (t.n) {
        doc_begin(b->d, DOC_ITEM);
        doc_cell(b->d, DOC_STRONG,
                 x->changes.confirmed     ? TONE_GOOD
                 : x->changes.status == 1 ? TONE_BAD
                                          : TONE_PLAIN,
                 buf_view(&t));
    }
    buf_release(&t);
}

/* A recording's own name, with its folder's where other rounds have other recordings of that name. */
static struct str round_input(const struct investigation *v, const char *path, int side)
{
    struct str whole = str_of(path ? path : ""), name = path_base(whole);
    bool shared = false;
    for (size_t i = 0; i <= v->rounds.n && path; i++) {
        const char *other = i < v->rounds.n ? v->rounds.v[i].input[side] : v->input[side];
        shared = shared || (other && strcmp(other, path) != 0 && str_eq(path_base(str_of(other)), name));
    }
    struct str folder = path_base(path_parent(whole));
    return shared && folder.n ? str_n(folder.p, (size_t)(name.p + name.n - folder.p)) : name;
}

static void round_row(struct building *b, uint32_t number, int64_t date, const char *const path[2], const char *result,
                      enum doc_tone tone, const char *first)
{
    char when[16] = "";
    time_t at = (time_t)date;
    struct tm tm;
    if (date && gmtime_r(&at, &tm))
        strftime(when, sizeof when, "%Y-%m-%d", &tm);
    doc_cellf(b->d, DOC_NUMBER, TONE_PLAIN, "%u", number);
    doc_cell(b->d, DOC_TEXT, TONE_QUIET, str_of(when));
    for (int i = 0; i < 2; i++)
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, round_input(b->o->inv, path[i], i));
    doc_cell(b->d, DOC_TEXT, tone, str_of(result));
    doc_cell(b->d, *first ? DOC_NAME : DOC_TEXT, TONE_PLAIN, str_of(first));
}

static void left_round(struct building *b, const struct round_left *r)
{
    const struct round_place p = {b->o->inv->path, r->file, r->fingerprint, r->number};
    struct round x;
    struct err e;
    round_init(&x);
    bool read = round_open(&x, &p, &e) == 0;
    round_row(b, r->number, r->date, r->input,
              !read        ? _("not readable")
              : x.deviates ? _("deviates")
              : x.status   ? _("could not be judged")
                           : _("aligned"),
              !read ? TONE_WARN : x.deviates ? TONE_BAD : x.status ? TONE_WARN : TONE_GOOD,
              !read || !x.deviates ? "" : *x.first[TARGET] ? x.first[TARGET] : x.first[GOLDEN]);
    round_release(&x);
}

/* What each round found, the one that is open last unless an earlier one is. */
static void add_round_table(struct building *b)
{
    const char *const head[] = {_("round"), _("date"), _("target"), _("golden"), _("result"), _("first deviation")};
    const struct investigation *v = b->o ? b->o->inv : NULL;
    if (!v || !v->rounds.n || !v->path || v->shown || !b->j)
        return;
    struct judge_options o = comparison_judge_options(b->s);
    int status = judgement_status(b->j, &o);
    doc_table(b->d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < v->rounds.n; i++)
        left_round(b, &v->rounds.v[i]);
    buf_clear(&b->name);
    if (b->j->first != NONE) {
        const uint32_t *row = b->m->pairing->lines.v[b->j->first].row;
        int side = row[TARGET] != NONE ? TARGET : GOLDEN;
        dump_row_name(b->m->side[side], row[side], &b->name);
    }
    round_row(b, (uint32_t)v->rounds.n + 1, b->o->date, v->input,
              status == 0 ? _("aligned") : status == 1 ? _("deviates") : _("could not be judged"),
              status == 0 ? TONE_GOOD : status == 1 ? TONE_BAD : TONE_WARN, b->name.n ? b->name.p : "");
}

static void add_three_way(struct building *b)
{
    struct buf t = {0};
    explain_three_way(b->m, &b->s->reference, &t);
    if (t.n) {
        doc_begin(b->d, DOC_ITEM);
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, buf_view(&t));
    }
    buf_release(&t);
}

static void add_compared_rows(struct building *b)
{
    const struct judge_summary *x = &b->j->sum;
    doc_begin(b->d, report_told(b) ? DOC_PARAGRAPH : DOC_ITEM);
    doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(_("Compared: ")));
    doc_cellf(
        b->d, DOC_TEXT, TONE_PLAIN,
        _("%u rows paired, %u target-only, %u golden-only; coverage of compute calls %.0f %% target, %.0f %% golden; "),
        x->pairs, x->only[TARGET], x->only[GOLDEN], x->coverage[TARGET] * 100, x->coverage[GOLDEN] * 100);
    bool any = false;
    for (int v = VERDICT_MATCH; v < VERDICT_COUNT; v++)
        if (v != VERDICT_ONLY && x->by[v]) {
            doc_cellf(b->d, DOC_TEXT, report_tone((enum verdict)v), "%s%u %s", any ? ", " : "", x->by[v],
                      verdict_label((enum verdict)v));
            any = true;
        }
    if (x->known)
        doc_cellf(b->d, DOC_TEXT, TONE_QUIET, _(", %u accepted"), x->known);
    struct buf t = {0};
    explain_factor(b->j, &t);
    if (t.n)
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, "; %s", t.p);
    buf_clear(&t);
    explain_regions(x, "; ", &t);
    if (t.n)
        doc_cell(b->d, DOC_TEXT, TONE_QUIET, buf_view(&t));
    buf_release(&t);
}

/* Of the rows of a bar the heaviest gives its colour: where a deviation starts, before what drifts, what inherits
 * and what agrees. */
static uint8_t chart_rank(enum verdict v)
{
    static const uint8_t weight[VERDICT_COUNT] = {
        [VERDICT_DEVIATE] = 5, [VERDICT_NONFINITE] = 5, [VERDICT_SHAPE] = 5, [VERDICT_DTYPE] = 4,
        [VERDICT_DRIFT] = 4,   [VERDICT_IN_DOUBT] = 4, [VERDICT_INHERITED] = 3, [VERDICT_MATCH] = 2, [VERDICT_SKIP] = 1,
    };
    return weight[v];
}

#define BARS 200

/* Errors over the execution order: the worst of each stretch, on a scale of orders of magnitude. */
static void add_error_chart(struct building *b)
{
    uint32_t n = b->j->lines < BARS ? (uint32_t)b->j->lines : BARS;
    char count[NUM_MAX];
    if (!n)
        return;
    const char *right = arena_fmt(&b->d->arena, _("row %s"), num_count(count, b->j->lines));
    struct doc_figure *f =
        doc_figure(b->d, n, _("row 1"), right,
                   b->j->first == NONE ? _("error by execution order, 1e-8 to 1")
                                       : _("first deviation; error by execution order, 1e-8 to 1 (red: starts here, "
                                           "grey: inherits)"));
    for (uint32_t i = 0; i < n; i++) {
        f->height[i] = NAN;
        f->tone[i] = TONE_QUIET;
        uint8_t heaviest = 0;
        for (size_t k = (size_t)i * b->j->lines / n; k < (size_t)(i + 1) * b->j->lines / n; k++) {
            const struct line_judgement *x = &b->j->line[k];
            enum doc_tone t = report_tone(x->verdict);
            uint8_t weight = chart_rank(x->verdict);
            double h = isnan(x->error) ? x->verdict == VERDICT_NONFINITE ? 1 : NAN
                       : x->error > 0  ? (log10((double)x->error) + 8) / 8
                                       : 0;
            f->height[i] = fmax(f->height[i], isnan(h) ? h : h < 0 ? 0 : h > 1 ? 1 : h);
            if (weight > heaviest)
                f->tone[i] = (uint8_t)t;
            heaviest = weight > heaviest ? weight : heaviest;
        }
    }
    if (b->j->first != NONE)
        f->mark = (uint32_t)((uint64_t)b->j->first * n / b->j->lines);
}

static void report_summary(struct building *b)
{
    if (b->j) {
        add_outcome(b);
        add_first_place(b);
        add_first_diagnosis(b);
    } else {
        doc_begin(b->d, DOC_ITEM);
        doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(_("Result: ")));
        doc_cell(b->d, DOC_TEXT, TONE_WARN, str_of(b->unread ? _("the dumps could not be read; the saved state of the "
                                                                 "investigation is shown")
                                                             : _("first deviation unknown: dumps of both sides were "
                                                                 "not given")));
        if (b->unread) {
            doc_begin(b->d, DOC_ITEM);
            doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(_("Not read: ")));
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(b->unread));
        }
    }
    add_root_cause(b);
    report_procedure_line(b);
    add_since_round(b);
    if (b->j)
        add_three_way(b);
    if (b->j && !report_told(b))
        add_compared_rows(b);
    if (b->j)
        add_error_chart(b);
    add_round_table(b);
    if (b->j && report_told(b)) /* five lines above the picture, as the procedure's is one of them */
        add_compared_rows(b);
}

/* Open points of the dumps and of the panels. */
static void open_questions(struct building *b)
{
    if (b->j || b->unread)
        report_open(b);
    report_open_panels(b);
}

static void add_reproduction(struct building *b)
{
    if (b->j || b->unread)
        report_reproduction(b);
    report_panels_again(b);
}

static const struct {
    const char *id, *title;
    void (*build)(struct building *b);
    bool dumps; /* told from two dumps alone */
} sections[] = {
    {"ranks", N_("All ranks"), report_ranks, false},
    {"summary", N_("Summary"), report_summary, false},
    {"starts", N_("Starts here"), report_starts, true},
    {"procedure", N_("Procedure"), report_procedure, false},
    {"first", N_("First deviation"), report_first, true},
    {"rounds", N_("Since the previous round"), report_rounds, true},
    {"findings", N_("Findings"), report_findings, false},
    {"ruled-out", N_("Ruled out"), report_ruled_out, false},
    {"open", N_("Open questions"), open_questions, false},
    {"diagnosis", N_("Diagnosis"), report_diagnosis, true},
    {"causes", N_("Matching known causes"), report_causes, false},
    {"which-side", N_("Which side is wrong"), report_which_side, true},
    {"settings", N_("Settings"), report_settings, false},
    {"checkpoints", N_("Initial weights"), report_checkpoints, false},
    {"weights", N_("Parameters in the dumps"), report_weights, true},
    {"determinism", N_("Determinism"), report_determinism, false},
    {"first-step", N_("Loss of step 1"), report_first_step, false},
    {"norms", N_("Local norm"), report_norms, false},
    {"optimizer", N_("Optimizer"), report_optimizer, false},
    {"frozen", N_("Learning rate 0"), report_lr0, false},
    {"curves", N_("Long run"), report_long_run, false},
    {"scaling", N_("Scaling out"), report_scaling, false},
    {"rollout", N_("Trainer and rollout"), report_rollout, false},
    {"overflow", N_("Overflow and saturation"), report_overflow, true},
    {"known", N_("Accepted differences"), report_accepted, true},
    {"precision", N_("Precision"), report_precision, true},
    {"gaps", N_("Unpaired calls"), report_gaps, true},
    {"decisions", N_("Pairs decided by the user"), report_decisions, false},
    {"inputs", N_("Inputs"), report_inputs, false},
    {"limits", N_("Limits"), report_limits, false},
    {"reproduction", N_("Reproduction"), add_reproduction, false},
};

/* The name of a side's recording in the report: as it was opened, otherwise as in the investigation. */
static const char *recording_path_shown(const struct comparison *s, const struct report_options *o, int side)
{
    const char *path = s->side[side].dump.path;
    return path || !o->inv ? path : o->inv->input[side];
}

void report_sanitize(struct sanitize *c, const struct comparison *s, const struct report_options *o)
{
    sanitize_init(c, recording_path_shown(s, o, TARGET), recording_path_shown(s, o, GOLDEN), o->paths);
}

static void add_section(struct building *b, size_t i)
{
    doc_section(b->d, sections[i].id, _(sections[i].title));
    if (b->j || !sections[i].dumps)
        sections[i].build(b);
    if (doc_is_empty(b->d))
        doc_drop(b->d);
}

void report_build(struct document *d, const struct comparison *s, const struct report_options *o,
                  const struct sanitize *c)
{
    struct building b = {.d = d,
                         .s = s,
                         .j = s->single || s->failed ? NULL : s->judged,
                         .m = &s->measure,
                         .o = o,
                         .most = 20,
                         .unread = s->failed ? s->err.text : NULL};
    struct buf t = {0};
    document_init(d, c);
    if (o->inv)
        findings_read(&o->inv->findings, &b.findings);
    if (b.j || (b.unread && recording_path_shown(s, o, TARGET) && recording_path_shown(s, o, GOLDEN))) {
        sanitize_path(c, recording_path_shown(s, o, TARGET), &t);
        buf_cstr(&t, _(" against "));
        sanitize_path(c, recording_path_shown(s, o, GOLDEN), &t);
    } else if (o->inv && o->inv->path) {
        sanitize_text(c, path_base(str_of(o->inv->path)), SANITIZE_NAME, &t);
    }
    d->title = arena_cstr(&d->arena, buf_view(&t));
    d->lang = strcmp(msg_current(), "zh_CN") == 0 ? "zh-CN" : "en";
    buf_clear(&t);
    buf_fmt(&t, _("Findings report, written by %s"), TOOL);
    if (o->date) {
        buf_cstr(&t, ", ");
        report_date(o->date, &t);
    }
    d->stamp = arena_cstr(&d->arena, buf_view(&t));
    for (size_t i = 0; i < ARRAY_LEN(sections) && report_goes_on(o, NULL, i, ARRAY_LEN(sections)); i++)
        add_section(&b, i);
    vec_release(&b.findings);
    buf_release(&b.name);
    buf_release(&t);
}

void report_part(struct document *d, const struct comparison *s, const char *const *id, size_t n, size_t most)
{
    struct building b = {.d = d, .s = s, .j = s->judged, .m = &s->measure, .most = most};
    for (size_t i = 0; i < ARRAY_LEN(sections); i++)
        for (size_t k = 0; k < n; k++)
            if (strcmp(sections[i].id, id[k]) == 0)
                add_section(&b, i);
    buf_release(&b.name);
}
