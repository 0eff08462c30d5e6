/* The comparison of a job of several ranks beside the screen's own session: begun once it is known that there are
 * several, ended with the inputs. Or results that other processes wrote, which are shown in its place. */
#include "cmd/pane_verbs.h"
#include "base/io.h"
#include "panel/panel_inputs.h"
#include "report/job_merge.h"
#include "ui/cli.h"
#include "ui/open_investigation.h"
#include "ui/screen.h"

static void begin_rank_job(struct screen *s)
{
    struct job_compare_options o = {.all_steps = s->opt.step[TARGET] < 0 && s->opt.step[GOLDEN] < 0,
                                    .live = true,
                                    .notify = s->notify,
                                    .ctx = s->ctx};
    struct err e;
    open_investigation_session(&s->inv, &s->opt, &o.of);
    for (size_t i = 0; i < s->inv.decisions.now; i++) /* as they are now: they may change while it reads them */
        vec_push(&s->job_decisions.log, s->inv.decisions.log.v[i]);
    s->job_decisions.now = s->job_decisions.log.n;
    o.of.decisions = &s->job_decisions;
    o.of.of.oracle.mode = ORACLE_OFF;
    memcpy(o.of.of.step, s->opt.step, sizeof o.of.of.step); /* what the investigation left open is one of them */
    for (int i = 0; i < 2; i++) {
        static const enum panel_input_id settings[] = {PANEL_INPUT_TARGET_SETTINGS, PANEL_INPUT_GOLDEN_SETTINGS};
        o.layout[i] = s->opt.layout[i];
        o.settings[i] = panel_input_path(&s->inv, settings[i]);
    }
    o.dims = (struct dims_list){s->opt.dims, (size_t)s->opt.dims_n};
    job_compare_init(&s->job, &o);
    s->ranks.job = &s->job;
    s->ranks.follow = s->ranks.shown = true;
    buf_clear(&s->work.message); /* of one rank alone */
    job_compare_start(&s->job, &e); /* a failure is shown in its place */
}

/* Where a recording is now: what --remap says of the path in the results. */
static char *remapped_path(const struct screen *s, const char *path)
{
    struct buf b = {0};
    for (int i = 0; i < s->opt.remaps && !b.n; i++)
        if (str_eq(str_n(path, strnlen(path, s->opt.remap_from[i].n)), s->opt.remap_from[i]))
            buf_fmt(&b, "%.*s%s", STR_ARG(s->opt.remap_to[i]), path + s->opt.remap_from[i].n);
    if (!b.n)
        buf_cstr(&b, path);
    return b.p;
}

int screen_ranks_results(struct screen *s, struct err *e)
{
    cJSON *all = job_files_merge(s->results, e);
    if (!all)
        return -1;
    job_compare_of_summary(&s->job, all);
    char *path[2];
    bool there = true;
    for (int i = 0; i < 2; i++) {
        path[i] = remapped_path(s, s->job.summary.side[i]);
        there = there && (path_is_dir(path[i]) || path_is_file(path[i]));
    }
    for (int i = 0; i < 2; i++) {
        free(s->opened[i]);
        s->opened[i] = path[i];
        s->opt.arg[i] = path[i];
    }
    s->opt.args = there ? 2 : 0;
    s->opt.nothing = !there;
    s->ranks.job = &s->job;
    s->ranks.follow = s->ranks.shown = s->ranks.offered = true;
    return 0;
}

void screen_ranks_begin(struct screen *s)
{
    if (s->ranks.job && s->job.summary.all && s->inv.input[GOLDEN]) {
        screen_ranks_stop(s);
        free(s->results);
        s->results = NULL;
    }
    s->ranks.offered = true;
    if (!s->ranks.job)
        begin_rank_job(s);
    s->ranks.shown = true;
    s->work.overlay = OVERLAY_NONE;
}

static int count_ranks_of(const struct recording *x)
{
    return place_list_ranks(&x->places, x->dump.step);
}

/* Several ranks are known once both sides were found, micro-batches to be joined once they are read. */
static bool begin_job_if_several(struct screen *s)
{
    session_lock(&s->session);
    const struct comparison *c = s->session.now;
    bool found = c->side[TARGET].state >= SIDE_LOADING && c->side[GOLDEN].state >= SIDE_LOADING;
    bool over = c->failed || c->single || c->tabled || !c->side[TARGET].path || s->inv.pack;
    bool several = found && !over && (count_ranks_of(&c->side[TARGET]) > 1 || count_ranks_of(&c->side[GOLDEN]) > 1) &&
                   !c->opt.map_only;
    bool read = !over && c->paired; /* then micro-batches can be counted */
    bool micro = read && !several && cli_job_of_micro_batches(c);
    session_unlock(&s->session);
    s->ranks.offered = over || several || read;
    bool across = s->opt.step[GOLDEN] >= 0 && s->opt.step[GOLDEN] != s->opt.step[TARGET]; /* one step with another */
    return (several || micro) && !across && s->opt.rank[TARGET] < 0 && s->opt.rank[GOLDEN] < 0;
}

/* The pair of the first deviation, or the joined sides, take the table's place when all is known and nobody has moved
 * yet: what reports and panels speak of. Their figures are kept from the job. */
static void open_first(struct screen *s)
{
    struct rank_view *v = &s->ranks;
    struct rank_pair p;
    uint32_t row[2];
    if (v->open.on || !v->shown || !v->follow || !s->inv.input[GOLDEN] || s->work.overlay != OVERLAY_NONE ||
        s->prompt.active)
        return;
    screen_tell_written(s);
    if (s->work.message.n || s->writing) /* they would end with the pair that is open */
        return;
    job_compare_lock(v->job);
    rank_view_refresh(v);
    bool known = v->job->settled && (v->job->result.joined || v->job->result.first.found);
    struct rank_cell c = {0};
    if (known) {
        size_t first;
        rank_view_rows(v, &first);
        c = (struct rank_cell){first + v->rank, 1, v->column, 1};
    }
    known = known && rank_view_target(v, &c, &p, row);
    const char *call = known && v->job->summary.all ? rank_view_call(v, &c) : NULL;
    job_compare_unlock(v->job);
    session_lock(&s->session);
    known = known && !rank_pair_is_open(s->session.now, &p);
    session_unlock(&s->session);
    if (!known)
        return;
    v->want = p;
    v->arrive_call = call;
    memcpy(v->arrive, row, sizeof row);
    v->arriving = true;
    screen_open_pair(s);
    v->shown = true;
}

void screen_ranks_look(struct screen *s)
{
    if (!s->ranks.offered && begin_job_if_several(s))
        screen_ranks_begin(s);
    if (s->ranks.job)
        open_first(s);
}

void screen_ranks_stop(struct screen *s)
{
    struct ranks_picture *p = &s->picture;
    job_compare_release(&s->job);
    rank_view_release(&s->ranks);
    decisions_release(&s->job_decisions);
    vec_release(&p->cell);
    vec_release(&p->from);
    vec_release(&p->steps);
    buf_release(&p->layout[0]);
    buf_release(&p->layout[1]);
    buf_release(&p->unseen);
    buf_release(&p->outcome);
    buf_release(&p->under);
    s->ranks = (struct rank_view){.job = NULL};
    s->picture = (struct ranks_picture){.rows = 0};
}
