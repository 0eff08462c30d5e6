/* Counts calls and rows by operator. */
#include "oracle/oracle_operators.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/msg.h"
#include "base/num.h"
#include "oracle/recompute.h"
#include "pair/align_item.h"

typedef VEC(struct oracle_operator) operator_list;

static struct str operator_name(const struct oracle_side *s, uint32_t call)
{
    const struct operator *o = s->plan[call].operator;
    struct str word, rest;
    if (!o)
        return align_item_operator(s->dump, call);
    str_split(str_of(o->names), ' ', &word, &rest);
    if (str_starts(word, "*"))
        word = str_cut(word, 1);
    if (str_ends(word, "*"))
        word.n--;
    return word;
}

/* Tries the entry found last first: the list is short and calls of one operator are many. */
static struct oracle_operator *operator_entry(operator_list *l, struct str name, size_t *last)
{
    struct str cut = name.n < sizeof l->v->name ? name : str_n(name.p, sizeof l->v->name - 1);
    if (*last < l->n && str_is(cut, l->v[*last].name))
        return &l->v[*last];
    for (*last = 0; *last < l->n; ++*last)
        if (str_is(cut, l->v[*last].name))
            return &l->v[*last];
    struct oracle_operator x = {.worst = NAN, .row = NONE};
    snprintf(x.name, sizeof x.name, "%.*s", STR_ARG(cut));
    vec_push(l, x);
    return &l->v[*last];
}

static void count_rows(const struct oracle_side *s, operator_list *l)
{
    size_t last = 0;
    for (size_t i = 0; i < s->rows.n; i++) {
        const struct oracle_row *r = &s->rows.v[i];
        if (!r->said || oracle_row_is_recorded_gradient(s, r))
            continue;
        struct oracle_operator *x = operator_entry(l, operator_name(s, s->dump->rows.v[r->row].call), &last);
        x->rows++;
        x->wrong += oracle_row_is_wrong(r);
        if (isnan(x->worst) || r->excess > x->worst) {
            x->worst = r->excess;
            x->row = r->row;
        }
    }
}

static int worse_first(const void *a, const void *b)
{
    const struct oracle_operator *x = a, *y = b;
    if (isnan(x->worst) != isnan(y->worst))
        return isnan(x->worst) ? 1 : -1;
    if (!isnan(x->worst) && x->worst != y->worst)
        return x->worst < y->worst ? 1 : -1;
    return strcmp(x->name, y->name);
}

struct oracle_operator *oracle_operators(const struct oracle_side *s, size_t *n)
{
    operator_list l = {0};
    size_t last = 0;
    for (uint32_t c = 0; s->any && c < s->dump->calls.n; c++)
        if (s->plan[c].counted) {
            struct oracle_operator *x = operator_entry(&l, operator_name(s, c), &last);
            x->calls++;
            x->recomputed += !s->unknown[c];
        }
    count_rows(s, &l);
    vec_sort(&l, worse_first);
    *n = l.n;
    return l.v;
}

void oracle_operators_text(const struct oracle_side *s, struct buf *out)
{
    size_t n;
    struct oracle_operator *x = oracle_operators(s, &n);
    char worst[NUM_MAX];
    for (size_t i = 0; i < n; i++) {
        buf_fmt(out, _("%-28s %5u of %u calls recomputed, largest excess %s"), x[i].name, x[i].recomputed, x[i].calls,
                x[i].row == NONE ? "-" : num_cell(worst, x[i].worst, 2));
        if (x[i].wrong)
            buf_fmt(out, _(", wrong: %u"), x[i].wrong);
        buf_char(out, '\n');
    }
    free(x);
}
