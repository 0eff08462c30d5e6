/* The job that runs engines when their inputs change, and makes the pages and the plan of the next dump from their
 * results. */
#include "panel/procedure.h"

#include "base/msg.h"
#include "base/threads.h"
#include "compare/start_text.h"
#include "panel/known_causes.h"

void procedure_init(struct procedure *g, const struct comparison *c, struct investigation *v, compare_run *compare,
                    void (*notify)(void *ctx), void *ctx)
{
    *g = (struct procedure){.s = comparison_hold(c), .inv = v, .compare = compare, .why = ""};
    job_init(&g->job, notify, ctx);
}

/* Whether pages would change with b. A running comparison is reported when it is complete. */
static bool says_else(const struct comparison *a, const struct comparison *b)
{
    return a->complete != b->complete || a->failed != b->failed || a->paired != b->paired ||
           (b->complete && a->serial != b->serial);
}

static bool laid_alike(const struct ranks_laid *a, const struct ranks_laid *b)
{
    const struct layout *l = &a->layout, *m = &b->layout;
    return a->ranks == b->ranks && layout_same(l, m) && l->source == m->source && l->open == m->open &&
           l->weights == m->weights && l->proved == m->proved && l->equal == m->equal;
}

void procedure_see_ranks(struct procedure *g, const struct ranks_laid laid[2], int status)
{
    if (g->held || (laid_alike(&g->laid[TARGET], &laid[TARGET]) && laid_alike(&g->laid[GOLDEN], &laid[GOLDEN]) &&
                    g->ranks_status == status))
        return;
    memcpy(g->laid, laid, sizeof g->laid);
    g->ranks_status = status;
    g->changes++;
}

/* ---- the exams ---- */

static void clear_engine_run(struct engine_run *x)
{
    if (x->lent && x->result.curves) {
        x->grave = x->result;
        x->result = (struct engine_run_result){0};
    }
    engine_run_release(&x->result);
    engine_run_case_release(&x->the_case);
    engine_run_case_release(&x->next_case);
    x->err = (struct err){0};
    x->again = false;
}

static bool engine_run_waits(const struct engine_run *x)
{
    return x->state == ENGINE_RUN_WAITING || (x->state == ENGINE_RUN_DONE && x->again);
}

static int next_waiting(const struct procedure *g)
{
    int i = 0;
    while (i < ENGINE_RUN_COUNT && !engine_run_waits(&g->exam[i]))
        i++;
    return i;
}

/* Takes the result of an engine run, unless another has been requested since. */
static void take_engine_result(struct engine_run *x, struct engine_run_run *r, bool failed, const struct err *e)
{
    bool wanted = r->on ? x->state == ENGINE_RUN_DONE && x->result.curves == r->of.before
                        : x->state == ENGINE_RUN_RUNNING && x->key == r->key;
    r->of.before = NULL;
    comparison_drop(r->of.first);
    r->of.first = NULL;
    x->lent = false;
    engine_run_release(&x->grave);
    if (wanted) {
        engine_run_release(&x->result);
        engine_run_case_release(&x->the_case);
        x->state = failed ? ENGINE_RUN_FAILED : ENGINE_RUN_DONE;
        x->result = r->result;
        x->err = *e;
        x->the_case = r->of; /* results may point at its strings */
    } else {
        engine_run_release(&r->result);
        engine_run_case_release(&r->of);
    }
    r->result = (struct engine_run_result){0};
    r->of = (struct engine_run_case){0};
}

static int run_exam(struct job *j, void *ctx, struct err *e)
{
    struct procedure *g = ctx;
    (void)j;
    return engine_run_kinds[g->run.exam].run(&g->run.result, &g->run.of, &g->run.watch, e);
}

