/* What changes the investigation or leaves the program: limits, bookmarks, results, other steps. */
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "report/compare.h"

static int run_set(struct desk *d, struct str args)
{
    struct str key, value;
    struct tol t = d->s->opt.tol;
    struct err e;
    char n[NUM_MAX];
    double v;
    const char *name;
    if (!str_split(args, ' ', &key, &value)) {
        for (int i = 0; (name = tol_key(&t, i, &v)); i++)
            if (str_is(args, name)) {
                desk_say(d, "%s = %s", name, num_exact(n, v));
                return R_DRAW;
            }
        desk_complain(d, _("set KEY VALUE; keys are those of thresholds.json, such as float32.deviate"));
        return R_DRAW;
    }
    if (tol_set(&t, key, str_trim(value), &e)) {
        desk_complain(d, "%s", e.text);
        return R_DRAW;
    }
    session_set_tol(d->s, &t);
    d->inv->tol = t;
    desk_say(d, _("%.*s is now %.*s"), STR_ARG(key), STR_ARG(str_trim(value)));
    desk_save(d);
    return R_DRAW;
}

static const char *complete_tol(const struct desk *d, int i)
{
    double v;
    return tol_key(&d->s->opt.tol, i, &v);
}

static int run_bookmark(struct desk *d, struct str args)
{
    struct buf name[2] = {{0}, {0}};
    (void)args;
    desk_names(d, d->cursor, name);
    bool added = investigation_bookmark(d->inv, name[0].p, name[1].p);
    desk_say(d, added ? _("bookmarked; M lists them") : _("bookmark removed"));
    desk_save(d);
    buf_release(&name[0]);
    buf_release(&name[1]);
    return R_DRAW;
}

static int run_write(struct desk *d, struct str args)
{
    if (!args.n) {
        desk_complain(d, _("write FILE: the ending tells the format, .json or .csv"));
        return R_DRAW;
    }
    free(d->write_path);
    d->write_path = mem_alloc(args.n + 1);
    memcpy(d->write_path, args.p, args.n);
    d->write_path[args.n] = 0;
    if (!writer_for(d->write_path)) {
        desk_complain(d, _("%s: the ending tells the format, one of .json .csv"), d->write_path);
        return R_DRAW;
    }
    if (!d->s->settled) {
        desk_complain(d, _("write: the comparison is not finished yet"));
        return R_DRAW;
    }
    return R_DRAW | R_WRITE;
}

/* N or T:G */
static bool two_numbers(struct str s, int out[2])
{
    unsigned long long a, b;
    struct str t, g;
    if (str_split(s, ':', &t, &g)) {
        if (!str_u64(t, &a) || !str_u64(g, &b) || a > INT32_MAX || b > INT32_MAX)
            return false;
        out[0] = (int)a;
        out[1] = (int)b;
        return true;
    }
    if (!str_u64(s, &a) || a > INT32_MAX)
        return false;
    out[0] = (int)a;
    out[1] = -1;
    return true;
}

static int change_place(struct desk *d, struct str args, int wanted[2], const char *word)
{
    for (int i = 0; i < 2; i++) {
        d->new_step[i] = d->s->opt.step[i];
        d->new_rank[i] = d->s->opt.rank[i];
    }
    if (!two_numbers(args, wanted)) {
        desk_complain(d, _("%s N, or T:G for different ones on the two sides"), word);
        return R_DRAW;
    }
    return R_DRAW | R_RESTART;
}

static int run_step(struct desk *d, struct str args)
{
    return change_place(d, args, d->new_step, "step");
}

static int run_rank(struct desk *d, struct str args)
{
    return change_place(d, args, d->new_rank, "rank");
}

const struct command commands_work[] = {
    {"bookmark", "", N_("remember this row, or forget it"), NEEDS_PAIRED | NEEDS_ROW, run_bookmark, NULL},
    {"set", "KEY [VALUE]", N_("show or move a limit, as in set float32.deviate 1e-4; verdicts follow at once"), 0, run_set, complete_tol},
    {"write", "FILE", N_("write the comparison to FILE (.json with all rows, .csv)"), NEEDS_PAIRED | NEEDS_JUDGED, run_write, NULL},
    {"step", "N", N_("compare another step; T:G pairs different ones"), 0, run_step, NULL},
    {"rank", "N", N_("compare another rank; T:G pairs different ones"), 0, run_rank, NULL},
    {0},
};
