/* The guided panels: each one's verdict on clean and on faulty inputs, what comes next, what is saved, the recipes. */
#include "courses.h"
#include "tickets.h"
#include "written.h"

#include <math.h>

#include "base/msg.h"
#include "base/json_read.h"
#include "config/dump_config.h"
#include "panel/known_causes.h"
#include "panel/next_dump.h"
#include "report/panels_output.h"

/* ---- what is expected ---- */

static void state_is(int panel, enum panel_state wanted)
{
    const struct panel_page *p = &g.page[panel - 1];
    if (p->state != wanted)
        fail_msg("panel %d is %s, not %s: %s", panel, panel_state_name(p->state), panel_state_name(wanted), p->summary);
}

static void next_is(int panel, const char *part)
{
    if (g.next != panel || !strstr(g.why, part))
        fail_msg("next is %d: %s", g.next, g.why);
}

/* ---- logs that grow ---- */

static void logs_are_followed(void **state)
{
    (void)state;
    const char *t = write_log(dir, "grow-t.log", (struct course){.steps = 40}, 11),
               *o = write_log(dir, "grow-g.log", (struct course){.steps = 60}, 12);
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_LOG, t);
    give(PANEL_INPUT_GOLDEN_LOG, o);
    session_lock(&s);
    g.follow = true;
    session_unlock(&s);
    settle();
    const struct curves *first = procedure_result(&g, ENGINE_RUN_CURVES)->curves;
    assert_int_equal(first->points.n, 40);
    struct buf text = {0};
    struct err e;
    assert_int_equal(file_slurp(write_log(dir, "grow-all.log", (struct course){.steps = 60}, 11), 1 << 20, &text, &e),
                     0);
    size_t line = text.n / 60;
    FILE *f = fopen(t, "w"); /* the same file, as a run goes on: ten more steps and half of one */
    fwrite(text.p, 1, 50 * line + line / 2, f);
    fclose(f);
    session_lock(&s);
    procedure_look(&g);
    bool shown = procedure_result(&g, ENGINE_RUN_CURVES)->curves == first; /* until there is another */
    session_unlock(&s);
    assert_true(shown);
    procedure_wait(&g, NULL, NULL, 0);
    assert_int_equal(procedure_result(&g, ENGINE_RUN_CURVES)->curves->points.n, 50);
    f = fopen(t, "a");
    fwrite(text.p + 50 * line + line / 2, 1, text.n - 50 * line - line / 2, f);
    fclose(f);
    session_lock(&s);
    procedure_look(&g);
    investigation_tell(&inv, &inv.given, STR("target-log"), STR("nowhere.log")); /* another, while that is being read */
    procedure_look(&g);
    session_unlock(&s);
    procedure_wait(&g, NULL, NULL, 0);
    assert_true(g.exam[ENGINE_RUN_CURVES].state == ENGINE_RUN_FAILED);
    give(PANEL_INPUT_TARGET_LOG, t);
    settle();
    assert_int_equal(procedure_result(&g, ENGINE_RUN_CURVES)->curves->points.n, 60);
    buf_release(&text);
}

static void one_log_is_followed(void **state)
{
    (void)state;
    const char *t = write_log(dir, "alone.log", (struct course){.steps = 40}, 11);
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_LOG, t);
    session_lock(&s);
    g.follow = true;
    session_unlock(&s);
    settle();
    const struct panel_page *p = &g.page[6];
    assert_int_equal(p->picture, ENGINE_RUN_LOG);
    assert_int_equal(procedure_curves(&g, p)->points.n, 40);
    write_log(dir, "alone.log", (struct course){.steps = 60}, 11);
    session_lock(&s);
    procedure_follow(&g, true);
    session_unlock(&s);
    settle();
    assert_int_equal(procedure_curves(&g, p)->points.n, 60);
    give(PANEL_INPUT_GOLDEN_LOG, write_log(dir, "alone-g.log", (struct course){.steps = 60}, 12));
    settle();
    assert_int_equal(p->picture, ENGINE_RUN_CURVES);
    assert_int_equal(procedure_curves(&g, p)->runs, 2);
}

/* ---- nothing yet ---- */

static void empty_ticket_asks_for_settings(void **state)
{
    (void)state;
    begin(NULL, NULL);
    settle();
    for (int i = 1; i <= PANELS; i++)
        state_is(i, PANEL_NOT_STARTED);
    next_is(1, "settings");
    assert_int_equal(panels_status(&g), 5);
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "one.log", (struct course){.steps = 5}, 1));
    settle();
    state_is(3, PANEL_NEEDS_INPUT);
    state_is(7, PANEL_NEEDS_INPUT);
    state_is(6, PANEL_NOT_STARTED);
}

/* ---- 1 ---- */

