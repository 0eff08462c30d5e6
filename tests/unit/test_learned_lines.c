/* Losses in text that no known tool prints, in JSON and in columns: each form with the steps and losses in it. */
#include "losses.h"
#include "written.h"

#include "log/value_names.h"

struct form {
    const char *name, *text;
    struct loss_at of[5];
    size_t n;
};

static const struct form forms[] = {
    {"mmengine.log",
     "2023/01/01 12:00:00 - mmengine - INFO - Epoch(train)  [1][ 50/937]  lr: 1.0000e-02  eta: 0:1"
     "0:00  time: 0.0300  data_time: 0.0010  memory: 100  loss: 2.5000\n"
     "2023/01/01 12:00:00 - mmengine - INFO - Epoch(train)  [1][100/937]  lr: 1.0000e-02  eta: 0:1"
     "0:00  time: 0.0300  data_time: 0.0010  memory: 100  loss: 2.4000\n"
     "2023/01/01 12:00:00 - mmengine - INFO - Epoch(val)  [1][10/10]  accuracy: 0.5  loss: 9.0\n"
     "2023/01/01 12:00:00 - mmengine - INFO - Epoch(train)  [2][ 50/937]  lr: 1.0000e-02  eta: 0:1"
     "0:00  time: 0.0300  loss: 2.3000\n",
     {{50, 2.5}, {100, 2.4}, {987, 2.3}}, 3},
    {"mmiter.log",
     "2023/01/01 12:00:00 - mmengine - INFO - Iter(train) [   50/80000]  lr: 9.9e-03  eta: 1 day, "
     "0:00:00  time: 0.5  memory: 5  loss: 2.5  decode.loss_ce: 1.5  aux.loss_ce: 1.0\n"
     "2023/01/01 12:00:10 - mmengine - INFO - Iter(train) [  100/80000]  lr: 9.9e-03  eta: 1 day, "
     "0:00:00  time: 0.5  memory: 5  loss: 2.4  decode.loss_ce: 1.5  aux.loss_ce: 1.0\n",
     {{50, 2.5}, {100, 2.4}}, 2},
    {"mmcv.log",
     "2021-06-03 09:28:24,123 - mmcls - INFO - Epoch [1][100/5005]\tlr: 1.000e-01, eta: 1 day, 2:0"
     "0:00, time: 0.3, data_time: 0.2, memory: 3000, loss: 6.9\n"
     "2021-06-03 09:28:25,123 - mmcls - INFO - Epoch [1][200/5005]\tlr: 1.000e-01, eta: 1 day, 2:0"
     "0:00, time: 0.3, data_time: 0.2, memory: 3000, loss: 6.8\n",
     {{100, 6.9}, {200, 6.8}}, 2},
    {"metriclogger.log",
     "Epoch: [0]  [   0/1251]  eta: 1:30:00  lr: 0.000001  loss: 6.9000 (6.9000)  time: 4.3  data:"
     " 3.0  max mem: 9000\n"
     "Epoch: [0]  [  10/1251]  eta: 0:20:00  lr: 0.000001  loss: 6.8000 (6.8500)  time: 0.9  data:"
     " 0.3  max mem: 9000\n"
     "Epoch: [0] Total time: 0:10:00 (0.48 s / it)\n"
     "Averaged stats: lr: 0.000001  loss: 6.8 (6.9)\n"
     "Test:  [ 0/53]  eta: 0:01:00  loss: 6.1 (6.1)  acc1: 1.0\n"
     "Epoch: [1]  [   0/1251]  eta: 1:30:00  lr: 0.000001  loss: 6.5000 (6.9000)  time: 4.3  data:"
     " 3.0  max mem: 9000\n",
     {{0, 6.9}, {10, 6.8}, {1251, 6.5}}, 3},
    {"lightning.log",
     "Epoch 0:  10%|\342\226\210         | 10/100 [00:01<00:10,  9.00it/s, v_num=0, train_loss=2.3"
     "1]\r"
     "Epoch 0:  20%|\342\226\210\342\226\210        | 20/100 [00:02<00:08,  9.00it/s, v_num=0, tra"
     "in_loss=2.21]\r"
     "Epoch 1:  10%|\342\226\210         | 10/100 [00:01<00:10,  9.00it/s, v_num=0, train_loss=2.1"
     "1]\n",
     {{10, 2.31}, {20, 2.21}, {110, 2.11}}, 3},
    {"lightning2.log",
     "Epoch 0:  10%|\342\226\210         | 10/100 [00:01<00:10,  9.00it/s, loss=2.31, v_num=0]\r"
     "Epoch 0:  20%|\342\226\210\342\226\210        | 20/100 [00:02<00:08,  9.00it/s, loss=2.21, v"
     "_num=0]\n",
     {{10, 2.31}, {20, 2.21}}, 2},
    {"tutorial.log",
     "[1,  2000] loss: 2.173\n"
     "[1,  4000] loss: 1.871\n"
     "[1,  6000] loss: 1.676\n"
     "[2,  2000] loss: 1.5\n"
     "[2,  4000] loss: 1.4\n"
     "Finished Training\n",
     {{2000, 2.173}, {4000, 1.871}, {6000, 1.676}, {8000, 1.5}, {10000, 1.4}}, 5},
    {"mnist.log",
     "Train Epoch: 1 [0/60000 (0%)]\tLoss: 2.300024\n"
     "Train Epoch: 1 [640/60000 (1%)]\tLoss: 1.213470\n"
     "\n"
     "Test set: Average loss: 0.0500, Accuracy: 9800/10000 (98%)\n"
     "\n"
     "Train Epoch: 2 [0/60000 (0%)]\tLoss: 0.3\n",
     {{0, 2.300024}, {640, 1.21347}, {60000, 0.3}}, 3},
    {"wordlm.log",
     "| epoch   1 |   200/ 2928 batches | lr 20.00 | ms/batch 12.30 | loss  7.63 | ppl  2050.0\n"
     "| epoch   1 |   400/ 2928 batches | lr 20.00 | ms/batch 12.30 | loss  6.85 | ppl   940.1\n"
     "-----\n"
     "| end of epoch   1 | time: 40.0s | valid loss  5.50 | valid ppl   240.0\n",
     {{200, 7.63}, {400, 6.85}}, 2},
    {"fairseq.log",
     "2022-01-01 12:00:00 | INFO | train_inner | epoch 001:    100 / 1000 loss=10.2, nll_loss=9.8,"
     " ppl=900.1, wps=1000, ups=1.2, wpb=3000, bsz=100, num_updates=100, lr=1e-05, gnorm=2.5, trai"
     "n_wall=80\n"
     "2022-01-01 12:00:00 | INFO | train_inner | epoch 001:    200 / 1000 loss=9.2, nll_loss=9.0, "
     "ppl=900.1, wps=1000, num_updates=200, lr=2e-05, gnorm=2.4, train_wall=80\n",
     {{100, 10.2}, {200, 9.2}}, 2},
    {"tf.log",
     "I0101 12:00:00.000000 140 basic_session_run_hooks.py:262] loss = 9.8, step = 100\n"
     "I0101 12:00:01.000000 140 basic_session_run_hooks.py:692] global_step/sec: 30.1\n"
     "I0101 12:00:02.000000 140 basic_session_run_hooks.py:260] loss = 8.8, step = 200 (3.3 sec)\n",
     {{100, 9.8}, {200, 8.8}}, 2},
    {"maxtext.log",
     "completed step: 0, seconds: 12.1, TFLOP/s/device: 10.0, Tokens/s/device: 100, total_weights:"
     " 8192, loss: 10.87\n"
     "completed step: 1, seconds: 2.1, TFLOP/s/device: 100.0, Tokens/s/device: 1000, total_weights"
     ": 8192, loss: 10.77\n",
     {{0, 10.87}, {1, 10.77}}, 2},
    {"paddlenlp.log",
     "[2023-09-01 12:00:00,123] [    INFO] - loss: 10.9, learning_rate: 0.0001, global_step: 10, i"
     "nterval_runtime: 3.1, epoch: 0.01\n"
     "[2023-09-01 12:00:03,123] [    INFO] - loss: 10.8, learning_rate: 0.0001, global_step: 20, i"
     "nterval_runtime: 3.1, epoch: 0.02\n",
     {{10, 10.9}, {20, 10.8}}, 2},
    {"det2.log",
     "[01/31 12:00:00 d2.utils.events]:  eta: 0:10:00  iter: 19  total_loss: 1.2  loss_cls: 0.5  l"
     "oss_box_reg: 0.3  time: 0.3  lr: 0.0003  max_mem: 1000M\n"
     "[01/31 12:00:10 d2.utils.events]:  eta: 0:09:00  iter: 39  total_loss: 1.1  loss_cls: 0.5  l"
     "oss_box_reg: 0.3  time: 0.3  lr: 0.0003  max_mem: 1000M\n",
     {{19, 1.2}, {39, 1.1}}, 2},
    {"llmc.log",
     "step    1/100 | loss 10.987654 (+nanz)| norm 15.3300 (+nanz)| lr 1.00e-05 | 100.1 ms | 50% b"
     "f16 MFU | 5000 tok/s\n"
     "step    2/100 | loss 10.887654 (+nanz)| norm 15.3300 (+nanz)| lr 1.00e-05 | 100.1 ms | 50% b"
     "f16 MFU | 5000 tok/s\n",
     {{1, 10.987654}, {2, 10.887654}}, 2},
    {"modded.log",
     "step:0/1750 val_loss:10.8258 train_time:0ms step_avg:nanms\n"
     "step:1/1750 train_loss:10.8258 train_time:230ms step_avg:nanms\n"
     "step:2/1750 train_loss:10.1 train_time:330ms step_avg:110.02ms\n",
     {{1, 10.8258}, {2, 10.1}}, 2},
    {"nanotron.log",
     "[default0]:07/01/2024 12:00:00 [INFO|DP=0|PP=0|TP=0|ip-1]: iteration: 1 / 100 | consumed_tok"
     "ens: 1.02M | elapsed_time_per_iteration_ms: 900 | tokens_per_sec: 1K | lm_loss: 10.8 | lr: 0"
     ".0003 | grad_norm: 1.25\n"
     "[default0]:07/01/2024 12:00:01 [INFO|DP=0|PP=0|TP=0|ip-1]: iteration: 2 / 100 | consumed_tok"
     "ens: 2.05M | elapsed_time_per_iteration_ms: 300 | lm_loss: 10.7 | lr: 0.0003 | grad_norm: 1."
     "25\n",
     {{1, 10.8}, {2, 10.7}}, 2},
    {"litgpt.log",
     "Epoch 1 | iter 1 step 1 | loss train: 2.345, val: n/a | iter time: 300.00 ms (step)\n"
     "Epoch 1 | iter 2 step 2 | loss train: 2.245, val: n/a | iter time: 300.00 ms (step)\n",
     {{1, 2.345}, {2, 2.245}}, 2},
    {"torchtune.log",
     "Step 1 | loss:1.23 lr:2e-05 tokens_per_second_per_gpu:100\n"
     "Step 2 | loss:1.13 lr:2e-05 tokens_per_second_per_gpu:100\n",
     {{1, 1.23}, {2, 1.13}}, 2},
    {"keras.log",
     "Epoch 1/2\n"
     " 50/100 [=====>.....] - ETA: 0s - loss: 2.3000 - accuracy: 0.1\n"
     "100/100 [===========] - 1s 10ms/step - loss: 2.2000 - accuracy: 0.2 - val_loss: 2.1 - val_ac"
     "curacy: 0.3\n"
     "Epoch 2/2\n"
     " 50/100 [=====>.....] - ETA: 0s - loss: 2.1000 - accuracy: 0.1\n",
     {{50, 2.3}, {100, 2.2}, {150, 2.1}}, 3},
    {"pyprint.log",
     "Step 0, Loss: tensor(2.3012, device='cuda:0', grad_fn=<NllLossBackward0>)\n"
     "Step 1, Loss: tensor(2.2012, device='cuda:0', grad_fn=<NllLossBackward0>)\n",
     {{0, 2.3012}, {1, 2.2012}}, 2},
    {"pydict.log",
     "{'step': 1, 'loss': 2.3, 'lr': 1e-05}\n"
     "{'step': 2, 'loss': 2.2, 'lr': 1e-05}\n",
     {{1, 2.3}, {2, 2.2}}, 2},
    {"listed.log",
     "step: 1 loss: 10.0 grad_norm: 1.0\n"
     "step: 2 loss: 9.0 grad_norm: 1.1\n",
     {{1, 10.0}, {2, 9.0}}, 2},
    {"epochs.log",
     "Epoch 1: train loss 2.3, val loss 2.4\n"
     "Epoch 2: train loss 2.2, val loss 2.3\n",
     {{1, 2.3}, {2, 2.2}}, 2},
    {"epochs2.log",
     "Epoch [1/10], Step [100/600], Loss: 2.2000\n"
     "Epoch [1/10], Step [200/600], Loss: 2.1000\n"
     "Epoch [2/10], Step [100/600], Loss: 1.9\n",
     {{100, 2.2}, {200, 2.1}, {700, 1.9}}, 3},
    {"epochs3.log",
     "Epoch: 1/10, Loss: 2.2000\n"
     "Epoch: 2/10, Loss: 2.1000\n",
     {{1, 2.2}, {2, 2.1}}, 2},
    {"nano2.log",
     "step 0: train loss 10.9, val loss 10.8\n"
     "iter 0: loss 10.95, time 4000.00ms, mfu -100.00%\n"
     "iter 1: loss 10.85, time 4000.00ms, mfu -100.00%\n"
     "iter 2: loss 10.75, time 4000.00ms, mfu -100.00%\n",
     {{0, 10.95}, {1, 10.85}, {2, 10.75}}, 3},
    {"mindyolo.log",
     "2023-01-01 12:00:00,000 [INFO] Epoch 1/300, Step 100/1000, imgsize (640, 640), loss: 5.1, lb"
     "ox: 0.1, lobj: 0.2, lcls: 0.3, cur_lr: 0.01\n"
     "2023-01-01 12:00:00,000 [INFO] Epoch 1/300, Step 200/1000, imgsize (640, 640), loss: 4.1, lb"
     "ox: 0.1, lobj: 0.2, lcls: 0.3, cur_lr: 0.01\n",
     {{100, 5.1}, {200, 4.1}}, 2},
    {"mindcv.log",
     "[2023-01-01 12:00:00] mindcv.utils.callbacks INFO - Epoch: [1/300], batch: [100/1251], loss:"
     " 6.900000, lr: 0.000001, time: 10.0s\n"
     "[2023-01-01 12:00:00] mindcv.utils.callbacks INFO - Epoch: [1/300], batch: [200/1251], loss:"
     " 6.800000, lr: 0.000001, time: 10.0s\n",
     {{100, 6.9}, {200, 6.8}}, 2},
    {"lossmon2.log",
     "epoch: 1 step: 1, loss is 10.2\n"
     "epoch: 1 step: 2, loss is 9.2\n"
     "Train epoch time: 100.1 ms, per step time: 10.0 ms\n"
     "epoch: 2 step: 1, loss is 8.2\n"
     "epoch: 2 step: 2, loss is 7.2\n",
     {{1, 10.2}, {2, 9.2}, {3, 8.2}, {4, 7.2}}, 4},
    {"comma.log",
     "step 1,000 | loss 2.5\n"
     "step 1,010 | loss 2.4\n",
     {{1000, 2.5}, {1010, 2.4}}, 2},
    {"sci.log",
     "it=1 loss=1.0e+01 gn=1\n"
     "it=2 loss=9.0E+00 gn=1\n"
     "it=3 loss=nan gn=1\n",
     {{1, 10.0}, {2, 9.0}, {3, NAN}}, 3},
    {"log4j.log",
     "2025-06-03 09:28:24,100 INFO trainer.py:55 - step=1 loss=2.5 grad_norm=0.5 lr=0.001\n"
     "2025-06-03 09:28:25,100 INFO trainer.py:55 - step=2 loss=2.4 grad_norm=0.5 lr=0.001\n",
     {{1, 2.5}, {2, 2.4}}, 2},
    {"onecol.log",
     "10.5\n"
     "10.4\n"
     "10.3\n",
     {{1, 10.5}, {2, 10.4}, {3, 10.3}}, 3},
    {"twocol.log",
     "0\t10.5\n"
     "1\t10.4\n"
     "2\t10.3\n",
     {{0, 10.5}, {1, 10.4}, {2, 10.3}}, 3},
    {"hdrcol.log",
     "step loss lr\n"
     "0 10.5 1e-5\n"
     "1 10.4 1e-5\n",
     {{0, 10.5}, {1, 10.4}}, 2},
    {"golden.json",
     "{\"lm loss\": {\"start_step\": 0, \"end_step\": 15, \"step_interval\": 5, \"values\": [10.8,"
     " 10.7, 10.6]}, \"num-zeros\": {\"start_step\": 0, \"end_step\": 15, \"step_interval\": 5, "
     "\"values\": [1, 2, 3]}, \"iteration_timing_avg\": 0.1}",
     {{0, 10.8}, {5, 10.7}, {10, 10.6}}, 3},
    {"golden2.json",
     "{\"lm loss\": {\"start_step\": 1, \"end_step\": 3, \"step_interval\": 1, \"values\": {"
     "\"1\": 10.8, \"2\": 10.7, \"3\": \"nan\"}}, \"mem-max\": {\"start_step\": 1, \"end_step\": 3"
     ", \"step_interval\": 1, \"values\": {\"1\": 5}}}",
     {{1, 10.8}, {2, 10.7}, {3, NAN}}, 3},
    {"msllm.json",
     "{\"lm loss\": [10.8, 10.7], \"throughput\": [100.1, 100.2], \"memo info\": [{\"allocated mem"
     "ory\": 1.0, \"max allocated memory\": 2.0}]}",
     {{1, 10.8}, {2, 10.7}}, 2},
    {"dict.json",
     "{\"1\": 10.8, \"2\": 10.7}",
     {{1, 10.8}, {2, 10.7}}, 2},
    {"hist.json",
     "{\"loss\": [2.3, 2.2], \"val_loss\": [2.4, 2.3], \"accuracy\": [0.1, 0.2]}",
     {{1, 2.3}, {2, 2.2}}, 2},
    {"steps.json",
     "{\"steps\": [10, 20], \"train_loss\": [2.3, 2.2]}",
     {{10, 2.3}, {20, 2.2}}, 2},
    {"objs.json",
     "[{\"step\": 1, \"loss\": 2.3}, {\"step\": 2, \"loss\": 2.2}]",
     {{1, 2.3}, {2, 2.2}}, 2},
    {"tb.json",
     "[[1700000000.1, 1, 2.3], [1700000001.1, 2, 2.2]]",
     {{1, 2.3}, {2, 2.2}}, 2},
    {"pairs.json",
     "[[1, 2.3], [2, 2.2]]",
     {{1, 2.3}, {2, 2.2}}, 2},
    {"keyed.json",
     "{\"1\": {\"loss\": 2.3, \"grad_norm\": 1.0}, \"2\": {\"loss\": 2.2}}",
     {{1, 2.3}, {2, 2.2}}, 2},
    {"nest.json",
     "{\"config\": {\"lr\": 0.1}, \"metrics\": {\"loss\": {\"1\": 2.3, \"2\": 2.2}}}",
     {{1, 2.3}, {2, 2.2}}, 2},
    {"olmo.log",
     "2024-01-01 12:00:00.000\tnode\t0\tolmo.train:816\tINFO\t[step=1/739328]\n"
     "    train/CrossEntropyLoss=11.36\n"
     "    train/Perplexity=85000\n"
     "    throughput/total_tokens=4194304\n"
     "2024-01-01 12:00:00.000\tnode\t0\tolmo.train:816\tINFO\t[step=2/739328]\n"
     "    train/CrossEntropyLoss=11.26\n"
     "    train/Perplexity=85000\n",
     {{1, 11.36}, {2, 11.26}}, 2},
    {"colossal.log",
     "Epoch [0/1]:  10%|\342\226\210         | 10/100 [00:10<01:30,  1.00it/s, Loss=2.3]\r"
     "Epoch [0/1]:  11%|\342\226\210         | 11/100 [00:10<01:30,  1.00it/s, Loss=2.2]\r",
     {{10, 2.3}, {11, 2.2}}, 2},
    {"mfpynative.log",
     "2025-01-01 00:00:00,1 - mindformers - INFO - { step:[    1/   10], loss:  11.813965, per_ste"
     "p_time:  13570ms, load_balancing_loss:   1.093977, lr: 1.000000e-05, grad_norm:  13.831877, "
     "throughput:   1.36T }\n",
     {{1, 11.813965}}, 1},
    {"msfinetune.log",
     "global_step: 1, loss: 1.2, lr: 1e-5\n"
     "global_step: 2, loss: 1.1, lr: 1e-5\n",
     {{1, 1.2}, {2, 1.1}}, 2},
    {"swift.log",
     "Train:   1%|          | 5/500 [00:10<16:30,  2.00s/it]{'loss': 1.5, 'acc': 0.6}\n"
     "Train:   2%|          | 10/500 [00:20<16:30,  2.00s/it]{'loss': 1.4, 'acc': 0.6}\n",
     {{5, 1.5}, {10, 1.4}}, 2},
    {"resnet_ms.log",
     "Train epoch time: 100.1 ms, per step time: 10.0 ms\n"
     "epoch:1, step:1, loss:2.5, lr:0.1\n"
     "epoch:1, step:2, loss:2.4, lr:0.1\n",
     {{1, 2.5}, {2, 2.4}}, 2},
    {"jaxm.log",
     "[12:00:00.123][I][train.py:100] Step 100, train_loss=2.5\n"
     "[12:00:01.123][I][train.py:100] Step 200, train_loss=2.4\n",
     {{100, 2.5}, {200, 2.4}}, 2},
    {"cn.log",
     "\347\254\254 1 \346\255\245 loss 2.5\n"
     "\347\254\254 2 \346\255\245 loss 2.4\n",
     {{1, 2.5}, {2, 2.4}}, 2},
    {"total.log", /* the total before its parts */
     "step 1 | loss_ce: 2.5 | loss_kl: 0.25 | Total: 2.75 | 0.3 s\n"
     "step 2 | loss_ce: 2.25 | loss_kl: 0.25 | Total: 2.5 | 0.3 s\n",
     {{1, 2.75}, {2, 2.5}}, 2},
    {"total2.log",
     "step 1 lm loss: 2.5 aux_loss: 0.25 total_loss: 2.75\n"
     "step 2 lm loss: 2.25 aux_loss: 0.25 total_loss: 2.5\n",
     {{1, 2.75}, {2, 2.5}}, 2},
    {"sum.log", /* a sum over the steps */
     "step 10 loss: 2.5 total loss: 25.0\n"
     "step 20 loss: 2.25 total loss: 48.5\n"
     "step 30 loss: 2.0 total loss: 70.0\n",
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"times.log",
     "step 1 loss_ce: 2.5 total: 1.5 sec\n"
     "step 2 loss_ce: 2.25 total: 1.25 sec\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"total.csv",
     "step,ce_loss,total_loss,lr\n1,2.5,2.75,0.1\n2,2.25,2.5,0.1\n",
     {{1, 2.75}, {2, 2.5}}, 2},
    {"total.jsonl",
     "{\"step\": 1, \"total_loss\": 2.75, \"loss\": 2.5}\n{\"step\": 2, \"total_loss\": 2.5, \"loss\": 2.25}\n",
     {{1, 2.75}, {2, 2.5}}, 2},
    {"olmo10.log", /* the step on a line above, one in ten; another tool's lines between */
     "INFO\t[step=10/100,epoch=0]\n    optim/total_grad_norm=11.55\n    train/CrossEntropyLoss=11.33\n"
     "    throughput/total_tokens=8,388,608\n"
     "INFO\t[eval_step=1/5]\n    eval/CrossEntropyLoss=12.5\n"
     "INFO\t[step=20/100,epoch=0]\n    optim/total_grad_norm=9.5\n    train/CrossEntropyLoss=10.25\n",
     {{10, 11.33}, {20, 10.25}}, 2},
    {"micro.log", /* several losses a step: these are numbered, not given a step each */
     "step 10\nloss: 2.5\nloss: 2.25\nstep 20\nloss: 2.0\nloss: 1.75\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}, {4, 1.75}}, 4},
    {"sofar.log",
     "Epoch 0, Step 25, total used time 7.17 (s), avg loss so far is 0.125\n"
     "Epoch 0, Step 50, total used time 14.05 (s), avg loss so far is 0.0625\n"
     "Epoch 0, val loss is 0.5, val mse is 0.25.\n",
     {{25, 0.125}, {50, 0.0625}}, 2},
    {"batchid.log",
     "2022-04-12 18:01:18,453 - INFO - epoch: 3, batch_id: 0, AUC:0.917156, loss:0.125, avg_reader_cost: 0.00028 sec\n"
     "2022-04-12 18:05:57,646 - INFO - epoch: 3, batch_id: 500, AUC:0.928327, loss:0.25, avg_reader_cost: 0.00012 sec\n"
     "2022-04-12 18:19:07,587 - INFO - epoch: 3 done, AUC: 0.929679,ACC: 0.889003,loss:0.5, epoch time: 1070.06 s\n",
     {{0, 0.125}, {500, 0.25}}, 2},
    {"epochs.jsonl", /* MMDetection's: an iteration of the epoch */
     "{\"mode\": \"train\", \"epoch\": 1, \"iter\": 50, \"lr\": 1e-05, \"loss_cls\": 1.25, \"loss\": 2.5}\n"
     "{\"mode\": \"train\", \"epoch\": 1, \"iter\": 100, \"lr\": 1e-05, \"loss_cls\": 1.25, \"loss\": 2.25}\n"
     "{\"mode\": \"val\", \"epoch\": 1, \"iter\": 625, \"bbox_mAP\": 0.25}\n"
     "{\"mode\": \"train\", \"epoch\": 2, \"iter\": 50, \"lr\": 1e-05, \"loss_cls\": 1.25, \"loss\": 2.0}\n",
     {{50, 2.5}, {100, 2.25}, {150, 2.0}}, 3},
    {"epochs2.jsonl",
     "{\"epoch\": 0, \"step\": 0, \"loss\": 2.5}\n{\"epoch\": 0, \"step\": 1, \"loss\": 2.25}\n"
     "{\"epoch\": 1, \"step\": 0, \"loss\": 2.0}\n{\"epoch\": 1, \"step\": 1, \"loss\": 1.75}\n",
     {{0, 2.5}, {1, 2.25}, {2, 2.0}, {3, 1.75}}, 4},
    {"epochs.csv",
     "epoch,step,train_loss\n0,0,2.5\n0,10,2.25\n1,0,2.0\n1,10,1.75\n",
     {{0, 2.5}, {10, 2.25}, {20, 2.0}, {30, 1.75}}, 4},
    {"marked.txt", "\xef\xbb\xbf" "10 2.5\n20 2.25\n", {{10, 2.5}, {20, 2.25}}, 2}, /* a byte order mark */
    {"marked.json", "\xef\xbb\xbf" "{\"loss\": [2.5, 2.25]}", {{1, 2.5}, {2, 2.25}}, 2},
    {"turned.log", /* WeNet's: the number is the epoch */
     "DEBUG TRAIN Batch 0/0 loss 300.5 loss_att 100.0\nDEBUG TRAIN Batch 0/100 loss 200.5 loss_att 90.0\n"
     "DEBUG EVAL Batch 0/0 loss 150.5\nDEBUG TRAIN Batch 0/200 loss 100.5 loss_att 90.0\n",
     {{0, 300.5}, {100, 200.5}, {200, 100.5}}, 3},
    {"rank.log",
     "[rank0] [2025-01-01 10:00:00] Iteration 1: loss = 2.5 (gnorm = 0.3)\n"
     "[rank0] [2025-01-01 10:00:01] Iteration 2: loss = 2.4 (gnorm = 0.3)\n",
     {{1, 2.5}, {2, 2.4}}, 2},
    {"bars_md.txt",
     "| step | loss | lr |\n"
     "|---|---|---|\n"
     "| 1 | 2.5 | 0.1 |\n"
     "| 2 | 2.25 | 0.1 |\n"
     "| 3 | 2.0 | 0.1 |\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"bars_pretty.txt",
     "+-----------+----------------+------------+\n"
     "| Iteration | Elapsed Time   | Training Loss |\n"
     "+-----------+----------------+------------+\n"
     "| 1         | 10.1s          | 6.25       |\n"
     "| 2         | 20.1s          | 6.0        |\n"
     "| 10        | 1m 2s          | 5.5        |\n"
     "+-----------+----------------+------------+\n",
     {{1, 6.25}, {2, 6.0}, {10, 5.5}}, 3},
    {"bars_rich.txt",
     "┏━━━━━━┳━━━━━━┓\n"
     "┃ step ┃ loss ┃\n"
     "┡━━━━━━╇━━━━━━┩\n"
     "│ 1    │ 2.5  │\n"
     "│ 2    │ 2.25 │\n"
     "└──────┴──────┘\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"bars_fancy.txt",
     "╒════════╤════════╕\n"
     "│   step │   loss │\n"
     "╞════════╪════════╡\n"
     "│      1 │   2.5  │\n"
     "├────────┼────────┤\n"
     "│      2 │   2.25 │\n"
     "╘════════╧════════╛\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"bars_presto.txt",
     "   step |   loss\n"
     "--------+--------\n"
     "      1 |   2.5\n"
     "      2 |   2.25\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"bars_log.txt",
     "2025-01-01 10:00:00 INFO | step | loss |\n"
     "2025-01-01 10:00:00 INFO | 1 | 2.5 |\n"
     "2025-01-01 10:00:01 INFO | 2 | 2.25 |\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"bars_vert.txt",
     "+------------+-------+\n"
     "| Metric     | Value |\n"
     "+------------+-------+\n"
     "| step       | 1     |\n"
     "| loss       | 2.5   |\n"
     "+------------+-------+\n"
     "+------------+-------+\n"
     "| Metric     | Value |\n"
     "+------------+-------+\n"
     "| step       | 2     |\n"
     "| loss       | 2.25  |\n"
     "+------------+-------+\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"bars_sb3.txt",
     "-----------------------------------------\n"
     "| train/                  |             |\n"
     "|    n_updates            | 10          |\n"
     "|    loss                 | 2.5         |\n"
     "|    learning_rate        | 0.0003      |\n"
     "-----------------------------------------\n"
     "-----------------------------------------\n"
     "| train/                  |             |\n"
     "|    n_updates            | 20          |\n"
     "|    loss                 | 2.25        |\n"
     "|    learning_rate        | 0.0003      |\n"
     "-----------------------------------------\n",
     {{10, 2.5}, {20, 2.25}}, 2},
    {"bars_epoch.txt",
     "| epoch | step | loss | val_loss |\n"
     "|---|---|---|---|\n"
     "| 1 | 1 | 2.5 | 3.0 |\n"
     "| 1 | 2 | 2.25 | 3.0 |\n"
     "| 2 | 1 | 2.0 | 3.0 |\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"bars_missing.txt",
     "| step | loss |\n"
     "|---|---|\n"
     "| 1 | 2.5 |\n"
     "| 2 | - |\n"
     "| 3 |  |\n"
     "| 4 | 2.0 |\n",
     {{1, 2.5}, {4, 2.0}}, 2},
    {"bars_nb2.txt",
     "Epoch\tTraining Loss\tValidation Loss\tAccuracy\n"
     "1\t0.5\t0.25\t0.9\n"
     "2\t0.25\t0.2\t0.95\n",
     {{1, 0.5}, {2, 0.25}}, 2},
    {"bars_fastai.txt",
     "epoch     train_loss  valid_loss  error_rate  time    \n"
     "0         1.5         1.25        0.1         00:10     \n"
     "1         1.25        1.0         0.1         00:10     \n",
     {{0, 1.5}, {1, 1.25}}, 2},
    {"t_gptneox.txt",
     " samples/sec: 10.0 | iteration      10/  320000 | elapsed time per iteration (ms"
     "): 500.0 | learning rate: 1.0e-06 | approx flops per GPU: 50.0TFLOPS | lm_loss: "
     "1.05E+01 | loss scale: 4096.0 | number of skipped iterations:   0 | number of na"
     "n iterations:   0 |\n"
     " samples/sec: 10.0 | iteration      20/  320000 | elapsed time per iteration (ms"
     "): 500.0 | learning rate: 2.0e-06 | approx flops per GPU: 50.0TFLOPS | lm_loss: "
     "9.5E+00 | loss scale: 4096.0 | number of skipped iterations:   0 | number of nan"
     " iterations:   0 |\n",
     {{10, 10.5}, {20, 9.5}}, 2},
    {"t_cn2.txt",
     "步骤 1 损失 2.5\n"
     "步骤 2 损失 2.25\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"t_cn3.txt",
     "迭代: 1, 训练损失: 2.5\n"
     "迭代: 2, 训练损失: 2.25\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"t_cn5.txt",
     "当前步数：1，loss：2.5\n"
     "当前步数：2，loss：2.25\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"t_msrl.txt",
     "iteration : 1 / 1000  | actor/pg_loss : 0.5 | grad_norm : 1.0 | \n"
     "iteration : 2 / 1000  | actor/pg_loss : 0.25 | grad_norm : 1.0 | \n",
     {{1, 0.5}, {2, 0.25}}, 2},
    {"t_mstensor.txt",
     "step: 1, loss: Tensor(shape=[], dtype=Float32, value= 2.5)\n"
     "step: 2, loss: Tensor(shape=[], dtype=Float32, value= 2.25)\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"t_sci_step.txt",
     "step 1e3 loss 2.5\n"
     "step 2e3 loss 2.25\n",
     {{1000, 2.5}, {2000, 2.25}}, 2},
    {"t_dist.txt",
     "rank 0 step 1 loss 2.5\n"
     "rank 1 step 1 loss 2.75\n"
     "rank 0 step 2 loss 2.25\n"
     "rank 1 step 2 loss 2.5\n",
     {{1, 2.5}, {2, 2.25}}, 2},
    {"j_total.json",
     "{\"lm loss\": [2.0, 1.75, 1.5], \"total_loss\": [2.5, 2.25, 2.0]}",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"j_total_map.json",
     "{\"lm loss\": {\"1\": 2.0, \"2\": 1.75, \"3\": 1.5}, \"total loss\": {\"1\": 2.5, \"2\": 2.25,"
     " \"3\": 2.0}}",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"j_comp.json",
     "{\"ce_loss\": [2.0, 1.75, 1.5], \"loss\": [2.5, 2.25, 2.0]}",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"j_golden_total.json",
     "{\"lm loss\": {\"start_step\": 1, \"end_step\": 3, \"step_interval\": 1, \"values\": [2.0,"
     " 1.75, 1.5]}, \"total loss\": {\"start_step\": 1, \"end_step\": 3, \"step_interval\": 1,"
     " \"values\": [2.5, 2.25, 2.0]}}",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"j_records.json",
     "{\"records\": [{\"step\": 1, \"loss\": 2.5}, {\"step\": 2, \"loss\": 2.25}, {\"step\": 3, \"l"
     "oss\": 2.0}]}",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"j_train_list.json",
     "{\"train\": [{\"step\": 1, \"loss\": 2.5}, {\"step\": 2, \"loss\": 2.25}, {\"step\": 3, \"los"
     "s\": 2.0}], \"val\": [{\"step\": 1, \"loss\": 9.0}]}",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"j_pandas_cols.json",
     "{\"step\": {\"0\": 1, \"1\": 2, \"2\": 3}, \"loss\": {\"0\": 2.5, \"1\": 2.25, \"2\": 2.0}}",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"j_step_obj.json",
     "{\"step_1\": {\"loss\": 2.5}, \"step_2\": {\"loss\": 2.25}, \"step_3\": {\"loss\": 2.0}}",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"j_ranks.json",
     "{\"rank0\": {\"loss\": [2.5, 2.25, 2.0]}, \"rank1\": {\"loss\": [3.5, 3.25, 3.0]}}",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"j_list_of_lists.json",
     "{\"loss\": [[2.5], [2.25], [2.0]]}",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"j_trackio.json",
     "[{\"step\": 1, \"metrics\": {\"loss\": 2.5}}, {\"step\": 2, \"metrics\": {\"loss\": 2.25}}, "
     "{\"step\": 3, \"metrics\": {\"loss\": 2.0}}]",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"jl_rank.jsonl",
     "{\"rank\": 0, \"step\": 1, \"loss\": 2.5}\n"
     "{\"rank\": 1, \"step\": 1, \"loss\": 3.5}\n"
     "{\"rank\": 0, \"step\": 2, \"loss\": 2.25}\n"
     "{\"rank\": 1, \"step\": 2, \"loss\": 3.25}\n"
     "{\"rank\": 0, \"step\": 3, \"loss\": 2.0}\n"
     "{\"rank\": 1, \"step\": 3, \"loss\": 3.0}\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"jl_mode.jsonl",
     "{\"mode\": \"train\", \"step\": 1, \"loss\": 2.5}\n"
     "{\"mode\": \"val\", \"step\": 1, \"loss\": 7.5}\n"
     "{\"mode\": \"train\", \"step\": 2, \"loss\": 2.25}\n"
     "{\"mode\": \"val\", \"step\": 2, \"loss\": 7.25}\n"
     "{\"mode\": \"train\", \"step\": 3, \"loss\": 2.0}\n"
     "{\"mode\": \"val\", \"step\": 3, \"loss\": 7.0}\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"jl_kv.jsonl",
     "{\"step\": 1, \"name\": \"loss\", \"value\": 2.5}\n"
     "{\"step\": 2, \"name\": \"loss\", \"value\": 2.25}\n"
     "{\"step\": 3, \"name\": \"loss\", \"value\": 2.0}\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"jl_dllogger.jsonl",
     "DLLL {\"timestamp\": \"1\", \"type\": \"LOG\", \"step\": [0, 1], \"data\": {\"train_loss\": 2."
     "5}}\n"
     "DLLL {\"timestamp\": \"1\", \"type\": \"LOG\", \"step\": [0, 2], \"data\": {\"train_loss\": 2."
     "25}}\n"
     "DLLL {\"timestamp\": \"1\", \"type\": \"LOG\", \"step\": [0, 3], \"data\": {\"train_loss\": 2."
     "0}}\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"jl_total.jsonl",
     "{\"step\": 1, \"loss_ce\": 1.5, \"loss_z\": 1, \"total\": 2.5}\n"
     "{\"step\": 2, \"loss_ce\": 1.25, \"loss_z\": 1, \"total\": 2.25}\n"
     "{\"step\": 3, \"loss_ce\": 1.0, \"loss_z\": 1, \"total\": 2.0}\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"csv_long.csv",
     "step,tag,value\n"
     "1,loss,2.5\n"
     "1,lr,0.1\n"
     "2,loss,2.25\n"
     "2,lr,0.1\n"
     "3,loss,2.0\n"
     "3,lr,0.1\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"csv_tb.csv",
     "Wall time,Step,Value\n"
     "1700000000.1,1,2.5\n"
     "1700000000.1,2,2.25\n"
     "1700000000.1,3,2.0\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"csv_wandb.csv",
     "\"Step\",\"run-1 - train/loss\",\"run-1 - train/loss__MIN\",\"run-1 - train/loss__MAX\"\n"
     "\"1\",\"2.5\",\"2.5\",\"2.5\"\n"
     "\"2\",\"2.25\",\"2.25\",\"2.25\"\n"
     "\"3\",\"2.0\",\"2.0\",\"2.0\"\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"csv_tsv.tsv",
     "step\ttrain loss\tlr\n"
     "1\t2.5\t0.1\n"
     "2\t2.25\t0.1\n"
     "3\t2.0\t0.1\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"csv_pandas_noidx.csv",
     ",loss\n"
     "0,2.5\n"
     "1,2.25\n"
     "2,2.0\n",
     {{0, 2.5}, {1, 2.25}, {2, 2.0}}, 3},
    {"csv_rank.csv",
     "rank,step,loss\n"
     "0,1,2.5\n"
     "1,1,3.5\n"
     "0,2,2.25\n"
     "1,2,3.25\n"
     "0,3,2.0\n"
     "1,3,3.0\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"csv_split.csv",
     "step,split,loss\n"
     "1,train,2.5\n"
     "1,val,9\n"
     "2,train,2.25\n"
     "2,val,9\n"
     "3,train,2.0\n"
     "3,val,9\n",
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    /* the day was taken for a step */
    {"mmday.log",
     "01/02 10:00:00 - mmengine - INFO - Iter(train) [    10/10000]  lr: 1.0e-05  eta: 1:00:00  loss: 2.5\n"
     "01/02 10:00:10 - mmengine - INFO - Iter(train) [    20/10000]  lr: 1.0e-05  eta: 1:00:00  loss: 2.4\n",
     {{10, 2.5}, {20, 2.4}}, 2},
    {"bullets.log",
     "[10:00:00] INFO     step    1 \342\200\242 loss 2.5 \342\200\242 grad 3.3                 train.py:120\n"
     "[10:00:01] INFO     step    2 \342\200\242 loss 2.4 \342\200\242 grad 3.1                 train.py:120\n",
     {{1, 2.5}, {2, 2.4}}, 2},
    {"kohya.log",
     "steps:  10%|\342\226\210         | 1/100 [00:10<01:30,  1.00it/s, avr_loss=2.5]\r"
     "steps:  10%|\342\226\210         | 2/100 [00:11<01:30,  1.00it/s, avr_loss=2.4]\n",
     {{1, 2.5}, {2, 2.4}}, 2},
    /* "time/batch" was taken for a batch that cannot be read, and the losses were numbered */
    {"composer.log",
     "[batch=10/4800]:\n\t Train time/epoch: 0\n\t Train time/batch: 9\n\t Train loss/train/total: 2.5\n"
     "[batch=20/4800]:\n\t Train time/epoch: 0\n\t Train time/batch: 19\n\t Train loss/train/total: 2.4\n",
     {{10, 2.5}, {20, 2.4}}, 2},
};

static char dir[256];

static int open_text(struct series *s, const char *name, const char *text, struct err *e)
{
    if (!*dir)
        snprintf(dir, sizeof dir, "%s", scratch());
    return series_open(s, put_bytes(dir, name, text, strlen(text)), NULL, e);
}

static void every_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        const struct form *f = &forms[i];
        struct series s;
        struct err e;
        if (open_text(&s, f->name, f->text, &e))
            fail_msg("%s", e.text);
        check_losses(&s, f->name, f->of, f->n);
        series_release(&s);
    }
}

