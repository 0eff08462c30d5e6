"""Recipes for PyTorch run as they are: each one's text from the program, in a small training run, and what it wrote read by the program."""
import os
import subprocess
import sys

from intervention import diverge, worker
from recipes_shared import paste, recipe


def train(out, seed):
    """One step: deterministic, dumped, its weights, gradients and norms saved."""
    paste("determinism.py")
    import torch
    from msprobe.pytorch import PrecisionDebugger
    from torch import nn
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Embedding(20, 8), nn.LayerNorm(8), nn.Linear(8, 20))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
    config = os.path.abspath("config_pytorch.json")
    os.makedirs(out)
    os.chdir(out)
    paste("../save_initial.py", model=model)
    debugger = PrecisionDebugger(config_path=config)
    debugger.start(model=model)
    ids, labels = torch.randint(0, 20, (4, 6)), torch.randint(0, 20, (24,))
    nn.functional.cross_entropy(model(ids).flatten(0, 1), labels).backward()
    debugger.stop()
    debugger.step()
    paste("../local_norm.py", model=model)
    if os.path.exists("../golden_grad.pth"):
        for p in model.parameters():
            p.grad.zero_()
        os.chdir("..")
        paste("inject_gradients.py", model=model, optimizer=optimizer)
        os.chdir(out)
        torch.save({k: v.detach() for k, v in model.state_dict().items()}, "after_injected.pth")
    else:
        paste("../save_step.py", model=model, optimizer=optimizer)


if len(sys.argv) > 1:
    train(sys.argv[1], int(sys.argv[2]))
    sys.exit()

for name, file in (("determinism-pytorch", "determinism.py"), ("msprobe-pytorch", "config_pytorch.json"), ("initial-weights-pytorch", "save_initial.py"),
                   ("local-norm-megatron", "local_norm.py"), ("step-pytorch", "save_step.py"), ("inject-gradients-pytorch", "inject_gradients.py"),
                   ("overflow-msprobe", "config_overflow.json"), ("ptdbg-hooks", "ptdbg_hooks.py")):
    recipe(name, file)
diverge("check", "config_pytorch.json", codes=(0,))
diverge("check", "config_overflow.json", codes=(0,))
diverge("check", "ptdbg_hooks.py", codes=(0,))
for side in ("one", "two"):
    with open(f"{side}.log", "w") as log:
        subprocess.run([sys.executable, __file__, side, "7"], stdout=log, check=True)
diverge("compare", "one/dump_pytorch", "two/dump_pytorch", codes=(0,))
diverge("weights", "one/initial.pth", "two/initial.pth", "--exact", codes=(0,))
diverge("norms", "one.log", "two.log", codes=(0,))
diverge("optimizer", "one/step", "two/step", codes=(0,))
os.rename("two/step/grad.pth", "golden_grad.pth")
worker(__file__, "injected", "7")
diverge("weights", "injected/after_injected.pth", "one/step/after.pth", "--exact", codes=(0,))
# the overflow check dumps as the other configuration does
os.replace("config_overflow.json", "config_pytorch.json")
worker(__file__, "overflow", "7")
diverge("check", "overflow/dump_overflow", codes=(0,))
print("recipes in torch: 8 ran")
