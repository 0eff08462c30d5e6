/* Selects the content of a pack: the rows around findings and the first deviation, then tensors by priority, up to
 * the limit. */
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "report/pack_parts.h"

#define ALL_ROWS 200000 /* of both sides together: always packed */
#define AROUND 20       /* for larger dumps: lines before and after each deviation */
#define NPY_HEAD 128

static const struct dump *pack_side_dump(const struct pack_choice *c, int side)
{
    return &c->s->side[side].dump;
}

static uint32_t *alloc_numbers(struct pack_choice *c, size_t n)
{
    uint32_t *v = arena_alloc(&c->arena, (n + 1) * sizeof *v);
    memset(v, 0xff, (n + 1) * sizeof *v);
    return v;
}

static bool is_told(const struct pack_choice *c, uint32_t line)
{
    for (size_t i = 0; i < c->told.n; i++)
        if (c->told.v[i] == line)
            return true;
    return false;
}

/* A row's name, or a call's: its first row. */
static uint32_t row_named(const struct dump *d, const char *name)
{
    uint32_t row = *name ? dump_find_row(d, str_of(name)) : NONE,
             call = row == NONE ? map_get(&d->call_names, str_of(name)) : MAP_NONE;
    return call == MAP_NONE ? row : d->calls.v[call].first_row;
}

/* The first deviation, then the subjects of open findings. */
static void choose_told_lines(struct pack_choice *c, const struct pack_options *o)
{
    finding_list l = {0};
    const struct comparison *s = c->s;
    if (s->judged->first != NONE)
        vec_push(&c->told, s->judged->first);
    findings_read(&o->inv->findings, &l);
    for (size_t i = 0; i < l.n; i++)
        for (int d = 0; d < 2; d++) {
            uint32_t r = row_named(pack_side_dump(c, d), l.v[i].about[d]);
            uint32_t line = r == NONE ? NONE : s->pairing->line_of[d][r];
            if (line != NONE && !is_told(c, line))
                vec_push(&c->told, line);
        }
    vec_release(&l);
}

/* A call with all its rows, their partners, its twin and the modules around it. */
static void choose_call(struct pack_choice *c, int side, uint32_t call)
{
    const struct dump *d = pack_side_dump(c, side);
    EACH_ROW(d, call, r)
        c->row[side][r] = 0;
    for (uint32_t up = call; up != NONE && c->call[side][up] == NONE; up = d->calls.v[up].parent)
        c->call[side][up] = 0;
    uint32_t twin = d->calls.v[call].twin;
    if (twin != NONE && c->call[side][twin] == NONE) {
        c->call[side][twin] = 0;
        EACH_ROW(d, twin, r)
            c->row[side][r] = 0;
    }
}

static void choose_partners(struct pack_choice *c)
{
    const struct pairing *p = c->s->pairing;
    for (size_t i = 0; i < p->lines.n; i++) {
        const struct line *l = &p->lines.v[i];
        if (l->pair == NONE || (c->row[TARGET][l->row[TARGET]] == NONE && c->row[GOLDEN][l->row[GOLDEN]] == NONE))
            continue;
        for (int d = 0; d < 2; d++) {
            c->row[d][l->row[d]] = 0;
            c->call[d][pack_side_dump(c, d)->rows.v[l->row[d]].call] = 0;
        }
    }
}

static void choose_lines_around(struct pack_choice *c)
{
    const struct pairing *p = c->s->pairing;
    for (size_t k = 0; k < c->told.n; k++) {
        size_t from = c->told.v[k] < AROUND ? 0 : c->told.v[k] - AROUND, to = c->told.v[k] + AROUND + 1;
        for (size_t i = from; i < to && i < p->lines.n; i++)
            for (int d = 0; d < 2; d++)
                if (p->lines.v[i].row[d] != NONE)
                    choose_call(c, d, pack_side_dump(c, d)->rows.v[p->lines.v[i].row[d]].call);
    }
    choose_partners(c);
}

/* Numbers everything kept, in order; a call keeps its stack. */
static void number_kept(struct pack_choice *c, int side)
{
    const struct dump *d = pack_side_dump(c, side);
    for (uint32_t r = 0; r < d->rows.n; r++)
        if (c->row[side][r] != NONE)
            c->row[side][r] = c->rows[side]++;
    for (uint32_t k = 0; k < d->calls.n; k++) {
        uint32_t stack = d->calls.v[k].stack;
        if (c->call[side][k] == NONE)
            continue;
        c->call[side][k] = c->calls[side]++;
        if (stack != NONE && c->stack[side][stack] == NONE)
            c->stack[side][stack] = c->stacks[side]++;
    }
}

static const char *packed_row_name(struct pack_choice *c, int side, uint32_t row)
{
    struct buf b = {0};
    dump_row_name(pack_side_dump(c, side), row, &b);
    const char *kept = arena_cstr(&c->arena, buf_view(&b));
    buf_release(&b);
    return kept;
}

