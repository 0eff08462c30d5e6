/* The sentences of a job, and its strip as text. */
#include "compare/job_text.h"

#include <stdio.h>

#include "base/msg.h"
#include "base/utf8.h"
#include "ranks/join_text.h"

static const char *source_text(enum layout_source s)
{
    static const char *const text[] = {[LAYOUT_NONE] = "",
                                       [LAYOUT_GIVEN] = N_("given"),
                                       [LAYOUT_SETTINGS] = N_("from the settings"),
                                       [LAYOUT_DUMP] = N_("from recorded groups"),
                                       [LAYOUT_INFERRED] = N_("inferred from shapes and values")};
    return *text[s] ? _(text[s]) : "";
}

void job_layout_words(const struct layout *l, size_t ranks, bool matters, struct buf *out)
{
    static const enum cut told[] = {CUT_TP, CUT_CP, CUT_DP, CUT_PP, CUT_EP};
    char order[32];
    bool any = false;
    int cuts = 0;
    if (ranks == 1)
        buf_cstr(out, _("1 rank"));
    else
        buf_fmt(out, _("%zu ranks"), ranks);
    for (size_t i = 0; i < ARRAY_LEN(told); i++)
        if (l->size[told[i]] > 1) {
            buf_fmt(out, "%s%s %d", any ? " · " : ": ", cut_name(told[i]), l->size[told[i]]);
            any = true;
        }
    if (l->vpp > 1)
        buf_fmt(out, " · vpp %d", l->vpp);
    if (l->sp)
        buf_cstr(out, " · sp");
    if (l->size[CUT_MICRO] > 1)
        buf_fmt(out, _("%s%d micro-batches"), any ? " · " : ": ", l->size[CUT_MICRO]);
    layout_order_text(l, order);
    for (int c = 0; c < CUT_RANKS; c++)
        cuts += l->size[c] > 1;
    if (cuts > 1)
        buf_fmt(out, _(", order %s"), order);
    if (*source_text(l->source) && (any || l->source != LAYOUT_INFERRED))
        buf_fmt(out, "; %s", source_text(l->source));
    if (l->proved)
        buf_fmt(out, _("; %u of %u joined rows match"), l->equal, l->proved);
    for (int c = 0, n = 0; c < CUT_COUNT && matters; c++)
        if (l->open & 1u << c)
            buf_fmt(out, "%s%s", n++ ? "/" : _("; undecided: "), cut_name((enum cut)c));
}

void job_layout_text(const struct joined_job *j, int side, struct buf *out)
{
    bool matters = !layout_same(&j->layout[side], &j->layout[!side]); /* rank meets rank, whatever they are called */
    job_layout_words(&j->layout[side], j->set[side].ranks.n, matters, out);
}

bool job_layout_doubt(const struct layout *l, const char *path, int which, struct buf *out)
{
    const char *row = which == 0 ? l->against : l->other_axes;
    if (*row)
        buf_fmt(out,
                which == 0 ? _("%s: the layout does not match the values: most weights joined from shards differ from "
                               "the other side; the first is %s")
                           : _("%s: with the axes given with --dims, no joined row has the size of the other side; the "
                               "first is %s"),
                path, row);
    return *row;
}

static void ranks_sentence(struct buf *out, const char *words, const rank_list *l)
{
    if (!l->n)
        return;
    buf_fmt(out, "%s%s ", out->n ? "; " : "", words);
    rank_list_text(l, out);
}

static void put_missing_ranks(const struct job_result *r, int side, struct buf *out)
{
    rank_list absent = {0};
    job_absent(r, side, &absent);
    ranks_sentence(out, side == TARGET ? _("MISSING: target ranks") : _("MISSING: golden ranks"), &absent);
    vec_release(&absent);
}

void job_missing_text(const struct job_result *r, struct buf *out)
{
    for (int s = 0; s < 2 && r->steps; s++)
        put_missing_ranks(r, s, out);
}

