"""A tiny Llama, named as Megatron's, cut over ranks (tensor, sequence, pipeline, data, context, expert parallel), run over gloo on the CPU and recorded by msprobe.

usage: jobs.py --out DIR [--layout tp=2,sp=on,pp=1,vpp=1,dp=1,cp=1,ep=1] [--order tp-cp-dp-pp] [--micro N] [--fault NAME] [--fault-layer N] [--fault-rank N] ...
--order: fastest first; tp-pp-dp is the other one in use. --cp-cut zigzag|natural. --batch is the whole job's. --experts N makes the last layer a mixture. --level, --task, --dtype as msprobe's.
One step, forward and backward, gradients reduced. Every rank cuts its weights from the same full weights, so any layout computes the same step.
Faults: see FAULTS. A run with --fault none in the same layout is the truth by bits.
"""
import argparse, json, math, os, shutil, sys
import numpy as np

FAULTS = {
    'missing_allreduce': 'linear_fc2 of the fault layer returns its partial sum', 'doubled_allreduce': 'the sum of linear_fc2 is reduced twice',
    'averaged': 'the reduction after linear_fc2 gives the mean (inside the collective)', 'bf16_allreduce': 'the reduction after linear_fc2 sums in bfloat16 (inside; float32 in and out)',
    'bf16_cast': 'the model casts to bfloat16 before the reduction after linear_fc2 and back after it', 'unequal_allreduce': 'one rank receives another result of the reduction after linear_proj',
    'wrong_group': 'linear_fc2 reduces over the data-parallel group', 'wrong_shard': 'the shards of linear_fc2 lie on the wrong tensor-parallel ranks',
    'drift': 'input_layernorm.weight of one rank has drifted by 1e-3', 'same_batch': 'every data-parallel rank reads the first batch', 'kernel': 'silu of one rank is wrong by 2 %',
    'wrong_layer': 'the last pipeline stage loads its layers one too early', 'micro_sum': 'the loss is not divided by the number of micro-batches',
    'dp_missing': 'the gradients of linear_fc1 of the fault layer are not reduced over data-parallel ranks', 'dp_sum': 'gradients are summed over data-parallel ranks, not averaged',
    'norm_grad': 'sequence parallel: the gradients of pre_mlp_layernorm are not reduced over tensor-parallel ranks', 'bad_recv': 'what one stage receives is rounded to bfloat16',
    'cp_positions': 'rope of a zigzag context-parallel rank uses natural positions', 'gather_order': 'gathered shards are put together in the wrong order (sequence-parallel all_gather before linear_fc1)',
    'wrong_expert': 'the last expert-parallel rank loads the first experts', 'tp_input': 'one tensor-parallel rank reads other tokens', 'dropout_seed': 'all data-parallel ranks drop with one seed (needs --dropout)',
    'gate_up': 'linear_fc1 is cut as one block instead of gate and up apart',
    'emb_mask': 'the vocabulary-parallel embedding does not clear what another rank holds', 'emb_bound': 'the vocabulary-parallel embedding takes one id too few for its own',
    'recompute_input': 'the fault layer is computed again from its input after the next layer has changed it (needs --recompute)',
    'recompute_seed': 'dropout is drawn anew when the layer is computed again (needs --recompute and --dropout)',
    'cp_scale': 'gradients are divided by dp alone, not by dp x cp', 'dp_scale': 'the loss is divided by dp as well, so gradients are divided twice',
    'tied_grad': 'tied embedding and output layer on two stages: their gradients are not added (needs --tied)', 'dp_twice': 'gradients of linear_fc1 of the fault layer are reduced twice',
    'stage_division': 'the last stage skips the first of its layers and takes the one behind it, the last twice', 'input_grad': 'the gradient of the input of linear_fc1 is used before its reduction is there',
    'scatter_grad': 'sequence parallel: the gradient of a gathered input is cut for the wrong rank', 'fp8_group': 'float8: the largest values are reduced over the data-parallel group (needs --fp8)',
    'fp8_local': 'float8: the largest values are not reduced (needs --fp8)', 'fp8_recompute': 'float8: the layer is computed again with another scale (needs --fp8 and --recompute)',
    'router_grad': "sequence parallel: the router's gradients are not reduced over tensor-parallel ranks", 'norm_grad_cp': 'the gradients of norms are not reduced over context-parallel ranks',
    'cp_grad': 'the gradients of gathered keys and values are not reduced over context-parallel ranks', 'cp_labels': 'labels of a zigzag context-parallel rank are in natural order',
    'cp_mask': 'the attention mask of a context-parallel rank is of the natural order', 'update_shard': 'sharded optimizer: one rank does not write its shard back (needs --steps 2)',
    'update_stale': 'sharded optimizer: one rank updates a stale copy of its shard (needs --steps 3)', 'update_norms': 'one rank does not update its norms (needs --steps 2)',
    'update_tied': 'tied embedding and output layer are updated each for itself (needs --tied, --steps 2)', 'update_frozen': 'weight decay changes frozen weights (needs --frozen, --steps 2)',
    'ep_grad': 'gradients of experts are divided by the whole data-parallel group twice', 'ce_sum': "the loss's sum over the vocabulary is not reduced over tensor-parallel ranks",
    'micro_labels': 'labels belong to the next micro-batch', 'micro_lost': 'only the last micro-batch to be computed backwards leaves its gradients',
    'micro_order': 'the first stage takes the micro-batches in another order than the last', 'unpermute': "an expert-parallel rank puts the experts' results back one token too far",
    'tp_dropout': 'tensor-parallel ranks drop with a seed each (needs --dropout)', 'lr_rank': 'one rank updates with another learning rate (needs --steps 2)',
    'init_rank': 'one rank starts from other weights', 'norm_eps': 'input_layernorm of one rank has another epsilon', 'stage_dtype': 'the last stage computes in bfloat16',
    'clip_local': 'gradients are clipped by the norm of the own shard (needs --clip, --steps 2)'}
