/* MindFormers' MFLossMonitor, v0.3 to 1.8, as it stands on standard output, in info.log or after any prefix:
 *   { Epoch:[ 1/ 2], step:[ 4/ 1200], loss: 5.205, per_step_time: 283ms, lr: 0.001, overflow cond: False, loss_scale:
 * 1.0, global_norm: [1.9597309] and the lines of TrainingStateMonitor, Epoch:[…], step:[…] local_norm/NAME: VALUE.
 * Steps count from 1 in each epoch; here they go on. */
#include "log/series_builder.h"
#include "log/value_names.h"

/* "[ 1/ 2]" at the front: both numbers, removed. */
static bool take_bracketed_pair(struct str *s, int64_t *a, int64_t *b)
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
static bool mindformers_read_head(struct str line, int64_t *step, struct str *rest)
{
    int64_t epoch, epochs, in_epoch, per_epoch;
    struct str at;
    if (!scan_behind(line, "Epoch:", &at) || !take_bracketed_pair(&at, &epoch, &epochs) ||
        !scan_behind(at, "step:", &at) || !take_bracketed_pair(&at, &in_epoch, &per_epoch))
        return false;
    *rest = at;
    /* sizes first, so that the product fits */
    if (epoch < 1 || epoch >= (1 << 24) || per_epoch >= ((int64_t)1 << 28) || in_epoch >= LOG_STEP)
        *step = LOG_STEP;
    else
        *step = (epoch - 1) * per_epoch + in_epoch;
    return true;
}

bool mindformers_words(struct str line)
{
    return scan_has(line, "Epoch:[");
}

enum word { LOSS, JOINED_LOSS, SOME_LOSS, LR, SCALE, NORM, OVERFLOWED, LM_LOSS, STEP_TIME, WORDS };

static const struct str words[WORDS] = { /* each ends in its only colon */
    [LOSS] = STR(" loss:"),
    [JOINED_LOSS] = STR(",loss:"),
    [SOME_LOSS] = STR("loss:"),
    [LR] = STR(" lr:"),
    [SCALE] = STR("loss_scale:"),
    [NORM] = STR("global_norm:"),
    [OVERFLOWED] = STR("overflow cond:"),
    [LM_LOSS] = STR("lm_loss:"),
    [STEP_TIME] = STR("per_step_time:"),
};

/* What stands behind the first of each word; NULL where there is none. */
struct behind_words {
    struct str of[WORDS], all;
};

static struct behind_words find_words(struct str s)
{
    struct behind_words b = {.all = s};
    for (struct str rest = s; rest.n;) {
        const char *colon = memchr(rest.p, ':', rest.n);
        if (!colon)
            break;
        const size_t before = (size_t)(colon + 1 - s.p);
        rest = str_cut(s, before);
        for (int w = 0; w < WORDS; w++) {
            const size_t n = words[w].n;
            if (!b.of[w].p && before >= n && colon[-1] == words[w].p[n - 2] &&
                memcmp(colon + 1 - n, words[w].p, n) == 0)
                b.of[w] = rest;
        }
    }
    return b;
}

/* The value that stands first, up to the next ", " outside brackets. ended: something
 * follows it, so that it is not cut. */
static struct str value_of_field(struct str at, bool *ended)
{
    size_t i, depth = 0;
    for (i = 0; i < at.n; i++) {
        if (at.p[i] == '[')
            depth++;
        else if (at.p[i] == ']' && depth)
            depth--;
        else if (at.p[i] == ',' && !depth && !scan_goes_on(str_cut(at, i))) /* a decimal comma ends nothing */
            break;
    }
    *ended = i < at.n || (i && at.p[i - 1] == ']');
    return str_trim(str_n(at.p, i));
}

/* What follows the word; false if it is not there. */
static bool value_behind_word(const struct behind_words *b, enum word w, struct str *value, bool *ended)
{
    if (!b->of[w].p)
        return false;
    *value = value_of_field(b->of[w], ended);
    return true;
}

/* "5.205", "[5.205/5.205]" (the second is the mean since the epoch began), "[2.45e-06]" */
static bool mindformers_number(struct str s, double *v, double *digit)
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

/* The same of a field that is one of the record's: what is there and no number is counted. */
static bool mindformers_read_field(struct series_builder *k, struct str s, double *v, double *digit)
{
    bool is = mindformers_number(s, v, digit);
    if (!is && !reading_is_nothing(s) && !str_is(s, "unavailable") && !str_is(s, "[]"))
        log_odd_value(k, s);
    return is;
}

/* The losses beside the main one, "NAME: VALUE" each; versions differ in which they print. */
static void auxiliary_losses(struct series_builder *k, struct str s, int64_t step)
{
    char plain[64];
    for (struct str rest = s, name, v; str_split(rest, ':', &name, &rest);) {
        bool ended;
        double x;
        for (size_t i = name.n; i-- > 0;)
            if (name.p[i] == ',') {
                name = str_cut(name, i + 1);
                break;
            }
        v = value_of_field(rest, &ended);
        if (auxiliary_loss_named(str_trim(name), plain) && ended && mindformers_read_field(k, v, &x, NULL))
            log_point(k, "loss", str_trim(name), false, step, x);
    }
}

