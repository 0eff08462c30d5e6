/* Arguments that differ between the sides, and their meaning: an epsilon, a probability, a mask's fill, a factor. */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "diagnose/call_tensors.h"
#include "diagnose/diagnosis_case.h"
#include "dump/family.h"
#include "judge/implied_constant.h"
#include "pair/align_item.h"

/* Whether a row is a number, or a one-element tensor with a recorded maximum. */
static bool argument_is_number(const struct diagnosis_case *p, int side)
{
    const struct row *r = p->r[side];
    return r->kind == ROW_INT || r->kind == ROW_FLOAT ||
           (r->kind == ROW_TENSOR && r->has & HAS_MAX && dump_row_numel(p->side[side], p->row[side]) == 1);
}

/* Whether a root follows within the next calls of this side, so that an added number is a norm's epsilon. */
static bool root_follows(const struct diagnosis_case *p)
{
    const struct dump *d = p->side[TARGET];
    for (uint32_t c = p->call + 1; c < d->calls.n && c <= p->call + 3; c++)
        if (str_ihas(dump_call_name(d, c), "sqrt"))
            return true;
    return false;
}

#define NEXT_CALLS 8 /* through which positions are followed to the comparison that makes a mask of them */

/* Whether what this side's call gives, an index moved by a number, bounds a mask. */
static bool mask_follows(const struct diagnosis_case *p)
{
    const struct dump *d = p->side[TARGET];
    uint32_t out = NONE;
    EACH_EARLY_ROW(d, p->call, r)
        out = d->rows.v[r].io == IO_OUTPUT ? r : out;
    for (uint32_t c = p->call + 1; out != NONE && c < d->calls.n && c <= p->call + NEXT_CALLS; c++)
        EACH_EARLY_ROW(d, c, r)
            if (bounds_mask(d, r) && dataflow_first(&p->flow[TARGET], r) == dataflow_first(&p->flow[TARGET], out))
                return true;
    return false;
}

static bool in_norm(const struct diagnosis_case *p)
{
    const struct call *c = &p->side[TARGET]->calls.v[p->call];
    if (c->family == FAMILY_NORM)
        return true;
    for (uint32_t up = c->parent; up != NONE; up = p->side[TARGET]->calls.v[up].parent)
        if (p->side[TARGET]->calls.v[up].family == FAMILY_NORM)
            return true;
    return c->scope != NONE && str_ihas(str_of(p->side[TARGET]->scopes.v[c->scope]), "norm");
}

/* Its name on either side; otherwise its position. */
static void name_text(const struct diagnosis_case *p, struct buf *out)
{
    for (int s = 0; s < 2; s++) {
        struct str name = argument_name(p->side[s], p->row[s]);
        if (name.n) {
            buf_str(out, name);
            return;
        }
    }
    buf_cstr(out, p->side[TARGET]->slots.v[p->r[TARGET]->slot]);
}

static void value_text(const struct row *r, struct buf *out)
{
    char n[NUM_MAX];
    if (r->text && *r->text)
        buf_cstr(out, r->text);
    else
        buf_cstr(out, num_exact(n, r->stat[STAT_MAX]));
}

/* `what` NULL: use the argument's own name. */
static void say_argument(struct diagnosis_case *p, enum diagnosis_id id, double score, const char *what,
                         const char *more)
{
    struct buf name = {0}, v[2] = {{0}, {0}};
    name_text(p, &name);
    for (int s = 0; s < 2; s++)
        value_text(p->r[s], &v[s]);
    case_found(p, id, BOTH_SIDES, score, _("%s is %s on the target and %s on the golden side%s"),
               what ? what : name.p, v[TARGET].p, v[GOLDEN].p, more);
    buf_release(&name);
    for (int s = 0; s < 2; s++)
        buf_release(&v[s]);
}

