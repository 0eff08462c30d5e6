/* Builds the headings that group the table's rows, one builder per kind of grouping, and iterates over unfolded rows.
 */
#include "table/row_groups.h"

#include <stdlib.h>

#include "base/io.h"
#include "judge/precision.h"

int verdict_weight(enum verdict v)
{
    static const uint8_t w[VERDICT_COUNT] = {
        [VERDICT_SKIP] = 0, [VERDICT_MATCH] = 1, [VERDICT_ONLY] = 2, [VERDICT_PENDING] = 3, [VERDICT_DTYPE] = 4,
        [VERDICT_DRIFT] = 5, [VERDICT_IN_DOUBT] = 6, [VERDICT_INHERITED] = 6, [VERDICT_SHAPE] = 7, [VERDICT_NONFINITE] = 8, [VERDICT_DEVIATE] = 9,
    };
    return w[v];
}

/* What is being built: nodes by their path, each path's text being its key. */
struct groups_building {
    struct row_groups *o;
    const struct comparison *s;
    struct map paths;
    struct buf path;
    uint32_t call, side, node; /* the last line's call and its node: lines of a call are adjacent */
};

static uint32_t group_node_for(struct groups_building *b, uint32_t parent, struct str text)
{
    struct row_groups *o = b->o;
    buf_clear(&b->path);
    buf_fmt(&b->path, "%u/", parent);
    buf_str(&b->path, text);
    uint32_t at = map_get(&b->paths, buf_view(&b->path));
    if (at != MAP_NONE)
        return at;
    struct row_groups_node n = {
        .parent = parent,
        .depth = parent == NONE ? 0 : (uint16_t)(o->nodes.v[parent].depth + 1),
        .worst = VERDICT_SKIP,
        .folded = true,
        .leaf = true,
        .first = NONE,
        .first_bad = NONE,
    };
    struct str key = arena_str(&o->arena, buf_view(&b->path));
    n.text = str_find(key, '/') >= 0 ? key.p + str_find(key, '/') + 1 : key.p;
    if (parent != NONE)
        o->nodes.v[parent].leaf = false;
    vec_push(&o->nodes, n);
    return map_add(&b->paths, key, (uint32_t)o->nodes.n - 1);
}

static void count_line(struct groups_building *b, uint32_t node, uint32_t line)
{
    enum verdict v = (enum verdict)b->s->judged->line[line].verdict;
    for (uint32_t i = node; i != NONE; i = b->o->nodes.v[i].parent) {
        struct row_groups_node *n = &b->o->nodes.v[i];
        n->by[v]++;
        n->lines++;
        if (n->first == NONE)
            n->first = line;
        if (n->first_bad == NONE && verdict_is_bad(v))
            n->first_bad = line;
        if (verdict_weight(v) > verdict_weight((enum verdict)n->worst))
            n->worst = (uint8_t)v;
    }
}

/* The side whose names and stacks place a line. */
static const struct call *grouped_call(const struct comparison *s, uint32_t line, int *side)
{
    const uint32_t *row = s->pairing->lines.v[line].row;
    *side = row[TARGET] == NONE ? GOLDEN : TARGET;
    const struct dump *d = &s->side[*side].dump;
    return &d->calls.v[d->rows.v[row[*side]].call];
}

/* "Module.model.layers.0.LLamaDecodeLayer.forward.0" is below model, layers, 0; an API call below the
 * module it was called in. */
static uint32_t below_modules(struct groups_building *b, const struct dump *d, const struct call *c)
{
    uint32_t node = NONE;
    const struct call *m = c;
    for (int up = 0; m->scope == NONE && m->parent != NONE && up < 1000; up++)
        m = &d->calls.v[m->parent];
    if (m->scope != NONE) {
        struct str rest = str_of(d->scopes.v[m->scope]), part;
        while (rest.n) {
            part = str_next(&rest, '.');
            if (part.n)
                node = group_node_for(b, node, part);
        }
    }
    return node;
}

static void group_by_module(struct groups_building *b, uint32_t line)
{
    int side;
    const struct call *c = grouped_call(b->s, line, &side);
    uint32_t call = (uint32_t)(c - b->s->side[side].dump.calls.v);
    if (call != b->call || (uint32_t)side != b->side) {
        b->node = group_node_for(b, below_modules(b, &b->s->side[side].dump, c), str_n(c->name, c->name_len));
        b->call = call;
        b->side = (uint32_t)side;
    }
    count_line(b, b->node, line);
}

static void group_by_frame(struct groups_building *b, uint32_t line)
{
    int side;
    const struct call *c = grouped_call(b->s, line, &side);
    const struct dump *d = &b->s->side[side].dump;
    uint32_t stack = dump_call_stack(d, (uint32_t)(c - d->calls.v), NULL);
    struct buf text = {0};
    uint32_t node = NONE;
    if (stack == NONE || !d->stacks.v[stack].n) {
        node = group_node_for(b, NONE, STR("(no stack was recorded)"));
    } else {
        const struct stack *t = &d->stacks.v[stack];
        const struct frame *f = &d->frames.v[d->stack_frames.v[t->first + dump_stack_start(d, stack)]];
        if (f->raw && !f->line)
            buf_fmt(&text, "%s", f->raw);
        else
            buf_fmt(&text, "%.*s:%u %s   %s", STR_ARG(path_base(str_of(f->file))), f->line, f->func, f->code);
        node = group_node_for(b, NONE, buf_view(&text));
    }
    count_line(b, group_node_for(b, node, str_n(c->name, c->name_len)), line);
    buf_release(&text);
}

