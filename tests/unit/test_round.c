/* Rounds: frozen, written, read back or refused; which row was which; what changed; what confirms a fix; leaving
 * one. */
#include "support.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file_write.h"
#include "base/io.h"
#include "report/compare.h"
#include "report/fail_on.h"
#include "panel/round_leave.h"
#include "ticket/round_import.h"
#include "sessions.h"

static void add(struct round *r, const char *target, const char *golden, enum verdict v, float error, uint64_t address)
{
    struct round_row x = {.error = error, .confidence = 1, .verdict = (uint8_t)v, .address = address};
    assert_int_equal(round_add(r, str_of(target), str_of(golden), x), 0);
    bool bad = verdict_is_bad(v);
    r->by[v]++;
    r->pairs += *target && *golden;
    r->only[0] += *target && !*golden;
    r->only[1] += *golden && !*target;
    r->extent = ROUND_ROWS_ALL;
    if (!bad || r->deviates)
        return;
    r->deviates = true;
    r->status = 1;
    r->first[0] = target;
    r->first[1] = golden;
    r->first_order = (uint32_t)r->rows.n - 1;
    r->first_error = error;
}

static struct round begun(uint32_t number)
{
    struct round r;
    round_init(&r);
    r.number = number;
    r.coverage[0] = r.coverage[1] = 1;
    return r;
}

/* ---- the file ---- */

static struct round full(void)
{
    struct round r = begun(3);
    r.author = "Li";
    r.date = 1790000000;
    r.side[TARGET] = (struct round_side){.path = "ms",
                                         .full_path = "/x/ms",
                                         .format = "msprobe",
                                         .framework = "mindspore",
                                         .step = 1,
                                         .rank = -1,
                                         .rows = 9,
                                         .state = {5, 2, 7},
                                         .fingerprint = 0xfedcba9876543210};
    struct round_panel p = {"settings", "failed", "two differ"};
    struct round_finding f = {4, "suspected", "eps\n#x", {"a", ""}};
    vec_push(&r.panels, p);
    vec_push(&r.findings, f);
    add(&r, "a", "a", VERDICT_MATCH, 0, 7);
    add(&r, "tab\there\\and\nline", "g", VERDICT_DEVIATE, 0.03125f, 0xffffffffffffffff);
    add(&r, "", "only golden", VERDICT_ONLY, NAN, 0);
    add(&r, "inf", "inf", VERDICT_NONFINITE, INFINITY, 3);
    return r;
}

static void written_and_read(void **state)
{
    char path[300];
    uint64_t a, b;
    struct err e = {0};
    struct round r = full(), s;
    (void)state;
    snprintf(path, sizeof path, "%s/x.round-3.gz", scratch());
    assert_int_equal(round_write(&r, path, &a, &e), 0);
    assert_true(round_is(path));
    round_init(&s);
    if (round_read(&s, NULL, path, &b, &e))
        fail_msg("%s", e.text);
    assert_true(a == b);
    assert_int_equal(s.number, 3);
    assert_string_equal(s.author, "Li");
    assert_int_equal(s.date, 1790000000);
    assert_int_equal(s.status, 1);
    assert_true(s.side[0].fingerprint == 0xfedcba9876543210);
    assert_int_equal(s.side[0].step, 1);
    assert_int_equal(s.side[0].rank, -1);
    assert_int_equal(s.side[0].state.time, 7);
    assert_string_equal(s.side[0].full_path, "/x/ms");
    assert_string_equal(round_panel(&s, "settings")->state, "failed");
    assert_null(round_panel(&s, "data"));
    assert_string_equal(round_finding(&s, 4)->text, "eps\n#x");
    assert_int_equal(s.by[VERDICT_DEVIATE], 1);
    assert_int_equal(round_lines(&s), 4);
    assert_int_equal(round_first(&s), 1);
    assert_true(s.first_error == 0.03125f);
    assert_int_equal(s.rows.n, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(round_name(&s, i, TARGET), round_name(&r, i, TARGET));
        assert_string_equal(round_name(&s, i, GOLDEN), round_name(&r, i, GOLDEN));
        assert_int_equal(s.rows.v[i].verdict, r.rows.v[i].verdict);
        assert_true(s.rows.v[i].address == r.rows.v[i].address);
        assert_true(isnan(r.rows.v[i].error) ? isnan(s.rows.v[i].error) : s.rows.v[i].error == r.rows.v[i].error);
    }
    assert_string_equal(round_row_name(&s, 2), "only golden");
    round_release(&r);
    round_release(&s);
}

static int read_bytes(const char *bytes, size_t n, struct err *e)
{
    static char path[300];
    uint64_t fingerprint;
    struct round s;
    if (!*path)
        snprintf(path, sizeof path, "%s/y.round-1.gz", scratch());
    assert_int_equal(file_replace(path, str_n(bytes, n), e), 0);
    round_init(&s);
    int rc = round_read(&s, NULL, path, &fingerprint, e);
    round_release(&s);
    return rc;
}