static const char yaml[] =
    "seed: 1\noptimizer: {type: AdamW, betas: [0.9, %s], eps: 1.e-8, weight_decay: 0.1}\n"
    "model: {model_config: {type: LlamaConfig, num_layers: 2, num_heads: 4, hidden_size: 64, vocab_size: %d}}\n"
    "runner_config: {epochs: 1, batch_size: 1, sink_size: 1}\n";

static const char *write_yaml(const char *name, const char *beta2, int vocabulary)
{
    char text[1000];
    snprintf(text, sizeof text, yaml, beta2, vocabulary);
    return put_text(dir, name, text);
}

/* Equal settings that are not the small run's: open, and each line is settled by an answer or a waiver. */
static void first_run_is_small(void **state)
{
    static const char full[] = "lr_schedule: {type: ConstantWarmUpLR, learning_rate: 1.e-5, warmup_steps: 100}\n"
                               "model: {model_config: {type: LlamaConfig, num_layers: 40, num_heads: 4, hidden_size: "
                                   "64}}\n";
    static const char *const open[] = {"C001", "C052", "C124", "C125"};
    (void)state;
    begin(NULL, NULL);
    const char *path = put_text(dir, "full.yaml", full);
    give(PANEL_INPUT_TARGET_SETTINGS, path);
    give(PANEL_INPUT_GOLDEN_SETTINGS, path);
    settle();
    state_is(1, PANEL_OPEN);
    next_is(1, "Answer the checks marked ?");
    const size_t asked = page_count(&g.page[0], MARK_OPEN) - ARRAY_LEN(open); /* checks of severity error */
    assert_true(asked > 5);
    assert_non_null(strstr(g.page[0].summary, "open: "));
    for (size_t i = 0; i < ARRAY_LEN(open); i++) {
        const struct panel_item *it = page_find(&g.page[0], open[i]);
        assert_non_null(it);
        assert_int_equal(it->mark, MARK_OPEN);
        assert_non_null(strstr(it->detail, "recommended by the guide"));
    }
    const char *env = put_text(dir, "small.env", "HCCL_DETERMINISTIC=true\nASCEND_LAUNCH_BLOCKING=1\n"
                                                 "MS_ASCEND_CHECK_OVERFLOW_MODE=INFNAN_MODE\n");
    give(PANEL_INPUT_TARGET_ENV, env);
    give(PANEL_INPUT_GOLDEN_ENV, env);
    settle();
    assert_int_equal(page_find(&g.page[0], "C124")->mark, MARK_OK);
    investigation_tell(&inv, &inv.answers, STR("C001"), STR("the cluster's own depth"));
    investigation_tell(&inv, &inv.waived, STR("C052"), STR("known"));
    settle();
    state_is(1, PANEL_OPEN); /* until every check that the files do not show is answered */
    for (size_t i = 0; i < g.page[0].items.n; i++)
        if (g.page[0].items.v[i].mark == MARK_OPEN)
            investigation_tell(&inv, &inv.answers, str_of(g.page[0].items.v[i].id), STR("ok"));
    settle();
    state_is(1, PANEL_PASSED);
    investigation_tell(&inv, &inv.answers, STR("C127"), STR("bad: other seeds"));
    settle();
    state_is(1, PANEL_FAILED);
}

static void settings_flip(void **state)
{
    (void)state;
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_SETTINGS, write_yaml("a.yaml", "0.95", 1000));
    give(PANEL_INPUT_GOLDEN_SETTINGS, write_yaml("b.yaml", "0.95", 1000));
    settle();
    /* what the guide asks for and nobody told is open; with what has to be set on NPU and is not, waived, it counts no
     * more */
    state_is(1, PANEL_OPEN);
    for (size_t i = 0; i < g.page[0].items.n; i++) {
        struct panel_item it = g.page[0].items.v[i];
        if (it.mark == MARK_BAD || it.mark == MARK_OPEN)
            investigation_tell(&inv, &inv.waived, str_of(it.id), STR("small test"));
    }
    settle();
    state_is(1, PANEL_PASSED);
    give(PANEL_INPUT_GOLDEN_SETTINGS, write_yaml("c.yaml", "0.99", 1000));
    settle();
    state_is(1, PANEL_FAILED);
    next_is(1, "The settings differ");
    size_t bad = page_count(&g.page[0], MARK_BAD);
    assert_int_equal(bad, 1);
    for (size_t i = 0; i < g.page[0].items.n; i++)
        if (g.page[0].items.v[i].mark == MARK_BAD) {
            assert_string_equal(g.page[0].items.v[i].value[1], "0.99");
            investigation_tell(&inv, &inv.waived, str_of(g.page[0].items.v[i].id), STR("agreed"));
            break;
        }
    settle();
    state_is(1, PANEL_PASSED);
    investigation_tell(&inv, &inv.waived, STR("1"), STR("not ours"));
    settle();
    state_is(1, PANEL_WAIVED);
    assert_string_equal(g.page[0].summary, "not ours");
}

/* ---- 2 ---- */

