/* All tables of operators that can be recomputed, and finding a name in them. */
#include "oracle/operators.h"

#include <pthread.h>

#include "base/map.h"
#include "base/vec.h"

static const struct operator *const tables[] = {
    operators_product,
    operators_convolution,
    operators_elementwise,
    operators_move,
    operators_index,
    operators_reduce,
    operators_pool,
    operators_activation,
    operators_dropout,
    operators_norm,
    operators_softmax,
    operators_attention,
    operators_rotary,
    operators_loss,
};

static const struct operator *const class_tables[] = {
    operators_norm_class,
    operators_convolution_class,
    operators_product_class,
    operators_activation_class,
    operators_move_class,
    operators_index_class,
    operators_pool_class,
    operators_dropout_class,
    operators_loss_class,
};

/* Whether the word, which begins or ends with "*", matches the name, ignoring case. */
static bool word_matches(struct str word, struct str name)
{
    bool before = word.n && word.p[0] == '*', behind = word.n > 1 && word.p[word.n - 1] == '*';
    struct str core = str_n(word.p + before, word.n - before - behind);
    if (core.n > name.n)
        return false;
    size_t last = before ? name.n - core.n : 0, first = before && !behind ? last : 0;
    for (size_t at = first; at <= last; at++)
        if (str_ieq(core, str_n(name.p + at, core.n)))
            return true;
    return false;
}

struct table_list {
    const struct operator *const *table;
    size_t n;
};

static struct table_list list_of(bool classes)
{
    return classes ? (struct table_list){class_tables, ARRAY_LEN(class_tables)}
                   : (struct table_list){tables, ARRAY_LEN(tables)};
}

const struct operator *operator_next(bool classes, const struct operator *before)
{
    struct table_list l = list_of(classes);
    bool passed = !before;
    for (size_t i = 0; i < l.n; i++)
        for (const struct operator *o = l.table[i]; o->names; o++) {
            if (passed)
                return o;
            passed = o == before;
        }
    return NULL;
}

/* The words of tables, which are lower case, and those with a "*", in their order. */
struct word_index {
    struct map whole;
    VEC(const struct operator *) of; /* per number of a whole word */
    VEC(struct pattern {
        struct str word;
        const struct operator *of;
    }) patterns;
};

static struct word_index indexes[2];

static void index_words(void)
{
    for (int classes = 0; classes < 2; classes++)
        for (const struct operator *o = NULL; (o = operator_next(classes, o));) {
            struct word_index *x = &indexes[classes];
            struct str rest = str_of(o->names), word;
            while (rest.n) {
                word = str_next(&rest, ' ');
                if (word.p[0] == '*' || word.p[word.n - 1] == '*')
                    vec_push(&x->patterns, ((struct pattern){word, o}));
                else if (map_add(&x->whole, word, (uint32_t)x->of.n) == x->of.n)
                    vec_push(&x->of, o);
            }
        }
}

#define LONGEST_WORD 64

static const struct operator *find_in(bool classes, struct str name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct word_index *x = &indexes[classes];
    char lower[LONGEST_WORD];
    pthread_once(&once, index_words);
    for (size_t i = 0; i < name.n && name.n <= sizeof lower; i++)
        lower[i] = name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] - 'A' + 'a') : name.p[i];
    uint32_t at = name.n <= sizeof lower ? map_get(&x->whole, str_n(lower, name.n)) : MAP_NONE;
    if (at != MAP_NONE)
        return x->of.v[at];
    for (size_t i = 0; i < x->patterns.n; i++)
        if (word_matches(x->patterns.v[i].word, name))
            return x->patterns.v[i].of;
    return NULL;
}

const struct operator *operator_find(struct str name)
{
    return find_in(false, name);
}

const struct operator *operator_find_class(struct str name)
{
    return find_in(true, name);
}
