/* Learns from a text log which numbers are step, loss, norm and rate, by the words before them and by what grows, and
 * reads it so; or reads it by the user's patterns. */
#include "log/learned_lines.h"

#include <math.h>

#include "base/msg.h"
#include "base/pattern.h"
#include "log/line_fields.h"
#include "log/loss_words.h"
#include "log/value_names.h"

#define LABELS 32
#define COLUMNS 24 /* numbers before the loss that may be the step */

/* STEP_ABOVE: a line of its own before those with the values. */
enum step_source { STEP_NAMED, STEP_FRACTION, STEP_COLUMN, STEP_EPOCH, STEP_ABOVE, STEP_COUNTED };

struct label_count {
    char label[LINE_LABEL];
    int rank;
    size_t n;
    /* of the last field: "Batch 0/100" is epoch 0 and batch 100, where the number stays and the total grows */
    double x;
    int64_t total;
    size_t turned;
};

struct label_counts {
    struct label_count v[LABELS];
    size_t n;
};

/* A line with a loss, as far as the step is not found by its words. */
struct learning_line {
    size_t before; /* fields before the loss */
    int64_t x[COLUMNS]; /* whole numbers among them; -1: another one */
    int64_t total[COLUMNS]; /* of those written as 10/100 without words of their own, otherwise 0 */
};

struct lines_learnt {
    struct label_counts losses, norms, steps;
    struct label_counts above; /* steps on lines without a loss */
    VEC(struct learning_line) lines;
    size_t totals, summed; /* lines with a total and another loss; of them those where it grew by that loss */
    double total;          /* the last */
    size_t epochs;        /* lines with an epoch */
    size_t epochs_again;  /* of them those with the epoch of the one before */
    double last_epoch;
    /* what was decided */
    enum log_value main;  /* LOG_LOSS, or LOG_NORM where no line has a loss */
    char loss[LINE_LABEL], step[LINE_LABEL];
    bool mean;            /* the loss is called a mean */
    enum step_source source;
    bool turned;          /* the step is the total behind the number, which is the epoch */
    size_t column, before;
};

/* One line's values before the steps of epochs are joined. */
struct line_record {
    int64_t step, total, epoch; /* epoch: -1 if none is said */
    struct log_record r;
};

typedef VEC(struct line_record) line_records;

static void count_label(struct label_counts *c, const struct line_field *f)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->v[i].label, f->label) == 0) {
            c->v[i].n++;
            c->v[i].turned += f->total > c->v[i].total && fabs(f->x - c->v[i].x) < 0.5;
            c->v[i].x = f->x;
            c->v[i].total = f->total;
            return;
        }
    if (c->n == LABELS)
        return;
    struct label_count *x = &c->v[c->n++];
    memcpy(x->label, f->label, sizeof x->label);
    x->rank = f->rank;
    x->n = 1;
    x->x = f->x;
    x->total = f->total;
}

/* A total that grows by the loss of each line, or by more where not every step is printed, is a sum over the steps. */
static void watch_total(struct lines_learnt *l, const struct line_fields *f)
{
    const struct line_field *total = NULL, *own = NULL;
    for (size_t i = 0; i < f->n; i++) {
        const struct line_field *x = &f->v[i];
        if (x->role == FIELD_TAKEN && x->value == LOG_LOSS && x->rank == LOSS_TOTAL)
            total = total ? total : x;
        else if (x->role == FIELD_TAKEN && x->value == LOG_LOSS && x->rank >= LOSS_OWN)
            own = own ? own : x;
    }
    if (!total || !own)
        return;
    l->summed += l->totals && total->x - l->total >= 0.9 * own->x && own->x > 0;
    l->total = total->x;
    l->totals++;
}

/* Totals that are sums over the steps say less than any loss. */
static void put_sums_last(struct lines_learnt *l)
{
    for (size_t i = 0; i < l->losses.n && l->totals > 1 && 4 * l->summed >= 3 * (l->totals - 1); i++)
        if (l->losses.v[i].rank == LOSS_TOTAL)
            l->losses.v[i].rank = LOSS_MEAN - 1;
}

