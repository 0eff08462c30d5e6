/* Parses the checklist's expressions and evaluates them for one side. */
#include "config/expr.h"

#include <math.h>

#include "base/cursor.h"
#include "base/num.h"
#include "base/reading.h"
#include "config/arguments.h"

/* ---- reading ---- */

struct expr_reader {
    struct arena *arena;
    struct cursor at;
    bool bad;
};

static struct node *parse_alternatives(struct expr_reader *r);

static bool path_char(char c)
{
    return c == '_' || c == '.' || c == ':' || c == '[' || c == ']' || c == '-' || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9');
}

static struct node *make_node(struct expr_reader *r, enum node_kind kind, struct str text)
{
    struct node *n = arena_zalloc(r->arena, sizeof *n);
    n->kind = kind;
    n->text = text;
    return n;
}

static struct node *parse_call(struct expr_reader *r, struct str name)
{
    struct node *n = make_node(r, NODE_CALL, name), **end = &n->child;
    int args = 0;
    for (const struct expr_function *f = expr_functions; f->name && !n->fn; f++)
        if (str_is(name, f->name))
            n->fn = f;
    cursor_take(&r->at, "(");
    while (!r->bad && !cursor_take(&r->at, ")")) {
        *end = parse_alternatives(r);
        if (r->bad)
            return n;
        end = &(*end)->next;
        args++;
        r->bad |= !cursor_take(&r->at, ",") && cursor_peek(&r->at) != ')';
    }
    r->bad |= !n->fn || args < n->fn->min || (n->fn->max >= 0 && args > n->fn->max);
    return n;
}

static struct node *parse_atom(struct expr_reader *r)
{
    struct str word = {0};
    size_t n = 0;
    if (cursor_peek(&r->at) == '\'') {
        r->bad |= !cursor_quoted(&r->at, &word);
        return make_node(r, NODE_LITERAL, word);
    }
    bool entry = cursor_take(&r->at, "@");
    while (n < r->at.rest.n && path_char(r->at.rest.p[n]))
        n++;
    word = cursor_skip(&r->at, n);
    r->bad |= !word.n;
    if (r->bad)
        return make_node(r, NODE_LITERAL, word);
    if (entry)
        return make_node(r, NODE_ENTRY, word);
    if (str_starts(r->at.rest, "("))
        return parse_call(r, word);
    if (word.p[0] >= '0' && word.p[0] <= '9')
        return make_node(r, NODE_LITERAL, word);
    if (str_starts(word, "version:")) /* kept beside the variables under this name */
        return make_node(r, NODE_ENV, word);
    return str_starts(word, "env:") ? make_node(r, NODE_ENV, str_cut(word, 4)) : make_node(r, NODE_PATH, word);
}

static struct node *parse_alternatives(struct expr_reader *r)
{
    struct node *n = parse_atom(r);
    if (r->bad || cursor_peek(&r->at) != '|')
        return n;
    struct node *all = make_node(r, NODE_FIRST, STR(""));
    all->child = n;
    while (!r->bad && cursor_take(&r->at, "|"))
        n = n->next = parse_atom(r);
    return all;
}

struct node *expr_parse(struct arena *a, struct str text, size_t *bad)
{
    struct expr_reader r = {.arena = a, .at = {text, " "}};
    struct node *n = parse_alternatives(&r);
    *bad = text.n - r.at.rest.n;
    return r.bad || cursor_peek(&r.at) ? NULL : n;
}

/* ---- values ---- */

struct str value_unquoted(struct str t)
{
    t = str_trim(t);
    if (t.n > 1 && (t.p[0] == '\'' || t.p[0] == '"') && t.p[t.n - 1] == t.p[0])
        return str_n(t.p + 1, t.n - 2);
    return t;
}

struct value value_of_text(struct str text)
{
    struct value v = {.state = VALUE_SET, .dflt = true, .text = value_unquoted(text)};
    v.number = reading_number(v.text, &v.num) == READING_VALUE && !isnan(v.num);
    return v;
}

struct value value_number(struct scope *s, double x)
{
    char tmp[NUM_MAX];
    struct value v = {.state = VALUE_SET, .dflt = true, .number = true, .num = x};
    v.text = arena_str(s->arena, str_of(num_exact(tmp, x)));
    return v;
}

struct value value_bool(bool x)
{
    return (struct value){.state = VALUE_SET, .dflt = true, .text = x ? STR("True") : STR("False")};
}

