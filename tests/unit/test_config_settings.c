/* Files of settings: every form, its odd spellings, and files made to hurt. */
#include "support.h"

#include "base/mem.h"
#include "config/settings.h"

static char dir[256];

static const char *text_file(const char *name, const char *text)
{
    return put_text(dir, name, text);
}

static struct settings s;

static void open_text(const char *name, const char *text)
{
    struct err e;
    settings_release(&s);
    if (settings_open(&s, text_file(name, text), &e))
        fail_msg("%s", e.text);
}

static void refused_bytes(const char *text, size_t n, const char *part)
{
    struct err e = {0};
    settings_release(&s);
    assert_int_equal(settings_open(&s, put_bytes(dir, "refused", text, n), &e), -1);
    if (!strstr(e.text, part))
        fail_msg("\"%s\" does not say \"%s\"", e.text, part);
}

static void refused(const char *text, const char *part)
{
    refused_bytes(text, strlen(text), part);
}

static void has(const char *key, const char *value)
{
    const struct setting *x = settings_find(&s, str_of(key));
    if (!x)
        fail_msg("%s is not there", key);
    if (!str_is(x->value, value))
        fail_msg("%s is \"%.*s\", not \"%s\"", key, STR_ARG(x->value), value);
}

static void lacks(const char *key)
{
    if (settings_find(&s, str_of(key)))
        fail_msg("%s is there", key);
}

static void variable(const char *name, const char *value)
{
    const struct setting *x = settings_env(&s, str_of(name));
    if (value ? !x || !str_is(x->value, value) : x != NULL)
        fail_msg("%s is not %s", name, value ? value : "absent");
}

/* ---- documents ---- */

static void yaml(void **state)
{
    (void)state;
    open_text("a.yaml",
              "%YAML 1.1\n---\nseed: 42   # a remark\nload_checkpoint: ''\nlr_schedule: {learning_rate: 1.e-5, lr_end: "
              "0.0}\n"
              "optimizer:\n  betas: [0.9, 0.95]\n  eps: 1.0E-08\nrunner_config:\n  batch_size: 1\n"
              "train_dataset: &data\n  data_loader:\n    sizes:\n      - 40000 # samples\n      - 0\n"
              "train_dataset_task:\n  dataset_config: *data\n"
              "parallel_config:\n  data_parallel: &dp 8\nparallel:\n  dataset_strategy: [[*dp, 1], [*dp, 1]]\n"
              "callbacks:\n  - type: MFLossMonitor\n    per_print_times: 1\n  - type: CheckpointMonitor\n    prefix: "
              "\"x\"\n"
              "context:\n  ascend_config:\n    ge_options:\n      global:\n        ge.opSelectImplmode: "
              "high_precision\n");
    assert_string_equal(s.kind, "mindformers-yaml");
    assert_int_equal(s.dialect, DIALECT_MINDFORMERS);
    assert_int_equal(s.platform, PLATFORM_NPU);
    has("seed", "42");
    has("lr_schedule.learning_rate", "1.e-5");
    has("optimizer.betas", "[0.9, 0.95]");
    has("optimizer.betas[1]", "0.95");
    has("optimizer.eps", "1.0E-08");
    has("train_dataset.data_loader.sizes[0]", "40000");
    has("train_dataset_task.dataset_config.data_loader.sizes[0]", "40000");
    has("parallel_config.data_parallel", "8");
    has("parallel.dataset_strategy[1][0]", "8");
    has("callbacks[0].per_print_times", "1");
    has("callbacks.per_print_times", "1");
    has("callbacks.prefix", "x");
    has("context.ascend_config.ge_options.global.ge.opSelectImplmode", "high_precision");
    assert_int_equal(settings_find(&s, STR("load_checkpoint"))->state, SETTING_NULL);
    assert_int_equal(settings_find(&s, STR("seed"))->line, 3);
}

