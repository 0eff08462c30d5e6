/* A result as JSON, as the command line writes it. */
#ifndef TESTS_WRITTEN_H
#define TESTS_WRITTEN_H

#include "base/json_write.h"
#include "base/out.h"

static inline void put_json(struct out *o, void (*json)(struct jsonw *w, struct out *o, const void *result),
                            const void *x)
{
    struct jsonw w;
    jw_init(&w, &o->buf, false);
    json(&w, o, x);
    buf_char(&o->buf, '\n');
}

#endif
