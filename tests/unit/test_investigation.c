/* The saved state of a ticket: what is written reads back, newer files are left alone, a place that
 * cannot be written is said so. */
#include "support.h"

#include <cjson/cJSON.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_write.h"
#include "base/io.h"
#include "ticket/investigation.h"

static const char *place(void)
{
    static char path[2][300];
    static int next;
    char *p = path[next++ % 2];
    snprintf(p, 300, "%s/t.investigation.json", scratch());
    return p;
}

static void write_text(const char *path, const char *text)
{
    struct err e;
    assert_int_equal(file_replace(path, str_of(text), &e), 0);
}

static void check_equal(const struct investigation *a, const struct investigation *b)
{
    for (int s = 0; s < 2; s++) {
        assert_string_equal(a->input[s], b->input[s]);
        assert_int_equal(a->step[s], b->step[s]);
        assert_int_equal(a->rank[s], b->rank[s]);
        assert_string_equal(a->cursor[s], b->cursor[s]);
    }
    assert_true(a->map_only == b->map_only && a->exact == b->exact && a->strict_gaps == b->strict_gaps);
    assert_memory_equal(&a->tol, &b->tol, sizeof a->tol);
    assert_int_equal(a->maps.n, b->maps.n);
    for (size_t i = 0; i < a->maps.n; i++)
        assert_string_equal(a->maps.v[i], b->maps.v[i]);
    assert_int_equal(a->bookmarks.n, b->bookmarks.n);
    for (size_t i = 0; i < a->bookmarks.n; i++)
        for (int s = 0; s < 2; s++)
            assert_string_equal(a->bookmarks.v[i].row[s], b->bookmarks.v[i].row[s]);
}

static void fill(struct investigation *v, const char *path)
{
    struct err e;
    investigation_init(v);
    v->path = investigation_keep(v, path);
    v->input[0] = "/dumps/target \"a\"\n";
    v->input[1] = "golden/\xe5\xb1\x82";
    v->step[0] = 0;
    v->step[1] = 12;
    v->rank[1] = 3;
    v->exact = true;
    v->map_only = true;
    vec_push(&v->maps, "one.yaml");
    vec_push(&v->maps, "two.json");
    assert_int_equal(thresholds_set(&v->tol, STR("float32.deviate"), STR("0.1"), &e), 0);
    assert_int_equal(thresholds_set(&v->tol, STR("coverage"), STR("0.30000000000000004"), &e), 0);
    assert_true(investigation_bookmark(v, "Functional.linear.0.forward.output.0", ""));
    assert_true(investigation_bookmark(v, "", "b\\c"));
    v->cursor[0] = "Functional.linear.7.forward.output.0";
}

static void round_trip(void **state)
{
    struct investigation v, w;
    struct err e;
    const char *path = place();
    (void)state;
    fill(&v, path);
    assert_int_equal(investigation_save(&v, &e), 0);
    assert_true(investigation_is(path));
    investigation_init(&w);
    assert_int_equal(investigation_load(&w, path, &e), 0);
    assert_string_equal(w.path, path);
    assert_false(w.read_only);
    check_equal(&v, &w);
    /* saved again it is the same file */
    struct buf one = {0}, two = {0};
    assert_int_equal(file_slurp(path, 1 << 20, &one, &e), 0);
    assert_int_equal(investigation_save(&w, &e), 0);
    assert_int_equal(file_slurp(path, 1 << 20, &two, &e), 0);
    assert_string_equal(one.p, two.p);
    cJSON *root = cJSON_Parse(one.p);
    assert_int_equal(cJSON_GetObjectItem(root, "schema")->valueint, 1);
    cJSON_Delete(root);
    buf_release(&one);
    buf_release(&two);
    investigation_release(&v);
    investigation_release(&w);
}

