/* Dumps made call by call, for tests of what is paired. */
#ifndef TESTS_SIDES_H
#define TESTS_SIDES_H

#include "support.h"

#include "dump/dump.h"
#include "dump/family.h"

static inline void side_start(struct dump *d, const char *framework)
{
    dump_init(d);
    d->framework = framework;
}

/* A call named as msprobe names them; its phase follows from the name. scope: module path, or NULL. */
static inline uint32_t side_call(struct dump *d, const char *name, const char *scope)
{
    bool module = strncmp(name, "Module.", 7) == 0 || strncmp(name, "Cell.", 5) == 0;
    enum call_phase phase = strstr(name, ".backward") || strstr(name, ".parameters_grad") ? PHASE_BACKWARD : PHASE_FORWARD;
    uint32_t c = dump_add_call(d, str_of(name), module ? CALL_MODULE : CALL_API, phase);
    d->calls.v[c].gradient = strstr(name, ".parameters_grad") != NULL;
    if (scope)
        d->calls.v[c].scope = dump_scope(d, str_of(scope));
    return c;
}

/* One tensor of a call, sizes as in "2,8". */
static inline uint32_t side_row(struct dump *d, uint32_t call, const char *slot, const char *sizes)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    for (const char *p = sizes; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ','))
        dim[n++] = strtoll(p, NULL, 10);
    enum row_io io = strncmp(slot, "input", 5) == 0 ? IO_INPUT : strncmp(slot, "output", 6) == 0 ? IO_OUTPUT : IO_PARAMETER;
    struct row r = {.slot = dump_slot(d, str_of(slot)), .extra = NONE, .io = (uint8_t)io, .kind = ROW_TENSOR, .dtype = DTYPE_F32,
                    .has = HAS_SHAPE};
    r.shape = dump_shape(d, dim, n);
    return dump_add_row(d, call, r);
}

/* A call with one input and one output of the same sizes; the output's row. */
static inline uint32_t side_pass(struct dump *d, const char *name, const char *scope, const char *sizes)
{
    uint32_t c = side_call(d, name, scope);
    side_row(d, c, "input.0", sizes);
    return side_row(d, c, "output.0", sizes);
}

/* Where a call was made: file and line, innermost first, n of them. */
static inline void side_stack(struct dump *d, uint32_t call, const char *const *file, const uint32_t *line, uint32_t n)
{
    struct stack s = {(uint32_t)d->stack_frames.n, n};
    struct buf text = {0};
    for (uint32_t i = 0; i < n; i++) {
        buf_clear(&text);
        buf_fmt(&text, "File %s, line %u, in f, \n x", file[i], line[i]);
        vec_push(&d->stack_frames, dump_frame(d, buf_view(&text)));
    }
    buf_release(&text);
    vec_push(&d->stacks, s);
    d->calls.v[call].stack = (uint32_t)d->stacks.n - 1;
}

static inline void side_end(struct dump *d)
{
    dump_link_twins(d);
    d->complete = true;
}

#endif
