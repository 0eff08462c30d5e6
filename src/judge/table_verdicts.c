/* The error of a pair from the figures that another tool printed of it, and where the tool's own verdict counts. */
#include "judge/table_verdicts.h"

#include <math.h>

#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "judge/tool_rules.h"

struct line *table_verdicts_pairs(const struct dump *target, const struct dump *golden, size_t *n)
{
    const struct result *t = result_of(target), *g = result_of(golden);
    /* the file may have grown in between */
    size_t rows = !t || !g ? 0 : t->lines.n < g->lines.n ? t->lines.n : g->lines.n;
    struct line *l = mem_alloc((rows + 1) * sizeof *l);
    for (*n = 0; *n < rows; ++*n)
        l[*n] = (struct line){{t->lines.v[*n].row, g->lines.v[*n].row}, NONE};
    return l;
}

const struct result_line *table_verdicts_line(const struct measure *m, uint32_t line)
{
    if (!m->pairing) /* a single side */
        return NULL;
    const struct line *l = &m->pairing->lines.v[line];
    if (l->pair == NONE || m->pairing->pairs.v[l->pair].why != WHY_TABLE)
        return NULL;
    return result_at(m->side[TARGET], l->row[TARGET]);
}

bool table_verdicts_figure(const struct measure *m, uint32_t line, enum result_figure which, double *out)
{
    const struct result_line *t = table_verdicts_line(m, line);
    if (!t || !(t->has & 1 << which))
        return false;
    *out = t->figure[which];
    return true;
}

/* The kind of an error verdict: other shapes, NaN or Inf on one side, or a deviation. */
static enum verdict verdict_of(const struct measure *m, uint32_t line, const struct result_line *t)
{
    const struct line *l = &m->pairing->lines.v[line];
    const struct shape *a = dump_row_shape(m->side[TARGET], l->row[TARGET]);
    const struct shape *b = dump_row_shape(m->side[GOLDEN], l->row[GOLDEN]);
    bool shapes = a && b && a->numel != b->numel;
    switch ((enum result_word)t->word) {
    case WORD_PASS:
        return VERDICT_MATCH;
    case WORD_WARNING:
        return VERDICT_DRIFT;
    case WORD_UNMATCHED:
        return VERDICT_SHAPE;
    case WORD_ERROR:
        return shapes ? VERDICT_SHAPE : t->nonfinite ? VERDICT_NONFINITE : VERDICT_DEVIATE;
    case WORD_SKIP:
        return VERDICT_SKIP;
    case WORD_NONE:
        break;
    }
    return VERDICT_PENDING;
}

/* What the printed figures cannot show: a cosine is summed in float32 and printed to 6 or 12 decimals, a largest error
 * to 6. */
#define COSINE_UNSEEN 2e-6
#define MAX_ABS_UNSEEN 1.5e-6

/* The largest golden value: what an error is relative to where no norm was recorded. NaN: unknown. */
static double golden_size(const struct row *g)
{
    double size = NAN;
    if (g->has & HAS_MAX)
        size = fabs(g->stat[STAT_MAX]);
    if (g->has & HAS_MIN)
        size = fmax(size, fabs(g->stat[STAT_MIN]));
    return size;
}

static double share_of(double distance, double whole)
{
    return distance == 0 ? 0 : isfinite(distance) && isfinite(whole) ? distance / whole : NAN;
}

/* The error, relative to the elements, of normally distributed elements of which such a share is within `limit` of its
 * own size. 0 from a half on, which tensors with many small elements have as well. */
static double error_of_share(double share, double limit)
{
    static const struct {
        double share, deviations;
    } normal[] = {{0.003, 3}, {0.01, 2.58}, {0.05, 1.96}, {0.1, 1.64}, {0.2, 1.28}, {0.3, 1.04}, {0.5, 0.67}};
    for (size_t i = 0; i < ARRAY_LEN(normal); i++)
        if (share < normal[i].share)
            return normal[i].deviations * limit;
    return 0;
}

/* Of a pair whose sizes the table does not give: a cosine is the same whatever factor lies between the two tensors, so
 * that another figure has to exclude one. NaN if none does; `error` is what the cosine shows. */
static double sizeless_error(const struct measure *m, uint32_t line, double error)
{
    double distance, share, relative;
    if (error > 0)
        return error;
    if (table_verdicts_figure(m, line, RESULT_ONE_THOUSANDTH, &share)) {
        error = error_of_share(share, 1e-3);
        if (table_verdicts_figure(m, line, RESULT_FIVE_THOUSANDTHS, &share))
            error = fmax(error, error_of_share(share, 5e-3));
        return error;
    }
    if ((table_verdicts_figure(m, line, RESULT_EUCLID, &distance) && distance == 0) ||
        (table_verdicts_figure(m, line, RESULT_MAX_ABS, &distance) && distance <= MAX_ABS_UNSEEN))
        return 0;
    return table_verdicts_figure(m, line, RESULT_MAX_REL, &relative) && relative < 1e-3 ? relative : NAN;
}

