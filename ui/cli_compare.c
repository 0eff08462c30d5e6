/* diverge compare: opens two dumps, waits, prints the first deviation, writes results and saves the investigation. */
#include "ui/cli.h"

#include <math.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "document/write.h"
#include "diagnose/diagnose.h"
#include "judge/verdict_text.h"
#include "compare/input_doubts.h"
#include "oracle/oracle_text.h"
#include "panel/path_kind.h"
#include "report/report_build.h"
#include "report/job_merge.h"
#include "table/field.h"
#include "ui/open_investigation.h"
#include "fmt/find_recordings.h"
#include "ui/ending.h"

/* ---- the comparison in plain text ---- */

static void side_line(struct buf *b, const char *word, const struct dump *d)
{
    char n[NUM_MAX];
    buf_fmt(b, "%s  %s\n        %s · %s", word, dump_shown(d), d->reader->name, d->framework);
    if (*d->level)
        buf_fmt(b, " · %s", d->level);
    buf_fmt(b, " · %s", d->task);
    if (d->step >= 0)
        buf_fmt(b, _(" · step %d"), d->step);
    if (d->rank >= 0)
        buf_fmt(b, _(" · rank %d"), d->rank);
    buf_fmt(b, _(" · %s rows\n"), num_count(n, d->rows.n));
}

static const char *printed_glyph(enum verdict v)
{
    static const char *const g[VERDICT_COUNT] = {
        [VERDICT_PENDING] = "…", [VERDICT_MATCH] = "✓", [VERDICT_DRIFT] = "!", [VERDICT_DEVIATE] = "✗",
        [VERDICT_NONFINITE] = "∞", [VERDICT_SHAPE] = "#", [VERDICT_DTYPE] = "T", [VERDICT_ONLY] = "∅", [VERDICT_SKIP] = "·",
        [VERDICT_INHERITED] = "↓", [VERDICT_IN_DOUBT] = "?",
    };
    return g[v];
}

static void put_cell(struct buf *b, struct str s, int width)
{
    int used = utf8_middle(b, s, width, "…");
    buf_fmt(b, "%*s", width - used, "");
}

static void put_table_line(struct buf *b, const struct comparison *s, uint32_t i, bool here)
{
    const struct line *l = &s->measure.pairing->lines.v[i];
    const struct line_judgement *x = &s->judged->line[i];
    struct buf name = {0};
    char e[NUM_MAX] = "";
    buf_cstr(b, here ? "▶ " : "  ");
    for (int d = 0; d < 2; d++) {
        buf_clear(&name);
        if (l->row[d] != NONE)
            dump_row_name(&s->side[d].dump, l->row[d], &name);
        else
            buf_cstr(&name, "·");
        put_cell(b, buf_view(&name), 44);
        if (d == 0) {
            if (!isnan(x->error))
                num_cell(e, (double)x->error, 2);
            buf_fmt(b, " %s %8s  ", printed_glyph(x->verdict), e);
        }
    }
    while (b->n && b->p[b->n - 1] == ' ')
        b->n--;
    buf_char(b, '\n');
    buf_release(&name);
}

static void stats_line(struct buf *b, const char *word, const struct comparison *s, uint32_t i, int d)
{
    const struct field_line l = field_line(s, i);
    const struct side_figures *f = comparison_figures(s, i, d);
    const struct field *stat[STAT_COUNT];
    char n[NUM_MAX];
    double v;
    if (l.row[d] == NONE)
        return;
    const struct row *r = &s->side[d].dump.rows.v[l.row[d]];
    const struct shape *shape = dump_row_shape(&s->side[d].dump, l.row[d]);
    buf_fmt(b, "  %s%*s ", word, 7 - utf8_cells(str_of(word)), "");
    if (r->kind != ROW_TENSOR) {
        buf_fmt(b, _("value %s\n"), r->text ? r->text : "-");
        return;
    }
    buf_fmt(b, "%-9s ", dtype_table[r->dtype].name);
    if (shape)
        shape_text(shape, b);
    fields_named(d ? "g.max g.min g.mean g.norm" : "t.max t.min t.mean t.norm", stat);
    for (int k = 0; k < STAT_COUNT; k++)
        if (field_value(&l, stat[k], &v))
            buf_fmt(b, "  %s %s", stat[k]->key, num_cell(n, v, 7));
    if (f)
        buf_fmt(b, "  nan %llu inf %llu", (unsigned long long)f->nan, (unsigned long long)f->inf);
    buf_char(b, '\n');
}

