/* Loads data/families.tsv once and finds a call's family: by the whole name first, then by patterns with stars. */
#include "dump/family.h"

#include <pthread.h>

#include "base/arena.h"
#include "base/embed.h"
#include "base/map.h"
#include "base/vec.h"

static const char *const names[FAMILY_COUNT] = {
    [FAMILY_OTHER] = "other",           [FAMILY_LINEAR] = "linear",
    [FAMILY_CONV] = "conv",             [FAMILY_ATTENTION] = "attention",
    [FAMILY_NORM] = "norm",             [FAMILY_EMBEDDING] = "embedding",
    [FAMILY_SOFTMAX] = "softmax",       [FAMILY_ACTIVATION] = "activation",
    [FAMILY_LOSS] = "loss",             [FAMILY_ADD] = "add",
    [FAMILY_MUL] = "mul",               [FAMILY_ELEMENTWISE] = "elementwise",
    [FAMILY_REDUCE] = "reduce",         [FAMILY_ROPE] = "rope",
    [FAMILY_VIEW] = "view",             [FAMILY_CAST] = "cast",
    [FAMILY_COPY] = "copy",             [FAMILY_RANDOM] = "random",
    [FAMILY_COLLECTIVE] = "collective", [FAMILY_OPTIMIZER] = "optimizer",
    [FAMILY_MODULE] = "module",
};

/* A pattern with stars at its ends: "*norm", "*attention*". */
struct family_pattern {
    struct str part;
    bool open_front, open_back;
    enum family family;
};

static struct {
    pthread_once_t once;
    struct arena arena;
    struct map exact, synonyms;
    VEC(struct family_pattern) patterns;
} table = {.once = PTHREAD_ONCE_INIT};

/* Lower case, without underscores, so that "__mul__" and "Mul", "layer_norm" and "LayerNorm" are equal. */
static struct str plain_operator(struct str s, char *out, size_t cap)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n && n < cap; i++) {
        char c = s.p[i];
        if (c != '_')
            out[n++] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    return str_n(out, n);
}

static enum family by_name(struct str s)
{
    for (int f = 0; f < FAMILY_COUNT; f++)
        if (str_is(s, names[f]))
            return (enum family)f;
    return FAMILY_OTHER;
}

static void load_families(void)
{
    struct str rest = embed_str(&embed_families_tsv), line, family, word;
    while (rest.n) {
        line = str_next(&rest, '\n');
        if (!line.n || line.p[0] == '#' || !str_split(line, '\t', &family, &line))
            continue;
        enum family f = by_name(family);
        bool synonyms = str_is(family, "=");
        uint32_t first = (uint32_t)table.synonyms.n + 1;
        while (line.n) {
            word = str_next(&line, ' ');
            if (!word.n)
                continue;
            if (synonyms) {
                char tmp[128];
                map_add(&table.synonyms, arena_str(&table.arena, plain_operator(word, tmp, sizeof tmp)), first);
                continue;
            }
            struct family_pattern p = {.family = f};
            if (word.p[0] == '*') {
                p.open_front = true;
                word = str_cut(word, 1);
            }
            if (word.n && word.p[word.n - 1] == '*') {
                p.open_back = true;
                word.n--;
            }
            char tmp[128];
            p.part = arena_str(&table.arena, plain_operator(word, tmp, sizeof tmp));
            if (p.open_front || p.open_back)
                vec_push(&table.patterns, p);
            else
                map_add(&table.exact, p.part, f);
        }
    }
}

const char *family_name(enum family f)
{
    return names[f];
}

/* "LayerNorm" for MindSpore's "LayerNormExt"; empty if the name has no such ending. */
static struct str without_ext(struct str op)
{
    if (str_ends(op, "ExtView"))
        return str_n(op.p, op.n - strlen("ExtView"));
    return str_ends(op, "Ext") ? str_n(op.p, op.n - strlen("Ext")) : str_n(op.p, 0);
}

static enum family find_plain(struct str s)
{
    uint32_t f = map_get(&table.exact, s);
    if (f != MAP_NONE)
        return (enum family)f;
    for (size_t i = 0; i < table.patterns.n; i++) {
        const struct family_pattern *p = &table.patterns.v[i];
        bool front = p->open_front || str_starts(s, p->part.p), back = p->open_back || str_ends(s, p->part.p);
        if (front && back && str_has(s, p->part.p))
            return p->family;
    }
    return FAMILY_OTHER;
}

static enum family find_family(struct str op)
{
    char tmp[128];
    pthread_once(&table.once, load_families);
    enum family f = find_plain(plain_operator(op, tmp, sizeof tmp));
    struct str rest = without_ext(op);
    return f != FAMILY_OTHER || !rest.n ? f : find_plain(plain_operator(rest, tmp, sizeof tmp));
}

/* A cache per thread: a model uses few operators again and again. */
#define RECENT 64 /* a power of two */
#define RECENT_NAME 31

enum family family_find(struct str op)
{
    static _Thread_local struct {
        char name[RECENT_NAME];
        uint8_t n, family; /* n 0: none */
    } recent[RECENT];
    if (!op.n || op.n > RECENT_NAME)
        return find_family(op);
    size_t at = hash_bytes(op.p, op.n, 1) % RECENT;
    if (recent[at].n != op.n || memcmp(recent[at].name, op.p, op.n) != 0) {
        recent[at].family = (uint8_t)find_family(op);
        recent[at].n = (uint8_t)op.n;
        memcpy(recent[at].name, op.p, op.n);
    }
    return (enum family)recent[at].family;
}

uint32_t family_operator(struct str op)
{
    char tmp[128];
    pthread_once(&table.once, load_families);
    struct str rest = without_ext(op);
    struct str s = plain_operator(rest.n ? rest : op, tmp, sizeof tmp);
    uint32_t n = map_get(&table.synonyms, s);
    return n != MAP_NONE ? n : (uint32_t)hash_bytes(s.p, s.n, 1) | 0x80000000U;
}

struct str family_plain(struct str op, char out[FAMILY_PLAIN])
{
    return plain_operator(op, out, FAMILY_PLAIN);
}

bool family_is_compute(enum family f)
{
    return f >= FAMILY_LINEAR && f <= FAMILY_LOSS;
}

bool family_hands_on(enum family f)
{
    return f == FAMILY_VIEW || f == FAMILY_CAST || f == FAMILY_COPY;
}

bool family_is_product(enum family f)
{
    return f == FAMILY_LINEAR || f == FAMILY_CONV || f == FAMILY_ATTENTION;
}
