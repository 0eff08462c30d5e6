"""A small language model trained five steps: logged without hooks, dumped with msprobe's in the first step, and dumped with a hook of its own that hands on a clipped value."""
import json, os, sys, shutil
import torch
from torch import nn
which, out = sys.argv[1], sys.argv[2]
torch.manual_seed(3)
torch.use_deterministic_algorithms(True)
class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm, self.fc1, self.fc2 = nn.LayerNorm(n), nn.Linear(n, 2*n), nn.Linear(2*n, n)
    def forward(self, x):
        return x + self.fc2(torch.nn.functional.gelu(self.fc1(self.norm(x))))
class Net(nn.Module):
    def __init__(self, n=16, v=50):
        super().__init__()
        self.embed, self.layers, self.norm, self.head = nn.Embedding(v, n), nn.ModuleList([Block(n) for _ in range(2)]), nn.LayerNorm(n), nn.Linear(n, v)
    def forward(self, ids):
        x = self.embed(ids)
        for l in self.layers:
            x = l(x)
        return self.head(self.norm(x))
net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
data = torch.randint(0, 50, (5, 4, 9), generator=torch.Generator().manual_seed(1))
dbg = None
if which != "log":
    from msprobe.pytorch import PrecisionDebugger
    os.makedirs(out, exist_ok=True)
    cfg = out + ".config.json"
    json.dump({"task": "statistics", "dump_path": out, "rank": [], "step": [0], "level": "mix", "statistics": {"scope": [], "list": [], "data_mode": ["all"], "summary_mode": "statistics"}}, open(cfg, "w"))
    dbg = PrecisionDebugger(config_path=cfg)
if which == "changed":
    for l in (m for m in net.modules() if isinstance(m, nn.Linear)):
        l.register_forward_hook(lambda m, i, o: o.clamp(-0.5, 0.5))
lines = []
for step in range(5):
    if dbg: dbg.start(model=net)
    x = data[step]
    loss = nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    loss.backward()
    if dbg:
        dbg.stop(); dbg.step()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step(); opt.zero_grad()
    lines.append({"step": step, "loss": round(loss.item(), 6), "grad_norm": round(norm.item(), 6), "lr": 1e-3})
    print(lines[-1])
if which == "log":
    with open(out, "w") as f:
        for l in lines: f.write(json.dumps(l) + "\n")
