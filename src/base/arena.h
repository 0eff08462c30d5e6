/* An arena: memory in a chain of blocks that is freed as one. Blocks never move. Not thread-safe. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct arena {
    struct arena_block *head, *spare; /* in use, the newest first but for full ones; free */
    size_t total;   /* bytes in all blocks */
    uint64_t taken; /* how many blocks were put into use */
};

/* A point in an arena's use. */
struct arena_mark {
    struct arena_block *head;
    size_t used;
    uint64_t taken;
};

void arena_release(struct arena *a);
void arena_clear(struct arena *a); /* forgets everything, keeps the blocks for reuse */
/* Adds a free block of n bytes if the system has it: pieces that fit it together do not get blocks of their own. */
void arena_reserve(struct arena *a, size_t n);
struct arena_mark arena_mark(const struct arena *a);
void arena_rewind(struct arena *a, struct arena_mark to); /* forgets what was allocated since, keeps the blocks */
void *arena_alloc(struct arena *a, size_t n); /* aligned to 16, not zeroed */
void *arena_zalloc(struct arena *a, size_t n);
struct str arena_str(struct arena *a, struct str s); /* a copy with a NUL after it */
const char *arena_cstr(struct arena *a, struct str s);
const char *arena_fmt(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *arena_vfmt(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

#endif
