"""MindFormers' own code against PyTorch: records a set of pairs and judges it once.

usage: python plan.py OUT record            the eleventh set, or with SET=12 the twelfth (set12.py), SET=13 or 14 the next two and SET=13p the practice before them (set13.py, which also needs RESEARCH); needs MS (a Python with mindspore 2.7.1 'numpy<2' mindstudio-probe sentencepiece requests regex ftfy tokenizers setproctitle jinja2 deprecated einops), PT (one with torch, transformers, timm, mindstudio-probe),
                                            MF13 and MF17: folders that the wheels mindformers 1.3.2 and 1.7.0 were unpacked to (pip download --no-deps)
       python plan.py OUT judge DIVERGE     judges OUT/pairs and prints a line a pair and the counts

The target is a model of MindFormers on MindSpore's CPU: in graph mode under the guide's dump JSON (npy of every kernel, and statistic.csv made of them as the framework writes it, which the CPU refuses), or in PyNative under msprobe.
The golden side is transformers, timm or a model as its repository writes it (models_pt.py) under msprobe (mix). Both start from the same weights; the loss of a clean pair differs by less than 1e-6. Models compute in float32 (MindSpore's CPU leaves float32 in buffers named
float16). models.py has sizes, inputs and the names of weights, record_ms.py and record_pt.py record one side, compat.py says what was put in place of kernels that the CPU lacks, dumps.py finds where a fault enters: by bits, against the same side's recording without it.
A pair counts as first right where the first start is a call at which the fault enters or one of the next two behind it by flow (dumps.truth says what counts as a step).
"""
import json, os, shutil, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = dict(mae=13, eva02=13, sam=13, qformer=13, internlm2=13, qwen3moe=17, deepseek3=17, qwen2moe=17)       # the version of MindFormers
FORMS = 'npy', 'stat', 'pyn'
SECOND = dict(model='qwen2moe', steps=2)                             # a second step
# name, model, form, side, fault, options: moved (values changed places), back (gradients alone), second (the second step)
FAULTS = [
    ('eps', 'mae', 'npy', 'ms', dict(set={'vit.blocks.1.layernorm2.eps': 1e-4}), ''),
    ('transposed', 'mae', 'stat', 'ms', dict(weights=[['T', 'decoder_blocks.0.attention.projection.weight', 0]]), ''),
    ('notloaded', 'mae', 'pyn', 'ms', dict(weights=[['normal', 'mask_tokens', 0.02]]), ''),
    ('reference', 'eva02', 'npy', 'ms', dict(config={'ref_feat_shape': 5}), ''),
    ('act', 'eva02', 'stat', 'ms', dict(set={'eva.blocks.1.mlp.act': {'cell': 'GELU(False)'}}), ''),
    ('scale', 'eva02', 'pyn', 'ms', dict(set={'eva.blocks.2.attn.scale': {'tensor': 48 ** -0.5}}), ''),
    ('relpos', 'sam', 'npy', 'ms', dict(weights=[['swap', 'encoder.blocks.0.attn.rel_pos_h', 'encoder.blocks.0.attn.rel_pos_w']]), 'moved'),
    ('eps', 'sam', 'stat', 'ms', dict(set={'encoder.neck.1.eps': 1e-3}), ''),
    ('erf', 'sam', 'pyn', 'ms', dict(set={'encoder.blocks.2.mlp.act': {'cell': 'GELU(False)'}}), ''),
    ('residual', 'qformer', 'npy', 'pt', dict(set={'bert.encoder.layer.1.output_query': 'no residual'}), ''),
    ('divider', 'qformer', 'stat', 'ms', dict(set={'bert.encoder.layer.2.crossattention.self_att.divider': 6.0}), ''),
    ('value', 'qformer', 'pyn', 'ms', dict(weights=[['normal', 'bert.encoder.layer.0.crossattention.self_att.value.weight', 0.02]]), ''),
    ('heads', 'internlm2', 'npy', 'ms', dict(weights=[['heads', 'model.layers.1.attention.wk.weight', 3]]), 'moved'),
    ('theta', 'internlm2', 'stat', 'ms', dict(config={'theta': 1e4}), ''),
    ('softmax16', 'internlm2', 'pyn', 'ms', dict(set={'model.layers.1.attention.softmax_dtype': {'dtype': 'float16'}}), ''),
    ('topk', 'qwen3moe', 'npy', 'ms', dict(config={'num_experts_per_tok': 2}), ''),
    ('lossmask', 'qwen3moe', 'stat', 'ms', dict(config={'ignore_token_id': 39}), ''),
    ('normtopk', 'qwen3moe', 'pyn', 'ms', dict(config={'norm_topk_prob': False}), ''),
    ('factor', 'deepseek3', 'npy', 'ms', dict(config={'routed_scaling_factor': 1.0}), ''),
    ('gateup', 'deepseek3', 'stat', 'ms', dict(weights=[['halves', 'net.model.decoder.layers.1.mlp.experts.weight1', 0]]), 'moved'),
    ('nonorm', 'deepseek3', 'pyn', 'ms', dict(set={'net.model.decoder.layers.1.self_attention.q_layernorm': {'cell': 'Identity()'}}), ''),
    ('bias', 'qwen2moe', 'npy', 'ms', dict(weights=[['scale', 'net.decoder.layers.1.self_attention.linear_qkv.bias', 0.0]]), ''),
    ('decay', 'qwen2moe', 'stat', 'ms', dict(), 'second decay_all'),
    ('gate', 'qwen2moe', 'pyn', 'ms', dict(set={'net.decoder.layers.0.mlp.shared_experts.use_shared_expert_gate': False}), ''),
]
if os.environ.get('SET'):
    module = __import__('set12' if os.environ['SET'] == '12' else 'set13')
    MODELS, FAULTS, SECOND = module.MODELS, module.FAULTS, None