static void merged(void **state)
{
    (void)state;
    open_text("a.yaml", "base: &b {batch_size: 1, epochs: 2}\nrunner_config:\n  epochs: 3\n  <<: *b\nx: *b\n");
    has("runner_config.batch_size", "1");
    has("runner_config.epochs", "3"); /* what is said here beats what is merged */
    has("x.epochs", "2");
    refused("runner_config:\n  <<: 3\n", "<<");
}

static void json(void **state)
{
    (void)state;
    open_text("config.json",
              "{\n\t\"architectures\": [\"LlamaForCausalLM\"],\n\t\"hidden_size\": 4096, \"rms_norm_eps\": 1e-05,\n"
              "\t\"rope_scaling\": null, \"rope_parameters\": {\"rope_theta\": 10000.0}, \"tie_word_embeddings\": "
              "false\n}\n");
    assert_string_equal(s.kind, "hf-config");
    assert_int_equal(s.sections, SECTION_MODEL);
    has("config.rms_norm_eps", "1e-05");
    has("config.rope_parameters.rope_theta", "10000.0");
    assert_int_equal(settings_find(&s, STR("config.rope_scaling"))->state, SETTING_NULL);
    open_text("t.yaml", "learning_rate: 1.0e-4\nper_device_train_batch_size: 1\nlr_scheduler_type: cosine\n");
    assert_string_equal(s.kind, "training-args");
    has("args.learning_rate", "1.0e-4");
}

static void folder(void **state)
{
    (void)state;
    char sub[300], path[400];
    struct err e;
    snprintf(sub, sizeof sub, "%s/hf", dir);
    snprintf(path, sizeof path, "mkdir -p %s", sub);
    assert_int_equal(system(path), 0);
    settings_release(&s);
    assert_int_equal(settings_open(&s, sub, &e), -1);
    assert_non_null(strstr(e.text, "config.json"));
    text_file("hf/config.json", "{\"model_type\": \"llama\", \"hidden_size\": 8}");
    text_file("hf/training_args.json", "{\"num_train_epochs\": 3}");
    settings_release(&s);
    if (settings_open(&s, sub, &e))
        fail_msg("%s", e.text);
    has("config.hidden_size", "8");
    has("args.num_train_epochs", "3");
    assert_int_equal(s.sections, SECTION_MODEL | SECTION_TRAINING);
}

static void bad_documents(void **state)
{
    (void)state;
    struct buf b = {0};
    refused("", "no known setting found");
    refused("just a text\n", "single text");
    refused("- a\n- b\n", "no known setting found");
    refused("a: b\n", "no known setting found");
    refused("runner_config: [1, 2\n", "line");
    refused("runner_config: {a: &x {b: *x}}\n", "anchor");
    refused("runner_config: *nobody\n", "anchor");
    refused_bytes("runner_config:\n  a: \0\n", 22, "byte 20");
    for (int i = 0; i < 100000; i++)
        buf_char(&b, '[');
    refused(b.p, "64 nested levels");
    buf_clear(&b);
    buf_cstr(&b, "a: &a [x,x,x,x,x,x,x,x,x]\n"); /* nine to the twelfth values */
    for (int i = 0; i < 12; i++)
        buf_fmt(&b, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", 'b' + i, 'b' + i, 'a' + i, 'a' + i, 'a' + i,
                'a' + i, 'a' + i, 'a' + i, 'a' + i, 'a' + i, 'a' + i);
    refused(b.p, "20000");
    /* the same again and again adds nothing, but is work and memory: replaced, merged, one long text many times */
    static const char *const again[] = {"x: *a\n", "y: {z: 1, <<: *a}\n"};
    for (size_t k = 0; k < ARRAY_LEN(again); k++) {
        buf_clear(&b);
        buf_cstr(&b, "a: &a\n");
        for (int i = 0; i < 2000; i++)
            buf_fmt(&b, "  k%d: v\n", i);
        for (int i = 0; i < 100000; i++)
            buf_cstr(&b, again[k]);
        refused(b.p, "32 MB");
    }
    buf_clear(&b);
    buf_cstr(&b, "a: &a ");
    for (int i = 0; i < 1 << 20; i++)
        buf_char(&b, 'x');
    for (int i = 0; i < 1000; i++)
        buf_fmt(&b, "\nb%d: *a", i);
    refused(b.p, "32 MB");
    buf_clear(&b);
    for (int i = 0; i < 5 << 20; i++)
        buf_char(&b, 'x');
    refused(b.p, "larger than 4 MB");
    buf_release(&b);
}

