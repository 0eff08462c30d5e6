/* The fields of a table line, by name: the single list used for display, sorting, filters, row files and evidence. A
 * field is a number or a text; either may be absent on a line. */
#ifndef TABLE_FIELD_H
#define TABLE_FIELD_H

#include "compare/comparison.h"

/* A line with the data that fields need, gathered once. */
struct field_line {
    const struct comparison *s;
    uint32_t line, row[2];
    const struct line_judgement *j; /* NULL before the first judgement */
    const struct figures *f;        /* NULL unless computed */
};

struct field {
    const char *name;  /* in filters, sort and column commands: "rel_l2" */
    const char *head;  /* column title on the screen; NULL: only in files, no column, not sortable */
    const char *help;
    int width;         /* of its column, in cells */
    /* One of the two is set; use field_value and field_text. */
    bool (*number)(const struct field_line *l, const struct field *f, double *v);
    void (*text)(const struct field_line *l, const struct field *f, struct buf *out);
    /* What a text is sorted by where its letters say nothing of it: as a number. May be NULL. */
    bool (*rank)(const struct field_line *l, const struct field *f, double *v);
    bool error;        /* a number shown as an error (two digits, scientific) */
    uint8_t side;      /* for a field that each side has separately */
    uint8_t which;     /* selects among several fields that share one function */
    const char *key;   /* in a row's JSON (inside target_stats, golden_stats: "max") and in evidence */
    const char *column; /* title in CSV and spreadsheets; msprobe's title if it has the column */
    const char *label; /* label in evidence; for paired fields the target's is used */
};

/* First all fields with a title, then the others; ends with name NULL. Fields of each side come in pairs, the
 * target's first. */
extern const struct field fields[];

const struct field *field_find(struct str name); /* or NULL */
/* The fields in a list of names separated by blanks, which must all exist. Returns their number. */
size_t fields_named(const char *names, const struct field *out[]);
/* A number field's value; false if absent. A recorded NaN is present: NaN is data. */
bool field_value(const struct field_line *l, const struct field *f, double *v);
/* What lines are sorted by: false if it is absent. Of a field without a number or rank never. */
bool field_sorts_by_number(const struct field *f);
bool field_sort_value(const struct field_line *l, const struct field *f, double *v);
/* Replaces out by a text field's text; empty if absent. */
void field_text(const struct field_line *l, const struct field *f, struct buf *out);
/* Replaces out by the value as text, numbers with all digits. */
void field_exact(const struct field_line *l, const struct field *f, struct buf *out);
struct field_line field_line(const struct comparison *s, uint32_t line);
/* The function of the fields max, min, mean and norm, for tensors only; a scalar's value is t.value. */
bool field_stat(const struct field_line *l, const struct field *f, double *v);
/* The same figure (enum stat); here a scalar's value counts as its max. */
bool field_line_stat(const struct field_line *l, int side, int stat, double *v);

#endif
