"""Layers of published papers written out by hand, and architectures of libraries, of the seventeenth set. Of a layer by hand one side computes
what the other computes in other steps (the option attn)."""


def add(models, h):
    """the seventeenth set, with what models_packages.add() has made"""
    import torch, importlib, types
    from torch import nn
    import torch.nn.functional as F
    from models import hidden, draw, V, S, noise, tokens, cross_entropy, classified, configured, diffuser
    M, get, lm, pic, reg, Call, path, flash = models.MODELS, h.get, h.lm, h.pic, h.reg, h.Call, h.path, h.flash

    def shifted(x):
        return F.pad(x, (0, 0, 1, 0))[:, :-1]

    class Rwkv7Mix(nn.Module):
        """RWKV-7's time mixing: a state with a generalised delta rule, by products or by sums"""
        def __init__(self, dim, heads, sums):
            super().__init__()
            self.heads, self.sums = heads, sums
            self.mix = nn.Parameter(torch.zeros(6, dim))
            self.r, self.w, self.k, self.v, self.a, self.g = (nn.Linear(dim, dim) for _ in range(6))
            self.key_scale, self.key_rate = nn.Parameter(torch.zeros(dim)), nn.Parameter(torch.zeros(dim))
            self.norm, self.out = nn.GroupNorm(heads, dim, eps=1e-3), nn.Linear(dim, dim)

        def forward(self, x):
            b, s, d = x.shape
            step = shifted(x) - x
            xr, xw, xk, xv, xa, xg = (x + step * torch.sigmoid(m) for m in self.mix)
            parts = lambda t: t.float().view(b, s, self.heads, -1)
            r, k, v = parts(self.r(xr)), self.k(xk), parts(self.v(xv))
            w = torch.exp(-0.606531 * torch.sigmoid(parts(self.w(xw))))
            rate = torch.sigmoid(self.a(xa))
            key = F.normalize(parts(k * (1 + self.key_scale)), dim=-1)
            k = parts(k * (1 + (rate - 1) * self.key_rate))
            turn = key * parts(rate)
            state, ys = torch.zeros(b, self.heads, d // self.heads, d // self.heads), []
            for i in range(s):
                if self.sums:
                    old = (state * key[:, i, :, None]).sum(-1, keepdim=True)
                    state = state * w[:, i, :, None] - old * turn[:, i, :, None] + v[:, i, :, :, None] * k[:, i, :, None]
                    ys.append((state * r[:, i, :, None]).sum(-1))
                else:
                    state = state * w[:, i, :, None] + (state @ -key[:, i, :, :, None]) @ turn[:, i, :, None] + v[:, i, :, :, None] @ k[:, i, :, None]
                    ys.append((state @ r[:, i, :, :, None])[..., 0])
            y = torch.stack(ys, 1).reshape(b * s, d)
            y = self.norm(y.to(x.dtype)).view(b, s, d)
            return self.out(y * torch.sigmoid(self.g(xg)))

    class Rwkv7(nn.Module):
        def __init__(self, o):
            super().__init__()
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.mixes = nn.ModuleList([Rwkv7Mix(32, 4, flash(o)) for _ in range(2)])
            self.norms = nn.ModuleList([nn.LayerNorm(32) for _ in range(5)])
            self.up, self.down = (nn.ModuleList([nn.Linear(*size, bias=False) for _ in range(2)]) for size in ((32, 64), (64, 32)))

        def forward(self, idx):
            x = self.table(idx)
            for i in range(2):
                x = x + self.mixes[i](self.norms[2 * i](x))
                x = x + self.down[i](torch.relu(self.up[i](self.norms[2 * i + 1](x))).square())
            return self.out(self.norms[4](x))

    class Ssd(nn.Module):
        """Mamba-2's state-space duality: one masked product over the sequence, or chunks of four with a state between"""
        def __init__(self, o):
            super().__init__()
            self.chunks = flash(o)
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.norm = nn.ModuleList([nn.LayerNorm(32) for _ in range(2)])
            self.inp = nn.ModuleList([nn.Linear(32, 64 + 8 + 4) for _ in range(2)])
            self.conv = nn.ModuleList([nn.Conv1d(40, 40, 3, groups=40) for _ in range(2)])
            self.mixed, self.gated = (nn.ModuleList([make(32) for _ in range(2)]) for make in (lambda d: nn.Linear(d, d), lambda d: nn.RMSNorm(d, eps=1e-5)))
            self.rate = nn.ParameterList([nn.Parameter(torch.zeros(4)) for _ in range(2)])
            self.skip = nn.ParameterList([nn.Parameter(torch.zeros(4, 1)) for _ in range(2)])

        def within(self, a, x, b, c):
            """what positions of a chunk hand to each other: a of (B, n, heads), x of (B, n, heads, d), b and c of (B, n, states)"""
            s = torch.cumsum(a, 1)
            n = s.shape[1]
            decay = (s[:, :, None] - s[:, None]).masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1)[None, :, :, None], float('-inf')).exp()
            return torch.einsum('btu,btuh,buhd->bthd', c @ b.transpose(1, 2), decay, x)

        def scan(self, a, x, b, c):
            if not self.chunks:
                return self.within(a, x, b, c)
            state, ys = torch.zeros(x.shape[0], x.shape[2], b.shape[2], x.shape[3]), []
            for a, x, b, c in zip(*(t.split(4, 1) for t in (a, x, b, c))):
                s = torch.cumsum(a, 1)
                ys.append(self.within(a, x, b, c) + torch.einsum('btn,bth,bhnd->bthd', c, s.exp(), state))
                state = state * s[:, -1].exp()[..., None, None] + torch.einsum('btn,bth,bthd->bhnd', b, (s[:, -1:] - s).exp(), x)
            return torch.cat(ys, 1)

        def forward(self, idx):
            h = self.table(idx)
            for norm, inp, conv, mixed, gated, rate, skip in zip(self.norm, self.inp, self.conv, self.mixed, self.gated, self.rate, self.skip):
                z, x, dt = inp(norm(h)).split((32, 40, 4), -1)
                x, b, c = F.silu(conv(F.pad(x.transpose(1, 2), (2, 0)))).transpose(1, 2).float().split((32, 4, 4), -1)
                dt = F.softplus(dt.float())
                x = x.unflatten(-1, (4, 8))
                y = self.scan(-dt * torch.exp(rate.float()), x * dt[..., None], b, c) + skip.float() * x
                h = h + mixed(gated(y.flatten(2).to(h.dtype) * F.silu(z)))
            return self.out(h)

    class DeltaNet(nn.Module):
        """the gated delta rule: step by step, or all steps by one triangular system"""
        def __init__(self, o):
            super().__init__()
            self.solve = flash(o)
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.norm, self.after = (nn.ModuleList([nn.RMSNorm(d, eps=1e-5) for _ in range(2)]) for d in (32, 8))
            self.q, self.k, self.v, self.gate, self.o = (nn.ModuleList([nn.Linear(32, 32, bias=False) for _ in range(2)]) for _ in range(5))
            self.beta, self.decay = (nn.ModuleList([nn.Linear(32, 4) for _ in range(2)]) for _ in range(2))

        def scan(self, q, k, v, beta, g):
            """q, k, v of (B, heads, n, d), beta and g (the logarithm of the decay) of (B, heads, n)"""
            if self.solve:
                n = q.shape[2]
                s = torch.cumsum(g, -1)
                decay = (s[..., :, None] - s[..., None, :]).masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float('-inf')).exp()
                a = (beta[..., None] * (k @ k.transpose(-1, -2)) * decay).tril(-1)
                u = torch.linalg.solve_triangular(a + torch.eye(n), beta[..., None] * v, upper=False, unitriangular=True)
                return (q @ k.transpose(-1, -2) * decay) @ u
            state, ys = torch.zeros(*q.shape[:2], q.shape[3], v.shape[3]), []
            for i in range(q.shape[2]):
                state = state * g[:, :, i, None, None].exp()
                u = beta[:, :, i, None] * (v[:, :, i] - (state * k[:, :, i, :, None]).sum(-2))
                state = state + k[:, :, i, :, None] * u[:, :, None]
                ys.append((state * q[:, :, i, :, None]).sum(-2))
            return torch.stack(ys, 2)

        def forward(self, idx):
            x = self.table(idx)
            heads = lambda t: t.float().unflatten(-1, (4, 8)).transpose(1, 2)
            for i in range(2):
                h = self.norm[i](x)
                q, k, v = (heads(F.silu(p[i](h))) for p in (self.q, self.k, self.v))
                q, k = F.normalize(q, dim=-1) * 8 ** -0.5, F.normalize(k, dim=-1)
                y = self.scan(q, k, v, torch.sigmoid(self.beta[i](h)).float().transpose(1, 2), -F.softplus(self.decay[i](h).float()).transpose(1, 2))
                y = self.after[i](y.transpose(1, 2).to(x.dtype)) * torch.sigmoid(self.gate[i](h)).unflatten(-1, (4, 8))
                x = x + self.o[i](y.flatten(2))
            return self.out(x)

    class Block(nn.Module):
        """attention and a gated product, before norms"""
        def __init__(self, dim, heads):
            super().__init__()
            self.heads = heads
            self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
            self.qkv, self.proj, self.up, self.down = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim), nn.Linear(dim, 4 * dim), nn.Linear(2 * dim, dim)

        def forward(self, x):
            q, k, v = self.qkv(self.n1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
            x = x + self.proj(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
            a, b = self.up(self.n2(x)).chunk(2, -1)
            return x + self.down(F.silu(a) * b)

    class Mod(nn.Module):
        """mixture of depths: half of the tokens pass a block, gathered and scattered or by one-hot products"""
        def __init__(self, o):
            super().__init__()
            self.hot = flash(o)
            self.table, self.places, self.out = nn.Embedding(V, 32), nn.Embedding(S, 32), nn.Linear(32, V)
            self.route = nn.ModuleList([nn.Linear(32, 1, bias=False) for _ in range(2)])
            self.blocks = nn.ModuleList([Block(32, 4) for _ in range(3)])

        def forward(self, idx):
            x = self.blocks[2](self.table(idx) + self.places(torch.arange(idx.shape[1])))
            for route, block in zip(self.route, self.blocks):
                w = route(x)[..., 0]
                i = torch.topk(w.float(), 6, dim=-1).indices.sort(-1).values
                if self.hot:
                    hot = F.one_hot(i, x.shape[1]).to(x.dtype)
                    y = hot @ x
                    y = (block(y) - y) * torch.sigmoid((hot @ w[..., None]))
                    x = x + hot.transpose(1, 2) @ y.to(x.dtype)
                else:
                    at = i[..., None].expand(-1, -1, x.shape[2])
                    y = x.gather(1, at)
                    y = (block(y) - y) * torch.sigmoid(w.gather(1, i))[..., None]
                    x = x.scatter_add(1, at, y.to(x.dtype))
            return self.out(x)

    class SinkMoe(nn.Module):
        """BASE layers: experts balanced by Sinkhorn's iterations; tokens picked by expert, or all experts and a mask"""
        def __init__(self, o):
            super().__init__()
            self.dense = flash(o)
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.mix = nn.ModuleList([nn.Conv1d(32, 32, 3) for _ in range(2)])
            self.norm = nn.ModuleList([nn.LayerNorm(32) for _ in range(2)])
            self.centre = nn.ModuleList([nn.Linear(32, 4, bias=False) for _ in range(2)])
            self.up, self.down = (nn.ParameterList([nn.Parameter(torch.zeros(4, *size)) for _ in range(2)]) for size in ((32, 48), (48, 32)))

        @torch.no_grad()
        def assigned(self, score):
            p = score.float()
            for _ in range(6):
                p = p - torch.logsumexp(p, 0, keepdim=True)
                p = p - torch.logsumexp(p, 1, keepdim=True)
            return p.argmax(1)

        def forward(self, idx):
            x = self.table(idx)
            for mix, norm, centre, up, down in zip(self.mix, self.norm, self.centre, self.up, self.down):
                x = x + F.gelu(mix(F.pad(x.transpose(1, 2), (2, 0)))).transpose(1, 2)
                t = norm(x).flatten(0, 1)
                score = centre(t)
                e = self.assigned(score)
                gate = torch.sigmoid(score.gather(1, e[:, None]))
                if self.dense:
                    y = torch.einsum('teh,ehd->ted', F.gelu(torch.einsum('td,edh->teh', t, up)), down)
                    y = (y * F.one_hot(e, 4)[..., None].to(y.dtype)).sum(1)
                else:
                    y = torch.zeros_like(x).flatten(0, 1)
                    for k in range(4):
                        at = torch.where(e == k)[0]
                        y = y.index_copy(0, at, (F.gelu(t[at] @ up[k]) @ down[k]).to(y.dtype))
                x = x + (gate * y).view_as(x).to(x.dtype)
            return self.out(x)

    class AuxFree(nn.Module):
        """DeepSeek's experts without an auxiliary loss: sigmoid gates, a bias for the choice, groups, a shared expert; a loop over
        experts, or tokens sorted by expert"""
        def __init__(self, o):
            super().__init__()
            self.sorted = flash(o)
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.rnn = nn.GRU(32, 32, batch_first=True)
            self.norm = nn.ModuleList([nn.RMSNorm(32, eps=1e-6) for _ in range(2)])
            self.gate = nn.ModuleList([nn.Linear(32, 8, bias=False) for _ in range(2)])
            self.up, self.down = (nn.ParameterList([nn.Parameter(torch.zeros(8, *size)) for _ in range(2)]) for size in ((32, 48), (24, 32)))
            self.shared_up, self.shared_down = (nn.ModuleList([nn.Linear(*size, bias=False) for _ in range(2)]) for size in ((32, 48), (24, 32)))
            self.register_buffer('bias', torch.linspace(-0.2, 0.2, 8))

        def chosen(self, p):
            with torch.no_grad():
                c = p.float() + self.bias.float()
                best = c.unflatten(1, (4, 2)).sum(-1).topk(2, -1).indices
                keep = torch.zeros(c.shape[0], 4, dtype=torch.bool).scatter(1, best, True)
                return c.masked_fill(~keep.repeat_interleave(2, 1), float('-inf')).topk(2, -1).indices

        def forward(self, idx):
            x = self.table(idx)
            x = x + self.rnn(x)[0]
            act = lambda y: (lambda a, b: F.silu(a) * b)(*y.chunk(2, -1))
            for norm, gate, up, down, su, sd in zip(self.norm, self.gate, self.up, self.down, self.shared_up, self.shared_down):
                t = norm(x).flatten(0, 1)
                p = torch.sigmoid(gate(t).float())
                e = self.chosen(p)
                w = p.gather(1, e)
                w = (w / w.sum(-1, keepdim=True) * 1.5).to(t.dtype)
                if self.sorted:
                    order = e.flatten().argsort(stable=True)
                    parts = t[order // 2].split(torch.bincount(e.flatten(), minlength=8).tolist())
                    y = torch.cat([act(part @ up[k]) @ down[k] for k, part in enumerate(parts)])
                    y = (y[order.argsort()].unflatten(0, (-1, 2)) * w[..., None]).sum(1)
                else:
                    y = torch.zeros_like(t)
                    for k in range(8):
                        at, slot = torch.where(e == k)
                        y = y.index_add(0, at, (act(t[at] @ up[k]) @ down[k] * w[at, slot, None]).to(y.dtype))
                x = x + (y + sd(act(su(t)))).view_as(x).to(x.dtype)
            return self.out(x)

    class Style(nn.Module):
        """StyleGAN2's generator in small: weights modulated for each sample, or inputs and outputs scaled"""
        def __init__(self, o):
            super().__init__()
            self.scaled = flash(o)
            self.start = nn.Parameter(torch.zeros(1, 24, 4, 4))
            self.map = nn.ModuleList([nn.Linear(16, 16) for _ in range(2)])
            self.styles = nn.ModuleList([nn.Linear(16, 24) for _ in range(3)])
            self.w = nn.ParameterList([nn.Parameter(torch.zeros(24, 24, 3, 3)), nn.Parameter(torch.zeros(16, 24, 3, 3)), nn.Parameter(torch.zeros(3, 24, 1, 1))])
            self.bias = nn.ParameterList([nn.Parameter(torch.zeros(n)) for n in (24, 16, 3)])
            self.widen = nn.Conv2d(16, 24, 1)

        def conv(self, x, i, style, demodulate=True):
            s, w = self.styles[i](style) + 1, self.w[i]
            pad = w.shape[-1] // 2
            if self.scaled:
                y = F.conv2d(x * s[:, :, None, None], w, padding=pad)
                if demodulate:
                    y = y * torch.rsqrt((w.square().sum((2, 3))[None] * s.square()[:, None]).sum(-1) + 1e-8)[:, :, None, None].to(y.dtype)
            else:
                v = w[None] * s[:, None, :, None, None]
                if demodulate:
                    v = v * torch.rsqrt(v.square().sum((2, 3, 4), keepdim=True) + 1e-8)
                b, n = x.shape[0], w.shape[0]
                y = F.conv2d(x.reshape(1, -1, *x.shape[2:]), v.flatten(0, 1).to(x.dtype), padding=pad, groups=b).view(b, n, *x.shape[2:])
            return y + self.bias[i][:, None, None]

        def forward(self, z):
            z = z * torch.rsqrt(z.square().mean(-1, keepdim=True) + 1e-8)
            for m in self.map:
                z = F.leaky_relu(m(z), 0.2) * 2 ** 0.5
            x = self.start.expand(z.shape[0], -1, -1, -1)
            x = F.leaky_relu(self.conv(x, 0, z), 0.2) * 2 ** 0.5
            x = F.interpolate(x, scale_factor=2, mode='bilinear', align_corners=False)
            x = self.widen(F.leaky_relu(self.conv(x, 1, z), 0.2) * 2 ** 0.5)
            return self.conv(x, 2, z, False)

    class Txl(nn.Module):
        """Transformer-XL's relative attention over a memory: shifted by views, or gathered"""
        def __init__(self, o):
            super().__init__()
            self.pick = flash(o)
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.q, self.kv, self.r, self.o = nn.Linear(32, 32, False), nn.Linear(32, 64, False), nn.Linear(32, 32, False), nn.Linear(32, 32, False)
            self.u, self.v = nn.Parameter(torch.zeros(4, 8)), nn.Parameter(torch.zeros(4, 8))
            self.n1, self.n2, self.up, self.down = nn.LayerNorm(32), nn.LayerNorm(32), nn.Linear(32, 64), nn.Linear(64, 32)

        def forward(self, idx, memory):
            x = self.table(idx)
            for k in range(2):                            # one layer's weights twice, each with a memory of its own
                c = torch.cat([memory[k].to(x.dtype), x], 1)
                n, m = x.shape[1], c.shape[1]
                angle = torch.arange(m - 1, -1, -1.0)[:, None] / 10000 ** (torch.arange(0, 32, 2) / 32)
                r = self.r(torch.cat([angle.sin(), angle.cos()], -1).to(x.dtype)).unflatten(-1, (4, 8))
                q = self.q(x).unflatten(-1, (4, 8))
                key, value = self.kv(c).unflatten(-1, (2, 4, 8)).unbind(2)
                ac = torch.einsum('bihd,bjhd->bhij', q + self.u, key)
                bd = torch.einsum('bihd,jhd->bhij', q + self.v, r)
                if self.pick:
                    at = (torch.arange(m)[None] - torch.arange(n)[:, None] + n - 1).clamp(max=m - 1)
                    bd = bd.gather(-1, at.expand(bd.shape[0], 4, n, m))
                else:
                    bd = F.pad(bd, (1, 0)).view(bd.shape[0], 4, m + 1, n)[:, :, 1:].reshape(bd.shape[0], 4, n, m)
                hide = torch.ones(n, m, dtype=torch.bool).triu(1 + m - n)
                a = torch.softmax(((ac + bd) * 8 ** -0.5).masked_fill(hide, float('-inf')), -1)
                x = self.n1(x + self.o(torch.einsum('bhij,bjhd->bihd', a, value).flatten(2)))
                x = self.n2(x + self.down(F.relu(self.up(x))))
            return self.out(x)

    def txl(o):
        x = tokens(o, 'tokens')
        return Txl(o), {'idx': x, 'memory': noise(o, 'memory', 2, 2, 5, 32)}, lambda out: cross_entropy(o, out, x, 1 + o.shift)

    class Din(nn.Module):
        """a deep interest network with DCN-V2's crosses: parts of a product summed, or of a joined input"""
        def __init__(self, o):
            super().__init__()
            self.parts = flash(o)
            self.item, self.user = nn.Embedding(40, 12), nn.Embedding(20, 12)
            self.a1, self.a2 = nn.Linear(48, 16), nn.Linear(16, 1)
            self.act = nn.PReLU(16)
            self.low, self.high = (nn.ModuleList([nn.Linear(*size) for _ in range(2)]) for size in ((36, 8), (8, 36)))
            self.norm, self.deep, self.out = nn.BatchNorm1d(36), nn.Linear(36, 24), nn.Linear(60, 1)

        def forward(self, user, item, past):
            t, h = self.item(item), self.item(past)
            q = t[:, None].expand_as(h)
            if self.parts:
                w = self.a1.weight.split(12, 1)
                a = F.linear(t, w[0] + w[2])[:, None] + F.linear(h, w[1] - w[2]) + F.linear(q * h, w[3]) + self.a1.bias
            else:
                a = self.a1(torch.cat([q, h, q - h, q * h], -1))
            a = self.a2(self.act(a.transpose(1, 2)).transpose(1, 2))
            a = a.masked_fill((past == 0)[..., None], 0.0)
            x0 = torch.cat([self.user(user), t, (a * h).sum(1)], -1)
            x = x0
            for low, high in zip(self.low, self.high):
                x = x0 * high(low(x)) + x
            return self.out(torch.cat([x, F.relu(self.deep(self.norm(x0)))], -1))[:, 0]

    def din(o):
        y = torch.from_numpy(draw('click', o.seed).integers(0, 2, 8)).float()
        past = tokens(o, 'past', 8, 6, 1, 40)
        past[3, 4:] = 0
        m = Din(o)
        m.package = True
        return m, {'user': tokens(o, 'user', 1, 8, 0, 20)[0], 'item': tokens(o, 'item', 1, 8, 1, 40)[0], 'past': past}, lambda out: F.binary_cross_entropy_with_logits(out.float(), y) if o.loss != 'composed' else (F.softplus(out.float()) - y * out.float()).mean()

    class Ctc(nn.Module):
        """DeepSpeech 2 in small; its convolution by the library or by unfolded windows"""
        def __init__(self, o):
            super().__init__()
            self.unfold = flash(o)
            self.conv, self.norm = nn.Conv1d(16, 24, 5, 2, 2), nn.BatchNorm1d(24)
            self.rnn, self.out = nn.LSTM(24, 20, batch_first=True, bidirectional=True), nn.Linear(40, 9)

        def forward(self, x):
            if self.unfold:
                w = F.pad(x, (2, 2)).unfold(2, 5, 2).transpose(1, 2).flatten(2)
                h = F.linear(w, self.conv.weight.flatten(1), self.conv.bias).transpose(1, 2)
            else:
                h = self.conv(x)
            h = F.hardtanh(self.norm(h), 0.0, 20.0).transpose(1, 2)
            return F.log_softmax(self.out(self.rnn(h)[0]).float(), -1)

    def ctc(o):
        y = tokens(o, 'text', 2, 4, 1, 9)
        m = Ctc(o)
        m.package = True
        return m, {'x': noise(o, 'mel', 2, 16, 26)}, lambda out: F.ctc_loss(out.transpose(0, 1), y, torch.tensor([13, 13]), torch.tensor([4, 3]))

    class Ode(nn.Module):
        """a neural differential equation by Runge and Kutta's steps: stages added one by one, or as one product"""
        def __init__(self, o):
            super().__init__()
            self.product = flash(o)
            self.inp, self.a, self.b, self.out = nn.Linear(6, 24), nn.Linear(25, 32), nn.Linear(32, 24), nn.Linear(24, 5)

        def field(self, t, x):
            return self.b(torch.tanh(self.a(torch.cat([x, x.new_full((x.shape[0], 1), t)], -1))))

        def forward(self, x):
            x, dt = self.inp(x), 0.25
            for i in range(4):
                t = i * dt
                k1 = self.field(t, x)
                k2 = self.field(t + dt / 2, x + dt / 2 * k1)
                k3 = self.field(t + dt / 2, x + dt / 2 * k2)
                k4 = self.field(t + dt, x + dt * k3)
                if self.product:
                    x = x + torch.einsum('s,sbd->bd', torch.tensor([1.0, 2.0, 2.0, 1.0], dtype=x.dtype) * (dt / 6), torch.stack([k1, k2, k3, k4]).to(x.dtype))
                else:
                    x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            return self.out(x)

    def ode(o):
        y = torch.from_numpy(draw('class', o.seed).integers(0, 5, 10))
        return Ode(o), {'x': noise(o, 'points', 10, 6)}, lambda out: cross_entropy(o, out, y, 0)

    class SoftExperts(nn.Module):
        """soft mixtures of experts behind attention"""
        def __init__(self, o):
            super().__init__()
            Soft = get('soft_moe_pytorch', 'SoftMoE')
            self.table, self.places, self.out = nn.Embedding(V, 32), nn.Embedding(S, 32), nn.Linear(32, V)
            self.attend = nn.ModuleList([nn.MultiheadAttention(32, 4, batch_first=True) for _ in range(2)])
            self.norm = nn.ModuleList([nn.LayerNorm(32) for _ in range(2)])
            self.soft = nn.ModuleList([Soft(dim=32, seq_len=S, num_experts=4, expert_mult=2, geglu=i > 0) for i in range(2)])

        def forward(self, idx):
            x = self.table(idx) + self.places(torch.arange(idx.shape[1]))
            for a, n, s in zip(self.attend, self.norm, self.soft):
                y = n(x)
                x = x + a(y, y, y, need_weights=False)[0]
                x = x + s(x)
            return self.out(x)

    class Points(nn.Module):
        """Point Transformer: vector attention over nearest neighbours"""
        def __init__(self, o):
            super().__init__()
            Layer = get('point_transformer_pytorch', 'PointTransformerLayer')
            self.inp, self.head = nn.Linear(5, 24), nn.Linear(24, 6)
            self.layers = nn.ModuleList([Layer(dim=24, pos_mlp_hidden_dim=16, attn_mlp_hidden_mult=2, num_neighbors=5) for _ in range(2)])
            self.norms = nn.ModuleList([nn.LayerNorm(24) for _ in range(2)])

        def forward(self, x, places):
            x = self.inp(x)
            for l, n in zip(self.layers, self.norms):
                x = x + l(n(x), places)
            return self.head(x.amax(1))

    def points(o):
        path()
        return Points(o), {'x': noise(o, 'features', 2, 12, 5), 'places': noise(o, 'places', 2, 12, 3)}, lambda out: cross_entropy(o, out, torch.tensor([1, 4]), 0)

    def triangle(o):
        """ESMFold2's pair updates: triangle products, whole or in chunks"""
        stack = importlib.import_module('transformers.models.esmfold2.modeling_esmfold2').EsmFold2PairUpdateStack
        c = types.SimpleNamespace(pairwise_hidden_size=16, chunk_size=3 if flash(o) else None, pair_transition_intermediate_size=32)
        m = stack(c, 2)
        keep = torch.ones(2, 7, 7)
        keep[1, 5:], keep[1, :, 5:] = 0, 0
        return m, {'pair_states': noise(o, 'pairs', 2, 7, 7, 16), 'pair_attention_mask': keep}, lambda out: hidden(o, out)

    def fastspeech2(o):
        import transformers
        c = transformers.FastSpeech2ConformerConfig(hidden_size=24, vocab_size=V, num_mel_bins=10, encoder_layers=1, decoder_layers=1, encoder_num_attention_heads=2, decoder_num_attention_heads=2, encoder_linear_units=32, decoder_linear_units=32, speech_decoder_postnet_layers=2, speech_decoder_postnet_units=16, encoder_kernel_size=3, decoder_kernel_size=5,
                                                    duration_predictor_channels=16, energy_predictor_channels=16, pitch_predictor_channels=16, pitch_predictor_layers=2, encoder_dropout_rate=0.0, encoder_positional_dropout_rate=0.0, encoder_attention_dropout_rate=0.0, decoder_dropout_rate=0.0, decoder_positional_dropout_rate=0.0, decoder_attention_dropout_rate=0.0,
                                                    duration_predictor_dropout_rate=0.0, speech_decoder_postnet_dropout=0.0, energy_predictor_dropout=0.0, pitch_predictor_dropout=0.0, energy_embed_dropout=0.0, pitch_embed_dropout=0.0)
        m = transformers.FastSpeech2ConformerModel(c)
        n = 7
        long = torch.tensor([[2, 1, 3, 1, 2, 2, 1], [1, 2, 2, 1, 1, 3, 2]])
        given = {'input_ids': tokens(o, 'tokens', 2, n), 'attention_mask': torch.ones(2, n, dtype=torch.long), 'spectrogram_labels': noise(o, 'mel', 2, 12, 10), 'duration_labels': long, 'pitch_labels': noise(o, 'pitch', 2, n, 1), 'energy_labels': noise(o, 'energy', 2, n, 1)}
        return m, given, lambda out: out.loss

    def sdpa(o):                                          # models whose processors have one kernel alone
        return types.SimpleNamespace(**{**vars(o), 'attn': 'sdpa'})
    h.sdpa = sdpa

    def longcataudio(o):
        return diffuser('LongCatAudioDiTTransformer', lambda o: {'hidden_states': noise(o, 'latent', 2, 10, 8), 'encoder_hidden_states': noise(o, 'text', 2, 6, 24), 'encoder_attention_mask': torch.ones(2, 6, dtype=torch.bool), 'timestep': torch.tensor([0.3, 0.8]), 'attention_mask': torch.ones(2, 10, dtype=torch.bool), 'latent_cond': noise(o, 'cond', 2, 10, 8)},
                        dit_dim=48, dit_depth=2, dit_heads=4, dit_text_dim=24, latent_dim=8, ff_mult=2.0)(sdpa(o))

    def coatnet(o):
        t = importlib.import_module('timm.models.maxxvit')
        __import__('timm').layers.set_fused_attn(flash(o))
        cfg = t.MaxxVitCfg(embed_dim=(16, 24, 32, 48), depths=(1, 1, 1, 1), block_type=('C', 'C', 'T', 'T'), stem_width=(8, 16), conv_cfg=t.MaxxVitConvCfg(), transformer_cfg=t.MaxxVitTransformerCfg(dim_head=8, rel_pos_type='bias'))
        return classified(o, t.MaxxVit(cfg, img_size=64, num_classes=10), 64, 2)

    M.update({
    'rwkv7': lm(Rwkv7), 'ssd': lm(Ssd), 'deltanet': lm(DeltaNet), 'modlm': lm(Mod), 'sinkmoe': lm(SinkMoe), 'auxfree': lm(AuxFree), 'softexperts': lm(SoftExperts),
    'stylegan2': reg(Style, lambda o: {'z': noise(o, 'z', 3, 16)}, lambda net, z: net(z)),
    'txl': txl, 'din': din, 'ctc': ctc, 'ode': ode, 'points': points, 'triangle': triangle, 'fastspeech2': fastspeech2, 'longcataudio': longcataudio, 'coatnet': coatnet,
    'nsa': lm(lambda o: get('native_sparse_attention_pytorch.transformer', 'Transformer')(num_tokens=V, dim=32, depth=2, dim_head=8, heads=4, kv_heads=2, ff_expansion_factor=2.0, use_sparse_attn=True, sparse_attn_kwargs=dict(sliding_window_size=4, compress_block_size=4, compress_block_sliding_stride=2, selection_block_size=4, num_selected_blocks=1))),
    'agenttr': lm(lambda o: Agent(o)),
    })

    class Agent(nn.Module):
        """a transformer whose tokens attend by way of a few agents"""
        def __init__(self, o):
            super().__init__()
            A = get('agent_attention_pytorch', 'AgentTransformer')
            self.table, self.places, self.out = nn.Embedding(V, 32), nn.Embedding(S, 32), nn.Linear(32, V)
            self.net = A(dim=32, depth=2, num_agent_tokens=4, dim_head=8, heads=4, ff_mult=2)

        def forward(self, idx):
            y = self.net(self.table(idx) + self.places(torch.arange(idx.shape[1])))
            return self.out(y[0] if isinstance(y, tuple) else y)
    add_practice(models, h)


def add_practice(models, h):
    """layers recorded for practice before that set"""
    import torch
    from torch import nn
    import torch.nn.functional as F
    from models import draw, V, S, noise, tokens, cross_entropy, hidden
    M, lm, pic, reg, Call, flash = models.MODELS, h.lm, h.pic, h.reg, h.Call, h.flash

    class Mlstm(nn.Module):
        """xLSTM's matrix memory: step by step with a running maximum, or all steps at once"""
        def __init__(self, o):
            super().__init__()
            self.whole = flash(o)
            self.table, self.n, self.out = nn.Embedding(V, 32), nn.LayerNorm(32), nn.Linear(32, V)
            self.qkv, self.gates, self.after, self.o = nn.Linear(32, 96), nn.Linear(32, 8), nn.LayerNorm(8), nn.Linear(32, 32)

        def forward(self, idx):
            x = self.table(idx)
            h = self.n(x)
            q, k, v = self.qkv(h).float().unflatten(-1, (3, 4, 8)).permute(2, 0, 3, 1, 4)
            k = k * 8 ** -0.5
            i, f = self.gates(h).float().unflatten(-1, (2, 4)).permute(2, 0, 3, 1)
            f = F.logsigmoid(f + 2)
            n = x.shape[1]
            if self.whole:
                s = torch.cumsum(f, -1)
                d = (s[..., :, None] - s[..., None, :] + i[..., None, :]).masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float('-inf'))
                m = d.amax(-1, keepdim=True)
                c = q @ k.transpose(-1, -2) * torch.exp(d - m)
                y = c @ v / torch.maximum(c.sum(-1, keepdim=True).abs(), torch.exp(-m))
            else:
                c, z, m, ys = torch.zeros(*q.shape[:2], 8, 8), torch.zeros(*q.shape[:2], 8), torch.full(q.shape[:2], float('-inf')), []
                for t in range(n):
                    new = torch.maximum(f[..., t] + m, i[..., t])
                    a, b = torch.exp(f[..., t] + m - new), torch.exp(i[..., t] - new)
                    c = c * a[..., None, None] + b[..., None, None] * k[:, :, t, :, None] * v[:, :, t, None]
                    z = z * a[..., None] + b[..., None] * k[:, :, t]
                    m = new
                    ys.append((q[:, :, t, :, None] * c).sum(-2) / torch.maximum((q[:, :, t] * z).sum(-1, keepdim=True).abs(), torch.exp(-m)[..., None]))
                y = torch.stack(ys, 2)
            y = self.after(y.transpose(1, 2).to(x.dtype))
            return self.out(x + self.o(y.flatten(2)))

    class Gla(nn.Module):
        """gated linear attention: a state for each step, or chunks of four"""
        def __init__(self, o):
            super().__init__()
            self.chunks = flash(o)
            self.table, self.n, self.out = nn.Embedding(V, 32), nn.RMSNorm(32, eps=1e-5), nn.Linear(32, V)
            self.q, self.k, self.v, self.g, self.o = (nn.Linear(32, 32, bias=False) for _ in range(5))

        def forward(self, idx):
            x = self.table(idx)
            h = self.n(x)
            heads = lambda t: t.float().unflatten(-1, (4, 8)).transpose(1, 2)
            q, k, v, g = heads(self.q(h)) * 8 ** -0.5, heads(self.k(h)), heads(self.v(h)), F.logsigmoid(heads(self.g(h))) / 4
            state, ys = torch.zeros(x.shape[0], 4, 8, 8), []
            if self.chunks:
                for q, k, v, g in zip(*(t.split(4, 2) for t in (q, k, v, g))):
                    s = torch.cumsum(g, 2)
                    a = ((q * s.exp()) @ (k * (-s).exp()).transpose(-1, -2)).tril()
                    ys.append(a @ v + (q * s.exp()) @ state)
                    last = s[:, :, -1:]
                    state = state * last.exp().transpose(-1, -2) + (k * (last - s).exp()).transpose(-1, -2) @ v
                y = torch.cat(ys, 2)
            else:
                for i in range(x.shape[1]):
                    state = state * g[:, :, i].exp()[..., None] + k[:, :, i, :, None] * v[:, :, i, None]
                    ys.append((q[:, :, i, None] @ state)[:, :, 0])
                y = torch.stack(ys, 2)
            return self.out(x + self.o(y.transpose(1, 2).flatten(2).to(x.dtype)))

    class Hgrn(nn.Module):
        """a gated recurrence: step by step, or doubled strides (Hillis and Steele's scan)"""
        def __init__(self, o):
            super().__init__()
            self.scan = flash(o)
            self.table, self.n, self.inp, self.out = nn.Embedding(V, 32), nn.LayerNorm(32), nn.Linear(32, 96), nn.Linear(32, V)

        def forward(self, idx):
            x = self.table(idx)
            i, f, g = self.inp(self.n(x)).chunk(3, -1)
            f = 0.2 + 0.8 * torch.sigmoid(f)
            u = (1 - f) * F.silu(i)
            if self.scan:
                a, y, k = f, u, 1
                while k < x.shape[1]:
                    y = y + a * F.pad(y, (0, 0, k, 0))[:, :-k]
                    a = a * F.pad(a, (0, 0, k, 0), value=1.0)[:, :-k]
                    k *= 2
            else:
                s, ys = torch.zeros_like(u[:, 0]), []
                for t in range(x.shape[1]):
                    s = f[:, t] * s + u[:, t]
                    ys.append(s)
                y = torch.stack(ys, 1)
            return self.out(x + y * torch.sigmoid(g))

    class Blockwise(nn.Module):
        """causal attention with a soft cap, whole or block by block with a running softmax"""
        def __init__(self, o):
            super().__init__()
            self.blocks = flash(o)
            self.table, self.n, self.qkv, self.o, self.out = nn.Embedding(V, 32), nn.LayerNorm(32), nn.Linear(32, 96), nn.Linear(32, 32), nn.Linear(32, V)

        def forward(self, idx):
            x = self.table(idx)
            q, k, v = self.qkv(self.n(x)).unflatten(-1, (3, 4, 8)).permute(2, 0, 3, 1, 4)
            n = x.shape[1]
            hide = torch.ones(n, n, dtype=torch.bool).triu(1)
            score = lambda k, hide: (torch.tanh(q @ k.transpose(-1, -2) * 8 ** -0.5 / 5) * 5).float().masked_fill(hide, -1e9)
            if self.blocks:
                m, z, y = torch.full((*q.shape[:3], 1), -1e9), torch.zeros(*q.shape[:3], 1), torch.zeros(q.shape)
                for at in range(0, n, 4):
                    s = score(k[:, :, at:at + 4], hide[:, at:at + 4])
                    new = torch.maximum(m, s.amax(-1, keepdim=True))
                    p, back = torch.exp(s - new), torch.exp(m - new)
                    z, y, m = z * back + p.sum(-1, keepdim=True), y * back + p @ v[:, :, at:at + 4].float(), new
                y = (y / z).to(x.dtype)
            else:
                y = torch.softmax(score(k, hide), -1).to(v.dtype) @ v
            return self.out(x + self.o(y.transpose(1, 2).flatten(2)))

    class Window(nn.Module):
        """attention to the last four keys: masked, or with keys unfolded"""
        def __init__(self, o):
            super().__init__()
            self.unfold = flash(o)
            self.table, self.n, self.q, self.kv, self.o, self.out = nn.Embedding(V, 32), nn.LayerNorm(32), nn.Linear(32, 32), nn.Linear(32, 64), nn.Linear(32, 32), nn.Linear(32, V)
            self.bias = nn.Parameter(torch.zeros(4, 4))

        def forward(self, idx):
            x = self.table(idx)
            h, n = self.n(x), x.shape[1]
            q = self.q(h).unflatten(-1, (4, 8)).transpose(1, 2) * 8 ** -0.5
            k, v = self.kv(h).unflatten(-1, (2, 4, 8)).permute(2, 0, 3, 1, 4)
            if self.unfold:
                k, v = (F.pad(t, (0, 0, 3, 0)).unfold(2, 4, 1) for t in (k, v))
                s = torch.einsum('bhnd,bhndw->bhnw', q, k) + self.bias[:, None]
                s = s.masked_fill(torch.arange(n)[:, None] + torch.arange(4) < 3, float('-inf'))
                y = torch.einsum('bhnw,bhndw->bhnd', torch.softmax(s, -1), v)
            else:
                ago = torch.arange(n)[:, None] - torch.arange(n)
                s = q @ k.transpose(-1, -2) + self.bias[:, (3 - ago).clamp(0, 3)]
                y = torch.softmax(s.masked_fill((ago < 0) | (ago > 3), float('-inf')), -1) @ v
            return self.out(x + self.o(y.transpose(1, 2).flatten(2)))

    class Fm(nn.Module):
        """DeepFM: its second order by squares of sums, or pair by pair"""
        def __init__(self, o):
            super().__init__()
            self.pairs = flash(o)
            self.e = nn.ModuleList([nn.Embedding(n, 8) for n in (7, 11, 5, 9)])
            self.w = nn.ModuleList([nn.Embedding(n, 1) for n in (7, 11, 5, 9)])
            self.deep = nn.Sequential(nn.Linear(32, 24), nn.ReLU(), nn.Linear(24, 1))

        def forward(self, x):
            e = torch.stack([t(x[:, i]) for i, t in enumerate(self.e)], 1)
            first = torch.cat([t(x[:, i]) for i, t in enumerate(self.w)], 1).sum(1)
            if self.pairs:
                i, j = torch.triu_indices(4, 4, 1)
                second = (e[:, i] * e[:, j]).sum((1, 2))
            else:
                second = 0.5 * (e.sum(1).square() - e.square().sum(1)).sum(-1)
            return first + second + self.deep(e.flatten(1))[:, 0]

    def fm(o):
        y = torch.from_numpy(draw('click', o.seed).integers(0, 2, 8)).float()
        m = Fm(o)
        m.package = True
        return m, {'x': torch.stack([tokens(o, f's{i}', 1, 8, 0, n)[0] for i, n in enumerate((7, 11, 5, 9))], 1)}, lambda out: F.binary_cross_entropy_with_logits(out.float(), y)

    class Cells(nn.Module):
        """an LSTM's cells written out, gates of one product or of four; batch norm over steps; a maximum over time"""
        def __init__(self, o):
            super().__init__()
            self.four = flash(o)
            self.table, self.i, self.h, self.norm, self.out = nn.Embedding(V, 24), nn.Linear(24, 80), nn.Linear(20, 80), nn.BatchNorm1d(20), nn.Linear(20, 10)

        def forward(self, idx):
            x = self.table(idx)
            h, c, hs = x.new_zeros(x.shape[0], 20), x.new_zeros(x.shape[0], 20), []
            for t in range(x.shape[1]):
                if self.four:
                    i, f, g, o = (F.linear(x[:, t], w, b) + F.linear(h, u, d) for w, b, u, d in zip(self.i.weight.split(20), self.i.bias.split(20), self.h.weight.split(20), self.h.bias.split(20)))
                else:
                    i, f, g, o = (self.i(x[:, t]) + self.h(h)).chunk(4, -1)
                c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                h = torch.sigmoid(o) * torch.tanh(c)
                hs.append(h)
            return self.out(self.norm(torch.stack(hs, 2)).amax(2))

    class Spectrum(nn.Module):
        """a learned filter of a spectrum, by Fourier transforms or by products with cosines and sines; power in decibels"""
        def __init__(self, o):
            super().__init__()
            self.products = flash(o)
            self.f, self.conv, self.out = nn.Linear(17, 12), nn.Conv1d(12, 16, 3, padding=1), nn.Linear(16, 10)

        def forward(self, x):
            frames = x.unfold(1, 32, 16).float() * torch.hann_window(32)
            if self.products:
                angle = 2 * torch.pi / 32 * torch.arange(32)[:, None] * torch.arange(17)
                power = (frames @ angle.cos()).square() + (frames @ angle.sin()).square()
            else:
                power = torch.fft.rfft(frames).abs().square()
            h = torch.log(self.f(power.to(self.f.weight.dtype)).float().abs() + 1e-2)
            h = F.relu(self.conv(h.to(self.f.weight.dtype).transpose(1, 2)))
            return self.out(h.mean(2))

    def spectrum(o):
        return Spectrum(o), {'x': noise(o, 'speech', 3, 160)}, lambda out: cross_entropy(o, out, torch.tensor([1, 7, 3]), 0)

    class Distill(nn.Module):
        """a student beside a frozen teacher: divergences by the library or written out, features by cosines"""
        def __init__(self, o):
            super().__init__()
            self.written = flash(o)
            self.table, self.a, self.b, self.head = nn.Embedding(V, 32), nn.Linear(32, 48), nn.Linear(48, 32), nn.Linear(32, V)
            self.teacher = nn.Sequential(nn.Embedding(V, 32), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, V))
            self.teacher.requires_grad_(False)

        def forward(self, idx):
            with torch.no_grad():
                t = self.teacher(idx)
            e = self.table(idx)
            h = e + self.b(F.mish(self.a(e)))
            y = self.head(h)
            p, q = torch.softmax(t.float() / 2, -1), y.float() / 2
            if self.written:
                z = q - q.amax(-1, keepdim=True)
                logq = z - torch.log(torch.exp(z).sum(-1, keepdim=True))
                div = (p * (torch.log(p) - logq)).sum() / (p.shape[0] * p.shape[1])
                cos = (h * e).sum(-1) / (h.norm(dim=-1) * e.norm(dim=-1)).clamp(min=1e-6)
            else:
                div = F.kl_div(F.log_softmax(q, -1), p, reduction='sum') / (p.shape[0] * p.shape[1])
                cos = F.cosine_similarity(h, e, dim=-1, eps=1e-6)
            return div * 4 + (1 - cos.float()).mean()

    def distill(o):
        m = Distill(o)
        m.package = True
        return m, {'idx': tokens(o, 'tokens')}, lambda out: out

    class Unet(nn.Module):
        """transposed convolutions by the library or by zeros put between; norms by the library or by moments; a Dice loss"""
        def __init__(self, o):
            super().__init__()
            self.zeros = flash(o)
            self.a, self.b, self.up, self.c, self.out = nn.Conv2d(3, 12, 3, padding=1), nn.Conv2d(12, 16, 3, 2, 1), nn.ConvTranspose2d(16, 12, 2, 2), nn.Conv2d(24, 12, 3, padding=1), nn.Conv2d(12, 1, 1)
            self.n1, self.n2 = nn.GroupNorm(4, 12), nn.InstanceNorm2d(16, affine=True)

        def norm(self, n, x, groups):
            if not self.zeros:
                return n(x)
            y = x.float().reshape(x.shape[0], groups, -1)
            mean = y.mean(-1, keepdim=True)
            y = (y - mean) * torch.rsqrt((y.square().mean(-1, keepdim=True) - mean.square()) + n.eps)
            return y.view(x.shape).to(x.dtype) * n.weight[:, None, None] + n.bias[:, None, None]

        def forward(self, x):
            a = F.silu(self.norm(self.n1, self.a(x), 4))
            b = F.silu(self.norm(self.n2, self.b(a), 16))
            if self.zeros:
                n, c, s, _ = b.shape
                y = F.pad(b.view(n, c, s, 1, s, 1), (0, 1, 0, 0, 0, 1)).reshape(n, c, 2 * s, 2 * s)
                b = F.conv2d(F.pad(y, (1, 0, 1, 0)), self.up.weight.flip(2, 3).transpose(0, 1), self.up.bias)
            else:
                b = self.up(b)
            return self.out(F.silu(self.c(torch.cat([a, b], 1))))[:, 0]

    def unet(o):
        y = (noise(o, 'mask', 2, 12, 12) > 0).float()
        m = Unet(o)
        m.package = True

        def dice(out):
            p = torch.sigmoid(out.float())
            return 1 - ((2 * (p * y).sum((1, 2)) + 1) / (p.sum((1, 2)) + y.sum((1, 2)) + 1)).mean()
        return m, {'x': noise(o, 'image', 2, 3, 12, 12)}, dice

    class Grouped(nn.Module):
        """top-2 experts with shared capacity: padded batches of products, or a loop; a loss of balance and of logits"""
        def __init__(self, o):
            super().__init__()
            self.padded = flash(o)
            self.table, self.n, self.gate, self.out = nn.Embedding(V, 32), nn.LayerNorm(32), nn.Linear(32, 4, bias=False), nn.Linear(32, V)
            self.up, self.down = nn.Parameter(torch.zeros(4, 32, 48)), nn.Parameter(torch.zeros(4, 48, 32))
            self.mix = nn.Conv1d(32, 32, 3, groups=4)

        def forward(self, idx):
            x = self.table(idx)
            x = x + self.mix(F.pad(x.transpose(1, 2), (2, 0))).transpose(1, 2)
            t = self.n(x).flatten(0, 1)
            logits = self.gate(t).float()
            p = torch.softmax(logits, -1)
            w, e = p.topk(2, -1)
            w = (w / w.sum(-1, keepdim=True)).to(t.dtype)
            if self.padded:
                hot = F.one_hot(e, 4)
                place = (hot.flatten(0, 1).cumsum(0) - 1).view(-1, 2, 4)
                slot = (place * hot).sum(-1)
                buf = t.new_zeros(4, 24, 32).index_put((e, slot), t[:, None].expand(-1, 2, -1))
                y = torch.bmm(F.gelu(torch.bmm(buf, self.up)), self.down)[e, slot]
                y = (y * w[..., None]).sum(1)
            else:
                y = torch.zeros_like(t)
                for k in range(4):
                    at, slot = torch.where(e == k)
                    y = y.index_add(0, at, (F.gelu(t[at] @ self.up[k]) @ self.down[k] * w[at, slot, None]).to(y.dtype))
            balance = (p.mean(0) * F.one_hot(e, 4).float().mean((0, 1))).sum() * 4 + 1e-2 * torch.logsumexp(logits, -1).square().mean()
            return self.out(x + y.view_as(x)) + balance.to(x.dtype)

    class Rope(nn.Module):
        """rotations by complex numbers or by cosines and sines; keys and values of two heads for four"""
        def __init__(self, o):
            super().__init__()
            self.real = flash(o)
            self.table, self.n, self.q, self.kv, self.o, self.out = nn.Embedding(V, 32), nn.RMSNorm(32, eps=1e-6), nn.Linear(32, 32, bias=False), nn.Linear(32, 32, bias=False), nn.Linear(32, 32, bias=False), nn.Linear(32, V)

        def turn(self, x):
            angle = torch.arange(x.shape[1])[:, None] / 10000 ** (torch.arange(0, 8, 2) / 8)
            if not self.real:
                z = torch.view_as_complex(x.float().unflatten(-1, (4, 2)).contiguous())
                return torch.view_as_real(z * torch.polar(torch.ones_like(angle), angle)[:, None]).flatten(-2).to(x.dtype)
            c, s = (t[:, None].repeat_interleave(2, -1) for t in (angle.cos(), angle.sin()))
            y = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
            return (x.float() * c + y.float() * s).to(x.dtype)

        def forward(self, idx):
            x = self.table(idx)
            h = self.n(x)
            q = self.turn(self.q(h).unflatten(-1, (4, 8)))
            k, v = self.kv(h).unflatten(-1, (2, 2, 8)).unbind(2)
            k = self.turn(k)
            if self.real:
                y = torch.einsum('bgrnm,bmgd->bngrd', torch.softmax((torch.einsum('bngrd,bmgd->bgrnm', q.unflatten(2, (2, 2)), k) * 8 ** -0.5).masked_fill(torch.ones(S, S, dtype=torch.bool).triu(1), float('-inf')), -1), v).flatten(2)
            else:
                q, k, v = q.transpose(1, 2), k.transpose(1, 2).repeat_interleave(2, 1), v.transpose(1, 2).repeat_interleave(2, 1)
                y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
            return self.out(x + self.o(y))

    M.update({'mlstm': lm(Mlstm), 'gla': lm(Gla), 'hgrn': lm(Hgrn), 'blockwise': lm(Blockwise), 'window': lm(Window), 'deepfm': fm, 'cells': lambda o: (Cells(o), {'idx': tokens(o, 'tokens', 4)}, lambda out: cross_entropy(o, out, torch.tensor([1, 7, 3, 2]), 0)), 'spectrum': spectrum, 'distill': distill, 'diceunet': unet, 'grouped': lm(Grouped), 'roped': lm(Rope)})
