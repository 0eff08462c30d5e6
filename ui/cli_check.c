/* diverge check: the problems of one recording, as text, JSON or one line. */
#include "ui/cli.h"

#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/threads.h"
#include "dump/dump_check.h"
#include "compare/input_doubts.h"
#include "oracle/oracle_operators.h"
#include "oracle/oracle_text.h"
#include "report/oracle_json.h"
#include "dump/step_before.h"
#include "fmt/find_recordings.h"
#include "fmt/result_table.h"
#include "fmt/unreadable.h"
#include "measure/token_check.h"
#include "panel/panel_inputs.h"
#include "panel/path_kind.h"
#include "ranks/collectives.h"
#include "ranks/replicas.h"
#include "ranks/step_change.h"
#include "report/formats.h"
#include "config/dump_config.h"
#include "config/settings_layout.h"
#include "ui/open_investigation.h"
#include "ui/ending.h"

/* A recording with its problems and doubts. */
struct checked_dump {
    const struct dump *d;
    struct dump_check c;
    struct fail_on_counts counts;
    struct arena sentences;
    input_doubt_list doubts; /* in sentences */
    struct oracle *oracle;   /* its calls recomputed; NULL: not asked for */
    bool wrong;              /* whether there are problems other than notes and what was not read */
    bool unread;
};

static int own_status(bool wrong, bool unread)
{
    return wrong ? EXIT_DEVIATES : unread ? EXIT_UNJUDGED : EXIT_ALIGNED;
}

static void note_problem(struct checked_dump *x, uint32_t row, const char *kind, const char *text)
{
    struct dump_check_problem p = {row, kind, text};
    if (text)
        vec_push(&x->c.problems, p);
}

/* The rows that the tool itself marked in its table. */
static void note_reported(struct checked_dump *x)
{
    const struct result *t = result_of(x->d);
    struct buf text = {0};
    for (size_t i = 0; t && i < t->lines.n; i++) {
        const struct result_line *l = &t->lines.v[i];
        if (l->row == NONE || (l->word != WORD_ERROR && l->word != WORD_UNMATCHED))
            continue;
        buf_clear(&text);
        if (*l->said)
            buf_fmt(&text, _("the result table gives \"%s\""), l->said);
        else
            buf_cstr(&text, l->word == WORD_UNMATCHED ? _("the element counts of both sides differ")
                                                     : _("the values of both sides differ"));
        if (*l->message)
            buf_fmt(&text, ": %s", l->message);
        note_problem(x, l->row, "reported", arena_cstr(&x->sentences, buf_view(&text)));
    }
    buf_release(&text);
}

/* Ids outside the embedding, and labels that were not moved where their elements show it. */
static void note_tokens(struct checked_dump *x)
{
    struct token_check t;
    token_check_run(&t, x->d);
    note_problem(x, t.beyond, "id-range", token_check_beyond(&t, &x->sentences));
    if (t.place == LABELS_IN_PLACE) {
        note_problem(x, t.labels, "labels", token_check_labels(&t, &x->sentences));
        x->c.notes++; /* a loss of the same token is no fault */
    }
}

/* The session must be settled. */
static void check_dump(struct checked_dump *x, const struct session *s, const struct options *o)
{
    *x = (struct checked_dump){.d = &s->now->side[TARGET].dump};
    dump_check_run(&x->c, x->d, s->kern, o->workers, NULL, NULL);
    note_reported(x);
    note_tokens(x);
    fail_on_count_check(&x->counts, x->d, &x->c);
    if (o->oracle.mode == ORACLE_ALL)
        x->oracle = oracle_run_alone(x->d, &o->oracle, NULL);
    x->unread = x->c.unread > 0;
    x->wrong = x->c.problems.n > x->c.notes + x->c.unread || (x->oracle && x->oracle->side[TARGET].cover.wrong);
    input_doubts_alone(s->now, &x->sentences, &x->doubts);
}

