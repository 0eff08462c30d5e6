/* The table of names of a step's values and their prefixes, and names given by the user. */
#include "log/value_names.h"

#include <stdatomic.h>
#include <pthread.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/msg.h"
#include "base/pattern.h"
#include "log/loss_words.h"

static const char *const steps[] = {
    "step", "_step", "steps", "iteration", "iter", "iterations", "global_step", "current_steps", "n_iter",
        "global_steps", "update", "step_num", "iter_num", "training_iteration",
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
    {"grad/norm/total", LOG_NORM},
    {"loss_scale", LOG_SCALE},    {"loss_mean", LOG_LOSS},     {"actor_grad_norm", LOG_NORM},    {"actor_lr", LOG_LR},
};

/* Of the loss of reinforcement learning; of a step's micro-batches (OpenRLHF's gpt_loss). */
static const char *const parts[] = {"pg_loss", "policy_loss", "actor_loss/avg", "gpt_loss"};

static const char *const prefixes[] = {"train/", "training/", "trainer/", "actor/", "optim/", "loss_metrics/",
                                       "metrics/", "learning/", "ppo_actor/update/", "samples/", "train_", "training_"};

#define RL_UPDATE_KL "update_kl"
#define RL_REFERENCE_KL "reference_kl"
#define RL_CLIPPED "clip_fraction"
#define RL_ADVANTAGE "advantage"

/* Names as slime 624b824, verl b178a3c, TRL 1.16 and NeMo RL 7ea279a log them, and OpenRLHF and AReaL to TensorBoard;
 * of means over tokens: TRL's objective/kl is a sum over a sequence, its policy/approxkl_avg half a square.
 * Means of |difference| of the sampled tokens' log-probabilities have the limit of slime's own tests; a mean of
 * |difference| of probabilities is never larger. NeMo RL's is the mean of exp |difference|, and its limit the one at
 * which it plots the worst sample. */
static const struct rl_metric rl_metrics[] = {
    {"train/train_rollout_logprob_abs_diff", RL_ROLLOUT, 0.1},
    {"training/rollout_probs_diff_mean", RL_ROLLOUT, 0.1},
    {"sampling/sampling_logp_difference/mean", RL_ROLLOUT, 0.1},
    {"train/token_mult_prob_error", RL_ROLLOUT, 1.05},
    {"actor/ppo_kl", RL_UPDATE_KL, 0},
    {"train/ppo_kl", RL_UPDATE_KL, 0},
    {"ppo_actor/update/approx_kl/avg", RL_UPDATE_KL, 0},
    {"actor/kl_loss", RL_REFERENCE_KL, 0},
    {"train/kl_loss", RL_REFERENCE_KL, 0},
    {"train/kl_penalty", RL_REFERENCE_KL, 0},
    {"train/kl", RL_REFERENCE_KL, 0},
    {"kl", RL_REFERENCE_KL, 0},
    {"actor/pg_clipfrac", RL_CLIPPED, 0},
    {"train/pg_clipfrac", RL_CLIPPED, 0},
    {"train/ppo_clip_ratio", RL_CLIPPED, 0},
    {"train/clip_ratio/region_mean", RL_CLIPPED, 0},
    {"clip_ratio/region_mean", RL_CLIPPED, 0},
    {"policy/clipfrac_avg", RL_CLIPPED, 0},
    {"ppo_actor/update/clip_ratio/avg", RL_CLIPPED, 0},
    {"critic/advantages/mean", RL_ADVANTAGE, 0},
    {"train/advantages/mean", RL_ADVANTAGE, 0},
    {"ppo_actor/advantages/avg", RL_ADVANTAGE, 0},
};
_Static_assert(ARRAY_LEN(rl_metrics) <= RL_METRICS_MOST, "a bit each");

static const struct {
    const char *tag, *title;
} rl_tags[] = {
    {RL_ROLLOUT, N_("difference from the rollout engine")},
    {RL_UPDATE_KL, N_("KL of the updates")},
    {RL_REFERENCE_KL, N_("KL from the reference policy")},
    {RL_CLIPPED, N_("clip fraction")},
    {RL_ADVANTAGE, N_("mean advantage")},
};

const struct rl_metric *rl_metric_at(size_t i)
{
    return i < ARRAY_LEN(rl_metrics) ? &rl_metrics[i] : NULL;
}

const struct rl_metric *rl_metric(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(rl_metrics); i++)
        if (str_is(name, rl_metrics[i].name))
            return &rl_metrics[i];
    return NULL;
}

