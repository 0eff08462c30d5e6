/* The comparison of two jobs of several ranks as JSON. */
#include <stdlib.h>

#include "base/msg.h"
#include "compare/input_doubts.h"
#include "compare/job_text.h"
#include "compare/start_text.h"
#include "fmt/digest.h"
#include "judge/cause.h"
#include "judge/verdict_text.h"
#include "report/formats.h"

static void int_array(struct jsonw *w, const char *key, const rank_list *l)
{
    jw_karray(w, key);
    for (size_t i = 0; i < l->n; i++)
        jw_int(w, l->v[i]);
    jw_end_array(w);
}

void job_json_layout(struct jsonw *w, const struct layout *l)
{
    char order[32];
    layout_order_text(l, order);
    jw_object(w);
    jw_kint(w, "tp", l->size[CUT_TP]);
    jw_kint(w, "cp", l->size[CUT_CP]);
    jw_kint(w, "dp", l->size[CUT_DP]);
    jw_kint(w, "pp", l->size[CUT_PP]);
    jw_kint(w, "vpp", l->vpp);
    jw_kint(w, "ep", l->size[CUT_EP]);
    jw_kbool(w, "sp", l->sp);
    jw_kcstr(w, "order", order);
    jw_kcstr(w, "cp_cut", cp_cut_name(l->cp_cut));
    jw_kint(w, "micro", l->size[CUT_MICRO]);
    jw_kint(w, "layers", l->layers);
    jw_kcstr(w, "source", layout_source_name(l->source));
    jw_kbool(w, "weights", l->weights);
    jw_kobject(w, "proved");
    jw_kint(w, "rows", l->proved);
    jw_kint(w, "equal", l->equal);
    jw_end_object(w);
    jw_karray(w, "open");
    for (int c = 0; c < CUT_COUNT; c++)
        if (l->open >> c & 1)
            jw_cstr(w, cut_name((enum cut)c));
    jw_end_array(w);
    jw_kcstr(w, "why", l->why);
    jw_end_object(w);
}

static void write_job_side(struct jsonw *w, const struct job_result *r, int which)
{
    const struct joined_job *j = r->job[0];
    const struct rank_set *set = &j->set[which];
    const struct dump *d = &set->ranks.v[0]->dump;
    rank_list absent = {0}, there = {0};
    int64_t rows = 0;
    for (size_t i = 0; i < set->ranks.n; i++)
        rows += (int64_t)set->ranks.v[i]->dump.rows.n;
    jw_object(w);
    jw_kcstr(w, "path", set->path);
    jw_kcstr(w, "format", d->reader->name);
    jw_kcstr(w, "framework", d->framework);
    jw_kcstr(w, "level", d->level);
    jw_kcstr(w, "task", d->task);
    jw_kint_if(w, "step", set->step >= 0, set->step);
    jw_knull(w, "rank");
    jw_kint(w, "rows", rows);
    for (size_t i = 0; i < set->ranks.n; i++)
        rank_list_add(&there, set->ranks.v[i]->rank);
    for (size_t i = 0; i < set->others.n; i++)
        rank_list_add(&there, set->others.v[i]);
    int_array(w, "ranks", &there);
    vec_release(&there);
    jw_karray(w, "steps");
    for (size_t i = 0; i < r->steps; i++)
        jw_int(w, r->job[i]->set[which].step);
    jw_end_array(w);
    job_absent(r, which, &absent);
    int_array(w, "absent", &absent);
    jw_key(w, "layout");
    job_json_layout(w, &j->layout[which]);
    if (dump_is_digest(d))
        json_digest(w, d);
    else
        jw_knull(w, "digest");
    jw_end_object(w);
    vec_release(&absent);
}

