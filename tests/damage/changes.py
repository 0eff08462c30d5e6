"""changes.py KIND IN OUT [AT]: a copy of the recording IN with its AT-th change of that kind: one value that a reader takes and
that contradicts what else the recording says, or that the other side does not have. Without AT says how many there are. Only
Python's own modules."""
import copy, csv, io, json, os, shutil, struct, sys

EVERY = {'arguments': 5, 'shapes': 7, 'types': 23, 'absent': 3, 'cells': 97}  # few of many, spread over the recording


def walk(v, path=()):
    yield path, v
    for k, x in v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, list) else ():
        yield from walk(x, path + (k,))


def at(v, path):
    for k in path:
        v = v[k]
    return v


def tensors(data):
    return [(p, v) for p, v in walk(data) if isinstance(v, dict) and 'shape' in v and 'dtype' in v]


def dump_changes(kind, dump):
    """paths and what is put there; None: the entry is left out"""
    data = dump['data']
    if kind == 'arguments':  # of calls whose arguments say which sizes come out
        moves = ('reshape', 'transpose', 'cat', 'cast')
        for p, v in walk(data):
            if isinstance(v, dict) and 'value' in v and any(f'.{m}.' in p[0] for m in moves) and 'forward' in p[0]:
                yield p + ('value',), {'Float32': 'Float16'}.get(v['value'], v['value'] if isinstance(v['value'], str) else v['value'] + 5)
                if isinstance(v['value'], int):
                    yield p + ('type',), 'float'
    elif kind == 'shapes':  # of calls that say which sizes belong to them; gradients have those of their values
        for p, v in tensors(data):
            turned = v['shape'][::-1]
            if p[0].startswith(('Primitive.reshape', 'Primitive.cast', 'Functional.transpose')) and turned != v['shape']:
                yield p + ('shape',), turned
    elif kind == 'types':  # float32 recorded as a type that does not have the extremes
        for p, v in tensors(data):
            if v['dtype'] == 'Float32' and len(repr(v['Max'])) > 12:
                yield p + ('dtype',), 'BFloat16'
    elif kind == 'absent':  # a call, or a tensor of one
        for call in data:
            yield (call,), None
        for p, _ in tensors(data):
            if isinstance(p[-1], int) and p[1] != 'input_kwargs':
                yield p, None


def change_dump(dump, path, value):
    holder = at(dump['data'], path[:-1])
    if value is None:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value


def cell_changes(rows):
    """figures of both sides, and their types"""
    of = {c: i for i, c in enumerate(rows[0])}
    for y, row in enumerate(rows[1:], 1):
        for name in ('NPU max', 'NPU l2norm', 'Bench min', 'Bench max', 'Cosine', 'MaxAbsErr', 'EucDist'):
            cell = row[of[name]]
            if cell.lstrip('-')[:1].isdigit() and '.' in cell and float(cell):
                yield y, of[name], repr(float(cell) * 1.3)
        for name in ('NPU Dtype', 'Bench Dtype'):
            cell = row[of[name]]
            if cell.startswith('<class') or (cell == 'torch.float32' and len(row[of['NPU max']]) > 12):
                yield y, of[name], cell[:-1] if cell[0] == '<' else 'torch.bfloat16'


def weight_changes(out, folder):
    """weights of a step that lack, or lie in other axes"""
    for name in ('before', 'grad', 'after'):
        with open(f'{folder}/{name}.safetensors', 'rb') as f:
            raw = f.read()
        n = struct.unpack('<Q', raw[:8])[0]
        head = json.loads(raw[8:8 + n])
        for k in [k for k in head if k != '__metadata__']:
            for what in ('lacks', 'turned'):
                h = copy.deepcopy(head)
                if what == 'lacks':
                    del h[k]
                elif len(h[k]['shape']) == 2:
                    h[k]['shape'].reverse()
                if h != head:
                    text = json.dumps(h).encode()
                    text += b' ' * (-len(text) % 8)
                    yield f'{out}/{name}.safetensors', struct.pack('<Q', len(text)) + text + raw[8 + n:]


kind, source, out = sys.argv[1:4]
number = int(sys.argv[4]) if len(sys.argv) > 4 else None
if os.path.isdir(source):
    every = EVERY.get(kind, 1)
    if kind == 'step':
        changes = list(weight_changes(out, source))
    else:
        with open(f'{source}/dump.json') as f:
            dump = json.load(f)
        changes = list(dump_changes(kind, dump))[::every]
else:
    with open(source, newline='') as f:
        rows = list(csv.reader(f))
    changes = list(cell_changes(rows))[::EVERY[kind]]
if number is None:
    print(len(changes))
    sys.exit()
change = changes[number - 1]
if not os.path.isdir(source):
    y, x, cell = change
    rows[y][x] = cell
    text = io.StringIO()
    csv.writer(text, lineterminator='\n').writerows(rows)
    with open(out, 'w') as f:
        f.write(text.getvalue())
    sys.exit()
shutil.rmtree(out, ignore_errors=True)
shutil.copytree(source, out)
os.system(f'chmod -R u+w "{out}"')
if kind == 'step':
    with open(change[0], 'wb') as f:
        f.write(change[1])
else:
    change_dump(dump, *change)
    with open(f'{out}/dump.json', 'w') as f:
        json.dump(dump, f)