/* Only moved limits are kept, so that better defaults reach old tickets. */
static void keeps_moved_limits_only(void **state)
{
    struct investigation v;
    struct err e;
    struct buf b = {0};
    const char *path = place();
    (void)state;
    fill(&v, path);
    assert_int_equal(investigation_save(&v, &e), 0);
    assert_int_equal(file_slurp(path, 1 << 20, &b, &e), 0);
    assert_non_null(strstr(b.p, "float32.deviate"));
    assert_null(strstr(b.p, "float32.drift"));
    buf_release(&b);
    investigation_release(&v);
}

static void bookmarks_come_and_go(void **state)
{
    struct investigation v;
    (void)state;
    investigation_init(&v);
    for (int i = 0; i < 100; i++) {
        char name[20];
        snprintf(name, sizeof name, "row%d", i);
        assert_true(investigation_bookmark(&v, name, name));
    }
    assert_int_equal(v.bookmarks.n, 100);
    assert_true(investigation_is_bookmarked(&v, "row50", "row50"));
    assert_false(investigation_is_bookmarked(&v, "row50", ""));
    assert_false(investigation_bookmark(&v, "row50", "row50")); /* taken away */
    assert_false(investigation_is_bookmarked(&v, "row50", "row50"));
    assert_true(investigation_is_bookmarked(&v, "row51", "row51"));
    assert_int_equal(v.bookmarks.n, 99);
    assert_string_equal(v.bookmarks.v[50].row[0], "row51");
    assert_false(investigation_bookmark(&v, "row99", "row99")); /* the last */
    assert_int_equal(v.bookmarks.n, 98);
    investigation_release(&v);
}

/* A newer program's file is read as far as it is understood and never written. */
static void newer_files_are_read_only(void **state)
{
    struct investigation v;
    struct err e;
    struct buf b = {0};
    const char *path = place(),
               *text = "{\"schema\":2,\"new\":1,\"investigation\":{\"target\":{\"path\":\"a\",\"step\":4}}}";
    (void)state;
    write_text(path, text);
    investigation_init(&v);
    assert_int_equal(investigation_load(&v, path, &e), 0);
    assert_true(v.read_only);
    assert_string_equal(v.input[0], "a");
    assert_int_equal(v.step[0], 4);
    investigation_bookmark(&v, "x", "y");
    assert_int_equal(investigation_save(&v, &e), 0);
    assert_int_equal(file_slurp(path, 1 << 20, &b, &e), 0);
    assert_string_equal(b.p, text);
    buf_release(&b);
    investigation_release(&v);
}

static void nowhere_to_save_to(void **state)
{
    struct investigation v;
    struct err e = {0};
    (void)state;
    investigation_init(&v);
    assert_int_equal(investigation_save(&v, &e), 0); /* no path: nothing to do */
    v.path = "/no/such/folder/x.investigation.json";
    assert_int_equal(investigation_save(&v, &e), -1);
    assert_int_equal(e.code, ERR_OUTPUT);
    assert_non_null(strstr(e.text, "/no/such/folder"));
    investigation_release(&v);
}

static void files_that_are_none(void **state)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "invalid JSON"},        {"{\"schema\":1", "invalid JSON"},  {"[]", "not an investigation"},
        {"{\"schema\":1}", "not an investigation"}, {"{\"investigation\":{}}", "not an investigation"},
        {"{\"schema\":0,\"investigation\":{}}", "not an investigation"}, {"{\"schema\":\"1\",\"investigation\":{}}", "not an investigation"},
        {"{\"schema\":1,\"investigation\":{}} x", "invalid JSON"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct investigation v;
        struct err e = {0};
        const char *path = place();
        write_text(path, bad[i].text);
        investigation_init(&v);
        assert_int_equal(investigation_load(&v, path, &e), -1);
        assert_int_equal(e.code, ERR_DATA);
        if (!strstr(e.text, bad[i].why) || !strstr(e.text, path))
            fail_msg("%s", e.text);
        investigation_release(&v);
    }
}

/* Fields of other types than ours, as a hand that edits the file may leave them: passed over they would be gone with
 * the next saving. The sentence names file, field and both types. */