const char *rl_metric_tag(size_t n)
{
    return n < ARRAY_LEN(rl_tags) ? rl_tags[n].tag : NULL;
}

const char *rl_metric_title(const char *tag)
{
    for (size_t i = 0; i < ARRAY_LEN(rl_tags); i++)
        if (strcmp(tag, rl_tags[i].tag) == 0)
            return _(rl_tags[i].title);
    return NULL;
}

static size_t without_front(char *s, size_t n, const char *front)
{
    size_t f = strlen(front);
    if (n <= f || memcmp(s, front, f) != 0)
        return n;
    memmove(s, s + f, n - f);
    return n - f;
}

bool auxiliary_loss_named(struct str name, char out[64])
{
    static const char *const words[] = {"balanc", "aux", "mtp", "multitoken", "router", "indexer", "moe"};
    size_t n = 0;
    bool is = false;
    if (!name.n || !str_ihas(name, "loss") || str_ihas(name, "eval") || str_ihas(name, "valid"))
        return false;
    for (size_t i = 0; i < name.n && n + 1 < 64; i++) {
        char ch = name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] + 32) : name.p[i];
        if (ch == '/')
            n = 0;
        if ((ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9'))
            out[n++] = ch;
    }
    if (n > 4 && memcmp(out + n - 4, "loss", 4) == 0)
        n -= 4;
    out[n] = 0;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        is |= strstr(out, words[i]) != NULL;
    n = without_front(out, n, "moe");
    n = without_front(out, n, "router");
    out[n] = 0;
    if (strcmp(out, "mtp1") == 0)
        out[3] = 0;
    return is || strcmp(out, "z") == 0;
}

bool extra_value_take(struct extra_values *x, struct str name, double value)
{
    const struct rl_metric *m = rl_metric(name);
    char plain[64];
    if (m) {
        x->has |= 1u << (m - rl_metrics);
        x->value[m - rl_metrics] = value;
        return true;
    }
    if (x->losses == AUXILIARY_MOST || name.n >= sizeof x->loss->name || !auxiliary_loss_named(name, plain))
        return false;
    snprintf(x->loss[x->losses].name, sizeof x->loss->name, "%.*s", STR_ARG(name));
    x->loss[x->losses++].value = value;
    return true;
}

/* Lower case, "_" for what divides words, the prefixes removed, and a run's name in front ("run-1 - train/loss", as W&B
 * exports tables); false if it is too long. */
static bool plain_value_name(struct str name, char out[64], size_t *n)
{
    ptrdiff_t run;
    while ((run = str_search(name, " - ")) >= 0)
        name = str_cut(name, (size_t)run + 3);
    name = str_trim(name);
    if (!name.n || name.n >= 64)
        return false;
    for (size_t i = 0; i < name.n; i++)
        out[i] = name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] + 32)
                 : strchr(" -.", name.p[i])           ? '_' : name.p[i];
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

/* ---- names the user gave ---- */

#define OWN_MOST 64
#define OWN_STEP LOG_VALUES /* beside the values */
#define PATTERNS_MOST 16
#define PATTERN_BYTES 1024

static const struct {
    const char *word;
    int as; /* enum log_value or OWN_STEP */
} words[] = {{"step", OWN_STEP}, {"loss", LOG_LOSS}, {"norm", LOG_NORM}, {"lr", LOG_LR}, {"scale", LOG_SCALE}};

/* Only ever added to: what stands before `owns` is never changed, so it is read without the lock. */
static struct {
    char name[64];
    int as;
} own[OWN_MOST];
static atomic_size_t owns;
static char patterns[PATTERNS_MOST][PATTERN_BYTES];
static atomic_size_t pattern_count;
static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;

/* What the name was said to be; -1: nothing. */
static int own_value(struct str name)
{
    name = str_trim(name);
    for (size_t i = atomic_load(&owns); i-- > 0;)
        if (str_is(name, own[i].name))
            return own[i].as;
    return -1;
}

static int learn_one(struct str word, struct err *e)
{
    struct str key, name;
    int as = -1, rc = 0;
    if (str_split(word, '=', &key, &name))
        for (size_t i = 0; i < ARRAY_LEN(words); i++)
            as = str_is(key, words[i].word) ? words[i].as : as;
    if (as < 0 || !name.n || name.n >= sizeof own[0].name || own_value(name) == as)
        return as >= 0 && own_value(name) == as ? 0 : err_set(e, ERR_USAGE, _("names: expected step=NAME, loss=NAME, "
                       "norm=NAME, lr=NAME or scale=NAME, found \"%.*s\""), STR_ARG(word));
    pthread_mutex_lock(&own_lock);
    size_t n = atomic_load(&owns);
    if (n == OWN_MOST) {
        rc = err_set(e, ERR_USAGE, _("names: more than %d names"), OWN_MOST);
    } else {
        memcpy(own[n].name, name.p, name.n);
        own[n].as = as;
        atomic_store(&owns, n + 1);
    }
    pthread_mutex_unlock(&own_lock);
    return rc;
}

