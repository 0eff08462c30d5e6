/* The job of the tensor view: opens the wanted tensors, reads first what the screen needs, then the whole. */
#include "measure/tensor_reader.h"

#include "base/clock.h"
#include "base/msg.h"

/* time in ms in which a new plane is read exclusively, before the whole tensor shares the thread */
#define FIRST_MS 200
#define NEWS_MS 40   /* shortest interval between notifications, in ms */

void tensor_reader_init(struct tensor_reader *s, void (*notify)(void *ctx), void *ctx)
{
    memset(s, 0, sizeof *s);
    job_init(&s->job, notify, ctx);
}

bool tensor_reader_case_same(const struct tensor_reader_case *a, const struct tensor_reader_case *b)
{
    return a->side[0] == b->side[0] && a->side[1] == b->side[1] &&
           memcmp(a->job.row, b->job.row, sizeof a->job.row) == 0 &&
           a->job.given == b->job.given && (!a->job.given || view_same(&a->job.view, &b->job.view));
}

/* ---- the thread ---- */

static void release_shown_case(struct tensor_reader *s)
{
    for (int i = 0; i < TENSOR_READER_HEATS; i++)
        if (s->used[i])
            heat_map_release(&s->heat[i]);
    memset(s->used, 0, sizeof s->used);
    if (s->state == TENSOR_READER_OPEN)
        tensor_stats_release(&s->tally);
    element_lens_release(&s->lens);
    s->state = TENSOR_READER_NOTHING;
    s->element_known = false;
}

int tensor_reader_open_case(const struct tensor_reader_case *c, struct element_lens *l, struct err *e)
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
            err_set(e, ERR_DATA, _("%s: complex numbers on one side only; open each side alone"), t[0].file.name);
            tensor_close(&t[0]);
            tensor_close(&t[1]);
            return -1;
        }
        element_lens_init(l, &t[0], &t[1]);
    } else {
        int d = row[0] != NONE ? 0 : 1;
        if (dump_tensor(c->side[d], row[d], &t[d], e))
            return -1;
        element_lens_init(l, d ? NULL : &t[0], d ? &t[1] : NULL);
    }
    if (l->numel)
        return 0;
    element_lens_release(l);
    return err_set(e, ERR_DATA, "%s", _("the tensor holds no elements"));
}

/* Opens the wanted case; holds the lock except while files are opened. */
static void turn_to(struct tensor_reader *s)
{
    struct element_lens made;
    struct err e = {0};
    release_shown_case(s);
    s->now = s->wanted;
    s->state = TENSOR_READER_OPENING;
    struct tensor_reader_case c = s->now;
    pthread_mutex_unlock(&s->job.lock);
    int rc = tensor_reader_open_case(&c, &made, &e);
    pthread_mutex_lock(&s->job.lock);
    if (rc) {
        s->state = TENSOR_READER_FAILED;
        s->err = e;
        return;
    }
    s->lens = made;
    tensor_stats_init(&s->tally, &s->lens);
    s->state = TENSOR_READER_OPEN;
}

/* The index of the requested plane, -1 if there is none. */
static int heat_at(const struct tensor_reader *s)
{
    for (int i = 0; s->asked && i < TENSOR_READER_HEATS; i++)
        if (s->used[i] && heat_map_same(&s->heat[i].ask, &s->ask))
            return i;
    return -1;
}

static struct heat_map *make_heat(struct tensor_reader *s)
{
    int i = s->next++ % TENSOR_READER_HEATS;
    if (s->used[i])
        heat_map_release(&s->heat[i]);
    heat_map_init(&s->heat[i], &s->lens, &s->ask);
    s->used[i] = true;
    return &s->heat[i];
}

static void reader_fail(struct tensor_reader *s, const struct err *e)
{
    release_shown_case(s);
    s->state = TENSOR_READER_FAILED;
    s->err = *e;
}

/* Reads the element under the cursor. */
static void read_element(struct tensor_reader *s)
{
    struct element_lens_element x;
    struct err e;
    uint64_t at = s->element_at;
    pthread_mutex_unlock(&s->job.lock);
    int rc = element_lens_element(&s->lens, at, &x, &e);
    pthread_mutex_lock(&s->job.lock);
    if (rc) {
        reader_fail(s, &e);
        return;
    }
    s->element = x;
    s->element_of = at;
    s->element_known = true;
}

/* Reads a range of the plane or of the whole without the lock: only this thread changes the buffers. */
static void read_on(struct tensor_reader *s, struct heat_map *h)
{
    struct err e;
    pthread_mutex_unlock(&s->job.lock);
    int rc = h ? heat_map_read(h, &e) : tensor_stats_read(&s->tally, &e);
    pthread_mutex_lock(&s->job.lock);
    if (rc)
        reader_fail(s, &e);
    else if (h)
        heat_map_count(h);
    else
        tensor_stats_count(&s->tally);
}

