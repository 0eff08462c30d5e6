/* Adding up a block, checking whether the result is exact, and keeping it. Part of kern_body.h. */

enum outcome { TAKEN, AGAIN, NEVER };

/* Parts that are added up in one loop. Without room for all sums each side and the pair have a loop of their own, with
 * two parts in each, so that an addition need not wait for the one before. */
#define GROUP (KERN_ROOM ? 1 : 2)

/* Adds up the parts of a block from w on, GROUP of them, and prefetches what lies `ahead` bytes after it. One function
 * per type and mode, not inlined: surrounding code would take registers from the loop. */
typedef void add_function(const void *t, const void *g, size_t n, int w, size_t ahead, struct side_part *const side[2],
                          struct pair_part *pair);

/* Member by member: gcc spills structs that are copied whole. */
INLINE void side_store(struct side_part *to, const struct side_part *p, enum kern_type type, const void *x, size_t n,
                       bool watched, bool careful)
{
    (void)x;
    (void)n;
    to->sum = p->sum;
    to->sq = p->sq;
    if (careful)
        to->zero = p->zero;
    else if (watched && !BY_BITS(type))
        to->least = p->least;
#ifdef KERN_RAW
    if (BY_BITS(type)) {
        to->smax = p->smax;
        to->umax = p->umax;
        to->umin = watched && !careful ? p->umin : bits_least(p->smax, p->umax, x, n);
        if (watched && !careful)
            to->smin = p->smin;
        return;
    }
#endif
    to->max = p->max;
    to->min = p->min;
}

INLINE void add_one(enum kern_type type, const void *x, size_t n, int w, bool watched, bool careful,
                    struct side_part *side)
{
    struct side_part a[GROUP];
    for (int k = 0; k < GROUP; k++)
        a[k] = side_start();
    for (size_t i = 0; i < n; i += (size_t)lane_vectors(type) * L)
        for (int k = 0; k < GROUP; k++) {
            struct piece v = load_piece(type, x, i, w + k);
            side_add(&a[k], &v, type, watched, careful);
        }
    for (int k = 0; k < GROUP; k++)
        side_store(&side[k], &a[k], type, x, n, watched, careful);
}

INLINE void pair_store(struct pair_part *to, const struct pair_part *p)
{
    to->dg = p->dg;
    to->se = p->se;
    to->max_abs = p->max_abs;
    to->max_rel = p->max_rel;
    to->n1 = p->n1;
    to->n5 = p->n5;
}

/* Both sides and the pair in one loop. */
INLINE void add_together(enum kern_type type, const void *t, const void *g, size_t n, int w, bool careful, size_t ahead,
                         struct side_part *const side[2], struct pair_part *pair)
{
    struct side_part a = side_start(), b = side_start();
    struct pair_part p = {0};
    for (size_t i = 0; i < n; i += (size_t)lane_vectors(type) * L) {
        struct piece x = load_piece(type, t, i, w), y = load_piece(type, g, i, w);
        if (PARTS == 1) {
            __builtin_prefetch((const char *)skip_elements(type, t, i) + ahead);
            __builtin_prefetch((const char *)skip_elements(type, g, i) + ahead);
        }
        side_add(&a, &x, type, true, careful);
        side_add(&b, &y, type, false, careful);
        pair_add(&p, &x, &y, type, careful);
    }
    side_store(side[0], &a, type, t, n, true, careful);
    side_store(side[1], &b, type, g, n, false, careful);
    pair_store(pair, &p);
}

INLINE void add_pair_block(enum kern_type type, const void *t, const void *g, size_t n, int w, bool careful,
                           struct pair_part *pair)
{
    struct pair_part p[GROUP] = {{.dg = {0}}};
    for (size_t i = 0; i < n; i += (size_t)lane_vectors(type) * L)
        for (int k = 0; k < GROUP; k++) {
            struct piece x = load_piece(type, t, i, w + k), y = load_piece(type, g, i, w + k);
            pair_add(&p[k], &x, &y, type, careful);
        }
    for (int k = 0; k < GROUP; k++)
        pair_store(&pair[k], &p[k]);
}

INLINE void add_two(enum kern_type type, const void *t, const void *g, size_t n, int w, bool careful, size_t ahead,
                    struct side_part *const side[2], struct pair_part *pair)
{
    if (KERN_ROOM) {
        add_together(type, t, g, n, w, careful, ahead, side, pair);
        return;
    }
    add_one(type, t, n, w, true, careful, side[0]);
    add_one(type, g, n, w, false, careful, side[1]);
    add_pair_block(type, t, g, n, w, careful, pair);
}

/* Sums of a block's elements. */
struct added {
    struct side_part side[2][PARTS];
    struct pair_part pair[PARTS];
};

INLINE void add_block(struct added *x, const void *t, const void *g, size_t n, size_t ahead, add_function *add)
{
    for (int w = 0; w < PARTS; w += GROUP)
        add(t, g, n, w, ahead, (struct side_part *const[]){&x->side[0][w], &x->side[1][w]}, &x->pair[w]);
}

