/* Compiles a filter's expression to a tree and matches lines with it. */
#include "table/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "table/search.h"
#include "dump/family.h"

#define DEPTH 64 /* of parentheses */

enum filter_node_kind { NODE_OR, NODE_AND, NODE_NOT, NODE_NUMBER, NODE_TEXT, NODE_PATTERN, NODE_WORD };
enum compare { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, UNEQUAL, NEAR };
enum special { FIELD_PLAIN, FIELD_NAME, FIELD_DTYPE }; /* either side's */

typedef bool word_test(const struct field_line *l);

struct filter_node {
    enum filter_node_kind kind;
    enum compare op;
    enum special special;
    const struct field *field;
    double number;
    int digits;          /* of NEAR: significant digits of the number as written */
    struct str text;
    struct search pattern;
    word_test *word;
    int family;          /* of a family's name, or -1 */
    int verdict;         /* of a verdict's sign or label, or -1 */
    struct filter_node *a, *b;
};

struct filter {
    struct arena arena;
    VEC(struct filter_node *) nodes; /* for freeing their patterns */
    struct filter_node *root;
    struct buf tmp;
};

struct parser {
    struct filter *f;
    struct cursor at;
    size_t length; /* of the whole text */
    int depth;
    struct err *e;
};

static struct filter_node *new_filter_node(struct parser *p, enum filter_node_kind kind)
{
    struct filter_node *n = arena_zalloc(&p->f->arena, sizeof *n);
    n->kind = kind;
    n->family = n->verdict = -1;
    vec_push(&p->f->nodes, n);
    return n;
}

static struct filter_node *fail_expected(struct parser *p, const char *expected)
{
    err_set(p->e, ERR_USAGE, _("filter, at character %zu: expected %s"), p->length - p->at.rest.n + 1, expected);
    return NULL;
}

/* A word, a number, "quoted" or /slashed/ text. `slashed` is set for the last. */
static bool read_filter_value(struct parser *p, struct str *out, bool *quoted, bool *slashed)
{
    char first = cursor_peek(&p->at);
    *quoted = first && strchr("\"'/", first);
    *slashed = first == '/';
    if (*quoted)
        return cursor_quoted(&p->at, out);
    size_t n = 0;
    while (n < p->at.rest.n && !strchr(" \t()<>=!~&|", p->at.rest.p[n]) && !str_starts(str_cut(p->at.rest, n), "≈"))
        n++;
    *out = cursor_skip(&p->at, n);
    return n > 0;
}

/* ---- words ---- */

static bool is_bad_line(const struct field_line *l)
{
    return l->j ? verdict_is_bad(l->j->verdict) : l->s->single && one_side_wrong(&l->s->examined, l->row[TARGET]);
}

static bool is_paired(const struct field_line *l)
{
    return l->row[TARGET] != NONE && l->row[GOLDEN] != NONE;
}

static const struct {
    const char *name;
    word_test *test;
} words[] = {{"bad", is_bad_line}, {"paired", is_paired}};

/* Fields whose values a bare word may be. */
static const char *const word_fields[] = {"verdict", "phase", "side", "io", "origin"};
static const char *const word_values[] = {
    "match drift deviate nonfinite shape dtype only skip pending",
    "forward backward optimizer",
    "target golden both",
    "input output parameter gradient",
    "name mapping sequence rule mark",
};

static const char flag_words[] = "precision doubtful statistics source unread";

/* The values a field of few can have, or NULL. */
static const char *field_words(const struct field *field)
{
    for (size_t i = 0; i < ARRAY_LEN(word_fields); i++)
        if (strcmp(field->name, word_fields[i]) == 0)
            return word_values[i];
    return NULL;
}

/* A value that the field never has would hide every row silently. */
static bool check_field_value(struct parser *p, const struct field *field, struct str text)
{
    const char *values = field_words(field);
    struct str rest = str_of(values ? values : ""), w;
    while (rest.n) {
        w = str_next(&rest, ' ');
        if (str_ieq(w, text))
            return true;
    }
    if (values)
        err_set(p->e, ERR_USAGE, _("%s is never \"%.*s\", but one of: %s"), field->name, STR_ARG(text), values);
    return !values;
}

static struct filter_node *pattern_node(struct parser *p, struct str text, bool literal)
{
    struct filter_node *n = new_filter_node(p, NODE_PATTERN);
    struct buf quoted = {0};
    n->special = FIELD_NAME;
    n->op = EQUAL;
    if (literal) /* dots of a plain word are dots */
        pattern_quote(text, &quoted);
    else
        buf_str(&quoted, text);
    int rc = search_set(&n->pattern, buf_view(&quoted), p->e);
    buf_release(&quoted);
    return rc ? NULL : n;
}

