"""Records the pairs of models.tsv with msprobe, one process a recording, and makes a folder of cases for tests/accuracy/run.

usage: python models_run.py OUT [--list FILE] [NAME…]      this Python needs torch, msprobe, transformers, timm, diffusers
Faults with & between are independent: each has a start of its own.
A line: name, model, "level task", golden's options, target's options, fault of the target (-: a clean pair), ids that name it, another call at which it shows. Options are OPTION=VALUE with commas
between, those of DEFAULT. NAME: these rows alone, those whose name begins so. Recordings stay in OUT/recordings and are used again.
Where a fault enters is found without a comparing tool: the faulty side is recorded again without it, and the first call whose bits differ is the truth.
"""
import hashlib, json, os, shutil, sys, traceback, types

HERE = os.path.dirname(os.path.abspath(__file__))
DEFAULT = dict(seed=0, attn='eager', experts='', dtype='float32', autocast='', threads=1, order='', ckpt='', channels_last=0, cache=None, pad=0, positions=None, rng=1, reduction='mean', shift=0, mkldnn=1, loss='', aux=0.01, linear='',
               norm='', act='', fused='', lora='', wrap=0, steps=1, optimizer='adamw', lr=1e-3, beta1=0.9, beta2=0.999, decay=0.01, clip=1.0, record_clip=0, md5=0, training=1, micro=1, average=1, scaler=0)


def preload():
    """what all recordings import, once, before they are forked"""
    import torch
    register = torch.library.register_fake                # torchvision without its compiled operators is enough here
    torch.library.register_fake = lambda op, *a, **k: (lambda f: f) if isinstance(op, str) and op.startswith('torchvision::') else register(op, *a, **k)
    import transformers, transformers.masking_utils, timm, diffusers, msprobe.pytorch
    import models, models_more
    models_more.add(models)
    import models_packages
    if models_packages.PIP:
        models_packages.add(models)
    torch.set_num_threads(1)
    return models


def options(text, models):
    o = types.SimpleNamespace(**DEFAULT, config=[])
    for k, v in (part.split('=', 1) for part in text.strip('-').split(',') if part):
        if k not in DEFAULT:
            raise SystemExit(f'no option {k}')
        setattr(o, k, models.number(v))
    return o


