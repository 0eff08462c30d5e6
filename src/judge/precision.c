/* Collects the lines whose sides differ in floating type, by scope without layer numbers. */
#include "judge/precision.h"

#include "dump/family.h"

void precision_general_name(struct str name, struct buf *out)
{
    struct str rest = name, part;
    unsigned long long n;
    for (bool again = true, first = true; again; first = false) {
        again = str_split(rest, '.', &part, &rest);
        if (!first)
            buf_char(out, '.');
        if (str_u64(part, &n))
            buf_char(out, '*');
        else
            buf_str(out, part);
    }
}

/* A bias inside a layer's own call: the type in which it is added is a setting of its own. */
static bool is_bias(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    const struct shape *s = dump_row_shape(d, row);
    struct str slot = str_of(d->slots.v[r->slot]);
    return str_ends(slot, ".bias") ||
           (r->io == IO_INPUT && d->calls.v[r->call].family == FAMILY_LINEAR && str_ends(slot, ".2") && s &&
            s->ndim == 1);
}

void precision_find(const struct judgement *j, const struct measure *m, struct arena *a, precision_list *out)
{
    struct map seen = {0};
    struct buf key = {0};
    for (uint32_t i = 0; i < j->lines; i++) {
        if (!(j->line[i].flags & LINE_DTYPE_DIFF))
            continue;
        const struct line *l = &m->pairing->lines.v[i];
        const struct row *t = &m->side[TARGET]->rows.v[l->row[TARGET]];
        const struct row *g = &m->side[GOLDEN]->rows.v[l->row[GOLDEN]];
        const struct dump *d = m->side[TARGET];
        const struct call *c = &d->calls.v[t->call];
        buf_clear(&key);
        precision_general_name(c->scope != NONE ? str_of(d->scopes.v[c->scope]) : dump_call_name(d, t->call), &key);
        if (is_bias(d, l->row[TARGET]))
            buf_cstr(&key, " bias");
        size_t scope = key.n;
        buf_fmt(&key, " %d %d", t->dtype, g->dtype);
        uint32_t at = map_get(&seen, buf_view(&key));
        if (at == MAP_NONE) {
            struct str kept = arena_str(a, buf_view(&key));
            struct precision p = {
                .scope = arena_cstr(a, str_n(kept.p, scope)),
                .dtype = {t->dtype, g->dtype},
                .first = i,
            };
            at = (uint32_t)out->n;
            map_add(&seen, kept, at);
            vec_push(out, p);
        }
        out->v[at].rows++;
    }
    map_release(&seen);
    buf_release(&key);
}
