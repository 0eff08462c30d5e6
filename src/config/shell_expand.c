/* Expands words of a launch script as a shell would: variables, defaults, quotes and arithmetic. Nothing is executed;
 * expressions that only execution could evaluate stay unexpanded. */
#include "base/cursor.h"
#include "base/msg.h"
#include "config/shell.h"

struct shell_var *shell_find(struct shell *sh, struct str name)
{
    uint32_t i = map_get(&sh->by_name, name);
    return i == MAP_NONE ? NULL : &sh->var.v[i];
}

struct shell_var *shell_make(struct shell *sh, struct str name)
{
    struct shell_var *v = shell_find(sh, name);
    if (v)
        return v;
    struct shell_var x = {.name = arena_str(&sh->s->arena, name)};
    vec_push(&sh->var, x);
    map_add(&sh->by_name, x.name, (uint32_t)sh->var.n - 1);
    return vec_last(&sh->var);
}

void shell_release(struct shell *sh)
{
    for (size_t i = 0; i < sh->var.n; i++)
        vec_release(&sh->var.v[i].field);
    vec_release(&sh->var);
    map_release(&sh->by_name);
}

size_t shell_name(struct str s)
{
    size_t i = 0;
    while (i < s.n && (s.p[i] == '_' || (s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
                       (i && s.p[i] >= '0' && s.p[i] <= '9')))
        i++;
    return i;
}

/* ---- where things end ---- */

/* After the bracket that closes the one at `at`; quotes inside are skipped. */
static size_t bracket_end(struct str t, size_t at, char open, char close)
{
    int depth = 0;
    char quote = 0;
    for (; at < t.n; at++) {
        char c = t.p[at];
        if (c == '\\' && quote != '\'') {
            at++;
        } else if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == open) {
            depth++;
        } else if (c == close && --depth == 0) {
            return at + 1;
        }
    }
    return t.n;
}

/* The end of the expansion of a dollar sign or backtick at `at`. */
static size_t expansion_end(struct str t, size_t at)
{
    if (t.p[at] == '`') {
        do
            at += at + 1 < t.n && t.p[at] == '\\' ? 2 : 1;
        while (at < t.n && t.p[at] != '`');
        return at < t.n ? at + 1 : t.n;
    }
    if (at + 1 >= t.n)
        return at + 1;
    char c = t.p[at + 1];
    if (c == '{' || c == '(')
        return bracket_end(t, at + 1, c, c == '{' ? '}' : ')');
    size_t n = shell_name(str_cut(t, ++at));
    return n ? at + n : at + (strchr("@*#?$!-0123456789", c) != NULL);
}

static size_t double_end(struct str t, size_t at) /* after the closing quote; at is the opening one */
{
    for (at++; at < t.n && t.p[at] != '"';) {
        if (t.p[at] == '\\')
            at += 2;
        else if (t.p[at] == '$' || t.p[at] == '`')
            at = expansion_end(t, at);
        else
            at++;
    }
    return at < t.n ? at + 1 : t.n;
}

static size_t single_end(struct str t, size_t at)
{
    for (at++; at < t.n && t.p[at] != '\'';)
        at++;
    return at < t.n ? at + 1 : t.n;
}

size_t shell_word_end(struct str t, size_t at)
{
    while (at < t.n && !strchr(" \t\r\n;&|<>()", t.p[at])) {
        switch (t.p[at]) {
        case '\\':
            at += 2;
            break;
        case '\'':
            at = single_end(t, at);
            break;
        case '"':
            at = double_end(t, at);
            break;
        case '$':
        case '`':
            at = expansion_end(t, at);
            break;
        default:
            at++;
        }
    }
    return at < t.n ? at : t.n;
}

/* ---- arithmetic: integers, + - * / %, brackets, names ---- */

struct sum {
    struct shell *sh;
    struct cursor at; /* signs of a variable say nothing here */
    int depth;
    bool bad;
};

static int64_t sum_expr(struct sum *s, int level);

static int64_t sum_atom(struct sum *s)
{
    unsigned long long n;
    if (cursor_peek(&s->at) == '(' && s->depth < SHELL_DEEPEST) {
        cursor_take(&s->at, "(");
        s->depth++;
        int64_t v = sum_expr(s, 0);
        s->depth--;
        s->bad |= !cursor_take(&s->at, ")");
        return v;
    }
    size_t length = shell_name(s->at.rest);
    if (!length)
        while (length < s->at.rest.n && s->at.rest.p[length] >= '0' && s->at.rest.p[length] <= '9')
            length++;
    struct str word = cursor_skip(&s->at, length);
    if (str_u64(word, &n) && n < INT32_MAX)
        return (int64_t)n;
    const struct shell_var *v = word.n ? shell_find(s->sh, word) : NULL;
    if (v && v->field.n == 1 && !v->field.v[0].open && str_u64(str_trim(v->field.v[0].text), &n) && n < INT32_MAX)
        return (int64_t)n;
    s->bad = true;
    return 0;
}

