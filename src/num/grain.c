/* Reads both tensors once, stopping when elements of both sides need all bits: nearly always at the first ones. */
#include "num/grain.h"

#include "base/msg.h"

#define BLOCK 1024
#define AT_ONCE 64    /* elements examined before checking whether more are needed */
#define LEAST 64       /* nonzero elements needed: fewer may be round by chance */
/* share of the other side's elements that must need all bits (rounding leaves one in 2^13 unchanged) */
#define FINE 0.75
#define LARGEST 0.1    /* with a larger rel_l2 the sides differ anyway */
#define BRAIN 0xffffU  /* bits of a float32 that bfloat16 lacks */
#define HALF 0x1fffU   /* bits that float16 lacks */
/* the last bit that bfloat16 has: rounded values set it half of the time, small integers never */
#define BRAIN_LAST 0x10000U
#define HALF_LAST 0x2000U
#define LAST 4         /* one in 4 has to set it */

#define SAMPLED 16     /* blocks sampled if only part of a side can be coarse */
#define PART 8         /* a part is an eighth */

/* Both sides, read in blocks; the current block is not read again. */
struct side_blocks {
    const struct tensor *side[2];
    struct tensor_walk walk[2];
    uint32_t v[2][BLOCK];
    uint64_t at;
    long n; /* elements of v; 0: nothing is read yet */
    struct figures_watch *watch;
};

static void blocks_open(struct side_blocks *b, const struct tensor *t, const struct tensor *g,
                        struct figures_watch *watch)
{
    b->side[0] = t;
    b->side[1] = g;
    b->at = 0;
    b->n = 0;
    b->watch = watch;
    for (int s = 0; s < 2; s++)
        tensor_walk_init(&b->walk[s], b->side[s]);
}

static void blocks_close(struct side_blocks *b)
{
    for (int s = 0; s < 2; s++)
        tensor_walk_release(&b->walk[s]);
}

/* Reads the block that begins at an element. */
static int block_at(struct side_blocks *b, uint64_t at, struct err *e)
{
    if (b->n && b->at == at)
        return 0;
    if (b->watch && atomic_load_explicit(&b->watch->cancel, memory_order_relaxed))
        return err_set(e, ERR_CANCEL, "%s", _("stopped"));
    long got[2] = {0, 0};
    for (int s = 0; s < 2; s++) {
        if (at != b->at + (uint64_t)b->n)
            tensor_walk_seek(&b->walk[s], at);
        got[s] = tensor_walk_next(&b->walk[s], b->v[s], BLOCK, e);
        if (got[s] < 0)
            return -1;
    }
    b->at = at;
    b->n = got[0] < got[1] ? got[0] : got[1];
    return 0;
}

struct grains {
    uint32_t bits[2]; /* bits beyond the coarser type that occur in any element of a side */
    uint64_t all[2], fine[2], last[2][2]; /* last: elements that set the last bit of bfloat16, float16 */
};

bool grain_possible(const struct tensor *t, const struct tensor *g, const struct figures *f)
{
    return t->dtype == DTYPE_F32 && g->dtype == DTYPE_F32 && f->two && !f->masked && t->numel >= LEAST &&
           f->rel_l2 > dtype_table[DTYPE_F32].epsilon && f->rel_l2 < LARGEST;
}

static void count_grains(struct grains *x, int s, const uint32_t *v, long n)
{
    for (long i = 0; i < n; i++) {
        x->bits[s] |= v[i] & BRAIN;
        x->all[s] += (v[i] << 1) != 0;
        x->fine[s] += (v[i] & HALF) != 0;
        x->last[s][0] += (v[i] & BRAIN_LAST) != 0;
        x->last[s][1] += (v[i] & HALF_LAST) != 0;
    }
}

static bool both_fine(const struct grains *x)
{
    return (x->bits[0] & HALF) && (x->bits[1] & HALF);
}

static int count_all_grains(struct grains *x, struct side_blocks *b, struct err *e)
{
    for (uint64_t at = 0; at < b->side[0]->numel && !both_fine(x); at += BLOCK) {
        if (block_at(b, at, e))
            return -1;
        for (long i = 0; i < b->n && !both_fine(x); i += AT_ONCE)
            for (int s = 0; s < 2; s++)
                count_grains(x, s, b->v[s] + i, b->n - i < AT_ONCE ? b->n - i : AT_ONCE);
    }
    return 0;
}

