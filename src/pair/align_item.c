/* Makes the aligner's list of items, and compares two values' figures. */
#include "pair/align_item.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"
#include "dump/role.h"

#define CLOSE 4e-3f        /* relative difference up to which figures may be equal */
#define CLOSE_COARSE 2e-2f /* the same for 16-bit values */
#define SAME 1e-4f

struct fingerprint fingerprint_of(const struct dump *d, uint32_t row)
{
    static const struct {
        int bit, stat;
    } f[] = {{HAS_MAX, STAT_MAX}, {HAS_MIN, STAT_MIN}, {HAS_NORM, STAT_NORM}};
    const struct row *r = &d->rows.v[row];
    uint64_t n = dump_row_numel(d, row);
    float v[3] = {0};
    unsigned has = 0;
    for (size_t i = 0; i < ARRAY_LEN(f); i++)
        if ((r->has & f[i].bit) && isfinite(r->stat[f[i].stat])) {
            v[i] = (float)r->stat[f[i].stat];
            has |= 1U << i;
        }
    return (struct fingerprint){.max = v[0],
                                .min = v[1],
                                .norm = v[2],
                                .size = (uint32_t)(n ^ n >> 28) & 0xfffffff,
                                .has = has & 7,
                                .coarse = dtype_is_float(r->dtype) && dtype_table[r->dtype].size <= 2};
}

static float fingerprint_gap(float a, float b, float scale)
{
    float d = fabsf(a - b);
    return d <= 1e-12f ? 0 : scale > 0 ? d / scale : INFINITY;
}

enum likeness fingerprint_compare(const struct fingerprint *a, const struct fingerprint *b)
{
    unsigned both = a->has & b->has;
    if (a->size != b->size)
        return LIKE_NOT;
    if (!(both & (both - 1)))
        return LIKE_UNKNOWN; /* a single figure is no evidence */
    /* compare extremes by their own size: the norm of many elements would hide them */
    float extreme = fmaxf(both & 1 ? fabsf(b->max) : 0, both & 2 ? fabsf(b->min) : 0), worst = 0;
    if (both & 1)
        worst = fmaxf(worst, fingerprint_gap(a->max, b->max, extreme));
    if (both & 2)
        worst = fmaxf(worst, fingerprint_gap(a->min, b->min, extreme));
    if (both & 4)
        worst = fmaxf(worst, fingerprint_gap(a->norm, b->norm, fabsf(b->norm)));
    if (worst > (a->coarse || b->coarse ? CLOSE_COARSE : CLOSE))
        return LIKE_NOT;
    /* a constant tensor equals every other with the same constant */
    return worst <= SAME && !((both & 3) == 3 && a->max == a->min) ? LIKE_SAME : LIKE_NEAR;
}

bool align_item_hands_on(const struct dump *d, uint32_t row)
{
    const struct row *x = &d->rows.v[row];
    if (x->kind != ROW_TENSOR || x->io != IO_OUTPUT || d->calls.v[x->call].phase != PHASE_BACKWARD)
        return false;
    struct fingerprint own = fingerprint_of(d, row);
    EACH_EARLY_ROW(d, x->call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR) {
            struct fingerprint came = fingerprint_of(d, r);
            if (fingerprint_compare(&own, &came) == LIKE_SAME)
                return true;
        }
    return false;
}

static bool digits_only(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

/* "Functional_layer_norm_3_forward" → "layer_norm": one word, as in ptdbg's call names. */
static struct str inner_name(struct str s)
{
    static const char *const ends[] = {"_forward", "_backward"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(s, ends[i]))
            s.n -= strlen(ends[i]);
    size_t n = s.n;
    while (n && s.p[n - 1] >= '0' && s.p[n - 1] <= '9')
        n--;
    if (n == s.n || n < 2 || s.p[n - 1] != '_')
        return s;
    s.n = n - 1;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '_')
            return str_cut(s, i + 1);
    return s;
}

struct str align_item_operator(const struct dump *d, uint32_t call)
{
    struct str s = dump_call_name(d, call), head, rest;
    if (str_starts(s, "aten.")) { /* "aten.mul.Tensor#2", an overload of mul */
        str_split(str_cut(s, strlen("aten.")), '#', &head, &rest);
        str_split(head, '.', &head, &rest);
        return head;
    }
    if (d->calls.v[call].kind == CALL_OPERATOR) {
        str_split(s, '.', &head, &rest);
        return head;
    }
    while (s.n) {
        size_t at = s.n;
        while (at && s.p[at - 1] != '.')
            at--;
        struct str word = str_cut(s, at);
        if (!digits_only(word) && !str_is(word, "forward") && !str_is(word, "backward") &&
            !str_is(word, "parameters_grad"))
            return inner_name(word);
        s.n = at ? at - 1 : 0;
    }
    return dump_call_name(d, call);
}