static void say_factor(struct diagnosis_case *p, double t, double g)
{
    struct buf b = {0}, more = {0};
    bool turned = (t < 0) != (g < 0) && fabs(t / g + 1) < 1e-6;
    diagnosis_factor_text(t / g, 1e-4, &b);
    buf_fmt(&more, _(", a factor of %s"), b.p);
    say_argument(p, turned ? DIAGNOSIS_SIGN : DIAGNOSIS_SCALE, 0.9, _("the factor passed to the call"), more.p);
    buf_release(&b);
    buf_release(&more);
}

/* A number that differs: its values, its name, and its call's operator family. */
struct differing_number {
    const struct diagnosis_case *p;
    double t, g;
    struct str word;
    enum family f;
};

static bool is_epsilon(const struct differing_number *n)
{
    bool small = n->t >= 0 && n->g >= 0 && n->t <= EPSILON_MOST && n->g <= EPSILON_MOST;
    bool named = argument_name(n->p->side[TARGET], n->p->row[TARGET]).n;
    bool rooted = n->f == FAMILY_ADD && n->t >= 0 && n->g >= 0 && root_follows(n->p); /* whatever its size */
    return rooted || (small && (str_ihas(n->word, "eps") || (!named && in_norm(n->p))));
}

static bool is_dropout(const struct differing_number *n)
{
    bool share = n->t >= 0 && n->g >= 0 && n->t <= 1 && n->g <= 1;
    return share && (n->f == FAMILY_RANDOM || str_ihas(n->word, "dropout") ||
                     str_ihas(align_item_operator(n->p->side[TARGET], n->p->call), "dropout"));
}

static bool is_fill(const struct differing_number *n)
{
    return fmin(n->t, n->g) <= -1e3 && (n->f == FAMILY_MUL || n->f == FAMILY_ADD || n->f == FAMILY_ELEMENTWISE);
}

/* 0 times an infinite fill is NaN. */
static bool is_infinite_fill(const struct differing_number *n)
{
    return is_fill(n) && (isinf(n->t) || isinf(n->g));
}

static bool is_base(const struct differing_number *n)
{
    return n->f == FAMILY_ELEMENTWISE && fmin(n->t, n->g) >= 1000 &&
           str_ihas(dump_call_name(n->p->side[TARGET], n->p->call), "pow");
}

static bool is_factor(const struct differing_number *n)
{
    bool scale = str_ieq(n->word, STR("scale")) || str_ihas(n->word, "scale_value") ||
                 str_ieq(n->word, STR("scaling"));
    return (n->f == FAMILY_MUL || scale) && n->t && n->g && isfinite(n->t) && isfinite(n->g);
}

static bool is_mask_bound(const struct differing_number *n)
{
    return n->f == FAMILY_ADD && mask_follows(n->p);
}

static bool is_added(const struct differing_number *n)
{
    return n->f == FAMILY_ADD && isfinite(n->t) && isfinite(n->g);
}

/* What a number may be by its name or call; the first that holds is said. A factor has words of its own. */
static const struct {
    bool (*is)(const struct differing_number *);
    enum diagnosis_id id;
    double score;
    const char *what, *more;
} meanings[] = {
    {is_epsilon, DIAGNOSIS_EPSILON, 1, N_("the epsilon of the norm"), NULL},
    {is_dropout, DIAGNOSIS_DROPOUT, 1, N_("the dropout probability"), NULL},
    {is_infinite_fill, DIAGNOSIS_MASK, 0.9, N_("the fill value of masked positions"), N_("; 0 times infinity is NaN")},
    {is_fill, DIAGNOSIS_MASK, 0.9, N_("the fill value of masked positions"), NULL},
    {is_base, DIAGNOSIS_ROPE, 0.8, N_("the base of the powers"), NULL},
    {is_factor, DIAGNOSIS_SCALE, 0.9, NULL, NULL},
    {is_mask_bound, DIAGNOSIS_MASK, 0.9, N_("the number of positions by which the mask's bound is moved"), NULL},
    {is_added, DIAGNOSIS_OFFSET, 0.8, N_("the number added"), NULL},
};

