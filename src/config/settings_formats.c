/* Every form settings come in, one row each. Documents stand last: whatever nobody else knows is read as YAML. */
#include "base/msg.h"
#include "config/settings.h"

const struct settings_format settings_formats[] = {
    {.name = "megatron-args", .title = N_("arguments as Megatron-LM prints them in its log"),
     .what = "------------------------ arguments ------------------------ …", .dialect = DIALECT_MEGATRON,
     .sections = SECTION_MODEL | SECTION_TRAINING, .sniff = printed_arguments_sniff, .read = printed_arguments_read,
     .head = true},
    {.name = "environment", .title = N_("environment of a process: what env prints"), .what = "NAME=value …",
     .sniff = environment_sniff, .read = environment_read},
    {.name = "shell-script", .title = N_("launch script of Megatron-LM, MindSpeed: arguments and exports"),
     .what = "*.sh: torchrun … pretrain_gpt.py --num-layers …", .dialect = DIALECT_MEGATRON,
     .sections = SECTION_MODEL | SECTION_TRAINING, .sniff = launch_script_sniff, .read = launch_script_read},
    {.name = "mindformers-yaml", .title = N_("MindFormers configuration"),
     .what = "*.yaml: runner_config, model.model_config …",
     .dialect = DIALECT_MINDFORMERS, .sections = SECTION_MODEL | SECTION_TRAINING, .prefix = "",
     .mark = {"model.model_config.", "runner_config.", "train_dataset.", "parallel_config.", "trainer.",
              "runner_wrapper."}},
    {.name = "training-args", .title = N_("Hugging Face TrainingArguments, LLaMA-Factory"),
     .what = "training_args.json, *.yaml: per_device_train_batch_size …", .dialect = DIALECT_HF,
     .sections = SECTION_TRAINING,
     .prefix = "args.",
     .mark = {"per_device_train_batch_size", "num_train_epochs", "lr_scheduler_type", "gradient_accumulation_steps",
              "adam_epsilon"}},
    {.name = "hf-config", .title = N_("Hugging Face model configuration"), .what = "config.json", .dialect = DIALECT_HF,
     .sections = SECTION_MODEL, .prefix = "config.",
     .mark = {"architectures", "model_type", "num_hidden_layers", "num_attention_heads", "hidden_size", "n_embd"}},
    {0},
};
