"""MindFormers' side of set13.py"""
import importlib, os, sys
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn, ops
import compat
sys.path.insert(0, os.path.dirname(os.environ.get('RESEARCH', '/nonexistent/research')))
RESEARCH = os.environ.get('RESEARCH', '')


def widened(*modules):
    """MindFormers' modules whose code names float16 itself compute in float32"""
    for m in modules:
        importlib.import_module(m).mstype = compat.wide


def mt5(c, f, dtype):
    widened('mindformers.models.t5.t5', 'mindformers.models.t5.mt5', 'mindformers.modules.layers')
    from mindformers.models.t5 import T5Config
    from mindformers.models.t5.mt5 import MT5ForConditionalGeneration
    a = dict(vocab_size=c['vocab'], hidden_size=c['hidden'], d_kv=c['hd'], d_ff=c['inter'], num_layers=c['layers'], num_heads=c['heads'], hidden_dropout_rate=0.0, attention_dropout_rate=0.0, embedding_dropout_prob=0.0, batch_size=c['batch'], seq_length=c['seq'], max_decode_length=c['tseq'],
             layer_norm_epsilon=c['eps'], hidden_act='gelu', scale_output=False, compute_dtype=dtype)
    return MT5ForConditionalGeneration(T5Config(**{**a, **f.get('config', {})}))


def gpt2cls(c, f, dtype):
    from mindformers.models.gpt2 import GPT2Config
    from mindformers.models.gpt2.gpt2 import GPT2ForSequenceClassification
    a = dict(batch_size=c['batch'], seq_length=c['seq'], vocab_size=c['vocab'], hidden_size=c['hidden'], num_layers=c['layers'], num_heads=c['heads'], num_labels=c['labels'], eos_token_id=c['vocab'] - 1, embedding_dropout_prob=0.0, hidden_dropout_rate=0.0, attention_dropout_rate=0.0,
             compute_dtype=dtype, hidden_act='gelu')
    return GPT2ForSequenceClassification(GPT2Config(**{**a, **f.get('config', {})}))


def llama_config(c, f, cls=None, **more):
    from mindformers.models.llama import LlamaConfig
    a = dict(batch_size=c['batch'], seq_length=c['seq'], hidden_size=c['hidden'], num_layers=c['layers'], num_heads=c['heads'], n_kv_heads=c['kv'], intermediate_size=c['inter'], vocab_size=c['vocab'], rms_norm_eps=c['eps'], theta=c['theta'],
             compute_dtype='float32', param_init_type='float32', softmax_compute_type='float32', rotary_dtype='float32', layernorm_compute_type='float32', use_flash_attention=False, pad_token_id=0)
    return (cls or LlamaConfig)(**{**a, **more, **f.get('config', {})})


def sliced(net):
    """rotary embeddings by slices: the CPU's BatchMatMul does not broadcast a matrix against four axes"""
    for _, cell in net.cells_and_names():
        if hasattr(cell, 'use_rope_slice'):
            cell.use_rope_slice = True
    return net


def baichuan13(c, f, dtype):
    sys.path.insert(0, RESEARCH + '/baichuan2')
    widened('baichuan2_13b')
    from baichuan2_13b import Baichuan13BV2ForCausalLM
    return Baichuan13BV2ForCausalLM(llama_config(c, f))


def predict_masks(self, image_embeddings, image_pe, sparse_prompt_embeddings, dense_prompt_embeddings):
    """MindFormers' own without asking a tensor whether there are prompts, which a graph cannot"""
    bs = sparse_prompt_embeddings.shape[0]
    output_tokens = self.concat_0([self.iou_token.embedding_table, self.mask_tokens.embedding_table])
    output_tokens = ops.broadcast_to(self.expand_dims(output_tokens, 0), (bs, -1, -1))
    tokens = self.concat_1([output_tokens, sparse_prompt_embeddings])
    src = image_embeddings.repeat_interleave(tokens.shape[0], 0)
    src = src + dense_prompt_embeddings
    pos_src = image_pe.repeat_interleave(tokens.shape[0], 0)
    b, c, h, w = src.shape
    hs, src = self.transformer(src, pos_src, tokens)
    iou_token_out = hs[:, 0, :]
    mask_tokens_out = hs[:, 1:(1 + self.num_mask_tokens), :]
    src = src.transpose(0, 2, 1).view(b, c, h, w)
    upscaled_embedding = self.output_upscaling(src)
    hyper_in_list = []
    for i in range(self.num_mask_tokens):
        hyper_in_list.append(self.output_hypernetworks_mlps[i](mask_tokens_out[:, i, :]))
    hyper_in = self.stack(hyper_in_list)
    b, c, h, w = upscaled_embedding.shape
    masks = ops.matmul(hyper_in, upscaled_embedding.view(b, c, h * w)).view(b, -1, h, w)
    return masks, self.iou_prediction_head(iou_token_out)


