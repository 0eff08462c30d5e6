"""Records steps of MindFormers models (1.3.2 or 1.7.0) on the CPU: one JSON object a line on standard input, each in a process of its own.

keys: model, weights (npz), out (folder) and, as far as needed, pynative (level of msprobe, else graph mode with the dump JSON of the guide), fault {set, weights, config, ...}, steps, scale, decay_all, lr, decay, dtype, list
"""
import json, os, shutil, sys
os.environ.setdefault('PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION', 'python')
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn, ops
ms.set_context(mode=ms.GRAPH_MODE, device_target='CPU')
import compat
import set13_ms
from models import SIZES, at, changed, each_line, inputs


def llama(c, f, dtype, **more):
    from mindformers.models.llama import LlamaConfig, LlamaForCausalLM
    a = dict(batch_size=c['batch'], seq_length=c['seq'], hidden_size=c['hidden'], num_layers=c['layers'], num_heads=c['heads'], n_kv_heads=c['kv'], intermediate_size=c['inter'], vocab_size=c['vocab'], rms_norm_eps=c['eps'], theta=c['theta'],
             compute_dtype=dtype, param_init_type='float32', softmax_compute_type='float32', rotary_dtype='float32', layernorm_compute_type='float32', use_flash_attention=False, use_rope_slice=True, fused_rms_norm=False, pad_token_id=0)
    return LlamaForCausalLM(LlamaConfig(**{**a, **more, **f.get('config', {})}))


def mixture(c, f, dtype):
    moe = dict(expert_num=c['experts'], num_experts_chosen=c['topk'], routing_policy='TopkRouterV2', shared_expert_num=c['shared'], norm_topk_prob=True, capacity_factor=float(c['experts']), max_router_load=256)
    return llama(c, f, dtype, moe_config={**moe, **f.get('moe', {})})


def gpt2(c, f, dtype):
    from mindformers.models.gpt2 import GPT2Config, GPT2LMHeadModel
    a = dict(batch_size=c['batch'], seq_length=c['seq'], vocab_size=c['vocab'], hidden_size=c['hidden'], num_layers=c['layers'], num_heads=c['heads'], eos_token_id=c['vocab'] - 1, embedding_dropout_prob=0.0, hidden_dropout_rate=0.0,
             attention_dropout_rate=0.0, compute_dtype=dtype, hidden_act='gelu')
    return GPT2LMHeadModel(GPT2Config(**{**a, **f.get('config', {})}))


def clip(c, f, dtype):
    from mindformers.models.clip import CLIPModel, CLIPConfig, CLIPTextConfig, CLIPVisionConfig
    t = CLIPTextConfig(vocab_size=c['vocab'], hidden_size=c['hidden'], intermediate_size=4 * c['hidden'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], max_position_embeddings=c['seq'])
    v = CLIPVisionConfig(hidden_size=c['vhidden'], intermediate_size=4 * c['vhidden'], num_hidden_layers=c['layers'], num_attention_heads=c['vheads'], image_size=c['image'], patch_size=c['patch'])
    net = CLIPModel(CLIPConfig(t, v, projection_dim=c['proj'], dtype=dtype))
    put(net, 'ln_final.epsilon', c['eps'])                            # MindSpore's own epsilon else
    net.logit_scale.requires_grad = False                             # MindFormers' AdamW cannot assign a scalar on the CPU
    return net


def t5(c, f, dtype):
    from mindformers.models.t5 import T5Config, T5ForConditionalGeneration
    a = dict(vocab_size=c['vocab'], hidden_size=c['hidden'], d_kv=c['hd'], d_ff=c['inter'], num_layers=c['layers'], num_heads=c['heads'], hidden_dropout_rate=0.0, attention_dropout_rate=0.0, embedding_dropout_prob=0.0, batch_size=c['batch'],
             seq_length=c['seq'], max_decode_length=c['tseq'], layer_norm_epsilon=c['eps'], hidden_act='relu', compute_dtype=dtype)
    return T5ForConditionalGeneration(T5Config(**{**a, **f.get('config', {})}))


class Quiet(nn.Cell):
    def construct(self, name, x):
        return x


def mae(c, f, dtype):
    from mindformers.models.mae.mae import ViTMAEForPreTraining, ViTMAEConfig
    a = dict(mask_ratio=c['ratio'], image_size=c['image'], patch_size=c['patch'], hidden_size=c['hidden'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], intermediate_size=c['inter'], layer_norm_eps=c['eps'], decoder_hidden_size=c['dhidden'],
             decoder_num_hidden_layers=c['dlayers'], decoder_num_attention_heads=c['dheads'], decoder_intermediate_size=c['dinter'], norm_pix_loss=False)
    net = ViTMAEForPreTraining(ViTMAEConfig(**{**a, **f.get('config', {})}))
    net.images_summary = Quiet()
    return net


