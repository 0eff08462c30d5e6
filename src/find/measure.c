#include "find/measure.h"

#include <stdlib.h>

/* Two tensors whose elements can be laid on each other one by one. */
static bool comparable(const struct dump *const side[2], const struct line *l)
{
    if (l->row[TARGET] == NONE || l->row[GOLDEN] == NONE)
        return false;
    for (int s = 0; s < 2; s++) {
        const struct row *r = &side[s]->rows.v[l->row[s]];
        if (r->kind != ROW_TENSOR || !(r->has & HAS_FILE) || (r->has & IS_DAMAGED))
            return false;
    }
    uint64_t t = dump_row_numel(side[TARGET], l->row[TARGET]), g = dump_row_numel(side[GOLDEN], l->row[GOLDEN]);
    return t == g && t > 0;
}

void measure_init(struct measure *m, const struct dump *target, const struct dump *golden,
                  const struct pairing *p)
{
    size_t n = p->lines.n;
    *m = (struct measure){
        .side = {target, golden},
        .pairing = p,
        .lines = n,
        .state = mem_zalloc(n + 1),
    };
    for (size_t i = 0; i < n; i++)
        if (comparable(m->side, &p->lines.v[i])) {
            m->state[i] = MEASURE_WAITING;
            m->wanted++;
        }
    if (m->wanted) { /* statistics dumps do not pay for these */
        m->figures = mem_zalloc((n + 1) * sizeof *m->figures);
        m->failure = mem_zalloc((n + 1) * sizeof *m->failure);
        m->view = mem_zalloc((n + 1) * sizeof *m->view);
    }
}

void measure_release(struct measure *m)
{
    for (size_t i = 0; m->figures && i < m->lines; i++)
        free(m->figures[i]);
    free(m->figures);
    free(m->failure);
    free(m->view);
    free(m->state);
    arena_release(&m->arena);
    *m = (struct measure){0};
}

uint32_t measure_take(struct measure *m, const uint32_t *want, size_t n)
{
    uint32_t found = NONE;
    for (size_t i = 0; i < n && found == NONE; i++)
        if (want[i] < m->lines && m->state[want[i]] == MEASURE_WAITING)
            found = want[i];
    for (; found == NONE && m->next < m->lines; m->next++)
        if (m->state[m->next] == MEASURE_WAITING)
            found = (uint32_t)m->next;
    if (found != NONE)
        m->state[found] = MEASURE_RUNNING;
    return found;
}

/* Flat first; where that fails and the shapes differ, in the order of axes that makes the sides meet. */
static int compare(struct tensor *t, struct tensor *g, const struct kern *k, struct figures *out,
                   struct view *view, struct figures_watch *watch, struct err *e)
{
    *view = (struct view){0};
    if (figures_two(k, t, g, out, watch, e))
        return -1;
    if (!view_needed(t, g))
        return 0;
    view->kind = VIEW_RESHAPE;
    struct view found;
    int rc = view_search(t, g, out, &found, e);
    if (rc <= 0)
        return rc;
    int perm[TENSOR_DIMS];
    for (int i = 0; i < found.ndim; i++)
        perm[i] = found.perm[i];
    *view = found;
    tensor_permute(found.side == TARGET ? t : g, perm);
    return figures_two(k, t, g, out, watch, e);
}

int measure_compute(const struct measure *m, uint32_t line, const struct kern *k, struct figures *out,
                    struct view *view, struct figures_watch *watch, struct err *e)
{
    const struct line *l = &m->pairing->lines.v[line];
    struct tensor t[2];
    int rc = dump_tensor(m->side[TARGET], l->row[TARGET], &t[TARGET], e);
    if (rc)
        return -1;
    rc = dump_tensor(m->side[GOLDEN], l->row[GOLDEN], &t[GOLDEN], e);
    if (rc == 0) {
        rc = compare(&t[TARGET], &t[GOLDEN], k, out, view, watch, e);
        tensor_close(&t[GOLDEN]);
    }
    tensor_close(&t[TARGET]);
    return rc;
}

const struct view *measure_view(const struct measure *m, uint32_t line)
{
    return m->view && m->view[line].kind != VIEW_NONE ? &m->view[line] : NULL;
}

void measure_post(struct measure *m, uint32_t line, const struct figures *f, const struct view *view,
                  const struct err *e)
{
    m->finished++;
    if (e) {
        m->failure[line] = arena_cstr(&m->arena, str_of(e->text));
        m->state[line] = MEASURE_FAILED;
        return;
    }
    m->figures[line] = mem_alloc(sizeof *f);
    *m->figures[line] = *f;
    m->view[line] = *view;
    m->bytes += f->side[0].count * dtype_table[m->side[0]->rows.v[m->pairing->lines.v[line].row[0]].dtype].size * 2;
    m->state[line] = MEASURE_DONE;
}
