/* The files below a folder that contain a log, and of which kind each is. */
#ifndef LOG_LOG_SEARCH_H
#define LOG_LOG_SEARCH_H

#include "log/series_builder.h"

#define LOG_PROBE_BYTES (8u << 20) /* where a log must have its first record */

struct log_candidate {
    const char *path; /* in the arena */
    int kind, rank;
    char stamp[20];
    uint64_t size;
};

struct log_search {
    struct arena arena;
    VEC(struct log_candidate) found;
    size_t entries;
    uint64_t probed; /* bytes */
    bool first_only;
    const atomic_bool *cancel; /* may be NULL */
    read_failures failed; /* of what may be a log */
};

/* The kind whose record is the first in the file, or -1. At most `limit` bytes are examined; `used` grows by how many
 * were, and is NULL if a user named the file: lines of no known tool then need fewer signs of being a log. `stamp` (may
 * be NULL) gets the time of the first record. `cancel` may be NULL. */
int log_sniff(const struct file *f, char stamp[20], uint64_t limit, uint64_t *used, const atomic_bool *cancel);
int log_rank_of(const char *path);
/* All zero but for first_only and cancel at first. */
void log_search_in(struct log_search *s, const char *dir);
void log_search_release(struct log_search *s);
bool log_candidate_is(const struct log_candidate *c, const char *name);
/* The kind of log that is the run of the folder; NULL: it contains none. */
const char *log_search_chosen(const struct log_search *s, bool tensorboard);

#endif
