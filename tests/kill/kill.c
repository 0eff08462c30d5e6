/* A marking session that is killed at any moment: what the program has said is done is in the file, the file is whole,
 * and the next program can go on with it. Several programs that mark at once: what each has said is there as well.
 *
 * killed PROGRAM SAMPLES [POINTS]: so many kills (else KILL_POINTS, else 40), spread evenly over the time a whole
 * session takes. A session is the screen's script: marks, rejections, undo and redo, each followed by a screen whose
 * last line says that it is done. After each kill one more mark is made without a screen; every fourth of these is
 * killed too. Then a quarter as many kills of a round that is left for the next: a round the file speaks of is
 * whole. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <poll.h>

enum { COMMANDS = 60, ROWS = 8, OUTPUT = 1 << 16, CLOSE_MS = 60000 };

static char dir[300], file[400], script[400], lock[420];
static const char *program, *target, *golden;

/* What has to be in the file after so many commands: how many decisions, how many of them hold, and what each is. */
struct state {
    int n, now, what[COMMANDS + 1];
};
static struct state after[COMMANDS + 1];
static bool marks[COMMANDS + 1]; /* whether a command is one; else it takes back or does again */

static void die(const char *what, long point)
{
    fprintf(stderr, "killed: point %ld: %s (left in %s)\n", point, what, dir);
    exit(1);
}

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* The two rows of mark number i: no two marks have the same. */
static void rows_of(int i, char t[80], char g[80])
{
    snprintf(t, 80, "Functional.linear.%d.forward.output.0", i % ROWS);
    snprintf(g, 80, "Functional.linear.%d.forward.output.0", (i / ROWS + i + 1) % ROWS);
}

static void plan(void)
{
    FILE *f = fopen(script, "w");
    struct state s = {0};
    char t[80], g[80];
    fputs("size 3 80\nsettle\n", f);
    for (int i = 0; i < COMMANDS; i++) {
        const char *verb = i % 5 == 3 || i % 7 == 6 ? "undo" : i % 5 == 4 && s.now < s.n ? "redo" : "mark";
        marks[i] = strcmp(verb, "mark") == 0;
        if (marks[i]) {
            rows_of(i, t, g);
            fprintf(f, "mark %s %s\nscreen\n", t, g);
            s.what[s.now++] = i;
            s.n = s.now;
        } else {
            fprintf(f, "%s\nscreen\n", verb);
            s.now += strcmp(verb, "undo") == 0 ? -1 : 1;
        }
        after[i + 1] = s;
    }
    fclose(f);
}

/* Runs the program with its output in out (ended by a nought), killed after so many microseconds; < 0: never. They are
 * counted from its first words where `speaking`: how long it takes to begin is the machine's matter. Its status. */
static int run(const char *const *argv, char *out, int64_t kill_us, bool speaking, int64_t *took_us)
{
    int ends[2], status;
    size_t n = 0;
    int64_t begun = now_us();
    if (pipe(ends))
        die("no pipe", -1);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(program, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    close(ends[1]);
    for (bool killed = false;;) {
        bool waits = kill_us < 0 || (speaking && !n);
        int64_t left = waits ? CLOSE_MS * (int64_t)1000 : kill_us - (now_us() - begun);
        if (!killed && !waits && left <= 0) {
            kill(pid, SIGKILL);
            killed = true;
        }
        struct pollfd p = {.fd = ends[0], .events = POLLIN};
        struct timespec wait = {left > 0 && !killed ? left / 1000000 : CLOSE_MS / 1000,
                                left > 0 && !killed ? left % 1000000 * 1000 : 0};
        if (ppoll(&p, 1, &wait, NULL) == 0 && (killed || waits)) {
            kill(pid, SIGKILL);
            die("it hangs", -1);
        }
        ssize_t got = p.revents ? read(ends[0], out + n, OUTPUT - 1 - n) : -1;
        if (got == 0)
            break; /* all it said was read, also what it said before it was killed */
        if (got > 0 && !n && speaking)
            begun = now_us();
        if (got > 0)
            n += (size_t)got;
    }
    out[n] = 0;
    close(ends[0]);
    waitpid(pid, &status, 0);
    if (took_us)
        *took_us = now_us() - begun;
    return status;
}

static int said(const char *out)
{
    static const char *const words[] = {"S  marked; ", "S  undone: ", "S  redone: "};
    int n = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *p = out; (p = strstr(p, words[i])); p++)
            n++;
    return n;
}

