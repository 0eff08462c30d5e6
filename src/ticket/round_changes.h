/* What changed between two comparisons of one model: what is fixed, new, worse, better, no longer there, whether the
 * first deviation went, and whether that confirms a fix. Numbers and their reasons are in doc/investigation.md. */
#ifndef TICKET_ROUND_CHANGES_H
#define TICKET_ROUND_CHANGES_H

#include "ticket/round_match.h"

enum change_kind {
    CHANGE_FIXED,    /* deviated, agrees now */
    CHANGE_NEW,      /* deviates now, and did not */
    CHANGE_WORSE,    /* deviates more than CHANGES_FACTOR times as much, or drifts where it matched */
    CHANGE_BETTER,   /* the reverse */
    CHANGE_VANISHED, /* deviated, and is not recorded, paired or judged any more: that is not fixed */
    CHANGE_KINDS
};

#define CHANGES_FACTOR 2 /* below it an error that changes is the noise of another run */
#define CHANGES_SHARE 0.5 /* of the smaller comparison's rows have to be found again: else it is about something else */
#define CHANGES_NAMED 3  /* rows a sentence names */

struct change {
    uint8_t kind;
    uint32_t was, now; /* rows of the two rounds, NONE where there is none */
};

enum first_fate {
    FIRST_NONE,     /* there was none */
    FIRST_GONE,     /* its row agrees now */
    FIRST_STAYS,    /* its row deviates still */
    FIRST_VANISHED, /* its row is not there, or not judged any more */
    FIRST_UNTOLD,   /* there are no rows to look it up in, and another one is first now */
};

/* What a recording with one value replaced by the golden side's says of that value. */
enum intervention {
    INTERVENTION_NONE,      /* none was */
    INTERVENTION_CONFIRMED, /* what deviated behind it agrees: it alone explains that */
    INTERVENTION_REFUTED,   /* rows behind it deviate still */
    INTERVENTION_UNTOLD,    /* the row is not in both rounds, or nothing behind it can be judged */
};

struct changes {
    struct arena arena;
    enum intervention intervention;
    const char *replaced;     /* the row, "" without one */
    /* rows of the forward pass behind it that deviated before; of them, and new ones, that do now */
    uint32_t behind, left;
    uint32_t round[2];        /* numbers; 0: not two rounds of one investigation */
    bool comparable;
    const char *why;          /* a sentence: why they are not, or what could not be looked at; "" */
    bool rows;                /* row by row: else by counts and first deviations alone */
    size_t joined;            /* rows of the later one that were in the earlier one */
    uint32_t count[CHANGE_KINDS];
    VEC(struct change) list;  /* by kind, then in the table's order; empty after changes_forget */
    enum first_fate fate;
    const char *first[2];     /* name of the first deviation before and now, "" where there is none */
    float error[2];           /* theirs; of a row that stays error[1] is its own now */
    bool moved;               /* both deviate, and not first in the same row */
    /* the first deviation is gone, nothing is new, no more is out of sight than is seen to be fixed */
    bool confirmed;
    int status;               /* 0: nothing is new or worse, 1: something is, 5: not comparable, or not judged now */
    int judged;               /* the later comparison's own status */
    const char *named[CHANGES_NAMED]; /* the first of the new ones, NULL behind the last */
};

/* x: as round_join left it; NULL where a round has no rows. */
void changes_find(struct changes *c, const struct round *before, const struct round *now, const struct round_join *x);
void changes_release(struct changes *c);
/* What became of one row; NULL: it is not there. CHANGE_KINDS: nothing to speak of. */
enum change_kind change_of(const struct round_row *was, const struct round_row *now);
const char *change_name(enum change_kind k); /* "fixed" …, for files */
const char *first_fate_name(enum first_fate f); /* "gone" … likewise */
const char *intervention_name(enum intervention v); /* "confirmed" … likewise; NULL: none */
/* "Round 2: the first deviation of round 1 (NAME) is gone; …": one sentence. Appends. */
void changes_sentence(const struct changes *c, struct buf *out);

#endif
