/* Makes the key of two tensors and converts figures to records of the cache. Raise VERSION when a figure is computed
 * differently. */
#include "measure/figures_cache.h"

#define VERSION 5 /* raise it when a figure is computed differently */
#define VIEW_TEXT 200

struct cache_record {
    struct figures figures;
    unsigned char viewed;
    char view[VIEW_TEXT]; /* as written by view_write */
};

struct cache *figures_cache_open(const char *folder, const char *const dump[2])
{
    return folder ? cache_open(folder, dump, sizeof(struct cache_record), VERSION) : NULL;
}

void figures_cache_start(struct figures_cache *r, struct cache *c, const struct tensor t[2], const struct view *given)
{
    struct buf text = {0};
    if (given)
        view_write(given, &text);
    *r = (struct figures_cache){0};
    if (c && cache_key(t, buf_view(&text), &r->key))
        r->cache = c;
    buf_release(&text);
}

bool figures_cache_get(struct figures_cache *r, struct figures *f, struct view *v, bool *viewed)
{
    struct cache_record x;
    struct err quiet;
    unsigned char two;
    if (!r->cache || !cache_get(r->cache, &r->key, &x))
        return false;
    /* a byte that is neither 0 nor 1 would be no valid bool */
    memcpy(&two, (const char *)&x + offsetof(struct cache_record, figures.two), 1);
    const char *end = memchr(x.view, 0, sizeof x.view);
    if (two > 1 || x.viewed > 1 || !end || (x.viewed && view_parse(v, str_of(x.view), &quiet)))
        return false;
    *f = x.figures;
    *viewed = x.viewed;
    return true;
}

void figures_cache_keep(struct figures_cache *r, const struct figures *f, const struct view *v, bool viewed)
{
    struct cache_record x;
    struct buf text = {0};
    if (!r->cache)
        return;
    if (viewed)
        view_write(v, &text);
    if (text.n < sizeof x.view) {
        memset(&x, 0, sizeof x);
        x.figures = *f;
        x.viewed = viewed;
        if (text.n)
            memcpy(x.view, text.p, text.n);
        cache_put(r->cache, &r->key, &x);
    }
    buf_release(&text);
}
