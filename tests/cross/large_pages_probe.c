/* Under large_pages.c: what works with pages of 4 KiB alone has to fail, and maps have to begin at 64 KiB. 0 where it
 * is so. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
    int fd = memfd_create("file", 0);
    if (fd < 0 || ftruncate(fd, 1 << 20))
        return 2;
    char *a = mmap(NULL, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *b = mmap(NULL, 5000, PROT_READ, MAP_PRIVATE, fd, 65536);
    if (sysconf(_SC_PAGESIZE) != 65536 || a == MAP_FAILED || b == MAP_FAILED || ((uintptr_t)a | (uintptr_t)b) % 65536)
        return 1;
    if (mmap(NULL, 5000, PROT_READ, MAP_PRIVATE, fd, 4096) != MAP_FAILED || mprotect(a + 4096, 1, PROT_READ) == 0 ||
        munmap(a + 4096, 1) == 0)
        return 1;
    *a = 1;
    return munmap(a, 5000) || munmap(b, 5000);
}
