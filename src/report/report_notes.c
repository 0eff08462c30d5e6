/* The sections of findings and decisions, and the commands that reproduce the result. */
#include "base/io.h"
#include "base/msg.h"
#include "base/num.h"
#include "table/evidence.h"
#include "judge/tool_rules.h"
#include "panel/subject.h"
#include "report/report_sections.h"

#define DECISIONS_TOLD 200

static enum doc_tone finding_status_tone(uint8_t status)
{
    return status == FINDING_ROOT_CAUSE ? TONE_BAD : status == FINDING_SUSPECTED ? TONE_WARN : TONE_QUIET;
}

/* Numbers of the pair share a line. */
static void pair_figures(struct building *b, const struct finding *x)
{
    bool any = false;
    double v;
    for (size_t i = 0; i < x->evidence.n; i++) {
        const struct fact *f = &x->evidence.fact[i];
        if (f->side[1] || !str_double(str_of(f->side[0]), &v))
            continue;
        if (!any)
            doc_begin(b->d, DOC_ITEM);
        doc_cellf(b->d, DOC_TEXT, TONE_QUIET, any ? "; %s " : "%s ", evidence_label(f->what));
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, report_digits(b, f->side[0], NULL));
        any = true;
    }
}

/* Its row in the previous round, and now. */
static void add_finding_since(struct building *b, const struct finding *x)
{
    struct buf t = {0};
    if (!finding_of_rows(x))
        return;
    round_since_named(b->s, x->about, &t);
    if (t.n) {
        doc_begin(b->d, DOC_ITEM);
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, buf_view(&t));
    }
    buf_release(&t);
}

/* The lines that were shown around it. */
static void add_screen_excerpt(struct building *b, const struct finding *x)
{
    struct buf t = {0};
    for (size_t i = 0; i < x->evidence.n; i++)
        if (strcmp(x->evidence.fact[i].what, "screen") == 0)
            buf_fmt(&t, "%s%s", t.n ? "\n" : "", x->evidence.fact[i].side[0]);
    if (t.n)
        doc_code(b->d, buf_view(&t));
    buf_release(&t);
}

/* What was seen when it was noted. */
static void add_finding_evidence(struct building *b, const struct finding *x)
{
    const char *const head[] = {_("when the finding was added"), _("target"), _("golden")};
    bool table = false;
    for (size_t i = 0; i < x->evidence.n; i++) {
        const struct fact *f = &x->evidence.fact[i];
        double v;
        if (f->side[1] || str_double(str_of(f->side[0]), &v) || strcmp(f->what, "screen") == 0)
            continue;
        doc_begin(b->d, DOC_ITEM);
        bool verdict = strcmp(f->what, "verdict") == 0; /* not to be taken for that of now, which stands above */
        doc_cellf(b->d, DOC_TEXT, TONE_QUIET, verdict ? _("%s when the finding was added: ") : "%s: ",
                  evidence_label(f->what));
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(f->side[0]));
    }
    pair_figures(b, x);
    add_screen_excerpt(b, x);
    for (size_t i = 0; i < x->evidence.n; i++) {
        const struct fact *f = &x->evidence.fact[i];
        if (!f->side[1])
            continue;
        if (!table)
            doc_table(b->d, ARRAY_LEN(head), head);
        table = true;
        doc_cell(b->d, DOC_TEXT, TONE_QUIET, str_of(evidence_label(f->what)));
        for (int s = 0; s < 2; s++)
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, report_digits(b, f->side[s], f->side[!s]));
    }
}

/* A long text keeps its lines. */
static void add_paragraphs(struct building *b, struct str text)
{
    struct str line;
    do {
        line = str_next(&text, '\n');
        if (!line.n && text.n)
            continue;
        doc_begin(b->d, DOC_PARAGRAPH);
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, line);
    } while (text.n);
}

static void add_finding_text(struct building *b, const struct finding *x, bool full)
{
    struct buf t = {0};
    doc_begin(b->d, full ? DOC_HEADING : DOC_ITEM);
    for (int i = 0; i < x->depth && i < 8; i++) /* below what it follows from */
        doc_cell(b->d, DOC_TEXT, TONE_QUIET, STR("↳ "));
    doc_cellf(b->d, DOC_TEXT, finding_status_tone(x->status), "%u. %s", x->number,
              _(finding_status_name((enum finding_status)x->status)));
    if (x->severity)
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(", severity %s"),
                  _(finding_severity_name((enum finding_severity)x->severity)));
    if (full) {
        add_paragraphs(b, str_of(x->text));
        doc_begin(b->d, DOC_PARAGRAPH);
    } else {
        finding_line(x->text, &t);
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, ": %s; ", t.p ? t.p : "");
        buf_clear(&t);
    }
    subject_text(x, &t);
    doc_cell(b->d, DOC_NAME, TONE_PLAIN, buf_view(&t));
    if (x->cause && x->depth) /* a finding that is there */
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _("; follows from finding %u"), x->cause);
    buf_clear(&t);
    if (*x->author)
        buf_fmt(&t, " — %s", x->author);
    if (x->time) {
        buf_cstr(&t, t.n ? ", " : " — ");
        report_date(x->time, &t);
    }
    doc_cell(b->d, DOC_TEXT, TONE_QUIET, buf_view(&t));
    if (full) {
        add_finding_since(b, x);
        add_finding_evidence(b, x);
    }
    buf_release(&t);
}

