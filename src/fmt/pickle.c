/* The pickle machine: opcodes of protocols 0 to 5 on a stack and a memo of nodes. Every length is checked against the
 * remaining bytes. */
#include "fmt/pickle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/vec.h"

#define MAX_NODES (1u << 21) /* some 200 MB; a checkpoint has about 15 nodes per tensor */

struct vm {
    struct str in;
    size_t at;
    const char *name;
    struct arena *a;
    struct err *e;
    VEC(struct pickle *) stack;
    VEC(size_t) marks;
    VEC(struct pickle *) memo;
    size_t nodes;
};

static struct pickle *vm_fail(struct vm *v, const char *expected)
{
    err_at(v->e, v->name, v->at, _("damaged pickle: expected %s"), expected);
    return NULL;
}

static struct pickle *vm_node(struct vm *v, enum pickle_kind kind)
{
    if (++v->nodes > MAX_NODES)
        return vm_fail(v, _("a smaller object"));
    struct pickle *p = arena_zalloc(v->a, sizeof *p);
    p->kind = kind;
    return p;
}

static bool vm_need(struct vm *v, size_t n)
{
    if (v->in.n - v->at >= n)
        return true;
    vm_fail(v, _("more bytes"));
    return false;
}

static bool vm_number(struct vm *v, unsigned bytes, uint64_t *out)
{
    if (!vm_need(v, bytes))
        return false;
    *out = 0;
    for (unsigned i = 0; i < bytes; i++)
        *out |= (uint64_t)(unsigned char)v->in.p[v->at + i] << (8 * i);
    v->at += bytes;
    return true;
}

static bool vm_span(struct vm *v, uint64_t n, struct str *out)
{
    if (n > v->in.n - v->at) {
        vm_fail(v, _("more bytes"));
        return false;
    }
    *out = str_n(v->in.p + v->at, (size_t)n);
    v->at += (size_t)n;
    return true;
}

static bool vm_line(struct vm *v, struct str *out)
{
    struct str rest = str_cut(v->in, v->at);
    ptrdiff_t end = str_find(rest, '\n');
    if (end < 0) {
        vm_fail(v, _("an end of line"));
        return false;
    }
    *out = str_n(rest.p, (size_t)end);
    v->at += (size_t)end + 1;
    return true;
}

static struct pickle *vm_push(struct vm *v, struct pickle *p)
{
    if (p)
        vec_push(&v->stack, p);
    return p;
}

static struct pickle *vm_pop(struct vm *v)
{
    size_t floor = v->marks.n ? *vec_last(&v->marks) : 0;
    if (v->stack.n <= floor)
        return vm_fail(v, _("a value on the stack"));
    return v->stack.v[--v->stack.n];
}

static struct pickle *vm_top(struct vm *v)
{
    if (!v->stack.n)
        return vm_fail(v, _("a value on the stack"));
    return *vec_last(&v->stack);
}

static void vm_add(struct vm *v, struct pickle *to, struct pickle *item)
{
    if (to->n == to->cap) {
        uint32_t cap = to->cap ? to->cap * 2 : 4;
        struct pickle **fresh = arena_alloc(v->a, cap * sizeof *fresh);
        if (to->n)
            memcpy(fresh, to->item, to->n * sizeof *fresh);
        to->item = fresh;
        to->cap = cap;
    }
    to->item[to->n++] = item;
}

/* Moves the items above the newest mark to `to` and removes the mark. */
static bool vm_gather(struct vm *v, struct pickle *to)
{
    if (!v->marks.n) {
        vm_fail(v, _("a mark"));
        return false;
    }
    size_t from = v->marks.v[--v->marks.n];
    for (size_t i = from; i < v->stack.n; i++)
        vm_add(v, to, v->stack.v[i]);
    v->stack.n = from;
    return true;
}

