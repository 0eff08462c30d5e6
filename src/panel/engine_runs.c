/* The table of engines that judge the panels: the inputs of each, and the function that runs it. */
#include "panel/engine_runs.h"

#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"

/* ---- the engines ---- */

static int run_settings(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
                        struct err *e)
{
    struct settings side[2] = {0};
    int rc = 0;
    (void)watch;
    r->settings = arena_zalloc(&r->arena, sizeof *r->settings);
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = settings_side(&side[i], c->path[i], c->path[2 + i], e);
    if (rc == 0)
        rc = config_compare_run(r->settings, &side[0], &side[1], c->waiver, c->waivers, e);
    settings_release(&side[0]);
    settings_release(&side[1]);
    return rc;
}

static int run_weights(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
                       struct err *e)
{
    const struct weight_options o = {0};
    r->weights = arena_zalloc(&r->arena, sizeof *r->weights);
    if (weight_compare_open(r->weights, c->path[0], c->path[1], &o, e))
        return -1;
    return weight_compare_run(r->weights, kern_select(NULL), c->workers, watch, e);
}

/* Both dumps under --exact: every bit of every row. */
static int run_repeat(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
                      struct err *e)
{
    const struct comparison_options o =
        {.path = {c->path[0], c->path[1]}, .step = {-1, -1}, .rank = {-1, -1}, .exact = true, .tol = c->tol};
    const struct comparison *found;
    (void)watch;
    if (c->compare(&o, c->workers, &found, e))
        return -1;
    const struct judgement *j = found->judged;
    if (j) {
        const struct judge_options jo = comparison_judge_options(found);
        int status = judgement_status(j, &jo);
        for (size_t i = 0; i < j->lines; i++) {
            r->repeat.rows += found->pairing->lines.v[i].pair != NONE && j->line[i].verdict != VERDICT_SKIP;
            r->repeat.equal += j->line[i].verdict == VERDICT_MATCH;
        }
        r->repeat.verdict = status == 0 ? STAGE_PASS : status == 1 ? STAGE_FAIL : STAGE_UNKNOWN;
        if (j->first != NONE) {
            struct buf name = {0};
            const uint32_t *row = found->pairing->lines.v[j->first].row;
            int side = row[TARGET] != NONE ? TARGET : GOLDEN;
            dump_row_name(&found->side[side].dump, row[side], &name);
            r->repeat.first = arena_cstr(&r->arena, buf_view(&name));
            buf_release(&name);
        }
    }
    comparison_drop(found);
    return 0;
}

/* The settings of both sides follow the logs. */
static int run_curves_engine(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
                             struct err *e)
{
    const struct log_options o = {.cancel = &watch->cancel, .growing = c->growing};
    const char *path[ENGINE_RUN_SLOTS];
    size_t n = 0;
    for (int i = 0; i < ENGINE_RUN_LOGS; i++)
        if (c->path[i])
            path[n++] = c->path[i];
    r->curves = arena_zalloc(&r->arena, sizeof *r->curves);
    if (curves_open_after(r->curves, c->before, path, n, &o, e))
        return -1;
    for (int k = 0; k < 2; k++)
        r->curves->settings[k] = c->path[ENGINE_RUN_LOGS + k];
    curves_judge(r->curves, &c->tol.curves);
    return 0;
}

static int run_log_engine(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
                          struct err *e)
{
    if (run_curves_engine(r, c, watch, e))
        return -1;
    r->log = arena_zalloc(&r->arena, sizeof *r->log);
    log_check_run(r->log, &r->curves->run[0]);
    return 0;
}

static int open_norms(struct engine_run_result *r, const struct engine_run_case *c, const char *target,
                      const char *golden, struct figures_watch *watch,
                      struct err *e)
{
    const struct norm_options o = {.step = {-1, -1}, .rank = -1, .workers = c->workers, .kern = kern_select(NULL),
                                   .log = {.cancel = &watch->cancel}, .watch = watch};
    if (r->norms)
        norms_release(r->norms);
    r->norms = arena_zalloc(&r->arena, sizeof *r->norms);
    return norms_open(r->norms, target, golden, &o, e);
}

/* Given files; for a side without one its log, then its dump: both may hold norms. The first error is told, as it is of
 * the file most likely meant. */
