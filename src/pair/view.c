/* Parses, writes and applies views: a table with one row per kind of step. */
#include "pair/view.h"

#include <string.h>

#include "base/msg.h"

static const struct {
    const char *word;
    int least, most;  /* count of its numbers */
    const char *form; /* for messages */
} ops[VIEW_OPS] = {
    [VIEW_RESHAPE] = {"reshape", 1, TENSOR_DIMS, "reshape 2,8,-1"},
    [VIEW_PERMUTE] = {"permute", 1, TENSOR_DIMS, "permute 1,0,2"},
    [VIEW_TRANSPOSE] = {"transpose", 0, 0, "transpose"},
    [VIEW_SLICE] = {"slice", 2, 3, "slice 0 0:16"},
    [VIEW_SPLIT] = {"split", 4, 4, "split -1 2 0:8"},
    [VIEW_REPEAT] = {"repeat", 2, 2, "repeat 0 4"},
};

/* ---- text ---- */

static bool take_axis_number(struct str s, int64_t *out)
{
    bool minus = s.n && s.p[0] == '-';
    unsigned long long u;
    if (!str_u64(minus ? str_cut(s, 1) : s, &u) || u > INT32_MAX)
        return false;
    *out = minus ? -(int64_t)u : (int64_t)u;
    return true;
}

/* The next word of *rest, "" at the end. */
static struct str next_word(struct str *rest)
{
    struct str word, all = str_trim(*rest);
    str_split(all, ' ', &word, rest);
    return word;
}

/* Appends the numbers in "2,8,-1", "0:16" or "4:" to the step. */
static bool take_axis_numbers(struct str word, char between, struct view_step *s)
{
    struct str one;
    for (bool again = true; again;) {
        struct str rest;
        again = str_split(word, between, &one, &rest);
        word = rest;
        if (!one.n && between == ':' && !again)
            return true; /* FROM: means up to the end */
        if (s->n == TENSOR_DIMS || !take_axis_number(one, &s->v[s->n]))
            return false;
        s->n++;
    }
    return true;
}

static bool step_numbers(struct view_step *s, struct str *rest)
{
    switch ((enum view_op)s->op) {
    case VIEW_RESHAPE:
    case VIEW_PERMUTE:
        return take_axis_numbers(next_word(rest), ',', s);
    case VIEW_SLICE:
        return take_axis_numbers(next_word(rest), ' ', s) && take_axis_numbers(next_word(rest), ':', s);
    case VIEW_SPLIT:
        return take_axis_numbers(next_word(rest), ' ', s) && take_axis_numbers(next_word(rest), ' ', s) &&
               take_axis_numbers(next_word(rest), ':', s);
    case VIEW_REPEAT:
        return take_axis_numbers(next_word(rest), ' ', s) && take_axis_numbers(next_word(rest), ' ', s);
    case VIEW_TRANSPOSE:
    case VIEW_OPS:
        break;
    }
    return true;
}

int view_parse(struct view *v, struct str text, struct err *e)
{
    struct str rest = text, word = next_word(&rest);
    *v = (struct view){.side = 1};
    if (str_is(word, "target") || str_is(word, "golden")) {
        v->side = str_is(word, "golden");
        word = next_word(&rest);
    }
    for (; word.n; word = next_word(&rest)) {
        struct view_step s = {.op = VIEW_OPS};
        for (int i = 0; i < VIEW_OPS; i++)
            if (str_is(word, ops[i].word))
                s.op = (uint8_t)i;
        if (s.op == VIEW_OPS)
            return err_set(e, ERR_USAGE, _("view: expected reshape, permute, transpose, slice, split or repeat, found "
                                           "\"%.*s\""), STR_ARG(word));
        if (!step_numbers(&s, &rest) || s.n < ops[s.op].least || s.n > ops[s.op].most)
            return err_set(e, ERR_USAGE, _("view: %s: expected numbers, as in \"%s\""), ops[s.op].word,
                           ops[s.op].form);
        if (v->count == VIEW_STEPS)
            return err_set(e, ERR_USAGE, _("view: at most %d steps"), VIEW_STEPS);
        v->step[v->count++] = s;
    }
    return 0;
}

bool view_same(const struct view *a, const struct view *b)
{
    if (!a || !b || a->side != b->side || a->count != b->count)
        return a == b;
    for (int i = 0; i < a->count; i++)
        if (a->step[i].op != b->step[i].op || a->step[i].n != b->step[i].n ||
            memcmp(a->step[i].v, b->step[i].v, a->step[i].n * sizeof *a->step[i].v) != 0)
            return false;
    return true;
}

