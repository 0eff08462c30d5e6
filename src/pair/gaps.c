/* Finds runs of unpaired calls and groups one-sided calls by the function that called them. */
#include "pair/gaps.h"

#include <stdlib.h>

#include "base/msg.h"
#include "dump/family.h"
#include "pair/align_item.h"

/* Per call of each side: whether any of its rows is paired. */
static void find_paired(const struct pairing *p, const struct dump *const side[2], uint8_t *paired[2])
{
    for (int s = 0; s < 2; s++)
        paired[s] = mem_zalloc(side[s]->calls.n + 1);
    for (size_t i = 0; i < p->lines.n; i++)
        for (int s = 0; s < 2 && p->lines.v[i].pair != NONE; s++)
            paired[s][side[s]->rows.v[p->lines.v[i].row[s]].call] = 1;
}

/* The one-sided call of a line, its side in *s; NONE if its call is paired, or is a recomputed one. */
static uint32_t lone_call(const struct pairing *p, const struct dump *const side[2], uint8_t *const paired[2],
                          size_t line, int *s)
{
    const struct line *l = &p->lines.v[line];
    if (l->pair != NONE)
        return NONE;
    *s = l->row[TARGET] != NONE ? TARGET : GOLDEN;
    uint32_t c = side[*s]->rows.v[l->row[*s]].call;
    return paired[*s][c] || side[*s]->calls.v[c].gradient || side[*s]->calls.v[c].recomputes != NONE ? NONE : c;
}

void gaps_find(const struct pairing *p, const struct dump *const side[2], gap_list *out)
{
    uint8_t *paired[2];
    uint32_t before = NONE, last[2] = {NONE, NONE};
    bool open = false;
    find_paired(p, side, paired);
    for (size_t i = 0; i < p->lines.n; i++) {
        int s;
        if (p->lines.v[i].pair != NONE) {
            if (open)
                vec_last(out)->after = (uint32_t)i;
            open = false;
            before = (uint32_t)i;
            continue;
        }
        uint32_t c = lone_call(p, side, paired, i, &s);
        if (c == NONE)
            continue;
        if (!open) {
            struct gap fresh = {.first = (uint32_t)i, .before = before, .after = NONE};
            vec_push(out, fresh);
            last[0] = last[1] = NONE;
            open = true;
        }
        struct gap *g = vec_last(out);
        g->end = (uint32_t)i + 1;
        if (c != last[s]) {
            g->calls[s]++;
            g->compute[s] += family_is_compute(side[s]->calls.v[c].family);
        }
        last[s] = c;
    }
    free(paired[0]);
    free(paired[1]);
}

const struct gap *gaps_at(const gap_list *l, uint32_t line)
{
    size_t at;
    lower_bound(at, l->n, l->v[at].end <= line);
    return at < l->n && l->v[at].first <= line ? &l->v[at] : NULL;
}

/* The innermost frame that is no library's, and the next such frame outside it. */
static void place_of_gap(const struct dump *d, uint32_t call, uint32_t *frame, uint32_t *caller)
{
    uint32_t stack = dump_call_stack(d, call, NULL);
    *frame = *caller = NONE;
    for (uint32_t i = 0; stack != NONE && i < d->stacks.v[stack].n && *caller == NONE; i++) {
        uint32_t f = d->stack_frames.v[d->stacks.v[stack].first + i];
        if (!*d->frames.v[f].file || frame_is_library(&d->frames.v[f]))
            continue;
        if (*frame == NONE)
            *frame = f;
        else
            *caller = f;
    }
}

/* Whether a function name is too common to identify it ("forward"), so that the place of the call is used instead. */
static bool name_is_generic(const char *func)
{
    static const char *const names[] = {"construct", "forward", "__call__", "<lambda>", ""};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(func, names[i]) == 0)
            return true;
    return false;
}

/* A key for a function, regardless of the line. */
static uint64_t function_key(const struct dump *d, int side, uint32_t frame, uint32_t caller)
{
    struct buf b = {0};
    buf_fmt(&b, "%d", side);
    if (frame != NONE)
        buf_fmt(&b, "|%s|%s", d->frames.v[frame].file, d->frames.v[frame].func);
    if (caller != NONE && name_is_generic(d->frames.v[frame].func))
        buf_fmt(&b, "|%s|%u", d->frames.v[caller].file, d->frames.v[caller].line);
    else if (caller != NONE)
        buf_fmt(&b, "|%s|%s", d->frames.v[caller].file, d->frames.v[caller].func);
    uint64_t k = hash_bytes(b.p, b.n, 29);
    buf_release(&b);
    return k;
}

static void add_operator(struct gap_group *g, struct str op)
{
    for (uint32_t i = 0; i < g->ops && i < GAP_OPERATORS; i++)
        if (str_eq(g->op[i], op))
            return;
    if (g->ops < GAP_OPERATORS)
        g->op[g->ops] = op;
    g->ops++;
}

