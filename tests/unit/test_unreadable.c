/* What is known by sight and not read, and the page that describes every format. */
#include "support.h"

#include "fmt/find_recordings.h"
#include "config/environment_forms.h"
#include "config/settings.h"
#include "fmt/unreadable.h"
#include "log/log_format.h"

static const struct {
    const char *file, *bytes, *name; /* NULL: nothing that is known */
} signs[] = {
    {"step0/kernel_config_4711.json", "{}", "msprobe-l2"},
    {"Opdebug.Node_OpDebug.1.5.1732082705016774", "\1", "cann-overflow"},
    {"a/before/intensor0.bin", "$Version=1.0\nformat=2\n", "atb-dump"},
    {"worldsize2_globalrank0/dynamo_original_graph_1.txt", "x", "torchair-dump"},
    {"data/loss/step0/rank0/loss.json", "{\n    \"data\": {\n        \"max\": 1.0,\n        \"norm\": 2.0\n    }\n}", "msprobe-single"},
    {"graphs/x.ir", "# IR entry: @kernel_graph0\n", "mindspore-ir"},
    {"__0_0.distcp", "x", "torch-distcp-part"},
    {"compare_npy_dir.csv", "\"orig array name\",\"target array name\"\n", "troubleshooter"},
    {"save/0_conv1.npy", "\x93NUMPY\1", "several"},
    {"step0/rank0/dump_tensor_data/Torch.add.0.forward.output.0.pt", "PK\3\4", "dump-tensors"},
    {"multi_ranks_compare_merge_20240101.xlsx", "PK\3\4", "result-summary"},
    {"model.onnx", "x", "other-models"},
    {"weights.bin", "\x80\2}q\0.", NULL},
    {"libfoo.so.1.2.3", "x", NULL},
    {"v1.2.3.4.5", "x", NULL},
    {"a.b.1.2.1732082705016774.npy", "x", NULL},
    {"notes.db", "x", NULL},
    {"x.ir", "something else", NULL},
    {"data.json", "{\"data\": 1}", NULL},
};

/* What is so common that it tells nothing of a folder it lies in. */
static void only_when_named(void **state)
{
    static const struct {
        const char *file, *bytes, *name;
    } cases[] = {
        {"stack.json", "{}", "dump-part"},
        {"compare_result_1.csv", "\xff\xfeN", "utf-16"},
        {"train.log.gz", "\x1f\x8b\x08", "compressed"},
        {"dump.tar.xz", "\xfd" "7zXZ", "compressed"},
        {"dump.zip", "PK\3\4", "compressed"},
        {"mlflow.db", "SQLite format 3", "mlflow-db"},
        {"metrics.db", "SQLite format 3", "database"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *dir = scratch();
        char path[500];
        struct err e;
        put_text(dir, cases[i].file, cases[i].bytes);
        assert_null(unreadable_find(dir, NULL));
        snprintf(path, sizeof path, "%s/%s", dir, cases[i].file);
        const struct unreadable *r = unreadable_find(path, NULL);
        if (!r)
            fail_msg("%s is not known", cases[i].file);
        assert_string_equal(r->name, cases[i].name);
        assert_int_equal(unreadable_error(r, path, &e), -1);
    }
}

/* Two checkpoints in a folder: either is read, the folder is not. */
static void several_files(void **state)
{
    struct buf bytes = {0};
    struct err e;
    place_list l = {0};
    const char *dir = scratch();
    char path[500];
    (void)state;
    assert_int_equal(file_slurp(sample("weights/llama.safetensors"), 1 << 24, &bytes, &e), 0);
    put_bytes(dir, "a.safetensors", bytes.p, bytes.n);
    put_bytes(dir, "b.safetensors", bytes.p, bytes.n);
    assert_int_equal(find_recordings(dir, &l, &e), 0);
    assert_int_equal(l.n, 0);
    assert_string_equal(unreadable_find(dir, NULL)->name, "several");
    snprintf(path, sizeof path, "%s/a.safetensors", dir);
    assert_int_equal(find_recordings(path, &l, &e), 0);
    assert_int_equal(l.n, 1);
    place_list_release(&l);
    buf_release(&bytes);
}

static void each_sign(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
        const char *dir = scratch();
        char path[500];
        struct err e;
        place_list l = {0};
        put_text(dir, "README", "a file that says nothing");
        put_text(dir, signs[i].file, signs[i].bytes);
        const struct unreadable *r = unreadable_find(dir, NULL);
        if (!signs[i].name) {
            if (r)
                fail_msg("%s is taken for %s", signs[i].file, r->name);
            continue;
        }
        if (!r)
            fail_msg("%s is not known", signs[i].file);
        assert_string_equal(r->name, signs[i].name);
        snprintf(path, sizeof path, "%s/%s", dir, signs[i].file);
        assert_ptr_equal(unreadable_find(path, NULL), r);
        assert_int_equal(find_recordings(dir, &l, &e), 0);
        assert_int_equal(l.n, 0); /* no reader claims it */
        assert_int_equal(unreadable_error(r, dir, &e), -1);
        assert_int_equal(e.code, ERR_DATA);
        assert_true(str_starts(str_of(e.text), dir));
        assert_non_null(strstr(e.text, r->advice));
        place_list_release(&l);
    }
    assert_null(unreadable_find("/nowhere/at/all", NULL));
}

