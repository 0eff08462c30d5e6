/* The checklist as data (data/checklist.conf): what has to agree between two runs, how each framework says it,
 * when it matters, what is recommended and why. Loaded once; a mistake in it is a bug, which checklist_bad names. */
#ifndef CONFIG_CHECKLIST_H
#define CONFIG_CHECKLIST_H

#include "config/expr.h"

enum check_severity { SEVERITY_INFO, SEVERITY_WARN, SEVERITY_ERROR };

struct check_way;

/* How a run says it: by dialect, by platform, or both; the most exact row of these holds. */
struct told_by {
    enum dialect dialect; /* DIALECT_NONE: any */
    int platform;         /* -1: any */
    struct node *value;
    struct str want;      /* of want@…: what is wanted there; "" none */
    bool is_want;
};

struct check_row {
    struct str id;       /* "C001", "E004"; "" of an entry that only others use (let) */
    struct str key, category;
    enum check_severity severity;
    const struct check_way *judge; /* NULL of let */
    VEC(struct told_by) by;
    struct node *when;   /* NULL: always */
    struct str want;     /* alternatives, " | " between them */
    struct str recommended; /* for people, where it is not judged */
    struct str accept;   /* an entry whose value counts as this one's too */
    struct str text, text_zh, source;
};

struct checklist {
    struct arena arena;
    VEC(struct check_row) row;
    struct map by_key;
};

const struct checklist *checklist_get(void);
const char *checklist_bad(void); /* the first mistake in the data, or NULL */
const struct check_row *checklist_find(struct str id_or_key); /* NULL: none */
const char *check_severity_name(enum check_severity s);
/* The sentence in the language in force. */
struct str checklist_text(const struct check_row *r);
/* The expression of a run with these settings, NULL where its framework has no such setting. */
const struct node *checklist_value(const struct check_row *r, const struct settings *s);
struct str checklist_want(const struct check_row *r, const struct settings *s);

#endif
