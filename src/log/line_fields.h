/* The numbers of a line of text and the words before each: "epoch 1 step 10/100: loss 2.5 (2.6)" has "epoch" 1, "step"
 * 10 of 100, "loss" 2.5 and 2.6 without words. Nothing is known of the tool that printed it. */
#ifndef LOG_LINE_FIELDS_H
#define LOG_LINE_FIELDS_H

#include <stdint.h>

#include "log/series.h"

#define LINE_FIELDS 64 /* of a line; further numbers are not looked at */
#define LINE_PLAIN 4096 /* bytes of a line whose marks are replaced */
#define LINE_LABEL 64  /* bytes of a label; of longer ones the end */

/* What a field may be, by its words. */
enum field_role {
    FIELD_OTHER,
    FIELD_STEP,  /* of the run, or of an epoch */
    FIELD_EPOCH,
    FIELD_TAKEN, /* a value: `value` says which */
    FIELD_JUDGED, /* a loss of validation or a test */
};

struct line_field {
    char label[LINE_LABEL]; /* its words in lower case with '_' between them; "" if there is none */
    double x, digit;        /* as scan_leading */
    int64_t total;          /* of "10/100"; otherwise 0 */
    enum field_role role;
    enum log_value value;
    int rank;               /* among fields of one role: lower ones go first */
    bool signed_;           /* written with a sign */
    bool round;             /* the Chinese word for an epoch stands behind it */
    bool whole;             /* written as an integer without a sign, apart from dates and times */
    bool unit;              /* of time, memory …: "0.3s", "0.3 sec" */
    bool odd;               /* a value of a known name that goes on as no number does: "4,985" */
    bool bare;              /* nothing but brackets, blanks and commas stand between it and the field before */
};

struct line_fields {
    struct line_field v[LINE_FIELDS];
    size_t n;
    char plain[LINE_PLAIN]; /* the line with other marks, where it has such */
    bool judged; /* a line of validation or a test: no step of training */
};

/* The fields of a line, with what they may be. */
void line_fields_read(struct line_fields *f, struct str line);
/* The text behind a label's words in a line, up to a blank, where it looks like a number that cannot be read. */
bool line_fields_odd(struct str line, const char *label, struct str *text);
/* Whether a line can have a loss or norm at all: cheap, asked of every line. */
bool line_fields_may(struct str line);
/* Whether it can have a count of steps by its words. */
bool line_fields_count(struct str line);

#endif
