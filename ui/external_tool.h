/* Programs the user names in the environment, run on a file while they have the terminal. */
#ifndef UI_EXTERNAL_TOOL_H
#define UI_EXTERNAL_TOOL_H

#define TOOL_MISSING 127 /* what shells say, too */

/* The first of these variables (NULL at the end) that is set, else `otherwise`. */
const char *external_tool_named(const char *const *names, const char *otherwise);
/* Runs "TOOL ARG FILE" and waits: its exit status, TOOL_MISSING where it could not be started, 128 + the signal that
 * ended it. The tool may have blanks between words; no shell sees the file's name, which may come from a dump. arg may
 * be NULL. */
int external_tool_run(const char *tool, const char *arg, const char *file);

#endif
