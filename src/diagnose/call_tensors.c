/* Finds the call that computed a row's value and its inputs, and reads whole tensors. */
#include "diagnose/call_tensors.h"

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

/* The last component of the row's slot: "weight", "0". */
static struct str slot_word(const struct dump *d, uint32_t row)
{
    struct str slot = str_of(d->slots.v[d->rows.v[row].slot]);
    ptrdiff_t dot = str_rfind(slot, '.');
    return dot < 0 ? slot : str_cut(slot, (size_t)dot + 1);
}

uint32_t call_tensor(const struct dump *d, uint32_t call, const char *words)
{
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        if ((x->io == IO_INPUT || x->io == IO_PARAMETER) && x->kind == ROW_TENSOR && is_one_of(words, slot_word(d, r)))
            return r;
    }
    return NONE;
}

bool tensor_values(const struct dump *d, uint32_t row, struct element_sample *out)
{
    return row != NONE && d->rows.v[row].kind == ROW_TENSOR && dump_row_readable(d, row) &&
           element_sample_whole(out, d, row);
}
