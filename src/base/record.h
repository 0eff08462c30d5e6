/* What the program keeps as structs and files as JSON objects. One table of members a struct says how each is called,
 * of what kind it is, where it lies and when it is written; the checks, the reader, the writer and comparisons walk it.
 * What a newer version added, and no table here knows, is kept as text and written again (MEMBER_REST). */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/vec.h"

/* What lies in the struct. What a file has of another type, or a number out of range, is passed over by the reader. */
enum member_kind {
    MEMBER_TEXT,   /* const char *; NULL is written as null */
    MEMBER_HEX,    /* uint64_t; 16 hexadecimal digits, as JSON's readers round numbers above 2^53 */
    MEMBER_NAME,   /* uint8_t: below `names` and called so by `name` */
    MEMBER_FLAG,   /* bool */
    MEMBER_INT,    /* int of at least 0; less: not known */
    MEMBER_U32,    /* uint32_t */
    MEMBER_U64,    /* uint64_t, or an int64_t that is not negative; below 1e15 */
    MEMBER_FLOAT,  /* NaN is null */
    MEMBER_DOUBLE,
    MEMBER_TEXTS,  /* VEC(const char *) */
    MEMBER_OBJECT, /* its `members` lie in the same struct */
    MEMBER_OPTION, /* the same; a bool tells whether there is one, else it is null */
    MEMBER_LIST,   /* a VEC of the struct of `of` */
    MEMBER_ARRAY,  /* { const struct *v; size_t n; } of them, in the arena */
    MEMBER_NOW,    /* size_t: so many of the list at `list`, which stands before it, hold; all where nothing is said */
    MEMBER_OWN,    /* an object of numbers that `own` reads and writes */
    MEMBER_REST,   /* const char *: an object of the members that `of` does not have, or NULL; comes last */
};

/* What a member is good for. */
enum {
    MEMBER_KEY = 1,     /* by these two entries are the same thing */
    MEMBER_CHANGES = 2, /* it is what a new version changes */
    MEMBER_REFERS = 4,  /* a uint32_t: the number of another entry, 0: of none */
};

struct merge; /* ticket/merge.h */
struct member;

struct member_own {
    void (*read)(void *x, const cJSON *o, struct arena *a);
    void (*write)(struct jsonw *w, const void *x);
};

struct member {
    const char *key; /* NULL ends a table */
    enum member_kind kind;
    unsigned use;
    size_t at, list;
    const struct record *of;      /* entries of a list; of REST the record whose members are known */
    const struct member *members; /* of an object */
    const struct member_own *own;
    const char *(*name)(unsigned i);
    unsigned names;
    bool (*when)(const void *x, const struct member *m); /* it is written; NULL: always */
    /* How two structs' become one, `ours`; NULL: ours stays. */
    void (*merge)(struct merge *g, const struct member *m, void *ours, const void *theirs);
};

struct record {
    const struct member *members;
    size_t size;
    const void *fresh;       /* what an entry of a list begins as; NULL: all zero */
    bool (*settle)(void *x); /* after an entry was read: false: it is none, and left out; NULL: all are some */
};

/* For `when`: a text that is not empty, a number known or not 0, a list with entries. */
bool member_given(const void *x, const struct member *m);
/* As the member before it in the table. */
bool member_with_last(const void *x, const struct member *m);

#define MEMBER(kind_, type, field, key_, ...) \
    {.key = key_, .kind = MEMBER_##kind_, .at = offsetof(struct type, field), __VA_ARGS__}
#define MEMBER_IN(key_, members_, ...) {.key = key_, .kind = MEMBER_OBJECT, .members = members_, __VA_ARGS__}

/* -1 where a member has another type than the program writes, with a sentence that names the file, the member and what
 * was expected; null is as good as none. */
int record_check(const struct member *table, const cJSON *o, const char *path, struct err *e);
/* The members that are there, over what x holds; entries of lists are put behind its own. Texts live with the arena. */
void record_read(const struct member *table, const cJSON *o, struct arena *a, void *x);
/* The members, without the braces. */
void record_write(const struct member *table, struct jsonw *w, const void *x);
/* Whether the members of any of these uses (0: all that are no lists) are equal. */
bool record_same(const struct member *table, unsigned use, const void *a, const void *b);
/* The numbers of other entries become what the map has for them, 0 where it has nothing. */
void record_renumber(const struct member *table, const struct nmap *becomes, void *x);
/* The row of that key, of its objects' members too. */
const struct member *record_member(const struct member *table, const char *key);
/* f for every member of x, of its objects and then of its lists' entries; what f makes of a list is gone through. */
void record_each(const struct member *table, void *x, void (*f)(void *ctx, const struct member *m, void *x), void *ctx);
/* x is a copy of another one: its lists become its own, texts and arrays stay the other's. */
void record_own_lists(const struct member *table, void *x);
void record_release_lists(const struct member *table, void *x);

/* A number of at most 16 hexadecimal digits; 0 where it is none. */
uint64_t record_hex(struct str s);

/* A list whatever its entries are. */
struct member_list {
    char *v;
    size_t n, cap;
};
struct member_list member_list(const void *x, const struct member *m); /* empty where the member is none */
/* Puts an entry, or a text, behind the others. */
void member_push(void *x, const struct member *m, const void *entry);
void *member_at(const void *x, const struct member *m);
/* The array becomes a copy in the arena. */
void member_copy_array(void *x, const struct member *m, struct arena *a);

#endif
