/* Functions that expressions of the checklist can call. Most return an absent value (or one that the files do not
 * determine) unchanged, so that entries need not treat it. */
#include <math.h>

#include "base/cursor.h"
#include "base/reading.h"
#include "config/arguments.h"
#include "config/environment_forms.h"
#include "config/expr.h"

static struct value argument_value(struct scope *s, const struct node *args, int i)
{
    while (args && i--)
        args = args->next;
    return args ? expr_value(s, args) : (struct value){.state = VALUE_NONE};
}

/* The settings a value comes from: those of its parts, each once. */
static void add_key(struct scope *s, struct value *v, struct str key)
{
    struct str rest = v->key, one;
    while (rest.n) {
        one = str_next(&rest, ',');
        if (str_eq(str_trim(one), key))
            return;
    }
    if (key.n)
        v->key = v->key.n ? str_of(arena_fmt(s->arena, "%.*s, %.*s", STR_ARG(v->key), STR_ARG(key))) : key;
}

static struct value join_keys(struct scope *s, struct value v, const struct value *from)
{
    struct str rest = from->key, one;
    while (rest.n) {
        one = str_next(&rest, ',');
        add_key(s, &v, str_trim(one));
    }
    v.dflt = v.dflt && from->dflt;
    return v;
}

/* An unknown value gives an unknown result; an absent one counts as false. */
static bool is_unanswerable(const struct value *v)
{
    return v->state == VALUE_CLOSED || v->state == VALUE_OPEN;
}

/* ---- choices ---- */

static struct value f_if(struct scope *s, const struct node *args)
{
    struct value c = argument_value(s, args, 0);
    if (is_unanswerable(&c))
        return c;
    struct value v = argument_value(s, args, value_true(&c) ? 1 : 2);
    return v.state == VALUE_SET && c.state == VALUE_SET ? join_keys(s, v, &c) : v;
}

static struct value evaluate_logic(struct scope *s, const struct node *args, bool wanted)
{
    struct value out = value_bool(!wanted), open = {.state = VALUE_NONE};
    for (; args; args = args->next) {
        struct value v = expr_value(s, args);
        if (is_unanswerable(&v)) {
            open = v;
            continue;
        }
        if (value_true(&v) == wanted) {
            struct value yes = value_bool(wanted);
            yes.key = v.key;
            yes.dflt = v.state != VALUE_SET || v.dflt;
            return yes;
        }
        if (v.state == VALUE_SET)
            out = join_keys(s, out, &v);
    }
    return open.state != VALUE_NONE ? open : out;
}

static struct value f_or(struct scope *s, const struct node *args)
{
    return evaluate_logic(s, args, true);
}

static struct value f_and(struct scope *s, const struct node *args)
{
    return evaluate_logic(s, args, false);
}

static struct value as_bool(struct value v, bool yes)
{
    struct value out = value_bool(yes);
    out.key = v.key;
    out.dflt = v.state == VALUE_NONE || v.state == VALUE_ABSENT || v.dflt;
    return out;
}

static struct value f_bool(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    return is_unanswerable(&v) ? v : as_bool(v, value_true(&v));
}

static struct value f_not(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    return is_unanswerable(&v) ? v : as_bool(v, !value_true(&v));
}

static struct value f_set(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    return v.state == VALUE_CLOSED ? v : as_bool(v, v.state == VALUE_SET || v.state == VALUE_OPEN);
}

/* Whether a file contains it; unknown counts as false. */
static struct value f_known(struct scope *s, const struct node *args)
{
    struct value v = expr_value(s, args);
    return value_bool(v.state == VALUE_SET || v.state == VALUE_OPEN);
}

static struct value f_told(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    return v.state == VALUE_CLOSED ? v : as_bool(v, v.state == VALUE_OPEN || (v.state == VALUE_SET && !v.dflt));
}

/* No file that was read could contain it: for example no environment was given. */
static struct value f_closed(struct scope *s, const struct node *args)
{
    return value_bool(argument_value(s, args, 0).state == VALUE_CLOSED);
}

/* both, any: the same question to each side */
static struct value evaluate_sides(struct scope *s, const struct node *args, bool wanted)
{
    struct value out = value_bool(!wanted), open = {.state = VALUE_NONE};
    int was = s->at;
    for (s->at = 0; s->at < 2; s->at++) {
        struct value v = argument_value(s, args, 0);
        if (is_unanswerable(&v))
            open = v;
        else if (value_true(&v) == wanted) {
            s->at = was;
            return value_bool(wanted);
        }
    }
    s->at = was;
    return open.state != VALUE_NONE ? open : out;
}

