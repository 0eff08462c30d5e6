/* The words by which the loss of a training step is told from other losses: only what is called one with words that do
 * not make another value of it ("train", "total", "avg", but not "aux"). */
#include "log/loss_words.h"

#include "base/mem.h"

struct str name_last_word(struct str *name)
{
    size_t at = name->n;
    while (at && name->p[at - 1] != '_' && name->p[at - 1] != '/')
        at--;
    struct str word = str_cut(*name, at);
    name->n = at ? at - 1 : 0;
    return word;
}

bool word_is_judged(struct str word)
{
    static const char *const words[] = {"val", "valid", "validation", "eval", "evaluation", "test", "dev", "验证",
                                        "测试"};
    return STR_ONE_OF(word, words);
}

bool name_is_judged(struct str name)
{
    while (name.n)
        if (word_is_judged(name_last_word(&name)))
            return true;
    return false;
}

/* Chinese has no blanks: "训练损失值" is "训练" and "损失". True: the word ended in a word for the loss, taken from it. */
static bool take_chinese_loss(struct str *word)
{
    static const char *const ends[] = {"损失函数值", "损失值", "损失"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(*word, ends[i])) {
            word->n -= strlen(ends[i]);
            return true;
        }
    return false;
}

int loss_words_rank(struct str name, bool *has_name)
{
    static const char *const names[] = {"loss", "losses", "crossentropyloss", "nll"};
    static const char *const own[] = {"train", "training", "trainer", "step", "batch", "iter", "iteration", "current",
                                      "cur", "the", "model", "local", "minibatch", "info", "and", "with", "inner",
                                      "epoch", "reduced", "metrics", "log", "so", "步", "训练", "当前", "轮"};
    static const char *const totals[] = {"total", "overall", "总"};
    static const char *const parts[] = {"lm", "ce", "cross", "entropy", "nll", "causal", "main", "language", "global",
                                        "sum"};
    static const char *const means[] = {"avg", "average", "avr", "mean", "running", "smoothed", "ema", "smooth", "far",
                                        "moving", "rolling", "平均"};
    int rank = 0;
    bool named = false, total = false, part = false;
    while (name.n) {
        struct str word = name_last_word(&name);
        named = take_chinese_loss(&word) || named;
        if (!word.n || STR_ONE_OF(word, own))
            continue;
        if (STR_ONE_OF(word, names)) {
            named = true;
        } else if (STR_ONE_OF(word, totals)) {
            total = true;
        } else if (STR_ONE_OF(word, parts)) {
            part = true;
            rank += rank % LOSS_MEAN < LOSS_MEAN - 1 - LOSS_OWN;
        } else if (STR_ONE_OF(word, means)) {
            rank += rank < 100 ? LOSS_MEAN : 0;
        } else {
            return -1;
        }
    }
    *has_name = named;
    return named || total ? rank + (total && !part ? 0 : LOSS_OWN) : -1;
}
