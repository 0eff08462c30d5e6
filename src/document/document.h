/* A report before it has a format: sections of paragraphs, items, tables, code and figures as data, built once
 * (report_build.h) and written by write_*.c. All text is made harmless when it is added: control characters and
 * marks that turn the direction of writing become visible, paths lose their beginning (document/sanitize.h); what a format
 * needs escaped is its writer's business. */
#ifndef DOCUMENT_DOCUMENT_H
#define DOCUMENT_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "document/sanitize.h"
#include "document/picture.h"

enum doc_kind {
    DOC_TEXT,
    DOC_STRONG,
    DOC_NAME,   /* of a row, a file, a setting: fixed width, unbroken */
    DOC_NUMBER, /* stands to the right of its column */
};

enum doc_tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_QUIET };

struct doc_cell {
    const char *text;
    uint8_t kind, tone;
};

enum doc_block_kind { DOC_PARAGRAPH, DOC_ITEM, DOC_HEADING, DOC_TABLE, DOC_CODE, DOC_FIGURE, DOC_PICTURE };

/* Bars side by side, heights 0 … 1 (NaN: none), each in a tone; one of them may be marked. */
struct doc_figure {
    const char *label[3]; /* left end, right end, the mark; "" for none */
    uint32_t n, mark;     /* mark n: none */
    double *height;
    uint8_t *tone;
};

struct doc_block {
    uint8_t kind;
    uint32_t columns;             /* of a table; the first `columns` cells are its head */
    uint32_t marked;              /* row of a table, 0 the first below the head; NO_ROW: none */
    VEC(struct doc_cell) cells;   /* spans of a paragraph, item or heading; cells of a table; a code's one text */
    struct doc_figure figure;
    struct picture *picture;
};
#define NO_ROW UINT32_MAX

struct doc_section {
    const char *id;    /* stable: "summary", "first" … */
    const char *title;
    VEC(struct doc_block) blocks;
};

struct document {
    struct arena arena;
    const struct sanitize *clean;
    const char *title, *stamp, *tool, *lang;
    VEC(struct doc_section) sections;
};

void document_init(struct document *d, const struct sanitize *clean);
void document_release(struct document *d);

/* Each adds behind what is there: a section, a block to the last section, a cell to the last block. */
void doc_section(struct document *d, const char *id, const char *title);
void doc_begin(struct document *d, enum doc_block_kind k);
void doc_table(struct document *d, uint32_t columns, const char *const head[]);
void doc_mark_row(struct document *d); /* the table's row that follows */
void doc_cell(struct document *d, enum doc_kind k, enum doc_tone t, struct str text);
void doc_cellf(struct document *d, enum doc_kind k, enum doc_tone t, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A paragraph of one text. */
void doc_say(struct document *d, enum doc_tone t, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void doc_heading(struct document *d, const char *text);
void doc_code(struct document *d, struct str text);
/* Room for n bars, which the caller fills. */
struct doc_figure *doc_figure(struct document *d, uint32_t n, const char *left, const char *right, const char *mark);
/* A copy of it; its texts were made harmless by whoever wrote them (doc_text). */
void doc_picture(struct document *d, const struct picture *p);
/* A text made harmless as those of cells are, that lives as long as the document. */
const char *doc_text(struct document *d, enum doc_kind k, struct str text);
bool doc_is_empty(const struct document *d); /* the last section has nothing in it */
void doc_drop(struct document *d);           /* takes it out */

#endif
