/* The one text all variants are compiled from. The including file gives KERN_NAME, KERN_TAG,
 * KERN_WIDTH, the floats one register holds, and where the machine has them KERN_MAX and KERN_MIN. A block's KERN_LANES lanes are worked on KERN_WIDTH at a
 * time, so that all sums of a pass stay in registers (the block itself stays in the first cache). Which
 * element is added to which lane does not depend on the width, so all variants give the same bits.
 * Vectors are the GNU extension that gcc and clang share. */
#include <string.h>

#include "num/kern.h"

#define L KERN_LANES
#define W KERN_WIDTH

typedef float vf __attribute__((vector_size(sizeof(float) * W)));
typedef int32_t vi __attribute__((vector_size(sizeof(float) * W)));

static inline vf load(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline vf all(float x)
{
    return x - (vf){0};
}

static inline vf absolute(vf x)
{
    return (vf)((vi)x & 0x7fffffff);
}

static inline vf pick(vi mask, vf yes, vf no)
{
    return (vf)((mask & (vi)yes) | (~mask & (vi)no));
}

/* Where NaN is about, these may differ between machines: figures.c takes such a block another way. */
#ifdef KERN_MAX
#define larger(x, than) ((vf)KERN_MAX(x, than))
#define smaller(x, than) ((vf)KERN_MIN(x, than))
#else
static inline vf larger(vf x, vf than)
{
    return pick(x > than, x, than);
}

static inline vf smaller(vf x, vf than)
{
    return pick(x < than, x, than);
}
#endif

/* Lanes are added as a tree, in one order for every width. */
static inline double add_lanes(const vf v[L / W])
{
    float lane[L];
    double t[L / 2];
    memcpy(lane, v, sizeof lane);
    for (int i = 0; i < L / 2; i++)
        t[i] = (double)lane[i] + (double)lane[i + L / 2];
    for (int half = L / 4; half; half /= 2)
        for (int i = 0; i < half; i++)
            t[i] += t[i + half];
    return t[0];
}

static inline uint32_t count_lanes(const vi v[L / W])
{
    int32_t lane[L], s = 0;
    memcpy(lane, v, sizeof lane);
    for (int i = 0; i < L; i++)
        s -= lane[i];
    return (uint32_t)s;
}

static inline float max_lane(const vf v[L / W])
{
    float lane[L];
    memcpy(lane, v, sizeof lane);
    for (int half = L / 2; half; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] = lane[i + half] > lane[i] ? lane[i + half] : lane[i];
    return lane[0];
}

static inline float min_lane(const vf v[L / W])
{
    float lane[L];
    memcpy(lane, v, sizeof lane);
    for (int half = L / 2; half; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] = lane[i + half] < lane[i] ? lane[i + half] : lane[i];
    return lane[0];
}

/* The block in whole lanes: behind its end stand copies of `fill`. */
static const float *whole(const float *x, size_t *n, float fill, float tmp[KERN_BLOCK])
{
    size_t up = (*n + L - 1) / L * L;
    if (up == *n)
        return x;
    memcpy(tmp, x, *n * sizeof *x);
    for (size_t i = *n; i < up; i++)
        tmp[i] = fill;
    *n = up;
    return tmp;
}

static void one(const float *x, size_t n, struct kern_one *out)
{
    float tmp[KERN_BLOCK];
    vf sum[L / W], sq[L / W], max[L / W], min[L / W];
    vi zero[L / W];
    size_t up = n;
    const float *p = whole(x, &up, 0, tmp);
    for (int w = 0; w < L / W; w++) {
        vf s = {0}, q = {0}, hi = all(x[0]), lo = hi;
        vi z = {0};
        for (size_t i = (size_t)w * W; i < up; i += L) {
            vf v = load(p + i);
            s += v;
            q += v * v;
            hi = larger(v, hi);
            lo = smaller(v, lo);
            z += v == 0;
        }
        sum[w] = s;
        sq[w] = q;
        max[w] = hi;
        min[w] = lo;
        zero[w] = z;
    }
    *out = (struct kern_one){
        .sum = add_lanes(sum),
        .sq = add_lanes(sq),
        .max = max_lane(max),
        .min = min_lane(min),
        .zero = count_lanes(zero) - (uint32_t)(up - n),
    };
    if (up != n) { /* the zeros behind the end may pose as extremes: look at the real ones */
        out->max = out->min = x[0];
        for (size_t i = 1; i < n; i++) {
            out->max = x[i] > out->max ? x[i] : out->max;
            out->min = x[i] < out->min ? x[i] : out->min;
        }
    }
}

static void two(const float *t, const float *g, size_t n, float eps, struct kern_two *out)
{
    float tmp[2][KERN_BLOCK];
    vf ds[L / W], se[L / W], most[L / W], worst[L / W], small = all(eps);
    vi n1[L / W], n5[L / W], upper[2][L / W];
    size_t up = n, same = n;
    const float *a = whole(t, &up, 0, tmp[0]), *b = whole(g, &same, 0, tmp[1]);
    for (int w = 0; w < L / W; w++) {
        vf s = {0}, q = {0}, m = {0}, r = {0};
        vi c1 = {0}, c5 = {0}, u1 = {0}, u5 = {0};
        for (size_t i = (size_t)w * W; i < up; i += L) {
            vf x = load(a + i), y = load(b + i), d = x - y, e = absolute(d), size = absolute(y);
            vf rel = e / (vf)((vi)size | ((vi)small & (size == 0)));
            s += d * (x + y);
            q += d * d;
            m = larger(e, m);
            r = larger(rel, r);
            c1 += rel < 0.001f - 2e-9f;
            u1 += rel < 0.001f + 2e-9f;
            c5 += rel < 0.005f - 1e-8f;
            u5 += rel < 0.005f + 1e-8f;
        }
        ds[w] = s;
        se[w] = q;
        most[w] = m;
        worst[w] = r;
        n1[w] = c1;
        n5[w] = c5;
        upper[0][w] = u1;
        upper[1][w] = u5;
    }
    *out = (struct kern_two){
        .ds = add_lanes(ds),
        .se = add_lanes(se),
        .max_abs = max_lane(most),
        .max_rel = max_lane(worst),
        .n1 = count_lanes(n1) - (uint32_t)(up - n),
        .n5 = count_lanes(n5) - (uint32_t)(up - n),
        .unsure = count_lanes(upper[0]) + count_lanes(upper[1]) - count_lanes(n1) - count_lanes(n5),
    };
}

static double plain_read(const float *x, size_t n)
{
    vf s[4] = {{0}, {0}, {0}, {0}};
    double sum = 0;
    for (size_t i = 0; i + 4 * W <= n; i += 4 * W)
        for (int k = 0; k < 4; k++)
            s[k] += load(x + i + k * W);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < W; i++)
            sum += (double)s[k][i];
    return sum;
}

const struct kern KERN_TAG = {KERN_NAME, one, two, plain_read};
