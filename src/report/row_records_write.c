/* Writes calls and rows as records of packs and digests. */
#include "report/row_records_write.h"

#include "dump/family.h"

static void write_known_number(struct jsonw *w, const char *key, uint32_t n)
{
    if (n != NONE)
        jw_kint(w, key, n);
}

void row_records_begin(struct jsonw *w, struct buf *out)
{
    jw_init(w, out, false);
    jw_object(w);
}

void row_records_end(struct jsonw *w)
{
    jw_end_object(w);
    buf_char(w->out, '\n');
}

void row_records_head_write(struct jsonw *w, const struct dump *d)
{
    const char joint[2] = {d->joint, 0};
    jw_kcstr(w, "framework", d->framework);
    jw_kcstr(w, "level", d->level);
    jw_kcstr(w, "task", d->task);
    jw_kint(w, "digits", d->digits);
    jw_kcstr(w, "joint", joint);
    jw_kbool(w, "checksums", d->checksums);
}

static void as_it_is(struct jsonw *w, const void *ctx, const char *s)
{
    (void)ctx;
    jw_cstr(w, s);
}

void row_records_stack(struct jsonw *w, const struct dump *d, const struct stack *s, const struct stack_texts *t)
{
    static const struct stack_texts plain = {as_it_is, as_it_is, NULL};
    t = t ? t : &plain;
    jw_karray(w, "stack");
    for (uint32_t i = 0; i < s->n; i++) {
        const struct frame *f = &d->frames.v[d->stack_frames.v[s->first + i]];
        if (f->raw) {
            t->text(w, t->ctx, f->raw);
            continue;
        }
        jw_array(w);
        t->file(w, t->ctx, f->file);
        jw_int(w, f->line);
        jw_cstr(w, f->func);
        jw_cstr(w, f->code);
        jw_end_array(w);
    }
    jw_end_array(w);
}

void row_records_call(struct jsonw *w, const struct dump *d, uint32_t call, const struct call_record_links *l)
{
    const struct call *c = &d->calls.v[call];
    jw_kstr(w, "call", dump_call_name(d, call));
    jw_kint(w, "kind", c->kind);
    jw_kint(w, "phase", c->phase);
    jw_kcstr(w, "family", family_name((enum family)c->family));
    if (c->scope != NONE)
        jw_kcstr(w, "scope", d->scopes.v[c->scope]);
    write_known_number(w, "stack", l->stack);
    write_known_number(w, "in", l->parent);
    write_known_number(w, "twin", l->twin);
    if (c->gradient)
        jw_kbool(w, "gradient", true);
}

static void write_extra_counts(struct jsonw *w, const struct row_extra *x)
{
    if (!x || !x->counts) {
        jw_null(w);
        return;
    }
    const uint64_t v[] = {x->nan, x->neg_inf, x->pos_inf, x->zero};
    jw_array(w);
    jw_int(w, x->counts);
    for (size_t i = 0; i < ARRAY_LEN(v); i++)
        jw_int(w, (int64_t)v[i]);
    jw_end_array(w);
}

void shape_json(struct jsonw *w, const struct shape *shape)
{
    if (!shape) {
        jw_null(w);
        return;
    }
    jw_array(w);
    for (int i = 0; i < shape->ndim; i++)
        jw_int(w, shape->dim[i]);
    jw_end_array(w);
}

void row_records_row(struct jsonw *w, const struct dump *d, uint32_t row, uint32_t call)
{
    const struct row *r = &d->rows.v[row];
    jw_int(w, call);
    jw_cstr(w, d->slots.v[r->slot]);
    jw_int(w, r->io);
    jw_int(w, r->kind);
    jw_cstr(w, dtype_table[r->dtype].name);
    jw_int(w, r->has & (0xff | IS_UNPARSED) & ~(HAS_FILE | IS_DAMAGED));
    shape_json(w, dump_row_shape(d, row));
    jw_array(w);
    for (int i = 0; i < STAT_COUNT; i++)
        jw_num(w, r->stat[i]);
    jw_end_array(w);
    jw_cstr(w, r->text);
    write_extra_counts(w, r->extra == NONE ? NULL : &d->extras.v[r->extra]);
}
