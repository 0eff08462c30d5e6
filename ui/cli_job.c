/* diverge compare of several ranks or micro-batches: rank by rank, or with both sides joined. */
#include "ui/cli.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "compare/job_summary.h"
#include "compare/job_text.h"
#include "document/write.h"
#include "fmt/digest.h"
#include "fmt/find_recordings.h"
#include "judge/verdict_text.h"
#include "panel/panel_inputs.h"
#include "report/formats.h"
#include "report/job_merge.h"
#include "session/job_compare.h"
#include "ui/cli_parts.h"
#include "ui/open_investigation.h"

/* The comparison of a job on the command line with its options. */
struct job_run {
    const struct investigation *v;
    const struct options *o;
    struct job_compare k;
};

static void set_job_options(const struct investigation *v, const struct options *o, struct found_trees *found,
                            struct job_compare_options *jo)
{
    *jo = (struct job_compare_options){
        .all_steps = o->all_steps, .worker = o->worker, .workers = o->workers_all, .found = found};
    open_investigation_session(v, o, &jo->of);
    for (int i = 0; i < 2; i++) {
        jo->layout[i] = o->layout[i];
        jo->settings[i] = panel_input_path(v, i == TARGET ? PANEL_INPUT_TARGET_SETTINGS : PANEL_INPUT_GOLDEN_SETTINGS);
    }
    jo->dims = (struct dims_list){o->dims, (size_t)o->dims_n};
}

enum job_kind cli_job_asked(const struct investigation *v, const struct options *o, struct found_trees *found)
{
    struct job_compare k;
    struct job_compare_options jo;
    struct err quiet = {0};
    if (!v->input[GOLDEN] || v->rank[TARGET] >= 0 || v->rank[GOLDEN] >= 0)
        return JOB_OF_ONE_RANK;
    set_job_options(v, o, found, &jo);
    job_compare_init(&k, &jo);
    bool several = job_compare_look(&k, &quiet) == 0 && k.several, open = k.open;
    job_compare_release(&k);
    return !several ? JOB_OF_ONE_RANK : open ? JOB_RANK_BY_RANK : JOB_AS_ONE;
}

/* Whether one side or both have several micro-batches: the numbers of calls divide each other. */
bool cli_job_of_micro_batches(const struct comparison *c)
{
    uint32_t n[2];
    bool digest = dump_is_digest(&c->side[TARGET].dump) || dump_is_digest(&c->side[GOLDEN].dump);
    if (digest || c->single || c->tabled || c->opt.map_only || c->map_count || c->opt.pack)
        return false;
    for (int s = 0; s < 2; s++)
        n[s] = call_places_micros(&c->side[s].dump);
    return n[0] != n[1] && (n[0] % n[1] == 0 || n[1] % n[0] == 0);
}

int cli_wait_for(struct session *s, void *ctx, struct err *e)
{
    return cli_wait(s, ctx, e);
}

/* ---- text ---- */

static void layout_line(struct buf *b, const char *word, const struct joined_job *j, int side)
{
    buf_fmt(b, "%s  %s\n        ", word, j->set[side].path);
    job_layout_text(j, side, b);
    buf_char(b, '\n');
    double precision = digest_precision(&j->set[side].ranks.v[0]->dump);
    if (!isnan(precision))
        buf_fmt(b, _("        digest: shows relative differences from %.0e on, accurate to 20 %%\n"), precision);
}

static void rank_line(struct buf *b, const struct job_result *r, size_t pair)
{
    const struct job_pair *p = &r->pairs.v[pair];
    if (p->rank[TARGET] >= 0)
        buf_fmt(b, _("step %d rank %d  "), p->step, p->rank[TARGET]);
    else
        buf_fmt(b, _("step %d, all ranks joined  "), p->step);
    cli_rank_outcome(p->c, b);
    buf_char(b, '\n');
}

#define STRIP_WIDTH 100
#define STRIP_LINES 64 /* of a step */

static void strip_lines(struct buf *b, const struct job_result *r)
{
    struct job_strip s;
    job_strip_build(&s, r);
    job_strip_add_beside(&s, r);
    job_strip_text(&s, STRIP_WIDTH, STRIP_LINES, b);
    job_strip_release(&s);
}

static void outcome_line(struct buf *b, const struct job_result *r)
{
    buf_cstr(b, _("result  "));
    job_outcome_text(r, true, b);
    buf_char(b, '\n');
}

