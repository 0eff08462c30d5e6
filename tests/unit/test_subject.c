/* What findings are about: each kind named, frozen and found again; what explains the first deviation; links. */
#include "tickets.h"

#include "panel/subject.h"

static const char *fact_of(const struct evidence *e, const char *what, int side)
{
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->fact[i].what, what) == 0)
            return e->fact[i].side[side];
    return NULL;
}

static size_t count_of(const struct evidence *e, const char *what)
{
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++)
        n += strcmp(e->fact[i].what, what) == 0;
    return n;
}

/* A finding about what is named so, noted as the program does it. */
static struct finding noted(enum finding_subject kind, const char *name, const char *text)
{
    struct subject of;
    struct err e = {0};
    session_lock(&s);
    if (subject_find(&g, kind, str_of(name), &of, &inv.arena, &e)) {
        session_unlock(&s); /* what is released behind a failed test waits for it */
        fail_msg("%s", e.text);
    }
    struct finding x = {.number = findings_number(&inv.findings),
                        .step = findings_step(&inv.findings),
                        .text = text,
                        .author = "Li",
                        .subject = (uint8_t)of.kind,
                        .about = {of.about[0], of.about[1]},
                        .at = of.at};
    x.place = x.number;
    x.evidence = subject_freeze(&g, &of, &inv.arena);
    findings_add(&inv.findings, x);
    session_unlock(&s);
    return x;
}

static void refused(enum finding_subject kind, const char *name, const char *part)
{
    struct subject of;
    struct err e = {0};
    session_lock(&s);
    int rc = subject_find(&g, kind, str_of(name), &of, &inv.arena, &e);
    session_unlock(&s);
    assert_int_equal(rc, -1);
    if (!strstr(e.text, part))
        fail_msg("\"%s\" does not say \"%s\"", e.text, part);
}

static void called(const struct finding *x, const char *text, const char *way)
{
    struct buf b = {0};
    struct subject of = subject_of(x);
    subject_text(x, &b);
    assert_string_equal(b.p, text);
    buf_clear(&b);
    session_lock(&s);
    subject_kinds[of.kind].place(&g, &of, &b);
    session_unlock(&s);
    assert_string_equal(b.p ? b.p : "", way);
    buf_release(&b);
}

static void what_lies_in_the_dumps(void **state)
{
    (void)state;
    begin(sample("tt_rope/target"), sample("tt_rope/bench"));
    struct finding x = noted(SUBJECT_PAIR, "Torch.outer.0.forward.input.1", "the pair");
    assert_int_equal(x.subject, SUBJECT_PAIR);
    assert_string_equal(fact_of(&x.evidence, "verdict", 0), "deviate");
    assert_int_equal(count_of(&x.evidence, "screen"), 2 * EVIDENCE_AROUND + 1);
    called(&x, "Torch.outer.0.forward.input.1", "row 17");
    x = noted(SUBJECT_CALL, "Torch.outer.0.forward", "the call");
    assert_int_equal(count_of(&x.evidence, "row"), 3);
    assert_non_null(strstr(fact_of(&x.evidence, "frame", 1), "outer"));
    called(&x, "call Torch.outer.0.forward", "row 16");
    x = noted(SUBJECT_ELEMENT, "Torch.outer.0.forward.input.1[2]", "the element");
    assert_string_equal(fact_of(&x.evidence, "value", 0), "0.010009766"); /* 0.01 rounded to bfloat16 */
    assert_string_equal(fact_of(&x.evidence, "value", 1), "0.01");
    assert_string_equal(fact_of(&x.evidence, "bits", 0), "3c240000");
    assert_string_equal(fact_of(&x.evidence, "bits", 1), "3c23d70a");
    called(&x, "Torch.outer.0.forward.input.1 [2]", "row 17\ntensor 2");
    x = noted(SUBJECT_ELEMENT, "Torch.outer.0.forward.output.0[0:8,1:3]", "a region");
    assert_string_equal(fact_of(&x.evidence, "elements", 0), "16");
    assert_string_equal(fact_of(&x.evidence, "index", 0),
                        "[7,1]"); /* the largest position times the first frequency that is not 1 */
    refused(SUBJECT_ELEMENT, "Torch.outer.0.forward.input.1[4]", "no such element");
    refused(SUBJECT_ELEMENT, "Torch.outer.0.forward.input.1[1,1]", "no such element");
    refused(SUBJECT_ELEMENT, "Torch.outer.0.forward.input.1", "ROW[1,2,3]");
    refused(SUBJECT_ELEMENT, "Torch.outer.0.forward.input.1[3:1]", "ROW[1,2,3]");
    refused(SUBJECT_PAIR, "Torch.outer.9.forward.input.1", "neither side has a row");
    refused(SUBJECT_CALL, "Torch.outer.9.forward", "neither side has a call");
    refused(SUBJECT_GAP, "Torch.outer.0.forward", "not in a gap");
    x = noted(SUBJECT_RUNS, "", "both");
    assert_non_null(fact_of(&x.evidence, "fingerprint", 1));
    called(&x, "both runs", "intake");
}