static void odd_types_are_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } odd[] = {
        {"5", "\"investigation\": expected an object, found a number"},
        {"[1,2]", "\"investigation\": expected an object, found a list"},
        {"\"x\"", "\"investigation\": expected an object, found a text"},
        {"{\"target\":5}", "\"target\": expected an object, found a number"},
        {"{\"golden\":[1]}", "\"golden\": expected an object, found a list"},
        {"{\"target\":{\"path\":5}}", "\"path\": expected a text, found a number"},
        {"{\"target\":{\"step\":\"x\"}}", "\"step\": expected a number, found a text"},
        {"{\"maps\":{\"a\":1}}", "\"maps\": expected a list, found an object"},
        {"{\"maps\":[1]}", "\"maps\": expected a text, found a number"},
        {"{\"thresholds\":[1,2]}", "\"thresholds\": expected an object, found a list"},
        {"{\"thresholds\":{\"coverage\":true}}", "\"coverage\": expected a number, found true or false"},
        {"{\"bookmarks\":7}", "\"bookmarks\": expected a list, found a number"},
        {"{\"bookmarks\":[{\"target\":3}]}", "\"target\": expected a text, found a number"},
        {"{\"cursor\":[]}", "\"cursor\": expected an object, found a list"},
        {"{\"exact\":1}", "\"exact\": expected true or false, found a number"},
        {"{\"decisions\":[1]}", "\"decisions\": expected an object, found a number"},
        {"{\"decided\":\"1\"}", "\"decided\": expected a number, found a text"},
        {"{\"findings\":[{\"number\":1,\"text\":{}}]}", "\"text\": expected a text, found an object"},
        {"{\"findings\":[{\"evidence\":[[]]}]}", "\"evidence\": expected an object, found a list"},
        {"{\"panels\":{\"inputs\":[{\"slot\":1}]}}", "\"slot\": expected a text, found a number"},
        {"{\"rounds\":[{\"target\":\"x\"}]}", "\"target\": expected an object, found a text"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct investigation v;
        struct err e = {0};
        struct buf b = {0};
        const char *path = place();
        buf_fmt(&b, "{\"schema\":1,\"investigation\":%s}", odd[i].text);
        write_text(path, b.p);
        investigation_init(&v);
        assert_int_equal(investigation_load(&v, path, &e), -1);
        assert_int_equal(e.code, ERR_DATA);
        if (!strstr(e.text, odd[i].why) || !strstr(e.text, path))
            fail_msg("%s: %s", odd[i].text, e.text);
        buf_release(&b);
        investigation_release(&v);
    }
}

/* Of the right type, and still nothing that makes sense. */
static void odd_fields_are_passed_over(void **state)
{
    static const char *const odd[] = {
        "{\"target\":null,\"maps\":null,\"cursor\":{},\"later\":[1]}", "{\"target\":{\"rank\":1e300}}",
        "{\"thresholds\":{\"float32.deviate\":-1,\"nothing\":1,\"coverage\":\"x\"}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct investigation v, fresh;
        struct err e = {0};
        struct buf b = {0};
        const char *path = place();
        buf_fmt(&b, "{\"schema\":1,\"investigation\":%s}", odd[i]);
        write_text(path, b.p);
        investigation_init(&v);
        investigation_init(&fresh);
        if (investigation_load(&v, path, &e))
            fail_msg("%s", e.text);
        assert_memory_equal(&v.tol, &fresh.tol, sizeof v.tol);
        assert_string_equal(v.cursor[0], "");
        assert_int_equal(investigation_save(&v, &e), 0);
        buf_release(&b);
        investigation_release(&v);
        investigation_release(&fresh);
    }
}

static void names_of_files(void **state)
{
    const char *path = place();
    (void)state;
    assert_false(investigation_is(path)); /* not there yet */
    write_text(path, "{}");
    assert_true(investigation_is(path));
    char other[300];
    snprintf(other, sizeof other, "%s/x.json", scratch());
    write_text(other, "{}");
    assert_false(investigation_is(other));
    struct investigation v; /* a pipe of that name: opening it says what it is */
    struct err e = {0};
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_true(investigation_is(path));
    investigation_init(&v);
    assert_int_equal(investigation_load(&v, path, &e), -1);
    assert_non_null(strstr(e.text, "expected a regular file"));
    investigation_release(&v);
}