static void stack_lines(struct buf *b, const char *word, const struct dump *d, uint32_t row)
{
    if (row == NONE)
        return;
    bool borrowed;
    uint32_t st = dump_call_stack(d, d->rows.v[row].call, &borrowed);
    if (st == NONE)
        return;
    buf_fmt(b, borrowed ? _("  stack, %s (of the forward call):\n") : _("  stack, %s:\n"), word);
    const struct stack *x = &d->stacks.v[st];
    int shown = 0;
    for (uint32_t i = 0; i < x->n && shown < 4; i++) {
        const struct frame *f = &d->frames.v[d->stack_frames.v[x->first + i]];
        if (!f->line || str_has(str_of(f->file), "site-packages"))
            continue;
        buf_fmt(b, "    %s:%u  %s  %s\n", f->file, f->line, f->func, f->code);
        shown++;
    }
}

/* The best diagnosis of a line with its advice. */
static void put_line_diagnoses(struct buf *b, const struct comparison *s, uint32_t line)
{
    struct diagnoses d = {.n = 0};
    diagnose_line(&d, s->judged, &s->measure, s->flow, line);
    for (int i = 0; i < d.n; i++) {
        buf_cstr(b, i ? _("  or: ") : _("  looks like: "));
        diagnosis_text(&d, i, b);
        buf_char(b, '\n');
        if (i == 0)
            buf_fmt(b, "    %s\n", diagnosis_advice(&d.v[i]));
    }
    diagnoses_release(&d);
}

static void which_line(struct buf *b, const struct comparison *s, uint32_t line)
{
    const struct oracle *o = comparison_oracle(s);
    size_t before = b->n;
    if (o)
        buf_cstr(b, "  ");
    size_t empty = b->n;
    if (o)
        oracle_whole_text(o, &s->measure, s->judged, line, b);
    if (b->n == empty)
        b->n = before;
    else
        buf_char(b, '\n');
}

static void first_text(struct buf *b, const struct comparison *s)
{
    const struct judgement *j = s->judged;
    const struct line *l = &s->measure.pairing->lines.v[j->first];
    struct buf why = {0};
    char n[NUM_MAX];
    buf_fmt(b, _("\nFIRST DEVIATION, row %s: %s\n"), num_count(n, j->first + 1), first_class_label(j->first_class));
    uint32_t from = j->first > 4 ? j->first - 4 : 0;
    for (uint32_t i = from; i < j->lines && i < j->first + 4; i++)
        put_table_line(b, s, i, i == j->first);
    explain_verdict(j, &s->measure, j->first, &why);
    buf_fmt(b, _("\n  %s.\n  %s\n"), why.p, explain_first(j, &s->measure));
    buf_clear(&why);
    explain_provisional(j, &why);
    if (why.n)
        buf_fmt(b, "  %s\n", why.p);
    put_line_diagnoses(b, s, j->first);
    which_line(b, s, j->first);
    stats_line(b, _("target"), s, j->first, TARGET);
    stats_line(b, _("golden"), s, j->first, GOLDEN);
    for (int d = 0; d < 2; d++)
        stack_lines(b, d ? _("golden") : _("target"), &s->side[d].dump, l->row[d]);
    buf_clear(&why);
    explain_reference(&s->reference, l->row, &why);
    if (why.n)
        buf_fmt(b, "  %s\n", why.p);
    buf_release(&why);
}

