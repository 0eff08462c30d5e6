/* The evidence of one ticket in one file: a tar archive, most often compressed with zstd, written by
 * report/pack_write.h and described in doc/formats.md. It is unpacked into a folder and opened from there: each side is
 * a recording of its own kind, read here, and beside the target's lies what had been found of every pair. */
#ifndef FMT_PACK_READ_H
#define FMT_PACK_READ_H

#include "dump/reader.h"
#include "num/figures.h"

#define PACK_VERSION 1
#define PACK_ROWS "rows.jsonl"   /* of each side */
#define PACK_PAIRS "pairs.jsonl" /* the target's: both sides' */

extern const struct reader reader_pack;

/* What a line had been found to look like: by the names diagnosis_name gives them. */
struct packed_diagnosis {
    const char *name, *evidence;
    int8_t side;
    float score;
};
#define PACKED_DIAGNOSES 32

/* What had been found of one line of the comparison. Numbers of enums are those of judge/judge.h and pair/pairing.h. */
/* The numbers of figures behind their `two`, in the order of a pack's lines: a new one goes to the end. */
#define PACKED_NUMBERS 29
#define PACKED_OF_TWO 8 /* the first so many are of both tensors together */
struct packed_number {
    uint16_t at; /* in struct figures */
    bool whole;  /* a uint64_t, else a double */
};
extern const struct packed_number packed_numbers[PACKED_NUMBERS];

struct packed_line {
    uint32_t row[2];    /* of both dumps, NONE where a side has none */
    uint8_t verdict, rule, flags, was;
    float error, limit, level, kappa; /* NaN: none */
    uint8_t origin, why;
    float confidence;
    uint32_t source;
    /* as view_parse reads it, "" for as they are stored; view NULL: none was looked for */
    const char *pair_view, *view;
    const char *failure;          /* why its tensors could not be read, or NULL */
    const struct figures *figures; /* of both tensors, or NULL */
    const struct packed_diagnosis *diagnosis; /* best first; NULL: it was not looked for */
    uint8_t diagnoses;
};

struct packed {
    char id[20];         /* the same of both sides of one pack */
    uint32_t of;         /* rows there were; dump.rows.n of them are here */
    uint32_t verdicts, rules, whys; /* how many the writing program knew; a newer one adds at the end */
    bool has_first;
    uint8_t first_class;       /* of the first deviation */
    uint32_t doubtful_before, gaps_before, unread_before;
    VEC(struct packed_line) lines; /* in the table's order; of the target only */
    struct nmap line_of; /* packed_key → index */
};

/* What a dump opened by reader_pack keeps; NULL for any other. */
const struct packed *packed_of(const struct dump *d);
/* The same of the target, where both dumps are the two sides of one pack. */
const struct packed *packed_both(const struct dump *target, const struct dump *golden);
/* What had been found of these two rows, or NULL. */
const struct packed_line *packed_line(const struct packed *p, uint32_t target, uint32_t golden);

/* Whether the path names a pack: a file whose name ends so. */
bool pack_is(const char *path);
/* Unpacks it into an empty folder, and refuses what would lead out of it, links, devices, names given twice and more
 * than `room` bytes and 100 times the file. */
int pack_unpack(const char *path, const char *folder, uint64_t room, struct err *e);

#endif
