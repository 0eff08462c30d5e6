/* diverge-mpi: the program as several processes under MPI, which take pairs of ranks from a shared list. The list is
 * a counter in process 0; results are exchanged as files in a shared folder. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "ui/shared_list.h"

#define LOOK_NS (20 * 1000 * 1000)

int diverge_main(int argc, char **argv);

/* The counters of process 0. */
enum { NEXT_PAIR, OTHERS_DONE, END, WORDS };

static MPI_Win window;
static long *words; /* of process 0 */
static bool lost;   /* a process was lost: MPI cannot be finalised normally */

static long fetch_and_add(int word, long add)
{
    long was = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&add, &was, MPI_LONG, 0, word, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    return was;
}

static long next_pair(void)
{
    return fetch_and_add(NEXT_PAIR, 1);
}

static void wait_for_all(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static int others_done(void)
{
    return (int)fetch_and_add(OTHERS_DONE, 0);
}

/* Ends: 1 + status, plus 1000 if a process was lost. */
static void end_process(int status)
{
    int all;
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    struct timespec pause = {0, LOOK_NS};
    for (int i = 0; i < 50 && others_done() < all - 1; i++) /* the last one may still be ending */
        nanosleep(&pause, NULL);
    lost = others_done() < all - 1;
    fetch_and_add(END, 1 + status + (lost ? 1000 : 0));
}

static int wait_done(void)
{
    struct timespec pause = {0, LOOK_NS};
    long end;
    fetch_and_add(OTHERS_DONE, 1);
    while ((end = fetch_and_add(END, 0)) == 0)
        nanosleep(&pause, NULL);
    lost = end > 1000;
    return (int)((end - 1) % 1000);
}

int main(int argc, char **argv)
{
    static struct shared_list list = {
        .next = next_pair, .together = wait_for_all, .done = end_process, .wait_done = wait_done, .others_done = others_done};
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &list.process);
    MPI_Comm_size(MPI_COMM_WORLD, &list.processes);
    MPI_Comm node;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, list.process, MPI_INFO_NULL, &node) == MPI_SUCCESS) {
        MPI_Comm_size(node, &list.on_node);
        MPI_Comm_free(&node);
    }
    MPI_Aint bytes = list.process == 0 ? WORDS * (MPI_Aint)sizeof *words : 0;
    MPI_Win_allocate(bytes, sizeof *words, MPI_INFO_NULL, MPI_COMM_WORLD, &words, &window);
    for (int i = 0; i < WORDS && list.process == 0; i++)
        words[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (list.processes > 1)
        shared_list = &list;
    int status = diverge_main(argc, argv);
    fflush(NULL);
    if (lost) /* MPI_Finalize would wait for all of them */
        _exit(status);
    MPI_Win_free(&window);
    MPI_Finalize();
    return status;
}
