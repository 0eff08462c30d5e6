/* Reports: what is made of text that could be markup, paths, formulas or steer a terminal; the document and each of its
 * writers; a comparison's report in every format. */
#include "reports.h"
#include "sessions.h"

#include <cjson/cJSON.h>

#include "report/report_build.h"
#include "report/xlsx_read_back.h"
#include "document/write.h"

#define EVIL "<script>alert(1)</script>\"'&|`**[x](http://h/)@you\x1b[2J\r\xe2\x80\xae\xff=cmd()"

static void expect(struct buf *b, const char *text)
{
    assert_string_equal(b->p ? b->p : "", text);
    buf_clear(b);
}

static void escapes(void **state)
{
    struct buf b = {0};
    (void)state;
    html_escape(&b, STR("<a href=\"x\" b='y'>&amp;"));
    expect(&b, "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;");
    md_escape(&b, STR("*a* inv_freq _b_ `c` [d](e) <f> #g |h| https://i @j"));
    expect(&b, "\\*a\\* inv_freq \\_b\\_ \\`c\\` \\[d\\](e) &lt;f&gt; \\#g \\|h\\| https&#58;//i &#64;j");
    md_escape(&b, STR("1. x"));
    expect(&b, "1\\. x");
    md_escape(&b, STR("0.5"));
    expect(&b, "0.5");
    md_escape(&b, STR("- x\ny"));
    expect(&b, "\\- x y");
    md_code(&b, STR("a|b"), false);
    expect(&b, "`a|b`");
    md_code(&b, STR("a|b"), true);
    expect(&b, "`a\\|b`");
    md_code(&b, STR("`a``b"), false);
    expect(&b, "``` `a``b ```");
    buf_release(&b);
}

static void cleaning(void **state)
{
    struct sanitize c;
    struct buf b = {0};
    (void)state;
    sanitize_init(&c, "/home/li/job 1/target/step0", "/home/li/job 1/bench/step0", false);
    sanitize_path(&c, "/home/li/job 1/target/step0", &b);
    expect(&b, "target/step0");
    sanitize_path(&c, "/home/li/job 1/bench", &b);
    expect(&b, "bench");
    sanitize_path(&c, "/home/li/job 1", &b);
    expect(&b, "job 1");
    sanitize_text(&c, STR("in /home/li/a.py:3"), 0, &b);
    expect(&b, "in …/a.py:3");
    sanitize_text(&c, STR("/home/li/job 1/bench/step0/dump.json: byte 3"), 0, &b);
    expect(&b, "bench/step0/dump.json: byte 3");
    sanitize_text(&c, STR("at /usr/lib/python3/torch/nn.py:42 and (/etc/x/y), a/b/c"), 0, &b);
    expect(&b, "at …/torch/nn.py:42 and (…/x/y), a/b/c");
    sanitize_text(&c, STR("half 1/2 of it / there"), 0, &b);
    expect(&b, "half 1/2 of it / there");
    sanitize_text(&c, STR("/home/li/job"), SANITIZE_NAME, &b);
    expect(&b, "/home/li/job");
    sanitize_text(&c, STR("a\x1b[2J\nb\xe2\x80\xae" "c\xff"), 0, &b);
    expect(&b, "a␛[2J␊b\\u202ec\xef\xbf\xbd");
    sanitize_text(&c, STR("a\nb"), SANITIZE_LINES, &b);
    expect(&b, "a\nb");
    sanitize_release(&c);
    sanitize_init(&c, "/home/li/target", "/data/bench", true);
    sanitize_text(&c, STR("/home/li/target/x"), 0, &b);
    expect(&b, "/home/li/target/x");
    sanitize_release(&c);
    sanitize_init(&c, "/home/li/target", "/home/bo/bench", false);
    sanitize_path(&c, "/home/bo/bench", &b);
    expect(&b, "bench");
    sanitize_release(&c);
    sanitize_init(&c, "/data/li/target", "/mnt/x/y/bench", false);
    sanitize_path(&c, "/mnt/x/y/bench", &b);
    expect(&b, "y/bench");
    sanitize_release(&c);
    sanitize_init(&c, "../li/target", NULL, false);
    sanitize_path(&c, "../li/target", &b);
    expect(&b, "li/target");
    sanitize_release(&c);
    char *large = malloc(1 << 20);
    memset(large, 'x', 1 << 20);
    sanitize_text(NULL, str_n(large, 1 << 20), SANITIZE_NAME, &b);
    assert_in_range(b.n, 30000, 50000); /* cut in the middle, and it says so */
    assert_non_null(strstr(b.p, " … "));
    free(large);
    buf_release(&b);
}