static const char *loss_log(const char *name, double first)
{
    char text[400];
    snprintf(text, sizeof text, "{\"step\": 1, \"loss\": %.6f}\n{\"step\": 2, \"loss\": 3.5}\n", first);
    return put_text(dir, name, text);
}

/* Loss of the dump against the undumped run's log: hooks that change the numbers are said before anything else. */
static void a_dump_of_another_run_comes_first(void **state)
{
    (void)state;
    begin(sample("tt_rope/target"), sample("tt_rope/bench"));
    give(PANEL_INPUT_TARGET_LOG, loss_log("dt.jsonl", 3.654972));
    give(PANEL_INPUT_GOLDEN_LOG, loss_log("dg.jsonl", 3.654938));
    settle();
    assert_int_equal(item(2, "target-dump-run")->mark, MARK_OK);
    assert_int_equal(item(2, "golden-dump-run")->mark, MARK_OK);
    state_is(3, PANEL_PASSED); /* the losses of these very runs agree */
    give(PANEL_INPUT_TARGET_LOG, loss_log("dt3.jsonl", 3.75));
    give(PANEL_INPUT_GOLDEN_LOG, loss_log("dg3.jsonl", 3.75));
    settle();
    assert_int_equal(item(3, "first-loss")->mark, MARK_NOTE); /* of other runs, so the dumps decide */
    state_is(3, PANEL_FAILED);
    give(PANEL_INPUT_GOLDEN_LOG, loss_log("dg.jsonl", 3.654938));
    give(PANEL_INPUT_TARGET_LOG, loss_log("dt2.jsonl", 3.6612));
    settle();
    assert_int_equal(item(2, "target-dump-run")->mark, MARK_OPEN);
    next_is(2, "differs from the loss of the run without dump");
    investigation_tell(&inv, &inv.answers, STR("target-dump-run"), STR("the log's loss is the mean of two ranks"));
    settle();
    assert_int_equal(item(2, "target-dump-run")->mark, MARK_OK);
}

static void data_flip(void **state)
{
    (void)state;
    begin(sample("tt_rope/target"), sample("tt_rope/bench"));
    give(PANEL_INPUT_TARGET_WEIGHTS, sample("weights/hf.safetensors"));
    give(PANEL_INPUT_GOLDEN_WEIGHTS, sample("weights/hf.pth"));
    give(PANEL_INPUT_TARGET_REPEAT, sample("tt_rope/target"));
    settle();
    assert_int_equal(item(2, "input_ids")->mark, MARK_OK);
    assert_int_equal(item(2, "weights")->mark, MARK_OK);
    assert_int_equal(item(2, "target-repeat")->mark, MARK_INPUT);
    state_is(2, PANEL_PASSED);
    give(PANEL_INPUT_TARGET_REPEAT, sample("tt_rope/bench")); /* another run */
    settle();
    state_is(2, PANEL_FAILED);
    next_is(2, "depend on them");
    give(PANEL_INPUT_TARGET_REPEAT, sample("tt_rope/target"));
    give(PANEL_INPUT_TARGET_WEIGHTS, sample("weights/llama_wrong.ckpt"));
    give(PANEL_INPUT_GOLDEN_WEIGHTS, sample("weights/llama.ckpt"));
    settle();
    assert_int_equal(item(2, "weights")->mark, MARK_BAD);
    state_is(2, PANEL_FAILED);
    assert_int_equal(g.page[2].waits_for, 2);
}

static void ids_have_to_be_in_the_vocabulary(void **state)
{
    (void)state;
    begin(sample("llama_rope/ms"), sample("llama_rope/torch"));
    give(PANEL_INPUT_TARGET_SETTINGS, write_yaml("v.yaml", "0.95", 100000));
    give(PANEL_INPUT_GOLDEN_SETTINGS, write_yaml("v.yaml", "0.95", 100000));
    settle();
    assert_int_equal(item(2, "id-range")->mark, MARK_OK);
    give(PANEL_INPUT_TARGET_SETTINGS, write_yaml("w.yaml", "0.95", 3));
    give(PANEL_INPUT_GOLDEN_SETTINGS, write_yaml("w.yaml", "0.95", 3));
    settle();
    assert_int_equal(item(2, "id-range")->mark, MARK_BAD);
}

/* ---- 3 ---- */

static void first_loss_flips(void **state)
{
    (void)state;
    begin(NULL, NULL);
    give(PANEL_INPUT_GOLDEN_LOG, write_log(dir, "g.log", (struct course){.steps = 30}, 2));
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "t.log", (struct course){.steps = 30}, 1));
    settle();
    state_is(3, PANEL_PASSED);
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "t3.log", (struct course){.steps = 30, .first = 0.3, .jump = 0.3}, 1));
    settle();
    state_is(3, PANEL_FAILED);
    next_is(3, "Step 1 differs");
    assert_string_equal(g.page[2].next_command, "recipe dump");
}

