/* A result before it has a format: sections of paragraphs, items, tables, code and figures as data. A stage makes its
 * section once (`*_section.h` of its folder); write_*.c, the report and the panels write it. All text is made harmless
 * when it is added: control characters and marks that turn the direction of writing become visible, paths lose their
 * beginning (document/sanitize.h); what a format needs escaped is its writer's business. */
#ifndef DOCUMENT_DOCUMENT_H
#define DOCUMENT_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/stage_verdict.h"
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

enum doc_block_kind { DOC_PARAGRAPH, DOC_VERDICT, DOC_ITEM, DOC_HEADING, DOC_TABLE, DOC_CODE, DOC_FIGURE, DOC_PICTURE };

/* What an item or a row of a table stands for. */
enum doc_mark { DOC_UNMARKED, DOC_OK, DOC_BAD, DOC_OPEN, DOC_ADVICE, DOC_NOTE, DOC_NEXT, DOC_WAIVED };

struct doc_entry {
    uint8_t mark;
    const char *id;     /* what waivers and answers call it, or NULL */
    const char *detail; /* more of it, for who looks closer, or NULL; of rows it is in no text */
    float share;        /* 0 … 1: its bar, beside a row of a panel; negative: none */
};

/* Bars side by side, heights 0 … 1 (NaN: none), each in a tone; one of them may be marked. */
struct doc_figure {
    const char *label[3]; /* left end, right end, the mark; "" for none */
    uint32_t n, mark;     /* mark n: none */
    double *height;
    uint8_t *tone;
};

struct doc_block {
    uint8_t kind;
    struct doc_entry entry;       /* of an item, of a verdict */
    VEC(struct doc_entry) rows;   /* of a table whose rows have marks, one each; else empty */
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
/* One section without a title, for who writes it as text or takes its entries; paths stay whole. */
void document_begin(struct document *d);
void document_release(struct document *d);

/* Each adds behind what is there: a section, a block to the last section, a cell to the last block. */
void doc_section(struct document *d, const char *id, const char *title);
void doc_begin(struct document *d, enum doc_block_kind k);
/* A paragraph that begins with what a stage came to; cells may follow. */
void doc_verdict(struct document *d, enum stage_verdict v, const char *id, const char *pass, const char *fail);
/* An item of one text. */
void doc_note(struct document *d, enum doc_mark m, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void doc_detail(struct document *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doc_share(struct document *d, double share); /* both: of the last item or row */
void doc_notes(struct document *d, enum doc_mark m, const char *const *s, size_t n); /* items, a sentence each */
/* What could not be read: items that stay open. */
void doc_unread(struct document *d, const char *const *s, size_t n);
enum doc_mark doc_mark_of(enum stage_verdict v);
void doc_table(struct document *d, uint32_t columns, const char *const head[]);
void doc_row(struct document *d, enum doc_mark m, const char *id); /* marks the row that follows; then all have marks */
void doc_mark_row(struct document *d); /* draws the eye to the row that follows */
void doc_cell(struct document *d, enum doc_kind k, enum doc_tone t, struct str text);
void doc_cellf(struct document *d, enum doc_kind k, enum doc_tone t, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A paragraph of one text. */
void doc_say(struct document *d, enum doc_tone t, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void doc_heading(struct document *d, const char *text);
void doc_code(struct document *d, struct str text);
/* Room for n bars, which the caller fills. */
struct doc_figure *doc_figure(struct document *d, uint32_t n, const char *left, const char *right, const char *mark);
/* A copy of it; its texts were made harmless by whoever wrote them. */
void doc_picture(struct document *d, const struct picture *p);
/* Marks as they are written: "✓", "✗", "?", "!", "·", "→", "~"; "" of unmarked. */
const char *doc_glyph(enum doc_mark m);
bool doc_is_empty(const struct document *d); /* the last section has nothing in it */
void doc_drop(struct document *d);           /* takes it out */

#endif