static struct value f_any(struct scope *s, const struct node *args)
{
    return evaluate_sides(s, args, true);
}

static struct value f_both(struct scope *s, const struct node *args)
{
    return evaluate_sides(s, args, false);
}

static struct value f_other(struct scope *s, const struct node *args)
{
    s->at = !s->at;
    struct value v = argument_value(s, args, 0);
    s->at = !s->at;
    return v;
}

/* ---- texts ---- */

/* Whether the first argument is one of the others, or holds one of them. */
static struct value one_of(struct scope *s, const struct node *args, bool part)
{
    struct value v = argument_value(s, args, 0);
    bool yes = false;
    if (is_unanswerable(&v))
        return v;
    for (args = args->next; args && v.state == VALUE_SET; args = args->next) {
        struct value w = expr_value(s, args);
        if (!part && is_unanswerable(&w))
            return w;
        yes = yes || (part ? str_ihas(v.text, w.text.p ? arena_cstr(s->arena, w.text) : "")
                           : w.state == VALUE_SET && value_equal(&v, &w));
    }
    return as_bool(v, yes);
}

static struct value f_eq(struct scope *s, const struct node *args)
{
    return one_of(s, args, false);
}

static struct value f_has(struct scope *s, const struct node *args)
{
    return one_of(s, args, true);
}

static struct value value_with_text(struct value v, struct str text)
{
    if (!str_eq(v.text, text) && !v.how.n)
        v.how = v.text;
    v.text = text;
    v.number = reading_number(text, &v.num) == READING_VALUE && !isnan(v.num);
    return v;
}

/* map(x, from, to, …): replaces x by the value paired with it; unchanged if no pair matches */
static struct value f_map(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    for (args = args->next; args && args->next && v.state == VALUE_SET; args = args->next->next)
        if (str_ieq(v.text, args->text))
            return value_with_text(v, args->next->text);
    return v;
}

/* What follows the last dot: AttnBackend.flash */
static struct value f_tail(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    ptrdiff_t dot = v.state == VALUE_SET ? str_rfind(v.text, '.') : -1;
    return dot < 0 ? v : value_with_text(v, str_cut(v.text, (size_t)dot + 1));
}

static struct value f_dtype(struct scope *s, const struct node *args)
{
    static const char *const alias[][2] =
        {{"fp32", "float32"}, {"float", "float32"}, {"fp16", "float16"}, {"half", "float16"},
         {"bf16", "bfloat16"}, {"fp64", "float64"}, {"double", "float64"}};
    struct value v = f_tail(s, args);
    for (size_t i = 0; i < ARRAY_LEN(alias) && v.state == VALUE_SET; i++)
        if (str_ieq(v.text, str_of(alias[i][0])))
            return value_with_text(v, str_of(alias[i][1]));
    return v;
}

/* ---- versions ---- */

/* The version in a path of CANN, /usr/local/Ascend/ascend-toolkit/8.0.RC3/lib64 */
static struct value f_version_in(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    struct str rest = v.text, part;
    bool cann = false;
    if (v.state != VALUE_SET)
        return v;
    while (rest.n) {
        size_t n = 0;
        while (n < rest.n && rest.p[n] != '/' && rest.p[n] != ':')
            n++;
        part = str_n(rest.p, n);
        cann = cann && (!n || rest.p[0] != ':');
        struct str version = version_at(part);
        if (str_starts(part, "cann-")) /* /opt/cann-8.2.RC1/bin */
            version = version_at(part = str_cut(part, 5)), cann = true;
        if (cann && version.n && version.n == part.n)
            return value_with_text(v, version);
        cann = str_ihas(part, "ascend") || str_ihas(part, "cann");
        rest = str_cut(rest, n < rest.n ? n + 1 : n);
    }
    return (struct value){.state = VALUE_NONE};
}

/* Whether versions of MindFormers, MindSpore and CANN were released together: "together", what does not fit, or
 * nothing if the release is not known or not all three are. */