static void first_deviation_has_to_be_explained(void **state)
{
    (void)state;
    begin(sample("llama_rope/ms"), sample("llama_rope/torch"));
    settle();
    state_is(3, PANEL_FAILED);
    assert_non_null(strstr(item(3, "first-deviation")->text, "Functional.mul.0.forward.input.1"));
    assert_string_equal(item(3, "first-deviation")->command, "first");
    next_is(3, "the dumps show where"); /* no other dump is asked for */
    investigation_tell(&inv, &inv.answers, STR("first-deviation"), STR("inv_freq is rounded through bfloat16"));
    settle();
    state_is(3, PANEL_PASSED);
    end();
    begin(sample("clean_mix_stat/ms"), sample("clean_mix_stat/torch"));
    settle();
    state_is(3, PANEL_PASSED);
}

/* ---- 4, 5 ---- */

static void norms_flip(void **state)
{
    (void)state;
    char text[2][4000] = {"", ""};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 12; i++)
            snprintf(text[k] + strlen(text[k]), sizeof text[k] - strlen(text[k]),
                     "dump local norm:  model.layers.%d.attention.wq.weight %.6f\n", i,
                     0.1 + 0.01 * i + (k && i == 4 ? 0.4 : 0));
    char path[3][400];
    const char *const name[] = {"n0.log", "n1.log", "n2.log"};
    for (int i = 0; i < 3; i++) {
        char head[5000];
        snprintf(head, sizeof head,
                 "%s iteration 1/ 1 | learning rate: 1.0E-03 | lm loss: 5.000000E+00 | grad norm: 1.0 |\n",
                 text[i == 2]);
        put_text(dir, name[i], head);
        snprintf(path[i], sizeof path[i], "%s/%s", dir, name[i]);
    }
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_NORMS, path[0]);
    give(PANEL_INPUT_GOLDEN_NORMS, path[1]);
    settle();
    state_is(4, PANEL_PASSED);
    give(PANEL_INPUT_TARGET_NORMS, path[2]);
    settle();
    state_is(4, PANEL_FAILED);
    next_is(4, "The gradient of a weight is an outlier");
    /* logs that hold none: not failed, only missing */
    give(PANEL_INPUT_TARGET_NORMS, "");
    give(PANEL_INPUT_GOLDEN_NORMS, "");
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "p.log", (struct course){.steps = 20}, 1));
    give(PANEL_INPUT_GOLDEN_LOG, write_log(dir, "q.log", (struct course){.steps = 20}, 2));
    settle();
    state_is(4, PANEL_NOT_STARTED);
    assert_int_equal(item(4, "local-norm")->mark, MARK_MISSING);
}

static void optimizer_flips(void **state)
{
    (void)state;
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_STEP, sample("optimizer/clean/target"));
    give(PANEL_INPUT_GOLDEN_STEP, sample("optimizer/clean/golden"));
    settle();
    state_is(5, PANEL_PASSED);
    give(PANEL_INPUT_TARGET_STEP, sample("optimizer/eps/target"));
    give(PANEL_INPUT_GOLDEN_STEP, sample("optimizer/eps/golden"));
    settle();
    state_is(5, PANEL_FAILED);
    assert_non_null(strstr(g.page[4].summary, "eps"));
}

/* ---- 6, 7 ---- */

static void frozen_flips(void **state)
{
    (void)state;
    const struct course clean = {.steps = 1100, .frozen = true};
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_FROZEN, write_log(dir, "f1.log", clean, 1));
    give(PANEL_INPUT_GOLDEN_FROZEN, write_log(dir, "f2.log", clean, 2));
    settle();
    state_is(6, PANEL_PASSED);
    give(PANEL_INPUT_TARGET_FROZEN,
         write_log(dir, "f3.log", (struct course){.steps = 1100, .frozen = true, .spike_at = 700}, 1));
    settle();
    state_is(6, PANEL_FAILED);
    assert_string_equal(item(6, "step-700")->command, "plot to 700");
    give(PANEL_INPUT_TARGET_FROZEN, write_log(dir, "f4.log", (struct course){.steps = 1100}, 1)); /* it learns */
    give(PANEL_INPUT_GOLDEN_FROZEN, write_log(dir, "f5.log", (struct course){.steps = 1100}, 2));
    settle();
    state_is(6, PANEL_OPEN);
}

