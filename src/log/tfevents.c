/* Reads TensorBoard event files: TFRecords (length, its masked CRC-32C, data, CRC-32C of the data) of Event messages,
 * of which the scalars are read: simple_value, or a TensorProto of one float. The protobuf wire format is parsed
 * here, with every length checked against the record. */

#include "base/checksum_range.h"
#include "base/msg.h"
#include "base/proto_fields.h"
#include "log/series_builder.h"
#include "log/value_names.h"

#define LARGEST (1u << 20) /* a record with scalars; images and graphs are larger and skipped */

static uint32_t crc32c_checksum(const unsigned char *p, size_t n)
{
    /* the polynomial of Castagnoli, reflected; a nibble at a time */
    static const uint32_t table[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
        0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    uint32_t c = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        c = c >> 4 ^ table[c & 15];
        c = c >> 4 ^ table[c & 15];
    }
    return ~c;
}

static uint32_t masked_crc32c(const unsigned char *p, size_t n)
{
    uint32_t c = crc32c_checksum(p, n);
    return ((c >> 15) | (c << 17)) + 0xa282ead8u;
}

bool tfevents_sniff(struct str head, const char *path)
{
    const unsigned char *p = (const unsigned char *)head.p;
    (void)path;
    return head.n >= 12 && masked_crc32c(p, 8) == proto_little(p + 8, 4);
}

/* ---- values ---- */

static double as_float(uint64_t bits)
{
    uint32_t b = (uint32_t)bits;
    float x;
    memcpy(&x, &b, sizeof x);
    return (double)x;
}

static double as_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A tensor that is one float or double. */
static bool scalar_tensor(struct str s, double *v)
{
    struct proto_field f;
    uint64_t dtype = 0;
    bool found = false;
    while (proto_next(&s, &f)) {
        const unsigned char *p = (const unsigned char *)f.bytes.p;
        if (f.number == 1 && f.type == 0)
            dtype = f.v;
        else if (f.number == 4 && f.type == 2 && dtype == 1 && f.bytes.n == 4)
            *v = as_float(proto_little(p, 4)), found = true;
        else if (f.number == 4 && f.type == 2 && dtype == 2 && f.bytes.n == 8)
            *v = as_double(proto_little(p, 8)), found = true;
        else if (f.number == 5 && ((f.type == 2 && f.bytes.n == 4) || f.type == 5))
            *v = as_float(f.type == 5 ? f.v : proto_little(p, 4)), found = true;
        else if (f.number == 6 && ((f.type == 2 && f.bytes.n == 8) || f.type == 1))
            *v = as_double(f.type == 1 ? f.v : proto_little(p, 8)), found = true;
    }
    return found;
}

/* ---- tags ---- */

#define PART_TAG "part" /* of points that are a part of the loss */
#define LOSS_TAGS 1024u /* the most of one file */

/* A loss by its tag; of several tags one is the loss of the steps. */
struct tagged_loss {
    uint32_t tag; /* of loss_tags.tags */
    uint32_t line;
    int64_t step;
    double x;
};

struct loss_tags {
    VEC(struct str) tags; /* in the arena of the series */
    VEC(struct tagged_loss) losses;
};

static void keep_loss(struct series_builder *k, struct loss_tags *l, struct str tag, int64_t step, double x)
{
    size_t i = 0;
    while (i < l->tags.n && !str_eq(l->tags.v[i], tag))
        i++;
    if (l->losses.n == LOG_POINTS || i == LOSS_TAGS) {
        log_odd(k, ODD_FULL);
        return;
    }
    if (i == l->tags.n)
        vec_push(&l->tags, arena_str(&k->s->arena, tag));
    struct tagged_loss loss = {(uint32_t)i, k->line, step, x};
    vec_push(&l->losses, loss);
}

