/* Text search over rows' names on both sides, as recorded and as the table shows them. Patterns are PCRE2
 * with smart case: all lower case ignores case. Names may hold any bytes. */
#ifndef TABLE_SEARCH_H
#define TABLE_SEARCH_H

#include "base/pattern.h"
#include "pair/pairing.h"

struct search {
    struct pattern *code;      /* NULL: nothing is searched */
    char *text;
    uint32_t counted;          /* lines looked at, from the first: what is known of them is in `hit` */
    VEC(uint64_t) hit;         /* a bit a line */
    uint32_t hits;
    bool complete;             /* hits is the whole table's */
};

/* Compiles; the old pattern goes. On error the message says where in the pattern. */
int search_set(struct search *s, struct str pattern, struct err *e);
void search_release(struct search *s);
void search_restart(struct search *s); /* the table has other lines: counts from the first */
bool search_text(const struct search *s, struct str text);
bool search_name(const struct search *s, struct str name); /* as recorded or as shown */
bool search_line(const struct search *s, const struct dump *const side[2], const struct line *l);
/* What is known of a line: 1 a hit, 0 none, -1 not looked at yet. */
int search_known(const struct search *s, uint32_t line);
/* How many lines from this one on, itself the first, forward or (by < 0) backward, are known to be no hits. */
uint32_t search_misses(const struct search *s, uint32_t line, int by);
/* Counts hits over the next `lines` lines; false where nothing was left to count. Call it when idle. */
bool search_count(struct search *s, const struct dump *const side[2], const struct pairing *p, uint32_t lines);

#endif
