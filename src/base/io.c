/* Opens and reads files by position; short reads and shrunken files are errors. Also paths, and folder listings in
 * natural order. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/first_size.h"
#include "base/folder.h"
#include "base/held_folders.h"
#include "base/inputs.h"
#include "base/mem.h"
#include "base/msg.h"

/* ---- read failures ---- */

#define SMALL 16384 /* files up to this size are read at once */
#define FAILURES_MAX 1000

static _Thread_local read_failures *gathered;
static _Thread_local bool unimportant;

/* failures of all threads */
static read_failures *kept;
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;

read_failures *read_failures_gather(read_failures *into)
{
    read_failures *before = gathered;
    gathered = into;
    return before;
}

void read_failures_keep(read_failures *into)
{
    kept = into;
}

void read_failures_printed(struct str text)
{
    if (!kept)
        return;
    pthread_mutex_lock(&keeping);
    for (size_t i = 0; i < kept->n; i++)
        kept->v[i].said = kept->v[i].said || str_has(text, kept->v[i].text);
    pthread_mutex_unlock(&keeping);
}

bool read_failures_unimportant(bool from_here)
{
    bool before = unimportant;
    unimportant = from_here;
    return before;
}

int read_failures_error(const read_failures *l, struct err *e)
{
    return err_set(e, ERR_IO, "%s", l->v[0].text);
}

void read_failures_release(read_failures *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->v[i].path);
        free(l->v[i].text);
    }
    vec_release(l);
}

/* Whether an error means that nothing exists there (or the name is impossible); a dangling link does not count. */
static bool path_is_missing(const char *path, int code)
{
    struct stat st;
    return code == ENOTDIR || code == ENAMETOOLONG || (code == ENOENT && lstat(path, &st) != 0);
}

static void add_read_failure(read_failures *l, const struct read_failure *x)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i].path, x->path) == 0)
            return;
    if (l->n < FAILURES_MAX) {
        struct read_failure own = {.path = mem_strdup(x->path), .text = mem_strdup(x->text), .opened = x->opened};
        vec_push(l, own);
    }
}

void read_failures_add(read_failures *into, const read_failures *from)
{
    for (size_t i = 0; i < from->n; i++)
        add_read_failure(into, &from->v[i]);
}

static void record_read_failure(const char *path, const char *text, bool opened)
{
    const struct read_failure x = {.path = (char *)(uintptr_t)path, .text = (char *)(uintptr_t)text, .opened = opened};
    if (gathered)
        add_read_failure(gathered, &x);
    if (!kept || unimportant)
        return;
    pthread_mutex_lock(&keeping);
    add_read_failure(kept, &x);
    pthread_mutex_unlock(&keeping);
}

void read_failures_say(const char *path, const char *text)
{
    record_read_failure(path, text, true);
}

/* Records the failure in errno, which is preserved. */
static void note_read_failure(const char *path, bool opened)
{
    int code = errno;
    struct err why;
    if ((gathered || kept) && !path_is_missing(path, code)) {
        errno = code;
        err_system(&why, path);
        record_read_failure(path, why.text, opened);
    }
    errno = code;
}

void read_failures_note(const char *path)
{
    note_read_failure(path, false);
}

/* stat; a failure is recorded. */
static bool stat_or_note(const char *path, struct stat *st)
{
    if (stat(path, st) == 0)
        return true;
    read_failures_note(path);
    return false;
}

/* ---- files ---- */

/* All reads of a run must see one state of a file: if a file was truncated since it was first opened, that is a read
 * failure. */
static void note_cut(const char *name, const struct stat *st)
{
    struct err why;
    uint64_t had = kept && !unimportant ? first_size(name, st) : 0;
    if ((uint64_t)st->st_size >= had)
        return;
    err_set(&why, ERR_IO, _("%s: size %llu bytes, %llu when first opened"), name,
            (unsigned long long)st->st_size, (unsigned long long)had);
    read_failures_say(name, why.text);
}

/* f takes over fd (or open's failure) if it is a regular file, otherwise fd is closed. The caller opened with
 * O_NONBLOCK, so a FIFO did not block. */
