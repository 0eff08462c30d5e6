/* Every kind of deviation that has a name, on data that has it: it is said first, and what the data has not is not
 * said. Rows of elements made here, comparisons on disk where the rest of the dump has to tell, and the samples. */
#include "draws.h"
#include "sessions.h"

#include "diagnose/diagnose.h"
#include "diagnose/diagnosis_case.h"
#include "tensors.h"

enum { A = 8, B = 8, C = 16, N = A * B * C };

static double T[N], G[N];

static uint64_t seed;

/* ---- faults of one tensor of [8,8,16]: batch or experts, tokens or heads, width; T is G with rounding on it ---- */

static void make_noise(void)
{
}

static void make_all_zero(void)
{
    memset(T, 0, sizeof T);
}

static void make_nan(void)
{
    T[100] = NAN;
}

static void make_saturated(void)
{
    for (int i = 7; i < N; i += 50) {
        G[i] = 5e4 + 300 * i;
        T[i] = fmin(G[i], 65504);
    }
}

static void make_limited(void)
{
    for (int i = 0; i < N; i++)
        T[i] = fmin(G[i], 0.5);
}

static void make_bf16_saturated(void)
{
    T[7] = 3.3895313892515355e38;
}

static void make_uninitialised(void)
{
    for (int i = 5 * B * C; i < 6 * B * C; i++)
        T[i] = ldexp(draw_normal(&seed), i % 2 ? 100 : -90);
}

static void make_world_size(void)
{
    for (int i = 0; i < N; i++)
        T[i] /= 8;
}

static void make_offset(void)
{
    for (int i = 0; i < N; i++)
        T[i] += 0.5;
}

static void make_sign(void)
{
    for (int i = 0; i < N; i++)
        T[i] = -T[i];
}

static void make_transposed(void)
{
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++)
            memcpy(&T[(a * B + b) * C], &G[(b * B + a) * C], C * sizeof *T);
}

static void make_heads_interleaved(void) /* the last axis: 4 heads of 4, in turn */
{
    for (int i = 0; i < N; i++)
        T[i] = G[i / C * C + i % C % 4 * 4 + i % C / 4];
}

static void make_shifted(void)
{
    for (int i = 0; i < N; i++)
        T[i] = i / C % B ? G[i - C] : draw_normal(&seed);
}

static void make_rounded(void)
{
    for (int i = 0; i < N; i++)
        T[i] = dtype_round(DTYPE_BF16, G[i]);
}

static void make_dropout(void)
{
    for (int i = 0; i < N; i++)
        T[i] = draw_share(&seed) < 0.1 ? 0 : (double)(float)(G[i] / 0.9);
}

static void make_denormal(void)
{
    for (int i = 0; i < N; i++) {
        G[i] = (double)(float)(G[i] * (i % 3 ? 0x1p-120 : 0x1p-131));
        T[i] = fabs(G[i]) < 0x1p-126 ? 0 : G[i];
    }
}

/* What stands at these indices of an axis is another thing. */
static void spoil(int axis, int from, int to)
{
    for (int i = 0; i < N; i++) {
        int at = axis == 0 ? i / (B * C) : axis == 1 ? i / C % B : i % C;
        T[i] = at >= from && at < to ? G[i] + draw_normal(&seed) : T[i];
    }
}

static void make_padding_tail(void)
{
    spoil(1, 6, B);
}

static void make_one_head(void)
{
    spoil(1, 3, 4);
}

static void make_one_expert(void)
{
    spoil(0, 5, 6);
}

static void make_one_shard(void)
{
    spoil(2, 4, 8); /* a quarter of the width: one rank's of four */
}

#define ONLY(id) (1u << (id))