ap = argparse.ArgumentParser(usage=__doc__)
ap.add_argument('--out', required=True)
for name, default in dict(layout='', order='tp-cp-dp-pp', micro=1, batch=4, fault='none', fault_layer=1, fault_rank=1, layers=2, hidden=16, heads=4, ffn=24, vocab=50, seq=8, experts=0,
                          dropout=0.0, dtype='float32', cp_cut='zigzag', recompute=0, tied=0, fp8=0, steps=1, frozen='', lr=0.05, decay=0.01, clip=0.0, level='mix', task='tensor', seed=1234, port=29611).items():
    ap.add_argument('--' + name.replace('_', '-'), type=type(default), default=default)
A = ap.parse_args()
assert A.fault in ['none', *FAULTS], f'faults: {", ".join(FAULTS)}'
LAY = dict(tp=1, pp=1, vpp=1, dp=1, cp=1, ep=1, sp='off')
for kv in filter(None, A.layout.split(',')):
    k, v = kv.split('=')
    LAY[k] = v if k == 'sp' else int(v)
TP, PP, VPP, DP, CP, EP = (LAY[k] for k in ('tp', 'pp', 'vpp', 'dp', 'cp', 'ep'))
SP = LAY['sp'] == 'on' and TP > 1
assert EP in (1, DP), 'experts: ep is 1 or dp'
WORLD = TP * PP * DP * CP
os.environ.update(OMP_NUM_THREADS='1', MASTER_ADDR='127.0.0.1', MASTER_PORT=str(A.port), WORLD_SIZE=str(WORLD), GLOO_SOCKET_IFNAME='lo')

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.distributed as dist
torch.set_num_threads(1)
# ---- what a wrong library does: replaced before msprobe wraps it, so that it stands under the call's own name
WRONG = {'reduce': None, 'recv': False, 'silu': False}
_all_reduce, _recv, _silu = dist.all_reduce, dist.recv, F.silu

def all_reduce(tensor, op=dist.ReduceOp.SUM, group=None, async_op=False):
    kind = WRONG['reduce']
    t = tensor.detach().bfloat16() if kind == 'bf16' else tensor.detach()
    _all_reduce(t, op, group)
    if kind == 'mean':
        t.div_(dist.get_world_size(group))
    elif kind == 'unequal':
        t.view(-1)[3] *= 1.01
    tensor.data.copy_(t)

def recv(tensor, src=None, group=None, tag=0, group_src=None):
    r = _recv(tensor, src)
    if WRONG['recv']:
        tensor.copy_(tensor.bfloat16().to(tensor.dtype))
    return r

@torch.jit.script
def _bad_silu(x: torch.Tensor) -> torch.Tensor:
    y = x * torch.sigmoid(x)
    return y * (1.0 + 0.02 * torch.sign(torch.sin(997.0 * y.float())).to(y.dtype))

if A.fault in ('averaged', 'bf16_allreduce', 'unequal_allreduce'):
    dist.all_reduce = dist.distributed_c10d.all_reduce = all_reduce
if A.fault == 'bad_recv':
    dist.recv = dist.distributed_c10d.recv = recv
if A.fault == 'kernel':
    F.silu = lambda x: _bad_silu(x) if WRONG['silu'] else _silu(x)

from msprobe.pytorch import PrecisionDebugger, seed_all
kids = []
for RANK in range(WORLD):                              # the last rank is this process
    pid = os.fork() if RANK < WORLD - 1 else -1
    if pid <= 0:
        kids = kids if pid else None
        break
    kids.append(pid)
os.environ['RANK'] = str(RANK)
dist.init_process_group('gloo')