/* ---- printed arguments ---- */

#define HEAD "------------------------ arguments ------------------------\n"
#define TAIL "-------------------- end of arguments ---------------------\n"

static void printed(void **state)
{
    (void)state;
    open_text("a.log", "using world size: 8\n" HEAD
                       "  adam_beta1 ...................................... 0.9\n"
                       "  adam_beta2 ...................................... 0.95\n"
                       "  data_path ....................................... ['/a b/c']\n"
                       "  inference_dynamic_batching_buffer_guaranteed_fraction  0.2\n"
                       "  lr .............................................. 1e-05\n"
                       "  num_experts ..................................... None\n"
                       "  wandb_project ................................... \n"
                       "Warning: a line of somebody else's\n"
                       "  layernorm_epsilon ............................... 1e-06\n" TAIL
                       " iteration 1/ 10 | lr: 9 |\n  seed ............................................ 7\n");
    assert_string_equal(s.kind, "megatron-args");
    has("lr", "1e-05");
    has("data_path", "['/a b/c']");
    has("inference_dynamic_batching_buffer_guaranteed_fraction", "0.2");
    has("norm_epsilon", "1e-06"); /* by its newer name */
    lacks("seed");
    assert_true(settings_find(&s, STR("adam_beta1"))->dflt);
    assert_false(settings_find(&s, STR("adam_beta2"))->dflt);
    assert_int_equal(settings_find(&s, STR("num_experts"))->state, SETTING_NULL);
    assert_int_equal(settings_find(&s, STR("lr"))->line, 7);
    assert_int_equal(s.platform, PLATFORM_GPU);
    assert_int_equal(s.warnings.n, 0);
}

static void printed_prefixed(void **state)
{
    (void)state;
    open_text("a.log",
              "[default0]:" HEAD "[default0]:  lr ....... 3\n[default1]:  lr ....... 4\nhost7:  seed ....... 5\n");
    has("lr", "4");
    has("seed", "5");
    assert_int_equal(s.warnings.n, 1); /* it has no end */
    refused(HEAD "nothing\n" TAIL, "expected arguments");
}

static void printed_long_line(void **state)
{
    (void)state;
    struct buf b = {0};
    struct err e;
    buf_cstr(&b, HEAD "  lr ....... 3\n");
    buf_reserve(&b, 100u << 20);
    memset(b.p + b.n, 'x', 100u << 20);
    b.n += 100u << 20;
    settings_release(&s);
    assert_int_equal(settings_open(&s, put_bytes(dir, "long.log", b.p, b.n), &e), 0);
    has("lr", "3");
    buf_release(&b);
    remove(s.path);
}

/* ---- scripts ---- */

static void script(void **state)
{
    (void)state;
    open_text("a.sh",
              "#!/bin/bash\n# --num-layers 99\nexport NCCL_ALGO=Ring PYTHONHASHSEED=\"1 2\"\nGPUS=8; NODES=2\n"
              "MASTER=${MASTER_ADDR:-localhost}\nWORLD=$(($GPUS*$NODES+1))\nSEQ=$((1024*4))\n"
              "A=(\n  --num-layers 2 # depth\n  --hidden-size \"40\"'96'\n  --data-path '/a b' 0.5\n)\nA+=(--seed 7)\n"
              "B=\"\n  --lr 1.0e-5 \\\n  --adam-beta2=0.95\n  --bf16 \\\n\"\nB+=' --weight-decay 0.1'\n"
              "cat <<EOF >ds.json\npretrain.py --lr 5 --seed 5\nEOF\n"
              "X=1 torchrun --nproc_per_node $GPUS --nnodes=$NODES pretrain_gpt.py \\\n  ${A[@]} $B --seq-length "
              "${SEQ} "
              "--world $WORLD --master $MASTER --no-rope-fusion 2>&1 | tee a.log\n");
    assert_string_equal(s.kind, "shell-script");
    has("num_layers", "2");
    has("hidden_size", "4096");
    has("data_path", "/a b 0.5");
    has("seed", "7");
    has("lr", "1.0e-5");
    has("adam_beta2", "0.95");
    has("bf16", "True");
    has("weight_decay", "0.1");
    has("seq_length", "4096");
    has("world", "17");
    has("master", "localhost");
    has("apply_rope_fusion", "False");
    has("launcher.nproc_per_node", "8");
    has("launcher.nnodes", "2");
    assert_true(str_is(settings_find(&s, STR("apply_rope_fusion"))->spelled, "--no-rope-fusion"));
    variable("NCCL_ALGO", "Ring");
    variable("PYTHONHASHSEED", "1 2");
    variable("X", "1");
    variable("GPUS", NULL);
    assert_int_equal(s.platform, PLATFORM_GPU);
}