/* What is no loss of a training step is not taken for one. */
static void refused(void **state)
{
    static const char *const texts[] = {
        "step 1 aux_loss 0.1\nstep 2 aux_loss 0.2\n",
        "step 1 load_balancing_loss: 0.1\nstep 2 load_balancing_loss: 0.2\n",
        "Validation: step 1 loss 0.1\nValidation: step 2 loss 0.2\n",
        "Epoch(val) [1][5/5] loss: 0.1\nEpoch(val) [2][5/5] loss: 0.2\n",
        "loss scale: 65536\nloss scale: 32768\n",
        "fixed the loss of 3 packets\n",
        "1 2 3\n2 3 4\n",
        "{\"val_loss\": [1.5, 1.25]}",
        "{\"losses\": \"none\"}",
        "| metric | target | golden |\n|---|---|---|\n| loss | 2.5 | 2.4 |\n",
        "| step | val_loss |\n|---|---|\n| 1 | 2.5 |\n| 2 | 2.4 |\n",
        "Wall time,Step,Value\n", /* without a row */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct series s;
        struct err e;
        if (open_text(&s, "x.txt", texts[i], &e) == 0)
            fail_msg("read: %s", texts[i]);
        assert_true(e.text[0]);
        series_release(&s);
    }
}

/* Norms that somebody printed: which number is the parameter's norm of step 1. */
static void printed_norms(void **state)
{
    static const char *const texts[] = {
        "step 1 a.weight norm=2.5\n",
        "step 1 norm of a.weight = 2.5\n",
        "step 1: grad norm of a.weight: 2.5\n",
        "{\"step\": 1, \"name\": \"a.weight\", \"norm\": 2.5}\n",
        "{\"step\": 1, \"param\": \"a.weight\", \"grad_norm\": 2.5}\n", /* was the step's global norm */
        "step 1 a.weight weight norm: 9.0 grad norm: 2.5\n", /* was 9 */
        "[rank1] step 1 a.weight norm=3.5\n[rank0] step 1 a.weight norm=2.5\n", /* was the first rank's */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct series s;
        struct err e;
        double v = 0;
        if (open_text(&s, "norms.log", texts[i], &e))
            fail_msg("%s", e.text);
        if (s.names.n != 1 || strcmp(s.names.v[0].name, "a.weight") != 0 ||
            !log_name_at(&s, &s.names.v[0], 1, &v) || v != 2.5)
            fail_msg("%zu names, %g: %s", s.names.n, v, texts[i]);
        series_release(&s);
    }
}

