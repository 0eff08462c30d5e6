/* The table of names of a step's values, and the prefixes they come with. */
#include "log/value_names.h"

#include "base/mem.h"

static const char *const steps[] = {
    "step", "_step", "steps", "iteration", "iter", "iterations", "global_step", "current_steps", "n_iter",
        "global_steps", "update",
};

static const struct {
    const char *name;
    enum log_value v;
} values[] = {
    {"loss", LOG_LOSS},           {"lm_loss", LOG_LOSS},       {"reduced_train_loss", LOG_LOSS}, {"ce_loss", LOG_LOSS},
    {"cross_entropy", LOG_LOSS},  {"nll_loss", LOG_LOSS},      {"global_avg_loss", LOG_LOSS},    {"loss_step",
            LOG_LOSS},
    {"lr", LOG_LR},               {"learning_rate", LOG_LR},   {"grad_norm", LOG_NORM},          {"global_norm",
            LOG_NORM},
    {"gradient_norm", LOG_NORM},  {"gnorm", LOG_NORM},         {"global_grad_norm", LOG_NORM},   {"total_norm",
            LOG_NORM},
    {"loss_scale", LOG_SCALE},
};

static const char *const prefixes[] = {"train/", "training/", "trainer/", "actor/", "optim/", "loss_metrics/",
                                       "metrics/", "train_", "training_"};

/* Lower case, "_" for what divides words, the prefixes taken away; false where it is too long. */
static bool plain(struct str name, char out[64], size_t *n)
{
    name = str_trim(name);
    if (!name.n || name.n >= 64)
        return false;
    for (size_t i = 0; i < name.n; i++)
        out[i] = name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] + 32) : name.p[i] == ' ' ||
            name.p[i] == '-' ? '_' : name.p[i];
    out[name.n] = 0;
    *n = name.n;
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
        size_t p = strlen(prefixes[i]);
        if (*n > p && strncmp(out, prefixes[i], p) == 0) {
            memmove(out, out + p, *n - p + 1);
            *n -= p;
        }
    }
    return true;
}

bool value_is_step(struct str name)
{
    char s[64];
    size_t n;
    for (size_t i = 0; plain(name, s, &n) && i < ARRAY_LEN(steps); i++)
        if (strcmp(s, steps[i]) == 0)
            return true;
    return false;
}

bool value_named(struct str name, enum log_value *v)
{
    char s[64];
    size_t n;
    for (size_t i = 0; plain(name, s, &n) && i < ARRAY_LEN(values); i++)
        if (strcmp(s, values[i].name) == 0) {
            *v = values[i].v;
            return true;
        }
    return false;
}
