/* Builds the table of layers: a row per call position in a layer, a column per layer, with the worst line of each
 * cell. */
#include "table/layer_table.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"
#include "table/row_groups.h"

#define LAYERS_MOST 4096

struct layers_building {
    struct layer_table *x;
    const struct comparison *s;
    struct map keys;      /* place in a layer → row */
    struct map counts;    /* "layer/type" → calls of that type seen there */
    uint32_t last_call, last_side, last_row;
};

/* The part after "layers.N." of a module path; empty for the layer itself. */
static struct str scope_in_layer(struct str scope)
{
    struct str rest = scope, part;
    while (rest.n) {
        bool more = str_split(rest, '.', &part, &rest);
        bool digits = part.n > 0;
        for (size_t i = 0; i < part.n; i++)
            digits = digits && part.p[i] >= '0' && part.p[i] <= '9';
        if (digits)
            return more ? rest : str_n(part.p, 0);
        if (!more)
            break;
    }
    return scope;
}

/* "Functional.mul.3.forward" → "Functional.mul", a graph's "MatMul.Default_network-…_layers-CellList_3-…-op7" →
 * "MatMul"; the number of the call among its kind in the layer is appended. */
static struct str call_type(struct str name)
{
    size_t end = name.n;
    struct str kernel, scope;
    if (str_split(name, '.', &kernel, &scope) &&
        (str_starts(scope, "Default_") || str_starts(scope, "Gradients_Default_")))
        return kernel;
    for (size_t i = 1; i + 1 < name.n; i++)
        if (name.p[i] == '.' && name.p[i + 1] >= '0' && name.p[i + 1] <= '9') {
            end = i;
            break;
        }
    return str_n(name.p, end);
}

static uint32_t layer_row_for(struct layers_building *b, const struct dump *d, const struct call *c, uint32_t layer)
{
    struct buf key = {0};
    struct str name = str_n(c->name, c->name_len);
    buf_fmt(&key, "%c", "fbo"[c->phase]);
    if (c->kind == CALL_MODULE && c->scope != NONE) {
        struct str in = scope_in_layer(str_of(d->scopes.v[c->scope]));
        buf_str(&key, in.n ? in : STR("(the layer itself)"));
    } else {
        struct str type = c->kind == CALL_OPERATOR && c->scope != NONE ? scope_in_layer(str_of(d->scopes.v[c->scope]))
                                                                       : call_type(name);
        struct buf counter = {0};
        if (c->kind == CALL_OPERATOR) {
            buf_str(&key, type);
            buf_char(&key, ' ');
            type = call_type(name);
        }
        buf_fmt(&counter, "%c%u/", "fbo"[c->phase], layer);
        buf_str(&counter, buf_view(&key));
        buf_str(&counter, type);
        struct str kept = arena_str(&b->x->arena, buf_view(&counter));
        uint32_t n = map_get(&b->counts, kept);
        map_set(&b->counts, kept, n == MAP_NONE ? 0 : n + 1);
        buf_str(&key, type);
        buf_fmt(&key, " #%u", n == MAP_NONE ? 0 : n + 1);
        buf_release(&counter);
    }
    struct str kept = arena_str(&b->x->arena, buf_view(&key));
    buf_release(&key);
    uint32_t at = map_add(&b->keys, kept, (uint32_t)b->x->rows.n);
    if (at == b->x->rows.n) {
        struct layer_table_row r = {.text = kept.p + 1, .phase = c->phase, .error = NAN, .starts = NONE,
                                    .inherits = NONE, .hands_on = family_hands_on((enum family)c->family)};
        vec_push(&b->x->rows, r);
    }
    return at;
}

/* Row and layer of a line's call; false if it belongs to none. */
static bool layer_cell(struct layers_building *b, uint32_t line, uint32_t *row, uint32_t *layer)
{
    const uint32_t *r = b->s->pairing->lines.v[line].row;
    int side = r[TARGET] == NONE ? GOLDEN : TARGET;
    const struct dump *d = &b->s->side[side].dump;
    uint32_t call = d->rows.v[r[side]].call;
    const uint32_t *layers = b->s->flow[side].layer;
    *layer = layers ? layers[call] : NONE;
    if (*layer == NONE || *layer >= LAYERS_MOST)
        return false;
    if (call != b->last_call || (uint32_t)side != b->last_side) { /* a call's lines stand together */
        b->last_row = layer_row_for(b, d, &d->calls.v[call], *layer);
        b->last_call = call;
        b->last_side = (uint32_t)side;
    }
    *row = b->last_row;
    return true;
}

