/* Commands that open inputs: the intake, other dumps, earlier investigations. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/msg.h"
#include "cmd/cmd.h"

static int run_intake(struct workspace *d, struct str args)
{
    (void)args;
    d->overlay = OVERLAY_INTAKE;
    d->intake_scroll = 0;
    return 0;
}

static bool complain_if_absent(struct workspace *d, const char *path)
{
    bool there = path_is_dir(path) || path_is_file(path);
    if (!there)
        workspace_complain(d, _("%s: no such file or folder"), path);
    return there;
}

static int open_paths(struct workspace *d, struct str target, struct str golden)
{
    char *input[2] = {str_dup(target), golden.n ? str_dup(golden) : NULL};
    bool there = complain_if_absent(d, input[0]) && (!input[1] || complain_if_absent(d, input[1]));
    for (int i = 0; i < 2; i++) {
        if (!there) {
            free(input[i]);
            continue;
        }
        free(d->new_input[i]);
        d->new_input[i] = input[i];
        d->new_step[i] = d->new_rank[i] = -1;
    }
    return there ? R_RESTART : 0;
}

static int run_open(struct workspace *d, struct str args)
{
    struct str target, golden;
    if (!args.n) {
        workspace_complain(d, _("open TARGET [GOLDEN]"));
        return 0;
    }
    if (!str_split(args, ' ', &target, &golden))
        target = args, golden = STR("");
    return open_paths(d, target, str_trim(golden));
}

/* The first one opened is the target, the second its golden side; if both sides were given, it replaces the one in
 * whose folder it was found. */
static int run_take(struct workspace *d, struct str args)
{
    const char *alone = workspace_alone(d), *const *given = d->inv->input;
    if (d->c->failed && given[0] && given[1])
        return d->offers_for == TARGET ? open_paths(d, args, str_of(given[1])) : open_paths(d, str_of(given[0]), args);
    return alone ? open_paths(d, str_of(alone), args) : open_paths(d, args, STR(""));
}

static int run_dumps(struct workspace *d, struct str args)
{
    struct buf folder = {0}, title = {0};
    buf_str(&folder, args.n ? args : STR("."));
    buf_fmt(&title, _("searching below %s …"), folder.p);
    folder_scan_ask(&d->offers, folder.p);
    workspace_clear_list(d);
    workspace_show_list(d, title.p);
    d->list.offers = true;
    buf_release(&folder);
    buf_release(&title);
    return 0;
}

struct left {
    time_t when;
    char *path;
};

static int compare_times(const void *a, const void *b)
{
    const struct left *x = a, *y = b;
    return x->when > y->when ? -1 : x->when < y->when;
}

#define RECENT_MOST 50

/* "2026-11-23 10:12   round 2   marks 3   findings 1   /full/target ⇄ /full/golden" */
static void add_recent(struct workspace *d, const struct left *l)
{
    struct investigation v;
    struct err e;
    struct tm tm;
    char when[32];
    finding_list findings = {0};
    investigation_init(&v);
    bool newest_round = investigation_load(&v, l->path, &e) == 0 && v.input[0] && !v.continued;
    if (newest_round) {
        struct buf words = {0}, text = {0};
        const char *path[2] = {v.full[0] ? v.full[0] : v.input[0], v.full[1] ? v.full[1] : v.input[1]};
        localtime_r(&l->when, &tm);
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
        findings_read(&v.findings, &findings);
        buf_fmt(&words, "%s %s", path[0], path[1] ? path[1] : "");
        buf_fmt(&text, "%s", when);
        if (v.rounds.n)
            buf_fmt(&text, _("   round %zu"), v.rounds.n + 1);
        if (v.decisions.now)
            buf_fmt(&text, _("   marks %zu"), v.decisions.now);
        if (findings.n)
            buf_fmt(&text, _("   findings %zu"), findings.n);
        if (v.bookmarks.n)
            buf_fmt(&text, _("   bookmarks %zu"), v.bookmarks.n);
        buf_fmt(&text, "   %s ⇄ %s", path[0], path[1] ? path[1] : "-");
        workspace_add_command(d, "open", words.p, "%s", text.p);
        vec_release(&findings);
        buf_release(&words);
        buf_release(&text);
    }
    investigation_release(&v);
}

/* Investigations beside this one: the user's own state folder. */
static int run_recent(struct workspace *d, struct str args)
{
    VEC(struct left) found = {0};
    struct buf folder = {0}, path = {0};
    (void)args;
    buf_cstr(&folder, d->inv->state_dir ? d->inv->state_dir : "");
    DIR *dir = folder.n ? opendir(folder.p) : NULL;
    for (struct dirent *x; dir && (x = readdir(dir)) && found.n < 10000;) {
        struct stat st;
        if (!str_ends(str_of(x->d_name), ".investigation.json"))
            continue;
        path_join(&path, folder.p, x->d_name);
        if (stat(path.p, &st) == 0) {
            struct left l = {st.st_mtime, mem_strdup(path.p)};
            vec_push(&found, l);
        }
    }
    if (dir)
        closedir(dir);
    vec_sort(&found, compare_times);
    workspace_clear_list(d);
    for (size_t i = 0; i < found.n && d->list.items.n < RECENT_MOST; i++)
        add_recent(d, &found.v[i]);
    for (size_t i = 0; i < found.n; i++)
        free(found.v[i].path);
    vec_release(&found);
    buf_release(&folder);
    buf_release(&path);
    if (d->list.items.n)
        workspace_show_list(d, _("investigations, newest first; Enter opens one"));
    else
        workspace_say(d, _("no earlier investigations"));
    return 0;
}

const struct command commands_open[] = {
    {"intake", "", N_("show both sides of the comparison and doubts about the inputs"), 0, run_intake, NULL},
    {"open", "TARGET [GOLDEN]", N_("compare other dumps, or open one"), PATHS, run_open, NULL},
    {"take", "DUMP", N_("open the entry as the target; if only one dump is open, as its golden "
                        "side"), 0, run_take, NULL},
    {"dumps", "[FOLDER]", N_("list files below a folder that can be opened"), PATHS, run_dumps, NULL},
    {"recent", "", N_("list earlier investigations"), 0, run_recent, NULL},
    {0},
};