/* Rows that are shown with this sign or label. "deviates" is "deviate", which rows that inherit are in files as well;
 * a sign means the rows that have it. NULL: it is neither; a letter or "!" is no sign alone. */
static struct filter_node *shown_node(struct parser *p, struct str word)
{
    int v = verdict_shown_as(word);
    if (v < 0 || word.n < 2)
        return NULL;
    bool exact = v == VERDICT_INHERITED || v == VERDICT_IN_DOUBT || str_is(word, verdict_glyph_of((enum verdict)v));
    struct filter_node *n = new_filter_node(p, exact ? NODE_WORD : NODE_TEXT);
    n->op = EQUAL;
    n->verdict = exact ? v : -1;
    n->field = field_find(STR("verdict"));
    n->text = str_of(verdict_name((enum verdict)v));
    return n;
}

static struct filter_node *parse_filter_word(struct parser *p, struct str word, bool quoted, bool slashed)
{
    struct filter_node *n;
    for (size_t i = 0; !quoted && i < ARRAY_LEN(words); i++)
        if (str_is(word, words[i].name)) {
            n = new_filter_node(p, NODE_WORD);
            n->word = words[i].test;
            return n;
        }
    for (size_t i = 0; !quoted && i < ARRAY_LEN(word_fields); i++)
        if (str_is_word_of(word, str_of(word_values[i]))) {
            n = new_filter_node(p, NODE_TEXT);
            n->field = field_find(str_of(word_fields[i]));
            n->op = EQUAL;
            n->text = word;
            return n;
        }
    if (!quoted && str_is_word_of(word, str_of(flag_words))) {
        n = pattern_node(p, word, true);
        if (n) {
            n->special = FIELD_PLAIN;
            n->field = field_find(STR("flags"));
        }
        return n;
    }
    struct filter_node *shown = quoted ? NULL : shown_node(p, word);
    if (shown)
        return shown;
    for (int f = 0; !quoted && f < FAMILY_COUNT; f++)
        if (str_is(word, family_name((enum family)f))) {
            n = new_filter_node(p, NODE_WORD);
            n->family = f;
            return n;
        }
    return pattern_node(p, word, !slashed);
}

/* ---- grammar ---- */

static struct filter_node *negate_node(struct parser *p, struct filter_node *of)
{
    struct filter_node *n = new_filter_node(p, NODE_NOT);
    n->a = of;
    return n;
}

static struct filter_node *parse_expression(struct parser *p, int level);

static bool take_operator(struct parser *p, enum compare *op, bool *pattern)
{
    static const struct {
        const char *token;
        enum compare op;
        bool pattern;
    } ops[] = {{"≈", NEAR, false}, {"~=", NEAR, false},
               {"<=", LESS_EQUAL, false}, {">=", GREATER_EQUAL, false}, {"==", EQUAL, false}, {"!=", UNEQUAL, false},
               {"!~", UNEQUAL, true},     {"<", LESS, false},           {">", GREATER, false}, {"~", EQUAL, true}, {"=", EQUAL, false}};
    for (size_t i = 0; i < ARRAY_LEN(ops); i++)
        if (cursor_take(&p->at, ops[i].token)) {
            *op = ops[i].op;
            *pattern = ops[i].pattern;
            return true;
        }
    return false;
}

/* Significant digits a number is written with: 3 of "1.20e-4", 1 of "0.001". */
static int written_digits(struct str text)
{
    int n = 0;
    for (size_t i = 0; i < text.n && text.p[i] != 'e' && text.p[i] != 'E'; i++)
        n += text.p[i] >= '0' && text.p[i] <= '9' && (n || text.p[i] != '0');
    return n < 1 ? 1 : n > 17 ? 17 : n;
}

static struct filter_node *parse_comparison(struct parser *p, struct str name)
{
    enum compare op = EQUAL;
    bool pattern = false, quoted, slashed;
    struct str text;
    enum special special = str_is(name, "name") ? FIELD_NAME : str_is(name, "dtype") ? FIELD_DTYPE : FIELD_PLAIN;
    const struct field *field = special == FIELD_NAME ? field_find(STR("target")) : field_find(name);
    struct cursor at = p->at;
    take_operator(p, &op, &pattern);
    if (!field) {
        p->at.rest = str_n(name.p, (size_t)(p->at.rest.p + p->at.rest.n - name.p));
        return fail_expected(p, _("the name of a field"));
    }
    if (!read_filter_value(p, &text, &quoted, &slashed))
        return fail_expected(p, _("a value"));
    struct filter_node *n;
    if (pattern || slashed) {
        n = pattern_node(p, text, false);
        if (!n)
            return NULL;
    } else if (field->number) {
        n = new_filter_node(p, NODE_NUMBER);
        if (!str_double(text, &n->number)) {
            p->at = at;
            return fail_expected(p, _("a number"));
        }
        n->digits = written_digits(text);
    } else {
        if (op != EQUAL && op != UNEQUAL) {
            p->at = at;
            return fail_expected(p, _("== != ~ or !~ (this field is a text)"));
        }
        const char *values = strcmp(field->name, "verdict") == 0 ? field_words(field) : NULL;
        n = values && !str_is_word_of(text, str_of(values)) ? shown_node(p, text) : NULL;
        if (n)
            return op == EQUAL ? n : negate_node(p, n);
        if (!check_field_value(p, field, text))
            return NULL;
        n = new_filter_node(p, NODE_TEXT);
        n->text = arena_str(&p->f->arena, text);
    }
    n->op = op;
    n->special = special;
    n->field = field;
    return n;
}

