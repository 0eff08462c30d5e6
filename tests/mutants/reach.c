/* Which functions a test enters: linked into programs compiled with -finstrument-functions, it sets a byte for each in
 * $MUTANTS_REACH/PROGRAM, at the function's distance from the start of the program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

enum { REACH_BYTES = 1 << 24 };

extern const char __executable_start;
void __cyg_profile_func_enter(void *f, void *from) QUIET;
void __cyg_profile_func_exit(void *f, void *from) QUIET;

static unsigned char *map;

static void QUIET __attribute__((constructor)) begin(void)
{
    char path[4096];
    const char *folder = getenv("MUTANTS_REACH");
    if (!folder || snprintf(path, sizeof path, "%s/%s", folder, program_invocation_short_name) >= (int)sizeof path)
        return;
    int f = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    void *m = f < 0 || ftruncate(f, REACH_BYTES) ? MAP_FAILED
                                                 : mmap(NULL, REACH_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    if (f >= 0)
        close(f);
    if (m != MAP_FAILED)
        map = m;
}

void __cyg_profile_func_enter(void *f, void *from)
{
    uintptr_t at = (uintptr_t)f - (uintptr_t)&__executable_start;
    (void)from;
    if (map && at < REACH_BYTES && !map[at])
        map[at] = 1;
}

void __cyg_profile_func_exit(void *f, void *from)
{
    (void)f;
    (void)from;
}
