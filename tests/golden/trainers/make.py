"""What trainers write of one small run of twelve steps, by their own code: verl 0.9.1 (console and file logger), TorchTitan 0.3.0, slime
624b824 (its format and line), MLflow 3.17.2 (file store), DeepSpeed 0.18.2 (csv_monitor), NeMo 8cfedd7 (its two progress callbacks in Lightning 2.6, with Lightning's
loggers, which NeMo uses), TRL 1.16 (GRPO). Each part runs alone: make.py PART OUT, with the packages' sources in SOURCES and PYTHONPATH."""
import contextlib, importlib.util, io, json, logging, os, sys, types
import torch
from torch import nn

part, out = sys.argv[1], os.path.abspath(sys.argv[2])
os.makedirs(out, exist_ok=True)
SOURCES = os.environ.get("SOURCES", "")


def model():
    torch.manual_seed(5)
    return nn.Sequential(nn.Embedding(40, 8), nn.Flatten(), nn.Linear(48, 40))


def batch(step):
    g = torch.Generator().manual_seed(step)
    return torch.randint(0, 40, (8, 6), generator=g), torch.randint(0, 40, (8,), generator=g)


def records(steps=12):
    net = model()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for step in range(steps):
        x, y = batch(step)
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
        yield step, loss.item(), norm.item(), opt.param_groups[0]["lr"]


def module(path):
    spec = importlib.util.spec_from_file_location("m", os.path.join(SOURCES, path))
    m = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(m)
    return m


def verl():
    import numpy
    local = module("verl/verl/utils/logger/aggregate_logger.py").LocalLogger()
    os.environ["VERL_FILE_LOGGER_PATH"] = os.path.join(out, "verl.jsonl")
    with open(os.path.join(out, "verl.log"), "w") as f, contextlib.redirect_stdout(f):
        tracking = module("verl/verl/utils/tracking.py").FileLogger("p", "e")
        for step, loss, norm, lr in records():
            data = {"actor/entropy": 1.25, "actor/pg_loss": loss, "actor/grad_norm": norm, "actor/lr": lr, "critic/rewards/mean": 0.5,
                    "timing_s/step": numpy.float64(2.5)}
            local.log(data, step + 1)
            tracking.log(data, step + 1)


def verl_sft():
    local = module("verl/verl/utils/logger/aggregate_logger.py").LocalLogger()
    with open(os.path.join(out, "verl_sft.log"), "w") as f, contextlib.redirect_stdout(f):
        for step, loss, norm, lr in records():
            local.log({"train/loss": loss, "train/grad_norm": norm, "train/lr": lr, "train/mfu": 0.1}, step + 1)
        local.log({"val/loss": 3.5}, 12)


def torchtitan():
    from torchtitan.components.metrics import MetricsProcessor
    from torchtitan.tools import utils
    from torchtitan.tools.logging import init_logger, logger
    init_logger()
    for h in logger.handlers:
        h.setStream(open(os.path.join(out, "torchtitan.log"), "w"))
    p = MetricsProcessor.__new__(MetricsProcessor)
    stats = types.SimpleNamespace(max_active_gib=1.0, max_active_pct=1.2, max_reserved_gib=1.5, max_reserved_pct=1.9, num_alloc_retries=0, num_ooms=0)
    p.__dict__.update(num_flops_per_token=1000, time_last_log=0.0, ntokens_since_last_log=0, data_loading_times=[0.1], has_quantization=False,
                      gpu_peak_flops=1e12, parallel_dims=types.SimpleNamespace(non_data_parallel_size=1), color=utils.Color(),
                      config=types.SimpleNamespace(log_freq=1), logger=types.SimpleNamespace(log=lambda m, s: None),
                      device_memory_monitor=types.SimpleNamespace(get_peak_stats=lambda: stats, reset_peak_stats=lambda: None))
    for step, loss, norm, lr in records():
        p.data_loading_times.append(0.1)
        p.ntokens_since_last_log = 4096000
        p.log(step + 1, loss, loss * 1.1, norm)
        if step == 5:
            p.log_validation(3.5, step + 1)


