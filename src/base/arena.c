/* An arena in blocks: small pieces come from the newest block, a large one gets a block of its own. After a clear,
 * one block of the size used before is kept. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#define BLOCK (64 * 1024)

struct arena_block {
    struct arena_block *next;
    size_t used, cap;
    _Alignas(16) char data[];
};

void arena_release(struct arena *a)
{
    for (struct arena_block *b = a->head, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *a = (struct arena){0};
}

void arena_clear(struct arena *a)
{
    struct arena_block *keep = a->head;
    size_t total = 0;
    if (!keep)
        return;
    /* one block of the total size: the next use needs about as much */
    for (struct arena_block *b = keep; b; b = b->next)
        total += b->cap;
    if (keep->next) {
        arena_release(a);
        keep = mem_alloc(sizeof *keep + total);
        keep->cap = total;
        a->head = keep;
    }
    keep->next = NULL;
    keep->used = 0;
    a->total = keep->cap;
}

static void *take(struct arena *a, size_t n, size_t align)
{
    struct arena_block *b = a->head;
    size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;
    if (!b || n > b->cap - (at < b->cap ? at : b->cap)) {
        size_t cap = n > BLOCK / 4 ? n : BLOCK;
        struct arena_block *fresh = mem_alloc(sizeof *fresh + cap);
        fresh->used = 0;
        fresh->cap = cap;
        if (b && cap != BLOCK) { /* a large piece's block goes second, so that the head's free space stays usable */
            fresh->next = b->next;
            b->next = fresh;
        } else {
            fresh->next = b;
            a->head = fresh;
        }
        a->total += cap;
        b = fresh;
        at = 0;
    }
    b->used = at + n;
    return b->data + at;
}

void *arena_alloc(struct arena *a, size_t n)
{
    return take(a, n, 16);
}

void *arena_zalloc(struct arena *a, size_t n)
{
    return memset(arena_alloc(a, n), 0, n);
}

struct str arena_str(struct arena *a, struct str s)
{
    char *p = take(a, s.n + 1, 1);
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
