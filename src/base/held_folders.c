/* Keeps the two folders a thread last opened files in: those of both sides of a comparison. */
#include "base/held_folders.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

struct held_folder {
    char *path; /* owned; NULL: none */
    int fd;
};

static _Thread_local struct held_folder held[2];
static _Thread_local bool holding;

static void close_held_folder(struct held_folder *h)
{
    if (h->path)
        close(h->fd);
    free(h->path);
    h->path = NULL;
}

void held_folders_begin(void)
{
    holding = true;
}

void held_folders_end(void)
{
    holding = false;
    for (size_t i = 0; i < ARRAY_LEN(held); i++)
        close_held_folder(&held[i]);
}

int held_folder(const char *path)
{
    for (size_t i = 0; i < ARRAY_LEN(held); i++)
        if (held[i].path && strcmp(held[i].path, path) == 0)
            return held[i].fd;
    int fd = holding ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0)
        return -1;
    close_held_folder(&held[1]); /* the older one */
    held[1] = held[0];
    held[0] = (struct held_folder){mem_strdup(path), fd};
    return fd;
}