static void long_run_flips(void **state)
{
    (void)state;
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "l1.log", (struct course){.steps = 1200}, 1));
    give(PANEL_INPUT_GOLDEN_LOG, write_log(dir, "l2.log", (struct course){.steps = 1200}, 2));
    settle();
    state_is(7, PANEL_OPEN); /* nobody has spoken of scaling out */
    investigation_tell(&inv, &inv.waived, STR("scaling"), STR("one card"));
    settle();
    state_is(7, PANEL_PASSED);
    investigation_tell(&inv, &inv.waived, STR("scaling"), STR(""));
    static const char *const all[] = {"several-cards",     "accumulation",       "tensor-parallel", "pipeline-parallel",
                                      "sequence-parallel", "optimizer-parallel", "model-size", "cluster"};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        investigation_tell(&inv, &inv.answers, str_of(all[i]), STR("ok, 1,000 steps"));
    settle();
    state_is(7, PANEL_PASSED);
    investigation_tell(&inv, &inv.answers, STR("cluster"), STR("bad: 0.05 apart"));
    settle();
    state_is(7, PANEL_FAILED);
    investigation_tell(&inv, &inv.answers, STR("cluster"), STR("ok"));
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "l3.log", (struct course){.steps = 1200, .drift_from = 500}, 1));
    settle();
    state_is(7, PANEL_FAILED);
    next_is(7, "diverge later");
    assert_non_null(strstr(g.page[6].summary, "the losses diverge from step"));
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "l4.log", (struct course){.steps = 1200, .nan = true}, 1));
    settle();
    next_is(7, "Non-finite");
}

/* What the ranks' layout tells of a feature: that of a side in use, of one not in use only if its weights show it and
 * no rank is missing. */
static void recorded_ranks_tell_features(void **state)
{
    static const struct {
        const char *layout;
        size_t ranks;
        bool weights, tp, pp, sp; /* what is left to answer for */
        const char *words;
    } cases[] = {
        {"dp=8", 8, true, false, false, false, "Not used by the recorded ranks (8 ranks: dp 8; inferred"},
        {"dp=8", 8, false, true, true, true, ":answer tensor-parallel ok"},
        {"dp=8", 7, true, true, true, true, ":answer tensor-parallel ok"},
        {"tp=4,dp=2", 8, true, true, false, true, "Used by the recorded ranks (8 ranks: tp 4 · dp 2"},
        {"dp=4,pp=2", 8, true, false, true, false, "Not used by the recorded ranks (8 ranks: dp 4 · pp 2"},
    };
    (void)state;
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "r1.log", (struct course){.steps = 1200}, 1));
    give(PANEL_INPUT_GOLDEN_LOG, write_log(dir, "r2.log", (struct course){.steps = 1200}, 2));
    settle();
    assert_int_equal(item(7, "tensor-parallel")->mark, MARK_OPEN);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ranks_laid laid[2];
        struct err e;
        assert_int_equal(layout_parse(&laid[0].layout, str_of(cases[i].layout), &e), 0);
        laid[0].layout.source = LAYOUT_INFERRED;
        laid[0].layout.weights = cases[i].weights;
        laid[0].ranks = cases[i].ranks;
        laid[1] = laid[0];
        procedure_see_ranks(&g, laid, -1);
        procedure_write(&g);
        assert_int_equal(item(7, "tensor-parallel")->mark, cases[i].tp ? MARK_OPEN : MARK_NOTE);
        assert_int_equal(item(7, "pipeline-parallel")->mark, cases[i].pp ? MARK_OPEN : MARK_NOTE);
        assert_int_equal(item(7, "sequence-parallel")->mark, cases[i].sp ? MARK_OPEN : MARK_NOTE);
        assert_int_equal(item(7, "several-cards")->mark, MARK_OPEN);
        assert_int_equal(item(7, "optimizer-parallel")->mark, MARK_OPEN);
        assert_non_null(strstr(item(7, "tensor-parallel")->detail, cases[i].words));
    }
}

static void what_does_not_show_small_is_widened(void **state)
{
    (void)state;
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "w1.log", (struct course){.steps = 1200}, 1));
    give(PANEL_INPUT_GOLDEN_LOG, write_log(dir, "w2.log", (struct course){.steps = 1200}, 2));
    settle();
    state_is(7, PANEL_OPEN);
    next_is(7, "Enlarge the run");
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "w3.log", (struct course){.steps = 1200, .drift_from = 400}, 1));
    settle();
    next_is(7, "diverge later");
}

static void a_jump_behind_step_1_leads_to_norms_then_optimizer(void **state)
{
    (void)state;
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_LOG, write_log(dir, "j1.log", (struct course){.steps = 100, .jump = 0.5}, 1));
    give(PANEL_INPUT_GOLDEN_LOG, write_log(dir, "j2.log", (struct course){.steps = 100}, 2));
    settle();
    state_is(3, PANEL_PASSED);
    next_is(4, "backward or optimizer");
    struct panel_item *apart = page_find(&g.page[6], "apart"); /* panel 7 names the step, as the command does */
    assert_non_null(apart);
    assert_string_equal(apart->command, "plot to 2");
    assert_non_null(strstr(g.page[6].summary, "step 2"));
    investigation_tell(&inv, &inv.waived, STR("4"), STR("equal"));
    settle();
    next_is(5, "the optimizer");
    investigation_tell(&inv, &inv.waived, STR("5"), STR("equal"));
    settle();
    next_is(4, "backward pass of step 1");
}

/* ---- 8, and the file ---- */

