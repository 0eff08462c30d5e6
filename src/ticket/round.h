/* A comparison frozen: what was compared, how each row was judged, where it first deviated, the state of the panels. An
 * investigation keeps one for every round it leaves (a fix, a new dump), each in a file of its own beside it
 * (round_file.h), and what holds now is told from it (round_match.h, round_changes.h). Also made of a result written by
 * compare --json. */
#ifndef TICKET_ROUND_H
#define TICKET_ROUND_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "judge/verdict.h"
#include "base/file_stamp.h"

#define ROUND_NO_TEXT UINT32_MAX

enum { ROUND_DOUBTFUL = 1, ROUND_ACCEPTED = 2 }; /* of a row: its pair is doubtful; its difference is accepted */

struct round_row {
    uint32_t name[2];  /* of target and golden: where it begins in round.text; ROUND_NO_TEXT: that side has no row */
    uint64_t address;  /* hash of its address (pair/address.h), 0: not known */
    float error;       /* what the verdict rests on: rel_l2, of statistics the largest relative difference; NaN: none */
    float confidence;  /* of the pair; NaN: none */
    uint8_t verdict, flags;
};

/* Which rows of the comparison are there: a result may hold fewer. */
enum round_extent { ROUND_ROWS_NONE, ROUND_ROWS_DEVIATING, ROUND_ROWS_ALL };

struct round_side {
    const char *path, *full_path, *format, *framework; /* "" where not known */
    int step, rank;           /* -1: none */
    uint64_t rows;
    struct file_stamp state;
    uint64_t fingerprint;     /* of everything recorded (dump_fingerprint); 0: not known */
};

struct round_panel {
    const char *name, *state, *summary; /* "settings", "failed" …: names for files; a sentence */
};

struct round_finding {
    uint32_t number;
    const char *status, *text, *about[2]; /* about: "" where a side has none */
};

struct round {
    struct arena arena;
    uint32_t number;          /* 1, 2 …; 0: of no investigation */
    const char *tool, *author;
    int64_t date;             /* seconds since 1970; 0: not known */
    struct round_side side[2];
    int status;               /* as compare's exit: 0 aligned, 1 deviates, 5 could not be judged */
    uint32_t by[VERDICT_COUNT], pairs, only[2], doubtful, unread, known;
    double coverage[2];
    bool deviates;            /* there is a first deviation: */
    const char *first[2];     /* its rows' names, "" where a side has none */
    uint32_t first_order;     /* its place in the table */
    const char *intervened;   /* the row whose value was replaced while the target was recorded, "": none */
    const char *first_class;  /* "input-first" …, "" where not known */
    float first_error;
    VEC(struct round_panel) panels;
    VEC(struct round_finding) findings;
    enum round_extent extent;
    VEC(struct round_row) rows; /* in the table's order */
    struct buf text;          /* of their names, each ended by a nought */
};

void round_init(struct round *r);
void round_release(struct round *r);
/* A row's name on a side, "" where it has none. */
const char *round_name(const struct round *r, uint32_t row, int side);
/* The one that is shown: the target's, where there is none the golden one. */
const char *round_row_name(const struct round *r, uint32_t row);
/* Adds a row; "" or no text at all: that side has none. -1 where the names would be more than can be addressed. */
int round_add(struct round *r, struct str target, struct str golden, struct round_row row);
/* A verdict by its name, or -1. */
int round_verdict(struct str name);
/* The row that was the first deviation, NONE where none was or it is not among the rows. */
uint32_t round_first(const struct round *r);
/* What the panel of that name was, or NULL. */
const struct round_panel *round_panel(const struct round *r, const char *name);
const struct round_finding *round_finding(const struct round *r, uint32_t number);
/* Rows the comparison had. */
uint64_t round_lines(const struct round *r);

#endif