static void write_list(const struct view_step *s, struct buf *out)
{
    for (int i = 0; i < s->n; i++)
        buf_fmt(out, i ? ",%lld" : "%lld", (long long)s->v[i]);
}

static void write_range(const int64_t *v, int n, struct buf *out)
{
    buf_fmt(out, "%lld:", (long long)v[0]);
    if (n > 1)
        buf_fmt(out, "%lld", (long long)v[1]);
}

void view_write(const struct view *v, struct buf *out)
{
    buf_cstr(out, v->side ? "golden" : "target");
    for (int i = 0; i < v->count; i++) {
        const struct view_step *s = &v->step[i];
        buf_fmt(out, " %s", ops[s->op].word);
        if (s->n)
            buf_char(out, ' ');
        if (s->op == VIEW_SLICE) {
            buf_fmt(out, "%lld ", (long long)s->v[0]);
            write_range(s->v + 1, s->n - 1, out);
        } else if (s->op == VIEW_SPLIT) {
            buf_fmt(out, "%lld %lld ", (long long)s->v[0], (long long)s->v[1]);
            write_range(s->v + 2, 2, out);
        } else if (s->op == VIEW_REPEAT) {
            buf_fmt(out, "%lld %lld", (long long)s->v[0], (long long)s->v[1]);
        } else {
            write_list(s, out);
        }
    }
}

static void step_text(const struct view_step *s, struct buf *out)
{
    switch ((enum view_op)s->op) {
    case VIEW_RESHAPE:
        buf_cstr(out, _("reshaped ("));
        write_list(s, out);
        buf_char(out, ')');
        break;
    case VIEW_PERMUTE:
        buf_cstr(out, _("permuted ("));
        write_list(s, out);
        buf_char(out, ')');
        break;
    case VIEW_TRANSPOSE:
        buf_cstr(out, _("transposed"));
        break;
    case VIEW_SLICE:
        buf_fmt(out, _("axis %lld sliced to "), (long long)s->v[0]);
        write_range(s->v + 1, s->n - 1, out);
        break;
    case VIEW_SPLIT:
        buf_cstr(out, _("part "));
        write_range(s->v + 2, 2, out);
        if (s->v[1] > 1)
            buf_fmt(out, _(" of each of %lld pieces"), (long long)s->v[1]);
        buf_fmt(out, _(" of axis %lld"), (long long)s->v[0]);
        break;
    case VIEW_REPEAT:
        buf_fmt(out, _("axis %lld repeated %lld times"), (long long)s->v[0], (long long)s->v[1]);
        break;
    case VIEW_OPS:
        break;
    }
}

void view_text(const struct view *v, struct buf *out)
{
    if (v && !v->count)
        buf_cstr(out, _("reshaped"));
    for (int i = 0; v && i < v->count; i++) {
        if (i)
            buf_cstr(out, ", ");
        step_text(&v->step[i], out);
    }
}

/* ---- applying a view ---- */

static bool axis_of(const struct tensor *t, int64_t v, int *axis)
{
    *axis = (int)(v < 0 ? v + t->ndim : v);
    return *axis >= 0 && *axis < t->ndim;
}

static void count_elements(struct tensor *t)
{
    t->numel = 1;
    for (int i = 0; i < t->ndim; i++)
        t->numel *= (uint64_t)t->shape[i];
}

static bool view_slice(struct tensor *t, int axis, int64_t from, int64_t to)
{
    if (from < 0 || to > t->shape[axis] || from >= to)
        return false;
    t->offset += (uint64_t)(from * t->stride[axis]) * dtype_table[t->dtype].size;
    t->shape[axis] = to - from;
    count_elements(t);
    return true;
}

/* Splits an axis into two; the outer one has `outer` steps. */
static bool part_axis(struct tensor *t, int axis, int64_t outer)
{
    if (outer < 1 || t->shape[axis] % outer || t->ndim == TENSOR_DIMS)
        return false;
    size_t behind = (size_t)(t->ndim - axis) * sizeof *t->shape;
    memmove(t->shape + axis + 1, t->shape + axis, behind);
    memmove(t->stride + axis + 1, t->stride + axis, behind);
    t->ndim++;
    t->shape[axis] = outer;
    t->shape[axis + 1] /= outer;
    t->stride[axis] = t->stride[axis + 1] * t->shape[axis + 1];
    return true;
}

