/* What the table shows: filters, order, headings, rows of the same numbers, doubts; and the commands that
 * change it, with undo. All on real samples. */
#include "sessions.h"

#include <math.h>

#include "cmd/cmd.h"
#include "cmd/workspace_refresh.h"
#include "compare/input_doubts.h"
#include "table/same_values.h"

static struct session *open_pair(const char *target, const char *golden)
{
    return open_paths(sample(target), golden ? sample(golden) : NULL);
}

/* ---- fields ---- */

/* Keys are told apart by side, labels by key, and a side's own stand in twos, the target's first. */
static void fields_of_files(void **state)
{
    (void)state;
    for (const struct field *f = fields; f->name; f++) {
        assert_true(!f->number != !f->text);
        assert_true(!f->label || f->key);
        assert_ptr_equal(field_find(str_of(f->name)), f);
        if (f->name[0] == 't' && f->name[1] == '.') {
            assert_int_equal(f[1].name[0], 'g');
            assert_string_equal(f->name + 2, f[1].name + 2);
            assert_string_equal(f->key, f[1].key);
            assert_int_equal(f->which, f[1].which);
            assert_int_equal(f->side, TARGET);
            assert_int_equal(f[1].side, GOLDEN);
        }
        for (const struct field *o = fields; f->key && o < f; o++)
            if (o->key && o->side == f->side)
                assert_string_not_equal(o->key, f->key);
    }
}

/* ---- filters ---- */

static uint32_t matching(const struct session *s, const char *text)
{
    struct err e;
    struct filter *f = filter_compile(str_of(text), &e);
    uint32_t n = 0;
    if (!f)
        fail_msg("%s: %s", text, e.text);
    for (uint32_t i = 0; i < s->now->pairing->lines.n; i++) {
        struct field_line l = field_line(s->now, i);
        n += filter_match(f, &l);
    }
    filter_free(f);
    return n;
}

/* What a result table prints can be filtered on as what was computed here. */
static void figures_of_a_result_table(void **state)
{
    struct session *s = open_pair("tt_rope/compare_result_20261121044920.csv", NULL);
    struct session *own = open_pair("tt_rope/target", "tt_rope/bench");
    (void)state;
    assert_true(matching(s, "max_abs > 1e-3") > 0);
    assert_int_equal(matching(s, "max_abs > 1e-3"), matching(own, "max_abs > 1e-3"));
    assert_true(matching(s, "cosine > -2") > 0); /* what is not printed follows from what is */
    assert_int_equal(matching(s, "one_minus_cosine < 3"), matching(s, "cosine > -2"));
    shut(own);
    shut(s);
}

static void filters(void **state)
{
    struct session *s = open_pair("llama_rope/ms", "llama_rope/torch");
    const struct judge_summary *sum = &s->now->judged->sum;
    uint32_t all = (uint32_t)s->now->pairing->lines.n;
    (void)state;
    assert_int_equal(matching(s, "deviate"), judge_summary_bad(sum));
    assert_int_equal(matching(s, "verdict == match"), sum->by[VERDICT_MATCH]);
    /* signs and words as the screen shows them */
    assert_int_equal(matching(s, "✗"), sum->by[VERDICT_DEVIATE]);
    assert_int_equal(matching(s, "verdict == deviates"), matching(s, "deviate"));
    assert_int_equal(matching(s, "verdict == ✗ || inherited"), matching(s, "deviate"));
    assert_int_equal(matching(s, "verdict != \"not paired\""), all - sum->by[VERDICT_ONLY]);
    assert_int_equal(matching(s, "≈ or !(≈)"), all);
    assert_int_equal(matching(s, "side == target") + matching(s, "side == golden") + matching(s, "side == both"), all);
    assert_int_equal(matching(s, "forward") + matching(s, "backward") + matching(s, "phase == optimizer"), all);
    assert_int_equal(matching(s, "forward && backward"), 0);
    assert_int_equal(matching(s, "!(forward || backward)"), matching(s, "phase == optimizer"));
    /* what was not computed is neither small nor large */
    uint32_t small = matching(s, "max_abs <= 1e-4"), large = matching(s, "max_abs > 1e-4");
    assert_true(small && large && small + large < all);
    uint32_t near = matching(s, "max_abs ≈ 7.7e-4"); /* to the digits it is written with */
    assert_true(near > 0);
    assert_int_equal(near, matching(s, "max_abs > 7.65e-4 && max_abs < 7.75e-4"));
    assert_int_equal(near, matching(s, "max_abs~=7.7e-4"));
    assert_true(matching(s, "max_abs≈7.721e-4") <= near);
    assert_int_equal(matching(s, "rel_l2 > 1e-5 && linear"), matching(s, "family == linear && rel_l2>1e-5"));
    assert_true(matching(s, "name ~ \"attention\\.wq\"") > 0);
    assert_int_equal(matching(s, "/attention\\.wq/"), matching(s, "name ~ \"attention\\.wq\""));
    shut(s);
}