/* The global norm beside a loss: nanoGPT's name is short, InternEvo's holds a name that begins with a digit, which was
 * taken for the norm 0. NaN: none is said. */
static void norms_beside_losses(void **state)
{
    static const struct {
        const char *text;
        double norm;
    } lines[] = {
        {"step    1 | loss: 2.5 | lr 6.0e-04 | norm: 1.5 | dt: 300ms\n", 1.5},
        {"step 1/19560 | loss 2.5 (+nanz)| norm 1.5 (+nanz)| lr 1.00e-05\n", 1.5},
        {"step 1 | loss: 2.5 | params norm: 100.5\n", NAN},
        {"step=1 loss=2.5 grad_norm={'0_default': 1.5} lr=1e-05\n", NAN},
        {"INFO:levanter.tracker:step=1 train/loss=2.5 grad/norm/total=1.5\n", 1.5},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct series s;
        struct err e;
        if (open_text(&s, "beside.log", lines[i].text, &e))
            fail_msg("%s", e.text);
        const struct log_record *r = &s.records.v[0];
        if (s.records.n != 1 || r->value[LOG_LOSS] != 2.5 || log_has(r, LOG_NORM) != !isnan(lines[i].norm) ||
            (log_has(r, LOG_NORM) && r->value[LOG_NORM] != lines[i].norm))
            fail_msg("%zu records: %s", s.records.n, lines[i].text);
        series_release(&s);
    }
}

