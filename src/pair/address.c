/* Builds the addresses of a side's calls and rows, numbering operators within their place, and finds a row by its
 * address. */
#include "pair/address.h"

#include <stdlib.h>

#include "pair/align_item.h"

#define FRAMES 4 /* stack frames used for a place */

static void add_frames(const struct dump *d, const struct stack *s, bool own, struct buf *out)
{
    int n = 0;
    for (uint32_t i = 0; i < s->n && n < FRAMES; i++) {
        const struct frame *f = &d->frames.v[d->stack_frames.v[s->first + i]];
        if (!*f->file || (own && frame_is_library(f)))
            continue;
        if (n++)
            buf_char(out, '<');
        frame_place(f, out);
    }
}

/* Appends the part of an address before the operator. */
static void place_among_calls(const struct dump *d, uint32_t call, struct buf *out)
{
    const struct call *c = &d->calls.v[call], *twin = c->twin == NONE ? c : &d->calls.v[c->twin];
    uint32_t scope = c->scope != NONE ? c->scope : twin->scope, stack = dump_call_stack(d, call, NULL);
    if (scope != NONE) {
        buf_cstr(out, d->scopes.v[scope]);
        return;
    }
    if (stack != NONE) {
        size_t before = out->n;
        add_frames(d, &d->stacks.v[stack], true, out);
        if (out->n == before)
            add_frames(d, &d->stacks.v[stack], false, out);
        if (out->n > before)
            return;
    }
    EACH_ROW(d, call, r)
        if (d->rows.v[r].io == IO_OUTPUT && dump_row_shape(d, r)) {
            shape_text(dump_row_shape(d, r), out);
            return;
        }
}

const char *address_phase(const struct call *c)
{
    static const char *const phase[PHASE_COUNT] = {"forward", "backward", "optimizer"};
    return c->gradient ? "gradient" : phase[c->phase];
}

static uint64_t kind_key(const struct dump *d, uint32_t call, struct buf *text)
{
    buf_clear(text);
    place_among_calls(d, call, text);
    buf_char(text, '/');
    buf_str(text, align_item_operator(d, call));
    buf_char(text, '/');
    buf_cstr(text, address_phase(&d->calls.v[call]));
    return hash_bytes(text->p, text->n, 17);
}

static uint64_t call_key(struct str address, const char *phase)
{
    return hash_bytes(phase, strlen(phase), hash_bytes(address.p, address.n, 19));
}

void addresses_build(struct addresses *a, const struct dump *d)
{
    struct buf text = {0};
    *a = (struct addresses){.d = d, .ordinal = mem_alloc((d->calls.n + 1) * sizeof *a->ordinal)};
    for (uint32_t c = 0; c < d->calls.n; c++) {
        uint64_t k = kind_key(d, c, &text);
        uint32_t n = nmap_get(&a->counts, k);
        a->ordinal[c] = n == MAP_NONE ? 0 : n;
        nmap_set(&a->counts, k, a->ordinal[c] + 1);
        address_of_call(a, c, &text);
        nmap_add(&a->calls, call_key(buf_view(&text), address_phase(&d->calls.v[c])), c);
    }
    buf_release(&text);
}

void addresses_release(struct addresses *a)
{
    free(a->ordinal);
    nmap_release(&a->calls);
    nmap_release(&a->counts);
    *a = (struct addresses){0};
}

void address_of_call(const struct addresses *a, uint32_t call, struct buf *out)
{
    buf_clear(out);
    place_among_calls(a->d, call, out);
    buf_char(out, '/');
    buf_str(out, align_item_operator(a->d, call));
    buf_char(out, '@');
    buf_count(out, a->ordinal[call]);
}

void address_of_row(const struct addresses *a, uint32_t row, struct buf *out)
{
    const struct row *r = &a->d->rows.v[row];
    address_of_call(a, r->call, out);
    buf_char(out, '/');
    buf_cstr(out, address_phase(&a->d->calls.v[r->call]));
    buf_char(out, '.');
    buf_cstr(out, a->d->slots.v[r->slot]);
}

uint32_t address_count(const struct addresses *a, uint32_t call)
{
    struct buf text = {0};
    uint32_t n = nmap_get(&a->counts, kind_key(a->d, call, &text));
    buf_release(&text);
    return n == MAP_NONE ? 0 : n;
}

/* Finds the row if `slash` separates the operator from phase and slot. */
static uint32_t find_at(const struct addresses *a, struct str address, size_t slash, struct buf *text)
{
    struct str phase, slot;
    if (!str_split(str_cut(address, slash + 1), '.', &phase, &slot))
        return NONE;
    buf_clear(text);
    buf_str(text, phase);
    uint32_t c = nmap_get(&a->calls, call_key(str_n(address.p, slash), text->n ? text->p : ""));
    if (c == MAP_NONE)
        return NONE;
    uint32_t named = map_get(&a->d->slot_names, slot), r = named == MAP_NONE ? NONE : dump_slot_row(a->d, c, named);
    if (r == NONE)
        return NONE;
    address_of_row(a, r, text);
    return str_eq(buf_view(text), address) ? r : NONE; /* another address may have the same hash */
}

uint32_t address_find(const struct addresses *a, struct str address)
{
    struct buf text = {0};
    uint32_t found = NONE;
    /* a slot's name may contain a slash: an argument's name is any text */
    for (size_t at = address.n; at-- > 0 && found == NONE;)
        if (address.p[at] == '/')
            found = find_at(a, address, at, &text);
    buf_release(&text);
    return found;
}
