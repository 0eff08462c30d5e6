/* Every kind of log, one row each; a new one is a row here and its functions. */
#include "base/msg.h"
#include "log/series_builder.h"

const struct log_format log_formats[] = {
    {.name = "tensorboard", .title = N_("TensorBoard event files (Megatron, MindFormers, Trainer)"),
     .what = "events.out.tfevents.*", .versions = "TensorBoard 1.x, 2.x",
     .unread = N_("images, histograms, graphs; records of more than 1 MB"), .overlay = true, .sniff = tfevents_sniff, .read = tfevents_read},
    {.name = "trainer-state", .framework = "pytorch", .title = N_("Hugging Face Trainer's saved state"), .what = "trainer_state.json",
     .versions = "transformers 4, 5",
     .loss_is_mean = true, .sniff = trainer_state_sniff, .read = trainer_state_read},
    {.name = "msprobe-monitor", .title = N_("msprobe monitor's statistics of every weight and step"),
     .what = "grad_reduced_A-B.csv, grad_unreduced_…, weight_grad_stepA-B.csv …",
     .versions = "msprobe to 26.2", .unread = N_("its anomaly files and databases"), .sniff = monitor_sniff, .read = monitor_read},
    {.name = "megatron-log", .framework = "pytorch", .title = N_("training log of Megatron-LM and MindSpeed (v1.0 to core 0.19)"),
     .versions = "v1.0 to core 0.19", .what = "iteration N/ TOTAL | … | number of nan iterations: 0 |", .lr_is_next = true, .loss_is_mean = true,
     .starts = megatron_starts, .take = megatron_take, .join = 16},
    {.name = "megatron-log", .starts = megatron_valid_starts, .take = megatron_valid_take},
    {.name = "mindformers-log", .framework = "mindspore", .title = N_("training log of MindFormers (0.3 to 1.8)"),
     .versions = "MindFormers 0.3 to 1.8", .what = "worker_N.log, rank_N/info.log: { Epoch:[…], step:[…], loss: …", .starts = mindformers_starts,
     .take = mindformers_take, .join = 16},
    {.name = "trainer-log", .framework = "pytorch", .title = N_("JSON lines of LLaMA-Factory and ms-swift"),
     .versions = "LLaMA-Factory, ms-swift", .what = "trainer_log.jsonl, logging.jsonl", .loss_is_mean = true, .starts = trainer_jsonl_starts, .take = trainer_jsonl_take},
    {.name = "trainer", .framework = "pytorch", .title = N_("Hugging Face Trainer on standard output"), .what = "{'loss': …, 'epoch': …}",
     .versions = "transformers 4, 5",
     .stepless = true, .loss_is_mean = true, .starts = trainer_starts, .take = trainer_take, .join = 16},
    {.name = "local-norm", .title = N_("local norms as MindSpore, MindFormers and the guide's patch of Megatron print them"),
     .what = "dump local norm: …, norm_size: … local_norm: […], print torch local norm: […]",
     .versions = "MindSpore 2, MindFormers 1", .starts = norm_line_starts, .take = norm_line_take},
    {.name = "local-norm", .starts = norm_list_starts, .take = norm_list_take, .join = 100000},
    {0},
};
