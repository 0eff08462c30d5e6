/* Names as the table shows them: layer, pass and slot stay whatever the width. */
#include "support.h"

#include "base/utf8.h"
#include "table/shown_name.h"

static void assert_shown(const char *name, const char *want)
{
    struct buf b = {0};
    shown_name(str_of(name), &b);
    assert_string_equal(b.p, want);
    buf_release(&b);
}

static void assert_fits(const char *name, int cells, const char *want)
{
    struct buf b = {0};
    shown_name_fit(str_of(name), cells, "…", &b);
    assert_string_equal(b.p, want);
    assert_true(utf8_cells(buf_view(&b)) <= cells);
    buf_release(&b);
}

static void common_words_are_short(void **state)
{
    (void)state;
    assert_shown("Functional.linear.0.forward.input.1", "Functional.linear.0.fwd.in.1");
    assert_shown("Torch_embedding_0_forward_input.0", "Torch_embedding_0_fwd_in.0");
}

static void scopes_of_graphs(void **state)
{
    (void)state;
    assert_shown("MatMul.Default_network-LlamaForCausalLM_model-LlamaModel_layers-CellList_3-LLamaDecodeLayer_"
                 "attention-LLamaAttention_wq-Linear_MatMul-op0.output.0",
                 "layer.3 attention.wq MatMul-op0.out.0");
    assert_shown("Gather.Default_network-LlamaForCausalLM_model-LlamaModel_tok_embeddings-"
                 "LlamaEmbedding_Gather-op0.input.1",
                 "tok_embeddings Gather-op0.in.1");
    assert_shown("Mul.Gradients_Default_network-LlamaForCausalLM_loss-CrossEntropyLoss_Grad_Mul_Mul-op9.input.1",
                 "loss Grad_Mul_Mul-op9.in.1");
    assert_shown("ReduceSum.Expand__SumExt_ReduceSum-op4.input.0", "ReduceSum.Expand__SumExt_ReduceSum-op4.in.0");
    assert_shown("A.Default_.input.0", "A.Default_.in.0");
    assert_shown("A.Default_-.input.0", "A.Default_-.in.0");
    assert_shown("", "");
}

static void layer_and_slot_stay(void **state)
{
    const char *name = "Cell.model.layers.12.attention.LLamaAttention.forward.0.input.0";
    (void)state;
    assert_fits(name, 80, "Cell.model.layers.12.attention.LLamaAttention.fwd.0.in.0");
    assert_fits(name, 32, "…layers.12.attention…fwd.0.in.0");
    assert_fits(name, 50, "…layers.12.attention.LLamaAttention.fwd.0.in.0");
    assert_fits(name, 5, "C…n.0");
    assert_fits("Functional.linear.0.forward.input.1", 20, "Functio…r.0.fwd.in.1");
}

/* The class gives way before the path does: it is the path that tells one call from the next. */
static void modules_keep_their_paths(void **state)
{
    const char *name = "Module.bert.encoder.layer.1.attention.self.query.Linear.forward.0.parameters.weight",
               *down = "Cell.down_blocks.0.resnets.0.norm1.GroupNorm.forward.0.input.0";
    (void)state;
    assert_fits(name, 70, "…bert.encoder.layer.1.attention.self.query.Linear.fwd.0.par.weight");
    assert_fits(name, 53, "…layer.1.attention.self.query.Linear.fwd.0.par.weight");
    assert_fits(name, 46, "…layer.1.attention.self.query…fwd.0.par.weight");
    assert_fits(down, 43, "…down_blocks.0.resnets.0.norm1…fwd.0.in.0");
    assert_fits("Cell.model.layers.0.LLamaDecodeLayer.backward.0.input.0", 32, "…layers.0.LLam…eLayer.bwd.0.in.0");
    assert_fits("Module.module.embedding.dropout.Dropout.forward.0.input.0", 27, "…dropout.Dropout.fwd.0.in.0");
}

static void calls_below_a_module(void **state)
{
    struct buf b = {0};
    (void)state;
    shown_name_call(STR("MatMul.Default_network-Llama_layers-CellList_3-Layer_wq-Linear_MatMul-op7"), &b);
    assert_string_equal(b.p, "MatMul-op7");
    buf_clear(&b);
    shown_name_call(STR("Cell.down-blocks.0.Conv2d.forward.0"), &b);
    assert_string_equal(b.p, "Cell.down-blocks.0.Conv2d.forward.0");
    buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_words_are_short),
        cmocka_unit_test(scopes_of_graphs),
        cmocka_unit_test(layer_and_slot_stay),
        cmocka_unit_test(modules_keep_their_paths),
        cmocka_unit_test(calls_below_a_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
