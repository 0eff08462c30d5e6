/* Two investigations as one: what is new, what is the same, what stands against each other, and who is right then. */
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/mem.h"
#include "ticket/merge.h"

static struct investigation file(const char *inner)
{
    struct investigation v;
    struct buf b = {0};
    struct err e;
    buf_fmt(&b, "{\"schema\": 1, \"investigation\": {%s}}", inner);
    investigation_init(&v);
    if (investigation_parse(&v, buf_view(&b), "test", &e))
        fail_msg("%s: %s", e.text, inner);
    buf_release(&b);
    return v;
}

/* What is kept of it, the caller's to delete. */
static cJSON *kept(const struct investigation *v)
{
    struct buf b = {0};
    struct err e;
    investigation_write(v, &b);
    cJSON *root = json_text(buf_view(&b), "test", &e);
    assert_non_null(root);
    buf_release(&b);
    return root;
}

static cJSON *at(cJSON *root, const char *key)
{
    cJSON *o = cJSON_GetObjectItemCaseSensitive(root, "investigation");
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

static const char *text_of(const cJSON *o, const char *key)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(x) ? x->valuestring : "";
}

static double number_of(const cJSON *o, const char *key)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(x) ? x->valuedouble : 0;
}

static cJSON *entry(cJSON *root, const char *list, int i)
{
    cJSON *v = cJSON_GetArrayItem(at(root, list), i);
    assert_non_null(v);
    return v;
}

/* Merges; the result is the caller's to delete. */
static cJSON *merged(struct merge *m, enum merge_choice choice, const char *ours, const char *theirs)
{
    struct err e;
    struct investigation a = file(ours), b = file(theirs);
    *m = (struct merge){.name = {"a", "b"}, .choice = choice, .author = "me", .time = 99};
    assert_int_equal(merge_investigations(m, &a, &b, &e), 0);
    cJSON *root = kept(&a);
    investigation_release(&a);
    investigation_release(&b);
    return root;
}

#define FINDING(number, step, place, status, text, author, time) \
    "{\"number\":" #number ",\"step\":" #step ",\"place\":" #place ",\"status\":\"" status \
    "\",\"severity\":\"unset\",\"text\":\"" text "\",\"author\":\"" author "\",\"time\":" #time \
    ",\"target\":\"t." text "\",\"golden\":\"\",\"evidence\":[{\"what\":\"rel_l2\",\"value\":\"1\"}]}"

static void findings_of_both(void **state)
{
    struct merge m;
    (void)state;
    /* one is the same, one of theirs was taken back, one of ours too: that goes, as with any change */
    cJSON *a = merged(&m, MERGE_ASK,
                      "\"findings\":[" FINDING(1, 1, 1, "suspected", "one", "anna",
                                               10) "," FINDING(2, 2, 2, "cleared", "two", "anna",
                                                               20) "," FINDING(3, 3, 3, "cleared", "back", "anna",
                                                                               21) "],\"found\":2",
                      "\"findings\":[" FINDING(1, 1, 1, "suspected", "three", "bo",
                                               11) "," FINDING(2, 2, 2, "suspected", "one", "anna",
                                                               10) "," FINDING(3, 3, 3, "suspected", "gone", "bo",
                                                                               12) "],\"found\":2");
    assert_int_equal(cJSON_GetArraySize(at(a, "findings")), 3);
    assert_int_equal(at(a, "found")->valueint, 3);
    assert_int_equal(m.added.n, 1);
    assert_int_equal(m.same, 1);
    assert_int_equal(m.conflicts.n, 0);
    const cJSON *x = entry(a, "findings", 2);
    assert_string_equal(text_of(x, "text"), "three");
    assert_string_equal(text_of(x, "author"), "bo");
    assert_true((int)number_of(x, "number") == 3 && (int)number_of(x, "step") == 3 && (int)number_of(x, "place") == 3 &&
                (int)number_of(x, "time") == 11);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(x, "evidence")), 1);
    merge_release(&m);
    /* nothing new: what was taken back can still be done again */
    cJSON_Delete(a);
    a = merged(&m, MERGE_ASK,
               "\"findings\":[" FINDING(1, 1, 1, "suspected", "one", "anna",
                                        10) "," FINDING(2, 2, 2, "cleared", "two", "anna", 20) "],\"found\":1",
               "\"findings\":[" FINDING(1, 1, 1, "suspected", "one", "anna", 10) "],\"found\":1");
    assert_int_equal(cJSON_GetArraySize(at(a, "findings")), 2);
    assert_int_equal(at(a, "found")->valueint, 1);
    merge_release(&m);
    cJSON_Delete(a);
}

