/* Cache files: records are found by key, new ones are collected and all written at the end; the oldest files are
 * deleted when the folder is too large. */
#include "measure/cache_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file_write.h"
#include "base/map.h"
#include "base/mem.h"

#define MAGIC "diverge figures\n"
#define ENDING ".figures"
#define HEAD 24          /* magic, version, size of a value */
#define STALE_SECONDS 3600 /* age in seconds after which a temporary file counts as abandoned */

/* Records consist of the key, the value and a hash of both. */
struct cache {
    pthread_mutex_t lock;
    char *folder, *path;
    size_t size, record;
    uint32_t version;
    struct buf records;
    struct nmap index; /* half of a key → index of the record */
    size_t loaded;     /* number of records read from the file */
    VEC(bool) used;    /* per record: whether it was used in this session */
    uint64_t hits;
};

static void put_u32(char *to, uint32_t v)
{
    memcpy(to, &v, sizeof v);
}

static uint64_t sum_of(const struct cache *c, const char *record)
{
    return hash_bytes(record, c->record - 8, 0x66696775);
}

static void cache_header(const struct cache *c, char out[HEAD])
{
    memcpy(out, MAGIC, 16);
    put_u32(out + 16, c->version);
    put_u32(out + 20, (uint32_t)c->size);
}

static void cache_add(struct cache *c, const char *record, bool used)
{
    struct cache_key k;
    memcpy(&k, record, sizeof k);
    if (nmap_add(&c->index, k.half[0], (uint32_t)c->used.n) != c->used.n)
        return;
    buf_add(&c->records, record, c->record);
    vec_push(&c->used, used);
}

static void cache_load(struct cache *c)
{
    struct buf text = {0};
    struct err quiet;
    char want[HEAD];
    cache_header(c, want);
    bool before = read_failures_unimportant(true);
    if (file_slurp(c->path, CACHE_FILE, &text, &quiet) == 0 && text.n >= HEAD && memcmp(text.p, want, HEAD) == 0)
        for (size_t at = HEAD; text.n - at >= c->record; at += c->record) {
            uint64_t sum;
            memcpy(&sum, text.p + at + c->record - 8, sizeof sum);
            if (sum == sum_of(c, text.p + at))
                cache_add(c, text.p + at, false);
        }
    c->loaded = c->used.n;
    read_failures_unimportant(before);
    buf_release(&text);
}

struct cache *cache_open(const char *folder, const char *const dump[2], size_t size, uint32_t version)
{
    struct cache *c = mem_zalloc(sizeof *c);
    struct buf key = {0}, path = {0};
    for (int i = 0; i < 2; i++) {
        char *full = realpath(dump[i], NULL);
        buf_fmt(&key, "%s\n", full ? full : dump[i]);
        free(full);
    }
    buf_fmt(&path, "%s/%016llx" ENDING, folder, (unsigned long long)hash_bytes(key.p, key.n, 11));
    *c = (struct cache){
        .folder = mem_strdup(folder),
        .path = mem_strdup(path.p),
        .size = size,
        .record = sizeof(struct cache_key) + size + 8,
        .version = version,
    };
    pthread_mutex_init(&c->lock, NULL);
    buf_release(&key);
    buf_release(&path);
    cache_load(c);
    return c;
}

/* ---- closing ---- */

/* Whether a name is a cache file's, or that of a temporary file (*stale: abandoned by a killed program). */
static bool cache_is_ours(const char *name, const struct stat *st, bool *stale)
{
    struct str s = str_of(name);
    const char *tmp = strstr(name, ENDING ".tmp");
    *stale = tmp && time(NULL) - st->st_mtime > STALE_SECONDS;
    return S_ISREG(st->st_mode) && (str_ends(s, ENDING) || *stale);
}