/* Whether a line replaces the cell's: the worst counts, but an unpaired argument only where nothing of the call was
 * compared; a call that is missing has cells of its own. */
static bool outranks_cell(const struct line_judgement *j, const struct line_judgement *cell)
{
    bool only = j->verdict == VERDICT_ONLY, had_only = cell->verdict == VERDICT_ONLY;
    if (only != had_only)
        return had_only;
    bool starts = j->cause == CAUSE_STARTS, had_start = cell->cause == CAUSE_STARTS;
    if (starts != had_start)
        return starts;
    return verdict_weight((enum verdict)j->verdict) > verdict_weight((enum verdict)cell->verdict);
}

/* A line with its cell. */
struct spot {
    uint32_t row, layer, line;
};
typedef VEC(struct spot) spots;

static void spots_find(struct layers_building *b, spots *out)
{
    struct layer_table *x = b->x;
    const struct judgement *j = b->s->judged;
    for (uint32_t i = 0; j && i < j->lines; i++) {
        struct spot p = {.line = i};
        if (!layer_cell(b, i, &p.row, &p.layer))
            continue;
        vec_push(out, p);
        x->rows.v[p.row].compared |= j->line[i].verdict != VERDICT_ONLY;
        if (p.layer >= x->columns)
            x->columns = p.layer + 1;
    }
}

/* Leaves out what one side alone has and only hands on. */
static void drop_moves(struct layer_table *x, spots *all)
{
    uint32_t *now = mem_resize_array(NULL, x->rows.n + 1, sizeof *now), rows = 0;
    size_t kept = 0;
    for (size_t i = 0; i < x->rows.n; i++) {
        bool left_out = !x->rows.v[i].compared && x->rows.v[i].hands_on;
        now[i] = left_out ? NONE : rows;
        if (!left_out)
            x->rows.v[rows++] = x->rows.v[i];
    }
    x->rows.n = rows;
    for (size_t i = 0; i < all->n; i++)
        if (now[all->v[i].row] != NONE) {
            all->v[kept] = all->v[i];
            all->v[kept++].row = now[all->v[i].row];
        }
    all->n = kept;
    free(now);
}

static void take_spot(struct layer_table *x, const struct judgement *judged, const struct spot *p)
{
    const struct line_judgement *j = &judged->line[p->line];
    struct layer_table_row *r = &x->rows.v[p->row];
    uint32_t *cell = &x->line[(size_t)p->row * x->columns + p->layer];
    uint32_t *first = j->cause == CAUSE_STARTS ? &r->starts : j->cause == CAUSE_INHERITED ? &r->inherits : NULL;
    if (p->line == judged->first)
        x->first = (size_t)(cell - x->line);
    if (*cell == NONE || outranks_cell(j, &judged->line[*cell]))
        *cell = p->line;
    if (!isnan(j->error) && !(r->error >= j->error))
        r->error = j->error;
    if (first && (*first == NONE || p->layer < *first))
        *first = p->layer;
}

void layer_table_build(struct layer_table *x, const struct comparison *s)
{
    struct layers_building b = {.x = x, .s = s, .last_call = NONE};
    spots all = {0};
    *x = (struct layer_table){.first = SIZE_MAX};
    spots_find(&b, &all);
    drop_moves(x, &all);
    size_t cells = x->rows.n * x->columns;
    x->line = mem_nones(cells);
    for (size_t i = 0; i < all.n; i++)
        take_spot(x, s->judged, &all.v[i]);
    vec_release(&all);
    map_release(&b.keys);
    map_release(&b.counts);
}

void layer_table_release(struct layer_table *x)
{
    vec_release(&x->rows);
    free(x->line);
    arena_release(&x->arena);
}