static void filters_that_are_none(void **state)
{
    static const char *const bad[] = {"",
                                      "rel_l2 >",
                                      "rel_l2 > x",
                                      "(forward",
                                      "forward)",
                                      "rel_l2 > 1 &&",
                                      "nothing == 5",
                                      "!",
                                      "name ~ \"(\"",
                                      "verdict < 5",
                                      "/(",
                                      "verdict == wrong",
                                      "side != npu"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        struct filter *f = filter_compile(str_of(bad[i]), &e);
        if (f || !e.text[0])
            fail_msg("taken: %s", bad[i]);
    }
    struct buf deep = {0};
    for (int i = 0; i < 100000; i++)
        buf_char(&deep, i % 2 ? '!' : '(');
    struct err e;
    assert_null(filter_compile(buf_view(&deep), &e)); /* not a stack overflow */
    buf_release(&deep);
}

/* What may be typed next, and the bytes it stands behind. */
static void suggested(const char *text, const char *wanted, size_t kept)
{
    name_list found = {0};
    struct buf all = {0};
    assert_int_equal(filter_suggest(str_of(text), &found), kept);
    for (size_t i = 0; i < found.n; i++)
        buf_fmt(&all, "%s%s", i ? " " : "", found.v[i]);
    assert_string_equal(all.p ? all.p : "", wanted);
    buf_release(&all);
    name_list_release(&found);
}

static void suggestions(void **state)
{
    (void)state;
    suggested("max_a", "max_abs", 0);
    suggested("rel_l2>1e-3&&dou", "doubtful", 13);
    suggested("verdict == d", "drift deviate dtype", 11);
    suggested("verdict!=d", "drift deviate dtype", 9);
    suggested("phase ", "== != ~ !~", 6);
    suggested("rel_l2 ", "> < ≈ >= <= == !=", 7);
    suggested("rel_l2 ≈", "", strlen("rel_l2 ≈"));
    suggested("bad ", "&& ||", 4);
}

/* ---- order ---- */

static void settle(struct row_order *a, const struct session *s)
{
    while (row_order_step(a, s->now, (uint32_t)s->now->pairing->lines.n))
        continue;
}

static void orders(void **state)
{
    struct session *s = open_pair("llama_rope/ms", "llama_rope/torch");
    uint32_t all = (uint32_t)s->now->pairing->lines.n;
    struct row_order a = {0};
    struct err e;
    (void)state;
    settle(&a, s);
    assert_int_equal(row_order_count(&a, all), all);
    assert_int_equal(row_order_line(&a, 7), 7);
    for (const struct field *f = fields; f->name; f++)
        for (int way = 0; way < 2; way++) {
            a.sort = f;
            a.descending = way;
            row_order_restart(&a);
            settle(&a, s);
            assert_int_equal(row_order_count(&a, all), all);
            bool absent = false;
            double before = NAN;
            for (uint32_t i = 0; i < all; i++) {
                assert_int_equal(row_order_pos(&a, row_order_line(&a, i)), i);
                if (!f->number)
                    continue;
                struct field_line l = field_line(s->now, row_order_line(&a, i));
                double v;
                if (!field_value(&l, f, &v))
                    v = NAN;
                absent = absent || isnan(v);
                assert_true(!absent || isnan(v)); /* absent ones come last either way */
                assert_true(isnan(v) || isnan(before) || (way ? v <= before : v >= before));
                before = v;
            }
        }
    a.sort = NULL;
    assert_int_equal(row_order_add(&a, STR("deviate"), false, &e), 0);
    settle(&a, s);
    uint32_t bad = row_order_count(&a, all);
    assert_int_equal(bad, judge_summary_bad(&s->now->judged->sum));
    assert_int_equal(row_order_line(&a, 0), s->now->judged->first);
    assert_int_equal(row_order_pos(&a, 0), NONE);
    assert_int_equal(row_order_nearest(&a, 0), 0);
    assert_int_equal(row_order_add(&a, STR("backward"), true, &e), 0); /* stacked, inverse */
    settle(&a, s);
    assert_int_equal(row_order_count(&a, all), matching(s, "deviate && !backward"));
    row_order_drop(&a, 0);
    settle(&a, s);
    assert_int_equal(row_order_count(&a, all), matching(s, "!backward"));
    row_order_release(&a);
    shut(s);
}

