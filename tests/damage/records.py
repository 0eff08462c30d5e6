"""records.py FORMAT FILE [AT]: a binary recording in FILE, with the AT-th damage done to it; without FILE, says how many
there are. A value that is there and cannot be read stands where one belongs, under valid checksums: the other classes
of damage break those. Only Python's own modules."""
import json, os, shutil, sqlite3, struct, sys, zlib


def crc32c(b):
    c = 0xffffffff
    for x in b:
        c ^= x
        for _ in range(8):
            c = c >> 1 ^ (0x82f63b78 if c & 1 else 0)
    return c ^ 0xffffffff


def varint(v):
    out = b''
    v &= (1 << 64) - 1
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def field(number, value):  # an int as varint, a float as float32, bytes and texts with their length
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack('<f', value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


# Steps of a run: (what is damaged, with what) for the third; the values 2.5, 1.5 and 1e-5 of all.
def scalars(step, bad):
    names = [('lm loss', 2.5), ('grad-norm', 1.5), ('learning-rate', 1e-5)]
    out = b''
    for i, (tag, v) in enumerate(names):
        value = field(2, v)
        if bad and bad[0] == i:
            value = bad[1]
        name = field(1, 7) if bad == ('tag', i) else field(1, tag)
        out += field(1, name + value)
    if bad == 'cut':
        out = out[:-3]
    number = field(2, step) if not (bad and bad[0] == 'step') else bad[1]
    return field(1, 1.7e9) + number + field(5, out)


def tensor(dtype, *rest):
    return field(8, field(1, dtype) + b''.join(rest))


events_bad = [(i, v) for i in range(3) for v in (
    field(2, 'x'), field(2, 7), tensor(7, field(8, 'x')), tensor(1, field(4, b'\0\0')), tensor(1, field(4, b'\0' * 8)),
    b'')] + [('tag', 0), ('step', field(2, 'x')), ('step', field(2, 2.5)), ('step', field(2, -1)), 'cut']


def events(path, bad):
    with open(path, 'wb') as f:
        for step in range(1, 6):
            data = scalars(step, bad if step == 3 else None)
            for b in (struct.pack('<Q', len(data)), data):
                c = crc32c(b)
                f.write(b + struct.pack('<I', ((c >> 15 | c << 17) + 0xa282ead8) & 0xffffffff))


texts = ('"1,5"', '"#NUM!"', '1e-3x', '"x"', '{"a": 1}', '[1]')
wandb_bad = [(key, v) for key in ('loss', 'grad_norm', 'lr', 'global_step') for v in texts] + ['cut']


def wandb(path, bad):
    out = b':W&B\xe1\xbe\0'
    for step in range(1, 6):
        values = {'loss': '2.5', 'grad_norm': '1.5', 'lr': '1e-05', 'global_step': str(step)}
        if step == 3 and bad and bad != 'cut':
            values[bad[0]] = bad[1]
        history = b''.join(field(1, field(1, k) + field(16, v)) for k, v in values.items()) + field(2, field(1, step))
        data = field(2, history[:-3] if step == 3 and bad == 'cut' else history)
        out += struct.pack('<IHB', zlib.crc32(b'\1' + data), len(data), 1) + data
    with open(path, 'wb') as f:
        f.write(out)


def database(sample, columns):
    damage = [(t, c, v) for t, c in columns for v in ("'1,5'", "'#NUM!'", "x'00'", "'x'")]

    def write(path, bad):
        shutil.copyfile(os.path.join(os.environ['SAMPLES'], sample), path)
        os.chmod(path, 0o644)
        if bad:
            db = sqlite3.connect(path)
            table, column, value = bad
            at = 'node_order' if table == 'tb_nodes' else 'target_id'
            where = f'{at} = 3 AND {column} IS NOT NULL'
            if table == 'trend_data':  # one row, as its key may not be there twice
                where = 'rank = %d AND step = %d AND target_id = %d AND metric_id = %d' % db.execute(
                    f'SELECT rank, step, target_id, metric_id FROM {table} WHERE {where} LIMIT 1').fetchone()
            db.execute(f'UPDATE {table} SET {column} = {value} WHERE {where}')
            db.commit()
            db.close()
    return damage, write


def layout(damage):
    """A strategy as protobuf: two devices, the first axis cut along them; beside it a weight that both hold."""
    what, value = damage or (None, None)
    ints = lambda *v: field(1, b''.join(varint(x) for x in v))
    devices = value if what == 'devices' else field(1, ints(2))
    cut = value if what == 'cut' else field(2, ints(0, -1))
    step = value if what == 'step' else field(6, 0)
    size = value if what == 'size' else field(7, 0)
    uneven = value if what == 'uneven' else b''
    name = value if what == 'name' else field(1, 'a.weight')
    item = field(3, name + field(2, devices + cut + uneven + step + size))
    whole = field(3, field(1, 'b.weight') + field(2, field(1, ints(2)) + field(2, ints(-1))))
    return field(1, 0) + whole + (value if what == 'item' else item)


strategy_bad = [(w, v) for w, n in (('devices', 1), ('cut', 2)) for v in (
    field(n, 7), field(n, 2.5), field(n, field(1, 2.5)), field(n, field(1, b'\xff')), field(n, field(1, varint(0) * 3)))
] + [('step', field(6, 'x')), ('step', field(6, 2.5)), ('size', field(7, 'x')), ('size', field(7, 2.5)),
     ('uneven', field(3, 7)), ('name', field(1, 7)), ('item', field(3, 7)), ('item', field(3, 'x'))]


def safetensors(path, tensors):
    head, data = {}, b''
    for name, shape, values in tensors:
        b = struct.pack(f'<{len(values)}f', *values)
        head[name] = {'dtype': 'F32', 'shape': shape, 'data_offsets': [len(data), len(data) + len(b)]}
        data += b
    text = json.dumps(head).encode()
    with open(path, 'wb') as f:
        f.write(struct.pack('<Q', len(text)) + text + data)


def strategy(path, bad):
    root = os.path.dirname(path)
    for r in range(2):
        os.makedirs(f'{root}/rank_{r}', exist_ok=True)
        safetensors(f'{root}/rank_{r}/w.safetensors', [('a.weight', [1, 3], [3 * r + i for i in range(3)]),
                                                      ('b.weight', [2], [1, 2])])
    with open(path, 'wb') as f:
        f.write(layout(bad))


trend = [('trend_data', c) for c in ('max', 'min', 'mean', 'norm', 'target_id', 'metric_id')] + [
    ('monitoring_targets', 'micro_step'), ('monitoring_targets', 'target_name')]
formats = {
    'events': (events_bad, events),
    'wandb': (wandb_bad, wandb),
    'strategy': (strategy_bad, strategy),
    'trend': database('open/databases/target/dump_data.trend.db', trend[:6]),
    'monitor_db': database('open/databases/monitor_data.trend.db',
                           [('trend_data', c) for c in ('norm', 'step', 'rank', 'target_id', 'metric_id')]),
    'vis_db': database('open/databases/compare.vis.db', [('tb_nodes', c) for c in ('input_data', 'output_data', 'matched_node_link')]),
}

if __name__ == '__main__':
    damage, write = formats[sys.argv[1]]
    if len(sys.argv) < 3:
        print(len(damage))
    else:
        write(sys.argv[2], damage[int(sys.argv[3]) - 1] if len(sys.argv) > 3 else None)
