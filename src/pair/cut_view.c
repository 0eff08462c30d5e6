/* Collects the axes that were cut, makes a slice of each, and finds where the slices begin. */
#include "pair/cut_view.h"

#include <math.h>

#include "pair/pairing.h"
#include "pair/tensor_sample.h"

static void add_axes(struct cut_axes *x, const struct dump *const d[2], const uint32_t row[2], int side)
{
    const struct shape *part = dump_row_shape(d[side], row[side]), *whole = dump_row_shape(d[!side], row[!side]);
    for (int i = 0; i < whole->ndim; i++) {
        int64_t out = whole->dim[i] - part->dim[i];
        if (out && x->side[side].n < CUT_AXES && !cut_tensors_axis(x->side[side].v, x->side[side].n, part, i, out))
            vec_push(&x->side[side], ((struct cut_axis){i, part->ndim - i, part->dim[i], out}));
    }
}

void cut_axes_see(struct cut_axes *x, const struct dump *const d[2], const uint32_t row[2])
{
    int side;
    if (cut_tensors_part(d, row, &side) &&
        cut_tensors_call(d[side], d[side]->rows.v[row[side]].call) == SHAPES_CONTRADICT &&
        cut_tensors_call(d[!side], d[!side]->rows.v[row[!side]].call) == SHAPES_FIT)
        add_axes(x, d, row, side);
}

void cut_axes_release(struct cut_axes *x)
{
    for (int i = 0; i < 2; i++)
        vec_release(&x->side[i]);
}

bool cut_view(const struct cut_axes *x, const struct dump *const d[2], const uint32_t row[2], struct view *v)
{
    int side;
    if (!cut_tensors_part(d, row, &side))
        return false;
    const struct shape *part = dump_row_shape(d[side], row[side]), *whole = dump_row_shape(d[!side], row[!side]);
    *v = (struct view){.side = (uint8_t)!side};
    for (int i = 0; i < whole->ndim; i++) {
        if (part->dim[i] == whole->dim[i])
            continue;
        if (v->count == VIEW_STEPS ||
            (!d[side]->tensors_cut && !cut_tensors_axis(x->side[side].v, x->side[side].n, part, i,
                                                        whole->dim[i] - part->dim[i])))
            return false;
        v->step[v->count++] = (struct view_step){.op = VIEW_SLICE, .n = 3, .v = {i, 0, part->dim[i]}};
    }
    return true;
}

/* ---- where the kept part begins ---- */

#define KINDS 1024   /* axes and sizes */
#define ASKED 12     /* pairs of each */
#define PLACES 4096  /* where a part of a longer axis begins is not searched */
#define TELLING 16   /* elements that do not agree by chance */
#define AGREES 0.05  /* relative error of the part … */
#define ELSEWHERE 0.3 /* … and of it at all other places, if it tells */

struct cut_place {
    int64_t axis, whole, part, begin;
    uint8_t side;
    int asked;
    bool told;
};

typedef VEC(struct cut_place) cut_place_list;

static struct cut_place *place_of(cut_place_list *all, const struct cut_place *k)
{
    for (size_t i = 0; i < all->n; i++) {
        struct cut_place *x = &all->v[i];
        if (x->axis == k->axis && x->whole == k->whole && x->part == k->part && x->side == k->side)
            return x;
    }
    if (all->n == KINDS)
        return NULL;
    vec_push(all, *k);
    return vec_last(all);
}

/* What does not tell by itself begins where other tensors of this axis do: one slice cuts them all. */
static void tell_others(cut_place_list *all)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < all->n && !all->v[i].told; k++) {
            const struct cut_place *x = &all->v[k];
            struct cut_place *y = &all->v[i];
            if (!x->told || x->side != y->side || x->axis != y->axis || x->begin + y->part > y->whole)
                continue;
            y->begin = x->begin;
            y->told = true;
        }
}

/* Tries the part at each place of the whole tensor. */
static void ask_cut_place(struct cut_place *k, const struct tensor *part, const struct tensor *whole)
{
    struct tensor_sample s;
    struct err quiet;
    int64_t best = 0;
    double least = INFINITY, next = INFINITY;
    bool read = tensor_sample_take(&s, part, &quiet) == 0;
    for (int64_t begin = 0; begin <= k->whole - k->part && read; begin++) {
        struct view v = {.count = 1, .step = {{.op = VIEW_SLICE, .n = 3, .v = {k->axis, begin, begin + k->part}}}};
        struct tensor at = *whole;
        double error;
        read = view_apply(&v, &at, &quiet) == 0 && tensor_sample_error(&s, &at, &error, &quiet) == 0;
        if (read && error < least) {
            next = least;
            least = error;
            best = begin;
        } else if (read && error < next) {
            next = error;
        }
    }
    tensor_sample_release(&s);
    k->told = read && s.n >= TELLING && least <= AGREES && next >= ELSEWHERE;
    k->begin = k->told ? best : 0;
}

static void ask_pair(struct cut_place *k, const struct dump *const d[2], const uint32_t row[2])
{
    struct tensor t[2];
    struct err quiet;
    if (k->told || k->asked >= ASKED || k->whole - k->part > PLACES ||
        dump_row_numel(d[k->side], row[k->side]) < TELLING || !dump_row_readable(d[0], row[0]) ||
        !dump_row_readable(d[1], row[1]) || dump_tensor(d[k->side], row[k->side], &t[0], &quiet))
        return;
    k->asked++;
    if (dump_tensor(d[!k->side], row[!k->side], &t[1], &quiet) == 0) {
        ask_cut_place(k, &t[0], &t[1]);
        tensor_close(&t[1]);
    }
    tensor_close(&t[0]);
}

void cut_places_find(struct pairing *p, const struct dump *target, const struct dump *golden)
{
    const struct dump *const d[2] = {target, golden};
    cut_place_list all = {0};
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            tell_others(&all);
        for (uint32_t i = 0; i < p->lines.n; i++) {
            const struct line *l = &p->lines.v[i];
            struct pair *pair = l->pair == NONE ? NULL : &p->pairs.v[l->pair];
            if (!pair || pair->cut == CUT_NO || pair->view == NONE)
                continue;
            struct view *v = &p->views.v[pair->view];
            bool told = true;
            for (int k = 0; k < v->count; k++) {
                int64_t *slice = v->step[k].v, n = slice[2] - slice[1];
                struct cut_place key = {.side = !v->side, .axis = slice[0], .part = n};
                key.whole = dump_row_shape(d[v->side], l->row[v->side])->dim[slice[0]];
                struct cut_place *at = place_of(&all, &key);
                if (at && pass == 0 && v->count == 1)
                    ask_pair(at, d, l->row);
                told = told && at && at->told;
                slice[1] = at ? at->begin : 0;
                slice[2] = slice[1] + n;
            }
            pair->cut = told ? CUT_TOLD : CUT_GUESSED;
        }
    }
    vec_release(&all);
}
