/* The CheckLists and the first stage in the accuracy guides' own words: each line's parameter as the guide writes
 * it for
 * MindFormers and for Megatron, where both agree and where one side is set otherwise. */
#include "support.h"

#include "base/msg.h"
#include "config/settings_compare.h"

/* Lines of one side: those that begin with "  " lie in model_config, the others stand as they are. */
struct line {
    const char *key;             /* of the check */
    const char *target, *golden; /* as the guide has it */
    const char *other_target, *other_golden; /* one of them instead; NULL: as it was */
    enum check_state same, other;
    const char *env; /* of the target; NULL: none is known */
};

#define OK CHECK_OK
#define DIFFERS CHECK_DIFFERS
#define ADVICE CHECK_ADVICE
#define MISSING CHECK_MISSING

#define MOE "moe_config: {expert_num: 8, num_experts_chosen: 2, capacity_factor: 1.5, aux_loss_factor: 0.0, " \
            "enable_sdrop: True, router_dense_type: float32, use_shared_expert_gating: False"
#define MOE_ARGS "num-experts: 8\nmoe-router-topk: 2\nmoe_expert_capacity_factor: 1.5\nmoe-aux-loss-coeff: 0\n" \
                 "moe-token-drop-policy: position\nmoe-pad-expert-input-to-capacity: True\nmoe-router-dtype: fp32\n"
#define DATA_SET "train_dataset: {data_loader: {config: {"
#define WIKI DATA_SET "data_path: ['1', /data/wiki/wiki_text_document]}}}"
#define SFT "train_dataset: {data_loader: {type: SFTDataLoader, handler: {type: Alpaca, template: "
#define ADAM "optimizer: {type: AdamW, betas: [0.9, 0.95], eps: 1.e-8, weight_decay: 0.1}\n"
#define RATE "lr_schedule: {type: ConstantWarmUpLR, learning_rate: 1.e-5, warmup_steps: 0}\n"

