/* Reads the investigation file and writes its text, locks it against other programs, and finds inputs that have
 * moved. */
#include "ticket/investigation.h"
#include "ticket/investigation_members.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file_write.h"
#include "base/io.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/json_read.h"
#include "base/json_tree.h"
#include "base/tool.h"


void investigation_init(struct investigation *v)
{
    *v = (struct investigation){.step = {-1, -1}, .rank = {-1, -1}, .cursor = {"", ""}, .columns = "", .typed = "",
                                .filtered = "", .author = "", .lock = -1};
    thresholds_init(&v->tol);
}


void investigation_release(struct investigation *v)
{
    record_release_lists(investigation_members, v);
    vec_release(&v->other_limits);
    accepted_release(&v->known);
    investigation_let_go(v);
    arena_release(&v->arena);
    investigation_init(v);
}

const char *investigation_keep(struct investigation *v, const char *s)
{
    return arena_cstr(&v->arena, str_of(s));
}

bool investigation_is(const char *path)
{
    enum path_what what;
    struct err quiet; /* who reads it learns why it cannot be examined, or that it is a pipe */
    if (!str_ends(str_of(path), INVESTIGATION_ENDING)) return false;
    return path_look(path, &what, &quiet) || what == PATH_FILE || what == PATH_OTHER;
}

/* What the table of members does not cover: which finding has the evidence, the numbers of rounds, what can be
 * examined. */
static void settle_members(struct investigation *v)
{
    findings_settle(&v->findings);
    for (size_t i = 0; i < v->rounds.n; i++)
        v->rounds.v[i].number = (uint32_t)i + 1;
    if (!(v->plot.from >= 0 && v->plot.to <= 1 && v->plot.to > v->plot.from))
        v->plot.from = v->plot.to = 0;
}

/* Members of the table's, over what v holds. */
static void read_members(struct investigation *v, const struct member *table, cJSON *root)
{
    cJSON *o = json_member(root, "investigation");
    if (v->pack) /* absolute paths of others would lead outside the pack, and our own name the machine it was made on */
        cJSON_DeleteItemFromObjectCaseSensitive(o, "remaps");
    record_read(table, o, &v->arena, v);
    settle_members(v);
}

/* Parses the text as an investigation; v records whether a newer version wrote it. */
static cJSON *parse_root(struct investigation *v, struct str text, const char *name, struct err *e)
{
    cJSON *root = json_text(text, name, e);
    if (!root)
        return NULL;
    const cJSON *schema = json_member(root, "schema");
    const cJSON *o = json_member(root, "investigation");
    bool newer = cJSON_IsNumber(schema) && schema->valueint > INVESTIGATION_SCHEMA; /* its types are its own */
    int rc = 0;
    if (!cJSON_IsNumber(schema) || schema->valueint < 1 || !o)
        rc = err_set(e, ERR_DATA, _("%s: not an investigation: expected \"schema\" and \"investigation\""), name);
    else if (!newer && !cJSON_IsObject(o))
        rc = err_set(e, ERR_DATA, _("%s: \"%s\": expected %s, found %s"), name, "investigation", _("an object"),
                     json_kind(o));
    else if (!newer)
        rc = record_check(investigation_members, o, name, e);
    v->read_only = v->read_only || newer;
    if (rc)
        cJSON_Delete(root);
    return rc ? NULL : root;
}

int investigation_parse(struct investigation *v, struct str text, const char *name, struct err *e)
{
    cJSON *root = parse_root(v, text, name, e);
    if (!root)
        return -1;
    read_members(v, investigation_members, root);
    cJSON_Delete(root);
    return 0;
}

/* Reads the members in the table. */
static int read_investigation_file(struct investigation *v, const char *path, const struct member *table, struct err *e)
{
    struct buf text = {0};
    cJSON *root = file_slurp(path, INVESTIGATION_LARGEST, &text, e) ? NULL : parse_root(v, buf_view(&text), path, e);
    v->content = hash_bytes(text.p, text.n, 0);
    buf_release(&text);
    if (!root)
        return -1;
    v->seen = true;
    read_members(v, table, root);
    cJSON_Delete(root);
    return 0;
}

int investigation_recall(struct investigation *v, struct err *e)
{
    return read_investigation_file(v, v->path, investigation_left, e);
}

int investigation_load(struct investigation *v, const char *path, struct err *e)
{
    if (read_investigation_file(v, path, investigation_members, e))
        return -1;
    v->path = investigation_keep(v, path);
    return 0;
}

int investigation_take(struct investigation *v, struct str text, struct err *e)
{
    cJSON *root = parse_root(v, text, v->path, e);
    if (!root)
        return -1;
    record_release_lists(investigation_left, v);
    vec_clear(&v->other_limits);
    read_members(v, investigation_left, root);
    cJSON_Delete(root);
    return 0;
}