/* ---- headings ---- */

static void headings(void **state)
{
    struct session *s = open_pair("tt_rope/target", "tt_rope/bench");
    (void)state;
    for (int k = 0; k < ROW_GROUPS_KINDS; k++) {
        struct row_groups o;
        uint32_t top = 0;
        row_groups_build(&o, (enum row_groups_kind)k, s->now, NULL);
        assert_true(o.nodes.n > 2);
        for (uint32_t i = 0; i < o.nodes.n; i++) {
            const struct row_groups_node *n = &o.nodes.v[i];
            uint32_t sum = 0, below = 0;
            for (int v = 0; v < VERDICT_COUNT; v++)
                sum += n->by[v];
            assert_int_equal(sum, n->lines);
            assert_true(n->parent == NONE ? n->depth == 0
                                          : n->parent < i && o.nodes.v[n->parent].depth + 1 == n->depth);
            for (uint32_t c = i + 1; c < o.nodes.n; c++)
                below += o.nodes.v[c].parent == i ? o.nodes.v[c].lines : 0;
            assert_true(n->leaf ? below == 0 : below == n->lines);
            assert_true((n->first_bad != NONE) ==
                        (n->by[VERDICT_DEVIATE] + n->by[VERDICT_NONFINITE] + n->by[VERDICT_SHAPE] +
                         n->by[VERDICT_INHERITED] > 0));
            top += n->parent == NONE ? n->lines : 0;
        }
        if (k != ROW_GROUPS_PRECISION) /* that one leaves out what is no float */
            assert_int_equal(top, s->now->pairing->lines.n);
        row_groups_release(&o);
    }
    shut(s);
}

/* Next and previous go over the same nodes, those no folded one is above, whatever is folded. */
static void walking_over_what_is_shown(void **state)
{
    struct session *s = open_pair("tt_rope/target", "tt_rope/bench");
    struct row_groups o;
    (void)state;
    row_groups_build(&o, ROW_GROUPS_MODULES, s->now, NULL);
    for (unsigned pattern = 0; pattern < 40; pattern++) {
        uint32_t shown = 0, last = 0;
        for (uint32_t i = 0; i < o.nodes.n; i++)
            o.nodes.v[i].folded = (i * 2654435761u + pattern) % 41 < pattern;
        for (uint32_t i = 0; i < o.nodes.n; i++) {
            bool hidden = false;
            for (uint32_t up = o.nodes.v[i].parent; up != NONE; up = o.nodes.v[up].parent)
                hidden = hidden || o.nodes.v[up].folded;
            shown += !hidden;
            assert_true((row_groups_visible(&o, i) != i) == hidden);
        }
        for (uint32_t i = 0; i != NONE; i = row_groups_next(&o, i), shown--) {
            assert_int_equal(row_groups_visible(&o, i), i);
            assert_int_equal(row_groups_prev(&o, i), i ? last : NONE);
            last = i;
        }
        assert_int_equal(shown, 0);
    }
    row_groups_release(&o);
    shut(s);
}

/* A recorded NaN is copied as one; what was not recorded stays empty. */
static void absent_is_not_nan(void **state)
{
    struct session *s = open_pair("tt_nan_mask/target", "tt_nan_mask/bench");
    const struct field *max = field_find(STR("t.max")), *cosine = field_find(STR("cosine"));
    uint32_t nan = 0, absent = 0;
    double v;
    (void)state;
    for (uint32_t i = 0; i < s->now->pairing->lines.n; i++) {
        struct field_line l = field_line(s->now, i);
        nan += field_value(&l, max, &v) && isnan(v);
        if (!field_value(&l, cosine, &v))
            absent++;
        else
            assert_false(isnan(v));
    }
    assert_true(nan > 0 && absent > 0);
    shut(s);
}