static void put_job_report(struct buf *b, const struct job_result *r)
{
    for (size_t i = 0; i < r->failed.n; i++)
        buf_fmt(b, _("not read: %s\n"), r->failed.v[i].text);
    layout_line(b, _("target"), r->job[0], TARGET);
    layout_line(b, _("golden"), r->job[0], GOLDEN);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < JOB_LAYOUT_DOUBTS; i++) {
            struct buf doubt = {0};
            if (job_layout_doubt(&r->job[0]->layout[s], r->job[0]->set[s].path, i, &doubt))
                buf_fmt(b, _("warning: %s\n"), doubt.p);
            buf_release(&doubt);
        }
    struct buf missing = {0};
    job_missing_text(r, &missing);
    if (missing.n)
        buf_fmt(b, "%s\n", missing.p);
    buf_release(&missing);
    outcome_line(b, r);
    for (size_t i = 0; i < r->pairs.n; i++)
        rank_line(b, r, i);
    strip_lines(b, r);
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < r->collectives[s].v.n; i++)
            if (collective_is_bad(&r->collectives[s].v.v[i]))
                buf_fmt(b, _("collective %s: %s\n"),
                        r->collectives[s].v.v[i].at ? r->collectives[s].v.v[i].at : r->collectives[s].v.v[i].name,
                        r->collectives[s].v.v[i].evidence);
        for (size_t i = 0; i < r->replicas[s].v.n; i++)
            buf_fmt(b, _("replicas: %s\n"), r->replicas[s].v.v[i].evidence);
    }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < r->alone[s].n; i++)
            buf_fmt(b, _("step %d rank %d  only in %s: not compared\n"), r->alone[s].v[i].step, r->alone[s].v[i].rank,
                    r->job[0]->set[s].path);
}

/* One file per worker, written completely or not at all. */
static int write_share(const struct job_run *r, struct err *e)
{
    const struct options *o = r->o;
    struct report_options ro = {.rows = ROWS_DEVIATING, .inv = r->v};
    struct buf name = {0}, path = {0};
    struct out out;
    if (!o->output || strcmp(o->output, "-") == 0)
        return err_set(e, ERR_USAGE, "%s", _("--worker needs -o FOLDER"));
    if (path_make(o->output))
        return err_system(e, o->output);
    buf_fmt(&name, "worker-%d-of-%d.ranks.json", o->worker, o->workers_all);
    path_join(&path, o->output, name.p);
    int rc = out_file(&out, path.p, e);
    if (rc == 0) {
        job_json(&out, &r->k.result, &ro);
        rc = out_close(&out, e);
    }
    buf_release(&name);
    buf_release(&path);
    return rc;
}

static int deliver_job(const struct job_run *r, struct err *e)
{
    const struct options *o = r->o;
    struct options file;
    struct job_run beside = *r;
    struct out out;
    if (o->workers_all)
        return write_share(r, e);
    beside.o = &file;
    if (cli_out_both(o, &file) && deliver_job(&beside, e))
        return -1;
    if (o->json || o->output) {
        struct report_options ro = {.rows = o->rows, .inv = r->v, .date = open_investigation_date()};
        const struct writer *w = cli_out_standard(o) ? &writers[0] : writer_for(o->output);
        if (!w || w->rows_only)
            return err_set(e, ERR_USAGE, _("%s: several steps or ranks can only be written as .json, .html or "
                                           ".md"), o->output);
        if (cli_out(o, &out, e))
            return -1;
        if (w == &writers[0])
            job_json(&out, &r->k.result, &ro);
        else
            job_report(&out, &r->k.result, w, &ro);
        return out_close(&out, e);
    }
    if (!o->summary) {
        struct buf b = {0};
        put_job_report(&b, &r->k.result);
        cli_print_clean(&b);
        buf_release(&b);
    }
    return 0;
}

/* The exit status by --fail-on, if given: each pair by its counts; a wrong collective or replica counts as a
 * deviating row. With --summary also prints one line for each. */
static int job_exit_status(const struct job_run *r)
{
    const struct fail_on *policy = &r->o->policy;
    int own = job_status(&r->k.result), status = EXIT_ALIGNED;
    for (size_t i = 0; i < r->k.result.pairs.n; i++) {
        const struct comparison *c = r->k.result.pairs.v[i].c;
        struct judge_options jo = comparison_judge_options(c);
        status = cli_worse_status(status, cli_fail_on(r->o, c, judgement_status(c->judged, &jo)));
    }
    if (!policy->given)
        return own;
    bool other = r->k.result.first.found && r->k.result.first.kind != FIRST_ROW;
    if (other && (policy->kinds & 1u << FAIL_ON_DEVIATE))
        return EXIT_DEVIATES;
    return policy->kinds && own == EXIT_UNJUDGED ? cli_worse_status(status, own) : status;
}

static bool take_first_pair(void *ctx, int step, int rank)
{
    bool *taken = ctx, first = !*taken;
    (void)step;
    (void)rank;
    *taken = true;
    return first;
}

/* A tensor of both sides joined, or of the first rank where rank is compared with rank. */
static int show_tensor(const struct options *o, struct job_compare_options *jo)
{
    struct job_compare k;
    struct err e = {0};
    bool taken = false;
    int status = 0;
    jo->take = take_first_pair;
    jo->take_ctx = &taken;
    jo->rows_alone = true;
    job_compare_init(&k, jo);
    int rc = job_compare_run(&k, cli_wait_for, (void *)o, &e);
    if (rc == 0 && !k.result.pairs.n)
        rc = job_no_common(&k, &e);
    if (rc == 0) {
        const struct comparison *c = k.result.pairs.v[0].c;
        struct judge_options own = comparison_judge_options(c);
        status = judgement_status(c->judged, &own);
        rc = cli_tensor(c, o, &e);
    }
    job_compare_release(&k);
    return rc ? cli_fail(&e) : status;
}