static cJSON *decisions(long point, int *now)
{
    static char text[OUTPUT * 4];
    FILE *f = fopen(file, "r");
    if (!f)
        return NULL;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    cJSON *root = cJSON_ParseWithOpts(text, NULL, 1);
    if (!root)
        die("the file is no JSON", point);
    const cJSON *o = cJSON_GetObjectItem(root, "investigation");
    const cJSON *d = cJSON_GetObjectItem(o, "decided");
    cJSON *list = cJSON_DetachItemFromObject((cJSON *)(uintptr_t)o, "decisions");
    if (!cJSON_IsArray(list) || !cJSON_IsNumber(d))
        die("the file has no decisions", point);
    *now = d->valueint;
    cJSON_Delete(root);
    return list;
}

static bool is(const cJSON *d, const char *t, const char *g)
{
    const char *a = cJSON_GetStringValue(cJSON_GetObjectItem(d, "target")),
               *b = cJSON_GetStringValue(cJSON_GetObjectItem(d, "golden"));
    return a && b && strcmp(a, t) == 0 && strcmp(b, g) == 0;
}

static bool holds(const cJSON *list, int now, const struct state *s)
{
    char t[80], g[80];
    bool same = now == s->now && cJSON_GetArraySize(list) == s->n;
    for (int i = 0; i < s->n && same; i++) {
        rows_of(s->what[i], t, g);
        same = is(cJSON_GetArrayItem(list, i), t, g);
    }
    return same;
}

/* As many commands as were said to be done are in the file, or one more: it was being said. */
static void check(long point, int done)
{
    int now = 0;
    cJSON *list = decisions(point, &now);
    bool right =
        list ? holds(list, now, &after[done]) || (done < COMMANDS && holds(list, now, &after[done + 1])) : done == 0;
    cJSON_Delete(list);
    if (!right) {
        fprintf(stderr, "killed: %d commands were said to be done\n", done);
        die("the file holds something else", point);
    }
}

/* What a killed writer left is cleared by the next one. */
static void nothing_half_written(long point)
{
    DIR *d = opendir(dir);
    for (struct dirent *it; d && (it = readdir(d));)
        if (strstr(it->d_name, ".tmp")) {
            fprintf(stderr, "killed: %s is left\n", it->d_name);
            die("a file half written stays", point);
        }
    if (d)
        closedir(d);
}

/* One more mark without a screen, on what the killed one left: nobody holds the file any more. */
static void go_on(long point, int64_t kill_us)
{
    static char out[OUTPUT];
    int before = 0, now = 0, status;
    const char *t = "Functional.linear.0.forward.output.0", *g = "Functional.linear.0.forward.output.0";
    const char *argv[] = {"diverge", "mark", file, t, g, NULL};
    cJSON *list = decisions(point, &before);
    if (!list)
        return; /* killed before there was a file */
    cJSON_Delete(list);
    status = run(argv, out, kill_us, false, NULL);
    bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0, told = ended || strstr(out, " = ");
    if (kill_us < 0 && !ended) {
        fprintf(stderr, "%s", out);
        die("the file could not be gone on with", point);
    }
    list = decisions(point, &now);
    if (ended)
        nothing_half_written(point);
    if (!list || now < before || (told && (now != before + 1 || !is(cJSON_GetArrayItem(list, before), t, g))))
        die("a mark without a screen is lost", point);
    cJSON_Delete(list);
}

/* Marks made by several programs at the same time: who was let in is in the file, who was not has said so. */
static void together(long round)
{
    enum { AT_ONCE = 6 };
    pid_t pid[AT_ONCE];
    int before = 0, now = 0, made = 0, status;
    cJSON_Delete(decisions(round, &before));
    for (int i = 0; i < AT_ONCE; i++) {
        pid[i] = fork();
        if (pid[i] == 0) {
            char t[80], g[80];
            rows_of(i + (int)round, t, g);
            int quiet = open("/dev/null", O_WRONLY);
            dup2(quiet, STDOUT_FILENO);
            dup2(quiet, STDERR_FILENO);
            execl(program, "diverge", "mark", file, t, g, (char *)NULL);
            _exit(127);
        }
    }
    for (int i = 0; i < AT_ONCE; i++) {
        waitpid(pid[i], &status, 0);
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 127;
        if (code == 127)
            die("a mark among others failed", round);
        made += code == 0;
    }
    cJSON_Delete(decisions(round, &now));
    if (now != before + made) {
        fprintf(stderr, "killed: %d programs said they had marked, %d marks are there\n", made, now - before);
        die("marks made at the same time are lost", round);
    }
}

/* How many rounds the file says were left. */
static int rounds(long point)
{
    static char text[OUTPUT];
    FILE *f = fopen(file, "r");
    if (!f)
        die("the file is gone", point);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    cJSON *root = cJSON_Parse(text);
    if (!root)
        die("the file is no JSON", point);
    int n = cJSON_GetArraySize(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "investigation"), "rounds"));
    cJSON_Delete(root);
    return n;
}