#define SAME FINDING(1, 1, 1, "suspected", "one", "anna", 10)
#define LATER(status, text, author, time) \
    "{\"number\":1,\"step\":2,\"place\":1,\"status\":\"" status "\",\"severity\":\"unset\",\"text\":\"" text \
    "\",\"author\":\"" author "\",\"time\":" #time ",\"target\":\"t.one\",\"golden\":\"\"}"

static void findings_that_went_on(void **state)
{
    struct merge m;
    (void)state;
    cJSON *a = merged(&m, MERGE_ASK, "\"findings\":[" SAME "],\"found\":1",
                      "\"findings\":[" SAME "," LATER("cleared", "one", "bo", 20) "],\"found\":2");
    assert_int_equal(m.conflicts.n, 0);
    assert_int_equal(m.added.n, 1);
    assert_string_equal(text_of(entry(a, "findings", 1), "status"), "cleared");
    assert_int_equal(number_of(entry(a, "findings", 1), "number"), 1);
    merge_release(&m);
    cJSON_Delete(a);
    /* both went on, differently */
    const char *ours = "\"findings\":[" SAME "," LATER("waived", "one", "anna", 21) "],\"found\":2",
               *theirs = "\"findings\":[" SAME "," LATER("cleared", "one", "bo", 20) "],\"found\":2";
    a = merged(&m, MERGE_ASK, ours, theirs);
    assert_int_equal(m.conflicts.n, 1);
    assert_int_equal(cJSON_GetArraySize(at(a, "findings")), 3);
    const cJSON *note = entry(a, "findings", 2);
    assert_non_null(strstr(text_of(note, "text"), "#conflict"));
    assert_non_null(strstr(text_of(note, "text"), "cleared, bo"));
    assert_string_equal(text_of(note, "author"), "me");
    assert_int_equal(number_of(note, "number"), 2);
    assert_string_equal(text_of(note, "target"), "t.one");
    merge_release(&m);
    cJSON_Delete(a);
    /* once more: what is noted is not noted again */
    struct err e;
    struct investigation first = file(ours), b = file(theirs);
    for (int i = 0; i < 2; i++) {
        m = (struct merge){.name = {"a", "b"}, .author = "me", .time = 100};
        assert_int_equal(merge_investigations(&m, &first, &b, &e), 0);
        assert_int_equal(first.findings.now, 3);
        merge_release(&m);
        first.findings.log.v[2].author = "me"; /* the merge's own is gone */
    }
    investigation_release(&first);
    investigation_release(&b);
    a = merged(&m, MERGE_THEIRS, ours, theirs);
    assert_int_equal(cJSON_GetArraySize(at(a, "findings")), 3);
    assert_string_equal(text_of(entry(a, "findings", 2), "status"), "cleared");
    merge_release(&m);
    cJSON_Delete(a);
    a = merged(&m, MERGE_OURS, ours, theirs);
    assert_int_equal(cJSON_GetArraySize(at(a, "findings")), 2);
    merge_release(&m);
    cJSON_Delete(a);
}

/* What follows from another finding follows from it under its new number, also where that stands behind. */
static void causes(void **state)
{
    struct merge m;
    (void)state;
    cJSON *a = merged(&m, MERGE_ASK, "\"findings\":[" FINDING(1, 1, 1, "suspected", "mine", "anna", 5) "]",
                      "\"findings\":[{\"number\":1,\"step\":1,\"place\":2,\"text\":\"follows\",\"caused_by\":2,"
                      "\"author\":\"bo\",\"time\":1,\"links\":[9]},"
                      "{\"number\":2,\"step\":2,\"place\":1,\"text\":\"cause\",\"author\":\"bo\",\"time\":2},"
                      "{\"number\":3,\"step\":3,\"place\":3,\"text\":\"never\",\"author\":\"bo\",\"time\":3},{"
                      "\"number\":3,\"step\":4,\"place\":3,\"text\":\"never\",\"removed\":true}]");
    assert_int_equal(cJSON_GetArraySize(at(a, "findings")), 3);
    assert_int_equal(number_of(entry(a, "findings", 1), "number"), 2);
    assert_int_equal(number_of(entry(a, "findings", 1), "caused_by"), 3);
    assert_int_equal(number_of(entry(a, "findings", 2), "number"), 3);
    merge_release(&m);
    cJSON_Delete(a);
}

