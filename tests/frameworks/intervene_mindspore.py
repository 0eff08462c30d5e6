"""As intervene_torch.py: a norm with another epsilon, in MindSpore's dynamic graph, as a cell."""
import os
import sys


def dump(level, fault, out, intervened):
    sys.path.insert(0, os.getcwd())
    if intervened:
        import intervene
    import mindspore
    import numpy
    from mindspore import mint, nn
    from msprobe.mindspore import PrecisionDebugger
    from intervention import config

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc1, self.norm = nn.Dense(8, 16), nn.LayerNorm([16], epsilon=1e-5 if fault == "none" else 0.1)
            self.act, self.fc2 = nn.GELU(), nn.Dense(16, 4)
            self.last = nn.LayerNorm([4], epsilon=0.1 if fault == "two" else 1e-5)

        def construct(self, x):
            return self.last(self.fc2(self.act(self.norm(self.fc1(x)))))

    mint.norm = lambda t, *_, **__: (t * t).sum().sqrt()  # msprobe's statistics: a CPU has no kernel of its own for it
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE, device_target="CPU")
    mindspore.set_seed(1)
    net = Net()
    draw = numpy.random.RandomState(1)
    for p in net.get_parameters():
        p.set_data(mindspore.Tensor(draw.randn(*p.shape).astype("float32") * 0.3))
    x = mindspore.Tensor(draw.randn(6, 8).astype("float32"))
    if intervened:
        intervene.intervene(net)
    debugger = PrecisionDebugger(config_path=config("config.json", level, out))
    debugger.start(net)
    mindspore.value_and_grad(lambda v: net(v).sum(), None, net.trainable_params())(x)
    debugger.stop()
    debugger.step()


if len(sys.argv) > 1:
    dump(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[1] == "intervened")
else:
    from intervention import case
    case(__file__, "mindspore", "L0", "one", "confirmed")
    case(__file__, "mindspore", "L0", "two", "refuted")
    print("intervention in mindspore: 2 cases")