static int read_lines(const char *text, struct err *e)
{
    static unsigned char out[1 << 16];
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)strlen(text);
    z.next_out = out;
    z.avail_out = sizeof out;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return read_bytes((const char *)out, z.total_out, e);
}

#define HEAD(rows) "{\"schema\":1,\"kind\":\"diverge-round\",\"rows\":" #rows "}\n"

static void damaged(void **state)
{
    char path[300];
    uint64_t a;
    struct err e = {0};
    struct round r = full();
    struct buf whole = {0};
    (void)state;
    snprintf(path, sizeof path, "%s/x.round-3.gz", scratch());
    assert_int_equal(round_write(&r, path, &a, &e), 0);
    assert_int_equal(file_slurp(path, 1 << 20, &whole, &e), 0);
    assert_int_equal(read_bytes(whole.p, whole.n, &e), 0);
    for (size_t n = 0; n < whole.n; n += 7) { /* cut anywhere */
        e.text[0] = 0;
        assert_int_equal(read_bytes(whole.p, n, &e), -1);
        assert_true(e.text[0]);
    }
    for (size_t i = 10; i < whole.n; i += 11) { /* a byte turned anywhere behind the head */
        whole.p[i] ^= 0x55;
        assert_int_equal(read_bytes(whole.p, whole.n, &e), -1);
        whole.p[i] ^= 0x55;
    }
    buf_char(&whole, 'x');
    assert_int_equal(read_bytes(whole.p, whole.n, &e), -1);
    assert_non_null(strstr(e.text, "data after the end"));
    buf_release(&whole);
    round_release(&r);
    static const char *const bad[][2] = {
        {"", "expected"},
        {"{\"schema\":1}\n", "diverge-round"},
        {"{\"schema\":2,\"kind\":\"diverge-round\",\"rows\":0}\n", "newer"},
        {HEAD(1), "expected 1 rows, found 0"},
        {HEAD(1) "match\t0\t1\t0\t0\ta\tb", "incomplete"},
        {HEAD(1) "match\t0\t1\t0\t0\ta\n", "7 columns"},
        {HEAD(1) "match\t0\t1\t0\t0\ta\tb\tc\n", "7 columns"},
        {HEAD(1) "good\t0\t1\t0\t0\ta\tb\n", "a verdict"},
        {HEAD(1) "match\tx\t1\t0\t0\ta\tb\n", "a number"},
        {HEAD(1) "match\t0\t1\t999\t0\ta\tb\n", "a number"},
        {HEAD(1) "match\t0\t1\t0\t0\ta\\q\tb\n", "backslash"},
        {HEAD(0) "match\t0\t1\t0\t0\ta\tb\n", "expected 0 rows, found 1"},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        assert_int_equal(read_lines(bad[i][0], &e), -1);
        if (!strstr(e.text, bad[i][1]))
            fail_msg("%zu: %s", i, e.text);
    }
    assert_int_equal(read_lines(HEAD(1) "match\t0\t1\t0\t0\ta\tb\n", &e), 0);
}

/* What an investigation refers to: a name in its folder, and nothing else. */
static void referred(void **state)
{
    char path[300], beside[400], out[400];
    uint64_t fingerprint;
    struct err e = {0};
    struct round r = full(), s;
    const char *dir = scratch();
    (void)state;
    snprintf(path, sizeof path, "%s/x.round-3.gz", dir);
    snprintf(beside, sizeof beside, "%s/x.investigation.json", dir);
    assert_int_equal(round_write(&r, path, &fingerprint, &e), 0);
    const struct {
        struct round_place p;
        int rc;
    } each[] = {
        {{beside, "x.round-3.gz", fingerprint, 3}, 0},
        {{beside, "x.round-3.gz", fingerprint + 1, 3}, -1},
        {{beside, "x.round-3.gz", fingerprint, 2}, -1},
        {{beside, "../x.round-3.gz", fingerprint, 3}, -1},
        {{beside, "x.round-4.gz", fingerprint, 4}, -1},
    };
    for (size_t i = 0; i < ARRAY_LEN(each); i++) {
        round_init(&s);
        assert_int_equal(round_open(&s, &each[i].p, &e), each[i].rc);
        round_release(&s);
    }
    snprintf(out, sizeof out, "%s/in", dir);
    assert_int_equal(mkdir(out, 0755), 0);
    snprintf(beside, sizeof beside, "%s/in/x.investigation.json", dir);
    snprintf(out, sizeof out, "%s/in/x.round-3.gz", dir);
    assert_int_equal(symlink("../x.round-3.gz", out), 0);
    round_init(&s);
    assert_int_equal(round_open(&s, &each[0].p, &e),
                     -1); /* each[0].p.beside is that folder now: the link leads out of it */
    round_release(&s);
    round_release(&r);
}

