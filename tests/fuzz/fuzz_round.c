/* A round's file: raw bytes, or lines that are packed here, since hardly a mutation survives gzip's own checks. What is
 * read is written and read again as the same, told from itself, and nothing has changed. */
#include "fuzz.h"

#include <math.h>
#include <zlib.h>

#include "ticket/round_changes.h"
#include "ticket/round_import.h"
#include "ticket/round_file.h"

static struct str packed(struct str s)
{
    static unsigned char *out;
    z_stream z = {0};
    free(out);
    out = malloc(s.n + s.n / 8 + 1024);
    if (!out || deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    z.next_in = (Bytef *)(uintptr_t)s.p;
    z.avail_in = (uInt)s.n;
    z.next_out = out;
    z.avail_out = (uInt)(s.n + s.n / 8 + 1024);
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    deflateEnd(&z);
    return str_n((const char *)out, z.total_out);
}

static void tell(const struct round *a, const struct round *b)
{
    struct round_join x;
    struct changes c;
    struct buf text = {0};
    round_join_names(&x, a, b);
    round_join_rest(&x, a, b);
    changes_find(&c, a, b, &x);
    assert(c.count[CHANGE_NEW] + c.count[CHANGE_FIXED] ==
           c.list.n - c.count[CHANGE_WORSE] - c.count[CHANGE_BETTER] - c.count[CHANGE_VANISHED]);
    changes_sentence(&c, &text);
    assert(text.n);
    buf_release(&text);
    changes_release(&c);
    round_join_release(&x);
}

static void again(const struct round *r)
{
    static char path[600];
    uint64_t written, read;
    struct round s;
    struct err e;
    snprintf(path, sizeof path, "%s/again.round-1.gz", fuzz_dir());
    if (round_write(r, path, &written, &e))
        abort();
    round_init(&s);
    if (round_read(&s, NULL, path, &read, &e))
        abort();
    assert(written == read && s.rows.n == r->rows.n && s.number == r->number && s.deviates == r->deviates);
    for (uint32_t i = 0; i < r->rows.n; i++) {
        const struct round_row *a = &r->rows.v[i], *b = &s.rows.v[i];
        assert(strcmp(round_name(r, i, 0), round_name(&s, i, 0)) == 0 &&
               strcmp(round_name(r, i, 1), round_name(&s, i, 1)) == 0);
        assert(a->verdict == b->verdict && a->flags == b->flags && a->address == b->address);
        assert(isnan(a->error) ? isnan(b->error) : !(a->error < b->error || a->error > b->error));
    }
    tell(r, &s);
    round_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct round r;
    struct err e = {0};
    uint64_t fingerprint;
    if (!size)
        return 0;
    struct str text = fuzz_str(data + 1, size - 1);
    round_init(&r);
    int rc = data[0] == 'r'
                 ? round_from_result(&r, fuzz_put(fuzz_dir(), "result.json", text), &e)
                 : round_read(&r, NULL, fuzz_put(fuzz_dir(), "x.round-1.gz", data[0] == 'g' ? text : packed(text)),
                              &fingerprint, &e);
    if (rc)
        assert(e.text[0]);
    else
        again(&r);
    round_release(&r);
    return 0;
}
