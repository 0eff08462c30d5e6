/* Parses the list of --fail-on, counts what it names, gives the exit status, and writes the line of --summary. */
#include "report/fail_on.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"

static const struct {
    const char *name;
    unsigned commands;
} kinds[POLICY_KINDS] = {
    [POLICY_DEVIATE] = {"deviate", POLICY_COMPARE},
    [POLICY_NONFINITE] = {"nonfinite", POLICY_COMPARE},
    [POLICY_SHAPE] = {"shape", POLICY_COMPARE},
    [POLICY_DTYPE] = {"dtype", POLICY_COMPARE | POLICY_CHECK},
    [POLICY_DRIFT] = {"drift", POLICY_COMPARE},
    [POLICY_ONLY] = {"only", POLICY_COMPARE},
    [POLICY_DOUBTFUL] = {"doubtful", POLICY_COMPARE},
    [POLICY_UNREAD] = {"unread", POLICY_COMPARE},
    [POLICY_KNOWN] = {"known", POLICY_COMPARE},
    [POLICY_FIXED] = {"fixed", POLICY_ROUNDS},
    [POLICY_NEW] = {"new", POLICY_ROUNDS},
    [POLICY_WORSE] = {"worse", POLICY_ROUNDS},
    [POLICY_VANISHED] = {"vanished", POLICY_ROUNDS},
    [POLICY_NAN] = {"nan", POLICY_CHECK},
    [POLICY_INF] = {"inf", POLICY_CHECK},
    [POLICY_SATURATED] = {"saturated", POLICY_CHECK},
    [POLICY_ALL_ZERO] = {"all-zero", POLICY_CHECK},
    [POLICY_CONSTANT] = {"constant", POLICY_CHECK},
    [POLICY_DAMAGED] = {"damaged", POLICY_CHECK},
    [POLICY_MISSING_FILE] = {"missing-file", POLICY_CHECK},
};

static int kind_of(struct str name)
{
    int k = POLICY_KINDS - 1;
    while (k >= 0 && !str_is(name, kinds[k].name))
        k--;
    return k;
}

int policy_parse(struct policy *p, struct str list, struct err *e)
{
    struct str word;
    struct policy fresh = {.given = true};
    bool none = str_is(list, "none");
    while (!none && list.n) {
        str_split(list, ',', &word, &list);
        word = str_trim(word);
        int k = kind_of(word);
        if (k < 0) {
            struct buf names = {0};
            for (int i = 0; i < POLICY_KINDS; i++)
                buf_fmt(&names, "%s%s", i ? ", " : "", kinds[i].name);
            err_set(e, ERR_USAGE, _("--fail-on takes none or some of %s, with commas between, not \"%.*s\""), names.p, STR_ARG(word));
            buf_release(&names);
            return -1;
        }
        fresh.kinds |= 1u << k;
    }
    if (!none && !fresh.kinds)
        return err_set(e, ERR_USAGE, "%s", _("--fail-on none is how nothing fails; an empty list says nothing"));
    *p = fresh;
    return 0;
}

int policy_fits(const struct policy *p, unsigned commands, struct err *e)
{
    for (int k = 0; k < POLICY_KINDS; k++)
        if (p->kinds & 1u << k && !(kinds[k].commands & commands))
            return kinds[k].commands & POLICY_ROUNDS
                       ? err_set(e, ERR_USAGE, _("--fail-on %s is told from the round before: an investigation is needed"), kinds[k].name)
                       : err_set(e, ERR_USAGE, _("--fail-on %s: this command does not count that"), kinds[k].name);
    return 0;
}

bool policy_of_rounds(const struct policy *p)
{
    struct err quiet;
    return policy_fits(p, POLICY_COMPARE | POLICY_CHECK, &quiet) != 0;
}

int policy_status(const struct policy *p, const struct policy_counts *c, int otherwise)
{
    if (!p->given)
        return otherwise;
    for (int k = 0; k < POLICY_KINDS; k++)
        if (p->kinds & 1u << k && c->n[k])
            return 1;
    return p->kinds && otherwise == 5 ? 5 : 0;
}

/* ---- counting ---- */

static int kind_of_verdict(uint8_t verdict)
{
    static const int8_t kind[VERDICT_COUNT] = {
        [VERDICT_PENDING] = -1, [VERDICT_MATCH] = -1, [VERDICT_DRIFT] = POLICY_DRIFT, [VERDICT_DEVIATE] = POLICY_DEVIATE,
        [VERDICT_NONFINITE] = POLICY_NONFINITE, [VERDICT_SHAPE] = POLICY_SHAPE, [VERDICT_DTYPE] = POLICY_DTYPE,
        [VERDICT_ONLY] = POLICY_ONLY, [VERDICT_SKIP] = -1,
    };
    return kind[verdict];
}