static void a_gap(void **state)
{
    (void)state;
    begin(sample("llama_rope/ms"), sample("llama_rope/torch"));
    session_lock(&s);
    const struct dump *const side[2] = {&s.now->side[0].dump, &s.now->side[1].dump};
    gap_list gaps = {0};
    gaps_find(s.now->pairing, side, &gaps);
    assert_true(gaps.n > 0);
    uint32_t line = gaps.v[0].first;
    struct subject of;
    subject_of_line(s.now, &gaps, line, &of, &inv.arena);
    session_unlock(&s);
    assert_int_equal(of.kind, SUBJECT_GAP);
    struct finding x = noted(SUBJECT_GAP, *of.about[0] ? of.about[0] : of.about[1], "nobody has it");
    const char *calls[2] = {fact_of(&x.evidence, "calls", 0), fact_of(&x.evidence, "calls", 1)};
    assert_int_equal(strtol(calls[0], NULL, 10), gaps.v[0].calls[0]);
    assert_int_equal(strtol(calls[1], NULL, 10), gaps.v[0].calls[1]);
    struct finding about;
    struct buf name = {0};
    int d = s.now->pairing->lines.v[line].row[0] == NONE;
    dump_row_name(&s.now->side[d].dump, s.now->pairing->lines.v[line].row[d], &name);
    assert_true(findings_about(&inv.findings, d ? "" : name.p, d ? name.p : "", &about)); /* a row of its first call */
    buf_release(&name);
    vec_release(&gaps);
}

static void what_panels_are_judged_from(void **state)
{
    (void)state;
    begin(NULL, NULL);
    refused(SUBJECT_SETTING, "C101", "not given yet");
    refused(SUBJECT_CURVE, "loss@1", "not given yet");
    give(PANEL_INPUT_TARGET_SETTINGS,
         put_text(dir, "a.yaml",
                  "seed: 1\nodd: {thing: 5}\nmodel: {model_config: {type: LlamaConfig, num_layers: 2}}\n"));
    give(PANEL_INPUT_GOLDEN_SETTINGS,
         put_text(dir, "b.yaml", "model: {model_config: {type: LlamaConfig, num_layers: 2}}\nseed: 2\n"));
    give(PANEL_INPUT_TARGET_LOG,
         put_text(dir, "t.log",
                  "{\"step\": 1, \"loss\": 5.0}\n{\"step\": 2, \"loss\": 4.5}\n{\"step\": 3, \"loss\": 4.25}\n"));
    give(PANEL_INPUT_GOLDEN_LOG,
         put_text(dir, "g.log",
                  "{\"step\": 1, \"loss\": 5.0}\n{\"step\": 2, \"loss\": 4.0}\n{\"step\": 3, \"loss\": 4.25}\n"));
    give(PANEL_INPUT_TARGET_WEIGHTS, sample("weights/hf.safetensors"));
    give(PANEL_INPUT_GOLDEN_WEIGHTS, sample("weights/hf.pth"));
    give(PANEL_INPUT_TARGET_STEP, sample("optimizer/eps/target"));
    give(PANEL_INPUT_GOLDEN_STEP, sample("optimizer/eps/golden"));
    settle();
    struct finding x = noted(SUBJECT_SETTING, "seed", "seeds");
    assert_string_equal(x.at, "C101");
    assert_string_equal(fact_of(&x.evidence, "value", 0), "1");
    assert_string_equal(fact_of(&x.evidence, "value", 1), "2");
    assert_string_equal(fact_of(&x.evidence, "source", 0), "a.yaml:1 seed");
    assert_string_equal(fact_of(&x.evidence, "source", 1), "b.yaml:2 seed");
    assert_string_equal(fact_of(&x.evidence, "state", 0), "differs");
    assert_true(str_starts(str_of(fact_of(&x.evidence, "file", 0)), "a.yaml, "));
    assert_true(count_of(&x.evidence, "screen") > 1);
    x = noted(SUBJECT_SETTING, "odd.thing", "nobody reads it");
    assert_string_equal(fact_of(&x.evidence, "value", 0), "5");
    assert_string_equal(fact_of(&x.evidence, "value", 1), "");
    refused(SUBJECT_SETTING, "C999", "no check or setting");
    x = noted(SUBJECT_WEIGHT, "model.embed_tokens.weight", "the weights");
    assert_string_equal(fact_of(&x.evidence, "shape", 0), "[64,32]");
    assert_string_equal(fact_of(&x.evidence, "rel_l2", 0), "0");
    refused(SUBJECT_WEIGHT, "nothing", "neither side has a weight");
    x = noted(SUBJECT_CURVE, "loss@2", "jumps");
    assert_string_equal(fact_of(&x.evidence, "loss", 0), "4.5");
    assert_string_equal(fact_of(&x.evidence, "difference", 0), "0.5");
    assert_string_equal(fact_of(&x.evidence, "source", 1), "g.log, line 2");
    called(&x, "loss of step 2", "panel 7\nplot 2");
    refused(SUBJECT_CURVE, "loss@4", "no step 4");
    refused(SUBJECT_CURVE, "lost@2", "a curve and a step");
    refused(SUBJECT_CURVE, "loss", "a curve and a step");
    refused(SUBJECT_CURVE, "frozen-loss@2", "not given yet");
    x = noted(SUBJECT_HYPOTHESIS, "target:eps", "eps");
    assert_string_equal(fact_of(&x.evidence, "value", 0), "0.0001");
    refused(SUBJECT_HYPOTHESIS, "golden:eps", "target:eps");
    x = noted(SUBJECT_ITEM, "7:mean-loss", "too far");
    assert_string_equal(x.at, "7 mean-loss");
    refused(SUBJECT_ITEM, "7:none", "no line");
    refused(SUBJECT_ITEM, "10:steps", "a panel number");
    refused(SUBJECT_NORM, "none", "norms");
}

