#include "report/compare.h"
#include "report/formats.h"

const struct writer writers[] = {
    {".json", "json", false, compare_json, report_json},
    {".csv", "csv", false, compare_csv, compare_csv},
    {".html", "html", false, report_html, report_html},
    {".md", "md", false, report_md, report_md},
    {".xlsx", "xlsx", true, compare_xlsx, compare_xlsx},
    {0},
};

const struct writer *writer_for(const char *path)
{
    for (const struct writer *w = writers; w->ext; w++)
        if (str_ends(str_of(path), w->ext))
            return w;
    return NULL;
}

const struct writer *writer_named(const char *name)
{
    for (const struct writer *w = writers; w->ext; w++)
        if (strcmp(name, w->name) == 0)
            return w;
    return NULL;
}

void writer_endings(struct buf *out)
{
    for (const struct writer *w = writers; w->ext; w++)
        buf_fmt(out, " %s", w->ext);
}
