/* Where an investigation is kept that nobody gave a file. */
#ifndef UI_KEEP_PLACE_H
#define UI_KEEP_PLACE_H

#include <stdbool.h>

struct keep_place {
    char *own;        /* the user's folder of them, NULL: there is none */
    char *reason;     /* why, a sentence */
    /* the folder of the command, for where the user's own cannot be used; NULL: it cannot be written */
    const char *here;
};

/* The user's own folder is made where it is not there. */
void keep_place_look(struct keep_place *p);
void keep_place_release(struct keep_place *p);
/* Whether a folder belongs to a dump: one of the inputs is it, holds it, or is a part (step0, rank1) of the dump it
 * is. */
bool keep_place_is_dump(const char *folder, const char *const input[2]);

#endif