void investigation_write(const struct investigation *shown, struct buf *out)
{
    struct jsonw w;
    struct investigation x = *shown; /* its lists and texts are shared */
    const struct investigation *v = &x;
    investigation_show_round(&x, 0);
    jw_init(&w, out, true);
    jw_object(&w);
    jw_kint(&w, "schema", INVESTIGATION_SCHEMA);
    jw_kcstr(&w, "tool", TOOL);
    jw_kobject(&w, "investigation");
    record_write(investigation_members, &w, v);
    jw_end_object(&w);
    jw_end_object(&w);
    buf_char(out, '\n');
}

const char *investigation_text(const text_list *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i].name, name) == 0)
            return l->v[i].text;
    return NULL;
}

void investigation_tell(struct investigation *v, text_list *l, struct str name, struct str text)
{
    size_t i = 0;
    while (i < l->n && !str_is(name, l->v[i].name))
        i++;
    if (text.n) {
        struct named_text x = {.name = arena_cstr(&v->arena, name), .text = arena_cstr(&v->arena, text)};
        if (i == l->n)
            vec_push(l, x);
        else
            l->v[i] = x;
    } else if (i < l->n) {
        memmove(&l->v[i], &l->v[i + 1], (l->n - i - 1) * sizeof *l->v);
        l->n--;
    }
}

int64_t investigation_date(const struct investigation *v)
{
    return v->date ? v->date : (int64_t)time(NULL);
}

static size_t find_bookmark(const struct investigation *v, const char *target, const char *golden)
{
    size_t i = 0;
    while (i < v->bookmarks.n && (strcmp(v->bookmarks.v[i].row[0], target) != 0 ||
                                  strcmp(v->bookmarks.v[i].row[1], golden) != 0))
        i++;
    return i;
}

bool investigation_bookmark(struct investigation *v, const char *target, const char *golden)
{
    size_t i = find_bookmark(v, target, golden);
    if (i < v->bookmarks.n) {
        memmove(&v->bookmarks.v[i], &v->bookmarks.v[i + 1], (v->bookmarks.n - i - 1) * sizeof *v->bookmarks.v);
        v->bookmarks.n--;
        return false;
    }
    struct bookmark b = {.row = {investigation_keep(v, target), investigation_keep(v, golden)}, .note = ""};
    vec_push(&v->bookmarks, b);
    return true;
}

bool investigation_is_bookmarked(const struct investigation *v, const char *target, const char *golden)
{
    return find_bookmark(v, target, golden) < v->bookmarks.n;
}

/* ---- whose it is, and what it is about ---- */

/* Beside the file that is written, so that every link to it leads to the same lock. */
static void lock_path(const struct investigation *v, struct buf *out)
{
    char *place = file_write_place(v->path);
    buf_clear(out);
    buf_fmt(out, "%s.lock", place ? place : v->path);
    free(place);
}

