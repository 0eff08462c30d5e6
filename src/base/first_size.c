/* Sizes keyed by a hash of path and inode, in tables that many threads fill without a lock, because a dump of short
 * tensors opens a file every few microseconds. When a table is half full (a file that it does not have is then found
 * missing after two or three slots), a larger one is added and the old one stays. */
#include "base/first_size.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

#define FIRST 1024 /* slots; more than four times the largest number of threads, so that a slot is always free */

struct size_slot {
    atomic_uint_fast64_t file;  /* 0: free */
    atomic_uint_fast64_t bytes; /* size plus 1; 0: not set yet */
};

struct size_table {
    struct size_table *_Atomic next;
    size_t cap;
    atomic_size_t used;
    struct size_slot *slot;
};

static struct size_slot first_slots[FIRST];
static struct size_table first = {.cap = FIRST, .slot = first_slots};

static struct size_table *table_behind(struct size_table *t)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct size_table *next = atomic_load(&t->next);
    if (next)
        return next;
    pthread_mutex_lock(&lock);
    if (!(next = atomic_load(&t->next))) {
        next = mem_zalloc(sizeof *next);
        next->cap = t->cap * 4;
        next->slot = mem_zalloc(next->cap * sizeof *next->slot);
        atomic_store(&t->next, next);
    }
    pthread_mutex_unlock(&lock);
    return next;
}

/* The file's slot in t, or a free one claimed for it; NULL: t is full and has none. */
static struct size_slot *slot_in(struct size_table *t, uint64_t file)
{
    bool full = atomic_load_explicit(&t->used, memory_order_relaxed) >= t->cap / 2;
    for (size_t i = file & (t->cap - 1);; i = (i + 1) & (t->cap - 1)) {
        uint_fast64_t there = atomic_load(&t->slot[i].file);
        if (there == 0 && full)
            return NULL;
        if (there == 0 && atomic_compare_exchange_strong(&t->slot[i].file, &there, file)) {
            atomic_fetch_add_explicit(&t->used, 1, memory_order_relaxed);
            return &t->slot[i];
        }
        if (there == file)
            return &t->slot[i];
    }
}

uint64_t first_size(const char *path, const struct stat *st)
{
    const uint64_t id[2] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
    uint64_t file = hash_bytes(path, strlen(path), hash_bytes(id, sizeof id, 0)) | 1;
    uint_fast64_t bytes = 0, mine = (uint64_t)st->st_size + 1;
    struct size_table *t = &first;
    struct size_slot *s;
    while (!(s = slot_in(t, file)))
        t = table_behind(t);
    return atomic_compare_exchange_strong(&s->bytes, &bytes, mine) ? mine - 1 : bytes - 1;
}
