/* Loss and global norm of a dump against the undumped run's log. */
#include "panel/dump_run.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "dump/family.h"

static const char *const ids[] = {"target-dump-run", "golden-dump-run"};

/* A single number the call gave; NAN if it is none. */
static double scalar_output(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    if (r->io != IO_OUTPUT || (r->kind == ROW_TENSOR && dump_row_numel(d, row) != 1))
        return NAN;
    if (r->kind == ROW_FLOAT)
        return r->stat[0];
    return r->kind == ROW_TENSOR && dtype_is_float((enum dtype)r->dtype) &&
        (r->has & HAS_MAX) ? r->stat[STAT_MAX] : NAN;
}

struct dump_losses {
    size_t n;
    double sum, nearest; /* of a log's loss */
    double rounding;     /* relative, of the coarsest type they are recorded in */
};

/* What calls of losses gave in the forward pass: a micro-batch each, so their mean counts too. */
static struct dump_losses losses_near(const struct dump *d, double wanted)
{
    struct dump_losses l = {.nearest = NAN};
    for (uint32_t c = 0; c < d->calls.n; c++) {
        if (d->calls.v[c].family != FAMILY_LOSS || d->calls.v[c].phase != PHASE_FORWARD)
            continue;
        EACH_EARLY_ROW(d, c, r) {
            double x = scalar_output(d, r);
            if (isnan(x) || !isfinite(x))
                continue;
            l.n++;
            l.sum += x;
            l.rounding = fmax(l.rounding, dtype_table[d->rows.v[r].dtype].epsilon);
            if (isnan(l.nearest) || fabs(x - wanted) < fabs(l.nearest - wanted))
                l.nearest = x;
        }
    }
    if (l.n > 1 && fabs(l.sum / (double)l.n - wanted) < fabs(l.nearest - wanted))
        l.nearest = l.sum / (double)l.n;
    return l;
}

/* The norm of all gradients of parameters; NAN if one of them has none recorded. */
static double dump_gradient_norm(const struct dump *d)
{
    double sum = 0;
    size_t n = 0;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        if (!d->calls.v[c].gradient)
            continue;
        EACH_EARLY_ROW(d, c, r) {
            if (!(d->rows.v[r].has & HAS_NORM))
                return NAN;
            sum += d->rows.v[r].stat[STAT_NORM] * d->rows.v[r].stat[STAT_NORM];
            n++;
        }
    }
    return n ? sqrt(sum) : NAN;
}

/* The log's record of the dump's step: tools count from 0, logs from 0 or 1. */
static const struct log_record *dump_step_record(const struct series *s, const struct dump *d)
{
    if (!s->records.n || s->stepless || s->records.v[0].step > 1 || s->interval > 1)
        return NULL;
    return series_at(s, s->records.v[0].step + (d->step < 0 ? 0 : d->step));
}

static void check_side_losses(struct panel_page *p, const struct dump *d, const struct series *log, int side)
{
    const struct log_record *r = dump_step_record(log, d);
    if (!r || !log_has(r, LOG_LOSS) || !isfinite(r->value[LOG_LOSS]) || log_skipped(r))
        return;
    double loss = r->value[LOG_LOSS], norm = dump_gradient_norm(d);
    struct dump_losses l = losses_near(d, loss);
    char a[NUM_MAX], b[NUM_MAX];
    if (!l.n)
        return;
    double unseen = fmax(log->digit[LOG_LOSS], fabs(loss) * fmax(l.rounding, rule_limit(RULE_LIMIT_DUMP_RUN)));
    bool same = fabs(l.nearest - loss) <= unseen;
    struct panel_item *it = page_item(p, same ? MARK_OK : MARK_OPEN, ids[side], _("%s: loss %s in the dump, %s in the "
                                                                                  "log of the run without dump (step "
                                                                                  "%lld)"),
                                      side ? _("golden") : _("target"), num_cell(a, l.nearest, 7), num_cell(b, loss,
                                              7), (long long)r->step);
    it->side = side;
    if (!same)
        it->detail = _("Possible causes: the dump hooks change the computation (print the loss while dumping, and dump "
                       "fewer calls), or the dump is from a different run, or the loss in the log is a mean over ranks "
                       "or micro-batches that are not in this dump (then enter this as the answer).");
    if (!isnan(norm) && log_has(r, LOG_NORM) && isfinite(r->value[LOG_NORM])) {
        bool near = fabs(norm - r->value[LOG_NORM]) <= fmax(log->digit[LOG_NORM], 0.01 * r->value[LOG_NORM]);
        it = page_item(p, near ? MARK_OK : MARK_ADVICE, NULL, _("%s: norm of the gradients %s in the dump, global norm "
                                                                "%s in the log"),
                       side ? _("golden") : _("target"), num_cell(a, norm, 5), num_cell(b, r->value[LOG_NORM], 5));
        it->side = side;
        it->detail = near ? NULL : _("The gradients in the dump may belong to one micro-batch or rank, be multiplied "
                                     "by the loss scale, or be recorded before the reduction.");
    }
}

void page_dump_run(struct panel_page *p, const struct procedure *g)
{
    const struct engine_run_result *both = procedure_result(g, ENGINE_RUN_CURVES), *lone = procedure_result(g,
            ENGINE_RUN_LOG);
    const struct comparison *s = g->s;
    if (!s->side[0].path || !s->complete || s->failed)
        return;
    for (int side = 0; side < 2; side++) {
        if (side && s->single)
            break;
        if (both)
            check_side_losses(p, &s->side[side].dump, &both->curves->run[side], side);
        else if (lone && side == TARGET)
            check_side_losses(p, &s->side[side].dump, &lone->curves->run[0], side);
    }
}

bool page_dump_run_open(const struct panel_page *p)
{
    for (size_t i = 0; i < p->items.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(ids); k++)
            if (p->items.v[i].id && p->items.v[i].mark == MARK_OPEN && strcmp(p->items.v[i].id, ids[k]) == 0)
                return true;
    return false;
}
