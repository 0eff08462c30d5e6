/* The job behind the tensor view: opens what is wanted now, reads what the screen needs first, then the whole. */
#include "measure/tensor_reader.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/msg.h"

#define FIRST_MS 200 /* a plane has the thread for itself this long, then shares it with the whole tensor */
#define NEWS_MS 40   /* between two notices */

void gaze_init(struct gaze *s, void (*notify)(void *ctx), void *ctx)
{
    memset(s, 0, sizeof *s);
    job_init(&s->job, notify, ctx);
}

bool gaze_case_same(const struct gaze_case *a, const struct gaze_case *b)
{
    return a->side[0] == b->side[0] && a->side[1] == b->side[1] && memcmp(a->job.row, b->job.row, sizeof a->job.row) == 0 &&
           a->job.given == b->job.given && (!a->job.given || view_same(&a->job.view, &b->job.view));
}

/* ---- the thread ---- */

static void let_go(struct gaze *s)
{
    for (int i = 0; i < GAZE_HEATS; i++)
        if (s->used[i])
            heat_release(&s->heat[i]);
    memset(s->used, 0, sizeof s->used);
    if (s->state == GAZE_OPEN)
        tally_release(&s->tally);
    lens_release(&s->lens);
    s->state = GAZE_NOTHING;
    s->element_known = false;
}

int gaze_open_case(const struct gaze_case *c, struct lens *l, struct err *e)
{
    struct tensor t[2];
    const uint32_t *row = c->job.row;
    if (row[0] != NONE && row[1] != NONE) {
        if (measure_open_job(c->side, &c->job, t, e))
            return -1;
        bool complex[2];
        for (int d = 0; d < 2; d++)
            complex[d] = dtype_table[t[d].dtype].klass == CLASS_COMPLEX;
        if (complex[0] != complex[1]) {
            err_set(e, ERR_DATA, _("%s: complex numbers on one side only; each side can be looked at alone"), t[0].file.name);
            tensor_close(&t[0]);
            tensor_close(&t[1]);
            return -1;
        }
        lens_init(l, &t[0], &t[1]);
    } else {
        int d = row[0] != NONE ? 0 : 1;
        if (dump_tensor(c->side[d], row[d], &t[d], e))
            return -1;
        lens_init(l, d ? NULL : &t[0], d ? &t[1] : NULL);
    }
    if (l->numel)
        return 0;
    lens_release(l);
    return err_set(e, ERR_DATA, "%s", _("the tensor holds no elements"));
}

/* Opens what is wanted now; the lock held but while files are opened. */
static void turn_to(struct gaze *s)
{
    struct lens made;
    struct err e = {0};
    let_go(s);
    s->now = s->wanted;
    s->state = GAZE_OPENING;
    struct gaze_case c = s->now;
    pthread_mutex_unlock(&s->job.lock);
    int rc = gaze_open_case(&c, &made, &e);
    pthread_mutex_lock(&s->job.lock);
    if (rc) {
        s->state = GAZE_FAILED;
        s->err = e;
        return;
    }
    s->lens = made;
    tally_init(&s->tally, &s->lens);
    s->state = GAZE_OPEN;
}

static struct heat *find_heat(struct gaze *s, const struct heat_ask *ask)
{
    for (int i = 0; i < GAZE_HEATS; i++)
        if (s->used[i] && heat_same(&s->heat[i].ask, ask))
            return &s->heat[i];
    return NULL;
}

static struct heat *make_heat(struct gaze *s)
{
    int i = s->next++ % GAZE_HEATS;
    if (s->used[i])
        heat_release(&s->heat[i]);
    heat_init(&s->heat[i], &s->lens, &s->ask);
    s->used[i] = true;
    return &s->heat[i];
}

static void fail(struct gaze *s, const struct err *e)
{
    let_go(s);
    s->state = GAZE_FAILED;
    s->err = *e;
}

/* The one element under the cursor. */
static void read_element(struct gaze *s)
{
    struct lens_element x;
    struct err e;
    uint64_t at = s->element_at;
    pthread_mutex_unlock(&s->job.lock);
    int rc = lens_element(&s->lens, at, &x, &e);
    pthread_mutex_lock(&s->job.lock);
    if (rc) {
        fail(s, &e);
        return;
    }
    s->element = x;
    s->element_of = at;
    s->element_known = true;
}

/* A stretch of the plane or of the whole; reading without the lock: only this thread changes what is read into. */
static void read_on(struct gaze *s, struct heat *h)
{
    struct err e;
    pthread_mutex_unlock(&s->job.lock);
    int rc = h ? heat_read(h, &e) : tally_read(&s->tally, &e);
    pthread_mutex_lock(&s->job.lock);
    if (rc)
        fail(s, &e);
    else if (h)
        heat_count(h);
    else
        tally_count(&s->tally);
}

