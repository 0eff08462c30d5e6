/* Correspondences of a session written as each kind of mapping file and read again. */
#include "support.h"

#include "base/tool.h"
#include "base/file_write.h"
#include "base/io.h"
#include "pair/mapping_file.h"
#include "report/mapping_output.h"
#include "report/mapping_output_parts.h"
#include "sessions.h"

static struct session *opened(void)
{
    return open_paths(sample("clean_mix_stat/ms"), sample("clean_mix_stat/torch"));
}

static const char *written(const struct session *s, const char *name)
{
    static char path[400];
    enum mapping_kind kind;
    struct out out = {0};
    struct err e;
    snprintf(path, sizeof path, "%s/%s", scratch(), name);
    if (mapping_kind_for(path, NULL, &kind, &e) || out_file(&out, path, &e) || mapping_write(&out, s->now, kind, &e) ||
        out_close(&out, &e))
        fail_msg("%s", e.text);
    return path;
}

/* Golden partner of a target row at a confidence that counts, or NONE. */
static uint32_t partner(const struct session *s, uint32_t t, uint32_t g)
{
    for (uint32_t i = s->now->pairing->line_of[TARGET][t];
         i < s->now->pairing->lines.n && s->now->pairing->lines.v[i].row[TARGET] == t; i++) {
        const struct line *l = &s->now->pairing->lines.v[i];
        if (l->pair != NONE && (double)s->now->pairing->pairs.v[l->pair].confidence >= s->opt.of.tol.confidence &&
            (g == NONE || l->row[GOLDEN] == g))
            return l->row[GOLDEN];
    }
    return NONE;
}

/* Reads a file again: how many rows it pairs, and how many of those otherwise than the session. */
static void again(const struct session *s, const char *path, enum mapping_kind kind, size_t *pairs, size_t *other)
{
    struct mapping m;
    struct mapping_applied x;
    struct err e;
    if (mapping_load(&m, path, &e))
        fail_msg("%s", e.text);
    assert_int_equal(m.kind, kind);
    mapping_apply(&x, &m, &s->now->side[TARGET].dump, &s->now->side[GOLDEN].dump);
    *pairs = x.pairs.n;
    *other = 0;
    for (size_t i = 0; i < x.pairs.n; i++) {
        uint32_t g = partner(s, x.pairs.v[i].t, NONE);
        *other += g != NONE && partner(s, x.pairs.v[i].t, x.pairs.v[i].g) == NONE;
    }
    mapping_applied_release(&x);
    mapping_release(&m);
}

static void read_again(void **state)
{
    struct session *s = opened();
    size_t pairs, other, all = 0;
    (void)state;
    for (size_t i = 0; i < s->now->pairing->lines.n; i++)
        if (s->now->pairing->lines.v[i].pair != NONE)
            all += (double)s->now->pairing->pairs.v[s->now->pairing->lines.v[i].pair].confidence >=
                   s->opt.of.tol.confidence;
    assert_true(all > 500);
    again(s, written(s, "x.json"), MAPPING_PAIRS, &pairs, &other);
    assert_int_equal(pairs, all);
    assert_int_equal(other, 0);
    again(s, written(s, "x.yaml"), MAPPING_DATA, &pairs, &other);
    assert_true(pairs > 400 && pairs < all); /* parts of fused tensors are left out */
    assert_int_equal(other, 0);
    again(s, written(s, "my_cell_mapping.yml"), MAPPING_CELL, &pairs, &other);
    assert_true(pairs > 110);
    assert_int_equal(other, 0);
    again(s, written(s, "my_layer_mapping.yaml"), MAPPING_LAYER, &pairs, &other);
    assert_true(pairs > 110);
    again(s, written(s, "api_mapping.yaml"), MAPPING_API, &pairs, &other);
    assert_true(pairs > 30);
    assert_int_equal(other, 0);
    shut(s);
}

static void what_is_written(void **state)
{
    struct session *s = opened();
    struct buf text = {0};
    struct err e;
    (void)state;
    assert_int_equal(file_slurp(written(s, "layer_mapping.yaml"), 1 << 20, &text, &e), 0);
    assert_non_null(strstr(text.p, "\nLLamaDecodeLayer:\n  attention_norm: input_layernorm\n"));
    assert_non_null(strstr(text.p, "# 10 modules are left out: parts of fused ones"));
    buf_clear(&text);
    assert_int_equal(file_slurp(written(s, "cell_mapping.yaml"), 1 << 20, &text, &e), 0);
    assert_non_null(strstr(text.p, "\nlm_head.Linear: module.output_layer.ColumnParallelLinear\n"));
    assert_null(strstr(text.p, "wq.Linear"));
    buf_clear(&text);
    assert_int_equal(file_slurp(written(s, "api_mapping.yaml"), 1 << 20, &text, &e), 0);
    assert_non_null(strstr(text.p, "- ms_api: Mint.matmul\n  pt_api: Torch.matmul\n  ms_args: [0, "
                                   "1]\n  pt_args: [0, 1]\n  ms_output: [0]\n"));
    assert_null(strstr(text.p, "Functional.mul\n"));
    buf_release(&text);
    shut(s);
}

