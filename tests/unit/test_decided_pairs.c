/* What decisions say of two dumps: marks of rows, calls and modules, parts of a wide row, what overrules what,
 * rejections, and what becomes of every row a rule speaks of. */
#include "sides.h"

#include "pair/decided_pairs.h"

struct sides {
    struct dump d[2];
    struct decisions decisions;
    struct decided_pairs r;
};

static void begin(struct sides *x)
{
    memset(x, 0, sizeof *x);
    side_start(&x->d[TARGET], "mindspore");
    side_start(&x->d[GOLDEN], "pytorch");
}

static void decide(struct sides *x, enum decision_kind kind, const char *target, const char *golden)
{
    struct decision q = {.kind = (uint8_t)kind,
                         .step = decisions_step(&x->decisions),
                         .side = {target, golden},
                         .view = ""};
    decisions_add(&x->decisions, q);
}

static void find(struct sides *x)
{
    struct decisions_in_force ruling;
    for (int s = 0; s < 2 && !x->d[s].complete; s++)
        side_end(&x->d[s]);
    decided_pairs_release(&x->r);
    decisions_in_force_read(&ruling, &x->decisions);
    decided_pairs_find(&x->r, &ruling, &x->d[TARGET], &x->d[GOLDEN]);
    decisions_in_force_release(&ruling);
}

static void release(struct sides *x)
{
    decided_pairs_release(&x->r);
    decisions_release(&x->decisions);
    for (int s = 0; s < 2; s++)
        dump_release(&x->d[s]);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The pairs by name, sorted, "t=g" each; those of rules with the rule's number in front. */
static const char *pairs(const struct sides *x)
{
    static struct buf out;
    struct buf name = {0}, one = {0};
    char *all[200];
    size_t n = x->r.pairs.n < 200 ? x->r.pairs.n : 200;
    for (size_t i = 0; i < n; i++) {
        const struct decided_pair *p = &x->r.pairs.v[i];
        buf_clear(&one);
        if (p->rule != NONE)
            buf_fmt(&one, "%u:", p->rule);
        dump_row_name(&x->d[TARGET], p->t, &name);
        buf_fmt(&one, "%s=", name.p);
        dump_row_name(&x->d[GOLDEN], p->g, &name);
        buf_str(&one, buf_view(&name));
        all[i] = str_dup(buf_view(&one));
    }
    if (n)
        qsort(all, n, sizeof *all, by_text);
    buf_clear(&out);
    buf_cstr(&out, "");
    for (size_t i = 0; i < n; i++) {
        buf_fmt(&out, "%s%s", i ? " " : "", all[i]);
        free(all[i]);
    }
    buf_release(&name);
    buf_release(&one);
    return out.p;
}

static bool joined(const struct sides *x, const char *t, const char *g)
{
    for (size_t i = 0; i < x->r.calls.n; i++)
        if (str_is(dump_call_name(&x->d[TARGET], x->r.calls.v[i].t), t) &&
            str_is(dump_call_name(&x->d[GOLDEN], x->r.calls.v[i].g), g))
            return true;
    return false;
}

static bool denied(const struct sides *x, const char *t, const char *g)
{
    uint32_t a = dump_find_row(&x->d[TARGET], str_of(t)), b = dump_find_row(&x->d[GOLDEN], str_of(g));
    assert_true(a != NONE && b != NONE);
    return nmap_get(&x->r.denied_rows, decided_pairs_key(a, b)) != MAP_NONE;
}

#define A(n) "Mint.a." #n ".forward"
#define B(n) "Torch.b." #n ".forward"
#define OUT ".output.0"
#define IN ".input.0"

static void three(struct sides *x)
{
    begin(x);
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "Mint.a.%d.forward", i);
        side_pass(&x->d[TARGET], name, NULL, "4,2");
        snprintf(name, sizeof name, "Torch.b.%d.forward", i);
        side_pass(&x->d[GOLDEN], name, NULL, "8");
    }
}

