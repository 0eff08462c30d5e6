/* Opens both sides, selects the columns to compare, pairs the sequences, and aligns their tokens. */
#include "rollout/rollout.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/msg.h"
#include "rollout/rollout_columns.h"
#include "rollout/rollout_align.h"

#define UNALIGNED_SAID 3

/* ---- what each side has ---- */

static const char *log_probs(const struct rollout_columns *c, int side)
{
    static const enum rollout_role wanted[2][3] = {
        {ROLLOUT_ROLE_TRAIN, ROLLOUT_ROLE_EITHER, ROLLOUT_ROLE_SIZE},
        {ROLLOUT_ROLE_ENGINE, ROLLOUT_ROLE_EITHER, ROLLOUT_ROLE_SIZE},
    };
    for (int i = 0; i < 3; i++) {
        const char *name = rollout_column(c, wanted[side][i]);
        if (name)
            return name;
    }
    return NULL;
}

static int no_log_probs(const struct rollout_columns *c, int side, struct err *e)
{
    struct buf b = {0};
    const char *other = rollout_column(c, side ? ROLLOUT_ROLE_TRAIN : ROLLOUT_ROLE_ENGINE);
    if (other)
        buf_cstr(&b, other);
    for (size_t i = 0; i < c->others.n; i++)
        buf_fmt(&b, "%s%s", b.n ? ", " : "", c->others.v[i]);
    int rc =
        err_set(e, ERR_DATA,
                side ? _("%s: expected the rollout engine's log-probabilities (rollout_log_probs, generation_logprobs, "
                         "logprobs …), found %s")
                     : _("%s: expected the trainer's log-probabilities (old_log_probs, log_probs, prev_logprobs …), "
                         "found %s"),
                c->path, b.n ? b.p : _("none"));
    buf_release(&b);
    return rc;
}

static int describe_rollout_side(struct rollout *r, struct rollout_table *t, int side, struct err *e)
{
    const struct rollout_columns *c = t->c;
    struct rollout_side *s = &r->side[side];
    t->log_probs = log_probs(c, side);
    if (!t->log_probs)
        return c->unread.n && !c->cells.n ? err_set(e, ERR_DATA, "%s", c->unread.v[0]) : no_log_probs(c, side, e);
    t->tokens = rollout_column(c, ROLLOUT_ROLE_TOKENS);
    t->mask = rollout_column(c, ROLLOUT_ROLE_MASK);
    t->attention = rollout_column(c, ROLLOUT_ROLE_ATTENTION);
    t->length = rollout_column(c, ROLLOUT_ROLE_LENGTH);
    t->index = rollout_column(c, ROLLOUT_ROLE_INDEX);
    t->round = rollout_column(c, ROLLOUT_ROLE_ROUND);
    t->experts = rollout_column(c, ROLLOUT_ROLE_EXPERTS);
    t->rows = rollout_column_rows(c, t->log_probs);
    s->path = arena_cstr(&r->arena, str_of(c->path));
    s->format = arena_cstr(&r->arena, str_of(c->format));
    s->column = t->log_probs;
    s->mask = t->mask ? t->mask : t->attention ? t->attention : t->length;
    s->sequences = t->rows;
    s->has_tokens = t->tokens != NULL;
    s->has_experts = t->experts != NULL;
    return 0;
}

/* ---- which sequences are the same ---- */

static bool index_of(const struct rollout_table *t, size_t row, int64_t *out)
{
    struct rollout_row x = t->index ? rollout_column_row(t->c, t->index, row) : (struct rollout_row){0};
    if (!x.there || x.n != 1 || !(fabs(x.v[0]) < 9e15))
        return false;
    *out = (int64_t)x.v[0];
    return true;
}

/* The engine's rows by their own numbers; false if a side has none, or some twice. */
static bool pair_by_index(const struct rollout_table t[2], uint32_t *partner)
{
    struct nmap at = {0}, seen = {0};
    int64_t n;
    bool good = true;
    size_t met = 0;
    for (size_t i = 0; i < t[1].rows && good; i++)
        good = index_of(&t[1], i, &n) && nmap_add(&at, (uint64_t)n, (uint32_t)i) == (uint32_t)i;
    for (size_t i = 0; i < t[0].rows && good; i++) {
        good = index_of(&t[0], i, &n) && nmap_add(&seen, (uint64_t)n, (uint32_t)i) == (uint32_t)i;
        partner[i] = good ? nmap_get(&at, (uint64_t)n) : ROLLOUT_NONE;
        met += good && partner[i] != ROLLOUT_NONE;
    }
    nmap_release(&at);
    nmap_release(&seen);
    return good && met;
}

