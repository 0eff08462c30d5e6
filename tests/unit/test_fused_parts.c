/* How the parts of fused tensors lie in them: every layout that is in use, told by what most layers say, never
 * invented. */
#include "sessions.h"
#include "tensors.h"

#include "pair/fused_parts.h"

enum { LAYERS = 6, PARTS_MOST = 4, VALUES = 4096 };

static uint32_t seed = 11;

static float draw(void)
{
    seed = seed * 1664525 + 1013904223;
    return (float)(seed >> 8) / (float)(1 << 23) - 1;
}

/* How a fused row is made. Each part is [rows, width] (or [width, rows] where the cut is the first axis); `pieces`
 * times over, a bit of each part stands behind the other in `order`. */
struct fusing {
    const char *const *ops;
    int parts, width[PARTS_MOST], order[PARTS_MOST], pieces, rows;
    bool first_axis;
    int faulty; /* the layer that is fused in one piece and the other way round, or -1 */
    int noise;  /* 1: other values altogether */
    bool stages; /* the last two layers are twice as wide, in twice as many pieces */
};

static void fill(float *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = draw();
}

/* Element [row, column] of a part or of the whole, by where the cut is. */
static float *at(float *v, bool first_axis, int rows, int width, int row, int column)
{
    return first_axis ? &v[column * rows + row] : &v[row * width + column];
}

static void fuse(const struct fusing *f, bool faulty, float part[][VALUES], float *whole, int width)
{
    int pieces = faulty ? 1 : f->pieces, to = 0;
    for (int k = 0; k < pieces; k++)
        for (int i = 0; i < f->parts; i++) {
            int p = f->order[faulty ? f->parts - 1 - i : i], bit = f->width[p] / pieces;
            for (int c = 0; c < bit; c++, to++)
                for (int r = 0; r < f->rows; r++)
                    *at(whole, f->first_axis, f->rows, width, r, to) =
                        *at(part[p], f->first_axis, f->rows, f->width[p], r, k * bit + c);
        }
}

static void sizes(char *out, size_t n, bool first_axis, int rows, int width)
{
    snprintf(out, n, first_axis ? "%2$d,%1$d" : "%1$d,%2$d", rows, width);
}

static struct session *compare(struct tensor_dump d[2], const struct decisions *decisions)
{
    struct session *s = calloc(1, sizeof *s);
    struct session_options o = {.of.path = {d[0].dir, d[1].dir},
                                .of.step = {-1, -1},
                                .of.rank = {-1, -1},
                                .decisions = decisions};
    struct err e;
    thresholds_init(&o.of.tol);
    if (session_start(s, &o, &e) || session_wait(s, &e))
        fail_msg("%s", e.text);
    return s;
}

/* Parts on one side, wholes on the other, marked together in every layer. */
static struct session *fused(const struct fusing *all, int wide, struct decisions *marks)
{
    static float part[PARTS_MOST][VALUES], whole[VALUES * PARTS_MOST];
    static char names[LAYERS * PARTS_MOST][2][60];
    struct tensor_dump d[2];
    char text[40], call[50];
    int n = 0;
    tensors_begin(&d[0]);
    tensors_begin(&d[1]);
    *marks = (struct decisions){0};
    for (int l = 0; l < LAYERS; l++) {
        int width = 0;
        struct fusing in = *all, *f = &in;
        for (int i = 0; i < f->parts; i++)
            width += f->width[i] *= all->stages && l >= LAYERS - 2 ? 2 : 1;
        f->pieces *= all->stages && l >= LAYERS - 2 ? 2 : 1;
        for (int i = 0; i < f->parts; i++) {
            fill(part[i], f->rows * f->width[i]);
            snprintf(call, sizeof call, "Mint.%s.%d.forward", f->ops[i], l);
            sizes(text, sizeof text, f->first_axis, f->rows, f->width[i]);
            tensors_add(&d[!wide], call, text, part[i], (size_t)(f->rows * f->width[i]));
            snprintf(names[n][!wide], sizeof names[n][0], "%s.output.0", call);
            snprintf(names[n][wide], sizeof names[n][0], "Functional.fused.%d.forward.output.0", l);
            struct decision x = {.kind = DECIDE_MARK,
                                 .step = (uint32_t)n + 1,
                                 .side = {names[n][0], names[n][1]},
                                 .view = ""};
            decisions_add(marks, x);
            n++;
        }
        fuse(f, l == f->faulty, part, whole, width);
        if (f->noise)
            fill(whole, f->rows * width);
        snprintf(call, sizeof call, "Functional.fused.%d.forward", l);
        sizes(text, sizeof text, f->first_axis, f->rows, width);
        tensors_add(&d[wide], call, text, whole, (size_t)(f->rows * width));
    }
    tensors_end(&d[0]);
    tensors_end(&d[1]);
    return compare(d, marks);
}

