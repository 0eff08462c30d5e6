"""What MindFormers 1.3.2 and 1.7.0 need to be imported and run on a CPU (MindSpore 2.7.1): import this in place of mindformers; MINDFORMERS names the folder that the wheel was unpacked to.

Packages that only tokenizers and data sets use are replaced by empty modules. Kernels that the CPU lacks are composed of those it has; what each is stands at its function.
"""
import importlib.abc, importlib.machinery, importlib.util, os, sys, types


class Empty(type):
    def __getattr__(cls, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return cls


class Module(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return Empty(name, (), {})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    names = {n for n in 'cv2 jieba rouge_chinese nltk mindpet datasets pyarrow tensorboardX transformers tiktoken'.split() if not importlib.util.find_spec(n)}

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split('.')[0] in self.names else None

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.append(Finder())
sys.path.insert(0, os.environ['MINDFORMERS'])
import mindspore as ms
from mindspore import nn
from mindspore.ops import operations as P, functional as F

if not hasattr(nn.Cell, 'cast'):                                      # MindSpore before 2.7 gave every cell one
    made = nn.Cell.__init__

    def init(self, *a, **k):
        made(self, *a, **k)
        self.cast = P.Cast()
    nn.Cell.__init__ = init


class Op(nn.Cell):
    """a kernel that the CPU lacks, made of cells; what 1.7.0 asks of a primitive besides calling it does nothing"""
    def __init__(self, *a, **k):
        super().__init__()

    def shard(self, *a, **k):
        return self

    def add_prim_attr(self, *a, **k):
        return self

    def recompute(self, *a, **k):
        return self


class SplitWithSize(Op):
    """slices"""
    def __init__(self):
        super().__init__()
        self.slice = P.Slice()

    def construct(self, x, sizes, dim):
        out, at, shape = (), 0, x.shape
        axis = dim % len(shape)
        for n in sizes:
            out += (self.slice(x, (0,) * axis + (at,) + (0,) * (len(shape) - axis - 1), shape[:axis] + (n,) + shape[axis + 1:]),)
            at += n
        return out


class Outer(Op):
    """the product of a column and a row"""
    def construct(self, a, b):
        return F.reshape(a, (-1, 1)) * F.reshape(b, (1, -1))


class Dense(Op):
    """MatMul of rows"""
    def __init__(self):
        super().__init__()
        self.matmul = P.MatMul(transpose_b=True)

    def construct(self, x, w, b=None):
        y = F.reshape(self.matmul(F.reshape(x, (-1, x.shape[-1])), w), x.shape[:-1] + (w.shape[0],))
        return y if b is None else y + b


class TopkExt(Op):
    def __init__(self):
        super().__init__()
        self.topk = P.TopK()

    def construct(self, x, k, dim=-1, largest=True, sorted=True):
        return self.topk(x, k)


class OneHotExt(Op):
    def __init__(self, axis=-1):
        super().__init__()
        self.onehot = P.OneHot()

    def construct(self, x, depth, on, off, axis=-1):
        return self.onehot(x, depth, on, off)


class ZerosLikeExt(Op):
    def __init__(self):
        super().__init__()
        self.zeros = P.ZerosLike()

    def construct(self, x):
        return self.zeros(x)


class CumsumExt(Op):
    def __init__(self):
        super().__init__()
        self.cumsum = P.CumSum()

    def construct(self, x, dim, dtype=None):
        return self.cumsum(x, dim)


class Sort(Op):
    def __init__(self):
        super().__init__()
        self.sort = P.Sort(axis=1)

    def construct(self, x, dim=-1):
        return self.sort(x)


class Swiglu(Op):
    """Split, Sigmoid, two Mul"""
    def __init__(self):
        super().__init__()
        self.split, self.sigmoid, self.mul = P.Split(-1, 2), P.Sigmoid(), P.Mul()

    def construct(self, x, axis=-1):
        a, b = self.split(x)
        return self.mul(self.mul(a, self.sigmoid(a)), b)


class Attention(Op):
    """FlashAttentionScore in the layout BNSD, written out: repeated heads of keys and values, two products, the scale, the mask (1 is masked), softmax"""
    def __init__(self, head_num, scale_value=1.0, **k):
        super().__init__()
        self.heads, self.scale = head_num, scale_value
        self.qk, self.av, self.mul, self.fill, self.softmax = P.BatchMatMul(transpose_b=True), P.BatchMatMul(), P.Mul(), P.MaskedFill(), P.Softmax(-1)

    def repeated(self, x):
        b, n, s, d = x.shape
        if n == self.heads:
            return x
        return F.reshape(F.broadcast_to(F.reshape(x, (b, n, 1, s, d)), (b, n, self.heads // n, s, d)), (b, self.heads, s, d))

    def construct(self, q, k, v, alibi, drop, padding, mask, prefix=None, q_len=None, kv_len=None):
        w = self.mul(self.qk(q, self.repeated(k)), self.scale)
        w = self.fill(w, F.cast(mask, ms.bool_), ms.Tensor(-3.4028234663852886e38, ms.float32))
        return None, None, None, self.av(self.softmax(w), self.repeated(v))


def index_select():
    return lambda x, axis, index: P.Gather()(x, index, axis)


def fmod_scalar():
    return lambda x, n: x % n


def sort_ext():
    return lambda x, dim=-1: P.Sort(axis=1)(x)


def onehot_ext():
    return lambda x, depth, on, off: P.OneHot()(x, depth, on, off)


def grouped_matmul(split_item=3, group_type=0):
    return grouped


def grouped(x, w, b, s, o, a1, a2, group_list):
    """the products of all experts with all rows, of which each row keeps its expert's"""
    x, w = x[0], w[0]
    e, n = w.shape[0], x.shape[0]
    y = P.BatchMatMul()(F.broadcast_to(F.reshape(x, (1, n, x.shape[1])), (e, n, x.shape[1])), w)
    row, end = F.reshape(F.cast(F.arange(n), ms.float32), (1, n)), F.reshape(F.cast(group_list, ms.float32), (e, 1))
    done = F.cast(P.Less()(row, end), ms.float32)                     # 1 from the row's expert on
    mine = done - P.Concat(0)((F.zeros((1, n), ms.float32), done[:-1]))
    return (P.ReduceSum()(P.Mul()(y, F.reshape(mine, (e, n, 1))), 0),)


class Morph(Op):
    """the function itself"""
    def __init__(self, function, shape, dtype):
        super().__init__()
        self.function = function

    def construct(self, *a):
        return self.function(*a)


class MoveTo(Op):
    """host and device are one"""
    def construct(self, x, to, blocking):
        return x


import mindformers

VERSION = mindformers.__version__


wide = types.ModuleType('wide')                                       # types for code that names float16 itself
wide.__dict__.update({k: v for k, v in vars(ms.common.dtype).items() if not k.startswith('__')}, float16=ms.float32, bfloat16=ms.float32)
sys.modules['wide'] = wide


def linear(self, x, group_list=None):
    """MindFormers' own, but experts as a batch of three axes: the CPU's BatchMatMul does not broadcast four against three"""
    out_shape = self.shape(x)[:-1] + (self.out_channels,)
    x = self.reshape(x, (-1, self.in_channels))
    if self.expert_flag and not self.use_gmm:
        x = self.reshape(x, (self.expert_num, -1, self.in_channels))
    ori_dtype = F.dtype(x)
    x = self.matmul(self.cast(x, self.dtype), self.cast(self.weight, self.dtype))
    if self.has_bias:
        x = self.bias_add(x, self.cast(self.bias, self.dtype))
    if self.activation_flag:
        x = self.activation(x)
    return self.reshape(F.cast(x, ori_dtype), out_shape)


def t5_feed_forward(self, x):
    """MindFormers' own without its cast to float16, whatever the configuration says"""
    output = self.projection(self.mapping(x))
    if len(F.shape(output)) == 3:
        return self.dropout_3d(output)
    return self.dropout(output) if len(F.shape(output)) == 2 else self.dropout_4d(output)


def mae_mlp(self, x):
    """MindFormers' own without its cast to float16"""
    output = self.projection(self.mapping(x))
    return self.dropout_3d(output) if len(F.shape(output)) == 3 else self.dropout(output)


if VERSION.startswith('1.3'):
    from mindformers.modules import layers
    from mindformers.models.t5 import t5
    from mindformers.models.mae import mae_modules
    from mindformers.models.llama import llama_layer
    llama_layer.check_rmsnorm_big_kernel_valid = lambda: False
    layers.Linear.construct = linear
    t5.T5FeedFoward.construct = t5_feed_forward
    mae_modules.MLP.construct = mae_mlp


def embedding(ids, weight):
    return P.Gather()(weight, ids, 0)


if VERSION.startswith('1.7'):
    import mindformers.core.context.build_context as context
    import mindformers.parallel_core.utils.model_mixin as mixin
    from mindformers.parallel_core.training_graph import activation, loss_func
    from mindformers.parallel_core.training_graph.base_models.common.embeddings import rotary_pos_embedding
    from mindformers.parallel_core.training_graph.base_models.gpt import gpt_model
    from mindformers.parallel_core.training_graph.tensor_parallel import layers as tp_layers
    from mindformers.parallel_core.training_graph.transformer import attention, flash_attention, mlp, multi_latent_attention, norm, utils
    from mindformers.parallel_core.training_graph.transformer.moe import ffn, moe_layer, router, token_dispatcher
    mixin.is_legacy_model = utils.is_legacy_model = lambda: False
    norm.FusedNorm, norm.FusedRMSNorm, norm.FusedLayerNorm = norm.Norm, norm.RMSNorm, norm.LayerNorm
    flash_attention.FlashAttentionScore = Attention
    for m in (attention.aclnn_ops, mlp, multi_latent_attention, activation.aclnn_ops):
        m.SplitWithSize = SplitWithSize
    rotary_pos_embedding.Outer = Outer
    loss_func.OneHotExt, loss_func.ZerosLikeExt = OneHotExt, ZerosLikeExt
    router.Dense, router.TopkExt, router.OneHotExt = Dense, TopkExt, OneHotExt
    ffn.GroupedMatmul, ffn.Swiglu, activation.Swiglu_op = grouped_matmul, Swiglu, Swiglu
    token_dispatcher.IndexSelect, token_dispatcher.FmodScalar, token_dispatcher.SortExt, token_dispatcher.OneHotExt, token_dispatcher.CumsumExt = index_select, fmod_scalar, sort_ext, onehot_ext, CumsumExt
    token_dispatcher.ops.MoveTo = MoveTo
    for m in (ffn, moe_layer, gpt_model, tp_layers, tp_layers.P):
        m.Morph = Morph
    attention.mstype = multi_latent_attention.mstype = wide           # attention casts what is no half to float16
    tp_layers.mint.nn.functional.embedding = embedding


def shared(self, x):
    """1.7.0's shared experts take two of the three values of the class below: a graph allows it, Python does not"""
    y, bias = type(self).__mro__[1].construct(self, x)[:2]
    if self.use_shared_expert_gate:
        y = self.mul_shared_gate(y, self.cast(self.sigmoid(self.shared_experts_gate(self.cast(x, self.router_dense_type))), self.compute_dtype))
    return y, bias


def for_pynative():
    if VERSION.startswith('1.7'):
        from mindformers.parallel_core.training_graph.transformer.moe import shared_experts
        shared_experts.SharedExpertMLP.construct = shared_experts.SharedExpertMLPInterleaved.construct = shared
