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

static struct pickle *fail(struct vm *v, const char *expected)
{
    err_at(v->e, v->name, v->at, _("damaged pickle: expected %s"), expected);
    return NULL;
}

static struct pickle *node(struct vm *v, enum pickle_kind kind)
{
    if (++v->nodes > MAX_NODES)
        return fail(v, _("a smaller object"));
    struct pickle *p = arena_zalloc(v->a, sizeof *p);
    p->kind = kind;
    return p;
}

static bool need(struct vm *v, size_t n)
{
    if (v->in.n - v->at >= n)
        return true;
    fail(v, _("more bytes"));
    return false;
}

static bool number(struct vm *v, unsigned bytes, uint64_t *out)
{
    if (!need(v, bytes))
        return false;
    *out = 0;
    for (unsigned i = 0; i < bytes; i++)
        *out |= (uint64_t)(unsigned char)v->in.p[v->at + i] << (8 * i);
    v->at += bytes;
    return true;
}

static bool span(struct vm *v, uint64_t n, struct str *out)
{
    if (n > v->in.n - v->at) {
        fail(v, _("more bytes"));
        return false;
    }
    *out = str_n(v->in.p + v->at, (size_t)n);
    v->at += (size_t)n;
    return true;
}

static bool line(struct vm *v, struct str *out)
{
    struct str rest = str_cut(v->in, v->at);
    ptrdiff_t end = str_find(rest, '\n');
    if (end < 0) {
        fail(v, _("an end of line"));
        return false;
    }
    *out = str_n(rest.p, (size_t)end);
    v->at += (size_t)end + 1;
    return true;
}

static struct pickle *push(struct vm *v, struct pickle *p)
{
    if (p)
        vec_push(&v->stack, p);
    return p;
}

static struct pickle *pop(struct vm *v)
{
    size_t floor = v->marks.n ? *vec_last(&v->marks) : 0;
    if (v->stack.n <= floor)
        return fail(v, _("a value on the stack"));
    return v->stack.v[--v->stack.n];
}

static struct pickle *top(struct vm *v)
{
    if (!v->stack.n)
        return fail(v, _("a value on the stack"));
    return *vec_last(&v->stack);
}

static void add(struct vm *v, struct pickle *to, struct pickle *item)
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
static bool gather(struct vm *v, struct pickle *to)
{
    if (!v->marks.n) {
        fail(v, _("a mark"));
        return false;
    }
    size_t from = v->marks.v[--v->marks.n];
    for (size_t i = from; i < v->stack.n; i++)
        add(v, to, v->stack.v[i]);
    v->stack.n = from;
    return true;
}

static struct pickle *group(struct vm *v, enum pickle_kind kind, int count)
{
    struct pickle *p = node(v, kind);
    if (!p)
        return NULL;
    if (count < 0)
        return gather(v, p) ? push(v, p) : NULL;
    size_t floor = v->marks.n ? *vec_last(&v->marks) : 0;
    if (v->stack.n < floor + (size_t)count)
        return fail(v, _("a value on the stack"));
    for (int i = 0; i < count; i++)
        add(v, p, v->stack.v[v->stack.n - (size_t)count + (size_t)i]);
    v->stack.n -= (size_t)count;
    return push(v, p);
}

static struct pickle *text(struct vm *v, enum pickle_kind kind, unsigned width)
{
    uint64_t n;
    struct pickle *p = node(v, kind);
    return p && number(v, width, &n) && span(v, n, &p->text) ? push(v, p) : NULL;
}

static struct pickle *integer(struct vm *v, int64_t i)
{
    struct pickle *p = node(v, PICKLE_INT);
    if (p)
        p->i = i;
    return push(v, p);
}

static struct pickle *boolean(struct vm *v, bool b)
{
    struct pickle *p = node(v, PICKLE_BOOL);
    if (p)
        p->i = b;
    return push(v, p);
}

static struct pickle *fixed(struct vm *v, unsigned width, bool is_signed)
{
    uint64_t n;
    if (!number(v, width, &n))
        return NULL;
    return integer(v, is_signed && width == 4 ? (int64_t)(int32_t)(uint32_t)n : (int64_t)n);
}

