/* A result independent of its format: sections of paragraphs, items, tables, code and figures. A stage makes its
 * section once (`*_section.h` in its folder); write_*.c, the report and the panels write it. Text is sanitized when
 * it is added: control characters and bidirectional controls become visible, paths are shortened
 * (document/sanitize.h). Escaping for a format is left to its writer. */
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
    DOC_NAME,   /* a name of a row, file or setting: monospaced, not broken */
    DOC_NUMBER, /* aligned to the right of its column */
};

enum doc_tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_QUIET };

struct doc_cell {
    const char *text;
    uint8_t kind, tone;
};

enum doc_block_kind { DOC_PARAGRAPH, DOC_VERDICT, DOC_ITEM, DOC_HEADING, DOC_TABLE, DOC_CODE, DOC_FIGURE, DOC_PICTURE };

/* The sign before an item or a table row. */
enum doc_mark { DOC_UNMARKED, DOC_OK, DOC_BAD, DOC_OPEN, DOC_ADVICE, DOC_NOTE, DOC_NEXT, DOC_WAIVED };

struct doc_entry {
    uint8_t mark;
    const char *id;     /* by which waivers and answers refer to it, or NULL */
    const char *detail; /* more about it, shown on request, or NULL; not written as text for table rows */
    float share;        /* length of the bar beside a panel's row, 0 … 1; negative: no bar */
};

/* Bars side by side, heights 0 … 1 (NaN: none), each in a tone; one of them may be marked. */
struct doc_figure {
    const char *label[3]; /* at the left end, the right end and the marked bar; "" for none */
    uint32_t n, mark;     /* index of the marked bar; n: none */
    double *height;
    uint8_t *tone;
};

struct doc_block {
    uint8_t kind;
    struct doc_entry entry;       /* of an item, of a verdict */
    VEC(struct doc_entry) rows;   /* of a table whose rows have marks, one each; else empty */
    uint32_t columns;             /* of a table; the first `columns` cells are its head */
    uint32_t marked;              /* the emphasised row of a table, 0 the first below the head; NO_ROW: none */
    VEC(struct doc_cell) cells;   /* spans of a paragraph, item or heading; cells of a table; a code's one text */
    struct doc_figure figure;
    struct picture *picture;
};
#define NO_ROW UINT32_MAX

struct doc_section {
    const char *id;    /* stable identifier: "summary", "first" … */
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
/* One untitled section, for callers that write it as text or read its entries; paths are not shortened. */
void document_begin(struct document *d);
void document_release(struct document *d);

/* Each appends: a section; a block to the last section; a cell to the last block. */
void doc_section(struct document *d, const char *id, const char *title);
void doc_begin(struct document *d, enum doc_block_kind k);
/* A paragraph that begins with a stage's verdict; cells may follow. */
void doc_verdict(struct document *d, enum stage_verdict v, const char *id, const char *pass, const char *fail);
/* Adds an item with one text. */
void doc_note(struct document *d, enum doc_mark m, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void doc_detail(struct document *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doc_share(struct document *d, double share); /* both apply to the last item or row */
void doc_notes(struct document *d, enum doc_mark m, const char *const *s, size_t n); /* items, a sentence each */
/* Adds an open item for each input that could not be read. */
void doc_unread(struct document *d, const char *const *s, size_t n);
enum doc_mark doc_mark_of(enum stage_verdict v);
void doc_table(struct document *d, uint32_t columns, const char *const head[]);
/* sets the mark of the row that follows; then every row has one */
void doc_row(struct document *d, enum doc_mark m, const char *id);
void doc_mark_row(struct document *d); /* emphasises the row that follows */
void doc_cell(struct document *d, enum doc_kind k, enum doc_tone t, struct str text);
void doc_cellf(struct document *d, enum doc_kind k, enum doc_tone t, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a paragraph with one text. */
void doc_say(struct document *d, enum doc_tone t, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void doc_heading(struct document *d, const char *text);
void doc_code(struct document *d, struct str text);
/* Adds n bars, which the caller fills. */
struct doc_figure *doc_figure(struct document *d, uint32_t n, const char *left, const char *right, const char *mark);
/* Adds a copy of p, whose texts are sanitized already. */
void doc_picture(struct document *d, const struct picture *p);
/* The sign of a mark: "✓", "✗", "?", "!", "·", "→", "~"; "" for none. */
const char *doc_glyph(enum doc_mark m);
bool doc_is_empty(const struct document *d); /* whether the last section is empty */
void doc_drop(struct document *d);           /* removes the last section */

#endif
