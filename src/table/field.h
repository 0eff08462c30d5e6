/* What can be asked of a line of the table, by name: one list of what can be shown, sorted by and filtered on, of what
 * files of rows write and of what is kept with findings. A field is a number or a text; either may be absent on a
 * line. */
#ifndef TABLE_FIELD_H
#define TABLE_FIELD_H

#include "compare/comparison.h"

/* A line with everything a field may need, gathered once. */
struct field_line {
    const struct comparison *s;
    uint32_t line, row[2];
    const struct line_judgement *j; /* NULL before the first judgement */
    const struct figures *f;        /* NULL unless computed */
};

struct field {
    const char *name;  /* in filters, sort and columns: "rel_l2" */
    const char *head;  /* column title on the screen; NULL: in files only, no column, nothing to sort by */
    const char *help;
    int width;         /* of its column */
    /* One of the two; see field_value and field_text. */
    bool (*number)(const struct field_line *l, const struct field *f, double *v);
    void (*text)(const struct field_line *l, const struct field *f, struct buf *out);
    /* What a text is sorted by where its letters say nothing of it: as a number. May be NULL. */
    bool (*rank)(const struct field_line *l, const struct field *f, double *v);
    bool error;        /* a number shown as an error (two digits, scientific) */
    uint8_t side;      /* of one that one side has by itself */
    uint8_t which;     /* of several that one function gives */
    const char *key;   /* in a row's JSON (within target_stats, golden_stats: "max") and of facts kept with findings */
    const char *column; /* title in CSV and spreadsheets; msprobe's where it has the column */
    const char *label; /* of the fact; the target's for both sides */
};

/* All that have a title first, then the others; name NULL at the end. What each side has by itself stands in twos, the
 * target's first. */
extern const struct field fields[];

const struct field *field_find(struct str name); /* or NULL */
/* Those a list names, blanks between; all of them exist. Returns how many. */
size_t fields_named(const char *names, const struct field *out[]);
/* A number field's value; false where it is absent. A recorded NaN is there: NaN is data. */
bool field_value(const struct field_line *l, const struct field *f, double *v);
/* What lines are sorted by: false where it is absent. Of a field without a number or rank never. */
bool field_sorts_by_number(const struct field *f);
bool field_sort_value(const struct field_line *l, const struct field *f, double *v);
/* A text field's text in place of what is in out; empty where it is absent. */
void field_text(const struct field_line *l, const struct field *f, struct buf *out);
/* Either as text, a number with all its digits. */
void field_exact(const struct field_line *l, const struct field *f, struct buf *out);
struct field_line field_line(const struct comparison *s, uint32_t line);
/* The function of the fields max, min, mean and norm: of tensors alone, a scalar's value is t.value. */
bool field_stat(const struct field_line *l, const struct field *f, double *v);
/* The same figure (enum stat), a scalar's value counting as its max. */
bool field_line_stat(const struct field_line *l, int side, int stat, double *v);

#endif
