"""Records steps of the PyTorch side under msprobe: one JSON object a line on standard input, each in a process of its own.

keys: model, weights (npz), out (folder) and, as far as needed, init (draws the weights; msweights: the npz for MindFormers), level, task, fault {set, weights, config, ...}, steps, lr, decay, decay_all, scale
"""
import json, os, shutil, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
import transformers
from models import SIZES, at, changed, each_line, inputs, to_mindformers
import models_pt
import set13_pt
torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)


def hf(name, config, **k):
    cls = getattr(transformers, name)
    return cls(getattr(transformers, config)(**k, attn_implementation='eager'))


def gpt2(c, f):
    return hf('GPT2LMHeadModel', 'GPT2Config', **{**dict(vocab_size=c['vocab'], n_positions=c['seq'], n_embd=c['hidden'], n_layer=c['layers'], n_head=c['heads'], activation_function='gelu_new', resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, layer_norm_epsilon=c['eps'], use_cache=False), **f.get('config', {})})


def clip(c, f):
    t = dict(vocab_size=c['vocab'], hidden_size=c['hidden'], intermediate_size=4 * c['hidden'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], max_position_embeddings=c['seq'], eos_token_id=2, bos_token_id=1, pad_token_id=0, layer_norm_eps=c['eps'])
    v = dict(hidden_size=c['vhidden'], intermediate_size=4 * c['vhidden'], num_hidden_layers=c['layers'], num_attention_heads=c['vheads'], image_size=c['image'], patch_size=c['patch'], layer_norm_eps=c['eps'])
    net = hf('CLIPModel', 'CLIPConfig', text_config=t, vision_config=v, projection_dim=c['proj'])
    net.logit_scale.requires_grad_(False)
    return net


def t5(c, f):
    net = hf('T5ForConditionalGeneration', 'T5Config', vocab_size=c['vocab'], d_model=c['hidden'], d_kv=c['hd'], d_ff=c['inter'], num_layers=c['layers'], num_heads=c['heads'], dropout_rate=0.0, layer_norm_epsilon=c['eps'], feed_forward_proj='relu', use_cache=False,
             tie_word_embeddings=True, decoder_start_token_id=0, relative_attention_num_buckets=32)
    for n, p in net.named_parameters():
        p.requires_grad_('relative_attention_bias' not in n)          # MindFormers does not train it either
    return net


def llama_args(c):
    return dict(vocab_size=c['vocab'], hidden_size=c['hidden'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], num_key_value_heads=c['kv'], intermediate_size=c['inter'], rms_norm_eps=c['eps'], rope_parameters=dict(rope_type='default', rope_theta=c['theta']),
                max_position_embeddings=64, tie_word_embeddings=False, use_cache=False, attention_dropout=0.0)


def mixtral(c, f):
    return hf('MixtralForCausalLM', 'MixtralConfig', **llama_args(c), num_local_experts=c['experts'], num_experts_per_tok=c['topk'], sliding_window=None)


def mae(c, f):
    return hf('ViTMAEForPreTraining', 'ViTMAEConfig', hidden_size=c['hidden'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], intermediate_size=c['inter'], image_size=c['image'], patch_size=c['patch'], decoder_hidden_size=c['dhidden'], hidden_act='gelu_pytorch_tanh',
              decoder_num_hidden_layers=c['dlayers'], decoder_num_attention_heads=c['dheads'], decoder_intermediate_size=c['dinter'], mask_ratio=c['ratio'], norm_pix_loss=False, layer_norm_eps=c['eps'], hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)


def eva02(c, f):
    import timm.models.eva
    net = timm.models.eva.Eva(img_size=c['image'], patch_size=c['patch'], num_classes=c['classes'], embed_dim=c['hidden'], depth=c['layers'], num_heads=c['heads'], mlp_ratio=c['inter'] / c['hidden'], swiglu_mlp=True, scale_mlp=True, scale_attn_inner=False, qkv_fused=False,
                              use_rot_pos_emb=True, ref_feat_shape=(4, 4), global_pool='avg')
    for m in net.modules():
        if hasattr(m, 'fused_attn'):
            m.fused_attn = False
    return net


