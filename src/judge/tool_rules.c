/* The table of other tools' rules, and the pass that judges all lines by one of them. */
#include "judge/tool_rules.h"

#include <math.h>
#include <string.h>

#include "judge/table_verdicts.h"

#define TABLE_RULES "table"

/* The worst figures of a call's inputs (with parameters), of its outputs, or of a row. NaN: unknown. */
struct worst {
    double ratio;   /* share of elements with a relative error below 0.001 */
    double cosine;
    double max_abs; /* largest absolute error; for statistics the difference of the maxima */
    double norm;    /* relative difference of the norms */
    double rel;     /* largest relative difference of max, min, mean and norm */
};

struct tool_case {
    struct worst in, out, row;
    bool output, first_output, statistics, other_dtype;
};

/* ---- the rules: 0 pass, 1 warning, 2 error. Comparisons with NaN are false, so it passes ---- */

static int by_msprobe(const struct tool_case *k)
{
    if (k->other_dtype)
        return 2;
    if (k->statistics) {
        if (k->output && k->in.norm < 0.1 && k->row.norm > 0.5)
            return 2;
        return k->first_output && (k->out.norm > 10 * k->in.norm || (k->in.norm == 0 && k->out.norm > 0.1)) &&
               k->out.norm > 0.1 ? 1 : 0;
    }
    if (k->first_output && k->in.ratio > 0.9 && k->out.ratio < 0.1)
        return 2;
    return k->first_output && k->in.cosine > 0.9 && k->in.cosine - k->out.cosine > 0.1 ? 1 : 0;
}

/* The colours red and yellow in msprobe's spreadsheets until 2025. */
static int by_msprobe_xlsx(const struct tool_case *k)
{
    if (k->row.max_abs > 1e10)
        return 2;
    if (!k->output)
        return 0;
    if (k->statistics ? k->row.rel > 0.5 : k->in.ratio > 0.9 && k->row.ratio < 0.6)
        return 2;
    if (k->in.max_abs > 1 && k->row.max_abs > 10 * k->in.max_abs)
        return 1;
    if (k->statistics)
        return k->in.rel < 0.01 && k->row.rel > 0.1 ? 1 : 0;
    return k->in.ratio - k->row.ratio > 0.1 || k->in.cosine - k->row.cosine > 0.1 ? 1 : 0;
}

static int by_ptdbg(const struct tool_case *k)
{
    if (k->statistics)
        return k->row.rel > 0.5 ? 2 : 0;
    bool reached = !((k->row.cosine < 0.99 && k->row.max_abs > 0.001) || k->row.cosine < 0.9 || k->row.max_abs > 1);
    return reached ? 0 : 2;
}

static const struct {
    const char *name;
    int (*rule)(const struct tool_case *k);
} presets[] = {
    {"diverge", NULL}, {"msprobe", by_msprobe}, {"msprobe-xlsx", by_msprobe_xlsx}, {"ptdbg", by_ptdbg},
    {TABLE_RULES, NULL},
};

int tool_rules_find(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(presets); i++)
        if (str_is(name, presets[i].name))
            return (int)i;
    return -1;
}

bool tool_rules_of_table(int preset)
{
    const char *name = tool_rules_name(preset);
    return name && strcmp(name, TABLE_RULES) == 0;
}

const char *tool_rules_name(int preset)
{
    return preset >= 0 && (size_t)preset < ARRAY_LEN(presets) ? presets[preset].name : NULL;
}

/* ---- the figures ---- */

static const struct worst unknown = {NAN, NAN, NAN, NAN, NAN};

static double relative_difference(const struct row *t, const struct row *g, int bit, int stat)
{
    double a = t->stat[stat], b = g->stat[stat];
    if (!(t->has & g->has & bit) || !isfinite(a) || !isfinite(b))
        return NAN;
    return a == b ? 0 : fabs((a - b) / b);
}