/* Problems are named by the row of the checked recording. */
static void note_changes(struct checked_dump *x, const struct dump *before, const struct dump *after)
{
    step_change_list found = {0};
    struct buf name = {0}, text = {0};
    step_changes_find(before, after, &found);
    for (size_t i = 0; i < found.n; i++) {
        dump_row_name(after, found.v[i].row, &name);
        buf_clear(&text);
        if (after->step >= 0)
            buf_fmt(&text, _("step %d: "), after->step);
        step_change_text(&found.v[i], &text);
        struct dump_check_problem p = {dump_find_row(x->d, buf_view(&name)),
                                       found.v[i].changed && !found.v[i].part ? "changed" : "unchanged",
                                       arena_cstr(&x->sentences, buf_view(&text))};
        vec_push(&x->c.problems, p);
        x->wrong = true;
    }
    vec_release(&found);
    buf_release(&name);
    buf_release(&text);
}

/* The problems of a later step, under its number. */
static void note_step(struct checked_dump *x, const struct dump *later, const struct dump_check *found)
{
    struct buf name = {0}, text = {0};
    for (size_t i = 0; i < found->problems.n; i++) {
        const struct dump_check_problem *p = &found->problems.v[i];
        buf_clear(&name);
        if (p->row != NONE)
            dump_row_name(later, p->row, &name);
        uint32_t row = name.n ? dump_find_row(x->d, buf_view(&name)) : NONE;
        buf_clear(&text);
        buf_fmt(&text, _("step %d: "), later->step);
        if (name.n && row == NONE)
            buf_fmt(&text, "%s: ", name.p);
        buf_cstr(&text, p->text);
        struct dump_check_problem own = {row, p->kind, arena_cstr(&x->sentences, buf_view(&text))};
        vec_push(&x->c.problems, own);
    }
    x->c.notes += found->notes;
    x->c.unread += found->unread;
    x->unread |= found->unread > 0;
    x->wrong |= found->problems.n > found->notes + found->unread;
    buf_release(&name);
    buf_release(&text);
}

static void checked_dump_release(struct checked_dump *x)
{
    arena_release(&x->sentences);
    vec_release(&x->doubts);
    dump_check_release(&x->c);
    oracle_free(x->oracle);
}

static void put_problem_row_name(const struct dump *d, uint32_t row, struct buf *b)
{
    buf_clear(b);
    if (row != NONE)
        dump_row_name(d, row, b);
}

static void write_check_json(struct jsonw *json, struct out *o, const void *result)
{
    const struct checked_dump *x = result;
    const struct dump *d = x->d;
    const struct dump_check *c = &x->c;
    const input_doubt_list *doubts = &x->doubts;
    struct buf name = {0};
    jw_result(json);
    json_side_fields(json, d);
    jw_kint(json, "apis", (int64_t)d->calls.n);
    jw_kint(json, "stacks", (int64_t)d->stacks.n);
    for (int last = 0; last < 2; last++) {
        jw_key(json, last ? "last_row" : "first_row");
        put_problem_row_name(d, d->rows.n ? (last ? (uint32_t)d->rows.n - 1 : 0) : NONE, &name);
        d->rows.n ? jw_str(json, buf_view(&name)) : jw_null(json);
    }
    jw_karray(json, "warnings");
    for (size_t i = 0; i < doubts->n; i++)
        jw_cstr(json, doubts->v[i].text);
    jw_end_array(json);
    jw_karray(json, "problems");
    for (size_t i = 0; i < c->problems.n; i++) {
        const struct dump_check_problem *p = &c->problems.v[i];
        put_problem_row_name(d, p->row, &name);
        json_problem(json, buf_view(&name), p->kind, p->text);
        out_flow(o);
    }
    if (x->oracle)
        oracle_json_problems(json, &x->oracle->side[TARGET]);
    jw_end_array(json);
    if (x->oracle)
        oracle_json_cover(json, &x->oracle->side[TARGET]);
    jw_end_object(json);
    buf_release(&name);
}