static void start_engine_run(struct procedure *g, int i)
{
    struct engine_run *x = &g->exam[i];
    struct engine_run_run *r = &g->run;
    bool on = x->state == ENGINE_RUN_DONE;
    atomic_store(&r->watch.cancel, false);
    r->exam = i;
    r->on = on;
    r->key = x->key;
    r->of = on ? x->next_case : x->the_case;
    r->of.compare = g->compare;
    r->of.workers = threads_wanted(0);
    r->of.first = i == ENGINE_RUN_FIRST ? comparison_hold(g->s) : NULL;
    if (on) {
        r->of.before = x->result.curves;
        x->next_case = (struct engine_run_case){0};
        x->again = false;
        x->lent = true;
    } else {
        x->the_case = (struct engine_run_case){0};
        x->state = ENGINE_RUN_RUNNING;
    }
    g->changes++;
    job_start(&g->job, run_exam, g); /* without a thread it has failed already, and this is taken as its result */
}

/* Takes what has ended and starts what waits. */
static void continue_engine_runs(struct procedure *g)
{
    if (g->held)
        return;
    for (;;) {
        enum job_state how = job_take(&g->job);
        if (how == JOB_RUNNING)
            return;
        if (how != JOB_IDLE) {
            take_engine_result(&g->exam[g->run.exam], &g->run, how == JOB_FAILED, &g->job.err);
            g->changes++;
        }
        int i = next_waiting(g);
        if (i == ENGINE_RUN_COUNT)
            return;
        start_engine_run(g, i);
    }
}

void procedure_release(struct procedure *g)
{
    if (!g->job.ready)
        return;
    atomic_store(&g->run.watch.cancel, true);
    job_wait(&g->job, NULL, NULL, 0);
    if (job_take(&g->job) != JOB_IDLE)
        take_engine_result(&g->exam[g->run.exam], &g->run, true, &g->job.err);
    job_release(&g->job);
    for (int i = 0; i < ENGINE_RUN_COUNT; i++)
        clear_engine_run(&g->exam[i]);
    for (int i = 0; i < PANELS; i++) {
        vec_release(&g->page[i].items);
        arena_release(&g->page[i].arena);
    }
    arena_release(&g->arena);
    comparison_drop(g->s);
    g->s = NULL;
}

bool procedure_busy(struct procedure *g)
{
    bool busy = false;
    continue_engine_runs(g);
    for (int i = 0; i < ENGINE_RUN_COUNT; i++)
        busy |= engine_run_waits(&g->exam[i]) || g->exam[i].lent || g->exam[i].state == ENGINE_RUN_RUNNING;
    return busy;
}

void procedure_hold(struct procedure *g)
{
    g->held++;
}

void procedure_give(struct procedure *g)
{
    if (--g->held == 0 && g->late)
        procedure_look(g);
}

void procedure_wait(struct procedure *g, bool (*each)(void *ctx), void *ctx, int ms)
{
    while (procedure_busy(g) && (!each || each(ctx)))
        job_wait(&g->job, each, ctx, ms);
}

/* ---- what is to be examined ---- */

/* The diagnosis of the first deviation has no files of its own: it is made again with each judgement. */
static bool prepare_first(struct engine_run_case *c, const struct comparison *s, uint64_t *key)
{
    uint64_t of[] = {ENGINE_RUN_FIRST, s->serial};
    bool there = comparison_deviates(s);
    *c = (struct engine_run_case){0};
    *key = there ? hash_bytes(of, sizeof of, hash_bytes(msg_current(), strlen(msg_current()), 1)) : 0;
    return there;
}

static bool is_engine_wanted(const struct procedure *g, enum engine_run_id i)
{
    return !g->only || g->only >> i & 1;
}

/* Replaces the case if it differs from the one examined or in progress. */
static void look_at_engine(struct procedure *g, enum engine_run_id i)
{
    struct engine_run *x = &g->exam[i];
    struct engine_run_case c;
    uint64_t key;
    bool there = i == ENGINE_RUN_FIRST ? prepare_first(&c, g->s, &key) : engine_run_prepare(&c, i, g->inv, &key);
    if (key == x->key) {
        engine_run_case_release(&c);
        return;
    }
    c.growing = g->follow;
    bool grown = g->follow && there && x->files == c.files;
    if (grown && x->state == ENGINE_RUN_RUNNING) { /* what is being read is finished first */
        engine_run_case_release(&c);
        return;
    }
    if (grown && x->state == ENGINE_RUN_DONE && x->result.curves) {
        engine_run_case_release(&x->next_case);
        x->next_case = c;
        x->again = true;
        x->key = key;
        return;
    }
    if (x->state == ENGINE_RUN_RUNNING || x->lent)
        atomic_store(&g->run.watch.cancel, true);
    clear_engine_run(x);
    x->key = key;
    x->files = c.files;
    x->state = there ? ENGINE_RUN_WAITING : ENGINE_RUN_MISSING;
    if (there)
        x->the_case = c;
    else
        engine_run_case_release(&c);
    g->changes++;
}

