/* Writes msprobe's api mapping: kinds of operators whose calls are all paired in the same way. The mapping replaces
 * one name by the other and keeps the call's number. */
#include "report/mapping_output_parts.h"

#include <stdlib.h>

#include "base/map.h"

enum { SLOTS_MOST = 256 };

struct api {
    struct str name[2];
    VEC(struct mapping_slot) slots;
    bool out; /* not the same everywhere */
};

struct apis {
    VEC(struct api) v; /* in the target's order */
    struct map at;     /* target name → index */
    bool *paired;      /* per target call */
};

/* Whether the slot is consistent with earlier ones; it is stored. */
static bool add_slot(struct api *a, struct mapping_slot x)
{
    for (size_t i = 0; i < a->slots.n; i++) {
        const struct mapping_slot *s = &a->slots.v[i];
        if (s->io == x.io && (str_eq(s->target, x.target) || str_eq(s->golden, x.golden)))
            return str_eq(s->target, x.target) && str_eq(s->golden, x.golden);
    }
    if (a->slots.n == SLOTS_MOST)
        return false;
    vec_push(&a->slots, x);
    return true;
}

static void collect_api_pair(struct apis *k, const struct mapping_pairs *x, const struct line *l)
{
    struct str name[2], rest[2];
    const struct row *row[2];
    for (int s = 0; s < 2; s++) {
        row[s] = &x->d[s]->rows.v[l->row[s]];
        uint32_t c = row[s]->call;
        if (x->d[s]->calls.v[c].kind != CALL_API || !mapping_apply_api(dump_call_name(x->d[s], c), &name[s], &rest[s]))
            return;
    }
    uint32_t i = map_add(&k->at, name[TARGET], (uint32_t)k->v.n);
    if (i == k->v.n) {
        struct api fresh = {.name = {name[TARGET], name[GOLDEN]}};
        vec_push(&k->v, fresh);
    }
    struct api *a = &k->v.v[i];
    struct mapping_slot slot = {row[TARGET]->io, mapping_apply_slot(x->d[TARGET], l->row[TARGET]),
                                mapping_apply_slot(x->d[GOLDEN], l->row[GOLDEN])};
    k->paired[row[TARGET]->call] = true;
    a->out = a->out || mapping_part(x, l) || row[TARGET]->io != row[GOLDEN]->io ||
             !str_eq(a->name[GOLDEN], name[GOLDEN]) || !str_eq(rest[TARGET], rest[GOLDEN]) || !slot.target.n ||
             !slot.golden.n || !add_slot(a, slot);
}

/* A call without a counterpart must not get one by its number. */
static void look_at_gaps(struct apis *k, const struct mapping_pairs *x)
{
    struct buf there = {0};
    for (uint32_t c = 0; c < x->d[TARGET]->calls.n; c++) {
        struct str name, rest;
        if (k->paired[c] || !mapping_apply_api(dump_call_name(x->d[TARGET], c), &name, &rest))
            continue;
        uint32_t i = map_get(&k->at, name);
        if (i == MAP_NONE || x->d[TARGET]->calls.v[c].kind != CALL_API)
            continue;
        buf_clear(&there);
        buf_str(&there, k->v.v[i].name[GOLDEN]);
        buf_char(&there, '.');
        buf_str(&there, rest);
        if (map_get(&x->d[GOLDEN]->call_names, buf_view(&there)) != MAP_NONE)
            k->v.v[i].out = true;
    }
    buf_release(&there);
}

static void write_slots(struct buf *out, const struct api *a, enum row_io io, const char *const keys[2], bool always)
{
    for (int s = 0; s < 2; s++) {
        bool any = false;
        for (size_t i = 0; i < a->slots.n; i++) {
            const struct mapping_slot *x = &a->slots.v[i];
            struct str text = s ? x->golden : x->target;
            unsigned long long number;
            if (x->io != io)
                continue;
            if (any)
                buf_cstr(out, ", ");
            else
                buf_fmt(out, "  %s: [", keys[s]);
            any = true;
            if (str_u64(text, &number) && (text.n == 1 || text.p[0] != '0'))
                buf_str(out, text);
            else
                mapping_scalar(out, text);
        }
        if (any)
            buf_cstr(out, "]\n");
        else if (always)
            buf_fmt(out, "  %s: []\n", keys[s]);
    }
}

static void write_api(struct buf *out, const struct api *a)
{
    static const struct {
        enum row_io io;
        const char *keys[2];
        bool always; /* msprobe does not ask whether they are there */
    } lists[] = {
        {IO_INPUT, {"ms_args", "pt_args"}, true},
        {IO_OUTPUT, {"ms_output", "pt_output"}, true},
        {IO_PARAMETER, {"ms_parameters", "pt_parameters"}, false},
        {IO_GRADIENT, {"ms_parameters_grad", "pt_parameters_grad"}, false},
    };
    buf_cstr(out, "- ");
    mapping_entry_write(out, "", STR("ms_api"), a->name[TARGET]);
    mapping_entry_write(out, "  ", STR("pt_api"), a->name[GOLDEN]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        write_slots(out, a, lists[i].io, lists[i].keys, lists[i].always);
}

void mapping_write_apis(struct out *o, const struct mapping_pairs *x)
{
    struct apis k = {.paired = mem_zalloc(x->d[TARGET]->calls.n + 1)};
    size_t out = 0;
    for (size_t i = 0; i < x->p->lines.n; i++)
        if (mapping_pair(x, &x->p->lines.v[i]))
            collect_api_pair(&k, x, &x->p->lines.v[i]);
    look_at_gaps(&k, x);
    for (size_t i = 0; i < k.v.n; i++)
        out += k.v.v[i].out;
    if (out)
        buf_fmt(&o->buf,
                "# %zu kinds of operators are left out: their calls have not all the same partner, "
                "number and places\n",
                out);
    if (out == k.v.n)
        buf_cstr(&o->buf, "[]\n");
    for (size_t i = 0; i < k.v.n; i++) {
        if (!k.v.v[i].out)
            write_api(&o->buf, &k.v.v[i]);
        vec_release(&k.v.v[i].slots);
        out_flow(o);
    }
    vec_release(&k.v);
    map_release(&k.at);
    free(k.paired);
}