/* All parts of all layers have the same view each, and meet through it but for the faulty layer. */
static void check(const struct fusing *f, const char *what)
{
    for (int wide = 0; wide < 2; wide++) {
        struct decisions marks;
        struct session *s = fused(f, wide, &marks);
        struct buf text = {0};
        for (size_t i = 0; i < marks.log.n; i++) {
            int layer = (int)i / f->parts;
            uint32_t t = dump_find_row(&s->now->side[0].dump, str_of(marks.log.v[i].side[0])),
                     g = dump_find_row(&s->now->side[1].dump, str_of(marks.log.v[i].side[1]));
            uint32_t line = s->now->pairing->line_of[TARGET][t];
            while (line < s->now->pairing->lines.n && s->now->pairing->lines.v[line].row[0] == t &&
                   s->now->pairing->lines.v[line].row[1] != g)
                line++;
            assert_true(line < s->now->pairing->lines.n && s->now->pairing->lines.v[line].row[1] == g);
            uint32_t view = s->now->pairing->pairs.v[s->now->pairing->lines.v[line].pair].view;
            if (view == NONE)
                fail_msg("%s: %s has no view", what, marks.log.v[i].side[!wide]);
            buf_clear(&text);
            view_write(&s->now->pairing->views.v[view], &text);
            assert_int_equal(s->now->pairing->views.v[view].side, wide);
            assert_int_equal(s->now->measure.state[line], MEASURE_DONE);
            double error = s->now->measure.figures[line]->rel_l2;
            if (layer == f->faulty && i % (size_t)f->parts == 0 ? error < 0.5 : layer != f->faulty && error > 0)
                fail_msg("%s: %s is off by %g through %s", what, marks.log.v[i].side[!wide], error, text.p);
        }
        buf_release(&text);
        shut(s);
        decisions_release(&marks);
    }
}

static const char *const qkv[] = {"q", "k", "v"}, *const gate[] = {"gate", "up"};

static void one_piece(void **state)
{
    (void)state;
    check(&(struct fusing){qkv, 3, {24, 24, 24}, {0, 1, 2}, 1, 16, false, -1, 0, false}, "q k v");
    check(&(struct fusing){qkv, 3, {24, 24, 24}, {0, 1, 2}, 1, 16, true, -1, 0, false}, "q k v as a weight");
    check(&(struct fusing){qkv, 3, {24, 24, 24}, {2, 0, 1}, 1, 16, false, -1, 0, false}, "v q k");
    check(&(struct fusing){qkv, 3, {48, 8, 8}, {0, 1, 2}, 1, 16, false, -1, 0, false}, "q k v of grouped heads");
    check(&(struct fusing){gate, 2, {40, 40}, {0, 1}, 1, 16, false, -1, 0, false}, "gate up");
    check(&(struct fusing){gate, 2, {40, 40}, {1, 0}, 1, 16, true, -1, 0, false}, "up gate as a weight");
}

static void head_group_by_head_group(void **state)
{
    (void)state;
    check(&(struct fusing){qkv, 3, {24, 24, 24}, {0, 1, 2}, 3, 16, false, -1, 0, false}, "every head by itself");
    check(&(struct fusing){qkv, 3, {48, 16, 16}, {0, 1, 2}, 4, 16, false, -1, 0, false}, "four groups of three heads");
    check(&(struct fusing){qkv, 3, {48, 16, 16}, {0, 1, 2}, 4, 16, true, -1, 0, false}, "the same as a weight");
}

/* A hierarchical model's later stage has more heads of the same width. */
static void heads_of_stages(void **state)
{
    (void)state;
    check(&(struct fusing){qkv, 3, {24, 24, 24}, {0, 1, 2}, 3, 16, false, -1, 0, true}, "heads of two stages");
    check(&(struct fusing){qkv, 3, {24, 24, 24}, {0, 1, 2}, 2, 16, true, -1, 0, true}, "weights of two stages");
}

static void shard_by_shard(void **state)
{
    (void)state;
    check(&(struct fusing){gate, 2, {40, 40}, {0, 1}, 2, 16, false, -1, 0, false}, "gate up of two shards");
    check(&(struct fusing){gate, 2, {64, 64}, {0, 1}, 8, 16, true, -1, 0, false}, "gate up of eight shards, a weight");
    check(&(struct fusing){qkv, 3, {48, 16, 16}, {0, 1, 2}, 2, 16, false, -1, 0, false}, "q k v of two shards");
}

