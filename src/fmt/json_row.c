/* Shared by msprobe and ptdbg: shapes, and files with one JSON text per line. */
#include "fmt/json_row.h"

#include "base/lines.h"
#include "base/msg.h"
#include "base/reading.h"

#define BATCH 512 /* lines per batch, after which the lock is released */

bool json_row_shape(struct dump *d, struct row *r, const cJSON *v)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    enum reading how = reading_json_sizes(v, TENSOR_DIMS, dim, &n);
    if (how != READING_VALUE)
        return how == READING_ABSENT;
    r->shape = dump_shape(d, dim, n);
    if (r->shape != NONE)
        r->has |= HAS_SHAPE;
    return r->shape != NONE;
}

int json_row_lines(struct dump *d, const char *path, size_t longest, bool cut,
                   void (*row)(void *ctx, struct str line, uint64_t offset), void *ctx,
                   struct load *load, struct err *e)
{
    struct lines l;
    struct str line;
    struct json_pool pool;
    int rc, in_batch = 0;
    if (lines_open(&l, path, longest, cut, e))
        return -1;
    uint64_t before = d->bytes_done;
    d->bytes += l.file.size;
    json_pool_enter(&pool);
    load_begin(load);
    while ((rc = lines_next(&l, &line, e)) == 1) {
        struct str text = str_trim(line);
        if (text.n)
            row(ctx, text, l.offset + (uint64_t)(text.p - line.p));
        json_pool_clear(&pool);
        if (++in_batch % BATCH == 0) {
            d->bytes_done = before + l.offset;
            load_end(load);
            load_begin(load);
        }
        if (load_cancelled(load)) {
            rc = err_set(e, ERR_CANCEL, "%s", _("stopped"));
            break;
        }
    }
    load_end(load);
    json_pool_leave(&pool);
    lines_close(&l);
    return rc;
}