static const struct line lines[] = {
    /* structure; the sides run on other hardware, where fused operators that differ are a place to look */
    {"num_layers", "  num_layers: 2", "num-layers: 2", "  num_layers: 40", NULL, OK, DIFFERS, NULL},
    {"num_heads", "  num_heads: 4", "num-attention-heads: 4", "  num_heads: 8", NULL, OK, DIFFERS, NULL},
    {"hidden_size", "  hidden_size: 64", "hidden-size: 64", "  hidden_size: 128", NULL, OK, DIFFERS, NULL},
    {"intermediate_size", "  intermediate_size: 128", "ffn-hidden-size: 128", "  intermediate_size: 256", NULL, OK, DIFFERS,
     NULL},
    {"n_kv_heads", "  n_kv_heads: 2", "num-query-groups: 2\ngroup-query-attention: True", "  n_kv_heads: 4", NULL, OK,
     DIFFERS, NULL},
    {"normalization", "", "normalization: RMSNorm", NULL, "normalization: LayerNorm", OK, DIFFERS, NULL},
    {"rms_norm_eps", "  rms_norm_eps: 1.0e-5", "layernorm_epsilon: 1.0e-5", "  rms_norm_eps: 1.0e-6", NULL, OK, DIFFERS, NULL},
    {"hidden_dropout", "  hidden_dropout: 0", "hidden-dropout: 0", NULL, "hidden-dropout: 0.1", OK, DIFFERS, NULL},
    {"attention_dropout", "  attention_dropout: 0", "attention-dropout: 0", "  attention_dropout: 0.1", NULL, OK, DIFFERS, NULL},
    {"dropout_vs_recompute", "  hidden_dropout: 0\nrecompute_config: {recompute: True}", "hidden-dropout: 0",
     "  hidden_dropout: 0.1\nrecompute_config: {recompute: True}", NULL, OK, DIFFERS, NULL},
    {"fused_flash_attention", "  use_flash_attention: True", "use-flash-attn: True", "  use_flash_attention: False", NULL, OK,
     ADVICE, NULL},
    {"fused_rope", "  use_fused_rope: True", "position-embedding-type: rope", "  use_fused_rope: False", NULL, OK, ADVICE, NULL},
    {"fused_swiglu", "  use_fused_swiglu: True", "swiglu: True", "  use_fused_swiglu: False", NULL, OK, ADVICE, NULL},
    {"fused_norm", "  fused_norm: True", "", "  fused_norm: False", NULL, OK, ADVICE, NULL},
    {"dropout_vs_recompute", "  hidden_dropout: 0\nrecompute_config: {select_recompute: True}", "hidden-dropout: 0",
     "  hidden_dropout: 0.1\nrecompute_config: {select_recompute: True}", NULL, OK, DIFFERS, NULL},
    {"normalization", "  type: LlamaConfig", "normalization: RMSNorm", "  type: MyOwnConfig", NULL, OK, CHECK_UNKNOWN, NULL},
    {"fused_qkv", "  qkv_concat: True", "", "  qkv_concat: False", NULL, OK, DIFFERS, NULL},
    /* mixture of experts */
    {"expert_num", MOE "}", MOE_ARGS, NULL, MOE_ARGS "num-experts: 16", OK, DIFFERS, NULL},
    {"num_experts_chosen", MOE "}", MOE_ARGS, NULL, MOE_ARGS "moe-router-topk: 4", OK, DIFFERS, NULL},
    {"capacity_factor", MOE "}", MOE_ARGS, NULL, MOE_ARGS "moe_expert_capacity_factor: 1.1", OK, DIFFERS, NULL},
    {"aux_loss_factor", MOE "}", MOE_ARGS, NULL, MOE_ARGS "moe-aux-loss-coeff: 0.05", OK, DIFFERS, NULL},
    {"enable_sdrop", MOE "}", MOE_ARGS, NULL, MOE_ARGS "moe-token-drop-policy: probs", OK, DIFFERS, NULL},
    {"router_dense_type", MOE "}", MOE_ARGS, NULL, MOE_ARGS "moe-router-dtype: null\nbf16: True", OK, DIFFERS, NULL},
    {"use_fused_ops_topkrouter", MOE ", use_fused_ops_topkrouter: True}", MOE_ARGS, NULL, NULL, ADVICE, ADVICE, NULL},
    {"topkrouter_without_sdrop", MOE ", use_fused_ops_topkrouter: True}", MOE_ARGS,
     "moe_config: {expert_num: 8, use_fused_ops_topkrouter: True}", NULL, OK, ADVICE, NULL},
    {"use_shared_expert_gating", MOE "}", MOE_ARGS, NULL, MOE_ARGS "moe-shared-expert-gate: True", OK, DIFFERS, NULL},
    /* optimizer */
    {"optimizer_type", ADAM, "optimizer: adam", NULL, "optimizer: sgd", OK, DIFFERS, NULL},
    {"eps", ADAM, "adam-eps: 1e-8", NULL, "adam-eps: 1e-6", OK, DIFFERS, NULL},
    {"beta1", ADAM, "adam-beta1: 0.9", NULL, "adam-beta1: 0.8", OK, DIFFERS, NULL},
    {"beta2", ADAM, "adam-beta2: 0.95", NULL, "adam-beta2: 0.999", OK, DIFFERS, NULL},
    {"weight_decay", ADAM, "weight-decay: 0.1", NULL, "weight-decay: 0.01", OK, DIFFERS, NULL},
    {"weight_decay_groups", ADAM, "weight-decay: 0.1", NULL, NULL, ADVICE, ADVICE, NULL},
    {"lr", RATE, "lr: 1e-5", NULL, "lr: 2e-5", OK, DIFFERS, NULL},
    {"lr_schedule_type", RATE, "lr-decay-style: constant", NULL, "lr-decay-style: cosine", OK, DIFFERS, NULL},
    {"warmup_ratio", "lr_schedule: {warmup_ratio: 0.01}", "lr_warmup_fraction: 0.01", NULL, "lr_warmup_fraction: 0.1", OK, DIFFERS,
     NULL},
    {"warmup_steps", RATE, "lr-warmup-iters: 0", NULL, "lr-warmup-iters: 10", OK, DIFFERS, NULL},
    {"clip_grad", "runner_wrapper: {use_clip_grad: True, max_grad_norm: 1.0}", "clip-grad: 1.0", NULL, "clip-grad: 2.0", OK,
     DIFFERS, NULL},
    {"global_batch_size", "runner_config: {batch_size: 2}\nparallel_config: {data_parallel: 4}", "global-batch-size: 8", NULL,
     "global-batch-size: 16", OK, DIFFERS, NULL},
    /* weights */
    {"param_init_type", "  param_init_type: float32", "bf16: True", "  param_init_type: bfloat16", NULL, OK, DIFFERS, NULL},
    {"param_init_type", "  param_init_dtype: float32", "bf16: True", "  param_init_dtype: float16", NULL, OK, DIFFERS, NULL},
    {"init_method_std", "  initializer_range: 0.02", "init-method-std: 0.02", NULL, "init-method-std: 0.006", OK, DIFFERS, NULL},
    {"init_mean", "", "", NULL, NULL, ADVICE, ADVICE, NULL},
    {"load_checkpoint", "load_checkpoint: './ckpt'", "load: /ckpt", "load_checkpoint: ''", NULL, OK, MISSING, NULL},
    /* mixed precision */
    {"compute_dtype", "  compute_dtype: bfloat16", "bf16: true", NULL, "fp16: true", OK, DIFFERS, NULL},
    {"layernorm_compute_type", "  layernorm_compute_type: float32", "", "  layernorm_compute_type: bfloat16", NULL, OK, DIFFERS, NULL},
    {"softmax_compute_type", "  softmax_compute_type: float32", "attention-softmax-in-fp32: True",
     "  softmax_compute_type: float16", NULL, OK, DIFFERS, NULL},
    {"rotary_dtype", "  rotary_dtype: float32", "position-embedding-type: rope", "  rotary_dtype: bfloat16", NULL, OK, DIFFERS, NULL},
    {"embedding_lm_head_dtype", "  embedding_init_type: bfloat16", "bf16: true", "  embedding_init_type: float32", NULL, OK, DIFFERS, NULL},
    {"bias_add_dtype", "", "", NULL, NULL, ADVICE, ADVICE, NULL},
    {"residual_dtype", "  residual_dtype: float32", "fp32-residual-connection: True", "  residual_dtype: bfloat16", NULL, OK, DIFFERS,
     NULL},
    {"loss_dtype", "  compute_dtype: bfloat16", "bf16: True", NULL, "bf16: True\nfp16-lm-cross-entropy: True", OK, DIFFERS, NULL},
    {"loss_fusion", "", "", NULL, "cross-entropy-loss-fusion: True", OK, DIFFERS, NULL},
    {"op_high_precision",
     "context: {ascend_config: {ge_options: {global: {ge.opSelectImplmode: high_precision}}}}", "",
     "context: {ascend_config: {ge_options: {global: {ge.opSelectImplmode: high_performance}}}}", NULL, OK,
         DIFFERS, NULL},
    /* parallel */
    {"data_parallel", "parallel_config: {data_parallel: 4}", "data-parallel-size: 4", "parallel_config: {data_parallel: 2}", NULL, OK,
     DIFFERS, NULL},
    {"model_parallel", "parallel_config: {model_parallel: 2}", "tensor-model-parallel-size: 2", "parallel_config: {model_parallel: 1}",
     NULL, OK, DIFFERS, NULL},
    {"pipeline_stage", "parallel_config: {pipeline_stage: 2}", "pipeline-model-parallel-size: 2",
     "parallel_config: {pipeline_stage: 1}", NULL, OK, DIFFERS, NULL},
    {"use_seq_parallel", "parallel_config: {use_seq_parallel: True}", "sequence-parallel: True",
     "parallel_config: {use_seq_parallel: False}", NULL, OK, DIFFERS, NULL},
    {"enable_parallel_optimizer", "parallel: {enable_parallel_optimizer: False}", "", "parallel: {enable_parallel_optimizer: True}",
     NULL, OK, DIFFERS, NULL},
    {"micro_batch_interleave_num", "micro_batch_interleave_num: 1", "", "micro_batch_interleave_num: 2", NULL, OK, DIFFERS, NULL},
    /* other */
    {"data_check", "", "", NULL, NULL, ADVICE, ADVICE, NULL},
    {"bos_token_id", "  bos_token_id: 1", "", NULL, NULL, ADVICE, ADVICE, NULL},
    {"eos_token_id", "  eos_token_id: 2", "", NULL, NULL, ADVICE, ADVICE, NULL},
    {"data_set_eod", "  eos_token_id: 2\n" DATA_SET "eod: 2}}}", "", "  eos_token_id: 7\n" DATA_SET "eod: 2}}}", NULL, OK, DIFFERS,
     NULL},
    {"data_set_eod", "  eos_token_id: 7", "", DATA_SET "eod: 2}}}", NULL, OK, OK, NULL},
    {"data_set_pad", "  pad_token_id: 0\n" DATA_SET "pad: 0}}}", "", "  pad_token_id: 0\n" DATA_SET "pad: 3}}}", NULL, OK,
     DIFFERS, NULL},
    {"data_set_pad", "  pad_token_id: 0\n" DATA_SET "pad: -1}}}", "", NULL, NULL, OK, OK, NULL},
    {"data_set", WIKI, "data-path: /mnt/x/wiki_text_document", NULL, "data-path: /mnt/wikitext103/alpaca_text_document", OK,
     DIFFERS, NULL},
    {"data_set", WIKI, "data-path: /mnt/x/c4_en_text_document", NULL, "data-path: /mnt/disc4/own_text_document", DIFFERS,
     DIFFERS, NULL},
    {"data_set", WIKI, "data-path: /mnt/wiki_raw.jsonl", NULL, "data-path: /mnt/own.jsonl", ADVICE, ADVICE, NULL},
    {"template", SFT "alpaca}}}", "sft: True\nprompt_type: alpaca", NULL, "sft: True\nprompt_type: llama2", OK, DIFFERS, NULL},
    {"init_method_std", "load_checkpoint: /ckpt/a\n  initializer_range: 0.02", "load: /ckpt/b\ninit-method-std: 0.01", NULL,
     "load: null\ninit-method-std: 0.01", OK, DIFFERS, NULL},
    {"moe_input_jitter", MOE "}", MOE_ARGS, NULL, MOE_ARGS "moe-input-jitter-eps: 0.01", OK, DIFFERS, NULL},
    {"std_dataset", WIKI, "data-path: /mnt/x/wiki_text_document", NULL, "data-path: /mnt/c4_text_document", OK, ADVICE, NULL},
    {"std_parallel", "parallel_config: {data_parallel: 8}", "world-size: 8", "parallel_config: {data_parallel: 16}", "world-size: 16",
     OK, ADVICE, NULL},
    {"pad_token_id", "  pad_token_id: 0", "", NULL, NULL, ADVICE, ADVICE, NULL},
    {"input_ids_range", "  vocab_size: 1000", "vocab-size: 1000", "  vocab_size: 900", NULL, OK, DIFFERS, NULL},
    {"overflow_mode", "", "", NULL, NULL, OK, OK, "MS_ASCEND_CHECK_OVERFLOW_MODE=INFNAN_MODE\n"},
    {"overflow_mode", "", "", NULL, NULL, MISSING, MISSING, "PATH=/bin\n"},
    {"enable_graph_kernel", "context: {enable_graph_kernel: False}", "", "context: {enable_graph_kernel: True}", NULL, OK, DIFFERS,
     NULL},
    {"versions", "", "", NULL, NULL, ADVICE, ADVICE, NULL},
    {"open_source_diff", "", "", NULL, NULL, ADVICE, ADVICE, NULL},
    /* stage 1 */
    {"hccl_deterministic", "", "", NULL, NULL, OK, OK, "HCCL_DETERMINISTIC=true\n"},
    {"ascend_launch_blocking", "", "", NULL, NULL, OK, OK, "ASCEND_LAUNCH_BLOCKING=1\n"},
    {"ms_deterministic", "context: {deterministic: 'ON'}", "deterministic-mode: True", NULL, "deterministic-mode: False", OK, DIFFERS,
     NULL},
    {"seed_all", "seed: 42", "seed: 42", NULL, NULL, ADVICE, ADVICE, NULL},
    {"MINDSPORE_DUMP_CONFIG", "", "", NULL, NULL, OK, OK, "PATH=/bin\n"},
    {"MINDSPORE_DUMP_CONFIG", "", "", NULL, NULL, DIFFERS, DIFFERS, "MINDSPORE_DUMP_CONFIG=/a/dump.json\n"},
};