/* ---- which row was which ---- */

static uint32_t was(const struct round_join *x, const struct round *before, const struct round *now, const char *target,
                    const char **name)
{
    for (uint32_t i = 0; i < now->rows.n; i++)
        if (strcmp(round_row_name(now, i), target) == 0) {
            *name = x->was[i] == NONE ? "" : round_row_name(before, x->was[i]);
            return x->was[i];
        }
    fail_msg("no row %s", target);
    return NONE;
}

static void expect_was(struct round *before, struct round *now, const char *const (*pairs)[2], size_t n)
{
    struct round_join x;
    const char *name;
    round_join_names(&x, before, now);
    round_join_rest(&x, before, now);
    for (size_t i = 0; i < n; i++) {
        was(&x, before, now, pairs[i][0], &name);
        assert_string_equal(name, pairs[i][1]);
    }
    round_join_release(&x);
    round_release(before);
    round_release(now);
}

static void joined(void **state)
{
    struct round a = begun(1), b = begun(2);
    (void)state;
    add(&a, "x", "gx", VERDICT_MATCH, 0, 11);
    add(&a, "y", "gy", VERDICT_MATCH, 0, 12);
    add(&a, "z", "gz", VERDICT_MATCH, 0, 13);
    add(&b, "x", "gx", VERDICT_MATCH, 0, 11);
    add(&b, "y2", "gq", VERDICT_MATCH, 0, 12); /* another name, the same address */
    add(&b, "z", "gw", VERDICT_MATCH, 0, 99);  /* only the target's name */
    add(&b, "new", "", VERDICT_ONLY, NAN, 98);
    expect_was(&a, &b, (const char *const[][2]){{"x", "x"}, {"y2", "y"}, {"z", "z"}, {"new", ""}}, 4);

    /* a call more in the target: its later calls are numbered one higher, the golden recording is the same */
    a = begun(1);
    b = begun(2);
    a.side[GOLDEN].fingerprint = b.side[GOLDEN].fingerprint = 5;
    add(&a, "mul.0", "gmul.0", VERDICT_MATCH, 0, 0);
    add(&a, "mul.1", "gmul.1", VERDICT_MATCH, 0, 0);
    add(&b, "mul.0", "", VERDICT_ONLY, NAN, 0);
    add(&b, "mul.1", "gmul.0", VERDICT_MATCH, 0, 0);
    add(&b, "mul.2", "gmul.1", VERDICT_MATCH, 0, 0);
    expect_was(&a, &b, (const char *const[][2]){{"mul.1", "mul.0"}, {"mul.2", "mul.1"}, {"mul.0", ""}}, 3);

    /* several rows of one key go by their order, more of them are the last one */
    a = begun(1);
    b = begun(2);
    add(&a, "q", "qkv", VERDICT_MATCH, 0, 7);
    add(&a, "k", "qkv", VERDICT_MATCH, 0, 7);
    add(&b, "q1", "p", VERDICT_MATCH, 0, 7);
    add(&b, "k1", "p", VERDICT_MATCH, 0, 7);
    add(&b, "v1", "p", VERDICT_MATCH, 0, 7);
    expect_was(&a, &b, (const char *const[][2]){{"q1", "q"}, {"k1", "k"}, {"v1", "k"}}, 3);
}

/* ---- what changed ---- */

static void kinds(void **state)
{
    (void)state;
    const struct round_row match = {.verdict = VERDICT_MATCH, .error = 1e-7f},
                           drift = {.verdict = VERDICT_DRIFT, .error = 1e-4f},
                           bad = {.verdict = VERDICT_DEVIATE, .error = 0.1f},
                           twice = {.verdict = VERDICT_DEVIATE, .error = 0.3f},
                           about = {.verdict = VERDICT_DEVIATE, .error = 0.15f},
                           nonfinite = {.verdict = VERDICT_NONFINITE, .error = NAN},
                           only = {.verdict = VERDICT_ONLY, .error = NAN},
                           skip = {.verdict = VERDICT_SKIP, .error = NAN},
                           unsure = {.verdict = VERDICT_DEVIATE, .error = 0.1f, .flags = ROUND_DOUBTFUL};
    const struct {
        const struct round_row *was, *now;
        enum change_kind kind;
    } each[] = {
        {&bad, &match, CHANGE_FIXED},       {&nonfinite, &drift, CHANGE_FIXED},  {&match, &bad, CHANGE_NEW},       {NULL, &bad, CHANGE_NEW},
        {&only, &bad, CHANGE_NEW},          {&drift, &nonfinite, CHANGE_NEW},    {&bad, &twice, CHANGE_WORSE},     {&bad, &nonfinite, CHANGE_WORSE},
        {&match, &drift, CHANGE_WORSE},     {&twice, &bad, CHANGE_BETTER},       {&drift, &match, CHANGE_BETTER},  {&nonfinite, &bad, CHANGE_BETTER},
        {&bad, NULL, CHANGE_VANISHED},      {&bad, &only, CHANGE_VANISHED},      {&bad, &skip, CHANGE_VANISHED},   {&bad, &unsure, CHANGE_VANISHED},
        {&bad, &about, CHANGE_KINDS},       {&match, &match, CHANGE_KINDS},      {&match, NULL, CHANGE_KINDS},     {NULL, &match, CHANGE_KINDS},
        {&match, &only, CHANGE_KINDS},      {&unsure, &bad, CHANGE_KINDS},       {&match, &unsure, CHANGE_KINDS},  {&unsure, &match, CHANGE_KINDS},
    };
    for (size_t i = 0; i < ARRAY_LEN(each); i++)
        if (round_row_change(each[i].was, each[i].now) != each[i].kind)
            fail_msg("%zu", i);
}

