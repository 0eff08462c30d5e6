#!/usr/bin/env python3
"""oracle.py DIVERGE [FOLDER]: what the oracle says of calls made by PyTorch on the CPU, by family and kind of fault:
  right     the calls as they are: nobody is wrong (one side alone), the largest excess
  kernel    outputs altered (3 % larger, a row 0, the last eighth 0, all 0): found from one side alone
  argument  one argument or element type differs between two sides: neither side is wrong, and the argument is named (by its row
            where torch's functions give it no name)
Prints a table in Markdown. Needs a Python with torch; draws are always the same. FOLDER keeps the recordings."""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F

TYPES = {'float32': torch.float32, 'bfloat16': torch.bfloat16, 'float16': torch.float16}
EVERY = 3 if 'QUICK' in os.environ else 36  # draws of each case


class Recording:
    """A step of msprobe's format, calls of Functional, Torch and Tensor."""

    def __init__(self, folder):
        self.folder, self.data, self.count = folder, {}, collections.Counter()
        os.makedirs(f'{folder}/dump_tensor_data')

    def value(self, name, v):
        if isinstance(v, torch.Tensor):
            torch.save(v.detach().contiguous().clone(), f'{self.folder}/dump_tensor_data/{name}.pt')
            f = v.detach().double()
            known = {k: getattr(f, k.lower())().item() for k in ('Max', 'Min', 'Mean', 'Norm')} if v.numel() else {}
            return {'type': 'torch.Tensor', 'dtype': str(v.dtype), 'shape': list(v.shape), **known, 'requires_grad': v.requires_grad,
                    'data_name': f'{name}.pt'}
        if isinstance(v, (list, tuple)):
            return [self.value(f'{name}.{i}', x) for i, x in enumerate(v)]
        if isinstance(v, torch.dtype):
            return {'type': 'torch.dtype', 'value': str(v)}
        return {'type': type(v).__name__, 'value': v} if v is not None else None

    def call(self, kind, args, kwargs, y, gradient=None, gradients=()):
        n = self.count[kind]
        self.count[kind] += 1
        name = f'{kind}.{n}.forward'
        self.data[name] = {'input_args': [self.value(f'{name}.input.{i}', a) for i, a in enumerate(args)],
                           'input_kwargs': {k: self.value(f'{name}.input.{k}', a) for k, a in kwargs.items()},
                           'output': [self.value(f'{name}.output.{i}', a) for i, a in enumerate(y if isinstance(y, tuple) else [y])]}
        if gradient is not None:
            name = f'{kind}.{n}.backward'
            self.data[name] = {'input': [self.value(f'{name}.input.0', gradient)],
                               'output': [self.value(f'{name}.output.{i}', g) for i, g in enumerate(gradients)]}

    def end(self):
        with open(f'{self.folder}/dump.json', 'w') as f:
            json.dump({'task': 'tensor', 'level': 'L1', 'framework': 'pytorch', 'dump_data_dir': f'{self.folder}/dump_tensor_data', 'data': self.data}, f)
        for name in ('stack', 'construct'):
            with open(f'{self.folder}/{name}.json', 'w') as f:
                f.write('{}')


def draw(*shape, scale=1.0, least=None):
    t = torch.randn(*shape) * scale
    return t if least is None else t.abs() + least


def case(family, kind, make, name, wrong, function=None, types=('float32', 'bfloat16', 'float16'), gradients=0):
    """make(i, dtype): args and kwargs as they should be; wrong(args, kwargs, i): the other side's. gradients: of so many first args."""
    return dict(family=family, kind=kind, make=make, name=name, wrong=wrong, types=types, gradients=gradients,
                function=function or getattr({'Functional': F, 'Torch': torch, 'Tensor': torch.Tensor}[kind.split('.')[0]], kind.split('.')[1]))


def keyword(key, value):
    return lambda a, k, i: (a, {**k, key: value(i) if callable(value) else value})


