"""The thirteenth set (SET=13), the practice before it (SET=13p) and the fourteenth (SET=14): classes of MindFormers that no earlier set has. Form as in plan.py and models.py; the builders are in set13_ms.py and set13_pt.py.

RESEARCH names the folder "research" of the repository's branch r1.3.0 (not in the wheel): git archive r1.3.0 research
"""
import os, re
import numpy as np

PRACTICE = dict(mt5=13, baichuan13=13, gpt2cls=13, adapter=13, internlm=13)
CLASSES = dict(samdec=13, blip2llm=13, deepseek2=13, qwen=13, cogvlm2=13, graphllama=13, reward=13)
FOURTEENTH = dict(baichuan7=13, videolm=13)                        # recorded when the thirteenth had been mended
MODELS = {'13p': PRACTICE, '14': FOURTEENTH}.get(os.environ.get('SET'), CLASSES)
SIZES = {
    'mt5': dict(hidden=36, heads=4, hd=10, inter=76, layers=2, vocab=107, seq=13, tseq=9, batch=2, eps=1e-6, seed=2301),
    'baichuan13': dict(hidden=40, heads=5, kv=5, inter=68, layers=3, vocab=103, seq=12, batch=2, eps=1e-6, theta=1e4, seed=2302),
    'gpt2cls': dict(hidden=36, heads=4, layers=3, vocab=87, seq=11, batch=4, labels=7, eps=1e-5, seed=2303),
    'adapter': dict(grid=6, width=24, hidden=28, inter=44, batch=2, seed=2304),
    'internlm': dict(hidden=40, heads=5, kv=5, inter=64, layers=3, vocab=91, seq=12, batch=2, eps=1e-6, theta=1e4, seed=2305),
    'baichuan7': dict(hidden=40, heads=5, kv=5, inter=68, layers=3, vocab=97, seq=11, batch=2, eps=1e-6, theta=1e4, seed=2321),
    'videolm': dict(hidden=48, heads=6, kv=2, inter=64, layers=3, vocab=93, seq=13, batch=2, eps=1e-5, theta=5e5, seed=2322),
    'samdec': dict(hidden=32, heads=4, inter=56, layers=2, grid=6, prompts=3, tokens=2, masks=3, iou=28, eps=1e-6, batch=3, seed=2311),
    'blip2llm': dict(image=32, patch=8, vhidden=36, vheads=4, vinter=64, vlayers=2, queries=5, qhidden=32, qheads=4, qinter=60, qlayers=2, every=2, hidden=40, heads=4, kv=4, inter=72, layers=2, vocab=97, seq=10, batch=2, eps=1e-6, theta=1e4, seed=2312),
    'deepseek2': dict(hidden=40, heads=4, kv=4, inter=56, minter=20, layers=3, dense=1, vocab=101, seq=12, batch=2, eps=1e-6, theta=1e4, experts=6, topk=3, shared=2, factor=1.3, q=22, rank=16, nope=10, rope=6, vd=8, seed=2313),
    'qwen': dict(hidden=40, heads=5, kv=5, inter=60, layers=3, vocab=95, seq=13, batch=2, eps=1e-6, theta=1e4, seed=2314),
    'cogvlm2': dict(hidden=40, heads=5, kv=5, inter=64, layers=2, vocab=89, seq=12, vision=5, batch=2, eps=1e-5, theta=5e5, seed=2315),
    'graphllama': dict(hidden=48, heads=6, kv=3, inter=60, layers=3, vocab=99, seq=12, batch=2, eps=1e-5, theta=1e4, seed=2316),
    'reward': dict(hidden=32, heads=4, layers=2, vocab=93, seq=12, batch=4, eps=1e-5, seed=2317),
}
VIT = [('embeddings.cls_token', 'cls_tokens'), ('embeddings.position_embeddings', 'pos_embed'), ('embeddings.patch_embeddings.projection', 'patch_embed.proj'), ('layernorm_before', 'layernorm1'), ('layernorm_after', 'layernorm2'), ('[.]layers[.]', '.blocks.'), ('encoder.layer', 'blocks'),
       ('attention.attention.query|attention.q_proj', 'attention.dense1'), ('attention.attention.key|attention.k_proj', 'attention.dense2'), ('attention.attention.value|attention.v_proj', 'attention.dense3'), ('attention.output.dense|attention.o_proj', 'attention.projection'),
       ('intermediate.dense|mlp.fc1', 'output.mapping'), (r'(blocks.\d+.)output.dense|mlp.fc2', r'\1output.projection'), (r'(layernorm\d)\.weight', r'\1.gamma'), (r'(layernorm\d)\.bias', r'\1.beta')]