static struct worst figures_of(const struct measure *m, uint32_t line)
{
    static const int bit[STAT_COUNT] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    const struct line *l = &m->pairing->lines.v[line];
    const struct figures *f = measure_figures(m, line);
    const struct row *t = &m->side[TARGET]->rows.v[l->row[TARGET]], *g = &m->side[GOLDEN]->rows.v[l->row[GOLDEN]];
    struct worst w = unknown;
    if (f && f->two) {
        bool zero = f->side[0].zero == f->side[0].count || f->side[1].zero == f->side[1].count;
        bool single = f->side[0].count < 2; /* the tool gives neither for one element, nor a cosine with zero */
        w.ratio = single ? NAN : f->one_thousandth;
        w.cosine = single || (zero && f->max_abs > 0) ? NAN : f->cosine;
        w.max_abs = f->max_abs;
    } else if (table_verdicts_figure(m, line, RESULT_MAX_ABS, &w.max_abs)) {
        table_verdicts_figure(m, line, RESULT_ONE_THOUSANDTH, &w.ratio);
        table_verdicts_figure(m, line, RESULT_COSINE, &w.cosine);
    } else if (t->kind == ROW_TENSOR && g->kind == ROW_TENSOR) {
        w.norm = relative_difference(t, g, HAS_NORM, STAT_NORM);
        w.max_abs = t->has & g->has & HAS_MAX ? fabs(t->stat[STAT_MAX] - g->stat[STAT_MAX]) : NAN;
        for (int i = 0; i < STAT_COUNT; i++)
            w.rel = fmax(w.rel, relative_difference(t, g, bit[i], i));
    }
    return w;
}

static void keep_worse(struct worst *all, const struct worst *one)
{
    all->ratio = fmin(all->ratio, one->ratio); /* fmin and fmax ignore NaN */
    all->cosine = fmin(all->cosine, one->cosine);
    all->max_abs = fmax(all->max_abs, one->max_abs);
    all->norm = fmax(all->norm, one->norm);
    all->rel = fmax(all->rel, one->rel);
}

static bool has_figures(const struct judgement *j, const struct measure *m, uint32_t line)
{
    const struct line_judgement *x = &j->line[line];
    return m->pairing->lines.v[line].pair != NONE && !isnan(x->error) &&
           (x->verdict == VERDICT_MATCH || x->verdict == VERDICT_DRIFT || x->verdict == VERDICT_DEVIATE);
}

static void judge_call(struct judgement *j, const struct measure *m, uint32_t call,
                       int (*rule)(const struct tool_case *k))
{
    static const enum verdict verdicts[] = {VERDICT_MATCH, VERDICT_DRIFT, VERDICT_DEVIATE};
    const struct dump *d = m->side[TARGET];
    struct tool_case k = {.in = unknown, .out = unknown};
    bool seen = false;
    EACH_ROW(d, call, r) {
        uint32_t i = m->pairing->line_of[TARGET][r];
        if (!has_figures(j, m, i))
            continue;
        struct worst w = figures_of(m, i);
        keep_worse(d->rows.v[r].io == IO_OUTPUT ? &k.out : &k.in, &w);
    }
    EACH_ROW(d, call, r) {
        uint32_t i = m->pairing->line_of[TARGET][r];
        if (!has_figures(j, m, i))
            continue;
        k.row = figures_of(m, i);
        k.output = d->rows.v[r].io == IO_OUTPUT;
        k.first_output = k.output && !seen;
        seen = seen || k.output;
        k.statistics = j->line[i].flags & LINE_STATISTICS && isnan(k.row.cosine) && isnan(k.row.ratio);
        k.other_dtype = (j->line[i].flags & LINE_DTYPE_DIFF) != 0;
        j->line[i].verdict = (uint8_t)verdicts[rule(&k)];
        j->line[i].rule = RULE_PRESET;
        j->line[i].flags &= (uint8_t)~(LINE_BAND | LINE_ILL);
        j->line[i].limit = j->line[i].level = NAN;
    }
}

void tool_rules_judge(struct judgement *j, const struct measure *m, int preset)
{
    j->preset = (uint8_t)preset;
    for (uint32_t c = 0; presets[preset].rule && c < m->side[TARGET]->calls.n; c++)
        judge_call(j, m, c, presets[preset].rule);
}
