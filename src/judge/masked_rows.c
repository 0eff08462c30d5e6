/* Finds fully masked queries in attention masks, and compares tensors without their positions. */
#include "judge/masked_rows.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"
#include "measure/element_sample.h"
#include "num/masked.h"
#include "pair/align_item.h"
#include "pair/call_arguments.h"

#define MASKS_MOST 8 /* the most masks read: layers share theirs */
#define MASK_WORDS "attn_mask atten_mask attention_mask"

/* The meaning of a mask's elements. */
enum mask_form { MASK_ADDED, MASK_LETS_THROUGH, MASK_FORBIDS };

/* Booleans let through in torch's own attention, and exclude in the fused kernels of torch_npu and MindSpore. */
static enum mask_form mask_form(const struct dump *d, uint32_t row)
{
    uint32_t call = d->rows.v[row].call;
    bool own = align_item_does(d, call, STR("scaled_dot_product_attention")) ||
               d->calls.v[call].kind == CALL_MODULE;
    if (dtype_is_float((enum dtype)d->rows.v[row].dtype))
        return MASK_ADDED;
    return own ? MASK_LETS_THROUGH : MASK_FORBIDS;
}

static bool mask_forbids(enum mask_form form, double v)
{
    return form == MASK_ADDED ? !(v > MASK_FILL) : form == MASK_LETS_THROUGH ? v == 0 : v != 0;
}

/* Reads a mask [batch, heads, queries, keys] or [batch, queries, keys]; of several heads the first is used. */
static void take_mask(struct masked_rows *x, const struct dump *d, uint32_t row)
{
    const struct shape *s = dump_row_shape(d, row);
    struct element_sample v;
    if (!s || (s->ndim != 3 && s->ndim != 4) || !element_sample_whole(&v, d, row))
        return;
    int64_t heads = s->ndim == 4 ? s->dim[1] : 1, keys = s->dim[s->ndim - 1];
    bool any = false, all = true;
    enum mask_form form = mask_form(d, row);
    x->batch = s->dim[0];
    x->tokens = s->dim[s->ndim - 2];
    x->masked = mem_zalloc((size_t)(x->batch * x->tokens) + 1);
    for (int64_t b = 0; b < x->batch; b++)
        for (int64_t t = 0; t < x->tokens; t++) {
            const double *key = v.v[0] + (b * heads * x->tokens + t) * keys;
            bool none = keys > 0;
            for (int64_t k = 0; k < keys && none; k++)
                none = mask_forbids(form, key[k]);
            x->masked[b * x->tokens + t] = none;
            any = any || none;
            all = all && none;
        }
    element_sample_release(&v);
    if (any && !all && x->tokens > 1)
        return;
    free(x->masked);
    x->masked = NULL;
}

static bool is_mask(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    bool attention = d->calls.v[r->call].family == FAMILY_ATTENTION || d->calls.v[r->call].kind == CALL_MODULE;
    return attention && r->io == IO_INPUT && r->kind == ROW_TENSOR && d->calls.v[r->call].phase == PHASE_FORWARD &&
           is_one_of(MASK_WORDS, argument_name(d, row));
}

static void look_for_masked_rows(struct masked_rows *x, const struct measure *m)
{
    x->looked = true;
    for (int s = 0; s < 2 && !x->masked; s++) {
        int left = MASKS_MOST;
        for (uint32_t r = 0; r < m->side[s]->rows.n && left && !x->masked; r++)
            if (is_mask(m->side[s], r)) {
                take_mask(x, m->side[s], r);
                left--;
            }
    }
}

/* The number of elements before the tokens' axis, after it, and per batch entry; false if the tensor has no such
 * axis. */
static bool token_axis(const struct masked_rows *x, const struct element_sample *v, size_t *between, size_t *behind)
{
    int axis = 1;
    *between = *behind = 1;
    if (v->ndim >= 2 && v->shape[0] == x->batch * x->tokens && x->batch > 1)
        axis = 0;
    else if (v->ndim < 2 || v->shape[0] != x->batch)
        return false;
    for (; axis && axis < v->ndim && v->shape[axis] != x->tokens; axis++)
        *between *= (size_t)v->shape[axis];
    if (axis >= v->ndim)
        return false;
    for (int i = axis + 1; i < v->ndim; i++)
        *behind *= (size_t)v->shape[i];
    return *behind > 0;
}

/* Whether element i is at a masked position. */
static bool is_masked(const struct masked_rows *x, size_t i, size_t between, size_t behind)
{
    size_t token = i / behind % (size_t)x->tokens, batch = i / behind / (size_t)x->tokens / between;
    return x->masked[batch * (size_t)x->tokens + token];
}

bool is_in_masked_rows(struct masked_rows *x, const struct judgement *j, const struct measure *m, uint32_t line,
                       double *error)
{
    const struct line *l = &m->pairing->lines.v[line];
    const struct line_judgement *own = &j->line[line];
    struct element_sample v[2] = {{.n = 0}};
    size_t between, behind, masked = 0;
    double off = 0, whole = 0;
    if ((own->rule != RULE_LIMIT && own->rule != RULE_JUMP) || own->flags & LINE_STATISTICS || l->pair == NONE ||
        m->pairing->pairs.v[l->pair].view != NONE)
        return false;
    if (!x->looked)
        look_for_masked_rows(x, m);
    bool fine = x->masked && element_sample_whole(&v[0], m->side[0], l->row[0]) &&
                element_sample_whole(&v[1], m->side[1], l->row[1]) && v[0].n == v[1].n && v[0].n > 0 &&
                token_axis(x, &v[1], &between, &behind);
    for (size_t i = 0; fine && i < v[0].n; i++) {
        double t = v[0].v[0][i], g = v[1].v[0][i];
        if (is_masked(x, i, between, behind)) {
            masked++;
            continue;
        }
        off += (t - g) * (t - g);
        whole += g * g;
    }
    for (int s = 0; s < 2; s++)
        element_sample_release(&v[s]);
    *error = sqrt(off / whole);
    return fine && masked > 0 && whole > 0 && *error <= (double)own->limit;
}

void masked_rows_release(struct masked_rows *x)
{
    free(x->masked);
}