/* Two's complement of any length. */
static struct pickle *long_integer(struct vm *v, unsigned width)
{
    uint64_t n;
    struct str s;
    if (!number(v, width, &n) || !span(v, n, &s))
        return NULL;
    bool negative = s.n && (s.p[s.n - 1] & 0x80);
    if (s.n > 8)
        return integer(v, negative ? INT64_MIN : INT64_MAX);
    uint64_t u = negative && s.n < 8 ? ~0ULL << (8 * s.n) : 0;
    for (size_t i = 0; i < s.n; i++)
        u |= (uint64_t)(unsigned char)s.p[i] << (8 * i);
    return integer(v, (int64_t)u);
}

static struct pickle *decimal(struct vm *v)
{
    struct str s;
    char tmp[32];
    if (!line(v, &s))
        return NULL;
    if (str_is(s, "00") || str_is(s, "01"))
        return boolean(v, s.p[1] == '1');
    if (s.n && s.p[s.n - 1] == 'L')
        s.n--;
    bool negative = s.n && s.p[0] == '-';
    struct str digits = str_cut(s, negative);
    for (size_t i = 0; i < digits.n; i++)
        if (digits.p[i] < '0' || digits.p[i] > '9')
            digits.n = 0;
    if (!digits.n)
        return fail(v, _("an integer"));
    if (s.n >= sizeof tmp)
        return integer(v, negative ? INT64_MIN : INT64_MAX);
    memcpy(tmp, s.p, s.n);
    tmp[s.n] = 0;
    return integer(v, strtoll(tmp, NULL, 10));
}

static struct pickle *real(struct vm *v, bool binary)
{
    struct pickle *p = node(v, PICKLE_FLOAT);
    struct str s;
    if (!p)
        return NULL;
    if (binary) {
        uint64_t u = 0;
        if (!span(v, 8, &s))
            return NULL;
        for (int i = 0; i < 8; i++)
            u = u << 8 | (unsigned char)s.p[i];
        memcpy(&p->f, &u, 8);
        p->text = s;
    } else if (!line(v, &s) || !str_double(s, &p->f)) {
        return fail(v, _("a number"));
    }
    return push(v, p);
}

static struct pickle *global(struct vm *v, struct str module, struct str name)
{
    struct pickle *p = node(v, PICKLE_GLOBAL);
    if (p)
        p->text = str_of(arena_fmt(v->a, "%.*s %.*s", STR_ARG(module), STR_ARG(name)));
    return push(v, p);
}

static struct pickle *call(struct vm *v, struct pickle *callable, struct pickle *args)
{
    struct pickle *p = callable && args ? node(v, PICKLE_CALL) : NULL;
    if (!p)
        return NULL;
    add(v, p, callable);
    add(v, p, args);
    return push(v, p);
}

static struct pickle *put(struct vm *v, uint64_t at)
{
    struct pickle *p = top(v);
    if (!p)
        return NULL;
    if (at > 65536 + 16 * (uint64_t)v->in.n || at > MAX_NODES) /* the limit is proportional to the input */
        return fail(v, _("a memo number in sequence"));
    while (v->memo.n <= at)
        vec_push(&v->memo, NULL);
    return v->memo.v[at] = p;
}

static struct pickle *get(struct vm *v, uint64_t at)
{
    if (at >= v->memo.n || !v->memo.v[at])
        return fail(v, _("a memo number that was stored"));
    return push(v, v->memo.v[at]);
}

static struct pickle *indexed(struct vm *v, unsigned width, struct pickle *(*f)(struct vm *, uint64_t))
{
    uint64_t n;
    return number(v, width, &n) ? f(v, n) : NULL;
}

static struct pickle *indexed_line(struct vm *v, struct pickle *(*f)(struct vm *, uint64_t))
{
    struct str s;
    unsigned long long n;
    if (!line(v, &s))
        return NULL;
    return str_u64(s, &n) ? f(v, n) : fail(v, _("a memo number"));
}