def recorded(out, model, form, side, fault=None, second=False):
    """the folder of a recording"""
    n = model + ('-2' if second else '') + (f'-{fault}' if fault else '')
    return f'{out}/{side}/{n}' + ('-pyn' if side == 'ms' and form == 'pyn' else '')


def jobs(out):
    """[(side, version, job)]: every recording once"""
    made = {}

    def add(model, form, side, fault=None, what=None, options=''):
        second = 'second' in options
        path = recorded(out, model, form, side, fault, second)
        j = dict(model=model, weights=f'{out}/w/{model}.{side}.npz', out=path)
        j.update({'fault': what} if what else {}, **({'steps': 2} if second else {}), **({'pynative': 'mix'} if form == 'pyn' and side == 'ms' else {}), **({'decay_all': 1} if 'decay_all' in options else {}))
        made.setdefault(path, (side, MODELS[model] if side == 'ms' else 0, j))
    for m in MODELS:
        for form in ('npy', 'pyn'):
            add(m, form, 'ms')
        add(m, 'npy', 'pt')
    for side in ('ms', 'pt') if SECOND else ():
        add(SECOND['model'], 'npy', side, options='second')
    for name, m, form, side, what, options in FAULTS:
        add(m, form, side, name, what, options)
    return made


def run(python, script, version, lines, log):
    env = dict(os.environ, PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION='python', MINDFORMERS=os.environ.get(f'MF{version}', ''))
    with open(log, 'a') as f:
        subprocess.run([python, f'{HERE}/{script}'], input=''.join(json.dumps(j) + '\n' for j in lines), text=True, stdout=f, stderr=subprocess.STDOUT, env=env, cwd=os.path.dirname(log))


