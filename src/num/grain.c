/* One pass over both tensors, ended by the first elements that need all bits: nearly always in the first block. */
#include "num/grain.h"

#include "base/msg.h"

#define BLOCK 1024
#define LEAST 64       /* elements other than 0: fewer may be round by chance or by nature */
#define FINE 0.75      /* of the other side's: rounding leaves one in 2^13 as it is */
#define LARGEST 0.1    /* rel L2 beyond which no limit has to be doubted */
#define BRAIN 0xffffU  /* bits of a float32 that bfloat16 has not */
#define HALF 0x1fffU   /* and float16 */
/* the last bit bfloat16 has: what was rounded uses it as often as not, small whole numbers never */
#define BRAIN_LAST 0x10000U
#define HALF_LAST 0x2000U
#define LAST 4         /* one in so many has to use it */

#define SAMPLED 16     /* blocks, where only a part of a side can be coarse */
#define PART 8         /* of them in which so many are it */

struct grains {
    uint32_t bits[2]; /* any element of a side has, of those a coarser type has not */
    uint64_t all[2], fine[2], last[2][2]; /* last: that use the last bit bfloat16, float16 has */
};

bool grain_possible(const struct tensor *t, const struct tensor *g, const struct figures *f)
{
    return t->dtype == DTYPE_F32 && g->dtype == DTYPE_F32 && f->two && !f->masked && t->numel >= LEAST &&
           f->rel_l2 > dtype_table[DTYPE_F32].epsilon && f->rel_l2 < LARGEST;
}

static void take(struct grains *x, int s, const uint32_t *v, long n)
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

static int walk(struct grains *x, const struct tensor *const side[2], struct figures_watch *watch, struct err *e)
{
    struct tensor_walk w[2];
    uint32_t v[BLOCK];
    int rc = 0;
    for (int s = 0; s < 2; s++)
        tensor_walk_init(&w[s], side[s]);
    for (uint64_t at = 0; at < side[0]->numel && rc == 0 && !both_fine(x); at += BLOCK) {
        if (watch && atomic_load_explicit(&watch->cancel, memory_order_relaxed))
            rc = err_set(e, ERR_CANCEL, "%s", _("stopped"));
        for (int s = 0; s < 2 && rc == 0; s++) {
            long got = tensor_walk_next(&w[s], v, BLOCK, e);
            rc = got < 0 ? -1 : 0;
            take(x, s, v, got);
        }
    }
    for (int s = 0; s < 2; s++)
        tensor_walk_release(&w[s]);
    return rc;
}

/* Elements that are round where the other side's are not, and not as the one before: a constant may be round by
 * nature. */
struct round_part {
    uint32_t before[2];
    uint64_t brain[2], half[2], last[2][2], all;
};

static void take_part(struct round_part *x, const uint32_t *v[2], long n)
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
    x->all += (uint64_t)n;
}

/* A few blocks spread over both sides. */
static int sample_part(struct round_part *x, const struct tensor *const side[2], struct err *e)
{
    struct tensor_walk w[2];
    uint32_t v[2][BLOCK];
    uint64_t n = side[0]->numel, step = n > (uint64_t)SAMPLED * BLOCK ? n / SAMPLED : BLOCK;
    int rc = 0;
    for (int s = 0; s < 2; s++)
        tensor_walk_init(&w[s], side[s]);
    for (uint64_t at = 0; at < n && rc == 0; at += step) {
        long got[2] = {0, 0};
        for (int s = 0; s < 2 && rc == 0; s++) {
            tensor_walk_seek(&w[s], at);
            got[s] = tensor_walk_next(&w[s], v[s], BLOCK, e);
            rc = got[s] < 0 ? -1 : 0;
        }
        if (rc == 0)
            take_part(x, (const uint32_t *[]){v[0], v[1]}, got[0] < got[1] ? got[0] : got[1]);
    }
    for (int s = 0; s < 2; s++)
        tensor_walk_release(&w[s]);
    return rc;
}

/* So many are round, and so many of them to the last bit of the type. */
static bool is_part(const struct round_part *x, uint64_t round, uint64_t last)
{
    return round >= LEAST && round >= x->all / PART && last >= round / LAST;
}

static enum dtype part_of(const struct round_part *x, int s)
{
    return is_part(x, x->brain[s], x->last[s][0])  ? DTYPE_BF16
           : is_part(x, x->half[s], x->last[s][1]) ? DTYPE_F16
                                                   : DTYPE_UNKNOWN;
}

int grain_look(const struct tensor *t, const struct tensor *g, struct figures *f, struct figures_watch *watch,
               struct err *e)
{
    const struct tensor *side[2] = {t, g};
    struct grains x = {.bits = {0, 0}};
    if (walk(&x, side, watch, e))
        return -1;
    for (int s = 0; s < 2; s++) {
        bool coarse = !(x.bits[s] & HALF) && x.all[s] >= LEAST && x.last[s][x.bits[s] != 0] >= x.all[s] / LAST &&
                      (double)x.fine[!s] >= FINE * (double)x.all[!s];
        f->kept[s] = !coarse ? DTYPE_UNKNOWN : x.bits[s] ? DTYPE_F16 : DTYPE_BF16;
    }
    struct round_part part = {.all = 0};
    if (f->kept[0] || f->kept[1])
        return 0;
    if (sample_part(&part, side, e))
        return -1;
    for (int s = 0; s < 2; s++)
        if (part_of(&part, s) && !part_of(&part, !s))
            f->kept[s] = KEPT_PART | (uint8_t)part_of(&part, s);
    return 0;
}
