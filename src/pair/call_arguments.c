/* Names and defaults of call arguments, from their slots and from the signatures in data/arguments.tsv. */
#include "pair/call_arguments.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/embed.h"
#include "base/map.h"
#include "dump/family.h"
#include "pair/align_item.h"

/* arguments that change no output number; a type is recorded with the row */
#define WITHOUT_EFFECT "inplace return_indices sparse dtype"

bool is_one_of(const char *words, struct str word)
{
    struct str rest = str_of(words), one;
    while (rest.n) {
        one = str_next(&rest, ' ');
        if (str_ieq(one, word))
            return true;
    }
    return false;
}

uint32_t call_input(const struct dump *d, uint32_t call, int nth)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && nth-- == 0)
            return r;
    return NONE;
}

/* One argument of a signature: the operator's name for it, torch's name, and its default. */
struct argument {
    struct str own, name, value;
};

static bool next_argument(struct str *rest, struct argument *out)
{
    struct str one, name;
    if (!rest->n)
        return false;
    one = str_next(rest, ' ');
    str_split(one, '=', &name, &out->value);
    if (!str_split(name, '/', &out->own, &out->name))
        out->name = out->own;
    return true;
}

/* The lines of data/arguments.tsv by library and operator, loaded once. */
static struct {
    pthread_once_t once;
    struct arena arena;
    struct map at; /* key → offset of its arguments in the file */
} table = {.once = PTHREAD_ONCE_INIT};

#define KEY_MOST (FAMILY_PLAIN + 32)

/* "mindspore.ops:softmax"; the libraries of the table all have short names. */
static struct str signature_key(struct str library, struct str op, char out[KEY_MOST])
{
    char plain[FAMILY_PLAIN];
    struct str name = family_plain(op, plain);
    int n = snprintf(out, KEY_MOST, "%.*s:%.*s", (int)library.n, library.p, (int)name.n, name.p);
    return str_n(out, n < KEY_MOST ? (size_t)n : KEY_MOST - 1);
}

static void load_signatures(void)
{
    struct str file = embed_str(&embed_arguments_tsv), rest = file, line, name, library, op;
    char key[KEY_MOST];
    while (rest.n) {
        line = str_next(&rest, '\n');
        if (!line.n || line.p[0] == '#' || !str_split(line, '\t', &name, &line))
            continue;
        if (!str_split(name, ':', &library, &op)) {
            op = name;
            library.n = 0;
        }
        map_add(&table.at, arena_str(&table.arena, signature_key(library, op, key)), (uint32_t)(line.p - file.p));
    }
}

/* The signature of an operator: "p=0.5 training=True"; empty if it is not listed. `origin`: the library. */
static struct str listed_signature(struct str origin, struct str op)
{
    char key[KEY_MOST];
    pthread_once(&table.once, load_signatures);
    uint32_t at = map_get(&table.at, signature_key(origin, op, key));
    struct str line = str_n("", 0), rest;
    if (at != MAP_NONE)
        str_split(str_cut(embed_str(&embed_arguments_tsv), at), '\n', &line, &rest);
    return line;
}

static bool is_kernel(const struct dump *d, uint32_t call)
{
    return str_starts(dump_call_name(d, call), "Primitive.");
}

bool call_records_arguments(const struct dump *d, uint32_t call)
{
    return !is_kernel(d, call) || str_ends(align_item_operator(d, call), "Ext");
}

/* MindSpore's kernels have positional arguments without names, except those that mint calls. */
static struct str call_signature(const struct dump *d, uint32_t call)
{
    struct str op = align_item_operator(d, call), name = dump_call_name(d, call), found = {0};
    bool kernel = is_kernel(d, call), mindspore = kernel || strcmp(d->framework, "mindspore") == 0;
    if (!call_records_arguments(d, call))
        return found;
    if (kernel) {
        op.n -= strlen("Ext");
    } else if (mindspore && !str_starts(name, "Mint")) {
        found = listed_signature(STR("mindspore.ops"), op);
    }
    if (mindspore && !found.n)
        found = listed_signature(STR("mindspore"), op);
    return found.n ? found : listed_signature(STR(""), op);
}