def sam(c, f):
    from transformers.models.sam.modeling_sam import SamVisionEncoder
    from transformers.models.sam.configuration_sam import SamVisionConfig
    a = SamVisionConfig(hidden_size=c['hidden'], output_channels=c['out'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], image_size=c['image'], patch_size=c['patch'], window_size=c['window'], global_attn_indexes=c['full'], mlp_dim=c['inter'],
                        hidden_act='gelu_pytorch_tanh', layer_norm_eps=c['eps'], attn_implementation='eager')
    return SamVisionEncoder(a)


class QFormer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.query_tokens = nn.Parameter(torch.zeros(1, c['queries'], c['hidden']))
        self.bert = hf('Blip2QFormerModel', 'Blip2QFormerConfig', hidden_size=c['hidden'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], intermediate_size=c['inter'], encoder_hidden_size=c['width'], cross_attention_frequency=c['every'], hidden_act='gelu_pytorch_tanh',
                       hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, layer_norm_eps=c['eps'])
        self.head = nn.Linear(c['hidden'], c['classes'])

    def forward(self, features):
        x = self.bert(query_embeds=self.query_tokens.expand(features.shape[0], -1, -1), encoder_hidden_states=features).last_hidden_state
        return self.head(x.mean(1))


def qwen3moe(c, f):
    return hf('Qwen3MoeForCausalLM', 'Qwen3MoeConfig', **llama_args(c), head_dim=c['hd'], moe_intermediate_size=c['minter'], num_experts=c['experts'], num_experts_per_tok=c['topk'], norm_topk_prob=True)


def deepseek3(c, f):
    return hf('DeepseekV3ForCausalLM', 'DeepseekV3Config', experts_implementation='eager', **llama_args({**c, 'kv': c['heads']}), moe_intermediate_size=c['minter'], n_routed_experts=c['experts'], num_experts_per_tok=c['topk'], n_group=c['groups'], topk_group=c['of'], n_shared_experts=c['shared'],
              routed_scaling_factor=c['factor'], q_lora_rank=c['q'], kv_lora_rank=c['kv'], qk_nope_head_dim=c['nope'], qk_rope_head_dim=c['rope'], v_head_dim=c['vd'], first_k_dense_replace=c['dense'], norm_topk_prob=True)


def qwen2moe(c, f):
    return hf('Qwen2MoeForCausalLM', 'Qwen2MoeConfig', **llama_args(c), moe_intermediate_size=c['minter'], shared_expert_intermediate_size=c['sinter'], num_experts=c['experts'], num_experts_per_tok=c['topk'], norm_topk_prob=False, qkv_bias=True)


BUILD = dict(qwen2moe=qwen2moe, qwen3moe=qwen3moe, deepseek3=deepseek3, mae=mae, eva02=eva02, sam=sam, qformer=lambda c, f: QFormer(c), internlm2=models_pt.InternLM2, gpt2=gpt2, clip=clip, t5=t5, mixtral=mixtral, dsmoe=models_pt.DeepseekMoE)
BUILD.update({k: lambda c, f, b=b: b(c, f, hf) for k, b in set13_pt.BUILD.items()})


def loss_of(net, model, step):
    t = lambda a: torch.from_numpy(a.astype(np.int64))
    c, d = SIZES[model], inputs(model, step)
    if model in set13_pt.LOSS:
        return set13_pt.LOSS[model](net, c, d, torch.from_numpy)
    if model == 'clip':
        return net(input_ids=t(d['ids']), pixel_values=torch.from_numpy(d['image']), return_loss=True).loss
    if model == 'mae':
        return net(pixel_values=torch.from_numpy(d['image']), noise=torch.from_numpy(d['noise'])).loss
    if model == 'sam':
        return F.mse_loss(net(torch.from_numpy(d['image'])).last_hidden_state, torch.from_numpy(d['target']))
    if 'label' in d:
        return F.cross_entropy(net(torch.from_numpy(d['features' if model == 'qformer' else 'image'])), t(d['label']))
    if model == 't5':
        o, y = net(input_ids=t(d['ids'][:, :-1]), attention_mask=torch.ones(c['batch'], c['seq'], dtype=torch.int64), decoder_input_ids=t(d['target'][:, :-1])).logits, t(d['target'][:, 1:])
    else:
        o, y = net(t(d['ids'][:, :-1])), t(d['ids'][:, 1:])
        o = o if torch.is_tensor(o) else o.logits
    return F.cross_entropy(o.float().view(-1, o.shape[-1]), y.reshape(-1))