double table_verdicts_error(const struct measure *m, uint32_t line, bool *exact)
{
    double euclid, cosine, max_abs, error = NAN;
    *exact = false;
    if (!table_verdicts_line(m, line))
        return NAN;
    const uint32_t *at = m->pairing->lines.v[line].row;
    const struct row *t = &m->side[TARGET]->rows.v[at[TARGET]], *g = &m->side[GOLDEN]->rows.v[at[GOLDEN]];
    double norm = g->has & HAS_NORM ? g->stat[STAT_NORM] : NAN, own = t->has & HAS_NORM ? t->stat[STAT_NORM] : NAN;
    if (table_verdicts_figure(m, line, RESULT_EUCLID, &euclid)) {
        error = share_of(euclid, norm);
        *exact = !isnan(error);
    }
    if (table_verdicts_figure(m, line, RESULT_COSINE, &cosine) && isfinite(cosine)) {
        double r = norm > 0 && isfinite(own / norm) ? own / norm : 1;
        double apart = 1 - cosine > COSINE_UNSEEN ? 1 - cosine : 0;
        error = fmax(error, sqrt((1 - r) * (1 - r) + 2 * r * apart)); /* the third side of a triangle */
    }
    if (table_verdicts_figure(m, line, RESULT_MAX_ABS, &max_abs))
        error = fmax(error, share_of(max_abs > MAX_ABS_UNSEEN ? max_abs : 0, norm >= 0 ? norm : golden_size(g)));
    bool sized = t->has & g->has & (HAS_NORM | HAS_MAX | HAS_MIN);
    return *exact || sized || isnan(error) ? error : sizeless_error(m, line, error);
}

/* Whether the tool's own verdict is the result: it tested operators, the user asks for it, or it is all there is: an
 * error of which the table gives no figures. */
static bool table_error_counts(const struct judgement *j, const struct measure *m, uint32_t line,
                               const struct result_line *t)
{
    bool error = t->word == WORD_ERROR || t->word == WORD_UNMATCHED;
    return result_of(m->side[TARGET])->tests || tool_rules_of_table(j->preset) ||
           (error && j->line[line].verdict == VERDICT_SKIP);
}

void table_verdicts_judge(struct judgement *j, const struct measure *m)
{
    bool tabled = m->side[TARGET]->reader && result_of(m->side[TARGET]);
    for (uint32_t i = 0; tabled && i < j->lines; i++) {
        const struct result_line *t = table_verdicts_line(m, i);
        if (!t || t->word == WORD_NONE || !table_error_counts(j, m, i, t))
            continue;
        j->line[i].verdict = (uint8_t)verdict_of(m, i, t);
        if (j->line[i].rule == RULE_ILL)
            j->line[i].flags &= (uint8_t)~(LINE_ILL | LINE_DOUBTFUL);
        j->line[i].rule = RULE_TABLE;
        j->line[i].limit = NAN; /* the tool's limit is unknown */
    }
}

void table_verdicts_explain(const struct measure *m, uint32_t line, struct buf *out)
{
    static const struct {
        enum result_figure which;
        const char *name;
    } shown[] = {
        {RESULT_COSINE, "cosine"},
        {RESULT_EUCLID, "l2"},
        {RESULT_MAX_ABS, "max abs"},
        {RESULT_ONE_THOUSANDTH, "1/1000"},
    };
    const struct result_line *t = table_verdicts_line(m, line);
    char n[NUM_MAX];
    double v;
    if (!t) {
        buf_cstr(out, _("verdict of a result table"));
        return;
    }
    if (*t->said)
        buf_fmt(out, _("the result table gives \"%s\""), t->said);
    else
        buf_cstr(out, _("no verdict in the table"));
    for (size_t i = 0; i < ARRAY_LEN(shown); i++)
        if (table_verdicts_figure(m, line, shown[i].which, &v))
            buf_fmt(out, "; %s %s", shown[i].name, num_cell(n, v, 7));
    struct str message = str_of(t->message);
    while (message.n && message.p[message.n - 1] == '.') /* the sentence has one of its own */
        message.n--;
    if (message.n)
        buf_fmt(out, ": %.*s", STR_ARG(message));
}