/* The lowest rank among those that repeat, if any does; then the most frequent. NULL: there is none. */
static const struct label_count *best_label(const struct label_counts *c)
{
    const struct label_count *best = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const struct label_count *x = &c->v[i];
        bool repeats = x->n > 1, best_repeats = best && best->n > 1;
        if (!best || (repeats && !best_repeats) ||
            (repeats == best_repeats && (x->rank < best->rank || (x->rank == best->rank && x->n > best->n))))
            best = x;
    }
    return best;
}

static const struct line_field *find_line_field(const struct line_fields *f, enum field_role role, enum log_value v,
                                                const char *label)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].role == role && (role != FIELD_TAKEN || f->v[i].value == v) &&
            (!label || strcmp(f->v[i].label, label) == 0))
            return &f->v[i];
    return NULL;
}

static void keep_columns(struct lines_learnt *l, const struct line_fields *f, const struct line_field *loss)
{
    struct learning_line x = {.before = (size_t)(loss - f->v)};
    for (size_t i = 0; i < COLUMNS; i++) {
        bool usable = i < x.before && f->v[i].whole;
        x.x[i] = usable ? (int64_t)f->v[i].x : -1;
        x.total[i] = usable && !f->v[i].label[0] ? f->v[i].total : 0;
    }
    vec_push(&l->lines, x);
}

/* A line without a loss: the steps on it may be those of lines below. */
static void learn_above(struct lines_learnt *l, const struct line_fields *f)
{
    for (size_t i = 0; i < f->n && !f->judged; i++)
        if (f->v[i].role == FIELD_STEP)
            count_label(&l->above, &f->v[i]);
}

static void learn_line(struct lines_learnt *l, const struct line_fields *f)
{
    const struct line_field *first = NULL;
    if (f->judged)
        return;
    for (size_t i = 0; i < f->n; i++) {
        const struct line_field *x = &f->v[i];
        if (x->role == FIELD_TAKEN && x->value == LOG_LOSS) {
            count_label(&l->losses, x);
            first = first ? first : x;
        } else if (x->role == FIELD_TAKEN && x->value == LOG_NORM) {
            count_label(&l->norms, x);
        }
    }
    if (!first && !(first = find_line_field(f, FIELD_TAKEN, LOG_NORM, NULL))) {
        learn_above(l, f);
        return;
    }
    watch_total(l, f);
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].role == FIELD_STEP)
            count_label(&l->steps, &f->v[i]);
    const struct line_field *epoch = find_line_field(f, FIELD_EPOCH, LOG_LOSS, NULL);
    if (epoch) {
        l->epochs_again += l->epochs && fabs(epoch->x - l->last_epoch) < 0.5;
        l->last_epoch = epoch->x;
        l->epochs++;
    }
    keep_columns(l, f, first);
}

/* ---- which number is the step ---- */

/* Whether the numbers of a column grow from line to line, or begin anew where one before them grows by one or where
 * they have reached their total. Of fractions, "10/100", all lines with one are asked, otherwise those with the usual
 * number of fields. */
static bool column_grows(const struct lines_learnt *l, size_t column, bool fractions, size_t *seen)
{
    const struct learning_line *last = NULL;
    *seen = 0;
    for (size_t i = 0; i < l->lines.n; i++) {
        const struct learning_line *x = &l->lines.v[i];
        if (fractions ? !x->total[column] : x->before != l->before)
            continue;
        if (x->x[column] < 0 || (!fractions && x->total[column]))
            return false;
        bool more = !last || x->x[column] > last->x[column] ||
                    (last->total[column] > 1 && last->x[column] + 1 >= last->total[column]);
        for (size_t k = 0; k < column && !more; k++)
            more = x->x[k] >= 0 && last->x[k] >= 0 && x->x[k] == last->x[k] + 1;
        if (!more)
            return false;
        last = x;
        ++*seen;
    }
    return *seen >= (fractions ? 1 : 2);
}

/* The most frequent number of fields before the loss. */
static size_t usual_before(const struct lines_learnt *l)
{
    size_t best = 0, most = 0;
    for (size_t n = 0; n <= LINE_FIELDS; n++) {
        size_t count = 0;
        for (size_t i = 0; i < l->lines.n; i++)
            count += l->lines.v[i].before == n;
        if (count > most) {
            most = count;
            best = n;
        }
    }
    return best;
}

