/* malloc and related functions, which call the handler on failure. */
#include "base/mem.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE (1 << 20)

static mem_handler *on_failure;
static _Thread_local bool library_at_work;

void mem_on_failure(mem_handler *h)
{
    on_failure = h;
}

_Noreturn void mem_failed(size_t wanted)
{
    if (on_failure)
        on_failure(wanted);
    abort();
}

void mem_library(bool at_work)
{
    library_at_work = at_work;
    errno = 0;
}

bool mem_library_starved(void)
{
    return library_at_work && errno == ENOMEM;
}

/* Asks for large pages: the system then brings a block in by 2 MB instead of 4 kB, at a fifth of the cost. */
static void on_large_pages(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
    int before = errno; /* it says what failed in a library that is at work */
    size_t inside = (uintptr_t)p % (size_t)sysconf(_SC_PAGESIZE);
    madvise((char *)p - inside, n + inside, MADV_HUGEPAGE);
    errno = before;
#endif
}

static void *check_allocation(void *p, size_t n)
{
    if (!p && n)
        mem_failed(n);
    if (n >= LARGE)
        on_large_pages(p, n);
    return p;
}

void *mem_alloc(size_t n)
{
    return check_allocation(malloc(n ? n : 1), n ? n : 1);
}

void *mem_try(size_t n)
{
    void *p = malloc(n ? n : 1);
    return p ? check_allocation(p, n) : NULL;
}

void *mem_zalloc(size_t n)
{
    return check_allocation(calloc(1, n ? n : 1), n ? n : 1);
}

uint32_t *mem_nones(size_t n)
{
    uint32_t *v = mem_resize_array(NULL, n + 1, sizeof *v);
    memset(v, 0xff, (n + 1) * sizeof *v);
    return v;
}

void *mem_resize(void *p, size_t n)
{
    return check_allocation(realloc(p, n ? n : 1), n ? n : 1);
}

void *mem_resize_array(void *p, size_t n, size_t each)
{
    if (each && n > SIZE_MAX / each)
        return check_allocation(NULL, SIZE_MAX);
    return mem_resize(p, n * each);
}

void *mem_for_zlib(void *unused, unsigned n, unsigned each)
{
    (void)unused;
    return mem_resize_array(NULL, n, each);
}

char *mem_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(mem_alloc(n), s, n);
}
