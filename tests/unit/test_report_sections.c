/* Reports of a whole procedure: sections from what the panels were given, pictures, names that try everything, the same
 * bytes each time, writing in the background. */
#include "courses.h"
#include "reports.h"
#include "tickets.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <unistd.h>

#include "fmt/sheet.h"
#include "fmt/zip.h"
#include "report/report_job.h"
#include "document/write.h"

#define EVIL "<script>alert(1)</script>\"'&|`**[x](http:h)@you\x1b[2J\xe2\x80\xae=cmd()"
#define EVIL_JSON "<script>alert(1)</script>\\\"'&|`**[x](http:h)@you\\u001b[2J\xe2\x80\xae=cmd()"

/* One float32 tensor, named so in the header's JSON. */
static void put_tensor(const char *file, const char *json_name, float value)
{
    char header[600];
    unsigned char bytes[1024] = {0};
    int n =
        snprintf(header, sizeof header, "{\"%s\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", json_name);
    while (n % 8)
        header[n++] = ' ';
    bytes[0] = (unsigned char)n;
    bytes[1] = (unsigned char)(n >> 8);
    memcpy(bytes + 8, header, (size_t)n);
    float two[2] = {value, 2 * value};
    memcpy(bytes + 8 + n, two, 8);
    put_bytes(dir, file, bytes, (size_t)n + 16);
}

/* A file of this test's own folder. */
static void give_own(enum panel_input_id slot, const char *name)
{
    give(slot, path_in(dir, name));
}

static const struct report_options plain = {.rows = ROWS_NONE, .inv = &inv, .guide = &g, .date = 1790000000};

static void report(const char *ext, struct buf *text)
{
    char name[20];
    snprintf(name, sizeof name, "r%s", ext);
    report_text(path_in(dir, name), s.now, &plain, true, text);
}

/* Everything the panels of a ticket can be given, of small samples. */
static void give_all(void)
{
    write_log(dir, "t.log", (struct course){.steps = 1200}, 1);
    write_log(dir, "g.log", (struct course){.steps = 1200}, 2);
    write_log(dir, "g2.log", (struct course){.steps = 1200}, 3);
    put_text(dir, "t.yaml",
             "seed: 1\noptimizer: {type: AdamW, betas: [0.9, 0.95], eps: 1.e-8, weight_decay: 0.1}\n"
             "model: {model_config: {type: LlamaConfig, num_layers: 2, num_heads: 4, hidden_size: 64, vocab_size: "
             "1000}}\n"
             "runner_config: {epochs: 1, batch_size: 1, sink_size: 1}\n");
    put_text(dir, "g.yaml",
             "seed: 1\noptimizer: {type: AdamW, betas: [0.9, 0.99], eps: 1.e-8, weight_decay: 0.1}\n"
             "model: {model_config: {type: LlamaConfig, num_layers: 2, num_heads: 4, hidden_size: 64, vocab_size: "
             "1000}}\n"
             "runner_config: {epochs: 1, batch_size: 1, sink_size: 1}\n");
    put_tensor("t.safetensors", "model.norm.weight", 1);
    put_tensor("g.safetensors", "model.norm.weight", 1.5f);
    give_own(PANEL_INPUT_TARGET_LOG, "t.log");
    give_own(PANEL_INPUT_GOLDEN_LOG, "g.log");
    give_own(PANEL_INPUT_GOLDEN_LOG2, "g2.log");
    give_own(PANEL_INPUT_TARGET_FROZEN, "t.log");
    give_own(PANEL_INPUT_GOLDEN_FROZEN, "g.log");
    give_own(PANEL_INPUT_TARGET_SETTINGS, "t.yaml");
    give_own(PANEL_INPUT_GOLDEN_SETTINGS, "g.yaml");
    give_own(PANEL_INPUT_TARGET_WEIGHTS, "t.safetensors");
    give_own(PANEL_INPUT_GOLDEN_WEIGHTS, "g.safetensors");
    give(PANEL_INPUT_TARGET_STEP, sample("optimizer/eps/target"));
    give(PANEL_INPUT_GOLDEN_STEP, sample("optimizer/eps/golden"));
    give(PANEL_INPUT_TARGET_NORMS, sample("logs/norms/mindspore_print_local_norm.log"));
    give(PANEL_INPUT_GOLDEN_NORMS, sample("logs/norms/mindspore_print_local_norm.log"));
}

