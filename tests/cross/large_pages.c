/* Loaded before a program, it makes pages 64 KiB large, as kernels for aarch64 may be built (openEuler's are): the size
 * that is told, where maps lie, and what is refused. large_pages_probe.c does what it refuses. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE ((size_t)65536)

static size_t whole(size_t n)
{
    return (n + PAGE - 1) / PAGE * PAGE;
}

static bool refused(const void *where, off_t from)
{
    if ((uintptr_t)where % PAGE == 0 && (size_t)from % PAGE == 0)
        return false;
    errno = EINVAL;
    return true;
}

void *mmap(void *where, size_t n, int protection, int flags, int fd, off_t from)
{
    bool placed = flags & MAP_FIXED;
    if (refused(placed ? where : NULL, from))
        return MAP_FAILED;
    if (placed)
        return (void *)syscall(SYS_mmap, where, whole(n), protection, flags, fd, from);
    /* room enough for a begin of such a page, then the map in its place */
    char *room =
        (char *)syscall(SYS_mmap, NULL, whole(n) + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return room;
    char *at = room + (PAGE - (uintptr_t)room % PAGE) % PAGE;
    void *made = (void *)syscall(SYS_mmap, at, n, protection, flags | MAP_FIXED, fd, from);
    if (at > room)
        syscall(SYS_munmap, room, (size_t)(at - room));
    if (at < room + PAGE)
        syscall(SYS_munmap, at + whole(n), (size_t)(room + PAGE - at));
    return made;
}

void *mmap64(void *where, size_t n, int protection, int flags, int fd, off_t from)
{
    return mmap(where, n, protection, flags, fd, from);
}

int munmap(void *where, size_t n)
{
    return refused(where, 0) ? -1 : (int)syscall(SYS_munmap, where, whole(n));
}

int mprotect(void *where, size_t n, int protection)
{
    return refused(where, 0) ? -1 : (int)syscall(SYS_mprotect, where, whole(n), protection);
}

int madvise(void *where, size_t n, int advice)
{
    return refused(where, 0) ? -1 : (int)syscall(SYS_madvise, where, n, advice);
}

int getpagesize(void)
{
    return (int)PAGE;
}

long sysconf(int name)
{
    static long (*ask)(int);
    if (name == _SC_PAGESIZE)
        return (long)PAGE;
    if (!ask)
        *(void **)&ask = dlsym(RTLD_NEXT, "sysconf");
    return ask(name);
}