/* Rows declared to have no partner stay so. */
static void declared(void **state)
{
    static const char *maps[] = {NULL};
    char path[300];
    struct session *s = calloc(1, sizeof *s);
    struct buf text = {0};
    struct err e;
    (void)state;
    snprintf(path, sizeof path, "%s/m.yaml", scratch());
    assert_int_equal(file_replace(path, STR("Functional.silu.0.forward.output.0: N/A\n"), &e), 0);
    maps[0] = path;
    struct session_options o = {.of.path = {sample("clean_mix_stat/ms"), sample("clean_mix_stat/torch")},
                                .of.step = {-1, -1},
                                .of.rank = {-1, -1},
                                .of.maps = maps,
                                .of.map_count = 1,
                                .of.map_only = true};
    thresholds_init(&o.of.tol);
    assert_int_equal(session_start(s, &o, &e), 0);
    assert_int_equal(session_wait(s, &e), 0);
    assert_int_equal(file_slurp(written(s, "x.yaml"), 1 << 20, &text, &e), 0);
    assert_string_equal(text.p, "# Written by " TOOL "\nFunctional.silu.0.forward.output.0: N/A\n");
    buf_clear(&text);
    assert_int_equal(file_slurp(written(s, "x.json"), 1 << 20, &text, &e), 0);
    assert_non_null(strstr(text.p, "\"golden\": null"));
    buf_clear(&text);
    assert_int_equal(file_slurp(written(s, "x_cell_mapping.yaml"), 1 << 20, &text, &e), 0);
    assert_string_equal(text.p, "# Written by " TOOL "\n{}\n");
    buf_release(&text);
    shut(s);
}

/* Any name comes back as it was. */
static void quoting(void **state)
{
    static const char *const names[] = {"a.b-c/d+e@f$g",
                                        "a: b",
                                        "a #b",
                                        "#a",
                                        "- a",
                                        "-",
                                        "?",
                                        "yes",
                                        "Null",
                                        "~",
                                        "1",
                                        "0x1f",
                                        "1e5",
                                        ".5",
                                        "2026-01-01",
                                        "a\tb",
                                        "a\"b\\c",
                                        "'a'",
                                        "[a",
                                        "{a: b}",
                                        "&a",
                                        "*a",
                                        "!a",
                                        "|",
                                        ">",
                                        "%a",
                                        "`a",
                                        " a",
                                        "a ",
                                        "a:",
                                        "a,b",
                                        "\xe5\xb1\x82.0",
                                        "=",
                                        "<<"};
    struct buf text = {0}, long_name = {0};
    struct mapping m = {.path = "x"};
    struct err e;
    size_t n = sizeof names / sizeof *names;
    (void)state;
    for (int i = 0; i < 3000; i++)
        buf_char(&long_name, 'y');
    for (size_t i = 0; i < n; i++)
        mapping_entry_write(&text, "", str_of(names[i]), str_of(names[n - 1 - i]));
    mapping_entry_write(&text, "", buf_view(&long_name), STR("z"));
    if (mapping_yaml(&m, buf_view(&text), &e))
        fail_msg("%s", e.text);
    assert_int_equal(m.entries.n, n + 1);
    for (size_t i = 0; i < n; i++) {
        assert_true(str_is(m.entries.v[i].target, names[i]));
        assert_true(str_is(m.entries.v[i].golden, names[n - 1 - i]) || m.entries.v[i].golden.n == 0);
    }
    assert_true(str_eq(m.entries.v[n].target, buf_view(&long_name)));
    buf_release(&text);
    buf_release(&long_name);
    mapping_release(&m);
}

static void kinds_of_names(void **state)
{
    static const struct {
        const char *file, *as;
        int kind; /* -1: refused */
    } cases[] = {
        {"a.json", NULL, MAPPING_PAIRS},
        {"cell_mapping.json", NULL, MAPPING_PAIRS},
        {"a.json", "cell_mapping", -1},
        {"a.yaml", NULL, MAPPING_DATA},
        {"a.yml", "layer_mapping", MAPPING_LAYER},
        {"x_cell_mapping_1.yaml", NULL, MAPPING_CELL},
        {"api_mapping.yml", NULL, MAPPING_API},
        {"api_mapping.yml", "data_mapping", MAPPING_DATA},
        {"layer_mapping/a.yaml", NULL, MAPPING_DATA},
        {"a.yaml", "json", -1},
        {"a.yaml", "cells", -1},
        {"a.txt", NULL, -1},
        {"yaml", NULL, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum mapping_kind kind = MAPPING_KINDS;
        struct err e = {0};
        int rc = mapping_kind_for(cases[i].file, cases[i].as, &kind, &e);
        assert_int_equal(rc ? -1 : (int)kind, cases[i].kind);
        assert_int_equal(e.code, rc ? ERR_USAGE : ERR_NONE);
    }
}

static void not_to_be_written(void **state)
{
    struct session *s = open_paths(sample("clean_mix_stat/ms"), NULL);
    struct out out = {0};
    struct err e = {0};
    (void)state;
    assert_int_equal(mapping_write(&out, s->now, MAPPING_DATA, &e), -1);
    assert_int_equal(e.code, ERR_USAGE);
    assert_int_equal(mapping_write(&out, s->now, MAPPING_MATCHES, &e), -1);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_again), cmocka_unit_test(what_is_written), cmocka_unit_test(declared),
        cmocka_unit_test(quoting),    cmocka_unit_test(kinds_of_names),  cmocka_unit_test(not_to_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