/* Calls that do not give what their own inputs give, and how many were examined. */
static void kernel_lines(const struct oracle_side *s, struct buf *b)
{
    struct buf name = {0};
    size_t n;
    uint32_t *worst = oracle_worst(s, &n);
    for (size_t i = 0; i < n; i++) {
        const struct oracle_row *r = &s->rows.v[worst[i]];
        put_problem_row_name(s->dump, r->row, &name);
        buf_fmt(b, "%-12s %s: ", "kernel", name.p);
        oracle_row_text(r, b);
        buf_fmt(b, " (%s)\n", r->formula);
    }
    free(worst);
    oracle_cover_text(s, b);
    buf_char(b, '\n');
    oracle_operators_text(s, b);
    buf_release(&name);
}

static void write_check_text(struct buf *b, const void *result)
{
    const struct checked_dump *x = result;
    const struct dump *d = x->d;
    const struct dump_check *c = &x->c;
    const input_doubt_list *doubts = &x->doubts;
    struct buf name = {0};
    char n[NUM_MAX], m[NUM_MAX];
    const char *known[] = {d->framework, d->level, d->task};
    buf_fmt(b, "%s\n%s", d->path, d->reader->name);
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (*known[i])
            buf_fmt(b, " · %s", known[i]);
    buf_fmt(b, _(" · %s rows · %s calls\n"), num_count(n, d->rows.n), num_count(m, d->calls.n));
    for (size_t i = 0; i < c->problems.n; i++) {
        const struct dump_check_problem *p = &c->problems.v[i];
        put_problem_row_name(d, p->row, &name);
        buf_fmt(b, "%-12s %s%s%s\n", p->kind, name.n ? name.p : "", name.n ? ": " : "", p->text);
    }
    if (x->oracle)
        kernel_lines(&x->oracle->side[TARGET], b);
    for (size_t i = 0; i < doubts->n; i++)
        buf_fmt(b, _("warning: %s\n"), doubts->v[i].text);
    if (!c->problems.n && d->rows.n && !(x->oracle && x->oracle->side[TARGET].cover.wrong))
        buf_cstr(b, _("no problem found\n"));
    buf_release(&name);
}

static const struct result_forms forms = {.text = write_check_text, .json = write_check_json};

static void write_check_summary(const struct options *o, const struct checked_dump *x, int own)
{
    struct buf b = {0}, name = {0};
    put_problem_row_name(x->d, x->c.problems.n ? x->c.problems.v[0].row : NONE, &name);
    fail_on_line_check(&b, &x->counts, own, name.p, x->d->path, o->output);
    cli_summary(o, &b);
    buf_release(&b);
    buf_release(&name);
}

/* ---- several ranks ---- */

/* The results of each rank, and of all of them. */
struct checked_job {
    const struct options *o;
    const struct investigation *inv;
    place_list places;
    struct found_trees *found;
    struct rank_set set;
    struct layout layout;
    struct whole_calls calls;
    struct collective_list collectives;
    struct replica_list replicas;
    rank_list absent;
    struct buf ranks, problems, text; /* JSON of the ranks, of their problems; lines for people */
    struct jsonw ranks_json, problems_json;
    struct fail_on_counts counts;
    bool wrong, unread;
    bool later; /* a step behind the one that is checked is examined */
};

/* {"step":…,"rank":…,"row":…,"kind":…,"detail":…} */
static void job_problem(struct checked_job *x, int rank, struct str row, const char *kind, const char *detail)
{
    struct jsonw *w = &x->problems_json;
    jw_object(w);
    jw_kint_if(w, "step", x->set.step >= 0, x->set.step);
    jw_kint(w, "rank", rank);
    row.n ? jw_kstr(w, "row", row) : jw_knull(w, "row");
    jw_kcstr(w, "kind", kind);
    jw_kcstr(w, "detail", detail);
    jw_end_object(w);
    if (x->later)
        buf_fmt(&x->text, _("step %d  "), x->set.step);
    buf_fmt(&x->text, _("rank %d  %-12s %.*s%s%s\n"), rank, kind, STR_ARG(row), row.n ? ": " : "", detail);
}

