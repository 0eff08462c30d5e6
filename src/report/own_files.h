/* Recognises results that this program wrote, by what each kind begins with; an older version's as well. */
#ifndef REPORT_OWN_FILES_H
#define REPORT_OWN_FILES_H

#include <stdbool.h>

/* Whether a report, a result table, a mapping, a script, a digest or a pack was written by this program. Never true for
 * an investigation: it holds a person's work, and is no result that can be made again. False if it cannot be read. */
bool own_file(const char *path);

#endif