/* The types each scope computes in, on either side. */
static void group_by_precision(struct groups_building *b, uint32_t line)
{
    const struct line *l = &b->s->pairing->lines.v[line];
    const char *type[2] = {"-", "-"};
    int side;
    const struct call *c = grouped_call(b->s, line, &side);
    const struct dump *d = &b->s->side[side].dump;
    struct buf text = {0};
    for (int s = 0; s < 2; s++)
        if (l->row[s] != NONE) {
            const struct row *r = &b->s->side[s].dump.rows.v[l->row[s]];
            if (r->kind != ROW_TENSOR || !dtype_is_float((enum dtype)r->dtype))
                return;
            type[s] = dtype_table[r->dtype].name;
        }
    buf_fmt(&text, "%s | %s", type[0], type[1]);
    uint32_t node = group_node_for(b, NONE, buf_view(&text));
    buf_clear(&text);
    const struct call *m = c;
    for (int up = 0; m->scope == NONE && m->parent != NONE && up < 1000; up++)
        m = &d->calls.v[m->parent];
    precision_general_name(m->scope != NONE ? str_of(d->scopes.v[m->scope]) : str_n(c->name, c->name_len), &text);
    count_line(b, group_node_for(b, node, buf_view(&text)), line);
    buf_release(&text);
}

/* Children follow their parents: the order of first appearance, depth first. */
static void order_depth_first(struct row_groups *o)
{
    size_t n = o->nodes.n;
    uint32_t *child = mem_resize_array(NULL, n + 1, sizeof *child), *next = mem_resize_array(NULL, n + 1, sizeof *next);
    uint32_t *place = mem_resize_array(NULL, n + 1, sizeof *place);
    struct row_groups_node *sorted = mem_resize_array(NULL, n + 1, sizeof *sorted);
    uint32_t top = NONE;
    memset(child, 0xff, n * sizeof *child);
    for (size_t i = n; i-- > 0;) { /* lists in order of appearance */
        uint32_t *head = o->nodes.v[i].parent == NONE ? &top : &child[o->nodes.v[i].parent];
        next[i] = *head;
        *head = (uint32_t)i;
    }
    uint32_t out = 0;
    for (uint32_t i = top; i != NONE;) {
        place[i] = out;
        sorted[out] = o->nodes.v[i];
        if (sorted[out].parent != NONE)
            sorted[out].parent = place[sorted[out].parent];
        out++;
        uint32_t to = child[i];
        for (uint32_t up = i; to == NONE && up != NONE; up = o->nodes.v[up].parent)
            to = next[up];
        i = to;
    }
    memcpy(o->nodes.v, sorted, n * sizeof *sorted);
    for (uint32_t i = (uint32_t)n; i-- > 0;) { /* children come after their parent, so their ends are known */
        struct row_groups_node *x = &o->nodes.v[i];
        if (!x->end)
            x->end = i + 1;
        if (x->parent != NONE && o->nodes.v[x->parent].end < x->end)
            o->nodes.v[x->parent].end = x->end;
    }
    free(child);
    free(next);
    free(place);
    free(sorted);
}

static void keep_folds(struct row_groups *o, const struct row_groups *old)
{
    size_t k = 0;
    for (size_t i = 0; i < o->nodes.n && old; i++) /* both in the same order, some are new */
        for (size_t at = k; at < old->nodes.n && at < k + 64; at++)
            if (old->nodes.v[at].depth == o->nodes.v[i].depth &&
                strcmp(old->nodes.v[at].text, o->nodes.v[i].text) == 0) {
                o->nodes.v[i].folded = old->nodes.v[at].folded;
                k = at + 1;
                break;
            }
}

void row_groups_build(struct row_groups *o, enum row_groups_kind kind, const struct comparison *s,
                      const struct row_groups *old)
{
    static void (*const under[ROW_GROUPS_KINDS])(struct groups_building *, uint32_t) = {group_by_module, group_by_frame,
                                                                                        group_by_precision};
    struct groups_building b = {.o = o, .s = s, .call = NONE};
    *o = (struct row_groups){.kind = kind};
    for (uint32_t i = 0; s->judged && i < s->judged->lines; i++)
        under[kind](&b, i);
    if (o->nodes.n)
        order_depth_first(o);
    keep_folds(o, old && old->kind == kind ? old : NULL);
    map_release(&b.paths);
    buf_release(&b.path);
}

void row_groups_release(struct row_groups *o)
{
    vec_release(&o->nodes);
    arena_release(&o->arena);
}

uint32_t row_groups_visible(const struct row_groups *o, uint32_t node)
{
    uint32_t shown = node;
    for (uint32_t i = o->nodes.v[node].parent; i != NONE; i = o->nodes.v[i].parent)
        if (o->nodes.v[i].folded)
            shown = i;
    return shown;
}

uint32_t row_groups_next(const struct row_groups *o, uint32_t node)
{
    const struct row_groups_node *n = &o->nodes.v[node];
    uint32_t next = n->folded ? n->end : node + 1;
    return next < o->nodes.n ? next : NONE;
}

uint32_t row_groups_prev(const struct row_groups *o, uint32_t node)
{
    return node ? row_groups_visible(o, node - 1) : NONE;
}
