/* Reads both sides, each in its own job, and the previous round at the same time. */
#include "session/session_parts.h"

#include "base/msg.h"
#include "dump/computed_figures.h"
#include "dump/computed_sketches.h"
#include "dump/step_before.h"
#include "dump/tensor_files.h"
#include "fmt/digest.h"
#include "pair/mapping_file.h"

static struct side_extent count_side_extent(const struct dump *d)
{
    struct side_extent x = {.tensors = 0};
    for (size_t i = 0; i < d->rows.n; i++) {
        const struct row *r = &d->rows.v[i];
        x.phase[d->calls.v[r->call].phase]++;
        x.tensors += (r->has & HAS_FILE) != 0;
        x.computed += r->has >> IS_COMPUTED != 0;
    }
    return x;
}

/* Read failures of the search: of this recording, or perhaps of others. */
static void tell_read_failures(struct dump *d, const read_failures *l)
{
    struct str folder = path_parent(str_of(d->path));
    for (size_t i = 0; i < l->n; i++) {
        struct str at = str_of(l->v[i].path);
        bool own = str_starts(at, d->path) || (folder.n && str_eq(path_parent(at), folder));
        if (own)
            dump_problem(d, NONE, "missing-file", l->v[i].text);
        else
            dump_warn(
                d, arena_fmt(&d->arena, _("%s; there may be a second recording, which was not checked"), l->v[i].text));
    }
}

static bool is_digest_recording(const struct recording *x)
{
    return x->places.v[x->place].reader == &reader_digest;
}

static int load_side(struct job *j, void *ctx, struct err *e)
{
    struct session *s = ctx;
    int side = j == &s->loader[GOLDEN] ? GOLDEN : TARGET;
    struct recording *x = &s->recordings->side[side];
    struct load *load = &s->load[side];
    struct tensor_files files = {0};
    const struct dump *read = x->places.v[x->place].read;
    int rc = 0;
    if (read)
        dump_share(&x->dump, read);
    else
        rc = x->dump.reader->open(&x->dump, load, e);
    struct side_extent extent = count_side_extent(&x->dump);
    bool tensors = rc == 0 && extent.tensors, computed = tensors && !s->single && !s->tabled;
    if (tensors)
        tensor_files_look(&files, &x->dump, computed ? computed_figures_lack : NULL, &load->cancel);
    if (computed) {
        computed_figures_fill(&x->dump, s->kern, s->opt.workers, load, &files);
        extent = count_side_extent(&x->dump);
    }
    if (rc == 0 && !s->single && is_digest_recording(&s->recordings->side[!side]))
        computed_sketches_fill(&x->dump, s->opt.workers, load); /* all that the other side has of its tensors */
    if (rc == 0 && !s->single)
        dataflow_build(&s->recordings->flow[side], &x->dump); /* no other thread uses it before both sides are loaded */
    session_lock(s);
    if (rc == 0) {
        tensor_files_warn(&files, &x->dump);
        s->far_files = s->far_files || files.far;
    }
    tensor_files_release(&files);
    tell_read_failures(&x->dump, &s->failed[side]);
    x->extent = extent;
    x->dump.complete = rc == 0;
    x->state = rc ? SIDE_FAILED : SIDE_LOADED;
    x->err = *e;
    session_announce(s);
    session_unlock(s);
    session_notify(s);
    return rc;
}

static int begin_load(struct session *s, int i, struct err *e)
{
    struct recording *x = &s->recordings->side[i];
    const struct place *p = &x->places.v[x->place];
    struct file_stamp now = file_stamp_of(p->paths.v[0]);
    uint64_t glance = file_stamp_glance(p->paths.v[0]);
    session_lock(s);
    x->now = now;
    x->glance = glance;
    place_set(&x->dump, p);
    if (s->tabled)
        x->dump.column = (uint8_t)i;
    if (s->opt.of.pack)
        x->dump.shown = arena_fmt(&x->dump.arena, "%s/%s", s->opt.of.pack, i == TARGET ? "target" : "golden");
    x->dump.past = s->tabled ? NULL : step_before_of(&x->places, x->place);
    s->load[i].lock = s->opt.unwatched ? NULL : &s->lock;
    s->load[i].progress = session_notify;
    s->load[i].ctx = s;
    x->state = SIDE_LOADING;
    session_announce(s);
    session_unlock(s);
    if (job_start(&s->loader[i], load_side, s) == 0)
        return 0;
    *e = s->loader[i].err;
    return -1;
}

int session_load_maps(struct session *s, struct err *e)
{
    struct recordings *r = s->recordings;
    size_t n = s->opt.of.map_count;
    r->maps = mem_zalloc((n + 1) * sizeof *r->maps);
    for (size_t i = 0; i < n; i++) {
        r->map_count = i + 1; /* also of one that is read in part */
        if (mapping_load(&r->maps[i], s->opt.of.maps[i], e))
            return -1;
    }
    return 0;
}

/* While the sides are read. */
static void read_before(struct session *s)
{
    struct recordings *r = s->recordings;
    struct round x;
    struct err e = {0};
    if (!s->opt.before.file || s->single || s->opt.of.pair_only)
        return;
    round_init(&x);
    bool there = round_open(&x, &s->opt.before, &e) == 0;
    if (!there)
        round_release(&x);
    session_lock(s);
    r->before = x;
    r->before_there = there;
    r->before_err = e;
    session_unlock(s);
    session_publish_state(s, NULL, false);
}

/* Reads both sides and, at the same time, the previous round. */
int session_load_sides(struct session *s, struct err *e)
{
    int sides = s->single ? 1 : 2, rc = 0;
    for (int i = 0; i < sides && rc == 0; i++)
        rc = begin_load(s, i, e);
    if (rc == 0)
        read_before(s);
    for (int i = 0; i < sides; i++) {
        job_wait(&s->loader[i], NULL, NULL, 0);
        if (rc == 0 && s->recordings->side[i].state == SIDE_FAILED) {
            *e = s->recordings->side[i].err;
            rc = -1;
        }
    }
    return rc;
}
