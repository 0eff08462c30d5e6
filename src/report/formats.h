/* The writers' own functions, one file each. */
#ifndef REPORT_FORMATS_H
#define REPORT_FORMATS_H

#include "base/json_write.h"
#include "document/sanitize.h"
#include "report/compare.h"

void compare_json(struct out *o, const struct comparison *s, const struct report_options *opt);
void compare_csv(struct out *o, const struct comparison *s, const struct report_options *opt);
void compare_xlsx(struct out *o, const struct comparison *s, const struct report_options *opt);
void report_json(struct out *o, const struct comparison *s, const struct report_options *opt);
void report_html(struct out *o, const struct comparison *s, const struct report_options *opt);
void report_md(struct out *o, const struct comparison *s, const struct report_options *opt);

/* The comparison as one object, within another one; paths as `clean` leaves them (NULL: as they are). */
void compare_json_object(struct jsonw *w, struct out *o, const struct comparison *s, const struct report_options *opt, const struct sanitize *clean);

/* One step and rank of several: sides, summary, first deviation. */
void compare_json_brief(struct jsonw *w, const struct comparison *s);
void compare_json_row(struct jsonw *w, const struct comparison *s, uint32_t line);

/* Two members of an object: what the round before said of a line, and what became of it; nothing where there is none. */
void compare_json_was(struct jsonw *w, const struct comparison *s, uint32_t line);

/* {"path":…,"format":…,…}: one side, as in every command's JSON */
void json_side(struct jsonw *w, const struct dump *d);
void json_side_fields(struct jsonw *w, const struct dump *d);

#endif
