/* Result tables: what msprobe compare and ptdbg_ascend wrote, and what is not quite one. The samples' figures
 * below were read off the files with another program. */
#include "support.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "judge/verdict_text.h"
#include "judge/table_verdicts.h"
#include "judge/tool_rules.h"
#include "fmt/result_table.h"
#include "fmt/sheet.h"
#include "session/session.h"
#include "table/field.h"
#include "table/same_values.h"
#include "fmt/find_recordings.h"

#define R "results/"
#define WEIGHT_CSV R "msprobe/tt_weight_mapping_L1_tensor/compare_result_20261121044900.csv"
#define WEIGHT_XLSX R "msprobe/tt_weight_mapping_L1_tensor_xlsx/compare_result_20261121044914.xlsx"
#define OVERFLOW R "msprobe/tt_overflow_vs_clean_stat/compare_result_20261121044943.csv"
#define MAPPED R "msprobe/x_dm_L1_tensor/compare_result_20261121045209.csv"
#define MD5_XLSX R "msprobe/tt_md5_same/compare_result_20261121044951.xlsx"
#define SCALAR R "msprobe/tt_dropout_L1_tensor/compare_result_20261121044910.csv"
#define RANKS R "msprobe/tt_multirank_self"
#define CALLS R "msprobe/tt_diff_analyze_stat_dir/compare_result_rank0_20261121045016.json"
#define DIFF R "msprobe/tt_diff_analyze_stat_dir/diff_analyze_1795236616938909467.json"
#define LETTERS R "ptdbg/c03_jit_missing/compare_result_20261121042424.csv"
#define DROPOUT R "ptdbg/c05_dropout_random/compare_result_20261121043534.csv"
#define SUMMARY R "ptdbg/c07_v5_inv_freq_summary/compare_result_20261121042614.csv"
#define PTDBG_MD5 R "ptdbg/c08_v5_md5_inv_freq/compare_result_20261121042635.csv"
#define SHEET_XLSX R "ptdbg/c09_v6_fp16_overflow/compare_result_20261121042718.xlsx"
#define SHEET_CSV R "ptdbg/c09_v6_fp16_overflow/compare_result_20261121042718_sheet.csv"
#define C "msprobe_checks/"
#define ACC C "acc_npu/accuracy_checking_details_20261123212735.csv"
#define ACC_SUMMARY C "acc_npu/accuracy_checking_result_20261123212735.csv"
#define DEVICES C "api_precision_compare/api_precision_compare_details_20261123212906.csv"
#define DEVICES_SUMMARY C "api_precision_compare/api_precision_compare_result_20261123212906.csv"
#define COMPILED C "compile_check.csv"
#define CHECKPOINTS C "ckpt_compare.json"

static const char *dir;

/* ---- a table opened as a comparison ---- */

static struct session *open_path_by(const char *path, bool alone, const char *rules)
{
    struct session *s = calloc(1, sizeof *s);
    struct session_options o = {.of.path = {path},
                                .of.step = {-1, -1},
                                .of.rank = {-1, -1},
                                .workers = 1,
                                .of.preset = tool_rules_find(str_of(rules)),
                                .of.alone = alone};
    struct err e;
    thresholds_init(&o.of.tol);
    if (session_start(s, &o, &e) || session_wait(s, &e))
        fail_msg("%s", e.text);
    return s;
}

static struct session *open_path(const char *path, bool alone)
{
    return open_path_by(path, alone, "diverge");
}

static void stop(struct session *s)
{
    session_stop(s);
    free(s);
}

/* Session of what cannot be opened: its sentence, in a static buffer. */
static const char *refused(const char *path)
{
    static struct err e;
    struct session *s = calloc(1, sizeof *s);
    struct session_options o = {.of.path = {path}, .of.step = {-1, -1}, .of.rank = {-1, -1}, .workers = 1};
    thresholds_init(&o.of.tol);
    if (session_start(s, &o, &e) == 0 && session_wait(s, &e) == 0)
        fail_msg("%s was opened", path);
    stop(s);
    return e.text;
}

static const char *name_of(const struct session *s, int side, uint32_t row)
{
    static struct buf b[4];
    static int at;
    struct buf *x = &b[at++ % 4];
    buf_clear(x);
    buf_cstr(x, "");
    if (row != NONE)
        dump_row_name(&s->now->side[side].dump, row, x);
    return x->p;
}

struct counts {
    uint32_t match, drift, deviate, nonfinite, shape;
    const char *first; /* NULL: nothing deviates */
};

