/* The JSON of one row of a comparison, and what the other parts of that JSON share with it. */
#ifndef REPORT_COMPARE_JSON_ROW_H
#define REPORT_COMPARE_JSON_ROW_H

#include "diagnose/diagnose.h"
#include "report/formats.h"
#include "table/field.h"

enum row_part { ROW_HEAD, ROW_TOLD, ROW_FIGURES, ROW_STATS, ROW_PARTS };
#define PART_FIELDS 9

struct diagnosed_line {
    uint32_t line;
    struct diagnoses of;
};

struct compare_writing {
    struct jsonw *w;
    const struct comparison *s;
    const struct judgement *j;
    const struct measure *m;
    const struct sanitize *clean; /* of reports; NULL: paths stay */
    struct buf name;
    VEC(struct diagnosed_line) known; /* lines examined, the first DIAGNOSED_MOST */
    const struct job_result *job; /* of several ranks: which pair of it this is; or NULL */
    size_t pair;
    const struct field *field[ROW_PARTS][PART_FIELDS];
    size_t fields[ROW_PARTS];
};

struct compare_writing compare_writing_of(struct jsonw *w, const struct comparison *s, const struct sanitize *clean);
void compare_writing_release(struct compare_writing *x);
/* A sentence that may name files. */
void compare_json_sentence(struct compare_writing *x, const char *text);
/* The row's name, or null for NONE. */
void compare_json_name(struct compare_writing *x, int side, uint32_t row, float limit);
void compare_json_row_object(struct compare_writing *x, uint32_t line);
/* "diagnosis": [{"id":…,"side":…,"evidence":…,"advice":…}], of the first lines that are asked for, as many as can be
 * examined quickly; returns them, NULL: not examined. The pointer is valid until the next call. */
const struct diagnoses *compare_json_diagnosis(struct compare_writing *x, uint32_t line);
bool compare_json_row_wanted(const struct line_judgement *g, enum report_rows rows);

#endif
