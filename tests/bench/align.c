/* align N [DRIFT]: two sides of N calls each as two frameworks would record them (other names, some calls on one
 * side alone, a long gap, figures off by DRIFT), paired. Prints seconds, peak memory and how many of the true
 * pairs were found. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "dump/family.h"
#include "pair/sequence.h"

static uint64_t seed = 7;

static double draw(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) * 0x1p-53;
}

struct value {
    int64_t numel;
    double max, min, norm;
};

static uint32_t row(struct dump *d, uint32_t call, enum row_io io, const struct value *v, double by)
{
    struct row r = {.slot = dump_slot(d, io == IO_OUTPUT ? STR("output.0") : STR("input.0")),
                    .extra = NONE,
                    .io = (uint8_t)io,
                    .kind = ROW_TENSOR,
                    .dtype = DTYPE_F32,
                    .has = HAS_MAX | HAS_MIN | HAS_NORM | HAS_SHAPE};
    r.shape = dump_shape(d, &v->numel, 1);
    r.stat[STAT_MAX] = v->max * (1 + by * (draw() - 0.5));
    r.stat[STAT_MIN] = v->min * (1 + by * (draw() - 0.5));
    r.stat[STAT_NORM] = v->norm * (1 + by * (draw() - 0.5));
    return dump_add_row(d, call, r);
}

static uint32_t call(struct dump *d, const char *op, const struct value *in, const struct value *out, double by)
{
    char name[64];
    snprintf(name, sizeof name, "X.%s.%zu.forward", op, d->calls.n);
    uint32_t c = dump_add_call(d, str_of(name), CALL_API, PHASE_FORWARD);
    d->calls.v[c].family = (uint8_t)family_find(str_of(op));
    row(d, c, IO_INPUT, in, by);
    return row(d, c, IO_OUTPUT, out, by);
}

int main(int argc, char **argv)
{
    static const char *const ops[][2] = {{"MatMul", "linear"}, {"Mul", "__mul__"}, {"Softmax", "softmax"},
                                         {"Add", "__add__"},   {"SiLU", "silu"},   {"ReduceMean", "mean"}};
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 300000, found = 0, wrong = 0;
    double by = argc > 2 ? strtod(argv[2], NULL) : 1e-5;
    struct dump t, g;
    dump_init(&t);
    dump_init(&g);
    uint32_t *want = malloc((n + 1) * 8 * sizeof *want);
    struct value v = {64, 1, -1, 5};
    for (size_t i = 0; i < n; i++) {
        int k = (int)(draw() * 6);
        struct value next = {64 << (int)(draw() * 4), 1 + draw() * 5, -1 - draw() * 5, 10 + draw() * 30};
        struct value other = {next.numel, 1 + draw() * 5, -1 - draw() * 5, 10 + draw() * 30};
        if (draw() < 0.05) {
            uint32_t alone = call(&t, ops[k][0], &other, &other, 0);
            want[alone] = want[alone - 1] = NONE;
        }
        if (draw() < 0.05 || (i > n / 2 && i < n / 2 + n / 20))
            call(&g, ops[k][1], &other, &other, 0);
        uint32_t r = call(&t, ops[k][0], &v, &next, 0);
        want[r - 1] = NONE;
        want[r] = call(&g, ops[k][1], &v, &next, by);
        v = next;
    }
    uint8_t *none[2] = {calloc(t.rows.n + 1, 1), calloc(g.rows.n + 1, 1)};
    struct sequence_result out = {.pairs = {0}};
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    struct sequence_options o = {.taken = {none[0], none[1]}};
    sequence_align(&t, &g, &o, &out);
    clock_gettime(CLOCK_MONOTONIC, &b);
    for (size_t i = 0; i < out.pairs.n; i++)
        if (t.rows.v[out.pairs.v[i].t].io == IO_OUTPUT && out.pairs.v[i].confidence >= 0.5f) {
            found += want[out.pairs.v[i].t] == out.pairs.v[i].g;
            wrong += want[out.pairs.v[i].t] != out.pairs.v[i].g;
        }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%zu %.3f %ld %.4f %.4f\n", n, (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9,
           use.ru_maxrss / 1000, (double)found / (double)n, (double)wrong / (double)n);
    vec_release(&out.pairs);
    vec_release(&out.joined);
    dump_release(&t);
    dump_release(&g);
    free(none[0]);
    free(none[1]);
    free(want);
    return 0;
}
