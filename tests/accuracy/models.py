"""Tiny models of transformers, timm, diffusers and torch with weights that depend on a parameter's name alone; the variants and faults that models_run.py records.

build(name, o) gives (model, inputs, loss of its outputs). VARIANTS rewrite a built model without changing its mathematics; FAULTS change it.
"""
import importlib, types, zlib
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
import transformers

RAW = torch._C._VariableFunctions                         # what msprobe does not wrap: no call of it is recorded
CAST = torch._C.TensorBase.to
V, S = 80, 11                                             # vocabulary, tokens


def draw(name, seed=0):
    return np.random.default_rng(zlib.crc32(name.encode()) * 7 + 3 + seed)


def noise(o, name, *shape):
    return torch.from_numpy(draw(name, o.seed).standard_normal(shape).astype(np.float32))


def tokens(o, name, b=2, s=S, low=4, high=V):
    return torch.from_numpy(draw(name, o.seed).integers(low, high, (b, s)))


@torch.no_grad()
def initialise(model, seed):
    conv1d = {id(m.weight) for m in model.modules() if isinstance(m, nn.Conv1d) and getattr(model, 'package', False)}
    for name, p in model.named_parameters():
        if not p.numel():
            continue
        x = draw(name, seed).standard_normal(tuple(p.shape)).astype(np.float32)
        leaf = name.split('.')[-1]
        if 'A_log' in name or 'dt_bias' in name or 'logit_scale' in name or leaf == 'D' or 'alpha_' in name:
            continue
        if p.ndim < 2:
            x = 1 + 0.12 * x if leaf in ('weight', 'gamma', 'scale', 'g') or 'norm' in leaf else 0.08 * x
        elif leaf in ('g', 'gamma') and p.numel() == max(p.shape):  # norms of packages whose factor has axes of one
            x = 1 + 0.12 * x
        else:
            table = any(w in name.lower() for w in ('embed', 'wte', 'wpe', 'shared.weight', 'cls_token'))
            x = 0.6 * x if table else 1.1 * x * (p.shape[-1] if p.ndim == 3 and id(p) not in conv1d else p[0].numel()) ** -0.5
        p.copy_(torch.from_numpy(np.asarray(x, np.float32)))
    for name, b in model.named_buffers():
        if name.endswith('running_mean'):
            b.copy_(0.1 * torch.from_numpy(draw(name, seed).standard_normal(tuple(b.shape)).astype(np.float32)))


def configured(o, cls, config, **kw):
    c = getattr(transformers, config)(**kw)
    c._attn_implementation = o.attn
    if o.experts:
        c._experts_implementation = o.experts
    for change in o.config:
        change(c)
    module, _, cls = cls.rpartition('.')                  # MODULE.CLASS: one that the library does not export
    return getattr(importlib.import_module(f'transformers.models.{module}.modeling_{module}') if module else transformers, cls)(c)


def cross_entropy(o, logits, labels, shift):
    x = logits.float()
    if shift:
        x, labels = x[:, :x.shape[1] - shift], labels[:, shift:]
    x, y = x.reshape(-1, x.shape[-1]), labels.reshape(-1)
    if o.loss == 'composed':
        z = x - x.max(-1, keepdim=True).values
        return (torch.log(torch.exp(z).sum(-1)) - z.gather(-1, y[:, None])[:, 0]).mean()
    if o.loss == 'nll':
        return F.nll_loss(F.log_softmax(x, -1), y)
    return F.cross_entropy(x, y, reduction=o.reduction)


def causal(o, cls, config, **kw):
    m = configured(o, cls, config, vocab_size=V, **kw)
    x = tokens(o, 'tokens')
    given = {'input_ids': x}
    if o.cache is not None:
        given['use_cache'] = bool(o.cache)
    if o.pad:
        given['attention_mask'] = torch.ones(2, S, dtype=torch.long)
        given['attention_mask'][1, S - 4:] = 0
    if o.positions is not None:
        given['position_ids'] = torch.arange(S)[None].expand(2, -1).contiguous() + o.positions
    aux = lambda out: out.aux_loss * o.aux if o.aux and getattr(out, 'aux_loss', None) is not None else 0
    return m, given, lambda out: cross_entropy(o, out.logits, x, 1 + o.shift) + aux(out)


