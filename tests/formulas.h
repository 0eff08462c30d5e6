/* Formulas of the oracle run by themselves: a call made of a line of text (formula_cases.h), its candidates' values. */
#ifndef TESTS_FORMULAS_H
#define TESTS_FORMULAS_H

#include "support.h"

#include "base/mem.h"
#include "oracle/operators.h"

enum { FORMULA_ARGUMENTS = 12, FORMULA_ITEMS = 8 };

struct made_call {
    struct call_values c;
    struct arena arena;
    struct value place[FORMULA_ARGUMENTS];
    struct named_value keyword[FORMULA_ARGUMENTS];
    struct real_tensor result, gradient;
    int tensors;
};

static inline struct real_tensor tensor_of_shape(struct made_call *m, const char *text)
{
    int64_t shape[REAL_AXES];
    int axes = 0;
    while (*text) {
        char *end;
        shape[axes++] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    return real_new(&m->c, axes, shape);
}

static inline void tensor_value(struct made_call *m, const char *word, struct value *v)
{
    char kind = word[0];
    const char *shape = kind == 'I' ? strchr(word, ':') + 1 : word + 1;
    int t = m->tensors++;
    v->kind = VALUE_TENSOR;
    v->tensor = tensor_of_shape(m, shape);
    v->tensor.dtype = kind == 'I' ? DTYPE_I64 : kind == 'B' ? DTYPE_BOOL : DTYPE_F64;
    for (int64_t i = 0; i < v->tensor.count; i++) {
        double x = sin(1 + 0.7 * (double)i + 1.3 * t);
        v->tensor.v[i] = kind == 'P'   ? 0.3 + fabs(x)
                         : kind == 'B' ? x > -0.3
                         : kind == 'I' ? (double)((5 * i + 3 * t) % atoi(word + 1))
                                       : x;
    }
}

static inline void slice_value(const char *word, struct value *v)
{
    v->kind = VALUE_SLICE;
    const char *p = word + 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        v->slice[i] = strtoll(p, &end, 10);
        if (end == p)
            v->slice[i] = SLICE_OPEN;
        p = *end == ';' ? end + 1 : end;
    }
}

static inline void list_value(struct made_call *m, const char *word, struct value *v)
{
    v->kind = VALUE_LIST;
    v->item = arena_zalloc(&m->arena, FORMULA_ITEMS * sizeof *v->item);
    for (const char *p = word + 1; *p;) {
        char *end;
        v->item[v->items++] = (struct value){.kind = VALUE_NUMBER, .number = strtod(p, &end)};
        p = *end == ',' ? end + 1 : end;
    }
}

static inline void value_of_word(struct made_call *m, const char *word, struct value *v)
{
    *v = (struct value){.kind = VALUE_NONE};
    if (strchr("TPIB", word[0]))
        tensor_value(m, word, v);
    else if (word[0] == ':')
        slice_value(word, v);
    else if (word[0] == '.')
        v->kind = VALUE_ELLIPSIS;
    else if (word[0] == 'l')
        list_value(m, word, v);
    else if (word[0] == 's')
        *v = (struct value){.kind = VALUE_TEXT, .text = word + 1};
    else if (word[0] == 'n' || word[0] == 'b')
        *v = (struct value){.kind = word[0] == 'n' ? VALUE_NUMBER : VALUE_BOOL, .number = atof(word + 1)};
}

/* The next word of *text, copied; NULL behind the last. */
static inline const char *next_word(struct made_call *m, const char **text)
{
    while (**text == ' ')
        (*text)++;
    size_t n = strcspn(*text, " ");
    const char *word = n ? arena_cstr(&m->arena, str_n(*text, n)) : NULL;
    *text += n;
    return word;
}

static inline void made_call_open(struct made_call *m, const char *operator, const char *arguments)
{
    struct value *list = NULL;
    memset(m, 0, sizeof *m);
    m->c = (struct call_values){.arena = &m->arena, .operator = operator, .place = m->place, .keyword = m->keyword};
    for (const char *word; (word = next_word(m, &arguments));) {
        const char *equal = strchr(word, '=');
        if (word[0] == '[') {
            list = &m->place[m->c.places++];
            *list = (struct value){.kind = VALUE_LIST, .item = arena_zalloc(&m->arena, FORMULA_ITEMS * sizeof *list)};
        } else if (word[0] == ']') {
            list = NULL;
        } else if (list) {
            value_of_word(m, word, &list->item[list->items++]);
        } else if (equal) {
            struct named_value *k = &m->keyword[m->c.keywords++];
            k->name = arena_cstr(&m->arena, str_n(word, (size_t)(equal - word)));
            value_of_word(m, equal + 1, &k->value);
        } else {
            value_of_word(m, word, &m->place[m->c.places++]);
        }
    }
}

static inline void made_call_release(struct made_call *m)
{
    arena_release(&m->arena);
}

/* The recorded output, of that shape, its values 0 until they are set. */
static inline void made_call_result(struct made_call *m, const char *shape)
{
    m->result = tensor_of_shape(m, shape);
    m->c.result = m->c.output = &m->result;
    m->c.results = m->c.outputs = 1;
}

/* Runs a formula and forgets what an earlier one said. */
static inline void made_call_run(struct made_call *m, bool backward)
{
    const struct operator *o = operator_find(str_of(m->c.operator));
    if (!o || !(backward ? o->backward : o->forward))
        fail_msg("%s has no formula", m->c.operator);
    m->c.candidates = 0;
    m->c.candidate = NULL;
    m->c.unknown = UNKNOWN_NOT;
    m->c.backward = backward;
    (backward ? o->backward : o->forward)(&m->c);
}

static inline int64_t candidate_elements(const struct candidate *k)
{
    return k->product ? k->product->batches * k->product->rows * k->product->columns : k->y.count;
}

static inline double matrix_at(const struct matrix *x, int64_t batch, int64_t row, int64_t column)
{
    return x->v[(x->at ? x->at[batch] : 0) + row * x->row_step + column * x->column_step];
}

static inline double product_element(const struct product *p, int64_t batch, int64_t row, int64_t column, double *terms)
{
    double sum = 0;
    if (p->unfold)
        p->unfold(p, batch, row, terms);
    for (int64_t i = 0; i < p->terms; i++)
        sum += (p->unfold ? terms[i] : matrix_at(&p->a, batch, row, i)) * matrix_at(&p->b, batch, i, column);
    sum *= p->scaled ? p->factor : 1;
    return sum + (p->added ? p->addend_factor * matrix_at(&p->addend, batch, row, column) : 0);
}

/* A candidate's values; of a product computed term by term. */
static inline const double *candidate_values(struct made_call *m, const struct candidate *k)
{
    const struct product *p = k->product;
    if (!p)
        return k->y.v;
    double *y = real_array(&m->c, candidate_elements(k)), *terms = real_array(&m->c, p->terms);
    for (int64_t b = 0; b < p->batches; b++)
        for (int64_t i = 0; i < p->rows; i++)
            for (int64_t j = 0; j < p->columns; j++)
                y[p->y.at[b] + i * p->y.row_step + j * p->y.column_step] = product_element(p, b, i, j, terms);
    return y;
}

#endif
