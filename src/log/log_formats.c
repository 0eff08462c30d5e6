/* The table of log formats; a new format is a row here and its functions. */
#include "base/msg.h"
#include "log/drawn_table.h"
#include "log/loss_array.h"
#include "log/loss_document.h"
#include "log/series_builder.h"

const struct log_format log_formats[] = {
    {.name = "tensorboard", .title = N_("TensorBoard event files (Megatron, MindFormers, Trainer)"),
     .what = "events.out.tfevents.*", .versions = "TensorBoard 1.x, 2.x",
     .unread = N_("images, histograms, graphs; records of more than 1 MB"), .overlay = true, .sniff = tfevents_sniff,
     .read = tfevents_read},
    {.name = "trainer-state", .framework = "pytorch", .title = N_("saved state of Hugging Face Trainer"),
     .what = "trainer_state.json",
     .versions = "transformers 4, 5",
     .loss_is_mean = true, .sniff = trainer_state_sniff, .read = trainer_state_read},
    {.name = "msprobe-monitor", .title = N_("statistics of every weight and step by msprobe monitor"),
     .what = "grad_reduced_A-B.csv, grad_unreduced_…, weight_grad_stepA-B.csv …",
     .versions = "msprobe to 26.2", .sniff = monitor_sniff,
     .read = monitor_read},
    {.name = "msprobe-monitor-db", .title = N_("the same statistics in a database of msprobe data2db (SQLite)"),
     .what = "monitor_data.trend.db", .versions = "msprobe 26.2", .unread = N_("tags"), .sniff = monitor_db_sniff,
     .read = monitor_db_read},
    {.name = "msprobe-anomalies", .title = N_("reports of the rules of msprobe monitor"),
     .what = "anomaly_detected/rankN/anomaly.json, anomaly_analyse.json", .versions = "msprobe 26.2",
     .unread = N_("micro steps, stages, order of calls"), .sniff = monitor_anomalies_sniff,
     .read = monitor_anomalies_read},
    {.name = "norm-table", .title = N_("norms by the names of the weights: tables, dictionaries, pairs"),
     .what = "step,name,norm   | name | grad_norm |   ('layers.0.wq.weight', 2.93)   {'layers.0.wq.weight': 2.93}",
     .sniff = norm_table_sniff, .read = norm_table_read},
    {.name = "deepspeed-monitor", .framework = "pytorch", .title = N_("CSV files of DeepSpeed's monitor, one value per "
                                                                       "file, numbered by samples"),
     .what = "csv_monitor/JOB/Train_Samples_train_loss.csv, …_lr.csv", .versions = "DeepSpeed 0.18", .overlay = true,
     .sniff = samples_table_sniff, .read = samples_table_read},
    {.name = "value-table", .title = N_("table with columns for step and for loss, norm or learning rate"),
     .what = "metrics.csv: step,train_loss,lr …", .overlay = true, .sniff = value_table_sniff,
         .read = value_table_read},
    {.name = "wandb", .title = N_("W&B run file"), .what = "run-ID.wandb", .versions = "wandb 0.31",
     .unread = N_("system metrics, consoles, media; records of more than 1 MB"), .overlay = true, .sniff = wandb_sniff,
     .read = wandb_read},
    {.name = "mlflow", .title = N_("metric files of MLflow, one metric per file"), .what = "mlruns/*/*/metrics/loss",
     .overlay = true, .sniff = mlflow_sniff, .read = mlflow_read},
    {.name = "loss-document", .title = N_("lists and dictionaries of losses in JSON, Megatron's golden values"),
     .what = "*.json: [10.2, 9.8]   {\"lm loss\": [10.2, 9.8]}   {\"1\": 10.2}   [{\"step\": 1, \"loss\": 10.2}]   "
             "golden_values*.json", .overlay = true,
     .sniff = loss_document_sniff, .read = loss_document_read},
    {.name = "drawn-table", .title = N_("tables drawn with bars, tabs or wide gaps, with columns for step and loss"),
     .what = "| step | loss |   │ epoch │ train loss │", .overlay = true, .read = drawn_table_read},
    {.name = "loss-columns", .title = N_("columns of numbers: losses, or steps and losses"),
     .what = "1 8.049097", .overlay = true, .read = loss_columns_read},
    {.name = "printed-lists", .title = N_("lists of losses in a text, as Python prints them"),
     .what = "losses: [2.3, 2.1]   [tensor(2.3), tensor(2.1)]   steps = [10, 20]", .overlay = true,
     .read = printed_lists_read},
    {.name = "loss-array", .title = N_("losses as arrays of NumPy or torch, or as lists in their files"),
     .what = "*.npy *.npz *.pt *.pkl: one array or list, or those named loss, step, grad_norm, lr", .overlay = true,
     .read = loss_array_read},
    {.name = "step-lines", .framework = "pytorch", .title = N_("log lines of TorchTitan, verl, DeepSpeed, NeMo and "
                                                               "slime, one per step"),
     .what = "step: N loss: X grad_norm: Y …",
     .versions = "TorchTitan 0.3, verl 0.9, DeepSpeed 0.16 to 0.19, NeMo 1 and 2, "
         "slime",
     .overlay = true, .words = step_line_words, .starts = step_line_starts, .take = step_line_take},
    {.name = "step-lines", .words = darknet_words, .take = darknet_take},
    {.name = "megatron-log", .framework = "pytorch",
     .title = N_("training log of Megatron-LM and MindSpeed (v1.0 to core 0.19)"),
     .versions = "v1.0 to core 0.19", .what = "iteration N/ TOTAL | … | number of nan iterations: 0 |",
     .lr_is_next = true, .loss_is_mean = true,
     .words = megatron_words, .take = megatron_take, .join = 16},
    {.name = "megatron-log", .words = megatron_valid_words, .take = megatron_valid_take},
    {.name = "mindformers-log", .framework = "mindspore", .title = N_("training log of MindFormers (0.3 to 1.8)"),
     .versions = "MindFormers 0.3 to 1.8", .what = "worker_N.log, rank_N/info.log: { Epoch:[…], step:[…], loss: …",
     .words = mindformers_words,
     .take = mindformers_take, .join = 16},
    {.name = "mindspore-outputs", .framework = "mindspore",
     .title = N_("what a step returns, as the callbacks of MindSpore's BERT, GPT and PanGu print it"),
     .what = "step: 1, outputs are (Tensor(shape=[], dtype=Float32, value= 10.25), …", .words = mindspore_outputs_words,
     .take = mindspore_outputs_take},
    {.name = "trainer-log", .framework = "pytorch", .title = N_("JSON lines of LLaMA-Factory and ms-swift"),
     .versions = "LLaMA-Factory, ms-swift", .what = "trainer_log.jsonl, logging.jsonl", .loss_is_mean = true,
     .words = trainer_jsonl_words, .take = trainer_jsonl_take},
    {.name = "trainer", .framework = "pytorch", .title = N_("Hugging Face Trainer on standard output"),
     .what = "{'loss': …, 'epoch': …}",
     .versions = "transformers 4, 5",
     .stepless = true, .loss_is_mean = true, .words = trainer_words, .take = trainer_take, .join = 16},
    {.name = "json-lines", .title = N_("JSON objects of any tool, one per line, with a step and a loss, norm or "
                                       "learning rate"),
     .what = "*.jsonl: {\"step\": 1, \"train/loss\": …}", .overlay = true, .words = json_values_words,
     .starts = json_values_starts, .take = json_values_take},
    {.name = "local-norm", .title = N_("local norms printed by MindSpore, MindFormers and the Megatron patch of the "
                                       "guide"),
     .what = "dump local norm: …, norm_size: … local_norm: […], print torch local norm: […], "
             "layers.0.mlp.weight norm=293.06",
     .versions = "MindSpore 2, MindFormers 1", .words = norm_line_words, .take = norm_line_take},
    {.name = "local-norm", .words = norm_list_words, .take = norm_list_take, .join = 100000},
    {.name = "local-norm", .words = norm_dictionary_words, .starts = norm_dictionary_starts,
     .take = norm_dictionary_take},
    {.name = "local-norm", .words = norm_printed_words, .starts = norm_printed_starts, .take = norm_printed_take},
    {.name = "te-inspect", .framework = "pytorch", .title = N_("statistics of tensors by nvdlfw-inspect (Transformer "
                                                               "Engine)"),
     .what = "nvdlfw_inspect_globalrank-N.log: INFO - decoder.1.mlp.fc1_activation_l2_norm iteration=000001 value=0.12", .versions = "nvdlfw-inspect 0.2",
     .statistics = true, .words = te_inspect_words, .take = te_inspect_take},
    {.name = "learned-lines", .title = N_("any other lines of text with a loss: the words that repeat are learned, or "
                                          "given by --log-names"),
     .what = "epoch: 1 step: 1, loss is 2.3   Epoch: [0][ 10/5005] Loss 7.01 (7.04)   iter 10: loss 9.6"},
    {0},
};

int log_kind_named(const char *name)
{
    int i = 0;
    while (log_formats[i].name && strcmp(log_formats[i].name, name) != 0)
        i++;
    return i;
}