/* Whether the meaning of a number follows from its name or call. */
static bool number_is_known(struct diagnosis_case *p, double t, double g)
{
    struct buf name = {0};
    name_text(p, &name);
    struct differing_number n = {p, t, g, buf_view(&name), (enum family)p->side[TARGET]->calls.v[p->call].family};
    size_t i = 0;
    while (i < ARRAY_LEN(meanings) && !meanings[i].is(&n))
        i++;
    buf_release(&name);
    if (i == ARRAY_LEN(meanings))
        return false;
    if (meanings[i].what)
        say_argument(p, meanings[i].id, meanings[i].score, _(meanings[i].what),
                     meanings[i].more ? _(meanings[i].more) : "");
    else
        say_factor(p, t, g);
    return true;
}

/* A number that only the figures before and after the call show: nobody recorded the argument. */
void detect_implied_constant(struct diagnosis_case *p)
{
    if (p->judged->rule != RULE_CONSTANT)
        return;
    struct implied_constant c[2] = {implied_constant_of(p->side[TARGET], p->row[TARGET]),
                                    implied_constant_of(p->side[GOLDEN], p->row[GOLDEN])};
    bool small = fabs(c[TARGET].value) <= EPSILON_MOST && fabs(c[GOLDEN].value) <= EPSILON_MOST;
    bool epsilon = !c[TARGET].factor && small && (patient_before_root(p) || in_norm(p));
    char n[2][NUM_MAX];
    case_found(p, epsilon ? DIAGNOSIS_EPSILON : DIAGNOSIS_ARGUMENT, BOTH_SIDES, 1,
               epsilon ? _("before the square root, %s is added on the target and %s on the golden side, by the "
                           "figures before and after the call")
               : c[TARGET].factor ? _("the call multiplies by %s on the target and by %s on the golden side, by the "
                                      "figures before and after it")
                                  : _("the call adds %s on the target and %s on the golden side, by the figures "
                                      "before and after it"),
               num_cell(n[TARGET], c[TARGET].value, 3), num_cell(n[GOLDEN], c[GOLDEN].value, 3));
}

void detect_fused_scale(struct diagnosis_case *p)
{
    int s = p->row[TARGET] == NONE ? GOLDEN : TARGET;
    double scale[2];
    char n[2][NUM_MAX];
    struct buf factor = {0};
    scale[s] = p->side[s]->rows.v[p->row[s]].stat[STAT_MAX];
    scale[!s] = (double)p->judged->limit;
    diagnosis_factor_text(scale[TARGET] / scale[GOLDEN], 1e-4, &factor);
    case_found(p, DIAGNOSIS_SCALE, BOTH_SIDES, 0.9,
               _("%s is %s on the target and %s on the golden side, a factor of %s"),
               _("the number that gives the scale of attention"),
               num_cell(n[0], scale[TARGET], 6), num_cell(n[1], scale[GOLDEN], 6), factor.p);
    buf_release(&factor);
}

/* Whether a view's sizes and positions just follow the shape of its input. */
static bool follows_shapes(const struct diagnosis_case *p)
{
    enum family f = (enum family)p->side[TARGET]->calls.v[p->call].family;
    return f == FAMILY_VIEW || f == FAMILY_COPY || f == FAMILY_COLLECTIVE;
}

void detect_argument(struct diagnosis_case *p)
{
    bool numbers = argument_is_number(p, TARGET) && argument_is_number(p, GOLDEN);
    if (p->r[TARGET]->kind == ROW_TENSOR && p->r[GOLDEN]->kind == ROW_TENSOR)
        return;
    if ((numbers && number_is_known(p, p->r[TARGET]->stat[STAT_MAX], p->r[GOLDEN]->stat[STAT_MAX])) ||
        follows_shapes(p))
        return;
    if (p->r[TARGET]->kind != ROW_TENSOR && p->r[GOLDEN]->kind != ROW_TENSOR && p->r[TARGET]->kind != ROW_OTHER &&
        p->r[GOLDEN]->kind != ROW_OTHER)
        say_argument(p, DIAGNOSIS_ARGUMENT, 0.9, NULL, "");
}

/* ---- unpaired arguments of a deviating output ---- */