void job_unseen_text(const struct job_result *r, struct buf *out)
{
    for (size_t i = 0; i < r->failed.n && i < 2; i++)
        buf_fmt(out, _("%sUNREAD: %s"), i ? "; " : "", r->failed.v[i].text);
    if (r->failed.n > 2)
        buf_fmt(out, _(" and %zu more"), r->failed.n - 2);
    rank_list in_part = {0};
    for (size_t i = 0; i < r->pairs.n; i++) {
        const struct judgement *j = r->pairs.v[i].c->judged;
        if (j && (j->sum.unread || j->sum.unread_files) && r->pairs.v[i].rank[TARGET] >= 0)
            rank_list_add(&in_part, r->pairs.v[i].rank[TARGET]);
        else if (j && (j->sum.unread || j->sum.unread_files))
            buf_fmt(out, _("%sUNREAD in part"), out->n ? "; " : "");
    }
    ranks_sentence(out, _("UNREAD in part: ranks"), &in_part);
    vec_release(&in_part);
    for (int s = 0; s < 2 && r->steps; s++) {
        rank_list alone = {0};
        put_missing_ranks(r, s, out);
        for (size_t i = 0; i < r->alone[s].n; i++)
            rank_list_add(&alone, r->alone[s].v[i].rank);
        ranks_sentence(out, s == TARGET ? _("NOT COMPARED, target only: ranks") : _("NOT COMPARED, golden only: ranks"),
                       &alone);
        vec_release(&alone);
    }
}

void job_row_name(const struct job_result *r, size_t pair, uint32_t line, struct buf *out)
{
    const struct comparison *c = r->pairs.v[pair].c;
    const struct line *l = &c->pairing->lines.v[line];
    int s = l->row[TARGET] != NONE ? TARGET : GOLDEN;
    const struct dump *d = &c->side[s].dump;
    const struct whole_row *x = joined_dump_row(d, l->row[s]);
    struct buf name = {0};
    if (x)
        joined_row_name(joined_dump_rows(d), joined_row_part(x, c->judged->line[line].limit), &name);
    else
        dump_row_name(d, l->row[s], &name);
    buf_str(out, buf_view(&name));
    buf_release(&name);
}

static const struct collective *collective_numbered(const struct job_result *r, uint32_t id)
{
    size_t n = r->collectives[TARGET].v.n;
    return id < n ? &r->collectives[TARGET].v.v[id] : &r->collectives[GOLDEN].v.v[id - n];
}

/* Where it is wrong: at the end that receives. */
static void call_of_collective(const struct job_result *r, const struct collective *c, struct buf *out)
{
    const struct rank_set *set = &job_at(r, c->step)->set[c->side];
    const struct part_call *p = c->calls.n ? &c->calls.v[0] : NULL;
    for (size_t i = 0; i < c->calls.n; i++)
        if (r->first.ranks.n && set->ranks.v[c->calls.v[i].rank]->rank == r->first.ranks.v[0])
            p = &c->calls.v[i];
    if (c->at || !p)
        buf_cstr(out, c->at ? c->at : c->name);
    else
        buf_str(out, dump_call_name(&set->ranks.v[p->rank]->dump, p->call));
}

static void first_call_text(const struct job_result *r, struct buf *out)
{
    const struct job_first *f = &r->first;
    if (f->kind == FIRST_COLLECTIVE) {
        call_of_collective(r, collective_numbered(r, f->collective), out);
    } else if (f->kind == FIRST_REPLICA) {
        const struct replica_finding *x = &r->replicas[TARGET].v.v[f->replica];
        const struct dump *d = &job_at(r, x->step)->set[TARGET].ranks.v[x->rank]->dump;
        buf_str(out, dump_call_name(d, d->rows.v[x->row].call));
    } else {
        const struct comparison *c = r->pairs.v[f->pair].c;
        const struct line *l = &c->pairing->lines.v[f->line];
        int s = l->row[TARGET] != NONE ? TARGET : GOLDEN;
        const struct dump *d = &c->side[s].dump;
        const struct whole_row *x = joined_dump_row(d, l->row[s]);
        const struct part_row *p = x ? joined_row_part(x, c->judged->line[f->line].limit) : NULL;
        uint32_t row = p ? p->row : l->row[s];
        d = p ? &part_dump(joined_dump_rows(d), p)->dump : d;
        buf_str(out, dump_call_name(d, d->rows.v[row].call));
    }
}

