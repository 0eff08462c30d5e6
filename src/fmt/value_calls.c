/* Families and modules of calls by what hooks are called: the last word of a path, as the module was called in the
 * model. */
#include "fmt/value_calls.h"

#include <string.h>

#include "dump/family.h"
#include "dump/role.h"

/* Roles whose part multiplies; the others are norms, places or tables. */
static enum family of_role(uint8_t role)
{
    static const struct {
        const char *name;
        enum family family;
    } roles[] = {
        {"q", FAMILY_LINEAR},      {"k", FAMILY_LINEAR},       {"v", FAMILY_LINEAR},        {"kv", FAMILY_LINEAR},
        {"qkv", FAMILY_LINEAR},    {"o", FAMILY_LINEAR},       {"gate", FAMILY_LINEAR},     {"up", FAMILY_LINEAR},
        {"down", FAMILY_LINEAR},   {"gate_up", FAMILY_LINEAR}, {"head", FAMILY_LINEAR},     {"router", FAMILY_LINEAR},
        {"norm1", FAMILY_NORM},    {"norm2", FAMILY_NORM},     {"norm_out", FAMILY_NORM},   {"q_norm", FAMILY_NORM},
        {"k_norm", FAMILY_NORM},   {"rotary", FAMILY_ROPE},    {"embed", FAMILY_EMBEDDING}, {"loss", FAMILY_LOSS},
        {"position", FAMILY_EMBEDDING},
    };
    for (size_t i = 0; i < ARRAY_LEN(roles); i++)
        if (strcmp(role_name(role), roles[i].name) == 0)
            return roles[i].family;
    return FAMILY_OTHER;
}

/* Words that people's modules are called by and no framework's operator: the beginning or the end of a name, numbers
 * removed. A position embedding may be computed, a patch embedding is a convolution. */
static enum family of_word(struct str s)
{
    static const struct {
        const char *word;
        bool front, back; /* may stand there with more around it */
        enum family family;
    } words[] = {
        {"norm", true, true, FAMILY_NORM},        {"ln", false, false, FAMILY_NORM},
        {"bn", false, false, FAMILY_NORM},        {"ln_", true, false, FAMILY_NORM},
        {"batchnorm", true, true, FAMILY_NORM},   {"layernorm", true, true, FAMILY_NORM},
        {"groupnorm", true, true, FAMILY_NORM},   {"act", false, false, FAMILY_ACTIVATION},
        {"act_", true, false, FAMILY_ACTIVATION}, {"_act", false, true, FAMILY_ACTIVATION},
        {"activation", true, true, FAMILY_ACTIVATION}, {"nonlinearity", false, false, FAMILY_ACTIVATION},
        {"drop", true, true, FAMILY_RANDOM},      {"dropout", true, true, FAMILY_RANDOM},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(s, words[i].word) || (words[i].front && str_starts(s, words[i].word)) ||
            (words[i].back && str_ends(s, words[i].word)))
            return words[i].family;
    return FAMILY_OTHER;
}

static enum family family_by_name(struct str name)
{
    struct str last = name;
    ptrdiff_t at = str_rfind(name, '#'); /* another call of the module */
    if (at > 0)
        last = name = str_n(name.p, (size_t)at);
    at = str_rfind(name, '.');
    if (at >= 0)
        last = str_cut(name, (size_t)at + 1);
    enum family f = of_role(role_find(last));
    while (last.n && last.p[last.n - 1] >= '0' && last.p[last.n - 1] <= '9')
        last.n--;
    if (f == FAMILY_OTHER && last.n)
        f = of_word(last);
    if (f == FAMILY_OTHER && last.n)
        f = family_find(last);
    return f == FAMILY_OTHER ? FAMILY_MODULE : f;
}

static uint32_t module_around(struct dump *d, struct str name)
{
    ptrdiff_t dot;
    while ((dot = str_rfind(name, '.')) > 0) {
        name.n = (size_t)dot;
        uint32_t c = map_get(&d->call_names, name);
        if (c != MAP_NONE)
            return c;
    }
    return NONE;
}

void value_calls_name(struct dump *d)
{
    for (uint32_t c = 0; c < d->calls.n; c++) {
        struct str name = dump_call_name(d, c);
        d->calls.v[c].family = (uint8_t)family_by_name(name);
        d->calls.v[c].parent = module_around(d, name);
    }
    for (uint32_t c = 0; c < d->calls.n; c++) /* "norm" may be what a model calls a module of many */
        if (d->calls.v[c].parent != NONE)
            d->calls.v[d->calls.v[c].parent].family = FAMILY_MODULE;
}