static void put_step_inputs(struct buf *b, const struct comparison *s)
{
    const step_input_list *l = &s->inputs;
    for (size_t i = 0; i < l->n; i++) {
        struct buf d = {0};
        step_input_detail(&l->v[i], s->measure.side, &d);
        buf_fmt(b, "%s%s: %s", i ? "\n             " : _("step inputs  "), step_input_name(l->v[i].what), d.p);
        buf_release(&d);
    }
    if (l->n)
        buf_char(b, '\n');
}

#define UNREAD_NAMED 3

/* The rows whose tensors could not be read when they were compared; what is wrong by the recording itself was said
 * above. */
static void list_unread(struct buf *b, const struct comparison *s)
{
    const struct measure *m = &s->measure;
    struct buf name = {0};
    size_t n = 0;
    for (uint32_t i = 0; m->failure && i < m->lines; i++) {
        const struct line *l = &m->pairing->lines.v[i];
        int side = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        if (!m->failure[i] || n++ >= UNREAD_NAMED)
            continue;
        dump_row_name(m->side[side], l->row[side], &name);
        buf_fmt(b, _("unread       %s: %s\n"), name.p, m->failure[i]);
    }
    if (n > UNREAD_NAMED)
        buf_fmt(b, _("             … and %zu more rows\n"), n - UNREAD_NAMED);
    buf_release(&name);
}

static void list_changes(struct buf *b, const struct comparison *s)
{
    size_t before = b->n;
    if (s->since.told)
        buf_cstr(b, _("changed      "));
    round_since_sentence(s, b);
    if (b->n > before)
        buf_cstr(b, ".\n");
}

/* Sections that the report has as well. */
static void put_report_sections(struct buf *b, const struct comparison *s)
{
    static const char *const id[] = {"starts", "which-side", "gaps", "precision"};
    struct document d;
    document_init(&d, NULL);
    report_part(&d, s, id, ARRAY_LEN(id), 5);
    write_text_end(b, &d);
}

static void put_compare_report(struct buf *b, const struct comparison *s)
{
    const struct judge_summary *x = &s->judged->sum;
    struct judge_options o = comparison_judge_options(s);
    side_line(b, _("target"), &s->side[TARGET].dump);
    side_line(b, _("golden"), &s->side[GOLDEN].dump);
    for (int d = 0; d < 2; d++) /* only doubts about rows; input_doubts_find has the rest */
        for (size_t i = 0, told = 0; i < s->side[d].dump.problems.n && told < 8; i++)
            if (s->side[d].dump.problems.v[i].row != NONE) {
                buf_fmt(b, _("warning: %s\n"), s->side[d].dump.problems.v[i].text);
                told++;
            }
    struct arena sentences = {0};
    input_doubt_list doubts = {0};
    input_doubts_find(s, &sentences, &doubts);
    for (size_t i = 0; i < doubts.n; i++)
        buf_fmt(b, _("warning: %s\n"), input_doubts_sentence(&doubts.v[i], &sentences));
    vec_release(&doubts);
    arena_release(&sentences);
    if (s->golden2.of)
        buf_fmt(b, _("golden2 %s\n"
                     "        expected noise for %zu rows\n"), s->golden2.of->path, s->golden2.of->rows);
    if (s->reference.of) {
        buf_fmt(b, _("reference %s\n        %zu rows\n        "), s->reference.of->path, s->reference.of->rows);
        explain_three_way(&s->measure, &s->reference, b);
        buf_char(b, '\n');
    }
    buf_fmt(
        b,
        _("\npaired       %u rows; %u target-only, %u golden-only; coverage of compute calls %.0f %% target, %.0f %% "
          "golden"),
        x->pairs, x->only[TARGET], x->only[GOLDEN], x->coverage[TARGET] * 100, x->coverage[GOLDEN] * 100);
    struct buf reasons = {0};
    explain_pairing(x, &reasons);
    if (reasons.n)
        buf_fmt(b, _("\n             by %s"), reasons.p);
    buf_release(&reasons);
    explain_regions(x, "\n             ", b);
    buf_char(b, '\n');
    buf_cstr(b, _("verdicts     "));
    bool any = false;
    for (int v = VERDICT_MATCH; v < VERDICT_COUNT; v++)
        if (v != VERDICT_ONLY && x->by[v]) {
            buf_fmt(b, "%s%u %s %s", any ? "  " : "", x->by[v], printed_glyph(v), verdict_label(v));
            any = true;
        }
    if (x->known)
        buf_fmt(b, _("%s%u accepted (known)"), any ? "  " : "", x->known);
    buf_char(b, '\n');
    struct buf factor = {0};
    explain_factor(s->judged, &factor);
    if (factor.n)
        buf_fmt(b, _("factor       %s; compared after it is divided out\n"), factor.p);
    buf_release(&factor);
    put_step_inputs(b, s);
    buf_cstr(b, _("result       "));
    explain_outcome(s->judged, &o, b);
    buf_char(b, '\n');
    list_unread(b, s);
    list_changes(b, s);
    if (s->judged->first != NONE)
        first_text(b, s);
    put_report_sections(b, s);
}

