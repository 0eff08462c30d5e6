/* Checks token ids against the table of their own embedding call, and labels against the ids they are to follow. */
#include "measure/token_check.h"

#include <math.h>

#include "base/msg.h"
#include "dump/family.h"
#include "measure/element_sample.h"

#define FEWEST 4 /* positions whose next id is another one: fewer tell nothing of a move */
#define READ_MOST 8 /* calls whose ids are read: a graph may gather in every operator */

static bool row_is_integer(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    return r->io == IO_INPUT && r->kind == ROW_TENSOR && dtype_table[r->dtype].klass == CLASS_INT;
}

/* The first integer tensor that a call takes, with at least `fewest` elements; NONE. */
static uint32_t taken_integers(const struct dump *d, uint32_t call, uint64_t fewest)
{
    EACH_EARLY_ROW(d, call, r)
        if (row_is_integer(d, r) && dump_row_numel(d, r) >= fewest)
            return r;
    return NONE;
}

/* ---- the table ---- */

/* The rows of the table that a call picks from; 0 if it was not recorded, or holds a part of the words. */
static int64_t table_words(const struct dump *d, uint32_t call)
{
    const struct call *c = &d->calls.v[call];
    int64_t words = 0;
    bool gather = strstr(c->name, "ather") != NULL;
    /* a rank's share of the words is entered with ids of all words, and some operators take an offset */
    if (strstr(c->name, "Lookup") || strstr(c->name, "Parallel") || (c->kind == CALL_MODULE && d->rank >= 0))
        return 0;
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        const struct shape *s = dump_row_shape(d, r);
        if (x->kind == ROW_INT && gather && (x->stat[0] > 0 || x->stat[0] < 0)) /* another axis */
            return 0;
        if ((x->io == IO_INPUT || x->io == IO_PARAMETER) && x->kind == ROW_TENSOR && s && s->ndim == 2 &&
            dtype_table[x->dtype].klass == CLASS_FLOAT)
            words = s->dim[0];
    }
    return words;
}

static void against_table(struct token_check *c, const struct dump *d, uint32_t call)
{
    uint32_t ids = taken_integers(d, call, 1);
    int64_t words = ids == NONE ? 0 : table_words(d, call);
    const struct row *r = ids == NONE ? NULL : &d->rows.v[ids];
    if (words < 1 || (r->has & (HAS_MAX | HAS_MIN)) != (HAS_MAX | HAS_MIN))
        return;
    double least = strstr(d->calls.v[call].name, "ather") ? -(double)words : 0; /* Gather counts from the end */
    c->words = c->words ? c->words : words;
    if (c->beyond != NONE || (r->stat[STAT_MAX] < (double)words && r->stat[STAT_MIN] >= least))
        return;
    c->beyond = ids;
    c->low = r->stat[STAT_MIN];
    c->high = r->stat[STAT_MAX];
    c->words = words;
}

/* ---- the labels ---- */

/* Where labels stand, of […, length] ids. Places whose next id is the same tell nothing, nor do labels that are left
 * out (negative ones). */
static enum label_place label_place_of(const struct element_sample *ids, const struct element_sample *labels)
{
    size_t length = (size_t)ids->shape[ids->ndim - 1], rows = length ? ids->n / length : 0;
    size_t shorter = length && labels->n == rows * (length - 1) ? 1 : 0, told = 0, here = 0, next = 0;
    if (length < 2 || labels->n != rows * (length - shorter) ||
        (labels->ndim > 1 && (size_t)labels->shape[labels->ndim - 1] != length - shorter))
        return LABELS_UNKNOWN;
    for (size_t b = 0; b < rows; b++)
        for (size_t i = 0; i + 1 < length; i++) {
            double label = labels->v[0][b * (length - shorter) + i];
            const double *id = &ids->v[0][b * length + i];
            if (label < 0 || (id[0] >= id[1] && id[0] <= id[1]))
                continue;
            told++;
            here += label >= id[0] && label <= id[0];
            next += label >= id[1] && label <= id[1];
        }
    return told < FEWEST ? LABELS_UNKNOWN : here == told ? LABELS_IN_PLACE : next == told ? LABELS_MOVED
                                                                                           : LABELS_UNKNOWN;
}

