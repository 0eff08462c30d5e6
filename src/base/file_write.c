/* Writes files atomically: follows links, writes an unnamed file in the same folder, copies permissions, links it
 * under the name and syncs the folder. */
#define _GNU_SOURCE /* O_TMPFILE, AT_EACCESS */
#include "base/file_write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/inputs.h"
#include "base/io.h"
#include "base/mem.h"

#define LINKS_MOST 40
#define BESIDE ".tmp" /* suffix of a temporary name, followed by the process id and a counter if needed */

/* ---- the destination ---- */

char *file_write_place(const char *path)
{
    struct buf at = {0}, next = {0};
    char to[PATH_MAX];
    buf_cstr(&at, path);
    for (int turn = 0; turn < LINKS_MOST; turn++) {
        ssize_t n = readlink(at.p, to, sizeof to - 1);
        if (n < 0 && (errno == EINVAL || errno == ENOENT)) { /* not a link, or absent */
            buf_release(&next);
            return at.p;
        }
        if (n < 0)
            break;
        to[n] = 0;
        struct str folder = path_parent(buf_view(&at));
        buf_clear(&next);
        if (*to != '/' && folder.n)
            buf_fmt(&next, "%.*s/", STR_ARG(folder));
        buf_cstr(&next, to);
        struct buf was = at;
        at = next;
        next = was;
        errno = ELOOP;
    }
    int why = errno;
    buf_release(&at);
    buf_release(&next);
    errno = why;
    return NULL;
}

/* Whether NAME is a temporary name of BASE. */
static bool is_temporary_name(const char *name, struct str base)
{
    size_t n = strlen(BESIDE);
    if (strncmp(name, base.p, base.n) != 0 || strncmp(name + base.n, BESIDE, n) != 0)
        return false;
    const char *number = name + base.n + n;
    return *number && number[strspn(number, "0123456789-")] == 0;
}

/* Removes temporary files of killed programs: a running writer holds a lock, so a file that can be locked is
 * abandoned. */
static void clear_left(const char *place, const char *folder)
{
    DIR *d = opendir(folder);
    struct str base = path_base(str_of(place));
    if (!d)
        return;
    for (struct dirent *it; (it = readdir(d));) {
        struct stat st;
        if (!is_temporary_name(it->d_name, base))
            continue;
        int fd = openat(dirfd(d), it->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(d), it->d_name, 0);
        close(fd);
    }
    closedir(d);
}

/* ---- the temporary file ---- */

static void name_beside(struct file_write *w, int again)
{
    struct buf b = {0};
    buf_fmt(&b, "%s" BESIDE "%ld", w->place, (long)getpid());
    if (again)
        buf_fmt(&b, "-%d", again);
    free(w->beside);
    w->beside = b.p;
}

/* Opens an unnamed file if the file system supports it and this process can link it later. */
static int open_unnamed(struct file_write *w, const char *folder, mode_t mode)
{
    struct buf self = {0};
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (fd < 0)
        return -1;
    buf_fmt(&self, "/proc/self/fd/%d", fd);
    if (access(self.p, F_OK)) {
        close(fd);
        fd = -1;
    }
    w->beside = self.p;
    return fd;
}