static void findings_close_the_ticket(void **state)
{
    (void)state;
    begin(NULL, NULL);
    static const char *const numbers[] = {"1", "2", "3", "4", "5", "6", "7"};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        investigation_tell(&inv, &inv.waived, str_of(numbers[i]), STR("seen"));
    settle();
    state_is(8, PANEL_PASSED);
    assert_int_equal(g.next, 0);
    assert_int_equal(panels_status(&g), 0);
    investigation_tell(&inv, &inv.waived, STR("5"), STR(""));
    give(PANEL_INPUT_TARGET_STEP, sample("optimizer/eps/target"));
    give(PANEL_INPUT_GOLDEN_STEP, sample("optimizer/eps/golden"));
    settle();
    state_is(8, PANEL_OPEN);
    assert_int_equal(panels_status(&g), 1);
    investigation_tell(&inv, &inv.answers, STR("root-cause"), STR("eps"));
    investigation_tell(&inv, &inv.answers, STR("confirmed"), STR("run 2 agrees"));
    settle();
    state_is(8, PANEL_PASSED);
}

static void what_was_told_is_saved(void **state)
{
    (void)state;
    struct investigation back;
    struct err e;
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_LOG, "logs/\"a\".log");
    investigation_tell(&inv, &inv.waived, STR("C007"), STR("agreed\nin the ticket"));
    investigation_tell(&inv, &inv.answers, STR("root-cause"), STR("eps"));
    assert_int_equal(investigation_save(&inv, &e), 0);
    investigation_init(&back);
    assert_int_equal(investigation_load(&back, inv.path, &e), 0);
    assert_string_equal(panel_input_path(&back, PANEL_INPUT_TARGET_LOG), "logs/\"a\".log");
    assert_string_equal(investigation_text(&back.waived, "C007"), "agreed\nin the ticket");
    assert_string_equal(investigation_text(&back.answers, "root-cause"), "eps");
    investigation_release(&back);
}

static void paths_are_found_from_the_investigation(void **state)
{
    (void)state;
    struct buf at = {0};
    char wanted[400];
    begin(NULL, NULL);
    put_text(dir, "sub/run.log", "x");
    investigation_locate(&inv, "sub/run.log", &at);
    snprintf(wanted, sizeof wanted, "%s/sub/run.log", dir);
    assert_string_equal(at.p, wanted);
    investigation_locate(&inv, "nowhere/run.log", &at);
    assert_string_equal(at.p, "nowhere/run.log");
    buf_release(&at);
}

static void json_is_whole(void **state)
{
    (void)state;
    struct out o = {0};
    begin(NULL, NULL);
    give(PANEL_INPUT_TARGET_STEP, sample("optimizer/eps/target"));
    give(PANEL_INPUT_GOLDEN_STEP, sample("optimizer/eps/golden"));
    settle();
    put_json(&o, panels_json, &g);
    cJSON *root = cJSON_Parse(o.buf.p);
    assert_non_null(root);
    const cJSON *list = cJSON_GetObjectItem(root, "panels");
    assert_int_equal(cJSON_GetArraySize(list), PANELS - 1); /* no rollout was given */
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 4), "state")->valuestring, "failed");
    assert_string_equal(cJSON_GetObjectItem(root, "verdict")->valuestring, "fail");
    cJSON_Delete(root);
    buf_release(&o.buf);
}

/* ---- recipes and the next dump ---- */

static void recipes_are_whole(void **state)
{
    (void)state;
    struct buf b = {0};
    const struct recipe_facts f = {.step = 3,
                                   .rank = 2,
                                   .tensors = true,
                                   .list = {"\"a\"", "\"b\""},
                                   .kernels = "\"k\""};
    assert_null(recipes_bad());
    for (size_t i = 0; i < recipe_count(); i++) {
        const struct recipe *r = recipe_at(i);
        buf_clear(&b);
        recipe_write(r, &f, 0, &b);
        assert_null(strstr(b.p, "${"));
        if (str_ends(r->file, ".json")) {
            cJSON *root = cJSON_Parse(b.p);
            if (!root)
                fail_msg("%.*s is no JSON", STR_ARG(r->name));
            cJSON_Delete(root);
        }
        if (str_ends(r->file, ".json") && str_starts(r->need,
                                                     "dump")) { /* what we hand out stands before our own linter */
            struct dump_config c;
            struct err e;
            const char *path = put_text(dir, "recipe.json", b.p);
            assert_true(dump_config_probe(path));
            if (dump_config_open(&c, path, &e) || c.bad)
                fail_msg("%.*s: %s", STR_ARG(r->name), c.bad ? c.remarks.v[0].text : e.text);
            dump_config_release(&c);
        }
    }
    for (int k = 0; k < PANEL_INPUT_COUNT; k++) { /* every input has a recipe */
        bool found = false;
        for (size_t i = 0; i < recipe_count(); i++)
            found |= str_is(recipe_at(i)->need, panel_inputs[k].need);
        if (!found)
            fail_msg("nothing produces %s", panel_inputs[k].name);
    }
    buf_release(&b);
}

