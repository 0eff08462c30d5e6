/* One recording read by its reader alone, for unit tests. */
#ifndef TESTS_OPENED_H
#define TESTS_OPENED_H

#include "support.h"

#include "fmt/find_recordings.h"

struct opened {
    place_list places;
    pthread_mutex_t lock;
    struct load load;
    struct dump d;
    struct err e;
};

/* The first recording at or below path, which must be of that format: what its reader says. */
static inline int open_as(struct opened *o, const char *path, const char *format)
{
    memset(o, 0, sizeof *o);
    pthread_mutex_init(&o->lock, NULL);
    o->load.lock = &o->lock;
    dump_init(&o->d);
    if (find_recordings(path, &o->places, &o->e))
        fail_msg("%s", o->e.text);
    assert_true(o->places.n >= 1);
    const struct place *p = &o->places.v[0];
    assert_string_equal(p->reader->name, format);
    place_set(&o->d, p);
    return p->reader->open(&o->d, &o->load, &o->e);
}

static inline void shut_opened(struct opened *o)
{
    dump_release(&o->d);
    place_list_release(&o->places);
    pthread_mutex_destroy(&o->lock);
}

static inline uint32_t row_named(const struct dump *d, const char *name)
{
    uint32_t r = dump_find_row(d, str_of(name));
    if (r == NONE)
        fail_msg("no row %s", name);
    return r;
}

#endif