static int run_norms_engine(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
                            struct err *e)
{
    struct err later;
    int rc = -1, tries = 0;
    for (int source = 1; source <= 2 && rc; source++) {
        const char *path[2];
        for (int i = 0; i < 2; i++)
            path[i] = c->path[i] ? c->path[i] : c->path[2 * source + i];
        if (!path[0] || !path[1] || (source == 2 && tries && c->path[0] && c->path[1]))
            continue;
        rc = open_norms(r, c, path[0], path[1], watch, tries ? &later : e);
        tries++;
    }
    if (rc == 0)
        norms_judge(r->norms, &c->tol.norms);
    else if (!tries)
        err_set(e, ERR_USAGE, "%s", _("norms missing on one side: give a file of norms, a log or a dump"));
    return rc;
}

static int run_step_engine(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
                           struct err *e)
{
    const struct step_options o = {.workers = c->workers, .kern = kern_select(NULL), .watch = watch};
    r->step = arena_zalloc(&r->arena, sizeof *r->step);
    return optimizer_run(r->step, c->path[0], c->path[1], &o, &c->tol, e);
}

static int run_rollout_engine(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
                              struct err *e)
{
    r->rollout = arena_zalloc(&r->arena, sizeof *r->rollout);
    if (rollout_open(r->rollout, c->path[0], c->path[1], &watch->cancel, e))
        return -1;
    rollout_judge(r->rollout, &c->tol.rollout);
    return 0;
}

static int run_first_engine(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
                            struct err *e)
{
    const struct comparison *s = c->first;
    (void)watch;
    (void)e;
    r->first = arena_zalloc(&r->arena, sizeof *r->first);
    if (comparison_deviates(s))
        diagnose_line(r->first, s->judged, &s->measure, s->flow, s->judged->first);
    return 0;
}

const struct engine_run_kind engine_run_kinds[ENGINE_RUN_COUNT] = {
    [ENGINE_RUN_SETTINGS] =
        {N_("settings"), {PANEL_INPUT_TARGET_SETTINGS, PANEL_INPUT_GOLDEN_SETTINGS, PANEL_INPUT_TARGET_ENV, PANEL_INPUT_GOLDEN_ENV}, 4, 0, run_settings, false, false},
    [ENGINE_RUN_WEIGHTS] = {N_("weights"), {PANEL_INPUT_TARGET_WEIGHTS, PANEL_INPUT_GOLDEN_WEIGHTS}, 2, 2, run_weights,
                            false, false},
    [ENGINE_RUN_REPEAT_TARGET] =
    {N_("the target run twice"), {PANEL_INPUT_TARGET, PANEL_INPUT_TARGET_REPEAT}, 2, 2, run_repeat, false, false},
    [ENGINE_RUN_REPEAT_GOLDEN] =
    {N_("the golden side run twice"), {PANEL_INPUT_GOLDEN, PANEL_INPUT_GOLDEN_REPEAT}, 2, 2, run_repeat, false, false},
    [ENGINE_RUN_CURVES] =
    {N_("curves"), {PANEL_INPUT_TARGET_LOG, PANEL_INPUT_GOLDEN_LOG, PANEL_INPUT_GOLDEN_LOG2, PANEL_INPUT_GOLDEN_LOG3,
      PANEL_INPUT_TARGET_SETTINGS, PANEL_INPUT_GOLDEN_SETTINGS}, 6, 2, run_curves_engine, false, true},
    [ENGINE_RUN_LOG] = {N_("one log"), {PANEL_INPUT_TARGET_LOG, PANEL_INPUT_GOLDEN_LOG}, 2, 1, run_log_engine, true,
                        true},
    [ENGINE_RUN_NORMS] = {N_("gradient norms"),
                          {PANEL_INPUT_TARGET_NORMS, PANEL_INPUT_GOLDEN_NORMS, PANEL_INPUT_TARGET_LOG, PANEL_INPUT_GOLDEN_LOG, PANEL_INPUT_TARGET, PANEL_INPUT_GOLDEN}, 6, 0, run_norms_engine, false, false},
    [ENGINE_RUN_STEP] = {N_("optimizer step"), {PANEL_INPUT_TARGET_STEP, PANEL_INPUT_GOLDEN_STEP}, 2, 2, run_step_engine,
                         false, false},
    [ENGINE_RUN_FROZEN] =
    {N_("curves at learning rate 0"), {PANEL_INPUT_TARGET_FROZEN, PANEL_INPUT_GOLDEN_FROZEN, PANEL_INPUT_GOLDEN_FROZEN2}, 3, 2, run_curves_engine, false, true},
    [ENGINE_RUN_ROLLOUT] = {N_("log-probabilities"), {PANEL_INPUT_TRAIN_PROBS, PANEL_INPUT_ROLLOUT_PROBS}, 2, 1, run_rollout_engine,
                            false, false},
    [ENGINE_RUN_SYNC] = {N_("weights after the sync"), {PANEL_INPUT_TRAIN_SYNC, PANEL_INPUT_ROLLOUT_SYNC}, 2, 2, run_weights,
                         false, false},
    [ENGINE_RUN_FIRST] = {N_("the first deviation"), {PANEL_INPUT_TARGET, PANEL_INPUT_GOLDEN}, 2, 2, run_first_engine, false, false},
};