static bool is_pattern(struct str line)
{
    return str_has(line, "(?<") || str_has(line, "(?P<");
}

/* A pattern without a group for a loss or a norm would find steps without values. */
static int check_pattern(struct str text, struct err *e)
{
    struct pattern *p = pattern_compile(text, 0, e);
    if (!p)
        return -1;
    bool measured = pattern_group_named(p, "loss") >= 0 || pattern_group_named(p, "norm") >= 0;
    bool many = pattern_group_count(p) >= PATTERN_GROUPS;
    pattern_free(p);
    return measured && !many ? 0 : err_set(e, ERR_USAGE, _("pattern: expected a group named loss or norm, as in "
                                                           "'it (?<step>\\d+) .* obj (?<loss>\\S+)', and at most %d "
                                                           "groups"), PATTERN_GROUPS - 1);
}

static int learn_pattern(struct str text, struct err *e)
{
    int rc = 0;
    if (str_starts(text, "pattern="))
        text = str_cut(text, strlen("pattern="));
    for (size_t i = 0; i < atomic_load(&pattern_count); i++)
        if (str_is(text, patterns[i]))
            return 0;
    if (check_pattern(text, e))
        return -1;
    pthread_mutex_lock(&own_lock);
    size_t n = atomic_load(&pattern_count);
    if (n == PATTERNS_MOST || text.n >= PATTERN_BYTES) {
        rc = err_set(e, ERR_USAGE, _("names: more than %d patterns, or one of more than %d bytes"), PATTERNS_MOST,
                     PATTERN_BYTES - 1);
    } else {
        memcpy(patterns[n], text.p, text.n);
        atomic_store(&pattern_count, n + 1);
    }
    pthread_mutex_unlock(&own_lock);
    return rc;
}

static int learn_words(struct str text, struct err *e)
{
    while (text.n) {
        size_t n = 0;
        while (n < text.n && !strchr(", ", text.p[n]))
            n++;
        struct str word = str_trim(str_n(text.p, n));
        text = str_cut(text, n < text.n ? n + 1 : n);
        if (word.n && learn_one(word, e))
            return -1;
    }
    return 0;
}

int value_names_learn(struct str text, struct err *e)
{
    while (text.n) {
        struct str line = str_next(&text, '\n');
        line = str_trim(line);
        if (is_pattern(line) ? learn_pattern(line, e) : learn_words(line, e))
            return -1;
    }
    return 0;
}

const char *value_pattern(size_t i)
{
    return i < atomic_load(&pattern_count) ? patterns[i] : NULL;
}

void value_names_learned(struct buf *out)
{
    for (size_t i = 0; i < atomic_load(&pattern_count); i++)
        buf_fmt(out, "pattern=%s\n", patterns[i]);
    for (size_t i = 0; i < atomic_load(&owns); i++)
        for (size_t k = 0; k < ARRAY_LEN(words); k++)
            if (words[k].as == own[i].as)
                buf_fmt(out, "%s=%s\n", words[k].word, own[i].name);
}

size_t value_names_count(void)
{
    return atomic_load(&owns) + atomic_load(&pattern_count);
}

bool value_name_said(struct str name, int *as)
{
    *as = own_value(name);
    return *as >= 0;
}

bool value_names_in(struct str line)
{
    for (size_t i = atomic_load(&owns); i-- > 0;)
        if ((own[i].as == LOG_LOSS || own[i].as == LOG_NORM) && str_has(line, own[i].name))
            return true;
    return false;
}

/* ---- looking up ---- */

bool value_is_step(struct str name)
{
    char s[64];
    size_t n;
    int given = own_value(name);
    if (given >= 0)
        return given == OWN_STEP;
    return plain_value_name(name, s, &n) && STR_ONE_OF(str_of(s), steps);
}

bool value_is_split(struct str name)
{
    static const char *const names[] = {"mode", "split", "phase", "stage", "subset", "set", "dataset", "type", "kind",
                                        "context"};
    char s[64];
    size_t n;
    return plain_value_name(name, s, &n) && STR_ONE_OF(str_of(s), names);
}

