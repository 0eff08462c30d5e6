"""The PyTorch side of set13.py: transformers' classes, or models as their repositories write them."""
import math
import torch
from torch import nn
import torch.nn.functional as F
from models_pt import MLP, RMSNorm, Rotary


def mt5(c, f, hf):
    net = hf('MT5ForConditionalGeneration', 'MT5Config', vocab_size=c['vocab'], d_model=c['hidden'], d_kv=c['hd'], d_ff=c['inter'], num_layers=c['layers'], num_decoder_layers=c['layers'], num_heads=c['heads'], dropout_rate=0.0, layer_norm_epsilon=c['eps'], feed_forward_proj='gated-gelu', use_cache=False)
    net.lm_head.weight = nn.Parameter(net.lm_head.weight.detach().clone())          # transformers ties it, the paper's and MindFormers' do not
    return net


def gpt2cls(c, f, hf):
    return hf('GPT2ForSequenceClassification', 'GPT2Config', vocab_size=c['vocab'], n_positions=c['seq'], n_embd=c['hidden'], n_layer=c['layers'], n_head=c['heads'], activation_function='gelu_new', resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, layer_norm_epsilon=c['eps'], use_cache=False,
              num_labels=c['labels'], pad_token_id=0)


class BaichuanAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.hd = c['heads'], c['hidden'] // c['heads']
        self.W_pack, self.o_proj = nn.Linear(c['hidden'], 3 * c['hidden'], bias=False), nn.Linear(c['hidden'], c['hidden'], bias=False)

    def forward(self, x, mask):
        b, s, d = x.shape
        q, k, v = (t.view(b, s, self.heads, self.hd).transpose(1, 2) for t in self.W_pack(x).unflatten(-1, (3, d)).unsqueeze(0).transpose(0, -2).squeeze(-2))
        w = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.hd)
        w = torch.max(w + mask, torch.tensor(torch.finfo(w.dtype).min))
        return self.o_proj(torch.matmul(F.softmax(w, dim=-1), v).transpose(1, 2).reshape(b, s, d))


class BaichuanLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn, self.mlp = BaichuanAttention(c), MLP(c['hidden'], c['inter'])
        self.input_layernorm, self.post_attention_layernorm = RMSNorm(c['hidden'], c['eps']), RMSNorm(c['hidden'], c['eps'])

    def forward(self, x, mask):
        x = x + self.self_attn(self.input_layernorm(x), mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class BaichuanModel(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed_tokens, self.norm = nn.Embedding(c['vocab'], c['hidden']), RMSNorm(c['hidden'], c['eps'])
        self.layers = nn.ModuleList([BaichuanLayer(c) for _ in range(c['layers'])])
        near = 2 ** math.floor(math.log2(c['heads']))
        power = lambda n: [2 ** (-8 / n * (i + 1)) for i in range(n)]
        slopes = torch.tensor(power(near) + power(2 * near)[0::2][:c['heads'] - near])
        at = torch.arange(c['seq'])
        self.register_buffer('future_mask', torch.full((c['seq'], c['seq']), -math.inf).triu(1)[None] + slopes[:, None, None] * (at[None] - at[:, None])[None], persistent=False)

    def forward(self, ids):
        x = self.embed_tokens(ids)
        for l in self.layers:
            x = l(x, self.future_mask)
        return self.norm(x)


class Baichuan7Attention(BaichuanAttention):
    def __init__(self, c):
        super().__init__(c)
        self.rotary_emb = Rotary(self.hd, c['seq'], c['theta'])

    def forward(self, x, mask):
        b, s, d = x.shape
        q, k, v = (t.view(b, s, self.heads, self.hd).transpose(1, 2) for t in self.W_pack(x).unflatten(-1, (3, d)).unsqueeze(0).transpose(0, -2).squeeze(-2))
        q, k = self.rotary_emb(q, k)
        w = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.hd) + mask
        return self.o_proj(torch.matmul(F.softmax(w, dim=-1), v).transpose(1, 2).reshape(b, s, d))


class NormHead(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(c['vocab'], c['hidden']))

    def forward(self, x):
        w = self.weight / torch.sqrt(self.weight.pow(2).sum(1, keepdim=True) + 1e-5)
        return F.linear(x, w)


class Baichuan7(nn.Module):
    def __init__(self, c, f, hf):
        super().__init__()
        self.model, self.lm_head = BaichuanModel(c), NormHead(c)
        for l in self.model.layers:
            l.self_attn = Baichuan7Attention(c)
        self.model.future_mask = torch.full((c['seq'], c['seq']), torch.finfo(torch.float32).min).triu(1)[None, None]

    def forward(self, ids):
        return self.lm_head(self.model(ids))


class Baichuan(nn.Module):
    def __init__(self, c, f, hf):
        super().__init__()
        self.model, self.lm_head = BaichuanModel(c), NormHead(c)

    def forward(self, ids):
        return self.lm_head(self.model(ids))


def samdec(c, f, hf):
    from transformers.models.sam.modeling_sam import SamMaskDecoder
    from transformers.models.sam.configuration_sam import SamMaskDecoderConfig
    net = SamMaskDecoder(SamMaskDecoderConfig(hidden_size=c['hidden'], mlp_dim=c['inter'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], num_multimask_outputs=c['masks'], iou_head_hidden_dim=c['iou'], layer_norm_eps=c['eps'], attn_implementation='eager'))
    net.activation = nn.GELU('tanh')
    net.transformer.layer_norm_final_attn.eps = c['eps']
    return net


def samdec_loss(net, c, d, t):
    masks, quality = net(t(d['features']), t(d['place']), t(d['sparse'])[None], t(d['dense']), True)
    return F.mse_loss(masks[0], t(d['target'])) + F.mse_loss(quality[0], t(d['quality']))


class Blip2Llm(nn.Module):
    """BLIP-2's second stage as LAVIS writes it: image encoder, norm, Q-Former, projection, Llama"""
    def __init__(self, c, f, hf):
        super().__init__()
        import transformers
        v = transformers.ViTConfig(hidden_size=c['vhidden'], num_hidden_layers=c['vlayers'], num_attention_heads=c['vheads'], intermediate_size=c['vinter'], image_size=c['image'], patch_size=c['patch'], hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, hidden_act='gelu_pytorch_tanh', layer_norm_eps=c['eps'],
                                   attn_implementation='eager')
        self.vision = transformers.ViTModel(v, add_pooling_layer=False)
        self.vision.layernorm.eps = 1e-5
        self.query_tokens = nn.Parameter(torch.zeros(1, c['queries'], c['qhidden']))
        self.qformer = hf('Blip2QFormerModel', 'Blip2QFormerConfig', hidden_size=c['qhidden'], num_hidden_layers=c['qlayers'], num_attention_heads=c['qheads'], intermediate_size=c['qinter'], encoder_hidden_size=c['vhidden'], cross_attention_frequency=c['every'], hidden_act='gelu_pytorch_tanh',
                          hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, layer_norm_eps=c['eps'])
        self.llm_proj = nn.Linear(c['qhidden'], c['hidden'])
        self.llm = hf('LlamaForCausalLM', 'LlamaConfig', vocab_size=c['vocab'], hidden_size=c['hidden'], intermediate_size=c['inter'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], num_key_value_heads=c['kv'], rms_norm_eps=c['eps'], rope_theta=c['theta'], max_position_embeddings=64,
                      tie_word_embeddings=False, use_cache=False)

    def forward(self, image, ids):
        y = self.vision(image).last_hidden_state
        y = self.qformer(query_embeds=self.query_tokens.expand(image.shape[0], -1, -1), encoder_hidden_states=y).last_hidden_state
        x = torch.cat((self.llm_proj(y), self.llm.model.embed_tokens(ids)), 1)
        return self.llm(inputs_embeds=x).logits


def blip2llm_loss(net, c, d, t):
    ids = t(d['ids']).long()
    o = net(t(d['image']), ids[:, :-1])
    y = torch.cat((torch.full((c['batch'], c['queries'] - 1), -100), ids), 1)
    return F.cross_entropy(o.reshape(-1, o.shape[-1]), y.reshape(-1))


def deepseek2(c, f, hf):
    return hf('DeepseekV2ForCausalLM', 'DeepseekV2Config', vocab_size=c['vocab'], hidden_size=c['hidden'], intermediate_size=c['inter'], moe_intermediate_size=c['minter'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], num_key_value_heads=c['heads'], n_routed_experts=c['experts'],
              num_experts_per_tok=c['topk'], n_shared_experts=c['shared'], routed_scaling_factor=c['factor'], q_lora_rank=c['q'], kv_lora_rank=c['rank'], qk_nope_head_dim=c['nope'], qk_rope_head_dim=c['rope'], v_head_dim=c['vd'], first_k_dense_replace=c['dense'], norm_topk_prob=False,
              topk_method='greedy', rms_norm_eps=c['eps'], rope_theta=c['theta'], max_position_embeddings=64, tie_word_embeddings=False, use_cache=False, attention_dropout=0.0)


class QwenAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.hd = c['heads'], c['hidden'] // c['heads']
        self.c_attn, self.c_proj, self.rotary = nn.Linear(c['hidden'], 3 * c['hidden']), nn.Linear(c['hidden'], c['hidden'], bias=False), Rotary(self.hd, c['seq'], c['theta'])

    def forward(self, x, mask):
        b, s, d = x.shape
        q, k, v = (t.view(b, s, self.heads, self.hd).permute(0, 2, 1, 3) for t in self.c_attn(x).split(d, dim=2))
        q, k = self.rotary(q, k)
        w = torch.matmul(q, k.transpose(-1, -2)) / torch.full([], self.hd ** 0.5)
        w = torch.where(mask, w, torch.full([], torch.finfo(w.dtype).min))
        return self.c_proj(torch.matmul(F.softmax(w, dim=-1), v).permute(0, 2, 1, 3).contiguous().view(b, s, d))


class QwenMLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.w1, self.w2, self.c_proj = nn.Linear(c['hidden'], c['inter'], bias=False), nn.Linear(c['hidden'], c['inter'], bias=False), nn.Linear(c['inter'], c['hidden'], bias=False)

    def forward(self, x):
        return self.c_proj(self.w1(x) * F.silu(self.w2(x)))


class QwenBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln_1, self.attn, self.ln_2, self.mlp = RMSNorm(c['hidden'], c['eps']), QwenAttention(c), RMSNorm(c['hidden'], c['eps']), QwenMLP(c)

    def forward(self, x, mask):
        x = self.attn(self.ln_1(x), mask) + x
        return self.mlp(self.ln_2(x)) + x


class QwenModel(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.wte, self.h, self.ln_f = nn.Embedding(c['vocab'], c['hidden']), nn.ModuleList([QwenBlock(c) for _ in range(c['layers'])]), RMSNorm(c['hidden'], c['eps'])

    def forward(self, ids):
        x = self.wte(ids)
        mask = torch.tril(torch.ones((ids.shape[1], ids.shape[1]), dtype=torch.bool))[None, None]
        for b in self.h:
            x = b(x, mask)
        return self.ln_f(x)


class Qwen(nn.Module):
    def __init__(self, c, f, hf):
        super().__init__()
        self.transformer, self.lm_head = QwenModel(c), nn.Linear(c['hidden'], c['vocab'], bias=False)

    def forward(self, ids):
        return self.lm_head(self.transformer(ids))


class VisionAttention(nn.Module):
    """CogVLM2's attention: tokens of the image have weights of their own"""
    def __init__(self, c):
        super().__init__()
        d = c['hidden']
        self.heads, self.hd = c['heads'], d // c['heads']
        self.vision_expert_query_key_value, self.vision_expert_dense = nn.Linear(d, 3 * d), nn.Linear(d, d, bias=False)
        self.language_expert_query_key_value, self.language_expert_dense = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.rotary_emb = Rotary(self.hd, c['seq'], c['theta'])

    def forward(self, x, image, text, mask):
        b, s, d = x.shape
        m = torch.empty((b, s, 3 * d), dtype=x.dtype)
        m[image] = self.vision_expert_query_key_value(x[image])
        m[text] = self.language_expert_query_key_value(x[text])
        q, k, v = (t.view(b, s, self.heads, self.hd).permute(0, 2, 1, 3) for t in torch.split(m, d, dim=-1))
        q, k = self.rotary_emb(q, k)
        w = F.softmax(torch.matmul(q / math.sqrt(self.hd), k.transpose(-1, -2)) + mask, dim=-1, dtype=torch.float32)
        y = torch.matmul(w, v).transpose(1, 2).contiguous().reshape(b, s, d)
        o = torch.empty(y.shape, dtype=y.dtype)
        o[image] = self.vision_expert_dense(y[image])
        o[text] = self.language_expert_dense(y[text])
        return o


class VisionMLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.language_mlp, self.vision_mlp = MLP(c['hidden'], c['inter']), MLP(c['hidden'], c['inter'])

    def forward(self, x, image, text):
        o = torch.empty(x.shape, dtype=x.dtype)
        o[image] = self.vision_mlp(x[image])
        o[text] = self.language_mlp(x[text])
        return o


class VisionLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn, self.mlp, self.input_layernorm, self.post_attention_layernorm = VisionAttention(c), VisionMLP(c), RMSNorm(c['hidden'], c['eps']), RMSNorm(c['hidden'], c['eps'])

    def forward(self, x, image, text, mask):
        x = x + self.self_attn(self.input_layernorm(x), image, text, mask)
        return x + self.mlp(self.post_attention_layernorm(x), image, text)


class VisionModel(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed_tokens, self.norm, self.vision = nn.Embedding(c['vocab'], c['hidden']), RMSNorm(c['hidden'], c['eps']), c['vision']
        self.layers = nn.ModuleList([VisionLayer(c) for _ in range(c['layers'])])

    def forward(self, ids):
        b, s = ids.shape
        image = torch.zeros((b, s), dtype=torch.bool)
        image[:, 1:1 + self.vision] = True
        mask = torch.full((s, s), torch.finfo(torch.float32).min).triu(1)[None, None]
        x = self.embed_tokens(ids)
        for l in self.layers:
            x = l(x, image, ~image, mask)
        return self.norm(x)


class CogVLM2(nn.Module):
    def __init__(self, c, f, hf):
        super().__init__()
        self.model, self.lm_head = VisionModel(c), nn.Linear(c['hidden'], c['vocab'], bias=False)

    def forward(self, ids):
        return self.lm_head(self.model(ids))


def graphllama(c, f, hf):
    return hf('LlamaForCausalLM', 'LlamaConfig', vocab_size=c['vocab'], hidden_size=c['hidden'], intermediate_size=c['inter'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], num_key_value_heads=c['kv'], rms_norm_eps=c['eps'], rope_theta=c['theta'], max_position_embeddings=64,
              tie_word_embeddings=False, use_cache=False)


class Reward(nn.Module):
    """a Bloom with one number a token; the chosen half of the batch against the rejected one"""
    def __init__(self, c, f, hf):
        super().__init__()
        self.transformer = hf('BloomModel', 'BloomConfig', vocab_size=c['vocab'], hidden_size=c['hidden'], n_layer=c['layers'], n_head=c['heads'], layer_norm_epsilon=c['eps'], hidden_dropout=0.0, attention_dropout=0.0, use_cache=False)
        self.vhead = nn.Linear(c['hidden'], 1, bias=False)

    def forward(self, ids):
        return self.vhead(self.transformer(ids, attention_mask=torch.ones_like(ids)).last_hidden_state).squeeze(-1)


def reward_loss(net, c, d, t):
    chosen, rejected = net(t(d['ids'])[:, :-1].long()).chunk(2)
    m = t(d['mask'])
    return ((-F.logsigmoid(chosen * m - rejected * m) * m).sum(-1) / m.sum(-1)).mean()


class GLU(nn.Module):
    def __init__(self, c):
        super().__init__()
        d = c['hidden']
        self.linear_proj, self.norm1, self.act1, self.act2 = nn.Linear(c['width'], d, bias=False), nn.LayerNorm(d), nn.GELU(), F.silu
        self.dense_h_to_4h, self.gate_proj, self.dense_4h_to_h = nn.Linear(d, c['inter'], bias=False), nn.Linear(d, c['inter'], bias=False), nn.Linear(c['inter'], d, bias=False)

    def forward(self, x):
        x = self.act1(self.norm1(self.linear_proj(x)))
        return self.dense_4h_to_h(self.act2(self.gate_proj(x)) * self.dense_h_to_4h(x))


class Adapter(nn.Module):
    """CogVLM2's adapter of images: every four patches become one, between two tokens that say where an image begins and ends"""
    def __init__(self, c, f, hf):
        super().__init__()
        self.grid, self.linear_proj, self.conv = c['grid'], GLU(c), nn.Conv2d(c['width'], c['width'], kernel_size=2, stride=2)
        self.boi, self.eoi = nn.Parameter(torch.zeros(1, 1, c['hidden'])), nn.Parameter(torch.zeros(1, 1, c['hidden']))

    def forward(self, x):
        b, s, d = x.shape
        x = x.view(b, self.grid, self.grid, d).permute(0, 3, 1, 2)
        x = self.conv(x).flatten(2).transpose(1, 2)
        return torch.cat((self.boi.expand(b, -1, -1), self.linear_proj(x), self.eoi.expand(b, -1, -1)), dim=1)


def internlm(c, f, hf):
    return hf('LlamaForCausalLM', 'LlamaConfig', vocab_size=c['vocab'], hidden_size=c['hidden'], intermediate_size=c['inter'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], num_key_value_heads=c['kv'], rms_norm_eps=c['eps'], rope_theta=c['theta'], max_position_embeddings=64,
              tie_word_embeddings=False, use_cache=False, attention_bias=True)


def mt5_loss(net, c, d, t):
    ids, y = t(d['ids'])[:, :-1].long(), t(d['target'])[:, :-1].long()
    start = torch.cat((torch.zeros_like(y[:, :1]), y[:, 1:]), 1)
    o = net(input_ids=ids, attention_mask=torch.ones_like(ids), decoder_input_ids=start).logits[:, :-1]
    return F.cross_entropy(o.reshape(-1, o.shape[-1]), y[:, 1:].reshape(-1))


BUILD = dict(baichuan7=Baichuan7, videolm=graphllama, adapter=Adapter, internlm=internlm, mt5=mt5, gpt2cls=gpt2cls, baichuan13=Baichuan, samdec=samdec, blip2llm=Blip2Llm, deepseek2=deepseek2, qwen=Qwen, cogvlm2=CogVLM2, graphllama=graphllama, reward=Reward)
LOSS = dict(adapter=lambda net, c, d, t: F.mse_loss(net(t(d['features'])), t(d['target'])), mt5=mt5_loss, samdec=samdec_loss, blip2llm=blip2llm_loss, reward=reward_loss,
            gpt2cls=lambda net, c, d, t: F.cross_entropy(net(t(d['ids'])[:, :-1].long()).logits, t(d['label']).long()))
