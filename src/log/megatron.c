/* Megatron-LM's training_log (v1.0 to core 0.19), MindSpeed, Megatron-DeepSpeed, Primus: one line a record,
 *   [TS] iteration N/ TOTAL | name: value | … | number of nan iterations: 0 |
 * Fields are known by their names only; torchrun, mpirun and nemo-run put their own marks in front. */
#include "log/series_builder.h"

/* After "iteration N/ TOTAL |"; false if this text is absent. */
static bool megatron_read_head(struct str line, int64_t *step, struct str *fields)
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

bool megatron_words(struct str line)
{
    int64_t step;
    struct str fields;
    return megatron_read_head(line, &step, &fields) || head_cut(line);
}

enum field { FIELD_NONE, FIELD_VALUE, FIELD_MAIN_LOSS, FIELD_SKIPPED, FIELD_NANS, FIELD_SCALAR, FIELD_LOSS,
             FIELD_TIME, FIELD_BATCH };

static const struct known_field {
    struct str name; /* as it is usually written */
    const char *key; /* without blanks */
    enum field field;
    enum log_value v;
} known_fields[] = {
    {STR("learning rate"), "learningrate", FIELD_VALUE, LOG_LR},
    {STR("loss scale"), "lossscale", FIELD_VALUE, LOG_SCALE},
    {STR("grad norm"), "gradnorm", FIELD_VALUE, LOG_NORM},
    {STR("lm loss"), "lmloss", FIELD_MAIN_LOSS, LOG_LOSS},
    {STR("lm_loss"), "lm_loss", FIELD_MAIN_LOSS, LOG_LOSS}, /* GPT-NeoX */
    {STR("loss"), "loss", FIELD_LOSS, LOG_LOSS},
    {STR("number of skipped iterations"), "numberofskippediterations", FIELD_SKIPPED, 0},
    {STR("number of nan iterations"), "numberofnaniterations", FIELD_NANS, 0},
    {STR("params norm"), "paramsnorm", FIELD_SCALAR, 0},
    {STR("num zeros"), "numzeros", FIELD_SCALAR, 0},
    {STR("global batch size"), "globalbatchsize", FIELD_BATCH, 0},
    {STR("elapsed time per iteration (ms)"), "elapsedtimeperiteration(ms)", FIELD_TIME, 0},
};

/* name: trimmed. NULL: none of them. */
static const struct known_field *known_field(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(known_fields); i++)
        if (name.n == known_fields[i].name.n && memcmp(name.p, known_fields[i].name.p, name.n) == 0)
            return &known_fields[i];
    for (size_t i = 0; name.n && i < ARRAY_LEN(known_fields); i++)
        if ((name.p[0] | 32) == known_fields[i].key[0] && scan_key(name, known_fields[i].key))
            return &known_fields[i];
    return NULL;
}

static void megatron_take_field(struct series_builder *k, struct log_record *r, struct str name, struct str text,
                                bool *main_loss)
{
    const struct known_field *f = known_field(name);
    double x, digit;
    struct str first, rest;
    if (!f && !scan_has(name, "loss"))
        return;
    /* Primus prints "last/mean" */
    str_split(text, '/', &first, &rest);
    if (log_number(k, first, &x, &digit) != READING_VALUE)
        return;
    const bool count = x >= 0 && x < UINT32_MAX;
    switch (f ? f->field : FIELD_NONE) {
    case FIELD_VALUE:
        log_set(k, r, f->v, x, digit);
        break;
    case FIELD_MAIN_LOSS:
        *main_loss = true;
        log_set(k, r, LOG_LOSS, x, digit);
        break;
    case FIELD_LOSS:
        if (!*main_loss)
            log_set(k, r, LOG_LOSS, x, digit);
        else if (scan_has(name, "loss"))
            log_point(k, "loss", name, false, r->step, x);
        break;
    case FIELD_BATCH:
        if (x >= 1 && x < UINT32_MAX)
            k->s->batch = !k->s->batch || k->s->batch == (int64_t)x ? (int64_t)x : -1;
        break;
    case FIELD_SKIPPED:
        if (count) {
            r->skipped = (uint32_t)x;
            r->has |= LOG_HAS_SKIPPED;
        }
        break;
    case FIELD_NANS:
        if (count) {
            r->nans = (uint32_t)x;
            r->has |= LOG_HAS_NANS;
        }
        break;
    case FIELD_SCALAR:
        log_point(k, "scalar", f->name, false, r->step, x);
        break;
    case FIELD_TIME:
        r->seconds = x > 0 && x < 1e9 ? (float)(x / 1000) : 0;
        break;
    case FIELD_NONE:
        log_point(k, "loss", name, false, r->step, x);
        break;
    }
}

enum log_take megatron_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct log_record r = {0};
    struct str rest, part, name, value;
    bool main_loss = false;
    (void)fresh;
    if (!megatron_read_head(line, &r.step, &rest))
        return last ? TAKE_NOT : TAKE_MORE;
    /* the last field in every version; Megatron-DeepSpeed has more fields after it */
    struct str tail;
    bool whole = scan_behind(line, "nan iterations", &tail) && str_find(tail, '|') >= 0;
    if (!whole && !last)
        return TAKE_MORE;
    if (r.step >= LOG_STEP) {
        log_odd(k, ODD_STEP);
        return TAKE_DONE;
    }
    const size_t odd = k->counted[ODD_VALUE];
    while (str_split(rest, '|', &part, &rest)) /* a field without its bar was cut off */
        if (str_split(part, ':', &name, &value))
            megatron_take_field(k, &r, str_trim(name), value, &main_loss);
    /* since core 0.17 a skipped step prints a loss of zero */
    if (log_skipped(&r) && log_has(&r, LOG_LOSS) && r.value[LOG_LOSS] == 0)
        r.has &= (uint16_t) ~(1u << LOG_LOSS);
    if (!log_has(&r, LOG_LOSS) && k->counted[ODD_VALUE] > odd)
        return TAKE_DONE; /* its loss may be the value that could not be read: it is not the NaN that Megatron omits */
    if (!log_has(&r, LOG_LOSS) && !log_skipped(&r) && whole)
        log_odd(k, ODD_NO_LOSS);
    if (r.has)
        log_add(k, &r);
    return TAKE_DONE;
}

/* validation loss at iteration 400 | lm loss value: 9.153210E-01 | lm loss PPL: … | */
bool megatron_valid_words(struct str line)
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
        if (str_split(part, ':', &name, &value)) {
            name = str_trim(name);
            if (str_ends(name, " value") && log_number(k, value, &x, NULL) == READING_VALUE) {
                name.n -= strlen(" value");
                log_point(k, "eval", name, false, step, x);
            }
        }
    return TAKE_DONE;
}
