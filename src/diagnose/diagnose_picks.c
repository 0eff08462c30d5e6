/* Rows picked from a table that agrees on both sides: the indices differ. */
#include <math.h>

#include "base/msg.h"
#include "diagnose/call_tensors.h"
#include "diagnose/diagnosis_case.h"
#include "dump/family.h"

#define COMPARED_MOST (1u << 26) /* rows of the table, over all positions */

/* The call's table of rows of this width that agrees with the other side's; NONE. */
static uint32_t table_of(const struct diagnosis_case *p, int64_t width)
{
    const struct dump *d = p->side[TARGET];
    EACH_EARLY_ROW(d, p->call, r) {
        const struct row *x = &d->rows.v[r];
        const struct shape *s = x->kind == ROW_TENSOR && x->io != IO_OUTPUT ? dump_row_shape(d, r) : NULL;
        const struct line_judgement *j = s && s->ndim == 2 && s->dim[1] == width ? patient_judged(p, TARGET, r) : NULL;
        if (j && patient_partner(p, TARGET, r) != NONE && verdict_is_accepted((enum verdict)j->verdict))
            return r;
    }
    return NONE;
}

/* The number of the row that equals `v` within a unit of rounding; SIZE_MAX: none. */
static size_t row_like(const struct element_sample *table, const double *v, size_t width, double unit)
{
    for (size_t r = 0; r < table->n / width; r++) {
        size_t i = 0;
        while (i < width && fabs(v[i] - table->v[0][r * width + i]) <= unit * fabs(v[i]))
            i++;
        if (i == width)
            return r;
    }
    return SIZE_MAX;
}

void detect_picks(struct diagnosis_case *p)
{
    const struct element_sample *s = p->spread;
    if (p->side[TARGET]->calls.v[p->call].family != FAMILY_EMBEDDING || p->r[TARGET]->io != IO_OUTPUT || s->at ||
        s->ndim < 2 || s->shape[s->ndim - 1] < 2)
        return;
    size_t width = (size_t)s->shape[s->ndim - 1], places = s->n / width, differ = 0, first = 0, at[2] = {0, 0};
    uint32_t row = table_of(p, (int64_t)width);
    struct element_sample table;
    if (row == NONE || !tensor_values(p->side[TARGET], row, &table))
        return;
    double unit = fmax(dtype_table[s->dtype[0]].epsilon, dtype_table[s->dtype[1]].epsilon);
    bool all = places * (table.n / width) <= COMPARED_MOST;
    for (size_t i = 0; i < places && all; i++) {
        size_t found[2];
        for (int d = 0; d < 2; d++)
            found[d] = row_like(&table, s->v[d] + i * width, width, unit);
        all = found[0] != SIZE_MAX && found[1] != SIZE_MAX;
        if (all && found[0] != found[1] && !differ++) {
            first = i;
            memcpy(at, found, sizeof at);
        }
    }
    element_sample_release(&table);
    if (all && differ)
        case_found(p, DIAGNOSIS_ARGUMENT, BOTH_SIDES, 0.95,
                   _("the indices differ: %zu of %zu positions pick another row of the same table, the first is "
                     "position %zu with row %zu on the target and %zu on the golden side"),
                   differ, places, first, at[TARGET], at[GOLDEN]);
}
