/* Row names as the table shows them. */
#include "table/shown_name.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

/* "Functional.linear.0.forward.input.1" → "Functional.linear.0.fwd.in.1": words that all names share are shortened,
 * those that distinguish a name are kept. */
static void shorten_joined(struct str name, struct buf *out)
{
    static const struct {
        const char *word, *twin;
    } words[] = {{"_forward", "_fwd"}, {"_backward", "_bwd"}, {"_input", "_in"}, {"_output", "_out"}};
    for (size_t i = 0; i < name.n;) {
        struct str rest = str_cut(name, i);
        size_t k = 0;
        while (k < ARRAY_LEN(words) && !str_starts(rest, words[k].word))
            k++;
        if (k < ARRAY_LEN(words)) {
            buf_cstr(out, words[k].twin);
            i += strlen(words[k].word);
        } else {
            buf_char(out, name.p[i++]);
        }
    }
}

static bool is_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

/* A graph's scope, "Default_network-Net_layers-CellList_3-Layer_attention-Attention_wq-Linear_MatMul-op0": the names of
 * nested cells, each after the class of the enclosing one. All names share the network and its model. */
static bool shorten_scope(struct str name, struct buf *out)
{
    struct str kernel, rest, scope, slot, piece, class, attribute;
    bool begun = false, layers = str_has(name, "_layers-");
    if (!str_split(name, '.', &kernel, &rest) || !str_split(rest, '.', &scope, &slot) ||
        !(str_starts(scope, "Default_") || str_starts(scope, "Gradients_Default_")) || !str_has(scope, "-"))
        return false;
    piece = str_next(&scope, '-'); /* "Default_network" */
    while (str_split(scope, '-', &piece, &scope) || piece.n) {
        bool last = !scope.n;
        if (last && !begun)
            return false;
        if (!str_split(piece, '_', &class, &attribute))
            attribute = piece;
        bool is_kernel = !memchr(scope.p, '-', scope.n);
        if (last) {
            buf_char(out, '-');
            buf_str(out, piece); /* "op0" */
            break;
        }
        if (!begun && layers && !str_is(attribute, "layers"))
            continue;
        if (!begun && !is_kernel && str_is(attribute, "model"))
            continue;
        bool after_number = begun && out->n && out->p[out->n - 1] >= '0' && out->p[out->n - 1] <= '9';
        if (begun)
            buf_char(out, is_kernel || (after_number && !is_digits(attribute)) ? ' ' : '.');
        if (str_is(attribute, "layers"))
            buf_cstr(out, "layer");
        else
            buf_str(out, attribute);
        begun = true;
    }
    if (!begun)
        return false;
    buf_char(out, '.');
    shown_name(slot, out);
    return true;
}

void shown_name(struct str name, struct buf *out)
{
    size_t had = out->n;
    if (shorten_scope(name, out))
        return;
    out->n = had; /* it was none */
    if (out->p)
        out->p[had] = 0;
    /* ptdbg's names; # where one came again */
    static const char *const joined[] = {"_forward_", "_backward_", "_forward#", "_backward#"};
    for (size_t i = 0; i < ARRAY_LEN(joined); i++)
        if (str_has(name, joined[i])) {
            shorten_joined(name, out);
            return;
        }
    static const struct {
        const char *word, *twin;
    } words[] = {
        {"forward", "fwd"}, {"backward", "bwd"}, {"input", "in"}, {"output", "out"}, {"parameters", "par"}, {"parameters_grad", "grad"},
    };
    struct str rest = name, part;
    for (bool again = true, first = true; again; first = false) {
        again = str_split(rest, '.', &part, &rest);
        const char *twin = NULL;
        for (size_t i = 0; i < ARRAY_LEN(words); i++)
            if (str_is(part, words[i].word))
                twin = words[i].twin;
        if (!first)
            buf_char(out, '.');
        if (twin)
            buf_cstr(out, twin);
        else
            buf_str(out, part);
    }
}

void shown_name_call(struct str name, struct buf *out)
{
    struct str kernel, scope;
    ptrdiff_t dash = str_rfind(name, '-');
    if (dash < 0 || !str_split(name, '.', &kernel, &scope) ||
        !(str_starts(scope, "Default_") || str_starts(scope, "Gradients_Default_"))) {
        buf_str(out, name);
        return;
    }
    buf_str(out, kernel);
    buf_str(out, str_cut(name, (size_t)dash));
}

/* Where the part begins that says which call, pass and slot it is: "0.fwd.in.1" of "Functional.linear.0.fwd.in.1". */
static size_t find_name_tail(struct str text)
{
    static const char *const passes[] = {"fwd", "bwd", "par", "grad", "in", "out"};
    size_t tail = text.n, before = 0, at = 0;
    struct str rest = text, part;
    for (bool again = true; again && tail == text.n; at = (size_t)(rest.p - text.p)) {
        again = str_split(rest, '.', &part, &rest);
        for (size_t i = 0; i < ARRAY_LEN(passes); i++)
            if (str_is(part, passes[i]))
                tail = is_digits(str_n(text.p + before, at > before ? at - before - 1 : 0)) ? before : at;
        before = at;
    }
    return tail;
}

