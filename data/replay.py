
import os
import sys


def leave(why):
    print("not replayed: " + why, file=sys.stderr)
    sys.exit(2)


try:
    import numpy
except ImportError as e:
    leave("%s" % e)

try:
    framework = __import__(FRAMEWORK)
except ImportError as e:
    leave("%s; this script wants the framework %s" % (e, FRAMEWORK))

HERE = os.path.dirname(os.path.abspath(__file__))
WHOLE = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}
WIDE = ("recorded", "float32", "float64")


class Missing:
    """What the call was given and nothing here tells."""

    def __init__(self, why):
        self.why = why


class Recorded:
    """A tensor in a file: of torch's save, or of numpy, where types numpy lacks are whole numbers of their bits."""

    def __init__(self, path, dtype):
        self.path, self.dtype = os.path.join(HERE, path), dtype

    def tensor(self):
        if self.path.endswith(".pt"):
            if FRAMEWORK != "torch":
                leave("%s needs torch to be read" % self.path)
            return framework.load(self.path, map_location="cpu", weights_only=True).detach()
        try:
            a = numpy.load(self.path)
        except (OSError, ValueError) as e:
            leave("%s: %s" % (self.path, e))
        foreign = self.dtype in WHOLE and a.dtype.itemsize == numpy.dtype(WHOLE[self.dtype]).itemsize
        if FRAMEWORK == "torch":
            import torch
            if not foreign:
                return torch.from_numpy(numpy.ascontiguousarray(a).reshape(a.shape))
            bits = a.view("int16" if self.dtype == "bfloat16" else "uint8")
            return torch.from_numpy(numpy.ascontiguousarray(bits).reshape(a.shape)).view(getattr(torch, self.dtype))
        import mindspore
        if not foreign:
            return mindspore.Tensor(a)
        if self.dtype != "bfloat16":
            leave("%s is %s, which this script does not load in MindSpore" % (self.path, self.dtype))
        wide = (a.view("uint16").astype("uint32") << 16).view("float32")
        return mindspore.Tensor(wide).astype(mindspore.bfloat16)


class Named:
    """A name that means a type of the framework."""

    def __init__(self, name):
        self.name = name


def is_tensor(x):
    return isinstance(x, framework.Tensor)


def is_floating(x):
    return is_tensor(x) and "float" in str(x.dtype).lower()


def values(x):
    """As numpy's float64."""
    if FRAMEWORK == "torch":
        return x.detach().cpu().to(framework.float64).numpy() if not x.is_complex() else x.detach().cpu().numpy()
    return x.astype(framework.float32).asnumpy().astype("float64") if "BFloat16" in str(x.dtype) else x.asnumpy().astype("float64")


def make(x, width):
    if isinstance(x, Missing):
        leave(x.why)
    if isinstance(x, Named):
        return getattr(framework, x.name)
    if isinstance(x, list):
        return [make(y, width) for y in x]
    if isinstance(x, dict):
        return {k: make(y, width) for k, y in x.items()}
    if not isinstance(x, Recorded):
        return x
    t = x.tensor()
    if width != "recorded" and is_floating(t):
        t = t.to(getattr(framework, width)) if FRAMEWORK == "torch" else t.astype(getattr(framework, width))
    return t


def place(tree, parts, x):
    """Puts x where the slot's name says: numbers are places of a list, words keys."""
    for part in parts[:-1]:
        tree = tree.setdefault(part, {})
    tree[parts[-1]] = x


def lists(tree, what):
    if not isinstance(tree, dict):
        return tree
    if not tree or not all(k.isdigit() for k in tree):
        return {k: lists(v, what) for k, v in tree.items()}
    n = max(int(k) for k in tree) + 1
    return [lists(tree.get(str(i), Missing("%s.%d was not recorded" % (what, i))), what) for i in range(n)]


def arguments(inputs):
    tree = {}
    for slot, x in inputs:
        place(tree, slot.split(".")[1:] or ["0"], x)
    numbered = {k: v for k, v in tree.items() if k.isdigit()}
    args = lists(numbered, "input") if numbered else []
    return args, {k: lists(v, "input." + k) for k, v in tree.items() if not k.isdigit()}


