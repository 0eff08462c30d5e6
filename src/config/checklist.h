/* The checklist as data (data/checklist.conf): what has to agree between two runs, how each framework says it,
 * when it matters, what is recommended and why. Loaded once; a mistake in it is a bug, which checklist_bad names. */
#ifndef CONFIG_CHECKLIST_H
#define CONFIG_CHECKLIST_H

#include "config/expr.h"

enum check_severity { SEVERITY_INFO, SEVERITY_WARN, SEVERITY_ERROR };

struct check_way;

enum told_what { TOLD_VALUE, TOLD_WANT, TOLD_GUIDE };

/* How a run says it, or what is asked of it: by dialect, by platform, or both; the most exact row of these holds. */
struct told_by {
    enum dialect dialect; /* DIALECT_NONE: any */
    int platform;         /* -1: any */
    enum told_what what;
    struct node *value;   /* of TOLD_VALUE */
    struct str want;      /* of the others: "2", "0.9 | 0.95", "< 0.05"; "" none */
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
    struct str guide;    /* what the accuracy guide advises where no side says it more exactly; "" nothing */
    struct node *guide_when; /* when it does; NULL: as `when` */
    bool start;          /* of the first step's small run, which panel 1 asks to be settled */
    struct str says, says_zh; /* why the guide advises it */
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
/* What the guide advises of a run with these settings, and why; "" nothing. */
struct str checklist_guide(const struct check_row *r, const struct settings *s);
struct str checklist_says(const struct check_row *r);

#endif