static const char *side(const char *name, const char *head, const char *text, bool yaml_model)
{
    struct buf b = {0}, model = {0};
    struct str rest = str_of(text), line;
    buf_cstr(&b, head);
    while (rest.n) {
        str_split(rest, '\n', &line, &rest);
        bool inside = yaml_model && str_starts(line, "  ");
        buf_fmt(inside ? &model : &b, "%s%.*s\n", inside ? "  " : "", STR_ARG(line));
    }
    if (yaml_model)
        buf_fmt(&b, "model:\n  model_config:\n    type: LlamaConfig\n%s", model.n ? model.p : "");
    const char *path = put_bytes(scratch(), name, b.p, b.n);
    buf_release(&b);
    buf_release(&model);
    return path;
}

static void judged(const struct line *l, const char *target, const char *golden, enum check_state want)
{
    struct settings s[2] = {0};
    struct config_compare c;
    struct err e = {0};
    const struct config_check *found = NULL;
    if (settings_open(&s[0], side("t.yaml", "runner_config: {epochs: 1, sink_size: 1}\n", target, true), &e) ||
        settings_open(&s[1], side("g.yaml", "num-layers: 2\n", golden, false), &e) ||
        (l->env && settings_environment_text(&s[0], "env", str_of(l->env), &e)) ||
        config_compare_run(&c, &s[0], &s[1], NULL, 0, &e))
        fail_msg("%s: %s", l->key, e.text);
    for (size_t i = 0; i < c.checks.n; i++)
        if (str_is(c.checks.v[i].row->key, l->key))
            found = &c.checks.v[i];
    if (!found)
        fail_msg("no check %s", l->key);
    else if (found->state != want)
        fail_msg("%s (%s | %s): %s, not %s", l->key, target, golden, check_state_name(found->state),
            check_state_name(want));
    config_compare_release(&c);
}

