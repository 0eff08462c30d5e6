/* Finds runs of lines without a partner and maps lines to positions and back by the counts before each. */
#include "table/row_folds.h"

#include "base/msg.h"
#include "base/num.h"

void row_folds_release(struct row_folds *f)
{
    vec_release(&f->v);
    *f = (struct row_folds){0};
}

static void count_hidden(struct row_folds *f)
{
    f->hidden = 0;
    for (size_t i = 0; i < f->v.n; i++) {
        f->v.v[i].before = f->hidden;
        f->hidden += f->v.v[i].open ? 0 : f->v.v[i].n - 1;
    }
}

static bool is_unpaired_line(const struct line *l)
{
    return (l->row[TARGET] == NONE) != (l->row[GOLDEN] == NONE);
}

static void reopen_folds(struct row_folds *f, const struct row_folds *was, const struct pairing *p)
{
    for (size_t i = 0; i < was->v.n; i++) {
        const struct row_fold *x = &was->v.v[i];
        int side = x->row[TARGET] == NONE ? GOLDEN : TARGET;
        uint32_t line = x->open ? p->line_of[side][x->row[side]] : NONE;
        const struct row_fold *now = line == NONE ? NULL : row_folds_at(f, line);
        if (now)
            f->v.v[now - f->v.v].open = true;
    }
}

void row_folds_find(struct row_folds *f, const struct pairing *p)
{
    struct row_folds was = *f;
    *f = (struct row_folds){0};
    for (uint32_t i = 0, end; i < p->lines.n; i = end) {
        const struct line *l = &p->lines.v[i];
        struct row_fold x = {.first = i, .row = {l->row[0], l->row[1]}};
        for (end = i; end < p->lines.n && is_unpaired_line(&p->lines.v[end]); end++)
            x.has[p->lines.v[end].row[TARGET] == NONE] = true;
        x.n = end - i;
        if (x.n >= ROW_FOLD_LEAST)
            vec_push(&f->v, x);
        end += x.n == 0;
    }
    reopen_folds(f, &was, p);
    count_hidden(f);
    row_folds_release(&was);
}

void row_fold_text(const struct row_fold *x, struct buf *out)
{
    char n[NUM_MAX];
    buf_fmt(out, x->has[TARGET] && x->has[GOLDEN] ? _("%s rows without a partner, of both sides")
                 : x->has[GOLDEN]                 ? _("%s rows only on the golden side")
                                                  : _("%s rows only on the target side"), num_count(n, x->n));
}

/* How many begin at or before a line. */
static size_t count_folds_begun(const struct row_folds *f, uint32_t line)
{
    size_t at;
    lower_bound(at, f->v.n, f->v.v[at].first <= line);
    return at;
}

const struct row_fold *row_folds_at(const struct row_folds *f, uint32_t line)
{
    size_t n = count_folds_begun(f, line);
    const struct row_fold *x = n ? &f->v.v[n - 1] : NULL;
    return x && line - x->first < x->n ? x : NULL;
}

void row_folds_open(struct row_folds *f, const struct row_fold *x, bool open)
{
    f->v.v[x - f->v.v].open = open;
    count_hidden(f);
}

void row_folds_open_all(struct row_folds *f, bool open)
{
    for (size_t i = 0; i < f->v.n; i++)
        f->v.v[i].open = open;
    count_hidden(f);
}

uint32_t row_folds_pos(const struct row_folds *f, uint32_t line)
{
    size_t n = count_folds_begun(f, line);
    if (!n)
        return line;
    const struct row_fold *x = &f->v.v[n - 1];
    if (x->open)
        return line - x->before;
    return line - x->first < x->n ? x->first - x->before : line - x->before - (x->n - 1);
}

uint32_t row_folds_line(const struct row_folds *f, uint32_t pos)
{
    size_t n; /* of the runs whose first is shown at or before pos */
    lower_bound(n, f->v.n, f->v.v[n].first - f->v.v[n].before <= pos);
    if (!n)
        return pos;
    const struct row_fold *x = &f->v.v[n - 1];
    uint32_t line = pos + x->before;
    return x->open || line == x->first ? line : line + x->n - 1;
}
