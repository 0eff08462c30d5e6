/* Recognises tables by their figures alone, and writes the script that computes their formula on several devices. */
#include "report/source_script.h"

#include <math.h>

#include "base/embed.h"
#include "base/num.h"
#include "base/tool.h"

#define NEAR 0.02      /* figures are those of the formula: rounded to the type, or computed slightly wrong */
#define TABLE_MOST (1u << 21) /* elements of a table whose figures are computed here */

enum source_kind { SOURCE_NONE, SOURCE_FREQUENCIES, SOURCE_COS, SOURCE_SIN, SOURCE_SLOPES, SOURCE_POSITIONS,
                   SOURCE_MASK };

struct source {
    enum source_kind kind;
    uint64_t n;     /* frequencies, positions, heads, or the length of a mask */
    uint64_t width; /* of a cos or sin table */
    double base;    /* of the rotation */
    double low;     /* what a mask adds to hidden places */
};

struct figures_known {
    double max, min, mean, norm; /* mean and norm NaN: not recorded */
    const struct shape *shape;
};

static bool is_near_figure(double a, double b)
{
    return isnan(a) || fabs(a - b) <= NEAR * fmax(fabs(b), 1e-6);
}

/* A module of rotary tables: how it computes them was not recorded. */
static bool makes_table(const struct call *c)
{
    return c->kind == CALL_MODULE && str_ihas(str_n(c->name, c->name_len), "rotary");
}

/* Figures of a row's tensor, recorded or computed. */
static bool find_known_figures(const struct comparison *s, uint32_t line, int side, struct figures_known *out)
{
    uint32_t row = s->pairing->lines.v[line].row[side];
    const struct dump *d = &s->side[side].dump;
    const struct row *r = row == NONE ? NULL : &d->rows.v[row];
    const struct side_figures *f = comparison_figures(s, line, side);
    if (!r || r->kind != ROW_TENSOR || d->calls.v[r->call].phase != PHASE_FORWARD ||
        (r->io == IO_OUTPUT && !makes_table(&d->calls.v[r->call])))
        return false;
    *out = (struct figures_known){.shape = dump_row_shape(d, row)};
    double *const to[] = {&out->max, &out->min, &out->mean, &out->norm};
    static const struct {
        int bit, stat;
    } from[] = {{HAS_MAX, STAT_MAX}, {HAS_MIN, STAT_MIN}, {HAS_MEAN, STAT_MEAN}, {HAS_NORM, STAT_NORM}};
    for (size_t i = 0; i < ARRAY_LEN(from); i++)
        *to[i] = r->has & from[i].bit ? r->stat[from[i].stat] : NAN;
    if (f)
        *out = (struct figures_known){f->max, f->min, f->mean, f->norm, out->shape};
    return out->shape && out->shape->numel > 1 && isfinite(out->max) && isfinite(out->min);
}

static double nice_base(double base)
{
    static const double usual[] = {1000, 5000, 10000, 25000, 50000, 100000, 500000, 1e6, 5e6, 1e7};
    for (size_t i = 0; i < ARRAY_LEN(usual); i++)
        if (fabs(base - usual[i]) <= NEAR * usual[i])
            return usual[i];
    return 0;
}

/* The number of axes longer than 1, and the longest. */
static int count_long_axes(const struct shape *s, uint64_t *longest)
{
    int n = 0;
    *longest = 1;
    for (int i = 0; i < s->ndim; i++) {
        n += s->dim[i] > 1;
        *longest = (uint64_t)s->dim[i] > *longest ? (uint64_t)s->dim[i] : *longest;
    }
    return n;
}

/* base^(-i/n): the smallest tells the base. */
static bool recognise_frequencies(const struct figures_known *f, struct source *out)
{
    uint64_t n;
    double sum = 0, square = 0;
    if (count_long_axes(f->shape, &n) != 1 || n < 2 || !is_near_figure(f->max, 1) || !(f->min > 0) || !(f->min < 0.5))
        return false;
    double base = nice_base(pow(f->min, -(double)n / (double)(n - 1)));
    for (uint64_t i = 0; i < n && base > 0; i++) {
        double v = pow(base, -(double)i / (double)n);
        sum += v;
        square += v * v;
    }
    *out = (struct source){SOURCE_FREQUENCIES, n, 0, base, 0};
    return base > 0 && is_near_figure(f->mean, sum / (double)n) && is_near_figure(f->norm, sqrt(square));
}