/* Of the tags the one that says most, of several such the first; the others are named series. */
static void choose_loss(struct series_builder *k, struct loss_tags *l)
{
    size_t best = 0;
    bool many = false;
    for (size_t i = 1; i < l->tags.n; i++) {
        bool parts = value_part(l->tags.v[i]);
        many = many || !parts;
        if (value_loss_rank(l->tags.v[i]) > value_loss_rank(l->tags.v[best]))
            best = i;
    }
    for (size_t i = 0; i < l->losses.n; i++) {
        const struct tagged_loss x = l->losses.v[i];
        struct log_record r = {.step = x.step};
        struct str tag = l->tags.v[x.tag];
        k->line = x.line;
        if (value_part(tag))
            log_point(k, PART_TAG, tag, false, x.step, x.x);
        else if (x.tag != best)
            log_point(k, "loss", tag, false, x.step, x.x);
        if (x.tag != best)
            continue;
        log_set(k, &r, LOG_LOSS, x.x, 0);
        log_add(k, &r);
    }
    if (many)
        log_loss_taken(k, l->tags.v[best]);
    vec_release(&l->tags);
    vec_release(&l->losses);
}

static void tfevents_take_scalar(struct series_builder *k, struct loss_tags *losses, struct str tag, int64_t step,
                                 double x)
{
    static const struct {
        const char *tag;
        enum log_value v;
    } known[] = {
        {"learning-rate", LOG_LR},   {"learning_rate", LOG_LR},    {"train/learning_rate", LOG_LR},
        {"lr", LOG_LR},              {"grad-norm", LOG_NORM},      {"grad_norm", LOG_NORM},
        {"train/grad_norm", LOG_NORM}, {"global_norm", LOG_NORM},  {"loss-scale", LOG_SCALE},
        {"loss_scale", LOG_SCALE},   {"train/epoch", LOG_EPOCH},
    };
    static const char *const monitor[] = {
        "local_norm", "device_local_norm", "weight_norm", "local_loss", "device_local_loss", "adam_m_norm",
            "adam_v_norm",
    };
    struct log_record r = {.step = step};
    struct str head, name;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_is(tag, known[i].tag)) {
            log_set(k, &r, known[i].v, x, 0);
            log_add(k, &r);
            return;
        }
    if (str_ends(tag, " vs samples")) /* the same again, its step counts samples */
        return;
    if (monitor_scalar(k, tag, step, x))
        return;
    const struct rl_metric *m = rl_metric(tag);
    if (m) {
        log_point(k, m->tag, tag, false, step, x);
        return;
    }
    if (str_split(tag, '/', &head, &name))
        for (size_t i = 0; i < ARRAY_LEN(monitor); i++)
            if (str_is(head, monitor[i])) {
                log_point(k, monitor[i], name, false, step, x);
                return;
            }
    enum log_value v;
    if (value_loss_rank(tag) >= 0) {
        if (str_is(tag, "lm loss"))
            k->s->lr_is_next = true; /* Megatron's name: the rate is read after the scheduler moved on */
        k->s->in_samples |= value_counts_samples(tag);
        keep_loss(k, losses, tag, step, x);
        return;
    }
    if (value_named(tag, &v)) {
        k->s->in_samples |= value_counts_samples(tag);
        log_set(k, &r, v, x, 0);
        log_add(k, &r);
        return;
    }
    if (str_ihas(tag, "loss"))
        log_point(k, str_ihas(tag, "valid") || str_ihas(tag, "eval") ? "eval" : "loss", tag, false, step, x);
}

/* A tag under which a scalar is read; images, texts and histograms have others. */
static bool of_scalar(struct str tag)
{
    enum log_value v;
    return value_loss_rank(tag) >= 0 || value_named(tag, &v) || rl_metric(tag) || str_is(tag, "grad-norm") ||
           str_is(tag, "learning-rate");
}

