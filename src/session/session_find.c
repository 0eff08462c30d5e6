/* Finds the recordings below the given paths, and selects the step and the rank of both sides. */
#include "session/session_parts.h"

#include "base/msg.h"
#include "fmt/unreadable.h"

struct found_trees *session_found(struct session *s)
{
    return s->opt.of.found ? s->opt.of.found : &s->recordings->found;
}

/* The tag folder of ptdbg_ascend, "ptdbg_dump_v2.3", or the folder it is in. */
static bool made_by_ptdbg(const char *path)
{
    static const char tag[] = "ptdbg_dump_v";
    name_list names = {0};
    struct err quiet;
    bool found = str_starts(path_base(str_of(path)), tag);
    if (path_is_dir(path) && dir_list(path, 100, &names, &quiet) == 0)
        for (size_t i = 0; i < names.n; i++)
            found |= str_starts(str_of(names.v[i]), tag);
    name_list_release(&names);
    return found;
}

/* Several checkpoints without step or rank, so none can be chosen. */
static bool holds_checkpoints(const place_list *l)
{
    for (size_t i = 1; i < l->n; i++) {
        const struct place *a = &l->v[i - 1], *b = &l->v[i];
        if (a->reader->weights && b->reader->weights && a->step == b->step && a->rank == b->rank)
            return true;
    }
    return false;
}

int session_find_side(struct session *s, int i, struct err *e)
{
    struct recording *x = &s->recordings->side[i];
    place_list found = {0};
    if (found_trees_below(session_found(s), x->path, &s->load[i].cancel, &found, &s->failed[i], e))
        return -1;
    if (holds_checkpoints(&found))
        return err_set(e, ERR_DATA, _("%s: several checkpoints in this folder: name one of them"), x->path);
    /* on the screen a list asks which one is meant */
    if (s->opt.unwatched && place_list_check(&found, x->path, s->opt.of.step[i], s->opt.of.rank[i], e))
        return -1;
    if (!found.n && s->failed[i].n)
        return read_failures_error(&s->failed[i], e);
    if (!found.n) {
        struct file f;
        if (path_is_file(x->path) && file_open(&f, x->path, e) == 0) {
            bool empty = !f.size;
            file_close(&f);
            if (empty)
                return err_set(e, ERR_DATA, _("%s: empty file: nothing was written, or not yet"), x->path);
        }
        struct buf at = {0};
        const struct unreadable *r = unreadable_find(x->path, &at);
        int rc = r ? unreadable_error(r, at.p, e) : 0;
        buf_release(&at);
        if (rc)
            return rc;
        if (made_by_ptdbg(x->path))
            return err_set(e, ERR_DATA, _("%s: a folder of ptdbg_ascend without records: its overflow check writes "
                                          "none if nothing overflows; of a dump, nothing was recorded"), x->path);
        return err_set(e, ERR_DATA, _("%s: expected a recording of a supported format in this folder or below, found "
                                      "none; see `diverge formats`"), x->path);
    }
    session_lock(s);
    x->places = found;
    session_unlock(s);
    return 0;
}

static void list_found_places(const struct recording *x, struct buf *out)
{
    for (size_t i = 0; i < x->places.n && i < 8; i++)
        buf_fmt(out, _("%sstep %d rank %d"), i ? _(", ") : "", x->places.v[i].step, x->places.v[i].rank);
    if (x->places.n > 8)
        buf_cstr(out, ", …");
}

static bool is_place_wanted(const struct session *s, int side, const struct place *p)
{
    return place_number_fits(p->step, s->opt.of.step[side]) && place_number_fits(p->rank, s->opt.of.rank[side]);
}

static int choose_places(struct session *s, struct err *e)
{
    struct recording *t = &s->recordings->side[TARGET], *g = &s->recordings->side[GOLDEN];
    for (size_t i = 0; i < t->places.n; i++) {
        if (!is_place_wanted(s, TARGET, &t->places.v[i]))
            continue;
        if (s->single) {
            t->place = i;
            return 0;
        }
        size_t fallback = SIZE_MAX, n = 0;
        for (size_t k = 0; k < g->places.n; k++) {
            if (!is_place_wanted(s, GOLDEN, &g->places.v[k]))
                continue;
            bool step_free = s->opt.of.step[TARGET] >= 0 && s->opt.of.step[GOLDEN] >= 0;
            bool rank_free = s->opt.of.rank[TARGET] >= 0 && s->opt.of.rank[GOLDEN] >= 0;
            struct place a = t->places.v[i], b = g->places.v[k];
            if (step_free)
                a.step = b.step;
            if (rank_free)
                a.rank = b.rank;
            if (place_fits(&a, &b)) {
                t->place = i;
                g->place = k;
                return 0;
            }
            n++;
            if (fallback == SIZE_MAX)
                fallback = k;
        }
        /* one recording on each side: the user chose them by path */
        if (n == 1 && t->places.n == 1 && g->places.n == 1) {
            t->place = i;
            g->place = fallback;
            return 0;
        }
    }
    struct buf have[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++)
        list_found_places(&s->recordings->side[i], &have[i]);
    if (s->single)
        err_set(e, ERR_USAGE, _("%s has no such step and rank; available: %s"), t->path, have[0].p);
    else
        err_set(e, ERR_USAGE, _("no common step and rank: %s has %s; %s has %s. --step T:G and --rank T:G pair "
                                "different ones"),
                t->path, have[0].p, g->path, have[1].p ? have[1].p : "");
    buf_release(&have[0]);
    buf_release(&have[1]);
    return -1;
}

int session_choose(struct session *s, struct err *e)
{
    session_lock(s); /* the screen looks whether the chosen places have changed */
    int rc = choose_places(s, e);
    session_unlock(s);
    return rc;
}
