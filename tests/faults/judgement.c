/* What a run with a failure must not differ in from the run without: verdicts, rows, files, sentences. */
#include "faults.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cjson/cJSON.h>

const char *const finding_names[FINDINGS] = {
    [FINE] = "as it should be",
    [FALSE_VERDICT] = "verdicts from unread data",
    [ROW_CHANGED] = "readable rows judged otherwise",
    [LOST] = "acknowledged things lost",
    [LEFT_RAW] = "terminals left raw",
    [ENDLESS] = "endless waits",
    [CRASH] = "crashes",
    [POORER] = "results quietly poorer",
    [STATUS_HIDES] = "unread parts with status 0",
    [NO_SENTENCE] = "errors without a sentence",
    [LEFT_BEHIND] = "temporary files left behind",
    [LIBRARY_ENDS] = "ends of libraries without memory",
};

static char note[600];

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, part)); p += strlen(part))
        n++;
    return n;
}

/* How often a text says that something is wrong with what was read or written. */
static size_t complaints(const struct text *t)
{
    static const char *const words[] = {
        "could not",        "cannot",       "unread=1",      "unread\":1",  "not read",      "not written",
        "not saved",        "ut of memory", "o memory",      "No space",    "Input/output",  "temporarily",
        "end of file",      "damaged",      "is missing",    "shrank",      "changed while", "o such file",
        "Interrupted",      "too large",    "Too many open", "Bad file",    "no thread",     "incomplete",
        "not compared",     "unknown",      "truncated",     "ends early",  "not a ",        "expected ",
        "\"unread\":\"",    "no longer",    "gives no",      "not at hand", "shorter",       "not looked at",
        "unread_files\":1",
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        n += count(t->p, words[i]);
    return n;
}

static bool said(const struct truth *truth, const struct outcome *o)
{
    return complaints(&o->err) > complaints(&truth->o.err) || complaints(&o->out) > complaints(&truth->o.out);
}

static bool same(const struct text *a, const struct text *b)
{
    return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

/* Where two texts part, as far as it fits into a line. */
static void note_difference(const char *what, const struct text *was, const struct text *now)
{
    size_t at = 0, from;
    while (at < was->n && at < now->n && was->p[at] == now->p[at])
        at++;
    from = at > 60 ? at - 60 : 0;
    snprintf(note, sizeof note, "%s: \"%.160s\" was \"%.160s\"", what, now->p + from, was->p + from);
    for (char *p = note; *p; p++)
        if (*p == '\n')
            *p = ' ';
}

/* ---- rows of compare's JSON ---- */

static const char *member(const cJSON *o, const char *key)
{
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));
    return s ? s : "";
}

static const cJSON *row_like(const cJSON *rows, const cJSON *wanted)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        if (strcmp(member(row, "target"), member(wanted, "target")) == 0 &&
            strcmp(member(row, "golden"), member(wanted, "golden")) == 0)
            return row;
    }
    return NULL;
}

static bool excuses(const char *verdict)
{
    return strcmp(verdict, "match") == 0 || strcmp(verdict, "drift") == 0;
}

/* A row that was judged both times, with another verdict: only one of them can be true. One whose tensor could not be
 * read is judged by its figures, and its sentence says so. */
static bool contradicts(const cJSON *was, const cJSON *now)
{
    const char *a = member(was, "verdict"), *b = member(now, "verdict"), *why = member(now, "reason");
    if (strstr(why, "without its tensor") || strstr(why, "could not be judged"))
        return false;
    if (strcmp(a, b) == 0 || strcmp(a, "only") == 0 || strcmp(a, "skip") == 0 || strcmp(b, "skip") == 0)
        return false;
    return excuses(a) != excuses(b);
}

static bool rows_hold(const struct text *truth, const struct text *now)
{
    cJSON *a = cJSON_Parse(truth->p), *b = cJSON_Parse(now->p);
    bool hold = true;
    const cJSON *was;
    cJSON_ArrayForEach(was, cJSON_GetObjectItem(a, "rows"))
    {
        const cJSON *row = row_like(cJSON_GetObjectItem(b, "rows"), was);
        if (row && hold && contradicts(was, row)) {
            hold = false;
            snprintf(note, sizeof note, "%s: %s, then %s (%s)", member(was, "target"), member(was, "verdict"),
                     member(row, "verdict"), member(row, "reason"));
        }
    }
    cJSON_Delete(a);
    cJSON_Delete(b);
    return hold;
}

/* ---- files ---- */

static bool temporary(const char *name)
{
    return strstr(name, ".tmp") != NULL;
}