static void accumulate_summary(struct judge_summary *all, const struct judge_summary *x)
{
    for (int i = 0; i < VERDICT_COUNT; i++)
        all->by[i] += x->by[i];
    all->pairs += x->pairs;
    for (int s = 0; s < 2; s++) {
        all->only[s] += x->only[s];
        all->compute[s] += x->compute[s];
        all->covered[s] += x->covered[s];
        all->missing[s] |= x->missing[s];
        all->coverage[s] = all->compute[s] ? (double)all->covered[s] / all->compute[s] : 0;
    }
    all->dtype_diff += x->dtype_diff;
    all->doubtful += x->doubtful;
    all->ill += x->ill;
    all->unread += x->unread;
    all->unread_files += x->unread_files;
    all->figures_only += x->figures_only;
    all->other_sums += x->other_sums;
    all->idle += x->idle;
    all->other_types += x->other_types;
    all->other_shapes += x->other_shapes;
    all->other_needs += x->other_needs;
    all->in_doubt += x->in_doubt;
    all->contradicting += x->contradicting;
    all->unanswered += x->unanswered;
    all->known += x->known;
    for (int i = 0; i < WHY_COUNT; i++)
        all->paired_by[i] += x->paired_by[i];
}

static uint32_t bad_beside(const struct job_result *r)
{
    uint32_t n = 0;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < r->collectives[s].v.n; i++)
            n += collective_is_bad(&r->collectives[s].v.v[i]);
    return n;
}

static void write_job_summary(struct jsonw *w, const struct job_result *r)
{
    struct judge_summary all = {.pairs = 0};
    for (size_t i = 0; i < r->pairs.n; i++)
        accumulate_summary(&all, &r->pairs.v[i].c->judged->sum);
    jw_object(w);
    compare_json_summary_members(w, &all);
    jw_kint(w, "collectives", (int64_t)(r->collectives[0].v.n + r->collectives[1].v.n));
    jw_kint(w, "collectives_wrong", bad_beside(r));
    jw_kint(w, "replicas_wrong", (int64_t)(r->replicas[0].v.n + r->replicas[1].v.n));
    jw_end_object(w);
}

/* The rows that a rank holds a part of, and its first deviation. */
struct rank_extent {
    struct judge_summary sum;
    uint32_t first; /* line, or NONE */
};

/* The same for every rank of a joined comparison, in one pass over its lines. Freed by the caller. */
static struct rank_extent *rank_extents(const struct job_result *r, size_t pair, const struct rank_set *set)
{
    const struct job_pair *p = &r->pairs.v[pair];
    const struct judgement *j = p->c->judged;
    struct rank_extent *of = mem_zalloc((set->ranks.n + 1) * sizeof *of);
    rank_list holds = {0};
    for (size_t k = 0; k < set->ranks.n; k++) {
        of[k].first = NONE;
        memcpy(of[k].sum.coverage, j->sum.coverage, sizeof j->sum.coverage);
    }
    for (uint32_t i = 0; i < j->lines; i++) {
        const struct line *l = &p->c->pairing->lines.v[i];
        bool bad = j->first != NONE && i >= j->first && line_is_bad(&j->line[i]);
        vec_clear(&holds);
        job_ranks_of(r, pair, i, &holds);
        for (size_t k = 0; k < holds.n; k++) {
            struct judge_summary *s = &of[rank_set_find(set, holds.v[k])].sum;
            s->by[j->line[i].verdict]++;
            s->pairs += l->pair != NONE;
            s->only[TARGET] += l->row[GOLDEN] == NONE;
        }
        if (!bad)
            continue;
        rank_list wrong = {0};
        job_bad_ranks(r, pair, i, &wrong);
        for (size_t k = 0; k < wrong.n; k++) {
            uint32_t at = rank_list_has(&holds, wrong.v[k]) ? rank_set_find(set, wrong.v[k]) : NONE;
            if (at != NONE && of[at].first == NONE)
                of[at].first = i;
        }
        vec_release(&wrong);
    }
    vec_release(&holds);
    return of;
}

/* Where the first deviation of a rank was made in the code and what inherits from it, if it starts there. */
static void rank_start(struct jsonw *w, const struct comparison *c, uint32_t line)
{
    uint32_t group = line == NONE ? NONE : start_group_of(c->judged, line);
    jw_key(w, "start");
    if (group == NONE) {
        jw_null(w);
        return;
    }
    const struct start_group *g = &c->judged->start_groups.v[group];
    const struct frame *f = start_place(&c->measure, line);
    jw_object(w);
    jw_kcstr(w, "file", f ? f->file : NULL);
    jw_kint_if(w, "line", f != NULL, f ? f->line : 0);
    jw_kint(w, "places", g->starts);
    jw_kint(w, "inherit", g->inherit);
    jw_end_object(w);
}