static bool find_column(struct lines_learnt *l)
{
    size_t seen;
    l->before = usual_before(l);
    for (int fractions = 1; fractions >= 0; fractions--)
        for (size_t c = 0; c < COLUMNS; c++)
            if ((fractions || c < l->before) && column_grows(l, c, fractions, &seen) && 2 * seen >= l->lines.n) {
                l->source = fractions ? STEP_FRACTION : STEP_COLUMN;
                l->column = c;
                return true;
            }
    return false;
}

/* False: there is nothing to read. */
static bool decide_labels(struct lines_learnt *l)
{
    put_sums_last(l);
    const struct label_count *loss = best_label(&l->losses), *step = best_label(&l->steps);
    l->main = loss ? LOG_LOSS : LOG_NORM;
    loss = loss ? loss : best_label(&l->norms);
    if (!loss)
        return false;
    memcpy(l->loss, loss->label, sizeof l->loss);
    l->mean = loss->rank >= LOSS_MEAN;
    if (step && 2 * step->n >= loss->n) {
        l->source = STEP_NAMED;
        l->turned = step->n > 1 && 2 * step->turned >= step->n - 1;
        memcpy(l->step, step->label, sizeof l->step);
        return true;
    }
    if (find_column(l))
        return true;
    /* an epoch may have a line for training, validation and test; with more of them the lines are batches */
    bool batches = 3 * l->epochs_again > 2 * l->epochs;
    l->source = 2 * l->epochs >= loss->n && !batches ? STEP_EPOCH : STEP_COUNTED;
    step = best_label(&l->above);
    if (l->source == STEP_COUNTED && l->main == LOG_LOSS && step && step->n > 1) {
        l->source = STEP_ABOVE; /* whether it holds is seen when they are read */
        memcpy(l->step, step->label, sizeof l->step);
    }
    return loss->n > 1;
}

static int learn_lines(struct lines_learnt *l, const struct file *f, uint64_t limit, const atomic_bool *cancel,
                       struct err *e)
{
    struct log_lines lines = {.file = f, .most = limit, .cancel = cancel};
    struct line_fields *fields = mem_alloc(sizeof *fields);
    struct str line;
    int rc = 1;
    while (l->lines.n < LEARN_LINES && (rc = log_line_next(&lines, &line, e)) == 1)
        if (line_fields_may(line)) {
            line_fields_read(fields, line);
            learn_line(l, fields);
        } else if (line_fields_count(line)) {
            line_fields_read(fields, line);
            learn_above(l, fields);
        }
    log_line_close(&lines);
    free(fields);
    return rc < 0 ? -1 : 0;
}

bool learned_lines_sniff(const struct file *f, uint64_t limit, bool sure, const atomic_bool *cancel)
{
    struct lines_learnt *l = mem_zalloc(sizeof *l);
    struct err quiet;
    bool yes = learn_lines(l, f, limit, cancel, &quiet) == 0 && decide_labels(l);
    if (sure)
        yes = yes && l->main == LOG_LOSS && l->lines.n > 1 && l->source <= STEP_FRACTION;
    vec_release(&l->lines);
    free(l);
    return yes;
}

/* ---- reading ---- */

static bool step_in(const struct lines_learnt *l, const struct line_fields *f, const struct line_field *loss,
                    struct line_record *x)
{
    const struct line_field *step = NULL, *epoch = find_line_field(f, FIELD_EPOCH, LOG_LOSS, NULL);
    x->epoch = epoch ? (int64_t)epoch->x : -1;
    if (l->source == STEP_NAMED)
        step = find_line_field(f, FIELD_STEP, LOG_LOSS, l->step);
    else if (l->source == STEP_EPOCH)
        step = epoch;
    else if (l->source == STEP_COLUMN && (size_t)(loss - f->v) == l->before && f->v[l->column].whole)
        step = &f->v[l->column];
    else if (l->source == STEP_FRACTION && l->column < f->n && f->v[l->column].total && !f->v[l->column].label[0])
        step = &f->v[l->column];
    if (l->source == STEP_EPOCH)
        x->epoch = -1;
    else if (x->epoch < 0 && l->source >= STEP_FRACTION && l->source <= STEP_COLUMN && l->column && step &&
             f->v[l->column - 1].whole && !f->v[l->column - 1].total)
        x->epoch = (int64_t)f->v[l->column - 1].x; /* "[1, 2000] loss" */
    if (!step)
        return l->source == STEP_COUNTED;
    if (l->turned)
        x->epoch = (int64_t)step->x;
    x->step = l->turned ? step->total : (int64_t)step->x;
    x->total = l->source == STEP_EPOCH || l->turned ? 0 : step->total;
    return true;
}