static struct value f_released(struct scope *s, const struct node *args)
{
    struct value of = argument_value(s, args, 0), have[2] = {argument_value(s, args, 1), argument_value(s, args, 2)};
    struct str with[2];
    static const char *const name[] = {"MindSpore", "CANN"};
    if (of.state != VALUE_SET || !released_with(of.text, &with[0], &with[1]))
        return (struct value){.state = VALUE_NONE};
    for (int i = 0; i < 2; i++)
        if (have[i].state == VALUE_SET && !version_begins(have[i].text, with[i])) {
            struct value v = join_keys(s, of, &have[i]);
            v.number = false;
            v.text = str_of(arena_fmt(s->arena, "MindFormers %.*s with %s %.*s, released for %.*s", STR_ARG(of.text),
                                      name[i], STR_ARG(have[i].text), STR_ARG(with[i])));
            return v;
        }
    bool all = have[0].state == VALUE_SET && have[1].state == VALUE_SET;
    return all ? value_of_text(STR("together")) : (struct value){.state = VALUE_NONE};
}

/* One setting in two places of a file: reported if the two differ. */
static struct value f_agree(struct scope *s, const struct node *args)
{
    struct value a = argument_value(s, args, 0), b = argument_value(s, args, 1);
    if (a.state != VALUE_SET)
        return b;
    if (b.state != VALUE_SET || value_equal(&a, &b))
        return a;
    struct value v = join_keys(s, a, &b);
    v.twofold = a.number && b.number;
    v.number = false;
    v.text = str_of(arena_fmt(s->arena, "%.*s / %.*s", STR_ARG(a.text), STR_ARG(b.text)));
    return v;
}

/* ---- numbers ---- */

static struct value f_gt(struct scope *s, const struct node *args)
{
    struct value a = argument_value(s, args, 0), b = argument_value(s, args, 1);
    if (is_unanswerable(&a))
        return a;
    return as_bool(a, a.state == VALUE_SET && a.number && b.number && a.num > b.num);
}

static struct value computed_value(struct scope *s, double x, const struct node *args, char op)
{
    struct value out = value_number(s, x);
    struct buf how = {0};
    int n = 0;
    for (; args; args = args->next, n++) {
        struct value v = expr_value(s, args);
        out = join_keys(s, out, &v);
        if (n)
            buf_char(&how, op);
        buf_str(&how, v.text);
    }
    if (n > 1)
        out.how = arena_str(s->arena, buf_view(&how));
    buf_release(&how);
    return out;
}

static struct value f_product(struct scope *s, const struct node *args)
{
    double x = 1;
    struct value bad = {.state = VALUE_SET};
    for (const struct node *n = args; n; n = n->next) {
        struct value v = expr_value(s, n);
        if (v.state == VALUE_SET && v.number && v.num == 0)
            return v; /* whatever the others are */
        if (v.state != VALUE_SET || !v.number) {
            if (bad.state == VALUE_SET)
                bad = v;
            if (bad.state == VALUE_SET)
                bad.state = VALUE_NONE;
        } else {
            x *= v.num;
        }
    }
    return bad.state != VALUE_SET ? bad : computed_value(s, x, args, '*');
}

static struct value f_div(struct scope *s, const struct node *args)
{
    struct value a = argument_value(s, args, 0), b = argument_value(s, args, 1);
    if (a.state != VALUE_SET || b.state != VALUE_SET)
        return a.state != VALUE_SET ? a : b;
    if (!a.number || !b.number || b.num == 0)
        return (struct value){.state = VALUE_NONE};
    return computed_value(s, a.num / b.num, args, '/');
}

static struct value f_floor(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    double x = v.number ? floor(v.num + 1e-9) : 0;
    if (v.state != VALUE_SET || !v.number || x == v.num)
        return v;
    struct value out = value_number(s, x);
    v.num = x;
    v.text = out.text;
    return v;
}

static struct value f_max(struct scope *s, const struct node *args)
{
    struct value best = argument_value(s, args, 0);
    for (args = args->next; args; args = args->next) {
        struct value v = expr_value(s, args);
        if (v.state == VALUE_SET && v.number && (best.state != VALUE_SET || v.num > best.num))
            best = v;
    }
    return best;
}

/* A value determined outside the files: if they do not contain it, it is open, not absent. */
static struct value f_derived(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    if (v.state == VALUE_NONE)
        v.state = VALUE_OPEN;
    return v;
}

static struct value f_default(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    v.dflt = true;
    return v;
}

/* open(x): what follows from x is not in the files, as the defaults of a model class that nobody knows. */
static struct value f_open(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    if (v.state == VALUE_SET)
        v.state = VALUE_OPEN;
    return v;
}

