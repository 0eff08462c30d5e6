/* Writes one row's tensors as text or JSON: the data of the tensor view, without a screen. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "report/tensor_output.h"
#include "ui/cli.h"
#include "ui/ending.h"

#define WORST_TOLD 10

static int open_lens(const struct comparison *s, const char *name, uint32_t row[2], struct element_lens *l,
                     struct err *e)
{
    struct measure_job job;
    struct tensor t[2];
    uint32_t line = NONE;
    row[0] = row[1] = NONE;
    for (int d = 0; d < 2 && line == NONE; d++) {
        if (d && s->single)
            break;
        row[d] = dump_find_row(&s->side[d].dump, str_of(name));
        if (row[d] != NONE && s->paired)
            line = s->pairing->line_of[d][row[d]];
    }
    if (line == NONE)
        return err_set(e, ERR_USAGE, _("--tensor: neither side has a row \"%s\""), name);
    if (!s->single) {
        memcpy(row, s->pairing->lines.v[line].row, 2 * sizeof *row);
        if (measure_how(&s->measure, line, &job)) {
            const struct dump *const side[2] = {&s->side[0].dump, &s->side[1].dump};
            if (measure_open_job(side, &job, t, e))
                return -1;
            element_lens_init(l, &t[0], &t[1]);
            return 0;
        }
        if (row[0] != NONE && row[1] != NONE) /* they cannot be aligned: only the named one is shown */
            row[dump_find_row(&s->side[0].dump, str_of(name)) == row[0]] = NONE;
    }
    int d = row[0] == NONE;
    if (dump_tensor(&s->side[d].dump, row[d], &t[d], e))
        return -1;
    element_lens_init(l, d ? NULL : &t[0], d ? &t[1] : NULL);
    return 0;
}

static void put_place(const struct element_lens *l, const struct tensor_stats_place *p, struct buf *b)
{
    int64_t at[TENSOR_DIMS];
    char n[NUM_MAX];
    element_lens_place(l, p->at, at);
    for (int i = 0; i < l->ndim; i++)
        buf_fmt(b, i ? ",%lld" : "[%lld", (long long)at[i]);
    buf_char(b, ']');
    for (int d = 0; d < 2; d++)
        if (l->has[d])
            buf_fmt(b, "  %s %s", d ? _("golden") : _("target"), num_exact(n, p->v[d]));
    if (l->has[0] && l->has[1] && isfinite(p->error)) {
        buf_fmt(b, "  Δ %s", num_cell(n, p->error, 4));
        if (dtype_is_float(l->coarser))
            buf_fmt(b, "  ULP %s", num_cell(n, element_lens_ulp(l, p->v[0], p->v[1]), 4));
    }
    buf_char(b, '\n');
}

static void put_tensor_text(struct buf *b, const void *result)
{
    const struct tensor_report *r = result;
    const struct element_lens *l = r->lens;
    const struct tensor_stats *t = r->tally;
    char n[2][NUM_MAX];
    for (int d = 0; d < 2; d++)
        if (l->has[d])
            buf_fmt(b, "%s  %.*s  %s\n", d ? _("golden") : _("target"), STR_ARG(r->name[d]),
                    dtype_table[l->t[d].dtype].name);
    for (int i = 0; i < l->ndim; i++)
        buf_fmt(b, i ? ", %lld" : "[%lld", (long long)l->shape[i]);
    buf_fmt(b, _("]  %s elements\n"), num_count(n[0], l->numel));
    if (l->has[0] && l->has[1])
        buf_fmt(b, _("equal %s, relative error below 1e-3 %s\n"), num_count(n[0], t->equal),
                num_count(n[1], t->thousandth));
    for (int d = 0; d < 2; d++)
        if (t->nan[d] + t->inf[d])
            buf_fmt(b, _("%s %s NaN, %s Inf  "), d ? _("golden") : _("target"), num_count(n[0], t->nan[d]),
                    num_count(n[1], t->inf[d]));
    if (t->odds)
        buf_cstr(b, _("\n"
                      "the first non-finite elements:\n"));
    for (int i = 0; i < t->odds && i < WORST_TOLD; i++)
        put_place(l, &t->odd[i], b);
    if (t->worsts)
        buf_cstr(b, l->has[0] && l->has[1] ? _("the largest errors:\n") : _("the values farthest from zero:\n"));
    for (int i = 0; i < t->worsts && i < WORST_TOLD; i++)
        put_place(l, &t->worst[i], b);
}

static const struct result_forms forms = {.text = put_tensor_text, .json = tensor_json, .indented = true};

int cli_tensor(const struct comparison *s, const struct options *o, struct err *e)
{
    struct element_lens l;
    struct buf name[2] = {{0}, {0}};
    uint32_t row[2];
    if (!cli_can_write(o, false))
        return err_set(e, ERR_USAGE, _("%s: a tensor can only be written as .json"), o->output);
    if (open_lens(s, o->tensor, row, &l, e))
        return -1;
    struct tensor_stats *t = mem_alloc(sizeof *t);
    int rc = 0;
    tensor_stats_init(t, &l);
    while (rc == 0 && !tally_complete(t)) {
        rc = ending_signal() ? err_set(e, ERR_CANCEL, "%s", _("interrupted")) : tensor_stats_read(t, e);
        if (rc == 0)
            tensor_stats_count(t);
    }
    if (rc == 0) {
        for (int d = 0; d < 2; d++)
            if (l.has[d])
                dump_row_name(&s->side[d].dump, row[d], &name[d]);
        struct tensor_report r = {{buf_view(&name[0]), buf_view(&name[1])}, &l, t};
        rc = cli_write(o, &forms, &r, e);
    }
    tensor_stats_release(t);
    free(t);
    element_lens_release(&l);
    buf_release(&name[0]);
    buf_release(&name[1]);
    return rc;
}
