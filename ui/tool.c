#include "ui/tool.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

const char *tool_named(const char *const *names, const char *otherwise)
{
    for (; *names; names++) {
        const char *tool = getenv(*names);
        if (tool && *tool)
            return tool;
    }
    return otherwise;
}

int tool_run(const char *tool, const char *arg, const char *file)
{
    char *copy = mem_strdup(tool), *argv[12], *rest = NULL;
    int n = 0, status = 0;
    for (char *word = strtok_r(copy, " ", &rest); word && n < 9; word = strtok_r(NULL, " ", &rest))
        argv[n++] = word;
    if (arg)
        argv[n++] = (char *)(uintptr_t)arg;
    argv[n++] = (char *)(uintptr_t)file;
    argv[n] = NULL;
    fflush(stdout);
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
    free(copy);
    if (p < 0)
        return TOOL_MISSING;
    return WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 1;
}
