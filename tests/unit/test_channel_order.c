/* Rotary channels in halves on one side and in pairs on the other: one view of queries and keys, up to their scores. */
#include "sessions.h"
#include "tensors.h"

#include "draws.h"

enum { TOKENS = 6, HEAD = 8, WIDTH = 16 }; /* two heads of queries and keys */

static uint64_t seed = 31;

struct attention {
    float x[TOKENS * WIDTH], w[3][WIDTH * WIDTH], out[3][TOKENS * WIDTH], turned[WIDTH * TOKENS],
        scores[TOKENS * TOKENS];
};

static void draw(float *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = (float)draw_normal(&seed);
}

/* Rows of a weight: channels of each head from halves to pairs. */
static void to_pairs(float *w)
{
    float held[WIDTH * WIDTH];
    memcpy(held, w, sizeof held);
    for (int i = 0; i < WIDTH; i++) {
        int in = i % HEAD, from = i - in + in / 2 + in % 2 * (HEAD / 2);
        memcpy(w + i * WIDTH, held + from * WIDTH, WIDTH * sizeof *w);
    }
}

static void compute(struct attention *a)
{
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < TOKENS * WIDTH; i++) {
            double sum = 0;
            for (int k = 0; k < WIDTH; k++)
                sum += (double)a->x[i / WIDTH * WIDTH + k] * (double)a->w[p][i % WIDTH * WIDTH + k];
            a->out[p][i] = (float)sum;
        }
    for (int i = 0; i < WIDTH * TOKENS; i++)
        a->turned[i] = a->out[1][i % TOKENS * WIDTH + i / TOKENS];
    for (int i = 0; i < TOKENS * TOKENS; i++) {
        double sum = 0;
        for (int k = 0; k < WIDTH; k++)
            sum += (double)a->out[0][i / TOKENS * WIDTH + k] * (double)a->turned[k * TOKENS + i % TOKENS];
        a->scores[i] = (float)sum;
    }
}

static void call_of(struct tensor_dump *d, const char *call, const char *const sizes[3], const float *const v[3],
                    const size_t n[3])
{
    fprintf(d->json, "%s\"%s\":{\"input_args\":[", d->calls++ ? "," : "", call);
    tensors_row(d, call, "input.0", sizes[0], v[0], n[0]);
    fputs(",", d->json);
    tensors_row(d, call, "input.1", sizes[1], v[1], n[1]);
    fputs("],\"input_kwargs\":{},\"output\":[", d->json);
    tensors_row(d, call, "output.0", sizes[2], v[2], n[2]);
    fputs("]}", d->json);
}

/* `before`: calls of vectors that only this side makes, so that rows of both are not numbered alike. */
static void record(struct tensor_dump *d, const struct attention *a, int before)
{
    static const char *const product[] = {"6,16", "16,16", "6,16"}, *const scores[] = {"6,16", "16,6", "6,6"},
        *const vectors[] = {"16", "16", "16"};
    char name[40];
    float other[WIDTH];
    static const size_t sizes[] = {TOKENS * WIDTH, WIDTH * WIDTH, TOKENS * WIDTH},
                        of_scores[] = {TOKENS * WIDTH, WIDTH * TOKENS, TOKENS * TOKENS},
                        of_vectors[] = {WIDTH, WIDTH, WIDTH};
    tensors_begin_of(d, scratch(), "pytorch");
    for (int i = 0; i < before; i++) {
        snprintf(name, sizeof name, "Functional.addcmul.%d.forward", i);
        draw(other, WIDTH);
        call_of(d, name, vectors, (const float *const[]){other, other, other}, of_vectors);
    }
    call_of(d, "Functional.linear.0.forward", product, (const float *const[]){a->x, a->w[0], a->out[0]}, sizes);
    call_of(d, "Functional.linear.1.forward", product, (const float *const[]){a->x, a->w[1], a->out[1]}, sizes);
    call_of(d, "Functional.linear.2.forward", product, (const float *const[]){a->x, a->w[2], a->out[2]}, sizes);
    call_of(d, "Torch.matmul.0.forward", scores, (const float *const[]){a->out[0], a->turned, a->scores}, of_scores);
    tensors_end(d);
}

static void one_view_up_to_scores(void **state)
{
    static const struct {
        const char *what;
        bool turned[2], spoiled; /* queries', keys' weights; one number of a weight is another one */
        bool kernel;             /* that of values gives something else */
        const char *first;       /* NULL: nothing deviates */
    } cases[] = {
        {"queries and keys", {true, true}, false, false, NULL},
        {"queries alone", {true, false}, false, false, "Functional.linear.0.forward.input.1"},
        {"another weight as well", {true, true}, true, false, "Functional.linear.0.forward.input.1"},
        {"values in between", {true, true}, false, true, "Functional.linear.2.forward.output.0"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tensor_dump d[2];
        struct attention a;
        draw(a.x, TOKENS * WIDTH);
        draw(a.w[0], WIDTH * WIDTH);
        draw(a.w[1], WIDTH * WIDTH);
        draw(a.w[2], WIDTH * WIDTH);
        compute(&a);
        record(&d[GOLDEN], &a, 0);
        for (int p = 0; p < 2; p++)
            if (cases[i].turned[p])
                to_pairs(a.w[p]);
        a.w[0][5] += cases[i].spoiled ? 0.1F : 0;
        compute(&a);
        for (int k = 0; k < TOKENS * WIDTH && cases[i].kernel; k++)
            a.out[2][k] *= 1.1F;
        record(&d[TARGET], &a, 2);
        struct session *s = open_paths(d[TARGET].dir, d[GOLDEN].dir);
        const struct judgement *j = s->now->judged;
        struct buf name = {0};
        if (j->first != NONE)
            dump_row_name(&s->recordings->side[TARGET].dump, s->rows->pairing.lines.v[j->first].row[TARGET], &name);
        if ((j->first == NONE) != !cases[i].first || (cases[i].first && strcmp(name.p, cases[i].first) != 0))
            fail_msg("%s: first deviation %s", cases[i].what, name.n ? name.p : "none");
        assert_int_equal(j->sum.causes[CAUSE_INHERITED] > 0, cases[i].first && !cases[i].kernel);
        buf_release(&name);
        shut(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_view_up_to_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