/* ---- decisions ---- */

static void decide(struct investigation *v, enum decision_kind kind, const char *target, const char *golden,
                   const char *view)
{
    struct decision x = {.kind = (uint8_t)kind,
                         .step = decisions_step(&v->decisions),
                         .side = {target, golden},
                         .view = view};
    if (kind == DECIDE_RULE_OFF || kind == DECIDE_RULE_ON)
        x.rule = 1;
    decisions_add(&v->decisions, x);
}

static void check_decisions(const struct decisions *a, const struct decisions *b)
{
    assert_int_equal(a->log.n, b->log.n);
    assert_int_equal(a->now, b->now);
    for (size_t i = 0; i < a->log.n; i++) {
        const struct decision *x = &a->log.v[i], *y = &b->log.v[i];
        assert_true(x->kind == y->kind && x->step == y->step && x->rule == y->rule);
        assert_string_equal(x->side[0], y->side[0]);
        assert_string_equal(x->side[1], y->side[1]);
        assert_string_equal(x->view, y->view);
    }
}

/* Also what was taken back: it can be done again tomorrow. */
static void decisions_are_kept(void **state)
{
    const char *path = place();
    struct err e;
    (void)state;
    for (int undone = 0; undone <= 5; undone++) {
        struct investigation v, w;
        unlink(path);
        fill(&v, path);
        decide(&v, DECIDE_MARK, "a.0.forward.output.0", "b \"\\\n\x01\xe5\xb1\x82", "");
        decide(&v, DECIDE_RULE, "layers.(\\d+)/x@<0+2i>/f", "h.\\1/y@<1+1i>/f", "golden split -1 2 0:8");
        decide(&v, DECIDE_REJECT, "c", "d", "");
        decide(&v, DECIDE_RULE_OFF, "", "", "");
        decide(&v, DECIDE_RULE_ON, "", "", "");
        for (int i = 0; i < undone; i++)
            assert_true(decisions_undo(&v.decisions, false));
        assert_int_equal(investigation_save(&v, &e), 0);
        investigation_init(&w);
        assert_int_equal(investigation_load(&w, path, &e), 0);
        check_decisions(&v.decisions, &w.decisions);
        for (int i = 0; i < undone; i++)
            assert_true(decisions_undo(&w.decisions, true));
        assert_false(decisions_undo(&w.decisions, true));
        investigation_release(&v);
        investigation_release(&w);
    }
}

/* A list no program wrote: what is a decision stays one, numbers beyond it are no number. */
static void odd_decisions(void **state)
{
    static const struct {
        const char *text;
        size_t n, now;
    } cases[] = {
        {"\"decisions\":[{},{\"what\":null},{\"what\":\"dream\"},{\"what\":\"mark\"}]", 1, 1},
        {"\"decisions\":[{\"what\":\"mark\",\"target\":null,\"rule\":-1}]", 1, 1},
        {"\"decisions\":[{\"what\":\"rule-off\",\"rule\":1e300,\"step\":1e17}]", 1, 1},
        {"\"decisions\":[{\"what\":\"rule\",\"target\":\"(\",\"golden\":\"\"}],\"decided\":7", 1, 1},
        {"\"decisions\":[{\"what\":\"mark\"},{\"what\":\"mark\"}],\"decided\":-1", 2, 2},
        {"\"decisions\":[{\"what\":\"mark\"},{\"what\":\"mark\"}],\"decided\":0", 2, 0},
        {"\"decisions\":[{\"what\":\"mark\"},{\"what\":\"mark\"}],\"decided\":1.9", 2, 1},
        {"\"decided\":3", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct investigation v;
        struct decisions_in_force r;
        struct err e;
        struct buf b = {0};
        const char *path = place();
        buf_fmt(&b, "{\"schema\":1,\"investigation\":{%s}}", cases[i].text);
        write_text(path, b.p);
        investigation_init(&v);
        assert_int_equal(investigation_load(&v, path, &e), 0);
        if (v.decisions.log.n != cases[i].n || v.decisions.now != cases[i].now)
            fail_msg("%s: %zu decisions, %zu hold", cases[i].text, v.decisions.log.n, v.decisions.now);
        decisions_in_force_read(&r, &v.decisions);
        decisions_in_force_release(&r);
        while (decisions_undo(&v.decisions, false))
            continue;
        assert_int_equal(investigation_save(&v, &e), 0);
        buf_release(&b);
        investigation_release(&v);
    }
}

/* ---- inputs that moved, and that changed ---- */

static void folder(const char *root, const char *name)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", root, name);
    if (mkdir(path, 0755))
        fail_msg("%s", path);
}