void policy_count(struct policy_counts *c, const struct comparison *s)
{
    const struct judgement *j = s->judged;
    *c = (struct policy_counts){.rows = j->lines};
    for (size_t i = 0; i < j->lines; i++) {
        int k = j->line[i].flags & LINE_DOUBTFUL ? -1 : kind_of_verdict(j->line[i].verdict);
        if (k >= 0)
            c->n[k]++;
    }
    c->n[POLICY_DOUBTFUL] = j->sum.doubtful;
    c->n[POLICY_UNREAD] = j->sum.unread;
    c->n[POLICY_KNOWN] = j->sum.known;
    if (!s->since.told)
        return;
    c->n[POLICY_FIXED] = s->since.changes.count[CHANGE_FIXED];
    c->n[POLICY_NEW] = s->since.changes.count[CHANGE_NEW];
    c->n[POLICY_WORSE] = s->since.changes.count[CHANGE_WORSE];
    c->n[POLICY_VANISHED] = s->since.changes.count[CHANGE_VANISHED];
}

static void add_problem(struct policy_counts *c, const char *kind)
{
    int k = kind_of(str_of(kind));
    if (k >= 0)
        c->n[k]++;
}

void policy_count_check(struct policy_counts *c, const struct dump *d, const struct check *found)
{
    *c = (struct policy_counts){.rows = d->rows.n};
    for (size_t i = 0; i < found->problems.n; i++)
        add_problem(c, found->problems.v[i].kind);
}

void policy_count_log(struct policy_counts *c, const struct series *s, const struct log_check *found)
{
    *c = (struct policy_counts){.rows = s->records.n};
    for (size_t i = 0; i < found->problems.n; i++)
        add_problem(c, found->problems.v[i].kind);
}

/* ---- the line ---- */

/* As one word: blanks, controls and '%' as %20 and the like; bad bytes and control characters beyond ASCII made visible. */
static void put_word(struct buf *out, const char *text)
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

static void pair(struct buf *out, const char *key, const char *text)
{
    buf_fmt(out, " %s=", key);
    put_word(out, text && *text ? text : "-");
}

static void put_counts(struct buf *out, const struct policy_counts *c, unsigned commands)
{
    buf_fmt(out, " rows=%llu", (unsigned long long)c->rows);
    for (int k = 0; k < POLICY_KINDS; k++)
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
    pair(out, "first", name.p);
    pair(out, "rel_l2", n);
    buf_release(&name);
}

void policy_line(struct buf *out, const struct comparison *s, int status, const char *file)
{
    const struct judgement *j = s->judged;
    const struct dump *t = &s->side[TARGET].dump;
    struct policy_counts c;
    policy_count(&c, s);
    buf_fmt(out, "diverge: %s", status == 0 ? "aligned" : status == 1 ? "deviates" : "unjudged");
    put_first(out, s);
    put_counts(out, &c, POLICY_COMPARE);
    buf_fmt(out, " coverage=%.1f%%", floor(j->sum.coverage[TARGET] * 1000) / 10); /* 100 only where nothing is missing */
    if (t->step >= 0)
        buf_fmt(out, " step=%d", t->step);
    if (t->rank >= 0)
        buf_fmt(out, " rank=%d", t->rank);
    if (s->since.told) {
        const struct changes *x = &s->since.changes;
        buf_fmt(out, " round=%u fixed=%u new=%u worse=%u vanished=%u confirmed=%s", x->round[1], x->count[CHANGE_FIXED], x->count[CHANGE_NEW],
                x->count[CHANGE_WORSE], x->count[CHANGE_VANISHED], x->confirmed ? "yes" : "no");
    }
    pair(out, "target", s->side[TARGET].path);
    pair(out, "golden", s->side[GOLDEN].path);
    pair(out, "file", file);
    buf_char(out, '\n');
}

void policy_line_check(struct buf *out, const struct policy_counts *c, int status, const char *first, const char *path, const char *file)
{
    buf_fmt(out, "diverge: %s", status == 0 ? "clean" : "problems");
    pair(out, "first", first);
    put_counts(out, c, POLICY_CHECK);
    pair(out, "path", path);
    pair(out, "file", file);
    buf_char(out, '\n');
}