class Eva(nn.Cell):
    """EVA-02 as a classifier: MindFormers has it as the image encoder of another model"""
    def __init__(self, eva, c):
        super().__init__()
        from mindformers.modules.layers import LayerNorm, Linear
        from mindformers.core.loss.loss import CrossEntropyLoss
        self.eva, self.fc_norm, self.head = eva, LayerNorm((c['hidden'],), eps=c['eps']), Linear(c['hidden'], c['classes'], compute_dtype=ms.float32)
        self.mean, self.loss, self.ones = ops.ReduceMean(), CrossEntropyLoss(), Tensor(np.ones(c['batch'], np.float32))

    def construct(self, image, label):
        return self.loss(self.head(self.fc_norm(self.mean(self.eva(image), 1))), label, self.ones)


def eva02(c, f, dtype):
    from mindformers.models.eva02.eva import EVAModel, EVA02Config
    a = dict(image_size=c['image'], patch_size=c['patch'], hidden_size=c['hidden'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], intermediate_size=c['inter'], ref_feat_shape=4, layer_norm_eps=c['eps'], post_norm=True, use_attn_norm=False,
             compute_dtype=dtype, param_init_type='float32')
    return Eva(EVAModel(EVA02Config(**{**a, **f.get('config', {})})), c)


class Sam(nn.Cell):
    """SAM's image encoder, its features against given ones"""
    def __init__(self, encoder):
        super().__init__()
        self.encoder, self.square, self.mean = encoder, ops.Square(), ops.ReduceMean()

    def construct(self, image, target):
        return self.mean(self.square(self.encoder(image) - target))


def sam(c, f, dtype):
    from mindformers.models.sam.sam_image_encoder import SamImageEncoder
    from mindformers.models.sam.sam_config import ImageEncoderConfig
    a = dict(img_size=c['image'], patch_size=c['patch'], embed_dim=c['hidden'], depth=c['layers'], num_heads=c['heads'], mlp_ratio=c['inter'] / c['hidden'], out_chans=c['out'], window_size=c['window'], global_attn_indexes=c['full'], use_rel_pos=True,
             layer_norm_eps=c['eps'], compute_dtype=dtype)
    return Sam(SamImageEncoder(ImageEncoderConfig(**{**a, **f.get('config', {})})))


class QFormer(nn.Cell):
    """BLIP-2's Q-Former reading an image's features; the mean of its queries is classified"""
    def __init__(self, bert, c):
        super().__init__()
        from mindformers.modules.layers import Linear
        from mindformers.core.loss.loss import CrossEntropyLoss
        self.bert, self.head, self.query_tokens = bert, Linear(c['hidden'], c['classes'], compute_dtype=ms.float32), ms.Parameter(Tensor(np.zeros((1, c['queries'], c['hidden']), np.float32)))
        self.mean, self.loss, self.ones, self.tile, self.batch = ops.ReduceMean(), CrossEntropyLoss(), Tensor(np.ones(c['batch'], np.float32)), ops.Tile(), c['batch']
        self.mask = Tensor(np.ones((c['batch'], c['patches']), np.float32))

    def construct(self, features, label):
        x = self.bert(query_embeds=self.tile(self.query_tokens, (self.batch, 1, 1)), encoder_hidden_states=features, encoder_attention_mask=self.mask)[0]
        return self.loss(self.head(self.mean(x, 1)), label, self.ones)


def qformer(c, f, dtype):
    from mindformers.models.blip2.qformer import BertModel
    from mindformers.models.blip2.qformer_config import QFormerConfig
    a = dict(num_hidden_layers=c['layers'], num_attention_heads=c['heads'], query_length=c['queries'], vocab_size=20, hidden_size=c['hidden'], encoder_width=c['width'], hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, intermediate_size=c['inter'],
             layer_norm_eps=c['eps'], cross_attention_freq=c['every'], compute_dtype=dtype, max_position_embeddings=16)
    net = QFormer(BertModel(QFormerConfig(**{**a, **f.get('config', {})})), c)
    for n, p in net.parameters_and_names():                           # what reads text has no part in this
        p.requires_grad = p.requires_grad and not any(x in n for x in ('word_embeddings', 'position_', '.intermediate.', '.output.dense', '.output.layernorm')) or 'attention' in n
    return net


