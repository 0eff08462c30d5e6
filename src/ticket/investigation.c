/* Reads and writes the investigation file, keeps other programs from changing it meanwhile, and finds inputs that
 * lie elsewhere now. */
#include "ticket/investigation.h"

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
#include "base/msg.h"
#include "base/json_read.h"

#define SCHEMA 1
#define LARGEST (256u << 20)

void investigation_init(struct investigation *v)
{
    *v = (struct investigation){.step = {-1, -1}, .rank = {-1, -1}, .cursor = {"", ""}, .columns = "", .author = "", .lock = -1};
    thresholds_init(&v->tol);
}

static void release_claim(struct investigation *v);

void investigation_release(struct investigation *v)
{
    vec_release(&v->maps);
    vec_release(&v->bookmarks);
    vec_release(&v->filters);
    vec_release(&v->remaps);
    vec_release(&v->given);
    vec_release(&v->waived);
    vec_release(&v->answers);
    vec_release(&v->rounds);
    decisions_release(&v->decisions);
    findings_release(&v->findings);
    accepted_release(&v->known);
    release_claim(v);
    arena_release(&v->arena);
    investigation_init(v);
}

const char *investigation_keep(struct investigation *v, const char *s)
{
    return arena_cstr(&v->arena, str_of(s));
}

bool investigation_is(const char *path)
{
    return str_ends(str_of(path), ".investigation.json") && path_is_file(path);
}

static const char *text(struct investigation *v, const cJSON *o, const char *key, const char *otherwise)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(x) ? investigation_keep(v, x->valuestring) : otherwise;
}

static int number(const cJSON *o, const char *key)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(x) ? x->valueint : -1;
}

static uint64_t large(const cJSON *o, const char *key)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(x) && x->valuedouble >= 0 && x->valuedouble < 1e18 ? (uint64_t)x->valuedouble : 0;
}

static bool flag(const cJSON *o, const char *key)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, key));
}

/* Both sides' places, of the investigation itself or of a round that was left. */
static void load_places(struct investigation *v, const cJSON *root, const char *path[2], const char *full[2], int step[2], int rank[2],
                        struct file_stamp state[2])
{
    for (int side = 0; side < 2; side++) {
        const cJSON *o = cJSON_GetObjectItemCaseSensitive(root, side ? "golden" : "target");
        path[side] = text(v, o, "path", NULL);
        full[side] = text(v, o, "full_path", NULL);
        step[side] = number(o, "step");
        rank[side] = number(o, "rank");
        state[side] = (struct file_stamp){large(o, "bytes"), large(o, "files"), large(o, "time")};
    }
}

static void load_rounds(struct investigation *v, const cJSON *o)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(o, "rounds")) {
        struct round_left r = {.number = (uint32_t)v->rounds.n + 1, .file = text(v, it, "file", ""), .author = text(v, it, "author", ""),
                               .date = (int64_t)large(it, "date")};
        unsigned long long fingerprint = 0;
        sscanf(text(v, it, "fingerprint", ""), "%16llx", &fingerprint);
        r.fingerprint = fingerprint;
        load_places(v, it, r.input, r.full, r.step, r.rank, r.state);
        vec_push(&v->rounds, r);
    }
}

static void load_texts(struct investigation *v, const cJSON *o, const char *key, const char *name, const char *what, text_list *out)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(o, key)) {
        struct named_text x = {text(v, it, name, ""), text(v, it, what, "")};
        if (*x.name)
            vec_push(out, x);
    }
}

static void load_decisions(struct investigation *v, const cJSON *o)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(o, "decisions")) {
        const char *what = text(v, it, "what", "");
        struct decision x = {.kind = DECIDE_KINDS, .step = (uint32_t)large(it, "step"), .rule = (uint32_t)large(it, "rule")};
        for (int k = 0; k < DECIDE_KINDS; k++)
            if (strcmp(what, decision_name((enum decision_kind)k)) == 0)
                x.kind = (uint8_t)k;
        x.side[0] = text(v, it, "target", "");
        x.side[1] = text(v, it, "golden", "");
        x.view = text(v, it, "view", "");
        if (x.kind != DECIDE_KINDS)
            decisions_add(&v->decisions, x);
    }
    const cJSON *now = cJSON_GetObjectItemCaseSensitive(o, "decided");
    if (cJSON_IsNumber(now) && now->valueint >= 0 && (size_t)now->valueint < v->decisions.now)
        v->decisions.now = (size_t)now->valueint; /* the rest was taken back and can be done again */
}