#define MARK(step, t, g) "{\"what\":\"mark\",\"step\":" #step ",\"target\":\"" t "\",\"golden\":\"" g "\"}"
#define REJECT(step, t, g) "{\"what\":\"reject\",\"step\":" #step ",\"target\":\"" t "\",\"golden\":\"" g "\"}"

static void decisions_of_both(void **state)
{
    static const struct {
        const char *ours, *theirs;
        size_t added, same, conflicts;
    } all[] = {
        {MARK(1, "a", "x"), MARK(1, "b", "y"), 1, 0, 0},
        {MARK(1, "a", "x"), MARK(1, "a", "x"), 0, 1, 0},
        {MARK(1, "a", "x"), MARK(1, "a", "y"), 0, 0, 1},
        {MARK(1, "a", "x"), MARK(1, "b", "x"), 0, 0, 1},
        {MARK(1, "a", "x"), REJECT(1, "a", "x"), 0, 0, 1},
        {REJECT(1, "a", "x"), MARK(1, "a", "x"), 0, 0, 1},
        {REJECT(1, "a", "x"), REJECT(1, "a", "x"), 0, 1, 0},
        {REJECT(1, "a", "x"), MARK(1, "a", "y"), 1, 0, 0},
        {MARK(1, "a", "x"), MARK(1, "a", "y") "," MARK(2, "a", "x"), 0, 1, 0}, /* what was overruled is no quarrel */
        {"{\"what\":\"mark\",\"target\":\"q\",\"golden\":\"qkv\",\"view\":\"golden slice 0 0:1\"}", "{\"what\":\"mark\",\"target\":\"k\",\"golden\":\"qkv\",\"view\":\"golden slice 0 1:2\"}", 1, 0, 0},
        {"{\"what\":\"rule\",\"step\":1,\"target\":\"p\",\"golden\":\"t\"}", "{\"what\":\"rule\",\"step\":1,\"target\":\"p\",\"golden\":\"t\"},{\"what\":\"rule-off\",\"step\":2,\"rule\":0}", 0, 0, 1},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct merge m;
        char side[2][400];
        snprintf(side[0], sizeof side[0], "\"decisions\":[%s]", all[i].ours);
        snprintf(side[1], sizeof side[1], "\"decisions\":[%s]", all[i].theirs);
        cJSON *a = merged(&m, MERGE_OURS, side[0], side[1]);
        if (m.added.n != all[i].added || m.same != all[i].same || m.conflicts.n != all[i].conflicts)
            fail_msg("%s | %s: %zu added, %zu the same, %zu conflicts", all[i].ours, all[i].theirs, m.added.n, m.same,
                     m.conflicts.n);
        assert_int_equal(cJSON_GetArraySize(at(a, "decisions")), 1 + all[i].added);
        merge_release(&m);
        cJSON_Delete(a);
        a = merged(&m, MERGE_THEIRS, side[0], side[1]);
        assert_int_equal(cJSON_GetArraySize(at(a, "decisions")), 1 + all[i].added + all[i].conflicts);
        if (all[i].conflicts)
            assert_int_equal(number_of(entry(a, "decisions", 1), "step"),
                             number_of(entry(a, "decisions", 0), "step") + 1);
        merge_release(&m);
        cJSON_Delete(a);
    }
}

static void rules_keep_their_numbers(void **state)
{
    struct merge m;
    (void)state;
    cJSON *a = merged(&m, MERGE_ASK,
                      "\"decisions\":[" MARK(1, "a", "x") "," MARK(2, "b", "y") "," MARK(3, "c", "z") "],\"decided\":2",
                      "\"decisions\":[{\"what\":\"rule\",\"step\":1,\"target\":\"p\",\"golden\":\"t\"},{\"what\":"
                      "\"rule-off\",\"step\":2,\"rule\":0}]");
    assert_int_equal(cJSON_GetArraySize(at(a, "decisions")), 4);
    assert_int_equal(at(a, "decided")->valueint, 4);
    assert_string_equal(text_of(entry(a, "decisions", 2), "what"), "rule");
    assert_string_equal(text_of(entry(a, "decisions", 3), "what"), "rule-off");
    assert_int_equal(number_of(entry(a, "decisions", 3), "rule"), 2);
    merge_release(&m);
    cJSON_Delete(a);
}