/* One layer's weight was split the wrong way: it is to show, not to be excused. */
static void a_faulty_layer_is_found_out(void **state)
{
    (void)state;
    for (int layer = 0; layer < LAYERS; layer += LAYERS - 1) {
        check(&(struct fusing){qkv, 3, {48, 16, 16}, {0, 1, 2}, 4, 16, false, layer, 0, false},
              "groups, one layer in one piece");
        check(&(struct fusing){gate, 2, {40, 40}, {0, 1}, 1, 16, false, layer, 0, false}, "one layer up before gate");
    }
}

static void nothing_is_invented(void **state)
{
    struct decisions marks;
    struct session *s = fused(&(struct fusing){qkv, 3, {24, 24, 24}, {0, 1, 2}, 1, 16, false, -1, 1, false}, 1, &marks);
    (void)state;
    assert_int_equal(s->now->pairing->views.n, 0);
    for (size_t i = 0; i < s->now->measure.lines; i++)
        assert_int_equal(s->now->measure.state[i], MEASURE_NONE); /* and nothing is computed */
    shut(s);
    decisions_release(&marks);
}

/* A single part of a wide row, the others not known. */
static void a_part_alone(void **state)
{
    static float part[3][VALUES], whole[3 * VALUES];
    static const struct fusing f = {qkv, 3, {24, 24, 24}, {0, 1, 2}, 1, 16, false, -1, 0, false};
    (void)state;
    for (int which = 0; which < 3; which++) {
        struct tensor_dump d[2];
        struct decisions marks = {0};
        struct decision x = {.kind = DECIDE_MARK,
                             .step = 1,
                             .side = {"Mint.k.0.forward.output.0", "Functional.fused.0.forward.output.0"},
                             .view = ""};
        tensors_begin(&d[0]);
        tensors_begin(&d[1]);
        for (int i = 0; i < 3; i++)
            fill(part[i], 16 * 24);
        fuse(&f, false, part, whole, 72);
        tensors_add(&d[0], "Mint.k.0.forward", "16,24", part[which], 16 * 24);
        tensors_add(&d[1], "Functional.fused.0.forward", "16,72", whole, 16 * 72);
        tensors_end(&d[0]);
        tensors_end(&d[1]);
        decisions_add(&marks, x);
        struct session *s = compare(d, &marks);
        assert_int_equal(s->now->measure.state[0], MEASURE_DONE);
        assert_true(s->now->measure.figures[0]->rel_l2 <= 0);
        shut(s);
        decisions_release(&marks);
    }
}

/* Ends two recordings, compares them by the marks, and asserts that all pairs are equal; releases the marks. */
static void all_are_equal(struct tensor_dump d[2], struct decisions *marks)
{
    tensors_end(&d[0]);
    tensors_end(&d[1]);
    struct session *s = compare(d, marks);
    for (size_t i = 0; i < s->now->pairing->lines.n; i++) {
        assert_int_equal(s->now->measure.state[i], MEASURE_DONE);
        assert_true(s->now->measure.figures[i]->rel_l2 <= 0);
    }
    shut(s);
    decisions_release(marks);
}

/* [batch, sequence, width] against [sequence, batch, 3 * width]: cut, and put in the other order; one side may hold
 * both in one axis. */
static void order_is_found(const char *part_shape, const char *whole_shape)
{
    enum { BATCH = 3, SEQ = 8, WIDTH = 12 };
    static float part[3][BATCH * SEQ * WIDTH], whole[3 * BATCH * SEQ * WIDTH];
    static char names[LAYERS * 3][2][60];
    struct tensor_dump d[2];
    struct decisions marks = {0};
    char call[50];
    int n = 0;
    tensors_begin(&d[0]);
    tensors_begin(&d[1]);
    for (int l = 0; l < LAYERS; l++) {
        for (int i = 0; i < 3; i++) {
            fill(part[i], BATCH * SEQ * WIDTH);
            for (int b = 0; b < BATCH; b++)
                for (int q = 0; q < SEQ; q++)
                    for (int c = 0; c < WIDTH; c++)
                        whole[(q * BATCH + b) * 3 * WIDTH + c / 4 * 12 + i * 4 + c % 4] =
                            part[i][(b * SEQ + q) * WIDTH + c];
            snprintf(call, sizeof call, "Mint.%s.%d.forward", qkv[i], l);
            tensors_add(&d[0], call, part_shape, part[i], BATCH * SEQ * WIDTH);
            snprintf(names[n][0], sizeof names[n][0], "%s.output.0", call);
            snprintf(names[n][1], sizeof names[n][1], "Functional.fused.%d.forward.output.0", l);
            struct decision x = {.kind = DECIDE_MARK, .step = 1, .side = {names[n][0], names[n][1]}, .view = ""};
            decisions_add(&marks, x);
            n++;
        }
        snprintf(call, sizeof call, "Functional.fused.%d.forward", l);
        tensors_add(&d[1], call, whole_shape, whole, 3 * BATCH * SEQ * WIDTH);
    }
    all_are_equal(d, &marks);
}

