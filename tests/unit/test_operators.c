/* What the oracle has formulas for. With --table: the tables of doc/operators.md, written by `make doc`. */
#include "support.h"

#include "oracle/operators.h"

/* ---- the operators that are asked for ---- */

static const char *const both_ways =
    "matmul linear dense bmm baddbmm addmm conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d "
    "embedding layer_norm rms_norm batch_norm group_norm softmax log_softmax cross_entropy nll_loss gelu silu relu "
    "relu6 "
    "leaky_relu elu sigmoid tanh swiglu dropout scaled_dot_product_attention add sub mul div pow exp log sqrt rsqrt "
    "sin "
    "cos where clamp maximum minimum sum mean norm logsumexp cumsum to transpose permute reshape __getitem__ cat stack "
    "expand "
    "gather "
    "index_select max_pool2d avg_pool2d adaptive_avg_pool2d interpolate npu_rms_norm npu_rotary_mul "
    "npu_fusion_attention "
    "npu_swiglu";
static const char *const forward_alone = "einsum argmax topk one_hot flash_attention_score npu_grouped_matmul";
static const char *const classes = "Linear Dense Embedding Conv2d BatchNorm2d GroupNorm LayerNorm LlamaRMSNorm "
    "Qwen2RMSNorm T5LayerNorm RMSNorm SiLUActivation SiLU GELU GELUActivation NewGELUActivation ReLU Dropout";

static int missing(const char *words, bool as_class, bool backward)
{
    struct str rest = str_of(words), word;
    int n = 0;
    while (rest.n) {
        str_split(rest, ' ', &word, &rest);
        const struct operator *o = as_class ? operator_find_class(word) : operator_find(word);
        bool there = o && o->forward && o->source && *o->source && (o->backward || !backward);
        if (!there)
            print_message("%.*s: %s\n", STR_ARG(word), o ? "no backward formula" : "no formula");
        n += !there;
    }
    return n;
}

static void every_operator_asked_for_has_a_formula(void **state)
{
    (void)state;
    assert_int_equal(missing(both_ways, false, true) + missing(forward_alone, false, false), 0);
    assert_int_equal(missing(classes, true, false), 0);
}

static void tables_are_gone_through_to_their_end(void **state)
{
    int n = 0;
    (void)state;
    for (const struct operator *o = NULL; (o = operator_next(false, o));)
        n++;
    assert_true(n > 50);
    assert_null(operator_find(STR("of_our_own")));
}

/* ---- the document ---- */

static void table(bool as_class, const char *what)
{
    printf("| %s | forward | backward | as defined by |\n| --- | --- | --- | --- |\n", what);
    for (const struct operator *o = NULL; (o = operator_next(as_class, o));) {
        putchar('|');
        for (const char *p = o->names; *p; p++)
            p == o->names ? printf(" `%c", *p) : *p == ' ' ? printf("`, `") : putchar(*p);
        printf("` | %s | %s | %s |\n", o->forward ? "yes" : "", o->backward ? "yes" : "", o->source);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_asked_for_has_a_formula),
        cmocka_unit_test(tables_are_gone_through_to_their_end),
    };
    if (argc == 2 && strcmp(argv[1], "--table") == 0) {
        printf("# What the oracle computes anew\n\nWritten by `make doc` from the tables of `src/oracle/op_*.c`; "
               "[oracle.md](oracle.md) says how. Names are those of PyTorch, torch_npu, MindSpore and its mint, in "
               "whatever case.\n\n");
        table(false, "call");
        printf("\nModules are computed from their input and parameters; what they keep is not recorded, so the public "
               "variant "
               "that fits best counts. `*` stands for any letters: `*rmsnorm*` is LlamaRMSNorm, too.\n\n");
        table(true, "class");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
