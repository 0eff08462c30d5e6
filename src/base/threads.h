/* One piece of work by several threads: each takes from it until nothing is left. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

/* Runs work(ctx) on this thread and on up to n - 1 others (64 in all; fewer where the system gives no
 * more), and returns when all have returned. */
void threads_run(int n, void *(*work)(void *ctx), void *ctx);

#endif
