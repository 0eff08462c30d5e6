/* The checklist (data/checklist.conf): the settings that must agree between two runs, their names in each framework,
 * when they matter, recommendations and reasons. Loaded once; an error in it is a bug and reported by checklist_bad. */
#ifndef CONFIG_CHECKLIST_H
#define CONFIG_CHECKLIST_H

#include "config/expr.h"

enum check_severity { SEVERITY_INFO, SEVERITY_WARN, SEVERITY_ERROR };

struct check_way;

enum told_what { TOLD_VALUE, TOLD_WANT, TOLD_GUIDE };

/* A framework's expression or wanted value for a check: by dialect, platform, or both; the most specific row applies.
 */
struct told_by {
    enum dialect dialect; /* DIALECT_NONE: any */
    int platform;         /* -1: any */
    enum told_what what;
    struct node *value;   /* for TOLD_VALUE */
    struct str want;      /* for the others: "2", "0.9 | 0.95", "< 0.05"; "" none */
};

struct check_row {
    struct str id;       /* "C001", "E004"; "" for an entry that only others use (let) */
    struct str key, category;
    enum check_severity severity;
    const struct check_way *judge; /* NULL for let */
    VEC(struct told_by) by;
    struct node *when;   /* NULL: always */
    struct str want;     /* alternatives separated by " | " */
    struct str recommended; /* for people, if it is not judged */
    struct str accept;   /* an entry whose value is accepted for this one too */
    struct str guide;    /* the accuracy guide's advice unless a side has a more specific one; "" none */
    struct node *guide_when; /* when the advice applies; NULL: as `when` */
    bool number;         /* its values are numbers */
    bool start;          /* needed for the first step's small run; panel 1 asks for it */
    struct str says, says_zh; /* the reason for the guide's advice */
    struct str text, text_zh, source;
};

struct checklist {
    struct arena arena;
    VEC(struct check_row) row;
    struct map by_key;
};

const struct checklist *checklist_get(void);
const char *checklist_bad(void); /* the first error in the data, or NULL */
const struct check_row *checklist_find(struct str id_or_key); /* NULL: none */
const char *check_severity_name(enum check_severity s);
/* The sentence in the current language. */
struct str checklist_text(const struct check_row *r);
/* The expression for a run with these settings; NULL if its framework has no such setting. */
const struct node *checklist_value(const struct check_row *r, const struct settings *s);
struct str checklist_want(const struct check_row *r, const struct settings *s);
/* The guide's advice for a run with these settings, and the reason; "" none. */
struct str checklist_guide(const struct check_row *r, const struct settings *s);
struct str checklist_says(const struct check_row *r);

#endif