/* Deletes the oldest files until the rest fit. */
static void cache_trim(const char *folder)
{
    for (;;) {
        name_list names = {0};
        struct err quiet;
        struct buf path = {0}, oldest = {0};
        struct timespec least = {0};
        uint64_t total = 0;
        bool stale = false;
        bool before = read_failures_unimportant(true), listed = dir_list(folder, 100000, &names, &quiet) == 0;
        read_failures_unimportant(before);
        if (!listed) {
            name_list_release(&names);
            return;
        }
        for (size_t i = 0; i < names.n && !stale; i++) {
            struct stat st;
            path_join(&path, folder, names.v[i]);
            if (lstat(path.p, &st) || !cache_is_ours(names.v[i], &st, &stale))
                continue;
            total += (uint64_t)st.st_size;
            if (!oldest.n || stale || st.st_mtim.tv_sec < least.tv_sec ||
                (st.st_mtim.tv_sec == least.tv_sec && st.st_mtim.tv_nsec < least.tv_nsec)) {
                least = st.st_mtim;
                buf_clear(&oldest);
                buf_cstr(&oldest, path.p);
            }
        }
        bool again = (stale || total > CACHE_FOLDER) && unlink(oldest.p) == 0;
        name_list_release(&names);
        buf_release(&path);
        buf_release(&oldest);
        if (!again)
            return;
    }
}

/* Records used or added in this session come first; others are dropped if they do not fit. */
static void cache_save(struct cache *c)
{
    struct buf out = {0};
    struct err quiet;
    char head[HEAD];
    cache_header(c, head);
    buf_add(&out, head, HEAD);
    for (int unused = 0; unused < 2; unused++)
        for (size_t i = 0; i < c->used.n && out.n + c->record <= CACHE_FILE; i++)
            if (c->used.v[i] == !unused)
                buf_add(&out, c->records.p + i * c->record, c->record);
    path_make(c->folder);
    file_replace(c->path, buf_view(&out), &quiet);
    buf_release(&out);
    cache_trim(c->folder);
}

void cache_close(struct cache *c)
{
    if (!c)
        return;
    if (c->used.n > c->loaded)
        cache_save(c);
    else if (c->hits)
        utimensat(AT_FDCWD, c->path, NULL, 0); /* marks the file as recently used */
    pthread_mutex_destroy(&c->lock);
    nmap_release(&c->index);
    buf_release(&c->records);
    vec_release(&c->used);
    free(c->folder);
    free(c->path);
    free(c);
}

/* ---- records ---- */

bool cache_key(const struct tensor t[2], struct str more, struct cache_key *out)
{
    struct buf b = {0};
    uint64_t bytes = 0;
    bool lasting = true;
    for (int s = 0; s < 2 && lasting; s++) {
        const int64_t plain[] = {(int64_t)t[s].offset, t[s].dtype, t[s].swap, t[s].ndim};
        lasting = file_identity(&t[s].file, &b);
        buf_add(&b, plain, sizeof plain);
        buf_add(&b, t[s].shape, (size_t)t[s].ndim * sizeof *t[s].shape);
        buf_add(&b, t[s].stride, (size_t)t[s].ndim * sizeof *t[s].stride);
        bytes += t[s].numel * dtype_table[t[s].dtype].size;
    }
    buf_str(&b, more);
    for (int i = 0; i < 2 && lasting; i++)
        out->half[i] = hash_bytes(b.p, b.n, (uint64_t)i + 1);
    buf_release(&b);
    return lasting && bytes >= CACHE_WORTH;
}

static const char *cache_find(struct cache *c, const struct cache_key *k, uint32_t *at)
{
    *at = nmap_get(&c->index, k->half[0]);
    if (*at == MAP_NONE)
        return NULL;
    const char *record = c->records.p + *at * c->record;
    return memcmp(record, k, sizeof *k) == 0 ? record : NULL;
}

bool cache_get(struct cache *c, const struct cache_key *k, void *value)
{
    uint32_t at;
    pthread_mutex_lock(&c->lock);
    const char *record = cache_find(c, k, &at);
    if (record) {
        memcpy(value, record + sizeof *k, c->size);
        c->used.v[at] = true;
        c->hits++;
    }
    pthread_mutex_unlock(&c->lock);
    return record != NULL;
}

void cache_put(struct cache *c, const struct cache_key *k, const void *value)
{
    char *record = mem_alloc(c->record);
    memcpy(record, k, sizeof *k);
    memcpy(record + sizeof *k, value, c->size);
    uint64_t sum = sum_of(c, record);
    memcpy(record + c->record - 8, &sum, sizeof sum);
    pthread_mutex_lock(&c->lock);
    if ((c->used.n + 1) * c->record + HEAD <= CACHE_FILE)
        cache_add(c, record, true);
    pthread_mutex_unlock(&c->lock);
    free(record);
}
