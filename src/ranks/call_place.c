/* Finds micro-batch, virtual stage and module of each call: forward calls by their modules, backward calls by their
 * forward twins, other calls by the calls around them. */
#include "ranks/call_place.h"

#include <stdlib.h>

bool path_number(struct str path, size_t *from, size_t *to, int *value)
{
    for (size_t at = 0; at < path.n; ) {
        struct str rest = str_cut(path, at), word, after;
        bool more = str_split(rest, '.', &word, &after);
        unsigned long long n;
        if (str_u64(word, &n) && n < INT32_MAX) {
            *from = at;
            *to = at + word.n;
            *value = (int)n;
            return true;
        }
        if (!more)
            return false;
        at += word.n + 1;
    }
    return false;
}

/* "Module.a.b.Class.forward.3": 3. */
static uint32_t call_name_number(struct str name)
{
    unsigned long long n;
    ptrdiff_t run = str_find(name, '#');
    if (run >= 0)
        name.n = (size_t)run;
    return str_u64(str_cut(name, (size_t)(str_rfind(name, '.') + 1)), &n) && n < UINT32_MAX ? (uint32_t)n : 0;
}

void call_bare_name(const struct dump *d, uint32_t call, struct buf *out)
{
    struct str rest = dump_call_name(d, call), word;
    const struct call *c = &d->calls.v[call];
    bool more;
    ptrdiff_t run = str_find(rest, '#');
    if (run >= 0)
        rest.n = (size_t)run;
    buf_clear(out);
    if (c->kind == CALL_MODULE && c->scope != NONE) {
        struct str path = str_of(d->scopes.v[c->scope]);
        size_t head = (size_t)(str_find(rest, '.') + 1);
        rest = str_cut(rest, head + path.n + (path.n ? 1 : 0));
    }
    do {
        unsigned long long n;
        more = str_split(rest, '.', &word, &rest);
        if (!str_u64(word, &n))
            buf_fmt(out, "%s%.*s", out->n ? "." : "", STR_ARG(word));
    } while (more);
}

bool call_is_collective(const struct dump *d, uint32_t call)
{
    struct str name = dump_call_name(d, call);
    return str_starts(name, "Distributed.") || str_starts(name, "Communication.") || str_starts(name, "Communicate.");
}

int row_whole_number(const struct row *r)
{
    double x = r->stat[STAT_MAX];
    return r->kind == ROW_INT && x >= INT32_MIN && x <= INT32_MAX ? (int)x : -1;
}

int call_other_end(const struct dump *d, uint32_t call)
{
    int by_place = -1;
    EACH_EARLY_ROW(d, call, r) {
        struct str slot = str_of(d->slots.v[d->rows.v[r].slot]);
        if (d->rows.v[r].kind != ROW_INT || d->rows.v[r].io != IO_INPUT)
            continue;
        if (str_ends(slot, ".dst") || str_ends(slot, ".src") || str_ends(slot, ".peer"))
            return row_whole_number(&d->rows.v[r]);
        if (by_place < 0)
            by_place = row_whole_number(&d->rows.v[r]);
    }
    return by_place;
}

/* The module that contains a call, or the call itself if it is a module. */
static uint32_t containing_module(const struct dump *d, uint32_t call)
{
    return d->calls.v[call].kind == CALL_MODULE ? call : d->calls.v[call].parent;
}

static uint32_t top_of(const struct dump *d, uint32_t call)
{
    uint32_t at = containing_module(d, call);
    for (int depth = 0; at != NONE && d->calls.v[at].parent != NONE && depth < 100; depth++)
        at = d->calls.v[at].parent;
    return at;
}

/* Whether the virtual stages are models in a list: every module's path begins with a number. */
static bool are_modules_numbered(const struct dump *d)
{
    bool any = false;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call *x = &d->calls.v[c];
        size_t from, to;
        int n;
        if (x->kind != CALL_MODULE || x->scope == NONE)
            continue;
        if (!path_number(str_of(d->scopes.v[x->scope]), &from, &to, &n) || from != 0)
            return false;
        any = true;
    }
    return any;
}

