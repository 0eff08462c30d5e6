/* Compares choices as one set per token. Both sides must pick the highest of their own scores: this distinguishes a
 * choice by scores from another operation, and holds exactly under any noise. */
#include "judge/routing.h"

#include <math.h>
#include <stdlib.h>

#include "judge/pass_rows.h"
#include "measure/element_sample.h"
#include "pair/align_item.h"

#define PICKS_MOST 64

static bool picked_has(const double *picked, size_t n, double expert)
{
    for (size_t i = 0; i < n; i++)
        if (picked[i] == expert)
            return true;
    return false;
}

/* The lowest score picked and the highest not picked for a token; false if an index is out of range or occurs twice. */
static bool score_edges(const struct routing_choice *c, int side, size_t token, double *lowest, double *highest)
{
    const double *score = c->score[side] + token * c->width, *picked = c->picked[side] + token * c->picks;
    *lowest = INFINITY;
    *highest = -INFINITY;
    for (size_t i = 0; i < c->picks; i++) {
        if (!(picked[i] >= 0 && picked[i] < (double)c->width) || picked_has(picked, i, picked[i]))
            return false;
        *lowest = fmin(*lowest, score[(size_t)picked[i]]);
    }
    for (size_t e = 0; e < c->width; e++)
        if (!picked_has(picked, c->picks, (double)e))
            *highest = fmax(*highest, score[e]);
    return true;
}

static double largest_of(const double *v, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, isfinite(v[i]) ? fabs(v[i]) : 0);
    return most;
}

static bool picks_highest(const struct routing_choice *c, int side)
{
    for (size_t t = 0; t < c->tokens; t++) {
        double lowest, highest;
        if (!score_edges(c, side, t, &lowest, &highest) ||
            !(lowest >= highest - c->rounding * largest_of(c->score[side] + t * c->width, c->width)))
            return false;
    }
    return true;
}

/* Whether n positions are each of 0 to n - 1 once. */
static bool are_all_positions(const double *at, size_t n)
{
    bool *seen = mem_zalloc(n + 1), each = true;
    for (size_t i = 0; i < n && each; i++) {
        each = at[i] >= 0 && at[i] < (double)n && !seen[(size_t)at[i]];
        if (each)
            seen[(size_t)at[i]] = true;
    }
    free(seen);
    return each;
}

/* The positions of a sort, of equal keys in any order: the same if each side's put its own keys in an order of the
 * same values. Keys are of any type. */
static enum routing positions_of(const struct routing_choice *c, double noise)
{
    double tie = noise * largest_of(c->score[GOLDEN], c->tokens * c->width);
    for (size_t t = 0; t < c->tokens * c->width; t += c->width) {
        const double *at[2] = {c->picked[TARGET] + t, c->picked[GOLDEN] + t};
        const double *key[2] = {c->score[TARGET] + t, c->score[GOLDEN] + t};
        if (!are_all_positions(at[TARGET], c->width) || !are_all_positions(at[GOLDEN], c->width))
            return ROUTING_UNKNOWN;
        for (size_t i = 0; i < c->width; i++)
            if (!(fabs(key[TARGET][(size_t)at[TARGET][i]] - key[GOLDEN][(size_t)at[GOLDEN][i]]) <= tie))
                return ROUTING_UNKNOWN;
    }
    return ROUTING_SAME;
}

enum routing routing_of(const struct routing_choice *c, double noise)
{
    bool same = true;
    double tie = noise * largest_of(c->score[GOLDEN], c->tokens * c->width);
    if (c->picks == c->width)
        return positions_of(c, noise);
    if (!picks_highest(c, GOLDEN))
        return ROUTING_UNKNOWN;
    if (!picks_highest(c, TARGET))
        return ROUTING_OTHER;
    for (size_t t = 0; t < c->tokens; t++) {
        double lowest, highest;
        const double *picked = c->picked[TARGET] + t * c->picks, *score = c->score[GOLDEN] + t * c->width;
        score_edges(c, GOLDEN, t, &lowest, &highest);
        for (size_t i = 0; i < c->picks; i++) {
            if (picked_has(c->picked[GOLDEN] + t * c->picks, c->picks, picked[i]))
                continue;
            same = false;
            if (!(lowest - score[(size_t)picked[i]] <= tie))
                return ROUTING_OTHER;
        }
    }
    return same ? ROUTING_SAME : ROUTING_TIED;
}

/* Whether `scores` has the shape [.., width] for as many positions as the indices: wide enough for them, or, where all
 * are sorted, as wide. */