static void cards_match_only_by_their_rules(void **state)
{
    (void)state;
    struct arena a = {0};
    struct diagnoses d = {.n = 1, .v = {{.id = DIAGNOSIS_ROUNDED}}};
    struct known_cause_facts f = {.found = &d, .name = "Functional.mul.0.forward.input.1"};
    assert_null(known_causes_bad());
    begin(NULL, NULL);
    f.g = &g;
    assert_null(known_cause_match(&f, &a, 0));
    f.name = "Tensor.__mul__.0.forward.inv_freq";
    const char *text = known_cause_match(&f, &a, 0);
    assert_non_null(text);
    assert_non_null(strstr(text, "RoPE") && strstr(text, "matched: diagnosis:rounded name:inv_freq") ? text : NULL);
    assert_null(known_cause_match(&f, &a, 1));
    d.v[0].id = DIAGNOSIS_NONFINITE; /* the settings' part is missing */
    assert_null(known_cause_match(&f, &a, 0));
    put_text(dir, "d.yaml", "model: {model_config: {type: LlamaConfig, num_layers: 2, rms_norm_eps: 1.e-6}}\n");
    put_text(dir, "e.yaml", "model: {model_config: {type: LlamaConfig, num_layers: 2, rms_norm_eps: 1.e-5}}\n");
    char path[2][400];
    snprintf(path[0], sizeof path[0], "%s/d.yaml", dir);
    snprintf(path[1], sizeof path[1], "%s/e.yaml", dir);
    give(PANEL_INPUT_TARGET_SETTINGS, path[0]);
    give(PANEL_INPUT_GOLDEN_SETTINGS, path[0]);
    settle();
    for (size_t i = 0; i < g.page[0].items.n; i++)
        if (strstr(g.page[0].items.v[i].text, "epsilon differs"))
            fail_msg("%s", g.page[0].items.v[i].text);
    give(PANEL_INPUT_GOLDEN_SETTINGS, path[1]);
    settle();
    bool told = false;
    for (size_t i = 0; i < g.page[0].items.n; i++)
        told |= strstr(g.page[0].items.v[i].text, "matched: check:C007") != NULL;
    assert_true(told);
    arena_release(&a);
}

static void next_dump_fits_its_budget(void **state)
{
    (void)state;
    struct next_dump n;
    struct buf b = {0};
    begin(sample("llama_rope/ms"), sample("llama_rope/torch"));
    settle();
    next_dump_plan(&n, &g, -1, DUMP_BUDGET);
    assert_int_equal(n.calls[TARGET], 0);
    assert_true(n.bytes[TARGET] > 100000 && n.bytes[TARGET] == n.whole[TARGET]);
    assert_true(n.facts.tensors);
    next_dump_release(&n);
    next_dump_plan(&n, &g, -1, 100000);
    assert_true(n.calls[TARGET] > 1 && n.calls[GOLDEN] > 1);
    assert_true(n.bytes[TARGET] <= 100000 && n.bytes[GOLDEN] <= 100000);
    assert_non_null(strstr(n.facts.list[TARGET], "Functional.mul.0.forward"));
    recipe_write(recipe_find(STR("msprobe-mindspore")), &n.facts, TARGET, &b);
    cJSON *root = cJSON_Parse(b.p);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "tensor"), "list")),
                     (int)n.calls[TARGET]);
    cJSON_Delete(root);
    next_dump_release(&n);
    next_dump_plan(&n, &g, 700, DUMP_BUDGET); /* a step of the log */
    assert_int_equal(n.facts.step, 699);
    assert_false(n.facts.tensors);
    next_dump_release(&n);
    buf_release(&b);
}

static void kernels_are_named_where_the_dump_is_a_graphs(void **state)
{
    (void)state;
    struct next_dump n;
    struct buf b = {0};
    begin(sample("msdump/ms/tensor"), sample("msdump/torch/tensor"));
    settle();
    if (!s.now->judged || s.now->judged->first == NONE)
        skip();
    next_dump_plan(&n, &g, -1, 100000);
    if (!n.calls[TARGET])
        fail_msg("no calls of the target are named");
    recipe_write(recipe_find(STR("mindspore-dump")), &n.facts, TARGET, &b);
    assert_non_null(strstr(b.p, "\"dump_mode\": 1"));
    assert_non_null(strstr(b.p, "name-regex("));
    assert_null(strstr(b.p, "\"tensor\","));
    next_dump_release(&n);
    buf_release(&b);
}