/* Root causes and open suspicions, in causal order; cleared and waived ones are listed elsewhere. */
void report_findings(struct building *b)
{
    for (size_t i = 0; i < b->findings.n; i++)
        if (b->findings.v[i].status == FINDING_ROOT_CAUSE || b->findings.v[i].status == FINDING_SUSPECTED)
            add_finding_text(b, &b->findings.v[i], true);
}

void report_ruled_out(struct building *b)
{
    for (size_t i = 0; i < b->findings.n; i++)
        if (b->findings.v[i].status == FINDING_CLEARED || b->findings.v[i].status == FINDING_WAIVED)
            add_finding_text(b, &b->findings.v[i], false);
}

void report_open(struct building *b)
{
    size_t suspected = report_count(b, FINDING_SUSPECTED);
    const char *open[8];
    size_t n = 0;
    if ((!b->j || b->j->first != NONE) && !report_count(b, FINDING_ROOT_CAUSE))
        open[n++] = _("No finding has the status root-cause.");
    if (suspected)
        open[n++] = _("Some findings are still suspected: run without their cause to confirm them or rule them out.");
    if (b->j && b->j->doubtful_before)
        open[n++] = _("There are doubtful pairs before the first deviation: mark them to confirm the first deviation.");
    if (b->j && b->j->gaps_before)
        open[n++] = _("There are calls that only one side has before the first deviation.");
    if (b->j && b->j->unread_before)
        open[n++] = _("Tensors before the first deviation could not be read.");
    for (size_t i = 0; i < b->s->inputs.n; i++)
        if (b->s->inputs.v[i].equal == 0) {
            open[n++] = _("The step inputs differ.");
            break;
        }
    for (size_t i = 0; i < n; i++) {
        doc_begin(b->d, DOC_ITEM);
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(open[i]));
    }
}

void report_decisions(struct building *b)
{
    struct decisions_in_force r;
    if (!b->o->inv)
        return;
    const char *const head[] = {_("decision"), _("target"), _("golden"), _("view")};
    decisions_in_force_read(&r, &b->o->inv->decisions);
    const struct {
        const struct mark *v;
        size_t n;
        const char *word;
    } each[] = {{r.marks.v, r.marks.n, _("the same")}, {r.rejects.v, r.rejects.n, _("different")}};
    if (r.marks.n + r.rejects.n + r.rules.n)
        doc_table(b->d, ARRAY_LEN(head), head);
    size_t told = 0;
    for (size_t k = 0; k < ARRAY_LEN(each); k++)
        for (size_t i = 0; i < each[k].n && told < DECISIONS_TOLD; i++, told++) {
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(each[k].word));
            doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(each[k].v[i].side[0]));
            doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(each[k].v[i].side[1]));
            doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(each[k].v[i].view));
        }
    for (size_t i = 0; i < r.rules.n && told < DECISIONS_TOLD; i++, told++) {
        doc_cellf(b->d, DOC_TEXT, r.rules.v[i].on ? TONE_PLAIN : TONE_QUIET,
                  r.rules.v[i].on ? _("rule %u") : _("rule %u, disabled"), r.rules.v[i].number);
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(r.rules.v[i].side[0]));
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(r.rules.v[i].side[1]));
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(r.rules.v[i].view));
    }
    size_t all = r.marks.n + r.rejects.n + r.rules.n;
    if (all > told)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), all - told);
    decisions_in_force_release(&r);
}

/* ---- limits and commands ---- */

