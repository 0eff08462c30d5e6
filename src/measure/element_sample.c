/* Chooses the sampled places and reads both sides there, through the pair's view; or a contiguous corner. */
#include "measure/element_sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"

static int plain_axes(const struct tensor *t)
{
    int n = 0;
    for (int i = 0; i < t->ndim; i++)
        n += t->shape[i] != 1;
    return n;
}

static void sum_up(struct element_sample *s)
{
    for (int d = 0; d < 2; d++) {
        s->least[d] = INFINITY;
        s->most[d] = -INFINITY;
    }
    for (size_t i = 0; i < s->n; i++) {
        if (!element_sample_pair(s, i))
            continue;
        double t = s->v[0][i], g = s->v[1][i];
        s->finite++;
        s->dev2 += (t - g) * (t - g);
        s->t2 += t * t;
        s->g2 += g * g;
        s->tg += t * g;
        for (int d = 0; d < 2; d++) {
            double v = s->v[d][i];
            s->sum[d] += v;
            s->least[d] = fmin(s->least[d], v);
            s->most[d] = fmax(s->most[d], v);
        }
    }
}

/* Chooses the places of the chunks; sets the number of elements. */
static void place_chunks(struct element_sample *s)
{
    uint64_t state = 0x9e3779b97f4a7c15ULL;
    size_t chunks = ELEMENT_SAMPLE_MOST / ELEMENT_SAMPLE_CHUNK;
    if (s->numel <= ELEMENT_SAMPLE_MOST) {
        s->n = (size_t)s->numel;
        return;
    }
    s->n = ELEMENT_SAMPLE_MOST;
    s->at = mem_alloc(s->n * sizeof *s->at);
    for (size_t c = 0; c < chunks; c++) {
        uint64_t from = (uint64_t)((double)s->numel / (double)chunks * (double)c);
        uint64_t to = c + 1 == chunks ? s->numel : (uint64_t)((double)s->numel / (double)chunks * (double)(c + 1));
        uint64_t room = to - from - ELEMENT_SAMPLE_CHUNK + 1; /* numel > MOST: a range is longer than a chunk */
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        uint64_t first = c + 1 == chunks ? to - ELEMENT_SAMPLE_CHUNK : from + (room ? (state >> 11) % room : 0);
        for (size_t i = 0; i < ELEMENT_SAMPLE_CHUNK; i++)
            s->at[c * ELEMENT_SAMPLE_CHUNK + i] = first + i;
    }
}

static int read_values(const struct element_sample *s, const struct tensor *t, double *out, struct err *e)
{
    struct tensor_walk w;
    int rc = 0;
    tensor_walk_init(&w, t);
    for (size_t i = 0; i < s->n && rc == 0;) {
        size_t want = s->n - i < ELEMENT_SAMPLE_CHUNK ? s->n - i : ELEMENT_SAMPLE_CHUNK;
        if (s->at)
            tensor_walk_seek(&w, s->at[i]);
        rc = tensor_walk_values(&w, out + i, want, e);
        i += want;
    }
    tensor_walk_release(&w);
    return rc;
}

/* The tensor whose axes are used for coordinates: the side with more axes, unless it is cut out of a wider tensor. */
static const struct tensor *telling_tensor(const struct tensor t[2])
{
    bool packed[2] = {tensor_packed(&t[TARGET]), tensor_packed(&t[GOLDEN])};
    if (packed[TARGET] != packed[GOLDEN])
        return packed[TARGET] ? &t[TARGET] : &t[GOLDEN];
    return plain_axes(&t[GOLDEN]) > plain_axes(&t[TARGET]) ? &t[GOLDEN] : &t[TARGET];
}

static int read_both(struct element_sample *s, const struct tensor t[2], struct err *e)
{
    const struct tensor *of = telling_tensor(t);
    s->numel = of->numel;
    s->ndim = of->ndim;
    memcpy(s->shape, of->shape, sizeof s->shape);
    place_chunks(s);
    int rc = 0;
    for (int d = 0; d < 2 && rc == 0; d++) {
        s->dtype[d] = t[d].dtype;
        s->v[d] = mem_alloc((s->n + 1) * sizeof(double));
        rc = read_values(s, &t[d], s->v[d], e);
    }
    if (rc == 0)
        sum_up(s);
    return rc;
}

/* The length of the axes to be cut next; axes of equal length are cut together, because one side may have them
 * exchanged. For a matrix the last axis first (parts of a fused weight are along its rows), otherwise the first
 * (heads are along the last). */
