"""Records the jobs of jobs.tsv with jobs.py and compares each pair: whether a clean one is clean, and a faulty one is found at the right rank and call.

usage: python jobs_run.py PROGRAM [--keep DIR] [NAME…]
PROGRAM: diverge; this Python needs torch and msprobe. --keep: recordings stay in DIR and are used again. NAME: these rows alone, those whose name begins so.
Exit status 1 where a row is not as it should be.
"""
import json, os, re, runpy, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

def rows(path):
    """name, arguments of both sides, of the target alone, of the golden side, what is expected: 'clean', or 'found', ranks, part of the call, diagnosis"""
    with open(path) as f:
        for line in f:
            if line.strip() and line[0] != '#':
                cells = line.rstrip('\n').split('\t')
                yield cells + [''] * (8 - len(cells))

def preload():
    """what jobs.py imports, once for all jobs; msprobe itself is imported by each again, behind the faults that stand under a library's names"""
    os.environ['OMP_NUM_THREADS'] = '1'
    import torch, torch.distributed
    from msprobe.pytorch import PrecisionDebugger
    for name in [m for m in sys.modules if m.split('.')[0] == 'msprobe']:
        del sys.modules[name]

class Recorder:
    def __init__(self, root):
        self.root, self.port, self.ready = root, 29700 + os.getpid() % 1000, False

    def record(self, args):
        """the folder of a recording with these arguments"""
        at = os.path.join(self.root, re.sub('[^A-Za-z0-9_-]+', '_', args.replace('--', '')).strip('_') or 'plain')
        if os.path.exists(os.path.join(at, 'done')):
            return at
        if not self.ready:
            preload()
            self.ready = True
        os.makedirs(at, exist_ok=True)
        self.port += 1
        pid = os.fork()
        if pid == 0:
            log = os.open(at + '.log', os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(log, 1), os.dup2(log, 2)
            sys.argv = ['jobs.py', '--out', at, '--port', str(self.port), *args.split()]
            try:
                runpy.run_path(os.path.join(HERE, 'jobs.py'), run_name='__main__')
            except SystemExit as e:
                print(e.code, file=sys.stderr)
                os._exit(1 if e.code else 0)
            except BaseException as e:
                print(repr(e), file=sys.stderr)
                os._exit(1)
        if os.waitpid(pid, 0)[1]:
            with open(at + '.log') as f:
                raise RuntimeError(f'{args}: not recorded: {f.read()[-400:]}')
        open(os.path.join(at, 'done'), 'w').close()
        return at

def judge(program, target, golden, expected, ranks, call, diagnosis, alone):
    """None, or what is not as it should be"""
    steps = ['--step', 'all'] if len([d for d in os.listdir(target) if d.startswith('step')]) > 1 else []
    run = subprocess.run([program, 'compare', target, golden, '--json', '-q', *steps], capture_output=True, text=True)
    if not run.stdout:
        return f'exit {run.returncode}: {run.stderr.strip()[-300:]}'
    found = json.loads(run.stdout)
    first = found['first']
    if expected == 'clean':
        if first or run.returncode not in (0,):
            return f"exit {run.returncode}, {first and (first['ranks'], first['call'], first['sentence'][:120])}"
        return None
    if not first:
        return f'nothing found, exit {run.returncode}'
    got = ','.join(map(str, first['ranks'])) + (f"@{first['step']}" if steps else '')
    if ranks and (not got.endswith(ranks) if ranks[0] == '@' else got != ranks):
        return f"ranks {got}, expected {ranks} ({first['call']})"
    if call not in first['call']:
        return f"at {first['call']}, expected {call}"
    if diagnosis:
        text = json.dumps([first, [c for c in found['collectives']], found['replicas']])
        if f'"id": "{diagnosis}"' not in text:
            return f"{first['call']}: no diagnosis {diagnosis}"
    if alone:
        check = subprocess.run([program, 'check', target, '--json', '-q'], capture_output=True, text=True)
        if not any(alone in str(p.get('row')) or alone in p['detail'] for p in json.loads(check.stdout)['problems']):
            return f'check says nothing of {alone}'
    return None

def main():
    args, keep = sys.argv[1:], None
    if '--keep' in args:
        i = args.index('--keep')
        keep = args[i + 1]
        del args[i:i + 2]
    program, wanted = os.path.abspath(args[0]), args[1:]
    count = {'clean': [0, 0], 'found': [0, 0]}
    with tempfile.TemporaryDirectory() as scratch:
        recorder = Recorder(os.path.abspath(keep or scratch))
        for name, both, target, golden, expected, ranks, call, diagnosis, *alone in rows(os.path.join(HERE, 'jobs.tsv')):
            if wanted and not any(name.startswith(w) for w in wanted):
                continue
            try:
                sides = [recorder.record(f'{both} {x}'.strip()) for x in (target, golden)]
                wrong = judge(program, *sides, expected, ranks, call, diagnosis, alone[0] if alone else '')
            except RuntimeError as e:
                wrong = str(e)
            count[expected][0] += not wrong
            count[expected][1] += 1
            print(f"{'ok' if not wrong else 'FAIL':5}{name}{': ' + wrong if wrong else ''}", flush=True)
    print('jobs: ' + ', '.join(f'{a} of {b} {k}' for k, (a, b) in count.items()))
    return any(a < b for a, b in count.values())

sys.exit(main())