static void rows_and_calls(void **state)
{
    struct sides x;
    (void)state;
    three(&x);
    decide(&x, DECIDE_MARK, A(0) OUT, B(1) OUT);
    find(&x);
    assert_string_equal(pairs(&x), A(0) OUT "=" B(1) OUT);
    assert_true(joined(&x, A(0), B(1))); /* what they give is the same: so are they */
    decide(&x, DECIDE_MARK, A(1) IN, B(2) IN);
    find(&x);
    assert_string_equal(pairs(&x), A(0) OUT "=" B(1) OUT " " A(1) IN "=" B(2) IN);
    assert_false(joined(&x, A(1), B(2))); /* an input says nothing of the calls */
    decide(&x, DECIDE_MARK, A(2), B(0));
    find(&x);
    assert_string_equal(pairs(&x), A(0) OUT "=" B(1) OUT " " A(1) IN "=" B(2) IN " " A(2) IN "=" B(0) IN " " A(2) OUT
                        "=" B(0) OUT);
    assert_true(joined(&x, A(2), B(0)));
    assert_int_equal(x.r.missing, 0);
    release(&x);
}

/* Calls pair rows of one slot and one size; a call may have others. */
static void calls_that_differ(void **state)
{
    struct sides x;
    (void)state;
    begin(&x);
    uint32_t c = side_call(&x.d[TARGET], A(0), NULL);
    side_row(&x.d[TARGET], c, "input.0", "4");
    side_row(&x.d[TARGET], c, "input.1", "4");
    side_row(&x.d[TARGET], c, "output.0", "4");
    c = side_call(&x.d[GOLDEN], B(0), NULL);
    side_row(&x.d[GOLDEN], c, "input.0", "5");
    side_row(&x.d[GOLDEN], c, "input.2", "4");
    side_row(&x.d[GOLDEN], c, "output.0", "2,2");
    decide(&x, DECIDE_MARK, A(0), B(0));
    find(&x);
    assert_string_equal(pairs(&x), A(0) OUT "=" B(0) OUT);
    release(&x);
}

static void module(struct sides *x, int s, const char *root, const char *type, int layers)
{
    char name[120], scope[80];
    for (int i = 0; i < layers; i++) {
        snprintf(scope, sizeof scope, "%s.%d.wq", root, i);
        snprintf(name, sizeof name, "%s.%s.Linear.forward.0", type, scope);
        side_pass(&x->d[s], name, scope, "4");
        snprintf(name, sizeof name, "%s.%s.Linear.backward.0", type, scope);
        side_pass(&x->d[s], name, scope, "4");
        snprintf(name, sizeof name, "%s.%s.Linear.parameters_grad", type, scope);
        side_row(&x->d[s], side_call(&x->d[s], name, scope), "weight", "16");
    }
}

/* Everything at the same place in two modules: forward, backward and the parameters' gradients, each with its own. */
static void modules(void **state)
{
    struct sides x;
    (void)state;
    begin(&x);
    module(&x, TARGET, "net.layers", "Cell", 2);
    module(&x, GOLDEN, "layers", "Module", 2);
    module(&x, GOLDEN, "layers2", "Module", 2); /* begins alike, is another */
    decide(&x, DECIDE_MARK, "net.layers.1", "layers.0");
    find(&x);
    assert_string_equal(pairs(&x),
                        "Cell.net.layers.1.wq.Linear.backward.0.input.0=Module.layers.0.wq.Linear.backward.0.input.0 "
                        "Cell.net.layers.1.wq.Linear.backward.0.output.0=Module.layers.0.wq.Linear.backward.0.output.0 "
                        "Cell.net.layers.1.wq.Linear.forward.0.input.0=Module.layers.0.wq.Linear.forward.0.input.0 "
                        "Cell.net.layers.1.wq.Linear.forward.0.output.0=Module.layers.0.wq.Linear.forward.0.output.0 "
                        "Cell.net.layers.1.wq.Linear.parameters_grad.weight=Module.layers.0.wq.Linear.parameters_grad."
                        "weight");
    assert_true(joined(&x, "Cell.net.layers.1.wq.Linear.parameters_grad", "Module.layers.0.wq.Linear.parameters_grad"));
    assert_false(joined(&x, "Cell.net.layers.1.wq.Linear.parameters_grad", "Module.layers.0.wq.Linear.backward.0"));
    assert_false(joined(&x, "Cell.net.layers.1.wq.Linear.backward.0", "Module.layers.0.wq.Linear.parameters_grad"));
    decide(&x, DECIDE_MARK, "net.layers", "layers"); /* the whole list; what was marked stays */
    find(&x);
    assert_int_equal(x.r.pairs.n, 10);
    release(&x);
}

