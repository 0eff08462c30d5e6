/* The table of comparison methods for checks, each a function from two values to a state; each entry of the checklist
 * names one. */
#include "config/check_ways.h"

#include <math.h>

#include "base/io.h"
#include "base/reading.h"

static bool is_value_set(const struct value *v)
{
    return v->state == VALUE_SET;
}

static bool is_below_limit(const struct value *v, struct str limit)
{
    double most;
    return v->number && reading_number(limit, &most) == READING_VALUE && v->num < most;
}

bool check_wanted(const struct value *v, struct str want)
{
    struct str one;
    while (want.n) {
        one = str_next(&want, '|');
        one = str_trim(one);
        struct value w = value_of_text(one);
        if (!is_value_set(v) ? str_is(w.text, "unset") : str_starts(one, "<") ? is_below_limit(v, str_cut(one, 1))
            : value_equal(v, &w))
            return true;
    }
    return false;
}

static bool any_values_equal(const struct check_result *j)
{
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            const struct value *t = a ? j->accept[0] : j->value[0], *g = b ? j->accept[1] : j->value[1];
            if (t && g && is_value_set(t) && is_value_set(g) && value_equal(t, g))
                return true;
        }
    return false;
}

/* States that need no comparison; false if there are two values. */
static bool without_values(const struct check_result *j, enum check_state *state, enum check_why *why)
{
    const struct value *t = j->value[0], *g = j->value[1];
    if (is_value_set(t) && is_value_set(g))
        return false;
    *state = CHECK_UNKNOWN;
    *why = WHY_NOT_TOLD;
    if (t->state == VALUE_OPEN || g->state == VALUE_OPEN) {
        *why = WHY_OPEN;
    } else if (is_value_set(t) || is_value_set(g)) {
        const struct value *one = is_value_set(t) ? t : g, *other = is_value_set(t) ? g : t;
        *why = WHY_ONE_SIDED;
        if (other->state == VALUE_NONE && !one->dflt)
            *state = CHECK_MISSING;
        else if (j->want[one == g].n && !check_wanted(one, j->want[one == g])) {
            *state = CHECK_ADVICE;
            *why = WHY_UNWANTED_ONE;
        }
    }
    return true;
}

/* Equal values pass, unless something else is recommended. */
static enum check_state check_same_values(const struct check_result *j, enum check_why *why)
{
    for (int s = 0; s < 2; s++)
        if (j->want[s].n && !check_wanted(j->value[s], j->want[s])) {
            *why = WHY_UNWANTED;
            return CHECK_ADVICE;
        }
    return CHECK_OK;
}

static enum check_state judge_equal(const struct check_result *j, enum check_why *why)
{
    enum check_state state;
    if (j->value[0]->twofold || j->value[1]->twofold) /* of the two, one is wrong whatever the other side has */
        return CHECK_DIFFERS;
    if (without_values(j, &state, why))
        return state;
    return any_values_equal(j) ? check_same_values(j, why) : CHECK_DIFFERS;
}

/* Types that agree if both are the wanted one or neither is: the option only switches it on. */
static enum check_state judge_alike(const struct check_result *j, enum check_why *why)
{
    enum check_state state;
    struct value want = value_of_text(STR("float32"));
    if (without_values(j, &state, why))
        return state;
    if (value_equal(j->value[0], &want) != value_equal(j->value[1], &want))
        return CHECK_DIFFERS;
    return check_same_values(j, why);
}

/* Lists of layers, compared up to the shorter one (another check counts the layers). */
static enum check_state judge_layers(const struct check_result *j, enum check_why *why)
{
    enum check_state state;
    if (without_values(j, &state, why))
        return state;
    struct str a = j->value[0]->text, b = j->value[1]->text;
    size_t n = a.n < b.n ? a.n : b.n;
    return memcmp(a.p, b.p, n) == 0 && n ? CHECK_OK : CHECK_DIFFERS;
}

/* Each side against the wanted value. `unset`: the state if the value is wrong because nobody set it; a default counts
 * as not set if `defaults` is true. */
