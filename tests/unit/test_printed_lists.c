/* Losses and norms as Python, pandas, trackers and pickles have them: each form with its figures, and what is
 * refused. */
#include "losses.h"

struct form {
    const char *name, *bytes;
    size_t size;
    struct loss_at of[5];
    size_t n;
};

/* Written by json, pandas, pickle and numpy; the others as their tools print them. */
static const struct form forms[] = {
    {"py_list.txt",
     "[2.5, 2.25, 2.0]\n", 17,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_tensor.txt",
     "[tensor(2.5), tensor(2.25), tensor(2.)]\n", 40,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_tensor2.txt",
     "[tensor(2.5, device='npu:0', grad_fn=<NllLossBackward0>), tensor(2.25, device="
     "'npu:0', grad_fn=<NllLossBackward0>), tensor(2., device='npu:0')]\n", 144,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_tensor3.txt",
     "losses: [tensor(2.5), tensor(2.25), tensor(2.)]\n", 48,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_tensor4.txt",
     "tensor([2.5000, 2.2500, 2.0000])\n", 33,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_tensor5.txt",
     "tensor([2.5000, 2.2500, 2.0000], device='cuda:0', dtype=torch.float64)\n", 71,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_nparr.txt",
     "[2.5  2.25 2.  ]\n", 17,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_nparr2.txt",
     "losses [2.5  2.25\n"
     " 2.  ]\n", 25,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_pairs.txt",
     "[(1, 2.5), (2, 2.25), (3, 2.0)]\n", 32,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_pairs2.txt",
     "[(10, 2.5), (20, 2.25), (30, 2.0)]\n", 35,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"py_dict.txt",
     "{'loss': [2.5, 2.25, 2.0]}\n", 27,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_dict2.txt",
     "{'train_loss': [2.5, 2.25, 2.0], 'val_loss': [3.5, 3.25, 3.0]}\n", 63,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_dict3.txt",
     "{1: 2.5, 2: 2.25, 3: 2.0}\n", 26,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_dict4.txt",
     "{10: {'loss': 2.5, 'lr': 0.1}, 20: {'loss': 2.25, 'lr': 0.1}}\n", 62,
     {{10, 2.5}, {20, 2.25}}, 2},
    {"py_keras.txt",
     "{'loss': [2.5, 2.25, 2.0], 'accuracy': [0.1, 0.2, 0.3], 'val_loss': [3.0, 3.0,"
     " 3.0]}\n", 85,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_keras2.txt",
     "history: {'loss': [2.5, 2.25, 2.0], 'accuracy': [0.1, 0.2, 0.3], 'val_loss': ["
     "3.0, 3.0, 3.0]}\n", 94,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_defdict.txt",
     "defaultdict(<class 'list'>, {'loss': [2.5, 2.25, 2.0]})\n", 56,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_ordered.txt",
     "OrderedDict([('loss', [2.5, 2.25, 2.0]), ('lr', [0.1, 0.1, 0.1])])\n", 67,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_ordered2.txt",
     "OrderedDict({'loss': [2.5, 2.25, 2.0], 'lr': [0.1, 0.1, 0.1]})\n", 63,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_listdict.txt",
     "[{'step': 1, 'loss': 2.5}, {'step': 2, 'loss': 2.25}, {'step': 3, 'loss': 2.0}"
     "]\n", 80,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_loghist.txt",
     "[{'loss': 2.5, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.01, 'step'"
     ": 10}, {'loss': 2.25, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.02,"
     " 'step': 20}, {'eval_loss': 3.0, 'epoch': 0.02, 'step': 20}]\n", 217,
     {{10, 2.5}, {20, 2.25}}, 2},
    {"py_ms.txt",
     "[Tensor(shape=[], dtype=Float32, value= 2.5), Tensor(shape=[], dtype=Float32, "
     "value= 2.25), Tensor(shape=[], dtype=Float32, value= 2)]\n", 135,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_ms2.txt",
     "losses: [Tensor(shape=[], dtype=Float32, value=2.5), Tensor(shape=[], dtype=Fl"
     "oat32, value=2.25), Tensor(shape=[], dtype=Float32, value=2)]\n", 140,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_wrapped.txt",
     "losses = [\n"
     "    2.5,\n"
     "    2.25,\n"
     "    2.0,\n"
     "]\n", 41,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_nan.txt",
     "[2.5, nan, 2.0]\n", 16,
     {{1, 2.5}, {2, NAN}, {3, 2.0}}, 3},
    {"py_log.txt",
     "2025-01-01 10:00:00 INFO start training\n"
     "2025-01-01 10:00:09 INFO Losses: [2.5, 2.25, 2.0]\n"
     "2025-01-01 10:00:09 INFO done\n", 120,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_log2.txt",
     "loading model\n"
     "Training finished, loss_list: [2.5, 2.25, 2.0]\n", 61,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_log3.txt",
     "loading model\n"
     "train loss history = [2.5, 2.25, 2.0], time 10 s\n", 63,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_pprint.txt",
     "{'lr': [0.1, 0.1, 0.1],\n"
     " 'loss': [2.5,\n"
     "          2.25,\n"
     "          2.0]}\n", 71,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_deque.txt",
     "deque([2.5, 2.25, 2.0], maxlen=100)\n", 36,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_jnp2.txt",
     "[DeviceArray(2.5, dtype=float32), DeviceArray(2.25, dtype=float32)]\n", 68,
     {{1, 2.5}, {2, 2.25}}, 2},
    {"py_tf.txt",
     "[<tf.Tensor: shape=(), dtype=float32, numpy=2.5>, <tf.Tensor: shape=(), dtype="
     "float32, numpy=2.25>]\n", 100,
     {{1, 2.5}, {2, 2.25}}, 2},
    {"py_paddle.txt",
     "[Tensor(shape=[], dtype=float32, place=Place(gpu:0), stop_gradient=False,\n"
     "       2.5), Tensor(shape=[], dtype=float32, place=Place(gpu:0), stop_gradient"
     "=False,\n"
     "       2.25)]\n", 174,
     {{1, 2.5}, {2, 2.25}}, 2},
    {"py_quoted.txt",
     "['2.5', '2.25', '2.0']\n", 23,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_nested.txt",
     "[[2.5], [2.25], [2.0]]\n", 23,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_str.txt",
     "loss_history=[2.5, 2.25, 2.0]\n"
     "lr_history=[0.1, 0.1, 0.1]\n"
     "norms=[1.0, 1.0, 1.0]\n", 79,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_ranks.txt",
     "rank 0 losses: [2.5, 2.25, 2.0]\n"
     "rank 1 losses: [2.6, 2.35, 2.1]\n", 64,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_linestens.txt",
     "tensor(2.5, device='npu:0')\n"
     "tensor(2.25, device='npu:0')\n"
     "tensor(2., device='npu:0')\n", 84,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_linesnp.txt",
     "np.float32(2.5)\n"
     "np.float32(2.25)\n"
     "np.float32(2.0)\n", 49,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_linestup.txt",
     "(1, 2.5)\n"
     "(2, 2.25)\n"
     "(3, 2.0)\n", 28,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_linestup2.txt",
     "(10, 2.5)\n"
     "(20, 2.25)\n"
     "(30, 2.0)\n", 31,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"py_linesbr.txt",
     "[2.5]\n"
     "[2.25]\n"
     "[2.0]\n", 19,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_linespairs.txt",
     "[1, 2.5]\n"
     "[2, 2.25]\n"
     "[3, 2.0]\n", 28,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"py_linescol.txt",
     "1: 2.5\n"
     "2: 2.25\n"
     "3: 2.0\n", 22,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"pd_str.txt",
     "   step  loss   lr\n"
     "0    10  2.50  0.1\n"
     "1    20  2.25  0.1\n"
     "2    30  2.00  0.1\n", 76,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pd_strn.txt",
     " step  loss  lr\n"
     "   10  2.50 0.1\n"
     "   20  2.25 0.1\n"
     "   30  2.00 0.1\n", 64,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pd_repr.txt",
     "   step  loss   lr\n"
     "0    10  2.50  0.1\n"
     "1    20  2.25  0.1\n"
     "2    30  2.00  0.1\n", 76,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pd_split_lr.json",
     "{\"columns\":[\"step\",\"loss\",\"lr\"],\"index\":[0,1,2],\"data\":[[10,2.5,0."
     "1],[20,2.25,0.1],[30,2.0,0.1]]}", 97,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pd_index_lr.json",
     "{\"0\":{\"step\":10,\"loss\":2.5,\"lr\":0.1},\"1\":{\"step\":20,\"loss\":2.25,"
     "\"lr\":0.1},\"2\":{\"step\":30,\"loss\":2.0,\"lr\":0.1}}", 110,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pd_table_lr.json",
     "{\"schema\":{\"fields\":[{\"name\":\"index\",\"type\":\"integer\"},{\"name\":"
     "\"step\",\"type\":\"integer\"},{\"name\":\"loss\",\"type\":\"number\"},{\"name"
     "\":\"lr\",\"type\":\"number\"}],\"primaryKey\":[\"index\"],\"pandas_version\":"
     "\"1.4.0\"},\"data\":[{\"index\":0,\"step\":10,\"loss\":2.5,\"lr\":0.1},{\"inde"
     "x\":1,\"step\":20,\"loss\":2.25,\"lr\":0.1},{\"index\":2,\"step\":30,\"loss\":"
     "2.0,\"lr\":0.1}]}", 336,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pds_split.json",
     "{\"columns\":[\"loss\",\"lr\"],\"index\":[10,20,30],\"data\":[[2.5,0.1],[2.25,"
     "0.1],[2.0,0.1]]}", 84,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pds_index.json",
     "{\"10\":{\"loss\":2.5,\"lr\":0.1},\"20\":{\"loss\":2.25,\"lr\":0.1},\"30\":{\""
     "loss\":2.0,\"lr\":0.1}}", 83,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pds_columns.json",
     "{\"loss\":{\"10\":2.5,\"20\":2.25,\"30\":2.0},\"lr\":{\"10\":0.1,\"20\":0.1,\""
     "30\":0.1}}", 72,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pds_table.json",
     "{\"schema\":{\"fields\":[{\"name\":\"step\",\"type\":\"integer\"},{\"name\":\""
     "loss\",\"type\":\"number\"},{\"name\":\"lr\",\"type\":\"number\"}],\"primaryKe"
     "y\":[\"step\"],\"pandas_version\":\"1.4.0\"},\"data\":[{\"step\":10,\"loss\":2"
     ".5,\"lr\":0.1},{\"step\":20,\"loss\":2.25,\"lr\":0.1},{\"step\":30,\"loss\":2."
     "0,\"lr\":0.1}]}", 271,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pds_str.txt",
     "      loss   lr\n"
     "step           \n"
     "10    2.50  0.1\n"
     "20    2.25  0.1\n"
     "30    2.00  0.1\n", 80,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pds_csv.csv",
     "step,loss,lr\n"
     "10,2.5,0.1\n"
     "20,2.25,0.1\n"
     "30,2.0,0.1\n", 47,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pds_md.txt",
     "| step | loss | lr |\n"
     "|-----:|-----:|-----:|\n"
     "|   10 | 2.5 | 0.1 |\n"
     "|   20 | 2.25 | 0.1 |\n", 87,
     {{10, 2.5}, {20, 2.25}}, 2},
    {"pdser_split.json",
     "{\"name\":\"loss\",\"index\":[10,20,30],\"data\":[2.5,2.25,2.0]}", 56,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pdser_index.json",
     "{\"10\":2.5,\"20\":2.25,\"30\":2.0}", 29,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pdser_table.json",
     "{\"schema\":{\"fields\":[{\"name\":\"step\",\"type\":\"integer\"},{\"name\":\""
     "loss\",\"type\":\"number\"}],\"primaryKey\":[\"step\"],\"pandas_version\":\"1."
     "4.0\"},\"data\":[{\"step\":10,\"loss\":2.5},{\"step\":20,\"loss\":2.25},{\"ste"
     "p\":30,\"loss\":2.0}]}", 214,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pdser_str.txt",
     "step\n"
     "10    2.50\n"
     "20    2.25\n"
     "30    2.00\n", 38,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pdser_repr.txt",
     "step\n"
     "10    2.50\n"
     "20    2.25\n"
     "30    2.00\n"
     "Name: loss, dtype: float64\n", 65,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"pdn_str.txt",
     "   loss\n"
     "0  2.50\n"
     "1  2.25\n"
     "2  2.00\n", 32,
     {{0, 2.5}, {1, 2.25}, {2, 2.0}}, 3},
    {"pdn_split.json",
     "{\"columns\":[\"loss\"],\"index\":[0,1,2],\"data\":[[2.5],[2.25],[2.0]]}", 64,
     {{0, 2.5}, {1, 2.25}, {2, 2.0}}, 3},
    {"pdn_index.json",
     "{\"0\":{\"loss\":2.5},\"1\":{\"loss\":2.25},\"2\":{\"loss\":2.0}}", 53,
     {{0, 2.5}, {1, 2.25}, {2, 2.0}}, 3},
    {"pdn_cols.json",
     "{\"loss\":{\"0\":2.5,\"1\":2.25,\"2\":2.0}}", 35,
     {{0, 2.5}, {1, 2.25}, {2, 2.0}}, 3},
    {"dk2.log",
     " 1: 2.500000, 2.500000 avg loss, 0.001000 rate, 3.4 seconds, 64 images, 10.0 h"
     "ours left\n"
     " 2: 2.250000, 2.475000 avg loss, 0.001000 rate, 3.3 seconds, 128 images, 10.0 "
     "hours left\n", 177,
     {{1, 2.5}, {2, 2.25}}, 2},
    {"cn4.log",
     "\350\277\255\344\273\243 10 \346\215\237\345\244\261 2.5\n"
     "\350\277\255\344\273\243 20 \346\215\237\345\244\261 2.25\n", 43,
     {{10, 2.5}, {20, 2.25}}, 2},
    {"keras_bar.log",
     "Epoch 1/3\n"
     "100/100 [==============================] - 5s 50ms/step - loss: 2.5000 - accur"
     "acy: 0.1000 - val_loss: 3.0000 - val_accuracy: 0.1\n"
     "Epoch 2/3\n"
     "100/100 [==============================] - 5s 50ms/step - loss: 2.2500 - accur"
     "acy: 0.1000 - val_loss: 3.0000 - val_accuracy: 0.1\n"
     "Epoch 3/3\n"
     "100/100 [==============================] - 5s 50ms/step - loss: 2.0000 - accur"
     "acy: 0.1000 - val_loss: 3.0000 - val_accuracy: 0.1\n", 417,
     {{100, 2.5}, {200, 2.25}, {300, 2.0}}, 3},
    {"fastai_csv.csv",
     "epoch,train_loss,valid_loss,accuracy,time\n"
     "0,2.5,3.0,0.5,00:10\n"
     "1,2.25,3.0,0.5,00:10\n", 83,
     {{0, 2.5}, {1, 2.25}}, 2},
    {"pgl.log",
     "Epoch 1 step 10 loss Tensor(shape=[], dtype=float32, place=Place(gpu:0), stop_"
     "gradient=False, 2.5)\n"
     "Epoch 1 step 20 loss Tensor(shape=[], dtype=float32, place=Place(gpu:0), stop_"
     "gradient=False, 2.25)\n", 199,
     {{10, 2.5}, {20, 2.25}}, 2},
    {"trl_str.log",
     "{'loss': '2.5', 'grad_norm': '1.0', 'learning_rate': '1e-05', 'epoch': '0.01'}"
     "\n"
     "{'loss': '2.25', 'grad_norm': '1.0', 'learning_rate': '1e-05', 'epoch': '0.02'"
     "}\n"
     "{'loss': '2.0', 'grad_norm': '1.0', 'learning_rate': '1e-05', 'epoch': '0.03'}"
     "\n", 238,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"swift.log",
     "{'loss': 2.5, 'token_acc': 0.5, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'mem"
     "ory(GiB)': 10.0, 'train_speed(iter/s)': 0.1, 'epoch': 0.1, 'global_step/max_st"
     "eps': '10/100', 'percentage': '1.00%', 'elapsed_time': '10s', 'remaining_time'"
     ": '10m'}\n"
     "{'loss': 2.25, 'token_acc': 0.5, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'me"
     "mory(GiB)': 10.0, 'train_speed(iter/s)': 0.1, 'epoch': 0.1, 'global_step/max_s"
     "teps': '20/100', 'percentage': '1.00%', 'elapsed_time': '10s', 'remaining_time"
     "': '10m'}\n"
     "{'loss': 2.0, 'token_acc': 0.5, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'mem"
     "ory(GiB)': 10.0, 'train_speed(iter/s)': 0.1, 'epoch': 0.1, 'global_step/max_st"
     "eps': '30/100', 'percentage': '1.00%', 'elapsed_time': '10s', 'remaining_time'"
     ": '10m'}\n", 730,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"xtuner2.log",
     "[XTuner][RANK 0][2025-01-01 10:00:00][INFO] [Train] (Epoch 1) Step 10/100  lr:"
     " 0.000010  loss: 3.500  loss(reduced): 2.500  grad_norm: 1.00  if_nan_skip: 0 "
     " max_memory: 10.0GB  text_tokens: 1000  tgs: 100  data_time: 0.01s  time: 1.0s"
     "  eta: 0:10:00\n"
     "[XTuner][RANK 0][2025-01-01 10:00:00][INFO] [Train] (Epoch 1) Step 20/100  lr:"
     " 0.000010  loss: 3.250  loss(reduced): 2.250  grad_norm: 1.00  if_nan_skip: 0 "
     " max_memory: 10.0GB  text_tokens: 1000  tgs: 100  data_time: 0.01s  time: 1.0s"
     "  eta: 0:10:00\n"
     "[XTuner][RANK 0][2025-01-01 10:00:00][INFO] [Train] (Epoch 1) Step 30/100  lr:"
     " 0.000010  loss: 3.000  loss(reduced): 2.000  grad_norm: 1.00  if_nan_skip: 0 "
     " max_memory: 10.0GB  text_tokens: 1000  tgs: 100  data_time: 0.01s  time: 1.0s"
     "  eta: 0:10:00\n", 747,
     {{10, 3.5}, {20, 3.25}, {30, 3.0}}, 3},
    {"maxtext_metrics.txt",
     "{\"learning/loss\": 2.5, \"learning/grad_norm\": 1.0, \"perf/step_time_seconds"
     "\": 1.0, \"learning/current_learning_rate\": 1e-05, \"step\": 10.0}\n"
     "{\"learning/loss\": 2.25, \"learning/grad_norm\": 1.0, \"perf/step_time_second"
     "s\": 1.0, \"learning/current_learning_rate\": 1e-05, \"step\": 20.0}\n"
     "{\"learning/loss\": 2.0, \"learning/grad_norm\": 1.0, \"perf/step_time_seconds"
     "\": 1.0, \"learning/current_learning_rate\": 1e-05, \"step\": 30.0}\n", 409,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"easylm.log",
     "{'step': 10, 'train_loss': Array(2.5, dtype=float32), 'learning_rate': Array(1"
     "e-05, dtype=float32)}\n"
     "{'step': 20, 'train_loss': Array(2.25, dtype=float32), 'learning_rate': Array("
     "1e-05, dtype=float32)}\n"
     "{'step': 30, 'train_loss': Array(2.0, dtype=float32), 'learning_rate': Array(1"
     "e-05, dtype=float32)}\n", 301,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"jaxarr.log",
     "step 10 loss Array(2.5, dtype=float32)\n"
     "step 20 loss Array(2.25, dtype=float32)\n"
     "step 30 loss Array(2.0, dtype=float32)\n", 118,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"mllog.log",
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000000, \"event_type\": \"P"
     "OINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.5, \"metadata\": {\"file"
     "\": \"train.py\", \"lineno\": 100, \"samples_count\": 80}}\n"
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000000, \"event_type\": \"P"
     "OINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.25, \"metadata\": {\"fil"
     "e\": \"train.py\", \"lineno\": 100, \"samples_count\": 160}}\n"
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000000, \"event_type\": \"P"
     "OINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.0, \"metadata\": {\"file"
     "\": \"train.py\", \"lineno\": 100, \"samples_count\": 240}}\n", 570,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"mllog2.log",
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000000, \"event_type\": \"P"
     "OINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.5, \"metadata\": {\"file"
     "\": \"train.py\", \"lineno\": 100, \"step\": 10}}\n"
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000000, \"event_type\": \"P"
     "OINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.25, \"metadata\": {\"fil"
     "e\": \"train.py\", \"lineno\": 100, \"step\": 20}}\n"
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000000, \"event_type\": \"P"
     "OINT_IN_TIME\", \"key\": \"train_loss\", \"value\": 2.0, \"metadata\": {\"file"
     "\": \"train.py\", \"lineno\": 100, \"step\": 30}}\n", 541,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"mllog3.log",
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"POINT_IN_TIME"
     "\", \"key\": \"train_loss\", \"value\": 2.5, \"metadata\": {\"file\": \"t.py\""
     ", \"lineno\": 1, \"step_num\": 10}}\n"
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"POINT_IN_TIME"
     "\", \"key\": \"eval_loss\", \"value\": 9.0, \"metadata\": {\"file\": \"t.py\","
     " \"lineno\": 1, \"step_num\": 10}}\n"
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"POINT_IN_TIME"
     "\", \"key\": \"train_loss\", \"value\": 2.25, \"metadata\": {\"file\": \"t.py"
     "\", \"lineno\": 1, \"step_num\": 20}}\n"
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"POINT_IN_TIME"
     "\", \"key\": \"eval_loss\", \"value\": 9.0, \"metadata\": {\"file\": \"t.py\","
     " \"lineno\": 1, \"step_num\": 20}}\n"
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"POINT_IN_TIME"
     "\", \"key\": \"train_loss\", \"value\": 2.0, \"metadata\": {\"file\": \"t.py\""
     ", \"lineno\": 1, \"step_num\": 30}}\n"
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"POINT_IN_TIME"
     "\", \"key\": \"eval_loss\", \"value\": 9.0, \"metadata\": {\"file\": \"t.py\","
     " \"lineno\": 1, \"step_num\": 30}}\n", 994,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"clearml.json",
     "{\"loss\": {\"train\": {\"name\": \"train\", \"x\": [10, 20, 30], \"y\": [2.5,"
     " 2.25, 2.0]}}}", 80,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"mlflow_rest.json",
     "{\"metrics\": [{\"key\": \"loss\", \"value\": 2.5, \"timestamp\": 170000000000"
     "0, \"step\": 10}, {\"key\": \"loss\", \"value\": 2.25, \"timestamp\": 17000000"
     "00000, \"step\": 20}, {\"key\": \"loss\", \"value\": 2.0, \"timestamp\": 17000"
     "00000000, \"step\": 30}]}", 227,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"mlflow_hist.csv",
     "run_id,key,value,step,timestamp\n"
     "abc,loss,2.5,10,1700000000000\n"
     "abc,loss,2.25,20,1700000000000\n"
     "abc,loss,2.0,30,1700000000000\n", 123,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"wb_table.json",
     "{\"columns\": [\"step\", \"loss\"], \"data\": [[10, 2.5], [20, 2.25], [30, 2.0"
     "]]}", 73,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"wb_pd.json",
     "{\"_step\": {\"0\": 10, \"1\": 20, \"2\": 30}, \"train/loss\": {\"0\": 2.5, \""
     "1\": 2.25, \"2\": 2.0}}", 85,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"tb_exp2.csv",
     "wall_time,step,value\n"
     "1.7e9,10,2.5\n"
     "1.7e9,20,2.25\n", 48,
     {{10, 2.5}, {20, 2.25}}, 2},
    {"tb_reduce.json",
     "{\"train/loss\": [{\"wall_time\": 1700000000.0, \"step\": 10, \"value\": 2.5},"
     " {\"wall_time\": 1700000000.0, \"step\": 20, \"value\": 2.25}, {\"wall_time\":"
     " 1700000000.0, \"step\": 30, \"value\": 2.0}]}", 182,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"comet.json",
     "[{\"metricName\": \"loss\", \"metricValue\": \"2.5\", \"timestamp\": 1, \"step"
     "\": 10, \"epoch\": null}, {\"metricName\": \"loss\", \"metricValue\": \"2.25\""
     ", \"timestamp\": 1, \"step\": 20, \"epoch\": null}, {\"metricName\": \"loss\","
     " \"metricValue\": \"2.0\", \"timestamp\": 1, \"step\": 30, \"epoch\": null}]", 268,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"neptune.csv",
     "step,value,timestamp\n"
     "10,2.5,2025-01-01\n"
     "20,2.25,2025-01-01\n", 58,
     {{10, 2.5}, {20, 2.25}}, 2},
    {"aim.csv",
     "Run,Metric,Context,Step,Value\n"
     "abc,loss,\"subset=\"\"train\"\"\",10,2.5\n"
     "abc,loss,\"subset=\"\"train\"\"\",20,2.25\n"
     "abc,loss,\"subset=\"\"val\"\"\",10,9.5\n", 134,
     {{10, 2.5}, {20, 2.25}}, 2},
    {"sacred.json",
     "{\"training.loss\": {\"steps\": [10, 20, 30], \"timestamps\": [\"a\", \"b\", "
     "\"c\"], \"values\": [2.5, 2.25, 2.0]}}", 101,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"tune_result.json",
     "{\"loss\": 2.5, \"training_iteration\": 10, \"time_total_s\": 1.0, \"done\": f"
     "alse}\n"
     "{\"loss\": 2.25, \"training_iteration\": 20, \"time_total_s\": 1.0, \"done\": "
     "false}\n"
     "{\"loss\": 2.0, \"training_iteration\": 30, \"time_total_s\": 1.0, \"done\": f"
     "alse}\n", 229,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"tune_progress.csv",
     "loss,timestamp,done,training_iteration\n"
     "2.5,1,False,10\n"
     "2.25,1,False,20\n", 70,
     {{10, 2.5}, {20, 2.25}}, 2},
    {"catalyst.log",
     "10/100 * Epoch (train): loss: 2.5 | lr: 0.01\n"
     "20/100 * Epoch (train): loss: 2.25 | lr: 0.01\n"
     "30/100 * Epoch (train): loss: 2.0 | lr: 0.01\n"
     "* Epoch (valid): loss: 3.0\n", 163,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"torchtune_bar.log",
     "1|10|Loss: 2.5:   1%|  | 10/100 [00:10<01:30,  1.0s/it]\r1|20|Loss: 2.25:   1%"
     "|  | 20/100 [00:10<01:30,  1.0s/it]\r1|30|Loss: 2.0:   1%|  | 30/100 [00:10<01"
     ":30,  1.0s/it]\r\n", 170,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"list.pkl",
     "\200\004\225 \000\000\000\000\000\000\000]\224(G@\004\000\000\000\000\000\000G"
     "@\002\000\000\000\000\000\000G@\000\000\000\000\000\000\000e.", 43,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"dict.pkl",
     "\200\002}q\000(X\004\000\000\000lossq\001]q\002(G@\004\000\000\000\000\000\000"
     "G@\002\000\000\000\000\000\000G@\000\000\000\000\000\000\000eX\004\000\000\000"
     "stepq\003]q\004(K\n"
     "K\024K\036eu.", 73,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"steps.pkl",
     "\200\004\225&\000\000\000\000\000\000\000}\224(K\n"
     "G@\004\000\000\000\000\000\000K\024G@\002\000\000\000\000\000\000K\036G@\000"
     "\000\000\000\000\000\000u.", 49,
     {{10, 2.5}, {20, 2.25}, {30, 2.0}}, 3},
    {"numpy.pkl",
     "\200\004\225\210\000\000\000\000\000\000\000]\224(\214\026numpy._core.multiarr"
     "ay\224\214\006scalar\224\223\224\214\005numpy\224\214\005dtype\224\223\224\214"
     "\002f4\224\211\210\207\224R\224(K\003\214\001<\224NNNJ\377\377\377\377J\377"
     "\377\377\377K\000t\224bC\004\000\000 @\224\206\224R\224h\003h\tC\004\000\000"
     "\020@\224\206\224R\224h\003h\tC\004\000\000\000@\224\206\224R\224e.", 147,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"array.pkl",
     "\200\002}q\000X\004\000\000\000lossq\001cnumpy._core.multiarray\n"
     "_reconstruct\n"
     "q\002cnumpy\n"
     "ndarray\n"
     "q\003K\000\205q\004c_codecs\n"
     "encode\n"
     "q\005X\001\000\000\000bq\006X\006\000\000\000latin1q\007\206q\010Rq\t\207q\n"
     "Rq\013(K\001K\003\205q\014cnumpy\n"
     "dtype\n"
     "q\rX\002\000\000\000f4q\016\211\210\207q\017Rq\020(K\003X\001\000\000\000<q"
     "\021NNNJ\377\377\377\377J\377\377\377\377K\000tq\022b\211h\005X\014\000\000"
     "\000\000\000 @\000\000\020@\000\000\000@q\023h\007\206q\024Rq\025tq\026bs.", 234,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"defaultdict.pkl",
     "\200\004\225^\000\000\000\000\000\000\000\214\013collections\224\214\013defaul"
     "tdict\224\223\224\214\010builtins\224\214\004list\224\223\224\205\224R\224\214"
     "\004loss\224]\224(G@\004\000\000\000\000\000\000G@\002\000\000\000\000\000\000"
     "G@\000\000\000\000\000\000\000es.", 105,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"deque.pkl",
     "\200\004\2259\000\000\000\000\000\000\000\214\013collections\224\214\005deque"
     "\224\223\224)R\224(G@\004\000\000\000\000\000\000G@\002\000\000\000\000\000"
     "\000G@\000\000\000\000\000\000\000e.", 68,
     {{1, 2.5}, {2, 2.25}, {3, 2.0}}, 3},
    {"rows.npy",
     "\223NUMPY\001\000v\000{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"
     "                                                             \n"
     "\200\004\225\272\000\000\000\000\000\000\000\214\026numpy._core.multiarray\224"
     "\214\014_reconstruct\224\223\224\214\005numpy\224\214\007ndarray\224\223\224K"
     "\000\205\224C\001b\224\207\224R\224(K\001K\002\205\224h\003\214\005dtype\224"
     "\223\224\214\002O8\224\211\210\207\224R\224(K\003\214\001|\224NNNJ\377\377\377"
     "\377J\377\377\377\377K?t\224b\211]\224(}\224(\214\004step\224K\n"
     "\214\004loss\224G@\004\000\000\000\000\000\000u}\224(h\024K\024h\025G@\002\000"
     "\000\000\000\000\000uet\224b.", 325,
     {{10, 2.5}, {20, 2.25}}, 2},
    {"none.pkl",
     "\200\004\225\"\000\000\000\000\000\000\000}\224\214\004loss\224]\224(NG@\000"
     "\000\000\000\000\000\000G?\360\000\000\000\000\000\000es.", 45,
     {{2, 2.0}, {3, 1.0}}, 2},
};

