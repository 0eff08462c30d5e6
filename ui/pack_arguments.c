/* Unpacks packs among the arguments into temporary folders, and removes these at the end, as well as those left by
 * killed programs. */
#include "ui/pack_arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json_write.h"
#include "base/msg.h"
#include "fmt/pack_read.h"
#include "ui/ending.h"
#include "ui/user_folders.h"

#define PREFIX "diverge-pack-"
#define SUFFIX 6            /* letters and digits of mkdtemp */
#define MARK ".diverge-unpacked" /* in each of these folders, so that no folder of the user's is taken for one */
#define TICKET "ticket.investigation.json"
#define ROOM (512ull << 20) /* largest unpacked size of any pack */
#define ENTRIES 1000000     /* of the folder for temporary files */

static name_list folders; /* of this program, removed when it ends */
static name_list packs;   /* the pack of each */
static name_list tickets; /* the investigations in them; the options point to these names */

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    remove(path);
    return 0;
}

static void remove_folder(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_unpacked(void)
{
    for (size_t i = 0; i < folders.n; i++)
        remove_folder(folders.v[i]);
    name_list_release(&folders);
    name_list_release(&packs);
    name_list_release(&tickets);
}

/* Where temporary files go: TMPDIR, else /tmp, else the user's cache. */
static bool temporary_folder(struct buf *out)
{
    const char *own = getenv("TMPDIR");
    struct err quiet;
    buf_clear(out);
    buf_cstr(out, own && *own == '/' ? own : "/tmp");
    return (path_is_dir(out->p) && access(out->p, W_OK) == 0) ||
           user_folder_made(out, "XDG_CACHE_HOME", ".cache", &quiet) == 0;
}

static int put_mark(const char *folder, struct err *e)
{
    struct buf path = {0};
    path_join(&path, folder, MARK);
    int fd = open(path.p, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int rc = fd < 0 || close(fd) ? err_output(e, path.p) : 0;
    buf_release(&path);
    return rc;
}

static bool is_mine(const char *path, mode_t kind)
{
    struct stat st;
    return lstat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == getuid();
}

/* Whether PROCESS-XXXXXX is that of a process that has ended. */
static bool has_ended(struct str rest)
{
    unsigned long long pid;
    struct str number, suffix;
    return str_split(rest, '-', &number, &suffix) && suffix.n == SUFFIX && str_u64(number, &pid) && pid > 0 &&
           pid <= 1 << 30 && kill((pid_t)pid, 0) && errno == ESRCH;
}

/* Removes what ended processes of this user left: folders PREFIX-PROCESS-XXXXXX with the mark in them. */
static void sweep_ended_folders(const char *dir)
{
    name_list names = {0};
    struct buf path = {0}, mark = {0};
    struct err quiet;
    if (dir_list(dir, ENTRIES, &names, &quiet)) /* too many: left for another time */
        vec_clear(&names);
    for (size_t i = 0; i < names.n; i++) {
        struct str name = str_of(names.v[i]);
        if (!str_starts(name, PREFIX) || !has_ended(str_cut(name, strlen(PREFIX))))
            continue;
        path_join(&path, dir, names.v[i]);
        path_join(&mark, path.p, MARK);
        if (is_mine(path.p, S_IFDIR) && is_mine(mark.p, S_IFREG))
            remove_folder(path.p);
    }
    buf_release(&path);
    buf_release(&mark);
    name_list_release(&names);
}

/* Escaped as in JSON, so that it can be printed anywhere. */
static char *escape_pack_name(const char *name)
{
    struct buf b = {0};
    struct jsonw w;
    jw_init(&w, &b, false);
    jw_str(&w, str_of(name));
    char *own = str_dup(str_n(b.p + 1, b.n - 2));
    buf_release(&b);
    return own;
}

static int unpack_argument(const char *pack, uint64_t room, const char **ticket, struct err *e)
{
    struct buf path = {0};
    if (!temporary_folder(&path)) {
        buf_release(&path);
        return err_set(e, ERR_OUTPUT, "%s", _("no folder to unpack into; set TMPDIR"));
    }
    if (!folders.n)
        sweep_ended_folders(path.p);
    buf_fmt(&path, "/" PREFIX "%ld-XXXXXX", (long)getpid());
    if (!mkdtemp(path.p)) {
        err_output(e, path.p);
        buf_release(&path);
        return -1;
    }
    if (!folders.n)
        atexit(remove_unpacked);
    char *folder = mem_strdup(path.p);
    vec_push(&folders, folder);
    vec_push(&packs, escape_pack_name(pack));
    int rc = put_mark(folder, e) || pack_unpack(pack, folder, room, e) ? -1 : 0;
    buf_cstr(&path, "/" TICKET);
    if (rc == 0 && !path_is_file(path.p))
        rc = err_set(e, ERR_DATA, _("%s: not a pack: expected %s in it"), pack, TICKET);
    vec_push(&tickets, path.p);
    *ticket = path.p;
    return rc;
}

int pack_arguments_unpack(struct options *o, struct err *e)
{
    uint64_t room = o->pack_limit > ROOM / 2 ? o->pack_limit * 2 : ROOM;
    for (int i = 0; i < o->args; i++) {
        if (!pack_is(o->arg[i]))
            continue;
        ending_catch(NULL); /* so that a signal removes the folder */
        o->packed = o->arg[i];
        if (unpack_argument(o->packed, room, &o->arg[i], e))
            return -1;
    }
    return ending_signal() ? err_set(e, ERR_CANCEL, "%s", _("interrupted")) : 0;
}

void pack_arguments_names(struct str text, struct buf *out)
{
    if (!folders.n) {
        buf_str(out, text);
        return;
    }
    while (text.n) {
        size_t i = 0;
        while (i < folders.n && !str_starts(text, folders.v[i]))
            i++;
        size_t n = i < folders.n ? strlen(folders.v[i]) : 1;
        buf_str(out, i < folders.n ? str_of(packs.v[i]) : str_n(text.p, 1));
        text = str_cut(text, n);
    }
}