static enum check_state check_against(const struct check_result *j, enum check_why *why, enum check_state unset,
                                      bool defaults)
{
    int judged = 0, broken = 0, undecided = 0;
    *why = WHY_NOT_TOLD;
    for (int s = 0; s < 2; s++) {
        const struct value *v = j->value[s];
        if (!j->want[s].n || (v->state != VALUE_SET && v->state != VALUE_NONE)) {
            if (v->state == VALUE_OPEN)
                *why = WHY_OPEN;
            continue;
        }
        judged++;
        if (check_wanted(v, j->want[s]))
            continue;
        broken++;
        undecided += v->state == VALUE_NONE || (defaults && v->dflt);
    }
    if (!judged)
        return CHECK_UNKNOWN;
    *why = WHY_NONE;
    if (!broken)
        return CHECK_OK;
    if (undecided == broken)
        *why = WHY_UNSET;
    if (broken == 2) {
        *why = WHY_UNWANTED;
        return CHECK_ADVICE;
    }
    return undecided == broken ? unset : CHECK_DIFFERS;
}

static enum check_state judge_want(const struct check_result *j, enum check_why *why)
{
    return check_against(j, why, CHECK_ADVICE, true);
}

/* Environment variables: one that is not set has its default; without a default it is missing. */
static enum check_state judge_env(const struct check_result *j, enum check_why *why)
{
    return check_against(j, why, CHECK_MISSING, false);
}

/* A recommendation only: never a difference. */
static enum check_state judge_suggest(const struct check_result *j, enum check_why *why)
{
    enum check_state s = check_against(j, why, CHECK_ADVICE, true);
    if (s == CHECK_DIFFERS) {
        *why = WHY_UNWANTED_ONE;
        return CHECK_ADVICE;
    }
    return s;
}

/* Set on both sides, whatever to. */
static enum check_state judge_present(const struct check_result *j, enum check_why *why)
{
    bool t = is_value_set(j->value[0]) || j->value[0]->state == VALUE_OPEN,
         g = is_value_set(j->value[1]) || j->value[1]->state == VALUE_OPEN;
    if (t && g)
        return CHECK_OK;
    for (int s = 0; s < 2; s++)
        if (j->value[s]->state == VALUE_CLOSED || j->value[s]->state == VALUE_ABSENT) {
            *why = WHY_ONE_SIDED;
            return CHECK_UNKNOWN;
        }
    *why = t || g ? WHY_ONE_SIDED : WHY_UNSET;
    return t || g ? CHECK_MISSING : CHECK_ADVICE;
}

static enum check_state judge_manual(const struct check_result *j, enum check_why *why)
{
    (void)j;
    *why = WHY_MANUAL;
    return CHECK_ADVICE;
}

/* Compared if both sides have it; otherwise left to the user. */
static enum check_state judge_agree(const struct check_result *j, enum check_why *why)
{
    return is_value_set(j->value[0]) && is_value_set(j->value[1]) ? judge_equal(j, why) : judge_manual(j, why);
}

/* Fused operators: on the same hardware both sides use them or neither does; on different hardware they are other
 * kernels anyway, so that the place to look is the operator. */
static enum check_state judge_fused(const struct check_result *j, enum check_why *why)
{
    enum check_state state = judge_agree(j, why);
    if (state != CHECK_DIFFERS || j->same_hardware)
        return state;
    *why = WHY_HARDWARE;
    return CHECK_ADVICE;
}

/* What each side does by default need not be the same; only a choice that somebody made tells. */
static enum check_state judge_chosen(const struct check_result *j, enum check_why *why)
{
    bool chosen = !j->value[0]->dflt || !j->value[1]->dflt;
    return is_value_set(j->value[0]) && is_value_set(j->value[1]) && chosen ? judge_equal(j, why)
           : judge_manual(j, why);
}

/* Against what is wanted where the files tell it; otherwise left to the user. */
static enum check_state judge_confirm(const struct check_result *j, enum check_why *why)
{
    return is_value_set(j->value[0]) || is_value_set(j->value[1]) ? judge_want(j, why) : judge_manual(j, why);
}

/* A feature with settings of its own: off on both sides passes; if on, the user compares its settings. */
static enum check_state judge_off(const struct check_result *j, enum check_why *why)
{
    enum check_state state;
    if (without_values(j, &state, why))
        return state;
    if (value_true(j->value[0]) != value_true(j->value[1]))
        return CHECK_DIFFERS;
    return value_true(j->value[0]) ? judge_manual(j, why) : CHECK_OK;
}

/* Names of public data sets, as paths have them. */
static const char *const data_sets[] = {
    "wikitext", "wikipedia", "wiki",         "alpaca",   "openwebtext", "redpajama",  "slimpajama", "fineweb",
    "dolma",    "belle",     "sharegpt",     "ultrachat", "gsm8k",      "advertisegen", "skypile",  "wudao",
    "dclm",     "bookcorpus", "starcoder",   "ptb",      "enwik8",      "pile",       "c4",         "oscar",
};