/* One piece of work, what the screen needs first; false: nothing is left to do. */
static bool work_on(struct gaze *s, long *plane_since, struct heat **plane)
{
    if (s->state != GAZE_OPEN)
        return false;
    if (s->element_asked && !(s->element_known && s->element_of == s->element_at)) {
        read_element(s);
        return true;
    }
    struct heat *h = s->asked ? find_heat(s, &s->ask) : NULL;
    if (s->asked && !h)
        h = make_heat(s);
    if (h != *plane) {
        for (int i = 0; i < GAZE_HEATS; i++)
            if (s->used[i] && &s->heat[i] != h)
                lens_reader_rest(&s->heat[i].reader);
        *plane = h;
        *plane_since = clock_ms();
    }
    bool of_plane = h && !heat_complete(h), of_all = !tally_complete(&s->tally);
    if (!of_plane && !of_all)
        return false;
    if (of_plane && of_all && clock_ms() - *plane_since >= FIRST_MS && h->sweep.done > s->tally.sweep.done)
        of_plane = false;
    read_on(s, of_plane ? h : NULL);
    return true;
}

static int work(struct job *j, void *ctx, struct err *quiet)
{
    struct gaze *s = ctx;
    struct heat *plane = NULL;
    long told = 0, since = 0;
    bool unseen = false;
    (void)quiet;
    pthread_mutex_lock(&s->job.lock);
    while (!atomic_load(&j->cancel)) {
        bool worked = true;
        if (s->any && (s->state == GAZE_NOTHING || !gaze_case_same(&s->wanted, &s->now))) {
            turn_to(s);
            plane = NULL;
        } else {
            worked = work_on(s, &since, &plane);
        }
        unseen = unseen || worked;
        if (unseen && j->notify && (!worked || clock_ms() - told >= NEWS_MS)) {
            pthread_mutex_unlock(&s->job.lock);
            job_tell(j);
            pthread_mutex_lock(&s->job.lock);
            told = clock_ms();
            unseen = false;
        } else if (!worked) {
            pthread_cond_broadcast(&s->job.changed); /* whoever waits for this */
            pthread_cond_wait(&s->job.changed, &s->job.lock);
        }
    }
    let_go(s);
    pthread_mutex_unlock(&s->job.lock);
    return 0;
}

void gaze_release(struct gaze *s)
{
    job_release(&s->job);
}

/* ---- asking ---- */

void gaze_want(struct gaze *s, const struct gaze_case *c)
{
    if (s->any && gaze_case_same(&s->wanted, c))
        return;
    s->wanted = *c;
    s->any = true;
    s->asked = s->element_asked = false;
    if (s->job.state != JOB_RUNNING && job_start(&s->job, work, s)) {
        s->now = s->wanted;
        s->state = GAZE_FAILED;
        s->err = s->job.err;
    }
    pthread_cond_broadcast(&s->job.changed);
}

void gaze_want_nothing(struct gaze *s)
{
    s->any = s->asked = s->element_asked = false;
}

enum gaze_state gaze_ready(const struct gaze *s)
{
    if (!s->any)
        return GAZE_NOTHING;
    return gaze_case_same(&s->wanted, &s->now) && s->state != GAZE_NOTHING ? s->state : GAZE_OPENING;
}

const struct heat *gaze_heat(struct gaze *s, const struct heat_ask *ask)
{
    if (gaze_ready(s) != GAZE_OPEN)
        return NULL;
    const struct heat *h = find_heat(s, ask);
    if (!s->asked || !heat_same(&s->ask, ask)) {
        s->ask = *ask;
        s->asked = true;
        pthread_cond_broadcast(&s->job.changed);
    }
    return h;
}

const struct lens_element *gaze_element(struct gaze *s, uint64_t at)
{
    if (gaze_ready(s) != GAZE_OPEN)
        return NULL;
    if (!s->element_asked || s->element_at != at) {
        s->element_at = at;
        s->element_asked = true;
        pthread_cond_broadcast(&s->job.changed);
    }
    return s->element_known && s->element_of == at ? &s->element : NULL;
}

static bool busy(const struct gaze *s)
{
    if (s->job.state != JOB_RUNNING || !s->any)
        return false;
    enum gaze_state now = gaze_ready(s);
    if (now != GAZE_OPEN)
        return now == GAZE_OPENING;
    if (s->element_asked && !(s->element_known && s->element_of == s->element_at))
        return true;
    if (!tally_complete(&s->tally))
        return true;
    for (int i = 0; s->asked && i < GAZE_HEATS; i++)
        if (s->used[i] && heat_same(&s->heat[i].ask, &s->ask))
            return !heat_complete(&s->heat[i]);
    return s->asked;
}

void gaze_wait(struct gaze *s)
{
    pthread_mutex_lock(&s->job.lock);
    while (busy(s))
        pthread_cond_wait(&s->job.changed, &s->job.lock);
    pthread_mutex_unlock(&s->job.lock);
}
