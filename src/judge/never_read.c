/* Tables of arguments that are not read and outputs that are not written, with their conditions. */
#include "judge/never_read.h"

#include "dump/family.h"
#include "pair/align_item.h"
#include "pair/call_arguments.h"

/* Operators, as by family_plain, whose first input is not read if the named number is zero; NULL: it is never read. */
static const struct {
    const char *op, *factor;
} unread[] = {
    {"addmm", "beta"},  {"baddbmm", "beta"}, {"addbmm", "beta"},   {"addmv", "beta"},     {"addr", "beta"},
    {"emptylike", NULL}, {"zeroslike", NULL}, {"oneslike", NULL},  {"fulllike", NULL},    {"randlike", NULL},
    {"randnlike", NULL}, {"newzeros", NULL},  {"newones", NULL},   {"newempty", NULL},    {"newfull", NULL},
};

/* Operators that fill their first input in place, as by their names in PyTorch, and do not read what it held. */
static const char *const filling[] = {
    "bernoulli_", "cauchy_", "copy_", "exponential_", "fill_", "geometric_", "log_normal_", "normal_", "random_",
    "uniform_", "zero_",
};

/* Outputs from this index on are left unwritten by a framework's kernel: running statistics are stored elsewhere. */
static const struct {
    const char *framework, *op;
    uint32_t from;
} unwritten[] = {
    {"mindspore", "batchnorm", 1},
};

static bool has_factor(const struct dump *d, uint32_t call, const char *name)
{
    uint32_t r = name ? call_argument(d, call, name) : NONE;
    bool number = r != NONE && (d->rows.v[r].kind == ROW_INT || d->rows.v[r].kind == ROW_FLOAT);
    return !name || (number && d->rows.v[r].stat[STAT_MAX] == 0);
}

/* The index of the row among the tensors of its kind in its call. */
static uint32_t place_of_unread(const struct dump *d, uint32_t row)
{
    uint32_t before = 0;
    EACH_EARLY_ROW(d, d->rows.v[row].call, r) {
        if (r >= row)
            break;
        before += d->rows.v[r].kind == ROW_TENSOR && d->rows.v[r].io == d->rows.v[row].io;
    }
    return before;
}

static bool is_unread(const struct dump *d, uint32_t row)
{
    char plain[FAMILY_PLAIN];
    uint32_t call = d->rows.v[row].call;
    struct str name = align_item_operator(d, call), op = family_plain(name, plain);
    if (STR_ONE_OF(name, filling))
        return place_of_unread(d, row) == 0;
    for (size_t i = 0; i < ARRAY_LEN(unread); i++)
        if (str_is(op, unread[i].op))
            return place_of_unread(d, row) == 0 && has_factor(d, call, unread[i].factor);
    return false;
}

static bool is_unwritten(const struct dump *d, uint32_t row)
{
    char plain[FAMILY_PLAIN];
    struct str op = family_plain(align_item_operator(d, d->rows.v[row].call), plain);
    for (size_t i = 0; i < ARRAY_LEN(unwritten); i++)
        if (strcmp(d->framework, unwritten[i].framework) == 0 && str_is(op, unwritten[i].op) &&
            place_of_unread(d, row) >= unwritten[i].from)
            return true;
    return false;
}

bool is_never_read(const struct dump *const side[2], const uint32_t row[2], const struct value_readers *reads)
{
    for (int s = 0; s < 2; s++) {
        const struct row *r = &side[s]->rows.v[row[s]];
        const struct call *c = &side[s]->calls.v[r->call];
        if (r->kind != ROW_TENSOR || c->phase != PHASE_FORWARD || c->kind == CALL_MODULE ||
            (r->io != IO_INPUT && r->io != IO_OUTPUT) ||
            !(r->io == IO_INPUT ? is_unread(side[s], row[s]) : is_unwritten(side[s], row[s])))
            return false;
    }
    return side[TARGET]->rows.v[row[TARGET]].io == IO_INPUT || reads->first[row[TARGET]] == NONE;
}