static void small_document(struct document *d, const struct sanitize *c)
{
    document_init(d, c);
    d->title = "a < b";
    d->stamp = "now";
    doc_section(d, "one", "First & only");
    doc_say(d, TONE_BAD, "%d %%", 7);
    doc_table(d, 2, (const char *[]){"name", "value"});
    doc_mark_row(d);
    doc_cell(d, DOC_NAME, TONE_PLAIN, STR("a|b"));
    doc_cell(d, DOC_NUMBER, TONE_WARN, STR("1e-3"));
    doc_begin(d, DOC_ITEM);
    doc_cell(d, DOC_STRONG, TONE_PLAIN, STR("strong: "));
    doc_code(d, STR("x ```` y\nz"));
    struct doc_figure *f = doc_figure(d, 2, "left", "right", "mark");
    f->height[0] = 1;
    f->height[1] = 0;
    f->tone[0] = TONE_BAD;
    f->mark = 1;
    doc_section(d, "two", "Empty");
    assert_true(doc_is_empty(d));
    doc_drop(d);
    assert_int_equal(d->sections.n, 1);
}

static void written(void (*write)(struct out *, const struct document *), const struct document *d, struct buf *text)
{
    char path[300];
    struct out o;
    struct err e;
    snprintf(path, sizeof path, "%s/doc", scratch());
    assert_int_equal(out_file(&o, path, &e), 0);
    write(&o, d);
    assert_int_equal(out_close(&o, &e), 0);
    assert_int_equal(file_slurp(path, 1 << 24, text, &e), 0);
}

static void stage_of_a_document(struct document *d)
{
    doc_verdict(d, STAGE_FAIL, "it", "It agrees.", "It differs.");
    doc_cellf(d, DOC_TEXT, TONE_PLAIN, " By %d.", 3);
    doc_note(d, DOC_OK, NULL, "fine");
    doc_detail(d, "in %s", "/a/path");
    doc_note(d, DOC_ADVICE, NULL, "a sentence that is longer than eighty columns are wide ends on a line of its own");
    doc_table(d, 3, (const char *[]){"weight", "norm", "remarks"});
    doc_row(d, DOC_BAD, NULL);
    doc_cell(d, DOC_NAME, TONE_PLAIN, STR("a"));
    doc_cell(d, DOC_NUMBER, TONE_PLAIN, STR("1"));
    doc_cell(d, DOC_TEXT, TONE_PLAIN, STR("near"));
    doc_row(d, DOC_OK, NULL);
    doc_cell(d, DOC_NAME, TONE_PLAIN, STR("a.long.name.of.it"));
    doc_cell(d, DOC_NUMBER, TONE_PLAIN, STR("1e-10"));
    doc_cell(d, DOC_TEXT, TONE_PLAIN, STR(""));
    doc_table(d, 3, (const char *[]){"what", "value", "remarks"});
    doc_cell(d, DOC_NAME, TONE_PLAIN, STR("012345678901234567890123456789012345678901234567890123456789012345"));
    doc_cell(d, DOC_TEXT, TONE_PLAIN, STR("0123456789012345678901234567890123456789"));
    doc_cell(d, DOC_TEXT, TONE_PLAIN, STR("below the row, as it is too long"));
}

static void writers_of_documents(void **state)
{
    struct sanitize c = {0};
    struct document d;
    struct buf b = {0};
    (void)state;
    small_document(&d, &c);
    written(write_md, &d, &b);
    expect(&b, "# a &lt; b\n\nnow\n\n## First &amp; only\n\n7 %\n\n| name | value |\n| --- | ---: |\n| ▶ `a\\|b` | "
               "1e-3 |\n\n- **strong:** \n\n"
               "`````text\nx ```` y\nz\n`````\n\n```text\n█▁\n ▲ mark\nleft … right\n```\n");
    written(write_html, &d, &b);
    assert_non_null(strstr(b.p, "<h1>a &lt; b</h1>"));
    assert_non_null(strstr(b.p, "<p><span class=\"bad\">7 %</span></p>"));
    assert_non_null(strstr(b.p, "<tr class=\"m\"><td><code>a|b</code></td><td class=\"n\"><span "
                                "class=\"warn\">1e-3</span></td></tr>"));
    assert_non_null(strstr(b.p, "<ul>\n<li><strong>strong: </strong></li>\n</ul>"));
    assert_non_null(strstr(b.p, "<rect class=\"bad\" x=\"0\" y=\"12.0\" width=\"3\" height=\"88.0\"/>"));
    assert_null(strstr(b.p, "<script"));
    document_release(&d);
    document_begin(&d);
    buf_clear(&b);
    stage_of_a_document(&d);
    write_text_end(&b, &d);
    expect(&b,
           "fail: It differs. By 3.\n✓ fine (in /a/path)\n! a sentence that is longer than eighty columns are wide "
           "ends on a line of its\n  own\n"
           "    weight              norm  remarks\n  ✗ a                      1  near\n  ✓ a.long.name.of.it  1e-10\n"
           "  what                                   value\n"
           "  01234567890123…4567890123456789012345  01234567890123…78901234567890123456789\n"
           "       below the row, as it is too long\n");
    buf_release(&b);
}

/* ---- whole reports ---- */