bool align_item_does(const struct dump *d, uint32_t call, struct str operator)
{
    return family_operator(align_item_operator(d, call)) == family_operator(operator);
}

/* The number in its path, or -1: "model.layers.3.attention" → 3. */
static int32_t align_item_layer(const struct dump *d, uint32_t call)
{
    uint32_t scope = d->calls.v[call].scope;
    struct str rest = scope == NONE ? str_of("") : str_of(d->scopes.v[scope]), word;
    while (rest.n) {
        word = str_next(&rest, '.');
        if (word.n && word.n < 7 && digits_only(word))
            return (int32_t)strtol(word.p, NULL, 10);
    }
    return -1;
}

/* Reordering keeps a value; slicing or concatenating makes another one. */
static bool is_plain_view(const struct dump *d, const struct call *c, uint32_t in, uint32_t out)
{
    if (c->family == FAMILY_COPY || c->family == FAMILY_CAST)
        return true;
    return c->family == FAMILY_VIEW && (in == NONE || dump_row_numel(d, in) == dump_row_numel(d, out));
}

/* The number after "-op" in a MindSpore operator's name, or -1. */
static int64_t op_number(const struct dump *d, uint32_t call)
{
    struct str s = dump_call_name(d, call);
    for (size_t i = s.n; i-- > 3;)
        if (memcmp(s.p + i - 3, "-op", 3) == 0) {
            long n = strtol(s.p + i, NULL, 10);
            return n < 0 ? -1 : n > INT32_MAX ? INT32_MAX : n;
        }
    return -1;
}

static int by_number(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts operators of one type and scope by their numbers, within the places they occupy. */
static void order_by_number(const struct dump *d, align_item_list *l)
{
    struct nmap first = {0};
    uint32_t *next = mem_alloc((l->n + 1) * sizeof *next);
    struct align_item *copy = mem_alloc((l->n + 1) * sizeof *copy);
    VEC(int64_t) sorted = {0};
    if (l->n)
        memcpy(copy, l->v, l->n * sizeof *copy);
    for (size_t i = l->n; i-- > 0;) {
        uint64_t key = (uint64_t)d->calls.v[l->v[i].call].scope << 32 | l->v[i].op;
        next[i] = nmap_get(&first, key);
        nmap_set(&first, key, (uint32_t)i);
    }
    for (size_t i = 0; i < l->n; i++) {
        uint64_t key = (uint64_t)d->calls.v[copy[i].call].scope << 32 | copy[i].op;
        if (nmap_get(&first, key) != i || next[i] == MAP_NONE)
            continue;
        sorted.n = 0;
        for (uint32_t k = (uint32_t)i; k != MAP_NONE; k = next[k])
            vec_push(&sorted, op_number(d, copy[k].call) * (INT64_C(1) << 32) + k);
        vec_sort(&sorted, by_number);
        size_t at = 0;
        for (uint32_t k = (uint32_t)i; k != MAP_NONE; k = next[k])
            l->v[k] = copy[sorted.v[at++] & 0xffffffff];
    }
    vec_release(&sorted);
    nmap_release(&first);
    free(next);
    free(copy);
}

/* Combines a written-out "x * sigmoid(x)" if the other side has the activation in one call: the product represents
 * it, the sigmoid is dropped. */
static void join_activations(align_item_list *l)
{
    uint32_t sigmoid = family_operator(STR("sigmoid")), silu = family_operator(STR("silu"));
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        struct align_item *a = &l->v[i];
        bool joined = false;
        for (size_t k = i + 1; a->op == sigmoid && a->inputs && k < l->n && k < i + 64 && !joined; k++) {
            struct align_item *m = &l->v[k];
            for (int q = 0; q < m->inputs && m->family == FAMILY_MUL && m->inputs == 2 && !joined; q++)
                joined = fingerprint_compare(&m->in[q], &a->value) == LIKE_SAME &&
                         fingerprint_compare(&m->in[!q], &a->in[0]) == LIKE_SAME;
            if (joined) {
                m->family = FAMILY_ACTIVATION;
                m->op = silu;
                m->inputs = 1;
                m->in[0] = a->in[0];
                m->in_row[0] = a->in_row[0];
            }
        }
        if (!joined)
            l->v[n++] = *a;
    }
    l->n = n;
}

bool align_item_adds_term(const struct dump *d, uint32_t call)
{
    struct str op = align_item_operator(d, call);
    return str_starts(op, "add") || str_starts(op, "badd");
}

/* What is added comes before what is multiplied. */
static bool term_comes_first(const struct dump *d, const struct align_item *x)
{
    return x->family == FAMILY_LINEAR && x->inputs == 3 && align_item_adds_term(d, x->call);
}

