/* Operator families by name, whatever framework spells it. */
#include "support.h"

#include "dump/family.h"

static void names(void **state)
{
    static const struct {
        const char *name;
        enum family family;
    } cases[] = {
        {"linear", FAMILY_LINEAR},          {"MatMul", FAMILY_LINEAR},          {"BatchMatMul", FAMILY_LINEAR},
        {"bmm", FAMILY_LINEAR},             {"npu_linear", FAMILY_LINEAR},      {"ColumnParallelLinear", FAMILY_LINEAR},
        {"conv2d", FAMILY_CONV},            {"Conv2D", FAMILY_CONV},
        {"scaled_dot_product_attention", FAMILY_ATTENTION}, {"FlashAttentionScore", FAMILY_ATTENTION},
        {"npu_fusion_attention", FAMILY_ATTENTION}, {"npu_fusion_attention_v2", FAMILY_ATTENTION},
        {"npu_fused_infer_attention_score", FAMILY_ATTENTION}, {"npu_grouped_matmul", FAMILY_LINEAR},
        {"layer_norm", FAMILY_NORM},        {"LayerNorm", FAMILY_NORM},         {"LlamaRMSNorm", FAMILY_NORM},
        {"RmsNorm", FAMILY_NORM},           {"embedding", FAMILY_EMBEDDING},    {"Gather", FAMILY_EMBEDDING},
        {"VocabParallelEmbedding", FAMILY_EMBEDDING},       {"softmax", FAMILY_SOFTMAX},
        {"LogSoftmax", FAMILY_SOFTMAX},     {"silu", FAMILY_ACTIVATION},        {"GeLU", FAMILY_ACTIVATION},
        {"FastGelu", FAMILY_ACTIVATION},    {"cross_entropy", FAMILY_LOSS},     {"NLLLoss", FAMILY_LOSS},
        {"__add__", FAMILY_ADD},            {"Add", FAMILY_ADD},                {"add_", FAMILY_ADD},
        {"__mul__", FAMILY_MUL},            {"Mul", FAMILY_MUL},                {"mul", FAMILY_MUL},
        {"truediv", FAMILY_MUL},            {"rsqrt", FAMILY_ELEMENTWISE},      {"Square", FAMILY_ELEMENTWISE},
        {"mean", FAMILY_REDUCE},            {"ReduceMean", FAMILY_REDUCE},      {"transpose", FAMILY_VIEW},
        {"__getitem__", FAMILY_VIEW},       {"StridedSlice", FAMILY_VIEW},      {"Cast", FAMILY_CAST},
        {"dropout", FAMILY_RANDOM},         {"Dropout", FAMILY_RANDOM},         {"all_reduce", FAMILY_COLLECTIVE},
        {"AllReduce", FAMILY_COLLECTIVE},   {"AdamWeightDecay", FAMILY_OPTIMIZER},
        {"GPTModel", FAMILY_MODULE},        {"TransformerLayer", FAMILY_MODULE}, {"MLP", FAMILY_MODULE},
        {"SelfAttention", FAMILY_MODULE},   {"outer", FAMILY_MUL},             {"clone", FAMILY_COPY},
        {"LayerNormExt", FAMILY_NORM},      {"TransposeExtView", FAMILY_VIEW},  {"Ext", FAMILY_OTHER},
        {"", FAMILY_OTHER},                 {"frobnicate", FAMILY_OTHER},       {"_", FAMILY_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (family_find(str_of(cases[i].name)) != cases[i].family)
            fail_msg("%s is %s, not %s", cases[i].name, family_name(family_find(str_of(cases[i].name))),
                     family_name(cases[i].family));
}

static void case_and_underscores_do_not_count(void **state)
{
    (void)state;
    assert_int_equal(family_find(STR("BATCH_MAT_MUL")), FAMILY_LINEAR);
    assert_int_equal(family_find(STR("__layer__norm__")), FAMILY_NORM);
    assert_int_equal(family_find(STR("LAYERNORM")), FAMILY_NORM);
}

static void long_names_are_safe(void **state)
{
    char name[5000];
    (void)state;
    memset(name, 'a', sizeof name);
    assert_int_equal(family_find(str_n(name, sizeof name)), FAMILY_OTHER);
}

static void kinds(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILY_COUNT; f++) {
        assert_non_null(family_name((enum family)f));
        if (family_is_product((enum family)f))
            assert_true(family_is_compute((enum family)f));
    }
    assert_true(family_is_compute(FAMILY_SOFTMAX) && family_is_compute(FAMILY_LOSS) &&
                family_is_compute(FAMILY_EMBEDDING));
    assert_true(family_is_product(FAMILY_LINEAR) && family_is_product(FAMILY_ATTENTION) &&
                family_is_product(FAMILY_CONV));
    static const enum family no[] = {FAMILY_OTHER, FAMILY_VIEW, FAMILY_CAST, FAMILY_COPY, FAMILY_ADD, FAMILY_MODULE};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(family_is_compute(no[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(case_and_underscores_do_not_count),
        cmocka_unit_test(long_names_are_safe),
        cmocka_unit_test(kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