static int write_compare_result(const struct comparison *s, const struct investigation *inv, const struct options *o,
                                struct err *e)
{
    struct report_options ro = {.rows = o->rows, .inv = inv, .date = open_investigation_date()};
    struct options file;
    struct out out;
    const struct writer *w = cli_out_standard(o) ? &writers[0] : writer_for(o->output);
    if (cli_out_both(o, &file) && write_compare_result(s, inv, &file, e))
        return -1;
    if (!w)
        return cli_ending(o->output, e);
    if (cli_out(o, &out, e))
        return -1;
    w->compare(&out, s, &ro);
    return out_close(&out, e);
}

/* The option that asks for one part of the comparison, or NULL. */
static const char *one_part(const struct options *o)
{
    return o->tensor ? "--tensor" : o->values ? "--values" : NULL;
}

/* Ends one open comparison: writes the report and saves the investigation. */
static int finish_comparison(const struct comparison *s, struct investigation *inv, const struct options *o,
                             struct err *e)
{
    struct judge_options jo = comparison_judge_options(s);
    int status = s->judged ? judgement_status(s->judged, &jo) : 0; /* none of one side alone */
    if (one_part(o))
        return (o->tensor ? cli_tensor(s, o, e) : cli_values(&s, 1, o, e)) ? cli_fail(e) : status;
    if ((o->json || o->output) && write_compare_result(s, inv, o, e))
        return cli_fail(e);
    if (!o->json && !o->summary && (!o->output || cli_out_file(o))) {
        struct buf b = {0};
        put_compare_report(&b, s);
        cli_print_clean(&b);
        buf_release(&b);
    }
    open_investigation_note_inputs(inv, s);
    if (o->investigation && investigation_may_change(inv, e)) { /* the comparison is made all the same */
        err_prefix(e, "%s", _("not saved"));
        cli_fail(e);
    } else if (o->investigation && investigation_save(inv, e)) {
        return cli_fail(e);
    }
    return cli_fail_on(o, s, status);
}

/* Whether a second path is missing: one path is not a pair. A file that no reader accepts (such as a damaged table)
 * is left to the code that opens it, which has the more exact message. */
static bool needs_another(const struct investigation *v)
{
    const char *path = v->input[TARGET];
    return !v->input[GOLDEN] && (path_is_file(path) || path_is_dir(path)) && !place_list_holds_table(path) &&
           path_kind_find(path, NULL) != PATH_NOTHING;
}

/* An interrupt ends the program at once while trees are searched; later it is caught. */
static enum job_kind find_job_kind(const struct investigation *inv, const struct options *o, struct found_trees *found)
{
    enum job_kind kind = cli_job_asked(inv, o, found);
    ending_catch(NULL);
    return kind;
}