static void plain_members(void **state)
{
    static const char ours[] = "\"thresholds\":{\"a\":1,\"b\":2},\"bookmarks\":[{\"target\":\"r\",\"golden\":\"\","
                               "\"note\":\"n\"}],\"exact\":false,\"known\":\"k.md\",\"cursor\":{\"target\":\"r\"},"
                               "\"filters\":[{\"name\":\"f\",\"text\":\"1\"}],\"panels\":{\"waived\":[{\"id\":\"C1\","
                               "\"reason\":\"r\"}]},\"maps\":[\"m\"],\"later\":[{\"v\":1}],\"odd\":5";
    static const char theirs[] =
        "\"thresholds\":{\"b\":3,\"c\":4},\"bookmarks\":[{\"target\":\"r\",\"golden\":\"\",\"note\":\"other\"},{"
        "\"target\":\"s\",\"golden\":\"s\",\"note\":\"\"}],\"exact\":true,\"known\":\"k.md\","
        "\"cursor\":{\"target\":\"z\"},\"filters\":[{\"name\":\"f\",\"text\":\"1\"},{\"name\":\"g\",\"text\":\"2\"}],"
        "\"panels\":{\"waived\":[{\"id\":\"C1\",\"reason\":\"q\"}],\"answers\":[{\"id\":\"i\",\"text\":\"yes\"}]},"
        "\"maps\":[\"m\",\"n\"],\"later\":[{\"v\":1},{\"v\":2}],\"odd\":6";
    struct merge m;
    (void)state;
    cJSON *a = merged(&m, MERGE_THEIRS, ours, theirs);
    assert_int_equal(m.conflicts.n, 4); /* b, the bookmark's note, C1, what nobody knows */
    assert_int_equal(m.added.n, 7);     /* c, the bookmark, exact, g, the answer, map n, the later entry */
    assert_int_equal(m.same, 4);        /* k.md, f, m, the later entry */
    assert_int_equal(number_of(at(a, "thresholds"), "a"), 1);
    assert_int_equal(number_of(at(a, "thresholds"), "b"), 3);
    assert_int_equal(number_of(at(a, "thresholds"), "c"), 4);
    assert_true(cJSON_IsTrue(at(a, "exact")));
    assert_string_equal(text_of(at(a, "cursor"), "target"), "r");
    assert_string_equal(text_of(entry(a, "bookmarks", 0), "note"), "other");
    assert_int_equal(cJSON_GetArraySize(at(a, "maps")), 2);
    assert_int_equal(cJSON_GetArraySize(at(a, "later")), 2);
    assert_int_equal(at(a, "odd")->valueint, 6);
    assert_string_equal(text_of(cJSON_GetArrayItem(cJSON_GetObjectItem(at(a, "panels"), "answers"), 0), "text"), "yes");
    merge_release(&m);
    cJSON_Delete(a);
    a = merged(&m, MERGE_ASK, ours, theirs);
    assert_int_equal(number_of(at(a, "thresholds"), "b"), 2);
    assert_int_equal(cJSON_GetArraySize(at(a, "findings")), 4);
    assert_non_null(strstr(text_of(entry(a, "findings", 0), "text"), "thresholds, b: kept \"2\", the other has \"3\""));
    bool odd = false;
    for (int i = 0; i < 4; i++)
        odd |= strstr(text_of(entry(a, "findings", i), "text"), "#conflict odd, odd: kept \"5\"") != NULL;
    assert_true(odd); /* of what no table knows too */
    merge_release(&m);
    cJSON_Delete(a);
}