void job_first_words(const struct job_first *f, bool steps, bool settled, const char *call, struct buf *out)
{
    static const char *const kinds[] = {[FIRST_ROW] = N_("first deviation"),
                                        [FIRST_COLLECTIVE] = N_("first deviation, a collective"),
                                        [FIRST_REPLICA] = N_("first deviation, a replica")};
    if (steps || f->step > 0)
        buf_fmt(out, _("step %d, "), f->step);
    buf_cstr(out, f->ranks.n > 1 ? _("ranks ") : _("rank "));
    rank_list_text(&f->ranks, out);
    buf_fmt(out, ", %s%s: %s", _(kinds[f->kind]), settled ? "" : _(" so far"), call);
}

void job_outcome_text(const struct job_result *r, bool settled, struct buf *out)
{
    const struct job_first *f = &r->first;
    struct buf call = {0};
    if (!f->found) {
        int status = settled ? job_status(r) : 0;
        uint64_t figures = job_figures_only(r);
        if (settled && status == 0 && figures)
            buf_fmt(out, _("aligned: nothing deviates on any rank (≈ the elements of %llu pairs were not compared)"),
                    (unsigned long long)figures);
        else
            buf_cstr(out, !settled      ? _("nothing deviates so far")
                          : status == 5 ? _("partly judged: no compared row deviates")
                                        : _("aligned: nothing deviates on any rank"));
        return;
    }
    first_call_text(r, &call);
    job_first_words(f, r->steps > 1, settled, call.p ? call.p : "", out);
    buf_release(&call);
}

/* ---- the strip as text ---- */

static void put_strip_legend(struct buf *out, const bool *seen)
{
    bool any = false;
    for (int i = STRIP_SIGNS - 1; i > STRIP_NOTHING; i--)
        if (seen[i]) {
            buf_fmt(out, "%s%s %s", any ? "   " : "", strip_looks[i].glyph, _(strip_looks[i].label));
            any = true;
        }
    buf_cstr(out, any ? "\n" : "");
}

static void put_strip_line(const struct job_strip *s, size_t row, size_t rows, size_t share, bool *seen,
                           struct buf *out)
{
    char label[48];
    int last = s->row.v[row + rows - 1].rank;
    snprintf(label, sizeof label, rows > 1 ? "%d–%d" : "%d", s->row.v[row].rank, last);
    buf_fmt(out, "%*s%s  ", 9 - utf8_cells(str_of(label)) > 0 ? 9 - utf8_cells(str_of(label)) : 0, "", label);
    for (size_t x = 0; x < s->columns; x += share) {
        enum strip_sign sign = job_strip_worst(s, row, rows, x, share);
        buf_cstr(out, strip_looks[sign].glyph);
        seen[sign] = true;
    }
    while (out->n && out->p[out->n - 1] == ' ')
        out->n--;
    buf_char(out, '\n');
}

void job_strip_text(const struct job_strip *s, size_t width, size_t lines, struct buf *out)
{
    size_t share = width && s->columns > width ? (s->columns + width - 1) / width : 1;
    bool seen[STRIP_SIGNS] = {false};
    for (size_t from = 0, to; from < s->row.n; from = to) {
        for (to = from; to < s->row.n && s->row.v[to].step == s->row.v[from].step;)
            to++;
        size_t each = lines && to - from > lines ? (to - from + lines - 1) / lines : 1;
        if (s->steps.n > 1)
            buf_fmt(out, _("step %d\n"), s->row.v[from].step);
        for (size_t y = from; y < to; y += each)
            put_strip_line(s, y, y + each < to ? each : to - y, share, seen, out);
    }
    put_strip_legend(out, seen);
}