static bool is_open_at(int fd, const char *path)
{
    struct stat mine, there;
    return fstat(fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

/* A locked descriptor of the file at path, or -1; if another process holds the lock, *holder is a descriptor to read
 * its owner from. */
static int open_lock(const char *path, int *holder)
{
    *holder = -1;
    for (int turn = 0; turn < 8; turn++) {
        struct stat mine;
        int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
        if (fd < 0)
            return -1;
        /* written through it, another file would change */
        if (fstat(fd, &mine) || !S_ISREG(mine.st_mode) || mine.st_nlink > 1) {
            close(fd);
            return -1;
        }
        if (flock(fd, LOCK_EX | LOCK_NB)) {
            if (errno == EWOULDBLOCK)
                *holder = fd;
            else
                close(fd); /* a file system without locks: changes by others are noticed on saving */
            return -1;
        }
        if (is_open_at(fd, path))
            return fd;
        close(fd); /* the holder has just removed it: look again */
    }
    return -1;
}

void investigation_claim(struct investigation *v)
{
    struct buf path = {0};
    char who[128] = "", host[64] = "";
    int other;
    if (!v->path || v->lock >= 0 || v->read_only)
        return;
    lock_path(v, &path);
    v->lock = open_lock(path.p, &other);
    if (v->lock >= 0) {
        gethostname(host, sizeof host - 1);
        int n = snprintf(who, sizeof who, "%s, process %ld", host, (long)getpid());
        if (ftruncate(v->lock, 0) || pwrite(v->lock, who, (size_t)n, 0) != n)
            who[0] = 0; /* nobody learns who it is, but it is held */
    } else if (other >= 0) {
        ssize_t n = pread(other, who, sizeof who - 1, 0);
        who[n > 0 ? n : 0] = 0;
        v->read_only = true;
        v->holder = investigation_keep(v, who);
        close(other);
    }
    buf_release(&path);
}

void investigation_let_go(struct investigation *v)
{
    struct buf path = {0};
    if (v->lock < 0)
        return;
    lock_path(v, &path);
    if (is_open_at(v->lock, path.p)) /* a link may lead elsewhere by now */
        unlink(path.p);
    close(v->lock);
    v->lock = -1;
    buf_release(&path);
}

void investigation_move(struct investigation *v, const char *path)
{
    investigation_let_go(v);
    v->path = path ? investigation_keep(v, path) : NULL;
    v->read_only = v->seen = false;
    v->holder = NULL;
    investigation_claim(v);
}

static bool path_exists(const char *path)
{
    return path_is_dir(path) || path_is_file(path);
}

/* The path of `was` after a matching remap. */
static bool find_remapped(const struct investigation *v, const char *was, struct buf *at)
{
    for (size_t i = 0; was && i < v->remaps.n; i++)
        if (str_starts(str_of(was), v->remaps.v[i].name)) {
            buf_clear(at);
            buf_fmt(at, "%s%s", v->remaps.v[i].text, was + strlen(v->remaps.v[i].name));
            if (path_exists(at->p))
                return true;
        }
    return false;
}

static bool find_beside_file(const struct investigation *v, const char *was, struct buf *at)
{
    struct buf folder = {0}, base = {0};
    buf_str(&folder, v->path ? path_folder(str_of(v->path)) : STR("."));
    buf_str(&base, path_base(str_of(was)));
    path_join(at, folder.p, base.p);
    buf_release(&folder);
    buf_release(&base);
    return v->path && path_exists(at->p);
}

/* Paths in a pack lead only into the pack, whatever exists under that name where the program was started; inputs found
 * in it before are paths into its folder. If false, `at` leads nowhere. */
static bool in_pack(const struct investigation *v, const char *was, struct buf *at)
{
    struct str folder = path_parent(str_of(v->path)), rest, part;
    if (strncmp(was, folder.p, folder.n) == 0 && was[folder.n] == '/')
        was += folder.n + 1;
    rest = str_of(was);
    bool leads_out = *was == '/';
    while (rest.n) {
        part = str_next(&rest, '/');
        leads_out |= str_is(part, "..");
    }
    buf_clear(at);
    buf_fmt(at, "%.*s/%s", STR_ARG(folder), leads_out ? "outside/" : "");
    for (const char *c = was; *c; c++)
        buf_char(at, leads_out && *c == '/' ? '_' : *c);
    return !leads_out && path_exists(at->p);
}

void investigation_locate(const struct investigation *v, const char *path, struct buf *out)
{
    struct str folder = v->path ? path_parent(str_of(v->path)) : STR("");
    struct buf at = {0};
    buf_clear(out);
    if (v->pack) {
        if (find_remapped(v, path, &at))
            buf_str(out, buf_view(&at));
        else
            in_pack(v, path, out);
        buf_release(&at);
        return;
    }
    if (!path_exists(path) && folder.n && path[0] != '/') {
        buf_fmt(&at, "%.*s/%s", STR_ARG(folder), path);
        if (!path_exists(at.p))
            buf_clear(&at);
    }
    if (!at.n && !path_exists(path) && !find_remapped(v, path, &at) && !find_beside_file(v, path, &at))
        buf_clear(&at);
    buf_cstr(out, at.n ? at.p : path);
    buf_release(&at);
}

int investigation_find_inputs(struct investigation *v, struct err *e)
{
    struct buf at = {0};
    const char *gone[2] = {NULL, NULL};
    for (int s = 0; s < 2; s++) {
        const char *was = v->input[s], *full = v->full[s];
        if (!was || (!v->pack && path_exists(was)))
            continue;
        if (!v->pack && full && path_exists(full))
            v->input[s] = full;
        else if (find_remapped(v, was, &at) || find_remapped(v, full, &at) ||
                 (v->pack ? in_pack(v, was, &at) : find_beside_file(v, was, &at)))
            v->input[s] = investigation_keep(v, at.p);
        else
            gone[s] = was;
    }
    buf_release(&at);
    if (gone[0] && gone[1])
        return err_set(e, ERR_IO, _("%s and %s: not found, also not in the folder of the investigation; --remap "
                                    "OLD=NEW: files below OLD are now below NEW"), gone[0], gone[1]);
    if (gone[0] || gone[1])
        return err_set(e, ERR_IO, _("%s: not found, also not in the folder of the investigation; --remap OLD=NEW: "
                                    "files below OLD are now below NEW"),
                       gone[0] ? gone[0] : gone[1]);
    return 0;
}

/* ---- examined while it changes ---- */

void investigation_look(struct investigation *v, const struct investigation *from)
{
    *v = *from;
    v->lock = -1;
    v->other_limits.v = NULL;
    v->other_limits.n = v->other_limits.cap = 0;
    for (size_t i = 0; i < from->other_limits.n; i++)
        vec_push(&v->other_limits, from->other_limits.v[i]);
    record_own_lists(investigation_members, v);
}

void investigation_look_end(struct investigation *v)
{
    record_release_lists(investigation_members, v);
    vec_release(&v->other_limits);
}