/* ---- cases ---- */

/* Only checks' own waivers; those of panels and items are the panels' matter. */
static void take_check_waivers(struct engine_run_case *c, const struct investigation *v)
{
    for (size_t i = 0; i < v->waived.n && c->waivers < ENGINE_RUN_WAIVERS; i++)
        if (checklist_find(str_of(v->waived.v[i].name)))
            c->waiver[c->waivers++] = (struct config_waiver){arena_cstr(&c->arena, str_of(v->waived.v[i].name)),
                                                             arena_cstr(&c->arena, str_of(v->waived.v[i].text))};
}

static uint64_t engine_case_key(const struct engine_run_case *c, enum engine_run_id x)
{
    uint64_t h = (uint64_t)x + 1, stamp[2];
    for (int i = 0; i < ENGINE_RUN_SLOTS; i++) {
        h = h * 31 + (uint64_t)i;
        if (!c->path[i])
            continue;
        h = hash_bytes(c->path[i], strlen(c->path[i]), h);
        if (path_changed(c->path[i], stamp))
            h = hash_bytes(stamp, sizeof stamp, h);
    }
    for (size_t i = 0; i < c->waivers && x == ENGINE_RUN_SETTINGS; i++) {
        h = hash_bytes(c->waiver[i].id, strlen(c->waiver[i].id), h);
        h = hash_bytes(c->waiver[i].reason, strlen(c->waiver[i].reason), h);
    }
    double value;
    for (int i = 0; thresholds_key(&c->tol, i, &value); i++)
        h = hash_bytes(&value, sizeof value, h);
    return hash_bytes(msg_current(), strlen(msg_current()), h); /* results hold sentences */
}

bool engine_run_prepare(struct engine_run_case *c, enum engine_run_id x, const struct investigation *v, uint64_t *key)
{
    const struct engine_run_kind *k = &engine_run_kinds[x];
    struct buf at = {0};
    bool there = k->must > 0;
    *c = (struct engine_run_case){.tol = v->tol};
    for (int i = 0; i < k->slots; i++) {
        const char *p = panel_input_path(v, k->slot[i]);
        if (p) {
            investigation_locate(v, p, &at);
            c->path[i] = arena_cstr(&c->arena, buf_view(&at));
        } else if (i < k->must) {
            there = false;
        }
    }
    for (int i = 0; i + 1 < k->slots && !k->must; i += 2) /* alternatives, any of them on each side */
        for (int n = 0; n + 1 < k->slots; n += 2)
            there |= c->path[i] && c->path[n + 1];
    buf_release(&at);
    if (k->alone && c->path[k->slots - 1])
        there = false;
    if (x == ENGINE_RUN_SETTINGS)
        take_check_waivers(c, v);
    for (int i = 0; i < ENGINE_RUN_SLOTS; i++)
        if (c->path[i])
            c->files = hash_bytes(c->path[i], strlen(c->path[i]), c->files + (uint64_t)i + 1);
    *key = there ? engine_case_key(c, x) : 0;
    return there;
}

void engine_run_case_release(struct engine_run_case *c)
{
    arena_release(&c->arena);
    *c = (struct engine_run_case){0};
}

void engine_run_release(struct engine_run_result *r)
{
    if (r->settings)
        config_compare_release(r->settings);
    if (r->weights)
        weight_compare_release(r->weights);
    if (r->curves)
        curves_release(r->curves);
    if (r->log)
        log_check_release(r->log);
    if (r->norms)
        norms_release(r->norms);
    if (r->step)
        optimizer_release(r->step);
    if (r->rollout)
        rollout_release(r->rollout);
    if (r->first)
        diagnoses_release(r->first);
    arena_release(&r->arena);
    *r = (struct engine_run_result){0};
}