/* Adds the items above the mark (or the top one or two) to the container below them. */
static struct pickle *fill(struct vm *v, int count)
{
    size_t from;
    if (count < 0) {
        if (!v->marks.n)
            return fail(v, _("a mark"));
        from = v->marks.v[--v->marks.n];
    } else {
        if (v->stack.n < (size_t)count)
            return fail(v, _("a value on the stack"));
        from = v->stack.n - (size_t)count;
    }
    if (from == 0 || from > v->stack.n)
        return fail(v, _("a container on the stack"));
    struct pickle *to = v->stack.v[from - 1];
    /* dict and list subclasses are calls; their items follow the state */
    if (to->kind == PICKLE_CALL) {
        while (to->n < 3)
            add(v, to, node(v, PICKLE_NONE));
    } else if (to->kind != PICKLE_DICT && to->kind != PICKLE_LIST) {
        return fail(v, _("a container on the stack"));
    }
    if (to->kind == PICKLE_DICT && (v->stack.n - from) % 2)
        return fail(v, _("a value for every key"));
    for (size_t i = from; i < v->stack.n; i++)
        add(v, to, v->stack.v[i]);
    v->stack.n = from;
    return to;
}

static struct pickle *build(struct vm *v)
{
    struct pickle *state = pop(v), *p = state ? top(v) : NULL;
    if (!p)
        return NULL;
    if (p->kind == PICKLE_CALL) {
        if (p->n < 3)
            add(v, p, state);
        else
            p->item[2] = state;
    }
    return p;
}