/* Of all pairs of ranks together. */
static int count_job_values(const struct job_run *r, struct err *e)
{
    const struct job_result *k = &r->k.result;
    VEC(const struct comparison *) all = {0};
    for (size_t i = 0; i < k->pairs.n; i++)
        vec_push(&all, k->pairs.v[i].c);
    int rc = cli_values(all.v, all.n, r->o, e);
    vec_release(&all);
    return rc;
}

int cli_compare_job(const struct investigation *v, const struct options *o, struct found_trees *found)
{
    struct job_run r = {.v = v, .o = o};
    struct job_compare_options jo;
    struct err e = {0};
    int status = 0;
    set_job_options(v, o, found, &jo);
    if (o->tensor)
        return show_tensor(o, &jo);
    if (!o->values && cli_parts_wanted(o))
        return cli_parts_compare(v, o, &jo, cli_wait_for);
    job_compare_init(&r.k, &jo);
    int rc = job_compare_run(&r.k, cli_wait_for, (void *)o, &e);
    if (rc == 0 && o->values) {
        status = job_status(&r.k.result);
        rc = count_job_values(&r, &e);
    } else if (rc == 0) {
        status = job_exit_status(&r);
        rc = deliver_job(&r, &e);
    }
    job_compare_release(&r.k);
    return rc ? cli_fail(&e) : status;
}

static bool take_no_pair(void *ctx, int step, int rank)
{
    (void)ctx;
    (void)step;
    (void)rank;
    return false;
}

bool cli_job_of_panels(const struct investigation *v, const struct options *o, enum panel_ranks wanted,
                       struct job_compare *k)
{
    struct job_compare_options jo;
    struct err e = {0};
    if (wanted == PANEL_RANKS_NONE || !v->input[GOLDEN] || v->rank[TARGET] >= 0 || v->rank[GOLDEN] >= 0)
        return false;
    set_job_options(v, o, NULL, &jo);
    if (wanted == PANEL_RANKS_LAYOUTS) {
        jo.take = take_no_pair;
        jo.rows_alone = true;
    }
    job_compare_init(k, &jo);
    bool done = job_compare_look(k, &e) == 0 && k->several && job_compare_run(k, cli_wait_for, (void *)o, &e) == 0;
    if (e.code) /* the panels are judged nevertheless, of one pair */
        cli_fail(&e);
    return done;
}

/* ---- results of shares ---- */

/* The section of a report, by itself: what else a report says needs the recordings. */
static int write_summary_report(const struct job_summary *s, const struct options *o, bool html, struct err *e)
{
    struct document d;
    struct sanitize clean;
    struct out out;
    if (cli_out(o, &out, e))
        return -1;
    sanitize_init(&clean, s->side[TARGET], s->side[GOLDEN], o->paths);
    document_init(&d, &clean);
    d.title = arena_fmt(&d.arena, _("%s against %s"), s->side[TARGET], s->side[GOLDEN]);
    d.lang = strcmp(msg_current(), "zh_CN") == 0 ? "zh-CN" : "en";
    d.stamp = arena_fmt(&d.arena, _("Findings report, written by %s"), TOOL);
    doc_section(&d, "ranks", _("All ranks"));
    job_summary_section(&d, s);
    html ? write_html(&out, &d) : write_md(&out, &d);
    document_release(&d);
    sanitize_release(&clean);
    return out_close(&out, e);
}

static void print_summary(const struct job_summary *s)
{
    struct document d;
    struct buf b = {0};
    document_begin(&d);
    job_summary_section(&d, s);
    write_text_end(&b, &d);
    cli_print_clean(&b);
    buf_release(&b);
}

static int deliver_summary(const struct job_summary *s, const struct options *o, struct err *e)
{
    const struct writer *w = o->format ? writer_named(o->format) : o->output ? writer_for(o->output) : NULL;
    bool html = w && strcmp(w->name, "html") == 0, md = w && strcmp(w->name, "md") == 0;
    struct options file, standard = *o;
    struct buf b = {0};
    if (cli_out_both(o, &file)) {
        standard.output = NULL;
        return deliver_summary(s, &file, e) || deliver_summary(s, &standard, e) ? -1 : 0;
    }
    if (w && w->rows_only && !o->json)
        return err_set(e, ERR_USAGE, _("%s: several steps or ranks can only be written as .json, .html or .md"),
                       o->output);
    if (!o->json && (html || md))
        return write_summary_report(s, o, html, e);
    json_write_tree(s->all, &b);
    int rc = cli_deliver(o, &b, e);
    buf_release(&b);
    return rc;
}

int cli_compare_shares(const struct options *o)
{
    struct err e = {0};
    struct job_summary s;
    cJSON *all = job_files_merge(o->arg[0], &e);
    if (!all)
        return cli_fail(&e);
    int rc = 0, status = job_merged_status(all);
    job_summary_take(&s, all);
    if (o->json || o->output || o->format)
        rc = deliver_summary(&s, o, &e);
    else if (!o->summary)
        print_summary(&s);
    job_summary_release(&s);
    return rc ? cli_fail(&e) : status;
}
