/* MindFormers' MFLossMonitor, v0.3 to 1.8, as it stands on standard output, in info.log or after any prefix:
 *   { Epoch:[ 1/ 2], step:[ 4/ 1200], loss: 5.205, per_step_time: 283ms, lr: 0.001, overflow cond: False, loss_scale:
 * 1.0, global_norm: [1.9597309] and the lines of TrainingStateMonitor, Epoch:[…], step:[…] local_norm/NAME: VALUE.
 * Steps count from 1 in each epoch; here they go on. */
#include "log/series_builder.h"

/* "[ 1/ 2]" at the front: both numbers, removed. */
static bool bracketed(struct str *s, int64_t *a, int64_t *b)
{
    struct str at = str_trim(*s);
    if (!at.n || at.p[0] != '[')
        return false;
    at = str_cut(at, 1);
    if (!scan_count(&at, a) || !at.n || at.p[0] != '/')
        return false;
    at = str_cut(at, 1);
    if (!scan_count(&at, b) || !at.n || at.p[0] != ']')
        return false;
    *s = str_cut(at, 1);
    return true;
}

/* The step over all epochs, and what follows; false if the head is not (yet) whole. */
static bool head(struct str line, int64_t *step, struct str *rest)
{
    int64_t epoch, epochs, in_epoch, per_epoch;
    struct str at;
    if (!scan_behind(line, "Epoch:", &at) || !bracketed(&at, &epoch, &epochs) || !scan_behind(at, "step:", &at) ||
        !bracketed(&at, &in_epoch, &per_epoch))
        return false;
    *rest = at;
    /* sizes first, so that the product fits */
    if (epoch < 1 || epoch >= (1 << 24) || per_epoch >= ((int64_t)1 << 28) || in_epoch >= LOG_STEP)
        *step = LOG_STEP;
    else
        *step = (epoch - 1) * per_epoch + in_epoch;
    return true;
}

bool mindformers_starts(struct str line)
{
    return scan_has(line, "Epoch:[");
}

/* What follows "word" up to the next ", " outside brackets; false if it is not there. ended: something
 * follows it, so that it is not cut. */
static bool value_of(struct str s, const char *word, struct str *value, bool *ended)
{
    struct str at;
    size_t i, depth = 0;
    if (!scan_behind(s, word, &at))
        return false;
    for (i = 0; i < at.n; i++) {
        if (at.p[i] == '[')
            depth++;
        else if (at.p[i] == ']' && depth)
            depth--;
        else if (at.p[i] == ',' && !depth)
            break;
    }
    *ended = i < at.n || (i && at.p[i - 1] == ']');
    *value = str_trim(str_n(at.p, i));
    return true;
}

/* "5.205", "[5.205/5.205]" (the second is the mean since the epoch began), "[2.45e-06]" */
static bool number(struct str s, double *v, double *digit)
{
    struct str rest;
    if (s.n && s.p[0] == '[') {
        if (s.p[s.n - 1] != ']')
            return false;
        s = str_n(s.p + 1, s.n - 2);
        str_split(s, '/', &s, &rest);
    }
    return scan_number(s, v, digit);
}

/* Whether the record is whole, or what is there could be all of it. The fields after loss_scale came with
 * the versions, so a line that ends after a whole value may go on only in a line that begins with a comma. */
static bool whole(struct str line)
{
    struct str v;
    bool ended;
    double x;
    if (value_of(line, "global_norm:", &v, &ended))
        return ended || str_is(v, "None") || (v.n && v.p[0] != '[' && scan_number(v, &x, NULL));
    if (!value_of(line, "loss_scale:", &v, &ended) || ended)
        return false;
    return str_is(v, "unavailable") || str_is(v, "None") || number(v, &x, NULL);
}

/* TrainingStateMonitor: "local_norm/NAME: VALUE", "weight_norm/NAME: …", "micro_local_loss: …" */
static enum log_take state_line(struct series_builder *k, struct str at, int64_t step)
{
    struct str word, value, tag, name;
    char t[48];
    double x;
    at = str_trim(at);
    /* names hold no blank; a value is the rest, perhaps in brackets */
    if (!str_split(at, ':', &word, &value) || str_find(word, ' ') >= 0 || !number(str_trim(value), &x, NULL))
        return TAKE_NOT;
    if (!str_split(word, '/', &tag, &name))
        name = STR("");
    if (!tag.n || tag.n >= sizeof t || step >= LOG_STEP)
        return TAKE_NOT;
    memcpy(t, tag.p, tag.n);
    t[tag.n] = 0;
    log_point(k, t, name, false, step, x);
    return TAKE_DONE;
}

enum log_take mindformers_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    static const struct {
        const char *word;
        enum log_value v;
    } plain[] = {{" loss:", LOG_LOSS}, {" lr:", LOG_LR}, {"loss_scale:", LOG_SCALE}, {"global_norm:", LOG_NORM}};
    static const char *const separate[] = {"lm_loss", "load_balancing_loss", "mtp_loss"};
    struct log_record r = {0};
    enum log_take answer = TAKE_DONE;
    struct str at, v, before;
    double x, digit;
    bool ended;
    if (!head(line, &r.step, &at))
        return last ? TAKE_NOT : TAKE_MORE;
    if (!scan_has(at, "loss:")) {
        if (!last && (!at.n || at.p[0] == ','))
            return TAKE_MORE;
        return state_line(k, at, r.step);
    }
    bool complete = whole(at) && scan_has(at, "global_norm:");
    if (!last && !complete) {
        struct str next = str_trim(str_cut(line, fresh));
        if (!fresh || !head(str_n(line.p, fresh), &r.step, &before) || !whole(before) ||
            (next.n && (next.p[0] == ',' || next.p[0] == '.')))
            return TAKE_MORE; /* versions with a norm may have been wrapped before it; the next line tells */
        answer = TAKE_BEFORE;
        at = before;
    }
    if (r.step >= LOG_STEP || r.step < 1) {
        log_odd(k, ODD_STEP);
        return answer;
    }
    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        if ((value_of(at, plain[i].word, &v, &ended) || (i == 0 && value_of(at, ",loss:", &v, &ended))) &&
            number(v, &x, &digit) && (ended || whole(at)))
            log_set(k, &r, plain[i].v, x, digit);
    if (value_of(at, "overflow cond:", &v, &ended)) {
        r.overflow = str_ieq(v, STR("True")) || str_is(v, "[ True]");
        if (r.overflow || str_ieq(v, STR("False")) || str_is(v, "[False]"))
            r.has |= LOG_HAS_OVERFLOW;
    }
    for (size_t i = 0; i < ARRAY_LEN(separate); i++) {
        char word[32];
        size_t n = strlen(separate[i]);
        memcpy(word, separate[i], n);
        memcpy(word + n, ":", 2);
        if (value_of(at, word, &v, &ended) && ended && number(v, &x, NULL))
            log_point(k, "loss", str_of(separate[i]), false, r.step, x);
    }
    if (r.has)
        log_add(k, &r);
    return answer;
}