static const struct fault {
    const char *name;
    void (*make)(void);
    int first;        /* -1: nothing may be said */
    const char *words;
    unsigned also;    /* others that are true as well */
} faults[] = {
    {"rounding alone", make_noise, -1, "", 0},
    {"all zero", make_all_zero, DIAGNOSIS_ALL_ZERO, "", 0},
    {"NaN", make_nan, DIAGNOSIS_NONFINITE, "[0,6,4]", 0},
    {"a limit", make_limited, DIAGNOSIS_ARGUMENT, "at most 0.5", ONLY(DIAGNOSIS_PARTIAL)},
    {"float16 saturation", make_saturated, DIAGNOSIS_SATURATED, "65504", ONLY(DIAGNOSIS_PARTIAL)},
    {"bfloat16 saturation", make_bf16_saturated, DIAGNOSIS_SATURATED, "bfloat16", ONLY(DIAGNOSIS_PARTIAL)},
    {"uninitialised", make_uninitialised, DIAGNOSIS_UNINITIALISED, "", ONLY(DIAGNOSIS_PARTIAL)},
    {"1/world size", make_world_size, DIAGNOSIS_SCALE, "0.125 (2^-3)", 0},
    {"offset", make_offset, DIAGNOSIS_OFFSET, "0.5", 0},
    {"sign", make_sign, DIAGNOSIS_SIGN, "1024 of 1024", 0},
    {"transposed", make_transposed, DIAGNOSIS_PERMUTED, "(1,0,2)", 0},
    {"heads interleaved", make_heads_interleaved, DIAGNOSIS_LAYOUT, "4 × 4", 0},
    {"shifted by one token", make_shifted, DIAGNOSIS_SHIFTED, "axis 1", 0},
    {"rounded", make_rounded, DIAGNOSIS_ROUNDED, "bfloat16", 0},
    {"dropout", make_dropout, DIAGNOSIS_DROPOUT, "1.1111", 0},
    {"denormals", make_denormal, DIAGNOSIS_DENORMAL, "", 0},
    {"a padding tail", make_padding_tail, DIAGNOSIS_PARTIAL, "axis 1: 2 of 8 indices (6–7)", 0},
    {"one head", make_one_head, DIAGNOSIS_PARTIAL, "axis 1: 1 of 8 indices (3)", 0},
    {"one expert", make_one_expert, DIAGNOSIS_PARTIAL, "axis 0: 1 of 8 indices (5)", 0},
    {"one rank's shard", make_one_shard, DIAGNOSIS_PARTIAL, "axis 2: 4 of 16 indices (4–7)", 0},
};

static const char *list(const struct diagnoses *x, struct buf *out)
{
    buf_clear(out);
    for (int i = 0; i < x->n; i++)
        buf_fmt(out, "%s (%s); ", diagnosis_name((enum diagnosis_id)x->v[i].id), x->v[i].evidence);
    return out->n ? out->p : "nothing";
}

/* A dump of one call with this output, and other calls around it. */
static char *dump_of(const char *root, const char *name, const double *v)
{
    struct tensor_dump d;
    static char dir[2][320];
    static float x[N];
    static int at;
    char *path = dir[at++ % 2];
    snprintf(path, sizeof dir[0], "%s/%s", root, name);
    mkdir(path, 0755);
    tensors_begin_at(&d, path);
    uint64_t kept = seed;
    seed = 77;
    for (int k = 0; k < 3; k++) {
        char call[64];
        for (int i = 0; i < N; i++)
            x[i] = (float)(k == 1 && v ? v[i] : draw_normal(&seed));
        snprintf(call, sizeof call, "Functional.linear.%d.forward", k);
        tensors_add(&d, call, "8,8,16", x, N);
    }
    seed = kept;
    tensors_end(&d);
    return path;
}

static void each_says_what_it_is_and_nothing_else(void **state)
{
    struct buf said = {0};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
        const struct fault *f = &faults[i];
        seed = 1000 + i;
        for (int k = 0; k < N; k++) {
            G[k] = (double)(float)draw_normal(&seed);
            T[k] = (double)(float)(G[k] * (1 + 1e-7 * draw_normal(&seed)));
        }
        f->make();
        const char *root = scratch();
        struct session *s = open_paths(dump_of(root, "t", T), dump_of(root, "g", G));
        uint32_t line =
            s->now->pairing->line_of[TARGET][dump_find_row(&s->now->side[TARGET].dump, STR("Functional.linear.1."
                                                                                           "forward.output.0"))];
        struct diagnoses x;
        /* in noise and denormals nothing deviates by the rule: what is told where it would */
        bool calm = !verdict_is_bad(s->now->judged->line[line].verdict);
        if (calm) {
            s->now->judged->line[line].verdict = VERDICT_DEVIATE;
            s->now->judged->line[line].rule = RULE_LIMIT;
        }
        diagnose_line(&x, s->now->judged, &s->now->measure, s->now->flow, line);
        if (f->first < 0 ? x.n : !x.n || x.v[0].id != f->first || !strstr(x.v[0].evidence, f->words))
            fail_msg("%s: %s", f->name, list(&x, &said));
        for (int k = 1; k < x.n; k++)
            if (!(f->also & ONLY(x.v[k].id)))
                fail_msg("%s: %s", f->name, list(&x, &said));
        diagnoses_release(&x);
        shut(s);
    }
    buf_release(&said);
}

