/* Counts the values of a field: lines, deviating lines and the largest error of each. */
#include "table/field_values.h"

#include <math.h>

void field_values_add(struct field_values *x, const struct comparison *s, const struct field *f, uint32_t line)
{
    const struct line_judgement *j = s->judged && line < s->judged->lines ? &s->judged->line[line] : NULL;
    struct field_line l = field_line(s, line);
    struct buf text = {0};
    field_exact(&l, f, &text);
    uint32_t at = text.n ? map_get(&x->at, buf_view(&text)) : MAP_NONE;
    if (text.n && at == MAP_NONE) {
        struct str kept = arena_str(&x->arena, buf_view(&text));
        struct field_value first = {.text = kept.p, .of = s, .line = line, .worst = NAN};
        at = (uint32_t)x->v.n;
        map_set(&x->at, kept, at);
        vec_push(&x->v, first);
    }
    buf_release(&text);
    if (at == MAP_NONE)
        return;
    struct field_value *v = &x->v.v[at];
    bool bad = j && verdict_is_bad((enum verdict)j->verdict);
    if (bad && !v->bad) {
        v->of = s;
        v->line = line;
    }
    v->lines++;
    v->bad += bad;
    if (j && !isnan(j->error) && !(v->worst >= j->error))
        v->worst = j->error;
}

static int compare_field_values(const void *a, const void *b)
{
    const struct field_value *x = a, *y = b;
    float e[2] = {isnan(x->worst) ? -1 : x->worst, isnan(y->worst) ? -1 : y->worst};
    if (x->bad != y->bad)
        return x->bad > y->bad ? -1 : 1;
    if (x->bad && (e[0] > e[1] || e[0] < e[1]))
        return e[0] > e[1] ? -1 : 1;
    if (x->lines != y->lines)
        return x->lines > y->lines ? -1 : 1;
    return strcmp(x->text, y->text);
}

void field_values_sort(struct field_values *x)
{
    vec_sort(&x->v, compare_field_values);
}

void field_values_release(struct field_values *x)
{
    arena_release(&x->arena);
    map_release(&x->at);
    vec_release(&x->v);
    *x = (struct field_values){0};
}
