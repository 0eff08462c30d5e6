/* Loads data/thresholds.json once; a limit is read and set by its key, as in "float32.deviate". */
#include "judge/thresholds.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>

#include "base/embed.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/json_read.h"
#include "base/json_tree.h"

#define LIMITS(name, field)                                                                        \
    {name ".drift", offsetof(struct thresholds, field.drift)},                                            \
        {name ".deviate", offsetof(struct thresholds, field.deviate)},                                    \
        {name ".product", offsetof(struct thresholds, field.product)}

#define STAGE(group, name) {#group "." #name, offsetof(struct thresholds, group.name)}

static const struct {
    const char *key;
    size_t at;
} keys[] = {
    LIMITS("float32", f32),
    LIMITS("bfloat16", bf16),
    LIMITS("float16", f16),
    LIMITS("float64", f64),
    LIMITS("float8", f8),
    {"level.window", offsetof(struct thresholds, window)},
    {"level.quantile", offsetof(struct thresholds, quantile)},
    {"level.quantile_statistics", offsetof(struct thresholds, quantile_statistics)},
    {"factor.level", offsetof(struct thresholds, level)},
    {"factor.level_statistics", offsetof(struct thresholds, level_statistics)},
    {"factor.jump", offsetof(struct thresholds, jump)},
    {"factor.noise", offsetof(struct thresholds, noise)},
    {"product.coarse", offsetof(struct thresholds, coarse)},
    {"product.least", offsetof(struct thresholds, coarse_least)},
    {"coverage", offsetof(struct thresholds, coverage)},
    {"confidence", offsetof(struct thresholds, confidence)},
    STAGE(curves, first_loss_abs),
    STAGE(curves, first_loss_rel),
    STAGE(curves, mean_loss_abs),
    STAGE(curves, mean_loss_rel),
    STAGE(curves, global_norm_rel),
    STAGE(curves, steps),
    STAGE(curves, diverge),
    STAGE(curves, window),
    STAGE(curves, noise),
    STAGE(curves, block),
    STAGE(curves, blocks),
    STAGE(curves, sigma),
    STAGE(curves, slope_sigma),
    STAGE(curves, spike),
    STAGE(curves, outlier),
    STAGE(norms, outlier),
    STAGE(norms, outlier_rel),
    STAGE(norms, rel),
    STAGE(optimizer, residual),
    STAGE(optimizer, grads),
    STAGE(optimizer, explain),
    STAGE(rollout, mean_abs),
    STAGE(rollout, ratio),
    STAGE(rollout, epsilon),
};

static double *threshold_slot(struct thresholds *t, size_t i)
{
    return (double *)((char *)t + keys[i].at);
}

void thresholds_init(struct thresholds *t)
{
    struct err e;
    cJSON *root = json_text(embed_str(&embed_thresholds_json), "thresholds.json", &e);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        struct str group, name;
        char tmp[64];
        const cJSON *v = root;
        str_split(str_of(keys[i].key), '.', &group, &name);
        for (int part = 0; part < 2 && v; part++) {
            struct str k = part ? name : group;
            if (k.n)
                v = json_member(v, memcpy(memset(tmp, 0, sizeof tmp), k.p, k.n));
        }
        *threshold_slot(t, i) = v ? v->valuedouble : NAN;
        assert(v && cJSON_IsNumber(v)); /* a built-in file */
    }
    cJSON_Delete(root);
}

int thresholds_set(struct thresholds *t, struct str key, struct str value, struct err *e)
{
    double v;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (str_is(key, keys[i].key)) {
            if (!str_double(value, &v) || !(v >= 0) || isinf(v))
                return err_set(e, ERR_USAGE, _("%s: expected a number of at least 0, found \"%.*s\""),
                               keys[i].key, STR_ARG(value));
            *threshold_slot(t, i) = v;
            return 0;
        }
    return err_set(e, ERR_USAGE, _("\"%.*s\": unknown threshold; the names are listed in thresholds.json, such as "
                                   "float32.deviate"),
                   STR_ARG(key));
}

const char *thresholds_key(const struct thresholds *t, int i, double *value)
{
    if (i < 0 || (size_t)i >= ARRAY_LEN(keys))
        return NULL;
    memcpy(value, (const char *)t + keys[i].at, sizeof *value);
    return keys[i].key;
}