def typed(key):
    """The same call with its floating tensors in float32 (the other side's are in 16 bits)."""
    def change(a, k, i):
        up = lambda v: v.float() if isinstance(v, torch.Tensor) and v.is_floating_point() else v
        return [up(v) for v in a], {n: up(v) for n, v in k.items()}
    return change


def plain(*shapes, scale=1.0, least=None, **given):
    def make(i, dtype):
        n = 1 + i % 3
        grown = [tuple(d * n if j == 0 else d for j, d in enumerate(s)) for s in shapes]
        return [draw(*s, scale=scale, least=least).to(dtype) for s in grown], {k: v(i) if callable(v) else v for k, v in given.items()}
    return make


def attention(**given):
    def make(i, dtype):
        heads, kv, s = (4, 4, 16 + i % 5) if not given.get('enable_gqa') else (4, 2, 16 + i % 5)
        q, k, v = draw(2, heads, s, 16), draw(2, kv, s, 16), draw(2, kv, s, 16)
        known = {n: x for n, x in given.items() if n != 'attn_mask'}
        if given.get('attn_mask') == 'bool':
            known['attn_mask'] = (torch.rand(s, s) < 0.7) | torch.eye(s, dtype=torch.bool)
        elif given.get('attn_mask'):
            known['attn_mask'] = draw(2, 1, s, s).to(dtype)
        return [q.to(dtype), k.to(dtype), v.to(dtype)], {'dropout_p': 0.0, **known}
    return make


def targets(classes=7):
    def make(i, dtype):
        return [draw(20 + i, classes).to(dtype), torch.randint(0, classes, (20 + i,))], {'ignore_index': -100, 'reduction': 'mean', 'label_smoothing': 0.0}
    return make


def norm(kind):
    def make(i, dtype):
        n, x = 32, draw(6 + i % 4, 32, scale=0.02).to(dtype)
        w, b = (1 + draw(n, scale=0.1)).to(dtype), draw(n, scale=0.1).to(dtype)
        if kind == 'rms':
            return [x, (n,), w], {'eps': 1e-6}
        if kind == 'group':
            return [x.reshape(-1, 32, 1).expand(-1, 32, 3).contiguous() + draw(6 + i % 4, 32, 3, scale=0.02).to(dtype), 4, w, b], {'eps': 1e-5}
        if kind == 'batch':
            return [x, b.float() * 0.1, w.float().abs(), w.float(), b.float()], {'training': False, 'momentum': 0.1, 'eps': 1e-5}
        return [x, (n,), w, b], {'eps': 1e-5}
    return make


def argument_at(place, value):
    return lambda a, k, i: ([value(v, i) if j == place else v for j, v in enumerate(a)], k)