static int64_t axis_to_cut(const struct tensor *t)
{
    int plain = plain_axes(t);
    for (int k = 0; k < t->ndim; k++) {
        int i = plain <= 2 ? t->ndim - 1 - k : k;
        if (t->shape[i] > 1)
            return t->shape[i];
    }
    return 1;
}

static int take_chunks(struct element_sample *s, const struct measure *m, uint32_t line, bool corner, struct err *e)
{
    struct tensor t[2];
    *s = (struct element_sample){0};
    if (measure_open(m, line, t, e))
        return -1;
    bool alike = t[0].ndim == t[1].ndim && memcmp(t[0].shape, t[1].shape, (size_t)t[0].ndim * sizeof *t[0].shape) == 0;
    while (corner && alike && t[0].numel > ELEMENT_SAMPLE_MOST) {
        int64_t cut = axis_to_cut(&t[0]);
        for (int d = 0; d < 2; d++) {
            t[d].numel = 1;
            for (int i = 0; i < t[d].ndim; i++) {
                if (t[d].shape[i] == cut)
                    t[d].shape[i] = (cut + 1) / 2;
                t[d].numel *= (uint64_t)t[d].shape[i];
            }
        }
    }
    int rc = read_both(s, t, e);
    for (int d = 0; d < 2; d++)
        tensor_close(&t[d]);
    if (rc)
        element_sample_release(s);
    return rc;
}

int element_sample_take(struct element_sample *s, const struct measure *m, uint32_t line, struct err *e)
{
    return take_chunks(s, m, line, false, e);
}

int element_sample_corner(struct element_sample *s, const struct measure *m, uint32_t line, struct err *e)
{
    return take_chunks(s, m, line, true, e);
}

int element_sample_instead(struct element_sample *s, const struct measure *m, uint32_t line, int side, uint32_t row,
                           struct err *e)
{
    struct measure_job job;
    struct tensor t[2];
    *s = (struct element_sample){0};
    if (!measure_how(m, line, &job))
        return err_set(e, ERR_DATA, "%s", _("its view is not known"));
    job.row[side] = row;
    if (measure_open_job(m->side, &job, t, e))
        return -1;
    int rc = read_both(s, t, e);
    for (int d = 0; d < 2; d++)
        tensor_close(&t[d]);
    if (rc)
        element_sample_release(s);
    return rc;
}

int element_sample_row(struct element_sample *s, const struct dump *d, uint32_t row, size_t most, struct err *e)
{
    struct tensor t;
    *s = (struct element_sample){0};
    if (dump_tensor(d, row, &t, e))
        return -1;
    int rc;
    if (t.numel > most || t.numel > ELEMENT_SAMPLE_MOST) {
        rc = err_set(e, ERR_USAGE, _("%s: too many elements to load at once"), t.file.name);
    } else {
        s->numel = s->n = (size_t)t.numel;
        s->ndim = t.ndim;
        memcpy(s->shape, t.shape, sizeof s->shape);
        s->dtype[0] = t.dtype;
        s->v[0] = mem_alloc((s->n + 1) * sizeof(double));
        rc = read_values(s, &t, s->v[0], e);
    }
    tensor_close(&t);
    if (rc)
        element_sample_release(s);
    return rc;
}

bool element_sample_whole(struct element_sample *s, const struct dump *d, uint32_t row)
{
    struct err quiet;
    return element_sample_row(s, d, row, ELEMENT_SAMPLE_MOST, &quiet) == 0;
}

void element_sample_from(struct element_sample *s, const double *t, const double *g, int ndim, const int64_t *shape)
{
    *s = (struct element_sample){.ndim = ndim, .numel = 1, .dtype = {DTYPE_F32, DTYPE_F32}};
    for (int i = 0; i < ndim; i++) {
        s->shape[i] = shape[i];
        s->numel *= (uint64_t)shape[i];
    }
    s->n = (size_t)s->numel;
    const double *from[2] = {t, g};
    for (int d = 0; d < 2; d++) {
        s->v[d] = mem_alloc((s->n + 1) * sizeof(double));
        memcpy(s->v[d], from[d], s->n * sizeof(double));
    }
    sum_up(s);
}

void element_sample_release(struct element_sample *s)
{
    free(s->v[0]);
    free(s->v[1]);
    free(s->at);
    *s = (struct element_sample){0};
}
