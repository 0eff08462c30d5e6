/* Runs a program of the environment ($EDITOR, $PAGER) in the foreground of the terminal, and restores the terminal
 * afterwards. */
#include "ui/external_tool.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

const char *external_tool_named(const char *const *names, const char *otherwise)
{
    for (; *names; names++) {
        const char *tool = getenv(*names);
        if (tool && *tool)
            return tool;
    }
    return otherwise;
}

/* While a tool runs, Ctrl-C goes to it, and Ctrl-Z stops both, because otherwise the shell would not get the terminal
 * back. */
struct manners {
    struct sigaction interrupt, stop;
    sigset_t mask;
};

static void step_back(struct manners *m)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, usual = {.sa_handler = SIG_DFL};
    sigset_t stop;
    sigaction(SIGINT, &ignore, &m->interrupt);
    sigaction(SIGTSTP, &usual, &m->stop);
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &stop, &m->mask);
}

static void step_forward(const struct manners *m)
{
    pthread_sigmask(SIG_SETMASK, &m->mask, NULL);
    sigaction(SIGTSTP, &m->stop, NULL);
    sigaction(SIGINT, &m->interrupt, NULL);
}

int external_tool_run(const char *tool, const char *arg, const char *file)
{
    /* a name of a dump that begins with "+" or "-" would be an option or a command to the tool */
    char *copy = mem_strdup(tool), *argv[12], *rest = NULL, *plain = mem_alloc(strlen(file) + 3);
    struct manners m;
    int n = 0, status = 0;
    bool path = strchr(tool, '/') && access(tool, X_OK) == 0; /* blanks and all */
    if (path)
        argv[n++] = copy;
    for (char *word = path ? NULL : strtok_r(copy, " ", &rest); word && n < 9; word = strtok_r(NULL, " ", &rest))
        argv[n++] = word;
    if (arg)
        argv[n++] = (char *)(uintptr_t)arg;
    sprintf(plain, "%s%s", file[0] == '/' ? "" : "./", file);
    argv[n++] = plain;
    argv[n] = NULL;
    fflush(stdout);
    step_back(&m);
    pid_t p = fork();
    if (p == 0) {
        sigset_t none;
        sigemptyset(&none);
        signal(SIGINT, SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvp(argv[0], argv);
        _exit(TOOL_MISSING);
    }
    while (p > 0 && waitpid(p, &status, 0) < 0 && errno == EINTR)
        continue;
    step_forward(&m);
    free(copy);
    free(plain);
    if (p < 0)
        return TOOL_MISSING;
    return WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 1;
}