static void of_the_same(void **state)
{
    static const struct {
        const char *ours, *theirs;
        bool same;
    } all[] = {
        {"\"target\":{\"path\":\"a\",\"full_path\":\"/x/a\"}", "\"target\":{\"path\":\"../a\",\"full_path\":\"/x/a\"}", true},
        {"\"target\":{\"path\":\"a\",\"full_path\":\"/x/a\"}", "\"target\":{\"path\":\"a\",\"full_path\":\"/y/a\"}", false},
        {"\"target\":{\"path\":\"a\",\"bytes\":1}", "\"target\":{\"path\":\"a\",\"bytes\":2}", false},
        {"\"target\":{\"path\":\"a\",\"bytes\":1}", "\"target\":{\"path\":\"a\"}", true},
        {"\"golden\":{\"path\":\"a\",\"step\":1}", "\"golden\":{\"path\":\"a\",\"step\":2}", false},
        {"\"target\":{\"path\":\"a\"}", "", false},
        {"", "", true},
    };
    struct merge m = {.name = {"a", "b"}, .author = ""};
    struct err e;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct investigation a = file(all[i].ours), b = file(all[i].theirs);
        if ((merge_investigations(&m, &a, &b, &e) == 0) != all[i].same)
            fail_msg("%s | %s", all[i].ours, all[i].theirs);
        merge_release(&m);
        m = (struct merge){.name = {"a", "b"}, .author = ""};
        if (!all[i].same)
            assert_non_null(strstr(e.text, "--force"));
        investigation_release(&a);
        investigation_release(&b);
    }
}

#define SIDES(t) "\"target\":{\"path\":\"" t "\"},\"golden\":{\"path\":\"g\"}"
#define ROUND(n, t, print) "{\"round\":" #n ",\"file\":\"" t ".gz\",\"fingerprint\":\"" print "\"," SIDES(t) "}"
#define ROUNDS "\"rounds\":["
#define ANSWER "\"panels\":{\"answers\":[{\"id\":\"confirmed\",\"text\":\"yes\"}]}"

/* One history goes on: who is rounds ahead gives the inputs, and what the other answered was about a round that is
 * left. */
static void rounds_ahead(void **state)
{
    static const char *const one[] = {SIDES("t1") "," ANSWER, SIDES("t2") "," ROUNDS ROUND(1, "t1", "a1") "]," ANSWER,
                                      SIDES("t3") "," ROUNDS ROUND(1, "t1", "b1") "," ROUND(2, "t2", "b2") "]"};
    static const char *const now[] = {"t1", "t2", "t3"};
    struct merge m;
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int most = i > k ? i : k;
            cJSON *a = merged(&m, MERGE_ASK, one[i], one[k]);
            assert_string_equal(text_of(at(a, "target"), "path"), now[most]);
            assert_int_equal(cJSON_GetArraySize(at(a, "rounds")), most);
            assert_int_equal(m.rounds.n, most);
            for (int r = 0; r < most; r++)
                assert_int_equal(m.rounds.v[r].side, r >= i);
            const cJSON *answers = cJSON_GetObjectItemCaseSensitive(at(a, "panels"), "answers"), *it;
            cJSON_ArrayForEach(it, answers) {
                const char *id = text_of(it, "id");
                if (strcmp(id, "confirmed") == 0)
                    assert_true(most < 2 && (i == most || k == most));
            }
            merge_release(&m);
            cJSON_Delete(a);
        }
}

/* Two who went on with different dumps have no one history, whatever is forced. */
static void rounds_apart(void **state)
{
    static const struct {
        const char *ours, *theirs;
        bool forced;
    } all[] = {
        {SIDES("t3") "," ROUNDS ROUND(1, "t1", "a1") "]", SIDES("t3") "," ROUNDS ROUND(1, "t2", "b1") "]", false},
        {SIDES("t3") "," ROUNDS ROUND(1, "t1", "a1") "]", SIDES("t4") "," ROUNDS ROUND(1, "t1", "a1") "]", true},
        {SIDES("t2"), SIDES("t3") "," ROUNDS ROUND(1, "t1", "a1") "]", true},
    };
    struct err e;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        for (int force = 0; force < 2; force++) {
            struct investigation a = file(all[i].ours), b = file(all[i].theirs);
            struct merge m = {.name = {"a", "b"}, .author = "", .force = force};
            assert_int_equal(merge_investigations(&m, &a, &b, &e) == 0, force && all[i].forced);
            merge_release(&m);
            investigation_release(&a);
            investigation_release(&b);
        }
}