/* As PowerShell writes it: the mark hid the name of the first column, and the steps were counted. */
static void utf16_table(void **state)
{
    static const char text[] = "step,loss\n10,2.5\n20,2.25\n";
    char wide[2 * sizeof text] = "\xff\xfe";
    struct series s;
    struct err e;
    (void)state;
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        wide[2 * i + 2] = text[i];
        wide[2 * i + 3] = 0;
    }
    assert_int_equal(series_open(&s, put_bytes(dir, "wide.csv", wide, 2 * sizeof text), NULL, &e), 0);
    assert_int_equal(s.records.n, 2);
    assert_int_equal(s.records.v[1].step, 20);
    series_release(&s);
}

/* Last: names and patterns hold for the whole program. */
static void names_and_patterns(void **state)
{
    static const char text[] = "[x] it 10 obj 5.25 gn=0.5 eta 3\n[x] it 20 obj 5.15 gn=0.25 eta 2\n";
    static const char other[] = "A7: 1.5\nA8: 1.25\n";
    struct series s;
    struct err e;
    struct buf b = {0};
    (void)state;
    assert_int_equal(open_text(&s, "own.log", text, &e), -1);
    series_release(&s);
    assert_int_equal(value_names_learn(STR("step=it,loss=obj norm=gn"), &e), 0);
    assert_int_equal(open_text(&s, "own.log", text, &e), 0);
    assert_int_equal(s.records.n, 2);
    assert_int_equal(s.records.v[1].step, 20);
    assert_true(s.records.v[1].value[LOG_LOSS] == 5.15 && s.records.v[1].value[LOG_NORM] == 0.25);
    series_release(&s);
    assert_int_equal(value_names_learn(STR("A(?<step>\\d+): (?<loss>\\S+)"), &e), 0);
    assert_int_equal(open_text(&s, "other.log", other, &e), 0);
    assert_int_equal(s.records.n, 2);
    assert_int_equal(s.records.v[0].step, 7);
    assert_true(s.records.v[1].value[LOG_LOSS] == 1.25);
    series_release(&s);
    assert_int_equal(value_names_learn(STR("(?<loss>"), &e), -1);
    assert_int_equal(value_names_learn(STR("(?<step>x)"), &e), -1);
    value_names_learned(&b);
    assert_non_null(strstr(b.p, "pattern=A(?<step>\\d+): (?<loss>\\S+)\n"));
    assert_int_equal(value_names_learn(buf_view(&b), &e), 0); /* as it is kept */
    buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(refused),
        cmocka_unit_test(printed_norms),
        cmocka_unit_test(norms_beside_losses),
        cmocka_unit_test(utf16_table),
        cmocka_unit_test(names_and_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