static void report(const struct session *s, const struct investigation *inv, const char *ext, bool whole,
                   struct buf *text)
{
    struct report_options o = {.rows = ROWS_NONE, .inv = inv, .date = 1790000000};
    char name[20];
    snprintf(name, sizeof name, "r%s", ext);
    report_text(path_in(scratch(), name), s->now, &o, whole, text);
}

/* A finding and a tag that try everything, in each of the formats. */
static void hostile(void **state)
{
    struct session *s = open_paths(sample("tt_rope/target"), sample("tt_rope/bench"));
    struct investigation v;
    struct buf b = {0};
    (void)state;
    investigation_init(&v);
    findings_add(&v.findings, (struct finding){.number = 1,
                                               .step = 1,
                                               .place = 1,
                                               .status = FINDING_ROOT_CAUSE,
                                               .text = EVIL,
                                               .author = EVIL,
                                               .about = {EVIL, ""}});
    report(s, &v, ".html", true, &b);
    assert_false(holds(&b, "<script"));
    assert_true(holds(&b, "&lt;script&gt;"));
    assert_false(holds(&b, "\x1b"));
    assert_false(holds(&b, "\xe2\x80\xae"));
    report(s, &v, ".md", true, &b);
    assert_true(holds(&b, "Root cause:** &lt;script&gt;"));
    assert_true(holds(&b, "\\[x\\](http&#58;//h/)&#64;you"));
    assert_false(holds(&b, "\x1b"));
    assert_false(holds(&b, "\xff"));
    report(s, &v, ".json", true, &b);
    assert_false(holds(&b, "\x1b"));
    cJSON *root = cJSON_Parse(b.p);
    assert_non_null(root);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "findings")), 1);
    assert_true(cJSON_IsObject(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "comparison"), "first_deviation")));
    cJSON_Delete(root);
    buf_release(&b);
    investigation_release(&v);
    shut(s);
}

#ifdef HAVE_XLSXWRITER
/* What is counted is what was written; a file without its end, or with a byte of its rows changed, is no whole one. */
static void read_back(const struct comparison *c, struct str book)
{
    struct xlsx_content x;
    struct err e;
    char path[400];
    snprintf(path, sizeof path, "%s/book.xlsx", scratch());
    assert_int_equal(file_replace(path, book, &e), 0);
    assert_true(xlsx_read_back(path, &x));
    assert_int_equal(x.sheet[0].rows, c->judged->lines + 1);
    assert_true(x.sheet[0].cells > x.sheet[0].rows * 4);
    assert_true(holds(&x.frame, "[Content_Types].xml"));
    assert_true(holds(&x.frame, "<sheetData>"));
    xlsx_content_release(&x);
    assert_int_equal(file_replace(path, str_n(book.p, book.n / 2), &e), 0);
    assert_false(xlsx_read_back(path, &x));
    xlsx_content_release(&x);
    ((char *)(uintptr_t)book.p)[book.n / 4]++;
    assert_int_equal(file_replace(path, book, &e), 0);
    assert_false(xlsx_read_back(path, &x));
    xlsx_content_release(&x);
}
#endif

static void formats(void **state)
{
    static const char *const ext[] = {".html", ".md", ".json", ".csv"};
    char *side[2] = {realpath(sample("tt_rope/target"), NULL), realpath(sample("tt_rope/bench"), NULL)};
    struct session *s = open_paths(side[0], side[1]);
    struct buf a = {0}, b = {0}, name = {0}, above = {0};
    (void)state;
    buf_str(&above, path_parent(path_parent(str_of(side[0]))));
    uint32_t row = s->now->pairing->lines.v[s->now->judged->first].row[TARGET];
    dump_row_name(&s->now->side[TARGET].dump, row, &name);
    for (size_t i = 0; i < ARRAY_LEN(ext); i++) {
        report(s, NULL, ext[i], true, &a);
        report(s, NULL, ext[i], true, &b);
        assert_true(holds(&a, name.p)); /* unbroken */
        assert_true(str_eq(buf_view(&a), buf_view(&b)));
        if (strcmp(ext[i], ".csv") != 0) /* rows of other tools' columns show stacks as they are */
            assert_false(holds(&a, above.p));
    }
    report(s, NULL, ".html", false, &a);
    assert_true(holds(&a, name.p));
    for (const char *const *bad = (const char *const[]){"src=", "<link", "url(", "@import", NULL}; *bad; bad++)
        assert_false(holds(&a, *bad));
#ifdef HAVE_XLSXWRITER
    report(s, NULL, ".xlsx", true, &a);
    assert_memory_equal(a.p, "PK", 2);
    report(s, NULL, ".xlsx", true, &b);
    assert_true(str_eq(buf_view(&a), buf_view(&b)));
    read_back(s->now, buf_view(&a));
#endif
    buf_release(&a);
    buf_release(&b);
    buf_release(&name);
    buf_release(&above);
    shut(s);
    free(side[0]);
    free(side[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes), cmocka_unit_test(cleaning), cmocka_unit_test(writers_of_documents),
        cmocka_unit_test(hostile), cmocka_unit_test(formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
