/* Earlier results for two tensors, kept in the user's cache folder so that a reopened comparison need not read its
 * tensors again. The key of a record is the identity of both files (device, inode, size, times), offset, type, shape
 * and strides, and data from the caller; the value is opaque here.
 *
 * There is one file per pair of dumps, replaced as a whole when the session ends; the oldest files are deleted when
 * the folder exceeds CACHE_FOLDER bytes. Nothing here is an error: results that are damaged, foreign or cannot be
 * written are computed again. Thread-safe. */
#ifndef MEASURE_CACHE_FILE_H
#define MEASURE_CACHE_FILE_H

#include <stdbool.h>

#include "num/tensor.h"

#define CACHE_FOLDER (64u << 20)
#define CACHE_FILE (CACHE_FOLDER / 2)
#define CACHE_WORTH (64u << 10) /* bytes of two tensors below which comparing is as fast as a lookup */

struct cache;

struct cache_key {
    uint64_t half[2];
};

/* Opens the file of these two dumps in `folder` (created when saved). Values have `size` bytes and a `version`;
 * records of another version are dropped. */
struct cache *cache_open(const char *folder, const char *const dump[2], size_t size, uint32_t version);
/* Writes new records atomically and frees. NULL is allowed. */
void cache_close(struct cache *c);

/* `more`: other data the value depends on. False if the tensors have no lasting identity (unpacked in memory, or
 * changed so recently that another change might keep the time) or are too small. */
bool cache_key(const struct tensor t[2], struct str more, struct cache_key *out);
bool cache_get(struct cache *c, const struct cache_key *k, void *value);
void cache_put(struct cache *c, const struct cache_key *k, const void *value);

#endif