struct story {
    const char *name[2];
    enum verdict was, now; /* VERDICT_PENDING: not recorded */
    float error;           /* now; then it was 0.1 where it deviated */
};

static const char *replaced = ""; /* the row whose value was, in the later round */

static struct changes told(const struct story *s, size_t n, int status)
{
    struct round a = begun(1), b = begun(2);
    struct round_join x;
    struct changes c;
    for (size_t i = 0; i < n; i++) {
        if (s[i].was)
            add(&a, s[i].name[0], s[i].name[0], s[i].was, 0.1f, 0);
        if (s[i].now)
            add(&b, s[i].name[0], s[i].name[0], s[i].now, s[i].error, 0);
    }
    if (status >= 0)
        b.status = status;
    b.intervened = replaced;
    round_join_names(&x, &a, &b);
    round_join_rest(&x, &a, &b);
    changes_find(&c, &a, &b, &x);
    round_join_release(&x);
    round_release(&a);
    round_release(&b);
    return c;
}

static void expect(struct changes *c, enum first_fate fate, bool confirmed, int status, const char *sentence)
{
    struct buf b = {0};
    changes_sentence(c, &b);
    assert_string_equal(b.p, sentence);
    assert_int_equal(c->fate, fate);
    assert_int_equal(c->confirmed, confirmed);
    assert_int_equal(c->status, status);
    buf_release(&b);
    changes_release(c);
}

/* A value replaced by the golden one: forward rows behind it tell, gradients do not. */
static void intervened(void **state)
{
    (void)state;
    const struct story s[] = {{{"a.forward"}, VERDICT_DEVIATE, VERDICT_DEVIATE, 0},
                              {{"b.forward"}, VERDICT_DEVIATE, VERDICT_MATCH, 0},
                              {{"c.forward"}, VERDICT_DEVIATE, VERDICT_MATCH, 0},
                              {{"c.backward"}, VERDICT_DEVIATE, VERDICT_DEVIATE, 0.1f},
                              {{"d.forward"}, VERDICT_DEVIATE, VERDICT_DEVIATE, 0.1f}};
    replaced = "b.forward";
    struct changes c = told(s, 4, -1);
    assert_int_equal(c.intervention, INTERVENTION_CONFIRMED);
    expect(&c, FIRST_STAYS, false, 0,
           "Round 2: with b.forward replaced by the golden value, no later forward row deviates (before: 1): "
           "confirmed as the only cause of these deviations; this is a test, not a fix");
    c = told(s, 5, -1);
    expect(&c, FIRST_STAYS, false, 1,
           "Round 2: with b.forward replaced by the golden value, later forward rows still deviate "
           "(before 2, now 1), first d.forward: refuted, there is another cause");
    static const char *const nothing[] = {"d.forward", "z.forward"}; /* the last, not there */
    for (size_t i = 0; i < ARRAY_LEN(nothing); i++) {
        replaced = nothing[i];
        c = told(s, 5, -1);
        assert_int_equal(c.intervention, INTERVENTION_UNTOLD);
        assert_int_equal(c.status, 5);
        changes_release(&c);
    }
    replaced = "";
}

