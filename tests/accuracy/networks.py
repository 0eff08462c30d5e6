"""Draws small networks from a seed and records each in two formulations of the same mathematics, as cases for run.

usage: python networks.py OUT [--from A] [--to B] [--fault] [--amp]         this Python needs torch and msprobe
Each kind of layer has two routes over the same weights: one() and other(). The golden takes one() everywhere, the
target other() in a random part of its layers. --fault puts one numeric fault into the target; the calls at which it
enters and the layer's module name are the case's truth. --amp records both sides under autocast to bfloat16.
Pairs whose losses differ are dropped: the routes must agree.
"""
import argparse, math, os, random, shutil, sys, types

import torch
import torch.nn.functional as F
from torch import nn

import models_run

WIDTH, HEADS, ROWS, TOKENS, WORDS = 32, 4, 2, 12, 40
CLOSE, CLOSE_AMP = 1e-6, 2e-2


class Layer(nn.Module):
    """[rows, tokens, width] to the same, by one() or by other()"""
    faults = {}                                           # fault: the attribute it sets and the value

    def __init__(self):
        super().__init__()
        self.route = 0
        self.build()

    def build(self):
        pass

    def split(self):
        """lays the weights out as other() takes them"""

    def forward(self, *x):
        return self.other(*x) if self.route else self.one(*x)


class Bias(Layer):
    faults = {'missing bias': ('biased', 0)}

    def build(self):
        self.weight = nn.Parameter(torch.randn(WIDTH, WIDTH) / math.sqrt(WIDTH))
        self.bias = nn.Parameter(torch.randn(WIDTH) * 0.3)
        self.biased = 1

    def used(self):
        return self.bias if self.biased else self.bias * 0

    def one(self, x):
        return F.linear(x, self.weight, self.used())

    def other(self, x):
        return torch.matmul(x, self.weight.t()) + self.used()


class Addmm(Bias):
    def one(self, x):
        return torch.addmm(self.used(), x.flatten(0, 1), self.weight).view_as(x)

    def other(self, x):
        return torch.mm(x.flatten(0, 1), self.weight).view_as(x) + self.used()


class Baddbmm(Bias):
    def one(self, x):
        return torch.baddbmm(self.used(), x, self.weight.expand(len(x), -1, -1))

    def other(self, x):
        return torch.bmm(x, self.weight.expand(len(x), -1, -1)) + self.used()


class Einsum(Bias):
    def one(self, x):
        return torch.einsum('btc,dc->btd', x, self.weight) + self.used()

    def other(self, x):
        return torch.matmul(x, self.weight.transpose(0, 1)) + self.used()


class Tensordot(Bias):
    def one(self, x):
        return torch.tensordot(x, self.weight, dims=([2], [0])) + self.used()

    def other(self, x):
        return torch.matmul(x, self.weight) + self.used()


class EinsumTurned(Bias):
    """a square product whose operands stand the other way round"""

    def one(self, x):
        return torch.einsum('btc,dc->btd', x, self.weight) + self.used()

    def other(self, x):
        return torch.einsum('dc,btc->dbt', self.weight, x).permute(1, 2, 0) + self.used()