/* By our own rules, and by the table's verdicts; tests of single operators have only these. */
static const struct {
    const char *path, *format, *framework, *golden_framework, *level, *task;
    uint32_t rows, pairs, target_only;
    struct counts own, told;
} tables[] = {
    {WEIGHT_CSV, "msprobe-result", "pytorch", "pytorch", "L1", "tensor", 430, 430, 0,
     {186, 0, 227, 0, 0, "Functional.linear.4.forward.input.1"},
     {427, 3, 0, 0, 0, NULL}},
    {WEIGHT_XLSX, "msprobe-result", "pytorch", "pytorch", "L1", "tensor", 430, 430, 0,
     {186, 0, 227, 0, 0, "Functional.linear.4.forward.input.1"},
     {427, 3, 0, 0, 0, NULL}},
    {OVERFLOW, "msprobe-result", "pytorch", "pytorch", "mix", "statistics", 610, 610, 0,
     {118, 0, 76, 386, 0, "Functional.embedding.0.forward.input.1"},
     {116, 2, 106, 386, 0, "Functional.embedding.0.forward.input.1"}},
    {SCALAR, "msprobe-result", "pytorch", "pytorch", "L1", "tensor", 433, 430, 3,
     {203, 0, 210, 0, 0, "Functional.dropout.2.forward.input.1"},
     {428, 1, 1, 0, 0, "Functional.dropout.2.forward.input.1"}},
    {MAPPED, "msprobe-result", "mindspore", "pytorch", "L1", "tensor", 887, 203, 684,
     {131, 0, 70, 0, 2, "Primitive.gather.Gather.0.forward.input.0"},
     {14, 0, 187, 0, 2, "Primitive.gather.Gather.0.forward.input.0"}},
    {MD5_XLSX, "msprobe-result", "pytorch", "pytorch", "mix", "md5", 610, 610, 0,
     {544, 0, 0, 0, 0, NULL},
     {610, 0, 0, 0, 0, NULL}},
    {CALLS, "msprobe-result", "pytorch", "pytorch", "mix", "statistics", 610, 610, 0,
     {86, 0, 494, 0, 0, "Functional.embedding.0.forward.input.0"},
     {292, 0, 318, 0, 0, "Functional.embedding.0.forward.input.0"}},
    {LETTERS, "ptdbg-result", "pytorch", "pytorch", "L1", "tensor", 399, 165, 234,
     {150, 0, 0, 0, 15, "Torch_cat_1_forward_input.0.0"},
     {150, 0, 0, 0, 15, "Torch_cat_1_forward_input.0.0"}},
    {DROPOUT, "ptdbg-result", "pytorch", "pytorch", "L1", "tensor", 399, 399, 0,
     {198, 0, 201, 0, 0, "Functional_dropout_0_forward_output"},
     {244, 0, 155, 0, 0, "Functional_dropout_0_forward_output"}},
    {PTDBG_MD5, "ptdbg-result", "pytorch", "pytorch", "L1", "md5", 444, 444, 0,
     {100, 0, 272, 0, 0, "Torch_einsum_0_forward_input.2"},
     {172, 0, 272, 0, 0, "Torch_einsum_0_forward_input.2"}},
    {SHEET_XLSX, "ptdbg-result", "pytorch", "pytorch", "L1", "tensor", 351, 351, 0,
     {197, 0, 0, 154, 0, "Tensor.__add__.5.forward.output"},
     {197, 0, 0, 154, 0, "Tensor.__add__.5.forward.output"}},
    {SHEET_CSV, "ptdbg-result", "pytorch", "pytorch", "L1", "tensor", 351, 351, 0,
     {197, 0, 0, 154, 0, "Tensor.__add__.5.forward.output"},
     {197, 0, 0, 154, 0, "Tensor.__add__.5.forward.output"}},
    {ACC, "msprobe-acc", "pytorch", "pytorch", "L1", "tensor", 17, 17, 0,
     {11, 0, 4, 0, 0, "Functional.layer_norm.0.forward.output.0"},
     {11, 0, 4, 0, 0, "Functional.layer_norm.0.forward.output.0"}},
    {ACC_SUMMARY, "msprobe-acc", "", "", "L1", "tensor", 10, 10, 0,
     {8, 0, 2, 0, 0, "Functional.layer_norm.0.forward.output"},
     {8, 0, 2, 0, 0, "Functional.layer_norm.0.forward.output"}},
    {DEVICES, "msprobe-acc", "", "", "L1", "tensor", 17, 17, 0,
     {11, 0, 4, 0, 0, "Functional.layer_norm.0.forward.output.0"},
     {11, 0, 4, 0, 0, "Functional.layer_norm.0.forward.output.0"}},
    {DEVICES_SUMMARY, "msprobe-acc", "", "", "L1", "tensor", 10, 10, 0,
     {8, 0, 2, 0, 0, "Functional.layer_norm.0.forward.output"},
     {8, 0, 2, 0, 0, "Functional.layer_norm.0.forward.output"}},
    {COMPILED, "msprobe-compile", "", "", "L1", "tensor", 6, 6, 0,
     {2, 0, 2, 0, 0, "fc1.forward.output.0"},
     {2, 0, 2, 0, 0, "fc1.forward.output.0"}},
    {CHECKPOINTS, "msprobe-ckpt", "", "", "L1", "tensor", 5, 5, 0,
     {3, 1, 0, 0, 1, "embedding.word_embeddings.weight"},
     {3, 1, 0, 0, 1, "embedding.word_embeddings.weight"}},
};

static void counted(const struct session *s, const struct counts *expected)
{
    const struct judge_summary *x = &s->now->judged->sum;
    uint32_t first = s->now->judged->first;
    assert_int_equal(x->by[VERDICT_MATCH], expected->match);
    assert_int_equal(x->by[VERDICT_DRIFT], expected->drift);
    /* rows behind the first that differ at all inherit */
    assert_int_equal(x->by[VERDICT_DEVIATE] + x->by[VERDICT_INHERITED], expected->deviate);
    assert_int_equal(x->by[VERDICT_NONFINITE], expected->nonfinite);
    assert_int_equal(x->by[VERDICT_SHAPE], expected->shape);
    assert_int_equal(first == NONE, expected->first == NULL);
    if (expected->first)
        assert_string_equal(name_of(s, TARGET, s->now->pairing->lines.v[first].row[TARGET]), expected->first);
}

static void comparisons(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        struct session *s = open_path(sample(tables[i].path), false);
        const struct dump *t = &s->now->side[TARGET].dump;
        const struct judge_summary *x = &s->now->judged->sum;
        print_message("%s\n", tables[i].path);
        assert_true(s->now->tabled);
        assert_string_equal(t->reader->name, tables[i].format);
        assert_string_equal(t->framework, tables[i].framework);
        assert_string_equal(s->now->side[GOLDEN].dump.framework, tables[i].golden_framework);
        assert_string_equal(t->level, tables[i].level);
        assert_string_equal(t->task, tables[i].task);
        assert_int_equal(t->rows.n, tables[i].rows);
        assert_int_equal(x->pairs, tables[i].pairs);
        assert_int_equal(x->only[TARGET], tables[i].target_only);
        counted(s, &tables[i].own);
        stop(s);
        s = open_path_by(sample(tables[i].path), false, "table");
        counted(s, &tables[i].told);
        stop(s);
    }
}

