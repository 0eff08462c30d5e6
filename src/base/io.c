/* Files opened, read by position and replaced in one piece, with short reads and files that shrink as errors; paths,
 * and folders listed in order. */
#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/msg.h"

/* fd (or open's failure) becomes f's when it is a regular file; else it is closed. O_NONBLOCK kept a
 * FIFO from hanging us. */
static int adopt(struct file *f, int fd, const char *name, struct err *e)
{
    struct stat st;
    if (fd < 0) {
        err_system(e, name);
        return -1;
    }
    if (fstat(fd, &st)) {
        err_system(e, name);
    } else if (!S_ISREG(st.st_mode)) {
        err_set(e, ERR_IO, _("%s: expected a regular file"), name);
    } else {
        *f = (struct file){.fd = fd, .size = (uint64_t)st.st_size, .name = mem_strdup(name)};
        return 0;
    }
    close(fd);
    return -1;
}

int file_open(struct file *f, const char *path, struct err *e)
{
    *f = (struct file){0};
    return adopt(f, open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), path, e);
}

void file_close(struct file *f)
{
    for (size_t i = 0; i < f->spans; i++) {
        const struct file_span *s = &f->span[i];
        if (s->fd >= 0 && (i == 0 || f->span[i - 1].fd != s->fd))
            close(s->fd);
        free(s->memory);
    }
    if (f->name && !f->span)
        close(f->fd);
    free(f->span);
    free(f->name);
    *f = (struct file){0};
}

int file_detach(struct file *f)
{
    int fd = f->fd;
    free(f->name);
    *f = (struct file){0};
    return fd;
}

void file_join(struct file *f, const char *name, const struct file_span *span, size_t n)
{
    *f = (struct file){.fd = -1, .name = mem_strdup(name), .spans = n};
    f->span = mem_resize_array(NULL, n ? n : 1, sizeof *f->span);
    for (size_t i = 0; i < n; i++) {
        f->span[i] = span[i];
        f->span[i].start = f->size;
        f->size += span[i].size;
    }
}

static long read_plain(int fd, const char *name, uint64_t at, char *out, size_t n, struct err *e)
{
    size_t got = 0;
    while (got < n) {
        ssize_t r = pread(fd, out + got, n - got, (off_t)(at + got));
        if (r == 0)
            break;
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return err_system(e, name);
        got += (size_t)r;
    }
    return (long)got;
}

