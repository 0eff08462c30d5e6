/* The first worksheet of an .xlsx: a zip with XML, read as a stream by expat. Texts are in the cells (inlineStr,
 * written by openpyxl's write-only mode) or in xl/sharedStrings.xml. Formulas count by their stored value; one
 * without is unreadable. Dates, styles and other sheets are ignored. */
#include <expat.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/msg.h"
#include "fmt/sheet.h"
#include "fmt/zip.h"

#define DEEPEST 64
#define SMALL (16u << 20) /* the compression ratio of parts up to this size is not limited */
#define TIGHTEST 200      /* the largest compression ratio of larger parts; text of real tables stays below it */
#define STRINGS_MAX (128u << 20)
#define STRINGS_COUNT (2u << 20)
#define SHEET_MAX (2048ull << 20)
#define TEXT_MAX (1024ull << 20) /* limit for repeated shared texts: one may occur in every cell */

struct xml {
    XML_Parser parser;
    const struct file *file;
    const char *part; /* of the archive, for messages */
    struct err *e;
    int depth, state; /* state: 0 continue, 1 enough, -1 failed with e set */
    void (*open)(struct xml *x, const char *name, const char **atts);
    void (*close)(struct xml *x, const char *name);
    bool text;        /* character data is collected in `value` */
    /* of a worksheet */
    struct sheet_cells cells;
    struct strings *strings;
    struct buf value; /* of the cell being read */
    bool formula;     /* it has one */
    int column;       /* of the current cell; missing cells before it are empty */
    enum { CELL_TEXT, CELL_SHARED, CELL_BOOL } kind;
    bool phonetic;    /* inside <rPh>: pronunciation, not part of the text */
    uint64_t copied;  /* bytes of shared texts handed over */
    uint64_t told;    /* packed bytes reported to the sink */
};

struct strings {
    struct arena arena;
    VEC(struct str) v;
};

static void xml_stop(struct xml *x, int state)
{
    x->state = state;
    x->text = false;
    XML_StopParser(x->parser, XML_FALSE);
}

static void xml_fail(struct xml *x, const char *what)
{
    err_set(x->e, ERR_DATA, _("%s: %s, line %lu: %s"), x->file->name, x->part,
            (unsigned long)XML_GetCurrentLineNumber(x->parser), what);
    xml_stop(x, -1);
}

