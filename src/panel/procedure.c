/* The job that runs engines when their inputs change, the pages written from what they found, and which step to
 * dump next. */
#include "panel/procedure.h"

#include "base/msg.h"

void guide_init(struct guide *g, const struct comparison *c, struct investigation *v, compare_run *compare,
                void (*notify)(void *ctx), void *ctx)
{
    *g = (struct guide){.s = comparison_hold(c), .inv = v, .compare = compare, .why = ""};
    job_init(&g->job, notify, ctx);
}

/* Whether pages would say something else of b. A comparison that goes on is told of when it is complete. */
static bool says_else(const struct comparison *a, const struct comparison *b)
{
    return a->complete != b->complete || a->failed != b->failed || a->paired != b->paired || (b->complete && a->serial != b->serial);
}

void guide_see(struct guide *g, const struct comparison *c)
{
    if (g->held || g->s == c)
        return;
    const struct comparison *before = g->s;
    if (says_else(before, c))
        g->changes++;
    g->s = comparison_hold(c);
    comparison_drop(before);
}

/* ---- the exams ---- */

static void clear(struct exam *x)
{
    if (x->lent && x->result.curves) {
        x->grave = x->result;
        x->result = (struct exam_result){0};
    }
    exam_release(&x->result);
    exam_case_release(&x->the_case);
    exam_case_release(&x->next_case);
    x->err = (struct err){0};
    x->again = false;
}

static bool waits(const struct exam *x)
{
    return x->state == EXAM_WAITING || (x->state == EXAM_DONE && x->again);
}

static int next_waiting(const struct guide *g)
{
    int i = 0;
    while (i < EXAM_COUNT && !waits(&g->exam[i]))
        i++;
    return i;
}

/* What came of an exam, where nobody has asked for another since. */
static void take_result(struct exam *x, struct exam_run *r, bool failed, const struct err *e)
{
    bool wanted = r->on ? x->state == EXAM_DONE && x->result.curves == r->of.before : x->state == EXAM_RUNNING && x->key == r->key;
    r->of.before = NULL;
    x->lent = false;
    exam_release(&x->grave);
    if (wanted) {
        exam_release(&x->result);
        exam_case_release(&x->the_case);
        x->state = failed ? EXAM_FAILED : EXAM_DONE;
        x->result = r->result;
        x->err = *e;
        x->the_case = r->of; /* results may point at its strings */
    } else {
        exam_release(&r->result);
        exam_case_release(&r->of);
    }
    r->result = (struct exam_result){0};
    r->of = (struct exam_case){0};
}

static int run_exam(struct job *j, void *ctx, struct err *e)
{
    struct guide *g = ctx;
    (void)j;
    return exam_kinds[g->run.exam].run(&g->run.result, &g->run.of, &g->run.watch, e);
}

static void start(struct guide *g, int i)
{
    struct exam *x = &g->exam[i];
    struct exam_run *r = &g->run;
    bool on = x->state == EXAM_DONE;
    atomic_store(&r->watch.cancel, false);
    r->exam = i;
    r->on = on;
    r->key = x->key;
    r->of = on ? x->next_case : x->the_case;
    r->of.compare = g->compare;
    if (on) {
        r->of.before = x->result.curves;
        x->next_case = (struct exam_case){0};
        x->again = false;
        x->lent = true;
    } else {
        x->the_case = (struct exam_case){0};
        x->state = EXAM_RUNNING;
    }
    g->changes++;
    job_start(&g->job, run_exam, g); /* without a thread it has failed at once, and is taken so */
}

/* Takes what has ended and starts what waits. */
static void go_on(struct guide *g)
{
    if (g->held)
        return;
    for (;;) {
        enum job_state how = job_take(&g->job);
        if (how == JOB_RUNNING)
            return;
        if (how != JOB_IDLE) {
            take_result(&g->exam[g->run.exam], &g->run, how == JOB_FAILED, &g->job.err);
            g->changes++;
        }
        int i = next_waiting(g);
        if (i == EXAM_COUNT)
            return;
        start(g, i);
    }
}

void guide_release(struct guide *g)
{
    if (!g->job.ready)
        return;
    atomic_store(&g->run.watch.cancel, true);
    job_wait(&g->job, NULL, NULL, 0);
    if (job_take(&g->job) != JOB_IDLE)
        take_result(&g->exam[g->run.exam], &g->run, true, &g->job.err);
    job_release(&g->job);
    for (int i = 0; i < EXAM_COUNT; i++)
        clear(&g->exam[i]);
    for (int i = 0; i < PANELS; i++) {
        vec_release(&g->page[i].items);
        arena_release(&g->page[i].arena);
    }
    arena_release(&g->arena);
    comparison_drop(g->s);
    g->s = NULL;
}

bool guide_busy(struct guide *g)
{
    bool busy = false;
    go_on(g);
    for (int i = 0; i < EXAM_COUNT; i++)
        busy |= waits(&g->exam[i]) || g->exam[i].lent || g->exam[i].state == EXAM_RUNNING;
    return busy;
}

void guide_hold(struct guide *g)
{
    g->held++;
}

void guide_give(struct guide *g)
{
    if (--g->held == 0 && g->late)
        guide_look(g);
}

void guide_wait(struct guide *g, bool (*each)(void *ctx), void *ctx, int ms)
{
    while (guide_busy(g) && (!each || each(ctx)))
        job_wait(&g->job, each, ctx, ms);
}

/* ---- what is to be examined ---- */

