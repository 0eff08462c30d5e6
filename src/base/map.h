/* Open-addressing hash from text to u32. Keys are not copied: they must outlive the map (an arena's strings do).
 * Values are the caller's own numbers. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdint.h>

#include "base/str.h"

#define MAP_NONE UINT32_MAX

struct map_slot {
    const char *p;
    uint32_t n, value;
    uint64_t hash;
};

struct map {
    struct map_slot *slots;
    size_t n, cap;
};

/* A fast hash with the same result in every process, for fingerprints. Not collision-resistant: texts with equal
 * hashes can be constructed. */
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
/* The hash of maps: SipHash-1-3 (Aumasson, Bernstein 2012) with a random key per process, so that no file can contain
 * many names that collide. Never stored; no result may depend on the order of slots. */
uint64_t map_hash(struct str key);

void map_release(struct map *m);
void map_reserve(struct map *m, size_t n);
uint32_t map_get(const struct map *m, struct str key); /* MAP_NONE when absent */
/* Stores value unless the key is there already; returns the value that is there afterwards. */
uint32_t map_add(struct map *m, struct str key, uint32_t value);
void map_set(struct map *m, struct str key, uint32_t value);
/* Prefetches the slot of a key that will be looked up soon: in a large map each lookup is a cache miss. */
void map_expect(const struct map *m, struct str key);

/* Adds a number to a key of the maps below, which mix its bits once more. */
static inline uint64_t key_add(uint64_t key, uint64_t number)
{
    key = (key ^ number) * 0xff51afd7ed558ccdULL;
    return key ^ key >> 29;
}

/* The same for 64-bit keys that the caller already has (fingerprints). */
struct nmap_slot {
    uint64_t key;
    uint32_t value, used;
};

struct nmap {
    struct nmap_slot *slots;
    size_t n, cap;
};

void nmap_release(struct nmap *m);
uint32_t nmap_get(const struct nmap *m, uint64_t key);
uint32_t nmap_add(struct nmap *m, uint64_t key, uint32_t value);
void nmap_set(struct nmap *m, uint64_t key, uint32_t value);

/* Finds elements of an array by the 64-bit key that each holds: half of a map's memory. */
struct key_index {
    struct {
        uint32_t number; /* of the element; MAP_NONE: free */
        uint32_t part;   /* of the hash: other elements are hardly ever looked at */
    } *slots;
    size_t cap;
};

void key_index_make(struct key_index *x, size_t most); /* for at most this many elements */
void key_index_release(struct key_index *x);
void key_index_expect(const struct key_index *x, uint64_t key); /* as map_expect */
/* Where the number of the element with this key is, or MAP_NONE, which the caller sets to that of the element it adds.
 * keys: the key of element 0; each next one is `stride` bytes further. */
uint32_t *key_index_slot(struct key_index *x, uint64_t key, const void *keys, size_t stride);

#endif
