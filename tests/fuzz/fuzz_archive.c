/* A pack's archive, compressed or not, taken apart: whatever it holds, nothing comes to lie outside the folder, no more
 * than allowed comes out, and what is wrong with it is said. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ftw.h>

#include "fuzz.h"

#include "base/mem.h"
#include "base/tar.h"
#include "fmt/pack_read.h"

static uint64_t found;

static int count(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)at;
    assert(kind == FTW_F || kind == FTW_DP);
    found += kind == FTW_F ? (uint64_t)st->st_size : 0;
    remove(path);
    return 0;
}

/* The sums of headers are made right, or no mutation would be looked at beyond them; those of names that begin with '!'
 * stay. */
static void mend_sums(uint8_t *block)
{
    unsigned sum = 0;
    if (memcmp(block + 257, "ustar", 5) != 0 || *block == '!')
        return;
    memset(block + 148, ' ', 8);
    for (int i = 0; i < TAR_BLOCK; i++)
        sum += block[i];
    snprintf((char *)block + 148, 8, "%06o", sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[600], beside[700];
    struct err e = {0};
    struct stat st;
    snprintf(folder, sizeof folder, "%s/in/to", fuzz_dir());
    snprintf(beside, sizeof beside, "%s/in", fuzz_dir());
    mkdir(beside, 0755);
    mkdir(folder, 0755);
    uint8_t *own = mem_alloc(size + 1);
    memcpy(own, data, size);
    for (size_t at = 0; at + TAR_BLOCK <= size; at += TAR_BLOCK)
        mend_sums(own + at);
    int rc = pack_unpack(fuzz_file(fuzz_str(own, size)), folder, 1 << 16, &e);
    free(own);
    assert(rc == 0 || (rc == -1 && e.text[0]));
    found = 0;
    nftw(folder, count, 16, FTW_DEPTH | FTW_PHYS);
    assert(found <= (1 << 16) + 100 * (uint64_t)size);
    assert(rmdir(beside) == 0 && stat(beside, &st) != 0); /* nothing else lies in it */
    return 0;
}
