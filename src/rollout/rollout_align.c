/* Handles padding, prompts and truncation: finds the tokens of a row that count, and aligns the tokens of two rows:
 * by token ids if both sides have them, otherwise only rows of equal length are aligned. */
#include "rollout/rollout_align.h"

#include <math.h>
#include <stdlib.h>

#include "base/io.h"

/* The index of a column's value for the i-th log-probability: a longer column begins with the prompt, or covers prompt
 * and response. */
static const double *value_beside_token(const struct rollout_row *x, size_t n, size_t i)
{
    return x->there && x->width == 1 && x->n >= n ? &x->v[x->n - n + i] : NULL;
}

/* Without mask and length, equal values at the end of a row are padding: no engine computes them. NaN is not padding:
 * after one NaN an engine gives only NaN. */
static size_t without_padding(const struct rollout_row *lp)
{
    size_t n = lp->n;
    if (n < 2 || (lp->v[n - 1] != 0 && lp->v[n - 1] != -1 && lp->v[n - 1] != 1))
        return n;
    double pad = lp->v[n - 1];
    while (n && lp->v[n - 1] == pad)
        n--;
    return lp->n - n >= 2 ? n : lp->n;
}

static struct rollout_row optional_column_row(const struct rollout_table *t, const char *column, size_t row)
{
    return column ? rollout_column_row(t->c, column, row) : (struct rollout_row){0};
}

/* Whether a token counts by the columns beside it; of a mask of the response alone, tokens before it do not. */
static bool does_token_count(const struct rollout_row *lp, const struct rollout_row *mask,
                             const struct rollout_row *attention, size_t i, bool *masked)
{
    static const double off = 0;
    const double *m = value_beside_token(mask, lp->n, i), *a = value_beside_token(attention, lp->n, i);
    if (!m && mask->there && mask->width == 1 && mask->n < lp->n && mask->n)
        m = i >= lp->n - mask->n ? &mask->v[i - (lp->n - mask->n)] : &off;
    *masked = m;
    return m ? *m != 0 : !a || *a != 0;
}

/* Where the tokens end: behind the length of the row, or before its padding if nothing says which tokens count. */
static size_t rollout_line_end(const struct rollout_row *lp, const struct rollout_row *length, size_t from,
                               struct rollout_line *l)
{
    size_t end = lp->n;
    if (!l->masked && length->there && length->n == 1 && length->v[0] >= 0 &&
        length->v[0] < (double)lp->n - (double)from) {
        end = from + (size_t)length->v[0];
        l->masked = true;
    }
    l->masked |= length->there;
    if (!l->masked) {
        end = without_padding(lp);
        end = end < from ? from : end;
        l->dropped = lp->n - end;
    }
    return end;
}

void rollout_line_make(const struct rollout_table *t, size_t row, struct rollout_line *l)
{
    struct rollout_row lp = rollout_column_row(t->c, t->log_probs, row);
    struct rollout_row mask = optional_column_row(t, t->mask, row), att = optional_column_row(t, t->attention, row),
                       tok = optional_column_row(t, t->tokens, row), len = optional_column_row(t, t->length, row),
                       rnd = optional_column_row(t, t->round, row);
    size_t from = 0;
    uint32_t round = 0;
    bool before = false, any = false;
    *l = (struct rollout_line){.row = lp.n};
    if (!lp.there || lp.width != 1)
        return;
    /* ids of the response alone beside log-probabilities of prompt and response */
    if (tok.there && tok.n < lp.n && tok.width == 1)
        from = lp.n - tok.n;
    l->masked = value_beside_token(&mask, lp.n, 0) || value_beside_token(&att, lp.n, 0) ||
                (mask.there && mask.width == 1 && mask.n < lp.n);
    size_t end = rollout_line_end(&lp, &len, from, l);
    l->v = mem_resize_array(NULL, end > from ? end - from : 1, sizeof *l->v);
    l->tokens = tok.there && tok.width == 1 && (tok.n >= lp.n || from);
    for (size_t i = from; i < end; i++) {
        const double *r = value_beside_token(&rnd, lp.n, i);
        bool masked, on = does_token_count(&lp, &mask, &att, i, &masked);
        if (on && !before && any && masked)
            round++;
        before = on;
        any |= on;
        if (!on)
            continue;
        struct rollout_place *p = &l->v[l->n++];
        *p = (struct rollout_place){
            .lp = lp.v[i], .id = -1, .at = (uint32_t)i, .round = r && *r >= 0 ? (uint32_t)*r : round};
        const double *id = from ? &tok.v[i - from] : value_beside_token(&tok, lp.n, i);
        if (l->tokens && id && fabs(*id) < 9e15)
            p->id = (int64_t)*id;
    }
}

void rollout_line_release(struct rollout_line *l)
{
    free(l->v);
    l->v = NULL;
}

void rollout_lines_share_mask(struct rollout_line l[2])
{
    for (int k = 0; k < 2; k++) {
        struct rollout_line *to = &l[k];
        const struct rollout_line *from = &l[1 - k];
        size_t n = 0;
        if (to->masked || !from->masked || to->row != from->row)
            continue;
        for (size_t i = 0; i < to->n && n < from->n; i++)
            if (to->v[i].at == from->v[n].at) {
                to->v[n] = to->v[i];
                to->v[n].round = from->v[n].round;
                n++;
            }
        to->dropped = 0;
        to->n = n;
        to->masked = true;
    }
}

