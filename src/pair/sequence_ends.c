/* Modules of two sides that end at different calls: one contains the activation that the other calls after it. The
 * result of the longer one is that of its last inner call, so it is paired with the result of that call's partner. */
#include "pair/sequence_parts.h"

#include <stdlib.h>

#define DEPTH 8 /* enclosing modules considered */

/* The first tensor of more than one element with this role; NONE: there is none. */
static uint32_t value_row(const struct sequence *w, int s, uint32_t call, enum row_io io)
{
    return call == NONE ? NONE : sequence_nth_row(w, s, call, io, 0);
}

static bool row_holds_value(const struct dump *d, uint32_t row, const struct fingerprint *value)
{
    struct fingerprint f = fingerprint_of(d, row);
    return fingerprint_compare(&f, value) == LIKE_SAME;
}

/* Whether the call reads this value of its own side as an input. */
static bool call_reads_value(const struct dump *d, uint32_t call, const struct fingerprint *value)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && row_holds_value(d, r, value))
            return true;
    return false;
}

/* Whether the paired module of side s returns what `inner` returns, while inner's partner stands behind the module's
 * partner and reads its result. */
static bool ends_later(const struct sequence *w, int s, uint32_t module, uint32_t inner)
{
    uint32_t shorter = w->call_pair[s][module], next = w->call_pair[s][inner];
    if (shorter == NONE || next == NONE || next == shorter || dump_call_is_in(w->d[!s], next, shorter))
        return false;
    uint32_t out = value_row(w, s, module, IO_OUTPUT), last = value_row(w, s, inner, IO_OUTPUT),
             end = value_row(w, !s, shorter, IO_OUTPUT);
    if (out == NONE || last == NONE || end == NONE)
        return false;
    struct fingerprint whole = fingerprint_of(w->d[s], out), before = fingerprint_of(w->d[!s], end);
    uint32_t behind = value_row(w, !s, next, IO_OUTPUT);
    return row_holds_value(w->d[s], last, &whole) && call_reads_value(w->d[!s], next, &before) && behind != NONE &&
           !row_holds_value(w->d[!s], behind, &before);
}

void sequence_find_ends(struct sequence *w)
{
    for (int s = 0; s < 2; s++) {
        const struct dump *d = w->d[s];
        w->last_inner[s] = mem_nones(d->calls.n);
        for (uint32_t c = 0; c < d->calls.n; c++) {
            uint32_t module = d->calls.v[c].parent;
            if (d->calls.v[c].phase != PHASE_FORWARD)
                continue;
            for (int depth = 0; module != NONE && depth < DEPTH; depth++, module = d->calls.v[module].parent)
                if (w->last_inner[s][module] == NONE && ends_later(w, s, module, c))
                    w->last_inner[s][module] = c;
        }
    }
}

bool sequence_end_differs(const struct sequence *w, uint32_t t, uint32_t g, enum row_io io)
{
    uint32_t call[2] = {t, g};
    for (int s = 0; s < 2; s++) {
        bool backward = w->d[s]->calls.v[call[s]].phase == PHASE_BACKWARD;
        uint32_t forward = backward ? sequence_twin(w, s, call[s]) : call[s];
        if (io == (backward ? IO_INPUT : IO_OUTPUT) && forward != NONE && w->last_inner[s][forward] != NONE)
            return true;
    }
    return false;
}

static void pair_end(struct sequence *w, int s, uint32_t module, uint32_t inner, enum row_io io)
{
    uint32_t row = value_row(w, s, module, io), last = value_row(w, s, inner, io);
    uint32_t other = last == NONE ? NONE : w->row_pair[s][last];
    if (row != NONE && other != NONE && sequence_free(w, s, row))
        sequence_emit(w, s ? other : row, s ? row : other, WHY_WHOLE, 0.85f);
}

void sequence_pair_ends(struct sequence *w)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t c = 0; c < w->d[s]->calls.n; c++) {
            uint32_t inner = w->last_inner[s][c];
            if (inner == NONE)
                continue;
            pair_end(w, s, c, inner, IO_OUTPUT);
            pair_end(w, s, sequence_twin(w, s, c), sequence_twin(w, s, inner), IO_INPUT);
        }
}
