/* Sizes by a fingerprint of path and inode; one list for the program, under a lock. */
#include "base/first_size.h"

#include <pthread.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nmap known;
static VEC(uint64_t) sizes;

uint64_t first_size(const char *path, const struct stat *st)
{
    const uint64_t id[2] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
    uint64_t file = hash_bytes(path, strlen(path), hash_bytes(id, sizeof id, 0));
    pthread_mutex_lock(&lock);
    uint32_t at = nmap_add(&known, file, (uint32_t)sizes.n);
    if (at == sizes.n)
        vec_push(&sizes, (uint64_t)st->st_size);
    uint64_t bytes = sizes.v[at];
    pthread_mutex_unlock(&lock);
    return bytes;
}
