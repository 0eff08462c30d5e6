/* Allocation that does not return NULL. The program decides what happens when memory runs out by setting a handler
 * (ui/ending.c restores the terminal first); without one the process aborts. Libraries that accept allocation
 * functions get these (cJSON, PCRE2, expat, zlib, libcsv); failures that other libraries report go to mem_failed.
 * Sizes taken from files are checked by their reader before an allocation. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef void mem_handler(size_t wanted); /* bytes, 0: not known */

/* Called once, before threads start. The handler must not return. */
void mem_on_failure(mem_handler *h);
/* Called when a library or the system reports that memory ran out; does what a failing allocation does. */
_Noreturn void mem_failed(size_t wanted);

/* Marks the begin (true) and end (false) of calls on this thread to a library that allocates itself and does not
 * always report failures. Each call that may fail must follow a true. */
void mem_library(bool at_work);
/* Whether an allocation has failed in that library since: its output may be incomplete, or it is about to crash.
 * Async-signal-safe. */
bool mem_library_starved(void);

void *mem_alloc(size_t n);                  /* caller frees with free() */
void *mem_try(size_t n);                    /* the same, but NULL on failure: for what can be done without */
void *mem_zalloc(size_t n);                 /* the same, zeroed */
uint32_t *mem_nones(size_t n);              /* n + 1 of UINT32_MAX: none, of indices */
void *mem_resize(void *p, size_t n);        /* p may be NULL; the content is kept */
void *mem_resize_array(void *p, size_t n, size_t each); /* refuses n * each that overflows */
char *mem_strdup(const char *s);
void *mem_for_zlib(void *unused, unsigned n, unsigned each); /* has the signature of z_stream.zalloc */

#endif