/* An .xlsx has 16 digits where a .csv has 17. */
static bool near(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 2e-15 * fabs(b);
}

/* The same comparison as .csv and as .xlsx: every row, figure and word. */
static void same(const char *one, const char *other)
{
    struct session *s[2] = {open_path(sample(one), false), open_path(sample(other), false)};
    assert_int_equal(s[0]->now->pairing->lines.n, s[1]->now->pairing->lines.n);
    for (uint32_t i = 0; i < s[0]->now->pairing->lines.n; i++) {
        const struct result_line *t[2];
        for (int k = 0; k < 2; k++)
            t[k] = table_verdicts_line(&s[k]->now->measure, i);
        assert_int_equal(t[0] == NULL, t[1] == NULL);
        for (int side = 0; side < 2; side++) {
            uint32_t a = s[0]->now->pairing->lines.v[i].row[side], b = s[1]->now->pairing->lines.v[i].row[side];
            assert_string_equal(name_of(s[0], side, a), name_of(s[1], side, b));
            if (a == NONE)
                continue;
            const struct row *x = &s[0]->now->side[side].dump.rows.v[a], *y = &s[1]->now->side[side].dump.rows.v[b];
            assert_int_equal(x->has, y->has);
            for (int k = 0; k < STAT_COUNT; k++)
                assert_true(!(x->has & HAS_MAX << k) || near(x->stat[k], y->stat[k]));
        }
        if (!t[0])
            continue;
        assert_string_equal(t[0]->said, t[1]->said);
        assert_string_equal(t[0]->message, t[1]->message);
        assert_int_equal(t[0]->has, t[1]->has);
        for (int k = 0; k < RESULT_FIGURES; k++)
            assert_true(!(t[0]->has & 1 << k) || near(t[0]->figure[k], t[1]->figure[k]));
    }
    stop(s[0]);
    stop(s[1]);
}

/* What a row of a check is said to be: the tool's word and sentence, or that there is none. */
static void checks_explained(void **state)
{
    static const struct {
        const char *path, *row, *text;
    } cases[] = {
        {ACC, "Functional.linear.0.backward.output.0", "the result table gives \"SKIP\": Bench output is None, skip this test"},
        {DEVICES, "Functional.layer_norm.0.forward.output.0", "the result table gives \"error\": 均方根误差比值 499.94416942633370: error; "},
        {COMPILED, "fc2.forward.output.0", "the result table gives \"SKIP\": IGNORED"},
        {CHECKPOINTS, "decoder.layers.0.mlp.linear_fc1.weight", "no verdict in the table; cosine 1; l2 0.006153577"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct session *s = open_path(sample(cases[i].path), false);
        struct buf b = {0};
        for (uint32_t l = 0; l < s->now->pairing->lines.n; l++)
            if (strcmp(name_of(s, TARGET, s->now->pairing->lines.v[l].row[TARGET]), cases[i].row) == 0)
                explain_verdict(s->now->judged, &s->now->measure, l, &b);
        if (!b.p || strncmp(b.p, cases[i].text, strlen(cases[i].text)) != 0)
            fail_msg("%s: %s", cases[i].row, b.p ? b.p : "");
        buf_release(&b);
        stop(s);
    }
}

static void csv_and_xlsx(void **state)
{
    (void)state;
    same(WEIGHT_CSV, WEIGHT_XLSX);
    same(SHEET_CSV, SHEET_XLSX);
}

static void words_and_figures(void **state)
{
    (void)state;
    struct session *s = open_path(sample(DROPOUT), false);
    const struct result_line *t = table_verdicts_line(&s->now->measure, s->now->judged->first);
    struct buf b = {0};
    assert_string_equal(t->said, "No");
    assert_true(t->figure[RESULT_COSINE] == 0.984456 && t->figure[RESULT_MAX_ABS] == 0.309189);
    assert_false(t->has & (1 << RESULT_EUCLID | 1 << RESULT_MAX_REL));
    explain_verdict(s->now->judged, &s->now->measure, s->now->judged->first, &b);
    assert_string_equal(b.p, "the error by cosine, largest error and norms in the table is 0.278, above the limit "
                             "0.001 (noise level here 0); the result table gives \"No\"; cosine 0.984456; max abs "
                             "0.309189");
    /* its adviser's note and its stack */
    const struct dump *d = &s->now->side[TARGET].dump;
    assert_int_equal(d->warnings.n, 2);
    assert_non_null(strstr(d->warnings.v[0], "Functional_dropout_0_forward_output"));
    assert_non_null(strstr(d->warnings.v[1], "--preset table: 244 pass, 0 warnings, 155 errors"));
    uint32_t call = d->rows.v[s->now->pairing->lines.v[s->now->judged->first].row[TARGET]].call;
    assert_true(d->calls.v[call].stack != NONE);
    const struct stack *st = &d->stacks.v[d->calls.v[call].stack];
    bool seen = false;
    for (uint32_t i = 0; i < st->n; i++) {
        const struct frame *f = &d->frames.v[d->stack_frames.v[st->first + i]];
        seen = seen || (f->line == 86 && strcmp(f->func, "attention_fn") == 0);
    }
    assert_true(seen);
    stop(s);

    /* no verdict in the table: ours under both rules */
    s = open_path(sample(SUMMARY), false);
    assert_int_equal(s->now->side[TARGET].dump.warnings.n, 1);
    assert_null(strstr(s->now->side[TARGET].dump.warnings.v[0], "--preset table"));
    assert_true(s->now->judged->line[s->now->judged->first].rule != RULE_TABLE);
    stop(s);

    /* two frameworks' names, paired as the table has them */
    s = open_path(sample(MAPPED), false);
    for (uint32_t i = 0; i < s->now->pairing->lines.n; i++)
        if (s->now->pairing->lines.v[i].pair != NONE) {
            assert_int_equal(s->now->pairing->pairs.v[s->now->pairing->lines.v[i].pair].why, WHY_TABLE);
            bool alike = strcmp(name_of(s, TARGET, s->now->pairing->lines.v[i].row[TARGET]),
                                name_of(s, GOLDEN, s->now->pairing->lines.v[i].row[GOLDEN])) == 0;
            assert_int_equal(s->now->pairing->pairs.v[s->now->pairing->lines.v[i].pair].origin,
                             alike ? ORIGIN_NAME : ORIGIN_MAPPING);
        }
    struct pairing_options po = comparison_pairing_options(s->now);
    pairing_why(s->now->pairing, &po, s->now->measure.side, s->now->judged->first, (buf_clear(&b), &b));
    assert_string_equal(b.p, "paired in the result table");
    stop(s);
    buf_release(&b);
}

/* Fields of lines of a table are its figures and what can be computed from them; equal errors are found. */
static void figures_of_a_table(void **state)
{
    static const char *const names[] = {"one_minus_cosine", "cosine", "max_abs", "euclid", "figure.rel_l2"};
    static const double printed[] = {1 - 0.705749055399, 0.705749055399, 1.220838904381, 5.113526179087514,
                                     5.113526179087514 / 6.665711879730225};
    (void)state;
    struct session *s = open_path(sample(WEIGHT_CSV), false);
    struct field_line l = field_line(s->now, s->now->judged->first);
    struct buf b = {0};
    same_values_errors_list equal = {0};
    double v;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        assert_true(field_value(&l, field_find(str_of(names[i])), &v));
        assert_true(fabs(v - printed[i]) <= 1e-12);
    }
    field_text(&l, field_find(STR("told")), &b);
    assert_string_equal(b.p, "pass");
    /* the deviating output is an input of the next call */
    same_values_errors(s->now, l.line + 1, 10, &equal);
    assert_true(equal.n > 0);
    for (size_t i = 0; i < equal.n; i++) {
        struct field_line other = field_line(s->now, equal.v[i].line);
        assert_true(field_value(&other, field_find(STR("max_abs")), &v) && v == equal.v[i].max_abs);
        assert_true(fabs(v - 4.532610177994) < 1e-3);
    }
    vec_release(&equal);
    buf_release(&b);
    stop(s);
}