static const struct form refused[] = {
    {"py_epochs.txt",
     "epoch 1 losses: [2.5, 2.25]\n"
     "epoch 2 losses: [2.0, 1.75]\n", 56, {{0, 0}}, 0},
    {"py_trunc.txt",
     "[2.5, 2.25, ..., 2.0]\n", 22, {{0, 0}}, 0},
    {"py_trunc2.txt",
     "losses: [2.5 2.25 ... 2.0]\n", 27, {{0, 0}}, 0},
    {"semi_dec.csv",
     "step;loss\n"
     "10;2,5\n"
     "20;2,25\n"
     "30;2,0\n", 32, {{0, 0}}, 0},
    {"csv_nohead3.csv",
     "1,2.5,0.001\n"
     "2,2.25,0.001\n"
     "3,2.0,0.001\n", 37, {{0, 0}}, 0},
    {"wb_gql.json",
     "{\"data\": {\"project\": {\"run\": {\"history\": [\"{\\\"_step\\\": 10, \\\"lo"
     "ss\\\": 2.5}\", \"{\\\"_step\\\": 20, \\\"loss\\\": 2.25}\", \"{\\\"_step\\\":"
     " 30, \\\"loss\\\": 2.0}\"]}}}}", 148, {{0, 0}}, 0},
    {"lone.pkl",
     "\200\004\225\037\000\000\000\000\000\000\000}\224(\214\004loss\224G@\004\000"
     "\000\000\000\000\000\214\005epoch\224K\003u.", 42, {{0, 0}}, 0},
    {"texts.pkl",
     "\200\004\225\025\000\000\000\000\000\000\000]\224(\214\001a\224K\001\206\224"
     "\214\001b\224K\002\206\224e.", 32, {{0, 0}}, 0},
    {"two.pkl",
     "\200\004\225\333\000\000\000\000\000\000\000]\224(\214\026numpy._core.multiarr"
     "ay\224\214\014_reconstruct\224\223\224\214\005numpy\224\214\007ndarray\224\223"
     "\224K\000\205\224C\001b\224\207\224R\224(K\001K\003\205\224h\004\214\005dtype"
     "\224\223\224\214\002f8\224\211\210\207\224R\224(K\003\214\001<\224NNNJ\377\377"
     "\377\377J\377\377\377\377K\000t\224b\211C\030\000\000\000\000\000\000\004@\000"
     "\000\000\000\000\000\002@\000\000\000\000\000\000\000@\224t\224bh\003h\006K"
     "\000\205\224h\010\207\224R\224(K\001K\003\205\224h\020\211C\030\000\000\000"
     "\000\000\000\004@\000\000\000\000\000\000\002@\000\000\000\000\000\000\000@"
     "\224t\224be.", 230, {{0, 0}}, 0},
};