static uint64_t tokens_hash(const struct rollout_table *t, size_t row)
{
    struct rollout_line l;
    uint64_t h = 0;
    rollout_line_make(t, row, &l);
    for (size_t i = 0; i < l.n && l.tokens; i++)
        h = hash_bytes(&l.v[i].id, sizeof l.v[i].id, h);
    bool any = l.tokens && l.n;
    rollout_line_release(&l);
    return any ? h | 1 : 0;
}

/* Batches may be reordered between the two: rows are paired by their tokens, rows with equal tokens in order. False if
 * this pairs no more rows than positions do. */
static bool by_tokens(const struct rollout_table t[2], uint32_t *partner)
{
    struct nmap at = {0};
    uint32_t *next = mem_resize_array(NULL, t[1].rows + 1, sizeof *next);
    uint64_t *hash = mem_resize_array(NULL, t[1].rows + 1, sizeof *hash);
    size_t met = 0, standing = 0;
    for (size_t i = t[1].rows; i-- > 0;) {
        hash[i] = tokens_hash(&t[1], i);
        next[i] = hash[i] ? nmap_get(&at, hash[i]) : ROLLOUT_NONE;
        if (hash[i])
            nmap_set(&at, hash[i], (uint32_t)i);
    }
    for (size_t i = 0; i < t[0].rows; i++) {
        uint64_t h = tokens_hash(&t[0], i);
        partner[i] = h ? nmap_get(&at, h) : ROLLOUT_NONE;
        standing += h && i < t[1].rows && hash[i] == h;
        if (partner[i] != ROLLOUT_NONE) {
            met++;
            nmap_set(&at, h, next[partner[i]]);
        }
    }
    nmap_release(&at);
    free(next);
    free(hash);
    return met > standing;
}

static int pair_rollout_rows(struct rollout *r, const struct rollout_table t[2], uint32_t *partner, struct err *e)
{
    if (t[0].c == t[1].c) {
        r->paired_by = N_("in one file");
    } else if (t[0].index && t[1].index && pair_by_index(t, partner)) {
        r->paired_by = N_("by their numbers in the files");
        return 0;
    } else if (t[0].tokens && t[1].tokens && by_tokens(t, partner)) {
        r->paired_by = N_("by their tokens: the order differs between the files");
        return 0;
    } else if (t[0].rows != t[1].rows && !(t[0].tokens && t[1].tokens)) {
        return err_set(e, ERR_DATA, _("%s has %zu sequences, %s has %zu; without sequence numbers or tokens they "
                                      "cannot be paired"), t[0].c->path, t[0].rows, t[1].c->path, t[1].rows);
    } else {
        r->paired_by = N_("by their order");
    }
    for (size_t i = 0; i < t[0].rows; i++)
        partner[i] = i < t[1].rows ? (uint32_t)i : ROLLOUT_NONE;
    return 0;
}

/* ---- both together ---- */

static void note_unaligned_rows(struct rollout *r, const struct rollout_line l[2], const struct rollout_sequence *s)
{
    struct buf b = {0};
    if (r->counted[ROLLOUT_UNALIGNED]++ < UNALIGNED_SAID) {
        buf_fmt(
            &b,
            _("sequence %u: %zu tokens in the trainer file, %zu in the rollout file; without token ids on both sides "
              "they cannot be aligned"),
            s->row[0], l[0].n, l[1].n);
        vec_push(&r->unread, arena_cstr(&r->arena, buf_view(&b)));
    }
    buf_release(&b);
}