#define PAIR "NPU Name,Bench Name,NPU Dtype,Bench Dtype,NPU Tensor Shape,Bench Tensor Shape,"

/* What each kind of figure says of a pair; a table never says more than it prints. */
static void errors_from_figures(void **state)
{
    static const struct {
        const char *columns, *cells;
        double error; /* NaN: none */
        bool exact;
    } cases[] = {
        {"Cosine,EucDist,Bench l2norm", "0.9,2,10", 0.2 /* or what the cosine says */, true},
        {"Cosine,EucDist,Bench l2norm", "1.0,2,10", 0.2, true},
        {"Cosine,MaxAbsErr", "0.999985,0.0", 0.005477, false},
        {"Cosine,MaxAbsErr", "0.999999,0.000001", 0, false},
        {"Cosine,NPU l2norm,Bench l2norm", "1.0,3,2", 0.5, false},
        {"Cosine,MaxAbsErr,Bench max,Bench min", "1.0,0.5,1,-2", 0.25, false},
        {"Cosine,MaxAbsErr,Bench l2norm", "1.0,0.5,5", 0.1, false},
        {"Cosine,MaxAbsErr,Bench l2norm", ",0.5,5", 0.1, false},
        {"Cosine,MaxAbsErr", "nan,Nan", NAN, false},
        /* a factor that a cosine does not see, in tables without the sides' figures */
        {"Cosine,One Thousandth Err Ratio", "1.0,0.0", 0.003, false},
        {"Cosine,One Thousandth Err Ratio,Five Thousandths Err Ratio", "1.0,0.02,0.25", 0.0052, false},
        {"Cosine,One Thousandth Err Ratio,NPU l2norm,Bench l2norm", "1.0,0.02,2,2", 0, false},
        {"Cosine,One Thousandth Err Ratio", "1.0,0.97", 0, false},
        {"Cosine,MaxRelativeErr", "1.0,0.0005", 0.0005, false},
        {"Cosine,MaxRelativeErr", "1.0,0.1", NAN, false},
        {"Cosine,MaxAbsErr", "1.0,0.1", NAN, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[600];
        bool exact;
        snprintf(text, sizeof text, PAIR "%s\na.0.forward.output.0,a.0.forward.output.0,float32,float32,[9],[9],%s\n",
                 cases[i].columns, cases[i].cells);
        struct session *s = open_path(put_text(dir, "figures.csv", text), false);
        double e = table_verdicts_error(&s->now->measure, 0, &exact), least = cases[i].error;
        if (isnan(least) ? !isnan(e) : !(e >= least - 1e-5) || (!exact && e > least + 1e-5) || exact != cases[i].exact)
            fail_msg("%s %s: %g", cases[i].columns, cases[i].cells, e);
        stop(s);
    }
}

static void folders_and_single_sides(void **state)
{
    (void)state;
    struct session *s = open_path(sample(RANKS), false);
    assert_int_equal(s->now->side[TARGET].places.n, 2);
    assert_int_equal(s->now->side[TARGET].places.v[1].rank, 1);
    assert_int_equal(s->now->side[TARGET].dump.rank, 0);
    assert_true(place_list_holds_table(sample(RANKS)));
    assert_false(place_list_holds_table(sample("tt_rope"))); /* a result beside the dumps it compares */
    stop(s);

    s = open_path(sample(OVERFLOW), true);
    assert_true(s->now->single && !s->now->tabled);
    assert_int_equal(s->now->side[TARGET].dump.rows.n, 610);
    stop(s);

    s = open_path(sample(DIFF), false);
    assert_true(s->now->single);
    assert_string_equal(s->now->side[TARGET].dump.reader->name, "msprobe-diff");
    assert_int_equal(s->now->side[TARGET].dump.rows.n, 3);
    assert_non_null(strstr(s->now->side[TARGET].dump.warnings.v[0],
                           "rank_0: reported by msprobe: Functional.embedding.0.forward"));
    stop(s);

    /* a note is opened as the table it was written about */
    s = open_path(sample(R "ptdbg/c05_dropout_random/advisor_20261121043535.txt"), false);
    assert_true(s->now->tabled);
    assert_string_equal(s->now->side[TARGET].dump.reader->name, "ptdbg-result");
    assert_non_null(strstr(s->now->side[TARGET].dump.warnings.v[0],
                           "suspect reported: Functional_dropout_0_forward_output"));
    stop(s);
}

/* Of several tables the newest that is no younger than the note, of copies the one with the plain name; none that a
 * link leads away to. */
static void the_table_of_a_note(void **state)
{
    static const char note[] = "Line: 2\nSuspect Nodes: Torch_x_0_forward_output\nExpert Advice: x\n";
    static const char *const names[] = {"compare_result_20240101000000.csv", "compare_result_20240101000003.csv",
                                        "compare_result_20240101000003_b.csv", "compare_result_20240101000009.csv"};
    const char *root = scratch();
    char path[500], line[300];
    (void)state;
    put_text(root, "alone/advisor_20240101000004.txt", note);
    snprintf(path, sizeof path, "%s/alone/advisor_20240101000004.txt", root);
    assert_non_null(strstr(refused(path), "suspect: Torch_x_0_forward_output"));
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        snprintf(line, sizeof line,
                 "NPU Name,Bench Name,NPU Dtype,Bench Dtype,NPU Tensor Shape,Bench Tensor "
                 "Shape,Cosine,MaxAbsErr\nTorch_x%zu_0_forward_output,Torch_x%zu_0_forward_output,float32,float32,[2],["
                 "2],1,0\n",
                 i, i);
        snprintf(path, sizeof path, "many/%s", names[i]);
        put_text(root, path, line);
    }
    put_text(root, "many/compare_result_20240101000004.csv", "nothing of the kind\n");
    put_text(root, "many/advisor_20240101000004.txt", note);
    snprintf(path, sizeof path, "%s/many/advisor_20240101000004.txt", root);
    struct session *s = open_path(path, false);
    assert_string_equal(name_of(s, TARGET, 0), "Torch_x1_0_forward_output");
    stop(s);
    snprintf(path, sizeof path, "%s/alone/compare_result_20240101000001.csv", root);
    assert_int_equal(symlink("../many/compare_result_20240101000003.csv", path), 0);
    snprintf(path, sizeof path, "%s/alone/advisor_20240101000004.txt", root);
    assert_non_null(strstr(refused(path), "suspect: Torch_x_0_forward_output"));
}