/* ---- doc/formats.md ---- */

/* The page's table row of this name, or nothing. */
static struct str line_of(struct str page, const char *name)
{
    struct str line;
    char start[100];
    size_t n = (size_t)snprintf(start, sizeof start, "| %s", name);
    while (page.n) {
        str_split(page, '\n', &line, &page);
        if (str_starts(line, start) && line.n > n && (line.p[n] == ' ' || line.p[n] == ':'))
            return line;
    }
    return STR("");
}

static void expect_in_page(struct str page, const char *name, const char *text)
{
    struct str line = line_of(page, name);
    if (!line.n)
        fail_msg("doc/formats.md has no row %s", name);
    if (text && !str_has(line, text))
        fail_msg("doc/formats.md says of %s: %.*s\nthe program: %s", name, STR_ARG(line), text);
}

static void the_page_has_every_format(void **state)
{
    struct buf page = {0};
    struct err e;
    (void)state;
    if (file_slurp("doc/formats.md", 1 << 20, &page, &e))
        fail_msg("%s", e.text);
    struct str s = buf_view(&page), line;
    size_t rows = 0, formats = 0;
    for (size_t i = 0; readers[i]; i++, formats++) {
        expect_in_page(s, readers[i]->name, readers[i]->versions);
        expect_in_page(s, readers[i]->name, readers[i]->unread);
    }
    for (size_t i = 0; log_formats[i].name; i++) {
        expect_in_page(s, log_formats[i].name, log_formats[i].versions);
        expect_in_page(s, log_formats[i].name, log_formats[i].unread);
        formats += log_formats[i].title != NULL;
    }
    for (size_t i = 0; settings_formats[i].name; i++)
        expect_in_page(s, settings_formats[i].name, settings_formats[i].what);
    for (const struct environment_form *f = environment_forms; f->name; f++)
        if (f->sniff != environment_sniff && f->sniff != launch_script_sniff) /* formats of settings */
            expect_in_page(s, f->name, f->what);
    for (const struct unreadable *r = unreadable_formats; r->name; r++, formats++) {
        expect_in_page(s, r->name, r->title);
        expect_in_page(s, r->name, r->advice);
    }
    for (struct str rest = str_n(s.p, (size_t)(strstr(s.p, "\n## ") - s.p)); rest.n;) {
        str_split(rest, '\n', &line, &rest);
        rows += str_starts(line, "| ");
    }
    assert_int_equal(rows, formats + 4); /* two heads of two lines; nothing else is described there */
    buf_release(&page);
}

/* What is wrong with a folder is one file in it: the sentence names that. */
static void single_files(void **state)
{
    static const char *const names[] = {"dump.json", "statistic.csv", "x_dump.pkl", "below/train.log"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names) + 1; i++) {
        const char *dir = scratch(), *name = i < ARRAY_LEN(names) ? names[i] : "rank0_dump.pkl", *says;
        struct err e = {0};
        place_list l = {0};
        struct buf at = {0};
        if (i < ARRAY_LEN(names)) {
            put_text(dir, "below/notes.md", "x");
            assert_int_equal(mkfifo(path_in(dir, name), 0600), 0);
            says = "a pipe";
        } else {
            put_text(dir, name, "\x80\x04}.");
            says = "expected the text format of ptdbg";
        }
        assert_int_equal(find_recordings(dir, &l, &e), 0); /* and does not wait for a writer */
        assert_int_equal(l.n, 0);
        const struct unreadable *r = unreadable_find(dir, &at);
        assert_non_null(r);
        unreadable_error(r, at.p, &e);
        if (!strstr(e.text, path_in(dir, name)) || !strstr(e.text, says))
            fail_msg("%s", e.text);
        buf_release(&at);
        place_list_release(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_files), cmocka_unit_test(only_when_named), cmocka_unit_test(each_sign),
        cmocka_unit_test(several_files),
        cmocka_unit_test(the_page_has_every_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