static void set_path(struct call_places *p, const struct dump *d, uint32_t c, bool numbered)
{
    struct call_place *x = &p->call[c];
    uint32_t module = containing_module(d, c);
    x->path = "";
    x->layer = -1;
    x->number = call_name_number(dump_call_name(d, c));
    if (module == NONE || d->calls.v[module].scope == NONE)
        return;
    struct str path = str_of(d->scopes.v[d->calls.v[module].scope]);
    size_t from, to;
    int n;
    if (numbered && path_number(path, &from, &to, &n) && from == 0) {
        x->chunk = (uint16_t)n;
        path = str_cut(path, to + (to < path.n));
    }
    x->path = arena_cstr(&p->arena, path);
    if (path_number(path, &from, &to, &n))
        x->layer = n;
}

#define UNKNOWN UINT32_MAX

/* Counts the calls of each outermost module in the step, by path: a model is called once per micro-batch, a module
 * beside it perhaps more often. Returns the smallest count. */
static uint32_t count_tops(const struct dump *d, uint32_t *calls)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call *x = &d->calls.v[c];
        if (x->kind != CALL_MODULE || x->phase != PHASE_FORWARD || x->parent != NONE || x->scope == NONE)
            continue;
        uint32_t number = call_name_number(dump_call_name(d, c));
        if (number + 1 > calls[x->scope])
            calls[x->scope] = number + 1;
    }
    for (size_t i = 0; i < d->scopes.n; i++)
        if (calls[i] && calls[i] < least)
            least = calls[i];
    return least == UINT32_MAX ? 1 : least;
}

uint32_t call_places_micros(const struct dump *d)
{
    uint32_t *tops = mem_zalloc((d->scopes.n + 1) * sizeof *tops), micros = count_tops(d, tops);
    free(tops);
    return micros;
}

static uint32_t micro_of(const struct call_places *p, const struct dump *d, const uint32_t *calls, uint32_t top)
{
    uint32_t scope = d->calls.v[top].scope, all = scope == NONE ? 0 : calls[scope], n = p->call[top].number;
    return all ? (uint32_t)((uint64_t)n * p->micros / all) : n;
}

/* Places forward calls inside a model: the number of the model's call is the micro-batch. */
static void place_forward(struct call_places *p, const struct dump *d, const uint32_t *calls, uint32_t c)
{
    uint32_t top = d->calls.v[c].phase == PHASE_FORWARD ? top_of(d, c) : NONE;
    if (top == NONE || d->calls.v[top].kind != CALL_MODULE)
        return;
    struct call_place *x = &p->call[c];
    x->region = d->calls.v[top].phase == PHASE_FORWARD ? IN_FORWARD : IN_BACKWARD;
    x->micro = micro_of(p, d, calls, top);
    x->chunk = p->call[top].chunk;
}

static void place_backward(struct call_places *p, const struct dump *d, const uint32_t *calls, uint32_t c)
{
    const struct call *k = &d->calls.v[c];
    struct call_place *x = &p->call[c];
    if (k->phase != PHASE_BACKWARD)
        return;
    if (k->gradient) {
        x->region = IN_BACKWARD;
        x->micro = x->number; /* of the gradients accumulated up to then */
        return;
    }
    uint32_t top = top_of(d, c);
    if (k->twin != NONE && p->call[k->twin].micro != UNKNOWN) {
        x->micro = p->call[k->twin].micro;
        x->chunk = p->call[k->twin].chunk;
        x->region = IN_BACKWARD;
    } else if (top != NONE && d->calls.v[top].kind == CALL_MODULE) {
        x->micro = micro_of(p, d, calls, top);
        x->region = IN_BACKWARD;
    }
}

static bool is_collective_named(const struct dump *d, uint32_t c, const char *word)
{
    return call_is_collective(d, c) && str_ihas(dump_call_name(d, c), word);
}

