/* Reads columns that are tensors: of torch.save, .npz, .npy, .safetensors, and of lists of tensors in torch.save. */
#include <stdlib.h>

#include "base/msg.h"
#include "fmt/weights.h"
#include "rollout/rollout_columns.h"

#define BLOCK 8192

static int fill_rollout_cell(struct rollout_cell *x, struct tensor *t, const atomic_bool *cancel, struct err *e)
{
    struct tensor_walk walk;
    unsigned char *raw = mem_resize_array(NULL, BLOCK, 8);
    size_t at = 0;
    long got = 0;
    tensor_walk_init(&walk, t);
    while (at < x->n && (got = tensor_walk_next(&walk, raw, BLOCK, e)) > 0) {
        size_t n = (size_t)got < x->n - at ? (size_t)got : x->n - at;
        dtype_to_f64(t->dtype, raw, n, x->v + at);
        at += n;
        if (cancel && atomic_load(cancel)) {
            got = -1;
            err_set(e, ERR_CANCEL, "%s", _("interrupted"));
            break;
        }
    }
    if (got >= 0 && at < x->n)
        got = err_set(e, ERR_DATA, _("%s: the file ends early"), t->file.name);
    tensor_walk_release(&walk);
    free(raw);
    return got < 0 ? -1 : 0;
}

static void add_rollout_tensor(struct rollout_columns *c, const struct weights *w, uint32_t i,
                               const atomic_bool *cancel)
{
    const struct weight *x = &w->list.v[i];
    size_t shape[ROLLOUT_CELL_AXES] = {0};
    struct tensor t;
    struct err why;
    struct str name;
    int64_t row;
    if (x->text || rollout_role_of(x->name, &name, &row) == ROLLOUT_ROLE_NONE || x->ndim > ROLLOUT_CELL_AXES) {
        rollout_cell_add(c, x->name, ROLLOUT_CELL_AXES + 1, shape); /* only its name is noted */
        return;
    }
    if (weights_tensor(w, i, &t, &why)) {
        rollout_unread(c, why.text);
        return;
    }
    for (int a = 0; a < x->ndim; a++)
        shape[a] = (size_t)x->shape[a];
    struct rollout_cell *cell = rollout_cell_add(c, x->name, x->ndim, shape);
    if (cell && fill_rollout_cell(cell, &t, cancel, &why)) {
        rollout_unread(c, why.text);
        rollout_cell_drop(c);
    }
    tensor_close(&t);
}

int rollout_read_tensors(struct rollout_columns *c, const atomic_bool *cancel, struct err *e)
{
    struct weights w = {0};
    if (!weights_probe(c->path))
        return 0;
    if (weights_open(&w, c->path, &c->why)) {
        weights_release(&w);
        return 0;
    }
    c->why = (struct err){0};
    c->format = arena_cstr(&c->arena, str_of(w.format));
    for (uint32_t i = 0; i < w.list.n && !(cancel && atomic_load(cancel)); i++)
        add_rollout_tensor(c, &w, i, cancel);
    weights_release(&w);
    if (cancel && atomic_load(cancel))
        return err_set(e, ERR_CANCEL, "%s", _("interrupted"));
    return 1;
}
