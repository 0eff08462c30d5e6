/* A pack: the evidence of one issue in one file, a tar archive usually compressed with zstd, written by
 * report/pack_write.h and described in doc/formats.md. It is unpacked into a folder and opened there: each side is a
 * recording read here, and the target's folder also holds the results of the original comparison for every pair. */
#ifndef FMT_PACK_READ_H
#define FMT_PACK_READ_H

#include "dump/reader.h"
#include "num/figures.h"

#define PACK_VERSION 1
#define PACK_ROWS "rows.jsonl"   /* in each side's folder */
#define PACK_PAIRS "pairs.jsonl" /* in the target's folder: results of both sides */
/* In the pack and in each side's folder: lines "CRC-32 in base 16, size, name" of the files there and in folders that
 * have none of their own, then "end" and the CRC-32 of these lines. */
#define PACK_CHECKSUMS "checksums"

extern const struct reader reader_pack;

/* A diagnosis of a line; names as in diagnosis_name. */
struct packed_diagnosis {
    const char *name, *evidence;
    int8_t side;
    float score;
    const char *advice; /* "": that of the name */
};
#define PACKED_DIAGNOSES 32

/* The numbers of struct figures in the order of a pack's lines; new ones are appended. */
#define PACKED_NUMBERS 29
#define PACKED_OF_TWO 8 /* the first 8 are figures of both tensors together */
struct packed_number {
    uint16_t at; /* offset in struct figures */
    bool whole;  /* uint64_t; otherwise double */
};
extern const struct packed_number packed_numbers[PACKED_NUMBERS];

/* The results for one line of the comparison. Enum numbers are those of judge/verdict.h and pair/pairing.h. */
struct packed_line {
    uint32_t row[2];    /* of both dumps; NONE if a side has none */
    uint8_t verdict, rule, flags, was;
    float error, limit, level, kappa; /* NaN: none */
    uint8_t origin, why;
    float confidence;
    uint32_t source;
    /* in the notation of view_parse, "" for the storage order; view NULL: not searched */
    const char *pair_view, *view;
    const char *failure;          /* the reason its tensors could not be read, or NULL */
    const struct figures *figures; /* of both tensors, or NULL */
    const struct packed_diagnosis *diagnosis; /* best first; NULL: not diagnosed */
    uint8_t diagnoses;
};

struct packed {
    char id[20];         /* the same for both sides of a pack */
    uint32_t of;         /* rows of the original recording; this one has dump.rows.n of them */
    /* how many values of each enum the writing program had; newer programs append values */
    uint32_t verdicts, rules, whys;
    bool has_first;
    uint8_t first_class;       /* class of the first deviation */
    uint32_t doubtful_before, gaps_before, unread_before;
    VEC(struct packed_line) lines; /* in the table's order; only in the target */
    struct nmap line_of; /* packed_key → index */
};

/* The pack data of a dump opened by reader_pack; NULL for other dumps. */
const struct packed *packed_of(const struct dump *d);
/* The target's pack data if both dumps are the two sides of one pack, otherwise NULL. */
const struct packed *packed_both(const struct dump *target, const struct dump *golden);
/* The results for these two rows, or NULL. */
const struct packed_line *packed_line(const struct packed *p, uint32_t target, uint32_t golden);

/* Whether the path is a file with a pack's extension. */
bool pack_is(const char *path);
/* Unpacks it into an empty folder. Refuses names that lead out of the folder, links, devices, duplicate names, and
 * more than `room` bytes or 100 times the file's size; and files that do not have their checksums. */
int pack_unpack(const char *path, const char *folder, uint64_t room, struct err *e);
/* The files that the folder's checksums list are as they were written: 0; 1 if it has no checksums (written by an older
 * version); -1 with the first file that is missing, or was changed or damaged since. */
int pack_verify(const char *folder, struct err *e);

#endif