static void look_at_engines(struct procedure *g, bool all)
{
    g->late = g->held > 0 && (all || g->late);
    if (g->held)
        return;
    for (int i = 0; i < ENGINE_RUN_COUNT; i++)
        if (is_engine_wanted(g, (enum engine_run_id)i) && (all || engine_run_kinds[i].goes_on))
            look_at_engine(g, (enum engine_run_id)i);
    continue_engine_runs(g);
}

void procedure_see(struct procedure *g, const struct comparison *c)
{
    if (g->held || g->s == c)
        return;
    const struct comparison *before = g->s;
    bool other = says_else(before, c);
    g->s = comparison_hold(c);
    comparison_drop(before);
    if (!other)
        return;
    g->changes++;
    if (is_engine_wanted(g, ENGINE_RUN_FIRST))
        look_at_engine(g, ENGINE_RUN_FIRST);
}

void procedure_look(struct procedure *g)
{
    look_at_engines(g, true);
}

void procedure_follow(struct procedure *g, bool on)
{
    g->follow = on;
    if (on)
        look_at_engines(g, false);
}

void procedure_tell(struct procedure *g)
{
    g->changes++;
    procedure_look(g);
}

int procedure_was(const struct procedure *g, int panel)
{
    const struct round_panel *p = g->s->since.there ? round_panel(g->s->since.before, panels[panel].name) : NULL;
    return p ? panel_state_find(p->state) : -1;
}

int procedure_panels(const struct procedure *g)
{
    for (int s = PANEL_INPUT_TRAIN_PROBS; s <= PANEL_INPUT_ROLLOUT_SYNC; s++)
        if (panel_input_path(g->inv, (enum panel_input_id)s))
            return PANELS;
    return PANELS - 1;
}

bool procedure_begun(const struct procedure *g)
{
    return g->inv->given.n || g->inv->waived.n || g->inv->answers.n;
}

/* ---- the pages ---- */

static void write_page(struct procedure *g, int i)
{
    struct panel_page *p = &g->page[i];
    vec_clear(&p->items);
    arena_clear(&p->arena);
    p->state = PANEL_NOT_STARTED;
    p->waits_for = 0;
    p->summary = p->next = "";
    p->next_command = NULL;
    p->values[0] = p->values[1] = p->scale = NULL;
    p->picture = -1;
    panels[i].write(p, g);
    for (size_t k = 0; k < p->items.n && p->state == PANEL_PASSED; k++)
        if (p->items.v[k].mark == MARK_NEED)
            p->items.v[k].value[0] = _("optional");
    char number[2] = {(char)('1' + i), 0};
    const char *reason = investigation_text(&g->inv->waived, number);
    if (reason) {
        p->state = PANEL_WAIVED;
        p->summary = arena_fmt(&p->arena, "%s", reason);
        p->next = "";
    }
}

void procedure_write(struct procedure *g)
{
    if (g->written && g->held)
        return;
    continue_engine_runs(g);
    if (g->written && g->seen == g->changes && g->language == msg_current())
        return;
    if (g->written && g->language != msg_current())
        procedure_look(g); /* results hold sentences */
    g->written = true;
    g->language = msg_current();
    g->seen = g->changes;
    for (int i = 0; i < PANELS; i++)
        write_page(g, i);
    for (int i = 0; i < PANELS; i++) {
        struct panel_page *p = &g->page[i];
        int after = panels[i].after;
        bool judged = p->state == PANEL_PASSED || p->state == PANEL_FAILED || p->state == PANEL_WAIVED;
        if (!after || g->page[after - 1].state != PANEL_FAILED || p->state == PANEL_PASSED || p->state == PANEL_WAIVED)
            continue;
        p->waits_for = after;
        if (!judged && p->state != PANEL_NOT_STARTED)
            p->state = PANEL_WAITS;
    }
    next_panel(g);
}

