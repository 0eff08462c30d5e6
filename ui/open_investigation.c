/* Opens or creates the investigation named on the command line, applies options over its saved values, and sets the
 * session's options from it. */
#include "ui/open_investigation.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/inputs.h"
#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/output.h"
#include "ticket/named_paths.h"
#include "log/value_names.h"

int open_investigation_own_path(const char *const input[2], const char *folder, struct buf *out, struct err *e)
{
    struct buf key = {0};
    int rc = 0;
    for (int i = 0; i < 2 && rc == 0; i++) {
        char *full = input[i] ? path_full(input[i]) : NULL;
        if (input[i] && !full && errno != ENOENT && errno != ENOTDIR)
            rc = err_system(e, input[i]);
        buf_fmt(&key, "%s\n", full ? full : "");
        free(full);
    }
    buf_fmt(out, "%s/%016llx" INVESTIGATION_ENDING, folder, (unsigned long long)hash_bytes(key.p, key.n, 7));
    buf_release(&key);
    return rc;
}

/* The inputs of a file, at their present paths. */
static void note_inputs(struct investigation *v, const struct investigation *from, struct round_left *out)
{
    *out = (struct round_left){.author = ""};
    for (int i = 0; i < 2; i++) {
        bool there = from->full[i] && (path_is_dir(from->full[i]) || path_is_file(from->full[i]));
        const char *at = there ? from->full[i] : from->input[i];
        out->input[i] = at ? investigation_keep(v, at) : NULL;
        out->full[i] = from->full[i] ? investigation_keep(v, from->full[i]) : NULL;
        out->state[i] = from->state[i];
        out->step[i] = from->step[i];
        out->rank[i] = from->rank[i];
    }
}

#define ROUNDS_FOLLOWED 100
#define PATHS_TOLD 8

/* Follows rounds, which continue in a file named after their own inputs, from an earlier round to the newest, whose
 * inputs are in *newest. False: this is the newest. */
static bool follow_rounds(struct investigation *v, const char *folder, struct buf *path, struct round_left *newest)
{
    bool followed = false;
    for (int i = 0; i < ROUNDS_FOLLOWED; i++) {
        struct investigation x;
        struct err quiet;
        investigation_init(&x);
        bool read = path_is_file(path->p) && investigation_load(&x, path->p, &quiet) == 0;
        bool on = read && x.continued && *x.continued && !strchr(x.continued, '/');
        followed = read && !on && i;
        if (followed)
            note_inputs(v, &x, newest);
        if (on)
            path_join(path, folder, x.continued);
        investigation_release(&x);
        if (!on)
            break;
    }
    return followed;
}

/* Shows the round with the inputs that were named, never another one. False: it has none with them. */
static bool show_named(struct investigation *v, const char *const input[2], const struct options *o)
{
    uint32_t n = investigation_round_of(v, input);
    if (!n)
        return false;
    investigation_show_round(v, n);
    for (int i = 0; i < 2; i++) {
        v->input[i] = input[i];
        if (o->step[i] >= 0)
            v->step[i] = o->step[i];
        if (o->rank[i] >= 0)
            v->rank[i] = o->rank[i];
    }
    return true;
}

int open_investigation_continue(const struct investigation *v, const char *from, struct err *e)
{
    struct investigation x;
    enum path_what what;
    const struct round_left *was = vec_last(&v->rounds);
    investigation_init(&x);
    int rc = path_look(from, &what, e);
    if (rc == 0 && what != PATH_ABSENT)
        rc = investigation_load(&x, from, e);
    for (int i = 0; i < 2 && what == PATH_ABSENT; i++) /* nothing was saved in it */
        x.input[i] = was->full[i] ? was->full[i] : was->input[i];
    x.path = from;
    x.continued = path_base(str_of(v->path)).p;
    if (rc == 0)
        rc = investigation_save(&x, e);
    investigation_release(&x);
    return rc;
}

bool open_investigation_leads_to(const char *path, const char *to)
{
    struct investigation v;
    struct buf at = {0}, folder = {0};
    investigation_init(&v);
    buf_str(&folder, path_parent(str_of(path)));
    buf_cstr(&at, path);
    struct round_left newest;
    follow_rounds(&v, folder.p, &at, &newest);
    bool leads = strcmp(at.p, to) == 0;
    investigation_release(&v);
    buf_release(&at);
    buf_release(&folder);
    return leads;
}

