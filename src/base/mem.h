/* Allocation that does not return NULL. The program decides what running out of memory means by setting the handler
 * (ui/ending.c puts the terminal back first); without one the process aborts. Libraries are given these functions where
 * they take any (cJSON, PCRE2, expat, zlib, libcsv); what others report goes to mem_failed. Sizes taken from files are
 * checked by their reader before they reach this level. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef void mem_handler(size_t wanted); /* bytes, 0: not known */

/* Called once, before threads start. The handler must not return. */
void mem_on_failure(mem_handler *h);
/* Where a library or the system says that it had no memory: what a failing allocation here does. */
_Noreturn void mem_failed(size_t wanted);

/* A library that asks the system for memory itself and does not always tell where there is none is called on this
 * thread from here on (true), or no longer. Each call that may go wrong follows a true. */
void mem_library(bool at_work);
/* Whether the system had no memory for it since: what it made lacks something, or it breaks at once. Safe in
 * handlers. */
bool mem_library_starved(void);

void *mem_alloc(size_t n);                  /* caller frees with free() */
void *mem_zalloc(size_t n);                 /* the same, zeroed */
void *mem_resize(void *p, size_t n);        /* p may be NULL */
void *mem_resize_array(void *p, size_t n, size_t each); /* refuses n * each that overflows */
char *mem_strdup(const char *s);
void *mem_for_zlib(void *unused, unsigned n, unsigned each); /* as zlib asks for it: z_stream.zalloc */

#endif