/* ---- tables of our own ---- */

#define HEAD \
    "NPU Name,Bench Name,NPU Dtype,Bench Dtype,NPU Tensor Shape,Bench Tensor Shape,Cosine,MaxAbsErr,NPU max,Bench " \
    "max,Result,Err_message\n"

static void odd_rows(void **state)
{
    (void)state;
    const char *path =
        put_text(dir, "compare_result_rank3.csv",
                 "\xef\xbb\xbf" HEAD "Functional.add.0.forward.input.0,Functional.add.0.forward.input.0,torch.float32,"
                                     "torch.float32,\"[2, 3]\",\"[2, 3]\",1.0,0.0, inf,1.0,pass,[]\n"
                 /* the name again: another run of the call, its golden row the same */
                 "Functional.add.0.forward.input.0,Functional.add.0.forward.input.0,torch.float32,torch.float32,\"[2, "
                 "3]\",\"[2, 3]\",nan,0.0,nan,1.0,ERROR,\"[\"\"error: a\"\", \"\"warning: b\"\"]\"\n"
                 /* one side only */
                 "Functional.add.0.forward.output.0,N/A,torch.float32,N/A,[],N/A,unsupported,unsupported,1,N/"
                 "A,pass,[]\n"
                 "N/A,Functional.mul.0.forward.output.0,N/A,torch.float8_new,N/"
                 "A,\"[99999999999999999999]\",unsupported,,,2,,\n"
                 "N/A,N/A,,,,,,,,,pass,[]\n"
                 "Functional.mul.1.forward.output.0,Functional.mul.1.forward.output.0,slice,slice,[],[],,,\"[0, "
                 "None]\",\"[0, None]\",pass,\n"
                 "\n"
                 "Cell.a.input.B.forward.0.parameters.w,Cell.a.input.B.forward.0.parameters.w,Float32,Float32,\"(4,)\","
                 "\"(5,)\",shape unmatched,,1,2,Unmatched,x\n");
    struct session *s = open_path(path, false);
    const struct dump *t = &s->now->side[TARGET].dump, *g = &s->now->side[GOLDEN].dump;
    assert_int_equal(t->rank, 3);
    assert_int_equal(t->rows.n, 5);
    assert_int_equal(g->rows.n, 4);
    assert_int_equal(s->now->pairing->lines.n, 6);
    assert_string_equal(name_of(s, TARGET, 1), "Functional.add.0.forward#2.input.0");
    assert_string_equal(name_of(s, TARGET, 2), "Functional.add.0.forward#2.output.0");
    assert_true(isinf(t->rows.v[0].stat[STAT_MAX]) && isnan(t->rows.v[1].stat[STAT_MAX]));
    assert_int_equal(t->rows.v[2].has & (HAS_MIN | HAS_MEAN | HAS_NORM), 0);
    const struct result_line *l = table_verdicts_line(&s->now->measure, s->now->pairing->line_of[TARGET][1]);
    assert_string_equal(l->message, "error: a; warning: b");
    assert_true(isnan(l->figure[RESULT_COSINE]) && l->has & 1 << RESULT_COSINE);
    assert_string_equal(dump_call_name(t, t->rows.v[4].call).p, "Cell.a.input.B.forward.0");
    assert_string_equal(t->slots.v[t->rows.v[4].slot], "parameters.w");
    assert_int_equal(t->calls.v[t->rows.v[4].call].kind, CALL_MODULE);
    assert_int_equal(s->now->judged->line[s->now->pairing->line_of[TARGET][4]].verdict, VERDICT_SHAPE);
    assert_int_equal(t->problems.n, 1);
    assert_non_null(strstr(t->problems.v[0].text, "line 6: a row without a name"));
    stop(s);
    /* alone, the golden-only row counts too */
    s = open_path(path, true);
    assert_int_equal(s->now->side[TARGET].dump.rows.n, 6);
    stop(s);
}