static struct pickle *vm_group(struct vm *v, enum pickle_kind kind, int count)
{
    struct pickle *p = vm_node(v, kind);
    if (!p)
        return NULL;
    if (count < 0)
        return vm_gather(v, p) ? vm_push(v, p) : NULL;
    size_t floor = v->marks.n ? *vec_last(&v->marks) : 0;
    if (v->stack.n < floor + (size_t)count)
        return vm_fail(v, _("a value on the stack"));
    for (int i = 0; i < count; i++)
        vm_add(v, p, v->stack.v[v->stack.n - (size_t)count + (size_t)i]);
    v->stack.n -= (size_t)count;
    return vm_push(v, p);
}

static struct pickle *vm_text(struct vm *v, enum pickle_kind kind, unsigned width)
{
    uint64_t n;
    struct pickle *p = vm_node(v, kind);
    return p && vm_number(v, width, &n) && vm_span(v, n, &p->text) ? vm_push(v, p) : NULL;
}

static struct pickle *vm_integer(struct vm *v, int64_t i)
{
    struct pickle *p = vm_node(v, PICKLE_INT);
    if (p)
        p->i = i;
    return vm_push(v, p);
}

static struct pickle *vm_boolean(struct vm *v, bool b)
{
    struct pickle *p = vm_node(v, PICKLE_BOOL);
    if (p)
        p->i = b;
    return vm_push(v, p);
}

/* Two's complement of any length. */
static struct pickle *long_integer(struct vm *v, unsigned width)
{
    uint64_t n;
    struct str s;
    if (!vm_number(v, width, &n) || !vm_span(v, n, &s))
        return NULL;
    bool negative = s.n && (s.p[s.n - 1] & 0x80);
    if (s.n > 8)
        return vm_integer(v, negative ? INT64_MIN : INT64_MAX);
    uint64_t u = negative && s.n < 8 ? ~0ULL << (8 * s.n) : 0;
    for (size_t i = 0; i < s.n; i++)
        u |= (uint64_t)(unsigned char)s.p[i] << (8 * i);
    return vm_integer(v, (int64_t)u);
}

static struct pickle *vm_decimal(struct vm *v)
{
    struct str s;
    char tmp[32];
    if (!vm_line(v, &s))
        return NULL;
    if (str_is(s, "00") || str_is(s, "01"))
        return vm_boolean(v, s.p[1] == '1');
    if (s.n && s.p[s.n - 1] == 'L')
        s.n--;
    bool negative = s.n && s.p[0] == '-';
    struct str digits = str_cut(s, negative);
    for (size_t i = 0; i < digits.n; i++)
        if (digits.p[i] < '0' || digits.p[i] > '9')
            digits.n = 0;
    if (!digits.n)
        return vm_fail(v, _("an integer"));
    if (s.n >= sizeof tmp)
        return vm_integer(v, negative ? INT64_MIN : INT64_MAX);
    memcpy(tmp, s.p, s.n);
    tmp[s.n] = 0;
    return vm_integer(v, strtoll(tmp, NULL, 10));
}

static struct pickle *vm_real(struct vm *v, bool binary)
{
    struct pickle *p = vm_node(v, PICKLE_FLOAT);
    struct str s;
    if (!p)
        return NULL;
    if (binary) {
        uint64_t u = 0;
        if (!vm_span(v, 8, &s))
            return NULL;
        for (int i = 0; i < 8; i++)
            u = u << 8 | (unsigned char)s.p[i];
        memcpy(&p->f, &u, 8);
        p->text = s;
    } else if (!vm_line(v, &s) || !str_double(s, &p->f)) {
        return vm_fail(v, _("a number"));
    }
    return vm_push(v, p);
}

static struct pickle *vm_global(struct vm *v, struct str module, struct str name)
{
    struct pickle *p = vm_node(v, PICKLE_GLOBAL);
    if (!p)
        return NULL;
    char *text = arena_alloc(v->a, module.n + 1 + name.n + 1);
    memcpy(text, module.p, module.n);
    text[module.n] = ' ';
    memcpy(text + module.n + 1, name.p, name.n);
    p->text = str_n(text, module.n + 1 + name.n);
    text[p->text.n] = 0;
    return vm_push(v, p);
}

