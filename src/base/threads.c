#include "base/threads.h"

#include <pthread.h>

#define MOST 64

void threads_run(int n, void *(*work)(void *ctx), void *ctx)
{
    pthread_t t[MOST - 1];
    int made = 0;
    while (made < n - 1 && made < MOST - 1 && pthread_create(&t[made], NULL, work, ctx) == 0)
        made++;
    work(ctx);
    for (int i = 0; i < made; i++)
        pthread_join(t[i], NULL);
}