/* Lists calls whose output does not follow from their own inputs. */
static void rank_kernels(struct checked_job *x, int rank, const struct oracle_side *s)
{
    struct buf name = {0}, text = {0};
    size_t n;
    uint32_t *worst = oracle_worst(s, &n);
    for (size_t i = 0; i < n; i++) {
        buf_clear(&text);
        put_problem_row_name(s->dump, s->rows.v[worst[i]].row, &name);
        oracle_row_text(&s->rows.v[worst[i]], &text);
        job_problem(x, rank, buf_view(&name), "kernel", text.p);
    }
    free(worst);
    buf_release(&name);
    buf_release(&text);
}

static void rank_problems(struct checked_job *x, int rank, const struct checked_dump *found)
{
    struct buf name = {0};
    for (size_t i = 0; i < found->c.problems.n; i++) {
        const struct dump_check_problem *p = &found->c.problems.v[i];
        put_problem_row_name(found->d, p->row, &name);
        job_problem(x, rank, buf_view(&name), p->kind, p->text);
    }
    buf_release(&name);
    if (found->oracle)
        rank_kernels(x, rank, &found->oracle->side[TARGET]);
    for (int k = 0; k < FAIL_ON_KINDS; k++)
        x->counts.n[k] += found->counts.n[k];
    x->counts.rows += found->counts.rows;
    x->wrong |= found->wrong;
    x->unread |= found->unread;
}

static int check_rank(struct checked_job *x, const struct rank_dump *r, struct err *e)
{
    struct session s;
    struct session_options so;
    open_investigation_session(x->inv, x->o, &so);
    so.of.alone = true;
    so.unwatched = true;
    so.of.found = x->found;
    so.of.step[TARGET] = x->set.step;
    so.of.rank[TARGET] = r->rank;
    if (session_start(&s, &so, e))
        return -1;
    int rc = cli_wait(&s, x->o, e);
    if (rc == 0) {
        struct checked_dump found;
        struct out out = {.buf = {0}};
        check_dump(&found, &s, x->o);
        out.fd = -1;
        write_check_json(&x->ranks_json, &out, &found);
        rank_problems(x, r->rank, &found);
        checked_dump_release(&found);
    }
    session_stop(&s);
    return rc;
}

/* What the previous step made of each rank's weights. */
static void check_changes(struct checked_job *x, const struct rank_set *before)
{
    struct buf name = {0}, text = {0};
    for (size_t i = 0; i < x->set.ranks.n; i++) {
        const struct rank_dump *r = x->set.ranks.v[i];
        uint32_t was = rank_set_find(before, r->rank);
        step_change_list found = {0};
        if (was != NONE)
            step_changes_find(&before->ranks.v[was]->dump, &r->dump, &found);
        for (size_t k = 0; k < found.n; k++) {
            buf_clear(&text);
            put_problem_row_name(&r->dump, found.v[k].row, &name);
            step_change_text(&found.v[k], &text);
            job_problem(x, r->rank, buf_view(&name),
                        found.v[k].changed && !found.v[k].part ? "changed" : "unchanged", text.p);
            x->wrong = true;
        }
        vec_release(&found);
    }
    buf_release(&name);
    buf_release(&text);
}

static void replica_problems(struct checked_job *x, const struct replica_list *l)
{
    for (size_t i = 0; i < l->v.n; i++) {
        const struct replica_finding *f = &l->v.v[i];
        struct buf name = {0};
        dump_row_name(&x->set.ranks.v[f->rank]->dump, f->row, &name);
        job_problem(x, f->odd.n ? f->odd.v[0] : f->ranks.v[0], buf_view(&name), "replica", f->evidence);
        buf_release(&name);
        x->wrong = true;
    }
}