/* Whether a line has the words of a step and of a loss, but one of them without a number that can be read. */
static bool is_odd_learned_line(const struct lines_learnt *l, const struct line_fields *f, struct str line,
                                struct str *text)
{
    const struct line_field *loss = find_line_field(f, FIELD_TAKEN, l->main, l->loss);
    bool named = l->source == STEP_NAMED;
    const struct line_field *step = named ? find_line_field(f, FIELD_STEP, LOG_LOSS, l->step) : NULL;
    bool stepped = step && !step->odd;
    return (!loss && (stepped || !named) && line_fields_odd(line, l->loss, text)) ||
           (loss && named && !stepped && line_fields_odd(line, l->step, text));
}

static void take_learned_line(struct series_builder *k, const struct lines_learnt *l, const struct line_fields *f,
                              struct str line, line_records *out)
{
    struct str text;
    const struct line_field *loss = find_line_field(f, FIELD_TAKEN, l->main, l->loss);
    struct line_record x = {.r = {.line = k->line, .rank = log_rank_in(line)}};
    if (!f->judged && is_odd_learned_line(l, f, line, &text)) {
        log_odd_value(k, text);
        return;
    }
    if (!loss || f->judged || !step_in(l, f, loss, &x))
        return;
    for (size_t i = 0; i < f->n; i++) {
        const struct line_field *v = &f->v[i];
        if (v->odd && (v->value != l->main || v == loss) && line_fields_odd(line, v->label, &text))
            log_odd_value(k, text);
        else if (v->role == FIELD_TAKEN && !log_has(&x.r, v->value) && (v->value != l->main || v == loss))
            log_set(k, &x.r, v->value, v->x, v->digit);
    }
    if (!x.r.has)
        return;
    if (out->n < LOG_RECORDS)
        vec_push(out, x);
    else
        log_odd(k, ODD_FULL);
}

/* Whether the steps begin anew at this record: in the next epoch, or after a whole one where none is said. */
static bool begins_anew(const struct line_record *before, const struct line_record *x)
{
    if (x->step > before->step)
        return false;
    return before->epoch >= 0 && x->epoch >= 0 ? x->epoch > before->epoch
                                               : before->total > 1 && before->step + 1 >= before->total;
}

static int64_t add_within_limit(int64_t a, int64_t b)
{
    return a < LOG_STEP && b < LOG_STEP ? a + b : LOG_STEP;
}

/* Steps that begin anew in each epoch are counted on: by the steps of an epoch if the lines say how many these are,
 * otherwise by the last one printed, and where they begin at 0 by one distance of lines more. */
static void join_epochs(struct series_builder *k, line_records *v)
{
    int64_t offset = 0, highest = 0, apart = 1;
    size_t anew = 0, guessed = 0;
    for (size_t i = 0; i < v->n; i++) {
        struct line_record *x = &v->v[i], before = *x;
        if (i) {
            before = v->v[i - 1];
            before.step -= offset;
        }
        if (i && begins_anew(&before, x)) {
            int64_t epochs = x->epoch > before.epoch && before.epoch >= 0 ? x->epoch - before.epoch : 1;
            bool known = before.total > 0;
            int64_t each = known ? before.total : x->step ? highest : add_within_limit(highest, apart);
            anew++;
            guessed += !known;
            for (int64_t n = 0; n < epochs && n < 64; n++)
                offset = add_within_limit(offset, each);
            highest = 0;
        }
        if (x->step > highest) {
            apart = highest || i ? x->step - highest : 1;
            highest = x->step;
        }
        x->step = add_within_limit(x->step, offset);
    }
    if (anew)
        vec_push(&k->s->notes,
                 arena_fmt(&k->s->arena,
                           guessed ? _("%s: the steps begin anew %zu times, with the epochs: counted on from the last "
                                       "one printed before")
                                   : _("%s: the steps begin anew %zu times, with the epochs: counted on by the steps "
                                       "of an epoch"),
                           k->file->name, anew));
}

