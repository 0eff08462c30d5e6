/* Finds forward calls inside the backward pass and the earlier calls that they repeat. */
#include "dump/recomputed.h"

#include <stdlib.h>

#include "dump/call_stem.h"

#define MODULE_DEPTH 64

struct recomputed_search {
    struct dump *d;
    uint8_t *again;        /* per call: a forward call made inside the backward pass */
    uint8_t *taken;        /* per call: its repetition is known */
    uint8_t *backward;     /* per stack: 0 unknown, 1 no, 2 inside the backward pass */
    uint8_t *says;         /* per frame: FRAME_ENTERS … or 0 */
    uint32_t *next;        /* per call: the next original call with the same key, or NONE */
    struct nmap head, tail;
};

/* What a frame's function says of a stack with it. */
enum { FRAME_ENTERS = 1, FRAME_BACKWARD = 2, FRAME_APPLY = 4 };

/* Functions that only the backward pass enters: torch.utils.checkpoint's, autograd's, MindSpore's bprop; and a frame's
 * own backward, which autograd's apply calls. */
static uint8_t *find_functions(const struct dump *d)
{
    static const struct {
        const char *func;
        uint8_t says;
    } known[] = {
        {"recompute_fn", FRAME_ENTERS}, {"unpack_hook", FRAME_ENTERS}, {"_engine_run_backward", FRAME_ENTERS},
        {"bprop", FRAME_ENTERS}, {"backward", FRAME_BACKWARD}, {"apply", FRAME_APPLY},
    };
    uint8_t *says = mem_zalloc(d->frames.n + 1);
    for (size_t i = 0; i < d->frames.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(known); k++)
            if (strcmp(d->frames.v[i].func, known[k].func) == 0)
                says[i] = known[k].says;
    return says;
}

static bool runs_backward(const struct recomputed_search *f, const struct stack *s)
{
    uint8_t before = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint8_t says = f->says[f->d->stack_frames.v[s->first + i]];
        if (says == FRAME_ENTERS || (says == FRAME_APPLY && before == FRAME_BACKWARD))
            return true;
        before = says;
    }
    return false;
}

static bool stack_runs_backward(struct recomputed_search *f, uint32_t stack)
{
    if (stack == NONE)
        return false;
    if (!f->backward[stack])
        f->backward[stack] = runs_backward(f, &f->d->stacks.v[stack]) ? 2 : 1;
    return f->backward[stack] == 2;
}

static bool under_backward_module(const struct dump *d, uint32_t call)
{
    uint32_t p = d->calls.v[call].parent;
    for (int depth = 0; p != NONE && depth < MODULE_DEPTH; depth++, p = d->calls.v[p].parent)
        if (d->calls.v[p].phase == PHASE_BACKWARD)
            return true;
    return false;
}

static bool made_again(struct recomputed_search *f, uint32_t call)
{
    const struct call *c = &f->d->calls.v[call];
    return c->phase == PHASE_FORWARD && !c->gradient && c->kind != CALL_OPERATOR &&
           (under_backward_module(f->d, call) || stack_runs_backward(f, c->stack));
}

/* A hash of the call's inputs: shapes, and figures or checksums if recorded. */
static uint64_t inputs_key(const struct dump *d, uint32_t call)
{
    uint64_t h = 31;
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        if (x->io != IO_INPUT || x->kind != ROW_TENSOR)
            continue;
        uint32_t what[] = {x->slot, x->shape, x->dtype, x->has};
        double value[STAT_COUNT];
        for (int i = 0; i < STAT_COUNT; i++)
            value[i] = x->has & HAS_MAX << i ? x->stat[i] : 0;
        h = hash_bytes(value, sizeof value, hash_bytes(what, sizeof what, h));
        if (x->has & HAS_CHECKSUM)
            h = hash_bytes(x->text, strlen(x->text), h);
    }
    return h;
}

static uint64_t name_key(const struct dump *d, uint32_t call, uint64_t more)
{
    uint64_t key[] = {call_stem(dump_call_name(d, call)), more};
    return hash_bytes(key, sizeof key, 37);
}

