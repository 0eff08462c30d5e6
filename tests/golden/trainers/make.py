"""What trainers write of one small run of twelve steps, by their own code: verl 0.9.1 (console and file logger), TorchTitan 0.3.0, slime
624b824 (its format and line), MLflow 3.17.2 (file store). Each part runs alone: make.py PART OUT, with the packages' sources in SOURCES and PYTHONPATH."""
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


globals()[part]()