static void confirmed(void **state)
{
    (void)state;
    const struct story fixed[] = {{{"a"}, VERDICT_MATCH, VERDICT_MATCH, 0}, {{"b"}, VERDICT_DEVIATE, VERDICT_MATCH, 0}};
    struct changes c = told(fixed, 2, -1);
    assert_int_equal(c.count[CHANGE_FIXED], 1);
    expect(&c, FIRST_GONE, true, 0, "Round 2: the first deviation of round 1 (b) is gone and nothing new deviates: "
                                    "fix confirmed");
    c = told(fixed, 2, 5);
    expect(&c, FIRST_GONE, false, 5,
           "Round 2: the first deviation of round 1 (b) is gone; too few rows are paired now for a verdict");

    const struct story other[] = {{{"a"}, VERDICT_MATCH, VERDICT_MATCH, 0},
                                  {{"b"}, VERDICT_DEVIATE, VERDICT_MATCH, 0},
                                  {{"c"}, VERDICT_DEVIATE, VERDICT_DEVIATE, 0.1f}};
    c = told(other, 3, -1);
    assert_true(c.moved);
    expect(&c, FIRST_GONE, true, 0, "Round 2: the first deviation of round 1 (b) is gone and nothing new deviates: "
                                    "fix confirmed; the first deviation is now c");

    const struct story fresh[] = {{{"b"}, VERDICT_DEVIATE, VERDICT_DRIFT, 0},
                                  {{"c"}, VERDICT_MATCH, VERDICT_DEVIATE, 1},
                                  {{"d"}, VERDICT_PENDING, VERDICT_SHAPE, NAN}};
    c = told(fresh, 3, -1);
    assert_int_equal(c.count[CHANGE_NEW], 2);
    expect(&c, FIRST_GONE, false, 1,
           "Round 2: the first deviation of round 1 (b) is gone; 2 rows are new: c, d (not paired, recorded or judged "
           "in round 1: 1); the first deviation is now c; the fix is not confirmed");

    /* the deviation is gone where it was first, but most of what it reached is out of sight: a dump that ends there */
    const struct story hidden[] = {{{"a"}, VERDICT_MATCH, VERDICT_MATCH, 0}, {{"b"}, VERDICT_DEVIATE, VERDICT_MATCH, 0},
                                   {{"c"}, VERDICT_DEVIATE, VERDICT_PENDING, 0}, {{"d"}, VERDICT_DEVIATE, VERDICT_ONLY, NAN}};
    c = told(hidden, 4, -1);
    expect(&c, FIRST_GONE, false, 0,
           "Round 2: the first deviation of round 1 (b) is gone; rows that deviated and are now not recorded or not "
           "judged: 2; the fix is not confirmed");
    c = told(hidden, 3, -1);
    expect(&c, FIRST_GONE, true, 0,
           "Round 2: the first deviation of round 1 (b) is gone and nothing new deviates: fix confirmed; rows that "
           "deviated and are now not recorded or not judged: 1");

    const struct story gone[] = {{{"a"}, VERDICT_MATCH, VERDICT_MATCH, 0},
                                 {{"b"}, VERDICT_DEVIATE, VERDICT_PENDING, 0}};
    c = told(gone, 2, -1);
    expect(&c, FIRST_VANISHED, false, 0,
           "Round 2: the first deviation of round 1 (b) is now not recorded or not judged (not a fix)");

    const struct story stays[] = {{{"a"}, VERDICT_MATCH, VERDICT_MATCH, 0},
                                  {{"b"}, VERDICT_DEVIATE, VERDICT_DEVIATE, 0.5f}};
    c = told(stays, 2, -1);
    assert_false(c.moved);
    expect(&c, FIRST_STAYS, false, 1,
           "Round 2: the first deviation of round 1 (b) is still there, 0.1 then and 0.5 now; rows that got worse: 1");

    const struct story quiet[] = {{{"a"}, VERDICT_MATCH, VERDICT_MATCH, 0}};
    c = told(quiet, 1, -1);
    expect(&c, FIRST_NONE, false, 0, "Round 2: nothing deviated in round 1, nothing deviates now");
}