/* Of lines of several ranks, those of the lowest that has a loss, before epochs are joined. */
static void keep_lines_of_one_rank(struct series_builder *k, line_records *v)
{
    uint16_t lowest = UINT16_MAX;
    bool many = false;
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) {
        const struct log_record *r = &v->v[i].r;
        bool real = log_has(r, LOG_LOSS) && (r->value[LOG_LOSS] < 0 || !(r->value[LOG_LOSS] <= 0));
        many = many || (i && v->v[i].step == v->v[i - 1].step && r->rank && v->v[i - 1].r.rank &&
                        r->rank != v->v[i - 1].r.rank);
        lowest = real && r->rank && r->rank < lowest ? r->rank : lowest;
    }
    if (!many || lowest == UINT16_MAX)
        return;
    k->one_rank = lowest;
    for (size_t i = 0; i < v->n; i++)
        if (v->v[i].r.rank && v->v[i].r.rank != lowest)
            k->other_ranks++;
        else
            v->v[n++] = v->v[i];
    v->n = n;
}

static void add_line_records(struct series_builder *k, line_records *v, bool counted)
{
    keep_lines_of_one_rank(k, v);
    if (!counted)
        join_epochs(k, v);
    for (size_t i = 0; i < v->n; i++) {
        k->line = v->v[i].r.line;
        v->v[i].r.step = counted ? (int64_t)i + 1 : v->v[i].step;
        log_add(k, &v->v[i].r);
    }
    k->stepless = k->stepless || counted;
}

/* Calls take with every line; a last record that may be cut off is not read, unless it is the only one. */
static int each_line(struct series_builder *k, void (*take)(struct series_builder *k, struct str line, void *ctx,
                                                            line_records *out),
                     void *ctx, line_records *out, struct err *e)
{
    struct log_lines l = {.file = k->file, .cancel = k->cancel};
    struct str line;
    struct buf record = {0};
    int rc;
    while ((rc = log_line_next(&l, &line, e)) == 1 && !log_cancelled(k)) {
        k->line = l.line < UINT32_MAX ? (uint32_t)l.line : UINT32_MAX;
        if (k->growing && l.end && !l.newline)
            break;
        if (log_line_unended(&l) && out->n && (log_stops_in_number(line) || log_begins_as(line, buf_view(&record)))) {
            log_odd(k, ODD_CUT);
            break;
        }
        if (l.long_line)
            log_odd(k, ODD_LONG);
        size_t before = out->n;
        take(k, line, ctx, out);
        if (out->n != before) {
            buf_clear(&record);
            buf_str(&record, line);
        }
    }
    buf_release(&record);
    vec_last(&k->s->files)->lines = l.line;
    log_line_close(&l);
    return rc < 0 ? -1 : 0;
}

struct learnt_reading {
    struct lines_learnt *learnt;
    struct line_fields fields;
    /* STEP_ABOVE */
    struct line_record above; /* the last line with a step, and the first of each value since */
    bool begun;
    size_t astray; /* losses without a new step above them */
    /* the first of both is a loss: "Loss: 2.5", and below it "Step: 10" */
    bool loss_first, stepped, last_is_step;
    bool lost; /* the last step could not be read: what follows has none */
};

static void take_learnt(struct series_builder *k, struct str line, void *ctx, line_records *out)
{
    struct learnt_reading *r = ctx;
    if (!line_fields_may(line))
        return;
    line_fields_read(&r->fields, line);
    take_learned_line(k, r->learnt, &r->fields, line, out);
}

static void end_above(struct series_builder *k, struct learnt_reading *r, line_records *out)
{
    if (r->begun && log_has(&r->above.r, r->learnt->main) && (r->stepped || !r->loss_first)) {
        if (out->n < LOG_RECORDS)
            vec_push(out, r->above);
        else
            log_odd(k, ODD_FULL);
    }
    r->begun = false;
}