static void load_plot(struct investigation *v, const cJSON *o)
{
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(o, "from"), *to = cJSON_GetObjectItemCaseSensitive(o, "to");
    v->plot.log = flag(o, "log");
    if (cJSON_IsNumber(from) && cJSON_IsNumber(to) && from->valuedouble >= 0 && to->valuedouble <= 1 && to->valuedouble > from->valuedouble) {
        v->plot.from = from->valuedouble;
        v->plot.to = to->valuedouble;
    }
}

/* What a person did with the inputs: limits, bookmarks, the place, how the table looked. */
static void load_left(struct investigation *v, const cJSON *o)
{
    const cJSON *it;
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(o, "thresholds")) {
        struct err quiet;
        char value[64];
        if (cJSON_IsNumber(it)) {
            snprintf(value, sizeof value, "%.17g", it->valuedouble);
            thresholds_set(&v->tol, str_of(it->string), str_of(value), &quiet);
        }
    }
    load_decisions(v, o);
    findings_load(&v->findings, &v->arena, o);
    load_rounds(v, o);
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(o, "bookmarks")) {
        struct bookmark b = {{text(v, it, "target", ""), text(v, it, "golden", "")}, text(v, it, "note", "")};
        vec_push(&v->bookmarks, b);
    }
    const cJSON *c = cJSON_GetObjectItemCaseSensitive(o, "cursor");
    v->cursor[0] = text(v, c, "target", "");
    v->cursor[1] = text(v, c, "golden", "");
    v->columns = text(v, o, "columns", "");
    if (!v->pack) /* a stranger's would lead out of it, and ours speak of where it was made */
        load_texts(v, o, "remaps", "from", "to", &v->remaps);
    load_texts(v, o, "filters", "name", "text", &v->filters);
    const cJSON *p = cJSON_GetObjectItemCaseSensitive(o, "panels");
    load_texts(v, p, "inputs", "slot", "path", &v->given);
    load_texts(v, p, "waived", "id", "reason", &v->waived);
    load_texts(v, p, "answers", "id", "text", &v->answers);
    load_plot(v, cJSON_GetObjectItemCaseSensitive(p, "plot"));
}

/* The file as a tree that is an investigation; v learns whether a newer version wrote it. */
static cJSON *load_root(struct investigation *v, const char *path, struct err *e)
{
    cJSON *root = json_load(path, LARGEST, e);
    if (!root)
        return NULL;
    int schema = number(root, "schema");
    if (schema < 1 || !cJSON_HasObjectItem(root, "investigation")) {
        cJSON_Delete(root);
        err_set(e, ERR_DATA, _("%s: not an investigation: \"schema\" and \"investigation\" were expected"), path);
        return NULL;
    }
    v->read_only = v->read_only || schema > SCHEMA;
    return root;
}

int investigation_recall(struct investigation *v, struct err *e)
{
    cJSON *root = load_root(v, v->path, e);
    if (!root)
        return -1;
    load_left(v, cJSON_GetObjectItemCaseSensitive(root, "investigation"));
    cJSON_Delete(root);
    return 0;
}

int investigation_load(struct investigation *v, const char *path, struct err *e)
{
    cJSON *root = load_root(v, path, e);
    if (!root)
        return -1;
    v->path = investigation_keep(v, path);
    const cJSON *o = cJSON_GetObjectItemCaseSensitive(root, "investigation");
    load_places(v, o, v->input, v->full, v->step, v->rank, v->state);
    v->map_only = flag(o, "map_only");
    v->exact = flag(o, "exact");
    v->strict_gaps = flag(o, "strict_gaps");
    v->known_path = text(v, o, "known", NULL);
    const cJSON *it;
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(o, "maps"))
        if (cJSON_IsString(it))
            vec_push(&v->maps, investigation_keep(v, it->valuestring));
    load_left(v, o);
    cJSON_Delete(root);
    return 0;
}

/* A side's members: where it lay and what its files were. */
static void save_place(struct jsonw *w, const char *path, const char *full, int step, int rank, const struct file_stamp *state)
{
    jw_object(w);
    jw_kcstr(w, "path", path);
    if (full)
        jw_kcstr(w, "full_path", full);
    if (step >= 0)
        jw_kint(w, "step", step);
    if (rank >= 0)
        jw_kint(w, "rank", rank);
    if (state->bytes) {
        jw_kint(w, "bytes", (int64_t)state->bytes);
        jw_kint(w, "files", (int64_t)state->files);
        jw_kint(w, "time", (int64_t)state->time);
    }
    jw_end_object(w);
}