static int open_form(struct series *s, const struct form *f, struct err *e)
{
    static char dir[256];
    if (!*dir)
        snprintf(dir, sizeof dir, "%s", scratch());
    return series_open(s, put_bytes(dir, f->name, f->bytes, f->size), NULL, e);
}

static void every_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        const struct form *f = &forms[i];
        struct series s;
        struct err e;
        if (open_form(&s, f, &e))
            fail_msg("%s", e.text);
        check_losses(&s, f->name, f->of, f->n);
        series_release(&s);
    }
}

/* A figure nobody can place is not read: lists of two epochs, two steps on one line, what was shortened. */
static void every_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        struct series s;
        struct err e;
        if (open_form(&s, &refused[i], &e) == 0)
            fail_msg("read: %s", refused[i].name);
        assert_true(e.text[0]);
        series_release(&s);
    }
}

/* What is recognised says what to do. */
static void advice(void **state)
{
    static const struct form shortened = {"x.txt", "losses: [2.5 2.25 ... 2.0]\n", 27, {{0, 0}}, 0},
                             unnamed = {"y.txt", "1 2.5 0.1\n2 2.25 0.1\n", 21, {{0, 0}}, 0};
    struct series s;
    struct err e;
    (void)state;
    assert_int_equal(open_form(&s, &shortened, &e), -1);
    assert_non_null(strstr(e.text, "numpy.set_printoptions(threshold=sys.maxsize)"));
    series_release(&s);
    assert_int_equal(open_form(&s, &unnamed, &e), -1);
    assert_non_null(strstr(e.text, "3 columns without names: write a line of names above them, as in step,loss,lr"));
    series_release(&s);
}

