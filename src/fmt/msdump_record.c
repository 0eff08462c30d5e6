/* The calls and rows of MindSpore's own Dump, as its tables and its files name them. */
#include "dump/family.h"
#include "fmt/msdump.h"

#define SLOT_MOST 63 /* bytes of a slot's name that are kept */

/* "Default_network-Llama_layers-CellList_0-Layer_wq-Linear_MatMul-op0" → "network.layers.0.wq".
 * '/' became '_' in the file, so an attribute's own underscores are put back by joining what has no
 * "-Class" to what follows. */
static void scope_of(struct str op, struct buf *out)
{
    struct str rest = op, part;
    struct buf word = {0};
    buf_clear(out);
    for (bool again = true; again;) {
        again = str_split(rest, '_', &part, &rest);
        if (!again)
            break; /* the last component is the operator itself */
        ptrdiff_t dash = str_find(part, '-');
        if (dash < 0) {
            if (!str_is(part, "Default") && !str_is(part, "Gradients")) {
                buf_str(&word, part);
                buf_char(&word, '_');
            }
            continue;
        }
        if (out->n)
            buf_char(out, '.');
        buf_str(out, buf_view(&word));
        buf_str(out, str_n(part.p, (size_t)dash));
        buf_clear(&word);
    }
    buf_release(&word);
}

static enum call_phase phase_of(struct str type, struct str op)
{
    if (str_starts(op, "Gradients"))
        return PHASE_BACKWARD;
    if (str_has(op, "optimizer-") || family_find(type) == FAMILY_OPTIMIZER)
        return PHASE_OPTIMIZER;
    return PHASE_FORWARD;
}

/* "first.second" in out, each up to a NUL; without printf, because every table row has two such names. */
static struct str join_words(struct buf *out, struct str first, struct str second)
{
    buf_clear(out);
    buf_str(out, str_n(first.p, strnlen(first.p, first.n)));
    buf_char(out, '.');
    buf_str(out, str_n(second.p, strnlen(second.p, second.n)));
    return buf_view(out);
}

uint32_t msdump_call(struct dump *d, struct map *runs, struct str type, struct str op, uint32_t slot, uint64_t line)
{
    struct buf name = {0}, scope = {0};
    bool fresh;
    uint32_t c = dump_run(d, runs, join_words(&name, type, op), slot, CALL_OPERATOR, phase_of(type, op), &fresh);
    if (fresh) {
        d->calls.v[c].family = (uint8_t)family_find(type);
        d->calls.v[c].offset = line;
        scope_of(op, &scope);
        if (scope.n)
            d->calls.v[c].scope = dump_scope(d, buf_view(&scope));
    }
    buf_release(&name);
    buf_release(&scope);
    return c;
}

uint32_t msdump_slot(struct dump *d, struct str io, struct str slot)
{
    struct buf name = {0};
    struct str s = join_words(&name, io, slot);
    uint32_t number = dump_slot(d, str_n(s.p, s.n < SLOT_MOST ? s.n : SLOT_MOST));
    buf_release(&name);
    return number;
}

uint32_t msdump_extra(struct dump *d, struct row_extra x)
{
    vec_push(&d->extras, x);
    return (uint32_t)d->extras.n - 1;
}