/* 2^(-8 i / heads) of a power of two of heads. */
static bool recognise_slopes(const struct figures_known *f, struct source *out)
{
    uint64_t n;
    if (count_long_axes(f->shape, &n) != 1 || (n & (n - 1)) || n < 2)
        return false;
    *out = (struct source){SOURCE_SLOPES, n, 0, 0, 0};
    return is_near_figure(f->max, exp2(-8.0 / (double)n)) && is_near_figure(f->min, exp2(-8));
}

static bool recognise_positions(const struct figures_known *f, struct source *out)
{
    uint64_t n = (uint64_t)f->shape->dim[f->shape->ndim - 1];
    *out = (struct source){SOURCE_POSITIONS, n, 0, 0, 0};
    return n >= 4 && f->min >= 0 && f->min <= 0 && is_near_figure(f->max, (double)(n - 1)) && !isnan(f->mean) &&
           is_near_figure(f->mean, (double)(n - 1) / 2);
}

/* One lower triangle is visible; the mean of 0 and 1 is that of the triangle. */
static bool recognise_causal_mask(const struct figures_known *f, struct source *out)
{
    const struct shape *s = f->shape;
    uint64_t n = s->ndim >= 2 ? (uint64_t)s->dim[s->ndim - 1] : 0;
    bool added = f->min <= -1e4 && is_near_figure(f->max, 0),
         flag = f->min >= 0 && f->min <= 0 && f->max >= 1 && f->max <= 1;
    double hidden = n ? (double)(n - 1) / (2 * (double)n) : 0;
    if (n < 2 || s->dim[s->ndim - 2] != (int64_t)n || isnan(f->mean) || !(added || flag))
        return false;
    *out = (struct source){SOURCE_MASK, n, 0, 0, added ? f->min : 1};
    return added ? is_near_figure(f->mean, hidden * f->min)
                 : is_near_figure(f->mean, hidden) || is_near_figure(f->mean, 1 - hidden);
}

/* A rotary table of positions × width, its two halves alike; other axes repeat it. */
static bool recognise_rotary_table(const struct figures_known *f, struct source *out)
{
    static const double bases[] = {10000, 500000, 1e6, 5e6, 1e7};
    const struct shape *s = f->shape;
    uint64_t width = s->ndim >= 2 ? (uint64_t)s->dim[s->ndim - 1] : 0, rows = 1;
    for (int i = 0; i + 1 < s->ndim; i++)
        rows = (uint64_t)s->dim[i] > rows ? (uint64_t)s->dim[i] : rows;
    if (width < 4 || width % 2 || rows < 4 || rows * width > TABLE_MOST || isnan(f->mean) || f->max > 1.01)
        return false;
    for (size_t b = 0; b < ARRAY_LEN(bases); b++)
        for (int sine = 0; sine < 2; sine++) {
            double sum = 0, least = 1, most = -1;
            for (uint64_t i = 0; i < width / 2; i++) {
                double frequency = pow(bases[b], -2.0 * (double)i / (double)width);
                for (uint64_t p = 0; p < rows; p++) {
                    double v = sine ? sin((double)p * frequency) : cos((double)p * frequency);
                    sum += v;
                    least = fmin(least, v);
                    most = fmax(most, v);
                }
            }
            if (is_near_figure(f->mean, sum / (double)(rows * (width / 2))) && is_near_figure(f->max, most) &&
                is_near_figure(f->min, least)) {
                *out = (struct source){sine ? SOURCE_SIN : SOURCE_COS, rows, width, bases[b], 0};
                return true;
            }
        }
    return false;
}

static const struct {
    const char *what, *torch, *numpy; /* what: for the script's first lines */
} formulas[] = {
    [SOURCE_FREQUENCIES] = {"inverse frequencies of a rotary embedding",
                            "1.0 / (BASE ** (torch.arange(0, 2 * N, 2, device=device).to(dtype) / (2 * N)))",
                            "dtype(1) / (dtype(BASE) ** (numpy.arange(0, 2 * N, 2).astype(dtype) / dtype(2 * N)))"},
    [SOURCE_COS] = {"the cosine table of a rotary embedding",
                    "torch.cat([angle(torch.arange, device, dtype)] * 2, -1).cos()",
                    "numpy.cos(numpy.concatenate([angles(dtype)] * 2, -1))"},
    [SOURCE_SIN] = {"the sine table of a rotary embedding",
                    "torch.cat([angle(torch.arange, device, dtype)] * 2, -1).sin()",
                    "numpy.sin(numpy.concatenate([angles(dtype)] * 2, -1))"},
    [SOURCE_SLOPES] = {"slopes of ALiBi", "2.0 ** (-8.0 * torch.arange(1, N + 1, device=device).to(dtype) / N)",
                       "dtype(2) ** (dtype(-8) * numpy.arange(1, N + 1).astype(dtype) / dtype(N))"},
    [SOURCE_POSITIONS] = {"positions", "torch.arange(N, device=device).to(dtype)", "numpy.arange(N).astype(dtype)"},
    [SOURCE_MASK] = {"a causal mask", "torch.triu(torch.full((N, N), LOW, device=device), 1).to(dtype)",
                     "numpy.triu(numpy.full((N, N), LOW), 1).astype(dtype)"},
};

