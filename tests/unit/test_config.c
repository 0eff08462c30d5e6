/* The checklist's judgement of two runs: every state, what follows from what, and the pairings of frameworks. */
#include "support.h"

#include "base/msg.h"
#include "config/settings_compare.h"
#include "config/settings_section.h"
#include "document/write.h"
#include "report/settings_output.h"

static char dir[256];
static struct config_compare c;
static bool have;
static const char *golden_env; /* as env prints it, or NULL */

/* A small model both frameworks say alike; the parts tests change come in through the arguments. */
static const char mf_head[] =
    "seed: 42\nload_checkpoint: './ckpt'\n"
    "runner_config: {epochs: 1, batch_size: 1, gradient_accumulation_steps: 2, sink_size: 1}\n"
    "lr_schedule: {type: CosineWithWarmUpLR, learning_rate: 1.e-5, lr_end: 1.e-6, warmup_ratio: 0.01}\n"
    "runner_wrapper: {use_clip_grad: True}\n"
    "parallel_config: {data_parallel: 4, model_parallel: 1, pipeline_stage: 1}\n"
    "context: {deterministic: 'ON'}\n";
static const char mf_optimizer[] = "optimizer: {type: AdamW, betas: [0.9, 0.95], eps: 1.e-8, weight_decay: 0.1}\n";
static const char mf_data[] =
    "train_dataset:\n  data_loader:\n    type: BlendedMegatronDatasetDataLoader\n    sizes: [8000, 0, 0]\n"
    "    config: {random_seed: 42, seq_length: 64, split: \"1, 0, 0\"}\n";
static const char mf_model[] =
    "model:\n  model_config:\n    type: LlamaConfig\n    num_layers: 2\n    num_heads: 4\n    hidden_size: 64\n"
    "    intermediate_size: 128\n    seq_length: 64\n    vocab_size: 1000\n    rms_norm_eps: 1.0e-5\n"
    "    compute_dtype: bfloat16\n    param_init_type: float32\n";
static const char mg_head[] = "export NCCL_ALGO=Ring\ntorchrun --nproc_per_node 4 pretrain_gpt.py --seed 42 --load "
                              "/ckpt --micro-batch-size 1 --global-batch-size 8 "
                              "--lr 1e-5 --min-lr 1e-6 --lr-decay-style cosine --lr-warmup-iters 10 --train-iters 1000 "
                              "--adam-beta2 0.95 --weight-decay 0.1 "
                              "--deterministic-mode --log-interval 1 --bf16 --attention-softmax-in-fp32 "
                              "--no-rope-fusion --no-bias-swiglu-fusion ";
static const char mg_data[] = "--data-path /d --split 100,0,0 ";
static const char mg_model[] =
    "--num-layers 2 --num-attention-heads 4 --hidden-size 64 --ffn-hidden-size 128 --seq-length 64 "
    "--max-position-embeddings 64 "
    "--vocab-size 1000 --make-vocab-size-divisible-by 1 --normalization RMSNorm --swiglu --disable-bias-linear "
    "--untie-embeddings-and-output-weights --position-embedding-type rope --hidden-dropout 0 --attention-dropout 0 ";

static const char *write_file(const char *name, const char *const *part)
{
    struct buf b = {0};
    for (; *part; part++)
        buf_cstr(&b, *part);
    buf_char(&b, '\n');
    const char *path = put_bytes(dir, name, b.p, b.n);
    buf_release(&b);
    return path;
}

static void run_waived(const char *target, const char *golden, const char *env, const struct config_waiver *w,
                       size_t waivers)
{
    struct settings s[2] = {0};
    struct err e;
    if (have)
        config_compare_release(&c);
    have = true;
    if (settings_open(&s[0], target, &e) || settings_open(&s[1], golden, &e) ||
        (env && settings_environment_text(&s[0], "env", str_of(env), &e)) ||
        (golden_env && settings_environment_text(&s[1], "env", str_of(golden_env), &e)) || config_compare_run(&c,
                &s[0], &s[1], w, waivers, &e))
        fail_msg("%s", e.text);
}

static void run(const char *target, const char *golden, const char *env)
{
    run_waived(target, golden, env, NULL, 0);
}

static const struct config_check *check(const char *key)
{
    for (size_t i = 0; i < c.checks.n; i++)
        if (str_is(c.checks.v[i].row->key, key))
            return &c.checks.v[i];
    fail_msg("no check %s", key);
    return NULL;
}

static void state_is(const char *key, enum check_state state)
{
    if (check(key)->state != state)
        fail_msg("%s is %s, not %s", key, check_state_name(check(key)->state), check_state_name(state));
}