def record(models, name, out, level, task, text, fault):
    import torch
    o = options(text, models)
    torch.set_num_threads(int(o.threads))
    torch.backends.mkldnn.set_flags(bool(o.mkldnn))
    torch.manual_seed(3)
    faults = [f for f in fault.split() if f not in '-&']
    for f in faults:
        models.before_building(f, o)
    if o.order:
        models.summed_otherwise(o.order)
    from msprobe.pytorch import PrecisionDebugger
    torch.use_deterministic_algorithms(True, warn_only=True)
    m, given, loss = models.build(name, o)
    models.initialise(m, o.seed)
    m.train(bool(o.training))
    for f in faults:
        models.after_building(f, m, given)
    m = models.by_hand(o, m)
    if o.dtype != 'float32':
        t = getattr(torch, o.dtype)
        for p in m.parameters():
            p.data = p.data.to(t)
        for b in m.buffers() if getattr(m, 'package', False) else ():  # as model.bfloat16() does
            if b.is_floating_point():
                b.data = b.data.to(t)
        given = {k: v.to(t) if torch.is_tensor(v) and v.is_floating_point() else v for k, v in given.items()}
    if o.channels_last:
        m.to(memory_format=torch.channels_last)
        given = {k: v.contiguous(memory_format=torch.channels_last) if torch.is_tensor(v) and v.dim() == 4 else v for k, v in given.items()}
    if o.ckpt:
        m.gradient_checkpointing_enable({'use_reentrant': o.ckpt == 'reentrant'})
    os.makedirs(out, exist_ok=True)
    config = out.rstrip('/') + '.config.json'
    with open(config, 'w') as f:
        json.dump({'task': task, 'dump_path': out, 'rank': [], 'step': [int(o.steps) - 1], 'level': level, 'async_dump': False, 'extra_info': True, 'tensor': {'scope': [], 'list': [], 'data_mode': ['all']},
                   'statistics': {'scope': [], 'list': [], 'tensor_list': [], 'data_mode': ['all'], 'summary_mode': 'md5' if o.md5 else 'statistics'}}, f)
    debugger = PrecisionDebugger(config_path=config)
    weights = [p for p in m.parameters() if p.requires_grad]
    update = torch.optim.AdamW(weights, lr=o.lr, betas=(o.beta1, o.beta2), weight_decay=o.decay, foreach=False) if o.optimizer == 'adamw' else torch.optim.SGD(weights, lr=o.lr, foreach=False)
    scale = torch.amp.GradScaler('cpu', init_scale=float(o.scaler or 1), enabled=bool(o.scaler))
    batches = [(given, loss)]
    for i in range(1, int(o.micro)):                      # other data of the same model
        seed, o.seed = o.seed, o.seed + 100 * i
        batches.append(models.build(name, o)[1:])
        o.seed = seed
    for step in range(int(o.steps)):
        debugger.start(model=m, rank_id=0)
        torch.manual_seed(int(o.rng) + step)
        for inputs, wanted in batches:
            with torch.autocast('cpu', dtype=getattr(torch, o.autocast or 'bfloat16'), enabled=bool(o.autocast)):
                y = m(**inputs)
            value = wanted(y)
            if o.micro > 1 and o.average:
                value = value / int(o.micro)
            scale.scale(value).backward()
        if o.scaler:
            scale.unscale_(update)
        if o.record_clip:
            torch.nn.utils.clip_grad_norm_(weights, o.clip)
        debugger.stop(), debugger.step()
        if o.clip and not o.record_clip:
            torch.nn.utils.clip_grad_norm_(weights, o.clip)
        if step + 1 < o.steps:
            scale.step(update)
            scale.update()
            update.zero_grad()
    os.unlink(config)
    print('loss', float(value.detach()))