/* A type that nobody knows, with a shape, is a tensor's. */
static void misspelt_types(void **state)
{
    static const char *const types[] = {"flaot32", "torch.flaot32", "Cache", "float32"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 HEAD "Functional.add.0.forward.input.0,Functional.add.0.forward.input.0,%s,torch.float32,\"[2, 3]\","
                      "\"[2, 3]\",1.0,0.0,0.0,0.0,pass,[]\n", types[i]);
        struct session *s = open_path(put_text(dir, "compare_result_rank4.csv", text), false);
        const struct dump *t = &s->now->side[TARGET].dump;
        assert_int_equal(t->rows.v[0].kind, ROW_TENSOR);
        const struct shape *x = dump_row_shape(t, 0);
        assert_true(x && x->ndim == 2 && x->dim[1] == 3);
        assert_int_equal(t->problems.n > 0, i < 3);
        stop(s);
    }
}

static void oldest_columns(void **state)
{
    (void)state;
    const char *path =
        put_text(dir, "old.csv",
                 "Name,NPU Tensor Dtype,Bench Tensor Dtype,NPU Tensor Shape,Bench Tensor Shape,Cosine,RMSE,MAPE\n"
                 "Torch_add_0_forward_input.0,torch.float32,torch.float32,[2],[2],0.75,0.1,0.2\n");
    struct session *s = open_path(path, false);
    double v;
    assert_string_equal(s->now->side[TARGET].dump.reader->name, "ptdbg-result");
    /* it is moved to 0 … 1 there */
    assert_true(table_verdicts_figure(&s->now->measure, 0, RESULT_COSINE, &v) && v == 0.5);
    stop(s);
}

/* A table that ends in the middle of a row is not all of it, whatever its rows say. */
static void cut_short(void **state)
{
    static const char rows[] =
        HEAD "a.0.forward.output.0,a.0.forward.output.0,float32,float32,[2],[2],1.0,0.0,1,1,pass,[]\n"
             "b.0.forward.output.0,b.0.forward.output.0,float32,float32,[2],[2],1.0,0.0,1,1,pass,[]\n";
    (void)state;
    struct session *s =
        open_path(put_bytes(dir, "whole.csv", rows, strlen(rows) - 1), false); /* but for the line's end */
    assert_int_equal(s->now->side[TARGET].dump.problems.n, 0);
    stop(s);
    s = open_path(put_bytes(dir, "cut.csv", rows, strlen(rows) - 18), false);
    assert_int_equal(s->now->side[TARGET].dump.rows.n, 2);
    assert_int_equal(s->now->side[TARGET].dump.problems.n, 1);
    assert_non_null(strstr(s->now->side[TARGET].dump.problems.v[0].text, "line 3: the last row has 7 of 12 cells"));
    stop(s);
    /* nor one whose rows lack cells in the middle */
    static const char torn[] =
        HEAD "a.0.forward.output.0,a.0.fo\n"
             "b.0.forward.output.0,b.0.forward.output.0,float32,float32,[2],[2],1.0,0.0,1,1,pass,[]\n"
             "c.0.forward.output.0,c.0.forward.output.0,float32\n";
    s = open_path(put_bytes(dir, "torn.csv", torn, strlen(torn)), false);
    assert_int_equal(s->now->side[TARGET].dump.problems.n, 1);
    assert_non_null(strstr(s->now->side[TARGET].dump.problems.v[0].text,
                           "line 2: the row has 2 of 12 cells; rows that lack some: 2"));
    stop(s);
}

static void refusals(void **state)
{
    (void)state;
    assert_non_null(strstr(refused(put_text(dir, "compare_result_a.csv", HEAD)), "a result table without rows"));
    assert_non_null(strstr(refused(put_text(dir, "other.csv", "a,b\n1,2\n")),
                           "expected a recording of a supported format"));
    assert_non_null(strstr(refused(put_text(dir, "multi_ranks_compare_merge_1.xlsx", "PK")),
                           "multi_ranks_compare_merge"));
    assert_non_null(strstr(refused(put_text(dir, "compare_result_b.json",
                                            "{\"a\": {\"is_same\": true, \"op_items\": 3}}")),
                           "expected a list \"op_items\""));
    assert_non_null(strstr(refused(put_text(dir, "compare_result_c.json", "{\"a\": {\"op_items\": [{}")),
                           "compare_result_c.json: byte"));
    /* a quote that never ends */
    size_t n = 40u << 20;
    char *big = malloc(n);
    memset(big, 'x', n);
    memcpy(big, HEAD "\"", sizeof HEAD);
    assert_non_null(strstr(refused(put_bytes(dir, "compare_result_d.csv", big, n)),
                           "line 2: a row of more than 16 MB"));
    memset(big, ',', n); /* nothing but columns */
    memcpy(big, HEAD "", sizeof HEAD - 1);
    assert_non_null(strstr(refused(put_bytes(dir, "compare_result_e.csv", big, n)), "more than 1024 columns"));
    free(big);
}

/* ---- an .xlsx written here, to say what real ones do not ---- */

static void le(struct buf *b, uint64_t v, int n)
{
    for (int i = 0; i < n; i++)
        buf_char(b, i < 8 ? (char)(v >> 8 * i) : 0);
}

struct member {
    const char *name;
    struct str text;
};