static void rank_object(struct jsonw *w, const struct job_result *r, size_t pair, int rank, const struct rank_extent *x)
{
    const struct job_pair *p = &r->pairs.v[pair];
    const struct joined_job *j = job_at(r, p->step);
    struct rank_place at = layout_place(&j->layout[TARGET], rank);
    jw_object(w);
    jw_kint(w, "step", p->step);
    jw_kint(w, "rank", rank);
    jw_key(w, "golden_rank");
    if (p->rank[GOLDEN] >= 0) {
        jw_int(w, p->rank[GOLDEN]);
    } else {
        jw_array(w);
        for (size_t i = 0; i < j->set[GOLDEN].ranks.n; i++)
            jw_int(w, j->set[GOLDEN].ranks.v[i]->rank);
        jw_end_array(w);
    }
    jw_key(w, "place");
    if (j->set[TARGET].others.n) { /* whoever puts shares together knows the layout */
        jw_null(w);
    } else {
        jw_object(w);
        for (int c = 0; c < CUT_RANKS; c++)
            jw_kint(w, cut_name((enum cut)c), at.at[c]);
        jw_end_object(w);
    }
    for (int k = 0; k < 2; k++) {
        uint32_t of = rank_set_find(&j->set[k], k == TARGET            ? rank
                                                : p->rank[GOLDEN] >= 0 ? p->rank[GOLDEN]
                                                                       : j->set[k].ranks.v[0]->rank);
        jw_kobject(w, k == TARGET ? "target" : "golden");
        if (of != NONE)
            json_side_fields(w, &j->set[k].ranks.v[of]->dump);
        jw_end_object(w);
    }
    jw_kobject(w, "summary");
    compare_json_summary_members(w, &x->sum);
    jw_end_object(w);
    jw_key(w, "first_deviation");
    if (x->first == NONE)
        jw_null(w);
    else
        compare_json_job_row(w, r, pair, x->first);
    jw_kcstr(w, "first_class",
             x->first == NONE || p->rank[TARGET] < 0 ? NULL : first_class_name(p->c->judged->first_class));
    rank_start(w, p->c, x->first);
    jw_knull(w, "provisional");
    jw_end_object(w);
}

static void write_job_ranks(struct jsonw *w, struct out *o, const struct job_result *r)
{
    jw_karray(w, "ranks");
    for (size_t i = 0; i < r->pairs.n; i++) {
        const struct job_pair *p = &r->pairs.v[i];
        const struct rank_set *set = &job_at(r, p->step)->set[TARGET];
        if (p->rank[TARGET] >= 0) {
            struct rank_extent x = {p->c->judged->sum, p->c->judged->first};
            rank_object(w, r, i, p->rank[TARGET], &x);
        } else {
            struct rank_extent *of = rank_extents(r, i, set);
            for (size_t k = 0; k < set->ranks.n; k++)
                rank_object(w, r, i, set->ranks.v[k]->rank, &of[k]);
            free(of);
        }
        out_flow(o);
    }
    jw_end_array(w);
}

static const struct collective *job_collective(const struct job_result *r, uint32_t id)
{
    size_t n = r->collectives[0].v.n;
    return id == NONE ? NULL : id < n ? &r->collectives[0].v.v[id] : &r->collectives[1].v.v[id - n];
}

static void call_of_row(const struct job_result *r, size_t pair, uint32_t line, struct buf *out)
{
    const struct comparison *c = r->pairs.v[pair].c;
    const struct line *l = &c->pairing->lines.v[line];
    int s = l->row[TARGET] != NONE ? TARGET : GOLDEN;
    const struct dump *d = &c->side[s].dump;
    const struct whole_row *x = joined_dump_row(d, l->row[s]);
    uint32_t row = l->row[s];
    if (x) {
        const struct part_row *p = joined_row_part(x, c->judged->line[line].limit);
        d = &part_dump(joined_dump_rows(d), p)->dump;
        row = p->row;
    }
    buf_str(out, dump_call_name(d, d->rows.v[row].call));
}