/* The name after the colon: writers may use a namespace prefix. */
static const char *local_name(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static bool xml_name_is(const char *name, const char *word)
{
    return strcmp(local_name(name), word) == 0;
}

static const char *xml_attribute(const char **atts, const char *name)
{
    for (; *atts; atts += 2)
        if (strcmp(atts[0], name) == 0)
            return atts[1];
    return NULL;
}

/* ---- shared strings ---- */

static void string_open(struct xml *x, const char *name, const char **atts)
{
    (void)atts;
    if (xml_name_is(name, "si"))
        buf_clear(&x->value);
    else if (xml_name_is(name, "rPh"))
        x->phonetic = true;
    else if (xml_name_is(name, "t"))
        x->text = !x->phonetic;
}

static void string_close(struct xml *x, const char *name)
{
    if (xml_name_is(name, "t")) {
        x->text = false;
    } else if (xml_name_is(name, "rPh")) {
        x->phonetic = false;
    } else if (xml_name_is(name, "si")) {
        if (x->strings->v.n == STRINGS_COUNT)
            return xml_fail(x, _("more than 2 million texts"));
        struct str kept = arena_str(&x->strings->arena, buf_view(&x->value));
        vec_push(&x->strings->v, kept);
    }
}

/* ---- the worksheet ---- */

/* "BC12" → 54, from 0; -1 for another form. */
static int column_of(const char *ref)
{
    int n = 0, letters = 0;
    for (; *ref >= 'A' && *ref <= 'Z' && letters < 4; ref++, letters++)
        n = n * 26 + (*ref - 'A' + 1);
    return letters && letters < 4 ? n - 1 : -1;
}

static void begin_cell(struct xml *x, const char **atts)
{
    const char *ref = xml_attribute(atts, "r"), *type = xml_attribute(atts, "t");
    x->column = ref ? column_of(ref) : (int)x->cells.end.n;
    x->kind = !type ? CELL_TEXT : strcmp(type, "s") == 0 ? CELL_SHARED : strcmp(type, "b") == 0 ? CELL_BOOL : CELL_TEXT;
    buf_clear(&x->value);
    x->formula = false;
    if (x->column < (int)x->cells.end.n)
        xml_fail(x, _("cells are not in column order"));
    else if (x->column >= SHEET_COLUMNS)
        xml_fail(x, _("a cell beyond column 1024, the limit"));
}

static void end_cell(struct xml *x)
{
    struct str s = str_trim(buf_view(&x->value));
    unsigned long long n;
    while ((int)x->cells.end.n < x->column)
        if (sheet_cell(&x->cells, x->e))
            return xml_stop(x, -1);
    if (x->kind == CELL_SHARED && s.n) {
        if (!str_u64(s, &n) || n >= x->strings->v.n)
            return xml_fail(x, _("a cell refers to a text that is missing in xl/sharedStrings.xml"));
        s = x->strings->v.v[n];
        if ((x->copied += s.n) > TEXT_MAX)
            return xml_fail(x, _("more than 1 GB of text"));
    } else if (x->kind == CELL_BOOL) {
        s = str_is(s, "1") ? STR("True") : str_is(s, "0") ? STR("False") : s;
    } else if (!s.n && x->formula) { /* a program that computes nothing wrote it: there, and unknown */
        s = STR("=…");
    }
    if (x->cells.text.n + s.n > SHEET_ROW_BYTES)
        return xml_fail(x, _("a row of more than 16 MB"));
    buf_str(&x->cells.text, s);
    if (sheet_cell(&x->cells, x->e))
        xml_stop(x, -1);
}

static void sheet_open(struct xml *x, const char *name, const char **atts)
{
    if (xml_name_is(name, "c"))
        begin_cell(x, atts);
    else if (xml_name_is(name, "f"))
        x->formula = true;
    else if (xml_name_is(name, "rPh"))
        x->phonetic = true;
    else if (xml_name_is(name, "v") || xml_name_is(name, "t"))
        x->text = !x->phonetic;
}

static void sheet_close(struct xml *x, const char *name)
{
    if (xml_name_is(name, "v") || xml_name_is(name, "t")) {
        x->text = false;
    } else if (xml_name_is(name, "rPh")) {
        x->phonetic = false;
    } else if (xml_name_is(name, "c")) {
        end_cell(x);
    } else if (xml_name_is(name, "row")) {
        int rc = sheet_row(&x->cells, x->e);
        if (rc)
            xml_stop(x, rc);
    } else if (xml_name_is(name, "sheetData")) {
        xml_stop(x, 1);
    }
}

/* ---- a part of the archive through expat ---- */

static void on_open(void *ctx, const char *name, const char **atts)
{
    struct xml *x = ctx;
    if (x->state)
        return;
    if (++x->depth > DEEPEST)
        xml_fail(x, _("more than 64 nested elements"));
    else
        x->open(x, name, atts);
}

static void on_close(void *ctx, const char *name)
{
    struct xml *x = ctx;
    if (x->state)
        return;
    x->depth--;
    x->close(x, name);
}

static void on_text(void *ctx, const char *s, int n)
{
    struct xml *x = ctx;
    if (x->state || !x->text)
        return;
    if (x->value.n + (size_t)n > SHEET_ROW_BYTES)
        xml_fail(x, _("a cell of more than 16 MB"));
    else
        buf_add(&x->value, s, (size_t)n);
}

/* Refuses a document type: it would only define entities, which can grow without limit. */
static void on_doctype(void *ctx, const char *name, const char *sysid, const char *pubid, int internal)
{
    (void)name;
    (void)sysid;
    (void)pubid;
    (void)internal;
    xml_fail(ctx, _("a document type declaration, which worksheets do not contain"));
}

static int on_chunk(void *ctx, const char *p, size_t n, uint64_t packed, struct err *e)
{
    struct xml *x = ctx;
    if (XML_Parse(x->parser, p, (int)n, n == 0) != XML_STATUS_OK && !x->state)
        xml_fail(x, XML_ErrorString(XML_GetErrorCode(x->parser)));
    const struct sheet_sink *sink = x->cells.sink;
    if (!x->state && sink && sink->advance) {
        int rc = sink->advance(sink->ctx, packed - x->told, e);
        x->told = packed;
        if (rc)
            x->state = -1;
    }
    return x->state;
}

static int xml_parse_member(struct xml *x, const struct zip_member *m)
{
    uint64_t limit = x->cells.sink ? SHEET_MAX : STRINGS_MAX;
    if (m->size > limit || (m->size > SMALL && m->size / TIGHTEST > m->packed))
        return err_set(x->e, ERR_DATA, _("%s: %s: %llu bytes compressed to %llu: not a valid table"),
                       x->file->name,
                       x->part, (unsigned long long)m->size, (unsigned long long)m->packed);
    static const XML_Memory_Handling_Suite memory = {mem_alloc, mem_resize, free};
    x->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, on_open, on_close);
    XML_SetCharacterDataHandler(x->parser, on_text);
    XML_SetStartDoctypeDeclHandler(x->parser, on_doctype);
    int rc = zip_stream(x->file, m, on_chunk, x, x->e);
    XML_ParserFree(x->parser);
    return rc < 0 || x->state < 0 ? -1 : 0;
}

static int read_strings(struct zip *z, const struct file *f, struct strings *out, struct err *e)
{
    struct xml x =
        {.file = f, .part = "xl/sharedStrings.xml", .e = e, .open = string_open, .close = string_close, .strings = out};
    struct zip_member m;
    int rc = zip_find(z, x.part, &m, e);
    if (rc > 0)
        rc = xml_parse_member(&x, &m);
    buf_release(&x.value);
    return rc;
}

/* Uses the first sheet: a workbook with several is no result table, and its header then shows that. */
static int find_sheet(struct zip *z, struct zip_member *m, struct err *e)
{
    int rc = zip_find(z, "xl/worksheets/sheet1.xml", m, e);
    return rc ? rc : zip_find_suffix(z, "xl/worksheets/sheet.xml", m, NULL, e);
}

int sheet_read_xlsx(const struct file *f, const struct sheet_sink *sink, struct err *e)
{
    struct strings strings = {0};
    struct xml x = {.file = f, .part = "xl/worksheets/sheet1.xml", .e = e, .open = sheet_open, .close = sheet_close,
                    .cells = {.sink = sink, .name = f->name}, .strings = &strings};
    struct zip_member m;
    struct zip *z = zip_open(f, e);
    if (!z)
        return -1;
    int rc = read_strings(z, f, &strings, e);
    if (rc == 0) {
        rc = find_sheet(z, &m, e);
        if (rc == 0)
            rc = err_set(e, ERR_DATA, _("%s: no worksheet (xl/worksheets/sheet1.xml) in this archive"), f->name);
        else if (rc > 0)
            rc = xml_parse_member(&x, &m);
    }
    zip_close(z);
    sheet_cells_release(&x.cells);
    buf_release(&x.value);
    vec_release(&strings.v);
    arena_release(&strings.arena);
    return rc;
}
