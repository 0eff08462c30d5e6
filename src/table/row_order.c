/* Filters and sorts lines in small pieces, so that the screen never waits, and finds a line's position in the order. */
#include "table/row_order.h"

#include <math.h>
#include <stdlib.h>

#define PIECE 20000 /* lines examined in one step; a few milliseconds */

/* The sort key of a line. Absent numbers come last in either direction. */
struct key {
    double number;
    const char *text; /* in the work's arena; NULL for numbers */
    uint32_t line;
};

struct row_order_work {
    uint32_t next;        /* line to look at */
    VEC(struct key) keys; /* what passed */
    struct key *other;    /* merge sort's second array */
    size_t width;         /* runs of this length are sorted */
    size_t i, k, out;     /* the merge in progress: next of the left run, of the right run, next place to fill */
    bool sorting;
    struct arena texts;
};

static void work_free(struct row_order *a)
{
    if (!a->work)
        return;
    vec_release(&a->work->keys);
    free(a->work->other);
    arena_release(&a->work->texts);
    free(a->work);
    a->work = NULL;
}

void row_order_release(struct row_order *a)
{
    row_order_clear(a);
    vec_release(&a->filters);
    work_free(a);
    free(a->line);
    free(a->place);
    *a = (struct row_order){0};
}

int row_order_add(struct row_order *a, struct str text, bool inverse, struct err *e)
{
    struct filter *code = filter_compile(text, e);
    if (!code)
        return -1;
    row_order_take(a, code, text, inverse);
    return 0;
}

void row_order_take(struct row_order *a, struct filter *code, struct str text, bool inverse)
{
    struct row_order_filter f = {.text = str_dup(text), .inverse = inverse, .code = code};
    vec_push(&a->filters, f);
    row_order_restart(a);
}

void row_order_drop(struct row_order *a, size_t i)
{
    free(a->filters.v[i].text);
    filter_free(a->filters.v[i].code);
    memmove(&a->filters.v[i], &a->filters.v[i + 1], (a->filters.n - i - 1) * sizeof *a->filters.v);
    a->filters.n--;
    row_order_restart(a);
}

void row_order_clear(struct row_order *a)
{
    while (a->filters.n)
        row_order_drop(a, a->filters.n - 1);
}

/* Nothing filtered or sorted. */
static bool row_order_plain(const struct row_order *a)
{
    if (a->sort)
        return false;
    for (size_t i = 0; i < a->filters.n; i++)
        if (!a->filters.v[i].off)
            return false;
    return true;
}

void row_order_restart(struct row_order *a)
{
    work_free(a);
    a->made_for = 0;
}

static bool passes_filters(struct row_order *a, const struct field_line *l)
{
    for (size_t i = 0; i < a->filters.n; i++) {
        struct row_order_filter *f = &a->filters.v[i];
        if (!f->off && filter_match(f->code, l) == f->inverse)
            return false;
    }
    return true;
}

static void collect_keys(struct row_order *a, const struct comparison *s, uint32_t lines)
{
    struct row_order_work *w = a->work;
    struct buf tmp = {0};
    double v;
    for (uint32_t n = 0; n < PIECE && w->next < lines; n++, w->next++) {
        struct field_line l = field_line(s, w->next);
        if (!passes_filters(a, &l))
            continue;
        struct key k = {.line = w->next};
        if (a->sort && field_sorts_by_number(a->sort)) {
            k.number = field_sort_value(&l, a->sort, &v) ? v : NAN;
        } else if (a->sort) {
            field_text(&l, a->sort, &tmp);
            k.text = arena_cstr(&w->texts, buf_view(&tmp));
        }
        vec_push(&w->keys, k);
    }
    buf_release(&tmp);
}

/* Negative when x stands before y. Equal keys keep execution order. */
static int compare_keys(const struct row_order *a, const struct key *x, const struct key *y)
{
    int c = 0;
    if (x->text) {
        if (!*x->text != !*y->text)
            return *x->text ? -1 : 1;
        c = strcmp(x->text, y->text);
    } else {
        bool nx = isnan(x->number), ny = isnan(y->number);
        if (nx != ny)
            return nx ? 1 : -1;
        c = nx ? 0 : (x->number > y->number) - (x->number < y->number);
    }
    if (a->descending)
        c = -c;
    return c ? c : x->line < y->line ? -1 : 1;
}

