/* Structs that are stored as JSON objects. One table of members per struct gives the key, kind, offset and condition
 * of each; checking, reading, writing and comparing walk the table. Members that a newer version added and that are
 * not in the table are kept as text and written again (MEMBER_REST). */
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

/* The C type in the struct. A value of another JSON type, or a number out of range, is skipped by the reader. */
enum member_kind {
    MEMBER_TEXT,   /* const char *; NULL is written as null */
    MEMBER_HEX,    /* uint64_t; 16 hexadecimal digits, as JSON's readers round numbers above 2^53 */
    MEMBER_NAME,   /* uint8_t: an index below `names`, whose text is `name`(index) */
    MEMBER_FLAG,   /* bool */
    MEMBER_INT,    /* int, at least 0; negative: not known */
    MEMBER_U32,    /* uint32_t */
    MEMBER_U64,    /* uint64_t, or an int64_t that is not negative; below 1e15 */
    MEMBER_FLOAT,  /* NaN is null */
    MEMBER_DOUBLE,
    MEMBER_TEXTS,  /* VEC(const char *) */
    MEMBER_OBJECT, /* its `members` are in the same struct */
    MEMBER_OPTION, /* the same; a bool in the struct says whether it is present, otherwise it is null */
    MEMBER_LIST,   /* a VEC of structs described by `of` */
    MEMBER_ARRAY,  /* { const struct *v; size_t n; } of the same, in the arena */
    MEMBER_NOW,    /* size_t: the number of entries in force of the list at `list`, which precedes it; absent: all */
    MEMBER_OWN,    /* an object of numbers that `own` reads and writes */
    MEMBER_REST,   /* const char *: an object of the members that `of` does not know, or NULL; must be the last */
};

/* Roles of a member, as bits. */
enum {
    MEMBER_KEY = 1,     /* two entries equal in these members are the same thing */
    MEMBER_CHANGES = 2, /* a new version of an entry changes it */
    MEMBER_REFERS = 4,  /* a uint32_t: the number of another entry; 0: none */
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
    const struct member *members; /* of MEMBER_OBJECT and MEMBER_OPTION */
    const struct member_own *own;
    const char *(*name)(unsigned i);
    unsigned names;
    bool (*when)(const void *x, const struct member *m); /* whether it is written; NULL: always */
    /* Merges the member of two structs into `ours`; NULL: ours stays. */
    void (*merge)(struct merge *g, const struct member *m, void *ours, const void *theirs);
};

struct record {
    const struct member *members;
    size_t size;
    const void *fresh;       /* initial content of a list's entry; NULL: all zero */
    /* called after an entry was read; false: the entry is invalid and left out; NULL: all are valid */
    bool (*settle)(void *x);
};

/* For `when`: true for a text that is not empty, a number that is known and not 0, a list with entries. */
bool member_given(const void *x, const struct member *m);
/* For `when`: written if the previous member of the table is. */
bool member_with_last(const void *x, const struct member *m);

#define MEMBER(kind_, type, field, key_, ...) \
    {.key = key_, .kind = MEMBER_##kind_, .at = offsetof(struct type, field), __VA_ARGS__}
#define MEMBER_IN(key_, members_, ...) {.key = key_, .kind = MEMBER_OBJECT, .members = members_, __VA_ARGS__}

/* -1 if a member has another type than the program writes; e names the file, the member and what was expected. Null
 * counts as absent. */
int record_check(const struct member *table, const cJSON *o, const char *path, struct err *e);
/* Reads the members that are present into x; list entries are appended. Texts are allocated in the arena. */
void record_read(const struct member *table, const cJSON *o, struct arena *a, void *x);
/* Writes the members, without the braces. */
void record_write(const struct member *table, struct jsonw *w, const void *x);
/* Whether a and b are equal in all members with one of these uses (0: all members that are no lists). */
bool record_same(const struct member *table, unsigned use, const void *a, const void *b);
/* Replaces the numbers of other entries by those of the map; 0 if the map has none. */
void record_renumber(const struct member *table, const struct nmap *becomes, void *x);
/* The table row of a key, also inside objects. */
const struct member *record_member(const struct member *table, const char *key);
/* Calls f for every member of x, of its objects and of the entries of its lists (as f has left them). */
void record_each(const struct member *table, void *x, void (*f)(void *ctx, const struct member *m, void *x), void *ctx);
/* x is a shallow copy of another struct: its lists are copied; texts and arrays stay shared. */
void record_own_lists(const struct member *table, void *x);
void record_release_lists(const struct member *table, void *x);

/* A number of at most 16 hexadecimal digits; 0 if s is none. */
uint64_t record_hex(struct str s);

/* A list without its entries' type. */
struct member_list {
    char *v;
    size_t n, cap;
};
struct member_list member_list(const void *x, const struct member *m); /* empty if the member is none */
/* Appends an entry, or a text. */
void member_push(void *x, const struct member *m, const void *entry);
void *member_at(const void *x, const struct member *m);
/* Replaces the array by a copy in the arena. */
void member_copy_array(void *x, const struct member *m, struct arena *a);

#endif