/* Whether the record is whole, or what is there could be all of it. The fields after loss_scale came with
 * the versions, so a line that ends after a whole value may go on only in a line that begins with a comma. */
static bool is_whole_record(const struct behind_words *b)
{
    struct str v;
    bool ended;
    double x;
    if (value_behind_word(b, NORM, &v, &ended))
        return ended || str_is(v, "None") || (v.n && v.p[0] != '[' && scan_number(v, &x, NULL));
    if (!value_behind_word(b, SCALE, &v, &ended) || ended)
        return false;
    return str_is(v, "unavailable") || str_is(v, "None") || mindformers_number(v, &x, NULL);
}

/* TrainingStateMonitor: "local_norm/NAME: VALUE", "weight_norm/NAME: …", "micro_local_loss: …" */
static enum log_take state_line(struct series_builder *k, struct str at, int64_t step)
{
    struct str word, value, tag, name;
    char t[48];
    double x;
    at = str_trim(at);
    /* names contain no blank; the value is the rest, perhaps in brackets */
    if (!str_split(at, ':', &word, &value) || str_find(word, ' ') >= 0)
        return TAKE_NOT;
    value = str_trim(value);
    bool named = str_split(word, '/', &tag, &name);
    if (!named)
        name = STR("");
    if (!mindformers_number(value, &x, NULL)) {
        if (named && scan_has(tag, "norm") && !reading_is_nothing(value))
            log_odd_value(k, value);
        return TAKE_NOT;
    }
    if (!tag.n || tag.n >= sizeof t || step >= LOG_STEP)
        return TAKE_NOT;
    memcpy(t, tag.p, tag.n);
    t[tag.n] = 0;
    log_point(k, t, name, false, step, x);
    return TAKE_DONE;
}

/* The fields of a record; could_be: the last one may be whole. */
static void mindformers_take_fields(struct series_builder *k, const struct behind_words *words_at, bool could_be,
                                    struct log_record *r)
{
    static const struct {
        enum word word;
        enum log_value v;
    } plain[] = {{LOSS, LOG_LOSS}, {LR, LOG_LR}, {SCALE, LOG_SCALE}, {NORM, LOG_NORM}};
    struct str v;
    double x, digit;
    bool ended;
    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        if ((value_behind_word(words_at, plain[i].word, &v, &ended) ||
             (plain[i].word == LOSS && value_behind_word(words_at, JOINED_LOSS, &v, &ended))) &&
            (ended || could_be) && mindformers_read_field(k, v, &x, &digit))
            log_set(k, r, plain[i].v, x, digit);
    if (value_behind_word(words_at, OVERFLOWED, &v, &ended)) {
        r->overflow = str_ieq(v, STR("True")) || str_is(v, "[ True]");
        if (r->overflow || str_ieq(v, STR("False")) || str_is(v, "[False]"))
            r->has |= LOG_HAS_OVERFLOW;
    }
    if (value_behind_word(words_at, LM_LOSS, &v, &ended) && ended && mindformers_read_field(k, v, &x, NULL))
        log_point(k, "loss", STR("lm_loss"), false, r->step, x);
    auxiliary_losses(k, words_at->all, r->step);
    if (could_be && value_behind_word(words_at, STEP_TIME, &v, &ended) && str_ends(v, "ms") &&
        mindformers_number(str_n(v.p, v.n - 2), &x, NULL) && x > 0 && x < 1e9)
        r->seconds = (float)(x / 1000);
}

enum log_take mindformers_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct log_record r = {0};
    enum log_take answer = TAKE_DONE;
    struct str at, before;
    if (!mindformers_read_head(line, &r.step, &at))
        return last ? TAKE_NOT : TAKE_MORE;
    struct behind_words words_at = find_words(at);
    if (!words_at.of[SOME_LOSS].p) {
        if (!last && (!at.n || at.p[0] == ','))
            return TAKE_MORE;
        return state_line(k, at, r.step);
    }
    bool could_be = is_whole_record(&words_at);
    if (!last && !(could_be && words_at.of[NORM].p)) {
        struct str next = str_trim(str_cut(line, fresh));
        if (!fresh || !mindformers_read_head(str_n(line.p, fresh), &r.step, &before))
            return TAKE_MORE;
        words_at = find_words(before);
        could_be = is_whole_record(&words_at);
        if (!could_be || (next.n && (next.p[0] == ',' || next.p[0] == '.')))
            return TAKE_MORE; /* versions with a norm may have been wrapped before it; the next line tells */
        answer = TAKE_BEFORE;
    }
    if (r.step >= LOG_STEP || r.step < 1) {
        log_odd(k, ODD_STEP);
        return answer;
    }
    mindformers_take_fields(k, &words_at, could_be, &r);
    if (r.has)
        log_add(k, &r);
    return answer;
}