/* The end of the pair of runs that contains place `out`, and the beginning of its right run. */
static void find_run_pair(const struct row_order_work *w, size_t *mid, size_t *end)
{
    size_t from = w->out / (2 * w->width) * (2 * w->width), n = w->keys.n;
    *mid = from + w->width < n ? from + w->width : n;
    *end = from + 2 * w->width < n ? from + 2 * w->width : n;
}

/* The whole array has been merged once: runs have twice the length. */
static void next_width(struct row_order_work *w)
{
    struct key *swap = w->keys.v;
    w->keys.v = w->other;
    w->other = swap;
    w->keys.cap = w->keys.n; /* the two arrays were exchanged */
    w->width *= 2;
    w->out = w->i = 0;
    w->k = w->width;
}

/* Bottom-up merge sort, PIECE elements at a time; true when all is sorted. */
static bool sort_piece(const struct row_order *a)
{
    struct row_order_work *w = a->work;
    if (!w->sorting) {
        w->sorting = true;
        w->width = w->k = 1;
        w->i = w->out = 0;
        w->other = mem_resize_array(NULL, w->keys.n + 1, sizeof *w->other);
    }
    size_t mid, end;
    find_run_pair(w, &mid, &end);
    for (size_t done = 0; w->width < w->keys.n; done++) {
        if (done == PIECE)
            return false;
        bool left = w->i < mid && (w->k >= end || compare_keys(a, &w->keys.v[w->i], &w->keys.v[w->k]) < 0);
        w->other[w->out++] = left ? w->keys.v[w->i++] : w->keys.v[w->k++];
        if (w->out < end)
            continue;
        if (w->out >= w->keys.n)
            next_width(w);
        find_run_pair(w, &mid, &end);
        w->i = w->out;
        w->k = mid;
    }
    return true;
}

static void put_in_force(struct row_order *a, uint32_t lines)
{
    struct row_order_work *w = a->work;
    free(a->line);
    free(a->place);
    a->n = (uint32_t)w->keys.n;
    a->lines = lines;
    a->line = mem_resize_array(NULL, a->n + 1, sizeof *a->line);
    a->place = mem_nones(lines);
    for (uint32_t i = 0; i < a->n; i++) {
        a->line[i] = w->keys.v[i].line;
        a->place[a->line[i]] = i;
    }
    work_free(a);
}

void row_order_forget(struct row_order *a)
{
    work_free(a);
    free(a->line);
    free(a->place);
    a->line = a->place = NULL;
    a->made_for = 0;
}

bool row_order_step(struct row_order *a, const struct comparison *s, uint32_t lines)
{
    if (row_order_plain(a)) {
        bool changed = a->line != NULL;
        row_order_forget(a);
        return changed;
    }
    if (!a->work && a->made_for == s->serial && a->line && a->lines == lines)
        return false;
    if (!a->work) {
        a->work = mem_zalloc(sizeof *a->work);
        a->made_for = s->serial;
    }
    if (a->work->next < lines) {
        collect_keys(a, s, lines);
        return true;
    }
    if (a->sort && !sort_piece(a))
        return true;
    put_in_force(a, lines);
    return true;
}

double row_order_progress(const struct row_order *a)
{
    if (!a->work || !a->lines)
        return a->work ? 0 : 1;
    return a->work->sorting ? 0.9 : 0.9 * a->work->next / a->lines;
}

uint32_t row_order_count(const struct row_order *a, uint32_t lines)
{
    return a->line ? a->n : lines;
}

uint32_t row_order_line(const struct row_order *a, uint32_t pos)
{
    return a->line ? a->line[pos] : pos;
}

uint32_t row_order_pos(const struct row_order *a, uint32_t line)
{
    if (!a->line)
        return line;
    return line < a->lines ? a->place[line] : NONE;
}

uint32_t row_order_nearest(const struct row_order *a, uint32_t line)
{
    if (!a->line)
        return line;
    if (line < a->lines && a->place[line] != NONE)
        return a->place[line];
    if (a->sort || !a->n)
        return 0;
    size_t at;
    lower_bound(at, a->n, a->line[at] < line);
    return at < a->n ? (uint32_t)at : a->n - 1;
}
