"""Architectures of packages from PyPI: practice for the sixteenth set, and that set. The environment's PACKAGES is the folder they were
installed to (pip install --target)."""
import os, sys, types
PIP = os.environ.get('PACKAGES', '')


def add(models):
    import torch, importlib
    from torch import nn
    import torch.nn.functional as F
    from models import hidden, draw, classified, DIM, GQA, TOK, ENC, VIT, V, S, regressed, diffuser, image, speech, noise, tokens, configured, cross_entropy, masked, translated
    C, M = models.CAUSAL, models.MODELS

    def path(stub=False):
        if PIP not in sys.path:
            sys.path.append(PIP)
        if stub:                                          # torchaudio's Python alone; its library is built for another torch
            for n in ('torchaudio', 'torchaudio.models'):
                m = types.ModuleType(n)
                m.__path__ = [f'{PIP}/' + n.replace('.', '/')]
                m.__spec__ = importlib.machinery.ModuleSpec(n, None)
                sys.modules[n] = m

    def get(module, cls, stub=False, **missing):
        path(stub)
        found = importlib.import_module(module)
        found.__dict__.update(missing)                    # modules that a package forgot to import
        return getattr(found, cls)

    class Call(nn.Module):
        """a module called with arguments by place, or whose result is picked"""
        def __init__(self, net, f):
            super().__init__()
            self.net, self.f, self.package = net, f, True

        def forward(self, **k):
            return self.f(self.net, **k)

    def lm(make, shift=1, f=None):
        """logits of tokens, next ones wanted"""
        def build(o):
            path()
            m, x = make(o), tokens(o, 'tokens')
            return Call(m, f or (lambda net, x: net(x))), {'x': x}, lambda out: cross_entropy(o, out, x, shift + o.shift)
        return build

    def pic(make, size, b=2, ch=3, f=None, classes=10):
        def build(o):
            path()
            y = torch.from_numpy(draw('class', o.seed).integers(0, classes, b))
            return Call(make(o), f or (lambda net, x: net(x))), {'x': noise(o, 'image', b, ch, *([size, size] if isinstance(size, int) else size))}, lambda out: cross_entropy(o, out, y, 0)
        return build

    def reg(make, inputs, f):
        """the mean square distance of what f returns"""
        def build(o):
            path()
            return Call(make(o), f), inputs(o), lambda out: hidden(o, out)
        return build

    def seg(make, size, b=2, ch=1, classes=2, f=None):
        """a class of each cell"""
        def build(o):
            path()
            x = noise(o, 'image', b, ch, *size)
            y = torch.from_numpy(draw('cells', o.seed).integers(0, classes, (b, *size)))
            return Call(make(o), f or (lambda net, x: net(x))), {'x': x}, lambda out: F.cross_entropy(out.float(), y)
        return build
    flash = lambda o: o.attn != 'eager'

    # practice
    def xtrot(o):
        X, D = get('x_transformers', 'TransformerWrapper'), get('x_transformers', 'Decoder')
        return X(num_tokens=V, max_seq_len=32, attn_layers=D(dim=48, depth=2, heads=4, attn_dim_head=12, rotary_pos_emb=True, attn_flash=flash(o), ff_glu=True, ff_swish=True, ff_no_bias=True, use_rmsnorm=True, attn_kv_heads=2))

    class StMoe(nn.Module):
        def __init__(self, o):
            super().__init__()
            self.table = nn.Embedding(V, 32)
            MoE, Block = get('st_moe_pytorch', 'MoE'), get('st_moe_pytorch', 'SparseMoEBlock')
            self.layers = nn.ModuleList([Block(MoE(dim=32, num_experts=4, expert_hidden_mult=2, gating_top_n=2, threshold_train=0.0, capacity_factor_train=4.0), add_ff_before=True, add_ff_after=i > 0) for i in range(2)])
            self.out = nn.Linear(32, V)

        def forward(self, x):
            h, aux = self.table(x), 0
            for l in self.layers:
                h, a, *_ = l(h)
                aux = aux + a
            return self.out(h) + aux * 0.1

    def egnn(o):
        def f(net, x, coors, mask):
            feats, c = net(x, coors, mask=mask)
            return torch.cat([feats, c], -1)
        make = lambda o: get('egnn_pytorch', 'EGNN_Network')(num_tokens=20, dim=24, depth=2, num_nearest_neighbors=5, m_dim=12, norm_coors=True, coor_weights_clamp_value=2.0, fourier_features=2)
        return reg(make, lambda o: {'x': tokens(o, 'tokens', 2, 12, 0, 20), 'coors': noise(o, 'coors', 2, 12, 3), 'mask': torch.ones(2, 12, dtype=torch.bool)}, f)(o)

    def schnet(o):
        class Edges(nn.Module):
            def forward(self, pos, batch):
                n = pos.shape[0]
                i, j = torch.meshgrid(torch.arange(n), torch.arange(n), indexing='ij')
                keep = (batch[i] == batch[j]) & (i != j)
                e = torch.stack([j[keep], i[keep]])
                return e, (pos[e[0]] - pos[e[1]]).pow(2).sum(-1).sqrt()
        make = lambda o: get('torch_geometric.nn.models', 'SchNet')(hidden_channels=32, num_filters=32, num_interactions=2, num_gaussians=12, cutoff=6.0, interaction_graph=Edges())
        return reg(make, lambda o: {'z': tokens(o, 'atoms', 1, 12, 1, 9)[0], 'pos': 1.5 * noise(o, 'pos', 12, 3), 'batch': torch.tensor([0] * 7 + [1] * 5)}, lambda net, z, pos, batch: net(z, pos, batch))(o)

    def fttransformer(o):
        make = lambda o: get('rtdl_revisiting_models', 'FTTransformer')(n_cont_features=6, cat_cardinalities=[4, 7, 3], d_out=5, n_blocks=2, d_block=32, attention_n_heads=4, attention_dropout=0.0, ffn_d_hidden=40, ffn_d_hidden_multiplier=None, ffn_dropout=0.0, residual_dropout=0.0)
        y = torch.from_numpy(draw('class', o.seed).integers(0, 5, 6))
        path()
        cat = torch.stack([tokens(o, f'cat{i}', 1, 6, 0, n)[0] for i, n in enumerate((4, 7, 3))], 1)
        return Call(make(o), lambda net, x, cat: net(x, cat)), {'x': noise(o, 'num', 6, 6), 'cat': cat}, lambda out: cross_entropy(o, out, y, 0)

    def detr(o):
        import transformers
        b = transformers.ResNetConfig(num_channels=3, embedding_size=16, hidden_sizes=[16, 24], depths=[1, 1], layer_type='basic', out_features=['stage2'])
        c = transformers.DetrConfig(backbone_config=b, use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, num_queries=6, dropout=0.0, attention_dropout=0.0, activation_dropout=0.0, num_labels=5)
        m = transformers.DetrForObjectDetection(c)
        for l in m.modules():
            if hasattr(l, 'config') and 'ResNet' not in type(l.config).__name__:
                l.config._attn_implementation = o.attn
        return Call(m, lambda net, x: (lambda r: torch.cat([r.logits, r.pred_boxes], -1))(net(pixel_values=x))), {'x': noise(o, 'image', 2, 3, 64, 64)}, lambda out: hidden(o, out)

    M.update({
    'xtrot': lm(xtrot),
    'simplevit': pic(lambda o: get('vit_pytorch.simple_vit', 'SimpleViT')(image_size=16, patch_size=4, num_classes=10, dim=48, depth=2, heads=4, mlp_dim=64, dim_head=12), 16),
    'crossformer': pic(lambda o: get('vit_pytorch.crossformer', 'CrossFormer')(num_classes=10, dim=(32, 32, 64, 64), depth=(1, 1, 1, 1), global_window_size=(4, 2, 2, 1), local_window_size=(2, 2, 2, 1)), 64),
    'attunet': seg(lambda o: get('monai.networks.nets', 'AttentionUnet')(spatial_dims=3, in_channels=1, out_channels=2, channels=(8, 12, 16), strides=(2, 2)), (8, 8, 8)),
    'ecapa': pic(lambda o: nn.Sequential(get('speechbrain.lobes.models.ECAPA_TDNN', 'ECAPA_TDNN', True)(input_size=16, lin_neurons=16, channels=[16, 16, 16, 16, 48], attention_channels=8, res2net_scale=4, se_channels=8), nn.Flatten(), nn.Linear(16, 10)), 0, f=lambda net, x: net(x)),
    'convtasnet': reg(lambda o: get('torchaudio.models.conv_tasnet', 'ConvTasNet', True)(num_sources=2, enc_kernel_size=8, enc_num_feats=16, msk_kernel_size=3, msk_num_feats=16, msk_num_hidden_feats=24, msk_num_layers=2, msk_num_stacks=2), lambda o: {'x': noise(o, 'speech', 2, 1, 160)}, lambda net, x: net(x)),
    'linattn': lm(lambda o: get('linear_attention_transformer', 'LinearAttentionTransformerLM')(num_tokens=V, dim=48, heads=4, depth=2, max_seq_len=16, causal=True, n_local_attn_heads=2, local_attn_window_size=4, blindspot_size=1), f=lambda net, x: net(F.pad(x, (0, 5)))[:, :11]),
    'fttransformer': fttransformer,
    'stmoe': lm(StMoe),
    'egnn': egnn,
    'schnet': schnet,
    'hourglass': lm(lambda o: get('hourglass_transformer_pytorch.hourglass_transformer_pytorch', 'HourglassTransformerLM', math=__import__('math'))(num_tokens=V, dim=48, max_seq_len=16, depth=(1, 2, 1), shorten_factor=2, heads=4, dim_head=12)),
    'fno': reg(lambda o: get('neuralop.models', 'FNO')(n_modes=(6, 6), in_channels=2, out_channels=1, hidden_channels=16, n_layers=2), lambda o: {'x': noise(o, 'field', 2, 2, 12, 12)}, lambda net, x: net(x)),
    'tvmaxvit': lambda o: classified(o, importlib.import_module('torchvision.models.maxvit').MaxVit(input_size=(32, 32), stem_channels=8, partition_size=2, block_channels=[8, 16], block_layers=[1, 1], head_dim=8, stochastic_depth_prob=0.0, num_classes=10), 32),
    'smpunet': seg(lambda o: get('segmentation_models_pytorch', 'Unet')(encoder_name='tu-test_resnet', encoder_weights=None, encoder_depth=3, decoder_channels=(32, 16, 16), decoder_attention_type='scse', classes=3), (32, 32), ch=3, classes=3),
    'detr': detr,
    })
    M['ecapa'] = lambda o: (lambda m: (m, {'x': noise(o, 'mel', 2, 20, 16)}, lambda out: cross_entropy(o, out, torch.tensor([3, 7]), 0)))((path(), Call(nn.ModuleDict(dict(e=get('speechbrain.lobes.models.ECAPA_TDNN', 'ECAPA_TDNN', True)(input_size=16, lin_neurons=16, channels=[16, 16, 16, 16, 48], attention_channels=8, res2net_scale=4, se_channels=8), head=nn.Linear(16, 10))), lambda net, x: net['head'](net['e'](x)[:, 0])))[1])
    if os.environ.get('PRELOAD'):                         # once, before recordings are forked
        path()
        for n in ('torch_geometric.nn', 'open_clip.coca_model', 'ultralytics.nn.tasks', 'deepctr_torch.models', 'kornia.feature.loftr.loftr_module', 'monai.networks.nets', 'nflows.flows', 'nflows.nn.nets', 'minGRU_pytorch.minLM', 'MEGABYTE_pytorch', 'mixture_of_experts', 'PEER_pytorch', 'gateloop_transformer', 'local_attention', 'tab_transformer_pytorch', 'h_transformer_1d', 'vit_pytorch.regionvit', 'vit_pytorch.vit_5', 'invariant_point_attention', 'graph_transformer_pytorch', 'lambda_networks'):
            try:
                importlib.import_module(n)
            except Exception as e:
                print('preload', n, e)
    made = types.SimpleNamespace(**{k: v for k, v in locals().items()})
    add_sixteenth(models, made)
    import models_layers, models_ports, models_ports_more
    models_layers.add(models, made)
    models_ports.add(models, made)
    models_ports_more.add(models, made)