static bool same_call_place(const struct call_place *a, const struct call_place *b)
{
    return a->micro == b->micro && a->chunk == b->chunk && a->region == b->region;
}

/* Places the remaining calls: a receive belongs to the next call's place, a send to the previous one's; a call
 * between two of one place belongs there; otherwise to the next in the backward pass and to the previous in the
 * forward pass. */
static void place_rest(struct call_places *p, const struct dump *d)
{
    uint32_t before = NONE, next = 0;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        if (p->call[c].micro != UNKNOWN) {
            if (!d->calls.v[c].gradient)
                before = c;
            continue;
        }
        next = next > c ? next : c + 1;
        while (next < d->calls.n && (p->call[next].micro == UNKNOWN || d->calls.v[next].gradient))
            next++;
        const struct call_place *from = before == NONE ? NULL : &p->call[before];
        const struct call_place *to = next < d->calls.n ? &p->call[next] : NULL;
        bool sent = is_collective_named(d, c, "send");
        bool received = is_collective_named(d, c, "recv") || is_collective_named(d, c, "receive");
        struct call_place *x = &p->call[c];
        if (!to && !sent) {
            x->region = IN_TAIL;
            x->micro = 0;
            x->chunk = 0;
            continue;
        }
        bool next_is_it = to &&
                          (!from || received || (!sent && !same_call_place(from, to) && to->region == IN_BACKWARD));
        const struct call_place *like = next_is_it ? to : from ? from : to;
        x->micro = like->micro;
        x->region = like->region;
        x->chunk = like->chunk;
        before = c;
    }
}

/* Without modules: forward before the first backward call; after the last one comes the tail. */
static void place_by_phase(struct call_places *p, const struct dump *d)
{
    uint32_t first = NONE, last = NONE;
    for (uint32_t c = 0; c < d->calls.n; c++)
        if (d->calls.v[c].phase == PHASE_BACKWARD) {
            first = first == NONE ? c : first;
            last = c;
        }
    for (uint32_t c = 0; c < d->calls.n; c++) {
        struct call_place *x = &p->call[c];
        x->micro = 0;
        x->region = c < first ? IN_FORWARD : c <= last ? IN_BACKWARD : IN_TAIL;
    }
}

static void count_chunks_and_layers(struct call_places *p, const struct dump *d)
{
    p->chunks = 1;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call_place *x = &p->call[c];
        if (x->chunk + 1 > p->chunks)
            p->chunks = (uint16_t)(x->chunk + 1);
    }
    p->layers = mem_zalloc((size_t)p->chunks * sizeof *p->layers);
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call_place *x = &p->call[c];
        if (x->layer >= 0 && (uint32_t)x->layer + 1 > p->layers[x->chunk])
            p->layers[x->chunk] = (uint32_t)x->layer + 1;
    }
}

void call_places_find(struct call_places *p, const struct dump *d)
{
    *p = (struct call_places){.n = d->calls.n};
    p->call = mem_zalloc((p->n + 1) * sizeof *p->call);
    bool numbered = are_modules_numbered(d);
    for (uint32_t c = 0; c < p->n; c++) {
        p->call[c].micro = UNKNOWN;
        set_path(p, d, c, numbered);
        p->modules |= d->calls.v[c].kind == CALL_MODULE;
    }
    uint32_t *tops = mem_zalloc((d->scopes.n + 1) * sizeof *tops);
    p->micros = count_tops(d, tops);
    for (uint32_t c = 0; c < p->n; c++)
        place_forward(p, d, tops, c);
    for (uint32_t c = 0; c < p->n; c++)
        if (p->call[c].micro == UNKNOWN)
            place_backward(p, d, tops, c);
    free(tops);
    if (!p->modules)
        place_by_phase(p, d);
    place_rest(p, d);
    count_chunks_and_layers(p, d);
}

void call_places_release(struct call_places *p)
{
    free(p->call);
    free(p->layers);
    arena_release(&p->arena);
    *p = (struct call_places){0};
}
