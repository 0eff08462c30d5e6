/* turns TIMES COMMAND… [-- COMMAND…]…: runs the commands one after the other, so many times, so that other load on the
 * machine meets all of them. Prints a line for each: "WALL CPU MEDIAN", its shortest time, and its least and its median
 * processor time (user and system), in seconds. What they write is thrown away. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS = 16, TURNS = 1000 };

static double wall[COMMANDS][TURNS], cpu[COMMANDS][TURNS];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static void run(char **command, double *took, double *used)
{
    struct rusage u;
    int status;
    double from = now();
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        execvp(command[0], command);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &u) < 0) {
        perror(command[0]);
        exit(1);
    }
    *took = now() - from;
    *used = seconds(u.ru_utime) + seconds(u.ru_stime);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    char **command[COMMANDS];
    int times = argc > 2 ? atoi(argv[1]) : 0, commands = 0;
    for (int i = 2, at = 2; i <= argc && times > 0 && commands < COMMANDS; i++)
        if (i == argc || strcmp(argv[i], "--") == 0) {
            argv[i] = NULL;
            command[commands++] = argv + at;
            at = i + 1;
        }
    if (!commands || times > TURNS || !*command[commands - 1]) {
        fprintf(stderr, "usage: turns TIMES COMMAND... [-- COMMAND...]...\n");
        return 2;
    }
    for (int turn = 0; turn < times; turn++)
        for (int i = 0; i < commands; i++)
            run(command[i], &wall[i][turn], &cpu[i][turn]);
    for (int i = 0; i < commands; i++) {
        qsort(wall[i], (size_t)times, sizeof **wall, by_size);
        qsort(cpu[i], (size_t)times, sizeof **cpu, by_size);
        printf("%.6f %.6f %.6f\n", wall[i][0], cpu[i][0], cpu[i][times / 2]);
    }
    return 0;
}
