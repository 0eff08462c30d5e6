/* Views as text, and what they make of a tensor, against a reference that moves every element by hand. */
#include "support.h"

#include <math.h>
#include <unistd.h>

#include "base/mem.h"
#include "pair/view.h"

static uint32_t seed = 3;

static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* ---- text ---- */

static void written_as_read(void **state)
{
    static const char *const same[] = {
        "golden",
        "target",
        "golden reshape 2,8,-1",
        "target permute 1,0,2",
        "golden transpose",
        "golden slice 0 0:16",
        "golden slice -1 4:",
        "golden split -1 2 0:8",
        "target repeat 0 4",
        "target reshape 4,4 permute 1,0 slice 0 1:3 transpose",
        "golden reshape 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
        "golden slice 3 2147483646:2147483647",
    };
    static const char *const as[][2] = {
        {"", "golden"}, {"  transpose  ", "golden transpose"}, {"golden   slice   1   2:3", "golden slice 1 2:3"}, {"target", "target"},
        {"permute 1,0", "golden permute 1,0"}, {"slice 0 5", "golden slice 0 5:"},
    };
    struct view v;
    struct err e;
    struct buf b = {0};
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        buf_clear(&b);
        if (view_parse(&v, str_of(same[i]), &e))
            fail_msg("%s: %s", same[i], e.text);
        view_write(&v, &b);
        assert_string_equal(b.p, same[i]);
    }
    for (size_t i = 0; i < sizeof as / sizeof *as; i++) {
        buf_clear(&b);
        assert_int_equal(view_parse(&v, str_of(as[i][0]), &e), 0);
        view_write(&v, &b);
        assert_string_equal(b.p, as[i][1]);
    }
    buf_release(&b);
}