static struct pickle *vm_call(struct vm *v, struct pickle *callable, struct pickle *args)
{
    struct pickle *p = callable && args ? vm_node(v, PICKLE_CALL) : NULL;
    if (!p)
        return NULL;
    vm_add(v, p, callable);
    vm_add(v, p, args);
    return vm_push(v, p);
}

static struct pickle *vm_put(struct vm *v, uint64_t at)
{
    struct pickle *p = vm_top(v);
    if (!p)
        return NULL;
    if (at > 65536 + 16 * (uint64_t)v->in.n || at > MAX_NODES) /* the limit is proportional to the input */
        return vm_fail(v, _("a memo number in sequence"));
    while (v->memo.n <= at)
        vec_push(&v->memo, NULL);
    return v->memo.v[at] = p;
}

static struct pickle *vm_get(struct vm *v, uint64_t at)
{
    if (at >= v->memo.n || !v->memo.v[at])
        return vm_fail(v, _("a memo number that was stored"));
    return vm_push(v, v->memo.v[at]);
}

static struct pickle *vm_indexed(struct vm *v, unsigned width, struct pickle *(*f)(struct vm *, uint64_t))
{
    uint64_t n;
    return vm_number(v, width, &n) ? f(v, n) : NULL;
}

static struct pickle *indexed_line(struct vm *v, struct pickle *(*f)(struct vm *, uint64_t))
{
    struct str s;
    unsigned long long n;
    if (!vm_line(v, &s))
        return NULL;
    return str_u64(s, &n) ? f(v, n) : vm_fail(v, _("a memo number"));
}

/* Adds the items above the mark (or the top one or two) to the container below them. */
static struct pickle *vm_fill(struct vm *v, int count)
{
    size_t from;
    if (count < 0) {
        if (!v->marks.n)
            return vm_fail(v, _("a mark"));
        from = v->marks.v[--v->marks.n];
    } else {
        if (v->stack.n < (size_t)count)
            return vm_fail(v, _("a value on the stack"));
        from = v->stack.n - (size_t)count;
    }
    if (from == 0 || from > v->stack.n)
        return vm_fail(v, _("a container on the stack"));
    struct pickle *to = v->stack.v[from - 1];
    /* dict and list subclasses are calls; their items follow the state */
    if (to->kind == PICKLE_CALL) {
        while (to->n < 3)
            vm_add(v, to, vm_node(v, PICKLE_NONE));
    } else if (to->kind != PICKLE_DICT && to->kind != PICKLE_LIST) {
        return vm_fail(v, _("a container on the stack"));
    }
    if (to->kind == PICKLE_DICT && (v->stack.n - from) % 2)
        return vm_fail(v, _("a value for every key"));
    for (size_t i = from; i < v->stack.n; i++)
        vm_add(v, to, v->stack.v[i]);
    v->stack.n = from;
    return to;
}

static struct pickle *vm_build(struct vm *v)
{
    struct pickle *state = vm_pop(v), *p = state ? vm_top(v) : NULL;
    if (!p)
        return NULL;
    if (p->kind == PICKLE_CALL) {
        if (p->n < 3)
            vm_add(v, p, state);
        else
            p->item[2] = state;
    }
    return p;
}

/* ---- instructions ---- */

/* What an instruction does, and with which numbers: the bytes of the number behind it, the items it takes off the stack
 * (MARKED: those above the mark), the kind of what it makes. It returns false after a failure. */
struct opcode {
    bool (*run)(struct vm *, const struct opcode *);
    uint8_t width;
    int8_t count;
    enum pickle_kind kind;
};

#define MARKED (-1)

static bool run_skip(struct vm *v, const struct opcode *o)
{
    if (!vm_need(v, o->width))
        return false;
    v->at += o->width;
    return true;
}

static bool run_mark(struct vm *v, const struct opcode *o)
{
    (void)o;
    vec_push(&v->marks, v->stack.n);
    return true;
}