static int64_t sum_expr(struct sum *s, int level)
{
    static const char *const ops[] = {"+-", "*/%"};
    int64_t v = level == 2 ? sum_atom(s) : sum_expr(s, level + 1);
    while (level < 2 && !s->bad) {
        char op = cursor_peek(&s->at);
        if (!op || !strchr(ops[level], op))
            break;
        cursor_skip(&s->at, 1);
        int64_t w = sum_expr(s, level + 1);
        if ((op == '/' || op == '%') && w == 0)
            s->bad = true;
        else if (op == '+' ? __builtin_add_overflow(v, w, &v) : op == '-' ? __builtin_sub_overflow(v, w, &v)
                                                            : op == '*' && __builtin_mul_overflow(v, w, &v))
            s->bad = true;
        else if (op == '/' && v != INT64_MIN)
            v /= w;
        else if (op == '%' && v != INT64_MIN)
            v %= w;
    }
    return v;
}

/* ---- expansion ---- */

struct expander {
    struct shell *sh;
    shell_fields *out;
    struct buf b;        /* the field being made */
    bool split, some, open, quoted;
};

static int charge_expansion(struct expander *x, struct str s)
{
    x->sh->work += s.n + 16;
    if (x->sh->work > SHELL_WORK)
        return err_line(x->sh->e, x->sh->s->path, x->sh->line, _("the variables of the script expand to more than %u "
                                                                 "MB"),
                        SHELL_WORK >> 20);
    buf_str(&x->b, s);
    x->some = true;
    return 0;
}

static int finish_field(struct expander *x)
{
    if (x->some || x->quoted) {
        struct shell_field f = {arena_str(&x->sh->s->arena, buf_view(&x->b)), x->open, x->quoted};
        vec_push(x->out, f);
    }
    buf_clear(&x->b);
    x->some = x->open = x->quoted = false;
    return 0;
}

/* A piece of a value. Of a partly unknown one, the pieces that use something unknown are open. */
static int put_piece(struct expander *x, struct str s, bool open)
{
    x->open |= open && (str_find(s, '$') >= 0 || str_find(s, '`') >= 0);
    return charge_expansion(x, s);
}

/* The value of a variable at this place: unquoted it is split at blanks. */
static int put_variable_value(struct expander *x, struct str v, bool quoted, bool open)
{
    if (quoted || !x->split)
        return put_piece(x, v, open);
    for (size_t i = 0; i < v.n;) {
        size_t from = i;
        while (i < v.n && !strchr(" \t\r\n\\", v.p[i]))
            i++;
        if (i > from && put_piece(x, str_n(v.p + from, i - from), open))
            return -1;
        if (i < v.n) {
            bool literal = v.p[i] == '\\' && i + 1 < v.n && !strchr(" \t\r\n", v.p[i + 1]);
            if (literal ? charge_expansion(x, str_n(v.p + i, 1)) : finish_field(x))
                return -1;
            i++;
        }
    }
    return 0;
}

static int put_open(struct expander *x, struct str raw)
{
    if (charge_expansion(x, raw))
        return -1;
    x->open = true;
    return 0;
}

static int word_parts(struct expander *x, struct str raw, bool quoted, int depth);

static int put_fields(struct expander *x, struct shell_var *v, bool quoted)
{
    if (v->branch && !v->told) {
        v->told = true;
        settings_warn(x->sh->s, _("%s: line %u: %.*s is set inside a branch of the script; the last value is used"),
                      x->sh->s->path, x->sh->line, STR_ARG(v->name));
    }
    for (size_t i = 0; i < v->field.n; i++) {
        if (i && finish_field(x))
            return -1;
        x->quoted |= quoted;
        if (put_variable_value(x, v->field.v[i].text, quoted || v->array, v->field.v[i].open))
            return -1;
    }
    return 0;
}

/* ${NAME}, ${NAME[@]}, ${NAME:-else}, ${NAME:+other}; anything else stays open. */
static int put_braced(struct expander *x, struct str raw, bool quoted, int depth)
{
    struct str in = str_n(raw.p + 2, raw.n > 3 ? raw.n - 3 : 0), name = in;
    size_t n = shell_name(in);
    name.n = n;
    struct str rest = str_cut(in, n);
    struct shell_var *v = n ? shell_find(x->sh, name) : NULL;
    if (str_starts(rest, "[@]") || str_starts(rest, "[*]"))
        rest = str_cut(rest, 3);
    bool colon = rest.n && rest.p[0] == ':';
    struct str op = str_cut(rest, colon);
    bool set = v && v->field.n && (!colon || v->field.v[0].text.n || v->field.n > 1);
    if (!n || (rest.n && !(op.n && strchr("-=+", op.p[0]))))
        return put_open(x, raw);
    if (op.n && op.p[0] == '+')
        return set ? word_parts(x, str_cut(op, 1), quoted, depth + 1) : 0;
    if (set)
        return put_fields(x, v, quoted);
    if (op.n)
        return word_parts(x, str_cut(op, 1), quoted, depth + 1);
    return v ? 0 : put_open(x, raw);
}