def record(out):
    for d in ('w', 'ms', 'pt', 'pairs'):
        os.makedirs(f'{out}/{d}', exist_ok=True)
    init = [dict(model=m, init=1, weights=f'{out}/w/{m}.pt.npz', msweights=f'{out}/w/{m}.ms.npz') for m in MODELS if not os.path.exists(f'{out}/w/{m}.ms.npz')]
    if init:
        run(os.environ['PT'], 'record_pt.py', 0, init, f'{out}/pt.log')
    todo = [(s, v, j) for p, (s, v, j) in jobs(out).items() if not os.path.exists(p + '.done')]
    for side, version in (('pt', 0), ('ms', 13), ('ms', 17)):
        lines = [j for s, v, j in todo if (s, v) == (side, version)]
        if lines:
            run(os.environ[side.upper()], f'record_{side}.py', version, lines, f'{out}/{side}.log')
    pairs = [(f'{m}.{form}', m, form, None, None, '') for m in MODELS for form in FORMS]
    pairs += [(f'{SECOND["model"]}.2.stat', SECOND['model'], 'stat', None, None, 'second')] if SECOND else []
    pairs += [(f'{m}.{form}.{name}', m, form, name, side, options) for name, m, form, side, _, options in FAULTS]
    for p in pairs:
        pair(out, *p)


def pair(out, name, model, form, fault, faulty, options):
    """OUT/pairs/NAME: target and golden as links, truth.json"""
    second = 'second' in options
    side = {s: recorded(out, model, form, s, fault if s == faulty else None, second) for s in ('ms', 'pt')}
    missing = [d for d in side.values() if not os.path.exists(d + '.done')]
    if missing:
        return print(name, 'not recorded:', *missing)
    to = f'{out}/pairs/{name}'
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(to)
    truth = None
    if fault:
        clean = recorded(out, model, form, faulty, None, second)
        more = [o for o in ('moved', 'back') if o in options]
        text = subprocess.run([os.environ[faulty.upper()], f'{HERE}/dumps.py', 'truth', side[faulty], clean, *more], capture_output=True, text=True).stdout
        truth = {line[2:]: int(line[0]) for line in text.splitlines()}
        if not truth:
            print(name, 'has no effect')
    if form == 'stat':
        stat = side['ms'] + '-stat'
        if not os.path.exists(stat):
            subprocess.run([os.environ['MS'], f'{HERE}/dumps.py', 'statistics', side['ms'], stat], check=True)
        side['ms'] = stat
    os.symlink(side['ms'], to + '/target')
    os.symlink(side['pt'], to + '/golden')
    json.dump(dict(model=model, form=form, fault=fault, side={'ms': 'target', 'pt': 'golden'}.get(faulty), enters=truth), open(to + '/truth.json', 'w'), indent=1)


def call(row):
    """the call that a row belongs to"""
    for end in ('.output', '.input', '.parameters', '.forward.input', '.kwargs'):
        if end in row:
            row = row[:row.rindex(end)]
    return row


def judged(program, d):
    x = json.load(open(d + '/truth.json'))
    p = subprocess.run([program, 'compare', os.path.realpath(d + '/target'), os.path.realpath(d + '/golden'), '--json'], capture_output=True, text=True, timeout=300)
    try:
        o = json.loads(p.stdout)
    except ValueError:
        return x, False, p.returncode, p.stderr.strip()[:200]
    starts = o['starts']
    first = o['first_deviation'] or (starts or [{}])[0]
    text = f"{len(starts)} starts, first {first.get('target')} | {first.get('golden')}" if starts else ''
    if not x['fault']:
        return x, p.returncode == 0 and not starts, p.returncode, text
    return x, bool(starts) and call(first.get(x['side']) or '') in x['enters'], p.returncode, text


def judge(out, program):
    counts = {}
    for name in sorted(os.listdir(out + '/pairs')):
        x, good, status, text = judged(program, f'{out}/pairs/{name}')
        kind = 'first' if x['fault'] else 'clean'
        n = counts.setdefault((kind, x['form']), [0, 0])
        n[0] += good
        n[1] += 1
        print('right' if good else 'WRONG', name, f'status {status}', text, flush=True)
        if not good and x['fault']:
            print('      enters at', *[c for c, d in x['enters'].items() if d == 0][:3])
    for kind in ('clean', 'first'):
        print(kind, *[f'{f} {counts[kind, f][0]} of {counts[kind, f][1]}' for f in FORMS if (kind, f) in counts], 'all', sum(counts[kind, f][0] for f in FORMS), 'of', sum(counts[kind, f][1] for f in FORMS))


if __name__ == '__main__':
    if sys.argv[2] == 'record':
        record(os.path.abspath(sys.argv[1]))
    else:
        judge(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[3]))
