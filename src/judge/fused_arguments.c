/* The table of what fused attention calls are told, under all names, and how two values of each compare. */
#include "judge/fused_arguments.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "dump/family.h"
#include "pair/call_arguments.h"

/* How two values of an argument are compared. */
enum meaning {
    MEANS_NUMBER, /* equal to single precision */
    MEANS_WINDOW, /* a number of tokens: beyond the longest axis all are the same */
    MEANS_LAYOUT, /* a text: of tensors of one shape the same */
};

static const struct {
    const char *names;
    enum meaning meaning;
} arguments[] = {
    {ATTENTION_SCALE_WORDS, MEANS_NUMBER},
    {"keep_prob", MEANS_NUMBER},
    {"head_num", MEANS_NUMBER},
    {"sparse_mode", MEANS_NUMBER},
    {"pre_tokens pre_tockens", MEANS_WINDOW},
    {"next_tokens next_tockens", MEANS_WINDOW},
    {"input_layout layout", MEANS_LAYOUT},
};

#define NUMBERS_APART 1e-6 /* relative: recorded as float32 or as Python's number */

/* An argument of one call: its row and text, or the text of the default; empty: unknown. */
struct given {
    uint32_t row;
    struct str text;
    double number;
};

static struct given given_of(const struct dump *d, uint32_t call, const char *names)
{
    struct given x = {.row = call_argument(d, call, names), .text = STR(""), .number = NAN};
    if (x.row != NONE) {
        const struct row *r = &d->rows.v[x.row];
        x.text = str_of(r->text ? r->text : "");
        x.number = r->kind == ROW_INT || r->kind == ROW_FLOAT ? r->stat[STAT_MAX] : NAN;
        return x;
    }
    for (struct str rest = str_of(names), word; rest.n && isnan(x.number);) {
        word = str_next(&rest, ' ');
        x.text = left_out_value(d, call, word);
        x.number = left_out_number(d, call, word);
    }
    return x;
}

static double longest_axis(const struct dump *d, uint32_t call)
{
    int64_t most = 0;
    for (int nth = 0; nth < 2; nth++) {
        uint32_t row = call_input(d, call, nth);
        const struct shape *s = row == NONE ? NULL : dump_row_shape(d, row);
        for (int i = 0; s && i < s->ndim; i++)
            most = s->dim[i] > most ? s->dim[i] : most;
    }
    return most ? (double)most : INFINITY;
}

static bool same_shapes(const struct dump *const d[2], const uint32_t call[2])
{
    uint32_t row[2] = {call_input(d[0], call[0], 0), call_input(d[1], call[1], 0)};
    if (row[0] == NONE || row[1] == NONE)
        return false;
    const struct shape *a = dump_row_shape(d[0], row[0]), *b = dump_row_shape(d[1], row[1]);
    return shape_same(a, b);
}

static bool call_arguments_differ(const struct dump *const d[2], const uint32_t call[2], const struct given x[2],
                                  enum meaning how)
{
    double v[2] = {x[0].number, x[1].number};
    if (how == MEANS_LAYOUT)
        return x[0].row != NONE && x[1].row != NONE && same_shapes(d, call) && !str_ieq(x[0].text, x[1].text);
    if (isnan(v[0]) || isnan(v[1]))
        return false;
    for (int s = 0; s < 2 && how == MEANS_WINDOW; s++)
        v[s] = fmin(v[s], longest_axis(d[s], call[s]));
    return fabs(v[0] - v[1]) > NUMBERS_APART * fmax(fabs(v[0]), fabs(v[1]));
}

static bool is_fused(const struct dump *d, uint32_t call)
{
    const struct call *c = &d->calls.v[call];
    return c->family == FAMILY_ATTENTION && c->phase == PHASE_FORWARD && c->kind != CALL_MODULE &&
           c->recomputes == NONE;
}

/* The golden call whose output is paired with one of this call; *off: whether a pair of outputs differs. */
static uint32_t partner_of_call(const struct judgement *j, const struct measure *m, uint32_t call, bool *off)
{
    const struct dump *t = m->side[TARGET], *g = m->side[GOLDEN];
    uint32_t found = NONE;
    *off = false;
    EACH_EARLY_ROW(t, call, r) {
        uint32_t line = m->pairing->line_of[TARGET][r];
        uint32_t other = line == NONE ? NONE : m->pairing->lines.v[line].row[GOLDEN];
        if (other == NONE || t->rows.v[r].io != IO_OUTPUT || !is_fused(g, g->rows.v[other].call))
            continue;
        found = g->rows.v[other].call;
        *off = *off || !verdict_is_accepted((enum verdict)j->line[line].verdict);
    }
    return found;
}

/* The nth argument of the two calls of a row's line; false if the row is none of the table's. */
static bool find_argument(const struct dump *d, uint32_t row, size_t *nth)
{
    for (*nth = 0; *nth < ARRAY_LEN(arguments); ++*nth)
        if (call_argument(d, d->rows.v[row].call, arguments[*nth].names) == row)
            return true;
    return false;
}

void fused_arguments_find(struct judgement *j, const struct measure *m)
{
    const struct dump *const d[2] = {m->side[TARGET], m->side[GOLDEN]};
    for (uint32_t c = 0; c < d[TARGET]->calls.n; c++) {
        bool off;
        uint32_t call[2] = {c, is_fused(d[TARGET], c) ? partner_of_call(j, m, c, &off) : NONE};
        if (call[GOLDEN] == NONE || !off)
            continue;
        for (size_t i = 0; i < ARRAY_LEN(arguments); i++) {
            struct given x[2];
            for (int s = 0; s < 2; s++)
                x[s] = given_of(d[s], call[s], arguments[i].names);
            if (!call_arguments_differ(d, call, x, arguments[i].meaning))
                continue;
            for (int s = 0; s < 2; s++) {
                uint32_t line = x[s].row == NONE ? NONE : m->pairing->line_of[s][x[s].row];
                if (line == NONE || j->line[line].rule != RULE_ONE_SIDED)
                    continue;
                j->line[line].verdict = VERDICT_DEVIATE;
                j->line[line].rule = RULE_FUSED_ARGUMENT;
                j->line[line].limit = (float)x[!s].number;
            }
        }
    }
}

void fused_arguments_explain(const struct judgement *j, const struct measure *m, uint32_t line, struct buf *out)
{
    const struct line *l = &m->pairing->lines.v[line];
    int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    size_t nth;
    char n[NUM_MAX];
    if (!find_argument(m->side[s], l->row[s], &nth)) {
        buf_cstr(out, _("an argument that differs from the other side's fused call"));
        return;
    }
    struct str rest = str_of(arguments[nth].names), name = str_next(&rest, ' ');
    buf_fmt(out, _("this argument (%.*s) is %s here"), STR_ARG(name), m->side[s]->rows.v[l->row[s]].text);
    if (arguments[nth].meaning != MEANS_LAYOUT)
        buf_fmt(out, _(" and %s in the other side's fused call"), num_cell(n, (double)j->line[line].limit, 7));
    else
        buf_cstr(out, _(" and another in the other side's fused call, for tensors of one shape"));
}