/* The first number that is a component of its own before the tail: the layer's. NULL: there is none. */
static struct str layer_in_name(struct str text, size_t tail)
{
    struct str rest = str_n(text.p, tail), part = str_n(text.p, 0);
    for (bool again = true; again;) {
        again = str_split(rest, '.', &part, &rest);
        if (is_digits(part))
            return part;
    }
    return str_n(text.p, 0);
}

#define MIDDLE_LEAST 6 /* cells of what stands between layer and tail */
#define MIDDLE_GOOD 16 /* from this one on, the word before the layer's number is kept as well */

/* Where the part before the one at `at` begins. */
static size_t part_before(struct str text, size_t at)
{
    ptrdiff_t dot = at > 1 ? str_rfind(str_n(text.p, at - 1), '.') : -1;
    return (size_t)(dot + 1);
}

/* From `from` on, with as much of the class between `dot` and the tail as there is room for. */
static bool put_path(struct str text, size_t from, size_t dot, size_t tail, int cells, struct str mark, struct buf *out)
{
    struct str path = str_n(text.p + from, dot - from), class = str_n(text.p + dot + 1, tail - dot - 1);
    int left = cells - utf8_cells(mark) - utf8_cells(path) - utf8_cells(str_cut(text, tail));
    bool some = left - 1 >= MIDDLE_LEAST || left - 1 >= utf8_cells(class);
    if (!some && left < utf8_cells(mark))
        return false;
    buf_str(out, mark);
    buf_str(out, path);
    if (some) {
        buf_char(out, '.');
        utf8_middle(out, class, left - 1, mark.p);
    } else {
        buf_str(out, mark);
    }
    buf_str(out, str_cut(text, tail));
    return true;
}

/* A module's name is its path and then its class, which the path tells: "Module.model.layer.1.query.Linear.fwd.0.in.0"
 * in fewer cells is "…layer.1.query…fwd.0.in.0". Whether it fits so: its path from the part before the layer's number
 * or from the number, without one from as far to the front as there is room for. */
static bool put_module(struct str text, size_t tail, struct str layer, int cells, struct str mark, struct buf *out)
{
    if (!str_starts(text, "Module.") && !str_starts(text, "Cell."))
        return false;
    ptrdiff_t dot = tail > 1 ? str_rfind(str_n(text.p, tail - 1), '.') : -1;
    size_t path = (size_t)str_find(text, '.') + 1, number = layer.n ? (size_t)(layer.p - text.p) : 0, end = (size_t)dot;
    if (dot < 0 || end <= path || (number && end < number + layer.n))
        return false;
    bool whole = !number || utf8_cells(mark) + utf8_cells(str_cut(text, path)) <= cells;
    size_t from = whole ? path : part_before(text, number), last = number ? number : part_before(text, end);
    for (from = from < path ? path : from; from <= last;) {
        if (put_path(text, from, end, tail, cells, mark, out))
            return true;
        ptrdiff_t next = str_find(str_cut(text, from), '.');
        from = next < 0 ? last + 1 : from + (size_t)next + 1;
    }
    return false;
}

void shown_name_fit(struct str name, int cells, const char *mark, struct buf *out)
{
    struct buf whole = {0};
    shown_name(name, &whole);
    struct str text = buf_view(&whole);
    size_t tail = find_name_tail(text);
    struct str layer = layer_in_name(text, tail), end = str_cut(text, tail);
    size_t at = layer.n ? (size_t)(layer.p - text.p) : 0, behind = at + layer.n + 1, from = part_before(text, at);
    int left = cells - utf8_cells(str_of(mark)) - utf8_cells(end);
    if (utf8_cells(text) > cells && put_module(text, tail, layer, cells, str_of(mark), out)) {
        buf_release(&whole);
        return;
    }
    if (utf8_cells(text) > cells && layer.n && behind < tail) {
        struct str middle = str_n(text.p + behind, tail - behind);
        int room = left - utf8_cells(str_n(text.p + from, behind - from)), wanted = utf8_cells(middle);
        if (room < MIDDLE_GOOD && room < wanted) {
            from = at;
            room = left - utf8_cells(str_n(text.p + from, behind - from));
        }
        if (room >= MIDDLE_LEAST) {
            buf_cstr(out, mark);
            buf_str(out, str_n(text.p + from, behind - from));
            utf8_middle(out, middle, room, mark);
            buf_str(out, end);
            buf_release(&whole);
            return;
        }
    }
    utf8_middle(out, text, cells, mark);
    buf_release(&whole);
}