static void inputs_that_moved(void **state)
{
    static char root[300], path[400], text[2000], want[400];
    struct investigation v;
    struct err e = {0};
    (void)state;
    snprintf(root, sizeof root, "%s", scratch());
    folder(root, "ticket");
    folder(root, "ticket/golden");
    folder(root, "far");
    folder(root, "far/away");
    folder(root, "far/away/target");
    snprintf(path, sizeof path, "%s/ticket/t.investigation.json", root);
    snprintf(text, sizeof text,
             "{\"schema\":1,\"investigation\":{\"target\":{\"path\":\"target\",\"full_path\":\"/mnt/old/target\"},"
             "\"golden\":{\"path\":\"/mnt/old/golden/"
             "\"},\"decisions\":[{\"what\":\"mark\",\"target\":\"a\",\"golden\":\"b\"}]}}");
    write_text(path, text);
    /* one lies beside the ticket, the other nowhere: said by name, and nothing is lost */
    investigation_init(&v);
    assert_int_equal(investigation_load(&v, path, &e), 0);
    assert_int_equal(investigation_find_inputs(&v, &e), -1);
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.text, "target: not found"));
    assert_non_null(strstr(e.text, "--remap"));
    assert_string_equal(v.input[0], "target");
    assert_int_equal(v.decisions.now, 1);
    /* remaps: one that does not fit, one that leads nowhere, one that is right */
    struct named_text other = {.name = "/mnt/new", .text = root}, nowhere = {.name = "/mnt", .text = "/nowhere"}, right;
    snprintf(want, sizeof want, "%s/far/away", root);
    right = (struct named_text){.name = "/mnt/old", .text = want};
    vec_push(&v.remaps, other);
    vec_push(&v.remaps, nowhere);
    vec_push(&v.remaps, right);
    assert_int_equal(investigation_find_inputs(&v, &e), 0);
    snprintf(text, sizeof text, "%s/far/away/target", root);
    assert_string_equal(v.input[0], text);
    snprintf(text, sizeof text, "%s/ticket/golden", root);
    assert_string_equal(v.input[1], text);
    /* saved, it is found again at once; from another folder by its full path */
    assert_int_equal(investigation_save(&v, &e), 0);
    investigation_release(&v);
    investigation_init(&v);
    assert_int_equal(investigation_load(&v, path, &e), 0);
    assert_int_equal(investigation_find_inputs(&v, &e), 0);
    assert_int_equal(v.remaps.n, 3);
    assert_string_equal(v.full[1], text);
    v.input[1] = "golden-as-it-was-called";
    assert_int_equal(investigation_find_inputs(&v, &e), 0);
    assert_string_equal(v.input[1], text);
    investigation_release(&v);
}

/* What was unpacked names its inputs "target" and "golden": folders of these names where the program runs are others,
 * and nothing outside is meant, whatever a stranger's pack says. */