static void sections_of_the_panels(void **state)
{
    static const char *const ids[] = {"summary",     "procedure",   "first",      "causes", "settings",
                                      "checkpoints", "determinism", "first-step", "norms",  "optimizer",
                                      "frozen",      "curves",      "scaling",    "inputs", "reproduction"};
    struct buf b = {0};
    char part[64];
    (void)state;
    begin(sample("tt_rope/target"), sample("tt_rope/bench"));
    give_all();
    give(PANEL_INPUT_TARGET_REPEAT, sample("tt_rope/bench")); /* another run: it does not repeat */
    settle();
    report(".html", &b);
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        snprintf(part, sizeof part, "<section id=\"%s\">", ids[i]);
        if (!holds(&b, part))
            fail_msg("no section %s", ids[i]);
    }
    for (const char *const *id =
             (const char *const[]){"loss", "loss-difference", "norm", "frozen-loss", "first-difference", NULL};
         *id; id++) {
        snprintf(part, sizeof part, "<figure id=\"figure-%s\">", *id);
        if (!holds(&b, part))
            fail_msg("no figure %s", *id);
    }
    assert_true(holds(&b, "target: optimizer.betas[1], line 2"));
    assert_true(holds(&b, "golden: optimizer.betas[1], line 2"));
    assert_true(holds(&b, "The target run is not deterministic."));
    assert_true(holds(&b, "The optimizer steps differ."));
    assert_true(holds(&b, "eps"));
    assert_true(holds(&b, "The weights differ."));
    assert_true(holds(&b, "<svg"));
    assert_true(holds(&b, "<title>Loss</title>"));
    assert_true(holds(&b, "Not given: target-env"));
    assert_false(holds(&b, dir)); /* no path of this machine */
    report(".json", &b);
    assert_false(holds(&b, dir));
    cJSON *root = cJSON_Parse(b.p);
    assert_non_null(root);
    for (const char *const *key = (const char *const[]){"panels", "settings", "weights", "target_repeat", "norms",
                                                        "optimizer", "frozen", "curves", NULL};
         *key; key++)
        assert_true(cJSON_IsObject(cJSON_GetObjectItem(root, *key)));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "golden_repeat")));
    const cJSON *figure = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "figures"), 0);
    assert_string_equal(cJSON_GetObjectItem(figure, "id")->valuestring, "first-difference");
    assert_string_equal(cJSON_GetObjectItem(figure, "kind")->valuestring, "cells");
    cJSON_Delete(root);
    report(".md", &b);
    assert_true(holds(&b, "first loss | "));
    buf_release(&b);
}

/* Nothing given, nothing said of it; and no dumps at all. */
static void only_what_is_there(void **state)
{
    struct buf b = {0};
    (void)state;
    begin(sample("tt_rope/target"), sample("tt_rope/bench"));
    settle();
    report(".html", &b);
    for (const char *const *id = (const char *const[]){"procedure", "settings", "curves", "frozen", "optimizer",
                                                       "determinism", "scaling", NULL};
         *id; id++) {
        char part[64];
        snprintf(part, sizeof part, "<section id=\"%s\">", *id);
        assert_false(holds(&b, part));
    }
    end();
    begin(NULL, NULL);
    write_log(dir, "t.log", (struct course){.steps = 1200}, 1);
    write_log(dir, "g.log", (struct course){.steps = 1200}, 2);
    give_own(PANEL_INPUT_TARGET_LOG, "t.log");
    give_own(PANEL_INPUT_GOLDEN_LOG, "g.log");
    settle();
    report(".html", &b);
    assert_true(holds(&b, "<section id=\"curves\">"));
    assert_true(holds(&b, "dumps of both sides were not given"));
    assert_false(holds(&b, "<section id=\"first\">"));
    report(".md", &b);
    report(".json", &b);
    assert_true(holds(&b, "\"comparison\":null"));
    buf_release(&b);
}

