"""Recipes for MindSpore run as they are, on a CPU: as recipes_torch.py. A CPU's Dump writes no statistics and no single cell, so of these recipes the
configuration is looked at alone, and the Dump runs with tensors."""
import os
import sys

from intervention import diverge, worker
from recipes_shared import paste, recipe


def network():
    import mindspore as ms
    import numpy
    from mindspore import nn

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.embed, self.norm, self.head = nn.Embedding(20, 8), nn.LayerNorm([8]), nn.Dense(8, 20)

        def construct(self, ids):
            return self.head(self.norm(self.embed(ids)))

    net, draw = Net(), numpy.random.RandomState(7)
    for p in net.get_parameters():
        p.set_data(ms.Tensor(draw.randn(*p.shape).astype("float32") * 0.3))
    ids = ms.Tensor(draw.randint(0, 20, (4, 6)).astype("int32"))
    labels = ms.Tensor(draw.randint(0, 20, (24,)).astype("int32"))
    loss = nn.CrossEntropyLoss()

    def forward(x):
        return loss(net(x).reshape(24, 20), labels)

    return net, forward, ids


def graph(out):
    import mindspore as ms
    ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
    net, forward, ids = network()
    ms.jit(ms.value_and_grad(forward, None, net.trainable_params()))(ids)


def train(out):
    paste("determinism.py")
    import mindspore as ms
    from mindspore import mint, nn
    from msprobe.mindspore import PrecisionDebugger
    mint.norm = lambda t, *_, **__: (t * t).sum().sqrt()  # msprobe's statistics: a CPU has no kernel of its own for it
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    net, forward, ids = network()
    optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=1e-3, beta1=0.9, beta2=0.95, eps=1e-8, weight_decay=0.1)
    config = os.path.abspath("config_mindspore.json")
    os.makedirs(out)
    os.chdir(out)
    paste("../save_initial.py", model=net)
    debugger = PrecisionDebugger(config_path=config)
    debugger.start(net)
    _, grads = ms.value_and_grad(forward, None, net.trainable_params())(ids)
    debugger.stop()
    debugger.step()
    if os.path.exists("../golden_grad.ckpt"):
        os.chdir("..")
        paste("inject_gradients.py", optimizer=optimizer)
        os.chdir(out)
        ms.save_checkpoint(net, "after_injected.ckpt")
    else:
        paste("../save_step.py", optimizer=optimizer, grads=grads)


if len(sys.argv) > 1:
    (graph if sys.argv[1] == "graph" else train)(sys.argv[1])
    sys.exit()

for name, file in (("determinism-mindspore", "determinism.py"), ("msprobe-mindspore", "config_mindspore.json"), ("initial-weights-mindspore", "save_initial.py"),
                   ("step-mindspore", "save_step.py"), ("inject-gradients-mindspore", "inject_gradients.py"), ("mindspore-dump", "data_dump.json"),
                   ("overflow-mindspore", "overflow_dump.json")):
    recipe(name, file)
diverge("check", "config_mindspore.json", codes=(0,))
diverge("check", "data_dump.json", codes=(0,))
diverge("check", "overflow_dump.json", codes=(0,))
for side in ("one", "two"):
    worker(__file__, side)
diverge("compare", "one/dump_mindspore", "two/dump_mindspore", codes=(0,))
diverge("weights", "one/initial.ckpt", "two/initial.ckpt", "--exact", codes=(0,))
diverge("weights", "one/step/grad.ckpt", "two/step/grad.ckpt", "--exact", codes=(0,))
os.rename("two/step/grad.ckpt", "golden_grad.ckpt")
worker(__file__, "injected")
diverge("weights", "injected/after_injected.ckpt", "one/step/after.ckpt", "--exact", codes=(0,))
text = open("data_dump.json").read().replace("/absolute/path/dump", os.path.abspath("dumped")).replace('"full"', '"tensor"')
with open("cpu_dump.json", "w") as f:
    f.write(text)
os.environ["MINDSPORE_DUMP_CONFIG"] = os.path.abspath("cpu_dump.json")
os.environ["MS_DIAGNOSTIC_DATA_PATH"] = os.path.abspath("diagnostic")
worker(__file__, "graph")
del os.environ["MINDSPORE_DUMP_CONFIG"]
diverge("check", "dumped", codes=(0,))
print("recipes in mindspore: 7 ran")