def draw(net, seed):
    """weights of the size that a trained model has, norms near 1, biases near 0"""
    g = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for n, p in net.named_parameters():
            r = torch.randn(p.shape, generator=g)
            if p.dim() == 0:
                continue
            if p.dim() == 1:
                p.copy_((1.0 if ('norm' in n or 'ln_' in n) and n.endswith('weight') else 0.0) + 0.1 * r)
            else:
                e = 'embed' in n and 'proj' not in n or 'shared.weight' == n or any(x in n for x in ('.wte', '.wpe', 'token', 'rel_pos'))
                p.copy_(r * 0.4 if e else r / np.sqrt(p[0].numel() if p.dim() != 3 else p.shape[-1]))


def put(net, path, v):
    """a fault: sets what path names to v; {"module": "GELU()"} is a module of torch.nn, "no residual" leaves an addition out"""
    head, _, a = path.rpartition('.')
    o = at(net, head) if head else net
    if v == 'no residual':                                            # of an output of BERT's kind
        v = lambda x, y, o=at(net, path): o.LayerNorm(o.dropout(o.dense(x)))
        o, a = at(net, path), 'forward'
    setattr(o, a, eval(v['module'], vars(nn)) if isinstance(v, dict) else v)


def load(net, j):
    w = np.load(j['weights'])
    w = changed({k: w[k] for k in w.files}, j.get('fault', {}).get('weights', []))
    ps = dict(net.named_parameters())
    assert set(ps) == set(w), set(ps) ^ set(w)
    with torch.no_grad():
        for k, p in ps.items():
            p.copy_(torch.from_numpy(w[k].reshape(p.shape)))


def train(net, j):
    tp = [p for p in net.parameters() if p.requires_grad]
    decayed = [p for p in tp if p.ndim > 1 or j.get('decay_all')]
    rest = [p for p in tp if not (p.ndim > 1 or j.get('decay_all'))]
    opt = torch.optim.AdamW([dict(params=decayed, weight_decay=j.get('decay', 0.1))] + ([dict(params=rest, weight_decay=0.0)] if rest else []), lr=j.get('lr', 1e-3), betas=(0.9, 0.95), eps=1e-8, foreach=False)
    from msprobe.pytorch import PrecisionDebugger
    last = j.get('steps', 1) - 1
    shutil.rmtree(j['out'], ignore_errors=True)
    os.makedirs(j['out'])
    json.dump({'task': j.get('task', 'tensor'), 'dump_path': j['out'], 'rank': [], 'step': [0], 'level': j.get('level', 'mix'), 'async_dump': False, 'extra_info': True, 'tensor': {'scope': [], 'list': [], 'data_mode': ['all']},
               'statistics': {'scope': [], 'list': [], 'tensor_list': [], 'data_mode': ['all'], 'summary_mode': 'statistics'}}, open(j['out'] + '.json', 'w'))
    debugger = PrecisionDebugger(config_path=j['out'] + '.json')
    for i in range(last + 1):
        if i == last:
            debugger.start(model=net, rank_id=0)
        loss = loss_of(net, j['model'], i)
        opt.zero_grad()
        (loss * j['scale'] if j.get('scale') else loss).backward()
        if i == last:
            debugger.stop()
            debugger.step()
        for p in tp:
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad / j.get('scale', 1)
        torch.nn.utils.clip_grad_norm_(tp, 1.0)
        opt.step()
        print('loss', i, loss.item())


def run(j):
    f, c = j.get('fault') or {}, SIZES[j['model']]
    torch.manual_seed(c['seed'])
    net = BUILD[j['model']]({**c, **f.get('sizes', {})}, f)
    if j.get('init'):
        draw(net, c['seed'])
        w = {k: v.detach().numpy() for k, v in net.named_parameters()}
        np.savez(j['weights'], **w)
        np.savez(j['msweights'], **to_mindformers(j['model'], w))
        return print(sum(v.size for v in w.values()), 'parameters')
    load(net, j)
    net.train()
    for path, v in f.get('set', {}).items():
        put(net, path, v)
    train(net, j)


if __name__ == '__main__':
    each_line(run)