/* One piece of work, what the screen needs first; false: nothing is left to do. */
static bool work_on(struct tensor_reader *s, long *plane_since, struct heat_map **plane)
{
    if (s->state != TENSOR_READER_OPEN)
        return false;
    if (s->element_asked && !(s->element_known && s->element_of == s->element_at)) {
        read_element(s);
        return true;
    }
    int at = heat_at(s);
    struct heat_map *h = at >= 0 ? &s->heat[at] : s->asked ? make_heat(s) : NULL;
    if (h != *plane) {
        for (int i = 0; i < TENSOR_READER_HEATS; i++)
            if (s->used[i] && &s->heat[i] != h)
                lens_read_rest(&s->heat[i].reader);
        *plane = h;
        *plane_since = clock_ms();
    }
    bool of_plane = h && !heat_map_complete(h), of_all = !tally_complete(&s->tally);
    if (!of_plane && !of_all)
        return false;
    if (of_plane && of_all && clock_ms() - *plane_since >= FIRST_MS && h->sweep.done > s->tally.sweep.done)
        of_plane = false;
    read_on(s, of_plane ? h : NULL);
    return true;
}

static int read_shown_case(struct job *j, void *ctx, struct err *quiet)
{
    struct tensor_reader *s = ctx;
    struct heat_map *plane = NULL;
    long told = 0, since = 0;
    bool unseen = false;
    (void)quiet;
    pthread_mutex_lock(&s->job.lock);
    while (!atomic_load(&j->cancel)) {
        bool worked = true;
        if (s->any && (s->state == TENSOR_READER_NOTHING || !tensor_reader_case_same(&s->wanted, &s->now))) {
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
            pthread_cond_broadcast(&s->job.changed); /* wakes waiting threads */
            pthread_cond_wait(&s->job.changed, &s->job.lock);
        }
    }
    release_shown_case(s);
    pthread_mutex_unlock(&s->job.lock);
    return 0;
}

void tensor_reader_release(struct tensor_reader *s)
{
    job_release(&s->job);
}

/* ---- requests ---- */

void tensor_reader_want(struct tensor_reader *s, const struct tensor_reader_case *c)
{
    if (s->any && tensor_reader_case_same(&s->wanted, c))
        return;
    s->wanted = *c;
    s->any = true;
    s->asked = s->element_asked = false;
    if (s->job.state != JOB_RUNNING && job_start(&s->job, read_shown_case, s)) {
        s->now = s->wanted;
        s->state = TENSOR_READER_FAILED;
        s->err = s->job.err;
    }
    pthread_cond_broadcast(&s->job.changed);
}

void tensor_reader_want_nothing(struct tensor_reader *s)
{
    s->any = s->asked = s->element_asked = false;
}

enum tensor_reader_state tensor_reader_ready(const struct tensor_reader *s)
{
    if (!s->any)
        return TENSOR_READER_NOTHING;
    return tensor_reader_case_same(&s->wanted, &s->now) && s->state != TENSOR_READER_NOTHING
           ? s->state : TENSOR_READER_OPENING;
}

void tensor_reader_lock(const struct tensor_reader *s)
{
    pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)&s->job.lock);
}

void tensor_reader_unlock(const struct tensor_reader *s)
{
    pthread_mutex_unlock((pthread_mutex_t *)(uintptr_t)&s->job.lock);
}

void tensor_reader_ask(struct tensor_reader *s, const struct heat_map_ask *plane, uint64_t element)
{
    if (tensor_reader_ready(s) != TENSOR_READER_OPEN)
        return;
    bool same = s->asked && heat_map_same(&s->ask, plane) && s->element_asked && s->element_at == element;
    s->ask = *plane;
    s->element_at = element;
    s->asked = s->element_asked = true;
    if (!same)
        pthread_cond_broadcast(&s->job.changed);
}

const struct heat_map *tensor_reader_heat(const struct tensor_reader *s)
{
    int at = tensor_reader_ready(s) == TENSOR_READER_OPEN ? heat_at(s) : -1;
    return at >= 0 ? &s->heat[at] : NULL;
}

const struct element_lens_element *tensor_reader_element(const struct tensor_reader *s, uint64_t at)
{
    return tensor_reader_ready(s) == TENSOR_READER_OPEN && s->element_known && s->element_of == at ? &s->element : NULL;
}

static bool reader_is_busy(const struct tensor_reader *s)
{
    if (s->job.state != JOB_RUNNING || !s->any)
        return false;
    enum tensor_reader_state now = tensor_reader_ready(s);
    if (now != TENSOR_READER_OPEN)
        return now == TENSOR_READER_OPENING;
    if (s->element_asked && !(s->element_known && s->element_of == s->element_at))
        return true;
    if (!tally_complete(&s->tally))
        return true;
    int at = heat_at(s);
    return at >= 0 ? !heat_map_complete(&s->heat[at]) : s->asked;
}

void tensor_reader_wait(struct tensor_reader *s)
{
    pthread_mutex_lock(&s->job.lock);
    while (reader_is_busy(s))
        pthread_cond_wait(&s->job.changed, &s->job.lock);
    pthread_mutex_unlock(&s->job.lock);
}
