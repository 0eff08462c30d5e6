/* idle PROGRAM TARGET GOLDEN: processor time the program takes while nobody does anything, and bytes
 * that reach the terminal for one line of scrolling and for one page, keys pressed fast. */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int master;

/* Takes what comes until it has been quiet so long; the bytes. */
static size_t drain(int quiet_ms)
{
    char chunk[65536];
    size_t n = 0;
    struct pollfd p = {master, POLLIN, 0};
    while (poll(&p, 1, quiet_ms) > 0) {
        ssize_t got = read(master, chunk, sizeof chunk);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    return n;
}

static double cpu_ms(pid_t pid)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    if (!fgets(text, sizeof text, f))
        text[0] = 0;
    fclose(f);
    char *rest = strrchr(text, ')');
    if (rest)
        sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    return 1000.0 * (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static size_t keys(const char *key, int times)
{
    size_t n = 0;
    for (int i = 0; i < times; i++) {
        if (write(master, key, strlen(key)) < 0)
            break;
        n += drain(40); /* as fast as a key repeats */
    }
    return n / (size_t)times;
}

int main(int argc, char **argv)
{
    struct winsize size = {.ws_row = 40, .ws_col = 120};
    if (argc < 4)
        return 2;
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("XDG_STATE_HOME", "/nonexistent", 1);
    pid_t pid = forkpty(&master, NULL, NULL, &size);
    if (pid == 0) {
        execl(argv[1], argv[1], argv[2], argv[3], (char *)NULL);
        _exit(127);
    }
    drain(3000);
    if (write(master, "gjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj", 36) < 0)
        return 1;
    drain(500);
    double before = cpu_ms(pid);
    sleep(3);
    printf("idle_cpu_ms_a_second %.2f\n", (cpu_ms(pid) - before) / 3);
    printf("bytes_a_line %zu\n", keys("j", 30));
    drain(500);
    printf("bytes_a_page %zu\n", keys("\033[6~", 8));
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    return 0;
}