SAM = [(r'layer_norm(\d)', r'norm\1'), ('layer_norm_final_attn', 'norm_final_attn'), (r'(norm\d|norm_final_attn)\.weight', r'\1.gamma'), (r'(norm\d|norm_final_attn)\.bias', r'\1.beta'), ('upscale_conv1', 'output_upscaling.0'), ('upscale_layer_norm', 'output_upscaling.1'),
       ('upscale_conv2', 'output_upscaling.3'), ('(iou_token|mask_tokens).weight', r'\1.embedding_table'), (r'((iou_|output_).*)layers\.0', r'\1layers.1'), ('proj_in', 'layers.0'), ('proj_out', 'layers.2'), ('^', 'decoder.')]


def converted(model, w, renamed, llama):
    """weights of the PyTorch side under MindFormers' names; renamed: names by a list of patterns; llama: that list for Llama"""
    c, out = SIZES[model], {}
    for k, v in w.items():
        if model == 'samdec':
            out[renamed(k, SAM)] = v
        elif model == 'adapter':
            out[renamed(k, [('norm1.weight', 'norm1.gamma'), ('norm1.bias', 'norm1.beta'), ('^', 'net.')])] = v
        elif model in ('internlm', 'videolm'):
            out[renamed(k, llama + ([('^', 'net.')] if model == 'videolm' else []))] = v
        elif model in ('baichuan7', 'baichuan13'):
            n = renamed(k, llama)
            if 'W_pack' in k:
                out.update({n.replace('self_attn.W_pack', 'attention.w' + x): p for x, p in zip('qkv', np.split(v, 3))})
            else:
                out[n] = v
        elif model == 'qwen':
            n = renamed(k, [('^transformer.wte.weight', 'transformer.wte.embedding_weight'), (r'transformer\.h\.', 'transformer.layers.'), ('ln_1', 'attention_norm'), ('ln_2', 'ffn_norm'), ('attn.c_proj', 'attention.wo'), ('mlp.c_proj', 'feed_forward.w2'), ('mlp.w1', 'feed_forward.w1'),
                            ('mlp.w2', 'feed_forward.w3')])
            if 'c_attn' in k:
                out.update({n.replace('attn.c_attn', 'attention.w' + x): p for x, p in zip('qkv', np.split(v, 3))})
            else:
                out[n] = v
        elif model == 'cogvlm2':
            out[renamed(k, [('^model.embed_tokens.weight', 'model.tok_embeddings.embedding_weight'), ('^model.norm.weight', 'model.norm_out.weight'), ('gate_proj', 'w1'), ('up_proj', 'w3'), ('down_proj', 'w2'), ('^', 'net.')])] = v
        elif model == 'graphllama':
            out[renamed(k, [('^model.embed_tokens', 'language_model.embedding.word_embeddings'), ('^model.layers', 'language_model.encoder.layers'), ('^model.norm', 'language_model.encoder.final_norm'), ('self_attn.o_proj', 'self_attention.out_proj'), ('self_attn', 'self_attention'),
                            ('input_layernorm', 'input_norm'), ('post_attention_layernorm', 'post_attention_norm'), ('mlp.gate_proj', 'mlp.gating'), ('mlp.up_proj', 'mlp.mapping'), ('mlp.down_proj', 'mlp.projection')])] = v
        elif model == 'reward':
            n = renamed(k, [('^transformer.word_embeddings.weight', 'transformer.embedding.word_embedding.embedding_table'), ('word_embeddings_layernorm', 'embedding.norm'), (r'transformer\.h\.', 'transformer.blocks.'), ('input_layernorm', 'layernorm1'), ('post_attention_layernorm', 'layernorm2'),
                            ('self_attention.dense', 'attention.projection'), ('mlp.dense_h_to_4h', 'output.mapping'), ('mlp.dense_4h_to_h', 'output.projection'), ('^vhead', 'vhead.vhead'), (r'(norm\d?|ln_f)\.weight', r'\1.gamma'), (r'(norm\d?|ln_f)\.bias', r'\1.beta')])
            if 'query_key_value' in k:                               # of a head: its query, key, value
                g = v.reshape(c['heads'], 3, -1, *v.shape[1:])
                out.update({n.replace('self_attention.query_key_value', f'attention.dense{i + 1}'): g[:, i].reshape(-1, *v.shape[1:]) for i in range(3)})
            else:
                out[n] = v.T.copy() if n.endswith(('projection.weight', 'mapping.weight')) else v
        elif model == 'deepseek2':
            n = renamed(k, [('self_attn.q_a_proj', 'attention.q2l_proj'), ('self_attn.q_a_layernorm', 'attention.lq_norm'), ('self_attn.q_b_proj', 'attention.l2q_proj'), ('self_attn.kv_a_proj_with_mqa', 'attention.kv2l'), ('self_attn.kv_a_layernorm', 'attention.lkv_norm'),
                            ('self_attn.kv_b_proj', 'attention.lkv2kv'), *llama])
            m = re.match(r'model.layers.(\d+).mlp.experts.', k)
            if m and k.endswith('gate_up_proj'):
                g, u = np.split(v, 2, 1)
                out.update({f'model.layers.{m.group(1)}.feed_forward.routed_experts.ffn.{a}.weight': p for a, p in (('w1', g), ('w3', u))})
            elif m:
                out[f'model.layers.{m.group(1)}.feed_forward.routed_experts.ffn.w2.weight'] = v
            else:
                out[n] = v
        elif model == 'blip2llm':
            if k.startswith('vision.'):
                n = renamed(k, [('^vision.layernorm.weight', 'ln_vision.gamma'), ('^vision.layernorm.bias', 'ln_vision.beta'), (r'^vision\.', 'visual_encoder.')])
                n = renamed(n, VIT)
                out[n] = v.T.copy() if n.endswith(('projection.weight', 'mapping.weight')) else v
            elif k.startswith('qformer'):
                out[renamed(k.replace('qformer', 'qformer.bert', 1), [('bert.layernorm', 'bert.embeddings.layernorm'), (r'attention\.attention', 'attention.self_att'), ('LayerNorm', 'layernorm'), (r'(norm)\.weight', r'\1.gamma'), (r'(norm)\.bias', r'\1.beta')])] = v
            elif k.startswith('llm.'):
                out['llm_model.' + renamed(k[4:], llama)] = v
            else:
                out[k] = v
    return out


