/* Trainers that print one line per step, its values known by the words before them:
 *   TorchTitan  step:  1  loss: 12.27210  grad_norm:  4.2031  memory: …  tps: 1,024  …
 *   verl        step:1 - actor/loss:0.1 - actor/grad_norm:np.float64(0.3) - …
 *   DeepSpeed   steps: 10 loss: 5.1234 iter time (s): …      step=10, skipped=0, lr=[0.001], mom=…
 *   NeMo        … reduced_train_loss=10.30, global_step=9.000 …   lr: 2e-05 | global_step: 9 | reduced_train_loss:
 * 11.0 | …
 *   darknet     1: 2.5, 2.475 avg loss, 0.001 rate, 3.3 seconds, 64 images (the names stand behind the numbers)
 *   slime       step 0: {'train/loss': 0.01, 'train/grad_norm': 0.5, …}
 * A trainer is a row of the table. */
#include "base/mem.h"
#include "log/series_builder.h"
#include "log/value_names.h"

#define VALUES 8

static const struct step_line {
    const char *need[3]; /* words that stand in such a line */
    const char *without; /* and one that does not, or NULL */
    const char *step[2]; /* what stands before the step's number; "step" is in it */
    struct {
        const char *word;
        enum log_value v;
        double scale; /* 0: as it is */
    } value[VALUES];
    const char *skipped; /* what stands before the count of skipped steps, or NULL */
    const char *metric[2]; /* around a metric's name, before its value; NULL: none */
    bool mean; /* of the steps since the line before */
} lines[] = {
    {.need = {"step:", "loss:", "tps:"}, .without = "validate step:", .step = {"step:"},
     .value = {{" loss:", LOG_LOSS, 0}, {"grad_norm:", LOG_NORM, 0}, {" lr:", LOG_LR, 0}}},
    {.need = {"step:", " - ", "/"}, .step = {"step:"},
     .value = {{"- actor/loss:", LOG_LOSS, 0}, {"- train/loss:", LOG_LOSS, 0}, {"- actor/pg_loss:", LOG_LOSS, 0},
               {"- actor/grad_norm:", LOG_NORM, 0}, {"- train/grad_norm:", LOG_NORM, 0}, {"- actor/lr:", LOG_LR, 0},
               {"- train/lr:", LOG_LR, 0}, {"- train/lr(1e-3):", LOG_LR, 1e-3}}, .metric = {"- ", ":"}},
    {.need = {"steps:", " loss:", "iter time"}, .step = {"steps:"}, .value = {{" loss:", LOG_LOSS, 0}}},
    {.need = {"step=", "skipped=", "lr=["}, .step = {"step="}, .value = {{"lr=[", LOG_LR, 0}}, .skipped = "skipped="},
    {.need = {"reduced_train_loss", "global_step"}, .step = {"global_step: ", "global_step="},
     .value = {{"reduced_train_loss: ", LOG_LOSS, 0}, {"reduced_train_loss=", LOG_LOSS, 0}, {"grad_norm: ", LOG_NORM,
             0},
               {"grad_norm=", LOG_NORM, 0}, {"| lr: ", LOG_LR, 0}, {", lr=", LOG_LR, 0}, {"loss_scale: ", LOG_SCALE,
                       0}}, .mean = true},
    {.need = {"step ", ": {'train/"}, .step = {"step "},
     .value = {{"'train/loss': ", LOG_LOSS, 0}, {"'train/grad_norm': ", LOG_NORM, 0}, {"'train/lr-pg_0': ", LOG_LR, 0},
               {"'train/pg_loss': ", LOG_LOSS, 0}}, .metric = {"'", "': "}},
};

/* The number after the word: also numpy's and torch's, "np.float64(0.25)", "tensor(0.25)". */
static bool number_behind(struct str line, const char *word, double *x, double *digit)
{
    static const char *const wrapped[] = {"np.float64(", "np.float32(", "tensor("};
    struct str at;
    if (!scan_behind(line, word, &at))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(wrapped); i++)
        if (str_starts(at, wrapped[i]))
            at = str_cut(at, strlen(wrapped[i]));
    return scan_leading(&at, x, digit) && !scan_goes_on(at);
}

/* The text behind the word, up to a blank; of a value that is there and no number. */
static bool odd_behind(struct str line, const char *word, struct str *text)
{
    struct str at, rest;
    double x;
    if (!scan_behind(line, word, &at) || number_behind(line, word, &x, NULL))
        return false;
    str_split(str_trim(at), ' ', text, &rest);
    return !reading_is_nothing(*text);
}

static bool read_trainer_step(const struct step_line *l, struct str line, int64_t *step)
{
    double x;
    for (size_t i = 0; i < ARRAY_LEN(l->step) && l->step[i]; i++)
        if (number_behind(line, l->step[i], &x, NULL) && x >= 0 && x < (double)LOG_STEP && x == (double)(int64_t)x) {
            *step = (int64_t)x;
            return true;
        }
    return false;
}