DIM = dict(hidden_size=48, intermediate_size=80, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=64)
GQA = {**DIM, 'num_key_value_heads': 2}
TOK = dict(pad_token_id=0, bos_token_id=1, eos_token_id=2)
MOE = {**GQA, 'moe_intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2, 'output_router_logits': True}
GPT = dict(n_embd=48, n_layer=2, n_head=4, n_positions=32, bos_token_id=1, eos_token_id=2)
CAUSAL = {
    'gptneox': ('GPTNeoXForCausalLM', 'GPTNeoXConfig', {**DIM, **TOK, 'rotary_pct': 0.5, 'hidden_act': 'gelu_fast'}),
    'phi3': ('Phi3ForCausalLM', 'Phi3Config', {**GQA, **TOK}),
    'qwen3': ('Qwen3ForCausalLM', 'Qwen3Config', {**GQA, 'head_dim': 16}),
    'qwen3moe': ('Qwen3MoeForCausalLM', 'Qwen3MoeConfig', {**MOE, 'head_dim': 12}),
    'gemma3': ('Gemma3ForCausalLM', 'Gemma3TextConfig', {**GQA, **TOK, 'head_dim': 12, 'query_pre_attn_scalar': 12, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention']}),
    'mistral': ('MistralForCausalLM', 'MistralConfig', {**GQA, 'sliding_window': 5, **TOK}),
    'llama4': ('Llama4ForCausalLM', 'Llama4TextConfig', {**GQA, **TOK, 'intermediate_size_mlp': 64, 'num_local_experts': 4, 'head_dim': 12, 'moe_layers': [1], 'interleave_moe_layer_step': 2, 'attention_chunk_size': 6}),
    'deepseek2': ('DeepseekV2ForCausalLM', 'DeepseekV2Config', {**DIM, **TOK, 'num_key_value_heads': 4, 'moe_intermediate_size': 16, 'q_lora_rank': 24, 'kv_lora_rank': 16, 'qk_rope_head_dim': 8, 'qk_nope_head_dim': 8, 'v_head_dim': 12,
                                                               'n_routed_experts': 4, 'n_shared_experts': 1, 'num_experts_per_tok': 2, 'first_k_dense_replace': 1, 'topk_method': 'greedy', 'n_group': 1, 'topk_group': 1}),
    'minimax': ('MiniMaxForCausalLM', 'MiniMaxConfig', {**GQA, **TOK, 'num_local_experts': 4, 'num_experts_per_tok': 2, 'head_dim': 12, 'block_size': 4, 'layer_types': ['linear_attention', 'full_attention']}),
    'glm4moe': ('Glm4MoeForCausalLM', 'Glm4MoeConfig', {**GQA, **TOK, 'head_dim': 12, 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'n_group': 1, 'topk_group': 1, 'first_k_dense_replace': 1, 'n_shared_experts': 1}),
    'qwen3next': ('Qwen3NextForCausalLM', 'Qwen3NextConfig', {**MOE, 'head_dim': 16, 'shared_expert_intermediate_size': 24, 'linear_num_value_heads': 4, 'linear_num_key_heads': 2, 'linear_key_head_dim': 8, 'linear_value_head_dim': 8,
                                                             'layer_types': ['linear_attention', 'full_attention']}),
    'lfm2': ('Lfm2ForCausalLM', 'Lfm2Config', {**GQA, **TOK, 'layer_types': ['conv', 'full_attention'], 'block_multiple_of': 8}),
    'ernie45moe': ('Ernie4_5_MoeForCausalLM', 'Ernie4_5_MoeConfig', {**GQA, **TOK, 'moe_intermediate_size': 24, 'moe_num_experts': 4, 'moe_k': 2, 'moe_num_shared_experts': 1, 'moe_layer_start_index': 1, 'output_router_logits': True}),
    'smollm3': ('SmolLM3ForCausalLM', 'SmolLM3Config', {**GQA, **TOK, 'no_rope_layers': [1, 0]}),
    'olmo3': ('Olmo3ForCausalLM', 'Olmo3Config', {**GQA, **TOK, 'sliding_window': 4}),
    'codegen': ('CodeGenForCausalLM', 'CodeGenConfig', {**GPT, 'rotary_dim': 6, 'embd_pdrop': 0.0, 'resid_pdrop': 0.0, 'attn_pdrop': 0.0}),
    'gptneo': ('GPTNeoForCausalLM', 'GPTNeoConfig', dict(hidden_size=48, num_layers=2, num_heads=4, max_position_embeddings=64, attention_types=[[['global', 'local'], 1]], window_size=4, intermediate_size=64, bos_token_id=1, eos_token_id=2)),
    'ctrl': ('CTRLLMHeadModel', 'CTRLConfig', dict(n_embd=48, n_layer=2, n_head=4, n_positions=32, dff=64, resid_pdrop=0.0, embd_pdrop=0.0)),
    'biogpt': ('BioGptForCausalLM', 'BioGptConfig', {**DIM, **TOK, 'hidden_dropout_prob': 0.0, 'attention_probs_dropout_prob': 0.0, 'layerdrop': 0.0, 'activation_dropout': 0.0}),
    'xglm': ('XGLMForCausalLM', 'XGLMConfig', {**TOK, 'd_model': 48, 'ffn_dim': 64, 'num_layers': 2, 'attention_heads': 4, 'max_position_embeddings': 64, 'dropout': 0.0, 'attention_dropout': 0.0}),
    'arcee': ('ArceeForCausalLM', 'ArceeConfig', {**GQA, **TOK}),
    'apertus': ('ApertusForCausalLM', 'ApertusConfig', {**GQA, **TOK}),
    'nanochat': ('NanoChatForCausalLM', 'NanoChatConfig', {**GQA, **TOK}),
    'diffllama': ('DiffLlamaForCausalLM', 'DiffLlamaConfig', {**GQA, **TOK}),
    'doge': ('DogeForCausalLM', 'DogeConfig', {**GQA, **TOK, 'hidden_dropout': 0.0}),
    'phimoe': ('PhimoeForCausalLM', 'PhimoeConfig', {**GQA, **TOK, 'num_local_experts': 4, 'num_experts_per_tok': 2, 'router_jitter_noise': 0.0, 'input_jitter_noise': 0.0}),
    'zamba2': ('Zamba2ForCausalLM', 'Zamba2Config', {**DIM, **TOK, 'num_key_value_heads': 4, 'mamba_d_state': 8, 'mamba_expand': 2, 'mamba_ngroups': 1, 'n_mamba_heads': 4, 'mamba_headdim': 24, 'num_mem_blocks': 1, 'layers_block_type': ['mamba', 'hybrid'],
                                                     'chunk_size': 4, 'attention_head_dim': 24, 'adapter_rank': 4, 'use_mem_rope': True}),
    'openaigpt': ('OpenAIGPTLMHeadModel', 'OpenAIGPTConfig', dict(n_embd=48, n_layer=2, n_head=4, n_positions=32, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)),
    'cohere2': ('Cohere2ForCausalLM', 'Cohere2Config', {**GQA, **TOK, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention'], 'logit_scale': 0.25}),
    'exaone4': ('Exaone4ForCausalLM', 'Exaone4Config', {**GQA, **TOK, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention']}),
    'granitehybrid': ('GraniteMoeHybridForCausalLM', 'GraniteMoeHybridConfig', {**GQA, **TOK, 'num_local_experts': 4, 'num_experts_per_tok': 2, 'shared_intermediate_size': 24, 'mamba_n_heads': 4, 'mamba_d_head': 24, 'mamba_d_state': 8, 'mamba_chunk_size': 4,
                                                                              'layer_types': ['mamba', 'attention'], 'embedding_multiplier': 6.0, 'residual_multiplier': 0.3, 'attention_multiplier': 0.1, 'logits_scaling': 2.0}),
    'seedoss': ('SeedOssForCausalLM', 'SeedOssConfig', {**GQA, **TOK, 'head_dim': 12, 'attention_dropout': 0.0, 'residual_dropout': 0.0}),
    'hunyuan': ('HunYuanDenseV1ForCausalLM', 'HunYuanDenseV1Config', {**GQA, **TOK, 'head_dim': 12}),
    'glm4': ('Glm4ForCausalLM', 'Glm4Config', {**GQA, **TOK, 'head_dim': 12}),
    'dots1': ('Dots1ForCausalLM', 'Dots1Config', {**GQA, **TOK, 'head_dim': 12, 'moe_intermediate_size': 24, 'n_routed_experts': 4, 'n_shared_experts': 1, 'num_experts_per_tok': 2, 'first_k_dense_replace': 1, 'n_group': 1, 'topk_group': 1}),
    'bitnet': ('BitNetForCausalLM', 'BitNetConfig', {**GQA, **TOK}),
    'vaultgemma': ('VaultGemmaForCausalLM', 'VaultGemmaConfig', {**GQA, **TOK, 'head_dim': 12, 'query_pre_attn_scalar': 12, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention']}),
    'falconh1': ('FalconH1ForCausalLM', 'FalconH1Config', {**GQA, **TOK, 'head_dim': 12, 'mamba_d_ssm': 96, 'mamba_n_heads': 4, 'mamba_d_head': 24, 'mamba_d_state': 8, 'mamba_n_groups': 1, 'mamba_chunk_size': 4}),
    'granite': ('GraniteForCausalLM', 'GraniteConfig', {**GQA, **TOK, 'embedding_multiplier': 6.0, 'residual_multiplier': 0.3, 'attention_multiplier': 0.1, 'logits_scaling': 2.0}),
    'minimaxm2': ('MiniMaxM2ForCausalLM', 'MiniMaxM2Config', {**GQA, **TOK, 'head_dim': 12, 'intermediate_size': 24, 'num_local_experts': 4, 'num_experts_per_tok': 2}),
    'nemotronh': ('NemotronHForCausalLM', 'NemotronHConfig', {**GQA, **TOK, 'head_dim': 12, 'layers_block_type': ['mamba', 'attention', 'moe'], 'num_hidden_layers': 3, 'mamba_num_heads': 4, 'mamba_head_dim': 24, 'ssm_state_size': 8, 'n_groups': 1, 'chunk_size': 4, 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'moe_intermediate_size': 24, 'moe_shared_expert_intermediate_size': 24, 'n_group': 1, 'topk_group': 1}),
    'jetmoe': ('JetMoeForCausalLM', 'JetMoeConfig', {**TOK, 'hidden_size': 48, 'num_hidden_layers': 2, 'num_key_value_heads': 2, 'kv_channels': 12, 'intermediate_size': 32, 'num_local_experts': 4, 'num_experts_per_tok': 2, 'max_position_embeddings': 64}),
    'olmohybrid': ('OlmoHybridForCausalLM', 'OlmoHybridConfig', {**DIM, **TOK, 'num_key_value_heads': 4, 'layer_types': ['linear_attention', 'full_attention'], 'linear_num_value_heads': 4, 'linear_num_key_heads': 4, 'linear_key_head_dim': 8, 'linear_value_head_dim': 8}),
    'neoxjp': ('GPTNeoXJapaneseForCausalLM', 'GPTNeoXJapaneseConfig', {**DIM, **TOK, 'intermediate_multiple_size': 2, 'attention_dropout': 0.0, 'hidden_dropout': 0.0}),
    'olmo': ('OlmoForCausalLM', 'OlmoConfig', {**GQA, **TOK, 'clip_qkv': 3.0}),
    'minicpm3': ('MiniCPM3ForCausalLM', 'MiniCPM3Config', {**DIM, **TOK, 'num_key_value_heads': 4, 'q_lora_rank': 24, 'kv_lora_rank': 16, 'qk_rope_head_dim': 8, 'qk_nope_head_dim': 8, 'v_head_dim': 12, 'scale_emb': 6, 'scale_depth': 1.4, 'dim_model_base': 24}),
    'lfm2moe': ('Lfm2MoeForCausalLM', 'Lfm2MoeConfig', {**GQA, **TOK, 'layer_types': ['conv', 'full_attention'], 'moe_intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2, 'num_dense_layers': 1}),
    'qwen35': ('Qwen3_5ForCausalLM', 'Qwen3_5TextConfig', {**GQA, 'head_dim': 16, 'linear_num_value_heads': 4, 'linear_num_key_heads': 2, 'linear_key_head_dim': 8, 'linear_value_head_dim': 8, 'layer_types': ['linear_attention', 'full_attention']}),
    'gemma3n': ('Gemma3nForCausalLM', 'Gemma3nTextConfig', {**GQA, **TOK, 'head_dim': 12, 'sliding_window': 4, 'layer_types': ['sliding_attention', 'full_attention'], 'vocab_size_per_layer_input': V, 'hidden_size_per_layer_input': 8, 'laurel_rank': 4, 'num_kv_shared_layers': 0, 'intermediate_size': [64, 64], 'activation_sparsity_pattern': [0.0, 0.0], 'altup_num_inputs': 2}),
    'longcat': ('LongcatFlashForCausalLM', 'LongcatFlashConfig', {**TOK, 'hidden_size': 48, 'num_layers': 1, 'num_attention_heads': 4, 'ffn_hidden_size': 64, 'q_lora_rank': 24, 'kv_lora_rank': 16, 'qk_rope_head_dim': 8, 'qk_nope_head_dim': 8, 'head_dim': 8, 'v_head_dim': 12, 'moe_topk': 2, 'n_routed_experts': 4, 'zero_expert_num': 2, 'expert_ffn_hidden_size': 24, 'max_position_embeddings': 64}),
    'hrm': ('HrmTextForCausalLM', 'HrmTextConfig', {**DIM, **TOK}),
    'afmoe': ('AfmoeForCausalLM', 'AfmoeConfig', {**GQA, **TOK, 'head_dim': 12, 'moe_intermediate_size': 24, 'num_experts': 4, 'num_experts_per_tok': 2, 'num_dense_layers': 1, 'num_shared_experts': 1, 'layer_types': ['sliding_attention', 'full_attention'], 'sliding_window': 4}),
}


def masked(cls, config, **kw):
    def make(o):
        m = configured(o, cls, config, vocab_size=V, **kw)
        x, y = tokens(o, 'tokens'), tokens(o, 'labels')
        given = {'input_ids': x}
        if o.pad:
            given['attention_mask'] = torch.ones(2, S, dtype=torch.long)
            given['attention_mask'][1, S - 4:] = 0
            y[1, S - 4:] = -100
        return m, given, lambda out: cross_entropy(o, out.logits, y, o.shift)
    return make


def translated(cls, config, **kw):
    def make(o):
        m = configured(o, cls, config, vocab_size=V, decoder_start_token_id=0, **kw)
        y = tokens(o, 'labels', s=8)
        d = torch.cat([torch.zeros(2, 1, dtype=torch.long), y[:, :-1]], 1)
        given = {'input_ids': tokens(o, 'tokens'), 'attention_mask': torch.ones(2, S, dtype=torch.long), 'decoder_input_ids': d, 'use_cache': False}
        given['attention_mask'][1, S - 3:] = 0
        return m, given, lambda out: cross_entropy(o, out.logits, y, o.shift)
    return make


def hidden(o, out):
    """the mean square distance of whatever a model returns from fixed values"""
    for key in ('logits', 'sample', 'last_hidden_state', 'predicted_depth', 'audio_values', 'pred_masks', 'waveform', 'reconstruction'):
        x = getattr(out, key, None)
        if torch.is_tensor(x):
            break
    else:
        x = out if torch.is_tensor(out) else out[0]
    return F.mse_loss(x.float(), noise(o, 'wanted', *x.shape), reduction=o.reduction)


def regressed(cls, config, inputs, **kw):
    def make(o):
        m = configured(o, cls, config, **kw)
        return m, inputs(o), lambda out: hidden(o, out)
    return make


def image(size, b=2):
    return lambda o: {'pixel_values': noise(o, 'image', b, 3, size, size)}


def speech(n):
    return lambda o: {'input_values': noise(o, 'speech', 2, n)}


def classified(o, m, size, b=2, classes=10):
    y = torch.from_numpy(draw('class', o.seed).integers(0, classes, b))
    return m, {'x': noise(o, 'image', b, 3, size, size)}, lambda out: cross_entropy(o, out, y, 0)


def timm_model(arch, size, b=2, **kw):
    def make(o):
        import timm
        timm.layers.set_fused_attn(o.attn != 'eager')
        return classified(o, timm.create_model(arch, num_classes=10, **kw), size, b)
    return make


def efficientnet(o):
    from timm.models import efficientnet as e
    return classified(o, e._gen_efficientnet('efficientnet_b0', channel_multiplier=0.25, depth_multiplier=0.3, num_classes=10), 32, 3)


def diffuser(cls, inputs, **kw):
    def make(o):
        import diffusers
        m = getattr(diffusers, cls)(**kw)
        if o.attn == 'eager':
            for a in m.modules():
                if hasattr(a, 'set_processor'):
                    a.set_processor(diffusers.models.attention_processor.AttnProcessor())
        return m, inputs(o), lambda out: hidden(o, out)
    return make


W2V = dict(hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, conv_dim=(16, 16), conv_stride=(4, 4), conv_kernel=(8, 4), num_feat_extract_layers=2, num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=4,
           hidden_dropout=0.0, attention_dropout=0.0, activation_dropout=0.0, feat_proj_dropout=0.0, layerdrop=0.0, mask_time_prob=0.0, final_dropout=0.0)
ENC = {**DIM, 'hidden_dropout_prob': 0.0, 'attention_probs_dropout_prob': 0.0}
VIT = dict(hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=16, patch_size=4, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
SEQ2SEQ = dict(d_model=48, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=32, dropout=0.0, attention_dropout=0.0,
               activation_dropout=0.0, **TOK)
MODELS = {
    'modernbert': masked('ModernBertForMaskedLM', 'ModernBertConfig', **DIM, **TOK, local_attention=6, global_attn_every_n_layers=2, cls_token_id=1, sep_token_id=2),
    'xlnet': masked('XLNetLMHeadModel', 'XLNetConfig', d_model=48, n_layer=2, n_head=4, d_inner=64, dropout=0.0, **TOK),
    'funnel': masked('FunnelForMaskedLM', 'FunnelConfig', block_sizes=[1, 1], num_decoder_layers=1, d_model=48, n_head=4, d_head=12, d_inner=64, hidden_dropout=0.0, attention_dropout=0.0),
    'fnet': masked('FNetForMaskedLM', 'FNetConfig', hidden_size=48, num_hidden_layers=2, intermediate_size=64, hidden_dropout_prob=0.0, max_position_embeddings=32),
    'mobilebert': masked('MobileBertForMaskedLM', 'MobileBertConfig', **ENC, embedding_size=24, intra_bottleneck_size=24, true_hidden_size=24),
    'debertav2': masked('DebertaV2ForMaskedLM', 'DebertaV2Config', **ENC, relative_attention=True, pos_att_type='p2c|c2p', position_buckets=8, norm_rel_ebd='layer_norm', share_att_key=True, max_relative_positions=16),
    'convbert': masked('ConvBertForMaskedLM', 'ConvBertConfig', **ENC, conv_kernel_size=3, head_ratio=2),
    'squeezebert': masked('SqueezeBertForMaskedLM', 'SqueezeBertConfig', **{**ENC, 'intermediate_size': 64}, q_groups=2, k_groups=2, v_groups=2, post_attention_groups=1, intermediate_groups=2, output_groups=2, embedding_size=48),
    'megatronbert': masked('MegatronBertForMaskedLM', 'MegatronBertConfig', **ENC),
    'longt5': translated('LongT5ForConditionalGeneration', 'LongT5Config', d_model=48, d_kv=12, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0, local_radius=4, feed_forward_proj='gated-gelu', relative_attention_num_buckets=8),
    'blenderbot': translated('BlenderbotForConditionalGeneration', 'BlenderbotConfig', d_model=48, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=32, dropout=0.0, **TOK),
    'nllbmoe': translated('NllbMoeForConditionalGeneration', 'NllbMoeConfig', d_model=48, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=32,
                          dropout=0.0, attention_dropout=0.0, num_experts=4, encoder_sparse_step=2, decoder_sparse_step=2, expert_capacity=16, moe_token_dropout=0.0, encoder_layerdrop=0.0, decoder_layerdrop=0.0, **TOK),
    'wavlm': regressed('WavLMForCTC', 'WavLMConfig', speech(400), **W2V, vocab_size=V, num_buckets=16, max_bucket_distance=20),
    'sew': regressed('SEWForCTC', 'SEWConfig', speech(400), **W2V, vocab_size=V, squeeze_factor=2),
    'ast': regressed('ASTForAudioClassification', 'ASTConfig', lambda o: {'input_values': noise(o, 'speech', 2, 24, 16)}, **{k: v for k, v in VIT.items() if k != 'image_size'}, num_mel_bins=16, max_length=24, frequency_stride=4, time_stride=4),
    'swinv2': regressed('Swinv2ForImageClassification', 'Swinv2Config', image(16), image_size=16, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4, drop_path_rate=0.0, pretrained_window_sizes=[0, 0]),
    'convnextv2': regressed('ConvNextV2ForImageClassification', 'ConvNextV2Config', image(32), depths=[1, 1, 1, 1], hidden_sizes=[8, 12, 16, 24], drop_path_rate=0.0),
    'pvtv2': regressed('PvtV2ForImageClassification', 'PvtV2Config', image(32), image_size=32, depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 16, 24], num_attention_heads=[1, 2, 2, 4], drop_path_rate=0.0, mlp_ratios=[2, 2, 2, 2]),
    'levit': regressed('LevitForImageClassification', 'LevitConfig', image(64, 3), image_size=64, hidden_sizes=[16, 24, 32], num_attention_heads=[2, 3, 4], depths=[1, 1, 1], key_dim=[8, 8, 8], drop_path_rate=0),
    'poolformer': regressed('PoolFormerForImageClassification', 'PoolFormerConfig', image(32), depths=[1, 1, 1, 1], hidden_sizes=[8, 12, 16, 24], drop_path_rate=0.0),
    'focalnet': regressed('FocalNetForImageClassification', 'FocalNetConfig', image(32), image_size=32, embed_dim=16, depths=[1, 1], hidden_sizes=[16, 32], focal_levels=[2, 2], focal_windows=[3, 3], drop_path_rate=0.0),
    'vitmae': regressed('ViTMAEModel', 'ViTMAEConfig', lambda o: {'pixel_values': noise(o, 'image', 2, 3, 16, 16), 'noise': noise(o, 'order', 2, 16)}, **VIT, mask_ratio=0.5),
    'dinov3': regressed('DINOv3ViTModel', 'DINOv3ViTConfig', image(16), **{k: v for k, v in VIT.items() if 'dropout' not in k}, num_register_tokens=2),
    'clipseg': regressed('SiglipVisionModel', 'SiglipVisionConfig', image(16), **{k: v for k, v in VIT.items() if 'dropout' not in k}),
    'patchtsmixer': regressed('PatchTSMixerForPrediction', 'PatchTSMixerConfig', lambda o: {'past_values': noise(o, 'past', 2, 32, 3), 'return_loss': False}, context_length=32, prediction_length=8, patch_length=8, patch_stride=8, num_input_channels=3,
                              d_model=16, num_layers=2, dropout=0.0, head_dropout=0.0, self_attn=False, gated_attn=True, loss='mse'),
    'encodec': regressed('EncodecModel', 'EncodecConfig', lambda o: {'input_values': noise(o, 'speech', 1, 1, 160)}, hidden_size=16, num_filters=4, upsampling_ratios=[4, 2], codebook_size=16, num_lstm_layers=1, kernel_size=3, last_kernel_size=3, audio_channels=1, normalize=False),
    'efficientnet': efficientnet,
    'densenet': timm_model('densenet121', 32, 3, growth_rate=6, block_config=(2, 2), memory_efficient=False),
    'xcit': timm_model('xcit_nano_12_p8_224', 32, embed_dim=32, depth=2, num_heads=4, img_size=32),
    'eva': timm_model('eva02_tiny_patch14_224', 28, img_size=28, embed_dim=48, depth=2, num_heads=4),
    'edgenext': timm_model('edgenext_xx_small', 64, 3, dims=(8, 16, 24, 32), depths=(1, 1, 1, 1)),
    'dit': diffuser('DiTTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([7, 301]), 'class_labels': torch.tensor([3, 5])}, num_attention_heads=4, attention_head_dim=12, in_channels=4, num_layers=2,
                    sample_size=8, num_embeds_ada_norm=1000, norm_type='ada_norm_zero', dropout=0.0),
    'pixart': diffuser('PixArtTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([7, 301]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24),
                                                             'added_cond_kwargs': {'resolution': None, 'aspect_ratio': None}}, num_attention_heads=4, attention_head_dim=12, in_channels=4, out_channels=4, num_layers=2, sample_size=8,
                       cross_attention_dim=48, caption_channels=24, use_additional_conditions=False),
    'unet2d': diffuser('UNet2DModel', lambda o: {'sample': noise(o, 'latent', 2, 3, 16, 16), 'timestep': torch.tensor([7, 301])}, sample_size=16, block_out_channels=(16, 24), down_block_types=('DownBlock2D', 'AttnDownBlock2D'),
                       up_block_types=('AttnUpBlock2D', 'UpBlock2D'), layers_per_block=1, norm_num_groups=4, attention_head_dim=8),
    'vae': diffuser('AutoencoderKL', lambda o: {'sample': noise(o, 'image', 2, 3, 16, 16)}, block_out_channels=(16, 16), down_block_types=('DownEncoderBlock2D',) * 2, up_block_types=('UpDecoderBlock2D',) * 2, layers_per_block=1, norm_num_groups=4, latent_channels=4),
    'esm': masked('EsmForMaskedLM', 'EsmConfig', **ENC, position_embedding_type='rotary', mask_token_id=3, pad_token_id=1),
    'ibert': masked('IBertForMaskedLM', 'IBertConfig', **ENC, **TOK),
    'rembert': masked('RemBertForMaskedLM', 'RemBertConfig', **ENC, input_embedding_size=24, output_embedding_size=24),
    'bigbird': masked('BigBirdForMaskedLM', 'BigBirdConfig', **ENC, attention_type='original_full', pad_token_id=0),
    'longformer': masked('LongformerForMaskedLM', 'LongformerConfig', **ENC, attention_window=[4, 4], pad_token_id=1),
    'xmod': masked('XmodForMaskedLM', 'XmodConfig', **ENC, languages=['a', 'b'], default_language='a', pad_token_id=1),
    'preln': masked('RobertaPreLayerNormForMaskedLM', 'RobertaPreLayerNormConfig', **ENC, pad_token_id=1),
    'nomic': masked('NomicBertForMaskedLM', 'NomicBertConfig', **{**DIM, 'intermediate_size': 64}),
    'eurobert': masked('EuroBertForMaskedLM', 'EuroBertConfig', **GQA, **TOK),
    'layoutlm': masked('LayoutLMForMaskedLM', 'LayoutLMConfig', **ENC, max_2d_position_embeddings=32),
    'led': translated('LEDForConditionalGeneration', 'LEDConfig', **{**{k: v for k, v in SEQ2SEQ.items() if k != 'max_position_embeddings'}, 'attention_window': 4, 'max_encoder_position_embeddings': 64, 'max_decoder_position_embeddings': 32}),
    'fsmt': translated('FSMTForConditionalGeneration', 'FSMTConfig', **{**SEQ2SEQ, 'src_vocab_size': V, 'tgt_vocab_size': V, 'langs': ['en', 'de']}),
    'umt5': translated('UMT5ForConditionalGeneration', 'UMT5Config', d_model=48, d_kv=12, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0, feed_forward_proj='gated-gelu', relative_attention_num_buckets=8),
    'pegasusx': translated('PegasusXForConditionalGeneration', 'PegasusXConfig', **SEQ2SEQ, num_global_tokens=2, block_size=4),
    'plbart': translated('PLBartForConditionalGeneration', 'PLBartConfig', **SEQ2SEQ),
    'deit': regressed('DeiTForImageClassification', 'DeiTConfig', image(16), **VIT),
    'hiera': regressed('HieraForImageClassification', 'HieraConfig', image(32), image_size=[32, 32], embed_dim=16, depths=[1, 1, 1], num_heads=[1, 2, 4], drop_path_rate=0.0, mlp_ratio=2.0, query_stride=[2, 2], masked_unit_size=[8, 8], num_query_pool=2),
    'glpn': regressed('GLPNForDepthEstimation', 'GLPNConfig', image(32), depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 16, 24], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=8, drop_path_rate=0.0),
    'swin2sr': regressed('Swin2SRForImageSuperResolution', 'Swin2SRConfig', image(16), image_size=16, embed_dim=16, depths=[2, 2], num_heads=[2, 2], window_size=4, drop_path_rate=0.0, upscale=2),
    'imagegpt': regressed('ImageGPTForCausalImageModeling', 'ImageGPTConfig', lambda o: {'input_ids': tokens(o, 'tokens')}, n_embd=48, n_layer=2, n_head=4, n_positions=32, vocab_size=V + 1, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0),
    'd2vaudio': regressed('Data2VecAudioForCTC', 'Data2VecAudioConfig', speech(400), **{k: v for k, v in W2V.items() if k != "num_conv_pos_embeddings"}, vocab_size=V, conv_pos_kernel_size=3, num_conv_pos_embeddings=2),
    'unispeech': regressed('UniSpeechForCTC', 'UniSpeechConfig', speech(400), **W2V, vocab_size=V),
    'sewd': regressed('SEWDForCTC', 'SEWDConfig', speech(400), **W2V, vocab_size=V, squeeze_factor=2, max_position_embeddings=32, position_buckets=8),
    'w2vbert': regressed('Wav2Vec2BertForCTC', 'Wav2Vec2BertConfig', lambda o: {'input_features': noise(o, 'speech', 2, 20, 16)}, **{k: v for k, v in W2V.items() if 'conv_' not in k and 'feat_extract' not in k}, feature_projection_input_dim=16, vocab_size=V, conformer_conv_dropout=0.0, conv_depthwise_kernel_size=5, position_embeddings_type='relative_key'),
    'vivit': regressed('VivitForVideoClassification', 'VivitConfig', lambda o: {'pixel_values': noise(o, 'video', 2, 4, 3, 16, 16)}, **{k: v for k, v in VIT.items() if k != 'patch_size'}, num_frames=4, tubelet_size=[2, 4, 4]),
    'perceiver': regressed('PerceiverForMaskedLM', 'PerceiverConfig', lambda o: {'inputs': tokens(o, 'tokens', s=16)}, num_latents=8, d_latents=32, d_model=24, num_blocks=1, num_self_attends_per_block=2, num_self_attention_heads=4, num_cross_attention_heads=4, qk_channels=16, v_channels=32, vocab_size=V, max_position_embeddings=16, attention_probs_dropout_prob=0.0),
    'decision': regressed('DecisionTransformerModel', 'DecisionTransformerConfig', lambda o: {'states': noise(o, 'states', 2, 6, 5), 'actions': noise(o, 'actions', 2, 6, 3), 'rewards': noise(o, 'rewards', 2, 6, 1), 'returns_to_go': noise(o, 'returns', 2, 6, 1), 'timesteps': torch.arange(6)[None].expand(2, -1).contiguous(), 'attention_mask': torch.ones(2, 6)}, state_dim=5, act_dim=3, hidden_size=48, n_layer=2, n_head=4, max_ep_len=32, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0),
    'swiftformer': regressed('SwiftFormerForImageClassification', 'SwiftFormerConfig', image(64), depths=[1, 1, 1, 1], embed_dims=[8, 16, 24, 32], drop_path_rate=0.0),
    'mobilenetv1': regressed('MobileNetV1ForImageClassification', 'MobileNetV1Config', image(64, 3), image_size=64, depth_multiplier=0.25, classifier_dropout_prob=0.0),
    'ijepa': regressed('IJepaForImageClassification', 'IJepaConfig', image(16), **VIT),
    'tnt': timm_model('tnt_s_legacy_patch16_224', 32, img_size=32, embed_dim=48, inner_dim=12, depth=2, num_heads_outer=4),
    'mambaout': timm_model('mambaout_femto', 64, depths=(1, 1, 1, 1), dims=(16, 24, 32, 48)),
    'starnet': timm_model('starnet_s1', 64, 3, base_dim=8, depths=[1, 1, 1, 1]),
    'tinyvit': timm_model('tiny_vit_5m_224', 64, embed_dims=(16, 32, 32, 64), depths=(1, 1, 1, 1), num_heads=(1, 2, 2, 4), window_sizes=(4, 4, 4, 2)),
    'convit': timm_model('convit_tiny', 32, img_size=32, embed_dim=48, depth=2, num_heads=4, local_up_to_layer=1),
    'sequencer': timm_model('sequencer2d_s', 32, img_size=32, layers=(1, 1, 1, 1), patch_sizes=(4, 2, 1, 1), embed_dims=(16, 24, 24, 24), hidden_sizes=(8, 8, 8, 8)),
    'sana': diffuser('SanaTransformer2DModel', lambda o: {'hidden_states': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([7, 301]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24)}, sample_size=8, patch_size=1, in_channels=4, out_channels=4, num_layers=2, attention_head_dim=12, num_attention_heads=4, num_cross_attention_heads=4, cross_attention_head_dim=12, cross_attention_dim=48, caption_channels=24),
    'unet1d': diffuser('UNet1DModel', lambda o: {'sample': noise(o, 'wave', 2, 6, 16), 'timestep': torch.tensor([7])}, sample_size=16, in_channels=6, out_channels=6, block_out_channels=(8, 16), layers_per_block=1, down_block_types=('DownResnetBlock1D', 'DownResnetBlock1D'), up_block_types=('UpResnetBlock1D',), mid_block_type='MidResTemporalBlock1D', out_block_type='OutConv1DBlock', act_fn='swish', time_embedding_type='positional', flip_sin_to_cos=False, freq_shift=1, extra_in_channels=0, use_timestep_embedding=True),
    'unetcond': diffuser('UNet2DConditionModel', lambda o: {'sample': noise(o, 'latent', 2, 4, 8, 8), 'timestep': torch.tensor([7, 301]), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24)}, sample_size=8, block_out_channels=(16, 24), down_block_types=('CrossAttnDownBlock2D', 'DownBlock2D'), up_block_types=('UpBlock2D', 'CrossAttnUpBlock2D'), layers_per_block=1, norm_num_groups=4, attention_head_dim=8, cross_attention_dim=24),
    'vq': diffuser('VQModel', lambda o: {'sample': noise(o, 'image', 2, 3, 16, 16)}, block_out_channels=(8, 16), down_block_types=('DownEncoderBlock2D',) * 2, up_block_types=('UpDecoderBlock2D',) * 2, layers_per_block=1, norm_num_groups=4, latent_channels=4, num_vq_embeddings=16),
    'prior': diffuser('PriorTransformer', lambda o: {'hidden_states': noise(o, 'embedding', 2, 24), 'timestep': torch.tensor([7, 301]), 'proj_embedding': noise(o, 'proj', 2, 24), 'encoder_hidden_states': noise(o, 'text', 2, 5, 24)}, num_attention_heads=4, attention_head_dim=12, num_layers=2, embedding_dim=24, num_embeddings=5, additional_embeddings=4),
}


def build(name, o):
    if name in CAUSAL:
        cls, config, kw = CAUSAL[name]
        return causal(o, cls, config, **kw)
    return MODELS[name](o)


# ---------------------------------------------------------------- the same mathematics, written in another way
def each(model, test):
    return [(n, m) for n, m in model.named_modules() if test(m)]


def by_hand(o, model):
    """modules whose forward is written out in other recorded calls"""
    if o.linear:
        for _, m in each(model, lambda m: type(m) is nn.Linear):
            def linear(self, x, kind=o.linear):
                if kind == 'addmm' and self.bias is not None:
                    return torch.addmm(self.bias, x.reshape(-1, x.shape[-1]), self.weight.t()).reshape(*x.shape[:-1], self.weight.shape[0])
                y = torch.matmul(x, self.weight.t())
                return y if self.bias is None else y + self.bias
            m.forward = types.MethodType(linear, m)
    if o.norm:
        for _, m in each(model, lambda m: type(m) is nn.LayerNorm and m.elementwise_affine):
            def norm(self, x):
                mean = x.mean(-1, keepdim=True)
                var = (x - mean).pow(2).mean(-1, keepdim=True)
                y = (x - mean) / torch.sqrt(var + self.eps) * self.weight
                return y if self.bias is None else y + self.bias
            m.forward = types.MethodType(norm, m)
        for _, m in each(model, lambda m: type(m).__name__.endswith('RMSNorm') and hasattr(m, 'variance_epsilon')):
            m.forward = types.MethodType(lambda self, x: F.rms_norm(x, (x.shape[-1],), self.weight, self.variance_epsilon), m)
    if o.act:
        for _, m in each(model, lambda m: type(m).__name__ in ('GELUActivation', 'GELU', 'GELUTanh', 'PytorchGELUTanh', 'SiLU', 'SiLUActivation', 'NewGELUActivation', 'FastGELUActivation')):
            def act(self, x, kind=type(m).__name__, approximate=getattr(m, 'approximate', None)):
                if 'SiLU' in kind:
                    return x * torch.sigmoid(x)
                if 'Tanh' in kind or approximate == 'tanh' or 'New' in kind or 'Fast' in kind:
                    return F.gelu(x, approximate='tanh') if 'New' in kind or 'Fast' in kind else 0.5 * x * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
                return x * 0.5 * (1.0 + torch.erf(x / 1.4142135623730951))
            m.forward = types.MethodType(act, m)
    if o.fused:
        for _, m in each(model, lambda m: all(type(getattr(m, p, None)) is nn.Linear for p in ('q_proj', 'k_proj', 'v_proj'))):
            fuse(m)
    if o.lora:
        for name, m in each(model, lambda m: type(m) is nn.Linear):
            if name.rsplit('.', 1)[-1] in ('q_proj', 'v_proj', 'query', 'value', 'qkv', 'to_q', 'to_v', 'query_key_value', 'qkv_proj'):
                *way, leaf = name.split('.')
                parent = model.get_submodule('.'.join(way))
                parent._modules[leaf] = Lora(m, name, o)
    return Wrapped(model) if o.wrap else model


def fuse(m):
    """one product for queries, keys and values, cut into its parts"""
    parts = [m.q_proj, m.k_proj, m.v_proj]
    sizes = [p.weight.shape[0] for p in parts]
    bias = parts[0].bias is not None
    m.qkv_proj = nn.Linear(parts[0].weight.shape[1], sum(sizes), bias)
    with torch.no_grad():
        m.qkv_proj.weight.copy_(torch.cat([p.weight for p in parts]))
        if bias:
            m.qkv_proj.bias.copy_(torch.cat([p.bias for p in parts]))
    held = {}

    def part(i):
        def get(x):
            if not i:
                held['parts'] = torch.split(m.qkv_proj(x), sizes, -1)
            return held['parts'][i]
        return get
    for i, name in enumerate(('q_proj', 'k_proj', 'v_proj')):
        delattr(m, name)
        object.__setattr__(m, name, part(i))


class Lora(nn.Module):
    """a frozen layer beside a product of low rank, whose second factor is zero at first"""
    def __init__(self, base, name, o, rank=4):
        super().__init__()
        self.base_layer, self.scaling = base, 2.0
        base.weight.requires_grad_(False)
        self.lora_A, self.lora_B = nn.Linear(base.in_features, rank, False), nn.Linear(rank, base.out_features, False)
        with torch.no_grad():
            self.lora_A.weight.copy_(0.1 * noise(o, name + 'A', *self.lora_A.weight.shape))
            self.lora_B.weight.copy_(0.0 if o.lora == 'zero' else 0.1 * noise(o, name + 'B', *self.lora_B.weight.shape))

    def forward(self, x):
        return self.base_layer(x) + self.lora_B(self.lora_A(x)) * self.scaling


class Wrapped(nn.Module):
    """as data-parallel wrappers do"""
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *a, **k):
        return self.module(*a, **k)


def summed_otherwise(kind):
    """F.linear with products of another order of summation, or with TF32 operands, forward and backward; what it computes is not recorded"""
    def tf32(x):
        c = RAW.mul(x, 8193.0)
        return RAW.sub(c, RAW.sub(c, x))

    def product(a, b):
        if kind == 'tf32' and a.dtype == torch.float32:
            return RAW.matmul(tf32(a), tf32(b))
        h = a.shape[-1] * 2 // 5 + 1
        if h >= a.shape[-1]:
            return RAW.matmul(a, b)
        return RAW.add(RAW.matmul(a[..., h:], b[h:]), RAW.matmul(a[..., :h], b[:h]))

    class Product(torch.autograd.Function):               # takes (bias,) input of two axes, transposed weight, as the library's node does
        @staticmethod
        def forward(ctx, *a):
            x, w = a[-2:]
            ctx.save_for_backward(x, w)
            y = product(x, w)
            return RAW.add(y, a[0]) if len(a) == 3 else y

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return (*([RAW.sum(g, 0)] if len(ctx.needs_input_grad) == 3 else []), product(g, RAW.t(w)), product(RAW.t(x), g))
    view = torch._C.TensorBase.reshape

    def linear(x, w, bias=None):
        flat = x if x.dim() == 2 else view(x, (-1, x.shape[-1]))
        y = Product.apply(*([] if bias is None else [bias]), flat, RAW.t(w))
        return y if x.dim() == 2 else view(y, (*x.shape[:-1], w.shape[0]))
    F.linear = linear


# ---------------------------------------------------------------- faults
def number(v):
    for read in (int, float):
        try:
            return read(v)
        except ValueError:
            pass
    return {'True': True, 'False': False, 'None': None}.get(v, v)


def at(m, path):
    return m.get_submodule(path) if path else m


def parameter(m, path):
    *way, leaf = path.split('.')
    return getattr(at(m, '.'.join(way)), leaf)


def around(module, change):
    f = module.forward
    module.forward = lambda *a, **k: change(f, *a, **k)


class Altered(torch.autograd.Function):
    """values changed by a function, gradients multiplied, without a recorded call"""
    @staticmethod
    def forward(ctx, x, change, factor):
        ctx.factor = factor
        return change(x) if change else RAW.clone(x)

    @staticmethod
    def backward(ctx, g):
        return RAW.mul(g, ctx.factor), None, None


def nth(lib, name, n, bad):
    old, count = getattr(lib, name), [0]

    def f(*a, **k):
        count[0] += 1
        return bad(old, *a, **k) if count[0] == int(n) + 1 else old(*a, **k)
    setattr(lib, name, f)


def before_building(fault, o):
    kind, _, arg = fault.partition(':')
    if kind == 'opt':
        k, v = arg.split('=')
        setattr(o, k, number(v))
    elif kind == 'cfg':
        path, v = arg.split('=')

        def change(c):
            *way, leaf = path.split('.')
            for k in way:
                c = c[k] if isinstance(c, dict) else getattr(c, k)
            c.__setitem__(leaf, number(v)) if isinstance(c, dict) else setattr(c, leaf, number(v))
        o.config.append(change)
    elif kind == 'causal':
        from transformers import masking_utils
        masking_utils.causal_mask_function = lambda b, h, q, kv: kv <= q + int(arg)
    elif kind == 'window':
        from transformers import masking_utils
        old = masking_utils.sliding_window_overlay
        masking_utils.sliding_window_overlay = lambda n: old(n + int(arg))
    elif kind == 'interleaved':
        module, n = arg.split('@')
        half = lambda x: torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
        nth(importlib.import_module(f'transformers.models.{module}.modeling_{module}'), 'apply_rotary_pos_emb', n,
            lambda old, q, k, cos, sin, *a, **kw: (q * cos.unsqueeze(1) + half(q) * sin.unsqueeze(1), k * cos.unsqueeze(1) + half(k) * sin.unsqueeze(1)))
    elif kind == 'kernel':                                # NAME@N=HOW: the n-th call of a functional
        name, n, how = arg.replace('=', '@').split('@')

        def bad(old, *a, **k):
            if how == 'bfloat16':
                t = torch.bfloat16
                return old(*[CAST(x, t) if torch.is_tensor(x) and x.is_floating_point() else x for x in a], **{x: t if x == 'dtype' else z for x, z in k.items()}).to(a[0].dtype)
            if how == 'axis':                             # along the last axis but one
                return old(*a[:1], **{**k, 'dim': -2})
            y = old(*a, **k)
            if how == 'nanhead':
                return y.masked_fill(torch.arange(y.shape[1]).view(1, -1, *[1] * (y.dim() - 2)) == 1, float('nan'))
            if how == 'zerohead':
                return y * (torch.arange(y.shape[1]) != 1).to(y.dtype).view(1, -1, *[1] * (y.dim() - 2))
            return y * float(how)
        nth(F, name, n, bad)


@torch.no_grad()
def after_building(fault, m, given):
    kind, _, arg = fault.partition(':')
    path, _, v = arg.partition('=')
    parent, _, leaf = path.rpartition('.')
    if kind == 'attr':
        setattr(at(m, parent), leaf, number(v))
    elif kind == 'act':
        new = {'gelu': nn.GELU(), 'gelu_tanh': nn.GELU(approximate='tanh'), 'relu': nn.ReLU(), 'silu': nn.SiLU()}[v]
        setattr(at(m, parent), leaf, new)
    elif kind == 'transpose':
        p = parameter(m, path)
        p.copy_(p.t().clone())
    elif kind == 'scale':
        parameter(m, path).mul_(float(v))
    elif kind == 'zero':
        parameter(m, path).zero_()
    elif kind == 'add':                                   # a norm's weight with and without the one it is relative to
        parameter(m, path).add_(float(v))
    elif kind == 'nobias':
        at(m, path).bias = None
    elif kind == 'heads':                                 # of so many heads the first two change places
        p, h = parameter(m, path), int(v)
        heads = p.view(h, p.shape[0] // h, *p.shape[1:])
        heads[[0, 1]] = heads[[1, 0]].clone()
    elif kind == 'random':                                # not loaded
        p = parameter(m, path)
        p.copy_(torch.from_numpy(draw('not loaded').standard_normal(tuple(p.shape)).astype(np.float32)) * p.std())
    elif kind == 'swap':
        a, b = parameter(m, path), parameter(m, v)
        a.data, b.data = b.data.clone(), a.data.clone()
    elif kind == 'rows':
        i, j = map(int, v.split(','))
        p = parameter(m, path)
        p[[i, j]] = p[[j, i]].clone()
    elif kind == 'skip':                                  # a module returns its input
        around(at(m, path), lambda f, x, *a, **k: x)
    elif kind == 'nores':                                 # what a block returns, less its input
        around(at(m, path), lambda f, x, *a, **k: more(f(x, *a, **k), -x))
    elif kind == 'mulout':                                # a recorded factor behind a module
        around(at(m, path), lambda f, *a, **k: f(*a, **k) * float(v))
    elif kind == 'rmsonly':                               # a layer norm that does not subtract the mean
        n = at(m, path)
        n.forward = lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + n.eps) * n.weight + n.bias
    elif kind == 'flipmask':                              # padding on the other side
        given['attention_mask'] = given['attention_mask'].flip(-1)
    elif kind == 'double':                                # what a module returns, with its input once more
        around(at(m, path), lambda f, x, *a, **k: more(f(x, *a, **k), x))
    elif kind == 'out':                                   # a kernel's results multiplied
        around(at(m, path), lambda f, *a, **k: Altered.apply(f(*a, **k), lambda y: RAW.mul(y, float(v)), 1.0))
    elif kind == 'round':
        around(at(m, path), lambda f, x, *a, **k: f(Altered.apply(x, lambda y: CAST(CAST(y, getattr(torch, v)), y.dtype), 1.0), *a, **k))
    elif kind == 'grad':                                  # the gradient that leaves a module multiplied
        around(at(m, path), lambda f, x, *a, **k: f(Altered.apply(x, None, float(v)), *a, **k))
    elif kind == 'zerograd':
        parameter(m, path).register_hook(lambda g: RAW.zeros_like(g))
    elif kind == 'scalegrad':                             # a parameter's gradient multiplied
        parameter(m, path).register_hook(lambda g: RAW.mul(g, float(v)))
    elif kind == 'detach':                                # no gradient passes into a module's input
        around(at(m, path), lambda f, x, *a, **k: f(x.detach(), *a, **k))
    elif kind == 'kw':
        around(at(m, parent), lambda f, *a, **k: f(*a, **{**k, leaf: number(v)}))
    elif kind == 'input':
        given[path] = torch.ones_like(given[path]) if v == 'ones' else given[path] + int(v)
    elif kind == 'untie':                                 # a head with a weight of its own
        at(m, path).weight = nn.Parameter(at(m, path).weight.detach().clone())
    elif kind == 'stale':                                 # a module returns what it returned first
        held = []
        around(at(m, path), lambda f, *a, **k: held[0] if held else (held.append(f(*a, **k).detach()), f(*a, **k))[1])
    elif kind == 'half':                                  # a linear layer alone in 16 bits
        n, t = at(m, path), getattr(torch, v)
        n.forward = lambda x: F.linear(x.to(t), n.weight.to(t), None if n.bias is None else n.bias.to(t)).to(x.dtype)
    elif kind == 'dropout':
        around(at(m, path), lambda f, *a, **k: F.dropout(f(*a, **k), float(v)))


def more(y, x):
    return (y[0] + x, *y[1:]) if isinstance(y, tuple) else y + x