SIZE = dict(tp=TP, pp=PP, dp=DP, cp=CP)
HERE = lambda f, layer=None: A.fault == f and layer in (None, A.fault_layer)
MINE = lambda f, layer=None: HERE(f, layer) and RANK == A.fault_rank

def coords(r):
    c = dict(tp=0, pp=0, dp=0, cp=0)
    for k in A.order.split('-'):
        c[k], r = r % SIZE[k], r // SIZE[k]
    return c

AT = coords(RANK)

def groups(keys):
    """the ranks that differ from this one only along `keys`"""
    sets = {}
    for r in range(WORLD):
        c = coords(r)
        sets.setdefault(tuple(c[k] for k in SIZE if k not in keys), []).append(r)
    mine = None
    for v in sets.values():                            # every rank makes every group
        g = dist.new_group(v) if len(v) > 1 else None
        if RANK in v:
            mine = (g, v)
    return mine

G = {'ends': (None, [0]), 'tp': groups(['tp']), 'pp': groups(['pp']), 'dp': groups(['dp']), 'cp': groups(['cp']), 'dpcp': groups(['dp', 'cp']), 'ep': groups(['dp'])}
PIPE = groups(['pp'])[1]
if PP > 2:                                             # the first and the last stage of a pipeline
    for r in range(WORLD):
        c = coords(r)
        if c['pp'] == 0:
            v = [r, next(k for k in range(WORLD) if coords(k) == {**c, 'pp': PP - 1})]
            g = dist.new_group(v)
            if RANK in v:
                G['ends'] = (g, v)
elif PP == 2:
    G['ends'] = groups(['pp'])

seed_all(seed=A.seed, mode=True)
os.makedirs(A.out, exist_ok=True)
cfg = os.path.join(A.out, f'cfg{RANK}.json')
with open(cfg, 'w') as f:
    json.dump({'task': 'tensor' if A.task == 'tensor' else 'statistics', 'dump_path': A.out, 'rank': [], 'step': [], 'level': A.level, 'async_dump': False, 'extra_info': True,
               'statistics': {'scope': [], 'list': [], 'tensor_list': [], 'data_mode': ['all'], 'summary_mode': 'md5' if A.task == 'md5' else 'statistics'},
               'tensor': {'scope': [], 'list': [], 'data_mode': ['all']}}, f)
debugger = PrecisionDebugger(config_path=cfg)
DT = getattr(torch, A.dtype)
HD, NP = A.hidden // A.heads, A.heads // TP

# ---- collectives, as Megatron's mappings; a group of one does nothing
def reduce_(x, key='tp', op=dist.ReduceOp.SUM):
    if len(G[key][1]) > 1:
        dist.all_reduce(x, op=op, group=G[key][0])
    return x

def gather_(x, key='tp', swap=False):
    g, ranks = G[key]
    if len(ranks) == 1:
        return x
    out = x.new_empty((x.shape[0] * len(ranks), *x.shape[1:]))
    dist.all_gather_into_tensor(out, x.contiguous(), group=g)
    return torch.cat(out.chunk(len(ranks))[::-1]) if swap else out

