/* diverge digest: writes a reduced form of a recording whose tensors cannot be copied. */
#include "ui/cli.h"

#include "base/msg.h"
#include "dump/computed_figures.h"
#include "dump/computed_sketches.h"
#include "fmt/find_recordings.h"
#include "num/kern.h"
#include "report/digest_write.h"

static bool is_digest_wanted(const struct options *o, const struct place *p)
{
    int step = o->all_steps ? -1 : o->step[TARGET], rank = o->all_ranks ? -1 : o->rank[TARGET];
    return !p->reader->table && !p->reader->weights && (step < 0 || p->step == step) && (rank < 0 || p->rank == rank);
}

static int add_place(struct digest_writing *w, const struct place *p, struct err *e)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct load load = {.lock = &lock};
    struct dump d;
    dump_init(&d);
    place_set(&d, p);
    int rc = p->reader->open(&d, &load, e);
    if (rc == 0) {
        computed_figures_fill(&d, kern_select(NULL), 0, &load, NULL);
        computed_sketches_fill(&d, 0, &load);
        digest_add(w, &d);
    }
    dump_release(&d);
    pthread_mutex_destroy(&lock);
    return rc;
}

static int write_digest(const struct options *o, const place_list *l, struct err *e)
{
    struct digest_writing w;
    struct out out;
    struct err closing;
    int rc = 0;
    if (cli_out(o, &out, e))
        return -1;
    digest_begin(&w, &out);
    for (size_t i = 0; i < l->n && rc == 0; i++)
        if (is_digest_wanted(o, &l->v[i]))
            rc = add_place(&w, &l->v[i], e);
    digest_end(&w);
    if (rc)
        out.err = *e; /* nothing of it stays */
    int closed = out_close(&out, rc ? &closing : e);
    return rc || closed ? -1 : 0;
}

int cli_digest(const struct options *o)
{
    place_list l = {0};
    struct err e = {0};
    bool any = false;
    int rc = o->output ? find_recordings(o->arg[0], &l, &e) : err_set(&e, ERR_USAGE, "%s", _("digest needs -o FILE"));
    for (size_t i = 0; i < l.n; i++)
        any |= is_digest_wanted(o, &l.v[i]);
    if (rc == 0 && !any)
        rc = err_set(&e, ERR_DATA, _("%s: no recording of this step and rank"), o->arg[0]);
    if (rc == 0)
        rc = place_list_check(&l, o->arg[0], o->step[TARGET], o->rank[TARGET], &e);
    if (rc == 0)
        rc = write_digest(o, &l, &e);
    place_list_release(&l);
    return rc ? cli_fail(&e) : EXIT_ALIGNED;
}
