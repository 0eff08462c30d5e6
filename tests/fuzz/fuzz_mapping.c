/* A user's file of correspondences, YAML or JSON, and what it means for two sides whose calls
 * follow it, a name a line
 * ("%%" between): pairs name rows that are there, names written as YAML come back. */
#include "fuzz.h"

#include "pair/mapping_file.h"
#include "fmt/msprobe.h"
#include "report/mapping_output_parts.h"

enum { CALLS_MOST = 64 };

/* "Cell.a.X.forward.0": with rows of each kind; each call is called by the one behind it. */
static void side(struct dump *d, struct str names)
{
    static const char *const slots[] = {"input.0", "input.1", "parameters.weight", "output.0"};
    static const uint8_t io[] = {IO_INPUT, IO_INPUT, IO_PARAMETER, IO_OUTPUT};
    struct str name;
    dump_init(d);
    d->joint = '.';
    while (names.n && d->calls.n < CALLS_MOST) {
        str_split(names, '\n', &name, &names);
        if (!name.n || name.n > 400)
            continue;
        uint32_t c = msprobe_add_call(d, name, 0);
        d->calls.v[c].parent = c ? c - 1 : NONE;
        for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
            struct row r = {.slot = dump_slot(d, str_of(slots[i])), .shape = NONE, .extra = NONE, .io = io[i]};
            dump_add_row(d, c, r);
        }
    }
    dump_link_twins(d);
    d->complete = true;
}

static void mean(const struct mapping *m, struct str target, struct str golden)
{
    struct dump t, g;
    struct mapping_applied x;
    side(&t, target);
    side(&g, golden);
    mapping_apply(&x, m, &t, &g);
    for (size_t i = 0; i < x.pairs.n; i++)
        assert(x.pairs.v[i].t < t.rows.n && (x.pairs.v[i].g == NONE || x.pairs.v[i].g < g.rows.n));
    mapping_applied_release(&x);
    dump_release(&t);
    dump_release(&g);
}

/* YAML's texts are UTF-8 by then, so nothing is lost. */
static void write_again(const struct mapping *m)
{
    struct mapping back = {.path = "again"};
    struct buf text = {0};
    struct err e;
    for (size_t i = 0; i < m->entries.n; i++)
        mapping_entry_write(&text, "", m->entries.v[i].target, m->entries.v[i].golden);
    if (mapping_yaml(&back, buf_view(&text), &e))
        abort();
    assert(back.kind != m->kind || back.entries.n == m->entries.n);
    for (size_t i = 0; back.kind == m->kind && i < back.entries.n; i++)
        assert(str_eq(back.entries.v[i].target, m->entries.v[i].target) &&
               str_eq(back.entries.v[i].golden, m->entries.v[i].golden));
    mapping_release(&back);
    buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mapping m;
    struct err e = {0};
    struct str rest = fuzz_str(data, size), file = fuzz_part(&rest), target = fuzz_part(&rest);
    if (mapping_load(&m, fuzz_file(file), &e)) {
        assert(e.text[0]);
        return 0;
    }
    for (size_t i = 0; i < m.entries.n; i++) {
        const struct mapping_entry *x = &m.entries.v[i];
        assert(strlen(x->target.p) <= x->target.n && x->slot + x->slots <= m.slots.n);
    }
    mean(&m, target, rest);
    if (m.kind == MAPPING_DATA || m.kind == MAPPING_CELL)
        write_again(&m);
    mapping_release(&m);
    return 0;
}