static bool run_pop(struct vm *v, const struct opcode *o)
{
    (void)o;
    if (!v->marks.n || *vec_last(&v->marks) != v->stack.n)
        return vm_pop(v);
    v->marks.n--;
    return true;
}

static bool run_pop_mark(struct vm *v, const struct opcode *o)
{
    (void)o;
    if (!v->marks.n)
        return vm_fail(v, _("a mark"));
    v->stack.n = v->marks.v[--v->marks.n];
    return true;
}

static bool run_duplicate(struct vm *v, const struct opcode *o)
{
    (void)o;
    return vm_push(v, vm_top(v));
}

static bool run_none(struct vm *v, const struct opcode *o)
{
    return vm_push(v, vm_node(v, o->kind));
}

static bool run_boolean(struct vm *v, const struct opcode *o)
{
    return vm_boolean(v, o->count);
}

/* Of 4 bytes with a sign, of fewer without. */
static bool run_integer(struct vm *v, const struct opcode *o)
{
    uint64_t n;
    if (!vm_number(v, o->width, &n))
        return false;
    return vm_integer(v, o->width == 4 ? (int64_t)(int32_t)(uint32_t)n : (int64_t)n);
}

static bool run_long(struct vm *v, const struct opcode *o)
{
    return long_integer(v, o->width);
}

static bool run_decimal(struct vm *v, const struct opcode *o)
{
    (void)o;
    return vm_decimal(v);
}

static bool run_real(struct vm *v, const struct opcode *o)
{
    return vm_real(v, o->width == 8);
}

static bool run_text(struct vm *v, const struct opcode *o)
{
    return vm_text(v, o->kind, o->width);
}

static bool run_text_line(struct vm *v, const struct opcode *o)
{
    struct pickle *x = vm_node(v, o->kind);
    if (!x || !vm_line(v, &x->text))
        return false;
    if (x->text.n >= 2 && (x->text.p[0] == '\'' || x->text.p[0] == '"'))
        x->text = str_n(x->text.p + 1, x->text.n - 2);
    return vm_push(v, x);
}

static bool run_group(struct vm *v, const struct opcode *o)
{
    struct pickle *x = vm_group(v, o->kind, o->count);
    if (x && x->kind == PICKLE_DICT && x->n % 2)
        return vm_fail(v, _("a value for every key"));
    return x;
}

static bool run_fill(struct vm *v, const struct opcode *o)
{
    return vm_fill(v, o->count);
}

static struct pickle *global_of_lines(struct vm *v)
{
    struct str module, name;
    return vm_line(v, &module) && vm_line(v, &name) ? vm_global(v, module, name) : NULL;
}

static bool run_global_line(struct vm *v, const struct opcode *o)
{
    (void)o;
    return global_of_lines(v);
}

static bool run_global(struct vm *v, const struct opcode *o)
{
    (void)o;
    struct pickle *name = vm_pop(v), *module = name ? vm_pop(v) : NULL;
    if (!module)
        return false;
    if (module->kind != PICKLE_TEXT || name->kind != PICKLE_TEXT)
        return vm_fail(v, _("the names of a global"));
    return vm_global(v, module->text, name->text);
}

/* Registered code, opaque. */
static bool run_extension(struct vm *v, const struct opcode *o)
{
    uint64_t n;
    return vm_number(v, o->width, &n) && vm_global(v, STR("extension"), STR("registered"));
}

/* A callable and its arguments, and keyword arguments, which are ignored, where `count` is 3. */
static bool run_call(struct vm *v, const struct opcode *o)
{
    if (o->count == 3 && !vm_pop(v))
        return false;
    struct pickle *args = vm_pop(v), *callable = args ? vm_pop(v) : NULL;
    return vm_call(v, callable, args);
}

/* The class is named behind the instruction. */
static bool run_instance_line(struct vm *v, const struct opcode *o)
{
    struct pickle *class = global_of_lines(v), *args = class && vm_pop(v) ? vm_node(v, o->kind) : NULL;
    return args && vm_gather(v, args) && vm_call(v, class, args);
}

