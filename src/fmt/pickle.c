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

static struct pickle *vm_fixed(struct vm *v, unsigned width, bool is_signed)
{
    uint64_t n;
    if (!vm_number(v, width, &n))
        return NULL;
    return vm_integer(v, is_signed && width == 4 ? (int64_t)(int32_t)(uint32_t)n : (int64_t)n);
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
    if (p)
        p->text = str_of(arena_fmt(v->a, "%.*s %.*s", STR_ARG(module), STR_ARG(name)));
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

static struct pickle *vm_step(struct vm *v, unsigned char op)
{
    struct str a, b;
    struct pickle *x, *y;
    uint64_t n;
    switch (op) {
    case 0x80: /* PROTO */
        return vm_need(v, 1) ? (v->at++, (struct pickle *)v) : NULL;
    case 0x95: /* FRAME */
        return vm_need(v, 8) ? (v->at += 8, (struct pickle *)v) : NULL;
    case '(':
        vec_push(&v->marks, v->stack.n);
        return (struct pickle *)v;
    case '0': /* POP */
        if (v->marks.n && *vec_last(&v->marks) == v->stack.n)
            v->marks.n--;
        else if (!vm_pop(v))
            return NULL;
        return (struct pickle *)v;
    case '1': /* POP_MARK */
        if (!v->marks.n)
            return vm_fail(v, _("a mark"));
        v->stack.n = v->marks.v[--v->marks.n];
        return (struct pickle *)v;
    case '2': /* DUP */
        return vm_push(v, vm_top(v));
    case 'N':
        return vm_push(v, vm_node(v, PICKLE_NONE));
    case 0x88:
        return vm_boolean(v, true);
    case 0x89:
        return vm_boolean(v, false);
    case 'K':
        return vm_fixed(v, 1, false);
    case 'M':
        return vm_fixed(v, 2, false);
    case 'J':
        return vm_fixed(v, 4, true);
    case 0x8a:
        return long_integer(v, 1);
    case 0x8b:
        return long_integer(v, 4);
    case 'I':
    case 'L':
        return vm_decimal(v);
    case 'F':
        return vm_real(v, false);
    case 'G':
        return vm_real(v, true);
    case 'X':
        return vm_text(v, PICKLE_TEXT, 4);
    case 0x8c:
        return vm_text(v, PICKLE_TEXT, 1);
    case 0x8d:
        return vm_text(v, PICKLE_TEXT, 8);
    case 'U':
        return vm_text(v, PICKLE_TEXT, 1);
    case 'T':
        return vm_text(v, PICKLE_TEXT, 4);
    case 'C':
        return vm_text(v, PICKLE_BYTES, 1);
    case 'B':
        return vm_text(v, PICKLE_BYTES, 4);
    case 0x8e:
    case 0x96:
        return vm_text(v, PICKLE_BYTES, 8);
    case 'S':
    case 'V':
        x = vm_node(v, PICKLE_TEXT);
        if (!x || !vm_line(v, &x->text))
            return NULL;
        if (x->text.n >= 2 && (x->text.p[0] == '\'' || x->text.p[0] == '"'))
            x->text = str_n(x->text.p + 1, x->text.n - 2);
        return vm_push(v, x);
    case ')':
        return vm_group(v, PICKLE_TUPLE, 0);
    case 0x85:
    case 0x86:
    case 0x87:
        return vm_group(v, PICKLE_TUPLE, op - 0x84);
    case 't':
        return vm_group(v, PICKLE_TUPLE, -1);
    case ']':
    case 0x8f:
        return vm_group(v, PICKLE_LIST, 0);
    case 'l':
    case 0x91:
        return vm_group(v, PICKLE_LIST, -1);
    case '}':
        return vm_group(v, PICKLE_DICT, 0);
    case 'd':
        x = vm_group(v, PICKLE_DICT, -1);
        return x && x->n % 2 ? vm_fail(v, _("a value for every key")) : x;
    case 'a':
        return vm_fill(v, 1);
    case 's':
        return vm_fill(v, 2);
    case 'e':
    case 'u':
    case 0x90:
        return vm_fill(v, -1);
    case 'c':
        return vm_line(v, &a) && vm_line(v, &b) ? vm_global(v, a, b) : NULL;
    case 0x93: /* STACK_GLOBAL */
        y = vm_pop(v);
        x = y ? vm_pop(v) : NULL;
        if (!x)
            return NULL;
        if (x->kind != PICKLE_TEXT || y->kind != PICKLE_TEXT)
            return vm_fail(v, _("the names of a global"));
        return vm_global(v, x->text, y->text);
    case 'R':
    case 0x81: /* NEWOBJ */
        y = vm_pop(v);
        x = y ? vm_pop(v) : NULL;
        return vm_call(v, x, y);
    case 0x92: /* NEWOBJ_EX: keyword arguments are ignored */
        if (!vm_pop(v))
            return NULL;
        y = vm_pop(v);
        x = y ? vm_pop(v) : NULL;
        return vm_call(v, x, y);
    case 'o':
    case 'i':
        x = op == 'i' ? (vm_line(v, &a) && vm_line(v, &b) ? vm_global(v, a, b) : NULL) : NULL;
        if (op == 'i') {
            if (!x || !vm_pop(v))
                return NULL;
            y = vm_node(v, PICKLE_TUPLE);
            return y && vm_gather(v, y) ? vm_call(v, x, y) : NULL;
        }
        y = vm_node(v, PICKLE_TUPLE);
        if (!y || !vm_gather(v, y))
            return NULL;
        if (!y->n)
            return vm_fail(v, _("a class"));
        x = y->item[0];
        y->item++;
        y->n--;
        y->cap--;
        return vm_call(v, x, y);
    case 'b':
        return vm_build(v);
    case 'Q':
        x = vm_pop(v);
        y = x ? vm_node(v, PICKLE_PERSISTENT) : NULL;
        if (!y)
            return NULL;
        vm_add(v, y, x);
        return vm_push(v, y);
    case 'P':
        x = vm_node(v, PICKLE_TEXT);
        y = x && vm_line(v, &x->text) ? vm_node(v, PICKLE_PERSISTENT) : NULL;
        if (!y)
            return NULL;
        vm_add(v, y, x);
        return vm_push(v, y);
    case 'q':
        return vm_indexed(v, 1, vm_put);
    case 'r':
        return vm_indexed(v, 4, vm_put);
    case 'p':
        return indexed_line(v, vm_put);
    case 0x94: /* MEMOIZE */
        return vm_put(v, v->memo.n);
    case 'h':
        return vm_indexed(v, 1, vm_get);
    case 'j':
        return vm_indexed(v, 4, vm_get);
    case 'g':
        return indexed_line(v, vm_get);
    case 0x82: /* EXT1, 2, 4: registered code, opaque */
    case 0x83:
    case 0x84:
        return vm_number(v, op == 0x82 ? 1 : op == 0x83 ? 2 : 4, &n)
                   ? vm_global(v, STR("extension"), STR("registered"))
                   : NULL;
    default:
        v->at--;
        return vm_fail(v, _("a known instruction"));
    }
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