/* follow(x, d): d, which follows from other settings, unless x differs from it. An x equal to d was not set by
 * anyone. */
static struct value f_follow(struct scope *s, const struct node *args)
{
    struct value x = argument_value(s, args, 0), d = argument_value(s, args, 1);
    if (x.state == VALUE_NONE) {
        d.dflt = true;
        return d;
    }
    x.dflt = x.dflt || (x.state == VALUE_SET && d.state == VALUE_SET && value_equal(&x, &d));
    return x;
}

/* A limit that applies only if positive: otherwise "none". */
static struct value f_positive(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    return v.state == VALUE_SET && v.number && v.num <= 0 ? value_with_text(v, STR("none")) : v;
}

static struct value f_pad(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0), m = argument_value(s, args, 1);
    if (v.state != VALUE_SET || m.state != VALUE_SET || !v.number || !m.number || m.num < 1 || v.num > 1e15)
        return v;
    struct value out = value_number(s, ceil(v.num / m.num) * m.num);
    return join_keys(s, join_keys(s, out, &v), &m);
}

/* ---- widths of feed-forward layers ---- */

/* MindFormers (Llama): int(2 * 4 h / 3), times the multiplier, rounded up to a multiple */
static struct value f_llama_ffn(struct scope *s, const struct node *args)
{
    struct value h = argument_value(s, args, 0), mult = argument_value(s, args, 1), of = argument_value(s, args, 2);
    if (h.state != VALUE_SET || !h.number || !mult.number || !of.number || of.num < 1 || h.num > 1e12)
        return h.state == VALUE_SET ? (struct value){.state = VALUE_NONE} : h;
    double x = floor(floor(8 * h.num / 3) * mult.num);
    return join_keys(s, value_number(s, ceil(x / of.num) * of.num), &h);
}

/* Megatron with --swiglu: int(4 h * 2 / 3 / 64) * 64 */
static struct value f_swiglu_ffn(struct scope *s, const struct node *args)
{
    struct value h = argument_value(s, args, 0);
    if (h.state != VALUE_SET || !h.number)
        return h;
    return join_keys(s, value_number(s, floor(8 * h.num / 3 / 64) * 64), &h);
}

/* ---- lists ---- */

#define LIST_MAX 4096

struct list {
    double v[LIST_MAX];
    size_t n;
    struct cursor at;
    int depth;
    bool bad;
};

static double list_number(struct list *l)
{
    struct str t = l->at.rest;
    size_t n = 0;
    double v = 0;
    while (n < t.n && strchr("0123456789.eE+-", t.p[n]) && !(n && t.p[n] == '+' && (t.p[n - 1] | 32) != 'e'))
        n++;
    l->bad |= !n || reading_number(cursor_skip(&l->at, n), &v) != READING_VALUE;
    return v;
}

/* [a, b], [0]*3, ([0]*1+[1]*26): the list that Python evaluates */
static void list_sum(struct list *l)
{
    do {
        size_t from = l->n;
        cursor_take(&l->at, "+");
        if (l->depth < 8 && (cursor_take(&l->at, "(") || cursor_take(&l->at, "["))) {
            l->depth++;
            while (!l->bad && cursor_peek(&l->at) && !strchr(")]", cursor_peek(&l->at)))
                list_sum(l);
            l->depth--;
            l->bad |= !cursor_take(&l->at, ")") && !cursor_take(&l->at, "]");
        } else if (l->n < LIST_MAX) {
            cursor_peek(&l->at);
            l->v[l->n++] = list_number(l);
        } else {
            l->bad = true;
        }
        if (!l->bad && cursor_take(&l->at, "*")) {
            cursor_peek(&l->at);
            double times = list_number(l);
            size_t n = l->n - from;
            l->bad |= !(times >= 0) || times * (double)n > LIST_MAX || from + (size_t)(times * (double)n) > LIST_MAX;
            for (size_t k = 1; !l->bad && k < (size_t)times; k++)
                memcpy(l->v + from + k * n, l->v + from, n * sizeof *l->v);
            if (!l->bad)
                l->n = from + (size_t)times * n;
        }
    } while (!l->bad && cursor_peek(&l->at) == '+');
}