bool value_split_judged(struct str text)
{
    char s[64];
    size_t n;
    if (!plain_value_name(text, s, &n))
        return false;
    for (size_t i = 0; i < n; i++) /* {"subset": "val"} */
        s[i] = (unsigned char)s[i] >= 0x80 || (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= '0' && s[i] <= '9') ? s[i] : '_';
    return name_is_judged(str_n(s, n));
}

bool value_is_rank(struct str name)
{
    static const char *const names[] = {"rank", "global_rank", "rank_id"};
    char s[64];
    size_t n;
    return plain_value_name(name, s, &n) && STR_ONE_OF(str_of(s), names);
}

bool value_says_name(struct str key)
{
    static const char *const names[] = {"name", "tag", "key", "metric", "metricname", "metric_name"};
    char s[64];
    size_t n;
    return plain_value_name(key, s, &n) && STR_ONE_OF(str_n(s, n), names);
}

bool value_says_value(struct str key)
{
    static const char *const names[] = {"value", "metricvalue", "metric_value"};
    char s[64];
    size_t n;
    return plain_value_name(key, s, &n) && STR_ONE_OF(str_n(s, n), names);
}

bool value_counts_samples(struct str name)
{
    return str_ihas(name, "train/samples/");
}

/* Of several losses the one with the highest goes first. */
enum { SAYS_PART, SAYS_MEAN, SAYS_COMPONENT, SAYS_OWN, SAYS_TOTAL, SAYS_TOLD };

static bool named_by_table(const char *name, enum log_value *v)
{
    for (size_t i = 0; i < ARRAY_LEN(values); i++)
        if (strcmp(name, values[i].name) == 0) {
            *v = values[i].v;
            return true;
        }
    return false;
}

bool value_named(struct str name, enum log_value *v)
{
    char s[64];
    size_t n;
    int given = own_value(name);
    *v = LOG_LOSS;
    if (given >= 0) {
        *v = given == OWN_STEP ? *v : (enum log_value)given;
        return given != OWN_STEP;
    }
    return plain_value_name(name, s, &n) && (named_by_table(s, v) || value_loss_rank(name) > SAYS_MEAN);
}

bool value_part(struct str name)
{
    char s[64];
    size_t n;
    return own_value(name) < 0 && plain_value_name(name, s, &n) && STR_ONE_OF(str_of(s), parts);
}

static int says_words(struct str name)
{
    bool named;
    int rank = loss_words_rank(name, &named);
    if (rank < 0 || !named)
        return -1;
    return rank == LOSS_TOTAL ? SAYS_TOTAL : rank == LOSS_OWN ? SAYS_OWN : rank < LOSS_MEAN ? SAYS_COMPONENT
                                                                                           : SAYS_MEAN;
}

int value_loss_rank(struct str name)
{
    static const char *const components[] = {"lm_loss", "ce_loss", "cross_entropy", "nll_loss"};
    enum log_value v;
    char s[64];
    size_t n;
    if (own_value(name) >= 0)
        return own_value(name) == LOG_LOSS ? SAYS_TOLD : -1;
    if (!plain_value_name(name, s, &n))
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(components); i++)
        if (strcmp(s, components[i]) == 0)
            return SAYS_COMPONENT;
    if (named_by_table(s, &v))
        return v == LOG_LOSS ? SAYS_OWN : -1;
    return value_part(name) ? SAYS_PART : says_words(str_n(s, n));
}

bool value_taken(struct values_taken *t, struct str name, enum log_value *v)
{
    int rank = value_loss_rank(name);
    if (rank < 0 && t->has & 1u << LOG_LOSS && t->loss_rank <= SAYS_COMPONENT && str_ieq(str_trim(name), STR("total")))
        rank = SAYS_TOTAL; /* {"loss_ce": 2.1, "loss_kl": 0.3, "total": 2.4} */
    if (rank == SAYS_MEAN || (rank < 0 && !value_named(name, v)))
        return false;
    *v = rank >= 0 ? LOG_LOSS : *v;
    t->many |= rank >= 0 && (t->has & 1u << LOG_LOSS);
    unsigned bit = 1u << *v;
    if (t->has & bit && (rank < 0 || rank <= t->loss_rank))
        return false;
    t->has |= bit;
    if (rank >= 0) {
        t->loss_rank = rank;
        snprintf(t->loss, sizeof t->loss, "%.*s", STR_ARG(name));
    }
    return true;
}

bool value_total_taken(const struct values_taken *t)
{
    return t->many && t->has & 1u << LOG_LOSS && t->loss_rank == SAYS_TOTAL;
}