static void save_side(struct jsonw *w, const struct investigation *v, int side)
{
    jw_key(w, side ? "golden" : "target");
    /* it may be opened from another folder, and saved where the inputs are not */
    char *full = v->input[side] ? realpath(v->input[side], NULL) : NULL;
    save_place(w, v->input[side], full ? full : v->full[side], v->step[side], v->rank[side], &v->state[side]);
    free(full);
}

static void save_rounds(struct jsonw *w, const struct investigation *v)
{
    char fingerprint[20];
    if (!v->rounds.n)
        return;
    jw_key(w, "rounds");
    jw_array(w);
    for (size_t i = 0; i < v->rounds.n; i++) {
        const struct round_left *r = &v->rounds.v[i];
        jw_object(w);
        jw_kint(w, "round", r->number);
        jw_kcstr(w, "file", r->file);
        snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)r->fingerprint);
        jw_kcstr(w, "fingerprint", fingerprint);
        jw_kint(w, "date", r->date);
        jw_kcstr(w, "author", r->author);
        for (int side = 0; side < 2; side++) {
            jw_key(w, side ? "golden" : "target");
            save_place(w, r->input[side], r->full[side], r->step[side], r->rank[side], &r->state[side]);
        }
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void save_rows(struct jsonw *w, const char *const row[2])
{
    jw_kcstr(w, "target", row[0]);
    jw_kcstr(w, "golden", row[1]);
}

/* Only what differs from the defaults, so that better defaults reach old tickets. */
static void save_thresholds(struct jsonw *w, const struct thresholds *t)
{
    struct thresholds fresh;
    double mine, theirs;
    const char *key;
    thresholds_init(&fresh);
    jw_key(w, "thresholds");
    jw_object(w);
    for (int i = 0; (key = thresholds_key(t, i, &mine)); i++) {
        thresholds_key(&fresh, i, &theirs);
        if (mine < theirs || mine > theirs)
            jw_knum(w, key, mine);
    }
    jw_end_object(w);
}

static void save_texts(struct jsonw *w, const char *key, const char *name, const char *what, const text_list *l)
{
    if (!l->n)
        return;
    jw_key(w, key);
    jw_array(w);
    for (size_t i = 0; i < l->n; i++) {
        jw_object(w);
        jw_kcstr(w, name, l->v[i].name);
        jw_kcstr(w, what, l->v[i].text);
        jw_end_object(w);
    }
    jw_end_array(w);
}

static void save_panels(struct jsonw *w, const struct investigation *v)
{
    bool plot = v->plot.log || v->plot.to > 0;
    if (!v->given.n && !v->waived.n && !v->answers.n && !plot)
        return;
    jw_key(w, "panels");
    jw_object(w);
    save_texts(w, "inputs", "slot", "path", &v->given);
    save_texts(w, "waived", "id", "reason", &v->waived);
    save_texts(w, "answers", "id", "text", &v->answers);
    if (plot) {
        jw_key(w, "plot");
        jw_object(w);
        jw_kbool(w, "log", v->plot.log);
        jw_knum(w, "from", v->plot.from);
        jw_knum(w, "to", v->plot.to);
        jw_end_object(w);
    }
    jw_end_object(w);
}

static void save_decisions(struct jsonw *w, const struct decisions *d)
{
    jw_key(w, "decisions");
    jw_array(w);
    for (size_t i = 0; i < d->log.n; i++) {
        const struct decision *x = &d->log.v[i];
        jw_object(w);
        jw_kcstr(w, "what", decision_name((enum decision_kind)x->kind));
        jw_kint(w, "step", x->step);
        if (x->kind == DECIDE_RULE_OFF || x->kind == DECIDE_RULE_ON)
            jw_kint(w, "rule", x->rule);
        else
            save_rows(w, x->side);
        if (*x->view)
            jw_kcstr(w, "view", x->view);
        jw_end_object(w);
    }
    jw_end_array(w);
    jw_kint(w, "decided", (int64_t)d->now);
}