static void script_open(void **state)
{
    (void)state;
    open_text("a.sh", "#!/bin/sh\nLR=$1\nN=`nproc`\nif [ $2 ]; then L=2; else L=4; fi\n"
                      "run=\"python train.py --num-layers $L --lr ${LR} --workers $N --bf16 --seed $SEED "
                      "$EXTRA\"\neval $run\n");
    has("num_layers", "4");
    assert_int_equal(settings_find(&s, STR("lr"))->state, SETTING_OPEN);
    assert_int_equal(settings_find(&s, STR("workers"))->state, SETTING_OPEN);
    assert_int_equal(settings_find(&s, STR("seed"))->state, SETTING_OPEN);
    assert_int_equal(settings_find(&s, STR("bf16"))->state, SETTING_TEXT);
    assert_int_equal(s.warnings.n, 2); /* of the branch, of $EXTRA */
    assert_false(s.partial);
    open_text("b.sh", "#!/bin/sh\nsource models/a.sh\npython train.py ${MODEL_ARGS[@]} --lr 1 --num-layers 2\n");
    assert_true(s.partial); /* the model's options are in the other file */
}

static void script_choices(void **state)
{
    (void)state;
    /* the command with the most options starts training; a text given to a shell is read too */
    open_text("a.sh", "python convert.py --lr 1\nbash -c \"python x.py --lr 3 --seed 4\"\n");
    has("lr", "3");
    has("seed", "4");
    /* arguments without a command: another script takes them */
    open_text("args.sh", "MODEL_ARGS=(\n --num-layers 2\n)\nDATA_ARGS=\"--seed 3\"\nOTHER=x\n");
    has("num_layers", "2");
    has("seed", "3");
    open_text("n.sh", "export HCCL_DETERMINISTIC=true\ntorchrun pretrain_gpt.py --use-fused-rmsnorm --lr 1\n");
    assert_int_equal(s.platform, PLATFORM_NPU);
}

/* Arguments of Hugging Face's trainer were taken for Megatron's: "lr: set on one side only", and its defaults. */
static void script_of_a_trainer(void **state)
{
    (void)state;
    open_text("hf.sh", "deepspeed --num_gpus 8 finetune.py --learning_rate 1e-5 --per_device_train_batch_size 4 "
                       "--bf16 False --adam_beta2=0.95\n");
    assert_int_equal(s.dialect, DIALECT_HF);
    assert_int_equal(s.sections, SECTION_TRAINING);
    assert_false(s.partial);
    has("args.learning_rate", "1e-5");
    has("args.bf16", "False");
    has("args.adam_beta2", "0.95");
    has("launcher.num_gpus", "8");
    open_text("swift.sh", "#!/bin/sh\nswift sft --model x --num_train_epochs 2\n");
    has("args.num_train_epochs", "2");
    open_text("both.sh", "torchrun pretrain_gpt.py --num-layers 2 --gradient-accumulation-steps 2\n");
    assert_int_equal(s.dialect, DIALECT_MEGATRON);
    has("num_layers", "2");
}

