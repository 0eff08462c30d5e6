/* campaign PROGRAM SHIM INPUTS CASES [CASE [KIND [AT[+]]]]: every command of CASES with every kind of failure, at calls
 * from different places in the program; what comes out is judged (judgement.c) and counted in the last lines.
 *
 * FAULTS_EVERY=N takes every Nth failure, FAULTS_SECONDS=N (540) ends it, FAULTS_JOBS=N runs so many at a time
 * (processors). With AT one failure alone, and all that the program writes; KIND "none" runs the command as it is. */
#define _GNU_SOURCE
#include "faults.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CASES = 120, ARGS = 40, TIMEOUT_MS = 20000, ENDLESS_MOST = 3, STRIDE = 8, FAILURES = 400 };

static const char *const names[ALL_KINDS] = {FAULT_NAMES, "full", "closed", "size", "memory", "files"};

/* How many failures of a kind a command is given, a screen a half of them: it takes as long as its keys. */
static const int most[ALL_KINDS] = {
    [FAULT_ALLOC] = 30, [FAULT_THREAD] = 8, [FAULT_OPEN] = 10, [FAULT_STAT] = 10,  [FAULT_READ] = 10,  [FAULT_READDIR] = 4,
    [FAULT_SHORT] = 4,  [FAULT_SIGNAL] = 5, [FAULT_WRITE] = 8, [FAULT_SYNC] = 4,   [FAULT_RENAME] = 8, [FAULT_SHRINK] = 7,
    [FAULT_KILL] = 10,  [FAULT_DELAY] = 3,  [LIMIT_FULL] = 1,   [LIMIT_CLOSED] = 1, [LIMIT_SIZE] = 3,  [LIMIT_MEMORY] = 3, [LIMIT_FILES] = 3,
};

static struct trial trials[CASES];
static size_t trials_n;

/* What all workers count together. */
static struct tally {
    atomic_long runs, of_kind[ALL_KINDS], of_finding[FINDINGS], on_screen;
    struct {
        atomic_size_t chosen,
            reached; /* of the failures in their order: so many are to be tried, so many have had their turn */
    } of_trial[CASES];
} *tally;

static struct {
    const char *program, *shim, *origin, *scratch;
    char kept[500]; /* what is left of runs that crashed */
    long every, seconds, jobs;
    time_t begun;
} campaign;

/* ---- cases ---- */

/* Splits a line at blanks in place; "…" holds some together. */
static size_t split(char *line, char **word, size_t limit)
{
    size_t n = 0;
    for (char *p = line; *p && n < limit;) {
        while (isspace((unsigned char)*p))
            p++;
        if (!*p)
            break;
        bool quoted = *p == '"';
        word[n++] = p += quoted;
        while (*p && (quoted ? *p != '"' : !isspace((unsigned char)*p)))
            p++;
        if (*p)
            *p++ = 0;
    }
    return n;
}

