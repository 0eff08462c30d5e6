/* The place for investigations without a file given by the user. */
#ifndef UI_KEEP_PLACE_H
#define UI_KEEP_PLACE_H

#include <stdbool.h>

struct keep_place {
    char *own;        /* the user's folder of investigations; NULL: not available */
    char *reason;     /* the reason, as a sentence */
    /* the working folder, used if the user's own is not available; NULL: it is not writable */
    const char *here;
};

/* Creates the user's folder if it is missing. */
void keep_place_look(struct keep_place *p);
void keep_place_release(struct keep_place *p);
/* Whether a folder belongs to a dump: it is or contains one of the inputs, or is a part (step0, rank1) of an input. */
bool keep_place_is_dump(const char *folder, const char *const input[2]);

#endif
