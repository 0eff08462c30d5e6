/* Follows deviations along the data flow: calls whose inputs agree while an output deviates, entry points, and how a
 * call's output error compares with its inputs'. */
#include "judge/suspects.h"

#include <math.h>
#include <stdlib.h>

#include "judge/forward_uses.h"

struct suspects_walk {
    struct judgement *j;
    const struct measure *m;
    const struct dataflow *flow; /* the target's */
    const struct dump *d;    /* the target */
};

static uint32_t line_of(const struct suspects_walk *w, uint32_t row)
{
    return w->m->pairing->line_of[TARGET][row];
}

static bool bad(const struct suspects_walk *w, uint32_t row)
{
    return line_is_bad(&w->j->line[line_of(w, row)]);
}

/* ---- suspects ---- */

/* Largest amplification first; of about equal ones the earlier, because later ones may only pass on an error that is
 * not visible in between. */
static int by_score(const void *a, const void *b)
{
    const struct suspect *x = a, *y = b;
    int m = (int)(x->score * 10), n = (int)(y->score * 10);
    if (m != n)
        return m > n ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Rows that a deviation has reached along the recorded data flow, whether or not they show it: a mask of -10000 added
 * to deviating scores hides it in every norm. */
static uint8_t *find_tainted(const struct suspects_walk *w)
{
    const struct dump *d = w->d;
    uint8_t *tainted = mem_zalloc(d->rows.n + 1), *call = mem_zalloc(d->calls.n + 1);
    for (uint32_t r = 0; r < d->rows.n; r++) {
        uint32_t from = w->flow->held[r], c = d->rows.v[r].call;
        tainted[r] = bad(w, r) || (from != NONE && tainted[from]) || (d->rows.v[r].io == IO_OUTPUT && call[c]);
        if (d->rows.v[r].io != IO_OUTPUT && tainted[r])
            call[c] = 1;
    }
    free(call);
    return tainted;
}

/* Finds calls whose recorded inputs all agree while an output deviates. */
static void find_suspects(struct suspects_walk *w)
{
    const struct dump *d = w->d;
    uint8_t *tainted = find_tainted(w);
    for (uint32_t c = 0; c < d->calls.n; c++) {
        struct suspect x = {.call = c, .line = NONE};
        int inputs = 0, bad_inputs = 0;
        EACH_ROW(d, c, r) {
            uint32_t i = line_of(w, r);
            const struct line_judgement *l = &w->j->line[i];
            if (w->m->pairing->lines.v[i].pair == NONE || (l->flags & LINE_DOUBTFUL))
                continue;
            if (d->rows.v[r].io == IO_OUTPUT) {
                if (verdict_is_bad(l->verdict) && x.line == NONE) {
                    x.line = i;
                    x.out = (double)l->error;
                }
            } else if (line_agrees(l) && !tainted[r]) {
                inputs += d->rows.v[r].kind == ROW_TENSOR;
                x.in = l->error > x.in ? (double)l->error : x.in;
            } else if (l->verdict != VERDICT_SKIP) {
                bad_inputs++;
            }
        }
        if (x.line == NONE || !inputs || bad_inputs)
            continue;
        double from = fmax(fmax(x.in, (double)w->j->line[x.line].level), 1e-8);
        double times = isfinite(x.out) ? x.out / from : 1e6;
        x.score = times <= 1 ? 0 : fmin(1, log10(times) / 6);
        vec_push(&w->j->suspects, x);
    }
    vec_sort(&w->j->suspects, by_score);
    free(tainted);
}

/* ---- entry points ---- */

/* Whether only one side recorded calls between the previous pair and this line. */
static bool behind_gap(const struct suspects_walk *w, uint32_t line)
{
    const struct pairing *p = w->m->pairing;
    for (uint32_t i = line; i > 0 && p->lines.v[i - 1].pair == NONE; i--) {
        const struct line *l = &p->lines.v[i - 1];
        int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        if (w->m->side[s]->rows.v[l->row[s]].io == IO_OUTPUT)
            return true;
    }
    return false;
}

static enum entry_point_kind kind_of(const struct suspects_walk *w, uint32_t row)
{
    const struct row *r = &w->d->rows.v[row];
    uint32_t line = line_of(w, row);
    if (r->io == IO_OUTPUT)
        return ENTRY_POINT_OUTPUT;
    bool given = r->kind != ROW_TENSOR || r->io == IO_PARAMETER || w->j->line[line].rule == RULE_PARAMETER ||
                 (w->j->line[line].flags & LINE_SOURCE);
    return !given && behind_gap(w, line) ? ENTRY_POINT_GAP : ENTRY_POINT_INPUT;
}

/* Registers a deviating row as an entry point; returns its bit, 0 if there is no bit left. */
static uint64_t enter(struct suspects_walk *w, uint32_t row)
{
    uint32_t call = w->d->rows.v[row].call;
    for (size_t i = 0; i < w->j->frontier.n; i++)
        if (w->j->frontier.v[i].call == call)
            return 1ULL << i;
    if (w->j->frontier.n == ENTRANCES_MOST)
        return 0;
    struct entry_point e = {.call = call, .line = line_of(w, row), .kind = kind_of(w, row)};
    vec_push(&w->j->frontier, e);
    return 1ULL << (w->j->frontier.n - 1);
}

static int by_downstream(const void *a, const void *b)
{
    const struct entry_point *x = a, *y = b;
    if (x->downstream < y->downstream || x->downstream > y->downstream)
        return x->downstream > y->downstream ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* A gradient depends on the entries of its forward call's inputs, and of the backward calls of those that used its
 * result. */
static uint64_t from_forward(const struct suspects_walk *w, const struct forward_uses *u, const uint64_t *call,
                             uint32_t forward)
{
    const struct dump *d = w->d;
    uint64_t set = call[forward];
    for (uint32_t r = u->first[forward]; r != NONE; r = u->next[r]) {
        uint32_t twin = d->calls.v[d->rows.v[r].call].twin;
        set |= twin == NONE ? 0 : call[twin];
    }
    return set;
}

#define BACK 200 /* earlier rows searched for the source of a slice */

static bool within(const struct row *part, const struct row *whole)
{
    static const int stat[] = {STAT_MAX, STAT_MIN, STAT_NORM};
    for (size_t i = 0; i < ARRAY_LEN(stat); i++) {
        double p = part->stat[stat[i]], w = whole->stat[stat[i]];
        if (!isnan(w) && !(stat[i] == STAT_MIN ? p >= w : p <= w * (stat[i] == STAT_NORM ? 1.001 : 1)))
            return false; /* a NaN makes every comparison false, so it passes */
    }
    return true;
}

/* Slices and concatenations are often not recorded: a deviating value within the bounds of a recent deviating one,
 * with a size that is a multiple or divisor of it, is assumed to be a part of it. */
static uint64_t from_slice(const struct suspects_walk *w, const uint64_t *row, uint32_t r)
{
    const struct dump *d = w->d;
    const struct row *x = &d->rows.v[r];
    uint64_t n = dump_row_numel(d, r);
    int all = HAS_MAX | HAS_MIN | HAS_NORM;
    if (x->kind != ROW_TENSOR || (x->has & all) != all || n < 2 || (w->j->line[line_of(w, r)].flags & LINE_SOURCE))
        return 0;
    for (uint32_t i = r; i-- > 0 && r - i <= BACK;) {
        const struct row *y = &d->rows.v[i];
        uint64_t k = dump_row_numel(d, i);
        if (!row[i] || y->call == x->call || y->kind != ROW_TENSOR || (y->has & all) != all || k < 2)
            continue;
        bool joined = k < n && n % k == 0 && within(y, x) &&
                      (y->stat[STAT_MAX] >= x->stat[STAT_MAX] || y->stat[STAT_MIN] <= x->stat[STAT_MIN]);
        if (joined || (k > n && k % n == 0 && within(x, y)))
            return row[i];
    }
    return 0;
}

/* Which entry points each row depends on, along values in earlier rows and through calls. A row without any
 * difference passes nothing on. */
static void find_frontier(struct suspects_walk *w)
{
    const struct dump *d = w->d;
    uint64_t *row = mem_zalloc((d->rows.n + 1) * sizeof *row), *call = mem_zalloc((d->calls.n + 1) * sizeof *call);
    struct forward_uses uses = {NULL, NULL}; /* found for the first gradient */
    size_t count[ENTRANCES_MOST] = {0}, all = 0;
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct row *x = &d->rows.v[r];
        const struct call *c = &d->calls.v[x->call];
        uint32_t from = w->flow->held[r];
        uint64_t set = from == NONE ? 0 : row[from];
        if (x->io == IO_OUTPUT && (c->kind != CALL_MODULE || from == NONE))
            set |= call[x->call];
        if (c->phase == PHASE_BACKWARD && c->twin != NONE) {
            if (!uses.first)
                forward_uses_find(&uses, w->d, w->flow);
            set |= from_forward(w, &uses, call, c->twin);
        }
        if (w->j->line[line_of(w, r)].rule == RULE_EQUAL)
            set = 0;
        if (bad(w, r)) {
            all++;
            if (!set && w->j->frontier.n < ENTRANCES_MOST && (x->io == IO_INPUT || c->kind == CALL_MODULE))
                set = from_slice(w, row, r);
            if (!set)
                set = enter(w, r);
        }
        for (size_t i = 0; bad(w, r) && i < w->j->frontier.n; i++)
            count[i] += set >> i & 1;
        row[r] = set;
        call[x->call] |= set;
    }
    for (size_t i = 0; i < w->j->frontier.n; i++)
        /* without itself */
        w->j->frontier.v[i].downstream = (double)(count[i] - 1) / (double)(all > 1 ? all - 1 : 1);
    vec_sort(&w->j->frontier, by_downstream);
    forward_uses_release(&uses);
    free(row);
    free(call);
}

void suspects_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2])
{
    struct suspects_walk w = {j, m, &flow[TARGET], m->side[TARGET]};
    find_suspects(&w);
    find_frontier(&w);
}

