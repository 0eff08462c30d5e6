/* Sketches of tensors, and recordings that are told by them alone. */
#include "dump/computed_sketches.h"
#include "fmt/digest.h"
#include "fmt/find_recordings.h"
#include "num/masked.h"
#include "num/sketch.h"
#include "report/digest_write.h"
#include "tensors.h"

#define ELEMENTS 4096

static void sketch(const double *x, double out[SKETCH_NUMBERS])
{
    memset(out, 0, SKETCH_NUMBERS * sizeof *out);
    sketch_add(x, 0, ELEMENTS, out);
    for (int i = 0; i < ELEMENTS; i++)
        out[SKETCH_NORM] += x[i] * x[i];
    out[SKETCH_NORM] = sqrt(out[SKETCH_NORM]);
}

/* From one element that differs to all of them, and from 1e-10 to 1: the distance is told to within a factor of 2. */
static void sketches_tell_distances(void **state)
{
    (void)state;
    double x[ELEMENTS], y[ELEMENTS], a[SKETCH_NUMBERS], b[SKETCH_NUMBERS];
    for (int i = 0; i < ELEMENTS; i++)
        x[i] = sin(i * 0.37) + 0.1 * cos(i * 1.7);
    sketch(x, b);
    assert_true(sketch_distance(b, b) == 0);
    for (double size = 1e-10; size < 2; size *= 10)
        for (int every = 1; every <= ELEMENTS; every *= 8) {
            double off = 0, norm = 0;
            for (int i = 0; i < ELEMENTS; i++) {
                y[i] = x[i] + (i % every == every - 1 ? size * sin(i * 0.11 + 1) : 0);
                off += (y[i] - x[i]) * (y[i] - x[i]);
                norm += x[i] * x[i];
            }
            sketch(y, a);
            double told = sketch_distance(a, b), is = sqrt(off / norm);
            assert_true(told > is / 2 && told < is * 2);
        }
}

/* The same values in other places, and other signs, are another tensor. */
static void sketches_tell_places_and_signs(void **state)
{
    (void)state;
    double x[ELEMENTS], y[ELEMENTS], a[SKETCH_NUMBERS], b[SKETCH_NUMBERS];
    for (int i = 0; i < ELEMENTS; i++) {
        x[i] = sin(i * 0.37);
        y[ELEMENTS - 1 - i] = x[i];
    }
    sketch(x, a);
    sketch(y, b);
    assert_true(sketch_distance(a, b) > 0.5);
    for (int i = 0; i < ELEMENTS; i++)
        y[i] = -x[i];
    sketch(y, b);
    assert_true(sketch_distance(a, b) > 1);
}

static void put_dump(struct tensor_dump *d, float last)
{
    float x[4] = {1, -2, 3, 4}, masked[4] = {0.5F, -1e4F, -1e4F, 2}, odd[4] = {1, NAN, 2, 3};
    x[3] = last;
    tensors_begin(d);
    tensors_add(d, "Functional.linear.0.forward", "2,2", x, 4);
    tensors_add(d, "Tensor.masked_fill.0.forward", "4", masked, 4);
    tensors_add(d, "Tensor.log.0.forward", "4", odd, 4);
    tensors_end(d);
}

static void open_at(struct dump *d, const char *path, pthread_mutex_t *lock)
{
    place_list l = {0};
    struct load load = {.lock = lock};
    struct err e;
    assert_int_equal(find_recordings(path, &l, &e), 0);
    assert_int_equal(l.n, 1);
    dump_init(d);
    d->reader = l.v[0].reader;
    d->column = COLUMN_ALL;
    d->path = path;
    d->parts = &d->path;
    d->part_count = 1;
    d->step = l.v[0].step;
    d->rank = l.v[0].rank;
    assert_int_equal(d->reader->open(d, &load, &e), 0);
    d->complete = true;
    computed_sketches_fill(d, 1, &load);
    place_list_release(&l);
}

static const char *digest_of(const char *dir, pthread_mutex_t *lock)
{
    struct digest_writing w;
    struct dump d;
    struct out out;
    struct err e;
    char *path = path_in(dir, "a.digest");
    open_at(&d, dir, lock);
    assert_int_equal(out_file(&out, path, &e), 0);
    digest_begin(&w, &out);
    digest_add(&w, &d);
    digest_end(&w);
    assert_int_equal(out_close(&out, &e), 0);
    dump_release(&d);
    return path;
}

