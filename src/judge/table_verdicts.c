/* Takes over the verdicts of a result table; rows without one are judged by their figures. */
#include "judge/table_verdicts.h"

#include <math.h>

#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"

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

/* rel_l2 from the table's euclidean distance and golden norm, if it has both. */
static void own_error(const struct measure *m, uint32_t line, struct line_judgement *x)
{
    const struct row *g = &m->side[GOLDEN]->rows.v[m->pairing->lines.v[line].row[GOLDEN]];
    double euclid, any;
    if (table_verdicts_figure(m, line, RESULT_EUCLID, &euclid) && g->has & HAS_NORM && g->stat[STAT_NORM] > 0) {
        x->error = (float)(euclid / g->stat[STAT_NORM]);
        x->flags &= (uint8_t)~LINE_STATISTICS;
    } else if (table_verdicts_figure(m, line, RESULT_MAX_ABS, &any) ||
               table_verdicts_figure(m, line, RESULT_COSINE, &any)) {
        x->error = NAN; /* tensors were compared, so statistics are not used */
    }
}

void table_verdicts_judge(struct judgement *j, const struct measure *m)
{
    for (uint32_t i = 0; i < j->lines; i++) {
        const struct result_line *t = table_verdicts_line(m, i);
        if (!t || t->word == WORD_NONE)
            continue;
        j->line[i].verdict = (uint8_t)verdict_of(m, i, t);
        if (j->line[i].rule == RULE_ILL)
            j->line[i].flags &= (uint8_t)~(LINE_ILL | LINE_DOUBTFUL);
        j->line[i].rule = RULE_TABLE;
        j->line[i].limit = NAN; /* the tool's limit is unknown */
        own_error(m, i, &j->line[i]);
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
    if (*t->message)
        buf_fmt(out, ": %s", t->message);
}