static void what_names_stand_for(void **state)
{
    struct sides x;
    uint32_t which;
    (void)state;
    begin(&x);
    module(&x, TARGET, "net.layers", "Cell", 2);
    side_end(&x.d[TARGET]);
    static const struct {
        const char *name;
        enum named is;
    } cases[] = {
        {"", NAMED_NOTHING}, {"net", NAMED_MODULE}, {"net.", NAMED_NOTHING}, {"ne", NAMED_NOTHING}, {"net.layers.1.wq", NAMED_MODULE},
        {"net.layers.1.w", NAMED_NOTHING}, {"layers", NAMED_NOTHING}, {"net.layers.2", NAMED_NOTHING},
        {"Cell.net.layers.1.wq.Linear.forward.0", NAMED_CALL}, {"Cell.net.layers.1.wq.Linear.forward.0.output.0", NAMED_ROW},
        {"Cell.net.layers.1.wq.Linear.forward.0.output.1", NAMED_NOTHING}, {"Cell.net.layers.1.wq.Linear.forward", NAMED_NOTHING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (decided_pairs_name(&x.d[TARGET], str_of(cases[i].name), &which) != cases[i].is)
            fail_msg("\"%s\" is %d", cases[i].name, decided_pairs_name(&x.d[TARGET], str_of(cases[i].name), &which));
    release(&x);
}

static void names_these_dumps_do_not_have(void **state)
{
    struct sides x;
    (void)state;
    three(&x);
    decide(&x, DECIDE_MARK, A(0) OUT, "Torch.none.0.forward.output.0");
    decide(&x, DECIDE_MARK, "nothing", B(0));
    decide(&x, DECIDE_MARK, A(0) OUT, B(0)); /* a row and a call */
    decide(&x, DECIDE_REJECT, "nothing", "nowhere");
    decide(&x, DECIDE_MARK, "", "");
    find(&x);
    assert_int_equal(x.r.missing, 5);
    assert_string_equal(pairs(&x), "");
    release(&x);
}

/* A wide row stands for several narrower ones, and for nothing else then. */
static void parts_of_a_wide_row(void **state)
{
    struct sides x;
    (void)state;
    begin(&x);
    side_pass(&x.d[TARGET], "Mint.q.0.forward", NULL, "8");
    side_pass(&x.d[TARGET], "Mint.k.0.forward", NULL, "4");
    side_pass(&x.d[TARGET], "Mint.v.0.forward", NULL, "4");
    side_pass(&x.d[TARGET], "Mint.all.0.forward", NULL, "16");
    side_pass(&x.d[GOLDEN], "Torch.qkv.0.forward", NULL, "16");
    side_pass(&x.d[GOLDEN], "Torch.qkv.1.forward", NULL, "16");
    decide(&x, DECIDE_MARK, "Mint.all.0.forward.output.0", "Torch.qkv.0.forward.output.0");
    decide(&x, DECIDE_MARK, "Mint.q.0.forward.output.0", "Torch.qkv.0.forward.output.0");
    decide(&x, DECIDE_MARK, "Mint.k.0.forward.output.0", "Torch.qkv.0.forward.output.0");
    decide(&x, DECIDE_MARK, "Mint.v.0.forward.output.0", "Torch.qkv.0.forward.output.0");
    find(&x);
    assert_string_equal(pairs(&x), "Mint.k.0.forward.output.0=Torch.qkv.0.forward.output.0 "
                                   "Mint.q.0.forward.output.0=Torch.qkv.0.forward.output.0 "
                                   "Mint.v.0.forward.output.0=Torch.qkv.0.forward.output.0");
    decide(&x, DECIDE_MARK, "Mint.q.0.forward.output.0", "Torch.qkv.1.forward.output.0"); /* a part has one whole */
    find(&x);
    assert_string_equal(pairs(&x), "Mint.k.0.forward.output.0=Torch.qkv.0.forward.output.0 "
                                   "Mint.q.0.forward.output.0=Torch.qkv.1.forward.output.0 "
                                   "Mint.v.0.forward.output.0=Torch.qkv.0.forward.output.0");
    decide(&x, DECIDE_MARK, "Mint.all.0.forward.output.0", "Torch.qkv.0.forward.output.0"); /* the whole again */
    find(&x);
    assert_string_equal(pairs(&x), "Mint.all.0.forward.output.0=Torch.qkv.0.forward.output.0 "
                                   "Mint.q.0.forward.output.0=Torch.qkv.1.forward.output.0");
    release(&x);
}

/* Who decides later is right, whatever it was said of: a row, a call that has it, the same names. */
static void later_overrules_earlier(void **state)
{
    static const struct {
        enum decision_kind kind;
        const char *target, *golden, *then; /* pairs after this one */
    } says[] = {
        {DECIDE_MARK, A(0) OUT, B(0) OUT, A(0) OUT "=" B(0) OUT},
        {DECIDE_MARK, A(0) OUT, B(1) OUT, A(0) OUT "=" B(1) OUT},
        {DECIDE_MARK, A(2) OUT, B(1) OUT, A(0) OUT "=" B(0) OUT " " A(2) OUT "=" B(1) OUT}, /* what that one overruled stands again */
        {DECIDE_REJECT, A(2) OUT, B(1) OUT, A(0) OUT "=" B(1) OUT},
        {DECIDE_MARK, A(2), B(1), A(0) OUT "=" B(0) OUT " " A(2) IN "=" B(1) IN " " A(2) OUT "=" B(1) OUT}, /* the call, rejected row and all */
        {DECIDE_REJECT, A(2), B(1), A(0) OUT "=" B(1) OUT},
        {DECIDE_MARK, A(2) OUT, B(1) OUT, A(0) OUT "=" B(0) OUT " " A(2) OUT "=" B(1) OUT}, /* a row of rejected calls */
        {DECIDE_REJECT, A(2) IN, B(1) IN, A(0) OUT "=" B(0) OUT " " A(2) OUT "=" B(1) OUT},
    };
    struct sides x;
    (void)state;
    three(&x);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        decide(&x, says[i].kind, says[i].target, says[i].golden);
        find(&x);
        if (strcmp(pairs(&x), says[i].then) != 0)
            fail_msg("after decision %zu: %s", i, pairs(&x));
    }
    for (size_t i = sizeof says / sizeof *says; i-- > 1;) { /* and back */
        assert_true(decisions_undo(&x.decisions, false));
        find(&x);
        assert_string_equal(pairs(&x), says[i - 1].then);
    }
    release(&x);
}

static void rejections(void **state)
{
    struct sides x;
    (void)state;
    three(&x);
    decide(&x, DECIDE_REJECT, A(0) OUT, B(0) OUT);
    decide(&x, DECIDE_REJECT, A(1) IN, B(1) IN);
    decide(&x, DECIDE_REJECT, A(2), B(2));
    find(&x);
    uint32_t call = x.d[TARGET].rows.v[0].call;
    assert_true(denied(&x, A(0) OUT, B(0) OUT) && !denied(&x, A(0) IN, B(0) IN));
    /* other results, other calls */
    assert_true(nmap_get(&x.r.denied_calls, decided_pairs_key(call, call)) != MAP_NONE);
    assert_true(nmap_get(&x.r.denied_calls, decided_pairs_key(call + 1, call + 1)) == MAP_NONE);
    assert_true(denied(&x, A(2) OUT, B(2) OUT) && denied(&x, A(2) IN, B(2) IN) && denied(&x, A(2) IN, B(2) OUT));
    /* calls put together later are not apart any more */
    decide(&x, DECIDE_MARK, A(2), B(2));
    find(&x);
    assert_true(nmap_get(&x.r.denied_calls, decided_pairs_key(call + 2, call + 2)) == MAP_NONE);
    assert_true(joined(&x, A(2), B(2)));
    assert_false(denied(&x, A(2) OUT, B(2) OUT));
    release(&x);
}

/* ---- rules ---- */

/* "rule:target outcome golden|…" of every hit. */
static const char *hits(const struct sides *x)
{
    static struct buf out;
    static const char *const word[] = {"pairs", "same", "held", "nobody", "sizes"};
    buf_clear(&out);
    buf_cstr(&out, "");
    for (size_t i = 0; i < x->r.hits.n; i++) {
        const struct pair_rule_hit *h = &x->r.hits.v[i];
        buf_fmt(&out, "%s%u:%u %s ", i ? "|" : "", h->rule, h->t, word[h->outcome]);
        if (h->g == NONE)
            buf_char(&out, '-');
        else
            buf_fmt(&out, "%u", h->g);
    }
    return out.p;
}

/* Layers 0 to 4 of one row each; golden layer 3 has another size and 4 is not there. */
static void layered(struct sides *x)
{
    begin(x);
    for (int i = 0; i < 5; i++) {
        char name[40], scope[40];
        snprintf(scope, sizeof scope, "layers.%d.a", i);
        snprintf(name, sizeof name, "Mint.a.%d.forward", i);
        side_row(&x->d[TARGET], side_call(&x->d[TARGET], name, scope), "output.0", "6");
        if (i == 4)
            break;
        snprintf(scope, sizeof scope, "h.%d.b", i);
        snprintf(name, sizeof name, "Torch.b.%d.forward", i);
        side_row(&x->d[GOLDEN], side_call(&x->d[GOLDEN], name, scope), "output.0", i == 3 ? "4" : "2,3");
    }
}

#define FROM "layers.(\\d+).a/a@0/forward.output.0"
#define TO "h.\\1.b/b@0/forward.output.0"

static void outcomes(void **state)
{
    struct sides x;
    (void)state;
    layered(&x);
    decide(&x, DECIDE_MARK, A(1) OUT, B(1) OUT);
    decide(&x, DECIDE_MARK, A(0) OUT, B(2) OUT);
    decide(&x, DECIDE_RULE, FROM, TO);
    find(&x);
    assert_string_equal(hits(&x), "2:0 held 0|2:1 same 1|2:2 held 2|2:3 sizes 3|2:4 nobody -");
    assert_string_equal(pairs(&x), A(0) OUT "=" B(2) OUT " " A(1) OUT "=" B(1) OUT); /* a mark outdoes a rule */
    decisions_undo(&x.decisions, false);
    decisions_undo(&x.decisions, false);
    decide(&x, DECIDE_RULE, FROM, TO);
    decide(&x, DECIDE_RULE, FROM, TO);
    find(&x);
    assert_string_equal(hits(&x), "1:0 pairs 0|1:1 same 1|1:2 pairs 2|1:3 sizes 3|1:4 nobody -"
                                  "|2:0 same 0|2:1 same 1|2:2 same 2|2:3 sizes 3|2:4 nobody -");
    assert_string_equal(pairs(&x), "1:" A(0) OUT "=" B(0) OUT " 1:" A(2) OUT "=" B(2) OUT " " A(1) OUT "=" B(1) OUT);
    release(&x);
}

static void rejected_pairs_are_not_a_rules(void **state)
{
    struct sides x;
    (void)state;
    layered(&x);
    decide(&x, DECIDE_RULE, FROM, TO);
    decide(&x, DECIDE_REJECT, A(1) OUT, B(1) OUT);
    find(&x);
    assert_string_equal(hits(&x), "0:0 pairs 0|0:1 held 1|0:2 pairs 2|0:3 sizes 3|0:4 nobody -");
    release(&x);
}

static void rules_off_and_broken(void **state)
{
    struct sides x;
    (void)state;
    layered(&x);
    decide(&x, DECIDE_RULE, FROM, TO);
    decide(&x, DECIDE_RULE, "(", TO);
    decide(&x, DECIDE_RULE, "", "");
    struct decision off = {.kind = DECIDE_RULE_OFF, .step = 9, .rule = 0, .side = {"", ""}, .view = ""};
    decisions_add(&x.decisions, off);
    find(&x);
    assert_string_equal(hits(&x), "");
    assert_int_equal(x.r.pairs.n, 0);
    release(&x);
}

/* Whatever way a pattern is written in, it speaks of the rows it matches. */
static void ways_to_write_a_pattern(void **state)
{
    static const char *const ways[] = {
        FROM,
        "layers.(\\d+).a/a@0/.*",
        "layers.(\\d+).a/a@0.*",
        "layers.(\\d+).*",
        "layers.(\\d+)[^!]+",
        "layers.(\\d+).a/a@0/forward[^/]+",
        "layers.(\\d+).a/a@0/forward.output.<0+1i>",
        "(?i)LAYERS.(\\d+).A/A@0/FORWARD.OUTPUT.0",
        "layers.(\\d+).a/a@0/forward.output.0|x/backward.input.0",
        "layers.(\\d+).a/a@0/(?:forward.output.0|backward.input.0)",
        "(?x) layers.(\\d+).a / a@0 / forward . output . 0",
        "layers.(\\d+).a/a@0/forward.output.0 {0}",
        "layers.(\\d+).a/a@0/forward.(?:input|output).\\d",
        "layers.(\\d+).a/a@0/f?o?r?ward\\.output\\.0",
        "layers.(\\d+).a/a.0.forward.output.0",
        "layers.(\\d+).a/a@0/\\Qforward.output.0\\E",
    };
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct sides x;
        layered(&x);
        decide(&x, DECIDE_RULE, ways[i], TO);
        find(&x);
        if (strcmp(hits(&x), "0:0 pairs 0|0:1 pairs 1|0:2 pairs 2|0:3 sizes 3|0:4 nobody -") != 0)
            fail_msg("%s: \"%s\"", ways[i], hits(&x));
        release(&x);
    }
}

