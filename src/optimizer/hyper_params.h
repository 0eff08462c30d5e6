/* The hyper-parameters of one optimizer step, as a side's configuration states them. */
#ifndef OPTIMIZER_HYPER_PARAMS_H
#define OPTIMIZER_HYPER_PARAMS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

enum hyper_key {
    HYPER_LR,
    HYPER_BETA1,
    HYPER_BETA2,
    HYPER_EPS,
    HYPER_DECAY,
    HYPER_DECAY_1D, /* 1: biases and norms decay too */
    HYPER_CLIP,     /* global norm gradients are clipped to; 0: they are not */
    HYPER_BIAS_CORRECTION,
    HYPER_STEP,     /* from 1 */
    HYPER_KEYS
};

struct hyper_params {
    struct arena arena;
    const char *path;          /* of the file, or NULL */
    const char *optimizer;     /* "AdamW", or NULL */
    bool has[HYPER_KEYS];
    double v[HYPER_KEYS];      /* of what is absent: the default of torch.optim.AdamW, no clipping, step 1 */
    VEC(const char *) unknown; /* keys of a hyper.json that mean nothing here */
};

/* Our own hyper.json (or hyper.yaml: {"lr": 1e-3, "beta1": 0.9, …}), else a configuration of any form src/config
 * reads; keys by the names of Megatron, MindFormers, Hugging Face and torch, at any depth. */
int hyper_params_load(struct hyper_params *h, const char *path, struct err *e);
void hyper_params_default(struct hyper_params *h); /* nothing known */
void hyper_params_release(struct hyper_params *h);
const char *hyper_params_name(enum hyper_key k); /* "weight_decay" */
bool hyper_params_is_flag(enum hyper_key k);
/* Sentence of what is wrong with it, or NULL. */
const char *hyper_params_problem(const struct hyper_params *h);

#endif
