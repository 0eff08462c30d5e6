/* The table of output formats, selected by the file's ending or by name. */
#include "base/msg.h"
#include "report/compare.h"
#include "report/formats.h"

const struct writer writers[] = {
    {".json", "json", false, false, compare_json, report_json},
    {".csv", "csv", false, true, compare_csv, compare_csv},
    {".html", "html", false, false, report_html, report_html},
    {".md", "md", false, false, report_md, report_md},
    {".xlsx", "xlsx", true, true, compare_xlsx, compare_xlsx},
    {0},
};

bool report_goes_on(const struct report_options *opt, struct out *o, uint64_t done, uint64_t all)
{
    if (!opt->watch)
        return true;
    atomic_store(&opt->watch->share, all ? (unsigned)(done * 1000 / all) : 0);
    if (!atomic_load(&opt->watch->cancel))
        return true;
    if (o)
        err_set(&o->err, ERR_CANCEL, "%s", _("not written: cancelled"));
    return false;
}

uint32_t report_lines(const struct report_options *opt, uint32_t lines)
{
    return opt->line_count ? (uint32_t)opt->line_count : lines;
}

uint32_t report_line(const struct report_options *opt, uint32_t i)
{
    return opt->line_count ? opt->lines[i] : i;
}

bool report_holds(const struct report_options *o)
{
    const struct investigation *v = o->inv;
    return v && (v->findings.now || v->decisions.now || v->given.n || v->waived.n || v->answers.n);
}

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