static void add_flags(struct trial *t, char *flags)
{
    for (char *rest, *one = strtok_r(flags, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        t->rows = t->rows || strcmp(one, "rows") == 0;
        t->damage = t->damage || strcmp(one, "damage") == 0;
        t->written = t->written || strcmp(one, "written") == 0;
        if (strcmp(one, "marks") == 0) {
            t->acknowledged = "S  marked; ";
            t->kept_as = "\"what\": \"mark\"";
            t->kept_in = "new.investigation.json";
        }
    }
}

static void read_cases(const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(path, "r");
    while (f && getline(&line, &room, f) >= 0 && trials_n < CASES) {
        char *word[ARGS], *copy = strdup(line), *keys = strstr(copy, " :: ");
        if (keys) {
            *keys = 0;
            keys += 4;
            keys[strcspn(keys, "\n")] = 0;
        }
        size_t n = *copy == '#' ? 0 : split(copy, word, ARGS - 1);
        if (n < 3) {
            free(copy);
            continue;
        }
        struct trial *t = &trials[trials_n++];
        *t = (struct trial){.name = word[0], .keys = keys, .argv = calloc(n, sizeof(char *))};
        add_flags(t, word[1]);
        t->argv[0] = (char *)(uintptr_t)"diverge";
        memcpy(t->argv + 1, word + 2, (n - 2) * sizeof *word);
    }
    free(line);
    if (f)
        fclose(f);
}

/* ---- one command, all its failures ---- */

static bool late(void)
{
    return campaign.seconds && time(NULL) - campaign.begun >= campaign.seconds;
}

/* When a command has to make room: what is left of the time is shared evenly among it and the others of its worker that
 * come after it in the same round, so each has had its share before the time is over, however slow the machine is. */
static time_t share_ends(size_t number)
{
    time_t now = time(NULL);
    long with_it = (long)(trials_n - number + (size_t)campaign.jobs - 1) / campaign.jobs;
    return now + (campaign.begun + campaign.seconds - now) / with_it;
}

static void report(const struct trial *t, const struct fault *f, enum finding what, const char *detail)
{
    char line[1200];
    int n = snprintf(line, sizeof line, "  %s: %s %s %ld%s: %s\n", finding_names[what], t->name, names[f->kind], f->at,
                     f->onwards ? "+" : "", detail);
    if (n > 0 && write(STDOUT_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
        exit(2);
}

/* Without a failure, twice: what comes out the same both times can be held against. The second time the places where
 * something could fail are listed as well. */
static bool learn(const struct slot *s, const struct trial *t, struct truth *truth)
{
    char list[500];
    const char *detail;
    const struct fault none = {.kind = -1}, listing = {.kind = -1, .sites = list};
    snprintf(list, sizeof list, "%s.sites", s->dir);
    unlink(list);
    slot_restore(s);
    truth->before = slot_snapshot(s, "w");
    truth->o = slot_run(s, t, &none, TIMEOUT_MS);
    truth->after = slot_snapshot(s, "w");
    slot_restore(s);
    struct outcome again = slot_run(s, t, &listing, TIMEOUT_MS);
    struct snapshot now = slot_snapshot(s, "w");
    enum finding f = judge_outcome(t, &none, truth, &again, &now, &detail);
    if (f != FINE)
        fprintf(stderr, "faults: %s: %s without a failure: %s\n%s", t->name, finding_names[f], detail, again.err.p);
    truth->sites = text_of_file(list);
    outcome_release(&again);
    snapshot_release(&now);
    return f == FINE;
}

static void forget(struct truth *truth)
{
    outcome_release(&truth->o);
    snapshot_release(&truth->before);
    snapshot_release(&truth->after);
    free(truth->sites.p);
}

static void write_text(const char *path, const struct text *t)
{
    FILE *f = fopen(path, "w");
    if (f)
        fwrite(t->p, 1, t->n, f);
    if (f)
        fclose(f);
}

/* What one failure changes, of outputs and kept files. */
static void show(const struct slot *s, const struct truth *truth, const struct outcome *o, const struct snapshot *now)
{
    char line[1500], path[500];
    struct outcome pair[2] = {truth->o, *o};
    printf("status %d%s, %ld failed\n", o->status, o->endless ? ", endless" : "", atomic_load(&o->counts.failed));
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        const struct snapshot *files = i ? now : &truth->after;
        snprintf(line, sizeof line, "rm -rf '%s.%d' && mkdir '%s.%d'", s->dir, i, s->dir, i);
        if (system(line) != 0)
            exit(2);
        snprintf(path, sizeof path, "%s.%d/standard-output", s->dir, i);
        write_text(path, &pair[i].out);
        snprintf(path, sizeof path, "%s.%d/standard-error", s->dir, i);
        write_text(path, &pair[i].err);
        for (size_t k = 0; k < files->n; k++) {
            snprintf(path, sizeof path, "%s.%d/%s", s->dir, i, files->file[k].name);
            write_text(path, &files->file[k].content);
        }
    }
    snprintf(line, sizeof line, "diff -urN '%s.0' '%s.1'", s->dir, s->dir);
    if (system(line) < 0)
        exit(2);
}

/* The failures that nobody chose: races, and what a busy machine makes of limits. They may not come again, so all that
 * is left of the run stays, and the place where it ended is told. */
static void keep_crash(const struct slot *s, const struct trial *t, const struct fault *f, const struct outcome *o)
{
    char dir[600], path[700], line[2400];
    const struct text *said = t->keys ? &o->out : &o->err;
    const char *trace = strstr(said->p, "faults: signal");
    snprintf(dir, sizeof dir, "%s/%s-%s-%ld%s", campaign.kept, t->name, names[f->kind], f->at, f->onwards ? "+" : "");
    snprintf(line, sizeof line, "mkdir -p '%s' && rm -rf '%s/w' && cp -a '%s/w' '%s'", dir, dir, s->dir, dir);
    if (system(line) != 0)
        fprintf(stderr, "faults: %s failed\n", line);
    snprintf(path, sizeof path, "%s/standard-output", dir);
    write_text(path, &o->out);
    snprintf(path, sizeof path, "%s/standard-error", dir);
    write_text(path, &o->err);
    fprintf(stderr, "faults: kept in %s\n%s\n", dir, trace ? trace : said->p);
}

/* Whether a run without a failure on the inputs as they are now, one of them cut, comes out the same: what was believed
 * is what is there. */
static bool true_of_cut(const struct slot *s, const struct trial *t, const struct outcome *o,
                        const struct snapshot *now)
{
    const char *detail;
    const struct fault none = {.kind = -1};
    slot_restore(s);
    struct truth cut = {.before = slot_snapshot(s, "w"), .o = slot_run(s, t, &none, TIMEOUT_MS)};
    cut.after = slot_snapshot(s, "w");
    bool same = judge_outcome(t, &none, &cut, o, now, &detail) == FINE;
    forget(&cut);
    return same;
}

static enum finding attempt(const struct slot *s, const struct trial *t, const struct truth *truth,
                            const struct fault *f, bool *unharmed)
{
    const char *detail;
    slot_restore(s);
    struct outcome o = slot_run(s, t, f, TIMEOUT_MS);
    struct snapshot now = slot_snapshot(s, "w");
    enum finding what = judge_outcome(t, f, truth, &o, &now, &detail);
    char kept[600];
    snprintf(kept, sizeof kept, "%s", detail);
    if (what != FINE && f->kind == FAULT_SHRINK && !t->keys && true_of_cut(s, t, &o, &now))
        what = FINE;
    *unharmed = f->kind < FAULT_KINDS && atomic_load(&o.counts.failed) == 0;
    if (what != FINE)
        report(t, f, what, kept);
    if (WIFSIGNALED(o.status) && what != FINE && !o.endless)
        keep_crash(s, t, f, &o);
    if (f->say)
        show(s, truth, &o, &now);
    outcome_release(&o);
    snapshot_release(&now);
    return what;
}

/* The numbers of a kind's calls that are listed, or NULL: how many. */
static size_t places_of(const struct truth *truth, int kind, long *at)
{
    size_t n = 0, length = strlen(names[kind]);
    for (const char *p = truth->sites.p; *p; p = strchr(p, '\n') + 1)
        if (strncmp(p, names[kind], length) == 0 && p[length] == ' ') {
            if (at)
                at[n] = strtol(p + length, NULL, 10);
            n++;
        }
    return n;
}

/* The numbers of the calls to fail: from each place the first, evenly chosen; where places are few, others as well. */
static size_t choose(const struct truth *truth, int kind, long calls, size_t limit, long *at)
{
    size_t n = 0, places = places_of(truth, kind, NULL);
    long *place = calloc(places + 1, sizeof *place);
    places_of(truth, kind, place);
    for (size_t i = 0; i < places; i++)
        if (places <= limit || i * limit / places != (i + 1) * limit / places)
            at[n++] = place[i];
    for (size_t i = 0, more = limit - n; n < limit && i < more && (long)n < calls; i++)
        at[n++] = (long)(i + 1) * calls / (long)more; /* and spread over all, the last among them */
    free(place);
    return n;
}

/* What limits are tried, in the unit of each. */
static size_t choose_limits(const struct truth *truth, int kind, long *at)
{
    static const long files[] = {5, 8, 12}, memory[] = {40000, 80000, 120000};
    size_t n = (size_t)most[kind];
    for (size_t i = 0; i < n; i++)
        at[i] = kind == LIMIT_SIZE   ? (long)(truth->o.out.n * i / n)
                : kind == LIMIT_FILES  ? files[i]
                : kind == LIMIT_MEMORY ? memory[i]
                : kind == FAULT_DELAY  ? (long)i + 1
                                       : 1;
    return n;
}

/* All failures of a kind that are tried with a command, behind the n there are. */
static size_t failures_of_kind(const struct trial *t, const struct truth *truth, int kind, struct fault *list, size_t n)
{
    long at[64];
    bool limited = kind >= FAULT_DELAY; /* no nth call, but a measure */
    long calls = limited ? 1 : atomic_load(&truth->o.counts.calls[kind]);
    if (!calls ||
        (t->keys && (kind == FAULT_DELAY || kind == LIMIT_FULL || kind == LIMIT_CLOSED || kind == LIMIT_SIZE)))
        return n;
    size_t some = limited ? choose_limits(truth, kind, at)
                          : choose(truth, kind, calls, (size_t)(t->keys ? (most[kind] + 1) / 2 : most[kind]), at);
    for (size_t i = 0; i < some && n < FAILURES; i++)
        list[n++] = (struct fault){.kind = kind,
                                   .at = at[i],
                                   .onwards = !limited && kind != FAULT_SHRINK && kind != FAULT_SIGNAL && i % 4 == 3};
    return n;
}

/* The failures of a command in the order they are tried in: every STRIDEth of all, then those beside them, so that
 * where the time ends each kind has been tried. With FAULTS_EVERY each command has its own part of them. */
static size_t failures_of(size_t number, const struct truth *truth, struct fault *ordered)
{
    struct fault list[FAILURES];
    size_t all = 0, n = 0;
    for (int kind = 0; kind < ALL_KINDS; kind++)
        all = failures_of_kind(&trials[number], truth, kind, list, all);
    for (size_t first = 0; first < STRIDE; first++)
        for (size_t i = first; i < all; i += STRIDE)
            if ((i + number) % (size_t)campaign.every == 0)
                ordered[n++] = list[i];
    return n;
}

/* A command, what it does without a failure, and what is tried with it. */
struct course {
    size_t number; /* of its trial */
    struct truth truth;
    size_t n, reached; /* of the failures; how many have had their turn */
    struct fault list[FAILURES];
    int waits[ALL_KINDS]; /* runs of a kind that never ended */
};

/* One failure, judged and counted. */
static void try_failure(const struct slot *s, struct course *c, const struct fault *f)
{
    bool unharmed;
    if (c->waits[f->kind] >= ENDLESS_MOST)
        return; /* the kind only waits */
    enum finding what = attempt(s, &trials[c->number], &c->truth, f, &unharmed);
    c->waits[f->kind] += what == ENDLESS;
    if (unharmed)
        return; /* this time there were fewer calls */
    atomic_fetch_add(&tally->of_finding[what], 1);
    atomic_fetch_add(&tally->of_kind[f->kind], 1);
    atomic_fetch_add(&tally->runs, 1);
    atomic_fetch_add(&tally->on_screen, trials[c->number].keys != NULL);
}

/* The failures of a command that have not had their turn, until its share of the time is over. */
static void go_on(const struct slot *s, struct course *c)
{
    time_t ends = share_ends(c->number);
    for (; c->reached < c->n && !late() && (!campaign.seconds || time(NULL) <= ends); c->reached++)
        try_failure(s, c, &c->list[c->reached]);
    atomic_store(&tally->of_trial[c->number].chosen, c->n);
    atomic_store(&tally->of_trial[c->number].reached, c->reached);
}

static void open_slot(struct slot *s, int worker)
{
    *s = (struct slot){.program = campaign.program, .shim = campaign.shim};
    snprintf(s->dir, sizeof s->dir, "%s/%d", campaign.scratch, worker);
    snprintf(s->origin, sizeof s->origin, "%s", campaign.origin);
    mkdir(s->dir, 0755);
}

/* Every FAULTS_JOBSth command, its failures in rounds: what one does not need of its share the others have. */
static int work(size_t worker)
{
    static struct course *courses[CASES];
    struct slot s;
    int rc = 0;
    bool more = true;
    open_slot(&s, (int)worker);
    while (more && !late()) {
        more = false;
        for (size_t i = worker; i < trials_n && !late(); i += (size_t)campaign.jobs) {
            if (!courses[i]) {
                courses[i] = calloc(1, sizeof **courses);
                courses[i]->number = i;
                if (learn(&s, &trials[i], &courses[i]->truth))
                    courses[i]->n = failures_of(i, &courses[i]->truth, courses[i]->list);
                else
                    rc = 2;
            }
            go_on(&s, courses[i]);
            more |= courses[i]->reached < courses[i]->n;
        }
    }
    return rc;
}

/* ---- all ---- */

static int run_all(void)
{
    int rc = 0, status;
    fflush(stdout);
    for (long i = 0; i < campaign.jobs; i++)
        if (fork() == 0)
            _exit(work((size_t)i));
    while (wait(&status) > 0)
        rc |= !WIFEXITED(status) || WEXITSTATUS(status);
    return rc;
}

static int tell(void)
{
    long bad = 0;
    printf("%ld failures injected into %zu commands and screens, %ld of them on a screen, in %ld s:",
           atomic_load(&tally->runs), trials_n, atomic_load(&tally->on_screen), (long)(time(NULL) - campaign.begun));
    for (int i = 0; i < ALL_KINDS; i++)
        printf(" %s %ld", names[i], atomic_load(&tally->of_kind[i]));
    printf("\n");
    size_t left = 0, unbegun = 0;
    for (size_t i = 0; i < trials_n && campaign.seconds; i++) {
        size_t chosen = atomic_load(&tally->of_trial[i].chosen), reached = atomic_load(&tally->of_trial[i].reached);
        left += chosen - reached;
        unbegun += !reached;
    }
    if (left)
        printf("%zu more were left out: the time was over\n", left);
    if (unbegun)
        printf("faults: %zu commands had no failure at all\n", unbegun);
    for (int i = FINE + 1; i < FINDINGS; i++) {
        bad += i == LIBRARY_ENDS ? 0 : atomic_load(&tally->of_finding[i]); /* named, and not ours to mend */
        printf("%s%s %ld", i == FINE + 1 ? "faults: " : ", ", finding_names[i], atomic_load(&tally->of_finding[i]));
    }
    printf("\n");
    return bad != 0 || unbegun != 0;
}

/* CASE [KIND [AT[+]]] of the command line. */
static int run_some(int argc, char **argv)
{
    static struct course c;
    struct slot s;
    open_slot(&s, 0);
    for (size_t i = 0; i < trials_n; i++) {
        bool unharmed;
        if (strcmp(trials[i].name, argv[0]) != 0)
            continue;
        c = (struct course){.number = i};
        if (!learn(&s, &trials[i], &c.truth))
            return 2;
        for (int kind = 0; kind < ALL_KINDS; kind++) {
            if (argc > 1 && strcmp(names[kind], argv[1]) != 0)
                continue;
            struct fault f = {.kind = kind,
                              .at = argc > 2 ? strtol(argv[2], NULL, 10) : 0,
                              .onwards = argc > 2 && strchr(argv[2], '+'),
                              .say = true};
            if (argc > 2)
                attempt(&s, &trials[i], &c.truth, &f, &unharmed);
            else
                for (size_t k = 0, n = failures_of_kind(&trials[i], &c.truth, kind, c.list, 0); k < n; k++)
                    try_failure(&s, &c, &c.list[k]);
        }
        if (argc > 1 && strcmp(argv[1], "none") == 0) {
            printf("status %d\n%s\n%s\n", c.truth.o.status, c.truth.o.out.p, c.truth.o.err.p);
            for (int k = 0; k < FAULT_KINDS; k++)
                printf("%s %ld\n", names[k], atomic_load(&c.truth.o.counts.calls[k]));
        }
    }
    return 0;
}

static long number(const char *name, long otherwise)
{
    const char *v = getenv(name);
    return v && *v ? strtol(v, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    char scratch[300], line[700];
    const char *tmp = getenv("TMPDIR");
    if (argc < 5) {
        fprintf(stderr, "usage: %s PROGRAM SHIM INPUTS CASES [CASE [KIND [AT[+]]]]\n", argv[0]);
        return 2;
    }
    snprintf(scratch, sizeof scratch, "%s/diverge-faults-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(scratch))
        return 2;
    campaign.program = realpath(argv[1], NULL);
    campaign.shim = realpath(argv[2], NULL);
    campaign.origin = realpath(argv[3], NULL);
    campaign.scratch = scratch;
    snprintf(campaign.kept, sizeof campaign.kept, "%s-kept", campaign.origin ? campaign.origin : scratch);
    campaign.every = number("FAULTS_EVERY", 1);
    campaign.seconds = argc > 5 ? 0 : number("FAULTS_SECONDS", 540);
    campaign.jobs = number("FAULTS_JOBS", sysconf(_SC_NPROCESSORS_ONLN));
    campaign.begun = time(NULL);
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    read_cases(argv[4]);
    if (!campaign.program || !campaign.shim || !campaign.origin || tally == MAP_FAILED || !trials_n)
        return 2;
    int rc = argc > 5 ? run_some(argc - 5, argv + 5) : run_all();
    rc |= argc > 7 ? 0 : tell();
    snprintf(line, sizeof line, "rm -rf '%s'", scratch);
    return system(line) != 0 || rc;
}