static void by_layer(void **state)
{
    static const struct {
        const char *target, *golden;
        uint32_t layers, starts; /* starts in layers: the rotary table of the first belongs to none */
    } runs[] = {{"tt_rope/target", "tt_rope/bench", 2, 0}, {"llama_layers/target", "llama_layers/golden", 12, 2}};
    (void)state;
    for (size_t k = 0; k < ARRAY_LEN(runs); k++) {
        struct session *s = open_pair(runs[k].target, runs[k].golden);
        struct layer_table x;
        uint32_t cells = 0, by[CAUSE_COUNT] = {0};
        layer_table_build(&x, s->now);
        assert_int_equal(x.columns, runs[k].layers);
        for (size_t i = 0; i < x.rows.n * x.columns; i++)
            if (x.line[i] != NONE) {
                cells++;
                by[s->now->judged->line[x.line[i]].cause]++;
            }
        assert_int_equal(by[CAUSE_STARTS], runs[k].starts); /* before whatever else the call shows */
        assert_true(by[CAUSE_INHERITED] > 4 && by[CAUSE_AGREES] > 4);
        assert_true(cells > 3 * x.rows.n / 2); /* most places are in several layers */
        layer_table_release(&x);
        shut(s);
    }
}

/* ---- the same numbers ---- */

static void same_numbers(void **state)
{
    struct session *s = open_pair("tt_rope/target", "tt_rope/bench");
    same_values_list l = {0};
    (void)state;
    uint32_t row = dump_find_row(&s->now->side[0].dump, STR("Functional.embedding.0.forward.output.0"));
    assert_int_not_equal(row, NONE);
    assert_int_equal(same_values_find(s->now, TARGET, row, 1e-6, &l), 0);
    assert_true(l.n >= 3); /* the module around it gives it back, the dropout takes it; so on both sides */
    bool golden = false;
    for (size_t i = 0; i < l.n; i++) {
        assert_true(l.v[i].off <= 1e-6);
        assert_false(l.v[i].side == TARGET && l.v[i].row == row);
        golden =
            golden || (l.v[i].side == GOLDEN &&
                       strstr(dump_call_name(&s->now->side[1].dump, s->now->side[1].dump.rows.v[l.v[i].row].call).p,
                              "embedding"));
    }
    assert_true(golden);
    vec_release(&l);
    uint32_t scalar = dump_find_row(&s->now->side[0].dump, STR("Functional.dropout.0.forward.input.1"));
    assert_int_equal(same_values_find(s->now, TARGET, scalar, 1e-6, &l), -1);
    shut(s);
}

/* ---- doubts ---- */

static bool doubts(const char *target, const char *golden, const char *part)
{
    struct session *s = open_pair(target, golden);
    input_doubt_list l = {0};
    struct arena a = {0};
    bool found = false;
    input_doubts_find(s->now, &a, &l);
    for (size_t i = 0; i < l.n; i++)
        found = found || strstr(l.v[i].text, part);
    vec_release(&l);
    arena_release(&a);
    shut(s);
    return found;
}

static void doubts_before_comparing(void **state)
{
    (void)state;
    assert_true(doubts("tt_dropout/target", "tt_dropout/bench", "dropout is on in 1 calls"));
    assert_false(doubts("tt_rope/target", "tt_rope/bench", "dropout"));
    assert_false(doubts("llama_layers/target", "llama_layers/golden", "saturates")); /* a mask is filled with it */
    assert_true(doubts("clean_mix_stat/ms", "clean_mix_stat/torch", "2 steps"));
    assert_true(doubts("clean_mix_stat/torch", "clean_mix_stat/ms", "MindSpore"));
    assert_true(doubts("tt_rope/target", "clean_mix_stat/torch", "tasks differ"));
    assert_true(doubts("tt_rope/target", "noise_tf32_stat/bench", "levels differ"));
}

/* ---- commands ---- */

static int run(struct workspace *d, const char *text)
{
    session_lock(d->s);
    int r = command_run(d, text);
    while (row_order_step(&d->arrange, d->s->now, workspace_lines(d)))
        continue;
    workspace_refresh(d);
    session_unlock(d->s);
    return r;
}

static void settled(struct workspace *d)
{
    struct err e;
    assert_int_equal(session_wait(d->s, &e), 0);
    session_lock(d->s);
    workspace_refresh(d);
    session_unlock(d->s);
}