/* The span that holds byte `at` of a joined file; spans when none does. */
static size_t span_at(const struct file *f, uint64_t at)
{
    size_t low = 0, high = f->spans;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (at >= f->span[mid].start + f->span[mid].size)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

long file_read_some(const struct file *f, uint64_t at, void *out, size_t n, struct err *e)
{
    if (!f->span)
        return read_plain(f->fd, f->name, at, out, n, e);
    size_t got = 0;
    for (size_t i = span_at(f, at); got < n && i < f->spans; i++) {
        const struct file_span *s = &f->span[i];
        uint64_t from = at + got - s->start, left = s->size - from;
        size_t part = left < n - got ? (size_t)left : n - got;
        long r = (long)part;
        if (s->fd < 0)
            memcpy((char *)out + got, s->memory + s->at + from, part);
        else
            r = read_plain(s->fd, f->name, s->at + from, (char *)out + got, part, e);
        if (r < 0)
            return -1;
        got += (size_t)r;
        if ((size_t)r < part)
            break;
    }
    return (long)got;
}

int file_read(const struct file *f, uint64_t at, void *out, size_t n, struct err *e)
{
    long got = file_read_some(f, at, out, n, e);
    if (got < 0)
        return -1;
    if ((size_t)got < n)
        return err_at(e, f->name, at + (uint64_t)got,
                      _("the file ends here; %zu more bytes were expected"), n - (size_t)got);
    return 0;
}

struct str file_head(const char *path, char *out, size_t n)
{
    struct file f;
    struct err quiet;
    if (file_open(&f, path, &quiet))
        return (struct str){0};
    long got = file_read_some(&f, 0, out, n, &quiet);
    file_close(&f);
    return str_n(out, got > 0 ? (size_t)got : 0);
}

void file_sequential(const struct file *f)
{
    if (!f->span)
        (void)posix_fadvise(f->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    for (size_t i = 0; i < f->spans; i++)
        if (f->span[i].fd >= 0)
            (void)posix_fadvise(f->span[i].fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

void file_ahead(const struct file *f, uint64_t at, uint64_t n)
{
    if (!f->span)
        (void)posix_fadvise(f->fd, (off_t)at, (off_t)n, POSIX_FADV_WILLNEED);
    for (size_t i = f->span ? span_at(f, at) : 0; n && i < f->spans; i++) {
        const struct file_span *s = &f->span[i];
        uint64_t from = at - s->start, part = s->size - from < n ? s->size - from : n;
        if (s->fd >= 0)
            (void)posix_fadvise(s->fd, (off_t)(s->at + from), (off_t)part, POSIX_FADV_WILLNEED);
        at += part;
        n -= part;
    }
}

/* Clocks of file systems are coarse, some to a second. */
static bool settled(const struct timespec *t, time_t now)
{
    return t->tv_sec + 2 < now;
}

bool file_identity(const struct file *f, struct buf *out)
{
    const struct file_span plain = {.fd = f->fd, .size = f->size};
    time_t now = time(NULL);
    for (size_t i = 0; i < (f->span ? f->spans : 1); i++) {
        const struct file_span *s = f->span ? &f->span[i] : &plain;
        struct stat st;
        if (s->fd < 0 || fstat(s->fd, &st) || !settled(&st.st_mtim, now) || !settled(&st.st_ctim, now))
            return false;
        const uint64_t id[] = {
            (uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec,
            (uint64_t)st.st_mtim.tv_nsec, (uint64_t)st.st_ctim.tv_sec, (uint64_t)st.st_ctim.tv_nsec, s->at, s->size,
        };
        buf_add(out, id, sizeof id);
    }
    return true;
}

int file_slurp(const char *path, size_t limit, struct buf *out, struct err *e)
{
    struct file f;
    if (file_open(&f, path, e))
        return -1;
    int rc = 0;
    if (f.size > limit) {
        rc = err_set(e, ERR_DATA, _("%s: %llu bytes; at most %zu are read of such a file"), path,
                     (unsigned long long)f.size, limit);
    } else {
        buf_reserve(out, f.size);
        long got = file_read_some(&f, 0, out->p + out->n, f.size, e);
        if (got < 0)
            rc = -1;
        else {
            out->n += (size_t)got;
            out->p[out->n] = 0;
        }
    }
    file_close(&f);
    return rc;
}

/* Whether the end of a link lies below dir. */
static bool inside(const char *dir, const char *path)
{
    char *root = realpath(dir, NULL), *end = realpath(path, NULL);
    size_t n = root ? strlen(root) : 0;
    bool ok = root && end && strncmp(root, end, n) == 0 && (end[n] == '/' || (n && root[n - 1] == '/'));
    free(root);
    free(end);
    return ok;
}

int file_open_inside(struct file *f, const char *dir, const char *name, struct err *e)
{
    *f = (struct file){0};
    if (!*name || strchr(name, '/') || strcmp(name, "..") == 0 || strcmp(name, ".") == 0)
        return err_set(e, ERR_DATA, _("\"%s\" is not a file name inside %s; it was not opened"), name,
                       dir);
    struct buf path = {0};
    path_join(&path, dir, name);
    int rc;
    int fd = open(path.p, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ELOOP) {
        if (inside(dir, path.p))
            fd = open(path.p, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        else
            errno = ELOOP;
    }
    if (fd < 0 && errno == ELOOP)
        rc = err_set(e, ERR_IO, _("%s: a link that leaves the dump; it was not followed"), path.p);
    else
        rc = adopt(f, fd, path.p, e);
    buf_release(&path);
    return rc;
}

int file_create_beside(const char *path, struct buf *name)
{
    buf_clear(name);
    buf_fmt(name, "%s.tmp%ld", path, (long)getpid());
    unlink(name->p);
    return open(name->p, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

int file_replace(const char *path, struct str content, struct err *e)
{
    struct buf tmp = {0};
    int fd = file_create_beside(path, &tmp), rc = -1;
    if (fd < 0) {
        err_system(e, tmp.p);
    } else {
        size_t done = 0;
        while (done < content.n) {
            ssize_t w = write(fd, content.p + done, content.n - done);
            if (w < 0 && errno == EINTR)
                continue;
            if (w < 0)
                break;
            done += (size_t)w;
        }
        bool ok = done == content.n && fsync(fd) == 0;
        if (close(fd))
            ok = false;
        if (ok && rename(tmp.p, path) == 0) {
            rc = 0;
        } else {
            err_system(e, path);
            unlink(tmp.p);
        }
    }
    buf_release(&tmp);
    return rc;
}

bool path_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool path_changed(const char *path, uint64_t stamp[2])
{
    struct stat st;
    if (stat(path, &st))
        return false;
    stamp[0] = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
    stamp[1] = (uint64_t)st.st_size;
    return true;
}

bool path_identity(const char *path, uint64_t id[2])
{
    struct stat st;
    if (stat(path, &st))
        return false;
    id[0] = (uint64_t)st.st_dev;
    id[1] = (uint64_t)st.st_ino;
    return true;
}

bool path_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

void path_make(const char *path)
{
    char *p = mem_strdup(path);
    for (size_t i = 1; p[i]; i++)
        if (p[i] == '/') {
            p[i] = 0;
            mkdir(p, 0755);
            p[i] = '/';
        }
    mkdir(p, 0755);
    free(p);
}

void path_join(struct buf *out, const char *dir, const char *name)
{
    buf_clear(out);
    buf_cstr(out, dir);
    if (out->n && out->p[out->n - 1] != '/')
        buf_char(out, '/');
    buf_cstr(out, name);
}

static struct str no_slash(struct str path)
{
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    return path;
}

struct str path_base(struct str path)
{
    path = no_slash(path);
    ptrdiff_t at = str_rfind(path, '/');
    return at < 0 ? path : str_cut(path, (size_t)at + 1);
}

struct str path_parent(struct str path)
{
    path = no_slash(path);
    ptrdiff_t at = str_rfind(path, '/');
    if (at < 0 || path.n == 1)
        return str_n(path.p, 0);
    return no_slash(str_n(path.p, at ? (size_t)at : 1));
}

int name_cmp(const char *a, const char *b)
{
    while (*a && *b) {
        if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
            while (*a == '0')
                a++;
            while (*b == '0')
                b++;
            size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
            if (n != m)
                return n < m ? -1 : 1;
            int c = strncmp(a, b, n);
            if (c)
                return c;
            a += n;
            b += m;
        } else {
            if (*a != *b)
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
        }
    }
    return *a ? 1 : *b ? -1 : 0;
}

static int by_name(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int c = name_cmp(x, y);
    return c ? c : strcmp(x, y);
}

int dir_list(const char *path, size_t limit, name_list *out, struct err *e)
{
    DIR *d = opendir(path);
    if (!d)
        return err_system(e, path);
    int rc = 0;
    for (struct dirent *it; (it = readdir(d));) {
        if (strcmp(it->d_name, ".") == 0 || strcmp(it->d_name, "..") == 0)
            continue;
        if (out->n >= limit) {
            rc = err_set(e, ERR_DATA, _("%s: more than %zu entries"), path, limit);
            break;
        }
        vec_push(out, mem_strdup(it->d_name));
    }
    closedir(d);
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_name);
    return rc;
}

void name_list_release(name_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    vec_release(l);
}