void report_limits(struct building *b)
{
    const char *const head[] = {_("limit"), _("value"), _("default")};
    struct thresholds fresh;
    const char *key;
    double mine, theirs;
    bool moved = false;
    int preset = b->j ? b->j->preset : b->s->opt.preset;
    if (!b->j && !b->unread)
        return;
    thresholds_init(&fresh);
    doc_say(b->d, TONE_PLAIN, _("Judged by the rules of %s%s."), tool_rules_name(preset),
            b->s->opt.exact ? _(", bitwise") : "");
    for (int i = 0; (key = thresholds_key(&b->s->opt.tol, i, &mine)); i++) {
        char n[NUM_MAX];
        thresholds_key(&fresh, i, &theirs);
        if (!(mine < theirs || mine > theirs))
            continue;
        if (!moved)
            doc_table(b->d, ARRAY_LEN(head), head);
        moved = true;
        doc_cell(b->d, DOC_NAME, TONE_WARN, str_of(key));
        doc_cell(b->d, DOC_NUMBER, TONE_WARN, str_of(num_exact(n, mine)));
        doc_cell(b->d, DOC_NUMBER, TONE_QUIET, str_of(num_exact(n, theirs)));
    }
    doc_say(b->d, TONE_PLAIN, "%s",
            moved ? _("All other limits are the defaults.") : _("All limits are the defaults."));
}

static void path_word(struct building *b, struct buf *t, const char *path)
{
    struct buf p = {0};
    sanitize_path(b->d->clean, path, &p);
    buf_char(t, ' ');
    buf_shell_word(t, buf_view(&p));
    buf_release(&p);
}

static void add_pair_option(struct buf *t, const char *option, int target, int golden)
{
    if (target >= 0 && golden >= 0 && target != golden)
        buf_fmt(t, " %s %d:%d", option, target, golden);
    else if (target >= 0)
        buf_fmt(t, " %s %d", option, target);
}

static void add_threshold_options(struct building *b, struct buf *t)
{
    struct thresholds fresh;
    const char *key;
    double mine, theirs;
    thresholds_init(&fresh);
    for (int i = 0; (key = thresholds_key(&b->s->opt.tol, i, &mine)); i++) {
        char n[NUM_MAX];
        thresholds_key(&fresh, i, &theirs);
        if (mine < theirs || mine > theirs)
            buf_fmt(t, " --threshold %s=%s", key, num_exact(n, mine));
    }
}

void report_reproduction(struct building *b)
{
    const struct comparison_options *o = &b->s->opt;
    const struct recording *x = b->s->side;
    struct buf t = {0};
    buf_cstr(&t, "diverge compare");
    for (int s = 0; s < 2; s++) {
        const char *path = o->path[s] || !b->o->inv ? o->path[s] : b->o->inv->input[s];
        if (path)
            path_word(b, &t, path);
    }
    add_pair_option(&t, "--step", b->j ? x[0].dump.step : o->step[0], b->j ? x[1].dump.step : o->step[1]);
    add_pair_option(&t, "--rank", b->j ? x[0].dump.rank : o->rank[0], b->j ? x[1].dump.rank : o->rank[1]);
    for (size_t i = 0; i < o->map_count; i++) {
        buf_cstr(&t, " --map");
        path_word(b, &t, o->maps[i]);
    }
    const struct {
        const char *option, *path;
    } third[] = {{" --golden2", o->golden2}, {" --reference", o->reference}};
    for (size_t i = 0; i < ARRAY_LEN(third); i++)
        if (third[i].path) {
            buf_cstr(&t, third[i].option);
            path_word(b, &t, third[i].path);
        }
    if (b->o->inv && b->o->inv->known_path) {
        buf_cstr(&t, " --known");
        path_word(b, &t, b->o->inv->known_path);
    }
    buf_cstr(&t, o->map_only ? " --map-only" : "");
    buf_cstr(&t, o->exact ? " --exact" : "");
    buf_cstr(&t, o->strict_gaps ? " --strict-gaps" : "");
    buf_cstr(&t, o->strict ? " --strict" : "");
    int preset = b->j ? b->j->preset : o->preset;
    if (preset)
        buf_fmt(&t, " --preset %s", tool_rules_name(preset));
    add_threshold_options(b, &t);
    if (b->o->inv && b->o->inv->path) { /* decisions by hand and findings are in it */
        struct buf file = {0};
        buf_str(&file, path_base(str_of(b->o->inv->path)));
        buf_cstr(&t, " --investigation ");
        buf_shell_word(&t, b->o->paths ? str_of(b->o->inv->path) : buf_view(&file));
        buf_fmt(&t, "\ndiverge report ");
        buf_shell_word(&t, b->o->paths ? str_of(b->o->inv->path) : buf_view(&file));
        buf_cstr(&t, " -o report.html");
        buf_release(&file);
    }
    doc_say(b->d, TONE_PLAIN, "%s",
            b->d->clean->paths ? _("From the folder where the comparison was "
                                   "run:") : _("With the recordings at these paths:"));
    doc_code(b->d, buf_view(&t));
    buf_release(&t);
}