class SamDecoder(nn.Cell):
    """SAM's mask decoder for given features and prompts; masks and their quality against given ones"""
    def __init__(self, decoder):
        super().__init__()
        self.decoder, self.square, self.mean = decoder, ops.Square(), ops.ReduceMean()

    def construct(self, features, place, sparse, dense, target, quality):
        m, q = self.decoder(features, place, sparse, dense, True)
        return self.mean(self.square(m - target)) + self.mean(self.square(q - quality))


class Near(nn.Cell):
    """what a cell makes of given features against given ones"""
    def __init__(self, net):
        super().__init__()
        self.net, self.square, self.mean = net, ops.Square(), ops.ReduceMean()

    def construct(self, features, target):
        return self.mean(self.square(self.net(features) - target))


def adapter(c, f, dtype):
    from mindformers.models.cogvlm2 import cogvlm2
    net = Near(cogvlm2.VisionMLPAdapter(c['grid'], c['width'], c['hidden'], c['inter'], compute_dtype=ms.float32, param_init_type=ms.float32))
    net.net.linear_proj.linear_proj.dtype = ms.float32
    return net


def internlm(c, f, dtype):
    sys.path.insert(0, RESEARCH + '/internlm')
    widened('internlm')
    from internlm import InternLMForCausalLM
    from internlm_config import InternLMConfig
    return sliced(InternLMForCausalLM(llama_config(c, f, InternLMConfig, has_bias=True, fused_rms_norm=False)))


def baichuan7(c, f, dtype):
    sys.path.insert(0, RESEARCH + '/baichuan2')
    widened('baichuan2_7b')
    from baichuan2_7b import Baichuan7BV2ForCausalLM
    return sliced(Baichuan7BV2ForCausalLM(llama_config(c, f)))


class Placed(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, ids, places):
        return self.net(ids, position_ids=places)


def videolm(c, f, dtype):
    from mindformers.models.cogvlm2.cogvlm2_llm import CogVLM2VideoLM
    return sliced(Placed(CogVLM2VideoLM(llama_config(c, f))))


def samdec(c, f, dtype):
    from mindformers.models.sam import sam_mask_decoder
    from mindformers.models.sam.sam_config import MaskDecoderConfig
    sam_mask_decoder.SamMaskDecoder.predict_masks = predict_masks
    a = dict(num_multimask_outputs=c['masks'], decoder_depth=c['layers'], decoder_embed_dim=c['hidden'], decoder_mlp_dim=c['inter'], decoder_num_heads=c['heads'], transformer_dim=c['hidden'], iou_head_hidden_dim=c['iou'], layer_norm_eps=c['eps'], compute_dtype=dtype)
    return SamDecoder(sam_mask_decoder.SamMaskDecoder(MaskDecoderConfig(**{**a, **f.get('config', {})})))