/* The class lies above the mark, before its arguments. */
static bool run_instance(struct vm *v, const struct opcode *o)
{
    struct pickle *args = vm_node(v, o->kind);
    if (!args || !vm_gather(v, args))
        return false;
    if (!args->n)
        return vm_fail(v, _("a class"));
    struct pickle *class = args->item[0];
    args->item++;
    args->n--;
    args->cap--;
    return vm_call(v, class, args);
}

static bool run_build(struct vm *v, const struct opcode *o)
{
    (void)o;
    return vm_build(v);
}

static bool push_persistent(struct vm *v, struct pickle *name)
{
    struct pickle *x = name ? vm_node(v, PICKLE_PERSISTENT) : NULL;
    if (!x)
        return false;
    vm_add(v, x, name);
    return vm_push(v, x);
}

static bool run_persistent(struct vm *v, const struct opcode *o)
{
    (void)o;
    return push_persistent(v, vm_pop(v));
}

static bool run_persistent_line(struct vm *v, const struct opcode *o)
{
    struct pickle *name = vm_node(v, o->kind);
    return name && vm_line(v, &name->text) && push_persistent(v, name);
}

static bool run_put(struct vm *v, const struct opcode *o)
{
    return vm_indexed(v, o->width, vm_put);
}

static bool run_put_line(struct vm *v, const struct opcode *o)
{
    (void)o;
    return indexed_line(v, vm_put);
}

static bool run_memoize(struct vm *v, const struct opcode *o)
{
    (void)o;
    return vm_put(v, v->memo.n);
}

static bool run_get(struct vm *v, const struct opcode *o)
{
    return vm_indexed(v, o->width, vm_get);
}

static bool run_get_line(struct vm *v, const struct opcode *o)
{
    (void)o;
    return indexed_line(v, vm_get);
}

