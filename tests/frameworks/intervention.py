"""What both frameworks' tests of an intervention share: two dumps, the recipe, the dump with the value replaced, the round."""
import json
import os
import subprocess
import sys

DIVERGE = os.environ["DIVERGE"]


def config(path, level, dump):
    with open(path, "w") as f:
        json.dump({"task": "tensor", "dump_path": dump, "rank": [], "step": [], "level": level,
                   "tensor": {"scope": [], "list": [], "data_mode": ["all"]}}, f)
    return path


def diverge(*args, codes=(0, 1)):
    p = subprocess.run([DIVERGE, *args], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    if p.returncode not in codes:
        sys.exit(f"diverge {' '.join(args)} ends with {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout


def worker(script, *args):
    subprocess.run([sys.executable, script, *args], check=True)


def case(script, framework, level, fault, outcome):
    """Dumps golden and faulty target, lets the recipe's hook replace the first deviating row, and looks at the round."""
    name = f"{level}_{fault}"
    os.mkdir(name)
    os.chdir(name)
    worker(script, "dump", level, "none", "golden")
    worker(script, "dump", level, fault, "target")
    diverge("compare", "target", "golden", "-q", "--investigation", "t.investigation.json")
    diverge("recipe", "t.investigation.json", f"intervene-{framework}", "-o", "intervene.py")
    worker(script, "intervened", level, fault, "dump_intervened")
    diverge("round", "t.investigation.json", "dump_intervened")
    told = json.loads(diverge("changes", "t.investigation.json", "--json"))
    print(name, told["sentence"], told["intervention"])
    if told["confirmed"] or not told["intervention"] or told["intervention"]["outcome"] != outcome:
        sys.exit(f"{name}: {outcome} expected")
    os.chdir("..")
