/* Sentences about the join of a pair of rows. */
#include "ranks/join_text.h"

#include "base/msg.h"

void rank_list_text(const rank_list *l, struct buf *out)
{
    for (size_t i = 0, k; i < l->n; i = k + 1) {
        for (k = i; k + 1 < l->n && l->v[k + 1] == l->v[k] + 1;)
            k++;
        buf_fmt(out, i ? ", %d" : "%d", l->v[i]);
        if (k > i)
            buf_fmt(out, "–%d", l->v[k]);
    }
}

static void put_join_step(const struct join_step *s, struct buf *out)
{
    switch ((enum join_how)s->how) {
    case JOIN_CONCAT:
        buf_fmt(out, _("along dimension %d"), s->axis);
        break;
    case JOIN_ZIGZAG:
        buf_fmt(out, _("along dimension %d in zigzag order"), s->axis);
        break;
    case JOIN_GATED: case JOIN_HEADS:
        buf_fmt(out, _("along dimension %d in %u blocks"), s->axis, s->blocks);
        break;
    case JOIN_VOCAB:
        buf_fmt(out, _("along dimension %d, without padding"), s->axis);
        break;
    case JOIN_TOKENS: case JOIN_EXPERTS:
        buf_fmt(out, _("along dimension %d, tokens in the order of the other side"), s->axis);
        break;
    case JOIN_SUM:
        buf_cstr(out, _("by summing them"));
        break;
    case JOIN_MEAN:
        buf_cstr(out, _("by their mean"));
        break;
    case JOIN_MAX:
        buf_cstr(out, _("by the elementwise maximum"));
        break;
    case JOIN_LAST:
        buf_cstr(out, _("the last of which contains the sum"));
        break;
    case JOIN_REPLICA: case JOIN_HOWS:
        buf_cstr(out, _("which are replicas"));
        break;
    }
    buf_fmt(out, " (%s)", cut_name((enum cut)s->by));
}

static void side_text(const struct whole_rows *r, const struct whole_row *x, int side, struct buf *out)
{
    rank_list ranks = {0};
    uint32_t micros = 0;
    for (size_t i = 0; i < x->parts.n; i++)
        rank_list_add(&ranks, part_dump(r, &x->parts.v[i])->rank);
    for (int s = 0; s < x->steps; s++)
        micros = x->step[s].by == CUT_MICRO ? x->step[s].n : micros;
    buf_fmt(out, "%s%s ", out->n ? "; " : "",
            side == TARGET ? _("target: joined from ranks") : _("golden: joined from ranks"));
    rank_list_text(&ranks, out);
    if (micros)
        buf_fmt(out, _(" and %u micro-batches"), micros);
    for (int s = 0; s < x->steps; s++) {
        buf_cstr(out, s || x->step[s].how == JOIN_REPLICA || x->step[s].how == JOIN_LAST ? ", " : " ");
        put_join_step(&x->step[s], out);
    }
    if (x->scale != 1)
        buf_fmt(out, _(", times %.4g"), x->scale);
    vec_release(&ranks);
}

void joined_pair_text(const struct dump *const side[2], const uint32_t row[2], struct buf *out)
{
    struct buf b = {0};
    for (int s = 0; s < 2; s++) {
        const struct whole_row *x = row[s] == NONE ? NULL : joined_dump_row(side[s], row[s]);
        if (x && x->steps && x->kind == ROW_TENSOR)
            side_text(joined_dump_rows(side[s]), x, s, &b);
    }
    if (!b.n)
        buf_cstr(&b, _("the same call of the model, by stage, layer and module"));
    buf_str(out, buf_view(&b));
    buf_release(&b);
}