/* A round is left for the next and killed on the way: either it was not left, or its file is there, whole and the one
 * that was meant; and what was not done can be done. Returns how many of the kills came before it was left. */
static long kill_rounds(long points, const char *samples)
{
    static char out[OUTPUT], next[500], left[420];
    int64_t whole = 0;
    long before = 0;
    const char *begin[] = {"diverge", "compare", target, golden, "--investigation", file, "-q", NULL};
    const char *leave[] = {"diverge", "round", file, next, "-q", NULL};
    const char *look[] = {"diverge", "compare", file, "--summary", "--fail-on", "new", "-q", NULL};
    snprintf(next, sizeof next, "%s/tt_emb_fp32/target", samples);
    snprintf(left, sizeof left, "%s/t.round-1.gz", dir);
    for (long k = -1; k < points; k++) {
        unlink(file);
        unlink(left);
        run(begin, out, -1, false, NULL);
        run(leave, out, k < 0 ? -1 : whole * k / points, false, k < 0 ? &whole : NULL);
        int n = rounds(k);
        before += n == 0;
        if (k < 0 && n != 1)
            die("the round was not left", k);
        if (n == 0)
            run(leave, out, -1, false, NULL);
        if (rounds(k) != 1)
            die("a round could not be left after a kill", k);
        int status = run(look, out, -1, false, NULL);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !strstr(out, " round=2 ")) {
            fprintf(stderr, "%s", out);
            die("the round that was left cannot be read", k);
        }
    }
    return before;
}

int main(int argc, char **argv)
{
    static char out[OUTPUT], t[500], g[500];
    const char *points_text = argc > 3 ? argv[3] : getenv("KILL_POINTS"), *tmp = getenv("TMPDIR");
    long points = points_text ? strtol(points_text, NULL, 10) : 40, at[COMMANDS + 1] = {0};
    int64_t whole = 0, one = 0, least = INT64_MAX;
    if (argc < 3) {
        fprintf(stderr, "usage: %s PROGRAM SAMPLES [POINTS]\n", argv[0]);
        return 2;
    }
    program = argv[1];
    snprintf(t, sizeof t, "%s/tt_rope/target", argv[2]);
    snprintf(g, sizeof g, "%s/tt_rope/bench", argv[2]);
    target = t;
    golden = g;
    snprintf(dir, sizeof dir, "%s/diverge-kill-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        die("no folder", -1);
    snprintf(file, sizeof file, "%s/t.investigation.json", dir);
    snprintf(lock, sizeof lock, "%s.lock", file);
    snprintf(script, sizeof script, "%s/script", dir);
    plan();
    const char *session[] = {"diverge", target, golden, "--investigation", file, "--script", script, NULL};
    for (int i = 0; i < 3; i++) { /* undisturbed: how long it takes, and that all is done */
        unlink(file);
        run(session, out, -1, true, &whole);
        if (said(out) != COMMANDS) {
            fprintf(stderr, "%s", out);
            die("not every command was said to be done", -1);
        }
        check(-1, COMMANDS);
        if (access(lock, F_OK) == 0)
            die("the lock is left behind by one that ended", -1);
        least = whole < least ? whole : least;
    }
    const char *mark[] =
        {"diverge", "mark", file, "Functional.linear.0.forward.output.0", "Functional.linear.0.forward.output.0", NULL};
    run(mark, out, -1, false, &one);
    for (long k = 0; k < 10; k++)
        together(k);
    for (long k = 0; k < points; k++) {
        unlink(file);
        run(session, out, least * k / points, k % 8 != 0, NULL); /* every eighth also while it begins */
        int done = said(out);
        at[done]++;
        check(k, done);
        if (k % 4 == 3)
            go_on(k, one * (k / 4 % 16) / 16);
        go_on(k, -1);
    }
    int seen = 0;
    for (int i = 0; i <= COMMANDS; i++)
        seen += at[i] > 0;
    printf("%ld kills over %lld ms, %ld before the first of %d commands, at %d different numbers of commands done\n",
           points, (long long)least / 1000, at[0], COMMANDS, seen);
    if (points >= 40 && seen < 4)
        die("the kills all fell at one moment: nothing was tested", -1);
    long of_rounds = points / 4, before = kill_rounds(of_rounds, argv[2]);
    printf("%ld kills of a round being left, %ld before it was\n", of_rounds, before);
    snprintf(out, sizeof out, "rm -rf '%s'", dir);
    return system(out) != 0;
}
