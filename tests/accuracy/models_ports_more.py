"""The nineteenth set: more published architectures written by hand, whose sides are two ports of one paper (the option attn), and
architectures of libraries and packages that no earlier set has."""


def add(models, h):
    """the set, with what models_packages.add() has made"""
    import torch
    from torch import nn
    import torch.nn.functional as F
    from models import hidden, draw, V, S, noise, tokens, cross_entropy, diffuser
    M, get, lm, reg, flash = models.MODELS, h.get, h.lm, h.reg, h.flash

    def many(make, n=2):
        return nn.ModuleList([make() for _ in range(n)])

    def made(*size, n=2):
        return nn.ParameterList([nn.Parameter(torch.zeros(*size)) for _ in range(n)])

    class Rms(nn.Module):
        def __init__(self, n, eps=1e-6):
            super().__init__()
            self.weight, self.eps = nn.Parameter(torch.ones(n)), eps

        def forward(self, x):
            y = x.float()
            return (y * torch.rsqrt(y.square().mean(-1, keepdim=True) + self.eps)).to(x.dtype) * self.weight

    def later(n):
        """where a key is later than its query"""
        return torch.ones(n, n, dtype=torch.bool).triu(1)

    class MlaMoe(nn.Module):
        """latent attention as DeepSeek's, keys' and values' up-projections applied, or absorbed into queries and outputs as for decoding; experts
        chosen by sigmoids and a bias: a loop over experts, or tokens sorted by expert, padded to equal numbers and multiplied in a batch"""
        def __init__(self, o):
            super().__init__()
            self.absorbed = flash(o)
            self.table, self.out, self.last = nn.Embedding(V, 32), nn.Linear(32, V, bias=False), Rms(32)
            self.n1, self.n2, self.nc = many(lambda: Rms(32)), many(lambda: Rms(32)), many(lambda: Rms(16))
            self.q, self.down, self.o = many(lambda: nn.Linear(32, 4 * 12, bias=False)), many(lambda: nn.Linear(32, 16 + 4, bias=False)), many(lambda: nn.Linear(32, 32, bias=False))
            self.uk, self.uv = made(4, 8, 16), made(4, 8, 16)
            self.gate, self.bias = many(lambda: nn.Linear(32, 5, bias=False)), made(5)
            self.w1, self.w3, self.w2 = made(5, 24, 32), made(5, 24, 32), made(5, 32, 24)
            self.s1, self.s2 = many(lambda: nn.Linear(32, 24, bias=False)), many(lambda: nn.Linear(24, 32, bias=False))

        def turned(self, x):
            n, d = x.shape[-2:]
            a = torch.arange(n)[:, None] / 100 ** (torch.arange(0, d, 2) / d)
            c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
            l, r = x.chunk(2, -1)
            return torch.cat([l * c - r * s, r * c + l * s], -1)

        def attended(self, i, x):
            n = x.shape[1]
            q = self.q[i](x).unflatten(-1, (4, 12)).transpose(1, 2)
            c, k = self.down[i](x).split((16, 4), -1)
            c = self.nc[i](c)
            qn, qr = q[..., :8], self.turned(q[..., 8:])
            k = self.turned(k)[:, None]
            if self.absorbed:
                qc = torch.einsum('bhnd,hdc->bhnc', qn, self.uk[i])
                s = (torch.matmul(qc, c[:, None].transpose(-1, -2)) + torch.matmul(qr, k.transpose(-1, -2))) * 12 ** -0.5
                a = torch.softmax(s.float().masked_fill(later(n), float('-inf')), -1).to(c.dtype)
                y = torch.einsum('bhnc,hdc->bhnd', torch.matmul(a, c[:, None]), self.uv[i])
            else:
                kn, v = (torch.einsum('bnc,hdc->bhnd', c, u[i]) for u in (self.uk, self.uv))
                y = F.scaled_dot_product_attention(torch.cat([qn, qr], -1), torch.cat([kn, k.expand(-1, 4, -1, -1).to(kn.dtype)], -1), v, is_causal=True)
            return self.o[i](y.transpose(1, 2).flatten(2))

        def routed(self, i, x):
            flat = x.reshape(-1, 32)
            p = torch.sigmoid(self.gate[i](flat).float())
            e = (p + self.bias[i]).topk(2, -1, sorted=False).indices
            w = p.gather(-1, e)
            w = w / w.sum(-1, keepdim=True) * 1.5
            if self.absorbed:
                order = e.flatten().argsort(stable=True)
                n = torch.bincount(e.flatten(), minlength=5)
                starts = torch.cumsum(n, 0) - n
                place = torch.arange(order.shape[0]) - starts[e.flatten()[order]]
                slot = e.flatten()[order] * flat.shape[0] + place
                held = torch.zeros(5 * flat.shape[0], 32, dtype=flat.dtype).index_copy(0, slot, flat[order // 2]).view(5, -1, 32)
                y = F.silu(torch.bmm(held, self.w1[i].transpose(1, 2))) * torch.bmm(held, self.w3[i].transpose(1, 2))
                y = torch.bmm(y, self.w2[i].transpose(1, 2)).flatten(0, 1)[slot]
                y = torch.zeros(order.shape[0], 32, dtype=y.dtype).index_copy(0, order, y).view(-1, 2, 32)
                return (y * w[..., None].to(y.dtype)).sum(1).view_as(x)
            y = torch.zeros_like(flat)
            for k in range(5):
                t, c = torch.where(e == k)
                if t.numel():
                    z = F.linear(F.silu(F.linear(flat[t], self.w1[i][k])) * F.linear(flat[t], self.w3[i][k]), self.w2[i][k])
                    y = y.index_add(0, t, (z * w[t, c, None].to(z.dtype)).to(y.dtype))
            return y.view_as(x)

        def forward(self, idx):
            x = self.table(idx)
            for i in range(2):
                x = x + self.attended(i, self.n1[i](x))
                y = self.n2[i](x)
                x = x + self.routed(i, y) + self.s2[i](F.silu(self.s1[i](y)))
            return self.out(self.last(x))

    class Ttt(nn.Module):
        """layers whose state is a linear model trained on the tokens (TTT): a gradient step a token, or the dual form of a whole chunk"""
        def __init__(self, o):
            super().__init__()
            self.dual = flash(o)
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.n1, self.n2 = many(lambda: nn.LayerNorm(32)), many(lambda: nn.LayerNorm(32))
            self.qkv, self.lr, self.o = many(lambda: nn.Linear(32, 96, bias=False)), many(lambda: nn.Linear(32, 4)), many(lambda: nn.Linear(32, 32))
            self.w0 = made(4, 8, 8)
            self.up, self.down = many(lambda: nn.Linear(32, 64)), many(lambda: nn.Linear(64, 32))

        def trained(self, i, x):
            q, k, v = self.qkv[i](x).unflatten(-1, (3, 4, 8)).permute(2, 0, 3, 1, 4).float()
            eta = torch.sigmoid(self.lr[i](x).float()).transpose(1, 2)[..., None] * 0.2
            w, n, ys, base = self.w0[i].float(), x.shape[1], [], None
            k, q = F.normalize(k, dim=-1), F.normalize(q, dim=-1)
            if self.dual:                                 # chunks of four: gradients at the chunk's first state
                for t in range(0, n, 4):
                    kc, vc, qc, ec = (z[:, :, t:t + 4] for z in (k, v, q, eta))
                    miss = kc @ w - vc
                    a = torch.tril(qc @ kc.transpose(-1, -2))
                    ys.append(qc @ w - a @ (ec * miss))
                    w = w - kc.transpose(-1, -2) @ (ec * miss)
                y = torch.cat(ys, 2)
            else:
                for t in range(n):
                    base = w if t % 4 == 0 else base
                    miss = k[:, :, t:t + 1] @ base - v[:, :, t:t + 1]
                    w = w - k[:, :, t, :, None] * (eta[:, :, t:t + 1] * miss)
                    ys.append((q[:, :, t, None] @ w)[:, :, 0])
                y = torch.stack(ys, 2)
            return self.o[i](y.transpose(1, 2).flatten(2).to(x.dtype))

        def forward(self, idx):
            x = self.table(idx)
            for i in range(2):
                x = x + self.trained(i, self.n1[i](x))
                x = x + self.down[i](F.gelu(self.up[i](self.n2[i](x))))
            return self.out(x)

    class Fox(nn.Module):
        """the forgetting transformer: summed logarithms of forget gates bias the scores; the fused kernel with a mask, or written out"""
        def __init__(self, o):
            super().__init__()
            self.fused = flash(o)
            self.table, self.out, self.last = nn.Embedding(V, 32), nn.Linear(32, V, bias=False), Rms(32)
            self.n1, self.n2, self.nq, self.nk = many(lambda: Rms(32)), many(lambda: Rms(32)), many(lambda: Rms(8)), many(lambda: Rms(8))
            self.q, self.k, self.v, self.o = (many(lambda: nn.Linear(32, 32, bias=False)) for _ in range(4))
            self.forget, self.gate = many(lambda: nn.Linear(32, 4)), many(lambda: nn.Linear(32, 32, bias=False))
            self.up, self.down = many(lambda: nn.Linear(32, 96, bias=False)), many(lambda: nn.Linear(48, 32, bias=False))

        def attended(self, i, x):
            n = x.shape[1]
            q, k, v = (f[i](x).unflatten(-1, (4, 8)).transpose(1, 2) for f in (self.q, self.k, self.v))
            q, k = self.nq[i](q), self.nk[i](k)
            f = F.logsigmoid(self.forget[i](x).float() + 1.0).transpose(1, 2)
            if self.fused:
                c = f.cumsum(-1)
                bias = (c[..., :, None] - c[..., None, :]).masked_fill(later(n), float('-inf'))
                y = F.scaled_dot_product_attention(q, k, v.to(q.dtype), attn_mask=bias.to(q.dtype))
            else:
                low = torch.ones(n, n).tril()
                c = torch.einsum('bht,st->bhs', f, low)
                s = torch.einsum('bhnd,bhmd->bhnm', q, k).float() * 8 ** -0.5 + c.unsqueeze(-1) - c.unsqueeze(-2)
                s = torch.where(low.bool(), s, torch.full_like(s, -1e30))
                e = torch.exp(s - s.amax(-1, keepdim=True))
                y = torch.einsum('bhnm,bhmd->bhnd', (e / e.sum(-1, keepdim=True)).to(v.dtype), v)
            return self.o[i](y.transpose(1, 2).flatten(2) * torch.sigmoid(self.gate[i](x)))

        def forward(self, idx):
            x = self.table(idx)
            for i in range(2):
                x = x + self.attended(i, self.n1[i](x))
                a, b = self.up[i](self.n2[i](x)).chunk(2, -1)
                x = x + self.down[i](F.silu(a) * b)
            return self.out(self.last(x))

    class Based(nn.Module):
        """linear attention by Taylor's series (Based): features of the second order and running sums, or a polynomial of the scores; every second
        layer a sliding window"""
        def __init__(self, o):
            super().__init__()
            self.quadratic = flash(o)
            self.table, self.out, self.places = nn.Embedding(V, 32), nn.Linear(32, V), nn.Embedding(S, 32)
            self.n1, self.n2 = many(lambda: nn.LayerNorm(32)), many(lambda: nn.LayerNorm(32))
            self.qk, self.v, self.o = many(lambda: nn.Linear(32, 32, bias=False)), many(lambda: nn.Linear(32, 32, bias=False)), many(lambda: nn.Linear(32, 32))
            self.conv = many(lambda: nn.Conv1d(32, 32, 3, groups=32))
            self.up, self.down = many(lambda: nn.Linear(32, 64)), many(lambda: nn.Linear(64, 32))

        def features(self, x):
            x = x * 4 ** -0.25
            return torch.cat([torch.ones_like(x[..., :1]), x, (x[..., :, None] * x[..., None, :]).flatten(-2) / 2 ** 0.5], -1)

        def mixed(self, i, x):
            n = x.shape[1]
            q, k = self.qk[i](x).unflatten(-1, (2, 4, 4)).permute(2, 0, 3, 1, 4).float()
            v = self.conv[i](F.pad(self.v[i](x).transpose(1, 2), (2, 0))).transpose(1, 2).unflatten(-1, (4, 8)).transpose(1, 2).float()
            if self.quadratic:
                s = q @ k.transpose(-1, -2) * 4 ** -0.5
                s = (1 + s + s.square() / 2).masked_fill(later(n), 0.0)
                y = s @ v / (s.sum(-1, keepdim=True) + 1e-6)
            else:
                q, k = self.features(q), self.features(k)
                state = (k[..., None] * v[..., None, :]).cumsum(2)
                y = torch.einsum('bhnf,bhnfd->bhnd', q, state) / (torch.einsum('bhnf,bhnf->bhn', q, k.cumsum(2))[..., None] + 1e-6)
            return self.o[i](y.transpose(1, 2).flatten(2).to(x.dtype))

        def forward(self, idx):
            x = self.table(idx) + self.places(torch.arange(idx.shape[1]))
            for i in range(2):
                x = x + self.mixed(i, self.n1[i](x))
                x = x + self.down[i](F.gelu(self.up[i](self.n2[i](x))))
            return self.out(x)

    class Smear(nn.Module):
        """experts merged by their router's weights of a sequence (SMEAR): one einsum of stacked weights, or a sum over experts"""
        def __init__(self, o):
            super().__init__()
            self.loop = flash(o)
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.rnn, self.norm = many(lambda: nn.GRU(32, 32, batch_first=True)), many(lambda: nn.LayerNorm(32))
            self.gate = many(lambda: nn.Linear(32, 4))
            self.up, self.up_b, self.down, self.down_b = made(4, 48, 32), made(4, 48), made(4, 32, 48), made(4, 32)

        def forward(self, idx):
            x = self.table(idx)
            for i in range(2):
                x = x + self.rnn[i](x)[0]
                y = self.norm[i](x)
                p = torch.softmax(self.gate[i](y.mean(1)).float(), -1).to(y.dtype)
                weights = (self.up[i], self.up_b[i], self.down[i], self.down_b[i])
                if self.loop:
                    a, c, b, d = (sum(p[:, e].view(-1, *[1] * (t.dim() - 1)) * t[e] for e in range(4)) for t in weights)
                    z = torch.stack([F.linear(F.relu(F.linear(y[s], a[s], c[s])), b[s], d[s]) for s in range(y.shape[0])])
                else:
                    a, b = torch.einsum('se,eoi->soi', p, weights[0]), torch.einsum('se,eoi->soi', p, weights[2])
                    c, d = p @ weights[1], p @ weights[3]
                    z = torch.baddbmm(d[:, None], F.relu(torch.baddbmm(c[:, None], y.to(a.dtype), a.transpose(1, 2))), b.transpose(1, 2))
                x = x + z
            return self.out(x)

    class Ntm(nn.Module):
        """a neural Turing machine: content addressing by the library's cosine or written out, shifts by rolling or by a circulant matrix"""
        def __init__(self, o):
            super().__init__()
            self.matrix = flash(o)
            self.cell, self.out = nn.LSTMCell(6 + 8, 24), nn.Linear(24 + 8, 6)
            self.memory = nn.Parameter(torch.zeros(7, 8))
            self.read, self.write, self.erase = nn.Linear(24, 8 + 6), nn.Linear(24, 8 + 6), nn.Linear(24, 16)

        def address(self, p, m, old):
            k, beta, g, s, gamma = p.split((8, 1, 1, 3, 1), -1)
            k = torch.tanh(k)
            if self.matrix:
                sim = (m @ k[..., None])[..., 0] / (m.norm(dim=-1) * k.norm(dim=-1, keepdim=True)).clamp(min=1e-8)
            else:
                sim = F.cosine_similarity(m, k[:, None], dim=-1)
            w = torch.softmax(F.softplus(beta) * sim, -1)
            g, s = torch.sigmoid(g), torch.softmax(s, -1)
            w = g * w + (1 - g) * old
            if self.matrix:
                n = w.shape[1]
                by = (torch.arange(n)[:, None] - torch.arange(n) + 1) % n
                turn = torch.where(by < 3, s[:, by.clamp(max=2)], torch.zeros((), dtype=s.dtype))
                w = torch.bmm(turn, w[..., None].to(turn.dtype))[..., 0]
            else:
                w = s[:, :1] * w.roll(-1, 1) + s[:, 1:2] * w + s[:, 2:] * w.roll(1, 1)
            w = w.float() ** (1 + F.softplus(gamma.float()))
            return (w / w.sum(-1, keepdim=True)).to(k.dtype)

        def forward(self, x):
            b = x.shape[0]
            m = self.memory.expand(b, -1, -1)
            h, c, r = (torch.zeros(b, n, dtype=x.dtype) for n in (24, 24, 8))
            wr = ww = torch.full((b, 7), 1 / 7, dtype=x.dtype)
            ys = []
            for t in range(x.shape[1]):
                h, c = self.cell(torch.cat([x[:, t], r.to(x.dtype)], -1), (h, c))
                ww = self.address(self.write(h), m, ww)
                e, a = self.erase(h).chunk(2, -1)
                m = m * (1 - ww[..., None] * torch.sigmoid(e)[:, None]) + ww[..., None] * torch.tanh(a)[:, None]
                wr = self.address(self.read(h), m, wr)
                r = torch.bmm(wr[:, None], m.to(wr.dtype))[:, 0] if self.matrix else (wr[..., None] * m).sum(1)
                ys.append(self.out(torch.cat([h, r.to(h.dtype)], -1)))
            return torch.stack(ys, 1)

    class DcnMix(nn.Module):
        """DCN-v2 whose crossings are mixtures of low-rank experts: a loop over experts, or einsum of their stacked weights"""
        def __init__(self, o):
            super().__init__()
            self.stacked = flash(o)
            self.fields = nn.ModuleList([nn.Embedding(n, 6) for n in (12, 7, 20, 5)])
            self.dense = nn.BatchNorm1d(6)
            self.u, self.v, self.c, self.bias = made(4, 30, 5), made(4, 30, 5), made(4, 5, 5), made(30)
            self.gates = many(lambda: nn.Linear(30, 1, bias=False), 4)
            self.deep = nn.Sequential(nn.Linear(30, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
            self.out = nn.Linear(46, 1)

        def crossed(self, i, x0, x):
            g = torch.softmax(torch.cat([f(x) for f in self.gates], -1), -1)
            u, v, c, b = self.u[i], self.v[i], self.c[i], self.bias[i]
            if self.stacked:
                y = torch.tanh(torch.einsum('bi,eir->ber', x, v))
                y = torch.tanh(torch.einsum('ber,eqr->beq', y, c))
                y = torch.einsum('beq,eiq->bei', y, u) + b
                return torch.einsum('be,bei->bi', g, x0[:, None] * y) + x
            ys = []
            for e in range(4):
                y = torch.tanh(torch.tanh(x @ v[e]) @ c[e].t())
                ys.append(x0 * (y @ u[e].t() + b))
            return (torch.stack(ys, -1) @ g[..., None].to(ys[0].dtype))[..., 0] + x

        def forward(self, ids, numbers):
            x0 = torch.cat([f(ids[:, i]) for i, f in enumerate(self.fields)] + [self.dense(numbers)], -1)
            x = x0
            for i in range(2):
                x = self.crossed(i, x0, x)
            return self.out(torch.cat([x, self.deep(x0)], -1))[:, 0]

    def dcnmix(o):
        y = torch.from_numpy(draw('clicks', o.seed).integers(0, 2, 8)).float()
        m = DcnMix(o)
        m.package = True
        ids = torch.stack([tokens(o, f'f{i}', 1, 8, 0, n)[0] for i, n in enumerate((12, 7, 20, 5))], 1)

        def loss(out):
            z = out.float()
            return F.binary_cross_entropy_with_logits(z, y) if o.loss != 'composed' else (F.softplus(z) - z * y).mean()
        return m, {'ids': ids, 'numbers': noise(o, 'numbers', 8, 6)}, loss

    class Cond(nn.Module):
        """a convolution whose kernel is a mixture of experts' (CondConv): all samples as groups of one call, or sample by sample"""
        def __init__(self, ci, co, k, one, stride=1):
            super().__init__()
            self.one, self.stride, self.pad = one, stride, k // 2
            self.weight, self.route = nn.Parameter(torch.zeros(3, co, ci, k, k)), nn.Linear(ci, 3)

        def forward(self, x):
            b = x.shape[0]
            r = torch.sigmoid(self.route(x.mean((2, 3))))
            if self.one:
                w = (r.to(x.dtype) @ self.weight.flatten(1).to(x.dtype)).view(-1, *self.weight.shape[2:])
                y = F.conv2d(x.reshape(1, -1, *x.shape[2:]), w, stride=self.stride, padding=self.pad, groups=b)
                return y.view(b, -1, *y.shape[2:])
            return torch.cat([F.conv2d(x[i:i + 1], (r[i, :, None, None, None, None] * self.weight).sum(0), stride=self.stride, padding=self.pad) for i in range(b)])

    class CondNet(nn.Module):
        def __init__(self, o):
            super().__init__()
            one = flash(o)
            self.stem, self.n0 = nn.Conv2d(3, 12, 3, 2, 1), nn.BatchNorm2d(12)
            self.a, self.na, self.b, self.nb = Cond(12, 16, 3, one), nn.BatchNorm2d(16), Cond(16, 24, 3, one, 2), nn.BatchNorm2d(24)
            self.c, self.nc, self.head = Cond(24, 24, 1, one), nn.BatchNorm2d(24), nn.Linear(24, 10)

        def forward(self, x):
            x = F.silu(self.n0(self.stem(x)))
            x = F.silu(self.na(self.a(x)))
            x = F.silu(self.nb(self.b(x)))
            return self.head((x + F.silu(self.nc(self.c(x)))).mean((2, 3)))

    class Llava(nn.Module):
        """a vision-language model: patches by a convolution or by a product, put among the tokens by a mask or by joining, queries of groups fused or not"""
        def __init__(self, o):
            super().__init__()
            self.written = flash(o)
            self.patch, self.places, self.nv = nn.Conv2d(3, 24, 4, 4), nn.Parameter(torch.zeros(4, 24)), nn.LayerNorm(24)
            self.vqkv, self.vo, self.vup, self.vdown, self.nw = nn.Linear(24, 72), nn.Linear(24, 24), nn.Linear(24, 48), nn.Linear(48, 24), nn.LayerNorm(24)
            self.p1, self.p2 = nn.Linear(24, 32), nn.Linear(32, 32)
            self.table, self.out, self.last = nn.Embedding(V, 32), nn.Linear(32, V, bias=False), Rms(32)
            self.n1, self.n2 = many(lambda: Rms(32)), many(lambda: Rms(32))
            self.q, self.k, self.v, self.o = many(lambda: nn.Linear(32, 32)), many(lambda: nn.Linear(32, 16)), many(lambda: nn.Linear(32, 16)), many(lambda: nn.Linear(32, 32, bias=False))
            self.gate, self.up, self.down = many(lambda: nn.Linear(32, 48, bias=False)), many(lambda: nn.Linear(32, 48, bias=False)), many(lambda: nn.Linear(48, 32, bias=False))

        def seen(self, image):
            if self.written:
                b = image.shape[0]
                x = image.view(b, 3, 2, 4, 2, 4).permute(0, 2, 4, 1, 3, 5).reshape(b, 4, 48)
                x = F.linear(x, self.patch.weight.flatten(1), self.patch.bias)
            else:
                x = self.patch(image).flatten(2).transpose(1, 2)
            x = x + self.places
            q, k, v = self.vqkv(self.nv(x)).unflatten(-1, (3, 3, 8)).permute(2, 0, 3, 1, 4)
            y = torch.softmax(q @ k.transpose(-1, -2) * 8 ** -0.5, -1).to(v.dtype) @ v if self.written else F.scaled_dot_product_attention(q, k, v)
            x = x + self.vo(y.transpose(1, 2).flatten(2))
            x = x + self.vdown(F.gelu(self.vup(self.nw(x)), approximate='tanh'))
            return self.p2(F.gelu(self.p1(x)))

        def forward(self, idx, image):
            seen = self.seen(image)
            x = self.table(idx)
            if self.written:
                x = torch.cat([x[:, :2], seen.to(x.dtype), x[:, 6:]], 1)
            else:
                where = torch.zeros_like(idx, dtype=torch.bool)
                where[:, 2:6] = True
                x = x.masked_scatter(where[..., None].expand_as(x), seen.to(x.dtype))
            n = x.shape[1]
            a = torch.arange(n)[:, None] / 100 ** (torch.arange(0, 8, 2) / 8)
            c, s = (t.repeat(1, 2) for t in (a.cos(), a.sin()))
            turn = lambda t: t * c.to(t.dtype) + torch.cat([-t[..., 4:], t[..., :4]], -1) * s.to(t.dtype)
            for i in range(2):
                y = self.n1[i](x)
                q, k, v = (f[i](y).unflatten(-1, (-1, 8)).transpose(1, 2) for f in (self.q, self.k, self.v))
                q, k = turn(q), turn(k)
                if self.written:
                    q = q.unflatten(1, (2, 2))
                    w = torch.einsum('bgrnd,bgmd->bgrnm', q, k).float() * 8 ** -0.5
                    w = torch.softmax(w + torch.zeros(n, n).masked_fill(later(n), float('-inf')), -1).to(v.dtype)
                    y = torch.einsum('bgrnm,bgmd->bgrnd', w, v).flatten(1, 2)
                else:
                    y = F.scaled_dot_product_attention(q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1), is_causal=True)
                x = x + self.o[i](y.transpose(1, 2).flatten(2))
                y = self.n2[i](x)
                x = x + self.down[i](F.silu(self.gate[i](y)) * self.up[i](y))
            return self.out(self.last(x))

    def llava(o):
        x = tokens(o, 'tokens')
        y = x.clone()
        y[:, 2:6] = -100
        m = Llava(o)
        return m, {'idx': x, 'image': noise(o, 'image', 2, 3, 8, 8)}, lambda out: cross_entropy(o, out, y, 1 + o.shift)

    class Transducer(nn.Module):
        """a transducer for speech (RNN-T): an encoder, a predictor, a joiner; the paths' sum row by row, or cell by cell"""
        def __init__(self, o):
            super().__init__()
            self.rows = flash(o)
            self.front, self.enc, self.table, self.pred = nn.Conv1d(10, 24, 3, 2, 1), nn.GRU(24, 24, batch_first=True), nn.Embedding(16, 24), nn.LSTM(24, 24, batch_first=True)
            self.je, self.jp, self.out = nn.Linear(24, 24), nn.Linear(24, 24, bias=False), nn.Linear(24, 16)

        def forward(self, x, y):
            e = self.enc(F.relu(self.front(x)).transpose(1, 2))[0]
            p = self.pred(self.table(F.pad(y, (1, 0))))[0]
            z = self.out(torch.tanh(self.je(e)[:, :, None] + self.jp(p)[:, None])).float()
            logp = F.log_softmax(z, -1)
            blank = logp[..., 0]
            emit = logp[:, :, :-1].gather(-1, y[:, None, :, None].expand(-1, logp.shape[1], -1, 1))[..., 0]
            T, U = blank.shape[1:]
            if self.rows:                                 # alpha of a frame: a running sum of emissions, and its logcumsumexp
                run = F.pad(emit.cumsum(-1), (1, 0))
                a = run[:, 0]
                for t in range(1, T):
                    a = torch.logcumsumexp(a + blank[:, t - 1] - run[:, t], -1) + run[:, t]
                return -(a[:, -1] + blank[:, -1, -1])
            last = None
            for t in range(T):
                row = []
                for u in range(U):
                    ways = ([last[u] + blank[:, t - 1, u]] if t else []) + ([row[-1] + emit[:, t, u - 1]] if u else [])
                    row.append(torch.zeros_like(blank[:, 0, 0]) if not ways else ways[0] if len(ways) == 1 else torch.logaddexp(*ways))
                last = row
            return -(last[-1] + blank[:, -1, -1])

    def transducer(o):
        m = Transducer(o)
        m.package = True
        return m, {'x': noise(o, 'mel', 2, 10, 10), 'y': tokens(o, 'labels', 2, 3, 1, 16)}, lambda out: out.mean() / 5

    # libraries and packages

    def higgs(o):
        """tokens of text and frames of eight codebooks, whose places a mask gives"""
        import transformers
        c = transformers.HiggsAudioV2Config(vocab_size=V, hidden_size=48, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=12, max_position_embeddings=64, pad_token_id=0, eos_token_id=2,
                                            num_codebooks=3, codebook_size=20, audio_token_id=3, audio_bos_token_id=1, audio_delay_token_id=2, audio_stream_bos_id=18, audio_stream_eos_id=19, rope_parameters={'rope_type': 'llama3', 'factor': 4.0, 'rope_theta': 10000.0, 'high_freq_factor': 0.5, 'low_freq_factor': 0.125, 'original_max_position_embeddings': 16})
        c._attn_implementation = o.attn
        m = transformers.HiggsAudioV2ForConditionalGeneration(c)
        x, y = tokens(o, 'tokens'), torch.from_numpy(draw('codes', o.seed).integers(0, 20, (2, 5, 3)))
        x[:, 6:] = 3

        def loss(out):
            return hidden(o, out.logits)
        return m, {'input_ids': x, 'audio_input_ids': y, 'audio_input_ids_mask': torch.ones(2, 5, dtype=torch.bool), 'use_cache': False}, loss

    def hunyuanvideo15(o):
        return diffuser('HunyuanVideo15Transformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 9, 2, 4, 4), 'timestep': torch.tensor([301.0]), 'encoder_hidden_states': noise(o, 'text', 1, 6, 20), 'encoder_attention_mask': torch.tensor([[1, 1, 1, 1, 0, 0]]),
                        'encoder_hidden_states_2': noise(o, 'glyphs', 1, 4, 16), 'encoder_attention_mask_2': torch.tensor([[1, 1, 1, 0]]), 'image_embeds': noise(o, 'frame', 1, 3, 12)},
                        in_channels=9, out_channels=4, num_attention_heads=4, attention_head_dim=12, num_layers=2, num_refiner_layers=1, mlp_ratio=2.0, text_embed_dim=20, text_embed_2_dim=16, image_embed_dim=12, rope_axes_dim=(4, 4, 4), target_size=32)(h.sdpa(o))

    def helios(o):
        return diffuser('HeliosTransformer3DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 2, 4, 4), 'timestep': torch.tensor([301]), 'encoder_hidden_states': noise(o, 'text', 1, 6, 20), 'indices_hidden_states': torch.arange(7, 9)[None], 'indices_latents_history_short': torch.arange(6, 7)[None],
                        'indices_latents_history_mid': torch.arange(4, 6)[None], 'indices_latents_history_long': torch.arange(4)[None], 'latents_history_short': noise(o, 'short', 1, 4, 1, 4, 4), 'latents_history_mid': noise(o, 'mid', 1, 4, 2, 4, 4), 'latents_history_long': noise(o, 'long', 1, 4, 4, 8, 8)},
                        num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=4, text_dim=20, freq_dim=16, ffn_dim=64, num_layers=2, rope_dim=(4, 4, 4))(h.sdpa(o))

    class MixAttn(nn.Module):
        """tokens routed to experts of attention by coordinate descent, beside local attention"""
        def __init__(self, o):
            super().__init__()
            A = get('mixture_of_attention', 'MixtureOfAutoregressiveAttention') if o.experts else get('mixture_of_attention', 'MixtureOfAttention')
            self.table, self.places, self.out = nn.Embedding(V, 32), nn.Embedding(16, 32), nn.Linear(32, V)
            self.a = many(lambda: A(32, num_routed_queries=4, num_routed_key_values=6, num_experts=2, dim_head=8, heads=4, use_triton=False, flash_attn=flash(o), local_attn=True, local_attn_window_size=4))
            self.norm, self.up, self.down = many(lambda: nn.LayerNorm(32)), many(lambda: nn.Linear(32, 64)), many(lambda: nn.Linear(64, 32))

        def forward(self, idx):
            x = self.table(idx) + self.places(torch.arange(idx.shape[1]))
            for i in range(2):
                x = x + self.a[i](x)
                x = x + self.down[i](F.gelu(self.up[i](self.norm[i](x))))
            return self.out(x)

    def mixattn(o):
        h.path()
        y = tokens(o, 'labels', s=16)
        m = MixAttn(o)
        m.package = True
        return m, {'idx': tokens(o, 'tokens', s=16)}, lambda out: cross_entropy(o, out, y, 0)

    def bsroformer(o):
        import sys, types
        sys.modules.setdefault('librosa', types.ModuleType('librosa')).filters = None  # what another model of the package imports
        make = lambda o: get('bs_roformer', 'BSRoformer')(dim=24, depth=1, time_transformer_depth=1, freq_transformer_depth=1, dim_head=8, heads=3, freqs_per_bands=(3, 5, 9), dim_freqs_in=17, stft_n_fft=32, stft_hop_length=8, stft_win_length=32, mask_estimator_depth=1, flash_attn=flash(o), num_residual_streams=2)
        return reg(make, lambda o: {'x': noise(o, 'wave', 1, 64)}, lambda net, x: net(x))(o)

    def conditionaldetr(o):
        import transformers
        b = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type='basic', out_features=['stage2'])
        c = transformers.ConditionalDetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=b, num_queries=5, encoder_layers=1, encoder_ffn_dim=48, encoder_attention_heads=4, decoder_layers=2, decoder_ffn_dim=48, decoder_attention_heads=4, d_model=32, dropout=0.0, num_labels=5)
        m = transformers.ConditionalDetrForObjectDetection(c)
        for l in m.modules():
            if hasattr(l, 'config') and 'ResNet' not in type(l.config).__name__:
                l.config._attn_implementation = o.attn
        return h.Call(m, lambda net, x: (lambda r: torch.cat([r.logits, r.pred_boxes], -1))(net(pixel_values=x))), {'x': noise(o, 'image', 2, 3, 32, 32)}, lambda out: hidden(o, out)

    M.update({
    'higgs': higgs, 'hunyuanvideo15': hunyuanvideo15, 'helios': helios, 'mixattn': mixattn, 'bsroformer': bsroformer, 'conditionaldetr': conditionaldetr,
    'mlamoe': lm(MlaMoe), 'ttt': lm(Ttt), 'fox': lm(Fox), 'based': lm(Based), 'smear': lm(Smear), 'dcnmix': dcnmix, 'llavaport': llava, 'transducer': transducer,
    'ntm': reg(Ntm, lambda o: {'x': noise(o, 'series', 3, 5, 6)}, lambda net, x: net(x)),
    'condconv': h.pic(CondNet, 16, 4),
    })