/* Elements that are round where the other side's are not and that differ from their predecessor (a constant may be
 * round by nature). */
struct round_part {
    uint32_t before[2];
    uint64_t brain[2], half[2], last[2][2], all;
    uint64_t round[2]; /* round, whatever the other side's are */
};

static void take_part(struct round_part *x, uint32_t v[2][BLOCK], long n)
{
    for (long i = 0; i < n; i++)
        for (int s = 0; s < 2; s++) {
            bool round = !(v[s][i] & HALF) && (v[!s][i] & HALF) && v[s][i] != x->before[s];
            bool brain = round && !(v[s][i] & BRAIN);
            x->half[s] += round;
            x->brain[s] += brain;
            x->last[s][0] += brain && v[s][i] & BRAIN_LAST;
            x->last[s][1] += round && v[s][i] & HALF_LAST;
            x->before[s] = round ? v[s][i] : x->before[s];
        }
}

static void count_round(struct round_part *x, uint32_t v[2][BLOCK], long n)
{
    uint32_t round[2] = {0, 0};
    for (long i = 0; i < n; i++) {
        round[0] += !(v[0][i] & HALF);
        round[1] += !(v[1][i] & HALF);
    }
    x->round[0] += round[0];
    x->round[1] += round[1];
    x->all += (uint64_t)n;
}

/* So many are enough to be a part. */
static bool is_enough(const struct round_part *x, uint64_t round)
{
    return round >= LEAST && round >= x->all / PART;
}

/* A few blocks spread over both sides: first whether there are enough round elements at all, which is rare, then
 * which. */
static int sample_part(struct round_part *x, struct side_blocks *b, struct err *e)
{
    const uint64_t n = b->side[0]->numel, step = n > (uint64_t)SAMPLED * BLOCK ? n / SAMPLED : BLOCK;
    for (uint64_t at = 0; at < n; at += step) {
        if (block_at(b, at, e))
            return -1;
        count_round(x, b->v, b->n);
    }
    if (!is_enough(x, x->round[0]) && !is_enough(x, x->round[1]))
        return 0;
    for (uint64_t at = 0; at < n; at += step) {
        if (block_at(b, at, e))
            return -1;
        take_part(x, b->v, b->n);
    }
    return 0;
}

/* Whether enough elements are round, and enough of those use the coarser type's last bit. */
static bool is_round_part(const struct round_part *x, uint64_t round, uint64_t last)
{
    return is_enough(x, round) && last >= round / LAST;
}

static enum dtype round_part_type(const struct round_part *x, int s)
{
    return is_round_part(x, x->brain[s], x->last[s][0])  ? DTYPE_BF16
           : is_round_part(x, x->half[s], x->last[s][1]) ? DTYPE_F16
                                                         : DTYPE_UNKNOWN;
}

static int look_for_grains(struct side_blocks *b, struct figures *f, struct err *e)
{
    struct grains x = {.bits = {0, 0}};
    struct round_part part = {.all = 0};
    if (count_all_grains(&x, b, e))
        return -1;
    for (int s = 0; s < 2; s++) {
        bool coarse = !(x.bits[s] & HALF) && x.all[s] >= LEAST && x.last[s][x.bits[s] != 0] >= x.all[s] / LAST &&
                      (double)x.fine[!s] >= FINE * (double)x.all[!s];
        f->kept[s] = !coarse ? DTYPE_UNKNOWN : x.bits[s] ? DTYPE_F16 : DTYPE_BF16;
    }
    if (f->kept[0] || f->kept[1])
        return 0;
    if (sample_part(&part, b, e))
        return -1;
    for (int s = 0; s < 2; s++)
        if (round_part_type(&part, s) && !round_part_type(&part, !s))
            f->kept[s] = KEPT_PART | (uint8_t)round_part_type(&part, s);
    return 0;
}

int grain_look(const struct tensor *t, const struct tensor *g, struct figures *f, struct figures_watch *watch,
               struct err *e)
{
    struct side_blocks b;
    blocks_open(&b, t, g, watch);
    int rc = look_for_grains(&b, f, e);
    blocks_close(&b);
    return rc;
}