static void write_job_first(struct jsonw *w, const struct job_result *r)
{
    const struct job_first *f = &r->first;
    struct buf call = {0}, why = {0};
    jw_key(w, "first");
    if (!f->found) {
        jw_null(w);
        jw_knull(w, "first_deviation");
        return;
    }
    const struct collective *c = f->kind == FIRST_COLLECTIVE ? job_collective(r, f->collective) : NULL;
    const struct replica_finding *x = f->kind == FIRST_REPLICA ? &r->replicas[0].v.v[f->replica] : NULL;
    if (f->kind == FIRST_ROW) {
        call_of_row(r, f->pair, f->line, &call);
        explain_verdict(r->pairs.v[f->pair].c->judged, &r->pairs.v[f->pair].c->measure, f->line, &why);
    } else if (c) {
        if (c->calls.n && !c->at) {
            const struct part_call *p = &c->calls.v[0];
            for (size_t i = 0; i < c->calls.n; i++) /* where it is wrong: at the end that receives */
                if (f->ranks.n && job_at(r, c->step)->set[TARGET].ranks.v[c->calls.v[i].rank]->rank == f->ranks.v[0])
                    p = &c->calls.v[i];
            buf_str(&call, dump_call_name(&job_at(r, c->step)->set[TARGET].ranks.v[p->rank]->dump, p->call));
        } else {
            buf_cstr(&call, c->at ? c->at : "");
        }
        buf_cstr(&why, c->evidence);
    } else {
        const struct dump *d = &job_at(r, x->step)->set[TARGET].ranks.v[x->rank]->dump;
        buf_str(&call, dump_call_name(d, d->rows.v[x->row].call));
        buf_cstr(&why, x->evidence);
    }
    jw_object(w);
    jw_kint(w, "step", f->step);
    jw_kint(w, "rank", f->ranks.n ? f->ranks.v[0] : 0);
    int_array(w, "ranks", &f->ranks);
    jw_kstr(w, "call", buf_view(&call));
    jw_kint(w, "order", f->order);
    jw_kcstr(w, "kind", f->kind == FIRST_ROW ? "row" : f->kind == FIRST_COLLECTIVE ? "collective" : "replica");
    jw_key(w, "row");
    if (f->kind == FIRST_ROW)
        compare_json_job_row(w, r, f->pair, f->line);
    else
        jw_null(w);
    jw_kint_if(w, "collective", f->collective != NONE, f->collective);
    jw_kint_if(w, "replica", f->replica != NONE, f->replica);
    jw_kstr(w, "sentence", buf_view(&why));
    jw_end_object(w);
    jw_key(w, "first_deviation");
    if (f->kind == FIRST_ROW)
        compare_json_job_row(w, r, f->pair, f->line);
    else
        jw_null(w);
    buf_release(&call);
    buf_release(&why);
}

static void write_diagnosis(struct jsonw *w, const char *id, const char *evidence)
{
    jw_karray(w, "diagnosis");
    if (id) {
        jw_object(w);
        jw_kcstr(w, "id", id);
        jw_kcstr(w, "evidence", evidence);
        jw_end_object(w);
    }
    jw_end_array(w);
}

void job_json_collective(struct jsonw *w, const struct collective *c, uint32_t id, const struct rank_set *set)
{
    jw_object(w);
    jw_kint(w, "id", id);
    jw_kcstr(w, "side", c->side == TARGET ? "target" : "golden");
    jw_kint(w, "step", c->step);
    jw_kcstr(w, "name", c->name);
    jw_kcstr(w, "op", c->op);
    jw_kcstr(w, "kind", c->kind);
    int_array(w, "group", &c->group);
    jw_kcstr(w, "group_source", c->group_source);
    jw_kcstr(w, "at", c->at);
    jw_kint(w, "order", c->order);
    jw_karray(w, "calls");
    for (size_t i = 0; i < c->calls.n; i++) {
        const struct rank_dump *d = set->ranks.v[c->calls.v[i].rank];
        jw_object(w);
        jw_kint(w, "rank", d->rank);
        jw_kstr(w, "call", dump_call_name(&d->dump, c->calls.v[i].call));
        jw_end_object(w);
    }
    jw_end_array(w);
    jw_kcstr(w, "dtype", dtype_table[c->dtype].name);
    jw_kcstr(w, "precision", c->precision == DTYPE_UNKNOWN ? NULL : dtype_table[c->precision].name);
    jw_kbool(w, "equal", c->equal);
    jw_kgiven(w, "residual", c->residual);
    jw_kgiven(w, "bound", c->bound);
    int_array(w, "ranks", &c->ranks);
    jw_kcstr(w, "verdict", collective_verdict_name(c->verdict));
    write_diagnosis(w, c->diagnosis, c->evidence);
    jw_end_object(w);
}