/* Repeats an axis of size 1: its stride becomes 0. */
static bool view_repeat(struct tensor *t, int axis, int64_t times)
{
    if (t->shape[axis] != 1 || times < 1 || t->numel > INT64_MAX / (uint64_t)times)
        return false;
    t->shape[axis] = times;
    t->stride[axis] = 0;
    count_elements(t);
    return true;
}

/* New sizes over the same order of elements: axes contiguous in storage are merged first, then split. */
static bool view_reshape(struct tensor *t, const struct view_step *s)
{
    struct tensor_walk w;
    int64_t size[TENSOR_DIMS];
    uint64_t known = 1;
    int open = -1;
    for (int i = 0; i < s->n; i++) {
        size[i] = s->v[i];
        if (size[i] == -1 && open < 0)
            open = i;
        else if (size[i] < 1 || known > t->numel / (uint64_t)size[i])
            return false;
        else
            known *= (uint64_t)size[i];
    }
    if (open >= 0)
        size[open] = (int64_t)(t->numel / known);
    else if (known != t->numel)
        return false;
    if (!t->numel || known == 0 || t->numel % known)
        return false;
    tensor_walk_init(&w, t);
    struct tensor made = *t;
    made.ndim = s->n;
    int axis = 0;
    int64_t left = w.shape[0];
    for (int i = 0; i < s->n; i++) {
        if (left == 1 && axis + 1 < w.ndim && size[i] != 1)
            left = w.shape[++axis];
        if (left % size[i]) {
            tensor_walk_release(&w);
            return false;
        }
        left /= size[i];
        made.shape[i] = size[i];
        made.stride[i] = w.stride[axis] * left;
    }
    tensor_walk_release(&w);
    if (left != 1 || axis + 1 != w.ndim)
        return false;
    *t = made;
    return true;
}

static bool view_permute(struct tensor *t, const struct view_step *s)
{
    int perm[TENSOR_DIMS];
    unsigned seen = 0;
    if (s->n != t->ndim)
        return false;
    for (int i = 0; i < s->n; i++) {
        if (!axis_of(t, s->v[i], &perm[i]))
            return false;
        seen |= 1U << perm[i];
    }
    if (seen != (1U << s->n) - 1)
        return false;
    tensor_permute(t, perm);
    return true;
}

static bool view_transpose(struct tensor *t)
{
    int perm[TENSOR_DIMS];
    if (t->ndim < 2)
        return false;
    for (int i = 0; i < t->ndim; i++)
        perm[i] = i < t->ndim - 2 ? i : 2 * t->ndim - 3 - i;
    tensor_permute(t, perm);
    return true;
}

static bool step_apply(const struct view_step *s, struct tensor *t)
{
    int axis;
    switch ((enum view_op)s->op) {
    case VIEW_RESHAPE:
        return view_reshape(t, s);
    case VIEW_PERMUTE:
        return view_permute(t, s);
    case VIEW_TRANSPOSE:
        return view_transpose(t);
    case VIEW_SLICE:
        return axis_of(t, s->v[0], &axis) && view_slice(t, axis, s->v[1], s->n > 2 ? s->v[2] : t->shape[axis]);
    case VIEW_SPLIT:
        return axis_of(t, s->v[0], &axis) && part_axis(t, axis, s->v[1]) && view_slice(t, axis + 1, s->v[2], s->v[3]);
    case VIEW_REPEAT:
        return axis_of(t, s->v[0], &axis) && view_repeat(t, axis, s->v[1]);
    case VIEW_OPS:
        break;
    }
    return false;
}

int view_apply(const struct view *v, struct tensor *t, struct err *e)
{
    struct tensor made = *t;
    for (int i = 0; i < v->count; i++)
        if (!step_apply(&v->step[i], &made)) {
            struct buf step = {0}, shape = {0};
            step_text(&v->step[i], &step);
            for (int k = 0; k < made.ndim; k++)
                buf_fmt(&shape, k ? ",%lld" : "%lld", (long long)made.shape[k]);
            int rc = err_set(e, ERR_DATA, _("%s: \"%s\" does not fit the shape [%s]"), t->file.name, step.p,
                             shape.p ? shape.p : "");
            buf_release(&step);
            buf_release(&shape);
            return rc;
        }
    *t = made;
    return 0;
}