def slime():
    m = types.ModuleType("slime_logging")
    text = open(os.path.join(SOURCES, "slime_logging_utils.py")).read()
    exec(text[text.index("_LOGGER_CONFIGURED"):text.index("def init_tracking")], {**m.__dict__, "logging": logging}, m.__dict__)
    stream = open(os.path.join(out, "slime.log"), "w")
    logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(filename)s:%(lineno)d - %(message)s", datefmt="%Y-%m-%d %H:%M:%S", force=True, stream=stream)
    logger = logging.getLogger("slime")
    role_tag = ""
    for accumulated_step_id, loss, norm, lr in records():
        loss_dict = {"loss": torch.tensor(loss), "pg_loss": torch.tensor(loss), "ppo_kl": torch.tensor(0.0), "train_rollout_logprob_abs_diff": torch.tensor(0.01)}
        log_dict = {f"train/{role_tag}{key}": val.mean().item() if isinstance(val, torch.Tensor) else val for key, val in loss_dict.items()}
        log_dict[f"train/{role_tag}grad_norm"] = norm
        log_dict[f"train/{role_tag}lr-pg_0"] = lr
        log_dict["train/step"] = accumulated_step_id
        logger.info(f"{role_tag}step {accumulated_step_id}: {log_dict}")
        logger.info(f"perf {accumulated_step_id}: {dict(a=1.0)}")


def mlflow():
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    import mlflow as ml
    ml.set_tracking_uri("file://" + os.path.join(out, "mlruns"))
    with ml.start_run():
        for step, loss, norm, lr in records():
            ml.log_metrics({"train/loss": loss, "train/grad_norm": norm, "lr": lr}, step=step)


