/* Builds the table of layers: a row per call position in a layer, a column per layer, with the worst verdict in each
 * cell. */
#include "table/layer_table.h"

#include <math.h>
#include <stdlib.h>

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
static struct str inside(struct str scope)
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
static struct str type_of(struct str name)
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

static uint32_t row_for(struct layers_building *b, const struct dump *d, const struct call *c, uint32_t layer)
{
    struct buf key = {0};
    struct str name = str_n(c->name, c->name_len);
    buf_fmt(&key, "%c", "fbo"[c->phase]);
    if (c->kind == CALL_MODULE && c->scope != NONE) {
        struct str in = inside(str_of(d->scopes.v[c->scope]));
        buf_str(&key, in.n ? in : STR("(the layer itself)"));
    } else {
        struct str type = c->kind == CALL_OPERATOR && c->scope != NONE ? inside(str_of(d->scopes.v[c->scope]))
                                                                       : type_of(name);
        struct buf counter = {0};
        if (c->kind == CALL_OPERATOR) {
            buf_str(&key, type);
            buf_char(&key, ' ');
            type = type_of(name);
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
        struct layer_table_row r = {.text = kept.p + 1, .phase = c->phase, .error = NAN, .first_bad = NONE};
        vec_push(&b->x->rows, r);
    }
    return at;
}

/* Row and layer of a line's call; false if it belongs to none. */
static bool place_of(struct layers_building *b, uint32_t line, uint32_t *row, uint32_t *layer)
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
        b->last_row = row_for(b, d, &d->calls.v[call], *layer);
        b->last_call = call;
        b->last_side = (uint32_t)side;
    }
    *row = b->last_row;
    return true;
}

/* Whether a line's verdict replaces the cell's: the worst counts, but an unpaired argument only where nothing of the
 * call was compared; a call that is missing has cells of its own. */
static bool replaces(enum verdict v, uint8_t cell)
{
    bool only = v == VERDICT_ONLY, had_only = cell == VERDICT_ONLY;
    if (cell == VERDICT_COUNT)
        return true;
    return only != had_only ? had_only : verdict_weight(v) > verdict_weight((enum verdict)cell);
}

/* A line with its cell. */
struct spot {
    uint32_t row, layer, line;
};

void layer_table_build(struct layer_table *x, const struct comparison *s)
{
    struct layers_building b = {.x = x, .s = s, .last_call = NONE};
    VEC(struct spot) places = {0};
    *x = (struct layer_table){.first = SIZE_MAX};
    for (uint32_t i = 0; s->judged && i < s->judged->lines; i++) {
        uint32_t row, layer;
        if (!place_of(&b, i, &row, &layer))
            continue;
        struct spot p = {row, layer, i};
        vec_push(&places, p);
        if (layer >= x->columns)
            x->columns = layer + 1;
    }
    size_t cells = x->rows.n * x->columns;
    x->verdict = mem_alloc(cells + 1);
    x->line = mem_resize_array(NULL, cells + 1, sizeof *x->line);
    memset(x->verdict, VERDICT_COUNT, cells + 1);
    memset(x->line, 0xff, (cells + 1) * sizeof *x->line);
    for (size_t i = 0; i < places.n; i++) {
        const struct line_judgement *j = &s->judged->line[places.v[i].line];
        struct layer_table_row *r = &x->rows.v[places.v[i].row];
        size_t at = (size_t)places.v[i].row * x->columns + places.v[i].layer;
        if (places.v[i].line == s->judged->first)
            x->first = at;
        if (replaces((enum verdict)j->verdict, x->verdict[at])) {
            x->verdict[at] = j->verdict;
            x->line[at] = places.v[i].line;
        }
        r->compared |= j->verdict != VERDICT_ONLY;
        if (!isnan(j->error) && !(r->error >= j->error))
            r->error = j->error;
        if (verdict_is_bad((enum verdict)j->verdict) && (r->first_bad == NONE || places.v[i].layer < r->first_bad))
            r->first_bad = places.v[i].layer;
    }
    vec_release(&places);
    map_release(&b.keys);
    map_release(&b.counts);
}

void layer_table_release(struct layer_table *x)
{
    vec_release(&x->rows);
    free(x->verdict);
    free(x->line);
    arena_release(&x->arena);
}