/* Norms by the names of the weights: that of a.wq.weight is 2.5 and that of norm.bias 0.25, of step 1 or the first. */
static const struct form norms[] = {
    {"l2.log",
     "iter 1 | a.wq.weight | L2 = 2.5\n"
     "iter 1 | norm.bias | L2 = 0.25\n", 0, {{0, 0}}, 0},
    {"L2norm.log",
     "step 1 a.wq.weight L2 norm: 2.5\n"
     "step 1 norm.bias L2 norm: 0.25\n", 0, {{0, 0}}, 0},
    {"Norm.log",
     "step 1 a.wq.weight Grad Norm: 2.5\n"
     "step 1 norm.bias Grad Norm: 0.25\n", 0, {{0, 0}}, 0},
    {"NORM.log",
     "step 1 a.wq.weight NORM=2.5\n"
     "step 1 norm.bias NORM=0.25\n", 0, {{0, 0}}, 0},
    {"bars.txt",
     "| step | name | norm |\n"
     "|---|---|---|\n"
     "| 1 | a.wq.weight | 2.5 |\n"
     "| 1 | norm.bias | 0.25 |\n", 0, {{0, 0}}, 0},
    {"bars2.txt",
     "+---+\n"
     "| Step | Param | Grad Norm |\n"
     "+---+\n"
     "| 1 | a.wq.weight | 2.5 |\n"
     "| 1 | norm.bias | 0.25 |\n"
     "+---+\n", 0, {{0, 0}}, 0},
    {"box.txt",
     "\342\224\203 step \342\224\203 name \342\224\203 norm \342\224\203\n"
     "\342\224\202 1 \342\224\202 a.wq.weight \342\224\202 2.5 \342\224\202\n"
     "\342\224\202 1 \342\224\202 norm.bias \342\224\202 0.25 \342\224\202\n", 0, {{0, 0}}, 0},
    {"barsns.txt",
     "| name | norm |\n"
     "|---|---|\n"
     "| a.wq.weight | 2.5 |\n"
     "| norm.bias | 0.25 |\n", 0, {{0, 0}}, 0},
    {"csv.csv",
     "step,name,norm\n"
     "1,a.wq.weight,2.5\n"
     "1,norm.bias,0.25\n", 0, {{0, 0}}, 0},
    {"csv2.csv",
     "step,rank,param,grad_norm,shape\n"
     "1,1,a.wq.weight,3.5,4\n"
     "1,0,a.wq.weight,2.5,4\n"
     "1,1,norm.bias,1.25,4\n"
     "1,0,norm.bias,0.25,4\n", 0, {{0, 0}}, 0},
    {"csv3.csv",
     ",name,grad_norm\n"
     "0,a.wq.weight,2.5\n"
     "1,norm.bias,0.25\n", 0, {{0, 0}}, 0},
    {"csvq.csv",
     "\"step\",\"name\",\"norm\"\n"
     "\"1\",\"a.wq.weight\",\"2.5\"\n"
     "\"1\",\"norm.bias\",\"0.25\"\n", 0, {{0, 0}}, 0},
    {"tsv.tsv",
     "step\tname\tnorm\n"
     "1\ta.wq.weight\t2.5\n"
     "1\tnorm.bias\t0.25\n", 0, {{0, 0}}, 0},
    {"wide.csv",
     "step,a.wq.weight,norm.bias\n"
     "1,2.5,0.25\n", 0, {{0, 0}}, 0},
    {"normfirst.log",
     "step 1 norm 2.5 a.wq.weight\n"
     "step 1 norm 0.25 norm.bias\n", 0, {{0, 0}}, 0},
    {"normfirst2.log",
     "step 1: grad_norm=2.5 name=a.wq.weight\n"
     "step 1: grad_norm=0.25 name=norm.bias\n", 0, {{0, 0}}, 0},
    {"cn.log",
     "\347\254\2541\346\255\245 a.wq.weight \346\242\257\345\272\246\350\214\203\346\225\260: 2.5\n"
     "\347\254\2541\346\255\245 norm.bias \346\242\257\345\272\246\350\214\203\346\225\260: 0.25\n", 0, {{0, 0}}, 0},
    {"cn2.log",
     "\346\255\245\346\225\260 1\357\274\214\345\217\202\346\225\260 a.wq.weight\357\274\214"
     "\350\214\203\346\225\260\357\274\2322.5\n"
     "\346\255\245\346\225\260 1\357\274\214\345\217\202\346\225\260 norm.bias\357\274\214\350\214\203"
     "\346\225\260\357\274\2320.25\n", 0, {{0, 0}}, 0},
    {"cn3.log",
     "step 1 a.wq.weight \346\235\203\351\207\215\350\214\203\346\225\260: 9.0 \346\242\257"
     "\345\272\246\350\214\203\346\225\260: 2.5\n"
     "step 1 norm.bias \346\235\203\351\207\215\350\214\203\346\225\260: 9.0 \346\242\257\345\272\246"
     "\350\214\203\346\225\260: 0.25\n", 0, {{0, 0}}, 0},
    {"cn4.csv",
     "step,\345\217\202\346\225\260\345\220\215,\346\242\257\345\272\246\350\214\203\346\225\260\n"
     "1,a.wq.weight,2.5\n"
     "1,norm.bias,0.25\n", 0, {{0, 0}}, 0},
    {"tup.log",
     "('a.wq.weight', 2.5)\n"
     "('norm.bias', 0.25)\n", 0, {{0, 0}}, 0},
    {"tup3.log",
     "(1, 'a.wq.weight', 2.5)\n"
     "(1, 'norm.bias', 0.25)\n", 0, {{0, 0}}, 0},
    {"tupt.log",
     "('a.wq.weight', tensor(2.5))\n"
     "('norm.bias', tensor(0.25))\n", 0, {{0, 0}}, 0},
    {"pair.log",
     "a.wq.weight 2.5\n"
     "norm.bias 0.25\n", 0, {{0, 0}}, 0},
    {"pairc.log",
     "a.wq.weight: 2.5\n"
     "norm.bias: 0.25\n", 0, {{0, 0}}, 0},
    {"paireq.log",
     "a.wq.weight = 2.5\n"
     "norm.bias = 0.25\n", 0, {{0, 0}}, 0},
    {"dict.txt",
     "{'a.wq.weight': 2.5, 'norm.bias': 0.25}\n", 0, {{0, 0}}, 0},
    {"dict2.log",
     "{'a.wq.weight': 2.5, 'norm.bias': 0.25}\n", 0, {{0, 0}}, 0},
    {"dict3.log",
     "{'step': 1, 'a.wq.weight': 2.5, 'norm.bias': 0.25}\n", 0, {{0, 0}}, 0},
    {"dict4.jsonl",
     "{\"step\": 1, \"norms\": {\"a.wq.weight\": 2.5, \"norm.bias\": 0.25}}\n", 0, {{0, 0}}, 0},
    {"dict5.json",
     "{\"1\": {\"a.wq.weight\": 2.5, \"norm.bias\": 0.25}}", 0, {{0, 0}}, 0},
    {"dict6.json",
     "{\"a.wq.weight\": [2.5, 5.0], \"norm.bias\": [0.25, 0.5]}", 0, {{0, 0}}, 0},
    {"dict7.json",
     "{\n"
     " \"a.wq.weight\": 2.5,\n"
     " \"norm.bias\": 0.25\n"
     "}", 0, {{0, 0}}, 0},
    {"dict8.txt",
     "{'a.wq.weight': tensor(2.5000), 'norm.bias': tensor(0.2500, device='npu:0')}\n", 0, {{0, 0}}, 0},
    {"list.txt",
     "[('a.wq.weight', 2.5), ('norm.bias', 0.25)]\n", 0, {{0, 0}}, 0},
    {"ord.txt",
     "OrderedDict([('a.wq.weight', 2.5), ('norm.bias', 0.25)])\n", 0, {{0, 0}}, 0},
    {"logdict.log",
     "2025-01-01 10:00:00 INFO step 1 grad norms: {'a.wq.weight': 2.5, 'norm.bias': 0.25}\n", 0, {{0, 0}}, 0},
};