void job_json_replica(struct jsonw *w, const struct replica_finding *x, uint32_t id, const struct rank_set *set)
{
    struct buf name = {0};
    dump_row_name(&set->ranks.v[x->rank]->dump, x->row, &name);
    jw_object(w);
    jw_kint(w, "id", id);
    jw_kcstr(w, "side", x->side == TARGET ? "target" : "golden");
    jw_kint(w, "step", x->step);
    jw_kcstr(w, "what", x->what);
    jw_kcstr(w, "kind", x->kind);
    jw_kcstr(w, "expect", x->differ ? "differ" : "same");
    int_array(w, "ranks", &x->ranks);
    if (x->odd.n)
        int_array(w, "odd", &x->odd);
    else
        jw_knull(w, "odd");
    jw_kstr(w, "row", buf_view(&name));
    jw_kint(w, "order", x->order);
    jw_kint(w, "rows", x->rows);
    jw_kgiven(w, "size", x->size);
    write_diagnosis(w, x->diagnosis, x->evidence);
    jw_end_object(w);
    buf_release(&name);
}

static void write_collectives_replicas(struct jsonw *w, const struct job_result *r, enum report_rows rows)
{
    uint32_t id = 0;
    jw_karray(w, "collectives");
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < r->collectives[s].v.n; i++, id++) {
            const struct collective *c = &r->collectives[s].v.v[i];
            if (rows == ROWS_ALL || c->verdict != COLLECTIVE_MATCH)
                job_json_collective(w, c, id, &job_at(r, c->step)->set[s]);
        }
    jw_end_array(w);
    jw_karray(w, "replicas");
    id = 0;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < r->replicas[s].v.n; i++, id++)
            job_json_replica(w, &r->replicas[s].v.v[i], id, &job_at(r, r->replicas[s].v.v[i].step)->set[s]);
    jw_end_array(w);
}

static void write_strip(struct jsonw *w, const struct job_result *r)
{
    struct job_strip s;
    job_strip_build(&s, r);
    for (size_t i = 0; i < s.row.n; i++)
        for (size_t x = 0; x < s.columns; x++)
            s.row.v[i].cells[x] = strip_looks[strip_sign_of(s.row.v[i].cells[x])].file;
    jw_kobject(w, "strip");
    jw_karray(w, "columns");
    for (size_t i = 0; i < s.columns; i++) {
        jw_object(w);
        jw_kint(w, "order", s.column[i].order);
        jw_kcstr(w, "call", s.column[i].call);
        jw_kint(w, "calls", s.column[i].calls);
        jw_end_object(w);
    }
    jw_end_array(w);
    jw_karray(w, "ranks");
    for (size_t i = 0; i < s.row.n; i++) {
        jw_object(w);
        jw_kint(w, "step", s.row.v[i].step);
        jw_kint(w, "rank", s.row.v[i].rank);
        jw_kstr(w, "cells", str_n(s.row.v[i].cells, s.columns));
        jw_end_object(w);
    }
    jw_end_array(w);
    jw_key(w, "first");
    if (r->first.found) {
        jw_object(w);
        jw_kint(w, "step", r->first.step);
        jw_kint(w, "rank", r->first.ranks.n ? r->first.ranks.v[0] : 0);
        jw_kint_if(w, "column", s.first != NONE, s.first);
        jw_end_object(w);
    } else {
        jw_null(w);
    }
    jw_end_object(w);
    job_strip_release(&s);
}