static const char *put_xlsx(const char *name, const struct member *m, size_t n)
{
    struct buf b = {0}, dir_part = {0};
    for (size_t i = 0; i < n; i++) {
        uLong bound = compressBound(m[i].text.n), crc = crc32(0, (const Bytef *)m[i].text.p, (uInt)m[i].text.n);
        z_stream z = {0};
        char *packed = malloc(bound);
        deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
        z.next_in = (Bytef *)(uintptr_t)m[i].text.p;
        z.avail_in = (uInt)m[i].text.n;
        z.next_out = (Bytef *)packed;
        z.avail_out = (uInt)bound;
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        size_t at = b.n, size = z.total_out;
        deflateEnd(&z);
        for (int central = 0; central < 2; central++) {
            struct buf *o = central ? &dir_part : &b;
            buf_cstr(o, central ? "PK\1\2" : "PK\3\4");
            if (central)
                le(o, 20, 2);
            le(o, 20, 2);
            le(o, 0, 2);
            le(o, 8, 2);
            le(o, 0, 4);
            le(o, crc, 4);
            le(o, size, 4);
            le(o, m[i].text.n, 4);
            le(o, strlen(m[i].name), 2);
            le(o, 0, central ? 12 : 2);
            if (central)
                le(o, at, 4);
            buf_cstr(o, m[i].name);
        }
        buf_add(&b, packed, size);
        free(packed);
    }
    size_t at = b.n;
    buf_add(&b, dir_part.p, dir_part.n);
    buf_cstr(&b, "PK\5\6");
    le(&b, 0, 4);
    le(&b, n, 2);
    le(&b, n, 2);
    le(&b, dir_part.n, 4);
    le(&b, at, 4);
    le(&b, 0, 2);
    const char *path = put_bytes(dir, name, b.p, b.n);
    buf_release(&b);
    buf_release(&dir_part);
    return path;
}

#define SHEET "xl/worksheets/sheet1.xml"
#define STRINGS "xl/sharedStrings.xml"
#define S(n) "<c r=\"" n "\" t=\"s\"><v>"

static void shared_strings(void **state)
{
    (void)state;
    static const struct member m[] = {
        {STRINGS, STR("<?xml version=\"1.0\"?><x:sst xmlns:x=\"u\"><x:si><x:t>NPU "
                      "Name</x:t></x:si><x:si><x:r><x:t>Bench </x:t></x:r><x:r><x:t>Name</x:t></x:r></x:si>"
                      "<x:si><x:t>NPU Dtype</x:t><x:rPh><x:t>wrong</x:t></x:rPh></x:si><x:si><x:t>Bench "
                      "Dtype</x:t></x:si><x:si><x:t>Cosine</x:t></x:si>"
                      "<x:si><x:t>Result</x:t></x:si><x:si><x:t>A.b.0.forward.output.0</x:t></"
                      "x:si><x:si><x:t>torch.float32</x:t></x:si></x:sst>")},
        {SHEET,
         STR("<worksheet><sheetData><row>"
             S("A1") "0</v></c>" S("B1") "1</v></c>" S("C1") "2</v></c>"
             S("D1") "3</v></c>" S("F1") "4</v></c>" S("H1") "5</v></c></row>"
             "<row/><row>" S("A3") "6</v></c>" S("B3") "6</v></c>" S("C3") "7</v></c>"
             S("D3") "7</v></c><c r=\"F3\"><f>1-A2</f><v>0.5</v></c><c r=\"H3\" t=\"b\"><v>0</v></c></row>"
             "</sheetData><rubbish")},
    };
    struct session *s = open_path(put_xlsx("shared.xlsx", m, 2), false);
    double v;
    assert_int_equal(s->now->side[TARGET].dump.rows.n, 1);
    assert_string_equal(name_of(s, TARGET, 0), "A.b.0.forward.output.0");
    assert_true(table_verdicts_figure(&s->now->measure, 0, RESULT_COSINE, &v) && v == 0.5);
    assert_string_equal(table_verdicts_line(&s->now->measure, 0)->said, "False");
    assert_int_equal(s->now->judged->line[0].verdict, VERDICT_DEVIATE);
    stop(s);
}

static int ignore_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    size_t *rows = ctx;
    (void)cell;
    (void)n;
    (void)line;
    (void)e;
    ++*rows;
    return 0;
}

/* What reading a worksheet says; "" when all of it was read. */
static const char *sheet_says(const char *text, size_t n)
{
    static struct err e;
    struct member m = {SHEET, {text, n}};
    struct file f;
    size_t rows = 0;
    struct sheet_sink sink = {.row = ignore_row, .ctx = &rows};
    e.text[0] = 0;
    assert_int_equal(file_open(&f, put_xlsx("hostile.xlsx", &m, 1), &e), 0);
    sheet_read(&f, &sink, &e);
    file_close(&f);
    return e.text;
}

#define SAYS(text, what) assert_non_null(strstr(sheet_says(text, sizeof text - 1), what))