static void check_over_ranks(struct checked_job *x)
{
    whole_calls_build(&x->calls, &x->set, &x->layout);
    collectives_find(&x->collectives, &x->calls, TARGET, x->set.step);
    replicas_find(&x->replicas, &x->calls, NULL, TARGET, x->set.step);
    for (size_t i = 0; i < x->collectives.v.n; i++) {
        const struct collective *c = &x->collectives.v.v[i];
        if (collective_is_bad(c))
            job_problem(x, c->ranks.n ? c->ranks.v[0] : c->group.v[0], str_of(c->at), "collective", c->evidence);
        x->wrong |= collective_is_bad(c);
    }
    replica_problems(x, &x->replicas);
    rank_set_absent(&x->set, layout_ranks(&x->layout), &x->absent);
    for (size_t i = 0; i < x->absent.n; i++) {
        job_problem(x, x->absent.v[i], STR(""), "missing-rank",
                    _("missing: this rank is part of the layout or of a group, but was not recorded"));
        x->wrong = true;
    }
}

/* A recorded step behind the one that was checked. Its ranks' weights: as the previous step made them, and the same on
 * replicas. */
static int check_later_step(struct checked_job *x, int step, struct rank_set *before, struct err *e)
{
    struct whole_calls calls;
    struct replica_list replicas = {0};
    int rc = rank_set_load(&x->set, x->inv->input[TARGET], &x->places, step, x->o->workers, e);
    for (size_t i = 0; i < x->set.ranks.n && rc == 0; i++) {
        struct checked_dump found = {.d = &x->set.ranks.v[i]->dump};
        dump_check_run(&found.c, found.d, kern_select(NULL), x->o->workers, NULL, NULL);
        found.unread = found.c.unread > 0;
        found.wrong = found.c.problems.n > found.c.notes + found.c.unread;
        fail_on_count_check(&found.counts, found.d, &found.c);
        rank_problems(x, x->set.ranks.v[i]->rank, &found);
        checked_dump_release(&found);
    }
    if (rc == 0) {
        check_changes(x, before);
        whole_calls_build(&calls, &x->set, &x->layout);
        replicas_find(&replicas, &calls, NULL, TARGET, step);
        replica_problems(x, &replicas);
        replica_list_release(&replicas);
        whole_calls_release(&calls);
    }
    return rc;
}

/* Checks the requested step beside the one before it, or without one each later step beside the one before it. */
static int check_steps(struct checked_job *x, struct err *e)
{
    struct rank_set own = x->set, before = own;
    int asked = x->inv->step[TARGET], rc = 0, last = own.step;
    if (asked >= 0) {
        int earlier = -1;
        for (size_t i = 0; i < x->places.n; i++)
            if (x->places.v[i].step >= 0 && x->places.v[i].step < asked && x->places.v[i].step > earlier)
                earlier = x->places.v[i].step;
        if (earlier >= 0)
            rc = rank_set_load(&before, own.path, &x->places, earlier, x->o->workers, e);
        if (earlier >= 0 && rc == 0)
            check_changes(x, &before);
        if (earlier >= 0)
            rank_set_release(&before);
        return rc;
    }
    for (size_t i = 0; i < x->places.n && rc == 0; i++) { /* sorted by step */
        if (x->places.v[i].step <= last)
            continue;
        last = x->places.v[i].step;
        x->later = true;
        rc = check_later_step(x, last, &before, e);
        if (before.ranks.v != own.ranks.v)
            rank_set_release(&before);
        before = x->set;
    }
    if (before.ranks.v != own.ranks.v)
        rank_set_release(&before);
    x->set = own;
    return rc;
}

static void job_text(struct buf *b, const void *result)
{
    const struct checked_job *x = result;
    buf_str(b, buf_view(&x->text));
    if (!x->text.n)
        buf_cstr(b, _("no problem found\n"));
}

static void job_object(struct jsonw *w, struct out *o, const void *result)
{
    (void)o;
    const struct checked_job *x = result;
    jw_result(w);
    struct dump head = x->set.ranks.v[0]->dump;
    head.path = x->set.path;
    head.shown = NULL;
    head.rank = -1;
    json_side_fields(w, &head);
    jw_key(w, "layout");
    job_json_layout(w, &x->layout);
    jw_key(w, "ranks");
    jw_raw(w, buf_view(&x->ranks));
    jw_karray(w, "collectives");
    for (size_t i = 0; i < x->collectives.v.n; i++)
        job_json_collective(w, &x->collectives.v.v[i], (uint32_t)i, &x->set);
    jw_end_array(w);
    jw_karray(w, "replicas");
    for (size_t i = 0; i < x->replicas.v.n; i++)
        job_json_replica(w, &x->replicas.v.v[i], (uint32_t)i, &x->set);
    jw_end_array(w);
    jw_key(w, "problems");
    jw_raw(w, buf_view(&x->problems));
    jw_end_object(w);
}

