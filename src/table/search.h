/* Text search in row names of both sides, as recorded and as displayed. Patterns are PCRE2 with smart case: an
 * all-lower-case pattern ignores case. Names may hold any bytes. */
#ifndef TABLE_SEARCH_H
#define TABLE_SEARCH_H

#include "base/pattern.h"
#include "pair/pairing.h"

struct search {
    struct pattern *code;      /* NULL: no search */
    char *text;
    uint32_t counted;          /* number of lines searched so far, from the first; their results are in `hit` */
    VEC(uint64_t) hit;         /* one bit per line */
    uint32_t hits;
    bool complete;             /* hits covers the whole table */
};

/* Compiles the pattern and replaces the old one. On error e says where in the pattern. */
int search_set(struct search *s, struct str pattern, struct err *e);
void search_release(struct search *s);
void search_restart(struct search *s); /* the table's lines have changed: counts again */
bool search_text(const struct search *s, struct str text);
bool search_name(const struct search *s, struct str name); /* as recorded or as shown */
bool search_line(const struct search *s, const struct dump *const side[2], const struct line *l);
/* The result for a line: 1 hit, 0 none, -1 not searched yet. */
int search_known(const struct search *s, uint32_t line);
/* The number of lines known to be no hits, starting at this one, forward or (by < 0) backward. */
uint32_t search_misses(const struct search *s, uint32_t line, int by);
/* Searches the next `lines` lines; false if all were searched. To be called when idle. */
bool search_count(struct search *s, const struct dump *const side[2], const struct pairing *p, uint32_t lines);

#endif