def add_sixteenth(models, h):
    """the sixteenth set, with what add() has made"""
    import torch, importlib, math, types
    from torch import nn
    import torch.nn.functional as F
    from models import hidden, draw, classified, V, S, diffuser, image, speech, noise, tokens, configured, cross_entropy, DIM, GQA, TOK
    M, get, lm, pic, reg, seg, Call, path, flash = models.MODELS, h.get, h.lm, h.pic, h.reg, h.seg, h.Call, h.path, h.flash

    class MoeTop2(nn.Module):
        """GShard's experts: two by softmax, capacity, dispatch and combine as one-hot products"""
        def __init__(self, o):
            super().__init__()
            MoE = get('mixture_of_experts', 'MoE')
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.norms = nn.ModuleList([nn.LayerNorm(32) for _ in range(2)])
            self.moes = nn.ModuleList([MoE(32, num_experts=4, hidden_dim=48, activation=nn.GELU, second_policy_train='all', capacity_factor_train=4.0) for _ in range(2)])
            self.mix = nn.ModuleList([nn.Linear(64, 32) for _ in range(2)])

        def forward(self, x):
            h, aux = self.table(x), 0
            for n, moe, mix in zip(self.norms, self.moes, self.mix):
                h = h + mix(torch.cat([h, F.pad(h, (0, 0, 1, 0))[:, :-1]], -1))
                y, a = moe(n(h))
                h, aux = h + y, aux + a
            return self.out(h) + aux

    class Peer(nn.Module):
        """a million small experts (here 64) picked by product keys"""
        def __init__(self, o):
            super().__init__()
            P = get('PEER_pytorch', 'PEER')
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.mix = nn.ModuleList([nn.Linear(64, 32) for _ in range(2)])
            self.peers = nn.ModuleList([P(dim=32, heads=2, num_experts=64, num_experts_per_head=4, dim_key=8, pre_rmsnorm=True) for _ in range(2)])

        def forward(self, x):
            h = self.table(x)
            for mix, p in zip(self.mix, self.peers):
                h = h + torch.tanh(mix(torch.cat([h, F.pad(h, (0, 0, 1, 0))[:, :-1]], -1)))
                h = h + p(h)
            return self.out(h)

    class Ipa(nn.Module):
        """AlphaFold's structure module in small: frames from quaternions"""
        def __init__(self, o):
            super().__init__()
            B = get('invariant_point_attention', 'IPABlock')
            self.table, self.pair = nn.Embedding(20, 32), nn.Embedding(17, 12)
            self.blocks = nn.ModuleList([B(dim=32, heads=4, pairwise_repr_dim=12, scalar_key_dim=8, scalar_value_dim=8, point_key_dim=4, point_value_dim=4) for _ in range(2)])
            self.update = nn.ModuleList([nn.Linear(32, 6) for _ in range(2)])

        def rotation(self, q):
            r, i, j, k = q.unbind(-1)
            s = 2.0 / (q * q).sum(-1)
            return torch.stack([1 - s * (j * j + k * k), s * (i * j - k * r), s * (i * k + j * r), s * (i * j + k * r), 1 - s * (i * i + k * k), s * (j * k - i * r), s * (i * k - j * r), s * (j * k + i * r), 1 - s * (i * i + j * j)], -1).unflatten(-1, (3, 3))

        def forward(self, x, places):
            h, n = self.table(x), x.shape[1]
            p = self.pair(torch.arange(n)[:, None] - torch.arange(n) + 8)[None].expand(x.shape[0], -1, -1, -1)
            turn = torch.eye(3).expand(*x.shape, 3, 3).to(h.dtype)
            for b, u in zip(self.blocks, self.update):
                h = b(h, pairwise_repr=p, rotations=turn.detach(), translations=places)
                q, t = u(h).float().split(3, -1)
                turn = turn @ self.rotation(F.pad(q, (1, 0), value=1.0)).to(turn.dtype)
                places = places + (turn @ t.to(turn.dtype)[..., None])[..., 0]
            return places

    def ipa(o):
        return reg(Ipa, lambda o: {'x': tokens(o, 'tokens', 2, 9, 0, 20), 'places': noise(o, 'places', 2, 9, 3)}, lambda net, x, places: net(x, places))(o)

    def tabtransformer(o):
        path()
        m = get('tab_transformer_pytorch', 'TabTransformer')(categories=(4, 7, 3), num_continuous=5, dim=32, depth=2, heads=4, dim_head=8, dim_out=5, num_residual_streams=1, mlp_act=nn.ReLU())
        y = torch.from_numpy(draw('class', o.seed).integers(0, 5, 6))
        cat = torch.stack([tokens(o, f'cat{i}', 1, 6, 0, n)[0] for i, n in enumerate((4, 7, 3))], 1)
        return Call(m, lambda net, x, cat: net(cat, x)), {'x': noise(o, 'num', 6, 5), 'cat': cat}, lambda out: cross_entropy(o, out, y, 0)

    def autoint(o):
        path()
        from deepctr_torch.inputs import SparseFeat, DenseFeat
        columns = [SparseFeat(f's{i}', n, embedding_dim=16) for i, n in enumerate((7, 11, 5, 9))] + [DenseFeat(f'd{i}', 1) for i in range(3)]
        m = get('deepctr_torch.models', 'AutoInt')(columns, columns, att_layer_num=2, att_head_num=2, dnn_hidden_units=(32, 24), dnn_use_bn=True)
        x = torch.cat([torch.stack([tokens(o, f's{i}', 1, 8, 0, n)[0] for i, n in enumerate((7, 11, 5, 9))], 1).float(), noise(o, 'dense', 8, 3)], 1)
        y = torch.from_numpy(draw('click', o.seed).integers(0, 2, (8, 1))).float()
        return Call(m, lambda net, x: net(x)), {'x': x}, lambda out: F.binary_cross_entropy(out.float(), y)

    class Gps(nn.Module):
        """message passing beside attention over all nodes of a graph"""
        def __init__(self, o):
            super().__init__()
            G, GINE = get('torch_geometric.nn', 'GPSConv'), get('torch_geometric.nn', 'GINEConv')
            self.node, self.edge = nn.Embedding(12, 32), nn.Embedding(4, 32)
            self.convs = nn.ModuleList([G(32, GINE(nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 32))), heads=4) for _ in range(2)])
            self.pool = get('torch_geometric.nn', 'global_add_pool')
            self.head = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 5))

        def forward(self, x, edges, kinds, batch):
            h, e = self.node(x), self.edge(kinds)
            for c in self.convs:
                h = c(h, edges, batch, edge_attr=e)
            return self.head(self.pool(h, batch))

    def gps(o):
        path()
        r = draw('edges', o.seed)
        e = torch.from_numpy(r.integers(0, 8, (2, 24)))
        e = torch.cat([e, 8 + torch.from_numpy(r.integers(0, 5, (2, 14)))], 1)
        batch = torch.tensor([0] * 8 + [1] * 5)
        y = torch.tensor([1, 4])
        return Gps(o), {'x': tokens(o, 'nodes', 1, 13, 0, 12)[0], 'edges': e, 'kinds': torch.from_numpy(r.integers(0, 4, 38)), 'batch': batch}, lambda out: cross_entropy(o, out, y, 0)

    def sepformer(o):
        def make(o):
            Block, Dual = get('speechbrain.lobes.models.dual_path', 'SBTransformerBlock', True), get('speechbrain.lobes.models.dual_path', 'Dual_Path_Model', True)
            block = lambda: Block(num_layers=1, d_model=16, nhead=2, d_ffn=24, dropout=0.0, use_positional_encoding=True, norm_before=True)
            return nn.ModuleDict(dict(enc=nn.Conv1d(1, 16, 8, 4, bias=False), mask=Dual(16, 16, block(), block(), num_layers=2, K=10, num_spks=2, norm='ln', linear_layer_after_inter_intra=False), dec=nn.ConvTranspose1d(16, 1, 8, 4, bias=False)))

        def f(net, x):
            h = F.relu(net['enc'](x))
            m = net['mask'](h)
            return torch.stack([net['dec'](h * m[i]) for i in range(2)])
        return reg(make, lambda o: {'x': noise(o, 'speech', 1, 1, 160)}, f)(o)

    def emformer(o):
        make = lambda o: get('torchaudio.models.emformer', 'Emformer', True)(32, 4, 48, 2, 4, left_context_length=4, right_context_length=2, max_memory_size=2, activation='gelu', tanh_on_mem=True)
        return reg(make, lambda o: {'x': noise(o, 'mel', 2, 14, 32), 'lengths': torch.tensor([14, 14])}, lambda net, x, lengths: net(x, lengths)[0])(o)

    def spline(o):
        """a rational-quadratic spline flow: its negative log-likelihood"""
        def make(o):
            T = importlib.import_module('nflows.transforms')
            F_, D, N = importlib.import_module('nflows.flows'), importlib.import_module('nflows.distributions'), importlib.import_module('nflows.nn.nets')
            net = lambda i, out: N.ResidualNet(i, out, hidden_features=24, num_blocks=1)
            layers = []
            for k in range(2):
                layers += [T.PiecewiseRationalQuadraticCouplingTransform(mask=[(j + k) % 2 for j in range(6)], transform_net_create_fn=net, num_bins=4, tails='linear', tail_bound=3.0), T.LULinear(6)]
            return F_.Flow(T.CompositeTransform(layers), D.StandardNormal([6]))
        path()
        return Call(make(o), lambda net, x: net.log_prob(x)), {'x': noise(o, 'points', 12, 6)}, lambda out: -out.float().mean()

    def yolo(o):
        path()
        from ultralytics.nn.tasks import DetectionModel
        from ultralytics.utils import IterableSimpleNamespace
        cfg = {'nc': 4, 'ch': 3, 'backbone': [[-1, 1, 'Conv', [16, 3, 2]], [-1, 1, 'Conv', [16, 3, 2]], [-1, 1, 'C2f', [16, True]], [-1, 1, 'Conv', [32, 3, 2]], [-1, 1, 'SPPF', [32, 5]]],
               'head': [[-1, 1, 'nn.Upsample', [None, 2, 'nearest']], [[-1, 2], 1, 'Concat', [1]], [-1, 1, 'C2f', [16]], [-1, 1, 'Conv', [16, 3, 2]], [[-1, 4], 1, 'Concat', [1]], [-1, 1, 'C2f', [32]], [[7, 10], 1, 'Detect', ['nc']]], 'scales': {'n': [1.0, 1.0, 1024]}, 'scale': 'n'}
        m = DetectionModel(cfg, ch=3, nc=4, verbose=False)
        m.args = IterableSimpleNamespace(box=7.5, cls=0.5, dfl=1.5)
        batch = {'batch_idx': torch.tensor([0., 0., 1.]), 'cls': torch.tensor([[1.], [3.], [0.]]), 'bboxes': torch.tensor([[0.4, 0.5, 0.4, 0.3], [0.7, 0.3, 0.2, 0.4], [0.5, 0.5, 0.6, 0.5]])}
        return Call(m, lambda net, x: net.loss({'img': x, **batch})[0]), {'x': noise(o, 'image', 2, 3, 64, 64)}, lambda out: out.sum()

    def loftr(o):
        def make(o):
            L = get('kornia.feature.loftr.loftr_module', 'LocalFeatureTransformer')
            return L({'d_model': 32, 'nhead': 4, 'layer_names': ['self', 'cross'], 'attention': 'linear'})
        return reg(make, lambda o: {'a': noise(o, 'left', 2, 12, 32), 'b': noise(o, 'right', 2, 16, 32)}, lambda net, a, b: (lambda r: torch.softmax(torch.einsum('nlc,nsc->nls', *r) / 8, 1) * torch.softmax(torch.einsum('nlc,nsc->nls', *r) / 8, 2))(net(a, b)))(o)

    def forecast(module, cls):
        path()
        import sys
        for n in ('neuralforecast', 'neuralforecast.models', 'neuralforecast.common'):  # their __init__ wants ray
            m = types.ModuleType(n)
            m.__path__ = [f'{PIP}/' + n.replace('.', '/')]
            m.__spec__ = importlib.machinery.ModuleSpec(n, None)
            sys.modules[n] = m
        return getattr(importlib.import_module('neuralforecast.models.' + module), cls)

    h.forecast = forecast

    def tft(o):
        def make(o):
            N = forecast('tft', 'TFT')
            return N(h=4, input_size=12, hidden_size=16, n_head=4, dropout=0.0, attn_dropout=0.0, futr_exog_list=['f0', 'f1'], hist_exog_list=['h0'], stat_exog_list=['s0', 's1'])
        return reg(make, lambda o: {'y': noise(o, 'series', 3, 12, 1), 'future': noise(o, 'future', 3, 16, 2), 'past': noise(o, 'past', 3, 12, 1), 'static': noise(o, 'static', 3, 2)},
                   lambda net, y, future, past, static: net({'insample_y': y, 'futr_exog': future, 'hist_exog': past, 'stat_exog': static}))(o)

    def nhits(o):
        def make(o):
            return forecast('nhits', 'NHITS')(h=8, input_size=24, mlp_units=[[24, 24]] * 3)
        return reg(make, lambda o: {'y': noise(o, 'series', 4, 24, 1), 'mask': torch.ones(4, 24, 1)}, lambda net, y, mask: net({'insample_y': y, 'insample_mask': mask, 'futr_exog': None, 'hist_exog': None, 'stat_exog': None}))(o)

    def timesnet(o):
        def make(o):
            return forecast('timesnet', 'TimesNet')(h=4, input_size=12, hidden_size=16, conv_hidden_size=16, top_k=2, num_kernels=2, encoder_layers=2, dropout=0.0)
        return reg(make, lambda o: {'y': noise(o, 'series', 3, 12, 1)}, lambda net, y: net({'insample_y': y, 'futr_exog': None, 'hist_exog': None, 'stat_exog': None}))(o)

    def defdetr(o):
        import transformers
        b = transformers.ResNetConfig(num_channels=3, embedding_size=16, hidden_sizes=[16, 24, 32], depths=[1, 1, 1], layer_type='basic', out_features=['stage2', 'stage3'])
        c = transformers.DeformableDetrConfig(backbone_config=b, use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, d_model=32, encoder_layers=1, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, num_queries=6, dropout=0.0, attention_dropout=0.0, activation_dropout=0.0, num_labels=5, num_feature_levels=2, encoder_n_points=2, decoder_n_points=2, disable_custom_kernels=True)
        m = transformers.DeformableDetrForObjectDetection(c)
        return Call(m, lambda net, x: (lambda r: torch.cat([r.logits, r.pred_boxes], -1))(net(pixel_values=x))), {'x': noise(o, 'image', 2, 3, 64, 64)}, lambda out: hidden(o, out)

    def raft(o):
        import importlib
        R = importlib.import_module('torchvision.models.optical_flow.raft')
        m = R._raft(weights=None, progress=False, feature_encoder_layers=(16, 16, 16, 24, 32), feature_encoder_block=R.ResidualBlock, feature_encoder_norm_layer=nn.InstanceNorm2d, context_encoder_layers=(16, 16, 16, 24, 40), context_encoder_block=R.ResidualBlock, context_encoder_norm_layer=nn.BatchNorm2d,
                    corr_block_num_levels=2, corr_block_radius=1, motion_encoder_corr_layers=(16, 16), motion_encoder_flow_layers=(16, 8), motion_encoder_out_channels=24, recurrent_block_hidden_state_size=24, recurrent_block_kernel_size=((1, 5), (5, 1)), recurrent_block_padding=((0, 2), (2, 0)), flow_head_hidden_size=16, use_mask_predictor=True)
        return Call(m, lambda net, a, b: net(a, b, num_flow_updates=2)[-1]), {'a': noise(o, 'first', 1, 3, 128, 128), 'b': noise(o, 'second', 1, 3, 128, 128)}, lambda out: hidden(o, out)

    def openclip(o):
        def make(o):
            C = get('open_clip.coca_model', 'CoCa')
            return C(embed_dim=48, multimodal_cfg=dict(width=48, heads=4, layers=1, context_length=8), text_cfg=dict(context_length=8, vocab_size=V, width=48, heads=4, layers=1, embed_cls=True, output_tokens=True), vision_cfg=dict(image_size=16, patch_size=4, width=48, layers=1, head_width=12, attentional_pool=True, attn_pooler_heads=4, output_tokens=True, attn_pooler_queries=5))
        path()

        def f(net, image, text):
            r = net(image, text)
            return torch.cat([r['logits'].flatten(1) * 0.2, r['image_features'], r['text_features']], 1)
        return Call(make(o), f), {'image': noise(o, 'image', 2, 3, 16, 16), 'text': tokens(o, 'tokens', 2, 8)}, lambda out: hidden(o, out)

    class HandCapsule(nn.Module):
        """capsules by dynamic routing: votes by broadcast products or one einsum"""
        def __init__(self, o):
            super().__init__()
            self.one = flash(o)
            self.stem, self.caps = nn.Conv2d(3, 16, 3, 2), nn.Conv2d(16, 24, 3)
            self.w = nn.Parameter(torch.zeros(6, 10, 8, 4))     # six kinds of capsules of four values, ten classes of eight
            self.out = nn.Linear(10, 10)

        def squash(self, v):
            n = v.float().pow(2).sum(-1, keepdim=True)
            return (n / (1 + n) * v / torch.sqrt(n + 1e-6)).to(v.dtype)

        def forward(self, x):
            u = self.caps(F.relu(self.stem(x)))
            b = u.shape[0]
            u = self.squash(u.view(b, 6, 4, -1).mean(-1))
            votes = torch.einsum('iocd,bid->bioc', self.w, u) if self.one else (self.w[None] * u[:, :, None, None]).sum(-1)
            logits = torch.zeros(b, 6, 10, dtype=votes.dtype)
            for k in range(3):
                c = torch.softmax(logits, -1)
                s = torch.einsum('bio,bioc->boc', c, votes) if self.one else (c[..., None] * votes).sum(1)
                v = self.squash(s)
                if k < 2:
                    logits = logits + (torch.einsum('bioc,boc->bio', votes, v) if self.one else (votes * v[:, None]).sum(-1))
            return self.out(v.pow(2).sum(-1).sqrt())

    class HandExpertChoice(nn.Module):
        """experts that pick their tokens: gathered and put back by index, or by one-hot products"""
        def __init__(self, o):
            super().__init__()
            self.hot = flash(o)
            self.table, self.out = nn.Embedding(V, 32), nn.Linear(32, V)
            self.norm = nn.ModuleList([nn.LayerNorm(32) for _ in range(2)])
            self.gate = nn.ModuleList([nn.Linear(32, 4, bias=False) for _ in range(2)])
            self.up = nn.ParameterList([nn.Parameter(torch.zeros(4, 32, 48)) for _ in range(2)])
            self.down = nn.ParameterList([nn.Parameter(torch.zeros(4, 48, 32)) for _ in range(2)])
            self.mix = nn.ModuleList([nn.GRU(32, 32, batch_first=True) for _ in range(2)])

        def forward(self, idx):
            x = self.table(idx)
            for n, g, up, down, mix in zip(self.norm, self.gate, self.up, self.down, self.mix):
                x = x + mix(x)[0]
                h = n(x)
                flat = h.reshape(-1, 32)
                p = torch.softmax(g(flat).float(), -1)
                w, i = torch.topk(p.t(), 8, dim=-1)         # four experts, eight tokens each
                if self.hot:
                    hot = F.one_hot(i, flat.shape[0]).to(flat.dtype)
                    y = torch.bmm(F.silu(torch.bmm(hot @ flat, up)), down) * w[..., None].to(flat.dtype)
                    y = torch.einsum('ekt,ekd->td', hot, y)
                else:
                    y = torch.zeros_like(flat)
                    for e in range(4):
                        z = F.silu(flat[i[e]] @ up[e]) @ down[e]
                        y = y.index_add(0, i[e], (z * w[e][:, None].to(z.dtype)).to(y.dtype))
                x = x + y.view_as(x)
            return self.out(x)

    class HandCrf(nn.Module):
        """a linear-chain CRF over a bidirectional GRU: the partition by a loop of logsumexp or by products of exponentials"""
        def __init__(self, o):
            super().__init__()
            self.prob = flash(o)
            self.table, self.rnn, self.emit = nn.Embedding(V, 24), nn.GRU(24, 16, batch_first=True, bidirectional=True), nn.Linear(32, 6)
            self.trans = nn.Parameter(torch.zeros(6, 6))
            self.start = nn.Parameter(torch.zeros(6))

        def forward(self, idx, tags):
            e = self.emit(self.rnn(self.table(idx))[0]).float()
            b, s, k = e.shape
            gold = self.start[tags[:, 0]] + e.gather(2, tags[..., None])[..., 0].sum(1) + self.trans[tags[:, :-1], tags[:, 1:]].sum(1)
            a = self.start + e[:, 0]
            t = torch.exp(self.trans.float()) if self.prob else None
            for i in range(1, s):
                if self.prob:
                    m = a.amax(-1, keepdim=True).detach()
                    a = m + torch.log(torch.exp(a - m) @ t) + e[:, i]
                else:
                    a = torch.logsumexp(a[:, :, None] + self.trans, 1) + e[:, i]
            return torch.logsumexp(a, -1) - gold

    def handcrf(o):
        return HandCrf(o), {'idx': tokens(o, 'tokens'), 'tags': tokens(o, 'tags', 2, S, 0, 6)}, lambda out: out.mean() / S

    class HandKan(nn.Module):
        """layers of B-splines: Cox and de Boor's recursion, or the cubic's pieces written out"""
        def __init__(self, o):
            super().__init__()
            self.closed = flash(o)
            self.base = nn.ModuleList([nn.Linear(8, 16), nn.Linear(16, 5)])
            self.c = nn.ParameterList([nn.Parameter(torch.zeros(16, 8, 8)), nn.Parameter(torch.zeros(5, 16, 8))])
            self.register_buffer('knots', torch.arange(-3, 9).float() * 0.4 - 1, persistent=False)

        def basis(self, x):
            x = x.float().clamp(-0.999, 0.999)[..., None]
            if self.closed:
                u = ((x - self.knots[:8]) / 0.4)
                a = (u - 2).abs()
                return torch.where(a < 1, 2 / 3 - a * a + a ** 3 / 2, torch.where(a < 2, (2 - a) ** 3 / 6, torch.zeros_like(a)))
            k = self.knots
            b = ((x >= k[:-1]) & (x < k[1:])).float()
            for d in range(1, 4):
                b = (x - k[:-d - 1]) / (k[d:-1] - k[:-d - 1]) * b[..., :-1] + (k[d + 1:] - x) / (k[d + 1:] - k[1:-d]) * b[..., 1:]
            return b

        def forward(self, x):
            for base, c in zip(self.base, self.c):
                b = self.basis(torch.tanh(x))
                x = base(F.silu(x)) + (torch.einsum('big,oig->bo', b, c.float()) if self.closed else b.flatten(1) @ c.float().flatten(1).t()).to(base.weight.dtype)
            return x

    def handkan(o):
        y = torch.from_numpy(draw('class', o.seed).integers(0, 5, 12))
        return HandKan(o), {'x': noise(o, 'features', 12, 8)}, lambda out: cross_entropy(o, out, y, 0)

    def dac(o):
        import transformers
        c = transformers.DacConfig(encoder_hidden_size=8, downsampling_ratios=[2, 4], decoder_hidden_size=32, upsampling_ratios=[4, 2], hidden_size=32, n_codebooks=2, codebook_size=16, codebook_dim=4, quantizer_dropout=0.0)
        m = transformers.DacModel(c)
        return Call(m, lambda net, x: (lambda r: r.audio_values.flatten() + r.loss.mean() * 0.1)(net(x, return_dict=True))), {'x': noise(o, 'speech', 2, 1, 160)}, lambda out: hidden(o, out)

    def chameleon(o):
        import transformers
        vq = dict(embed_dim=8, num_embeddings=16, latent_channels=8, resolution=16, in_channels=3, base_channels=32, channel_multiplier=[1, 1], num_res_blocks=1, attn_resolutions=None, attn_type='none')
        c = transformers.ChameleonConfig(**{**GQA, **TOK}, vocab_size=V, swin_norm=True, vq_config=vq, vocabulary_map={'<image>': 3, **{f'IMGIMG{chr(65 + i)}Z': 20 + i for i in range(16)}})
        c._attn_implementation = o.attn
        m = transformers.ChameleonForConditionalGeneration(c)
        m.model.vqmodel = None
        x = tokens(o, 'tokens')
        return m, {'input_ids': x, 'use_cache': False}, lambda out: cross_entropy(o, out.logits[..., :20], x.clamp(max=19), 1 + o.shift)

    M.update({
    'dac': dac,
    'chameleon': chameleon,
    'naflexvit': lambda o: (lambda t: (t.layers.set_fused_attn(o.attn != 'eager'), classified(o, importlib.import_module('timm.models.naflexvit').NaFlexVit(importlib.import_module('timm.models.naflexvit').NaFlexVitCfg(patch_size=4, embed_dim=48, depth=2, num_heads=4, mlp_ratio=2.0, pos_embed_grid_size=(4, 4), qkv_bias=False, rope_type='axial', swiglu_mlp=True, attn_type='rope', init_values=0.5), num_classes=10), 16))[1])(__import__('timm')),
    'megabyte': lm(lambda o: get('MEGABYTE_pytorch', 'MEGABYTE')(num_tokens=V, dim=(48, 32), depth=(1, 1), max_seq_len=(4, 3), dim_head=12, heads=4, flash_attn=flash(o)), shift=1, f=lambda net, x: net(x)),
    'mega': lm(lambda o: get('mega_pytorch', 'Mega')(num_tokens=V, dim=32, depth=2, ema_heads=8, attn_dim_qk=16, attn_dim_value=48, laplacian_attn_fn=True)),
    'mingru': lm(lambda o: get('minGRU_pytorch.minLM', 'minLM')(num_tokens=V, dim=32, depth=2, ff_mult=2, enable_conv=True, expansion=1.5)),
    'moetop2': lm(MoeTop2),
    'peer': lm(Peer),
    'gateloop': lm(lambda o: get('gateloop_transformer', 'Transformer')(dim=32, num_tokens=V, depth=2, dim_head=8, heads=4, ff_mult=2, checkpoint_gate_looped_attn=False)),
    'blockrec': lm(lambda o: get('block_recurrent_transformer_pytorch', 'BlockRecurrentTransformer')(num_tokens=V, dim=32, depth=2, dim_head=8, heads=4, ff_mult=2, max_seq_len=12, block_width=6, recurrent_layers=(2,), num_state_vectors=6, use_flash_attn=flash(o)), f=lambda net, x: (lambda r: r[0] if isinstance(r, tuple) else r)(net(x))),
    'localtr': lm(lambda o: get('local_attention', 'LocalTransformer')(num_tokens=V, max_seq_len=16, dim=32, depth=2, local_attn_window_size=4, dim_head=8, heads=4, ff_mult=2, use_xpos=True, xpos_scale_base=16, num_residual_streams=1)),
    'tabtransformer': tabtransformer,
    'itransformer': reg(lambda o: get('iTransformer', 'iTransformer')(num_variates=7, lookback_len=16, dim=32, depth=2, heads=4, dim_head=8, pred_length=(6,), num_tokens_per_variate=1, flash_attn=flash(o), num_residual_streams=1), lambda o: {'x': noise(o, 'series', 2, 16, 7)}, lambda net, x: net(x)),
    'htrans1d': lm(lambda o: get('h_transformer_1d', 'HTransformer1D')(num_tokens=V, dim=32, depth=2, causal=True, max_seq_len=16, heads=4, dim_head=8, ff_mult=2, block_size=4)),
    'regionvit': pic(lambda o: get('vit_pytorch.regionvit', 'RegionViT')(dim=(32, 32, 48, 48), depth=(1, 1, 1, 1), window_size=2, num_classes=10, use_peg=True), 64),
    'vit5': pic(lambda o: get('vit_pytorch.vit_5', 'ViT')(image_size=16, patch_size=4, num_classes=10, dim=48, depth=2, heads=4, mlp_dim=64, dim_head=12), 16),
    'stam': pic(lambda o: get('stam_pytorch', 'STAM')(dim=32, image_size=16, patch_size=8, num_frames=3, num_classes=10, space_depth=1, space_heads=4, space_mlp_dim=48, time_depth=1, time_heads=4, time_mlp_dim=48, space_dim_head=8, time_dim_head=8), 16, f=lambda net, x: net(x.unflatten(1, (3, 3))), ch=9),
    'uformer': reg(lambda o: get('uformer_pytorch', 'Uformer')(dim=16, stages=2, num_blocks=1, window_size=4, dim_head=8, heads=2, ff_mult=2), lambda o: {'x': noise(o, 'image', 1, 3, 16, 16)}, lambda net, x: net(x)),
    'ipa': ipa,
    'graphtr': reg(lambda o: get('graph_transformer_pytorch', 'GraphTransformer')(dim=32, depth=2, edge_dim=16, heads=4, dim_head=8, with_feedforwards=True, gated_residual=True, rel_pos_emb=True), lambda o: {'x': noise(o, 'nodes', 2, 9, 32), 'e': noise(o, 'edges', 2, 9, 9, 16), 'mask': torch.arange(9)[None] < torch.tensor([[9], [7]])}, lambda net, x, e, mask: net(x, e, mask=mask)[0]),
    'segresnet': seg(lambda o: get('monai.networks.nets', 'SegResNet')(spatial_dims=3, init_filters=8, blocks_down=(1, 1), blocks_up=(1,)), (8, 8, 8)),
    'sepformer': sepformer,
    'emformer': emformer,
    'autoint': autoint,
    'gps': gps,
    'spline': spline,
    'yolo': yolo,
    'loftr': loftr,
    'tft': tft,
    'nhits': nhits,
    'timesnet': timesnet,
    'defdetr': defdetr,
    'raft': raft,
    'coca': openclip,
    'smpdlv3p': seg(lambda o: get('segmentation_models_pytorch', 'DeepLabV3Plus')(encoder_name='tu-test_resnet', encoder_weights=None, decoder_channels=16, decoder_atrous_rates=(1, 2, 3), classes=3, decoder_aspp_dropout=0.0), (32, 32), ch=3, classes=3),
    'pkm': lm(lambda o: Pkm(o)),
    'lambdanet': pic(lambda o: nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.ReLU(), get('lambda_networks', 'LambdaLayer')(dim=32, dim_out=32, r=5, dim_k=8, heads=4, dim_u=2), nn.BatchNorm2d(32), nn.ReLU(), get('lambda_networks', 'LambdaLayer')(dim=32, dim_out=32, n=8, dim_k=8, heads=4, dim_u=1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)), 16),
    'halonet': pic(lambda o: nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.GroupNorm(4, 32), nn.SiLU(), get('halonet_pytorch', 'HaloAttention')(dim=32, block_size=4, halo_size=2, dim_head=8, heads=4), nn.GroupNorm(4, 32), nn.SiLU(), get('halonet_pytorch', 'HaloAttention')(dim=32, block_size=2, halo_size=1, dim_head=8, heads=4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)), 16),
    'handcapsule': pic(HandCapsule, 12),
    'handexpertchoice': lm(HandExpertChoice),
    'handcrf': handcrf,
    'handkan': handkan,
    't5film': lambda o: (lambda m: (m, {'encodings_and_masks': [(noise(o, 'enc', 2, 7, 32), torch.ones(2, 7))], 'decoder_input_tokens': noise(o, 'mel', 2, 8, 12), 'decoder_noise_time': torch.tensor([0.3, 0.8])}, lambda out: hidden(o, out)))(__import__('diffusers').models.T5FilmDecoder(input_dims=12, targets_length=8, d_model=32, num_layers=2, num_heads=4, d_kv=8, d_ff=48, dropout_rate=0.0)),
    'omnigen': (lambda f: lambda o: f(types.SimpleNamespace(**{**vars(o), 'attn': 'sdpa'})))(diffuser('OmniGenTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 1, 4, 4, 4), 'timestep': torch.tensor([0.3]), 'input_ids': tokens(o, 'tokens', 1, 7), 'input_img_latents': [noise(o, 'ref', 1, 4, 4, 4)], 'input_image_sizes': {0: [[1, 5]]}, 'attention_mask': torch.ones(1, 12, 12), 'position_ids': torch.arange(12)[None]}, in_channels=4, patch_size=2, hidden_size=48, num_attention_heads=4, num_key_value_heads=4, intermediate_size=64, num_layers=2, vocab_size=V, pad_token_id=0, max_position_embeddings=64, original_max_position_embeddings=32, rope_scaling={'long_factor': [1.0] * 6, 'short_factor': [1.0] * 6}, time_step_dim=32)),
    })

    class Pkm(nn.Module):
        """product-key memory between recurrent layers"""
        def __init__(self, o):
            super().__init__()
            P = get('product_key_memory', 'PKM')
            self.table, self.rnn, self.out = nn.Embedding(V, 32), nn.LSTM(32, 32, batch_first=True), nn.Linear(32, V)
            self.norm, self.memory = nn.LayerNorm(32), P(dim=32, heads=2, dim_head=16, num_keys=8, topk=4, input_dropout=0.0, query_dropout=0.0, value_dropout=0.0)

        def forward(self, x):
            h = self.rnn(self.table(x))[0]
            return self.out(h + self.memory(self.norm(h)))