class Attention(Layer):
    faults = {'scale': ('scale', 1 / WIDTH), 'swapped weights': ('swapped', 1)}

    def build(self):
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.scale, self.swapped = (WIDTH // HEADS) ** -0.5, 0

    def heads(self, x):
        q, k, v = (y.unflatten(-1, (HEADS, -1)).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        return (k, q, v) if self.swapped else (q, k, v)

    def one(self, x):
        y = F.scaled_dot_product_attention(*self.heads(x), is_causal=True, scale=self.scale)
        return self.out(y.transpose(1, 2).flatten(2))

    def other(self, x):
        q, k, v = self.heads(x)
        future = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)
        share = torch.softmax((torch.matmul(q, k.transpose(-2, -1)) * self.scale).masked_fill(future, -math.inf), -1)
        return self.out(torch.matmul(share.to(v.dtype), v).transpose(1, 2).flatten(2))


class Rotary(Layer):
    def build(self):
        self.proj = nn.Linear(WIDTH, WIDTH)
        half = WIDTH // 2
        angle = torch.arange(TOKENS)[:, None] * 100.0 ** (-torch.arange(half) / half)
        self.register_buffer('angle', angle, persistent=False)

    def one(self, x):
        a, b = self.proj(x).float().chunk(2, -1)
        cos, sin = self.angle.cos(), self.angle.sin()
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def other(self, x):
        turn = torch.polar(torch.ones_like(self.angle), self.angle)
        turned = torch.complex(*self.proj(x).float().chunk(2, -1)) * turn
        return torch.cat((turned.real, turned.imag), -1)


class Norm(Layer):
    faults = {'eps': ('eps', 0.1)}

    def build(self):
        self.weight, self.bias = nn.Parameter(torch.rand(WIDTH) + 0.5), nn.Parameter(torch.randn(WIDTH) * 0.2)
        self.eps = 1e-5

    def one(self, x):
        return F.layer_norm(x, (WIDTH,), self.weight, self.bias, self.eps)

    def other(self, x):
        x = x.float()
        away = x - x.mean(-1, keepdim=True)
        return away / torch.sqrt(away.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight + self.bias


class NormByVar(Norm):
    def other(self, x):
        x = x.float()
        var = x.var(-1, keepdim=True, unbiased=False)
        return (x - x.mean(-1, keepdim=True)) * torch.rsqrt(var + self.eps) * self.weight + self.bias


class NormTwice(Norm):
    """a norm without a shift whose scale feeds another norm: the sum in the scale's gradient nearly cancels"""

    def one(self, x):
        return F.layer_norm(F.layer_norm(x, (WIDTH,), self.weight, None, self.eps), (WIDTH,), None, self.bias, self.eps)

    def other(self, x):
        y = F.rms_norm(x - x.mean(-1, keepdim=True), (WIDTH,), None, self.eps) * self.weight
        return F.rms_norm(y - y.mean(-1, keepdim=True), (WIDTH,), None, self.eps) + self.bias


class RmsNorm(Norm):
    def build(self):
        self.weight, self.eps = nn.Parameter(torch.rand(WIDTH) + 0.5), 1e-5

    def one(self, x):
        return F.rms_norm(x, (WIDTH,), self.weight, self.eps)

    def other(self, x):
        return x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class GroupNorm(Norm):
    def one(self, x):
        return F.group_norm(x.transpose(1, 2), HEADS, self.weight, self.bias, self.eps).transpose(1, 2)

    def other(self, x):
        y = x.float().transpose(1, 2).reshape(len(x), HEADS, -1)
        y = (y - y.mean(-1, keepdim=True)) / torch.sqrt(y.var(-1, keepdim=True, unbiased=False) + self.eps)
        return y.view(len(x), WIDTH, -1).transpose(1, 2) * self.weight + self.bias


class BatchNorm(Norm):
    def one(self, x):
        y = x.float().transpose(1, 2)
        return F.batch_norm(y, None, None, self.weight, self.bias, True, 0.1, self.eps).transpose(1, 2)

    def other(self, x):
        x = x.float()
        away = x - x.mean((0, 1))
        return away / torch.sqrt((away * away).mean((0, 1)) + self.eps) * self.weight + self.bias


class Feed(Layer):
    """a feed-forward whose activation has two routes"""
    faults = {'other activation': ('act', 'relu')}

    def build(self):
        self.up, self.down, self.act = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH), ''

    def forward(self, x):
        y = self.up(x)
        return self.down(F.relu(y) if self.act else super().forward(y))


class GeluTanh(Feed):
    def one(self, x):
        return F.gelu(x, approximate='tanh')

    def other(self, x):
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))


class Gelu(Feed):
    def one(self, x):
        return F.gelu(x)

    def other(self, x):
        return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