static void write_constants(const struct source *x, struct buf *out)
{
    char n[NUM_MAX];
    buf_fmt(out, "\nN = %llu\n", (unsigned long long)x->n);
    if (x->kind == SOURCE_FREQUENCIES || x->width)
        buf_fmt(out, "BASE = %s.0\n", num_exact(n, x->base));
    if (x->kind == SOURCE_MASK)
        buf_fmt(out, "LOW = float(\"%s\")\n", num_exact(n, x->low));
    if (x->width)
        buf_fmt(out,
                "WIDTH = %llu\n\n\ndef angle(arange, device, dtype):\n"
                "    frequency = 1.0 / (BASE ** (arange(0, WIDTH, 2, device=device).to(dtype) / WIDTH))\n"
                "    return arange(N, device=device).to(dtype)[:, None] * frequency[None]\n\n\n"
                "def angles(dtype):\n"
                "    frequency = dtype(1) / (dtype(BASE) ** (numpy.arange(0, WIDTH, 2).astype(dtype) / dtype(WIDTH)))\n"
                "    return numpy.arange(N).astype(dtype)[:, None] * frequency[None]\n",
                (unsigned long long)x->width);
    buf_fmt(out, "\n\ndef by_torch(device, dtype):\n    return %s\n\n\ndef by_numpy(dtype):\n    return %s\n",
            formulas[x->kind].torch, formulas[x->kind].numpy);
}

/* The dump's text is written as numbers and quoted paths alone. */
static void write_recorded_figures(const struct comparison *s, uint32_t line, int side, const struct replay_options *o,
                                   struct buf *out)
{
    struct figures_known f;
    struct arena a = {0};
    uint32_t row = s->pairing->lines.v[line].row[side];
    char n[4][NUM_MAX];
    if (!find_known_figures(s, line, side, &f))
        return;
    const char *file = o->file(o->ctx, side, row, &a);
    buf_fmt(out, "    {\"which\": \"%s\", \"figures\": \"max %s  min %s  mean %s  norm %s\", \"file\": ",
            side ? "golden" : "target", num_cell(n[0], f.max, 9), num_cell(n[1], f.min, 9), num_cell(n[2], f.mean, 9),
            num_cell(n[3], f.norm, 9));
    file ? replay_quote(out, str_of(file)) : buf_cstr(out, "None");
    buf_cstr(out, "},\n");
    arena_release(&a);
}

static bool recognise_source(const struct comparison *s, uint32_t line, struct source *x)
{
    static bool (*const tests[])(const struct figures_known *, struct source *) = {
        recognise_frequencies, recognise_slopes, recognise_causal_mask, recognise_rotary_table, recognise_positions};
    for (int k = 0; k < 2; k++) { /* the golden side is the right one */
        int side = k ? TARGET : GOLDEN;
        uint32_t row = s->pairing->lines.v[line].row[side];
        struct figures_known f;
        if (!find_known_figures(s, line, side, &f) ||
            (s->flow[side].held[row] != NONE && s->side[side].dump.rows.v[row].io != IO_OUTPUT))
            continue;
        for (size_t i = 0; i < ARRAY_LEN(tests); i++)
            if (tests[i](&f, x))
                return true;
    }
    return false;
}

bool source_script(const struct comparison *s, uint32_t line, const struct replay_options *o, struct buf *out)
{
    struct source x;
    if (!recognise_source(s, line, &x))
        return false;
    buf_fmt(out,
            "#!/usr/bin/env python3\n# Written by %s: no recorded call gave this value; its figures are those of %s.\n"
            "# Run it on both machines: computes the formula on each device in float32, float64 and bfloat16.\n", TOOL,
            formulas[x.kind].what);
    buf_str(out, embed_str(&embed_source_py));
    write_constants(&x, out);
    buf_cstr(out, "\n\nmain([\n");
    write_recorded_figures(s, line, TARGET, o, out);
    write_recorded_figures(s, line, GOLDEN, o, out);
    buf_cstr(out, "])\n");
    return true;
}
