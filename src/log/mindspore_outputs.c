/* Lines of the callbacks of MindSpore's BERT, GPT and PanGu: what the cell of a step returned, as Python prints the
 * tuple of loss, overflow and loss scale:
 *   epoch: 1, current epoch percent: 0.010, step: 1, outputs are (Tensor(shape=[], dtype=Float32, value= 10.25),
 *   Tensor(shape=[], dtype=Bool, value= False), Tensor(shape=[], dtype=Float32, value= 65536)) */
#include "log/series_builder.h"

#define OUTPUTS ", outputs are ("

bool mindspore_outputs_words(struct str line)
{
    return scan_has(line, OUTPUTS) && scan_has(line, "step: ");
}

/* Removes the next tensor from the tuple. *value: what stands in its brackets as its value. */
static bool next_tensor(struct str *outputs, struct str *type, struct str *value)
{
    struct str at, rest;
    return scan_behind(*outputs, "dtype=", &at) && str_split(at, ',', type, &rest) &&
           scan_behind(rest, "value=", &at) && str_split(at, ')', value, outputs);
}

/* The whole number behind a word, which a comma and a blank follow; something else is an odd value. */
static bool count_behind(struct series_builder *k, struct str line, const char *word, int64_t *number)
{
    struct str text, rest;
    if (!scan_behind(line, word, &text))
        return false;
    str_split(text, ' ', &text, &rest);
    rest = text;
    if (scan_count(&rest, number) && *number < LOG_STEP && str_is(rest, ","))
        return true;
    log_odd_value(k, text);
    return false;
}

static void take_overflow(struct series_builder *k, struct log_record *r, struct str value)
{
    r->overflow = str_is(value, "True");
    if (r->overflow || str_is(value, "False"))
        r->has |= LOG_HAS_OVERFLOW;
    else
        log_odd_value(k, value);
}

enum log_take mindspore_outputs_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    static const enum log_value values[] = {LOG_LOSS, LOG_SCALE};
    struct log_record r = {0};
    struct str outputs, type, value;
    double x, digit;
    int64_t epoch;
    size_t n = 0;
    (void)fresh;
    (void)last;
    if (!mindspore_outputs_words(line) || !scan_behind(line, OUTPUTS, &outputs))
        return TAKE_NOT;
    if (!count_behind(k, line, "step: ", &r.step))
        return TAKE_DONE;
    if (count_behind(k, line, "epoch: ", &epoch))
        log_join_epoch(k, &r, (double)epoch);
    while (next_tensor(&outputs, &type, &value)) {
        if (str_is(str_trim(type), "Bool"))
            take_overflow(k, &r, str_trim(value));
        else if (n < ARRAY_LEN(values)) {
            /* one that cannot be read keeps its place */
            if (log_number(k, str_trim(value), &x, &digit) == READING_VALUE)
                log_set(k, &r, values[n], x, digit);
            n++;
        }
    }
    if (r.has)
        log_add(k, &r);
    return TAKE_DONE;
}
