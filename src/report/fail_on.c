/* Parses the list of --fail-on, counts its items, gives the exit status, and writes the line of --summary. */
#include "report/fail_on.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"

static const struct {
    const char *name;
    unsigned commands;
} kinds[FAIL_ON_KINDS] = {
    [FAIL_ON_DEVIATE] = {"deviate", FAIL_ON_COMPARE},
    [FAIL_ON_NONFINITE] = {"nonfinite", FAIL_ON_COMPARE},
    [FAIL_ON_SHAPE] = {"shape", FAIL_ON_COMPARE},
    [FAIL_ON_DTYPE] = {"dtype", FAIL_ON_COMPARE | FAIL_ON_CHECK},
    [FAIL_ON_DRIFT] = {"drift", FAIL_ON_COMPARE},
    [FAIL_ON_ONLY] = {"only", FAIL_ON_COMPARE},
    [FAIL_ON_DOUBTFUL] = {"doubtful", FAIL_ON_COMPARE},
    [FAIL_ON_UNREAD] = {"unread", FAIL_ON_COMPARE | FAIL_ON_CHECK},
    [FAIL_ON_KNOWN] = {"known", FAIL_ON_COMPARE},
    [FAIL_ON_FIXED] = {"fixed", FAIL_ON_ROUNDS},
    [FAIL_ON_NEW] = {"new", FAIL_ON_ROUNDS},
    [FAIL_ON_WORSE] = {"worse", FAIL_ON_ROUNDS},
    [FAIL_ON_VANISHED] = {"vanished", FAIL_ON_ROUNDS},
    [FAIL_ON_NAN] = {"nan", FAIL_ON_CHECK},
    [FAIL_ON_INF] = {"inf", FAIL_ON_CHECK},
    [FAIL_ON_SATURATED] = {"saturated", FAIL_ON_CHECK},
    [FAIL_ON_ALL_ZERO] = {"all-zero", FAIL_ON_CHECK},
    [FAIL_ON_CONSTANT] = {"constant", FAIL_ON_CHECK},
    [FAIL_ON_DAMAGED] = {"damaged", FAIL_ON_CHECK},
    [FAIL_ON_MISSING_FILE] = {"missing-file", FAIL_ON_CHECK},
};

static int fail_on_kind_named(struct str name)
{
    int k = FAIL_ON_KINDS - 1;
    while (k >= 0 && !str_is(name, kinds[k].name))
        k--;
    return k;
}

int fail_on_parse(struct fail_on *p, struct str list, struct err *e)
{
    struct str word;
    struct fail_on fresh = {.given = true};
    bool none = str_is(list, "none");
    while (!none && list.n) {
        word = str_next(&list, ',');
        word = str_trim(word);
        int k = fail_on_kind_named(word);
        if (k < 0) {
            struct buf names = {0};
            for (int i = 0; i < FAIL_ON_KINDS; i++)
                buf_fmt(&names, "%s%s", i ? ", " : "", kinds[i].name);
            err_set(e, ERR_USAGE, _("--fail-on: expected none, or a list of %s, separated by commas, found \"%.*s\""),
                    names.p, STR_ARG(word));
            buf_release(&names);
            return -1;
        }
        fresh.kinds |= 1u << k;
    }
    if (!none && !fresh.kinds)
        return err_set(e, ERR_USAGE, "%s", _("--fail-on: empty list; \"none\" never fails"));
    *p = fresh;
    return 0;
}

int fail_on_fits(const struct fail_on *p, unsigned commands, struct err *e)
{
    for (int k = 0; k < FAIL_ON_KINDS; k++)
        if (p->kinds & 1u << k && !(kinds[k].commands & commands))
            return kinds[k].commands & FAIL_ON_ROUNDS
                       ? err_set(e, ERR_USAGE, _("--fail-on %s needs an earlier round: give an investigation"),
                                 kinds[k].name)
                       : err_set(e, ERR_USAGE, _("--fail-on %s: not counted by this command"), kinds[k].name);
    return 0;
}

bool fail_on_of_rounds(const struct fail_on *p)
{
    struct err quiet;
    return fail_on_fits(p, FAIL_ON_COMPARE | FAIL_ON_CHECK, &quiet) != 0;
}

int fail_on_status(const struct fail_on *p, const struct fail_on_counts *c, int otherwise)
{
    if (!p->given)
        return otherwise;
    for (int k = 0; k < FAIL_ON_KINDS; k++)
        if (p->kinds & 1u << k && c->n[k])
            return 1;
    return p->kinds && otherwise == 5 ? 5 : 0;
}

/* ---- counting ---- */

static int kind_of_verdict(uint8_t verdict)
{
    static const int8_t kind[VERDICT_COUNT] = {
        [VERDICT_PENDING] = -1, [VERDICT_MATCH] = -1, [VERDICT_DRIFT] = FAIL_ON_DRIFT,
            [VERDICT_DEVIATE] = FAIL_ON_DEVIATE,
        [VERDICT_NONFINITE] = FAIL_ON_NONFINITE, [VERDICT_SHAPE] = FAIL_ON_SHAPE, [VERDICT_DTYPE] = FAIL_ON_DTYPE,
        [VERDICT_ONLY] = FAIL_ON_ONLY, [VERDICT_SKIP] = -1, [VERDICT_INHERITED] = FAIL_ON_DEVIATE,
        [VERDICT_IN_DOUBT] = FAIL_ON_DEVIATE,
    };
    return kind[verdict];
}