static int adopt_descriptor(struct file *f, int fd, const char *name, struct err *e)
{
    struct stat st;
    if (fd < 0) {
        read_failures_note(name);
        err_system(e, name);
        return -1;
    }
    if (fstat(fd, &st)) {
        read_failures_note(name);
        err_system(e, name);
    } else if (!S_ISREG(st.st_mode)) {
        err_set(e, ERR_IO, _("%s: expected a regular file"), name);
        if (gathered && S_ISDIR(st.st_mode))
            add_read_failure(gathered,
                             &(struct read_failure){.path = (char *)(uintptr_t)name, .text = e->text});
    } else {
        note_cut(name, &st);
        inputs_note(&st);
        *f = (struct file){.fd = fd, .size = (uint64_t)st.st_size, .name = mem_strdup(name)};
        return 0;
    }
    close(fd);
    return -1;
}

/* Most tensor files are small: one read serves all later ones. If it fails, later reads report the error. */
static void hold_small(struct file *f)
{
    char *bytes = f->size && f->size <= SMALL ? mem_alloc((size_t)f->size) : NULL;
    if (bytes && pread(f->fd, bytes, (size_t)f->size, 0) == (ssize_t)f->size)
        f->held = bytes;
    else
        free(bytes);
}

#define FOR_READING (O_RDONLY | O_NONBLOCK | O_CLOEXEC)

/* Retries open after a signal. */
static int open_for_reading(const char *path, int more)
{
    int fd;
    do
        fd = open(path, FOR_READING | more);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int file_open(struct file *f, const char *path, struct err *e)
{
    *f = (struct file){0};
    return adopt_descriptor(f, open_for_reading(path, 0), path, e);
}

void file_close(struct file *f)
{
    for (size_t i = 0; i < f->spans; i++) {
        const struct file_span *s = &f->span[i];
        if (s->fd >= 0 && (i == 0 || f->span[i - 1].fd != s->fd))
            close(s->fd);
        free(s->memory);
    }
    if (f->source)
        f->source->close(f->made_of);
    else if (f->name && !f->span)
        close(f->fd);
    free(f->held);
    free(f->span);
    free(f->name);
    *f = (struct file){0};
}

int file_detach(struct file *f)
{
    int fd = f->fd;
    free(f->held);
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

void file_made(struct file *f, const char *name, uint64_t size, const struct file_source *source, void *of)
{
    *f = (struct file){.fd = -1, .size = size, .name = mem_strdup(name), .source = source, .made_of = of};
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
        if (r < 0) {
            note_read_failure(name, true);
            return err_system(e, name);
        }
        got += (size_t)r;
    }
    return (long)got;
}

/* Index of the span with byte `at` of a joined file; f->spans if there is none. */
static size_t span_at(const struct file *f, uint64_t at)
{
    size_t i;
    lower_bound(i, f->spans, at >= f->span[i].start + f->span[i].size);
    return i;
}

/* A file that now ends earlier than when it was opened counts as unreadable. */
static void note_end(const struct file *f, uint64_t end)
{
    struct err why;
    if (end >= f->size)
        return;
    err_at(&why, f->name, end, "%s", _("end of file; the file was longer when it was opened"));
    read_failures_say(f->name, why.text);
}

long file_read_some(const struct file *f, uint64_t at, void *out, size_t n, struct err *e)
{
    if (f->source)
        return at >= f->size ? 0
                             : f->source->read(f->made_of, at, out, n < f->size - at ? n : (size_t)(f->size - at), e);
    if (f->held && at <= f->size && n <= f->size - at) {
        memcpy(out, f->held + at, n);
        return (long)n;
    }
    if (!f->span) {
        long plain = read_plain(f->fd, f->name, at, out, n, e);
        if (plain >= 0 && (size_t)plain < n)
            note_end(f, at + (uint64_t)plain);
        return plain;
    }
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
                      _("end of file; expected %zu more bytes"), n - (size_t)got);
    return 0;
}