/* Nothing deviates, but rows had different types: one type on all of them now confirms that they were made the same. */
static void unified(void **state)
{
    static const struct {
        uint8_t was[2], now[2];
        bool confirmed;
        const char *sentence;
    } each[] = {
        {{ROUND_TYPES, ROUND_TYPES}, {0, 0}, true,
         "Round 2: nothing deviated in round 1; rows of different types: 2 then, 0 now; nothing new deviates: fix "
         "confirmed"},
        {{ROUND_TYPES, ROUND_TYPES}, {0, ROUND_TYPES}, false,
         "Round 2: nothing deviated in round 1; rows of different types: 2 then, 1 now, nothing deviates now"},
        {{ROUND_TYPES, 0}, {ROUND_TYPES, 0}, false, "Round 2: nothing deviated in round 1, nothing deviates now"},
        {{0, 0}, {0, ROUND_TYPES}, false, "Round 2: nothing deviated in round 1, nothing deviates now"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(each); i++) {
        struct round a = begun(1), b = begun(2);
        struct round_join x;
        struct changes c;
        for (int r = 0; r < 2; r++) {
            const char *name = r ? "b" : "a";
            add(&a, name, name, VERDICT_MATCH, 0, 0);
            add(&b, name, name, VERDICT_MATCH, 0, 0);
            a.rows.v[r].flags = each[i].was[r];
            b.rows.v[r].flags = each[i].now[r];
        }
        round_join_names(&x, &a, &b);
        round_join_rest(&x, &a, &b);
        changes_find(&c, &a, &b, &x);
        expect(&c, FIRST_NONE, each[i].confirmed, 0, each[i].sentence);
        round_join_release(&x);
        round_release(&a);
        round_release(&b);
    }
}

static void not_comparable(void **state)
{
    (void)state;
    const struct story strangers[] = {{{"a"}, VERDICT_MATCH, VERDICT_PENDING, 0},
                                      {{"b"}, VERDICT_MATCH, VERDICT_PENDING, 0},
                                      {{"c"}, VERDICT_MATCH, VERDICT_PENDING, 0},
                                      {{"x"}, VERDICT_PENDING, VERDICT_MATCH, 0},
                                      {{"y"}, VERDICT_PENDING, VERDICT_MATCH, 0},
                                      {{"c2"}, VERDICT_PENDING, VERDICT_MATCH, 0}};
    struct changes c = told(strangers, 6, -1);
    assert_false(c.comparable);
    assert_int_equal(c.status, 5);
    assert_non_null(strstr(c.why, "the comparisons are of different models"));
    changes_release(&c);
}

static void counted(void **state)
{
    struct round a = begun(0), b = begun(0);
    struct changes c;
    (void)state;
    a.pairs = b.pairs = 100;
    a.deviates = b.deviates = true;
    a.first[0] = "x";
    a.first_order = 50;
    a.by[VERDICT_DEVIATE] = b.by[VERDICT_DEVIATE] = 4;
    b.first[0] = "w";
    b.first_order = 20; /* what stood before the first deviation did not deviate */
    changes_find(&c, &a, &b, NULL);
    expect(&c, FIRST_UNTOLD, false, 1,
           "the first deviation of the earlier run (x) is no longer the first; new: w; the first deviation is now w");
    b.first_order = 70;
    changes_find(&c, &a, &b, NULL);
    assert_int_equal(c.status, 0);
    changes_release(&c);
    b.by[VERDICT_DEVIATE] = 5;
    changes_find(&c, &a, &b, NULL);
    assert_int_equal(c.status, 1);
    changes_release(&c);
    b.deviates = false;
    b.by[VERDICT_DEVIATE] = 0;
    changes_find(&c, &a, &b, NULL);
    expect(&c, FIRST_GONE, false, 0, "the first deviation of the earlier run (x) is gone");
    b.pairs = 20;
    changes_find(&c, &a, &b, NULL);
    assert_int_equal(c.status, 5);
    changes_release(&c);
}

/* ---- leaving one ---- */

static struct session *open_round(struct investigation *v)
{
    struct session *s = calloc(1, sizeof *s);
    struct session_options o = {.of.path = {v->input[0], v->input[1]},
                                .of.step = {-1, -1},
                                .of.rank = {-1, -1},
                                .before = investigation_before(v),
                                .decisions = &v->decisions};
    struct err e;
    thresholds_init(&o.of.tol);
    if (session_start(s, &o, &e) || session_wait(s, &e))
        fail_msg("%s", e.text);
    return s;
}

static void left(void **state)
{
    char path[300], file[300];
    struct investigation v, w;
    struct err e = {0};
    const char *dir = scratch();
    (void)state;
    snprintf(path, sizeof path, "%s/t.investigation.json", dir);
    snprintf(file, sizeof file, "%s/t.round-1.gz", dir);
    investigation_init(&v);
    v.path = investigation_keep(&v, path);
    v.input[0] = investigation_keep(&v, sample("tt_rope/target"));
    v.input[1] = investigation_keep(&v, sample("tt_rope/bench"));
    v.author = "Li";
    v.date = 1790000000;
    investigation_tell(&v, &v.answers, STR("first-deviation"), STR("rounded"));
    struct decision mark = {.kind = DECIDE_MARK,
                            .side = {"Functional.linear.0.forward.output.0", "Functional.linear.0.forward.output.0"},
                            .view = ""};
    decisions_add(&v.decisions, mark);
    struct session *s = open_round(&v);
    assert_int_equal(round_leave(&v, s->now, NULL, "nowhere", NULL, NULL, &e), -1);
    assert_int_equal(round_leave(&v, s->now, NULL, sample("tt_rope/target"), NULL, NULL, &e), -1);
    assert_non_null(strstr(e.text, "already"));
    assert_int_equal(v.rounds.n, 0);
    v.state[0] = s->now->side[0].now;
    v.state[0].bytes++; /* written over since it was compared */
    assert_int_equal(round_leave(&v, s->now, NULL, sample("tt_emb_fp32/target"), NULL, NULL, &e), -1);
    assert_non_null(strstr(e.text, "has changed since"));
    v.state[0].bytes--;
    assert_false(path_is_file(file));
    if (round_leave(&v, s->now, NULL, sample("tt_emb_fp32/target"), NULL, NULL, &e))
        fail_msg("%s", e.text);
    assert_true(path_is_file(file));
    shut(s);

    investigation_init(&w); /* as the next program finds it */
    assert_int_equal(investigation_load(&w, path, &e), 0);
    assert_string_equal(w.input[0], sample("tt_emb_fp32/target"));
    assert_string_equal(w.input[1], sample("tt_rope/bench"));
    assert_int_equal(w.decisions.now, 1);
    assert_int_equal(w.rounds.n, 1);
    assert_string_equal(w.rounds.v[0].input[0], sample("tt_rope/target"));
    assert_null(investigation_text(&w.answers, "first-deviation"));
    assert_string_equal(investigation_text(&w.answers, "first-deviation@1"), "rounded");
    s = open_round(&w);
    assert_true(s->now->since.there && s->now->since.told);
    assert_true(s->now->since.changes.confirmed);
    assert_string_equal(s->now->since.changes.first[0], "Torch.outer.0.forward.input.1");
    uint32_t line =
        s->now->pairing->line_of[0][dump_find_row(&s->now->side[0].dump, STR("Torch.outer.0.forward.input.1"))];
    assert_int_equal(round_since_row(&s->now->since, line)->verdict, VERDICT_DEVIATE);
    assert_int_equal(round_since_change(s->now, line), CHANGE_FIXED);
    shut(s);

    /* another file in its place is told of, and nothing is made up */
    struct round other = full();
    uint64_t fingerprint;
    assert_int_equal(round_write(&other, file, &fingerprint, &e), 0);
    round_release(&other);
    s = open_round(&w);
    assert_false(s->now->since.there);
    assert_false(round_since_knows(&s->now->since, line));
    assert_non_null(strstr(s->now->since.err.text, "was changed or replaced"));
    shut(s);

    /* a return that cannot be saved is none: what is shown is what the file says */
    const char *was = w.path;
    investigation_tell(&w, &w.answers, STR("first-deviation"), STR("of round 2"));
    w.path = investigation_keep(&w, path_in(dir, "nowhere/t.investigation.json"));
    assert_int_equal(round_return(&w, &e), -1);
    w.path = was;
    assert_string_equal(w.input[0], sample("tt_emb_fp32/target"));
    assert_int_equal(w.rounds.n, 1);
    assert_string_equal(w.rounds.v[0].input[0], sample("tt_rope/target"));
    assert_string_equal(investigation_text(&w.answers, "first-deviation"), "of round 2");
    assert_string_equal(investigation_text(&w.answers, "first-deviation@1"), "rounded");

    assert_int_equal(round_return(&w, &e), 0);
    assert_string_equal(w.input[0], sample("tt_rope/target"));
    assert_string_equal(investigation_text(&w.answers, "first-deviation"), "rounded");
    assert_int_equal(round_return(&w, &e), -1);
    investigation_release(&v);
    investigation_release(&w);
}

/* Where the investigation cannot be written the round is not left: the file beside it is one that nothing speaks of. */
static void not_left(void **state)
{
    char path[300], file[300];
    struct investigation v;
    struct err e = {0};
    const char *dir = scratch();
    (void)state;
    snprintf(path, sizeof path, "%s/t.investigation.json", dir);
    snprintf(file, sizeof file, "%s/t.round-1.gz", dir);
    assert_int_equal(mkdir(path, 0755), 0);
    investigation_init(&v);
    v.path = investigation_keep(&v, path);
    v.input[0] = investigation_keep(&v, sample("tt_rope/target"));
    v.input[1] = investigation_keep(&v, sample("tt_rope/bench"));
    struct session *s = open_round(&v);
    assert_int_equal(round_leave(&v, s->now, NULL, sample("tt_emb_fp32/target"), NULL, NULL, &e), -1);
    assert_true(path_is_file(file));
    assert_int_equal(v.rounds.n, 0);
    assert_string_equal(v.input[0], sample("tt_rope/target"));
    shut(s);
    investigation_release(&v);
}

/* ---- results ---- */

static void write_result(const char *path, const char *target, const char *golden, enum report_rows rows)
{
    struct session *s = open_paths(target, golden);
    struct report_options o = {.rows = rows};
    struct out out;
    struct err e;
    assert_int_equal(out_file(&out, path, &e), 0);
    writer_for(path)->compare(&out, s->now, &o);
    assert_int_equal(out_close(&out, &e), 0);
    shut(s);
}

static void results(void **state)
{
    char path[300];
    struct err e = {0};
    struct round r;
    const char *dir = scratch();
    (void)state;
    static const enum round_extent extent[] = {[ROWS_NONE] = ROUND_ROWS_NONE,
                                               [ROWS_DEVIATING] = ROUND_ROWS_DEVIATING,
                                               [ROWS_ALL] = ROUND_ROWS_ALL};
    static const size_t rows[] = {[ROWS_NONE] = 0, [ROWS_DEVIATING] = 442, [ROWS_ALL] = 610};
    for (int k = ROWS_NONE; k <= ROWS_ALL; k++) {
        snprintf(path, sizeof path, "%s/%d.json", dir, k);
        write_result(path, sample("tt_rope/target"), sample("tt_rope/bench"), (enum report_rows)k);
        round_init(&r);
        if (round_from_result(&r, path, &e))
            fail_msg("%s", e.text);
        assert_int_equal(r.extent, extent[k]);
        assert_int_equal(r.rows.n, rows[k]);
        assert_int_equal(r.status, 1);
        assert_string_equal(r.first[0], "Torch.outer.0.forward.input.1");
        assert_int_equal(r.by[VERDICT_DEVIATE], 442); /* with those that inherit */
        assert_true(k == ROWS_NONE || round_first(&r) != NONE);
        round_release(&r);
    }
    static const char *const bad[] = {"",
                                      "[]",
                                      "{\"schema\":1}",
                                      "{\"schema\":1,\"summary\":{},\"first_deviation\":null,\"rows\":[{\"verdict\":7}]"
                                      "}",
                                      "{\"schema\":1,\"summary\":{},\"first_deviation\":null,\"rows\":[{",
                                      "{\"schema\":9,\"summary\":{},\"first_deviation\":null}"};
    snprintf(path, sizeof path, "%s/bad.json", dir);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        assert_int_equal(file_replace(path, str_of(bad[i]), &e), 0);
        round_init(&r);
        e.text[0] = 0;
        assert_int_equal(round_from_result(&r, path, &e), -1);
        assert_true(e.text[0]);
        round_release(&r);
    }
}