class Recorder:
    def __init__(self, root):
        self.root, self.models = os.path.join(root, 'recordings'), None

    def recorded(self, *what):
        out = os.path.join(self.root, f'{what[0]}_' + hashlib.sha1('|'.join(what).encode()).hexdigest()[:12])
        if not os.path.exists(out + '/done'):
            self.models = self.models or preload()
            shutil.rmtree(out, ignore_errors=True)
            os.makedirs(out)
            pid = os.fork()
            if not pid:
                log = os.open(out + '.log', os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
                os.dup2(log, 1), os.dup2(log, 2)
                try:
                    record(self.models, what[0], out, *what[1:])
                    os._exit(0)
                except BaseException:
                    traceback.print_exc()
                    sys.stderr.flush()
                    os._exit(1)
            if os.waitpid(pid, 0)[1]:
                with open(out + '.log') as f:
                    raise RuntimeError(f.read().strip().splitlines()[-1][:300])
            open(out + '/done', 'w').close()
        step = next(d for d in sorted(os.listdir(out)) if d.startswith('step'))
        return os.path.join(out, step, 'rank0')


def leaves(x, name):
    if isinstance(x, dict) and not isinstance(x.get('type'), str):
        for k, y in x.items():
            yield from leaves(y, f'{name}.{k}')
    elif isinstance(x, list):
        for i, y in enumerate(x):
            yield from leaves(y, f'{name}.{i}')
    else:
        yield name, x


def calls(folder):
    """(in execution order, in the file's order): (call, bits of what went in or came out)"""
    import torch
    with open(folder + '/dump.json') as f:
        data = json.load(f)['data']
    with open(folder + '/construct.json') as f:
        up = {c: p if isinstance(p, str) else None for c, p in json.load(f).items()}

    def bits(x):
        if isinstance(x, dict) and x.get('data_name'):
            t = torch.load(os.path.join(folder, 'dump_tensor_data', x['data_name'])).detach()
            flat = torch.empty(t.numel(), dtype=t.dtype).copy_(t.flatten())  # a single element may keep a stride
            return f'{t.dtype}{tuple(t.shape)}' + hashlib.sha1(flat.view(torch.uint8).numpy().tobytes() if t.numel() else b'').hexdigest()
        return repr({k: v for k, v in x.items() if k not in ('requires_grad', 'data_name')} if isinstance(x, dict) else x)
    enter = {}
    for i, c in enumerate(data):
        p, depth = up.get(c), 1
        while p:
            enter.setdefault(p, (i, -depth))
            p, depth = up.get(p), depth + 1
    order, file = [], []
    for i, (c, kinds) in enumerate(data.items()):
        into = [(n, bits(x)) for k, v in kinds.items() if k in ('input_args', 'input_kwargs', 'parameters', 'input') for n, x in leaves(v, k)]
        out = [(n, bits(x)) for k, v in kinds.items() if k not in ('input_args', 'input_kwargs', 'parameters', 'input') for n, x in leaves(v, k)]
        order.append((enter.get(c, (i, 0)), c, into))
        order.append(((i, 1), c, out))
        file.append((c, into + out))
    order.sort(key=lambda e: e[0])
    return [(c, b) for _, c, b in order], file


def truth(faulty, plain):
    """names of the calls at which the recordings part"""
    found = []
    for a, b in zip(calls(faulty), calls(plain)):
        i = next((i for i, x in enumerate(a) if i >= len(b) or x != b[i]), None)
        if i is None:
            continue
        if a[i][0] not in found:
            found.append(a[i][0])
        known = {x for _, bits in b for _, x in bits}     # calls came or went: the first call that computes something new too
        j = next((j for j in range(i, len(a)) if any(x not in known and 'torch.' in x for _, x in a[j][1])), None)
        if j is not None and a[j][0] not in found:
            found.append(a[j][0])
    if not found:
        raise RuntimeError('the fault changes no bit')
    return found


def make(recorder, cells, root):
    name, model, how, golden, target, fault, ids, *other = cells
    level, task = how.split()
    t = recorder.recorded(model, level, task, target, fault)
    g = recorder.recorded(model, level, task, golden, '-')
    case = {'kind': f"{'clean' if fault == '-' else 'fault'}, PyTorch ⇄ PyTorch, {level}{'' if task == 'tensor' else ', statistics'}", 'target': os.path.relpath(t, os.path.join(root, name)),
            'golden': os.path.relpath(g, os.path.join(root, name)), 'first': None, 'ids': None}
    if fault != '-':
        plain, faults = recorder.recorded(model, level, 'tensor', target, '-'), fault.split(' & ')
        starts = [truth(recorder.recorded(model, level, 'tensor', target, f), plain) + other[i:i + 1] for i, f in enumerate(faults)]
        if len(faults) > 1:                               # each fault is a start of its own
            case['starts'], case['starts_ids'] = starts, [x.split(',') for x in ids.split(' & ')]
        case['first'] = sum(starts, [])
        case['ids'] = ids.replace(' & ', ',').split(',')
    os.makedirs(os.path.join(root, name), exist_ok=True)
    with open(os.path.join(root, name, 'case.json'), 'w') as f:
        json.dump(case, f, indent=1)
    return case


def make_each(cases, made):
    """calls made for each of (label, case) and prints what it returns; whether one could not be made"""
    bad = False
    for label, case in cases:
        try:
            print(f'{label:26}{made(case)}', flush=True)
        except Exception as e:
            bad = True
            print(f'{label:26}not made: {e}', flush=True)
    return bad


def main():
    args, path = sys.argv[1:], os.path.join(HERE, 'models.tsv')
    if '--list' in args:
        i = args.index('--list')
        path = args[i + 1]
        del args[i:i + 2]
    root, wanted = os.path.abspath(args[0]), args[1:]
    recorder = Recorder(root)
    with open(path) as f:
        rows = [line.rstrip('\n').split('\t') for line in f if line.strip() and line[0] != '#']
    return make_each(((cells[0], cells) for cells in rows if not wanted or any(cells[0].startswith(w) for w in wanted)),
                     lambda cells: make(recorder, cells, root)['first'])


if __name__ == '__main__':
    sys.exit(main())