static bool arguments_comparable(const struct diagnosis_case *p, const uint32_t call[2])
{
    for (int s = 0; s < 2; s++)
        if (p->side[s]->calls.v[call[s]].kind != CALL_API)
            return false;
    return family_operator(align_item_operator(p->side[0], call[0])) ==
           family_operator(align_item_operator(p->side[1], call[1]));
}

/* The default of an omitted argument as a row. */
static bool default_row(const struct dump *d, uint32_t call, struct str name, struct row *out, char text[NUM_MAX])
{
    struct str value = left_out_value(d, call, name);
    double number = left_out_number(d, call, name);
    bool truth = str_is(value, "True") || str_is(value, "False");
    if (!value.n || value.n >= NUM_MAX)
        return false;
    if (isnan(number)) {
        memcpy(text, value.p, value.n);
        text[value.n] = 0;
    } else {
        num_exact(text, number);
    }
    *out = (struct row){.call = call,
                        .io = IO_INPUT,
                        .kind = truth            ? ROW_BOOL
                                : !isnan(number) ? ROW_FLOAT
                                                 : ROW_STR,
                        .text = text,
                        .extra = NONE,
                        .shape = NONE};
    out->stat[STAT_MAX] = truth ? str_is(value, "True") : number;
    return true;
}

static bool is_numeric(const struct row *r)
{
    return r->kind == ROW_INT || r->kind == ROW_FLOAT || r->kind == ROW_BOOL;
}

static bool scalars_unlike(const struct row *t, const struct row *g)
{
    if (is_numeric(t) != is_numeric(g))
        return false;
    return is_numeric(t) ? fabs(t->stat[STAT_MAX] - g->stat[STAT_MAX]) > 1e-6 * fabs(g->stat[STAT_MAX])
                         : t->kind == g->kind && t->text && g->text && strcmp(t->text, g->text) != 0;
}

/* The other side's argument with that name, or its default; false if unknown or allowed to differ. */
static bool other_value(const struct diagnosis_case *p, int side, struct named_argument a, uint32_t call,
                        struct diagnosis_case *out, struct row *left_out, char text[NUM_MAX])
{
    struct named_argument all[ARGUMENTS_MOST];
    int n = arguments_named(p->side[!side], call, all);
    for (int i = 0; i < n; i++)
        if (str_eq(all[i].name, a.name)) {
            out->row[!side] = all[i].row;
            out->r[!side] = &p->side[!side]->rows.v[all[i].row];
            return argument_same(p->side[side], a, p->side[!side], all[i]);
        }
    out->r[!side] = left_out;
    return default_row(p->side[!side], call, a.name, left_out, text);
}

static void against_other(struct diagnosis_case *p, int side, struct named_argument a, uint32_t call)
{
    struct diagnosis_case q = *p;
    struct row left_out;
    char text[NUM_MAX];
    q.row[side] = a.row;
    q.r[side] = &p->side[side]->rows.v[a.row];
    if (other_value(p, side, a, call, &q, &left_out, text) && scalars_unlike(q.r[TARGET], q.r[GOLDEN]))
        detect_argument(&q);
}

void detect_call_arguments(struct diagnosis_case *p)
{
    const uint32_t call[2] = {p->r[TARGET]->call, p->r[GOLDEN]->call};
    if (p->r[TARGET]->io != IO_OUTPUT || p->side[TARGET]->calls.v[call[TARGET]].phase != PHASE_FORWARD ||
        p->side[TARGET]->calls.v[call[TARGET]].family == FAMILY_VIEW || !arguments_comparable(p, call) ||
        !patient_inputs_agree(p))
        return;
    for (int side = 0; side < 2; side++) {
        struct named_argument a[ARGUMENTS_MOST];
        int n = arguments_named(p->side[side], call[side], a);
        for (int i = 0; i < n; i++) {
            const char *slot = p->side[side]->slots.v[p->side[side]->rows.v[a[i].row].slot];
            if (strchr(slot, '.') == strrchr(slot, '.')) /* not inside a list */
                against_other(p, side, a[i], call[!side]);
        }
    }
}
