/* The part of the shell language needed to read a launch script without running it: quoted words, variables and
 * arrays assigned in the script, ${NAME:-else}, arithmetic. Whatever depends on anything else (positional arguments,
 * commands, outside variables) stays unexpanded and is marked open. */
#ifndef CONFIG_SHELL_H
#define CONFIG_SHELL_H

#include "config/settings.h"

#define SHELL_WORK (16u << 20) /* limit for the bytes of all expansions together */
#define SHELL_DEEPEST 32       /* ${A:-${B:-…}} */

/* One field of an expanded word. */
struct shell_field {
    struct str text;
    bool open;   /* contains something that the script does not define */
    bool quoted; /* some part was quoted */
};

typedef VEC(struct shell_field) shell_fields;

struct shell_var {
    struct str name;
    shell_fields field; /* one for a plain variable, any number for an array */
    bool array;
    bool branch;        /* assigned inside if or case after another value */
    bool told;          /* the warning was given */
};

struct shell {
    struct settings *s;  /* its arena holds the texts */
    struct map by_name;
    VEC(struct shell_var) var;
    size_t work;
    uint32_t line;       /* of the word being expanded, for messages */
    struct err *e;
};

struct shell_var *shell_find(struct shell *sh, struct str name); /* NULL: never assigned */
struct shell_var *shell_make(struct shell *sh, struct str name);
/* Appends the fields of one raw word of the script. `split`: unquoted expansions are split at blanks. */
int shell_expand(struct shell *sh, struct str raw, bool split, shell_fields *out);
/* The end of the word that begins at `at`; skips quotes, ${…}, $(…) and backticks. */
size_t shell_word_end(struct str text, size_t at);
/* The length of the name at the start of s; 0 if there is none. */
size_t shell_name(struct str s);
void shell_release(struct shell *sh);

#endif