/* Figures alone: a move takes the first id out and another one in. */
static bool same_figures(const struct dump *d, uint32_t a, uint32_t b)
{
    const struct row *x = &d->rows.v[a], *y = &d->rows.v[b];
    int all = HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM;
    return (x->has & y->has & all) == all && x->stat[STAT_MAX] > x->stat[STAT_MIN] &&
           memcmp(x->stat, y->stat, sizeof x->stat) == 0 && dump_row_numel(d, a) == dump_row_numel(d, b);
}

/* What a call of the embedding says of the labels; the answer of an earlier one stays if this one gives none. */
static void against_ids(struct token_check *c, const struct dump *d, uint32_t call, const struct element_sample *labels,
                        int *read)
{
    struct element_sample ids;
    enum label_place place = LABELS_UNKNOWN;
    uint32_t row = taken_integers(d, call, FEWEST);
    if (row == NONE || c->place == LABELS_MOVED || dump_row_numel(d, row) < dump_row_numel(d, c->labels))
        return;
    if (labels && (*read)++ < READ_MOST && element_sample_whole(&ids, d, row)) {
        place = ids.ndim > 0 ? label_place_of(&ids, labels) : LABELS_UNKNOWN;
        element_sample_release(&ids);
    } else if (!labels && same_figures(d, row, c->labels)) {
        place = LABELS_LIKE_IDS;
    }
    if (place == LABELS_UNKNOWN || c->place == LABELS_IN_PLACE)
        if (place != LABELS_MOVED)
            return;
    c->place = place;
    c->ids = row;
}

/* Integer labels of the first loss over classes. */
static uint32_t labels_of(const struct dump *d)
{
    for (uint32_t i = 0; i < d->calls.n; i++) {
        const struct call *c = &d->calls.v[i];
        uint32_t row = c->family == FAMILY_LOSS && c->phase == PHASE_FORWARD ? taken_integers(d, i, FEWEST) : NONE;
        if (row != NONE)
            return row;
    }
    return NONE;
}

void token_check_run(struct token_check *c, const struct dump *d)
{
    struct element_sample labels;
    *c = (struct token_check){.beyond = NONE, .ids = NONE, .labels = NONE};
    if (d->tensors_cut)
        return;
    c->labels = labels_of(d);
    bool read = c->labels != NONE && element_sample_whole(&labels, d, c->labels);
    int ids_read = 0;
    for (uint32_t i = 0; i < d->calls.n; i++) {
        const struct call *k = &d->calls.v[i];
        if (k->family != FAMILY_EMBEDDING || k->phase != PHASE_FORWARD)
            continue;
        against_table(c, d, i);
        if (c->labels != NONE)
            against_ids(c, d, i, read ? &labels : NULL, &ids_read);
    }
    if (read)
        element_sample_release(&labels);
}

const char *token_check_beyond(const struct token_check *c, struct arena *a)
{
    return c->beyond == NONE ? NULL
                             : arena_fmt(a, _("token ids from %.0f to %.0f, the embedding table of the same call has "
                                              "%lld rows: ids outside it read other memory"),
                                         c->low, c->high, (long long)c->words);
}

const char *token_check_labels(const struct token_check *c, struct arena *a)
{
    if (c->place == LABELS_IN_PLACE)
        return arena_fmt(a, "%s", _("the labels are the token ids, not shifted: a loss of the next token needs them "
                                    "moved by one position"));
    if (c->place == LABELS_LIKE_IDS)
        return arena_fmt(a, "%s", _("the labels have the same figures as the token ids: check that they are shifted "
                                    "by one position"));
    return NULL;
}
