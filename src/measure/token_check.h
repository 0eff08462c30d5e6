/* What one recording shows of its own token ids: ids beyond the table of the embedding that takes them, and labels
 * that stand where the ids do although the loss asks for the next one. */
#ifndef MEASURE_TOKEN_CHECK_H
#define MEASURE_TOKEN_CHECK_H

#include "dump/dump.h"

enum label_place {
    LABELS_UNKNOWN,
    LABELS_MOVED,   /* label i is id i + 1 */
    LABELS_IN_PLACE, /* label i is id i */
    LABELS_LIKE_IDS, /* only figures were recorded, and those of the labels are those of the ids */
};

struct token_check {
    uint32_t beyond;     /* the first row of ids beyond the table of its own call, or NONE */
    double low, high;    /* of these ids */
    int64_t words;       /* rows of the first table that a call took ids for; 0: none was recorded with them */
    uint32_t ids, labels; /* rows that `place` is about, or NONE */
    enum label_place place;
};

/* Of a complete dump; reads the elements of ids and labels where their files are there and small. */
void token_check_run(struct token_check *c, const struct dump *d);
/* A sentence on ids beyond the table; NULL: there are none. */
const char *token_check_beyond(const struct token_check *c, struct arena *a);
/* A sentence on labels that were not moved; NULL: they were, or it is unknown. */
const char *token_check_labels(const struct token_check *c, struct arena *a);

#endif
