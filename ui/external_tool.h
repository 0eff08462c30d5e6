/* Programs that the user names in the environment, run on a file with the terminal lent to them. */
#ifndef UI_EXTERNAL_TOOL_H
#define UI_EXTERNAL_TOOL_H

#define TOOL_MISSING 127 /* as in shells */

/* The value of the first of these variables (NULL-terminated) that is set, otherwise `otherwise`. */
const char *external_tool_named(const char *const *names, const char *otherwise);
/* Runs "TOOL ARG FILE" and waits: returns its exit status, TOOL_MISSING if it could not be started, or 128 + the
 * signal that ended it. The tool may contain blanks; the file's name, which may come from a dump, is not passed
 * through a shell. arg may be NULL. */
int external_tool_run(const char *tool, const char *arg, const char *file);

/* Runs a text of the user's through /bin/sh, with more variables in its environment ("NAME=VALUE", NULL at the end),
 * and waits; returns as above. */
int external_tool_shell(const char *text, char *const *more);

#endif