/* How much of an investigation's members that people's work is in two of them share. */
enum likeness {
    UNLIKE,     /* something is missing, or it is none */
    AS_MANY,    /* as many entries of each, and the same of what was answered; their evidence or stamps differ */
    AT_LEAST,   /* the second has more */
    THE_SAME
};

static enum likeness likeness(const struct text *a, const struct text *b)
{
    static const char *const members[] = {"decisions", "findings", "rounds", "panels"};
    cJSON *x = cJSON_Parse(a->p), *y = cJSON_Parse(b->p);
    const cJSON *of_x = cJSON_GetObjectItem(x, "investigation"), *of_y = cJSON_GetObjectItem(y, "investigation");
    enum likeness l = of_x && of_y ? THE_SAME : UNLIKE;
    for (size_t i = 0; i < sizeof members / sizeof *members && l != UNLIKE; i++) {
        const cJSON *p = cJSON_GetObjectItem(of_x, members[i]), *q = cJSON_GetObjectItem(of_y, members[i]);
        int had = cJSON_GetArraySize(p), has = cJSON_GetArraySize(q);
        if (cJSON_IsObject(p) || cJSON_IsObject(q))
            l = cJSON_Compare(p, q, true) ? l : has > had ? AT_LEAST : UNLIKE;
        else if (has != had)
            l = has > had ? AT_LEAST : UNLIKE;
        else if (had && !cJSON_Compare(p, q, true) && l == THE_SAME)
            l = AS_MANY;
    }
    cJSON_Delete(x);
    cJSON_Delete(y);
    return l;
}

static bool is_investigation(const struct kept *k)
{
    return strstr(k->name, ".investigation.json") != NULL;
}

/* Whether a file holds what it is to hold; what else an investigation says (the inputs' sizes and times) is noted
 * anew. */
static bool kept_as(const struct kept *wanted, const struct kept *k)
{
    return wanted && (same(&wanted->content, &k->content) ||
                      (is_investigation(k) && likeness(&wanted->content, &k->content) == THE_SAME));
}

/* Of a file that is neither as before nor as it should be: another result of the same work, or work that is lost. */
static enum finding judge_other(const struct kept *k, const struct kept *before, const struct kept *after, bool typed)
{
    if (is_investigation(k)) {
        enum likeness l = typed   ? before ? likeness(&before->content, &k->content) : AT_LEAST
                          : after ? likeness(&after->content, &k->content)
                                  : UNLIKE;
        if (l == UNLIKE || (l == AT_LEAST && !typed))
            return LOST;
        if (typed)
            return FINE; /* which rows the keys met depends on how fast they came */
    }
    return complaints(&k->content) > (after ? complaints(&after->content) : 0) ? FINE : POORER;
}

/* Every file is as it was before or as it should be afterwards; `done`: the program has said that all is done. */
static enum finding judge_files(const struct truth *truth, const struct snapshot *now, bool done, bool told, bool typed)
{
    for (size_t i = 0; i < now->n; i++) {
        const struct kept *k = &now->file[i], *before = snapshot_find(&truth->before, k->name),
                          *after = snapshot_find(&truth->after, k->name);
        if (!before && !after) {
            snprintf(note, sizeof note, "%s is left", k->name);
            if (temporary(k->name))
                return LEFT_BEHIND;
            continue;
        }
        bool old = kept_as(before, k), new = kept_as(after, k);
        snprintf(note, sizeof note, "%s is as it was", k->name);
        if (!old && !new)
            note_difference(k->name, after ? &after->content : &before->content, &k->content);
        enum finding other = old || new ? FINE : judge_other(k, before, after, typed);
        if (other != FINE && !(other == POORER && told))
            return other;
        if (done && !told && old && !new)
            return LOST;
    }
    for (size_t i = 0; i < truth->after.n; i++) {
        const char *name = truth->after.file[i].name;
        bool had = snapshot_find(&truth->before, name) != NULL;
        snprintf(note, sizeof note, "%s is not there", name);
        if (!snapshot_find(now, name) && (had || (done && !told)))
            return LOST;
    }
    *note = 0;
    return FINE;
}

/* What the screen has acknowledged is in its file. */
static bool acknowledged_is_kept(const struct trial *t, const struct outcome *o, const struct snapshot *now)
{
    if (!t->acknowledged)
        return true;
    const struct kept *k = snapshot_find(now, t->kept_in);
    size_t wanted = count(o->out.p, t->acknowledged), there = k ? count(k->content.p, t->kept_as) : 0;
    snprintf(note, sizeof note, "%zu acknowledged, %zu in %s", wanted, there, t->kept_in);
    return there >= wanted;
}