/* -o FOLDER: a name without an extension, as no other result has. */
static bool writes_folder(const struct options *o)
{
    return cli_out_file(o) && str_find(path_base(str_of(o->output)), '.') < 0;
}

/* A tensor or the values of a field are asked for, of comparisons that are made one after the other. */
static bool alone_of_several(const struct options *o, enum job_kind kind)
{
    if (!one_part(o))
        return false;
    return o->all_steps || (o->all_ranks && kind != JOB_AS_ONE) || (o->values && kind == JOB_RANK_BY_RANK);
}

/* One pair of recordings; of micro-batches that belong together, all of them joined. */
static int compare_one_pair(struct investigation *inv, const struct options *o, struct found_trees *found)
{
    struct session s;
    struct session_options so;
    struct err e = {0};
    open_investigation_session(inv, o, &so);
    so.of.found = found;
    so.unwatched = true;
    if (session_start(&s, &so, &e))
        return cli_fail(&e);
    bool waited = cli_wait(&s, o, &e) == 0;
    bool joined = waited && inv->rank[TARGET] < 0 && cli_job_of_micro_batches(s.now);
    int status = !waited ? cli_fail(&e) : joined ? EXIT_ALIGNED : finish_comparison(s.now, inv, o, &e);
    session_stop(&s);
    return joined ? cli_compare_job(inv, o, found) : status;
}

int cli_compare(const struct options *given)
{
    struct options own = *given, *o = &own;
    struct investigation inv;
    struct err e = {0};
    struct found_trees found = {0}; /* shared, so that each tree is searched once */
    enum job_kind kind;
    int status;
    if (!o->workers_all && o->args == 2 && writes_folder(o) && cli_worker_of_launcher(o, &e))
        return cli_fail(&e);
    if (!o->workers_all && cli_out_file(o) && !writer_for(o->output)) {
        cli_ending(o->output, &e);
        return cli_fail(&e);
    }
    if (o->args == 1 && job_files_there(o->arg[0])) {
        if (!one_part(o))
            return cli_compare_shares(o);
        err_set(&e, ERR_USAGE, _("%s needs the recordings, not the results of shares"), one_part(o));
        return cli_fail(&e);
    }
    if (open_investigation(&inv, o, NULL, o->investigation != NULL, &e)) {
        status = cli_fail(&e);
    } else if (!one_part(o) && needs_another(&inv)) {
        err_set(&e, ERR_USAGE, "%s", _("compare needs TARGET and GOLDEN, or one result table"));
        status = cli_fail(&e);
    } else if (fail_on_fits(&o->policy, inv.path ? FAIL_ON_COMPARE | FAIL_ON_ROUNDS : FAIL_ON_COMPARE, &e)) {
        status = cli_fail(&e);
    } else if (kind = find_job_kind(&inv, o, &found), alone_of_several(o, kind)) {
        err_set(&e, ERR_USAGE, _("%s needs one step and one rank"), one_part(o));
        status = cli_fail(&e);
    } else if (kind == JOB_AS_ONE) {
        status = cli_compare_job(&inv, o, &found);
    } else if (kind == JOB_RANK_BY_RANK && !o->tensor) {
        struct options all = *o;
        all.all_ranks = true;
        status = cli_compare_all(&inv, &all, &found, NULL);
    } else if (o->all_steps || o->all_ranks) {
        bool joined = false, free_ranks = inv.rank[TARGET] < 0 && inv.rank[GOLDEN] < 0;
        status = cli_compare_all(&inv, o, &found, free_ranks ? &joined : NULL);
        if (joined)
            status = cli_compare_job(&inv, o, &found);
    } else {
        status = compare_one_pair(&inv, o, &found);
    }
    found_trees_release(&found);
    investigation_release(&inv);
    return status;
}