/* How the original is found: by its module, by its inputs, or by its name alone. */
enum way { BY_MODULE, BY_INPUTS, BY_NAME, WAYS };

static uint64_t recomputed_key(const struct dump *d, uint32_t call, enum way way, uint32_t parent)
{
    uint64_t more = way == BY_MODULE ? parent : way == BY_INPUTS ? inputs_key(d, call) : 0;
    return name_key(d, call, more * WAYS + way);
}

static void keep_original(struct recomputed_search *f, uint64_t key, uint32_t call)
{
    uint32_t last = nmap_get(&f->tail, key);
    if (last == MAP_NONE)
        nmap_set(&f->head, key, call);
    else
        f->next[last] = call;
    nmap_set(&f->tail, key, call);
}

/* The next original call with this key that has no repetition yet; `only`: it must be the only one with the key. */
static uint32_t take_original(struct recomputed_search *f, uint64_t key, uint32_t before, bool only)
{
    uint32_t c = nmap_get(&f->head, key);
    if (only && (c == MAP_NONE || f->next[c] != NONE))
        return NONE;
    while (c != MAP_NONE && c != NONE && f->taken[c])
        c = f->next[c];
    if (c == MAP_NONE || c == NONE || c >= before)
        return NONE;
    f->taken[c] = 1;
    nmap_set(&f->head, key, c);
    return c;
}

/* Lists the original calls by their keys in one way. */
static void list_first(struct recomputed_search *f, enum way way)
{
    nmap_release(&f->head);
    nmap_release(&f->tail);
    f->head = f->tail = (struct nmap){0};
    for (uint32_t c = 0; c < f->d->calls.n; c++) {
        const struct call *x = &f->d->calls.v[c];
        f->next[c] = NONE;
        if (x->phase == PHASE_FORWARD && !x->gradient && !f->again[c] && x->kind != CALL_OPERATOR)
            keep_original(f, recomputed_key(f->d, c, way, x->parent), c);
    }
}

static void link_call(struct recomputed_search *f, uint32_t call, enum way way)
{
    struct call *c = &f->d->calls.v[call];
    uint32_t parent = c->parent == NONE ? NONE : f->d->calls.v[c->parent].recomputes;
    if (f->again[call] && c->recomputes == NONE && (way != BY_MODULE || parent != NONE))
        c->recomputes = take_original(f, recomputed_key(f->d, call, way, parent), call, way == BY_NAME);
}

static void link_by(struct recomputed_search *f, enum way way, bool modules)
{
    size_t n = f->d->calls.n;
    list_first(f, way);
    for (size_t i = 0; i < n; i++) {
        /* a module's record follows the calls inside it: go backwards to see outer modules first */
        uint32_t c = (uint32_t)(modules && way == BY_MODULE ? n - 1 - i : i);
        if ((f->d->calls.v[c].kind == CALL_MODULE) == modules)
            link_call(f, c, way);
    }
}

void dump_link_recomputed(struct dump *d)
{
    struct recomputed_search f = {.d = d, .again = mem_zalloc(d->calls.n + 1), .backward = mem_zalloc(d->stacks.n + 1),
        .says = find_functions(d)};
    bool any = false;
    for (uint32_t c = 0; c < d->calls.n; c++)
        any |= f.again[c] = made_again(&f, c);
    if (any) {
        f.next = mem_alloc((d->calls.n + 1) * sizeof *f.next);
        f.taken = mem_zalloc(d->calls.n + 1);
        link_by(&f, BY_INPUTS, true);
        link_by(&f, BY_NAME, true);
        link_by(&f, BY_MODULE, true);
        link_by(&f, BY_MODULE, false);
        link_by(&f, BY_INPUTS, false);
    }
    nmap_release(&f.head);
    nmap_release(&f.tail);
    free(f.next);
    free(f.taken);
    free(f.again);
    free(f.backward);
    free(f.says);
}

uint32_t dump_first_forward(const struct dump *d, uint32_t backward)
{
    uint32_t f = d->calls.v[backward].twin;
    if (f == NONE || d->calls.v[f].phase != PHASE_FORWARD)
        return NONE;
    return d->calls.v[f].recomputes == NONE ? f : d->calls.v[f].recomputes;
}
