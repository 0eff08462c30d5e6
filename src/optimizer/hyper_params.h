/* The hyper-parameters of one optimizer step, from a side's configuration. */
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
    HYPER_DECAY_1D, /* 1: biases and norm weights decay too */
    HYPER_CLIP,     /* the global norm to which gradients are clipped; 0: no clipping */
    HYPER_BIAS_CORRECTION,
    HYPER_STEP,     /* from 1 */
    HYPER_KEYS
};

struct hyper_params {
    struct arena arena;
    const char *path;          /* of the file, or NULL */
    const char *optimizer;     /* "AdamW", or NULL */
    bool has[HYPER_KEYS];
    double v[HYPER_KEYS];      /* if absent: the default of torch.optim.AdamW, no clipping, step 1 */
    VEC(const char *) unknown; /* unknown keys of a hyper.json */
    VEC(const char *) unread;  /* sentences: values that are there and no numbers */
};

/* Reads this program's hyper.json (or hyper.yaml: {"lr": 1e-3, "beta1": 0.9, …}), or a configuration in any form that
 * src/config reads; keys by the names of Megatron, MindFormers, Hugging Face and torch, at any depth. */
int hyper_params_load(struct hyper_params *h, const char *path, struct err *e);
void hyper_params_default(struct hyper_params *h); /* defaults only */
void hyper_params_release(struct hyper_params *h);
const char *hyper_params_name(enum hyper_key k); /* "weight_decay" */
bool hyper_params_is_flag(enum hyper_key k);
/* A sentence about an invalid value, or NULL. */
const char *hyper_params_problem(const struct hyper_params *h);

#endif