/* The position of the shorter one's tokens in the longer: its beginning, otherwise its end (after a prompt). */
static size_t shorter_line_offset(const struct rollout_line *big, const struct rollout_line *small)
{
    size_t d = big->n - small->n, same = 0;
    if (!d || !small->n || big->v[0].id == small->v[0].id)
        return 0;
    while (same < small->n && big->v[d + same].id == small->v[same].id)
        same++;
    return same == small->n ? d : 0;
}

void rollout_align(struct rollout *r, const struct rollout_line l[2], struct rollout_sequence *s)
{
    bool ids = l[0].tokens && l[1].tokens;
    size_t from[2] = {0}, most;
    s->pairing = ROLLOUT_WHOLE;
    if (!ids && l[0].n != l[1].n) {
        s->pairing = ROLLOUT_UNALIGNED;
        s->only[0] = l[0].n;
        s->only[1] = l[1].n;
        return;
    }
    if (ids && l[0].n != l[1].n) {
        int big = l[0].n < l[1].n;
        from[big] = shorter_line_offset(&l[big], &l[1 - big]);
        s->pairing = ROLLOUT_TRUNCATED;
    }
    most = l[0].n - from[0] < l[1].n - from[1] ? l[0].n - from[0] : l[1].n - from[1];
    for (; s->n < most; s->n++) {
        const struct rollout_place *p[2] = {&l[0].v[from[0] + s->n], &l[1].v[from[1] + s->n]};
        if (ids && p[0]->id != p[1]->id) {
            s->pairing = ROLLOUT_PARTED;
            s->parted[0] = p[0]->id;
            s->parted[1] = p[1]->id;
            break;
        }
        struct rollout_token t = {.lp = {p[0]->lp, r->sizes_only ? NAN : p[1]->lp},
                                  .at = {p[0]->at, p[1]->at},
                                  .id = l[0].tokens ? p[0]->id : p[1]->id,
                                  .round = p[0]->round > p[1]->round ? p[0]->round : p[1]->round};
        t.finite = isfinite(t.lp[0]) && (r->sizes_only || isfinite(t.lp[1]));
        vec_push(&r->tokens, t);
    }
    for (int k = 0; k < 2; k++)
        s->only[k] = l[k].n - s->n;
}

/* ---- experts ---- */

/* Whether two choices of one layer are the same set, in any order. */
static bool same_set(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t in[2] = {0};
        for (size_t k = 0; k < n; k++) {
            in[0] += a[k] == a[i];
            in[1] += b[k] == a[i];
        }
        if (in[0] != in[1])
            return false;
    }
    return true;
}

void rollout_experts(struct rollout *r, const struct rollout_table t[2], const struct rollout_line l[2],
                     struct rollout_sequence *s)
{
    struct rollout_row x[2] = {{0}};
    size_t chosen;
    s->rerouted_at = ROLLOUT_NONE;
    if (t[0].c == t[1].c || !t[0].experts || !t[1].experts)
        return;
    for (int k = 0; k < 2; k++)
        x[k] = rollout_column_row(t[k].c, t[k].experts, s->row[k]);
    if (!x[0].there || !x[1].there || x[0].width != x[1].width || !x[0].width)
        return;
    chosen = rollout_column_inner(t[0].c, t[0].experts, s->row[0]);
    if (!chosen || chosen > 64 || x[0].width % chosen)
        return;
    for (size_t i = 0; i < s->n; i++) {
        const struct rollout_token *tok = &r->tokens.v[s->from + i];
        const double *v[2];
        bool there = true;
        for (int k = 0; k < 2; k++) {
            /* the last token was sampled and never routed: the column may be one shorter; a prompt may precede it */
            size_t skip = x[k].n > l[k].row                              ? x[k].n - l[k].row
                          : x[k].n + 1 == l[k].row || x[k].n == l[k].row ? 0
                                                                         : SIZE_MAX;
            there &= skip != SIZE_MAX && tok->at[k] + skip < x[k].n;
            v[k] = there ? x[k].v + (tok->at[k] + skip) * x[k].width : NULL;
        }
        for (size_t layer = 0; there && layer < x[0].width / chosen; layer++) {
            s->routed++;
            if (!same_set(v[0] + layer * chosen, v[1] + layer * chosen, chosen)) {
                s->rerouted++;
                if (s->rerouted_at == ROLLOUT_NONE)
                    s->rerouted_at = (uint32_t)i;
            }
        }
    }
    r->routed += s->routed;
    r->rerouted += s->rerouted;
}

/* ---- msprobe ---- */

void rollout_mask_beside(struct rollout *r, struct rollout_columns *c)
{
    struct str name = path_base(str_of(c->path)), folder = path_folder(str_of(c->path));
    struct buf file = {0}, path = {0}, dir = {0};
    struct rollout_columns m;
    struct err e;
    if (!r->sizes_only)
        return;
    buf_fmt(&file, "prob_mask%.*s", STR_ARG(str_cut(name, strlen("prob_diff"))));
    buf_str(&dir, folder);
    path_join(&path, dir.p, file.p);
    if (path_is_file(path.p)) {
        if (rollout_columns_open(&m, path.p, NULL, &e) == 0 && m.cells.n == 1 && m.cells.v[0].axes)
            rollout_cell_take(c, &m.cells.v[0], "response_mask");
        else
            rollout_unread(c, e.text);
        rollout_columns_release(&m);
    }
    buf_release(&file);
    buf_release(&path);
    buf_release(&dir);
}