low = ('bfloat16', 'float16')
CASES = [
    case('products', 'Functional.linear', plain((5, 24), (16, 24)), 'dtype', typed('x'), types=low),
    case('products', 'Torch.matmul', plain((4, 8, 24), (4, 24, 12)), 'dtype', typed('x'), types=low),
    case('products', 'Torch.baddbmm', plain((3, 8, 12), (3, 8, 24), (3, 24, 12), beta=1.0, alpha=1.0), 'alpha', keyword('alpha', 0.5)),
    case('products', 'Torch.addmm', lambda i, t: ([draw(9, 12).to(t), draw(9, 24 + i).to(t), draw(24 + i, 12).to(t)], {'beta': 1.0, 'alpha': 1.0}), 'beta', keyword('beta', 0.9)),
    case('convolutions', 'Functional.conv2d', lambda i, t: ([draw(2, 4, 12, 12).to(t), draw(6, 4, 3, 3).to(t)], {'padding': 1, 'dilation': 1, 'stride': 1}), 'padding',
         lambda a, k, i: (a, {**k, 'dilation': 2, 'padding': 2})),
    case('convolutions', 'Functional.conv1d', lambda i, t: ([draw(2, 4, 30 + i).to(t), draw(6, 2, 3).to(t)], {'padding': 1, 'groups': 2}), 'dtype', typed('x'), types=low),
    case('convolutions', 'Functional.conv3d', lambda i, t: ([draw(1, 3, 6, 6, 6).to(t), draw(4, 3, 3, 3, 3).to(t)], {'padding': 1, 'dilation': 1}), 'padding',
         lambda a, k, i: (a, {**k, 'dilation': 2, 'padding': 2})),
    case('convolutions', 'Functional.conv_transpose2d', lambda i, t: ([draw(2, 4, 8, 8).to(t), draw(4, 5, 3, 3).to(t)], {'stride': 2, 'padding': 1, 'output_padding': 0}), 'dtype', typed('x'), types=low),
    case('convolutions', 'Functional.conv2d', lambda i, t: ([draw(2, 4, 12, 12).to(t), draw(6, 4, 3, 3).to(t)], {'stride': 1, 'padding': 1}), 'dtype', typed('x'), types=low),
    *[case('attention in one call', 'Functional.scaled_dot_product_attention', attention(**given), name, wrong, gradients=3)
      for given, name, wrong in (
          ({'scale': 0.25}, 'scale', keyword('scale', 0.2)), ({'is_causal': True}, 'is_causal', keyword('is_causal', False)),
          ({'attn_mask': 'bool'}, 'attn_mask', keyword('attn_mask', None)), ({'attn_mask': 'float'}, 'attn_mask', keyword('attn_mask', None)),
          ({'enable_gqa': True, 'is_causal': True, 'scale': 0.25}, 'scale', keyword('scale', 0.3)))],
    case('attention in one call', 'Functional.scaled_dot_product_attention', attention(is_causal=True), 'dtype', typed('q'), types=low, gradients=3),
    case('norms', 'Functional.layer_norm', norm('layer'), 'eps', keyword('eps', 1e-4)),
    case('norms', 'Functional.rms_norm', norm('rms'), 'eps', keyword('eps', 1e-4)),
    case('norms', 'Functional.group_norm', norm('group'), 'eps', keyword('eps', 1e-4)),
    case('norms', 'Functional.batch_norm', norm('batch'), 'training', keyword('training', True), types=('float32',)),
    case('norms', 'Functional.layer_norm', norm('layer'), 'dtype', typed('x'), types=low),
    case('softmax and losses', 'Functional.cross_entropy', targets(), 'label_smoothing', keyword('label_smoothing', 0.1), types=('float32',)),
    case('softmax and losses', 'Functional.cross_entropy', targets(), 'ignore_index', keyword('ignore_index', 3), types=('float32',)),
    case('softmax and losses', 'Functional.cross_entropy', targets(), 'reduction', keyword('reduction', 'sum'), types=('float32',)),
    case('softmax and losses', 'Functional.softmax', plain((6, 40), dim=-1), 'dtype', typed('x'), types=low),
    case('softmax and losses', 'Functional.softmax', plain((12, 12, 12), dim=-1), 'dim', keyword('dim', 1)),
    case('softmax and losses', 'Functional.log_softmax', plain((12, 12, 12), dim=-1), 'dim', keyword('dim', 1)),
    case('softmax and losses', 'Functional.smooth_l1_loss', plain((40, 5), (40, 5), beta=1.0), 'beta', keyword('beta', 0.3), types=('float32',)),
    case('activations', 'Functional.gelu', plain((8, 40), approximate='none'), 'approximate', keyword('approximate', 'tanh'), types=('float32',)),
    case('activations', 'Functional.leaky_relu', plain((8, 40), negative_slope=0.01), 'negative_slope', keyword('negative_slope', 0.1)),
    case('activations', 'Functional.elu', plain((8, 40), alpha=1.0), 'alpha', keyword('alpha', 0.7)),
    case('activations', 'Functional.softplus', plain((8, 40), beta=1.0), 'beta', keyword('beta', 2.0)),
    case('activations', 'Functional.hardtanh', plain((8, 40), min_val=-1.0, max_val=1.0), 'max_val', keyword('max_val', 0.8)),
    case('activations', 'Functional.glu', plain((12, 12, 12), dim=-1), 'dtype', typed('x'), types=low),
    case('activations', 'Functional.silu', plain((8, 40)), 'dtype', typed('x'), types=low),
    case('other elementwise', 'Torch.add', plain((6, 30), (6, 30), alpha=1.0), 'alpha', keyword('alpha', 0.9)),
    case('other elementwise', 'Torch.clamp', plain((6, 30), min=-1.0, max=1.0), 'max', keyword('max', 0.9)),
    case('other elementwise', 'Torch.pow', lambda i, t: ([draw(6, 30, least=0.1).to(t), 2.0], {}), '.input.1', argument_at(1, lambda v, i: 2.5)),
    case('other elementwise', 'Tensor.__mul__', lambda i, t: ([draw(6, 30).to(t), 0.125], {}), '.input.1', argument_at(1, lambda v, i: 0.25)),
    case('other elementwise', 'Torch.exp', plain((6, 30)), 'dtype', typed('x'), types=low),
    case('other elementwise', 'Torch.rsqrt', plain((6, 30), least=0.1), 'dtype', typed('x'), types=low),
    case('reductions, pooling', 'Torch.sum', plain((12, 12, 12), dim=1), 'dim', lambda a, k, i: (a, {'dim': 2}), types=('float32',)),
    case('reductions, pooling', 'Torch.cumsum', plain((6, 9), dim=1), 'dim', keyword('dim', 0)),
    case('reductions, pooling', 'Torch.mean', lambda i, t: ([draw(9, 9, 9).to(t)], {'dim': 1, 'keepdim': False}), 'dim', keyword('dim', 0)),
    case('reductions, pooling', 'Torch.var', lambda i, t: ([draw(9, 9).to(t)], {'dim': 1, 'correction': 1}), 'correction', keyword('correction', 0)),
    case('reductions, pooling', 'Functional.avg_pool2d', lambda i, t: ([draw(2, 3, 9, 9).to(t), 3], {'stride': 1, 'padding': 1, 'count_include_pad': True}), 'count_include_pad',
         keyword('count_include_pad', False)),
    case('reductions, pooling', 'Functional.interpolate', lambda i, t: ([draw(2, 3, 7, 7).to(t)], {'size': 12, 'mode': 'bilinear', 'align_corners': False}), 'align_corners',
         keyword('align_corners', True), types=('float32',)),
    case('moves', 'Torch.roll', lambda i, t: ([draw(6, 9).to(t)], {'shifts': 1, 'dims': 0}), 'shifts', keyword('shifts', 2)),
    case('moves', 'Torch.flip', lambda i, t: ([draw(6, 9).to(t)], {'dims': (0,)}), 'dims', keyword('dims', (1,))),
    case('moves', 'Functional.embedding', lambda i, t: ([torch.randint(0, 20, (5, 8)), draw(20, 12).to(t)], {}), 'dtype', typed('weight'), types=low),
    case('moves', 'Torch.index_select', lambda i, t: ([draw(9, 9).to(t)], {'dim': 0, 'index': torch.randint(0, 9, (9,))}), 'dim', keyword('dim', 1)),
    *[case('dropout', 'Functional.dropout', lambda i, t, p=p: ([draw(40, 64).to(t)], {'p': p, 'training': True}), 'p', keyword('p', 0.3)) for p in (0.05, 0.1, 0.5)],
]