def internlm2(c, f, dtype):
    return llama(c, f, dtype)


class Loss(nn.Cell):
    """the first of the losses of a model of 1.7.0"""
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, ids, labels):
        return self.net(ids, labels=labels)[0]


CORE = dict(compute_dtype='float32', params_dtype='float32', layernorm_compute_dtype='float32', softmax_compute_dtype='float32', rotary_dtype='float32', moe_router_dtype='float32', use_flash_attention=True, attention_dropout=0.0, hidden_dropout=0.0, moe_aux_loss_coeff=0.0,
            pad_token_id=0, use_pad_tokens=False, moe_token_dispatcher_type='alltoall', moe_grouped_gemm=True, moe_router_topk_scaling_factor=1.0)


def qwen3moe(c, f, dtype):
    from mindformers.models.qwen3_moe.configuration_qwen3_moe import Qwen3MoeConfig
    from mindformers.models.qwen3_moe.modeling_qwen3_moe_train import TrainingQwen3MoeForCausalLM
    a = dict(CORE, vocab_size=c['vocab'], hidden_size=c['hidden'], intermediate_size=c['inter'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], num_key_value_heads=c['kv'], head_dim=c['hd'], max_position_embeddings=64, rms_norm_eps=c['eps'], rope_theta=c['theta'],
             moe_intermediate_size=c['minter'], num_experts_per_tok=c['topk'], num_experts=c['experts'], norm_topk_prob=True, seq_length=c['seq'], batch_size=c['batch'])
    return Loss(TrainingQwen3MoeForCausalLM(Qwen3MoeConfig(**{**a, **f.get('config', {})})))


def deepseek3(c, f, dtype):
    from mindformers.models.deepseek3.configuration_deepseek_v3 import DeepseekV3Config
    from mindformers.models.deepseek3.modeling_deepseek_v3_train import TrainingDeepseekV3ForCausalLM
    a = dict(CORE, vocab_size=c['vocab'], hidden_size=c['hidden'], intermediate_size=c['inter'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], num_key_value_heads=c['heads'], max_position_embeddings=64, rms_norm_eps=c['eps'], rope_theta=c['theta'],
             moe_intermediate_size=c['minter'], num_experts_per_tok=c['topk'], n_routed_experts=c['experts'], n_group=c['groups'], topk_group=c['of'], n_shared_experts=c['shared'], routed_scaling_factor=c['factor'], q_lora_rank=c['q'], kv_lora_rank=c['kv'],
             qk_nope_head_dim=c['nope'], qk_rope_head_dim=c['rope'], v_head_dim=c['vd'], first_k_dense_replace=c['dense'], norm_topk_prob=True, num_nextn_predict_layers=0, mla_qkv_concat=False, qk_layernorm=True, rotary_scaling_factor=1.0, position_embedding_type='rope', seq_length=c['seq'], batch_size=c['batch'])
    a.pop('moe_router_topk_scaling_factor')
    return Loss(TrainingDeepseekV3ForCausalLM(DeepseekV3Config(**{**a, **f.get('config', {})})))


def qwen2moe(c, f, dtype):
    """parallel_core's parts as Qwen2-MoE has them: biases of query, key and value, a gated shared expert; 1.7.0 has no class of that name"""
    from mindformers.models.qwen3_moe.configuration_qwen3_moe import Qwen3MoeConfig
    from mindformers.parallel_core.training_graph.base_models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
    from mindformers.parallel_core.transformer_config_utils import convert_to_transformer_config
    a = dict(CORE, vocab_size=c['vocab'], hidden_size=c['hidden'], intermediate_size=c['inter'], num_hidden_layers=c['layers'], num_attention_heads=c['heads'], num_key_value_heads=c['kv'], head_dim=c['hidden'] // c['heads'], max_position_embeddings=64, rms_norm_eps=c['eps'],
             rope_theta=c['theta'], moe_intermediate_size=c['minter'], num_experts_per_tok=c['topk'], num_experts=c['experts'], norm_topk_prob=False, seq_length=c['seq'], batch_size=c['batch'], attention_bias=True, moe_shared_expert_intermediate_size=c['sinter'],
             use_shared_expert_gating=True)
    config = convert_to_transformer_config(Qwen3MoeConfig(**{**a, **f.get('config', {})}))
    spec = get_gpt_layer_local_spec(moe_grouped_gemm=True, num_experts=c['experts'], qk_layernorm=False, use_interleaved_weight_layout_mlp=False, use_contiguous_weight_layout_attention=True)
    return Loss(compat.gpt_model.GPTModel(config=config, transformer_layer_spec=spec, vocab_size=c['vocab'], max_sequence_length=64, position_embedding_type='rope', rotary_base=c['theta']))


