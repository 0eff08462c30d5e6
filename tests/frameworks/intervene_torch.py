"""A norm with another epsilon: its output replaced by the golden one explains all that follows. With a second fault
behind it, it does not. Calls and modules, outputs of both."""
import os
import sys

LEVELS = {"L1": "calls", "L0": "modules"}


def dump(level, fault, out, intervened):
    sys.path.insert(0, os.getcwd())
    if intervened:
        import intervene
    import torch
    from msprobe.pytorch import PrecisionDebugger
    from torch import nn
    from intervention import config

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.norm, self.fc2 = nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 4)
            self.last = nn.LayerNorm(4)

        def forward(self, x):
            return self.last(self.fc2(nn.functional.gelu(self.norm(self.fc1(x)))))

    torch.manual_seed(1)
    net, x, y = Net(), torch.randn(6, 8), torch.randint(0, 4, (6,))
    if fault != "none":
        net.norm.eps = 0.1
    if fault == "two":
        net.last.eps = 0.1
    if intervened:
        intervene.intervene(net)
    debugger = PrecisionDebugger(config_path=config("config.json", level, out))
    debugger.start(model=net)
    nn.functional.cross_entropy(net(x), y).backward()
    debugger.stop()
    debugger.step()


if len(sys.argv) > 1:
    dump(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[1] == "intervened")
else:
    from intervention import case
    for level in LEVELS:
        case(__file__, "pytorch", level, "one", "confirmed")
        case(__file__, "pytorch", level, "two", "refuted")
    print("intervention in torch: 4 cases")