class Silu(Feed):
    def one(self, x):
        return F.silu(x)

    def other(self, x):
        return x * torch.sigmoid(x)


class Softplus(Feed):
    def one(self, x):
        return F.softplus(x)

    def other(self, x):
        return torch.log1p(torch.exp(x))


class SoftmaxByHand(Feed):
    def one(self, x):
        return F.softmax(x, -1) * WIDTH

    def other(self, x):
        e = torch.exp(x - x.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True) * WIDTH


class Glu(Layer):
    def build(self):
        self.up = nn.Linear(WIDTH, 2 * WIDTH)

    def one(self, x):
        return F.glu(self.up(x), -1)

    def other(self, x):
        a, b = self.up(x).split(WIDTH, -1)
        return a * torch.sigmoid(b)


class Swiglu(Layer):
    def build(self):
        self.gate_up, self.down = nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def split(self):
        whole = self.gate_up.weight.data
        del self.gate_up
        self.gate_proj, self.up_proj = (nn.Linear(WIDTH, 2 * WIDTH, bias=False) for _ in range(2))
        self.gate_proj.weight.data, self.up_proj.weight.data = (w.clone() for w in whole.chunk(2))

    def one(self, x):
        gate, up = self.gate_up(x).chunk(2, -1)
        return self.down(F.silu(gate) * up)

    def other(self, x):
        return self.down(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Conv(Layer):
    faults = {'missing bias': ('biased', 0)}

    def build(self):
        self.weight = nn.Parameter(torch.randn(WIDTH, WIDTH, 3) / math.sqrt(3 * WIDTH))
        self.bias, self.biased = nn.Parameter(torch.randn(WIDTH) * 0.3), 1

    def used(self):
        return self.bias if self.biased else self.bias * 0

    def one(self, x):
        return F.conv1d(x.transpose(1, 2), self.weight, self.used(), padding=1).transpose(1, 2)

    def other(self, x):
        windows = F.unfold(x.transpose(1, 2).unsqueeze(2), (1, 3), padding=(0, 1))
        return torch.matmul(self.weight.flatten(1), windows).transpose(1, 2) + self.used()


class DepthConv(Conv):
    def build(self):
        super().build()
        self.weight = nn.Parameter(torch.randn(WIDTH, 1, 3) * 0.5)

    def one(self, x):
        y = F.conv1d(x.transpose(1, 2), self.weight, self.used(), padding=2, groups=WIDTH)
        return y[..., :TOKENS].transpose(1, 2)

    def other(self, x):
        y = F.pad(x, (0, 0, 2, 0))
        return sum(y[:, i:i + TOKENS] * self.weight[:, 0, i] for i in range(3)) + self.used()


class Mean(Layer):
    def build(self):
        self.proj = nn.Linear(WIDTH, WIDTH)

    def one(self, x):
        return self.proj(x - x.mean(1, keepdim=True))

    def other(self, x):
        return self.proj(x - x.sum(1, keepdim=True) / x.shape[1])


class Var(Mean):
    def one(self, x):
        return self.proj(x / (1 + x.var(-1, keepdim=True)))

    def other(self, x):
        away = x - x.mean(-1, keepdim=True)
        return self.proj(x / (1 + away.square().sum(-1, keepdim=True) / (WIDTH - 1)))


class Std(Mean):
    def one(self, x):
        return self.proj(x / (1 + x.std(-1, keepdim=True)))

    def other(self, x):
        away = x - x.mean(-1, keepdim=True)
        return self.proj(x / (1 + torch.sqrt(away.square().sum(-1, keepdim=True) / (WIDTH - 1))))


class Normalise(Mean):
    def one(self, x):
        return self.proj(F.normalize(x, dim=-1))

    def other(self, x):
        return self.proj(x / x.norm(dim=-1, keepdim=True))


class Cosine(Mean):
    def one(self, x):
        return x * F.cosine_similarity(x, self.proj(x), -1).unsqueeze(-1)

    def other(self, x):
        y = self.proj(x)
        return x * ((x * y).sum(-1, keepdim=True) / (x.norm(dim=-1, keepdim=True) * y.norm(dim=-1, keepdim=True)))


class Slices(Mean):
    def one(self, x):
        a, b = self.proj(x).chunk(2, -1)
        return torch.cat((b, a), -1)

    def other(self, x):
        y = self.proj(x)
        return torch.cat((y[..., WIDTH // 2:], y[..., :WIDTH // 2]), -1)


class Experts(Layer):
    faults = {'another expert': ('moved', 1)}

    def build(self):
        self.moved = 0
        self.router = nn.Linear(WIDTH, 4, bias=False)
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def routed(self, x):
        flat = x.flatten(0, 1)
        share, chosen = torch.softmax(self.router(flat), -1).topk(2, -1)
        return flat, share / share.sum(-1, keepdim=True), (chosen + int(self.moved)) % 4

    def one(self, x):
        flat, share, chosen = self.routed(x)
        y = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            row, place = torch.where(chosen == i)
            y[row] += (expert(flat[row]) * share[row, place].unsqueeze(-1)).to(y.dtype)
        return y.view_as(x)

    def other(self, x):
        flat, share, chosen = self.routed(x)
        y = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            row, place = torch.where(chosen == i)
            y = y.index_add(0, row, (expert(flat[row]) * share[row, place, None]).to(y.dtype))
        return y.view_as(x)


class DenseExperts(Experts):
    """every expert computes every token, what it was not chosen for counts nothing"""

    def one(self, x):
        flat, share, chosen = self.routed(x)
        y = 0
        for i, expert in enumerate(self.experts):
            y = y + expert(flat) * (share * (chosen == i)).sum(-1, keepdim=True)
        return y.view_as(x)


class Gru(Layer):
    def build(self):
        self.given, self.kept = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, 3 * WIDTH)

    def steps(self, x, mixed):
        state, states = torch.zeros_like(x[:, 0]), []
        for t in range(4):
            a, b = self.given(x[:, t]).chunk(3, -1), self.kept(state).chunk(3, -1)
            reset, keep = torch.sigmoid(a[0] + b[0]), torch.sigmoid(a[1] + b[1])
            state = mixed(torch.tanh(a[2] + reset * b[2]), keep, state)
            states.append(state)
        return x + torch.stack(states, 1).repeat(1, TOKENS // 4, 1)

    def one(self, x):
        return self.steps(x, lambda new, keep, state: (1 - keep) * new + keep * state)

    def other(self, x):
        return self.steps(x, lambda new, keep, state: new + keep * (state - new))


class Embedding(Layer):
    def build(self):
        self.weight = nn.Parameter(torch.randn(WORDS, WIDTH))

    def one(self, words):
        return F.embedding(words, self.weight)

    def other(self, words):
        return torch.matmul(F.one_hot(words, WORDS).float(), self.weight)


class Loss(Layer):
    def build(self):
        self.head = nn.Linear(WIDTH, WORDS, bias=False)

    def one(self, x, labels):
        return F.cross_entropy(self.head(x).float().flatten(0, 1), labels.flatten())

    def other(self, x, labels):
        return F.nll_loss(F.log_softmax(self.head(x).float().flatten(0, 1), -1), labels.flatten())


KINDS = [Bias, Addmm, Baddbmm, Einsum, EinsumTurned, Tensordot, Attention, Rotary, Norm, NormByVar, NormTwice, RmsNorm,
         GroupNorm, BatchNorm, GeluTanh, Gelu, Silu, Softplus, SoftmaxByHand, Glu, Swiglu, Conv, DepthConv, Mean, Var,
         Std, Normalise, Cosine, Slices, Experts, DenseExperts, Gru]


class Network(nn.Module):
    def __init__(self, draw):
        super().__init__()
        self.embed = Embedding()
        self.layers = nn.ModuleList(draw.choice(KINDS)() for _ in range(draw.randint(4, 8)))
        self.residual = [draw.random() < 0.5 for _ in self.layers]
        self.loss = Loss()

    def parts(self):
        return [(n, m) for n, m in self.named_modules() if isinstance(m, Layer)]

    def forward(self, words, labels):
        x = self.embed(words)
        for layer, residual in zip(self.layers, self.residual):
            x = x + layer(x) if residual else layer(x)
        return self.loss(x, labels)


def faulty(seed, network):
    """(module name, fault) the seed draws, or None where no layer can have one"""
    choices = [(name, fault) for name, m in network.parts() for fault in m.faults]
    return random.Random(f'fault {seed}').choice(choices) if choices else None


def build(name, o):
    """what models.build gives: the network (routed where the option "fused" is set), its input and its loss"""
    draw = random.Random(name)
    torch.manual_seed(draw.randrange(1 << 30))
    network = Network(draw)
    given = {k: torch.randint(0, WORDS, (ROWS, TOKENS)) for k in ('words', 'labels')}
    routes = [draw.random() < 0.6 for _ in network.parts()]
    for (_, m), route in zip(network.parts(), routes):
        m.route = bool(o.fused) and route
        if m.route:
            m.split()
    return network, given, lambda y: y


def put(fault, network, given):
    """"module:attribute=number" as one word, see written()"""
    place, setting = fault.split(':')
    attribute, value = setting.split('=')
    setattr(network.get_submodule(place), attribute, value if attribute == 'act' else float(value))


def written(seed, network):
    drawn = faulty(seed, network)
    if not drawn:
        return None
    place, fault = drawn
    attribute, value = network.get_submodule(place).faults[fault]
    return f'{place}:{attribute}={value}'


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def builders():
    """the names models_run.record takes of models.py"""
    import msprobe.pytorch
    torch.set_num_threads(1)
    return types.SimpleNamespace(build=build, number=number, initialise=lambda m, seed: m, by_hand=lambda o, m: m,
                                 before_building=lambda fault, o: None, after_building=put)


def lost(folder):
    with open(os.path.dirname(os.path.dirname(folder)) + '.log') as f:
        return next(float(line.split()[1]) for line in f if line.startswith('loss '))


def pair(recorder, seed, root, fault, amp):
    """makes the case of one seed; returns what to print"""
    model, name = f'network{seed}', f"{'fault' if fault else 'clean'}{'_amp' if amp else ''}_{seed:04}"
    plain = 'autocast=bfloat16' if amp else '-'
    other = 'fused=1,autocast=bfloat16' if amp else 'fused=1'
    a, b = (lost(recorder.recorded(model, 'mix', 'tensor', o, '-')) for o in (other, plain))
    if not abs(a - b) <= (CLOSE_AMP if amp else CLOSE) * max(1, abs(b)):
        shutil.rmtree(os.path.join(root, name), ignore_errors=True)
        return f'dropped: losses {a} and {b}'
    wrong = written(seed, build(model, types.SimpleNamespace(fused=1))[0]) if fault else '-'
    if not wrong:
        return 'no layer can have a fault'
    place = [f'Module.{wrong.split(":")[0]}.'] if fault else []
    case = models_run.make(recorder, [name, model, 'mix tensor', plain, other, wrong, '-', *place], root)
    return f"{wrong} {case['first'] or ''}"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('out')
    p.add_argument('--from', type=int, default=1, dest='first')
    p.add_argument('--to', type=int, default=20, dest='last')
    p.add_argument('--fault', action='store_true')
    p.add_argument('--amp', action='store_true')
    o = p.parse_args()
    root = os.path.abspath(o.out)
    recorder = models_run.Recorder(root)
    recorder.models = builders()
    return models_run.make_each(((str(seed), seed) for seed in range(o.first, o.last + 1)),
                                lambda seed: pair(recorder, seed, root, o.fault, o.amp))


if __name__ == '__main__':
    sys.exit(main())
