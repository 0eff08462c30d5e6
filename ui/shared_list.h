/* A list from which several processes of one job take pairs of ranks (diverge-mpi). The plain program has none. */
#ifndef UI_SHARED_LIST_H
#define UI_SHARED_LIST_H

#include <stdbool.h>

struct shared_list {
    int process, processes;
    int on_node;               /* of them on this one's node */
    long (*next)(void);        /* 0, 1, 2 …, each number once over all processes */
    void (*together)(void);    /* waits until every process is here */
    void (*done)(int status);  /* for process 0: everything is written, with this exit status */
    int (*wait_done)(void);    /* for the others, after their last pair: waits for process 0 and returns its status */
    int (*others_done)(void);  /* how many of the others have taken their last pair */
};

extern const struct shared_list *shared_list; /* NULL: this process is alone */

#endif