static void put_term_last(struct align_item *x)
{
    struct fingerprint term = x->in[0];
    uint32_t row = x->in_row[0];
    for (int i = 0; i < 2; i++) {
        x->in[i] = x->in[i + 1];
        x->in_row[i] = x->in_row[i + 1];
    }
    x->in[2] = term;
    x->in_row[2] = row;
}

/* Fused kernels output the softmax statistics too; the result is the output with the size of the queries. */
static uint32_t attention_output(const struct dump *d, uint32_t call, uint32_t in, uint32_t out)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_OUTPUT && d->rows.v[r].kind == ROW_TENSOR &&
            dump_row_numel(d, r) == dump_row_numel(d, in))
            return r;
    return out;
}

bool align_inputs_alone(const struct dump *d)
{
    bool inputs = false;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        bool of[2] = {false, false};
        EACH_ROW(d, c, r) {
            const struct row *x = &d->rows.v[r];
            bool tensor = d->calls.v[c].phase == PHASE_FORWARD && x->kind == ROW_TENSOR;
            of[0] = of[0] || (tensor && x->io == IO_INPUT);
            of[1] = of[1] || (tensor && x->io == IO_OUTPUT);
        }
        if (of[0] && of[1])
            return false;
        inputs = inputs || of[0];
    }
    return inputs;
}

/* Marks modules that multiply two inputs by themselves: no call is recorded within them, although the recording has
 * calls. The caller frees it. */
static bool *multiplying_modules(const struct dump *d)
{
    bool *found = mem_zalloc((d->calls.n + 1) * sizeof *found), calls = false;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call *x = &d->calls.v[c];
        int operands = 0;
        calls = calls || x->kind != CALL_MODULE;
        if (x->kind != CALL_MODULE || x->phase != PHASE_FORWARD ||
            !(family_is_product((enum family)x->family) || x->family == FAMILY_MUL))
            continue;
        EACH_EARLY_ROW(d, c, r)
            operands += d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && dump_row_numel(d, r) > 1;
        found[c] = operands > 1;
    }
    for (uint32_t c = 0; c < d->calls.n; c++) {
        found[c] = found[c] && calls;
        if (d->calls.v[c].parent != NONE)
            found[d->calls.v[c].parent] = false;
    }
    for (uint32_t c = 0; c < d->calls.n; c++)
        if (d->calls.v[c].phase == PHASE_FORWARD && d->calls.v[c].twin != NONE)
            found[d->calls.v[c].twin] = found[c]; /* its backward call is in the same class */
    return found;
}

void align_items_collect(const struct dump *d, enum call_phase phase, enum align_item_class klass, bool by_input,
                         align_item_list *out)
{
    bool operators = false, *multiplies = multiplying_modules(d);
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const struct call *call = &d->calls.v[c];
        bool module = call->kind == CALL_MODULE && !multiplies[c];
        enum align_item_class own = call->gradient ? ITEMS_GRADIENTS : module ? ITEMS_MODULES : ITEMS_CALLS;
        /* recorded twice */
        if (call->phase != phase || own != klass || call->recomputes != NONE ||
            (call->nested != NONE && call->nested < c))
            continue;
        struct align_item it = {.call = c, .out = NONE, .match = NONE, .group = NONE, .family = call->family};
        uint32_t lone = NONE, in = NONE;
        EACH_ROW(d, c, r) {
            const struct row *row = &d->rows.v[r];
            if (row->kind != ROW_TENSOR)
                continue;
            bool output = row->io == IO_OUTPUT || row->io == IO_GRADIENT;
            uint64_t n = dump_row_numel(d, r);
            if (output && n > 1 && it.out == NONE)
                it.out = r;
            else if (output && lone == NONE)
                lone = r;
            if (row->io != IO_INPUT || n <= 1)
                continue;
            in = in == NONE ? r : in;
            if (it.inputs < ITEM_INPUTS) {
                it.in_row[it.inputs] = r;
                it.in[it.inputs++] = fingerprint_of(d, r);
            }
        }
        if (call->family == FAMILY_ATTENTION && in != NONE)
            it.out = attention_output(d, c, in, it.out);
        if (by_input && in != NONE && it.family != FAMILY_EMBEDDING)
            it.out = in;
        if (it.out == NONE)
            it.out = lone;
        if (it.out == NONE && phase == PHASE_BACKWARD && in != NONE)
            it.out = in; /* a gradient hook without an output */
        if (it.out == NONE || is_plain_view(d, call, in, it.out))
            continue;
        if (term_comes_first(d, &it))
            put_term_last(&it);
        it.numel = dump_row_numel(d, it.out);
        it.value = fingerprint_of(d, it.out);
        it.whole = !dtype_is_float(d->rows.v[it.out].dtype);
        it.op = family_operator(align_item_operator(d, c));
        it.layer = align_item_layer(d, c);
        if (call->scope != NONE)
            it.role = role_find(str_of(d->scopes.v[call->scope]));
        operators = operators || call->kind == CALL_OPERATOR;
        vec_push(out, it);
    }
    if (operators)
        order_by_number(d, out);
    if (phase == PHASE_FORWARD && klass == ITEMS_CALLS)
        join_activations(out);
    free(multiplies);
}