INLINE enum outcome judge_block(const struct added *x, enum kern_type type, bool two, bool careful)
{
    struct doubts doubts = {{0}, {0}};
    vi well = ~(vi){0};
    for (int w = 0; w < PARTS && two && !careful; w++)
        well &= certain_lanes(&x->side[0][w], &x->side[1][w], &x->pair[w], type);
    if (two && !careful && !any_lane(~well))
        return TAKEN;
    for (int w = 0; w < PARTS; w++) {
        side_doubts(&doubts, &x->side[0][w], type, true, careful);
        if (!two)
            continue;
        side_doubts(&doubts, &x->side[1][w], type, false, careful);
        pair_doubts(&doubts, &x->pair[w], careful);
    }
    return any_lane(doubts.never) ? NEVER : any_lane(doubts.again) ? AGAIN : TAKEN;
}

/* g NULL: one side only. */
INLINE enum outcome keep_block(struct state *st, const struct added *x, enum kern_type type, const void *t,
                               const void *g, size_t n, bool careful)
{
    enum outcome o = judge_block(x, type, g != NULL, careful);
    vi rose = {0};
    if (o != TAKEN)
        return o;
    for (int w = 0; w < PARTS; w++) {
        side_keep(st, 0, &x->side[0][w], type, w);
        if (!g)
            continue;
        side_keep(st, 1, &x->side[1][w], type, w);
        pair_keep(st->s, &x->pair[w], w);
        rose |= x->pair[w].max_abs > st->s->max_abs;
    }
    side_count(&st->s->side[0], x->side[0], type, t, n, careful);
    if (g)
        side_count(&st->s->side[1], x->side[1], type, g, n, careful);
    if (g && any_lane(rose))
        note_largest(st->s, x->pair, type, t, g, n);
    return TAKEN;
}

INLINE size_t at_most_a_block(size_t n)
{
    return n < KERN_BLOCK ? n : KERN_BLOCK;
}

/* A block in hand: its elements and their sums. */
struct block {
    const void *x, *y; /* y NULL: one side only */
    struct added added;
    uint16_t decoded[2][KERN_BLOCK]; /* one-byte floats */
};

/* The elements of a side from `at` on. */
INLINE const void *element_floats(const struct kern_sums *s, int side, enum kern_type stored, const void *x, size_t at,
                                  size_t n, uint16_t decoded[KERN_BLOCK])
{
    if (stored != KERN_F8)
        return skip_elements(stored, x, at);
    decode_f8((const unsigned char *)x + at, n, s->values[side], decoded);
    return decoded;
}

INLINE void begin_block(struct block *b, const struct kern_sums *s, enum kern_type stored, const void *t, const void *g,
                        size_t at, size_t n, add_function *add)
{
    b->x = element_floats(s, 0, stored, t, at, n, b->decoded[0]);
    b->y = g ? element_floats(s, 1, stored, g, at, n, b->decoded[1]) : NULL;
    add_block(&b->added, b->x, b->y, n, s->ahead, add);
}

/* A block is checked and kept only after the next one has been added up: otherwise the core is idle while it waits
 * for the last sums. The next block's sums are dropped if this block is not taken. Elements of type `stored` are added
 * as those of `type`. */
INLINE size_t take_blocks(struct kern_sums *s, enum kern_type type, enum kern_type stored, const void *t, const void *g,
                          size_t n, add_function *quick, add_function *careful)
{
    struct block block[2];
    struct state st = {.s = s};
    size_t at = 0;
    int k = 0;
    /* ready: this block is added up already; calm: the block before was taken the fast way */
    bool ready = false, calm = true;
#ifdef KERN_RAW
    st.bits[0] = st.bits[1] = bits_start();
#endif
    while (at < n) {
        size_t part = at_most_a_block(n - at), next = calm ? at_most_a_block(n - at - part) : 0;
        struct block *b = &block[k];
        enum outcome o = AGAIN;
        if (!s->wary) {
            if (!ready)
                begin_block(b, s, stored, t, g, at, part, quick);
            if (next)
                begin_block(&block[1 - k], s, stored, t, g, at + part, next, quick);
            o = keep_block(&st, &b->added, type, b->x, g ? b->y : NULL, part, false);
            s->wary = o == AGAIN ? WARY : 0;
            k = 1 - k;
        }
        calm = o == TAKEN;
        ready = calm && next;
        if (o == AGAIN) {
            begin_block(b, s, stored, t, g, at, part, careful);
            o = keep_block(&st, &b->added, type, b->x, g ? b->y : NULL, part, true);
            s->wary--;
        }
        if (o != TAKEN)
            break;
        s->n += part;
        at += part;
    }
#ifdef KERN_RAW
    for (int side = 0; BY_BITS(type) && at && side < 1 + (g != NULL); side++)
        bits_end(&s->side[side], &st.bits[side], type);
#endif
    return at;
}