static bool may_be_scores(const struct dump *d, uint32_t row, uint32_t scores, bool sorted)
{
    int64_t picks = dump_row_last_axis(d, row), width = dump_row_last_axis(d, scores);
    if (d->rows.v[scores].kind != ROW_TENSOR || picks <= 0 || width <= 0 ||
        !(sorted ? picks == width : picks < width && dtype_is_float((enum dtype)d->rows.v[scores].dtype)))
        return false;
    return dump_row_numel(d, scores) / (uint64_t)width == dump_row_numel(d, row) / (uint64_t)picks;
}

bool routing_sorts(const struct dump *d, uint32_t call)
{
    return align_item_does(d, call, STR("sort")) || align_item_does(d, call, STR("argsort"));
}

uint32_t routing_scores(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    bool module = d->calls.v[r->call].kind == CALL_MODULE, sorted = routing_sorts(d, r->call);
    if (r->io != IO_OUTPUT || r->kind != ROW_TENSOR || dtype_table[r->dtype].klass != CLASS_INT ||
        d->calls.v[r->call].phase != PHASE_FORWARD ||
        (!module && !sorted && !align_item_does(d, r->call, STR("topk")) &&
         !align_item_does(d, r->call, STR("max")) && !align_item_does(d, r->call, STR("argmax"))))
        return NONE;
    EACH_EARLY_ROW(d, r->call, x)
        if (d->rows.v[x].io == (module ? IO_OUTPUT : IO_INPUT) && may_be_scores(d, row, x, sorted))
            return x;
    return NONE;
}

enum routing routing_compare(const struct measure *m, uint32_t line, double noise)
{
    struct element_sample x[2][2] = {{{.n = 0}}};
    struct routing_choice c = {.rounding = dtype_table[DTYPE_F32].epsilon};
    bool fine = true;
    for (int s = 0; s < 2 && fine; s++) {
        uint32_t row = m->pairing->lines.v[line].row[s], scores = routing_scores(m->side[s], row);
        fine = scores != NONE && (routing_sorts(m->side[s], m->side[s]->rows.v[row].call) ||
                                   dump_row_last_axis(m->side[s], row) <= PICKS_MOST) &&
               element_sample_whole(&x[s][0], m->side[s], row) && element_sample_whole(&x[s][1], m->side[s], scores);
        if (!fine)
            break;
        const struct shape *a = dump_row_shape(m->side[s], row), *b = dump_row_shape(m->side[s], scores);
        size_t picks = (size_t)a->dim[a->ndim - 1], width = (size_t)b->dim[b->ndim - 1],
               tokens = picks ? x[s][0].n / picks : 0;
        fine = tokens > 0 && x[s][1].n == tokens * width &&
               (s == 0 || (picks == c.picks && width == c.width && tokens == c.tokens));
        c.tokens = tokens;
        c.width = width;
        c.picks = picks;
        c.picked[s] = x[s][0].v[0];
        c.score[s] = x[s][1].v[0];
        c.rounding = fmax(c.rounding, dtype_table[m->side[s]->rows.v[scores].dtype].epsilon);
    }
    c.rounding *= 4;
    enum routing found = fine ? routing_of(&c, noise) : ROUTING_UNKNOWN;
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 2; i++)
            element_sample_release(&x[s][i]);
    return found;
}

static int compare_experts(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double routing_sorted_error(const struct measure *m, uint32_t line)
{
    struct element_sample x[2] = {{.n = 0}};
    double off = 0, whole = 0;
    const struct line *l = &m->pairing->lines.v[line];
    bool fine = element_sample_whole(&x[0], m->side[0], l->row[0]) &&
                element_sample_whole(&x[1], m->side[1], l->row[1]) && x[0].n == x[1].n && x[1].ndim > 0;
    size_t run = fine ? (size_t)x[1].shape[x[1].ndim - 1] : 0;
    fine = fine && run > 0 && run <= PICKS_MOST && x[0].n % run == 0;
    for (size_t i = 0; fine && i < x[0].n; i += run)
        for (int s = 0; s < 2; s++)
            qsort(x[s].v[0] + i, run, sizeof(double), compare_experts);
    for (size_t i = 0; fine && i < x[0].n; i++) {
        double d = x[0].v[0][i] - x[1].v[0][i];
        off += d * d;
        whole += x[1].v[0][i] * x[1].v[0][i];
    }
    for (int s = 0; s < 2; s++)
        element_sample_release(&x[s]);
    return fine && whole > 0 ? sqrt(off / whole) : NAN;
}