static void note_left_out(struct pack_choice *c, struct pack_said *said, int side, uint32_t row, uint64_t bytes,
                          const char *why)
{
    char n[NUM_MAX];
    vec_push(&said->left, arena_fmt(&said->arena, _("%s (%s, %s): %s"), packed_row_name(c, side, row),
                                    side ? _("golden") : _("target"), num_bytes(n, bytes), why));
}

/* numpy has no such type: its name stands in the file's */
static bool is_foreign(enum dtype t)
{
    return t == DTYPE_BF16 || t == DTYPE_F8E4M3 || t == DTYPE_F8E5M2 || t == DTYPE_HIF8;
}

static void pack_take_tensor(struct pack_choice *c, int side, uint32_t row, const struct pack_options *o,
                             struct pack_said *said)
{
    const struct dump *d = pack_side_dump(c, side);
    uint64_t key = (uint64_t)side << 32 | row;
    struct tensor t;
    struct err why;
    if (row == NONE || d->rows.v[row].kind != ROW_TENSOR || !(d->rows.v[row].has & HAS_FILE) ||
        nmap_get(&c->looked, key) != MAP_NONE)
        return;
    nmap_set(&c->looked, key, 1);
    if (dump_tensor(d, row, &t, &why)) {
        note_left_out(c, said, side, row, 0, why.text);
        return;
    }
    uint64_t bytes = NPY_HEAD + t.numel * dtype_table[t.dtype].size;
    enum dtype type = t.dtype;
    tensor_close(&t);
    if (bytes > o->limit - said->bytes) {
        note_left_out(c, said, side, row, bytes, _("exceeds the limit (--pack-limit)"));
        return;
    }
    said->bytes += bytes;
    struct pack_tensor x = {row, (uint8_t)side, bytes,
                            arena_fmt(&c->arena, "%06u%s%s.npy", c->row[side][row], is_foreign(type) ? "." : "",
                                      is_foreign(type) ? dtype_table[type].name : "")};
    vec_push(&c->tensors, x);
}

/* A call's inputs and outputs; for a backward call also those of its forward twin, needed for a replay. */
static void pack_take_call(struct pack_choice *c, int side, uint32_t row, const struct pack_options *o,
                           struct pack_said *said)
{
    const struct dump *d = pack_side_dump(c, side);
    if (row == NONE)
        return;
    uint32_t call = d->rows.v[row].call, twin = d->calls.v[call].phase == PHASE_BACKWARD ? d->calls.v[call].twin : NONE;
    EACH_ROW(d, call, r)
        pack_take_tensor(c, side, r, o, said);
    if (twin != NONE)
        EACH_ROW(d, twin, r)
            pack_take_tensor(c, side, r, o, said);
}

static int compare_pack_rows(const void *a, const void *b)
{
    const struct pack_tensor *x = a, *y = b;
    return x->side != y->side ? x->side - y->side : (x->row > y->row) - (x->row < y->row);
}

/* In the order of need: the first deviation's call, the findings' own tensors, then their calls'. */
static void pack_take_tensors(struct pack_choice *c, const struct pack_options *o, struct pack_said *said)
{
    const struct pairing *p = c->s->pairing;
    for (int whole = 0; whole < 2; whole++)
        for (size_t i = 0; i < c->told.n; i++)
            for (int d = 0; d < 2; d++) {
                uint32_t row = p->lines.v[c->told.v[i]].row[d];
                bool first = c->told.v[i] == c->s->judged->first;
                pack_take_tensor(c, d, row, o, said);
                if (whole || first)
                    pack_take_call(c, d, row, o, said);
            }
    vec_sort(&c->tensors, compare_pack_rows);
    said->tensors = c->tensors.n;
}

const struct pack_tensor *pack_tensor_of(const struct pack_choice *c, int side, uint32_t row)
{
    for (size_t i = 0; i < c->tensors.n; i++)
        if (c->tensors.v[i].side == side && c->tensors.v[i].row == row)
            return &c->tensors.v[i];
    return NULL;
}

void pack_choose(struct pack_choice *c, const struct comparison *s, const struct pack_options *o,
                 struct pack_said *said)
{
    *c = (struct pack_choice){.s = s};
    size_t all = s->side[0].dump.rows.n + s->side[1].dump.rows.n, most = o->all_rows ? o->all_rows : ALL_ROWS;
    for (int d = 0; d < 2; d++) {
        const struct dump *x = &s->side[d].dump;
        c->row[d] = alloc_numbers(c, x->rows.n);
        c->call[d] = alloc_numbers(c, x->calls.n);
        c->stack[d] = alloc_numbers(c, x->stacks.n);
        if (all <= most) {
            memset(c->row[d], 0, x->rows.n * sizeof **c->row);
            memset(c->call[d], 0, x->calls.n * sizeof **c->call);
        }
    }
    choose_told_lines(c, o);
    if (all > most)
        choose_lines_around(c);
    number_kept(c, TARGET);
    number_kept(c, GOLDEN);
    said->rows = c->rows[0] + c->rows[1];
    said->of = all;
    pack_take_tensors(c, o, said);
}

void pack_choice_release(struct pack_choice *c)
{
    vec_release(&c->told);
    vec_release(&c->tensors);
    nmap_release(&c->looked);
    arena_release(&c->arena);
}
