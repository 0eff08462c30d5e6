/* Allocation that does not return NULL. The program decides what running out of memory means by
 * setting the handler (main restores the terminal first); without one the process aborts.
 * Sizes taken from files are checked by their reader before they reach this level. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef void mem_handler(size_t wanted);

/* Called once, before threads start. The handler must not return. */
void mem_on_failure(mem_handler *h);

void *mem_alloc(size_t n);                  /* caller frees with free() */
void *mem_zalloc(size_t n);                 /* the same, zeroed */
void *mem_resize(void *p, size_t n);        /* p may be NULL */
void *mem_resize_array(void *p, size_t n, size_t each); /* refuses n * each that overflows */
char *mem_strdup(const char *s);

#endif