static int align_rollout_rows(struct rollout *r, struct rollout_table t[2], const uint32_t *partner,
                              const atomic_bool *cancel, struct err *e)
{
    size_t met = 0;
    for (size_t i = 0; i < t[0].rows; i++) {
        struct rollout_sequence s = {.row = {(uint32_t)i, partner[i]}, .index = -1, .parted = {-1, -1}};
        struct rollout_line l[2];
        if (partner[i] == ROLLOUT_NONE) {
            r->unpaired[0]++;
            continue;
        }
        if (cancel && atomic_load(cancel))
            return err_set(e, ERR_CANCEL, "%s", _("interrupted"));
        met++;
        if (!index_of(&t[0], i, &s.index))
            index_of(&t[1], partner[i], &s.index);
        for (int k = 0; k < 2; k++)
            rollout_line_make(&t[k], s.row[k], &l[k]);
        rollout_lines_share_mask(l);
        for (int k = 0; k < 2; k++) {
            r->side[k].tokens += l[k].n;
            r->dropped += l[k].dropped;
        }
        s.from = r->tokens.n;
        rollout_align(r, l, &s);
        if (s.pairing == ROLLOUT_UNALIGNED)
            note_unaligned_rows(r, l, &s);
        else
            r->counted[s.pairing]++;
        rollout_experts(r, t, l, &s);
        vec_push(&r->sequences, s);
        for (int k = 0; k < 2; k++)
            rollout_line_release(&l[k]);
    }
    r->unpaired[1] = t[1].rows - met;
    return 0;
}

static int open_sides(struct rollout *r, struct rollout_columns c[2], const char *train, const char *engine,
                      const atomic_bool *cancel, struct err *e)
{
    struct rollout_table t[2] = {{.c = &c[0]}, {.c = &c[1]}};
    bool one = !engine || strcmp(train, engine) == 0;
    if (rollout_columns_open(&c[0], train, cancel, e))
        return -1;
    if (one)
        t[1].c = &c[0];
    else if (rollout_columns_open(&c[1], engine, cancel, e))
        return -1;
    for (int k = 0; k < 2; k++)
        if (describe_rollout_side(r, &t[k], k, e))
            return -1;
    r->sizes_only = rollout_column(t[0].c, ROLLOUT_ROLE_SIZE) == t[0].log_probs;
    if (!one && (r->sizes_only || rollout_column(t[1].c, ROLLOUT_ROLE_SIZE) == t[1].log_probs))
        return err_set(e, ERR_USAGE, _("%s already contains the differences of both sides: give only this file"),
                       t[!r->sizes_only].c->path);
    if (one && !r->sizes_only && t[0].log_probs == t[1].log_probs)
        return no_log_probs(t[0].c, 1, e);
    rollout_mask_beside(r, &c[0]);
    if (r->sizes_only && !t[0].mask)
        t[0].mask = t[1].mask = rollout_column(&c[0], ROLLOUT_ROLE_MASK);
    r->side[0].mask = r->side[0].mask ? r->side[0].mask : t[0].mask;
    uint32_t *partner = mem_resize_array(NULL, t[0].rows + 1, sizeof *partner);
    int rc = pair_rollout_rows(r, t, partner, e);
    if (rc == 0)
        rc = align_rollout_rows(r, t, partner, cancel, e);
    free(partner);
    for (int k = 0; k < (one ? 1 : 2); k++)
        for (size_t i = 0; i < c[k].unread.n; i++)
            vec_push(&r->unread, arena_cstr(&r->arena, str_of(c[k].unread.v[i])));
    return rc;
}

int rollout_open(struct rollout *r, const char *train, const char *engine, const atomic_bool *cancel, struct err *e)
{
    struct rollout_columns c[2] = {{.path = NULL}};
    *r = (struct rollout){.first = ROLLOUT_NONE, .first_sequence = ROLLOUT_NONE};
    int rc = open_sides(r, c, train, engine, cancel, e);
    for (int k = 0; k < 2; k++)
        rollout_columns_release(&c[k]);
    if (rc == 0) {
        rollout_figures_make(r);
        rollout_fit_make(r);
    }
    return rc;
}

void rollout_release(struct rollout *r)
{
    vec_release(&r->tokens);
    vec_release(&r->sequences);
    vec_release(&r->worst);
    vec_release(&r->rounds);
    vec_release(&r->unread);
    vec_release(&r->bad);
    vec_release(&r->warnings);
    vec_release(&r->next);
    arena_release(&r->arena);
}

double rollout_difference(const struct rollout *r, const struct rollout_token *t)
{
    return r->sizes_only ? t->lp[0] : t->lp[0] - t->lp[1];
}

void rollout_sequence_name(const struct rollout *r, uint32_t sequence, struct buf *out)
{
    const struct rollout_sequence *s = &r->sequences.v[sequence];
    buf_fmt(out, "%u", s->row[0]);
    if (s->index >= 0 && s->index != (int64_t)s->row[0])
        buf_fmt(out, " (#%lld)", (long long)s->index);
}