/* ---- the whole ---- */

static enum finding judge_status(const struct trial *t, const struct fault *f, const struct truth *truth,
                                 const struct outcome *o, bool told)
{
    int code = WEXITSTATUS(o->status), true_code = WEXITSTATUS(truth->o.status);
    bool shown = f->kind != LIMIT_FULL && f->kind != LIMIT_CLOSED; /* else there is no output to compare */
    snprintf(note, sizeof note, "status %d instead of %d", code, true_code);
    if (code == 3 && f->kind == FAULT_READ && !t->written) /* 3 says that an input could not be opened */
        return NO_SENTENCE;
    if (code == 3 || code == 5 || code == 6)
        return told || strstr(o->err.p, "diverge: ") || code == true_code ? FINE : NO_SENTENCE;
    if (code != true_code && code != 0 && code != 1)
        return NO_SENTENCE;
    if (code != true_code)
        return code == 1 && t->damage && (told || count(o->out.p, "diverge: problems")) ? FINE : FALSE_VERDICT;
    if (!shown)
        return truth->o.out.n && !told ? POORER : FINE;
    if (same(&o->out, &truth->o.out) || t->acknowledged)
        return FINE; /* what a screen shows of a failure is another screen; what it has acknowledged was counted */
    if (t->rows && !rows_hold(&truth->o.out, &o->out))
        return ROW_CHANGED;
    note_difference(told ? "output, said" : "output", &truth->o.out, &o->out);
    return !told ? POORER : code == 0 && !t->written ? STATUS_HIDES : FINE;
}

static enum finding judge_screen(const struct outcome *o, bool told)
{
    int code = WEXITSTATUS(o->status);
    snprintf(note, sizeof note, "status %d", code);
    return code == 0 || told || count(o->out.p, "diverge: ") ? FINE : NO_SENTENCE;
}

static bool killed_on_purpose(const struct fault *f, int status)
{
    return f->kind == FAULT_KILL && WTERMSIG(status) == SIGKILL;
}

static enum finding judge_run(const struct trial *t, const struct fault *f, const struct truth *truth,
                              const struct outcome *o, const struct snapshot *now, const char **detail)
{
    bool told = said(truth, o), done = WIFEXITED(o->status) && o->status == truth->o.status;
    *detail = note;
    *note = 0;
    if (o->endless)
        return ENDLESS;
    if (WIFEXITED(o->status) && WEXITSTATUS(o->status) == 127)
        return FINE; /* not even loaded */
    bool killed = WIFSIGNALED(o->status) && killed_on_purpose(f, o->status);
    if (WIFSIGNALED(o->status) && !killed) {
        snprintf(note, sizeof note, "%s", strsignal(WTERMSIG(o->status)));
        return o->terminal == TERMINAL_RAW ? LEFT_RAW : CRASH;
    }
    if (o->terminal == TERMINAL_RAW && !killed)
        return LEFT_RAW;
    if (!acknowledged_is_kept(t, o, now))
        return LOST;
    enum finding of_files = t->acknowledged || (killed && t->keys)
                                ? FINE
                                : judge_files(truth, now, done && !t->keys, told, t->keys != NULL);
    bool no_removing = f->kind == FAULT_RENAME && f->onwards; /* then nothing can take it away, but the next write */
    if (of_files != FINE && !((killed || no_removing) && of_files == LEFT_BEHIND))
        return of_files;
    if (killed)
        return FINE;
    return t->keys ? judge_screen(o, told) : judge_status(t, f, truth, o, told);
}

/* Libraries that ask the system for memory themselves and go on, or break, where there is none (doc/faults.md). */
static bool library_ends(const struct fault *f, const struct outcome *o)
{
    static const char *const libraries[] = {"libtinfo", "libncursesw"};
    bool is = false;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        is = is || strncmp(o->counts.library, libraries[i], strlen(libraries[i])) == 0;
    return is && f->kind == FAULT_ALLOC;
}

enum finding judge_outcome(const struct trial *t, const struct fault *f, const struct truth *truth,
                           const struct outcome *o, const struct snapshot *now, const char **detail)
{
    enum finding what = judge_run(t, f, truth, o, now, detail);
    if ((what != CRASH && what != POORER) || !library_ends(f, o))
        return what;
    char kept[sizeof note];
    snprintf(kept, sizeof kept, "%s", note);
    snprintf(note, sizeof note, "%s: %.500s", o->counts.library, kept);
    return LIBRARY_ENDS;
}