static void axes_in_another_order(void **state)
{
    (void)state;
    order_is_found("3,8,12", "8,3,36");
    order_is_found("3,8,12", "24,36");
    order_is_found("24,12", "8,3,36");
}

/* Two towers of one model, whose tensors have as many values in other shapes: each is divided in its own way. */
static void towers_of_one_size(void **state)
{
    enum { BATCH = 3, VALUES_EACH = 96 };
    static float part[BATCH * VALUES_EACH], whole[3 * BATCH * VALUES_EACH];
    static char names[LAYERS * 3][2][60];
    struct tensor_dump d[2];
    struct decisions marks = {0};
    char call[50], shape[40];
    (void)state;
    tensors_begin(&d[0]);
    tensors_begin(&d[1]);
    for (int l = 0; l < LAYERS; l++) {
        int length = l < LAYERS / 2 ? 8 : 4, width = VALUES_EACH / length;
        for (int i = 0; i < 3; i++) {
            char *const *name = (char *const[]){names[l * 3 + i][0], names[l * 3 + i][1]};
            fill(part, BATCH * VALUES_EACH);
            for (int k = 0; k < BATCH * VALUES_EACH; k++) {
                int b = k / VALUES_EACH, q = k % VALUES_EACH / width, c = k % width;
                whole[(q * BATCH + b) * 3 * width + i * width + c] = part[k];
            }
            snprintf(call, sizeof call, "Mint.%s.%d.forward", qkv[i], l);
            snprintf(shape, sizeof shape, "%d,%d,%d", BATCH, length, width);
            tensors_add(&d[0], call, shape, part, BATCH * VALUES_EACH);
            snprintf(name[0], sizeof names[0][0], "%s.output.0", call);
            snprintf(name[1], sizeof names[0][1], "Functional.fused.%d.forward.output.0", l);
            struct decision x = {.kind = DECIDE_MARK, .step = 1, .side = {name[0], name[1]}, .view = ""};
            decisions_add(&marks, x);
        }
        snprintf(call, sizeof call, "Functional.fused.%d.forward", l);
        snprintf(shape, sizeof shape, "%d,%d", length * BATCH, 3 * width);
        tensors_add(&d[1], call, shape, whole, 3 * BATCH * VALUES_EACH);
    }
    all_are_equal(d, &marks);
}

/* The view a person gave is the one that holds, right or not. */
static void a_given_view_stays(void **state)
{
    struct decisions marks;
    const struct fusing f = {gate, 2, {40, 40}, {0, 1}, 1, 16, false, -1, 0, false};
    struct session *s = fused(&f, 1, &marks);
    (void)state;
    for (size_t i = 0; i < marks.log.n; i++)
        marks.log.v[i].view = "golden slice 1 40:"; /* the other half of the gate */
    session_lock(s);
    session_decide(s, &marks);
    session_unlock(s);
    struct err e;
    assert_int_equal(session_wait(s, &e), 0);
    for (size_t i = 0; i < s->now->pairing->lines.n; i++) {
        double error = s->now->measure.figures[i]->rel_l2;
        assert_true(s->now->pairing->lines.v[i].row[0] % 2 ? error <= 0 : error > 0.5);
    }
    for (size_t i = 0; i < marks.log.n; i++)
        marks.log.v[i].view = "golden slice 1 0:7"; /* one that does not go with it: said, not computed */
    session_lock(s);
    session_decide(s, &marks);
    session_unlock(s);
    assert_int_equal(session_wait(s, &e), 0);
    for (size_t i = 0; i < s->now->pairing->lines.n; i++) {
        assert_int_equal(s->now->measure.state[i], MEASURE_FAILED);
        if (!strstr(s->now->measure.failure[i], "element counts after the view: 112 and 640"))
            fail_msg("%s", s->now->measure.failure[i]);
    }
    shut(s);
    decisions_release(&marks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_piece),
        cmocka_unit_test(head_group_by_head_group),
        cmocka_unit_test(heads_of_stages),
        cmocka_unit_test(shard_by_shard),
        cmocka_unit_test(a_faulty_layer_is_found_out),
        cmocka_unit_test(nothing_is_invented),
        cmocka_unit_test(a_part_alone),
        cmocka_unit_test(axes_in_another_order),
        cmocka_unit_test(towers_of_one_size),
        cmocka_unit_test(a_given_view_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
