#include "compare/diagnosis_job.h"

void ward_init(struct ward *w, struct session *s)
{
    *w = (struct ward){.s = s, .wanted = NONE};
    for (size_t i = 0; i < WARD_KEPT; i++)
        w->kept[i].line = NONE;
}

static bool same_case(const struct line_judgement *a, const struct line_judgement *b)
{
    return a->verdict == b->verdict && a->rule == b->rule && a->flags == b->flags;
}

static struct ward_entry *find(struct ward *w, uint32_t line)
{
    const struct line_judgement *now = &w->s->judged->line[line];
    for (size_t i = 0; i < WARD_KEPT; i++)
        if (w->kept[i].line == line && w->kept[i].pairing == w->s->pairings && same_case(&w->kept[i].of, now))
            return &w->kept[i];
    return NULL;
}

static void keep(struct ward *w, uint32_t line, const struct line_judgement *of, const struct diagnoses *d)
{
    struct ward_entry *e = &w->kept[w->next++ % WARD_KEPT];
    diagnoses_release(&e->found);
    *e = (struct ward_entry){.line = line, .pairing = w->s->pairings, .of = *of, .found = *d};
}

static void *work(void *ctx)
{
    struct ward *w = ctx;
    struct session *s = w->s;
    session_lock(s);
    while (!w->stop) {
        if (w->wanted == NONE) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        uint32_t line = w->wanted;
        struct judgement *j = session_take_judgement(s);
        struct diagnoses d;
        w->wanted = NONE;
        if (!j || line >= j->lines) { /* paired anew since it was asked for */
            if (j)
                session_give_judgement(s, j);
            pthread_cond_broadcast(&s->changed);
            continue;
        }
        w->busy = true;
        session_unlock(s);
        diagnose(&d, j, &s->measure, s->flow, line);
        session_lock(s);
        keep(w, line, &j->line[line], &d);
        w->busy = false;
        session_give_judgement(s, j);
        session_tell(s);
    }
    session_unlock(s);
    return NULL;
}

const struct diagnoses *ward_ask(struct ward *w, uint32_t line)
{
    struct session *s = w->s;
    if (!s->judged || line >= s->judged->lines || !diagnosable(s->judged, &s->measure, line))
        return NULL;
    struct ward_entry *e = find(w, line);
    if (e)
        return &e->found;
    if (!w->running)
        w->running = pthread_create(&w->thread, NULL, work, w) == 0;
    w->wanted = w->running ? line : NONE;
    pthread_cond_broadcast(&s->changed);
    return NULL;
}

void ward_wait(struct ward *w)
{
    session_lock(w->s);
    while (w->running && (w->wanted != NONE || w->busy))
        pthread_cond_wait(&w->s->changed, &w->s->lock);
    session_unlock(w->s);
}

void ward_release(struct ward *w)
{
    if (w->running) {
        session_lock(w->s);
        w->stop = true;
        pthread_cond_broadcast(&w->s->changed);
        session_unlock(w->s);
        pthread_join(w->thread, NULL);
    }
    for (size_t i = 0; i < WARD_KEPT; i++)
        diagnoses_release(&w->kept[i].found);
    w->running = false;
}
