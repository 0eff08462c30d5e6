/* Reports of a comparison as text, for unit tests. */
#ifndef TESTS_REPORTS_H
#define TESTS_REPORTS_H

#include "support.h"

#include "base/io.h"
#include "report/compare.h"

/* What the writer for that path writes: the whole report, or the comparison alone. The text replaces what was there. */
static inline void report_text(const char *path, const struct comparison *c, const struct report_options *o, bool whole, struct buf *text)
{
    const struct writer *w = writer_for(path);
    struct out out;
    struct err e;
    assert_int_equal(out_file(&out, path, &e), 0);
    (whole ? w->report : w->compare)(&out, c, o);
    if (out_close(&out, &e))
        fail_msg("%s", e.text);
    buf_clear(text);
    assert_int_equal(file_slurp(path, 1 << 26, text, &e), 0);
}

static inline bool holds(const struct buf *b, const char *part)
{
    return str_has(buf_view(b), part);
}

#endif