def altered(y, i):
    y = y.clone()
    if i % 4 == 0:
        return y * 1.03
    flat = y.view(-1)
    if i % 4 == 1 and y.dim() > 1:
        y[i % y.shape[0]] = 0
    elif i % 4 == 2:
        flat[-max(1, flat.numel() // 8):] = 0
    else:
        y.zero_()
    return y


def call(c, args, kwargs):
    n = c['gradients']
    leaves = [a.detach().requires_grad_() if j < n else a for j, a in enumerate(args)]
    y = c['function'](*leaves, **kwargs)
    if not n:
        return y, None, ()
    torch.manual_seed(5)
    g = torch.randn(y.shape).to(y.dtype)
    return y, g, torch.autograd.grad(y, leaves[:n], g)


def record(folder, family):
    """Three steps of the same draws: right, kernels wrong, arguments wrong; and what is to be found, by row."""
    sides = {kind: Recording(f'{folder}/{kind}') for kind in ('right', 'kernel', 'argument')}
    expected, changed = {}, []
    for c in (c for c in CASES if c['family'] == family):
        for t in c['types']:
            for i in range(EVERY):
                torch.manual_seed(7 * len(expected))
                args, kwargs = c['make'](i, TYPES[t])
                y, g, gs = call(c, args, kwargs)
                name = f"{c['kind']}.{sides['right'].count[c['kind']]}.forward.output.0"
                sides['right'].call(c['kind'], args, kwargs, y, g, gs)
                bad = altered(y.detach(), i) if i % 2 else y     # every second: a class or arithmetic is told by the others
                if i % 2 and not torch.equal(bad, y):
                    changed.append(name)
                sides['kernel'].call(c['kind'], args, kwargs, bad)
                wa, wk = c['wrong'](args, kwargs, i)
                torch.manual_seed(3)
                wy, wg, wgs = call(c, wa, wk)
                sides['argument'].call(c['kind'], wa, wk, wy, wg, wgs)
                expected[name] = (c['name'], bool((wy.float() - y.float()).abs().max() > 0) if wy.shape == y.shape else True)
    for s in sides.values():
        s.end()
    return expected, changed


def said(program, *args):
    p = subprocess.run([program, *args, '--json'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if p.returncode not in (0, 1, 5):
        raise SystemExit(p.stderr.decode())
    return json.loads(p.stdout)


def main(program, folder=None):
    top = folder or tempfile.mkdtemp()
    print('| family | calls | called wrong | largest excess | kernels altered | found | arguments or types | neither | named |\n| --- ' + '| --- ' * 8 + '|')
    for family in dict.fromkeys(c['family'] for c in CASES):
        where = os.path.join(top, family.replace(' ', '_').replace(',', ''))
        expected, changed = record(where, family)
        right = said(program, 'check', '--oracle', f'{where}/right')
        wrong = [p for p in right['problems'] if p['kind'] == 'kernel']
        found = {p['row'] for p in said(program, 'check', '--oracle', f'{where}/kernel')['problems'] if p['kind'] == 'kernel'}
        rows = said(program, 'compare', f'{where}/argument', f'{where}/right', '--oracle', 'all', '--rows', 'all')['rows']
        worst, neither, named, asked, outputs = 0, 0, 0, 0, 0
        for r in rows:
            o = r.get('oracle') or {}
            if o.get('golden') and o['golden']['excess'] is not None:
                outputs += 1
                worst = max(worst, float(o['golden']['excess']))
            if r.get('target') in expected and expected[r['target']][1]:
                asked += 1
                b = o.get('because') or {}
                neither += o.get('which') == 'neither'
                want = expected[r['target']][0]
                hit = b.get('kind') == 'dtype' if want == 'dtype' else want in (b.get('name'), (b.get('row') or '')[-8:])
                named += hit
                if 'WHY' in os.environ and (o.get('which') != 'neither' or not hit):
                    print(r['target'], want, o.get('which'), b, {s: (o.get(s) or {}).get('excess', (o.get(s) or {}).get('unknown')) for s in ('target', 'golden')}, file=sys.stderr)
        missed = [n for n in changed if n not in found]
        if 'WHY' in os.environ:
            print('missed', missed[:8], 'false', sorted(found - set(changed))[:5], 'wrong', [p['row'] for p in wrong[:5]], file=sys.stderr)
        print(f'| {family} | {outputs} | {len(wrong)} | {worst:.2f} | {len(changed)} | {len(changed) - len(missed)} | {asked} | {neither} | {named} |', flush=True)
    if not folder:
        shutil.rmtree(top)


if __name__ == '__main__':
    main(*sys.argv[1:])