static void commands_and_undo(void **state)
{
    struct session *s = open_pair("tt_rope/target", "tt_rope/bench");
    struct investigation inv;
    struct workspace d;
    (void)state;
    investigation_init(&inv);
    inv.tol = s->opt.of.tol;
    workspace_init(&d, s, &inv);
    run(&d, "first");
    uint32_t first = d.cursor, all = workspace_lines(&d);
    run(&d, "filter match");
    assert_int_equal(workspace_shown(&d), s->now->judged->sum.by[VERDICT_MATCH]);
    assert_int_not_equal(d.cursor, first); /* its row is hidden: the next one that is left */
    run(&d, "first");
    assert_true(d.message_is_error && strstr(d.message.p, "hidden"));
    run(&d, "sort rel_l2");
    run(&d, "columns rel_l2 t.norm");
    assert_int_equal(d.columns, 2);
    assert_string_equal(inv.columns, "rel_l2 t.norm");
    run(&d, "set float32.drift 1");
    settled(&d);
    run(&d, "bookmark");
    assert_int_equal(inv.bookmarks.n, 1);
    for (int i = 0; i < 5; i++)
        run(&d, "undo");
    settled(&d);
    run(&d, "undo"); /* nothing is left, nothing breaks */
    assert_int_equal(inv.bookmarks.n, 0);
    assert_int_equal(d.columns, 0);
    assert_null(d.arrange.sort);
    assert_int_equal(workspace_shown(&d), all);
    assert_true(s->opt.of.tol.f32.drift < 1);
    for (int i = 0; i < 7; i++)
        run(&d, "redo");
    settled(&d);
    assert_int_equal(inv.bookmarks.n, 1);
    assert_int_equal(d.columns, 2);
    assert_non_null(d.arrange.sort);
    assert_true(s->opt.of.tol.f32.drift >= 1);
    run(&d, "unfilter");
    run(&d, "sort none");
    run(&d, "filter no such && thing");
    assert_true(d.message_is_error || workspace_shown(&d) == 0);
    workspace_release(&d);
    investigation_release(&inv);
    shut(s);
}

static void jumps_and_groups(void **state)
{
    struct session *s = open_pair("tt_rope/target", "tt_rope/bench");
    struct investigation inv;
    struct workspace d;
    (void)state;
    investigation_init(&inv);
    workspace_init(&d, s, &inv);
    run(&d, "first");
    uint32_t first = d.cursor;
    run(&d, "layer 1");
    uint32_t layer = d.cursor;
    assert_int_not_equal(layer, first);
    run(&d, "bottom"); /* a jump: one comes back from it */
    run(&d, "call Torch.outer");
    assert_int_equal(d.cursor < layer, true);
    run(&d, "jump back");
    run(&d, "jump back");
    assert_int_equal(d.cursor, layer);
    run(&d, "jump back");
    assert_int_equal(d.cursor, first);
    run(&d, "jump forward");
    assert_int_not_equal(d.cursor, first);
    run(&d, "group modules");
    assert_int_equal(d.cursor, first); /* opened at the worst */
    run(&d, "down");
    run(&d, "enter");
    assert_int_equal(d.groups.kind, GROUP_NONE);
    run(&d, "group layers");
    assert_int_equal(d.groups.kind, GROUP_LAYERS);
    run(&d, "right");
    run(&d, "right");
    assert_int_equal(d.groups.layer, 1);
    run(&d, "back");
    assert_int_equal(d.groups.kind, GROUP_NONE);
    run(&d, "unfold"); /* nothing is to be unfolded here */
    run(&d, "group layers");
    run(&d, "down 100");
    run(&d, "unfold");
    run(&d, "group none");
    run(&d, "filter row < 0"); /* leaves no row */
    assert_int_equal(workspace_shown(&d), 0);
    run(&d, "copy row");
    run(&d, "copy table");
    run(&d, "same");
    run(&d, "down 5");
    run(&d, "next");
    run(&d, "unfilter");
    run(&d, "copy row");
    if (!d.copy.p || !strstr(d.copy.p, "rel_l2"))
        fail_msg("%s / %s", d.copy.p ? d.copy.p : "nothing", d.message.p);
    run(&d, "copy table");
    assert_true(d.copy.n < 80 * 1024);
    workspace_release(&d);
    investigation_release(&inv);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_files), cmocka_unit_test(figures_of_a_result_table),
        cmocka_unit_test(filters),      cmocka_unit_test(filters_that_are_none), cmocka_unit_test(suggestions),
        cmocka_unit_test(orders),       cmocka_unit_test(headings),
        cmocka_unit_test(walking_over_what_is_shown), cmocka_unit_test(absent_is_not_nan),
        cmocka_unit_test(by_layer),     cmocka_unit_test(same_numbers),
        cmocka_unit_test(doubts_before_comparing), cmocka_unit_test(commands_and_undo),
        cmocka_unit_test(jumps_and_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
