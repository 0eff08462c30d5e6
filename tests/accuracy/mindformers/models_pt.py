"""Golden models as their own repositories write them, where transformers writes them otherwise."""
import math
import torch
from torch import nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, d, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.variance_epsilon = eps

    def forward(self, x):
        dt = x.dtype
        x = x.to(torch.float32)
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
        return self.weight * x.to(dt)


class Rotary(nn.Module):
    def __init__(self, d, n, base):
        super().__init__()
        inv = 1.0 / (base ** (torch.arange(0, d, 2).float() / d))
        t = torch.outer(torch.arange(n).float(), inv)
        e = torch.cat((t, t), -1)
        self.register_buffer('cos', e.cos(), persistent=False)
        self.register_buffer('sin', e.sin(), persistent=False)

    def forward(self, q, k):
        half = lambda x: torch.cat((-x[..., x.shape[-1] // 2:], x[..., :x.shape[-1] // 2]), -1)
        return q * self.cos + half(q) * self.sin, k * self.cos + half(k) * self.sin


class Attention(nn.Module):
    def __init__(self, c, bias=False):
        super().__init__()
        self.heads, self.kv, self.hd = c['heads'], c['kv'], c.get('hd', c['hidden'] // c['heads'])
        self.q_proj = nn.Linear(c['hidden'], self.heads * self.hd, bias=bias)
        self.k_proj = nn.Linear(c['hidden'], self.kv * self.hd, bias=bias)
        self.v_proj = nn.Linear(c['hidden'], self.kv * self.hd, bias=bias)
        self.o_proj = nn.Linear(self.heads * self.hd, c['hidden'], bias=False)
        self.rotary_emb = Rotary(self.hd, c['seq'], c['theta'])

    def forward(self, x, mask):
        b, s, _ = x.shape
        q, k, v = (p(x).view(b, s, -1, self.hd).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        q, k = self.rotary_emb(q, k)
        k, v = (t[:, :, None].expand(b, self.kv, self.heads // self.kv, s, self.hd).reshape(b, self.heads, s, self.hd) for t in (k, v))
        w = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.hd) + mask
        w = F.softmax(w, dim=-1, dtype=torch.float32).to(q.dtype)
        return self.o_proj(torch.matmul(w, v).transpose(1, 2).contiguous().reshape(b, s, -1))


class MLP(nn.Module):
    def __init__(self, d, inter):
        super().__init__()
        self.gate_proj = nn.Linear(d, inter, bias=False)
        self.up_proj = nn.Linear(d, inter, bias=False)
        self.down_proj = nn.Linear(inter, d, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class Gate(nn.Module):
    """DeepSeek-MoE's router: softmax, top-k, normalised"""
    def __init__(self, c):
        super().__init__()
        self.top_k, self.norm = c['topk'], True
        self.weight = nn.Parameter(torch.zeros(c['experts'], c['hidden']))

    def forward(self, x):
        s = F.linear(x.view(-1, x.shape[-1]), self.weight, None).softmax(dim=-1)
        w, i = torch.topk(s, k=self.top_k, dim=-1, sorted=False)
        if self.norm:
            w = w / (w.sum(dim=-1, keepdim=True) + 1e-9)
        return i, w


class MoE(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.experts = nn.ModuleList([MLP(c['hidden'], c['inter']) for _ in range(c['experts'])])
        self.gate = Gate(c)
        self.shared_experts = MLP(c['hidden'], c['inter'] * c['shared'])

    def forward(self, x):
        i, w = self.gate(x)
        flat = x.view(-1, x.shape[-1]).repeat_interleave(self.gate.top_k, dim=0)
        idx, y = i.view(-1), torch.zeros_like(flat)
        for n, expert in enumerate(self.experts):
            y[idx == n] = expert(flat[idx == n])
        y = (y.view(*w.shape, -1) * w.unsqueeze(-1)).sum(dim=1)
        return y.view(*x.shape) + self.shared_experts(x)


class Layer(nn.Module):
    def __init__(self, c, mlp, bias=False):
        super().__init__()
        self.self_attn = Attention(c, bias)
        self.mlp = mlp
        self.input_layernorm = RMSNorm(c['hidden'], c['eps'])
        self.post_attention_layernorm = RMSNorm(c['hidden'], c['eps'])

    def forward(self, x, mask):
        x = x + self.self_attn(self.input_layernorm(x), mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class Model(nn.Module):
    def __init__(self, c, mlp, bias=False):
        super().__init__()
        self.embed_tokens = nn.Embedding(c['vocab'], c['hidden'])
        self.layers = nn.ModuleList([Layer(c, mlp(), bias) for _ in range(c['layers'])])
        self.norm = RMSNorm(c['hidden'], c['eps'])

    def forward(self, ids):
        s = ids.shape[1]
        mask = torch.full((s, s), torch.finfo(torch.float32).min).triu(1)
        x = self.embed_tokens(ids)
        for l in self.layers:
            x = l(x, mask)
        return self.norm(x)


class CausalLM(nn.Module):
    def __init__(self, c, mlp, bias=False):
        super().__init__()
        self.model = Model(c, mlp, bias)
        self.lm_head = nn.Linear(c['hidden'], c['vocab'], bias=False)

    def forward(self, ids):
        return self.lm_head(self.model(ids))


def DeepseekMoE(c, f):
    return CausalLM(c, lambda: MoE(c))


# ---------------- InternLM2 (queries, key and value of a group in one weight)
class InternAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.kv, self.hd = c['heads'], c['kv'], c['hidden'] // c['heads']
        self.wqkv = nn.Linear(c['hidden'], (self.heads + 2 * self.kv) * self.hd, bias=False)
        self.wo = nn.Linear(self.heads * self.hd, c['hidden'], bias=False)
        self.rotary_emb = Rotary(self.hd, c['seq'], c['theta'])

    def forward(self, x, mask):
        b, s, _ = x.shape
        x = self.wqkv(x).view(b, s, self.kv, self.heads // self.kv + 2, self.hd)
        q = x[..., :-2, :].reshape(b, s, self.heads, self.hd).transpose(1, 2)
        k, v = x[..., -2, :].transpose(1, 2), x[..., -1, :].transpose(1, 2)
        q, k = self.rotary_emb(q, k)
        k, v = (t[:, :, None].expand(b, self.kv, self.heads // self.kv, s, self.hd).reshape(b, self.heads, s, self.hd) for t in (k, v))
        w = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.hd)
        w = F.softmax(w + mask, dim=-1, dtype=torch.float32).to(q.dtype)
        return self.wo(torch.matmul(w, v).transpose(1, 2).contiguous().reshape(b, s, -1))


class InternMLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.w1 = nn.Linear(c['hidden'], c['inter'], bias=False)
        self.w3 = nn.Linear(c['hidden'], c['inter'], bias=False)
        self.w2 = nn.Linear(c['inter'], c['hidden'], bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class InternLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.attention, self.feed_forward = InternAttention(c), InternMLP(c)
        self.attention_norm, self.ffn_norm = RMSNorm(c['hidden'], c['eps']), RMSNorm(c['hidden'], c['eps'])

    def forward(self, x, mask):
        x = x + self.attention(self.attention_norm(x), mask)
        return x + self.feed_forward(self.ffn_norm(x))


class InternModel(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.tok_embeddings = nn.Embedding(c['vocab'], c['hidden'])
        self.layers = nn.ModuleList([InternLayer(c) for _ in range(c['layers'])])
        self.norm = RMSNorm(c['hidden'], c['eps'])

    def forward(self, ids):
        s = ids.shape[1]
        mask = torch.full((s, s), torch.finfo(torch.float32).min).triu(1)[None, None]
        x = self.tok_embeddings(ids)
        for l in self.layers:
            x = l(x, mask)
        return self.norm(x)


class InternLM2(nn.Module):
    def __init__(self, c, f):
        super().__init__()
        self.model = InternModel(c)
        self.output = nn.Linear(c['hidden'], c['vocab'], bias=False)

    def forward(self, ids):
        return self.output(self.model(ids))