/* ---- for the panels ---- */

const struct engine_run_result *procedure_result(const struct procedure *g, enum engine_run_id x)
{
    return g->exam[x].state == ENGINE_RUN_DONE ? &g->exam[x].result : NULL;
}

const char *procedure_first_told(const struct procedure *g, struct arena *a)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_FIRST);
    struct buf sentence = {0}, place = {0};
    if (!r || !comparison_deviates(g->s))
        return NULL;
    uint32_t line = g->s->judged->first;
    const char *known = known_cause_at(g, g->s, line, r->first, a);
    start_sentence(g->s, line, r->first, &sentence);
    if (start_place_text(&g->s->measure, line, &place))
        buf_cstr(&sentence, _(", "));
    const char *told = arena_fmt(a, _("%s%s. %s"), sentence.p, place.n ? place.p : "",
                                 known ? known : start_action(g->s, line, r->first));
    buf_release(&sentence);
    buf_release(&place);
    return told;
}

const struct curves *procedure_curves(const struct procedure *g, const struct panel_page *p)
{
    const struct engine_run_result *r = p->picture < 0 ? NULL : procedure_result(g, (enum engine_run_id)p->picture);
    return r && r->curves->points.n ? r->curves : NULL;
}

enum engine_run_id procedure_curve_run(const struct procedure *g, bool frozen)
{
    return frozen ? ENGINE_RUN_FROZEN : procedure_result(g, ENGINE_RUN_LOG) ? ENGINE_RUN_LOG : ENGINE_RUN_CURVES;
}

bool procedure_pending(struct panel_page *p, const struct procedure *g, enum engine_run_id x, const char *id,
                       const char *what)
{
    const struct engine_run *e = &g->exam[x];
    struct panel_item *it;
    switch (e->state) {
    case ENGINE_RUN_DONE:
        return false;
    case ENGINE_RUN_MISSING:
        it = page_item(p, MARK_MISSING, id, _("%s: not given yet"), what);
        it->need = panel_inputs[engine_run_kinds[x].slot[engine_run_kinds[x].must
                                                         ? engine_run_kinds[x].must - 1 : 0]].need;
        break;
    case ENGINE_RUN_WAITING:
    case ENGINE_RUN_RUNNING:
        page_item(p, MARK_RUNNING, id, _("%s: reading …"), what);
        break;
    case ENGINE_RUN_FAILED:
        it = page_item(p, MARK_OPEN, id, "%s: %s", what, e->err.text);
        it->detail = it->text;
        break;
    }
    return true;
}

/* The step to examine by a run's curves, and the reason; -1: none. Non-finite values come first, then the first
 * difference, then the first outlier and the lasting divergence. */
static int64_t step_to_dump(const struct curves *c, enum step_why *why)
{
    int64_t spike = c->spikes.n ? c->spikes.v[0].step : -1;
    if (c->nonfinite.n) {
        *why = STEP_NOT_FINITE;
        return c->nonfinite.v[0].step;
    }
    if (c->first_loss == STAGE_FAIL && c->forward_only) {
        *why = STEP_FIRST;
        return c->points.v[c->usable.v[0]].step;
    }
    if (c->apart_at >= 0) {
        *why = STEP_APART;
        return c->apart_at;
    }
    bool parts = c->diverges_at >= 0 && (spike < 0 || c->diverges_at < spike);
    *why = parts ? STEP_PARTS : STEP_SPIKE;
    return parts ? c->diverges_at : spike;
}

int64_t procedure_step_to_dump(const struct procedure *g, enum step_why *why)
{
    static const enum engine_run_id exams[] = {ENGINE_RUN_CURVES, ENGINE_RUN_LOG, ENGINE_RUN_FROZEN};
    for (size_t i = 0; i < ARRAY_LEN(exams); i++) {
        const struct engine_run_result *r = procedure_result(g, exams[i]);
        int64_t step = r ? step_to_dump(r->curves, why) : -1;
        if (step >= 0)
            return step;
    }
    return -1;
}