def scatter_(x, key='tp'):
    g, ranks = G[key]
    if len(ranks) == 1:
        return x
    out = torch.empty((x.shape[0] // len(ranks), *x.shape[1:]), dtype=x.dtype)
    dist.reduce_scatter_tensor(out, x.contiguous(), group=g)
    return out

def region(forward, backward):
    class Region(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return forward(x)
        @staticmethod
        def backward(ctx, g):
            return backward(g)
    return Region.apply

copy_to = region(lambda x: x.view_as(x), lambda g: reduce_(g.clone()))
copy_unreduced = region(lambda x: x.view_as(x), lambda g: (reduce_(g.clone()), g)[1])
reduce_from = region(lambda x: reduce_(x.clone()), lambda g: g)
gather_seq = region(gather_, scatter_)
gather_seq_swapped = region(lambda x: gather_(x, swap=True), scatter_)
gather_seq_wrong = region(gather_, lambda g: scatter_(torch.cat(g.chunk(TP)[::-1])))
scatter_seq = region(scatter_, gather_)
gather_cp = region(lambda x: gather_(x, 'cp'), lambda g: g.chunk(CP)[AT['cp']].contiguous() if HERE('cp_grad') else scatter_(g, 'cp'))

def float8(x, recomputed=False):
    """rounded to float8 with one scale for the tensor-parallel group"""
    if not A.fp8:
        return x
    class Float8(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            top = torch.amax(torch.abs(x.detach())).reshape(1)
            if not HERE('fp8_local'):
                reduce_(top, 'dp' if HERE('fp8_group') else 'tp', dist.ReduceOp.MAX)
            if recomputed and HERE('fp8_recompute'):
                top = top * 1.37
            scale = 448.0 / top
            return (x * scale).to(torch.float8_e4m3fn).to(x.dtype) / scale
        @staticmethod
        def backward(ctx, g):
            return g
    return Float8.apply(x)

def all_to_all(x, out_split, in_split):
    class A2A(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = torch.empty((sum(out_split), *x.shape[1:]), dtype=x.dtype)
            dist.all_to_all_single(y, x.contiguous(), out_split, in_split, group=G['ep'][0])
            return y
        @staticmethod
        def backward(ctx, g):
            y = torch.empty((sum(in_split), *g.shape[1:]), dtype=g.dtype)
            dist.all_to_all_single(y, g.contiguous(), in_split, out_split, group=G['ep'][0])
            return y
    return A2A.apply(x) if EP > 1 else x

# ---- the model
param = lambda *shape: nn.Parameter(torch.empty(*shape))
class Mod(nn.Module):
    def __init__(self, **parts):
        super().__init__()
        for k, v in parts.items():
            setattr(self, k, v)
class RMSNorm(Mod):
    def __init__(self):
        super().__init__(weight=param(A.hidden), eps=1e-6)
    def forward(self, x):
        y = x.float()
        return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + self.eps)).type_as(x) * self.weight
class ColumnParallelLinear(Mod):
    def __init__(self, i, o, layer=None, fc1=False, tied=None):
        super().__init__(layer=layer, fc1=fc1)
        self.weight = param(o, i) if tied is None else tied
    def forward(self, x):
        hit = lambda f: self.fc1 and HERE(f, self.layer)
        gather = gather_seq_swapped if hit('gather_order') else gather_seq_wrong if hit('scatter_grad') else gather_seq
        x = gather(x) if SP else (copy_unreduced if hit('input_grad') else copy_to)(x)
        return F.linear(float8(x, RECOMPUTED[0] and self.fc1), self.weight)
class RowParallelLinear(Mod):
    def __init__(self, i, o, layer=None, fc2=False):
        super().__init__(weight=param(o, i), layer=layer, fc2=fc2)
    def forward(self, x):
        y = F.linear(float8(x) if self.fc2 else x, self.weight)
        hit = lambda f: self.fc2 and HERE(f, self.layer)
        if hit('missing_allreduce'):
            return y.chunk(TP, 0)[AT['tp']] if SP else y
        if hit('bf16_cast'):
            return reduce_from(y.bfloat16()).to(y.dtype)
        if hit('wrong_group'):
            return region(lambda x: reduce_(x.clone(), 'dp'), lambda g: g)(y)
        WRONG['reduce'] = 'mean' if hit('averaged') else 'bf16' if hit('bf16_allreduce') else 'unequal' if not self.fc2 and MINE('unequal_allreduce', self.layer) else None
        y = scatter_seq(y) if SP else reduce_from(y)
        WRONG['reduce'] = None
        return reduce_from(y) if hit('doubled_allreduce') else y
class VocabParallelEmbedding(Mod):
    def __init__(self, rows):
        super().__init__(weight=param(rows, A.hidden))
    def forward(self, ids):
        n = self.weight.shape[0]
        off = (ids < AT['tp'] * n) | (ids >= (AT['tp'] + 1) * n - HERE('emb_bound'))
        y = F.embedding((ids - AT['tp'] * n).masked_fill(off, 0), self.weight)
        if TP > 1 and not HERE('emb_mask'):
            y = y.masked_fill(off[..., None], 0.0)
        y = y.transpose(0, 1).contiguous()                 # [s, b, h] from here on
        return scatter_seq(y) if SP else reduce_from(y)
class LanguageModelEmbedding(Mod):
    def __init__(self, rows):
        super().__init__(word_embeddings=VocabParallelEmbedding(rows), embedding_dropout=nn.Dropout(A.dropout))
    def forward(self, ids):
        return self.embedding_dropout(self.word_embeddings(ids))
class DotProductAttention(nn.Module):
    def forward(self, q, k, v, mask):
        q, k, v = (t.permute(1, 2, 0, 3) for t in (q, k, v))
        scores = torch.matmul(q, k.transpose(2, 3)) * (1.0 / math.sqrt(HD)) + mask * -10000.0
        ctx = torch.matmul(F.softmax(scores.float(), dim=-1).to(q.dtype), v)
        return ctx.permute(2, 0, 1, 3).reshape(ctx.shape[2], ctx.shape[0], NP * HD)

def rope(t, freqs):
    cos, sin = torch.cos(freqs).to(t.dtype), torch.sin(freqs).to(t.dtype)
    half = torch.cat((-t[..., HD // 2:], t[..., :HD // 2]), -1)
    return t * cos + half * sin
class SelfAttention(Mod):
    def __init__(self, n):
        super().__init__(linear_qkv=ColumnParallelLinear(A.hidden, 3 * A.hidden // TP), core_attention=DotProductAttention(), linear_proj=RowParallelLinear(A.hidden // TP, A.hidden, n))
    def forward(self, x, mask, freqs):
        qkv = self.linear_qkv(x)
        q, k, v = torch.split(qkv.view(*qkv.shape[:2], NP, 3 * HD), HD, dim=3)
        q, k = rope(q, freqs), rope(k, freqs)
        return self.linear_proj(self.core_attention(q, gather_cp(k), gather_cp(v), mask))
class MLP(Mod):
    def __init__(self, n, tp=TP):
        super().__init__(n=n)
        wide = tp == TP
        self.linear_fc1 = ColumnParallelLinear(A.hidden, 2 * A.ffn // tp, n, True) if wide else nn.Linear(A.hidden, 2 * A.ffn, False)
        self.linear_fc2 = RowParallelLinear(A.ffn // tp, A.hidden, n, True) if wide else nn.Linear(A.ffn, A.hidden, False)
    def forward(self, x):
        gate, up = torch.chunk(self.linear_fc1(x), 2, -1)
        WRONG['silu'] = MINE('kernel', self.n)
        act = F.silu(gate)
        WRONG['silu'] = False
        return self.linear_fc2(act * up)
class MoELayer(Mod):
    """one expert a token; experts in order over the expert-parallel ranks, which are the data-parallel ones; tokens travel by all-to-all"""
    def __init__(self, n):
        super().__init__(n=n, router=nn.Linear(A.hidden, A.experts, False), local_experts=nn.ModuleList([MLP(n, 0) for _ in range(A.experts // EP)]))
    def forward(self, x):
        t = x.reshape(-1, A.hidden)
        prob, at = torch.max(F.softmax(self.router(t).float(), -1), -1)
        order = torch.argsort(at, stable=True)
        here = torch.bincount(at, minlength=A.experts)
        there = here.clone()
        if EP > 1:
            dist.all_to_all_single(there, here, group=G['ep'][0])
        ins, outs = [int(c) for c in here.view(EP, -1).sum(1)], [int(c) for c in there.view(EP, -1).sum(1)]
        got = all_to_all(t[order], outs, ins)
        parts = list(torch.split(got, [int(c) for c in there]))       # by source rank, by local expert
        E = len(self.local_experts)
        done = [self.local_experts[e](torch.cat([parts[r * E + e] for r in range(EP)])) for e in range(E)]
        cut = [list(torch.split(d, [int(there.view(EP, E)[r, e]) for r in range(EP)])) for e, d in enumerate(done)]
        back = all_to_all(torch.cat([cut[e][r] for r in range(EP) for e in range(E)]), ins, outs)
        if MINE('unpermute', self.n):
            order = order.roll(1)
        y = torch.zeros_like(t).index_copy(0, order, back) * prob.to(t.dtype)[:, None]
        return y.view(x.shape)
class TransformerLayer(Mod):
    def __init__(self, n):
        super().__init__(n=n, input_layernorm=RMSNorm(), self_attention=SelfAttention(n), pre_mlp_layernorm=RMSNorm(), mlp=MoELayer(n) if A.experts and n == A.layers - 1 else MLP(n))
    def forward(self, x, mask, freqs):
        drop = lambda t: F.dropout(t, A.dropout) if A.dropout and A.recompute else t
        x = torch.add(x, drop(self.self_attention(self.input_layernorm(x), mask, freqs)))
        return torch.add(x, self.mlp(self.pre_mlp_layernorm(x)))
RECOMPUTED = [False]
def again(layer, x, mask, freqs):
    """a layer whose activations are not kept: it is computed again in the backward pass"""
    class Again(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, mask, freqs):
            ctx.seed = torch.get_rng_state()
            ctx.save_for_backward(x, mask, freqs)
            with torch.no_grad():
                return layer(x, mask, freqs)
        @staticmethod
        def backward(ctx, g):
            x, mask, freqs = ctx.saved_tensors
            if HERE('recompute_input', layer.n):
                x = torch.roll(x, 1, 0)
            x = x.detach().requires_grad_()
            now = torch.get_rng_state()
            if not HERE('recompute_seed'):
                torch.set_rng_state(ctx.seed)
            RECOMPUTED[0] = layer.n == A.fault_layer
            with torch.enable_grad():
                y = layer(x, mask, freqs)
            RECOMPUTED[0] = False
            torch.set_rng_state(now)
            torch.autograd.backward(y, g)
            return x.grad, None, None
    return Again.apply(x, mask, freqs)
class TransformerBlock(Mod):
    def __init__(self, numbers, last):
        super().__init__(layers=nn.ModuleList([TransformerLayer(n) for n in numbers]))
        if last:
            self.final_layernorm = RMSNorm()
    def forward(self, x, mask, freqs):
        for l in self.layers:
            x = again(l, x, mask, freqs) if A.recompute else l(x, mask, freqs)
        return self.final_layernorm(x) if hasattr(self, 'final_layernorm') else x

class VocabParallelCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, labels):
        n = logits.shape[-1]
        top = reduce_(torch.amax(logits, -1), op=dist.ReduceOp.MAX)
        z = torch.exp(logits - top[..., None])
        off = (labels < AT['tp'] * n) | (labels >= (AT['tp'] + 1) * n)
        at = (labels - AT['tp'] * n).masked_fill(off, 0)
        picked = reduce_((logits - top[..., None]).gather(-1, at[..., None]).squeeze(-1).masked_fill(off, 0.0))
        total = torch.sum(z, -1)
        total = total if HERE('ce_sum') else reduce_(total)
        ctx.save_for_backward(z / total[..., None], at, off)
        return torch.log(total) - picked
    @staticmethod
    def backward(ctx, g):
        p, at, off = ctx.saved_tensors
        p = p.scatter_add(-1, at[..., None], -(~off[..., None]).to(p.dtype))
        return p * g[..., None], None

class GPTModel(nn.Module):
    def __init__(self, numbers, first, last, rows):
        super().__init__()
        if first:
            self.embedding = LanguageModelEmbedding(rows)
        self.decoder = TransformerBlock(numbers, last)
        if last:
            self.output_layer = ColumnParallelLinear(A.hidden, rows, tied=self.embedding.word_embeddings.weight if A.tied and first else None)
    def forward(self, x, mask, freqs, labels):
        x = self.decoder(self.embedding(x) if hasattr(self, 'embedding') else x, mask, freqs)
        if not hasattr(self, 'output_layer'):
            return x
        logits = self.output_layer(x).transpose(0, 1).contiguous()
        pad = (AT['tp'] + 1) * logits.shape[-1] - A.vocab
        if pad > 0:                                        # columns that only fill up the last shard
            logits = logits.masked_fill(torch.arange(logits.shape[-1]) >= logits.shape[-1] - pad, -1e4)
        return VocabParallelCrossEntropy.apply(logits.float(), labels).mean()

class Float16Module(Mod):
    def forward(self, *a):
        return self.module(*a)

def full_weights():
    r = np.random.default_rng(A.seed + MINE('init_rank'))
    g = lambda *s: (r.standard_normal(s) / math.sqrt(s[-1])).astype(np.float32)
    norm = lambda: (1 + 0.05 * r.standard_normal(A.hidden)).astype(np.float32)
    w = {'embedding.word_embeddings.weight': r.standard_normal((A.vocab, A.hidden)).astype(np.float32), 'decoder.final_layernorm.weight': norm(), 'output_layer.weight': g(A.vocab, A.hidden)}
    for n in range(A.layers):
        p = f'decoder.layers.{n}.'
        w.update({p + 'input_layernorm.weight': norm(), p + 'pre_mlp_layernorm.weight': norm(), p + 'self_attention.linear_qkv.weight': g(3 * A.hidden, A.hidden),
                  p + 'self_attention.linear_proj.weight': g(A.hidden, A.hidden), p + 'mlp.linear_fc1.weight': g(2 * A.ffn, A.hidden), p + 'mlp.linear_fc2.weight': g(A.hidden, A.ffn),
                  p + 'mlp.router.weight': g(A.experts or 1, A.hidden) * 3})
        for e in range(A.experts):
            w.update({p + f'mlp.local_experts.{e}.linear_fc1.weight': g(2 * A.ffn, A.hidden), p + f'mlp.local_experts.{e}.linear_fc2.weight': g(A.hidden, A.ffn)})
    if A.tied:
        w['output_layer.weight'] = w['embedding.word_embeddings.weight']
    return {k: torch.from_numpy(v) for k, v in w.items()}

def shard(name, full, rows, layer):
    t = AT['tp']
    if name.endswith(('word_embeddings.weight', 'output_layer.weight')):
        return F.pad(full, (0, 0, 0, rows * TP - A.vocab)).chunk(TP, 0)[t]
    if 'local_experts' in name or TP == 1:
        return full
    if name.endswith('linear_fc1.weight') and not HERE('gate_up', layer):
        return torch.cat([h.chunk(TP, 0)[t] for h in full.chunk(2, 0)])
    if name.endswith(('linear_qkv.weight', 'linear_fc1.weight')):
        return full.chunk(TP, 0)[t]
    if name.endswith(('linear_proj.weight', 'linear_fc2.weight')):
        return full.chunk(TP, 1)[(t + 1) % TP if HERE('wrong_shard', layer) and 'fc2' in name else t]
    return full

def clip(chunks):
    """one norm of all gradients: shards of tensor-parallel ranks and stages are added up, what all ranks of a group hold counts once"""
    if not A.clip:
        return
    own = [(name, p) for net in chunks for name, p in net.named_parameters() if p.grad is not None]
    square = torch.zeros(1)
    for name, p in own:
        if AT['tp'] == 0 or 'norm' not in name:
            square += p.grad.float().pow(2).sum()
    if A.fault != 'clip_local':
        for key in ('tp', 'pp'):
            if len(G[key][1]) > 1:
                _all_reduce(square, group=G[key][0])
    for name, p in own:
        p.grad.mul_(min(1.0, A.clip / float(square.sqrt())))

FIRST = {}
def update(chunks, step):
    """plain descent with weight decay, as a sharded optimizer does it: each rank of the data-parallel group updates its part of every tensor and gathers the others'"""
    with torch.no_grad():
        for net in chunks:
            for name, p in net.named_parameters():
                if A.frozen and A.frozen in name:
                    if A.fault == 'update_frozen':
                        p.mul_(1 - A.lr * A.decay)
                    continue
                if p.grad is None:
                    continue
                old = p.detach().clone()
                new = p - A.lr * (1.1 if MINE('lr_rank') else 1.0) * (p.grad + A.decay * p)
                g, ranks = G['dp']
                if len(ranks) > 1 and not ('local_experts' in name and EP > 1) and p.numel() % len(ranks) == 0:
                    own = new.reshape(-1).chunk(len(ranks))[AT['dp']].contiguous()
                    if MINE('update_shard', p.layer):
                        own = old.reshape(-1).chunk(len(ranks))[AT['dp']].contiguous()
                    if MINE('update_stale', p.layer):
                        kept = FIRST.setdefault(name, old)
                        own = (kept - A.lr * (p.grad + A.decay * kept)).reshape(-1).chunk(len(ranks))[AT['dp']].contiguous()
                    every = new.new_empty(p.numel())
                    dist.all_gather_into_tensor(every, own, group=g)
                    new = every.view_as(p)
                if HERE('update_norms') and RANK == A.fault_rank and 'norm' in name or A.fault == 'update_tied' and name.endswith('output_layer.weight'):
                    continue
                p.copy_(new)

def main():
    rows = -(-A.vocab // (4 * TP)) * 4 if TP > 1 else A.vocab      # the vocabulary fills up to a multiple of 4 a rank
    full, chunks, per = full_weights(), [], A.layers // (PP * VPP)
    for v in range(VPP):
        at = v * PP + AT['pp']
        net = GPTModel(range(at * per, (at + 1) * per), at == 0, at == PP * VPP - 1, rows)
        with torch.no_grad():
            for name, p in net.named_parameters():
                s, layer = name.split('.'), None
                if 'layers' in s:
                    layer = int(s[2]) + at * per
                    s[2] = str(layer - (1 if A.fault == 'wrong_layer' and at == PP * VPP - 1 else 0))
                    if A.fault == 'stage_division' and at == PP * VPP - 1:
                        s[2] = str(min(layer + 1, A.layers - 1))
                if 'local_experts' in s:
                    s[5] = str(int(s[5]) + (0 if HERE('wrong_expert') and AT['dp'] % EP == EP - 1 else AT['dp'] % EP * (A.experts // EP)))
                p.copy_(shard(name, full['.'.join(s)], rows, layer))
                p.layer = layer
                if A.frozen and A.frozen in name:
                    p.requires_grad_(False)
                if name.endswith('input_layernorm.weight') and MINE('drift', layer):
                    p.mul_(1.001)
                if name.endswith('input_layernorm.weight') and MINE('norm_eps', layer):
                    net.decoder.layers[layer - at * per].input_layernorm.eps = 1e-3
        chunks.append(Float16Module(module=net.to(torch.bfloat16 if HERE('stage_dtype') and at == PP * VPP - 1 else DT)))
    r = np.random.default_rng(A.seed * 1000)
    steps = [torch.from_numpy(r.integers(0, A.vocab, (A.batch, A.seq + 1))) for _ in range(A.steps)]
    tok = steps[0]
    mine = tok.chunk(DP)[0 if A.fault == 'same_batch' else AT['dp']]
    if MINE('tp_input'):
        mine = mine.clone()
        mine[0, 2] = (mine[0, 2] + 7) % A.vocab
    c = torch.arange(A.seq).chunk(2 * CP)
    pos = torch.cat([c[AT['cp']], c[2 * CP - 1 - AT['cp']]]) if A.cp_cut == 'zigzag' else torch.arange(A.seq).chunk(CP)[AT['cp']]
    every = torch.cat([torch.cat([c[i], c[2 * CP - 1 - i]]) for i in range(CP)]) if A.cp_cut == 'zigzag' else torch.arange(A.seq)
    labelpos = torch.arange(A.seq).chunk(CP)[AT['cp']] if A.fault == 'cp_labels' else pos
    maskpos = torch.arange(A.seq).chunk(CP)[AT['cp']] if A.fault == 'cp_mask' else pos
    ropepos = torch.arange(A.seq).chunk(CP)[AT['cp']] if A.fault == 'cp_positions' else pos
    inv = 1.0 / (10000.0 ** (torch.arange(0, HD, 2, dtype=torch.float32) / HD))
    freqs = torch.outer(ropepos.float(), inv).repeat(1, 2)[:, None, None, :]
    mask = (every[None, :] > maskpos[:, None]).to(DT)[None, None]
    torch.manual_seed(A.seed + (0 if A.fault == 'dropout_seed' else AT['dp']))
    for step in range(A.steps):
        if step:
            mine = steps[step].chunk(DP)[0 if A.fault == 'same_batch' else AT['dp']]
        for net in chunks:
            net.zero_grad()
        torch.manual_seed(A.seed + step * 1000 + (0 if A.fault == 'dropout_seed' else AT['dp']) + (100 * AT['tp'] if A.fault == 'tp_dropout' else 0))
        debugger.start(model=chunks if VPP > 1 else chunks[0])
        kept, losses, last = [], [], PP * VPP - 1
        batches = mine.chunk(A.micro)
        if HERE('micro_order') and AT['pp'] == 0:
            batches = batches[::-1]
        for k, mb in enumerate(batches):
            ids, labels = mb[:, :-1][:, pos], (batches[(k + 1) % A.micro] if HERE('micro_labels') else mb)[:, 1:][:, labelpos]
            for v, net in enumerate(chunks):
                at = v * PP + AT['pp']
                x = ids
                if at:
                    x = torch.empty((pos.numel() // (TP if SP else 1), mb.shape[0], A.hidden), dtype=DT)
                    WRONG['recv'] = MINE('bad_recv')
                    if PP > 1:
                        dist.recv(x, src=PIPE[(at - 1) % PP])
                    WRONG['recv'] = False
                    x.requires_grad_()
                y = net(x.bfloat16() if HERE('stage_dtype') and at == last else x, mask, freqs, labels)
                kept.append((at, x, y))
                if at < last:
                    dist.send(y.detach(), dst=PIPE[(at + 1) % PP])
                else:
                    losses.append(float(y.detach()))
        for at, x, y in reversed(kept):
            if HERE('micro_lost'):
                chunks[at // PP].zero_grad(set_to_none=False)
            if at == last:
                (y if A.fault == 'micro_sum' else y / (A.micro * (DP if HERE('dp_scale') else 1))).backward()
            else:
                g = torch.empty_like(y)
                dist.recv(g, src=PIPE[(at + 1) % PP])
                y.backward(g)
            if at:
                dist.send(x.grad, dst=PIPE[(at - 1) % PP])
        if A.tied and PP > 1 and AT['pp'] in (0, PP - 1) and A.fault != 'tied_grad':
            w = (chunks[0].module.embedding.word_embeddings if AT['pp'] == 0 else chunks[-1].module.output_layer).weight
            w.grad.copy_(reduce_(w.grad, 'ends'))
        for net in chunks:                                     # finalize_model_grads
            for name, p in net.named_parameters():
                if p.grad is None:
                    continue
                if SP and ('norm' in name and not (HERE('norm_grad', p.layer) and 'pre_mlp' in name) or 'router' in name and not HERE('router_grad') or 'local_experts' in name):
                    p.grad.copy_(reduce_(p.grad))
                if DP * CP > 1 and not (HERE('dp_missing', p.layer) and 'linear_fc1' in name):
                    if A.fault != 'dp_sum':
                        p.grad.mul_(1.0 / (DP if HERE('cp_scale') else DP * CP))
                    expert = 'local_experts' in name and EP > 1        # here every expert lives on one rank of the group
                    if expert and HERE('ep_grad') or HERE('dp_twice', p.layer) and 'linear_fc1' in name and CP == 1:
                        p.grad.mul_(1.0 / DP) if expert else p.grad.copy_(reduce_(p.grad, 'dpcp'))
                    if not expert:
                        p.grad.copy_(reduce_(p.grad, 'dp' if HERE('norm_grad_cp') and 'norm' in name else 'dpcp'))
        debugger.stop()
        debugger.step()
        clip(chunks)
        update(chunks, step)
    os.remove(cfg)
    print(f'rank {RANK} {AT} loss {np.mean(losses) if losses else "-"}', flush=True)
    dist.barrier()
    dist.destroy_process_group()

main()
if kids is not None:
    bad = [p for p in kids if os.waitpid(p, 0)[1]]
    sys.exit(f'{len(bad)} of {WORLD} ranks failed' if bad else 0)
os._exit(0)
