/* Several processes that compare one job take its pairs of ranks from a list they share (diverge-mpi). The plain
 * program has none. */
#ifndef UI_SHARED_LIST_H
#define UI_SHARED_LIST_H

#include <stdbool.h>

struct shared_list {
    int process, processes;
    int on_node;               /* of them on this one's node */
    long (*next)(void);        /* 0, 1, 2 … over all processes, each once */
    void (*together)(void);    /* waits until every process is here */
    void (*done)(int status);  /* process 0's own: all is written, with this exit status */
    int (*wait_done)(void);    /* of the others: this one took its last pair; until process 0 is done: its status */
    int (*others_done)(void);  /* how many of the others have taken their last pair */
};

extern const struct shared_list *shared_list; /* NULL: this process is alone */

#endif