static bool several_ranks(const place_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].step == l->v[0].step && l->v[i].rank != l->v[0].rank && !l->v[i].reader->table &&
            !l->v[i].reader->weights)
            return true;
    return false;
}

static void checked_job_release(struct checked_job *x)
{
    collective_list_release(&x->collectives);
    replica_list_release(&x->replicas);
    whole_calls_release(&x->calls);
    rank_set_release(&x->set);
    vec_release(&x->absent);
    buf_release(&x->ranks);
    buf_release(&x->problems);
    buf_release(&x->text);
}

/* Checks all ranks of the first step, or of the requested one. */
static int check_job(struct checked_job *x)
{
    struct err e = {0};
    int step = x->inv->step[TARGET] >= 0 ? x->inv->step[TARGET] : x->places.v[0].step;
    jw_init(&x->ranks_json, &x->ranks, false);
    jw_init(&x->problems_json, &x->problems, false);
    jw_array(&x->ranks_json);
    jw_array(&x->problems_json);
    ending_catch(NULL);
    int rc = rank_set_load(&x->set, x->inv->input[TARGET], &x->places, step, x->o->workers, &e);
    if (rc == 0 && !x->set.ranks.n)
        rc = err_set(&e, ERR_USAGE, _("no such step in %s"), x->inv->input[TARGET]);
    layout_init(&x->layout);
    const char *settings = panel_input_path(x->inv, PANEL_INPUT_TARGET_SETTINGS);
    if (rc == 0 && settings)
        settings_layout(&x->layout, settings, (int)x->set.ranks.n);
    if (rc == 0)
        layout_infer(&x->layout, &x->set);
    rank_set_hand_on(&x->set, &x->places, true);
    for (size_t i = 0; i < x->set.ranks.n && rc == 0; i++)
        rc = check_rank(x, x->set.ranks.v[i], &e);
    rank_set_hand_on(&x->set, &x->places, false);
    if (rc == 0) {
        check_over_ranks(x);
        rc = check_steps(x, &e);
    }
    jw_end_array(&x->ranks_json);
    jw_end_array(&x->problems_json);
    if (rc == 0 && (x->o->json || x->o->output || !x->o->summary))
        rc = cli_write(x->o, &(const struct result_forms){.text = job_text, .json = job_object}, x, &e);
    int status = rc ? cli_fail(&e) : fail_on_status(&x->o->policy, &x->counts, own_status(x->wrong, x->unread));
    checked_job_release(x);
    return status;
}

/* For one rank: what is wrong in the steps behind the first, and how each changed the weights. */
static void add_later_steps(struct checked_dump *x, const struct session *s)
{
    const struct recording *r = &s->now->side[TARGET];
    struct dump was, now;
    const struct dump *before = x->d;
    struct err why;
    bool asked = s->opt.of.step[TARGET] >= 0;
    dump_init(&was);
    if (asked && x->d->past && (before = step_before_dump(x->d->past)))
        note_changes(x, before, x->d);
    for (size_t i = r->place + 1; !asked && i < r->places.n; i++) {
        const struct place *p = &r->places.v[i];
        pthread_mutex_t lock;
        struct load load = {.lock = &lock};
        if (p->rank != x->d->rank || p->step <= before->step || p->reader->table || p->reader->weights)
            continue;
        pthread_mutex_init(&lock, NULL);
        dump_init(&now);
        place_set(&now, p);
        if (now.reader->open(&now, &load, &why) == 0) {
            struct dump_check found;
            now.complete = true;
            dump_check_run(&found, &now, s->kern, s->opt.workers, NULL, NULL);
            note_step(x, &now, &found);
            dump_check_release(&found);
            note_changes(x, before, &now);
            dump_release(&was);
            was = now;
            before = &was;
        } else {
            struct dump_check_problem unopened = {NONE, "damaged", arena_cstr(&x->sentences, str_of(why.text))};
            vec_push(&x->c.problems, unopened);
            x->wrong = true;
            dump_release(&now);
        }
        pthread_mutex_destroy(&lock);
    }
    dump_release(&was);
}