static struct pickle *step(struct vm *v, unsigned char op)
{
    struct str a, b;
    struct pickle *x, *y;
    uint64_t n;
    switch (op) {
    case 0x80: /* PROTO */
        return need(v, 1) ? (v->at++, (struct pickle *)v) : NULL;
    case 0x95: /* FRAME */
        return need(v, 8) ? (v->at += 8, (struct pickle *)v) : NULL;
    case '(':
        vec_push(&v->marks, v->stack.n);
        return (struct pickle *)v;
    case '0': /* POP */
        if (v->marks.n && *vec_last(&v->marks) == v->stack.n)
            v->marks.n--;
        else if (!pop(v))
            return NULL;
        return (struct pickle *)v;
    case '1': /* POP_MARK */
        if (!v->marks.n)
            return fail(v, _("a mark"));
        v->stack.n = v->marks.v[--v->marks.n];
        return (struct pickle *)v;
    case '2': /* DUP */
        return push(v, top(v));
    case 'N':
        return push(v, node(v, PICKLE_NONE));
    case 0x88:
        return boolean(v, true);
    case 0x89:
        return boolean(v, false);
    case 'K':
        return fixed(v, 1, false);
    case 'M':
        return fixed(v, 2, false);
    case 'J':
        return fixed(v, 4, true);
    case 0x8a:
        return long_integer(v, 1);
    case 0x8b:
        return long_integer(v, 4);
    case 'I':
    case 'L':
        return decimal(v);
    case 'F':
        return real(v, false);
    case 'G':
        return real(v, true);
    case 'X':
        return text(v, PICKLE_TEXT, 4);
    case 0x8c:
        return text(v, PICKLE_TEXT, 1);
    case 0x8d:
        return text(v, PICKLE_TEXT, 8);
    case 'U':
        return text(v, PICKLE_TEXT, 1);
    case 'T':
        return text(v, PICKLE_TEXT, 4);
    case 'C':
        return text(v, PICKLE_BYTES, 1);
    case 'B':
        return text(v, PICKLE_BYTES, 4);
    case 0x8e:
    case 0x96:
        return text(v, PICKLE_BYTES, 8);
    case 'S':
    case 'V':
        x = node(v, PICKLE_TEXT);
        if (!x || !line(v, &x->text))
            return NULL;
        if (x->text.n >= 2 && (x->text.p[0] == '\'' || x->text.p[0] == '"'))
            x->text = str_n(x->text.p + 1, x->text.n - 2);
        return push(v, x);
    case ')':
        return group(v, PICKLE_TUPLE, 0);
    case 0x85:
    case 0x86:
    case 0x87:
        return group(v, PICKLE_TUPLE, op - 0x84);
    case 't':
        return group(v, PICKLE_TUPLE, -1);
    case ']':
    case 0x8f:
        return group(v, PICKLE_LIST, 0);
    case 'l':
    case 0x91:
        return group(v, PICKLE_LIST, -1);
    case '}':
        return group(v, PICKLE_DICT, 0);
    case 'd':
        x = group(v, PICKLE_DICT, -1);
        return x && x->n % 2 ? fail(v, _("a value for every key")) : x;
    case 'a':
        return fill(v, 1);
    case 's':
        return fill(v, 2);
    case 'e':
    case 'u':
    case 0x90:
        return fill(v, -1);
    case 'c':
        return line(v, &a) && line(v, &b) ? global(v, a, b) : NULL;
    case 0x93: /* STACK_GLOBAL */
        y = pop(v);
        x = y ? pop(v) : NULL;
        if (!x)
            return NULL;
        if (x->kind != PICKLE_TEXT || y->kind != PICKLE_TEXT)
            return fail(v, _("the names of a global"));
        return global(v, x->text, y->text);
    case 'R':
    case 0x81: /* NEWOBJ */
        y = pop(v);
        x = y ? pop(v) : NULL;
        return call(v, x, y);
    case 0x92: /* NEWOBJ_EX: keyword arguments are ignored */
        if (!pop(v))
            return NULL;
        y = pop(v);
        x = y ? pop(v) : NULL;
        return call(v, x, y);
    case 'o':
    case 'i':
        x = op == 'i' ? (line(v, &a) && line(v, &b) ? global(v, a, b) : NULL) : NULL;
        if (op == 'i') {
            if (!x || !pop(v))
                return NULL;
            y = node(v, PICKLE_TUPLE);
            return y && gather(v, y) ? call(v, x, y) : NULL;
        }
        y = node(v, PICKLE_TUPLE);
        if (!y || !gather(v, y))
            return NULL;
        if (!y->n)
            return fail(v, _("a class"));
        x = y->item[0];
        y->item++;
        y->n--;
        y->cap--;
        return call(v, x, y);
    case 'b':
        return build(v);
    case 'Q':
        x = pop(v);
        y = x ? node(v, PICKLE_PERSISTENT) : NULL;
        if (!y)
            return NULL;
        add(v, y, x);
        return push(v, y);
    case 'P':
        x = node(v, PICKLE_TEXT);
        y = x && line(v, &x->text) ? node(v, PICKLE_PERSISTENT) : NULL;
        if (!y)
            return NULL;
        add(v, y, x);
        return push(v, y);
    case 'q':
        return indexed(v, 1, put);
    case 'r':
        return indexed(v, 4, put);
    case 'p':
        return indexed_line(v, put);
    case 0x94: /* MEMOIZE */
        return put(v, v->memo.n);
    case 'h':
        return indexed(v, 1, get);
    case 'j':
        return indexed(v, 4, get);
    case 'g':
        return indexed_line(v, get);
    case 0x82: /* EXT1, 2, 4: registered code, opaque */
    case 0x83:
    case 0x84:
        return number(v, op == 0x82 ? 1 : op == 0x83 ? 2 : 4, &n)
                   ? global(v, STR("extension"), STR("registered"))
                   : NULL;
    default:
        v->at--;
        return fail(v, _("a known instruction"));
    }
}

struct pickle *pickle_parse(struct str bytes, struct arena *a, const char *name, size_t *used,
                            struct err *e)
{
    struct vm v = {.in = bytes, .name = name, .a = a, .e = e};
    struct pickle *result = NULL;
    for (;;) {
        if (!need(&v, 1))
            break;
        unsigned char op = (unsigned char)v.in.p[v.at++];
        if (op == '.') {
            v.marks.n = 0;
            result = pop(&v);
            break;
        }
        if (!step(&v, op))
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