/* What is left to people is read all the same: the value stands beside the question. */
static void values_to_look_at(void **state)
{
    static const struct {
        const char *key, *target, *golden, *value[2];
    } cases[] = {
        {"fused_norm", "  fused_norm: True", "", {"True", "True"}},
        {"fused_qkv", "  qkv_concat: True", "", {"True", "True"}},
        {"embedding_lm_head_dtype", "  embedding_init_type: float32", "bf16: true", {"float32", "bfloat16"}},
        {"embedding_lm_head_dtype", "  embedding_init_type: bfloat16", "", {"bfloat16", "float32"}},
        {"use_fused_ops_topkrouter", MOE ", use_fused_ops_topkrouter: True}", MOE_ARGS "moe-router-fusion: True", {"True", "True"}},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct settings s[2] = {0};
        struct config_compare c;
        struct err e = {0};
        if (settings_open(&s[0], side("t.yaml", "runner_config: {epochs: 1}\n", cases[i].target, true), &e) ||
            settings_open(&s[1], side("g.yaml", "num-layers: 2\n", cases[i].golden, false), &e) ||
            config_compare_run(&c, &s[0], &s[1], NULL, 0, &e))
            fail_msg("%s", e.text);
        for (size_t k = 0; k < c.checks.n; k++)
            for (int d = 0; d < 2 && str_is(c.checks.v[k].row->key, cases[i].key); d++)
                if (!str_is(c.checks.v[k].value[d].text, cases[i].value[d]))
                    fail_msg("%s: side %d is \"%.*s\"", cases[i].key, d, STR_ARG(c.checks.v[k].value[d].text));
        config_compare_release(&c);
    }
}

static void in_the_guides_words(void **state)
{
    (void)state;
    msg_language("en");
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        const struct line *l = &lines[i];
        judged(l, l->target, l->golden, l->same);
        judged(l, l->other_target ? l->other_target : l->target, l->other_golden ? l->other_golden : l->golden,
            l->other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_guides_words),
        cmocka_unit_test(values_to_look_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