/* Whether the path has several ranks and none was requested; all are then checked, and *status is the result. */
static bool check_all_ranks(const struct options *o, const struct investigation *inv, struct found_trees *found,
                            int *status)
{
    struct checked_job x = {.o = o, .inv = inv, .found = found};
    read_failures failed = {0};
    struct err quiet;
    bool several = inv->rank[TARGET] < 0 && !o->summary &&
                   found_trees_below(found, inv->input[TARGET], NULL, &x.places, &failed, &quiet) == 0 &&
                   several_ranks(&x.places);
    if (several && place_list_check(&x.places, inv->input[TARGET], inv->step[TARGET], -1, &quiet))
        *status = cli_fail(&quiet);
    else if (several)
        *status = check_job(&x);
    read_failures_release(&failed);
    return several;
}

/* A text file that no reader knows: it may be a log in which nothing is recognised, and its error names the line. */
static bool may_be_log(const char *path)
{
    static const char *const others[] = {".json", ".yaml", ".yml", ".py", ".xml", ".html", ".md"};
    char head[4096];
    struct str s = path_is_file(path) ? file_head(path, head, sizeof head) : STR("");
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (str_ends(str_of(path), others[i]))
            return false;
    return s.n && !memchr(s.p, 0, s.n) && !unreadable_find(path, NULL);
}

int cli_check(const struct options *o)
{
    struct err unfit;
    if (fail_on_fits(&o->policy, FAIL_ON_CHECK, &unfit))
        return cli_fail(&unfit);
    if (dump_config_probe(o->arg[0]))
        return cli_check_dump_config(o);
    if (o->args > 1) {
        err_set(&unfit, ERR_USAGE, _("%s: a second path is only allowed with a dump configuration"), o->arg[1]);
        return cli_fail(&unfit);
    }
    enum path_kind what = path_kind_find(o->arg[0], NULL);
    if (what == PATH_LOG || what == PATH_NORMS || (what == PATH_NOTHING && may_be_log(o->arg[0])))
        return cli_check_log(o);
    struct session s;
    struct session_options so;
    struct err e = {0};
    int status;
    struct investigation inv;
    struct found_trees found = {0}; /* shared, so that each tree is searched once */
    if (open_investigation(&inv, o, NULL, false, &e)) {
        investigation_release(&inv);
        return cli_fail(&e);
    }
    if (check_all_ranks(o, &inv, &found, &status)) {
        found_trees_release(&found);
        investigation_release(&inv);
        return status;
    }
    open_investigation_session(&inv, o, &so);
    so.of.alone = true;
    so.unwatched = true;
    so.of.found = &found;
    ending_catch(NULL);
    if (session_start(&s, &so, &e)) {
        found_trees_release(&found);
        investigation_release(&inv);
        return cli_fail(&e);
    }
    if (cli_wait(&s, o, &e)) {
        status = cli_fail(&e);
    } else {
        struct checked_dump x;
        ending_release();
        check_dump(&x, &s, o);
        add_later_steps(&x, &s);
        fail_on_count_check(&x.counts, x.d, &x.c);
        int own = own_status(x.wrong, x.unread);
        status = fail_on_status(&o->policy, &x.counts, own);
        if ((o->json || o->output || !o->summary) && cli_write(o, &forms, &x, &e))
            status = cli_fail(&e);
        if (o->summary)
            write_check_summary(o, &x, own);
        checked_dump_release(&x);
    }
    session_stop(&s);
    found_trees_release(&found);
    investigation_release(&inv);
    return status;
}