static void hostile(void **state)
{
    struct merge m = {.name = {"a", "b"}, .author = ""};
    struct err e = {0};
    struct buf b = {0};
    (void)state;
    struct investigation a = file(""),
                         odd = file("\"findings\":[{},{\"number\":-1},{\"number\":1e300},{\"number\":4294967294,"
                                    "\"caused_by\":4294967294}],\"found\":-5,"
                                    "\"decisions\":[{},{\"what\":\"\"},{\"what\":\"rule-off\",\"rule\":1e9}],"
                                    "\"panels\":{\"waived\":[{}],\"later\":[[]]},\"thresholds\":{\"a\":\"x\"},"
                                    "\"bookmarks\":[{}],\"\":{\"\":[{}]}");
    assert_int_equal(merge_investigations(&m, &a, &odd, &e), 0);
    merge_release(&m);
    buf_cstr(&b, "\"bookmarks\":[{}");
    for (int i = 0; i < 10001; i++)
        buf_cstr(&b, ",{}");
    buf_cstr(&b, "]");
    struct investigation many = file(b.p);
    m = (struct merge){.name = {"a", "b"}, .author = ""};
    assert_int_equal(merge_investigations(&m, &a, &many, &e), -1);
    assert_non_null(strstr(e.text, "\"bookmarks\" has 10002 entries; at most 10000"));
    merge_release(&m);
    investigation_release(&a);
    investigation_release(&odd);
    investigation_release(&many);
    buf_release(&b);
}

/* ---- one allocation fails ---- */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they have their own malloc */

static long left = -1; /* allocations until one fails; negative: none does */

void *__libc_malloc(size_t n);

void *malloc(size_t n)
{
    return left >= 0 && left-- == 0 ? NULL : __libc_malloc(n);
}

static void told(size_t wanted)
{
    (void)wanted;
    _exit(6);
}

/* Merges a finding and a mark in a process whose k-th allocation fails: 0 when all is there, 1 when something is
 * lost. */
static int merge_with_failure(long k)
{
    struct investigation a = file("\"findings\":[" FINDING(1, 1, 1, "suspected", "one", "anna", 10) "],\"found\":1"),
                         b = file("\"findings\":[" FINDING(1, 1, 1, "suspected", "two", "bo",
                                                           11) "],\"found\":1,\"decisions\":[{\"what\":\"mark\","
                                                               "\"step\":1,\"target\":\"t\",\"golden\":\"g\"}],"
                                                               "\"decided\":1,\"bookmarks\":[{\"target\":\"t\","
                                                               "\"golden\":\"g\",\"note\":\"\"}],\"more\":{\"x\":[1]}");
    struct merge m = {.name = {"a", "b"}, .author = "me"};
    struct buf out = {0};
    struct err e;
    mem_on_failure(told);
    left = k;
    if (merge_investigations(&m, &a, &b, &e))
        return 6;
    investigation_write(&a, &out);
    left = -1;
    cJSON *c = json_text(buf_view(&out), "test", &e);
    return c && cJSON_GetArraySize(at(c, "findings")) == 2 && cJSON_GetArraySize(at(c, "decisions")) == 1 &&
                   cJSON_GetArraySize(at(c, "bookmarks")) == 1 && m.added.n == 4 &&
                   cJSON_GetArraySize(cJSON_GetObjectItem(at(c, "more"), "x")) == 1
               ? 0
               : 1;
}

/* The handler is called, or everything that is said to be added is there. */
static void a_failing_allocation_loses_nothing(void **state)
{
    int status = 6;
    long k = 0;
    (void)state;
    for (; status == 6 && k < 10000; k++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(merge_with_failure(k));
        waitpid(pid, &status, 0);
        assert_true(WIFEXITED(status));
        status = WEXITSTATUS(status);
    }
    assert_int_equal(status, 0);
    assert_in_range(k, 50, 5000); /* so many were tried */
}

#else

static void a_failing_allocation_loses_nothing(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_of_both),
        cmocka_unit_test(findings_that_went_on),
        cmocka_unit_test(causes),
        cmocka_unit_test(decisions_of_both),
        cmocka_unit_test(rules_keep_their_numbers),
        cmocka_unit_test(plain_members),
        cmocka_unit_test(of_the_same),
        cmocka_unit_test(rounds_ahead),
        cmocka_unit_test(rounds_apart),
        cmocka_unit_test(hostile),
        cmocka_unit_test(a_failing_allocation_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