/* Opens the investigation of these inputs in that folder, with its saved state. */
static int open_in_folder(struct investigation *v, const char *folder, bool claim, const struct options *o,
                          struct err *e)
{
    struct buf b = {0};
    enum path_what what;
    struct round_left newest;
    const char *const named[2] = {v->input[0], v->input[1]};
    bool followed = false;
    int rc = open_investigation_own_path(v->input, folder, &b, e);
    if (rc == 0) {
        followed = follow_rounds(v, folder, &b, &newest);
        v->path = investigation_keep(v, b.p);
        if (claim)
            investigation_claim(v);
        rc = path_look(v->path, &what, e);
    }
    if (rc == 0 && what != PATH_ABSENT)
        rc = investigation_recall(v, e);
    if (rc == 0 && followed) {
        for (int i = 0; i < 2; i++) {
            v->input[i] = newest.input[i];
            v->full[i] = newest.full[i];
            v->state[i] = newest.state[i];
            v->step[i] = newest.step[i];
            v->rank[i] = newest.rank[i];
        }
        if (!show_named(v, named, o))
            rc = err_set(e, ERR_DATA, _("%s: its rounds do not tell these inputs"), v->path);
        for (int i = 0; rc && i < 2; i++)
            v->input[i] = named[i];
    }
    if (rc)
        investigation_move(v, NULL); /* the existing file is not changed */
    v->own = rc == 0;
    buf_release(&b);
    return rc;
}

/* Chooses the user's own folder; otherwise the working folder, unless it is in a dump; otherwise nothing, with the
 * reason. */
static void find_place(struct investigation *v, const struct keep_place *where, bool claim, const struct options *o)
{
    struct err e = {0};
    const char *reason = where->reason;
    if (where->own && open_in_folder(v, where->own, claim, o, &e) == 0)
        return;
    if (where->own)
        reason = investigation_keep(v, e.text);
    bool here = where->here && !keep_place_is_dump(where->here, v->input);
    if (here && open_in_folder(v, where->here, claim, o, &e) == 0) {
        v->elsewhere = reason;
        return;
    }
    v->unkept = arena_fmt(&v->arena, !where->here ? _(":saveas NAME saves it; this folder is not writable, and %s")
                                     : here ? _(":saveas NAME saves it; it could not be saved in this folder either: "
                                                "%s")
                                            : _(":saveas NAME saves it; this folder belongs to a dump, and "
                                                "%s"), reason);
}

static int64_t fixed_date(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    unsigned long long n;
    return epoch && str_u64(str_of(epoch), &n) && n < 1ull << 40 ? (int64_t)n : 0;
}

int64_t open_investigation_date(void)
{
    int64_t fixed = fixed_date();
    return fixed ? fixed : (int64_t)time(NULL);
}

void open_investigation_sign(struct investigation *v)
{
    const char *name = getenv("DIVERGE_AUTHOR");
    const struct passwd *p = name && *name ? NULL : getpwuid(getuid());
    if (p)
        name = p->pw_name;
    v->author = name ? investigation_keep(v, name) : "";
    v->date = fixed_date();
}

int open_investigation_saved(struct investigation *v, const struct options *o, bool change, bool read, struct err *e)
{
    struct options saved = *o;
    saved.args = 1;
    saved.unread = !read;
    investigation_init(v);
    if (!investigation_is(o->arg[0]))
        return err_set(e, path_is_file(o->arg[0]) ? ERR_DATA : ERR_IO, _("%s: expected an investigation, a file "
                                                                         "NAME.investigation.json; compare "
                                                                         "--investigation "
                                                                         "writes one"),
                       o->arg[0]);
    if (open_investigation(v, &saved, NULL, change, e))
        return -1;
    return change ? investigation_may_change(v, e) : 0;
}

static int load_known(struct investigation *v, struct err *e)
{
    time_t at = (time_t)open_investigation_date();
    struct tm tm;
    char today[16] = "";
    if (!v->known_path)
        return 0;
    if (gmtime_r(&at, &tm))
        strftime(today, sizeof today, "%Y-%m-%d", &tm);
    return accepted_load(&v->known, v->known_path, today, e);
}

