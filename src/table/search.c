/* Matches a search's pattern with the names of lines' rows and remembers what was found. */
#include "table/search.h"

#include <stdlib.h>

#include "table/shown_name.h"

void search_release(struct search *s)
{
    pattern_free(s->code);
    free(s->text);
    vec_release(&s->hit);
    *s = (struct search){0};
}

static bool has_upper(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\\')
            i++; /* \D, \S … are no letters */
        else if (s.p[i] >= 'A' && s.p[i] <= 'Z')
            return true;
    return false;
}

int search_set(struct search *s, struct str pattern, struct err *e)
{
    struct pattern *fresh = pattern_compile(pattern, has_upper(pattern) ? 0 : PATTERN_CASELESS, e);
    if (!fresh)
        return -1;
    search_release(s);
    s->code = fresh;
    s->text = str_dup(pattern);
    return 0;
}

void search_restart(struct search *s)
{
    s->counted = s->hits = 0;
    vec_clear(&s->hit);
    s->complete = false;
}

bool search_text(const struct search *s, struct str text)
{
    return pattern_match(s->code, text) > 0;
}

bool search_name(const struct search *s, struct str name)
{
    if (search_text(s, name))
        return true;
    struct buf shown = {0};
    shown_name(name, &shown);
    bool hit = search_text(s, buf_view(&shown));
    buf_release(&shown);
    return hit;
}

static bool has_same_names(const struct dump *const side[2], const struct line *l)
{
    const struct row *t = &side[0]->rows.v[l->row[0]], *g = &side[1]->rows.v[l->row[1]];
    return strcmp(side[0]->slots.v[t->slot], side[1]->slots.v[g->slot]) == 0 &&
           str_eq(dump_call_name(side[0], t->call), dump_call_name(side[1], g->call));
}

static bool either_side(const struct search *s, const struct dump *const side[2], const struct line *l,
                        struct buf *name)
{
    for (int i = 0; i < 2; i++) {
        if (l->row[i] == NONE || (i && l->row[0] != NONE && has_same_names(side, l)))
            continue;
        dump_row_name(side[i], l->row[i], name);
        if (search_name(s, buf_view(name)))
            return true;
    }
    return false;
}

bool search_line(const struct search *s, const struct dump *const side[2], const struct line *l)
{
    struct buf name = {0};
    bool hit = either_side(s, side, l, &name);
    buf_release(&name);
    return hit;
}

int search_known(const struct search *s, uint32_t line)
{
    return line >= s->counted ? -1 : (int)(s->hit.v[line / 64] >> line % 64 & 1);
}

uint32_t search_misses(const struct search *s, uint32_t line, int by)
{
    int64_t at = line, known = s->counted;
    if (at >= known)
        return 0;
    while (at >= 0 && at < known) {
        uint32_t bit = (uint32_t)at % 64;
        if (s->hit.v[at / 64] == 0)
            at += by > 0 ? 64 - (int64_t)bit : -(int64_t)bit - 1;
        else if (search_known(s, (uint32_t)at) > 0)
            break;
        else
            at += by > 0 ? 1 : -1;
    }
    at = at > known ? known : at; /* the last word has room for more */
    return (uint32_t)(by > 0 ? at - line : line - at);
}

bool search_count(struct search *s, const struct dump *const side[2], const struct pairing *p, uint32_t lines)
{
    struct buf name = {0};
    if (!s->code || s->complete)
        return false;
    for (; lines && s->counted < p->lines.n; lines--, s->counted++) {
        bool hit = either_side(s, side, &p->lines.v[s->counted], &name);
        if (s->counted % 64 == 0)
            vec_push(&s->hit, (uint64_t)0);
        s->hit.v[s->counted / 64] |= (uint64_t)hit << s->counted % 64;
        s->hits += hit;
    }
    s->complete = s->counted >= p->lines.n;
    buf_release(&name);
    return true;
}