/* ---- what the rest of the dump has to tell ---- */

static void floats(float *v, int what)
{
    seed = 500 + (uint64_t)what;
    for (int i = 0; i < N; i++)
        v[i] = (float)draw_normal(&seed);
}

/* The last call holds what the golden side has in the one before. */
static void another_rows_value(void **state)
{
    static float v[N];
    char dir[2][320];
    struct buf said = {0};
    (void)state;
    const char *root = scratch();
    for (int side = 0; side < 2; side++) {
        struct tensor_dump d;
        snprintf(dir[side], sizeof dir[0], "%s/%d", root, side);
        mkdir(dir[side], 0755);
        tensors_begin_at(&d, dir[side]);
        for (int k = 0; k < 3; k++) {
            char call[64];
            floats(v, side == TARGET && k == 2 ? 1 : k);
            snprintf(call, sizeof call, "Functional.linear.%d.forward", k);
            tensors_add(&d, call, "8,8,16", v, N);
        }
        tensors_end(&d);
    }
    struct session *s = open_paths(dir[0], dir[1]);
    struct diagnoses x;
    assert_int_not_equal(s->now->judged->first, NONE);
    diagnose_line(&x, s->now->judged, &s->now->measure, s->now->flow, s->now->judged->first);
    if (!x.n || x.v[0].id != DIAGNOSIS_STALE || !strstr(x.v[0].evidence, "Functional.linear.1.forward.output.0"))
        fail_msg("%s", list(&x, &said));
    diagnoses_release(&x);
    buf_release(&said);
    shut(s);
}

enum { SIDE = 8, PADDED = SIDE + 2, FILTERS = 4 };

struct operand {
    const char *sizes;
    const float *v;
    size_t n;
};

/* A call of up to three inputs. */
static void call_of(struct tensor_dump *d, const char *call, const struct operand *in, int inputs,
                    const struct operand *out)
{
    fprintf(d->json, "%s\"%s\":{\"input_args\":[", d->calls++ ? "," : "", call);
    for (int i = 0; i < inputs; i++) {
        char slot[24];
        snprintf(slot, sizeof slot, "input.%d", i);
        fputs(i ? "," : "", d->json);
        tensors_row(d, call, slot, in[i].sizes, in[i].v, in[i].n);
    }
    fputs("],\"input_kwargs\":{},\"output\":[", d->json);
    tensors_row(d, call, "output.0", out->sizes, out->v, out->n);
    fputs("]}", d->json);
}

/* x with one place more on each side: zeros, or the places inside it reflected. */
static void pad_places(const float *x, bool reflected, float *out)
{
    for (int i = 0; i < PADDED * PADDED; i++) {
        int at[2] = {i / PADDED - 1, i % PADDED - 1};
        bool inside = true;
        for (int a = 0; a < 2; a++) {
            inside = inside && at[a] >= 0 && at[a] < SIDE;
            at[a] = at[a] < 0 ? 1 : at[a] >= SIDE ? SIDE - 2 : at[a];
        }
        out[i] = inside || reflected ? x[at[0] * SIDE + at[1]] : 0;
    }
}

static void convolve(const float *padded, const float *w, float *out)
{
    for (int i = 0; i < FILTERS * SIDE * SIDE; i++) {
        double sum = 0;
        for (int k = 0; k < 9; k++)
            sum += (double)w[i / (SIDE * SIDE) * 9 + k] *
                   (double)padded[(i / SIDE % SIDE + k / 3) * PADDED + i % SIDE + k % 3];
        out[i] = (float)sum;
    }
}