/* Finds mapping files and known differences beside the investigation, or in its folder. */
static void locate_files(struct investigation *v)
{
    struct buf at = {0};
    for (size_t i = 0; i < v->maps.n; i++) {
        investigation_locate(v, v->maps.v[i], &at);
        v->maps.v[i] = investigation_keep(v, at.p);
    }
    if (v->known_path) {
        investigation_locate(v, v->known_path, &at);
        v->known_path = investigation_keep(v, at.p);
    }
    buf_release(&at);
}

/* Refuses mapping files and known differences that the file names outside of its folder, unless its user named them on
 * this machine or allows them now; what is allowed now is remembered. */
static int check_paths(const struct investigation *v, struct err *e)
{
    struct buf list = {0};
    size_t refused = 0;
    for (size_t i = 0; i <= v->maps.n; i++) {
        const char *path = i < v->maps.n ? v->maps.v[i] : v->known_path;
        bool allowed = !path || named_paths_allow(v, path);
        if (!allowed && refused++ < PATHS_TOLD)
            buf_fmt(&list, "%s%s", list.n ? ", " : "", path);
        if (path && allowed && v->allow_paths)
            named_paths_add(v, path);
    }
    if (refused > PATHS_TOLD)
        buf_fmt(&list, _(" and %zu more"), refused - PATHS_TOLD);
    int rc = list.n ? err_set(e, ERR_IO, _("%s names files outside of its folder that were not named on this machine: "
                                           "%s; --allow-paths reads them"), v->path, list.p) : 0;
    buf_release(&list);
    return rc;
}

/* The user names these for this investigation. */
static void remember_paths(const struct investigation *v, const struct options *o)
{
    for (int i = 0; v->path && i < o->maps; i++)
        named_paths_add(v, o->map[i]);
    if (v->path && o->known)
        named_paths_add(v, o->known);
}

/* A folder that holds the investigation itself is where its user works, no recording. */
static void name_given(const struct investigation *v, const char *path)
{
    struct buf at = {0};
    investigation_locate(v, path, &at);
    char *given = path_resolve(at.p), *own = v->path ? path_resolve(v->path) : NULL;
    if (given && (!own || !inputs_belongs(path_folder(str_of(own)), str_of(given))))
        inputs_name(at.p);
    free(given);
    free(own);
    buf_release(&at);
}

static void name_investigation_inputs(const struct investigation *v)
{
    for (int i = 0; i < 2; i++)
        if (v->input[i])
            inputs_name(v->input[i]);
    for (size_t i = 0; i < v->maps.n; i++)
        inputs_name(v->maps.v[i]);
    for (size_t i = 0; i < v->given.n; i++)
        name_given(v, v->given.v[i].text);
    for (size_t i = 0; i < v->rounds.n; i++)
        name_given(v, v->rounds.v[i].file);
    if (v->known_path)
        inputs_name(v->known_path);
    if (v->path)
        inputs_name(v->path);
}

/* Names of a log's values: those saved are known from here on, and those of the command line are saved. */
static int apply_log_names(struct investigation *v, const struct options *o, struct err *e)
{
    if (v->log_names && value_names_learn(str_of(v->log_names), e))
        return -1;
    if (o->log_names) {
        struct buf names = {0};
        value_names_learned(&names);
        v->log_names = investigation_keep(v, names.p);
        buf_release(&names);
    }
    return 0;
}

static void add_remaps(struct investigation *v, const struct options *o)
{
    for (int i = 0; i < o->remaps; i++) {
        struct named_text x = {.name = arena_cstr(&v->arena, o->remap_from[i]),
                               .text = arena_cstr(&v->arena, o->remap_to[i])};
        vec_push(&v->remaps, x);
    }
}

/* The inputs of a saved investigation may have moved. That they are gone is an error for commands that need them. */
static int find_saved_inputs(struct investigation *v, const struct options *o, struct err *e)
{
    if (investigation_find_inputs(v, e)) {
        if (!o->unread && !o->gone)
            return -1;
        v->gone = investigation_keep(v, e->text);
    }
    locate_files(v);
    return 0;
}