/* Nothing that steers a terminal or turns the direction of writing. */
static void inert(const struct buf *b)
{
    assert_false(holds(b, "\x1b"));
    assert_false(holds(b, "\xe2\x80\xae"));
    assert_false(holds(b, "\xff"));
}

/* Names keep their bytes there: an odd number of fences of backquotes stands before it on its line. */
static void within_code(const char *text, const char *at)
{
    const char *line = at;
    int fences = 0;
    while (line > text && line[-1] != '\n')
        line--;
    for (; line < at; line++)
        fences += *line == '`' && line[1] != '`' && !(line > text && line[-1] == '\\');
    if (fences % 2 == 0)
        fail_msg("markup is not within a code: %.80s", at);
}

/* Settings, weights, file names, waivers, answers. */
static void hostile_sections(void **state)
{
    struct buf b = {0};
    char *large = malloc(1 << 20);
    (void)state;
    begin(sample("tt_rope/target"), sample("tt_rope/bench"));
    give_all();
    memset(large, 'x', (1 << 20) - 1);
    large[(1 << 20) - 1] = 0;
    put_text(dir, "e.yaml",
             "seed: \"" EVIL_JSON "\"\noptimizer: {type: \"" EVIL_JSON "\", betas: [0.9, 0.95]}\n\"" EVIL_JSON "\": 3\n"
             "model: {model_config: {type: LlamaConfig, num_layers: 2, num_heads: 4}}\nrunner_config: {epochs: 1, "
             "batch_size: 1}\n");
    put_tensor("e.safetensors", EVIL_JSON, 1);
    write_log(dir, "<script>@x\x1b[2J\xe2\x80\xae=cmd().log", (struct course){.steps = 1200}, 4);
    give_own(PANEL_INPUT_TARGET_SETTINGS, "e.yaml");
    give_own(PANEL_INPUT_TARGET_WEIGHTS, "e.safetensors");
    put_tensor("e2.safetensors", EVIL_JSON, 3);
    give_own(PANEL_INPUT_TARGET_NORMS, "e.safetensors");
    give_own(PANEL_INPUT_GOLDEN_NORMS, "e2.safetensors");
    give_own(PANEL_INPUT_TARGET_LOG, "<script>@x\x1b[2J\xe2\x80\xae=cmd().log");
    investigation_tell(&inv, &inv.answers, STR("cluster"), STR(EVIL));
    investigation_tell(&inv, &inv.answers, STR("several-cards"), str_of(large));
    investigation_tell(&inv, &inv.waived, STR("C045"), STR(EVIL));
    settle();
    report(".html", &b);
    inert(&b);
    assert_false(holds(&b, "<script"));
    assert_true(holds(&b, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_true(holds(&b, "<section id=\"norms\">"));
    assert_true(b.n < 1 << 20);
    report(".md", &b);
    inert(&b);
    for (const char *at = b.p; (at = strstr(at, "<script")); at++)
        within_code(b.p, at);
    assert_true(holds(&b, "&lt;script&gt;"));
    report(".json", &b);
    assert_false(holds(&b, "\x1b"));
    assert_false(holds(&b, "\\u001b"));
    assert_false(holds(&b, "\xe2\x80\xae"));
    cJSON *root = cJSON_Parse(b.p);
    assert_non_null(root);
    cJSON_Delete(root);
    free(large);
    buf_release(&b);
}

/* A dump whose calls are called so; in a table a name is a text, whatever it begins with. */
static void put_dump(const char *name, const char *call, double value)
{
    char path[64];
    struct buf b = {0};
    snprintf(path, sizeof path, "%s/step0/rank0/dump.json", name);
    buf_fmt(&b,
            "{\"task\":\"statistics\",\"level\":\"L1\",\"framework\":\"pytorch\",\"dump_data_dir\":null,\"data\":{"
            "\"Functional.%s.0.forward\":{\"input_args\":[],"
            "\"input_kwargs\":{},\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2],"
            "\"Max\":%g,\"Min\":0,\"Mean\":0.5,\"Norm\":%g,"
            "\"requires_grad\":false}]}}}",
            call, value, value);
    put_text(dir, path, b.p);
    buf_release(&b);
}

static int count_evil(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    (void)line;
    (void)e;
    for (size_t i = 0; i < n; i++)
        *(int *)ctx += str_has(cell[i], "alert(1)") && !str_has(cell[i], "\x1b") && !str_has(cell[i], "\xe2\x80\xae");
    return 0;
}

static void hostile_tables(void **state)
{
    struct buf b = {0};
    char path[2][300];
    (void)state;
    put_dump("one", EVIL_JSON, 1);
    put_dump("two", EVIL_JSON, 2);
    for (int i = 0; i < 2; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", dir, i ? "two" : "one");
    begin(path[0], path[1]);
    findings_add(&inv.findings, (struct finding){.number = 1,
                                                 .step = 1,
                                                 .place = 1,
                                                 .status = FINDING_ROOT_CAUSE,
                                                 .text = "=1+cmd|' /C calc'!A0",
                                                 .author = "+x",
                                                 .about = {"@y", ""}});
    settle();
    report(".csv", &b);
    inert(&b);
#ifdef HAVE_XLSXWRITER
    struct file f;
    struct err e;
    int evil = 0;
    const struct sheet_sink sink = {.row = count_evil, .advance = NULL, .ctx = &evil};
    report(".xlsx", &b);
    snprintf(path[0], sizeof path[0], "%s/r.xlsx", dir);
    assert_int_equal(file_open(&f, path[0], &e), 0);
    assert_int_equal(sheet_read(&f, &sink, &e), 0);
    assert_true(evil >= 2); /* both sides' names, whole and harmless */
    struct zip *z = zip_open(&f, &e);
    assert_non_null(z);
    for (const char *const *part = (const char *const[]){"xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml", NULL};
         *part; part++) {
        struct zip_member m;
        char *xml = calloc(1, 1 << 20);
        assert_int_equal(zip_find(z, *part, &m, &e), 1);
        assert_true(zip_head(&f, &m, xml, (1 << 20) - 1, &e) > 0);
        assert_null(strstr(xml, "<f>")); /* no formula */
        assert_null(strstr(xml, "<hyperlink"));
        free(xml);
    }
    zip_close(z);
    file_close(&f);
#endif
    buf_release(&b);
}

static void same_bytes(void **state)
{
    static const char *const ext[] = {".html", ".md", ".json"};
    struct buf first[3] = {{0}}, b = {0};
    (void)state;
    for (int workers = 1; workers <= 4; workers += 3) {
        begin_with(sample("tt_bf16/target"), sample("tt_bf16/bench"), workers);
        give_all();
        settle();
        for (size_t i = 0; i < ARRAY_LEN(ext); i++) {
            report(ext[i], workers == 1 ? &first[i] : &b);
            if (workers > 1)
                assert_true(str_eq(buf_view(&first[i]), buf_view(&b)));
        }
        end();
    }
    for (size_t i = 0; i < ARRAY_LEN(ext); i++)
        buf_release(&first[i]);
    buf_release(&b);
}

/* Where tidy is installed it has nothing to say. */
static void valid_html(void **state)
{
    struct buf b = {0};
    char command[900];
    (void)state;
    if (system("command -v tidy >/dev/null 2>&1"))
        skip();
    begin(sample("tt_bf16/target"), sample("tt_bf16/bench"));
    give_all();
    investigation_tell(&inv, &inv.answers, STR("cluster"), STR(EVIL));
    settle();
    report(".html", &b);
    snprintf(command, sizeof command, "tidy -q -e '%s/r.html' >&2", dir);
    assert_int_equal(system(command), 0);
    buf_release(&b);
}

/* ---- pictures ---- */

static void drawn(void (*draw)(struct buf *, const struct picture *), const struct picture *p, struct buf *b)
{
    buf_clear(b);
    draw(b, p);
}

static void a_million_steps(void **state)
{
    struct arena a = {0};
    struct picture p;
    struct buf b = {0};
    (void)state;
    picture_lines(&p, "loss", "Loss", 1, 1000000);
    struct picture_series *x = picture_series(&p, &a, "target", "target", LOOK_TARGET);
    for (int i = 1; i <= 1000000; i++)
        picture_point(&p, x, i, i == 700123 ? 9 : 1 + i % 7 * 0.01);
    picture_point(&p, x, 5, NAN);
    picture_point(&p, x, -1, 100); /* outside */
    picture_rule(&p, "near", 1.2, false, true);
    picture_rule(&p, "far", 1e6, false, true);
    assert_true(picture_fit(&p));
    assert_false(p.log);
    assert_true(p.high > 9 && p.high < 10);
    double most = 0;
    for (uint32_t i = 0; i < p.columns; i++)
        most = fmax(most, x->high[i]);
    assert_true(most > 8.9); /* what stands out is not lost */
    drawn(picture_svg, &p, &b);
    assert_in_range(b.n, 1000, 20000);
    assert_true(holds(&b, ">near<"));
    assert_false(holds(&b, ">far<")); /* not within what is shown */
    drawn(picture_text, &p, &b);
    assert_true(holds(&b, "█"));
    buf_release(&b);
    arena_release(&a);
}

static void axes(void **state)
{
    struct arena a = {0};
    struct picture p;
    double tick[PICTURE_TICKS];
    (void)state;
    assert_int_equal(picture_ticks(0, 10, 5, false, tick), 6);
    assert_true(fabs(tick[1] - 2) < 1e-12);
    assert_int_equal(picture_ticks(0.5, 2000, 5, true, tick), 4);
    assert_true(fabs(tick[0] - 1) < 1e-12 && fabs(tick[3] - 1000) < 1e-9);
    assert_int_equal(picture_ticks(1, 1, 5, false, tick), 0);
    picture_lines(&p, "x", "x", 1, 3);
    struct picture_series *x = picture_series(&p, &a, "target", "target", LOOK_TARGET);
    assert_false(picture_fit(&p)); /* nothing there */
    picture_point(&p, x, 1, 1e-3);
    picture_point(&p, x, 3, 10);
    assert_true(picture_fit(&p));
    assert_true(p.log);
    assert_true(fabs(picture_up(&p, 0.1) - 0.5) < 1e-9);
    picture_lines(&p, "x", "x", 7, 7); /* one step */
    x = picture_series(&p, &a, "target", "target", LOOK_TARGET);
    picture_point(&p, x, 7, 2);
    assert_true(picture_fit(&p));
    assert_true(p.low < 2 && p.high > 2);
    arena_release(&a);
}

static void shades(void **state)
{
    double v[] = {0, 1, 0.5, 0.2, 1e-9, NAN, INFINITY, 1};
    struct picture p = {.kind = DRAWN_CELLS,
                        .id = "x",
                        .title = "x",
                        .text = "",
                        .rows = 2,
                        .cells = 4,
                        .value = v,
                        .most = 1,
                        .axis = {"down", "across"}};
    struct buf b = {0};
    (void)state;
    const int level[] = {0, 8, 8, 7, 1, -2, -1, 8};
    for (int i = 0; i < 8; i++)
        assert_int_equal(picture_level(&p, v[i]), level[i]);
    drawn(picture_svg, &p, &b);
    assert_true(holds(&b, "<path class=\"h8\" d=\"M1 0h2v1h-2zM3 1h1v1h-1z\"/>")); /* neighbours are one piece */
    assert_true(holds(&b, "<li class=\"hx\">not finite</li>"));
    drawn(picture_text, &p, &b);
    assert_true(holds(&b, " ███\n░·∞█\n"));
    buf_release(&b);
}

/* ---- in the background ---- */

static void in_the_background(void **state)
{
    static const char *const ext[] = {".html", ".csv", ".json"};
    struct report_job k;
    struct buf a = {0}, b = {0};
    struct err e;
    char path[300];
    (void)state;
    begin(sample("tt_bf16/target"), sample("tt_bf16/bench"));
    give_all();
    settle();
    report_job_init(&k, &g, NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(ext); i++) {
        report(ext[i], &a);
        snprintf(path, sizeof path, "%s/background%s", dir, ext[i]);
        assert_true(report_job_begin(&k, s.now, path, true, &plain));
        assert_false(report_job_begin(&k, s.now, path, true, &plain)); /* one at a time */
        assert_int_equal(report_job_take(&k), REPORT_JOB_IDLE);
        investigation_tell(&inv, &inv.answers, STR("cluster"), STR("")); /* told meanwhile: nothing new */
        report_job_wait(&k);
        assert_int_equal(report_job_take(&k), REPORT_JOB_WRITTEN);
        assert_int_equal(report_job_take(&k), REPORT_JOB_IDLE); /* told once */
        buf_clear(&b);
        assert_int_equal(file_slurp(path, 1 << 26, &b, &e), 0);
        assert_true(str_eq(buf_view(&a), buf_view(&b)));
        unlink(path);
    }
    for (size_t i = 0; i < ARRAY_LEN(ext); i++) {
        snprintf(path, sizeof path, "%s/background%s", dir, ext[i]);
        assert_true(report_job_begin(&k, s.now, path, true, &plain));
        report_job_cancel(&k); /* before it could write */
        report_job_wait(&k);
        assert_int_equal(report_job_take(&k), REPORT_JOB_FAILED);
        assert_int_equal(k.err.code, ERR_CANCEL);
        assert_false(path_is_file(path));
    }
    assert_int_equal(g.held, 0);
    assert_true(report_job_begin(&k, s.now, "/nowhere/at/all.html", true, &plain));
    report_job_wait(&k);
    assert_int_equal(report_job_take(&k), REPORT_JOB_FAILED);
    /* paired anew meanwhile: the table is of the pairing it was asked for with, whole */
    struct decisions d = {0};
    decisions_add(&d, (struct decision){.kind = DECIDE_REJECT,
                                        .step = 1,
                                        .side = {"Functional.linear.0.forward.output.0",
                                                 "Functional.linear.0.forward.output.0"},
                                        .view = ""});
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/background%s", dir, i ? ".json" : ".csv");
        report_text(path, s.now, &plain, false, &a);
        assert_true(report_job_begin(&k, s.now, path, false, &plain));
        session_lock(&s);
        session_decide(&s, &d);
        session_unlock(&s);
        assert_int_equal(session_wait(&s, &e), 0);
        report_job_wait(&k);
        assert_int_equal(report_job_take(&k), REPORT_JOB_WRITTEN);
        buf_clear(&b);
        assert_int_equal(file_slurp(path, 1 << 26, &b, &e), 0);
        assert_true(str_eq(buf_view(&a), buf_view(&b)));
        unlink(path);
    }
    decisions_release(&d);
    report_job_release(&k);
    buf_release(&a);
    buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sections_of_the_panels, setup, teardown),
        cmocka_unit_test_setup_teardown(only_what_is_there, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_sections, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_tables, setup, teardown),
        cmocka_unit_test_setup_teardown(same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(valid_html, setup, teardown),
        cmocka_unit_test(a_million_steps),
        cmocka_unit_test(axes),
        cmocka_unit_test(shades),
        cmocka_unit_test_setup_teardown(in_the_background, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
