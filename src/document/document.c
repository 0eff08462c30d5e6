/* Builds a document's sections and blocks, each text sanitized as it is added. */
#include "document/document.h"

#include "base/msg.h"
#include "document/write.h"

#define UNREAD 50 /* the most sentences about unreadable parts */

void document_init(struct document *d, const struct sanitize *clean)
{
    *d = (struct document){.clean = clean, .title = "", .stamp = "", .tool = "", .lang = "en"};
}

void document_begin(struct document *d)
{
    document_init(d, NULL);
    doc_section(d, "", "");
}

static void release_section(struct doc_section *s)
{
    for (size_t k = 0; k < s->blocks.n; k++) {
        vec_release(&s->blocks.v[k].cells);
        vec_release(&s->blocks.v[k].rows);
    }
    vec_release(&s->blocks);
}

void document_release(struct document *d)
{
    for (size_t i = 0; i < d->sections.n; i++)
        release_section(&d->sections.v[i]);
    vec_release(&d->sections);
    arena_release(&d->arena);
}

void doc_section(struct document *d, const char *id, const char *title)
{
    struct doc_section s = {.id = id, .title = title};
    vec_push(&d->sections, s);
}

static struct doc_section *last_section(struct document *d)
{
    return vec_last(&d->sections);
}

static struct doc_block *last_block(struct document *d)
{
    return vec_last(&last_section(d)->blocks);
}

void doc_begin(struct document *d, enum doc_block_kind k)
{
    struct doc_block b = {.kind = (uint8_t)k, .marked = NO_ROW};
    vec_push(&last_section(d)->blocks, b);
}

/* A sanitized copy of a text with the document's lifetime. */
static const char *doc_text(struct document *d, enum doc_kind k, struct str text)
{
    struct buf b = {0};
    sanitize_text(d->clean, text, k == DOC_NAME ? SANITIZE_NAME : 0, &b);
    const char *s = arena_cstr(&d->arena, buf_view(&b));
    buf_release(&b);
    return s;
}

void doc_cell(struct document *d, enum doc_kind k, enum doc_tone t, struct str text)
{
    struct doc_cell c = {doc_text(d, k, text), (uint8_t)k, (uint8_t)t};
    vec_push(&last_block(d)->cells, c);
}

enum doc_mark doc_mark_of(enum stage_verdict v)
{
    return v == STAGE_PASS ? DOC_OK : v == STAGE_FAIL ? DOC_BAD : DOC_OPEN;
}

const char *doc_glyph(enum doc_mark m)
{
    static const char *const glyphs[] = {
        [DOC_UNMARKED] = "", [DOC_OK] = "✓", [DOC_BAD] = "✗", [DOC_OPEN] = "?", [DOC_ADVICE] = "!",
        [DOC_NOTE] = "·", [DOC_NEXT] = "→", [DOC_WAIVED] = "~",
    };
    return glyphs[m];
}

void doc_put_mark(struct buf *b, const struct doc_entry *e)
{
    if (e->mark != DOC_UNMARKED && e->mark != DOC_NOTE)
        buf_fmt(b, "%s ", doc_glyph((enum doc_mark)e->mark));
}

static enum doc_tone mark_tone(enum doc_mark m)
{
    static const uint8_t tones[] = {
        [DOC_OK] = TONE_GOOD, [DOC_BAD] = TONE_BAD, [DOC_OPEN] = TONE_WARN, 
        [DOC_ADVICE] = TONE_WARN, [DOC_NEXT] = TONE_PLAIN, [DOC_WAIVED] = TONE_PLAIN,
    };
    return tones[m];
}

static struct doc_entry entry_of(struct document *d, enum doc_mark m, const char *id)
{
    return (struct doc_entry){.mark = (uint8_t)m, .id = id ? arena_cstr(&d->arena, str_of(id)) : NULL, .share = -1};
}

void doc_verdict(struct document *d, enum stage_verdict v, const char *id, const char *pass, const char *fail)
{
    doc_begin(d, DOC_VERDICT);
    last_block(d)->entry = entry_of(d, doc_mark_of(v), id);
    doc_cell(d, DOC_STRONG, mark_tone(doc_mark_of(v)),
             str_of(v == STAGE_PASS ? pass : v == STAGE_FAIL ? fail : _("Could not be judged.")));
}