/* A value as the producers' index knows it; false if its figures do not tell it from others. */
static bool value_key(const struct dump *d, uint32_t r, uint64_t *key)
{
    const struct row *row = &d->rows.v[r];
    if (row->kind != ROW_TENSOR || !(row->has & HAS_MAX) || !(row->has & HAS_MIN) ||
        row->stat[STAT_MAX] == row->stat[STAT_MIN] || dump_row_numel(d, r) <= 1)
        return false;
    double value[3] = {row->stat[STAT_MAX], row->stat[STAT_MIN], (double)dump_row_numel(d, r)};
    *key = hash_bytes(value, sizeof value, 7);
    return true;
}

/* Whether two rows hold equal values of one size, as far as their figures say. */
static bool same_figures(const struct dump *d, uint32_t a, uint32_t b)
{
    const struct row *x = &d->rows.v[a], *y = &d->rows.v[b];
    bool norms = (x->has & y->has & HAS_NORM) != 0;
    return dump_row_numel(d, a) == dump_row_numel(d, b) && x->stat[STAT_MAX] == y->stat[STAT_MAX] &&
           x->stat[STAT_MIN] == y->stat[STAT_MIN] && (!norms || x->stat[STAT_NORM] == y->stat[STAT_NORM]);
}

/* The input that a forward call hands on as this output: a view, a copy or a cast, or whatever left the figures as they
 * were (a multiplication by one, a disabled dropout). NONE: the output is a new value. (A backward call that returns
 * what it gets, as a sum's does, stands for its forward call.) Of a view's inputs the first is its value: those behind
 * it may be indices, of which a gather has as many as results. */
static uint32_t handed_on(const struct dump *d, uint32_t out)
{
    uint32_t call = d->rows.v[out].call;
    uint8_t family = d->calls.v[call].family;
    bool keeps = family_hands_on((enum family)family);
    uint64_t key;
    if (d->calls.v[call].phase != PHASE_FORWARD)
        return NONE;
    EACH_EARLY_ROW(d, call, r) {
        if (d->rows.v[r].io != IO_INPUT || !value_key(d, r, &key))
            continue;
        if (same_figures(d, r, out) || (keeps && dump_row_numel(d, r) == dump_row_numel(d, out)))
            return r;
        keeps = false;
    }
    return NONE;
}

/* Whether two rows of equal extremes may hold one value: a sum that grows in place keeps its extremes, not its norm. */
static bool norms_may_agree(const struct dump *d, uint32_t a, uint32_t b)
{
    const struct row *x = &d->rows.v[a], *y = &d->rows.v[b];
    double p = x->stat[STAT_NORM], q = y->stat[STAT_NORM];
    return !(x->has & y->has & HAS_NORM) || !isfinite(p) || !isfinite(q) || fabs(p - q) <= 2e-3 * fabs(q);
}

uint32_t *align_items_producers(const struct dump *d)
{
    struct nmap held = {0}; /* value → the output that made it; NONE - 1: no recorded call made it */
    struct nmap first = {0}; /* value → the first row that held what `held` has */
    uint32_t *from = mem_alloc((d->rows.n + 1) * sizeof *from);
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct row *row = &d->rows.v[r];
        const struct call *c = &d->calls.v[row->call];
        uint64_t key;
        from[r] = NONE;
        if (!value_key(d, r, &key))
            continue;
        uint32_t found = nmap_get(&held, key);
        bool makes = row->io == IO_OUTPUT && c->kind != CALL_MODULE && c->phase != PHASE_OPTIMIZER;
        uint32_t in = makes ? handed_on(d, r) : NONE;
        /* a graph may have recorded a cast of a value before the call that made it */
        bool made_later = found == NONE - 1 && makes && in == NONE && family_is_compute((enum family)c->family);
        if (found != MAP_NONE && norms_may_agree(d, nmap_get(&first, key), r) && !made_later) {
            from[r] = found == NONE - 1 ? NONE : found;
            continue;
        }
        if (!makes)
            continue;
        nmap_set(&first, key, r);
        nmap_set(&held, key, in == NONE ? r : from[in] == NONE ? NONE - 1 : from[in]);
        from[r] = in == NONE ? NONE : from[in];
    }
    nmap_release(&held);
    nmap_release(&first);
    return from;
}
