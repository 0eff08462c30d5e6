"""What was recorded: statistic.csv from a dump of tensors, and where a fault enters.

usage: python dumps.py statistics FROM TO                   statistic.csv of the kernels recorded in FROM, as MindSpore 2.7.1 writes it (the CPU refuses to)
       python dumps.py truth FAULTY CLEAN [moved] [back] the first calls whose bits differ (a MindSpore dump or one of msprobe)
"""
import glob, hashlib, json, os, re, sys
import numpy as np


def steps(folder):
    """the folders of one graph's step in a MindSpore dump"""
    return [d for d in sorted(glob.glob(folder + '/rank_0/*/*/*')) if os.path.isdir(d) and '/graphs' not in d and '/execution_order' not in d]


def kernels(d):
    """(timestamp, operator, name, input or output, slot, type, file), in the order of recording; parameters are left out, as on an Ascend"""
    names = dict(l.rstrip('\n').split(',', 1) for l in open(d + '/mapping.csv')) if os.path.exists(d + '/mapping.csv') else {}
    rows = []
    for f in os.listdir(d):
        if f.endswith('.npy'):
            p = names.get(f, f)[:-4].split('.')
            if p[0] != 'Parameter':
                rows.append((int(p[-5]), p[0], '.'.join(p[1:-7]), p[-4], int(p[-3]), p[-1], d + '/' + f))
    return sorted(rows)


def statistics(source, target):
    for d in steps(source):
        out = target + d[len(source):]
        os.makedirs(out, exist_ok=True)
        with open(out + '/statistic.csv', 'w') as csv:
            csv.write('Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value,L2Norm Value\n')
            for t, op, name, io, slot, kind, f in kernels(d):
                a = np.load(f)
                x = a.astype(np.float64)
                figures = ['%g' % v for v in (x.max(), x.min(), np.sqrt((x * x).sum()))] if x.size else ['0'] * 3
                csv.write(f'{op},{name},0,0,{t},{io},{slot},{a.nbytes},{kind.lower()},"[{",".join(map(str, a.shape))}]",{",".join(figures)},\n')
    order = source + '/rank_0/execution_order'
    if os.path.exists(order) and not os.path.exists(target + '/rank_0/execution_order'):
        os.system(f'cp -r {order} {target}/rank_0/execution_order')


def digest(f, moved):
    """of the elements' bits in order of size, so that views of one value are one; where values changed places, as they lie"""
    if f.endswith('.npy'):
        b = open(f, 'rb').read()
        b, size = b[10 + int.from_bytes(b[8:10], 'little'):], int(re.search(rb"'descr': '.[A-Za-z](\d+)'", b).group(1))
    else:
        import torch
        t = torch.load(f, map_location='cpu').detach().contiguous().reshape(-1)
        b, size = bytes(t.view(torch.uint8).numpy()), t.element_size()
    return hashlib.sha1(b if moved else np.sort(np.frombuffer(b, f'u{size}')).tobytes()).hexdigest()


def leaves(x):
    if isinstance(x, dict) and 'data_name' in x:
        yield x
    elif isinstance(x, (dict, list)):
        for v in x.values() if isinstance(x, dict) else x:
            yield from leaves(v)


def calls(folder, moved=False):
    """[(call, inputs, outputs)] as digests, in order of execution"""
    out = {}
    if os.path.exists(folder + '/step0'):
        d = folder + '/step0/rank0' if os.path.exists(folder + '/step0/rank0') else folder + '/step0/rank'
        for call, v in json.load(open(d + '/dump.json'))['data'].items():
            io = out.setdefault(call, ([], []))
            for key, x in v.items():
                io['output' in key].extend(digest(f'{d}/dump_tensor_data/{l["data_name"]}', moved) for l in leaves(x) if l.get('data_name'))
    else:
        for d in steps(folder):
            for _, op, name, io, _, _, f in kernels(d):
                out.setdefault(f'{op}.{name}', ([], []))[io == 'output'].append(digest(f, moved))
    return [(c, i, o) for c, (i, o) in out.items()]


BACK = re.compile('Gradients|Grad_|SiLUGrad|[bB]ackward|parameters_grad|optimizer|AdamW|ClipGrad|LocalNorm|Default_(?!Split)[A-Z][A-Za-z]*-op')
MOVES = re.compile(r'(^|\.)(Reshape|Transpose|TransposeExt|Cast|Depend|TensorMove|ExpandDims|Squeeze|StridedSlice|Concat|Tile|view|reshape|transpose|permute|contiguous|to|float|type_as|type|unsqueeze|squeeze|expand|__getitem__|split|chunk|cat)(\.|$)')

ELEMENTS = re.compile(r'^(Add|Sub|Mul|Div|RealDiv|Sqrt|Rsqrt|Erf|Exp|Tanh|Sigmoid|Square|Pow|Neg|AddExt|SubExt)\.|Tensor\.__r?(add|sub|mul|truediv|neg|pow)__\.|Primitive\.\w+\.(Add|Sub|Mul|Div|RealDiv|Sqrt|Erf|Square|AddExt)\.')


def truth(faulty, clean, moved=False, back=False):
    """{call: steps behind the fault, at most 2}: where it enters (0) are calls that give new bits although none come in. Casts and views are no step, arithmetic on elements
    is half a step: a norm or an activation that is written out is one call of the other side.
    moved: values changed places (weights exchanged), so a call's bits are compared with those of the call of its name. back: only gradients are meant."""
    was, now = calls(clean, moved), calls(faulty, moved)
    known, named = {h for _, i, o in was for h in i + o}, {c: (i, o) for c, i, o in was}
    other, made = [], set()
    for c, i, o in now:                                               # a call is another by what it gives or is given: behind a bias of zero all values are known
        new = (moved and c in named and o != named[c][1]) or any(h not in known for h in o)
        if new or (c in named and i != named[c][0] and len(i) == len(named[c][0])):
            other.append((c, i, o))
            made.update(h for h in o if moved or h not in known)
    far, at, past = {}, {}, set()
    for c, i, o in other:                                             # rows are in order of execution: what comes in was made before
        near, again = [at[h] for h in i if h in at], [at[h] for h in o if h in at]
        given = c.startswith(('Cell.', 'Module.')) and c in named and len(i) == len(named[c][0]) and any(h != w and h not in past for h, w in zip(i, named[c][0]))    # a module's parameter
        behind = not near and any(h in past and h not in o for h in i)
        past.update(h for h in o if h in made)
        if behind and not given:
            continue
        far[c] = 0 if given else min(again) if again else min(near) + (0 if MOVES.search(c) else 0.5 if ELEMENTS.search(c) else 1) if near else 0
        for h in o:
            at[h] = min(at.get(h, 9), far[c])
    return {c: d for c, d in far.items() if d <= 2 and (back or not BACK.search(c))}


if __name__ == '__main__':
    if sys.argv[1] == 'statistics':
        statistics(*sys.argv[2:])
    else:
        sys.stdout.write(''.join(f'{d:.0f} {call}\n' for call, d in truth(*sys.argv[2:4], moved='moved' in sys.argv, back='back' in sys.argv).items()))