static void what_is_no_view(void **state)
{
    static const char *const bad[][2] = {
        {"nonsense", "nonsense"}, {"golden nonsense", "nonsense"}, {"golden golden", "golden"}, {"transpose 1", "1"}, {"reshape", "reshape 2,8,-1"},
        {"reshape ,", "reshape"}, {"reshape 2,", "reshape"}, {"reshape 2,,3", "reshape"}, {"reshape 2 3", "3"}, {"reshape x", "reshape"},
        {"reshape 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "reshape"}, {"reshape 2147483648", "reshape"}, {"reshape 99999999999999999999999", "reshape"},
        {"reshape --1", "reshape"}, {"reshape -", "reshape"}, {"reshape 1e3", "reshape"}, {"permute", "permute 1,0,2"}, {"permute transpose", "permute"},
        {"slice", "slice 0 0:16"}, {"slice 0", "slice"}, {"slice 0 :5", "slice"}, {"slice 0 1:2:3", "slice"}, {"slice 0:1 2", "slice"},
        {"split -1 2", "split -1 2 0:8"}, {"split -1 2 0", "split"}, {"split -1 2 0:", "split"}, {"split -1 0:8", "split"}, {"split 1,2 3 0:8", "split"},
        {"transpose transpose transpose transpose transpose", "4 steps"}, {"TRANSPOSE", "TRANSPOSE"}, {"\033[31m", "expected reshape, permute"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct view v;
        struct err e = {0};
        if (!view_parse(&v, str_of(bad[i][0]), &e))
            fail_msg("\"%s\" is taken for a view", bad[i][0]);
        assert_int_equal(e.code, ERR_USAGE);
        if (!strstr(e.text, bad[i][1]))
            fail_msg("\"%s\": %s", bad[i][0], e.text);
    }
}

/* ---- laid over tensors ---- */

#define MOST 4096

/* A tensor as a plain list of its elements in logical order. */
struct plain {
    int ndim;
    int64_t shape[TENSOR_DIMS * 2];
    int at[MOST];
    int64_t n;
};

static int64_t count(const int64_t *shape, int from, int to)
{
    int64_t n = 1;
    for (int i = from; i < to; i++)
        n *= shape[i];
    return n;
}

static int64_t axis_at(const struct plain *p, int64_t v)
{
    v = v < 0 ? v + p->ndim : v;
    return v >= 0 && v < p->ndim ? v : -1;
}

static bool plain_permute(struct plain *p, const int64_t *v, int n)
{
    struct plain was = *p;
    bool seen[TENSOR_DIMS] = {false};
    int64_t axis[TENSOR_DIMS];
    for (int i = 0; i < n; i++) {
        axis[i] = n == p->ndim ? axis_at(p, v[i]) : -1;
        if (axis[i] < 0 || seen[axis[i]])
            return false;
        seen[axis[i]] = true;
        p->shape[i] = was.shape[axis[i]];
    }
    for (int64_t i = 0; i < p->n; i++) {
        int64_t rest = i, from = 0;
        for (int k = n; k-- > 0;) {
            from += rest % p->shape[k] * count(was.shape, (int)axis[k] + 1, n);
            rest /= p->shape[k];
        }
        p->at[i] = was.at[from];
    }
    return true;
}

static bool plain_slice(struct plain *p, int64_t axis, int64_t from, int64_t to)
{
    int64_t size = axis < 0 ? 0 : p->shape[axis], n = 0;
    if (axis < 0 || from < 0 || to > size || from >= to)
        return false;
    int64_t inner = count(p->shape, (int)axis + 1, p->ndim);
    for (int64_t i = 0; i < p->n; i++)
        if (i / inner % size >= from && i / inner % size < to)
            p->at[n++] = p->at[i];
    p->shape[axis] = to - from;
    p->n = n;
    return true;
}

static bool plain_repeat(struct plain *p, int64_t axis, int64_t times)
{
    if (axis < 0 || p->shape[axis] != 1 || times < 1)
        return false;
    struct plain was = *p;
    int64_t inner = count(p->shape, (int)axis + 1, p->ndim);
    p->shape[axis] = times;
    p->n *= times;
    for (int64_t i = 0; i < p->n; i++)
        p->at[i] = was.at[i / (inner * times) * inner + i % inner];
    return true;
}

static bool plain_reshape(struct plain *p, const int64_t *v, int n)
{
    int64_t known = 1;
    int open = -1;
    for (int i = 0; i < n; i++) {
        p->shape[i] = v[i];
        if (v[i] == -1 && open < 0)
            open = i;
        else if (v[i] < 1 || (known *= v[i]) > p->n)
            return false;
    }
    if (open >= 0)
        p->shape[open] = p->n / known;
    p->ndim = n;
    return count(p->shape, 0, n) == p->n;
}

static bool plain_step(struct plain *p, const struct view_step *s)
{
    int64_t swap[TENSOR_DIMS], axis;
    switch ((enum view_op)s->op) {
    case VIEW_RESHAPE:
        return plain_reshape(p, s->v, s->n);
    case VIEW_PERMUTE:
        return plain_permute(p, s->v, s->n);
    case VIEW_TRANSPOSE:
        for (int i = 0; i < p->ndim; i++)
            swap[i] = i;
        if (p->ndim < 2)
            return false;
        swap[p->ndim - 1] = p->ndim - 2;
        swap[p->ndim - 2] = p->ndim - 1;
        return plain_permute(p, swap, p->ndim);
    case VIEW_SLICE:
        axis = axis_at(p, s->v[0]);
        return plain_slice(p, axis, s->v[1], s->n > 2 ? s->v[2] : axis < 0 ? 0 : p->shape[axis]);
    case VIEW_SPLIT:
        axis = axis_at(p, s->v[0]);
        if (axis < 0 || s->v[1] < 1 || p->shape[axis] % s->v[1] || p->ndim == TENSOR_DIMS)
            return false;
        memmove(p->shape + axis + 1, p->shape + axis, (size_t)(p->ndim++ - axis) * sizeof *p->shape);
        p->shape[axis] = s->v[1];
        p->shape[axis + 1] /= s->v[1];
        return plain_slice(p, axis + 1, s->v[2], s->v[3]);
    case VIEW_REPEAT:
        return plain_repeat(p, axis_at(p, s->v[0]), s->v[1]);
    case VIEW_OPS:
        break;
    }
    return false;
}

static struct view_step random_step(const struct plain *p)
{
    struct view_step s = {.op = (uint8_t)draw(VIEW_OPS)};
    int64_t axis = p->ndim ? draw((uint32_t)p->ndim) : 0, size = p->ndim ? p->shape[axis] : 1;
    switch ((enum view_op)s.op) {
    case VIEW_RESHAPE:
        for (int64_t left = p->n, k = 1 + draw(5); k-- > 0; left /= s.v[s.n++]) {
            int64_t f = 1 + draw(6);
            s.v[s.n] = k ? left % f ? 1 : f : draw(2) ? -1 : left;
            if (s.v[s.n] == -1) {
                s.n++;
                break;
            }
        }
        break;
    case VIEW_PERMUTE:
        for (s.n = 0; s.n < p->ndim; s.n++) {
            int k = (int)draw(s.n + 1u);
            s.v[s.n] = s.v[k];
            s.v[k] = s.n;
        }
        if (!s.n || draw(10) == 0)
            s.v[s.n++] = (int64_t)draw(9) - 4;
        break;
    case VIEW_SLICE:
        s.n = (uint8_t)(2 + draw(2));
        s.v[0] = draw(2) ? axis : axis - p->ndim;
        s.v[1] = (int64_t)draw((uint32_t)size + 1) - (draw(20) == 0);
        s.v[2] = s.v[1] + (int64_t)draw((uint32_t)size + 1);
        break;
    case VIEW_SPLIT:
        s.n = 4;
        s.v[0] = draw(2) ? axis : axis - p->ndim;
        s.v[1] = draw(5);
        s.v[2] = draw(3);
        s.v[3] = s.v[2] + draw(4);
        break;
    case VIEW_REPEAT:
        for (int i = 0; i < p->ndim && draw(5); i++)
            axis = p->shape[i] == 1 ? i : axis;
        s.n = 2;
        s.v[0] = draw(2) ? axis : axis - p->ndim;
        s.v[1] = p->n * 3 > MOST ? draw(2) : draw(4);
        break;
    case VIEW_TRANSPOSE:
    case VIEW_OPS:
        break;
    }
    return s;
}

/* The elements of a tensor that counts from nought. */
static void check_elements(const struct tensor *t, const struct plain *p, const char *text)
{
    static float got[MOST];
    struct tensor_walk w;
    struct err e;
    long n = 0, more = 1;
    assert_int_equal(t->numel, p->n);
    assert_int_equal(t->ndim, p->ndim);
    assert_memory_equal(t->shape, p->shape, (size_t)p->ndim * sizeof *p->shape);
    tensor_walk_init(&w, t);
    while (n < p->n && (more = tensor_walk_next(&w, got + n, (size_t)(p->n - n), &e)) > 0)
        n += more;
    tensor_walk_release(&w);
    assert_int_equal(n, p->n);
    for (int64_t i = 0; i < p->n; i++)
        if (got[i] < (float)p->at[i] || got[i] > (float)p->at[i])
            fail_msg("%s: element %lld is %g, not %d", text, (long long)i, (double)got[i], p->at[i]);
}

static void counting(struct tensor *t, const char *path, int ndim, const int64_t *shape)
{
    struct err e;
    *t = (struct tensor){.dtype = DTYPE_F32, .ndim = ndim};
    memcpy(t->shape, shape, (size_t)ndim * sizeof *shape);
    assert_int_equal(tensor_pack(t, "t", &e), 0);
    assert_int_equal(file_open(&t->file, path, &e), 0);
}

static void elements_as_by_hand(void **state)
{
    char path[300];
    struct err e = {0};
    int done[VIEW_OPS] = {0}, refused = 0, could = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/t", scratch());
    FILE *f = fopen(path, "wb");
    for (int i = 0; i < MOST; i++)
        fwrite(&(float){(float)i}, 4, 1, f);
    fclose(f);
    for (int round = 0; round < 4500; round++) {
        static struct plain p, before;
        struct tensor t, was;
        struct buf text = {0};
        p.ndim = (int)draw(5);
        for (int i = 0; i < p.ndim; i++)
            p.shape[i] = 1 + draw(7);
        p.n = count(p.shape, 0, p.ndim);
        for (int i = 0; i < p.n; i++)
            p.at[i] = i;
        counting(&t, path, p.ndim, p.shape);
        for (int k = 0; k < VIEW_STEPS; k++) { /* one after the other, so that each is seen to fail alone */
            struct view v = {.side = 1, .count = 1, .step = {random_step(&p)}}, again;
            buf_clear(&text);
            view_write(&v, &text);
            if (view_parse(&again, buf_view(&text), &e))
                fail_msg("\"%s\": %s", text.p, e.text);
            assert_int_equal(again.step[0].n, v.step[0].n);
            was = t;
            before = p;
            bool right = plain_step(&p, &v.step[0]);
            int rc = view_apply(&again, &t, &e);
            if (rc) { /* elements that lie scattered may have no strides in the new shape */
                if (right && v.step[0].op != VIEW_RESHAPE)
                    fail_msg("\"%s\" is refused: %s", text.p, e.text);
                could += right;
                refused++;
                assert_int_equal(e.code, ERR_DATA);
                assert_memory_equal(&t, &was, sizeof t);
                p = before;
                continue;
            }
            if (!right)
                fail_msg("\"%s\" is taken over a shape of %d axes", text.p, before.ndim);
            done[v.step[0].op]++;
            check_elements(&t, &p, text.p);
        }
        buf_release(&text);
        tensor_close(&t);
    }
    for (int i = 0; i < VIEW_OPS; i++)
        if (done[i] <= 300)
            fail_msg("step %d was taken %d times", i, done[i]);
    assert_true(refused > 300 && could < 1500);
}

/* All at once is the same as one by one; where one does not fit, nothing has changed. */
static void several_steps(void **state)
{
    static const struct {
        const char *view, *shape; /* NULL: refused */
    } cases[] = {
        {"reshape 2,3,4 permute 2,0,1 slice 0 1:3 reshape 2,6", "2,6"}, {"split 1 3 0:1 transpose", "8,1,3"}, {"slice 0 0:25", NULL},
        {"transpose reshape 24", NULL}, {"reshape 24 reshape 2,12 reshape 4,-1", "4,6"}, {"reshape -1,-1", NULL}, {"reshape 5,-1", NULL},
        {"reshape 0,-1", NULL}, {"slice 2 0:1", NULL}, {"slice -3 0:1", NULL}, {"permute 0,0", NULL}, {"permute 0", NULL}, {"permute -1,-2", "3,8"},
        {"slice 0 2147483647:", NULL}, {"split 1 2147483647 0:1", NULL}, {"split 0 0 0:1", NULL}, {"split 0 8 0:1", "8,1,3"}, {"split 0 -2 0:1", NULL},
        {"reshape 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,24 split 15 2 0:1", NULL}, {"reshape 2147483647,2147483647,2147483647", NULL},
        {"slice 0 3:3", NULL}, {"slice 0 4:3", NULL}, {"slice 0 -1:3", NULL}, {"", "8,3"},
    };
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s/t", scratch());
    FILE *f = fopen(path, "wb");
    for (int i = 0; i < 24; i++)
        fwrite(&(float){(float)i}, 4, 1, f);
    fclose(f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensor t, was;
        struct view v;
        struct err e = {0};
        struct buf b = {0};
        counting(&t, path, 2, (const int64_t[]){8, 3});
        was = t;
        assert_int_equal(view_parse(&v, str_of(cases[i].view), &e), 0);
        int rc = view_apply(&v, &t, &e);
        if (rc != (cases[i].shape ? 0 : -1))
            fail_msg("\"%s\": %d", cases[i].view, rc);
        for (int k = 0; k < t.ndim; k++)
            buf_fmt(&b, "%s%lld", k ? "," : "", (long long)t.shape[k]);
        assert_string_equal(b.p, cases[i].shape ? cases[i].shape : "8,3");
        if (rc) {
            assert_memory_equal(&t, &was, sizeof t);
            assert_non_null(strstr(e.text, "does not fit the shape"));
        }
        buf_release(&b);
        tensor_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_as_read),
        cmocka_unit_test(what_is_no_view),
        cmocka_unit_test(elements_as_by_hand),
        cmocka_unit_test(several_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