/* Every item a panel has can be named when it is waived. */
static void what_is_named_is_known(void **state)
{
    (void)state;
    begin(sample("llama_rope/ms"), sample("llama_rope/torch"));
    give(PANEL_INPUT_GOLDEN_LOG, write_log(dir, "g.log", (struct course){.steps = 1200}, 2));
    give(PANEL_INPUT_TARGET_LOG,
         write_log(dir, "t4.log", (struct course){.steps = 1200, .spike_at = 700, .drift_from = 800}, 1));
    give(PANEL_INPUT_TARGET_STEP, sample("optimizer/eps/target"));
    give(PANEL_INPUT_GOLDEN_STEP, sample("optimizer/eps/golden"));
    settle();
    for (int i = 0; i < PANELS; i++)
        for (size_t k = 0; k < g.page[i].items.n; k++) {
            const struct panel_item *it = &g.page[i].items.v[k];
            if (it->id && it->mark != MARK_INPUT && it->mark != MARK_NEED && !panel_knows(str_of(it->id)))
                fail_msg("panel %d: %s", i + 1, it->id);
        }
    assert_true(panel_knows(STR("9")) && panel_knows(STR("C045")) && panel_knows(STR("overflow_mode")) &&
                panel_knows(STR("step-12")));
    assert_false(panel_knows(STR("10")) || panel_knows(STR("0")) || panel_knows(STR("C999")) ||
                 panel_knows(STR("first-los")) || panel_knows(STR("step-")));
}

static void rollouts_have_a_panel_once_given(void **state)
{
    (void)state;
    begin(NULL, NULL);
    settle();
    assert_int_equal(procedure_panels(&g), PANELS - 1);
    give(PANEL_INPUT_TRAIN_PROBS, sample("rollout/slime/train_3_rank0.pt"));
    give(PANEL_INPUT_ROLLOUT_PROBS, sample("rollout/slime/rollout_3.pt"));
    settle();
    assert_int_equal(procedure_panels(&g), PANELS);
    state_is(PANEL_ROLLOUT, PANEL_PASSED);
    give(PANEL_INPUT_TRAIN_PROBS, sample("rollout/lines/train.jsonl"));
    give(PANEL_INPUT_ROLLOUT_PROBS, sample("rollout/lines/rollout.jsonl"));
    settle();
    state_is(PANEL_ROLLOUT, PANEL_FAILED);
    next_is(PANEL_ROLLOUT, "different log-probabilities");
    struct panel_page *p = &g.page[PANEL_ROLLOUT - 1];
    assert_string_equal(p->items.v[p->items.n - 1].command, "tokens 2 5");
    give(PANEL_INPUT_TRAIN_PROBS, sample("rollout/verl/honest.pt"));
    give(PANEL_INPUT_ROLLOUT_PROBS, "");
    give(PANEL_INPUT_TRAIN_SYNC, sample("weights/hf.safetensors"));
    give(PANEL_INPUT_ROLLOUT_SYNC, sample("weights/hf.pth"));
    settle();
    state_is(PANEL_ROLLOUT, PANEL_PASSED);
    assert_int_equal(page_find(p, "sync")->mark, MARK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(empty_ticket_asks_for_settings, setup, teardown),
        cmocka_unit_test_setup_teardown(first_run_is_small, setup, teardown),
        cmocka_unit_test_setup_teardown(rollouts_have_a_panel_once_given, setup, teardown),
        cmocka_unit_test_setup_teardown(settings_flip, setup, teardown),
        cmocka_unit_test_setup_teardown(a_dump_of_another_run_comes_first, setup, teardown),
        cmocka_unit_test_setup_teardown(data_flip, setup, teardown),
        cmocka_unit_test_setup_teardown(ids_have_to_be_in_the_vocabulary, setup, teardown),
        cmocka_unit_test_setup_teardown(first_loss_flips, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_named_is_known, setup, teardown),
        cmocka_unit_test_setup_teardown(first_deviation_has_to_be_explained, setup, teardown),
        cmocka_unit_test_setup_teardown(norms_flip, setup, teardown),
        cmocka_unit_test_setup_teardown(optimizer_flips, setup, teardown),
        cmocka_unit_test_setup_teardown(frozen_flips, setup, teardown),
        cmocka_unit_test_setup_teardown(long_run_flips, setup, teardown),
        cmocka_unit_test_setup_teardown(recorded_ranks_tell_features, setup, teardown),
        cmocka_unit_test_setup_teardown(what_does_not_show_small_is_widened, setup, teardown),
        cmocka_unit_test_setup_teardown(a_jump_behind_step_1_leads_to_norms_then_optimizer, setup, teardown),
        cmocka_unit_test_setup_teardown(findings_close_the_ticket, setup, teardown),
        cmocka_unit_test_setup_teardown(logs_are_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(one_log_is_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_told_is_saved, setup, teardown),
        cmocka_unit_test_setup_teardown(paths_are_found_from_the_investigation, setup, teardown),
        cmocka_unit_test_setup_teardown(json_is_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(recipes_are_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(cards_match_only_by_their_rules, setup, teardown),
        cmocka_unit_test_setup_teardown(next_dump_fits_its_budget, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels_are_named_where_the_dump_is_a_graphs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
