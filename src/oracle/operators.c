/* All tables of operators that can be recomputed, and finding a name in them. */
#include "oracle/operators.h"

#include "base/mem.h"

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
};

/* Whether the word, which may begin or end with "*", matches the name, ignoring case. */
static bool word_matches(struct str word, struct str name)
{
    bool before = word.n && word.p[0] == '*', behind = word.n > 1 && word.p[word.n - 1] == '*';
    struct str core = str_n(word.p + before, word.n - before - behind);
    if (core.n > name.n)
        return false;
    size_t last = before ? name.n - core.n : 0, first = before && !behind ? last : 0;
    if (!before && !behind)
        return str_ieq(core, name);
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

static const struct operator *find_in(bool classes, struct str name)
{
    struct table_list l = list_of(classes);
    for (size_t i = 0; i < l.n; i++)
        for (const struct operator *o = l.table[i]; o->names; o++) {
            struct str rest = str_of(o->names), word;
            while (rest.n) {
                word = str_next(&rest, ' ');
                if (word_matches(word, name))
                    return o;
            }
        }
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
