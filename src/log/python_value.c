/* Rewrites what Python prints of lists, dictionaries, arrays and tensors as JSON, value by value. */
#include "log/python_value.h"

#include "base/mem.h"

#define DEEPEST 32

/* What may stand in front of a bracket; a value is its last argument without a name, or that called "value". */
static const char *const calls[] = {
    "tensor", "torch.tensor", "Tensor", "mindspore.Tensor", "Parameter", "Variable", "array", "np.array",
    "numpy.array", "Array", "DeviceArray", "deque", "collections.deque", "defaultdict", "collections.defaultdict",
    "list", "tuple", "dict", "float", "int", "np.float64", "np.float32", "np.float16", "np.int64", "np.int32",
    "numpy.float64", "numpy.float32", "numpy.float16", "numpy.int64", "numpy.int32",
};

static const char *const pair_calls[] = {"OrderedDict", "collections.OrderedDict"};

static bool in_name(char c)
{
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static void skip_python_blanks(struct str *s)
{
    while (s->n && strchr(" \t\r\n", s->p[0]))
        *s = str_cut(*s, 1);
}

/* The name in front of a '(' at the front of s; empty: there is none. */
static struct str python_call_name(struct str s)
{
    size_t n = 0;
    while (n < s.n && n < 64 && in_name(s.p[n]))
        n++;
    return n && n < s.n && s.p[n] == '(' ? str_n(s.p, n) : STR("");
}

bool python_value_begins(struct str s)
{
    struct str name = python_call_name(s);
    return s.n && (char_opens(s.p[0]) ||
                   (name.n && (STR_ONE_OF(name, calls) || STR_ONE_OF(name, pair_calls))) ||
                   (s.p[0] == '<' && str_starts(s, "<tf.Tensor")));
}

static bool rewrite_python_value(struct str *s, struct buf *json, bool blanks, int depth);

static bool rewrite_python_text(struct str *s, struct buf *json)
{
    size_t n = str_quoted(*s);
    if (!n)
        return false;
    buf_char(json, '"');
    for (size_t i = 1; i + 1 < n; i++) {
        bool escaped_quote = s->p[i] == '\\' && s->p[i + 1] == '\'';
        if (s->p[i] == '"')
            buf_char(json, '\\');
        if (!escaped_quote)
            buf_char(json, s->p[i]);
        if (s->p[i] == '\\' && !escaped_quote)
            buf_char(json, s->p[++i]);
    }
    buf_char(json, '"');
    *s = str_cut(*s, n);
    return true;
}

/* What is neither in quotes nor in brackets: a number, None, or what cannot be read; up to a comma, a closing bracket,
 * a colon of a key, or of items divided by blanks the next blank. */
static bool rewrite_scalar(struct str *s, struct buf *json, bool blanks, bool key)
{
    size_t n = 0;
    while (n < s->n && s->p[n] != ',' && !char_closes(s->p[n]) && !char_opens(s->p[n]) &&
           !(key && s->p[n] == ':') && !(blanks && strchr(" \t\r\n", s->p[n])))
        n++;
    struct str word = str_n(s->p, n);
    while (word.n && strchr(" \t\r\n", word.p[word.n - 1]))
        word.n--;
    if (n == s->n || char_opens(s->p[n]) || str_has(word, "..") || str_has(word, "\u2026"))
        return false;
    if (str_is(word, "None"))
        word = STR("null");
    buf_str(json, word);
    *s = str_cut(*s, n);
    return true;
}

/* Whether no item follows: a closing bracket, or the end of the text. */
static bool at_end(struct str *s)
{
    skip_python_blanks(s);
    return !s->n || char_closes(s->p[0]);
}

/* Takes a comma behind an item; false: there is neither one nor a closing bracket. */
static bool comma_or_end(struct str *s)
{
    skip_python_blanks(s);
    bool comma = s->n && s->p[0] == ',';
    *s = str_cut(*s, comma);
    return comma || (s->n && char_closes(s->p[0]));
}

/* Takes the closing bracket; false: the text ends before it. */
static bool close_items(struct str *s, struct buf *json, char bracket)
{
    bool closed = s->n > 0;
    *s = str_cut(*s, 1);
    buf_char(json, bracket);
    return closed;
}

/* Items up to the closing bracket, which is taken. An array of NumPy has blanks between its items. */
static bool rewrite_items(struct str *s, struct buf *json, int depth)
{
    const bool blanks = str_item_end(*s) < s->n && s->p[str_item_end(*s)] != ',';
    buf_char(json, '[');
    for (bool first = true; !at_end(s); first = false) {
        buf_cstr(json, first ? "" : ",");
        if (!rewrite_python_value(s, json, blanks, depth) || !(comma_or_end(s) || blanks))
            return false;
    }
    return close_items(s, json, ']');
}

static bool rewrite_key(struct str *s, struct buf *json, int depth)
{
    struct buf key = {0};
    skip_python_blanks(s);
    bool ok = s->n && !char_opens(s->p[0]);
    if (ok && (s->p[0] == '"' || s->p[0] == '\''))
        ok = rewrite_python_text(s, &key);
    else if (ok)
        ok = python_value_begins(*s) ? rewrite_python_value(s, &key, false, depth)
             : rewrite_scalar(s, &key, false, true);
    struct str written = buf_view(&key);
    if (ok && str_starts(written, "\""))
        buf_str(json, written);
    else if (ok)
        buf_fmt(json, "\"%.*s\"", STR_ARG(written));
    buf_release(&key);
    return ok;
}

/* Members up to the closing bracket; of pairs, "('loss', [2.5])", each in brackets of its own. */
static bool rewrite_members(struct str *s, struct buf *json, bool pairs, int depth)
{
    buf_char(json, '{');
    for (bool first = true; !at_end(s); first = false) {
        if (pairs && s->p[0] != '(')
            return false;
        *s = str_cut(*s, pairs);
        buf_cstr(json, first ? "" : ",");
        if (!rewrite_key(s, json, depth))
            return false;
        skip_python_blanks(s);
        if (!s->n || s->p[0] != (pairs ? ',' : ':'))
            return false;
        buf_char(json, ':');
        *s = str_cut(*s, 1);
        skip_python_blanks(s);
        if (!rewrite_python_value(s, json, false, depth))
            return false;
        skip_python_blanks(s);
        if (pairs && (!s->n || s->p[0] != ')'))
            return false;
        *s = str_cut(*s, pairs);
        if (!comma_or_end(s))
            return false;
    }
    return close_items(s, json, '}');
}

/* Whether the argument has a name, "dtype=float32". */
static bool is_named_argument(struct str argument, struct str *behind)
{
    size_t n = 0;
    while (n < argument.n && in_name(argument.p[n]))
        n++;
    *behind = str_cut(argument, n + 1);
    return n && n < argument.n && argument.p[n] == '=';
}

/* Behind "NAME(": the argument that is the value. */
static bool rewrite_call_argument(struct str *s, struct buf *json, bool pairs, int depth)
{
    struct str found = STR(""), behind;
    for (;;) {
        skip_python_blanks(s);
        size_t n = str_item_end(*s);
        if (n == s->n)
            return false;
        struct str own = str_n(s->p, n + 1); /* with what ends it: a value is read up to there */
        if (str_starts(own, "value=")) {
            behind = str_cut(own, strlen("value="));
            skip_python_blanks(&behind);
            found = behind;
        } else if (n && !is_named_argument(own, &behind)) {
            found = own;
        }
        bool last = s->p[n] != ',';
        *s = str_cut(*s, n + 1);
        if (last)
            break;
    }
    if (pairs && str_starts(found, "[")) {
        found = str_cut(found, 1);
        return rewrite_members(&found, json, true, depth);
    }
    return found.n > 1 && rewrite_python_value(&found, json, false, depth);
}

/* "<tf.Tensor: shape=(), dtype=float32, numpy=2.5>" */
static bool rewrite_tensorflow_tensor(struct str *s, struct buf *json, int depth)
{
    ptrdiff_t end = str_find(*s, '>'), at = str_search(*s, "numpy=");
    if (end < 0 || at < 0 || at > end)
        return false;
    struct str inside = str_n(s->p + at + 6, (size_t)(end - at) - 6);
    bool ok = true;
    if (python_value_begins(inside))
        ok = rewrite_python_value(&inside, json, false, depth);
    else
        buf_str(json, str_trim(inside));
    *s = str_cut(*s, (size_t)end + 1);
    return ok;
}

static bool rewrite_python_value(struct str *s, struct buf *json, bool blanks, int depth)
{
    struct str name = python_call_name(*s);
    if (!s->n || depth == DEEPEST)
        return false;
    char c = s->p[0];
    if (c == '"' || c == '\'')
        return rewrite_python_text(s, json);
    if (str_starts(*s, "<tf.Tensor"))
        return rewrite_tensorflow_tensor(s, json, depth + 1);
    if (c == '[' || c == '(') {
        *s = str_cut(*s, 1);
        return rewrite_items(s, json, depth + 1);
    }
    if (c == '{') {
        *s = str_cut(*s, 1);
        return rewrite_members(s, json, false, depth + 1);
    }
    bool pairs = name.n && STR_ONE_OF(name, pair_calls);
    if (pairs || (name.n && STR_ONE_OF(name, calls))) {
        *s = str_cut(*s, name.n + 1);
        return rewrite_call_argument(s, json, pairs, depth + 1);
    }
    return rewrite_scalar(s, json, blanks, false);
}

bool python_value(struct str *s, struct buf *json)
{
    const size_t before = json->n;
    struct str at = *s;
    if (!python_value_begins(at) || !rewrite_python_value(&at, json, false, 0)) {
        json->n = before;
        return false;
    }
    *s = at;
    return true;
}