static int put_dollar(struct expander *x, struct str raw, bool quoted, int depth)
{
    if (str_starts(raw, "$((")) {
        struct sum s = {.sh = x->sh, .at = {str_n(raw.p + 3, raw.n > 5 ? raw.n - 5 : 0), " \t${}\""}};
        int64_t v = sum_expr(&s, 0);
        if (s.bad || cursor_peek(&s.at))
            return put_open(x, raw);
        return charge_expansion(x, str_of(arena_fmt(&x->sh->s->arena, "%lld", (long long)v)));
    }
    if (str_starts(raw, "${"))
        return put_braced(x, raw, quoted, depth);
    if (raw.n < 2)
        return charge_expansion(x, raw);
    if (str_is(raw, "$@") || str_is(raw, "$*"))
        return 0; /* what is given on the command line, if anything */
    struct shell_var *v = shell_find(x->sh, str_cut(raw, 1));
    return v ? put_fields(x, v, quoted) : put_open(x, raw);
}

static int put_double(struct expander *x, struct str in, int depth)
{
    x->quoted = true;
    for (size_t i = 0; i < in.n;) {
        size_t end = i + 1;
        int rc;
        if (in.p[i] == '\\' && i + 1 < in.n && in.p[i + 1] == '\n') {
            end = i + 2;
            rc = 0;
        } else if (in.p[i] == '\\' && i + 1 < in.n && strchr("$`\"\\", in.p[i + 1])) {
            end = i + 2;
            rc = charge_expansion(x, str_n(in.p + i + 1, 1));
        } else if (in.p[i] == '$') {
            end = expansion_end(in, i);
            rc = put_dollar(x, str_n(in.p + i, end - i), true, depth);
        } else if (in.p[i] == '`') {
            end = expansion_end(in, i);
            rc = put_open(x, str_n(in.p + i, end - i));
        } else {
            rc = charge_expansion(x, str_n(in.p + i, 1));
        }
        if (rc)
            return -1;
        i = end;
    }
    return 0;
}

/* Between quotes; the last one may be missing. */
static struct str text_inside_quotes(struct str raw, size_t from, size_t end)
{
    bool closed = end - from > 1 && raw.p[end - 1] == raw.p[from];
    return str_n(raw.p + from + 1, end - from - 1 - closed);
}

static int word_parts(struct expander *x, struct str raw, bool quoted, int depth)
{
    int rc = 0;
    if (depth > SHELL_DEEPEST)
        return err_line(x->sh->e, x->sh->s->path, x->sh->line, _("more than %d nested levels"), SHELL_DEEPEST);
    for (size_t i = 0; i < raw.n && rc == 0;) {
        size_t end = i + 1;
        switch (raw.p[i]) {
        case '\\':
            end = i + 2 < raw.n ? i + 2 : raw.n;
            if (i + 1 < raw.n && raw.p[i + 1] != '\n')
                rc = charge_expansion(x, str_n(raw.p + i + 1, 1));
            break;
        case '\'':
            end = quoted ? i + 1 : single_end(raw, i);
            x->quoted = true;
            rc = quoted ? charge_expansion(x, STR("'")) : charge_expansion(x, text_inside_quotes(raw, i, end));
            break;
        case '"':
            end = double_end(raw, i);
            rc = put_double(x, text_inside_quotes(raw, i, end), depth);
            break;
        case '$':
            end = expansion_end(raw, i);
            rc = put_dollar(x, str_n(raw.p + i, end - i), quoted, depth);
            break;
        case '`':
            end = expansion_end(raw, i);
            rc = put_open(x, str_n(raw.p + i, end - i));
            break;
        default:
            rc = charge_expansion(x, str_n(raw.p + i, 1));
        }
        i = end > raw.n ? raw.n : end;
    }
    return rc;
}

int shell_expand(struct shell *sh, struct str raw, bool split, shell_fields *out)
{
    struct expander x = {.sh = sh, .out = out, .split = split};
    int rc = word_parts(&x, raw, false, 0);
    if (rc == 0)
        rc = finish_field(&x);
    buf_release(&x.b);
    return rc;
}