/* Shapes, means, weights' own norms and names of files are none. */
static const struct form no_norms[] = {
    {"index.json",
     "{\"weight_map\": {\"a.wq.weight\": \"a.safetensors\", \"norm.bias\": \"a.safetensors\"}}", 0, {{0, 0}}, 0},
    {"shape.log",
     "a.wq.weight torch.Size([4, 4])\n"
     "norm.bias torch.Size([4, 4])\n", 0, {{0, 0}}, 0},
    {"mean.log",
     "step 1 a.wq.weight mean 2.5\n"
     "step 1 norm.bias mean 0.25\n", 0, {{0, 0}}, 0},
    {"lr.json",
     "{\"lr\": {\"a.wq.weight\": 2.5, \"norm.bias\": 0.25}}", 0, {{0, 0}}, 0},
    {"wn.csv",
     "step,name,weight_norm\n"
     "1,a.wq.weight,2.5\n"
     "1,norm.bias,0.25\n", 0, {{0, 0}}, 0},
    {"std.csv",
     "step,name,std\n"
     "1,a.wq.weight,2.5\n"
     "1,norm.bias,0.25\n", 0, {{0, 0}}, 0},
    {"global.log",
     "step 1 grad_norm 1.5 most of it in layer 3 of a.wq.weight\n"
     "step 2 grad_norm 1.5 most of it in layer 3 of a.wq.weight\n", 0, {{0, 0}}, 0},
};

