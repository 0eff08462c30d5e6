/* A result table, opened as a comparison, judged and explained. What begins with '{' is one of the JSON ones,
 * with '<' a worksheet and its shared strings cut apart at "%%", packed here so that mutation reaches the
 * XML; anything else is a .csv, or an .xlsx by its first bytes. */
#include "fuzz_pair.h"

#include <zlib.h>

#include "judge/verdict_text.h"
#include "judge/table_verdicts.h"

static void le(struct buf *b, uint64_t v, int n)
{
    for (int i = 0; i < n; i++)
        buf_char(b, i < 8 ? (char)(v >> 8 * i) : 0);
}

/* One member, stored: its local header and data to `b`, its entry to `dir`. */
static void member(struct buf *b, struct buf *dir, const char *name, struct str text)
{
    size_t at = b->n;
    uint64_t crc = crc32(0, (const Bytef *)text.p, (uInt)text.n);
    for (int central = 0; central < 2; central++) {
        struct buf *o = central ? dir : b;
        buf_cstr(o, central ? "PK\1\2\24" : "PK\3\4");
        if (central)
            buf_char(o, 0);
        le(o, 20, 2);
        le(o, 0, 8);
        le(o, crc, 4);
        le(o, text.n, 4);
        le(o, text.n, 4);
        le(o, strlen(name), 2);
        le(o, 0, central ? 12 : 2);
        if (central)
            le(o, at, 4);
        buf_cstr(o, name);
    }
    buf_str(b, text);
}

static const char *put_sheet(struct str rest)
{
    struct buf b = {0}, dir = {0};
    struct str sheet = fuzz_part(&rest);
    member(&b, &dir, "xl/worksheets/sheet1.xml", sheet);
    if (rest.n)
        member(&b, &dir, "xl/sharedStrings.xml", rest);
    size_t at = b.n;
    buf_str(&b, buf_view(&dir));
    buf_cstr(&b, "PK\5\6");
    le(&b, 0, 4);
    le(&b, rest.n ? 2 : 1, 2);
    le(&b, rest.n ? 2 : 1, 2);
    le(&b, dir.n, 4);
    le(&b, at, 4);
    le(&b, 0, 2);
    const char *path = fuzz_put(fuzz_dir(), "compare_result.xlsx", buf_view(&b));
    buf_release(&b);
    buf_release(&dir);
    return path;
}

static void compare(const struct dump *t, const struct dump *g)
{
    struct fuzz_pair x = {.po = {.map_only = true, .given_why = WHY_TABLE}};
    struct buf b = {0};
    struct line *given = table_verdicts_pairs(t, g, &x.po.given_count);
    x.po.given = given;
    fuzz_pair_up(&x, t, g);
    measure_init(&x.m, t, g, &x.p, NULL);
    fuzz_judge(&x);
    for (uint32_t i = 0; i < x.j.lines; i++) {
        explain_verdict(&x.j, &x.m, i, &b);
        pairing_why(&x.p, &x.po, x.m.side, i, &b);
        assert(x.j.line[i].verdict != VERDICT_PENDING);
    }
    buf_release(&b);
    fuzz_pair_release(&x);
    free(given);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x[3];
    struct str text = fuzz_str(data, size);
    const char *path = str_starts(text, "{\"rank") ? fuzz_put(fuzz_dir(), "diff_analyze.json", text)
                       : str_starts(text, "{\"l2") ? fuzz_put(fuzz_dir(), "ckpt.json", str_cut(text, 5))
                       : str_starts(text, "{")     ? fuzz_put(fuzz_dir(), "compare_result_rank0.json", text)
                       : str_starts(text, "<")     ? put_sheet(text)
                                                   : fuzz_put(fuzz_dir(), "compare_result.csv",
                                                              text); /* of checks too: known by the first row */
    const struct reader *r = reader_msprobe_diff.probe(path) ? &reader_msprobe_diff
                             : reader_msprobe_acc.probe(path) ? &reader_msprobe_acc
                             : reader_msprobe_compile.probe(path) ? &reader_msprobe_compile
                             : reader_msprobe_checkpoints.probe(path) ? &reader_msprobe_checkpoints
                             : reader_ptdbg_result.probe(path) ? &reader_ptdbg_result
                                                               : &reader_msprobe_result;
    for (uint8_t i = 0; i < 3; i++) {
        struct err e = {0};
        fuzz_open_column(&x[i], r, path, i, &e);
        if (x[i].dump.complete)
            fuzz_check_dump(&x[i].dump);
    }
    if (r->table && x[0].dump.complete && x[1].dump.complete)
        compare(&x[0].dump, &x[1].dump);
    for (int i = 0; i < 3; i++)
        fuzz_close(&x[i]);
    return 0;
}