static void rules_give_their_view(void **state)
{
    struct sides x;
    (void)state;
    layered(&x);
    decide(&x, DECIDE_RULE, FROM, TO);
    decide(&x, DECIDE_MARK, A(1) OUT, B(1) OUT);
    x.decisions.log.v[0].view = "golden transpose";
    x.decisions.log.v[1].view = "golden nonsense"; /* of a file: what cannot be read is none */
    find(&x);
    for (size_t i = 0; i < x.r.pairs.n; i++) {
        const struct decided_pair *p = &x.r.pairs.v[i];
        assert_true(p->rule == NONE ? p->view == NONE
                                    : p->view != NONE && x.r.views.v[p->view].step[0].op == VIEW_TRANSPOSE);
    }
    assert_int_equal(x.r.pairs.n, 3);
    release(&x);
}

/* A rule that explodes on some address makes no pair at all, and it is said which. */
static void a_rule_that_explodes(void **state)
{
    struct sides x;
    char name[200];
    (void)state;
    layered(&x);
    memset(name, 'a', 150);
    strcpy(name + 150, ".0.forward");
    side_row(&x.d[TARGET], side_call(&x.d[TARGET], name, NULL), "output.0", "6");
    decide(&x, DECIDE_RULE, FROM, TO);
    find(&x);
    assert_int_equal(x.r.spent, NONE);
    decide(&x, DECIDE_RULE, "(?:(?:[^/b]+)+)+b|" FROM, "h.\\1.b/b@0/forward.output.0");
    decisions_undo(&x.decisions, false);
    decisions_undo(&x.decisions, false);
    decide(&x, DECIDE_RULE, "\\[6\\]/(?:(?:[^/b]+)+)+b|" FROM, "h.\\1.b/b@0/forward.output.0");
    find(&x);
    assert_int_equal(x.r.spent, 0);
    assert_int_equal(x.r.pairs.n, 0);
    assert_int_equal(x.r.hits.n, 0);
    release(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_calls),
        cmocka_unit_test(calls_that_differ),
        cmocka_unit_test(modules),
        cmocka_unit_test(what_names_stand_for),
        cmocka_unit_test(names_these_dumps_do_not_have),
        cmocka_unit_test(parts_of_a_wide_row),
        cmocka_unit_test(later_overrules_earlier),
        cmocka_unit_test(rejections),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(rejected_pairs_are_not_a_rules),
        cmocka_unit_test(rules_off_and_broken),
        cmocka_unit_test(ways_to_write_a_pattern),
        cmocka_unit_test(rules_give_their_view),
        cmocka_unit_test(a_rule_that_explodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