static void a_pack_names_what_lies_in_it(void **state)
{
    static char root[300], path[400], want[400];
    static const char *const out[] = {"target", "/etc/passwd", "../target", "inputs/../../target", "..", "/"};
    struct investigation v;
    struct err e = {0};
    struct buf at = {0};
    (void)state;
    snprintf(root, sizeof root, "%s", scratch());
    folder(root, "here");
    folder(root, "here/target");
    folder(root, "pack");
    folder(root, "pack/golden");
    snprintf(path, sizeof path, "%s/pack/ticket.investigation.json", root);
    char *back = getcwd(NULL, 0);
    snprintf(want, sizeof want, "%s/here", root);
    assert_int_equal(chdir(want), 0);
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        investigation_init(&v);
        v.path = path;
        v.pack = "f.tar";
        v.input[TARGET] = out[i];
        v.full[TARGET] = want; /* it exists, and is another's */
        v.input[GOLDEN] = "golden";
        assert_int_equal(investigation_find_inputs(&v, &e), -1);
        assert_string_equal(v.input[TARGET], out[i]);
        investigation_locate(&v, out[i], &at);
        assert_true(str_starts(buf_view(&at), root) && !path_is_dir(at.p) && !path_is_file(at.p));
        snprintf(want, sizeof want, "%s/pack/golden", root);
        assert_string_equal(v.input[GOLDEN], want);
        investigation_locate(&v, "golden", &at);
        assert_string_equal(at.p, want);
        investigation_locate(&v, want, &at); /* found before */
        assert_string_equal(at.p, want);
        investigation_release(&v);
    }
    assert_int_equal(chdir(back), 0);
    free(back);
    buf_release(&at);
}

/* Remaps come with the command line, never with the pack. */
static void a_pack_remaps_nothing(void **state)
{
    static char root[300], path[400], other[400];
    struct investigation v;
    struct err e = {0};
    (void)state;
    snprintf(root, sizeof root, "%s", scratch());
    folder(root, "other");
    snprintf(path, sizeof path, "%s",
             put_text(root, "pack/ticket.investigation.json",
                      "{\"schema\":1,\"investigation\":{\"target\":{\"path\":\"target\"},\"remaps\":[{\"from\":"
                      "\"target\",\"to\":\"/etc/passwd\"}]}}"));
    folder(root, "pack/target");
    investigation_init(&v);
    v.path = path;
    v.pack = "f.tar";
    assert_int_equal(investigation_load(&v, path, &e), 0);
    assert_int_equal(v.remaps.n, 0);
    snprintf(other, sizeof other, "%s/other", root);
    struct named_text x = {.name = "target", .text = other};
    vec_push(&v.remaps, x);
    v.input[TARGET] = "target";
    assert_int_equal(investigation_find_inputs(&v, &e), 0);
    assert_string_equal(v.input[TARGET], other);
    investigation_release(&v);
}

/* Names in an investigation are text: none of them reaches beyond what exists. */
static void inputs_with_odd_names(void **state)
{
    static const char *const odd[] = {"", "/", "..", ".", "../../../../nonexistent-anywhere", "//", "a//b", "\x1b[31m"};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct investigation v;
        struct err e = {0};
        investigation_init(&v);
        v.path = place();
        v.input[0] = odd[i];
        v.full[0] = odd[i];
        struct named_text x = {.name = "/", .text = ""};
        vec_push(&v.remaps, x);
        int rc = investigation_find_inputs(&v, &e);
        assert_true(rc == 0 || (e.code == ERR_IO && strstr(e.text, "not found")));
        investigation_release(&v);
    }
}