/* A program that is not known was judged with Megatron's defaults, and so was MindFormers' launcher, whose settings are
 * in its yaml. */
static void script_of_another_program(void **state)
{
    (void)state;
    open_text("own.sh", "python train.py --lr 1e-5\n");
    assert_true(s.partial);
    has("lr", "1e-5");
    open_text("megatron.sh", "megatron sft --model x --lr 1e-5 --tensor_model_parallel_size 2\n");
    assert_true(s.partial); /* the rest is in the model's folder */
    refused("bash scripts/msrun_launcher.sh \"run_mindformer.py --config configs/x.yaml --run_mode train\" 8\n",
            "the settings are in the configuration that the script names");
    refused("llamafactory-cli train x.yaml\n", "open that file instead (x.yaml");
}

static void names_of_other_documents(void **state)
{
    (void)state;
    open_text("ds.json", "{\"train_micro_batch_size_per_gpu\": \"auto\", \"gradient_accumulation_steps\": 8, "
                         "\"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-5, \"betas\": [0.9, 0.95]}}, "
                         "\"bf16\": {\"enabled\": true}}");
    assert_string_equal(s.kind, "deepspeed-config");
    assert_true(s.partial); /* the trainer's own arguments say the rest */
    has("args.learning_rate", "1e-5");
    has("args.adam_beta2", "0.95");
    has("args.bf16", "true");
    assert_int_equal(settings_find(&s, STR("args.per_device_train_batch_size"))->state, SETTING_OPEN);
    open_text("a.yml", "base_model: x\nmicro_batch_size: 4\nlr_scheduler: cosine\ngradient_accumulation_steps: 8\n");
    assert_string_equal(s.kind, "axolotl-yaml");
    has("args.per_device_train_batch_size", "4");
    has("args.lr_scheduler_type", "cosine");
}

/* Programs of no form of their own: what they do not say is unknown, where a trainer's defaults were taken for it. */
static void names_that_many_programs_have(void **state)
{
    (void)state;
    open_text("torchtune.yaml", "seed: 42\nbatch_size: 2\noptimizer: {_component_: torch.optim.AdamW, lr: 2e-5}\n"
                                "gradient_accumulation_steps: 8\nclip_grad_norm: 1.0\n");
    assert_string_equal(s.kind, "training-program");
    assert_true(s.partial);
    has("args.learning_rate", "2e-5");
    has("args.max_grad_norm", "1.0");
    open_text("litgpt.yaml", "optimizer: {init_args: {lr: 2e-5, betas: [0.9, 0.95]}}\ntrain: {max_norm: 1.0}\n");
    has("args.adam_beta2", "0.95");
    open_text("own.json", "{\"hidden_size\": 512, \"num_layers\": 2, \"lr\": 2e-5}");
    assert_string_equal(s.kind, "hf-config"); /* the rate was left out */
    has("config.hidden_size", "512");
    has("args.learning_rate", "2e-5");
    assert_true(s.partial);
    open_text("a.sh", "accelerate launch train_dreambooth.py --learning_rate=2e-5 --gradient_accumulation_steps 4\n");
    has("args.learning_rate", "2e-5");
    assert_true(s.partial);
    open_text("b.sh", "deepspeed --module openrlhf.cli.train_sft --max_len 2048 --learning_rate 2e-5\n");
    has("args.learning_rate", "2e-5");
}