static struct filter_node *parse_primary(struct parser *p)
{
    struct str word;
    bool quoted, slashed;
    if (++p->depth > DEPTH)
        return fail_expected(p, _("fewer parentheses"));
    struct filter_node *n;
    if (cursor_take(&p->at, "(")) {
        n = parse_expression(p, 0);
        if (n && !cursor_take(&p->at, ")"))
            n = fail_expected(p, "')'");
    } else if (!str_starts(p->at.rest, "!=") && !str_starts(p->at.rest, "!~") && cursor_take(&p->at, "!")) {
        struct filter_node *of = parse_primary(p);
        n = of ? negate_node(p, of) : NULL;
    } else if (cursor_take(&p->at, "≈")) { /* as a row's sign */
        n = parse_filter_word(p, STR("statistics"), false, false);
    } else if (!read_filter_value(p, &word, &quoted, &slashed)) {
        n = fail_expected(p, _("a field, a word or a pattern"));
    } else {
        char next = cursor_peek(&p->at);
        bool compared = !quoted && next && (strchr("<>=~!", next) || str_starts(p->at.rest, "≈"));
        n = compared ? parse_comparison(p, word) : parse_filter_word(p, word, quoted, slashed);
    }
    p->depth--;
    return n;
}

/* The operators of each level, from the lowest precedence to the highest; the first ones have the same precedence. */
static struct filter_node *parse_expression(struct parser *p, int level)
{
    static const struct {
        const char *sign, *word;
        enum filter_node_kind kind;
    } levels[] = {{"||", "or ", NODE_OR}, {"&&", "and ", NODE_AND}};
    if (level == ARRAY_LEN(levels))
        return parse_primary(p);
    struct filter_node *a = parse_expression(p, level + 1);
    while (a && (cursor_take(&p->at, levels[level].sign) || cursor_take(&p->at, levels[level].word))) {
        struct filter_node *b = parse_expression(p, level + 1), *n = b ? new_filter_node(p, levels[level].kind) : NULL;
        if (!n)
            return NULL;
        n->a = a;
        n->b = b;
        a = n;
    }
    return a;
}

struct filter *filter_compile(struct str text, struct err *e)
{
    struct filter *f = mem_zalloc(sizeof *f);
    struct str kept = arena_str(&f->arena, text);
    struct parser p = {.f = f, .at = {kept, " \t"}, .length = kept.n, .e = e};
    f->root = parse_expression(&p, 0);
    cursor_peek(&p.at);
    if (f->root && p.at.rest.n)
        f->root = fail_expected(&p, _("&& || or the end"));
    if (!f->root) {
        filter_free(f);
        return NULL;
    }
    return f;
}

void filter_free(struct filter *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->nodes.n; i++)
        search_release(&f->nodes.v[i]->pattern);
    vec_release(&f->nodes);
    buf_release(&f->tmp);
    arena_release(&f->arena);
    free(f);
}

/* ---- completion ---- */

static void suggest_word(name_list *out, struct str begun, const char *word)
{
    if (strncmp(word, begun.p, begun.n) == 0)
        vec_push(out, mem_strdup(word));
}

static void suggest_all(name_list *out, struct str begun, const char *words_list)
{
    struct str rest = str_of(words_list), w;
    while (rest.n) {
        w = str_next(&rest, ' ');
        if (w.n >= begun.n && str_eq(str_n(w.p, begun.n), begun))
            vec_push(out, str_dup(w));
    }
}

/* What an operand may begin with. */
static void suggest_operands(name_list *out, struct str begun)
{
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        suggest_word(out, begun, words[i].name);
    for (size_t i = 0; i < ARRAY_LEN(word_values); i++)
        suggest_all(out, begun, word_values[i]);
    for (const struct field *f = fields; f->name; f++)
        if (f->head)
            suggest_word(out, begun, f->name);
    suggest_word(out, begun, "name");
    suggest_all(out, begun, flag_words);
    for (int f = 0; f < FAMILY_COUNT; f++)
        suggest_word(out, begun, family_name((enum family)f));
}

static bool is_sign(char c)
{
    return c && strchr("<>=~", c);
}

