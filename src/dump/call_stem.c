/* Removes the running number from a call's name. */
#include "dump/call_stem.h"

#include "dump/module_path.h"

static bool ends_in_phase(struct str s)
{
    return str_ends(s, "forward") || str_ends(s, "backward") || str_ends(s, "parameters_grad");
}

/* The call's number: at the end after the phase, or before the phase; n = 0: none. */
static struct str find_number(struct str name)
{
    size_t end = name.n, from;
    for (int before_phase = 0; before_phase < 2; before_phase++) {
        if (before_phase) {
            while (end && name.p[end - 1] != '.' && name.p[end - 1] != '_')
                end--;
            end -= end > 0;
        }
        for (from = end; from && char_is_digit(name.p[from - 1]);)
            from--;
        bool parted = from > 0 && from < end && (name.p[from - 1] == '.' || name.p[from - 1] == '_');
        if (parted && ends_in_phase(before_phase ? name : str_n(name.p, from - 1)))
            return str_n(name.p + from, end - from);
    }
    return str_n(name.p + name.n, 0);
}

uint64_t call_stem(struct str name)
{
    struct str number = find_number(name);
    size_t before = (size_t)(number.p - name.p), behind = before + number.n;
    uint64_t h = hash_bytes(name.p + behind, name.n - behind, hash_bytes(name.p, before, 23));
    return h ? h : 1;
}

uint64_t call_path_stem(const struct dump *d, uint32_t call)
{
    const struct call *c = &d->calls.v[call];
    if (c->kind != CALL_MODULE || c->scope == NONE)
        return 0;
    struct buf path = {0};
    module_path_plain(str_of(d->scopes.v[c->scope]), &path);
    uint64_t h = hash_bytes(path.p, path.n, 29 + c->phase * 2U + c->gradient);
    buf_release(&path);
    return h ? h : 1;
}
