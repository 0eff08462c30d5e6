/* A frozen comparison: what was compared, the verdict of each row, the first deviation, and the states of the panels.
 * An investigation keeps one for every earlier round (before a fix, a new dump), each in a file beside it
 * (round_file.h), and compares the current state with it (round_match.h, round_changes.h). Can also be made from a
 * result of compare --json. */
#ifndef TICKET_ROUND_H
#define TICKET_ROUND_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "judge/verdict.h"
#include "base/file_stamp.h"

#define ROUND_NO_TEXT UINT32_MAX

/* row flags: its pair is doubtful; its difference is accepted; its sides have different floating types; a deviation
 * starts at it */
enum { ROUND_DOUBTFUL = 1, ROUND_ACCEPTED = 2, ROUND_TYPES = 4, ROUND_STARTS = 8 };

struct round_row {
    /* offsets in round.text of the target's and the golden name; ROUND_NO_TEXT: that side has no row */
    uint32_t name[2];
    uint64_t address;  /* hash of its address (pair/address.h); 0: unknown */
    float error;       /* the judged error: rel_l2, or the largest relative difference of the statistics; NaN: none */
    float confidence;  /* of the pair; NaN: none */
    uint8_t verdict, flags;
};

/* Which rows are included: a result file may omit some. */
enum round_extent { ROUND_ROWS_NONE, ROUND_ROWS_DEVIATING, ROUND_ROWS_ALL };

struct round_side {
    const char *path, *full_path, *format, *framework; /* "" if unknown */
    int step, rank;           /* -1: none */
    uint64_t rows;
    struct file_stamp state;
    uint64_t fingerprint;     /* of the whole recording (dump_fingerprint); 0: unknown */
};

struct round_panel {
    const char *name, *state, *summary; /* "settings", "failed" …: names for files; summary is a sentence */
};

struct round_finding {
    uint32_t number;
    const char *status, *text, *about[2]; /* about: "" if a side has none */
};

struct round {
    struct arena arena;
    uint32_t number;          /* 1, 2 …; 0: not part of an investigation */
    const char *tool, *author;
    int64_t date;             /* seconds since 1970; 0: not known */
    struct round_side side[2];
    int status;               /* exit status of compare: 0 aligned, 1 deviates, 5 could not be judged */
    uint32_t by[VERDICT_COUNT], pairs, only[2], doubtful, unread, known;
    double coverage[2];
    bool deviates;            /* there is a first deviation, described by the members below */
    const char *first[2];     /* names of its rows, "" if absent */
    uint32_t first_order;     /* its position in the table */
    const char *intervened;   /* the row whose value was replaced while the target was recorded; "": none */
    const char *first_class;  /* "input-first" …, "" if unknown */
    float first_error;
    VEC(struct round_panel) panels;
    VEC(struct round_finding) findings;
    enum round_extent extent;
    VEC(struct round_row) rows; /* in table order */
    struct buf text;          /* the rows' names, NUL-terminated */
};

void round_init(struct round *r);
void round_release(struct round *r);
/* A row's name on a side, "" if absent. */
const char *round_name(const struct round *r, uint32_t row, int side);
/* The displayed name: the target's, otherwise the golden one. */
const char *round_row_name(const struct round *r, uint32_t row);
/* Adds a row; an empty name means that the side has none. -1 if the names exceed the addressable size. */
int round_add(struct round *r, struct str target, struct str golden, struct round_row row);
/* A verdict by its name, or -1. */
int round_verdict(struct str name);
/* The row of the first deviation; NONE if there is none or it is not included. */
uint32_t round_first(const struct round *r);
/* The state of the panel with that name, or NULL. */
const struct round_panel *round_panel(const struct round *r, const char *name);
const struct round_finding *round_finding(const struct round *r, uint32_t number);
/* The number of rows whose sides have different floating types. */
uint32_t round_types(const struct round *r);
/* The number of rows of the comparison. */
uint64_t round_lines(const struct round *r);

#endif