static void layout_warnings(struct jsonw *w, const struct layout *l, const char *path)
{
    struct buf b = {0};
    for (int i = 0; i < JOB_LAYOUT_DOUBTS; i++) {
        buf_clear(&b);
        if (job_layout_doubt(l, path, i, &b))
            jw_cstr(w, b.p);
    }
    buf_release(&b);
}

static void write_job_warnings(struct jsonw *w, const struct job_result *r, bool lasting)
{
    jw_karray(w, "warnings");
    for (size_t i = 0; i < r->failed.n; i++)
        jw_cstr(w, r->failed.v[i].text);
    for (size_t k = 0; k < r->steps; k++)
        for (int s = 0; s < 2; s++)
            layout_warnings(w, &r->job[k]->layout[s], r->job[k]->set[s].path);
    for (size_t i = 0; i < r->pairs.n; i++) {
        struct arena sentences = {0};
        input_doubt_list doubts = {0};
        input_doubts_find(r->pairs.v[i].c, &sentences, &doubts);
        for (size_t k = 0; k < doubts.n; k++)
            if (!lasting || !doubts.v[k].passing)
                jw_cstr(w, input_doubts_sentence(&doubts.v[k], &sentences));
        vec_release(&doubts);
        arena_release(&sentences);
    }
    jw_end_array(w);
}

static void write_step_ranks(struct jsonw *w, const struct place *v, size_t n)
{
    jw_array(w);
    for (size_t i = 0; i < n; i++) {
        jw_object(w);
        jw_kint_if(w, "step", v[i].step >= 0, v[i].step);
        jw_kint_if(w, "rank", v[i].rank >= 0, v[i].rank);
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void both_counts(struct jsonw *w, const char *key, const uint32_t count[2])
{
    jw_kobject(w, key);
    jw_kint(w, "target", count[TARGET]);
    jw_kint(w, "golden", count[GOLDEN]);
    jw_end_object(w);
}

/* In a share: the pairs of other shares, and the counts from which coverage is computed. */
static void write_share_parts(struct jsonw *w, const struct job_result *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->pairs.n; i++)
        n += r->pairs.v[i].rank[TARGET] < 0 ? job_at(r, r->pairs.v[i].step)->set[TARGET].ranks.n : 1;
    jw_kobject(w, "parts");
    jw_kint(w, "done", (int64_t)n);
    jw_kint(w, "of", (int64_t)(n + r->left.n));
    jw_key(w, "missing");
    write_step_ranks(w, r->left.v, r->left.n);
    jw_kint(w, "status", job_status(r));
    jw_end_object(w);
    if (!r->workers)
        return;
    struct judge_summary all = {.pairs = 0};
    for (size_t i = 0; i < r->pairs.n; i++)
        accumulate_summary(&all, &r->pairs.v[i].c->judged->sum);
    jw_kobject(w, "share");
    both_counts(w, "compute", all.compute);
    both_counts(w, "covered", all.covered);
    jw_end_object(w);
}

void job_json(struct out *o, const struct job_result *r, const struct report_options *opt)
{
    struct jsonw json, *w = &json;
    jw_init(w, &o->buf, false);
    jw_result(w);
    if (opt->source)
        jw_kcstr(w, "source", opt->source);
    jw_key(w, "target");
    write_job_side(w, r, TARGET);
    jw_key(w, "golden");
    write_job_side(w, r, GOLDEN);
    jw_kcstr(w, "pairing", r->joined ? "layout" : "rank");
    write_job_warnings(w, r, opt->lasting);
    jw_key(w, "summary");
    write_job_summary(w, r);
    write_job_ranks(w, o, r);
    write_job_first(w, r);
    write_collectives_replicas(w, r, opt->rows);
    write_strip(w, r);
    for (int i = 0; i < 2; i++) {
        jw_key(w, i == TARGET ? "target_only" : "golden_only");
        write_step_ranks(w, r->alone[i].v, r->alone[i].n);
    }
    jw_karray(w, "rows");
    for (size_t i = 0; i < r->pairs.n; i++)
        compare_json_job_rows(w, o, r, i, opt->rows);
    jw_end_array(w);
    write_share_parts(w, r);
    jw_end_object(w);
    buf_char(&o->buf, '\n');
}