static void inputs_that_changed(void **state)
{
    static char root[300], path[400];
    struct buf b = {0};
    (void)state;
    snprintf(root, sizeof root, "%s", scratch());
    snprintf(path, sizeof path, "%s/dump.json", root);
    struct file_stamp none = file_stamp_of("/no/such/folder"), empty = file_stamp_of(root);
    assert_true(none.bytes == 0 && none.files == 0 && empty.bytes == 0 && empty.files == 0);
    put_text(root, "dump.json", "12345");
    struct file_stamp was = file_stamp_of(root), file = file_stamp_of(path);
    assert_true(was.bytes == 5 && was.files == 1 && file.bytes == 5 && file.files == 1 && was.time > 0);
    buf_cstr(&b, "");
    file_stamp_text(&was, &was, &b);
    file_stamp_text(&none, &was, &b); /* nothing is known of then */
    file_stamp_text(&was, &none, &b);
    assert_string_equal(b.p, "");
    struct file_stamp later = was;
    later.time += 60;
    file_stamp_text(&was, &later, &b);
    assert_non_null(strstr(b.p, "rewritten since"));
    put_text(root, "dump.json", "123456");
    later = file_stamp_of(root);
    buf_clear(&b);
    file_stamp_text(&was, &later, &b);
    assert_non_null(strstr(b.p, "marks are kept"));
    assert_non_null(strstr(b.p, "changed since the investigation was closed: was "));
    buf_release(&b);
}

static void state_of_inputs_is_kept(void **state)
{
    struct investigation v, w;
    struct err e;
    const char *path = place();
    (void)state;
    fill(&v, path);
    v.state[0] = (struct file_stamp){123456789012, 4, 1700000000};
    assert_int_equal(investigation_save(&v, &e), 0);
    investigation_init(&w);
    assert_int_equal(investigation_load(&w, path, &e), 0);
    assert_memory_equal(&v.state, &w.state, sizeof v.state);
    investigation_release(&v);
    investigation_release(&w);
}

/* ---- whose it is ---- */