/* Objects of arguments in a log; the lines of the first were taken for an environment. */
static void printed_objects(void **state)
{
    (void)state;
    open_text("hf.log", "01/02/2025 10:00:00 - INFO - __main__ - Training/evaluation parameters TrainingArguments(\n"
                        "_n_gpu=1,\nadam_beta2=0.95,\nfsdp_config={'min_num_params': 0, 'xla': False},\n"
                        "learning_rate=2e-05,\nlr_scheduler_type=SchedulerType.LINEAR,\noutput_dir=/tmp/a,b,\n"
                        "hub_token=<HUB_TOKEN>,\nper_device_train_batch_size=2,\n)\n"
                        "{'loss': 2.3, 'learning_rate': 1e-05, 'epoch': 0.1}\n");
    assert_string_equal(s.kind, "training-args");
    has("args.learning_rate", "2e-05");
    has("args.lr_scheduler_type", "linear");
    has("args.output_dir", "/tmp/a,b");
    assert_int_equal(settings_find(&s, STR("args.learning_rate"))->line, 5);
    open_text("a.log", "INFO Namespace(lr=2e-05, betas=(0.9, 0.95), name='a, b', seed=None, hidden_size=512)\n");
    has("args.learning_rate", "2e-05");
    has("args.adam_beta2", "0.95");
    has("config.name", "a, b");
    refused("Namespace(lr=2e-05, betas=(0.9\n", "expected settings");
    refused("Namespace(lr=, seed)\n", "expected settings");
}

static void bad_scripts(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_cstr(&b, "#!/bin/sh\nA=xxxxxxxxxxxxxxxxxxxxxxxxxx\n");
    for (int i = 0; i < 60; i++)
        buf_cstr(&b, "A=$A$A$A$A\n");
    refused(b.p, "expand to more than");
    buf_clear(&b);
    buf_cstr(&b, "#!/bin/sh\nA=");
    for (int i = 0; i < 1000; i++)
        buf_cstr(&b, "${B:-");
    refused(b.p, "32 nested levels");
    buf_clear(&b);
    buf_cstr(&b, "#!/bin/sh\nA=$((");
    for (int i = 0; i < 10000; i++)
        buf_char(&b, '(');
    buf_cstr(&b, "1/0");
    for (int i = 0; i < 10000; i++)
        buf_char(&b, ')');
    buf_cstr(&b, "))\npython a.py --lr $A --seed $((9223372036854775807*3)) --x \"unclosed\n");
    open_text("a.sh", b.p);
    assert_int_equal(settings_find(&s, STR("lr"))->state, SETTING_OPEN);
    assert_int_equal(settings_find(&s, STR("seed"))->state, SETTING_OPEN);
    has("x", "unclosed\n");
    buf_release(&b);
    refused("#!/bin/sh\nls\n", "expected a launch script, found no command with options of a training program");
}

/* ---- environments ---- */

static void environments(void **state)
{
    (void)state;
    struct err e;
    open_text("a.yaml", "runner_config: {epochs: 1}\n");
    assert_false(s.env_known);
    assert_int_equal(settings_environment(&s,
                                          text_file("env", "PATH=/bin\nHCCL_DETERMINISTIC=true\nF=() { x;\n}\nA=b=c\n"),
                                          &e),
                     0);
    assert_true(s.env_known);
    variable("HCCL_DETERMINISTIC", "true");
    variable("A", "b=c");
    assert_int_equal(settings_environment(&s, text_file("run.sh", "#!/bin/sh\nexport B=1\nC=2\n"), &e), 0);
    variable("B", "1");
    variable("C", NULL);
    assert_int_equal(settings_environment_text(&s, "-", STR("declare -x D=\"4\"\n"), &e), 0);
    variable("D", "4");
    assert_int_equal(settings_environment(&s, text_file("none", "no such thing\n"), &e), -1);
    assert_int_equal(settings_environment(&s, "/nonexistent/env", &e), -1);
    refused("PATH=/bin\nA=b\n", "--target-env");
}

static int setup(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch());
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    settings_release(&s);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yaml),          cmocka_unit_test(merged),           cmocka_unit_test(json),
        cmocka_unit_test(folder),        cmocka_unit_test(bad_documents),    cmocka_unit_test(printed),
        cmocka_unit_test(printed_prefixed), cmocka_unit_test(printed_long_line), cmocka_unit_test(script),
        cmocka_unit_test(script_open),   cmocka_unit_test(script_of_a_trainer),
        cmocka_unit_test(script_of_another_program), cmocka_unit_test(names_of_other_documents),
        cmocka_unit_test(names_that_many_programs_have), cmocka_unit_test(printed_objects),
        cmocka_unit_test(script_choices),   cmocka_unit_test(bad_scripts),
        cmocka_unit_test(environments),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
