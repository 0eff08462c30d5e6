/* Reads tensors in blocks and passes them to pass.h, while the system prefetches. A large tensor is divided into
 * ranges, independent of the number of threads; idle threads of the crew may take some, and the totals are merged in
 * order. */
#include "num/figures.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/msg.h"
#include "num/grain.h"
#include "num/masked.h"
#include "num/pass.h"

#define CHUNK (512 * 1024)        /* bytes of a side read at a time: few calls, and both fit the second-level cache */
#define RANGE (4 * 1024 * 1024)   /* the smallest range, in elements */
#define MOST_RANGES 4096          /* the most ranges, whose totals are kept until all are done */

struct figures_job {
    const struct kern *k;
    const struct tensor *side[2]; /* golden NULL: one side */
    struct figures_watch *watch;
    uint64_t range;
    size_t chunk; /* elements read at a time */
    size_t ranges;
    atomic_size_t next;
    struct totals *done; /* of each range */
    pthread_mutex_t lock;
    size_t failed; /* the first range that failed; SIZE_MAX: none */
    struct err err;
};

/* One side being read by one thread. */
struct side_source {
    struct tensor_walk walk;
    void *raw;
};

static bool is_job_cancelled(const struct figures_job *j)
{
    return j->watch && atomic_load_explicit(&j->watch->cancel, memory_order_relaxed);
}

static int read_range(struct figures_job *j, size_t r, struct side_source *src, struct err *e)
{
    uint64_t at = r * j->range, left = j->side[0]->numel - at, end = at + (left < j->range ? left : j->range);
    struct pass p;
    pass_start(&p, j->k, j->side[0]->dtype, j->side[1] ? j->side[1]->dtype : DTYPE_UNKNOWN, at);
    for (int s = 0; s < 2 && j->side[s]; s++)
        tensor_walk_seek(&src[s].walk, at);
    while (at < end) {
        size_t n = end - at < j->chunk ? (size_t)(end - at) : j->chunk;
        if (is_job_cancelled(j))
            return err_set(e, ERR_CANCEL, "%s", _("stopped"));
        for (int s = 0; s < 2 && j->side[s]; s++)
            if (tensor_walk_next(&src[s].walk, src[s].raw, n, e) < 0)
                return -1;
        pass_take(&p, src[0].raw, src[1].raw, n);
        at += n;
        if (j->watch)
            atomic_fetch_add_explicit(&j->watch->done, n, memory_order_relaxed);
    }
    pass_end(&p, &j->done[r]);
    return 0;
}

static void fail_range(struct figures_job *j, size_t r, const struct err *e)
{
    pthread_mutex_lock(&j->lock);
    if (r < j->failed) {
        j->failed = r;
        j->err = *e;
    }
    pthread_mutex_unlock(&j->lock);
    atomic_store(&j->next, j->ranges);
}

static void *take_ranges(void *ctx)
{
    struct figures_job *j = ctx;
    struct side_source src[2] = {0};
    struct err e;
    for (size_t r; (r = atomic_fetch_add(&j->next, 1)) < j->ranges;) {
        for (int s = 0; s < 2 && j->side[s] && !src[s].raw; s++) {
            tensor_walk_init(&src[s].walk, j->side[s]);
            src[s].raw = mem_alloc(j->chunk * dtype_table[j->side[s]->dtype].size);
        }
        if (read_range(j, r, src, &e))
            fail_range(j, r, &e);
    }
    for (int s = 0; s < 2 && src[s].raw; s++) {
        tensor_walk_release(&src[s].walk);
        free(src[s].raw);
    }
    return NULL;
}

/* A multiple of what the kernels take at once, so that their blocks do not depend on it. */
static size_t chunk_elements(const struct tensor *const side[2])
{
    size_t size = 1;
    for (int s = 0; s < 2 && side[s]; s++)
        if (dtype_table[side[s]->dtype].size > size)
            size = dtype_table[side[s]->dtype].size;
    const size_t most = CHUNK / size / (4 * KERN_BLOCK) * (4 * KERN_BLOCK);
    return side[0]->numel < most ? (size_t)side[0]->numel : most;
}

static int run_figures_job(const struct kern *k, const struct tensor *t, const struct tensor *g, struct totals *out,
                           struct figures_watch *watch, struct err *e)
{
    uint64_t range = (t->numel / MOST_RANGES / RANGE + 1) * RANGE;
    struct figures_job j = {
        .k = k,
        .side = {t, g},
        .watch = watch,
        .range = range,
        .chunk = chunk_elements((const struct tensor *const[]){t, g}),
        .ranges = (size_t)((t->numel + range - 1) / range),
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .failed = SIZE_MAX,
    };
    struct pass empty;
    for (int s = 0; s < 2 && j.side[s] && j.ranges > 1; s++)
        file_sequential(&j.side[s]->file);
    pass_start(&empty, k, t->dtype, g ? g->dtype : DTYPE_UNKNOWN, 0);
    pass_end(&empty, out);
    j.done = mem_alloc((j.ranges + 1) * sizeof *j.done);
    if (watch && watch->crew && j.ranges > 1)
        work_crew_share(watch->crew, take_ranges, &j);
    else
        take_ranges(&j);
    for (size_t r = 0; j.failed == SIZE_MAX && r < j.ranges; r++)
        totals_merge(out, &j.done[r]);
    free(j.done);
    pthread_mutex_destroy(&j.lock);
    if (j.failed != SIZE_MAX)
        *e = j.err;
    return j.failed == SIZE_MAX ? 0 : -1;
}

int figures_two(const struct kern *k, const struct tensor *t, const struct tensor *g,
                struct figures *out, struct figures_watch *watch, struct err *e)
{
    struct totals sum;
    if (t->numel != g->numel)
        return err_set(e, ERR_USAGE, _("%s: %llu elements on the target, %llu on the golden side"), t->file.name,
                       (unsigned long long)t->numel, (unsigned long long)g->numel);
    if (run_figures_job(k, t, g, &sum, watch, e))
        return -1;
    totals_two(&sum, out);
    if (masked_possible(out) && masked_look(t, g, out, watch, e))
        return -1;
    return grain_possible(t, g, out) ? grain_look(t, g, out, watch, e) : 0;
}

int figures_one(const struct kern *k, const struct tensor *t, struct side_figures *out,
                struct figures_watch *watch, struct err *e)
{
    struct totals sum;
    if (run_figures_job(k, t, NULL, &sum, watch, e))
        return -1;
    totals_one(&sum, out);
    return 0;
}

void figures_each(struct figures_watch *watch, int workers, size_t n, void (*one)(void *ctx, size_t i), void *ctx)
{
    if (watch)
        work_crew_run(&watch->crew, workers, n, &watch->cancel, one, ctx);
    else
        work_crew_run(NULL, workers, n, NULL, one, ctx);
}

void figures_memory(const struct kern *k, enum dtype type_t, const void *t, enum dtype type_g, const void *g,
                    size_t n, struct figures *out)
{
    struct pass p;
    struct totals sum;
    pass_start(&p, k, type_t, type_g, 0);
    pass_take(&p, t, g, n);
    pass_end(&p, &sum);
    totals_two(&sum, out);
}