/* A process that has an investigation and waits; it says so through the pipe. */
static pid_t holder(const char *path, int end[2])
{
    char byte = 0;
    if (pipe(end))
        fail();
    pid_t pid = fork();
    if (pid == 0) {
        struct investigation v;
        investigation_init(&v);
        v.path = path;
        investigation_claim(&v);
        byte = v.lock >= 0 && !v.read_only;
        for (bool told = write(end[1], &byte, 1) == 1; told;)
            pause();
        _exit(1);
    }
    assert_int_equal(read(end[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    return pid;
}

static void one_at_a_time(void **state)
{
    struct investigation v;
    struct err e;
    struct buf b = {0};
    int end[2];
    char who[40], lock[500];
    const char *path = place(), *text = "{\"schema\":1,\"investigation\":{\"target\":{\"path\":\"a\"}}}";
    (void)state;
    write_text(path, text);
    pid_t pid = holder(path, end);
    investigation_init(&v);
    v.path = path;
    investigation_claim(&v);
    assert_true(v.read_only && v.lock < 0);
    snprintf(who, sizeof who, "process %ld", (long)pid);
    assert_non_null(v.holder);
    assert_non_null(strstr(v.holder, who));
    assert_int_equal(investigation_load(&v, path, &e), 0);
    assert_true(v.read_only); /* reading it does not make it one's own */
    decide(&v, DECIDE_MARK, "a", "b", "");
    assert_int_equal(investigation_save(&v, &e), 0);
    assert_int_equal(file_slurp(path, 1 << 20, &b, &e), 0);
    assert_string_equal(b.p, text);
    investigation_claim(&v); /* still theirs */
    assert_true(v.read_only);
    char linked[2][400]; /* also by another name of the file, directly and through a link to a link */
    for (int i = 0; i < 2; i++) {
        struct investigation x;
        snprintf(linked[i], sizeof linked[i], "%s.link%d", path, i);
        assert_int_equal(symlink(i ? linked[0] : path, linked[i]), 0);
        investigation_init(&x);
        x.path = linked[i];
        investigation_claim(&x);
        assert_true(x.read_only && x.lock < 0);
        investigation_release(&x);
        snprintf(lock, sizeof lock, "%s.lock", linked[i]);
        assert_int_equal(access(lock, F_OK), -1);
    }
    /* killed: nothing is held any more, the file that lies there is nobody's */
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    snprintf(lock, sizeof lock, "%s.lock", path);
    assert_int_equal(access(lock, F_OK), 0);
    struct investigation w;
    investigation_init(&w);
    w.path = path;
    investigation_claim(&w);
    assert_true(w.lock >= 0 && !w.read_only && !w.holder);
    /* what was read while it was theirs is not to be written now */
    investigation_release(&v);
    assert_int_equal(access(lock, F_OK), 0);
    investigation_release(&w);
    assert_int_equal(access(lock, F_OK), -1); /* gone with who had it */
    for (int i = 0; i < 3; i++) {
        investigation_init(&w);
        w.path = i ? linked[i - 1] : path;
        investigation_claim(&w);
        investigation_claim(&w); /* twice is once */
        assert_true(w.lock >= 0);
        snprintf(lock, sizeof lock, "%s.lock", path);
        assert_int_equal(access(lock, F_OK), 0);
        investigation_release(&w);
        assert_int_equal(access(lock, F_OK), -1);
    }
    /* the link leads elsewhere by the time it is released: the lock there is another program's */
    char elsewhere[400];
    snprintf(elsewhere, sizeof elsewhere, "%s.elsewhere", path);
    snprintf(lock, sizeof lock, "%s.lock", elsewhere);
    write_text(lock, "");
    investigation_init(&w);
    w.path = linked[0];
    investigation_claim(&w);
    assert_int_equal(unlink(linked[0]), 0);
    assert_int_equal(symlink(elsewhere, linked[0]), 0);
    investigation_release(&w);
    assert_int_equal(access(lock, F_OK), 0);
    close(end[0]);
    close(end[1]);
    buf_release(&b);
}

/* What a lock file of another program holds is text of somebody's. */
static void odd_locks(void **state)
{
    struct investigation v;
    struct buf kept = {0};
    struct err e = {0};
    char lock[400], target[400];
    const char *path = place();
    (void)state;
    snprintf(lock, sizeof lock, "%s.lock", path);
    snprintf(target, sizeof target, "%s.precious", path);
    FILE *f = fopen(lock, "w");
    for (int i = 0; i < 1000; i++)
        fputs("somebody ", f);
    fclose(f);
    investigation_init(&v);
    v.path = path;
    investigation_claim(&v); /* nobody holds it, whatever it says */
    assert_true(v.lock >= 0);
    investigation_release(&v);
    assert_int_equal(mkdir(lock, 0755), 0); /* cannot be held at all: the file can be worked on */
    investigation_init(&v);
    v.path = path;
    investigation_claim(&v);
    assert_true(v.lock < 0 && !v.read_only);
    investigation_release(&v);
    assert_int_equal(rmdir(lock), 0);
    write_text(target, "precious");
    for (int hard = 0; hard < 2; hard++) { /* what is written into it would be written elsewhere */
        assert_int_equal(hard ? link(target, lock) : symlink(target, lock), 0);
        investigation_init(&v);
        v.path = path;
        investigation_claim(&v);
        assert_true(v.lock < 0 && !v.read_only);
        investigation_release(&v);
        assert_int_equal(file_slurp(target, 100, &kept, &e), 0);
        assert_string_equal(kept.p, "precious");
        buf_release(&kept);
        assert_int_equal(unlink(lock), 0);
    }
    investigation_init(&v);
    investigation_claim(&v); /* nowhere to save to */
    assert_true(v.lock < 0);
    investigation_release(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(keeps_moved_limits_only),
        cmocka_unit_test(bookmarks_come_and_go),
        cmocka_unit_test(newer_files_are_read_only),
        cmocka_unit_test(nowhere_to_save_to),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(odd_types_are_refused), cmocka_unit_test(odd_fields_are_passed_over),
        cmocka_unit_test(names_of_files),
        cmocka_unit_test(decisions_are_kept),
        cmocka_unit_test(odd_decisions),
        cmocka_unit_test(inputs_that_moved),
        cmocka_unit_test(a_pack_names_what_lies_in_it),
        cmocka_unit_test(a_pack_remaps_nothing),
        cmocka_unit_test(inputs_with_odd_names),
        cmocka_unit_test(inputs_that_changed),
        cmocka_unit_test(state_of_inputs_is_kept),
        cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(odd_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