BUILD = dict(qwen2moe=qwen2moe, deepseek3=deepseek3, qwen3moe=qwen3moe, mae=mae, eva02=eva02, sam=sam, qformer=qformer, internlm2=internlm2, gpt2=gpt2, clip=clip, t5=t5, dsmoe=mixture, mixtral=mixture)
BUILD.update(set13_ms.BUILD)


def given(model, step):
    """the arguments of one step"""
    c, d = SIZES[model], inputs(model, step)
    if model in set13_ms.GIVEN:
        return tuple(None if x is None else Tensor(np.ascontiguousarray(x)) for x in set13_ms.GIVEN[model](c, d))
    if model == 'clip':
        return Tensor(d['image']), Tensor(d['ids'])
    if model == 't5':
        return Tensor(d['ids'][:, :-1].copy()), Tensor(np.ones((c['batch'], c['seq']), np.float32)), Tensor(d['target'][:, 1:].copy()), Tensor(d['target'][:, :-1].copy())
    if model == 'mae':
        order = np.argsort(d['noise'], 1).astype(np.int32)
        keep = int((c['image'] // c['patch']) ** 2 * (1 - c['ratio']))
        return Tensor(d['image']), Tensor((np.arange(order.shape[1]) >= keep)[None].repeat(c['batch'], 0).astype(np.int32)), Tensor(np.argsort(order, 1).astype(np.int32)), Tensor(order[:, :keep].copy())
    if model == 'sam':
        return Tensor(d['image']), Tensor(d['target'])
    if model in ('qwen2moe', 'qwen3moe', 'deepseek3'):
        return Tensor(d['ids'][:, :-1].copy()), Tensor(d['ids'][:, 1:].copy())
    if 'label' in d:
        return Tensor(d['features'] if model == 'qformer' else d['image']), Tensor(d['label'])
    return (Tensor(d['ids']),)


def put(net, path, v):
    """a fault: sets what path names to v; {"cell": "GELU(False)"} is a cell of mindspore.nn, {"dtype": "float16"} a type, {"tensor": 0.2} a tensor, {"times": 0.5} what was there times that"""
    head, _, a = path.rpartition('.')
    o = at(net, head) if head else net
    if isinstance(v, dict):
        v = eval(v['cell'], vars(nn)) if 'cell' in v else getattr(o, a) * v['times'] if 'times' in v else getattr(ms, v['dtype']) if 'dtype' in v else Tensor(v['tensor'], getattr(o, a).dtype)
    if isinstance(o, (nn.SequentialCell, nn.CellList)):
        o._cells[a] = v
        o.cell_list = list(o._cells.values())
    elif a in ('epsilon', 'eps') and hasattr(o, 'layer_norm'):
        setattr(o, a, v)
        o.layer_norm = ops.LayerNorm(begin_norm_axis=-1, begin_params_axis=-1, epsilon=v)
    else:
        setattr(o, a, v)


def in_float32(net):
    """parts of GPT-2, T5, BERT compute in float16 whatever the configuration says, and the CPU dumps such products as buffers of another type"""
    for _, cell in net.cells_and_names():
        for a, v in list(vars(cell).items()):
            if v is ms.float16 or v == ms.float16 and isinstance(v, type(ms.float16)):
                setattr(cell, a, ms.float32)
        if cell.get_flags().get('fp16'):
            cell.to_float(ms.float32)


def load(net, j):
    ps = {}
    for n, p in net.parameters_and_names():
        p.name = n
        ps.setdefault(n, p)
    if j.get('list'):
        return [print(n, p.shape, p.dtype) for n, p in ps.items()]
    w = np.load(j['weights'])
    w = changed({k: w[k] for k in w.files}, j.get('fault', {}).get('weights', []))
    print('without a weight', [n for n in ps if n not in w], 'not used', [n for n in w if n not in ps])
    for n, p in ps.items():
        if n in w:
            assert p.size == w[n].size, (n, p.shape, w[n].shape)
            p.set_data(Tensor(w[n].reshape(p.shape), p.dtype))
    return ps


def statistics(self, data):
    """msprobe's statistics call mint.norm, which has no CPU kernel: the same figures by numpy"""
    from msprobe.core.dump.data_dump.data_processor import mindspore_processor as mp
    s = mp.TensorStatInfo()
    if data.numel() == 0:
        return s
    d = data.float().asnumpy() if data.dtype == ms.bfloat16 else data.asnumpy()
    if d.dtype == bool:
        s.max, s.min = d.max().item(), d.min().item()
    elif not d.shape:
        s.max = s.min = s.mean = s.norm = d.item()
    else:
        d = d.astype(np.float32)
        s.max, s.min, s.mean, s.norm = d.max().item(), d.min().item(), d.mean(dtype=np.float32).item(), np.sqrt((d * d).sum(dtype=np.float32)).item()
    return s


def pynative(net, j, tp):
    from msprobe.core.dump.data_dump.data_processor import mindspore_processor as mp
    from msprobe.mindspore import PrecisionDebugger
    mp.MindsporeDataProcessor.get_stat_info = statistics
    shutil.rmtree(j['out'], ignore_errors=True)
    x = given(j['model'], 0)
    json.dump({'task': j.get('task', 'tensor'), 'dump_path': j['out'], 'rank': [], 'step': [], 'level': j['pynative'], 'async_dump': False, 'extra_info': True, 'tensor': {'scope': [], 'list': [], 'data_mode': ['all']},
               'statistics': {'scope': [], 'list': [], 'tensor_list': [], 'data_mode': ['all'], 'summary_mode': 'statistics'}}, open(j['out'] + '.json', 'w'))
    debugger = PrecisionDebugger(config_path=j['out'] + '.json')
    debugger.start(net, rank_id=0)
    loss, _ = ms.value_and_grad(lambda *a: net(*a), None, tp)(*x)
    debugger.stop()
    debugger.step()
    print('loss', loss.asnumpy())


def graph(net, j, tp):
    from mindformers.core.optim import AdamW
    from mindformers.wrapper import MFTrainOneStepCell

    class Step(MFTrainOneStepCell):                                   # the CPU has no overflow flags
        def start_overflow_check(self, pre_cond, compute_input):
            return False, compute_input

        def get_overflow_status(self, status, compute_output):
            return False

        def process_loss_scale(self, overflow):
            return overflow
    decayed = [p for p in tp if p.ndim > 1 or j.get('decay_all')]
    rest = [p for p in tp if not (p.ndim > 1 or j.get('decay_all'))]
    groups = [dict(params=decayed, weight_decay=j.get('decay', 0.1))] + ([dict(params=rest, weight_decay=0.0)] if rest else []) + [dict(order_params=tp)]
    opt = AdamW(groups, learning_rate=j.get('lr', 1e-3), betas=(0.9, 0.95), eps=1e-8, weight_decay=0.0)
    step = Step(net, opt, use_clip_grad=True, max_grad_norm=1.0, scale_sense=float(j.get('scale', 1.0)), local_norm=True)
    step.set_train(True)
    for i in range(j.get('steps', 1)):
        print('loss', i, step(*given(j['model'], i))[0].asnumpy())


def run(j):
    f = j.get('fault') or {}
    if j.get('pynative'):
        ms.set_context(mode=ms.PYNATIVE_MODE)
        compat.for_pynative()
    elif j.get('out'):
        os.makedirs(os.path.dirname(j['out']), exist_ok=True)
        shutil.rmtree(j['out'], ignore_errors=True)
        common = {'op_debug_mode': 0, 'dump_mode': 0, 'path': j['out'], 'net_name': j['model'].capitalize(), 'iteration': str(j.get('steps', 1) - 1), 'saved_data': 'tensor', 'input_output': 0, 'kernels': ['Default/Conv-op12'], 'support_device': [0]}
        json.dump({'common_dump_settings': common, 'e2e_dump_settings': {'enable': True, 'trans_flag': True}}, open(j['out'] + '.json', 'w'), indent=1)
        os.environ['MINDSPORE_DUMP_CONFIG'] = j['out'] + '.json'
    net = BUILD[j['model']]({**SIZES[j['model']], **f.get('sizes', {})}, f, j.get('dtype', 'float32'))
    if j.get('dtype', 'float32') == 'float32':
        in_float32(net)
    net.set_train(True)
    ps = load(net, j)
    if j.get('list'):
        return
    for path, v in f.get('set', {}).items():
        put(net, path, v)
    tp = list(net.trainable_params())
    (pynative if j.get('pynative') else graph)(net, j, tp)


if __name__ == '__main__':
    each_line(run)
