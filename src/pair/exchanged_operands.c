/* Compares the figures of the operands straight and crosswise. */
#include "pair/exchanged_operands.h"

#include "dump/family.h"
#include "pair/align_item.h"

/* The two tensors of several elements that a call takes or gives; false unless there are two. */
static bool two_tensors(const struct dump *d, uint32_t call, enum row_io io, uint32_t row[2])
{
    int n = 0;
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == io && d->rows.v[r].kind == ROW_TENSOR && dump_row_numel(d, r) > 1) {
            if (n < 2)
                row[n] = r;
            n++;
        }
    return n == 2;
}

bool operand_gradients(const struct dump *d, uint32_t call, uint32_t gradient[2])
{
    return two_tensors(d, call, IO_OUTPUT, gradient);
}

static bool may_exchange(const struct dump *d, uint32_t call)
{
    const struct call *c = &d->calls.v[call];
    return c->phase == PHASE_FORWARD && c->kind != CALL_MODULE &&
           (c->family == FAMILY_LINEAR || c->family == FAMILY_ADD || c->family == FAMILY_MUL);
}

/* Asked last: names take longer than figures. */
static bool is_commutative(const struct dump *d, uint32_t call)
{
    return d->calls.v[call].family == FAMILY_LINEAR || align_item_does(d, call, STR("add")) ||
           align_item_does(d, call, STR("mul"));
}

static enum likeness operands_alike(const struct dump *const d[2], uint32_t t, uint32_t g)
{
    struct fingerprint a = fingerprint_of(d[TARGET], t), b = fingerprint_of(d[GOLDEN], g);
    return a.size == b.size ? fingerprint_compare(&a, &b) : LIKE_NOT;
}

bool operands_exchanged(const struct dump *const d[2], const uint32_t call[2], uint32_t operand[2][2])
{
    for (int s = 0; s < 2; s++)
        if (!may_exchange(d[s], call[s]) || !two_tensors(d[s], call[s], IO_INPUT, operand[s]))
            return false;
    return operands_alike(d, operand[TARGET][0], operand[GOLDEN][0]) == LIKE_NOT &&
           operands_alike(d, operand[TARGET][0], operand[GOLDEN][1]) > LIKE_UNKNOWN &&
           operands_alike(d, operand[TARGET][1], operand[GOLDEN][0]) > LIKE_UNKNOWN &&
           is_commutative(d[TARGET], call[TARGET]) && is_commutative(d[GOLDEN], call[GOLDEN]);
}