static void a_digest_reads_as_what_it_was_made_of(void **state)
{
    (void)state;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct tensor_dump t;
    struct dump d, g;
    put_dump(&t, 4);
    const char *path = digest_of(t.dir, &lock);
    open_at(&d, t.dir, &lock);
    open_at(&g, path, &lock);
    assert_true(dump_is_digest(&g));
    assert_ptr_equal(dump_format(&g), d.reader);
    assert_int_equal(d.rows.n, 3);
    assert_int_equal(g.rows.n, d.rows.n);
    assert_int_equal(g.calls.n, d.calls.n);
    for (size_t r = 0; r < d.rows.n; r++) {
        const double *a = d.sketch + r * SKETCH_NUMBERS, *b = g.sketch + r * SKETCH_NUMBERS;
        bool nan = r == 2;
        struct buf name[2] = {{0}, {0}};
        dump_row_name(&d, (uint32_t)r, &name[0]);
        dump_row_name(&g, (uint32_t)r, &name[1]);
        assert_string_equal(name[0].p, name[1].p);
        buf_release(&name[0]);
        buf_release(&name[1]);
        assert_memory_equal(d.rows.v[r].stat, g.rows.v[r].stat, sizeof d.rows.v[r].stat);
        assert_int_equal(dump_row_numel(&d, (uint32_t)r), dump_row_numel(&g, (uint32_t)r));
        assert_false(dump_row_readable(&g, (uint32_t)r));
        assert_true(nan ? isnan(sketch_distance(b, a)) : sketch_distance(b, a) == 0);
    }
    assert_true(d.sketch[SKETCH_NUMBERS + SKETCH_FILLS] == 2);
    assert_true(digest_precision(&g) == SKETCH_PRECISION && isnan(digest_precision(&d)));
    dump_release(&d);
    dump_release(&g);
}

/* A digest that ends early, or whose list of places points elsewhere, is refused with a sentence. */
static void a_damaged_digest_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"digest\":1}\n",
        "{\"digest\":1}\n{\"places\":[[0,0,0,99999]]}\ndigest index 00000000000000000013\n",
        "{\"digest\":1}\n{\"places\":[[0,0,99999999999,1]]}\ndigest index 00000000000000000013\n",
        "{\"digest\":1}\n{\"places\":7}\ndigest index 00000000000000000013\n",
        "{\"digest\":1}\n{\"places\":[[0,0,0,13]]}\ndigest index 99999999999999999999\n",
        "{\"digest\":1}\n{\"places\":[[0,0,0,13],[7]]}\ndigest index 00000000000000000013\n",
        "{\"digest\":1}\n{\"row\":[5]}\n{\"places\":[[-1,-1,0,25]]}\ndigest index 00000000000000000025\n",
    };
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const char *dir = scratch();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *path = put_text(dir, "bad", bad[i]);
        place_list l = {0};
        struct load load = {.lock = &lock};
        struct err e = {0};
        struct dump d;
        dump_init(&d);
        assert_int_equal(find_recordings(path, &l, &e), 0);
        assert_true(l.n >= 1); /* and the places before the damage */
        d.reader = l.v[0].reader;
        d.path = path;
        d.step = l.v[0].step;
        d.rank = l.v[0].rank;
        assert_int_equal(d.reader->open(&d, &load, &e), -1);
        assert_true(e.text[0] != 0);
        dump_release(&d);
        place_list_release(&l);
    }
}

/* One digit changed anywhere, the list of places and the index included, and the digest is refused by name. */
static void a_changed_digest_is_refused(void **state)
{
    (void)state;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct tensor_dump t;
    put_dump(&t, 4);
    const char *path = digest_of(t.dir, &lock);
    struct buf whole = {0};
    struct err e = {0};
    assert_int_equal(file_slurp(path, SIZE_MAX / 4, &whole, &e), 0);
    size_t changed = 0;
    for (size_t i = 0; i < whole.n; i++) {
        char was = whole.p[i];
        if (was < '0' || was > '9' || (i % 7 && i + 150 < whole.n))
            continue;
        whole.p[i] = was == '9' ? '0' : (char)(was + 1);
        const char *bad = put_text(t.dir, "changed", whole.p);
        struct load load = {.lock = &lock};
        struct dump d;
        dump_init(&d);
        d.reader = &reader_digest;
        d.path = bad;
        d.step = 0;
        d.rank = 0;
        if (d.reader->open(&d, &load, &e) == 0 || !strstr(e.text, bad))
            fail_msg("byte %zu: %s", i, e.text);
        dump_release(&d);
        whole.p[i] = was;
        changed++;
    }
    assert_true(changed > 50);
    buf_release(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sketches_tell_distances),
        cmocka_unit_test(sketches_tell_places_and_signs),
        cmocka_unit_test(a_digest_reads_as_what_it_was_made_of),
        cmocka_unit_test(a_damaged_digest_is_refused),
        cmocka_unit_test(a_changed_digest_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
