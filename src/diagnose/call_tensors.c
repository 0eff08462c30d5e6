/* Finds the call that computed a row's value, its inputs and named arguments, and reads tensors whole. */
#include "diagnose/call_tensors.h"

#include <stdlib.h>

#include "base/embed.h"
#include "dump/family.h"
#include "pair/align_item.h"

static bool forward_output(const struct dump *d, uint32_t row)
{
    return d->rows.v[row].io == IO_OUTPUT && d->calls.v[d->rows.v[row].call].phase == PHASE_FORWARD;
}

uint32_t value_output(const struct dump *d, const struct dataflow *f, uint32_t row)
{
    for (int i = 0; row != NONE && i < MAKERS_MOST; i++, row = f->held[row])
        if (forward_output(d, row))
            return row;
    return NONE;
}

uint32_t value_output_before(const struct dump *d, const struct dataflow *f, uint32_t output)
{
    return f->held[output] == NONE ? NONE : value_output(d, f, f->held[output]);
}

static bool is_word(const char *words, struct str word)
{
    struct str rest = str_of(words), one;
    while (rest.n) {
        str_split(rest, ' ', &one, &rest);
        if (str_ieq(one, word))
            return true;
    }
    return false;
}

struct str slot_word(const struct dump *d, uint32_t row)
{
    struct str slot = str_of(d->slots.v[d->rows.v[row].slot]);
    ptrdiff_t dot = str_rfind(slot, '.');
    return dot < 0 ? slot : str_cut(slot, (size_t)dot + 1);
}

uint32_t call_input(const struct dump *d, uint32_t call, int nth)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && nth-- == 0)
            return r;
    return NONE;
}

uint32_t call_tensor(const struct dump *d, uint32_t call, const char *words)
{
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        if ((x->io == IO_INPUT || x->io == IO_PARAMETER) && x->kind == ROW_TENSOR && is_word(words, slot_word(d, r)))
            return r;
    }
    return NONE;
}

/* The names of an operator's signature, "p=0.5 training=True"; empty where it is not listed. */
static struct str signature(struct str op)
{
    struct str rest = embed_str(&embed_arguments_tsv), line, name;
    char a[FAMILY_PLAIN], b[FAMILY_PLAIN];
    struct str want = family_plain(op, a);
    while (rest.n) {
        str_split(rest, '\n', &line, &rest);
        if (line.n && line.p[0] != '#' && str_split(line, '\t', &name, &line) && str_eq(family_plain(name, b), want))
            return line;
    }
    return str_n("", 0);
}

static struct str listed_name(struct str op, uint64_t nth)
{
    struct str rest = signature(op), one, name, value;
    for (uint64_t i = 0; rest.n; i++) {
        str_split(rest, ' ', &one, &rest);
        str_split(one, '=', &name, &value);
        if (i == nth)
            return name;
    }
    return str_n("", 0);
}

struct str left_out_value(const struct dump *d, uint32_t call, struct str argument)
{
    struct str rest = signature(align_item_operator(d, call)), one, name, value;
    while (rest.n) {
        str_split(rest, ' ', &one, &rest);
        if (str_split(one, '=', &name, &value) && str_eq(name, argument))
            return value;
    }
    return str_n("", 0);
}

/* "input.4.0" → 4: the place of the argument, not of what lies in it. */
struct str argument_name(const struct dump *d, uint32_t row)
{
    struct str slot = str_of(d->slots.v[d->rows.v[row].slot]), io, place, rest;
    unsigned long long nth;
    if (d->rows.v[row].io != IO_INPUT || !str_split(slot, '.', &io, &rest))
        return str_n("", 0);
    str_split(rest, '.', &place, &rest);
    if (!str_u64(place, &nth))
        return place;
    return listed_name(align_item_operator(d, d->rows.v[row].call), nth);
}

uint32_t call_argument(const struct dump *d, uint32_t call, const char *words)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind != ROW_TENSOR && d->rows.v[r].kind != ROW_NULL &&
            is_word(words, argument_name(d, r)))
            return r;
    return NONE;
}

bool tensor_values(const struct dump *d, uint32_t row, struct element_sample *out)
{
    struct err e;
    if (row == NONE || d->rows.v[row].kind != ROW_TENSOR || !dump_row_readable(d, row))
        return false;
    return element_sample_row(out, d, row, ELEMENT_SAMPLE_MOST, &e) == 0;
}