uint64_t file_size_now(const struct file *f)
{
    struct stat st;
    return f->span || f->source || fstat(f->fd, &st) ? f->size : (uint64_t)st.st_size;
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
    if (f->source)
        return;
    if (!f->span)
        (void)posix_fadvise(f->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    for (size_t i = 0; i < f->spans; i++)
        if (f->span[i].fd >= 0)
            (void)posix_fadvise(f->span[i].fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

void file_ahead(const struct file *f, uint64_t at, uint64_t n)
{
    if (f->source)
        return;
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

/* Whether a time stamp is old enough to distinguish a later change: some file systems store whole seconds. */
static bool is_time_settled(const struct timespec *t, time_t now)
{
    return t->tv_sec + 2 < now;
}

bool file_identity(const struct file *f, struct buf *out)
{
    const struct file_span plain = {.fd = f->fd, .size = f->size};
    time_t now = time(NULL);
    if (f->source)
        return false;
    for (size_t i = 0; i < (f->span ? f->spans : 1); i++) {
        const struct file_span *s = f->span ? &f->span[i] : &plain;
        struct stat st;
        if (s->fd < 0 || fstat(s->fd, &st) || !is_time_settled(&st.st_mtim, now) || !is_time_settled(&st.st_ctim, now))
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
        rc = err_set(e, ERR_DATA, _("%s: size %llu bytes, limit for this kind of file %zu bytes"), path,
                     (unsigned long long)f.size, limit);
    } else {
        buf_reserve(out, f.size);
        long got = file_read_some(&f, 0, out->p + out->n, f.size, e);
        if (got < 0) {
            rc = -1;
        } else if ((uint64_t)got < f.size) {
            rc = err_at(e, path, (uint64_t)got, _("end of file; expected %zu more bytes"),
                        (size_t)(f.size - (uint64_t)got));
        } else {
            out->n += (size_t)got;
            out->p[out->n] = 0;
        }
    }
    file_close(&f);
    return rc;
}

/* A lack of memory is not a link that leads nowhere. */
char *path_resolve(const char *path)
{
    char *full = realpath(path, NULL);
    if (!full && errno == ENOMEM)
        mem_failed(PATH_MAX);
    return full;
}

/* Whether a link's target is inside dir. */
static bool resolves_inside(const char *dir, const char *path)
{
    char *root = path_resolve(dir), *end = path_resolve(path);
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
    int folder = held_folder(dir), fd = folder < 0 ? -1 : openat(folder, name, FOR_READING | O_NOFOLLOW);
    if (fd < 0)
        fd = open_for_reading(path.p, O_NOFOLLOW);
    if (fd < 0 && errno == ELOOP) {
        if (resolves_inside(dir, path.p))
            fd = open_for_reading(path.p, 0);
        else
            errno = ELOOP;
    }
    if (fd < 0 && errno == ELOOP)
        rc = err_set(e, ERR_IO, _("%s: link to a place outside the dump; not followed"), path.p);
    else
        rc = adopt_descriptor(f, fd, path.p, e);
    if (rc == 0)
        hold_small(f);
    buf_release(&path);
    return rc;
}

char *path_full(const char *path)
{
    char *full = path_resolve(path);
    if (!full)
        read_failures_note(path);
    return full;
}

int path_look(const char *path, enum path_what *what, struct err *e)
{
    struct stat st;
    if (stat(path, &st) == 0)
        *what = S_ISREG(st.st_mode) ? PATH_FILE : S_ISDIR(st.st_mode) ? PATH_FOLDER : PATH_OTHER;
    else if (errno == ENOENT || errno == ENOTDIR)
        *what = PATH_ABSENT;
    else
        return err_system(e, path);
    return 0;
}

bool path_is_dir(const char *path)
{
    struct stat st;
    return stat_or_note(path, &st) && S_ISDIR(st.st_mode);
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

bool path_same(const char *a, const char *b)
{
    uint64_t x[2], y[2];
    return strcmp(a, b) == 0 ||
           (path_identity(a, x) && path_identity(b, y) && x[0] == y[0] && x[1] == y[1]);
}

bool path_is_file(const char *path)
{
    struct stat st;
    return stat_or_note(path, &st) && S_ISREG(st.st_mode);
}

int path_make(const char *path)
{
    char *p = mem_strdup(path);
    for (size_t i = 1; p[i]; i++)
        if (p[i] == '/') {
            p[i] = 0;
            mkdir(p, 0755);
            p[i] = '/';
        }
    int rc = mkdir(p, 0755) && errno != EEXIST ? -1 : 0, why = errno;
    free(p);
    errno = why;
    return rc;
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

bool path_lies_in(struct str path, struct str folder)
{
    return path.n >= folder.n && memcmp(path.p, folder.p, folder.n) == 0 &&
           (path.n == folder.n || path.p[folder.n] == '/' || (folder.n && folder.p[folder.n - 1] == '/'));
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

struct str path_folder(struct str path)
{
    struct str parent = path_parent(path);
    return parent.n ? parent : STR(".");
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

int dir_list(const char *path, size_t limit, name_list *out, struct err *e)
{
    struct folder f;
    int rc = folder_read(&f, path, limit, e);
    for (size_t i = 0; i < f.entries.n; i++)
        vec_push(out, mem_strdup(f.entries.v[i].name));
    folder_release(&f);
    return rc;
}

void name_list_release(name_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    vec_release(l);
}