void fail_on_count(struct fail_on_counts *c, const struct comparison *s)
{
    const struct judgement *j = s->judged;
    *c = (struct fail_on_counts){.rows = j->lines};
    for (size_t i = 0; i < j->lines; i++) {
        int k = j->line[i].flags & LINE_DOUBTFUL ? -1 : kind_of_verdict(j->line[i].verdict);
        if (k >= 0)
            c->n[k]++;
    }
    c->n[FAIL_ON_DOUBTFUL] = j->sum.doubtful;
    c->n[FAIL_ON_UNREAD] = j->sum.unread + j->sum.unread_files;
    c->n[FAIL_ON_KNOWN] = j->sum.known;
    if (!s->since.told)
        return;
    c->n[FAIL_ON_FIXED] = s->since.changes.count[CHANGE_FIXED];
    c->n[FAIL_ON_NEW] = s->since.changes.count[CHANGE_NEW];
    c->n[FAIL_ON_WORSE] = s->since.changes.count[CHANGE_WORSE];
    c->n[FAIL_ON_VANISHED] = s->since.changes.count[CHANGE_VANISHED];
}

static void count_problem_kind(struct fail_on_counts *c, const char *kind)
{
    int k = fail_on_kind_named(str_of(kind));
    if (k >= 0)
        c->n[k]++;
}

void fail_on_count_check(struct fail_on_counts *c, const struct dump *d, const struct dump_check *found)
{
    *c = (struct fail_on_counts){.rows = d->rows.n};
    for (size_t i = 0; i < found->problems.n; i++)
        count_problem_kind(c, found->problems.v[i].kind);
}

void fail_on_count_log(struct fail_on_counts *c, const struct series *s, const struct log_check *found)
{
    *c = (struct fail_on_counts){.rows = s->records.n};
    c->n[FAIL_ON_UNREAD] = s->unread.n;
    for (size_t i = 0; i < found->problems.n; i++)
        count_problem_kind(c, found->problems.v[i].kind);
}

/* ---- the line ---- */

/* As one word: blanks, controls and '%' as %20 and the like; bad bytes and control characters beyond ASCII made
 * visible. */
static void put_escaped_word(struct buf *out, const char *text)
{
    struct buf clean = {0};
    struct str s = str_of(text);
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        c <= ' ' || c == '%' || c == 0x7f ? buf_fmt(&clean, "%%%02X", c) : buf_char(&clean, s.p[i]);
    }
    utf8_clean(out, buf_view(&clean));
    buf_release(&clean);
}

static void put_key_word(struct buf *out, const char *key, const char *text)
{
    buf_fmt(out, " %s=", key);
    put_escaped_word(out, text && *text ? text : "-");
}

static void put_counts(struct buf *out, const struct fail_on_counts *c, unsigned commands)
{
    buf_fmt(out, " rows=%llu", (unsigned long long)c->rows);
    for (int k = 0; k < FAIL_ON_KINDS; k++)
        if (kinds[k].commands & commands)
            buf_fmt(out, " %s=%llu", kinds[k].name, (unsigned long long)c->n[k]);
}

static void put_first(struct buf *out, const struct comparison *s)
{
    const struct judgement *j = s->judged;
    struct buf name = {0};
    char n[NUM_MAX] = "-";
    if (j->first != NONE) {
        const uint32_t *row = s->pairing->lines.v[j->first].row;
        int d = row[TARGET] != NONE ? TARGET : GOLDEN;
        dump_row_name(&s->side[d].dump, row[d], &name);
        if (!isnan(j->line[j->first].error))
            num_error(n, (double)j->line[j->first].error);
    }
    put_key_word(out, "first", name.p);
    put_key_word(out, "rel_l2", n);
    buf_release(&name);
}

void fail_on_line(struct buf *out, const struct comparison *s, int status, const char *file)
{
    const struct judgement *j = s->judged;
    const struct dump *t = &s->side[TARGET].dump;
    struct fail_on_counts c;
    fail_on_count(&c, s);
    buf_fmt(out, "diverge: %s", status == 0 ? "aligned" : status == 1 ? "deviates" : "unjudged");
    put_first(out, s);
    put_counts(out, &c, FAIL_ON_COMPARE);
    /* deviate= counts what starts and what inherits */
    buf_fmt(out, " starts=%u inherited=%u paired=%u", j->sum.causes[CAUSE_STARTS], j->sum.causes[CAUSE_INHERITED],
            j->sum.pairs);
    if (j->first != NONE)
        buf_fmt(out, " row=%u", j->first + 1);
    /* of the target's compute calls, 100 only where nothing is missing */
    buf_fmt(out, " coverage=%.1f%%", floor(j->sum.coverage[TARGET] * 1000) / 10);
    if (t->step >= 0)
        buf_fmt(out, " step=%d", t->step);
    if (t->rank >= 0)
        buf_fmt(out, " rank=%d", t->rank);
    if (s->since.told) {
        const struct changes *x = &s->since.changes;
        buf_fmt(out, " round=%u fixed=%u new=%u worse=%u vanished=%u confirmed=%s", x->round[1], x->count[CHANGE_FIXED],
                x->count[CHANGE_NEW],
                x->count[CHANGE_WORSE], x->count[CHANGE_VANISHED], x->confirmed ? "yes" : "no");
    }
    put_key_word(out, "target", s->side[TARGET].path);
    put_key_word(out, "golden", s->side[GOLDEN].path);
    put_key_word(out, "file", file);
    buf_char(out, '\n');
}

void fail_on_line_check(struct buf *out, const struct fail_on_counts *c, int status, const char *first,
                        const char *path, const char *file)
{
    buf_fmt(out, "diverge: %s", status == 0 ? "clean" : status == 5 ? "unjudged" : "problems");
    put_key_word(out, "first", first);
    put_counts(out, c, FAIL_ON_CHECK);
    put_key_word(out, "path", path);
    put_key_word(out, "file", file);
    buf_char(out, '\n');
}