/* Grouped as in Python's pickletools: numbers, texts, containers, the stack, the memo, objects. */
static const struct opcode opcodes[256] = {
    ['I'] = {.run = run_decimal},
    ['J'] = {.run = run_integer, .width = 4},
    ['K'] = {.run = run_integer, .width = 1},
    ['M'] = {.run = run_integer, .width = 2},
    ['L'] = {.run = run_decimal},
    [0x8a] = {.run = run_long, .width = 1}, /* LONG1 */
    [0x8b] = {.run = run_long, .width = 4}, /* LONG4 */
    ['F'] = {.run = run_real},
    ['G'] = {.run = run_real, .width = 8},
    ['N'] = {.run = run_none, .kind = PICKLE_NONE},
    [0x88] = {.run = run_boolean, .count = true},
    [0x89] = {.run = run_boolean, .count = false},
    ['S'] = {.run = run_text_line, .kind = PICKLE_TEXT},
    ['V'] = {.run = run_text_line, .kind = PICKLE_TEXT},
    ['T'] = {.run = run_text, .width = 4, .kind = PICKLE_TEXT},
    ['U'] = {.run = run_text, .width = 1, .kind = PICKLE_TEXT},
    ['X'] = {.run = run_text, .width = 4, .kind = PICKLE_TEXT},
    [0x8c] = {.run = run_text, .width = 1, .kind = PICKLE_TEXT},
    [0x8d] = {.run = run_text, .width = 8, .kind = PICKLE_TEXT},
    ['B'] = {.run = run_text, .width = 4, .kind = PICKLE_BYTES},
    ['C'] = {.run = run_text, .width = 1, .kind = PICKLE_BYTES},
    [0x8e] = {.run = run_text, .width = 8, .kind = PICKLE_BYTES},
    [0x96] = {.run = run_text, .width = 8, .kind = PICKLE_BYTES}, /* BYTEARRAY8 */
    [')'] = {.run = run_group, .kind = PICKLE_TUPLE},
    [0x85] = {.run = run_group, .count = 1, .kind = PICKLE_TUPLE},
    [0x86] = {.run = run_group, .count = 2, .kind = PICKLE_TUPLE},
    [0x87] = {.run = run_group, .count = 3, .kind = PICKLE_TUPLE},
    ['t'] = {.run = run_group, .count = MARKED, .kind = PICKLE_TUPLE},
    [']'] = {run_group, .kind = PICKLE_LIST},
    ['l'] = {.run = run_group, .count = MARKED, .kind = PICKLE_LIST},
    [0x8f] = {.run = run_group, .kind = PICKLE_LIST},                  /* EMPTY_SET */
    [0x91] = {.run = run_group, .count = MARKED, .kind = PICKLE_LIST}, /* FROZENSET */
    ['}'] = {.run = run_group, .kind = PICKLE_DICT},
    ['d'] = {.run = run_group, .count = MARKED, .kind = PICKLE_DICT},
    ['a'] = {.run = run_fill, .count = 1},
    ['s'] = {.run = run_fill, .count = 2},
    ['e'] = {.run = run_fill, .count = MARKED},
    ['u'] = {.run = run_fill, .count = MARKED},
    [0x90] = {.run = run_fill, .count = MARKED}, /* ADDITEMS */
    ['('] = {.run = run_mark},
    ['0'] = {.run = run_pop},
    ['1'] = {.run = run_pop_mark},
    ['2'] = {.run = run_duplicate},
    ['p'] = {.run = run_put_line},
    ['q'] = {.run = run_put, .width = 1},
    ['r'] = {.run = run_put, .width = 4},
    [0x94] = {.run = run_memoize},
    ['g'] = {.run = run_get_line},
    ['h'] = {.run = run_get, .width = 1},
    ['j'] = {.run = run_get, .width = 4},
    ['c'] = {.run = run_global_line},
    [0x93] = {.run = run_global},
    [0x82] = {.run = run_extension, .width = 1},
    [0x83] = {.run = run_extension, .width = 2},
    [0x84] = {.run = run_extension, .width = 4},
    ['R'] = {.run = run_call, .count = 2},
    [0x81] = {.run = run_call, .count = 2}, /* NEWOBJ */
    [0x92] = {.run = run_call, .count = 3}, /* NEWOBJ_EX */
    ['i'] = {.run = run_instance_line, .kind = PICKLE_TUPLE},
    ['o'] = {.run = run_instance, .kind = PICKLE_TUPLE},
    ['b'] = {.run = run_build},
    ['P'] = {.run = run_persistent_line, .kind = PICKLE_TEXT},
    ['Q'] = {.run = run_persistent},
    [0x80] = {.run = run_skip, .width = 1}, /* PROTO */
    [0x95] = {.run = run_skip, .width = 8}, /* FRAME */
};

static bool vm_step(struct vm *v, unsigned char op)
{
    const struct opcode *o = &opcodes[op];
    if (o->run)
        return o->run(v, o);
    v->at--;
    return vm_fail(v, _("a known instruction"));
}

struct pickle *pickle_parse(struct str bytes, struct arena *a, const char *name, size_t *used,
                            struct err *e)
{
    struct vm v = {.in = bytes, .name = name, .a = a, .e = e};
    struct pickle *result = NULL;
    for (;;) {
        if (!vm_need(&v, 1))
            break;
        unsigned char op = (unsigned char)v.in.p[v.at++];
        if (op == '.') {
            v.marks.n = 0;
            result = vm_pop(&v);
            break;
        }
        if (!vm_step(&v, op))
            break;
    }
    if (used)
        *used = v.at;
    vec_release(&v.stack);
    vec_release(&v.marks);
    vec_release(&v.memo);
    return result;
}

const struct pickle *pickle_get(const struct pickle *dict, const char *key)
{
    for (uint32_t i = 0; dict && dict->kind == PICKLE_DICT && i + 1 < dict->n; i += 2)
        if (dict->item[i]->kind == PICKLE_TEXT && str_is(dict->item[i]->text, key))
            return dict->item[i + 1];
    return NULL;
}

bool pickle_is_global(const struct pickle *p, const char *name)
{
    return p && p->kind == PICKLE_GLOBAL && str_is(p->text, name);
}