/* ---- scripts ---- */

static void policies(void **state)
{
    struct fail_on p = {.given = false};
    struct fail_on_counts c = {.rows = 5};
    struct err e = {0};
    (void)state;
    assert_int_equal(fail_on_status(&p, &c, 1), 1);
    assert_int_equal(fail_on_parse(&p, STR("deviate, new"), &e), 0);
    assert_int_equal(fail_on_fits(&p, FAIL_ON_COMPARE | FAIL_ON_ROUNDS, &e), 0);
    assert_int_equal(fail_on_fits(&p, FAIL_ON_COMPARE, &e), -1);
    assert_int_equal(fail_on_fits(&p, FAIL_ON_CHECK, &e), -1);
    assert_int_equal(fail_on_status(&p, &c, 1), 0);
    assert_int_equal(fail_on_status(&p, &c, 5), 5);
    c.n[FAIL_ON_NEW] = 1;
    assert_int_equal(fail_on_status(&p, &c, 5), 1);
    c.n[FAIL_ON_NEW] = 0;
    c.n[FAIL_ON_DRIFT] = 9;
    assert_int_equal(fail_on_status(&p, &c, 0), 0);
    assert_int_equal(fail_on_parse(&p, STR("none"), &e), 0);
    assert_int_equal(fail_on_status(&p, &c, 5), 0);
    assert_int_equal(fail_on_parse(&p, STR(""), &e), -1);
    assert_int_equal(fail_on_parse(&p, STR("deviates"), &e), -1);
    assert_int_equal(fail_on_parse(&p, STR("drift,"), &e), 0);
}

