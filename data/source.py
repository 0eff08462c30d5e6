
import sys

try:
    import numpy
except ImportError as e:
    print("not computed: %s" % e, file=sys.stderr)
    sys.exit(2)

try:
    import torch
except ImportError:
    torch = None

try:
    import torch_npu
except ImportError:
    torch_npu = None


def wide(x):
    return x.detach().cpu().to(torch.float64).numpy() if torch is not None and isinstance(x, torch.Tensor) else numpy.asarray(x, "float64")


def bfloat16(a):
    """Rounded to the nearest, as numpy's float32."""
    bits = numpy.ascontiguousarray(a, "float32").view("uint32").astype("uint64")
    return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16 << 16).astype("uint32").view("float32")


def with_torch(device, name):
    return wide(by_torch(device, getattr(torch, name)))


def with_numpy(name):
    return bfloat16(by_numpy(numpy.float32)) if name == "bfloat16" else wide(by_numpy(getattr(numpy, name)))


def devices():
    if torch is None:
        return []
    found = ["cpu"]
    if torch.cuda.is_available():
        found.append("cuda")
    if torch_npu is not None and torch.npu.is_available():
        found.append("npu")
    return found


def recorded(path):
    if path.endswith(".pt"):
        return wide(torch.load(path, map_location="cpu", weights_only=True)) if torch is not None else None
    try:
        return wide(numpy.load(path))
    except (OSError, ValueError):
        return None


def figures(a):
    return "max %.9g  min %.9g  mean %.9g  norm %.9g" % (a.max(), a.min(), a.mean(), numpy.sqrt((a * a).sum()))


def main(sides):
    import platform
    print("%s, %s" % (platform.machine(), "torch %s" % torch.__version__ if torch is not None else "numpy %s alone" % numpy.__version__))
    exact = with_numpy("float64")
    rows = [("cpu numpy", n, lambda n=n: with_numpy(n)) for n in ("float32", "float64", "bfloat16")]
    rows += [(d + " torch", n, lambda d=d, n=n: with_torch(d, n)) for d in devices() for n in ("float32", "float64", "bfloat16")]
    for where, name, compute in rows:
        try:
            a = compute()
        except (RuntimeError, TypeError, NotImplementedError) as e:  # a device that lacks the type
            print("%-10s %-8s  %s" % (where, name, e))
            continue
        print("%-10s %-8s  %s  from exact %.3e" % (where, name, figures(a), numpy.abs(a - exact).max()))
    for side in sides:
        a = recorded(side["file"]) if side["file"] else None
        print("%-19s  %s" % (side["which"], figures(a) if a is not None else side["figures"]), end="")
        print("  from exact %.3e" % numpy.abs(a.reshape(-1) - exact.reshape(-1)[: a.size]).max() if a is not None and exact.size >= a.size else "")
