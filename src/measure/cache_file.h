/* What was computed before for two tensors, kept in the user's cache folder so that a comparison opened again need
 * not read its tensors again. A record is found by the identity of both files (device, inode, size, times), the
 * place, type, shape and strides in them, and what the caller adds; its value is bytes to this module.
 *
 * One file a pair of dumps, replaced as a whole when the session ends, the oldest dropped when the folder grows
 * beyond CACHE_FOLDER bytes. Nothing here is an error: what is damaged, foreign or cannot be written is only
 * computed again. Safe from several threads. */
#ifndef MEASURE_CACHE_FILE_H
#define MEASURE_CACHE_FILE_H

#include <stdbool.h>

#include "num/tensor.h"

#define CACHE_FOLDER (64u << 20)
#define CACHE_FILE (CACHE_FOLDER / 2)
#define CACHE_WORTH (64u << 10) /* bytes of two tensors: comparing fewer takes no longer than looking */

struct cache;

struct cache_key {
    uint64_t half[2];
};

/* The file of these two dumps in `folder` (made when saved). Values are of `size` bytes and of `version`; records of
 * another version are forgotten. */
struct cache *cache_open(const char *folder, const char *const dump[2], size_t size, uint32_t version);
/* Writes what is new, atomically, and frees. NULL is fine. */
void cache_close(struct cache *c);

/* `more`: what else the value depends on. False where the tensors have no lasting identity: in memory (unpacked from
 * an archive), or changed so lately that they may change again without a new time; or where they are too small. */
bool cache_key(const struct tensor t[2], struct str more, struct cache_key *out);
bool cache_get(struct cache *c, const struct cache_key *k, void *value);
void cache_put(struct cache *c, const struct cache_key *k, const void *value);

#endif