/* One side pads in the convolution and adds the bias after it, the other pads before it. */
static void padding_in_a_call_of_its_own(void **state)
{
    static float x[SIDE * SIDE], w[FILTERS * 9], bias[FILTERS], padded[2][PADDED * PADDED];
    static float bare[2][FILTERS * SIDE * SIDE], out[2][FILTERS * SIDE * SIDE];
    struct buf said = {0};
    (void)state;
    seed = 77;
    for (size_t i = 0; i < ARRAY_LEN(x); i++)
        x[i] = (float)draw_normal(&seed);
    for (size_t i = 0; i < ARRAY_LEN(w); i++)
        w[i] = (float)draw_normal(&seed);
    for (size_t i = 0; i < FILTERS; i++)
        bias[i] = (float)draw_normal(&seed);
    for (int side = 0; side < 2; side++) {
        pad_places(x, side == GOLDEN, padded[side]);
        convolve(padded[side], w, bare[side]);
        for (size_t i = 0; i < ARRAY_LEN(out[0]); i++)
            out[side][i] = bare[side][i] + bias[i / (SIDE * SIDE)];
    }
    char dir[2][320];
    const char *root = scratch();
    for (int side = 0; side < 2; side++) {
        struct tensor_dump d;
        const struct operand image = {"1,1,8,8", x, ARRAY_LEN(x)}, weight = {"4,1,3,3", w, ARRAY_LEN(w)},
                             term = {"4", bias, FILTERS};
        const struct operand wide = {"1,1,10,10", padded[side], ARRAY_LEN(padded[0])},
                             result = {"1,4,8,8", out[side], ARRAY_LEN(out[0])};
        const struct operand product = {"1,4,8,8", bare[side], ARRAY_LEN(bare[0])};
        snprintf(dir[side], sizeof dir[0], "%s/%d", root, side);
        mkdir(dir[side], 0755);
        tensors_begin_at(&d, dir[side]);
        if (side == TARGET) {
            call_of(&d, "Functional.convolution.0.forward", (const struct operand[]){image, weight}, 2, &product);
            call_of(&d, "Functional.bias_add.0.forward", (const struct operand[]){product, term}, 2, &result);
        } else {
            call_of(&d, "Functional.pad.0.forward", &image, 1, &wide);
            call_of(&d, "Functional.conv2d.0.forward", (const struct operand[]){wide, weight, term}, 3, &result);
        }
        tensors_pass(&d, "Functional.relu.0.forward", "1,4,8,8", out[side], out[side], ARRAY_LEN(out[0]));
        tensors_end(&d);
    }
    struct session *s = open_paths(dir[0], dir[1]);
    struct diagnoses found;
    assert_int_not_equal(s->now->judged->first, NONE);
    diagnose_line(&found, s->now->judged, &s->now->measure, s->now->flow, s->now->judged->first);
    if (!found.n || found.v[0].id != DIAGNOSIS_ARGUMENT ||
        !strstr(found.v[0].evidence, "padded with zeros on the target") ||
        !strstr(found.v[0].evidence, "padded with reflect on the golden side"))
        fail_msg("%s", list(&found, &said));
    diagnoses_release(&found);
    buf_release(&said);
    shut(s);
}

/* Calls written for both sides, compared: what is said where they part first. The caller releases it. */
static struct diagnoses said_of(void (*write)(struct tensor_dump *d, int side))
{
    char dir[2][320];
    const char *root = scratch();
    struct diagnoses x;
    for (int side = 0; side < 2; side++) {
        struct tensor_dump d;
        snprintf(dir[side], sizeof dir[0], "%s/%d", root, side);
        mkdir(dir[side], 0755);
        tensors_begin_at(&d, dir[side]);
        write(&d, side);
        tensors_end(&d);
    }
    struct session *s = open_paths(dir[0], dir[1]);
    assert_int_not_equal(s->now->judged->first, NONE);
    diagnose_line(&x, s->now->judged, &s->now->measure, s->now->flow, s->now->judged->first);
    shut(s);
    return x;
}

static void expect_said(void (*write)(struct tensor_dump *d, int side), enum diagnosis_id id, const char *words)
{
    struct diagnoses x = said_of(write);
    struct buf said = {0};
    int i = 0;
    while (i < x.n && (x.v[i].id != id || !strstr(x.v[i].evidence, words)))
        i++;
    if (i == x.n)
        fail_msg("%s (%s) expected, said: %s", diagnosis_name(id), words, list(&x, &said));
    for (i = 0; i < x.n; i++)
        assert_true(x.v[i].score > 0 && x.v[i].score <= 1);
    buf_release(&said);
    diagnoses_release(&x);
}

/* A fused kernel, [batch, heads, tokens, size]: the target's multiplies its scores by twice as much and hides what
 * comes later; no argument says so. */