static size_t read_norms(struct series *s, const struct form *f, double found[2])
{
    static const char *const names[2] = {"a.wq.weight", "norm.bias"};
    struct form sized = *f;
    struct err e;
    size_t n = 0;
    found[0] = found[1] = 0;
    sized.size = strlen(f->bytes);
    if (open_form(s, &sized, &e) == 0)
        for (size_t i = 0; i < s->names.n; i++)
            for (size_t k = 0; k < 2; k++)
                if (strcmp(s->names.v[i].tag, "local_norm") == 0 && strcmp(s->names.v[i].name, names[k]) == 0) {
                    assert_true(log_name_at(s, &s->names.v[i], 1, &found[k]));
                    n++;
                }
    return n;
}

static void norms_by_name(void **state)
{
    struct series s;
    double found[2];
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(norms); i++) {
        if (read_norms(&s, &norms[i], found) != 2 || found[0] != 2.5 || found[1] != 0.25)
            fail_msg("%s: %g, %g", norms[i].name, found[0], found[1]);
        series_release(&s);
    }
    for (size_t i = 0; i < ARRAY_LEN(no_norms); i++) {
        if (read_norms(&s, &no_norms[i], found) != 0)
            fail_msg("%s: %g, %g", no_norms[i].name, found[0], found[1]);
        series_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(every_refused),
        cmocka_unit_test(advice),
        cmocka_unit_test(norms_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