def more_inputs(model, c, d, r):
    """what these models are given besides what sizes say: into d"""
    n = lambda *s: r.standard_normal(s).astype(np.float32)
    if model == 'gpt2cls':
        d['label'] = r.integers(0, c['labels'], c['batch']).astype(np.int32)
    if model == 'adapter':
        d.update(features=n(c['batch'], c['grid'] ** 2, c['width']), target=n(c['batch'], c['grid'] ** 2 // 4 + 2, c['hidden']))
    if model == 'samdec':
        d.update(features=n(1, c['hidden'], c['grid'], c['grid']), place=n(1, c['hidden'], c['grid'], c['grid']), sparse=n(c['prompts'], c['tokens'], c['hidden']), dense=n(1, c['hidden'], c['grid'], c['grid']), target=n(c['prompts'], c['masks'], 4 * c['grid'], 4 * c['grid']))
        d.update(quality=n(c['prompts'], c['masks']))
    if model == 'reward':
        d['mask'] = np.ones((c['batch'] // 2, c['seq']), np.float32)
        d['mask'][:, :4] = 0                                          # the prompt is no answer
        d['end'] = np.full(c['batch'], c['seq'], np.int32)


W = 'weights'
FAULTS = [
    ('gate', 'mt5', 'npy', 'ms', {W: [['swap', 'mt5_model.tfm_encoder.blocks.1.output.mapping_0.weight', 'mt5_model.tfm_encoder.blocks.1.output.mapping_1.weight']]}, 'moved'),
    ('act', 'mt5', 'stat', 'ms', dict(set={'mt5_model.tfm_decoder.blocks.1.output.mapping_0.activation': {'cell': 'GELU(False)'}}), ''),
    ('norm', 'mt5', 'pyn', 'ms', {W: [['scale', 'mt5_model.tfm_decoder.blocks.0.layernorm1.gamma', 1.1]]}, ''),
    ('wv', 'baichuan13', 'npy', 'ms', {W: [['scale', 'model.layers.1.attention.wv.weight', 0.9]]}, ''),
    ('head', 'baichuan13', 'stat', 'ms', dict(set={'lm_head.eps': {'tensor': [0.1]}}), ''),
    ('alibi', 'baichuan13', 'pyn', 'ms', dict(set={'model.alibi_tensor': {'times': 0.5}}), ''),
    ('eps', 'gpt2cls', 'npy', 'ms', dict(set={'backbone.blocks.1.layernorm2.eps': 1e-2}), ''),
    ('bias', 'gpt2cls', 'stat', 'ms', {W: [['scale', 'backbone.blocks.0.output.mapping.bias', 0.0]]}, ''),
    ('score', 'gpt2cls', 'pyn', 'ms', {W: [['normal', 'score.weight', 0.02]]}, ''),
    ('conv', 'adapter', 'npy', 'ms', {W: [['scale', 'net.conv.bias', 0.5]]}, ''),
    ('act', 'adapter', 'stat', 'ms', dict(set={'net.linear_proj.act2': {'cell': 'ReLU()'}}), ''),
    ('norm', 'adapter', 'pyn', 'ms', {W: [['scale', 'net.linear_proj.norm1.gamma', 1.1]]}, ''),
    ('wo', 'internlm', 'npy', 'ms', {W: [['scale', 'model.layers.1.attention.wo.bias', 0.0]]}, ''),
    ('kb', 'internlm', 'stat', 'ms', {W: [['scale', 'model.layers.0.attention.wk.bias', 0.0]]}, ''),
    ('norm', 'internlm', 'pyn', 'ms', dict(set={'model.norm_out.eps': 1e-2}), ''),
    ('wo', 'baichuan7', 'npy', 'ms', {W: [['T', 'model.layers.1.attention.wo.weight', 0]]}, 'moved'),
    ('norm', 'baichuan7', 'stat', 'ms', {W: [['scale', 'model.layers.0.ffn_norm.weight', 1.1]]}, ''),
    ('head', 'baichuan7', 'pyn', 'ms', {W: [['scale', 'lm_head.weight', 0.8]]}, ''),
    ('theta', 'videolm', 'npy', 'ms', dict(config={'theta': 1e4}), ''),
    ('w2', 'videolm', 'stat', 'ms', {W: [['scale', 'net.model.layers.1.feed_forward.w2.weight', 0.9]]}, ''),
    ('eps', 'videolm', 'pyn', 'ms', dict(set={'net.model.layers.1.attention_norm.eps': 1e-2}), ''),
    ('hyper', 'samdec', 'npy', 'ms', {W: [['swap', 'decoder.output_hypernetworks_mlps.1.layers.0.weight', 'decoder.output_hypernetworks_mlps.2.layers.0.weight']]}, 'moved'),
    ('scale', 'samdec', 'stat', 'ms', dict(set={'decoder.transformer.layers.1.cross_attn_token_to_image.inv_norm_factor': {'tensor': 0.25}}), ''),
    ('norm4', 'samdec', 'pyn', 'ms', {W: [['scale', 'decoder.transformer.layers.0.norm4.gamma', 1.2]]}, ''),
    ('pos', 'blip2llm', 'npy', 'ms', {W: [['normal', 'visual_encoder.pos_embed', 0.02]]}, ''),
    ('ln', 'blip2llm', 'stat', 'ms', {W: [['scale', 'ln_vision.gamma', 1.05]]}, ''),
    ('proj', 'blip2llm', 'pyn', 'ms', {W: [['scale', 'llm_proj.bias', 0.0]]}, ''),
    ('factor', 'deepseek2', 'npy', 'ms', dict(moe={'routed_scaling_factor': 1.0}), ''),
    ('lkv', 'deepseek2', 'stat', 'ms', dict(set={'model.layers.1.attention.lkv_norm.eps': 1e-2}), ''),
    ('l2q', 'deepseek2', 'pyn', 'ms', {W: [['scale', 'model.layers.2.attention.l2q_proj.weight', 1.1]]}, ''),
    ('w1w3', 'qwen', 'npy', 'ms', {W: [['swap', 'transformer.layers.1.feed_forward.w1.weight', 'transformer.layers.1.feed_forward.w3.weight']]}, 'moved'),
    ('qb', 'qwen', 'stat', 'ms', {W: [['scale', 'transformer.layers.0.attention.wq.bias', 0.0]]}, ''),
    ('theta', 'qwen', 'pyn', 'ms', dict(config={'theta': 1e5}), ''),
    ('expert', 'cogvlm2', 'npy', 'ms', {W: [['swap', 'net.model.layers.1.mlp.language_mlp.w2.weight', 'net.model.layers.1.mlp.vision_mlp.w2.weight']]}, 'moved'),
    ('vb', 'cogvlm2', 'stat', 'ms', {W: [['scale', 'net.model.layers.0.self_attn.vision_expert_query_key_value.bias', 0.0]]}, ''),
    ('scaling', 'cogvlm2', 'pyn', 'ms', dict(set={'net.model.layers.1.self_attn.scaling': 0.5}), ''),
    ('eps', 'graphllama', 'npy', 'ms', dict(set={'language_model.encoder.layers.1.input_norm.eps': 1e-2}), ''),
    ('gating', 'graphllama', 'stat', 'ms', {W: [['scale', 'language_model.encoder.layers.2.mlp.gating.weight', 0.9]]}, ''),
    ('kproj', 'graphllama', 'pyn', 'ms', {W: [['heads', 'language_model.encoder.layers.1.self_attention.k_proj.weight', 3]]}, 'moved'),
    ('beta', 'reward', 'npy', 'ms', {W: [['scale', 'transformer.blocks.1.layernorm1.beta', 0.0]]}, ''),
    ('emb', 'reward', 'stat', 'ms', {W: [['scale', 'transformer.embedding.norm.gamma', 1.05]]}, ''),
    ('head', 'reward', 'pyn', 'ms', {W: [['normal', 'vhead.vhead.weight', 0.02]]}, ''),
]
FAULTS = [f for f in FAULTS if f[1] in MODELS]