static void hostile_sheets(void **state)
{
    (void)state;
    SAYS("<w><sheetData><row><c r=\"B1\"><v>1</v></c><c r=\"A1\"><v>1</v></c></row>", "cells are not in column order");
    SAYS("<w><sheetData><row><c r=\"12\"><v>1</v></c></row>", "cells are not in column order");
    SAYS("<w><sheetData><row><c r=\"ZZZ1\"><v>1</v></c></row>", "beyond column 1024");
    SAYS("<w><sheetData><row><c t=\"s\"><v>0</v></c></row>", "missing in xl/sharedStrings.xml");
    SAYS("<w><sheetData><row><c t=\"s\"><v>-1</v></c></row>", "missing in xl/sharedStrings.xml");
    SAYS("<!DOCTYPE w [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]><w>&b;</w>", "a document type");
    SAYS("<w><sheetData><row></c></row>", "line 1: mismatched tag");
    SAYS("<w><sheetData>", "no element found");
    SAYS("", "no element found");
    assert_string_equal(sheet_says("<w><sheetData/></w>", 19), "");
    struct buf deep = {0};
    for (int i = 0; i < 100000; i++)
        buf_cstr(&deep, "<a>");
    assert_non_null(strstr(sheet_says(deep.p, deep.n), "more than 64 nested"));
    buf_release(&deep);
    /* a bomb: 64 MB of blanks in 64 kB */
    size_t n = 64u << 20;
    char *big = malloc(n);
    memset(big, ' ', n);
    memcpy(big, "<w>", 3);
    assert_non_null(strstr(sheet_says(big, n), "not a valid table"));
    /* one cell of everything, with noise enough to pass for text */
    unsigned x = 1;
    for (size_t i = 0; i < n; i++)
        big[i] = (char)('a' + ((x = x * 1664525 + 1013904223) >> 28));
    memcpy(big, "<w><sheetData><row><c><v>", 25);
    assert_non_null(strstr(sheet_says(big, 24u << 20), "a cell of more than 16 MB"));
    free(big);
    /* cut anywhere: a sentence, never more */
    struct buf b = {0};
    struct err e;
    assert_int_equal(file_slurp(sample(MD5_XLSX), 1u << 20, &b, &e), 0);
    for (size_t cut = 0; cut < b.n; cut += 997) {
        struct file f;
        size_t rows = 0;
        struct sheet_sink sink = {.row = ignore_row, .ctx = &rows};
        assert_int_equal(file_open(&f, put_bytes(dir, "cut.xlsx", b.p, cut), &e), 0);
        sheet_read(&f, &sink, &e);
        file_close(&f);
    }
    buf_release(&b);
}

/* One shared text in every cell: a few kilobytes that would become gigabytes. */
static void repeated_texts(void **state)
{
    (void)state;
    struct buf sheet = {0}, strings = {0};
    static const char *const head[] = {"NPU Name", "Bench Name", "NPU Dtype", "Bench Dtype", "Cosine"};
    buf_cstr(&sheet, "<w><sheetData><row>");
    for (size_t i = 0; i < ARRAY_LEN(head); i++)
        buf_fmt(&sheet, "<c t=\"inlineStr\"><is><t>%s</t></is></c>", head[i]);
    buf_cstr(&sheet, "</row>");
    for (int i = 0; i < 60000; i++)
        buf_cstr(&sheet, "<row><c t=\"s\"><v>0</v></c><c t=\"s\"><v>0</v></c></row>");
    for (int kind = 0; kind < 2; kind++) {
        buf_clear(&strings);
        buf_fmt(&strings, "<s><si><t>%0*d</t></si></s>", kind ? 1 << 20 : 2000, 7);
        struct member m[] = {{SHEET, buf_view(&sheet)}, {STRINGS, buf_view(&strings)}};
        assert_non_null(strstr(refused(put_xlsx("texts.xlsx", m, 2)),
                               kind ? "more than 1 GB of text" : "more text than the limit for a table of this size"));
    }
    buf_release(&sheet);
    buf_release(&strings);
}

/* 300,000 rows of one call, every one with the same name: linear, and refused or read, not stuck. */
static void repeated_names(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_cstr(&b, HEAD);
    for (int i = 0; i < 300000; i++)
        buf_fmt(&b, "A.b.0.forward.input.%d,A.b.0.forward.input.0,torch.float32,torch.float32,[],[],1,0,1,1,pass,[]\n",
                i % 7 ? 0 : i);
    struct session *s = open_path(put_bytes(dir, "many.csv", b.p, b.n), false);
    assert_int_equal(s->now->side[TARGET].dump.rows.n, 300000);
    assert_int_equal(s->now->side[GOLDEN].dump.rows.n, 1);
    stop(s);
    buf_release(&b);
}

/* A quote that is not closed makes text of the rows behind it: it is said, once a row, and in which file. */
static void rows_swallowed_by_a_quote(void **state)
{
    static const char *const rows[] = {
        "a.0,a.0,float32,float32,[2],[2],1,0,1,1,pass,\nb.0,\"b.0,float32,float32,[2],[2],1,0,1,1,pass,\nc.0,c.0,"
        "float32,float32,[2],[2],1,0,1,1,pass,\n",
        "a.0,a.0,float32,float32,[2],[2],1,0,1,1,pass,\nb.0,b.0,float32,float32,[2],[2],1,0,1,1,pass,\"x\nc.0,c.0,"
        "float32,float32,[2],[2],1,0,1,1,pass,\n",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf b = {0};
        buf_fmt(&b, "%s%s", HEAD, rows[i]);
        struct session *s = open_path(put_text(scratch(), "compare_result_1.csv", b.p), false);
        const struct dump *d = &s->now->side[TARGET].dump;
        assert_int_equal(d->problems.n, 1);
        if (!strstr(d->problems.v[0].text, "compare_result_1.csv: line 3: a quote may be missing"))
            fail_msg("%s", d->problems.v[0].text);
        buf_release(&b);
        stop(s);
    }
}

int main(void)
{
    dir = scratch();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_swallowed_by_a_quote), cmocka_unit_test(comparisons), cmocka_unit_test(checks_explained),
        cmocka_unit_test(csv_and_xlsx),
        cmocka_unit_test(words_and_figures),
        cmocka_unit_test(figures_of_a_table),
        cmocka_unit_test(errors_from_figures),
        cmocka_unit_test(folders_and_single_sides),
        cmocka_unit_test(the_table_of_a_note),
        cmocka_unit_test(odd_rows),
        cmocka_unit_test(misspelt_types),
        cmocka_unit_test(oldest_columns),
        cmocka_unit_test(cut_short), cmocka_unit_test(refusals),
        cmocka_unit_test(shared_strings),
        cmocka_unit_test(hostile_sheets),
        cmocka_unit_test(repeated_texts),
        cmocka_unit_test(repeated_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