size_t filter_suggest(struct str text, name_list *out)
{
    size_t at = text.n;
    while (at > 0 && !strchr(" \t()<>=!~&|", text.p[at - 1]) && !str_ends(str_n(text.p, at), "≈"))
        at--;
    struct str begun = str_cut(text, at), before = str_trim(str_n(text.p, at));
    char last = before.n ? before.p[before.n - 1] : 0;
    if (is_sign(last) || str_ends(before, "≈")) { /* a value: which can be told where there are few */
        struct str name = str_trim(str_n(before.p, before.n - (is_sign(last) ? 1 : strlen("≈"))));
        while (name.n && (is_sign(name.p[name.n - 1]) || strchr("! ", name.p[name.n - 1])))
            name.n--;
        size_t from = name.n;
        while (from > 0 && !strchr(" \t()!&|", name.p[from - 1]))
            from--;
        const struct field *f = field_find(str_cut(name, from));
        const char *values = f ? field_words(f) : NULL;
        if (values)
            suggest_all(out, begun, values);
        else if (f && strcmp(f->name, "flags") == 0)
            suggest_all(out, begun, flag_words);
        else if (f && strcmp(f->name, "family") == 0)
            for (int k = 0; k < FAMILY_COUNT; k++)
                suggest_word(out, begun, family_name((enum family)k));
    } else if (!last || strchr("(!&|", last) || str_ends(before, " and") || str_ends(before, " or")) {
        suggest_operands(out, begun);
    } else if (!begun.n) { /* behind an operand */
        size_t from = before.n;
        while (from > 0 && !strchr(" \t()!&|", before.p[from - 1]))
            from--;
        const struct field *f = field_find(str_cut(before, from));
        suggest_all(out, begun, !f ? "&& ||" : f->number ? "> < ≈ >= <= == !=" : "== != ~ !~");
    }
    return at;
}

/* ---- matching ---- */

/* Whether both print the same with so many digits. */
static bool prints_alike(double v, double with, int digits)
{
    char a[NUM_MAX], b[NUM_MAX];
    return strcmp(num_cell(a, v, digits), num_cell(b, with, digits)) == 0;
}

static bool compare_numbers(double v, const struct filter_node *n)
{
    double with = n->number;
    if (isnan(v))
        return false;
    switch (n->op) {
    case NEAR:
        return prints_alike(v, with, n->digits);
    case LESS:
        return v < with;
    case LESS_EQUAL:
        return v <= with;
    case GREATER:
        return v > with;
    case GREATER_EQUAL:
        return v >= with;
    case EQUAL:
        return v == with;
    case UNEQUAL:
        return v != with;
    }
    return false;
}

static bool text_matches(struct filter *f, struct filter_node *n, const struct field *field, const struct field_line *l)
{
    field_text(l, field, &f->tmp);
    struct str s = buf_view(&f->tmp);
    if (n->kind == NODE_PATTERN)
        return s.n && search_text(&n->pattern, s);
    return str_ieq(s, n->text);
}

/* A text field, or the fields of both sides, of which either may match. */
static bool match_text(struct filter *f, struct filter_node *n, const struct field_line *l)
{
    static const char *const twins[][2] = {{"", ""}, {"target", "golden"}, {"t.dtype", "g.dtype"}};
    bool hit;
    if (n->special == FIELD_PLAIN)
        hit = n->field->text && text_matches(f, n, n->field, l);
    else
        hit = text_matches(f, n, field_find(str_of(twins[n->special][0])), l) ||
              text_matches(f, n, field_find(str_of(twins[n->special][1])), l);
    return n->op == UNEQUAL ? !hit : hit;
}

static bool match_word(const struct filter_node *n, const struct field_line *l)
{
    if (n->word)
        return n->word(l);
    if (n->verdict >= 0)
        return l->j && l->j->verdict == n->verdict;
    for (int s = 0; s < 2; s++)
        if (l->row[s] != NONE) {
            const struct dump *d = &l->s->side[s].dump;
            if (d->calls.v[d->rows.v[l->row[s]].call].family == n->family)
                return true;
        }
    return false;
}

static bool match_node(struct filter *f, struct filter_node *n, const struct field_line *l)
{
    double v;
    switch (n->kind) {
    case NODE_OR:
        return match_node(f, n->a, l) || match_node(f, n->b, l);
    case NODE_AND:
        return match_node(f, n->a, l) && match_node(f, n->b, l);
    case NODE_NOT:
        return !match_node(f, n->a, l);
    case NODE_NUMBER:
        return field_value(l, n->field, &v) && compare_numbers(v, n);
    case NODE_TEXT:
    case NODE_PATTERN:
        return match_text(f, n, l);
    case NODE_WORD:
        return match_word(n, l);
    }
    return false;
}

bool filter_match(struct filter *f, const struct field_line *l)
{
    return match_node(f, f->root, l);
}