def verl_rollout():
    """verl's own figures of trainer against rollout (verl/utils/debug/metrics.py, b178a3c) of the batches of data/samples/rollout."""
    for name in ("verl", "verl.protocol"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["verl.protocol"].DataProto = object
    figures = module("verl/verl/utils/debug/metrics.py").calculate_debug_metrics
    local = module("verl/verl/utils/logger/aggregate_logger.py").LocalLogger()
    with open(os.path.join(out, "verl_rollout.log"), "w") as f, contextlib.redirect_stdout(f):
        for step in range(6):
            b = torch.load(os.path.join(SOURCES, "rollout/verl/%s.pt" % ("honest" if step < 4 else "tempered")), weights_only=False)
            if step == 5:
                b["rollout_log_probs"] = b["rollout_log_probs"].roll(1, 1)
            local.log({"actor/pg_loss": 0.01 * step, "actor/grad_norm": 0.5, "actor/lr": 1e-6, **figures(types.SimpleNamespace(batch=b))}, step + 1)


def rl_tb():
    """The names of OpenRLHF 3c3be62 (TensorboardLogger.log_train) and AReaL 4aef98d (StatsLogger, what its tracker exports)."""
    from torch.utils.tensorboard import SummaryWriter
    names = {"openrlhf": ("train/policy_loss", "train/actor_grad_norm", "train/actor_lr", "train/ppo_kl"),
             "areal": ("ppo_actor/update/actor_loss/avg", "ppo_actor/update/grad_norm", "ppo_actor/update/lr", "ppo_actor/update/approx_kl/avg")}
    for tool, tags in names.items():
        w = SummaryWriter(os.path.join(out, "rl_tb", tool))
        for step in range(4):
            for tag, x in zip(tags, (0.1 + step, 1.5, 1e-6, 0.02)):
                w.add_scalar(tag, x, step)
        w.close()


def nemo():
    """nemo/lightning/pytorch/callbacks of NeMo need Megatron's number of micro-batches alone; nemo.log: printer, nemo_every_3.log, nemo_bar.log."""
    import lightning.pytorch as pl
    from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
    for name in ("megatron", "megatron.core", "megatron.core.num_microbatches_calculator"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["megatron.core.num_microbatches_calculator"].get_num_microbatches = lambda: 1
    folder = "NeMo/nemo/lightning/pytorch/callbacks/"
    printer, bar = module(folder + "progress_printer.py").ProgressPrinter, module(folder + "progress_bar.py").MegatronProgressBar

    class Net(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.net, self.seen = model(), 0

        def training_step(self, data, i):
            loss = nn.functional.cross_entropy(self.net(data[0]), data[1])
            self.seen += len(data[1])
            step = float(self.trainer.global_step)
            # names and order of megatron_strategy.py, optim/base.py and plugins/data_sampler.py
            for name, x, shown in (("reduced_train_loss", loss.detach(), True), ("lr", self.trainer.optimizers[0].param_groups[0]["lr"], True),
                                   ("global_batch_size", 8.0, True), ("step", step, False), ("global_step", step, True), ("consumed_samples", float(self.seen), True)):
                self.log(name, x, prog_bar=shown, batch_size=1)
            return loss

        def on_before_optimizer_step(self, opt):
            self.log("grad_norm", float(nn.utils.clip_grad_norm_(self.parameters(), 1.0)), prog_bar=True, batch_size=1)

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), lr=1e-2)

    class Data(torch.utils.data.IterableDataset):
        def __iter__(self):
            return (batch(step) for step in range(12))

    for name, callback, logger in (("nemo.log", printer(1), False), ("nemo_every_3.log", printer(3), False), ("nemo_bar.log", bar(), False),
                                   (None, printer(1), TensorBoardLogger(out, "nemo_tb", "")), (None, printer(1), CSVLogger(out, "nemo_csv", ""))):
        with contextlib.redirect_stdout(open(os.path.join(out, name), "w") if name else io.StringIO()):
            t = pl.Trainer(max_steps=12, callbacks=[callback], logger=logger, log_every_n_steps=1, enable_checkpointing=False, accelerator="cpu", enable_model_summary=False)
            type(t.strategy).current_epoch_step = property(lambda s: t.global_step)
            t.fit(Net(), torch.utils.data.DataLoader(Data(), batch_size=None))


def trl():
    """GRPOTrainer on a random Llama of two layers; the output is what Trainer prints."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer
    t = Tokenizer(models.WordLevel({w: i for i, w in enumerate(["<pad>", "<eos>", "<unk>", *"abcdefghijklmnopqrstuvwxyz"])}, unk_token="<unk>"))
    t.pre_tokenizer = pre_tokenizers.Whitespace()
    tok = PreTrainedTokenizerFast(tokenizer_object=t, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    torch.manual_seed(1)
    net = LlamaForCausalLM(LlamaConfig(vocab_size=32, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                                       max_position_embeddings=64, pad_token_id=0, eos_token_id=1, bos_token_id=None))
    where = os.path.join(out, "tiny")
    net.save_pretrained(where), tok.save_pretrained(where)
    a = GRPOConfig(output_dir=out, per_device_train_batch_size=4, num_generations=4, max_completion_length=8, max_steps=6, logging_steps=1, report_to=[], use_cpu=True,
                   learning_rate=1e-3, beta=0.04, num_iterations=2, disable_tqdm=True)
    GRPOTrainer(model=LlamaForCausalLM.from_pretrained(where), reward_funcs=lambda completions, **k: [len(set(c.split())) / 5 for c in completions], args=a,
                train_dataset=Dataset.from_dict({"prompt": ["a b c", "d e f", "g h", "x y z"] * 4}), processing_class=tok).train()


def deepspeed():
    os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="29500", DS_ACCELERATOR="cpu")
    import deepspeed as ds
    net = model()
    config = {"train_batch_size": 8, "train_micro_batch_size_per_gpu": 8, "gradient_clipping": 1.0,
              "csv_monitor": {"enabled": True, "output_path": out, "job_name": "deepspeed"}}
    engine = ds.initialize(model=net, optimizer=torch.optim.AdamW(net.parameters(), lr=1e-2), config=config)[0]
    for step in range(12):
        x, y = batch(step)
        engine.backward(nn.functional.cross_entropy(engine(x), y))
        engine.step()


globals()[part]()