/* A case that is another than the one examined, or under way, takes its place. */
static void look(struct guide *g, enum exam_id i)
{
    struct exam *x = &g->exam[i];
    struct exam_case c;
    uint64_t key;
    bool there = exam_prepare(&c, i, g->inv, &key);
    if (key == x->key) {
        exam_case_release(&c);
        return;
    }
    c.growing = g->follow;
    bool grown = g->follow && there && x->files == c.files;
    if (grown && x->state == EXAM_RUNNING) { /* what is being read is finished first */
        exam_case_release(&c);
        return;
    }
    if (grown && x->state == EXAM_DONE && x->result.curves) {
        exam_case_release(&x->next_case);
        x->next_case = c;
        x->again = true;
        x->key = key;
        return;
    }
    if (x->state == EXAM_RUNNING || x->lent)
        atomic_store(&g->run.watch.cancel, true);
    clear(x);
    x->key = key;
    x->files = c.files;
    x->state = there ? EXAM_WAITING : EXAM_MISSING;
    if (there)
        x->the_case = c;
    else
        exam_case_release(&c);
    g->changes++;
}

static void look_at(struct guide *g, bool all)
{
    g->late = g->held > 0 && (all || g->late);
    if (g->held)
        return;
    for (int i = 0; i < EXAM_COUNT; i++)
        if ((!g->only || g->only >> i & 1) && (all || exam_kinds[i].goes_on))
            look(g, (enum exam_id)i);
    go_on(g);
}

void guide_look(struct guide *g)
{
    look_at(g, true);
}

void guide_follow(struct guide *g, bool on)
{
    g->follow = on;
    if (on)
        look_at(g, false);
}

void guide_tell(struct guide *g)
{
    g->changes++;
    guide_look(g);
}

int guide_was(const struct guide *g, int panel)
{
    const struct round_panel *p = g->s->since.there ? round_panel(g->s->since.before, panels[panel].name) : NULL;
    return p ? panel_state_find(p->state) : -1;
}

bool guide_begun(const struct guide *g)
{
    return g->inv->given.n || g->inv->waived.n || g->inv->answers.n;
}

/* ---- the pages ---- */

static void write_page(struct guide *g, int i)
{
    struct panel_page *p = &g->page[i];
    vec_clear(&p->items);
    arena_clear(&p->arena);
    p->state = PANEL_NOT_STARTED;
    p->waits_for = 0;
    p->summary = p->next = "";
    p->next_command = NULL;
    p->values[0] = p->values[1] = NULL;
    p->picture = -1;
    panels[i].write(p, g);
    for (size_t k = 0; k < p->items.n && p->state == PANEL_PASSED; k++)
        if (p->items.v[k].mark == MARK_NEED)
            p->items.v[k].value[0] = _("would help");
    char number[2] = {(char)('1' + i), 0};
    const char *reason = investigation_text(&g->inv->waived, number);
    if (reason) {
        p->state = PANEL_WAIVED;
        p->summary = arena_fmt(&p->arena, "%s", reason);
        p->next = "";
    }
}

void guide_write(struct guide *g)
{
    if (g->written && g->held)
        return;
    go_on(g);
    if (g->written && g->seen == g->changes && g->language == msg_current())
        return;
    if (g->written && g->language != msg_current())
        guide_look(g); /* results hold sentences */
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
    tree_decide(g);
}

/* ---- for the panels ---- */

const struct exam_result *guide_result(const struct guide *g, enum exam_id x)
{
    return g->exam[x].state == EXAM_DONE ? &g->exam[x].result : NULL;
}

const struct curves *guide_curves(const struct guide *g, const struct panel_page *p)
{
    const struct exam_result *r = p->picture < 0 ? NULL : guide_result(g, (enum exam_id)p->picture);
    return r && r->curves->points.n ? r->curves : NULL;
}

enum exam_id guide_curve_exam(const struct guide *g, bool frozen)
{
    return frozen ? EXAM_FROZEN : guide_result(g, EXAM_LOG) ? EXAM_LOG : EXAM_CURVES;
}

bool guide_pending(struct panel_page *p, const struct guide *g, enum exam_id x, const char *id, const char *what)
{
    const struct exam *e = &g->exam[x];
    struct panel_item *it;
    switch (e->state) {
    case EXAM_DONE:
        return false;
    case EXAM_MISSING:
        it = page_item(p, MARK_MISSING, id, _("%s: not given yet"), what);
        it->need = slots[exam_kinds[x].slot[exam_kinds[x].must ? exam_kinds[x].must - 1 : 0]].need;
        break;
    case EXAM_WAITING:
    case EXAM_RUNNING:
        page_item(p, MARK_RUNNING, id, _("%s: being read …"), what);
        break;
    case EXAM_FAILED:
        it = page_item(p, MARK_OPEN, id, "%s: %s", what, e->err.text);
        it->detail = it->text;
        break;
    }
    return true;
}

/* The step a run's curves send one to, and why; -1: none. What is not finite comes first, then where the runs leave each
 * other, then the first of what stands out and where they part for good. */
static int64_t step_of(const struct curves *c, enum step_why *why)
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

int64_t guide_step_to_dump(const struct guide *g, enum step_why *why)
{
    static const enum exam_id exams[] = {EXAM_CURVES, EXAM_LOG, EXAM_FROZEN};
    for (size_t i = 0; i < ARRAY_LEN(exams); i++) {
        const struct exam_result *r = guide_result(g, exams[i]);
        int64_t step = r ? step_of(r->curves, why) : -1;
        if (step >= 0)
            return step;
    }
    return -1;
}