const struct thresholds_limits *thresholds_of(const struct thresholds *t, enum dtype d)
{
    switch (d) {
    case DTYPE_F16:
        return &t->f16;
    case DTYPE_BF16:
        return &t->bf16;
    case DTYPE_F8E4M3:
    case DTYPE_F8E5M2:
    case DTYPE_HIF8:
        return &t->f8;
    case DTYPE_F64:
        return &t->f64;
    default:
        return &t->f32;
    }
}

static struct {
    pthread_once_t once;
    double value[RULE_LIMIT_COUNT];
} rules = {.once = PTHREAD_ONCE_INIT};

static void load_rules(void)
{
    static const char *const name[RULE_LIMIT_COUNT] = {
        [RULE_LIMIT_ILL_CONDITIONED] = "ill_conditioned",
        [RULE_LIMIT_ILL_CONDITIONED_MOST] = "ill_conditioned_most",
        [RULE_LIMIT_INTEGERS_TURNED_MOST] = "integers_turned_most",
        [RULE_LIMIT_GRADIENT_ROUNDING] = "gradient_rounding",
        [RULE_LIMIT_GRADIENT_ROUNDING_COARSE] = "gradient_rounding_coarse",
        [RULE_LIMIT_KINK_CHANCE] = "kink_chance",
        [RULE_LIMIT_REORDERED] = "reordered",
        [RULE_LIMIT_PASSAGE_ADDED] = "passage_added",
        [RULE_LIMIT_PASSAGE_INHERITED] = "passage_inherited",
        [RULE_LIMIT_FACTOR_PROPORTIONAL] = "factor_proportional",
        [RULE_LIMIT_FACTOR_ROUNDINGS] = "factor_roundings",
        [RULE_LIMIT_FACTOR_LEVELS] = "factor_levels",
        [RULE_LIMIT_FACTOR_LEAST] = "factor_least",
        [RULE_LIMIT_ROUNDED_LEAST] = "rounded_least",
        [RULE_LIMIT_ARGUMENT_ROUNDINGS] = "argument_roundings",
        [RULE_LIMIT_NORMS_UNSEEN] = "norms_unseen",
        [RULE_LIMIT_NORMS_FACTOR] = "norms_factor",
        [RULE_LIMIT_NORMS_FACTOR_SPREAD] = "norms_factor_spread",
        [RULE_LIMIT_NORMS_LEAST] = "norms_least",
        [RULE_LIMIT_STEP_COPIES] = "step_copies",
        [RULE_LIMIT_STEP_HIDDEN] = "step_hidden",
        [RULE_LIMIT_STEP_BLURRED] = "step_blurred",
        [RULE_LIMIT_ORACLE_WRONG] = "oracle_wrong",
        [RULE_LIMIT_ORACLE_HONEST] = "oracle_honest",
        [RULE_LIMIT_ORACLE_ARITHMETIC] = "oracle_arithmetic",
        [RULE_LIMIT_ORACLE_MASK] = "oracle_mask",
        [RULE_LIMIT_ROLLOUT_CUT] = "rollout_cut",
        [RULE_LIMIT_ROLLOUT_CUT_SIGN] = "rollout_cut_sign",
        [RULE_LIMIT_ROLLOUT_ODDS] = "rollout_odds",
        [RULE_LIMIT_ROLLOUT_ERRORS] = "rollout_errors",
        [RULE_LIMIT_DUMP_RUN] = "dump_run",
        [RULE_LIMIT_ORACLE_CONDITION] = "oracle_condition",
    };
    struct err e;
    cJSON *root = json_text(embed_str(&embed_thresholds_json), "thresholds.json", &e);
    const cJSON *all = json_member(root, "rules");
    for (int i = 0; i < RULE_LIMIT_COUNT; i++) {
        const cJSON *rule = json_member(all, name[i]), *v = json_member(rule, "value");
        assert(cJSON_IsNumber(v) && json_member(rule, "source")); /* a built-in file */
        rules.value[i] = v->valuedouble;
    }
    cJSON_Delete(root);
}

double rule_limit(enum rule_limit l)
{
    pthread_once(&rules.once, load_rules);
    return rules.value[l];
}