bool value_true(const struct value *v)
{
    static const char *const no[] = {"false", "off", "no", "none", "null", "[]", "()", ""};
    if (v->state != VALUE_SET || (v->number && v->num == 0))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(no); i++)
        if (str_ieq(v->text, str_of(no[i])))
            return false;
    return true;
}

bool value_equal(const struct value *a, const struct value *b)
{
    if (a->number && b->number)
        return a->num == b->num || (isfinite(a->num) && isfinite(b->num) &&
                                    fabs(a->num - b->num) <= 1e-9 * fmax(fabs(a->num), fabs(b->num)));
    return str_ieq(a->text, b->text);
}

/* ---- evaluating ---- */

static struct value from_setting(const struct setting *x)
{
    struct value v = value_of_text(x->value);
    v.key = x->spelled;
    v.dflt = x->dflt;
    v.state = x->state == SETTING_OPEN ? VALUE_OPEN : x->state == SETTING_NULL ||
              settings_null(v.text) ? VALUE_NONE : VALUE_SET;
    return v;
}

static struct str flag_spelling(struct scope *s, struct str name)
{
    struct buf b = {0};
    buf_cstr(&b, "--");
    for (size_t i = 0; i < name.n; i++)
        buf_char(&b, name.p[i] == '_' ? '-' : name.p[i]);
    struct str out = arena_str(s->arena, buf_view(&b));
    buf_release(&b);
    return out;
}

static struct value path_value(struct scope *s, struct str path)
{
    const struct settings *side = s->side[s->at];
    const struct setting *x = settings_find(side, path);
    struct str d;
    if (x)
        return from_setting(x);
    /* verl's documents have sections of their own, which no other file has */
    unsigned told = str_starts(path, "args.") ? side->sections & SECTION_TRAINING :
                    str_starts(path, "verl.") ? side->sections : side->sections & SECTION_MODEL;
    if (side->partial || (side->dialect == DIALECT_HF && !told))
        return (struct value){.state = VALUE_CLOSED};
    struct value v = {.state = VALUE_NONE};
    if (side->dialect == DIALECT_MEGATRON && argument_default(path, &d)) {
        v = value_of_text(d);
        v.key = side->flags ? flag_spelling(s, path) : path;
    }
    return v;
}

static struct value env_value(struct scope *s, struct str name)
{
    const struct settings *side = s->side[s->at];
    const struct setting *x = settings_env(side, name);
    struct value v = {.state = side->env_known && !str_starts(name, "version:") ? VALUE_NONE : VALUE_CLOSED};
    if (x) {
        v = value_of_text(x->value);
        v.dflt = false;
        v.state = x->state == SETTING_OPEN ? VALUE_OPEN : VALUE_SET;
    }
    v.key = name;
    return v;
}

/* Precedence: a value that was set, a default, an open or absent one; of equals the first. */
static int value_precedence(const struct value *v)
{
    switch (v->state) {
    case VALUE_SET:
        return v->dflt ? 3 : 4;
    case VALUE_OPEN:
        return 4;
    case VALUE_CLOSED:
        return 2;
    default:
        return 1;
    }
}

static struct value first_of(struct scope *s, const struct node *n)
{
    struct value best = {.state = VALUE_NONE};
    int have = 0;
    for (const struct node *c = n->child; c && have < 4; c = c->next) {
        struct value v = expr_value(s, c);
        if (c->kind == NODE_ENTRY && c != n->child)
            v.dflt = true;
        if (v.state == VALUE_SET && v.dflt && have == 2)
            continue; /* a default says nothing if the value is unknown */
        struct str key = best.key;
        if (value_precedence(&v) > have) {
            have = value_precedence(&v);
            best = v;
            if (!best.key.n)
                best.key = key; /* the setting that would have told */
        }
    }
    return best;
}

struct value expr_value(struct scope *s, const struct node *n)
{
    if (!n)
        return (struct value){.state = VALUE_ABSENT};
    switch (n->kind) {
    case NODE_PATH:
        return path_value(s, n->text);
    case NODE_ENV:
        return env_value(s, n->text);
    case NODE_LITERAL:
        return value_of_text(n->text);
    case NODE_ENTRY:
        return s->entry(s, n->text);
    case NODE_FIRST:
        return first_of(s, n);
    case NODE_CALL:
        return n->fn->call(s, n->child);
    }
    return (struct value){.state = VALUE_ABSENT};
}
