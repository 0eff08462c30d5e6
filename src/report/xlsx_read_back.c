/* Reads the archive's parts once: a worksheet's rows and cells are counted by their tags, the other parts are kept. */
#include "report/xlsx_read_back.h"

#include "base/io.h"
#include "fmt/zip.h"

#define PARTS_MOST 100
#define TAG_MOST 15

struct part_reading {
    struct buf *frame;
    struct xlsx_sheet *sheet; /* NULL: no worksheet */
    bool inside;              /* between <sheetData> and its end */
    bool in_tag;              /* behind a '<', in the name */
    char tag[TAG_MOST + 1];
    size_t n;
};

static void end_tag(struct part_reading *p)
{
    p->in_tag = false;
    p->tag[p->n] = 0;
    if (!p->sheet)
        return;
    struct str tag = str_n(p->tag, p->n);
    p->sheet->rows += p->inside && str_is(tag, "row");
    p->sheet->cells += p->inside && str_is(tag, "c");
    p->inside = str_is(tag, "sheetData") || (p->inside && !str_is(tag, "/sheetData"));
}

static void keep_frame_char(struct part_reading *p, char c)
{
    struct buf *b = p->frame;
    bool digit = c >= '0' && c <= '9';
    if (!digit)
        buf_char(b, c);
    else if (!b->n || b->p[b->n - 1] != '0')
        buf_char(b, '0');
}

static int xlsx_take_text(void *ctx, const char *text, size_t n, uint64_t packed, struct err *e)
{
    struct part_reading *p = ctx;
    (void)packed;
    (void)e;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (p->in_tag && (c == ' ' || c == '>' || (c == '/' && p->n) || p->n == TAG_MOST))
            end_tag(p);
        else if (p->in_tag)
            p->tag[p->n++] = c;
        if (c == '<') {
            p->in_tag = true;
            p->n = 0;
        }
        if (!p->inside)
            keep_frame_char(p, c);
    }
    return 0;
}

static bool read_xlsx_part(const struct file *f, const struct zip_entry *part, struct xlsx_content *x, size_t *sheets)
{
    struct part_reading p = {.frame = &x->frame};
    struct err quiet;
    if (str_starts(part->name, "xl/worksheets/sheet") && *sheets < XLSX_SHEETS)
        p.sheet = &x->sheet[(*sheets)++];
    buf_str(&x->frame, part->name);
    buf_char(&x->frame, '\n');
    return zip_stream(f, &part->m, xlsx_take_text, &p, &quiet) == 0 && !p.inside;
}

static bool read_xlsx_parts(const struct file *f, struct xlsx_content *x)
{
    struct arena a = {0};
    struct err quiet;
    zip_list parts = {0};
    size_t sheets = 0;
    struct zip *z = zip_open(f, &quiet);
    bool whole = z && zip_all(z, PARTS_MOST, &a, &parts, &quiet) == 0;
    for (size_t i = 0; i < parts.n && whole; i++)
        whole = read_xlsx_part(f, &parts.v[i], x, &sheets);
    vec_release(&parts);
    if (z)
        zip_close(z);
    arena_release(&a);
    return whole;
}

bool xlsx_read_back(const char *path, struct xlsx_content *x)
{
    struct file f;
    struct err quiet;
    *x = (struct xlsx_content){0};
    if (file_open(&f, path, &quiet))
        return false;
    bool whole = read_xlsx_parts(&f, x);
    file_close(&f);
    return whole;
}

void xlsx_content_release(struct xlsx_content *x)
{
    buf_release(&x->frame);
}
