"""The eighteenth set: published architectures written by hand, whose sides are two ports of one paper (the option attn), and architectures of
libraries and packages that no earlier set has."""


def add(models, h):
    """the set, with what models_packages.add() has made"""
    import torch, importlib
    import numpy as np
    from torch import nn
    import torch.nn.functional as F
    from models import hidden, draw, V, S, noise, tokens, cross_entropy, diffuser
    M, get, lm, pic, reg, path, flash = models.MODELS, h.get, h.lm, h.pic, h.reg, h.path, h.flash

    def many(make, n=2):
        return nn.ModuleList([make() for _ in range(n)])

    class Hyena(nn.Module):
        """Hyena: long convolutions whose kernels a small network writes, by Fourier transforms or by a product with a Toeplitz matrix"""
        def __init__(self, o):
            super().__init__()
            self.matrix = flash(o)
            self.table, self.out, self.last = nn.Embedding(V, 32), nn.Linear(32, V), nn.LayerNorm(32)
            self.norm, self.norm2 = many(lambda: nn.LayerNorm(32)), many(lambda: nn.LayerNorm(32))
            self.inp, self.o, self.up, self.down = many(lambda: nn.Linear(32, 96)), many(lambda: nn.Linear(32, 32)), many(lambda: nn.Linear(32, 64)), many(lambda: nn.Linear(64, 32))
            self.short = many(lambda: nn.Conv1d(96, 96, 3, groups=96))
            self.k1, self.k2 = many(lambda: nn.Linear(5, 16)), many(lambda: nn.Linear(16, 32))
            self.skip = nn.ParameterList([nn.Parameter(torch.zeros(32)) for _ in range(2)])

        def kernel(self, i, n, dtype):
            t = torch.arange(n)[:, None] / n
            z = torch.cat([t, torch.cos(2 * torch.pi * t), torch.cos(4 * torch.pi * t), torch.sin(2 * torch.pi * t), torch.sin(4 * torch.pi * t)], -1)
            k = self.k2[i](torch.sin(self.k1[i](z.to(dtype))))
            return (k.float() * torch.exp(-t * torch.linspace(0.5, 4.0, 32))).t()

        def long(self, u, k):
            """u of (B, channels, n) with k of (channels, n), causally"""
            n = u.shape[-1]
            if self.matrix:
                ago = torch.arange(n)[:, None] - torch.arange(n)
                t = k[:, ago.clamp(min=0)].masked_fill(ago < 0, 0.0)
                return torch.matmul(t, u.transpose(0, 1).transpose(1, 2)).permute(2, 0, 1)
            return torch.fft.irfft(torch.fft.rfft(u, n=2 * n) * torch.fft.rfft(k, n=2 * n), n=2 * n)[..., :n]

        def forward(self, idx):
            x = self.table(idx)
            for i in range(2):
                p = self.inp[i](self.norm[i](x)).transpose(1, 2)
                a, b, v = self.short[i](F.pad(p, (2, 0))).chunk(3, 1)
                u = (v * b).float()
                y = self.long(u, self.kernel(i, x.shape[1], self.k1[i].weight.dtype)) + u * self.skip[i].float()[:, None]
                x = x + self.o[i]((y.to(a.dtype) * a).transpose(1, 2))
                x = x + self.down[i](F.gelu(self.up[i](self.norm2[i](x))))
            return self.out(self.last(x))

    class Lru(nn.Module):
        """linear recurrent units: complex eigenvalues, or pairs of real numbers"""
        def __init__(self, o):
            super().__init__()
            self.pairs = flash(o)
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.norm, self.glu = many(lambda: nn.LayerNorm(32)), many(lambda: nn.Linear(32, 64))
            made = lambda *size: nn.ParameterList([nn.Parameter(torch.zeros(*size)) for _ in range(2)])
            self.nu, self.theta, self.skip = made(16), made(16), made(32)
            self.b_re, self.b_im, self.c_re, self.c_im = made(16, 32), made(16, 32), made(32, 16), made(32, 16)

        def mixed(self, u, i):
            size, turn = torch.exp(-torch.exp(self.nu[i].float() - 1.5)), torch.exp(self.theta[i].float() - 0.5)
            gamma = torch.sqrt(1 - size * size)
            br, bi, cr, ci = (t[i].float() for t in (self.b_re, self.b_im, self.c_re, self.c_im))
            ys = []
            if self.pairs:
                lr, li = size * torch.cos(turn), size * torch.sin(turn)
                ur, ui = F.linear(u, br) * gamma, F.linear(u, bi) * gamma
                hr, hi = torch.zeros_like(ur[:, 0]), torch.zeros_like(ui[:, 0])
                for t in range(u.shape[1]):
                    hr, hi = lr * hr - li * hi + ur[:, t], lr * hi + li * hr + ui[:, t]
                    ys.append(F.linear(hr, cr) - F.linear(hi, ci))
                return torch.stack(ys, 1)
            lam = torch.polar(size, turn)
            v = (u.to(torch.complex64) @ torch.complex(br, bi).t()) * gamma
            state = torch.zeros_like(v[:, 0])
            for t in range(u.shape[1]):
                state = lam * state + v[:, t]
                ys.append(state)
            return (torch.stack(ys, 1) @ torch.complex(cr, ci).t()).real

        def forward(self, idx):
            x = self.table(idx)
            for i in range(2):
                u = self.norm[i](x)
                y = self.mixed(u.float(), i) + self.skip[i].float() * u.float()
                x = x + F.glu(self.glu[i](F.gelu(y.to(x.dtype))), -1)
            return self.out(x)

    class Moa(nn.Module):
        """a mixture of attention heads: two of four experts' queries and outputs for each token, keys and values shared; weights gathered, or
        all experts and a mask"""
        def __init__(self, o):
            super().__init__()
            self.dense = flash(o)
            self.table, self.places, self.out = nn.Embedding(V, 32), nn.Embedding(S, 32), nn.Linear(32, V)
            self.norm, self.norm2 = many(lambda: nn.LayerNorm(32)), many(lambda: nn.LayerNorm(32))
            self.gate, self.kv = many(lambda: nn.Linear(32, 4, bias=False)), many(lambda: nn.Linear(32, 16, bias=False))
            made = lambda *size: nn.ParameterList([nn.Parameter(torch.zeros(*size)) for _ in range(2)])
            self.q, self.o = made(4, 32, 8), made(4, 8, 32)
            self.up, self.down = many(lambda: nn.Linear(32, 64)), many(lambda: nn.Linear(64, 32))

        def attended(self, i, x):
            n = x.shape[1]
            p = torch.softmax(self.gate[i](x).float(), -1)
            w, e = p.topk(2, -1)
            w = (w / w.sum(-1, keepdim=True)).to(x.dtype)
            k, v = self.kv[i](x).chunk(2, -1)
            hide = torch.ones(n, n, dtype=torch.bool).triu(1)
            if self.dense:
                q = torch.einsum('bnd,edh->benh', x, self.q[i])
                a = torch.softmax((torch.einsum('benh,bmh->benm', q, k) * 8 ** -0.5).masked_fill(hide, float('-inf')), -1)
                y = torch.einsum('benh,ehd->bned', torch.einsum('benm,bmh->benh', a, v), self.o[i])
                mix = torch.zeros(*p.shape, dtype=w.dtype).scatter(-1, e, w)
                return (y * mix[..., None]).sum(2)
            q = (x[:, :, None, None] @ self.q[i][e].to(x.dtype))[..., 0, :].transpose(1, 2)
            y = F.scaled_dot_product_attention(q, k[:, None].expand(-1, 2, -1, -1), v[:, None].expand(-1, 2, -1, -1), is_causal=True).transpose(1, 2)
            y = (y[..., None, :] @ self.o[i][e].to(y.dtype))[..., 0, :]
            return w[:, :, 0, None] * y[:, :, 0] + w[:, :, 1, None] * y[:, :, 1]

        def forward(self, idx):
            x = self.table(idx) + self.places(torch.arange(idx.shape[1]))
            for i in range(2):
                x = x + self.attended(i, self.norm[i](x)).to(x.dtype)
                x = x + self.down[i](F.gelu(self.up[i](self.norm2[i](x))))
            return self.out(x)

    class Mmoe(nn.Module):
        """a recommender with several gates over shared experts (MMoE), two tasks: a loop over experts, or their weights stacked"""
        def __init__(self, o):
            super().__init__()
            self.stacked = flash(o)
            self.fields = nn.ModuleList([nn.Embedding(n, 8) for n in (12, 7, 20)])
            self.dense = nn.BatchNorm1d(6)
            self.experts = many(lambda: nn.Sequential(nn.Linear(30, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU()), 4)
            self.gates, self.towers = many(lambda: nn.Linear(30, 4, bias=False)), many(lambda: nn.Sequential(nn.Linear(16, 12), nn.ReLU(), nn.Linear(12, 1)))

        def forward(self, ids, numbers):
            x = torch.cat([f(ids[:, i]) for i, f in enumerate(self.fields)] + [self.dense(numbers)], -1)
            if self.stacked:
                a, b = (torch.stack([e[k].weight for e in self.experts]) for k in (0, 2))
                c, d = (torch.stack([e[k].bias for e in self.experts]) for k in (0, 2))
                y = F.relu(torch.einsum('bi,eoi->ebo', x, a) + c[:, None])
                y = F.relu(torch.baddbmm(d[:, None].to(y.dtype), y, b.transpose(1, 2).to(y.dtype))).transpose(0, 1)
            else:
                y = torch.stack([e(x) for e in self.experts], 1)
            outs = []
            for gate, tower in zip(self.gates, self.towers):
                g = torch.softmax(gate(x), -1)
                outs.append(tower((y * g[..., None]).sum(1) if not self.stacked else torch.bmm(g[:, None].to(y.dtype), y)[:, 0]))
            return torch.cat(outs, -1)

    def mmoe(o):
        y = torch.from_numpy(draw('clicks', o.seed).integers(0, 2, (8, 2))).float()
        m = Mmoe(o)
        m.package = True
        ids = torch.stack([tokens(o, f'f{i}', 1, 8, 0, n)[0] for i, n in enumerate((12, 7, 20))], 1)
        return m, {'ids': ids, 'numbers': noise(o, 'numbers', 8, 6)}, lambda out: F.binary_cross_entropy_with_logits(out.float(), y, reduction='none').mean(0).sum()

    class Evoformer(nn.Module):
        """Evoformer's half of an alignment: rows attend with a bias of pairs, columns without, their outer product's mean updates the pairs; einsum and a
        softmax, or the fused kernel and plain products"""
        def __init__(self, o):
            super().__init__()
            self.fused = flash(o)
            self.table, self.pair, self.last, self.head = nn.Embedding(23, 24), nn.Embedding(15, 12), nn.Linear(12, 24), nn.Linear(24, 23)
            self.nr, self.nc, self.nt, self.no = (many(lambda: nn.LayerNorm(24)) for _ in range(4))
            self.nz = many(lambda: nn.LayerNorm(12))
            self.bias = many(lambda: nn.Linear(12, 3, bias=False))
            self.row, self.col = many(lambda: nn.Linear(24, 96, bias=False)), many(lambda: nn.Linear(24, 96, bias=False))
            self.row_o, self.col_o = many(lambda: nn.Linear(24, 24)), many(lambda: nn.Linear(24, 24))
            self.up, self.down = many(lambda: nn.Linear(24, 48)), many(lambda: nn.Linear(48, 24))
            self.left, self.right, self.outer = many(lambda: nn.Linear(24, 6)), many(lambda: nn.Linear(24, 6)), many(lambda: nn.Linear(36, 12))

        def attend(self, x, proj, out, bias=None):
            """x of (B, groups, n, channels) within groups, bias of (B, heads, n, n)"""
            q, k, v, g = proj(x).unflatten(-1, (4, 3, 8)).unbind(3)
            if self.fused:
                q, k, v = (t.transpose(2, 3).flatten(0, 1) for t in (q, k, v))
                mask = None if bias is None else bias[:, None].expand(-1, x.shape[1], -1, -1, -1).flatten(0, 1).to(q.dtype)
                y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).unflatten(0, x.shape[:2]).transpose(2, 3)
            else:
                s = torch.einsum('bgihd,bgjhd->bghij', q * 8 ** -0.5, k)
                if bias is not None:
                    s = s + bias[:, None]
                y = torch.einsum('bghij,bgjhd->bgihd', torch.softmax(s, -1).to(v.dtype), v)
            return out((y * torch.sigmoid(g)).flatten(3))

        def forward(self, msa):
            n = msa.shape[2]
            m = self.table(msa)
            z = self.pair((torch.arange(n)[:, None] - torch.arange(n)).clamp(-7, 7) + 7)[None].expand(m.shape[0], -1, -1, -1)
            for i in range(2):
                m = m + self.attend(self.nr[i](m), self.row[i], self.row_o[i], self.bias[i](self.nz[i](z)).permute(0, 3, 1, 2))
                m = m + self.attend(self.nc[i](m).transpose(1, 2), self.col[i], self.col_o[i]).transpose(1, 2)
                m = m + self.down[i](F.relu(self.up[i](self.nt[i](m))))
                x = self.no[i](m)
                a, b = self.left[i](x), self.right[i](x)
                if self.fused:
                    y = (a.permute(0, 2, 3, 1).flatten(1, 2) @ b.flatten(2)).view(m.shape[0], n, 6, n, 6).transpose(2, 3) / m.shape[1]
                else:
                    y = torch.einsum('bsic,bsjd->bijcd', a, b) / m.shape[1]
                z = z + self.outer[i](y.flatten(3))
            return self.head(m + self.last(z.mean(2))[:, None])

    def evoformer(o):
        x = torch.from_numpy(draw('alignment', o.seed).integers(0, 23, (2, 4, 8)))
        y = torch.from_numpy(draw('true', o.seed).integers(0, 23, (2, 4, 8)))
        return Evoformer(o), {'msa': x}, lambda out: cross_entropy(o, out.flatten(0, 1), y.flatten(0, 1), 0)

    class Attend(nn.MultiheadAttention):
        """the library's attention, or the same written out"""
        def attend(self, q, k, written):
            if not written:
                return self(q, k, k, need_weights=False)[0]
            d, heads = self.embed_dim, lambda t: t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            w, b = self.in_proj_weight, self.in_proj_bias
            q, (k, v) = F.linear(q, w[:d], b[:d]), F.linear(k, w[d:], b[d:]).chunk(2, -1)
            a = torch.softmax(heads(q) @ heads(k).transpose(-1, -2) / (d // self.num_heads) ** 0.5, -1)
            return self.out_proj((a @ heads(v)).transpose(1, 2).flatten(2))

    class Mab(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.mha, self.n1, self.n2 = Attend(dim, heads, batch_first=True), nn.LayerNorm(dim), nn.LayerNorm(dim)
            self.up, self.down = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)

        def forward(self, x, y, written):
            x = self.n1(x + self.mha.attend(x, y, written))
            return self.n2(x + self.down(F.relu(self.up(x))))

    class SetTransformer(nn.Module):
        """the set transformer: induced points, pooling by attention"""
        def __init__(self, o):
            super().__init__()
            self.written = flash(o)
            self.inp, self.head = nn.Linear(5, 32), nn.Linear(32, 6)
            self.points = nn.ParameterList([nn.Parameter(torch.zeros(4, 32)) for _ in range(2)])
            self.into, self.back = many(lambda: Mab(32, 4)), many(lambda: Mab(32, 4))
            self.seed, self.pool = nn.Parameter(torch.zeros(1, 32)), Mab(32, 4)

        def forward(self, x):
            x = self.inp(x)
            for p, into, back in zip(self.points, self.into, self.back):
                y = into(p.expand(x.shape[0], -1, -1), x, self.written)
                x = back(x, y, self.written)
            return self.head(self.pool(self.seed.expand(x.shape[0], -1, -1), x, self.written)[:, 0])

    def settransformer(o):
        return SetTransformer(o), {'x': noise(o, 'set', 3, 12, 5)}, lambda out: cross_entropy(o, out, torch.tensor([1, 4, 2]), 0)

    class Naf(nn.Module):
        def __init__(self, c, written):
            super().__init__()
            self.written = written
            self.n1, self.n2 = nn.LayerNorm(c, eps=1e-6), nn.LayerNorm(c, eps=1e-6)
            self.c1, self.c2, self.c3 = nn.Conv2d(c, 2 * c, 1), nn.Conv2d(2 * c, 2 * c, 3, padding=1, groups=2 * c), nn.Conv2d(c, c, 1)
            self.sca, self.c4, self.c5 = nn.Conv2d(c, c, 1), nn.Conv2d(c, 2 * c, 1), nn.Conv2d(c, c, 1)
            self.beta, self.scale = nn.Parameter(torch.zeros(c, 1, 1)), nn.Parameter(torch.zeros(c, 1, 1))

        def norm(self, n, x):
            if not self.written:
                return n(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
            mu = x.mean(1, keepdim=True)
            var = (x - mu).pow(2).mean(1, keepdim=True)
            return (x - mu) / (var + n.eps).sqrt() * n.weight[:, None, None] + n.bias[:, None, None]

        def gate(self, x):
            a, b = x.chunk(2, 1)
            return a * b

        def forward(self, x):
            y = self.gate(self.c2(self.c1(self.norm(self.n1, x))))
            if self.written:
                s = F.linear(y.mean((2, 3)), self.sca.weight.flatten(1), self.sca.bias)[:, :, None, None]
            else:
                s = self.sca(F.adaptive_avg_pool2d(y, 1))
            x = x + self.c3(y * s) * self.beta
            return x + self.c5(self.gate(self.c4(self.norm(self.n2, x)))) * self.scale

    class Nafnet(nn.Module):
        """NAFNet restores images without activations: a norm over channels by permuting or written out, pixels shuffled by the library or by views"""
        def __init__(self, o):
            super().__init__()
            self.written = flash(o)
            self.intro, self.ending = nn.Conv2d(3, 12, 3, padding=1), nn.Conv2d(12, 3, 3, padding=1)
            self.enc, self.mid, self.dec = Naf(12, self.written), Naf(24, self.written), Naf(12, self.written)
            self.down, self.up = nn.Conv2d(12, 24, 2, 2), nn.Conv2d(24, 48, 1, bias=False)

        def forward(self, x):
            a = self.enc(self.intro(x))
            y = self.up(self.mid(self.down(a)))
            if self.written:
                b, _, n, m = y.shape
                y = y.view(b, 12, 2, 2, n, m).permute(0, 1, 4, 2, 5, 3).reshape(b, 12, 2 * n, 2 * m)
            else:
                y = F.pixel_shuffle(y, 2)
            return x + self.ending(self.dec(y + a))

    class ConvLstm(nn.Module):
        """a convolutional LSTM that foretells frames: one convolution of what is joined, or one of each part"""
        def __init__(self, o):
            super().__init__()
            self.parts = flash(o)
            self.cells = nn.ModuleList([nn.Conv2d(1 + 8, 32, 3, padding=1), nn.Conv2d(8 + 8, 32, 3, padding=1)])
            self.peep = nn.ParameterList([nn.Parameter(torch.zeros(3, 8, 1, 1)) for _ in range(2)])
            self.norm, self.out = nn.GroupNorm(2, 8), nn.Conv2d(8, 1, 1)

        def step(self, i, x, h, c):
            f = self.cells[i]
            if self.parts:
                n = x.shape[1]
                g = F.conv2d(x, f.weight[:, :n], f.bias, padding=1) + F.conv2d(h.to(x.dtype), f.weight[:, n:], padding=1)
                a, b, d, e = g.split(8, 1)
            else:
                a, b, d, e = f(torch.cat([x, h.to(x.dtype)], 1)).chunk(4, 1)
            p = self.peep[i]
            c = torch.sigmoid(b + p[1] * c) * c + torch.sigmoid(a + p[0] * c) * torch.tanh(d)
            return torch.sigmoid(e + p[2] * c) * torch.tanh(c), c

        def forward(self, x):
            state = [(torch.zeros(x.shape[0], 8, *x.shape[3:], dtype=x.dtype),) * 2 for _ in range(2)]
            ys = []
            for t in range(x.shape[1]):
                y = x[:, t]
                for i in range(2):
                    state[i] = self.step(i, y, *state[i])
                    y = state[i][0]
                ys.append(self.out(self.norm(y)))
            return torch.stack(ys, 1)

    class Tabnet(nn.Module):
        """TabNet: features chosen by a sparsemax (sorted sums, or comparisons of all pairs), batch norms of small parts (a loop, or one reshaped)"""
        def __init__(self, o):
            super().__init__()
            self.pairs = flash(o)
            self.first = nn.BatchNorm1d(10)
            self.shared, self.shared_n = nn.Linear(10, 32, bias=False), nn.BatchNorm1d(32)
            self.own, self.own_n = many(lambda: nn.Linear(16, 32, bias=False), 3), many(lambda: nn.BatchNorm1d(32), 3)
            self.choose, self.choose_n = many(lambda: nn.Linear(8, 10, bias=False)), many(lambda: nn.BatchNorm1d(10))
            self.head = nn.Linear(8, 4)

        def norm(self, n, x):
            if not self.pairs:
                return torch.cat([F.batch_norm(part, None, None, n.weight, n.bias, True, 0.0, n.eps) for part in x.split(4)])
            y = x.float().view(-1, 4, x.shape[1])
            mean = y.mean(1, keepdim=True)
            var = (y - mean).square().mean(1, keepdim=True)
            return ((y - mean) / torch.sqrt(var + n.eps) * n.weight + n.bias).view_as(x).to(x.dtype)

        def sparsemax(self, z):
            z = z.float() - z.float().amax(-1, keepdim=True).detach()
            if self.pairs:
                more = (z[:, None] >= z[:, :, None]).to(z.dtype)
                keep = 1 + more.sum(-1) * z > (more * z[:, None]).sum(-1)
                tau = ((z * keep).sum(-1, keepdim=True) - 1) / keep.sum(-1, keepdim=True)
            else:
                s = z.sort(-1, descending=True).values
                sums, k = s.cumsum(-1), torch.arange(1, z.shape[1] + 1)
                n = (1 + k * s > sums).sum(-1, keepdim=True)
                tau = (sums.gather(-1, n - 1) - 1) / n
            return F.relu(z - tau)

        def features(self, x, i):
            x = F.glu(self.norm(self.shared_n, self.shared(x)))
            return (x + F.glu(self.norm(self.own_n[i], self.own[i](x)))) * 0.5 ** 0.5

        def forward(self, x):
            x = self.first(x)
            prior, a, y = torch.ones_like(x), self.features(x, 0)[:, 8:], 0
            for i in range(2):
                mask = self.sparsemax(prior * self.norm(self.choose_n[i], self.choose[i](a)))
                prior = prior * (1.3 - mask)
                h = self.features(mask.to(x.dtype) * x, i + 1)
                y, a = y + F.relu(h[:, :8]), h[:, 8:]
            return self.head(y)

    def tabnet(o):
        y = torch.from_numpy(draw('class', o.seed).integers(0, 4, 12))
        m = Tabnet(o)
        m.package = True
        return m, {'x': noise(o, 'table', 12, 10)}, lambda out: cross_entropy(o, out, y, 0)

    class Painn(nn.Module):
        """PaiNN: scalars and vectors of atoms; messages along edges summed by an index, or a matrix of all atoms and a mask"""
        def __init__(self, o):
            super().__init__()
            self.dense = flash(o)
            self.table = nn.Embedding(9, 24)
            self.phi1, self.phi2, self.w = many(lambda: nn.Linear(24, 24)), many(lambda: nn.Linear(24, 72)), many(lambda: nn.Linear(8, 72))
            self.u, self.v = many(lambda: nn.Linear(24, 24, bias=False)), many(lambda: nn.Linear(24, 24, bias=False))
            self.a1, self.a2 = many(lambda: nn.Linear(48, 24)), many(lambda: nn.Linear(24, 72))
            self.r1, self.r2 = nn.Linear(24, 16), nn.Linear(16, 1)

        def radial(self, d):
            cut = 0.5 * (torch.cos(torch.pi * d / 5.0) + 1) * (d < 5.0)
            return torch.sin(d[..., None] * torch.arange(1, 9) * torch.pi / 5.0) / d[..., None], cut

        def message(self, i, s, v, places):
            n = s.shape[0]
            p = self.phi2[i](F.silu(self.phi1[i](s)))
            if self.dense:
                gap = places[None] - places[:, None]
                d = (gap.square().sum(-1) + torch.eye(n)).sqrt()
                rad, cut = self.radial(d)
                keep = (cut * (1 - torch.eye(n)))[..., None]
                a, b, c = ((p[None] * self.w[i](rad.to(p.dtype))) * keep).split(24, -1)
                ds = a.sum(1)
                dv = (b[..., None] * v[None]).sum(1) + torch.einsum('ijc,ijx->icx', c, (gap / d[..., None]).to(c.dtype))
                return s + ds.to(s.dtype), v + dv.to(v.dtype)
            d = (places[None] - places[:, None]).square().sum(-1).detach()
            to, of = torch.where((d < 25.0) & ~torch.eye(n, dtype=torch.bool))
            gap = places[of] - places[to]
            d = gap.norm(dim=-1)
            rad, cut = self.radial(d)
            a, b, c = (p[of] * self.w[i](rad.to(p.dtype)) * cut[:, None]).split(24, -1)
            ds = torch.zeros(s.shape, dtype=a.dtype).index_add(0, to, a)
            dv = torch.zeros(v.shape, dtype=a.dtype).index_add(0, to, b[..., None] * v[of] + c[..., None] * (gap / d[:, None])[:, None])
            return s + ds.to(s.dtype), v + dv.to(v.dtype)

        def update(self, i, s, v):
            x, y = (f[i](v.transpose(1, 2)).transpose(1, 2) for f in (self.u, self.v))
            size = torch.sqrt(y.square().sum(-1) + 1e-8)
            a, b, c = self.a2[i](F.silu(self.a1[i](torch.cat([s, size.to(s.dtype)], -1)))).split(24, -1)
            return s + a + b * (x * y).sum(-1), v + c[..., None] * x

        def forward(self, atoms, places):
            s = self.table(atoms)
            v = torch.zeros(*s.shape, 3, dtype=s.dtype)
            for i in range(2):
                s, v = self.message(i, s, v, places)
                s, v = self.update(i, s, v)
            return self.r2(F.silu(self.r1(s)))

    def painn(o):
        return Painn(o), {'atoms': tokens(o, 'atoms', 1, 9, 1, 9)[0], 'places': 1.5 * noise(o, 'places', 9, 3)}, lambda out: hidden(o, out)

    class Ngpt(nn.Module):
        """the normalised transformer: weights and hidden states of unit length, learned step sizes; the library's norms and fused kernel, or written out"""
        def __init__(self, o):
            super().__init__()
            self.fused = flash(o)
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V, bias=False)
            self.q, self.k, self.v, self.o = (many(lambda: nn.Linear(32, 32, bias=False)) for _ in range(4))
            self.up, self.down = many(lambda: nn.Linear(32, 96, bias=False)), many(lambda: nn.Linear(48, 32, bias=False))
            made = lambda n, v: nn.ParameterList([nn.Parameter(torch.full((n,), v)) for _ in range(2)])
            self.alpha_a, self.alpha_m = made(32, 0.3), made(32, 0.3)
            self.scale_q, self.scale_u, self.scale_z = made(8, 1.0), made(96, 1.0), nn.Parameter(torch.ones(V))

        def unit(self, x, dim=-1):
            if self.fused:
                return F.normalize(x.float(), dim=dim).to(x.dtype)
            x32 = x.float()
            return (x32 / x32.square().sum(dim, keepdim=True).sqrt().clamp(min=1e-12)).to(x.dtype)

        def forward(self, idx):
            x = self.unit(F.embedding(idx, self.unit(self.table.weight)))
            n = x.shape[1]
            angle = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, 8, 2) / 8)
            c, s = (t.repeat(1, 2) for t in (angle.cos(), angle.sin()))
            turn = lambda t: t * c.to(t.dtype) + torch.cat([-t[..., 4:], t[..., :4]], -1) * s.to(t.dtype)
            for i in range(2):
                q, k, v = (F.linear(x, self.unit(p[i].weight)).unflatten(-1, (4, 8)).transpose(1, 2) for p in (self.q, self.k, self.v))
                q, k = (self.unit(turn(t)) * (1 + self.scale_q[i]) for t in (q, k))
                v = v.to(q.dtype)
                if self.fused:
                    y = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=8 ** 0.5)
                else:
                    a = (q @ k.transpose(-1, -2) * 8 ** 0.5).masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float('-inf'))
                    y = torch.softmax(a.float(), -1).to(v.dtype) @ v
                y = self.unit(F.linear(y.transpose(1, 2).flatten(2), self.unit(self.o[i].weight, 0)))
                x = self.unit(x + self.alpha_a[i].abs() * (y - x)) if not self.fused else self.unit(torch.lerp(x.float(), y.float(), self.alpha_a[i].abs().float()).to(x.dtype))
                u, w = (F.linear(x, self.unit(self.up[i].weight)) * self.scale_u[i] * 32 ** 0.5).chunk(2, -1)
                y = self.unit(F.linear(u * F.silu(w), self.unit(self.down[i].weight, 0)))
                x = self.unit(x + self.alpha_m[i].abs() * (y - x))
            return F.linear(x, self.unit(self.out.weight)) * self.scale_z * 8

    class LightGcn(nn.Module):
        """LightGCN with a pairwise loss: neighbours summed along edges, or by a product with the normalised adjacency"""
        def __init__(self, o):
            super().__init__()
            self.matrix = flash(o)
            self.users, self.items = nn.Embedding(9, 16), nn.Embedding(13, 16)
            self.out = nn.Linear(16, 16)

        def spread(self, x, at, to):
            n = torch.zeros(22).index_add(0, at, torch.ones(at.shape[0]))
            w = n[at].rsqrt() * n[to].rsqrt()
            if self.matrix:
                return torch.zeros(22, 22).index_put((to, at), w).to(x.dtype) @ x
            return torch.zeros_like(x).index_add(0, to, x[at] * w[:, None].to(x.dtype))

        def forward(self, user, good, bad, edges):
            x = torch.cat([self.users.weight, self.items.weight])
            at = torch.cat([edges[0], edges[1] + 9])
            to = torch.cat([edges[1] + 9, edges[0]])
            total = x
            for _ in range(3):
                x = self.spread(x, at, to)
                total = total + x
            u, i = (total / 4).split((9, 13))
            u = torch.tanh(self.out(u[user]))
            return (u * i[good]).sum(-1) - (u * i[bad]).sum(-1)

    def lightgcn(o):
        seen = draw('edges', o.seed).permutation(9 * 13)[:40]
        given = {'user': tokens(o, 'user', 1, 12, 0, 9)[0], 'good': tokens(o, 'good', 1, 12, 0, 13)[0], 'bad': tokens(o, 'bad', 1, 12, 0, 13)[0], 'edges': torch.from_numpy(np.stack([seen // 13, seen % 13]))}
        return LightGcn(o), given, lambda out: F.softplus(-out.float()).mean() if o.loss != 'composed' else -F.logsigmoid(out.float()).mean()

    # libraries and packages

    def hrnet(o):
        t = importlib.import_module('timm.models.hrnet')
        stage = lambda n, block, width: dict(num_modules=1, num_branches=n, block_type=block, num_blocks=(1,) * n, num_channels=tuple(width * 2 ** i for i in range(n)), fuse_method='SUM')
        make = lambda o: t.HighResolutionNetFeatures(dict(stem_width=16, stage1=stage(1, 'BOTTLENECK', 8), stage2=stage(2, 'BASIC', 8), stage3=stage(3, 'BASIC', 8), stage4=stage(4, 'BASIC', 8)), feature_location='', out_indices=(1, 2, 3, 4))
        return reg(make, lambda o: {'x': noise(o, 'image', 2, 3, 64, 64)}, lambda net, x: torch.cat([F.interpolate(y, size=(16, 16), mode='bilinear', align_corners=False) for y in net(x)], 1))(o)

    def kandinsky3(o):
        return diffuser('Kandinsky3UNet', lambda o: {'sample': noise(o, 'latent', 2, 4, 16, 16), 'timestep': torch.tensor([7, 301]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 20), 'encoder_attention_mask': torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])},
                        in_channels=4, time_embedding_dim=32, groups=4, attention_head_dim=8, layers_per_block=2, block_out_channels=(16, 24, 32, 32), cross_attention_dim=24, encoder_hid_dim=20)(o)

    def ideogram4(o):
        """text and image tokens of one packed row, in segments"""
        role = torch.tensor([[3, 3, 3, 2, 2, 2, 2, 3, 3, 2, 2, 2, 2]])
        place = torch.tensor([0, 1, 2, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1])
        ids = torch.stack([place, place, torch.tensor([0, 1, 2, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])], -1)[None] + 65536 * (role == 2)[..., None]
        return diffuser('Ideogram4Transformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 13, 8), 'timestep': torch.tensor([0.4]), 'encoder_hidden_states': noise(o, 'text', 1, 13, 20), 'position_ids': ids, 'segment_ids': torch.tensor([[1] * 7 + [2] * 6]), 'indicator': role},
                        in_channels=8, num_layers=2, attention_head_dim=12, num_attention_heads=4, intermediate_size=64, adaln_dim=16, llm_features_dim=20, rope_theta=10000, mrope_section=(2, 2, 2))(h.sdpa(o))

    def retinanet(o):
        """RetinaNet with a feature pyramid; anchors matched to boxes, focal losses"""
        R, A, P = (importlib.import_module('torchvision.' + n) for n in ('models.detection.retinanet', 'models.detection.anchor_utils', 'ops.feature_pyramid_network'))

        class Backbone(nn.Module):
            out_channels = 16

            def __init__(self):
                super().__init__()
                self.a, self.b, self.c = nn.Conv2d(3, 8, 5, 4, 2), nn.Conv2d(8, 16, 3, 2, 1), nn.Conv2d(16, 24, 3, 2, 1)
                self.na, self.nb, self.nc = nn.BatchNorm2d(8), nn.BatchNorm2d(16), nn.BatchNorm2d(24)
                self.pyramid = P.FeaturePyramidNetwork([16, 24], 16)

            def forward(self, x):
                x = F.relu(self.na(self.a(x)))
                y = F.relu(self.nb(self.b(x)))
                return self.pyramid({'0': y, '1': F.relu(self.nc(self.c(y)))})

        def f(net, a, b):
            box = lambda *t: torch.tensor(t, dtype=torch.float32)
            out = net([a, b], [{'boxes': box([4.0, 6, 28, 30], [30, 20, 60, 62]), 'labels': torch.tensor([1, 3])}, {'boxes': box([10.0, 12, 40, 30]), 'labels': torch.tensor([2])}])
            return torch.stack([out['classification'].float(), out['bbox_regression'].float()])
        path()
        m = h.Call(R.RetinaNet(Backbone(), 4, min_size=64, max_size=64, anchor_generator=A.AnchorGenerator(((12, 20), (28, 40)), ((0.5, 1.0, 2.0),) * 2)), f)
        return m, {'a': torch.sigmoid(noise(o, 'one', 3, 64, 64)), 'b': torch.sigmoid(noise(o, 'two', 3, 64, 64))}, lambda out: out.sum()

    def tacotron2(o):
        path()
        T = get('torchaudio.models.tacotron2', 'Tacotron2', True)
        m = T(n_mels=10, n_symbol=V, symbol_embedding_dim=24, encoder_embedding_dim=24, encoder_n_convolution=2, decoder_rnn_dim=24, decoder_dropout=0.0, attention_rnn_dim=24, attention_hidden_dim=12, attention_location_n_filter=4, attention_location_kernel_size=5, attention_dropout=0.0, prenet_dim=16, postnet_n_convolution=3, postnet_embedding_dim=16)
        mel = noise(o, 'mel', 2, 10, 7)

        def loss(out):
            before, after, stop = out
            return F.mse_loss(before.float(), mel) + F.mse_loss(after.float(), mel) + F.binary_cross_entropy_with_logits(stop.float(), (torch.arange(7) > 5).float().expand(2, -1))
        return h.Call(m, lambda net, x, mel: net(x, torch.tensor([9, 6]), mel, torch.tensor([7, 7]))[:3]), {'x': tokens(o, 'text', 2, 9), 'mel': mel}, loss

    def rtdetr(o):
        import transformers
        b = transformers.RTDetrResNetConfig(embedding_size=16, hidden_sizes=[16, 24, 32, 40], depths=[1, 1, 1, 1], layer_type='basic', out_features=['stage2', 'stage3', 'stage4'])
        c = transformers.RTDetrConfig(backbone_config=b, encoder_hidden_dim=32, encoder_in_channels=[24, 32, 40], encoder_ffn_dim=48, encoder_attention_heads=4, d_model=32, num_queries=6, decoder_in_channels=[32, 32, 32], decoder_ffn_dim=48, decoder_n_points=2, decoder_layers=2, decoder_attention_heads=4, num_denoising=0, hidden_expansion=0.5, freeze_backbone_batch_norms=False, num_labels=5)
        m = transformers.RTDetrForObjectDetection(c)
        for l in m.modules():
            if hasattr(l, 'config') and 'ResNet' not in type(l.config).__name__:
                l.config._attn_implementation = o.attn
        return h.Call(m, lambda net, x: (lambda r: torch.cat([r.logits, r.pred_boxes], -1))(net(pixel_values=x))), {'x': noise(o, 'image', 2, 3, 64, 64)}, lambda out: hidden(o, out)

    def mask2former(o):
        import transformers
        b = transformers.SwinConfig(image_size=64, patch_size=4, embed_dim=16, depths=[1, 1, 1, 1], num_heads=[2, 2, 4, 4], window_size=4, drop_path_rate=0.0, out_features=['stage1', 'stage2', 'stage3', 'stage4'])
        c = transformers.Mask2FormerConfig(backbone_config=b, feature_size=32, mask_feature_size=32, hidden_dim=32, encoder_feedforward_dim=48, encoder_layers=1, decoder_layers=3, num_attention_heads=4, dropout=0.0, dim_feedforward=48, num_queries=6, num_labels=5)
        m = transformers.Mask2FormerForUniversalSegmentation(c)
        for l in m.modules():
            if 'Swin' in type(getattr(l, 'config', None)).__name__:
                l.config._attn_implementation = o.attn
        return h.Call(m, lambda net, x: (lambda r: torch.cat([r.class_queries_logits, torch.sigmoid(r.masks_queries_logits).flatten(2)], -1))(net(pixel_values=x))), {'x': noise(o, 'image', 1, 3, 64, 64)}, lambda out: hidden(o, out)

    def fedformer(o):
        make = lambda o: h.forecast('fedformer', 'FEDformer')(h=4, input_size=12, hidden_size=16, conv_hidden_size=16, modes=3, mode_select='low', n_head=8, MovingAvg_window=5, encoder_layers=1, dropout=0.0)
        return reg(make, lambda o: {'y': noise(o, 'series', 3, 12, 1)}, lambda net, y: net({'insample_y': y, 'futr_exog': None, 'hist_exog': None, 'stat_exog': None}))(o)

    class Slots(nn.Module):
        """objects' slots of an image's features, and a decoder that paints each on a grid of its own"""
        def __init__(self, o):
            super().__init__()
            A = get('slot_attention_pytorch.slot_attention_module', 'SlotAttentionModule')
            self.enc, self.enc2, self.place = nn.Conv2d(3, 16, 5, padding=2), nn.Conv2d(16, 16, 5, 2, 2), nn.Linear(4, 16)
            self.slots = A(num_slots=3, channels_enc=16, latent_size=16, attention_iters=3, mlp_size=24)
            self.dec_place, self.dec, self.dec2 = nn.Linear(4, 16), nn.ConvTranspose2d(16, 16, 4, 2, 1), nn.Conv2d(16, 4, 3, padding=1)

        def forward(self, x):
            g = torch.linspace(0, 1, 6)
            grid = torch.stack(torch.meshgrid(g, g, indexing='ij'), -1)
            grid = torch.cat([grid, 1 - grid], -1).to(x.dtype)
            y = F.relu(self.enc2(F.relu(self.enc(x)))).permute(0, 2, 3, 1) + self.place(grid)
            s = self.slots(y.flatten(1, 2))
            y = s.flatten(0, 1)[:, None, None] + self.dec_place(grid)
            y = self.dec2(F.relu(self.dec(y.permute(0, 3, 1, 2)))).unflatten(0, (x.shape[0], -1))
            return (y[:, :, :3] * torch.softmax(y[:, :, 3:], 1)).sum(1)

    def rmt(o):
        """a recurrent memory transformer over two segments"""
        def f(net, x):
            a, memory, xl = net(x[:, :6])
            return torch.cat([a, net(x[:, 6:], memory, xl_memories=xl)[0]], 1)
        return lm(lambda o: get('recurrent_memory_transformer_pytorch', 'RecurrentMemoryTransformer')(num_tokens=V, dim=32, depth=2, num_memory_tokens=2, seq_len=6, dim_head=8, heads=4, ff_mult=2, use_flash_attn=flash(o), rotary_pos_emb=True, emb_gradient_frac=1.0, num_residual_streams=1), f=f)(o)

    class Colt5(nn.Module):
        """CoLT5: all tokens pass light branches, some of them heavy ones"""
        def __init__(self, o):
            super().__init__()
            B = get('colt5_attention', 'ConditionalRoutedTransformerBlock')
            self.table, self.places, self.out = nn.Embedding(V, 32), nn.Embedding(16, 32), nn.Linear(32, V)
            self.blocks = many(lambda: B(32, num_heavy_attn_tokens_q=4, num_heavy_attn_tokens_kv=4, num_heavy_ff_tokens=4, light_dim_head=8, light_heads=2, light_window_size=4, heavy_dim_head=8, heavy_heads=4, light_ff_mult=1, heavy_ff_mult=2))

        def forward(self, idx):
            x = self.table(idx) + self.places(torch.arange(idx.shape[1]))
            for b in self.blocks:
                x = b(x)
            return self.out(x)

    def colt5(o):
        path()
        y = tokens(o, 'labels', s=16)
        m = Colt5(o)
        m.package = True
        return m, {'idx': tokens(o, 'tokens', s=16)}, lambda out: cross_entropy(o, out, y, 0)

    M.update({
    'hyena': lm(Hyena), 'lru': lm(Lru), 'moa': lm(Moa), 'mmoe': mmoe, 'evoformer': evoformer, 'settransformer': settransformer, 'tabnet': tabnet, 'painn': painn, 'ngpt': lm(Ngpt), 'lightgcn': lightgcn,
    'nafnet': reg(Nafnet, lambda o: {'x': noise(o, 'image', 2, 3, 12, 12)}, lambda net, x: net(x)),
    'hrnet': hrnet, 'kandinsky3': kandinsky3, 'ideogram4': ideogram4, 'retinanet': retinanet, 'tacotron2': tacotron2, 'rtdetr': rtdetr, 'mask2former': mask2former, 'fedformer': fedformer, 'rmt': rmt, 'colt5': colt5,
    'slots': reg(Slots, lambda o: {'x': noise(o, 'image', 2, 3, 12, 12)}, lambda net, x: net(x)),
    'swinunetr': h.seg(lambda o: get('monai.networks.nets', 'SwinUNETR')(in_channels=1, out_channels=2, patch_size=2, depths=(1, 1, 1, 1), num_heads=(2, 2, 4, 4), window_size=4, feature_size=12, spatial_dims=2), (64, 64)),
    'fastformer': lm(lambda o: get('fast_transformer_pytorch', 'FastTransformer')(num_tokens=V, dim=32, depth=2, max_seq_len=16, heads=4, dim_head=8, ff_mult=2, absolute_pos_emb=True), shift=0, f=lambda net, x: net(x, mask=torch.ones_like(x, dtype=torch.bool))),
    'convlstm': reg(ConvLstm, lambda o: {'x': noise(o, 'frames', 2, 5, 1, 8, 8)}, lambda net, x: net(x)),
    })