void investigation_write(const struct investigation *v, struct buf *out)
{
    struct jsonw w;
    jw_init(&w, out, true);
    jw_object(&w);
    jw_kint(&w, "schema", SCHEMA);
    jw_kcstr(&w, "tool", "diverge " DIVERGE_VERSION);
    jw_key(&w, "investigation");
    jw_object(&w);
    save_side(&w, v, 0);
    save_side(&w, v, 1);
    jw_kcstrs(&w, "maps", v->maps.v, v->maps.n);
    jw_kbool(&w, "map_only", v->map_only);
    jw_kbool(&w, "exact", v->exact);
    jw_kbool(&w, "strict_gaps", v->strict_gaps);
    if (v->known_path)
        jw_kcstr(&w, "known", v->known_path);
    save_thresholds(&w, &v->tol);
    save_decisions(&w, &v->decisions);
    findings_save(&w, &v->findings);
    save_rounds(&w, v);
    jw_key(&w, "bookmarks");
    jw_array(&w);
    for (size_t i = 0; i < v->bookmarks.n; i++) {
        jw_object(&w);
        save_rows(&w, v->bookmarks.v[i].row);
        jw_kcstr(&w, "note", v->bookmarks.v[i].note);
        jw_end_object(&w);
    }
    jw_end_array(&w);
    jw_key(&w, "cursor");
    jw_object(&w);
    save_rows(&w, v->cursor);
    jw_end_object(&w);
    if (*v->columns)
        jw_kcstr(&w, "columns", v->columns);
    save_texts(&w, "remaps", "from", "to", &v->remaps);
    save_texts(&w, "filters", "name", "text", &v->filters);
    save_panels(&w, v);
    jw_end_object(&w);
    jw_end_object(&w);
    buf_char(out, '\n');
}

