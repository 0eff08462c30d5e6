/* Parses --dims and decides which joins it allows. */
#include "ranks/dims.h"

#include <fnmatch.h>

#include "base/msg.h"

static const struct dims_word {
    const char *word;
    enum join_how how;
} words[] = {
    {"concat", JOIN_CONCAT}, {"zigzag", JOIN_ZIGZAG}, {"natural", JOIN_CONCAT}, {"gated", JOIN_GATED},
    {"heads", JOIN_HEADS},   {"vocab", JOIN_VOCAB},   {"sum", JOIN_SUM},        {"partial", JOIN_SUM},
    {"mean", JOIN_MEAN},     {"max", JOIN_MAX},       {"replica", JOIN_REPLICA},
};

static bool join_combines_parts(enum join_how h)
{
    return h == JOIN_SUM || h == JOIN_MEAN || h == JOIN_MAX || h == JOIN_REPLICA;
}

/* Sequence parallelism uses the tensor-parallel ranks. */
static int cut_of(struct str name)
{
    static const enum cut cuts[] = {CUT_TP, CUT_CP, CUT_DP, CUT_MICRO};
    if (str_is(name, "sp"))
        return CUT_TP;
    for (size_t i = 0; i < ARRAY_LEN(cuts); i++)
        if (str_is(name, cut_name(cuts[i])))
            return (int)cuts[i];
    return -1;
}

/* "cp:zigzag" */
static bool parse_cut(struct dims *d, struct str text, int axis)
{
    struct str name, how;
    bool told = str_split(text, ':', &name, &how);
    int by = cut_of(name);
    struct dims_cut c = {.by = (uint8_t)by, .how = JOIN_HOWS, .axis = (int8_t)axis};
    bool known = !told;
    for (size_t i = 0; told && i < ARRAY_LEN(words) && !known; i++)
        if (str_is(how, words[i].word)) {
            c.how = (uint8_t)words[i].how;
            known = true;
        }
    for (int i = 0; i < d->cuts; i++)
        known &= d->cut[i].by != by;
    if (by < 0 || !known || d->cuts == JOIN_STEPS)
        return false;
    if (join_combines_parts((enum join_how)c.how))
        c.axis = -1;
    d->cut[d->cuts++] = c;
    return true;
}

/* "s[cp:zigzag,tp]" */
static bool parse_axis(struct dims *d, struct str word)
{
    struct str name, rest, inside;
    if (d->ndim == TENSOR_DIMS)
        return false;
    int axis = d->ndim++;
    if (!str_split(word, '[', &name, &rest))
        return name.n > 0;
    bool more = name.n && rest.n && rest.p[rest.n - 1] == ']';
    if (!more)
        return false;
    for (rest.n--; more; ) {
        more = str_split(rest, ',', &inside, &rest);
        if (!parse_cut(d, inside, axis))
            return false;
    }
    return true;
}

int dims_parse(struct dims *d, struct str text, struct err *e)
{
    ptrdiff_t at = str_rfind(text, '=');
    struct str axes = str_cut(text, (size_t)(at + 1)), word;
    bool fits = at != 0;
    *d = (struct dims){.ndim = 0};
    if (at > 0)
        d->pattern = str_n(text.p, (size_t)at);
    for (bool more = axes.n > 0; more && fits; ) {
        more = str_split(axes, ' ', &word, &axes);
        fits = !word.n || parse_axis(d, word);
    }
    if (fits && d->ndim)
        return 0;
    return err_set(e, ERR_USAGE,
                   _("--dims: expected axes as in \"PATTERN=s[cp:zigzag] b[dp] h[tp]\" or \"h[tp:sum]\", found "
                     "\"%.*s\""),
                   STR_ARG(text));
}

/* Whether a row is the input or output of a layer in the forward pass: a module whose path ends with a number. */
static bool hidden_states(const struct whole_rows *r, const struct whole_row *x)
{
    const struct whole_call *c = &r->calls->calls.v[x->call];
    struct str path = str_of(c->group);
    unsigned long long n;
    return c->kind == CALL_MODULE && c->phase == PHASE_FORWARD && !c->gradient && x->io != IO_PARAMETER &&
           str_u64(str_cut(path, (size_t)(str_rfind(path, '.') + 1)), &n);
}

/* Whether it matches a name of the row on any rank. */
static bool dims_match(const struct dims *d, const struct whole_rows *r, const struct whole_row *x)
{
    if (x->kind != ROW_TENSOR || x->ndim != d->ndim)
        return false;
    if (!d->pattern.n)
        return hidden_states(r, x);
    struct buf name = {0}, pattern = {0};
    const struct part_row *p = &x->parts.v[0];
    dump_row_name(&part_dump(r, p)->dump, p->row, &name);
    buf_str(&pattern, d->pattern);
    bool is = fnmatch(pattern.p, name.p, 0) == 0;
    buf_release(&name);
    buf_release(&pattern);
    return is;
}

uint32_t dims_of_row(const struct dims_list *l, const struct whole_rows *r, const struct whole_row *x)
{
    for (size_t i = l->n; i-- > 0; )
        if (dims_match(&l->v[i], r, x))
            return (uint32_t)i;
    return NONE;
}

bool dims_allow(const struct dims *d, const struct join_step *s)
{
    for (int i = 0; i < d->cuts; i++) {
        const struct dims_cut *c = &d->cut[i];
        if (c->by != s->by)
            continue;
        return s->axis == c->axis && (c->how == JOIN_HOWS || s->how == c->how);
    }
    return s->by == CUT_MICRO || s->how == JOIN_REPLICA;
}
