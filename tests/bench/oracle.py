#!/usr/bin/env python3
"""oracle.py make FOLDER | eager FOLDER | products FOLDER: a Llama's forward pass recorded by call, as msprobe does it; the
same calls computed from the recorded inputs by PyTorch in float64, eagerly (what `diverge check --oracle` is measured
against); and how many seconds of one processor its multiply-adds take PyTorch's own float64 product at its best."""
import json
import math
import os
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

LAYERS, SEQ, HIDDEN, FFN, HEADS, VOCAB = 2, 512, 1024, 2816, 16, 8192
CALLS = {
    'Functional.linear': lambda x, w: F.linear(x, w),
    'Torch.matmul': lambda a, b: torch.matmul(a, b),
    'Functional.softmax': lambda x: F.softmax(x, -1),
    'Functional.silu': lambda x: F.silu(x),
    'Tensor.__mul__': lambda a, b: a * b,
    'Tensor.__add__': lambda a, b: a + b,
    'Functional.rms_norm': lambda x, w: F.rms_norm(x, w.shape, w, 1e-6),
}


class Recording:
    def __init__(self, folder):
        self.tensors = os.path.join(folder, 'dump_tensor_data')
        os.makedirs(self.tensors)
        self.folder, self.count, self.data = folder, {}, {}

    def tensor(self, name, t):
        np.save(os.path.join(self.tensors, name + '.npy'), t.numpy())
        return {'type': 'torch.Tensor', 'dtype': 'torch.float32', 'shape': list(t.shape), 'Max': t.max().item(), 'Min': t.min().item(),
                'Mean': t.mean().item(), 'Norm': t.norm().item(), 'requires_grad': False, 'data_name': name + '.npy'}

    def __call__(self, kind, *given):
        n = self.count[kind] = self.count.get(kind, -1) + 1
        name = f'{kind}.{n}.forward'
        y = CALLS[kind](*given)
        args = [self.tensor(f'{name}.input.{i}', x) for i, x in enumerate(given)]
        if kind == 'Functional.softmax':
            args.append({'type': 'int', 'value': -1})
        if kind == 'Functional.rms_norm':
            args = [args[0], [{'type': 'int', 'value': given[1].numel()}], args[1], {'type': 'float', 'value': 1e-6}]
            os.rename(os.path.join(self.tensors, f'{name}.input.1.npy'), os.path.join(self.tensors, f'{name}.input.2.npy'))
            args[2]['data_name'] = f'{name}.input.2.npy'
        self.data[name] = {'input_args': args, 'input_kwargs': {}, 'output': [self.tensor(f'{name}.output.0', y)]}
        return y

    def end(self):
        with open(os.path.join(self.folder, 'dump.json'), 'w') as f:
            json.dump({'task': 'tensor', 'level': 'L1', 'framework': 'pytorch', 'dump_data_dir': None, 'data': self.data}, f)
        for name in ('stack.json', 'construct.json'):
            with open(os.path.join(self.folder, name), 'w') as f:
                f.write('{}')


def make(folder):
    torch.manual_seed(1)
    r = Recording(folder)
    weight = lambda n, k: torch.randn(n, k) / k ** 0.5
    x = torch.randn(1, SEQ, HIDDEN)
    heads = lambda t: t.reshape(1, SEQ, HEADS, -1).transpose(1, 2).contiguous()
    for _ in range(LAYERS):
        h = r('Functional.rms_norm', x, torch.ones(HIDDEN))
        q, k, v = (heads(r('Functional.linear', h, weight(HIDDEN, HIDDEN))) for _ in range(3))
        p = r('Functional.softmax', r('Torch.matmul', q, k.transpose(2, 3).contiguous()) / 8)
        o = r('Torch.matmul', p, v).transpose(1, 2).reshape(1, SEQ, HIDDEN)
        x = r('Tensor.__add__', x, r('Functional.linear', o, weight(HIDDEN, HIDDEN)))
        h = r('Functional.rms_norm', x, torch.ones(HIDDEN))
        gate = r('Functional.silu', r('Functional.linear', h, weight(FFN, HIDDEN)))
        h = r('Tensor.__mul__', gate, r('Functional.linear', h, weight(FFN, HIDDEN)))
        x = r('Tensor.__add__', x, r('Functional.linear', h, weight(HIDDEN, FFN)))
    r('Functional.linear', r('Functional.rms_norm', x, torch.ones(HIDDEN)), weight(VOCAB, HIDDEN))
    r.end()


def eager(folder):
    with open(os.path.join(folder, 'dump.json')) as f:
        data = json.load(f)['data']
    load = lambda x: torch.from_numpy(np.load(os.path.join(folder, 'dump_tensor_data', x['data_name']))).double()
    for name, call in data.items():
        given = [load(x) for x in call['input_args'] if isinstance(x, dict) and 'data_name' in x]
        y, recorded = CALLS[name.rsplit('.', 2)[0]](*given), load(call['output'][0])
        error = (y - recorded).norm() / y.norm()
        assert error < 1e-5, (name, error)


def products(folder):
    with open(os.path.join(folder, 'dump.json')) as f:
        data = json.load(f)['data']
    sums = 0
    for name, call in data.items():
        if name.startswith(('Functional.linear', 'Torch.matmul')):
            sums += math.prod(call['output'][0]['shape']) * call['input_args'][0]['shape'][-1]
    torch.set_num_threads(1)
    a, b, best = torch.randn(1024, 1024).double(), torch.randn(1024, 1024).double(), math.inf
    for _ in range(8):
        start = time.process_time()
        a @ b
        best = min(best, time.process_time() - start)
    print(sums / 1024 ** 3 * best)


if __name__ == '__main__':
    {'make': make, 'eager': eager, 'products': products}[sys.argv[1]](sys.argv[2])