static int most_first(const void *a, const void *b)
{
    const struct gap_group *x = a, *y = b;
    if (x->compute != y->compute)
        return x->compute > y->compute ? -1 : 1;
    return x->calls != y->calls ? (x->calls > y->calls ? -1 : 1) : x->line < y->line ? -1 : x->line > y->line;
}

void gaps_group(const struct pairing *p, const struct dump *const side[2], gap_group_list *out)
{
    uint8_t *paired[2];
    struct nmap found = {0};
    size_t begin = out->n;
    find_paired(p, side, paired);
    for (size_t i = 0; i < p->lines.n; i++) {
        int s;
        uint32_t frame, caller, c = lone_call(p, side, paired, i, &s);
        if (c == NONE)
            continue;
        paired[s][c] = 1; /* marks it as counted */
        place_of_gap(side[s], c, &frame, &caller);
        uint64_t k = function_key(side[s], s, frame, caller);
        uint32_t at = nmap_get(&found, k);
        if (at == MAP_NONE) {
            struct gap_group fresh = {.side = (uint8_t)s, .frame = frame, .caller = caller, .line = (uint32_t)i};
            vec_push(out, fresh);
            at = (uint32_t)out->n - 1;
            nmap_set(&found, k, at);
        }
        struct gap_group *g = &out->v[at];
        g->calls++;
        g->compute += family_is_compute(side[s]->calls.v[c].family);
        add_operator(g, align_item_operator(side[s], c));
    }
    if (out->n > begin)
        qsort(out->v + begin, out->n - begin, sizeof *out->v, most_first);
    nmap_release(&found);
    free(paired[0]);
    free(paired[1]);
}

static void place_text(const struct dump *d, uint32_t frame, uint32_t caller, struct buf *out)
{
    const char *func = frame == NONE ? "" : d->frames.v[frame].func;
    if (*func)
        buf_fmt(out, _("in %s, "), func);
    if (frame != NONE)
        frame_place(&d->frames.v[frame], out);
    if (caller != NONE) {
        buf_cstr(out, _(" called at "));
        frame_place(&d->frames.v[caller], out);
    }
}

void gap_place(const struct dump *d, uint32_t call, struct buf *out)
{
    uint32_t frame, caller;
    place_of_gap(d, call, &frame, &caller);
    place_text(d, frame, caller, out);
}

void gap_group_text(const struct gap_group *g, const struct dump *const side[2], struct buf *out)
{
    const struct dump *d = side[g->side];
    buf_fmt(out, g->side == TARGET ? _("%u target only: ") : _("%u golden only: "), g->calls);
    for (uint32_t i = 0; i < g->ops && i < GAP_OPERATORS; i++) {
        buf_cstr(out, i ? ", " : "");
        buf_str(out, g->op[i]);
    }
    if (g->ops > GAP_OPERATORS)
        buf_cstr(out, ", …");
    if (g->frame != NONE)
        buf_cstr(out, "  ");
    place_text(d, g->frame, g->caller, out);
}

#define PARTS_REACH 200 /* lines before the last part that are searched */
#define PARTS_NAMED 8

void gaps_parts(const struct pairing *p, const struct dump *const side[2], uint32_t line, struct buf *out)
{
    const struct line *l = &p->lines.v[line];
    uint32_t call[2][PARTS_NAMED], n[2] = {0, 0}, own[2];
    if (l->pair == NONE || p->pairs.v[l->pair].why != WHY_WHOLE)
        return;
    for (int s = 0; s < 2; s++)
        own[s] = side[s]->rows.v[l->row[s]].call;
    for (uint32_t i = line; i-- > 0 && line - i < PARTS_REACH;) {
        const struct line *x = &p->lines.v[i];
        bool mine = false;
        for (int s = 0; s < 2; s++)
            mine = mine || (x->row[s] != NONE && side[s]->rows.v[x->row[s]].call == own[s]);
        if (x->pair != NONE && !mine)
            break;
        for (int s = 0; s < 2 && !mine; s++) {
            uint32_t c = x->row[s] == NONE ? NONE : side[s]->rows.v[x->row[s]].call;
            if (c != NONE && side[s]->calls.v[c].kind != CALL_MODULE && n[s] < PARTS_NAMED &&
                (!n[s] || call[s][n[s] - 1] != c))
                call[s][n[s]++] = c;
        }
    }
    int parts = n[GOLDEN] > n[TARGET] ? GOLDEN : TARGET;
    for (uint32_t i = n[parts]; i-- > 0;) {
        buf_str(out, align_item_operator(side[parts], call[parts][i]));
        buf_cstr(out, i ? ", " : "");
    }
}