static void write_kernel(struct tensor_dump *d, int side)
{
    enum { HEADS = 2, TOKENS = 8, SIZE = 16, ALL = HEADS * TOKENS * SIZE };
    static float x[3][ALL], o[ALL];
    struct operand in[3], out = {"1,2,8,16", o, ALL};
    seed = 91;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < ALL; k++)
            x[i][k] = (float)draw_normal(&seed);
        in[i] = (struct operand){"1,2,8,16", x[i], ALL};
    }
    for (int r = 0; r < HEADS * TOKENS; r++) {
        const float *q = x[0] + r * SIZE, *k = x[1] + r / TOKENS * TOKENS * SIZE,
                    *v = x[2] + r / TOKENS * TOKENS * SIZE;
        int seen = side == TARGET ? r % TOKENS + 1 : TOKENS;
        double p[TOKENS], sum = 0, value[SIZE] = {0};
        for (int t = 0; t < seen; t++) {
            p[t] = 0;
            for (int c = 0; c < SIZE; c++)
                p[t] += (double)q[c] * (double)k[t * SIZE + c];
            sum += p[t] = exp(p[t] * (side == TARGET ? 0.5 : 0.25));
        }
        for (int t = 0; t < seen; t++)
            for (int c = 0; c < SIZE; c++)
                value[c] += p[t] / sum * (double)v[t * SIZE + c];
        for (int c = 0; c < SIZE; c++)
            o[r * SIZE + c] = (float)value[c];
    }
    call_of(d, "Functional.scaled_dot_product_attention.0.forward", in, 3, &out);
}

static void a_kernel_is_computed_anew(void **state)
{
    (void)state;
    expect_said(write_kernel, DIAGNOSIS_SCALE, "multiplied by 0.5 on the target and by 0.25");
    expect_said(write_kernel, DIAGNOSIS_MASK, "the target applies the causal mask, the golden side no mask");
}

/* The gradient of a value that two calls read: the target lacks what the one behind gave, and `row_off`: one of its
 * strongest rows lacks something else as well. */
static bool row_off;

static void write_sum(struct tensor_dump *d, int side)
{
    static float first[N], second[N], sum[N];
    floats(first, 1);
    floats(second, 2);
    for (int i = 0; i < N; i++) {
        bool strong = i / C == 5;
        first[i] = copysignf(strong ? 1.25F : 1, first[i]);
        sum[i] = second[i] + (side == GOLDEN ? first[i] : 0);
        if (row_off && side == GOLDEN && strong)
            sum[i] += copysignf(0.72F, i % 2 ? first[i] : -first[i]);
    }
    tensors_add(d, "Functional.silu.0.backward", "8,8,16", first, N);
    tensors_add(d, "Functional.linear.0.backward", "8,8,16", sum, N);
}

static void a_contribution_that_is_missing(void **state)
{
    (void)state;
    expect_said(write_sum, DIAGNOSIS_ZERO_GRADIENT, "on the target side, exactly the contribution of "
                                                    "Functional.silu.0.backward.output.0 is missing");
    row_off = true;
    struct diagnoses x = said_of(write_sum);
    for (int i = 0; i < x.n; i++)
        assert_int_not_equal(x.v[i].id, DIAGNOSIS_ZERO_GRADIENT);
    diagnoses_release(&x);
    row_off = false;
}

/* Calls only the target recorded, and then an input that deviates; without them it is no gap. */
static void out_of_a_gap(void **state)
{
    static float in[N], out[N];
    struct buf said = {0};
    (void)state;
    for (int gap = 0; gap < 2; gap++) {
        char dir[2][320];
        const char *root = scratch();
        for (int side = 0; side < 2; side++) {
            struct tensor_dump d;
            snprintf(dir[side], sizeof dir[0], "%s/%d", root, side);
            mkdir(dir[side], 0755);
            tensors_begin_at(&d, dir[side]);
            floats(out, 1);
            tensors_add(&d, "Functional.linear.0.forward", "8,8,16", out, N);
            floats(in, 2);
            if (side == TARGET && gap)
                tensors_pass(&d, "Functional.conv2d.0.forward", "8,8,16", out, in, N);
            floats(in, side == TARGET ? 3 : 4);
            floats(out, side == TARGET ? 5 : 6);
            tensors_pass(&d, "Functional.relu.0.forward", "8,8,16", in, out, N);
            tensors_end(&d);
        }
        struct session *s = open_paths(dir[0], dir[1]);
        struct diagnoses x;
        assert_int_not_equal(s->now->judged->first, NONE);
        diagnose_line(&x, s->now->judged, &s->now->measure, s->now->flow, s->now->judged->first);
        bool is = x.n && x.v[0].id == DIAGNOSIS_GAP;
        if (is != (gap == 1))
            fail_msg("%s gap: %s", gap ? "a" : "no", list(&x, &said));
        diagnoses_release(&x);
        shut(s);
    }
    buf_release(&said);
}

