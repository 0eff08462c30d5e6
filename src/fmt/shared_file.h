/* Recordings of several steps and ranks that share a text file, a line one of them: which there are, and between which
 * lines each lies, so that none is read to open another. */
#ifndef FMT_SHARED_FILE_H
#define FMT_SHARED_FILE_H

#include "base/lines.h"
#include "dump/reader.h"

struct shared_file {
    const struct reader *reader;
    const char *path;
    uint32_t most;   /* recordings beyond are left out */
    place_list *out; /* one more a recording */
    struct nmap seen;
    uint32_t n;
    size_t last; /* place of the latest line that has one */
};

/* The line that `l` returned last is of this recording. */
void shared_file_line(struct shared_file *x, const struct lines *l, int step, int rank);
/* It is damaged: it is read with the recording before it, or with the first one, which says so. */
void shared_file_damaged(struct shared_file *x, const struct lines *l);
/* Opens the lines among which those of the dump are. */
int shared_file_open(struct lines *l, const struct dump *d, size_t longest, struct err *e);

#endif