static void value_is(const char *key, int side, const char *text, bool dflt)
{
    const struct value *v = &check(key)->value[side];
    if (v->state != VALUE_SET || !str_is(v->text, text) || v->dflt != dflt)
        fail_msg("%s is \"%.*s\"%s, not \"%s\"", key, STR_ARG(v->text), v->dflt ? " by default" : "", text);
}

/* Exactly these differ or are missing, beyond information. */
static void only(const char *const *keys)
{
    size_t n = 0;
    for (; keys[n]; n++)
        if (check(keys[n])->state != CHECK_DIFFERS && check(keys[n])->state != CHECK_MISSING)
            fail_msg("%s is %s", keys[n], check_state_name(check(keys[n])->state));
    for (size_t i = 0; i < c.checks.n; i++) {
        const struct config_check *k = &c.checks.v[i];
        bool bad = k->state == CHECK_DIFFERS || k->state == CHECK_MISSING, known = false;
        for (size_t m = 0; m < n; m++)
            known = known || str_is(k->row->key, keys[m]);
        if (bad && !known && k->row->severity != SEVERITY_INFO)
            fail_msg("%.*s %s as well (%.*s, %.*s)", STR_ARG(k->row->key), check_state_name(k->state),
                     STR_ARG(k->value[0].text), STR_ARG(k->value[1].text));
    }
    assert_int_equal(c.pass, n == 0);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define MF(...) write_file("a.yaml", PARTS(__VA_ARGS__))
#define MG(...) write_file("g.sh", PARTS(__VA_ARGS__))
#define ONLY(...) only(PARTS(__VA_ARGS__))

static const char env_good[] =
    "HCCL_DETERMINISTIC=true\nASCEND_LAUNCH_BLOCKING=1\nMS_ASCEND_CHECK_OVERFLOW_MODE=INFNAN_MODE\n";

static void aligned(void **state)
{
    (void)state;
    run(MF(mf_head, mf_optimizer, mf_data, mf_model), MG(mg_head, mg_data, mg_model), env_good);
    only((const char *const[]){NULL});
    value_is("warmup_steps", 0, "10", false);
    value_is("global_batch_size", 0, "8", false);
    assert_true(str_is(check("global_batch_size")->value[0].how, "1*4*2*1"));
    value_is("max_position", 0, "64", true);
    value_is("rope_theta", 1, "10000", true);
    value_is("eps", 0, "1.e-8", false); /* the source's digits */
    assert_true(str_is(check("eps")->value[0].key, "optimizer.eps"));
    assert_true(str_is(check("rope_theta")->value[1].key, "--rotary-base"));
    state_is("seed_all", CHECK_ADVICE);
    assert_int_equal(check("seed_all")->why, WHY_MANUAL);
    assert_int_equal(check("num_experts_chosen")->why, WHY_NOT_APPLICABLE);
    assert_int_equal(check("template")->why, WHY_NOT_APPLICABLE);
    size_t all = 0;
    for (int i = 0; i < CHECK_STATES; i++)
        all += c.count[i];
    assert_int_equal(all, c.checks.n);
}

static void planted(void **state)
{
    (void)state;
    run(MF(mf_head, mf_optimizer, mf_data, mf_model),
        MG(mg_head, mg_data, mg_model, "--adam-eps 1e-6 --rotary-base 500000"), env_good);
    ONLY("eps", "rope_theta");
    /* a flag forgotten: defaults that are not the same */
    run(MF(mf_head, "optimizer: {type: AdamW, betas: [0.9, 0.95], eps: 1.e-8}\n", mf_data, mf_model),
        MG(mg_head, mg_data, mg_model), env_good);
    ONLY("weight_decay");
    value_is("weight_decay", 0, "0.0", true);
    run(MF(mf_head, mf_optimizer, mf_data, mf_model),
        MG(mg_head, mg_data,
           "--num-layers 2 --num-attention-heads 4 --hidden-size 64 --seq-length 64 --vocab-size 1000 --bf16"),
        env_good);
    ONLY("intermediate_size", "normalization", "hidden_dropout", "attention_dropout", "tie_embeddings",
         "position_embedding_type", "linear_bias", "activation");
}

static void consequences(void **state)
{
    (void)state;
    /* another batch: the steps of the warm-up and of the schedule follow from it and are not told again */
    run(MF("seed: 42\nload_checkpoint: './ckpt'\nrunner_config: {batch_size: 2, gradient_accumulation_steps: 2}\n",
           mf_head + strlen("seed: 42\nload_checkpoint: './ckpt'\nrunner_config: {epochs: 1, batch_size: 1, "
                            "gradient_accumulation_steps: 2, sink_size: 1}\n"),
           mf_optimizer, mf_data, mf_model),
        MG(mg_head, mg_data, mg_model), env_good);
    ONLY("global_batch_size", "train_steps");
    /* other heads: the width of a head and key-value heads follow */
    run(MF(mf_head, mf_optimizer, mf_data, mf_model), MG(mg_head, mg_data, mg_model, "--num-attention-heads 8"),
        env_good);
    ONLY("num_heads");
    run(MF(mf_head, mf_optimizer, mf_data, mf_model),
        MG(mg_head, mg_data, mg_model, "--num-query-groups 2 --group-query-attention"), env_good);
    ONLY("n_kv_heads");
    run(MF(mf_head, mf_optimizer, mf_data, mf_model, "    n_kv_heads: 2\n"),
        MG(mg_head, mg_data, mg_model, "--num-query-groups 2"), env_good);
    ONLY("n_kv_heads"); /* without --group-query-attention it does nothing */
    value_is("n_kv_heads", 1, "4", true);
}

static const char moe[] =
    "moe_config: {expert_num: 8, num_experts_chosen: 2, capacity_factor: 1.5, aux_loss_factor: 0.0, enable_sdrop: "
    "True, "
    "shared_expert_num: 2, moe_intermediate_size: 32, first_k_dense_replace: 1, use_gating_sigmoid: True}\n";
static const char moe_args[] =
    "--num-experts 8 --moe-router-topk 2 --moe-expert-capacity-factor 1.5 --moe-token-drop-policy position "
    "--moe-pad-expert-input-to-capacity --moe-router-dtype fp32 --moe-ffn-hidden-size 32 "
    "--moe-router-score-function sigmoid ";

static void experts(void **state)
{
    (void)state;
    run(MF(mf_head, mf_optimizer, mf_data, moe, mf_model),
        MG(mg_head, mg_data, mg_model, moe_args,
           "--moe-layer-freq \"([0]*1+[1]*1)\" --moe-shared-expert-intermediate-size 64"),
        env_good);
    only((const char *const[]){NULL});
    run(MF(mf_head, mf_optimizer, mf_data, moe, mf_model),
        MG(mg_head, mg_data, mg_model, moe_args,
           "--moe-token-drop-policy probs --moe-shared-expert-intermediate-size 32 --moe-router-pre-softmax"),
        env_good);
    ONLY("enable_sdrop", "shared_expert", "norm_topk_prob", "first_k_dense_replace");
    value_is("first_k_dense_replace", 0, "0,1", false);
    value_is("shared_expert", 0, "64", false);
    run(MF(mf_head, mf_optimizer, mf_data, mf_model), MG(mg_head, mg_data, mg_model, moe_args), env_good);
    ONLY("expert_num"); /* one side dense: the rest of the list means nothing */
}

static void recommendations(void **state)
{
    (void)state;
    run(MF(mf_head, mf_optimizer, mf_data, "parallel: {enable_parallel_optimizer: True}\n", mf_model),
        MG(mg_head, mg_data, mg_model, "--use-distributed-optimizer"), env_good);
    only((const char *const[]){NULL});
    state_is("enable_parallel_optimizer", CHECK_ADVICE);
    assert_int_equal(check("enable_parallel_optimizer")->why, WHY_UNWANTED);
    run(MF(mf_head, mf_optimizer, mf_data, "micro_batch_interleave_num: 2\n", mf_model), MG(mg_head, mg_data, mg_model),
        env_good);
    state_is("micro_batch_interleave_num", CHECK_DIFFERS);
    run(MF(mf_head, mf_optimizer, mf_data, "recompute_config: {recompute: True}\n", mf_model,
           "    hidden_dropout: 0.1\n"),
        MG(mg_head, mg_data, mg_model, "--hidden-dropout 0.1"), env_good);
    state_is("hidden_dropout", CHECK_ADVICE);
    state_is("dropout_vs_recompute", CHECK_DIFFERS);
}

static void environment(void **state)
{
    (void)state;
    run(MF(mf_head, mf_optimizer, mf_data, mf_model), MG(mg_head, mg_data, mg_model), NULL);
    state_is("overflow_mode", CHECK_UNKNOWN); /* nobody told anything of the target's environment */
    run(MF(mf_head, mf_optimizer, mf_data, mf_model), MG(mg_head, mg_data, mg_model), "PATH=/bin\n");
    ONLY("overflow_mode", "hccl_deterministic");
    state_is("overflow_mode", CHECK_MISSING);
    state_is("ascend_launch_blocking", CHECK_ADVICE);
    run(MF(mf_head, mf_optimizer, mf_data, mf_model),
        MG(mg_head + strlen("export NCCL_ALGO=Ring\n"), mg_data, mg_model), "PATH=/bin\n");
    state_is("hccl_deterministic", CHECK_ADVICE); /* on neither side */
}

static void missing_and_unknown(void **state)
{
    (void)state;
    run(MF("load_checkpoint: ''\n", mf_head + strlen("seed: 42\nload_checkpoint: './ckpt'\n"), mf_optimizer,
           "train_dataset: {data_loader: {type: MindDataset, shuffle: False}, input_columns: [input_ids, labels]}\n",
           mf_model),
        MG(mg_head, mg_data, mg_model, "--seed 0"), env_good);
    ONLY("load_checkpoint");
    state_is("load_checkpoint", CHECK_MISSING);
    state_is("train_steps", CHECK_UNKNOWN); /* the data set's size is in no file */
    state_is("warmup_steps", CHECK_UNKNOWN);
    state_is("template", CHECK_ADVICE);
    assert_int_equal(check("reset_position_ids")->why, WHY_NOT_APPLICABLE); /* this data set has none */
}

static void waived(void **state)
{
    (void)state;
    const struct config_waiver w[] = {{"C042", "agreed"}, {"rope_theta", "ticket 7"}, {"C001", "never needed"}};
    struct settings s[2] = {0};
    struct err e = {0};
    const char *t = MF(mf_head, mf_optimizer, mf_data, mf_model),
               *g = MG(mg_head, mg_data, mg_model, "--adam-eps 1e-6 --rotary-base 500000");
    run_waived(t, g, env_good, w, 3);
    assert_true(c.pass);
    state_is("eps", CHECK_WAIVED);
    assert_string_equal(check("eps")->reason, "agreed");
    assert_int_equal(check("eps")->was, CHECK_DIFFERS);
    state_is("num_layers", CHECK_OK); /* nothing to waive */
    assert_int_equal(c.count[CHECK_WAIVED], 2);
    struct config_compare bad;
    assert_int_equal(settings_open(&s[0], t, &e) | settings_open(&s[1], g, &e), 0);
    assert_int_equal(config_compare_run(&bad, &s[0], &s[1], &(struct config_waiver){"C999", "x"}, 1, &e), -1);
    assert_int_equal(e.code, ERR_USAGE);
    config_compare_release(&bad);
}

static void unmapped(void **state)
{
    (void)state;
    run(MF(mf_head, mf_optimizer, mf_data, "own_switch: 3\nown_list: [[1, 2], [3]]\noutput_dir: /o\n", mf_model),
        MG(mg_head, mg_data, mg_model, "--own-option 4 --save /s"), env_good);
    bool has_switch = false, has_list = false;
    for (size_t i = 0; i < c.unmapped[0].n; i++) {
        has_switch |= str_is(c.unmapped[0].v[i], "own_switch");
        has_list |= str_is(c.unmapped[0].v[i], "own_list");
        assert_false(str_is(c.unmapped[0].v[i], "output_dir")); /* changes no number */
        assert_false(str_starts(c.unmapped[0].v[i], "optimizer"));
    }
    assert_true(has_switch && has_list);
    assert_int_equal(c.unmapped[1].n, 1);
    assert_true(str_is(c.unmapped[1].v[0], "--own-option"));
}

static void same_framework(void **state)
{
    (void)state;
    const char *t = write_file("t.sh", PARTS("export HCCL_DETERMINISTIC=true\n", mg_head, mg_data, mg_model,
                                             "--use-fused-rmsnorm --use-fused-rotary-pos-emb "
                                             "--moe-token-dispatcher-type alltoall --distributed-backend hccl"));
    run(t, MG(mg_head, mg_data, mg_model, "--moe-token-dispatcher-type allgather"), NULL);
    only((const char *const[]){NULL});
    state_is("fused_rope", CHECK_ADVICE);
    assert_int_equal(check("fused_rope")->why, WHY_HARDWARE);
    assert_int_equal(c.side[0].platform, PLATFORM_NPU);
    assert_int_equal(c.side[1].platform, PLATFORM_GPU);
    assert_int_equal(c.npu_only[0].n, 2);
    assert_int_equal(c.npu_only[1].n, 0);
    assert_int_equal(c.others.n, 1);
    assert_true(str_is(c.others.v[0].side[0]->key, "moe_token_dispatcher_type"));
    const char *npu = write_file("g.sh", PARTS("export HCCL_DETERMINISTIC=true\n", mg_head, mg_data, mg_model));
    run(t, npu, NULL);
    ONLY("fused_rope"); /* on the same hardware */
}

static void huggingface(void **state)
{
    (void)state;
    const char *g =
        write_file("config.json",
                   PARTS("{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
                         "\"hidden_size\": 64, "
                         "\"intermediate_size\": 128, \"vocab_size\": 1000, \"rms_norm_eps\": 1e-06, \"hidden_act\": "
                         "\"silu\", "
                         "\"max_position_embeddings\": 64, \"rope_theta\": 10000.0, \"tie_word_embeddings\": false, "
                         "\"torch_dtype\": \"bfloat16\", \"bos_token_id\": 2}"));
    run(MF(mf_head, mf_optimizer, mf_data, mf_model, "    bos_token_id: 1\n"), g, NULL);
    ONLY("rms_norm_eps", "bos_token_id");
    state_is("weight_decay", CHECK_UNKNOWN); /* a model's file tells nothing of the optimizer */
    value_is("compute_dtype", 1, "bfloat16", false);
    g = write_file("args.yaml", PARTS("per_device_train_batch_size: 1\nlearning_rate: 2.0e-5\nlr_scheduler_type: "
                                      "cosine\nwarmup_ratio: 0.01\n"
                                      "seed: 42\nadam_beta2: 0.95\nweight_decay: 0.1\nbf16: true\nlogging_steps: "
                                      "1\nfull_determinism: true\n"
                                      "shuffle: false\nmodel_name_or_path: /m\n"));
    run(MF(mf_head, mf_optimizer, mf_data, mf_model), g, NULL);
    ONLY("lr", "lr_end");
    state_is("num_layers", CHECK_UNKNOWN);
}

static void writers(void **state)
{
    (void)state;
    struct buf b = {0};
    run(MF(mf_head, mf_optimizer, mf_data, mf_model),
        MG(mg_head, mg_data, mg_model, "--adam-eps 1e-6 --own \"=cmd,\x1b[2J\""), env_good);
    struct document d;
    document_begin(&d);
    settings_section(&d, &c, SETTINGS_OPEN);
    write_text_end(&b, &d);
    assert_non_null(strstr(b.p, "C042   eps"));
    assert_null(strchr(b.p, '\x1b'));
    size_t widest = 0, at = 0;
    for (size_t i = 0; i < b.n; i++) /* ASCII lines of the table and its advice */
        if (b.p[i] == '\n') {
            if (!memchr(b.p + at, '/', i - at))
                widest = i - at > widest ? i - at : widest;
            at = i + 1;
        }
    assert_true(widest <= 84); /* 80 cells; signs have up to three bytes */
    buf_clear(&b);
    struct value v = {.state = VALUE_SET, .text = STR("2816"), .number = true, .how = STR("2*1408")};
    config_value_text(&b, &v);
    assert_string_equal(b.p, "2816 = 2*1408");
    buf_release(&b);
}

/* Megatron's arguments in a document, the guide's own line among them, against MindFormers' enable_sdrop. */
static void megatron_documents(void **state)
{
    (void)state;
    const char *g = write_file("m.yaml", PARTS("gpt_args:\n  num-layers: 2\n  num-attention-heads: 4\n  hidden-size: "
                                               "64\n  num-experts: 8\n"
                                               "  moe-token-drop-policy: position\n  "
                                                   "moe-pad-expert-input-to-capacity: True\n  bf16: true\n"
                                               "  no-bias-swiglu-fusion: false\n  fp16-lm-cross-entropy: true\n"));
    run(write_file("t.yaml", PARTS("moe_config: {expert_num: 8, enable_sdrop: True}\n"
                                   "model: {model_config: {type: LlamaConfig, num_layers: 2, compute_dtype: "
                                       "bfloat16, param_init_dtype: bfloat16}}\n")),
        g, NULL);
    assert_string_equal(c.side[1].kind, "megatron-yaml");
    state_is("num_layers", CHECK_OK);
    state_is("enable_sdrop", CHECK_OK);
    state_is("compute_dtype", CHECK_OK);
    value_is("fused_swiglu", 1, "True", true);
    value_is("param_init_type", 0, "bfloat16", false);
    state_is("loss_dtype", CHECK_DIFFERS); /* --fp16-lm-cross-entropy on one side */
}

/* verl 0.9's configuration as Hydra resolves it. */
static void verl_documents(void **state)
{
    (void)state;
    static const char verl[] = "actor_rollout_ref:\n  actor:\n    optim: {lr: %s, weight_decay: 0.01, betas: [0.9, "
        "0.999]}\n    grad_clip: 1.0\n"
                               "  model: {path: /m}\ndata: {train_batch_size: 1024, seed: null}\ntrainer: "
                                   "{total_epochs: 30}\n";
    char t[1000], g[1000];
    snprintf(t, sizeof t, verl, "1e-6");
    snprintf(g, sizeof g, verl, "2e-6");
    run(write_file("v.yaml", PARTS(t)), write_file("w.yaml", PARTS(g)), NULL);
    assert_string_equal(c.side[0].kind, "verl-yaml");
    ONLY("lr");
    value_is("clip_grad", 0, "1.0", false);
    value_is("global_batch_size", 1, "1024", false);
    state_is("num_layers", CHECK_UNKNOWN); /* the model's own file tells it */
}

/* What reinforcement learning adds, in verl's names; a weight that is switched off is 0 whatever it says. */
static void verl_reinforcement(void **state)
{
    (void)state;
    static const char verl[] = "actor_rollout_ref:\n  actor:\n    optim: {lr: 1e-6, lr_scheduler_type: cosine, "
                               "min_lr_ratio: %s}\n    clip_ratio: 0.2\n    clip_ratio_high: %s\n    "
                               "loss_agg_mode: %s\n    use_kl_loss: %s\n    kl_loss_coef: %s\n  rollout: "
                               "{temperature: %s, n: 8}\n  model: {path: /m}\nalgorithm: {adv_estimator: %s}\n"
                               "data: {train_batch_size: 1024}\n";
    static const char *const golden[] = {"0.0", "0.2", "token-mean", "false", "0.001", "1.0", "grpo"};
    static const struct {
        const char *id, *value;
        size_t at;
    } cases[] = {
        {"lr_end", "0.1", 0},        {"clip_ratio_high", "0.28", 1},    {"loss_aggregation", "seq-mean-token-mean", 2},
        {"kl_loss", "true", 3},      {NULL, "0.01", 4},                 {"rollout_temperature", "0.7", 5},
        {"advantage_estimator", "gae", 6},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char t[1000], g[1000];
        const char *v[ARRAY_LEN(golden)];
        memcpy(v, golden, sizeof v);
        snprintf(g, sizeof g, verl, v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
        v[cases[i].at] = cases[i].value;
        snprintf(t, sizeof t, verl, v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
        run(write_file("v.yaml", PARTS(t)), write_file("w.yaml", PARTS(g)), NULL);
        if (cases[i].id)
            state_is(cases[i].id, CHECK_DIFFERS);
        else
            state_is("kl_loss", CHECK_OK);
    }
}

/* verl's file for supervised fine-tuning before Hydra put it together, and what its `optim` gives; lines of verl
 * 0.9.1's own
 * sft_trainer_engine.yaml and optim/fsdp.yaml. It was taken for MindFormers' because of `trainer`. */
static void verl_fine_tuning(void **state)
{
    (void)state;
    static const char own[] = "defaults:\n  - model@model: hf_model\n  - optim@optim: fsdp\n  - _self_\n"
                              "data:\n  train_batch_size: 256 # global batch size\n  train_files: "
                              "~/data/gsm8k/train.parquet\n"
                              "checkpoint:\n  load_contents: ${checkpoint.save_contents}\n"
                              "trainer:\n  default_local_dir: "
                              "checkpoints/${trainer.project_name}/${trainer.experiment_name}\n"
                              "  project_name: gsm8k-sft\n  total_training_steps: null\n  seed: 1\n  nnodes: 1\n";
    static const char optim[] = "optim:\n  optimizer: AdamW\n  lr: 1e-3\n  lr_warmup_steps_ratio: 0.1\n  "
                                "lr_warmup_steps: -1\n"
                                "  weight_decay: 0.01\n  betas: [0.9, 0.999]\n  clip_grad: 1.0\n  "
                                "lr_scheduler_type: cosine\n"
                                "  min_lr_ratio: 0.0\nengine: {dtype: bfloat16}\nmodel:\n  path: ${oc.env:HOME}/m\n";
    struct settings s = {0};
    struct err e;
    assert_int_equal(settings_open(&s, write_file("sft.yaml", PARTS(own)), &e), 0);
    assert_string_equal(s.kind, "verl-yaml");
    assert_int_equal(s.warnings.n, 1);
    assert_non_null(strstr(s.warnings.v[0], "put together by Hydra"));
    settings_release(&s);
    const char *t = write_file("sft_t.yaml", PARTS(own, optim));
    run(t, t, NULL);
    value_is("lr", 0, "1e-3", false);
    value_is("warmup_ratio", 0, "0.1", false);
    value_is("beta2", 0, "0.999", false);
    value_is("compute_dtype", 0, "bfloat16", false);
    value_is("seed", 0, "1", false);
}

/* MindSpeed-RL's scripts name a configuration: two that name different ones were "relevant settings agree". */
static void configuration_named(void **state)
{
    (void)state;
    static const char alone[] = "export HCCL_DETERMINISTIC=true\npython cli/train_grpo.py --config-name grpo_a | tee x";
    static const char more[] = "python cli/train_grpo.py --config-dir=configs --config-name=grpo_b.yaml "
                               "actor_config.lr=2e-6 megatron_training.seq_length=2048\n";
    struct settings s = {0};
    struct err e;
    const char *script = write_file("named.sh", PARTS(alone));
    assert_int_equal(settings_open(&s, script, &e), -1);
    assert_non_null(strstr(e.text, "(grpo_a.yaml, often in configs/)"));
    settings_release(&s);
    assert_int_equal(settings_environment_only(&s, script, &e), 0);
    assert_non_null(settings_env(&s, STR("HCCL_DETERMINISTIC")));
    settings_release(&s);
    assert_int_equal(settings_open(&s, write_file("more.sh", PARTS(more)), &e), 0);
    assert_non_null(strstr(s.warnings.v[0], "(grpo_b.yaml, often in configs/)"));
    assert_true(s.partial); /* what is not overridden is unknown */
    settings_release(&s);
}

/* Lines of NeMo's own megatron_gpt_config.yaml. */
static void nemo_documents(void **state)
{
    (void)state;
    static const char nemo[] = "name: megatron_gpt\ntrainer:\n  devices: 1\n  precision: 16\n  max_steps: "
                               "100000\n  gradient_clip_val: 1.0\n"
                               "exp_manager:\n  checkpoint_callback_params:\n    model_parallel_size: "
                               "${multiply:${model.tensor_model_parallel_size}, "
                               "${model.pipeline_model_parallel_size}}\n"
                               "model:\n  micro_batch_size: 4\n  global_batch_size: 8\n  "
                               "tensor_model_parallel_size: 1\n  encoder_seq_length: 512\n"
                               "  max_position_embeddings: ${.encoder_seq_length}\n  num_layers: 12\n  "
                               "hidden_size: 768\n  layernorm_epsilon: 1e-5\n"
                               "  hidden_dropout: 0.1\n  seed: 1234\n  data:\n    data_prefix: ???\n    "
                               "splits_string: 900,50,50\n"
                               "  optim:\n    name: fused_adam\n    lr: 2e-4\n    betas: \n    - 0.9\n    - "
                               "0.98\n    sched:\n"
                               "      name: CosineAnnealing\n      warmup_steps: 500\n      min_lr: 2e-5\n";
    const char *t = write_file("nemo.yaml", PARTS(nemo));
    run(t, t, NULL);
    assert_string_equal(c.side[0].kind, "nemo-yaml");
    value_is("num_layers", 0, "12", false);
    value_is("beta2", 0, "0.98", false);
    value_is("compute_dtype", 0, "float16", false);
    value_is("clip_grad", 0, "1.0", false);
    value_is("seq_length", 0, "512", false);
    state_is("max_position", CHECK_UNKNOWN);
}

/* MindSpeed-RL: the actor's settings, not those of the reference or the reward model; a part of a document. */
static void reinforcement_documents(void **state)
{
    (void)state;
    static const char own[] = "defaults:\n  - model:\n    - qwen25_7b\nmegatron_training:\n  global_batch_size: 32\n  "
                              "seq_length: 2048\nactor_config:\n  micro_batch_size: 1\n  lr: 1e-6\n  clip_grad: 1.0\n"
                              "ref_config:\n  micro_batch_size: 4\n  lr: 2e-6\n";
    struct settings s;
    struct err e;
    const char *t = write_file("grpo.yaml", PARTS(own));
    run(t, t, NULL);
    assert_string_equal(c.side[0].kind, "mindspeed-rl-yaml");
    value_is("lr", 0, "1e-6", false);
    value_is("clip_grad", 0, "1.0", false);
    value_is("seq_length", 0, "2048", false);
    assert_int_equal(settings_open(&s, write_file("part.sh", PARTS("MODEL_ARGS_NUM_LAYERS=5 source x.sh\n")), &e), -1);
    assert_non_null(strstr(e.text, "expected a launch script"));
    settings_release(&s);
}

/* ---- what the guide advises, the same on both sides or not ---- */

static void guide_is(const char *key, enum check_guide g)
{
    const struct config_check *k = check(key);
    if (k->guide != g)
        fail_msg("%s is %s, not %s", key, check_guide_name(k->guide), check_guide_name(g));
}

/* Two sides alike, and nothing about them as the guide has it. */
static void advice_where_both_agree(void **state)
{
    (void)state;
    static const char full[] = "seed: 42\nload_checkpoint: './ckpt'\n"
                               "runner_config: {epochs: 1, batch_size: 1, sink_size: 1}\n"
                               "lr_schedule: {type: CosineWithWarmUpLR, learning_rate: 1.e-5, lr_end: 1.e-6, "
                                   "warmup_steps: 100}\n"
                               "optimizer: {type: AdamW, betas: [0.8, 0.99], eps: 1.e-6, weight_decay: 0.1}\n"
                               "runner_wrapper: {use_clip_grad: True, max_grad_norm: 2.0}\n"
                               "context: {deterministic: 'ON'}\n"
                               "moe_config: {expert_num: 8, aux_loss_factor: 0.1, use_fused_ops_topkrouter: True}\n"
                               "model:\n  model_config:\n    type: LlamaConfig\n    num_layers: 40\n    num_heads: "
                                   "4\n    hidden_size: 64\n"
                               "    hidden_dropout_prob: 0.1\n    compute_dtype: bfloat16\n    param_init_type: "
                                   "float32\n";
    static const char *const broken[] = {"num_layers", "lr_schedule_type", "warmup_steps", "eps", "beta1", "beta2",
                                         "clip_grad",
                                         "hidden_dropout", "aux_loss_factor", "enable_sdrop"};
    const char *t = write_file("full.yaml", PARTS(full));
    run(t, t, NULL);
    assert_true(c.pass);
    assert_int_equal(c.count[CHECK_DIFFERS] + c.count[CHECK_MISSING], 0);
    for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
        guide_is(broken[i], GUIDE_BROKEN);
        assert_true(check(broken[i])->advised.n > 0);
    }
    state_is("num_layers", CHECK_OK);
    assert_int_equal(c.guide_broken, ARRAY_LEN(broken));
    guide_is("use_fused_ops_topkrouter", GUIDE_SILENT); /* it acts with enable_sdrop only */
    state_is("topkrouter_without_sdrop", CHECK_ADVICE);
    guide_is("attention_dropout", GUIDE_FOLLOWED);
    guide_is("hccl_deterministic", GUIDE_UNKNOWN); /* no environment was given */
    guide_is("ascend_launch_blocking", GUIDE_UNKNOWN);
    assert_int_equal(c.guide_unknown, 2);

    struct buf b = {0};
    struct document d;
    document_begin(&d);
    settings_section(&d, &c, SETTINGS_FOUND);
    write_text_end(&b, &d);
    assert_non_null(strstr(b.p, "recommended by the guide: 2"));
    assert_non_null(strstr(b.p, "recommended by the guide: 0.95"));
    buf_release(&b);

    golden_env = env_good;
    run_waived(t, t, env_good, &(struct config_waiver){"C001", "the cluster's run"}, 1);
    golden_env = NULL;
    state_is("num_layers", CHECK_WAIVED);
    assert_int_equal(c.guide_broken, ARRAY_LEN(broken) - 1);
    assert_int_equal(c.guide_unknown, 0);
    guide_is("hccl_deterministic", GUIDE_FOLLOWED);
}

/* All as the guide has it: nothing is said. */
static void advice_followed(void **state)
{
    (void)state;
    static const char small[] = "seed: 42\nload_checkpoint: './ckpt'\nrunner_config: {epochs: 1, batch_size: 1, "
        "sink_size: 1}\n"
                                "lr_schedule: {type: ConstantWarmUpLR, learning_rate: 1.e-5, warmup_steps: 0}\n"
                                "runner_wrapper: {use_clip_grad: True}\ncontext: {deterministic: 'ON'}\n"
                                "moe_config: {expert_num: 8, aux_loss_factor: 0.04, enable_sdrop: True, "
                                    "use_fused_ops_topkrouter: True}\n"
                                "parallel_config: {data_parallel: 1, model_parallel: 1, pipeline_stage: 1}\n";
    const char *t = MF(small, mf_optimizer, mf_data, mf_model);
    golden_env = env_good;
    run(t, t, env_good);
    golden_env = NULL;
    assert_int_equal(c.guide_broken + c.guide_unknown, 0);
    guide_is("aux_loss_factor", GUIDE_FOLLOWED);
    guide_is("use_fused_ops_topkrouter", GUIDE_FOLLOWED);
}

static int setup(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch());
    msg_language("en");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    config_compare_release(&c);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned),         cmocka_unit_test(planted),     cmocka_unit_test(consequences),
        cmocka_unit_test(experts),         cmocka_unit_test(recommendations), cmocka_unit_test(environment),
        cmocka_unit_test(missing_and_unknown), cmocka_unit_test(waived),  cmocka_unit_test(unmapped),
        cmocka_unit_test(same_framework),  cmocka_unit_test(huggingface), cmocka_unit_test(writers),
        cmocka_unit_test(megatron_documents), cmocka_unit_test(verl_documents),
        cmocka_unit_test(verl_reinforcement),
        cmocka_unit_test(verl_fine_tuning), cmocka_unit_test(configuration_named), cmocka_unit_test(nemo_documents),
        cmocka_unit_test(reinforcement_documents),
        cmocka_unit_test(advice_where_both_agree), cmocka_unit_test(advice_followed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