static void item_begin(struct document *d, enum doc_mark m, const char *id)
{
    doc_begin(d, DOC_ITEM);
    last_block(d)->entry = entry_of(d, m, id);
}

void doc_row(struct document *d, enum doc_mark m, const char *id)
{
    struct doc_entry e = entry_of(d, m, id);
    vec_push(&last_block(d)->rows, e);
}

/* The item or row begun last. */
static struct doc_entry *last_entry(struct document *d)
{
    return last_block(d)->rows.n ? vec_last(&last_block(d)->rows) : &last_block(d)->entry;
}

void doc_share(struct document *d, double share)
{
    last_entry(d)->share = (float)share;
}

void doc_note(struct document *d, enum doc_mark m, const char *id, const char *fmt, ...)
{
    struct buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    item_begin(d, m, id);
    doc_cell(d, DOC_TEXT, mark_tone(m), buf_view(&b));
    buf_release(&b);
}

void doc_detail(struct document *d, const char *fmt, ...)
{
    struct buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    last_entry(d)->detail = doc_text(d, DOC_TEXT, buf_view(&b));
    buf_release(&b);
}

void doc_notes(struct document *d, enum doc_mark m, const char *const *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        doc_note(d, m, NULL, "%s", s[i]);
}

void doc_unread(struct document *d, const char *const *s, size_t n)
{
    for (size_t i = 0; i < n && i < UNREAD; i++)
        doc_note(d, DOC_OPEN, "unread", _("could not be read: %s"), s[i]);
    if (n > UNREAD)
        doc_note(d, DOC_OPEN, "unread", _("could not be read: %zu more"), n - UNREAD);
}

void doc_cellf(struct document *d, enum doc_kind k, enum doc_tone t, const char *fmt, ...)
{
    struct buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    doc_cell(d, k, t, buf_view(&b));
    buf_release(&b);
}

void doc_say(struct document *d, enum doc_tone t, const char *fmt, ...)
{
    struct buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    doc_begin(d, DOC_PARAGRAPH);
    doc_cell(d, DOC_TEXT, t, buf_view(&b));
    buf_release(&b);
}

void doc_heading(struct document *d, const char *text)
{
    doc_begin(d, DOC_HEADING);
    doc_cell(d, DOC_TEXT, TONE_PLAIN, str_of(text));
}

void doc_table(struct document *d, uint32_t columns, const char *const head[])
{
    doc_begin(d, DOC_TABLE);
    last_block(d)->columns = columns;
    for (uint32_t i = 0; i < columns; i++)
        doc_cell(d, DOC_TEXT, TONE_PLAIN, str_of(head[i]));
}

void doc_mark_row(struct document *d)
{
    last_block(d)->marked = (uint32_t)(last_block(d)->cells.n / last_block(d)->columns) - 1;
}

void doc_code(struct document *d, struct str text)
{
    struct buf b = {0};
    doc_begin(d, DOC_CODE);
    sanitize_text(d->clean, text, SANITIZE_LINES, &b);
    struct doc_cell c = {arena_cstr(&d->arena, buf_view(&b)), DOC_NAME, TONE_PLAIN};
    vec_push(&last_block(d)->cells, c);
    buf_release(&b);
}

struct doc_figure *doc_figure(struct document *d, uint32_t n, const char *left, const char *right, const char *mark)
{
    doc_begin(d, DOC_FIGURE);
    struct doc_figure *f = &last_block(d)->figure;
    *f = (struct doc_figure){{left, right, mark}, n, n, arena_zalloc(&d->arena, (n + 1) * sizeof(double)),
                             arena_zalloc(&d->arena, n + 1)};
    return f;
}

void doc_picture(struct document *d, const struct picture *p)
{
    doc_begin(d, DOC_PICTURE);
    last_block(d)->picture = arena_alloc(&d->arena, sizeof *p);
    *last_block(d)->picture = *p;
}

bool doc_is_empty(const struct document *d)
{
    return d->sections.v[d->sections.n - 1].blocks.n == 0;
}

void doc_drop(struct document *d)
{
    release_section(last_section(d));
    d->sections.n--;
}
