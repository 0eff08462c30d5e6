/* Runs a program of the environment ($EDITOR, $PAGER) in the foreground of the terminal, and restores the terminal
 * afterwards. */
#define _GNU_SOURCE /* execvpe, environ */
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

static void yield_terminal(struct manners *m)
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

/* In the foreground, until it ends. */
static int run_in_foreground(char **argv, char **environment)
{
    struct manners m;
    int status = 0;
    fflush(stdout);
    yield_terminal(&m);
    pid_t p = fork();
    if (p == 0) {
        sigset_t none;
        sigemptyset(&none);
        signal(SIGINT, SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvpe(argv[0], argv, environment);
        _exit(TOOL_MISSING);
    }
    while (p > 0 && waitpid(p, &status, 0) < 0 && errno == EINTR)
        continue;
    step_forward(&m);
    if (p < 0)
        return TOOL_MISSING;
    return WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 1;
}

int external_tool_run(const char *tool, const char *arg, const char *file)
{
    /* a name of a dump that begins with "+" or "-" would be an option or a command to the tool */
    char *copy = mem_strdup(tool), *argv[12], *rest = NULL, *plain = mem_alloc(strlen(file) + 3);
    int n = 0;
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
    int status = run_in_foreground(argv, environ);
    free(copy);
    free(plain);
    return status;
}

int external_tool_shell(const char *text, char *const *more)
{
    char *argv[] = {(char *)(uintptr_t)"/bin/sh", (char *)(uintptr_t)"-c", (char *)(uintptr_t)text, NULL};
    size_t own = 0, added = 0;
    while (environ[own])
        own++;
    while (more[added])
        added++;
    char **all = mem_alloc((own + added + 1) * sizeof *all);
    memcpy(all, more, added * sizeof *all); /* the first of a name counts */
    memcpy(all + added, environ, own * sizeof *all);
    all[added + own] = NULL;
    int status = run_in_foreground(argv, all);
    free(all);
    return status;
}