static bool list_read(struct list *l, struct str text)
{
    l->at = (struct cursor){value_unquoted(text), " ,"};
    l->n = 0;
    l->depth = 0;
    l->bad = false;
    while (!l->bad && cursor_peek(&l->at))
        list_sum(l);
    return !l->bad && l->n;
}

static struct value value_of_list(struct scope *s, struct value v, const double *x, size_t n)
{
    struct buf b = {0};
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_char(&b, ',');
        buf_str(&b, value_number(s, x[i]).text);
    }
    v = value_with_text(v, arena_str(s->arena, buf_view(&b)));
    v.number = false;
    buf_release(&b);
    return v;
}

/* Parts of a whole: "1, 0, 0" and "100,0,0" are the same */
static struct value f_shares(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0);
    struct list *l = arena_alloc(s->arena, sizeof *l);
    double sum = 0;
    if (v.state != VALUE_SET || !list_read(l, v.text))
        return v;
    for (size_t i = 0; i < l->n; i++)
        sum += l->v[i];
    for (size_t i = 0; i < l->n && sum > 0; i++)
        l->v[i] = round(l->v[i] / sum * 1e9) / 1e9;
    while (l->n > 1 && l->v[l->n - 1] == 0) /* parts nothing is in may be left out */
        l->n--;
    return value_of_list(s, v, l->v, l->n);
}

/* Which layers have experts, 1 each: the first k have none */
static struct value f_dense_first(struct scope *s, const struct node *args)
{
    struct value k = argument_value(s, args, 0), n = argument_value(s, args, 1);
    if (k.state != VALUE_SET || n.state != VALUE_SET)
        return k.state != VALUE_SET ? k : n;
    double first = k.number ? k.num : value_true(&k);
    if (!n.number || n.num < 1 || n.num > LIST_MAX)
        return k;
    struct list *l = arena_alloc(s->arena, sizeof *l);
    for (l->n = 0; l->n < (size_t)n.num; l->n++)
        l->v[l->n] = (double)l->n >= first;
    return value_of_list(s, k, l->v, l->n);
}

/* The same from a frequency N (every Nth layer) or a list */
static struct value f_layers(struct scope *s, const struct node *args)
{
    struct value v = argument_value(s, args, 0), n = argument_value(s, args, 1);
    struct list *l = arena_alloc(s->arena, sizeof *l);
    if (v.state != VALUE_SET)
        return v;
    if (v.number && v.num >= 1 && n.state == VALUE_SET && n.number && n.num >= 1 && n.num <= LIST_MAX) {
        for (l->n = 0; l->n < (size_t)n.num; l->n++)
            l->v[l->n] = fmod((double)l->n, floor(v.num)) == 0;
        return value_of_list(s, v, l->v, l->n);
    }
    return list_read(l, v.text) ? value_of_list(s, v, l->v, l->n) : v;
}

const struct expr_function expr_functions[] = {
    {"if", 2, 3, f_if},
    {"or", 1, -1, f_or},
    {"and", 1, -1, f_and},
    {"not", 1, 1, f_not},
    {"bool", 1, 1, f_bool},
    {"set", 1, 1, f_set},
    {"told", 1, 1, f_told},
    {"known", 1, 1, f_known},
    {"closed", 1, 1, f_closed},
    {"any", 1, 1, f_any},
    {"both", 1, 1, f_both},
    {"other", 1, 1, f_other},
    {"eq", 2, -1, f_eq},
    {"has", 2, -1, f_has},
    {"map", 3, -1, f_map},
    {"tail", 1, 1, f_tail},
    {"dtype", 1, 1, f_dtype},
    {"version_in", 1, 1, f_version_in},
    {"released", 3, 3, f_released},
    {"agree", 2, 2, f_agree},
    {"gt", 2, 2, f_gt},
    {"product", 1, -1, f_product},
    {"div", 2, 2, f_div},
    {"floor", 1, 1, f_floor},
    {"max", 2, -1, f_max},
    {"derived", 1, 1, f_derived},
    {"default", 1, 1, f_default},
    {"open", 1, 1, f_open},
    {"follow", 2, 2, f_follow},
    {"positive", 1, 1, f_positive},
    {"pad", 2, 2, f_pad},
    {"llama_ffn", 3, 3, f_llama_ffn},
    {"swiglu_ffn", 1, 1, f_swiglu_ffn},
    {"shares", 1, 1, f_shares},
    {"dense_first", 2, 2, f_dense_first},
    {"layers", 2, 2, f_layers},
    {0},
};
