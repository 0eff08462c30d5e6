/* Megatron-LM's training_log (v1.0 to core 0.19), MindSpeed, Megatron-DeepSpeed, Primus: one line a record,
 *   [TS] iteration N/ TOTAL | name: value | … | number of nan iterations: 0 |
 * Fields are known by their names only; torchrun, mpirun and nemo-run put their own marks in front. */
#include "log/series_builder.h"

/* After "iteration N/ TOTAL |"; false if that does not stand here. */
static bool head(struct str line, int64_t *step, struct str *fields)
{
    struct str at = line;
    int64_t total;
    while (scan_behind(at, "iteration", &at)) {
        struct str n = at;
        if (!scan_count(&n, step) || !n.n || n.p[0] != '/')
            continue;
        n = str_cut(n, 1);
        if (!scan_count(&n, &total) || !n.n || n.p[0] != '|')
            continue;
        *fields = str_cut(n, 1);
        return true;
    }
    return false;
}

/* "iteration 5/ 12" at the end of a line that was wrapped there */
static bool head_cut(struct str line)
{
    struct str at = line;
    int64_t n;
    while (scan_behind(at, "iteration", &at)) {
        struct str s = at;
        if (s.n && s.p[0] != ' ')
            continue;
        if (!scan_count(&s, &n)) {
            if (str_trim(s).n == 0 && s.n > 1)
                return true;
            continue;
        }
        if (!s.n)
            return true;
        if (s.p[0] == '/') {
            s = str_cut(s, 1);
            if (!scan_count(&s, &n) ? str_trim(s).n == 0 : s.n == 0)
                return true;
        }
    }
    return false;
}

bool megatron_starts(struct str line)
{
    int64_t step;
    struct str fields;
    return scan_has(line, "iteration") && (head(line, &step, &fields) || head_cut(line));
}

static void field(struct series_builder *k, struct log_record *r, struct str name, struct str text, bool *main_loss)
{
    static const struct {
        const char *key;
        enum log_value v;
    } known[] = {{"learningrate", LOG_LR}, {"lossscale", LOG_SCALE}, {"gradnorm", LOG_NORM}};
    double x, digit;
    struct str first, rest;
    /* Primus prints "last/mean" */
    str_split(text, '/', &first, &rest);
    if (!scan_number(first, &x, &digit))
        return;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (scan_key(name, known[i].key)) {
            log_set(k, r, known[i].v, x, digit);
            return;
        }
    if (scan_key(name, "lmloss") || (scan_key(name, "loss") && !*main_loss)) {
        *main_loss = *main_loss || scan_key(name, "lmloss");
        log_set(k, r, LOG_LOSS, x, digit);
    } else if (scan_key(name, "numberofskippediterations") && x >= 0 && x < UINT32_MAX) {
        r->skipped = (uint32_t)x;
        r->has |= LOG_HAS_SKIPPED;
    } else if (scan_key(name, "numberofnaniterations") && x >= 0 && x < UINT32_MAX) {
        r->nans = (uint32_t)x;
        r->has |= LOG_HAS_NANS;
    } else if (scan_key(name, "paramsnorm")) {
        log_point(k, "scalar", STR("params norm"), false, r->step, x);
    } else if (scan_key(name, "numzeros")) {
        log_point(k, "scalar", STR("num zeros"), false, r->step, x);
    } else if (scan_has(name, "loss")) {
        log_point(k, "loss", name, false, r->step, x);
    }
}

enum log_take megatron_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct log_record r = {0};
    struct str rest, part, name, value;
    bool main_loss = false;
    (void)fresh;
    if (!head(line, &r.step, &rest))
        return last ? TAKE_NOT : TAKE_MORE;
    /* every generation ends in this field; Megatron-DeepSpeed has more after it */
    struct str tail;
    bool whole = scan_behind(line, "nan iterations", &tail) && str_find(tail, '|') >= 0;
    if (!whole && !last)
        return TAKE_MORE;
    if (r.step >= LOG_STEP) {
        log_odd(k, ODD_STEP);
        return TAKE_DONE;
    }
    while (str_split(rest, '|', &part, &rest)) /* a field without its bar was cut off */
        if (str_split(part, ':', &name, &value))
            field(k, &r, str_trim(name), value, &main_loss);
    /* since core 0.17 a skipped step prints a loss of zero */
    if (log_skipped(&r) && log_has(&r, LOG_LOSS) && r.value[LOG_LOSS] == 0)
        r.has &= (uint16_t) ~(1u << LOG_LOSS);
    if (!log_has(&r, LOG_LOSS) && !log_skipped(&r) && whole)
        log_odd(k, ODD_NO_LOSS);
    if (r.has)
        log_add(k, &r);
    return TAKE_DONE;
}

/* validation loss at iteration 400 | lm loss value: 9.153210E-01 | lm loss PPL: … | */
bool megatron_valid_starts(struct str line)
{
    return scan_has(line, "validation loss at iteration ");
}

enum log_take megatron_valid_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct str at, part, name, value;
    int64_t step;
    double x;
    (void)fresh;
    (void)last;
    if (!scan_behind(line, "validation loss at iteration ", &at) || !scan_count(&at, &step) || step >= LOG_STEP)
        return TAKE_NOT;
    while (str_split(at, '|', &part, &at))
        if (str_split(part, ':', &name, &value) && scan_number(value, &x, NULL)) {
            name = str_trim(name);
            if (str_ends(name, " value")) {
                name.n -= strlen(" value");
                log_point(k, "eval", name, false, step, x);
            }
        }
    return TAKE_DONE;
}