static void lines(void **state)
{
    struct buf b = {0};
    (void)state;
    struct session *s = open_paths(sample("tt_rope/target"), sample("tt_rope/bench"));
    fail_on_line(&b, s->now, 1, "a file.json");
    const char *begins = "diverge: deviates first=Torch.outer.0.forward.input.1 rel_l2=9.8e-5 rows=610 deviate=442 "
                         "nonfinite=0 shape=0 dtype=0 drift=0 "
                         "only=0 doubtful=0 unread=0 known=0 starts=1 inherited=441 paired=610 row=17 coverage=100.0% "
                         "step=0 rank=0 target=";
    assert_true(str_starts(buf_view(&b), begins));
    assert_true(str_ends(buf_view(&b), " file=a%20file.json\n"));
    buf_release(&b);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(damaged),
        cmocka_unit_test(referred),
        cmocka_unit_test(joined),
        cmocka_unit_test(kinds),
        cmocka_unit_test(confirmed),
        cmocka_unit_test(unified),
        cmocka_unit_test(intervened),
        cmocka_unit_test(not_comparable),
        cmocka_unit_test(counted),
        cmocka_unit_test(left),
        cmocka_unit_test(not_left),
        cmocka_unit_test(results),
        cmocka_unit_test(policies),
        cmocka_unit_test(lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
