/* How much was compared, and where the first deviation is. */
#include "find/summary.h"

#include <stdlib.h>

#include "model/family.h"

/* A call that counts for coverage. In an L0 dump modules are all there is; elsewhere their inner calls
 * are recorded themselves. */
static bool is_compute(const struct dump *d, const struct call *c)
{
    if (c->gradient || !c->rows)
        return false;
    if (c->kind == CALL_MODULE)
        return strcmp(d->level, "L0") == 0 && c->family != FAMILY_RANDOM && c->family != FAMILY_COPY;
    return family_is_compute(c->family);
}

/* Per call: does an output stand in a pair that is sure enough, and was one judged alike. */
static void cover(struct judgement *j, const struct measure *m)
{
    struct summary *s = &j->sum;
    bool phase[2][PHASE_COUNT] = {{false}};
    uint8_t *covered[2], *judged = mem_zalloc(m->side[TARGET]->calls.n + 1);
    for (int d = 0; d < 2; d++) {
        covered[d] = mem_zalloc(m->side[d]->calls.n + 1);
        for (size_t c = 0; c < m->side[d]->calls.n; c++)
            if (is_compute(m->side[d], &m->side[d]->calls.v[c]))
                phase[d][m->side[d]->calls.v[c].phase] = true;
    }
    for (size_t i = 0; i < j->lines; i++) {
        const struct line *l = &m->pairing->lines.v[i];
        const struct line_judgement *x = &j->line[i];
        if (l->pair == NONE || (x->flags & LINE_DOUBTFUL))
            continue;
        for (int d = 0; d < 2; d++) {
            const struct row *r = &m->side[d]->rows.v[l->row[d]];
            if (r->io == IO_OUTPUT)
                covered[d][r->call] = 1;
        }
        const struct row *r = &m->side[TARGET]->rows.v[l->row[TARGET]];
        if (r->io == IO_OUTPUT && (x->verdict == VERDICT_MATCH || x->verdict == VERDICT_DRIFT))
            judged[r->call] = 1;
    }
    for (int d = 0; d < 2; d++) {
        for (size_t c = 0; c < m->side[d]->calls.n; c++) {
            const struct call *call = &m->side[d]->calls.v[c];
            if (!is_compute(m->side[d], call) || !phase[!d][call->phase])
                continue;
            s->compute[d]++;
            s->covered[d] += covered[d][c];
            if (d == TARGET)
                s->judged += judged[c];
        }
        s->coverage[d] = s->compute[d] ? (double)s->covered[d] / s->compute[d] : s->pairs ? 1 : 0;
        free(covered[d]);
    }
    free(judged);
}

/* With --map-only the rows listed are what there is to cover. */
static void cover_listed(struct judgement *j, const struct measure *m)
{
    struct summary *s = &j->sum;
    size_t listed = m->pairing->mapped + m->pairing->mapped_missing;
    for (int d = 0; d < 2; d++) {
        s->compute[d] = (uint32_t)listed;
        s->covered[d] = (uint32_t)m->pairing->mapped;
        s->coverage[d] = listed ? (double)s->covered[d] / (double)listed : 0;
    }
    s->judged = s->by[VERDICT_MATCH] + s->by[VERDICT_DRIFT];
}

void summary_count(struct judgement *j, const struct measure *m, const struct judge_options *o)
{
    struct summary *s = &j->sum;
    for (size_t i = 0; i < j->lines; i++) {
        const struct line *l = &m->pairing->lines.v[i];
        const struct line_judgement *x = &j->line[i];
        s->known += x->rule == RULE_KNOWN;
        s->by[x->verdict] += x->rule != RULE_KNOWN;
        if (l->pair == NONE) {
            s->only[l->row[TARGET] == NONE ? GOLDEN : TARGET]++;
            continue;
        }
        s->pairs++;
        s->dtype_diff += (x->flags & LINE_DTYPE_DIFF) != 0;
        s->doubtful += (x->flags & LINE_DOUBTFUL) != 0;
        s->ill += x->rule == RULE_ILL;
        s->unread += (x->flags & LINE_UNREAD) != 0;
    }
    if (o->map_only)
        cover_listed(j, m);
    else
        cover(j, m);
}

/* ---- the first deviation and what makes it provisional ---- */

static const struct call *call_of_line(const struct measure *m, uint32_t i, int *side)
{
    const struct line *l = &m->pairing->lines.v[i];
    *side = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    return &m->side[*side]->calls.v[m->side[*side]->rows.v[l->row[*side]].call];
}

static bool in_gap(const struct measure *m, uint32_t i)
{
    int s;
    const struct call *c = call_of_line(m, i, &s);
    return m->pairing->lines.v[i].pair == NONE && is_compute(m->side[s], c);
}

void summary_first(struct judgement *j, const struct measure *m)
{
    bool gap = false;
    j->first = NONE;
    for (uint32_t i = 0; i < j->lines && j->first == NONE; i++) {
        const struct line_judgement *x = &j->line[i];
        if (verdict_is_bad(x->verdict) && !(x->flags & LINE_DOUBTFUL)) {
            j->first = i;
            break;
        }
        j->doubtful_before += (x->flags & LINE_DOUBTFUL) != 0;
        j->ill_before += x->rule == RULE_ILL;
        j->unread_before += (x->flags & LINE_UNREAD) != 0;
        j->pending_before += x->verdict == VERDICT_PENDING;
        bool now = in_gap(m, i);
        j->gaps_before += now && !gap;
        gap = now || (gap && m->pairing->lines.v[i].pair == NONE);
    }
    if (j->first == NONE)
        return;
    const struct line *l = &m->pairing->lines.v[j->first];
    const struct line_judgement *x = &j->line[j->first];
    int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    bool output = m->side[s]->rows.v[l->row[s]].io == IO_OUTPUT;
    j->klass = x->verdict == VERDICT_NONFINITE ? FIRST_NONFINITE
               : l->pair == NONE               ? FIRST_GAP
               : x->verdict == VERDICT_SHAPE   ? FIRST_SHAPE
               : output                        ? FIRST_OUTPUT
               : gap                           ? FIRST_GAP
                                               : FIRST_INPUT;
}