static int open_named(struct file_write *w, mode_t mode)
{
    int fd = -1;
    for (int again = 0; again < 100 && fd < 0; again++) {
        name_beside(w, again);
        fd = open(w->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

static int give_name(struct file_write *w)
{
    char *self = mem_strdup(w->beside);
    int why = 0;
    for (int again = 0; again < 100 && w->unnamed; again++) {
        name_beside(w, again);
        w->unnamed = linkat(AT_FDCWD, self, AT_FDCWD, w->beside, AT_SYMLINK_FOLLOW) != 0;
        why = errno;
        if (why != EEXIST)
            break;
    }
    free(self);
    errno = why;
    return w->unnamed ? -1 : 0;
}

static int open_temporary(struct file_write *w)
{
    mode_t mode = w->there ? 0600 : 0666; /* the existing file may not be readable by everybody */
    char *folder = str_dup(path_folder(str_of(w->place)));
    clear_left(w->place, folder);
    w->fd = open_unnamed(w, folder, mode);
    w->unnamed = w->fd >= 0;
    if (!w->unnamed)
        w->fd = open_named(w, mode);
    int why = errno;
    free(folder);
    errno = why;
    if (w->fd < 0)
        return -1;
    flock(w->fd, LOCK_EX | LOCK_NB); /* for clear_left; nobody else can hold it yet */
    return 0;
}

/* ---- begin and end ---- */

static int begin_write(struct file_write *w)
{
    w->place = file_write_place(w->path);
    if (!w->place)
        return -1;
    w->there = stat(w->place, &w->was) == 0;
    if (!w->there)
        return errno == ENOENT ? open_temporary(w) : -1;
    if (S_ISDIR(w->was.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!S_ISREG(w->was.st_mode)) {
        w->straight = true;
        w->fd = open(w->place, O_WRONLY | O_NOCTTY | O_CLOEXEC);
        return w->fd < 0 ? -1 : 0;
    }
    return faccessat(AT_FDCWD, w->place, W_OK, AT_EACCESS) ? -1 : open_temporary(w);
}

int file_write_begin(struct file_write *w, const char *path, struct err *e)
{
    *w = (struct file_write){.fd = -1, .path = mem_strdup(path)};
    if (begin_write(w) == 0)
        return 0;
    err_output(e, path);
    file_write_drop(w);
    return -1;
}

int file_write_add(struct file_write *w, struct str bytes, struct err *e)
{
    size_t done = 0;
    while (done < bytes.n) {
        ssize_t n = write(w->fd, bytes.p + done, bytes.n - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_output(e, w->path);
        done += (size_t)n;
    }
    return 0;
}

/* Copies the permissions. If the group cannot be kept, it gets no more rights than others. */
static int keep_permissions(const struct file_write *w)
{
    struct stat mine;
    mode_t mode = w->was.st_mode & 0777;
    if (!w->there)
        return 0;
    if (fstat(w->fd, &mine))
        return -1;
    bool same = mine.st_uid == w->was.st_uid && mine.st_gid == w->was.st_gid;
    if (!same && fchown(w->fd, w->was.st_uid, w->was.st_gid) && mine.st_gid != w->was.st_gid &&
        fchown(w->fd, (uid_t)-1, w->was.st_gid))
        mode = (mode & ~(mode_t)070) | (mode & 07) << 3;
    return fchmod(w->fd, mode);
}

/* Ignores file systems that cannot sync folders, and folders that cannot be opened. */
static int sync_folder(const char *place)
{
    char *folder = str_dup(path_folder(str_of(place)));
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 ? (errno == EACCES ? 0 : -1) : fsync(fd) && errno != EINVAL ? -1 : 0, why = errno;
    if (fd >= 0)
        close(fd);
    free(folder);
    errno = why;
    return rc;
}

static int put_in_place(struct file_write *w)
{
    if (fsync(w->fd) && !(errno == EINVAL && w->straight))
        return -1;
    if (w->straight)
        return 0;
    struct stat mine;
    if (fstat(w->fd, &mine) == 0)
        inputs_forget(&mine);
    if (keep_permissions(w) || (w->unnamed && give_name(w)) || rename(w->beside, w->place))
        return -1;
    free(w->beside);
    w->beside = NULL; /* the temporary name no longer exists */
    return sync_folder(w->place);
}

int file_write_end(struct file_write *w, struct err *e)
{
    int rc = put_in_place(w) ? err_output(e, w->path) : 0;
    if (rc == 0 && close(w->fd))
        rc = err_output(e, w->path);
    if (rc == 0)
        w->fd = -1;
    file_write_drop(w);
    return rc;
}

void file_write_drop(struct file_write *w)
{
    if (!w->path)
        return;
    if (w->fd >= 0 && w->beside && !w->unnamed)
        unlink(w->beside);
    if (w->fd >= 0)
        close(w->fd);
    free(w->path);
    free(w->place);
    free(w->beside);
    *w = (struct file_write){.fd = -1};
}

int file_replace(const char *path, struct str content, struct err *e)
{
    struct file_write w;
    if (file_write_begin(&w, path, e))
        return -1;
    if (file_write_add(&w, content, e) == 0)
        return file_write_end(&w, e);
    file_write_drop(&w);
    return -1;
}
