/* What changed between two comparisons of one model: rows fixed, new, worse, better or vanished; whether the first
 * deviation is gone; whether that confirms a fix. doc/investigation.md gives the limits and their reasons. */
#ifndef TICKET_ROUND_CHANGES_H
#define TICKET_ROUND_CHANGES_H

#include "ticket/round_match.h"

enum change_kind {
    CHANGE_FIXED,    /* deviated, now agrees */
    CHANGE_NEW,      /* now deviates, but did not */
    CHANGE_WORSE,    /* error grew by more than CHANGES_FACTOR, or match became drift */
    CHANGE_BETTER,   /* the reverse */
    CHANGE_VANISHED, /* deviated, and is now not recorded, not paired or not judged: not counted as fixed */
    CHANGE_KINDS
};

#define CHANGES_FACTOR 2 /* smaller changes of an error are noise between runs */
/* share of the smaller comparison's rows that must be found again; otherwise the two are not comparable */
#define CHANGES_SHARE 0.5
#define CHANGES_NAMED 3  /* rows named in a sentence */

struct change {
    uint8_t kind;
    uint32_t was, now; /* rows of the two rounds, NONE if absent */
};

enum first_fate {
    FIRST_NONE,     /* there was none */
    FIRST_GONE,     /* its row now agrees */
    FIRST_STAYS,    /* its row still deviates */
    FIRST_VANISHED, /* its row is absent or not judged now */
    FIRST_UNTOLD,   /* unknown: there are no rows to look it up in, and another row is first now */
};

/* The conclusion from a recording in which one value was replaced by the golden side's. */
enum intervention {
    INTERVENTION_NONE,      /* nothing was replaced */
    INTERVENTION_CONFIRMED, /* the deviating rows after it now agree: it explains them alone */
    INTERVENTION_REFUTED,   /* rows after it still deviate */
    INTERVENTION_UNTOLD,    /* the row is not in both rounds, or nothing after it can be judged */
};

struct changes {
    struct arena arena;
    enum intervention intervention;
    const char *replaced;     /* the row, "" if none */
    /* forward rows after it that deviated before; those of them, and new ones, that deviate now */
    uint32_t behind, left;
    uint32_t round[2];        /* numbers; 0: not two rounds of one investigation */
    bool comparable;
    const char *why;          /* why they are not comparable, or what could not be examined; "" */
    bool rows;                /* compared row by row; false: only by counts and first deviations */
    size_t joined;            /* rows of the later comparison that were found in the earlier one */
    uint32_t count[CHANGE_KINDS];
    VEC(struct change) list;  /* by kind, then in table order; empty after changes_forget */
    enum first_fate fate;
    const char *first[2];     /* name of the first deviation before and now, "" if none */
    float error[2];           /* their errors; if the row stays, error[1] is its current error */
    bool moved;               /* both deviate, first in different rows */
    uint32_t types[2];        /* rows whose sides have different floating types, before and now */
    uint32_t unified;         /* those of before that have one type now */
    bool nothing_new;         /* all is judged by rows, nothing is new, and no more rows vanished than were fixed */
    /* and the first deviation is gone, or there was none and each row of different types has one type now */
    bool confirmed;
    int status;               /* 0: nothing is new or worse, 1: something is, 5: not comparable, or not judged now */
    int judged;               /* status of the later comparison */
    const char *named[CHANGES_NAMED]; /* the first new ones, NULL after the last */
    uint32_t unseen;          /* new ones that had no partner before, or were not judged or recorded */
};

/* x: result of round_match; NULL if a round has no rows. */
void changes_find(struct changes *c, const struct round *before, const struct round *now, const struct round_join *x);
void changes_release(struct changes *c);
/* The change of one row; NULL: absent. CHANGE_KINDS: no relevant change. */
enum change_kind round_row_change(const struct round_row *was, const struct round_row *now);
const char *change_name(enum change_kind k); /* "fixed" …, for files */
const char *first_fate_name(enum first_fate f); /* "gone" …, for files */
const char *intervention_name(enum intervention v); /* "confirmed" …, for files; NULL: none */
/* Appends one sentence: "Round 2: the first deviation of round 1 (NAME) is gone; …". */
void changes_sentence(const struct changes *c, struct buf *out);

#endif