def blip2llm(c, f, dtype):
    widened('mindformers.models.vit.vit_modules', 'mindformers.models.vit.vit')
    from mindformers.models.vit.vit_config import ViTConfig
    from mindformers.models.blip2.qformer_config import QFormerConfig
    from mindformers.models.blip2.blip2_config import Blip2Config
    from mindformers.models.blip2.blip2_llm import Blip2Llm
    v = ViTConfig(image_size=c['image'], patch_size=c['patch'], hidden_size=c['vhidden'], num_hidden_layers=c['vlayers'], num_attention_heads=c['vheads'], intermediate_size=c['vinter'], layer_norm_eps=c['eps'], drop_path_rate=0.0, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    q = QFormerConfig(num_hidden_layers=c['qlayers'], num_attention_heads=c['qheads'], query_length=c['queries'], vocab_size=20, hidden_size=c['qhidden'], hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, intermediate_size=c['qinter'], layer_norm_eps=c['eps'], cross_attention_freq=c['every'],
                      max_position_embeddings=16)
    t = llama_config(c, f, seq_length=c['seq'] + c['queries'], checkpoint_name_or_path='')
    net = sliced(Blip2Llm(Blip2Config(batch_size=c['batch'], freeze_vision=False, freeze_text=False, max_txt_len=c['seq'], compute_dtype=dtype, vision_config=v, qformer_config=q, text_config=t)))
    for n, p in net.parameters_and_names():
        p.requires_grad = p.requires_grad and 'fc_norm' not in n
    return net


def deepseek2(c, f, dtype):
    from research.deepseek2.deepseek2 import DeepseekV2ForCausalLM
    from research.deepseek2.deepseek2_config import DeepseekV2Config
    moe = dict(expert_num=c['experts'], num_experts_chosen=c['topk'], routing_policy='TopkRouterV2', shared_expert_num=c['shared'], norm_topk_prob=False, capacity_factor=float(c['experts']), max_router_load=256, first_k_dense_replace=c['dense'], moe_intermediate_size=c['minter'],
               routed_scaling_factor=c['factor'], aux_loss_types=['expert'], aux_loss_factors=[0.0])
    return DeepseekV2ForCausalLM(llama_config(c, f, DeepseekV2Config, moe_config={**moe, **f.get('moe', {})}, kv_lora_rank=c['rank'], q_lora_rank=c['q'], qk_rope_head_dim=c['rope'], v_head_dim=c['vd'], qk_nope_head_dim=c['nope'], max_position_embeddings=64, extend_method='None', use_rope_slice=True))


def qwen(c, f, dtype):
    sys.path.insert(0, RESEARCH + '/qwen')
    widened('qwen_model')
    from qwen_model import QwenForCausalLM
    from qwen_config import QwenConfig
    return sliced(QwenForCausalLM(llama_config(c, f, QwenConfig, emb_dropout_prob=0.0)))


def cogvlm2(c, f, dtype):
    from mindformers.models.cogvlm2 import cogvlm2image_llm
    cogvlm2image_llm.ms.ops.auto_generate.SplitWithSize = compat.SplitWithSize
    return sliced(Vision(cogvlm2image_llm.LlamaForCausalLMForCogVLM2Image(llama_config(c, f))))


class Vision(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, ids, places, image, text, image_at, text_at):
        return self.net(ids, position_ids=places, vision_token_mask=image, language_token_mask=text, vision_indices=image_at, language_indices=text_at)


def graphllama(c, f, dtype):
    from mindformers.experimental import parallel_core
    from mindformers.experimental.model.llama import llama as m
    m.get_language_model = parallel_core.graph_get_language_model     # of the graph's modules in PyNative as well
    return m.LlamaForCausalLM(llama_config(c, f, normalization='RMSNorm', hidden_act='silu', is_dynamic=False))


def reward(c, f, dtype):
    widened('mindformers.models.bloom.bloom', 'mindformers.models.bloom.bloom_reward', 'mindformers.models.bloom.layers', 'mindformers.core.loss.loss')
    from mindformers.models.bloom import BloomConfig
    from mindformers.models.bloom.bloom_reward import BloomRewardModel
    a = dict(batch_size=c['batch'], seq_length=c['seq'], vocab_size=c['vocab'], hidden_size=c['hidden'], num_layers=c['layers'], num_heads=c['heads'], hidden_dropout_rate=0.0, attention_dropout_rate=0.0, hidden_act='gelu', eos_token_id=c['vocab'] + 1, eos_token=c['vocab'] + 1, compute_dtype=dtype)
    return BloomRewardModel(BloomConfig(**{**a, **f.get('config', {})}))


def numbered(mask):
    """(batch, tokens, 2): where a mask is true"""
    return np.stack([np.stack((np.full(m.sum(), i), np.nonzero(m)[0]), -1) for i, m in enumerate(mask)]).astype(np.int32)


def cogvlm2_given(c, d):
    image = np.zeros((c['batch'], c['seq']), bool)
    image[:, 1:1 + c['vision']] = True
    return [d['ids'], np.tile(np.arange(c['seq'], dtype=np.int32), (c['batch'], 1)), image, ~image, numbered(image), numbered(~image)]


BUILD = dict(baichuan7=baichuan7, videolm=videolm, adapter=adapter, internlm=internlm, mt5=mt5, gpt2cls=gpt2cls, baichuan13=baichuan13, samdec=samdec, blip2llm=blip2llm, deepseek2=deepseek2, qwen=qwen, cogvlm2=cogvlm2, graphllama=graphllama, reward=reward)
GIVEN = dict(videolm=lambda c, d: [d['ids'], np.tile(np.arange(c['seq'], dtype=np.int32), (c['batch'], 1))], adapter=lambda c, d: [d['features'], d['target']], mt5=lambda c, d: [d['ids'][:, :-1], np.ones((c['batch'], c['seq']), np.float32), d['target'][:, :-1]],
             gpt2cls=lambda c, d: [d['ids'][:, :-1], np.ones((c['batch'], c['seq']), np.int32), d['label']], samdec=lambda c, d: [d[k] for k in ('features', 'place', 'sparse', 'dense', 'target', 'quality')], blip2llm=lambda c, d: [d['image'], d['ids']], cogvlm2=cogvlm2_given,
             reward=lambda c, d: [d['ids'][:, :-1], None, None, d['mask'], d['end']])
