/* Lists the recordings below a folder that can be compared with each other. */
#include "cmd/offered_pairs.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"

enum { MOST = 4 };

/* The subfolder of the given folder that contains the recording. */
static struct str recording_branch(const struct recording *r, const struct place *p)
{
    struct str path = str_of(p->paths.v[0]), root = str_of(r->path);
    size_t n = root.n;
    while (n < path.n && path.p[n] == '/')
        n++;
    while (n < path.n && path.p[n] != '/')
        n++;
    return str_n(path.p, n);
}

/* Branches that hold the step and rank which is open, each once; MOST + 1: too many, or names a command cannot take. */
static size_t open_branches(const struct recording *r, struct str out[MOST])
{
    const struct place *open = &r->places.v[r->place];
    size_t n = 0;
    for (size_t i = 0; i < r->places.n; i++) {
        const struct place *p = &r->places.v[i];
        struct str branch = recording_branch(r, p);
        bool known = !place_fits(p, open);
        for (size_t k = 0; k < n && !known; k++)
            known = str_eq(out[k], branch);
        if (known)
            continue;
        if (n == MOST || str_find(branch, ' ') >= 0)
            return MOST + 1;
        out[n++] = branch;
    }
    return n;
}

/* Whether a folder's name indicates the trusted side. */
static bool named_golden(struct str path)
{
    static const char *const words[] = {"gold", "bench", "ref", "base", "gpu", "cuda", "torch", "megatron"};
    struct str name = path_base(path);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_has(name, words[i]))
            return true;
    return false;
}

static void offer_pair(struct workspace *d, struct str target, struct str golden)
{
    struct buf words = {0};
    struct str t = path_base(target), g = path_base(golden);
    buf_fmt(&words, "%.*s %.*s", STR_ARG(target), STR_ARG(golden));
    workspace_add_command(d, "open", words.p, _("compare target %.*s with golden %.*s"), STR_ARG(t), STR_ARG(g));
    buf_release(&words);
}

static void offer_alone(struct workspace *d, struct str branch)
{
    char *path = str_dup(branch);
    struct str name = path_base(branch);
    workspace_add_command(d, "open", path, _("open only %.*s"), STR_ARG(name));
    free(path);
}

/* Whether two recordings of one step and rank lie in different folders right below, as those of different runs do. */
static bool several_runs(const struct recording *r)
{
    for (size_t i = 1; i < r->places.n; i++) { /* sorted by step and rank */
        const struct place *a = &r->places.v[i - 1], *b = &r->places.v[i];
        if (place_fits(a, b) && !str_eq(recording_branch(r, a), recording_branch(r, b)))
            return true;
    }
    return false;
}

/* Too many to offer each with each: the first one chosen is the target, then one is chosen as its golden side. */
static bool offer_each(struct workspace *d, const struct recording *r)
{
    workspace_clear_list(d);
    for (size_t i = 0; i < r->places.n; i++)
        workspace_add_command(d, "open", r->places.v[i].paths.v[0], "%s", r->places.v[i].paths.v[0]);
    workspace_show_list(d, _("recordings in this folder; Enter opens one, then i, d: its golden side"));
    return true;
}

bool offer_pairs(struct workspace *d)
{
    const struct recording *r = &d->c->side[TARGET];
    struct str branch[MOST];
    if (!d->c->single || !r->path || !r->places.n)
        return false;
    size_t n = open_branches(r, branch);
    if (n < 2 || n > MOST)
        return several_runs(r) && offer_each(d, r);
    workspace_clear_list(d);
    for (int likely = 1; likely >= 0; likely--) /* the golden side by its name comes first as golden */
        for (size_t t = 0; t < n; t++)
            for (size_t g = 0; g < n; g++)
                if (t != g && likely == (named_golden(branch[g]) && !named_golden(branch[t])))
                    offer_pair(d, branch[t], branch[g]);
    for (size_t i = 0; i < n; i++)
        offer_alone(d, branch[i]);
    workspace_show_list(d, _("several recordings in this folder; Enter opens one"));
    return true;
}