/* The inputs of the command line replace those saved, unless they are those of a round that is shown. */
static void set_given_inputs(struct investigation *v, const struct options *o)
{
    const char *const named[2] = {o->args > 0 ? investigation_keep(v, o->arg[0]) : NULL,
                                  o->args > 1 ? investigation_keep(v, o->arg[1]) : NULL};
    bool of_round = v->rounds.n && o->args && show_named(v, named, o);
    for (int i = 0; i < 2 && o->args && !of_round; i++)
        v->input[i] = named[i];
}

/* What decides pairs and verdicts: flags, mapping files, known differences, steps, ranks. */
static int apply_options(struct investigation *v, const struct options *o, struct err *e)
{
    v->map_only |= o->map_only;
    v->exact |= o->exact;
    v->strict_gaps |= o->strict_gaps;
    if (o->known)
        v->known_path = NULL;
    if (o->maps)
        vec_clear(&v->maps);
    v->allow_paths = o->allow_paths;
    if (!o->unread && check_paths(v, e))
        return -1;
    if (o->known)
        v->known_path = investigation_keep(v, o->known);
    if (!o->unread && load_known(v, e))
        return -1;
    for (int i = 0; i < o->maps; i++)
        vec_push(&v->maps, investigation_keep(v, o->map[i]));
    for (int i = 0; i < 2; i++) {
        if (o->step[i] >= 0)
            v->step[i] = o->step[i];
        if (o->rank[i] >= 0)
            v->rank[i] = o->rank[i];
    }
    return 0;
}

int open_investigation(struct investigation *v, const struct options *o, const struct keep_place *where, bool claim,
                       struct err *e)
{
    bool saved = o->args == 1 && investigation_is(o->arg[0]);
    const char *file = saved ? o->arg[0] : o->investigation;
    enum path_what there = PATH_FILE;
    investigation_init(v);
    v->path = file ? investigation_keep(v, file) : NULL;
    v->pack = saved && o->packed ? investigation_keep(v, o->packed) : NULL;
    v->read_only = v->pack != NULL;
    open_investigation_sign(v);
    if (claim)
        investigation_claim(v);
    if (file && (path_look(file, &there, e) || (there != PATH_ABSENT && investigation_load(v, file, e))))
        return -1;
    if (apply_log_names(v, o, e))
        return -1;
    add_remaps(v, o);
    if (saved && find_saved_inputs(v, o, e))
        return -1;
    if (!saved)
        set_given_inputs(v, o);
    if (apply_options(v, o, e))
        return -1;
    if (!file && where && v->input[0])
        find_place(v, where, claim, o);
    else if (!file && where)
        v->unkept = _(":saveas NAME saves it; it has no file name");
    for (int i = 0; i < o->thresholds; i++)
        if (thresholds_set(&v->tol, o->threshold_key[i], o->threshold_value[i], e))
            return -1;
    name_investigation_inputs(v);
    remember_paths(v, o);
    if (there == PATH_ABSENT && output_check(file, e))
        return -1;
    v->state_dir = where && where->own ? investigation_keep(v, where->own) : NULL;
    if (!v->input[0] && !o->nothing)
        return saved ? err_set(e, ERR_DATA, _("%s: \"target\" names no path"), v->path)
                     : err_set(e, ERR_USAGE, "%s", _("no dump given; see diverge --help"));
    return 0;
}

void open_investigation_session(const struct investigation *v, const struct options *o, struct session_options *so)
{
    *so = (struct session_options){
        .of = {
            .path = {v->input[0], v->input[1]},
            .preset = o->preset,
            .golden2 = o->golden2,
            .reference = o->reference,
            .step = {v->step[0], v->step[1]},
            .rank = {v->rank[0], v->rank[1]},
            .maps = v->maps.v,
            .map_count = v->maps.n,
            .map_only = v->map_only,
            .exact = v->exact,
            .strict_gaps = v->strict_gaps,
            .strict = o->strict,
            .known = v->known_path ? &v->known : NULL,
            .was = {v->state[0], v->state[1]},
            .tol = v->tol,
            .pack = v->pack,
            .oracle = o->oracle,
        },
        .decisions = &v->decisions,
        .before = investigation_before(v),
        .workers = o->workers,
        .cpu = o->cpu,
        .cache = o->cache,
    };
}

void open_investigation_note_inputs(struct investigation *v, const struct comparison *s)
{
    for (int i = 0; i < 2; i++)
        if (s->side[i].now.bytes)
            v->state[i] = s->side[i].now;
}
