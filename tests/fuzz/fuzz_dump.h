/* A recording that a target has put on disk, opened and looked at as everything else in the program
 * does: names, shapes, stacks, tensors. */
#ifndef TESTS_FUZZ_DUMP_H
#define TESTS_FUZZ_DUMP_H

#include "fuzz.h"

#include "dump/reader.h"

struct fuzz_dump {
    struct dump dump;
    pthread_mutex_t lock;
    struct load load;
    const char *part[1];
};

/* column: of a table with several sides; step: of a file of many, -1: all. 0, or -1 with a sentence in e. */
static inline int fuzz_open_part(struct fuzz_dump *x, const struct reader *r, const char *path, uint8_t column,
                                 int step, struct err *e)
{
    dump_init(&x->dump);
    pthread_mutex_init(&x->lock, NULL);
    x->load = (struct load){.lock = &x->lock};
    x->part[0] = path;
    x->dump.reader = r;
    x->dump.path = path;
    x->dump.parts = x->part;
    x->dump.part_count = 1;
    x->dump.column = column;
    x->dump.step = step;
    x->dump.rank = 0;
    int rc = r->open(&x->dump, &x->load, e);
    x->dump.complete = rc == 0;
    assert(rc == 0 || e->text[0]);
    return rc;
}

static inline int fuzz_open_column(struct fuzz_dump *x, const struct reader *r, const char *path, uint8_t column,
                                   struct err *e)
{
    return fuzz_open_part(x, r, path, column, -1, e);
}

static inline int fuzz_open_step(struct fuzz_dump *x, const struct reader *r, const char *path, int step, struct err *e)
{
    return fuzz_open_part(x, r, path, 0, step, e);
}

static inline int fuzz_open(struct fuzz_dump *x, const struct reader *r, const char *path, struct err *e)
{
    return fuzz_open_part(x, r, path, 0, -1, e);
}

static inline void fuzz_close(struct fuzz_dump *x)
{
    dump_release(&x->dump);
    pthread_mutex_destroy(&x->lock);
}

/* What must hold of every dump, whatever was in the file. */
static inline void fuzz_check_dump(const struct dump *d)
{
    struct buf name = {0}, text = {0};
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call *k = &d->calls.v[c];
        uint32_t n = 0;
        assert(strlen(k->name) <= k->name_len);
        assert(k->stack == NONE || k->stack < d->stacks.n);
        assert(k->parent == NONE || k->parent < d->calls.n);
        assert(k->twin == NONE || (k->twin < d->calls.n && d->calls.v[k->twin].twin == c));
        assert(k->scope == NONE || k->scope < d->scopes.n);
        EACH_ROW(d, c, r) {
            assert(r < d->rows.n && d->rows.v[r].call == c);
            n++;
        }
        assert(n == k->rows);
    }
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct row *x = &d->rows.v[r];
        struct tensor t = {0};
        struct err e = {0};
        assert(x->call < d->calls.n && x->slot < d->slots.n);
        assert(x->shape == NONE || x->shape < d->shapes.n);
        assert(x->extra == NONE || x->extra < d->extras.n);
        dump_row_name(d, r, &name);
        /* a name with a NUL in it, or one written twice in a call, may lead to another row or none */
        uint32_t found = dump_find_row(d, buf_view(&name));
        assert(found == NONE || found < d->rows.n);
        buf_clear(&text);
        if (dump_row_shape(d, r))
            shape_text(dump_row_shape(d, r), &text);
        dump_row_numel(d, r);
        dump_row_problem(d, r);
        if (!(x->has & HAS_FILE) || !d->reader->tensor)
            continue;
        if (dump_tensor(d, r, &t, &e)) {
            assert(e.text[0]);
            continue;
        }
        fuzz_figures(&t);
        tensor_close(&t);
    }
    for (size_t i = 0; i < d->stacks.n; i++)
        for (uint32_t f = 0; f < d->stacks.v[i].n; f++)
            assert(d->stack_frames.v[d->stacks.v[i].first + f] < d->frames.n);
    for (size_t i = 0; i < d->problems.n; i++)
        assert(d->problems.v[i].text[0] && (d->problems.v[i].row == NONE || d->problems.v[i].row < d->rows.n));
    buf_release(&name);
    buf_release(&text);
}

#endif
