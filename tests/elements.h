/* Scenes whose rows have elements that can be read: for what looks at them while it judges. */
#ifndef TESTS_ELEMENTS_H
#define TESTS_ELEMENTS_H

#include "scenes.h"

#include <math.h>

#include "dump/family.h"
#include "dump/reader.h"

static struct scene s;
static const double *element_of[2][64]; /* by row */

static inline int elements_open(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct shape *sh = dump_row_shape(d, row);
    int side = d == &s.d[GOLDEN];
    *t = (struct tensor){.dtype = DTYPE_F64, .ndim = sh->ndim};
    memcpy(t->shape, sh->dim, (size_t)sh->ndim * sizeof *t->shape);
    assert_int_equal(tensor_pack(t, "row", e), 0);
    return file_open(&t->file, put_bytes(scratch(), side ? "golden" : "target", element_of[side][row], t->numel * sizeof(double)), e);
}

/* A row of the last call of both sides, with the elements and figures of each; `sizes` end with 0. */
static inline uint32_t both_rows(const char *slot, enum dtype type, const int64_t *sizes, const double *t, const double *g)
{
    const double *v[2] = {t, g};
    int axes = 0;
    uint32_t row = NONE;
    uint64_t n = 1;
    while (sizes[axes])
        n *= (uint64_t)sizes[axes++];
    for (int i = 0; i < 2; i++) {
        struct dump *d = &s.d[i];
        struct row r = {.slot = dump_slot(d, str_of(slot)), .extra = NONE, .kind = ROW_TENSOR, .dtype = (uint8_t)type,
                        .io = *slot == 'o' ? IO_OUTPUT : IO_INPUT, .has = HAS_MAX | HAS_MIN | HAS_NORM | HAS_SHAPE | HAS_FILE};
        double square = 0;
        r.shape = dump_shape(d, sizes, axes);
        r.stat[STAT_MAX] = -INFINITY;
        r.stat[STAT_MIN] = INFINITY;
        for (uint64_t k = 0; k < n; k++) {
            r.stat[STAT_MAX] = fmax(r.stat[STAT_MAX], v[i][k]);
            r.stat[STAT_MIN] = fmin(r.stat[STAT_MIN], v[i][k]);
            square += v[i][k] * v[i][k];
        }
        r.stat[STAT_NORM] = sqrt(square);
        row = dump_add_row(d, (uint32_t)d->calls.n - 1, r);
        element_of[i][row] = v[i];
    }
    return row;
}

/* A call of both sides; returns it. A backward call belongs to the last forward one. */
static inline uint32_t both_call(const char *op, enum call_phase phase)
{
    uint32_t c = 0;
    for (int i = 0; i < 2; i++) {
        char name[60];
        snprintf(name, sizeof name, "Torch.%s.0.%s", op, phase == PHASE_BACKWARD ? "backward" : "forward");
        c = dump_add_call(&s.d[i], str_of(name), CALL_API, phase);
        s.d[i].calls.v[c].family = (uint8_t)family_find(str_of(op));
        if (phase == PHASE_BACKWARD) {
            s.d[i].calls.v[c].twin = c - 1;
            s.d[i].calls.v[c - 1].twin = c;
        }
    }
    return c;
}

/* Once all rows are there: pairs them, and lets them be read. */
static inline void elements_readable(void)
{
    static const struct reader fake = {.name = "made", .untyped = true, .tensor = elements_open};
    scene_build(&s);
    for (int i = 0; i < 2; i++)
        s.d[i].reader = &fake;
}

/* As the comparison of all elements found the row. */
static inline void elements_compared(uint32_t row)
{
    struct figures f = {.two = true};
    double off = 0, whole = 0, same = 0, n = (double)dump_row_numel(&s.d[0], row);
    for (uint64_t k = 0; (double)k < n; k++) {
        double a = element_of[0][row][k], b = element_of[1][row][k];
        off += (a - b) * (a - b);
        whole += b * b;
        same += a == b;
        f.max_abs = fmax(f.max_abs, fabs(a - b));
    }
    f.rel_l2 = sqrt(off / whole);
    f.one_thousandth = f.five_thousandths = same / n;
    for (int i = 0; i < 2; i++)
        f.side[i] = (struct side_figures){.max = s.d[i].rows.v[row].stat[STAT_MAX], .min = s.d[i].rows.v[row].stat[STAT_MIN],
                                          .norm = s.d[i].rows.v[row].stat[STAT_NORM], .count = (uint64_t)n};
    scene_computed(&s, row, &f);
}

static inline void elements_end(void)
{
    for (int i = 0; i < 2; i++)
        s.d[i].reader = NULL;
    scene_end(&s);
}

#endif