struct str left_out_value(const struct dump *d, uint32_t call, struct str argument)
{
    struct str rest = call_signature(d, call);
    struct argument one;
    while (next_argument(&rest, &one))
        if (str_eq(one.name, argument))
            return one.value;
    return str_n("", 0);
}

double left_out_number(const struct dump *d, uint32_t call, struct str argument)
{
    struct str value = left_out_value(d, call, argument);
    double number;
    if (str_double(value, &number))
        return number;
    uint32_t first = call_input(d, call, 0);
    const struct shape *s = first == NONE ? NULL : dump_row_shape(d, first);
    return str_is(value, "head_dim**-0.5") && s && s->ndim > 1 ? 1 / sqrt((double)s->dim[s->ndim - 1]) : NAN;
}

/* "input.4.0" → 4: the position of the argument, not of the value inside it. */
static struct str name_in(struct str signature, const struct dump *d, uint32_t row)
{
    struct str slot = str_of(d->slots.v[d->rows.v[row].slot]), io, place, rest;
    unsigned long long nth;
    if (d->rows.v[row].io != IO_INPUT || !str_split(slot, '.', &io, &rest))
        return str_n("", 0);
    place = str_next(&rest, '.');
    bool by_place = str_u64(place, &nth);
    struct argument one;
    for (uint64_t i = 0; next_argument(&signature, &one); i++)
        if (by_place ? i == nth : str_eq(one.own, place))
            return one.name;
    return by_place ? str_n("", 0) : place;
}

struct str argument_name(const struct dump *d, uint32_t row)
{
    return name_in(call_signature(d, d->rows.v[row].call), d, row);
}

int arguments_named(const struct dump *d, uint32_t call, struct named_argument out[ARGUMENTS_MOST])
{
    struct str names = call_signature(d, call);
    int n = 0;
    EACH_EARLY_ROW(d, call, r) {
        enum row_kind kind = (enum row_kind)d->rows.v[r].kind;
        if (kind != ROW_INT && kind != ROW_FLOAT && kind != ROW_BOOL && kind != ROW_STR)
            continue;
        struct str name = name_in(names, d, r);
        if (name.n && n < ARGUMENTS_MOST)
            out[n++] = (struct named_argument){r, name};
    }
    return n;
}

/* The part after the argument's position: "0" in "input.4.0". */
static struct str part_of(const struct dump *d, uint32_t row)
{
    struct str rest = str_of(d->slots.v[d->rows.v[row].slot]);
    str_next(&rest, '.');
    str_next(&rest, '.');
    return rest;
}

/* The axis as counted from the front (negative numbers count from the end); NAN if unknown. */
static double axis_from_front(const struct dump *d, uint32_t row)
{
    uint32_t first = call_input(d, d->rows.v[row].call, 0);
    const struct shape *s = first == NONE ? NULL : dump_row_shape(d, first);
    double v = d->rows.v[row].stat[STAT_MAX];
    return s ? (v < 0 ? v + s->ndim : v) : NAN;
}

static bool names_axis(struct str name)
{
    return str_is(name, "dim") || str_is(name, "dims");
}

bool argument_same(const struct dump *d, struct named_argument a, const struct dump *other, struct named_argument b)
{
    const struct row *x = &d->rows.v[a.row], *y = &other->rows.v[b.row];
    if (!str_eq(a.name, b.name) || is_one_of(WITHOUT_EFFECT, a.name) ||
        !str_eq(part_of(d, a.row), part_of(other, b.row)) || (x->kind == ROW_STR) != (y->kind == ROW_STR))
        return false;
    return !names_axis(a.name) || x->stat[STAT_MAX] == y->stat[STAT_MAX] ||
           axis_from_front(d, a.row) != axis_from_front(other, b.row);
}

uint32_t call_argument(const struct dump *d, uint32_t call, const char *words)
{
    struct str names = call_signature(d, call);
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind != ROW_TENSOR && d->rows.v[r].kind != ROW_NULL &&
            is_one_of(words, name_in(names, d, r)))
            return r;
    return NONE;
}
