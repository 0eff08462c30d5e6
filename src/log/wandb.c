/* W&B's own file of a run, run-ID.wandb: seven bytes (":W&B", 0xBEE1, version 0), then LevelDB's log: blocks of 32
 * KiB, in them pieces of CRC-32, length, kind (whole, first, middle, last) and bytes. A record is a protobuf Record,
 * of which history (2) is read: item (1) {key 1, nested_key 2, value_json 16}, step (2) {num 1}. */
#include "base/checksum_range.h"
#include "base/msg.h"
#include "base/proto_fields.h"
#include "log/series_builder.h"
#include "log/value_names.h"

#define BLOCK 32768
#define HEAD 7
/* bytes of a record with scalars; consoles, configurations and media are larger and skipped */
#define LARGEST (1u << 20)

enum piece { WHOLE = 1, FIRST, MIDDLE, LAST };

bool wandb_sniff(struct str head, const char *path)
{
    (void)path;
    return head.n >= HEAD && memcmp(head.p, ":W&B\xe1\xbe", 6) == 0 && head.p[6] == 0;
}

/* "train/loss", or the keys of a value inside others joined by a slash. False: the item is damaged. */
static bool wandb_item_key(struct str item, struct buf *key, struct str *json)
{
    struct proto_field f;
    bool damaged = false;
    buf_clear(key);
    *json = STR("");
    while (proto_take(&item, &f, &damaged)) {
        if (f.type != 2)
            continue;
        if (f.number == 1 || f.number == 2) {
            if (key->n)
                buf_char(key, '/');
            buf_str(key, f.bytes);
        } else if (f.number == 16) {
            *json = f.bytes;
        }
    }
    return !damaged && key->n > 0;
}

static bool is_whole_step(double x)
{
    return x >= 0 && x < (double)LOG_STEP && x == (double)(int64_t)x;
}

/* The run's counter; a step the training names itself goes before it. -1: there is none. */
static int64_t history_counter(struct str s)
{
    struct proto_field f, g;
    int64_t own = -1;
    while (proto_next(&s, &f))
        if (f.number == 2 && f.type == 2)
            while (proto_next(&f.bytes, &g))
                own = g.number == 1 && g.type == 0 && g.v < (uint64_t)LOG_STEP ? (int64_t)g.v : own;
    return own;
}

static void wandb_take_history(struct series_builder *k, struct str s)
{
    struct log_record r = {.step = -1};
    struct proto_field f;
    struct buf key = {0};
    struct str json;
    double x, digit;
    struct values_taken taken = {0};
    struct extra_values rl = {0};
    bool lost = false; /* its step, or a part of it, cannot be read */
    int64_t own = history_counter(s);
    while (proto_take(&s, &f, &lost)) {
        enum log_value v;
        if (f.number != 1 || f.type != 2)
            continue;
        if (!wandb_item_key(f.bytes, &key, &json)) {
            log_odd_value(k, json.n ? json : STR("?"));
            continue;
        }
        bool counts = str_is(buf_view(&key), "_step") || value_is_step(buf_view(&key));
        /* a text or a list has values of its own kind under other names; histograms are objects */
        if (!scan_number(json, &x, &digit)) {
            if ((counts || value_named(buf_view(&key), &v)) && !reading_is_nothing(json)) {
                lost = lost || counts;
                if (!counts)
                    log_odd_value(k, json);
            }
            continue;
        }
        if (str_is(buf_view(&key), "_step")) {
            own = own < 0 && is_whole_step(x) ? (int64_t)x : own;
        } else if (value_is_step(buf_view(&key)) && is_whole_step(x)) {
            r.step = (int64_t)x;
        } else if (extra_value_take(&rl, buf_view(&key), x)) {
            continue;
        } else if (value_taken(&taken, buf_view(&key), &v)) {
            log_set(k, &r, v, x, digit);
            k->s->in_samples |= value_counts_samples(buf_view(&key));
        }
    }
    buf_release(&key);
    if (lost) {
        log_odd(k, ODD_STEP);
        return;
    }
    r.step = r.step < 0 ? own : r.step;
    log_total_taken(k, &taken);
    if (r.step >= 0)
        log_extra_values(k, r.step, &rl);
    if (taken.has && r.step >= 0)
        log_add(k, &r);
    else if (taken.has)
        log_odd(k, ODD_STEP);
}

static void wandb_take_record(struct series_builder *k, struct str s)
{
    struct proto_field f;
    k->line += k->line < UINT32_MAX;
    while (proto_next(&s, &f))
        if (f.number == 2 && f.type == 2)
            wandb_take_history(k, f.bytes);
}

/* The pieces of one block of n bytes; b is the record being joined, `open` whether one is. False: the file ends
 * in it. */
static bool wandb_take_block(struct series_builder *k, struct str s, bool last, struct buf *b, bool *open)
{
    while (s.n >= HEAD) {
        const unsigned char *p = (const unsigned char *)s.p;
        uint32_t sum = (uint32_t)proto_little(p, 4);
        size_t n = (size_t)proto_little(p + 4, 2);
        enum piece kind = p[6];
        if (!sum && !n && !kind) /* filled up with noughts */
            return true;
        if (n > s.n - HEAD)
            return !last;
        struct str bytes = str_n(s.p + HEAD, n);
        s = str_cut(s, HEAD + n);
        if (!crc_same(sum, crc_of(crc_of(0, p + 6, 1), bytes.p, n)) || kind < WHOLE ||
            kind > LAST) {
            log_odd(k, ODD_CRC);
            *open = false;
            continue;
        }
        if (kind == WHOLE || kind == FIRST) {
            buf_clear(b);
            *open = true;
        }
        if (*open && b->n + n <= LARGEST)
            buf_str(b, bytes);
        else
            *open = false; /* too large, or its beginning is damaged */
        if (kind == WHOLE || kind == LAST) {
            if (*open)
                wandb_take_record(k, buf_view(b));
            *open = false;
        }
    }
    return !(last && (s.n || *open));
}

int wandb_read(struct series_builder *k, struct err *e)
{
    struct buf b = {0}, page = {0};
    uint64_t size = k->file->size;
    bool open = false;
    int rc = 0;
    for (uint64_t at = 0; at < size && rc == 0 && !log_cancelled(k); at += BLOCK) {
        size_t n = size - at < BLOCK ? (size_t)(size - at) : BLOCK, from = at ? 0 : HEAD;
        buf_clear(&page);
        buf_reserve(&page, BLOCK);
        rc = file_read(k->file, at, page.p, n, e);
        if (rc == 0 && !wandb_take_block(k, n > from ? str_n(page.p + from, n - from) : STR(""), at + n == size, &b,
                                         &open))
            log_unread_inside_record(k);
    }
    vec_last(&k->s->files)->lines = k->line;
    buf_release(&b);
    buf_release(&page);
    return rc;
}
