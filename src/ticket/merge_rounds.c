/* Merges histories of rounds: possible if the rounds of the shorter history are the first of the longer one. The
 * longer history's inputs and rounds are kept; answers in the shorter one concern a round that has ended since. */
#include "base/msg.h"
#include "ticket/merge.h"

/* What one round compares, on both sides: of the investigation itself, or of an earlier round. */
struct compared {
    const char *const *input, *const *full;
    const int *step, *rank;
    const struct file_stamp *state;
};

/* What is compared in that round, counted from 0; after the last stored one, what is compared now. */
static struct compared compared_in_round(const struct investigation *v, size_t round)
{
    if (round == v->rounds.n)
        return (struct compared){v->input, v->full, v->step, v->rank, v->state};
    const struct round_left *r = &v->rounds.v[round];
    return (struct compared){r->input, r->full, r->step, r->rank, r->state};
}

static const char *compared_path(const struct compared *c, int side)
{
    return c->full[side] ? c->full[side] : c->input[side] ? c->input[side] : "";
}

static int same_sides(const struct compared *a, const struct compared *b, struct err *e)
{
    static const char *const counts[] = {"bytes", "files", "time", "step", "rank"};
    for (int s = 0; s < 2; s++) {
        const struct file_stamp *x = &a->state[s], *y = &b->state[s];
        bool known = x->bytes && y->bytes;
        const struct {
            bool known;
            uint64_t a, b;
        } all[] = {{known, x->bytes, y->bytes}, {known, x->files, y->files}, {known, x->time, y->time},
                   {a->step[s] >= 0 && b->step[s] >= 0, (uint64_t)a->step[s], (uint64_t)b->step[s]},
                   {a->rank[s] >= 0 && b->rank[s] >= 0, (uint64_t)a->rank[s], (uint64_t)b->rank[s]}};
        const char *here = compared_path(a, s), *there = compared_path(b, s), *side = s ? _("golden") : _("target");
        if (strcmp(here, there) != 0)
            return err_set(e, ERR_USAGE, _("the investigations have different inputs: the %s is %s in one and %s in "
                                           "the other; --force merges them anyway"),
                           side, *here ? here : "-", *there ? there : "-");
        for (size_t i = 0; i < ARRAY_LEN(all); i++)
            if (all[i].known && all[i].a != all[i].b)
                return err_set(e, ERR_USAGE, _("the investigations have different inputs: for the %s (%s), %s is %.0f "
                                               "in one and %.0f in the other; --force merges them anyway"),
                               side, here, counts[i], (double)all[i].a, (double)all[i].b);
    }
    return 0;
}

/* Both may have stored the same round in files of their own: it is the same if it compared the same. */
static bool same_round(const struct investigation *a, const struct investigation *b, size_t round)
{
    struct err quiet;
    struct compared x = compared_in_round(a, round), y = compared_in_round(b, round);
    uint64_t print = a->rounds.v[round].fingerprint;
    return (print && print == b->rounds.v[round].fingerprint) || same_sides(&x, &y, &quiet) == 0;
}

int merge_one_history(const struct merge *m, const struct investigation *ours, const struct investigation *theirs,
                      struct err *e)
{
    size_t a = ours->rounds.n, b = theirs->rounds.n, n = a < b ? a : b;
    struct compared x, y;
    for (size_t i = 0; i < n; i++)
        if (!same_round(ours, theirs, i)) {
            x = compared_in_round(ours, i);
            y = compared_in_round(theirs, i);
            return err_set(e, ERR_USAGE, _("the histories have diverged: round %d compares %s in %s and %s in %s; they "
                                           "cannot be merged"),
                           (int)i + 1, compared_path(&x, 0), m->name[0], compared_path(&y, 0), m->name[1]);
        }
    x = compared_in_round(ours, n);
    y = compared_in_round(theirs, n);
    if (m->force || same_sides(&x, &y, e) == 0)
        return 0;
    if (a || b)
        err_prefix(e, _("round %d"), (int)n + 1);
    return -1;
}

void merge_rounds(struct merge *m, const struct member *row, void *into, const void *from)
{
    struct investigation *ours = into;
    const struct investigation *theirs = from;
    size_t mine = ours->rounds.n, other = theirs->rounds.n;
    for (size_t i = 0; i < mine || i < other; i++) {
        const struct round_left *r = i < mine ? &ours->rounds.v[i] : &theirs->rounds.v[i];
        vec_push(&m->rounds, ((struct merge_round){i >= mine, r->file, r->fingerprint}));
        if (i >= mine)
            vec_push(&ours->rounds, *r);
    }
    m->same += mine < other ? mine : other;
    if (other <= mine)
        return;
    for (int s = 0; s < 2; s++) {
        ours->input[s] = theirs->input[s];
        ours->full[s] = theirs->full[s];
        ours->step[s] = theirs->step[s];
        ours->rank[s] = theirs->rank[s];
        ours->state[s] = theirs->state[s];
    }
    merge_add(m, row->key, arena_fmt(&m->arena, _("continued in round %d"), (int)other + 1), theirs->input[TARGET]);
}