/* ---- errors of a call ---- */

struct call_error call_error_of(const struct judgement *j, const struct measure *m, uint32_t call)
{
    const struct dump *d = m->side[TARGET];
    struct call_error x = {NAN, NAN, NAN};
    EACH_ROW(d, call, r) {
        const struct line_judgement *l = &j->line[m->pairing->line_of[TARGET][r]];
        double *of = d->rows.v[r].io == IO_OUTPUT ? &x.out : &x.in;
        if (d->rows.v[r].kind == ROW_TENSOR && !isnan(l->error) && (!(l->flags & LINE_DOUBTFUL) || l->rule == RULE_ILL))
            *of = fmax(*of, (double)l->error); /* fmax ignores NaN, which stands for "none" */
    }
    if (!isnan(x.in) && !isnan(x.out) && (x.in > 0 || x.out > 0))
        x.factor = x.out / x.in;
    return x;
}

/* Independent errors add as squares: subtracting the input's from the output's leaves the call's own. */
enum call_error_kind call_error_kind(const struct call_error *x)
{
    if (isnan(x->factor))
        return CALL_ERROR_UNKNOWN;
    return x->factor >= rule_limit(RULE_LIMIT_PASSAGE_ADDED) ? CALL_ERROR_ADDED : x->factor <=
           rule_limit(RULE_LIMIT_PASSAGE_INHERITED) ? CALL_ERROR_INHERITED : CALL_ERROR_BOTH;
}

const char *call_error_name(enum call_error_kind k)
{
    static const char *const names[] = {NULL, "added", "inherited", "both"};
    return names[k];
}

const char *entry_point_name(enum entry_point_kind k)
{
    static const char *const names[] = {"output", "input", "gap"};
    return names[k];
}