/* Whether a step or a loss of the line cannot be read; it is counted. Without a step the lines below have none. */
static bool note_odd_below(struct series_builder *k, struct learnt_reading *r, struct str line,
                           const struct line_field *loss, const struct line_field *step, line_records *out)
{
    const struct lines_learnt *l = r->learnt;
    struct str text;
    bool odd_step = (step && step->odd) || (!step && line_fields_odd(line, l->step, &text));
    if (!odd_step && (loss || !line_fields_odd(line, l->loss, &text)) && !(loss && loss->odd))
        return false;
    const char *label = odd_step ? l->step : l->loss;
    log_odd_value(k, line_fields_odd(line, label, &text) ? text : line);
    if (odd_step) {
        end_above(k, r, out);
        r->lost = true;
    }
    return true;
}

/* Begins a record with the loss or the step that stands first. */
static void begin_above(struct series_builder *k, struct learnt_reading *r, const struct line_field *loss,
                        const struct line_field *step, line_records *out)
{
    r->loss_first = r->loss_first || (loss && !step && !r->begun && !out->n);
    r->last_is_step = step ? true : loss ? false : r->last_is_step;
    if (r->loss_first && loss) {
        end_above(k, r, out);
        r->above = (struct line_record){.epoch = -1, .r = {.line = k->line}};
        r->begun = true;
        r->stepped = false;
    }
    if (r->loss_first && step && r->begun) {
        r->astray += r->stepped;
        r->stepped = true;
        r->above.step = (int64_t)step->x;
        r->above.total = step->total;
    } else if (step) {
        end_above(k, r, out);
        const struct line_field *epoch = find_line_field(&r->fields, FIELD_EPOCH, LOG_LOSS, NULL);
        r->above = (struct line_record){.step = (int64_t)step->x, .total = step->total,
                                        .epoch = epoch ? (int64_t)epoch->x : -1, .r = {.line = k->line}};
        r->begun = true;
    }
}

/* "[step=10/2500]", and below it a line a value: "train/CrossEntropyLoss=7.1". */
static void take_below(struct series_builder *k, struct str line, void *ctx, line_records *out)
{
    struct learnt_reading *r = ctx;
    const struct lines_learnt *l = r->learnt;
    const struct line_fields *f = &r->fields;
    if (!line_fields_may(line) && !line_fields_count(line) && !str_ihas(line, "norm") && !str_ihas(line, "lr"))
        return;
    line_fields_read(&r->fields, line);
    const struct line_field *loss = find_line_field(f, FIELD_TAKEN, l->main, l->loss);
    const struct line_field *step = find_line_field(f, FIELD_STEP, LOG_LOSS, l->step);
    if (f->judged || note_odd_below(k, r, line, loss, step, out))
        return;
    r->lost = r->lost && !step;
    if (r->lost)
        return;
    begin_above(k, r, loss, step, out);
    r->astray += loss && (!r->begun || log_has(&r->above.r, l->main)) && !r->loss_first;
    for (size_t i = 0; i < f->n && r->begun; i++) {
        const struct line_field *v = &f->v[i];
        if (v->role == FIELD_TAKEN && !log_has(&r->above.r, v->value) && (v->value != l->main || v == loss))
            log_set(k, &r->above.r, v->value, v->x, v->digit);
    }
}

/* Whether nearly every loss has a step of its own above it; otherwise the losses are numbered. */
static int read_below(struct series_builder *k, struct learnt_reading *r, line_records *found, struct err *e)
{
    size_t cut = k->counted[ODD_CUT], odd = k->counted[ODD_LONG];
    int rc = each_line(k, take_below, r, found, e);
    end_above(k, r, found);
    bool unsure = r->loss_first && !r->last_is_step; /* one loss of the start may stand before all steps */
    if (rc || (found->n > 1 && 10 * r->astray <= found->n && !unsure))
        return rc;
    k->counted[ODD_CUT] = cut;
    k->counted[ODD_LONG] = odd;
    found->n = 0;
    r->learnt->source = STEP_COUNTED;
    return each_line(k, take_learnt, r, found, e);
}