static void regions(void **state)
{
    int64_t from[TENSOR_DIMS], to[TENSOR_DIMS];
    int axes;
    (void)state;
    assert_true(subject_region(STR("[1,2:5]"), from, to, &axes));
    assert_int_equal(axes, 2);
    assert_int_equal(to[0], 2);
    assert_int_equal(from[1], 2);
    assert_int_equal(to[1], 5);
    static const char *const bad[] = {"",
                                      "[]",
                                      "[1",
                                      "1]",
                                      "[-1]",
                                      "[1,]",
                                      "[2:2]",
                                      "[a]",
                                      "[1:2:3]",
                                      "[99999999999999999999]",
                                      "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                                      "1]"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(subject_region(str_of(bad[i]), from, to, &axes));
}

/* ---- what they close ---- */

static void say(struct finding x, enum finding_status status, uint32_t cause)
{
    x.status = (uint8_t)status;
    x.cause = cause;
    x.step = findings_step(&inv.findings);
    findings_add(&inv.findings, x);
    settle();
}

static void they_answer_panels(void **state)
{
    (void)state;
    begin(sample("tt_rope/target"), sample("tt_rope/bench"));
    settle();
    assert_int_equal(item(3, "first-deviation")->mark, MARK_BAD);
    struct finding other = noted(SUBJECT_PAIR, "Torch.outer.0.forward.output.0", "another row of the call");
    settle();
    assert_int_equal(g.page[7].state, PANEL_OPEN); /* suspected: somebody has to say */
    assert_non_null(strstr(g.page[7].summary, "suspected: 1"));
    assert_int_equal(item(3, "first-deviation")->mark, MARK_BAD);
    say(other, FINDING_ROOT_CAUSE, 0);
    assert_int_equal(item(3, "first-deviation")->mark, MARK_WAIVED);
    assert_int_equal(item(8, "root-cause")->mark, MARK_OK);
    assert_int_equal(item(8, "confirmed")->mark, MARK_OPEN);
    say(other, FINDING_CLEARED, 0);
    assert_int_equal(item(3, "first-deviation")->mark, MARK_BAD);
    assert_int_equal(item(8, "root-cause")->mark, MARK_OPEN);
    struct finding far = noted(SUBJECT_RUNS, "", "the library");
    say(far, FINDING_ROOT_CAUSE, 0); /* of something else: it explains nothing by itself */
    assert_int_equal(item(8, "root-cause")->mark, MARK_OPEN);
    say(other, FINDING_SUSPECTED, far.number); /* unless what is at the first deviation follows from it */
    assert_int_equal(item(8, "root-cause")->mark, MARK_OK);
    struct finding x;
    assert_true(subject_explains_first(&g, &x));
    assert_int_equal(x.number, far.number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_lies_in_the_dumps, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gap, setup, teardown),
        cmocka_unit_test_setup_teardown(what_panels_are_judged_from, setup, teardown),
        cmocka_unit_test(regions),
        cmocka_unit_test_setup_teardown(they_answer_panels, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