/* Whether a path has this name at i, as a word: "wiki" is in "wiki_text" and "wiki4096", not in "wikitext". */
static bool named_at(struct str path, size_t i, const char *name)
{
    size_t n = strlen(name);
    char before = i ? (char)(path.p[i - 1] | 32) : '/', after = i + n < path.n ? (char)(path.p[i + n] | 32) : '/';
    bool joined = (before >= 'a' && before <= 'z') || (i && path.p[i - 1] >= '0' && path.p[i - 1] <= '9') ||
                  (after >= 'a' && after <= 'z');
    return !joined && i + n <= path.n && str_ieq(str_n(path.p + i, n), str_of(name));
}

/* The data set that a path names last, NULL: none that is known. Both texts of Wikipedia are one: "wiki_text" is what
 * tutorials call wikitext. */
static const char *data_set(struct str path)
{
    for (size_t i = path.n; i-- > 0;)
        for (size_t k = 0; k < ARRAY_LEN(data_sets); k++)
            if (named_at(path, i, data_sets[k]))
                return strncmp(data_sets[k], "wiki", 4) == 0 ? "wiki" : data_sets[k];
    return NULL;
}

/* A file of Megatron's indexed form has one name wherever it lies. */
static bool is_indexed_dataset(struct str path)
{
    return str_ends(path, "_document") || str_ends(path, "_sentence");
}

#define MIXED 64
/* What training data is mixed of: paths, perhaps each behind its weight, as a list or as words. */
struct mixture {
    size_t n;
    struct str path[MIXED];
    double weight[MIXED], all;
};

static struct mixture parse_mixture(struct str s)
{
    struct mixture m = {0};
    double weight = 1, x;
    for (size_t i = 0, n; i < s.n; i += n) {
        for (n = 0; i + n < s.n && !strchr(" ,[]'\"\t", s.p[i + n]);)
            n++;
        struct str word = str_n(s.p + i, n);
        if (reading_number(word, &x) == READING_VALUE) {
            weight = x;
        } else if (n && m.n < MIXED) {
            m.path[m.n] = word;
            m.weight[m.n++] = weight;
            m.all += weight;
            weight = 1;
        }
        n += n == 0;
    }
    return m;
}

/* Directories and forms of files differ between machines, the data's own name does not. Left to the user where the
 * names do not tell. */
static enum check_state judge_path(struct str a, struct str b)
{
    const char *x = data_set(a), *y = data_set(b);
    if (str_eq(path_base(a), path_base(b)))
        return CHECK_OK;
    if (x && y)
        return strcmp(x, y) == 0 ? CHECK_ADVICE : CHECK_DIFFERS;
    return is_indexed_dataset(a) && is_indexed_dataset(b) ? CHECK_DIFFERS : CHECK_ADVICE;
}

/* Paths of the training data, mixtures part by part. */
static enum check_state judge_dataset(const struct check_result *j, enum check_why *why)
{
    if (!is_value_set(j->value[0]) || !is_value_set(j->value[1]))
        return judge_manual(j, why);
    struct mixture a = parse_mixture(j->value[0]->text), b = parse_mixture(j->value[1]->text);
    enum check_state worst = CHECK_OK;
    if (a.n != b.n)
        return CHECK_DIFFERS;
    for (size_t i = 0; i < a.n && worst != CHECK_DIFFERS; i++) {
        enum check_state one = judge_path(a.path[i], b.path[i]);
        if (fabs(a.weight[i] / a.all - b.weight[i] / b.all) > 1e-3)
            return CHECK_DIFFERS;
        worst = one == CHECK_OK ? worst : one;
    }
    return worst == CHECK_ADVICE ? judge_manual(j, why) : worst;
}

static const struct check_way judges[] = {
    {"equal", judge_equal},     {"alike", judge_alike},   {"layers", judge_layers}, {"want", judge_want},
    {"env", judge_env},         {"suggest", judge_suggest}, {"present", judge_present}, {"manual", judge_manual},
    {"agree", judge_agree},     {"off", judge_off},         {"dataset", judge_dataset},
    {"fused", judge_fused},     {"chosen", judge_chosen},   {"confirm", judge_confirm},
};

const struct check_way *check_way_find(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(judges); i++)
        if (str_is(name, judges[i].name))
            return &judges[i];
    return NULL;
}