def api(path):
    """The function of that name; nothing else is called in its place."""
    at = __import__(path.split(".")[0])
    for part in path.split(".")[1:]:
        try:
            at = getattr(at, part)
        except AttributeError:
            try:
                __import__(at.__name__ + "." + part)
                at = getattr(at, part)
            except (ImportError, AttributeError):
                leave("%s is not in this version of %s" % (path, FRAMEWORK))
    return at


def not_filled_in(name):
    leave("how %s is called is not known; see the line marked FILL IN" % name)


def flat(x):
    if isinstance(x, (list, tuple)):
        return [z for y in x for z in flat(y)]
    return [x] if is_tensor(x) else []


def called(side, args, kwargs):
    def arg(position, name=None, *otherwise):
        if name in kwargs:
            return kwargs[name]
        if position < len(args):
            return args[position]
        if otherwise:
            return otherwise[0]
        leave("argument %d was not recorded" % position)

    return side["call"](arg, args, kwargs)


def replay(side, width):
    args, kwargs = arguments(side["inputs"])
    args, kwargs = make(args, width), make(kwargs, width)
    if "gradients" not in side:
        return flat(called(side, args, kwargs))
    if FRAMEWORK != "torch":
        leave("a backward call is replayed with torch only: --framework torch")
    args = [a.clone().requires_grad_(True) if is_floating(a) else a for a in args]
    kwargs = {k: a.clone().requires_grad_(True) if is_floating(a) else a for k, a in kwargs.items()}
    given = [make(x, width) for _, x in side["gradients"]]
    outs = [y for y in flat(called(side, args, kwargs)) if y.requires_grad]
    wanted = [a for a in args if is_floating(a)]
    if not wanted or len(given) < len(outs):
        leave("the gradients recorded do not fit the forward call")
    got = framework.autograd.grad(outs, wanted, [g.to(y.dtype).reshape(y.shape) for g, y in zip(given, outs)], allow_unused=True)
    back = iter(got)
    return [next(back) if is_floating(a) else None for a in args]


def compare(mine, recorded, turned):
    """Largest absolute difference and L2 of the difference over L2 of what was recorded."""
    if recorded is None or isinstance(recorded, Missing):
        return "not recorded"
    a, b = values(mine), values(make(recorded, "recorded"))
    a = a.swapaxes(-1, -2) if turned else a
    if a.size != b.size:
        return "%s against %s" % (list(a.shape), list(b.shape))
    with numpy.errstate(all="ignore"):
        d = a.reshape(-1) - b.reshape(-1)
        norm = numpy.sqrt(numpy.sum(numpy.abs(b) ** 2))
        rel = numpy.sqrt(numpy.sum(numpy.abs(d) ** 2)) / norm if norm else float("nan")
        return "max abs %.3e  rel L2 %.3e" % (numpy.max(numpy.abs(d)) if d.size else 0, rel)


def output_of(side, i):
    for slot, x in side["outputs"]:
        parts = slot.split(".")
        if (int(parts[-1]) if parts[-1].isdigit() else 0) == i:
            return x
    return None


def partner(side, i, mine):
    """What was recorded of an output, and whether it is transposed. Hooks of torch record the gradients of the last node of a
    call, which may be those of a transposed weight, or in another order: there the shape decides."""
    x = output_of(side, i)
    if "gradients" not in side:
        return x, False
    shape = list(mine.shape)
    for turned in (False, True):
        for y in [x] + [z for _, z in side["outputs"]]:
            if isinstance(y, Recorded) and list(y.tensor().shape) == (shape[:-2] + shape[:-3:-1] if turned else shape):
                return y, turned
    return None, False


def main(sides):
    for side in sides:
        if side["call"] is None:
            continue
        for width in WIDE:
            try:
                outs = replay(side, width)
            except SystemExit:
                raise
            except Exception as e:  # whatever the framework says of its own call
                if width == "recorded":
                    leave("%s, called with the %s's inputs: %s" % (side["name"], side["which"], e))
                print("%s inputs, %s: %s" % (side["which"], width, e))
                continue
            for i, out in enumerate(outs):
                if out is None:
                    continue
                for other in sides:
                    recorded, turned = partner(other, i, out)
                    what = ("gradient of input %d" if "gradients" in side else "output %d") % i + (" (transposed)" if turned else "")
                    print("%s inputs, %-8s  %s  to %-6s  %s" % (side["which"], width, what, other["which"], compare(out, recorded, turned)))

