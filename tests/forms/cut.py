"""cut.py RECORDING OUT AXIS N [begin=B] [size=S] [statistics=1] [wrong=TENSOR]: copies a recording of msprobe with .npy tensors as its `slice`
records them: of each tensor elements B to B+N of an axis (negative: from the last), of all tensors, or of those with S elements
there. TENSOR, if cut, is multiplied by 1.5. Only Python's own modules."""
import json, math, os, shutil, struct, sys

source, out, axis, n = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
more = dict(a.split('=', 1) for a in sys.argv[5:])
begin, size = int(more.get('begin', 0)), int(more.get('size', 0))
LETTER = {'<f4': 'f', '<f8': 'd', '<i4': 'i', '<i8': 'q', '<f2': 'e'}


def sliced(path):
    """the new shape and values of a tensor, or None: left as it is"""
    b = open(path, 'rb').read()
    length = struct.unpack('<H', b[8:10])[0]
    head = eval(b[10:10 + length])
    shape, letter = head['shape'], LETTER.get(head['descr'])
    at = axis + (len(shape) if axis < 0 else 0)
    if head['fortran_order'] or not letter or not 0 <= at < len(shape) or (size and shape[at] != size) or shape[at] <= begin:
        return None
    values = struct.unpack(f'<{math.prod(shape)}{letter}', b[10 + length:])
    inner, end = math.prod(shape[at + 1:]), min(begin + n, shape[at])
    kept = [v for o in range(math.prod(shape[:at])) for v in values[(o * shape[at] + begin) * inner:(o * shape[at] + end) * inner]]
    if os.path.basename(path) == more.get('wrong'):
        kept = [1.5 * v for v in kept]
    head['shape'] = shape[:at] + (end - begin,) + shape[at + 1:]
    text = (str(head) + ' ' * 64)[:117].encode() + b'\n'
    with open(path, 'wb') as f:
        f.write(b'\x93NUMPY\1\0' + struct.pack('<H', len(text)) + text + struct.pack(f'<{len(kept)}{letter}', *kept))
    return list(head['shape']), kept


def walk(v):
    for x in v.values() if isinstance(v, dict) else v if isinstance(v, list) else ():
        walk(x)
    if not isinstance(v, dict) or not v.get('data_name'):
        return
    path = f'{out}/dump_tensor_data/{v["data_name"]}'
    got = sliced(path) if os.path.exists(path) else None
    if got:
        v['shape'], kept = got
        if v.get('Max') is not None and kept:
            v['Max'], v['Min'] = max(kept), min(kept)
            if v.get('Mean') is not None:
                v['Mean'], v['Norm'] = math.fsum(kept) / len(kept), math.sqrt(math.fsum(k * k for k in kept))
    if more.get('statistics'):
        del v['data_name']


shutil.copytree(source, out, symlinks=False)
os.system(f'chmod -R u+w "{out}"')
d = json.load(open(out + '/dump.json'))
walk(d['data'])
if more.get('statistics'):
    d['task'] = 'statistics'
    shutil.rmtree(out + '/dump_tensor_data')
json.dump(d, open(out + '/dump.json', 'w'))