/* `step from "iter", loss from "loss"`. */
static void note_learnt(struct series_builder *k, const struct lines_learnt *l)
{
    struct buf b = {0};
    switch (l->source) {
    case STEP_NAMED:
        buf_fmt(&b, _("the step is the number after \"%s\""), l->step);
        break;
    case STEP_FRACTION:
    case STEP_COLUMN:
        buf_fmt(&b, _("the step is number %zu of a line, which grows"), l->column + 1);
        break;
    case STEP_EPOCH:
        buf_cstr(&b, _("the epoch is taken as the step"));
        break;
    case STEP_ABOVE:
        buf_fmt(&b, _("the step is the number after \"%s\" on a line above"), l->step);
        break;
    case STEP_COUNTED:
        buf_cstr(&b, _("no step was found"));
        break;
    }
    vec_push(&k->s->notes,
             arena_fmt(&k->s->arena,
                       l->main == LOG_LOSS
                           ? _("%s: no tool's lines: the loss is the number after \"%s\", %s; say otherwise by "
                               "--log-names")
                           : _("%s: no tool's lines: the norm is the number after \"%s\", %s; say otherwise by "
                               "--log-names"),
                       k->file->name, l->loss, b.p));
    buf_release(&b);
}

int learned_lines_read(struct series_builder *k, struct err *e)
{
    struct lines_learnt *l = mem_zalloc(sizeof *l);
    struct learnt_reading *r = mem_zalloc(sizeof *r);
    line_records found = {0};
    int rc = learn_lines(l, k->file, 0, k->cancel, e);
    if (rc == 0 && decide_labels(l)) {
        k->kind = log_kind_named("learned-lines");
        k->mean_lines = l->mean;
        r->learnt = l;
        rc = l->source == STEP_ABOVE ? read_below(k, r, &found, e) : each_line(k, take_learnt, r, &found, e);
        add_line_records(k, &found, l->source == STEP_COUNTED);
        if (found.n)
            note_learnt(k, l);
    }
    vec_release(&found);
    vec_release(&l->lines);
    free(l);
    free(r);
    return rc;
}

/* ---- patterns ---- */

static void take_pattern(struct series_builder *k, struct str line, void *ctx, line_records *out)
{
    static const char *const names[LOG_VALUES] = {
        [LOG_LOSS] = "loss", [LOG_LR] = "lr", [LOG_NORM] = "norm", [LOG_SCALE] = "scale"};
    struct pattern *p = ctx;
    struct str group[PATTERN_GROUPS];
    struct line_record x = {.epoch = -1, .r = {.line = k->line}};
    double v, digit;
    int step = pattern_group_named(p, "step"), epoch = pattern_group_named(p, "epoch");
    if (pattern_groups(p, line, group) != 1)
        return;
    struct str count = step >= 0 ? group[step] : STR("");
    if (step >= 0 && (!scan_count(&count, &x.step) || count.n)) {
        log_odd_value(k, group[step]);
        return;
    }
    count = epoch >= 0 ? group[epoch] : STR("");
    if (epoch >= 0 && (!scan_count(&count, &x.epoch) || count.n))
        x.epoch = -1;
    for (int i = 0; i < LOG_VALUES; i++) {
        int at = names[i] ? pattern_group_named(p, names[i]) : -1;
        if (at >= 0 && log_number(k, group[at], &v, &digit) == READING_VALUE)
            log_set(k, &x.r, (enum log_value)i, v, digit);
    }
    if (!log_has(&x.r, LOG_LOSS) && !log_has(&x.r, LOG_NORM))
        return;
    if (out->n < LOG_RECORDS)
        vec_push(out, x);
    else
        log_odd(k, ODD_FULL);
}

int pattern_lines_read(struct series_builder *k, struct err *e)
{
    const char *text;
    int rc = 0;
    for (size_t i = 0; rc == 0 && !k->s->records.n && (text = value_pattern(i)) != NULL; i++) {
        line_records found = {0};
        struct pattern *p = pattern_compile(str_of(text), 0, e);
        if (!p)
            return -1;
        k->kind = log_kind_named("learned-lines");
        rc = each_line(k, take_pattern, p, &found, e);
        add_line_records(k, &found, pattern_group_named(p, "step") < 0);
        if (found.n)
            vec_push(&k->s->notes, arena_fmt(&k->s->arena, _("%s: read by the pattern %s"), k->file->name, text));
        vec_release(&found);
        pattern_free(p);
    }
    return rc;
}