/* ---- the samples ---- */

static const struct accepted {
    const char *target, *golden;
    unsigned
        one_of; /* said at the first deviation's call; 0: nothing deviates there, and nothing is diagnosed anywhere */
    unsigned others;  /* true as well */
} samples[] = {
    {"tt_backward/target", "tt_backward/bench", ONLY(DIAGNOSIS_ZERO_GRADIENT), ONLY(DIAGNOSIS_PARTIAL) | ONLY(DIAGNOSIS_ALL_ZERO)},
    {"llama_weight/ms", "llama_weight/torch", ONLY(DIAGNOSIS_WEIGHTS_FIRST), ONLY(DIAGNOSIS_PERMUTED) | ONLY(DIAGNOSIS_PARTIAL)},
    {"tt_bf16/target", "tt_bf16/bench", ONLY(DIAGNOSIS_WEIGHTS_FIRST) | ONLY(DIAGNOSIS_PERMUTED) | ONLY(DIAGNOSIS_LAYOUT), ONLY(DIAGNOSIS_PARTIAL)},
    {"msdump/ms/statistic/rank_0/Llama/0/0", "msdump/torch/statistics/step0", ONLY(DIAGNOSIS_EPSILON), ONLY(DIAGNOSIS_OFFSET) | ONLY(DIAGNOSIS_SCALE) | ONLY(DIAGNOSIS_GAP)},
    {"tt_dropout/target", "tt_dropout/bench", ONLY(DIAGNOSIS_DROPOUT), 0},
    {"tt_nan_mask/target", "tt_nan_mask/bench", ONLY(DIAGNOSIS_MASK) | ONLY(DIAGNOSIS_NONFINITE), ONLY(DIAGNOSIS_PARTIAL)},
    {"tt_rope/target", "tt_rope/bench", ONLY(DIAGNOSIS_ROPE) | ONLY(DIAGNOSIS_ROUNDED), 0},
    {"overflow_stat/ms", "overflow_stat/torch", ONLY(DIAGNOSIS_SATURATED) | ONLY(DIAGNOSIS_NONFINITE), 0},
    {"noise_tf32_stat/target", "noise_tf32_stat/bench", 0, 0},
    {"clean_mix_stat/ms", "clean_mix_stat/torch", 0, 0},
};

/* What is said of the rows of the first deviation's call, as bits. */
static unsigned said_at_first(struct session *s, struct buf *words)
{
    const struct judgement *j = s->now->judged;
    unsigned ids = 0;
    uint32_t row = s->now->pairing->lines.v[j->first].row[TARGET];
    EACH_ROW(&s->now->side[TARGET].dump, s->now->side[TARGET].dump.rows.v[row].call, r) {
        struct diagnoses x;
        diagnose_line(&x, j, &s->now->measure, s->now->flow, s->now->pairing->line_of[TARGET][r]);
        for (int i = 0; i < x.n; i++) {
            ids |= ONLY(x.v[i].id);
            buf_fmt(words, "%s ", diagnosis_name((enum diagnosis_id)x.v[i].id));
        }
        diagnoses_release(&x);
    }
    return ids;
}

static void samples_are_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
        const struct accepted *q = &samples[i];
        struct session *s = open_paths(sample(q->target), sample(q->golden));
        struct buf words = {0};
        buf_cstr(&words, "");
        if ((s->now->judged->first == NONE) != !q->one_of)
            fail_msg("%s: first deviation %u", q->target, s->now->judged->first);
        for (uint32_t k = 0; !q->one_of && k < s->now->judged->lines; k++)
            assert_false(diagnose_possible(s->now->judged, &s->now->measure, k) &&
                         verdict_is_bad(s->now->judged->line[k].verdict) &&
                         !(s->now->judged->line[k].flags & LINE_DOUBTFUL));
        unsigned said = q->one_of ? said_at_first(s, &words) : 0;
        if ((q->one_of && !(said & q->one_of)) || said & ~(q->one_of | q->others))
            fail_msg("%s: %s", q->target, words.p);
        buf_release(&words);
        shut(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_says_what_it_is_and_nothing_else),
        cmocka_unit_test(another_rows_value),
        cmocka_unit_test(padding_in_a_call_of_its_own),
        cmocka_unit_test(a_kernel_is_computed_anew),
        cmocka_unit_test(a_contribution_that_is_missing),
        cmocka_unit_test(out_of_a_gap),
        cmocka_unit_test(samples_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