/* One value of a summary; one that is no scalar where one belongs is unread. */
static void tfevents_take_value(struct series_builder *k, struct loss_tags *losses, const struct proto_field *f,
                                int64_t step)
{
    struct proto_field g;
    struct str value = f->bytes, tag = STR("");
    double x = 0;
    bool found = false, other = false, tagged = false, picture = false, damaged = f->type != 2;
    while (!damaged && proto_take(&value, &g, &damaged)) {
        if (g.number == 1) {
            tag = g.type == 2 ? g.bytes : STR("");
            tagged = true;
        } else if (g.number == 2 && g.type == 5) {
            x = as_float(g.v), found = true;
        } else if (g.number == 8 && g.type == 2 && scalar_tensor(g.bytes, &x)) {
            found = true;
        } else if (g.number == 2 || g.number == 8) {
            other = true;
        } else if (g.number >= 4 && g.number <= 6) { /* an image, a histogram, a sound */
            picture = true;
        } else if (g.number == 9 && g.type == 2) {
            picture = picture || !str_has(g.bytes, "scalars");
        }
    }
    if (damaged || (tagged && !tag.n) || (!found && !picture && of_scalar(tag)) || (found && other))
        log_odd_value(k, tag.n ? tag : STR("?"));
    else if (found && tag.n)
        tfevents_take_scalar(k, losses, tag, step, x);
}

static void tfevents_take_summary(struct series_builder *k, struct loss_tags *losses, struct str s, int64_t step)
{
    struct proto_field f;
    bool broken = false;
    while (proto_take(&s, &f, &broken))
        if (f.number == 1)
            tfevents_take_value(k, losses, &f, step);
    if (broken)
        log_odd_value(k, STR("?"));
}

static void tfevents_take_event(struct series_builder *k, struct loss_tags *losses, struct str s)
{
    struct proto_field f;
    struct str all = s;
    uint64_t step = 0;
    bool broken = false;
    while (proto_take(&all, &f, &broken)) /* the step may follow the values */
        if (f.number == 2)
            step = f.type == 0 ? f.v : (uint64_t)LOG_STEP;
    if (broken || step >= (uint64_t)LOG_STEP) {
        log_odd(k, ODD_STEP);
        return;
    }
    while (proto_next(&s, &f))
        if (f.number == 5 && f.type == 2)
            tfevents_take_summary(k, losses, f.bytes, (int64_t)step);
}

int tfevents_read(struct series_builder *k, struct err *e)
{
    struct buf b = {0};
    unsigned char head[12];
    uint64_t at = 0, size = k->file->size;
    struct loss_tags losses = {0};
    int rc = 0;
    while (at < size && !log_cancelled(k)) {
        if (size - at < sizeof head) {
            log_unread_inside_record(k);
            break;
        }
        if ((rc = file_read(k->file, at, head, sizeof head, e)) != 0)
            break;
        uint64_t n = proto_little(head, 8);
        if (!crc_same((uint32_t)proto_little(head + 8, 4), masked_crc32c(head, 8))) {
            if (at == 0) {
                rc = err_at(e, k->file->name, at, _("expected a TensorBoard record; the checksum of its length is "
                                                    "wrong"));
                break;
            }
            log_unread_end(k,
                           arena_fmt(&k->s->arena,
                                     _("%s: byte %llu: the length of this record is damaged; the rest is not read"),
                                     k->file->name, (unsigned long long)at));
            break;
        }
        if (n > size - at - sizeof head || size - at - sizeof head - n < 4) {
            log_unread_inside_record(k);
            break;
        }
        k->line += k->line < UINT32_MAX;
        if (n <= LARGEST) {
            buf_clear(&b);
            buf_reserve(&b, (size_t)n + 4);
            if ((rc = file_read(k->file, at + sizeof head, b.p, (size_t)n + 4, e)) != 0)
                break;
            const unsigned char *p = (const unsigned char *)b.p;
            if (crc_same((uint32_t)proto_little(p + n, 4), masked_crc32c(p, (size_t)n)))
                tfevents_take_event(k, &losses, str_n(b.p, (size_t)n));
            else
                log_odd(k, ODD_CRC);
        }
        at += sizeof head + n + 4;
    }
    vec_last(&k->s->files)->lines = k->line;
    choose_loss(k, &losses);
    buf_release(&b);
    return rc;
}
