/* An arena in blocks: small pieces come from the newest block, a large one gets a block of its own, unless one that is
 * free is large enough. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#define BLOCK (64 * 1024)

struct arena_block {
    struct arena_block *next;
    size_t used, cap;
    uint64_t number; /* in the order in which they were put into use */
    _Alignas(16) char data[];
};

static void release_all(struct arena_block *b)
{
    for (struct arena_block *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

void arena_release(struct arena *a)
{
    release_all(a->head);
    release_all(a->spare);
    *a = (struct arena){0};
}

struct arena_mark arena_mark(const struct arena *a)
{
    return (struct arena_mark){a->head, a->head ? a->head->used : 0, a->taken};
}

void arena_rewind(struct arena *a, struct arena_mark to)
{
    for (struct arena_block **at = &a->head, *b; (b = *at);) {
        if (b->number <= to.taken) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        b->next = a->spare;
        a->spare = b;
    }
    if (a->head)
        a->head->used = to.used;
    a->taken = to.taken;
}

void arena_clear(struct arena *a)
{
    arena_rewind(a, (struct arena_mark){0});
}

/* The smallest free block with so much room, which is free no longer; NULL. */
static struct arena_block *spare_block(struct arena *a, size_t cap)
{
    struct arena_block **best = NULL, *found;
    for (struct arena_block **at = &a->spare; *at; at = &(*at)->next)
        if ((*at)->cap >= cap && (!best || (*at)->cap < (*best)->cap)) {
            best = at;
            if ((*at)->cap == cap)
                break;
        }
    if (!best)
        return NULL;
    found = *best;
    *best = found->next;
    return found;
}

static struct arena_block *own_block(struct arena *a, struct arena_block *b, size_t cap)
{
    b->cap = cap;
    a->total += cap;
    return b;
}

void arena_reserve(struct arena *a, size_t n)
{
    struct arena_block *b = mem_try(sizeof *b + n);
    if (!b)
        return;
    own_block(a, b, n)->next = a->spare;
    a->spare = b;
}

/* A block with room for n. */
static struct arena_block *add_arena_block(struct arena *a, size_t n)
{
    size_t cap = n > BLOCK / 4 ? n : BLOCK;
    struct arena_block *b = spare_block(a, cap), *head = a->head;
    if (!b)
        b = own_block(a, mem_alloc(sizeof *b + cap), cap);
    b->used = 0;
    b->number = ++a->taken;
    if (head && b->cap - n < head->cap - head->used) { /* more room stays usable in the head */
        b->next = head->next;
        head->next = b;
    } else {
        b->next = head;
        a->head = b;
    }
    return b;
}

static void *take_aligned(struct arena *a, size_t n, size_t align)
{
    struct arena_block *b = a->head;
    size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;
    if (!b || n > b->cap - (at < b->cap ? at : b->cap)) {
        b = add_arena_block(a, n);
        at = 0;
    }
    b->used = at + n;
    return b->data + at;
}

void *arena_alloc(struct arena *a, size_t n)
{
    return take_aligned(a, n, 16);
}

void *arena_zalloc(struct arena *a, size_t n)
{
    return memset(arena_alloc(a, n), 0, n);
}

struct str arena_str(struct arena *a, struct str s)
{
    char *p = take_aligned(a, s.n + 1, 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = 0;
    return (struct str){p, s.n};
}

const char *arena_cstr(struct arena *a, struct str s)
{
    return arena_str(a, s).p;
}

const char *arena_vfmt(struct arena *a, const char *fmt, va_list ap)
{
    struct buf b = {0};
    buf_vfmt(&b, fmt, ap);
    const char *s = arena_cstr(a, buf_view(&b));
    buf_release(&b);
    return s;
}

const char *arena_fmt(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *s = arena_vfmt(a, fmt, ap);
    va_end(ap);
    return s;
}
