/* Matches the rows of two rounds in passes: by both names, by the name on the side with the same recording, by
 * address, by one name. */
#include "ticket/round_match.h"

#include "base/map.h"

/* The key that two rows must share in a pass; 0: the row has none. */
typedef uint64_t row_key(const struct round *r, uint32_t row);

static uint64_t round_name_key(const struct round *r, uint32_t row, int side)
{
    const char *name = round_name(r, row, side);
    uint64_t h = hash_bytes(name, strlen(name), (uint64_t)(31 + side));
    return *name ? h ? h : 1 : 0;
}

static uint64_t target_key(const struct round *r, uint32_t row)
{
    return round_name_key(r, row, TARGET);
}

static uint64_t golden_key(const struct round *r, uint32_t row)
{
    return round_name_key(r, row, GOLDEN);
}

static uint64_t both_key(const struct round *r, uint32_t row)
{
    const uint64_t k[] = {target_key(r, row), golden_key(r, row)};
    uint64_t h = hash_bytes(k, sizeof k, 37);
    return h ? h : 1;
}

static uint64_t address_key(const struct round *r, uint32_t row)
{
    return r->rows.v[row].address;
}

/* Earlier rows without a match, by key: the first of each key in the map, the others linked to it. */
static void index_unmatched_rows(struct nmap *first, uint32_t *next, const struct round_join *x,
                                 const struct round *before, row_key *key)
{
    for (uint32_t i = (uint32_t)before->rows.n; i-- > 0;) {
        uint64_t k = x->again[i] ? 0 : key(before, i);
        if (!k)
            continue;
        uint32_t other = nmap_get(first, k);
        next[i] = other == MAP_NONE ? NONE : other;
        nmap_set(first, k, i);
    }
}

static void match_pass(struct round_join *x, const struct round *before, const struct round *now, row_key *key)
{
    struct nmap first = {0};
    uint32_t *next = mem_alloc((x->before + 1) * sizeof *next);
    index_unmatched_rows(&first, next, x, before, key);
    for (uint32_t i = 0; i < now->rows.n; i++) {
        uint64_t k = x->was[i] == NONE ? key(now, i) : 0;
        uint32_t at = k ? nmap_get(&first, k) : MAP_NONE;
        if (at == MAP_NONE)
            continue;
        x->was[i] = at;
        x->again[at] = true;
        x->joined++;
        if (next[at] != NONE) /* rows of one key are matched in order; additional ones match the last */
            nmap_set(&first, k, next[at]);
    }
    nmap_release(&first);
    free(next);
}

bool round_join_left(const struct round_join *x)
{
    bool any = false;
    for (size_t i = 0; i < x->before && !any; i++)
        any = !x->again[i];
    return any && x->joined < x->rows;
}

static bool is_same_recording(const struct round *a, const struct round *b, int side)
{
    return a->side[side].fingerprint && a->side[side].fingerprint == b->side[side].fingerprint;
}

void round_join_names(struct round_join *x, const struct round *before, const struct round *now)
{
    *x = (struct round_join){.rows = now->rows.n, .before = before->rows.n};
    x->was = mem_alloc((x->rows + 1) * sizeof *x->was);
    x->again = mem_zalloc(x->before + 1);
    for (size_t i = 0; i < x->rows; i++)
        x->was[i] = NONE;
    match_pass(x, before, now, both_key);
    if (is_same_recording(before, now, GOLDEN) && round_join_left(x))
        match_pass(x, before, now, golden_key);
    if (is_same_recording(before, now, TARGET) && round_join_left(x))
        match_pass(x, before, now, target_key);
}

void round_join_rest(struct round_join *x, const struct round *before, const struct round *now)
{
    if (round_join_left(x))
        match_pass(x, before, now, address_key);
    x->sure = x->joined;
    if (round_join_left(x))
        match_pass(x, before, now, target_key);
    if (round_join_left(x))
        match_pass(x, before, now, golden_key);
}

void round_join_release(struct round_join *x)
{
    free(x->was);
    free(x->again);
    *x = (struct round_join){0};
}