int investigation_save(const struct investigation *v, struct err *e)
{
    struct buf b = {0};
    if (!v->path || v->read_only)
        return 0;
    investigation_write(v, &b);
    int rc = file_replace(v->path, buf_view(&b), e);
    buf_release(&b);
    return rc;
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
        struct named_text x = {arena_cstr(&v->arena, name), arena_cstr(&v->arena, text)};
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

static size_t find(const struct investigation *v, const char *target, const char *golden)
{
    size_t i = 0;
    while (i < v->bookmarks.n && (strcmp(v->bookmarks.v[i].row[0], target) != 0 ||
                                  strcmp(v->bookmarks.v[i].row[1], golden) != 0))
        i++;
    return i;
}

bool investigation_bookmark(struct investigation *v, const char *target, const char *golden)
{
    size_t i = find(v, target, golden);
    if (i < v->bookmarks.n) {
        memmove(&v->bookmarks.v[i], &v->bookmarks.v[i + 1], (v->bookmarks.n - i - 1) * sizeof *v->bookmarks.v);
        v->bookmarks.n--;
        return false;
    }
    struct bookmark b = {{investigation_keep(v, target), investigation_keep(v, golden)}, ""};
    vec_push(&v->bookmarks, b);
    return true;
}

bool investigation_is_bookmarked(const struct investigation *v, const char *target, const char *golden)
{
    return find(v, target, golden) < v->bookmarks.n;
}

/* ---- whose it is, and what it is about ---- */

static void lock_path(const struct investigation *v, struct buf *out)
{
    buf_clear(out);
    buf_fmt(out, "%s.lock", v->path);
}

/* A locked descriptor of the file that lies at path, or -1; *holder: somebody else's, to read who. */
static int open_lock(const char *path, int *holder)
{
    *holder = -1;
    for (int turn = 0; turn < 8; turn++) {
        struct stat mine, there;
        int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
        if (fd < 0)
            return -1;
        if (fstat(fd, &mine) || !S_ISREG(mine.st_mode) || mine.st_nlink > 1) { /* what is written there would be written elsewhere */
            close(fd);
            return -1;
        }
        if (flock(fd, LOCK_EX | LOCK_NB)) {
            *holder = fd;
            return -1;
        }
        if (fstat(fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino)
            return fd;
        close(fd); /* who had it has just taken it away: look again */
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

static void release_claim(struct investigation *v)
{
    struct buf path = {0};
    if (v->lock < 0)
        return;
    lock_path(v, &path);
    unlink(path.p);
    close(v->lock);
    v->lock = -1;
    buf_release(&path);
}

void investigation_move(struct investigation *v, const char *path)
{
    release_claim(v);
    v->path = investigation_keep(v, path);
    investigation_claim(v);
}

static bool there(const char *path)
{
    return path_is_dir(path) || path_is_file(path);
}

/* Where `was` lies after a remap that fits it. */
static bool remapped(const struct investigation *v, const char *was, struct buf *at)
{
    for (size_t i = 0; was && i < v->remaps.n; i++)
        if (str_starts(str_of(was), v->remaps.v[i].name)) {
            buf_clear(at);
            buf_fmt(at, "%s%s", v->remaps.v[i].text, was + strlen(v->remaps.v[i].name));
            if (there(at->p))
                return true;
        }
    return false;
}

static bool beside(const struct investigation *v, const char *was, struct buf *at)
{
    struct buf folder = {0}, base = {0};
    struct str parent = v->path ? path_parent(str_of(v->path)) : STR("");
    buf_str(&folder, parent.n ? parent : STR("."));
    buf_str(&base, path_base(str_of(was)));
    path_join(at, folder.p, base.p);
    buf_release(&folder);
    buf_release(&base);
    return v->path && there(at->p);
}

/* What a pack names lies in the pack, whatever is called so where the program was started, and nowhere else; what was
 * found in it before is a path into its folder. `at` leads nowhere when false. */
static bool in_pack(const struct investigation *v, const char *was, struct buf *at)
{
    struct str folder = path_parent(str_of(v->path)), rest, part;
    if (strncmp(was, folder.p, folder.n) == 0 && was[folder.n] == '/')
        was += folder.n + 1;
    rest = str_of(was);
    bool leads_out = *was == '/';
    while (rest.n) {
        str_split(rest, '/', &part, &rest);
        leads_out |= str_is(part, "..");
    }
    buf_clear(at);
    buf_fmt(at, "%.*s/%s", STR_ARG(folder), leads_out ? "outside/" : "");
    for (const char *c = was; *c; c++)
        buf_char(at, leads_out && *c == '/' ? '_' : *c);
    return !leads_out && there(at->p);
}

void investigation_locate(const struct investigation *v, const char *path, struct buf *out)
{
    struct str folder = v->path ? path_parent(str_of(v->path)) : STR("");
    struct buf at = {0};
    buf_clear(out);
    if (v->pack) {
        if (remapped(v, path, &at))
            buf_str(out, buf_view(&at));
        else
            in_pack(v, path, out);
        buf_release(&at);
        return;
    }
    if (!there(path) && folder.n && path[0] != '/') {
        buf_fmt(&at, "%.*s/%s", STR_ARG(folder), path);
        if (!there(at.p))
            buf_clear(&at);
    }
    if (!at.n && !there(path) && !remapped(v, path, &at) && !beside(v, path, &at))
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
        if (!was || (!v->pack && there(was)))
            continue;
        if (!v->pack && full && there(full))
            v->input[s] = full;
        else if (remapped(v, was, &at) || remapped(v, full, &at) || (v->pack ? in_pack(v, was, &at) : beside(v, was, &at)))
            v->input[s] = investigation_keep(v, at.p);
        else
            gone[s] = was;
    }
    buf_release(&at);
    if (gone[0] && gone[1])
        return err_set(e, ERR_IO, _("%s and %s: no such files or folders, nor beside the investigation; --remap OLD=NEW tells where what lay below OLD lies now"), gone[0], gone[1]);
    if (gone[0] || gone[1])
        return err_set(e, ERR_IO, _("%s: no such file or folder, nor beside the investigation; --remap OLD=NEW tells where what lay below OLD lies now"),
                       gone[0] ? gone[0] : gone[1]);
    return 0;
}

/* ---- looked at while it changes ---- */

#define copied(to, from)                                                                           \
    do {                                                                                           \
        memset(to, 0, sizeof *(to));                                                               \
        for (size_t at_ = 0; at_ < (from)->n; at_++)                                               \
            vec_push(to, (from)->v[at_]);                                                          \
    } while (0)

void investigation_look(struct investigation *v, const struct investigation *from)
{
    *v = *from;
    v->lock = -1;
    copied(&v->decisions.log, &from->decisions.log);
    copied(&v->findings.log, &from->findings.log);
    copied(&v->bookmarks, &from->bookmarks);
    copied(&v->remaps, &from->remaps);
    copied(&v->given, &from->given);
    copied(&v->waived, &from->waived);
    copied(&v->answers, &from->answers);
}

void investigation_look_end(struct investigation *v)
{
    vec_release(&v->decisions.log);
    vec_release(&v->findings.log);
    vec_release(&v->bookmarks);
    vec_release(&v->remaps);
    vec_release(&v->given);
    vec_release(&v->waived);
    vec_release(&v->answers);
}
