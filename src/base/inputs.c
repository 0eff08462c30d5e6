/* Keeps what the program reads: a set of devices and inodes, and a short list of folders. */
#include "base/inputs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/map.h"

static struct {
    pthread_mutex_t lock;
    atomic_bool on;
    struct nmap files; /* enum input_how by a hash of device and inode */
    name_list folders; /* resolved */
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool paused;

void inputs_keep(void)
{
    atomic_store(&kept.on, true);
}

bool inputs_pause(bool from_here)
{
    bool was = paused;
    paused = from_here;
    return was;
}

static uint64_t file_identity_key(const struct stat *st)
{
    const uint64_t id[2] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
    return hash_bytes(id, sizeof id, 0);
}

static void set_input_how(const struct stat *st, enum input_how how)
{
    if (!atomic_load(&kept.on))
        return;
    pthread_mutex_lock(&kept.lock);
    nmap_set(&kept.files, file_identity_key(st), how);
    pthread_mutex_unlock(&kept.lock);
}

void inputs_note(const struct stat *st)
{
    if (!paused && inputs_has(st) == INPUT_NOT)
        set_input_how(st, INPUT_OPENED);
}

void inputs_forget(const struct stat *st)
{
    set_input_how(st, INPUT_NOT);
}

enum input_how inputs_has(const struct stat *st)
{
    pthread_mutex_lock(&kept.lock);
    uint32_t how = nmap_get(&kept.files, file_identity_key(st));
    pthread_mutex_unlock(&kept.lock);
    return how == MAP_NONE ? INPUT_NOT : (enum input_how)how;
}

void inputs_name(const char *path)
{
    struct stat st;
    bool known = false;
    if (!atomic_load(&kept.on) || stat(path, &st))
        return;
    if (S_ISREG(st.st_mode))
        set_input_how(&st, INPUT_NAMED);
    char *full = S_ISDIR(st.st_mode) ? path_resolve(path) : NULL;
    if (!full)
        return;
    pthread_mutex_lock(&kept.lock);
    for (size_t i = 0; i < kept.folders.n; i++)
        known = known || strcmp(kept.folders.v[i], full) == 0;
    if (known)
        free(full);
    else
        vec_push(&kept.folders, full);
    pthread_mutex_unlock(&kept.lock);
}

bool inputs_part(struct str name)
{
    unsigned long long n;
    return (str_starts(name, "step") || str_starts(name, "rank")) && str_u64(str_cut(name, 4), &n);
}

bool inputs_belongs(struct str folder, struct str recording)
{
    struct str rest = recording;
    if (path_lies_in(folder, recording))
        return true;
    if (!path_lies_in(recording, folder))
        return false;
    rest = str_cut(rest, folder.n + (folder.n > 1));
    return inputs_part(str_next(&rest, '/'));
}

const char *inputs_folder_of(const char *path)
{
    char *name = str_dup(path_folder(str_of(path))), *full = path_resolve(name);
    const char *found = NULL;
    pthread_mutex_lock(&kept.lock);
    for (size_t i = 0; full && i < kept.folders.n && !found; i++)
        if (inputs_belongs(str_of(full), str_of(kept.folders.v[i])))
            found = kept.folders.v[i];
    pthread_mutex_unlock(&kept.lock);
    free(name);
    free(full);
    return found;
}
