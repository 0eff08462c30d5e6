/* Training logs: the input as one file, and cut at "%%" as the files of a folder. What begins with "TB" is
 * framed as records of an event file, whose checksums mutation would never find. */
#include "fuzz.h"

#include "log/log_check.h"
#include "report/log_output.h"
#include "written.h"

static uint32_t masked(struct str s)
{
    uint32_t c = UINT32_MAX;
    for (size_t i = 0; i < s.n; i++) {
        c ^= (unsigned char)s.p[i];
        for (int b = 0; b < 8; b++)
            c = c >> 1 ^ (c & 1 ? 0x82f63b78u : 0);
    }
    c = ~c;
    return ((c >> 15) | (c << 17)) + 0xa282ead8u;
}

static void frame(struct buf *out, struct str record)
{
    uint64_t n = record.n;
    uint32_t c = masked(str_n((const char *)&n, sizeof n));
    buf_add(out, &n, sizeof n);
    buf_add(out, &c, sizeof c);
    buf_str(out, record);
    c = masked(record);
    buf_add(out, &c, sizeof c);
}

static void look(const char *path, bool tensorboard)
{
    struct log_options o = {.tensorboard = tensorboard};
    struct series s;
    struct log_check c;
    struct out out;
    struct err e = {0};
    static int null = -1;
    if (null < 0)
        null = open("/dev/null", O_WRONLY);
    series_probe(path);
    if (series_open(&s, path, &o, &e)) {
        assert(e.text[0]);
        series_release(&s);
        return;
    }
    size_t at = 0;
    for (size_t i = 0; i < s.records.n; i++) {
        const struct log_record *r = &s.records.v[i];
        assert(r->step >= 0 && (!i || r->step > s.records.v[i - 1].step) && r->file < s.files.n && r->has);
        assert(series_at(&s, r->step) == r);
    }
    for (size_t i = 0; i < s.names.n; i++) {
        const struct log_name *n = &s.names.v[i];
        assert(n->first == at && n->n <= s.points.n - at);
        for (size_t k = 0; k < n->n; k++)
            assert(s.points.v[at + k].name == i && s.points.v[at + k].file < s.files.n &&
                   (!k || s.points.v[at + k].step > s.points.v[at + k - 1].step));
        at += n->n;
    }
    assert(at == s.points.n);
    log_check_run(&c, &s);
    out_fd(&out, null);
    struct checked_log found = {&s, &c};
    put_json(&out, log_check_json, &found);
    log_csv(&out, &found);
    assert(out_close(&out, &e) == 0);
    log_check_release(&c);
    series_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"worker_0.log", "worker_1.log", "rank_2.csv", "trainer_state.json",
                                        "events.out"};
    struct str text = fuzz_str(data, size), rest = text;
    struct buf b = {0};
    if (str_starts(text, "TB")) {
        rest = str_cut(text, 2);
        while (rest.n)
            frame(&b, fuzz_part(&rest));
        look(fuzz_file(buf_view(&b)), true);
        buf_release(&b);
        return 0;
    }
    if (str_starts(text, "\x80") || str_starts(text, "\x93NUMPY")) { /* lists of losses, known by the file's name */
        look(fuzz_put(fuzz_dir(), str_starts(text, "\x80") ? "losses.pkl" : "losses.npy", text), false);
        return 0;
    }
    look(str_has(text, "\"tag_name\"") ? fuzz_put(fuzz_dir(), "anomaly.json", text) : fuzz_file(text), false);
    if (memmem(text.p, text.n, "\n%%\n", 4)) {
        for (size_t i = 0; i < 5; i++)
            fuzz_put(fuzz_dir(), names[i], fuzz_part(&rest));
        look(fuzz_dir(), false);
        look(fuzz_dir(), true);
    }
    return 0;
}