static bool has_words(const struct step_line *l, struct str line)
{
    for (size_t k = 0; k < ARRAY_LEN(l->need) && l->need[k]; k++)
        if (!scan_has(line, l->need[k]))
            return false;
    return !l->without || !scan_has(line, l->without);
}

/* Whether a value's word stands in the line, whatever digits are in the word. */
static bool has_value(const struct step_line *l, struct str line)
{
    struct str rest;
    for (size_t k = 0; k < VALUES && l->value[k].word; k++)
        if (scan_word(line, l->value[k].word, strcspn(l->value[k].word, "0123456789"), &rest))
            return true;
    return false;
}

bool step_line_words(struct str line)
{
    if (!scan_has(line, "step"))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        if (has_words(&lines[i], line) && has_value(&lines[i], line))
            return true;
    return false;
}

/* The trainer whose step and one of whose values stand in the line, or NULL. */
static const struct step_line *match_step_line(struct str line, int64_t *step)
{
    struct str text;
    double x;
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        if (read_trainer_step(&lines[i], line, step) && has_words(&lines[i], line))
            for (size_t k = 0; k < VALUES && lines[i].value[k].word; k++)
                if (number_behind(line, lines[i].value[k].word, &x, NULL) ||
                    odd_behind(line, lines[i].value[k].word, &text))
                    return &lines[i];
    return NULL;
}

/* The text of a step that is there and no number, in a line of one of the trainers. */
static bool odd_step(struct str line, struct str *text)
{
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        for (size_t k = 0; k < ARRAY_LEN(lines[i].step) && lines[i].step[k]; k++)
            if (has_words(&lines[i], line) && has_value(&lines[i], line) &&
                odd_behind(line, lines[i].step[k], text))
                return true;
    return false;
}

bool step_line_starts(struct str line)
{
    struct str text;
    int64_t step;
    return match_step_line(line, &step) || odd_step(line, &text);
}

static void take_metrics(struct series_builder *k, const struct step_line *l, struct str line, int64_t step)
{
    const struct rl_metric *m;
    struct buf word = {0};
    double x;
    for (size_t i = 0; l->metric[0] && (m = rl_metric_at(i)) != NULL; i++) {
        buf_clear(&word);
        buf_fmt(&word, "%s%s%s", l->metric[0], m->name, l->metric[1]);
        if (number_behind(line, word.p, &x, NULL))
            log_point(k, m->tag, str_of(m->name), false, step, x);
    }
    buf_release(&word);
}

enum log_take step_line_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct log_record r = {0};
    const struct step_line *l = match_step_line(line, &r.step);
    struct str odd;
    double x, digit;
    (void)fresh;
    (void)last;
    if (!l && !odd_step(line, &odd))
        return TAKE_NOT;
    if (!l) {
        log_odd_value(k, odd);
        return TAKE_DONE;
    }
    for (size_t i = 0; i < VALUES && l->value[i].word; i++) {
        double scale = l->value[i].scale > 0 ? l->value[i].scale : 1;
        if (!log_has(&r, l->value[i].v) && number_behind(line, l->value[i].word, &x, &digit))
            log_set(k, &r, l->value[i].v, x * scale, digit * scale);
        else if (!log_has(&r, l->value[i].v) && odd_behind(line, l->value[i].word, &odd))
            log_odd_value(k, odd);
    }
    if (l->skipped && r.step == 0)
        return TAKE_DONE; /* DeepSpeed's line before any step, when the engine is made */
    if (l->skipped && number_behind(line, l->skipped, &x, NULL) && x > 0 && x < UINT32_MAX)
        log_point(k, "scalar", STR("skipped steps"), false, r.step, x);
    take_metrics(k, l, line, r.step);
    k->mean_lines = k->mean_lines || l->mean;
    log_add(k, &r);
    return TAKE_DONE;
}

bool darknet_words(struct str line)
{
    return scan_has(line, " avg") && scan_has(line, " rate, ") && scan_has(line, " images");
}

enum log_take darknet_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct log_record r = {0};
    struct str step, rest, loss, rate, number;
    double x, digit;
    (void)fresh;
    (void)last;
    line = str_trim(line);
    bool shaped = str_split(line, ':', &step, &rest) && str_split(rest, ',', &loss, &rate) &&
                  str_split(rate, ',', &number, &rate) && str_split(rate, ',', &number, &rest) &&
                  str_ends(number, " rate");
    if (!step.n || step.n > 12 || str_find(step, ' ') >= 0)
        return TAKE_NOT;
    if (!shaped || !scan_count(&step, &r.step) || step.n || r.step >= LOG_STEP) {
        log_odd_value(k, line);
        return TAKE_DONE;
    }
    if (log_number(k, loss, &x, &digit) == READING_VALUE)
        log_set(k, &r, LOG_LOSS, x, digit);
    number.n -= strlen(" rate");
    if (log_number(k, number, &x, &digit) == READING_VALUE)
        log_set(k, &r, LOG_LR, x, digit);
    log_add(k, &r);
    return TAKE_DONE;
}
