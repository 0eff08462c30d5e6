/* Local norms as lines of text that carry no name, no step or neither:
 *   dump local norm:  NAME VALUE                  MindSpore's graph; roots, no step
 *   local_norm step N NAME: VALUE                 a patch of Megatron
 *   embedding_local_norm: VALUE                   MindFormers
 *   print torch local norm:⏎[tensor(1.3662, …), …]   the guide's patch of Megatron; squares, no names
 *    norm_size: (…)⏎local_norm:⏎[…⏎…]             MindFormers' wrapper; squares, no names */
#include "log/series_builder.h"

#define LIST_BYTES (1u << 20)

/* Text that all these lines contain and most other lines of a log do not. */
static bool names_norms(struct str line)
{
    return scan_has(line, "norm");
}

bool norm_line_words(struct str line)
{
    return names_norms(line) && (scan_has(line, "dump local norm:") || scan_has(line, "local_norm step ") ||
                                 scan_has(line, "embedding_local_norm:"));
}

enum log_take norm_line_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct str at, name, value;
    int64_t step;
    double x;
    (void)fresh;
    (void)last;
    if (scan_behind(line, "dump local norm:", &at)) {
        at = str_trim(at);
        if (!str_split(at, ' ', &name, &value) || log_number(k, value, &x, NULL) != READING_VALUE)
            return TAKE_NOT;
        log_norm(k, "local_norm", name, false, x);
    } else if (scan_behind(line, "local_norm step ", &at)) {
        if (!scan_count(&at, &step) || step >= LOG_STEP || !str_split(at, ':', &name, &value) ||
            log_number(k, value, &x, NULL) != READING_VALUE)
            return TAKE_NOT;
        log_point(k, "local_norm", str_trim(name), false, step, x);
    } else {
        scan_behind(line, "embedding_local_norm:", &at);
        struct str text = at;
        if (!scan_leading(&at, &x, NULL) || scan_goes_on(at)) {
            if (!reading_is_nothing(text))
                log_odd_value(k, text);
            return TAKE_NOT;
        }
        log_norm(k, "embedding_local_norm", STR(""), false, x);
    }
    return TAKE_DONE;
}

static bool marker(struct str line, struct str *rest)
{
    if (scan_behind(line, "torch local norm:", rest))
        return true;
    struct str at;
    /* not "embedding_local_norm:", not "…/local_norm:" */
    while (scan_behind(line, "local_norm:", &at)) {
        size_t before = (size_t)(at.p - line.p) - strlen("local_norm:");
        if (!before || line.p[before - 1] == ' ' || line.p[before - 1] == ')') {
            *rest = at;
            return true;
        }
        line = at;
    }
    return false;
}

bool norm_list_words(struct str line)
{
    struct str rest;
    if (!names_norms(line) ||
        (!scan_has(line, "l norm") && !scan_has(line, "l_norm") && !scan_has(line, "norm_size")))
        return false;
    if (scan_has(line, "norm_size: ("))
        return true;
    return marker(line, &rest) && (!str_trim(rest).n || str_trim(rest).p[0] == '[');
}

/* The text between '[' and its ']'; false if either is missing. */
static bool list_of(struct str s, struct str *inside)
{
    ptrdiff_t open = str_find(s, '[');
    size_t depth = 0;
    if (open < 0)
        return false;
    for (size_t i = (size_t)open; i < s.n; i++) {
        if (s.p[i] == '[')
            depth++;
        else if (s.p[i] == ']' && --depth == 0) {
            *inside = str_n(s.p + open + 1, i - (size_t)open - 1);
            return true;
        }
    }
    return false;
}

static bool next_number(struct str *s, bool tensors, double *x)
{
    if (tensors) {
        while (scan_behind(*s, "tensor(", s)) {
            while (s->n && (s->p[0] == '[' || s->p[0] == ' '))
                *s = str_cut(*s, 1);
            if (scan_leading(s, x, NULL))
                return true;
        }
        return false;
    }
    while (s->n) {
        if (scan_leading(s, x, NULL))
            return true;
        *s = str_cut(*s, 1);
    }
    return false;
}

enum log_take norm_list_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct str rest, list, sizes = STR("");
    char name[24];
    double x, size;
    if (line.n > LIST_BYTES || last)
        return TAKE_NOT; /* a list without its end cannot be counted */
    /* only a line with a bracket can end it; searching the whole text at each line would take quadratic time */
    if (fresh && str_find(str_cut(line, fresh), ']') < 0)
        return TAKE_MORE;
    if (!marker(line, &rest) || !list_of(rest, &list))
        return TAKE_MORE;
    bool tensors = scan_has(list, "tensor(");
    if (!scan_behind(line, "norm_size: (", &sizes) || sizes.p > rest.p)
        sizes = STR("");
    log_norm_group(k);
    for (uint32_t i = 0; next_number(&list, tensors, &x); i++) {
        if (scan_goes_on(list))
            log_odd_value(k, list);
        struct buf b = {0};
        buf_fmt(&b, "#%u", i);
        memcpy(name, b.p, b.n + 1);
        buf_release(&b);
        log_norm(k, "local_norm", str_of(name), true, x);
        uint32_t id;
        if (sizes.n && scan_leading(&sizes, &size, NULL) &&
            (id = log_name(k, "local_norm", str_of(name), true)) != MAP_NONE &&
            size >= 0 && size < 1e18)
            k->s->names.v[id].elements = (uint64_t)size;
        if (sizes.n && sizes.p[0] == ',')
            sizes = str_cut(sizes, 1);
        else
            sizes = STR("");
    }
    return TAKE_DONE;
}
